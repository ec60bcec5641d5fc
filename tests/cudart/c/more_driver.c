/* The rest of the small driver: copies and fills of blocks, later on a stream, to peers; pools, priorities, settings.
 * Also compiled with CUDA_API_PER_THREAD_DEFAULT_STREAM, which leads each call to its twin.
 * BUILD: cc -std=gnu11 -Wall -Wextra -I INCLUDE tests/cudart/c/more_driver.c -L LIB -lcuda -o t
 * RUN:   ./t
 */
#include <cuda.h>
#include <string.h>

#include "check.h"

enum { SIDE = 8, BYTES = SIDE * SIDE };

static unsigned char source[BYTES], back[BYTES];
static CUdeviceptr d, e;
static CUstream s;

/* The whole of device memory, in host memory. */
static const unsigned char *now(CUdeviceptr from) {
    memset(back, 0xee, BYTES);
    OK(cuMemcpyDtoH(back, from, BYTES));
    return back;
}

/* Bytes of value v, all others w. */
static int holds(CUdeviceptr from, int row, int rows, int column, int columns, int v, int w) {
    const unsigned char *is = now(from);
    for (int i = 0; i < BYTES; i++) {
        int inside = i / SIDE >= row && i / SIDE < row + rows && i % SIDE >= column && i % SIDE < column + columns;
        if (is[i] != (inside ? v : w)) return 0;
    }
    return 1;
}

static void fills(void) {
    OK(cuMemsetD8(d, 0, BYTES));
    OK(cuMemsetD16(d + SIDE, 0x0707, SIDE / 2));
    IS(1, holds(d, 1, 1, 0, SIDE, 7, 0));
    OK(cuMemsetD16Async(d + SIDE, 0x0101, SIDE / 2, s));
    IS(1, holds(d, 1, 1, 0, SIDE, 1, 0));
    OK(cuMemsetD32Async(d + SIDE, 0x02020202, SIDE / 4, 0));
    IS(1, holds(d, 1, 1, 0, SIDE, 2, 0));
    IS(CUDA_ERROR_INVALID_VALUE, cuMemsetD16(d + 1, 0, 2));
    IS(CUDA_ERROR_INVALID_VALUE, cuMemsetD32Async(d + 2, 0, 2, s));
    OK(cuMemsetD8(d, 0, BYTES));
    OK(cuMemsetD2D8Async(d + SIDE + 1, SIDE, 9, 3, 4, s));
    IS(1, holds(d, 1, 4, 1, 3, 9, 0));
    OK(cuMemsetD2D16Async(d + 2 * SIDE + 2, SIDE, 0x0909, 1, 2, 0));
    OK(cuMemsetD2D8Async(d + SIDE + 1, SIDE, 0, 3, 4, s));
    IS(1, holds(d, 0, 0, 0, 0, 0, 0));
    OK(cuMemsetD2D16Async(d + 2 * SIDE + 2, SIDE, 0x0909, 2, 2, 0));
    IS(1, holds(d, 2, 2, 2, 4, 9, 0));
}

static void copies(void) {
    memset(source, 5, BYTES);
    OK(cuMemsetD8(d, 0, BYTES));
    OK(cuMemsetD8(e, 1, BYTES));
    OK(cuMemcpyAsync(d, e, SIDE, s));
    IS(1, holds(d, 0, 1, 0, SIDE, 1, 0));
    OK(cuMemcpyDtoDAsync(d + SIDE, e, SIDE, 0));
    IS(1, holds(d, 0, 2, 0, SIDE, 1, 0));
    OK(cuMemcpyHtoDAsync(d, source, 2 * SIDE, s));
    IS(1, holds(d, 0, 2, 0, SIDE, 5, 0));
    CUcontext own = NULL;
    OK(cuCtxGetCurrent(&own));
    OK(cuMemcpyPeer(d, own, e, own, SIDE));
    OK(cuMemcpyPeerAsync(d + SIDE, own, e, own, SIDE, s));
    IS(1, holds(d, 0, 2, 0, SIDE, 1, 0));
    IS(CUDA_ERROR_INVALID_VALUE, cuMemcpyAsync(d, e, 1000, s));
    IS(CUDA_ERROR_INVALID_HANDLE, cuMemcpyAsync(d, e, 8, (CUstream)0x1234));
}

static void blocks(void) {
    CUDA_MEMCPY2D flat;
    CUDA_MEMCPY3D deep;
    memset(source, 5, BYTES);
    for (int later = 0; later < 2; later++) {
        memset(&flat, 0, sizeof flat);
        OK(cuMemsetD8(d, 0, BYTES));
        flat.srcMemoryType = CU_MEMORYTYPE_HOST;
        flat.srcHost = source;
        flat.srcPitch = SIDE;
        flat.dstMemoryType = CU_MEMORYTYPE_DEVICE;
        flat.dstDevice = d;
        flat.dstPitch = SIDE;
        flat.dstXInBytes = 2;
        flat.dstY = 3;
        flat.WidthInBytes = 4;
        flat.Height = 2;
        OK(later ? cuMemcpy2DAsync(&flat, s) : cuMemcpy2D(&flat));
        IS(1, holds(d, 3, 2, 2, 4, 5, 0));
        flat.WidthInBytes = 100;
        IS(CUDA_ERROR_INVALID_VALUE, later ? cuMemcpy2DAsync(&flat, s) : cuMemcpy2D(&flat));
        memset(&deep, 0, sizeof deep); /* slices of four rows: rows 1 and 2 of the second slice */
        OK(cuMemsetD8(d, 0, BYTES));
        OK(cuMemsetD8(e, 6, BYTES));
        deep.srcMemoryType = deep.dstMemoryType = CU_MEMORYTYPE_DEVICE;
        deep.srcDevice = e;
        deep.dstDevice = d;
        deep.srcPitch = deep.dstPitch = SIDE;
        deep.srcHeight = deep.dstHeight = 4;
        deep.dstXInBytes = 1;
        deep.dstY = 1;
        deep.dstZ = 1;
        deep.WidthInBytes = 3;
        deep.Height = 2;
        deep.Depth = 1;
        OK(later ? cuMemcpy3DAsync(&deep, 0) : cuMemcpy3D(&deep));
        IS(1, holds(d, 5, 2, 1, 3, 6, 0));
    }
    IS(CUDA_ERROR_INVALID_VALUE, cuMemcpy2D(NULL));
    IS(CUDA_ERROR_INVALID_VALUE, cuMemcpy3D(NULL));
}

/* Whether a stream is recorded, by the newest form that each header has. */
static void recorded(void) {
    CUstreamCaptureStatus status = (CUstreamCaptureStatus)9;
    CUgraph graph = (CUgraph)1;
    const CUgraphNode *nodes = (const CUgraphNode *)1;
    cuuint64_t id = 9;
    size_t count = 9;
    OK(cuStreamGetCaptureInfo_v2(s, &status, &id, &graph, &nodes, &count));
    IS(1, status == CU_STREAM_CAPTURE_STATUS_NONE && id == 0 && graph == NULL && nodes == NULL && count == 0);
    OK(cuStreamGetCaptureInfo_v2(s, &status, NULL, NULL, NULL, NULL));
#if CUDA_VERSION >= 12090
    {
        const CUgraphEdgeData *edges = (const CUgraphEdgeData *)1;
        OK(cuStreamGetCaptureInfo_v3(s, &status, NULL, NULL, &nodes, &edges, &count));
        IS(1, edges == NULL);
    }
#endif
}

static void hosts(void) {
    void *host = NULL;
    CUdeviceptr seen = 0, managed = 0;
    unsigned flags = 99;
    OK(cuMemAllocHost(&host, 64));
    memset(host, 3, 64);
    OK(cuMemHostGetDevicePointer(&seen, host, 0));
    OK(cuMemcpyDtoD(d, seen, 64));
    IS(3, now(d)[63]);
    OK(cuMemHostGetFlags(&flags, host));
    IS(1, flags != 99);
    OK(cuMemFreeHost(host));
    IS(CUDA_ERROR_INVALID_VALUE, cuMemHostGetDevicePointer(&seen, source, 0));
    IS(CUDA_ERROR_INVALID_VALUE, cuMemHostGetFlags(&flags, source));
    static unsigned char page[8192] __attribute__((aligned(4096)));
    OK(cuMemHostRegister(page, sizeof page, 0));
    OK(cuMemHostUnregister(page));
    IS(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, cuMemHostUnregister(page));
    OK(cuMemAllocManaged(&managed, 64, CU_MEM_ATTACH_GLOBAL));
    *(unsigned char *)(size_t)managed = 77; /* the program's own memory too */
#if CUDA_VERSION < 13000
    OK(cuMemAdvise(managed, 64, CU_MEM_ADVISE_SET_READ_MOSTLY, 0));
    OK(cuMemPrefetchAsync(managed, 64, 0, s));
    IS(CUDA_ERROR_INVALID_VALUE, cuMemAdvise(managed, 64, (CUmem_advise)99, 0));
    IS(CUDA_ERROR_INVALID_DEVICE, cuMemPrefetchAsync(managed, 64, 99, s));
#endif
#if CUDA_VERSION >= 12090 /* by place; CUDA 13's header leads the plain names here */
    {
        CUmemLocation here = {CU_MEM_LOCATION_TYPE_DEVICE, 0}, host = {CU_MEM_LOCATION_TYPE_HOST, 0};
        CUmemLocation nowhere = {CU_MEM_LOCATION_TYPE_INVALID, 0}, other = {CU_MEM_LOCATION_TYPE_DEVICE, 99};
        OK(cuMemAdvise_v2(managed, 64, CU_MEM_ADVISE_SET_READ_MOSTLY, here));
        OK(cuMemPrefetchAsync_v2(managed, 64, here, 0, s));
        OK(cuMemPrefetchAsync_v2(managed, 64, host, 0, s));
        IS(CUDA_ERROR_INVALID_VALUE, cuMemAdvise_v2(managed, 64, (CUmem_advise)99, here));
        IS(CUDA_ERROR_INVALID_VALUE, cuMemAdvise_v2(managed, 64, CU_MEM_ADVISE_SET_READ_MOSTLY, nowhere));
        IS(CUDA_ERROR_INVALID_VALUE, cuMemPrefetchAsync_v2(managed, 64, here, 1, s));
        IS(CUDA_ERROR_INVALID_DEVICE, cuMemPrefetchAsync_v2(managed, 64, other, 0, s));
    }
#endif
    recorded();
    OK(cuMemcpyDtoD(d, managed, 1));
    IS(77, now(d)[0]);
    IS(CUDA_ERROR_INVALID_VALUE, cuMemAllocManaged(&managed, 0, CU_MEM_ATTACH_GLOBAL));
    OK(cuMemFree(managed));
}

static void pools(void) {
    CUdeviceptr p = 0, q = 0;
    cudaMemPool_t pool = NULL, first = NULL, current = NULL;
    unsigned long long kept = 12345;
    OK(cuMemAllocAsync(&p, 64, s));
    OK(cuMemsetD8Async(p, 4, 64, s));
    OK(cuMemcpyDtoDAsync(d, p, 64, s));
    OK(cuStreamSynchronize(s));
    IS(4, now(d)[63]);
    OK(cuMemFreeAsync(p, s));
    IS(CUDA_ERROR_INVALID_VALUE, cuMemFreeAsync(p, s));
    OK(cuDeviceGetDefaultMemPool(&first, 0));
    OK(cuDeviceGetMemPool(&current, 0));
    IS(1, first != NULL && first == current);
    OK(cuMemAllocFromPoolAsync(&q, 64, first, 0));
    OK(cuMemFreeAsync(q, 0));
    OK(cuMemPoolGetAttribute(first, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &kept));
    IS(1, kept != 12345);
    kept = 4096;
    OK(cuMemPoolSetAttribute(first, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &kept));
    kept = 0;
    OK(cuMemPoolGetAttribute(first, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &kept));
    IS(4096, kept);
    OK(cuMemPoolTrimTo(first, 0));
    CUmemPoolProps wanted;
    memset(&wanted, 0, sizeof wanted);
    wanted.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    wanted.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    OK(cuMemPoolCreate(&pool, &wanted));
    OK(cuDeviceSetMemPool(0, pool));
    OK(cuDeviceGetMemPool(&current, 0));
    IS(1, current == pool);
    OK(cuMemAllocFromPoolAsync(&q, 64, pool, s));
    OK(cuMemFreeAsync(q, s));
    CUmemAccessDesc access;
    memset(&access, 0, sizeof access);
    access.location = wanted.location;
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    OK(cuMemPoolSetAccess(pool, &access, 1));
    CUmemAccess_flags allowed = CU_MEM_ACCESS_FLAGS_PROT_NONE;
    OK(cuMemPoolGetAccess(&allowed, pool, &wanted.location));
    IS(CU_MEM_ACCESS_FLAGS_PROT_READWRITE, allowed);
    OK(cuDeviceSetMemPool(0, first));
    OK(cuMemPoolDestroy(pool));
}

static void CUDA_CB later(CUstream of, CUresult status, void *data) {
    (void)of;
    *(int *)data = status == CUDA_SUCCESS ? 1 : -1;
}

static void streams(void) {
    CUstream fast = NULL;
    CUevent event = NULL;
    CUdevice device = 7;
    int least = 99, greatest = 99, priority = 99, called = 0;
    unsigned flags = 99;
    OK(cuCtxGetStreamPriorityRange(&least, &greatest));
    IS(1, greatest <= least && least <= 0);
    OK(cuStreamCreateWithPriority(&fast, CU_STREAM_NON_BLOCKING, greatest));
    OK(cuStreamGetPriority(fast, &priority));
    IS(greatest, priority);
    OK(cuStreamGetFlags(fast, &flags));
    IS(CU_STREAM_NON_BLOCKING, flags);
    OK(cuStreamGetFlags(s, &flags));
    IS(CU_STREAM_DEFAULT, flags);
    OK(cuStreamGetDevice(fast, &device));
    IS(0, device);
    CUstreamCaptureStatus capturing = CU_STREAM_CAPTURE_STATUS_ACTIVE;
    OK(cuStreamIsCapturing(fast, &capturing));
    IS(0, capturing);
    OK(cuStreamAddCallback(fast, later, &called, 0));
    OK(cuStreamSynchronize(fast));
    IS(1, called);
    OK(cuEventCreate(&event, CU_EVENT_DEFAULT));
    OK(cuEventRecordWithFlags(event, fast, 0));
    OK(cuEventSynchronize(event));
    OK(cuEventQuery(event));
    IS(CUDA_ERROR_INVALID_HANDLE, cuEventSynchronize((CUevent)0x1234));
    OK(cuEventDestroy(event));
    OK(cuStreamDestroy(fast));
    IS(CUDA_ERROR_INVALID_HANDLE, cuStreamGetPriority((CUstream)0x1234, &priority));
    IS(CUDA_ERROR_INVALID_VALUE, cuStreamGetFlags(s, NULL));
}

static void settings(void) {
    char bus[32] = "";
    CUdevice device = 7;
    CUcontext own = NULL;
    unsigned version = 0;
    int can = 9, mode = 9;
    OK(cuDeviceGetPCIBusId(bus, sizeof bus, 0));
    IS(1, strlen(bus) >= 7);
    OK(cuDeviceGetByPCIBusId(&device, bus));
    IS(0, device);
    IS(CUDA_ERROR_INVALID_VALUE, cuDeviceGetByPCIBusId(&device, NULL));
    OK(cuDeviceCanAccessPeer(&can, 0, 0));
    IS(0, can);
    IS(CUDA_ERROR_INVALID_DEVICE, cuDeviceCanAccessPeer(&can, 0, 99));
    IS(1, cuDeviceGetP2PAttribute(&can, 2, 0, 0) != CUDA_SUCCESS);
    OK(cuCtxGetCurrent(&own));
    OK(cuCtxGetApiVersion(own, &version));
    IS(1, version >= 3020);
    OK(cuModuleGetLoadingMode((void *)&mode));
    IS(1, mode == 1 || mode == 2);
    CUfunc_cache split = CU_FUNC_CACHE_PREFER_NONE;
    OK(cuCtxSetCacheConfig(CU_FUNC_CACHE_PREFER_L1));
    OK(cuCtxGetCacheConfig(&split));
    IS(CU_FUNC_CACHE_PREFER_L1, split);
    IS(CUDA_ERROR_INVALID_VALUE, cuCtxSetCacheConfig(4));
    OK(cuCtxSetSharedMemConfig(0));
    OK(cuCtxGetSharedMemConfig((void *)&mode));
    IS(1, mode >= 0 && mode <= 2);
    OK(cuProfilerStart());
    OK(cuProfilerStop());
}

int main(void) {
    CUcontext own = NULL;
    OK(cuInit(0));
    OK(cuDevicePrimaryCtxSetFlags(0, CU_CTX_SCHED_YIELD));
    OK(cuDevicePrimaryCtxRetain(&own, 0));
    OK(cuCtxSetCurrent(own));
    OK(cuStreamCreate(&s, CU_STREAM_DEFAULT));
    OK(cuMemAlloc(&d, BYTES));
    OK(cuMemAlloc(&e, BYTES));
    fills();
    copies();
    blocks();
    hosts();
    pools();
    streams();
    settings();
    OK(cuMemFree(d));
    OK(cuMemFree(e));
    OK(cuStreamDestroy(s));
    OK(cuDevicePrimaryCtxRelease(0));
    printf("%d misses\n", misses);
    return misses != 0;
}
