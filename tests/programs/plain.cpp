// The headers in C++, with the runtime's typed cudaMalloc.
// BUILD: c++ -std=c++11 -Wall -Wextra -Werror -pedantic -I"$HEADERS" "$SOURCE/plain.cpp" -L"$LIBS" -lcublas -lcudart -o plain
// RUN: dragoman run -- ./plain
#include <cublas_v2.h>
#include <cuda_runtime.h>

#include <complex>
#include <vector>

#include "check.h"

int main()
{
    typedef std::complex<float> number;
    const std::vector<number> x(9, number(1, 2));
    number sum;
    cuComplex *d;
    cublasHandle_t handle;
    OK(cublasCreate(&handle));
    OK(cudaMalloc(&d, x.size() * sizeof *d));
    OK(cudaMemcpy(d, x.data(), x.size() * sizeof *d, cudaMemcpyHostToDevice));
    OK(cublasCdotc(handle, static_cast<int>(x.size()), d, 1, d, 1, reinterpret_cast<cuComplex *>(&sum)));
    CHECK(sum == number(45, 0));
    OK(cudaFree(d));
    OK(cublasDestroy(handle));
    return done();
}
