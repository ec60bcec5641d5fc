/* Garbage in: NULL, freed and foreign handles, sizes, options and leading dimensions that are none.
 * BUILD: cc -std=c11 -Wall -Wextra -Werror -pedantic -I"$HEADERS" "$SOURCE/statuses.c" -L"$LIBS" -lcublas -lcudart -lm -o statuses
 * RUN: dragoman run -- ./statuses
 */
#include <cublas_v2.h>
#include <cuda_runtime_api.h>
#include <stdint.h>
#include <string.h>

#include "check.h"

#define BAD_HANDLE CUBLAS_STATUS_NOT_INITIALIZED
#define BAD_VALUE CUBLAS_STATUS_INVALID_VALUE

static float *d;

static cublasStatus_t gemm(cublasHandle_t handle, int op, int m, int ld, const float *alpha)
{
    const float beta = 0;
    return cublasSgemm(handle, (cublasOperation_t)op, CUBLAS_OP_N, m, 2, 2, alpha, d, ld, d, 4, &beta, d + 32, 4);
}

static void refused(cublasHandle_t handle)
{
    const float one = 1;
    float result;
    int number;
    cudaStream_t stream;
    cublasPointerMode_t mode;
    GIVES(BAD_HANDLE, gemm(handle, CUBLAS_OP_N, 2, 4, &one));
    GIVES(BAD_HANDLE, cublasSdot(handle, 2, d, 1, d, 1, &result));
    GIVES(BAD_HANDLE, cublasSscal(handle, 2, &one, d, 1));
    GIVES(BAD_HANDLE, cublasIsamax(handle, 2, d, 1, &number));
    GIVES(BAD_HANDLE, cublasSetStream(handle, NULL));
    GIVES(BAD_HANDLE, cublasGetStream(handle, &stream));
    GIVES(BAD_HANDLE, cublasGetPointerMode(handle, &mode));
    GIVES(BAD_HANDLE, cublasDestroy(handle));
}

int main(void)
{
    static char foreign[4096];
    cublasHandle_t handle, freed;
    const float one = 1;
    int version = 0;

    GIVES(BAD_VALUE, cublasCreate(NULL));
    OK(cublasCreate(&handle));
    OK(cublasCreate(&freed));
    OK(cublasDestroy(freed));
    OK(cudaMalloc((void **)&d, 64 * sizeof *d));
    OK(cudaMemset(d, 0, 64 * sizeof *d));

    refused(NULL);
    refused(freed);
    refused((cublasHandle_t)(uintptr_t)0x1234);
    refused((cublasHandle_t)(uintptr_t)-1);
    refused((cublasHandle_t)(void *)foreign);
    memset(foreign, 0xff, sizeof foreign);
    refused((cublasHandle_t)(void *)foreign);
    OK(cublasGetVersion(NULL, &version)); /* NVIDIA's asks for no handle either */
    CHECK(version == CUBLAS_VERSION);

    GIVES(BAD_VALUE, gemm(handle, -1, 2, 4, &one));
    GIVES(BAD_VALUE, gemm(handle, 7, 2, 4, &one));
    GIVES(BAD_VALUE, gemm(handle, CUBLAS_OP_N, -1, 4, &one));
    GIVES(BAD_VALUE, gemm(handle, CUBLAS_OP_N, 2, 1, &one));
    GIVES(BAD_VALUE, gemm(handle, CUBLAS_OP_N, 0, 0, &one));
    GIVES(BAD_VALUE, gemm(handle, CUBLAS_OP_N, 2, 4, NULL));
    GIVES(BAD_VALUE, cublasSetAtomicsMode(handle, (cublasAtomicsMode_t)7));
    GIVES(BAD_VALUE, cublasSetMathMode(handle, (cublasMath_t)1000));
    GIVES(CUBLAS_STATUS_MAPPING_ERROR, cublasSetVector(-1, 4, d, 1, d, 1));
    GIVES(BAD_VALUE, cublasSetVector(1, 0, d, 1, d, 1));
    OK(gemm(handle, CUBLAS_OP_N, 0, 4, &one));
    OK(gemm(handle, CUBLAS_OP_N, 2, 4, &one)); /* and the handle is none the worse */

    OK(cudaFree(d));
    OK(cublasDestroy(handle));
    return done();
}
