# cython: language_level=3, cdivision=True, boundscheck=False, wraparound=False
"""Descriptors of recurrent networks and of sequences."""
include "miopen.pxi"
include "shared.pxi"
include "rnn_places.pxi"

from libc.stdlib cimport calloc, free
from libc.string cimport memcpy


# ---- RNN descriptors ----

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
