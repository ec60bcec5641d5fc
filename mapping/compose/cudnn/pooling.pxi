# Pooling. Blocks of tables/cudnn/pooling.yaml.

include "common.pxi"


cdef public cudnnStatus_t create_pooling_descriptor(cudnnPoolingDescriptor_t *place) noexcept nogil:
    return dnn_new(<void **>place, DNN_POOLING)


cdef public cudnnStatus_t destroy_pooling_descriptor(dnn_pooling *d) noexcept nogil:
    return dnn_delete(d, DNN_POOLING)


cdef cudnnStatus_t fill_pooling(dnn_pooling *d, uint32_t mode, uint32_t nan, int count, const int *window,
        const int *pad, const int *stride) noexcept nogil:
    cdef int i
    if mode > <uint32_t>CUDNN_POOLING_MAX_DETERMINISTIC:
        return bad(b"mode is no pooling")
    if not is_nan_rule(nan):
        return bad(b"maxpoolingNanOpt is neither PROPAGATE nor NOT_PROPAGATE")
    for i in range(count):
        if window[i] <= 0 or stride[i] <= 0:
            return bad(b"a window or stride is not positive")
    d.mode = <int32_t>mode
    d.nan = <int32_t>nan
    d.count = count
    memcpy(d.window, window, <size_t>count * sizeof(int32_t))
    memcpy(d.pad, pad, <size_t>count * sizeof(int32_t))
    memcpy(d.stride, stride, <size_t>count * sizeof(int32_t))
    d.amd = NULL
    return CUDNN_STATUS_SUCCESS


cdef public cudnnStatus_t set_pooling2d_descriptor(dnn_pooling *d, cudnnPoolingMode_t mode, cudnnNanPropagation_t nan,
        int window_h, int window_w, int pad_h, int pad_w, int stride_h, int stride_w) noexcept nogil:
    cdef int[2] window
    cdef int[2] pad
    cdef int[2] stride
    window[0] = window_h
    window[1] = window_w
    pad[0] = pad_h
    pad[1] = pad_w
    stride[0] = stride_h
    stride[1] = stride_w
    return fill_pooling(d, mode, nan, 2, window, pad, stride)


cdef public cudnnStatus_t get_pooling2d_descriptor(dnn_pooling *d, cudnnPoolingMode_t *mode, cudnnNanPropagation_t *nan,
        int *window_h, int *window_w, int *pad_h, int *pad_w, int *stride_h, int *stride_w) noexcept nogil:
    if d.count != 2:
        return bad(b"the pooling has not 2 dimensions")
    if mode is not NULL:
        mode[0] = <cudnnPoolingMode_t>d.mode
    if nan is not NULL:
        nan[0] = <cudnnNanPropagation_t>d.nan
    give(window_h, d.window[0])
    give(window_w, d.window[1])
    give(pad_h, d.pad[0])
    give(pad_w, d.pad[1])
    give(stride_h, d.stride[0])
    give(stride_w, d.stride[1])
    return CUDNN_STATUS_SUCCESS


cdef public cudnnStatus_t set_pooling_nd_descriptor(dnn_pooling *d, cudnnPoolingMode_t mode, cudnnNanPropagation_t nan,
        int count, const int *window, const int *pad, const int *stride) noexcept nogil:
    if count > DNN_SPATIALS:
        return cannot(b"more than 6 spatial dimensions")
    if count <= 0 or window is NULL or pad is NULL or stride is NULL:
        return bad(b"no dimension, or windowDimA, paddingA or strideA is NULL")
    return fill_pooling(d, mode, nan, count, window, pad, stride)


cdef public cudnnStatus_t get_pooling_nd_descriptor(dnn_pooling *d, int asked, cudnnPoolingMode_t *mode,
        cudnnNanPropagation_t *nan, int *count, int *window, int *pad, int *stride) noexcept nogil:
    cdef int i
    if asked > DNN_DIMS:
        return bad(b"nbDimsRequested is above 8")
    if mode is not NULL:
        mode[0] = <cudnnPoolingMode_t>d.mode
    if nan is not NULL:
        nan[0] = <cudnnNanPropagation_t>d.nan
    give(count, d.count)
    for i in range(asked if asked < d.count else d.count):
        if window is not NULL:
            window[i] = d.window[i]
        if pad is not NULL:
            pad[i] = d.pad[i]
        if stride is not NULL:
            stride[i] = d.stride[i]
    return CUDNN_STATUS_SUCCESS


cdef cudnnStatus_t pooled(dnn_pooling *d, dnn_tensor *x, int *out) noexcept nogil:
    cdef int i
    cdef int reach
    if x.count != d.count + 2 or d.count == 0:
        return bad(b"the tensor has not two dimensions more than the pooling")
    out[0] = x.dim[0]
    out[1] = x.dim[1]
    for i in range(d.count):
        reach = x.dim[i + 2] + 2 * d.pad[i] - d.window[i]
        if reach < 0:
            return bad(b"the window is larger than the padded tensor")
        out[i + 2] = reach // d.stride[i] + 1
    return CUDNN_STATUS_SUCCESS


cdef public cudnnStatus_t get_pooling_nd_forward_output_dim(dnn_pooling *d, dnn_tensor *x, int count,
        int *out) noexcept nogil:
    if out is NULL:
        return bad(b"outputTensorDimA is NULL")
    if count != x.count:
        return bad(b"nbDims is not the tensor's number of dimensions")
    return pooled(d, x, out)


cdef public cudnnStatus_t get_pooling2d_forward_output_dim(dnn_pooling *d, dnn_tensor *x, int *n, int *c, int *h,
        int *w) noexcept nogil:
    cdef int[DNN_DIMS] out
    cdef cudnnStatus_t status
    if x.count != 4 or d.count != 2:
        return bad(b"tensor or pooling is not of 2 spatial dimensions")
    status = pooled(d, x, out)
    if status == CUDNN_STATUS_SUCCESS:
        give(n, out[0])
        give(c, out[1])
        give(h, out[2])
        give(w, out[3])
    return status
