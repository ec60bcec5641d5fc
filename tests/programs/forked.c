/* A process that forks: its child cannot use what the parent opened, and is told so; a child from before can.
 * BUILD: cc -std=gnu11 -Wall -Wextra -Werror -pedantic -I"$HEADERS" "$SOURCE/forked.c" -L"$LIBS" -lcublas -lcudart -lm -o forked
 * RUN: dragoman run -- ./forked
 */
#include <cublas_v2.h>
#include <cuda_runtime_api.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

static int product(cublasHandle_t handle)
{
    const float one = 1, zero = 0;
    float two = 2, *d, result = 0;
    OK(cudaMalloc((void **)&d, 2 * sizeof *d));
    OK(cudaMemcpy(d, &two, sizeof two, cudaMemcpyHostToDevice));
    OK(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, &one, d, 1, d, 1, &zero, d + 1, 1));
    OK(cudaMemcpy(&result, d + 1, sizeof result, cudaMemcpyDeviceToHost));
    OK(cudaFree(d));
    return result == 4;
}

static int child_of(int opened, cublasHandle_t parents)
{
    cublasHandle_t handle;
    float *d;
    if (!opened) {
        OK(cublasCreate(&handle));
        CHECK(product(handle));
        OK(cublasDestroy(handle));
        return done();
    }
    GIVES(CUBLAS_STATUS_NOT_INITIALIZED, cublasCreate(&handle));
    GIVES(CUBLAS_STATUS_NOT_INITIALIZED, cublasSscal(parents, 0, NULL, NULL, 1));
    CHECK(cudaMalloc((void **)&d, 4) != cudaSuccess);
    return done();
}

static void in_child(int opened, cublasHandle_t handle)
{
    int status = -1;
    pid_t child = fork();
    if (child == 0) exit(child_of(opened, handle));
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

int main(void)
{
    cublasHandle_t handle;
    in_child(0, NULL);
    OK(cublasCreate(&handle));
    CHECK(product(handle));
    in_child(1, handle);
    CHECK(product(handle)); /* the parent's is none the worse */
    OK(cublasDestroy(handle));
    return done();
}
