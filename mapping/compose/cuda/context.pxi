# Contexts of the driver: see contexts.h for what they are here.
include "common.pxi"
include "cudart/limits.pxi"
include "creation.pxi"

cdef extern from "dark.h" nogil:
    void dark_context_ends(void *context)


# ---- primary contexts

cdef inline CUresult primary_retain(CUcontext *context, CUdevice device) noexcept nogil:
    cdef CUresult status = known_device(device)
    cdef void *primary
    if status == CUDA_SUCCESS and context == NULL:
        status = CUDA_ERROR_INVALID_VALUE
    if status != CUDA_SUCCESS:
        return status
    primary = cuda_primary(device, 1)
    if primary == NULL:
        return CUDA_ERROR_OUT_OF_MEMORY
    context[0] = <CUcontext>primary
    return CUDA_SUCCESS


cdef inline CUresult primary_release(CUdevice device) noexcept nogil:
    cdef CUresult status = known_device(device)
    if status == CUDA_SUCCESS and not cuda_primary_release(device):
        status = CUDA_ERROR_INVALID_CONTEXT
    return status


cdef inline CUresult primary_reset(CUdevice device) noexcept nogil:
    """All that the process has on the device goes, whoever holds it."""
    cdef int before = 0
    cdef CUresult status = known_device(device)
    if status != CUDA_SUCCESS:
        return status
    dark_context_ends(cuda_primary(device, 0))
    dg_hip.hipGetDevice(&before)
    dg_hip.hipSetDevice(device)
    status = of_hip(dg_hip.hipDeviceReset())
    dg_limits_forget(device)
    dg_hip.hipSetDevice(before)
    return status


cdef inline CUresult primary_set_flags(CUdevice device, unsigned int flags) noexcept nogil:
    cdef CUresult status = known_device(device)
    if status == CUDA_SUCCESS and (flags > 255 or (flags & 7) == 3 or (flags & 7) > 4):
        status = CUDA_ERROR_INVALID_VALUE
    if status == CUDA_SUCCESS:
        cuda_primary_flags(device)[0] = flags
    return status


cdef inline CUresult primary_state(CUdevice device, unsigned int *flags, int *active) noexcept nogil:
    cdef CUresult status = known_device(device)
    if status != CUDA_SUCCESS:
        return status
    if flags == NULL or active == NULL:
        return CUDA_ERROR_INVALID_VALUE
    flags[0] = cuda_primary_flags(device)[0]
    active[0] = 1 if cuda_primary_held(device) else 0
    return CUDA_SUCCESS


# ---- contexts of the program's own

cdef inline CUresult context_create_share(
    CUcontext *context, CUexecAffinityParam *shares, int count, unsigned int flags, CUdevice device
) noexcept nogil:
    if count < 0 or (count > 0) != (shares != NULL):
        return CUDA_ERROR_INVALID_VALUE
    return CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY if count else context_create(context, flags, device)


cdef inline CUresult context_destroy(CUcontext context) noexcept nogil:
    """The device's memory stays: HIP keeps it by device, and another context of the device may use it."""
    cdef cuda_context *c = context_of(<void *>context)
    cdef CUresult status = awake()
    if status != CUDA_SUCCESS:
        return status
    if context == NULL:
        return CUDA_ERROR_INVALID_VALUE
    if c == NULL or c.primary or dg_the_core.slot_retire(c, DG_CONTEXT) != DG_OK:
        return CUDA_ERROR_INVALID_CONTEXT
    dark_context_ends(c)
    cuda_forget(c)
    dg_the_core.slot_free(c)
    return use(current())


cdef inline CUresult context_push(CUcontext context) noexcept nogil:
    cdef CUresult status = awake()
    if status != CUDA_SUCCESS:
        return status
    if context == NULL:
        return CUDA_ERROR_INVALID_VALUE
    if context_of(<void *>context) == NULL:
        return CUDA_ERROR_INVALID_CONTEXT
    if not cuda_push(<void *>context):
        return CUDA_ERROR_OUT_OF_MEMORY
    return use(<void *>context)


cdef inline CUresult context_pop(CUcontext *context) noexcept nogil:
    cdef void *top
    cdef CUresult status = awake()
    if status != CUDA_SUCCESS:
        return status
    top = cuda_pop()
    if top == NULL:
        return CUDA_ERROR_INVALID_CONTEXT
    if context != NULL:
        context[0] = <CUcontext>top
    return use(current())


cdef inline CUresult context_set(CUcontext context) noexcept nogil:
    cdef CUresult status = awake()
    if status != CUDA_SUCCESS:
        return status
    if context != NULL and context_of(<void *>context) == NULL:
        return CUDA_ERROR_INVALID_CONTEXT
    cuda_set(<void *>context)
    return use(<void *>context)


cdef inline CUresult context_get(CUcontext *context) noexcept nogil:
    cdef CUresult status = awake()
    if status != CUDA_SUCCESS:
        return status
    if context == NULL:
        return CUDA_ERROR_INVALID_VALUE
    context[0] = <CUcontext>current()
    return CUDA_SUCCESS


cdef inline CUresult context_device(CUdevice *device) noexcept nogil:
    cdef CUresult status = at_work()
    if status == CUDA_SUCCESS and device == NULL:
        status = CUDA_ERROR_INVALID_VALUE
    if status == CUDA_SUCCESS:
        device[0] = (<cuda_context *>current()).device
    return status


cdef inline CUresult context_flags(unsigned int *flags) noexcept nogil:
    cdef CUresult status = at_work()
    cdef cuda_context *c
    if status == CUDA_SUCCESS and flags == NULL:
        status = CUDA_ERROR_INVALID_VALUE
    if status != CUDA_SUCCESS:
        return status
    c = <cuda_context *>current()
    flags[0] = cuda_primary_flags(c.device)[0] if c.primary else c.flags
    return CUDA_SUCCESS


cdef inline CUresult context_api_version(CUcontext context, unsigned int *version) noexcept nogil:
    cdef CUresult status = awake()
    if status != CUDA_SUCCESS:
        return status
    if version == NULL or (context != NULL and context_of(<void *>context) == NULL):
        return CUDA_ERROR_INVALID_VALUE if version == NULL else CUDA_ERROR_INVALID_CONTEXT
    version[0] = 3020
    return CUDA_SUCCESS


cdef inline CUresult context_synchronize() noexcept nogil:
    cdef CUresult status = at_work()
    return of_hip(dg_hip.hipDeviceSynchronize()) if status == CUDA_SUCCESS else status


cdef inline CUresult context_get_limit(size_t *value, CUlimit limit) noexcept nogil:
    cdef CUresult status = at_work()
    return of_hip(limit_get(value, <unsigned int>limit)) if status == CUDA_SUCCESS else status


cdef inline CUresult context_set_limit(CUlimit limit, size_t value) noexcept nogil:
    cdef CUresult status = at_work()
    return of_hip(limit_set(<unsigned int>limit, value)) if status == CUDA_SUCCESS else status


cdef inline CUresult context_priority_range(int *least, int *greatest) noexcept nogil:
    """Least is 0 with CUDA and 1 with HIP; 0 is the default of both."""
    cdef int low = 0, high = 0
    cdef CUresult status = at_work()
    if status == CUDA_SUCCESS:
        status = of_hip(dg_hip.hipDeviceGetStreamPriorityRange(&low, &high))
    if status == CUDA_SUCCESS and least != NULL:
        least[0] = 0
    if status == CUDA_SUCCESS and greatest != NULL:
        greatest[0] = high
    return status


# ---- preferences that AMD's cards have no use for: the split is told back, the banks are not

cdef inline CUresult context_get_cache(CUfunc_cache *config) noexcept nogil:
    cdef CUresult status = at_work()
    return of_hip(split_get(<uint32_t *>config)) if status == CUDA_SUCCESS else status


cdef inline CUresult context_set_cache(CUfunc_cache config) noexcept nogil:
    cdef CUresult status = at_work()
    return of_hip(split_set(<uint32_t>config)) if status == CUDA_SUCCESS else status


cdef inline CUresult context_get_banks(CUsharedconfig *config) noexcept nogil:
    cdef CUresult status = at_work()
    if status == CUDA_SUCCESS and config == NULL:
        status = CUDA_ERROR_INVALID_VALUE
    if status == CUDA_SUCCESS:
        config[0] = CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE
    return status


cdef inline CUresult context_set_banks(CUsharedconfig config) noexcept nogil:
    cdef CUresult status = at_work()
    return CUDA_ERROR_INVALID_VALUE if status == CUDA_SUCCESS and <unsigned int>config > 2 else status
