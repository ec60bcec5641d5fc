# NVIDIA's algorithms by number, and what a program may expect of each.

cdef inline bint is_forward(uint32_t algorithm) noexcept nogil:
    return algorithm < <uint32_t>CUDNN_CONVOLUTION_FWD_ALGO_COUNT


cdef inline bint is_backward_data(uint32_t algorithm) noexcept nogil:
    return algorithm < <uint32_t>CUDNN_CONVOLUTION_BWD_DATA_ALGO_COUNT


cdef inline bint is_backward_filter(uint32_t algorithm) noexcept nogil:
    return algorithm < <uint32_t>CUDNN_CONVOLUTION_BWD_FILTER_ALGO_COUNT


cdef inline bint repeats_data(uint32_t algorithm) noexcept nogil:
    """NVIDIA documents which algorithms give the same bits each time; programs pick them by number for that."""
    return algorithm != <uint32_t>CUDNN_CONVOLUTION_BWD_DATA_ALGO_0


cdef inline bint repeats_filter(uint32_t algorithm) noexcept nogil:
    return (algorithm != <uint32_t>CUDNN_CONVOLUTION_BWD_FILTER_ALGO_0
            and algorithm != <uint32_t>CUDNN_CONVOLUTION_BWD_FILTER_ALGO_3)
