# Float copies of parts of matrices of small numbers, which OpenBLAS multiplies.
from libc.stdint cimport int8_t
from libc.stdlib cimport free, malloc

cdef extern from "openblas.h" nogil:
    void panel_sgemm "scipy_cblas_sgemm64_" (int order, int transa, int transb, int64_t m, int64_t n, int64_t k,
                                             float alpha, const float *a, int64_t lda, const float *b, int64_t ldb,
                                             float beta, float *c, int64_t ldc)

ctypedef fused small:
    rocblas_half
    rocblas_bfloat16
    int8_t

cdef enum:
    LARGEST = 2048  # edge of a panel; a matrix that is no larger is converted once
    SPARE = 64  # edge of the panels that need no memory

# Three panels of one product: `rows`×`depth`, `depth`×`cols` and their product.
cdef struct panels:
    int64_t rows
    int64_t cols
    int64_t depth
    float *left
    float *right
    float *total
    void *memory
    float[12288] spare  # 3 · SPARE²


cdef inline void take_panels(panels *p, int64_t m, int64_t n, int64_t k, int64_t deepest) noexcept nogil:
    """Panels for an m×k by k×n product, as large as memory allows, none deeper than `deepest`."""
    cdef int64_t edge = LARGEST
    p.memory = NULL
    while True:
        p.rows = pick(m < edge, m, edge)
        p.cols = pick(n < edge, n, edge)
        p.depth = pick(k < edge, k, edge)
        p.depth = pick(p.depth < deepest, p.depth, deepest)
        if edge <= SPARE or (p.rows <= SPARE and p.cols <= SPARE and p.depth <= SPARE):
            p.left = &p.spare[0]
            break
        p.memory = malloc(<size_t>(p.rows * p.depth + p.depth * p.cols + p.rows * p.cols) * sizeof(float))
        p.left = <float *>p.memory
        if p.memory != NULL:
            break
        edge = edge // 2
    p.right = p.left + p.rows * p.depth
    p.total = p.right + p.depth * p.cols


cdef inline void drop_panels(panels *p) noexcept nogil:
    free(p.memory)


cdef inline float small_to_float(small value) noexcept nogil:
    if small is rocblas_half:
        return rb_from_half(value)
    elif small is rocblas_bfloat16:
        return rb_from_bfloat16(value)
    else:
        return <float>value


cdef inline void load(
    const small *a, int64_t lda, int trans, int64_t i0, int64_t j0, int64_t m, int64_t n, float *out
) noexcept nogil:
    """The m×n part of op(A) at (i0, j0) as floats without padding, transposed as A is."""
    cdef int64_t i, j
    cdef const small *at = a + i0 + j0 * lda
    if trans != rocblas_operation_none:
        at = a + j0 + i0 * lda
        m, n = n, m
    for j in range(n):
        for i in range(m):
            out[i + j * m] = small_to_float(at[i + j * lda])


cdef inline void multiply_panels(
    panels *p, int transa, int transb, int64_t m, int64_t n, int64_t k, bint add
) noexcept nogil:
    """total ← op(left)·op(right), or that added to it."""
    panel_sgemm(
        CBLAS_COLUMNS, transa, transb, m, n, k, 1, p.left, pick(transa == rocblas_operation_none, m, k), p.right,
        pick(transb == rocblas_operation_none, k, n), 1 if add else 0, p.total, m
    )
