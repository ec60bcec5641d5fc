/* A training loop's step captured as frameworks do it: on a side stream, in each mode, cuBLAS and cuDNN moved there
 * with memory of the program's, while another thread takes memory and computes. Launched many times, from two streams,
 * when the handles have moved on, and once when they are gone.
 * BUILD: cc -std=c11 -Wall -Wextra -Werror -pedantic -pthread -I"$HEADERS" "$SOURCE/replay.c" -L"$LIBS" -lcudnn -lcublasLt -lcublas -lcudart -lm -o replay
 * RUN: dragoman run -- ./replay
 */
#include <cublasLt.h>
#include <cublas_v2.h>
#include <cuda_runtime_api.h>
#include <cudnn.h>
#include <pthread.h>
#include <string.h>

#include "check.h"

enum { M = 32, BATCH = 3, SIZE = M * M, SPACE = 1 << 20, REPLAYS = 40 };

static cudaStream_t side;
static cublasHandle_t blas;
static cublasLtHandle_t lt;
static cudnnHandle_t dnn;
static cublasLtMatmulDesc_t product;
static cublasLtMatrixLayout_t square;
static cublasLtMatmulPreference_t preference;
static cublasLtMatmulHeuristicResult_t chosen;
static cudnnTensorDescriptor_t map, number;
static cudnnFilterDescriptor_t filter;
static cudnnConvolutionDescriptor_t convolution;
static float *a, *b, *c, *y, one = 1, zero;
static void *blas_space, *space;
static volatile int over;

static float *device(int count, float step)
{
    float host[SIZE * BATCH], *memory = NULL;
    int i;
    for (i = 0; i < count; ++i) host[i] = step * (float)((i * 7 + 3) % 11 - 5);
    OK(cudaMalloc((void **)&memory, sizeof(float) * (size_t)count));
    OK(cudaMemcpy(memory, host, sizeof(float) * (size_t)count, cudaMemcpyHostToDevice));
    return memory;
}

static void describe(void)
{
    size_t most = SPACE;
    int found = 0;
    OK(cublasLtMatmulDescCreate(&product, CUBLAS_COMPUTE_32F, CUDA_R_32F));
    OK(cublasLtMatrixLayoutCreate(&square, CUDA_R_32F, M, M, M));
    OK(cublasLtMatmulPreferenceCreate(&preference));
    OK(cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &most, sizeof most));
    OK(cublasLtMatmulAlgoGetHeuristic(lt, product, square, square, square, square, preference, 1, &chosen, &found));
    CHECK(found == 1);
    OK(cudnnCreateTensorDescriptor(&map));
    OK(cudnnCreateTensorDescriptor(&number));
    OK(cudnnCreateFilterDescriptor(&filter));
    OK(cudnnCreateConvolutionDescriptor(&convolution));
    OK(cudnnSetTensor4dDescriptor(map, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, 1, 1, M, M));
    OK(cudnnSetTensor4dDescriptor(number, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, 1, 1, 1, 1));
    OK(cudnnSetFilter4dDescriptor(filter, CUDNN_DATA_FLOAT, CUDNN_TENSOR_NCHW, 1, 1, 3, 3));
    OK(cudnnSetConvolution2dDescriptor(convolution, 1, 1, 1, 1, 1, 1, CUDNN_CROSS_CORRELATION, CUDNN_DATA_FLOAT));
}

static void step(void)
{
    OK(cublasSetStream(blas, side));
    OK(cublasSetWorkspace(blas, blas_space, 4 * SPACE));
    OK(cudnnSetStream(dnn, side));
    OK(cublasSgemm(blas, CUBLAS_OP_T, CUBLAS_OP_N, M, M, M, &one, a, M, b, M, &zero, c, M));
    OK(cublasSgemmStridedBatched(blas, CUBLAS_OP_N, CUBLAS_OP_T, M, M, M, &one, a, M, SIZE, b, M, SIZE, &zero, y, M,
                                 SIZE, BATCH));
    OK(cublasLtMatmul(lt, product, &one, y, square, b, square, &one, c, square, c, square, &chosen.algo, space, SPACE,
                      side));
    OK(cudnnConvolutionForward(dnn, &one, map, c, filter, b, convolution,
                               CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM, space, SPACE, &zero, map, y));
    OK(cudnnAddTensor(dnn, &one, number, b, &one, map, y));
    OK(cudnnSoftmaxForward(dnn, CUDNN_SOFTMAX_ACCURATE, CUDNN_SOFTMAX_MODE_INSTANCE, &one, map, y, &zero, map, y));
}

static void clear(void)
{
    OK(cudaMemset(c, 0, SIZE * sizeof(float)));
    OK(cudaMemset(y, 0, SIZE * BATCH * sizeof(float)));
}

static int same(const float *wanted)
{
    float got[SIZE];
    OK(cudaMemcpy(got, y, sizeof got, cudaMemcpyDeviceToHost));
    return memcmp(got, wanted, sizeof got) == 0;
}

/* What its thread does is in no capture's way: it is not the one that captures, or has said so. */
static void *goes_on(void *unused)
{
    enum cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    float *mine, sum;
    cublasHandle_t handle;
    cudaStream_t stream;
    void *memory;
    OK(cudaThreadExchangeStreamCaptureMode(&mode));
    mine = device(SIZE, 0.1f);
    OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    OK(cublasCreate(&handle));
    OK(cublasSetStream(handle, stream));
    while (!over) {
        OK(cudaMalloc(&memory, 1024));
        OK(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, M, M, M, &one, mine, M, mine, M, &zero, mine, M));
        OK(cublasSdot(handle, M, mine, 1, mine, 1, &sum));
        OK(cudaStreamSynchronize(stream));
        OK(cudaFree(memory));
    }
    OK(cublasDestroy(handle));
    OK(cudaStreamDestroy(stream));
    OK(cudaFree(mine));
    return unused;
}

static cudaGraphExec_t captured(enum cudaStreamCaptureMode mode)
{
    enum cudaStreamCaptureStatus status;
    cudaGraph_t graph = NULL;
    cudaGraphExec_t ready = NULL;
    OK(cudaStreamBeginCapture(side, mode));
    step();
    OK(cudaStreamIsCapturing(side, &status));
    CHECK(status == cudaStreamCaptureStatusActive);
    OK(cudaStreamEndCapture(side, &graph));
    OK(cudaGraphInstantiateWithFlags(&ready, graph, cudaGraphInstantiateFlagAutoFreeOnLaunch));
    OK(cudaGraphUpload(ready, side));
    OK(cudaGraphDestroy(graph));
    return ready;
}

int main(void)
{
    float wanted[SIZE], sum = 0;
    cudaGraphExec_t ready;
    pthread_t other;
    int mode, i;
    OK(cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking));
    OK(cublasCreate(&blas));
    OK(cublasLtCreate(&lt));
    OK(cudnnCreate(&dnn));
    OK(cudaMalloc(&blas_space, 4 * SPACE));
    OK(cudaMalloc(&space, SPACE));
    a = device(SIZE * BATCH, 0.1f);
    b = device(SIZE * BATCH, 0.2f);
    c = device(SIZE, 0);
    y = device(SIZE * BATCH, 0);
    describe();
    clear();
    step();
    OK(cudaStreamSynchronize(side));
    OK(cudaMemcpy(wanted, y, sizeof wanted, cudaMemcpyDeviceToHost));
    for (i = 0; i < SIZE; ++i) sum += wanted[i];
    NEAR(sum, 1, 1e-4);
    for (mode = 0; mode < 3; ++mode) {
        over = 0;
        CHECK(pthread_create(&other, NULL, goes_on, NULL) == 0);
        clear();
        ready = captured((enum cudaStreamCaptureMode)mode);
        CHECK(!same(wanted)); /* nothing is done yet */
        OK(cublasSetStream(blas, NULL));
        OK(cudnnSetStream(dnn, NULL));
        for (i = 0; i < REPLAYS; ++i) {
            clear();
            OK(cudaGraphLaunch(ready, i % 2 ? side : NULL));
            OK(cudaDeviceSynchronize());
            CHECK(same(wanted));
        }
        OK(cudaGraphExecDestroy(ready));
        over = 1;
        CHECK(pthread_join(other, NULL) == 0);
    }
    ready = captured(cudaStreamCaptureModeGlobal);
    OK(cublasDestroy(blas));
    OK(cublasLtDestroy(lt));
    OK(cudnnDestroy(dnn));
    OK(cublasLtMatmulDescDestroy(product));
    OK(cublasLtMatrixLayoutDestroy(square));
    OK(cublasLtMatmulPreferenceDestroy(preference));
    OK(cudnnDestroyTensorDescriptor(map));
    OK(cudnnDestroyTensorDescriptor(number));
    OK(cudnnDestroyFilterDescriptor(filter));
    OK(cudnnDestroyConvolutionDescriptor(convolution));
    clear();
    OK(cudaGraphLaunch(ready, side));
    OK(cudaStreamSynchronize(side));
    CHECK(same(wanted));
    OK(cudaGraphExecDestroy(ready));
    OK(cudaStreamDestroy(side));
    OK(cudaFree(a));
    OK(cudaFree(b));
    OK(cudaFree(c));
    OK(cudaFree(y));
    OK(cudaFree(blas_space));
    OK(cudaFree(space));
    return done();
}
