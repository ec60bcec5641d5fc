/* Products by cuBLASLt: every transpose, order, batch, C beside D, factors on the device; descriptors in the program's own
 * memory; what is no descriptor is refused.
 * BUILD: cc -std=c11 -Wall -Wextra -Werror -pedantic -I"$HEADERS" "$SOURCE/lt.c" -L"$LIBS" -lcublasLt -lcublas -lcudart -lm -o lt
 * RUN: dragoman run -- ./lt
 */
#include <cublasLt.h>
#include <cuda_runtime_api.h>
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
    OK(cublasLtMatmul(handle, &desc, on_device ? factors : &alpha, a, &la, b, &lb, on_device ? factors + 1 : &beta, c, &ld, d,
        &ld, on_device ? NULL : &found[0].algo, NULL, 0, NULL));
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
    GIVES(CUBLAS_STATUS_INVALID_VALUE, cublasLtMatmul(handle, &desc, &one, a, &la, b, &lb, &one, c, &ld, d, &ld, NULL, NULL, 0, NULL));
    GIVES(CUBLAS_STATUS_NOT_INITIALIZED, cublasLtMatmul(NULL, &desc, &one, a, &la, b, &lb, &one, c, &ld, d, &ld, NULL, NULL, 0, NULL));
    OK(cublasLtMatrixLayoutCreate(&made, CUDA_R_32F, 1, 1, 1));
    OK(cublasLtMatrixLayoutDestroy(made));
    GIVES(CUBLAS_STATUS_INVALID_VALUE, cublasLtMatrixLayoutDestroy(made));
    GIVES(CUBLAS_STATUS_INVALID_VALUE, cublasLtMatrixLayoutGetAttribute(made, CUBLASLT_MATRIX_LAYOUT_TYPE, &value, 4, &written));
    OK(cublasLtMatrixLayoutDestroy(NULL));
    /* addresses that cannot be read, and memory that holds no descriptor */
    GIVES(CUBLAS_STATUS_INVALID_VALUE,
        cublasLtMatrixLayoutGetAttribute((cublasLtMatrixLayout_t)0x1234, CUBLASLT_MATRIX_LAYOUT_TYPE, &value, 4, &written));
    GIVES(CUBLAS_STATUS_INVALID_VALUE,
        cublasLtMatmulDescSetAttribute((cublasLtMatmulDesc_t)(uintptr_t)0x7fffdead0000, CUBLASLT_MATMUL_DESC_TRANSA, &value, 4));
    memset(&memory, 0, sizeof memory);
    GIVES(CUBLAS_STATUS_INVALID_VALUE,
        cublasLtMatrixLayoutSetAttribute((cublasLtMatrixLayout_t)(void *)memory.room, CUBLASLT_MATRIX_LAYOUT_TYPE, &value, 4));
    GIVES(CUBLAS_STATUS_ALLOC_FAILED,
        cublasLtMatmulDescInit_internal((cublasLtMatmulDesc_t)(void *)memory.room, 16, CUBLAS_COMPUTE_32F, CUDA_R_32F));
    GIVES(CUBLAS_STATUS_ALLOC_FAILED, cublasLtMatmulPreferenceInit_internal((cublasLtMatmulPreference_t)(void *)memory.room, 0));
    CHECK(memory.room[0] == 0 && memory.room[2] == 0);
    /* a layout of an older header's size, 64 bytes */
    OK(cublasLtMatrixLayoutInit_internal((cublasLtMatrixLayout_t)(void *)memory.room, 64, CUDA_R_32F, 3, 2, 3));
    CHECK(memory.room[8] == 0);
    OK(cublasLtMatrixLayoutGetAttribute((cublasLtMatrixLayout_t)(void *)memory.room, CUBLASLT_MATRIX_LAYOUT_PLANE_OFFSET, &wide, 8, &written));
    CHECK(wide == 0);
}

int main(void)
{
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
    refused();
    OK(cublasLtDestroy(handle));
    return done();
}
