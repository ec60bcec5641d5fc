# Reductions. Blocks of tables/cudnn/reduce.yaml.

include "common.pxi"
include "amd.pxi"
include "packed.pxi"


cdef public cudnnStatus_t create_reduce_tensor_descriptor(cudnnReduceTensorDescriptor_t *place) noexcept nogil:
    return dnn_new(<void **>place, DNN_REDUCE)


cdef public cudnnStatus_t destroy_reduce_tensor_descriptor(dnn_reduce *d) noexcept nogil:
    return dnn_delete(d, DNN_REDUCE)


cdef public cudnnStatus_t set_reduce_tensor_descriptor(dnn_reduce *d, cudnnReduceTensorOp_t op, cudnnDataType_t type,
        cudnnNanPropagation_t nan, cudnnReduceTensorIndices_t indices, cudnnIndicesType_t index_type) noexcept nogil:
    if <uint32_t>op > <uint32_t>CUDNN_REDUCE_TENSOR_MUL_NO_ZEROS:
        return bad(b"reduceTensorOp is no reduction")
    if dnn_type_bytes(<int>type) == 0:
        return bad(b"reduceTensorCompType is no type of this version")
    if not is_nan_rule(nan):
        return bad(b"reduceTensorNanOpt is neither PROPAGATE nor NOT_PROPAGATE")
    if <uint32_t>indices > <uint32_t>CUDNN_REDUCE_TENSOR_FLATTENED_INDICES:
        return bad(b"reduceTensorIndices is neither NO_INDICES nor FLATTENED_INDICES")
    if <uint32_t>index_type > <uint32_t>CUDNN_8BIT_INDICES:
        return bad(b"reduceTensorIndicesType is no type of indices")
    d.op = <int32_t>op
    d.type = <int32_t>type
    d.nan = <int32_t>nan
    d.indices = <int32_t>indices
    d.index_type = <int32_t>index_type
    return CUDNN_STATUS_SUCCESS


cdef public cudnnStatus_t get_reduce_tensor_descriptor(dnn_reduce *d, cudnnReduceTensorOp_t *op, cudnnDataType_t *type,
        cudnnNanPropagation_t *nan, cudnnReduceTensorIndices_t *indices, cudnnIndicesType_t *index_type) noexcept nogil:
    if op is NULL or type is NULL or nan is NULL or indices is NULL or index_type is NULL:
        return bad(b"a place for an answer is NULL")
    op[0] = <cudnnReduceTensorOp_t>d.op
    type[0] = <cudnnDataType_t>d.type
    nan[0] = <cudnnNanPropagation_t>d.nan
    indices[0] = <cudnnReduceTensorIndices_t>d.indices
    index_type[0] = <cudnnIndicesType_t>d.index_type
    return CUDNN_STATUS_SUCCESS


cdef bint gives_indices(dnn_reduce *d) noexcept nogil:
    return d.indices == CUDNN_REDUCE_TENSOR_FLATTENED_INDICES and (
        d.op == CUDNN_REDUCE_TENSOR_MIN or d.op == CUDNN_REDUCE_TENSOR_MAX or d.op == CUDNN_REDUCE_TENSOR_AMAX)


cdef public cudnnStatus_t get_reduction_indices_size(cudnnHandle_t handle, dnn_reduce *d, dnn_tensor *ad,
        dnn_tensor *cd, size_t *size) noexcept nogil:
    """Of 32 bits each. NVIDIA's library looks neither at the handle nor at A."""
    if handle is not NULL and dg_foreign(handle, DNN_HANDLE):
        return bad(b"handle is none of this library's")
    if size is NULL:
        return bad(b"sizeInBytes is NULL")
    if cd.count == 0:
        return bad(b"a descriptor has not been set")
    size[0] = <size_t>elements_of(cd) * 4 if gives_indices(d) else 0
    return CUDNN_STATUS_SUCCESS


cdef public cudnnStatus_t get_reduction_workspace_size(cudnnHandle_t handle, dnn_reduce *d, dnn_tensor *ad,
        dnn_tensor *cd, size_t *size) noexcept nogil:
    """What MIOpen wants by its own rule, which only a handle could be asked; where it is too little, the handle's
    memory serves. NVIDIA's library does not look at the handle."""
    cdef int64_t results, parts
    if handle is not NULL and dg_foreign(handle, DNN_HANDLE):
        return bad(b"handle is none of this library's")
    if size is NULL:
        return bad(b"sizeInBytes is NULL")
    if ad.count == 0 or cd.count == 0:
        return bad(b"a descriptor has not been set")
    results = elements_of(cd)
    parts = results * 64 if results < 1024 and elements_of(ad) // results > 8192 else 0
    size[0] = <size_t>parts * <size_t>dnn_type_bytes(ad.type) + 4096
    if gives_indices(d):
        size[0] += <size_t>parts * 4 + 132
    return CUDNN_STATUS_SUCCESS


cdef cudnnStatus_t without_zeros(dnn_handle *h, dnn_tensor *ad, const void *A, dnn_tensor *packed, char *a, char *mark,
        char *scalar) noexcept nogil:
    """a ← A with a 1 in place of each 0: a + (1 - min(1, |a|·∞)), with the largest factor that is no ∞ so often that
    the smallest number reaches 1."""
    cdef dnn_tensor one
    cdef double large = 65504.0 if packed.type == CUDNN_DATA_HALF else 1.7014118346046923e38
    cdef int times = 9 if packed.type == CUDNN_DATA_DOUBLE else 2
    cdef int i
    cdef uint32_t status
    dnn_one_element(packed, &one)
    status = dnn_copy(h, ad, A, packed, a)
    if status == 0:
        status = dnn_fill(h, &one, 1, scalar)
    if status == 0:
        status = dnn_op_tensor(h, miopenTensorOpMax, 1, packed, a, -1, packed, a, 0, packed, mark)
    for i in range(times):
        if status == 0:
            status = dnn_op_tensor(h, miopenTensorOpMin, large, packed, mark, 1, &one, scalar, 0, packed, mark)
    if status == 0:
        status = dnn_op_tensor(h, miopenTensorOpAdd, -1, packed, mark, 1, &one, scalar, 0, packed, mark)
    return status if status != 0 else dnn_op_tensor(h, miopenTensorOpAdd, 1, packed, a, 1, packed, mark, 0, packed, a)


cdef cudnnStatus_t reduced(dnn_handle *h, void *reduction, void *indices, size_t indices_size, void *workspace,
        size_t workspace_size, double alpha, double beta, int type, void **amd, const void *A, void *C) noexcept nogil:
    cdef double[2] factor
    cdef float[2] single
    factor[0] = alpha
    factor[1] = beta
    single[0] = <float>alpha
    single[1] = <float>beta
    return answered(dg_miopen.miopenReduceTensor(
        <miopenHandle_t>h.amd, <miopenReduceTensorDescriptor_t>reduction, indices, indices_size, workspace,
        workspace_size, <const void *>&factor[0] if type == CUDNN_DATA_DOUBLE else <const void *>&single[0],
        <miopenTensorDescriptor_t>amd[0], A,
        <const void *>&factor[1] if type == CUDNN_DATA_DOUBLE else <const void *>&single[1],
        <miopenTensorDescriptor_t>amd[1], C), b"miopenReduceTensor")


cdef public cudnnStatus_t reduce_tensor(dnn_handle *h, dnn_reduce *d, void *indices, size_t indices_size,
        void *workspace, size_t workspace_size, const void *alpha, dnn_tensor *ad, const void *A, const void *beta,
        dnn_tensor *cd, void *C) noexcept nogil:
    """MIOpen takes any α and β, but of doubles no more than a float of them."""
    cdef dnn_tensor packed
    cdef dnn_tensor *given[2]
    cdef dnn_tensor[2] merged
    cdef void *amd[2]
    cdef void *reduction
    cdef double[2] factor
    cdef bint indexed = gives_indices(d) and indices is not NULL
    cdef bint blends, no_zeros
    cdef size_t wanted = 0
    cdef size_t c_bytes, a_bytes
    cdef char *memory
    cdef void *out = C
    cdef int i
    cdef cudnnStatus_t status
    if A is NULL or C is NULL or alpha is NULL or beta is NULL:
        return bad(b"A, C, alpha or beta is NULL")
    status = tensor_checked(ad)
    if status == CUDNN_STATUS_SUCCESS:
        status = tensor_checked(cd)
    if status != CUDNN_STATUS_SUCCESS:
        return status
    if ad.type != cd.type or ad.count != cd.count:
        return bad(b"A and C differ in type or in the number of dimensions")
    for i in range(ad.count):
        if cd.dim[i] != ad.dim[i] and cd.dim[i] != 1:
            return bad(b"a dimension of C is neither A's nor 1")
    if same_sizes(ad, cd) and elements_of(ad) > 1:
        return cannot(b"no dimension is reduced")
    if not is_float_type(ad.type):
        return cannot(b"reductions of integers")
    if workspace_size == 0:
        return bad(b"the workspace is smaller than cudnnGetReductionWorkspaceSize says")
    if indexed and d.index_type != CUDNN_32BIT_INDICES:
        return cannot(b"MIOpen has indices of 32 bits alone")
    if indexed and indices_size < <size_t>elements_of(cd) * 4:
        return bad(b"the indices have less room than cudnnGetReductionIndicesSize says")
    no_zeros = d.op == CUDNN_REDUCE_TENSOR_MUL_NO_ZEROS
    factor[0] = dnn_factor(cd.type, alpha)
    factor[1] = dnn_factor(cd.type, beta)
    blends = not is_single(factor[0]) or not is_single(factor[1])
    dnn_packed(ad, ad.type, &packed)
    given[0] = &packed if no_zeros else ad
    given[1] = cd
    dnn_merge(2, given, merged)
    if merged[0].count > 6:
        return cannot(b"more than 6 dimensions that cannot be merged")
    for i in range(2):
        amd[i] = dnn_amd_shape(h, merged[i].type, merged[i].count, merged[i].dim, merged[i].stride)
        if amd[i] is NULL:
            return CUDNN_STATUS_NOT_SUPPORTED
    reduction = dnn_amd_reduce(
        h, MIOPEN_REDUCE_TENSOR_MUL if no_zeros else <int>to_dnn_reduce_op(<uint32_t>d.op),
        miopenDouble if ad.type == CUDNN_DATA_DOUBLE else miopenFloat, d.nan, indexed, 0)
    if reduction is NULL:
        return CUDNN_STATUS_NOT_SUPPORTED
    status = answered(dg_miopen.miopenGetReductionWorkspaceSize(
        <miopenHandle_t>h.amd, <miopenReduceTensorDescriptor_t>reduction, <miopenTensorDescriptor_t>amd[0],
        <miopenTensorDescriptor_t>amd[1], &wanted), b"miopenGetReductionWorkspaceSize")
    if status != CUDNN_STATUS_SUCCESS:
        return status
    if blends or no_zeros or workspace is NULL or workspace_size < wanted:
        c_bytes = rounded(dnn_bytes(cd)) if blends else 0
        a_bytes = rounded(dnn_bytes(&packed)) if no_zeros else 0
        memory = <char *>dnn_scratch(h, 256 + rounded(wanted) + c_bytes + 2 * a_bytes)
        if memory is NULL:
            return dnn_because(CUDNN_STATUS_ALLOC_FAILED, b"no memory for the operands")
        workspace = memory + 256
        workspace_size = wanted
        if blends:
            out = memory + 256 + rounded(wanted)
        if no_zeros:
            status = without_zeros(h, ad, A, &packed, memory + 256 + rounded(wanted) + c_bytes,
                                   memory + 256 + rounded(wanted) + c_bytes + a_bytes, memory)
            if status != CUDNN_STATUS_SUCCESS:
                return status
            A = memory + 256 + rounded(wanted) + c_bytes
    if blends:
        status = reduced(h, reduction, indices, indices_size, workspace, workspace_size, 1, 0, ad.type, amd, A, out)
        return status if status != CUDNN_STATUS_SUCCESS else dnn_blended(h, factor[0], out, factor[1], cd, C)
    return reduced(h, reduction, indices, indices_size, workspace, workspace_size, factor[0], factor[1], ad.type, amd,
                   A, C)
