/* Two threads with a handle each, and a third that makes and frees handles meanwhile.
 * BUILD: cc -std=c11 -Wall -Wextra -Werror -pedantic -pthread -I"$HEADERS" "$SOURCE/threads.c" -L"$LIBS" -lcublas -lcudart -lm -o threads
 * RUN: dragoman run -- ./threads
 */
#include <cublas_v2.h>
#include <cuda_runtime_api.h>
#include <pthread.h>
#include <stdatomic.h>

#include "check.h"

enum { N = 24, ROUNDS = 300 };

static atomic_int over;

static void *work(void *argument)
{
    const double seed = *(double *)argument, one = 1, zero = 0;
    double host[N * N], *da, *dc;
    cublasHandle_t handle;
    cudaStream_t stream;
    int round, i;

    OK(cublasCreate(&handle)); /* the first use of the library, in both threads at once */
    OK(cudaStreamCreate(&stream));
    OK(cublasSetStream(handle, stream));
    OK(cudaMalloc((void **)&da, sizeof host));
    OK(cudaMalloc((void **)&dc, sizeof host));
    for (round = 0; round < ROUNDS; ++round) {
        for (i = 0; i < N * N; ++i) host[i] = seed + round;
        OK(cudaMemcpyAsync(da, host, sizeof host, cudaMemcpyHostToDevice, stream));
        OK(cublasDgemm(handle, CUBLAS_OP_N, CUBLAS_OP_T, N, N, N, &one, da, N, da, N, &zero, dc, N));
        OK(cudaMemcpyAsync(host, dc, sizeof host, cudaMemcpyDeviceToHost, stream));
        OK(cudaStreamSynchronize(stream));
        for (i = 0; i < N * N; ++i)
            if (host[i] != N * (seed + round) * (seed + round)) break;
        CHECK(i == N * N);
        if (i < N * N) break;
    }
    OK(cudaFree(da));
    OK(cudaFree(dc));
    OK(cublasDestroy(handle));
    OK(cudaStreamDestroy(stream));
    return NULL;
}

static void *churn(void *argument)
{
    cublasHandle_t handle;
    (void)argument;
    while (!atomic_load(&over)) {
        OK(cublasCreate(&handle));
        OK(cublasDestroy(handle));
    }
    return NULL;
}

int main(void)
{
    pthread_t first, second, third;
    double seeds[] = {3, 1000};
    CHECK(!pthread_create(&first, NULL, work, &seeds[0]));
    CHECK(!pthread_create(&second, NULL, work, &seeds[1]));
    CHECK(!pthread_create(&third, NULL, churn, NULL));
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    atomic_store(&over, 1);
    pthread_join(third, NULL);
    return done();
}
