# Products and their algorithms. Block names are those of tables/cublaslt/matmul.yaml.
#
# Three algorithms. 1: rocBLAS, for a product and nothing else; every card has it. 2: hipBLASLt, for products that
# something follows; its heuristic says whether the card has a kernel. 4: the CPU backend's own function, for what
# neither has (lt_own.h). docs/cublaslt.md says why.

include "objects.pxi"
include "problem.pxi"
include "amd.pxi"

cdef extern from "halves.h" nogil:
    float dg_from_half(uint16_t half, bint brain)


cdef inline rocblas_datatype amd_type(int32_t type) noexcept nogil:
    if type == CUDA_R_16F:
        return rocblas_datatype_f16_r
    if type == CUDA_R_16BF:
        return rocblas_datatype_bf16_r
    if type == CUDA_R_32F:
        return rocblas_datatype_f32_r
    if type == CUDA_R_64F:
        return rocblas_datatype_f64_r
    if type == CUDA_C_32F:
        return rocblas_datatype_f32_c
    if type == CUDA_C_64F:
        return rocblas_datatype_f64_c
    if type == CUDA_R_8I:
        return rocblas_datatype_i8_r
    return rocblas_datatype_i32_r


cdef inline rocblas_operation amd_op(uint32_t op) noexcept nogil:
    return <rocblas_operation>(rocblas_operation_none + op)


cdef inline bint by_rocblas(const lt_problem *p) noexcept nogil:
    return p.plain and p.by & LT_BY_ROCBLAS


cdef inline int32_t one_by_one(const lt_problem *p) noexcept nogil:
    """Members of the batch in one call of hipBLASLt's: it knows no stride between biases, so there it is one."""
    if p.batch > 1 and p.after & (LT_BIAS | LT_SUMS) and p.desc.matmul_desc_bias_batch_stride != 0:
        return 1
    return p.batch


cdef inline bint by_hipblaslt(const lt_problem *p) noexcept nogil:
    """hipBLASLt takes one number for α, from the host; its masks are no bits; what it calls the largest element is that
    of a call."""
    if p.desc.matmul_desc_amax_d_pointer is not NULL and one_by_one(p) != p.batch:
        return False
    return (p.by & LT_BY_HIPBLASLT and p.desc.matmul_desc_pointer_mode == CUBLASLT_POINTER_MODE_HOST
            and not p.after & LT_BITS)


cdef inline int way_of(dg_blas *h, const lt_problem *p) noexcept nogil:
    """Which algorithm a product is for; 0: the backend has none."""
    if by_rocblas(p):
        return LT_BY_ROCBLAS
    if by_hipblaslt(p):
        return LT_BY_HIPBLASLT if hipblaslt_of(h) is not NULL else 0
    return LT_BY_OWN if p.by & LT_BY_OWN and own_here(h) else 0


# ---- algorithms

cdef inline void name_algo(lt_algo *a, int by) noexcept nogil:
    memset(a, 0, sizeof(lt_algo))
    lt_fill(a, &lt_configs, sizeof(a.config))
    a.config.algo_config_id = by


cdef inline const lt_algo *algo_of(const cublasLtMatmulAlgo_t *algo) noexcept nogil:
    """The algorithm in the program's memory, or NULL where it is none of ours."""
    cdef const lt_algo *a = <const lt_algo *>algo
    if not lt_is(a, &lt_configs):
        return NULL
    return a if a.config.algo_config_id in (LT_BY_ROCBLAS, LT_BY_HIPBLASLT, LT_BY_OWN) else NULL


cdef inline cublasStatus_t search(
    dg_blas *h, const lt_problem *p, uint64_t workspace, int wanted, lt_found *results, int *count
) noexcept nogil:
    cdef lt_amd_found[16] found
    cdef lt_amd x
    cdef cublasStatus_t status
    cdef int i, got = 0
    cdef int by = way_of(h, p)
    count[0] = 0
    if by == 0:
        return CUBLAS_STATUS_NOT_SUPPORTED
    if by != LT_BY_HIPBLASLT:
        memset(results, 0, sizeof(results[0]))
        name_algo(&results[0].algo, by)
        results[0].waves = 1
        count[0] = 1
        return CUBLAS_STATUS_SUCCESS
    status = amd_describe(&x, p, one_by_one(p), 0)
    if status == CUBLAS_STATUS_SUCCESS:
        got = amd_ask(h, &x, workspace, wanted if wanted < 16 else 16, found)
    amd_drop(&x)
    for i in range(got):
        if found[i].state == 0 and found[i].workspace <= workspace:
            memset(&results[count[0]], 0, sizeof(results[0]))
            name_algo(&results[count[0]].algo, LT_BY_HIPBLASLT)
            memcpy(results[count[0]].algo.amd, found[i].algo, sizeof(results[0].algo.amd))
            results[count[0]].workspace = found[i].workspace
            results[count[0]].waves = found[i].waves
            count[0] += 1
    return CUBLAS_STATUS_SUCCESS if count[0] else CUBLAS_STATUS_NOT_SUPPORTED


cdef inline cublasStatus_t get_heuristic(
    dg_blas *h, cublasLtMatmulDesc_t desc, cublasLtMatrixLayout_t A, cublasLtMatrixLayout_t B, cublasLtMatrixLayout_t C,
    cublasLtMatrixLayout_t D, cublasLtMatmulPreference_t preference, int wanted,
    cublasLtMatmulHeuristicResult_t *results, int *count
) noexcept nogil:
    cdef lt_copies copies
    cdef lt_MatmulPreference whole
    cdef lt_problem p
    cdef const lt_MatmulPreference *f = <const lt_MatmulPreference *>lt_read(preference, &lt_preferences, &whole)
    cdef cublasStatus_t status
    if f is NULL or results is NULL or count is NULL or wanted < 1:
        return CUBLAS_STATUS_INVALID_VALUE
    status = pose(&p, &copies, desc, A, B, C, D)
    if status != CUBLAS_STATUS_SUCCESS:
        return status
    return search(h, &p, f.matmul_pref_max_workspace_bytes, wanted, <lt_found *>results, count)


cdef inline cublasStatus_t get_heuristic_for_stream(
    dg_blas *h, cublasLtMatmulDesc_t desc, cublasLtMatrixLayout_t A, cublasLtMatrixLayout_t B, cublasLtMatrixLayout_t C,
    cublasLtMatrixLayout_t D, cublasLtMatmulPreference_t preference, int wanted,
    cublasLtMatmulHeuristicResult_t *results, int *count, cudaStream_t stream
) noexcept nogil:
    return get_heuristic(h, desc, A, B, C, D, preference, wanted, results, count)


cdef inline cublasStatus_t check_algo(
    dg_blas *h, cublasLtMatmulDesc_t desc, cublasLtMatrixLayout_t A, cublasLtMatrixLayout_t B, cublasLtMatrixLayout_t C,
    cublasLtMatrixLayout_t D, const cublasLtMatmulAlgo_t *algo, cublasLtMatmulHeuristicResult_t *result
) noexcept nogil:
    """Whether the algorithm does this product; `result` says in how much workspace, with the same algorithm in it."""
    cdef lt_copies copies
    cdef lt_problem p
    cdef lt_algo mine
    cdef const lt_algo *a
    cdef cublasStatus_t status
    cdef int count = 0
    if result is NULL:
        return CUBLAS_STATUS_INVALID_VALUE
    a = algo_of(algo)
    if a is NULL:
        return CUBLAS_STATUS_INVALID_VALUE
    mine = a[0]
    status = pose(&p, &copies, desc, A, B, C, D)
    if status != CUBLAS_STATUS_SUCCESS:
        return status
    if mine.config.algo_config_id != way_of(h, &p):
        return CUBLAS_STATUS_NOT_SUPPORTED
    status = search(h, &p, mine.amd[2], 1, <lt_found *>result, &count)  # the workspace that it was found for
    if status == CUBLAS_STATUS_SUCCESS:
        memcpy(result, &mine, sizeof(mine))
    return status


cdef inline cublasStatus_t check_algo_for_stream(
    dg_blas *h, cublasLtMatmulDesc_t desc, cublasLtMatrixLayout_t A, cublasLtMatrixLayout_t B, cublasLtMatrixLayout_t C,
    cublasLtMatrixLayout_t D, const cublasLtMatmulAlgo_t *algo, cublasLtMatmulHeuristicResult_t *result,
    cudaStream_t stream
) noexcept nogil:
    return check_algo(h, desc, A, B, C, D, algo, result)


cdef inline cublasStatus_t get_ids(
    dg_blas *h, cublasComputeType_t compute, cudaDataType_t scale, cudaDataType_t A, cudaDataType_t B, cudaDataType_t C,
    cudaDataType_t D, int wanted, int *ids, int *count
) noexcept nogil:
    cdef const lt_types *types
    cdef int by
    cdef int found = 0
    if wanted < 1 or ids is NULL or count is NULL:
        return CUBLAS_STATUS_INVALID_VALUE
    types = lt_find_types(<int32_t>compute, <int32_t>scale, <int32_t>A, <int32_t>B, <int32_t>C, <int32_t>D)
    if types is NULL:
        return CUBLAS_STATUS_NOT_SUPPORTED
    by = LT_BY_ROCBLAS
    while by <= LT_BY_OWN:
        if types.by & by and found < wanted:
            ids[found] = by
            found += 1
        by *= 2
    count[0] = found
    return CUBLAS_STATUS_SUCCESS


cdef inline cublasStatus_t init_algo(
    dg_blas *h, cublasComputeType_t compute, cudaDataType_t scale, cudaDataType_t A, cudaDataType_t B, cudaDataType_t C,
    cudaDataType_t D, int id, cublasLtMatmulAlgo_t *algo
) noexcept nogil:
    cdef const lt_types *types
    if algo is NULL:
        return CUBLAS_STATUS_INVALID_VALUE
    types = lt_find_types(<int32_t>compute, <int32_t>scale, <int32_t>A, <int32_t>B, <int32_t>C, <int32_t>D)
    if types is NULL:
        return CUBLAS_STATUS_NOT_SUPPORTED
    if id not in (LT_BY_ROCBLAS, LT_BY_HIPBLASLT, LT_BY_OWN) or not types.by & id:
        return CUBLAS_STATUS_INVALID_VALUE
    name_algo(<lt_algo *>algo, id)
    return CUBLAS_STATUS_SUCCESS


cdef inline cublasStatus_t set_config(
    cublasLtMatmulAlgo_t *algo, cublasLtMatmulAlgoConfigAttributes_t attr, const void *buf, size_t size
) noexcept nogil:
    if algo_of(algo) is NULL or attr == CUBLASLT_ALGO_CONFIG_ID:  # the number is only read
        return CUBLAS_STATUS_INVALID_VALUE
    return <cublasStatus_t>lt_set(algo, &lt_configs, <uint32_t>attr, buf, size)


cdef inline cublasStatus_t get_config(
    const cublasLtMatmulAlgo_t *algo, cublasLtMatmulAlgoConfigAttributes_t attr, void *buf, size_t size, size_t *written
) noexcept nogil:
    if algo_of(algo) is NULL:
        return CUBLAS_STATUS_INVALID_VALUE
    return <cublasStatus_t>lt_get(algo, &lt_configs, <uint32_t>attr, buf, size, written)


cdef inline cublasStatus_t get_cap(
    const cublasLtMatmulAlgo_t *algo, cublasLtMatmulAlgoCapAttributes_t attr, void *buf, size_t size, size_t *written
) noexcept nogil:
    cdef lt_MatmulAlgoCap caps
    if algo_of(algo) is NULL:
        return CUBLAS_STATUS_INVALID_VALUE
    lt_fill(&caps, &lt_caps, 0)
    return <cublasStatus_t>lt_get(&caps, &lt_caps, <uint32_t>attr, buf, size, written)


# ---- products

cdef inline bint narrow(const lt_problem *p) noexcept nogil:
    """The 32-bit function serves."""
    return not (dg_wide(p.m) or dg_wide(p.n) or dg_wide(p.k) or dg_wide(p.a.ld) or dg_wide(p.b.ld) or dg_wide(p.c.ld)
                or dg_wide(p.d.ld))


cdef inline cublasStatus_t product(
    dg_blas *h, const lt_problem *p, const void *alpha, const void *A, const void *B, const void *beta, const void *C,
    void *D, void *stream
) noexcept nogil:
    cdef uint32_t flag = 0
    cdef rocblas_datatype compute = amd_type(p.scale)
    cdef void *blas = blas_for(h, stream, p.desc.matmul_desc_pointer_mode)
    if blas is NULL:
        return CUBLAS_STATUS_ALLOC_FAILED
    if p.a.type == CUDA_R_8I and dg_rocblas.rocblas_query_int8_layout_flag(blas, &flag) == 0 and flag != 0:
        return CUBLAS_STATUS_NOT_SUPPORTED  # rocBLAS before ROCm 6.0: some cards take int8 packed only
    if narrow(p):
        return status_of_rocblas(dg_rocblas.rocblas_gemm_strided_batched_ex(
            blas, amd_op(p.a.op), amd_op(p.b.op), <int>p.m, <int>p.n, <int>p.k, alpha, A, amd_type(p.a.type),
            <int>p.a.ld, p.a.stride, B, amd_type(p.b.type), <int>p.b.ld, p.b.stride, beta, C, amd_type(p.c.type),
            <int>p.c.ld, p.c.stride, D, amd_type(p.d.type), <int>p.d.ld, p.d.stride, p.batch, compute,
            rocblas_gemm_algo_standard, 0, 0))
    return status_of_rocblas(dg_rocblas.rocblas_gemm_strided_batched_ex_64(
        blas, amd_op(p.a.op), amd_op(p.b.op), p.m, p.n, p.k, alpha, A, amd_type(p.a.type), p.a.ld, p.a.stride, B,
        amd_type(p.b.type), p.b.ld, p.b.stride, beta, C, amd_type(p.c.type), p.c.ld, p.c.stride, D, amd_type(p.d.type),
        p.d.ld, p.d.stride, p.batch, compute, rocblas_gemm_algo_standard, 0, 0))


cdef inline const void *moved(const void *place, const lt_operand *o, int64_t member) noexcept nogil:
    return <const char *>place + member * o.stride * lt_bytes(o.type)


cdef inline cublasStatus_t followed(
    dg_blas *h, const lt_problem *p, const lt_algo *algo, const void *alpha, const void *A, const void *B,
    const void *beta, const void *C, void *D, void *workspace, size_t size, void *stream
) noexcept nogil:
    """By hipBLASLt. Without an algorithm of the program's, its first that fits the workspace."""
    cdef lt_amd_found found
    cdef uint64_t[3] chosen
    cdef lt_amd x
    cdef float[2] wide
    cdef int32_t batch = one_by_one(p)
    cdef int64_t member = 0
    cdef cublasStatus_t status = CUBLAS_STATUS_SUCCESS
    if p.scale == CUDA_R_16F:  # computed with 32 bits, whose factors have them too
        wide[0] = dg_from_half((<const uint16_t *>alpha)[0], False)
        wide[1] = dg_from_half((<const uint16_t *>beta)[0], False)
        alpha = &wide[0]
        beta = &wide[1]
    while status == CUBLAS_STATUS_SUCCESS and member < p.batch:
        status = amd_describe(&x, p, batch, member)
        if status == CUBLAS_STATUS_SUCCESS:
            if algo is not NULL and (algo.amd[0] | algo.amd[1]):
                memcpy(chosen, algo.amd, sizeof(chosen))
            elif amd_ask(h, &x, size, 1, &found) > 0:
                memcpy(chosen, found.algo, sizeof(chosen))
            else:
                status = CUBLAS_STATUS_NOT_SUPPORTED
        if status == CUBLAS_STATUS_SUCCESS:
            status = status_of_hipblaslt(dg_hipblaslt.hipblasLtMatmul(
                hipblaslt_of(h), x.desc, alpha, moved(A, &p.a, member), x.layouts[0], moved(B, &p.b, member),
                x.layouts[1], beta, moved(C, &p.c, member), x.layouts[2], <void *>moved(D, &p.d, member), x.layouts[3],
                <const hipblasLtMatmulAlgo_t *>chosen,
                workspace, size, <hipStream_t>to_stream(stream)))
        amd_drop(&x)
        member += batch
    return status


cdef inline void own_operand(lt_own_operand *to, const lt_operand *o) noexcept nogil:
    to.type = o.type
    to.op = <int32_t>o.op
    to.ld = o.ld
    to.stride = o.stride


cdef inline cublasStatus_t owned(
    const lt_problem *p, const void *alpha, const void *A, const void *B, const void *beta, const void *C, void *D,
    void *stream
) noexcept nogil:
    """By the CPU backend's own function: memory of its device is the processor's, so factors are read
    where they are."""
    cdef lt_own_product own
    cdef const lt_MatmulDesc *d = p.desc
    cdef float[2] wide
    memset(&own, 0, sizeof(own))
    if d.matmul_desc_pointer_mode == CUBLASLT_POINTER_MODE_DEVICE:
        own.factors = LT_ON_NEITHER if p.scale == CUDA_R_16F else LT_ON_DEVICE
    if p.scale == CUDA_R_16F:
        wide[0] = dg_from_half((<const uint16_t *>alpha)[0], False)
        wide[1] = dg_from_half((<const uint16_t *>beta)[0], False)
        alpha = &wide[0]
        beta = &wide[1]
    own_operand(&own.a, &p.a)
    own_operand(&own.b, &p.b)
    own_operand(&own.c, &p.c)
    own_operand(&own.d, &p.d)
    own.m = p.m
    own.n = p.n
    own.k = p.k
    own.batch = p.batch
    own.factor = CUDA_R_64F if p.scale == CUDA_R_64F else CUDA_R_32F
    own.alpha_vector = d.matmul_desc_pointer_mode == CUBLASLT_POINTER_MODE_ALPHA_DEVICE_VECTOR_BETA_HOST
    own.after = p.after
    own.bias = d.matmul_desc_bias_pointer
    own.bias_type = p.bias_type
    own.bias_stride = d.matmul_desc_bias_batch_stride
    own.aux = d.matmul_desc_epilogue_aux_pointer
    own.aux_type = p.d.type
    own.aux_ld = d.matmul_desc_epilogue_aux_ld
    own.aux_stride = d.matmul_desc_epilogue_aux_batch_stride
    own.outer = p.outer
    own.scale_a = <const float *>a_scale(p)
    own.scale_b = <const float *>b_scale(p)
    own.scale_d = <const float *>d.matmul_desc_d_scale_pointer
    own.amax = <float *>d.matmul_desc_amax_d_pointer
    return status_of_hipblaslt(dg_hipblaslt.hipblasLtDragomanProduct(
        &own, alpha, A, B, beta, C, D, <hipStream_t>to_stream(stream)))


cdef inline bint without_c(const lt_problem *p, const void *beta) noexcept nogil:
    """A factor of 0 that lies on the host."""
    cdef int32_t mode = p.desc.matmul_desc_pointer_mode
    return (mode == CUBLASLT_POINTER_MODE_HOST
            or mode == CUBLASLT_POINTER_MODE_ALPHA_DEVICE_VECTOR_BETA_HOST) and lt_is_zero(
        p.scale, beta)  # the mode first: memory of the device's is not read


cdef inline cublasStatus_t matmul(
    dg_blas *h, cublasLtMatmulDesc_t desc, const void *alpha, const void *A, cublasLtMatrixLayout_t Adesc,
    const void *B, cublasLtMatrixLayout_t Bdesc, const void *beta, const void *C, cublasLtMatrixLayout_t Cdesc, void *D,
    cublasLtMatrixLayout_t Ddesc, const cublasLtMatmulAlgo_t *algo, void *workspace, size_t size, cudaStream_t stream
) noexcept nogil:
    cdef lt_copies copies
    cdef lt_problem p
    cdef const lt_algo *chosen = NULL
    cdef const void *swap
    cdef cublasStatus_t status
    cdef int by
    if alpha is NULL or beta is NULL or A is NULL or B is NULL or D is NULL:
        return CUBLAS_STATUS_INVALID_VALUE
    if algo is not NULL:
        chosen = algo_of(algo)
        if chosen is NULL:
            return CUBLAS_STATUS_NOT_SUPPORTED
    if size and (workspace is NULL or <uintptr_t>workspace % 16):
        return CUBLAS_STATUS_INVALID_VALUE
    status = pose(&p, &copies, desc, Adesc, Bdesc, Cdesc, Ddesc)
    if status != CUBLAS_STATUS_SUCCESS:
        return status
    if C is NULL and not without_c(&p, beta):
        return CUBLAS_STATUS_INVALID_VALUE
    if C == D and (p.c.ld != p.d.ld or p.c.type != p.d.type):
        return CUBLAS_STATUS_INVALID_VALUE
    if p.desc.matmul_desc_c_scale_pointer is not NULL and not without_c(&p, beta):
        return CUBLAS_STATUS_NOT_SUPPORTED  # C has never 8 bits here, and what a scale does to others is not known
    if p.after & (LT_BIAS | LT_SUMS) and p.desc.matmul_desc_bias_pointer is NULL:
        return CUBLAS_STATUS_INVALID_VALUE
    if p.after & LT_AUX and p.desc.matmul_desc_epilogue_aux_pointer is NULL:
        # as NVIDIA's library
        return CUBLAS_STATUS_INVALID_VALUE if p.after & LT_GRADIENT else CUBLAS_STATUS_NOT_SUPPORTED
    if C is NULL:
        C = D
        p.c.ld = p.d.ld
        p.c.stride = p.d.stride
    if p.exchanged:
        swap = A
        A = B
        B = swap
    by = way_of(h, &p)
    if by == 0 or (chosen is not NULL and chosen.config.algo_config_id != by):
        return CUBLAS_STATUS_NOT_SUPPORTED
    if p.m == 0 or p.n == 0:
        return CUBLAS_STATUS_SUCCESS
    if by == LT_BY_ROCBLAS:
        return product(h, &p, alpha, A, B, beta, C, D, stream)
    if by == LT_BY_OWN:
        return owned(&p, alpha, A, B, beta, C, D, stream)
    return followed(h, &p, chosen, alpha, A, B, beta, C, D, workspace, size, stream)


# ---- changes of type and order

cdef inline bint fits(const lt_MatrixLayout *l, uint32_t op, const lt_MatrixLayout *to) noexcept nogil:
    """An operand whose shape is the result's, as its operation says. One matrix serves a whole batch."""
    cdef uint64_t rows = l.matrix_layout_cols if op else l.matrix_layout_rows
    cdef uint64_t cols = l.matrix_layout_rows if op else l.matrix_layout_cols
    return (op <= CUBLAS_OP_C and rows == to.matrix_layout_rows and cols == to.matrix_layout_cols
            and (l.matrix_layout_batch_count == to.matrix_layout_batch_count or l.matrix_layout_batch_count == 1))


cdef inline bint held(const lt_MatrixLayout *l) noexcept nogil:
    return lt_holds(<int32_t>l.matrix_layout_order, l.matrix_layout_rows, l.matrix_layout_cols, l.matrix_layout_ld)


cdef inline uint32_t amd_matrix(hipblasLtMatrixLayout_t *made, const lt_MatrixLayout *l, int32_t batch) noexcept nogil:
    """A layout with its order; batches too."""
    cdef int32_t order = <int32_t>to_lt_order(<uint32_t>l.matrix_layout_order)
    cdef uint32_t status = dg_hipblaslt.hipblasLtMatrixLayoutCreate(
        made, <hipDataType>l.matrix_layout_type, l.matrix_layout_rows, l.matrix_layout_cols, l.matrix_layout_ld)
    if status != 0:
        return status
    status = dg_hipblaslt.hipblasLtMatrixLayoutSetAttribute(made[0], HIPBLASLT_MATRIX_LAYOUT_ORDER, &order,
                                                            sizeof(order))
    status |= dg_hipblaslt.hipblasLtMatrixLayoutSetAttribute(
        made[0], HIPBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &batch, sizeof(int32_t))
    return status | dg_hipblaslt.hipblasLtMatrixLayoutSetAttribute(
        made[0], HIPBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &l.matrix_layout_strided_batch_offset, sizeof(int64_t))


cdef inline bint amd_shapes(const lt_MatrixLayout *l, int32_t scale) noexcept nogil:
    """A matrix that hipBLASLt's kernels take: real, by columns or rows, sizes of 32 bits."""
    return (lt_converts_amd(scale, <int32_t>l.matrix_layout_type)
            and <uint32_t>l.matrix_layout_order <= CUBLASLT_ORDER_ROW
            and not (l.matrix_layout_rows | l.matrix_layout_cols | <uint64_t>l.matrix_layout_ld) >> 31)


cdef inline int64_t stride_of(const lt_MatrixLayout *l) noexcept nogil:
    return l.matrix_layout_strided_batch_offset if l.matrix_layout_batch_count > 1 else 0


cdef inline int64_t member_of(const lt_MatrixLayout *l, int32_t member) noexcept nogil:
    """Bytes from the first matrix of a batch to another."""
    return member * stride_of(l) * lt_bytes(<int32_t>l.matrix_layout_type)


cdef inline cublasStatus_t transformed_by_amd(
    dg_blas *h, const lt_MatrixTransformDesc *d, uint32_t opa, uint32_t opb, const void *alpha, const char *A,
    const lt_MatrixLayout *a, const void *beta, const char *B, const lt_MatrixLayout *b, char *C,
    const lt_MatrixLayout *c, void *stream
) noexcept nogil:
    """One call a member of the batch: hipBLASLt knows one stride for all three matrices. Without B it gets no layout of
    it, and reads nothing."""
    cdef hipblasLtMatrixTransformDesc_t made = NULL
    cdef lt_amd x
    cdef int32_t value, i
    cdef uint32_t status
    cdef const char *second = NULL
    memset(&x, 0, sizeof(x))
    status = dg_hipblaslt.hipblasLtMatrixTransformDescCreate(&made, <hipDataType>d.matrix_transform_desc_scale_type)
    if status == 0:
        value = <int32_t>to_lt_pointer_mode(<uint32_t>d.matrix_transform_desc_pointer_mode)
        status |= dg_hipblaslt.hipblasLtMatrixTransformDescSetAttribute(
            made, HIPBLASLT_MATRIX_TRANSFORM_DESC_POINTER_MODE, &value, sizeof(value))
        value = HIPBLAS_OP_T if opa else HIPBLAS_OP_N  # no other transposes there
        status |= dg_hipblaslt.hipblasLtMatrixTransformDescSetAttribute(
            made, HIPBLASLT_MATRIX_TRANSFORM_DESC_TRANSA, &value, sizeof(value))
        value = HIPBLAS_OP_T if B is not NULL and opb else HIPBLAS_OP_N
        status |= dg_hipblaslt.hipblasLtMatrixTransformDescSetAttribute(
            made, HIPBLASLT_MATRIX_TRANSFORM_DESC_TRANSB, &value, sizeof(value))
        status |= amd_matrix(&x.layouts[0], a, 1)
        if B is not NULL:
            status |= amd_matrix(&x.layouts[1], b, 1)
        status |= amd_matrix(&x.layouts[2], c, 1)
        for i in range(c.matrix_layout_batch_count):
            if status == 0:
                if B is not NULL:
                    second = B + member_of(b, i)
                status = dg_hipblaslt.hipblasLtMatrixTransform(
                    hipblaslt_of(h), made, alpha, A + member_of(a, i), x.layouts[0], beta,
                    second, x.layouts[1], C + member_of(c, i), x.layouts[2],
                    <hipStream_t>to_stream(stream))
        dg_hipblaslt.hipblasLtMatrixTransformDescDestroy(made)
    amd_drop(&x)
    return status_of_hipblaslt(status)


cdef inline void own_matrix(lt_own_matrix *to, const lt_MatrixLayout *l, uint32_t op) noexcept nogil:
    to.type = <int32_t>l.matrix_layout_type
    to.order = l.matrix_layout_order
    to.op = <int32_t>op
    to.there = 1
    to.ld = l.matrix_layout_ld
    to.stride = stride_of(l)


cdef inline cublasStatus_t matrix_transform(
    dg_blas *h, cublasLtMatrixTransformDesc_t desc, const void *alpha, const void *A, cublasLtMatrixLayout_t Adesc,
    const void *beta, const void *B, cublasLtMatrixLayout_t Bdesc, void *C, cublasLtMatrixLayout_t Cdesc,
    cudaStream_t stream
) noexcept nogil:
    """C ← α·op(A) + β·op(B). Without B (NULL, no descriptor) β does not count. What hipBLASLt has no kernel for (other
    orders, several types) is the CPU backend's own."""
    cdef lt_MatrixTransformDesc whole
    cdef lt_MatrixLayout[3] copies
    cdef lt_own_transform own
    cdef int32_t scale
    cdef bint amd
    cdef const lt_MatrixTransformDesc *d = <const lt_MatrixTransformDesc *>lt_read(desc, &lt_transforms, &whole)
    cdef const lt_MatrixLayout *a = <const lt_MatrixLayout *>lt_read(Adesc, &lt_layouts, &copies[0])
    cdef const lt_MatrixLayout *b = NULL
    cdef const lt_MatrixLayout *c = <const lt_MatrixLayout *>lt_read(Cdesc, &lt_layouts, &copies[2])
    cdef uint32_t opa, opb
    if d is NULL or c is NULL or C is NULL or alpha is NULL:
        return CUBLAS_STATUS_INVALID_VALUE
    if Bdesc is not NULL:
        b = <const lt_MatrixLayout *>lt_read(Bdesc, &lt_layouts, &copies[1])
        if b is NULL:
            return CUBLAS_STATUS_INVALID_VALUE
    if B is not NULL and (b is NULL or beta is NULL):
        return CUBLAS_STATUS_INVALID_VALUE
    scale = d.matrix_transform_desc_scale_type
    opa = <uint32_t>d.matrix_transform_desc_transa
    opb = <uint32_t>d.matrix_transform_desc_transb
    if A is NULL:  # B stands alone, in the first place
        if B is NULL:
            return CUBLAS_STATUS_INVALID_VALUE
        A, alpha, a, opa = B, beta, b, opb
        B = NULL
    if a is NULL:
        return CUBLAS_STATUS_INVALID_VALUE
    if <uint32_t>a.matrix_layout_order >= LT_ORDERS or <uint32_t>c.matrix_layout_order >= LT_ORDERS:
        return CUBLAS_STATUS_NOT_SUPPORTED
    if B is not NULL and <uint32_t>b.matrix_layout_order >= LT_ORDERS:
        return CUBLAS_STATUS_NOT_SUPPORTED
    if not fits(a, opa, c) or not held(a) or not held(c):
        return CUBLAS_STATUS_INVALID_VALUE
    if B is not NULL and (not fits(b, opb, c) or not held(b)):
        return CUBLAS_STATUS_INVALID_VALUE
    if not lt_converts(scale, <int32_t>a.matrix_layout_type) or not lt_converts(scale, <int32_t>c.matrix_layout_type):
        return CUBLAS_STATUS_NOT_SUPPORTED
    if B is not NULL and not lt_converts(scale, <int32_t>b.matrix_layout_type):
        return CUBLAS_STATUS_NOT_SUPPORTED
    if <uint32_t>d.matrix_transform_desc_pointer_mode > 1 or hipblaslt_of(h) is NULL:
        return CUBLAS_STATUS_NOT_SUPPORTED
    if c.matrix_layout_rows == 0 or c.matrix_layout_cols == 0:
        return CUBLAS_STATUS_SUCCESS
    amd = amd_shapes(a, scale) and amd_shapes(c, scale) and a.matrix_layout_type == c.matrix_layout_type
    if B is not NULL:
        amd = amd and amd_shapes(b, scale) and b.matrix_layout_type == c.matrix_layout_type
    if amd:
        return transformed_by_amd(h, d, opa, opb, alpha, <const char *>A, a, beta, <const char *>B, b, <char *>C, c,
                                  stream)
    memset(&own, 0, sizeof(own))
    own_matrix(&own.a, a, opa)
    if B is not NULL:
        own_matrix(&own.b, b, opb)
    own_matrix(&own.c, c, 0)
    own.rows = <int64_t>c.matrix_layout_rows
    own.cols = <int64_t>c.matrix_layout_cols
    own.batch = c.matrix_layout_batch_count
    own.factor = scale
    own.factors = LT_ON_HOST if d.matrix_transform_desc_pointer_mode == CUBLASLT_POINTER_MODE_HOST else LT_ON_DEVICE
    return status_of_hipblaslt(dg_hipblaslt.hipblasLtDragomanTransform(
        &own, alpha, A, beta, B, C, <hipStream_t>to_stream(stream)))
