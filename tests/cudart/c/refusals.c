/* What the CUDA runtime and the driver refuse, and what they keep: limits, flags, pinned and pitched
 * memory, pools, streams.
 * BUILD: cc -std=gnu11 -Wall -Wextra -I INCLUDE tests/cudart/c/refusals.c -L LIB -lcudart -lcuda -lpthread -o t
 * RUN:   ./t
 */
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

static const enum cudaLimit limits[] = {cudaLimitStackSize,
                                        cudaLimitPrintfFifoSize,
                                        cudaLimitMallocHeapSize,
                                        cudaLimitDevRuntimeSyncDepth,
                                        cudaLimitDevRuntimePendingLaunchCount,
                                        cudaLimitMaxL2FetchGranularity,
                                        cudaLimitPersistingL2CacheSize};

static void each_limit_reads_back(void) {
    size_t start[7], value = 0;
    for (int i = 0; i < 7; i++) {
        OK(cudaDeviceGetLimit(&start[i], limits[i]));
        if (limits[i] != cudaLimitPersistingL2CacheSize) IS(1, start[i] > 0);
        OK(cudaDeviceSetLimit(limits[i], 96 + i));
        OK(cudaDeviceGetLimit(&value, limits[i]));
        IS(96 + i, value);
    }
    OK(cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, 0)); /* 0 is a value */
    OK(cudaDeviceGetLimit(&value, cudaLimitPersistingL2CacheSize));
    IS(0, value);
    OK(cudaDeviceReset());
    for (int i = 0; i < 7; i++) {
        OK(cudaDeviceGetLimit(&value, limits[i]));
        IS(start[i], value);
    }
    IS(1, cudaDeviceSetLimit(cudaLimitMaxL2FetchGranularity, 129));
    IS(1, cudaDeviceGetLimit(NULL, cudaLimitStackSize));
    IS(1, cudaDeviceGetLimit(&value, (enum cudaLimit)99));
    IS(1, cudaDeviceGetLimit(&value, (enum cudaLimit)-1));
    IS(1, cudaDeviceSetLimit((enum cudaLimit)99, 1));
    IS(1, cudaDeviceSetLimit((enum cudaLimit)-1, 1));
}

static void the_driver_has_the_same_limits(void) {
    size_t value = 0;
    OK(cuInit(0));
    OK(cudaFree(NULL));
    OK(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 2048));
    OK(cudaDeviceGetLimit(&value, cudaLimitStackSize));
    IS(2048, value);
    OK(cuCtxSetLimit(CU_LIMIT_MAX_L2_FETCH_GRANULARITY, 32));
    OK(cuCtxGetLimit(&value, CU_LIMIT_MAX_L2_FETCH_GRANULARITY));
    IS(32, value);
    IS(1, cuCtxGetLimit(&value, (CUlimit)99));
    IS(1, cuCtxSetLimit((CUlimit)99, 1));
    IS(1, cuCtxGetLimit(NULL, CU_LIMIT_STACK_SIZE));
}

static void flags(void) {
    unsigned kept = 7;
    const unsigned right[] = {0, 1, 2, 4, 8, 16, 8 | 4, 16 | 1};
    const unsigned wrong[] = {3, 5, 6, 7, 0x100, 0x1000};
    for (size_t i = 0; i < sizeof right / sizeof *right; i++) {
        OK(cudaSetDeviceFlags(right[i]));
        OK(cudaGetDeviceFlags(&kept));
        IS(right[i] | 8, kept); /* pinned memory is always mapped */
    }
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) IS(1, cudaSetDeviceFlags(wrong[i]));
    OK(cudaGetDeviceFlags(&kept));
    IS(16 | 8 | 1, kept); /* as they were */
    IS(1, cudaGetDeviceFlags(NULL));
#if CUDART_VERSION >= 12000
    OK(cudaSetDeviceFlags(0x80 | 4)); /* synchronous copies */
    OK(cudaGetDeviceFlags(&kept));
    IS(0x80 | 8 | 4, kept);
    OK(cudaSetDeviceFlags(0x60)); /* taken, and not told back */
    OK(cudaGetDeviceFlags(&kept));
    IS(8, kept);
    IS(1, cudaInitDevice(0, 3, 1)); /* 1: the flags count */
    OK(cudaInitDevice(0, 3, 0));
    OK(cudaInitDevice(0, 4, 1));
    IS(1, cudaInitDevice(0, 0, 2));
    IS(101, cudaInitDevice(7, 0, 0));
#else
    IS(1, cudaSetDeviceFlags(0x80));
#endif
    OK(cudaDeviceReset());
    OK(cudaSetDeviceFlags(0));
    OK(cudaGetDeviceFlags(&kept));
    IS(8, kept);
}

static void registered(void) {
    char *memory = malloc(3 << 16);
    char *page = (char *)(((uintptr_t)memory + 65535) & ~(uintptr_t)65535);
    for (unsigned f = 0; f < 4; f++) {
        OK(cudaHostRegister(page, 4096, f));
        OK(cudaHostUnregister(page));
    }
    IS(1, cudaHostRegister(page, 4096, 16));
    IS(1, cudaHostRegister(page, 4096, 0x80000000u));
    IS(1, cudaHostRegister(page, 0, 0));
    IS(1, cudaHostRegister(NULL, 4096, 0));
    IS(1, cudaHostRegister((void *)0x10000, 4096, 0)); /* no memory there */
    IS(1, cudaHostRegister(page, (size_t)1 << 45, 0)); /* nor all the way */
    IS(1, cudaHostRegister(page, SIZE_MAX, 0));
    IS(713, cudaHostUnregister(page));
    OK(cuInit(0));
    IS(1, cuMemHostRegister(page, 4096, 16));
    IS(1, cuMemHostRegister((void *)0x10000, 4096, 0));
    free(memory);
}

static void pitched(void) {
    void *d = NULL;
    size_t pitch = 0;
    CUdeviceptr p = 0;
    struct cudaPitchedPtr box;
    struct cudaExtent extent = {100, 3, 2}, huge = {SIZE_MAX, 1, 1};
    const size_t widths[][2] = {{1, 512}, {512, 512}, {513, 1024}, {5000, 5120}};
    for (size_t i = 0; i < 4; i++) {
        OK(cudaMallocPitch(&d, &pitch, widths[i][0], 2));
        IS(widths[i][1], pitch);
        OK(cudaMemset(d, 0, 2 * pitch));
        OK(cudaFree(d));
        OK(cuMemAllocPitch(&p, &pitch, widths[i][0], 2, 4));
        IS(widths[i][1], pitch);
        OK(cuMemFree(p));
    }
    IS(2, cudaMallocPitch(&d, &pitch, SIZE_MAX, 1));
    IS(2, cudaMallocPitch(&d, &pitch, SIZE_MAX / 2, 3));
    IS(1, cudaMallocPitch(NULL, &pitch, 1, 1));
    IS(1, cudaMallocPitch(&d, NULL, 1, 1));
    OK(cudaMalloc3D(&box, extent));
    IS(512, box.pitch);
    IS(100, box.xsize);
    IS(3, box.ysize);
    OK(cudaMemset3D(box, 1, extent));
    OK(cudaFree(box.ptr));
    IS(2, cudaMalloc3D(&box, huge));
    IS(1, cudaMalloc3D(NULL, extent));
}

static void attached(void) {
    void *managed = NULL, *device = NULL;
    cudaStream_t s = NULL;
    OK(cudaMallocManaged(&managed, 1000, 1));
    OK(cudaMalloc(&device, 1000));
    OK(cudaStreamCreate(&s));
    OK(cudaStreamAttachMemAsync(s, managed, 0, 4));
    OK(cudaStreamAttachMemAsync(s, managed, 1000, 4));
    OK(cudaStreamAttachMemAsync(NULL, managed, 0, 1));
    OK(cudaStreamAttachMemAsync(NULL, managed, 0, 2));
    IS(1, cudaStreamAttachMemAsync(NULL, managed, 0, 4)); /* the null stream is no single one */
    IS(1, cudaStreamAttachMemAsync(cudaStreamLegacy, managed, 0, 4));
    IS(1, cudaStreamAttachMemAsync(s, managed, 500, 4));
    IS(1, cudaStreamAttachMemAsync(s, (char *)managed + 8, 1000, 4));
    IS(1, cudaStreamAttachMemAsync(s, managed, 0, 0));
    IS(1, cudaStreamAttachMemAsync(s, managed, 0, 3));
    IS(1, cudaStreamAttachMemAsync(s, managed, 0, 8));
    IS(1, cudaStreamAttachMemAsync(s, device, 0, 4));
    IS(1, cudaStreamAttachMemAsync(s, NULL, 0, 4));
    OK(cudaStreamDestroy(s));
    OK(cudaFree(managed));
    OK(cudaFree(device));
}

static void pools(void) {
    cudaMemPool_t pool = NULL;
    struct cudaMemAccessDesc access;
    enum cudaMemAccessFlags allowed = cudaMemAccessFlagsProtNone;
    OK(cudaDeviceGetDefaultMemPool(&pool, 0));
    memset(&access, 0, sizeof access);
    access.location.type = cudaMemLocationTypeDevice;
    access.flags = cudaMemAccessFlagsProtReadWrite;
    OK(cudaMemPoolSetAccess(pool, &access, 1));
    access.flags = cudaMemAccessFlagsProtNone;
    IS(101, cudaMemPoolSetAccess(pool, &access, 1)); /* the pool's own device */
    OK(cudaMemPoolGetAccess(&allowed, pool, &access.location));
    IS(3, allowed);
    access.flags = (enum cudaMemAccessFlags)2;
    IS(1, cudaMemPoolSetAccess(pool, &access, 1));
    access.flags = cudaMemAccessFlagsProtReadWrite;
    access.location.id = 1;
    IS(101, cudaMemPoolSetAccess(pool, &access, 1));
    access.location.type = cudaMemLocationTypeInvalid;
    IS(1, cudaMemPoolSetAccess(pool, &access, 1));
    IS(1, cudaMemPoolSetAccess(pool, NULL, 1));
    OK(cudaMemPoolSetAccess(pool, NULL, 0));
    IS(1, cudaMemPoolSetAccess(NULL, &access, 1));
    IS(1, cudaMemPoolSetAccess((cudaMemPool_t)0x1234, &access, 1));
}

/* Rows that are nothing, too many, or behind the memory: refused before the first is written, and at once. */
static void fills(void) {
    CUdeviceptr d = 0;
    unsigned char back[256];
    OK(cuMemAlloc(&d, 256));
    OK(cuMemsetD8(d, 7, 256));
    OK(cuMemsetD2D8(d, 16, 1, 0, SIZE_MAX));
    OK(cuMemsetD2D16(d, 16, 1, 8, 0));
    OK(cuMemsetD2D32(d, 0, 1, 0, SIZE_MAX));
    IS(1, cuMemsetD2D8(d, 16, 1, 16, SIZE_MAX));
    IS(1, cuMemsetD2D8(d, SIZE_MAX, 1, 16, 2));
    IS(1, cuMemsetD2D16(d, 16, 1, SIZE_MAX / 2 + 1, 1));
    IS(1, cuMemsetD2D32(d, 16, 1, SIZE_MAX / 4 + 2, 2));
    IS(1, cuMemsetD2D32(d, 16, 1, 4, 17)); /* one row too many */
    IS(1, cuMemsetD2D32Async(d, 16, 1, 4, 17, NULL));
    IS(1, cuMemsetD2D8(0, 16, 1, 4, 2));
    OK(cuMemcpyDtoH(back, d, 256));
    for (int i = 0; i < 256; i++) IS(7, back[i]);
    OK(cuMemsetD2D8(d, 16, 1, 4, 16));
    OK(cuMemcpyDtoH(back, d, 256));
    for (int i = 0; i < 256; i++) IS(i % 16 < 4 ? 1 : 7, back[i]);
    OK(cuMemFree(d));
    IS(1, cuMemFree(d));
}

static void devices(void) {
    struct cudaDeviceProp p;
    int device = -1;
    IS(101, cudaGetDeviceProperties(&p, 1));
    IS(101, cudaGetDeviceProperties(&p, -1));
    IS(101, cudaSetDevice(7));
    OK(cudaGetDevice(&device));
    IS(0, device);
}

int main(void) {
    each_limit_reads_back();
    the_driver_has_the_same_limits();
    flags();
    registered();
    pitched();
    attached();
    pools();
    fills();
    devices();
    cudaGetLastError();
    printf("%d misses\n", misses);
    return misses != 0;
}
