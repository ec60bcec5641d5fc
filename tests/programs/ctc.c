/* CTC losses against the sum over all alignments: labels on the host and on the device, tensors with gaps and in
 * another order, labels that are empty or too long for their steps, losses without gradients.
 * BUILD: cc -std=c11 -Wall -Wextra -Werror -pedantic -I"$HEADERS" "$SOURCE/ctc.c" -L"$LIBS" -lcudnn -lcudart -lm -o ctc
 * RUN: dragoman run -- ./ctc
 */
#include <cuda_runtime_api.h>
#include <cudnn.h>
#include <string.h>

#include "check.h"

enum { STEPS = 6, BATCH = 6, SYMBOLS = 4, LONGEST = 4, SPACE = 500 };

/* a repeat, no label, one symbol, one that its steps cannot hold, one that just fits, one without steps */
static const int labels[] = {1, 1, 2, 3, 2, 2, 2, 3, 1, 2, 3, 1};
static const int label_lengths[BATCH] = {3, 0, 1, 3, 4, 1}, input_lengths[BATCH] = {6, 5, 2, 4, 4, 0};
static double x[STEPS][SYMBOLS]; /* of the sequence in question */

static int softmax_applied;

/* -log of the probability of a label. */
static double define(const int *label, int length, int steps)
{
    double alpha[2 * LONGEST + 1] = {0}, p[SYMBOLS], sum;
    int t, s, c, count = 2 * length + 1;
    for (t = 0; t < steps; ++t) {
        for (sum = 0, c = 0; c < SYMBOLS; ++c) sum += p[c] = softmax_applied ? exp(x[t][c]) : x[t][c];
        for (c = 0; c < SYMBOLS; ++c) p[c] /= softmax_applied ? sum : 1;
        for (s = count - 1; s >= 0; --s) {
            int symbol = s % 2 ? label[s / 2] : 0;
            double before = t == 0 ? (s < 2 ? 1 : 0) : alpha[s];
            if (t > 0 && s > 0) before += alpha[s - 1];
            if (t > 0 && s > 1 && s % 2 && label[s / 2] != label[s / 2 - 1]) before += alpha[s - 2];
            alpha[s] = before * p[symbol];
        }
    }
    return -log(alpha[count - 1] + (count > 1 ? alpha[count - 2] : 0));
}

static void *device(const void *from, size_t bytes)
{
    void *to = NULL;
    OK(cudaMalloc(&to, bytes));
    OK(cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice));
    return to;
}

static void try(cudnnHandle_t handle, int softmax, int on_device, const int *p_stride, const int *g_stride,
                int gradients) {
    static const int dims[3] = {STEPS, BATCH, SYMBOLS};
    float probs[SPACE], grads[SPACE], costs[BATCH];
    cudnnTensorDescriptor_t pd, gd;
    cudnnCTCLossDescriptor_t loss;
    cudnnCTCLossAlgo_t algorithm =
        on_device ? CUDNN_CTC_LOSS_ALGO_DETERMINISTIC : CUDNN_CTC_LOSS_ALGO_NON_DETERMINISTIC;
    float *probs_there, *grads_there, *costs_there;
    void *work, *labels_there, *lengths_there, *inputs_there;
    size_t bytes = 0;
    int t, n, c;
    const int *label = labels;
    unsigned seed = 7;
    softmax_applied = softmax;
    for (t = 0; t < SPACE; ++t) {
        seed = seed * 1103515245u + 12345u;
        probs[t] = (float)((seed >> 16 & 0x3ff) + 1) / 1025 * (softmax ? 3 : 0.9f);
        grads[t] = 77;
    }
    OK(cudnnCreateTensorDescriptor(&pd));
    OK(cudnnCreateTensorDescriptor(&gd));
    OK(cudnnSetTensorNdDescriptor(pd, CUDNN_DATA_FLOAT, 3, dims, p_stride));
    OK(cudnnSetTensorNdDescriptor(gd, CUDNN_DATA_FLOAT, 3, dims, g_stride));
    OK(cudnnCreateCTCLossDescriptor(&loss));
    OK(cudnnSetCTCLossDescriptor_v8(loss, CUDNN_DATA_FLOAT,
                                    softmax ? CUDNN_LOSS_NORMALIZATION_SOFTMAX : CUDNN_LOSS_NORMALIZATION_NONE,
                                    CUDNN_NOT_PROPAGATE_NAN, LONGEST));
    probs_there = device(probs, sizeof probs);
    grads_there = device(grads, sizeof grads);
    costs_there = device(grads, sizeof costs);
    labels_there = device(labels, sizeof labels);
    lengths_there = device(label_lengths, sizeof label_lengths);
    inputs_there = device(input_lengths, sizeof input_lengths);
    if (on_device)
        OK(cudnnGetCTCLossWorkspaceSize_v8(handle, algorithm, loss, pd, gd, &bytes));
    else
        OK(cudnnGetCTCLossWorkspaceSize(handle, pd, gd, labels, label_lengths, input_lengths, algorithm, loss, &bytes));
    OK(cudaMalloc(&work, bytes));
    if (on_device)
        OK(cudnnCTCLoss_v8(handle, algorithm, loss, pd, probs_there, labels_there, lengths_there, inputs_there,
                           costs_there, gd, gradients ? grads_there : NULL, bytes, work));
    else
        OK(cudnnCTCLoss(handle, pd, probs_there, labels, label_lengths, input_lengths, costs_there, gd,
                        gradients ? grads_there : NULL, algorithm, loss, work, bytes));
    OK(cudaMemcpy(costs, costs_there, sizeof costs, cudaMemcpyDeviceToHost));
    OK(cudaMemcpy(grads, grads_there, sizeof grads, cudaMemcpyDeviceToHost));
    for (n = 0; n < BATCH; label += label_lengths[n++]) {
        int possible = n != 3 && n != 5;
        for (t = 0; t < STEPS; ++t)
            for (c = 0; c < SYMBOLS; ++c) x[t][c] = probs[t * p_stride[0] + n * p_stride[1] + c * p_stride[2]];
        NEAR(costs[n], possible ? define(label, label_lengths[n], input_lengths[n]) : 0, 1e-5);
        for (t = 0; t < STEPS; ++t)
            for (c = 0; c < SYMBOLS; ++c) {
                float got = grads[t * g_stride[0] + n * g_stride[1] + c * g_stride[2]];
                double old = x[t][c], wanted = 0;
                if (t >= input_lengths[n] || !gradients) {
                    CHECK(got == 77); /* beyond the end all stays */
                    continue;
                }
                if (possible) {
                    x[t][c] = old + 1e-5;
                    wanted = define(label, label_lengths[n], input_lengths[n]);
                    x[t][c] = old - 1e-5;
                    wanted = (wanted - define(label, label_lengths[n], input_lengths[n])) / 2e-5;
                    x[t][c] = old;
                }
                NEAR(got, wanted, 1e-4);
            }
    }
    cudaFree(probs_there), cudaFree(grads_there), cudaFree(costs_there), cudaFree(work);
    cudaFree(labels_there), cudaFree(lengths_there), cudaFree(inputs_there);
    OK(cudnnDestroyTensorDescriptor(pd));
    OK(cudnnDestroyTensorDescriptor(gd));
    OK(cudnnDestroyCTCLossDescriptor(loss));
}

int main(void)
{
    static const int packed[3] = {BATCH * SYMBOLS, SYMBOLS, 1}, gaps[3] = {BATCH * 10, 10, 2},
                     turned[3] = {SYMBOLS, STEPS * SYMBOLS, 1};
    cudnnHandle_t handle;
    int i;
    OK(cudnnCreate(&handle));
    for (i = 0; i < 8; ++i) {
        try(handle, i & 1, i >> 1 & 1, packed, packed, i >> 2);
        try(handle, i & 1, i >> 1 & 1, gaps, turned, i >> 2);
        try(handle, i & 1, i >> 1 & 1, turned, gaps, i >> 2);
    }
    OK(cudnnDestroy(handle));
    return done();
}
