/* Products by cuBLASLt: every transpose, order, batch, C beside D, factors on the device; what follows a product, as
 * frameworks ask for it; int8 results; changes of order; a handle that cuBLAS's settings share; descriptors in the
 * program's own memory; what is no descriptor is refused.
 * BUILD: cc -std=c11 -Wall -Wextra -Werror -pedantic -I"$HEADERS" "$SOURCE/lt.c" -L"$LIBS" -lcublasLt -lcublas -lcudart -lm -o lt
 * RUN: dragoman run -- ./lt
 */
#include <cublasLt.h>
#include <cublas_v2.h>
#include <cuda_runtime_api.h>
#include <math.h>
#include <string.h>

#include "check.h"

enum { M = 5, N = 3, K = 4, LD = 8, BATCH = 2, STRIDE = LD * LD };

static cublasLtHandle_t handle;
static float *a, *b, *c, *d, *factors;
static float A[BATCH * STRIDE], B[BATCH * STRIDE], C[BATCH * STRIDE], D[BATCH * STRIDE];

static float *make(float *host, unsigned seed)
{
    float *device = NULL;
    int i;

    for (i = 0; i < BATCH * STRIDE; ++i)
        host[i] = (float)((int)((i * 7u + seed) % 11u) - 5);
    OK(cudaMalloc((void **)&device, BATCH * STRIDE * sizeof(float)));
    OK(cudaMemcpy(device, host, BATCH * STRIDE * sizeof(float), cudaMemcpyHostToDevice));
    return device;
}

static float at(const float *x, int order, int i, int j) { return order ? x[i * LD + j] : x[i + j * LD]; }

static void layout(cublasLtMatrixLayoutOpaque_t *l, int rows, int cols, int order)
{
    int32_t o = order, batch = BATCH;
    int64_t stride = STRIDE;

    OK(cublasLtMatrixLayoutInit(l, CUDA_R_32F, (uint64_t)rows, (uint64_t)cols, LD));
    OK(cublasLtMatrixLayoutSetAttribute(l, CUBLASLT_MATRIX_LAYOUT_ORDER, &o, sizeof o));
    OK(cublasLtMatrixLayoutSetAttribute(l, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &batch, sizeof batch));
    OK(cublasLtMatrixLayoutSetAttribute(l, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &stride, sizeof stride));
}

static void product(int ta, int tb, int oa, int ob, int od, int on_device)
{
    cublasLtMatrixLayoutOpaque_t la, lb, ld;
    cublasLtMatmulDescOpaque_t desc;
    cublasLtMatmulPreferenceOpaque_t preference;
    cublasLtMatmulHeuristicResult_t found[3];
    int32_t opa = ta, opb = tb, mode = on_device;
    float alpha = 2, beta = -1, want;
    int i, j, k, t, count = 0;

    layout(&la, ta ? K : M, ta ? M : K, oa);
    layout(&lb, tb ? N : K, tb ? K : N, ob);
    layout(&ld, M, N, od);
    OK(cublasLtMatmulDescInit(&desc, CUBLAS_COMPUTE_32F, CUDA_R_32F));
    OK(cublasLtMatmulDescSetAttribute(&desc, CUBLASLT_MATMUL_DESC_TRANSA, &opa, sizeof opa));
    OK(cublasLtMatmulDescSetAttribute(&desc, CUBLASLT_MATMUL_DESC_TRANSB, &opb, sizeof opb));
    OK(cublasLtMatmulDescSetAttribute(&desc, CUBLASLT_MATMUL_DESC_POINTER_MODE, &mode, sizeof mode));
    OK(cublasLtMatmulPreferenceInit(&preference));
    OK(cublasLtMatmulAlgoGetHeuristic(handle, &desc, &la, &lb, &ld, &ld, &preference, 3, found, &count));
    CHECK(count >= 1 && found[0].workspaceSize == 0);
    OK(cudaMemset(d, 0, sizeof D));
    OK(cublasLtMatmul(handle, &desc, on_device ? factors : &alpha, a, &la, b, &lb, on_device ? factors + 1 : &beta, c,
                      &ld, d, &ld, on_device ? NULL : &found[0].algo, NULL, 0, NULL));
    OK(cudaMemcpy(D, d, sizeof D, cudaMemcpyDeviceToHost));
    for (t = 0; t < BATCH; ++t)
        for (i = 0; i < M; ++i)
            for (j = 0; j < N; ++j) {
                want = beta * at(C + t * STRIDE, od, i, j);
                for (k = 0; k < K; ++k)
                    want += alpha * (ta ? at(A + t * STRIDE, oa, k, i) : at(A + t * STRIDE, oa, i, k)) *
                        (tb ? at(B + t * STRIDE, ob, j, k) : at(B + t * STRIDE, ob, k, j));
                CHECK(at(D + t * STRIDE, od, i, j) == want);
            }
}

static void refused(void)
{
    cublasLtMatrixLayoutOpaque_t la, lb, ld;
    cublasLtMatmulDescOpaque_t desc;
    cublasLtMatrixLayout_t made = NULL;
    float one = 1;
    int32_t value = 0;
    int64_t wide = 5;
    size_t written = 0;
    struct { uint64_t before; uint64_t room[64]; } memory;

    layout(&la, M, K, 0);
    layout(&lb, K + 1, N, 0);
    layout(&ld, M, N, 0);
    OK(cublasLtMatmulDescInit(&desc, CUBLAS_COMPUTE_32F, CUDA_R_32F));
    GIVES(CUBLAS_STATUS_INVALID_VALUE,
          cublasLtMatmul(handle, &desc, &one, a, &la, b, &lb, &one, c, &ld, d, &ld, NULL, NULL, 0, NULL));
    GIVES(CUBLAS_STATUS_NOT_INITIALIZED,
          cublasLtMatmul(NULL, &desc, &one, a, &la, b, &lb, &one, c, &ld, d, &ld, NULL, NULL, 0, NULL));
    OK(cublasLtMatrixLayoutCreate(&made, CUDA_R_32F, 1, 1, 1));
    OK(cublasLtMatrixLayoutDestroy(made));
    GIVES(CUBLAS_STATUS_INVALID_VALUE, cublasLtMatrixLayoutDestroy(made));
    GIVES(CUBLAS_STATUS_INVALID_VALUE,
          cublasLtMatrixLayoutGetAttribute(made, CUBLASLT_MATRIX_LAYOUT_TYPE, &value, 4, &written));
    OK(cublasLtMatrixLayoutDestroy(NULL));
    /* addresses that cannot be read, and memory that holds no descriptor */
    GIVES(CUBLAS_STATUS_INVALID_VALUE,
          cublasLtMatrixLayoutGetAttribute((cublasLtMatrixLayout_t)0x1234, CUBLASLT_MATRIX_LAYOUT_TYPE, &value, 4,
                                           &written));
    GIVES(CUBLAS_STATUS_INVALID_VALUE, cublasLtMatmulDescSetAttribute((cublasLtMatmulDesc_t)(uintptr_t)0x7fffdead0000,
                                                                      CUBLASLT_MATMUL_DESC_TRANSA, &value, 4));
    memset(&memory, 0, sizeof memory);
    GIVES(CUBLAS_STATUS_INVALID_VALUE, cublasLtMatrixLayoutSetAttribute((cublasLtMatrixLayout_t)(void *)memory.room,
                                                                        CUBLASLT_MATRIX_LAYOUT_TYPE, &value, 4));
    GIVES(CUBLAS_STATUS_ALLOC_FAILED,
        cublasLtMatmulDescInit_internal((cublasLtMatmulDesc_t)(void *)memory.room, 16, CUBLAS_COMPUTE_32F, CUDA_R_32F));
    GIVES(CUBLAS_STATUS_ALLOC_FAILED,
          cublasLtMatmulPreferenceInit_internal((cublasLtMatmulPreference_t)(void *)memory.room, 0));
    CHECK(memory.room[0] == 0 && memory.room[2] == 0);
    /* a layout of an older header's size, 64 bytes */
    OK(cublasLtMatrixLayoutInit_internal((cublasLtMatrixLayout_t)(void *)memory.room, 64, CUDA_R_32F, 3, 2, 3));
    CHECK(memory.room[8] == 0);
    OK(cublasLtMatrixLayoutGetAttribute((cublasLtMatrixLayout_t)(void *)memory.room,
                                        CUBLASLT_MATRIX_LAYOUT_PLANE_OFFSET, &wide, 8, &written));
    CHECK(wide == 0);
}

static float gelu(float x) { return 0.5f * x * (1 + tanhf(0.7978846f * (x + 0.044715f * x * x * x))); }

static float gelu_slope(float x)
{
    float t = tanhf(0.7978846f * (x + 0.044715f * x * x * x));

    return 0.5f * (1 + t) + 0.5f * x * (1 - t * t) * 0.7978846f * (1 + 3 * 0.044715f * x * x);
}

/* D = f(A * B / 8 + bias) with a bias along the rows; what is kept beside it, and the way back. */
static void followed(uint32_t epilogue)
{
    enum { R = 8, MASK = 128 };
    cublasLtMatrixLayoutOpaque_t l;
    cublasLtMatmulDescOpaque_t desc;
    cublasLtMatmulPreferenceOpaque_t preference;
    cublasLtMatmulHeuristicResult_t found;
    float alpha = 0.125f, beta = 0, x[R * R], y[R * R], z, want, sum, kept[MASK * R], bias[R];
    float *bias_on, *aux_on;
    int64_t ld;
    int i, j, k, count = 0, has_bias = (epilogue & 4) != 0, relu = (epilogue & (2 | 8)) != 0,
                 back = (epilogue & (8 | 64)) != 0;
    int none = (epilogue & (2 | 8 | 32 | 64)) == 0;

    ld = relu ? MASK : R;
    OK(cublasLtMatrixLayoutInit(&l, CUDA_R_32F, R, R, R));
    OK(cublasLtMatmulDescInit(&desc, CUBLAS_COMPUTE_32F, CUDA_R_32F));
    OK(cublasLtMatmulDescSetAttribute(&desc, CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue, sizeof epilogue));
    OK(cudaMalloc((void **)&bias_on, sizeof bias));
    OK(cudaMalloc((void **)&aux_on, sizeof kept));
    for (i = 0; i < R; ++i)
        bias[i] = (float)(i - 3);
    for (i = 0; i < MASK * R; ++i)
        kept[i] = (float)(i % 7 - 3);
    OK(cudaMemcpy(bias_on, bias, sizeof bias, cudaMemcpyHostToDevice));
    OK(cudaMemcpy(aux_on, kept, sizeof kept, cudaMemcpyHostToDevice));
    if (epilogue & (4 | 16))
        OK(cublasLtMatmulDescSetAttribute(&desc, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &bias_on, sizeof bias_on));
    if (epilogue & 128) {
        OK(cublasLtMatmulDescSetAttribute(&desc, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, &aux_on, sizeof aux_on));
        OK(cublasLtMatmulDescSetAttribute(&desc, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, &ld, sizeof ld));
    }
    OK(cublasLtMatmulPreferenceInit(&preference));
    OK(cublasLtMatmulAlgoGetHeuristic(handle, &desc, &l, &l, &l, &l, &preference, 1, &found, &count));
    CHECK(count == 1);
    OK(cublasLtMatmul(handle, &desc, &alpha, a, &l, b, &l, &beta, NULL, &l, d, &l, &found.algo, NULL, 0, NULL));
    OK(cudaMemcpy(x, d, sizeof x, cudaMemcpyDeviceToHost));
    OK(cudaMemcpy(y, aux_on, sizeof y, cudaMemcpyDeviceToHost));
    for (i = 0; i < R; ++i) {
        sum = 0;
        for (j = 0; j < R; ++j) {
            int set = ((const unsigned char *)(back ? kept : y))[j * MASK / 8 + i / 8] >> i % 8 & 1;

            z = 0;
            for (k = 0; k < R; ++k)
                z += alpha * A[i + k * R] * B[k + j * R];
            if (has_bias)
                z += bias[i];
            if (back)
                want = relu ? (set ? z : 0) : z * gelu_slope(kept[i + j * R]);
            else
                want = none ? z : relu ? (z > 0 ? z : 0) : gelu(z);
            CHECK(fabsf(x[i + j * R] - want) <= 1e-5f * (1 + fabsf(want)));
            if ((epilogue & 128) && !back)
                CHECK(relu ? set == (z >= 0) : fabsf(y[i + j * R] - z) <= 1e-5f * (1 + fabsf(z)));
            sum += want;
        }
        if (epilogue & 16) {
            OK(cudaMemcpy(bias, bias_on, sizeof bias, cudaMemcpyDeviceToHost));
            CHECK(fabsf(bias[i] - sum) <= 1e-4f * (1 + fabsf(sum)));
        }
    }
    OK(cudaFree(bias_on));
    OK(cudaFree(aux_on));
}

/* int8 into int8: rounded to even, kept within a byte. */
static void bytes(void)
{
    enum { R = 16 };
    cublasLtMatrixLayoutOpaque_t l;
    cublasLtMatmulDescOpaque_t desc;
    int8_t x[R * R], y[R * R], z[R * R];
    int32_t turned = CUBLAS_OP_T;
    float alpha = 0.5f, beta = 0, want;
    int i, j, k, total;

    for (i = 0; i < R * R; ++i) {
        x[i] = (int8_t)(i % 11 - 5);
        y[i] = (int8_t)(i % 13 - 6);
    }
    OK(cudaMemcpy(a, x, sizeof x, cudaMemcpyHostToDevice));
    OK(cudaMemcpy(b, y, sizeof y, cudaMemcpyHostToDevice));
    OK(cublasLtMatrixLayoutInit(&l, CUDA_R_8I, R, R, R));
    OK(cublasLtMatmulDescInit(&desc, CUBLAS_COMPUTE_32I, CUDA_R_32F));
    OK(cublasLtMatmulDescSetAttribute(&desc, CUBLASLT_MATMUL_DESC_TRANSA, &turned, sizeof turned));
    OK(cublasLtMatmul(handle, &desc, &alpha, a, &l, b, &l, &beta, d, &l, d, &l, NULL, NULL, 0, NULL));
    OK(cudaMemcpy(z, d, sizeof z, cudaMemcpyDeviceToHost));
    for (i = 0; i < R; ++i)
        for (j = 0; j < R; ++j) {
            for (total = 0, k = 0; k < R; ++k)
                total += x[k + i * R] * y[k + j * R];
            want = rintf(alpha * (float)total);
            want = want > 127 ? 127 : want < -128 ? -128 : want;
            CHECK((float)z[i + j * R] == want);
        }
}

/* To NVIDIA's order of tiles and back is where one came from; in between, each column of 32 lies together. */
static void orders(void)
{
    enum { R = 8, COLS = 32 };
    cublasLtMatrixLayoutOpaque_t plain, tiled;
    cublasLtMatrixTransformDescOpaque_t desc;
    int8_t x[R * COLS], y[R * COLS];
    int32_t order = CUBLASLT_ORDER_COL32;
    float one = 1;
    int i, j;

    for (i = 0; i < R * COLS; ++i)
        x[i] = (int8_t)(i - 128);
    OK(cudaMemcpy(a, x, sizeof x, cudaMemcpyHostToDevice));
    OK(cublasLtMatrixLayoutInit(&plain, CUDA_R_8I, R, COLS, R));
    OK(cublasLtMatrixLayoutInit(&tiled, CUDA_R_8I, R, COLS, 32 * R));
    OK(cublasLtMatrixLayoutSetAttribute(&tiled, CUBLASLT_MATRIX_LAYOUT_ORDER, &order, sizeof order));
    OK(cublasLtMatrixTransformDescInit(&desc, CUDA_R_32F));
    OK(cublasLtMatrixTransform(handle, &desc, &one, a, &plain, NULL, NULL, NULL, b, &tiled, NULL));
    OK(cudaMemcpy(y, b, sizeof y, cudaMemcpyDeviceToHost));
    for (i = 0; i < R; ++i)
        for (j = 0; j < COLS; ++j)
            CHECK(y[i * 32 + j] == x[i + j * R]);
    OK(cublasLtMatrixTransform(handle, &desc, &one, b, &tiled, NULL, NULL, NULL, d, &plain, NULL));
    OK(cudaMemcpy(y, d, sizeof y, cudaMemcpyDeviceToHost));
    CHECK(memcmp(x, y, sizeof x) == 0);
}

/* A handle of cuBLAS's serves cuBLASLt, and keeps the settings that it has as cuBLAS's. */
static void shared(void)
{
    cublasHandle_t both = NULL;
    cublasLtHandle_t before = handle;
    cublasMath_t math = CUBLAS_DEFAULT_MATH;
#if CUBLAS_VERSION >= 120900
    cublasEmulationStrategy_t strategy = CUBLAS_EMULATION_STRATEGY_DEFAULT;
#endif

    OK(cublasCreate(&both));
    OK(cublasSetMathMode(both, CUBLAS_TF32_TENSOR_OP_MATH));
#if CUBLAS_VERSION >= 120900
    OK(cublasSetEmulationStrategy(both, CUBLAS_EMULATION_STRATEGY_EAGER));
#endif
    handle = (cublasLtHandle_t)both;
    product(1, 0, 0, 1, 0, 1);
    followed(CUBLASLT_EPILOGUE_GELU_BIAS);
    handle = before;
#if CUBLAS_VERSION >= 120900
    OK(cublasGetEmulationStrategy(both, &strategy));
    CHECK(strategy == CUBLAS_EMULATION_STRATEGY_EAGER);
    OK(cublasSetEmulationStrategy(both, CUBLAS_EMULATION_STRATEGY_PERFORMANT));
#endif
    OK(cublasGetMathMode(both, &math));
    CHECK(math == CUBLAS_TF32_TENSOR_OP_MATH);
    OK(cublasDestroy(both));
}

int main(void)
{
    static const uint32_t epilogues[] = {
        CUBLASLT_EPILOGUE_BIAS,          CUBLASLT_EPILOGUE_RELU,        CUBLASLT_EPILOGUE_RELU_BIAS,
        CUBLASLT_EPILOGUE_GELU,          CUBLASLT_EPILOGUE_GELU_BIAS,   CUBLASLT_EPILOGUE_RELU_AUX,
        CUBLASLT_EPILOGUE_RELU_AUX_BIAS, CUBLASLT_EPILOGUE_GELU_AUX,    CUBLASLT_EPILOGUE_GELU_AUX_BIAS,
        CUBLASLT_EPILOGUE_DRELU,         CUBLASLT_EPILOGUE_DRELU_BGRAD, CUBLASLT_EPILOGUE_DGELU,
        CUBLASLT_EPILOGUE_DGELU_BGRAD};
    float values[2] = {2, -1};
    int which;

    a = make(A, 1);
    b = make(B, 2);
    c = make(C, 3);
    d = make(D, 4);
    OK(cudaMalloc((void **)&factors, sizeof values));
    OK(cudaMemcpy(factors, values, sizeof values, cudaMemcpyHostToDevice));
    OK(cublasLtCreate(&handle));
    for (which = 0; which < 64; ++which)
        product(which & 1, which >> 1 & 1, which >> 2 & 1, which >> 3 & 1, which >> 4 & 1, which >> 5);
    for (which = 0; which < (int)(sizeof epilogues / sizeof epilogues[0]); ++which)
        followed(epilogues[which]);
    shared();
    refused();
    bytes();
    orders();
    OK(cublasLtDestroy(handle));
    GIVES(CUBLAS_STATUS_INVALID_VALUE, cublasLtDestroy(NULL));
    return done();
}
