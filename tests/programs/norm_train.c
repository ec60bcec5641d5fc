/* Batch normalisation as a framework trains with it: NCHW and NHWC, per channel and per element, running statistics
 * over several steps, saved ones or none, the addition and ReLU of the Ex forms, gradients with any factors; inference
 * from what was learnt.
 * BUILD: cc -std=c11 -Wall -Wextra -Werror -pedantic -I"$HEADERS" "$SOURCE/norm_train.c" -L"$LIBS" -lcudnn -lcudart -lm -o norm_train
 * RUN: dragoman run -- ./norm_train
 */
#include <cuda_runtime_api.h>
#include <cudnn.h>
#include <string.h>

#include "check.h"

enum { N = 3, C = 4, H = 3, W = 5, HW = H * W, L = N * C * HW };
static const double EPS = 1e-4;
static cudnnHandle_t dnn;

static unsigned state = 7;
static float drawn(void)
{
    state = state * 1664525u + 1013904223u;
    return (float)(state >> 20) / 2048 - 1;
}
static void fill(float *p, int n)
{
    for (int i = 0; i < n; ++i) p[i] = drawn();
}
static float *up(const float *p, int n)
{
    float *d = NULL;
    OK(cudaMalloc((void **)&d, sizeof(float) * (size_t)n));
    OK(cudaMemcpy(d, p, sizeof(float) * (size_t)n, cudaMemcpyHostToDevice));
    return d;
}
static void down(float *p, const float *d, int n)
{
    OK(cudaDeviceSynchronize());
    OK(cudaMemcpy(p, d, sizeof(float) * (size_t)n, cudaMemcpyDeviceToHost));
}
static int at(int nhwc, int n, int c, int p)
{
    return nhwc ? (n * HW + p) * C + c : (n * C + c) * HW + p;
}

typedef struct {
    int per, nhwc, act, add;
    double alpha, beta;
} Run;

/* group of an element: its channel, or its place in the sample (in order of channels, then places, as
 * parameters lie) */
static int group(const Run *r, int c, int p)
{
    return r->per ? at(r->nhwc, 0, c, p) : c;
}

static void run(const Run *r, int steps)
{
    int groups = r->per ? C * HW : C, m = L / groups;
    float x[L], z[L], y[L], dy[L], dx[L], dz[L], y0[L], scale[C * HW], bias[C * HW], rm[C * HW], rv[C * HW],
        wrm[C * HW], wrv[C * HW];
    float sm[C * HW], si[C * HW], ds[C * HW], db[C * HW], ds0[C * HW], db0[C * HW], got[C * HW];
    double mean[C * HW], var[C * HW];
    cudnnTensorDescriptor_t d, b;
    cudnnActivationDescriptor_t relu;
    cudnnBatchNormMode_t mode = r->per   ? CUDNN_BATCHNORM_PER_ACTIVATION
                                : r->act ? CUDNN_BATCHNORM_SPATIAL_PERSISTENT
                                         : CUDNN_BATCHNORM_SPATIAL;
    cudnnBatchNormOps_t ops = r->add   ? CUDNN_BATCHNORM_OPS_BN_ADD_ACTIVATION
                              : r->act ? CUDNN_BATCHNORM_OPS_BN_ACTIVATION
                                       : CUDNN_BATCHNORM_OPS_BN;
    float al = (float)r->alpha, be = (float)r->beta, one = 1, zero = 0, two = 2, half = 0.5f;
    OK(cudnnCreateTensorDescriptor(&d));
    OK(cudnnCreateTensorDescriptor(&b));
    OK(cudnnCreateActivationDescriptor(&relu));
    OK(cudnnSetTensor4dDescriptor(d, r->nhwc ? CUDNN_TENSOR_NHWC : CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, N, C, H, W));
    OK(cudnnDeriveBNTensorDescriptor(b, d, mode));
    OK(cudnnSetActivationDescriptor(relu, CUDNN_ACTIVATION_RELU, CUDNN_NOT_PROPAGATE_NAN, 0));
    fill(scale, groups);
    fill(bias, groups);
    fill(ds0, groups);
    fill(db0, groups);
    for (int i = 0; i < groups; ++i) {
        wrm[i] = rm[i] = 0.25f;
        wrv[i] = rv[i] = 2;
    }
    float *dsc = up(scale, groups), *dbi = up(bias, groups), *drm = up(rm, groups), *drv = up(rv, groups),
          *dsm = up(rm, groups), *dsi = up(rm, groups);
    void *work = NULL, *reserve = NULL;
    size_t ws = 0, rs = 0;
    for (int step = 0; step < steps; ++step) {
        double factor = step == 0 ? 1.0 : 1.0 / (1 + step);
        fill(x, L);
        fill(z, L);
        fill(y0, L);
        fill(dy, L);
        float *px = up(x, L), *pz = up(z, L), *py = up(y0, L);
        if (r->act) {
            if (!reserve) {
                OK(cudnnGetBatchNormalizationForwardTrainingExWorkspaceSize(dnn, mode, ops, d, r->add ? d : NULL, d, b,
                                                                            relu, &ws));
                size_t w2 = 0;
                OK(cudnnGetBatchNormalizationBackwardExWorkspaceSize(dnn, mode, ops, d, d, d, r->add ? d : NULL, d, b,
                                                                     relu, &w2));
                if (w2 > ws) ws = w2;
                OK(cudnnGetBatchNormalizationTrainingExReserveSpaceSize(dnn, mode, ops, relu, d, &rs));
                OK(cudaMalloc(&work, ws + 1));
                OK(cudaMalloc(&reserve, rs + 1));
            }
            OK(cudnnBatchNormalizationForwardTrainingEx(dnn, mode, ops, &one, &zero, d, px, r->add ? d : NULL,
                                                        r->add ? pz : NULL, d, py, b, dsc, dbi, factor, drm, drv, EPS,
                                                        dsm, dsi, relu, work, ws, reserve, rs));
        } else {
            OK(cudnnBatchNormalizationForwardTraining(dnn, mode, &al, &be, d, px, d, py, b, dsc, dbi, factor, drm, drv,
                                                      EPS, dsm, dsi));
        }
        down(y, py, L);
        down(sm, dsm, groups);
        down(si, dsi, groups);
        down(rm, drm, groups);
        down(rv, drv, groups);
        memset(mean, 0, sizeof mean);
        memset(var, 0, sizeof var);
        for (int n = 0; n < N; ++n)
            for (int c = 0; c < C; ++c)
                for (int p = 0; p < HW; ++p) mean[group(r, c, p)] += x[at(r->nhwc, n, c, p)];
        for (int g = 0; g < groups; ++g) mean[g] /= m;
        for (int n = 0; n < N; ++n)
            for (int c = 0; c < C; ++c)
                for (int p = 0; p < HW; ++p) {
                    double t = x[at(r->nhwc, n, c, p)] - mean[group(r, c, p)];
                    var[group(r, c, p)] += t * t;
                }
        for (int g = 0; g < groups; ++g) {
            wrm[g] = (float)((1 - factor) * wrm[g] + factor * mean[g]);
            wrv[g] = (float)((1 - factor) * wrv[g] + factor * var[g] / (m - 1));
            var[g] /= m;
            NEAR(sm[g], mean[g], 1e-5);
            NEAR(si[g], 1 / sqrt(var[g] + EPS), 2e-5);
            NEAR(rm[g], wrm[g], 1e-5);
            NEAR(rv[g], wrv[g], 2e-5);
        }
        double dsum[C * HW] = {0}, ssum[C * HW] = {0};
        float masked[L];
        for (int n = 0; n < N; ++n)
            for (int c = 0; c < C; ++c)
                for (int p = 0; p < HW; ++p) {
                    int i = at(r->nhwc, n, c, p), g = group(r, c, p);
                    double hat = (x[i] - mean[g]) / sqrt(var[g] + EPS), v = scale[g] * hat + bias[g];
                    if (r->act) {
                        if (r->add) v += z[i];
                        v = v > 0 ? v : 0;
                        NEAR(y[i], v, 3e-5);
                    } else
                        NEAR(y[i], r->alpha * v + (r->beta != 0 ? r->beta * y0[i] : 0), 3e-5);
                    masked[i] = r->act && y[i] <= 0 ? 0 : dy[i];
                    dsum[g] += masked[i];
                    ssum[g] += masked[i] * hat;
                }
        /* back, with 2 and a half of the old gradient where the plain form has factors */
        float *pd = up(dy, L), *pg = up(y0, L), *pgz = up(y0, L), *pds = up(ds0, groups), *pdb = up(db0, groups);
        if (r->act)
            OK(cudnnBatchNormalizationBackwardEx(dnn, mode, ops, &one, &zero, &one, &zero, d, px, d, py, d, pd,
                                                 r->add ? d : NULL, r->add ? pgz : NULL, d, pg, b, dsc, dbi, pds, pdb,
                                                 EPS, dsm, dsi, relu, work, ws, reserve, rs));
        else
            OK(cudnnBatchNormalizationBackward(dnn, mode, &two, &half, &two, &half, d, px, d, pd, d, pg, b, dsc, pds,
                                               pdb, EPS, step % 2 ? NULL : dsm, step % 2 ? NULL : dsi));
        down(dx, pg, L);
        down(dz, pgz, L);
        down(ds, pds, groups);
        down(db, pdb, groups);
        for (int g = 0; g < groups; ++g) {
            NEAR(ds[g], r->act ? ssum[g] : 2 * ssum[g] + 0.5 * ds0[g], 5e-5);
            NEAR(db[g], r->act ? dsum[g] : 2 * dsum[g] + 0.5 * db0[g], 5e-5);
        }
        for (int n = 0; n < N; ++n)
            for (int c = 0; c < C; ++c)
                for (int p = 0; p < HW; ++p) {
                    int i = at(r->nhwc, n, c, p), g = group(r, c, p);
                    double inv = 1 / sqrt(var[g] + EPS), hat = (x[i] - mean[g]) * inv;
                    double v = scale[g] * inv * (masked[i] - dsum[g] / m - hat * ssum[g] / m);
                    NEAR(dx[i], r->act ? v : 2 * v + 0.5 * y0[i], 2e-4);
                    if (r->add) NEAR(dz[i], masked[i], 1e-6);
                }
        cudaFree(px);
        cudaFree(pz);
        cudaFree(py);
        cudaFree(pd);
        cudaFree(pg);
        cudaFree(pgz);
        cudaFree(pds);
        cudaFree(pdb);
    }
    { /* inference from the running statistics, in place */
        float *px = up(x, L);
        OK(cudnnBatchNormalizationForwardInference(dnn, mode, &one, &zero, d, px, d, px, b, dsc, dbi, drm, drv, EPS));
        down(y, px, L);
        for (int n = 0; n < N; ++n)
            for (int c = 0; c < C; ++c)
                for (int p = 0; p < HW; ++p) {
                    int i = at(r->nhwc, n, c, p), g = group(r, c, p);
                    NEAR(y[i], scale[g] * (x[i] - wrm[g]) / sqrt(wrv[g] + EPS) + bias[g], 3e-5);
                }
        cudaFree(px);
    }
    /* no statistics are kept where none are asked for */
    if (!r->act) {
        float *px = up(x, L), *py = up(x, L);
        OK(cudnnBatchNormalizationForwardTraining(dnn, mode, &one, &zero, d, px, d, py, b, dsc, dbi, 0.5, NULL, NULL,
                                                  EPS, NULL, NULL));
        down(got, drm, groups);
        for (int g = 0; g < groups; ++g) CHECK(got[g] == rm[g]);
        cudaFree(px);
        cudaFree(py);
    }
    cudaFree(dsc);
    cudaFree(dbi);
    cudaFree(drm);
    cudaFree(drv);
    cudaFree(dsm);
    cudaFree(dsi);
    cudaFree(work);
    cudaFree(reserve);
    OK(cudnnDestroyTensorDescriptor(d));
    OK(cudnnDestroyTensorDescriptor(b));
    OK(cudnnDestroyActivationDescriptor(relu));
}

int main(void)
{
    static const Run runs[] = {
        {0, 0, 0, 0, 1, 0}, {0, 1, 0, 0, 1, 0},    {0, 0, 0, 0, -1.5, 0.5}, {0, 1, 0, 0, 2, 1},
        {1, 0, 0, 0, 1, 0}, {1, 1, 0, 0, 0.5, -1}, {0, 1, 1, 0, 1, 0},      {0, 1, 1, 1, 1, 0},
    };
    OK(cudnnCreate(&dnn));
    for (unsigned i = 0; i < sizeof runs / sizeof *runs; ++i) run(&runs[i], 3);
    OK(cudnnDestroy(dnn));
    return done();
}
