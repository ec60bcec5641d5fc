# cython: language_level=3, cdivision=True, boundscheck=False, wraparound=False
"""What the CPU backend's rocSOLVER says of itself: the release whose interface it has."""
include "rocblas.pxi"

cdef extern from *:
    """
    #include <string.h>
    static const char rs_version[] = "3.32.0.cpu";
    static rocblas_status rs_text(char *buffer, size_t size) {
        if (!buffer) return rocblas_status_invalid_pointer;
        if (size < sizeof rs_version) return rocblas_status_invalid_size;
        memcpy(buffer, rs_version, sizeof rs_version);
        return rocblas_status_success;
    }
    """
    rocblas_status rs_text(char *buffer, size_t size) nogil
    enum:
        RS_VERSION_SIZE "sizeof rs_version"


cdef public rocblas_status rocsolver_get_version_string(char *buf, size_t len) noexcept nogil:
    return rs_text(buf, len)


cdef public rocblas_status rocsolver_get_version_string_size(size_t *len) noexcept nogil:
    if len == NULL:
        return rocblas_status_invalid_pointer
    len[0] = RS_VERSION_SIZE
    return rocblas_status_success
