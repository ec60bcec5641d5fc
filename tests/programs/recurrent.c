/* A network with dropout between its layers, also an LSTM with a projection or with bounds of its cells: each forward pass in training draws another mask, a seed repeats them in order, and
 * the gradients of x and of the weights are those of finite differences under one mask. The weights' pass has a workspace of its
 * own, and old gradients are added to. In inference nothing drops out.
 * BUILD: cc -std=c11 -Wall -Wextra -Werror -pedantic -I"$HEADERS" "$SOURCE/recurrent.c" -L"$LIBS" -lcudnn -lcudart -lm -o recurrent
 * RUN: dragoman run -- ./recurrent
 */
#include <cuda_runtime_api.h>
#include <cudnn.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

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
    float *x, *y, *w, *dx, *dy, *dw;
} net;

static float *device(int count)
{
    float *to = NULL, *from = malloc((size_t)count * sizeof *from);
    int i;
    OK(cudaMalloc((void **)&to, (size_t)count * sizeof *to));
    for (i = 0; i < count; ++i) from[i] = (float)(i * 7 % 13 - 6) * 0.1f;
    OK(cudaMemcpy(to, from, (size_t)count * sizeof *to, cudaMemcpyHostToDevice));
    free(from);
    return to;
}

static void fetch(float *to, const float *from, int count)
{
    OK(cudaMemcpy(to, from, (size_t)count * sizeof *to, cudaMemcpyDeviceToHost));
}

static void seed(net *n)
{
    OK(cudnnSetDropoutDescriptor(n->dropout, n->handle, 0.5f, n->states, n->state_bytes, 11));
}

static void forward(net *n, float *y)
{
    OK(cudnnRNNForward(n->handle, n->rnn, CUDNN_FWD_MODE_TRAINING, NULL, n->xd, n->x, n->yd, n->y, n->state, NULL, NULL, n->cell,
                       NULL, NULL, n->weight_bytes, n->w, n->work_bytes, n->work, n->reserve_bytes, n->reserve));
    memset(y, 0, YS * sizeof *y);
    fetch(y, n->y, STEPS * BATCH * n->out);
}

/* The sum of y·dy under the seed's first mask. */
static double loss(net *n, const float *dy)
{
    float y[YS];
    double sum = 0;
    int i;
    seed(n);
    forward(n, y);
    for (i = 0; i < STEPS * BATCH * n->out; ++i)
        if (i / n->out / BATCH < lengths[i / n->out % BATCH])
            sum += (double)y[i] * dy[i];
    return sum;
}

static void differ(net *n, float *there, int count, int step, const float *gradient, const float *dy)
{
    float *values = malloc((size_t)count * sizeof *values);
    int i;
    fetch(values, there, count);
    for (i = 0; i < count; i += step) {
        float old = values[i], moved[2];
        double sums[2];
        int k;
        if (there == n->x && i / IN / BATCH >= lengths[i / IN % BATCH])
            continue;
        moved[0] = old + 0.01f, moved[1] = old - 0.01f;
        for (k = 0; k < 2; ++k) {
            OK(cudaMemcpy(there + i, &moved[k], sizeof old, cudaMemcpyHostToDevice));
            sums[k] = loss(n, dy);
        }
        OK(cudaMemcpy(there + i, &old, sizeof old, cudaMemcpyHostToDevice));
        NEAR(gradient[i], (sums[0] - sums[1]) / 0.02, 2e-3);
    }
    free(values);
}

static void try_cell(net *n, cudnnRNNMode_t cell, int projected, double bound)
{
    const int hidden[3] = {LAYERS * SIDES, BATCH, HIDDEN}, hidden_strides[3] = {BATCH * HIDDEN, HIDDEN, 1};
    const int dim[3] = {LAYERS * SIDES, BATCH, projected}, stride[3] = {BATCH * projected, projected, 1};
    float y[2][3][YS], dy[YS], dx[XS], *dw, *old, fill = 0;
    size_t inference, nothing;
    int i, turn, k;
    OK(cudnnCreateRNNDescriptor(&n->rnn));
    OK(cudnnCreateRNNDataDescriptor(&n->xd));
    OK(cudnnCreateRNNDataDescriptor(&n->yd));
    OK(cudnnCreateTensorDescriptor(&n->state));
    OK(cudnnSetTensorNdDescriptor(n->state, CUDNN_DATA_FLOAT, 3, dim, stride));
    OK(cudnnCreateTensorDescriptor(&n->cell));
    OK(cudnnSetTensorNdDescriptor(n->cell, CUDNN_DATA_FLOAT, 3, hidden, hidden_strides));
    n->out = projected * SIDES;
    OK(cudnnSetRNNDescriptor_v8(n->rnn, CUDNN_RNN_ALGO_STANDARD, cell, CUDNN_RNN_DOUBLE_BIAS, CUDNN_BIDIRECTIONAL,
                                CUDNN_LINEAR_INPUT, CUDNN_DATA_FLOAT, CUDNN_DATA_FLOAT, CUDNN_DEFAULT_MATH, IN, HIDDEN, projected,
                                LAYERS, n->dropout, CUDNN_RNN_PADDED_IO_ENABLED));
    OK(cudnnRNNSetClip_v8(n->rnn, bound < 1 ? CUDNN_RNN_CLIP_MINMAX : CUDNN_RNN_CLIP_NONE, CUDNN_PROPAGATE_NAN, -bound, bound));
    OK(cudnnSetRNNDataDescriptor(n->xd, CUDNN_DATA_FLOAT, CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_UNPACKED, STEPS, BATCH, IN, lengths,
                                 &fill));
    OK(cudnnSetRNNDataDescriptor(n->yd, CUDNN_DATA_FLOAT, CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_UNPACKED, STEPS, BATCH, n->out, lengths,
                                 &fill));
    OK(cudnnGetRNNWeightSpaceSize(n->handle, n->rnn, &n->weight_bytes));
    OK(cudnnGetRNNTempSpaceSizes(n->handle, n->rnn, CUDNN_FWD_MODE_INFERENCE, n->xd, &inference, &nothing));
    OK(cudnnGetRNNTempSpaceSizes(n->handle, n->rnn, CUDNN_FWD_MODE_TRAINING, n->xd, &n->work_bytes, &n->reserve_bytes));
    if (inference > n->work_bytes)
        n->work_bytes = inference;
    n->weights = (int)(n->weight_bytes / sizeof(float));
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
        OK(cudnnRNNForward(n->handle, n->rnn, CUDNN_FWD_MODE_INFERENCE, NULL, n->xd, n->x, n->yd, n->y, n->state, NULL, NULL,
                           n->cell, NULL, NULL, n->weight_bytes, n->w, n->work_bytes, n->work, 0, NULL));
        memset(y[k][0], 0, sizeof y[k][0]);
        fetch(y[k][0], n->y, STEPS * BATCH * n->out);
    }
    CHECK(memcmp(y[0][0], y[1][0], sizeof y[0][0]) == 0);
    CHECK(memcmp(y[0][0], y[0][1], sizeof y[0][0]) != 0);
    dw = malloc(n->weight_bytes);
    old = malloc(n->weight_bytes);
    fetch(old, n->dw, n->weights);
    loss(n, dy);
    OK(cudnnRNNBackwardData_v8(n->handle, n->rnn, NULL, n->yd, n->y, n->dy, n->xd, n->dx, n->state, NULL, NULL, NULL, n->cell,
                               NULL, NULL, NULL, n->weight_bytes, n->w, n->work_bytes, n->work, n->reserve_bytes, n->reserve));
    OK(cudnnRNNBackwardWeights_v8(n->handle, n->rnn, CUDNN_WGRAD_MODE_ADD, NULL, n->xd, n->x, n->state, NULL, n->yd, n->y,
                                  n->weight_bytes, n->dw, n->work_bytes, n->other, n->reserve_bytes, n->reserve));
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
    OK(cudnnDestroyDropoutDescriptor(n.dropout));
    OK(cudaFree(n.states));
    OK(cudnnDestroy(n.handle));
    return done();
}
