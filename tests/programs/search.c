/* Algorithms chosen as frameworks choose them: as many rows as MaxCount says, those that fit a limit of workspace, math
 * types, the search with memory of the program's own; then each chosen one run with factors other than 1 and 0, NCHW
 * and NHWC, floats and halves, groups and dilation; ConvolutionBiasActivationForward onto z. Sums are of whole numbers,
 * so that they are exact.
 * BUILD: cc -std=c11 -Wall -Wextra -Werror -pedantic -I"$HEADERS" "$SOURCE/search.c" -L"$LIBS" -lcudnn -lcudart -lm -o search
 * RUN: dragoman run -- ./search
 */
#include <cuda_runtime_api.h>
#include <cudnn.h>
#include <stdint.h>
#include <string.h>

#include "check.h"

enum { N = 2, C = 4, H = 6, W = 5, K = 4, R = 3, S = 3, P = H, Q = W, X = N * C * H * W, Y = N * K * P * Q, MOST = 24 };
static cudnnHandle_t dnn;
static unsigned state = 3;
static int drawn(int most)
{
    state = state * 1664525u + 1013904223u;
    return (int)(state >> 16) % (2 * most + 1) - most;
}

static uint16_t half_of(double v) /* whole numbers up to 2048 */
{
    uint16_t sign = 0;
    int e = 0;
    if (v == 0) return 0;
    if (v < 0) {
        sign = 0x8000;
        v = -v;
    }
    while (v >= 2) {
        v /= 2;
        ++e;
    }
    while (v < 1) {
        v *= 2;
        --e;
    }
    return (uint16_t)(sign | (e + 15) << 10 | (int)((v - 1) * 1024));
}
static double of_half(uint16_t h)
{
    double v = ldexp(1024 + (h & 1023), ((h >> 10) & 31) - 25);
    return (h & 0x7fff) == 0 ? 0 : h & 0x8000 ? -v : v;
}
static void *up(const double *v, int n, int half)
{
    void *d = NULL;
    char *h = malloc((size_t)n * 4);
    for (int i = 0; i < n; ++i)
        if (half)
            ((uint16_t *)(void *)h)[i] = half_of(v[i]);
        else
            ((float *)(void *)h)[i] = (float)v[i];
    OK(cudaMalloc(&d, (size_t)n * 4));
    OK(cudaMemcpy(d, h, (size_t)n * (half ? 2 : 4), cudaMemcpyHostToDevice));
    free(h);
    return d;
}
static void same(const char *what, const double *wanted, const void *d, int n, int half)
{
    char *h = malloc((size_t)n * 4);
    OK(cudaDeviceSynchronize());
    OK(cudaMemcpy(h, d, (size_t)n * (half ? 2 : 4), cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; ++i) {
        double got = half ? of_half(((uint16_t *)(void *)h)[i]) : ((float *)(void *)h)[i];
        if (got != wanted[i]) {
            fprintf(stderr, "%s[%d] is %g, not %g\n", what, i, got, wanted[i]);
            ++wrong_checks;
            break;
        }
    }
    free(h);
}

typedef struct {
    int nhwc, half, groups, dilation, flip;
} Case;
static int ix(const Case *k, int n, int c, int h, int w)
{
    return k->nhwc ? ((n * H + h) * W + w) * C + c : ((n * C + c) * H + h) * W + w;
}
static int iy(const Case *k, int n, int c, int h, int w)
{
    return k->nhwc ? ((n * P + h) * Q + w) * K + c : ((n * K + c) * P + h) * Q + w;
}
static int iw(const Case *k, int o, int c, int r, int s)
{
    int cs = C / k->groups;
    return k->nhwc ? ((o * R + r) * S + s) * cs + c : ((o * cs + c) * R + r) * S + s;
}

/* the three passes at once: y, dx, dw by their definition */
static void passes(const Case *k, const double *x, const double *w, const double *g, double *y, double *dx, double *dw)
{
    int cs = C / k->groups, os = K / k->groups, pad = k->dilation;
    memset(y, 0, Y * sizeof *y);
    memset(dx, 0, X * sizeof *dx);
    memset(dw, 0, (size_t)(K * cs * R * S) * sizeof *dw);
    for (int n = 0; n < N; ++n)
        for (int o = 0; o < K; ++o)
            for (int p = 0; p < P; ++p)
                for (int q = 0; q < Q; ++q)
                    for (int c = 0; c < cs; ++c)
                        for (int r = 0; r < R; ++r)
                            for (int s = 0; s < S; ++s) {
                                int h = p - pad + r * k->dilation, v = q - pad + s * k->dilation;
                                if (h < 0 || h >= H || v < 0 || v >= W) continue;
                                int i = ix(k, n, o / os * cs + c, h, v), j = iy(k, n, o, p, q),
                                    t = k->flip ? iw(k, o, c, R - 1 - r, S - 1 - s) : iw(k, o, c, r, s);
                                y[j] += x[i] * w[t];
                                dx[i] += g[j] * w[t];
                                dw[t] += x[i] * g[j];
                            }
}

static void run(const Case *k)
{
    int cs = C / k->groups, F = K * cs * R * S;
    double x[X], w[K * C * R * S], g[Y], y[Y], dx[X], dw[K * C * R * S], old[X + Y + K * C * R * S],
        want[X + Y + K * C * R * S];
    cudnnDataType_t type = k->half ? CUDNN_DATA_HALF : CUDNN_DATA_FLOAT;
    cudnnTensorFormat_t format = k->nhwc ? CUDNN_TENSOR_NHWC : CUDNN_TENSOR_NCHW;
    cudnnTensorDescriptor_t xd, yd;
    cudnnFilterDescriptor_t wd;
    cudnnConvolutionDescriptor_t cd;
    float al = 2, be = -1;
    for (int i = 0; i < X; ++i) x[i] = drawn(3);
    for (int i = 0; i < F; ++i) w[i] = drawn(3);
    for (int i = 0; i < Y; ++i) g[i] = drawn(3);
    for (int i = 0; i < X + Y + F; ++i) old[i] = drawn(5);
    passes(k, x, w, g, y, dx, dw);
    OK(cudnnCreateTensorDescriptor(&xd));
    OK(cudnnCreateTensorDescriptor(&yd));
    OK(cudnnCreateFilterDescriptor(&wd));
    OK(cudnnCreateConvolutionDescriptor(&cd));
    OK(cudnnSetTensor4dDescriptor(xd, format, type, N, C, H, W));
    OK(cudnnSetTensor4dDescriptor(yd, format, type, N, K, P, Q));
    OK(cudnnSetFilter4dDescriptor(wd, type, format, K, cs, R, S));
    OK(cudnnSetConvolution2dDescriptor(cd, k->dilation, k->dilation, 1, 1, k->dilation, k->dilation,
                                       k->flip ? CUDNN_CONVOLUTION : CUDNN_CROSS_CORRELATION, CUDNN_DATA_FLOAT));
    OK(cudnnSetConvolutionGroupCount(cd, k->groups));
    OK(cudnnSetConvolutionMathType(cd, k->half ? CUDNN_TENSOR_OP_MATH : CUDNN_DEFAULT_MATH));
    void *px = up(x, X, k->half), *pw = up(w, F, k->half), *pg = up(g, Y, k->half);
    const size_t limit = (size_t)64 << 20;

    int most = 0, got = 0;
    size_t size = 0;
    OK(cudnnGetConvolutionForwardAlgorithmMaxCount(dnn, &most));
    CHECK(most > 0 && most <= MOST);
    cudnnConvolutionFwdAlgoPerf_t f[MOST];
    OK(cudnnGetConvolutionForwardAlgorithm_v7(dnn, xd, wd, cd, yd, most, &got, f));
    CHECK(got > 0 && got <= most);
    int used = 0;
    for (int i = 0; i < got; ++i) {
        if (f[i].status != CUDNN_STATUS_SUCCESS || f[i].memory > limit) continue;
        OK(cudnnSetConvolutionMathType(cd, f[i].mathType));
        OK(cudnnGetConvolutionForwardWorkspaceSize(dnn, xd, wd, cd, yd, f[i].algo, &size));
        CHECK(size <= f[i].memory || f[i].memory == 0 || size <= limit);
        void *ws = NULL, *py = up(old, Y, k->half);
        OK(cudaMalloc(&ws, size + 1));
        OK(cudnnConvolutionForward(dnn, &al, xd, px, wd, pw, cd, f[i].algo, ws, size, &be, yd, py));
        for (int j = 0; j < Y; ++j) want[j] = 2 * y[j] - old[j];
        same("y", want, py, Y, k->half);
        cudaFree(ws);
        cudaFree(py);
        ++used;
    }
    CHECK(used > 0);
    { /* the search: in memory of the program's, none of the inputs changes */
        void *ws = NULL, *py = up(old, Y, k->half);
        OK(cudaMalloc(&ws, limit));
        OK(cudnnFindConvolutionForwardAlgorithmEx(dnn, xd, px, wd, pw, cd, yd, py, most, &got, f, ws, limit));
        CHECK(got > 0 && f[0].status == CUDNN_STATUS_SUCCESS && f[0].time >= 0 && f[0].memory <= limit);
        for (int i = 1; i < got; ++i)
            if (f[i].status == CUDNN_STATUS_SUCCESS && f[i - 1].status == CUDNN_STATUS_SUCCESS)
                CHECK(f[i].time >= f[i - 1].time);
        same("x", x, px, X, k->half);
        same("w", w, pw, F, k->half);
        OK(cudnnConvolutionForward(dnn, &al, xd, px, wd, pw, cd, f[0].algo, ws, limit, &be, yd, py));
        cudaFree(ws);
        cudaFree(py);
    }
    cudnnConvolutionBwdDataAlgoPerf_t b[MOST];
    OK(cudnnGetConvolutionBackwardDataAlgorithmMaxCount(dnn, &most));
    OK(cudnnGetConvolutionBackwardDataAlgorithm_v7(dnn, wd, yd, cd, xd, most, &got, b));
    CHECK(got > 0);
    for (int i = 0; i < got; ++i) {
        if (b[i].status != CUDNN_STATUS_SUCCESS || b[i].memory > limit) continue;
        OK(cudnnSetConvolutionMathType(cd, b[i].mathType));
        OK(cudnnGetConvolutionBackwardDataWorkspaceSize(dnn, wd, yd, cd, xd, b[i].algo, &size));
        void *ws = NULL, *pd = up(old, X, k->half);
        OK(cudaMalloc(&ws, size + 1));
        OK(cudnnConvolutionBackwardData(dnn, &al, wd, pw, yd, pg, cd, b[i].algo, ws, size, &be, xd, pd));
        for (int j = 0; j < X; ++j) want[j] = 2 * dx[j] - old[j];
        same("dx", want, pd, X, k->half);
        cudaFree(ws);
        cudaFree(pd);
    }
    cudnnConvolutionBwdFilterAlgoPerf_t v[MOST];
    OK(cudnnGetConvolutionBackwardFilterAlgorithmMaxCount(dnn, &most));
    OK(cudnnGetConvolutionBackwardFilterAlgorithm_v7(dnn, xd, yd, cd, wd, 1, &got, v));
    CHECK(got == 1);
    OK(cudnnFindConvolutionBackwardFilterAlgorithm(dnn, xd, yd, cd, wd, most, &got, v));
    CHECK(got > 0);
    for (int i = 0; i < got; ++i) {
        if (v[i].status != CUDNN_STATUS_SUCCESS || v[i].memory > limit) continue;
        OK(cudnnSetConvolutionMathType(cd, v[i].mathType));
        OK(cudnnGetConvolutionBackwardFilterWorkspaceSize(dnn, xd, yd, cd, wd, v[i].algo, &size));
        void *ws = NULL, *pd = up(old, F, k->half);
        OK(cudaMalloc(&ws, size + 1));
        OK(cudnnConvolutionBackwardFilter(dnn, &al, xd, px, yd, pg, cd, v[i].algo, ws, size, &be, wd, pd));
        for (int j = 0; j < F; ++j) want[j] = 2 * dw[j] - old[j];
        same("dw", want, pd, F, k->half);
        cudaFree(ws);
        cudaFree(pd);
    }
    { /* y = relu(x * w - z + bias) */
        cudnnTensorDescriptor_t bd;
        cudnnActivationDescriptor_t relu;
        OK(cudnnCreateTensorDescriptor(&bd));
        OK(cudnnCreateActivationDescriptor(&relu));
        OK(cudnnSetTensor4dDescriptor(bd, format, type, 1, K, 1, 1));
        OK(cudnnSetActivationDescriptor(relu, CUDNN_ACTIVATION_RELU, CUDNN_NOT_PROPAGATE_NAN, 0));
        double bias[K];
        for (int i = 0; i < K; ++i) bias[i] = drawn(9);
        float one = 1;
        void *pb = up(bias, K, k->half), *pz = up(old, Y, k->half), *py = up(g, Y, k->half), *ws = NULL;
        OK(cudnnGetConvolutionForwardWorkspaceSize(dnn, xd, wd, cd, yd,
                                                   CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM, &size));
        OK(cudaMalloc(&ws, size + 1));
        OK(cudnnConvolutionBiasActivationForward(dnn, &one, xd, px, wd, pw, cd,
                                                 CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM, ws, size, &be, yd,
                                                 pz, bd, pb, relu, yd, py));
        for (int n = 0; n < N; ++n)
            for (int o = 0; o < K; ++o)
                for (int p = 0; p < P; ++p)
                    for (int q = 0; q < Q; ++q) {
                        int j = iy(k, n, o, p, q);
                        double t = y[j] - old[j] + bias[o];
                        want[j] = t > 0 ? t : 0;
                    }
        same("relu", want, py, Y, k->half);
        cudaFree(pb);
        cudaFree(pz);
        cudaFree(py);
        cudaFree(ws);
        OK(cudnnDestroyTensorDescriptor(bd));
        OK(cudnnDestroyActivationDescriptor(relu));
    }
    cudaFree(px);
    cudaFree(pw);
    cudaFree(pg);
    OK(cudnnDestroyTensorDescriptor(xd));
    OK(cudnnDestroyTensorDescriptor(yd));
    OK(cudnnDestroyFilterDescriptor(wd));
    OK(cudnnDestroyConvolutionDescriptor(cd));
}

int main(void)
{
    OK(cudnnCreate(&dnn));
    for (int i = 0; i < 16; ++i) {
        Case k = {i & 1, i >> 1 & 1, i >> 2 & 1 ? 2 : 1, i >> 3 & 1 ? 2 : 1, i % 3 == 0};
        run(&k);
    }
    OK(cudnnDestroy(dnn));
    return done();
}
