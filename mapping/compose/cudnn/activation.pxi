# Activations. Blocks of tables/cudnn/activation.yaml.

include "common.pxi"
include "amd.pxi"
include "packed.pxi"

from libc.math cimport INFINITY

cdef extern from "support.h" nogil:
    uint32_t dnn_doubles_led_back(dnn_handle *h, int mode, double alpha, int64_t count, const double *y,
                                  const double *dy, const double *x, double *dx)
    bint dnn_alike(const dnn_tensor *a, const dnn_tensor *b)
    bint dnn_recall(dnn_handle *h, uint32_t use, const dnn_tensor *a, const dnn_tensor *b,
        const dnn_tensor *c, void **amd)
    void dnn_remember(dnn_handle *h, uint32_t use, const dnn_tensor *a, const dnn_tensor *b,
        const dnn_tensor *c, void **amd)


cdef public cudnnStatus_t create_activation_descriptor(cudnnActivationDescriptor_t *place) noexcept nogil:
    cdef cudnnStatus_t status = dnn_new(<void **>place, DNN_ACTIVATION)
    if status == CUDNN_STATUS_SUCCESS:
        (<dnn_activation *>place[0]).swish_beta = 1.0
    return status


cdef public cudnnStatus_t destroy_activation_descriptor(dnn_activation *d) noexcept nogil:
    return dnn_delete(d, DNN_ACTIVATION)


cdef public cudnnStatus_t set_activation_descriptor(dnn_activation *d, cudnnActivationMode_t mode,
        cudnnNanPropagation_t nan, double coefficient) noexcept nogil:
    if <uint32_t>mode > <uint32_t>CUDNN_ACTIVATION_SWISH:
        return bad(b"mode is no activation")
    if not is_nan_rule(nan):
        return bad(b"reluNanOpt is neither PROPAGATE nor NOT_PROPAGATE")
    d.mode = <int32_t>mode
    d.nan = <int32_t>nan
    d.coefficient = coefficient
    return CUDNN_STATUS_SUCCESS


cdef public cudnnStatus_t get_activation_descriptor(dnn_activation *d, cudnnActivationMode_t *mode,
        cudnnNanPropagation_t *nan, double *coefficient) noexcept nogil:
    if mode is not NULL:
        mode[0] = <cudnnActivationMode_t>d.mode
    if nan is not NULL:
        nan[0] = <cudnnNanPropagation_t>d.nan
    if coefficient is not NULL:
        coefficient[0] = d.coefficient
    return CUDNN_STATUS_SUCCESS


cdef public cudnnStatus_t set_activation_descriptor_swish_beta(dnn_activation *d, double beta) noexcept nogil:
    d.swish_beta = beta
    return CUDNN_STATUS_SUCCESS


cdef public cudnnStatus_t get_activation_descriptor_swish_beta(dnn_activation *d, double *beta) noexcept nogil:
    if beta is NULL:
        return bad(b"swish_beta is NULL")
    beta[0] = d.swish_beta
    return CUDNN_STATUS_SUCCESS


cdef inline cudnnStatus_t activated(dnn_handle *h, int mode, double factor, dnn_tensor *row, const void *x,
        void *y) noexcept nogil:
    return dnn_activated(h, mode, factor, 1, 0, row, x, y)


cdef cudnnStatus_t led_back(dnn_handle *h, int mode, double factor, dnn_tensor *row, const void *y, const void *dy,
        const void *x, void *dx) noexcept nogil:
    """dx ← f′·dy; `mode` is MIOpen's."""
    cdef float one = 1
    cdef float zero = 0
    cdef void *f
    cdef void *amd
    if row.type == CUDNN_DATA_DOUBLE:
        return <cudnnStatus_t>dnn_doubles_led_back(h, mode, factor, elements_of(row), <const double *>y,
                                                   <const double *>dy, <const double *>x, <double *>dx)
    f = dnn_amd_activation(h, mode, factor, 1, 0)
    amd = dnn_amd_shape(h, row.type, row.count, row.dim, row.stride)
    if f is NULL or amd is NULL:
        return CUDNN_STATUS_NOT_SUPPORTED
    return answered(dg_miopen.miopenActivationBackward(
        <miopenHandle_t>h.amd, <miopenActivationDescriptor_t>f, &one, <miopenTensorDescriptor_t>amd, y,
        <miopenTensorDescriptor_t>amd, dy, <miopenTensorDescriptor_t>amd, x, &zero, <miopenTensorDescriptor_t>amd, dx),
        b"miopenActivationBackward")


cdef cudnnStatus_t led_back_again(dnn_handle *h, dnn_activation *d, void *row, const void *y, const void *dy,
        const void *x, void *dx) noexcept nogil:
    """The same with tensors that are known to lie alike and dense, whose row is MIOpen's."""
    cdef float one = 1
    cdef float zero = 0
    cdef void *f = dnn_amd_activation(h, <int>to_dnn_activation_mode(<uint32_t>d.mode), factor_of(d), 1, 0)
    if f is NULL:
        return CUDNN_STATUS_NOT_SUPPORTED
    return answered(dg_miopen.miopenActivationBackward(
        <miopenHandle_t>h.amd, <miopenActivationDescriptor_t>f, &one, <miopenTensorDescriptor_t>row, y,
        <miopenTensorDescriptor_t>row, dy, <miopenTensorDescriptor_t>row, x, &zero, <miopenTensorDescriptor_t>row, dx),
        b"miopenActivationBackward")


cdef double factor_of(dnn_activation *d) noexcept nogil:
    return d.coefficient if d.mode == CUDNN_ACTIVATION_ELU or d.mode == CUDNN_ACTIVATION_CLIPPED_RELU else 1


cdef bint in_one_step(dnn_activation *d, int *mode, double *factor) noexcept nogil:
    """Whether one of MIOpen's activations does, and which. Its ReLU makes a NaN of -∞, its clipped one 0 of a NaN; ELU
    with a factor of 0 is a ReLU that is right in both."""
    cdef bint propagate = d.nan == CUDNN_PROPAGATE_NAN
    if (d.mode == CUDNN_ACTIVATION_IDENTITY or d.mode == CUDNN_ACTIVATION_SWISH
            or (d.mode == CUDNN_ACTIVATION_CLIPPED_RELU and propagate)):
        return False
    if d.mode == CUDNN_ACTIVATION_RELU:
        mode[0] = miopenActivationELU if propagate else miopenActivationCLIPPEDRELU
        factor[0] = 0 if propagate else INFINITY
    else:
        mode[0] = <int>to_dnn_activation_mode(<uint32_t>d.mode)
        factor[0] = factor_of(d)
    return True


cdef cudnnStatus_t activated_again(dnn_handle *h, int mode, double factor, void *row, const void *x,
        void *y) noexcept nogil:
    """y ← f(x) with tensors that are known to lie alike and dense, whose row is MIOpen's."""
    cdef float one = 1
    cdef float zero = 0
    cdef void *f = dnn_amd_activation(h, mode, factor, 1, 0)
    if f is NULL:
        return CUDNN_STATUS_NOT_SUPPORTED
    return answered(dg_miopen.miopenActivationForward(
        <miopenHandle_t>h.amd, <miopenActivationDescriptor_t>f, &one, <miopenTensorDescriptor_t>row, x, &zero,
        <miopenTensorDescriptor_t>row, y), b"miopenActivationForward")


cdef cudnnStatus_t activate_row(dnn_handle *h, dnn_activation *d, dnn_tensor *row, const void *x, void *y,
        void *more) noexcept nogil:
    """y ← f(x); y may be x."""
    cdef cudnnStatus_t status
    cdef double factor = 1
    cdef int mode = 0
    if in_one_step(d, &mode, &factor):
        return activated(h, mode, factor, row, x, y)
    if d.mode == CUDNN_ACTIVATION_CLIPPED_RELU:
        status = activated(h, miopenActivationELU, 0, row, x, y)
        if status == CUDNN_STATUS_SUCCESS:
            status = dnn_fill(h, row, d.coefficient, more)
        if status == CUDNN_STATUS_SUCCESS:  # where one is a NaN, the second is the result
            status = dnn_op_tensor(h, miopenTensorOpMin, 1, row, more, 1, row, y, 0, row, y)
        return status
    status = dnn_moved(h, NULL, d.swish_beta, row, x, 0, row, more)
    if status == CUDNN_STATUS_SUCCESS:
        status = activated(h, miopenActivationLOGISTIC, 1, row, more, more)
    if status == CUDNN_STATUS_SUCCESS:
        status = dnn_op_tensor(h, miopenTensorOpMul, 1, row, x, 1, row, more, 0, row, y)
    return status


cdef bint needs_y(dnn_activation *d) noexcept nogil:
    return (d.mode == CUDNN_ACTIVATION_SIGMOID or d.mode == CUDNN_ACTIVATION_TANH or d.mode == CUDNN_ACTIVATION_ELU)


cdef cudnnStatus_t lead_row_back(dnn_handle *h, dnn_activation *d, dnn_tensor *row, const void *y, const void *dy,
        const void *x, void *dx, void *more, void *most) noexcept nogil:
    cdef cudnnStatus_t status
    if d.mode != CUDNN_ACTIVATION_SWISH:
        return led_back(h, <int>to_dnn_activation_mode(<uint32_t>d.mode), factor_of(d), row, y, dy, x, dx)
    # s + βx·s·(1 - s) with s = sigmoid(βx)
    status = dnn_moved(h, NULL, d.swish_beta, row, x, 0, row, more)
    if status == CUDNN_STATUS_SUCCESS:
        status = activated(h, miopenActivationLOGISTIC, 1, row, more, most)
    if status == CUDNN_STATUS_SUCCESS:
        status = led_back(h, miopenActivationLOGISTIC, 1, row, most, more, more, more)
    if status == CUDNN_STATUS_SUCCESS:
        status = dnn_op_tensor(h, miopenTensorOpAdd, 1, row, more, 1, row, most, 0, row, more)
    if status == CUDNN_STATUS_SUCCESS:
        status = dnn_op_tensor(h, miopenTensorOpMul, 1, row, dy, 1, row, more, 0, row, dx)
    return status


cdef cudnnStatus_t activation_type(dnn_activation *d, int type, int *works) noexcept nogil:
    """The type that it is computed in."""
    if not is_float_type(type):
        return cannot(b"activations of integers, which MIOpen does not have")
    works[0] = type
    if type == CUDNN_DATA_BFLOAT16 or (d.mode == CUDNN_ACTIVATION_SWISH and type != CUDNN_DATA_DOUBLE):
        works[0] = CUDNN_DATA_FLOAT
    return CUDNN_STATUS_SUCCESS


cdef public cudnnStatus_t activation_forward(dnn_handle *h, dnn_activation *d, const void *alpha, dnn_tensor *xd,
        const void *x, const void *beta, dnn_tensor *yd, void *y) noexcept nogil:
    cdef dnn_tensor row, packed
    cdef double a, b
    cdef size_t bytes, wanted
    cdef char *work = NULL
    cdef char *first
    cdef void *out
    cdef void *known[3]
    cdef double factor = 1
    cdef bint direct, more
    cdef int mode = 0
    cdef int type
    cdef cudnnStatus_t status
    if x is NULL or y is NULL or alpha is NULL or beta is NULL:
        return bad(b"x, y, alpha or beta is NULL")
    if (in_one_step(d, &mode, &factor) and dnn_recall(h, DNN_ACTIVATION, xd, yd, yd, known)
            and (<const float *>alpha)[0] == 1 and (<const float *>beta)[0] == 0):
        return activated_again(h, mode, factor, known[0], x, y)
    status = tensor_checked(xd)
    if status == CUDNN_STATUS_SUCCESS:
        status = tensor_checked(yd)
    if status != CUDNN_STATUS_SUCCESS:
        return status
    if xd.type != yd.type or not same_sizes(xd, yd):
        return bad(b"x and y differ in sizes or type")
    if d.mode == CUDNN_ACTIVATION_IDENTITY:
        return bad(b"IDENTITY is no activation of its own")
    status = activation_type(d, xd.type, &type)
    if status != CUDNN_STATUS_SUCCESS:
        return status
    a = dnn_factor(xd.type, alpha)
    b = dnn_factor(xd.type, beta)
    row_of(xd, type, &row)
    direct = type == xd.type and same_places(xd, yd) and is_dense(xd)
    more = d.mode == CUDNN_ACTIVATION_SWISH or (d.mode == CUDNN_ACTIVATION_CLIPPED_RELU
                                                and d.nan == CUDNN_PROPAGATE_NAN)
    bytes = rounded(<size_t>row.dim[3] * <size_t>dnn_type_bytes(type))
    if not direct or more or b != 0:
        work = <char *>dnn_scratch(h, DNN_WORK + 2 * bytes)
        if work is NULL:
            return dnn_because(CUDNN_STATUS_ALLOC_FAILED, b"no memory for the operands")
    first = work + DNN_WORK
    if direct:
        if type != CUDNN_DATA_DOUBLE:
            known[0] = known[1] = known[2] = dnn_amd_shape(h, row.type, row.count, row.dim, row.stride)
            if known[0] is not NULL:
                dnn_remember(h, DNN_ACTIVATION, xd, yd, yd, known)
        out = y if b == 0 else first
        status = activate_row(h, d, &row, x, out, first + bytes)
        return status if status != CUDNN_STATUS_SUCCESS else dnn_blended(h, a, out, b, yd, y)
    dnn_packed(xd, type, &packed)
    status = dnn_moved(h, work, 1, xd, x, 0, &packed, first)
    if status == CUDNN_STATUS_SUCCESS:
        status = activate_row(h, d, &row, first, first, first + bytes)
    return status if status != CUDNN_STATUS_SUCCESS else dnn_moved(h, work, a, &packed, first, b, yd, y)


cdef public cudnnStatus_t activation_backward(dnn_handle *h, dnn_activation *d, const void *alpha, dnn_tensor *yd,
        const void *y, dnn_tensor *dyd, const void *dy, dnn_tensor *xd, const void *x, const void *beta,
        dnn_tensor *dxd, void *dx) noexcept nogil:
    """y is read where it is given and fits, and computed again where not: NVIDIA's library takes none."""
    cdef dnn_tensor row, packed
    cdef double a, b
    cdef size_t bytes
    cdef char *work = NULL
    cdef char *first
    cdef const void *value
    cdef void *out
    cdef void *known[3]
    cdef bint direct, given
    cdef int type
    cdef cudnnStatus_t status
    if x is NULL or dy is NULL or dx is NULL or alpha is NULL or beta is NULL:
        return bad(b"x, dy, dx, alpha or beta is NULL")
    if (d.mode != CUDNN_ACTIVATION_IDENTITY and d.mode != CUDNN_ACTIVATION_SWISH
            and (not needs_y(d) or (y is not NULL and yd is not NULL and dnn_alike(xd, yd)))
            and dnn_recall(h, DNN_ACTIVATION, xd, dyd, dxd, known)
            and (<const float *>alpha)[0] == 1 and (<const float *>beta)[0] == 0):
        return led_back_again(h, d, known[0], y if needs_y(d) else x, dy, x, dx)
    status = tensor_checked(xd)
    if status == CUDNN_STATUS_SUCCESS:
        status = tensor_checked(dyd)
    if status == CUDNN_STATUS_SUCCESS:
        status = tensor_checked(dxd)
    if status != CUDNN_STATUS_SUCCESS:
        return status
    if xd.count != dyd.count or xd.count != dxd.count:
        return bad(b"x, dy and dx differ in the number of dimensions")
    if d.mode == CUDNN_ACTIVATION_IDENTITY:
        return bad(b"IDENTITY is no activation of its own")
    if xd.type != dyd.type or xd.type != dxd.type or not same_sizes(xd, dyd) or not same_sizes(xd, dxd):
        return cannot(b"x, dy and dx differ in sizes or type")
    status = activation_type(d, xd.type, &type)
    if status != CUDNN_STATUS_SUCCESS:
        return status
    a = dnn_factor(xd.type, alpha)
    b = dnn_factor(xd.type, beta)
    row_of(xd, type, &row)
    given = needs_y(d) and y is not NULL and yd is not NULL and yd.type == xd.type and same_sizes(xd, yd)
    if given:
        given = tensor_checked(yd) == CUDNN_STATUS_SUCCESS
    direct = type == xd.type and same_places(xd, dyd) and same_places(xd, dxd) and is_dense(xd)
    bytes = rounded(<size_t>row.dim[3] * <size_t>dnn_type_bytes(type))
    if not direct or d.mode == CUDNN_ACTIVATION_SWISH or needs_y(d) or b != 0:
        work = <char *>dnn_scratch(h, DNN_WORK + 4 * bytes)
        if work is NULL:
            return dnn_because(CUDNN_STATUS_ALLOC_FAILED, b"no memory for the operands")
    first = work + DNN_WORK
    if direct and type != CUDNN_DATA_DOUBLE:
        known[0] = known[1] = known[2] = dnn_amd_shape(h, row.type, row.count, row.dim, row.stride)
        if known[0] is not NULL:
            dnn_remember(h, DNN_ACTIVATION, xd, dyd, dxd, known)
    if not direct:
        dnn_packed(xd, type, &packed)
        status = dnn_moved(h, work, 1, xd, x, 0, &packed, first)
        if status == CUDNN_STATUS_SUCCESS:
            status = dnn_moved(h, work, 1, dyd, dy, 0, &packed, first + bytes)
        x = first
        dy = first + bytes
    value = x
    if status == CUDNN_STATUS_SUCCESS and needs_y(d):
        if given and direct and same_places(xd, yd):
            value = y
        elif given and not direct:
            value = first + 2 * bytes
            status = dnn_moved(h, work, 1, yd, y, 0, &packed, first + 2 * bytes)
        else:
            value = first + 2 * bytes
            status = activate_row(h, d, &row, x, first + 2 * bytes, NULL)
    if status != CUDNN_STATUS_SUCCESS:
        return status
    out = first + bytes if not direct or b != 0 else dx
    status = lead_row_back(h, d, &row, value, dy, x, out, first + 2 * bytes, first + 3 * bytes)
    if status != CUDNN_STATUS_SUCCESS:
        return status
    if direct:
        return dnn_blended(h, a, out, b, dxd, dx)
    return dnn_moved(h, work, a, &packed, out, b, dxd, dx)
