# cython: language_level=3, cdivision=True, boundscheck=False, wraparound=False
"""hipblasLtMatrixTransform with hipBLASLt's bounds, and ours without them.

hipBLASLt's kernels have one type for all three matrices, orders by columns and by rows, and one stride, A's, between
the members of a batch. What it has no kernel for is an internal error.
"""
include "hipblaslt.pxi"

from libc.math cimport trunc
from libc.string cimport memcpy, memset

cdef extern from "numbers.h" nogil:
    double hl_get(int type, const void *array, int64_t i)
    void hl_put(int type, void *array, int64_t i, double value)
    int64_t hl_bytes(int type)

ctypedef fused factor:
    float
    double


cdef bint is_complex(int type) noexcept nogil:
    return type == HIP_C_32F or type == HIP_C_64F


cdef inline int half_of(int type) noexcept nogil:
    """The type of a complex number's parts."""
    return HIP_R_32F if type == HIP_C_32F else HIP_R_64F


cdef inline double complex element(const lt_own_matrix *x, const void *array, int64_t i, int64_t j) noexcept nogil:
    """Element (i, j) of op(X)."""
    cdef int64_t at = lt_own_place(x.order, j, i, x.ld) if x.op else lt_own_place(x.order, i, j, x.ld)
    cdef double real, imag
    if not is_complex(x.type):
        return hl_get(x.type, array, at)
    real = hl_get(half_of(x.type), array, 2 * at)
    imag = hl_get(half_of(x.type), array, 2 * at + 1)
    return real - imag * 1j if x.op == 2 else real + imag * 1j


cdef inline double complex number(int type, const void *scalar) noexcept nogil:
    if scalar == NULL:
        return 0
    if is_complex(type):
        return hl_get(half_of(type), scalar, 0) + hl_get(half_of(type), scalar, 1) * 1j
    return hl_get(type, scalar, 0)


cdef inline void one(
    const lt_own_transform *t, factor tag, double complex alpha, const void *A, double complex beta, const void *B,
    void *C
) noexcept nogil:
    """Real numbers, computed in single or double precision."""
    cdef factor left = <factor>alpha.real, right = <factor>beta.real, value
    cdef bint whole = t.c.type == HIP_R_8I or t.c.type == HIP_R_32I  # cut, not rounded, as NVIDIA's
    cdef int64_t i, j
    for j in range(t.cols):
        for i in range(t.rows):
            value = 0
            if t.a.there:
                value = left * <factor>element(&t.a, A, i, j).real
            if t.b.there:
                value = value + right * <factor>element(&t.b, B, i, j).real
            hl_put(t.c.type, C, lt_own_place(t.c.order, i, j, t.c.ld), trunc(value) if whole else value)


cdef inline void one_complex(
    const lt_own_transform *t, double complex alpha, const void *A, double complex beta, const void *B, void *C
) noexcept nogil:
    cdef double complex value
    cdef int64_t i, j, at
    for j in range(t.cols):
        for i in range(t.rows):
            value = 0
            if t.a.there:
                value = alpha * element(&t.a, A, i, j)
            if t.b.there:
                value = value + beta * element(&t.b, B, i, j)
            at = lt_own_place(t.c.order, i, j, t.c.ld)
            hl_put(half_of(t.c.type), C, 2 * at, value.real)
            hl_put(half_of(t.c.type), C, 2 * at + 1, value.imag)


cdef void transform(
    const lt_own_transform *t, const void *alpha, const void *A, const void *beta, const void *B, void *C
) noexcept nogil:
    cdef double complex left = number(t.factor, alpha), right = number(t.factor, beta)
    cdef int64_t i
    cdef const char *a
    cdef const char *b
    cdef char *c
    for i in range(t.batch):
        a = <const char *>A + i * t.a.stride * hl_bytes(t.a.type)
        b = <const char *>B + i * t.b.stride * hl_bytes(t.b.type)
        c = <char *>C + i * t.c.stride * hl_bytes(t.c.type)
        if is_complex(t.c.type):
            one_complex(t, left, a, right, b, c)
        elif t.factor == HIP_R_64F or t.factor == HIP_R_32I:
            one[double](t, 0, left, a, right, b, c)
        else:
            one[float](t, 0, left, a, right, b, c)


# A transformation as a node of a graph.
cdef struct transform_call:
    lt_own_transform t
    const void *alpha
    const void *A
    const void *beta
    const void *B
    void *C
    double[2] left
    double[2] right


cdef int again(void *record) noexcept nogil:
    cdef transform_call *call = <transform_call *>record
    cdef bint on_host = call.t.factors == LT_ON_HOST
    transform(&call.t, &call.left[0] if on_host else call.alpha, call.A, &call.right[0] if on_host else call.beta,
              call.B, call.C)
    return 0


cdef hipblasStatus_t transformed(
    const lt_own_transform *t, const void *alpha, const void *A, const void *beta, const void *B, void *C,
    const void *stream
) noexcept nogil:
    """On a stream: computed, or recorded while it is captured. A factor on the host is copied."""
    cdef transform_call call
    cdef int state
    state = record_state(stream)
    if state == 0:
        transform(t, alpha, A, beta, B, C)
        return HIPBLAS_STATUS_SUCCESS
    memset(&call, 0, sizeof(call))
    call.t = t[0]
    call.alpha = alpha
    call.A = A
    call.beta = beta
    call.B = B
    call.C = C
    if t.factors == LT_ON_HOST:
        if alpha != NULL:
            memcpy(&call.left[0], alpha, <size_t>hl_bytes(t.factor))
        if beta != NULL:
            memcpy(&call.right[0], beta, <size_t>hl_bytes(t.factor))
    if state > 0 or record_keep(stream, again, &call, sizeof(call)) != 0:
        return HIPBLAS_STATUS_INTERNAL_ERROR
    return HIPBLAS_STATUS_SUCCESS


cdef inline void matrix(lt_own_matrix *x, const hl_layout *l, int op) noexcept nogil:
    if l == NULL:
        return
    x.there = 1
    x.type = l.type
    x.order = l.order
    x.op = op == 112  # HIPBLAS_OP_T; every other number is N to it
    x.ld = l.ld


cdef bint has_kernel(int type, int scale) noexcept nogil:
    if scale == HIP_R_16F:
        return type == HIP_R_16F
    return scale == HIP_R_32F and (type == HIP_R_32F or type == HIP_R_16F or type == HIP_R_16BF or type == HIP_R_8I
                                   or type == HIP_R_32I)


cdef public hipblasStatus_t hipblasLtMatrixTransform(
    hl_handle *lightHandle, hl_transform *transformDesc, const void *alpha, const void *A, hl_layout *Adesc,
    const void *beta, const void *B, hl_layout *Bdesc, void *C, hl_layout *Cdesc, hipStream_t stream
) noexcept nogil:
    cdef lt_own_transform t
    if lightHandle == NULL or lightHandle.kind != HL_HANDLE:
        return HIPBLAS_STATUS_NOT_INITIALIZED
    if transformDesc == NULL or transformDesc.kind != HL_TRANSFORM:
        return HIPBLAS_STATUS_INVALID_VALUE
    if (A != NULL and Adesc == NULL) or (B != NULL and Bdesc == NULL) or (Adesc == NULL and Bdesc == NULL):
        return HIPBLAS_STATUS_INVALID_VALUE
    if C == NULL or Cdesc == NULL or Adesc == NULL:  # without A it looks for kernels of the type 0
        return HIPBLAS_STATUS_INVALID_VALUE
    memset(&t, 0, sizeof(t))
    matrix(&t.a, Adesc if A != NULL else NULL, transformDesc.opa)
    matrix(&t.b, Bdesc if B != NULL else NULL, transformDesc.opb)
    matrix(&t.c, Cdesc, 0)
    if not has_kernel(Adesc.type, transformDesc.scale) or Cdesc.order > HIPBLASLT_ORDER_ROW:
        return HIPBLAS_STATUS_INTERNAL_ERROR
    if Adesc.order > HIPBLASLT_ORDER_ROW or (Bdesc != NULL and Bdesc.order > HIPBLASLT_ORDER_ROW):
        return HIPBLAS_STATUS_INTERNAL_ERROR
    t.b.type = Adesc.type
    t.c.type = Adesc.type
    t.a.stride = Adesc.stride
    t.b.stride = Adesc.stride
    t.c.stride = Adesc.stride
    t.rows = <int64_t>Cdesc.rows
    t.cols = <int64_t>Cdesc.cols
    t.batch = Adesc.batch
    t.factor = transformDesc.scale
    t.factors = LT_ON_HOST if transformDesc.pointer_mode == HIPBLASLT_POINTER_MODE_HOST else LT_ON_DEVICE
    return transformed(&t, alpha, A, beta, B, C, stream)


cdef public hipblasStatus_t hipblasLtDragomanTransform(
    const void *description, const void *alpha, const void *A, const void *beta, const void *B, void *C,
    hipStream_t stream
) noexcept nogil:
    """Our own beside AMD's (lt_own.h)."""
    if description == NULL:
        return HIPBLAS_STATUS_SUCCESS
    return transformed(<const lt_own_transform *>description, alpha, A, beta, B, C, stream)
