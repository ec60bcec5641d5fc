# Products and element-wise steps of a stepwise network, of floats or doubles (stepwise.pyx).

cdef inline uint32_t product(const plan *p, bint turns_a, bint turns_b, int64_t m, int64_t n, int64_t k, const real *a,
        int64_t lda, const real *b, int64_t ldb, double beta, real *c, int64_t ldc) noexcept nogil:
    if k == 0 or m == 0:
        return 0
    return dnn_gemm(p.n.h, REAL, turns_a, turns_b, m, n, k, 1, a, lda, 0, b, ldb, 0, beta, c, ldc, 0, 1)


cdef inline void block(dnn_tensor *d, int rows, int columns, int pitch) noexcept nogil:
    memset(d, 0, sizeof(dnn_tensor))  # it is compared as a whole
    d.type = REAL
    d.format = CUDNN_TENSOR_NCHW
    d.count = 2
    d.dim[0] = rows
    d.dim[1] = columns
    d.stride[0] = pitch
    d.stride[1] = 1


cdef uint32_t combined(const plan *p, int op, int rows, int columns, const real *a, int a_pitch, double b_factor,
        const real *b, int b_pitch, double beta, real *c, int c_pitch) noexcept nogil:
    """c ← op(a, b_factor·b) + β·c."""
    cdef dnn_tensor ad, bd, cd
    if rows == 0:
        return 0
    block(&ad, rows, columns, a_pitch)
    block(&bd, rows, columns, b_pitch)
    block(&cd, rows, columns, c_pitch)
    return dnn_op_tensor(p.n.h, op, 1, &ad, a, b_factor, &bd, b, beta, &cd, c)


cdef inline uint32_t multiplied(const plan *p, int rows, int columns, const real *a, int a_pitch, const real *b,
        int b_pitch, double beta, real *c, int c_pitch) noexcept nogil:
    return combined(p, miopenTensorOpMul, rows, columns, a, a_pitch, 1, b, b_pitch, beta, c, c_pitch)


cdef inline uint32_t added(const plan *p, int rows, int columns, const real *a, int a_pitch, const real *b,
        int b_pitch, real *c, int c_pitch) noexcept nogil:
    return combined(p, miopenTensorOpAdd, rows, columns, a, a_pitch, 1, b, b_pitch, 0, c, c_pitch)


cdef uint32_t bounds_filled(const plan *p) noexcept nogil:
    cdef dnn_tensor d
    cdef uint32_t status
    if not p.clips:
        return 0
    as_line(&d, REAL, <int64_t>p.N * p.K)
    # floats with doubles too, as in NVIDIA's library
    status = dnn_fill(p.n.h, &d, <float>p.n.d.clip_low, own(p, p.low))
    return status if status != 0 else dnn_fill(p.n.h, &d, <float>p.n.d.clip_high, own(p, p.high))


cdef uint32_t clipped(const plan *p, int rows, const real *c, real *memory, const real **found) noexcept nogil:
    """Cells within their bounds: `memory`, or as they are where there are no bounds. Of a NaN, MIOpen's minimum and
    maximum give the second operand: it stays, or becomes the lower bound."""
    cdef bint propagates = p.n.d.clip_nan == CUDNN_PROPAGATE_NAN
    cdef const real *low = own(p, p.low)
    cdef const real *high = own(p, p.high)
    cdef uint32_t status
    found[0] = c
    if not p.clips:
        return 0
    found[0] = memory
    if propagates:
        status = combined(p, miopenTensorOpMax, rows, p.K, low, p.K, 1, c, p.K, 0, memory, p.K)
        return status if status != 0 else combined(
            p, miopenTensorOpMin, rows, p.K, high, p.K, 1, memory, p.K, 0, memory, p.K)
    status = combined(p, miopenTensorOpMax, rows, p.K, c, p.K, 1, low, p.K, 0, memory, p.K)
    return status if status != 0 else combined(
        p, miopenTensorOpMin, rows, p.K, memory, p.K, 1, high, p.K, 0, memory, p.K)


cdef uint32_t through_clip(const plan *p, int rows, const real *c, real *grad) noexcept nogil:
    """The gradient of clipped cells, in place: none where a cell is beyond a bound. On a bound it passes, and where the
    cell is a NaN, of which the maximum gives the second operand."""
    cdef real *beyond = spare(p, 1)
    cdef real *below = spare(p, 3)
    cdef uint32_t status
    if not p.clips:
        return 0
    status = combined(p, miopenTensorOpAdd, rows, p.K, c, p.K, -1, own(p, p.high), p.K, 0, beyond, p.K)
    if status == 0:
        status = combined(p, miopenTensorOpAdd, rows, p.K, own(p, p.low), p.K, -1, c, p.K, 0, below, p.K)
    if status == 0:
        status = combined(p, miopenTensorOpMax, rows, p.K, beyond, p.K, 1, below, p.K, 0, beyond, p.K)
    if status == 0:
        status = unsquash(p, miopenActivationRELU, rows, p.K, p.K, beyond, beyond, grad, below)
    if status == 0:
        status = combined(p, miopenTensorOpAdd, rows, p.K, grad, p.K, -1, below, p.K, 0, grad, p.K)
    return status
