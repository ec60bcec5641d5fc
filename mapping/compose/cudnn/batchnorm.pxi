# Batch normalisation. Blocks of tables/cudnn/batchnorm.yaml.

include "common.pxi"
include "amd.pxi"

cdef extern from "support.h" nogil:
    uint32_t dnn_doubles_activated(dnn_handle *h, int mode, double alpha, double beta, double gamma, int rows,
                                   int64_t columns, int64_t pitch, const double *x, double *y)
    uint32_t dnn_doubles_led_back(dnn_handle *h, int mode, double alpha, int64_t count, const double *y,
                                  const double *dy, const double *x, double *dx)
    uint32_t dnn_doubles_normed(dnn_handle *h, int training, int images, int64_t all, int64_t size, const double *x,
                                double *y, const double *scale, const double *bias, double factor, double *mean,
                                double *variance, double epsilon, double *saved_mean, double *saved_inverse)
    uint32_t dnn_doubles_normed_back(dnn_handle *h, int images, int64_t all, int64_t size, const double *x,
                                     const double *dy, double *dx, const double *scale, double *dscale, double *dbias,
                                     double epsilon, const double *saved_mean, const double *saved_inverse)

from libc.math cimport INFINITY


cdef void parameters_shape(dnn_tensor *out, dnn_tensor *x, bint channels_only) noexcept nogil:
    """1×C×1×1, or 1×C×H×W. Of 16-bit tensors the parameters are float."""
    cdef int i
    out.type = CUDNN_DATA_FLOAT if x.type == CUDNN_DATA_HALF or x.type == CUDNN_DATA_BFLOAT16 else x.type
    out.format = x.format
    out.count = x.count
    for i in range(x.count):
        out.dim[i] = 1 if i == 0 or (channels_only and i > 1) else x.dim[i]
    dnn_pack(x.format, out.type, out.count, out.dim, out.stride)
    out.amd = NULL


cdef public cudnnStatus_t derive_bn_tensor_descriptor(dnn_tensor *derived, dnn_tensor *x,
        cudnnBatchNormMode_t mode) noexcept nogil:
    if <uint32_t>mode > <uint32_t>CUDNN_BATCHNORM_SPATIAL_PERSISTENT:
        return bad(b"mode is no mode of batch normalisation")
    if x.count != 4 and x.count != 5:
        return bad(b"xDesc has neither 4 nor 5 dimensions")
    parameters_shape(derived, x, mode != <uint32_t>CUDNN_BATCHNORM_PER_ACTIVATION)
    return CUDNN_STATUS_SUCCESS


cdef public cudnnStatus_t derive_norm_tensor_descriptor(dnn_tensor *scale, dnn_tensor *mean, dnn_tensor *x,
        cudnnNormMode_t mode, int groups) noexcept nogil:
    if <uint32_t>mode > <uint32_t>CUDNN_NORM_PER_CHANNEL:
        return bad(b"mode is no mode of normalisation")
    if x.count != 4 and x.count != 5:
        return bad(b"xDesc has neither 4 nor 5 dimensions")
    if groups != 1:
        return cannot(b"groupCnt is not 1")
    parameters_shape(scale, x, mode == <uint32_t>CUDNN_NORM_PER_CHANNEL)
    parameters_shape(mean, x, mode == <uint32_t>CUDNN_NORM_PER_CHANNEL)
    return CUDNN_STATUS_SUCCESS


# ---- what MIOpen takes: packed images in the order N, C, H, W; float parameters; alpha 1, beta 0 ----

cdef struct norm_shape:
    dnn_tensor plain         # x in the layout that MIOpen computes in
    dnn_tensor parameter     # and the parameters
    void *image              # both as descriptors of MIOpen's
    void *parameters
    miopenBatchNormMode_t mode
    int images               # the same as images × channels × size
    int64_t channels
    int64_t size
    size_t bytes             # of an image
    size_t parameter_bytes

cdef struct norm_call:
    dnn_handle *h
    bint per_activation
    bint training
    uint32_t ops             # cudnnBatchNormOps_t: cudnnNormOps_t has its numbers
    double epsilon
    double factor
    const void *alpha        # of the data, host memory
    const void *beta
    const void *alpha_params
    const void *beta_params
    dnn_activation *activation
    dnn_tensor *xd
    dnn_tensor *yd
    dnn_tensor *zd
    dnn_tensor *dyd
    dnn_tensor *dzd
    dnn_tensor *dxd
    dnn_tensor *pd           # scale and bias
    dnn_tensor *md           # mean and variance
    const void *x
    const void *z
    const void *y_was        # backward's y
    const void *dy
    void *y
    void *dz
    void *dx
    const void *scale
    const void *bias
    void *mean               # running, or estimated
    void *variance
    void *saved_mean
    void *saved_inverse
    void *dscale
    void *dbias


cdef inline char *taken(char **memory, size_t bytes) noexcept nogil:
    """The next piece of the scratch memory."""
    cdef char *piece = memory[0]
    memory[0] = piece + bytes
    return piece


cdef bint same_layout(const dnn_tensor *a, const dnn_tensor *b) noexcept nogil:
    """Of tensors with the same sizes."""
    cdef int i
    for i in range(a.count):
        if a.dim[i] > 1 and a.stride[i] != b.stride[i]:
            return False
    return True


cdef bint fits(const dnn_tensor *p, const dnn_tensor *x, bint per_activation) noexcept nogil:
    """Whether these parameters are of x's: 1×C×1×1, or 1×C×H×W."""
    cdef int i
    if p.count != x.count or p.type != (CUDNN_DATA_DOUBLE if x.type == CUDNN_DATA_DOUBLE else CUDNN_DATA_FLOAT):
        return False
    for i in range(x.count):
        if p.dim[i] != (1 if i == 0 or (i > 1 and not per_activation) else x.dim[i]):
            return False
    return True


cdef bint dense(const dnn_tensor *d) noexcept nogil:
    """Without gaps, in any order of its dimensions."""
    cdef size_t elements = 1
    cdef int i
    for i in range(d.count):
        elements *= <size_t>d.dim[i]
    return dnn_bytes(d) == elements * <size_t>dnn_type_bytes(d.type)


cdef cudnnStatus_t shaped(norm_call *c, norm_shape *s) noexcept nogil:
    """A channel's values are the image's last two dimensions to MIOpen, whatever their number is here. Per activation,
    an image is a row in the parameters' order. Both are packed in N, C, H, W: older MIOpens take all to be so."""
    cdef dnn_tensor *x = c.xd
    cdef dnn_tensor *p = c.pd
    cdef int32_t[4] dim
    cdef int32_t[4] stride
    cdef int i, last
    if x.count != 4 and x.count != 5:
        return bad(b"xDesc has neither 4 nor 5 dimensions")
    if not is_float_type(x.type):
        return cannot(b"batch normalisation is of float, double, half or bfloat16")
    if not fits(p, x, c.per_activation) or not fits(c.md, x, c.per_activation):
        return bad(b"a descriptor of parameters is not as derived from xDesc")
    if not dense(p) or not same_layout(p, c.md):
        return cannot(b"the parameters have gaps, or differ in layout")
    last = x.count - 1
    s.plain = x[0]
    s.plain.format = CUDNN_TENSOR_NCHW
    s.plain.amd = NULL
    s.parameter = p[0]
    if c.per_activation:
        dim[0] = x.dim[0]
        dim[1] = dim[2] = dim[3] = 1
        for i in range(1, x.count):
            dim[3] *= x.dim[i]
        for i in range(1, x.count):
            s.plain.stride[i] = p.stride[i]
        s.plain.stride[0] = dim[3]
        s.mode = miopenBNPerActivation
    else:
        dnn_pack(CUDNN_TENSOR_NCHW, x.type, x.count, x.dim, s.plain.stride)
        dim[0] = x.dim[0]
        dim[1] = x.dim[1]
        dim[2] = x.dim[2] if last == 3 else x.dim[2] * x.dim[3]
        dim[3] = x.dim[last]
        s.mode = miopenBNSpatial
    s.bytes = rounded(dnn_bytes(&s.plain))
    s.parameter_bytes = rounded(dnn_bytes(p))
    s.images = dim[0]
    s.channels = dim[3] if c.per_activation else dim[1]
    s.size = 1 if c.per_activation else <int64_t>dim[2] * dim[3]
    if x.type == CUDNN_DATA_DOUBLE:  # not MIOpen's
        return CUDNN_STATUS_SUCCESS
    dnn_pack(CUDNN_TENSOR_NCHW, x.type, 4, dim, stride)
    s.image = dnn_amd_shape(c.h, x.type, 4, dim, stride)
    dim[0] = 1
    if not c.per_activation:
        dim[2] = dim[3] = 1
    dnn_pack(CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, 4, dim, stride)
    s.parameters = dnn_amd_shape(c.h, CUDNN_DATA_FLOAT, 4, dim, stride)
    if s.image is NULL or s.parameters is NULL:
        return CUDNN_STATUS_NOT_SUPPORTED
    return CUDNN_STATUS_SUCCESS


cdef cudnnStatus_t ops_checked(norm_call *c, bint persistent, dnn_tensor *a, dnn_tensor *b) noexcept nogil:
    """`a` and `b` are what the activation reads and writes."""
    if c.ops == <uint32_t>CUDNN_BATCHNORM_OPS_BN:
        return CUDNN_STATUS_SUCCESS
    if c.activation is NULL or c.activation.mode != CUDNN_ACTIVATION_RELU:
        return bad(b"activationDesc is NULL or not of RELU")
    if not persistent or c.per_activation:
        return cannot(b"addition and activation go with the persistent form per channel alone")
    if not dense(a) or not same_layout(a, b):
        return cannot(b"with an activation, its tensors are packed in the same layout")
    return CUDNN_STATUS_SUCCESS


cdef cudnnStatus_t settled(dnn_handle *h, double alpha, void *raw, dnn_tensor *plain, double beta, dnn_tensor *yd,
        void *y) noexcept nogil:
    """y ← α·raw + β·y; raw is overwritten."""
    cdef uint32_t status
    if raw == y:
        return <cudnnStatus_t>dnn_scale(h, yd, alpha, y)
    if beta != 0:
        return <cudnnStatus_t>dnn_op_tensor(h, miopenTensorOpAdd, alpha, plain, raw, beta, yd, y, 0, yd, y)
    status = dnn_scale(h, plain, alpha, raw)
    if status != 0:
        return <cudnnStatus_t>status
    return <cudnnStatus_t>dnn_copy(h, plain, raw, yd, y)


cdef void *activation_of(dnn_handle *h, dnn_activation *d) noexcept nogil:
    """MIOpen's ReLU keeps NaN; its clipped one, with no upper end, makes it 0."""
    if d.nan == CUDNN_PROPAGATE_NAN:
        return dnn_amd_activation(h, miopenActivationRELU, 0, 0, 0)
    return dnn_amd_activation(h, miopenActivationCLIPPEDRELU, INFINITY, 0, 0)


cdef inline int relu_of(const dnn_activation *d) noexcept nogil:
    """The same, for doubles."""
    return miopenActivationRELU if d.nan == CUDNN_PROPAGATE_NAN else miopenActivationCLIPPEDRELU


# MIOpen has no activation of bfloat16: there it is put together of what OpTensor has.

cdef cudnnStatus_t filled(dnn_handle *h, void *memory, unsigned short value, size_t count) noexcept nogil:
    cdef uint32_t status = dg_hip.hipMemsetD16Async(memory, value, count, <hipStream_t>to_stream(h.stream))
    if status == 0:
        return CUDNN_STATUS_SUCCESS
    return <cudnnStatus_t>dnn_failed(CUDNN_STATUS_EXECUTION_FAILED, b"hipMemsetD16Async", status)


cdef size_t bfloat_relu_bytes(const dnn_activation *activation, const dnn_tensor *yd) noexcept nogil:
    return rounded(dnn_bytes(yd)) if activation.nan == CUDNN_PROPAGATE_NAN else 256


cdef cudnnStatus_t bfloat_relu(dnn_handle *h, dnn_activation *activation, dnn_tensor *yd, void *y,
        void *memory) noexcept nogil:
    """y ← max(y, 0). Of two that do not compare, the second is MIOpen's maximum: it is y where NaN propagates."""
    cdef dnn_tensor one
    cdef size_t count = bfloat_relu_bytes(activation, yd) / 2
    cdef cudnnStatus_t status = filled(h, memory, 0, count)
    if status != CUDNN_STATUS_SUCCESS:
        return status
    if activation.nan == CUDNN_PROPAGATE_NAN:
        return <cudnnStatus_t>dnn_op_tensor(h, miopenTensorOpMax, 1, yd, memory, 1, yd, y, 0, yd, y)
    dnn_one_element(yd, &one)
    return <cudnnStatus_t>dnn_op_tensor(h, miopenTensorOpMax, 1, yd, y, 1, &one, memory, 0, yd, y)


cdef cudnnStatus_t bfloat_relu_backward(dnn_handle *h, dnn_tensor *yd, const void *y, dnn_tensor *dyd, const void *dy,
        void *passed, char *memory) noexcept nogil:
    """dy where y > 0, else 0: dy times min(max(y·2¹²⁷, 0)·2¹²⁷, 1), which is 1 of the smallest y too."""
    cdef dnn_tensor one
    cdef double large = 1.7014118346046923e38
    cdef char *mask = memory + 512
    cdef uint32_t status = filled(h, memory, 0, 1)
    dnn_one_element(dyd, &one)
    if status == 0:
        status = filled(h, memory + 256, 0x3f80, 1)
    if status == 0:
        status = dnn_op_tensor(h, miopenTensorOpMax, large, yd, y, 1, &one, memory, 0, dyd, mask)
    if status == 0:
        status = dnn_op_tensor(h, miopenTensorOpMin, large, dyd, mask, 1, &one, memory + 256, 0, dyd, mask)
    if status == 0:
        status = dnn_op_tensor(h, miopenTensorOpMul, 1, dyd, dy, 1, dyd, mask, 0, dyd, passed)
    return <cudnnStatus_t>status


cdef void *as_row(dnn_handle *h, const dnn_tensor *d) noexcept nogil:
    """A tensor without gaps, as a row."""
    cdef int32_t[4] dim
    cdef int32_t[4] stride
    cdef int i
    dim[0] = dim[1] = dim[2] = dim[3] = 1
    for i in range(d.count):
        dim[3] *= d.dim[i]
    dnn_pack(CUDNN_TENSOR_NCHW, d.type, 4, dim, stride)
    return dnn_amd_shape(h, d.type, 4, dim, stride)


cdef cudnnStatus_t forward(norm_call *c, bint persistent) noexcept nogil:
    cdef norm_shape s
    cdef dnn_handle *h = c.h
    cdef double alpha, beta
    cdef float one = 1
    cdef float zero = 0
    cdef char *memory = NULL
    cdef const void *x = c.x
    cdef void *raw = c.y
    cdef void *relu
    cdef void *row
    cdef size_t bytes
    cdef bint fused = c.ops != <uint32_t>CUDNN_BATCHNORM_OPS_BN
    cdef bint adds = c.ops == <uint32_t>CUDNN_BATCHNORM_OPS_BN_ADD_ACTIVATION
    cdef bint half_running = c.training and (c.mean is NULL) != (c.variance is NULL)
    cdef bint copies, aside
    cdef cudnnStatus_t status
    if x is NULL or c.y is NULL or c.alpha is NULL or c.beta is NULL or c.scale is NULL or c.bias is NULL:
        return bad(b"x, y, alpha, beta, scale or bias is NULL")
    if not same_sizes(c.xd, c.yd) or c.xd.type != c.yd.type:
        return bad(b"xDesc and yDesc differ in sizes or type")
    if c.epsilon < 0:
        return bad(b"epsilon is less than CUDNN_BN_MIN_EPSILON")
    if c.training:
        if (c.saved_mean is NULL) != (c.saved_inverse is NULL):
            return bad(b"one of the saved mean and inverse variance is NULL")
    elif c.mean is NULL or c.variance is NULL:
        return bad(b"the estimated mean or variance is NULL")
    if adds and (c.zd is NULL or c.z is NULL or not same_sizes(c.zd, c.yd) or c.zd.type != c.yd.type):
        return bad(b"z is NULL or is not of y's sizes and type")
    status = shaped(c, &s)
    if status == CUDNN_STATUS_SUCCESS:
        status = ops_checked(c, persistent, c.yd, c.yd)
    if status != CUDNN_STATUS_SUCCESS:
        return status
    alpha = dnn_factor(c.xd.type, c.alpha)
    beta = dnn_factor(c.xd.type, c.beta)
    if fused and (alpha != 1 or beta != 0):
        return cannot(b"with an activation, alpha is 1 and beta 0")
    copies = not same_layout(c.xd, &s.plain)
    # in training MIOpen keeps partial sums in y, and reads x behind them
    aside = beta != 0 or not same_layout(c.yd, &s.plain) or (c.training and x == c.y) or (adds and c.z == c.y)
    bytes = s.bytes * (<size_t>copies + <size_t>aside) + s.parameter_bytes * <size_t>half_running
    if fused and c.yd.type == CUDNN_DATA_BFLOAT16:
        bytes += bfloat_relu_bytes(c.activation, c.yd)
    if bytes:
        memory = <char *>dnn_scratch(h, bytes)
        if memory is NULL:
            return dnn_because(CUDNN_STATUS_ALLOC_FAILED, b"no memory for the images in MIOpen's layout")
    if copies:
        x = taken(&memory, s.bytes)
        status = <cudnnStatus_t>dnn_copy(h, c.xd, c.x, &s.plain, <void *>x)
        if status != CUDNN_STATUS_SUCCESS:
            return status
    if aside:
        raw = taken(&memory, s.bytes)
    if half_running:  # MIOpen updates both or none
        if c.mean is NULL:
            c.mean = memory
        else:
            c.variance = memory
        memory += s.parameter_bytes
    if c.xd.type == CUDNN_DATA_DOUBLE:
        status = <cudnnStatus_t>dnn_doubles_normed(
            h, c.training, s.images, s.channels, s.size, <const double *>x, <double *>raw, <const double *>c.scale,
            <const double *>c.bias, c.factor, <double *>c.mean, <double *>c.variance, c.epsilon, <double *>c.saved_mean,
            <double *>c.saved_inverse)
    elif c.training:
        status = answered(dg_miopen.miopenBatchNormalizationForwardTraining(
            <miopenHandle_t>h.amd, s.mode, &one, &zero, <miopenTensorDescriptor_t>s.image, x,
            <miopenTensorDescriptor_t>s.image, raw, <miopenTensorDescriptor_t>s.parameters, <void *>c.scale,
            <void *>c.bias, c.factor, c.mean, c.variance, c.epsilon, c.saved_mean, c.saved_inverse),
            b"miopenBatchNormalizationForwardTraining")
    else:
        status = answered(dg_miopen.miopenBatchNormalizationForwardInference(
            <miopenHandle_t>h.amd, s.mode, &one, &zero, <miopenTensorDescriptor_t>s.image, x,
            <miopenTensorDescriptor_t>s.image, raw, <miopenTensorDescriptor_t>s.parameters, <void *>c.scale,
            <void *>c.bias, c.mean, c.variance, c.epsilon), b"miopenBatchNormalizationForwardInference")
    if status != CUDNN_STATUS_SUCCESS:
        return status
    if adds:
        status = <cudnnStatus_t>dnn_op_tensor(
            h, miopenTensorOpAdd, 1, &s.plain, raw, 1, c.zd, c.z, 0, c.yd, c.y)
    else:
        status = settled(h, alpha, raw, &s.plain, beta, c.yd, c.y)
    if not fused or status != CUDNN_STATUS_SUCCESS:
        return status
    if c.yd.type == CUDNN_DATA_BFLOAT16:
        return bfloat_relu(h, c.activation, c.yd, c.y, memory)
    if c.yd.type == CUDNN_DATA_DOUBLE:
        return <cudnnStatus_t>dnn_doubles_activated(
            h, relu_of(c.activation), INFINITY, 0, 0, 1, elements_of(c.yd), elements_of(c.yd), <const double *>c.y,
            <double *>c.y)
    relu = activation_of(h, c.activation)
    row = as_row(h, c.yd)
    if relu is NULL or row is NULL:
        return CUDNN_STATUS_NOT_SUPPORTED
    return answered(dg_miopen.miopenActivationForward(
        <miopenHandle_t>h.amd, <miopenActivationDescriptor_t>relu, &one, <miopenTensorDescriptor_t>row, c.y, &zero,
        <miopenTensorDescriptor_t>row, c.y), b"miopenActivationForward")


cdef cudnnStatus_t backward(norm_call *c, bint persistent) noexcept nogil:
    cdef norm_shape s
    cdef dnn_handle *h = c.h
    cdef double alpha, beta, alpha_params, beta_params
    cdef float one = 1
    cdef float zero = 0
    cdef char *memory = NULL
    cdef const void *x = c.x
    cdef const void *dy = c.dy
    cdef void *raw = c.dx
    cdef void *dscale = c.dscale
    cdef void *dbias = c.dbias
    cdef void *passed
    cdef void *relu
    cdef void *row
    cdef size_t bytes, passed_bytes = 0
    cdef bint fused = c.ops != <uint32_t>CUDNN_BATCHNORM_OPS_BN
    cdef bint adds = c.ops == <uint32_t>CUDNN_BATCHNORM_OPS_BN_ADD_ACTIVATION
    cdef bint copies_x, copies_dy, aside, keeps
    cdef bint bfloat_relu_too = fused and c.dyd.type == CUDNN_DATA_BFLOAT16
    cdef cudnnStatus_t status
    if x is NULL or dy is NULL or raw is NULL or c.scale is NULL or dscale is NULL or dbias is NULL:
        return bad(b"x, dy, dx, scale, dscale or dbias is NULL")
    if c.alpha is NULL or c.beta is NULL or c.alpha_params is NULL or c.beta_params is NULL:
        return bad(b"a factor is NULL")
    if not same_sizes(c.xd, c.dyd) or not same_sizes(c.xd, c.dxd) or c.xd.type != c.dyd.type or c.xd.type != c.dxd.type:
        return bad(b"xDesc, dyDesc and dxDesc differ in sizes or type")
    if c.epsilon < 0:
        return bad(b"epsilon is less than CUDNN_BN_MIN_EPSILON")
    if (c.saved_mean is NULL) != (c.saved_inverse is NULL):
        return bad(b"one of the saved mean and inverse variance is NULL")
    if fused and (c.yd is NULL or c.y_was is NULL or not same_sizes(c.yd, c.dyd) or c.yd.type != c.dyd.type):
        return bad(b"y, which the activation needs, is NULL or not of dy's sizes and type")
    if adds and (c.dzd is NULL or c.dz is NULL or not same_sizes(c.dzd, c.dyd) or c.dzd.type != c.dyd.type):
        return bad(b"dz is NULL or not of dy's sizes and type")
    status = shaped(c, &s)
    if status == CUDNN_STATUS_SUCCESS:
        status = ops_checked(c, persistent, c.dyd, c.yd)
    if status != CUDNN_STATUS_SUCCESS:
        return status
    alpha = dnn_factor(c.xd.type, c.alpha)
    beta = dnn_factor(c.xd.type, c.beta)
    alpha_params = dnn_factor(c.xd.type, c.alpha_params)
    beta_params = dnn_factor(c.xd.type, c.beta_params)
    copies_x = not same_layout(c.xd, &s.plain)
    copies_dy = not same_layout(c.dyd, &s.plain)
    # MIOpen keeps partial sums in dx, and reads x and dy behind them
    aside = beta != 0 or not same_layout(c.dxd, &s.plain) or raw == x or raw == dy
    keeps = beta_params != 0
    if fused and not (adds and same_layout(c.dzd, c.dyd)):
        passed_bytes = rounded(dnn_bytes(c.dyd))
    bytes = s.bytes * (<size_t>copies_x + <size_t>copies_dy + <size_t>aside) + passed_bytes
    bytes += s.parameter_bytes * 2 * <size_t>keeps
    if bfloat_relu_too:
        bytes += 512 + rounded(dnn_bytes(c.dyd))
    if bytes:
        memory = <char *>dnn_scratch(h, bytes)
        if memory is NULL:
            return dnn_because(CUDNN_STATUS_ALLOC_FAILED, b"no memory for the images in MIOpen's layout")
    if fused:
        passed = taken(&memory, passed_bytes) if passed_bytes else c.dz
        if bfloat_relu_too:
            status = bfloat_relu_backward(
                h, c.yd, c.y_was, c.dyd, dy, passed, taken(&memory, 512 + rounded(dnn_bytes(c.dyd))))
        elif c.dyd.type == CUDNN_DATA_DOUBLE:
            status = <cudnnStatus_t>dnn_doubles_led_back(
                h, relu_of(c.activation), INFINITY, elements_of(c.dyd), <const double *>c.y_was, <const double *>dy,
                <const double *>c.y_was, <double *>passed)
        else:
            relu = activation_of(h, c.activation)
            row = as_row(h, c.dyd)
            if relu is NULL or row is NULL:
                return CUDNN_STATUS_NOT_SUPPORTED
            # y > 0 where and only where the activation let x pass: y does for x
            status = answered(dg_miopen.miopenActivationBackward(
                <miopenHandle_t>h.amd, <miopenActivationDescriptor_t>relu, &one, <miopenTensorDescriptor_t>row,
                c.y_was, <miopenTensorDescriptor_t>row, dy, <miopenTensorDescriptor_t>row, c.y_was, &zero,
                <miopenTensorDescriptor_t>row, passed), b"miopenActivationBackward")
        if status == CUDNN_STATUS_SUCCESS and adds and passed != c.dz:
            status = <cudnnStatus_t>dnn_copy(h, c.dyd, passed, c.dzd, c.dz)
        if status != CUDNN_STATUS_SUCCESS:
            return status
        dy = passed
    if copies_x:
        x = taken(&memory, s.bytes)
        status = <cudnnStatus_t>dnn_copy(h, c.xd, c.x, &s.plain, <void *>x)
        if status != CUDNN_STATUS_SUCCESS:
            return status
    if copies_dy:
        passed = taken(&memory, s.bytes)
        status = <cudnnStatus_t>dnn_copy(h, c.dyd, dy, &s.plain, passed)
        if status != CUDNN_STATUS_SUCCESS:
            return status
        dy = passed
    if aside:
        raw = taken(&memory, s.bytes)
    if keeps:
        dscale = taken(&memory, s.parameter_bytes)
        dbias = memory
    if c.xd.type == CUDNN_DATA_DOUBLE:
        status = <cudnnStatus_t>dnn_doubles_normed_back(
            h, s.images, s.channels, s.size, <const double *>x, <const double *>dy, <double *>raw,
            <const double *>c.scale, <double *>dscale, <double *>dbias, c.epsilon, <const double *>c.saved_mean,
            <const double *>c.saved_inverse)
    else:
        status = answered(dg_miopen.miopenBatchNormalizationBackward(
            <miopenHandle_t>h.amd, s.mode, &one, &zero, &one, &zero, <miopenTensorDescriptor_t>s.image, x,
            <miopenTensorDescriptor_t>s.image, dy, <miopenTensorDescriptor_t>s.image, raw,
            <miopenTensorDescriptor_t>s.parameters, c.scale, dscale, dbias, c.epsilon, c.saved_mean, c.saved_inverse),
            b"miopenBatchNormalizationBackward")
    if status == CUDNN_STATUS_SUCCESS:
        status = settled(h, alpha, raw, &s.plain, beta, c.dxd, c.dx)
    if status == CUDNN_STATUS_SUCCESS:
        status = <cudnnStatus_t>dnn_blended(h, alpha_params, dscale, beta_params, &s.parameter, c.dscale)
    if status == CUDNN_STATUS_SUCCESS:
        status = <cudnnStatus_t>dnn_blended(h, alpha_params, dbias, beta_params, &s.parameter, c.dbias)
    return status


# ---- cudnnBatchNormalization… ----

cdef cudnnStatus_t batch_mode(norm_call *c, dnn_handle *h, uint32_t mode, uint32_t ops) noexcept nogil:
    memset(c, 0, sizeof(norm_call))
    if mode > <uint32_t>CUDNN_BATCHNORM_SPATIAL_PERSISTENT:
        return bad(b"mode is no mode of batch normalisation")
    if ops > <uint32_t>CUDNN_BATCHNORM_OPS_BN_ADD_ACTIVATION:
        return bad(b"bnOps is neither BN, BN_ACTIVATION nor BN_ADD_ACTIVATION")
    c.h = h
    c.per_activation = mode == <uint32_t>CUDNN_BATCHNORM_PER_ACTIVATION
    c.ops = ops
    return CUDNN_STATUS_SUCCESS


cdef cudnnStatus_t norm_mode(norm_call *c, dnn_handle *h, uint32_t mode, uint32_t ops, uint32_t algo,
        int groups) noexcept nogil:
    memset(c, 0, sizeof(norm_call))
    if mode > <uint32_t>CUDNN_NORM_PER_CHANNEL:
        return cannot(b"mode is no mode of normalisation")
    if ops > <uint32_t>CUDNN_NORM_OPS_NORM_ADD_ACTIVATION:
        return bad(b"normOps is neither NORM, NORM_ACTIVATION nor NORM_ADD_ACTIVATION")
    if algo > <uint32_t>CUDNN_NORM_ALGO_PERSIST:
        return cannot(b"algo is neither STANDARD nor PERSIST")
    if groups != 1:
        return cannot(b"groupCnt is not 1")
    c.h = h
    c.per_activation = mode == <uint32_t>CUDNN_NORM_PER_ACTIVATION
    c.ops = ops
    return CUDNN_STATUS_SUCCESS


cdef public cudnnStatus_t batchnorm_forward_inference(dnn_handle *h, cudnnBatchNormMode_t mode, const void *alpha,
        const void *beta, dnn_tensor *xd, const void *x, dnn_tensor *yd, void *y, dnn_tensor *pd, const void *scale,
        const void *bias, const void *mean, const void *variance, double epsilon) noexcept nogil:
    cdef norm_call c
    cdef cudnnStatus_t status = batch_mode(&c, h, mode, CUDNN_BATCHNORM_OPS_BN)
    if status != CUDNN_STATUS_SUCCESS:
        return status
    c.alpha, c.beta, c.xd, c.x, c.yd, c.y, c.pd, c.md = alpha, beta, xd, x, yd, y, pd, pd
    c.scale, c.bias, c.mean, c.variance, c.epsilon = scale, bias, <void *>mean, <void *>variance, epsilon
    return forward(&c, False)


cdef public cudnnStatus_t batchnorm_forward_training(dnn_handle *h, cudnnBatchNormMode_t mode, const void *alpha,
        const void *beta, dnn_tensor *xd, const void *x, dnn_tensor *yd, void *y, dnn_tensor *pd, const void *scale,
        const void *bias, double factor, void *mean, void *variance, double epsilon, void *saved_mean,
        void *saved_inverse) noexcept nogil:
    cdef norm_call c
    cdef cudnnStatus_t status = batch_mode(&c, h, mode, CUDNN_BATCHNORM_OPS_BN)
    if status != CUDNN_STATUS_SUCCESS:
        return status
    c.training = True
    c.alpha, c.beta, c.xd, c.x, c.yd, c.y, c.pd, c.md = alpha, beta, xd, x, yd, y, pd, pd
    c.scale, c.bias, c.mean, c.variance, c.epsilon, c.factor = scale, bias, mean, variance, epsilon, factor
    c.saved_mean, c.saved_inverse = saved_mean, saved_inverse
    return forward(&c, False)


cdef public cudnnStatus_t batchnorm_backward(dnn_handle *h, cudnnBatchNormMode_t mode, const void *alpha,
        const void *beta, const void *alpha_params, const void *beta_params, dnn_tensor *xd, const void *x,
        dnn_tensor *dyd, const void *dy, dnn_tensor *dxd, void *dx, dnn_tensor *pd, const void *scale, void *dscale,
        void *dbias, double epsilon, const void *saved_mean, const void *saved_inverse) noexcept nogil:
    cdef norm_call c
    cdef cudnnStatus_t status = batch_mode(&c, h, mode, CUDNN_BATCHNORM_OPS_BN)
    if status != CUDNN_STATUS_SUCCESS:
        return status
    c.alpha, c.beta, c.alpha_params, c.beta_params = alpha, beta, alpha_params, beta_params
    c.xd, c.x, c.dyd, c.dy, c.dxd, c.dx, c.pd, c.md = xd, x, dyd, dy, dxd, dx, pd, pd
    c.scale, c.dscale, c.dbias, c.epsilon = scale, dscale, dbias, epsilon
    c.saved_mean, c.saved_inverse = <void *>saved_mean, <void *>saved_inverse
    return backward(&c, False)


cdef cudnnStatus_t no_memory_needed(norm_call *c, dnn_tensor *xd, bint persistent, dnn_activation *activation,
        size_t *size) noexcept nogil:
    """What MIOpen's layout asks for is the handle's memory; y says all that the gradients need of the forward pass."""
    if size is NULL:
        return bad(b"sizeInBytes is NULL")
    if xd.count != 4 and xd.count != 5:
        return bad(b"xDesc has neither 4 nor 5 dimensions")
    if c.ops != <uint32_t>CUDNN_BATCHNORM_OPS_BN:
        if activation is NULL or activation.mode != CUDNN_ACTIVATION_RELU:
            return bad(b"activationDesc is NULL or not of RELU")
        if not persistent or c.per_activation:
            return cannot(b"addition and activation go with the persistent form per channel alone")
    size[0] = 0
    return CUDNN_STATUS_SUCCESS


cdef cudnnStatus_t sized(norm_call *c, bint persistent, dnn_tensor *a, dnn_tensor *b, dnn_tensor *zd,
        size_t *size) noexcept nogil:
    cdef cudnnStatus_t status = no_memory_needed(c, c.xd, persistent, c.activation, size)
    if status != CUDNN_STATUS_SUCCESS:
        return status
    if not same_sizes(c.xd, a) or not same_sizes(c.xd, b) or c.xd.type != a.type or c.xd.type != b.type:
        return bad(b"the images differ in sizes or type")
    if c.ops == <uint32_t>CUDNN_BATCHNORM_OPS_BN_ADD_ACTIVATION:
        if zd is NULL or not same_sizes(zd, a) or zd.type != a.type:
            return bad(b"the added image is NULL or not of the others' sizes and type")
    if not fits(c.pd, c.xd, c.per_activation) or not fits(c.md, c.xd, c.per_activation):
        return bad(b"a descriptor of parameters is not as derived from xDesc")
    return CUDNN_STATUS_SUCCESS


cdef inline bint persists(uint32_t mode) noexcept nogil:
    return mode == <uint32_t>CUDNN_BATCHNORM_SPATIAL_PERSISTENT


cdef public cudnnStatus_t batchnorm_forward_ex_workspace(dnn_handle *h, cudnnBatchNormMode_t mode,
        cudnnBatchNormOps_t ops, dnn_tensor *xd, dnn_tensor *zd, dnn_tensor *yd, dnn_tensor *pd,
        dnn_activation *activation, size_t *size) noexcept nogil:
    """NVIDIA takes any number for bnOps here."""
    cdef norm_call c
    cdef cudnnStatus_t status
    if <uint32_t>ops > <uint32_t>CUDNN_BATCHNORM_OPS_BN_ADD_ACTIVATION:
        ops = CUDNN_BATCHNORM_OPS_BN
    status = batch_mode(&c, h, mode, ops)
    if status != CUDNN_STATUS_SUCCESS:
        return status
    c.xd, c.pd, c.md, c.activation = xd, pd, pd, activation
    return sized(&c, persists(mode), yd, yd, zd, size)


cdef public cudnnStatus_t batchnorm_backward_ex_workspace(dnn_handle *h, cudnnBatchNormMode_t mode,
        cudnnBatchNormOps_t ops, dnn_tensor *xd, dnn_tensor *yd, dnn_tensor *dyd, dnn_tensor *dzd, dnn_tensor *dxd,
        dnn_tensor *pd, dnn_activation *activation, size_t *size) noexcept nogil:
    cdef norm_call c
    cdef cudnnStatus_t status = batch_mode(&c, h, mode, ops)
    if status != CUDNN_STATUS_SUCCESS:
        return status
    c.xd, c.pd, c.md, c.activation = xd, pd, pd, activation
    return sized(&c, persists(mode), dyd, dxd, dzd, size)


cdef public cudnnStatus_t batchnorm_ex_reserve(dnn_handle *h, cudnnBatchNormMode_t mode, cudnnBatchNormOps_t ops,
        dnn_activation *activation, dnn_tensor *xd, size_t *size) noexcept nogil:
    cdef norm_call c
    cdef cudnnStatus_t status = batch_mode(&c, h, mode, ops)
    if status != CUDNN_STATUS_SUCCESS:
        return status
    return no_memory_needed(&c, xd, persists(mode), activation, size)


cdef public cudnnStatus_t batchnorm_forward_training_ex(dnn_handle *h, cudnnBatchNormMode_t mode,
        cudnnBatchNormOps_t ops, const void *alpha, const void *beta, dnn_tensor *xd, const void *x, dnn_tensor *zd,
        const void *z, dnn_tensor *yd, void *y, dnn_tensor *pd, const void *scale, const void *bias, double factor,
        void *mean, void *variance, double epsilon, void *saved_mean, void *saved_inverse, dnn_activation *activation,
        void *workspace, size_t workspace_size, void *reserve, size_t reserve_size) noexcept nogil:
    cdef norm_call c
    cdef cudnnStatus_t status = batch_mode(&c, h, mode, ops)
    if status != CUDNN_STATUS_SUCCESS:
        return status
    c.training = True
    c.alpha, c.beta, c.xd, c.x, c.yd, c.y, c.pd, c.md = alpha, beta, xd, x, yd, y, pd, pd
    c.zd, c.z, c.activation = zd, z, activation
    c.scale, c.bias, c.mean, c.variance, c.epsilon, c.factor = scale, bias, mean, variance, epsilon, factor
    c.saved_mean, c.saved_inverse = saved_mean, saved_inverse
    return forward(&c, persists(mode))


cdef public cudnnStatus_t batchnorm_backward_ex(dnn_handle *h, cudnnBatchNormMode_t mode, cudnnBatchNormOps_t ops,
        const void *alpha, const void *beta, const void *alpha_params, const void *beta_params, dnn_tensor *xd,
        const void *x, dnn_tensor *yd, const void *y, dnn_tensor *dyd, const void *dy, dnn_tensor *dzd, void *dz,
        dnn_tensor *dxd, void *dx, dnn_tensor *pd, const void *scale, const void *bias, void *dscale, void *dbias,
        double epsilon, const void *saved_mean, const void *saved_inverse, dnn_activation *activation, void *workspace,
        size_t workspace_size, void *reserve, size_t reserve_size) noexcept nogil:
    cdef norm_call c
    cdef cudnnStatus_t status = batch_mode(&c, h, mode, ops)
    if status != CUDNN_STATUS_SUCCESS:
        return status
    c.alpha, c.beta, c.alpha_params, c.beta_params = alpha, beta, alpha_params, beta_params
    c.xd, c.x, c.yd, c.y_was, c.dyd, c.dy, c.dzd, c.dz = xd, x, yd, y, dyd, dy, dzd, dz
    c.dxd, c.dx, c.pd, c.md, c.activation = dxd, dx, pd, pd, activation
    c.scale, c.dscale, c.dbias, c.epsilon = scale, dscale, dbias, epsilon
    c.saved_mean, c.saved_inverse = <void *>saved_mean, <void *>saved_inverse
    return backward(&c, persists(mode))


# ---- cudnnNormalization… ----

cdef public cudnnStatus_t norm_forward_workspace(dnn_handle *h, cudnnNormMode_t mode, cudnnNormOps_t ops,
        cudnnNormAlgo_t algo, dnn_tensor *xd, dnn_tensor *zd, dnn_tensor *yd, dnn_tensor *pd,
        dnn_activation *activation, dnn_tensor *md, size_t *size, int groups) noexcept nogil:
    cdef norm_call c
    cdef cudnnStatus_t status = norm_mode(&c, h, mode, ops, algo, groups)
    if status != CUDNN_STATUS_SUCCESS:
        return status
    c.xd, c.pd, c.md, c.activation = xd, pd, md, activation
    return sized(&c, algo == <uint32_t>CUDNN_NORM_ALGO_PERSIST, yd, yd, zd, size)


cdef public cudnnStatus_t norm_backward_workspace(dnn_handle *h, cudnnNormMode_t mode, cudnnNormOps_t ops,
        cudnnNormAlgo_t algo, dnn_tensor *xd, dnn_tensor *yd, dnn_tensor *dyd, dnn_tensor *dzd, dnn_tensor *dxd,
        dnn_tensor *pd, dnn_activation *activation, dnn_tensor *md, size_t *size, int groups) noexcept nogil:
    cdef norm_call c
    cdef cudnnStatus_t status = norm_mode(&c, h, mode, ops, algo, groups)
    if status != CUDNN_STATUS_SUCCESS:
        return status
    c.xd, c.pd, c.md, c.activation = xd, pd, md, activation
    return sized(&c, algo == <uint32_t>CUDNN_NORM_ALGO_PERSIST, dyd, dxd, dzd, size)


cdef public cudnnStatus_t norm_reserve(dnn_handle *h, cudnnNormMode_t mode, cudnnNormOps_t ops, cudnnNormAlgo_t algo,
        dnn_activation *activation, dnn_tensor *xd, size_t *size, int groups) noexcept nogil:
    cdef norm_call c
    cdef cudnnStatus_t status = norm_mode(&c, h, mode, ops, algo, groups)
    if status != CUDNN_STATUS_SUCCESS:
        return status
    return no_memory_needed(&c, xd, algo == <uint32_t>CUDNN_NORM_ALGO_PERSIST, activation, size)


cdef public cudnnStatus_t norm_forward_inference(dnn_handle *h, cudnnNormMode_t mode, cudnnNormOps_t ops,
        cudnnNormAlgo_t algo, const void *alpha, const void *beta, dnn_tensor *xd, const void *x, dnn_tensor *pd,
        const void *scale, const void *bias, dnn_tensor *md, const void *mean, const void *variance, dnn_tensor *zd,
        const void *z, dnn_activation *activation, dnn_tensor *yd, void *y, double epsilon, int groups) noexcept nogil:
    cdef norm_call c
    cdef cudnnStatus_t status
    if <uint32_t>ops > <uint32_t>CUDNN_NORM_OPS_NORM_ADD_ACTIVATION:
        return cannot(b"normOps is neither NORM, NORM_ACTIVATION nor NORM_ADD_ACTIVATION")
    status = norm_mode(&c, h, mode, ops, algo, groups)
    if status != CUDNN_STATUS_SUCCESS:
        return status
    c.alpha, c.beta, c.xd, c.x, c.yd, c.y, c.pd, c.md = alpha, beta, xd, x, yd, y, pd, md
    c.zd, c.z, c.activation = zd, z, activation
    c.scale, c.bias, c.mean, c.variance, c.epsilon = scale, bias, <void *>mean, <void *>variance, epsilon
    return forward(&c, algo == <uint32_t>CUDNN_NORM_ALGO_PERSIST)


cdef public cudnnStatus_t norm_forward_training(dnn_handle *h, cudnnNormMode_t mode, cudnnNormOps_t ops,
        cudnnNormAlgo_t algo, const void *alpha, const void *beta, dnn_tensor *xd, const void *x, dnn_tensor *pd,
        const void *scale, const void *bias, double factor, dnn_tensor *md, void *mean, void *variance, double epsilon,
        void *saved_mean, void *saved_inverse, dnn_activation *activation, dnn_tensor *zd, const void *z,
        dnn_tensor *yd, void *y, void *workspace, size_t workspace_size, void *reserve, size_t reserve_size,
        int groups) noexcept nogil:
    cdef norm_call c
    cdef cudnnStatus_t status = norm_mode(&c, h, mode, ops, algo, groups)
    if status != CUDNN_STATUS_SUCCESS:
        return status
    c.training = True
    c.alpha, c.beta, c.xd, c.x, c.yd, c.y, c.pd, c.md = alpha, beta, xd, x, yd, y, pd, md
    c.zd, c.z, c.activation = zd, z, activation
    c.scale, c.bias, c.mean, c.variance, c.epsilon, c.factor = scale, bias, mean, variance, epsilon, factor
    c.saved_mean, c.saved_inverse = saved_mean, saved_inverse
    return forward(&c, algo == <uint32_t>CUDNN_NORM_ALGO_PERSIST)


cdef public cudnnStatus_t norm_backward(dnn_handle *h, cudnnNormMode_t mode, cudnnNormOps_t ops, cudnnNormAlgo_t algo,
        const void *alpha, const void *beta, const void *alpha_params, const void *beta_params, dnn_tensor *xd,
        const void *x, dnn_tensor *yd, const void *y, dnn_tensor *dyd, const void *dy, dnn_tensor *dzd, void *dz,
        dnn_tensor *dxd, void *dx, dnn_tensor *pd, const void *scale, const void *bias, void *dscale, void *dbias,
        double epsilon, dnn_tensor *md, const void *saved_mean, const void *saved_inverse, dnn_activation *activation,
        void *workspace, size_t workspace_size, void *reserve, size_t reserve_size, int groups) noexcept nogil:
    cdef norm_call c
    cdef cudnnStatus_t status = norm_mode(&c, h, mode, ops, algo, groups)
    if status != CUDNN_STATUS_SUCCESS:
        return status
    c.alpha, c.beta, c.alpha_params, c.beta_params = alpha, beta, alpha_params, beta_params
    c.xd, c.x, c.yd, c.y_was, c.dyd, c.dy, c.dzd, c.dz = xd, x, yd, y, dyd, dy, dzd, dz
    c.dxd, c.dx, c.pd, c.md, c.activation = dxd, dx, pd, md, activation
    c.scale, c.dscale, c.dbias, c.epsilon = scale, dscale, dbias, epsilon
    c.saved_mean, c.saved_inverse = <void *>saved_mean, <void *>saved_inverse
    return backward(&c, algo == <uint32_t>CUDNN_NORM_ALGO_PERSIST)
