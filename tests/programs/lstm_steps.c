/* An LSTM and a GRU as programs of cuDNN 7 and 8 call them: descriptors of each step whose batch shrinks, weights
 * placed through cudnnGetRNNLinLayer…Params, training and both gradients, which must be those of finite differences;
 * the padded Ex forms beside. cuDNN 9 has none of it left: there, and in 8 too, the same weights run through the v8
 * calls. The forward pass is a plain loop.
 * BUILD: cc -std=c11 -Wall -Wextra -Werror -pedantic -I"$HEADERS" "$SOURCE/lstm_steps.c" -L"$LIBS" -lcudnn -lcudart -lm -o lstm_steps
 * RUN: dragoman run -- ./lstm_steps
 */
#include <cuda_runtime_api.h>
#include <cudnn.h>
#include <string.h>

#include "check.h"

enum { T = 4, B = 3, I = 3, HID = 4, LAYERS = 2, ROWS = 8, MOST = 4000 };
static const int LENGTHS[B] = {4, 3, 1};  /* longest first, as packed sequences want */
static const int BATCH[T] = {3, 2, 2, 1}; /* sequences that reach a step */
static cudnnHandle_t dnn;
static unsigned state = 11;
static float drawn(void)
{
    state = state * 1664525u + 1013904223u;
    return (float)(state >> 20) / 4096 - 0.5f;
}

typedef struct {
    int mode, both;
} Net; /* CUDNN_LSTM or CUDNN_GRU; 1: forwards and backwards */
static int gates(const Net *n)
{
    return n->mode == CUDNN_LSTM ? 4 : 3;
}
static int inputs(const Net *n, int layer)
{
    return layer ? HID * (1 + n->both) : I;
}

/* weights by layer, direction, gate: matrix of x, matrix of h, both biases */
static double W[LAYERS][2][4][HID][2 * HID + I], U[LAYERS][2][4][HID][HID], BW[LAYERS][2][4][HID],
    BU[LAYERS][2][4][HID];

static double sig(double v)
{
    return 1 / (1 + exp(-v));
}

static int row_of(int t, int b)
{
    int r = 0;
    for (int i = 0; i < t; ++i) r += BATCH[i];
    return r + b;
}

/* y of ROWS x HID·directions; hx, cx as [layers·directions][B][HID] */
static void plain(const Net *n, const float *x, const float *hx, const float *cx, double *y, double *hy, double *cy)
{
    int dirs = 1 + n->both;
    static double in[ROWS][2 * HID], out[ROWS][2 * HID];
    for (int r = 0; r < ROWS; ++r)
        for (int i = 0; i < I; ++i) in[r][i] = x[r * I + i];
    for (int l = 0; l < LAYERS; ++l) {
        for (int d = 0; d < dirs; ++d)
            for (int b = 0; b < B; ++b) {
                double h[HID], c[HID];
                int s = (l * dirs + d) * B + b;
                for (int k = 0; k < HID; ++k) {
                    h[k] = hx[s * HID + k];
                    c[k] = cx[s * HID + k];
                }
                for (int step = 0; step < LENGTHS[b]; ++step) {
                    int r = row_of(d ? LENGTHS[b] - 1 - step : step, b);
                    double a[4][HID], u[4][HID], h2[HID];
                    for (int g = 0; g < gates(n); ++g)
                        for (int k = 0; k < HID; ++k) {
                            a[g][k] = BW[l][d][g][k];
                            u[g][k] = BU[l][d][g][k];
                            for (int i = 0; i < inputs(n, l); ++i) a[g][k] += W[l][d][g][k][i] * in[r][i];
                            for (int i = 0; i < HID; ++i) u[g][k] += U[l][d][g][k][i] * h[i];
                        }
                    for (int k = 0; k < HID; ++k) {
                        if (n->mode == CUDNN_LSTM) { /* i f g o */
                            c[k] = sig(a[1][k] + u[1][k]) * c[k] + sig(a[0][k] + u[0][k]) * tanh(a[2][k] + u[2][k]);
                            h2[k] = sig(a[3][k] + u[3][k]) * tanh(c[k]);
                        } else { /* r z n */
                            double rr = sig(a[0][k] + u[0][k]), z = sig(a[1][k] + u[1][k]),
                                   nn = tanh(a[2][k] + rr * u[2][k]);
                            h2[k] = (1 - z) * nn + z * h[k];
                        }
                    }
                    for (int k = 0; k < HID; ++k) {
                        h[k] = h2[k];
                        out[r][d * HID + k] = h[k];
                    }
                }
                for (int k = 0; k < HID; ++k) {
                    hy[s * HID + k] = h[k];
                    cy[s * HID + k] = c[k];
                }
            }
        memcpy(in, out, sizeof in);
    }
    for (int r = 0; r < ROWS; ++r)
        for (int k = 0; k < dirs * HID; ++k) y[r * dirs * HID + k] = out[r][k];
}

static void *zeros(size_t bytes)
{
    void *d = NULL;
    OK(cudaMalloc(&d, bytes + 16));
    OK(cudaMemset(d, 0, bytes + 16));
    return d;
}
static float *up(const float *p, int n)
{
    float *d = zeros(sizeof(float) * (size_t)n);
    OK(cudaMemcpy(d, p, sizeof(float) * (size_t)n, cudaMemcpyHostToDevice));
    return d;
}
static void down(float *p, const void *d, int n)
{
    OK(cudaDeviceSynchronize());
    OK(cudaMemcpy(p, d, sizeof(float) * (size_t)n, cudaMemcpyDeviceToHost));
}
static cudnnTensorDescriptor_t three(int a, int b, int c)
{
    cudnnTensorDescriptor_t d;
    int dim[3] = {a, b, c}, stride[3] = {b * c, c, 1};
    OK(cudnnCreateTensorDescriptor(&d));
    OK(cudnnSetTensorNdDescriptor(d, CUDNN_DATA_FLOAT, 3, dim, stride));
    return d;
}

/* what one gate's weights are, in the library's order of gates: 0 to gates-1 of x, then of h */
static void placed(const Net *n, int layer, int dir, int id, const float *matrix, const float *bias)
{
    int g = id % gates(n), of_h = id >= gates(n), width = of_h ? HID : inputs(n, layer);
    for (int k = 0; k < HID; ++k) {
        for (int i = 0; i < width; ++i) {
            if (of_h)
                U[layer][dir][g][k][i] = matrix[k * width + i];
            else
                W[layer][dir][g][k][i] = matrix[k * width + i];
        }
        if (of_h)
            BU[layer][dir][g][k] = bias[k];
        else
            BW[layer][dir][g][k] = bias[k];
    }
}

static void run(const Net *n)
{
    int dirs = 1 + n->both, YL = ROWS * dirs * HID, SL = LAYERS * dirs * B * HID;
    float x[ROWS * I], hx[MOST], cx[MOST], gy[MOST], got[MOST], w[MOST];
    double y[MOST], hy[MOST], cy[MOST];
    for (int i = 0; i < ROWS * I; ++i) x[i] = drawn();
    for (int i = 0; i < SL; ++i) {
        hx[i] = drawn();
        cx[i] = drawn();
    }
    for (int i = 0; i < YL; ++i) gy[i] = drawn();
    (void)gy;
    cudnnRNNDescriptor_t net;
    cudnnDropoutDescriptor_t drop;
    cudnnTensorDescriptor_t hd = three(LAYERS * dirs, B, HID);
    OK(cudnnCreateRNNDescriptor(&net));
    OK(cudnnCreateDropoutDescriptor(&drop));
    OK(cudnnSetDropoutDescriptor(drop, dnn, 0, NULL, 0, 0));
    float *px = up(x, ROWS * I), *ph = up(hx, SL), *pc = up(cx, SL), *py = zeros(sizeof(float) * (size_t)YL),
          *phy = zeros(sizeof(float) * (size_t)SL), *pcy = zeros(sizeof(float) * (size_t)SL);
    size_t space = 0, work = 0, reserve = 0;

    /* ---- weights through the v8 calls: both agree where they lie */
    OK(cudnnSetRNNDescriptor_v8(net, CUDNN_RNN_ALGO_STANDARD, (cudnnRNNMode_t)n->mode, CUDNN_RNN_DOUBLE_BIAS,
                                n->both ? CUDNN_BIDIRECTIONAL : CUDNN_UNIDIRECTIONAL, CUDNN_LINEAR_INPUT,
                                CUDNN_DATA_FLOAT, CUDNN_DATA_FLOAT, CUDNN_DEFAULT_MATH, I, HID, HID, LAYERS, drop,
                                CUDNN_RNN_PADDED_IO_DISABLED));
    OK(cudnnGetRNNWeightSpaceSize(dnn, net, &space));
    CHECK(space % sizeof(float) == 0 && space / sizeof(float) <= MOST);
    int weights = (int)(space / sizeof(float));
    for (int i = 0; i < weights; ++i) w[i] = drawn();
    float *pw = up(w, weights);
    cudnnTensorDescriptor_t md, bd;
    OK(cudnnCreateTensorDescriptor(&md));
    OK(cudnnCreateTensorDescriptor(&bd));
    long counted = 0;
    for (int l = 0; l < LAYERS; ++l)
        for (int d = 0; d < dirs; ++d)
            for (int id = 0; id < 2 * gates(n); ++id) {
                void *m = NULL, *b = NULL;
                cudnnDataType_t type;
                int nd, dim[3], stride[3];
                OK(cudnnGetRNNWeightParams(dnn, net, l * dirs + d, space, pw, id, md, &m, bd, &b));
                OK(cudnnGetTensorNdDescriptor(md, 3, &type, &nd, dim, stride));
                CHECK(nd == 3 && dim[0] == 1 && dim[1] == HID && dim[2] == (id < gates(n) ? inputs(n, l) : HID));
                CHECK((char *)m >= (char *)pw && (char *)b + HID * sizeof(float) <= (char *)pw + space);
                placed(n, l, d, id, w + ((float *)m - pw), w + ((float *)b - pw));
                counted += dim[1] * dim[2] + HID;
            }
    CHECK(counted <= weights);
    plain(n, x, hx, cx, y, hy, cy);
    {
        cudnnRNNDataDescriptor_t xd, yd;
        OK(cudnnCreateRNNDataDescriptor(&xd));
        OK(cudnnCreateRNNDataDescriptor(&yd));
        OK(cudnnSetRNNDataDescriptor(xd, CUDNN_DATA_FLOAT, CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_PACKED, T, B, I, LENGTHS,
                                     NULL));
        OK(cudnnSetRNNDataDescriptor(yd, CUDNN_DATA_FLOAT, CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_PACKED, T, B, dirs * HID,
                                     LENGTHS, NULL));
        OK(cudnnGetRNNTempSpaceSizes(dnn, net, CUDNN_FWD_MODE_TRAINING, xd, &work, &reserve));
        void *pws = zeros(work), *prs = zeros(reserve);
        int32_t *lengths = zeros(sizeof LENGTHS);
        OK(cudaMemcpy(lengths, LENGTHS, sizeof LENGTHS, cudaMemcpyHostToDevice));
        OK(cudnnRNNForward(dnn, net, CUDNN_FWD_MODE_TRAINING, lengths, xd, px, yd, py, hd, ph, phy, hd,
                           n->mode == CUDNN_LSTM ? pc : NULL, n->mode == CUDNN_LSTM ? pcy : NULL, space, pw, work, pws,
                           reserve, prs));
        down(got, py, YL);
        for (int i = 0; i < YL; ++i) NEAR(got[i], y[i], 1e-5);
        down(got, phy, SL);
        for (int i = 0; i < SL; ++i) NEAR(got[i], hy[i], 1e-5);

        cudaFree(pws);
        cudaFree(prs);
        cudaFree(lengths);
        OK(cudnnDestroyRNNDataDescriptor(xd));
        OK(cudnnDestroyRNNDataDescriptor(yd));
    }
#if CUDNN_MAJOR < 9
    cudnnTensorDescriptor_t xs[T], ys[T];
    for (int t = 0; t < T; ++t) {
        xs[t] = three(BATCH[t], I, 1);
        ys[t] = three(BATCH[t], dirs * HID, 1);
    }
    OK(cudnnSetRNNDescriptor_v6(dnn, net, HID, LAYERS, drop, CUDNN_LINEAR_INPUT,
                                n->both ? CUDNN_BIDIRECTIONAL : CUDNN_UNIDIRECTIONAL, (cudnnRNNMode_t)n->mode,
                                CUDNN_RNN_ALGO_STANDARD, CUDNN_DATA_FLOAT));
    size_t bytes = 0;
    OK(cudnnGetRNNParamsSize(dnn, net, xs[0], &bytes, CUDNN_DATA_FLOAT));
    CHECK(bytes == space);
    cudnnFilterDescriptor_t wd, fd;
    int dim[3] = {(int)(bytes / sizeof(float)), 1, 1};
    OK(cudnnCreateFilterDescriptor(&wd));
    OK(cudnnCreateFilterDescriptor(&fd));
    OK(cudnnSetFilterNdDescriptor(wd, CUDNN_DATA_FLOAT, CUDNN_TENSOR_NCHW, 3, dim));
    for (int l = 0; l < LAYERS; ++l)
        for (int d = 0; d < dirs; ++d)
            for (int id = 0; id < 2 * gates(n); ++id) {
                void *m = NULL, *b = NULL;
                cudnnDataType_t type;
                cudnnTensorFormat_t format;
                int nd, fdim[3];
                OK(cudnnGetRNNLinLayerMatrixParams(dnn, net, l * dirs + d, xs[0], wd, pw, id, fd, &m));
                OK(cudnnGetFilterNdDescriptor(fd, 3, &type, &format, &nd, fdim));
                CHECK(fdim[0] * fdim[1] * fdim[2] == HID * (id < gates(n) ? inputs(n, l) : HID));
                OK(cudnnGetRNNLinLayerBiasParams(dnn, net, l * dirs + d, xs[0], wd, pw, id, fd, &b));
                placed(n, l, d, id, w + ((float *)m - pw), w + ((float *)b - pw));
            }
    plain(n, x, hx, cx, y, hy, cy);
    OK(cudnnGetRNNWorkspaceSize(dnn, net, T, xs, &work));
    OK(cudnnGetRNNTrainingReserveSize(dnn, net, T, xs, &reserve));
    void *pws = zeros(work), *prs = zeros(reserve);
    float *pgy = up(gy, YL), *pgx = zeros(sizeof x), *pgh = zeros(sizeof(float) * (size_t)SL),
          *pgc = zeros(sizeof(float) * (size_t)SL), *pgw = zeros(space);
    OK(cudnnRNNForwardInference(dnn, net, T, xs, px, hd, ph, hd, pc, wd, pw, ys, py, hd, phy, hd, pcy, pws, work));
    down(got, py, YL);
    for (int i = 0; i < YL; ++i) NEAR(got[i], y[i], 1e-5);
    OK(cudaMemset(py, 0xff, sizeof(float) * (size_t)YL));
    OK(cudnnRNNForwardTraining(dnn, net, T, xs, px, hd, ph, hd, pc, wd, pw, ys, py, hd, phy, hd, pcy, pws, work, prs,
                               reserve));
    down(got, py, YL);
    for (int i = 0; i < YL; ++i) NEAR(got[i], y[i], 1e-5);
    down(got, phy, SL);
    for (int i = 0; i < SL; ++i) NEAR(got[i], hy[i], 1e-5);
    if (n->mode == CUDNN_LSTM) {
        down(got, pcy, SL);
        for (int i = 0; i < SL; ++i) NEAR(got[i], cy[i], 1e-5);
    }
    OK(cudnnRNNBackwardData(dnn, net, T, ys, py, ys, pgy, hd, NULL, hd, NULL, wd, pw, hd, ph, hd, pc, xs, pgx, hd, pgh,
                            hd, pgc, pws, work, prs, reserve));
    OK(cudnnRNNBackwardWeights(dnn, net, T, xs, px, hd, ph, ys, py, pws, work, wd, pgw, prs, reserve));
    float gx[ROWS * I], gw[MOST], gh[MOST];
    down(gx, pgx, ROWS * I);
    down(gw, pgw, weights);
    down(gh, pgh, SL);
    const double e = 1e-5;
    static double up_[MOST], lo[MOST];
    for (int i = 0; i < ROWS * I; ++i) {
        float moved[ROWS * I];
        double slope = 0, step[2];
        for (int side = 0; side < 2; ++side) {
            memcpy(moved, x, sizeof x);
            moved[i] += side ? -1e-3f : 1e-3f;
            step[side] = moved[i];
            plain(n, moved, hx, cx, side ? lo : up_, hy, cy);
        }
        for (int k = 0; k < YL; ++k) slope += gy[k] * (up_[k] - lo[k]) / (step[0] - step[1]);
        NEAR(gx[i], slope, 1e-4);
    }
    for (int i = 0; i < SL; ++i) {
        float moved[MOST];
        double slope = 0;
        for (int side = 0; side < 2; ++side) {
            memcpy(moved, hx, sizeof hx);
            moved[i] += side ? -1e-3f : 1e-3f;
            plain(n, x, moved, cx, side ? lo : up_, hy, cy);
        }
        for (int k = 0; k < YL; ++k) slope += gy[k] * (up_[k] - lo[k]) / 2e-3;
        NEAR(gh[i], slope, 3e-4);
    }
    for (int l = 0; l < LAYERS; ++l)
        for (int d = 0; d < dirs; ++d)
            for (int id = 0; id < 2 * gates(n); ++id) {
                void *m = NULL, *b = NULL;
                int g = id % gates(n), of_h = id >= gates(n), width = of_h ? HID : inputs(n, l);
                OK(cudnnGetRNNLinLayerMatrixParams(dnn, net, l * dirs + d, xs[0], wd, pw, id, fd, &m));
                OK(cudnnGetRNNLinLayerBiasParams(dnn, net, l * dirs + d, xs[0], wd, pw, id, fd, &b));
                for (int k = 0; k < HID; ++k)
                    for (int i = 0; i <= width; ++i) {
                        double *v = i == width ? (of_h ? &BU[l][d][g][k] : &BW[l][d][g][k])
                                    : of_h     ? &U[l][d][g][k][i]
                                               : &W[l][d][g][k][i],
                               old = *v, slope = 0;
                        *v = old + e;
                        plain(n, x, hx, cx, up_, hy, cy);
                        *v = old - e;
                        plain(n, x, hx, cx, lo, hy, cy);
                        *v = old;
                        for (int q = 0; q < YL; ++q) slope += gy[q] * (up_[q] - lo[q]) / (2 * e);
                        NEAR(gw[i == width ? (float *)b - pw + k : (float *)m - pw + k * width + i], slope, 1e-4);
                    }
            }
    { /* padded: steps that a sequence does not have are 0 in y */
        cudnnRNNDataDescriptor_t xd, yd;
        float fill = 0, padded[T * B * I] = {0};
        for (int b = 0; b < B; ++b)
            for (int t = 0; t < LENGTHS[b]; ++t)
                for (int i = 0; i < I; ++i) padded[(t * B + b) * I + i] = x[row_of(t, b) * I + i];
        float *pp = up(padded, T * B * I), *pq = zeros(sizeof(float) * T * B * (size_t)(dirs * HID));
        OK(cudaMemset(pq, 0xff, sizeof(float) * T * B * (size_t)(dirs * HID)));
        OK(cudnnCreateRNNDataDescriptor(&xd));
        OK(cudnnCreateRNNDataDescriptor(&yd));
        OK(cudnnSetRNNDataDescriptor(xd, CUDNN_DATA_FLOAT, CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_UNPACKED, T, B, I, LENGTHS,
                                     &fill));
        OK(cudnnSetRNNDataDescriptor(yd, CUDNN_DATA_FLOAT, CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_UNPACKED, T, B, dirs * HID,
                                     LENGTHS, &fill));
        OK(cudnnSetRNNPaddingMode(net, CUDNN_RNN_PADDED_IO_ENABLED));
        cudnnTensorDescriptor_t full[T];
        for (int t = 0; t < T; ++t) full[t] = three(B, I, 1);
        OK(cudnnGetRNNWorkspaceSize(dnn, net, T, full, &work));
        OK(cudnnGetRNNTrainingReserveSize(dnn, net, T, full, &reserve));
        void *a = zeros(work), *r = zeros(reserve);
        OK(cudnnRNNForwardTrainingEx(dnn, net, xd, pp, hd, ph, hd, pc, wd, pw, yd, pq, hd, phy, hd, pcy, NULL, NULL,
                                     NULL, NULL, NULL, NULL, NULL, NULL, a, work, r, reserve));
        plain(n, x, hx, cx, y, hy, cy);
        down(got, pq, T * B * dirs * HID);
        for (int b = 0; b < B; ++b)
            for (int t = 0; t < T; ++t)
                for (int k = 0; k < dirs * HID; ++k)
                    NEAR(got[(t * B + b) * dirs * HID + k], t < LENGTHS[b] ? y[row_of(t, b) * dirs * HID + k] : 0,
                         1e-5);
        cudaFree(a);
        cudaFree(r);
        cudaFree(pp);
        cudaFree(pq);
        for (int t = 0; t < T; ++t) OK(cudnnDestroyTensorDescriptor(full[t]));
        OK(cudnnDestroyRNNDataDescriptor(xd));
        OK(cudnnDestroyRNNDataDescriptor(yd));
    }
    for (int t = 0; t < T; ++t) {
        OK(cudnnDestroyTensorDescriptor(xs[t]));
        OK(cudnnDestroyTensorDescriptor(ys[t]));
    }
    cudaFree(pws);
    cudaFree(prs);
    cudaFree(pgy);
    cudaFree(pgx);
    cudaFree(pgh);
    cudaFree(pgc);
    cudaFree(pgw);
    OK(cudnnDestroyFilterDescriptor(wd));
    OK(cudnnDestroyFilterDescriptor(fd));
#endif
    cudaFree(px);
    cudaFree(ph);
    cudaFree(pc);
    cudaFree(py);
    cudaFree(phy);
    cudaFree(pcy);
    cudaFree(pw);
    OK(cudnnDestroyTensorDescriptor(md));
    OK(cudnnDestroyTensorDescriptor(bd));
    OK(cudnnDestroyTensorDescriptor(hd));
    OK(cudnnDestroyRNNDescriptor(net));
    OK(cudnnDestroyDropoutDescriptor(drop));
}

int main(void)
{
    static const Net nets[] = {{CUDNN_LSTM, 0}, {CUDNN_LSTM, 1}, {CUDNN_GRU, 0}, {CUDNN_GRU, 1}};
    OK(cudnnCreate(&dnn));
    for (unsigned i = 0; i < sizeof nets / sizeof *nets; ++i) run(&nets[i]);
    OK(cudnnDestroy(dnn));
    return done();
}
