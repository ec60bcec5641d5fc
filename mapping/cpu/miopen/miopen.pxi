# MIOpen's C ABI (miopen.h) for Cython, included by each unit of the CPU backend's MIOpen. Declarations only.
from libc.stddef cimport size_t
from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t

include "record.pxi"

cdef extern from "miopen.h" nogil:
    ctypedef int miopenStatus_t
    ctypedef void *hipStream_t
    ctypedef bint mi_bool
    enum:
        miopenStatusSuccess, miopenStatusNotInitialized, miopenStatusInvalidValue, miopenStatusBadParm
        miopenStatusAllocFailed, miopenStatusInternalError, miopenStatusNotImplemented, miopenStatusUnknownError
        miopenStatusUnsupportedOp, miopenStatusGpuOperationsSkipped, miopenStatusVersionMismatch
        miopenHalf, miopenFloat, miopenInt32, miopenInt8, miopenBFloat16, miopenDouble
        miopenFloat8_fnuz, miopenBFloat8_fnuz, miopenInt64
        miopenTensorNCHW, miopenTensorNHWC, miopenTensorCHWN, miopenTensorNCHWc4, miopenTensorNCHWc8
        miopenTensorCHWNc4, miopenTensorCHWNc8, miopenTensorNCDHW, miopenTensorNDHWC
        miopenTensorOpAdd, miopenTensorOpMul, miopenTensorOpMin, miopenTensorOpMax
        miopenIndexUint8, miopenIndexUint16, miopenIndexUint32, miopenIndexUint64
        miopenPoolingMax, miopenPoolingAverage, miopenPoolingAverageInclusive
        miopenPoolingWorkspaceIndexMask, miopenPoolingWorkspaceIndexImage
        miopenLRNWithinChannel, miopenLRNCrossChannel
        miopenActivationPASTHRU, miopenActivationLOGISTIC, miopenActivationTANH, miopenActivationRELU
        miopenActivationSOFTRELU, miopenActivationABS, miopenActivationPOWER, miopenActivationCLIPPEDRELU
        miopenActivationLEAKYRELU, miopenActivationELU, miopenActivationCLAMP
        MIOPEN_SOFTMAX_FAST, MIOPEN_SOFTMAX_ACCURATE, MIOPEN_SOFTMAX_LOG
        MIOPEN_SOFTMAX_MODE_INSTANCE, MIOPEN_SOFTMAX_MODE_CHANNEL
        miopenBNPerActivation, miopenBNSpatial
        miopenConvolution, miopenTranspose, miopenGroupConv, miopenDepthwise
        miopenConvolutionFindModeNormal, miopenConvolutionFindModeDefault, miopenConvolutionFindModeTrustVerifyFull
        miopenConvolutionAlgoGEMM, miopenConvolutionAlgoDirect, miopenConvolutionAlgoImplicitGEMM
        MIOPEN_REDUCE_TENSOR_ADD, MIOPEN_REDUCE_TENSOR_MUL, MIOPEN_REDUCE_TENSOR_MIN, MIOPEN_REDUCE_TENSOR_MAX
        MIOPEN_REDUCE_TENSOR_AMAX, MIOPEN_REDUCE_TENSOR_AVG, MIOPEN_REDUCE_TENSOR_NORM1, MIOPEN_REDUCE_TENSOR_NORM2
        miopenRNNRELU, miopenRNNTANH, miopenLSTM, miopenGRU, miopenRNNlinear, miopenRNNskip
        miopenRNNunidirection, miopenRNNbidirection, miopenRNNNoBias, miopenRNNwithBias
        miopenRNNIONotPadded, miopenRNNIOWithPadding, miopenRNNTraining, miopenRNNInference
        miopenRNNDataUnknownLayout, miopenRNNDataSeqMajorNotPadded, miopenRNNDataSeqMajorPadded
        miopenRNNDataBatchMajorPadded
        MI_HANDLE, MI_TENSOR, MI_SEQ_TENSOR, MI_CONVOLUTION, MI_POOLING, MI_LRN, MI_ACTIVATION, MI_DROPOUT, MI_REDUCE
        MI_RNN, MI_CTC, MI_FUSION_PLAN, MI_FUSION_ARGS
        MI_DIMS, MI_SPATIAL
    ctypedef struct miopenConvAlgoPerf_t:
        int algo
        float time
        size_t memory
    ctypedef struct miopenConvSolution_t:
        float time
        size_t workspace_size
        uint64_t solution_id
        int algorithm
    ctypedef void *(*miopenAllocatorFunction)(void *, size_t) noexcept nogil
    ctypedef void (*miopenDeallocatorFunction)(void *, void *) noexcept nogil
    ctypedef struct mi_handle:
        uint32_t kind
        int32_t profiling
        hipStream_t stream
        float kernel_time
        int32_t tuning_policy
        miopenAllocatorFunction allocator
        miopenDeallocatorFunction deallocator
        void *allocator_context
        uint64_t *found
        int32_t found_count
        int32_t found_room
    ctypedef struct mi_tensor:
        uint32_t kind
        int32_t type
        int32_t cast_type
        int32_t dims
        int32_t vector
        int32_t layout
        int64_t lens[8]
        int64_t strides[8]
    ctypedef struct mi_activation:
        uint32_t kind
        int32_t mode
        double alpha
        double beta
        double gamma
    ctypedef struct mi_pooling:
        uint32_t kind
        int32_t mode
        int32_t dims
        int32_t index_type
        int32_t index_mode
        int32_t lens[3]
        int32_t pads[3]
        int32_t strides[3]
    ctypedef struct mi_lrn:
        uint32_t kind
        int32_t mode
        uint32_t n
        double alpha
        double beta
        double k
    ctypedef struct mi_convolution:
        uint32_t kind
        int32_t mode
        int32_t dims
        int32_t groups
        int32_t find_mode
        int32_t pads[3]
        int32_t strides[3]
        int32_t dilations[3]
        int32_t output_pads[3]
        int32_t attributes[3]
    ctypedef struct mi_reduce:
        uint32_t kind
        int32_t op
        int32_t comp_type
        int32_t nan
        int32_t indices
        int32_t indices_type
    ctypedef struct mi_dropout:
        uint32_t kind
        float rate
        void *states
        size_t state_bytes
        unsigned long long seed
        mi_bool use_mask
        mi_bool state_evo
        int32_t rng_mode
    ctypedef struct mi_rnn:
        uint32_t kind
        int32_t hidden
        int32_t layers
        int32_t mode
        int32_t input
        int32_t direction
        int32_t bias
        int32_t algo
        int32_t type
        int32_t padding
        int32_t lacks_dropout
        mi_dropout *dropout
    ctypedef struct mi_seq_tensor:
        uint32_t kind
        int32_t type
        int32_t layout
        int32_t batch
        int32_t steps
        int32_t vector
        int32_t has_marker
        int32_t *lens
        unsigned char marker[8]
    ctypedef struct mi_ctc:
        uint32_t kind
        int32_t type
        int32_t blank
        mi_bool softmax
    enum:
        MI_OP_CONVOLUTION, MI_OP_BIAS, MI_OP_NORM, MI_OP_ACTIVATION, MI_OPS
    ctypedef struct mi_fusion_op:
        int32_t operation
        int32_t index
        int32_t mode
        mi_convolution conv
        mi_tensor tensor
    ctypedef struct mi_fusion_plan:
        uint32_t kind
        int32_t direction
        int32_t count
        int32_t compiled
        mi_tensor input
        mi_tensor output
        mi_fusion_op ops[4]
    ctypedef struct mi_fusion_args:
        uint32_t kind
        float alpha
        const void *weights
        const void *bias
        double activation[3]
        const void *scale
        const void *shift
        const void *mean
        const void *variance
        double epsilon
        int32_t set
    ctypedef mi_handle *miopenHandle_t
    ctypedef mi_tensor *miopenTensorDescriptor_t
    ctypedef mi_activation *miopenActivationDescriptor_t
    ctypedef mi_pooling *miopenPoolingDescriptor_t
    ctypedef mi_lrn *miopenLRNDescriptor_t
    ctypedef mi_convolution *miopenConvolutionDescriptor_t
    ctypedef mi_reduce *miopenReduceTensorDescriptor_t
    ctypedef mi_dropout *miopenDropoutDescriptor_t
    ctypedef mi_rnn *miopenRNNDescriptor_t
    ctypedef mi_seq_tensor *miopenSeqTensorDescriptor_t
    ctypedef mi_ctc *miopenCTCLossDescriptor_t
    ctypedef mi_fusion_plan *miopenFusionPlanDescriptor_t
    ctypedef mi_fusion_op *miopenFusionOpDescriptor_t
    ctypedef mi_fusion_args *miopenOperatorArgs_t
    enum:
        MI_FORWARD, MI_BACKWARD_DATA, MI_BACKWARD_WEIGHTS
    ctypedef struct mi_problem:
        int32_t direction
        int32_t x_type
        int32_t w_type
        int32_t y_type
        int64_t n
        int64_t groups
        int64_t c
        int64_t k
        int64_t x_lens[3]
        int64_t w_lens[3]
        int64_t y_lens[3]
        int64_t pads[3]
        int64_t strides[3]
        int64_t dilations[3]
        int64_t x[5]
        int64_t w[5]
        int64_t y[5]
    ctypedef struct mi_half:
        uint16_t data
    ctypedef struct mi_bfloat16:
        uint16_t data
    float rb_from_half(mi_half half)
    mi_half rb_to_half(float value)
    float rb_from_bfloat16(mi_bfloat16 number)
    mi_bfloat16 rb_to_bfloat16(float value)
    ctypedef void (*mi_job)(void *, int64_t, int64_t) noexcept nogil


# ---- what every function asks first ----

# Work on a handle's stream: now, or recorded.
cdef extern from "miopen.h" nogil:
    enum:
        MI_CONTEXT
    miopenStatus_t mi_work(
        mi_handle *handle, int64_t count, int64_t grain, mi_job job, void *context, size_t size)
    bint mi_recorded(mi_handle *handle)
    bint mi_refused(mi_handle *handle)
    miopenStatus_t mi_admit(mi_handle *handle)
    miopenStatus_t mi_keep(mi_handle *handle, dg_run run, const void *record, size_t bytes)
    void mi_replay(mi_handle *copy)


cdef inline bint is_handle(const mi_handle *handle) noexcept nogil:
    return handle != NULL and handle.kind == MI_HANDLE


cdef inline bint is_tensor(const mi_tensor *tensor) noexcept nogil:
    """A tensor descriptor that has been set."""
    return tensor != NULL and tensor.kind == MI_TENSOR and tensor.dims > 0


cdef inline bint plain_factors(const void *alpha, const void *beta) noexcept nogil:
    """MIOpen asks this of two floats, whatever the tensors hold. Its NULL is a crash; here it is no."""
    return alpha != NULL and beta != NULL and (<const float *>alpha)[0] == 1 and (<const float *>beta)[0] == 0
