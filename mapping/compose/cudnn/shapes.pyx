"""Sizes of types, and the strides that a format means."""

include "generated.pxi"
include "cudnn_abi.pxi"
include "cudnn_translate.pxi"
include "slots.pxi"
include "say.pxi"
include "words.pxi"

from libc.stdint cimport INT32_MAX

cdef extern from *:
    """
    static const signed char type_bytes[] = {
        /* FLOAT … FAST_FLOAT_FOR_FP8: all versions */
        4, 8, 2, 1, 4, 4, 1, 4, 32, 2, 8, 1, 1, 1, 4,
        /* FP8_E8M0 … FP8_E5M3: since 9; two of FP4 and INT4 share a byte */
        1, 1, 1, 1, 4, 8, 16, 1, 1
    };
    """
    const signed char type_bytes[24]

cdef extern from "version.h" nogil:
    const int dg_version


cdef public int dnn_type_bytes(int type) noexcept nogil:
    cdef int known = CUDNN_DATA_FP8_E5M3 if dg_version >= 90000 else CUDNN_DATA_FAST_FLOAT_FOR_FP8
    return type_bytes[type] if 0 <= type <= known else 0


cdef public int dnn_type_vector(int type) noexcept nogil:
    if type == CUDNN_DATA_INT8x4 or type == CUDNN_DATA_UINT8x4:
        return 4
    return 32 if type == CUDNN_DATA_INT8x32 else 1


cdef public void dnn_pack(int format, int type, int count, const int32_t *dim, int32_t *stride) noexcept nogil:
    """Strides of a packed tensor; of NCHW_VECT_C in vectors."""
    cdef int32_t step = 1
    cdef int i
    if format == CUDNN_TENSOR_NHWC and count > 2:
        stride[1] = 1
        step = dim[1]
        i = count - 1
        while i > 1:
            stride[i] = step
            step *= dim[i]
            i -= 1
        stride[0] = step
        return
    i = count - 1
    while i >= 0:
        stride[i] = step
        if i == 1 and format == CUDNN_TENSOR_NCHW_VECT_C:
            step *= dim[i] // dnn_type_vector(type)
        else:
            step *= dim[i]
        i -= 1


cdef public uint32_t dnn_convolved(dnn_convolution *d, dnn_tensor *x, dnn_filter *w, int *out) noexcept nogil:
    """Sizes of a convolution's output; BAD_PARAM where input, filter and convolution do not go together."""
    cdef int i
    cdef int64_t reach
    if d.count == 0 or x.count != d.count + 2 or w.count != x.count:
        return bad(b"tensor, filter and convolution differ in the number of dimensions")
    if x.dim[1] != <int64_t>w.dim[1] * d.groups:
        return bad(b"the tensor's channels are not the filter's times the groups")
    if w.dim[0] % d.groups:
        return bad(b"the filter's outputs are no multiple of the groups")
    out[0] = x.dim[0]
    out[1] = w.dim[0]
    for i in range(d.count):
        reach = x.dim[i + 2] + 2 * <int64_t>d.pad[i] - ((w.dim[i + 2] - 1) * <int64_t>d.dilation[i] + 1)
        if reach < 0:
            return bad(b"the filter is larger than the padded tensor")
        reach = reach // d.stride[i] + 1
        if reach > INT32_MAX:
            return cannot(b"the output has more than 2^31 - 1 elements")
        out[i + 2] = <int>reach
    return CUDNN_STATUS_SUCCESS
