/* A network with dropout between its layers, also an LSTM with a projection or with bounds of its cells: each forward
 * pass in training draws another mask, a seed repeats them in order, and the gradients of x and of the weights are
 * those of finite differences under one mask. The weights' pass has a workspace of its own, and old gradients are added
 * to. In inference nothing drops out. Then what is refused, where weights lie, and what happens on a bound.
 * BUILD: cc -std=c11 -Wall -Wextra -Werror -pedantic -I"$HEADERS" "$SOURCE/recurrent.c" -L"$LIBS" -lcudnn -lcudart -lm -o recurrent
 * RUN: dragoman run -- ./recurrent
 */
#include <cuda_runtime_api.h>
#include <cudnn.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

#ifdef OF_DOUBLES
typedef double real;
#define REAL CUDNN_DATA_DOUBLE
#define STEP 1e-4
#define NEARNESS 1e-6
#else
typedef float real;
#define REAL CUDNN_DATA_FLOAT
#define STEP 0.01
#define NEARNESS 2e-3
#endif

enum { BATCH = 3, STEPS = 4, IN = 5, HIDDEN = 6, LAYERS = 3, SIDES = 2 };
enum { XS = STEPS * BATCH * IN, YS = STEPS * BATCH * HIDDEN * SIDES };

static const int lengths[BATCH] = {2, 4, 3};

typedef struct {
    cudnnHandle_t handle;
    cudnnDropoutDescriptor_t dropout;
    cudnnRNNDescriptor_t rnn;
    cudnnRNNDataDescriptor_t xd, yd;
    cudnnTensorDescriptor_t state, cell;
    void *states, *work, *other, *reserve;
    size_t state_bytes, work_bytes, reserve_bytes, weight_bytes;
    int weights, out;
    real *x, *y, *w, *dx, *dy, *dw;
} net;

static real *device(int count)
{
    real *to = NULL, *from = malloc((size_t)count * sizeof *from);
    int i;
    OK(cudaMalloc((void **)&to, (size_t)count * sizeof *to));
    for (i = 0; i < count; ++i) from[i] = (real)(i * 7 % 13 - 6) * 0.1f;
    OK(cudaMemcpy(to, from, (size_t)count * sizeof *to, cudaMemcpyHostToDevice));
    free(from);
    return to;
}

static void fetch(real *to, const real *from, int count)
{
    OK(cudaMemcpy(to, from, (size_t)count * sizeof *to, cudaMemcpyDeviceToHost));
}

static void seed(net *n)
{
    OK(cudnnSetDropoutDescriptor(n->dropout, n->handle, 0.5f, n->states, n->state_bytes, 11));
}

static void forward(net *n, real *y)
{
    OK(cudnnRNNForward(n->handle, n->rnn, CUDNN_FWD_MODE_TRAINING, NULL, n->xd, n->x, n->yd, n->y, n->state, NULL, NULL,
                       n->cell, NULL, NULL, n->weight_bytes, n->w, n->work_bytes, n->work, n->reserve_bytes,
                       n->reserve));
    memset(y, 0, YS * sizeof *y);
    fetch(y, n->y, STEPS * BATCH * n->out);
}

/* The sum of y·dy under the seed's first mask. */
static double loss(net *n, const real *dy)
{
    real y[YS];
    double sum = 0;
    int i;
    seed(n);
    forward(n, y);
    for (i = 0; i < STEPS * BATCH * n->out; ++i)
        if (i / n->out / BATCH < lengths[i / n->out % BATCH])
            sum += (double)y[i] * dy[i];
    return sum;
}

static void differ(net *n, real *there, int count, int step, const real *gradient, const real *dy)
{
    real *values = malloc((size_t)count * sizeof *values);
    int i;
    fetch(values, there, count);
    for (i = 0; i < count; i += step) {
        real old = values[i], moved[2];
        double sums[2];
        int k;
        if (there == n->x && i / IN / BATCH >= lengths[i / IN % BATCH])
            continue;
        moved[0] = old + (real)STEP, moved[1] = old - (real)STEP;
        for (k = 0; k < 2; ++k) {
            OK(cudaMemcpy(there + i, &moved[k], sizeof old, cudaMemcpyHostToDevice));
            sums[k] = loss(n, dy);
        }
        OK(cudaMemcpy(there + i, &old, sizeof old, cudaMemcpyHostToDevice));
        NEAR(gradient[i], (sums[0] - sums[1]) / (2 * STEP), NEARNESS);
    }
    free(values);
}

static void try_cell(net *n, cudnnRNNMode_t cell, int projected, double bound)
{
    const int hidden[3] = {LAYERS * SIDES, BATCH, HIDDEN}, hidden_strides[3] = {BATCH * HIDDEN, HIDDEN, 1};
    const int dim[3] = {LAYERS * SIDES, BATCH, projected}, stride[3] = {BATCH * projected, projected, 1};
    real y[2][3][YS], dy[YS], dx[XS], *dw, *old, fill = 0;
    size_t inference, nothing;
    int i, turn, k;
    OK(cudnnCreateRNNDescriptor(&n->rnn));
    OK(cudnnCreateRNNDataDescriptor(&n->xd));
    OK(cudnnCreateRNNDataDescriptor(&n->yd));
    OK(cudnnCreateTensorDescriptor(&n->state));
    OK(cudnnSetTensorNdDescriptor(n->state, REAL, 3, dim, stride));
    OK(cudnnCreateTensorDescriptor(&n->cell));
    OK(cudnnSetTensorNdDescriptor(n->cell, REAL, 3, hidden, hidden_strides));
    n->out = projected * SIDES;
    OK(cudnnSetRNNDescriptor_v8(n->rnn, CUDNN_RNN_ALGO_STANDARD, cell, CUDNN_RNN_DOUBLE_BIAS, CUDNN_BIDIRECTIONAL,
                                CUDNN_LINEAR_INPUT, REAL, REAL, CUDNN_DEFAULT_MATH, IN, HIDDEN, projected,
                                LAYERS, n->dropout, CUDNN_RNN_PADDED_IO_ENABLED));
    OK(cudnnRNNSetClip_v8(n->rnn, bound < 1 ? CUDNN_RNN_CLIP_MINMAX : CUDNN_RNN_CLIP_NONE, CUDNN_PROPAGATE_NAN, -bound,
                          bound));
    OK(cudnnSetRNNDataDescriptor(n->xd, REAL, CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_UNPACKED, STEPS, BATCH, IN, lengths,
                                 &fill));
    OK(cudnnSetRNNDataDescriptor(n->yd, REAL, CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_UNPACKED, STEPS, BATCH, n->out, lengths,
                                 &fill));
    OK(cudnnGetRNNWeightSpaceSize(n->handle, n->rnn, &n->weight_bytes));
    OK(cudnnGetRNNTempSpaceSizes(n->handle, n->rnn, CUDNN_FWD_MODE_INFERENCE, n->xd, &inference, &nothing));
    OK(cudnnGetRNNTempSpaceSizes(n->handle, n->rnn, CUDNN_FWD_MODE_TRAINING, n->xd, &n->work_bytes, &n->reserve_bytes));
    CHECK(inference <= n->work_bytes); /* who trains evaluates in the same workspace */
    n->weights = (int)(n->weight_bytes / sizeof(real));
    n->x = device(XS), n->y = device(YS), n->w = device(n->weights);
    n->dx = device(XS), n->dy = device(YS), n->dw = device(n->weights);
    OK(cudaMalloc(&n->work, n->work_bytes));
    OK(cudaMalloc(&n->other, n->work_bytes));
    OK(cudaMalloc(&n->reserve, n->reserve_bytes));
    fetch(dy, n->dy, YS);
    for (turn = 0; turn < 2; ++turn) {
        seed(n);
        for (k = 0; k < 3; ++k) {
            forward(n, y[turn][k]);
            for (i = 0; i < k; ++i) CHECK(memcmp(y[turn][i], y[turn][k], sizeof y[turn][k]) != 0);
        }
    }
    CHECK(memcmp(y[0], y[1], sizeof y[0]) == 0);
    for (k = 0; k < 2; ++k) {
        OK(cudnnRNNForward(n->handle, n->rnn, CUDNN_FWD_MODE_INFERENCE, NULL, n->xd, n->x, n->yd, n->y, n->state, NULL,
                           NULL, n->cell, NULL, NULL, n->weight_bytes, n->w, n->work_bytes, n->work, 0, NULL));
        memset(y[k][0], 0, sizeof y[k][0]);
        fetch(y[k][0], n->y, STEPS * BATCH * n->out);
    }
    CHECK(memcmp(y[0][0], y[1][0], sizeof y[0][0]) == 0);
    CHECK(memcmp(y[0][0], y[0][1], sizeof y[0][0]) != 0);
    dw = malloc(n->weight_bytes);
    old = malloc(n->weight_bytes);
    fetch(old, n->dw, n->weights);
    loss(n, dy);
    OK(cudnnRNNBackwardData_v8(n->handle, n->rnn, NULL, n->yd, n->y, n->dy, n->xd, n->dx, n->state, NULL, NULL, NULL,
                               n->cell, NULL, NULL, NULL, n->weight_bytes, n->w, n->work_bytes, n->work,
                               n->reserve_bytes, n->reserve));
    OK(cudnnRNNBackwardWeights_v8(n->handle, n->rnn, CUDNN_WGRAD_MODE_ADD, NULL, n->xd, n->x, n->state, NULL, n->yd,
                                  n->y, n->weight_bytes, n->dw, n->work_bytes, n->other, n->reserve_bytes, n->reserve));
    fetch(dx, n->dx, XS);
    fetch(dw, n->dw, n->weights);
    for (i = 0; i < n->weights; ++i) dw[i] -= old[i];
    differ(n, n->x, XS, 3, dx, dy);
    differ(n, n->w, n->weights, 17, dw, dy);
    free(dw), free(old);
    cudaFree(n->x), cudaFree(n->y), cudaFree(n->w), cudaFree(n->dx), cudaFree(n->dy), cudaFree(n->dw);
    cudaFree(n->work), cudaFree(n->other), cudaFree(n->reserve);
    OK(cudnnDestroyRNNDescriptor(n->rnn));
    OK(cudnnDestroyRNNDataDescriptor(n->xd));
    OK(cudnnDestroyRNNDataDescriptor(n->yd));
    OK(cudnnDestroyTensorDescriptor(n->state));
    OK(cudnnDestroyTensorDescriptor(n->cell));
}

static cudnnStatus_t set(cudnnRNNDescriptor_t rnn, cudnnRNNAlgo_t algo, cudnnRNNMode_t cell, cudnnDataType_t type,
                         int projected) {
    return cudnnSetRNNDescriptor_v8(rnn, algo, cell, CUDNN_RNN_DOUBLE_BIAS, CUDNN_BIDIRECTIONAL, CUDNN_LINEAR_INPUT,
                                    type, type, CUDNN_DEFAULT_MATH, IN, HIDDEN, projected, 2, NULL,
                                    CUDNN_RNN_PADDED_IO_ENABLED);
}

/* What an H200 refuses (cuDNN 9.19), and where weights lie: in the same places where bounds of the cells are
 * set later. */
static void try_forms(cudnnHandle_t handle)
{
    cudnnRNNDescriptor_t rnn;
    cudnnTensorDescriptor_t matrix, bias;
    char *space = NULL;
    void *there[2][2][32];
    size_t bytes[2];
    int turn, layer, gate;
    OK(cudnnCreateRNNDescriptor(&rnn));
    OK(cudnnCreateTensorDescriptor(&matrix));
    OK(cudnnCreateTensorDescriptor(&bias));
    CHECK(set(rnn, CUDNN_RNN_ALGO_STANDARD, CUDNN_GRU, CUDNN_DATA_FLOAT, 3) == CUDNN_STATUS_NOT_SUPPORTED);
    CHECK(set(rnn, CUDNN_RNN_ALGO_STANDARD, CUDNN_LSTM, CUDNN_DATA_FLOAT, HIDDEN + 1) == CUDNN_STATUS_NOT_SUPPORTED);
    CHECK(set(rnn, CUDNN_RNN_ALGO_PERSIST_STATIC, CUDNN_LSTM, CUDNN_DATA_FLOAT, 3) == CUDNN_STATUS_NOT_SUPPORTED);
    CHECK(set(rnn, CUDNN_RNN_ALGO_PERSIST_DYNAMIC, CUDNN_LSTM, CUDNN_DATA_FLOAT, 3) == CUDNN_STATUS_NOT_SUPPORTED);
    CHECK(set(rnn, CUDNN_RNN_ALGO_PERSIST_STATIC, CUDNN_LSTM, CUDNN_DATA_DOUBLE, HIDDEN) == CUDNN_STATUS_NOT_SUPPORTED);
    CHECK(set(rnn, CUDNN_RNN_ALGO_STANDARD, CUDNN_LSTM, CUDNN_DATA_FLOAT, 0) == CUDNN_STATUS_BAD_PARAM);
    OK(set(rnn, CUDNN_RNN_ALGO_STANDARD, CUDNN_LSTM, CUDNN_DATA_FLOAT, HIDDEN));
    for (turn = 0; turn < 2; ++turn) {
        OK(cudnnRNNSetClip_v8(rnn, turn ? CUDNN_RNN_CLIP_MINMAX : CUDNN_RNN_CLIP_NONE, CUDNN_PROPAGATE_NAN, -1, 1));
        OK(cudnnGetRNNWeightSpaceSize(handle, rnn, &bytes[turn]));
        if (space == NULL)
            OK(cudaMalloc((void **)&space, bytes[0]));
        for (layer = 0; layer < 4; ++layer)
            for (gate = 0; gate < 8; ++gate)
                OK(cudnnGetRNNWeightParams(handle, rnn, layer, bytes[turn], space, gate, matrix,
                                           &there[turn][0][layer * 8 + gate], bias, &there[turn][1][layer * 8 + gate]));
        OK(cudnnGetRNNWeightParams(handle, rnn, 0, bytes[turn], space, 8, matrix, &there[turn][0][0], bias,
                                   &there[turn][1][0]));
        CHECK(there[turn][0][0] == NULL && there[turn][1][0] == NULL);
        CHECK(cudnnGetRNNWeightParams(handle, rnn, 0, bytes[turn], space, 9, matrix, &there[turn][0][0], bias,
                                      &there[turn][1][0]) == CUDNN_STATUS_BAD_PARAM);
    }
    CHECK(bytes[0] == bytes[1]);
    CHECK(memcmp(there[0], there[1], sizeof there[0]) == 0);
    OK(cudaFree(space));
    OK(cudnnDestroyTensorDescriptor(matrix));
    OK(cudnnDestroyTensorDescriptor(bias));
    OK(cudnnDestroyRNNDescriptor(rnn));
}

/* One cell whose gates are all 1/2 and whose candidate is 0, within -1/4 and 1/2: the last cell and the
 * gradient of the first. */
static void try_bound(cudnnHandle_t handle, cudnnNanPropagation_t nan, real first, real *last, real *gradient)
{
    static const int dim[3] = {1, 1, 1}, one = 1;
    cudnnRNNDescriptor_t rnn;
    cudnnRNNDataDescriptor_t rows;
    cudnnTensorDescriptor_t state;
    size_t bytes[3];
    void *memory[3];
    real *x = device(1), *dy = device(1), *cells = device(2), fill = 0;
    int i;
    OK(cudaMemcpy(cells, &first, sizeof first, cudaMemcpyHostToDevice));
    OK(cudnnCreateRNNDescriptor(&rnn));
    OK(cudnnCreateRNNDataDescriptor(&rows));
    OK(cudnnCreateTensorDescriptor(&state));
    OK(cudnnSetTensorNdDescriptor(state, REAL, 3, dim, dim));
    OK(cudnnSetRNNDescriptor_v8(rnn, CUDNN_RNN_ALGO_STANDARD, CUDNN_LSTM, CUDNN_RNN_DOUBLE_BIAS, CUDNN_UNIDIRECTIONAL,
                                CUDNN_LINEAR_INPUT, REAL, REAL, CUDNN_DEFAULT_MATH, 1, 1, 1, 1, NULL,
                                CUDNN_RNN_PADDED_IO_ENABLED));
    OK(cudnnRNNSetClip_v8(rnn, CUDNN_RNN_CLIP_MINMAX, nan, -0.25, 0.5));
    OK(cudnnSetRNNDataDescriptor(rows, REAL, CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_UNPACKED, 1, 1, 1, &one, &fill));
    OK(cudnnGetRNNWeightSpaceSize(handle, rnn, &bytes[0]));
    OK(cudnnGetRNNTempSpaceSizes(handle, rnn, CUDNN_FWD_MODE_TRAINING, rows, &bytes[1], &bytes[2]));
    for (i = 0; i < 3; ++i) OK(cudaMalloc(&memory[i], bytes[i]));
    OK(cudaMemset(memory[0], 0, bytes[0]));
    OK(cudnnRNNForward(handle, rnn, CUDNN_FWD_MODE_TRAINING, NULL, rows, x, rows, x, state, NULL, NULL, state, cells,
                       cells + 1, bytes[0], memory[0], bytes[1], memory[1], bytes[2], memory[2]));
    fetch(last, cells + 1, 1);
    OK(cudnnRNNBackwardData_v8(handle, rnn, NULL, rows, x, dy, rows, x, state, NULL, NULL, NULL, state, cells, NULL,
                               cells + 1, bytes[0], memory[0], bytes[1], memory[1], bytes[2], memory[2]));
    fetch(gradient, cells + 1, 1);
    for (i = 0; i < 3; ++i) OK(cudaFree(memory[i]));
    cudaFree(x), cudaFree(dy), cudaFree(cells);
    OK(cudnnDestroyTensorDescriptor(state));
    OK(cudnnDestroyRNNDataDescriptor(rows));
    OK(cudnnDestroyRNNDescriptor(rnn));
}

/* As an H200 does it: gradients pass on a bound; a NaN stays, or counts as the lower bound and lets the
 * gradient pass. */
static void try_bounds(cudnnHandle_t handle)
{
    real last, gradient;
    try_bound(handle, CUDNN_PROPAGATE_NAN, 0.75f, &last, &gradient);
    NEAR(last, 0.25, 1e-6);
    CHECK(gradient == 0);
    try_bound(handle, CUDNN_PROPAGATE_NAN, 0.5f, &last, &gradient);
    NEAR(last, 0.25, 1e-6);
    CHECK(gradient != 0);
    try_bound(handle, CUDNN_PROPAGATE_NAN, -0.25f, &last, &gradient);
    NEAR(last, -0.125, 1e-6);
    CHECK(gradient != 0);
    try_bound(handle, CUDNN_NOT_PROPAGATE_NAN, NAN, &last, &gradient);
    NEAR(last, -0.125, 1e-6);
    CHECK(gradient != 0 && gradient == gradient);
    try_bound(handle, CUDNN_PROPAGATE_NAN, NAN, &last, &gradient);
    CHECK(last != last && gradient != gradient);
}

int main(void)
{
    net n;
    memset(&n, 0, sizeof n);
    OK(cudnnCreate(&n.handle));
    OK(cudnnCreateDropoutDescriptor(&n.dropout));
    OK(cudnnDropoutGetStatesSize(n.handle, &n.state_bytes));
    OK(cudaMalloc(&n.states, n.state_bytes));
    seed(&n);
    try_cell(&n, CUDNN_RNN_TANH, HIDDEN, 1);
    try_cell(&n, CUDNN_LSTM, HIDDEN, 1);
    try_cell(&n, CUDNN_GRU, HIDDEN, 1);
    try_cell(&n, CUDNN_LSTM, HIDDEN - 2, 1);
    try_cell(&n, CUDNN_LSTM, HIDDEN, 0.125);
    try_forms(n.handle);
    try_bounds(n.handle);
    OK(cudnnDestroyDropoutDescriptor(n.dropout));
    OK(cudaFree(n.states));
    OK(cudnnDestroy(n.handle));
    return done();
}
