/* Products of bytes: rows of numbers times a matrix whose rows have one scale each.

       x ≈ low + step q                   q in bytes, [column]; low and step for each row x
       W ≈ diag(s) V                      V in bytes
       W x + b ≈ s ∘ (step V q + low Σ_c V_c) + b

   V q adds up whole numbers, so that it is exact; up to 65,536 columns four bytes hold the sum. */
#ifndef CORELAX_BYTES_H
#define CORELAX_BYTES_H

#include "lanes.h"

/* A matrix [rows, columns], both multiples of 64, in the order in which it is multiplied. */
typedef struct {
    int64_t rows, columns;
    const int8_t *packed; /* [rows / 64, columns / 4, 64, 4] */
    const float *sums;    /* [rows] Σ_c V_c */
    const float *scales;  /* [rows] s */
    const float *bias;    /* [rows] b */
} ByteMatrix;

/* Rows of numbers in bytes. */
typedef struct {
    uint8_t *bytes; /* [row, columns] */
    float *low, *step;
} ByteRows;

void rows_to_bytes(const float *x, int64_t rows, int64_t columns, ByteRows *out);
void multiply_bytes(const ByteRows *x, int64_t rows, const ByteMatrix *matrix, float *y);

#endif
