/* A Windows program as its author wrote it for NVIDIA's libraries: memory, a handle, SGEMM, and some garbage.
 * What comes before `main` stands in for mingw's start-up code, whose first use costs minutes of compiling. */
#include "windows_start.c"
#include <corecrt_startup.h>
#include <stdlib.h>

#include <cublas_v2.h>
#include <cuda_runtime_api.h>

static int say(const char *format, ...) {
    va_list values;
    va_start(values, format);
    int written = vfprintf(stdout, format, values);
    va_end(values);
    return written;
}
#define MUST(call) \
    if ((call) != 0) return say("%s fails\n", #call), 1

static int run(void) {
    const float a[4] = {1, 2, 3, 4}, b[4] = {5, 6, 7, 8}, alpha = 1, beta = 0;
    float c[4] = {0}, *at, *bt, *ct;
    int version = 0;
    cublasHandle_t handle;
    MUST(cudaMalloc((void **)&at, sizeof a));
    MUST(cudaMalloc((void **)&bt, sizeof b));
    MUST(cudaMalloc((void **)&ct, sizeof c));
    MUST(cublasCreate(&handle));
    MUST(cublasGetVersion(handle, &version));
    MUST(cublasSetMatrix(2, 2, sizeof(float), a, 2, at, 2));
    MUST(cublasSetMatrix(2, 2, sizeof(float), b, 2, bt, 2));
    MUST(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &alpha, at, 2, bt, 2, &beta, ct, 2));
    MUST(cublasGetMatrix(2, 2, sizeof(float), ct, 2, c, 2));
    say("%d: %g %g %g %g\n", version / 10000, c[0], c[1], c[2], c[3]);
    /* garbage: NULL, an address of nobody's, an option out of range, a handle after its end */
    say("%d", cublasSgemm(NULL, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &alpha, at, 2, bt, 2, &beta, ct, 2));
    say(" %d", cublasSetStream((cublasHandle_t)0x1234, NULL));
    say(" %d", cublasSgemm(handle, (cublasOperation_t)9, CUBLAS_OP_N, 2, 2, 2, &alpha, at, 2, bt, 2, &beta, ct, 2));
    MUST(cublasDestroy(handle));
    say(" %d\n", cublasDestroy(handle));
    MUST(cudaFree(at));
    MUST(cudaFree(bt));
    MUST(cudaFree(ct));
    MUST(cublasCreate(&handle)); /* left alive at the end of the process */
    say("%s\n", cublasGetStatusString(CUBLAS_STATUS_NOT_SUPPORTED));
    return 0;
}

void program_start(void) { exit(run()); }
