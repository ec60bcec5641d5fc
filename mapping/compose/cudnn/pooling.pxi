# Pooling. Blocks of tables/cudnn/pooling.yaml.

include "common.pxi"
include "amd.pxi"
include "packed.pxi"

cdef extern from "support.h" nogil:
    uint32_t dnn_doubles_pooled(dnn_handle *h, const dnn_pooling *d, const dnn_tensor *xd, const double *x,
                                const dnn_tensor *yd, double *y, const double *dy, double *dx)

from libc.stdint cimport INT32_MAX


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
    dnn_amd_forgotten(&d.amd)
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
    cdef int64_t reach
    if x.count != d.count + 2 or d.count == 0:
        return bad(b"the tensor has not two dimensions more than the pooling")
    out[0] = x.dim[0]
    out[1] = x.dim[1]
    for i in range(d.count):
        reach = <int64_t>x.dim[i + 2] + 2 * <int64_t>d.pad[i] - d.window[i]
        if reach < 0:
            return bad(b"the window is larger than the padded tensor")
        reach = reach // d.stride[i] + 1
        if reach > INT32_MAX:
            return cannot(b"the output has more than 2^31 - 1 elements")
        out[i + 2] = <int>reach
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


cdef cudnnStatus_t pooling_checked(dnn_pooling *d, dnn_tensor *x, dnn_tensor *y, int *type) noexcept nogil:
    """Of input and output; and the type that is computed in. The output's own sizes are not checked, as
    NVIDIA's are not."""
    cdef cudnnStatus_t status = tensor_checked(x)
    if status == CUDNN_STATUS_SUCCESS:
        status = tensor_checked(y)
    if status != CUDNN_STATUS_SUCCESS:
        return status
    if d.count == 0 or x.count != d.count + 2 or y.count != x.count:
        return bad(b"tensors and pooling differ in the number of dimensions")
    if x.dim[0] != y.dim[0] or x.dim[1] != y.dim[1] or x.type != y.type:
        return bad(b"input and output differ in images, channels or type")
    if d.count != 2 and d.count != 3:
        return cannot(b"MIOpen has pooling in 2 and 3 dimensions")
    if not is_float_type(x.type):
        return cannot(b"pooling of integers, which MIOpen does not have")
    type[0] = CUDNN_DATA_FLOAT if x.type == CUDNN_DATA_BFLOAT16 else x.type
    return CUDNN_STATUS_SUCCESS


cdef inline bint is_max(dnn_pooling *d) noexcept nogil:
    return d.mode == CUDNN_POOLING_MAX or d.mode == CUDNN_POOLING_MAX_DETERMINISTIC


cdef inline bint is_row_by_row(const dnn_tensor *d) noexcept nogil:
    """What `dnn_packed` would make of it: the strides of dimensions of 1 too are as MIOpen expects them."""
    cdef int32_t step = 1
    cdef int i = d.count - 1
    while i >= 0:
        if d.stride[i] != step:
            return False
        step *= d.dim[i]
        i -= 1
    return True


cdef cudnnStatus_t pool(dnn_handle *h, dnn_pooling *d, dnn_tensor *xd, const void *x, dnn_tensor *yd, void *y,
        void *indices, size_t size) noexcept nogil:
    """y ← pool(x) of packed tensors; keeps where each maximum was where there is memory for it."""
    cdef float one = 1
    cdef float zero = 0
    cdef void *amd
    cdef void *ax
    cdef void *ay
    if xd.type == CUDNN_DATA_DOUBLE:
        return <cudnnStatus_t>dnn_doubles_pooled(h, d, xd, <const double *>x, yd, <double *>y, NULL, NULL)
    amd = dnn_amd_pooling(h, d)
    ax = dnn_amd_tensor(h, xd)
    ay = dnn_amd_tensor(h, yd)
    if amd is NULL or ax is NULL or ay is NULL:
        return CUDNN_STATUS_NOT_SUPPORTED
    return answered(dg_miopen.miopenPoolingForward(
        <miopenHandle_t>h.amd, <miopenPoolingDescriptor_t>amd, &one, <miopenTensorDescriptor_t>ax, x, &zero,
        <miopenTensorDescriptor_t>ay, y, indices is not NULL, indices, size), b"miopenPoolingForward")


cdef public cudnnStatus_t pooling_forward(dnn_handle *h, dnn_pooling *d, const void *alpha, dnn_tensor *xd,
        const void *x, const void *beta, dnn_tensor *yd, void *y) noexcept nogil:
    """MIOpen's maximum passes over NaN. To propagate them: tanh times 0 leaves a 0 of every number and a NaN of every
    NaN, and its average over each window is added."""
    cdef dnn_tensor px, py, row
    cdef dnn_pooling average
    cdef double a, b
    cdef size_t x_bytes, y_bytes
    cdef char *work
    cdef char *marks
    cdef void *out
    cdef int type
    cdef bint marked, x_fits, y_fits
    cdef cudnnStatus_t status
    if x is NULL or y is NULL or alpha is NULL or beta is NULL:
        return bad(b"x, y, alpha or beta is NULL")
    status = pooling_checked(d, xd, yd, &type)
    if status != CUDNN_STATUS_SUCCESS:
        return status
    a = dnn_factor(xd.type, alpha)
    b = dnn_factor(xd.type, beta)
    marked = is_max(d) and d.nan == CUDNN_PROPAGATE_NAN and type != CUDNN_DATA_DOUBLE
    x_fits = type == xd.type and dnn_is_packed(xd)
    y_fits = type == yd.type and dnn_is_packed(yd)
    if x_fits and y_fits and b == 0 and not marked and is_row_by_row(xd) and is_row_by_row(yd):
        status = pool(h, d, xd, x, yd, y, NULL, 0)
        return status if status != CUDNN_STATUS_SUCCESS else dnn_scale(h, yd, a, y)
    dnn_packed(xd, type, &px)
    dnn_packed(yd, type, &py)
    x_bytes = rounded(dnn_bytes(&px))
    y_bytes = rounded(dnn_bytes(&py))
    work = <char *>dnn_scratch(h, DNN_WORK + 2 * x_bytes + 2 * y_bytes)
    if work is NULL:
        return dnn_because(CUDNN_STATUS_ALLOC_FAILED, b"no memory for the operands")
    marks = work + DNN_WORK + x_bytes
    if not x_fits:
        status = dnn_moved(h, work, 1, xd, x, 0, &px, work + DNN_WORK)
        x = work + DNN_WORK
    out = y if b == 0 and y_fits else marks + x_bytes
    if status == CUDNN_STATUS_SUCCESS:
        status = pool(h, d, &px, x, &py, out, NULL, 0)
    if marked:
        average = d[0]
        average.mode = CUDNN_POOLING_AVERAGE_COUNT_EXCLUDE_PADDING
        average.amd = NULL
        row_of(xd, type, &row)
        if status == CUDNN_STATUS_SUCCESS:
            status = dnn_activated(h, miopenActivationTANH, 1, 0, 0, &row, x, marks)
        if status == CUDNN_STATUS_SUCCESS:
            status = pool(h, &average, &px, marks, &py, marks + x_bytes + y_bytes, NULL, 0)
        if status == CUDNN_STATUS_SUCCESS:
            status = dnn_op_tensor(h, miopenTensorOpAdd, 1, &py, out, 1, &py, marks + x_bytes + y_bytes, 0, &py, out)
    if status != CUDNN_STATUS_SUCCESS:
        return status
    return dnn_scale(h, yd, a, y) if out == y else dnn_moved(h, work, a, &py, out, b, yd, y)


cdef cudnnStatus_t doubles_back(dnn_handle *h, dnn_pooling *d, double a, dnn_tensor *px, dnn_tensor *py,
        dnn_tensor *dyd, const void *dy, dnn_tensor *xd, const void *x, double b, dnn_tensor *dxd,
        void *dx) noexcept nogil:
    cdef size_t x_bytes = rounded(dnn_bytes(px))
    cdef char *work = <char *>dnn_scratch(h, 2 * x_bytes + dnn_bytes(py))
    cdef uint32_t status
    if work is NULL:
        return dnn_because(CUDNN_STATUS_ALLOC_FAILED, b"no memory for the operands")
    status = dnn_moved(h, NULL, 1, xd, x, 0, px, work)
    if status == 0:
        status = dnn_moved(h, NULL, 1, dyd, dy, 0, py, work + 2 * x_bytes)
    if status == 0:
        status = dnn_doubles_pooled(h, d, px, <const double *>work, py, NULL, <const double *>(work + 2 * x_bytes),
                                    <double *>(work + x_bytes))
    return <cudnnStatus_t>(status if status != 0 else moved_back(h, a, px, work + x_bytes, b, dxd, dx))


cdef public cudnnStatus_t pooling_backward(dnn_handle *h, dnn_pooling *d, const void *alpha, dnn_tensor *yd,
        const void *y, dnn_tensor *dyd, const void *dy, dnn_tensor *xd, const void *x, const void *beta,
        dnn_tensor *dxd, void *dx) noexcept nogil:
    """Where each maximum was only MIOpen's forward call tells: it runs again."""
    cdef dnn_tensor px, py
    cdef double a, b
    cdef float one = 1
    cdef float zero = 0
    cdef size_t x_bytes, y_bytes
    cdef size_t size = 0
    cdef char *work
    cdef char *first
    cdef char *again
    cdef char *indices
    cdef void *out
    cdef void *amd
    cdef void *ax
    cdef void *ay
    cdef int type
    cdef cudnnStatus_t status
    if x is NULL or y is NULL or dx is NULL or dy is NULL or alpha is NULL or beta is NULL:
        return bad(b"x, y, dx, dy, alpha or beta is NULL")
    status = pooling_checked(d, xd, yd, &type)
    if status == CUDNN_STATUS_SUCCESS:
        status = pooling_checked(d, dxd, dyd, &type)
    if status != CUDNN_STATUS_SUCCESS:
        return status
    if not same_sizes(xd, dxd) or not same_sizes(yd, dyd) or xd.type != dxd.type:
        return bad(b"x and dx, or y and dy, differ in sizes or type")
    a = dnn_factor(xd.type, alpha)
    b = dnn_factor(xd.type, beta)
    dnn_packed(xd, type, &px)
    dnn_packed(yd, type, &py)
    x_bytes = rounded(dnn_bytes(&px))
    y_bytes = rounded(dnn_bytes(&py))
    if type == CUDNN_DATA_DOUBLE:
        return doubles_back(h, d, a, &px, &py, dyd, dy, xd, x, b, dxd, dx)
    amd = dnn_amd_pooling(h, d)
    ax = dnn_amd_shape(h, px.type, px.count, px.dim, px.stride)
    ay = dnn_amd_shape(h, py.type, py.count, py.dim, py.stride)
    if amd is NULL or ax is NULL or ay is NULL:
        return CUDNN_STATUS_NOT_SUPPORTED
    if is_max(d):
        status = answered(dg_miopen.miopenPoolingGetWorkSpaceSizeV2(
            <miopenPoolingDescriptor_t>amd, <miopenTensorDescriptor_t>ay, &size), b"miopenPoolingGetWorkSpaceSizeV2")
        if status != CUDNN_STATUS_SUCCESS:
            return status
    work = <char *>dnn_scratch(h, DNN_WORK + 2 * x_bytes + 2 * y_bytes + size)
    if work is NULL:
        return dnn_because(CUDNN_STATUS_ALLOC_FAILED, b"no memory for the operands")
    first = work + DNN_WORK
    again = first + 2 * x_bytes
    indices = again + 2 * y_bytes
    if is_max(d):
        if type != xd.type or not dnn_is_packed(xd):
            status = dnn_moved(h, work, 1, xd, x, 0, &px, first)
            x = first
        if status == CUDNN_STATUS_SUCCESS:
            status = pool(h, d, &px, x, &py, again, indices, size)
    if status == CUDNN_STATUS_SUCCESS and (type != dyd.type or not dnn_is_packed(dyd)):
        status = dnn_moved(h, work, 1, dyd, dy, 0, &py, again + y_bytes)
        dy = again + y_bytes
    out = dx if b == 0 and type == dxd.type and dnn_is_packed(dxd) else first + x_bytes
    if status == CUDNN_STATUS_SUCCESS:
        status = answered(dg_miopen.miopenPoolingBackward(
            <miopenHandle_t>h.amd, <miopenPoolingDescriptor_t>amd, &one, <miopenTensorDescriptor_t>ay,
            again if is_max(d) else dy, <miopenTensorDescriptor_t>ay, dy, <miopenTensorDescriptor_t>ax, x, &zero,
            <miopenTensorDescriptor_t>ax, out, indices if is_max(d) else NULL), b"miopenPoolingBackward")
    if status != CUDNN_STATUS_SUCCESS:
        return status
    return dnn_scale(h, dxd, a, dx) if out == dx else dnn_moved(h, work, a, &px, out, b, dxd, dx)
