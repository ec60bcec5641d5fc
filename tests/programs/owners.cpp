// Handles that C++ objects own: static ones destroyed after main, a thread's own destroyed with the thread, handles
// whose stream was destroyed before them, hundreds at once destroyed in another order than made, and a device reset
// under all of them, after which new ones work.
// BUILD: c++ -std=c++11 -Wall -Wextra -Werror -pedantic -pthread -I"$HEADERS" "$SOURCE/owners.cpp" -L"$LIBS" -lcudnn -lcublas -lcudart -o owners
// RUN: dragoman run -- ./owners
#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <cudnn.h>
#include <cstdlib>
#include <thread>
#include <vector>

#include "check.h"

namespace {

// After main the runtime may say that it is being unloaded, as NVIDIA's does.
void freed(cudaError_t status) { CHECK(status == cudaSuccess || status == cudaErrorCudartUnloading); }

struct Owner {
    cublasHandle_t blas = nullptr;
    cudnnHandle_t dnn = nullptr;
    cudaStream_t stream = nullptr;
    float *memory = nullptr;

    void make()
    {
        float sum = 1;
        OK(cublasCreate(&blas));
        OK(cudnnCreate(&dnn));
        OK(cudaStreamCreate(&stream));
        OK(cublasSetStream(blas, stream));
        OK(cudnnSetStream(dnn, stream));
        OK(cudaMalloc(&memory, 64));
        OK(cudaMemset(memory, 0, 64));
        OK(cublasSasum(blas, 16, memory, 1, &sum));
        CHECK(sum == 0);
    }

    ~Owner()
    {
        if (!blas) return;
        int before = wrong_checks;
        OK(cublasDestroy(blas));
        OK(cudnnDestroy(dnn));
        freed(cudaFree(memory));
        freed(cudaStreamDestroy(stream));
        if (wrong_checks != before) std::_Exit(1);
    }
};

Owner after_main;
thread_local Owner of_thread;

void dead_stream()
{
    const float values[4] = {1, -2, 3, -4};
    float *x, sum = 0;
    cublasHandle_t handle;
    cudaStream_t stream;
    OK(cudaMalloc(&x, sizeof values));
    OK(cudaMemcpy(x, values, sizeof values, cudaMemcpyHostToDevice));
    OK(cublasCreate(&handle));
    OK(cudaStreamCreate(&stream));
    OK(cublasSetStream(handle, stream));
    OK(cudaStreamDestroy(stream));
    (void)cublasSasum(handle, 4, x, 1, &sum); // some answer, and nothing breaks
    (void)cudaGetLastError();
    OK(cublasSetStream(handle, nullptr));
    OK(cublasSasum(handle, 4, x, 1, &sum));
    CHECK(sum == 10);
    OK(cublasDestroy(handle));
    OK(cudaFree(x));
}

void crowd()
{
    std::vector<cublasHandle_t> blas(200);
    std::vector<cudnnHandle_t> dnn(40);
    for (auto &handle : blas) OK(cublasCreate(&handle));
    for (auto &handle : dnn) OK(cudnnCreate(&handle));
    for (std::size_t i = blas.size(); i-- > 100;) OK(cublasDestroy(blas[i]));
    for (std::size_t i = 0; i < dnn.size(); i += 2) OK(cudnnDestroy(dnn[i]));
    for (std::size_t i = 0; i < 100; ++i) OK(cublasSetMathMode(blas[i], CUBLAS_DEFAULT_MATH));
    for (std::size_t i = 1; i < dnn.size(); i += 2) OK(cudnnDestroy(dnn[i]));
    for (std::size_t i = 0; i < 100; ++i) OK(cublasDestroy(blas[i]));
}

// The memory is gone; what is made afterwards works, and what was made before is destroyed in peace.
void reset()
{
    cublasHandle_t old, young;
    cudnnHandle_t net;
    float *x, sum = 1;
    OK(cublasCreate(&old));
    OK(cudnnCreate(&net));
    OK(cudaDeviceReset());
    OK(cudaMalloc(&x, 64));
    OK(cudaMemset(x, 0, 64));
    OK(cublasCreate(&young));
    OK(cublasSasum(young, 16, x, 1, &sum));
    CHECK(sum == 0);
    (void)cublasDestroy(old);
    (void)cudnnDestroy(net);
    OK(cublasDestroy(young));
    OK(cudaFree(x));
}

} // namespace

int main()
{
    reset();
    dead_stream();
    crowd();
    after_main.make();
    of_thread.make();
    for (int i = 0; i < 4; ++i) std::thread([] { of_thread.make(); }).join();
    return done();
}
