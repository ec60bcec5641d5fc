/* What the cuBLASLt helper blocks need from C. */
#ifndef DRAGOMAN_CUBLASLT_HELPERS_H
#define DRAGOMAN_CUBLASLT_HELPERS_H
#include "cublas/handles.h"
static inline const char *lt_status_text(uint32_t status) { return cublas_status_text(status); }
static inline int lt_logger(int on, const char *file) {
    return dg_the_core ? dg_the_core->configure_logger(on, 0, 0, file) : 0;
}

/* Kinds of lines for the callback, or the callback. */
static inline void lt_hear(int kinds) {
    if (dg_the_core) dg_the_core->set_lt_kinds(kinds);
}
static inline void lt_hearer(void *callback) {
    if (dg_the_core) dg_the_core->set_lt_logger((dg_lt_callback)callback);
}

/* rocBLAS's handles of a handle that cublasCreate made. */
static inline void *blas_stream(const dg_blas *h, int i) { return ((const dg_stream *)h->streams)[i].blas; }

/* The heuristics cache's capacity, as NVIDIA's library begins with it. */
extern DG_HIDDEN size_t lt_cache_capacity; /* readable.c */
static inline size_t lt_capacity(const size_t *set) {
    if (set) __atomic_store_n(&lt_cache_capacity, *set, __ATOMIC_RELAXED);
    return __atomic_load_n(&lt_cache_capacity, __ATOMIC_RELAXED);
}
#endif
