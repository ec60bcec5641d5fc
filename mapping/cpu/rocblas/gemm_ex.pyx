# cython: language_level=3, cdivision=True, boundscheck=False, wraparound=False
"""rocBLAS's gemm_ex and its batched forms: types as arguments, D ← α·op(A)·op(B) + β·C.

Products of one type are the functions of that type. Small numbers (16 bits, int8) are converted to panels of floats
that OpenBLAS multiplies; sums of int8 products stay exact, because a panel is not deeper than what a float counts
exactly. What is checked, and in which order, is rocBLAS's: options, sizes, nothing to do, pointers, and the
types at last.
"""
include "rocblas.pxi"
include "elements.pxi"
include "half.pxi"
include "types.pxi"
include "crew.pxi"

from libc.string cimport memmove

cdef enum:
    EXACT = 1024  # products of int8 that a float adds exactly: 1024 · 2¹⁴ = 2²⁴


# All that the members of a batch have in common.
cdef struct product:
    int transa
    int transb
    int64_t m
    int64_t n
    int64_t k
    const void *alpha
    int64_t lda
    int64_t ldb
    const void *beta
    int64_t ldc
    int64_t ldd
    int a_type
    int b_type
    int c_type
    int d_type
    int compute
    bint used  # α is not 0 and something is summed
    bint unread  # the call is recorded, and the factors lie on the device: they are not known yet


cdef rocblas_status check(
    product *p, int64_t count, const void *a, const void *b, const void *c, const void *d, bint *done
) noexcept nogil:
    """rocBLAS's checks. `done`: the answer is final."""
    done[0] = True
    if not is_op(p.transa) or not is_op(p.transb):
        return rocblas_status_invalid_value
    if p.m < 0 or p.n < 0 or p.k < 0 or count < 0:
        return rocblas_status_invalid_size
    if p.ldc < p.m or p.ldd < p.m or p.lda < pick(p.transa == rocblas_operation_none, p.m, p.k):
        return rocblas_status_invalid_size
    if p.ldb < pick(p.transb == rocblas_operation_none, p.k, p.n):
        return rocblas_status_invalid_size
    if p.m == 0 or p.n == 0 or count == 0:
        return rocblas_status_success
    if (p.k > 0 and p.alpha == NULL) or p.beta == NULL or d == NULL:
        return rocblas_status_invalid_pointer
    if p.unread:
        done[0] = not supported(p)
        return rocblas_status_not_implemented if done[0] else rocblas_status_success
    if c == NULL and not rb_is(p.compute, p.beta, 0):
        return rocblas_status_invalid_pointer
    p.used = p.k > 0 and not rb_is(p.compute, p.alpha, 0)
    if p.used and (a == NULL or b == NULL):
        return rocblas_status_invalid_pointer
    if c == d:
        if p.ldc != p.ldd:
            return rocblas_status_invalid_size
        if p.c_type != p.d_type:
            return rocblas_status_invalid_value
    if not supported(p):
        return rocblas_status_not_implemented
    if c == d and not p.used and rb_is(p.compute, p.beta, 1):
        return rocblas_status_success
    done[0] = False
    return rocblas_status_success


cdef bint supported(const product *p) noexcept nogil:
    """The types that go together, as rocBLAS documents them."""
    if p.a_type != p.b_type or p.c_type != p.d_type:
        return False
    if p.a_type == rocblas_datatype_f16_r:
        if p.compute == rocblas_datatype_f16_r:
            return p.c_type == rocblas_datatype_f16_r
        return p.compute == rocblas_datatype_f32_r and (p.c_type == p.a_type or p.c_type == rocblas_datatype_f32_r)
    if p.a_type == rocblas_datatype_bf16_r:
        return p.compute == rocblas_datatype_f32_r and (p.c_type == p.a_type or p.c_type == rocblas_datatype_f32_r)
    if p.a_type == rocblas_datatype_i8_r:
        return p.compute == rocblas_datatype_i32_r and p.c_type == rocblas_datatype_i32_r
    if p.c_type != p.a_type or p.compute != p.a_type:
        return False
    return (p.a_type == rocblas_datatype_f32_r or p.a_type == rocblas_datatype_f64_r
            or p.a_type == rocblas_datatype_f32_c or p.a_type == rocblas_datatype_f64_c)


cdef void carry_over(const product *p, const void *c, void *d) noexcept nogil:
    """D ← C, where C lies elsewhere and counts."""
    cdef int64_t j, size = rb_size(p.c_type)
    if c == d or rb_is(p.compute, p.beta, 0):
        return
    for j in range(p.n):
        memmove(<char *>d + j * p.ldd * size, <const char *>c + j * p.ldc * size, <size_t>(p.m * size))


cdef void halves(const product *p, const half *a, const half *b, float alpha, float beta, void *d) noexcept nogil:
    """16-bit operands into 16-bit or 32-bit results."""
    if p.c_type == rocblas_datatype_f32_r:
        if p.used:
            gemm_half(p.transa, p.transb, p.m, p.n, p.k, alpha, a, p.lda, b, p.ldb, beta, <float *>d, p.ldd)
        else:
            scale_matrix_half(p.m, p.n, beta, <float *>d, p.ldd)
    elif p.used:
        gemm_half(p.transa, p.transb, p.m, p.n, p.k, alpha, a, p.lda, b, p.ldb, beta, <half *>d, p.ldd)
    else:
        scale_matrix_half(p.m, p.n, beta, <half *>d, p.ldd)


cdef inline int32_t counted(int32_t alpha, int32_t total, int32_t beta, const int32_t *old) noexcept nogil:
    """α·total + β·old, modulo 2³² as the card counts; a factor 0 leaves its operand unread."""
    cdef uint32_t value = 0
    if alpha != 0:
        value = <uint32_t>alpha * <uint32_t>total
    if beta != 0:
        value += <uint32_t>beta * <uint32_t>old[0]
    return <int32_t>value


cdef void bytes(const product *p, const int8_t *a, const int8_t *b, int32_t alpha, int32_t beta,
        int32_t *d) noexcept nogil:
    """int8 into int32, exact. Depth by depth into D, whose old values count once."""
    cdef panels q
    cdef int64_t i, j, i0, j0 = 0, k0, rows, cols, depth
    if not p.used:
        for j in range(p.n):
            for i in range(p.m):
                d[i + j * p.ldd] = counted(0, 0, beta, &d[i + j * p.ldd])
        return
    take_panels(&q, p.m, p.n, p.k, EXACT)
    while j0 < p.n:
        cols = pick(p.n - j0 < q.cols, p.n - j0, q.cols)
        i0 = 0
        while i0 < p.m:
            rows = pick(p.m - i0 < q.rows, p.m - i0, q.rows)
            k0 = 0
            while k0 < p.k:
                depth = pick(p.k - k0 < q.depth, p.k - k0, q.depth)
                load(a, p.lda, p.transa, i0, k0, rows, depth, q.left)
                load(b, p.ldb, p.transb, k0, j0, depth, cols, q.right)
                multiply_panels(&q, p.transa, p.transb, rows, cols, depth, False)
                for j in range(cols):
                    for i in range(rows):
                        d[i0 + i + (j0 + j) * p.ldd] = counted(
                            alpha, <int32_t>q.total[i + j * rows], beta if k0 == 0 else 1, &d[i0 + i + (j0 + j) * p.ldd]
                        )
                k0 += depth
            i0 += rows
        j0 += cols
    drop_panels(&q)


cdef float factor_of(int type, const void *scalar) noexcept nogil:
    """A factor of a product of 16-bit numbers."""
    if scalar == NULL:  # α may be missing where nothing is summed
        return 0
    if type == rocblas_datatype_f16_r:
        return rb_from_half((<const rocblas_half *>scalar)[0])
    return (<const float *>scalar)[0]


cdef rocblas_status member(
    rocblas_handle handle, const product *p, const void *a, const void *b, const void *c, void *d
) noexcept nogil:
    """One product; everything has been checked."""
    cdef float alpha = 0, beta = 0
    carry_over(p, c, d)
    if p.a_type == rocblas_datatype_f32_r:
        return rocblas_sgemm_64(handle, p.transa, p.transb, p.m, p.n, p.k, p.alpha, a, p.lda, b, p.ldb, p.beta, d,
                                p.ldd)
    if p.a_type == rocblas_datatype_f64_r:
        return rocblas_dgemm_64(handle, p.transa, p.transb, p.m, p.n, p.k, p.alpha, a, p.lda, b, p.ldb, p.beta, d,
                                p.ldd)
    if p.a_type == rocblas_datatype_f32_c:
        return rocblas_cgemm_64(handle, p.transa, p.transb, p.m, p.n, p.k, p.alpha, a, p.lda, b, p.ldb, p.beta, d,
                                p.ldd)
    if p.a_type == rocblas_datatype_f64_c:
        return rocblas_zgemm_64(handle, p.transa, p.transb, p.m, p.n, p.k, p.alpha, a, p.lda, b, p.ldb, p.beta, d,
                                p.ldd)
    if p.a_type == rocblas_datatype_i8_r:
        bytes(p, <const int8_t *>a, <const int8_t *>b, (<const int32_t *>p.alpha)[0] if p.used else 0,
              (<const int32_t *>p.beta)[0], <int32_t *>d)
        return rocblas_status_success
    alpha = factor_of(p.compute, p.alpha)
    beta = factor_of(p.compute, p.beta)
    if p.a_type == rocblas_datatype_f16_r:
        halves(p, <const rocblas_half *>a, <const rocblas_half *>b, alpha, beta, d)
    else:
        halves(p, <const rocblas_bfloat16 *>a, <const rocblas_bfloat16 *>b, alpha, beta, d)
    return rocblas_status_success


cdef inline void fill(
    rocblas_handle handle, product *p, int transa, int transb, int64_t m, int64_t n, int64_t k, const void *alpha,
    int a_type, int64_t lda, int b_type, int64_t ldb, const void *beta, int c_type, int64_t ldc, int d_type,
    int64_t ldd, int compute
) noexcept nogil:
    p.transa = transa
    p.transb = transb
    p.m = m
    p.n = n
    p.k = k
    p.alpha = alpha
    p.beta = beta
    p.lda = lda
    p.ldb = ldb
    p.ldc = ldc
    p.ldd = ldd
    p.a_type = a_type
    p.b_type = b_type
    p.c_type = c_type
    p.d_type = d_type
    p.compute = compute
    p.used = False
    p.unread = rb_recorded_unread(handle)


cdef public rocblas_status rocblas_gemm_ex_64(
    rocblas_handle handle, rocblas_operation transa, rocblas_operation transb, int64_t m, int64_t n, int64_t k,
    const void *alpha, const void *a, rocblas_datatype a_type, int64_t lda, const void *b, rocblas_datatype b_type,
    int64_t ldb, const void *beta, const void *c, rocblas_datatype c_type, int64_t ldc, void *d,
    rocblas_datatype d_type, int64_t ldd, rocblas_datatype compute_type, rocblas_gemm_algo algo, int32_t solution_index,
    uint32_t flags
) noexcept nogil:
    cdef product p
    cdef bint done = False
    cdef rocblas_status status = rb_enter(handle)
    if status != rocblas_status_success:
        return status
    fill(handle, &p, transa, transb, m, n, k, alpha, a_type, lda, b_type, ldb, beta, c_type, ldc,
         d_type, ldd, compute_type)
    status = check(&p, 1, a, b, c, d, &done)
    if done:
        return status
    if rb_recorded(handle):
        return rocblas_gemm_ex_64_record(
            handle, transa, transb, m, n, k, alpha, a, a_type, lda, b, b_type, ldb, beta, c, c_type, ldc, d, d_type,
            ldd, compute_type, algo, solution_index, flags)
    return member(handle, &p, a, b, c, d)


# The members of a batch: arrays of their pointers, or the first ones and the bytes from one to the next.
cdef struct product_batch:
    rocblas_handle handle
    const product *p
    const void *a
    const void *b
    const void *c
    void *d
    int64_t a_step
    int64_t b_step
    int64_t c_step
    int64_t d_step
    rocblas_status status  # of a member that failed


cdef void pointed_members(void *context, int64_t begin, int64_t end) noexcept nogil:
    cdef product_batch *all = <product_batch *>context
    cdef const void *const *a = <const void *const *>all.a
    cdef const void *const *b = <const void *const *>all.b
    cdef rb_handle *before = rb_help(all.handle)
    cdef rocblas_status status
    cdef int64_t i
    for i in range(begin, end):
        status = member(all.handle, all.p, a[i] if all.p.used else NULL, b[i] if all.p.used else NULL,
                        (<const void *const *>all.c)[i], (<void *const *>all.d)[i])
        if status != rocblas_status_success:
            all.status = status
    rb_helped(before)


cdef void strided_members(void *context, int64_t begin, int64_t end) noexcept nogil:
    cdef product_batch *all = <product_batch *>context
    cdef rb_handle *before = rb_help(all.handle)
    cdef rocblas_status status
    cdef int64_t i
    for i in range(begin, end):
        status = member(all.handle, all.p, <const char *>all.a + i * all.a_step, <const char *>all.b + i * all.b_step,
                        <const char *>all.c + i * all.c_step, <char *>all.d + i * all.d_step)
        if status != rocblas_status_success:
            all.status = status
    rb_helped(before)


cdef public rocblas_status rocblas_gemm_batched_ex_64(
    rocblas_handle handle, rocblas_operation transa, rocblas_operation transb, int64_t m, int64_t n, int64_t k,
    const void *alpha, const void *a, rocblas_datatype a_type, int64_t lda, const void *b, rocblas_datatype b_type,
    int64_t ldb, const void *beta, const void *c, rocblas_datatype c_type, int64_t ldc, void *d,
    rocblas_datatype d_type, int64_t ldd, int64_t batch_count, rocblas_datatype compute_type, rocblas_gemm_algo algo,
    int32_t solution_index, uint32_t flags
) noexcept nogil:
    """A, B, C and D are arrays of pointers. A NULL among them is a fault on the card, and refused here."""
    cdef product p
    cdef product_batch batch
    cdef bint done = False, keeps
    cdef int64_t i
    cdef const void *const *left = <const void *const *>a
    cdef const void *const *right = <const void *const *>b
    cdef const void *const *old = <const void *const *>c
    cdef void *const *to = <void *const *>d
    cdef rocblas_status status = rb_enter(handle)
    if status != rocblas_status_success:
        return status
    fill(handle, &p, transa, transb, m, n, k, alpha, a_type, lda, b_type, ldb, beta, c_type, ldc,
         d_type, ldd, compute_type)
    status = check(&p, batch_count, a, b, c, d, &done)
    if done:
        return status
    if rb_recorded(handle):
        return rocblas_gemm_batched_ex_64_record(
            handle, transa, transb, m, n, k, alpha, a, a_type, lda, b, b_type, ldb, beta, c, c_type, ldc, d, d_type,
            ldd, batch_count, compute_type, algo, solution_index, flags)
    keeps = not rb_is(p.compute, p.beta, 0)
    for i in range(batch_count):
        if to[i] == NULL or (keeps and old[i] == NULL) or (p.used and (left[i] == NULL or right[i] == NULL)):
            return rocblas_status_invalid_pointer
    batch.handle = handle
    batch.p = &p
    batch.a = a
    batch.b = b
    batch.c = c if keeps else d
    batch.d = d
    batch.status = rocblas_status_success
    crew_members(batch_count, <double>m * <double>n * <double>k, pointed_members, &batch)
    return batch.status


cdef public rocblas_status rocblas_gemm_strided_batched_ex_64(
    rocblas_handle handle, rocblas_operation transa, rocblas_operation transb, int64_t m, int64_t n, int64_t k,
    const void *alpha, const void *a, rocblas_datatype a_type, int64_t lda, rocblas_stride stride_a, const void *b,
    rocblas_datatype b_type, int64_t ldb, rocblas_stride stride_b, const void *beta, const void *c,
    rocblas_datatype c_type, int64_t ldc, rocblas_stride stride_c, void *d, rocblas_datatype d_type, int64_t ldd,
    rocblas_stride stride_d, int64_t batch_count, rocblas_datatype compute_type, rocblas_gemm_algo algo,
    int32_t solution_index, uint32_t flags
) noexcept nogil:
    cdef product p
    cdef product_batch batch
    cdef bint done = False
    cdef rocblas_status status = rb_enter(handle)
    if status != rocblas_status_success:
        return status
    fill(handle, &p, transa, transb, m, n, k, alpha, a_type, lda, b_type, ldb, beta, c_type, ldc,
         d_type, ldd, compute_type)
    status = check(&p, batch_count, a, b, c, d, &done)
    if done:
        return status
    if rb_recorded(handle):
        return rocblas_gemm_strided_batched_ex_64_record(
            handle, transa, transb, m, n, k, alpha, a, a_type, lda, stride_a, b, b_type, ldb, stride_b, beta, c, c_type,
            ldc, stride_c, d, d_type, ldd, stride_d, batch_count, compute_type, algo, solution_index, flags)
    batch.handle = handle
    batch.p = &p
    batch.a = a
    batch.b = b
    batch.c = c
    batch.d = d
    batch.a_step = stride_a * rb_size(a_type)
    batch.b_step = stride_b * rb_size(b_type)
    batch.c_step = stride_c * rb_size(c_type)
    batch.d_step = stride_d * rb_size(d_type)
    batch.status = rocblas_status_success
    crew_members(batch_count, <double>m * <double>n * <double>k, strided_members, &batch)
    return batch.status


# ---- the same with sizes of 32 bits ----

cdef public rocblas_status rocblas_gemm_ex(
    rocblas_handle handle, rocblas_operation transa, rocblas_operation transb, rocblas_int m, rocblas_int n,
    rocblas_int k, const void *alpha, const void *a, rocblas_datatype a_type, rocblas_int lda, const void *b,
    rocblas_datatype b_type, rocblas_int ldb, const void *beta, const void *c, rocblas_datatype c_type, rocblas_int ldc,
    void *d, rocblas_datatype d_type, rocblas_int ldd, rocblas_datatype compute_type, rocblas_gemm_algo algo,
    int32_t solution_index, uint32_t flags
) noexcept nogil:
    return rocblas_gemm_ex_64(
        handle, transa, transb, m, n, k, alpha, a, a_type, lda, b, b_type, ldb, beta, c, c_type, ldc, d, d_type, ldd,
        compute_type, algo, solution_index, flags
    )


cdef public rocblas_status rocblas_gemm_batched_ex(
    rocblas_handle handle, rocblas_operation transa, rocblas_operation transb, rocblas_int m, rocblas_int n,
    rocblas_int k, const void *alpha, const void *a, rocblas_datatype a_type, rocblas_int lda, const void *b,
    rocblas_datatype b_type, rocblas_int ldb, const void *beta, const void *c, rocblas_datatype c_type, rocblas_int ldc,
    void *d, rocblas_datatype d_type, rocblas_int ldd, rocblas_int batch_count, rocblas_datatype compute_type,
    rocblas_gemm_algo algo, int32_t solution_index, uint32_t flags
) noexcept nogil:
    return rocblas_gemm_batched_ex_64(
        handle, transa, transb, m, n, k, alpha, a, a_type, lda, b, b_type, ldb, beta, c, c_type, ldc, d, d_type, ldd,
        batch_count, compute_type, algo, solution_index, flags
    )


cdef public rocblas_status rocblas_gemm_strided_batched_ex(
    rocblas_handle handle, rocblas_operation transa, rocblas_operation transb, rocblas_int m, rocblas_int n,
    rocblas_int k, const void *alpha, const void *a, rocblas_datatype a_type, rocblas_int lda, rocblas_stride stride_a,
    const void *b, rocblas_datatype b_type, rocblas_int ldb, rocblas_stride stride_b, const void *beta, const void *c,
    rocblas_datatype c_type, rocblas_int ldc, rocblas_stride stride_c, void *d, rocblas_datatype d_type,
    rocblas_int ldd, rocblas_stride stride_d, rocblas_int batch_count, rocblas_datatype compute_type,
    rocblas_gemm_algo algo, int32_t solution_index, uint32_t flags
) noexcept nogil:
    return rocblas_gemm_strided_batched_ex_64(
        handle, transa, transb, m, n, k, alpha, a, a_type, lda, stride_a, b, b_type, ldb, stride_b, beta, c, c_type,
        ldc, stride_c, d, d_type, ldd, stride_d, batch_count, compute_type, algo, solution_index, flags
    )


include "gemm_ex_record.pxi"
