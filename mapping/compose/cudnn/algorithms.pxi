# Which algorithm serves a convolution. Blocks of tables/cudnn/algorithms.yaml.

include "common.pxi"
include "amd.pxi"
include "convolve.pxi"
include "convolution_algorithms.pxi"
include "bytes.pxi"


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


# ---- AMD chooses among its own solutions: a query names two algorithms of NVIDIA's, one of which keeps a promise that
# programs pick it for: forward, that it asks for no workspace; backward, that it gives the same bits each time.

cdef struct performance:  # cudnnConvolution…AlgoPerf_t: the same for all three directions
    uint32_t algorithm
    uint32_t status
    float time
    size_t memory
    uint32_t determinism
    uint32_t math
    int[3] reserved


cdef uint32_t row_algorithm(int direction, int row) noexcept nogil:
    if direction == DNN_FORWARD:
        return <uint32_t>(CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM if row
                          else CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM)
    if direction == DNN_BACKWARD_DATA:
        return <uint32_t>(CUDNN_CONVOLUTION_BWD_DATA_ALGO_1 if row else CUDNN_CONVOLUTION_BWD_DATA_ALGO_0)
    return <uint32_t>(CUDNN_CONVOLUTION_BWD_FILTER_ALGO_1 if row else CUDNN_CONVOLUTION_BWD_FILTER_ALGO_0)


cdef cudnnStatus_t begun(dnn_work *k, int direction, dnn_tensor *xd, dnn_filter *wd, dnn_convolution *d,
        dnn_tensor *yd) noexcept nogil:
    """A problem of MIOpen's: of one of bytes, what takes the time."""
    if direction == DNN_FORWARD and of_bytes(xd, yd):
        return dnn_bytes_begin(k, xd, wd, d, yd)
    return dnn_conv_begin(k, direction, xd, wd, d, yd)


cdef cudnnStatus_t rows(dnn_handle *h, int direction, dnn_tensor *xd, dnn_filter *wd, dnn_convolution *d,
        dnn_tensor *yd, int asked, int *count, void *results, void **data, void *workspace, size_t size,
        bint tries) noexcept nogil:
    """With `tries` the candidates run on `data`."""
    cdef performance *place = <performance *>results
    cdef dnn_work k
    cdef size_t bytes = 0
    cdef float time = 0
    cdef bint repeats
    cdef int row
    cdef cudnnStatus_t status
    if results is NULL or (tries and (count is NULL or asked < 1)):
        return bad(b"returnedAlgoCount or perfResults is NULL, or requestedAlgoCount below 1")
    give(count, 0)  # without trials NVIDIA asks for no more
    status = begun(&k, direction, xd, wd, d, yd)
    if status != CUDNN_STATUS_SUCCESS and (tries or status != CUDNN_STATUS_NOT_SUPPORTED):
        return status
    for row in range(asked if asked < 2 else 2):
        repeats = direction == DNN_FORWARD or row == 1
        memset(&place[row], 0, sizeof(performance))
        place[row].algorithm = row_algorithm(direction, row)
        place[row].time = -1
        place[row].math = <uint32_t>d.math
        if status == CUDNN_STATUS_SUCCESS and tries:
            status = dnn_conv_trial(h, &k, repeats, data, workspace, size, &place[row].time)
        if status == CUDNN_STATUS_SUCCESS:
            status = dnn_conv_size(h, &k, repeats, &bytes, &time)
        if status != CUDNN_STATUS_SUCCESS and tries:
            return status
        place[row].status = status
        if status == CUDNN_STATUS_SUCCESS:
            if not tries:
                place[row].time = time
            place[row].memory = 0 if direction == DNN_FORWARD and row == 1 else bytes
            if tries and workspace is not NULL and bytes > size:
                place[row].memory = size  # what it has no room for is in the handle's memory
            place[row].determinism = <uint32_t>(CUDNN_DETERMINISTIC if repeats or k.unrolled
                                                else CUDNN_NON_DETERMINISTIC)
        give(count, row + 1)
    return CUDNN_STATUS_SUCCESS


cdef cudnnStatus_t tried(dnn_handle *h, int direction, dnn_tensor *xd, dnn_filter *wd, dnn_convolution *d,
        dnn_tensor *yd, int asked, int *count, void *results) noexcept nogil:
    """On memory that is there for this call alone."""
    cdef dnn_work k
    cdef void *data[3]
    cdef size_t bytes
    cdef int i
    cdef cudnnStatus_t status = begun(&k, direction, xd, wd, d, yd)
    if status != CUDNN_STATUS_SUCCESS:
        return status
    for i in range(3):
        data[i] = NULL
    for i in range(3):
        bytes = dnn_bytes(&k.given[i])
        if (dg_hip.hipMalloc(&data[i], bytes) != 0
                or dg_hip.hipMemsetAsync(data[i], 0, bytes, <hipStream_t>to_stream(h.stream)) != 0):
            status = dnn_because(CUDNN_STATUS_ALLOC_FAILED, b"no memory to try the algorithms on")
            break
    if status == CUDNN_STATUS_SUCCESS:
        status = rows(h, direction, xd, wd, d, yd, asked, count, results, data, NULL, 0, True)
    dg_hip.hipStreamSynchronize(<hipStream_t>to_stream(h.stream))
    for i in range(3):
        if data[i] is not NULL:
            dg_hip.hipFree(data[i])
    return status


cdef cudnnStatus_t tried_here(dnn_handle *h, int direction, dnn_tensor *xd, const void *x, dnn_filter *wd,
        const void *w, dnn_convolution *d, dnn_tensor *yd, const void *y, int asked, int *count, void *results,
        void *workspace, size_t size) noexcept nogil:
    cdef void *data[3]
    if x is NULL or w is NULL or y is NULL:
        return bad(b"a tensor or a filter is NULL")
    if direction == DNN_FORWARD and of_bytes(xd, yd):  # what MIOpen writes is no int8
        return tried(h, direction, xd, wd, d, yd, asked, count, results)
    data[0] = <void *>x
    data[1] = <void *>w
    data[2] = <void *>y
    return rows(h, direction, xd, wd, d, yd, asked, count, results, data, workspace, size, True)


cdef cudnnStatus_t workspace_size(dnn_handle *h, int direction, dnn_tensor *xd, dnn_filter *wd, dnn_convolution *d,
        dnn_tensor *yd, bint repeats, bint none, size_t *size) noexcept nogil:
    cdef dnn_work k
    cdef float time
    cdef cudnnStatus_t status
    if size is NULL:
        return bad(b"sizeInBytes is NULL")
    status = begun(&k, direction, xd, wd, d, yd)
    if status == CUDNN_STATUS_SUCCESS:
        status = dnn_conv_size(h, &k, repeats, size, &time)
    if status == CUDNN_STATUS_SUCCESS and none:
        size[0] = 0
    return status


# ---- forward

cdef public cudnnStatus_t get_convolution_forward_algorithm_v7(dnn_handle *h, dnn_tensor *xd, dnn_filter *wd,
        dnn_convolution *d, dnn_tensor *yd, const int asked, int *count,
        cudnnConvolutionFwdAlgoPerf_t *results) noexcept nogil:
    return rows(h, DNN_FORWARD, xd, wd, d, yd, asked, count, results, NULL, NULL, 0, False)


cdef public cudnnStatus_t find_convolution_forward_algorithm(dnn_handle *h, dnn_tensor *xd, dnn_filter *wd,
        dnn_convolution *d, dnn_tensor *yd, const int asked, int *count,
        cudnnConvolutionFwdAlgoPerf_t *results) noexcept nogil:
    return tried(h, DNN_FORWARD, xd, wd, d, yd, asked, count, results)


cdef public cudnnStatus_t find_convolution_forward_algorithm_ex(dnn_handle *h, dnn_tensor *xd, const void *x,
        dnn_filter *wd, const void *w, dnn_convolution *d, dnn_tensor *yd, void *y, const int asked, int *count,
        cudnnConvolutionFwdAlgoPerf_t *results, void *workspace, size_t size) noexcept nogil:
    return tried_here(h, DNN_FORWARD, xd, x, wd, w, d, yd, y, asked, count, results, workspace, size)


cdef public cudnnStatus_t get_convolution_forward_workspace_size(dnn_handle *h, dnn_tensor *xd, dnn_filter *wd,
        dnn_convolution *d, dnn_tensor *yd, cudnnConvolutionFwdAlgo_t algorithm, size_t *size) noexcept nogil:
    if not is_forward(algorithm):
        return cannot(b"algo is no algorithm of forward convolutions")
    return workspace_size(h, DNN_FORWARD, xd, wd, d, yd, True, algorithm == CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM,
                          size)


# ---- gradients of the data

cdef public cudnnStatus_t get_convolution_backward_data_algorithm_v7(dnn_handle *h, dnn_filter *wd, dnn_tensor *dyd,
        dnn_convolution *d, dnn_tensor *dxd, const int asked, int *count,
        cudnnConvolutionBwdDataAlgoPerf_t *results) noexcept nogil:
    return rows(h, DNN_BACKWARD_DATA, dxd, wd, d, dyd, asked, count, results, NULL, NULL, 0, False)


cdef public cudnnStatus_t find_convolution_backward_data_algorithm(dnn_handle *h, dnn_filter *wd, dnn_tensor *dyd,
        dnn_convolution *d, dnn_tensor *dxd, const int asked, int *count,
        cudnnConvolutionBwdDataAlgoPerf_t *results) noexcept nogil:
    return tried(h, DNN_BACKWARD_DATA, dxd, wd, d, dyd, asked, count, results)


cdef public cudnnStatus_t find_convolution_backward_data_algorithm_ex(dnn_handle *h, dnn_filter *wd, const void *w,
        dnn_tensor *dyd, const void *dy, dnn_convolution *d, dnn_tensor *dxd, void *dx, const int asked, int *count,
        cudnnConvolutionBwdDataAlgoPerf_t *results, void *workspace, size_t size) noexcept nogil:
    return tried_here(h, DNN_BACKWARD_DATA, dxd, dx, wd, w, d, dyd, dy, asked, count, results, workspace, size)


cdef public cudnnStatus_t get_convolution_backward_data_workspace_size(dnn_handle *h, dnn_filter *wd, dnn_tensor *dyd,
        dnn_convolution *d, dnn_tensor *dxd, cudnnConvolutionBwdDataAlgo_t algorithm, size_t *size) noexcept nogil:
    if not is_backward_data(algorithm):
        return cannot(b"algo is no algorithm of data gradients")
    return workspace_size(h, DNN_BACKWARD_DATA, dxd, wd, d, dyd, repeats_data(algorithm), False, size)


# ---- gradients of the filter

cdef public cudnnStatus_t get_convolution_backward_filter_algorithm_v7(dnn_handle *h, dnn_tensor *xd, dnn_tensor *dyd,
        dnn_convolution *d, dnn_filter *dwd, const int asked, int *count,
        cudnnConvolutionBwdFilterAlgoPerf_t *results) noexcept nogil:
    return rows(h, DNN_BACKWARD_FILTER, xd, dwd, d, dyd, asked, count, results, NULL, NULL, 0, False)


cdef public cudnnStatus_t find_convolution_backward_filter_algorithm(dnn_handle *h, dnn_tensor *xd, dnn_tensor *dyd,
        dnn_convolution *d, dnn_filter *dwd, const int asked, int *count,
        cudnnConvolutionBwdFilterAlgoPerf_t *results) noexcept nogil:
    return tried(h, DNN_BACKWARD_FILTER, xd, dwd, d, dyd, asked, count, results)


cdef public cudnnStatus_t find_convolution_backward_filter_algorithm_ex(dnn_handle *h, dnn_tensor *xd, const void *x,
        dnn_tensor *dyd, const void *dy, dnn_convolution *d, dnn_filter *dwd, void *dw, const int asked, int *count,
        cudnnConvolutionBwdFilterAlgoPerf_t *results, void *workspace, size_t size) noexcept nogil:
    return tried_here(h, DNN_BACKWARD_FILTER, xd, x, dwd, dw, d, dyd, dy, asked, count, results, workspace, size)


cdef public cudnnStatus_t get_convolution_backward_filter_workspace_size(dnn_handle *h, dnn_tensor *xd, dnn_tensor *dyd,
        dnn_convolution *d, dnn_filter *dwd, cudnnConvolutionBwdFilterAlgo_t algorithm, size_t *size) noexcept nogil:
    if not is_backward_filter(algorithm):
        return cannot(b"algo is no algorithm of filter gradients")
    return workspace_size(h, DNN_BACKWARD_FILTER, xd, dwd, d, dyd, repeats_filter(algorithm), False, size)
