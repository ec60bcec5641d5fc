/* Tensors of any strides, and what is done with them: reductions with indices, every broadcast of AddTensor and
 * OpTensor, filling and scaling with gaps, transposition by TransformTensor, pooling with NaN, even windows and
 * paddings in two and three dimensions, and a spatial transformer. What lies in a gap must stay.
 * BUILD: cc -std=c11 -Wall -Wextra -Werror -pedantic -I"$HEADERS" "$SOURCE/tensors.c" -L"$LIBS" -lcudnn -lcudart -lm -o tensors
 * RUN: dragoman run -- ./tensors
 */
#include <cuda_runtime_api.h>
#include <cudnn.h>
#include <stdint.h>
#include <string.h>

#include "check.h"

enum { A0 = 2, A1 = 3, A2 = 4, A3 = 5, COUNT = A0 * A1 * A2 * A3, ROOM = 4096 };
static const float GAP = -77;
static cudnnHandle_t dnn;
static unsigned state = 5;
static int drawn(int most)
{
    state = state * 1664525u + 1013904223u;
    return (int)(state >> 16) % (2 * most + 1) - most;
}

typedef struct {
    int dim[4], stride[4];
} Shape;
static cudnnTensorDescriptor_t described(const Shape *s, cudnnDataType_t type)
{
    cudnnTensorDescriptor_t d;
    OK(cudnnCreateTensorDescriptor(&d));
    OK(cudnnSetTensorNdDescriptor(d, type, 4, s->dim, s->stride));
    return d;
}
static int at(const Shape *s, const int *i)
{
    int o = 0;
    for (int k = 0; k < 4; ++k) o += (s->dim[k] == 1 ? 0 : i[k]) * s->stride[k];
    return o;
}
static float *up(const float *p, int n)
{
    float *d = NULL;
    OK(cudaMalloc((void **)&d, sizeof(float) * (size_t)n));
    OK(cudaMemcpy(d, p, sizeof(float) * (size_t)n, cudaMemcpyHostToDevice));
    return d;
}
static void down(float *p, const void *d, int n)
{
    OK(cudaDeviceSynchronize());
    OK(cudaMemcpy(p, d, sizeof(float) * (size_t)n, cudaMemcpyDeviceToHost));
}
static void same(int line, const float *wanted, const void *d, int n, double unit)
{
    static float got[ROOM];
    down(got, d, n);
    for (int i = 0; i < n; ++i)
        if (!(isnan(wanted[i]) ? isnan(got[i]) : fabs(got[i] - wanted[i]) <= unit * (1 + fabs(wanted[i])))) {
            fprintf(stderr, "line %d: [%d] is %g, not %g\n", line, i, got[i], wanted[i]);
            ++wrong_checks;
            return;
        }
}
#define SAME(wanted, d, n, unit) same(__LINE__, wanted, d, n, unit)
static void gaps(float *p)
{
    for (int i = 0; i < ROOM; ++i) p[i] = GAP;
}
static void filled(const Shape *s, float *p)
{
    int i[4];
    gaps(p);
    for (i[0] = 0; i[0] < s->dim[0]; ++i[0])
        for (i[1] = 0; i[1] < s->dim[1]; ++i[1])
            for (i[2] = 0; i[2] < s->dim[2]; ++i[2])
                for (i[3] = 0; i[3] < s->dim[3]; ++i[3]) p[at(s, i)] = (float)drawn(8);
}
#define EACH(s, i)                                           \
    for ((i)[0] = 0; (i)[0] < (s)->dim[0]; ++(i)[0])         \
        for ((i)[1] = 0; (i)[1] < (s)->dim[1]; ++(i)[1])     \
            for ((i)[2] = 0; (i)[2] < (s)->dim[2]; ++(i)[2]) \
                for ((i)[3] = 0; (i)[3] < (s)->dim[3]; ++(i)[3])

static const Shape FORMS[] = {
    {{A0, A1, A2, A3}, {A1 * A2 * A3, A2 * A3, A3, 1}},
    {{A0, A1, A2, A3}, {A1 * A2 * A3, 1, A1 * A3, A1}},
    {{A0, A1, A2, A3}, {A1 * A2 * 8 + 10, A2 * 8 + 3, 8, 1}},
    {{A0, A1, A2, A3}, {600, 150, 2, 20}},
};

static void elementwise(void)
{
    static float x[ROOM], y[ROOM], b[ROOM], want[ROOM];
    int i[4];
    for (int f = 0; f < 4; ++f)
        for (int g = 0; g < 4; ++g) {
            const Shape *s = &FORMS[f], *t = &FORMS[g];
            cudnnTensorDescriptor_t sd = described(s, CUDNN_DATA_FLOAT), td = described(t, CUDNN_DATA_FLOAT);
            for (int v = 0; v < 3; ++v) {
                float al = v == 1 ? -2 : 1, be = v == 2 ? 0.5f : v ? 1 : 0;
                filled(s, x);
                filled(t, y);
                memcpy(want, y, sizeof y);
                EACH(t, i) want[at(t, i)] = al * x[at(s, i)] + (be != 0 ? be * y[at(t, i)] : 0);
                float *dx = up(x, ROOM), *dy = up(y, ROOM);
                OK(cudnnTransformTensor(dnn, &al, sd, dx, &be, td, dy));
                SAME(want, dy, ROOM, 0);
                cudaFree(dx);
                cudaFree(dy);
            }
            if (f == g) {
                float value = 3, al = -0.5f;
                filled(s, x);
                float *dx = up(x, ROOM);
                memcpy(want, x, sizeof x);
                OK(cudnnScaleTensor(dnn, sd, dx, &al));
                EACH(s, i) want[at(s, i)] *= al;
                SAME(want, dx, ROOM, 0);
                OK(cudnnSetTensor(dnn, sd, dx, &value));
                EACH(s, i) want[at(s, i)] = value;
                SAME(want, dx, ROOM, 0);
                cudaFree(dx);
            }
            OK(cudnnDestroyTensorDescriptor(sd));
            OK(cudnnDestroyTensorDescriptor(td));
        }
    for (int f = 0; f < 4; ++f)
        for (int mask = 0; mask < 16; ++mask) { /* each dimension of b whole, or 1 */
            const Shape *s = &FORMS[f];
            Shape t;
            int step = 1;
            for (int k = 3; k >= 0; --k) {
                t.dim[k] = mask >> k & 1 ? 1 : s->dim[k];
                t.stride[k] = step;
                step *= t.dim[k];
            }
            cudnnTensorDescriptor_t sd = described(s, CUDNN_DATA_FLOAT), td = described(&t, CUDNN_DATA_FLOAT);
            float al = 2, be = -1, one = 1, zero = 0;
            filled(s, x);
            filled(&t, b);
            float *dx = up(x, ROOM), *db = up(b, ROOM);
            memcpy(want, x, sizeof x);
            OK(cudnnAddTensor(dnn, &al, td, db, &be, sd, dx));
            EACH(s, i) want[at(s, i)] = 2 * b[at(&t, i)] - x[at(s, i)];
            SAME(want, dx, ROOM, 0);
            cudnnOpTensorDescriptor_t op;
            OK(cudnnCreateOpTensorDescriptor(&op));
            static const cudnnOpTensorOp_t OPS[] = {CUDNN_OP_TENSOR_ADD, CUDNN_OP_TENSOR_MUL, CUDNN_OP_TENSOR_MIN,
                                                    CUDNN_OP_TENSOR_MAX};
            for (int o = 0; o < 4; ++o) {
                gaps(y);
                filled(s, x);
                float *da = up(x, ROOM), *dc = up(y, ROOM);
                OK(cudnnSetOpTensorDescriptor(op, OPS[o], CUDNN_DATA_FLOAT, CUDNN_PROPAGATE_NAN));
                OK(cudnnOpTensor(dnn, op, &one, sd, da, &al, td, db, &zero, sd, dc));
                memcpy(want, y, sizeof y);
                EACH(s, i)
                {
                    float p = x[at(s, i)], q = 2 * b[at(&t, i)];
                    want[at(s, i)] = o == 0 ? p + q : o == 1 ? p * q : o == 2 ? (p < q ? p : q) : p > q ? p : q;
                }
                SAME(want, dc, ROOM, 0);
                cudaFree(da);
                cudaFree(dc);
            }
            OK(cudnnDestroyOpTensorDescriptor(op));
            cudaFree(dx);
            cudaFree(db);
            OK(cudnnDestroyTensorDescriptor(sd));
            OK(cudnnDestroyTensorDescriptor(td));
        }
}

static void reductions(void)
{
    static float x[ROOM], c[ROOM], want[ROOM];
    static const cudnnReduceTensorOp_t OPS[] = {
        CUDNN_REDUCE_TENSOR_ADD,   CUDNN_REDUCE_TENSOR_MUL,   CUDNN_REDUCE_TENSOR_MIN,
        CUDNN_REDUCE_TENSOR_MAX,   CUDNN_REDUCE_TENSOR_AMAX,  CUDNN_REDUCE_TENSOR_AVG,
        CUDNN_REDUCE_TENSOR_NORM1, CUDNN_REDUCE_TENSOR_NORM2, CUDNN_REDUCE_TENSOR_MUL_NO_ZEROS};
    int i[4];
    for (int f = 0; f < 3; ++f)
        for (int mask = 1; mask < 16; ++mask)
            for (unsigned o = 0; o < sizeof OPS / sizeof *OPS; ++o) {
                const Shape *s = &FORMS[f];
                Shape t;
                int step = 1, parts, folded;
                for (int k = 3; k >= 0; --k) {
                    t.dim[k] = mask >> k & 1 ? 1 : s->dim[k];
                    t.stride[k] = step;
                    step *= t.dim[k];
                }
                parts = step;
                folded = COUNT / parts;
                filled(s, x);
                gaps(c);
                if (OPS[o] == CUDNN_REDUCE_TENSOR_MUL || OPS[o] == CUDNN_REDUCE_TENSOR_MUL_NO_ZEROS)
                    EACH(s, i) x[at(s, i)] = (float)(drawn(1) * 2) / 2;
                int with = OPS[o] == CUDNN_REDUCE_TENSOR_MIN || OPS[o] == CUDNN_REDUCE_TENSOR_MAX ||
                           OPS[o] == CUDNN_REDUCE_TENSOR_AMAX;
                float al = 2, be = with ? 0 : 0.5f, one = 1;
                cudnnTensorDescriptor_t sd = described(s, CUDNN_DATA_FLOAT), td = described(&t, CUDNN_DATA_FLOAT);
                cudnnReduceTensorDescriptor_t r;
                size_t work = 0, room = 0;
                OK(cudnnCreateReduceTensorDescriptor(&r));
                OK(cudnnSetReduceTensorDescriptor(r, OPS[o], CUDNN_DATA_FLOAT, CUDNN_PROPAGATE_NAN,
                                                  with ? CUDNN_REDUCE_TENSOR_FLATTENED_INDICES
                                                       : CUDNN_REDUCE_TENSOR_NO_INDICES,
                                                  CUDNN_32BIT_INDICES));
                OK(cudnnGetReductionWorkspaceSize(dnn, r, sd, td, &work));
                OK(cudnnGetReductionIndicesSize(dnn, r, sd, td, &room));
                CHECK(!with || room >= (size_t)parts * 4);
                void *pw = NULL, *pi = NULL;
                OK(cudaMalloc(&pw, work + 1));
                OK(cudaMalloc(&pi, room + 1));
                for (int q = 0; q < parts; ++q) c[q] = (float)drawn(4);
                float *dx = up(x, ROOM), *dc = up(c, ROOM);
                OK(cudnnReduceTensor(dnn, r, with ? pi : NULL, with ? room : 0, pw, work, with ? &one : &al, sd, dx,
                                     &be, td, dc));
                static double sum[ROOM];
                static uint32_t found[ROOM];
                static int seen[ROOM];
                memset(seen, 0, sizeof seen);
                memset(sum, 0, sizeof sum);
                EACH(s, i)
                {
                    int q = at(&t, i);
                    double v = x[at(s, i)];
                    if (!seen[q]) {
                        sum[q] =
                            OPS[o] == CUDNN_REDUCE_TENSOR_MUL || OPS[o] == CUDNN_REDUCE_TENSOR_MUL_NO_ZEROS ? 1 : 0;
                    }
                    switch (OPS[o]) {
                    case CUDNN_REDUCE_TENSOR_ADD:
                    case CUDNN_REDUCE_TENSOR_AVG:
                        sum[q] += v;
                        break;
                    case CUDNN_REDUCE_TENSOR_MUL:
                        sum[q] *= v;
                        break;
                    case CUDNN_REDUCE_TENSOR_MUL_NO_ZEROS:
                        sum[q] *= v != 0 ? v : 1;
                        break;
                    case CUDNN_REDUCE_TENSOR_NORM1:
                        sum[q] += fabs(v);
                        break;
                    case CUDNN_REDUCE_TENSOR_NORM2:
                        sum[q] += v * v;
                        break;
                    default:
                        if (OPS[o] == CUDNN_REDUCE_TENSOR_AMAX) v = fabs(v);
                        if (!seen[q] || (OPS[o] == CUDNN_REDUCE_TENSOR_MIN ? v < sum[q] : v > sum[q])) sum[q] = v;
                    }
                    ++seen[q];
                }
                memcpy(want, c, sizeof c);
                for (int q = 0; q < parts; ++q) {
                    double v = OPS[o] == CUDNN_REDUCE_TENSOR_AVG     ? sum[q] / folded
                               : OPS[o] == CUDNN_REDUCE_TENSOR_NORM2 ? sqrt(sum[q])
                                                                     : sum[q];
                    want[q] = (float)(with ? v : 2 * v + 0.5 * c[q]);
                }
                SAME(want, dc, ROOM, 1e-6);
                if (with) { /* the place of the first one that is it, or of one that is as good */
                    OK(cudaMemcpy(found, pi, (size_t)parts * 4, cudaMemcpyDeviceToHost));
                    EACH(s, i)
                    {
                        int q = at(&t, i), position = 0;
                        for (int k = 0; k < 4; ++k)
                            if (t.dim[k] == 1) position = position * s->dim[k] + i[k];
                        double v = OPS[o] == CUDNN_REDUCE_TENSOR_AMAX ? fabs(x[at(s, i)]) : x[at(s, i)];
                        if (found[q] == (uint32_t)position) CHECK(v == sum[q]);
                    }
                    for (int q = 0; q < parts; ++q) CHECK(found[q] < (uint32_t)folded);
                }
                cudaFree(pw);
                cudaFree(pi);
                cudaFree(dx);
                cudaFree(dc);
                OK(cudnnDestroyReduceTensorDescriptor(r));
                OK(cudnnDestroyTensorDescriptor(sd));
                OK(cudnnDestroyTensorDescriptor(td));
            }
}

static void pooling(void)
{
    enum { D = 3, H = 6, W = 7 };
    static float x[ROOM], y[ROOM], want[ROOM], dy[ROOM], dx[ROOM];
    for (int three = 0; three < 2; ++three)
        for (int mode = 0; mode < 4; ++mode)
            for (int window = 2; window <= 3; ++window)
                for (int nan = 0; nan < (mode == 0 || mode == 3 ? 2 : 1); ++nan) {
                    int pad = window - 2 + 0, step = 2, nd = three ? 5 : 4, dim[5], out[5], stride[5];
                    static const cudnnPoolingMode_t MODES[] = {
                        CUDNN_POOLING_MAX, CUDNN_POOLING_AVERAGE_COUNT_INCLUDE_PADDING,
                        CUDNN_POOLING_AVERAGE_COUNT_EXCLUDE_PADDING, CUDNN_POOLING_MAX_DETERMINISTIC};
                    int win[3] = {window, window, window}, pads[3] = {pad, pad, pad}, steps[3] = {step, step, step},
                        depth = three ? D : 1;
                    float al = mode == 1 ? 2 : 1, be = mode == 1 ? -1 : 0;
                    dim[0] = 2;
                    dim[1] = 2;
                    dim[nd - 1] = W;
                    dim[nd - 2] = H;
                    if (three) dim[2] = D;
                    cudnnPoolingDescriptor_t p;
                    cudnnTensorDescriptor_t xd, yd;
                    OK(cudnnCreatePoolingDescriptor(&p));
                    OK(cudnnCreateTensorDescriptor(&xd));
                    OK(cudnnCreateTensorDescriptor(&yd));
                    OK(cudnnSetPoolingNdDescriptor(p, MODES[mode], nan ? CUDNN_PROPAGATE_NAN : CUDNN_NOT_PROPAGATE_NAN,
                                                   nd - 2, win, pads, steps));
                    for (int pass = 0; pass < 2; ++pass) {
                        const int *d = pass ? out : dim;
                        stride[nd - 1] = 1;
                        for (int k = nd - 2; k >= 0; --k) stride[k] = stride[k + 1] * d[k + 1];
                        OK(cudnnSetTensorNdDescriptor(pass ? yd : xd, CUDNN_DATA_FLOAT, nd, d, stride));
                        if (!pass) OK(cudnnGetPoolingNdForwardOutputDim(p, xd, nd, out));
                    }
                    int od = three ? out[2] : 1, oh = out[nd - 2], ow = out[nd - 1], n = 4 * depth * H * W,
                        m = 4 * od * oh * ow;
                    CHECK(oh == 1 + (H + 2 * pad - window) / step && ow == 1 + (W + 2 * pad - window) / step);
                    for (int i = 0; i < n; ++i) x[i] = (float)drawn(1000) + (float)i / 1024; /* no two alike */
                    if (nan) x[n / 2] = NAN;
                    for (int i = 0; i < m; ++i) {
                        y[i] = (float)drawn(9);
                        dy[i] = (float)drawn(9);
                    }
                    memset(dx, 0, sizeof dx);
                    for (int c = 0; c < 4; ++c)
                        for (int a = 0; a < od; ++a)
                            for (int h = 0; h < oh; ++h)
                                for (int w = 0; w < ow; ++w) {
                                    int o = ((c * od + a) * oh + h) * ow + w, best = -1, count = 0,
                                        all = window * window * (three ? window : 1);
                                    double sum = 0;
                                    for (int pass = 0; pass < 2; ++pass)
                                        for (int u = 0; u < (three ? window : 1); ++u)
                                            for (int v = 0; v < window; ++v)
                                                for (int q = 0; q < window; ++q) {
                                                    int e = three ? a * step - pad + u : 0, r = h * step - pad + v,
                                                        s = w * step - pad + q;
                                                    if (e < 0 || e >= depth || r < 0 || r >= H || s < 0 || s >= W)
                                                        continue;
                                                    int i = ((c * depth + e) * H + r) * W + s;
                                                    if (pass) {
                                                        if (mode == 1 || mode == 2)
                                                            dx[i] += dy[o] / (float)(mode == 1 ? all : count);
                                                        continue;
                                                    }
                                                    ++count;
                                                    sum += x[i];
                                                    if (best < 0 || x[i] > x[best] || isnan(x[i])) {
                                                        if (best < 0 || !isnan(x[best])) best = i;
                                                    }
                                                }
                                    if (mode == 0 || mode == 3) {
                                        want[o] = x[best];
                                        dx[best] += dy[o];
                                    } else
                                        want[o] =
                                            al * (float)(sum / (mode == 1 ? all : count)) + (be != 0 ? be * y[o] : 0);
                                }
                    float *px = up(x, n), *py = up(y, m), *pdy = up(dy, m), *pdx = up(x, n), one = 1, zero = 0;
                    OK(cudnnPoolingForward(dnn, p, &al, xd, px, &be, yd, py));
                    SAME(want, py, m, 1e-5);
                    if (!nan) {
                        OK(cudnnPoolingForward(dnn, p, &one, xd, px, &zero, yd, py));
                        OK(cudnnPoolingBackward(dnn, p, &one, yd, py, yd, pdy, xd, px, &zero, xd, pdx));
                        SAME(dx, pdx, n, 1e-5);
                    }
                    cudaFree(px);
                    cudaFree(py);
                    cudaFree(pdy);
                    cudaFree(pdx);
                    OK(cudnnDestroyPoolingDescriptor(p));
                    OK(cudnnDestroyTensorDescriptor(xd));
                    OK(cudnnDestroyTensorDescriptor(yd));
                }
}

static void transformer(void)
{
    enum { C = 2, H = 4, W = 5, OH = 3, OW = 4 };
    static const float theta[12] = {1, 0, 0, 0, 1, 0, 0.7f, 0.2f, -0.1f, -0.3f, 0.8f, 0.2f};
    static float x[2 * C * H * W], g[2 * OH * OW * 2], want[2 * C * OH * OW], gw[2 * OH * OW * 2];
    int dim[4] = {2, C, OH, OW};
    float one = 1, zero = 0;
    cudnnSpatialTransformerDescriptor_t st;
    cudnnTensorDescriptor_t xd, yd;
    OK(cudnnCreateSpatialTransformerDescriptor(&st));
    OK(cudnnCreateTensorDescriptor(&xd));
    OK(cudnnCreateTensorDescriptor(&yd));
    OK(cudnnSetSpatialTransformerNdDescriptor(st, CUDNN_SAMPLER_BILINEAR, CUDNN_DATA_FLOAT, 4, dim));
    OK(cudnnSetTensor4dDescriptor(xd, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, 2, C, H, W));
    OK(cudnnSetTensor4dDescriptor(yd, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, 2, C, OH, OW));
    for (int i = 0; i < 2 * C * H * W; ++i) x[i] = (float)drawn(50);
    float *pt = up(theta, 12), *pg = up(g, 2 * OH * OW * 2), *px = up(x, 2 * C * H * W),
          *py = up(want, 2 * C * OH * OW);
    OK(cudnnSpatialTfGridGeneratorForward(dnn, st, pt, pg));
    for (int n = 0; n < 2; ++n)
        for (int h = 0; h < OH; ++h)
            for (int w = 0; w < OW; ++w)
                for (int k = 0; k < 2; ++k) {
                    double u = -1 + 2. * w / (OW - 1), v = -1 + 2. * h / (OH - 1);
                    gw[((n * OH + h) * OW + w) * 2 + k] =
                        (float)(theta[n * 6 + k * 3] * u + theta[n * 6 + k * 3 + 1] * v + theta[n * 6 + k * 3 + 2]);
                }
    SAME(gw, pg, 2 * OH * OW * 2, 1e-5);
    OK(cudnnSpatialTfSamplerForward(dnn, st, &one, xd, px, pg, &zero, yd, py));
    for (int n = 0; n < 2; ++n)
        for (int c = 0; c < C; ++c)
            for (int h = 0; h < OH; ++h)
                for (int w = 0; w < OW; ++w) {
                    double u = (gw[((n * OH + h) * OW + w) * 2] + 1) * (W - 1) / 2,
                           v = (gw[((n * OH + h) * OW + w) * 2 + 1] + 1) * (H - 1) / 2, s = 0;
                    for (int r = 0; r < H; ++r)
                        for (int q = 0; q < W; ++q) {
                            double a = 1 - fabs(u - q), b = 1 - fabs(v - r);
                            if (a > 0 && b > 0) s += a * b * x[((n * C + c) * H + r) * W + q];
                        }
                    want[((n * C + c) * OH + h) * OW + w] = (float)s;
                }
    SAME(want, py, 2 * C * OH * OW, 1e-4);
    cudaFree(pt);
    cudaFree(pg);
    cudaFree(px);
    cudaFree(py);
    OK(cudnnDestroySpatialTransformerDescriptor(st));
    OK(cudnnDestroyTensorDescriptor(xd));
    OK(cudnnDestroyTensorDescriptor(yd));
}

int main(void)
{
    OK(cudnnCreate(&dnn));
    elementwise();
    reductions();
    pooling();
    transformer();
    OK(cudnnDestroy(dnn));
    return done();
}
