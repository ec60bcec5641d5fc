/* The CUDA runtime: device, memory of each kind, copies, streams, events, errors.
 * BUILD: cc -std=c11 -Wall -Wextra -Werror -pedantic -I"$HEADERS" "$SOURCE/runtime.c" -L"$LIBS" -lcudart -lm -o runtime
 * RUN: dragoman run -- ./runtime
 */
#include <cuda_runtime_api.h>
#include <string.h>

#include "check.h"

static void devices(void)
{
    struct cudaDeviceProp properties;
    enum cudaFuncCache split = cudaFuncCachePreferEqual;
    int count = 0, device = -1, value = 0;
    OK(cudaGetDeviceCount(&count));
    CHECK(count >= 1);
    OK(cudaSetDevice(0));
    OK(cudaGetDevice(&device));
    CHECK(device == 0);
    OK(cudaGetDeviceProperties(&properties, 0));
    CHECK(strlen(properties.name) > 0 && properties.totalGlobalMem > 0);
    OK(cudaDeviceGetAttribute(&value, cudaDevAttrComputeCapabilityMajor, 0));
    CHECK(value == properties.major);
    OK(cudaDeviceGetCacheConfig(&split));
    CHECK(split == cudaFuncCachePreferNone);
    OK(cudaDeviceSetCacheConfig(cudaFuncCachePreferL1));
    OK(cudaDeviceGetCacheConfig(&split));
    CHECK(split == cudaFuncCachePreferL1);
    GIVES(cudaErrorInvalidDevice, cudaSetDevice(12345));
    GIVES(cudaErrorInvalidDevice, cudaGetLastError());
    OK(cudaGetLastError());
}

static void memory(void)
{
    struct cudaPointerAttributes attributes;
    unsigned char *device, *pinned, host[64], expected[64];
    size_t pitch = 0, available = 0, total = 0;
    int i;
    for (i = 0; i < 64; ++i) host[i] = (unsigned char)i;

    OK(cudaMemGetInfo(&available, &total));
    CHECK(0 < available && available <= total);
    OK(cudaMalloc((void **)&device, 64));
    OK(cudaPointerGetAttributes(&attributes, device));
    CHECK(attributes.type == cudaMemoryTypeDevice && attributes.devicePointer == device);
    OK(cudaMemset(device, 7, 64));
    OK(cudaMemcpy(device + 16, host, 16, cudaMemcpyHostToDevice));
    OK(cudaMallocHost((void **)&pinned, 64));
    OK(cudaMemcpy(pinned, device, 64, cudaMemcpyDefault));
    memset(expected, 7, 64);
    memcpy(expected + 16, host, 16);
    CHECK(!memcmp(pinned, expected, 64));
    OK(cudaFreeHost(pinned));
    OK(cudaFree(device));
    OK(cudaFree(NULL));

    OK(cudaMallocPitch((void **)&device, &pitch, 8, 8)); /* rows of 8 bytes */
    CHECK(pitch >= 8);
    OK(cudaMemcpy2D(device, pitch, host, 8, 8, 8, cudaMemcpyHostToDevice));
    memset(expected, 0, 64);
    OK(cudaMemcpy2D(expected, 8, device, pitch, 4, 8, cudaMemcpyDeviceToHost));
    for (i = 0; i < 64; ++i) CHECK(expected[i] == (i % 8 < 4 ? i : 0));
    OK(cudaFree(device));
}

/* A pool counts what was taken from it alone. */
static void pools(void)
{
    cudaMemPool_t pool, own;
    struct cudaMemPoolProps wanted;
    unsigned long long used = 1, most = 0;
    void *elsewhere, *taken;
    cudaStream_t stream;
    OK(cudaStreamCreate(&stream));
    OK(cudaMalloc(&elsewhere, 4096));
    OK(cudaDeviceGetDefaultMemPool(&pool, 0));
    OK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
    CHECK(used == 0);
    memset(&wanted, 0, sizeof wanted);
    wanted.allocType = cudaMemAllocationTypePinned;
    wanted.location.type = cudaMemLocationTypeDevice;
    OK(cudaMemPoolCreate(&own, &wanted));
    OK(cudaMallocFromPoolAsync(&taken, 1000, own, stream));
    OK(cudaStreamSynchronize(stream));
    OK(cudaMemPoolGetAttribute(own, cudaMemPoolAttrUsedMemCurrent, &used));
    CHECK(used >= 1000);
    OK(cudaFreeAsync(taken, stream));
    OK(cudaStreamSynchronize(stream));
    OK(cudaMemPoolGetAttribute(own, cudaMemPoolAttrUsedMemCurrent, &used));
    OK(cudaMemPoolGetAttribute(own, cudaMemPoolAttrUsedMemHigh, &most));
    CHECK(used == 0 && most >= 1000);
    OK(cudaMemPoolSetAttribute(own, cudaMemPoolAttrUsedMemHigh, &used));
    OK(cudaMemPoolGetAttribute(own, cudaMemPoolAttrUsedMemHigh, &most));
    CHECK(most == 0);
    OK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
    CHECK(used == 0);
    OK(cudaMemPoolDestroy(own));
    OK(cudaFree(elsewhere));
    OK(cudaStreamDestroy(stream));
}

static void streams(void)
{
    cudaStream_t stream;
    cudaEvent_t begin, end;
    float elapsed = -1, *device, host = 3, back = 0;
    OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    OK(cudaEventCreate(&begin));
    OK(cudaEventCreate(&end));
    OK(cudaMalloc((void **)&device, sizeof host));
    OK(cudaEventRecord(begin, stream));
    OK(cudaMemcpyAsync(device, &host, sizeof host, cudaMemcpyHostToDevice, stream));
    OK(cudaMemcpyAsync(&back, device, sizeof host, cudaMemcpyDeviceToHost, stream));
    OK(cudaEventRecord(end, stream));
    OK(cudaStreamWaitEvent(stream, end, 0));
    OK(cudaEventSynchronize(end));
    OK(cudaStreamSynchronize(stream));
    CHECK(back == 3);
    OK(cudaEventElapsedTime(&elapsed, begin, end));
    CHECK(elapsed >= 0);
    OK(cudaStreamQuery(stream));
    OK(cudaFree(device));
    OK(cudaEventDestroy(begin));
    OK(cudaEventDestroy(end));
    OK(cudaStreamDestroy(stream));
    OK(cudaDeviceSynchronize());
}

int main(void)
{
    int version = 0;
    OK(cudaRuntimeGetVersion(&version));
    CHECK(version == CUDART_VERSION);
    CHECK(!strcmp(cudaGetErrorName(cudaErrorInvalidValue), "cudaErrorInvalidValue"));
    CHECK(strlen(cudaGetErrorString(cudaErrorMemoryAllocation)) > 0);
    devices();
    memory();
    pools();
    streams();
    return done();
}
