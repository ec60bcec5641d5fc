# Modules: there is no device code, so that none is loaded before it is used.
include "common.pxi"


cdef inline CUresult loading_mode(CUmoduleLoadingMode *mode) noexcept nogil:
    cdef CUresult status = awake()
    if status == CUDA_SUCCESS and mode == NULL:
        status = CUDA_ERROR_INVALID_VALUE
    if status == CUDA_SUCCESS:
        mode[0] = CU_MODULE_LAZY_LOADING
    return status
