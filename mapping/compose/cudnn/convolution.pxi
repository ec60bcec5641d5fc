# Convolutions. Blocks of tables/cudnn/convolution.yaml.

include "common.pxi"


cdef public cudnnStatus_t create_convolution_descriptor(cudnnConvolutionDescriptor_t *place) noexcept nogil:
    cdef cudnnStatus_t status = dnn_new(<void **>place, DNN_CONVOLUTION)
    if status == CUDNN_STATUS_SUCCESS:
        (<dnn_convolution *>place[0]).groups = 1
    return status


cdef public cudnnStatus_t destroy_convolution_descriptor(dnn_convolution *d) noexcept nogil:
    return dnn_delete(d, DNN_CONVOLUTION)


cdef public cudnnStatus_t set_convolution_math_type(dnn_convolution *d, cudnnMathType_t math) noexcept nogil:
    """Kept: MIOpen has no such choice."""
    if <uint32_t>math > <uint32_t>CUDNN_FMA_MATH:
        return bad(b"mathType is no math type")
    d.math = <int32_t>math
    return CUDNN_STATUS_SUCCESS


cdef public cudnnStatus_t get_convolution_math_type(dnn_convolution *d, cudnnMathType_t *math) noexcept nogil:
    if math is NULL:
        return bad(b"mathType is NULL")
    math[0] = <cudnnMathType_t>d.math
    return CUDNN_STATUS_SUCCESS


cdef public cudnnStatus_t set_convolution_group_count(dnn_convolution *d, int groups) noexcept nogil:
    if groups < 1:
        return bad(b"groupCount is below 1")
    d.groups = groups
    d.amd = NULL
    return CUDNN_STATUS_SUCCESS


cdef public cudnnStatus_t get_convolution_group_count(dnn_convolution *d, int *groups) noexcept nogil:
    if groups is NULL:
        return bad(b"groupCount is NULL")
    groups[0] = d.groups
    return CUDNN_STATUS_SUCCESS


cdef public cudnnStatus_t set_convolution_reorder_type(dnn_convolution *d, cudnnReorderType_t reorder) noexcept nogil:
    """Kept: AMD's cards ask for no other order of an int8 filter."""
    if <uint32_t>reorder > <uint32_t>CUDNN_NO_REORDER:
        return bad(b"reorderType is neither DEFAULT_REORDER nor NO_REORDER")
    d.reorder = <int32_t>reorder
    return CUDNN_STATUS_SUCCESS


cdef public cudnnStatus_t get_convolution_reorder_type(dnn_convolution *d, cudnnReorderType_t *reorder) noexcept nogil:
    if reorder is NULL:
        return bad(b"reorderType is NULL")
    reorder[0] = <cudnnReorderType_t>d.reorder
    return CUDNN_STATUS_SUCCESS


cdef cudnnStatus_t fill_convolution(dnn_convolution *d, int count, const int *pad, const int *stride,
        const int *dilation, uint32_t mode, uint32_t type) noexcept nogil:
    cdef int i
    if mode > <uint32_t>CUDNN_CROSS_CORRELATION:
        return bad(b"mode is neither CONVOLUTION nor CROSS_CORRELATION")
    if dnn_type_bytes(<int>type) == 0:
        return bad(b"computeType is no type of this version")
    for i in range(count):
        if pad[i] < 0:
            return bad(b"a padding is negative")
        if stride[i] <= 0 or dilation[i] <= 0:
            return bad(b"a stride or dilation is not positive")
    d.mode = <int32_t>mode
    d.type = <int32_t>type
    d.count = count
    memcpy(d.pad, pad, <size_t>count * sizeof(int32_t))
    memcpy(d.stride, stride, <size_t>count * sizeof(int32_t))
    memcpy(d.dilation, dilation, <size_t>count * sizeof(int32_t))
    d.amd = NULL
    return CUDNN_STATUS_SUCCESS


cdef public cudnnStatus_t set_convolution2d_descriptor(dnn_convolution *d, int pad_h, int pad_w, int u, int v,
        int dilation_h, int dilation_w, cudnnConvolutionMode_t mode, cudnnDataType_t type) noexcept nogil:
    cdef int[2] pad
    cdef int[2] stride
    cdef int[2] dilation
    pad[0] = pad_h
    pad[1] = pad_w
    stride[0] = u
    stride[1] = v
    dilation[0] = dilation_h
    dilation[1] = dilation_w
    return fill_convolution(d, 2, pad, stride, dilation, mode, type)


cdef public cudnnStatus_t get_convolution2d_descriptor(dnn_convolution *d, int *pad_h, int *pad_w, int *u, int *v,
        int *dilation_h, int *dilation_w, cudnnConvolutionMode_t *mode, cudnnDataType_t *type) noexcept nogil:
    if d.count != 2:
        return bad(b"the convolution has not 2 dimensions")
    give(pad_h, d.pad[0])
    give(pad_w, d.pad[1])
    give(u, d.stride[0])
    give(v, d.stride[1])
    give(dilation_h, d.dilation[0])
    give(dilation_w, d.dilation[1])
    give(<int *>mode, d.mode)
    give(<int *>type, d.type)
    return CUDNN_STATUS_SUCCESS


cdef public cudnnStatus_t set_convolution_nd_descriptor(dnn_convolution *d, int count, const int *pad, const int *stride,
        const int *dilation, cudnnConvolutionMode_t mode, cudnnDataType_t type) noexcept nogil:
    if count > DNN_SPATIALS:
        return cannot(b"more than 6 spatial dimensions")
    if count < 0 or pad is NULL or stride is NULL or dilation is NULL:
        return bad(b"arrayLength is negative, or padA, filterStrideA or dilationA is NULL")
    return fill_convolution(d, count, pad, stride, dilation, mode, type)


cdef public cudnnStatus_t get_convolution_nd_descriptor(dnn_convolution *d, int asked, int *count, int *pad, int *stride,
        int *dilation, cudnnConvolutionMode_t *mode, cudnnDataType_t *type) noexcept nogil:
    cdef int i
    if asked < 0 or asked > DNN_DIMS:
        return bad(b"arrayLengthRequested is not from 0 to 8")
    give(count, d.count)
    give(<int *>mode, d.mode)
    give(<int *>type, d.type)
    for i in range(asked if asked < d.count else d.count):
        if pad is not NULL:
            pad[i] = d.pad[i]
        if stride is not NULL:
            stride[i] = d.stride[i]
        if dilation is not NULL:
            dilation[i] = d.dilation[i]
    return CUDNN_STATUS_SUCCESS


cdef public cudnnStatus_t get_convolution_nd_forward_output_dim(dnn_convolution *d, dnn_tensor *x, dnn_filter *w,
        int count, int *out) noexcept nogil:
    cdef int[DNN_DIMS] dim
    cdef cudnnStatus_t status
    if out is NULL:
        return bad(b"tensorOuputDimA is NULL")
    if count != x.count and count:
        return bad(b"nbDims is neither 0 nor the tensor's number of dimensions")
    status = dnn_convolved(d, x, w, dim)
    if status == CUDNN_STATUS_SUCCESS:
        memcpy(out, dim, <size_t>count * sizeof(int))
    return status


cdef public cudnnStatus_t get_convolution2d_forward_output_dim(dnn_convolution *d, dnn_tensor *x, dnn_filter *w, int *n,
        int *c, int *h, int *width) noexcept nogil:
    cdef int[DNN_DIMS] dim
    cdef cudnnStatus_t status
    if x.count != 4:
        return bad(b"the tensor has not 4 dimensions")
    status = dnn_convolved(d, x, w, dim)
    if status == CUDNN_STATUS_SUCCESS:
        give(n, dim[0])
        give(c, dim[1])
        give(h, dim[2])
        give(width, dim[3])
    return status
