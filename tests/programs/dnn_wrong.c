/* cuDNN given what it must refuse: no, freed and foreign objects, sizes that are none or do not fit, pointers that are
 * missing, types and modes out of range, spaces too small. The families of statuses are NVIDIA's; what was refused
 * leaves memory alone, says why, and the next call works. Then what a program asks about versions,
 * errors and callbacks.
 * BUILD: cc -std=c11 -Wall -Wextra -Werror -pedantic -I"$HEADERS" "$SOURCE/dnn_wrong.c" -L"$LIBS" -lcudnn -lcudart -lm -o dnn_wrong
 * RUN: dragoman run -- ./dnn_wrong
 */
#include <cuda_runtime_api.h>
#include <cudnn.h>
#include <stdint.h>
#include <string.h>

#include "check.h"

enum { L = 2 * 3 * 4 * 5 };
static cudnnHandle_t dnn;

/* 8 has one status for each, 9 a thousand */
static int family(int status)
{
    return CUDNN_MAJOR >= 9                       ? status / 1000
           : status == CUDNN_STATUS_BAD_PARAM     ? 2
           : status == CUDNN_STATUS_NOT_SUPPORTED ? 3
           : status == 0                          ? 0
                                                  : 1;
}
#define REFUSED(how, call)                                                           \
    do {                                                                             \
        int got_ = (int)(call);                                                      \
        if (family(got_) != (how)) {                                                 \
            fprintf(stderr, "%s:%d: %s gave %d\n", __FILE__, __LINE__, #call, got_); \
            ++wrong_checks;                                                          \
        }                                                                            \
    } while (0)
#define BAD(call) REFUSED(2, call)
#define NOT(call) REFUSED(3, call)
#define NEITHER(call)                                                                \
    do {                                                                             \
        int got_ = (int)(call);                                                      \
        if (family(got_) != 2 && family(got_) != 3) {                                \
            fprintf(stderr, "%s:%d: %s gave %d\n", __FILE__, __LINE__, #call, got_); \
            ++wrong_checks;                                                          \
        }                                                                            \
    } while (0)

static float *filled(int n, float v)
{
    float *d = NULL, h[L];
    for (int i = 0; i < n && i < L; ++i) h[i] = v;
    OK(cudaMalloc((void **)&d, sizeof(float) * L));
    OK(cudaMemcpy(d, h, sizeof(float) * (size_t)n, cudaMemcpyHostToDevice));
    return d;
}
static void untouched(const float *d, float v)
{
    float h[L];
    OK(cudaDeviceSynchronize());
    OK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    for (int i = 0; i < L; ++i)
        if (h[i] != v) {
            fprintf(stderr, "[%d] was changed\n", i);
            ++wrong_checks;
            return;
        }
}

static int told;
static void CUDNNWINAPI listener(cudnnSeverity_t level, void *data, const cudnnDebug_t *debug, const char *text)
{
    (void)level;
    (void)debug;
    if (text && data == &told) ++told;
}

int main(void)
{
    float one = 1, zero = 0;
    OK(cudnnCreate(&dnn));
    BAD(cudnnCreate(NULL));
    cudnnTensorDescriptor_t x, y, unset;
    BAD(cudnnCreateTensorDescriptor(NULL));
    OK(cudnnCreateTensorDescriptor(&x));
    OK(cudnnCreateTensorDescriptor(&y));
    OK(cudnnCreateTensorDescriptor(&unset));
    /* ---- setters: what is refused changes nothing */
    OK(cudnnSetTensor4dDescriptor(x, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, 2, 3, 4, 5));
    OK(cudnnSetTensor4dDescriptor(y, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, 2, 3, 4, 5));
    BAD(cudnnSetTensor4dDescriptor(x, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, 0, 3, 4, 5));
    BAD(cudnnSetTensor4dDescriptor(x, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, 2, -3, 4, 5));
    BAD(cudnnSetTensor4dDescriptor(x, (cudnnTensorFormat_t)7, CUDNN_DATA_FLOAT, 2, 3, 4, 5));
    BAD(cudnnSetTensor4dDescriptor(x, CUDNN_TENSOR_NCHW, (cudnnDataType_t)99, 2, 3, 4, 5));
    BAD(cudnnSetTensor4dDescriptor(NULL, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, 2, 3, 4, 5));
    int dims[9] = {2, 3, 4, 5, 1, 1, 1, 1, 1}, strides[9] = {60, 20, 5, 1, 1, 1, 1, 1, 1};
    NEITHER(cudnnSetTensorNdDescriptor(x, CUDNN_DATA_FLOAT, 9, dims, strides));
    BAD(cudnnSetTensorNdDescriptor(x, CUDNN_DATA_FLOAT, 4, NULL, strides));
    BAD(cudnnSetTensorNdDescriptor(x, CUDNN_DATA_FLOAT, 4, dims, NULL));
    cudnnDataType_t type;
    int n, c, h, w, sn, sc, sh, sw;
    OK(cudnnGetTensor4dDescriptor(x, &type, &n, &c, &h, &w, &sn, &sc, &sh, &sw));
    CHECK(type == CUDNN_DATA_FLOAT && n == 2 && c == 3 && h == 4 && w == 5 && sn == 60 && sc == 20 && sh == 5 &&
          sw == 1);
    size_t bytes = 0;
    OK(cudnnGetTensorSizeInBytes(x, &bytes));
    CHECK(bytes == L * sizeof(float));
    BAD(cudnnGetTensorSizeInBytes(x, NULL));

    float *px = filled(L, 1.5f), *py = filled(L, 2.5f), *pz = filled(L, 2.5f);
    /* ---- activations, softmax, pooling */
    cudnnActivationDescriptor_t act;
    OK(cudnnCreateActivationDescriptor(&act));
    BAD(cudnnSetActivationDescriptor(act, (cudnnActivationMode_t)77, CUDNN_PROPAGATE_NAN, 0));
    OK(cudnnSetActivationDescriptor(act, CUDNN_ACTIVATION_RELU, CUDNN_PROPAGATE_NAN, 0));
    NEITHER(cudnnActivationForward(NULL, act, &one, x, px, &zero, y, py) == CUDNN_STATUS_SUCCESS
                ? 0
                : CUDNN_STATUS_BAD_PARAM);
    BAD(cudnnActivationForward(dnn, act, &one, unset, px, &zero, y, py));
    BAD(cudnnActivationForward(dnn, act, NULL, x, px, &zero, y, py));
    OK(cudnnSetTensor4dDescriptor(y, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, 2, 3, 5, 4));
    BAD(cudnnActivationForward(dnn, act, &one, x, px, &zero, y, py));
    NEITHER(cudnnSoftmaxForward(dnn, CUDNN_SOFTMAX_ACCURATE, CUDNN_SOFTMAX_MODE_CHANNEL, &one, x, px, &zero, y, py));
    OK(cudnnSetTensor4dDescriptor(y, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, 2, 3, 4, 5));
    BAD(cudnnSoftmaxForward(dnn, (cudnnSoftmaxAlgorithm_t)9, CUDNN_SOFTMAX_MODE_CHANNEL, &one, x, px, &zero, y, py));
    BAD(cudnnSoftmaxForward(dnn, CUDNN_SOFTMAX_ACCURATE, (cudnnSoftmaxMode_t)9, &one, x, px, &zero, y, py));
    cudnnPoolingDescriptor_t pool;
    OK(cudnnCreatePoolingDescriptor(&pool));
    BAD(cudnnSetPooling2dDescriptor(pool, CUDNN_POOLING_MAX, CUDNN_PROPAGATE_NAN, 0, 2, 0, 0, 1, 1));
    BAD(cudnnSetPooling2dDescriptor(pool, CUDNN_POOLING_MAX, CUDNN_PROPAGATE_NAN, 2, 2, 0, 0, 0, 1));
    OK(cudnnSetPooling2dDescriptor(pool, CUDNN_POOLING_MAX, CUDNN_PROPAGATE_NAN, 2, 2, 0, 0, 2, 2));
    BAD(cudnnPoolingForward(dnn, pool, NULL, x, px, &zero, y, py));
    /* ---- convolutions */
    cudnnFilterDescriptor_t f;
    cudnnConvolutionDescriptor_t cd;
    OK(cudnnCreateFilterDescriptor(&f));
    OK(cudnnCreateConvolutionDescriptor(&cd));
    BAD(cudnnSetFilter4dDescriptor(f, CUDNN_DATA_FLOAT, CUDNN_TENSOR_NCHW, 3, 0, 3, 3));
    OK(cudnnSetFilter4dDescriptor(f, CUDNN_DATA_FLOAT, CUDNN_TENSOR_NCHW, 3, 3, 3, 3));
    BAD(cudnnSetConvolution2dDescriptor(cd, -1, 1, 1, 1, 1, 1, CUDNN_CONVOLUTION, CUDNN_DATA_FLOAT));
    BAD(cudnnSetConvolution2dDescriptor(cd, 1, 1, 0, 1, 1, 1, CUDNN_CONVOLUTION, CUDNN_DATA_FLOAT));
    BAD(cudnnSetConvolution2dDescriptor(cd, 1, 1, 1, 1, 0, 1, CUDNN_CONVOLUTION, CUDNN_DATA_FLOAT));
    BAD(cudnnSetConvolution2dDescriptor(cd, 1, 1, 1, 1, 1, 1, (cudnnConvolutionMode_t)5, CUDNN_DATA_FLOAT));
    BAD(cudnnSetConvolutionGroupCount(cd, 0));
    size_t need = 0;
    NEITHER(cudnnGetConvolutionForwardWorkspaceSize(dnn, x, f, cd, y, CUDNN_CONVOLUTION_FWD_ALGO_GEMM,
                                                    &need)); /* never set */
    OK(cudnnSetConvolution2dDescriptor(cd, 1, 1, 1, 1, 1, 1, CUDNN_CROSS_CORRELATION, CUDNN_DATA_FLOAT));
    OK(cudnnGetConvolutionForwardWorkspaceSize(dnn, x, f, cd, y, CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM, &need));
    NEITHER(cudnnGetConvolutionForwardWorkspaceSize(dnn, x, f, cd, y, (cudnnConvolutionFwdAlgo_t)99, &need));
    BAD(cudnnGetConvolutionForwardWorkspaceSize(dnn, x, f, cd, y, CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM, NULL));
    NEITHER(cudnnConvolutionForward(dnn, &one, x, px, f, pz, cd, (cudnnConvolutionFwdAlgo_t)99, NULL, 0, &zero, y, py));
    BAD(cudnnConvolutionForward(dnn, &one, x, NULL, f, pz, cd, CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM, NULL, 0, &zero,
                                y, py));
    OK(cudnnSetConvolutionGroupCount(cd, 2)); /* of 3 channels */
    NEITHER(cudnnGetConvolutionForwardWorkspaceSize(dnn, x, f, cd, y, CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM, &need));
    OK(cudnnSetConvolutionGroupCount(cd, 1));
    OK(cudnnSetFilter4dDescriptor(f, CUDNN_DATA_FLOAT, CUDNN_TENSOR_NCHW, 3, 2, 3, 3));
    NEITHER(cudnnConvolutionForward(dnn, &one, x, px, f, pz, cd, CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM, NULL, 0,
                                    &zero, y, py));
    OK(cudnnSetFilter4dDescriptor(f, CUDNN_DATA_FLOAT, CUDNN_TENSOR_NCHW, 3, 3, 9,
                                  9)); /* larger than the padded image */
    NEITHER(cudnnConvolutionForward(dnn, &one, x, px, f, pz, cd, CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM, NULL, 0,
                                    &zero, y, py));
    int got = -1;
    cudnnConvolutionFwdAlgoPerf_t perf[4];
    OK(cudnnSetFilter4dDescriptor(f, CUDNN_DATA_FLOAT, CUDNN_TENSOR_NCHW, 3, 3, 3, 3));
    OK(cudnnGetConvolutionForwardAlgorithm_v7(dnn, x, f, cd, y, 0, &got, perf));
    CHECK(got == 0);
    BAD(cudnnGetConvolutionForwardAlgorithm_v7(dnn, x, f, cd, y, 4, &got, NULL));
    /* ---- sums */
    cudnnReduceTensorDescriptor_t r;
    OK(cudnnCreateReduceTensorDescriptor(&r));
    BAD(cudnnSetReduceTensorDescriptor(r, (cudnnReduceTensorOp_t)40, CUDNN_DATA_FLOAT, CUDNN_PROPAGATE_NAN,
                                       CUDNN_REDUCE_TENSOR_NO_INDICES, CUDNN_32BIT_INDICES));
    OK(cudnnSetReduceTensorDescriptor(r, CUDNN_REDUCE_TENSOR_ADD, CUDNN_DATA_FLOAT, CUDNN_PROPAGATE_NAN,
                                      CUDNN_REDUCE_TENSOR_NO_INDICES, CUDNN_32BIT_INDICES));
    OK(cudnnSetTensor4dDescriptor(unset, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, 2, 2, 4, 5)); /* 2 of 3 channels */
    NEITHER(cudnnReduceTensor(dnn, r, NULL, 0, NULL, 0, &one, x, px, &zero, unset, py));
    NEITHER(cudnnAddTensor(dnn, &one, unset, pz, &one, y, py));
    untouched(py, 2.5f);
    /* ---- normalisation, dropout, networks */
    cudnnTensorDescriptor_t row;
    OK(cudnnCreateTensorDescriptor(&row));
    OK(cudnnDeriveBNTensorDescriptor(row, x, CUDNN_BATCHNORM_SPATIAL));
    BAD(cudnnDeriveBNTensorDescriptor(row, NULL, CUDNN_BATCHNORM_SPATIAL));
    NEITHER(cudnnBatchNormalizationForwardInference(dnn, (cudnnBatchNormMode_t)9, &one, &zero, x, px, y, py, row, pz,
                                                    pz, pz, pz, 1e-3));
    NEITHER(cudnnBatchNormalizationForwardInference(dnn, CUDNN_BATCHNORM_SPATIAL, &one, &zero, x, px, y, py, x, pz, pz,
                                                    pz, pz, 1e-3));
    BAD(cudnnBatchNormalizationForwardInference(dnn, CUDNN_BATCHNORM_SPATIAL, &one, &zero, x, px, y, py, row, pz, pz,
                                                pz, pz, -1));
    untouched(py, 2.5f);
    cudnnDropoutDescriptor_t drop;
    OK(cudnnCreateDropoutDescriptor(&drop));
    size_t states = 0;
    OK(cudnnDropoutGetStatesSize(dnn, &states));
    void *memory = NULL;
    OK(cudaMalloc(&memory, states));
    BAD(cudnnSetDropoutDescriptor(drop, dnn, 0.5f, memory, states - 1, 1));
    OK(cudnnSetDropoutDescriptor(drop, dnn, 0.5f, memory, states, 1));
    cudnnRNNDescriptor_t net;
    OK(cudnnCreateRNNDescriptor(&net));
    NEITHER(cudnnSetRNNDescriptor_v8(net, CUDNN_RNN_ALGO_STANDARD, (cudnnRNNMode_t)9, CUDNN_RNN_DOUBLE_BIAS,
                                     CUDNN_UNIDIRECTIONAL, CUDNN_LINEAR_INPUT, CUDNN_DATA_FLOAT, CUDNN_DATA_FLOAT,
                                     CUDNN_DEFAULT_MATH, 3, 4, 4, 1, drop, 0));
    NEITHER(cudnnSetRNNDescriptor_v8(net, CUDNN_RNN_ALGO_STANDARD, CUDNN_LSTM, CUDNN_RNN_DOUBLE_BIAS,
                                     CUDNN_UNIDIRECTIONAL, CUDNN_LINEAR_INPUT, CUDNN_DATA_FLOAT, CUDNN_DATA_FLOAT,
                                     CUDNN_DEFAULT_MATH, 3, 0, 4, 1, drop, 0));
    NEITHER(cudnnSetRNNDescriptor_v8(net, CUDNN_RNN_ALGO_STANDARD, CUDNN_LSTM, CUDNN_RNN_DOUBLE_BIAS,
                                     CUDNN_UNIDIRECTIONAL, CUDNN_LINEAR_INPUT, CUDNN_DATA_FLOAT, CUDNN_DATA_FLOAT,
                                     CUDNN_DEFAULT_MATH, 3, 4, 5, 1, drop, 0));
    NEITHER(cudnnSetRNNDescriptor_v8(net, CUDNN_RNN_ALGO_STANDARD, CUDNN_LSTM, CUDNN_RNN_DOUBLE_BIAS,
                                     CUDNN_UNIDIRECTIONAL, CUDNN_LINEAR_INPUT, CUDNN_DATA_FLOAT, CUDNN_DATA_FLOAT,
                                     CUDNN_DEFAULT_MATH, 3, 4, 4, 0, drop, 0));
    cudnnRNNDataDescriptor_t rows;
    OK(cudnnCreateRNNDataDescriptor(&rows));
    int lengths[2] = {3, 4}, too_long[2] = {3, 9}, none[2] = {-1, 2};
    float fill = 0;
    NEITHER(cudnnSetRNNDataDescriptor(rows, CUDNN_DATA_FLOAT, CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_UNPACKED, 4, 2, 3,
                                      too_long, &fill));
    NEITHER(cudnnSetRNNDataDescriptor(rows, CUDNN_DATA_FLOAT, CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_UNPACKED, 4, 2, 3, none,
                                      &fill));
    BAD(cudnnSetRNNDataDescriptor(rows, CUDNN_DATA_FLOAT, CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_UNPACKED, 4, 2, 3, NULL,
                                  &fill));
    OK(cudnnSetRNNDataDescriptor(rows, CUDNN_DATA_FLOAT, CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_UNPACKED, 4, 2, 3, lengths,
                                 &fill));
    /* ---- objects that are none: one of another kind, one that was destroyed twice */
    BAD(cudnnActivationForward(dnn, act, &one, (cudnnTensorDescriptor_t)(void *)f, px, &zero, y, py));
    OK(cudnnDestroyTensorDescriptor(unset));
    BAD(cudnnActivationForward(dnn, act, &one, unset, px, &zero, y, py));
    untouched(py, 2.5f);
    untouched(pz, 2.5f);
    /* ---- what is known of errors */
    CHECK(strstr(cudnnGetErrorString(CUDNN_STATUS_BAD_PARAM), "CUDNN_STATUS_BAD_PARAM") != NULL);
    CHECK(strstr(cudnnGetErrorString(CUDNN_STATUS_SUCCESS), "CUDNN_STATUS_SUCCESS") != NULL);
    CHECK(cudnnGetErrorString((cudnnStatus_t)123456) != NULL);
    CHECK(cudnnGetVersion() / (CUDNN_MAJOR >= 9 ? 10000 : 1000) == CUDNN_MAJOR);
    int part = -1;
    OK(cudnnGetProperty(MAJOR_VERSION, &part));
    CHECK(part == CUDNN_MAJOR);
    BAD(cudnnGetProperty((libraryPropertyType)9, &part));
    cudnnStatus_t later = CUDNN_STATUS_SUCCESS;
    OK(cudnnQueryRuntimeError(dnn, &later, CUDNN_ERRQUERY_RAWCODE, NULL));
    CHECK(later == CUDNN_STATUS_SUCCESS);
#if CUDNN_MAJOR >= 9
    char text[512] = "";
    BAD(cudnnPoolingForward(dnn, pool, NULL, x, px, &zero, y, py));
    cudnnGetLastErrorString(text, sizeof text);
    CHECK(text[0] != 0 && strlen(text) < sizeof text);
    OK(cudnnAdvVersionCheck());
    OK(cudnnCnnVersionCheck());
    OK(cudnnOpsVersionCheck());
    OK(cudnnGraphVersionCheck());
#else
    OK(cudnnAdvInferVersionCheck());
    OK(cudnnAdvTrainVersionCheck());
    OK(cudnnCnnInferVersionCheck());
    OK(cudnnCnnTrainVersionCheck());
    OK(cudnnOpsInferVersionCheck());
    OK(cudnnOpsTrainVersionCheck());
#endif
    OK(cudnnSetCallback(CUDNN_SEV_ERROR_EN | CUDNN_SEV_WARNING_EN | CUDNN_SEV_INFO_EN, &told, listener));
    unsigned mask = 0;
    void *data = NULL;
    cudnnCallback_t function = NULL;
    OK(cudnnGetCallback(&mask, &data, &function));
    CHECK(data == &told && function == listener && (mask & CUDNN_SEV_ERROR_EN));
    BAD(cudnnPoolingForward(dnn, pool, NULL, x, px, &zero, y, py));
    CHECK(told > 0);
    OK(cudnnSetCallback(0, NULL, NULL));
    /* ---- and a call that is right works */
    OK(cudnnActivationForward(dnn, act, &one, x, px, &zero, y, py));
    untouched(py, 1.5f);

    cudaFree(px);
    cudaFree(py);
    cudaFree(pz);
    cudaFree(memory);
    OK(cudnnDestroyTensorDescriptor(x));
    OK(cudnnDestroyTensorDescriptor(y));
    OK(cudnnDestroyTensorDescriptor(row));
    OK(cudnnDestroyActivationDescriptor(act));
    OK(cudnnDestroyPoolingDescriptor(pool));
    OK(cudnnDestroyFilterDescriptor(f));
    OK(cudnnDestroyConvolutionDescriptor(cd));
    OK(cudnnDestroyReduceTensorDescriptor(r));
    OK(cudnnDestroyDropoutDescriptor(drop));
    OK(cudnnDestroyRNNDescriptor(net));
    OK(cudnnDestroyRNNDataDescriptor(rows));
    OK(cudnnDestroy(dnn));
    return done();
}
