// The runtime's overloads of C++, and the 16-bit and 8-bit floats computed with on the host, as templates of libraries
// do it.
// BUILD: c++ -std=c++11 -Wall -Wextra -Werror -pedantic -I"$HEADERS" "$SOURCE/overloads.cpp" -L"$LIBS" -lcudart -o overloads
// RUN: dragoman run -- ./overloads
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <device_launch_parameters.h>
#if CUDART_VERSION >= 11080
#include <cuda_fp8.h>
#endif

#include "check.h"

static void memory()
{
    float *p = nullptr, *device = nullptr;
    void *untyped = nullptr;
    cudaStream_t stream;
    cudaMemPool_t pool;
    cudaEvent_t event;
    OK(cudaStreamCreate(&stream));
    OK(cudaDeviceGetDefaultMemPool(&pool, 0));
    OK(cudaMallocAsync(&p, 64, stream));
    OK(cudaFreeAsync(p, stream));
    OK(cudaMallocAsync(&p, 64, pool, stream));
    OK(cudaFreeAsync(p, stream));
    OK(cudaMallocAsync(&untyped, 64, pool, stream));
    OK(cudaFreeAsync(untyped, stream));
    OK(cudaMallocFromPoolAsync(&p, 64, pool, stream));
    OK(cudaFreeAsync(p, stream));
    OK(cudaMallocHost(&p, 64, cudaHostAllocMapped));
    OK(cudaHostGetDevicePointer(&device, p, 0));
    OK(cudaFreeHost(p));
    OK(cudaMallocManaged(&p, 64));
    OK(cudaStreamAttachMemAsync(stream, p));
    OK(cudaStreamSynchronize(stream));
    OK(cudaFree(p));
    OK(cudaEventCreate(&event, cudaEventDisableTiming));
    OK(cudaEventDestroy(event));
    OK(cudaStreamDestroy(stream));
}

// A graph is not there on every backend; that this compiles, as CUDA 11 had it, is the point.
cudaError_t made(cudaGraphExec_t *exec, cudaGraph_t graph)
{
    return cudaGraphInstantiate(exec, graph, nullptr, nullptr, 0);
}

#if CUDART_VERSION >= 12020 // NVIDIA's of before have most of this on the device only
template <class T> static void arithmetic()
{
    T a(1.5f), b(2), c(0.25);
    CHECK(float(a + b) == 3.5f && float(a - b) == -0.5f && float(a * b) == 3 && float(b / c) == 8);
    CHECK(a < b && a <= b && b > a && b >= a && a != b && a == a && -a < c);
    a += b;
    a *= b;
    a -= c;
    a /= c;
    CHECK(float(a) == 27);
    CHECK(float(__hadd(b, c)) == 2.25f && float(__hmax(b, c)) == 2 && float(__hmin(b, c)) == 0.25f && __hlt(c, b));
    c = T(0.0f);
    CHECK(__hisnan(c / c) && !(c / c == c / c) && __hisinf(b / c) == 1 && __hisinf(-b / c) == -1);
}

static void floats()
{
    const float below = 1.00048828125f - 1e-7f;
    __half h = __float2half(1.5f), copy;
    __half2 pair = __floats2half2_rn(1, 2);
    __nv_bfloat162 other = __floats2bfloat162_rn(3, 4);
    copy = h;
    CHECK(__half2float(copy) == 1.5f && float(__int2half_rn(-3)) == -3 && __half2int_rz(h) == 1);
    CHECK(__low2float(pair) == 1 && __high2float(pair) == 2 && __half22float2(__half2half2(h)).y == 1.5f);
    CHECK(__low2float(other) == 3 && float(__high2bfloat16(other)) == 4);
    CHECK(float(__float2half_rz(below)) == 1 && float(__float2half_ru(1.0001f)) == 1 + 1.0f / 1024);
    CHECK(float(__float2half_rd(-1.0001f)) == -1 - 1.0f / 1024 && __half_as_ushort(__float2half_rz(1e9f)) == 0x7bff);
    // just above the middle between two halves: rounding to float first would fall into it, and then down
    CHECK(float(__double2half(1 + 1.0 / 2048 + 1e-12)) == 1 + 1.0f / 1024 && float(__double2half(1 + 1.0 / 2048)) == 1);
    CHECK(__nv_fp8_e4m3(1.7f).__x == 0x3e && __nv_fp8_e4m3(1000.0f).__x == 0x7e && __nv_fp8_e5m2(-3.3f).__x == 0xc3);
    CHECK(float(__nv_fp8_e4m3(0.001953125f)) == 0.001953125f && float(__nv_fp8_e5m2(57344.0f)) == 57344);
    CHECK(__nv_cvt_float_to_fp8(1e9f, __NV_NOSAT, __NV_E4M3) == 0x7f);
    CHECK(__nv_cvt_float_to_fp8(1e9f, __NV_NOSAT, __NV_E5M2) == 0x7c);
    arithmetic<__half>();
    arithmetic<__nv_bfloat16>();
}
#endif

int main()
{
    memory();
#if CUDART_VERSION >= 12020
    floats();
#endif
    return done();
}
