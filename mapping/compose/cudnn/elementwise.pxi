# Operations element by element. Blocks of tables/cudnn/elementwise.yaml.

include "common.pxi"
include "amd.pxi"
include "packed.pxi"

from libc.math cimport INFINITY


cdef public cudnnStatus_t create_op_tensor_descriptor(cudnnOpTensorDescriptor_t *place) noexcept nogil:
    return dnn_new(<void **>place, DNN_OP)


cdef public cudnnStatus_t destroy_op_tensor_descriptor(dnn_op *d) noexcept nogil:
    return dnn_delete(d, DNN_OP)


cdef public cudnnStatus_t set_op_tensor_descriptor(dnn_op *d, cudnnOpTensorOp_t op, cudnnDataType_t type,
        cudnnNanPropagation_t nan) noexcept nogil:
    if <uint32_t>op > <uint32_t>CUDNN_OP_TENSOR_NOT:
        return bad(b"opTensorOp is no operation")
    if dnn_type_bytes(<int>type) == 0:
        return bad(b"opTensorCompType is no type of this version")
    if not is_nan_rule(nan):
        return bad(b"opTensorNanOpt is neither PROPAGATE nor NOT_PROPAGATE")
    d.op = <int32_t>op
    d.type = <int32_t>type
    d.nan = <int32_t>nan
    return CUDNN_STATUS_SUCCESS


cdef public cudnnStatus_t get_op_tensor_descriptor(dnn_op *d, cudnnOpTensorOp_t *op, cudnnDataType_t *type,
        cudnnNanPropagation_t *nan) noexcept nogil:
    if op is not NULL:
        op[0] = <cudnnOpTensorOp_t>d.op
    if type is not NULL:
        type[0] = <cudnnDataType_t>d.type
    if nan is not NULL:
        nan[0] = <cudnnNanPropagation_t>d.nan
    return CUDNN_STATUS_SUCCESS


cdef public cudnnStatus_t set_tensor(dnn_handle *h, dnn_tensor *yd, void *y, const void *value) noexcept nogil:
    """The value is of the tensor's type, but a float beside smaller ones, as NVIDIA's library reads it."""
    cdef dnn_tensor d
    cdef double given
    if y is NULL or value is NULL:
        return bad(b"y or valuePtr is NULL")
    if yd.count == 0:
        return cannot(b"a descriptor has not been set")
    if tensor_checked(yd) != CUDNN_STATUS_SUCCESS:
        return CUDNN_STATUS_NOT_SUPPORTED
    d = yd[0]
    if yd.type == CUDNN_DATA_INT32:
        given = (<const int32_t *>value)[0]
    elif yd.type == CUDNN_DATA_INT8:
        given = (<const float *>value)[0]
        given = -128 if given < -128 else 127 if given > 127 else given
    elif yd.type == CUDNN_DATA_UINT8 or yd.type == CUDNN_DATA_BOOLEAN:
        given = (<const float *>value)[0]
        given = <int8_t><uint8_t>(255 if given > 255 else given if given > 0 else 0)
        d.type = CUDNN_DATA_INT8  # the bits are the same
    elif is_float_type(yd.type):
        given = dnn_factor(yd.type, value)
    else:
        return cannot(b"MIOpen fills no tensor of this type")
    return dnn_fill(h, &d, given, y)


cdef public cudnnStatus_t scale_tensor(dnn_handle *h, dnn_tensor *yd, void *y, const void *alpha) noexcept nogil:
    cdef cudnnStatus_t status
    if y is NULL or alpha is NULL:
        return bad(b"y or alpha is NULL")
    status = tensor_checked(yd)
    return dnn_scale(h, yd, dnn_factor(yd.type, alpha), y) if status == CUDNN_STATUS_SUCCESS else status


cdef bint is_broadcast(const dnn_tensor *b, const dnn_tensor *c) noexcept nogil:
    cdef int i
    if b.count != c.count:
        return False
    for i in range(c.count):
        if b.dim[i] != c.dim[i] and b.dim[i] != 1:
            return False
    return True


cdef public cudnnStatus_t add_tensor(dnn_handle *h, const void *alpha, dnn_tensor *ad, const void *A, const void *beta,
        dnn_tensor *cd, void *C) noexcept nogil:
    cdef double a, b
    cdef cudnnStatus_t status
    if A is NULL or C is NULL or alpha is NULL or beta is NULL:
        return bad(b"A, C, alpha or beta is NULL")
    status = tensor_checked(ad)
    if status == CUDNN_STATUS_SUCCESS:
        status = tensor_checked(cd)
    if status != CUDNN_STATUS_SUCCESS:
        return status
    if ad.type != cd.type or not is_broadcast(ad, cd):
        return bad(b"A is not of C's type, or a dimension of A is neither C's nor 1")
    a = dnn_factor(cd.type, alpha)
    b = dnn_factor(cd.type, beta)
    if b == 0:
        if same_sizes(ad, cd):
            return dnn_moved(h, NULL, a, ad, A, 0, cd, C)
        status = dnn_fill(h, cd, 0, C)
        if status != CUDNN_STATUS_SUCCESS:
            return status
        b = 1
    return dnn_op_tensor(h, miopenTensorOpAdd, b, cd, C, a, ad, A, 0, cd, C)


cdef cudnnStatus_t chosen(dnn_handle *h, bint low, bint propagate, double a, dnn_tensor *ad, const void *A, double b,
        dnn_tensor *bd, const void *B, double beta, dnn_tensor *cd, void *C) noexcept nogil:
    """The lesser or greater one. MIOpen's gives the second wherever one is a NaN, so both orders are taken: X and Y are
    equal but for NaN. To propagate: the mean of X and Y. Not to: the mean of both once with NaN as +∞ and the lesser
    taken, once as −∞ and the greater taken, in which two NaN are ∞ − ∞."""
    cdef uint32_t op = miopenTensorOpMin if low else miopenTensorOpMax
    cdef dnn_tensor d, one
    cdef char *least
    cdef char *most
    cdef char *x
    cdef char *y
    cdef char *t
    cdef char *u
    cdef size_t bytes
    cdef uint32_t status
    dnn_packed(cd, cd.type, &d)
    bytes = rounded(dnn_bytes(&d))
    least = <char *>dnn_scratch(h, 512 + (3 if propagate else 4) * bytes)
    if least is NULL:
        return dnn_because(CUDNN_STATUS_ALLOC_FAILED, b"no memory for the operands")
    most = least + 256
    x = least + 512
    y = x + bytes
    t = y + bytes
    status = dnn_copy(h, ad, A, &d, x)
    if status == 0:
        status = dnn_scale(h, &d, a, x)
    if status == 0:
        status = dnn_fill(h, &d, 0, y)
    if status == 0:
        status = dnn_op_tensor(h, miopenTensorOpAdd, 1, &d, y, b if is_single(b) else 1, bd, B, 0, &d, y)
    if status == 0 and not is_single(b):
        status = dnn_scale(h, &d, b, y)
    if status == 0:
        status = dnn_op_tensor(h, op, 1, &d, x, 1, &d, y, 0, &d, t)
    if status == 0:
        status = dnn_op_tensor(h, op, 1, &d, y, 1, &d, x, 0, &d, x)
    if status == 0 and not propagate:
        u = t + bytes
        dnn_one_element(&d, &one)
        status = dnn_fill(h, &one, INFINITY, least)
        if status == 0:
            status = dnn_fill(h, &one, -INFINITY, most)
        if status == 0:
            status = dnn_op_tensor(h, miopenTensorOpMin, 1, &d, x, 1, &one, least, 0, &d, y)
        if status == 0:
            status = dnn_op_tensor(h, miopenTensorOpMin, 1, &d, t, 1, &one, least, 0, &d, u)
        if status == 0:
            status = dnn_op_tensor(h, miopenTensorOpMin, 1, &d, y, 1, &d, u, 0, &d, y)
        if status == 0:
            status = dnn_op_tensor(h, miopenTensorOpMax, 1, &d, x, 1, &one, most, 0, &d, x)
        if status == 0:
            status = dnn_op_tensor(h, miopenTensorOpMax, 1, &d, t, 1, &one, most, 0, &d, t)
        if status == 0:
            status = dnn_op_tensor(h, miopenTensorOpMax, 1, &d, x, 1, &d, t, 0, &d, x)
        t = y
    return status if status != 0 else dnn_op_tensor(h, miopenTensorOpAdd, 0.5, &d, t, 0.5, &d, x, beta, cd, C)


cdef cudnnStatus_t roots(dnn_handle *h, int count, char *memory) noexcept nogil:
    """√a of floats one behind the other: x/√(x + ε), which batch normalisation with running values computes, where
    POWER takes all below 1e-6 for 0. The memory: 256 bytes, a, four of its size, the roots."""
    cdef dnn_tensor d, one
    cdef size_t bytes = rounded(<size_t>count * 4)
    cdef char *a = memory + 256
    cdef char *ones = a + bytes
    cdef char *zeros = ones + bytes
    cdef char *variance = zeros + bytes
    cdef char *small = variance + bytes
    cdef char *root = small + bytes
    cdef void *amd
    cdef float[2] factor
    cdef uint32_t status
    cdef int i
    memset(&one, 0, sizeof(one))
    one.type = CUDNN_DATA_FLOAT
    one.count = 4
    for i in range(4):
        one.dim[i] = one.stride[i] = 1
    d = one
    d.dim[3] = count
    dnn_packed(&d, d.type, &d)
    factor[0] = 1
    factor[1] = 0
    amd = dnn_amd_shape(h, d.type, d.count, d.dim, d.stride)
    if amd is NULL:
        return CUDNN_STATUS_NOT_SUPPORTED
    status = dnn_fill(h, &one, 3.4028234663852886e38, memory)
    if status == 0:
        status = dnn_fill(h, &d, 1, ones)
    if status == 0:
        status = dnn_fill(h, &d, 0, zeros)
    for i in range(2):
        # first of a·2^64, for denormal numbers: there it is the greater, and where the limit cuts, the lesser
        if status == 0:
            status = dnn_op_tensor(h, miopenTensorOpMin, 1.0 if i else 18446744073709551616.0, &d, a, 1, &one, memory,
                                   0, &d, variance)
        if status == 0:
            status = dg_miopen.miopenBatchNormalizationForwardInference(
                <miopenHandle_t>h.amd, miopenBNPerActivation, &factor[0], &factor[1], <miopenTensorDescriptor_t>amd,
                a if i else variance, <miopenTensorDescriptor_t>amd, root if i else small,
                <miopenTensorDescriptor_t>amd, ones, zeros, zeros, variance, 1.1754943508222875e-38)
            if status != 0:
                status = dnn_failed(status_of_miopen(status), b"miopenBatchNormalizationForwardInference", status)
    if status == 0:  # where one is a NaN, the second is the result
        status = dnn_op_tensor(h, miopenTensorOpMax, 2.3283064365386963e-10, &d, small, 1, &d, root, 0, &d, root)
    return status


cdef cudnnStatus_t square_root(dnn_handle *h, double a, dnn_tensor *ad, const void *A, double beta, dnn_tensor *cd,
        void *C) noexcept nogil:
    """C ← √(a·A) + β·C"""
    cdef dnn_tensor d
    cdef size_t bytes
    cdef char *work
    cdef uint32_t status
    dnn_packed(ad, CUDNN_DATA_DOUBLE if cd.type == CUDNN_DATA_DOUBLE else CUDNN_DATA_FLOAT, &d)
    bytes = rounded(dnn_bytes(&d))
    if cd.type == CUDNN_DATA_DOUBLE:
        work = <char *>dnn_scratch(h, bytes)
        if work is NULL:
            return dnn_because(CUDNN_STATUS_ALLOC_FAILED, b"no memory for the operands")
        status = dnn_moved(h, NULL, a, ad, A, 0, &d, work)
        if status == 0:
            status = dnn_activated(h, miopenActivationPOWER, 0, 1, 0.5, &d, work, work)
        return <cudnnStatus_t>(status if status != 0 else moved_back(h, 1, &d, work, beta, cd, C))
    if bytes > <size_t>0x1ffffffff:
        return cannot(b"more than 2^31 elements")
    work = <char *>dnn_scratch(h, DNN_WORK + 256 + 6 * bytes)
    if work is NULL:
        return dnn_because(CUDNN_STATUS_ALLOC_FAILED, b"no memory for the operands")
    status = dnn_moved(h, work, 1, ad, A, 0, &d, work + DNN_WORK + 256)
    if status == 0:
        status = dnn_scale(h, &d, a, work + DNN_WORK + 256)
    if status == 0:
        status = roots(h, <int>(dnn_bytes(&d) // 4), work + DNN_WORK)
    return status if status != 0 else dnn_moved(h, work, 1, &d, work + DNN_WORK + 256 + 5 * bytes, beta, cd, C)


cdef cudnnStatus_t one_less(dnn_handle *h, double a, dnn_tensor *ad, const void *A, double beta, dnn_tensor *cd,
        void *C) noexcept nogil:
    """C ← 1 - a·A + β·C"""
    cdef dnn_tensor d, one
    cdef char *memory
    cdef uint32_t status
    dnn_packed(ad, ad.type, &d)
    dnn_one_element(&d, &one)
    memory = <char *>dnn_scratch(h, 256 + (0 if is_single(a) else dnn_bytes(&d)))
    if memory is NULL:
        return dnn_because(CUDNN_STATUS_ALLOC_FAILED, b"no memory for the operands")
    status = dnn_fill(h, &one, 1, memory)
    if status != 0:
        return status
    if is_single(a) and (is_single(beta) or A != C):
        return dnn_op_tensor(h, miopenTensorOpAdd, -a, ad, A, 1, &one, memory, beta, cd, C)
    status = dnn_copy(h, ad, A, &d, memory + 256)
    if status == 0:
        status = dnn_scale(h, &d, -a, memory + 256)
    return status if status != 0 else dnn_op_tensor(h, miopenTensorOpAdd, 1, &d, memory + 256, 1, &one, memory, beta,
                                                    cd, C)


cdef public cudnnStatus_t op_tensor(dnn_handle *h, dnn_op *d, const void *alpha1, dnn_tensor *ad, const void *A,
        const void *alpha2, dnn_tensor *bd, const void *B, const void *beta, dnn_tensor *cd, void *C) noexcept nogil:
    cdef bint alone = d.op == CUDNN_OP_TENSOR_SQRT or d.op == CUDNN_OP_TENSOR_NOT
    cdef double a, b
    cdef cudnnStatus_t status
    if A is NULL or C is NULL or alpha1 is NULL or beta is NULL or (not alone and (B is NULL or alpha2 is NULL)):
        return bad(b"A, B, C or a factor is NULL")
    status = tensor_checked(ad)
    if status == CUDNN_STATUS_SUCCESS:
        status = tensor_checked(cd)
    if status == CUDNN_STATUS_SUCCESS and not alone:
        status = tensor_checked(bd)
    if status != CUDNN_STATUS_SUCCESS:
        return status
    if ad.type != cd.type or not same_sizes(ad, cd):
        return bad(b"A and C differ in sizes or type")
    if not alone and (bd.type != cd.type or not is_broadcast(bd, cd)):
        return bad(b"B is not of C's type, or a dimension of B is neither C's nor 1")
    if not alone and B == C:
        return bad(b"C lies on B")
    a = dnn_factor(cd.type, alpha1)
    b = dnn_factor(cd.type, beta)
    if d.op == CUDNN_OP_TENSOR_SQRT:
        return square_root(h, a, ad, A, b, cd, C) if is_float_type(cd.type) else cannot(b"a square root of integers")
    if d.op == CUDNN_OP_TENSOR_NOT:
        return one_less(h, a, ad, A, b, cd, C)
    if (d.op == CUDNN_OP_TENSOR_MIN or d.op == CUDNN_OP_TENSOR_MAX) and is_float_type(cd.type):
        return chosen(h, d.op == CUDNN_OP_TENSOR_MIN, d.nan == CUDNN_PROPAGATE_NAN, a, ad, A,
                      dnn_factor(cd.type, alpha2), bd, B, b, cd, C)
    return dnn_op_tensor(h, <int>to_dnn_op(<uint32_t>d.op), a, ad, A, dnn_factor(cd.type, alpha2), bd, B, b, cd, C)
