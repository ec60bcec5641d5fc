# Softmax. Blocks of tables/cudnn/softmax.yaml. MIOpen takes alpha and beta here as they are.

include "common.pxi"
include "amd.pxi"


cdef cudnnStatus_t softmax_checked(uint32_t algorithm, uint32_t mode, const dnn_tensor *a, const dnn_tensor *b) noexcept nogil:
    if bad_dnn_softmax_algorithm(algorithm):
        return bad(b"algo is no algorithm of softmax")
    if bad_dnn_softmax_mode(mode):
        return bad(b"mode is neither INSTANCE nor CHANNEL")
    if not same_sizes(a, b) or a.type != b.type:
        return bad(b"the tensors differ in sizes or type")
    if a.type != CUDNN_DATA_FLOAT and a.type != CUDNN_DATA_HALF:
        return cannot(b"MIOpen has softmax of float and half alone")
    return CUDNN_STATUS_SUCCESS


cdef public cudnnStatus_t softmax_forward(dnn_handle *h, cudnnSoftmaxAlgorithm_t algorithm, cudnnSoftmaxMode_t mode,
        const void *alpha, dnn_tensor *xd, const void *x, const void *beta, dnn_tensor *yd, void *y) noexcept nogil:
    cdef void *ax = NULL
    cdef void *ay = NULL
    cdef cudnnStatus_t status = softmax_checked(algorithm, mode, xd, yd)
    if status != CUDNN_STATUS_SUCCESS:
        return status
    if x is NULL or y is NULL or alpha is NULL or beta is NULL:
        return bad(b"x, y, alpha or beta is NULL")
    ax = dnn_amd_tensor(h, xd)
    ay = dnn_amd_tensor(h, yd)
    if ax is NULL or ay is NULL:
        return CUDNN_STATUS_NOT_SUPPORTED
    return answered(dg_miopen.miopenSoftmaxForward_V2(
        <miopenHandle_t>h.amd, alpha, <miopenTensorDescriptor_t>ax, x, beta, <miopenTensorDescriptor_t>ay, y,
        <miopenSoftmaxAlgorithm_t>to_dnn_softmax_algorithm(algorithm), <miopenSoftmaxMode_t>to_dnn_softmax_mode(mode)),
        b"miopenSoftmaxForward_V2")


cdef public cudnnStatus_t softmax_backward(dnn_handle *h, cudnnSoftmaxAlgorithm_t algorithm, cudnnSoftmaxMode_t mode,
        const void *alpha, dnn_tensor *yd, const void *y, dnn_tensor *dyd, const void *dy, const void *beta,
        dnn_tensor *dxd, void *dx) noexcept nogil:
    cdef void *ay = NULL
    cdef void *ady = NULL
    cdef void *adx = NULL
    cdef cudnnStatus_t status = softmax_checked(algorithm, mode, yd, dyd)
    if status == CUDNN_STATUS_SUCCESS:
        status = softmax_checked(algorithm, mode, yd, dxd)
    if status != CUDNN_STATUS_SUCCESS:
        return status
    if y is NULL or dy is NULL or dx is NULL or alpha is NULL or beta is NULL:
        return bad(b"y, dy, dx, alpha or beta is NULL")
    ay = dnn_amd_tensor(h, yd)
    ady = dnn_amd_tensor(h, dyd)
    adx = dnn_amd_tensor(h, dxd)
    if ay is NULL or ady is NULL or adx is NULL:
        return CUDNN_STATUS_NOT_SUPPORTED
    return answered(dg_miopen.miopenSoftmaxBackward_V2(
        <miopenHandle_t>h.amd, alpha, <miopenTensorDescriptor_t>ay, y, <miopenTensorDescriptor_t>ady, dy, beta,
        <miopenTensorDescriptor_t>adx, dx, <miopenSoftmaxAlgorithm_t>to_dnn_softmax_algorithm(algorithm),
        <miopenSoftmaxMode_t>to_dnn_softmax_mode(mode)), b"miopenSoftmaxBackward_V2")
