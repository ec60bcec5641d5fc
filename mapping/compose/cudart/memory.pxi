# Memory of the CUDA runtime: what one call of HIP does not answer.
include "common.pxi"
include "memory_place.pxi"
include "cudart/rows.pxi"


cdef inline cudaError_t managed_alloc(void **pointer, size_t size, unsigned int flags) noexcept nogil:
    """CUDA gives NULL for no bytes, HIP refuses them."""
    if size == 0 and pointer != NULL and (flags == 1 or flags == 2):
        pointer[0] = NULL
        return cudaSuccess
    return of_hip(dg_hip.hipMallocManaged(pointer, size, flags))


cdef inline cudaError_t range_attribute(
    void *data, size_t size, uint32_t attribute, const void *pointer, size_t count
) noexcept nogil:
    """Since CUDA 12 a place is also told as a kind and a number: 5 and 6 of the preferred one, 7 and 8 of the last
    prefetch. HIP tells a number alone: a device, -1 for the host, -2 for none."""
    cdef uint32_t asked = attribute
    cdef int32_t place
    cdef cudaError_t status
    if 5 <= attribute <= 8:
        asked = 2 if attribute <= 6 else 4
    if data == NULL or count == 0 or size == 0 or size % 4 or not 1 <= asked <= 4 or (asked != 3 and size != 4):
        return refused(cudaErrorInvalidValue)
    status = of_hip(dg_hip.hipMemRangeGetAttribute(data, size, <int>asked, pointer, count))
    if status == cudaSuccess and (attribute == 5 or attribute == 7):
        place = (<int32_t *>data)[0]
        (<int32_t *>data)[0] = 1 if place >= 0 else 2 if place == -1 else 0
    return status


cdef inline cudaError_t range_attributes(
    void **data, size_t *sizes, cudaMemRangeAttribute *attributes, size_t n, const void *pointer, size_t count
) noexcept nogil:
    cdef cudaError_t status = cudaSuccess
    cdef size_t i
    if data == NULL or sizes == NULL or attributes == NULL or n == 0:
        return refused(cudaErrorInvalidValue)
    for i in range(n):
        if status == cudaSuccess:
            status = range_attribute(data[i], sizes[i], <uint32_t>attributes[i], pointer, count)
    return status


cdef inline cudaError_t malloc_pitch(void **pointer, size_t *pitch, size_t width, size_t height) noexcept nogil:
    return of_hip(pitched_alloc(pointer, pitch, width, height))


cdef inline cudaError_t malloc_box(cudaPitchedPtr *box, cudaExtent extent) noexcept nogil:
    """Rows as cudaMallocPitch has them; the width that is told back is the one that was asked for."""
    cdef size_t *sizes = <size_t *>&extent  # width, height, depth
    cdef size_t width = sizes[0]
    cdef uint32_t error
    sizes[0] = row_bytes(width)
    if sizes[0] < width:
        return refused(cudaErrorMemoryAllocation)
    error = dg_hip.hipMalloc3D(box, (<hipExtent *>sizes)[0])
    if error == 0:
        (<cudart_pitched *>box).xsize = width
    return of_hip(error)


cdef inline cudaError_t host_register(void *pointer, size_t size, unsigned int flags) noexcept nogil:
    """CUDA has four flags; HIP takes bits that it gives no meaning. Memory of the program's is none of a
    device's (flag 4)."""
    cdef bint right = flags <= 15 and not flags & 4
    return of_hip(dg_hip.hipHostRegister(pointer, size, flags)) if right else refused(cudaErrorInvalidValue)


cdef inline cudaError_t host_flags(unsigned int *flags, void *pointer) noexcept nogil:
    """Page-locked memory is always mapped (2) where addresses are unified."""
    cdef cudaError_t status = of_hip(dg_hip.hipHostGetFlags(flags, pointer))
    if status == cudaSuccess:
        flags[0] |= 2
    return status


cdef inline cudaError_t memory_info(size_t *free, size_t *total) noexcept nogil:
    """Either may be NULL; AMD's wants both."""
    cdef size_t[2] sizes
    cdef cudaError_t status = of_hip(dg_hip.hipMemGetInfo(&sizes[0], &sizes[1]))
    if status == cudaSuccess and free is not NULL:
        free[0] = sizes[0]
    if status == cudaSuccess and total is not NULL:
        total[0] = sizes[1]
    return status


cdef inline cudaError_t pointer_attributes(cudaPointerAttributes *attributes, const void *pointer) noexcept nogil:
    """What all versions have in common is written, and zeros into the reserve of CUDA 13."""
    cdef cudart_pointer *answer = <cudart_pointer *>attributes
    cdef dg_hip_pointer hip
    cdef uint32_t error
    cdef int version = 0
    if attributes == NULL:
        return refused(cudaErrorInvalidValue)
    answer.type = cudaMemoryTypeUnregistered
    answer.device = -2
    answer.device_pointer = NULL
    answer.host_pointer = <void *>pointer
    if dg_own_library.cuda_major >= 13:
        memset(answer + 1, 0, CUDART_POINTER_RESERVE)
    if pointer == NULL:
        return cudaSuccess
    memset(&hip, 0, sizeof(hip))
    error = dg_hip.hipPointerGetAttributes(&hip, pointer)
    if error == hipErrorInvalidValue:
        dg_hip.hipGetLastError()  # some releases call unregistered memory an error; CUDA does not
        return cudaSuccess
    if error != 0:
        return of_hip(error)
    dg_hip.hipRuntimeGetVersion(&version)
    if version < 60000000:
        # ROCm 5 counts otherwise: host 0, device 1
        hip.type = cudaMemoryTypeManaged if hip.managed else hip.type + 1
    elif hip.managed:
        hip.type = cudaMemoryTypeManaged
    if hip.type == cudaMemoryTypeUnregistered or hip.type > cudaMemoryTypeManaged:
        return cudaSuccess
    answer.type = hip.type
    answer.device = hip.device
    if hip.type == cudaMemoryTypeHost:
        answer.device_pointer = hip.device_pointer if hip.device_pointer != NULL else <void *>pointer
    else:
        answer.device_pointer = <void *>pointer
    if hip.type == cudaMemoryTypeDevice:
        answer.host_pointer = NULL
    return cudaSuccess


cdef inline bint same_box(const cudaMemcpy3DPeerParms *given, cudart_box *box) noexcept nogil:
    """The same copy without the devices: addresses tell HIP which they are."""
    cdef const cudart_peer_box *peer = <const cudart_peer_box *>given
    if peer == NULL or peer.src.array != NULL or peer.dst.array != NULL:
        return False
    box.src = peer.src
    box.dst = peer.dst
    memcpy(box.extent, peer.extent, sizeof(peer.extent))
    box.kind = cudaMemcpyDefault
    return True


cdef inline cudaError_t copy_box_peer(const cudaMemcpy3DPeerParms *given) noexcept nogil:
    cdef cudart_box box
    if not same_box(given, &box):
        return refused(cudaErrorInvalidValue)
    return of_hip(dg_hip.hipMemcpy3D(<const cudaMemcpy3DParms *>&box))


cdef inline cudaError_t copy_box_peer_async(const cudaMemcpy3DPeerParms *given, cudaStream_t stream) noexcept nogil:
    cdef cudart_box box
    if not same_box(given, &box):
        return refused(cudaErrorInvalidValue)
    return of_hip(dg_hip.hipMemcpy3DAsync(<const cudaMemcpy3DParms *>&box, stream))


cdef inline cudaError_t copy_attributes(
    void *dst, const void *src, size_t size, cudaMemcpyAttributes *attributes, cudaStream_t stream
) noexcept nogil:
    """The attributes are hints about when and where the source may be read: any order will do."""
    if attributes == NULL:
        return refused(cudaErrorInvalidValue)
    return of_hip(dg_hip.hipMemcpyAsync(dst, src, size, cudaMemcpyDefault, stream))
