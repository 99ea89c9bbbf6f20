/* How well earlier spans j fit spans i as antecedents, beyond the coarse score that has chosen them:

       s(i, j) = coarse(i, j) + v · gelu(own_i + previous_j + place_ij + who_ij + R (z_i ∘ z_j)) + b

   Products z_i ∘ z_j and R are in numbers of two bytes, sums in four; hidden values never leave the registers. */
#if defined(__x86_64__) && defined(__linux__) /* elsewhere `support.c` says no */
#include <math.h>
#include <stdlib.h>

#include "export.h"
#include "lanes.h"
#include "threads.h"

typedef struct {
    int64_t size, hidden; /* multiples of 32 and 64 */
    const bf16 *product;  /* R as [hidden / 64, size / 2, 64, 2] */
    const float *place;   /* [place, hidden] */
    const float *who;     /* [who, hidden] */
    const float *out;     /* [hidden] v */
    float bias;
} PairScorer;

typedef struct {
    const PairScorer *scorer;
    int64_t rows, candidates;
    const float *vectors;  /* [span, size] z */
    const float *own;      /* [row, hidden] */
    const float *previous; /* [span, hidden] */
    const int64_t *row;    /* [row] which span it is */
    const int64_t *where;  /* [row, candidate] which span it is */
    const int64_t *place, *who;
    const float *coarse; /* [row, candidate] −∞ where there is none */
    float *scores;       /* [row, candidate] */
    int failed;
} Pairs;

/* z_i ∘ z_j in two bytes. */
static void multiply(const float *a, const float *b, int64_t size, bf16 *product) {
    for (int64_t c = 0; c < size; c += 2 * LANES) {
        const __m512 low = _mm512_mul_ps(_mm512_loadu_ps(a + c), _mm512_loadu_ps(b + c));
        const __m512 high = _mm512_mul_ps(_mm512_loadu_ps(a + c + LANES), _mm512_loadu_ps(b + c + LANES));
        _mm512_storeu_si512(product + c, to_bf16(low, high));
    }
}

/* Adds to the scores of `count` candidates what 64 hidden values say. */
INLINE void tile(const Pairs *pairs, int64_t row, const int64_t *chosen, const bf16 *products, int count, int64_t panel,
                 float *scores) {
    const PairScorer *scorer = pairs->scorer;
    const int64_t size = scorer->size, hidden = scorer->hidden, at = panel * PANEL;
    const bf16 *weights = scorer->product + at * size;
    __m512 sums[TILE][4];
    UNROLL for (int r = 0; r < count; r++)
        UNROLL for (int v = 0; v < 4; v++) sums[r][v] = _mm512_setzero_ps();
    for (int64_t c = 0; c < size; c += 2, weights += 2 * PANEL) {
        __m512bh two[4];
        UNROLL for (int v = 0; v < 4; v++) two[v] = (__m512bh)_mm512_loadu_si512(weights + v * 2 * LANES);
        UNROLL for (int r = 0; r < count; r++) {
            const __m512bh both = pair_in_all_lanes(products + r * size + c);
            UNROLL for (int v = 0; v < 4; v++) add_pairs(&sums[r][v], both, two[v]);
        }
    }
    UNROLL for (int r = 0; r < count; r++) {
        const int64_t pair = row * pairs->candidates + chosen[r];
        const float *own = pairs->own + row * hidden + at;
        const float *previous = pairs->previous + pairs->where[pair] * hidden + at;
        const float *place = scorer->place + pairs->place[pair] * hidden + at;
        const float *who = scorer->who + pairs->who[pair] * hidden + at;
        __m512 sum = _mm512_setzero_ps();
        UNROLL for (int v = 0; v < 4; v++) {
            const int64_t c = v * LANES;
            __m512 lanes = _mm512_add_ps(sums[r][v], _mm512_loadu_ps(own + c));
            lanes = _mm512_add_ps(lanes, _mm512_loadu_ps(previous + c));
            lanes = _mm512_add_ps(lanes, _mm512_loadu_ps(place + c));
            lanes = _mm512_add_ps(lanes, _mm512_loadu_ps(who + c));
            sum = _mm512_fmadd_ps(gelu_lanes(lanes), _mm512_loadu_ps(scorer->out + at + c), sum);
        }
        scores[chosen[r]] += _mm512_reduce_add_ps(sum);
    }
}

static void work(Team *team, void *shared, int64_t number) {
    Pairs *pairs = shared;
    const PairScorer *scorer = pairs->scorer;
    const int64_t size = scorer->size, candidates = pairs->candidates;
    bf16 *products = malloc(candidates * size * sizeof(bf16));
    int64_t *chosen = malloc(candidates * sizeof(int64_t));
    const int fits = products && chosen;
    if (!fits) __atomic_store_n(&pairs->failed, 1, __ATOMIC_RELAXED);
    for (int64_t row = number; fits && row < pairs->rows; row += team->threads) {
        float *scores = pairs->scores + row * candidates;
        int64_t count = 0, at;
        for (int64_t c = 0; c < candidates; c++) {
            const int64_t pair = row * candidates + c;
            scores[c] = pairs->coarse[pair] + scorer->bias;
            if (scores[c] == -INFINITY) continue;
            multiply(pairs->vectors + pairs->row[row] * size, pairs->vectors + pairs->where[pair] * size, size,
                     products + count * size);
            chosen[count++] = c;
        }
        for (int64_t panel = 0; panel < scorer->hidden / PANEL; panel++) {
            for (at = 0; at + TILE <= count; at += TILE)
                tile(pairs, row, chosen + at, products + at * size, TILE, panel, scores);
            for (; at < count; at++) tile(pairs, row, chosen + at, products + at * size, 1, panel, scores);
        }
    }
    free(products);
    free(chosen);
}

/* Scores of all candidates; see `Pairs`. Returns 0, or 1 if there is too little memory. */
EXPORT int corelax_score_pairs(Pairs *pairs, int64_t threads) {
    pairs->failed = 0;
    share_work(work, pairs, threads);
    return pairs->failed;
}

/* A matrix [hidden, size] in the order of `PairScorer`, rounded to two bytes. */
EXPORT void corelax_pack_pairs(const float *weights, int64_t hidden, int64_t size, bf16 *packed) {
    for (int64_t h = 0; h < hidden; h++)
        for (int64_t c = 0; c < size; c++) {
            const __m128bh rounded = _mm_cvtneps_pbh(_mm_set_ss(weights[h * size + c]));
            bf16 *panel = packed + h / PANEL * PANEL * size + h % PANEL * 2;
            panel[c / 2 * 2 * PANEL + c % 2] = (bf16)_mm_cvtsi128_si32((__m128i)rounded);
        }
}
#endif
