/* Products of bytes; `bytes.h` has the formula. */
#if defined(__x86_64__) && defined(__linux__) /* elsewhere `support.c` says no */
#include "bytes.h"
#include "export.h"

#define MOST 255.0f

/* [rows, columns] numbers as bytes between the smallest and the largest of each row. */
void rows_to_bytes(const float *x, int64_t rows, int64_t columns, ByteRows *out) {
    for (int64_t r = 0; r < rows; r++, x += columns) {
        __m512 least = _mm512_loadu_ps(x), most = least;
        for (int64_t c = LANES; c < columns; c += LANES) {
            const __m512 lanes = _mm512_loadu_ps(x + c);
            least = _mm512_min_ps(least, lanes);
            most = _mm512_max_ps(most, lanes);
        }
        const float low = _mm512_reduce_min_ps(least), high = _mm512_reduce_max_ps(most);
        const float step = high > low ? (high - low) / MOST : 1.0f;
        const __m512 scale = _mm512_set1_ps(1.0f / step), start = _mm512_set1_ps(low);
        uint8_t *bytes = out->bytes + r * columns;
        for (int64_t c = 0; c < columns; c += LANES) {
            /* Never below 0, which would become 255. */
            const __m512 lanes = _mm512_mul_ps(_mm512_sub_ps(_mm512_loadu_ps(x + c), start), scale);
            _mm_storeu_si128((__m128i *)(bytes + c), _mm512_cvtusepi32_epi8(_mm512_cvtps_epi32(lanes)));
        }
        out->low[r] = low;
        out->step[r] = step;
    }
}

/* `count` rows times 64 rows of the matrix. */
INLINE void tile(const ByteRows *x, int64_t row, int count, const ByteMatrix *matrix, int64_t panel, float *y) {
    const int64_t columns = matrix->columns;
    const int8_t *weights = matrix->packed + panel * PANEL * columns;
    const uint8_t *bytes = x->bytes + row * columns;
    __m512i sums[TILE][4];
    UNROLL for (int r = 0; r < count; r++)
        UNROLL for (int v = 0; v < 4; v++) sums[r][v] = _mm512_setzero_si512();
    for (int64_t c = 0; c < columns; c += 4, weights += 4 * PANEL) {
        __m512i four[4];
        UNROLL for (int v = 0; v < 4; v++) four[v] = _mm512_loadu_si512(weights + v * 64);
        UNROLL for (int r = 0; r < count; r++) {
            const __m512i q = _mm512_set1_epi32(*(const int32_t *)(bytes + r * columns + c));
            UNROLL for (int v = 0; v < 4; v++) add_bytes(&sums[r][v], q, four[v]);
        }
    }
    UNROLL for (int v = 0; v < 4; v++) {
        const int64_t at = panel * PANEL + v * LANES;
        const __m512 all = _mm512_loadu_ps(matrix->sums + at), scale = _mm512_loadu_ps(matrix->scales + at);
        const __m512 bias = _mm512_loadu_ps(matrix->bias + at);
        UNROLL for (int r = 0; r < count; r++) {
            const __m512 step = _mm512_set1_ps(x->step[row + r]), low = _mm512_set1_ps(x->low[row + r]);
            const __m512 sum = _mm512_fmadd_ps(_mm512_cvtepi32_ps(sums[r][v]), step, _mm512_mul_ps(low, all));
            _mm512_storeu_ps(y + (row + r) * matrix->rows + at, _mm512_fmadd_ps(sum, scale, bias));
        }
    }
}

/* [rows, matrix->rows] W x + b for each row x. */
void multiply_bytes(const ByteRows *x, int64_t rows, const ByteMatrix *matrix, float *y) {
    for (int64_t panel = 0; panel < matrix->rows / PANEL; panel++) {
        int64_t row = 0;
        for (; row + TILE <= rows; row += TILE) tile(x, row, TILE, matrix, panel, y);
        switch (rows - row) { /* a constant number of rows is kept in registers */
        case 5: tile(x, row, 5, matrix, panel, y); break;
        case 4: tile(x, row, 4, matrix, panel, y); break;
        case 3: tile(x, row, 3, matrix, panel, y); break;
        case 2: tile(x, row, 2, matrix, panel, y); break;
        case 1: tile(x, row, 1, matrix, panel, y); break;
        }
    }
}

/* A matrix [rows, columns] in the order of `ByteMatrix`, and the sums of its rows. */
EXPORT void corelax_pack_bytes(const int8_t *weights, int64_t rows, int64_t columns, int8_t *packed, float *sums) {
    for (int64_t r = 0; r < rows; r++) {
        int64_t sum = 0;
        int8_t *panel = packed + r / PANEL * PANEL * columns + r % PANEL * 4;
        for (int64_t c = 0; c < columns; c++) {
            const int8_t value = weights[r * columns + c];
            panel[c / 4 * 4 * PANEL + c % 4] = value;
            sum += value;
        }
        sums[r] = (float)sum;
    }
}
#endif
