# cython: language_level=3, cdivision=True, boundscheck=False, wraparound=False
"""Recurrent networks of the CPU backend's MIOpen: descriptors, sizes, where weights lie, forward and backward.

Gates come in MIOpen's order: LSTM input, forget, output, candidate; GRU update, reset, candidate. A layer's matrices
stand one behind the other, rows of the hidden size, each row as long as the layer's input: of both directions first
those for the input, then those for the hidden state. All biases follow all matrices. Offsets count elements.

The reserve space takes what a backward call needs, layer by layer: gates, states, outputs. BackwardData leaves the
gates' gradients in the workspace, where BackwardWeights finds them: it must be the same, untouched. BackwardWeights
sets dw, it does not add.
"""
include "miopen.pxi"
include "shared.pxi"
include "elements.pxi"
include "rnn_cells.pxi"

from libc.stdlib cimport calloc, free
from libc.string cimport memcpy, memset

cdef extern from "miopen.h" nogil:
    int mi_draw(mi_dropout *dropout, int64_t count, unsigned char *mask)
    double mi_keep_scale(float rate)


# ---- RNN descriptors ----

cdef inline bint is_rnn(const mi_rnn *rnn) noexcept nogil:
    return rnn != NULL and rnn.kind == MI_RNN


cdef public miopenStatus_t miopenCreateRNNDescriptor(miopenRNNDescriptor_t *rnnDesc) noexcept nogil:
    if rnnDesc == NULL:
        return miopenStatusBadParm
    rnnDesc[0] = <mi_rnn *>mi_new(MI_RNN, sizeof(mi_rnn))
    if rnnDesc[0] == NULL:
        return miopenStatusAllocFailed
    rnnDesc[0].layers = 1
    rnnDesc[0].mode = miopenRNNTANH
    rnnDesc[0].type = miopenFloat
    return miopenStatusSuccess


cdef public miopenStatus_t miopenDestroyRNNDescriptor(miopenRNNDescriptor_t rnnDesc) noexcept nogil:
    if not is_rnn(rnnDesc):
        return miopenStatusBadParm
    rnnDesc.kind = 0
    free(rnnDesc)
    return miopenStatusSuccess


cdef public miopenStatus_t miopenSetRNNDescriptor_V2(
    miopenRNNDescriptor_t rnnDesc, const int hsize, const int nlayers, miopenDropoutDescriptor_t dropoutDesc,
    int inMode, int direction, int rnnMode, int biasMode, int algo, int dataType
) noexcept nogil:
    """The input mode and the algorithm may be any number. Setting forgets the padding mode. Without dropout it
    succeeds, and sizes of the workspace by steps and of what is kept for training are refused later (MIOpen 7.2.4
    follows the NULL)."""
    if not is_rnn(rnnDesc) or hsize < 0 or nlayers < 0 or rnnMode < miopenRNNRELU or rnnMode > miopenGRU:
        return miopenStatusBadParm
    if direction < 0 or direction > 1 or biasMode < 0 or biasMode > 1:
        return miopenStatusBadParm
    if dataType != miopenFloat and dataType != miopenHalf:
        return miopenStatusBadParm
    if dropoutDesc != NULL and dropoutDesc.kind != MI_DROPOUT:
        return miopenStatusBadParm
    rnnDesc.hidden = hsize
    rnnDesc.layers = nlayers
    rnnDesc.mode = rnnMode
    rnnDesc.input = inMode
    rnnDesc.direction = direction
    rnnDesc.bias = biasMode
    rnnDesc.algo = algo
    rnnDesc.type = dataType
    rnnDesc.padding = miopenRNNIONotPadded
    rnnDesc.dropout = dropoutDesc
    rnnDesc.lacks_dropout = dropoutDesc == NULL
    return miopenStatusSuccess


cdef public miopenStatus_t miopenSetRNNDescriptor(
    miopenRNNDescriptor_t rnnDesc, const int hsize, const int nlayers, int inMode, int direction, int rnnMode,
    int biasMode, int algo, int dataType
) noexcept nogil:
    cdef miopenStatus_t status = miopenSetRNNDescriptor_V2(
        rnnDesc, hsize, nlayers, NULL, inMode, direction, rnnMode, biasMode, algo, dataType
    )
    if status == miopenStatusSuccess:
        rnnDesc.lacks_dropout = False
    return status


cdef inline void tell(int *place, int value) noexcept nogil:
    if place != NULL:
        place[0] = value


cdef public miopenStatus_t miopenGetRNNDescriptor_V2(
    miopenRNNDescriptor_t rnnDesc, int *hiddenSize, int *layer, miopenDropoutDescriptor_t *dropoutDesc, int *inputMode,
    int *dirMode, int *rnnMode, int *biasMode, int *algoMode, int *dataType
) noexcept nogil:
    if not is_rnn(rnnDesc):
        return miopenStatusBadParm
    tell(hiddenSize, rnnDesc.hidden)
    tell(layer, rnnDesc.layers)
    tell(inputMode, rnnDesc.input)
    tell(dirMode, rnnDesc.direction)
    tell(rnnMode, rnnDesc.mode)
    tell(biasMode, rnnDesc.bias)
    tell(algoMode, rnnDesc.algo)
    tell(dataType, rnnDesc.type)
    if dropoutDesc != NULL:
        dropoutDesc[0] = rnnDesc.dropout
    return miopenStatusSuccess


cdef public miopenStatus_t miopenGetRNNDescriptor(
    miopenRNNDescriptor_t rnnDesc, int *rnnMode, int *algoMode, int *inputMode, int *dirMode, int *biasMode,
    int *hiddenSize, int *layer
) noexcept nogil:
    return miopenGetRNNDescriptor_V2(
        rnnDesc, hiddenSize, layer, NULL, inputMode, dirMode, rnnMode, biasMode, algoMode, NULL
    )


cdef public miopenStatus_t miopenSetRNNPaddingMode(miopenRNNDescriptor_t rnnDesc, int paddingMode) noexcept nogil:
    if not is_rnn(rnnDesc) or paddingMode < 0 or paddingMode > 1:
        return miopenStatusBadParm
    rnnDesc.padding = paddingMode
    return miopenStatusSuccess


cdef public miopenStatus_t miopenGetRNNPaddingMode(miopenRNNDescriptor_t rnnDesc, int *paddingMode) noexcept nogil:
    if not is_rnn(rnnDesc) or paddingMode == NULL:
        return miopenStatusBadParm
    paddingMode[0] = rnnDesc.padding
    return miopenStatusSuccess


# ---- descriptors of sequences ----

cdef inline bint is_seq(const mi_seq_tensor *seq) noexcept nogil:
    return seq != NULL and seq.kind == MI_SEQ_TENSOR and seq.lens != NULL


cdef public miopenStatus_t miopenCreateSeqTensorDescriptor(miopenSeqTensorDescriptor_t *tensorDesc) noexcept nogil:
    if tensorDesc == NULL:
        return miopenStatusBadParm
    tensorDesc[0] = <mi_seq_tensor *>mi_new(MI_SEQ_TENSOR, sizeof(mi_seq_tensor))
    return miopenStatusSuccess if tensorDesc[0] != NULL else miopenStatusAllocFailed


cdef public miopenStatus_t miopenDestroySeqTensorDescriptor(miopenSeqTensorDescriptor_t tensorDesc) noexcept nogil:
    if tensorDesc == NULL or tensorDesc.kind != MI_SEQ_TENSOR:
        return miopenStatusBadParm
    tensorDesc.kind = 0
    free(tensorDesc.lens)
    free(tensorDesc)
    return miopenStatusSuccess


cdef public miopenStatus_t miopenSetRNNDataSeqTensorDescriptor(
    miopenSeqTensorDescriptor_t seqTensorDesc, int dataType, int layout, int maxSequenceLen, int batchSize,
    int vectorSize, const int *sequenceLenArray, void *paddingMarker
) noexcept nogil:
    """Packed sequences must come longest first; padded ones in any order. A length of 0 is fine."""
    cdef int i
    cdef int32_t *lens
    if seqTensorDesc == NULL or seqTensorDesc.kind != MI_SEQ_TENSOR or sequenceLenArray == NULL:
        return miopenStatusBadParm
    if layout < miopenRNNDataSeqMajorNotPadded or layout > miopenRNNDataBatchMajorPadded:
        return miopenStatusBadParm
    if maxSequenceLen < 1 or batchSize < 1 or vectorSize < 1 or mi_type_size(dataType) == 0:
        return miopenStatusBadParm
    for i in range(batchSize):
        if sequenceLenArray[i] < 0 or sequenceLenArray[i] > maxSequenceLen:
            return miopenStatusBadParm
    lens = <int32_t *>calloc(<size_t>batchSize, sizeof(int32_t))
    if lens == NULL:
        return miopenStatusAllocFailed
    memcpy(lens, sequenceLenArray, <size_t>batchSize * sizeof(int32_t))
    free(seqTensorDesc.lens)
    seqTensorDesc.lens = lens
    seqTensorDesc.type = dataType
    seqTensorDesc.layout = layout
    seqTensorDesc.batch = batchSize
    seqTensorDesc.steps = maxSequenceLen
    seqTensorDesc.vector = vectorSize
    seqTensorDesc.has_marker = paddingMarker != NULL
    if paddingMarker != NULL:
        memcpy(seqTensorDesc.marker, paddingMarker, <size_t>mi_type_size(dataType))
    return miopenStatusSuccess


cdef public miopenStatus_t miopenGetRNNDataSeqTensorDescriptor(
    miopenSeqTensorDescriptor_t seqTensorDesc, int *dataType, int *layout, int *maxSequenceLen, int *batchSize,
    int *vectorSize, int sequenceLenArrayLimit, int *sequenceLenArray, void *paddingMarker
) noexcept nogil:
    cdef int i
    if not is_seq(seqTensorDesc) or dataType == NULL or layout == NULL or maxSequenceLen == NULL:
        return miopenStatusBadParm
    if batchSize == NULL or vectorSize == NULL:
        return miopenStatusBadParm
    dataType[0] = seqTensorDesc.type
    layout[0] = seqTensorDesc.layout
    maxSequenceLen[0] = seqTensorDesc.steps
    batchSize[0] = seqTensorDesc.batch
    vectorSize[0] = seqTensorDesc.vector
    if sequenceLenArray != NULL:
        for i in range(sequenceLenArrayLimit if sequenceLenArrayLimit < seqTensorDesc.batch else seqTensorDesc.batch):
            sequenceLenArray[i] = seqTensorDesc.lens[i]
    if paddingMarker != NULL and seqTensorDesc.has_marker:
        memcpy(paddingMarker, seqTensorDesc.marker, <size_t>mi_type_size(seqTensorDesc.type))
    return miopenStatusSuccess


# ---- where weights lie ----

cdef inline int64_t directions(const mi_rnn *rnn) noexcept nogil:
    return 1 + rnn.direction


cdef inline int64_t input_size(const mi_rnn *rnn, int64_t vector, int64_t layer) noexcept nogil:
    """Length of a row of a layer's input matrices; `layer` counts both directions apart."""
    if layer < directions(rnn):
        return 0 if rnn.input == miopenRNNskip else vector
    return rnn.hidden * directions(rnn)


cdef int64_t param_offset(const mi_rnn *rnn, int64_t vector, int64_t layer, int64_t param) noexcept nogil:
    """Matrix `param` of a layer: the gates' for the input, then their for the hidden state."""
    cdef int64_t gates = gates_of(rnn.mode), h = rnn.hidden, both = directions(rnn)
    cdef int64_t first = layer / both, side = layer % both, at = 0, row = input_size(rnn, vector, layer)
    if first > 0:
        at = both * gates * h * (input_size(rnn, vector, 0) + h)
        at += (first - 1) * both * gates * h * (both * h + h)
    if param < gates:
        return at + side * gates * h * row + param * h * row
    return at + both * gates * h * row + side * gates * h * h + (param - gates) * h * h


cdef int64_t bias_offset(const mi_rnn *rnn, int64_t vector, int64_t layer, int64_t bias) noexcept nogil:
    cdef int64_t gates = gates_of(rnn.mode), h = rnn.hidden, both = directions(rnn)
    cdef int64_t at = param_offset(rnn, vector, rnn.layers * both, 0)
    at += layer / both * both * 2 * gates * h + layer % both * gates * h
    return at + bias * h + ((both - 1) * gates * h if bias >= gates else 0)


cdef int64_t params_count(const mi_rnn *rnn, int64_t vector) noexcept nogil:
    cdef int64_t both = directions(rnn), count = param_offset(rnn, vector, rnn.layers * both, 0)
    if rnn.bias == miopenRNNwithBias:
        count += rnn.layers * both * 2 * gates_of(rnn.mode) * rnn.hidden
    return count


cdef inline bint skips(const mi_rnn *rnn, int layer, int param) noexcept nogil:
    """No such matrix: the first layer's input goes straight in."""
    return rnn.input == miopenRNNskip and layer < directions(rnn) and param < gates_of(rnn.mode)


cdef inline bint is_input(const mi_rnn *rnn, const mi_tensor *x) noexcept nogil:
    return is_rnn(rnn) and is_tensor(x) and x.dims >= 2


cdef inline bint is_place(const mi_rnn *rnn, int layer, int number) noexcept nogil:
    return 0 <= layer < rnn.layers * directions(rnn) and 0 <= number < 2 * gates_of(rnn.mode)


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


# ---- sizes of data and of what a call needs ----

cdef int64_t rows_of(const miopenTensorDescriptor_t *descs, int steps, const mi_rnn *rnn) noexcept nogil:
    """Rows of all steps, or -1 where the descriptors are none of the network's."""
    cdef int64_t rows = 0
    cdef int i
    if descs == NULL or steps < 1:
        return -1
    for i in range(steps):
        if not is_tensor(descs[i]) or descs[i].dims < 2 or (rnn != NULL and descs[i].type != rnn.type):
            return -1
        rows += descs[i].lens[0]
    return rows


cdef size_t main_workspace(const mi_rnn *rnn, int64_t rows) noexcept nogil:
    cdef int64_t parts = 6 if rnn.mode == miopenLSTM else 4 if rnn.mode == miopenGRU else 1
    return <size_t>(parts * rnn.layers * rows * rnn.hidden * mi_type_size(rnn.type) * directions(rnn))


cdef size_t reserve_values(const mi_rnn *rnn, int64_t rows) noexcept nogil:
    """All of the reserve space but what dropout keeps."""
    cdef int64_t parts = 7 if rnn.algo == 0 else 12
    if rnn.mode != miopenLSTM:
        parts = 8 if rnn.mode == miopenGRU else 2
    return <size_t>(parts * rnn.layers * rows * rnn.hidden * mi_type_size(rnn.type) * directions(rnn))


cdef inline bint drops(const mi_rnn *rnn) noexcept nogil:
    return rnn.dropout != NULL and rnn.dropout.kind == MI_DROPOUT and rnn.dropout.rate != 0


cdef size_t reserve_size(const mi_rnn *rnn, int64_t rows) noexcept nogil:
    cdef size_t size = reserve_values(rnn, rows)
    if drops(rnn):
        size += <size_t>((rnn.layers - 1) * rows * rnn.hidden * (mi_type_size(rnn.type) + 1) * directions(rnn))
    return size


cdef size_t legacy_workspace(const mi_rnn *rnn, const miopenTensorDescriptor_t *descs, int64_t rows) noexcept nogil:
    cdef size_t size = main_workspace(rnn, rows)
    if rnn.padding == miopenRNNIOWithPadding:  # copies of x and y without the padding
        size += <size_t>(rows * (descs[0].lens[1] + rnn.hidden * directions(rnn)) * mi_type_size(rnn.type))
    return size


cdef size_t seq_workspace(const mi_rnn *rnn, const mi_seq_tensor *x, int mode) noexcept nogil:
    cdef int64_t rows = <int64_t>x.batch * x.steps, in_ = rows * x.vector, out = rows * rnn.hidden * directions(rnn)
    cdef int64_t states = (2 if mode == miopenRNNInference else 3) * <int64_t>x.batch * rnn.hidden * rnn.layers
    cdef int64_t copies = 2 * (in_ if in_ > out else out)
    cdef size_t size = main_workspace(rnn, rows)
    if x.layout != miopenRNNDataSeqMajorNotPadded:  # sorted copies of everything
        states *= directions(rnn) * (2 if rnn.mode == miopenLSTM else 1)
        size += <size_t>(((states if states > copies else copies) + in_ + out) * mi_type_size(rnn.type))
    return size


cdef int64_t rows_asked(
    miopenHandle_t handle, miopenRNNDescriptor_t rnnDesc, int length, const miopenTensorDescriptor_t *xDesc,
    const size_t *place
) noexcept nogil:
    """The rows of a sequence whose size somebody wants to know, or -1 where an argument is wrong."""
    if not is_handle(handle) or not is_rnn(rnnDesc) or rnnDesc.lacks_dropout or place == NULL:
        return -1
    return rows_of(xDesc, length, rnnDesc)


cdef public miopenStatus_t miopenGetRNNWorkspaceSize(
    miopenHandle_t handle, miopenRNNDescriptor_t rnnDesc, const int sequenceLen, const miopenTensorDescriptor_t *xDesc,
    size_t *numBytes
) noexcept nogil:
    cdef int64_t rows = rows_asked(handle, rnnDesc, sequenceLen, xDesc, numBytes)
    if rows < 0:
        return miopenStatusBadParm
    numBytes[0] = legacy_workspace(rnnDesc, xDesc, rows)
    return miopenStatusSuccess


cdef public miopenStatus_t miopenGetRNNTrainingReserveSize(
    miopenHandle_t handle, miopenRNNDescriptor_t rnnDesc, const int sequenceLen, const miopenTensorDescriptor_t *xDesc,
    size_t *numBytes
) noexcept nogil:
    cdef int64_t rows = rows_asked(handle, rnnDesc, sequenceLen, xDesc, numBytes)
    if rows < 0:
        return miopenStatusBadParm
    numBytes[0] = reserve_size(rnnDesc, rows)
    return miopenStatusSuccess


cdef public miopenStatus_t miopenGetRNNTempSpaceSizes(
    miopenHandle_t handle, miopenRNNDescriptor_t rnnDesc, miopenSeqTensorDescriptor_t xDesc, int fwdMode,
    size_t *workSpaceSize, size_t *reserveSpaceSize
) noexcept nogil:
    """For the longest sequences that the descriptor allows. Inference leaves the reserve size as it was."""
    if not is_handle(handle) or not is_rnn(rnnDesc) or not is_seq(xDesc) or xDesc.type != rnnDesc.type:
        return miopenStatusBadParm
    if workSpaceSize != NULL:
        workSpaceSize[0] = seq_workspace(rnnDesc, xDesc, fwdMode)
    if fwdMode == miopenRNNTraining and rnnDesc.lacks_dropout:
        return miopenStatusBadParm
    if fwdMode == miopenRNNTraining and reserveSpaceSize != NULL:
        reserveSpaceSize[0] = reserve_size(rnnDesc, <int64_t>xDesc.batch * xDesc.steps)
    return miopenStatusSuccess


cdef public miopenStatus_t miopenGetRNNInputTensorSize(
    miopenHandle_t handle, miopenRNNDescriptor_t rnnDesc, const int seqLen, miopenTensorDescriptor_t *xDesc,
    size_t *numBytes
) noexcept nogil:
    cdef int64_t rows = rows_asked(handle, rnnDesc, seqLen, xDesc, numBytes)
    if rows < 0:
        return miopenStatusBadParm
    if rnnDesc.padding == miopenRNNIOWithPadding:
        rows = seqLen * xDesc[0].lens[0]
    numBytes[0] = <size_t>(rows * xDesc[0].lens[1] * mi_type_size(rnnDesc.type))
    return miopenStatusSuccess


cdef public miopenStatus_t miopenGetRNNHiddenTensorSize(
    miopenHandle_t handle, miopenRNNDescriptor_t rnnDesc, const int seqLen, miopenTensorDescriptor_t *xDesc,
    size_t *numBytes
) noexcept nogil:
    if rows_asked(handle, rnnDesc, seqLen, xDesc, numBytes) < 0:
        return miopenStatusBadParm
    numBytes[0] = <size_t>(
        xDesc[0].lens[0] * rnnDesc.hidden * rnnDesc.layers * directions(rnnDesc) * mi_type_size(rnnDesc.type)
    )
    return miopenStatusSuccess


# ---- how the rows lie: a plan for one call ----

cdef void free_plan(Plan *p) noexcept nogil:
    mi_scratch_done(p.batch)
    p.batch = NULL


cdef bint make_plan(Plan *p, const mi_rnn *rnn, int64_t vector, int64_t sequences, int64_t steps) noexcept nogil:
    """Room for the counts of each step and sequence; the caller fills `batch` and `order`."""
    cdef int64_t *memory = <int64_t *>mi_scratch(<size_t>(2 * steps + sequences + 1) * sizeof(int64_t))
    memset(p, 0, sizeof(Plan))
    p.batch = memory
    if memory == NULL:
        return False
    p.first = memory + steps
    p.order = memory + 2 * steps + 1
    p.mode = rnn.mode
    p.gates = gates_of(rnn.mode)
    p.kept = kept_of(rnn.mode)
    p.hidden = rnn.hidden
    p.layers = rnn.layers
    p.sides = directions(rnn)
    p.bias = rnn.bias == miopenRNNwithBias
    p.skip = rnn.input == miopenRNNskip
    p.type = rnn.type
    p.vector = vector
    p.sequences = sequences
    p.steps = steps
    return True


cdef void count_rows(Plan *p) noexcept nogil:
    cdef int64_t t
    p.rows = 0
    for t in range(p.steps):
        p.first[t] = p.rows
        p.rows += p.batch[t]
    p.first[p.steps] = p.rows


cdef miopenStatus_t plan_of_seq(Plan *p, const mi_rnn *rnn, const mi_seq_tensor *x,
        const mi_seq_tensor *y) noexcept nogil:
    """Sequences longest first; equal ones in their own order."""
    cdef int64_t i, j, t, moved
    if x.type != rnn.type or y.type != rnn.type or x.batch != y.batch or x.steps != y.steps or x.layout != y.layout:
        return miopenStatusBadParm
    if y.vector != rnn.hidden * directions(rnn) or (rnn.input == miopenRNNskip and x.vector != rnn.hidden):
        return miopenStatusBadParm
    for i in range(x.batch):
        if x.lens[i] != y.lens[i]:
            return miopenStatusBadParm
        if i > 0 and x.layout == miopenRNNDataSeqMajorNotPadded and x.lens[i] > x.lens[i - 1]:
            return miopenStatusBadParm
    if not make_plan(p, rnn, x.vector, x.batch, x.steps):
        return miopenStatusAllocFailed
    p.layout = x.layout
    for i in range(x.batch):
        j = i
        while j > 0 and x.lens[p.order[j - 1]] < x.lens[i]:
            p.order[j] = p.order[j - 1]
            j -= 1
        p.order[j] = i
    for t in range(p.steps):
        moved = 0
        while moved < x.batch and x.lens[p.order[moved]] > t:
            moved += 1
        p.batch[t] = moved
    count_rows(p)
    return miopenStatusSuccess


cdef miopenStatus_t plan_of_steps(
    Plan *p, const mi_rnn *rnn, int steps, const miopenTensorDescriptor_t *x, const miopenTensorDescriptor_t *y
) noexcept nogil:
    """A descriptor a step, their batches never growing."""
    cdef int64_t t
    if rows_of(x, steps, rnn) < 0 or rows_of(y, steps, rnn) < 0:
        return miopenStatusBadParm
    if y[0].lens[1] != rnn.hidden * directions(rnn) or (rnn.input == miopenRNNskip and x[0].lens[1] != rnn.hidden):
        return miopenStatusBadParm
    for t in range(steps):
        if x[t].lens[0] != y[t].lens[0] or (t > 0 and x[t].lens[0] > x[t - 1].lens[0]):
            return miopenStatusBadParm
    if not make_plan(p, rnn, x[0].lens[1], x[0].lens[0], steps):
        return miopenStatusAllocFailed
    p.layout = miopenRNNDataSeqMajorNotPadded
    if rnn.padding == miopenRNNIOWithPadding:
        p.layout = miopenRNNDataSeqMajorPadded
    for t in range(p.sequences):
        p.order[t] = t
    for t in range(steps):
        p.batch[t] = x[t].lens[0]
    count_rows(p)
    return miopenStatusSuccess


cdef inline bint is_state(const Plan *p, const mi_tensor *desc) noexcept nogil:
    """layers × sequences × hidden, packed."""
    return (
        is_tensor(desc) and desc.dims == 3 and desc.type == p.type and desc.lens[0] == p.layers * p.sides
        and desc.lens[1] == p.sequences and desc.lens[2] == p.hidden
    )


cdef void fill_padding(const mi_seq_tensor *seq, void *data) noexcept nogil:
    """With a marker the whole tensor is set to it before the sequences are written."""
    cdef int64_t i
    cdef size_t size = <size_t>mi_type_size(seq.type)
    if seq.has_marker and seq.layout != miopenRNNDataSeqMajorNotPadded:
        for i in range(<int64_t>seq.batch * seq.steps * seq.vector):
            memcpy(<char *>data + <size_t>i * size, seq.marker, size)


# ---- the work ----

cdef miopenStatus_t forward(
    Plan *p, mi_rnn *rnn, const void *x, const void *hx, const void *cx, const void *w, void *y, void *hy, void *cy,
    void *reserve
) noexcept nogil:
    """With a reserve space what backward needs is kept there, and outputs between layers drop out."""
    cdef int64_t layer, side, k, count = params_count(rnn, p.vector), width = p.hidden * p.sides
    cdef int64_t wide = p.vector if p.vector > width else width, rows = p.rows if p.rows else 1
    cdef int64_t size = count + rows * (wide + 2 * width + p.gates * p.hidden + p.kept * p.hidden)
    cdef float *memory = <float *>mi_scratch(
        <size_t>(size + p.sequences * p.hidden * (2 + p.gates)) * sizeof(float)
    )
    cdef Cell cell
    cdef float *weights = memory
    cdef float *in_
    cdef float *out
    cdef unsigned char *mask
    if memory == NULL:
        return miopenStatusAllocFailed
    in_ = weights + count
    out = in_ + rows * wide
    cell.mixed = out + rows * 2 * width
    cell.kept = cell.mixed + rows * p.gates * p.hidden
    cell.state = cell.kept + rows * p.kept * p.hidden
    cell.cell_state = cell.state + p.sequences * p.hidden
    cell.step = cell.cell_state + p.sequences * p.hidden
    to_floats(p.type, w, 0, count, weights)
    take_rows(p, x, p.vector, in_)
    for layer in range(p.layers):
        for side in range(p.sides):
            k = layer * p.sides + side
            set_weights(&cell, p, rnn, weights, k)
            take_states(p, hx, k, cell.state)
            take_states(p, cx, k, cell.cell_state)
            forward_cell(p, &cell, side, in_, out + side * p.hidden, width)
            put_states(p, hy, k, cell.state)
            if p.mode == miopenLSTM:
                put_states(p, cy, k, cell.cell_state)
            if reserve != NULL:
                from_floats(p.type, cell.kept, p.rows * p.kept * p.hidden, reserve, k * p.rows * p.kept * p.hidden)
        memcpy(in_, out, <size_t>(p.rows * width) * sizeof(float))
        if reserve != NULL and layer + 1 < p.layers and drops(rnn):
            mask = <unsigned char *>reserve + reserve_values(rnn, p.rows) + layer * p.rows * width
            if not mi_draw(rnn.dropout, p.rows * width, mask):
                mi_scratch_done(memory)
                return miopenStatusUnknownError
            apply_mask(in_, mask, p.rows * width, <float>mi_keep_scale(rnn.dropout.rate))
    put_rows(p, out, width, y)
    mi_scratch_done(memory)
    return miopenStatusSuccess


cdef void set_weights(Cell *cell, const Plan *p, const mi_rnn *rnn, float *weights, int64_t k) noexcept nogil:
    """Layer and direction k's."""
    cell.inputs = input_size(rnn, p.vector, k)
    cell.w = weights + param_offset(rnn, p.vector, k, 0)
    cell.u = weights + param_offset(rnn, p.vector, k, p.gates)
    cell.b_w = weights + bias_offset(rnn, p.vector, k, 0) if p.bias else NULL
    cell.b_u = weights + bias_offset(rnn, p.vector, k, p.gates) if p.bias else NULL


cdef miopenStatus_t backward_data(
    Plan *p, mi_rnn *rnn, const void *dy, const void *hx, const void *cx, const void *dhy, const void *dcy,
    const void *w, void *dx, void *dhx, void *dcx, void *workspace, const void *reserve
) noexcept nogil:
    cdef int64_t layer, side, k, inputs, count = params_count(rnn, p.vector), width = p.hidden * p.sides
    cdef int64_t wide = p.vector if p.vector > width else width, rows = p.rows if p.rows else 1
    cdef int64_t states = p.sequences * p.hidden
    cdef int64_t size = count + rows * (2 * wide + (p.gates + p.kept) * p.hidden) + states * (4 + p.gates)
    cdef float *memory = <float *>mi_scratch(<size_t>size * sizeof(float))
    cdef Cell cell
    cdef float *weights = memory
    cdef float *d_out
    cdef float *d_in
    cdef const unsigned char *mask
    if memory == NULL:
        return miopenStatusAllocFailed
    d_out = weights + count
    d_in = d_out + rows * wide
    cell.mixed = d_in + rows * wide
    cell.kept = cell.mixed + rows * p.gates * p.hidden
    cell.state = cell.kept + rows * p.kept * p.hidden
    cell.cell_state = cell.state + states
    cell.before = cell.cell_state + states
    cell.cell_before = cell.before + states
    cell.step = cell.cell_before + states
    to_floats(p.type, w, 0, count, weights)
    take_rows(p, dy, width, d_out)
    layer = p.layers - 1
    while layer >= 0:
        inputs = width if layer > 0 else p.vector
        memset(d_in, 0, <size_t>(p.rows * inputs) * sizeof(float))
        for side in range(p.sides):
            k = layer * p.sides + side
            set_weights(&cell, p, rnn, weights, k)
            to_floats(p.type, reserve, k * p.rows * p.kept * p.hidden, p.rows * p.kept * p.hidden, cell.kept)
            take_states(p, hx, k, cell.before)
            take_states(p, cx, k, cell.cell_before)
            take_states(p, dhy, k, cell.state)
            take_states(p, dcy, k, cell.cell_state)
            backward_cell(p, &cell, side, d_out + side * p.hidden, width, d_in, inputs)
            put_states(p, dhx, k, cell.state)
            if p.mode == miopenLSTM:
                put_states(p, dcx, k, cell.cell_state)
            from_floats(
                p.type, cell.mixed, p.rows * p.gates * p.hidden, workspace, k * p.rows * p.gates * p.hidden
            )
        if layer > 0 and drops(rnn):
            mask = <const unsigned char *>reserve + reserve_values(rnn, p.rows) + (layer - 1) * p.rows * width
            apply_mask(d_in, mask, p.rows * width, <float>mi_keep_scale(rnn.dropout.rate))
        memcpy(d_out, d_in, <size_t>(p.rows * inputs) * sizeof(float))
        layer -= 1
    put_rows(p, d_out, p.vector, dx)
    mi_scratch_done(memory)
    return miopenStatusSuccess


cdef miopenStatus_t backward_weights(
    Plan *p, mi_rnn *rnn, const void *x, const void *hx, void *dw, const void *workspace, const void *reserve
) noexcept nogil:
    cdef int64_t layer, side, k, row, count = params_count(rnn, p.vector), width = p.hidden * p.sides
    cdef int64_t wide = p.vector if p.vector > width else width, rows = p.rows if p.rows else 1
    cdef int64_t outputs = (p.kept - 1) * p.rows * p.hidden  # the last that a layer keeps are its outputs
    cdef int64_t size = count + rows * (2 * wide + (p.gates + p.kept + 1) * p.hidden) + p.sequences * p.hidden
    cdef float *memory = <float *>mi_scratch(<size_t>size * sizeof(float))
    cdef Cell cell
    cdef float *weights = memory
    cdef float *in_
    cdef float *out
    cdef float *before
    cdef const unsigned char *mask
    if memory == NULL:
        return miopenStatusAllocFailed
    in_ = weights + count
    out = in_ + rows * wide
    cell.mixed = out + rows * wide
    cell.kept = cell.mixed + rows * p.gates * p.hidden
    before = cell.kept + rows * p.kept * p.hidden
    cell.before = before + rows * p.hidden
    memset(weights, 0, <size_t>count * sizeof(float))
    take_rows(p, x, p.vector, in_)
    for layer in range(p.layers):
        for side in range(p.sides):
            k = layer * p.sides + side
            set_weights(&cell, p, rnn, weights, k)
            to_floats(p.type, workspace, k * p.rows * p.gates * p.hidden, p.rows * p.gates * p.hidden, cell.mixed)
            to_floats(p.type, reserve, k * p.rows * p.kept * p.hidden, p.rows * p.kept * p.hidden, cell.kept)
            take_states(p, hx, k, cell.before)
            weights_of_cell(p, &cell, side, in_, before)
            for row in range(p.rows):
                memcpy(
                    out + row * width + side * p.hidden, cell.kept + outputs + row * p.hidden,
                    <size_t>p.hidden * sizeof(float)
                )
        memcpy(in_, out, <size_t>(p.rows * width) * sizeof(float))
        if layer + 1 < p.layers and drops(rnn):
            mask = <const unsigned char *>reserve + reserve_values(rnn, p.rows) + layer * p.rows * width
            apply_mask(in_, mask, p.rows * width, <float>mi_keep_scale(rnn.dropout.rate))
    from_floats(p.type, weights, count, dw, 0)
    mi_scratch_done(memory)
    return miopenStatusSuccess


# ---- now, or recorded ----

cdef enum:
    FORWARD, BACKWARD_DATA, BACKWARD_WEIGHTS

# All that one of the three computes from. A recorded one has its copies, and the plan's arrays behind it.
cdef struct Net:
    int what
    Plan p
    mi_rnn rnn
    mi_dropout dropout
    mi_seq_tensor marked   # whose data is filled with its marker first
    void *fill             # that data, or NULL
    const void *given[7]
    void *made[4]


cdef miopenStatus_t run(Net *n) noexcept nogil:
    if n.fill != NULL:
        fill_padding(&n.marked, n.fill)
    if n.what == FORWARD:
        return forward(
            &n.p, &n.rnn, n.given[0], n.given[1], n.given[2], n.given[3], n.made[0], n.made[1], n.made[2], n.made[3])
    if n.what == BACKWARD_DATA:
        return backward_data(
            &n.p, &n.rnn, n.given[0], n.given[1], n.given[2], n.given[3], n.given[4], n.given[5], n.made[0], n.made[1],
            n.made[2], n.made[3], n.given[6])
    return backward_weights(&n.p, &n.rnn, n.given[0], n.given[1], n.made[0], n.given[2], n.given[3])


cdef int run_again(void *record) noexcept nogil:
    cdef Net *n = <Net *>record
    cdef int64_t *arrays = <int64_t *>(n + 1)
    n.p.batch = arrays
    n.p.first = arrays + n.p.steps
    n.p.order = arrays + 2 * n.p.steps + 1
    if n.rnn.dropout != NULL:
        n.rnn.dropout = &n.dropout
    return run(n) != miopenStatusSuccess


cdef miopenStatus_t work(miopenHandle_t handle, Net *n, const Plan *p, const mi_rnn *rnn) noexcept nogil:
    """What has been checked."""
    cdef size_t arrays = <size_t>(2 * p.steps + p.sequences + 1) * sizeof(int64_t)
    cdef char *record
    cdef miopenStatus_t status
    n.p = p[0]
    n.rnn = rnn[0]
    if not mi_recorded(handle):
        return run(n)
    if rnn.dropout != NULL:
        n.dropout = rnn.dropout[0]
    record = <char *>mi_scratch(sizeof(Net) + arrays)
    if record == NULL:
        return miopenStatusAllocFailed
    memcpy(record, n, sizeof(Net))
    memcpy(record + sizeof(Net), p.batch, arrays)
    status = mi_admit(handle)
    if status == miopenStatusSuccess:
        status = mi_keep(handle, run_again, record, sizeof(Net) + arrays)
    mi_scratch_done(record)
    return status


cdef inline void set_forward(
    Net *n, const void *x, const void *hx, const void *cx, const void *w, void *y, void *hy, void *cy, void *reserve
) noexcept nogil:
    n.what = FORWARD
    n.fill = NULL
    n.given[0], n.given[1], n.given[2], n.given[3] = x, hx, cx, w
    n.made[0], n.made[1], n.made[2], n.made[3] = y, hy, cy, reserve


cdef inline void set_backward_data(
    Net *n, const void *dy, const void *hx, const void *cx, const void *dhy, const void *dcy, const void *w, void *dx,
    void *dhx, void *dcx, void *workspace, const void *reserve
) noexcept nogil:
    n.what = BACKWARD_DATA
    n.fill = NULL
    n.given[0], n.given[1], n.given[2], n.given[3], n.given[4], n.given[5], n.given[6] = (
        dy, hx, cx, dhy, dcy, w, reserve)
    n.made[0], n.made[1], n.made[2], n.made[3] = dx, dhx, dcx, workspace


cdef inline void set_backward_weights(
    Net *n, const void *x, const void *hx, void *dw, const void *workspace, const void *reserve
) noexcept nogil:
    n.what = BACKWARD_WEIGHTS
    n.fill = NULL
    n.given[0], n.given[1], n.given[2], n.given[3] = x, hx, workspace, reserve
    n.made[0] = dw


# ---- calls over sequences ----

cdef miopenStatus_t check_spaces(
    const mi_rnn *rnn, const mi_seq_tensor *x, int mode, size_t weights, const void *workspace, size_t workspace_size,
    const void *reserve, size_t reserve_bytes
) noexcept nogil:
    """MIOpen wants the reserve space of inference too."""
    if reserve_bytes < reserve_size(rnn, <int64_t>x.batch * x.steps) or workspace_size < seq_workspace(rnn, x, mode):
        return miopenStatusUnknownError
    if weights < <size_t>(params_count(rnn, x.vector) * mi_type_size(rnn.type)):
        return miopenStatusUnknownError
    return miopenStatusBadParm if workspace == NULL or reserve == NULL else miopenStatusSuccess


cdef public miopenStatus_t miopenRNNForward(
    miopenHandle_t handle, miopenRNNDescriptor_t rnnDesc, int fwdMode, miopenSeqTensorDescriptor_t xDesc, const void *x,
    miopenTensorDescriptor_t hDesc, const void *hx, void *hy, miopenTensorDescriptor_t cDesc, const void *cx, void *cy,
    miopenSeqTensorDescriptor_t yDesc, void *y, const void *w, size_t weightSpaceSize, void *workSpace,
    size_t workSpaceNumBytes, void *reserveSpace, size_t reserveSpaceNumBytes
) noexcept nogil:
    cdef Plan p
    cdef Net n
    cdef miopenStatus_t status
    if not is_handle(handle) or not is_rnn(rnnDesc) or not is_seq(xDesc) or not is_seq(yDesc):
        return miopenStatusBadParm
    if (x == NULL or w == NULL or y == NULL or not is_tensor(hDesc) or not is_tensor(cDesc)
            or xDesc.type != rnnDesc.type):
        return miopenStatusBadParm
    status = check_spaces(
        rnnDesc, xDesc, fwdMode, weightSpaceSize, workSpace, workSpaceNumBytes, reserveSpace, reserveSpaceNumBytes
    )
    if status != miopenStatusSuccess:
        return status
    status = plan_of_seq(&p, rnnDesc, xDesc, yDesc)
    if status != miopenStatusSuccess:
        return status
    if not is_state(&p, hDesc) or not is_state(&p, cDesc):
        status = miopenStatusBadParm
    else:
        set_forward(&n, x, hx, cx, w, y, hy, cy, reserveSpace if fwdMode == miopenRNNTraining else NULL)
        n.marked, n.fill = yDesc[0], y
        status = work(handle, &n, &p, rnnDesc)
    free_plan(&p)
    return status


cdef public miopenStatus_t miopenRNNBackwardSeqData(
    miopenHandle_t handle, miopenRNNDescriptor_t rnnDesc, miopenSeqTensorDescriptor_t yDesc, const void *y,
    const void *dy, miopenTensorDescriptor_t hDesc, const void *hx, const void *dhy, void *dhx,
    miopenTensorDescriptor_t cDesc, const void *cx, const void *dcy, void *dcx, miopenSeqTensorDescriptor_t xDesc,
    void *dx, const void *w, size_t weightSpaceSize, void *workSpace, size_t workSpaceNumBytes, void *reserveSpace,
    size_t reserveSpaceNumBytes
) noexcept nogil:
    cdef Plan p
    cdef Net n
    cdef miopenStatus_t status
    if not is_handle(handle) or not is_rnn(rnnDesc) or not is_seq(xDesc) or not is_seq(yDesc):
        return miopenStatusBadParm
    if (dx == NULL or w == NULL or dy == NULL or not is_tensor(hDesc) or not is_tensor(cDesc)
            or xDesc.type != rnnDesc.type):
        return miopenStatusBadParm
    status = check_spaces(
        rnnDesc, xDesc, miopenRNNTraining, weightSpaceSize, workSpace, workSpaceNumBytes, reserveSpace,
        reserveSpaceNumBytes
    )
    if status != miopenStatusSuccess:
        return status
    status = plan_of_seq(&p, rnnDesc, xDesc, yDesc)
    if status != miopenStatusSuccess:
        return status
    if not is_state(&p, hDesc) or not is_state(&p, cDesc):
        status = miopenStatusBadParm
    else:
        set_backward_data(&n, dy, hx, cx, dhy, dcy, w, dx, dhx, dcx, workSpace, reserveSpace)
        n.marked, n.fill = xDesc[0], dx
        status = work(handle, &n, &p, rnnDesc)
    free_plan(&p)
    return status


cdef public miopenStatus_t miopenRNNBackwardWeightsSeqTensor(
    miopenHandle_t handle, miopenRNNDescriptor_t rnnDesc, miopenSeqTensorDescriptor_t xDesc, const void *x,
    miopenTensorDescriptor_t hDesc, const void *hx, miopenSeqTensorDescriptor_t yDesc, const void *y, void *dw,
    size_t weightSpaceSize, void *workSpace, size_t workSpaceNumBytes, const void *reserveSpace,
    size_t reserveSpaceNumBytes
) noexcept nogil:
    cdef Plan p
    cdef Net n
    cdef miopenStatus_t status
    if not is_handle(handle) or not is_rnn(rnnDesc) or not is_seq(xDesc) or not is_seq(yDesc) or not is_tensor(hDesc):
        return miopenStatusBadParm
    if x == NULL or dw == NULL or xDesc.type != rnnDesc.type:
        return miopenStatusBadParm
    status = check_spaces(
        rnnDesc, xDesc, miopenRNNTraining, weightSpaceSize, workSpace, workSpaceNumBytes, reserveSpace,
        reserveSpaceNumBytes
    )
    if status != miopenStatusSuccess:
        return status
    status = plan_of_seq(&p, rnnDesc, xDesc, yDesc)
    if status != miopenStatusSuccess:
        return status
    if not is_state(&p, hDesc):
        status = miopenStatusBadParm
    else:
        set_backward_weights(&n, x, hx, dw, workSpace, reserveSpace)
        status = work(handle, &n, &p, rnnDesc)
    free_plan(&p)
    return status


# ---- calls with a descriptor a step ----

cdef miopenStatus_t start(
    Plan *p, miopenHandle_t handle, mi_rnn *rnn, int steps, const miopenTensorDescriptor_t *x,
    const miopenTensorDescriptor_t *y, const mi_tensor **states, int count, const mi_tensor *w, const void *workspace,
    size_t workspace_size
) noexcept nogil:
    """What the four calls check; the plan is made where all is well."""
    cdef miopenStatus_t status
    cdef int64_t rows
    cdef int i
    if not is_handle(handle) or not is_rnn(rnn) or not is_tensor(w):
        return miopenStatusBadParm
    rows = rows_of(x, steps, rnn)
    if rows < 0:
        return miopenStatusBadParm
    if workspace_size < legacy_workspace(rnn, x, rows):
        return miopenStatusUnknownError
    if workspace == NULL:
        return miopenStatusBadParm
    status = plan_of_steps(p, rnn, steps, x, y)
    if status != miopenStatusSuccess:
        return status
    for i in range(count):
        if not is_state(p, states[i]):
            free_plan(p)
            return miopenStatusBadParm
    return miopenStatusSuccess


cdef miopenStatus_t forward_steps(
    miopenHandle_t handle, mi_rnn *rnn, int steps, const miopenTensorDescriptor_t *xDesc, const void *x,
    const mi_tensor **states, const void *hx, const void *cx, const mi_tensor *wDesc, const void *w,
    const miopenTensorDescriptor_t *yDesc, void *y, void *hy, void *cy, void *workspace, size_t workspace_size,
    bint training, void *reserve, size_t reserve_bytes
) noexcept nogil:
    cdef Plan p
    cdef Net n
    cdef miopenStatus_t status
    if x == NULL or w == NULL or y == NULL:
        return miopenStatusBadParm
    status = start(&p, handle, rnn, steps, xDesc, yDesc, states, 4, wDesc, workspace, workspace_size)
    if status != miopenStatusSuccess:
        return status
    if training and reserve_bytes < reserve_size(rnn, p.rows):
        status = miopenStatusUnknownError
    elif training and reserve == NULL:
        status = miopenStatusBadParm
    else:
        set_forward(&n, x, hx, cx, w, y, hy, cy, reserve if training else NULL)
        status = work(handle, &n, &p, rnn)
    free_plan(&p)
    return status


cdef public miopenStatus_t miopenRNNForwardTraining(
    miopenHandle_t handle, miopenRNNDescriptor_t rnnDesc, const int sequenceLen, const miopenTensorDescriptor_t *xDesc,
    const void *x, miopenTensorDescriptor_t hxDesc, const void *hx, miopenTensorDescriptor_t cxDesc, const void *cx,
    miopenTensorDescriptor_t wDesc, const void *w, const miopenTensorDescriptor_t *yDesc, void *y,
    miopenTensorDescriptor_t hyDesc, void *hy, miopenTensorDescriptor_t cyDesc, void *cy, void *workSpace,
    size_t workSpaceNumBytes, void *reserveSpace, size_t reserveSpaceNumBytes
) noexcept nogil:
    cdef const mi_tensor *states[4]
    states[0], states[1], states[2], states[3] = hxDesc, cxDesc, hyDesc, cyDesc
    return forward_steps(
        handle, rnnDesc, sequenceLen, xDesc, x, states, hx, cx, wDesc, w, yDesc, y, hy, cy, workSpace,
        workSpaceNumBytes, True, reserveSpace, reserveSpaceNumBytes
    )


cdef public miopenStatus_t miopenRNNForwardInference(
    miopenHandle_t handle, miopenRNNDescriptor_t rnnDesc, const int sequenceLen, const miopenTensorDescriptor_t *xDesc,
    const void *x, miopenTensorDescriptor_t hxDesc, const void *hx, miopenTensorDescriptor_t cxDesc, const void *cx,
    miopenTensorDescriptor_t wDesc, const void *w, const miopenTensorDescriptor_t *yDesc, void *y,
    miopenTensorDescriptor_t hyDesc, void *hy, miopenTensorDescriptor_t cyDesc, void *cy, void *workSpace,
    size_t workSpaceNumBytes
) noexcept nogil:
    cdef const mi_tensor *states[4]
    states[0], states[1], states[2], states[3] = hxDesc, cxDesc, hyDesc, cyDesc
    return forward_steps(
        handle, rnnDesc, sequenceLen, xDesc, x, states, hx, cx, wDesc, w, yDesc, y, hy, cy, workSpace,
        workSpaceNumBytes, False, NULL, 0
    )


cdef public miopenStatus_t miopenRNNBackwardData(
    miopenHandle_t handle, miopenRNNDescriptor_t rnnDesc, const int sequenceLen, const miopenTensorDescriptor_t *yDesc,
    const void *y, const miopenTensorDescriptor_t *dyDesc, const void *dy, miopenTensorDescriptor_t dhyDesc,
    const void *dhy, miopenTensorDescriptor_t dcyDesc, const void *dcy, miopenTensorDescriptor_t wDesc, const void *w,
    miopenTensorDescriptor_t hxDesc, const void *hx, miopenTensorDescriptor_t cxDesc, const void *cx,
    const miopenTensorDescriptor_t *dxDesc, void *dx, miopenTensorDescriptor_t dhxDesc, void *dhx,
    miopenTensorDescriptor_t dcxDesc, void *dcx, void *workSpace, size_t workSpaceNumBytes, void *reserveSpace,
    size_t reserveSpaceNumBytes
) noexcept nogil:
    cdef Plan p
    cdef Net n
    cdef const mi_tensor *states[6]
    cdef miopenStatus_t status
    states[0], states[1], states[2], states[3], states[4], states[5] = (
        dhyDesc, dcyDesc, hxDesc, cxDesc, dhxDesc, dcxDesc)
    if dx == NULL or w == NULL or dy == NULL:
        return miopenStatusBadParm
    status = start(
        &p, handle, rnnDesc, sequenceLen, dxDesc, dyDesc, states, 6, wDesc, workSpace, workSpaceNumBytes
    )
    if status != miopenStatusSuccess:
        return status
    if reserveSpaceNumBytes < reserve_size(rnnDesc, p.rows):
        status = miopenStatusUnknownError
    elif reserveSpace == NULL:
        status = miopenStatusBadParm
    else:
        set_backward_data(&n, dy, hx, cx, dhy, dcy, w, dx, dhx, dcx, workSpace, reserveSpace)
        status = work(handle, &n, &p, rnnDesc)
    free_plan(&p)
    return status


cdef public miopenStatus_t miopenRNNBackwardWeights(
    miopenHandle_t handle, miopenRNNDescriptor_t rnnDesc, const int sequenceLen, const miopenTensorDescriptor_t *xDesc,
    const void *x, miopenTensorDescriptor_t hxDesc, const void *hx, const miopenTensorDescriptor_t *yDesc,
    const void *y, miopenTensorDescriptor_t dwDesc, void *dw, void *workSpace, size_t workSpaceNumBytes,
    const void *reserveSpace, size_t reserveSpaceNumBytes
) noexcept nogil:
    cdef Plan p
    cdef Net n
    cdef const mi_tensor *states[1]
    cdef miopenStatus_t status
    states[0] = hxDesc
    if x == NULL or dw == NULL:
        return miopenStatusBadParm
    status = start(
        &p, handle, rnnDesc, sequenceLen, xDesc, yDesc, states, 1, dwDesc, workSpace, workSpaceNumBytes
    )
    if status != miopenStatusSuccess:
        return status
    if reserveSpaceNumBytes < reserve_size(rnnDesc, p.rows):
        status = miopenStatusUnknownError
    elif reserveSpace == NULL:
        status = miopenStatusBadParm
    else:
        set_backward_weights(&n, x, hx, dw, workSpace, reserveSpace)
        status = work(handle, &n, &p, rnnDesc)
    free_plan(&p)
    return status
