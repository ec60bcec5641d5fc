# Activations of doubles, which MIOpen has not: forward they pass through the host, backward they are products (stepwise64.pyx).

from libc.math cimport exp, tanh

cdef enum:
    PIECE = 4096  # numbers that are on the host at a time
    DENORMAL = 9  # times 2^120 makes more than 1 of the least number above 0


cdef uint32_t not_captured(dnn_handle *h) noexcept nogil:
    """Forward calls of doubles pass through the host."""
    cdef int captured = 0
    if dg_hip.hipStreamIsCapturing(<hipStream_t>to_stream(h.stream), &captured) == 0 and captured != 0:
        return cannot(b"a network of doubles under stream capture")
    return 0


cdef double squashed_number(int mode, double x) noexcept nogil:
    if mode == miopenActivationLOGISTIC:
        return 1 / (1 + exp(-x))
    if mode == miopenActivationTANH:
        return tanh(x)
    return x if x > 0 or x != x else 0


cdef uint32_t squash(const plan *p, int mode, int rows, int columns, int pitch, const double *x,
        double *y) noexcept nogil:
    cdef double[PIECE] piece
    cdef hipStream_t stream = <hipStream_t>to_stream(p.n.h.stream)
    cdef size_t each = <size_t>pitch * sizeof(double)
    cdef size_t width
    cdef int row, column, some, wide, i
    cdef uint32_t failed = 0
    column = 0
    while column < columns:
        wide = columns - column if columns - column < PIECE else PIECE
        width = <size_t>wide * sizeof(double)
        row = 0
        while row < rows:
            some = PIECE // wide
            some = some if some < rows - row else rows - row
            failed = dg_hip.hipMemcpy2DAsync(
                piece, width, x + <int64_t>row * pitch + column, each, width, <size_t>some, hipMemcpyDeviceToHost, stream)
            if failed == 0:
                failed = dg_hip.hipStreamSynchronize(stream)
            for i in range(some * wide if failed == 0 else 0):
                piece[i] = squashed_number(mode, piece[i])
            if failed == 0:
                failed = dg_hip.hipMemcpy2DAsync(
                    y + <int64_t>row * pitch + column, each, piece, width, width, <size_t>some, hipMemcpyHostToDevice,
                    stream)
            if failed == 0:
                failed = dg_hip.hipStreamSynchronize(stream)  # before the piece is used again
            if failed != 0:
                return hip_said(failed, b"hipMemcpy2DAsync")
            row += some
        column += wide
    return 0


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
