# cython: language_level=3, cdivision=True, boundscheck=False, wraparound=False
"""Weights of recurrent networks: their sizes, places (rnn_places.pxi) and copies."""
include "miopen.pxi"
include "shared.pxi"
include "rnn_places.pxi"

from libc.string cimport memcpy


cdef public miopenStatus_t miopenGetRNNParamsSize(
    miopenHandle_t handle, miopenRNNDescriptor_t rnnDesc, miopenTensorDescriptor_t xDesc, size_t *numBytes, int dtype
) noexcept nogil:
    if not is_handle(handle) or not is_input(rnnDesc, xDesc) or numBytes == NULL:
        return miopenStatusBadParm
    if xDesc.type != rnnDesc.type or dtype != rnnDesc.type:
        return miopenStatusBadParm
    if rnnDesc.input == miopenRNNskip and xDesc.lens[1] != rnnDesc.hidden:
        return miopenStatusBadParm
    numBytes[0] = <size_t>(params_count(rnnDesc, xDesc.lens[1]) * mi_type_size(dtype))
    return miopenStatusSuccess


cdef public miopenStatus_t miopenGetRNNParamsDescriptor(
    miopenHandle_t handle, miopenRNNDescriptor_t rnnDesc, miopenTensorDescriptor_t xDesc,
    miopenTensorDescriptor_t wDesc, int dtype
) noexcept nogil:
    cdef int64_t lens[2]
    if not is_handle(handle) or not is_input(rnnDesc, xDesc) or wDesc == NULL or wDesc.kind != MI_TENSOR:
        return miopenStatusBadParm
    if dtype != rnnDesc.type:
        return miopenStatusBadParm
    lens[0] = input_size(rnnDesc, xDesc.lens[1], 0)
    lens[0] += ((rnnDesc.layers - 1) * (directions(rnnDesc) + 1) + 1) * rnnDesc.hidden
    if rnnDesc.bias == miopenRNNwithBias:
        lens[0] += 2 * rnnDesc.layers
    lens[1] = directions(rnnDesc) * rnnDesc.hidden * gates_of(rnnDesc.mode)
    return mi_set_tensor(wDesc, dtype, 2, lens, NULL)


cdef public miopenStatus_t miopenGetRNNLayerParamSize(
    miopenHandle_t handle, miopenRNNDescriptor_t rnnDesc, const int layer, miopenTensorDescriptor_t xDesc,
    const int paramID, size_t *numBytes
) noexcept nogil:
    cdef int64_t row
    if not is_handle(handle) or not is_input(rnnDesc, xDesc) or numBytes == NULL or xDesc.type != rnnDesc.type:
        return miopenStatusBadParm
    row = rnnDesc.hidden if paramID >= gates_of(rnnDesc.mode) else input_size(rnnDesc, xDesc.lens[1], layer)
    numBytes[0] = <size_t>(row * rnnDesc.hidden * mi_type_size(rnnDesc.type))
    return miopenStatusSuccess


cdef public miopenStatus_t miopenGetRNNLayerBiasSize(
    miopenHandle_t handle, miopenRNNDescriptor_t rnnDesc, const int layer, const int biasID, size_t *numBytes
) noexcept nogil:
    if not is_handle(handle) or not is_rnn(rnnDesc) or numBytes == NULL:
        return miopenStatusBadParm
    numBytes[0] = <size_t>(rnnDesc.hidden * mi_type_size(rnnDesc.type))
    return miopenStatusSuccess


cdef public miopenStatus_t miopenGetRNNLayerParamOffset(
    miopenRNNDescriptor_t rnnDesc, const int layer, miopenTensorDescriptor_t xDesc, const int paramID,
    miopenTensorDescriptor_t paramDesc, size_t *layerParamOffset
) noexcept nogil:
    cdef int64_t lens[2]
    cdef miopenStatus_t status
    if not is_input(rnnDesc, xDesc) or paramDesc == NULL or paramDesc.kind != MI_TENSOR:
        return miopenStatusBadParm
    if not is_place(rnnDesc, layer, paramID) or skips(rnnDesc, layer, paramID):
        return miopenStatusBadParm
    lens[0] = rnnDesc.hidden
    lens[1] = rnnDesc.hidden if paramID >= gates_of(rnnDesc.mode) else input_size(rnnDesc, xDesc.lens[1], layer)
    status = mi_set_tensor(paramDesc, rnnDesc.type, 2, lens, NULL)
    if status == miopenStatusSuccess and layerParamOffset != NULL:
        layerParamOffset[0] = <size_t>param_offset(rnnDesc, xDesc.lens[1], layer, paramID)
    return status


cdef public miopenStatus_t miopenGetRNNLayerBiasOffset(
    miopenRNNDescriptor_t rnnDesc, const int layer, miopenTensorDescriptor_t xDesc, const int biasID,
    miopenTensorDescriptor_t biasDesc, size_t *layerBiasOffset
) noexcept nogil:
    """Without biases nothing is done, with success."""
    cdef int64_t lens[1]
    cdef miopenStatus_t status
    if not is_input(rnnDesc, xDesc) or biasDesc == NULL or biasDesc.kind != MI_TENSOR:
        return miopenStatusBadParm
    if rnnDesc.bias == miopenRNNNoBias:
        return miopenStatusSuccess
    if not is_place(rnnDesc, layer, biasID):
        return miopenStatusBadParm
    lens[0] = rnnDesc.hidden
    status = mi_set_tensor(biasDesc, rnnDesc.type, 1, lens, NULL)
    if status == miopenStatusSuccess and layerBiasOffset != NULL:
        layerBiasOffset[0] = <size_t>bias_offset(rnnDesc, xDesc.lens[1], layer, biasID)
    return status


cdef inline char *bytes_at(const void *memory, int64_t elements, int type) noexcept nogil:
    return <char *>memory + elements * mi_type_size(type)


cdef public miopenStatus_t miopenGetRNNLayerParam(
    miopenHandle_t handle, miopenRNNDescriptor_t rnnDesc, const int layer, miopenTensorDescriptor_t xDesc,
    miopenTensorDescriptor_t wDesc, const void *w, const int paramID, miopenTensorDescriptor_t paramDesc,
    void *layerParam
) noexcept nogil:
    """A copy; without a place for it only the descriptor."""
    cdef size_t offset = 0
    cdef miopenStatus_t status
    if not is_handle(handle) or not is_tensor(wDesc):
        return miopenStatusBadParm
    status = miopenGetRNNLayerParamOffset(rnnDesc, layer, xDesc, paramID, paramDesc, &offset)
    if status != miopenStatusSuccess or layerParam == NULL:
        return status
    if w == NULL:
        return miopenStatusBadParm
    if mi_refused(handle):
        return miopenStatusUnknownError
    memcpy(
        layerParam, bytes_at(w, <int64_t>offset, rnnDesc.type),
        <size_t>(mi_elements(paramDesc) * mi_type_size(rnnDesc.type))
    )
    return miopenStatusSuccess


cdef public miopenStatus_t miopenGetRNNLayerBias(
    miopenHandle_t handle, miopenRNNDescriptor_t rnnDesc, const int layer, miopenTensorDescriptor_t xDesc,
    miopenTensorDescriptor_t wDesc, const void *w, const int biasID, miopenTensorDescriptor_t biasDesc, void *layerBias
) noexcept nogil:
    cdef size_t offset = 0
    cdef miopenStatus_t status
    if not is_handle(handle) or not is_tensor(wDesc):
        return miopenStatusBadParm
    status = miopenGetRNNLayerBiasOffset(rnnDesc, layer, xDesc, biasID, biasDesc, &offset)
    if status != miopenStatusSuccess or layerBias == NULL or rnnDesc.bias == miopenRNNNoBias:
        return status
    if w == NULL:
        return miopenStatusBadParm
    if mi_refused(handle):
        return miopenStatusUnknownError
    memcpy(
        layerBias, bytes_at(w, <int64_t>offset, rnnDesc.type), <size_t>(rnnDesc.hidden * mi_type_size(rnnDesc.type))
    )
    return miopenStatusSuccess


cdef public miopenStatus_t miopenSetRNNLayerParam(
    miopenHandle_t handle, miopenRNNDescriptor_t rnnDesc, const int layer, miopenTensorDescriptor_t xDesc,
    miopenTensorDescriptor_t wDesc, void *w, const int paramID, miopenTensorDescriptor_t paramDesc,
    const void *layerParam
) noexcept nogil:
    """MIOpen writes the matrix column by column, where GetRNNLayerParam reads it row by row: transposed, and kept."""
    cdef int64_t at, i, j
    cdef int size
    if not is_handle(handle) or not is_input(rnnDesc, xDesc) or not is_tensor(wDesc) or not is_tensor(paramDesc):
        return miopenStatusBadParm
    if not is_place(rnnDesc, layer, paramID) or skips(rnnDesc, layer, paramID):
        return miopenStatusBadParm
    if w == NULL or layerParam == NULL or paramDesc.dims != 2 or paramDesc.type != rnnDesc.type:
        return miopenStatusBadParm
    if paramDesc.lens[0] != rnnDesc.hidden or paramDesc.lens[1] != (
        rnnDesc.hidden if paramID >= gates_of(rnnDesc.mode) else input_size(rnnDesc, xDesc.lens[1], layer)
    ):
        return miopenStatusBadParm
    if mi_refused(handle):
        return miopenStatusUnknownError
    at = param_offset(rnnDesc, xDesc.lens[1], layer, paramID)
    size = mi_type_size(rnnDesc.type)
    for i in range(paramDesc.lens[0]):
        for j in range(paramDesc.lens[1]):
            memcpy(
                bytes_at(w, at + i + j * paramDesc.lens[0], rnnDesc.type),
                bytes_at(layerParam, i * paramDesc.strides[0] + j * paramDesc.strides[1], rnnDesc.type), <size_t>size
            )
    return miopenStatusSuccess


cdef public miopenStatus_t miopenSetRNNLayerBias(
    miopenHandle_t handle, miopenRNNDescriptor_t rnnDesc, const int layer, miopenTensorDescriptor_t xDesc,
    miopenTensorDescriptor_t wDesc, void *w, const int biasID, miopenTensorDescriptor_t biasDesc, const void *layerBias
) noexcept nogil:
    if not is_handle(handle) or not is_input(rnnDesc, xDesc) or not is_tensor(wDesc) or not is_tensor(biasDesc):
        return miopenStatusBadParm
    if rnnDesc.bias == miopenRNNNoBias:
        return miopenStatusSuccess
    if not is_place(rnnDesc, layer, biasID) or w == NULL or layerBias == NULL:
        return miopenStatusBadParm
    if mi_elements(biasDesc) != rnnDesc.hidden or biasDesc.type != rnnDesc.type:
        return miopenStatusBadParm
    if mi_refused(handle):
        return miopenStatusUnknownError
    memcpy(
        bytes_at(w, bias_offset(rnnDesc, xDesc.lens[1], layer, biasID), rnnDesc.type), layerBias,
        <size_t>(rnnDesc.hidden * mi_type_size(rnnDesc.type))
    )
    return miopenStatusSuccess
