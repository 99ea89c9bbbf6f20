/* Sixteen numbers at a time: what the kernels are made of. */
#ifndef CORELAX_LANES_H
#define CORELAX_LANES_H

#include <immintrin.h>
#include <stdint.h>

#define LANES 16 /* four-byte numbers in a register */
#define TILE 6   /* rows of a product that are computed together: 6 × 4 sums fill the registers */
#define PANEL 64 /* columns that are computed together: 4 registers */
#define UNROLL _Pragma("GCC unroll 6") /* or sums would not stay in registers */
#define INLINE static inline __attribute__((always_inline))

typedef uint16_t bf16; /* the upper half of a float */

/* 2^x, to 4 · 10⁻⁶ of itself; the polynomial was fitted to 2^x between −1/2 and 1/2. */
INLINE __m512 exp2_lanes(__m512 x) {
    const __m512 whole = _mm512_roundscale_ps(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
    const __m512 rest = _mm512_sub_ps(x, whole);
    __m512 sum = _mm512_set1_ps(9.58285e-3f);
    sum = _mm512_fmadd_ps(sum, rest, _mm512_set1_ps(5.590643e-2f));
    sum = _mm512_fmadd_ps(sum, rest, _mm512_set1_ps(2.4024099e-1f));
    sum = _mm512_fmadd_ps(sum, rest, _mm512_set1_ps(6.9312419e-1f));
    sum = _mm512_fmadd_ps(sum, rest, _mm512_set1_ps(1.0f));
    return _mm512_scalef_ps(sum, whole);
}

/* gelu(x) = x Φ(x) = max(x, 0) − |x| (1 − Φ(|x|)), where 1 − Φ(a) = p(t) exp(−a² / 2) / 2 with
   t = 1 / (1 + 0.3275911 a / √2) (Abramowitz & Stegun 7.1.26; error below 2 · 10⁻⁶). */
INLINE __m512 gelu_lanes(__m512 x) {
    const __m512 one = _mm512_set1_ps(1.0f), size = _mm512_abs_ps(x);
    const __m512 below = _mm512_fmadd_ps(size, _mm512_set1_ps(0.3275911f * 0.70710678f), one);
    __m512 t = _mm512_rcp14_ps(below);
    t = _mm512_mul_ps(t, _mm512_fnmadd_ps(below, t, _mm512_set1_ps(2.0f)));
    __m512 sum = _mm512_set1_ps(0.5f * 1.061405429f);
    sum = _mm512_fmadd_ps(sum, t, _mm512_set1_ps(0.5f * -1.453152027f));
    sum = _mm512_fmadd_ps(sum, t, _mm512_set1_ps(0.5f * 1.421413741f));
    sum = _mm512_fmadd_ps(sum, t, _mm512_set1_ps(0.5f * -0.284496736f));
    sum = _mm512_fmadd_ps(sum, t, _mm512_set1_ps(0.5f * 0.254829592f));
    const __m512 square = _mm512_mul_ps(x, x);
    const __m512 tail = exp2_lanes(_mm512_mul_ps(square, _mm512_set1_ps(-0.5f * 1.44269504f)));
    const __m512 less = _mm512_mul_ps(_mm512_mul_ps(size, t), _mm512_mul_ps(sum, tail));
    return _mm512_sub_ps(_mm512_max_ps(x, _mm512_setzero_ps()), less);
}

/* 32 numbers as bf16, the first 16 of them `low`. */
INLINE __m512i to_bf16(__m512 low, __m512 high) {
    return (__m512i)_mm512_cvtne2ps_pbh(high, low);
}

/* Two bf16 that lie side by side, in all lanes. */
INLINE __m512bh pair_in_all_lanes(const bf16 *pair) {
    return (__m512bh)_mm512_set1_epi32(*(const int32_t *)pair);
}

/* Sums go through these two as operands that are changed: compilers make copies of what the intrinsics
   return, and then registers do not suffice. */

/* sum += Σ of four products of bytes, in each lane. */
INLINE void add_bytes(__m512i *sum, __m512i unsigned_four, __m512i signed_four) {
    __asm__("vpdpbusd %2, %1, %0" : "+v"(*sum) : "v"(unsigned_four), "v"(signed_four));
}

/* sum += Σ of two products of bf16, in each lane. */
INLINE void add_pairs(__m512 *sum, __m512bh a, __m512bh b) {
    __asm__("vdpbf16ps %2, %1, %0" : "+v"(*sum) : "v"(a), "v"(b));
}

#endif
