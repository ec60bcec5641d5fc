# cython: language_level=3, cdivision=True, boundscheck=False, wraparound=False
"""Memory of the fake: the CPU runtime's, logged, and with a device for each block.

Under capture HIP refuses what waits, allocates or frees: so does this."""
include "hip.pxi"
include "state.pxi"
from libc.stdint cimport int16_t
include "fake.pxi"
include "noted.pxi"

cdef extern from "fake.h" nogil:
    """
    extern hipError_t host_hipMalloc(void **, size_t);
    extern hipError_t host_hipFree(void *);
    extern hipError_t host_hipHostMalloc(void **, size_t, unsigned);
    extern hipError_t host_hipHostFree(void *);
    extern hipError_t host_hipMallocAsync(void **, size_t, hipStream_t);
    extern hipError_t host_hipFreeAsync(void *, hipStream_t);
    extern hipError_t host_hipPointerGetAttributes(hipPointerAttribute_t *, const void *);
    extern hipError_t host_hipMemcpy(void *, const void *, size_t, int);
    extern hipError_t host_hipMemcpyAsync(void *, const void *, size_t, int, hipStream_t);
    extern hipError_t host_hipMemcpyWithStream(void *, const void *, size_t, int, hipStream_t);
    extern hipError_t host_hipMemcpy2D(void *, size_t, const void *, size_t, size_t, size_t, int);
    extern hipError_t host_hipMemcpy2DAsync(void *, size_t, const void *, size_t, size_t, size_t, int, hipStream_t);
    extern hipError_t host_hipMemset(void *, int, size_t);
    extern hipError_t host_hipMemsetAsync(void *, int, size_t, hipStream_t);
    """
    hipError_t host_hipMalloc(void **pointer, size_t size)
    hipError_t host_hipFree(void *pointer)
    hipError_t host_hipHostMalloc(void **pointer, size_t size, unsigned flags)
    hipError_t host_hipHostFree(void *pointer)
    hipError_t host_hipMallocAsync(void **pointer, size_t size, hipStream_t stream)
    hipError_t host_hipFreeAsync(void *pointer, hipStream_t stream)
    hipError_t host_hipPointerGetAttributes(hipPointerAttribute_t *attributes, const void *pointer)
    hipError_t host_hipMemcpy(void *dst, const void *src, size_t bytes, int kind)
    hipError_t host_hipMemcpyAsync(void *dst, const void *src, size_t bytes, int kind, hipStream_t stream)
    hipError_t host_hipMemcpyWithStream(void *dst, const void *src, size_t bytes, int kind, hipStream_t stream)
    hipError_t host_hipMemcpy2D(
        void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height, int kind)
    hipError_t host_hipMemcpy2DAsync(
        void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height, int kind,
        hipStream_t stream)
    hipError_t host_hipMemset(void *dst, int value, size_t bytes)
    hipError_t host_hipMemsetAsync(void *dst, int value, size_t bytes, hipStream_t stream)


cdef enum:
    TO_HOST = 2     # hipMemcpyDeviceToHost


cdef hipError_t forbidden() noexcept nogil:
    """What a capture in its usual mode does not allow, whichever stream is captured."""
    return host_fail(hipErrorStreamCaptureUnsupported) if fake_captured(FAKE_ALL) else hipSuccess


# ---- blocks ----

cdef public hipError_t hipMalloc(void **pointer, size_t size) noexcept nogil:
    cdef hipError_t error
    fake_log(FAKE_ALLOC, FAKE_ALL, NULL, size, b"hipMalloc")
    error = forbidden()
    if error == hipSuccess:
        error = host_hipMalloc(pointer, size)
    if error == hipSuccess:
        fake_block(pointer[0], fake_device())
    return error


cdef public hipError_t hipFree(void *pointer) noexcept nogil:
    cdef hipError_t error
    fake_log(FAKE_FREE, FAKE_ALL, pointer, 0, b"hipFree")
    error = forbidden()
    if error == hipSuccess:
        error = host_hipFree(pointer)
    if error == hipSuccess:
        fake_block(pointer, -1)
    return error


cdef public hipError_t hipHostMalloc(void **pointer, size_t size, unsigned int flags) noexcept nogil:
    cdef hipError_t error
    fake_log(FAKE_ALLOC, FAKE_ALL, NULL, size, b"hipHostMalloc")
    error = forbidden()
    return error if error != hipSuccess else host_hipHostMalloc(pointer, size, flags)


cdef public hipError_t hipHostFree(void *pointer) noexcept nogil:
    cdef hipError_t error
    fake_log(FAKE_FREE, FAKE_ALL, pointer, 0, b"hipHostFree")
    error = forbidden()
    return error if error != hipSuccess else host_hipHostFree(pointer)


cdef public hipError_t hipMallocAsync(void **pointer, size_t size, hipStream_t stream) noexcept nogil:
    cdef hipError_t error
    fake_log(FAKE_ALLOC_ASYNC, stream, NULL, size, b"hipMallocAsync")
    error = host_hipMallocAsync(pointer, size, stream)
    if error == hipSuccess:
        fake_block(pointer[0], fake_home(stream))
    return error


cdef public hipError_t hipFreeAsync(void *pointer, hipStream_t stream) noexcept nogil:
    cdef hipError_t error
    fake_log(FAKE_FREE_ASYNC, stream, pointer, 0, b"hipFreeAsync")
    error = host_hipFreeAsync(pointer, stream)
    if error == hipSuccess:
        fake_block(pointer, -1)
    return error


cdef public hipError_t hipPointerGetAttributes(hipPointerAttribute_t *attributes, const void *pointer) noexcept nogil:
    """HIP 5 counts the kinds of memory otherwise, and knows no unregistered one."""
    cdef host_block block
    cdef hipError_t error = host_hipPointerGetAttributes(attributes, pointer)
    if error != hipSuccess:
        return error
    if host_find(pointer, &block):
        attributes.device = fake_block_home(<const void *>block.base)
    if fake_hip_version < 60000000:
        if attributes.type == hipMemoryTypeUnregistered:
            return host_fail(hipErrorInvalidValue)
        attributes.type = 4 if attributes.type == hipMemoryTypeManaged else attributes.type - 1
    return hipSuccess


# ---- copies ----

cdef public hipError_t hipMemcpy(void *dst, const void *src, size_t bytes, int kind) noexcept nogil:
    cdef hipError_t error
    fake_log(FAKE_COPY, FAKE_ALL, dst, bytes, b"hipMemcpy")
    error = forbidden()
    return error if error != hipSuccess else host_hipMemcpy(dst, src, bytes, kind)


cdef public hipError_t hipMemcpyWithStream(
    void *dst, const void *src, size_t bytes, int kind, hipStream_t stream
) noexcept nogil:
    """In the stream's order, and the caller waits for it."""
    fake_log(FAKE_COPY, stream, dst, bytes, b"hipMemcpyWithStream")
    if fake_captured(stream):
        return host_fail(hipErrorStreamCaptureUnsupported)
    return host_hipMemcpyWithStream(dst, src, bytes, kind, stream)


cdef public hipError_t hipMemcpyAsync(
    void *dst, const void *src, size_t bytes, int kind, hipStream_t stream
) noexcept nogil:
    fake_log(FAKE_FETCH if kind == TO_HOST else FAKE_SET, stream, dst, bytes, b"hipMemcpyAsync")
    return host_hipMemcpyAsync(dst, src, bytes, kind, stream)


cdef public hipError_t hipMemcpy2D(
    void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height, int kind
) noexcept nogil:
    cdef hipError_t error
    fake_log(FAKE_COPY, FAKE_ALL, dst, width * height, b"hipMemcpy2D")
    error = forbidden()
    return error if error != hipSuccess else host_hipMemcpy2D(dst, dpitch, src, spitch, width, height, kind)


cdef public hipError_t hipMemcpy2DAsync(
    void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height, int kind, hipStream_t stream
) noexcept nogil:
    fake_log(FAKE_FETCH if kind == TO_HOST else FAKE_SET, stream, dst, width * height, b"hipMemcpy2DAsync")
    return host_hipMemcpy2DAsync(dst, dpitch, src, spitch, width, height, kind, stream)


cdef public hipError_t hipMemset(void *dst, int value, size_t bytes) noexcept nogil:
    cdef hipError_t error
    fake_log(FAKE_COPY, FAKE_ALL, dst, bytes, b"hipMemset")
    error = forbidden()
    return error if error != hipSuccess else host_hipMemset(dst, value, bytes)


cdef public hipError_t hipMemsetAsync(void *dst, int value, size_t bytes, hipStream_t stream) noexcept nogil:
    fake_log(FAKE_SET, stream, dst, bytes, b"hipMemsetAsync")
    return host_hipMemsetAsync(dst, value, bytes, stream)
