# cython: language_level=3, cdivision=True, boundscheck=False, wraparound=False
"""Copies and fills of the CPU backend's HIP runtime.

Each is done before its call returns, the Async ones too. That is a legal schedule: HIP promises that work on a stream
is done in order and before a synchronisation, never that it is still open when the call returns.

A range that begins in known memory must end in it. What a copy or fill says to be the device's must be known memory: a stray
pointer is answered as a real device answers it. The host's side is taken as it is, as long as it is not below 64 KiB, which
is no memory on either system.
"""
include "hip.pxi"
include "state.pxi"


cdef bint fits(const void *pointer, size_t bytes, bint of_device) noexcept nogil:
    """Whether `bytes` from here on may be touched, as far as this runtime can know."""
    cdef host_block block
    if <uintptr_t>pointer < 65536:
        return False
    if host_find(pointer, &block):
        return bytes <= block.size - (<uintptr_t>pointer - block.base)
    return not of_device and <uintptr_t>pointer + bytes >= <uintptr_t>pointer


cdef inline bint to_device(int kind) noexcept nogil:
    return kind == hipMemcpyHostToDevice or kind == hipMemcpyDeviceToDevice or kind == hipMemcpyDeviceToDeviceNoCU


cdef inline bint from_device(int kind) noexcept nogil:
    return kind == hipMemcpyDeviceToHost or kind == hipMemcpyDeviceToDevice or kind == hipMemcpyDeviceToDeviceNoCU


cdef hipError_t copy(void *dst, const void *src, size_t bytes, int kind) noexcept nogil:
    if bytes == 0:
        return hipSuccess
    if (kind < hipMemcpyHostToHost or kind > hipMemcpyDefault) and kind != hipMemcpyDeviceToDeviceNoCU:
        return host_fail(hipErrorInvalidMemcpyDirection)
    if not fits(dst, bytes, to_device(kind)) or not fits(src, bytes, from_device(kind)):
        return host_fail(hipErrorInvalidValue)
    memmove(dst, src, bytes)
    return hipSuccess


cdef bint span(size_t pitch, size_t width, size_t height, size_t *bytes) noexcept nogil:
    """Bytes from the first to the last element of a pitched block; false where that does not fit."""
    if height > 1 and pitch > (<size_t>-1 - width) / (height - 1):
        return False
    bytes[0] = pitch * (height - 1) + width
    return True


cdef hipError_t copy_2d(
    void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height, int kind
) noexcept nogil:
    cdef size_t row, dst_bytes = 0, src_bytes = 0
    cdef char *to = <char *>dst
    cdef const char *source = <const char *>src
    if width == 0 or height == 0:
        return hipSuccess
    if (kind < hipMemcpyHostToHost or kind > hipMemcpyDefault) and kind != hipMemcpyDeviceToDeviceNoCU:
        return host_fail(hipErrorInvalidMemcpyDirection)
    if dpitch < width or spitch < width:
        return host_fail(hipErrorInvalidPitchValue)
    if not span(dpitch, width, height, &dst_bytes) or not span(spitch, width, height, &src_bytes):
        return host_fail(hipErrorInvalidValue)
    if not fits(dst, dst_bytes, to_device(kind)) or not fits(src, src_bytes, from_device(kind)):
        return host_fail(hipErrorInvalidValue)
    if dpitch == width and spitch == width:
        memmove(to, source, dst_bytes)
        return hipSuccess
    for row in range(height):
        memmove(to, source, width)
        to += dpitch
        source += spitch
    return hipSuccess


cdef bint box_fits(const void *first, size_t pitch, size_t slice, hipExtent extent, bint of_device) noexcept nogil:
    """Whether a whole box may be touched: asked before the first slice is."""
    cdef size_t face = 0, bytes = 0
    return (span(pitch, extent.width, extent.height, &face) and span(slice, face, extent.depth, &bytes)
            and fits(first, bytes, of_device))


cdef hipError_t copy_3d(const hipMemcpy3DParms *p) noexcept nogil:
    """Pitched memory only: this runtime makes no arrays."""
    cdef hipError_t error = hipSuccess
    cdef size_t slice, dst_slice, src_slice, dst_start, src_start
    cdef char *dst
    cdef const char *src
    if p == NULL or p.srcArray != NULL or p.dstArray != NULL:
        return host_fail(hipErrorInvalidValue)
    if p.extent.width == 0 or p.extent.height == 0 or p.extent.depth == 0:
        return hipSuccess
    dst_slice = p.dstPtr.pitch * p.dstPtr.ysize
    src_slice = p.srcPtr.pitch * p.srcPtr.ysize
    if p.dstPtr.pitch < p.dstPos.x + p.extent.width or p.srcPtr.pitch < p.srcPos.x + p.extent.width:
        return host_fail(hipErrorInvalidPitchValue)
    if p.extent.depth > 1 and (p.dstPtr.ysize < p.extent.height or p.srcPtr.ysize < p.extent.height):
        return host_fail(hipErrorInvalidValue)
    dst_start = p.dstPos.x + p.dstPos.y * p.dstPtr.pitch + p.dstPos.z * dst_slice
    src_start = p.srcPos.x + p.srcPos.y * p.srcPtr.pitch + p.srcPos.z * src_slice
    dst = <char *>p.dstPtr.ptr + dst_start
    src = <const char *>p.srcPtr.ptr + src_start
    if (not box_fits(dst, p.dstPtr.pitch, dst_slice, p.extent, to_device(p.kind))
            or not box_fits(src, p.srcPtr.pitch, src_slice, p.extent, from_device(p.kind))):
        return host_fail(hipErrorInvalidValue)
    for slice in range(p.extent.depth):
        error = copy_2d(dst, p.dstPtr.pitch, src, p.srcPtr.pitch, p.extent.width, p.extent.height, p.kind)
        if error != hipSuccess:
            break
        dst += dst_slice
        src += src_slice
    return error


cdef hipError_t fill(void *dst, uint32_t value, size_t element, size_t count) noexcept nogil:
    cdef size_t i
    if count == 0:
        return hipSuccess
    if count > <size_t>-1 / element or not fits(dst, count * element, True) or <uintptr_t>dst % element:
        return host_fail(hipErrorInvalidValue)
    if element == 1:
        memset(dst, <int>(value & 255), count)
    elif element == 2:
        for i in range(count):
            (<uint16_t *>dst)[i] = <uint16_t>value
    else:
        for i in range(count):
            (<uint32_t *>dst)[i] = value
    return hipSuccess


cdef hipError_t fill_2d(void *dst, size_t pitch, int value, size_t width, size_t height) noexcept nogil:
    cdef size_t row, bytes = 0
    cdef char *to = <char *>dst
    if width == 0 or height == 0:
        return hipSuccess
    if pitch < width or not span(pitch, width, height, &bytes) or not fits(dst, bytes, True):
        return host_fail(hipErrorInvalidValue)
    for row in range(height):
        memset(to, value & 255, width)
        to += pitch
    return hipSuccess


cdef hipError_t fill_3d(hipPitchedPtr dst, int value, hipExtent extent) noexcept nogil:
    cdef hipError_t error = hipSuccess
    cdef size_t slice, step = dst.pitch * dst.ysize
    cdef char *to = <char *>dst.ptr
    if extent.width == 0 or extent.height == 0 or extent.depth == 0:
        return hipSuccess
    if dst.pitch < extent.width or not box_fits(to, dst.pitch, step, extent, True):
        return host_fail(hipErrorInvalidValue)
    for slice in range(extent.depth):
        error = fill_2d(to, dst.pitch, value, extent.width, extent.height)
        if error != hipSuccess:
            break
        to += step
    return error


cdef bint foreign(hipStream_t stream) noexcept nogil:
    return not host_is_stream(stream)


# ---- copies ----

cdef public hipError_t hipMemcpy(void *dst, const void *src, size_t bytes, int kind) noexcept nogil:
    return copy(dst, src, bytes, kind)


cdef public hipError_t hipMemcpyAsync(
    void *dst, const void *src, size_t bytes, int kind, hipStream_t stream
) noexcept nogil:
    return host_fail(hipErrorInvalidHandle) if foreign(stream) else copy(dst, src, bytes, kind)


cdef public hipError_t hipMemcpyWithStream(
    void *dst, const void *src, size_t bytes, int kind, hipStream_t stream
) noexcept nogil:
    return host_fail(hipErrorInvalidHandle) if foreign(stream) else copy(dst, src, bytes, kind)


cdef public hipError_t hipMemcpyHtoD(hipDeviceptr_t dst, const void *src, size_t bytes) noexcept nogil:
    return copy(dst, src, bytes, hipMemcpyDefault)


cdef public hipError_t hipMemcpyDtoH(void *dst, hipDeviceptr_t src, size_t bytes) noexcept nogil:
    return copy(dst, src, bytes, hipMemcpyDefault)


cdef public hipError_t hipMemcpyDtoD(hipDeviceptr_t dst, hipDeviceptr_t src, size_t bytes) noexcept nogil:
    return copy(dst, src, bytes, hipMemcpyDefault)


cdef public hipError_t hipMemcpyHtoDAsync(
    hipDeviceptr_t dst, const void *src, size_t bytes, hipStream_t stream
) noexcept nogil:
    return hipMemcpyAsync(dst, src, bytes, hipMemcpyDefault, stream)


cdef public hipError_t hipMemcpyDtoHAsync(
    void *dst, hipDeviceptr_t src, size_t bytes, hipStream_t stream
) noexcept nogil:
    return hipMemcpyAsync(dst, src, bytes, hipMemcpyDefault, stream)


cdef public hipError_t hipMemcpyDtoDAsync(
    hipDeviceptr_t dst, hipDeviceptr_t src, size_t bytes, hipStream_t stream
) noexcept nogil:
    return hipMemcpyAsync(dst, src, bytes, hipMemcpyDefault, stream)


cdef public hipError_t hipMemcpyPeer(
    void *dst, int dst_device, const void *src, int src_device, size_t bytes
) noexcept nogil:
    if dst_device != 0 or src_device != 0:
        return host_fail(hipErrorInvalidDevice)
    return copy(dst, src, bytes, hipMemcpyDefault)


cdef public hipError_t hipMemcpyPeerAsync(
    void *dst, int dst_device, const void *src, int src_device, size_t bytes, hipStream_t stream
) noexcept nogil:
    if foreign(stream):
        return host_fail(hipErrorInvalidHandle)
    return hipMemcpyPeer(dst, dst_device, src, src_device, bytes)


cdef public hipError_t hipMemcpy2D(
    void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height, int kind
) noexcept nogil:
    return copy_2d(dst, dpitch, src, spitch, width, height, kind)


cdef public hipError_t hipMemcpy2DAsync(
    void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height, int kind, hipStream_t stream
) noexcept nogil:
    if foreign(stream):
        return host_fail(hipErrorInvalidHandle)
    return copy_2d(dst, dpitch, src, spitch, width, height, kind)


cdef public hipError_t hipMemcpy3D(const hipMemcpy3DParms *p) noexcept nogil:
    return copy_3d(p)


cdef public hipError_t hipMemcpy3DAsync(const hipMemcpy3DParms *p, hipStream_t stream) noexcept nogil:
    return host_fail(hipErrorInvalidHandle) if foreign(stream) else copy_3d(p)


# ---- fills ----

cdef public hipError_t hipMemset(void *dst, int value, size_t bytes) noexcept nogil:
    return fill(dst, <uint32_t>value, 1, bytes)


cdef public hipError_t hipMemsetAsync(void *dst, int value, size_t bytes, hipStream_t stream) noexcept nogil:
    return host_fail(hipErrorInvalidHandle) if foreign(stream) else fill(dst, <uint32_t>value, 1, bytes)


cdef public hipError_t hipMemsetD8(hipDeviceptr_t dst, unsigned char value, size_t count) noexcept nogil:
    return fill(dst, value, 1, count)


cdef public hipError_t hipMemsetD8Async(
    hipDeviceptr_t dst, unsigned char value, size_t count, hipStream_t stream
) noexcept nogil:
    return host_fail(hipErrorInvalidHandle) if foreign(stream) else fill(dst, value, 1, count)


cdef public hipError_t hipMemsetD16(hipDeviceptr_t dst, unsigned short value, size_t count) noexcept nogil:
    return fill(dst, value, 2, count)


cdef public hipError_t hipMemsetD16Async(
    hipDeviceptr_t dst, unsigned short value, size_t count, hipStream_t stream
) noexcept nogil:
    return host_fail(hipErrorInvalidHandle) if foreign(stream) else fill(dst, value, 2, count)


cdef public hipError_t hipMemsetD32(hipDeviceptr_t dst, int value, size_t count) noexcept nogil:
    return fill(dst, <uint32_t>value, 4, count)


cdef public hipError_t hipMemsetD32Async(
    hipDeviceptr_t dst, int value, size_t count, hipStream_t stream
) noexcept nogil:
    return host_fail(hipErrorInvalidHandle) if foreign(stream) else fill(dst, <uint32_t>value, 4, count)


cdef public hipError_t hipMemset2D(void *dst, size_t pitch, int value, size_t width, size_t height) noexcept nogil:
    return fill_2d(dst, pitch, value, width, height)


cdef public hipError_t hipMemset2DAsync(
    void *dst, size_t pitch, int value, size_t width, size_t height, hipStream_t stream
) noexcept nogil:
    return host_fail(hipErrorInvalidHandle) if foreign(stream) else fill_2d(dst, pitch, value, width, height)


cdef public hipError_t hipMemset3D(hipPitchedPtr dst, int value, hipExtent extent) noexcept nogil:
    return fill_3d(dst, value, extent)


cdef public hipError_t hipMemset3DAsync(
    hipPitchedPtr dst, int value, hipExtent extent, hipStream_t stream
) noexcept nogil:
    return host_fail(hipErrorInvalidHandle) if foreign(stream) else fill_3d(dst, value, extent)
