/* cuDNN 8's oldest calls, which 9 has no more: objects of algorithms and of how they performed, and networks over
 * padded sequences by the Ex calls, whose padding is filled, whose last states are those of each sequence's last step,
 * and whose inference gives what training gave.
 * BUILD: cc -std=c11 -Wall -Wextra -Werror -pedantic -Wno-deprecated-declarations -I"$HEADERS" "$SOURCE/algorithms.c" -L"$LIBS" -lcudnn -lcudart -lm -o algorithms
 * RUN: dragoman run -- ./algorithms
 */
#include <cuda_runtime_api.h>
#include <cudnn.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

#if CUDNN_MAJOR < 9

enum { STEPS = 4, BATCH = 3, INPUT = 2, HIDDEN = 3, XS = STEPS * BATCH * INPUT, YS = STEPS * BATCH * HIDDEN };
enum { STATES = BATCH * HIDDEN, MOST = 400 };
static const int lengths[BATCH] = {4, 2, 1};
static const float padding = -5;

static float *device(int count)
{
    void *memory = NULL;
    OK(cudaMalloc(&memory, count * sizeof(float)));
    OK(cudaMemset(memory, 0, count * sizeof(float)));
    return memory;
}

static float *filled(int count)
{
    float values[MOST], *memory = device(count);
    int i;
    for (i = 0; i < count; ++i) values[i] = (float)((i * 37 + 11) % 41 - 20) / 20;
    OK(cudaMemcpy(memory, values, count * sizeof(float), cudaMemcpyHostToDevice));
    return memory;
}

static void fetch(float *to, const float *from, int count)
{
    OK(cudaDeviceSynchronize());
    OK(cudaMemcpy(to, from, count * sizeof(float), cudaMemcpyDeviceToHost));
}

static void objects(cudnnHandle_t handle)
{
    cudnnAlgorithmDescriptor_t set, copy, got = NULL;
    cudnnAlgorithmPerformance_t performance[2];
    cudnnAlgorithm_t algorithm, read;
    cudnnStatus_t status = CUDNN_STATUS_BAD_PARAM;
    float milliseconds = 0;
    size_t bytes = 0;
    void *stored;
    memset(&algorithm, 0, sizeof algorithm);
    algorithm.algo.convFwdAlgo = CUDNN_CONVOLUTION_FWD_ALGO_FFT;
    OK(cudnnCreateAlgorithmDescriptor(&set));
    OK(cudnnCreateAlgorithmDescriptor(&copy));
    OK(cudnnSetAlgorithmDescriptor(set, algorithm));
    OK(cudnnCopyAlgorithmDescriptor(set, copy));
    OK(cudnnGetAlgorithmDescriptor(copy, &read));
    CHECK(read.algo.convFwdAlgo == CUDNN_CONVOLUTION_FWD_ALGO_FFT);
    OK(cudnnGetAlgorithmSpaceSize(handle, set, &bytes));
    stored = malloc(bytes + 1);
    OK(cudnnSaveAlgorithm(handle, set, stored, bytes));
    OK(cudnnRestoreAlgorithm(handle, stored, bytes, copy));
    OK(cudnnGetAlgorithmDescriptor(copy, &read));
    CHECK(read.algo.convFwdAlgo == CUDNN_CONVOLUTION_FWD_ALGO_FFT);
    free(stored);

    OK(cudnnCreateAlgorithmPerformance(performance, 2));
    GIVES(CUDNN_STATUS_BAD_PARAM, cudnnGetAlgorithmPerformance(performance[1], &got, &status, &milliseconds, &bytes));
    OK(cudnnSetAlgorithmPerformance(performance[0], set, CUDNN_STATUS_SUCCESS, 1.5f, 77));
    OK(cudnnGetAlgorithmPerformance(performance[0], &got, &status, &milliseconds, &bytes)); /* the one that was set */
    CHECK(status == CUDNN_STATUS_SUCCESS && milliseconds == 1.5f && bytes == 77);
    memset(&read, 0, sizeof read);
    OK(cudnnGetAlgorithmDescriptor(got, &read));
    CHECK(read.algo.convFwdAlgo == CUDNN_CONVOLUTION_FWD_ALGO_FFT);
    OK(cudnnDestroyAlgorithmPerformance(performance, 2));
    OK(cudnnDestroyAlgorithmDescriptor(set));
    OK(cudnnDestroyAlgorithmDescriptor(copy));
}

static void padded(cudnnHandle_t handle, cudnnRNNMode_t cell)
{
    cudnnRNNDescriptor_t rnn;
    cudnnDropoutDescriptor_t dropout;
    cudnnRNNDataDescriptor_t xd, yd;
    cudnnRNNPaddingMode_t mode;
    cudnnTensorDescriptor_t step[STEPS], states;
    cudnnFilterDescriptor_t weights;
    const int x_dim[3] = {BATCH, INPUT, 1}, x_stride[3] = {INPUT, 1, 1};
    const int h_dim[3] = {1, BATCH, HIDDEN}, h_stride[3] = {BATCH * HIDDEN, HIDDEN, 1};
    int w_dim[3] = {1, 1, 1}, b, t, k;
    size_t bytes, work_bytes, reserve_bytes;
    float y[YS], again[YS], last[STATES], fill = padding;
    float *w, *dw, *x = filled(XS), *dx = device(XS), *py = device(YS), *hy = device(STATES);
    void *work, *reserve;
    OK(cudnnCreateRNNDescriptor(&rnn));
    OK(cudnnCreateDropoutDescriptor(&dropout));
    OK(cudnnSetDropoutDescriptor(dropout, handle, 0, NULL, 0, 0));
    OK(cudnnSetRNNDescriptor_v6(handle, rnn, HIDDEN, 1, dropout, CUDNN_LINEAR_INPUT, CUDNN_UNIDIRECTIONAL, cell,
                                CUDNN_RNN_ALGO_STANDARD, CUDNN_DATA_FLOAT));
    OK(cudnnSetRNNPaddingMode(rnn, CUDNN_RNN_PADDED_IO_ENABLED));
    OK(cudnnGetRNNPaddingMode(rnn, &mode));
    CHECK(mode == CUDNN_RNN_PADDED_IO_ENABLED);
    OK(cudnnCreateRNNDataDescriptor(&xd));
    OK(cudnnCreateRNNDataDescriptor(&yd));
    OK(cudnnSetRNNDataDescriptor(xd, CUDNN_DATA_FLOAT, CUDNN_RNN_DATA_LAYOUT_BATCH_MAJOR_UNPACKED, STEPS, BATCH, INPUT,
                                 lengths, &fill));
    OK(cudnnSetRNNDataDescriptor(yd, CUDNN_DATA_FLOAT, CUDNN_RNN_DATA_LAYOUT_BATCH_MAJOR_UNPACKED, STEPS, BATCH, HIDDEN,
                                 lengths, &fill));
    for (t = 0; t < STEPS; ++t) {
        OK(cudnnCreateTensorDescriptor(&step[t]));
        OK(cudnnSetTensorNdDescriptor(step[t], CUDNN_DATA_FLOAT, 3, x_dim, x_stride));
    }
    OK(cudnnCreateTensorDescriptor(&states));
    OK(cudnnSetTensorNdDescriptor(states, CUDNN_DATA_FLOAT, 3, h_dim, h_stride));
    OK(cudnnGetRNNParamsSize(handle, rnn, step[0], &bytes, CUDNN_DATA_FLOAT));
    OK(cudnnGetRNNWorkspaceSize(handle, rnn, STEPS, step, &work_bytes));
    OK(cudnnGetRNNTrainingReserveSize(handle, rnn, STEPS, step, &reserve_bytes));
    w_dim[0] = (int)(bytes / sizeof(float));
    OK(cudnnCreateFilterDescriptor(&weights));
    OK(cudnnSetFilterNdDescriptor(weights, CUDNN_DATA_FLOAT, CUDNN_TENSOR_NCHW, 3, w_dim));
    w = filled(w_dim[0]), dw = device(w_dim[0]);
    OK(cudaMalloc(&work, work_bytes));
    OK(cudaMalloc(&reserve, reserve_bytes));

    OK(cudnnRNNForwardTrainingEx(handle, rnn, xd, x, states, NULL, states, NULL, weights, w, yd, py, states, hy, states,
                                 NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, work, work_bytes, reserve,
                                 reserve_bytes));
    fetch(y, py, YS);
    fetch(last, hy, STATES);
    for (b = 0; b < BATCH; ++b)
        for (t = 0; t < STEPS; ++t)
            for (k = 0; k < HIDDEN; ++k) {
                float is = y[(b * STEPS + t) * HIDDEN + k];
                if (t >= lengths[b]) CHECK(is == padding);
                if (t == lengths[b] - 1) CHECK(is == last[b * HIDDEN + k]);
            }
    OK(cudnnRNNBackwardDataEx(handle, rnn, yd, py, yd, py, NULL, NULL, states, NULL, states, NULL, weights, w, states,
                              NULL, states, NULL, xd, dx, states, NULL, states, NULL, NULL, NULL, work, work_bytes,
                              reserve, reserve_bytes));
    OK(cudnnRNNBackwardWeightsEx(handle, rnn, xd, x, states, NULL, yd, py, work, work_bytes, weights, dw, reserve,
                                 reserve_bytes));
    OK(cudnnRNNForwardInferenceEx(handle, rnn, xd, x, states, NULL, states, NULL, weights, w, yd, py, states, NULL,
                                  states, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, work, work_bytes));
    fetch(again, py, YS);
    for (k = 0; k < YS; ++k) NEAR(again[k], y[k], 1e-6);

    OK(cudaFree(work));
    OK(cudaFree(reserve));
    OK(cudaFree(w));
    OK(cudaFree(dw));
    OK(cudaFree(x));
    OK(cudaFree(dx));
    OK(cudaFree(py));
    OK(cudaFree(hy));
    for (t = 0; t < STEPS; ++t) OK(cudnnDestroyTensorDescriptor(step[t]));
    OK(cudnnDestroyTensorDescriptor(states));
    OK(cudnnDestroyFilterDescriptor(weights));
    OK(cudnnDestroyRNNDataDescriptor(xd));
    OK(cudnnDestroyRNNDataDescriptor(yd));
    OK(cudnnDestroyDropoutDescriptor(dropout));
    OK(cudnnDestroyRNNDescriptor(rnn));
}

int main(void)
{
    cudnnHandle_t handle;
    OK(cudnnCreate(&handle));
    objects(handle);
    padded(handle, CUDNN_RNN_RELU);
    padded(handle, CUDNN_RNN_TANH);
    padded(handle, CUDNN_LSTM);
    padded(handle, CUDNN_GRU);
    OK(cudnnDestroy(handle));
    return done();
}

#else

int main(void)
{
    return done();
}

#endif
