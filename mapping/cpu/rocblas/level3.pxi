# Level 3 by hand: products into one triangle of two different factors, trmm out of place. Arguments have been checked.

cdef extern from "openblas.h" nogil:
    void scipy_cblas_strmm64_(int order, int side, int uplo, int trans, int diag, int64_t m, int64_t n, float alpha,
                              const float *a, int64_t lda, float *b, int64_t ldb)
    void scipy_cblas_dtrmm64_(int order, int side, int uplo, int trans, int diag, int64_t m, int64_t n, double alpha,
                              const double *a, int64_t lda, double *b, int64_t ldb)
    void scipy_cblas_ctrmm64_(int order, int side, int uplo, int trans, int diag, int64_t m, int64_t n,
                              const void *alpha, const void *a, int64_t lda, void *b, int64_t ldb)
    void scipy_cblas_ztrmm64_(int order, int side, int uplo, int trans, int diag, int64_t m, int64_t n,
                              const void *alpha, const void *a, int64_t lda, void *b, int64_t ldb)

cdef enum:
    TILE = 64  # of a triangle: what is computed too much is at most a tile's other half


cdef void trmm(
    int side, int uplo, int trans, int diag, int64_t m, int64_t n, element alpha, const element *a, int64_t lda,
    const element *b, int64_t ldb, element *c, int64_t ldc
) noexcept nogil:
    """C ← α·op(A)·B or α·B·op(A): B is copied into C, where OpenBLAS works in place. C may be B."""
    cdef int64_t i, j
    if c != b:
        for j in range(n):
            for i in range(m):
                c[i + j * ldc] = b[i + j * ldb]
    if element is float:
        scipy_cblas_strmm64_(CBLAS_COLUMNS, side, uplo, trans, diag, m, n, alpha, a, lda, c, ldc)
    elif element is double:
        scipy_cblas_dtrmm64_(CBLAS_COLUMNS, side, uplo, trans, diag, m, n, alpha, a, lda, c, ldc)
    elif element is rocblas_float_complex:
        scipy_cblas_ctrmm64_(CBLAS_COLUMNS, side, uplo, trans, diag, m, n, &alpha, a, lda, c, ldc)
    else:
        scipy_cblas_ztrmm64_(CBLAS_COLUMNS, side, uplo, trans, diag, m, n, &alpha, a, lda, c, ldc)


cdef void into_triangle(
    int uplo, int op_a, int op_b, int64_t n, int64_t k, element alpha, const element *a, int64_t lda, const element *b,
    int64_t ldb, element beta, element *c, int64_t ldc
) noexcept nogil:
    """C ← α·op(A)·op(B) + β·C, one triangle of it: whole tiles off the diagonal, tiles on it by way of a copy."""
    cdef element tile[TILE * TILE]
    cdef element none = 0
    cdef const element *rows
    cdef const element *cols
    cdef int64_t i, j, at = 0, size, rest
    while at < n:
        size = pick(n - at < TILE, n - at, TILE)
        rest = at + size
        rows = a + (at if op_a == rocblas_operation_none else at * lda)
        cols = b + (at * ldb if op_b == rocblas_operation_none else at)
        cblas_gemm(op_a, op_b, size, size, k, alpha, rows, lda, cols, ldb, none, &tile[0], TILE)
        for j in range(size):
            for i in range(pick(uplo == rocblas_fill_upper, 0, j), pick(uplo == rocblas_fill_upper, j + 1, size)):
                c[at + i + (at + j) * ldc] = scaled(beta, c[at + i + (at + j) * ldc]) + tile[i + j * TILE]
        if uplo == rocblas_fill_upper and at > 0:
            cblas_gemm(op_a, op_b, at, size, k, alpha, a, lda, cols, ldb, beta, c + at * ldc, ldc)
        elif uplo == rocblas_fill_lower and rest < n:
            rows = a + (rest if op_a == rocblas_operation_none else rest * lda)
            cblas_gemm(op_a, op_b, n - rest, size, k, alpha, rows, lda, cols, ldb, beta, c + rest + at * ldc, ldc)
        at = rest


cdef void syrkx(
    int uplo, int trans, int64_t n, int64_t k, element alpha, const element *a, int64_t lda, const element *b,
    int64_t ldb, element beta, element *c, int64_t ldc
) noexcept nogil:
    """C ← α·A·Bᵀ + β·C, or α·Aᵀ·B + β·C."""
    if trans == rocblas_operation_none:
        into_triangle(uplo, trans, rocblas_operation_transpose, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
    else:
        into_triangle(uplo, rocblas_operation_transpose, rocblas_operation_none, n, k, alpha, a, lda, b, ldb, beta, c,
                      ldc)


cdef void herkx(
    int uplo, int trans, int64_t n, int64_t k, element alpha, const element *a, int64_t lda, const element *b,
    int64_t ldb, double beta, element *c, int64_t ldc
) noexcept nogil:
    """C ← α·A·Bᴴ + β·C, or α·Aᴴ·B + β·C."""
    cdef int conjugate = rocblas_operation_conjugate_transpose
    cdef element f = factor(beta, c)
    if trans == rocblas_operation_none:
        into_triangle(uplo, trans, conjugate, n, k, alpha, a, lda, b, ldb, f, c, ldc)
    else:
        into_triangle(uplo, conjugate, rocblas_operation_none, n, k, alpha, a, lda, b, ldb, f, c, ldc)
