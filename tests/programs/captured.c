/* Inference captured once and launched with new data: cuBLAS, cuBLASLt and cuDNN on a captured stream, two streams,
 * factors on the host and on the device. What a launch gives is what plain calls give, bit for bit.
 * BUILD: cc -std=c11 -Wall -Wextra -Werror -pedantic -I"$HEADERS" "$SOURCE/captured.c" -L"$LIBS" -lcudnn -lcublasLt -lcublas -lcudart -lm -o captured
 * RUN: dragoman run -- ./captured
 */
#include <cublasLt.h>
#include <cublas_v2.h>
#include <cuda_runtime_api.h>
#include <cudnn.h>
#include <string.h>

#include "check.h"

enum {
    N = 2,
    C = 3,
    H = 6,
    W = 5,
    K = 4,
    R = 3,
    P = H,
    Q = W,
    HALF_P = P / 2,
    HALF_Q = (Q - 1) / 2,
    FLAT = K * HALF_P * HALF_Q,
    OUT = 7
};
enum { IMAGE = N * C * H * W, MAP = N * K * P * Q, POOLED = N * FLAT, ALL = N * OUT };

static cudaStream_t stream, side;
static cublasHandle_t blas;
static cublasLtHandle_t lt;
static cudnnHandle_t dnn;
static cudnnTensorDescriptor_t image, map, pooled, scores, channels;
static cudnnFilterDescriptor_t filters;
static cudnnConvolutionDescriptor_t convolution;
static cudnnActivationDescriptor_t relu;
static cudnnPoolingDescriptor_t pooling;
static cublasLtMatmulDesc_t product;
static cublasLtMatrixLayout_t flat, weights, rows;
static float *x, *w, *b, *scale, *shift, *mean, *var, *y, *z, *a, *m, *n, *v, *result, *sums, *factor;
static void *space;
static size_t space_size;

static float *device(int count, float step)
{
    float host[4096], *memory = NULL;
    int i;
    for (i = 0; i < count; ++i) host[i] = step * (float)((i * 7 + 3) % 11 - 5);
    OK(cudaMalloc((void **)&memory, sizeof(float) * (size_t)count));
    OK(cudaMemcpy(memory, host, sizeof(float) * (size_t)count, cudaMemcpyHostToDevice));
    return memory;
}

/* A small network. Every factor is a local of this function: gone when a launch needs it. */
static void network(void)
{
    float one = 1, zero = 0, half = 0.5f;
    cudaEvent_t fork, join;
    OK(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
    OK(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));
    OK(cudnnSetTensor(dnn, scores, n, &half));
    OK(cudnnConvolutionForward(dnn, &one, image, x, filters, w, convolution, CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM,
                               space, space_size, &zero, map, y));
    OK(cudnnAddTensor(dnn, &one, channels, b, &one, map, y));
    OK(cudnnBatchNormalizationForwardInference(dnn, CUDNN_BATCHNORM_SPATIAL, &one, &zero, map, y, map, z, channels,
                                               scale, shift, mean, var, 1e-5));
    OK(cudnnActivationForward(dnn, relu, &one, map, z, &zero, map, z));
    OK(cudnnPoolingForward(dnn, pooling, &one, map, z, &zero, pooled, a));
    OK(cudaEventRecord(fork, stream)); /* beside it, on another stream: norms of the maps */
    OK(cudaStreamWaitEvent(side, fork, 0));
    OK(cublasSetStream(blas, side));
    OK(cublasSetPointerMode(blas, CUBLAS_POINTER_MODE_DEVICE));
    OK(cublasSasum(blas, POOLED, a, 1, sums));
    OK(cublasSnrm2(blas, POOLED, a, 1, sums + 1));
    OK(cublasSetPointerMode(blas, CUBLAS_POINTER_MODE_HOST));
    OK(cudaEventRecord(join, side));
    OK(cublasLtMatmul(lt, product, &one, m, weights, a, flat, &zero, v, rows, v, rows, NULL, NULL, 0, stream));
    OK(cudaStreamWaitEvent(stream, join, 0));
    OK(cublasSetStream(blas, stream));
    OK(cublasSscal(blas, ALL, &half, v, 1));
    OK(cublasSetPointerMode(blas, CUBLAS_POINTER_MODE_DEVICE));
    OK(cublasSaxpy(blas, OUT, factor, sums, 0, v, 1)); /* a factor that the device has */
    OK(cublasSetPointerMode(blas, CUBLAS_POINTER_MODE_HOST));
    OK(cudnnSoftmaxForward(dnn, CUDNN_SOFTMAX_ACCURATE, CUDNN_SOFTMAX_MODE_INSTANCE, &one, scores, v, &zero, scores,
                           result));
    one = zero = half = 77;
    OK(cudaEventDestroy(fork));
    OK(cudaEventDestroy(join));
}

static void describe(void)
{
    cublasLtEpilogue_t bias = CUBLASLT_EPILOGUE_RELU_BIAS;
    cublasOperation_t op = CUBLAS_OP_T;
    OK(cudnnCreateTensorDescriptor(&image));
    OK(cudnnCreateTensorDescriptor(&map));
    OK(cudnnCreateTensorDescriptor(&pooled));
    OK(cudnnCreateTensorDescriptor(&scores));
    OK(cudnnCreateTensorDescriptor(&channels));
    OK(cudnnCreateFilterDescriptor(&filters));
    OK(cudnnCreateConvolutionDescriptor(&convolution));
    OK(cudnnCreateActivationDescriptor(&relu));
    OK(cudnnCreatePoolingDescriptor(&pooling));
    OK(cudnnSetTensor4dDescriptor(image, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, N, C, H, W));
    OK(cudnnSetTensor4dDescriptor(map, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, N, K, P, Q));
    OK(cudnnSetTensor4dDescriptor(pooled, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, N, K, HALF_P, HALF_Q));
    OK(cudnnSetTensor4dDescriptor(scores, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, N, OUT, 1, 1));
    OK(cudnnSetTensor4dDescriptor(channels, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, 1, K, 1, 1));
    OK(cudnnSetFilter4dDescriptor(filters, CUDNN_DATA_FLOAT, CUDNN_TENSOR_NCHW, K, C, R, R));
    OK(cudnnSetConvolution2dDescriptor(convolution, 1, 1, 1, 1, 1, 1, CUDNN_CROSS_CORRELATION, CUDNN_DATA_FLOAT));
    OK(cudnnSetActivationDescriptor(relu, CUDNN_ACTIVATION_RELU, CUDNN_PROPAGATE_NAN, 0));
    OK(cudnnSetPooling2dDescriptor(pooling, CUDNN_POOLING_MAX, CUDNN_PROPAGATE_NAN, 2, 2, 0, 0, 2, 2));
    OK(cudnnGetConvolutionForwardWorkspaceSize(dnn, image, filters, convolution, map,
                                               CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM, &space_size));
    OK(cudaMalloc(&space, space_size + 1));
    OK(cublasLtMatmulDescCreate(&product, CUBLAS_COMPUTE_32F, CUDA_R_32F));
    OK(cublasLtMatmulDescSetAttribute(product, CUBLASLT_MATMUL_DESC_TRANSA, &op, sizeof op));
    OK(cublasLtMatmulDescSetAttribute(product, CUBLASLT_MATMUL_DESC_EPILOGUE, &bias, sizeof bias));
    OK(cublasLtMatmulDescSetAttribute(product, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &n, sizeof n));
    OK(cublasLtMatrixLayoutCreate(&weights, CUDA_R_32F, FLAT, OUT, FLAT));
    OK(cublasLtMatrixLayoutCreate(&flat, CUDA_R_32F, FLAT, N, FLAT));
    OK(cublasLtMatrixLayoutCreate(&rows, CUDA_R_32F, OUT, N, OUT));
}

static void feed(int round)
{
    float host[IMAGE], f = 0.01f * (float)(round + 1);
    int i;
    for (i = 0; i < IMAGE; ++i) host[i] = 0.1f * (float)((i * (round + 3)) % 13 - 6);
    OK(cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice));
    OK(cudaMemcpy(factor, &f, sizeof f, cudaMemcpyHostToDevice));
}

static void read_back(float *to)
{
    OK(cudaDeviceSynchronize());
    OK(cudaMemcpy(to, result, ALL * sizeof(float), cudaMemcpyDeviceToHost));
    OK(cudaMemcpy(to + ALL, sums, 2 * sizeof(float), cudaMemcpyDeviceToHost));
    OK(cudaMemset(result, 0, ALL * sizeof(float)));
    OK(cudaMemset(sums, 0, 2 * sizeof(float)));
}

/* A handle whose own memory was used on another stream, as after warming up there. Factors like these need
 * that memory. */
static void moved(void)
{
    float two = 2, half = 0.5f, one = 1, zero = 0, most[POOLED], was[POOLED], got[POOLED];
    cudaGraph_t graph = NULL;
    cudaGraphExec_t ready = NULL;
    int i;
    OK(cudnnPoolingForward(dnn, pooling, &one, map, z, &zero, pooled, a));
    OK(cudaMemcpy(most, a, sizeof most, cudaMemcpyDeviceToHost));
    OK(cudnnSetStream(dnn, side));
    OK(cudnnPoolingForward(dnn, pooling, &two, map, z, &half, pooled, a));
    OK(cudaMemcpy(was, a, sizeof was, cudaMemcpyDeviceToHost));
    OK(cudnnSetStream(dnn, stream));
    OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    OK(cudnnPoolingForward(dnn, pooling, &two, map, z, &half, pooled, a));
    OK(cudaStreamEndCapture(stream, &graph));
    OK(cudnnSetStream(dnn, side)); /* and back, while nothing has run */
    OK(cudnnPoolingForward(dnn, pooling, &two, map, z, &half, pooled, a));
    OK(cudnnSetStream(dnn, stream));
    OK(cudaGraphInstantiateWithFlags(&ready, graph, 0));
    OK(cudaGraphLaunch(ready, stream));
    OK(cudaMemcpy(got, a, sizeof got, cudaMemcpyDeviceToHost));
    for (i = 0; i < POOLED; ++i) NEAR(got[i], 3 * most[i] + was[i] / 4, 1e-6); /* 2·most + half of it, twice */
    OK(cudaGraphExecDestroy(ready));
    OK(cudaGraphDestroy(graph));
}

static cudaGraph_t ended(int status)
{
    cudaGraph_t graph = NULL;
    GIVES(status, cudaStreamEndCapture(stream, &graph));
    (void)cudaGetLastError();
    return graph;
}

/* Statuses that an H200 gave: a result on the host cannot be had of a captured stream, but where it needs no
 * work it is there. */
static void answers(void)
{
    float sum = 7, p = 3, q = 4, c = 0, s = 0;
    int at = 7;
    size_t nodes = 9;
    cublasHandle_t other = NULL;
    cudaGraph_t graph;
    OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    OK(cublasSdot(blas, 0, v, 1, v, 1, &sum));
    CHECK(sum == 0);
    OK(cublasIsamax(blas, 0, v, 1, &at));
    CHECK(at == 0);
    sum = 7;
    OK(cublasSasum(blas, 4, v, 0, &sum)); /* nor with an increment that leaves nothing */
    CHECK(sum == 0);
    sum = 7;
    OK(cublasDotEx(blas, 0, v, CUDA_R_32F, 1, v, CUDA_R_32F, 1, &sum, CUDA_R_32F, CUDA_R_32F));
    CHECK(sum == 0);
    sum = 7;
    OK(cublasNrm2Ex(blas, 0, v, CUDA_R_32F, 1, &sum, CUDA_R_32F, CUDA_R_32F));
    CHECK(sum == 0);
    OK(cublasSrotg(blas, &p, &q, &c, &s));
    NEAR(p, 5, 1e-6);
    NEAR(c, 0.6f, 1e-6);
    graph = ended(0);
    OK(cudaGraphGetNodes(graph, NULL, &nodes));
    CHECK(nodes == 0);
    OK(cudaGraphDestroy(graph));
    OK(cublasSetPointerMode(blas, CUBLAS_POINTER_MODE_DEVICE)); /* there it is work of the graph's, and so is a 0 */
    OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    OK(cublasSdot(blas, 0, v, 1, v, 1, sums));
    graph = ended(0);
    OK(cudaGraphDestroy(graph));
    OK(cublasSetPointerMode(blas, CUBLAS_POINTER_MODE_HOST));
    OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    GIVES(14, cublasSdot(blas, 4, v, 1, v, 1, &sum));
    CHECK(ended(cudaErrorStreamCaptureInvalidated) == NULL);
    OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    GIVES(1, cublasCreate(&other)); /* a handle takes memory */
    CHECK(other == NULL);
    OK(cudaGetLastError());
    CHECK(ended(cudaErrorStreamCaptureInvalidated) == NULL);
    OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    OK(cublasCreate(&other));
    OK(cudaGraphDestroy(ended(0)));
    OK(cublasDestroy(other));
}

int main(void)
{
    enum { ROUNDS = 4, SEEN = ALL + 2 };
    float plain[ROUNDS][SEEN], launched[SEEN], total;
    cudaGraph_t graph = NULL;
    cudaGraphExec_t ready = NULL;
    size_t nodes = 0;
    int round, i;
    OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    OK(cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking));
    OK(cublasCreate(&blas));
    OK(cublasLtCreate(&lt));
    OK(cudnnCreate(&dnn));
    OK(cublasSetStream(blas, stream));
    OK(cudnnSetStream(dnn, stream));
    x = device(IMAGE, 1), w = device(K * C * R * R, 0.1f), b = device(K, 0.2f), scale = device(K, 0.3f),
    shift = device(K, 0.1f);
    mean = device(K, 0.1f), var = device(K, 0), y = device(MAP, 1), z = device(MAP, 1), a = device(POOLED, 1),
    m = device(FLAT * OUT, 0.05f);
    n = device(ALL, 0.1f), v = device(ALL, 1), result = device(ALL, 0), sums = device(2, 0), factor = device(1, 0);
    describe();
    for (round = 0; round < ROUNDS; ++round) {
        feed(round);
        network();
        read_back(plain[round]);
    }
    moved();
    answers();
    OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    network();
    OK(cudaStreamEndCapture(stream, &graph));
    OK(cudaGraphGetNodes(graph, NULL, &nodes));
    CHECK(nodes >= 11);
    OK(cudaGraphInstantiateWithFlags(&ready, graph, 0));
    OK(cudaGraphDestroy(graph));
    read_back(launched); /* nothing was done yet */
    for (i = 0; i < SEEN; ++i) CHECK(launched[i] == 0);
    cudnnDestroyTensorDescriptor(map); /* nor is anything of the program's needed but its memory */
    OK(cublasLtMatmulDescDestroy(product));
    OK(cublasLtMatrixLayoutDestroy(rows));
    OK(cudnnDestroyConvolutionDescriptor(convolution));
    OK(cublasDestroy(blas));
    for (round = ROUNDS - 1; round >= 0; --round) {
        feed(round);
        OK(cudaGraphLaunch(ready, stream));
        OK(cudaStreamSynchronize(stream));
        read_back(launched);
        CHECK(memcmp(launched, plain[round], sizeof launched) == 0);
        for (total = 0, i = 0; i < OUT; ++i) total += launched[i];
        NEAR(total, 1, 1e-5);
    }
    CHECK(memcmp(plain[0], plain[1], sizeof plain[0]) != 0);
    OK(cudaGraphExecDestroy(ready));
    OK(cudnnDestroy(dnn));
    OK(cublasLtDestroy(lt));
    return done();
}
