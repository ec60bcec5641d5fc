# cython: language_level=3, cdivision=True, boundscheck=False, wraparound=False
"""Tensor descriptors of the CPU backend's MIOpen.

A descriptor holds lengths and strides, both above 0; NHWC is only another order of strides. Without strides the tensor
is packed. MIOpen has no limit on the number of dimensions; here it is 8, as many as cuDNN has.
"""
include "miopen.pxi"

from libc.stdlib cimport free
from libc.string cimport memcpy

cdef extern from "miopen.h" nogil:
    void *mi_new(uint32_t kind, size_t bytes)

cdef extern from *:
    """
    enum { MI_LAYOUTS = 9 };
    /* For each layout the positions in storage, outermost first, of the dimensions in the descriptor's order. */
    static const signed char mi_orders[MI_LAYOUTS][5] = {
        {0, 1, 2, 3, -1}, {0, 2, 3, 1, -1}, {1, 2, 3, 0, -1}, {0, 1, 2, 3, -1}, {0, 1, 2, 3, -1},
        {0, 1, 2, 3, -1}, {0, 1, 2, 3, -1}, {0, 1, 2, 3, 4},  {0, 2, 3, 4, 1}};
    """
    enum:
        MI_LAYOUTS
    const signed char mi_orders[9][5]


cdef public int mi_type_size(int type) noexcept nogil:
    if type == miopenHalf or type == miopenBFloat16:
        return 2
    if type == miopenFloat or type == miopenInt32:
        return 4
    if type == miopenDouble or type == miopenInt64:
        return 8
    if type == miopenInt8 or type == miopenFloat8_fnuz or type == miopenBFloat8_fnuz:
        return 1
    return 0


cdef public int64_t mi_elements(const mi_tensor *tensor) noexcept nogil:
    cdef int i
    cdef int64_t count = tensor.vector
    for i in range(tensor.dims):
        count *= tensor.lens[i]
    return count


cdef public int64_t mi_space(const mi_tensor *tensor) noexcept nogil:
    cdef int i
    cdef int64_t space = tensor.vector
    for i in range(tensor.dims):
        space += (tensor.lens[i] - 1) * tensor.strides[i]
    return space


cdef public int mi_is_packed(const mi_tensor *tensor) noexcept nogil:
    return mi_elements(tensor) == mi_space(tensor)


cdef public int mi_same_lens(const mi_tensor *a, const mi_tensor *b) noexcept nogil:
    cdef int i
    if a.dims != b.dims:
        return False
    for i in range(a.dims):
        if a.lens[i] != b.lens[i]:
            return False
    return True


cdef public miopenStatus_t mi_set_tensor(
    mi_tensor *tensor, int type, int dims, const int64_t *lens, const int64_t *strides
) noexcept nogil:
    """NULL strides make a packed tensor. Nothing changes where something is wrong."""
    cdef int i
    cdef int64_t step = 1
    if mi_type_size(type) == 0 or dims < 1 or dims > MI_DIMS:
        return miopenStatusBadParm
    for i in range(dims):
        if lens[i] <= 0 or (strides != NULL and strides[i] <= 0):
            return miopenStatusBadParm
    tensor.type = type
    tensor.cast_type = -1
    tensor.dims = dims
    tensor.vector = 1
    tensor.layout = -1
    i = dims - 1
    while i >= 0:
        tensor.lens[i] = lens[i]
        tensor.strides[i] = step if strides == NULL else strides[i]
        step *= lens[i]
        i -= 1
    return miopenStatusSuccess


cdef inline bint exists(const mi_tensor *tensor) noexcept nogil:
    return tensor != NULL and tensor.kind == MI_TENSOR


cdef public miopenStatus_t miopenCreateTensorDescriptor(miopenTensorDescriptor_t *tensorDesc) noexcept nogil:
    cdef mi_tensor *tensor
    if tensorDesc == NULL:
        return miopenStatusBadParm
    tensor = <mi_tensor *>mi_new(MI_TENSOR, sizeof(mi_tensor))
    tensorDesc[0] = tensor
    if tensor == NULL:
        return miopenStatusAllocFailed
    tensor.type = miopenFloat
    tensor.cast_type = -1
    tensor.vector = 1
    tensor.layout = -1
    return miopenStatusSuccess


cdef public miopenStatus_t miopenDestroyTensorDescriptor(miopenTensorDescriptor_t tensorDesc) noexcept nogil:
    if not exists(tensorDesc):
        return miopenStatusBadParm
    tensorDesc.kind = 0
    free(tensorDesc)
    return miopenStatusSuccess


# ---- set ----

cdef public miopenStatus_t miopenSet4dTensorDescriptor(
    miopenTensorDescriptor_t tensorDesc, int dataType, int n, int c, int h, int w
) noexcept nogil:
    cdef int64_t[4] lens
    if not exists(tensorDesc):
        return miopenStatusBadParm
    lens[0], lens[1], lens[2], lens[3] = n, c, h, w
    return mi_set_tensor(tensorDesc, dataType, 4, lens, NULL)


cdef public miopenStatus_t miopenSet4dTensorDescriptorEx(
    miopenTensorDescriptor_t tensorDesc, int dataType, int n, int c, int h, int w, int nStride, int cStride,
    int hStride, int wStride
) noexcept nogil:
    cdef int64_t[4] lens
    cdef int64_t[4] strides
    if not exists(tensorDesc):
        return miopenStatusBadParm
    lens[0], lens[1], lens[2], lens[3] = n, c, h, w
    strides[0], strides[1], strides[2], strides[3] = nStride, cStride, hStride, wStride
    return mi_set_tensor(tensorDesc, dataType, 4, lens, strides)


cdef public miopenStatus_t miopenSetTensorDescriptor(
    miopenTensorDescriptor_t tensorDesc, int dataType, int nbDims, const int *dimsA, const int *stridesA
) noexcept nogil:
    cdef int64_t[8] lens
    cdef int64_t[8] strides
    cdef int i
    if dimsA == NULL or nbDims <= 0:
        return miopenStatusInvalidValue
    if not exists(tensorDesc) or nbDims > MI_DIMS:
        return miopenStatusBadParm
    for i in range(nbDims):
        lens[i] = dimsA[i]
        strides[i] = stridesA[i] if stridesA != NULL else 0
    return mi_set_tensor(tensorDesc, dataType, nbDims, lens, strides if stridesA != NULL else NULL)


cdef public miopenStatus_t miopenSetTensorDescriptorV2(
    miopenTensorDescriptor_t tensorDesc, int dataType, int nbDims, const size_t *dimsA, const size_t *stridesA
) noexcept nogil:
    if dimsA == NULL or nbDims <= 0:
        return miopenStatusInvalidValue
    if not exists(tensorDesc):
        return miopenStatusBadParm
    return mi_set_tensor(tensorDesc, dataType, nbDims, <const int64_t *>dimsA, <const int64_t *>stridesA)


cdef public miopenStatus_t miopenSetNdTensorDescriptorWithLayout(
    miopenTensorDescriptor_t tensorDesc, int dataType, int tensorLayout, const int *lens, int num_lens
) noexcept nogil:
    """Lengths come in the order NCHW whatever the layout; a vectorised one counts its channels in vectors, and those
    that begin with C keep the order CHWN, as MIOpen has it."""
    cdef int64_t[5] long_lens
    cdef int64_t step, vector = 1
    cdef int i, at
    cdef int64_t first
    cdef miopenStatus_t status
    if lens == NULL or num_lens <= 0:
        return miopenStatusInvalidValue
    if not exists(tensorDesc) or tensorLayout < 0 or tensorLayout >= MI_LAYOUTS:
        return miopenStatusBadParm
    if num_lens != (4 if tensorLayout < miopenTensorNCDHW else 5):
        return miopenStatusBadParm
    if miopenTensorNCHWc4 <= tensorLayout <= miopenTensorCHWNc8:
        vector = 4 if tensorLayout == miopenTensorNCHWc4 or tensorLayout == miopenTensorCHWNc4 else 8
        if lens[1] % vector != 0:
            return miopenStatusBadParm
    for i in range(num_lens):
        long_lens[i] = lens[i] / vector if i == 1 else lens[i]
    if tensorLayout == miopenTensorCHWNc4 or tensorLayout == miopenTensorCHWNc8:
        first = long_lens[0]
        for i in range(3):
            long_lens[i] = long_lens[i + 1]
        long_lens[3] = first
    status = mi_set_tensor(tensorDesc, dataType, num_lens, long_lens, NULL)
    if status != miopenStatusSuccess:
        return status
    tensorDesc.layout = tensorLayout
    tensorDesc.vector = <int32_t>vector
    step = vector
    i = num_lens - 1
    while i >= 0:
        at = mi_orders[tensorLayout][i]
        tensorDesc.strides[at] = step
        step *= tensorDesc.lens[at]
        i -= 1
    return miopenStatusSuccess


cdef public miopenStatus_t miopenSetTensorCastType(miopenTensorDescriptor_t tensorDesc, int cast_type) noexcept nogil:
    if not exists(tensorDesc):
        return miopenStatusBadParm
    tensorDesc.cast_type = cast_type
    return miopenStatusSuccess


# ---- get ----

cdef public miopenStatus_t miopenGet4dTensorDescriptor(
    miopenTensorDescriptor_t tensorDesc, int *dataType, int *n, int *c, int *h, int *w, int *nStride, int *cStride,
    int *hStride, int *wStride
) noexcept nogil:
    if not exists(tensorDesc) or tensorDesc.dims < 4 or dataType == NULL or n == NULL or c == NULL or h == NULL:
        return miopenStatusBadParm
    if w == NULL or nStride == NULL or cStride == NULL or hStride == NULL or wStride == NULL:
        return miopenStatusBadParm
    dataType[0] = tensorDesc.type
    n[0] = <int>tensorDesc.lens[0]
    c[0] = <int>tensorDesc.lens[1]
    h[0] = <int>tensorDesc.lens[2]
    w[0] = <int>tensorDesc.lens[3]
    nStride[0] = <int>tensorDesc.strides[0]
    cStride[0] = <int>tensorDesc.strides[1]
    hStride[0] = <int>tensorDesc.strides[2]
    wStride[0] = <int>tensorDesc.strides[3]
    return miopenStatusSuccess


cdef public miopenStatus_t miopenGetTensorDescriptorSize(
    miopenTensorDescriptor_t tensorDesc, int *size
) noexcept nogil:
    if not exists(tensorDesc) or size == NULL:
        return miopenStatusBadParm
    size[0] = tensorDesc.dims
    return miopenStatusSuccess


cdef public miopenStatus_t miopenGetTensorDescriptor(
    miopenTensorDescriptor_t tensorDesc, int *dataType, int *dimsA, int *stridesA
) noexcept nogil:
    cdef int i
    if not exists(tensorDesc):
        return miopenStatusBadParm
    if dataType != NULL:
        dataType[0] = tensorDesc.type
    for i in range(tensorDesc.dims):
        if dimsA != NULL:
            dimsA[i] = <int>tensorDesc.lens[i]
        if stridesA != NULL:
            stridesA[i] = <int>tensorDesc.strides[i]
    return miopenStatusSuccess


cdef public miopenStatus_t miopenGetTensorNumBytes(
    miopenTensorDescriptor_t tensorDesc, size_t *numBytes
) noexcept nogil:
    if not exists(tensorDesc) or numBytes == NULL:
        return miopenStatusBadParm
    numBytes[0] = <size_t>(mi_space(tensorDesc) * mi_type_size(tensorDesc.type))
    return miopenStatusSuccess
