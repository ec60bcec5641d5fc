"""y ← α·r + β·y with any α and β, of what MIOpen computes with 1 and 0 alone.

Where β is 0 the result goes to y itself, else to the handle's memory and from there into y. OpTensor takes its factors as
float whatever the tensors hold; a factor of doubles that is no float goes through ScaleTensor, which takes doubles.
"""

include "generated.pxi"
include "cudnn_abi.pxi"
include "cudnn_backend.pxi"
include "cudnn_translate.pxi"
include "slots.pxi"
include "say.pxi"
include "words.pxi"

cdef extern from "support.h" nogil:
    void *dnn_amd_shape(dnn_handle *h, int type, int count, const int32_t *dim, const int32_t *stride)
    void *dnn_scratch(dnn_handle *h, size_t bytes)
    int dnn_type_bytes(int type)

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
    """The same elements with fewer dimensions: neighbours that all tensors store one behind the other, and none that is 1
    in all of them. Of the tensors the first has the full sizes; where another's is 1, it is broadcast."""
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


cdef inline bint is_float(double value) noexcept nogil:
    return <double><float>value == value or value != value


cdef uint32_t plain_op(dnn_handle *h, int op, double a, dnn_tensor *ad, const void *A, double b, dnn_tensor *bd,
        const void *B, double beta, dnn_tensor *cd, void *C) noexcept nogil:
    """C ← op(a·A, b·B) + β·C with factors that floats hold."""
    cdef dnn_tensor *given[3]
    cdef dnn_tensor[3] merged
    cdef void *amd[3]
    cdef float[3] factor
    cdef int i
    cdef uint32_t status
    given[0] = cd
    given[1] = ad
    given[2] = bd
    dnn_merge(3, given, merged)
    if merged[0].count > AMD_DIMS:
        return dnn_because(CUDNN_STATUS_NOT_SUPPORTED, b"more than 5 dimensions that cannot be merged")
    for i in range(3):
        amd[i] = dnn_amd_shape(h, merged[i].type, merged[i].count, merged[i].dim, merged[i].stride)
        if amd[i] is NULL:
            return CUDNN_STATUS_NOT_SUPPORTED
    factor[0] = <float>a
    factor[1] = <float>b
    factor[2] = <float>beta
    status = dg_miopen.miopenOpTensor(
        <miopenHandle_t>h.amd, <miopenTensorOp_t>op, &factor[0], <miopenTensorDescriptor_t>amd[1], A, &factor[1],
        <miopenTensorDescriptor_t>amd[2], B, &factor[2], <miopenTensorDescriptor_t>amd[0], C)
    return 0 if status == 0 else dnn_failed(status_of_miopen(status), b"miopenOpTensor", status)


cdef public uint32_t dnn_scale(dnn_handle *h, dnn_tensor *d, double alpha, void *y) noexcept nogil:
    """y ← α·y, also of NaN and infinities."""
    cdef dnn_tensor *one = d
    cdef dnn_tensor merged
    cdef void *amd
    cdef uint32_t status
    if alpha == 1:
        return 0
    if d.type != CUDNN_DATA_DOUBLE:
        return plain_op(h, miopenTensorOpMin, alpha, d, y, alpha, d, y, 0, d, y)  # the lesser of two equals
    dnn_merge(1, &one, &merged)
    if merged.count > AMD_DIMS:
        return dnn_because(CUDNN_STATUS_NOT_SUPPORTED, b"more than 5 dimensions that cannot be merged")
    amd = dnn_amd_shape(h, merged.type, merged.count, merged.dim, merged.stride)
    if amd is NULL:
        return CUDNN_STATUS_NOT_SUPPORTED
    status = dg_miopen.miopenScaleTensor(<miopenHandle_t>h.amd, <miopenTensorDescriptor_t>amd, y, &alpha)
    return 0 if status == 0 else dnn_failed(status_of_miopen(status), b"miopenScaleTensor", status)


cdef public uint32_t dnn_copy(dnn_handle *h, dnn_tensor *xd, const void *x, dnn_tensor *yd, void *y) noexcept nogil:
    """y ← x in another layout: same sizes, same type."""
    cdef dnn_tensor *given[2]
    cdef dnn_tensor[2] merged
    cdef void *amd[2]
    cdef float one = 1
    cdef float zero = 0
    cdef int i
    cdef uint32_t status
    given[0] = yd
    given[1] = xd
    dnn_merge(2, given, merged)
    if merged[0].count > AMD_DIMS:
        return dnn_because(CUDNN_STATUS_NOT_SUPPORTED, b"more than 5 dimensions that cannot be merged")
    for i in range(2):
        amd[i] = dnn_amd_shape(h, merged[i].type, merged[i].count, merged[i].dim, merged[i].stride)
        if amd[i] is NULL:
            return CUDNN_STATUS_NOT_SUPPORTED
    status = dg_miopen.miopenTransformTensor(
        <miopenHandle_t>h.amd, &one, <miopenTensorDescriptor_t>amd[1], x, &zero, <miopenTensorDescriptor_t>amd[0], y)
    return 0 if status == 0 else dnn_failed(status_of_miopen(status), b"miopenTransformTensor", status)


cdef public uint32_t dnn_op_tensor(dnn_handle *h, int op, double a, dnn_tensor *ad, const void *A, double b, dnn_tensor *bd,
        const void *B, double beta, dnn_tensor *cd, void *C) noexcept nogil:
    """C ← op(a·A, b·B) + β·C; `op` is MIOpen's, B's sizes are C's or 1. Uses the handle's memory where doubles need it."""
    cdef char *memory
    cdef size_t bytes = 0
    cdef bint copies_a = False
    cdef bint copies_b = False
    cdef uint32_t status
    if cd.type == CUDNN_DATA_DOUBLE:
        copies_a = not is_float(a) or (not is_float(beta) and A == C)
        copies_b = not is_float(b) or (not is_float(beta) and B == C)
        if copies_a:
            bytes = (dnn_bytes(ad) + 255) & ~<size_t>255
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
        if not is_float(beta):
            status = dnn_scale(h, cd, beta, C)
            if status != 0:
                return status
            beta = 1
    return plain_op(h, op, a, ad, A, b, bd, B, beta, cd, C)


cdef public void *dnn_raw(dnn_handle *h, double beta, const dnn_tensor *d, void *y) noexcept nogil:
    """Where a result goes before `dnn_blended`: y itself where β is 0, else memory of the handle's; NULL: there is none."""
    cdef void *raw
    if beta == 0:
        return y
    raw = dnn_scratch(h, dnn_bytes(d))
    if raw is NULL:
        dnn_because(CUDNN_STATUS_ALLOC_FAILED, b"no memory for the result before it is blended")
    return raw


cdef public uint32_t dnn_blended(dnn_handle *h, double alpha, void *raw, double beta, dnn_tensor *d, void *y) noexcept nogil:
    """y ← α·raw + β·y; raw, of y's layout, is overwritten. Where raw is y, β counts as 0."""
    cdef uint32_t status
    if raw == y:
        return dnn_scale(h, d, alpha, y)
    if d.type == CUDNN_DATA_DOUBLE:
        if not is_float(alpha):
            status = dnn_scale(h, d, alpha, raw)
            if status != 0:
                return status
            alpha = 1
        if not is_float(beta):
            status = dnn_scale(h, d, beta, y)
            if status != 0:
                return status
            beta = 1
    return plain_op(h, miopenTensorOpAdd, alpha, d, raw, beta, d, y, 0, d, y)
