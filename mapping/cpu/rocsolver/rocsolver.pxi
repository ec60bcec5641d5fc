# Declarations that every unit of the CPU backend's rocSOLVER shares: rocBLAS's types, LAPACK by letter, the checks.
include "rocblas.pxi"
include "elements.pxi"
include "crew.pxi"

from libc.string cimport memcpy, memset

cdef extern from "rocsolver.h" nogil:
    rocblas_status rs_checked(rocblas_handle handle, bint bad_option, bint bad_size, bint no_pointer)
    rocblas_status rs_admit(rocblas_handle handle)
    rocblas_status rs_keep(rocblas_handle handle, dg_run run, const void *record, size_t bytes)
    void rs_replay(bint now)

cdef extern from "lapack.h" nogil:
    int64_t lapack_getrf(char t, int64_t m, int64_t n, void *a, int64_t lda, int64_t *ipiv)
    int64_t lapack_getri(char t, int64_t n, void *a, int64_t lda, const int64_t *ipiv, void *work, int64_t lwork)
    int64_t lapack_getrs(char t, char trans, int64_t n, int64_t nrhs, const void *a, int64_t lda, const int64_t *ipiv,
                         void *b, int64_t ldb)
    int64_t lapack_geqrf(char t, int64_t m, int64_t n, void *a, int64_t lda, void *tau, void *work, int64_t lwork)
    int64_t lapack_gelqf(char t, int64_t m, int64_t n, void *a, int64_t lda, void *tau, void *work, int64_t lwork)
    int64_t lapack_trtrs(char t, char uplo, char trans, int64_t n, int64_t nrhs, const void *a, int64_t lda, void *b,
                         int64_t ldb)
    int64_t lapack_ormqr(char t, char trans, int64_t m, int64_t n, int64_t k, const void *a, int64_t lda,
                         const void *tau, void *c, int64_t ldc, void *work, int64_t lwork)
    int64_t lapack_ormlq(char t, char trans, int64_t m, int64_t n, int64_t k, const void *a, int64_t lda,
                         const void *tau, void *c, int64_t ldc, void *work, int64_t lwork)

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


# ---- the members of a batch, which threads share

cdef enum:
    FACTOR, FACTOR_PLAINLY, INVERT, SOLVE, QR, LEAST_SQUARES

# What they have in common. A and B: arrays of the addresses of matrices of type `type`.
cdef struct members:
    int step
    char type
    int trans
    int64_t m
    int64_t n
    int64_t nrhs
    const void *A
    int64_t lda
    const void *B
    int64_t ldb
    const rocblas_int *given  # pivots that are read; NULL: none
    rocblas_int *ipiv  # pivots that are written
    int64_t stride  # from one member's pivots to the next one's
    rocblas_int *info
    rocblas_status status  # of a piece that could not be computed


cdef inline members sized(int64_t m, int64_t n, int64_t nrhs, int64_t lda, int64_t ldb) noexcept nogil:
    cdef members batch
    memset(&batch, 0, sizeof(batch))
    batch.m = m
    batch.n = n
    batch.nrhs = nrhs
    batch.lda = lda
    batch.ldb = ldb
    return batch


cdef void some_members(void *context, int64_t begin, int64_t end) noexcept nogil:
    cdef members *b = <members *>context
    if b.type == c's':
        piece(<float *const *>b.A, <float *const *>b.B, b, begin, end)
    elif b.type == c'd':
        piece(<double *const *>b.A, <double *const *>b.B, b, begin, end)
    elif b.type == c'c':
        piece(<rocblas_float_complex *const *>b.A, <rocblas_float_complex *const *>b.B, b, begin, end)
    else:
        piece(<rocblas_double_complex *const *>b.A, <rocblas_double_complex *const *>b.B, b, begin, end)


cdef void piece(element *const *A, element *const *B, members *b, int64_t begin, int64_t end) noexcept nogil:
    if b.step == FACTOR:
        lu_factors(A, b, begin, end)
    elif b.step == FACTOR_PLAINLY:
        plain_factors(A, b, begin, end)
    elif b.step == INVERT:
        member_inverses(A, B, b, begin, end)
    elif b.step == SOLVE:
        member_solutions(A, B, b, begin, end)
    elif b.step == QR:
        qr_factors(A, B, b, begin, end)
    else:
        member_least_squares(A, B, b, begin, end)


cdef rocblas_status each_member(int step, element *const *A, element *const *B, members *b,
        int64_t count) noexcept nogil:
    """All members, some thousands of operations at a time."""
    b.step = step
    b.type = letter(<const element *>NULL)
    b.A = A
    b.B = B
    b.status = rocblas_status_success
    crew_members(count, <double>b.m * <double>b.n * <double>(b.n + b.nrhs), some_members, b)
    return b.status
