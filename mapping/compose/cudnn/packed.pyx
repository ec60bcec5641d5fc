"""Operands in a layout and a type that MIOpen's functions take: packed copies in the handle's memory, and the way back.

Some of MIOpen's functions want packed tensors, or know no bfloat16. A reduction over a dimension of 1 is the one
operation of MIOpen's that reads one type and writes another.
"""

include "generated.pxi"
include "cudnn_abi.pxi"
include "cudnn_backend.pxi"
include "cudnn_translate.pxi"
include "slots.pxi"
include "say.pxi"
include "words.pxi"
include "shapes.pxi"
include "cached.pxi"
include "blend.pxi"

cdef extern from "support.h" nogil:
    int DNN_WORK
    uint32_t dnn_amd_merged(dnn_handle *h, int count, dnn_tensor **given, int more, void **amd)
    uint32_t dnn_doubles_activated(dnn_handle *h, int mode, double alpha, double beta, double gamma, int rows,
                                   int64_t columns, int64_t pitch, const double *x, double *y)

cdef extern from *:
    """
    static inline uint32_t float_bits(float value) { union { float f; uint32_t u; } x = {value}; return x.u; }
    """
    uint32_t float_bits(float value) nogil


cdef public int dnn_is_packed(const dnn_tensor *d) noexcept nogil:
    """Row by row, without gaps; a dimension of 1 may have any stride."""
    cdef int32_t step = 1
    cdef int i = d.count - 1
    while i >= 0:
        if d.dim[i] != 1 and d.stride[i] != step:
            return 0
        step *= d.dim[i]
        i -= 1
    return 1


cdef public void dnn_packed(const dnn_tensor *d, int type, dnn_tensor *packed) noexcept nogil:
    """The same sizes, row by row."""
    cdef int32_t step = 1
    cdef int i = d.count - 1
    packed[0] = d[0]
    packed.type = type
    packed.format = CUDNN_TENSOR_NCHW
    packed.amd = NULL
    while i >= 0:
        packed.stride[i] = step
        step *= d.dim[i]
        i -= 1


cdef uint16_t half_bits(float value) noexcept nogil:
    """To nearest, ties to even."""
    cdef uint32_t bits = float_bits(value)
    cdef uint32_t sign = (bits >> 16) & 0x8000
    cdef uint32_t size = bits & 0x7fffffff
    cdef uint32_t shift, kept, rest
    if size > 0x7f800000:
        return <uint16_t>(sign | 0x7e00)
    if size >= 0x477ff000:
        return <uint16_t>(sign | 0x7c00)
    if size >= 0x38800000:
        size += 0xfff + ((size >> 13) & 1)
        return <uint16_t>(sign | ((size - 0x38000000) >> 13))
    if size < 0x33000000:
        return <uint16_t>sign
    shift = 126 - (size >> 23)
    size = (size & 0x7fffff) | 0x800000
    kept = size >> shift
    rest = size & ((<uint32_t>1 << shift) - 1)
    if rest > <uint32_t>1 << (shift - 1) or (rest == <uint32_t>1 << (shift - 1) and kept & 1):
        kept += 1
    return <uint16_t>(sign | kept)


cdef uint16_t bfloat16_bits(float value) noexcept nogil:
    cdef uint32_t bits = float_bits(value)
    if value != value:
        return <uint16_t>((bits >> 16) | 0x40)
    return <uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16)


cdef public uint32_t dnn_fill(dnn_handle *h, dnn_tensor *d, double value, void *y) noexcept nogil:
    """Each element ← value. MIOpen reads it in the tensor's type."""
    cdef double wide = value
    cdef float single = <float>value
    cdef uint16_t narrow
    cdef int32_t whole
    cdef int8_t small
    cdef const void *given
    cdef void *amd
    cdef uint32_t status
    if d.type == CUDNN_DATA_DOUBLE:
        given = &wide
    elif d.type == CUDNN_DATA_FLOAT:
        given = &single
    elif d.type == CUDNN_DATA_HALF or d.type == CUDNN_DATA_BFLOAT16:
        narrow = half_bits(single) if d.type == CUDNN_DATA_HALF else bfloat16_bits(single)
        given = &narrow
    elif d.type == CUDNN_DATA_INT32:
        whole = <int32_t>value
        given = &whole
    elif d.type == CUDNN_DATA_INT8:
        small = <int8_t>value
        given = &small
    else:
        return dnn_because(CUDNN_STATUS_NOT_SUPPORTED, b"MIOpen fills no tensor of this type")
    status = dnn_amd_merged(h, 1, &d, 0, &amd)
    if status != 0:
        return status
    status = dg_miopen.miopenSetTensor(<miopenHandle_t>h.amd, <miopenTensorDescriptor_t>amd, y, given)
    return 0 if status == 0 else dnn_failed(status_of_miopen(status), b"miopenSetTensor", status)


cdef uint32_t cast(dnn_handle *h, void *work, double alpha, dnn_tensor *xd, const void *x, double beta, dnn_tensor *yd,
        void *y) noexcept nogil:
    """y ← α·x + β·y from one type to another: the sum over a dimension of 1."""
    cdef dnn_tensor *given[2]
    cdef void *amd[2]
    cdef void *sum
    cdef double[2] wide
    cdef float[2] factor
    cdef size_t size = 0
    cdef bint doubles = xd.type == CUDNN_DATA_DOUBLE or yd.type == CUDNN_DATA_DOUBLE
    cdef uint32_t status
    if work is NULL or not is_float_type(xd.type) or not is_float_type(yd.type):
        return dnn_because(CUDNN_STATUS_NOT_SUPPORTED, b"no way from one of these types to the other")
    if <double><float>alpha != alpha or <double><float>beta != beta:
        return dnn_because(CUDNN_STATUS_NOT_SUPPORTED, b"a factor is no float, as MIOpen's reductions take")
    given[0] = yd
    given[1] = xd
    status = dnn_amd_merged(h, 2, given, 1, amd)
    if status != 0:
        return status
    sum = dnn_amd_reduce(h, MIOPEN_REDUCE_TENSOR_ADD, miopenDouble if doubles else miopenFloat, 1, 0, 0)
    if sum is NULL:
        return CUDNN_STATUS_NOT_SUPPORTED
    status = dg_miopen.miopenGetReductionWorkspaceSize(
        <miopenHandle_t>h.amd, <miopenReduceTensorDescriptor_t>sum, <miopenTensorDescriptor_t>amd[1],
        <miopenTensorDescriptor_t>amd[0], &size)
    if status != 0:
        return dnn_failed(status_of_miopen(status), b"miopenGetReductionWorkspaceSize", status)
    if size > <size_t>DNN_WORK:
        return dnn_because(CUDNN_STATUS_NOT_SUPPORTED, b"MIOpen wants more memory for a sum over a dimension of 1")
    wide[0] = alpha
    wide[1] = beta
    factor[0] = <float>alpha
    factor[1] = <float>beta
    doubles = xd.type == CUDNN_DATA_DOUBLE
    status = dg_miopen.miopenReduceTensor(
        <miopenHandle_t>h.amd, <miopenReduceTensorDescriptor_t>sum, NULL, 0, work, <size_t>DNN_WORK,
        <const void *>&wide[0] if doubles else <const void *>&factor[0], <miopenTensorDescriptor_t>amd[1], x,
        <const void *>&wide[1] if doubles else <const void *>&factor[1], <miopenTensorDescriptor_t>amd[0], y)
    return 0 if status == 0 else dnn_failed(status_of_miopen(status), b"miopenReduceTensor", status)


cdef public uint32_t dnn_moved(dnn_handle *h, void *work, double alpha, dnn_tensor *xd, const void *x, double beta,
        dnn_tensor *yd, void *y) noexcept nogil:
    """y ← α·x + β·y, in another layout or type. `work`: DNN_WORK bytes of the handle's memory, and then x is memory of
    ours, which may be overwritten unless α is 1; NULL where the handle's memory is free."""
    cdef uint32_t status
    if xd.type != yd.type:
        return cast(h, work, alpha, xd, x, beta, yd, y)
    if work is not NULL and alpha != 1 and <double><float>alpha != alpha:
        status = dnn_scale(h, xd, alpha, <void *>x)
        if status != 0:
            return status
        alpha = 1
    if beta == 0 and yd.type == CUDNN_DATA_INT8:
        return dnn_op_tensor(h, miopenTensorOpMin, alpha, xd, x, alpha, xd, x, 0, yd, y)
    if beta == 0 and (alpha == 1 or yd.type == CUDNN_DATA_DOUBLE):
        status = dnn_copy(h, xd, x, yd, y)
        return status if status != 0 else dnn_scale(h, yd, alpha, y)
    if beta == 0:
        return dnn_op_tensor(h, miopenTensorOpMin, alpha, xd, x, alpha, xd, x, 0, yd, y)  # the lesser of two equals
    if work is not NULL and <double><float>beta != beta:
        status = dnn_scale(h, yd, beta, y)
        if status != 0:
            return status
        beta = 1
    return dnn_op_tensor(h, miopenTensorOpAdd, alpha, xd, x, beta, yd, y, 0, yd, y)


cdef public uint32_t dnn_activated(dnn_handle *h, int mode, double alpha, double beta, double gamma, dnn_tensor *row,
        const void *x, void *y) noexcept nogil:
    """y ← f(x) of packed tensors; mode and factors are MIOpen's. Doubles go through the host."""
    cdef float one = 1
    cdef float zero = 0
    cdef int64_t count = 1
    cdef int i
    cdef void *f
    cdef void *amd
    cdef uint32_t status
    if row.type == CUDNN_DATA_DOUBLE:
        for i in range(row.count):
            count *= row.dim[i]
        return dnn_doubles_activated(h, mode, alpha, beta, gamma, 1, count, count, <const double *>x, <double *>y)
    f = dnn_amd_activation(h, mode, alpha, beta, gamma)
    amd = dnn_amd_shape(h, row.type, row.count, row.dim, row.stride)
    if f is NULL or amd is NULL:
        return CUDNN_STATUS_NOT_SUPPORTED
    status = dg_miopen.miopenActivationForward(
        <miopenHandle_t>h.amd, <miopenActivationDescriptor_t>f, &one, <miopenTensorDescriptor_t>amd, x, &zero,
        <miopenTensorDescriptor_t>amd, y)
    return 0 if status == 0 else dnn_failed(status_of_miopen(status), b"miopenActivationForward", status)
