# cython: language_level=3, cdivision=True, boundscheck=False, wraparound=False
"""hipblasLtMatmul and its heuristic, checked as hipBLASLt checks.

Its peculiarities are kept, so that they show without a card. Factors have the compute type, whatever the scale type
says: an int8 product's are int32. Every pointer mode but HOST makes α a vector with a number for each row of D, in host
memory or not, and β is read on the host. A bias without a type has none. No matrix lies in another
order than by columns.
"""
include "hipblaslt.pxi"

from libc.string cimport memset

cdef extern from "hipblaslt.h" nogil:
    hipblasStatus_t hl_product(
        const lt_own_product *p, const void *alpha, const void *A, const void *B, const void *beta, const void *C,
        void *D, const void *stream
    )

cdef enum:
    ALGORITHM = 1  # the only one


cdef bint is_float8(int type) noexcept nogil:
    return type == HIP_R_8F_E4M3 or type == HIP_R_8F_E5M2


cdef bint types_go(const hl_matmul *d, int a, int b, int c, int e) noexcept nogil:
    """The types that it has kernels for, on one card or another. int8 is rocBLAS's here."""
    if d.compute == HIPBLAS_COMPUTE_64F:
        return a == HIP_R_64F and b == a and c == a and e == a
    if d.compute == HIPBLAS_COMPUTE_32I:
        return False
    if d.compute == HIPBLAS_COMPUTE_32F_FAST_TF32:
        return a == HIP_R_32F and b == a and c == a and e == a
    if is_float8(a) and is_float8(b):
        if is_float8(e):
            return c == HIP_R_16BF or c == HIP_R_16F or c == e
        return c == e and (e == HIP_R_32F or e == HIP_R_16BF or e == HIP_R_16F)
    if a != b or c != e:
        return False
    if a == HIP_R_16F or a == HIP_R_16BF:
        return e == a or e == HIP_R_32F
    return a == HIP_R_32F and e == a


cdef int32_t after_of(uint32_t epilogue) noexcept nogil:
    """0: one that is not known or not here."""
    if epilogue == HIPBLASLT_EPILOGUE_DEFAULT:
        return LT_KNOWN
    if epilogue == HIPBLASLT_EPILOGUE_RELU:
        return LT_KNOWN | LT_RELU
    if epilogue == HIPBLASLT_EPILOGUE_BIAS:
        return LT_KNOWN | LT_BIAS
    if epilogue == HIPBLASLT_EPILOGUE_RELU_BIAS:
        return LT_KNOWN | LT_RELU | LT_BIAS
    if epilogue == HIPBLASLT_EPILOGUE_GELU:
        return LT_KNOWN | LT_GELU
    if epilogue == HIPBLASLT_EPILOGUE_GELU_BIAS:
        return LT_KNOWN | LT_GELU | LT_BIAS
    if epilogue == HIPBLASLT_EPILOGUE_GELU_AUX:
        return LT_KNOWN | LT_GELU | LT_AUX
    if epilogue == HIPBLASLT_EPILOGUE_GELU_AUX_BIAS:
        return LT_KNOWN | LT_GELU | LT_AUX | LT_BIAS
    if epilogue == HIPBLASLT_EPILOGUE_DGELU:
        return LT_KNOWN | LT_GELU | LT_AUX | LT_GRADIENT
    if epilogue == HIPBLASLT_EPILOGUE_DGELU_BGRAD:
        return LT_KNOWN | LT_GELU | LT_AUX | LT_GRADIENT | LT_SUMS
    if epilogue == HIPBLASLT_EPILOGUE_BGRADA:
        return LT_KNOWN | LT_SUMS | LT_OF_A
    if epilogue == HIPBLASLT_EPILOGUE_BGRADB:
        return LT_KNOWN | LT_SUMS | LT_OF_B
    return 0


cdef inline void operand(lt_own_operand *o, const hl_layout *l, int op) noexcept nogil:
    o.type = l.type
    o.op = op != HIPBLAS_OP_N
    o.ld = l.ld
    o.stride = l.stride


cdef inline bint alive(const hl_layout *l) noexcept nogil:
    return l != NULL and l.kind == HL_LAYOUT


cdef hipblasStatus_t pose(
    lt_own_product *p, const hl_matmul *d, const hl_layout *a, const hl_layout *b, const hl_layout *c,
    const hl_layout *e
) noexcept nogil:
    """What both look at."""
    cdef bint summed
    if d == NULL or d.kind != HL_MATMUL or not alive(a) or not alive(b) or not alive(c) or not alive(e):
        return HIPBLAS_STATUS_INVALID_VALUE
    memset(p, 0, sizeof(p[0]))
    if not types_go(d, a.type, b.type, c.type, e.type):
        return HIPBLAS_STATUS_NOT_SUPPORTED
    if a.order != HIPBLASLT_ORDER_COL or b.order != a.order or c.order != a.order or e.order != a.order:
        return HIPBLAS_STATUS_NOT_SUPPORTED
    if a.stride < 0 or b.stride < 0 or c.stride < 0 or e.stride < 0:
        return HIPBLAS_STATUS_INVALID_VALUE
    if a.batch < 1 or b.batch != a.batch or c.batch != a.batch or e.batch != a.batch:
        return HIPBLAS_STATUS_INVALID_VALUE
    operand(&p.a, a, d.opa)
    operand(&p.b, b, d.opb)
    operand(&p.c, c, HIPBLAS_OP_N)
    operand(&p.d, e, HIPBLAS_OP_N)
    p.m = <int64_t>e.rows
    p.n = <int64_t>e.cols
    p.k = <int64_t>(a.rows if p.a.op else a.cols)
    p.batch = a.batch
    p.factor = HIP_R_64F if d.compute == HIPBLAS_COMPUTE_64F else HIP_R_32F
    p.alpha_vector = d.pointer_mode != HIPBLASLT_POINTER_MODE_HOST
    p.after = after_of(d.epilogue)
    if not p.after:
        return HIPBLAS_STATUS_NOT_SUPPORTED
    summed = p.after & (LT_BIAS | LT_SUMS)
    if summed and d.bias_type == HL_NO_TYPE:
        return HIPBLAS_STATUS_NOT_SUPPORTED
    p.bias = d.bias
    p.bias_type = d.bias_type
    p.aux = d.aux
    p.aux_type = e.type if d.aux_type == HL_NO_TYPE else d.aux_type
    p.aux_ld = d.aux_ld if d.aux_ld > 0 else p.m
    p.aux_stride = d.aux_stride if d.aux_stride > 0 else p.aux_ld * p.n
    if d.a_mode != d.b_mode or (d.a_mode != HIPBLASLT_MATMUL_MATRIX_SCALE_SCALAR_32F
                                and d.a_mode != HIPBLASLT_MATMUL_MATRIX_SCALE_OUTER_VEC_32F):
        return HIPBLAS_STATUS_NOT_SUPPORTED
    p.outer = d.a_mode == HIPBLASLT_MATMUL_MATRIX_SCALE_OUTER_VEC_32F
    p.scale_a = d.scale_a
    p.scale_b = d.scale_b
    p.scale_c = d.scale_c
    p.scale_d = d.scale_d
    p.amax = d.amax
    return HIPBLAS_STATUS_SUCCESS


cdef public hipblasStatus_t hipblasLtMatmulAlgoGetHeuristic(
    hl_handle *handle, hl_matmul *matmulDesc, hl_layout *Adesc, hl_layout *Bdesc, hl_layout *Cdesc, hl_layout *Ddesc,
    hl_preference *pref, int requestedAlgoCount, hipblasLtMatmulHeuristicResult_t *heuristicResultsArray,
    int *returnAlgoCount
) noexcept nogil:
    cdef lt_own_product p
    cdef hipblasStatus_t status
    if handle == NULL or handle.kind != HL_HANDLE:
        return HIPBLAS_STATUS_NOT_INITIALIZED
    if pref == NULL or pref.kind != HL_PREFERENCE or returnAlgoCount == NULL or heuristicResultsArray == NULL:
        return HIPBLAS_STATUS_INVALID_VALUE
    if requestedAlgoCount < 1:
        return HIPBLAS_STATUS_INVALID_VALUE
    returnAlgoCount[0] = 0
    status = pose(&p, matmulDesc, Adesc, Bdesc, Cdesc, Ddesc)
    if status != HIPBLAS_STATUS_SUCCESS:
        return status
    memset(heuristicResultsArray, 0, sizeof(heuristicResultsArray[0]))
    heuristicResultsArray[0].algo.data[0] = ALGORITHM
    heuristicResultsArray[0].algo.max_workspace_bytes = pref.workspace
    heuristicResultsArray[0].wavesCount = 1
    returnAlgoCount[0] = 1
    return HIPBLAS_STATUS_SUCCESS


cdef public hipblasStatus_t hipblasLtMatmul(
    hl_handle *handle, hl_matmul *matmulDesc, const void *alpha, const void *A, hl_layout *Adesc, const void *B,
    hl_layout *Bdesc, const void *beta, const void *C, hl_layout *Cdesc, void *D, hl_layout *Ddesc,
    const hipblasLtMatmulAlgo_t *algo, void *workspace, size_t workspaceSizeInBytes, hipStream_t stream
) noexcept nogil:
    cdef lt_own_product p
    cdef hipblasStatus_t status
    if handle == NULL or handle.kind != HL_HANDLE:
        return HIPBLAS_STATUS_NOT_INITIALIZED
    status = pose(&p, matmulDesc, Adesc, Bdesc, Cdesc, Ddesc)
    if status != HIPBLAS_STATUS_SUCCESS:
        return status
    if p.m == 0:
        return HIPBLAS_STATUS_SUCCESS
    if beta == NULL or (p.n and ((p.k and (alpha == NULL or A == NULL or B == NULL)) or C == NULL or D == NULL)):
        return HIPBLAS_STATUS_INVALID_VALUE
    if p.after & (LT_BIAS | LT_SUMS) and p.bias == NULL:
        return HIPBLAS_STATUS_INVALID_VALUE
    if p.after & LT_AUX and (p.aux == NULL or p.aux_ld < p.m or p.aux_stride < p.m * p.n):
        return HIPBLAS_STATUS_INVALID_VALUE
    if algo != NULL and algo.data[0] != ALGORITHM:
        return HIPBLAS_STATUS_INVALID_VALUE
    return hl_product(&p, alpha, A, B, beta, C, D, stream)
