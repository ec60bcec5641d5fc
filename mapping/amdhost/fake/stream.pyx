# cython: language_level=3, cdivision=True, boundscheck=False, wraparound=False
"""Streams of the fake: each belongs to a device, waits are logged, capture is a switch (fakehip_capture)."""
include "hip.pxi"
include "state.pxi"
from libc.stdint cimport int16_t
include "fake.pxi"
include "noted.pxi"

cdef extern from "fake.h" nogil:
    """
    extern hipError_t host_hipStreamCreateWithPriority(hipStream_t *, unsigned, int);
    extern hipError_t host_hipStreamDestroy(hipStream_t);
    extern hipError_t host_hipStreamQuery(hipStream_t);
    extern hipError_t host_hipStreamSynchronize(hipStream_t);
    extern hipError_t host_hipStreamWaitEvent(hipStream_t, hipEvent_t, unsigned);
    extern hipError_t host_hipStreamIsCapturing(hipStream_t, int *);
    extern hipError_t host_hipEventSynchronize(hipEvent_t);
    extern hipError_t host_hipDeviceSynchronize(void);
    """
    hipError_t host_hipStreamCreateWithPriority(hipStream_t *stream, unsigned flags, int priority)
    hipError_t host_hipStreamDestroy(hipStream_t stream)
    hipError_t host_hipStreamQuery(hipStream_t stream)
    hipError_t host_hipStreamSynchronize(hipStream_t stream)
    hipError_t host_hipStreamWaitEvent(hipStream_t stream, hipEvent_t event, unsigned flags)
    hipError_t host_hipStreamIsCapturing(hipStream_t stream, int *status)
    hipError_t host_hipEventSynchronize(hipEvent_t event)
    hipError_t host_hipDeviceSynchronize()


cdef public hipError_t hipStreamCreateWithPriority(
    hipStream_t *stream, unsigned int flags, int priority
) noexcept nogil:
    cdef hipError_t error = host_hipStreamCreateWithPriority(stream, flags, priority)
    if error == hipSuccess:
        fake_settle(stream[0], fake_device())
    return error


cdef public hipError_t hipStreamCreateWithFlags(hipStream_t *stream, unsigned int flags) noexcept nogil:
    return hipStreamCreateWithPriority(stream, flags, 0)


cdef public hipError_t hipStreamCreate(hipStream_t *stream) noexcept nogil:
    return hipStreamCreateWithPriority(stream, 0, 0)


cdef public hipError_t hipStreamDestroy(hipStream_t stream) noexcept nogil:
    cdef hipError_t error = host_hipStreamDestroy(stream)
    if error == hipSuccess:
        fake_settle(stream, -1)
    return error


cdef public hipError_t hipStreamGetDevice(hipStream_t stream, hipDevice_t *device) noexcept nogil:
    if device == NULL:
        return host_fail(hipErrorInvalidValue)
    if not host_is_stream(stream):
        return host_fail(hipErrorInvalidHandle)
    device[0] = fake_home(stream)
    return hipSuccess


cdef public int hipGetStreamDeviceId(hipStream_t stream) noexcept nogil:
    return fake_home(stream) if host_is_stream(stream) else -1


cdef public hipError_t hipStreamQuery(hipStream_t stream) noexcept nogil:
    fake_log(FAKE_QUERY, stream, NULL, 0, b"hipStreamQuery")
    if fake_captured(stream):
        return host_fail(hipErrorStreamCaptureUnsupported)
    return host_hipStreamQuery(stream)


cdef public hipError_t hipStreamSynchronize(hipStream_t stream) noexcept nogil:
    fake_log(FAKE_WAIT, stream, NULL, 0, b"hipStreamSynchronize")
    if fake_captured(stream):
        return host_fail(hipErrorStreamCaptureUnsupported)
    return host_hipStreamSynchronize(stream)


cdef public hipError_t hipDeviceSynchronize() noexcept nogil:
    fake_log(FAKE_WAIT, FAKE_ALL, NULL, 0, b"hipDeviceSynchronize")
    if fake_captured(FAKE_ALL):
        return host_fail(hipErrorStreamCaptureUnsupported)
    return host_hipDeviceSynchronize()


cdef public hipError_t hipEventSynchronize(hipEvent_t event) noexcept nogil:
    fake_log(FAKE_WAIT, FAKE_ALL, event, 0, b"hipEventSynchronize")
    if fake_captured(FAKE_ALL):
        return host_fail(hipErrorStreamCaptureUnsupported)
    return host_hipEventSynchronize(event)


cdef public hipError_t hipStreamWaitEvent(hipStream_t stream, hipEvent_t event, unsigned int flags) noexcept nogil:
    fake_log(FAKE_ORDER, stream, event, 0, b"hipStreamWaitEvent")
    return host_hipStreamWaitEvent(stream, event, flags)


cdef public hipError_t hipStreamIsCapturing(hipStream_t stream, int *status) noexcept nogil:
    cdef hipError_t error = host_hipStreamIsCapturing(stream, status)
    if error == hipSuccess:
        status[0] = fake_captured(stream)
    return error
