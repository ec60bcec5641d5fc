/* Dropout beyond one call: each call draws another mask, a seed repeats its masks in order, a restored descriptor draws
 * new ones or, from a copy of its states, what followed the copy; the backward pass may have another layout.
 * Batch normalisation onto its own input, and with one running value alone.
 * BUILD: cc -std=c11 -Wall -Wextra -Werror -pedantic -I"$HEADERS" "$SOURCE/dropout.c" -L"$LIBS" -lcudnn -lcudart -lm -o dropout
 * RUN: dragoman run -- ./dropout
 */
#include <cuda_runtime_api.h>
#include <cudnn.h>

#include "check.h"

enum { N = 2, C = 5, H = 7, W = 9, COUNT = N * C * H * W };

static float *device(const float *from, int count)
{
    float *to = NULL;
    OK(cudaMalloc((void **)&to, (size_t)count * sizeof *to));
    if (from)
        OK(cudaMemcpy(to, from, (size_t)count * sizeof *to, cudaMemcpyHostToDevice));
    return to;
}

static void fetch(float *to, const float *from, int count)
{
    OK(cudaMemcpy(to, from, (size_t)count * sizeof *to, cudaMemcpyDeviceToHost));
}

static int same_mask(const float *a, const float *b)
{
    int i;
    for (i = 0; i < COUNT; ++i)
        if ((a[i] != 0) != (b[i] != 0))
            return 0;
    return 1;
}

static void drop(cudnnHandle_t handle)
{
    enum { CALLS = 4 };
    cudnnDropoutDescriptor_t d, other;
    cudnnTensorDescriptor_t nchw, nhwc;
    float x[COUNT], y[2][CALLS][COUNT], later[CALLS][COUNT], dx[COUNT], *there, *out;
    void *states, *reserve, *copy;
    size_t size, reserved;
    int i, k, turn, n, c, h, w, kept = 0;
    for (i = 0; i < COUNT; ++i) x[i] = 1;
    there = device(x, COUNT);
    out = device(x, COUNT);
    OK(cudnnCreateTensorDescriptor(&nchw));
    OK(cudnnCreateTensorDescriptor(&nhwc));
    OK(cudnnSetTensor4dDescriptor(nchw, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, N, C, H, W));
    OK(cudnnSetTensor4dDescriptor(nhwc, CUDNN_TENSOR_NHWC, CUDNN_DATA_FLOAT, N, C, H, W));
    OK(cudnnCreateDropoutDescriptor(&d));
    OK(cudnnDropoutGetStatesSize(handle, &size));
    OK(cudnnDropoutGetReserveSpaceSize(nchw, &reserved));
    OK(cudaMalloc(&states, size));
    OK(cudaMalloc(&reserve, reserved));
    CHECK(cudnnSetDropoutDescriptor(d, handle, 0.5f, states, size - 1, 7) == CUDNN_STATUS_BAD_PARAM);
    for (turn = 0; turn < 2; ++turn) {
        OK(cudnnSetDropoutDescriptor(d, handle, 0.5f, states, size, 7));
        for (k = 0; k < CALLS; ++k) {
            OK(cudnnDropoutForward(handle, d, nchw, there, nchw, out, reserve, reserved));
            fetch(y[turn][k], out, COUNT);
            for (i = 0; i < k; ++i) CHECK(!same_mask(y[turn][i], y[turn][k]));
        }
    }
    for (k = 0; k < CALLS; ++k) CHECK(same_mask(y[0][k], y[1][k]));
    OK(cudnnRestoreDropoutDescriptor(d, handle, 0.5f, states, size, 7));
    OK(cudnnDropoutForward(handle, d, nhwc, there, nhwc, out, reserve, reserved));
    fetch(y[0][0], out, COUNT);
    for (k = 0; k < CALLS; ++k) CHECK(!same_mask(y[0][0], y[1][k]));
    /* a copy of the states, put back or given to another descriptor, draws what followed it */
    OK(cudaMalloc(&copy, size));
    OK(cudaMemcpy(copy, states, size, cudaMemcpyDeviceToDevice));
    OK(cudnnCreateDropoutDescriptor(&other));
    for (turn = 0; turn < 3; ++turn) {
        if (turn == 1) OK(cudaMemcpy(states, copy, size, cudaMemcpyDeviceToDevice));
        if (turn == 1) OK(cudnnRestoreDropoutDescriptor(d, handle, 0.5f, states, size, 7));
        if (turn == 2) OK(cudnnRestoreDropoutDescriptor(other, handle, 0.5f, copy, size, 7));
        for (k = 0; k < CALLS; ++k) {
            OK(cudnnDropoutForward(handle, turn == 2 ? other : d, nchw, there, nchw, out, reserve, reserved));
            fetch(turn ? y[1][0] : later[k], out, COUNT);
            if (turn) CHECK(same_mask(y[1][0], later[k]));
        }
    }
    OK(cudnnDestroyDropoutDescriptor(other));
    OK(cudaFree(copy));
    OK(cudnnDropoutForward(handle, d, nhwc, there, nhwc, out, reserve, reserved));
    fetch(y[0][0], out, COUNT);
    /* the mask is of the elements, wherever they lie */
    OK(cudnnDropoutBackward(handle, d, nchw, there, nchw, out, reserve, reserved));
    fetch(dx, out, COUNT);
    for (n = 0; n < N; ++n)
        for (c = 0; c < C; ++c)
            for (h = 0; h < H; ++h)
                for (w = 0; w < W; ++w) {
                    float forward = y[0][0][((n * H + h) * W + w) * C + c];
                    CHECK(forward == 0 || forward == 2);
                    CHECK(dx[((n * C + c) * H + h) * W + w] == forward);
                    kept += forward != 0;
                }
    CHECK(kept > COUNT / 3 && kept < COUNT * 2 / 3);
    /* without states there is no mask to draw; the last one serves on */
    OK(cudnnSetDropoutDescriptor(d, handle, 0.5f, NULL, 0, 0));
    CHECK(cudnnDropoutForward(handle, d, nchw, there, nchw, out, reserve, reserved) == CUDNN_STATUS_BAD_PARAM);
    OK(cudnnDropoutBackward(handle, d, nchw, there, nchw, out, reserve, reserved));
    OK(cudnnDestroyDropoutDescriptor(d));
    OK(cudnnDestroyTensorDescriptor(nchw));
    OK(cudnnDestroyTensorDescriptor(nhwc));
    cudaFree(there), cudaFree(out), cudaFree(states), cudaFree(reserve);
}

static void normalise(cudnnHandle_t handle, cudnnTensorFormat_t format)
{
    static const float one = 1, zero = 0;
    cudnnTensorDescriptor_t image, parameter;
    float x[COUNT], dy[COUNT], found[COUNT], ones[C], old[C], *xs, *dys, *out, *scale, *bias, *mean, *ds, *db;
    float apart[COUNT], running[C];
    int i, c;
    for (i = 0; i < COUNT; ++i) x[i] = (float)(i * 7 % 11) - (float)(i % 3), dy[i] = (float)(i * 5 % 13) / 8;
    for (c = 0; c < C; ++c) ones[c] = 1, old[c] = 4;
    xs = device(x, COUNT), dys = device(dy, COUNT), out = device(NULL, COUNT);
    scale = device(ones, C), bias = device(ones, C), mean = device(old, C), ds = device(NULL, C), db = device(NULL, C);
    OK(cudnnCreateTensorDescriptor(&image));
    OK(cudnnCreateTensorDescriptor(&parameter));
    OK(cudnnSetTensor4dDescriptor(image, format, CUDNN_DATA_FLOAT, N, C, H, W));
    OK(cudnnDeriveBNTensorDescriptor(parameter, image, CUDNN_BATCHNORM_SPATIAL));
    OK(cudnnBatchNormalizationForwardTraining(handle, CUDNN_BATCHNORM_SPATIAL, &one, &zero, image, xs, image, out,
                                              parameter, scale, bias, 0.5, mean, NULL, 1e-5, NULL, NULL));
    fetch(apart, out, COUNT);
    fetch(running, mean, C);
    for (c = 0; c < C; ++c) {
        double sum = 0;
        for (i = 0; i < COUNT; ++i)
            if ((format == CUDNN_TENSOR_NHWC ? i % C : i / (H * W) % C) == c)
                sum += x[i];
        NEAR(running[c], 2 + sum / (N * H * W) / 2, 1e-5);
    }
    OK(cudnnBatchNormalizationBackward(handle, CUDNN_BATCHNORM_SPATIAL, &one, &zero, &one, &zero, image, xs, image, dys,
                                       image, out, parameter, scale, ds, db, 1e-5, NULL, NULL));
    fetch(found, out, COUNT);
    OK(cudnnBatchNormalizationBackward(handle, CUDNN_BATCHNORM_SPATIAL, &one, &zero, &one, &zero, image, xs, image, dys,
                                       image, dys, parameter, scale, ds, db, 1e-5, NULL, NULL));
    fetch(dy, dys, COUNT);
    for (i = 0; i < COUNT; ++i) NEAR(dy[i], found[i], 1e-6);
    OK(cudnnBatchNormalizationForwardTraining(handle, CUDNN_BATCHNORM_SPATIAL, &one, &zero, image, xs, image, xs,
                                              parameter, scale, bias, 0.5, NULL, NULL, 1e-5, NULL, NULL));
    fetch(found, xs, COUNT);
    for (i = 0; i < COUNT; ++i) NEAR(found[i], apart[i], 1e-6);
    OK(cudnnDestroyTensorDescriptor(image));
    OK(cudnnDestroyTensorDescriptor(parameter));
    cudaFree(xs), cudaFree(dys), cudaFree(out), cudaFree(scale), cudaFree(bias), cudaFree(mean), cudaFree(ds),
        cudaFree(db);
}

int main(void)
{
    cudnnHandle_t handle;
    OK(cudnnCreate(&handle));
    drop(handle);
    normalise(handle, CUDNN_TENSOR_NCHW);
    normalise(handle, CUDNN_TENSOR_NHWC);
    OK(cudnnDestroy(handle));
    return done();
}
