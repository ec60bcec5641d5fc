/* Ending with everything still open: handles, streams, memory; and a handle destroyed by the last code that runs.
 * BUILD: cc -std=c11 -Wall -Wextra -Werror -pedantic -I"$HEADERS" "$SOURCE/leave.c" -L"$LIBS" -lcublas -lcudart -lm -o leave
 * RUN: dragoman run -- ./leave
 */
#include <cublas_v2.h>
#include <cuda_runtime_api.h>

#include "check.h"

static cublasHandle_t at_exit, last;

/* Registered before the library is opened, so it runs after everything that the library registered. */
static void late(void)
{
    OK(cublasDestroy(at_exit));
    if (wrong_checks) _Exit(1);
}

__extension__ __attribute__((destructor)) static void latest(void)
{
    OK(cublasDestroy(last));
    if (wrong_checks) _Exit(1);
}

int main(void)
{
    const float one = 1;
    cublasHandle_t live[50];
    cudaStream_t stream;
    float *d;
    int i;
    atexit(late);
    OK(cublasCreate(&at_exit));
    OK(cublasCreate(&last));
    OK(cudaMalloc((void **)&d, 64));
    OK(cudaMemset(d, 0, 64));
    for (i = 0; i < 50; ++i) {
        OK(cublasCreate(&live[i]));
        OK(cudaStreamCreate(&stream));
        OK(cublasSetStream(live[i], stream));
        OK(cublasSscal(live[i], 16, &one, d, 1));
    }
    return done();
}
