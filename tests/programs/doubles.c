/* What passes through the host of doubles: a softmax, an activation and a network are computed; on a captured stream
 * they are refused, and the capture goes on. Copies are of more numbers than are on the host at a time.
 * BUILD: cc -std=c11 -Wall -Wextra -Werror -pedantic -I"$HEADERS" "$SOURCE/doubles.c" -L"$LIBS" -lcudnn -lcudart -lm -o doubles
 * RUN: dragoman run -- ./doubles
 */
#include <cuda_runtime_api.h>
#include <cudnn.h>
#include <math.h>
#include <stdlib.h>

#include "check.h"

/* several pieces of some images each */
enum { IMAGES = 7, CHANNELS = 11, SIZE = 1601, COUNT = IMAGES * CHANNELS * SIZE };

static void capturing(cudnnHandle_t handle, cudnnTensorDescriptor_t d, cudnnActivationDescriptor_t f, double **on,
                      cudaStream_t stream) {
    cudaGraph_t graph = NULL;
    double one = 1, none = 0;
    CHECK(cudnnSoftmaxForward(handle, CUDNN_SOFTMAX_ACCURATE, CUDNN_SOFTMAX_MODE_CHANNEL, &one, d, on[0], &none, d,
                              on[1]) == CUDNN_STATUS_NOT_SUPPORTED);
    CHECK(cudnnActivationForward(handle, f, &one, d, on[0], &none, d, on[1]) == CUDNN_STATUS_NOT_SUPPORTED);
    OK(cudaStreamEndCapture(stream, &graph));
    CHECK(graph != NULL);
    OK(cudaGraphDestroy(graph));
}

int main(void)
{
    cudnnHandle_t handle;
    cudnnTensorDescriptor_t d;
    cudnnActivationDescriptor_t f;
    cudaStream_t stream;
    double *x = malloc(COUNT * sizeof *x), *y = malloc(COUNT * sizeof *y), *on[2], one = 1, none = 0;
    int i, n, k, j;
    for (i = 0; i < COUNT; ++i) x[i] = (i * 7919L % 2003 - 1001) / 256.0;
    OK(cudnnCreate(&handle));
    OK(cudaStreamCreate(&stream));
    OK(cudnnSetStream(handle, stream));
    OK(cudnnCreateTensorDescriptor(&d));
    OK(cudnnSetTensor4dDescriptor(d, CUDNN_TENSOR_NCHW, CUDNN_DATA_DOUBLE, IMAGES, CHANNELS, SIZE, 1));
    OK(cudnnCreateActivationDescriptor(&f));
    OK(cudnnSetActivationDescriptor(f, CUDNN_ACTIVATION_TANH, CUDNN_PROPAGATE_NAN, 0));
    for (i = 0; i < 2; ++i) OK(cudaMalloc((void **)&on[i], COUNT * sizeof *x));
    OK(cudaMemcpy(on[0], x, COUNT * sizeof *x, cudaMemcpyHostToDevice));

    OK(cudnnSoftmaxForward(handle, CUDNN_SOFTMAX_ACCURATE, CUDNN_SOFTMAX_MODE_CHANNEL, &one, d, on[0], &none, d,
                           on[1]));
    OK(cudaStreamSynchronize(stream));
    OK(cudaMemcpy(y, on[1], COUNT * sizeof *y, cudaMemcpyDeviceToHost));
    for (n = 0; n < IMAGES; ++n)
        for (j = 0; j < SIZE; ++j) {
            double total = 0;
            for (k = 0; k < CHANNELS; ++k) total += exp(x[(n * CHANNELS + k) * SIZE + j]);
            for (k = 0; k < CHANNELS; ++k) {
                int at = (n * CHANNELS + k) * SIZE + j;
                NEAR(y[at], exp(x[at]) / total, 1e-14);
            }
        }
    OK(cudnnActivationForward(handle, f, &one, d, on[0], &none, d, on[1]));
    OK(cudaStreamSynchronize(stream));
    OK(cudaMemcpy(y, on[1], COUNT * sizeof *y, cudaMemcpyDeviceToHost));
    for (i = 0; i < COUNT; ++i) NEAR(y[i], tanh(x[i]), 1e-15);

    OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    capturing(handle, d, f, on, stream);

    for (i = 0; i < 2; ++i) OK(cudaFree(on[i]));
    OK(cudnnDestroyActivationDescriptor(f));
    OK(cudnnDestroyTensorDescriptor(d));
    OK(cudnnDestroy(handle));
    OK(cudaStreamDestroy(stream));
    free(x);
    free(y);
    return done();
}
