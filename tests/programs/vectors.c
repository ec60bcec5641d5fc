/* Images of 8-bit numbers with four channels side by side (NCHW_VECT_C),
 * from plain ones and back, with factors; what does not fit is told.
 * BUILD: cc -std=c11 -Wall -Wextra -Werror -pedantic -I"$HEADERS" "$SOURCE/vectors.c" -L"$LIBS" -lcudnn -lcudart -lm -o vectors
 * RUN: dragoman run -- ./vectors
 */
#include <cuda_runtime_api.h>
#include <cudnn.h>

#include "check.h"

enum { N = 2, C = 8, H = 2, W = 3, COUNT = N * C * H * W };

/* Where a number lies in vectors of four. */
static int place(int i)
{
    int w = i % (H * W), c = i / (H * W) % C, n = i / (C * H * W);
    return ((n * (C / 4) + c / 4) * H * W + w) * 4 + c % 4;
}

static int held(int value)
{
    return value > 127 ? 127 : value < -128 ? -128 : value;
}

int main(void)
{
    const float one = 1, two = 2, zero = 0;
    cudnnHandle_t handle;
    cudnnTensorDescriptor_t plain, vectors, wide;
    signed char x[COUNT], y[COUNT], *from, *to;
    int i;
    OK(cudnnCreate(&handle));
    OK(cudnnCreateTensorDescriptor(&plain));
    OK(cudnnCreateTensorDescriptor(&vectors));
    OK(cudnnCreateTensorDescriptor(&wide));
    OK(cudnnSetTensor4dDescriptor(plain, CUDNN_TENSOR_NCHW, CUDNN_DATA_INT8, N, C, H, W));
    OK(cudnnSetTensor4dDescriptor(vectors, CUDNN_TENSOR_NCHW_VECT_C, CUDNN_DATA_INT8x4, N, C, H, W));
    OK(cudnnSetTensor4dDescriptor(wide, CUDNN_TENSOR_NCHW_VECT_C, CUDNN_DATA_INT8x32, N, 32, H, W));
    for (i = 0; i < COUNT; ++i) x[i] = (signed char)(i * 7 - 100);
    OK(cudaMalloc((void **)&from, COUNT));
    OK(cudaMalloc((void **)&to, COUNT));
    OK(cudaMemcpy(from, x, COUNT, cudaMemcpyHostToDevice));

    OK(cudnnTransformTensor(handle, &one, plain, from, &zero, vectors, to));
    OK(cudaMemcpy(y, to, COUNT, cudaMemcpyDeviceToHost));
    for (i = 0; i < COUNT; ++i) CHECK(y[place(i)] == x[i]);
    OK(cudnnTransformTensor(handle, &two, vectors, to, &zero, plain, from)); /* held within 8 bits */
    OK(cudaMemcpy(y, from, COUNT, cudaMemcpyDeviceToHost));
    for (i = 0; i < COUNT; ++i) CHECK(y[i] == held(2 * x[i]));
    OK(cudaMemcpy(from, x, COUNT, cudaMemcpyHostToDevice));
    OK(cudnnTransformTensor(handle, &one, plain, from, &one, vectors, to));
    OK(cudaMemcpy(y, to, COUNT, cudaMemcpyDeviceToHost));
    for (i = 0; i < COUNT; ++i) CHECK(y[place(i)] == held(2 * x[i]));

    GIVES(CUDNN_STATUS_BAD_PARAM, cudnnTransformTensor(handle, &one, plain, from, &zero, wide, to));
    OK(cudnnDestroyTensorDescriptor(plain));
    OK(cudnnDestroyTensorDescriptor(vectors));
    OK(cudnnDestroyTensorDescriptor(wide));
    OK(cudaFree(from));
    OK(cudaFree(to));
    OK(cudnnDestroy(handle));
    return done();
}
