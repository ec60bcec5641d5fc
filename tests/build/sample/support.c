/* What lies in another object: a backend that writes down what it was called with, and state of every kind. */
#include "sample.h"

#ifndef SAMPLE_REFUSAL
#error "the build must pass its defines on"
#endif

static int backend(void *handle, int transa, int transb, int64_t m, int64_t n, int64_t k, const float *alpha,
                   const float *a, int64_t lda, const float *b, int64_t ldb, const float *beta, float *c,
                   int64_t ldc) {
    int64_t *seen = handle;
    int64_t values[] = {transa, transb, m, n, k, lda, ldb, ldc, (int64_t)*alpha, (int64_t)*beta, a != NULL, b != NULL};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        seen[i] = values[i];
    }
    return c == NULL;
}

sample_gemm_fn sample_backend_gemm = backend;

static __thread int refused = 40;
static int started;
__attribute__((constructor)) static void start(void) { started = 2; }

int sample_refused(void) {
    refused++;
    return SAMPLE_REFUSAL + refused + started; /* 100 + 41 + 2 the first time */
}

int sample_text(char *text, size_t size, int value) {
    char *copy = malloc(20000); /* the C library, and on Windows a stack frame that needs probing */
    volatile char large[20000];
    large[19999] = (char)value;
    large[0] = large[19999];
    int length = snprintf(text, size, "value %d of %s", large[0], copy ? "sample" : "nothing");
    free(copy);
    return length;
}
