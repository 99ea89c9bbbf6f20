/* Attention of one head, in numbers of two bytes. */
#ifndef CORELAX_ATTENTION_H
#define CORELAX_ATTENTION_H

#include "lanes.h"

/* What attention works in; `length` is the number of keys, rounded up to a multiple of 32. */
typedef struct {
    int64_t length;
    bf16 *keys;    /* [length / 16, size / 2, 16, 2] */
    bf16 *values;  /* [length / 2, size, 2] */
    float *scores; /* [TILE, length] */
    bf16 *shares;  /* [TILE, length] */
} AttentionRoom;

void attend(const bf16 *vectors, int64_t width, int64_t length, int64_t size, const float *bias,
            AttentionRoom *room, float *mixed);

#endif
