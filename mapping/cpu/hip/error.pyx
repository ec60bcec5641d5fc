# cython: language_level=3, cdivision=True, boundscheck=False, wraparound=False
"""Names and texts of HIP's errors."""
include "hip.pxi"
include "state.pxi"

cdef extern from "errors.h" nogil:
    ctypedef struct host_error_text:
        int code
        const char *name
        const char *text
    const host_error_text *host_error_texts
    enum:
        HOST_ERROR_TEXTS


cdef const host_error_text *find(hipError_t error) noexcept nogil:
    cdef int i
    for i in range(HOST_ERROR_TEXTS):
        if host_error_texts[i].code == error:
            return host_error_texts + i
    return NULL


cdef public const char *hipGetErrorName(hipError_t error) noexcept nogil:
    cdef const host_error_text *found = find(error)
    if found == NULL:
        return b"hipErrorUnknown"
    return found.name


cdef public const char *hipGetErrorString(hipError_t error) noexcept nogil:
    cdef const host_error_text *found = find(error)
    if found == NULL:
        return b"unknown error"
    return found.text


cdef public hipError_t hipDrvGetErrorName(hipError_t error, const char **text) noexcept nogil:
    cdef const host_error_text *found = find(error)
    if text == NULL or found == NULL:
        return host_fail(hipErrorInvalidValue)
    text[0] = found.name
    return hipSuccess


cdef public hipError_t hipDrvGetErrorString(hipError_t error, const char **text) noexcept nogil:
    cdef const host_error_text *found = find(error)
    if text == NULL or found == NULL:
        return host_fail(hipErrorInvalidValue)
    text[0] = found.text
    return hipSuccess
