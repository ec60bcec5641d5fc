# Convolutions. Blocks of tables/cudnn/convolution.yaml.

include "common.pxi"
include "amd.pxi"
include "convolve.pxi"
include "convolution_algorithms.pxi"
include "bytes.pxi"
include "fold.pxi"


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
    dnn_amd_forgotten(&d.amd)
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
    if dnn_type_bytes(<int>type) == 0 or type == <uint32_t>CUDNN_DATA_INT8:
        return bad(b"computeType is no type of this version, or INT8, in which nothing is computed")
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
    dnn_amd_forgotten(&d.amd)
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


cdef public cudnnStatus_t set_convolution_nd_descriptor(dnn_convolution *d, int count, const int *pad,
        const int *stride, const int *dilation, cudnnConvolutionMode_t mode, cudnnDataType_t type) noexcept nogil:
    if count > DNN_SPATIALS:
        return cannot(b"more than 6 spatial dimensions")
    if count < 0 or pad is NULL or stride is NULL or dilation is NULL:
        return bad(b"arrayLength is negative, or padA, filterStrideA or dilationA is NULL")
    return fill_convolution(d, count, pad, stride, dilation, mode, type)


cdef public cudnnStatus_t get_convolution_nd_descriptor(dnn_convolution *d, int asked, int *count, int *pad,
        int *stride, int *dilation, cudnnConvolutionMode_t *mode, cudnnDataType_t *type) noexcept nogil:
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


# ---- the calls: any algorithm is taken, AMD's own choice serves (solutions.pyx)

cdef cudnnStatus_t convolved(dnn_handle *h, int direction, bint repeatable, const void *alpha, dnn_tensor *xd,
        const void *x, dnn_filter *wd, const void *w, dnn_convolution *d, void *workspace, size_t size,
        const void *beta, dnn_tensor *yd, const void *y) noexcept nogil:
    cdef void *data[3]
    data[0] = <void *>x
    data[1] = <void *>w
    data[2] = <void *>y
    return dnn_conv_call(h, direction, repeatable, alpha, xd, wd, d, data, workspace, size, beta, yd)


cdef cudnnStatus_t convolved_whole(dnn_handle *h, const void *alpha, dnn_tensor *xd, const void *x, dnn_filter *wd,
        const void *w, dnn_convolution *d, void *workspace, size_t size, const void *beta, dnn_tensor *yd,
        void *y) noexcept nogil:
    """int8 into int32. NVIDIA's library reads both factors as int32 there; MIOpen has no other than 1 and 0."""
    cdef dnn_work k
    cdef void *data[3]
    cdef cudnnStatus_t status = dnn_conv_begin(&k, DNN_FORWARD, xd, wd, d, yd)
    if status != CUDNN_STATUS_SUCCESS:
        return status
    if x is NULL or w is NULL or y is NULL or alpha is NULL or beta is NULL:
        return bad(b"x, w, y, alpha or beta is NULL")
    if (<const int32_t *>alpha)[0] != 1 or (<const int32_t *>beta)[0] != 0:
        return cannot(b"factors of int32 sums are int32, as NVIDIA's library reads them, and other than 1 and 0")
    data[0] = <void *>x
    data[1] = <void *>w
    data[2] = y
    return dnn_conv(h, &k, True, 1, data, workspace, size, 0)


cdef public cudnnStatus_t convolution_forward(dnn_handle *h, const void *alpha, dnn_tensor *xd, const void *x,
        dnn_filter *wd, const void *w, dnn_convolution *d, cudnnConvolutionFwdAlgo_t algorithm, void *workspace,
        size_t size, const void *beta, dnn_tensor *yd, void *y) noexcept nogil:
    if not is_forward(algorithm):
        return cannot(b"algo is no algorithm of forward convolutions")
    if of_bytes(xd, yd):
        if x is NULL or w is NULL or y is NULL or alpha is NULL or beta is NULL:
            return bad(b"x, w, y, alpha or beta is NULL")
        return dnn_bytes_conv(h, dnn_factor(yd.type, alpha), xd, x, wd, w, d, workspace, size,
                              dnn_factor(yd.type, beta), yd, y, NULL, NULL, False, yd, y)
    if yd.type == CUDNN_DATA_INT32 and xd.type == CUDNN_DATA_INT8:
        return convolved_whole(h, alpha, xd, x, wd, w, d, workspace, size, beta, yd, y)
    return convolved(h, DNN_FORWARD, True, alpha, xd, x, wd, w, d, workspace, size, beta, yd, y)


cdef public cudnnStatus_t convolution_backward_data(dnn_handle *h, const void *alpha, dnn_filter *wd, const void *w,
        dnn_tensor *dyd, const void *dy, dnn_convolution *d, cudnnConvolutionBwdDataAlgo_t algorithm, void *workspace,
        size_t size, const void *beta, dnn_tensor *dxd, void *dx) noexcept nogil:
    if not is_backward_data(algorithm):
        return cannot(b"algo is no algorithm of data gradients")
    return convolved(h, DNN_BACKWARD_DATA, repeats_data(algorithm), alpha, dxd, dx, wd, w, d, workspace, size, beta,
                     dyd, dy)


cdef public cudnnStatus_t convolution_backward_filter(dnn_handle *h, const void *alpha, dnn_tensor *xd, const void *x,
        dnn_tensor *dyd, const void *dy, dnn_convolution *d, cudnnConvolutionBwdFilterAlgo_t algorithm, void *workspace,
        size_t size, const void *beta, dnn_filter *dwd, void *dw) noexcept nogil:
    if not is_backward_filter(algorithm):
        return cannot(b"algo is no algorithm of filter gradients")
    return convolved(h, DNN_BACKWARD_FILTER, repeats_filter(algorithm), alpha, xd, x, dwd, dw, d, workspace, size, beta,
                     dyd, dy)


cdef public cudnnStatus_t convolution_backward_bias(dnn_handle *h, const void *alpha, dnn_tensor *dyd, const void *dy,
        const void *beta, dnn_tensor *dbd, void *db) noexcept nogil:
    """A reduction: MIOpen's own function of the name takes a channel's rows for one run, and no doubles."""
    cdef float one = 1
    cdef float zero = 0
    cdef double d_one = 1
    cdef double d_zero = 0
    cdef dnn_tensor sums
    cdef char *memory
    cdef void *reduce
    cdef void *ady
    cdef void *asums
    cdef size_t bytes = 0
    cdef int i
    cdef uint32_t status
    if dyd.count == 0 or dbd.count == 0:
        return bad(b"a descriptor has not been set")
    if dyd.count < 3 or dbd.count != dyd.count or dbd.dim[1] != dyd.dim[1] or dbd.type != dyd.type:
        return bad(b"the bias has not the tensor's channels or type")
    for i in range(dbd.count):
        if i != 1 and dbd.dim[i] != 1:
            return bad(b"the bias is more than one number for each channel")
    if dy is NULL or db is NULL or alpha is NULL or beta is NULL:
        return bad(b"dy, db, alpha or beta is NULL")
    if (dyd.type != CUDNN_DATA_FLOAT and dyd.type != CUDNN_DATA_HALF and dyd.type != CUDNN_DATA_BFLOAT16
            and dyd.type != CUDNN_DATA_DOUBLE):
        return cannot(b"MIOpen sums no such type")
    if dyd.count > 6:
        return cannot(b"MIOpen reduces 6 dimensions at most")
    sums = dyd[0]
    sums.amd = NULL
    for i in range(dyd.count):
        sums.dim[i] = dyd.dim[1] if i == 1 else 1
        sums.stride[i] = 1 if i >= 1 else dyd.dim[1]
    reduce = dnn_amd_reduce(
        h, MIOPEN_REDUCE_TENSOR_ADD, miopenDouble if dyd.type == CUDNN_DATA_DOUBLE else miopenFloat,
        MIOPEN_PROPAGATE_NAN, MIOPEN_REDUCE_TENSOR_NO_INDICES, MIOPEN_32BIT_INDICES)
    ady = dnn_amd_tensor(h, dyd)
    asums = dnn_amd_shape(h, sums.type, sums.count, sums.dim, sums.stride)
    if reduce is NULL or ady is NULL or asums is NULL:
        return CUDNN_STATUS_NOT_SUPPORTED
    status = dg_miopen.miopenGetReductionWorkspaceSize(
        <miopenHandle_t>h.amd, <miopenReduceTensorDescriptor_t>reduce, <miopenTensorDescriptor_t>ady,
        <miopenTensorDescriptor_t>asums, &bytes)
    if status != 0:
        return answered(status, b"miopenGetReductionWorkspaceSize")
    bytes = rounded(bytes)
    memory = <char *>dnn_scratch(h, bytes + dnn_bytes(&sums))
    if memory is NULL:
        return dnn_because(CUDNN_STATUS_ALLOC_FAILED, b"no memory for the sums")
    status = dg_miopen.miopenReduceTensor(
        <miopenHandle_t>h.amd, <miopenReduceTensorDescriptor_t>reduce, NULL, 0, memory, bytes,
        <void *>&d_one if dyd.type == CUDNN_DATA_DOUBLE else <void *>&one, <miopenTensorDescriptor_t>ady, dy,
        <void *>&d_zero if dyd.type == CUDNN_DATA_DOUBLE else <void *>&zero, <miopenTensorDescriptor_t>asums,
        memory + bytes)
    if status != 0:
        return answered(status, b"miopenReduceTensor")
    for i in range(2, dbd.count):
        sums.dim[i] = sums.stride[i] = 1
    sums.count = dbd.count
    return dnn_finished(h, dnn_factor(dyd.type, alpha), &sums, memory + bytes, dnn_factor(dyd.type, beta), dbd, db)


cdef public cudnnStatus_t convolution_bias_activation_forward(dnn_handle *h, const void *alpha1, dnn_tensor *xd,
        const void *x, dnn_filter *wd, const void *w, dnn_convolution *d, cudnnConvolutionFwdAlgo_t algorithm,
        void *workspace, size_t size, const void *alpha2, dnn_tensor *zd, const void *z, dnn_tensor *bd,
        const void *bias, dnn_activation *act, dnn_tensor *yd, void *y) noexcept nogil:
    """Step by step: MIOpen's fused call has no z and one algorithm."""
    cdef dnn_work k
    cdef void *data[3]
    cdef dnn_tensor row
    cdef double a1, a2
    cdef void *zero
    cdef int i
    cdef cudnnStatus_t status
    if not is_forward(algorithm):
        return cannot(b"algo is no algorithm of forward convolutions")
    if yd.type == CUDNN_DATA_INT32:
        return dnn_because(CUDNN_STATUS_NOT_SUPPORTED_DATA_TYPE, b"NVIDIA's call too has no activation of int32")
    cdef bint bytes = of_bytes(xd, yd)
    if bytes:
        status = dnn_bytes_begin(&k, xd, wd, d, yd)
    else:
        status = dnn_conv_begin(&k, DNN_FORWARD, xd, wd, d, yd)
    if status != CUDNN_STATUS_SUCCESS:
        return status
    if x is NULL or w is NULL or y is NULL or bias is NULL or alpha1 is NULL or alpha2 is NULL:
        return bad(b"x, w, y, bias, alpha1 or alpha2 is NULL")
    if act.mode != CUDNN_ACTIVATION_RELU and act.mode != CUDNN_ACTIVATION_IDENTITY:
        return cannot(b"NVIDIA's call too has no activation but RELU and IDENTITY")
    if act.mode == CUDNN_ACTIVATION_IDENTITY and algorithm != CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM:
        return cannot(b"NVIDIA's call too has IDENTITY with IMPLICIT_PRECOMP_GEMM alone")
    if act.mode == CUDNN_ACTIVATION_RELU and act.nan != CUDNN_NOT_PROPAGATE_NAN:
        return cannot(b"NVIDIA's call too does not propagate NaN")
    if bd.count != yd.count or zd.count != yd.count:
        return bad(b"the bias, or z, has not as many dimensions as the output")
    for i in range(bd.count):
        if bd.dim[i] != (yd.dim[1] if i == 1 else 1):
            return dnn_because(CUDNN_STATUS_NOT_SUPPORTED_SHAPE, b"the bias is not one number for each channel")
    if not same_sizes(zd, yd) or zd.type != yd.type:
        return dnn_because(CUDNN_STATUS_NOT_SUPPORTED_SHAPE, b"z and y differ in sizes or type")
    if bd.type != (CUDNN_DATA_FLOAT if bytes else yd.type):
        return dnn_because(CUDNN_STATUS_NOT_SUPPORTED_DATA_TYPE,
                           b"the bias is not of the output's type, or float beside int8")
    a2 = dnn_factor(yd.type, alpha2)
    if a2 != 0:
        if z is NULL:
            return bad(b"z is NULL, and alpha2 is not 0")
        if z == y:
            for i in range(yd.count):
                if zd.dim[i] != 1 and zd.stride[i] != yd.stride[i]:
                    return cannot(b"z lies on y in another layout")
    if bytes:
        return dnn_bytes_conv(h, dnn_factor(yd.type, alpha1), xd, x, wd, w, d, workspace, size, a2, zd, z, bd, bias,
                              act.mode == CUDNN_ACTIVATION_RELU, yd, y)
    row = yd[0]
    row.amd = NULL
    for i in range(yd.count):
        row.dim[i] = yd.dim[1] if i == 1 else 1
        row.stride[i] = bd.stride[1]
    data[0] = <void *>x
    data[1] = <void *>w
    data[2] = y
    a1 = dnn_factor(yd.type, alpha1)
    if k.unrolled or (a2 != 0 and z == y):
        status = dnn_conv(h, &k, True, a1, data, workspace, size, a2 if z == y else 0)
        a1 = 1
    else:  # the factor goes with the next step, which saves a rounding
        status = dnn_conv(h, &k, True, 1, data, workspace, size, 0)
    if status == CUDNN_STATUS_SUCCESS and a2 != 0 and z != y:
        status = dnn_op_tensor(h, miopenTensorOpAdd, a1, yd, y, a2, zd, z, 0, yd, y)
        a1 = 1
    if status == CUDNN_STATUS_SUCCESS:
        status = dnn_op_tensor(h, miopenTensorOpAdd, a1, yd, y, 1, &row, bias, 0, yd, y)
    if status != CUDNN_STATUS_SUCCESS or act.mode == CUDNN_ACTIVATION_IDENTITY:
        return status
    zero = dnn_scratch(h, sizeof(double))
    if zero is NULL or dg_hip.hipMemsetAsync(zero, 0, sizeof(double), <hipStream_t>to_stream(h.stream)) != 0:
        return dnn_because(CUDNN_STATUS_ALLOC_FAILED, b"no memory for a zero")
    for i in range(yd.count):
        row.dim[i] = row.stride[i] = 1
    return dnn_op_tensor(h, miopenTensorOpMax, 1, yd, y, 1, &row, zero, 0, yd, y)


cdef public cudnnStatus_t reorder_filter_and_bias(dnn_handle *h, dnn_filter *wd, cudnnReorderType_t order,
        const void *w, void *ordered, int with_bias, const void *bias, void *ordered_bias) noexcept nogil:
    """Any other word than DEFAULT_REORDER copies, as NVIDIA's library does."""
    cdef size_t size
    cdef int i
    cdef cudnnStatus_t status
    if wd.count == 0:
        return bad(b"the filter's descriptor has not been set")
    if w is NULL or ordered is NULL or (with_bias and (bias is NULL or ordered_bias is NULL)):
        return bad(b"filterData, reorderedFilterData, or a bias that is asked for, is NULL")
    if w == ordered or (with_bias and bias == ordered_bias):
        return bad(b"what is put in order lies where it came from")
    if order == CUDNN_DEFAULT_REORDER:
        if wd.type != CUDNN_DATA_INT8x32:
            return cannot(b"NVIDIA's call too orders INT8x32 alone")
        if wd.dim[0] % 32:
            return cannot(b"the filters are no multiple of 32, of which NVIDIA's order consists")
        status = dnn_bytes_ordered(h, wd, w, ordered)
        if status == CUDNN_STATUS_SUCCESS and with_bias:
            status = dnn_bias_ordered(h, wd.dim[0], False, bias, ordered_bias)
        return status
    size = <size_t>dnn_type_bytes(wd.type) * <size_t>wd.dim[0] * <size_t>wd.dim[1]
    for i in range(2, wd.count):
        size *= <size_t>wd.dim[i]
    size //= <size_t>dnn_type_vector(wd.type)
    if dg_hip.hipMemcpyAsync(ordered, w, size, hipMemcpyDeviceToDevice, <hipStream_t>to_stream(h.stream)) != 0 or (
            with_bias and dg_hip.hipMemcpyAsync(
                ordered_bias, bias, <size_t>wd.dim[0] * 4, hipMemcpyDeviceToDevice, <hipStream_t>to_stream(h.stream))
                != 0):
        return dnn_because(CUDNN_STATUS_EXECUTION_FAILED, b"the filter or the bias cannot be copied")
    return CUDNN_STATUS_SUCCESS


cdef public cudnnStatus_t im2col(dnn_handle *h, dnn_tensor *xd, const void *x, dnn_filter *wd, dnn_convolution *d,
        void *columns) noexcept nogil:
    """A matrix of channels and taps (rows) by images and outputs, in the data's own type."""
    cdef dnn_work k
    cdef dnn_filter taps
    cdef dnn_convolution whole
    cdef dnn_tensor y
    cdef int64_t[3] steps
    cdef int64_t spots = 1
    cdef size_t bytes
    cdef int[DNN_DIMS] dim
    cdef int i
    cdef cudnnStatus_t status
    if xd.count == 0 or wd.count == 0 or d.count == 0:
        return bad(b"a descriptor has not been set")
    if xd.count != d.count + 2 or wd.count < xd.count or xd.count > 5:
        return cannot(b"not 3 to 5 dimensions, or the tensor's are not the convolution's")
    taps = wd[0]  # of which nothing counts but the taps
    taps.type = xd.type
    taps.format = CUDNN_TENSOR_NCHW
    taps.count = xd.count
    taps.dim[0] = 1
    taps.dim[1] = xd.dim[1]
    whole = d[0]
    whole.groups = 1
    if xd.type == CUDNN_DATA_DOUBLE:
        whole.type = CUDNN_DATA_DOUBLE
    status = dnn_convolved(&whole, xd, &taps, dim)
    if status != CUDNN_STATUS_SUCCESS:
        return status
    y = xd[0]
    y.format = CUDNN_TENSOR_NCHW
    for i in range(xd.count):
        y.dim[i] = dim[i]
        if i >= 2:
            spots *= dim[i]
    dnn_pack(CUDNN_TENSOR_NCHW, y.type, y.count, y.dim, y.stride)
    status = dnn_conv_begin(&k, DNN_FORWARD, xd, &taps, &whole, &y)
    if status != CUDNN_STATUS_SUCCESS:
        return status
    if x is NULL or columns is NULL:
        return bad(b"x or colBuffer is NULL")
    steps[0] = spots
    steps[2] = spots * xd.dim[0]
    steps[1] = steps[2] * k.taps
    if steps[1] > 0x7fffffff:
        return cannot(b"a channel's columns are too large")
    bytes = <size_t>(steps[1] * xd.dim[1]) * <size_t>dnn_type_bytes(xd.type)
    if dg_hip.hipMemsetAsync(columns, 0, bytes, <hipStream_t>to_stream(h.stream)) != 0:
        return dnn_because(CUDNN_STATUS_EXECUTION_FAILED, b"the columns cannot be set to 0")
    return dnn_unroll(h, &k, 0, xd.dim[0], x, columns, steps, k.flip)
