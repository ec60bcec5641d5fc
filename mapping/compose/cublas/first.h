/* cuBLAS's first API: one handle for the whole process and the last error. */
#ifndef DRAGOMAN_CUBLAS_FIRST_H
#define DRAGOMAN_CUBLAS_FIRST_H
#include <string.h>
#include "dragoman.h"

extern DG_HIDDEN void *dg_first_handle; /* NULL before the first call, and after cublasShutdown */
extern DG_HIDDEN uint32_t dg_first_error;

/* NVIDIA's makes its handle when it is first needed, with or without cublasInit. */
DG_HIDDEN void *first_made(void);
static inline void *first_handle(void) { return dg_first_handle ? dg_first_handle : first_made(); }
static inline void first_status(uint32_t status) {
    if (status) dg_first_error = status;
}
static inline void first_forget(void) { dg_first_error = 0; }
static inline void *first_take(void) {
    void *handle = dg_first_handle;
    dg_first_handle = NULL;
    return handle;
}
static inline void dg_zero(void *memory, size_t bytes) { memset(memory, 0, bytes); }

/* Options came as letters of either case; what is none becomes a number that the newer call refuses. */
static inline uint32_t first_op(char c) {
    c |= 32;
    return c == 'n' ? 0u : c == 't' ? 1u : c == 'c' ? 2u : 99u;
}
static inline uint32_t first_fill(char c) {
    c |= 32;
    return c == 'l' ? 0u : c == 'u' ? 1u : 99u;
}
static inline uint32_t first_diag(char c) {
    c |= 32;
    return c == 'n' ? 0u : c == 'u' ? 1u : 99u;
}
static inline uint32_t first_side(char c) {
    c |= 32;
    return c == 'l' ? 0u : c == 'r' ? 1u : 99u;
}
#endif
