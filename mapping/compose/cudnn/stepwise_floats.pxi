# Activations of floats, which MIOpen has (stepwise.pyx).

cdef inline uint32_t not_captured(dnn_handle *h) noexcept nogil:
    return 0


cdef uint32_t squash(const plan *p, int mode, int rows, int columns, int pitch, const float *x,
        float *y) noexcept nogil:
    cdef dnn_tensor d
    if rows == 0:
        return 0
    block(&d, rows, columns, pitch)
    return dnn_activated(p.n.h, mode, 1, 1, 0, &d, x, y)


cdef uint32_t unsquash(const plan *p, int mode, int rows, int columns, int pitch, const float *y, const float *x,
        const float *grad, float *out) noexcept nogil:
    """The gradient from y, or of a ReLU from x; `out` may be `grad`."""
    cdef float one = 1
    cdef float zero = 0
    cdef dnn_tensor d
    cdef void *f
    cdef void *amd
    cdef uint32_t status
    if rows == 0:
        return 0
    block(&d, rows, columns, pitch)
    f = dnn_amd_activation(p.n.h, mode, 1, 1, 0)
    amd = dnn_amd_shape(p.n.h, d.type, d.count, d.dim, d.stride)
    if f is NULL or amd is NULL:
        return CUDNN_STATUS_NOT_SUPPORTED
    status = dg_miopen.miopenActivationBackward(
        <miopenHandle_t>p.n.h.amd, <miopenActivationDescriptor_t>f, &one, <miopenTensorDescriptor_t>amd, y,
        <miopenTensorDescriptor_t>amd, grad, <miopenTensorDescriptor_t>amd, x, &zero, <miopenTensorDescriptor_t>amd,
        out)
    return answered(status, b"miopenActivationBackward")
