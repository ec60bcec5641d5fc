/* A program that uses the CUDA runtime as programs do: memory, copies, streams, events, pools, threads, properties.
 * BUILD: cc -std=gnu11 -Wall -Wextra -I INCLUDE tests/cudart/c/runtime.c -L LIB -lcudart -lpthread -o t
 * RUN:   ./t
 */
#include <cuda_profiler_api.h>
#include <cuda_runtime_api.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

static void versions(void) {
    int runtime = 0, driver = 0;
    OK(cudaRuntimeGetVersion(&runtime));
    OK(cudaDriverGetVersion(&driver));
    IS(CUDART_VERSION, runtime);
    IS(1, driver >= runtime);
}

static void device(void) {
    struct cudaDeviceProp p;
    int count = 0, current = -1, value = 0, device = -1;
    char id[32];
    size_t free_bytes = 0, total = 0;
    OK(cudaGetDeviceCount(&count));
    IS(1, count >= 1);
    OK(cudaSetDevice(0));
    OK(cudaGetDevice(&current));
    IS(0, current);
    OK(cudaGetDeviceProperties(&p, 0));
    OK(strcmp(p.name, "dragoman CPU backend"));
    IS(8, p.major);
    IS(6, p.minor);
    IS(32, p.warpSize);
    IS(1024, p.maxThreadsDim[2]);
    IS(65535, p.maxGridSize[2]);
    OK(memcmp(p.uuid.bytes, "dragoman-cpu-000", 16));
    OK(cudaMemGetInfo(&free_bytes, &total));
    IS(total, p.totalGlobalMem);
    /* each property says what its attribute says */
    OK(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 0));
    IS(value, p.multiProcessorCount);
    OK(cudaDeviceGetAttribute(&value, cudaDevAttrMaxSharedMemoryPerBlock, 0));
    IS(value, p.sharedMemPerBlock);
    OK(cudaDeviceGetAttribute(&value, cudaDevAttrConcurrentManagedAccess, 0));
    IS(value, p.concurrentManagedAccess);
    OK(cudaDeviceGetAttribute(&value, cudaDevAttrMaxBlocksPerMultiprocessor, 0));
    IS(value, p.maxBlocksPerMultiProcessor);
    IS(0, p.reservedSharedMemPerBlock);
#if CUDART_VERSION >= 12000
    IS(1, p.hostRegisterSupported);
    IS(1, p.memoryPoolsSupported);
    IS(0, p.clusterLaunch);
#endif
    OK(cudaDeviceGetPCIBusId(id, sizeof id, 0));
    OK(cudaDeviceGetByPCIBusId(&device, id));
    IS(0, device);
}

/* What is said about managed memory reads back: places are devices, the host (-1) or nowhere (-2). */
static void advice(float *managed) {
    int one = 9, two[2] = {9, 9}, first = 9;
    void *answers[2] = {&one, two};
    size_t sizes[2] = {sizeof one, sizeof two};
    enum cudaMemRangeAttribute asked[2] = {cudaMemRangeAttributeReadMostly, cudaMemRangeAttributeAccessedBy};
#define SAID(attribute, value) \
    do { \
        OK(cudaMemRangeGetAttribute(&first, sizeof first, (enum cudaMemRangeAttribute)(attribute), managed, 256)); \
        IS(value, first); \
    } while (0)
    SAID(cudaMemRangeAttributeReadMostly, 0);
    SAID(cudaMemRangeAttributePreferredLocation, -2);
    SAID(cudaMemRangeAttributeAccessedBy, -2);
    SAID(cudaMemRangeAttributeLastPrefetchLocation, -2);
    SAID(5, 0);
    SAID(6, -2);
#if CUDART_VERSION >= 13000
    struct cudaMemLocation device = {0}, host = {0};
    device.type = cudaMemLocationTypeDevice;
    host.type = cudaMemLocationTypeHost;
    OK(cudaMemPrefetchAsync(managed, 256, device, 0, NULL));
#else
    const int device = 0, host = cudaCpuDeviceId;
    OK(cudaMemPrefetchAsync(managed, 256, device, NULL));
#endif
    OK(cudaMemAdvise(managed, 256, cudaMemAdviseSetReadMostly, device));
    OK(cudaMemAdvise(managed, 256, cudaMemAdviseSetPreferredLocation, host));
    OK(cudaMemAdvise(managed, 256, cudaMemAdviseSetAccessedBy, device));
    OK(cudaMemAdvise(managed, 256, cudaMemAdviseSetAccessedBy, host));
    SAID(cudaMemRangeAttributeReadMostly, 1);
    SAID(cudaMemRangeAttributePreferredLocation, -1);
    SAID(cudaMemRangeAttributeLastPrefetchLocation, 0);
    SAID(5, 2);
    SAID(7, 1);
    SAID(8, 0);
    OK(cudaMemRangeGetAttributes(answers, sizes, asked, 2, managed, 256));
    IS(1, one == 1 && two[0] == 0 && two[1] == -1);
    OK(cudaMemAdvise(managed, 256, cudaMemAdviseUnsetReadMostly, device));
    OK(cudaMemAdvise(managed, 256, cudaMemAdviseUnsetPreferredLocation, host));
    OK(cudaMemAdvise(managed, 256, cudaMemAdviseUnsetAccessedBy, device));
    SAID(cudaMemRangeAttributeReadMostly, 0);
    SAID(cudaMemRangeAttributePreferredLocation, -2);
    SAID(cudaMemRangeAttributeAccessedBy, -1);
    IS(1, cudaMemRangeGetAttribute(&first, 8, cudaMemRangeAttributeReadMostly, managed, 256));
    IS(1, cudaMemRangeGetAttribute(&first, 4, cudaMemRangeAttributeReadMostly, managed, 257));
    IS(1, cudaMemRangeGetAttribute(&first, 4, (enum cudaMemRangeAttribute)9, managed, 256));
    IS(1, cudaMemRangeGetAttribute(&first, 4, cudaMemRangeAttributeReadMostly, &first, 4));
    IS(1, cudaMemRangeGetAttributes(answers, sizes, asked, 0, managed, 256));
    cudaGetLastError();
}

static void copies(void) {
    float host[64], back[64];
    float *d = NULL, *rows = NULL, *managed = NULL, *pinned = NULL;
    struct cudaPitchedPtr box;
    struct cudaExtent extent = {16, 4, 3};
    struct cudaMemcpy3DParms p;
    char flat[16 * 4 * 3], round[16 * 4 * 3];
    size_t pitch = 0;
    cudaStream_t s;
    for (int i = 0; i < 64; i++) host[i] = (float)i;
    OK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    OK(cudaMalloc((void **)&d, sizeof host));
    OK(cudaMemcpyAsync(d, host, sizeof host, cudaMemcpyHostToDevice, s));
    OK(cudaMemcpyAsync(back, d, sizeof host, cudaMemcpyDeviceToHost, s));
    OK(cudaStreamSynchronize(s));
    OK(memcmp(host, back, sizeof host));
    OK(cudaMemsetAsync(d, 0, 4, s));
    OK(cudaMemcpy(back, d, 8, cudaMemcpyDefault));
    IS(0, back[0]);
    IS(1, back[1]);
    OK(cudaMemcpyPeer(d, 0, d + 8, 0, 32));
    OK(cudaMallocPitch((void **)&rows, &pitch, 20, 4));
    OK(cudaMemcpy2D(rows, pitch, host, 16, 16, 4, cudaMemcpyHostToDevice));
    OK(cudaMemcpy2DAsync(back, 16, rows, pitch, 16, 4, cudaMemcpyDeviceToHost, s));
    OK(cudaStreamSynchronize(s));
    OK(memcmp(host, back, 64));
    OK(cudaMemset2D(rows, pitch, 0, 16, 4));
    OK(cudaMalloc3D(&box, extent));
    for (size_t i = 0; i < sizeof flat; i++) flat[i] = (char)i;
    memset(&p, 0, sizeof p);
    p.srcPtr.ptr = flat;
    p.srcPtr.pitch = p.srcPtr.xsize = 16;
    p.srcPtr.ysize = 4;
    p.dstPtr = box;
    p.extent = extent;
    p.kind = cudaMemcpyHostToDevice;
    OK(cudaMemcpy3D(&p));
    p.dstPtr = p.srcPtr;
    p.dstPtr.ptr = round;
    p.srcPtr = box;
    p.kind = cudaMemcpyDeviceToHost;
    OK(cudaMemcpy3DAsync(&p, NULL));
    OK(cudaDeviceSynchronize());
    OK(memcmp(flat, round, sizeof flat));
    OK(cudaMallocManaged((void **)&managed, 256, cudaMemAttachGlobal));
    managed[3] = 7;
    OK(cudaMemcpy(back, managed, 256, cudaMemcpyDefault));
    IS(7, back[3]);
    advice(managed);
    OK(cudaMallocHost((void **)&pinned, 256));
    pinned[0] = 5;
    OK(cudaMemcpy(d, pinned, 4, cudaMemcpyHostToDevice));
    /* what is said to be the device's and is not: refused, and nothing is touched */
    IS(1, cudaMemcpy(back, host, 8, cudaMemcpyHostToDevice));
    IS(1, cudaMemcpy(back, host, 8, cudaMemcpyDeviceToHost));
    IS(1, cudaMemcpy(d, host, 8, cudaMemcpyDeviceToDevice));
    IS(1, cudaMemset((void *)0x7f0000001234, 0, 8));
    IS(1, cudaMemset(back, 0, 8));
    IS(1, cudaMemcpy2D((void *)0x7f0000001234, 16, host, 16, 16, 2, cudaMemcpyHostToDevice));
    cudaGetLastError();
    OK(cudaFreeHost(pinned));
    OK(cudaFree(managed));
    OK(cudaFree(box.ptr));
    OK(cudaFree(rows));
    OK(cudaFree(d));
    OK(cudaStreamDestroy(s));
}

static void add_one(void *data) { ++*(int *)data; }
static void CUDART_CB note(cudaStream_t stream, cudaError_t status, void *data) {
    (void)stream;
    if (status == cudaSuccess) ++*(int *)data;
}

static void streams(void) {
    cudaStream_t s, kinds[3] = {NULL, (cudaStream_t)1, (cudaStream_t)2};
    cudaEvent_t start, stop;
    int *d = NULL, calls = 0, least = 9, greatest = 9, priority = 9;
    float ms = -1;
    OK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    IS(0, least);
    OK(cudaStreamCreateWithPriority(&s, cudaStreamDefault, greatest));
    OK(cudaStreamGetPriority(s, &priority));
    IS(greatest, priority);
    OK(cudaEventCreate(&start));
    OK(cudaEventCreate(&stop));
    OK(cudaEventRecord(start, s));
    OK(cudaLaunchHostFunc(s, add_one, &calls));
    OK(cudaStreamAddCallback(s, note, &calls, 0));
    OK(cudaEventRecord(stop, s));
    OK(cudaEventSynchronize(stop));
    IS(2, calls);
    OK(cudaMalloc((void **)&d, sizeof *d));
    OK(cudaEventElapsedTime(&ms, start, stop));
    IS(1, ms >= 0 && ms < 10000);
    for (int i = 0; i < 3; i++) {
        OK(cudaStreamWaitEvent(kinds[i], stop, 0));
        OK(cudaMemsetAsync(d, 0, sizeof *d, kinds[i]));
        OK(cudaStreamSynchronize(kinds[i]));
        OK(cudaStreamQuery(kinds[i]));
    }
    OK(cudaFree(d));
    OK(cudaEventDestroy(start));
    OK(cudaEventDestroy(stop));
    OK(cudaStreamDestroy(s));
    for (int i = 0; i < 10000; i++) {
        OK(cudaEventCreateWithFlags(&start, cudaEventDisableTiming));
        OK(cudaEventDestroy(start));
    }
}

static void pools(void) {
    cudaMemPool_t pool = NULL, own = NULL;
    struct cudaMemPoolProps props;
    unsigned long long threshold = 1 << 20, read = 0;
    void *p = NULL;
    OK(cudaDeviceGetDefaultMemPool(&pool, 0));
    OK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
    OK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &read));
    IS(threshold, read);
    OK(cudaMallocAsync(&p, 100, NULL));
    OK(cudaFreeAsync(p, NULL));
    memset(&props, 0, sizeof props);
    props.allocType = cudaMemAllocationTypePinned;
    props.location.type = cudaMemLocationTypeDevice;
    OK(cudaMemPoolCreate(&own, &props));
    OK(cudaMallocFromPoolAsync(&p, 100, own, NULL));
    OK(cudaFreeAsync(p, NULL));
    OK(cudaMemPoolTrimTo(own, 0));
    OK(cudaMemPoolDestroy(own));
}

/* nvcc's output calls these before main and around each launch. */
extern void **__cudaRegisterFatBinary(void *binary);
extern void __cudaRegisterFatBinaryEnd(void **module);
extern void __cudaUnregisterFatBinary(void **module);
extern char __cudaInitModule(void **module);
extern void __cudaRegisterFunction(void **, const char *, char *, const char *, int, void *, void *, void *, void *,
                                   int *);
extern void __cudaRegisterVar(void **, char *, char *, const char *, int, size_t, int, int);
extern unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, struct CUstream_st *stream);
extern cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream);

static void kernels(void) {
    static char kernel, variable;
    struct { int magic, version; const void *data; void *more; } binary = {0x466243b1, 1, NULL, NULL};
    dim3 grid = {7, 2, 3}, block = {32, 1, 1}, g, b;
    size_t shared = 0;
    void *stream = NULL;
    void **module = __cudaRegisterFatBinary(&binary);
    IS(1, module != NULL);
    __cudaRegisterFunction(module, &kernel, &kernel, "kernel", -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterVar(module, &variable, &variable, "variable", 0, 4, 0, 0);
    __cudaRegisterFatBinaryEnd(module);
    IS(1, __cudaInitModule(module) != 0);
    OK(__cudaPushCallConfiguration(grid, block, 48, (cudaStream_t)2));
    OK(__cudaPushCallConfiguration(block, grid, 0, NULL)); /* an argument of the launch may launch */
    OK(__cudaPopCallConfiguration(&g, &b, &shared, &stream));
    IS(32, g.x);
    OK(__cudaPopCallConfiguration(&g, &b, &shared, &stream));
    IS(7, g.x);
    IS(3, g.z);
    IS(48, shared);
    IS(2, (size_t)stream);
    IS(cudaErrorNoKernelImageForDevice, cudaLaunchKernel(&kernel, g, b, NULL, shared, stream));
    IS(cudaErrorNoKernelImageForDevice, cudaPeekAtLastError());
    IS(cudaErrorNoKernelImageForDevice, cudaGetLastError());
    OK(cudaGetLastError());
    __cudaUnregisterFatBinary(module);
}

static void errors(void) {
    IS(cudaErrorInvalidValue, cudaFree((void *)0x1234));
    OK(cudaStreamQuery(NULL)); /* a success hides nothing */
    IS(cudaErrorInvalidValue, cudaPeekAtLastError());
    IS(cudaErrorInvalidValue, cudaGetLastError());
    OK(cudaGetLastError());
    IS(cudaErrorNotSupported, cudaStreamGetAttribute(NULL, (cudaLaunchAttributeID)0, NULL));
    IS(cudaErrorNotSupported, cudaGetLastError());
    OK(strcmp(cudaGetErrorName(cudaErrorMemoryAllocation), "cudaErrorMemoryAllocation"));
    for (int i = 0; i < 1100; i++) IS(1, cudaGetErrorString((cudaError_t)i)[0] != 0);
}

#ifndef _WIN32
#include <pthread.h>
static void *other_thread(void *data) {
    int *wrong = data;
    *wrong += cudaGetLastError() != cudaSuccess; /* the first thread's error is not ours */
    for (int i = 0; i < 500; i++) {
        void *p = NULL;
        cudaEvent_t e = NULL;
        *wrong += cudaMalloc(&p, 64 + (size_t)i) != cudaSuccess;
        *wrong += cudaEventCreate(&e) || cudaEventRecord(e, (cudaStream_t)2) || cudaEventDestroy(e);
        *wrong += cudaFree(p) != cudaSuccess;
        *wrong += cudaFree((void *)16) != cudaErrorInvalidValue || cudaGetLastError() != cudaErrorInvalidValue;
    }
    return NULL;
}

static void threads(void) {
    pthread_t t[3];
    int wrong[3] = {0, 0, 0};
    IS(cudaErrorInvalidDevice, cudaSetDevice(77));
    for (int i = 0; i < 3; i++) pthread_create(&t[i], NULL, other_thread, &wrong[i]);
    for (int i = 0; i < 3; i++) {
        pthread_join(t[i], NULL);
        OK(wrong[i]);
    }
    IS(cudaErrorInvalidDevice, cudaGetLastError());
}
#else
static void threads(void) {}
#endif

int main(void) {
    void *left = NULL;
    versions();
    device();
    copies();
    streams();
    pools();
    kernels();
    errors();
    threads();
    OK(cudaProfilerStart());
    OK(cudaMalloc(&left, 100));
    OK(cudaDeviceReset());
    printf("%d misses\n", misses);
    return misses != 0;
}
