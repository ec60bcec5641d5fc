/* A small LeNet, trained for some steps through cuDNN and cuBLAS as frameworks do it: two convolutions with bias, ReLU
 * and max pooling, a fully connected layer, softmax, and plain gradient descent. The loss must fall. The numbers are
 * printed, and tests/cli/test_lenet.py compares them with NumPy's.
 *
 * BUILD: cc -std=c11 -I"$HEADERS" "$SOURCE/lenet.c" -L"$LIBS" -lcudnn -lcublas -lcudart -lm -o lenet
 * RUN: DRAGOMAN_BACKEND=cpu dragoman run -- ./lenet
 */
#include <cublas_v2.h>
#include <cuda_runtime_api.h>
#include <cudnn.h>
#include <string.h>

#include "check.h"

enum {
    N = 16,
    SIDE = 12,
    C1 = 4,
    K1 = 5,
    S1 = 8,
    P1 = 4,
    C2 = 8,
    K2 = 3,
    S2 = 2,
    FLAT = C2 * S2 * S2,
    CLASSES = 4,
    STEPS = 12
};
static const float RATE = 0.25f;

static cudnnHandle_t dnn;
static cublasHandle_t blas;
static const float one = 1, zero = 0;

/* ---- numbers that NumPy draws alike: a linear congruential generator, in steps of 1/4096 */
static unsigned state = 12345;
static float drawn(float size)
{
    state = state * 1664525u + 1013904223u;
    return ((float)(state >> 20) / 2048 - 1) * size;
}

typedef struct {
    int count;
    float *values; /* on the device */
} array;

static array device(int count)
{
    array a = {count, NULL};
    OK(cudaMalloc((void **)&a.values, (size_t)count * sizeof(float)));
    OK(cudaMemset(a.values, 0, (size_t)count * sizeof(float)));
    return a;
}

static array weights(int count, float size)
{
    array a = device(count);
    float *host = malloc((size_t)count * sizeof(float));
    for (int i = 0; i < count; i++) host[i] = drawn(size);
    OK(cudaMemcpy(a.values, host, (size_t)count * sizeof(float), cudaMemcpyHostToDevice));
    free(host);
    return a;
}

static cudnnTensorDescriptor_t tensor(int n, int c, int h, int w)
{
    cudnnTensorDescriptor_t d;
    OK(cudnnCreateTensorDescriptor(&d));
    OK(cudnnSetTensor4dDescriptor(d, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, n, c, h, w));
    return d;
}

/* ---- a convolution with its bias and ReLU, and all that it needs */
typedef struct {
    cudnnTensorDescriptor_t x, y, b;
    cudnnFilterDescriptor_t filter;
    cudnnConvolutionDescriptor_t conv;
    cudnnConvolutionFwdAlgo_t forward;
    cudnnConvolutionBwdDataAlgo_t data;
    cudnnConvolutionBwdFilterAlgo_t gradient;
    void *work;
    size_t work_size;
    array w, bias, dw, db, plain, active, dplain, dactive;
} layer;

static cudnnActivationDescriptor_t relu;

static layer convolution(int c, int side, int k, int taps)
{
    layer l;
    cudnnConvolutionFwdAlgoPerf_t fast;
    cudnnConvolutionBwdDataAlgoPerf_t fast_data;
    cudnnConvolutionBwdFilterAlgoPerf_t fast_filter;
    size_t size = 0;
    int found = 0, n, channels, h, w, out = side - taps + 1;
    memset(&l, 0, sizeof l);
    l.x = tensor(N, c, side, side);
    l.b = tensor(1, k, 1, 1);
    OK(cudnnCreateFilterDescriptor(&l.filter));
    OK(cudnnSetFilter4dDescriptor(l.filter, CUDNN_DATA_FLOAT, CUDNN_TENSOR_NCHW, k, c, taps, taps));
    OK(cudnnCreateConvolutionDescriptor(&l.conv));
    OK(cudnnSetConvolution2dDescriptor(l.conv, 0, 0, 1, 1, 1, 1, CUDNN_CROSS_CORRELATION, CUDNN_DATA_FLOAT));
    OK(cudnnGetConvolution2dForwardOutputDim(l.conv, l.x, l.filter, &n, &channels, &h, &w));
    CHECK(n == N && channels == k && h == out && w == out);
    l.y = tensor(n, channels, h, w);
    OK(cudnnGetConvolutionForwardAlgorithm_v7(dnn, l.x, l.filter, l.conv, l.y, 1, &found, &fast));
    CHECK(found == 1);
    OK(cudnnGetConvolutionBackwardDataAlgorithm_v7(dnn, l.filter, l.y, l.conv, l.x, 1, &found, &fast_data));
    OK(cudnnGetConvolutionBackwardFilterAlgorithm_v7(dnn, l.x, l.y, l.conv, l.filter, 1, &found, &fast_filter));
    l.forward = fast.algo;
    l.data = fast_data.algo;
    l.gradient = fast_filter.algo;
    OK(cudnnGetConvolutionForwardWorkspaceSize(dnn, l.x, l.filter, l.conv, l.y, l.forward, &size));
    l.work_size = size;
    OK(cudnnGetConvolutionBackwardDataWorkspaceSize(dnn, l.filter, l.y, l.conv, l.x, l.data, &size));
    if (size > l.work_size) l.work_size = size;
    OK(cudnnGetConvolutionBackwardFilterWorkspaceSize(dnn, l.x, l.y, l.conv, l.filter, l.gradient, &size));
    if (size > l.work_size) l.work_size = size;
    if (l.work_size) OK(cudaMalloc(&l.work, l.work_size));
    l.w = weights(k * c * taps * taps, 0.5f);
    l.bias = weights(k, 0.125f);
    l.dw = device(l.w.count);
    l.db = device(k);
    l.plain = device(N * k * out * out);
    l.active = device(l.plain.count);
    l.dplain = device(l.plain.count);
    l.dactive = device(l.plain.count);
    return l;
}

static void forward(layer *l, const float *x)
{
    OK(cudnnConvolutionForward(dnn, &one, l->x, x, l->filter, l->w.values, l->conv, l->forward, l->work, l->work_size,
                               &zero, l->y, l->plain.values));
    OK(cudnnAddTensor(dnn, &one, l->b, l->bias.values, &one, l->y, l->plain.values));
    OK(cudnnActivationForward(dnn, relu, &one, l->y, l->plain.values, &zero, l->y, l->active.values));
}

/* From dactive: the gradients of filter and bias, and of x where it is wanted. */
static void backward(layer *l, const float *x, float *dx)
{
    OK(cudnnActivationBackward(dnn, relu, &one, l->y, l->active.values, l->y, l->dactive.values, l->y, l->plain.values,
                               &zero, l->y, l->dplain.values));
    OK(cudnnConvolutionBackwardBias(dnn, &one, l->y, l->dplain.values, &zero, l->b, l->db.values));
    OK(cudnnConvolutionBackwardFilter(dnn, &one, l->x, x, l->y, l->dplain.values, l->conv, l->gradient, l->work,
                                      l->work_size, &zero, l->filter, l->dw.values));
    if (dx)
        OK(cudnnConvolutionBackwardData(dnn, &one, l->filter, l->w.values, l->y, l->dplain.values, l->conv, l->data,
                                        l->work, l->work_size, &zero, l->x, dx));
}

static void descend(array w, array gradient)
{
    const float step = -RATE;
    OK(cublasSaxpy(blas, w.count, &step, gradient.values, 1, w.values, 1));
}

static void print(const char *name, array a)
{
    float *host = malloc((size_t)a.count * sizeof(float));
    OK(cudaMemcpy(host, a.values, (size_t)a.count * sizeof(float), cudaMemcpyDeviceToHost));
    printf("%s", name);
    for (int i = 0; i < a.count; i++) printf(" %.9g", (double)host[i]);
    printf("\n");
    free(host);
}

int main(void)
{
    float images[N * SIDE * SIDE], right[N * CLASSES], p[N * CLASSES], first = 0, last = 0;
    const float minus = -1, share = 1.0f / N;
    OK(cudnnCreate(&dnn));
    OK(cublasCreate(&blas));
    OK(cudnnCreateActivationDescriptor(&relu));
    OK(cudnnSetActivationDescriptor(relu, CUDNN_ACTIVATION_RELU, CUDNN_NOT_PROPAGATE_NAN, 0));

    /* four kinds of images: bars that lie or stand, in one half or the other, under noise */
    memset(right, 0, sizeof right);
    for (int n = 0; n < N; n++) {
        int kind = n % CLASSES;
        right[n * CLASSES + kind] = 1;
        for (int i = 0; i < SIDE; i++)
            for (int j = 0; j < SIDE; j++) {
                int across = kind & 1 ? j : i, half = kind & 2 ? across >= SIDE / 2 : across < SIDE / 2;
                images[(n * SIDE + i) * SIDE + j] = (half && across % 2 ? 1.0f : 0.0f) + drawn(0.25f);
            }
    }
    array x = device(N * SIDE * SIDE), wanted = device(N * CLASSES);
    OK(cudaMemcpy(x.values, images, sizeof images, cudaMemcpyHostToDevice));
    OK(cudaMemcpy(wanted.values, right, sizeof right, cudaMemcpyHostToDevice));

    layer a = convolution(1, SIDE, C1, K1), b = convolution(C1, P1, C2, K2);
    array w3 = weights(FLAT * CLASSES, 0.25f), b3 = weights(CLASSES, 0.125f), dw3 = device(w3.count),
          db3 = device(b3.count);
    array pooled = device(N * C1 * P1 * P1), dpooled = device(pooled.count);
    array z = device(N * CLASSES), y = device(N * CLASSES), dz = device(N * CLASSES);
    cudnnTensorDescriptor_t pool_y = b.x, out = tensor(N, CLASSES, 1, 1), out_bias = tensor(1, CLASSES, 1, 1);
    cudnnPoolingDescriptor_t pool;
    OK(cudnnCreatePoolingDescriptor(&pool));
    OK(cudnnSetPooling2dDescriptor(pool, CUDNN_POOLING_MAX, CUDNN_NOT_PROPAGATE_NAN, 2, 2, 0, 0, 2, 2));

    for (int step = 0; step < STEPS; step++) {
        double loss = 0;
        forward(&a, x.values);
        OK(cudnnPoolingForward(dnn, pool, &one, a.y, a.active.values, &zero, pool_y, pooled.values));
        forward(&b, pooled.values);
        OK(cublasSgemm(blas, CUBLAS_OP_T, CUBLAS_OP_N, CLASSES, N, FLAT, &one, w3.values, FLAT, b.active.values, FLAT,
                       &zero, z.values, CLASSES));
        OK(cudnnAddTensor(dnn, &one, out_bias, b3.values, &one, out, z.values));
        OK(cudnnSoftmaxForward(dnn, CUDNN_SOFTMAX_ACCURATE, CUDNN_SOFTMAX_MODE_INSTANCE, &one, out, z.values, &zero,
                               out, y.values));
        OK(cudaMemcpy(p, y.values, sizeof p, cudaMemcpyDeviceToHost));
        for (int i = 0; i < N * CLASSES; i++)
            if (right[i] != 0) loss -= log((double)p[i]) / N;
        printf("loss %.9g\n", loss);
        if (step == 0) first = (float)loss;
        last = (float)loss;

        /* of the logits: (p − right) / N */
        OK(cublasScopy(blas, dz.count, y.values, 1, dz.values, 1));
        OK(cublasSaxpy(blas, dz.count, &minus, wanted.values, 1, dz.values, 1));
        OK(cublasSscal(blas, dz.count, &share, dz.values, 1));
        OK(cublasSgemm(blas, CUBLAS_OP_N, CUBLAS_OP_T, FLAT, CLASSES, N, &one, b.active.values, FLAT, dz.values,
                       CLASSES, &zero, dw3.values, FLAT));
        OK(cudnnConvolutionBackwardBias(dnn, &one, out, dz.values, &zero, out_bias, db3.values));
        OK(cublasSgemm(blas, CUBLAS_OP_N, CUBLAS_OP_N, FLAT, N, CLASSES, &one, w3.values, FLAT, dz.values, CLASSES,
                       &zero, b.dactive.values, FLAT));
        backward(&b, pooled.values, dpooled.values);
        OK(cudnnPoolingBackward(dnn, pool, &one, pool_y, pooled.values, pool_y, dpooled.values, a.y, a.active.values,
                                &zero, a.y, a.dactive.values));
        backward(&a, x.values, NULL);

        descend(a.w, a.dw);
        descend(a.bias, a.db);
        descend(b.w, b.dw);
        descend(b.bias, b.db);
        descend(w3, dw3);
        descend(b3, db3);
    }
    CHECK(last < first / 2);
    print("w1", a.w);
    print("b1", a.bias);
    print("w2", b.w);
    print("b2", b.bias);
    print("w3", w3);
    print("b3", b3);
    OK(cudaDeviceSynchronize());
    OK(cudnnDestroy(dnn));
    OK(cublasDestroy(blas));
    return done();
}
