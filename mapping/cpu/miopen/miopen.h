/* MIOpen's C ABI as the CPU backend exports it, and what its own units share.
 *
 * Names, numbers and widths are those of MIOpen 3.5 (ROCm 7.2); the text is ours. Enumerations are ints here: the same
 * in the ABI, and any number may arrive. Names that begin with `mi_` are internal; the export list hides them.
 */
#ifndef DRAGOMAN_CPU_MIOPEN_H
#define DRAGOMAN_CPU_MIOPEN_H
#include <stddef.h>
#include <stdint.h>

typedef void *hipStream_t;
typedef _Bool mi_bool;

typedef int miopenStatus_t;
enum {
    miopenStatusSuccess = 0,
    miopenStatusNotInitialized = 1,
    miopenStatusInvalidValue = 2,
    miopenStatusBadParm = 3,
    miopenStatusAllocFailed = 4,
    miopenStatusInternalError = 5,
    miopenStatusNotImplemented = 6,
    miopenStatusUnknownError = 7,
    miopenStatusUnsupportedOp = 8,
    miopenStatusGpuOperationsSkipped = 9,
    miopenStatusVersionMismatch = 10
};

enum {
    miopenHalf = 0,
    miopenFloat = 1,
    miopenInt32 = 2,
    miopenInt8 = 3,
    miopenBFloat16 = 5,
    miopenDouble = 6,
    miopenFloat8_fnuz = 7,
    miopenBFloat8_fnuz = 8,
    miopenInt64 = 9
};
enum {
    miopenTensorNCHW = 0,
    miopenTensorNHWC = 1,
    miopenTensorCHWN = 2,
    miopenTensorNCHWc4 = 3,
    miopenTensorNCHWc8 = 4,
    miopenTensorCHWNc4 = 5,
    miopenTensorCHWNc8 = 6,
    miopenTensorNCDHW = 7,
    miopenTensorNDHWC = 8
};
enum { miopenTensorOpAdd = 0, miopenTensorOpMul = 1, miopenTensorOpMin = 2, miopenTensorOpMax = 3 };
enum { miopenIndexUint8 = 0, miopenIndexUint16 = 1, miopenIndexUint32 = 2, miopenIndexUint64 = 3 };
enum { miopenPoolingMax = 0, miopenPoolingAverage = 1, miopenPoolingAverageInclusive = 2 };
enum { miopenPoolingWorkspaceIndexMask = 0, miopenPoolingWorkspaceIndexImage = 1 };
enum { miopenPaddingDefault = 0, miopenPaddingSame = 1, miopenPaddingValid = 2 };
enum { miopenLRNWithinChannel = 0, miopenLRNCrossChannel = 1 };
enum {
    miopenActivationPASTHRU = 0,
    miopenActivationLOGISTIC = 1,
    miopenActivationTANH = 2,
    miopenActivationRELU = 3,
    miopenActivationSOFTRELU = 4,
    miopenActivationABS = 5,
    miopenActivationPOWER = 6,
    miopenActivationCLIPPEDRELU = 7,
    miopenActivationLEAKYRELU = 8,
    miopenActivationELU = 9,
    miopenActivationCLAMP = 10
};
enum { MIOPEN_SOFTMAX_FAST = 0, MIOPEN_SOFTMAX_ACCURATE = 1, MIOPEN_SOFTMAX_LOG = 2 };
enum { MIOPEN_SOFTMAX_MODE_INSTANCE = 0, MIOPEN_SOFTMAX_MODE_CHANNEL = 1 };
enum { miopenBNPerActivation = 0, miopenBNSpatial = 1 };
enum { miopenConvolution = 0, miopenTranspose = 1, miopenGroupConv = 2, miopenDepthwise = 3 };
enum {
    miopenConvolutionFindModeNormal = 1,
    miopenConvolutionFindModeTrustVerifyFull = 7,
    miopenConvolutionFindModeDefault = 5
};
enum { miopenConvolutionAlgoGEMM = 0, miopenConvolutionAlgoDirect = 1, miopenConvolutionAlgoImplicitGEMM = 5 };
enum {
    MIOPEN_REDUCE_TENSOR_ADD = 0,
    MIOPEN_REDUCE_TENSOR_MUL = 1,
    MIOPEN_REDUCE_TENSOR_MIN = 2,
    MIOPEN_REDUCE_TENSOR_MAX = 3,
    MIOPEN_REDUCE_TENSOR_AMAX = 4,
    MIOPEN_REDUCE_TENSOR_AVG = 5,
    MIOPEN_REDUCE_TENSOR_NORM1 = 6,
    MIOPEN_REDUCE_TENSOR_NORM2 = 7
};
enum { miopenRNNRELU = 0, miopenRNNTANH = 1, miopenLSTM = 2, miopenGRU = 3 };
enum { miopenRNNlinear = 0, miopenRNNskip = 1 };
enum { miopenRNNunidirection = 0, miopenRNNbidirection = 1 };
enum { miopenRNNNoBias = 0, miopenRNNwithBias = 1 };
enum { miopenRNNIONotPadded = 0, miopenRNNIOWithPadding = 1 };
enum { miopenRNNTraining = 0, miopenRNNInference = 1 };
enum {
    miopenRNNDataUnknownLayout = 0,
    miopenRNNDataSeqMajorNotPadded = 1,
    miopenRNNDataSeqMajorPadded = 2,
    miopenRNNDataBatchMajorPadded = 3
};

typedef struct miopenConvAlgoPerf_t {
    int algo; /* a union of three enumerations in MIOpen */
    float time;
    size_t memory;
} miopenConvAlgoPerf_t;

typedef struct miopenConvSolution_t {
    float time;
    size_t workspace_size;
    uint64_t solution_id;
    int algorithm;
} miopenConvSolution_t;
_Static_assert(sizeof(miopenConvAlgoPerf_t) == 16 && sizeof(miopenConvSolution_t) == 32, "MIOpen's layout");

typedef void *(*miopenAllocatorFunction)(void *context, size_t size);
typedef void (*miopenDeallocatorFunction)(void *context, void *memory);

/* ---- objects ----
 * Each begins with a word that says what it is: a NULL, a freed one or one of another sort is `BadParm`. */
enum mi_kind {
    MI_HANDLE = 0x4e48494d,
    MI_TENSOR,
    MI_SEQ_TENSOR,
    MI_CONVOLUTION,
    MI_POOLING,
    MI_LRN,
    MI_ACTIVATION,
    MI_DROPOUT,
    MI_REDUCE,
    MI_RNN,
    MI_CTC,
    MI_FUSION_PLAN,
    MI_FUSION_ARGS
};

enum { MI_DIMS = 8, MI_SPATIAL = 3 };

typedef struct mi_handle {
    uint32_t kind;
    int32_t profiling;
    hipStream_t stream;
    float kernel_time; /* of the last call, in milliseconds; always 0 here */
    int32_t tuning_policy;
    miopenAllocatorFunction allocator;
    miopenDeallocatorFunction deallocator;
    void *allocator_context;
    uint64_t *found; /* convolutions that a Find… has seen: an open hash table of their digests, 0 where free */
    int32_t found_count, found_room;
} mi_handle;

typedef struct mi_tensor {
    uint32_t kind;
    int32_t type, cast_type; /* cast_type: -1 where none was set */
    int32_t dims;
    int32_t vector; /* elements that lie together in a vectorised layout; 1 in all others */
    int32_t layout; /* -1 where strides or the default decide */
    int64_t lens[MI_DIMS];
    int64_t strides[MI_DIMS];
} mi_tensor;

typedef struct mi_activation {
    uint32_t kind;
    int32_t mode;
    double alpha, beta, gamma;
} mi_activation;

typedef struct mi_pooling {
    uint32_t kind;
    int32_t mode, dims, index_type, index_mode;
    int32_t lens[MI_SPATIAL], pads[MI_SPATIAL], strides[MI_SPATIAL];
} mi_pooling;

typedef struct mi_lrn {
    uint32_t kind;
    int32_t mode;
    uint32_t n;
    double alpha, beta, k;
} mi_lrn;

typedef struct mi_convolution {
    uint32_t kind;
    int32_t mode, dims, groups, find_mode;
    int32_t pads[MI_SPATIAL], strides[MI_SPATIAL], dilations[MI_SPATIAL], output_pads[MI_SPATIAL];
    int32_t attributes[3];
} mi_convolution;

typedef struct mi_reduce {
    uint32_t kind;
    int32_t op, comp_type, nan, indices, indices_type;
} mi_reduce;

typedef struct mi_dropout {
    uint32_t kind;
    float rate;
    void *states;
    size_t state_bytes;
    unsigned long long seed;
    mi_bool use_mask, state_evo;
    int32_t rng_mode;
} mi_dropout;

typedef struct mi_rnn {
    uint32_t kind;
    int32_t hidden, layers, mode, input, direction, bias, algo, type, padding;
    int32_t lacks_dropout; /* set by _V2 with none: MIOpen has no size of what is to train */
    mi_dropout *dropout;   /* the program's, or NULL */
} mi_rnn;

typedef struct mi_seq_tensor {
    uint32_t kind;
    int32_t type, layout;
    int32_t batch, steps, vector;
    int32_t has_marker;
    int32_t *lens; /* of each sequence */
    unsigned char marker[8];
} mi_seq_tensor;

typedef struct mi_ctc {
    uint32_t kind;
    int32_t type, blank;
    mi_bool softmax;
} mi_ctc;

/* A fused plan: at most one of each operation, in the order in which they were made. */
enum mi_operation { MI_OP_CONVOLUTION, MI_OP_BIAS, MI_OP_NORM, MI_OP_ACTIVATION, MI_OPS };

typedef struct mi_fusion_op {
    int32_t operation, index; /* its place in the plan */
    int32_t mode;             /* of a batch normalisation or an activation */
    mi_convolution conv;
    mi_tensor tensor; /* filters, bias or the normalisation's parameters */
} mi_fusion_op;

typedef struct mi_fusion_plan {
    uint32_t kind;
    int32_t direction, count, compiled;
    mi_tensor input, output;
    mi_fusion_op ops[MI_OPS];
} mi_fusion_plan;

typedef struct mi_fusion_args {
    uint32_t kind;
    float alpha; /* of the convolution */
    const void *weights, *bias;
    double activation[3];
    const void *scale, *shift, *mean, *variance;
    double epsilon;
    int32_t set; /* a bit for each operation */
} mi_fusion_args;

typedef mi_handle *miopenHandle_t;
typedef mi_tensor *miopenTensorDescriptor_t;
typedef mi_activation *miopenActivationDescriptor_t;
typedef mi_pooling *miopenPoolingDescriptor_t;
typedef mi_lrn *miopenLRNDescriptor_t;
typedef mi_convolution *miopenConvolutionDescriptor_t;
typedef mi_reduce *miopenReduceTensorDescriptor_t;
typedef mi_dropout *miopenDropoutDescriptor_t;
typedef mi_rnn *miopenRNNDescriptor_t;
typedef mi_seq_tensor *miopenSeqTensorDescriptor_t;
typedef mi_ctc *miopenCTCLossDescriptor_t;
typedef mi_fusion_plan *miopenFusionPlanDescriptor_t;
typedef mi_fusion_op *miopenFusionOpDescriptor_t;
typedef mi_fusion_args *miopenOperatorArgs_t;

/* ---- convolution (correlate.pyx) ----
 * Images, filters and results of one convolution, whatever the number of dimensions and the mode: always groups, three
 * spatial dimensions, and a correlation of x with w that gives y. Which of the three is computed says `direction`. */
enum mi_direction { MI_FORWARD, MI_BACKWARD_DATA, MI_BACKWARD_WEIGHTS };

typedef struct mi_problem {
    int32_t direction;
    int32_t x_type, w_type, y_type;
    int64_t n, groups, c, k; /* channels of x and of y in one group */
    int64_t x_lens[3], w_lens[3], y_lens[3];
    int64_t pads[3], strides[3], dilations[3];
    int64_t x[5], w[5], y[5]; /* strides: n or k, c, d, h, w */
} mi_problem;

miopenStatus_t mi_convolve(const mi_problem *problem, void *x, void *w, void *y);

/* ---- numbers of 16 bits ---- */
#include "half.h" /* of the CPU backend's rocBLAS */
typedef rocblas_half mi_half;
typedef rocblas_bfloat16 mi_bfloat16;

/* ---- threads, and memory for the length of a call ---- */
#include "crew.h"
typedef crew_job mi_job;
#define mi_parallel crew_parallel
#define mi_threads crew_threads
#define mi_scratch crew_scratch
#define mi_scratch_done crew_scratch_done

/* ---- work on a handle's stream (handle.pyx): shared out to threads now, or recorded while the stream is captured ----
 * A context is all that the work needs, by value; what its pointers show is data, or lives as long as the
 * call's own data. */
#include "record.h" /* mapping/cpu/record */
enum { MI_CONTEXT = 2048 }; /* bytes that a context may have */
miopenStatus_t mi_work_later(mi_handle *handle, int64_t count, int64_t grain, mi_job job, const void *context,
                             size_t size);
static inline miopenStatus_t mi_work_now(mi_handle *handle, int64_t count, int64_t grain, mi_job job, void *context,
                                         size_t size) {
    if (record_state(handle->stream)) return mi_work_later(handle, count, grain, job, context, size);
    mi_parallel(count, grain, job, context);
    return miopenStatusSuccess;
}
/* `size` is known when this is compiled: a context that does not fit ends the build. */
#define mi_work(handle, count, grain, job, context, size)                                                     \
    ((void)sizeof(struct {                                                                                    \
         int fits;                                                                                            \
         _Static_assert((size) <= MI_CONTEXT, "the context of this work does not fit what is recorded of it"); \
     }),                                                                                                      \
     mi_work_now(handle, count, grain, job, context, size))
static inline int mi_recorded(mi_handle *handle) { return record_state(handle->stream) != 0; }
/* 1 where the stream is captured, and the capture becomes invalid: this call cannot be recorded. */
static inline int mi_refused(mi_handle *handle) {
    if (!record_state(handle->stream)) return 0;
    record_refuse(handle->stream);
    return 1;
}
static inline miopenStatus_t mi_admit(mi_handle *handle) {
    return record_state(handle->stream) > 0 ? miopenStatusUnknownError : miopenStatusSuccess;
}
static inline miopenStatus_t mi_keep(mi_handle *handle, dg_run run, const void *record, size_t bytes) {
    return record_keep(handle->stream, run, record, bytes) ? miopenStatusUnknownError : miopenStatusSuccess;
}
static inline void mi_replay(mi_handle *copy) { copy->stream = RECORD_NO_STREAM; }

/* ---- objects (handle.pyx, tensor.pyx) ---- */
void *mi_new(uint32_t kind, size_t bytes);
int mi_find(mi_handle *handle, uint64_t digest);     /* 1 where mi_remember has seen it */
int mi_remember(mi_handle *handle, uint64_t digest); /* 0 where there is no memory */
int mi_type_size(int type);                          /* 0: no type of MIOpen's */
int64_t mi_elements(const mi_tensor *tensor);        /* product of the lengths */
int64_t mi_space(const mi_tensor *tensor);           /* from the first element to the end of the last */
int mi_same_lens(const mi_tensor *a, const mi_tensor *b);
int mi_is_packed(const mi_tensor *tensor);
miopenStatus_t mi_set_tensor(mi_tensor *tensor, int type, int dims, const int64_t *lens, const int64_t *strides);

/* ---- dropout (dropout.pyx), for the layers of an RNN ---- */
/* Draws `count` elements: 1 where one stays. 0 where the states do not suffice. */
int mi_draw(mi_dropout *dropout, int64_t count, unsigned char *mask);
double mi_keep_scale(float rate);

/* ---- convolution.pyx, for the fused calls ---- */
miopenStatus_t mi_convolve_float(miopenHandle_t handle, const mi_tensor *xDesc, const void *x, const mi_tensor *wDesc,
                                 const void *w, const mi_convolution *conv, const mi_tensor *yDesc, float *y);

/* ---- calls of MIOpen's that other units make ---- */
miopenStatus_t miopenOpTensor(miopenHandle_t handle, int tensorOp, const void *alpha1, miopenTensorDescriptor_t aDesc,
                              const void *A, const void *alpha2, miopenTensorDescriptor_t bDesc, const void *B,
                              const void *beta, miopenTensorDescriptor_t cDesc, void *C);
miopenStatus_t miopenGetConvolutionNdForwardOutputDim(miopenConvolutionDescriptor_t convDesc,
                                                      miopenTensorDescriptor_t inputTensorDesc,
                                                      miopenTensorDescriptor_t filterDesc, int *nDim,
                                                      int *outputTensorDimA);
#endif
