# cython: language_level=3, cdivision=True, boundscheck=False, wraparound=False
"""Memory of the CPU backend's HIP runtime: device, pinned, managed and registered memory, and what a pointer is.

All of it is host memory; its kind is remembered, so that the wrong free and the wrong query answer as AMD's do.
"""
include "hip.pxi"
include "state.pxi"
include "node.pxi"
include "capture.pxi"

cdef extern from "host.h" nogil:
    int host_mapped(const void *memory, size_t bytes)


cdef hipError_t taken(void **ptr, size_t size, int kind, unsigned flags, host_slot *pool) noexcept nogil:
    """Taking and giving back may wait for all that runs, so CUDA refuses both while a stream is captured; not what
    takes nothing."""
    cdef hipError_t error = host_forbidden() if size else hipSuccess
    return error if error != hipSuccess else host_fail(host_take(ptr, size, kind, flags, pool))


cdef hipError_t given(void *ptr, int kind, int other_kind) noexcept nogil:
    """A NULL is refused as well."""
    cdef hipError_t error = host_forbidden()
    return error if error != hipSuccess else host_fail(host_give(ptr, kind, other_kind))


cdef bint on_device(const host_block *block) noexcept nogil:
    return block.kind == HOST_DEVICE or block.kind == HOST_GRAPHS


# ---- device memory ----

cdef public hipError_t hipMalloc(void **ptr, size_t size) noexcept nogil:
    return taken(ptr, size, HOST_DEVICE, 0, NULL)


cdef public hipError_t hipExtMallocWithFlags(void **ptr, size_t size, unsigned int flags) noexcept nogil:
    return taken(ptr, size, HOST_DEVICE, flags, NULL)


cdef public hipError_t hipFree(void *ptr) noexcept nogil:
    return given(ptr, HOST_DEVICE, HOST_MANAGED)


cdef public hipError_t hipMallocManaged(void **ptr, size_t size, unsigned int flags) noexcept nogil:
    if size == 0 or (flags != hipMemAttachGlobal and flags != hipMemAttachHost):
        return host_fail(hipErrorInvalidValue)
    return taken(ptr, size, HOST_MANAGED, flags, NULL)


cdef size_t pitch_of(size_t width) noexcept nogil:
    """A row's bytes, rounded up to 256; 0 where that does not fit."""
    return (width + 255) & ~<size_t>255


cdef public hipError_t hipMallocPitch(void **ptr, size_t *pitch, size_t width, size_t height) noexcept nogil:
    cdef size_t row = pitch_of(width)
    if ptr == NULL or pitch == NULL:
        return host_fail(hipErrorInvalidValue)
    if width == 0 or height == 0:
        ptr[0] = NULL
        pitch[0] = 0
        return hipSuccess
    if row < width or height > <size_t>-1 / row:
        return host_fail(hipErrorOutOfMemory)
    pitch[0] = row
    return taken(ptr, row * height, HOST_DEVICE, 0, NULL)


cdef public hipError_t hipMemAllocPitch(
    hipDeviceptr_t *ptr, size_t *pitch, size_t width, size_t height, unsigned int element
) noexcept nogil:
    if element != 4 and element != 8 and element != 16:
        return host_fail(hipErrorInvalidValue)
    return hipMallocPitch(ptr, pitch, width, height)


cdef public hipError_t hipMalloc3D(hipPitchedPtr *pitched, hipExtent extent) noexcept nogil:
    cdef hipError_t error
    if pitched == NULL:
        return host_fail(hipErrorInvalidValue)
    if extent.depth and extent.height > <size_t>-1 / extent.depth:
        return host_fail(hipErrorOutOfMemory)
    error = hipMallocPitch(&pitched.ptr, &pitched.pitch, extent.width, extent.height * extent.depth)
    if error == hipSuccess:
        pitched.xsize = extent.width
        pitched.ysize = extent.height
    return error


# ---- host memory ----

cdef public hipError_t hipHostMalloc(void **ptr, size_t size, unsigned int flags) noexcept nogil:
    # portable, mapped, write-combined; HIP's own options are the upper four bits
    if flags & 0x0ffffff8u:
        return host_fail(hipErrorInvalidValue)
    return taken(ptr, size, HOST_PINNED, flags, NULL)


cdef public hipError_t hipHostAlloc(void **ptr, size_t size, unsigned int flags) noexcept nogil:
    return hipHostMalloc(ptr, size, flags)


cdef public hipError_t hipMemAllocHost(void **ptr, size_t size) noexcept nogil:
    return taken(ptr, size, HOST_PINNED, 0, NULL)


cdef public hipError_t hipMallocHost(void **ptr, size_t size) noexcept nogil:
    return taken(ptr, size, HOST_PINNED, 0, NULL)


cdef public hipError_t hipHostFree(void *ptr) noexcept nogil:
    return given(ptr, HOST_PINNED, HOST_PINNED)


cdef public hipError_t hipFreeHost(void *ptr) noexcept nogil:
    return given(ptr, HOST_PINNED, HOST_PINNED)


cdef public hipError_t hipHostRegister(void *ptr, size_t size, unsigned int flags) noexcept nogil:
    """Memory that is not there cannot be pinned."""
    cdef hipError_t error = host_forbidden()
    if error != hipSuccess:
        return error
    if not host_mapped(ptr, size):
        return host_fail(hipErrorInvalidValue)
    return host_fail(host_register(ptr, size, flags))


cdef public hipError_t hipHostUnregister(void *ptr) noexcept nogil:
    return host_forbidden() or host_fail(host_unregister(ptr))


cdef public hipError_t hipHostGetDevicePointer(void **device, void *host, unsigned int flags) noexcept nogil:
    cdef host_block block
    if device == NULL or flags != 0 or host_find(host, &block) == 0 or on_device(&block):
        return host_fail(hipErrorInvalidValue)
    device[0] = host
    return hipSuccess


cdef public hipError_t hipHostGetFlags(unsigned int *flags, void *host) noexcept nogil:
    cdef host_block block
    if flags == NULL or host_find(host, &block) == 0 or on_device(&block) or block.kind == HOST_MANAGED:
        return host_fail(hipErrorInvalidValue)
    flags[0] = block.flags
    return hipSuccess


# ---- questions ----

cdef public hipError_t hipMemGetInfo(size_t *free_bytes, size_t *total_bytes) noexcept nogil:
    """Total is the machine's memory; free is what the system can still give, never more than total less our own."""
    cdef size_t total = host_memory_total(), used = host_used(), available = host_memory_available()
    if free_bytes == NULL or total_bytes == NULL:
        return host_fail(hipErrorInvalidValue)
    used = total - used if used < total else 0
    free_bytes[0] = available if available != 0 and available < used else used
    total_bytes[0] = total
    return hipSuccess


cdef public hipError_t hipPointerGetAttributes(hipPointerAttribute_t *attributes, const void *ptr) noexcept nogil:
    cdef host_block block
    if attributes == NULL or ptr == NULL:
        return host_fail(hipErrorInvalidValue)
    memset(attributes, 0, sizeof(hipPointerAttribute_t))
    if host_find(ptr, &block) == 0:
        # Memory from elsewhere is unregistered host memory, and no error.
        attributes.type = hipMemoryTypeUnregistered
        attributes.device = -2
        attributes.hostPointer = <void *>ptr
        return hipSuccess
    attributes.devicePointer = <void *>ptr
    attributes.allocationFlags = block.flags
    if on_device(&block):
        attributes.type = hipMemoryTypeDevice
    elif block.kind == HOST_MANAGED:
        attributes.type = hipMemoryTypeManaged
        attributes.isManaged = 1
        attributes.hostPointer = <void *>ptr
    else:
        attributes.type = hipMemoryTypeHost
        attributes.hostPointer = <void *>ptr
    return hipSuccess


cdef public hipError_t hipPointerGetAttribute(void *data, int attribute, hipDeviceptr_t ptr) noexcept nogil:
    """The driver's way to ask; the numbers are hipPointer_attribute's."""
    cdef host_block block
    if data == NULL or ptr == NULL or host_find(ptr, &block) == 0:
        return host_fail(hipErrorInvalidValue)
    if attribute == 2:    # memory type
        (<unsigned int *>data)[0] = hipMemoryTypeDevice if on_device(&block) else (
            hipMemoryTypeManaged if block.kind == HOST_MANAGED else hipMemoryTypeHost)
    elif attribute == 3:  # as the device sees it
        (<void **>data)[0] = ptr
    elif attribute == 4:  # as the host sees it: this device's memory is not promised to the host
        if on_device(&block):
            (<void **>data)[0] = NULL
            return host_fail(hipErrorInvalidValue)
        (<void **>data)[0] = ptr
    elif attribute == 7:  # an identity of the block
        (<uint64_t *>data)[0] = <uint64_t>block.base
    elif attribute == 8:
        (<int *>data)[0] = block.kind == HOST_MANAGED
    elif attribute == 9:  # device
        (<int *>data)[0] = 0
    elif attribute == 11:
        (<void **>data)[0] = <void *>block.base
    elif attribute == 12:
        (<size_t *>data)[0] = block.size
    elif attribute == 13:
        (<int *>data)[0] = 1
    else:
        return host_fail(hipErrorNotSupported)
    return hipSuccess


cdef public hipError_t hipMemGetAddressRange(hipDeviceptr_t *base, size_t *size, hipDeviceptr_t ptr) noexcept nogil:
    cdef host_block block
    if host_find(ptr, &block) == 0:
        return host_fail(hipErrorInvalidValue)
    if base != NULL:
        base[0] = <void *>block.base
    if size != NULL:
        size[0] = block.size
    return hipSuccess


cdef public hipError_t hipMemPtrGetInfo(void *ptr, size_t *size) noexcept nogil:
    cdef host_block block
    if ptr == NULL or size == NULL or host_find(ptr, &block) == 0:
        return host_fail(hipErrorInvalidValue)
    size[0] = block.size
    return hipSuccess


# ---- advice: there is one memory, so all of it is already where it should be; what was said reads back, by block ----

cdef public hipError_t hipMemPrefetchAsync(const void *ptr, size_t size, int device, hipStream_t stream) noexcept nogil:
    cdef host_block block
    if device < -1 or device > 0:
        return host_fail(hipErrorInvalidDevice)
    if not host_is_stream(stream) or size == 0 or host_find(ptr, &block) == 0 or block.kind != HOST_MANAGED:
        return host_fail(hipErrorInvalidValue)
    host_advise(ptr, 0, device)
    return hipSuccess


cdef public hipError_t hipMemAdvise(const void *ptr, size_t size, int advice, int device) noexcept nogil:
    cdef host_block block
    if device < -1 or device > 0:
        return host_fail(hipErrorInvalidDevice)
    # 1 to 6 are CUDA's too; 100 and 101 are AMD's own, of coarse grain
    if not (1 <= advice <= 6 or 100 <= advice <= 101):
        return host_fail(hipErrorInvalidValue)
    if size == 0 or host_find(ptr, &block) == 0 or block.kind != HOST_MANAGED:
        return host_fail(hipErrorInvalidValue)
    if advice <= 6:
        host_advise(ptr, advice, device)
    return hipSuccess


cdef public hipError_t hipMemRangeGetAttribute(
    void *data, size_t size, int attribute, const void *ptr, size_t count
) noexcept nogil:
    """Of one managed block. Places are devices, -1 (the host) or -2 (none); who accesses it is a list of places."""
    cdef host_block block
    cdef int32_t *answer = <int32_t *>data
    cdef size_t i, n = 0
    if data == NULL or size == 0 or size % 4 or not 1 <= attribute <= 4 or (attribute != 3 and size != 4):
        return host_fail(hipErrorInvalidValue)
    if count == 0 or host_find(ptr, &block) == 0 or block.kind != HOST_MANAGED:
        return host_fail(hipErrorInvalidValue)
    if count > block.size - (<uintptr_t>ptr - block.base):
        return host_fail(hipErrorInvalidValue)
    if attribute == 1:
        answer[0] = block.read_mostly
    elif attribute == 2:
        answer[0] = <int32_t>block.preferred - 2 if block.preferred else -2
    elif attribute == 4:
        answer[0] = <int32_t>block.prefetched - 2 if block.prefetched else -2
    else:
        for i in range(size // 4):
            answer[i] = -2
        if block.accessed & 1:
            answer[0] = 0
            n = 1
        if block.accessed & 2 and n < size // 4:
            answer[n] = -1
    return hipSuccess


cdef public hipError_t hipStreamAttachMemAsync(
    hipStream_t stream, void *ptr, size_t length, unsigned int flags
) noexcept nogil:
    """A whole block: its size, or 0."""
    cdef host_block block
    if not host_is_stream(stream) or host_find(ptr, &block) == 0 or block.kind != HOST_MANAGED:
        return host_fail(hipErrorInvalidValue)
    if length != 0 and (block.base != <uintptr_t>ptr or block.size != length):
        return host_fail(hipErrorInvalidValue)
    return hipSuccess


# ---- stream-ordered memory: a stream's work is done when its call returns, so order is kept by itself ----

cdef hipError_t taken_on(hipStream_t stream, void **ptr, size_t size, host_slot *pool) noexcept nogil:
    cdef int captured = host_capture(stream)
    if captured > 0:
        return captured
    if captured < 0 and ptr != NULL:
        return host_capture_alloc(stream, ptr, size)
    return host_fail(host_take(ptr, size, HOST_DEVICE, 0, pool))


cdef public hipError_t hipMallocAsync(void **ptr, size_t size, hipStream_t stream) noexcept nogil:
    if not host_is_stream(stream):
        return host_fail(hipErrorInvalidHandle)
    return taken_on(stream, ptr, size, host_current_pool(NULL))


cdef public hipError_t hipMallocFromPoolAsync(
    void **ptr, size_t size, hipMemPool_t pool, hipStream_t stream
) noexcept nogil:
    cdef host_slot *slot = host_slot_of(pool, HOST_POOL)
    if not host_is_stream(stream):
        return host_fail(hipErrorInvalidHandle)
    if slot == NULL:
        return host_fail(hipErrorInvalidValue)
    return taken_on(stream, ptr, size, slot)


cdef public hipError_t hipFreeAsync(void *ptr, hipStream_t stream) noexcept nogil:
    cdef host_block block
    cdef int captured
    if not host_is_stream(stream):
        return host_fail(hipErrorInvalidHandle)
    if ptr == NULL:
        return host_fail(hipErrorInvalidValue)
    captured = host_capture(stream)
    if captured > 0:
        return captured
    if host_find(ptr, &block) and block.kind == HOST_GRAPHS and block.base == <uintptr_t>ptr:  # goes with its graph
        return host_record(stream, HOST_NODE_FREE, NULL, NULL, 0) if captured < 0 else hipSuccess
    if captured < 0:
        return host_refuse_capture(stream)
    return host_fail(host_give(ptr, HOST_DEVICE, HOST_DEVICE))


cdef public hipError_t hipDeviceGetDefaultMemPool(hipMemPool_t *pool, int device) noexcept nogil:
    if pool == NULL:
        return host_fail(hipErrorInvalidValue)
    if device != 0:
        return host_fail(hipErrorInvalidDevice)
    pool[0] = host_default_pool()
    return hipSuccess


cdef public hipError_t hipDeviceGetMemPool(hipMemPool_t *pool, int device) noexcept nogil:
    if pool == NULL:
        return host_fail(hipErrorInvalidValue)
    if device != 0:
        return host_fail(hipErrorInvalidDevice)
    pool[0] = host_current_pool(NULL)
    return hipSuccess


cdef public hipError_t hipDeviceSetMemPool(int device, hipMemPool_t pool) noexcept nogil:
    cdef host_slot *slot = host_slot_of(pool, HOST_POOL)
    if slot == NULL:
        return host_fail(hipErrorInvalidValue)
    if device != 0:
        return host_fail(hipErrorInvalidDevice)
    host_current_pool(slot)
    return hipSuccess


cdef public hipError_t hipMemPoolCreate(hipMemPool_t *pool, const hipMemPoolProps *props) noexcept nogil:
    cdef host_slot *slot
    # 1 is "pinned" and "device"; handles to share memory between processes are not made here
    if pool == NULL or props == NULL or props.allocType != 1 or props.handleTypes != 0:
        return host_fail(hipErrorInvalidValue)
    if props.location.type != 1 or props.location.id != 0:
        return host_fail(hipErrorInvalidValue)
    slot = host_slot_new(HOST_POOL, NULL)
    if slot == NULL:
        return host_fail(hipErrorOutOfMemory)
    slot.reuse[1] = slot.reuse[2] = slot.reuse[3] = 1
    pool[0] = slot
    return hipSuccess


cdef public hipError_t hipMemPoolDestroy(hipMemPool_t pool) noexcept nogil:
    cdef host_slot *slot = host_slot_of(pool, HOST_POOL)
    if slot == NULL or slot == host_default_pool():
        return host_fail(hipErrorInvalidValue)
    host_slot_free(slot)
    return hipSuccess


cdef public hipError_t hipMemPoolTrimTo(hipMemPool_t pool, size_t keep) noexcept nogil:
    """Freed memory goes back at once: there is nothing to trim."""
    return hipSuccess if host_slot_of(pool, HOST_POOL) != NULL else host_fail(hipErrorInvalidValue)


cdef public hipError_t hipMemPoolSetAttribute(hipMemPool_t pool, int attribute, void *value) noexcept nogil:
    cdef uint64_t used = 0, most = 0
    cdef host_slot *slot = host_slot_of(pool, HOST_POOL)
    if slot == NULL or value == NULL:
        return host_fail(hipErrorInvalidValue)
    if 1 <= attribute <= 3:
        slot.reuse[attribute] = (<int *>value)[0]
    elif attribute == 4:
        slot.threshold = (<uint64_t *>value)[0]
    elif (attribute == 6 or attribute == 8) and (<uint64_t *>value)[0] == 0:
        host_pool_use(slot, &used, &most, 1)
    else:
        return host_fail(hipErrorInvalidValue)
    return hipSuccess


cdef public hipError_t hipMemPoolGetAttribute(hipMemPool_t pool, int attribute, void *value) noexcept nogil:
    cdef uint64_t used = 0, most = 0
    cdef host_slot *slot = host_slot_of(pool, HOST_POOL)
    if slot == NULL or value == NULL:
        return host_fail(hipErrorInvalidValue)
    if 1 <= attribute <= 3:
        (<int *>value)[0] = slot.reuse[attribute]
    elif attribute == 4:
        (<uint64_t *>value)[0] = slot.threshold
    elif 5 <= attribute <= 8:  # reserved and used, each now and at most: a pool here keeps nothing back
        host_pool_use(slot, &used, &most, 0)
        (<uint64_t *>value)[0] = used if attribute % 2 else most
    else:
        return host_fail(hipErrorInvalidValue)
    return hipSuccess


cdef public hipError_t hipMemPoolSetAccess(hipMemPool_t pool, const void *accesses, size_t count) noexcept nogil:
    """One device, which is the pool's own and always may: nothing to take from it, and no other to give it to."""
    cdef const int *access = <const int *>accesses  # the place's type and number, then the flags
    cdef size_t i
    if host_slot_of(pool, HOST_POOL) == NULL or (accesses == NULL and count):
        return host_fail(hipErrorInvalidValue)
    for i in range(count):
        if access[3 * i] != 1 or access[3 * i + 2] < 0 or access[3 * i + 2] > 3 or access[3 * i + 2] == 2:
            return host_fail(hipErrorInvalidValue)
        if access[3 * i + 1] != 0 or access[3 * i + 2] == 0:
            return host_fail(hipErrorInvalidDevice)
    return hipSuccess


cdef public hipError_t hipMemPoolGetAccess(int *flags, hipMemPool_t pool, hipMemLocation *location) noexcept nogil:
    if flags == NULL or location == NULL or host_slot_of(pool, HOST_POOL) == NULL:
        return host_fail(hipErrorInvalidValue)
    if location.type != 1 or location.id != 0:
        return host_fail(hipErrorInvalidValue)
    flags[0] = 3  # read and write
    return hipSuccess
