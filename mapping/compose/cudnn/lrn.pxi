# Local response normalisation. Blocks of tables/cudnn/lrn.yaml.

include "common.pxi"
include "amd.pxi"
include "packed.pxi"


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
    d.amd = NULL
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
    if type != CUDNN_DATA_FLOAT and type != CUDNN_DATA_HALF and type != CUDNN_DATA_BFLOAT16:
        return cannot(b"MIOpen has local normalisation of float and half alone; bfloat16 goes through float")
    return CUDNN_STATUS_SUCCESS


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
    channels_of(xd, &packed, &flat)
    lrn = dnn_amd_lrn(h, miopenLRNCrossChannel, d.n, d.alpha, d.beta, d.k)
    amd = dnn_amd_shape(h, flat.type, flat.count, flat.dim, flat.stride)
    if lrn is NULL or amd is NULL:
        return CUDNN_STATUS_NOT_SUPPORTED
    bytes = room(dnn_bytes(&packed))
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


cdef public cudnnStatus_t lrn_backward(dnn_handle *h, dnn_lrn *d, cudnnLRNMode_t mode, const void *alpha, dnn_tensor *yd,
        const void *y, dnn_tensor *dyd, const void *dy, dnn_tensor *xd, const void *x, const void *beta, dnn_tensor *dxd,
        void *dx) noexcept nogil:
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
    channels_of(xd, &packed, &flat)
    lrn = dnn_amd_lrn(h, miopenLRNCrossChannel, d.n, d.alpha, d.beta, d.k)
    amd = dnn_amd_shape(h, flat.type, flat.count, flat.dim, flat.stride)
    if lrn is NULL or amd is NULL:
        return CUDNN_STATUS_NOT_SUPPORTED
    status = answered(dg_miopen.miopenLRNGetWorkSpaceSize(<miopenTensorDescriptor_t>amd, &size),
                      b"miopenLRNGetWorkSpaceSize")
    if status != CUDNN_STATUS_SUCCESS:
        return status
    bytes = room(dnn_bytes(&packed))
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
