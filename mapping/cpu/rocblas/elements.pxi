# Element types and the small pieces that every level uses. Blocks are written once for all types; a factor that may be
# real on complex data comes as a double complex number.
from libc.math cimport fabs, fabsf

ctypedef fused real:
    float
    double

ctypedef fused element:
    float
    double
    rocblas_float_complex
    rocblas_double_complex


cdef inline bint is_op(int op) noexcept nogil:
    return (op == rocblas_operation_none or op == rocblas_operation_transpose
            or op == rocblas_operation_conjugate_transpose)


cdef inline bint is_fill(int fill) noexcept nogil:
    return fill == rocblas_fill_upper or fill == rocblas_fill_lower


cdef inline bint is_diag(int diag) noexcept nogil:
    return diag == rocblas_diagonal_non_unit or diag == rocblas_diagonal_unit


cdef inline bint is_side(int side) noexcept nogil:
    return side == rocblas_side_left or side == rocblas_side_right


cdef inline int64_t pick(bint condition, int64_t a, int64_t b) noexcept nogil:
    return a if condition else b


cdef inline int64_t first(int64_t n, int64_t inc) noexcept nogil:
    """Where a vector's first element lies: a negative increment walks backwards."""
    return 0 if inc >= 0 else -(n - 1) * inc


cdef inline element conj(element z) noexcept nogil:
    if element is rocblas_float_complex or element is rocblas_double_complex:
        return z.conjugate()
    else:
        return z


cdef inline element real_part(element z) noexcept nogil:
    """The same number with its imaginary part taken as 0."""
    if element is rocblas_float_complex or element is rocblas_double_complex:
        z.imag = 0
    return z


cdef inline element factor(double complex z, const element *like) noexcept nogil:
    """A factor in the data's own type; `like` only names it."""
    if element is rocblas_float_complex or element is rocblas_double_complex:
        return <element>z
    else:
        return <element>z.real


cdef inline element times(element f, element z) noexcept nogil:
    """f·z; a real factor leaves the parts apart, as real BLAS on complex data does."""
    if element is rocblas_float_complex or element is rocblas_double_complex:
        if f.imag == 0:
            z.real = z.real * f.real
            z.imag = z.imag * f.real
            return z
    return f * z


cdef inline element scaled(element beta, element z) noexcept nogil:
    """β·z where β = 0 means that z is not read."""
    if beta == 0:
        return 0
    return times(beta, z)


cdef void scale_vector(int64_t n, element beta, element *y, int64_t incy) noexcept nogil:
    """y ← β·y; β = 0 does not read y, β = 1 does nothing."""
    cdef int64_t i, at = first(n, incy)
    if beta == 1:
        return
    for i in range(n):
        y[at] = scaled(beta, y[at])
        at += incy


cdef void scale_matrix(int64_t m, int64_t n, double complex factor_, element *c, int64_t ldc) noexcept nogil:
    """C ← β·C; β = 0 does not read C."""
    cdef int64_t i, j
    cdef element beta = factor(factor_, c)
    if beta == 1:
        return
    for j in range(n):
        for i in range(m):
            c[i + j * ldc] = scaled(beta, c[i + j * ldc])


cdef void scale_triangle(int uplo, int64_t n, double complex factor_, element *c, int64_t ldc) noexcept nogil:
    """The same for one triangle of a square matrix."""
    cdef int64_t i, j
    cdef element beta = factor(factor_, c)
    if beta == 1:
        return
    for j in range(n):
        for i in range(pick(uplo == rocblas_fill_upper, 0, j), pick(uplo == rocblas_fill_upper, j + 1, n)):
            c[i + j * ldc] = scaled(beta, c[i + j * ldc])


cdef void real_diagonal(int64_t n, element *c, int64_t ldc) noexcept nogil:
    """A Hermitian matrix has a real diagonal, whatever was stored."""
    cdef int64_t j
    for j in range(n):
        c[j + j * ldc] = real_part(c[j + j * ldc])
