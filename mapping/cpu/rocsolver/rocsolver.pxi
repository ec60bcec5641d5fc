# Declarations that every unit of the CPU backend's rocSOLVER shares: rocBLAS's types, LAPACK by letter, the checks.
include "rocblas.pxi"
include "elements.pxi"

cdef extern from "rocsolver.h" nogil:
    rocblas_status rs_checked(rocblas_handle handle, bint bad_option, bint bad_size, bint no_pointer)

cdef extern from "lapack.h" nogil:
    int64_t lapack_getrf(char t, int64_t m, int64_t n, void *a, int64_t lda, int64_t *ipiv)
    int64_t lapack_getri(char t, int64_t n, void *a, int64_t lda, const int64_t *ipiv, void *work, int64_t lwork)
    int64_t lapack_getrs(char t, char trans, int64_t n, int64_t nrhs, const void *a, int64_t lda, const int64_t *ipiv,
                         void *b, int64_t ldb)
    int64_t lapack_geqrf(char t, int64_t m, int64_t n, void *a, int64_t lda, void *tau, void *work, int64_t lwork)
    int64_t lapack_gelqf(char t, int64_t m, int64_t n, void *a, int64_t lda, void *tau, void *work, int64_t lwork)
    int64_t lapack_trtrs(char t, char uplo, char trans, int64_t n, int64_t nrhs, const void *a, int64_t lda, void *b,
                         int64_t ldb)
    int64_t lapack_ormqr(char t, char trans, int64_t m, int64_t n, int64_t k, const void *a, int64_t lda, const void *tau,
                         void *c, int64_t ldc, void *work, int64_t lwork)
    int64_t lapack_ormlq(char t, char trans, int64_t m, int64_t n, int64_t k, const void *a, int64_t lda, const void *tau,
                         void *c, int64_t ldc, void *work, int64_t lwork)

cdef enum:
    PER_ROW = 64  # elements of LAPACK's work space for each row or column: its block size and more


cdef inline char letter(const element *like) noexcept nogil:
    """The type as LAPACK's names have it; `like` only names it."""
    if element is float:
        return c's'
    elif element is double:
        return c'd'
    elif element is rocblas_float_complex:
        return c'c'
    else:
        return c'z'


cdef inline char conjugated(const element *like) noexcept nogil:
    """LAPACK's letter for the conjugate transpose: real routines know only a transpose."""
    if element is float or element is double:
        return c'T'
    else:
        return c'C'


cdef inline bint any_missing(element *const *members, int64_t count) noexcept nogil:
    """A NULL among the pointers of a batch: a GPU would fault, later and somewhere else."""
    cdef int64_t i
    for i in range(count):
        if members[i] == NULL:
            return True
    return False


cdef inline int64_t first_zero(int64_t n, const element *a, int64_t lda) noexcept nogil:
    """Where the diagonal has its first zero, from 1; 0 where it has none."""
    cdef int64_t i
    for i in range(n):
        if a[i + i * lda] == 0:
            return i + 1
    return 0
