# Errors of the CUDA runtime: the last one is ours, not HIP's (keep.h).
include "common.pxi"

cdef extern from "errors.h" nogil:
    const char *cudart_error_text(unsigned int error)


cdef inline cudaError_t last_error() noexcept nogil:
    return cudart_last(1)


cdef inline cudaError_t peek_error() noexcept nogil:
    return cudart_last(0)


cdef inline const char *error_name(cudaError_t error) noexcept nogil:
    if cudart_error_text(error) == NULL:
        return b"unrecognized error code"
    return name_of_status(error)


cdef inline const char *error_text(cudaError_t error) noexcept nogil:
    cdef const char *text = cudart_error_text(error)
    if text == NULL:
        return b"unrecognized error code"
    return text
