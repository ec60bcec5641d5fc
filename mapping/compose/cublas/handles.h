/* What the cuBLAS helper blocks need from C: the stream table's row, status texts, the logger. */
#ifndef DRAGOMAN_CUBLAS_HANDLES_H
#define DRAGOMAN_CUBLAS_HANDLES_H
#include <stdio.h>
#include "dragoman.h"

enum { DG_STREAMS = 32 }; /* rocblas_handles of one cuBLAS handle; more streams share by turns */
#define DG_NO_STREAM ((void *)~(uintptr_t)0)

typedef struct dg_stream {
    void *stream;
    void *blas;
} dg_stream;

/* What cuBLASLt keeps for a handle (lt_state.pxi). */
typedef struct lt_stream {
    void *stream;
    void *blas[2]; /* rocblas_handles: factors on the host, on the device */
} lt_stream;
typedef struct lt_state {
    int32_t count;  /* entries in use: stored last, so that a reader without a lock finds whole ones */
    int32_t oldest; /* serves the next stream once all entries are taken */
    void *hipblaslt;
    void *drop_hipblaslt; /* hipblasLtDestroy, of a library that is never unloaded */
    lt_stream streams[DG_STREAMS];
} lt_state;

static inline lt_state *lt_state_of(const dg_blas *h) { return (lt_state *)__atomic_load_n(&h->lt, __ATOMIC_ACQUIRE); }
static inline void lt_state_set(dg_blas *h, lt_state *state) {
    __atomic_store_n(&h->lt, (void *)state, __ATOMIC_RELEASE);
}
static inline size_t lt_state_bytes(void) { return sizeof(lt_state); }
static inline int lt_count(const lt_state *state) { return __atomic_load_n(&state->count, __ATOMIC_ACQUIRE); }
static inline void lt_count_set(lt_state *state, int count) {
    __atomic_store_n(&state->count, count, __ATOMIC_RELEASE);
}
static inline void lt_blas_set(lt_state *state, int i, int mode, void *blas) {
    __atomic_store_n(&state->streams[i].blas[mode], blas, __ATOMIC_RELEASE);
}
static inline void lt_call_drop(void *drop, void *handle) { ((uint32_t(*)(void *))drop)(handle); }

static inline const char *cublas_status_text(uint32_t status) {
    switch (status) {
    case 0: return "the call succeeded";
    case 1: return "the library is not initialised: no usable GPU library, or a handle that is not valid";
    case 3: return "memory for the library's own use could not be allocated";
    case 7: return "a parameter has a value that is not allowed";
    case 8: return "the GPU has no kernels for this operation";
    case 11: return "memory of the GPU could not be reached";
    case 13: return "the GPU failed to run the operation";
    case 14: return "an operation inside the library failed";
    case 15: return "this function or combination of types is not supported";
    case 16: return "a licence was not granted";
    default: return "unrecognized status";
    }
}

static inline int cublas_logger(int on, int to_stdout, int to_stderr, const char *file) {
    return dg_the_core ? dg_the_core->configure_logger(on, to_stdout, to_stderr, file) : 0;
}

static inline void cublas_complain(const char *name, int info) {
    fprintf(stderr, "dragoman: parameter %d of %s has an illegal value\n", info, name ? name : "?");
}
#endif
