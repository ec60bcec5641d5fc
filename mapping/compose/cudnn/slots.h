/* Handles and descriptors of cuDNN: what the core's slots (256 bytes) hold.
 *
 * Everything that NVIDIA's getters give back is kept as it was set, in NVIDIA's numbers. `amd` is MIOpen's descriptor
 * of the same content, out of the cache (cache.pyx), or NULL until it is asked for; a setter forgets it. */
#ifndef DRAGOMAN_CUDNN_SLOTS_H
#define DRAGOMAN_CUDNN_SLOTS_H
#include "cudnn_abi.h"
#include "dragoman.h"

#define DNN_HANDLE 0x4e4e4401u
#define DNN_TENSOR 0x4e4e4402u
#define DNN_FILTER 0x4e4e4403u
#define DNN_CONVOLUTION 0x4e4e4404u
#define DNN_POOLING 0x4e4e4405u
#define DNN_ACTIVATION 0x4e4e4406u
#define DNN_LRN 0x4e4e4407u
#define DNN_DROPOUT 0x4e4e4408u
#define DNN_SPATIAL 0x4e4e4409u
#define DNN_OP 0x4e4e440au
#define DNN_REDUCE 0x4e4e440bu
#define DNN_TRANSFORM 0x4e4e440cu
#define DNN_RNN 0x4e4e440du
#define DNN_RNN_DATA 0x4e4e440eu
#define DNN_RNN_PLAN 0x4e4e440fu
#define DNN_CTC 0x4e4e4410u
#define DNN_SEQ_DATA 0x4e4e4411u
#define DNN_ATTENTION 0x4e4e4412u
#define DNN_FUSED_CONST 0x4e4e4413u
#define DNN_FUSED_VARIANT 0x4e4e4414u
#define DNN_FUSED_PLAN 0x4e4e4415u
#define DNN_ALGORITHM 0x4e4e4416u
#define DNN_PERFORMANCE 0x4e4e4417u

enum { DNN_DIMS = 8 };    /* CUDNN_DIM_MAX */
enum { DNN_SPATIALS = 6 }; /* dimensions without N and C */
enum { DNN_HELD = 4 };     /* contents of sequences that a call reads */
enum { DNN_HOSTS = 2 };    /* pieces of host memory that a call uses at a time */

typedef struct dnn_handle {
    uint32_t magic;
    int32_t device;      /* current when the handle was created */
    void *amd;           /* miopenHandle_t */
    void *stream;        /* as the program gave it */
    void *scratch;       /* memory of the handle's own, for steps whose caller has given none */
    size_t scratch_size;
    void *outgrown;      /* scratch memory of before: a captured graph may still use it */
    void *event;         /* marks the end of scratch's last use on another stream */
    int32_t used;        /* scratch was used on the current stream */
    int32_t pending;     /* `event` must be waited for before the next use */
    void *ring;          /* descriptors for contents that the cache has no room for */
    void *solutions;     /* which of MIOpen's solutions serves which convolution */
    void *blas;          /* rocblas_handle, made when first needed */
    void *blas_stream;   /* the stream it was last given */
    void *recalled;      /* what calls with the same tensors came to (support.h) */
    void *host[DNN_HOSTS]; /* host memory of the handle's own (work.pyx) */
    size_t host_size[DNN_HOSTS];
    void *held[DNN_HELD]; /* contents of sequences that the last calls read (contents.pyx) */
    size_t kept;         /* bytes at the beginning of scratch that the call under way still needs */
} dnn_handle;
_Static_assert(sizeof(dnn_handle) <= 256, "a handle is larger than a slot");

typedef struct dnn_tensor {
    uint32_t magic;
    int32_t type;   /* cudnnDataType_t */
    int32_t format; /* cudnnTensorFormat_t; where strides were given: NCHW */
    int32_t count;  /* dimensions; 0: not set yet */
    int32_t dim[DNN_DIMS];
    int32_t stride[DNN_DIMS];
    void *amd;
} dnn_tensor;

/* One number for all of a tensor: as many dimensions, each of one element. */
static inline void dnn_one_element(const dnn_tensor *like, dnn_tensor *one) {
    *one = *like;
    one->amd = 0;
    for (int i = 0; i < one->count; i++) one->dim[i] = one->stride[i] = 1;
}

typedef dnn_tensor dnn_filter; /* its strides as the format says; `amd` stays NULL */

typedef struct dnn_convolution {
    uint32_t magic;
    int32_t mode; /* cudnnConvolutionMode_t */
    int32_t type; /* what it computes in */
    int32_t math;
    int32_t reorder;
    int32_t groups;
    int32_t count; /* spatial dimensions */
    int32_t pad[DNN_SPATIALS];
    int32_t stride[DNN_SPATIALS];
    int32_t dilation[DNN_SPATIALS];
    void *amd;
} dnn_convolution;

typedef struct dnn_pooling {
    uint32_t magic;
    int32_t mode;
    int32_t nan;
    int32_t count;
    int32_t window[DNN_DIMS];
    int32_t pad[DNN_DIMS];
    int32_t stride[DNN_DIMS];
    void *amd;
} dnn_pooling;

typedef struct dnn_activation {
    uint32_t magic;
    int32_t mode;
    int32_t nan;
    double coefficient;
    double swish_beta;
} dnn_activation;

typedef struct dnn_lrn {
    uint32_t magic;
    uint32_t n;
    double alpha;
    double beta;
    double k;
} dnn_lrn;

typedef struct dnn_dropout {
    uint32_t magic;
    float rate;
    void *states; /* the program's memory */
    size_t states_size;
    unsigned long long seed;
    uint64_t drawn; /* masks so far, of these states */
    size_t count_at; /* where in the states their number lies: behind MIOpen's */
    void *amd; /* MIOpen's own, of this descriptor only: the states go with it */
} dnn_dropout;

typedef struct dnn_spatial {
    uint32_t magic;
    int32_t sampler;
    int32_t type;
    int32_t count;
    int32_t dim[DNN_DIMS];
} dnn_spatial;

typedef struct dnn_op {
    uint32_t magic;
    int32_t op;
    int32_t type;
    int32_t nan;
} dnn_op;

typedef struct dnn_reduce {
    uint32_t magic;
    int32_t op;
    int32_t type;
    int32_t nan;
    int32_t indices;
    int32_t index_type;
} dnn_reduce;

typedef struct dnn_transform {
    uint32_t magic;
    uint32_t count;
    int32_t format;
    int32_t direction;
    int32_t before[DNN_DIMS];
    int32_t after[DNN_DIMS];
    uint32_t fold[DNN_SPATIALS];
} dnn_transform;

typedef struct dnn_rnn {
    uint32_t magic;
    int32_t algo;
    int32_t cell;
    int32_t bias;
    int32_t direction;
    int32_t input_mode;
    int32_t data_type;
    int32_t math_type;  /* the type it computes in */
    int32_t math;       /* cudnnMathType_t */
    int32_t input_size; /* 0 where version 6's form does not say it */
    int32_t hidden;
    int32_t projected;
    int32_t output_projected; /* version 7's out projection: always 0 */
    int32_t layers;
    uint32_t flags;     /* padded input and output */
    int32_t clip_mode;
    int32_t clip_nan;
    int32_t set;        /* a setter was called */
    double clip_low;
    double clip_high;
    void *dropout;      /* cudnnDropoutDescriptor_t */
} dnn_rnn;

/* Descriptors of sequences have as many lengths as there are sequences. All that was set lies in a content, which never
 * changes: a setter puts another in its place. */
typedef struct dnn_content {
    int64_t users;
    void *amd; /* MIOpen's descriptor, made once, or NULL */
} dnn_content;

typedef struct dnn_rnn_data {
    uint32_t magic;
    uint32_t unused;
    uint64_t content; /* a dnn_rows (contents.pyx) */
} dnn_rnn_data;

typedef struct dnn_rows {
    dnn_content shared;
    int32_t type;
    int32_t layout;
    int32_t longest;
    int32_t batch;
    int32_t vector;
    int32_t filled; /* the padding has a value */
    /* the sequences' numbers, the longest first, lie behind the lengths: else they are in that order */
    int32_t reordered;
    int32_t unused;
    double fill;
    int32_t lengths[]; /* one a sequence; and their order */
} dnn_rows;

typedef struct dnn_rnn_plan {
    uint32_t magic;
    int32_t batch;
    int32_t type;
} dnn_rnn_plan;

typedef struct dnn_ctc {
    uint32_t magic;
    int32_t type;
    int32_t normalization;
    int32_t nan;
    int32_t gradient;
    int32_t longest;
} dnn_ctc;

typedef struct dnn_seq_data {
    uint32_t magic;
    uint32_t unused;
    uint64_t content; /* a dnn_sequences (contents.pyx) */
} dnn_seq_data;

typedef struct dnn_sequences {
    dnn_content shared;
    int32_t type;
    int32_t count;
    int32_t dim[4];
    int32_t axis[4];
    int32_t filled;
    double fill;
    size_t lengths_count;
    int32_t lengths[];
} dnn_sequences;

typedef struct dnn_attention {
    uint32_t magic;
    uint32_t mode;
    int32_t heads;
    int32_t type;
    int32_t compute_type;
    int32_t math;
    int32_t q_size;
    int32_t k_size;
    int32_t v_size;
    int32_t q_projected;
    int32_t k_projected;
    int32_t v_projected;
    int32_t o_projected;
    int32_t longest_q;
    int32_t longest_k;
    int32_t largest_batch;
    int32_t largest_beam;
    double scale;
    void *dropout;
    void *after_dropout;
} dnn_attention;

enum { DNN_FUSED_LABELS = 39 };
typedef struct dnn_fused_const {
    uint32_t magic;
    int32_t op;
    uint64_t given;                /* one bit a label */
    uint8_t placeholder[DNN_FUSED_LABELS]; /* of labels that are pointers */
    int32_t batch_mode;
    void **descriptor;             /* of labels that are descriptors: memory of its own */
} dnn_fused_const;

enum { DNN_FUSED_POINTERS = 24, DNN_FUSED_SCALARS = 6 };
typedef struct dnn_fused_variant {
    uint32_t magic;
    int32_t op;
    void **pointer;   /* memory of its own */
    int64_t *whole;   /* scalars by label - 100: sizes and counts */
    double *fraction; /* and factors */
} dnn_fused_variant;

typedef struct dnn_fused_plan {
    uint32_t magic;
    int32_t op;
    int32_t made;
    int32_t unused;
    void *body;       /* a dnn_fused_body: memory of its own, from the first making on */
} dnn_fused_plan;

enum {
    DNN_FUSED_X, DNN_FUSED_EQUIVALENT, DNN_FUSED_DW, DNN_FUSED_DY, DNN_FUSED_Y_STATS, DNN_FUSED_STATS,
    DNN_FUSED_Y, /* or dx */
    DNN_FUSED_Z, /* or dz */
    DNN_FUSED_Z_EQUIVALENT, DNN_FUSED_MASK, DNN_FUSED_TENSORS
};
typedef struct dnn_fused_body { /* what the constant parameters were when the plan was made */
    dnn_tensor tensor[DNN_FUSED_TENSORS];
    dnn_convolution conv;
    int32_t scaled;   /* a scale and a bias come first */
    int32_t positive; /* and RELU */
    int32_t mean;     /* what a training keeps is asked for */
    int32_t inverse;
    int32_t running_mean;
    int32_t running_variance;
    int32_t adds;     /* there is a z, or its gradient */
    int32_t scales_z; /* with a scale and a bias of its own */
    int32_t refused;  /* why the plan is made, and then cannot be run; 0: it can */
} dnn_fused_body;

typedef struct dnn_algorithm {
    uint32_t magic;
    int32_t algorithm;
    int32_t set;
} dnn_algorithm;

typedef struct dnn_performance {
    uint32_t magic;
    int32_t algorithm;
    uint32_t status;
    float time;
    size_t memory;
    void *given; /* the descriptor of the algorithm, as the program set it */
} dnn_performance;

/* ---- why a call is refused (say.pyx) ---- */

DG_HIDDEN uint32_t dnn_because(uint32_t status, const char *why); /* keeps the reason; returns the status */
DG_HIDDEN uint32_t dnn_failed(uint32_t status, const char *what, uint32_t answer); /* the reason is AMD's answer */
DG_HIDDEN uint32_t dnn_say(const char *function, uint32_t status);
DG_HIDDEN void dnn_say_handle(const char *function, int reason);
DG_HIDDEN void dnn_say_slot(const char *function, const char *parameter);

/* Every answer that is a status goes through here. */
static inline uint32_t said(const char *function, uint32_t status) {
    return __builtin_expect(status == 0, 1) ? 0 : dnn_say(function, status);
}
static inline void explain_handle(const char *function, int reason) { dnn_say_handle(function, reason); }
static inline void explain_slot(const char *function, const char *parameter) { dnn_say_slot(function, parameter); }
#endif
