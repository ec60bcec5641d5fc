# slots.h for Cython; see there for what the fields mean.

cdef extern from "slots.h" nogil:
    enum:
        DNN_HANDLE
        DNN_TENSOR
        DNN_FILTER
        DNN_CONVOLUTION
        DNN_POOLING
        DNN_ACTIVATION
        DNN_LRN
        DNN_DROPOUT
        DNN_SPATIAL
        DNN_OP
        DNN_REDUCE
        DNN_TRANSFORM
        DNN_RNN
        DNN_RNN_DATA
        DNN_RNN_PLAN
        DNN_CTC
        DNN_SEQ_DATA
        DNN_ATTENTION
        DNN_FUSED_CONST
        DNN_FUSED_VARIANT
        DNN_FUSED_PLAN
        DNN_ALGORITHM
        DNN_PERFORMANCE
        DNN_DIMS
        DNN_SPATIALS
        DNN_HELD
        DNN_HOSTS
        DNN_FUSED_LABELS
        DNN_FUSED_POINTERS
        DNN_FUSED_SCALARS
    ctypedef struct dnn_handle:
        uint32_t magic
        int32_t device
        void *amd
        void *stream
        void *scratch
        size_t scratch_size
        void *outgrown
        void *event
        int32_t used
        int32_t pending
        void *ring
        void *solutions
        void *blas
        void *blas_stream
        void *recalled
        void *host[DNN_HOSTS]
        size_t host_size[DNN_HOSTS]
        void *held[DNN_HELD]
        size_t kept
    ctypedef struct dnn_tensor:
        uint32_t magic
        int32_t type
        int32_t format
        int32_t count
        int32_t[DNN_DIMS] dim
        int32_t[DNN_DIMS] stride
        void *amd
    ctypedef struct dnn_filter:
        uint32_t magic
        int32_t type
        int32_t format
        int32_t count
        int32_t[DNN_DIMS] dim
        int32_t[DNN_DIMS] stride
    ctypedef struct dnn_convolution:
        uint32_t magic
        int32_t mode
        int32_t type
        int32_t math
        int32_t reorder
        int32_t groups
        int32_t count
        int32_t[DNN_SPATIALS] pad
        int32_t[DNN_SPATIALS] stride
        int32_t[DNN_SPATIALS] dilation
        void *amd
    ctypedef struct dnn_pooling:
        uint32_t magic
        int32_t mode
        int32_t nan
        int32_t count
        int32_t[DNN_DIMS] window
        int32_t[DNN_DIMS] pad
        int32_t[DNN_DIMS] stride
        void *amd
    ctypedef struct dnn_activation:
        uint32_t magic
        int32_t mode
        int32_t nan
        double coefficient
        double swish_beta
    ctypedef struct dnn_lrn:
        uint32_t magic
        uint32_t n
        double alpha
        double beta
        double k
    ctypedef struct dnn_dropout:
        uint32_t magic
        float rate
        void *states
        size_t states_size
        unsigned long long seed
        uint64_t drawn
        size_t count_at
        void *amd
    ctypedef struct dnn_spatial:
        uint32_t magic
        int32_t sampler
        int32_t type
        int32_t count
        int32_t[DNN_DIMS] dim
    ctypedef struct dnn_op:
        uint32_t magic
        int32_t op
        int32_t type
        int32_t nan
    ctypedef struct dnn_reduce:
        uint32_t magic
        int32_t op
        int32_t type
        int32_t nan
        int32_t indices
        int32_t index_type
    ctypedef struct dnn_transform:
        uint32_t magic
        uint32_t count
        int32_t format
        int32_t direction
        int32_t[DNN_DIMS] before
        int32_t[DNN_DIMS] after
        uint32_t[DNN_SPATIALS] fold
    ctypedef struct dnn_rnn:
        uint32_t magic
        int32_t algo
        int32_t cell
        int32_t bias
        int32_t direction
        int32_t input_mode
        int32_t data_type
        int32_t math_type
        int32_t math
        int32_t input_size
        int32_t hidden
        int32_t projected
        int32_t output_projected
        int32_t layers
        uint32_t flags
        int32_t clip_mode
        int32_t clip_nan
        int32_t set
        double clip_low
        double clip_high
        void *dropout
    ctypedef struct dnn_content:
        int64_t users
        void *amd
    ctypedef struct dnn_rnn_data:
        uint32_t magic
        uint64_t content
    ctypedef struct dnn_rows:
        dnn_content shared
        int32_t type
        int32_t layout
        int32_t longest
        int32_t batch
        int32_t vector
        int32_t filled
        int32_t reordered
        double fill
        int32_t lengths[1]
    ctypedef struct dnn_rnn_plan:
        uint32_t magic
        int32_t batch
        int32_t type
    ctypedef struct dnn_ctc:
        uint32_t magic
        int32_t type
        int32_t normalization
        int32_t nan
        int32_t gradient
        int32_t longest
    ctypedef struct dnn_seq_data:
        uint32_t magic
        uint64_t content
    ctypedef struct dnn_sequences:
        dnn_content shared
        int32_t type
        int32_t count
        int32_t[4] dim
        int32_t[4] axis
        int32_t filled
        double fill
        size_t lengths_count
        int32_t lengths[1]
    ctypedef struct dnn_attention:
        uint32_t magic
        uint32_t mode
        int32_t heads
        int32_t type
        int32_t compute_type
        int32_t math
        int32_t q_size
        int32_t k_size
        int32_t v_size
        int32_t q_projected
        int32_t k_projected
        int32_t v_projected
        int32_t o_projected
        int32_t longest_q
        int32_t longest_k
        int32_t largest_batch
        int32_t largest_beam
        double scale
        void *dropout
        void *after_dropout
    ctypedef struct dnn_fused_const:
        uint32_t magic
        int32_t op
        uint64_t given
        uint8_t[DNN_FUSED_LABELS] placeholder
        int32_t batch_mode
        void **descriptor
    ctypedef struct dnn_fused_variant:
        uint32_t magic
        int32_t op
        void **pointer
        int64_t *whole
        double *fraction
    enum:
        DNN_FUSED_X
        DNN_FUSED_EQUIVALENT
        DNN_FUSED_DW
        DNN_FUSED_DY
        DNN_FUSED_Y_STATS
        DNN_FUSED_STATS
        DNN_FUSED_Y
        DNN_FUSED_Z
        DNN_FUSED_Z_EQUIVALENT
        DNN_FUSED_MASK
        DNN_FUSED_TENSORS
    ctypedef struct dnn_fused_plan:
        uint32_t magic
        int32_t op
        int32_t made
        void *body
    ctypedef struct dnn_fused_body:
        dnn_tensor tensor[DNN_FUSED_TENSORS]
        dnn_convolution conv
        int32_t scaled
        int32_t positive
        int32_t mean
        int32_t inverse
        int32_t running_mean
        int32_t running_variance
        int32_t adds
        int32_t scales_z
        int32_t refused
    ctypedef struct dnn_algorithm:
        uint32_t magic
        int32_t algorithm
        int32_t set
    ctypedef struct dnn_performance:
        uint32_t magic
        int32_t algorithm
        uint32_t status
        float time
        size_t memory
        void *given

    void dnn_one_element(const dnn_tensor *like, dnn_tensor *one)
    uint32_t said(const char *function, uint32_t status)
    void explain_handle(const char *function, int reason)
    void explain_slot(const char *function, const char *parameter)
