# Memory pools of a place: the place must be a device, HIP has no pools of host memory.
include "common.pxi"


cdef inline cudaError_t free_async(void *pointer, cudaStream_t stream) noexcept nogil:
    """Freeing nothing succeeds with CUDA, and not with HIP."""
    return of_hip(dg_hip.hipFreeAsync(pointer, stream)) if pointer != NULL else cudaSuccess


cdef inline cudaError_t pool_place(
    const cudaMemLocation *location, cudaMemAllocationType type, int *device
) noexcept nogil:
    cdef const cudart_place *place = <const cudart_place *>location
    if place == NULL:
        return refused(cudaErrorInvalidValue)
    if place.type != 1 or type != 1:  # a device, pinned memory
        return refused(cudaErrorNotSupported)
    device[0] = place.id
    return cudaSuccess


cdef inline cudaError_t default_pool_at(
    cudaMemPool_t *pool, cudaMemLocation *location, cudaMemAllocationType type
) noexcept nogil:
    cdef int device = 0
    cdef cudaError_t status = pool_place(location, type, &device)
    return of_hip(dg_hip.hipDeviceGetDefaultMemPool(pool, device)) if status == cudaSuccess else status


cdef inline cudaError_t pool_at(
    cudaMemPool_t *pool, cudaMemLocation *location, cudaMemAllocationType type
) noexcept nogil:
    cdef int device = 0
    cdef cudaError_t status = pool_place(location, type, &device)
    return of_hip(dg_hip.hipDeviceGetMemPool(pool, device)) if status == cudaSuccess else status


cdef inline cudaError_t set_pool_at(
    cudaMemLocation *location, cudaMemAllocationType type, cudaMemPool_t pool
) noexcept nogil:
    cdef int device = 0
    cdef cudaError_t status = pool_place(location, type, &device)
    return of_hip(dg_hip.hipDeviceSetMemPool(device, pool)) if status == cudaSuccess else status
