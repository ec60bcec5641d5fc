# Level 2 by hand: complex symmetric matrices, which OpenBLAS's C interface lacks, and rank-1 and rank-2 updates, whose
# OpenBLAS loops pass over zeros and so lose NaN. Arguments have been checked; α is not 0.


cdef inline element *column(element *a, int64_t lda, int uplo, int64_t n, int64_t j) noexcept nogil:
    """Column j of a stored triangle, so that row i is at [i]. lda = 0 means packed."""
    if lda > 0:
        return a + j * lda
    if uplo == rocblas_fill_upper:
        return a + j * (j + 1) / 2
    return a + j * (2 * n - j - 1) / 2


cdef void rank1(
    int uplo, int64_t n, double complex alpha, const element *x, int64_t incx, element *a, int64_t lda, bint hermitian
) noexcept nogil:
    """A ← α·x·xᵀ + A or α·x·xᴴ + A in one triangle."""
    cdef int64_t i, j, kx = first(n, incx)
    cdef element f = factor(alpha, a), t
    cdef element *c
    for j in range(n):
        c = column(a, lda, uplo, n, j)
        t = times(f, conj(x[kx + j * incx]) if hermitian else x[kx + j * incx])
        for i in range(pick(uplo == rocblas_fill_upper, 0, j), pick(uplo == rocblas_fill_upper, j + 1, n)):
            c[i] = c[i] + x[kx + i * incx] * t
        if hermitian:
            c[j] = real_part(c[j])


cdef void rank2(
    int uplo, int64_t n, element alpha, const element *x, int64_t incx, const element *y, int64_t incy, element *a,
    int64_t lda, bint hermitian
) noexcept nogil:
    """A ← α·x·yᵀ + α·y·xᵀ + A, or α·x·yᴴ + ᾱ·y·xᴴ + A, in one triangle."""
    cdef int64_t i, j, kx = first(n, incx), ky = first(n, incy)
    cdef element tx, ty
    cdef element *c
    for j in range(n):
        c = column(a, lda, uplo, n, j)
        if hermitian:
            ty = alpha * conj(y[ky + j * incy])
            tx = conj(alpha) * conj(x[kx + j * incx])
        else:
            ty = alpha * y[ky + j * incy]
            tx = alpha * x[kx + j * incx]
        for i in range(pick(uplo == rocblas_fill_upper, 0, j), pick(uplo == rocblas_fill_upper, j + 1, n)):
            c[i] = c[i] + x[kx + i * incx] * ty + y[ky + i * incy] * tx
        if hermitian:
            c[j] = real_part(c[j])


cdef void outer(
    int64_t m, int64_t n, element alpha, const element *x, int64_t incx, const element *y, int64_t incy, element *a,
    int64_t lda, bint conjugate
) noexcept nogil:
    """A ← α·x·yᵀ + A or α·x·yᴴ + A."""
    cdef int64_t i, j, kx = first(m, incx), ky = first(n, incy)
    cdef element t
    for j in range(n):
        t = alpha * (conj(y[ky + j * incy]) if conjugate else y[ky + j * incy])
        for i in range(m):
            a[i + j * lda] = a[i + j * lda] + x[kx + i * incx] * t


cdef void ger(
    int64_t m, int64_t n, element alpha, const element *x, int64_t incx, const element *y, int64_t incy, element *a,
    int64_t lda
) noexcept nogil:
    outer(m, n, alpha, x, incx, y, incy, a, lda, False)


cdef void geru(
    int64_t m, int64_t n, element alpha, const element *x, int64_t incx, const element *y, int64_t incy, element *a,
    int64_t lda
) noexcept nogil:
    outer(m, n, alpha, x, incx, y, incy, a, lda, False)


cdef void gerc(
    int64_t m, int64_t n, element alpha, const element *x, int64_t incx, const element *y, int64_t incy, element *a,
    int64_t lda
) noexcept nogil:
    outer(m, n, alpha, x, incx, y, incy, a, lda, True)


cdef void syr(
    int uplo, int64_t n, double complex alpha, const element *x, int64_t incx, element *a, int64_t lda
) noexcept nogil:
    rank1(uplo, n, alpha, x, incx, a, lda, False)


cdef void her(
    int uplo, int64_t n, double complex alpha, const element *x, int64_t incx, element *a, int64_t lda
) noexcept nogil:
    rank1(uplo, n, alpha, x, incx, a, lda, True)


cdef void spr(int uplo, int64_t n, double complex alpha, const element *x, int64_t incx, element *ap) noexcept nogil:
    rank1(uplo, n, alpha, x, incx, ap, 0, False)


cdef void hpr(int uplo, int64_t n, double complex alpha, const element *x, int64_t incx, element *ap) noexcept nogil:
    rank1(uplo, n, alpha, x, incx, ap, 0, True)


cdef void syr2(
    int uplo, int64_t n, element alpha, const element *x, int64_t incx, const element *y, int64_t incy, element *a,
    int64_t lda
) noexcept nogil:
    rank2(uplo, n, alpha, x, incx, y, incy, a, lda, False)


cdef void her2(
    int uplo, int64_t n, element alpha, const element *x, int64_t incx, const element *y, int64_t incy, element *a,
    int64_t lda
) noexcept nogil:
    rank2(uplo, n, alpha, x, incx, y, incy, a, lda, True)


cdef void spr2(
    int uplo, int64_t n, element alpha, const element *x, int64_t incx, const element *y, int64_t incy, element *ap
) noexcept nogil:
    rank2(uplo, n, alpha, x, incx, y, incy, ap, 0, False)


cdef void hpr2(
    int uplo, int64_t n, element alpha, const element *x, int64_t incx, const element *y, int64_t incy, element *ap
) noexcept nogil:
    rank2(uplo, n, alpha, x, incx, y, incy, ap, 0, True)


cdef void mirrored(
    int uplo, int64_t n, element alpha, const element *a, int64_t lda, const element *x, int64_t incx, element *y,
    int64_t incy
) noexcept nogil:
    """y ← α·A·x + y: each stored element serves its own row and, mirrored, its column's."""
    cdef int64_t i, j, kx = first(n, incx), ky = first(n, incy)
    cdef element xj, total
    for j in range(n):
        xj = alpha * x[kx + j * incx]
        total = a[j + j * lda] * x[kx + j * incx]
        for i in range(pick(uplo == rocblas_fill_upper, 0, j + 1), pick(uplo == rocblas_fill_upper, j, n)):
            y[ky + i * incy] = y[ky + i * incy] + a[i + j * lda] * xj
            total = total + a[i + j * lda] * x[kx + i * incx]
        y[ky + j * incy] = y[ky + j * incy] + alpha * total


cdef void symv(
    int uplo, int64_t n, element alpha, const element *a, int64_t lda, const element *x, int64_t incx, element beta,
    element *y, int64_t incy
) noexcept nogil:
    """y ← α·A·x + β·y, where β is 1 by now."""
    if element is float or element is double:
        cblas_symv(uplo, n, alpha, a, lda, x, incx, beta, y, incy)
    else:
        mirrored(uplo, n, alpha, a, lda, x, incx, y, incy)
