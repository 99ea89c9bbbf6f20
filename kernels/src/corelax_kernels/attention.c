/* mixed_i = Σ_j softmax_j(k_j · q_i + bias_{j − i}) v_j, for all pieces i of a window and one head.

   Queries are multiplied by log₂(e) / √size beforehand, and so are biases by log₂(e): powers of two then do. */
#if defined(__x86_64__) && defined(__linux__) /* elsewhere `support.c` says no */
#include "attention.h"

#include <string.h>

/* Keys and values of one head in the order in which they are multiplied; 0 beyond the window. */
static void pack(const bf16 *vectors, int64_t width, int64_t length, int64_t size, AttentionRoom *room) {
    const int64_t hidden = width / 3;
    const int64_t bytes = room->length * size * sizeof(bf16);
    memset(room->keys, 0, bytes);
    memset(room->values, 0, bytes);
    for (int64_t j = 0; j < length; j++) {
        const bf16 *key = vectors + j * width + hidden, *value = key + hidden;
        int32_t *pairs = (int32_t *)(room->keys + (j / LANES) * LANES * size) + j % LANES;
        for (int64_t c = 0; c < size / 2; c++) pairs[c * LANES] = ((const int32_t *)key)[c];
        bf16 *row = room->values + (j / 2) * 2 * size + j % 2;
        for (int64_t c = 0; c < size; c++) row[2 * c] = value[c];
    }
}

/* Scores of `count` queries and `vectors` × 16 keys. */
INLINE void score(const bf16 *query, int64_t width, int count, const AttentionRoom *room, int64_t key, int vectors,
                  int64_t size) {
    __m512 sums[TILE][4];
    UNROLL for (int r = 0; r < count; r++)
        UNROLL for (int v = 0; v < vectors; v++) sums[r][v] = _mm512_setzero_ps();
    const bf16 *keys = room->keys + key * size;
    for (int64_t c = 0; c < size / 2; c++) {
        __m512bh pairs[4];
        UNROLL for (int v = 0; v < vectors; v++)
            pairs[v] = (__m512bh)_mm512_loadu_si512(keys + (v * size / 2 + c) * 2 * LANES);
        UNROLL for (int r = 0; r < count; r++) {
            const __m512bh q = pair_in_all_lanes(query + r * width + 2 * c);
            UNROLL for (int v = 0; v < vectors; v++) add_pairs(&sums[r][v], q, pairs[v]);
        }
    }
    UNROLL for (int r = 0; r < count; r++)
        UNROLL for (int v = 0; v < vectors; v++)
            _mm512_storeu_ps(room->scores + r * room->length + key + v * LANES, sums[r][v]);
}

/* Scores of one query become shares that add up to the returned sum. */
INLINE float weigh(float *scores, int64_t length, int64_t rounded, const float *bias, bf16 *shares) {
    const __m512 none = _mm512_set1_ps(-1e30f);
    __m512 most = none;
    for (int64_t k = 0; k < rounded; k += LANES) {
        const int64_t left = length - k;
        const __mmask16 real = left >= LANES ? 0xffff : left <= 0 ? 0 : (__mmask16)((1u << left) - 1);
        __m512 lanes = _mm512_mask_loadu_ps(none, real, scores + k);
        if (bias) lanes = _mm512_mask_add_ps(none, real, lanes, _mm512_maskz_loadu_ps(real, bias + k));
        _mm512_storeu_ps(scores + k, lanes);
        most = _mm512_max_ps(most, lanes);
    }
    most = _mm512_set1_ps(_mm512_reduce_max_ps(most));
    __m512 sum = _mm512_setzero_ps();
    for (int64_t k = 0; k < rounded; k += 2 * LANES) {
        const __m512 low = exp2_lanes(_mm512_sub_ps(_mm512_loadu_ps(scores + k), most));
        const __m512 high = exp2_lanes(_mm512_sub_ps(_mm512_loadu_ps(scores + k + LANES), most));
        sum = _mm512_add_ps(sum, _mm512_add_ps(low, high));
        _mm512_storeu_si512(shares + k, to_bf16(low, high));
    }
    return _mm512_reduce_add_ps(sum);
}

/* Means of the values, for `count` queries and `vectors` × 16 numbers of the head. */
INLINE void mix(const AttentionRoom *room, int count, const float *total, int64_t size, int64_t at, int vectors,
                int64_t hidden, float *mixed) {
    __m512 sums[TILE][4];
    UNROLL for (int r = 0; r < count; r++)
        UNROLL for (int v = 0; v < vectors; v++) sums[r][v] = _mm512_setzero_ps();
    for (int64_t k = 0; k < room->length; k += 2) {
        __m512bh pairs[4];
        UNROLL for (int v = 0; v < vectors; v++)
            pairs[v] = (__m512bh)_mm512_loadu_si512(room->values + k * size + 2 * (at + v * LANES));
        UNROLL for (int r = 0; r < count; r++) {
            const __m512bh share = pair_in_all_lanes(room->shares + r * room->length + k);
            UNROLL for (int v = 0; v < vectors; v++) add_pairs(&sums[r][v], share, pairs[v]);
        }
    }
    UNROLL for (int r = 0; r < count; r++) {
        const __m512 scale = _mm512_set1_ps(1.0f / total[r]);
        UNROLL for (int v = 0; v < vectors; v++)
            _mm512_storeu_ps(mixed + r * hidden + at + v * LANES, _mm512_mul_ps(sums[r][v], scale));
    }
}

/* `count` queries from `query` on; a constant, so that sums stay in registers. */
INLINE void attend_tile(const bf16 *vectors, int64_t width, int64_t length, int64_t size, const float *bias,
                        AttentionRoom *room, int64_t query, int count, float *mixed) {
    const bf16 *queries = vectors + query * width;
    int64_t key = 0;
    for (; key + 4 * LANES <= room->length; key += 4 * LANES) score(queries, width, count, room, key, 4, size);
    if (key < room->length) score(queries, width, count, room, key, 2, size); /* a multiple of 32 is left */
    float total[TILE];
    UNROLL for (int r = 0; r < count; r++)
        total[r] = weigh(room->scores + r * room->length, length, room->length, bias ? bias - (query + r) : 0,
                         room->shares + r * room->length);
    int64_t at = 0;
    float *rows = mixed + query * (width / 3);
    for (; at + 4 * LANES <= size; at += 4 * LANES) mix(room, count, total, size, at, 4, width / 3, rows);
    if (at < size) mix(room, count, total, size, at, 2, width / 3, rows);
}

/* Attention of one head in one window.

   vectors: [piece, width] queries, keys and values, a third of the width each; those of this head come first.
   size: numbers of the head, a multiple of 32.
   bias: [2 length − 1] around the distance 0, which it points to; null for none.
   mixed: [piece, width / 3], of which this head's numbers come first. */
void attend(const bf16 *vectors, int64_t width, int64_t length, int64_t size, const float *bias,
            AttentionRoom *room, float *mixed) {
    room->length = (length + 31) / 32 * 32;
    pack(vectors, width, length, size, room);
    int64_t query = 0;
    for (; query + TILE <= length; query += TILE)
        attend_tile(vectors, width, length, size, bias, room, query, TILE, mixed);
    for (; query < length; query++) attend_tile(vectors, width, length, size, bias, room, query, 1, mixed);
}
#endif
