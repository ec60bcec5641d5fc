# What cuBLASLt keeps for a handle, in the handle's slot: a cuBLAS handle serves as one of cuBLASLt's, and the other way
# about, so both libraries know it. The handles of rocBLAS's are cuBLASLt's own, one a stream and pointer mode: the
# modes of a product come with its description, and must not be the handle's.

cdef extern from "cublas/handles.h" nogil:
    ctypedef struct lt_stream:
        void *stream
        void *blas[2]
    ctypedef struct lt_state:
        int32_t count
        int32_t oldest
        void *hipblaslt
        void *drop_hipblaslt
        lt_stream streams[1]
    lt_state *lt_state_of(const dg_blas *h)
    size_t lt_state_bytes()
    int lt_count(const lt_state *state)
    void lt_count_set(lt_state *state, int count)
    void lt_blas_set(lt_state *state, int i, int mode, void *blas)
    void lt_call_drop(void *drop, void *handle)


cdef inline void lt_state_drop(dg_blas *h) noexcept nogil:
    """Frees it with the handle. hipBLASLt's own function is kept with its handle: libcublas has no table of
    hipBLASLt's."""
    cdef lt_state *state = lt_state_of(h)
    cdef int i
    if state is NULL:
        return
    for i in range(lt_count(state)):
        if state.streams[i].blas[0] is not NULL:
            dg_rocblas.rocblas_destroy_handle(state.streams[i].blas[0])
        if state.streams[i].blas[1] is not NULL:
            dg_rocblas.rocblas_destroy_handle(state.streams[i].blas[1])
    if state.hipblaslt is not NULL:
        lt_call_drop(state.drop_hipblaslt, state.hipblaslt)
    dg_the_core.release(state)
