# cython: language_level=3, cdivision=True, boundscheck=False, wraparound=False
"""Copies and fills of the CPU backend's HIP runtime.

Each is done before its call returns, the Async ones too. That is a legal schedule: HIP promises that work on a stream
is done in order and before a synchronisation, never that it is still open when the call returns. On a stream that is
captured it is checked at once and recorded (capture.pyx): every function makes a `work`, and one place does or records
it. One that waits is work on the legacy stream, nothing else: NVIDIA lets it pass beside captures that this stream has
no part in, and so does this.

A range that begins in known memory must end in it. What a copy or fill says to be the device's must be known memory: a
stray pointer is answered as a real device answers it. The host's side is taken as it is, as long as it is not below 64
KiB, which is no memory on either system.
"""
include "hip.pxi"
include "state.pxi"
include "node.pxi"
include "capture.pxi"


cdef bint fits(const void *pointer, size_t bytes, bint known) noexcept nogil:
    """Whether `bytes` from here on may be touched, as far as this runtime can know."""
    cdef host_block block
    if <uintptr_t>pointer < 65536:
        return False
    if host_find(pointer, &block):
        return bytes <= block.size - (<uintptr_t>pointer - block.base)
    return not known and <uintptr_t>pointer + bytes >= <uintptr_t>pointer


cdef inline bint to_device(int kind) noexcept nogil:
    return kind == hipMemcpyHostToDevice or kind == hipMemcpyDeviceToDevice or kind == hipMemcpyDeviceToDeviceNoCU


cdef inline bint from_device(int kind) noexcept nogil:
    return kind == hipMemcpyDeviceToHost or kind == hipMemcpyDeviceToDevice or kind == hipMemcpyDeviceToDeviceNoCU


# A copy or a fill, checked: `height` rows of `width` bytes in each of `depth` slices. A fill has no source.
cdef struct work:
    char *dst
    const char *src
    size_t dst_pitch
    size_t dst_slice
    size_t src_pitch
    size_t src_slice
    size_t width
    size_t height
    size_t depth
    uint32_t value
    uint32_t element  # bytes of a fill's; 0: a copy
    uint32_t sides    # of a node's: whose memory the operands are, see sides()


cdef void fill_row(char *dst, uint32_t value, size_t element, size_t bytes) noexcept nogil:
    cdef size_t i
    if element == 1:
        memset(dst, <int>(value & 255), bytes)
    elif element == 2:
        for i in range(bytes / 2):
            (<uint16_t *>dst)[i] = <uint16_t>value
    else:
        for i in range(bytes / 4):
            (<uint32_t *>dst)[i] = value


cdef int run_fill(void *record) noexcept nogil:
    cdef work *w = <work *>record
    cdef size_t slice, row
    for slice in range(w.depth):
        for row in range(w.height):
            fill_row(w.dst + slice * w.dst_slice + row * w.dst_pitch, w.value, w.element, w.width)
    return 0


cdef int run_copy(void *record) noexcept nogil:
    cdef work *w = <work *>record
    cdef size_t slice, row
    for slice in range(w.depth):
        for row in range(w.height):
            memmove(w.dst + slice * w.dst_slice + row * w.dst_pitch,
                    w.src + slice * w.src_slice + row * w.src_pitch, w.width)
    return 0


cdef dg_run run_of(const work *w) noexcept nogil:
    return run_fill if w.element else run_copy


cdef public int host_never(void *record) noexcept nogil:
    return 1


cdef uint32_t of_device(const void *pointer) noexcept nogil:
    cdef host_block block
    return pointer != NULL and host_find(pointer, &block) and (
        block.kind == HOST_DEVICE or block.kind == HOST_MANAGED or block.kind == HOST_GRAPHS)


cdef uint32_t sides(const work *w) noexcept nogil:
    """Where it writes and reads: a ready graph's copy cannot become one between other places (hipGraphExecUpdate)."""
    return of_device(w.dst) | of_device(w.src) << 1


cdef void keep(host_recorded *to, const work *w) noexcept nogil:
    """As a node has it."""
    cdef work *kept = <work *>host_record_room(to, run_of(w), sizeof(work))
    kept[0] = w[0]
    kept.sides = sides(w)


cdef public int host_same_sides(const void *record, const void *other) noexcept nogil:
    """Asked of two records of copies; what is asked was looked up when they were made, as the memory may
    be gone by now."""
    return (<const work *>record).sides == (<const work *>other).sides


cdef hipError_t do(work *w, hipStream_t stream) noexcept nogil:
    """Work on a stream, now or as a node."""
    cdef int captured = host_capture(stream)
    if captured < 0:
        w.sides = sides(w)
        return host_record(stream, HOST_NODE_MEMSET if w.element else HOST_NODE_MEMCPY, run_of(w), w, sizeof(work))
    if captured == 0:
        run_of(w)(w)
    return captured


cdef work rectangle(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
        size_t height) noexcept nogil:
    """In one piece where it lies so."""
    cdef work w
    memset(&w, 0, sizeof(work))
    w.dst = <char *>dst
    w.src = <const char *>src
    w.dst_pitch = dpitch
    w.src_pitch = spitch
    w.width = width
    w.height = height
    w.depth = 1
    if dpitch == width and spitch == width:
        w.width = width * height
        w.height = 1
    return w


cdef bint known_kind(int kind) noexcept nogil:
    return hipMemcpyHostToHost <= kind <= hipMemcpyDefault or kind == hipMemcpyDeviceToDeviceNoCU


cdef hipError_t check_copy(void *dst, const void *src, size_t bytes, int kind) noexcept nogil:
    if not known_kind(kind):
        return host_fail(hipErrorInvalidMemcpyDirection)
    if not fits(dst, bytes, to_device(kind)) or not fits(src, bytes, from_device(kind)):
        return host_fail(hipErrorInvalidValue)
    return hipSuccess


cdef hipError_t copy(void *dst, const void *src, size_t bytes, int kind, hipStream_t stream) noexcept nogil:
    cdef work w
    cdef hipError_t error = hipSuccess
    if bytes == 0:
        return hipSuccess
    error = check_copy(dst, src, bytes, kind)
    if error != hipSuccess:
        return error
    w = rectangle(dst, bytes, src, bytes, bytes, 1)
    return do(&w, stream)


cdef public hipError_t host_copy_record(
    void *dst, const void *src, size_t bytes, int kind, host_recorded *to
) noexcept nogil:
    cdef hipError_t error = check_copy(dst, src, bytes, kind) if bytes else host_fail(hipErrorInvalidValue)
    cdef work w = rectangle(dst, bytes, src, bytes, bytes, 1)
    keep(to, &w)
    return error


cdef bint span(size_t pitch, size_t width, size_t height, size_t *bytes) noexcept nogil:
    """Bytes from the first to the last element of a pitched block; false where that does not fit."""
    if height > 1 and pitch > (<size_t>-1 - width) / (height - 1):
        return False
    bytes[0] = pitch * (height - 1) + width
    return True


cdef hipError_t copy_2d(
    void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height, int kind, hipStream_t stream
) noexcept nogil:
    cdef size_t dst_bytes = 0, src_bytes = 0
    cdef work w
    if width == 0 or height == 0:
        return hipSuccess
    if not known_kind(kind):
        return host_fail(hipErrorInvalidMemcpyDirection)
    if dpitch < width or spitch < width:
        return host_fail(hipErrorInvalidPitchValue)
    if not span(dpitch, width, height, &dst_bytes) or not span(spitch, width, height, &src_bytes):
        return host_fail(hipErrorInvalidValue)
    if not fits(dst, dst_bytes, to_device(kind)) or not fits(src, src_bytes, from_device(kind)):
        return host_fail(hipErrorInvalidValue)
    w = rectangle(dst, dpitch, src, spitch, width, height)
    return do(&w, stream)


cdef bint box_fits(const void *first, size_t pitch, size_t slice, hipExtent extent, bint known) noexcept nogil:
    """Whether a whole box may be touched: asked before the first slice is."""
    cdef size_t face = 0, bytes = 0
    return (span(pitch, extent.width, extent.height, &face) and span(slice, face, extent.depth, &bytes)
            and fits(first, bytes, known))


cdef hipError_t box(const hipMemcpy3DParms *p, work *w) noexcept nogil:
    """Pitched memory only: this runtime makes no arrays. An empty box is work of no slices."""
    cdef size_t dst_slice, src_slice, dst_start, src_start
    cdef char *dst
    cdef const char *src
    memset(w, 0, sizeof(work))
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
    if not known_kind(p.kind):
        return host_fail(hipErrorInvalidMemcpyDirection)
    w[0] = rectangle(dst, p.dstPtr.pitch, src, p.srcPtr.pitch, p.extent.width, p.extent.height)
    w.depth = p.extent.depth
    w.dst_slice = dst_slice
    w.src_slice = src_slice
    return hipSuccess


cdef hipError_t copy_3d(const hipMemcpy3DParms *p, hipStream_t stream) noexcept nogil:
    cdef work w
    cdef hipError_t error = box(p, &w)
    return error if error != hipSuccess or w.depth == 0 else do(&w, stream)


cdef public hipError_t host_box_record(const hipMemcpy3DParms *p, host_recorded *to) noexcept nogil:
    cdef work w
    cdef hipError_t error = box(p, &w)
    keep(to, &w)
    return error


cdef bint looked_at_later(const void *dst, hipStream_t stream) noexcept nogil:
    """NVIDIA's runtime records a fill of NULL; the graph cannot be made ready."""
    return dst == NULL and host_capture(stream) < 0


cdef hipError_t fill(void *dst, uint32_t value, size_t element, size_t count, hipStream_t stream) noexcept nogil:
    cdef work w
    if count == 0:
        return hipSuccess
    if looked_at_later(dst, stream):
        return host_record(stream, HOST_NODE_MEMSET, host_never, NULL, 0)
    if count > <size_t>-1 / element or not fits(dst, count * element, True) or <uintptr_t>dst % element:
        return host_fail(hipErrorInvalidValue)
    w = rectangle(dst, count * element, NULL, count * element, count * element, 1)
    w.value = value
    w.element = <uint32_t>element
    return do(&w, stream)


cdef hipError_t check_fill_2d(void *dst, size_t pitch, size_t width, size_t height) noexcept nogil:
    cdef size_t bytes = 0
    if (height > 1 and pitch < width) or not span(pitch, width, height, &bytes) or not fits(dst, bytes, True):
        return host_fail(hipErrorInvalidValue)
    return hipSuccess


cdef hipError_t fill_2d(
    void *dst, size_t pitch, int value, size_t width, size_t height, hipStream_t stream
) noexcept nogil:
    cdef work w
    cdef hipError_t error
    if width == 0 or height == 0:
        return hipSuccess
    error = check_fill_2d(dst, pitch, width, height) if pitch >= width else host_fail(hipErrorInvalidValue)
    if error != hipSuccess:
        return error
    w = rectangle(dst, pitch, NULL, pitch, width, height)
    w.value = <uint32_t>value
    w.element = 1
    return do(&w, stream)


cdef public hipError_t host_fill_record(const hipMemsetParams *p, host_recorded *to) noexcept nogil:
    """`height` rows of `width` elements of 1, 2 or 4 bytes. The pitch of one row counts for nothing."""
    cdef work w
    cdef hipError_t error
    if p == NULL or (p.elementSize != 1 and p.elementSize != 2 and p.elementSize != 4):
        return host_fail(hipErrorInvalidValue)
    if p.width == 0 or p.height == 0 or p.width > <size_t>-1 / 4:
        return host_fail(hipErrorInvalidValue)
    if <uintptr_t>p.dst % p.elementSize or (p.height > 1 and p.pitch % p.elementSize):
        return host_fail(hipErrorInvalidValue)
    error = check_fill_2d(p.dst, p.pitch, p.width * p.elementSize, p.height)
    if error != hipSuccess:
        return error
    w = rectangle(p.dst, p.pitch, NULL, p.pitch, p.width * p.elementSize, p.height)
    w.value = p.value
    w.element = p.elementSize
    keep(to, &w)
    return hipSuccess


cdef hipError_t fill_3d(hipPitchedPtr dst, int value, hipExtent extent, hipStream_t stream) noexcept nogil:
    cdef size_t step = dst.pitch * dst.ysize
    cdef work w
    if extent.width == 0 or extent.height == 0 or extent.depth == 0:
        return hipSuccess
    if dst.pitch < extent.width or not box_fits(dst.ptr, dst.pitch, step, extent, True):
        return host_fail(hipErrorInvalidValue)
    w = rectangle(dst.ptr, dst.pitch, NULL, dst.pitch, extent.width, extent.height)
    w.depth = extent.depth
    w.dst_slice = step
    w.value = <uint32_t>value
    w.element = 1
    return do(&w, stream)


cdef bint foreign(hipStream_t stream) noexcept nogil:
    return not host_is_stream(stream)


# ---- copies ----

cdef public hipError_t hipMemcpy(void *dst, const void *src, size_t bytes, int kind) noexcept nogil:
    return copy(dst, src, bytes, kind, NULL)


cdef public hipError_t hipMemcpyAsync(
    void *dst, const void *src, size_t bytes, int kind, hipStream_t stream
) noexcept nogil:
    return host_fail(hipErrorInvalidHandle) if foreign(stream) else copy(dst, src, bytes, kind, stream)


cdef public hipError_t hipMemcpyWithStream(
    void *dst, const void *src, size_t bytes, int kind, hipStream_t stream
) noexcept nogil:
    """It waits for the stream, so a captured one cannot have it."""
    if foreign(stream):
        return host_fail(hipErrorInvalidHandle)
    if host_capture(stream) < 0:
        return host_refuse_capture(stream)
    return copy(dst, src, bytes, kind, stream)


cdef public hipError_t hipMemcpyHtoD(hipDeviceptr_t dst, const void *src, size_t bytes) noexcept nogil:
    return copy(dst, src, bytes, hipMemcpyDefault, NULL)


cdef public hipError_t hipMemcpyDtoH(void *dst, hipDeviceptr_t src, size_t bytes) noexcept nogil:
    return copy(dst, src, bytes, hipMemcpyDefault, NULL)


cdef public hipError_t hipMemcpyDtoD(hipDeviceptr_t dst, hipDeviceptr_t src, size_t bytes) noexcept nogil:
    return copy(dst, src, bytes, hipMemcpyDefault, NULL)


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
    return hipMemcpy(dst, src, bytes, hipMemcpyDefault)


cdef public hipError_t hipMemcpyPeerAsync(
    void *dst, int dst_device, const void *src, int src_device, size_t bytes, hipStream_t stream
) noexcept nogil:
    if foreign(stream):
        return host_fail(hipErrorInvalidHandle)
    if dst_device != 0 or src_device != 0:
        return host_fail(hipErrorInvalidDevice)
    return copy(dst, src, bytes, hipMemcpyDefault, stream)


cdef public hipError_t hipMemcpy2D(
    void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height, int kind
) noexcept nogil:
    return copy_2d(dst, dpitch, src, spitch, width, height, kind, NULL)


cdef public hipError_t hipMemcpy2DAsync(
    void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height, int kind, hipStream_t stream
) noexcept nogil:
    if foreign(stream):
        return host_fail(hipErrorInvalidHandle)
    return copy_2d(dst, dpitch, src, spitch, width, height, kind, stream)


cdef public hipError_t hipMemcpy3D(const hipMemcpy3DParms *p) noexcept nogil:
    return copy_3d(p, NULL)


cdef public hipError_t hipMemcpy3DAsync(const hipMemcpy3DParms *p, hipStream_t stream) noexcept nogil:
    return host_fail(hipErrorInvalidHandle) if foreign(stream) else copy_3d(p, stream)


# ---- fills ----

cdef public hipError_t hipMemset(void *dst, int value, size_t bytes) noexcept nogil:
    return fill(dst, <uint32_t>value, 1, bytes, NULL)


cdef public hipError_t hipMemsetAsync(void *dst, int value, size_t bytes, hipStream_t stream) noexcept nogil:
    return host_fail(hipErrorInvalidHandle) if foreign(stream) else fill(dst, <uint32_t>value, 1, bytes, stream)


cdef public hipError_t hipMemsetD8(hipDeviceptr_t dst, unsigned char value, size_t count) noexcept nogil:
    return fill(dst, value, 1, count, NULL)


cdef public hipError_t hipMemsetD8Async(
    hipDeviceptr_t dst, unsigned char value, size_t count, hipStream_t stream
) noexcept nogil:
    return host_fail(hipErrorInvalidHandle) if foreign(stream) else fill(dst, value, 1, count, stream)


cdef public hipError_t hipMemsetD16(hipDeviceptr_t dst, unsigned short value, size_t count) noexcept nogil:
    return fill(dst, value, 2, count, NULL)


cdef public hipError_t hipMemsetD16Async(
    hipDeviceptr_t dst, unsigned short value, size_t count, hipStream_t stream
) noexcept nogil:
    return host_fail(hipErrorInvalidHandle) if foreign(stream) else fill(dst, value, 2, count, stream)


cdef public hipError_t hipMemsetD32(hipDeviceptr_t dst, int value, size_t count) noexcept nogil:
    return fill(dst, <uint32_t>value, 4, count, NULL)


cdef public hipError_t hipMemsetD32Async(
    hipDeviceptr_t dst, int value, size_t count, hipStream_t stream
) noexcept nogil:
    return host_fail(hipErrorInvalidHandle) if foreign(stream) else fill(dst, <uint32_t>value, 4, count, stream)


cdef public hipError_t hipMemset2D(void *dst, size_t pitch, int value, size_t width, size_t height) noexcept nogil:
    return fill_2d(dst, pitch, value, width, height, NULL)


cdef public hipError_t hipMemset2DAsync(
    void *dst, size_t pitch, int value, size_t width, size_t height, hipStream_t stream
) noexcept nogil:
    return host_fail(hipErrorInvalidHandle) if foreign(stream) else fill_2d(dst, pitch, value, width, height, stream)


cdef public hipError_t hipMemset3D(hipPitchedPtr dst, int value, hipExtent extent) noexcept nogil:
    return fill_3d(dst, value, extent, NULL)


cdef public hipError_t hipMemset3DAsync(
    hipPitchedPtr dst, int value, hipExtent extent, hipStream_t stream
) noexcept nogil:
    return host_fail(hipErrorInvalidHandle) if foreign(stream) else fill_3d(dst, value, extent, stream)
