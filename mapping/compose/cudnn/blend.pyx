"""y ← α·r + β·y with any α and β, of what MIOpen computes with 1 and 0 alone.

Where β is 0 the result goes to y itself, else to the handle's memory and from there into y. OpTensor takes its factors
as float whatever the tensors hold; a factor of doubles that is no float goes through ScaleTensor, which takes doubles.
"""

include "generated.pxi"
include "cudnn_abi.pxi"
include "cudnn_backend.pxi"
include "cudnn_translate.pxi"
include "slots.pxi"
include "say.pxi"
include "words.pxi"
include "shapes.pxi"
include "memory.pxi"
include "cached.pxi"

cdef extern from "support.h" nogil:
    bint dnn_recall(dnn_handle *h, uint32_t use, const dnn_tensor *a, const dnn_tensor *b,
        const dnn_tensor *c, void **amd)
    void dnn_remember(dnn_handle *h, uint32_t use, const dnn_tensor *a, const dnn_tensor *b,
        const dnn_tensor *c, void **amd)

cdef enum:
    AMD_DIMS = 5  # of MIOpen's tensor operations


cdef public double dnn_factor(int type, const void *factor) noexcept nogil:
    """alpha or beta of a call whose output has this type: double for doubles, float for all else."""
    return (<const double *>factor)[0] if type == CUDNN_DATA_DOUBLE else <double>(<const float *>factor)[0]


cdef public size_t dnn_bytes(const dnn_tensor *d) noexcept nogil:
    """From the first element to the last."""
    cdef size_t last = 0
    cdef int i
    for i in range(d.count):
        last += <size_t>(d.dim[i] - 1) * <size_t>d.stride[i]
    return (last + 1) * <size_t>dnn_type_bytes(d.type)


cdef public void dnn_merge(int count, dnn_tensor **given, dnn_tensor *merged) noexcept nogil:
    """The same elements with fewer dimensions: neighbours that all tensors store one behind the other, and none that is
    1 in all of them. Of the tensors the first has the full sizes; where another's is 1, it is broadcast."""
    cdef int i, t, into
    cdef int n = given[0].count
    cdef bint fits
    for t in range(count):
        merged[t].type = given[t].type
        merged[t].format = given[t].format
        merged[t].count = 0
        merged[t].amd = NULL
    for i in range(n):
        if given[0].dim[i] == 1:
            continue
        into = merged[0].count - 1
        fits = into >= 0
        for t in range(count):
            if not fits:
                break
            if given[t].dim[i] == 1 or merged[t].dim[into] == 1:  # a broadcast dimension joins another of the kind
                fits = given[t].dim[i] == merged[t].dim[into]
            elif merged[t].stride[into] != given[t].stride[i] * given[t].dim[i]:
                fits = False
        for t in range(count):
            if fits:
                merged[t].dim[into] *= given[t].dim[i]
                merged[t].stride[into] = given[t].stride[i]
            else:
                merged[t].dim[into + 1] = given[t].dim[i]
                merged[t].stride[into + 1] = given[t].stride[i]
                merged[t].count = into + 2
    for t in range(count):
        if merged[t].count == 0:
            merged[t].count = 1
            merged[t].dim[0] = 1
            merged[t].stride[0] = 1


cdef public uint32_t dnn_amd_merged(dnn_handle *h, int count, dnn_tensor **given, int more, void **amd) noexcept nogil:
    """MIOpen's descriptors of up to three tensors, merged so far that its tensor operations take them; `more`
    dimensions of 1 are put behind."""
    cdef dnn_tensor[3] merged
    cdef int t, i
    dnn_merge(count, given, merged)
    if merged[0].count > AMD_DIMS:
        return dnn_because(CUDNN_STATUS_NOT_SUPPORTED, b"more than 5 dimensions that cannot be merged")
    for t in range(count):
        for i in range(merged[t].count, merged[t].count + more):
            merged[t].dim[i] = 1
            merged[t].stride[i] = 1
        amd[t] = dnn_amd_shape(h, merged[t].type, merged[t].count + more, merged[t].dim, merged[t].stride)
        if amd[t] is NULL:
            return CUDNN_STATUS_NOT_SUPPORTED
    return 0


cdef uint32_t plain_op(dnn_handle *h, int op, double a, dnn_tensor *ad, const void *A, double b, dnn_tensor *bd,
        const void *B, double beta, dnn_tensor *cd, void *C) noexcept nogil:
    """C ← op(a·A, b·B) + β·C with factors that floats hold."""
    cdef dnn_tensor *given[3]
    cdef void *amd[3]
    cdef float[3] factor
    cdef uint32_t status
    if not dnn_recall(h, DNN_OP, cd, ad, bd, amd):
        given[0] = cd
        given[1] = ad
        given[2] = bd
        status = dnn_amd_merged(h, 3, given, 0, amd)
        if status != 0:
            return status
        dnn_remember(h, DNN_OP, cd, ad, bd, amd)
    factor[0] = <float>a
    factor[1] = <float>b
    factor[2] = <float>beta
    status = dg_miopen.miopenOpTensor(
        <miopenHandle_t>h.amd, <miopenTensorOp_t>op, &factor[0], <miopenTensorDescriptor_t>amd[1], A, &factor[1],
        <miopenTensorDescriptor_t>amd[2], B, &factor[2], <miopenTensorDescriptor_t>amd[0], C)
    return 0 if status == 0 else dnn_failed(status_of_miopen(status), b"miopenOpTensor", status)


cdef public uint32_t dnn_scale(dnn_handle *h, dnn_tensor *d, double alpha, void *y) noexcept nogil:
    """y ← α·y, also of NaN and infinities."""
    cdef void *amd
    cdef uint32_t status
    if alpha == 1:
        return 0
    if d.type != CUDNN_DATA_DOUBLE:
        return plain_op(h, miopenTensorOpMin, alpha, d, y, alpha, d, y, 0, d, y)  # the lesser of two equals
    status = dnn_amd_merged(h, 1, &d, 0, &amd)
    if status != 0:
        return status
    status = dg_miopen.miopenScaleTensor(<miopenHandle_t>h.amd, <miopenTensorDescriptor_t>amd, y, &alpha)
    return 0 if status == 0 else dnn_failed(status_of_miopen(status), b"miopenScaleTensor", status)


cdef public uint32_t dnn_copy(dnn_handle *h, dnn_tensor *xd, const void *x, dnn_tensor *yd, void *y) noexcept nogil:
    """y ← x in another layout: same sizes, same type."""
    cdef dnn_tensor *given[2]
    cdef void *amd[2]
    cdef float one = 1
    cdef float zero = 0
    cdef uint32_t status
    given[0] = yd
    given[1] = xd
    status = dnn_amd_merged(h, 2, given, 0, amd)
    if status != 0:
        return status
    status = dg_miopen.miopenTransformTensor(
        <miopenHandle_t>h.amd, &one, <miopenTensorDescriptor_t>amd[1], x, &zero, <miopenTensorDescriptor_t>amd[0], y)
    return 0 if status == 0 else dnn_failed(status_of_miopen(status), b"miopenTransformTensor", status)


cdef public uint32_t dnn_op_tensor(dnn_handle *h, int op, double a, dnn_tensor *ad, const void *A, double b,
        dnn_tensor *bd, const void *B, double beta, dnn_tensor *cd, void *C) noexcept nogil:
    """C ← op(a·A, b·B) + β·C; `op` is MIOpen's, B's sizes are C's or 1. Uses the handle's memory where
    doubles need it."""
    cdef char *memory
    cdef size_t bytes = 0
    cdef bint copies_a = False
    cdef bint copies_b = False
    cdef uint32_t status
    if cd.type == CUDNN_DATA_DOUBLE:
        copies_a = not is_single(a) or (not is_single(beta) and A == C)
        copies_b = not is_single(b) or (not is_single(beta) and B == C)
        if copies_a:
            bytes = rounded(dnn_bytes(ad))
        if copies_a or copies_b:
            memory = <char *>dnn_scratch(h, bytes + (dnn_bytes(bd) if copies_b else 0))
            if memory is NULL:
                return dnn_because(CUDNN_STATUS_ALLOC_FAILED, b"no memory for the scaled operands")
            if copies_a:
                status = dnn_copy(h, ad, A, ad, memory)
                if status == 0:
                    status = dnn_scale(h, ad, a, memory)
                if status != 0:
                    return status
                A = memory
                a = 1
            if copies_b:
                status = dnn_copy(h, bd, B, bd, memory + bytes)
                if status == 0:
                    status = dnn_scale(h, bd, b, memory + bytes)
                if status != 0:
                    return status
                B = memory + bytes
                b = 1
        if not is_single(beta):
            status = dnn_scale(h, cd, beta, C)
            if status != 0:
                return status
            beta = 1
    return plain_op(h, op, a, ad, A, b, bd, B, beta, cd, C)


cdef public uint32_t dnn_blended(dnn_handle *h, double alpha, void *raw, double beta, dnn_tensor *d,
        void *y) noexcept nogil:
    """y ← α·raw + β·y; raw, of y's layout, is overwritten. Where raw is y, β counts as 0."""
    cdef uint32_t status
    if raw == y:
        return dnn_scale(h, d, alpha, y)
    if d.type == CUDNN_DATA_DOUBLE:
        if not is_single(alpha):
            status = dnn_scale(h, d, alpha, raw)
            if status != 0:
                return status
            alpha = 1
        if not is_single(beta):
            status = dnn_scale(h, d, beta, y)
            if status != 0:
                return status
            beta = 1
    return plain_op(h, miopenTensorOpAdd, alpha, d, raw, beta, d, y, 0, d, y)
