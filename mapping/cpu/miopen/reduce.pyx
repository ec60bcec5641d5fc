# cython: language_level=3, cdivision=True, boundscheck=False, wraparound=False
"""Reductions of the CPU backend's MIOpen, with indices of the least, largest and absolutely largest element.

A dimension of length 1 in the result is summed over. Indices count within the reduced dimensions, in the input's order,
and are of 32 bits: MIOpen has no others. Factors are doubles where the input is, else floats.
"""
include "miopen.pxi"
include "shared.pxi"
include "elements.pxi"

from libc.math cimport fabs, sqrt
from libc.stdlib cimport free

cdef enum:
    MOST_DIMS = 6
    PAGE = 4096  # that MIOpen keeps its descriptors in

cdef struct Reduction:
    int op
    bint nan          # a NaN among the elements is the result
    int a_type
    int c_type
    double alpha
    double beta
    int kept          # dimensions that stay, and those that are summed over
    int gone
    int64_t count     # of the elements that make one result
    int64_t kept_lens[8]
    int64_t kept_a[8]
    int64_t kept_c[8]
    int64_t gone_lens[8]
    int64_t gone_a[8]
    const void *a
    void *c
    int32_t *indices  # packed, or NULL


# ---- descriptors ----

cdef public miopenStatus_t miopenCreateReduceTensorDescriptor(
    miopenReduceTensorDescriptor_t *reduceTensorDesc
) noexcept nogil:
    if reduceTensorDesc == NULL:
        return miopenStatusBadParm
    reduceTensorDesc[0] = <mi_reduce *>mi_new(MI_REDUCE, sizeof(mi_reduce))
    return miopenStatusSuccess if reduceTensorDesc[0] != NULL else miopenStatusAllocFailed


cdef public miopenStatus_t miopenDestroyReduceTensorDescriptor(
    miopenReduceTensorDescriptor_t reduceTensorDesc
) noexcept nogil:
    if reduceTensorDesc == NULL or reduceTensorDesc.kind != MI_REDUCE:
        return miopenStatusBadParm
    reduceTensorDesc.kind = 0
    free(reduceTensorDesc)
    return miopenStatusSuccess


cdef public miopenStatus_t miopenSetReduceTensorDescriptor(
    miopenReduceTensorDescriptor_t reduceTensorDesc, int reduceTensorOp, int reduceTensorCompType,
    int reduceTensorNanOpt, int reduceTensorIndices, int reduceTensorIndicesType
) noexcept nogil:
    """Any number passes for an operation."""
    if reduceTensorDesc == NULL or reduceTensorDesc.kind != MI_REDUCE:
        return miopenStatusBadParm
    if reduceTensorIndices == 1 and reduceTensorIndicesType != 0:
        return miopenStatusUnknownError
    reduceTensorDesc.op = reduceTensorOp
    reduceTensorDesc.comp_type = reduceTensorCompType
    reduceTensorDesc.nan = reduceTensorNanOpt
    reduceTensorDesc.indices = reduceTensorIndices
    reduceTensorDesc.indices_type = reduceTensorIndicesType
    return miopenStatusSuccess


cdef public miopenStatus_t miopenGetReduceTensorDescriptor(
    miopenReduceTensorDescriptor_t reduceTensorDesc, int *reduceTensorOp, int *reduceTensorCompType,
    int *reduceTensorNanOpt, int *reduceTensorIndices, int *reduceTensorIndicesType
) noexcept nogil:
    if reduceTensorDesc == NULL or reduceTensorDesc.kind != MI_REDUCE:
        return miopenStatusBadParm
    if reduceTensorOp == NULL or reduceTensorCompType == NULL or reduceTensorNanOpt == NULL:
        return miopenStatusBadParm
    if reduceTensorIndices == NULL or reduceTensorIndicesType == NULL:
        return miopenStatusBadParm
    reduceTensorOp[0] = reduceTensorDesc.op
    reduceTensorCompType[0] = reduceTensorDesc.comp_type
    reduceTensorNanOpt[0] = reduceTensorDesc.nan
    reduceTensorIndices[0] = reduceTensorDesc.indices
    reduceTensorIndicesType[0] = reduceTensorDesc.indices_type
    return miopenStatusSuccess


# ---- sizes ----

cdef miopenStatus_t check(const mi_reduce *desc, const mi_tensor *a, const mi_tensor *c) noexcept nogil:
    cdef int i
    if desc == NULL or desc.kind != MI_REDUCE or not is_tensor(a) or not is_tensor(c):
        return miopenStatusBadParm
    if a.dims != c.dims:
        return miopenStatusUnknownError
    for i in range(a.dims):
        if c.lens[i] != 1 and c.lens[i] != a.lens[i]:
            return miopenStatusUnknownError
    return miopenStatusSuccess


cdef inline bint has_indices(const mi_reduce *desc) noexcept nogil:
    return desc.indices == 1 and (
        desc.op == MIOPEN_REDUCE_TENSOR_MIN or desc.op == MIOPEN_REDUCE_TENSOR_MAX
        or desc.op == MIOPEN_REDUCE_TENSOR_AMAX
    )


cdef size_t workspace_size(const mi_reduce *desc, const mi_tensor *a, const mi_tensor *c) noexcept nogil:
    """MIOpen's order of size: a page, and long sums over few results are made in parts."""
    cdef int64_t results = mi_elements(c), parts = 0, size
    if results < 1024 and mi_elements(a) / results > 8192:
        parts = results * 64
    size = parts * mi_type_size(a.type)
    if has_indices(desc):
        size += parts * 4 + 64 + 4 + 64
    return <size_t>(size + PAGE)


cdef public miopenStatus_t miopenGetReductionWorkspaceSize(
    miopenHandle_t handle, miopenReduceTensorDescriptor_t reduceTensorDesc, miopenTensorDescriptor_t aDesc,
    miopenTensorDescriptor_t cDesc, size_t *sizeInBytes
) noexcept nogil:
    cdef miopenStatus_t status = check(reduceTensorDesc, aDesc, cDesc)
    if not is_handle(handle) or sizeInBytes == NULL:
        return miopenStatusBadParm
    if status == miopenStatusSuccess:
        sizeInBytes[0] = workspace_size(reduceTensorDesc, aDesc, cDesc)
    return status


cdef public miopenStatus_t miopenGetReductionIndicesSize(
    miopenHandle_t handle, miopenReduceTensorDescriptor_t reduceTensorDesc, miopenTensorDescriptor_t aDesc,
    miopenTensorDescriptor_t cDesc, size_t *sizeInBytes
) noexcept nogil:
    cdef miopenStatus_t status = check(reduceTensorDesc, aDesc, cDesc)
    if not is_handle(handle) or sizeInBytes == NULL:
        return miopenStatusBadParm
    if status == miopenStatusSuccess:
        sizeInBytes[0] = <size_t>mi_elements(cDesc) * 4 if has_indices(reduceTensorDesc) else 0
    return status


# ---- the work ----

cdef inline int64_t place(int dims, const int64_t *lens, const int64_t *strides, int64_t i) noexcept nogil:
    cdef int64_t at = 0
    cdef int d = dims - 1
    while d >= 0:
        at += i % lens[d] * strides[d]
        i = i / lens[d]
        d -= 1
    return at


cdef inline bint replaces(int op, double value, double best) noexcept nogil:
    if op == MIOPEN_REDUCE_TENSOR_MIN:
        return value < best
    return value > best


cdef double one(const Reduction *t, int64_t start, int64_t *index, number *like) noexcept nogil:
    """The result over the elements from `start` on."""
    cdef const number *a = <const number *>t.a + start
    cdef int64_t i, inner = t.gone_lens[t.gone - 1], step = t.gone_a[t.gone - 1], row = 0, k = 0
    cdef double value, total = 0, largest = 3.4028234663852886e38
    cdef bint first = True, extreme
    index[0] = 0
    extreme = t.op == MIOPEN_REDUCE_TENSOR_MIN or t.op == MIOPEN_REDUCE_TENSOR_MAX or t.op == MIOPEN_REDUCE_TENSOR_AMAX
    if t.op == MIOPEN_REDUCE_TENSOR_MUL:
        total = 1
    while k < t.count:
        row = place(t.gone - 1, t.gone_lens, t.gone_a, k / inner)
        for i in range(inner):
            value = load(a[row + i * step])
            if t.op == MIOPEN_REDUCE_TENSOR_AMAX or t.op == MIOPEN_REDUCE_TENSOR_NORM1:
                value = fabs(value)
            if extreme:
                if value != value:
                    if t.nan:
                        index[0] = k + i
                        return value
                elif first or replaces(t.op, value, total):
                    total = value
                    index[0] = k + i
                    first = False
            elif t.op == MIOPEN_REDUCE_TENSOR_MUL:
                total *= value
            elif t.op == MIOPEN_REDUCE_TENSOR_NORM2:
                total += value * value
            else:
                total += value
        k += inner
    if extreme and first:  # nothing but NaN: what the search began with
        if number is mi_half:
            largest = 65504
        elif number is double:
            largest = 1.7976931348623157e308
        if t.op == MIOPEN_REDUCE_TENSOR_AMAX:
            return 0
        return largest if t.op == MIOPEN_REDUCE_TENSOR_MIN else -largest
    if t.op == MIOPEN_REDUCE_TENSOR_AVG:
        return total / t.count
    return sqrt(total) if t.op == MIOPEN_REDUCE_TENSOR_NORM2 else total


cdef void part(const Reduction *t, int64_t begin, int64_t end, number *like) noexcept nogil:
    cdef int64_t i, at, index
    cdef double value
    for i in range(begin, end):
        value = t.alpha * one(t, place(t.kept, t.kept_lens, t.kept_a, i), &index, like)
        at = place(t.kept, t.kept_lens, t.kept_c, i)
        if t.beta != 0:
            value += t.beta * load_any(t.c_type, t.c, at)
        store_any(t.c_type, t.c, at, value)
        if t.indices != NULL:
            t.indices[i] = <int32_t>index


cdef void job(void *context, int64_t begin, int64_t end) noexcept nogil:
    cdef const Reduction *t = <const Reduction *>context
    if t.a_type == miopenFloat:
        part(t, begin, end, <float *>NULL)
    elif t.a_type == miopenDouble:
        part(t, begin, end, <double *>NULL)
    elif t.a_type == miopenHalf:
        part(t, begin, end, <mi_half *>NULL)
    elif t.a_type == miopenBFloat16:
        part(t, begin, end, <mi_bfloat16 *>NULL)
    elif t.a_type == miopenInt8:
        part(t, begin, end, <int8_t *>NULL)
    else:
        part(t, begin, end, <int32_t *>NULL)


cdef void split(Reduction *t, const mi_tensor *a, const mi_tensor *c) noexcept nogil:
    """The dimensions that stay and those that go; a length of 1 goes."""
    cdef int i
    t.kept = t.gone = 0
    t.count = 1
    for i in range(a.dims):
        if c.lens[i] == 1:
            t.gone_lens[t.gone] = a.lens[i]
            t.gone_a[t.gone] = a.strides[i]
            t.gone += 1
            t.count *= a.lens[i]
        else:
            t.kept_lens[t.kept] = a.lens[i]
            t.kept_a[t.kept] = a.strides[i]
            t.kept_c[t.kept] = c.strides[i]
            t.kept += 1


cdef public miopenStatus_t miopenReduceTensor(
    miopenHandle_t handle, miopenReduceTensorDescriptor_t reduceTensorDesc, void *indices, size_t indicesSizeInBytes,
    void *workspace, size_t workspaceSizeInBytes, const void *alpha, miopenTensorDescriptor_t aDesc, const void *A,
    const void *beta, miopenTensorDescriptor_t cDesc, void *C
) noexcept nogil:
    cdef Reduction t
    cdef miopenStatus_t status = check(reduceTensorDesc, aDesc, cDesc)
    cdef bint indexed
    if not is_handle(handle) or status == miopenStatusBadParm:
        return miopenStatusBadParm
    if status != miopenStatusSuccess or aDesc.dims > MOST_DIMS:
        return miopenStatusUnknownError
    indexed = has_indices(reduceTensorDesc)
    if workspace_size(reduceTensorDesc, aDesc, cDesc) > workspaceSizeInBytes:
        return miopenStatusUnknownError
    if indexed and <size_t>mi_elements(cDesc) * 4 > indicesSizeInBytes:
        return miopenStatusUnknownError
    if reduceTensorDesc.op < 0 or reduceTensorDesc.op > MIOPEN_REDUCE_TENSOR_NORM2:
        return miopenStatusUnknownError
    if not is_number(aDesc.type) or not is_number(cDesc.type):
        return miopenStatusUnknownError
    split(&t, aDesc, cDesc)
    if t.gone == 0:
        return miopenStatusUnknownError
    if A == NULL or C == NULL or alpha == NULL or beta == NULL or workspace == NULL or (indexed and indices == NULL):
        return miopenStatusBadParm
    t.op = reduceTensorDesc.op
    t.nan = reduceTensorDesc.nan == 1
    t.a_type, t.c_type = aDesc.type, cDesc.type
    if aDesc.type == miopenDouble:  # and yet no more than a float of them
        t.alpha = <float>(<const double *>alpha)[0]
        t.beta = <float>(<const double *>beta)[0]
    else:
        t.alpha = (<const float *>alpha)[0]
        t.beta = (<const float *>beta)[0]
    t.a, t.c = A, C
    t.indices = <int32_t *>indices if indexed else NULL
    return mi_work(handle, mi_elements(cDesc), 1 + 8192 / t.count, job, &t, sizeof(t))
