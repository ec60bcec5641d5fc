# Activations of doubles, which MIOpen has not: forward they pass through the host, backward they are products
# (stepwise64.pyx).

cdef extern from "support.h" nogil:
    uint32_t dnn_doubles_activated(dnn_handle *h, int mode, double alpha, double beta, double gamma, int rows,
                                   int64_t columns, int64_t pitch, const double *x, double *y)

cdef enum:
    DENORMAL = 9  # times 2^120 makes more than 1 of the least number above 0


cdef uint32_t not_captured(dnn_handle *h) noexcept nogil:
    """Forward calls of doubles pass through the host."""
    if dnn_captured(h):
        return cannot(b"a network of doubles under stream capture")
    return 0


cdef uint32_t squash(const plan *p, int mode, int rows, int columns, int pitch, const double *x,
        double *y) noexcept nogil:
    return dnn_doubles_activated(p.n.h, mode, 1, 1, 0, rows, columns, pitch, x, y) if rows > 0 else 0


cdef uint32_t unsquash(const plan *p, int mode, int rows, int columns, int pitch, const double *y, const double *x,
        const double *grad, double *out) noexcept nogil:
    """The gradient from y, which is a ReLU's x too; `out` may be `grad`."""
    cdef dnn_tensor d, one, t
    cdef double *aside = own(p, p.aside)
    cdef double factor = 1.329227995784916e36  # 2^120, which a float holds
    cdef int i
    cdef uint32_t status
    if rows == 0:
        return 0
    if mode != miopenActivationRELU:
        status = multiplied(p, rows, columns, grad, pitch, y, pitch, 0, aside, columns)
        if mode == miopenActivationTANH:
            if status == 0:
                status = multiplied(p, rows, columns, aside, columns, y, pitch, 0, aside, columns)
            return status if status != 0 else combined(
                p, miopenTensorOpAdd, rows, columns, grad, pitch, -1, aside, columns, 0, out, pitch)
        if status == 0:
            status = multiplied(p, rows, columns, aside, columns, y, pitch, 0, out, pitch)
        return status if status != 0 else combined(
            p, miopenTensorOpAdd, rows, columns, aside, columns, -1, out, pitch, 0, out, pitch)
    block(&d, rows, columns, pitch)
    block(&t, rows, columns, columns)
    block(&one, 1, 1, 1)
    status = dnn_op_tensor(p.n.h, miopenTensorOpMax, 1, &d, y, 0, &one, own(p, p.ones), 0, &t, aside)
    for i in range(DENORMAL):
        if status == 0:
            status = dnn_op_tensor(p.n.h, miopenTensorOpMin, factor, &t, aside, 1, &one, own(p, p.ones), 0, &t, aside)
    return status if status != 0 else multiplied(p, rows, columns, grad, pitch, aside, columns, 0, out, pitch)
