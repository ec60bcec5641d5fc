# Functions that take a context since CUDA 13, where NULL is the current one, and forms that CUDA 12 had as well.
include "common.pxi"
include "later.pxi"


cdef inline CUresult chosen(CUcontext given, cuda_context **context) noexcept nogil:
    cdef CUresult status = awake()
    if status != CUDA_SUCCESS:
        return status
    context[0] = <cuda_context *>given if given != NULL else <cuda_context *>current()
    if context[0] == NULL or dg_the_core.slot_check(context[0], DG_CONTEXT) != DG_OK:
        return CUDA_ERROR_INVALID_CONTEXT
    return CUDA_SUCCESS


cdef inline CUresult device_of(CUdevice *device, CUcontext given) noexcept nogil:
    cdef cuda_context *context = NULL
    cdef CUresult status = chosen(given, &context)
    if status == CUDA_SUCCESS and device == NULL:
        status = CUDA_ERROR_INVALID_VALUE
    if status == CUDA_SUCCESS:
        device[0] = context.device
    return status


cdef inline CUresult synchronize_with(CUcontext given) noexcept nogil:
    cdef cuda_context *context = NULL
    cdef int before = 0
    cdef CUresult status = chosen(given, &context)
    if status != CUDA_SUCCESS:
        return status
    dg_hip.hipGetDevice(&before)
    if before != context.device:
        dg_hip.hipSetDevice(context.device)
    status = of_hip(dg_hip.hipDeviceSynchronize())
    if before != context.device:
        dg_hip.hipSetDevice(before)
    return status
