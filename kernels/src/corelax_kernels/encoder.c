/* An encoder of the kind of BERT or MPNet: vectors of word pieces in, vectors in their context out.

   Each thread has some of the rows (pieces of all windows, one after the other) and, for attention, some of
   the heads. */
#if defined(__x86_64__) && defined(__linux__) /* elsewhere `support.c` says no */
#include <stdlib.h>

#include "attention.h"
#include "bytes.h"
#include "export.h"
#include "threads.h"

#define LOG2_E 1.44269504f
#define BLOCK_BYTES (512 << 10) /* of inner numbers of a block of rows: they stay in the second cache */

typedef struct {
    const float *weight, *bias;
} Norm;

typedef struct {
    ByteMatrix all; /* queries, keys and values */
    ByteMatrix out, inner, outer;
    Norm mixed_norm, norm;
} Layer;

typedef struct {
    int64_t hidden, heads, layers, reach;
    float epsilon;
    const float *place; /* [place, hidden] what is added to the vector of a piece, by its place */
    const float *bias;  /* [heads, 2 reach − 1] what is added to scores, by the distance; null for none */
    Norm norm;
    const Layer *layer;
} Encoder;

typedef struct {
    const Encoder *encoder;
    const float *vectors;
    const int64_t *first; /* [windows + 1] the first row of each window */
    int64_t windows;
    float *x;     /* [row, hidden] */
    float *mixed; /* [row, hidden] */
    bf16 *packed; /* [row, 3 hidden] queries, keys, values */
    struct Worker *workers;
} Call;

/* What a thread works in. */
typedef struct Worker {
    Call *call;
    int64_t block;  /* rows */
    float *numbers; /* [block, inner] */
    ByteRows rows;  /* [block, inner] */
    AttentionRoom room;
} Worker;

/* x = norm(x + added), row by row; `added` may be null. */
static void normalise(float *x, const float *added, int64_t rows, int64_t size, const Norm *norm, float epsilon) {
    for (int64_t r = 0; r < rows; r++, x += size) {
        __m512 sum = _mm512_setzero_ps(), squares = sum;
        for (int64_t c = 0; c < size; c += LANES) {
            __m512 lanes = _mm512_loadu_ps(x + c);
            if (added) lanes = _mm512_add_ps(lanes, _mm512_loadu_ps(added + r * size + c));
            _mm512_storeu_ps(x + c, lanes);
            sum = _mm512_add_ps(sum, lanes);
        }
        const float mean = _mm512_reduce_add_ps(sum) / size;
        const __m512 means = _mm512_set1_ps(mean);
        for (int64_t c = 0; c < size; c += LANES) {
            const __m512 lanes = _mm512_sub_ps(_mm512_loadu_ps(x + c), means);
            squares = _mm512_fmadd_ps(lanes, lanes, squares);
        }
        const __m512 variance = _mm512_set1_ps(_mm512_reduce_add_ps(squares) / size + epsilon);
        const __m512 scale = _mm512_div_ps(_mm512_set1_ps(1.0f), _mm512_sqrt_ps(variance));
        for (int64_t c = 0; c < size; c += LANES) {
            const __m512 lanes = _mm512_mul_ps(_mm512_sub_ps(_mm512_loadu_ps(x + c), means), scale);
            const __m512 bias = _mm512_loadu_ps(norm->bias + c);
            _mm512_storeu_ps(x + c, _mm512_fmadd_ps(lanes, _mm512_loadu_ps(norm->weight + c), bias));
        }
    }
}

static void gelu(float *x, int64_t size) {
    for (int64_t c = 0; c < size; c += LANES) _mm512_storeu_ps(x + c, gelu_lanes(_mm512_loadu_ps(x + c)));
}

/* What is multiplied with a matrix: a block of rows in bytes, then numbers again. */
static void multiply(Worker *worker, const float *x, int64_t rows, const ByteMatrix *matrix, float *y) {
    rows_to_bytes(x, rows, matrix->columns, &worker->rows);
    multiply_bytes(&worker->rows, rows, matrix, y);
}

/* Queries, keys and values of a block of rows, in two bytes. */
static void ask(Worker *worker, int64_t row, int64_t rows, const Layer *layer) {
    const Encoder *encoder = worker->call->encoder;
    const int64_t hidden = encoder->hidden, width = 3 * hidden;
    multiply(worker, worker->call->x + row * hidden, rows, &layer->all, worker->numbers);
    const __m512 one = _mm512_set1_ps(1.0f);
    const __m512 scale = _mm512_div_ps(
        _mm512_set1_ps(LOG2_E), _mm512_sqrt_ps(_mm512_set1_ps((float)(hidden / encoder->heads))));
    for (int64_t r = 0; r < rows; r++)
        for (int64_t c = 0; c < width; c += 2 * LANES) {
            const float *from = worker->numbers + r * width + c;
            const __m512 by = c < hidden ? scale : one;
            const __m512 low = _mm512_mul_ps(_mm512_loadu_ps(from), by);
            const __m512 high = _mm512_mul_ps(_mm512_loadu_ps(from + LANES), by);
            _mm512_storeu_si512(worker->call->packed + (row + r) * width + c, to_bf16(low, high));
        }
}

/* All of a layer after attention, for a block of rows. */
static void transform(Worker *worker, int64_t row, int64_t rows, const Layer *layer) {
    const Encoder *encoder = worker->call->encoder;
    const int64_t hidden = encoder->hidden;
    float *x = worker->call->x + row * hidden, *mixed = worker->call->mixed + row * hidden;
    multiply(worker, mixed, rows, &layer->out, worker->numbers);
    normalise(x, worker->numbers, rows, hidden, &layer->mixed_norm, encoder->epsilon);
    multiply(worker, x, rows, &layer->inner, worker->numbers);
    gelu(worker->numbers, rows * layer->inner.rows);
    multiply(worker, worker->numbers, rows, &layer->outer, mixed);
    normalise(x, mixed, rows, hidden, &layer->norm, encoder->epsilon);
}

static void attend_heads(Worker *worker, int64_t number, int64_t threads) {
    Call *call = worker->call;
    const Encoder *encoder = call->encoder;
    const int64_t hidden = encoder->hidden, heads = encoder->heads, size = hidden / heads;
    for (int64_t task = number; task < call->windows * heads; task += threads) {
        const int64_t window = task / heads, head = task % heads, first = call->first[window];
        const float *bias = encoder->bias ? encoder->bias + head * (2 * encoder->reach - 1) + encoder->reach - 1 : 0;
        attend(call->packed + first * 3 * hidden + head * size, 3 * hidden, call->first[window + 1] - first, size,
               bias, &worker->room, call->mixed + first * hidden + head * size);
    }
}

static void work(Team *team, void *shared, int64_t number) {
    Call *call = shared;
    Worker *worker = &call->workers[number];
    const Encoder *encoder = call->encoder;
    const int64_t hidden = encoder->hidden, total = call->first[call->windows];
    const int64_t begin = total * number / team->threads;
    const int64_t end = total * (number + 1) / team->threads;
    int64_t window = 0;
    for (int64_t row = begin; row < end; row++) {
        while (row >= call->first[window + 1]) window++;
        const float *place = encoder->place + (row - call->first[window]) * hidden;
        for (int64_t c = 0; c < hidden; c++)
            call->x[row * hidden + c] = call->vectors[row * hidden + c] + place[c];
    }
    normalise(call->x + begin * hidden, 0, end - begin, hidden, &encoder->norm, encoder->epsilon);
    for (int64_t l = 0; l <= encoder->layers; l++) {
        if (l) {
            pthread_barrier_wait(&team->barrier); /* attention needs the keys of all rows */
            attend_heads(worker, number, team->threads);
            pthread_barrier_wait(&team->barrier); /* a row needs all of its heads */
        }
        for (int64_t row = begin; row < end; row += worker->block) {
            const int64_t rows = end - row < worker->block ? end - row : worker->block;
            if (l) transform(worker, row, rows, &encoder->layer[l - 1]);
            if (l < encoder->layers) ask(worker, row, rows, &encoder->layer[l]);
        }
    }
}

static int64_t max(int64_t a, int64_t b) { return a > b ? a : b; }

static int prepare(Worker *worker, Call *call, int64_t longest) {
    const Encoder *encoder = call->encoder;
    const int64_t inner = max(encoder->layer->inner.rows, 3 * encoder->hidden), size = encoder->hidden / encoder->heads;
    const int64_t block = max(TILE, BLOCK_BYTES / (inner * (int64_t)sizeof(float)) / TILE * TILE);
    const int64_t length = (longest + 31) / 32 * 32;
    worker->call = call;
    worker->block = block;
    worker->numbers = malloc(block * inner * sizeof(float));
    worker->rows.bytes = malloc(block * inner);
    worker->rows.low = malloc(block * sizeof(float));
    worker->rows.step = malloc(block * sizeof(float));
    worker->room.keys = malloc(length * size * sizeof(bf16));
    worker->room.values = malloc(length * size * sizeof(bf16));
    worker->room.scores = malloc(TILE * length * sizeof(float));
    worker->room.shares = malloc(TILE * length * sizeof(bf16));
    return worker->numbers && worker->rows.bytes && worker->rows.low && worker->rows.step && worker->room.keys &&
           worker->room.values && worker->room.scores && worker->room.shares;
}

static void release(Worker *worker) {
    void *parts[] = {worker->numbers,     worker->rows.bytes,    worker->rows.low,     worker->rows.step,
                     worker->room.keys,   worker->room.values,   worker->room.scores,  worker->room.shares};
    for (size_t p = 0; p < sizeof parts / sizeof *parts; p++) free(parts[p]);
}

/* Vectors of pieces in their context.

   vectors: [row, hidden] what the encoder looks up for pieces, window after window.
   first: [windows + 1] the first row of each window; the last is the number of rows.
   x: [row, hidden] the result.
   Returns 0, or 1 if there is too little memory. */
EXPORT int corelax_encode(const Encoder *encoder, const float *vectors, const int64_t *first, int64_t windows,
                   int64_t threads, float *x) {
    Call call = {.encoder = encoder, .vectors = vectors, .first = first, .windows = windows, .x = x};
    const int64_t total = first[windows], cells = total * encoder->hidden;
    if (threads > MOST_THREADS) threads = MOST_THREADS;
    if (threads > total) threads = total;
    int64_t longest = 0;
    for (int64_t w = 0; w < windows; w++) longest = max(longest, first[w + 1] - first[w]);
    call.workers = calloc(threads, sizeof(Worker));
    call.mixed = malloc(cells * sizeof(float));
    call.packed = malloc(3 * cells * sizeof(bf16));
    int fits = call.workers && call.mixed && call.packed;
    for (int64_t t = 0; fits && t < threads; t++) fits = prepare(&call.workers[t], &call, longest);
    if (fits) share_work(work, &call, threads);
    for (int64_t t = 0; call.workers && t < threads; t++) release(&call.workers[t]);
    free(call.workers);
    free(call.mixed);
    free(call.packed);
    return !fits;
}
#endif
