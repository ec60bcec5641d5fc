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

/* As DG_COLD of mapping/runtime/generated.h. */
#ifdef __clang__
#define SAMPLE_COLD __attribute__((visibility("hidden"), noinline, cold, minsize))
#else
#define SAMPLE_COLD __attribute__((visibility("hidden"), noipa))
#endif
SAMPLE_COLD int sample_gemm_cold(void *, int, int, int64_t, int64_t, int64_t, const float *, const float *, int64_t,
                                 const float *, int64_t, const float *, float *, int64_t);
int sample_refused(void);
#endif
