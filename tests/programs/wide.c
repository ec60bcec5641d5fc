/* Sizes of 64 bits, without the memory for them: alpha = 0 and beta = 1 leave nothing to do. Since CUDA 12.1.
 * BUILD: cc -std=c11 -Wall -Wextra -Werror -pedantic -I"$HEADERS" "$SOURCE/wide.c" -L"$LIBS" -lcublas -lcudart -lm -o wide
 * RUN: dragoman run -- ./wide
 */
#include <cublas_v2.h>
#include <cuda_runtime_api.h>

#include "check.h"

int main(void)
{
#if CUBLAS_VERSION >= 120100
    const int64_t large = (int64_t)1 << 32;
    const float zero = 0, one = 1;
    float *d, host[2] = {1, 2}, sum = 0;
    int64_t index = -1;
    cublasHandle_t handle;
    OK(cublasCreate(&handle));
    OK(cudaMalloc((void **)&d, sizeof host));
    OK(cudaMemcpy(d, host, sizeof host, cudaMemcpyHostToDevice));
    OK(cublasSgemm_64(handle, CUBLAS_OP_N, CUBLAS_OP_N, large, 1, 1, &zero, d, large, d, 1, &one, d, large));
    OK(cublasSasum_64(handle, 2, d, 1, &sum));
    CHECK(sum == 3);
    OK(cublasIsamax_64(handle, 2, d, 1, &index));
    CHECK(index == 2);
    GIVES(CUBLAS_STATUS_INVALID_VALUE,
          cublasSgemm_64(handle, CUBLAS_OP_N, CUBLAS_OP_N, -large, 1, 1, &zero, d, large, d, 1, &one, d, large));
    OK(cudaFree(d));
    OK(cublasDestroy(handle));
#endif
    return done();
}
