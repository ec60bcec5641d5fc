# dragoman.h and generated.h as generated functions and blocks see them.

from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t, uintptr_t

include "core_table.pxi"

cdef extern from "generated.h" nogil:
    enum:
        DG_BLAS
        DG_OK
        DG_BAD_HANDLE
        DG_FORKED
        DG_NO_BACKEND
        DG_NO_MEMORY
        DG_NO_KERNELS
        DG_CLOSING
        DG_UNSUPPORTED
        DG_LOG_OFF
        DG_LOG_ERROR
        DG_LOG_INFO
        DG_LOG_TRACE
        DG_BACKEND_CPU

    ctypedef struct dg_blas:
        uint32_t magic
        int device
        void *blas
        void *stream
        void *other_blas
        void *other_stream
        int32_t pointer_mode
        int32_t atomics_mode
        uint32_t math_mode
        int32_t sm_target
        void *workspace
        size_t workspace_size
        int32_t own_workspace
        int32_t stream_count
        void *streams
        uint64_t emulation[6]
        void *lt
        uint64_t spare[10]

    dg_gate dg_own_gate
    dg_library dg_own_library
    const dg_core *dg_the_core
    int dg_start()
    int dg_need(const char *backend)
    int dg_admit(const void *handle, uint32_t magic)
    bint dg_foreign(const void *handle, uint32_t magic)
    bint dg_closed()
    bint dg_rare(bint holds)
    bint dg_opened(const dg_backend *backend)
    void *to_stream(const void *stream)
    void *own_stream(const void *stream)
    bint dg_wide(int64_t value)
    bint dg_empty(int64_t a, int64_t b)
    bint dg_tracing()
    void dg_refused(const char *function, const char *parameter, long long value)
    void dg_refused_call(const char *function, const char *condition)
    void dg_refused_handle(const char *function, int reason)
    void dg_refused_slot(const char *function, const char *parameter)
    bint dg_alive(const void *slot, uint32_t magic)
    void dg_unsupported(uint32_t *said, const char *function, const char *reason, const char *where)
