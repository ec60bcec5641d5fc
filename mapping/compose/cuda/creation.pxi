# Making contexts. Included by context.pxi and later.pxi, after common.pxi.


cdef inline CUresult known_device(CUdevice device) noexcept nogil:
    cdef int count = 0
    cdef CUresult status = awake()
    if status == CUDA_SUCCESS:
        status = of_hip(dg_hip.hipGetDeviceCount(&count))
    if status == CUDA_SUCCESS and not (0 <= device < count and device < CUDA_DEVICES):
        status = CUDA_ERROR_INVALID_DEVICE
    return status


cdef inline cuda_context *context_of(const void *context) noexcept nogil:
    if dg_the_core.slot_check(context, DG_CONTEXT) != DG_OK:
        return NULL
    return <cuda_context *>context


cdef inline CUresult use(void *context) noexcept nogil:
    """HIP's current device follows the context on top of the stack."""
    cdef cuda_context *c = context_of(context)
    return of_hip(dg_hip.hipSetDevice(c.device)) if c != NULL else CUDA_SUCCESS


cdef inline CUresult context_create(CUcontext *context, unsigned int flags, CUdevice device) noexcept nogil:
    cdef cuda_context *made
    cdef CUresult status = known_device(device)
    if status != CUDA_SUCCESS:
        return status
    if context == NULL or flags > 255 or (flags & 7) == 3 or (flags & 7) > 4:
        return CUDA_ERROR_INVALID_VALUE
    made = <cuda_context *>dg_the_core.slot_new(DG_CONTEXT)
    if made == NULL:
        return CUDA_ERROR_OUT_OF_MEMORY
    made.device = device
    made.flags = flags
    if not cuda_push(made):
        dg_the_core.slot_free(made)
        return CUDA_ERROR_OUT_OF_MEMORY
    context[0] = <CUcontext>made
    return use(made)
