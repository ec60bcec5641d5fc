# Managed memory and the place it should be at. Included by memory.pxi and since13.pxi.


cdef inline bint device_of_place(const cudaMemLocation *location, int *device) noexcept nogil:
    """HIP's number of a place: a device's own, -1 for the host. Parts of the host's memory are the host."""
    cdef const cudart_place *place = <const cudart_place *>location
    if place.type == 1:
        device[0] = place.id
    else:
        device[0] = -1
    return 1 <= place.type <= 4


cdef inline cudaError_t prefetch(
    const void *pointer, size_t count, cudaMemLocation location, unsigned int flags, cudaStream_t stream
) noexcept nogil:
    cdef int device = 0
    if flags != 0 or not device_of_place(&location, &device):
        return refused(cudaErrorInvalidValue)
    return of_hip(dg_hip.hipMemPrefetchAsync(pointer, count, device, stream))


cdef inline cudaError_t advise(
    const void *pointer, size_t count, cudaMemoryAdvise advice, cudaMemLocation location
) noexcept nogil:
    cdef int device = 0
    if not device_of_place(&location, &device):
        return refused(cudaErrorInvalidValue)
    return of_hip(dg_hip.hipMemAdvise(pointer, count, advice, device))
