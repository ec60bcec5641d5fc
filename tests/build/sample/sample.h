#ifndef SAMPLE_H
#define SAMPLE_H
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct { int32_t x, y; } sample_pair;
typedef struct { int64_t first, second; double third; } sample_large; /* too large for registers */
typedef int (*sample_callback)(void *context, int value);

typedef int (*sample_gemm_fn)(void *, int, int, int64_t, int64_t, int64_t, const float *, const float *, int64_t,
                              const float *, int64_t, const float *, float *, int64_t);
extern sample_gemm_fn sample_backend_gemm;

int sample_gemm_cold(void *handle, int transa, int transb, int64_t m, int64_t n, int64_t k, const float *alpha,
                     const float *a, int64_t lda, const float *b, int64_t ldb, const float *beta, float *c,
                     int64_t ldc);
#endif
