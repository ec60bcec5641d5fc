# cython: language_level=3, cdivision=True, boundscheck=False, wraparound=False
"""Descriptors of convolutions, and the shapes that they lead to."""
include "miopen.pxi"
include "shared.pxi"
include "convolution_shapes.pxi"

from libc.stdlib cimport free


cdef miopenStatus_t init(
    mi_convolution *conv, int dims, const int *pads, const int *strides, const int *dilations, int mode
) noexcept nogil:
    cdef int i
    if dims < 1 or dims > MI_SPATIAL:
        return miopenStatusBadParm
    for i in range(dims):
        if pads[i] < 0 or strides[i] < 1 or dilations[i] < 1:
            return miopenStatusBadParm
    if mode < miopenConvolution or mode > miopenDepthwise:
        return miopenStatusBadParm
    conv.mode = miopenTranspose if mode == miopenTranspose else miopenConvolution
    conv.dims = dims
    conv.groups = 1
    conv.find_mode = miopenConvolutionFindModeDefault
    conv.attributes[0] = -1
    conv.attributes[1] = conv.attributes[2] = 0
    for i in range(dims):
        conv.pads[i] = pads[i]
        conv.strides[i] = strides[i]
        conv.dilations[i] = dilations[i]
        conv.output_pads[i] = 0
    return miopenStatusSuccess


cdef public miopenStatus_t miopenCreateConvolutionDescriptor(miopenConvolutionDescriptor_t *convDesc) noexcept nogil:
    """2-D, no padding, until it is set."""
    cdef int[2] zeros
    cdef int[2] ones
    if convDesc == NULL:
        return miopenStatusBadParm
    convDesc[0] = <mi_convolution *>mi_new(MI_CONVOLUTION, sizeof(mi_convolution))
    if convDesc[0] == NULL:
        return miopenStatusAllocFailed
    zeros[0] = zeros[1] = 0
    ones[0] = ones[1] = 1
    return init(convDesc[0], 2, zeros, ones, ones, miopenConvolution)


cdef public miopenStatus_t miopenDestroyConvolutionDescriptor(miopenConvolutionDescriptor_t convDesc) noexcept nogil:
    if not is_convolution(convDesc):
        return miopenStatusBadParm
    convDesc.kind = 0
    free(convDesc)
    return miopenStatusSuccess


cdef public miopenStatus_t miopenInitConvolutionDescriptor(
    miopenConvolutionDescriptor_t convDesc, int c_mode, int pad_h, int pad_w, int stride_h, int stride_w,
    int dilation_h, int dilation_w
) noexcept nogil:
    cdef int[2] pads
    cdef int[2] strides
    cdef int[2] dilations
    if not is_convolution(convDesc):
        return miopenStatusBadParm
    pads[0], pads[1], strides[0], strides[1], dilations[0], dilations[1] = (
        pad_h, pad_w, stride_h, stride_w, dilation_h, dilation_w)
    return init(convDesc, 2, pads, strides, dilations, c_mode)


cdef public miopenStatus_t miopenInitConvolutionNdDescriptor(
    miopenConvolutionDescriptor_t convDesc, int spatialDim, const int *padA, const int *strideA, const int *dilationA,
    int c_mode
) noexcept nogil:
    if not is_convolution(convDesc) or padA == NULL or strideA == NULL or dilationA == NULL:
        return miopenStatusBadParm
    return init(convDesc, spatialDim, padA, strideA, dilationA, c_mode)


cdef public miopenStatus_t miopenGetConvolutionDescriptor(
    miopenConvolutionDescriptor_t convDesc, int *c_mode, int *pad_h, int *pad_w, int *stride_h, int *stride_w,
    int *dilation_h, int *dilation_w
) noexcept nogil:
    if not is_convolution(convDesc):
        return miopenStatusBadParm
    if convDesc.dims != 2:
        return miopenStatusUnknownError
    if c_mode == NULL or pad_h == NULL or pad_w == NULL or stride_h == NULL or stride_w == NULL:
        return miopenStatusBadParm
    if dilation_h == NULL or dilation_w == NULL:
        return miopenStatusBadParm
    c_mode[0] = convDesc.mode
    pad_h[0], pad_w[0] = convDesc.pads[0], convDesc.pads[1]
    stride_h[0], stride_w[0] = convDesc.strides[0], convDesc.strides[1]
    dilation_h[0], dilation_w[0] = convDesc.dilations[0], convDesc.dilations[1]
    return miopenStatusSuccess


cdef public miopenStatus_t miopenGetConvolutionNdDescriptor(
    miopenConvolutionDescriptor_t convDesc, int requestedSpatialDim, int *spatialDim, int *padA, int *strideA,
    int *dilationA, int *c_mode
) noexcept nogil:
    cdef int i
    if not is_convolution(convDesc):
        return miopenStatusBadParm
    if convDesc.dims < requestedSpatialDim:
        return miopenStatusUnknownError
    if padA == NULL or strideA == NULL or dilationA == NULL:
        return miopenStatusBadParm
    if spatialDim != NULL:
        spatialDim[0] = convDesc.dims
    if c_mode != NULL:
        c_mode[0] = convDesc.mode
    for i in range(requestedSpatialDim):
        padA[i] = convDesc.pads[i]
        strideA[i] = convDesc.strides[i]
        dilationA[i] = convDesc.dilations[i]
    return miopenStatusSuccess


cdef public miopenStatus_t miopenGetConvolutionSpatialDim(
    miopenConvolutionDescriptor_t convDesc, int *spatialDim
) noexcept nogil:
    if not is_convolution(convDesc) or spatialDim == NULL:
        return miopenStatusBadParm
    spatialDim[0] = convDesc.dims
    return miopenStatusSuccess


cdef public miopenStatus_t miopenSetConvolutionGroupCount(
    miopenConvolutionDescriptor_t convDesc, int groupCount
) noexcept nogil:
    """Any number passes; what does not fit the tensors is refused with them."""
    if not is_convolution(convDesc):
        return miopenStatusBadParm
    convDesc.groups = groupCount
    return miopenStatusSuccess


cdef public miopenStatus_t miopenGetConvolutionGroupCount(
    miopenConvolutionDescriptor_t convDesc, int *groupCount
) noexcept nogil:
    if not is_convolution(convDesc) or groupCount == NULL:
        return miopenStatusBadParm
    groupCount[0] = convDesc.groups
    return miopenStatusSuccess


cdef public miopenStatus_t miopenSetTransposeConvNdOutputPadding(
    miopenConvolutionDescriptor_t convDesc, int spatialDim, const int *adjA
) noexcept nogil:
    cdef int i
    if not is_convolution(convDesc) or adjA == NULL:
        return miopenStatusBadParm
    if spatialDim != convDesc.dims:
        return miopenStatusUnknownError
    for i in range(spatialDim):
        convDesc.output_pads[i] = adjA[i]
    return miopenStatusSuccess


cdef public miopenStatus_t miopenSetTransposeConvOutputPadding(
    miopenConvolutionDescriptor_t convDesc, int adj_h, int adj_w
) noexcept nogil:
    cdef int[2] pads
    pads[0], pads[1] = adj_h, adj_w
    return miopenSetTransposeConvNdOutputPadding(convDesc, 2, pads)


cdef public miopenStatus_t miopenSetConvolutionAttribute(
    miopenConvolutionDescriptor_t convDesc, int attr, int value
) noexcept nogil:
    """0: half by bfloat16, -1 to 1; 1: deterministic; 2: rounding of 8-bit floats. All without effect here."""
    if not is_convolution(convDesc) or attr < 0 or attr > 2 or value < (-1 if attr == 0 else 0) or value > 1:
        return miopenStatusBadParm
    convDesc.attributes[attr] = value
    return miopenStatusSuccess


cdef public miopenStatus_t miopenGetConvolutionAttribute(
    miopenConvolutionDescriptor_t convDesc, int attr, int *value
) noexcept nogil:
    if not is_convolution(convDesc) or attr < 0 or attr > 2 or value == NULL:
        return miopenStatusBadParm
    value[0] = convDesc.attributes[attr]
    return miopenStatusSuccess


cdef public miopenStatus_t miopenSetConvolutionFindMode(
    miopenConvolutionDescriptor_t convDesc, int findMode
) noexcept nogil:
    if not is_convolution(convDesc):
        return miopenStatusBadParm
    convDesc.find_mode = findMode
    return miopenStatusSuccess


cdef public miopenStatus_t miopenGetConvolutionFindMode(
    miopenConvolutionDescriptor_t convDesc, int *findMode
) noexcept nogil:
    if not is_convolution(convDesc) or findMode == NULL:
        return miopenStatusBadParm
    findMode[0] = convDesc.find_mode
    return miopenStatusSuccess


cdef public miopenStatus_t miopenGetConvolutionNdForwardOutputDim(
    miopenConvolutionDescriptor_t convDesc, miopenTensorDescriptor_t inputTensorDesc,
    miopenTensorDescriptor_t filterDesc, int *nDim, int *outputTensorDimA
) noexcept nogil:
    cdef int64_t lens[8]
    cdef int i
    cdef miopenStatus_t status
    if not is_convolution(convDesc) or not is_tensor(inputTensorDesc) or not is_tensor(filterDesc):
        return miopenStatusBadParm
    if nDim == NULL or outputTensorDimA == NULL:
        return miopenStatusBadParm
    status = output_lens(convDesc, inputTensorDesc, filterDesc, lens)
    if status == miopenStatusSuccess:
        nDim[0] = inputTensorDesc.dims
        for i in range(inputTensorDesc.dims):
            outputTensorDimA[i] = <int>lens[i]
    return status


cdef public miopenStatus_t miopenGetConvolutionForwardOutputDim(
    miopenConvolutionDescriptor_t convDesc, miopenTensorDescriptor_t inputTensorDesc,
    miopenTensorDescriptor_t filterDesc, int *n, int *c, int *h, int *w
) noexcept nogil:
    cdef int[8] lens
    cdef int dims
    cdef miopenStatus_t status
    if not is_convolution(convDesc) or n == NULL or c == NULL or h == NULL or w == NULL:
        return miopenStatusBadParm
    if convDesc.dims != 2:
        return miopenStatusUnknownError
    status = miopenGetConvolutionNdForwardOutputDim(convDesc, inputTensorDesc, filterDesc, &dims, lens)
    if status == miopenStatusSuccess:
        n[0], c[0], h[0], w[0] = lens[0], lens[1], lens[2], lens[3]
    return status
