# Helpers of cuBLAS's first API: it keeps one handle of its own and remembers the last error.
include "first.pxi"

cdef extern from "first.h" nogil:
    void *first_take()
    void first_forget()

cdef extern from "version.h" nogil:
    const int dg_version

cdef extern from "first_calls.h" nogil:
    cublasStatus_t cublasCreate_v2(cublasHandle_t *handle)
    cublasStatus_t cublasDestroy_v2(cublasHandle_t handle)
    cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream)


cdef inline cublasStatus_t init() noexcept nogil:
    if dg_first_handle is not NULL:
        return CUBLAS_STATUS_SUCCESS
    return cublasCreate_v2(&dg_first_handle)


cdef inline cublasStatus_t shutdown() noexcept nogil:
    cdef void *handle = first_take()
    return CUBLAS_STATUS_SUCCESS if handle is NULL else cublasDestroy_v2(handle)


cdef inline cublasStatus_t get_error() noexcept nogil:
    """The last error, and forget it."""
    cdef cublasStatus_t error = dg_first_error
    first_forget()
    return error


cdef inline cublasStatus_t get_version_v1(int *version) noexcept nogil:
    if version is NULL:
        return CUBLAS_STATUS_INVALID_VALUE
    version[0] = dg_version
    return CUBLAS_STATUS_SUCCESS


cdef inline cublasStatus_t alloc(int n, int size, void **pointer) noexcept nogil:
    if n <= 0 or size <= 0 or pointer is NULL:
        return CUBLAS_STATUS_INVALID_VALUE
    if dg_hip.hipMalloc(pointer, <size_t>n * <size_t>size) != 0:
        return CUBLAS_STATUS_ALLOC_FAILED
    return CUBLAS_STATUS_SUCCESS


cdef inline cublasStatus_t free(void *pointer) noexcept nogil:
    if dg_hip.hipFree(pointer) != 0:
        return CUBLAS_STATUS_INTERNAL_ERROR
    return CUBLAS_STATUS_SUCCESS


cdef inline cublasStatus_t set_kernel_stream(cudaStream_t stream) noexcept nogil:
    return cublasSetStream_v2(first_handle(), stream)
