# Library and logger functions of cuBLASLt. Its handle is a slot like a cuBLAS handle, so either serves for the other.

cdef extern from "version.h" nogil:
    const int dg_version
    const int[3] dg_version_part
    const int dg_cudart_version

cdef extern from "lt_helpers.h" nogil:
    const char *lt_status_text(uint32_t status)
    int lt_logger(int level, const char *file)
    void lt_hear(int kinds)
    void lt_hearer(void *callback)
    void *DG_NO_STREAM
    void *blas_stream(const dg_blas *h, int i)
    size_t lt_capacity(const size_t *set)


include "cublas/lt_state.pxi"


cdef inline cublasStatus_t lt_create(cublasLtHandle_t *handle) noexcept nogil:
    """As cublasCreate: refused where the card has no kernels. The first product makes what it needs of AMD's."""
    cdef dg_blas *h
    cdef int reason
    if handle is NULL:
        return CUBLAS_STATUS_INVALID_VALUE
    reason = dg_the_core.check_kernels(&dg_own_library)
    if reason != DG_OK:
        return status_of_reason(reason)
    h = <dg_blas *>dg_the_core.slot_new(DG_BLAS)
    if h is NULL:
        return CUBLAS_STATUS_ALLOC_FAILED
    dg_hip.hipGetDevice(&h.device)
    h.own_workspace = 1
    h.other_stream = DG_NO_STREAM
    handle[0] = <cublasLtHandle_t>h
    return CUBLAS_STATUS_SUCCESS


cdef inline cublasStatus_t lt_destroy(cublasLtHandle_t handle) noexcept nogil:
    """At the end of the process the destroy succeeds and calls nothing. A handle of cuBLAS's keeps its own part of
    AMD's."""
    cdef int reason = dg_admit(handle, DG_BLAS)
    cdef dg_blas *h = <dg_blas *>handle
    cdef int i
    if handle is NULL:
        return CUBLAS_STATUS_INVALID_VALUE  # of this function alone, as an H200 answers
    if reason == DG_CLOSING:
        return CUBLAS_STATUS_SUCCESS
    if reason == DG_OK:
        reason = dg_the_core.slot_retire(handle, DG_BLAS)
    if reason != DG_OK:
        return status_of_reason(reason)
    lt_state_drop(h)
    if h.streams is not NULL:  # cublasCreate made it
        for i in range(h.stream_count):
            dg_rocblas.rocblas_destroy_handle(blas_stream(h, i))
        dg_the_core.release(h.streams)
    dg_the_core.slot_free(handle)
    return CUBLAS_STATUS_SUCCESS


cdef inline const char *lt_get_status_name(cublasStatus_t status) noexcept nogil:
    return name_of_status(status)


cdef inline const char *lt_get_status_string(cublasStatus_t status) noexcept nogil:
    return lt_status_text(status)


cdef inline size_t lt_get_version() noexcept nogil:
    return <size_t>dg_version


cdef inline size_t lt_get_cudart_version() noexcept nogil:
    return <size_t>dg_cudart_version


cdef inline cublasStatus_t lt_get_property(libraryPropertyType kind, int *value) noexcept nogil:
    if value is NULL or <uint32_t>kind > 2:
        return CUBLAS_STATUS_INVALID_VALUE
    value[0] = dg_version_part[<int>kind]
    return CUBLAS_STATUS_SUCCESS


# ---- hipBLASLt keeps what its heuristic found: the capacity is the program's to set and read, nothing more

cdef inline cublasStatus_t lt_cache_get_capacity(size_t *capacity) noexcept nogil:
    if capacity is NULL:
        return CUBLAS_STATUS_INVALID_VALUE
    capacity[0] = lt_capacity(NULL)
    return CUBLAS_STATUS_SUCCESS


cdef inline cublasStatus_t lt_cache_set_capacity(size_t capacity) noexcept nogil:
    lt_capacity(&capacity)
    return CUBLAS_STATUS_SUCCESS


# ---- logger: one log serves cuBLAS and cuBLASLt

cdef inline cublasStatus_t lt_logger_set_callback(cublasLtLoggerCallback_t callback) noexcept nogil:
    dg_start()
    lt_hearer(<void *>callback)
    return CUBLAS_STATUS_SUCCESS


cdef inline cublasStatus_t lt_logger_set_file(FILE *file) noexcept nogil:
    """A FILE belongs to the program's C library and may not be ours: it is not written to."""
    return CUBLAS_STATUS_SUCCESS


cdef inline cublasStatus_t lt_logger_open_file(const char *file) noexcept nogil:
    dg_start()
    return CUBLAS_STATUS_SUCCESS if lt_logger(1, file) == 0 else CUBLAS_STATUS_INVALID_VALUE


cdef inline cublasStatus_t lt_logger_set_level(int level) noexcept nogil:
    if level < 0 or level > 5:
        return CUBLAS_STATUS_INVALID_VALUE
    dg_start()
    lt_hear((1 << level) - 1)  # a level has all that is more urgent
    return CUBLAS_STATUS_SUCCESS


cdef inline cublasStatus_t lt_logger_set_mask(int mask) noexcept nogil:
    dg_start()
    lt_hear(mask & 31)
    return CUBLAS_STATUS_SUCCESS


cdef inline cublasStatus_t lt_logger_force_disable() noexcept nogil:
    dg_start()
    lt_logger(0, NULL)
    lt_hear(-1)
    return CUBLAS_STATUS_SUCCESS
