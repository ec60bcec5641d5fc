# One product as both of AMD's libraries take it: columns first, D = α·op(A)·op(B) + β·C, and what follows it.
#
# A matrix whose rows lie one after another is, read by columns, its transpose. So an operand in row order takes the
# other operation; and where D is in row order the transposed product is computed, with the operands exchanged.

cdef extern from "kinds.h" nogil:
    enum:
        LT_BY_ROCBLAS
        LT_BY_HIPBLASLT
        LT_BY_OWN
        LT_RELU
        LT_GELU
        LT_BIAS
        LT_AUX
        LT_GRADIENT
        LT_SUMS
        LT_BITS
        LT_KNOWN
        LT_OF_A
        LT_OF_B
        LT_ORDERS, LT_ON_HOST, LT_ON_DEVICE, LT_ON_NEITHER
    ctypedef struct lt_own_operand:
        int32_t type
        int32_t op
        int64_t ld
        int64_t stride
    ctypedef struct lt_own_product:
        lt_own_operand a
        lt_own_operand b
        lt_own_operand c
        lt_own_operand d
        int64_t m
        int64_t n
        int64_t k
        int64_t batch
        int32_t factor
        int32_t alpha_vector
        int32_t after
        int32_t bias_type
        int32_t aux_type
        int32_t outer
        int32_t factors
        void *bias
        int64_t bias_stride
        void *aux
        int64_t aux_ld
        int64_t aux_stride
        const float *scale_a
        const float *scale_b
        const float *scale_c
        const float *scale_d
        float *amax
    ctypedef struct lt_own_matrix:
        int32_t type
        int32_t order
        int32_t op
        int32_t there
        int64_t ld
        int64_t stride
    ctypedef struct lt_own_transform:
        lt_own_matrix a
        lt_own_matrix b
        lt_own_matrix c
        int64_t rows
        int64_t cols
        int64_t batch
        int32_t factor
        int32_t factors
    ctypedef struct lt_types:
        int32_t by
    ctypedef struct lt_algo:
        lt_MatmulAlgoConfig config
        uint64_t amd[3]
    ctypedef struct lt_found:
        lt_algo algo
        size_t workspace
        int32_t state
        float waves
    ctypedef struct lt_amd_found:
        uint64_t algo[3]
        size_t workspace
        int32_t state
        float waves
    const lt_types *lt_find_types(int32_t compute, int32_t scale, int32_t a, int32_t b, int32_t c, int32_t d)
    bint lt_begins(int32_t compute, int32_t a, int32_t b, int32_t c, int32_t d)
    bint lt_is_complex(int32_t type)
    bint lt_is_float8(int32_t type)
    int32_t lt_bias_type(int32_t a, int32_t c, int32_t d)
    bint lt_converts(int32_t scale, int32_t type)
    bint lt_converts_amd(int32_t scale, int32_t type)
    bint lt_holds(int32_t order, uint64_t rows, uint64_t cols, int64_t ld)
    bint lt_scales(int32_t type)
    int64_t lt_bytes(int32_t type)
    int lt_epilogue_of(uint32_t epilogue)
    bint lt_is_zero(int32_t scale, const void *factor)

ctypedef struct lt_operand:
    int32_t type
    uint32_t op      # NVIDIA's number; of C and D always N
    uint64_t rows    # as read by columns
    uint64_t cols
    int64_t ld
    int64_t stride   # elements between the members of a batch

ctypedef struct lt_problem:
    lt_operand a
    lt_operand b
    lt_operand c
    lt_operand d
    int64_t m
    int64_t n
    int64_t k
    int32_t batch
    bint exchanged   # what the program calls A is b here
    int32_t compute
    int32_t scale
    int32_t by       # LT_BY_…
    int after        # LT_RELU and so on
    bint plain       # a product and nothing else
    bint outer       # the scales of A and B are vectors
    int32_t bias_type
    const lt_MatmulDesc *desc

# Descriptors in the program's memory are copied here.
ctypedef struct lt_copies:
    lt_MatmulDesc desc
    lt_MatrixLayout layouts[4]


cdef inline bint view(lt_operand *o, const lt_MatrixLayout *l, uint32_t op) noexcept nogil:
    """The operand as read by columns; False: its leading dimension does not hold one."""
    o.type = <int32_t>l.matrix_layout_type
    o.op = op
    o.ld = l.matrix_layout_ld
    o.stride = l.matrix_layout_strided_batch_offset
    if l.matrix_layout_order == CUBLASLT_ORDER_ROW:
        o.rows = l.matrix_layout_cols
        o.cols = l.matrix_layout_rows
    else:
        o.rows = l.matrix_layout_rows
        o.cols = l.matrix_layout_cols
    return o.ld >= 1 and <uint64_t>o.ld >= o.rows


cdef inline bint turn(lt_operand *o) noexcept nogil:
    """The other operation, for an operand that is read the other way; False where there is none: conj without
    transpose."""
    if o.op == CUBLAS_OP_N:
        o.op = CUBLAS_OP_T
        return True
    if o.op == CUBLAS_OP_C and lt_is_complex(o.type):
        return False
    o.op = CUBLAS_OP_N
    return True


cdef inline cublasStatus_t pose(
    lt_problem *p, lt_copies *copies, const void *desc, const void *A, const void *B, const void *C, const void *D
) noexcept nogil:
    """Reads the descriptors and checks them, in NVIDIA's statuses: what does not fit is INVALID_VALUE, what fits and
    cannot be computed NOT_SUPPORTED."""
    cdef const lt_MatmulDesc *d = <const lt_MatmulDesc *>lt_read(desc, &lt_matmuls, &copies.desc)
    cdef const lt_MatrixLayout *a = <const lt_MatrixLayout *>lt_read(A, &lt_layouts, &copies.layouts[0])
    cdef const lt_MatrixLayout *b = <const lt_MatrixLayout *>lt_read(B, &lt_layouts, &copies.layouts[1])
    cdef const lt_MatrixLayout *e = <const lt_MatrixLayout *>lt_read(D, &lt_layouts, &copies.layouts[3])
    cdef const lt_MatrixLayout *c = e if C is NULL else <const lt_MatrixLayout *>lt_read(C, &lt_layouts,
        &copies.layouts[2])
    cdef const lt_types *types
    cdef uint64_t m, n, k, other
    cdef uint32_t opa, opb
    cdef bint turned = True
    cdef bint scaled
    cdef lt_operand swap
    if d is NULL or a is NULL or b is NULL or c is NULL or e is NULL:
        return CUBLAS_STATUS_INVALID_VALUE
    p.outer = False
    types = lt_find_types(d.matmul_desc_compute_type, d.matmul_desc_scale_type, <int32_t>a.matrix_layout_type,
                          <int32_t>b.matrix_layout_type, <int32_t>c.matrix_layout_type, <int32_t>e.matrix_layout_type)
    if types is NULL:
        if not lt_scales(d.matmul_desc_scale_type):
            return CUBLAS_STATUS_INVALID_VALUE
        if lt_begins(d.matmul_desc_compute_type, <int32_t>a.matrix_layout_type, <int32_t>b.matrix_layout_type,
                     <int32_t>c.matrix_layout_type, <int32_t>e.matrix_layout_type):
            return CUBLAS_STATUS_INVALID_VALUE
        return CUBLAS_STATUS_NOT_SUPPORTED
    opa = <uint32_t>d.matmul_desc_transa
    opb = <uint32_t>d.matmul_desc_transb
    if opa > CUBLAS_OP_C or opb > CUBLAS_OP_C or c.matrix_layout_order != e.matrix_layout_order:
        return CUBLAS_STATUS_INVALID_VALUE
    if <uint32_t>a.matrix_layout_order > CUBLASLT_ORDER_ROW or <uint32_t>b.matrix_layout_order > CUBLASLT_ORDER_ROW:
        return CUBLAS_STATUS_NOT_SUPPORTED
    if <uint32_t>e.matrix_layout_order > CUBLASLT_ORDER_ROW or d.matmul_desc_transc != CUBLAS_OP_N:
        return CUBLAS_STATUS_NOT_SUPPORTED
    # shapes, as the program sees them
    m = a.matrix_layout_cols if opa else a.matrix_layout_rows
    k = a.matrix_layout_rows if opa else a.matrix_layout_cols
    n = b.matrix_layout_rows if opb else b.matrix_layout_cols
    other = b.matrix_layout_cols if opb else b.matrix_layout_rows
    if k != other or m != e.matrix_layout_rows or n != e.matrix_layout_cols:
        return CUBLAS_STATUS_INVALID_VALUE
    if c.matrix_layout_rows != m or c.matrix_layout_cols != n or (m | n | k) >> 62:
        return CUBLAS_STATUS_INVALID_VALUE
    p.batch = e.matrix_layout_batch_count
    if p.batch < 1 or a.matrix_layout_batch_count != p.batch or b.matrix_layout_batch_count != p.batch:
        return CUBLAS_STATUS_INVALID_VALUE
    if c.matrix_layout_batch_count != p.batch:
        return CUBLAS_STATUS_INVALID_VALUE
    if not (view(&p.a, a, opa) and view(&p.b, b, opb) and view(&p.c, c, CUBLAS_OP_N) and view(&p.d, e, CUBLAS_OP_N)):
        return CUBLAS_STATUS_INVALID_VALUE
    scaled = d.matmul_desc_a_scale_pointer is not NULL or d.matmul_desc_b_scale_pointer is not NULL
    scaled = scaled or d.matmul_desc_c_scale_pointer is not NULL or d.matmul_desc_d_scale_pointer is not NULL
    scaled = scaled or d.matmul_desc_amax_d_pointer is not NULL or d.matmul_desc_d_out_scale_pointer is not NULL
    if scaled and not lt_is_float8(p.a.type):
        return CUBLAS_STATUS_INVALID_VALUE
    # scales and sizes of D go with matrices of 8 bits; C's is taken
    if not lt_is_float8(p.d.type):
        if d.matmul_desc_d_scale_pointer is not NULL or d.matmul_desc_amax_d_pointer is not NULL:
            return CUBLAS_STATUS_INVALID_VALUE
    if lt_is_float8(p.a.type) and not scales(p, d):
        return CUBLAS_STATUS_NOT_SUPPORTED
    if (a.matrix_layout_batch_mode | b.matrix_layout_batch_mode | c.matrix_layout_batch_mode
        | e.matrix_layout_batch_mode):
        return CUBLAS_STATUS_NOT_SUPPORTED
    if d.matmul_desc_fill_mode != CUBLAS_FILL_MODE_FULL:
        return CUBLAS_STATUS_INVALID_VALUE
    if <uint32_t>d.matmul_desc_pointer_mode > CUBLASLT_POINTER_MODE_ALPHA_DEVICE_VECTOR_BETA_HOST:
        return CUBLAS_STATUS_INVALID_VALUE
    if <uint32_t>d.matmul_desc_pointer_mode > 1:  # a vector of factors goes with int8 results alone
        if d.matmul_desc_pointer_mode != CUBLASLT_POINTER_MODE_ALPHA_DEVICE_VECTOR_BETA_HOST or p.d.type != CUDA_R_8I:
            return CUBLAS_STATUS_NOT_SUPPORTED
    if d.matmul_desc_atomic_sync_num_chunks_d_rows > 0 or d.matmul_desc_atomic_sync_num_chunks_d_cols > 0:
        return CUBLAS_STATUS_NOT_SUPPORTED
    p.m = <int64_t>m
    p.n = <int64_t>n
    p.k = <int64_t>k
    p.compute = d.matmul_desc_compute_type
    p.scale = d.matmul_desc_scale_type
    p.by = types.by
    p.desc = d
    if d.matmul_desc_epilogue == CUBLASLT_EPILOGUE_RELU + CUBLASLT_EPILOGUE_GELU:
        return CUBLAS_STATUS_INVALID_VALUE  # both, which is the one number that an H200 calls wrong
    p.after = lt_epilogue_of(d.matmul_desc_epilogue)
    if not p.after:
        return CUBLAS_STATUS_NOT_SUPPORTED
    p.plain = p.after == LT_KNOWN and not scaled and <uint32_t>d.matmul_desc_pointer_mode <= 1
    p.exchanged = e.matrix_layout_order == CUBLASLT_ORDER_ROW
    p.bias_type = lt_bias_type(p.a.type, p.c.type, p.d.type)
    if not p.plain:
        if not p.by & LT_BY_OWN:
            return CUBLAS_STATUS_NOT_SUPPORTED
        if not follows(p):
            return CUBLAS_STATUS_INVALID_VALUE
        if not biased(p):  # as an H200
            return CUBLAS_STATUS_NOT_SUPPORTED if lt_is_float8(p.a.type) else CUBLAS_STATUS_INVALID_VALUE
        if not served(p):
            return CUBLAS_STATUS_NOT_SUPPORTED
    # by columns
    if p.exchanged:
        if a.matrix_layout_order == CUBLASLT_ORDER_COL:
            turned = turn(&p.a)
        if b.matrix_layout_order == CUBLASLT_ORDER_COL:
            turned = turn(&p.b) and turned
        swap = p.a
        p.a = p.b
        p.b = swap
        p.m, p.n = p.n, p.m
    else:
        if a.matrix_layout_order == CUBLASLT_ORDER_ROW:
            turned = turn(&p.a)
        if b.matrix_layout_order == CUBLASLT_ORDER_ROW:
            turned = turn(&p.b) and turned
    return CUBLAS_STATUS_SUCCESS if turned else CUBLAS_STATUS_NOT_SUPPORTED


cdef inline bint scales(lt_problem *p, const lt_MatmulDesc *d) noexcept nogil:
    """The scales of 8-bit floating point that are served: a number, or for A and B both a vector along rows and columns
    of D. The auxiliary matrix has none."""
    cdef bint outer = d.matmul_desc_a_scale_mode == CUBLASLT_MATMUL_MATRIX_SCALE_OUTER_VEC_32F
    p.outer = outer
    if d.matmul_desc_a_scale_mode != d.matmul_desc_b_scale_mode or d.matmul_desc_a_scale_mode != (
            CUBLASLT_MATMUL_MATRIX_SCALE_OUTER_VEC_32F if outer else CUBLASLT_MATMUL_MATRIX_SCALE_SCALAR_32F):
        return False
    if outer and (d.matmul_desc_a_scale_pointer is NULL or d.matmul_desc_b_scale_pointer is NULL):
        return False
    if d.matmul_desc_c_scale_mode or d.matmul_desc_d_scale_mode or d.matmul_desc_d_out_scale_mode:
        return False
    if d.matmul_desc_epilogue_aux_scale_pointer is not NULL or d.matmul_desc_epilogue_aux_amax_pointer is not NULL:
        return False
    return d.matmul_desc_d_out_scale_pointer is NULL


cdef inline bint biased(const lt_problem *p) noexcept nogil:
    """A bias or sums of the one type that goes with the product."""
    cdef int32_t type = p.desc.matmul_desc_bias_data_type
    return not p.after & (LT_BIAS | LT_SUMS) or type == -1 or type == p.bias_type


cdef inline bint follows(const lt_problem *p) noexcept nogil:
    """What the epilogue's own attributes must be."""
    cdef const lt_MatmulDesc *d = p.desc
    cdef int64_t rows = p.n if p.exchanged else p.m
    if p.after & (LT_BIAS | LT_SUMS):
        if <uintptr_t>d.matmul_desc_bias_pointer % <uint64_t>lt_bytes(p.bias_type):
            return False
    if p.after & LT_AUX:
        if d.matmul_desc_epilogue_aux_pointer is NULL and d.matmul_desc_epilogue_aux_ld == 0:
            return True  # not told yet: heuristics come before pointers, and the product looks
        if d.matmul_desc_epilogue_aux_ld < rows or d.matmul_desc_epilogue_aux_ld < 1:
            return False
        if p.after & LT_BITS:
            return d.matmul_desc_epilogue_aux_ld % 128 == 0
        if d.matmul_desc_epilogue_aux_data_type != -1 and d.matmul_desc_epilogue_aux_data_type != p.d.type:
            return False
    return True


cdef inline bint served(const lt_problem *p) noexcept nogil:
    """Sums of A over k need A as it is, those of B need it transposed, as in NVIDIA's library. A vector along the rows
    of D cannot lie along the columns of the exchanged product, nor can a second matrix. Of the second matrices of 8-bit
    floating point and of gradients of int8 it is not known what NVIDIA's library keeps in them."""
    if p.after & LT_OF_A and p.a.op != CUBLAS_OP_N:
        return False
    if p.after & LT_OF_B and p.b.op == CUBLAS_OP_N:
        return False
    if p.after & LT_AUX and not p.after & LT_BITS and lt_bytes(p.d.type) == 1:
        if p.d.type != CUDA_R_8I or p.after & LT_GRADIENT:
            return False
    if p.exchanged and (p.outer or p.desc.matmul_desc_pointer_mode > 1):
        return False
    return not p.exchanged or not p.after & (LT_BIAS | LT_SUMS | LT_AUX)
