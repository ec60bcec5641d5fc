# cython: language_level=3, cdivision=True, boundscheck=False, wraparound=False
"""Products with what follows them, of any types: the one loop that hipBLASLt's function and ours come to.

Operands are multiplied by OpenBLAS as floats, or as doubles where they are doubles or int8 (whose sums are exact so);
the epilogue is computed in the type of the factors and rounded once. A factor α of 0 still meets every product, as in
cuBLASLt: 0 times NaN is NaN. With β = 0 C is not read.
"""
include "hipblaslt.pxi"

from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

cdef extern from "openblas.h" nogil:
    void lt_sgemm "scipy_cblas_sgemm64_" (int order, int transa, int transb, int64_t m, int64_t n, int64_t k,
                                          float alpha, const float *a, int64_t lda, const float *b, int64_t ldb,
                                          float beta, float *c, int64_t ldc)
    void lt_dgemm "scipy_cblas_dgemm64_" (int order, int transa, int transb, int64_t m, int64_t n, int64_t k,
                                          double alpha, const double *a, int64_t lda, const double *b, int64_t ldb,
                                          double beta, double *c, int64_t ldc)
    enum:
        CBLAS_COLUMNS

cdef extern from "numbers.h" nogil:
    int64_t hl_bytes(int type)
    double hl_get(int type, const void *array, int64_t i)
    void hl_put(int type, void *array, int64_t i, double value)
    double hl_whole(double value, double least, double most)
    void hl_load_float(int type, const void *a, int64_t lda, int64_t rows, int64_t cols, int64_t at, float *out)
    void hl_load_double(int type, const void *a, int64_t lda, int64_t rows, int64_t cols, int64_t at, double *out)
    float hl_relu_float(float x)
    double hl_relu_double(double x)
    float hl_gelu_float(float x)
    double hl_gelu_double(double x)
    double hl_gelu_slope(double x)

cdef enum:
    EDGE = 1024  # of a panel
    PLAIN = 111  # CBLAS's number
    TURNED = 112

ctypedef fused panel:
    float
    double

ctypedef fused factor:
    float
    double


cdef inline int64_t least(int64_t a, int64_t b) noexcept nogil:
    return a if a < b else b


cdef inline const panel *part(
    const lt_own_operand *o, const void *array, int64_t i0, int64_t j0, int64_t rows, int64_t cols, panel *room,
    int64_t *ld
) noexcept nogil:
    """The part of op(array) at (i0, j0): where it lies if that is the type it is multiplied in, else converted into
    `room`."""
    cdef int64_t at
    if o.op:
        i0, j0 = j0, i0
        rows, cols = cols, rows
    at = i0 + j0 * o.ld
    if panel is float:
        if o.type == HIP_R_32F:
            ld[0] = o.ld
            return <const float *>array + at
        hl_load_float(o.type, array, o.ld, rows, cols, at, room)
    else:
        if o.type == HIP_R_64F:
            ld[0] = o.ld
            return <const double *>array + at
        hl_load_double(o.type, array, o.ld, rows, cols, at, room)
    ld[0] = rows if rows > 0 else 1
    return room


cdef inline void multiply(
    const lt_own_product *p, const void *A, const void *B, int64_t i0, int64_t j0, int64_t rows, int64_t cols,
    panel *left, panel *right, panel *total
) noexcept nogil:
    """total ← op(A)·op(B) at (i0, j0)."""
    cdef int64_t k0 = 0, depth, lda = 0, ldb = 0
    cdef const panel *a
    cdef const panel *b
    cdef int opa = TURNED if p.a.op else PLAIN
    cdef int opb = TURNED if p.b.op else PLAIN
    if p.k == 0:
        memset(total, 0, <size_t>(rows * cols) * sizeof(panel))
    while k0 < p.k:
        depth = least(p.k - k0, EDGE)
        a = part(&p.a, A, i0, k0, rows, depth, left, &lda)
        b = part(&p.b, B, k0, j0, depth, cols, right, &ldb)
        if panel is float:
            lt_sgemm(CBLAS_COLUMNS, opa, opb, rows, cols, depth, 1, a, lda, b, ldb, 1 if k0 else 0, total, rows)
        else:
            lt_dgemm(CBLAS_COLUMNS, opa, opb, rows, cols, depth, 1, a, lda, b, ldb, 1 if k0 else 0, total, rows)
        k0 += depth


cdef inline bint bit(const void *mask, int64_t at) noexcept nogil:
    return (<const uint8_t *>mask)[at >> 3] >> (at & 7) & 1


cdef inline void set_bit(void *mask, int64_t at, bint on) noexcept nogil:
    cdef uint8_t *place = <uint8_t *>mask + (at >> 3)
    place[0] = <uint8_t>(place[0] & ~(1 << (at & 7)) | <int>on << (at & 7))


cdef inline factor followed(
    const lt_own_product *p, factor value, int64_t i, int64_t j, const void *bias, void *aux
) noexcept nogil:
    """What the epilogue makes of one element; the second matrix is written or read."""
    cdef int64_t at = i + j * p.aux_ld
    # int8 with a second matrix or GELU: NVIDIA's product is stored first, and its bias added to what was stored
    cdef bint stepwise = p.d.type == HIP_R_8I and p.after & (LT_AUX | LT_GELU)
    if stepwise:
        value = <factor>hl_whole(value, -128, 127)
    if p.after & LT_BIAS:
        value = value + <factor>hl_get(p.bias_type, bias, i)
        if stepwise:
            value = <factor>hl_whole(value, -128, 127)
    if p.after & LT_GRADIENT:
        if p.after & LT_BITS:
            return value if bit(aux, at) else <factor>0
        return <factor>(value * hl_gelu_slope(hl_get(p.aux_type, aux, at)))
    if p.after & LT_BITS:
        set_bit(aux, at, not value < 0)  # NaN's too
    elif p.after & LT_AUX:
        hl_put(p.aux_type, aux, at, value)
    if factor is float:
        if p.after & LT_RELU:
            return hl_relu_float(value)
        if p.after & LT_GELU:
            return hl_gelu_float(value)
    else:
        if p.after & LT_RELU:
            return hl_relu_double(value)
        if p.after & LT_GELU:
            return hl_gelu_double(value)
    return value


cdef inline void finish(
    const lt_own_product *p, factor tag, const panel *total, int64_t i0, int64_t j0, int64_t rows, int64_t cols,
    const void *alpha, const void *beta, const void *C, void *D, const void *bias, void *aux, double *sums, float *most
) noexcept nogil:
    cdef factor left = 0, kept = 0, value, scale
    cdef int64_t i, j
    cdef float size
    if beta != NULL:
        kept = (<const factor *>beta)[0]
    if kept != 0 and p.scale_c != NULL:
        kept = <factor>(kept * p.scale_c[0])
    for j in range(j0, j0 + cols):
        for i in range(i0, i0 + rows):
            left = (<const factor *>alpha)[i if p.alpha_vector else 0]
            scale = 1
            if p.scale_a != NULL:
                scale = scale * p.scale_a[i if p.outer else 0]
            if p.scale_b != NULL:
                scale = scale * p.scale_b[j if p.outer else 0]
            value = left * (scale * <factor>total[i - i0 + (j - j0) * rows])
            if kept != 0:
                value = value + kept * <factor>hl_get(p.c.type, C, i + j * p.c.ld)
            value = followed(p, value, i, j, bias, aux)
            if sums != NULL:
                sums[i] += value
            if p.amax != NULL:
                size = <float>(-value if value < 0 else value)
                if not size <= most[0]:
                    most[0] = size
            if p.scale_d != NULL:
                value = <factor>(value * p.scale_d[0])
            hl_put(p.d.type, D, i + j * p.d.ld, value)


cdef inline void sums_of(const lt_own_product *p, const void *array, bint of_b, void *to) noexcept nogil:
    """Sums over k of op(A) along its rows, or of op(B) along its columns."""
    cdef const lt_own_operand *o = &p.b if of_b else &p.a
    cdef int64_t i, l, count = p.n if of_b else p.m
    cdef bint across = (o.op != 0) == of_b  # elements of one sum lie a leading dimension apart
    cdef double total
    for i in range(count):
        total = 0
        for l in range(p.k):
            total += hl_get(o.type, array, i + l * o.ld if across else l + i * o.ld)
        hl_put(p.bias_type, to, i, total)


cdef inline void member(
    const lt_own_product *p, panel tag, panel *room, const void *alpha, const void *A, const void *B, const void *beta,
    const void *C, void *D, void *bias, void *aux, double *sums, float *most
) noexcept nogil:
    cdef int64_t rows = least(p.m, EDGE), cols = least(p.n, EDGE), depth = least(p.k, EDGE)
    cdef panel *left = room
    cdef panel *right = left + rows * depth
    cdef panel *total = right + depth * cols
    cdef int64_t i0, j0 = 0, i
    if sums != NULL:
        memset(sums, 0, <size_t>p.m * sizeof(double))
    while j0 < p.n:
        i0 = 0
        while i0 < p.m:
            rows = least(p.m - i0, EDGE)
            cols = least(p.n - j0, EDGE)
            multiply(p, A, B, i0, j0, rows, cols, left, right, total)
            if p.factor == HIP_R_64F:
                finish[double, panel](p, 0, total, i0, j0, rows, cols, alpha, beta, C, D, bias, aux, sums, most)
            else:
                finish[float, panel](p, 0, total, i0, j0, rows, cols, alpha, beta, C, D, bias, aux, sums, most)
            i0 += EDGE
        j0 += EDGE
    if sums != NULL:
        for i in range(p.m):
            hl_put(p.bias_type, bias, i, sums[i])
    elif p.after & (LT_OF_A | LT_OF_B):
        sums_of(p, B if p.after & LT_OF_B else A, (p.after & LT_OF_B) != 0, bias)


cdef inline const void *moved(const void *array, int type, int64_t elements) noexcept nogil:
    return <const char *>array + elements * hl_bytes(type)


cdef hipblasStatus_t compute(
    const lt_own_product *p, const void *alpha, const void *A, const void *B, const void *beta, const void *C, void *D
) noexcept nogil:
    """All members of a batch. What can be wrong has been looked at."""
    cdef bint wide = p.a.type == HIP_R_64F or p.a.type == HIP_R_8I
    cdef bint summed = p.after & LT_SUMS and not p.after & (LT_OF_A | LT_OF_B)
    cdef int64_t rows = least(p.m, EDGE), cols = least(p.n, EDGE), depth = least(p.k, EDGE), i
    cdef size_t size = <size_t>(rows * depth + depth * cols + rows * cols) * sizeof(double)
    cdef void *room
    cdef double *sums
    cdef void *bias
    cdef void *aux
    cdef float most = 0
    room = malloc(size + (<size_t>p.m * sizeof(double) if summed else 0))
    if room == NULL:
        return HIPBLAS_STATUS_ALLOC_FAILED
    sums = <double *>(<char *>room + size) if summed else NULL
    for i in range(p.batch):
        bias = <void *>moved(p.bias, p.bias_type, i * p.bias_stride)
        if p.after & LT_BITS:
            aux = <char *>p.aux + i * p.aux_stride // 8
        else:
            aux = <void *>moved(p.aux, p.aux_type, i * p.aux_stride)
        if wide:
            member[double](
                p, 0, <double *>room, alpha, moved(A, p.a.type, i * p.a.stride), moved(B, p.b.type, i * p.b.stride),
                beta, moved(C, p.c.type, i * p.c.stride), <void *>moved(D, p.d.type, i * p.d.stride), bias, aux, sums,
                &most)
        else:
            member[float](
                p, 0, <float *>room, alpha, moved(A, p.a.type, i * p.a.stride), moved(B, p.b.type, i * p.b.stride),
                beta, moved(C, p.c.type, i * p.c.stride), <void *>moved(D, p.d.type, i * p.d.stride), bias, aux, sums,
                &most)
    if p.amax != NULL:
        p.amax[0] = most
    free(room)
    return HIPBLAS_STATUS_SUCCESS


# A product as a node of a graph. Factors on the host are copied, a vector of them never is there.
cdef struct product_call:
    lt_own_product p
    const void *alpha
    const void *A
    const void *B
    const void *beta
    const void *C
    void *D
    double[2] factors


cdef int again(void *record) noexcept nogil:
    cdef product_call *call = <product_call *>record
    cdef bint on_host = call.p.factors == LT_ON_HOST
    cdef const void *alpha = &call.factors[0] if on_host and not call.p.alpha_vector else call.alpha
    return compute(
        &call.p, alpha, call.A, call.B, &call.factors[1] if on_host else call.beta, call.C,
        call.D) != HIPBLAS_STATUS_SUCCESS


cdef public hipblasStatus_t hl_product(
    const lt_own_product *p, const void *alpha, const void *A, const void *B, const void *beta, const void *C, void *D,
    const void *stream
) noexcept nogil:
    """On a stream: computed, or recorded while it is captured. What can be wrong with the arguments has
    been looked at."""
    cdef product_call call
    cdef size_t size = <size_t>hl_bytes(p.factor)
    cdef int state
    if p.m == 0 or p.n == 0 or p.batch == 0:
        return HIPBLAS_STATUS_SUCCESS
    state = record_state(stream)
    if state == 0:
        return compute(p, alpha, A, B, beta, C, D)
    if p.factors == LT_ON_NEITHER:
        record_refuse(stream)
        return HIPBLAS_STATUS_INTERNAL_ERROR
    memset(&call, 0, sizeof(call))
    call.p = p[0]
    call.alpha = alpha
    call.A = A
    call.B = B
    call.beta = beta
    call.C = C
    call.D = D
    if p.factors == LT_ON_HOST:
        if alpha != NULL and not p.alpha_vector:
            memcpy(&call.factors[0], alpha, size)
        memcpy(&call.factors[1], beta, size)
    if state > 0 or record_keep(stream, again, &call, sizeof(call)) != 0:
        return HIPBLAS_STATUS_INTERNAL_ERROR
    return HIPBLAS_STATUS_SUCCESS


cdef public hipblasStatus_t hipblasLtDragomanProduct(
    const void *product, const void *alpha, const void *A, const void *B, const void *beta, const void *C, void *D,
    hipStream_t stream
) noexcept nogil:
    """Our own beside AMD's (lt_own.h)."""
    if product == NULL:
        return HIPBLAS_STATUS_SUCCESS
    return hl_product(<const lt_own_product *>product, alpha, A, B, beta, C, D, stream)
