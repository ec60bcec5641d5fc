# Products of 16-bit numbers: computed in float, rounded once at the end.
cdef extern from "half.h" nogil:
    float rb_from_half(rocblas_half half)
    rocblas_half rb_to_half(float value)
    float rb_from_bfloat16(rocblas_bfloat16 number)
    rocblas_bfloat16 rb_to_bfloat16(float value)

ctypedef fused half:
    rocblas_half
    rocblas_bfloat16

ctypedef fused narrow:
    rocblas_half
    rocblas_bfloat16
    float

include "panels.pxi"


cdef inline float to_float(narrow value) noexcept nogil:
    if narrow is rocblas_half:
        return rb_from_half(value)
    elif narrow is rocblas_bfloat16:
        return rb_from_bfloat16(value)
    else:
        return value


cdef inline void store(narrow *place, float value) noexcept nogil:
    if narrow is rocblas_half:
        place[0] = rb_to_half(value)
    elif narrow is rocblas_bfloat16:
        place[0] = rb_to_bfloat16(value)
    else:
        place[0] = value


cdef inline void finish(narrow *place, float alpha, float total, float beta) noexcept nogil:
    """place ← α·total + β·place, rounded once; a factor 0 leaves its operand unread."""
    cdef float value = 0
    if alpha != 0:
        value = alpha * total
    if beta != 0:
        value = value + beta * to_float(place[0])
    store(place, value)


cdef void scale_vector_half(int64_t n, float beta, narrow *y, int64_t incy) noexcept nogil:
    """y ← β·y; β = 0 does not read y."""
    cdef int64_t i, at = first(n, incy)
    for i in range(n):
        finish(&y[at], 0, 0, beta)
        at += incy


cdef void scale_matrix_half(int64_t m, int64_t n, float beta, narrow *c, int64_t ldc) noexcept nogil:
    cdef int64_t i, j
    for j in range(n):
        for i in range(m):
            finish(&c[i + j * ldc], 0, 0, beta)


cdef void gemm_half(
    int transa, int transb, int64_t m, int64_t n, int64_t k, float alpha, const half *a, int64_t lda, const half *b,
    int64_t ldb, float beta, narrow *c, int64_t ldc
) noexcept nogil:
    """C ← α·op(A)·op(B) + β·C by way of float panels, rounded once."""
    cdef panels p
    cdef int64_t i, j, i0, j0 = 0, k0, rows, cols, depth
    take_panels(&p, m, n, k, LARGEST)
    while j0 < n:
        cols = pick(n - j0 < p.cols, n - j0, p.cols)
        i0 = 0
        while i0 < m:
            rows = pick(m - i0 < p.rows, m - i0, p.rows)
            k0 = 0
            while k0 < k:
                depth = pick(k - k0 < p.depth, k - k0, p.depth)
                load(a, lda, transa, i0, k0, rows, depth, p.left)
                load(b, ldb, transb, k0, j0, depth, cols, p.right)
                multiply_panels(&p, transa, transb, rows, cols, depth, k0 > 0)
                k0 += depth
            for j in range(cols):
                for i in range(rows):
                    finish(&c[i0 + i + (j0 + j) * ldc], alpha, p.total[i + j * rows], beta)
            i0 += rows
        j0 += cols
    drop_panels(&p)


cdef void gemv_half(
    int trans, int64_t m, int64_t n, float alpha, const half *a, int64_t lda, const half *x, int64_t incx, float beta,
    narrow *y, int64_t incy
) noexcept nogil:
    """y ← α·op(A)·x + β·y, each sum in double."""
    cdef int64_t rows = pick(trans == rocblas_operation_none, m, n), cols = m + n - rows, i, j
    cdef int64_t kx = first(cols, incx), ky = first(rows, incy)
    cdef double total
    for i in range(rows):
        total = 0
        for j in range(cols):
            if trans == rocblas_operation_none:
                total += <double>to_float(a[i + j * lda]) * to_float(x[kx + j * incx])
            else:
                total += <double>to_float(a[j + i * lda]) * to_float(x[kx + j * incx])
        finish(&y[ky + i * incy], alpha, <float>total, beta)
