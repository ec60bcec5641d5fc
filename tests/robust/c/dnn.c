/* What no program should do to cuDNN, and what some do all the same.
 *
 *     dnn LIBCUDNN garbage | unset | overflow | threads | shared | cycles N | fork | reload | part LIBRARY
 * | exit | streams
 *                  | crowded | resized N | reshaped N
 *
 * Prints `ok` and ends with 0, or says what was answered and what was expected. */
#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cuda_runtime_api.h>
#include <cudnn.h>

/* The functions called, by their real names. */
#define FUNCTIONS(each) \
    each(cudnnCreate) each(cudnnDestroy) each(cudnnSetStream) each(cudnnGetStream) \
    each(cudnnCreateTensorDescriptor) each(cudnnDestroyTensorDescriptor) each(cudnnSetTensorNdDescriptor) \
    each(cudnnSetTensor4dDescriptor) each(cudnnSetTensor4dDescriptorEx) each(cudnnGetTensorSizeInBytes) \
    each(cudnnCreateFilterDescriptor) each(cudnnDestroyFilterDescriptor) each(cudnnSetFilter4dDescriptor) \
    each(cudnnCreateConvolutionDescriptor) each(cudnnDestroyConvolutionDescriptor) \
    each(cudnnSetConvolution2dDescriptor) each(cudnnGetConvolution2dForwardOutputDim) \
    each(cudnnGetConvolutionNdForwardOutputDim) each(cudnnConvolutionForward) \
    each(cudnnGetConvolutionForwardWorkspaceSize) \
    each(cudnnCreatePoolingDescriptor) each(cudnnDestroyPoolingDescriptor) each(cudnnSetPooling2dDescriptor) \
    each(cudnnGetPooling2dForwardOutputDim) each(cudnnGetPoolingNdForwardOutputDim) each(cudnnPoolingForward) \
    each(cudnnPoolingBackward) each(cudnnCreateActivationDescriptor) each(cudnnDestroyActivationDescriptor) \
    each(cudnnSetActivationDescriptor) each(cudnnActivationForward) each(cudnnSoftmaxForward) \
    each(cudnnSoftmaxBackward) each(cudnnAddTensor) each(cudnnTransformTensor) each(cudnnScaleTensor) \
    each(cudnnSetTensor) each(cudnnCreateOpTensorDescriptor) each(cudnnDestroyOpTensorDescriptor) each(cudnnOpTensor) \
    each(cudnnCreateReduceTensorDescriptor) each(cudnnDestroyReduceTensorDescriptor) \
    each(cudnnSetReduceTensorDescriptor) each(cudnnReduceTensor) each(cudnnGetReductionWorkspaceSize) \
    each(cudnnCreateTensorTransformDescriptor) each(cudnnDestroyTensorTransformDescriptor) \
    each(cudnnSetTensorTransformDescriptor) each(cudnnInitTransformDest) each(cudnnTransformTensorEx) \
    each(cudnnCreateLRNDescriptor) each(cudnnDestroyLRNDescriptor) each(cudnnLRNCrossChannelForward) \
    each(cudnnCreateDropoutDescriptor) each(cudnnDestroyDropoutDescriptor) each(cudnnDropoutForward) \
    each(cudnnCreateRNNDescriptor) each(cudnnDestroyRNNDescriptor) each(cudnnSetRNNDescriptor_v8) \
    each(cudnnGetRNNWeightSpaceSize) each(cudnnGetRNNTempSpaceSizes) each(cudnnCreateRNNDataDescriptor) \
    each(cudnnDestroyRNNDataDescriptor) each(cudnnSetRNNDataDescriptor) each(cudnnGetRNNDataDescriptor) \
    each(cudnnRNNForward) each(cudnnSetSeqDataDescriptor) each(cudnnGetSeqDataDescriptor) \
    each(cudnnMultiHeadAttnForward) \
    each(cudnnCreateAttnDescriptor) each(cudnnDestroyAttnDescriptor) each(cudnnSetAttnDescriptor) \
    each(cudnnGetMultiHeadAttnBuffers) each(cudnnCreateSeqDataDescriptor) each(cudnnDestroySeqDataDescriptor) \
    each(cudnnBatchNormalizationForwardInference) each(cudnnDeriveBNTensorDescriptor)
#include "opened.h"
static void refused(const char *what, long long got) {
    if (got == CUDNN_STATUS_BAD_PARAM || got == CUDNN_STATUS_NOT_SUPPORTED) return;
    printf("%s: %lld, expected a refusal\n", what, got);
    failures++;
}
#define FAILS(call) expect(#call " succeeds", (call) == CUDNN_STATUS_SUCCESS, 0)
#define REFUSED(call) refused(#call, (long long)(call))
enum { OK = 0, BAD = CUDNN_STATUS_BAD_PARAM, CANNOT = CUDNN_STATUS_NOT_SUPPORTED };

static const float one = 1, zero = 0;
static const float picture[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};

static cudnnTensorDescriptor_t tensor(int n, int c, int h, int w) {
    cudnnTensorDescriptor_t d = NULL;
    EXPECT(OK, p_cudnnCreateTensorDescriptor(&d));
    EXPECT(OK, p_cudnnSetTensor4dDescriptor(d, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, n, c, h, w));
    return d;
}

/* The mean of a picture, twice: through memory of the handle's own, and added to itself. */
static int mean(cudnnHandle_t handle, cudnnTensorDescriptor_t x, cudnnTensorDescriptor_t y, float *out) {
    cudnnPoolingDescriptor_t pooling = NULL;
    const float half = 0.5f;
    int status;
    out[0] = 2;
    EXPECT(OK, p_cudnnCreatePoolingDescriptor(&pooling));
    EXPECT(OK, p_cudnnSetPooling2dDescriptor(pooling, CUDNN_POOLING_AVERAGE_COUNT_INCLUDE_PADDING,
                                             CUDNN_NOT_PROPAGATE_NAN, 4, 4, 0, 0, 1, 1));
    status = p_cudnnPoolingForward(handle, pooling, &one, x, picture, &half, y, out);
    EXPECT(OK, p_cudnnDestroyPoolingDescriptor(pooling));
    return status;
}
static void right_numbers(cudnnHandle_t handle) {
    cudnnTensorDescriptor_t x = tensor(1, 1, 4, 4), y = tensor(1, 1, 1, 1);
    float out[1];
    EXPECT(OK, mean(handle, x, y, out));
    if (out[0] != 9.5f) expect("the mean", 0, 1);
    EXPECT(OK, p_cudnnDestroyTensorDescriptor(x));
    EXPECT(OK, p_cudnnDestroyTensorDescriptor(y));
}

/* Each kind of descriptor: made, destroyed, and what else is given in its place. */
static void kinds(cudnnHandle_t handle) {
    static const struct {
        const char *name;
        int (**create)(void **);
        int (**destroy)(void *);
    } all[] = {
#define KIND(name) \
    {#name, (int (**)(void **)) & p_cudnnCreate##name##Descriptor, \
     (int (**)(void *)) & p_cudnnDestroy##name##Descriptor}
        KIND(Tensor),       KIND(Filter),          KIND(Convolution), KIND(Pooling), KIND(Activation), KIND(OpTensor),
        KIND(ReduceTensor), KIND(TensorTransform), KIND(LRN),         KIND(Dropout), KIND(RNN),        KIND(RNNData),
        KIND(Attn),         KIND(SeqData)};
    char stack[256] = {0};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        int before = failures;
        void *made = NULL;
        EXPECT(BAD, (*all[i].create)(NULL));
        EXPECT(OK, (*all[i].create)(&made));
        EXPECT(OK, (*all[i].destroy)(NULL));
        EXPECT(BAD, (*all[i].destroy)((void *)0x1234));
        EXPECT(BAD, (*all[i].destroy)((void *)-1));
        EXPECT(BAD, (*all[i].destroy)(stack));
        EXPECT(BAD, (*all[i].destroy)((char *)made + 8));
        EXPECT(BAD, (*all[i].destroy)(handle));
        EXPECT(BAD, p_cudnnDestroy(made));
        EXPECT(OK, (*all[i].destroy)(made));
        EXPECT(BAD, (*all[i].destroy)(made));
        if (failures > before) printf("... %s\n", all[i].name);
    }
}

static void garbage(void) {
    cudnnHandle_t handle, gone;
    cudnnTensorDescriptor_t x = tensor(1, 1, 4, 4), lost = tensor(1, 1, 4, 4);
    cudnnFilterDescriptor_t filter;
    cudnnActivationDescriptor_t activation;
    float out[16];
    cudaStream_t stream;
    EXPECT(OK, p_cudnnDestroyTensorDescriptor(lost));
    EXPECT(OK, p_cudnnCreateFilterDescriptor(&filter));
    EXPECT(OK, p_cudnnCreateActivationDescriptor(&activation));
    REFUSED(p_cudnnCreate(NULL));
    EXPECT(OK, p_cudnnCreate(&handle));
    EXPECT(OK, p_cudnnCreate(&gone));
    EXPECT(OK, p_cudnnDestroy(gone));
    kinds(handle);
    void *bad[] = {NULL,         (void *)0x1234, (void *)-1, gone, lost, filter, out, (void *)(uintptr_t)p_cudnnCreate,
                   (char *)x + 8};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        void *b = bad[i];
        int before = failures;
        FAILS(p_cudnnSetStream(b, NULL));
        FAILS(p_cudnnGetStream(b, &stream));
        FAILS(p_cudnnSoftmaxForward(b, 0, 0, &one, x, picture, &zero, x, out));
        FAILS(p_cudnnSoftmaxForward(handle, 0, 0, &one, b, picture, &zero, x, out));
        FAILS(p_cudnnSoftmaxForward(handle, 0, 0, &one, x, picture, &zero, b, out));
        FAILS(p_cudnnSetTensor4dDescriptor(b, 0, 0, 1, 1, 1, 1));
        FAILS(p_cudnnActivationForward(handle, b, &one, x, picture, &zero, x, out));
        FAILS(p_cudnnAddTensor(handle, &one, b, picture, &one, x, out));
        FAILS(p_cudnnOpTensor(handle, b, &one, x, picture, &one, x, picture, &zero, x, out));
        if (failures > before) printf("... with the bad one %zu\n", i);
    }
    EXPECT(OK, p_cudnnDestroyFilterDescriptor(filter));
    EXPECT(OK, p_cudnnDestroyActivationDescriptor(activation));
    right_numbers(handle);
    EXPECT(OK, p_cudnnDestroyTensorDescriptor(x));
    EXPECT(OK, p_cudnnDestroy(handle));
}

/* Descriptors that nobody has set. */
static void unset(void) {
    cudnnHandle_t h;
    cudnnTensorDescriptor_t t, full = tensor(1, 1, 4, 4);
    cudnnFilterDescriptor_t w;
    cudnnConvolutionDescriptor_t conv;
    cudnnPoolingDescriptor_t pool;
    cudnnReduceTensorDescriptor_t reduce;
    cudnnTensorTransformDescriptor_t move;
    cudnnRNNDescriptor_t rnn;
    cudnnRNNDataDescriptor_t rows;
    cudnnAttnDescriptor_t attention;
    float out[16], space[64];
    size_t size, other;
    EXPECT(OK, p_cudnnCreate(&h));
    EXPECT(OK, p_cudnnCreateTensorDescriptor(&t));
    EXPECT(OK, p_cudnnCreateFilterDescriptor(&w));
    EXPECT(OK, p_cudnnCreateConvolutionDescriptor(&conv));
    EXPECT(OK, p_cudnnCreatePoolingDescriptor(&pool));
    EXPECT(OK, p_cudnnCreateReduceTensorDescriptor(&reduce));
    EXPECT(OK, p_cudnnCreateTensorTransformDescriptor(&move));
    EXPECT(OK, p_cudnnCreateRNNDescriptor(&rnn));
    EXPECT(OK, p_cudnnCreateRNNDataDescriptor(&rows));
    EXPECT(OK, p_cudnnCreateAttnDescriptor(&attention));
    REFUSED(
        p_cudnnSoftmaxForward(h, CUDNN_SOFTMAX_ACCURATE, CUDNN_SOFTMAX_MODE_CHANNEL, &one, t, picture, &zero, t, out));
    REFUSED(p_cudnnAddTensor(h, &one, t, picture, &one, t, out));
    REFUSED(p_cudnnTransformTensor(h, &one, t, picture, &zero, t, out));
    REFUSED(p_cudnnScaleTensor(h, t, out, &one));
    REFUSED(p_cudnnSetTensor(h, t, out, &one));
    REFUSED(p_cudnnPoolingForward(h, pool, &one, full, picture, &zero, full, out));
    REFUSED(p_cudnnPoolingForward(h, pool, &one, t, picture, &zero, t, out));
    REFUSED(
        p_cudnnConvolutionForward(h, &one, full, picture, w, picture, conv, 0, space, sizeof space, &zero, full, out));
    REFUSED(p_cudnnGetConvolutionForwardWorkspaceSize(h, t, w, conv, t, 0, &size));
    REFUSED(p_cudnnReduceTensor(h, reduce, NULL, 0, space, sizeof space, &one, t, picture, &zero, t, out));
    REFUSED(p_cudnnGetReductionWorkspaceSize(h, reduce, t, t, &size));
    REFUSED(p_cudnnTransformTensorEx(h, move, &one, full, picture, &zero, full, out));
    REFUSED(p_cudnnInitTransformDest(move, full, t, &size));
    REFUSED(p_cudnnGetRNNWeightSpaceSize(h, rnn, &size));
    REFUSED(p_cudnnGetRNNTempSpaceSizes(h, rnn, CUDNN_FWD_MODE_TRAINING, rows, &size, &other));
    REFUSED(p_cudnnGetMultiHeadAttnBuffers(h, attention, &size, &other, NULL));
    REFUSED(p_cudnnDeriveBNTensorDescriptor(t, t, CUDNN_BATCHNORM_SPATIAL));
    right_numbers(h);
    EXPECT(OK, p_cudnnDestroyTensorDescriptor(t));
    EXPECT(OK, p_cudnnDestroyTensorDescriptor(full));
    EXPECT(OK, p_cudnnDestroy(h)); /* before the descriptors */
    EXPECT(OK, p_cudnnDestroyFilterDescriptor(w));
    EXPECT(OK, p_cudnnDestroyConvolutionDescriptor(conv));
    EXPECT(OK, p_cudnnDestroyPoolingDescriptor(pool));
    EXPECT(OK, p_cudnnDestroyReduceTensorDescriptor(reduce));
    EXPECT(OK, p_cudnnDestroyTensorTransformDescriptor(move));
    EXPECT(OK, p_cudnnDestroyRNNDescriptor(rnn));
    EXPECT(OK, p_cudnnDestroyRNNDataDescriptor(rows));
    EXPECT(OK, p_cudnnDestroyAttnDescriptor(attention));
}

/* Sizes whose sums and products are more than 32 or 64 bits hold. */
static void overflow(void) {
    cudnnHandle_t h;
    cudnnTensorDescriptor_t x = tensor(1, 1, 4, 4), y = tensor(1, 1, 2, 2), made;
    cudnnFilterDescriptor_t w;
    cudnnConvolutionDescriptor_t conv;
    cudnnPoolingDescriptor_t pool;
    cudnnTensorTransformDescriptor_t move;
    cudnnReduceTensorDescriptor_t reduce;
    cudnnRNNDescriptor_t rnn;
    cudnnAttnDescriptor_t attention;
    int out[4];
    size_t size, other;
    float data[16];
    EXPECT(OK, p_cudnnCreate(&h));
    EXPECT(OK, p_cudnnCreateTensorDescriptor(&made));
    EXPECT(OK, p_cudnnCreateFilterDescriptor(&w));
    EXPECT(OK, p_cudnnCreateConvolutionDescriptor(&conv));
    EXPECT(OK, p_cudnnCreatePoolingDescriptor(&pool));
    EXPECT(OK, p_cudnnCreateTensorTransformDescriptor(&move));
    EXPECT(OK, p_cudnnCreateReduceTensorDescriptor(&reduce));
    EXPECT(OK, p_cudnnCreateRNNDescriptor(&rnn));
    EXPECT(OK, p_cudnnCreateAttnDescriptor(&attention));
    /* 4 + 2 * INT_MAX - 1 + 1 is 2 in 32 bits; INT_MIN is 0 when doubled */
    EXPECT(OK, p_cudnnSetPooling2dDescriptor(pool, CUDNN_POOLING_MAX, 0, 1, 1, INT_MAX, INT_MAX, 1, 1));
    REFUSED(p_cudnnGetPooling2dForwardOutputDim(pool, x, out, out + 1, out + 2, out + 3));
    REFUSED(p_cudnnGetPoolingNdForwardOutputDim(pool, x, 4, out));
    EXPECT(OK, p_cudnnSetPooling2dDescriptor(pool, CUDNN_POOLING_MAX, 0, 1, 1, INT_MIN, INT_MIN, 1, 1));
    REFUSED(p_cudnnGetPooling2dForwardOutputDim(pool, x, out, out + 1, out + 2, out + 3));
    EXPECT(OK, p_cudnnSetFilter4dDescriptor(w, CUDNN_DATA_FLOAT, CUDNN_TENSOR_NCHW, 1, 1, 1, 1));
    EXPECT(OK, p_cudnnSetConvolution2dDescriptor(conv, INT_MAX, INT_MAX, 1, 1, 1, 1, 0, CUDNN_DATA_FLOAT));
    REFUSED(p_cudnnGetConvolution2dForwardOutputDim(conv, x, w, out, out + 1, out + 2, out + 3));
    REFUSED(p_cudnnConvolutionForward(h, &one, x, picture, w, picture, conv, 0, NULL, 0, &zero, y, data));
    EXPECT(OK, p_cudnnSetFilter4dDescriptor(w, CUDNN_DATA_FLOAT, CUDNN_TENSOR_NCHW, 1, 1, 3, 3));
    EXPECT(OK, p_cudnnSetConvolution2dDescriptor(conv, 0, 0, 1, 1, INT_MAX, INT_MAX, 0, CUDNN_DATA_FLOAT));
    REFUSED(p_cudnnGetConvolutionNdForwardOutputDim(conv, x, w, 4, out));
    /* folded channels: 2^32, of which 32 bits keep 0, by which a reduction's size is divided; 2^31; and a
     * factor of -1 */
    static const unsigned folds[][2] = {{65536, 65536}, {0x80000000u, 1}, {0xffffffffu, 1}, {46341, 46341}};
    for (size_t i = 0; i < sizeof folds / sizeof *folds; i++) {
        EXPECT(OK, p_cudnnSetTensorTransformDescriptor(move, 4, CUDNN_TENSOR_NCHW, NULL, NULL, folds[i],
                                                       CUDNN_TRANSFORM_FOLD));
        REFUSED(p_cudnnInitTransformDest(move, x, made, &size));
        REFUSED(p_cudnnTransformTensorEx(h, move, &one, x, picture, &zero, y, data));
        REFUSED(p_cudnnGetReductionWorkspaceSize(h, reduce, x, made, &size));
    }
    static const int wide[4] = {1 << 30, 1 << 30, 1 << 20, 1 << 20}, most[4] = {INT_MAX, INT_MAX, INT_MAX, INT_MAX};
    EXPECT(OK, p_cudnnSetTensorTransformDescriptor(move, 4, CUDNN_TENSOR_NCHW, wide, NULL, NULL, CUDNN_TRANSFORM_FOLD));
    REFUSED(p_cudnnInitTransformDest(move, x, made, &size));
    EXPECT(OK, p_cudnnSetTensorTransformDescriptor(move, 4, CUDNN_TENSOR_NCHW, most, most, NULL, CUDNN_TRANSFORM_FOLD));
    REFUSED(p_cudnnInitTransformDest(move, x, made, &size));
    REFUSED(p_cudnnTransformTensorEx(h, move, &one, x, picture, &zero, y, data));
    /* weights of 2^64 elements and more */
    EXPECT(OK, p_cudnnSetRNNDescriptor_v8(rnn, CUDNN_RNN_ALGO_STANDARD, CUDNN_RNN_RELU, CUDNN_RNN_DOUBLE_BIAS,
                                          CUDNN_UNIDIRECTIONAL, CUDNN_LINEAR_INPUT, CUDNN_DATA_FLOAT, CUDNN_DATA_FLOAT,
                                          0, 1 << 30, 1 << 30, 1 << 30, 16, NULL, 0));
    REFUSED(p_cudnnGetRNNWeightSpaceSize(h, rnn, &size));
    EXPECT(OK, p_cudnnSetAttnDescriptor(attention, 0, 1 << 30, 1, CUDNN_DATA_FLOAT, CUDNN_DATA_FLOAT, 0, NULL, NULL, 16,
                                        16, 1, 1 << 30, 1 << 30, 0, 1, 1, 1, 1, 1));
    REFUSED(p_cudnnGetMultiHeadAttnBuffers(h, attention, &size, &other, NULL));
    right_numbers(h);
    EXPECT(OK, p_cudnnDestroyTensorDescriptor(x));
    EXPECT(OK, p_cudnnDestroyTensorDescriptor(y));
    EXPECT(OK, p_cudnnDestroyTensorDescriptor(made));
    EXPECT(OK, p_cudnnDestroyFilterDescriptor(w));
    EXPECT(OK, p_cudnnDestroyConvolutionDescriptor(conv));
    EXPECT(OK, p_cudnnDestroyPoolingDescriptor(pool));
    EXPECT(OK, p_cudnnDestroyTensorTransformDescriptor(move));
    EXPECT(OK, p_cudnnDestroyReduceTensorDescriptor(reduce));
    EXPECT(OK, p_cudnnDestroyRNNDescriptor(rnn));
    EXPECT(OK, p_cudnnDestroyAttnDescriptor(attention));
    EXPECT(OK, p_cudnnDestroy(h));
}

static cudnnTensorDescriptor_t common_x, common_y;
static cudnnRNNDataDescriptor_t common_rows;
static int resets;
/* The same rows again, while the other thread asks for a network's spaces over them. */
static void rows_again(cudnnHandle_t handle) {
    static const int lengths[3] = {3, 2, 1};
    cudnnRNNDescriptor_t rnn;
    size_t work, reserve;
    EXPECT(OK, p_cudnnSetRNNDataDescriptor(common_rows, CUDNN_DATA_FLOAT, CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_PACKED, 3, 3,
                                           4, lengths, NULL));
    if (!handle) return;
    EXPECT(OK, p_cudnnCreateRNNDescriptor(&rnn));
    EXPECT(OK, p_cudnnSetRNNDescriptor_v8(rnn, CUDNN_RNN_ALGO_STANDARD, CUDNN_LSTM, CUDNN_RNN_DOUBLE_BIAS,
                                          CUDNN_UNIDIRECTIONAL, CUDNN_LINEAR_INPUT, CUDNN_DATA_FLOAT, CUDNN_DATA_FLOAT,
                                          0, 4, 4, 4, 1, NULL, 0));
    EXPECT(OK, p_cudnnGetRNNTempSpaceSizes(handle, rnn, CUDNN_FWD_MODE_TRAINING, common_rows, &work, &reserve));
    EXPECT(OK, p_cudnnDestroyRNNDescriptor(rnn));
}
static void *work(void *times) {
    cudnnHandle_t handle;
    EXPECT(OK, p_cudnnCreate(&handle));
    for (long i = 0; i < (long)times && !failures; i++) {
        float out[1];
        if (resets) rows_again(handle);
        if (resets) EXPECT(OK, p_cudnnSetTensor4dDescriptor(common_x, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, 1, 1, 4, 4));
        EXPECT(OK, p_cudnnSetStream(handle, (cudaStream_t)(uintptr_t)(1 + i % 2))); /* legacy, per thread */
        EXPECT(OK, mean(handle, common_x, common_y, out));
        if (out[0] != 9.5f) expect("the mean", 0, 1);
        right_numbers(handle);
    }
    EXPECT(OK, p_cudnnDestroy(handle));
    return NULL;
}
static void threads(void) {
    pthread_t two[2];
    common_x = tensor(1, 1, 4, 4), common_y = tensor(1, 1, 1, 1);
    EXPECT(OK, p_cudnnCreateRNNDataDescriptor(&common_rows));
    rows_again(NULL);
    for (int i = 0; i < 2; i++) pthread_create(&two[i], NULL, work, (void *)100L);
    for (int i = 0; i < 2; i++) pthread_join(two[i], NULL);
    EXPECT(OK, p_cudnnDestroyTensorDescriptor(common_x));
    EXPECT(OK, p_cudnnDestroyTensorDescriptor(common_y));
    EXPECT(OK, p_cudnnDestroyRNNDataDescriptor(common_rows));
}

/* Rows and sequences that one thread makes few and many by turns, while two others read them: each call meets the one
 * content or the other, whole. Rows of one call may be those of before and of after, which do not fit together. */
enum { FEW = 3, MANY = 300, VECTOR = 4 };
static cudnnRNNDataDescriptor_t changing_rows;
static cudnnSeqDataDescriptor_t changing_sequences;
static int over;
static void set_to(int batch) {
    static const cudnnSeqDataAxis_t axes[4] = {CUDNN_SEQDATA_BATCH_DIM, CUDNN_SEQDATA_BEAM_DIM, CUDNN_SEQDATA_TIME_DIM,
                                               CUDNN_SEQDATA_VECT_DIM};
    const int dim[CUDNN_SEQDATA_DIM_COUNT] = {[CUDNN_SEQDATA_TIME_DIM] = batch == FEW ? 2 : 1,
                                              [CUDNN_SEQDATA_BATCH_DIM] = batch,
                                              [CUDNN_SEQDATA_BEAM_DIM] = 1,
                                              [CUDNN_SEQDATA_VECT_DIM] = VECTOR};
    int lengths[MANY];
    for (int i = 0; i < batch; i++) lengths[i] = batch == FEW ? 2 : 1;
    EXPECT(OK, p_cudnnSetRNNDataDescriptor(changing_rows, CUDNN_DATA_FLOAT, CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_PACKED,
                                           batch == FEW ? 2 : 1, batch, VECTOR, lengths, NULL));
    EXPECT(OK, p_cudnnSetSeqDataDescriptor(changing_sequences, CUDNN_DATA_FLOAT, CUDNN_SEQDATA_DIM_COUNT, dim, axes,
                                           (size_t)batch, lengths, NULL));
}
static void check_lengths(const char *what, long batch, const int *lengths) {
    long wrong = batch != FEW && batch != MANY;
    for (long i = 0; !wrong && i < batch; i++) wrong = lengths[i] != (batch == FEW ? 2 : 1);
    expect(what, wrong, 0);
}
static void *read_them(void *times) {
    enum { ROOM = 1 << 22 };
    static const int low[2], high[2] = {2, 2}, device[MANY];
    char *memory = calloc(6, ROOM);
    float *x = (float *)memory, *y = x + 2 * MANY * VECTOR, *w = y + 2 * MANY * VECTOR;
    char *work = memory + ROOM, *reserve = memory + 3 * ROOM;
    size_t asked[3], sizes[3];
    cudnnHandle_t handle;
    cudnnRNNDescriptor_t rnn;
    cudnnAttnDescriptor_t attention;
    cudnnTensorDescriptor_t state = tensor(1, MANY, VECTOR, 1); /* the states of many */
    EXPECT(OK, p_cudnnCreate(&handle));
    EXPECT(OK, p_cudnnCreateRNNDescriptor(&rnn));
    EXPECT(OK, p_cudnnSetRNNDescriptor_v8(rnn, CUDNN_RNN_ALGO_STANDARD, CUDNN_LSTM, CUDNN_RNN_DOUBLE_BIAS,
                                          CUDNN_UNIDIRECTIONAL, CUDNN_LINEAR_INPUT, CUDNN_DATA_FLOAT, CUDNN_DATA_FLOAT,
                                          0, VECTOR, VECTOR, VECTOR, 1, NULL, 0));
    EXPECT(OK, p_cudnnCreateAttnDescriptor(&attention));
    EXPECT(OK, p_cudnnSetAttnDescriptor(attention, 0, 1, 1, CUDNN_DATA_FLOAT, CUDNN_DATA_FLOAT, 0, NULL, NULL, VECTOR,
                                        VECTOR, VECTOR, 0, 0, 0, 0, 2, 2, MANY, 1));
    EXPECT(OK, p_cudnnGetMultiHeadAttnBuffers(handle, attention, &sizes[0], &sizes[1], NULL));
    for (long i = 0; i < (long)times && !failures; i++) {
        int type, longest, batch, vector, lengths[MANY], dim[4], count, status;
        cudnnSeqDataAxis_t axes[4];
        float fill;
        EXPECT(OK, p_cudnnGetRNNDataDescriptor(changing_rows, (cudnnDataType_t *)&type, (cudnnRNNDataLayout_t *)&type,
                                               &longest, &batch, &vector, MANY, lengths, &fill));
        check_lengths("rows", batch, lengths);
        EXPECT(OK, p_cudnnGetSeqDataDescriptor(changing_sequences, (cudnnDataType_t *)&type, &count, 4, dim, axes,
                                               &asked[0], MANY, lengths, NULL));
        check_lengths("sequences", (long)asked[0], lengths);
        expect("sequences and their batch", dim[CUDNN_SEQDATA_BATCH_DIM], (long)asked[0]);
        EXPECT(OK,
               p_cudnnGetRNNTempSpaceSizes(handle, rnn, CUDNN_FWD_MODE_TRAINING, changing_rows, &asked[0], &asked[1]));
        status = p_cudnnRNNForward(handle, rnn, CUDNN_FWD_MODE_TRAINING, device, changing_rows, x, changing_rows, y,
                                   state, x, NULL, state, x, NULL, ROOM, w, 2 * ROOM, work, 3 * ROOM, reserve);
        if (status != BAD) expect("the network", status, OK);
        status = p_cudnnMultiHeadAttnForward(handle, attention, -1, low, high, device, device, changing_sequences, x,
                                             NULL, changing_sequences, x, changing_sequences, x, changing_sequences, y,
                                             0, NULL, sizes[1], work, 0, NULL);
        if (status != BAD) expect("the attention", status, OK);
    }
    EXPECT(OK, p_cudnnDestroyTensorDescriptor(state));
    EXPECT(OK, p_cudnnDestroyAttnDescriptor(attention));
    EXPECT(OK, p_cudnnDestroyRNNDescriptor(rnn));
    EXPECT(OK, p_cudnnDestroy(handle));
    free(memory);
    return NULL;
}
static void *change_them(void *unused) {
    while (!__atomic_load_n(&over, __ATOMIC_ACQUIRE)) set_to(MANY), set_to(FEW);
    return unused;
}
static void resized(long times) {
    pthread_t readers[2], writer;
    EXPECT(OK, p_cudnnCreateRNNDataDescriptor(&changing_rows));
    EXPECT(OK, p_cudnnCreateSeqDataDescriptor(&changing_sequences));
    set_to(FEW);
    pthread_create(&writer, NULL, change_them, NULL);
    for (int i = 0; i < 2; i++) pthread_create(&readers[i], NULL, read_them, (void *)times);
    for (int i = 0; i < 2; i++) pthread_join(readers[i], NULL);
    __atomic_store_n(&over, 1, __ATOMIC_RELEASE);
    pthread_join(writer, NULL);
    EXPECT(OK, p_cudnnDestroyRNNDataDescriptor(changing_rows));
    EXPECT(OK, p_cudnnDestroySeqDataDescriptor(changing_sequences));
}

/* A tensor that one thread gives another shape while a call of another reads it: the calls after both go
 * by the new one. */
static cudnnTensorDescriptor_t shaped;
static long asked, done_with;
static void *scale_it(void *memory) {
    cudnnHandle_t handle;
    EXPECT(OK, p_cudnnCreate(&handle));
    for (long turn; (turn = __atomic_load_n(&asked, __ATOMIC_ACQUIRE)) >= 0;) {
        if (turn == __atomic_load_n(&done_with, __ATOMIC_RELAXED)) {
            sched_yield();
            continue;
        }
        p_cudnnSoftmaxForward(handle, CUDNN_SOFTMAX_FAST, CUDNN_SOFTMAX_MODE_CHANNEL, &one, shaped, memory, &zero,
                              shaped, memory);
        __atomic_store_n(&done_with, turn, __ATOMIC_RELEASE);
    }
    EXPECT(OK, p_cudnnDestroy(handle));
    return NULL;
}
static void reshaped(long times) {
    enum { LARGEST = 2048 }; /* a call that reads half of either shape may see this many rows of as many */
    float *memory = calloc((size_t)LARGEST * LARGEST, sizeof(float)), *mine = calloc(LARGEST, sizeof(float));
    cudnnHandle_t handle;
    pthread_t other;
    EXPECT(OK, p_cudnnCreate(&handle));
    shaped = tensor(1, 1, 1, 1);
    pthread_create(&other, NULL, scale_it, memory);
    for (long i = 1; i <= times && !failures; i++) {
        const int small = 2, large = (int)i + 2;
        /* new */
        EXPECT(OK, p_cudnnSetTensor4dDescriptor(shaped, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, 1, small, 1, large));
        __atomic_store_n(&asked, i, __ATOMIC_RELEASE);
        for (long pause = i % 64 * 40; pause; pause--) __asm__ volatile("");
        EXPECT(OK, p_cudnnSetTensor4dDescriptor(shaped, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, 1, large, 1, 1));
        while (__atomic_load_n(&done_with, __ATOMIC_ACQUIRE) != i) sched_yield();
        for (int k = 0; k < large; k++) mine[k] = 0;
        EXPECT(OK, p_cudnnSoftmaxForward(handle, CUDNN_SOFTMAX_FAST, CUDNN_SOFTMAX_MODE_CHANNEL, &one, shaped, mine,
                                         &zero, shaped, mine));
        if (mine[0] * large < 0.999f || mine[0] * large > 1.001f) expect("the channels that a softmax has", 2, large);
    }
    __atomic_store_n(&asked, -1, __ATOMIC_RELEASE);
    pthread_join(other, NULL);
    EXPECT(OK, p_cudnnDestroyTensorDescriptor(shaped));
    EXPECT(OK, p_cudnnDestroy(handle));
    free(memory);
    free(mine);
}

static void cycles(long count) {
    cudnnHandle_t first = NULL, handle = NULL;
    for (long i = 0; i < count && !failures; i++) {
        EXPECT(OK, p_cudnnCreate(&handle));
        if (!first) first = handle;
        if (i % 50 == 0) right_numbers(handle);
        EXPECT(OK, p_cudnnDestroy(handle));
        FAILS(p_cudnnSetStream(handle, NULL));
        cudnnTensorDescriptor_t t = tensor(1, 1, 4, 4);
        EXPECT(OK, p_cudnnDestroyTensorDescriptor(t));
    }
    FAILS(p_cudnnDestroy(first));
}

static void in_a_child(void) {
    cudnnHandle_t handle, another = NULL;
    int status = -1;
    EXPECT(OK, p_cudnnCreate(&handle));
    right_numbers(handle);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        FAILS(p_cudnnSetStream(handle, NULL));
        FAILS(p_cudnnCreate(&another));
        (void)p_cudnnDestroy(handle);
        exit(failures ? 1 : 0);
    }
    waitpid(child, &status, 0);
    EXPECT(0, status);
    right_numbers(handle);
    EXPECT(OK, p_cudnnDestroy(handle));
}

static void reload(void) {
    cudnnHandle_t handle, kept = NULL;
    for (int i = 0; i < 5; i++) {
        EXPECT(OK, p_cudnnCreate(&handle));
        right_numbers(handle);
        if (i == 2) kept = handle; /* unloaded with a handle alive: it stays one */
        else EXPECT(OK, p_cudnnDestroy(handle));
        dlclose(library);
        open_library();
    }
    right_numbers(kept);
    EXPECT(OK, p_cudnnDestroy(kept));
}

/* A function of the CUDA runtime beside the library. */
static void *of_runtime(const char *name) {
    char file[4096];
    snprintf(file, sizeof file, "%.*s/libcudart.so.12", (int)(strrchr(path, '/') - path), path);
    void *runtime = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (!runtime) fprintf(stderr, "%s\n", dlerror()), exit(3);
    return dlsym(runtime, name);
}

/* A stream that the program destroys while the handle is still on it. */
static void streams(void) {
    __typeof__(&cudaStreamCreate) create = (__typeof__(&cudaStreamCreate))of_runtime("cudaStreamCreate");
    __typeof__(&cudaStreamDestroy) destroy = (__typeof__(&cudaStreamDestroy))of_runtime("cudaStreamDestroy");
    for (int i = 0; i < 4; i++) {
        cudnnHandle_t handle;
        cudaStream_t stream, next;
        EXPECT(OK, p_cudnnCreate(&handle));
        EXPECT(0, create(&stream));
        EXPECT(0, create(&next));
        EXPECT(OK, p_cudnnSetStream(handle, stream));
        right_numbers(handle); /* uses the handle's memory, which it marks when it leaves the stream */
        EXPECT(0, destroy(stream));
        if (i & 1) {
            (void)p_cudnnSetStream(handle, next);
            (void)p_cudnnSetStream(handle, NULL);
            right_numbers(handle);
        }
        if (i & 2) EXPECT(OK, p_cudnnDestroy(handle));
        EXPECT(0, destroy(next));
        if (!(i & 2)) EXPECT(OK, p_cudnnDestroy(handle));
    }
}

/* More shapes than are kept, then calls that need many shapes at a time. */
static void products(cudnnHandle_t handle) {
    static const double d_one = 1, d_zero = 0, x[6] = {2, 0, 3, 0, 0, 5};
    cudnnTensorDescriptor_t from, to;
    cudnnReduceTensorDescriptor_t reduce;
    double out[1] = {0};
    char space[4096];
    EXPECT(OK, p_cudnnCreateTensorDescriptor(&from));
    EXPECT(OK, p_cudnnCreateTensorDescriptor(&to));
    EXPECT(OK, p_cudnnSetTensor4dDescriptor(from, CUDNN_TENSOR_NCHW, CUDNN_DATA_DOUBLE, 1, 1, 2, 3));
    EXPECT(OK, p_cudnnSetTensor4dDescriptor(to, CUDNN_TENSOR_NCHW, CUDNN_DATA_DOUBLE, 1, 1, 1, 1));
    EXPECT(OK, p_cudnnCreateReduceTensorDescriptor(&reduce));
    EXPECT(OK,
           p_cudnnSetReduceTensorDescriptor(reduce, CUDNN_REDUCE_TENSOR_MUL_NO_ZEROS, CUDNN_DATA_DOUBLE,
                                            CUDNN_PROPAGATE_NAN, CUDNN_REDUCE_TENSOR_NO_INDICES, CUDNN_32BIT_INDICES));
    EXPECT(OK, p_cudnnReduceTensor(handle, reduce, NULL, 0, space, sizeof space, &d_one, from, x, &d_zero, to, out));
    if (out[0] != 30) expect("the product", 0, 1);
    EXPECT(OK, p_cudnnDestroyReduceTensorDescriptor(reduce));
    EXPECT(OK, p_cudnnDestroyTensorDescriptor(from));
    EXPECT(OK, p_cudnnDestroyTensorDescriptor(to));
}

#if CUDNN_MAJOR < 9
enum { STEPS = 80, ROWS = STEPS * (STEPS + 1) / 2 };
/* A network over steps that each have another number of sequences. */
static void falling_batches(cudnnHandle_t handle) {
    __typeof__(&cudaMalloc) give = (__typeof__(&cudaMalloc))of_runtime("cudaMalloc");
    __typeof__(&cudaFree) take = (__typeof__(&cudaFree))of_runtime("cudaFree");
    cudnnTensorDescriptor_t xs[STEPS], state;
    cudnnFilterDescriptor_t w;
    cudnnRNNDescriptor_t rnn;
    size_t work = 0, reserve = 0, weights = 0;
    float *space[5];
    double sum = 0;
#define LATE(name) __typeof__(&name) name##_ = (__typeof__(&name))dlsym(library, #name)
    LATE(cudnnSetRNNDescriptor_v6);
    LATE(cudnnGetRNNWorkspaceSize);
    LATE(cudnnGetRNNTrainingReserveSize);
    LATE(cudnnGetRNNParamsSize);
    LATE(cudnnRNNForwardTraining);
    LATE(cudnnSetFilterNdDescriptor);
    for (int i = 0; i < STEPS; i++) xs[i] = tensor(STEPS - i, 4, 1, 1);
    state = tensor(1, STEPS, 4, 1);
    for (int i = 0; i < STEPS; i++) {
        int dim[3] = {STEPS - i, 4, 1}, stride[3] = {4, 1, 1};
        EXPECT(OK, p_cudnnSetTensorNdDescriptor(xs[i], CUDNN_DATA_FLOAT, 3, dim, stride));
    }
    int dim[3] = {1, STEPS, 4}, stride[3] = {STEPS * 4, 4, 1};
    EXPECT(OK, p_cudnnSetTensorNdDescriptor(state, CUDNN_DATA_FLOAT, 3, dim, stride));
    EXPECT(OK, p_cudnnCreateRNNDescriptor(&rnn));
    EXPECT(OK, p_cudnnCreateFilterDescriptor(&w));
    EXPECT(OK, cudnnSetRNNDescriptor_v6_(handle, rnn, 4, 1, NULL, CUDNN_LINEAR_INPUT, CUDNN_UNIDIRECTIONAL,
                                         CUDNN_RNN_RELU, CUDNN_RNN_ALGO_STANDARD, CUDNN_DATA_FLOAT));
    EXPECT(OK, cudnnGetRNNWorkspaceSize_(handle, rnn, STEPS, xs, &work));
    EXPECT(OK, cudnnGetRNNTrainingReserveSize_(handle, rnn, STEPS, xs, &reserve));
    EXPECT(OK, cudnnGetRNNParamsSize_(handle, rnn, xs[0], &weights, CUDNN_DATA_FLOAT));
    int filter[3] = {(int)(weights / 4), 1, 1};
    EXPECT(OK, cudnnSetFilterNdDescriptor_(w, CUDNN_DATA_FLOAT, CUDNN_TENSOR_NCHW, 3, filter));
    size_t sizes[5] = {weights, ROWS * 16, ROWS * 16, work, reserve};
    for (int i = 0; i < 5; i++) EXPECT(0, give((void **)&space[i], sizes[i]));
    for (size_t i = 0; i < weights / 4; i++) space[0][i] = 0.125f;
    for (int i = 0; i < ROWS * 4; i++) space[1][i] = 1;
    EXPECT(OK, cudnnRNNForwardTraining_(handle, rnn, STEPS, xs, space[1], state, NULL, state, NULL, w, space[0], xs,
                                        space[2], state, NULL, state, NULL, space[3], work, space[4], reserve));
    for (int i = 0; i < STEPS; i++) sum += space[2][4 * i]; /* the first step: four inputs and two biases */
    if (sum != STEPS * 0.75) expect("the first step", 0, 1);
    for (int i = 0; i < 5; i++) EXPECT(0, take(space[i]));
    for (int i = 0; i < STEPS; i++) EXPECT(OK, p_cudnnDestroyTensorDescriptor(xs[i]));
    EXPECT(OK, p_cudnnDestroyTensorDescriptor(state));
    EXPECT(OK, p_cudnnDestroyFilterDescriptor(w));
    EXPECT(OK, p_cudnnDestroyRNNDescriptor(rnn));
}
#endif

static void crowded(void) {
    cudnnHandle_t handle;
    cudnnTensorDescriptor_t t = tensor(1, 1, 4, 4);
    static float data[24 * 24 * 16];
    EXPECT(OK, p_cudnnCreate(&handle));
    for (int i = 0; i < 24 * 24 * 16 && !failures; i++) {
        EXPECT(OK, p_cudnnSetTensor4dDescriptor(t, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, 1, 1 + i % 24, 1 + i / 24 % 24,
                                                1 + i / 576));
        EXPECT(OK, p_cudnnSoftmaxForward(handle, CUDNN_SOFTMAX_ACCURATE, CUDNN_SOFTMAX_MODE_CHANNEL, &one, t, data,
                                         &zero, t, data));
    }
    products(handle);
#if CUDNN_MAJOR < 9
    falling_batches(handle);
#endif
    right_numbers(handle);
    EXPECT(OK, p_cudnnDestroyTensorDescriptor(t));
    EXPECT(OK, p_cudnnDestroy(handle));
}

/* One part of cuDNN by itself, before and after the whole. */
static void part(const char *file) {
    for (int i = 0; i < 3; i++) {
        void *alone = dlopen(file, RTLD_NOW | RTLD_LOCAL);
        if (!alone) fprintf(stderr, "%s\n", dlerror()), exit(3);
        int (*create)(void **) = (int (*)(void **))dlsym(alone, "cudnnCreate");
        void *handle = NULL;
        if (create) EXPECT(OK, create(&handle));
        if (i == 1) {
            open_library();
            if (handle) right_numbers(handle), EXPECT(OK, p_cudnnDestroy(handle));
            dlclose(library);
        } else if (handle)
            EXPECT(OK, ((int (*)(void *))dlsym(alone, "cudnnDestroy"))(handle));
        dlclose(alone);
    }
}

int main(int count, char **words) {
    if (count < 3) return fprintf(stderr, "usage: dnn LIBCUDNN SCENARIO\n"), 2;
    const char *what = words[2];
    path = words[1];
    if (!strcmp(what, "part")) part(words[3]);
    else open_library();
    if (!strcmp(what, "garbage")) garbage();
    else if (!strcmp(what, "unset")) unset();
    else if (!strcmp(what, "overflow")) overflow();
    else if (!strcmp(what, "threads")) threads();
    else if (!strcmp(what, "shared")) resets = 1, threads();
    else if (!strcmp(what, "cycles")) cycles(atol(words[3]));
    else if (!strcmp(what, "resized")) resized(atol(words[3]));
    else if (!strcmp(what, "reshaped")) reshaped(atol(words[3]));
    else if (!strcmp(what, "fork")) in_a_child();
    else if (!strcmp(what, "reload")) reload();
    else if (!strcmp(what, "streams")) streams();
    else if (!strcmp(what, "crowded")) crowded();
    else if (!strcmp(what, "exit")) {
        cudnnHandle_t handles[3];
        for (int i = 0; i < 3; i++) EXPECT(OK, p_cudnnCreate(&handles[i]));
        right_numbers(handles[1]);
    } else if (strcmp(what, "part"))
        return fprintf(stderr, "no scenario %s\n", what), 2;
    if (!failures) puts("ok");
    return failures ? 1 : 0;
}
