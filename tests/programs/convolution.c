/* A convolution and its gradients as its definition says: both modes, layouts, groups, floats and
 * doubles, any workspace.
 * BUILD: cc -std=c11 -Wall -Wextra -Werror -pedantic -I"$HEADERS" "$SOURCE/convolution.c" -L"$LIBS" -lcudnn -lcudart -lm -o convolution
 * RUN: dragoman run -- ./convolution
 */
#include <cuda_runtime_api.h>
#include <cudnn.h>
#include <string.h>

#include "check.h"

enum {
    N = 2,
    C = 4,
    H = 6,
    W = 5,
    K = 6,
    R = 3,
    S = 2,
    PAD = 1,
    STEP = 2,
    P = (H + 2 * PAD - R) / STEP + 1,
    Q = W + 2 * PAD - S + 1
};
enum { X = N * C * H * W, F = K * C * R * S, Y = N * K * P * Q };

static double x[X], w[F], y[Y], z[Y], dx[X], dw[F], db[K], bias[K];
static int last; /* channels last */

static int place(int a, int b, int c, int d, int nb, int nc, int nd)
{
    return last ? ((a * nc + c) * nd + d) * nb + b : ((a * nb + b) * nc + c) * nd + d;
}

/* All three directions at once: y from x and w; dx and dw from z as the gradient of y. */
static void define(int groups, cudnnConvolutionMode_t mode)
{
    int n, k, c, p, q, r, s, per = C / groups;
    memset(y, 0, sizeof y);
    memset(dx, 0, sizeof dx);
    memset(dw, 0, sizeof dw);
    memset(db, 0, sizeof db);
    for (n = 0; n < N; ++n)
        for (k = 0; k < K; ++k)
            for (p = 0; p < P; ++p)
                for (q = 0; q < Q; ++q) {
                    int to = place(n, k, p, q, K, P, Q);
                    db[k] += z[to];
                    for (c = 0; c < per; ++c)
                        for (r = 0; r < R; ++r)
                            for (s = 0; s < S; ++s) {
                                int h = p * STEP - PAD + r, v = q - PAD + s, flip = mode == CUDNN_CONVOLUTION;
                                int tap = place(k, c, flip ? R - 1 - r : r, flip ? S - 1 - s : s, per, R, S), from;
                                if (h < 0 || h >= H || v < 0 || v >= W) continue;
                                from = place(n, k / (K / groups) * per + c, h, v, C, H, W);
                                y[to] += x[from] * w[tap];
                                dx[from] += z[to] * w[tap];
                                dw[tap] += z[to] * x[from];
                            }
                }
}

static int wide; /* doubles */

static void *sent(const double *values, int count)
{
    static float narrow[X + F + Y];
    void *there;
    int i;
    for (i = 0; i < count; ++i) narrow[i] = (float)values[i];
    OK(cudaMalloc(&there, (size_t)count * sizeof(double)));
    OK(cudaMemcpy(there, wide ? (const void *)values : narrow, (size_t)count * (wide ? 8 : 4), cudaMemcpyHostToDevice));
    return there;
}

/* alpha = 3 and beta = -2 over an old value: whole numbers, so that all is exact. */
static void compare(void *there, const double *wanted, const double *old, int count, int line)
{
    static double got[X + F + Y];
    static float narrow[X + F + Y];
    int i, wrong = 0;
    OK(cudaMemcpy(wide ? (void *)got : narrow, there, (size_t)count * (wide ? 8 : 4), cudaMemcpyDeviceToHost));
    for (i = 0; i < count; ++i) wrong += (wide ? got[i] : narrow[i]) != 3 * wanted[i] - 2 * old[i];
    if (wrong) fprintf(stderr, "line %d, wide %d, last %d: %d of %d are wrong\n", line, wide, last, wrong, count);
    wrong_checks += wrong > 0;
}

static void directions(cudnnHandle_t handle, int groups, cudnnConvolutionMode_t mode, size_t most)
{
    cudnnDataType_t type = wide ? CUDNN_DATA_DOUBLE : CUDNN_DATA_FLOAT;
    cudnnTensorFormat_t format = last ? CUDNN_TENSOR_NHWC : CUDNN_TENSOR_NCHW;
    cudnnTensorDescriptor_t xd, yd, bd;
    cudnnFilterDescriptor_t wd;
    cudnnConvolutionDescriptor_t conv;
    cudnnConvolutionFwdAlgoPerf_t forward[8];
    cudnnConvolutionBwdDataAlgoPerf_t data[8];
    cudnnConvolutionBwdFilterAlgoPerf_t filter[8];
    const double big[2] = {3, -2};
    const float small[2] = {3, -2};
    const void *alpha = wide ? (const void *)&big[0] : &small[0], *beta = wide ? (const void *)&big[1] : &small[1];
    void *gx, *gw, *gy, *gz, *gdx, *gdw, *gdb, *space;
    size_t size;
    int count = 0, found[4];
    define(groups, mode);
    OK(cudnnCreateTensorDescriptor(&xd));
    OK(cudnnCreateTensorDescriptor(&yd));
    OK(cudnnCreateTensorDescriptor(&bd));
    OK(cudnnCreateFilterDescriptor(&wd));
    OK(cudnnCreateConvolutionDescriptor(&conv));
    OK(cudnnSetTensor4dDescriptor(xd, format, type, N, C, H, W));
    OK(cudnnSetTensor4dDescriptor(bd, CUDNN_TENSOR_NCHW, type, 1, K, 1, 1));
    OK(cudnnSetFilter4dDescriptor(wd, type, format, K, C / groups, R, S));
    OK(cudnnSetConvolution2dDescriptor(conv, PAD, PAD, STEP, 1, 1, 1, mode, type));
    OK(cudnnSetConvolutionGroupCount(conv, groups));
    OK(cudnnGetConvolution2dForwardOutputDim(conv, xd, wd, &found[0], &found[1], &found[2], &found[3]));
    CHECK(found[0] == N && found[1] == K && found[2] == P && found[3] == Q);
    OK(cudnnSetTensor4dDescriptor(yd, format, type, N, K, P, Q));
    gx = sent(x, X);
    gw = sent(w, F);
    gz = sent(z, Y);
    gy = sent(z, Y);
    gdx = sent(x, X);
    gdw = sent(w, F);
    gdb = sent(bias, K);
    OK(cudnnGetConvolutionForwardAlgorithm_v7(handle, xd, wd, conv, yd, 8, &count, forward));
    CHECK(count >= 1 && forward[0].status == CUDNN_STATUS_SUCCESS);
    OK(cudnnFindConvolutionBackwardDataAlgorithm(handle, wd, yd, conv, xd, 8, &count, data));
    CHECK(count >= 1 && data[0].status == CUDNN_STATUS_SUCCESS);
    OK(cudnnFindConvolutionBackwardFilterAlgorithm(handle, xd, yd, conv, wd, 8, &count, filter));
    CHECK(count >= 1 && filter[0].status == CUDNN_STATUS_SUCCESS);
    OK(cudnnGetConvolutionForwardWorkspaceSize(handle, xd, wd, conv, yd, forward[0].algo, &size));
    CHECK(size <= forward[0].memory);
    size = forward[0].memory > data[0].memory ? forward[0].memory : data[0].memory;
    size = size > filter[0].memory ? size : filter[0].memory;
    size = size < most ? size : most;
    OK(cudaMalloc(&space, size ? size : 1));
    OK(cudnnConvolutionForward(handle, alpha, xd, gx, wd, gw, conv, forward[0].algo, size ? space : NULL, size, beta,
                               yd, gy));
    compare(gy, y, z, Y, __LINE__);
    OK(cudnnConvolutionBackwardData(handle, alpha, wd, gw, yd, gz, conv, data[0].algo, space, size, beta, xd, gdx));
    compare(gdx, dx, x, X, __LINE__);
    OK(cudnnConvolutionBackwardFilter(handle, alpha, xd, gx, yd, gz, conv, filter[0].algo, space, size, beta, wd, gdw));
    compare(gdw, dw, w, F / groups, __LINE__);
    OK(cudnnConvolutionBackwardBias(handle, alpha, yd, gz, beta, bd, gdb));
    compare(gdb, db, bias, K, __LINE__);
    OK(cudaFree(space));
    OK(cudaFree(gx));
    OK(cudaFree(gw));
    OK(cudaFree(gy));
    OK(cudaFree(gz));
    OK(cudaFree(gdx));
    OK(cudaFree(gdw));
    OK(cudaFree(gdb));
    OK(cudnnDestroyTensorDescriptor(xd));
    OK(cudnnDestroyTensorDescriptor(yd));
    OK(cudnnDestroyTensorDescriptor(bd));
    OK(cudnnDestroyFilterDescriptor(wd));
    OK(cudnnDestroyConvolutionDescriptor(conv));
}

int main(void)
{
    cudnnHandle_t handle;
    int i, groups, mode;
    for (i = 0; i < X; ++i) x[i] = i % 7 - 3;
    for (i = 0; i < F; ++i) w[i] = i % 5 - 2;
    for (i = 0; i < Y; ++i) z[i] = i % 11 - 5;
    for (i = 0; i < K; ++i) bias[i] = i;
    OK(cudnnCreate(&handle));
    for (wide = 0; wide < 2; ++wide)
        for (last = 0; last < 2; ++last)
            for (groups = 1; groups < 3; ++groups)
                for (mode = 0; mode < 2; ++mode) {
                    directions(handle, groups, (cudnnConvolutionMode_t)mode, (size_t)-1);
                    directions(handle, groups, (cudnnConvolutionMode_t)mode, 64);
                    directions(handle, groups, (cudnnConvolutionMode_t)mode, 0);
                }
    OK(cudnnDestroy(handle));
    return done();
}
