# BLAS-like extensions, which OpenBLAS's C interface lacks. Arguments have been checked.

cdef enum:
    BLOCK = 32  # rows and columns of a block, so that a transposed operand is read along its columns too


cdef inline element entry(const element *a, int64_t lda, int trans, int64_t i, int64_t j) noexcept nogil:
    """op(A)[i, j]."""
    if trans == rocblas_operation_none:
        return a[i + j * lda]
    if trans == rocblas_operation_transpose:
        return a[j + i * lda]
    return conj(a[j + i * lda])


cdef void geam(
    int transa, int transb, int64_t m, int64_t n, element alpha, const element *a, int64_t lda, element beta,
    const element *b, int64_t ldb, element *c, int64_t ldc
) noexcept nogil:
    """C ← α·op(A) + β·op(B); an operand whose factor is 0 is not read. C may be A or B where it is not transposed."""
    cdef int64_t i, j, i0 = 0, j0 = 0
    cdef element value
    while j0 < n:
        i0 = 0
        while i0 < m:
            for j in range(j0, pick(j0 + BLOCK < n, j0 + BLOCK, n)):
                for i in range(i0, pick(i0 + BLOCK < m, i0 + BLOCK, m)):
                    value = 0
                    if alpha != 0:
                        value = alpha * entry(a, lda, transa, i, j)
                    if beta != 0:
                        value = value + beta * entry(b, ldb, transb, i, j)
                    c[i + j * ldc] = value
            i0 += BLOCK
        j0 += BLOCK


cdef void dgmm(
    int side, int64_t m, int64_t n, const element *a, int64_t lda, const element *x, int64_t incx, element *c,
    int64_t ldc
) noexcept nogil:
    """C ← diag(x)·A or A·diag(x)."""
    cdef int64_t i, j
    cdef int64_t kx = first(m if side == rocblas_side_left else n, incx)
    for j in range(n):
        for i in range(m):
            c[i + j * ldc] = a[i + j * lda] * x[kx + (i if side == rocblas_side_left else j) * incx]
