# Which algorithm serves a convolution. Blocks of tables/cudnn/algorithms.yaml.

include "common.pxi"


cdef public cudnnStatus_t get_convolution_forward_algorithm_max_count(dnn_handle *h, int *count) noexcept nogil:
    if count is NULL:
        return bad(b"count is NULL")
    count[0] = <int>CUDNN_CONVOLUTION_FWD_ALGO_COUNT
    return CUDNN_STATUS_SUCCESS


cdef public cudnnStatus_t get_convolution_backward_data_algorithm_max_count(dnn_handle *h, int *count) noexcept nogil:
    if count is NULL:
        return bad(b"count is NULL")
    count[0] = <int>CUDNN_CONVOLUTION_BWD_DATA_ALGO_COUNT
    return CUDNN_STATUS_SUCCESS


cdef public cudnnStatus_t get_convolution_backward_filter_algorithm_max_count(dnn_handle *h, int *count) noexcept nogil:
    if count is NULL:
        return bad(b"count is NULL")
    count[0] = <int>CUDNN_CONVOLUTION_BWD_FILTER_ALGO_COUNT
    return CUDNN_STATUS_SUCCESS
