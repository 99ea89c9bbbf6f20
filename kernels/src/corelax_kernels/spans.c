/* How likely spans are mentions, for all spans of windows:

       m(s, e) = v · relu(start_s + end_e + (sums_{e+1} − sums_s) / (e − s + 1) + rest) + b

   where start, end and sums (from the first word of the window on) are vectors of words, rest is a vector
   for the width and the scheme, and v and b belong to the scheme. */
#if defined(__x86_64__) && defined(__linux__) /* elsewhere `support.c` says no */
#include "export.h"
#include "lanes.h"
#include "threads.h"

typedef struct {
    int64_t hidden, schemes; /* hidden: a multiple of 16 */
    const float *rest;       /* [width, scheme, hidden] */
    const float *out;        /* [scheme, hidden] v */
    const float *bias;       /* [scheme] b */
} SpanScorer;

typedef struct {
    const SpanScorer *scorer;
    int64_t spans, words;     /* words of a window, filled up */
    const float *start, *end; /* [window, words, hidden] */
    const float *sums;        /* [window, words + 1, hidden] */
    const int64_t *scheme;    /* [window] */
    const int64_t *window, *first, *width; /* [span] width: words less one */
    float *logits;            /* [span] */
} Spans;

static void work(Team *team, void *shared, int64_t number) {
    const Spans *spans = shared;
    const SpanScorer *scorer = spans->scorer;
    const int64_t hidden = scorer->hidden;
    const int64_t begin = spans->spans * number / team->threads;
    const int64_t stop = spans->spans * (number + 1) / team->threads;
    for (int64_t at = begin; at < stop; at++) {
        const int64_t window = spans->window[at], width = spans->width[at], scheme = spans->scheme[window];
        const int64_t word = window * spans->words + spans->first[at]; /* of all windows */
        const float *start = spans->start + word * hidden, *end = spans->end + (word + width) * hidden;
        const float *before = spans->sums + (word + window) * hidden, *after = before + (width + 1) * hidden;
        const float *rest = scorer->rest + (width * scorer->schemes + scheme) * hidden;
        const float *out = scorer->out + scheme * hidden;
        const __m512 share = _mm512_set1_ps(1.0f / (float)(width + 1)), zero = _mm512_setzero_ps();
        __m512 sum = zero;
        for (int64_t c = 0; c < hidden; c += LANES) {
            const __m512 inside = _mm512_sub_ps(_mm512_loadu_ps(after + c), _mm512_loadu_ps(before + c));
            __m512 lanes = _mm512_add_ps(_mm512_loadu_ps(start + c), _mm512_loadu_ps(end + c));
            lanes = _mm512_add_ps(lanes, _mm512_loadu_ps(rest + c));
            lanes = _mm512_max_ps(_mm512_fmadd_ps(inside, share, lanes), zero);
            sum = _mm512_fmadd_ps(lanes, _mm512_loadu_ps(out + c), sum);
        }
        spans->logits[at] = _mm512_reduce_add_ps(sum) + scorer->bias[scheme];
    }
}

/* Logits of all spans; see `Spans`. */
EXPORT void corelax_score_spans(Spans *spans, int64_t threads) { share_work(work, spans, threads); }
#endif
