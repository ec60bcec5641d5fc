"""The parameters of cuDNN's functions as this suite passes them: names and kinds.

The suite judges libraries that are generated from the tables, so it does not take the prototypes from there; a test
compares these with NVIDIA's headers (`tests/abi/test_dnn_prototypes.py`). A line: the versions that have the function
(`8`, `9`, `*` for both), its name, the result unless it is a status, and parameters with a letter for the kind:

    h handle                    i int, unsigned int      p data that is read (device memory)
    d descriptor, stream        z size_t                 w data that may be written (device memory)
    D where a descriptor goes   l 64-bit integer         s scalar in host memory
    e enumeration               f float, g double        a array in host memory that is read
                                                         o what a call answers in host memory
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Any

_C: dict[str, Any] = {
    **dict.fromkeys("hdDpwsao", ctypes.c_void_p),
    "e": ctypes.c_int,
    "i": ctypes.c_int,
    "z": ctypes.c_size_t,
    "l": ctypes.c_uint64,
    "f": ctypes.c_float,
    "g": ctypes.c_double,
    "v": None,
    "": ctypes.c_int,  # a status
}
_RESULT_TEXT = "p"  # a function that answers with a text


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter's name, and a letter for what C takes there."""

    name: str
    kind: str

    @property
    def is_pointer(self) -> bool:
        """Whether NULL can be passed at all."""
        return self.kind in "hdDpwsao"


@dataclass(frozen=True, slots=True)
class Prototype:
    """One function. `result` is empty for a status."""

    name: str
    versions: str
    result: str
    parameters: tuple[Parameter, ...]

    def exists(self, version: int) -> bool:
        return self.versions in ("*", str(version))

    def parameter(self, name: str) -> Parameter:
        return next(p for p in self.parameters if p.name == name)

    @property
    def argtypes(self) -> list[Any]:
        return [_C[p.kind] for p in self.parameters]

    @property
    def restype(self) -> Any:
        return ctypes.c_char_p if self.result == _RESULT_TEXT else _C[self.result]


def _parse(line: str) -> Prototype:
    head, _, tail = line.partition("|")
    versions, name, *result = head.split()
    parameters = tuple(Parameter(*word.split(":")) for word in tail.split())
    return Prototype(name, versions, result[-1] if result else "", parameters)


_TABLE = """
* cudnnGetVersion -> z |
* cudnnGetMaxDeviceVersion -> z |
* cudnnGetCudartVersion -> z |
* cudnnGetErrorString -> p | status:e
* cudnnQueryRuntimeError | handle:h rstatus:o mode:e tag:D
* cudnnGetProperty | type:e value:o
* cudnnCreate | handle:D
* cudnnDestroy | handle:h
* cudnnSetStream | handle:h streamId:d
* cudnnGetStream | handle:h streamId:o
* cudnnCreateTensorDescriptor | tensorDesc:D
* cudnnSetTensor4dDescriptor | tensorDesc:d format:e dataType:e n:i c:i h:i w:i
* cudnnSetTensor4dDescriptorEx | tensorDesc:d dataType:e n:i c:i h:i w:i nStride:i cStride:i hStride:i wStride:i
* cudnnGetTensor4dDescriptor | tensorDesc:d dataType:o n:o c:o h:o w:o nStride:o cStride:o hStride:o wStride:o
* cudnnSetTensorNdDescriptor | tensorDesc:d dataType:e nbDims:i dimA:a strideA:a
* cudnnSetTensorNdDescriptorEx | tensorDesc:d format:e dataType:e nbDims:i dimA:a
* cudnnGetTensorNdDescriptor | tensorDesc:d nbDimsRequested:i dataType:o nbDims:o dimA:o strideA:o
* cudnnGetTensorSizeInBytes | tensorDesc:d size:o
* cudnnDestroyTensorDescriptor | tensorDesc:d
* cudnnInitTransformDest | transformDesc:d srcDesc:d destDesc:d destSizeInBytes:o
* cudnnCreateTensorTransformDescriptor | transformDesc:D
* cudnnSetTensorTransformDescriptor | transformDesc:d nbDims:i destFormat:e padBeforeA:a padAfterA:a foldA:a
    direction:e
* cudnnGetTensorTransformDescriptor | transformDesc:d nbDimsRequested:i destFormat:o padBeforeA:o padAfterA:o foldA:o
    direction:o
* cudnnDestroyTensorTransformDescriptor | transformDesc:d
* cudnnTransformTensor | handle:h alpha:s xDesc:d x:p beta:s yDesc:d y:w
* cudnnTransformTensorEx | handle:h transDesc:d alpha:s srcDesc:d srcData:p beta:s destDesc:d destData:w
* cudnnAddTensor | handle:h alpha:s aDesc:d A:p beta:s cDesc:d C:w
* cudnnCreateOpTensorDescriptor | opTensorDesc:D
* cudnnSetOpTensorDescriptor | opTensorDesc:d opTensorOp:e opTensorCompType:e opTensorNanOpt:e
* cudnnGetOpTensorDescriptor | opTensorDesc:d opTensorOp:o opTensorCompType:o opTensorNanOpt:o
* cudnnDestroyOpTensorDescriptor | opTensorDesc:d
* cudnnOpTensor | handle:h opTensorDesc:d alpha1:s aDesc:d A:p alpha2:s bDesc:d B:p beta:s cDesc:d C:w
* cudnnCreateReduceTensorDescriptor | reduceTensorDesc:D
* cudnnSetReduceTensorDescriptor | reduceTensorDesc:d reduceTensorOp:e reduceTensorCompType:e reduceTensorNanOpt:e
    reduceTensorIndices:e reduceTensorIndicesType:e
* cudnnGetReduceTensorDescriptor | reduceTensorDesc:d reduceTensorOp:o reduceTensorCompType:o reduceTensorNanOpt:o
    reduceTensorIndices:o reduceTensorIndicesType:o
* cudnnDestroyReduceTensorDescriptor | reduceTensorDesc:d
* cudnnGetReductionIndicesSize | handle:h reduceTensorDesc:d aDesc:d cDesc:d sizeInBytes:o
* cudnnGetReductionWorkspaceSize | handle:h reduceTensorDesc:d aDesc:d cDesc:d sizeInBytes:o
* cudnnReduceTensor | handle:h reduceTensorDesc:d indices:w indicesSizeInBytes:z workspace:w workspaceSizeInBytes:z
    alpha:s aDesc:d A:p beta:s cDesc:d C:w
* cudnnSetTensor | handle:h yDesc:d y:w valuePtr:s
* cudnnScaleTensor | handle:h yDesc:d y:w alpha:s
* cudnnCreateFilterDescriptor | filterDesc:D
* cudnnSetFilter4dDescriptor | filterDesc:d dataType:e format:e k:i c:i h:i w:i
* cudnnGetFilter4dDescriptor | filterDesc:d dataType:o format:o k:o c:o h:o w:o
* cudnnSetFilterNdDescriptor | filterDesc:d dataType:e format:e nbDims:i filterDimA:a
* cudnnGetFilterNdDescriptor | filterDesc:d nbDimsRequested:i dataType:o format:o nbDims:o filterDimA:o
* cudnnGetFilterSizeInBytes | filterDesc:d size:o
* cudnnTransformFilter | handle:h transDesc:d alpha:s srcDesc:d srcData:p beta:s destDesc:d destData:w
* cudnnDestroyFilterDescriptor | filterDesc:d
* cudnnSoftmaxForward | handle:h algo:e mode:e alpha:s xDesc:d x:p beta:s yDesc:d y:w
* cudnnCreatePoolingDescriptor | poolingDesc:D
* cudnnSetPooling2dDescriptor | poolingDesc:d mode:e maxpoolingNanOpt:e windowHeight:i windowWidth:i verticalPadding:i
    horizontalPadding:i verticalStride:i horizontalStride:i
* cudnnGetPooling2dDescriptor | poolingDesc:d mode:o maxpoolingNanOpt:o windowHeight:o windowWidth:o verticalPadding:o
    horizontalPadding:o verticalStride:o horizontalStride:o
* cudnnSetPoolingNdDescriptor | poolingDesc:d mode:e maxpoolingNanOpt:e nbDims:i windowDimA:a paddingA:a strideA:a
* cudnnGetPoolingNdDescriptor | poolingDesc:d nbDimsRequested:i mode:o maxpoolingNanOpt:o nbDims:o windowDimA:o
    paddingA:o strideA:o
* cudnnGetPoolingNdForwardOutputDim | poolingDesc:d inputTensorDesc:d nbDims:i outputTensorDimA:o
* cudnnGetPooling2dForwardOutputDim | poolingDesc:d inputTensorDesc:d n:o c:o h:o w:o
* cudnnDestroyPoolingDescriptor | poolingDesc:d
* cudnnPoolingForward | handle:h poolingDesc:d alpha:s xDesc:d x:p beta:s yDesc:d y:w
* cudnnCreateActivationDescriptor | activationDesc:D
* cudnnSetActivationDescriptor | activationDesc:d mode:e reluNanOpt:e coef:g
* cudnnGetActivationDescriptor | activationDesc:d mode:o reluNanOpt:o coef:o
* cudnnSetActivationDescriptorSwishBeta | activationDesc:d swish_beta:g
* cudnnGetActivationDescriptorSwishBeta | activationDesc:d swish_beta:o
* cudnnDestroyActivationDescriptor | activationDesc:d
* cudnnActivationForward | handle:h activationDesc:d alpha:s xDesc:d x:p beta:s yDesc:d y:w
* cudnnCreateLRNDescriptor | normDesc:D
* cudnnSetLRNDescriptor | normDesc:d lrnN:i lrnAlpha:g lrnBeta:g lrnK:g
* cudnnGetLRNDescriptor | normDesc:d lrnN:o lrnAlpha:o lrnBeta:o lrnK:o
* cudnnDestroyLRNDescriptor | lrnDesc:d
* cudnnLRNCrossChannelForward | handle:h normDesc:d lrnMode:e alpha:s xDesc:d x:p beta:s yDesc:d y:w
* cudnnDivisiveNormalizationForward | handle:h normDesc:d mode:e alpha:s xDesc:d x:p means:p temp:w temp2:w beta:s
    yDesc:d y:w
* cudnnDeriveBNTensorDescriptor | derivedBnDesc:d xDesc:d mode:e
* cudnnBatchNormalizationForwardInference | handle:h mode:e alpha:s beta:s xDesc:d x:p yDesc:d y:w
    bnScaleBiasMeanVarDesc:d bnScale:p bnBias:p estimatedMean:p estimatedVariance:p epsilon:g
* cudnnDeriveNormTensorDescriptor | derivedNormScaleBiasDesc:d derivedNormMeanVarDesc:d xDesc:d mode:e groupCnt:i
* cudnnNormalizationForwardInference | handle:h mode:e normOps:e algo:e alpha:s beta:s xDesc:d x:p normScaleBiasDesc:d
    normScale:p normBias:p normMeanVarDesc:d estimatedMean:p estimatedVariance:p zDesc:d z:p activationDesc:d yDesc:d
    y:w epsilon:g groupCnt:i
* cudnnCreateSpatialTransformerDescriptor | stDesc:D
* cudnnSetSpatialTransformerNdDescriptor | stDesc:d samplerType:e dataType:e nbDims:i dimA:a
* cudnnDestroySpatialTransformerDescriptor | stDesc:d
* cudnnSpatialTfGridGeneratorForward | handle:h stDesc:d theta:p grid:w
* cudnnSpatialTfSamplerForward | handle:h stDesc:d alpha:s xDesc:d x:p grid:p beta:s yDesc:d y:w
* cudnnCreateDropoutDescriptor | dropoutDesc:D
* cudnnDestroyDropoutDescriptor | dropoutDesc:d
* cudnnDropoutGetStatesSize | handle:h sizeInBytes:o
* cudnnDropoutGetReserveSpaceSize | xdesc:d sizeInBytes:o
* cudnnSetDropoutDescriptor | dropoutDesc:d handle:h dropout:f states:w stateSizeInBytes:z seed:l
* cudnnRestoreDropoutDescriptor | dropoutDesc:d handle:h dropout:f states:w stateSizeInBytes:z seed:l
* cudnnGetDropoutDescriptor | dropoutDesc:d handle:h dropout:o states:o seed:o
* cudnnDropoutForward | handle:h dropoutDesc:d xdesc:d x:p ydesc:d y:w reserveSpace:w reserveSpaceSizeInBytes:z
8 cudnnCreateAlgorithmDescriptor | algoDesc:D
8 cudnnSetAlgorithmDescriptor | algoDesc:d algorithm:d
8 cudnnGetAlgorithmDescriptor | algoDesc:d algorithm:D
8 cudnnCopyAlgorithmDescriptor | src:d dest:d
8 cudnnDestroyAlgorithmDescriptor | algoDesc:d
8 cudnnCreateAlgorithmPerformance | algoPerf:D numberToCreate:i
8 cudnnSetAlgorithmPerformance | algoPerf:d algoDesc:d status:e time:f memory:z
8 cudnnGetAlgorithmPerformance | algoPerf:d algoDesc:D status:o time:o memory:o
8 cudnnDestroyAlgorithmPerformance | algoPerf:D numberToDestroy:i
8 cudnnGetAlgorithmSpaceSize | handle:h algoDesc:d algoSpaceSizeInBytes:o
8 cudnnSaveAlgorithm | handle:h algoDesc:d algoSpace:w algoSpaceSizeInBytes:z
8 cudnnRestoreAlgorithm | handle:h algoSpace:w algoSpaceSizeInBytes:z algoDesc:d
8 cudnnOpsInferVersionCheck |
* cudnnSoftmaxBackward | handle:h algo:e mode:e alpha:s yDesc:d y:p dyDesc:d dy:p beta:s dxDesc:d dx:w
* cudnnPoolingBackward | handle:h poolingDesc:d alpha:s yDesc:d y:p dyDesc:d dy:p xDesc:d x:p beta:s dxDesc:d dx:w
* cudnnActivationBackward | handle:h activationDesc:d alpha:s yDesc:d y:p dyDesc:d dy:p xDesc:d x:p beta:s dxDesc:d
    dx:w
* cudnnLRNCrossChannelBackward | handle:h normDesc:d lrnMode:e alpha:s yDesc:d y:p dyDesc:d dy:p xDesc:d x:p beta:s
    dxDesc:d dx:w
* cudnnDivisiveNormalizationBackward | handle:h normDesc:d mode:e alpha:s xDesc:d x:p means:p dy:p temp:w temp2:w
    beta:s dXdMeansDesc:d dx:w dMeans:w
* cudnnGetBatchNormalizationForwardTrainingExWorkspaceSize | handle:h mode:e bnOps:e xDesc:d zDesc:d yDesc:d
    bnScaleBiasMeanVarDesc:d activationDesc:d sizeInBytes:o
* cudnnGetBatchNormalizationBackwardExWorkspaceSize | handle:h mode:e bnOps:e xDesc:d yDesc:d dyDesc:d dzDesc:d
    dxDesc:d dBnScaleBiasDesc:d activationDesc:d sizeInBytes:o
* cudnnGetBatchNormalizationTrainingExReserveSpaceSize | handle:h mode:e bnOps:e activationDesc:d xDesc:d
    sizeInBytes:o
* cudnnBatchNormalizationForwardTraining | handle:h mode:e alpha:s beta:s xDesc:d x:p yDesc:d y:w
    bnScaleBiasMeanVarDesc:d bnScale:p bnBias:p exponentialAverageFactor:g resultRunningMean:w resultRunningVariance:w
    epsilon:g resultSaveMean:w resultSaveInvVariance:w
* cudnnBatchNormalizationForwardTrainingEx | handle:h mode:e bnOps:e alpha:s beta:s xDesc:d xData:p zDesc:d zData:p
    yDesc:d yData:w bnScaleBiasMeanVarDesc:d bnScale:p bnBias:p exponentialAverageFactor:g resultRunningMean:w
    resultRunningVariance:w epsilon:g resultSaveMean:w resultSaveInvVariance:w activationDesc:d workspace:w
    workSpaceSizeInBytes:z reserveSpace:w reserveSpaceSizeInBytes:z
* cudnnBatchNormalizationBackward | handle:h mode:e alphaDataDiff:s betaDataDiff:s alphaParamDiff:s betaParamDiff:s
    xDesc:d x:p dyDesc:d dy:p dxDesc:d dx:w dBnScaleBiasDesc:d bnScale:p dBnScaleResult:w dBnBiasResult:w epsilon:g
    savedMean:p savedInvVariance:p
* cudnnBatchNormalizationBackwardEx | handle:h mode:e bnOps:e alphaDataDiff:s betaDataDiff:s alphaParamDiff:s
    betaParamDiff:s xDesc:d xData:p yDesc:d yData:p dyDesc:d dyData:p dzDesc:d dzData:w dxDesc:d dxData:w
    dBnScaleBiasDesc:d bnScaleData:p bnBiasData:p dBnScaleData:w dBnBiasData:w epsilon:g savedMean:p
    savedInvVariance:p activationDesc:d workSpace:w workSpaceSizeInBytes:z reserveSpace:w reserveSpaceSizeInBytes:z
* cudnnGetNormalizationForwardTrainingWorkspaceSize | handle:h mode:e normOps:e algo:e xDesc:d zDesc:d yDesc:d
    normScaleBiasDesc:d activationDesc:d normMeanVarDesc:d sizeInBytes:o groupCnt:i
* cudnnGetNormalizationBackwardWorkspaceSize | handle:h mode:e normOps:e algo:e xDesc:d yDesc:d dyDesc:d dzDesc:d
    dxDesc:d dNormScaleBiasDesc:d activationDesc:d normMeanVarDesc:d sizeInBytes:o groupCnt:i
* cudnnGetNormalizationTrainingReserveSpaceSize | handle:h mode:e normOps:e algo:e activationDesc:d xDesc:d
    sizeInBytes:o groupCnt:i
* cudnnNormalizationForwardTraining | handle:h mode:e normOps:e algo:e alpha:s beta:s xDesc:d xData:p
    normScaleBiasDesc:d normScale:p normBias:p exponentialAverageFactor:g normMeanVarDesc:d resultRunningMean:w
    resultRunningVariance:w epsilon:g resultSaveMean:w resultSaveInvVariance:w activationDesc:d zDesc:d zData:p
    yDesc:d yData:w workspace:w workSpaceSizeInBytes:z reserveSpace:w reserveSpaceSizeInBytes:z groupCnt:i
* cudnnNormalizationBackward | handle:h mode:e normOps:e algo:e alphaDataDiff:s betaDataDiff:s alphaParamDiff:s
    betaParamDiff:s xDesc:d xData:p yDesc:d yData:p dyDesc:d dyData:p dzDesc:d dzData:w dxDesc:d dxData:w
    dNormScaleBiasDesc:d normScaleData:p normBiasData:p dNormScaleData:w dNormBiasData:w epsilon:g normMeanVarDesc:d
    savedMean:p savedInvVariance:p activationDesc:d workSpace:w workSpaceSizeInBytes:z reserveSpace:w
    reserveSpaceSizeInBytes:z groupCnt:i
* cudnnSpatialTfGridGeneratorBackward | handle:h stDesc:d dgrid:p dtheta:w
* cudnnSpatialTfSamplerBackward | handle:h stDesc:d alpha:s xDesc:d x:p beta:s dxDesc:d dx:w alphaDgrid:s dyDesc:d
    dy:p grid:p betaDgrid:s dgrid:w
* cudnnDropoutBackward | handle:h dropoutDesc:d dydesc:d dy:p dxdesc:d dx:w reserveSpace:w reserveSpaceSizeInBytes:z
8 cudnnOpsTrainVersionCheck |
* cudnnCreateRNNDescriptor | rnnDesc:D
* cudnnDestroyRNNDescriptor | rnnDesc:d
* cudnnSetRNNDescriptor_v8 | rnnDesc:d algo:e cellMode:e biasMode:e dirMode:e inputMode:e dataType:e mathPrec:e
    mathType:e inputSize:i hiddenSize:i projSize:i numLayers:i dropoutDesc:d auxFlags:i
* cudnnGetRNNDescriptor_v8 | rnnDesc:d algo:o cellMode:o biasMode:o dirMode:o inputMode:o dataType:o mathPrec:o
    mathType:o inputSize:o hiddenSize:o projSize:o numLayers:o dropoutDesc:D auxFlags:o
8 cudnnSetRNNDescriptor_v6 | handle:h rnnDesc:d hiddenSize:i numLayers:i dropoutDesc:d inputMode:e direction:e
    cellMode:e algo:e mathPrec:e
8 cudnnGetRNNDescriptor_v6 | handle:h rnnDesc:d hiddenSize:o numLayers:o dropoutDesc:D inputMode:o direction:o
    cellMode:o algo:o mathPrec:o
8 cudnnSetRNNMatrixMathType | rnnDesc:d mType:e
8 cudnnGetRNNMatrixMathType | rnnDesc:d mType:o
8 cudnnSetRNNBiasMode | rnnDesc:d biasMode:e
8 cudnnGetRNNBiasMode | rnnDesc:d biasMode:o
* cudnnRNNSetClip_v8 | rnnDesc:d clipMode:e clipNanOpt:e lclip:g rclip:g
* cudnnRNNGetClip_v8 | rnnDesc:d clipMode:o clipNanOpt:o lclip:o rclip:o
8 cudnnRNNSetClip | handle:h rnnDesc:d clipMode:e clipNanOpt:e lclip:g rclip:g
8 cudnnRNNGetClip | handle:h rnnDesc:d clipMode:o clipNanOpt:o lclip:o rclip:o
8 cudnnSetRNNProjectionLayers | handle:h rnnDesc:d recProjSize:i outProjSize:i
8 cudnnGetRNNProjectionLayers | handle:h rnnDesc:d recProjSize:o outProjSize:o
8 cudnnCreatePersistentRNNPlan | rnnDesc:d minibatch:i dataType:e plan:D
8 cudnnDestroyPersistentRNNPlan | plan:d
8 cudnnSetPersistentRNNPlan | rnnDesc:d plan:d
* cudnnBuildRNNDynamic | handle:h rnnDesc:d miniBatch:i
8 cudnnGetRNNWorkspaceSize | handle:h rnnDesc:d seqLength:i xDesc:a sizeInBytes:o
8 cudnnGetRNNTrainingReserveSize | handle:h rnnDesc:d seqLength:i xDesc:a sizeInBytes:o
* cudnnGetRNNTempSpaceSizes | handle:h rnnDesc:d fwdMode:e xDesc:d workSpaceSize:o reserveSpaceSize:o
8 cudnnGetRNNParamsSize | handle:h rnnDesc:d xDesc:d sizeInBytes:o dataType:e
* cudnnGetRNNWeightSpaceSize | handle:h rnnDesc:d weightSpaceSize:o
8 cudnnGetRNNLinLayerMatrixParams | handle:h rnnDesc:d pseudoLayer:i xDesc:d wDesc:d w:p linLayerID:i
    linLayerMatDesc:d linLayerMat:o
8 cudnnGetRNNLinLayerBiasParams | handle:h rnnDesc:d pseudoLayer:i xDesc:d wDesc:d w:p linLayerID:i linLayerBiasDesc:d
    linLayerBias:o
* cudnnGetRNNWeightParams | handle:h rnnDesc:d pseudoLayer:i weightSpaceSize:z weightSpace:p linLayerID:i mDesc:d
    mAddr:o bDesc:d bAddr:o
8 cudnnRNNForwardInference | handle:h rnnDesc:d seqLength:i xDesc:a x:p hxDesc:d hx:p cxDesc:d cx:p wDesc:d w:p
    yDesc:a y:w hyDesc:d hy:w cyDesc:d cy:w workSpace:w workSpaceSizeInBytes:z
8 cudnnSetRNNPaddingMode | rnnDesc:d paddingMode:i
8 cudnnGetRNNPaddingMode | rnnDesc:d paddingMode:o
* cudnnCreateRNNDataDescriptor | rnnDataDesc:D
* cudnnDestroyRNNDataDescriptor | rnnDataDesc:d
* cudnnSetRNNDataDescriptor | rnnDataDesc:d dataType:e layout:e maxSeqLength:i batchSize:i vectorSize:i
    seqLengthArray:a paddingFill:s
* cudnnGetRNNDataDescriptor | rnnDataDesc:d dataType:o layout:o maxSeqLength:o batchSize:o vectorSize:o
    arrayLengthRequested:i seqLengthArray:o paddingFill:o
8 cudnnRNNForwardInferenceEx | handle:h rnnDesc:d xDesc:d x:p hxDesc:d hx:p cxDesc:d cx:p wDesc:d w:p yDesc:d y:w
    hyDesc:d hy:w cyDesc:d cy:w kDesc:d keys:p cDesc:d cAttn:w iDesc:d iAttn:w qDesc:d queries:w workSpace:w
    workSpaceSizeInBytes:z
* cudnnRNNForward | handle:h rnnDesc:d fwdMode:e devSeqLengths:p xDesc:d x:p yDesc:d y:w hDesc:d hx:p hy:w cDesc:d
    cx:p cy:w weightSpaceSize:z weightSpace:p workSpaceSize:z workSpace:w reserveSpaceSize:z reserveSpace:w
8 cudnnSetRNNAlgorithmDescriptor | handle:h rnnDesc:d algoDesc:d
8 cudnnGetRNNForwardInferenceAlgorithmMaxCount | handle:h rnnDesc:d count:o
8 cudnnFindRNNForwardInferenceAlgorithmEx | handle:h rnnDesc:d seqLength:i xDesc:a x:p hxDesc:d hx:p cxDesc:d cx:p
    wDesc:d w:p yDesc:a y:w hyDesc:d hy:w cyDesc:d cy:w findIntensity:f requestedAlgoCount:i returnedAlgoCount:o
    perfResults:D workspace:w workSpaceSizeInBytes:z
* cudnnCreateSeqDataDescriptor | seqDataDesc:D
* cudnnDestroySeqDataDescriptor | seqDataDesc:d
* cudnnSetSeqDataDescriptor | seqDataDesc:d dataType:e nbDims:i dimA:a axes:a seqLengthArraySize:z seqLengthArray:a
    paddingFill:s
* cudnnGetSeqDataDescriptor | seqDataDesc:d dataType:o nbDims:o nbDimsRequested:i dimA:o axes:o seqLengthArraySize:o
    seqLengthSizeRequested:z seqLengthArray:o paddingFill:o
* cudnnCreateAttnDescriptor | attnDesc:D
* cudnnDestroyAttnDescriptor | attnDesc:d
* cudnnSetAttnDescriptor | attnDesc:d attnMode:i nHeads:i smScaler:g dataType:e computePrec:e mathType:e
    attnDropoutDesc:d postDropoutDesc:d qSize:i kSize:i vSize:i qProjSize:i kProjSize:i vProjSize:i oProjSize:i
    qoMaxSeqLength:i kvMaxSeqLength:i maxBatchSize:i maxBeamSize:i
* cudnnGetAttnDescriptor | attnDesc:d attnMode:o nHeads:o smScaler:o dataType:o computePrec:o mathType:o
    attnDropoutDesc:D postDropoutDesc:D qSize:o kSize:o vSize:o qProjSize:o kProjSize:o vProjSize:o oProjSize:o
    qoMaxSeqLength:o kvMaxSeqLength:o maxBatchSize:o maxBeamSize:o
* cudnnGetMultiHeadAttnBuffers | handle:h attnDesc:d weightSizeInBytes:o workSpaceSizeInBytes:o
    reserveSpaceSizeInBytes:o
* cudnnGetMultiHeadAttnWeights | handle:h attnDesc:d wKind:e weightSizeInBytes:z weights:p wDesc:d wAddr:o
* cudnnMultiHeadAttnForward | handle:h attnDesc:d currIdx:i loWinIdx:a hiWinIdx:a devSeqLengthsQO:p devSeqLengthsKV:p
    qDesc:d queries:p residuals:p kDesc:d keys:p vDesc:d values:p oDesc:d out:w weightSizeInBytes:z weights:p
    workSpaceSizeInBytes:z workSpace:w reserveSpaceSizeInBytes:z reserveSpace:w
8 cudnnAdvInferVersionCheck |
8 cudnnRNNForwardTraining | handle:h rnnDesc:d seqLength:i xDesc:a x:p hxDesc:d hx:p cxDesc:d cx:p wDesc:d w:p yDesc:a
    y:w hyDesc:d hy:w cyDesc:d cy:w workSpace:w workSpaceSizeInBytes:z reserveSpace:w reserveSpaceSizeInBytes:z
8 cudnnRNNBackwardData | handle:h rnnDesc:d seqLength:i yDesc:a y:p dyDesc:a dy:p dhyDesc:d dhy:p dcyDesc:d dcy:p
    wDesc:d w:p hxDesc:d hx:p cxDesc:d cx:p dxDesc:a dx:w dhxDesc:d dhx:w dcxDesc:d dcx:w workSpace:w
    workSpaceSizeInBytes:z reserveSpace:w reserveSpaceSizeInBytes:z
* cudnnRNNBackwardData_v8 | handle:h rnnDesc:d devSeqLengths:p yDesc:d y:p dy:p xDesc:d dx:w hDesc:d hx:p dhy:p dhx:w
    cDesc:d cx:p dcy:p dcx:w weightSpaceSize:z weightSpace:p workSpaceSize:z workSpace:w reserveSpaceSize:z
    reserveSpace:w
8 cudnnRNNBackwardWeights | handle:h rnnDesc:d seqLength:i xDesc:a x:p hxDesc:d hx:p yDesc:a y:p workSpace:p
    workSpaceSizeInBytes:z dwDesc:d dw:w reserveSpace:p reserveSpaceSizeInBytes:z
* cudnnRNNBackwardWeights_v8 | handle:h rnnDesc:d addGrad:e devSeqLengths:p xDesc:d x:p hDesc:d hx:p yDesc:d y:p
    weightSpaceSize:z dweightSpace:w workSpaceSize:z workSpace:w reserveSpaceSize:z reserveSpace:w
8 cudnnRNNForwardTrainingEx | handle:h rnnDesc:d xDesc:d x:p hxDesc:d hx:p cxDesc:d cx:p wDesc:d w:p yDesc:d y:w
    hyDesc:d hy:w cyDesc:d cy:w kDesc:d keys:p cDesc:d cAttn:w iDesc:d iAttn:w qDesc:d queries:w workSpace:w
    workSpaceSizeInBytes:z reserveSpace:w reserveSpaceSizeInBytes:z
8 cudnnRNNBackwardDataEx | handle:h rnnDesc:d yDesc:d y:p dyDesc:d dy:p dcDesc:d dcAttn:p dhyDesc:d dhy:p dcyDesc:d
    dcy:p wDesc:d w:p hxDesc:d hx:p cxDesc:d cx:p dxDesc:d dx:w dhxDesc:d dhx:w dcxDesc:d dcx:w dkDesc:d dkeys:w
    workSpace:w workSpaceSizeInBytes:z reserveSpace:w reserveSpaceSizeInBytes:z
8 cudnnRNNBackwardWeightsEx | handle:h rnnDesc:d xDesc:d x:p hxDesc:d hx:p yDesc:d y:p workSpace:w
    workSpaceSizeInBytes:z dwDesc:d dw:w reserveSpace:w reserveSpaceSizeInBytes:z
8 cudnnGetRNNForwardTrainingAlgorithmMaxCount | handle:h rnnDesc:d count:o
8 cudnnFindRNNForwardTrainingAlgorithmEx | handle:h rnnDesc:d seqLength:i xDesc:a x:p hxDesc:d hx:p cxDesc:d cx:p
    wDesc:d w:p yDesc:a y:w hyDesc:d hy:w cyDesc:d cy:w findIntensity:f requestedAlgoCount:i returnedAlgoCount:o
    perfResults:D workspace:w workSpaceSizeInBytes:z reserveSpace:w reserveSpaceSizeInBytes:z
8 cudnnGetRNNBackwardDataAlgorithmMaxCount | handle:h rnnDesc:d count:o
8 cudnnFindRNNBackwardDataAlgorithmEx | handle:h rnnDesc:d seqLength:i yDesc:a y:p dyDesc:a dy:p dhyDesc:d dhy:p
    dcyDesc:d dcy:p wDesc:d w:p hxDesc:d hx:p cxDesc:d cx:p dxDesc:a dx:w dhxDesc:d dhx:w dcxDesc:d dcx:w
    findIntensity:f requestedAlgoCount:i returnedAlgoCount:o perfResults:D workspace:w workSpaceSizeInBytes:z
    reserveSpace:w reserveSpaceSizeInBytes:z
8 cudnnGetRNNBackwardWeightsAlgorithmMaxCount | handle:h rnnDesc:d count:o
8 cudnnFindRNNBackwardWeightsAlgorithmEx | handle:h rnnDesc:d seqLength:i xDesc:a x:p hxDesc:d hx:p yDesc:a y:p
    findIntensity:f requestedAlgoCount:i returnedAlgoCount:o perfResults:D workspace:p workSpaceSizeInBytes:z dwDesc:d
    dw:w reserveSpace:p reserveSpaceSizeInBytes:z
* cudnnMultiHeadAttnBackwardData | handle:h attnDesc:d loWinIdx:a hiWinIdx:a devSeqLengthsDQDO:p devSeqLengthsDKDV:p
    doDesc:d dout:p dqDesc:d dqueries:w queries:p dkDesc:d dkeys:w keys:p dvDesc:d dvalues:w values:p
    weightSizeInBytes:z weights:p workSpaceSizeInBytes:z workSpace:w reserveSpaceSizeInBytes:z reserveSpace:w
* cudnnMultiHeadAttnBackwardWeights | handle:h attnDesc:d addGrad:e qDesc:d queries:p kDesc:d keys:p vDesc:d values:p
    doDesc:d dout:p weightSizeInBytes:z weights:p dweights:w workSpaceSizeInBytes:z workSpace:w
    reserveSpaceSizeInBytes:z reserveSpace:w
* cudnnCreateCTCLossDescriptor | ctcLossDesc:D
* cudnnSetCTCLossDescriptor | ctcLossDesc:d compType:e
* cudnnSetCTCLossDescriptorEx | ctcLossDesc:d compType:e normMode:e gradMode:e
* cudnnSetCTCLossDescriptor_v8 | ctcLossDesc:d compType:e normMode:e gradMode:e maxLabelLength:i
* cudnnGetCTCLossDescriptor | ctcLossDesc:d compType:o
* cudnnGetCTCLossDescriptorEx | ctcLossDesc:d compType:o normMode:o gradMode:o
* cudnnGetCTCLossDescriptor_v8 | ctcLossDesc:d compType:o normMode:o gradMode:o maxLabelLength:o
* cudnnDestroyCTCLossDescriptor | ctcLossDesc:d
* cudnnCTCLoss | handle:h probsDesc:d probs:p hostLabels:a hostLabelLengths:a hostInputLengths:a costs:w
    gradientsDesc:d gradients:w algo:e ctcLossDesc:d workspace:w workSpaceSizeInBytes:z
* cudnnCTCLoss_v8 | handle:h algo:e ctcLossDesc:d probsDesc:d probs:p labels:p labelLengths:p inputLengths:p costs:w
    gradientsDesc:d gradients:w workSpaceSizeInBytes:z workspace:w
* cudnnGetCTCLossWorkspaceSize | handle:h probsDesc:d gradientsDesc:d labels:a labelLengths:a inputLengths:a algo:e
    ctcLossDesc:d sizeInBytes:o
* cudnnGetCTCLossWorkspaceSize_v8 | handle:h algo:e ctcLossDesc:d probsDesc:d gradientsDesc:d sizeInBytes:o
8 cudnnAdvTrainVersionCheck |
* cudnnCreateConvolutionDescriptor | convDesc:D
* cudnnDestroyConvolutionDescriptor | convDesc:d
* cudnnSetConvolutionMathType | convDesc:d mathType:e
* cudnnGetConvolutionMathType | convDesc:d mathType:o
* cudnnSetConvolutionGroupCount | convDesc:d groupCount:i
* cudnnGetConvolutionGroupCount | convDesc:d groupCount:o
* cudnnSetConvolutionReorderType | convDesc:d reorderType:e
* cudnnGetConvolutionReorderType | convDesc:d reorderType:o
* cudnnSetConvolution2dDescriptor | convDesc:d pad_h:i pad_w:i u:i v:i dilation_h:i dilation_w:i mode:e computeType:e
* cudnnGetConvolution2dDescriptor | convDesc:d pad_h:o pad_w:o u:o v:o dilation_h:o dilation_w:o mode:o computeType:o
* cudnnSetConvolutionNdDescriptor | convDesc:d arrayLength:i padA:a filterStrideA:a dilationA:a mode:e computeType:e
* cudnnGetConvolutionNdDescriptor | convDesc:d arrayLengthRequested:i arrayLength:o padA:o strideA:o dilationA:o
    mode:o computeType:o
* cudnnGetConvolution2dForwardOutputDim | convDesc:d inputTensorDesc:d filterDesc:d n:o c:o h:o w:o
* cudnnGetConvolutionNdForwardOutputDim | convDesc:d inputTensorDesc:d filterDesc:d nbDims:i tensorOuputDimA:o
* cudnnGetConvolutionForwardAlgorithmMaxCount | handle:h count:o
* cudnnGetConvolutionForwardAlgorithm_v7 | handle:h srcDesc:d filterDesc:d convDesc:d destDesc:d requestedAlgoCount:i
    returnedAlgoCount:o perfResults:o
* cudnnFindConvolutionForwardAlgorithm | handle:h xDesc:d wDesc:d convDesc:d yDesc:d requestedAlgoCount:i
    returnedAlgoCount:o perfResults:o
* cudnnFindConvolutionForwardAlgorithmEx | handle:h xDesc:d x:p wDesc:d w:p convDesc:d yDesc:d y:w
    requestedAlgoCount:i returnedAlgoCount:o perfResults:o workSpace:w workSpaceSizeInBytes:z
* cudnnIm2Col | handle:h xDesc:d x:p wDesc:d convDesc:d colBuffer:w
* cudnnReorderFilterAndBias | handle:h filterDesc:d reorderType:e filterData:p reorderedFilterData:w reorderBias:i
    biasData:p reorderedBiasData:w
* cudnnGetConvolutionForwardWorkspaceSize | handle:h xDesc:d wDesc:d convDesc:d yDesc:d algo:e sizeInBytes:o
* cudnnConvolutionForward | handle:h alpha:s xDesc:d x:p wDesc:d w:p convDesc:d algo:e workSpace:w
    workSpaceSizeInBytes:z beta:s yDesc:d y:w
* cudnnConvolutionBiasActivationForward | handle:h alpha1:s xDesc:d x:p wDesc:d w:p convDesc:d algo:e workSpace:w
    workSpaceSizeInBytes:z alpha2:s zDesc:d z:p biasDesc:d bias:p activationDesc:d yDesc:d y:w
* cudnnGetConvolutionBackwardDataAlgorithmMaxCount | handle:h count:o
* cudnnFindConvolutionBackwardDataAlgorithm | handle:h wDesc:d dyDesc:d convDesc:d dxDesc:d requestedAlgoCount:i
    returnedAlgoCount:o perfResults:o
* cudnnFindConvolutionBackwardDataAlgorithmEx | handle:h wDesc:d w:p dyDesc:d dy:p convDesc:d dxDesc:d dx:w
    requestedAlgoCount:i returnedAlgoCount:o perfResults:o workSpace:w workSpaceSizeInBytes:z
* cudnnGetConvolutionBackwardDataAlgorithm_v7 | handle:h filterDesc:d diffDesc:d convDesc:d gradDesc:d
    requestedAlgoCount:i returnedAlgoCount:o perfResults:o
* cudnnGetConvolutionBackwardDataWorkspaceSize | handle:h wDesc:d dyDesc:d convDesc:d dxDesc:d algo:e sizeInBytes:o
* cudnnConvolutionBackwardData | handle:h alpha:s wDesc:d w:p dyDesc:d dy:p convDesc:d algo:e workSpace:w
    workSpaceSizeInBytes:z beta:s dxDesc:d dx:w
* cudnnGetFoldedConvBackwardDataDescriptors | handle:h filterDesc:d diffDesc:d convDesc:d gradDesc:d transformFormat:e
    foldedFilterDesc:d paddedDiffDesc:d foldedConvDesc:d foldedGradDesc:d filterFoldTransDesc:d diffPadTransDesc:d
    gradFoldTransDesc:d gradUnfoldTransDesc:d
8 cudnnCnnInferVersionCheck |
* cudnnGetConvolutionBackwardFilterAlgorithmMaxCount | handle:h count:o
* cudnnFindConvolutionBackwardFilterAlgorithm | handle:h xDesc:d dyDesc:d convDesc:d dwDesc:d requestedAlgoCount:i
    returnedAlgoCount:o perfResults:o
* cudnnFindConvolutionBackwardFilterAlgorithmEx | handle:h xDesc:d x:p dyDesc:d y:p convDesc:d dwDesc:d dw:w
    requestedAlgoCount:i returnedAlgoCount:o perfResults:o workSpace:w workSpaceSizeInBytes:z
* cudnnGetConvolutionBackwardFilterAlgorithm_v7 | handle:h srcDesc:d diffDesc:d convDesc:d gradDesc:d
    requestedAlgoCount:i returnedAlgoCount:o perfResults:o
* cudnnGetConvolutionBackwardFilterWorkspaceSize | handle:h xDesc:d dyDesc:d convDesc:d gradDesc:d algo:e
    sizeInBytes:o
* cudnnConvolutionBackwardFilter | handle:h alpha:s xDesc:d x:p dyDesc:d dy:p convDesc:d algo:e workSpace:w
    workSpaceSizeInBytes:z beta:s dwDesc:d dw:w
* cudnnConvolutionBackwardBias | handle:h alpha:s dyDesc:d dy:p beta:s dbDesc:d db:w
* cudnnCreateFusedOpsConstParamPack | constPack:D ops:e
* cudnnDestroyFusedOpsConstParamPack | constPack:d
* cudnnSetFusedOpsConstParamPackAttribute | constPack:d paramLabel:e param:p
* cudnnGetFusedOpsConstParamPackAttribute | constPack:d paramLabel:e param:w isNULL:o
* cudnnCreateFusedOpsVariantParamPack | varPack:D ops:e
* cudnnDestroyFusedOpsVariantParamPack | varPack:d
* cudnnSetFusedOpsVariantParamPackAttribute | varPack:d paramLabel:e ptr:w
* cudnnGetFusedOpsVariantParamPackAttribute | varPack:d paramLabel:e ptr:w
* cudnnCreateFusedOpsPlan | plan:D ops:e
* cudnnDestroyFusedOpsPlan | plan:d
* cudnnMakeFusedOpsPlan | handle:h plan:d constPack:d workspaceSizeInBytes:o
* cudnnFusedOpsExecute | handle:h plan:d varPack:d
8 cudnnCnnTrainVersionCheck |
9 cudnnGetLastErrorString -> v | message:o max_size:z
9 cudnnGraphVersionCheck |
9 cudnnOpsVersionCheck |
9 cudnnRNNSetClip_v9 | rnnDesc:d clipMode:e lclip:g rclip:g
9 cudnnRNNGetClip_v9 | rnnDesc:d clipMode:o lclip:o rclip:o
9 cudnnAdvVersionCheck |
9 cudnnSetCTCLossDescriptor_v9 | ctcLossDesc:d compType:e normMode:e ctcGradMode:e maxLabelLength:i
9 cudnnGetCTCLossDescriptor_v9 | ctcLossDesc:d compType:o normMode:o ctcGradMode:o maxLabelLength:o
9 cudnnCnnVersionCheck |
"""

PROTOTYPES: dict[str, Prototype] = {p.name: p for p in map(_parse, _TABLE.strip().replace("\n    ", " ").splitlines())}
