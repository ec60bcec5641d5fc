# Small words that every block of cuDNN uses.

from libc.string cimport memcpy, memset


cdef inline cudnnStatus_t bad(const char *why) noexcept nogil:
    """A parameter that NVIDIA's library refuses too."""
    return dnn_because(CUDNN_STATUS_BAD_PARAM, why)


cdef inline cudnnStatus_t cannot(const char *why) noexcept nogil:
    """What this library does not do."""
    return dnn_because(CUDNN_STATUS_NOT_SUPPORTED, why)


cdef inline bint in_range(int value, int low, int high) noexcept nogil:
    return low <= value <= high


cdef inline bint is_nan_rule(uint32_t value) noexcept nogil:
    return value <= <uint32_t>CUDNN_PROPAGATE_NAN


cdef inline void give(int *place, int value) noexcept nogil:
    """An answer that the caller may not want."""
    if place is not NULL:
        place[0] = value


cdef inline size_t rounded(size_t bytes) noexcept nogil:
    """Pieces of memory begin at multiples of this, as HIP's own allocations do."""
    return (bytes + 255) & ~<size_t>255


cdef inline bint is_float_type(int type) noexcept nogil:
    return (type == CUDNN_DATA_FLOAT or type == CUDNN_DATA_DOUBLE or type == CUDNN_DATA_HALF
            or type == CUDNN_DATA_BFLOAT16)


cdef inline bint is_single(double value) noexcept nogil:
    """A float holds it: MIOpen takes its factors so."""
    return <double><float>value == value or value != value


cdef inline cudnnStatus_t answered(uint32_t status, const char *function) noexcept nogil:
    """MIOpen's answer as a status of ours; a failure keeps the function's name as the reason."""
    return CUDNN_STATUS_SUCCESS if status == 0 else dnn_failed(status_of_miopen(status), function, status)
