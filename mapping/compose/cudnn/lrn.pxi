# Local response normalisation. Blocks of tables/cudnn/lrn.yaml.

include "common.pxi"
include "amd.pxi"
include "packed.pxi"

cdef extern from "support.h" nogil:
    uint32_t dnn_doubles_pooled(dnn_handle *h, const dnn_pooling *d, const dnn_tensor *xd, const double *x,
                                const dnn_tensor *yd, double *y, const double *dy, double *dx)
    uint32_t dnn_doubles_lrn(dnn_handle *h, const dnn_lrn *d, int64_t images, int64_t count, int64_t step,
                             const double *x, const double *dy, double *y)


cdef public cudnnStatus_t create_lrn_descriptor(cudnnLRNDescriptor_t *place) noexcept nogil:
    cdef cudnnStatus_t status = dnn_new(<void **>place, DNN_LRN)
    cdef dnn_lrn *d
    if status == CUDNN_STATUS_SUCCESS:
        d = <dnn_lrn *>place[0]
        d.n = 5
        d.alpha = 1e-4
        d.beta = 0.75
        d.k = 2.0
    return status


cdef public cudnnStatus_t destroy_lrn_descriptor(dnn_lrn *d) noexcept nogil:
    return dnn_delete(d, DNN_LRN)


cdef public cudnnStatus_t set_lrn_descriptor(dnn_lrn *d, unsigned int n, double alpha, double beta,
        double k) noexcept nogil:
    if n < 1 or n > 16:
        return bad(b"lrnN is not from 1 to 16")
    if k < 1e-5:  # NVIDIA's library takes a NaN
        return bad(b"lrnK is below 1e-5")
    if beta < 0.01:
        return bad(b"lrnBeta is below 0.01")
    d.n = n
    d.alpha = alpha
    d.beta = beta
    d.k = k
    return CUDNN_STATUS_SUCCESS


cdef public cudnnStatus_t get_lrn_descriptor(dnn_lrn *d, unsigned int *n, double *alpha, double *beta,
        double *k) noexcept nogil:
    if n is not NULL:
        n[0] = d.n
    if alpha is not NULL:
        alpha[0] = d.alpha
    if beta is not NULL:
        beta[0] = d.beta
    if k is not NULL:
        k[0] = d.k
    return CUDNN_STATUS_SUCCESS


cdef cudnnStatus_t lrn_type(int type) noexcept nogil:
    if is_float_type(type):
        return CUDNN_STATUS_SUCCESS
    return cannot(b"a normalisation of integers, which MIOpen does not have")


cdef cudnnStatus_t lrn_of_doubles(dnn_handle *h, dnn_lrn *d, double a, dnn_tensor *xd, const void *x, dnn_tensor *dyd,
        const void *dy, double b, dnn_tensor *yd, void *y) noexcept nogil:
    """dy is NULL forward."""
    cdef dnn_tensor packed
    cdef size_t bytes
    cdef char *work
    cdef uint32_t status
    dnn_packed(xd, CUDNN_DATA_DOUBLE, &packed)
    bytes = rounded(dnn_bytes(&packed))
    work = <char *>dnn_scratch(h, 3 * bytes)
    if work is NULL:
        return dnn_because(CUDNN_STATUS_ALLOC_FAILED, b"no memory for the operands")
    status = dnn_moved(h, NULL, 1, xd, x, 0, &packed, work)
    if status == 0 and dy is not NULL:
        status = dnn_moved(h, NULL, 1, dyd, dy, 0, &packed, work + bytes)
    if status == 0:
        status = dnn_doubles_lrn(h, d, xd.dim[0], xd.dim[1], elements_of(xd) // (<int64_t>xd.dim[0] * xd.dim[1]),
                                 <const double *>work, <const double *>(work + bytes) if dy is not NULL else NULL,
                                 <double *>(work + 2 * bytes))
    return <cudnnStatus_t>(status if status != 0 else moved_back(h, a, &packed, work + 2 * bytes, b, yd, y))


cdef void channels_of(const dnn_tensor *d, dnn_tensor *packed, dnn_tensor *flat) noexcept nogil:
    """Floats row by row; and the same as images, channels and all that is in one."""
    dnn_packed(d, CUDNN_DATA_FLOAT, packed)
    flat[0] = packed[0]
    flat.count = 4
    flat.dim[2] = <int32_t>(elements_of(d) // (<int64_t>d.dim[0] * d.dim[1]))
    flat.dim[3] = 1
    dnn_packed(flat, CUDNN_DATA_FLOAT, flat)


cdef cudnnStatus_t normalised(dnn_handle *h, void *lrn, void *amd, const void *x, void *y, void *kept) noexcept nogil:
    """MIOpen looks at no α and β here: they count as 1 and 0. `kept`: k + a/n·Σx², for the way back."""
    cdef float one = 1
    cdef float zero = 0
    return answered(dg_miopen.miopenLRNForward(
        <miopenHandle_t>h.amd, <miopenLRNDescriptor_t>lrn, &one, <miopenTensorDescriptor_t>amd, x, &zero,
        <miopenTensorDescriptor_t>amd, y, kept is not NULL, kept), b"miopenLRNForward")


cdef public cudnnStatus_t lrn_forward(dnn_handle *h, dnn_lrn *d, cudnnLRNMode_t mode, const void *alpha, dnn_tensor *xd,
        const void *x, const void *beta, dnn_tensor *yd, void *y) noexcept nogil:
    """In float: in half MIOpen would sum up in half. `mode` has one value, and NVIDIA's library looks at none."""
    cdef dnn_tensor packed, flat
    cdef double a, b
    cdef size_t bytes
    cdef char *work = NULL
    cdef void *lrn
    cdef void *amd
    cdef void *out
    cdef cudnnStatus_t status
    if x is NULL or y is NULL or alpha is NULL or beta is NULL:
        return bad(b"x, y, alpha or beta is NULL")
    status = tensor_checked(xd)
    if status == CUDNN_STATUS_SUCCESS:
        status = tensor_checked(yd)
    if status != CUDNN_STATUS_SUCCESS:
        return status
    if xd.count < 3 or xd.type != yd.type or not same_sizes(xd, yd):
        return bad(b"x and y differ in sizes or type, or have less than 3 dimensions")
    status = lrn_type(xd.type)
    if status != CUDNN_STATUS_SUCCESS:
        return status
    a = dnn_factor(xd.type, alpha)
    b = dnn_factor(xd.type, beta)
    if xd.type == CUDNN_DATA_DOUBLE:
        return lrn_of_doubles(h, d, a, xd, x, NULL, NULL, b, yd, y)
    channels_of(xd, &packed, &flat)
    lrn = dnn_amd_lrn(h, miopenLRNCrossChannel, d.n, d.alpha, d.beta, d.k)
    amd = dnn_amd_shape(h, flat.type, flat.count, flat.dim, flat.stride)
    if lrn is NULL or amd is NULL:
        return CUDNN_STATUS_NOT_SUPPORTED
    bytes = rounded(dnn_bytes(&packed))
    if b != 0 or xd.type != CUDNN_DATA_FLOAT or not dnn_is_packed(xd) or not dnn_is_packed(yd):
        work = <char *>dnn_scratch(h, DNN_WORK + 2 * bytes)
        if work is NULL:
            return dnn_because(CUDNN_STATUS_ALLOC_FAILED, b"no memory for the operands")
    if xd.type != CUDNN_DATA_FLOAT or not dnn_is_packed(xd):
        status = dnn_moved(h, work, 1, xd, x, 0, &packed, work + DNN_WORK)
        x = work + DNN_WORK
    # it sees its neighbours' x: y must not lie on it
    out = y if b == 0 and y != x and yd.type == CUDNN_DATA_FLOAT and dnn_is_packed(yd) else NULL
    if out is NULL and work is NULL:
        work = <char *>dnn_scratch(h, DNN_WORK + 2 * bytes)
        if work is NULL:
            return dnn_because(CUDNN_STATUS_ALLOC_FAILED, b"no memory for the operands")
    if out is NULL:
        out = work + DNN_WORK + bytes
    if status == CUDNN_STATUS_SUCCESS:
        status = normalised(h, lrn, amd, x, out, NULL)
    if status != CUDNN_STATUS_SUCCESS:
        return status
    return dnn_scale(h, yd, a, y) if out == y else dnn_moved(h, work, a, &packed, out, b, yd, y)


cdef public cudnnStatus_t lrn_backward(dnn_handle *h, dnn_lrn *d, cudnnLRNMode_t mode, const void *alpha,
        dnn_tensor *yd, const void *y, dnn_tensor *dyd, const void *dy, dnn_tensor *xd, const void *x, const void *beta,
        dnn_tensor *dxd, void *dx) noexcept nogil:
    """MIOpen wants what its forward call kept: it runs again, and gives y too, which NVIDIA's library does not take."""
    cdef dnn_tensor packed, flat
    cdef double a, b
    cdef float one = 1
    cdef float zero = 0
    cdef size_t bytes
    cdef size_t size = 0
    cdef char *work
    cdef char *first
    cdef char *kept
    cdef void *lrn
    cdef void *amd
    cdef cudnnStatus_t status
    if x is NULL or dy is NULL or dx is NULL or alpha is NULL or beta is NULL:
        return bad(b"x, dy, dx, alpha or beta is NULL")
    status = tensor_checked(xd)
    if status != CUDNN_STATUS_SUCCESS:
        return status
    if xd.count < 3:
        return bad(b"less than 3 dimensions")
    if xd.type != dyd.type or xd.type != dxd.type or not same_sizes(xd, dyd) or not same_sizes(xd, dxd):
        return cannot(b"x, dy and dx differ in sizes or type")
    if tensor_checked(dyd) != CUDNN_STATUS_SUCCESS or tensor_checked(dxd) != CUDNN_STATUS_SUCCESS:
        return CUDNN_STATUS_NOT_SUPPORTED
    status = lrn_type(xd.type)
    if status != CUDNN_STATUS_SUCCESS:
        return status
    a = dnn_factor(xd.type, alpha)
    b = dnn_factor(xd.type, beta)
    if xd.type == CUDNN_DATA_DOUBLE:
        return lrn_of_doubles(h, d, a, xd, x, dyd, dy, b, dxd, dx)
    channels_of(xd, &packed, &flat)
    lrn = dnn_amd_lrn(h, miopenLRNCrossChannel, d.n, d.alpha, d.beta, d.k)
    amd = dnn_amd_shape(h, flat.type, flat.count, flat.dim, flat.stride)
    if lrn is NULL or amd is NULL:
        return CUDNN_STATUS_NOT_SUPPORTED
    status = answered(dg_miopen.miopenLRNGetWorkSpaceSize(<miopenTensorDescriptor_t>amd, &size),
                      b"miopenLRNGetWorkSpaceSize")
    if status != CUDNN_STATUS_SUCCESS:
        return status
    bytes = rounded(dnn_bytes(&packed))
    work = <char *>dnn_scratch(h, DNN_WORK + 4 * bytes + size)
    if work is NULL:
        return dnn_because(CUDNN_STATUS_ALLOC_FAILED, b"no memory for the operands")
    first = work + DNN_WORK
    kept = first + 4 * bytes
    if xd.type != CUDNN_DATA_FLOAT or not dnn_is_packed(xd):
        status = dnn_moved(h, work, 1, xd, x, 0, &packed, first)
        x = first
    if status == CUDNN_STATUS_SUCCESS and (dyd.type != CUDNN_DATA_FLOAT or not dnn_is_packed(dyd)):
        status = dnn_moved(h, work, 1, dyd, dy, 0, &packed, first + bytes)
        dy = first + bytes
    if status == CUDNN_STATUS_SUCCESS:
        status = normalised(h, lrn, amd, x, first + 2 * bytes, kept)
    if status == CUDNN_STATUS_SUCCESS:
        status = answered(dg_miopen.miopenLRNBackward(
            <miopenHandle_t>h.amd, <miopenLRNDescriptor_t>lrn, &one, <miopenTensorDescriptor_t>amd, first + 2 * bytes,
            <miopenTensorDescriptor_t>amd, dy, <miopenTensorDescriptor_t>amd, x, &zero, <miopenTensorDescriptor_t>amd,
            first + 3 * bytes, kept), b"miopenLRNBackward")
    return status if status != CUDNN_STATUS_SUCCESS else dnn_moved(h, work, a, &packed, first + 3 * bytes, b, dxd, dx)


cdef cudnnStatus_t behind_cut(dnn_handle *h, dnn_tensor *d, const dnn_tensor *out, const void *wide,
        void *y) noexcept nogil:
    """y ← what is wanted of one more in each spatial dimension."""
    cdef dnn_tensor part = out[0]
    cdef size_t start = 0
    cdef int i
    for i in range(2, d.count):
        part.dim[i] = d.dim[i]
        start += <size_t>out.stride[i]
    return dnn_copy(h, &part, <const char *>wide + start * <size_t>dnn_type_bytes(d.type), d, y)


cdef cudnnStatus_t averaged(dnn_handle *h, uint32_t n, dnn_tensor *d, const void *x, void *wide,
        void *y) noexcept nogil:
    """y ← mean of x over n elements in each spatial dimension, zeros beyond the edges; of an even number one more lies
    behind. There the pooling gives one more than is wanted, into `wide`."""
    cdef dnn_pooling pooling
    cdef dnn_tensor out
    cdef float one = 1
    cdef float zero = 0
    cdef bint even = n % 2 == 0
    cdef void *amd
    cdef void *ax
    cdef void *ay
    cdef int i
    cdef cudnnStatus_t status
    memset(&pooling, 0, sizeof(pooling))
    pooling.mode = CUDNN_POOLING_AVERAGE_COUNT_INCLUDE_PADDING
    pooling.count = d.count - 2
    out = d[0]
    for i in range(pooling.count):
        pooling.window[i] = <int32_t>n
        pooling.pad[i] = <int32_t>(n // 2)
        pooling.stride[i] = 1
        out.dim[i + 2] += even
    dnn_packed(&out, d.type, &out)
    if d.type == CUDNN_DATA_DOUBLE:
        status = <cudnnStatus_t>dnn_doubles_pooled(h, &pooling, d, <const double *>x, &out,
                                                   <double *>(wide if even else y), NULL, NULL)
        return status if status != CUDNN_STATUS_SUCCESS or not even else behind_cut(h, d, &out, wide, y)
    amd = dnn_amd_pooling(h, &pooling)
    ax = dnn_amd_shape(h, d.type, d.count, d.dim, d.stride)
    ay = dnn_amd_shape(h, out.type, out.count, out.dim, out.stride)
    if amd is NULL or ax is NULL or ay is NULL:
        return CUDNN_STATUS_NOT_SUPPORTED
    status = answered(dg_miopen.miopenPoolingForward(
        <miopenHandle_t>h.amd, <miopenPoolingDescriptor_t>amd, &one, <miopenTensorDescriptor_t>ax, x, &zero,
        <miopenTensorDescriptor_t>ay, wide if even else y, 0, NULL, 0), b"miopenPoolingForward")
    return status if status != CUDNN_STATUS_SUCCESS or not even else behind_cut(h, d, &out, wide, y)


cdef struct divisive:  # floats, row by row
    dnn_tensor packed
    dnn_tensor row
    size_t bytes
    char *work
    char *top     # x
    char *means   # zeros where there are none
    char *centred # the window's sum of x less the centre's mean, as an average
    char *scale   # (k + a·mean of squares)^-b
    char *mean    # of (x less the centre's mean)²
    char *more
    char *wide


cdef inline cudnnStatus_t product(dnn_handle *h, divisive *v, double factor, void *a, void *b, double kept,
        void *c) noexcept nogil:
    """c ← factor·a·b + kept·c"""
    return dnn_op_tensor(h, miopenTensorOpMul, factor, &v.row, a, 1, &v.row, b, kept, &v.row, c)


cdef inline cudnnStatus_t added(dnn_handle *h, divisive *v, double p, void *a, double q, void *b,
        void *c) noexcept nogil:
    return dnn_op_tensor(h, miopenTensorOpAdd, p, &v.row, a, q, &v.row, b, 0, &v.row, c)


cdef cudnnStatus_t less_means(dnn_handle *h, dnn_lrn *d, dnn_tensor *xd, const void *means, divisive *v) noexcept nogil:
    """From sums of x and x² to those of x less the centre's mean m: Σ(x - m)² = Σx² - m·(2Σx - m·Σ1)."""
    cdef cudnnStatus_t status = dnn_moved(h, v.work, 1, xd, means, 0, &v.packed, v.means)
    if status == CUDNN_STATUS_SUCCESS:
        status = dnn_fill(h, &v.packed, 1, v.more)
    if status == CUDNN_STATUS_SUCCESS:
        status = averaged(h, d.n, &v.packed, v.more, v.wide, v.scale)
    if status == CUDNN_STATUS_SUCCESS:
        status = product(h, v, 1, v.scale, v.means, 0, v.scale)
    if status == CUDNN_STATUS_SUCCESS:
        status = added(h, v, 2, v.centred, -1, v.scale, v.more)
    if status == CUDNN_STATUS_SUCCESS:
        status = product(h, v, -1, v.more, v.means, 1, v.mean)
    if status == CUDNN_STATUS_SUCCESS:
        status = added(h, v, 1, v.centred, -1, v.scale, v.centred)
    return status


cdef cudnnStatus_t divisive_begun(dnn_handle *h, dnn_lrn *d, dnn_tensor *xd, const void *x, const void *means,
        divisive *v) noexcept nogil:
    cdef dnn_tensor larger
    cdef int type
    cdef int i
    cdef cudnnStatus_t status = lrn_type(xd.type)
    if status != CUDNN_STATUS_SUCCESS:
        return status
    if xd.count != 4 and xd.count != 5:
        return cannot(b"MIOpen averages over 2 and 3 dimensions")
    type = CUDNN_DATA_DOUBLE if xd.type == CUDNN_DATA_DOUBLE else CUDNN_DATA_FLOAT
    dnn_packed(xd, type, &v.packed)
    row_of(xd, type, &v.row)
    larger = v.packed
    for i in range(2, xd.count):
        larger.dim[i] += 1
    dnn_packed(&larger, type, &larger)
    v.bytes = rounded(dnn_bytes(&v.packed))
    v.work = <char *>dnn_scratch(h, DNN_WORK + 6 * v.bytes + rounded(dnn_bytes(&larger)))
    if v.work is NULL:
        return dnn_because(CUDNN_STATUS_ALLOC_FAILED, b"no memory for the operands")
    v.top = v.work + DNN_WORK
    v.means = v.top + v.bytes
    v.centred = v.means + v.bytes
    v.scale = v.centred + v.bytes
    v.mean = v.scale + v.bytes
    v.more = v.mean + v.bytes
    v.wide = v.more + v.bytes
    status = dnn_moved(h, v.work, 1, xd, x, 0, &v.packed, v.top)
    if status == CUDNN_STATUS_SUCCESS:
        status = product(h, v, 1, v.top, v.top, 0, v.more)
    if status == CUDNN_STATUS_SUCCESS:
        status = averaged(h, d.n, &v.packed, v.more, v.wide, v.mean)
    if status == CUDNN_STATUS_SUCCESS:
        status = averaged(h, d.n, &v.packed, v.top, v.wide, v.centred)
    if status == CUDNN_STATUS_SUCCESS and means is not NULL:
        status = less_means(h, d, xd, means, v)
    if status == CUDNN_STATUS_SUCCESS:
        status = dnn_activated(h, miopenActivationPOWER, d.k, d.alpha, -d.beta, &v.row, v.mean, v.scale)
    return status


cdef public cudnnStatus_t divisive_forward(dnn_handle *h, dnn_lrn *d, cudnnDivNormMode_t mode, const void *alpha,
        dnn_tensor *xd, const void *x, const void *means, void *temp, void *temp2, const void *beta, dnn_tensor *yd,
        void *y) noexcept nogil:
    """The program's temporary memory is of x's type, so that it is not used. `mode` has one value. A negative beta
    counts as 0, as an H200 answers; on the way back it counts."""
    cdef double kept
    cdef divisive v
    cdef cudnnStatus_t status
    if x is NULL or y is NULL or temp is NULL or temp2 is NULL or alpha is NULL or beta is NULL:
        return bad(b"x, y, temp, temp2, alpha or beta is NULL")
    status = tensor_checked(xd)
    if status == CUDNN_STATUS_SUCCESS:
        status = tensor_checked(yd)
    if status != CUDNN_STATUS_SUCCESS:
        return status
    if xd.type != yd.type or not same_sizes(xd, yd):
        return bad(b"x and y differ in sizes or type")
    status = divisive_begun(h, d, xd, x, means, &v)
    if status == CUDNN_STATUS_SUCCESS:
        status = product(h, &v, 1, v.top, v.scale, 0, v.top)
    if status != CUDNN_STATUS_SUCCESS:
        return status
    kept = dnn_factor(yd.type, beta)
    return dnn_moved(h, v.work, dnn_factor(yd.type, alpha), &v.packed, v.top, 0 if kept < 0 else kept, yd, y)


cdef public cudnnStatus_t divisive_backward(dnn_handle *h, dnn_lrn *d, cudnnDivNormMode_t mode, const void *alpha,
        dnn_tensor *xd, const void *x, const void *means, const void *dy, void *temp, void *temp2, const void *beta,
        dnn_tensor *dxd, void *dx, void *dmeans) noexcept nogil:
    """g = dy·x·S^(-b-1); dx = dy·S^-b - 2ab·(x·mean of g - mean of g·m); the means' gradient is 2ab·g·mean of
    (x - m). As an H200 answers: the mean of the centre goes off its whole window, and an even one has one more behind
    on the way back too, where the true gradient would have it before."""
    cdef divisive v
    cdef double a, b
    cdef cudnnStatus_t status
    if x is NULL or dx is NULL or dy is NULL or temp is NULL or temp2 is NULL or alpha is NULL or beta is NULL:
        return bad(b"x, dx, dy, temp, temp2, alpha or beta is NULL")
    status = tensor_checked(xd)
    if status == CUDNN_STATUS_SUCCESS:
        status = tensor_checked(dxd)
    if status != CUDNN_STATUS_SUCCESS:
        return status
    if xd.type != dxd.type or not same_sizes(xd, dxd):
        return bad(b"x and dx differ in sizes or type")
    a = dnn_factor(dxd.type, alpha)
    b = dnn_factor(dxd.type, beta)
    status = divisive_begun(h, d, xd, x, means, &v)
    if status == CUDNN_STATUS_SUCCESS:
        status = dnn_activated(h, miopenActivationPOWER, d.k, d.alpha, -d.beta - 1, &v.row, v.mean, v.mean)
    if status == CUDNN_STATUS_SUCCESS:
        status = product(h, &v, 1, v.mean, v.top, 0, v.mean)
    if status == CUDNN_STATUS_SUCCESS:
        status = dnn_moved(h, v.work, 1, xd, dy, 0, &v.packed, v.more)
    if status == CUDNN_STATUS_SUCCESS:
        status = product(h, &v, 1, v.mean, v.more, 0, v.mean)
    if status == CUDNN_STATUS_SUCCESS:
        status = product(h, &v, 1, v.scale, v.more, 0, v.scale)
    if status == CUDNN_STATUS_SUCCESS:
        status = averaged(h, d.n, &v.packed, v.mean, v.wide, v.more)
    if status == CUDNN_STATUS_SUCCESS:
        status = product(h, &v, -2 * d.alpha * d.beta, v.top, v.more, 1, v.scale)
    if status == CUDNN_STATUS_SUCCESS and means is not NULL:
        status = product(h, &v, 2 * d.alpha * d.beta, v.mean, v.means, 0, v.more)
        if status == CUDNN_STATUS_SUCCESS:
            status = averaged(h, d.n, &v.packed, v.more, v.wide, v.top)
        if status == CUDNN_STATUS_SUCCESS:
            status = added(h, &v, 1, v.scale, 1, v.top, v.scale)
    if status == CUDNN_STATUS_SUCCESS:
        status = dnn_moved(h, v.work, a, &v.packed, v.scale, b, dxd, dx)
    if status == CUDNN_STATUS_SUCCESS and dmeans is not NULL:
        status = product(h, &v, 2 * d.alpha * d.beta, v.mean, v.centred, 0, v.more)
        if status == CUDNN_STATUS_SUCCESS:
            status = dnn_moved(h, v.work, a, &v.packed, v.more, b, dxd, dmeans)
    return status
