/* The small CUDA driver: initialisation, contexts, memory, pointers, events, and functions by name.
 * BUILD: cc -std=gnu11 -Wall -Wextra -I INCLUDE tests/cudart/c/driver.c -L LIB -lcuda -o t
 * RUN:   ./t
 */
#include <cuda.h>
#include <string.h>

#include "check.h"

static void before(void) {
    int n = 0;
    CUcontext c = NULL;
    CUdeviceptr p = 0;
    IS(CUDA_ERROR_NOT_INITIALIZED, cuDeviceGetCount(&n));
    IS(CUDA_ERROR_NOT_INITIALIZED, cuCtxGetCurrent(&c));
    IS(CUDA_ERROR_NOT_INITIALIZED, cuMemAlloc(&p, 8));
    OK(cuDriverGetVersion(&n));
    IS(CUDA_VERSION, n);
    IS(CUDA_ERROR_INVALID_VALUE, cuInit(7));
    OK(cuInit(0));
}

static void device(void) {
    CUdevice d = -1;
    CUuuid id;
    char name[64] = "";
    size_t bytes = 0;
    int major = 0, minor = 0, value = 0, count = 0;
    OK(cuDeviceGetCount(&count));
    IS(1, count);
    IS(CUDA_ERROR_INVALID_DEVICE, cuDeviceGet(&d, 99));
    IS(CUDA_ERROR_INVALID_DEVICE, cuDeviceGet(&d, -1));
    IS(CUDA_ERROR_INVALID_VALUE, cuDeviceGet(NULL, 0));
    OK(cuDeviceGet(&d, 0));
    OK(cuDeviceGetName(name, sizeof name, d));
    OK(strcmp(name, "dragoman CPU backend"));
    OK(cuDeviceTotalMem(&bytes, d));
    IS(1, bytes > 1 << 20);
    OK(cuDeviceGetUuid(&id, d));
    OK(memcmp(id.bytes, "dragoman-cpu-000", 16));
    OK(cuDeviceComputeCapability(&major, &minor, d));
    IS(86, major * 10 + minor);
    OK(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, d));
    IS(8, value);
    OK(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_WARP_SIZE, d));
    IS(32, value);
    IS(CUDA_ERROR_INVALID_VALUE, cuDeviceGetAttribute(&value, (CUdevice_attribute)9999, d));
}

/* Contexts with a share of the device: none asked for is as good as the older form, one asked for is refused. */
static void shares(void) {
    CUcontext own = NULL;
    CUexecAffinityParam share = {CU_EXEC_AFFINITY_TYPE_SM_COUNT, {{4}}};
    OK(cuCtxCreate_v3(&own, NULL, 0, CU_CTX_SCHED_YIELD, 0));
    OK(cuCtxDestroy(own));
    IS(CUDA_ERROR_INVALID_VALUE, cuCtxCreate_v3(&own, NULL, 1, 0, 0));
    IS(CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY, cuCtxCreate_v3(&own, &share, 1, 0, 0));
    IS(CUDA_ERROR_INVALID_DEVICE, cuCtxCreate_v3(&own, NULL, 0, 0, 99));
#if CUDA_VERSION >= 12090
    {
        CUctxCreateParams params = {NULL, 0, NULL};
        CUctxCigParam graphics = {CIG_DATA_TYPE_NV_BLOB, NULL};
        unsigned flags = 0;
        OK(cuCtxCreate_v4(&own, &params, CU_CTX_SCHED_YIELD, 0));
        OK(cuCtxGetFlags(&flags));
        IS(CU_CTX_SCHED_YIELD, flags);
        OK(cuCtxDestroy(own));
        OK(cuCtxCreate_v4(&own, NULL, 0, 0));
        OK(cuCtxDestroy(own));
        params.cigParams = &graphics;
        IS(CUDA_ERROR_NOT_SUPPORTED, cuCtxCreate_v4(&own, &params, 0, 0));
        params.execAffinityParams = &share;
        params.numExecAffinityParams = 1;
        IS(CUDA_ERROR_INVALID_VALUE, cuCtxCreate_v4(&own, &params, 0, 0));
        params.cigParams = NULL;
        IS(CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY, cuCtxCreate_v4(&own, &params, 0, 0));
    }
#endif
}

static void contexts(void) {
    CUcontext primary = NULL, own = NULL, c = NULL;
    CUdevice d = -1;
    CUdeviceptr p = 0;
    unsigned flags = 9;
    int active = 9;
    OK(cuCtxGetCurrent(&c));
    IS(0, c != NULL);
    IS(CUDA_ERROR_INVALID_CONTEXT, cuMemAlloc(&p, 8));
    IS(CUDA_ERROR_INVALID_CONTEXT, cuCtxSynchronize());
    IS(CUDA_ERROR_INVALID_CONTEXT, cuCtxGetDevice(&d));
    IS(CUDA_ERROR_INVALID_CONTEXT, cuCtxPopCurrent(&c));
    OK(cuCtxSetCurrent(NULL));
    IS(CUDA_ERROR_INVALID_VALUE, cuCtxPushCurrent(NULL));
    IS(CUDA_ERROR_INVALID_CONTEXT, cuCtxSetCurrent((CUcontext)0x1234));
    OK(cuDevicePrimaryCtxGetState(0, &flags, &active));
    IS(0, active);
    IS(CUDA_ERROR_INVALID_CONTEXT, cuDevicePrimaryCtxRelease(0));
    OK(cuDevicePrimaryCtxRetain(&primary, 0));
    OK(cuDevicePrimaryCtxGetState(0, &flags, &active));
    IS(1, active);
    OK(cuCtxGetCurrent(&c));
    IS(0, c != NULL);
    OK(cuCtxSetCurrent(primary));
    OK(cuCtxGetCurrent(&c));
    IS(1, c == primary);
    OK(cuCtxGetDevice(&d));
    IS(0, d);
#if CUDA_VERSION >= 13000 /* its header leads to the form with parameters */
    OK(cuCtxCreate(&own, NULL, CU_CTX_SCHED_SPIN, 0));
#else
    OK(cuCtxCreate(&own, CU_CTX_SCHED_SPIN, 0));
#endif
    OK(cuCtxGetCurrent(&c));
    IS(1, c == own);
    OK(cuCtxGetFlags(&flags));
    IS(CU_CTX_SCHED_SPIN, flags);
    OK(cuCtxPushCurrent(primary));
    OK(cuCtxPopCurrent(&c));
    IS(1, c == primary);
    OK(cuCtxDestroy(own));
    IS(CUDA_ERROR_INVALID_CONTEXT, cuCtxDestroy(own));
    IS(CUDA_ERROR_INVALID_CONTEXT, cuCtxDestroy((CUcontext)0x1234));
    IS(CUDA_ERROR_INVALID_VALUE, cuCtxDestroy(NULL));
    OK(cuCtxGetCurrent(&c));
    IS(1, c == primary);
    OK(cuCtxSynchronize());
    shares();
    OK(cuCtxGetCurrent(&c));
    IS(1, c == primary);
}

static void memory(void) {
    unsigned words[8] = {1, 2, 3, 4, 5, 6, 7, 8}, back[8] = {0};
    CUdeviceptr p = 0, q = 0, base = 0;
    CUcontext c = NULL;
    CUpointer_attribute asked[2] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL};
    unsigned type = 0;
    int ordinal = -1;
    void *answers[2] = {&type, &ordinal};
    void *host = NULL, *address = NULL;
    size_t bytes = 0, total = 0;
    unsigned long long id = 0;
    IS(CUDA_ERROR_INVALID_VALUE, cuMemAlloc(&p, 0));
    IS(CUDA_ERROR_OUT_OF_MEMORY, cuMemAlloc(&p, (size_t)1 << 60));
    OK(cuMemAlloc(&p, sizeof words));
    OK(cuMemAlloc(&q, sizeof words));
    OK(cuMemGetInfo(&bytes, &total));
    OK(cuMemcpyHtoD(p, words, sizeof words));
    OK(cuMemcpyDtoD(q, p, sizeof words));
    OK(cuMemcpyDtoHAsync(back, q, sizeof words, NULL));
    OK(cuStreamSynchronize(NULL));
    OK(memcmp(words, back, sizeof words));
    IS(CUDA_ERROR_INVALID_VALUE, cuMemcpyHtoD(p, words, 1000));
    IS(CUDA_ERROR_INVALID_VALUE, cuMemcpyHtoD(0, words, 8));
    OK(cuMemcpyHtoD(0, words, 0));
    OK(cuMemsetD32(p, 77, 8));
    IS(CUDA_ERROR_INVALID_VALUE, cuMemsetD32(p + 1, 0, 4));
    OK(cuMemsetD8Async(p, 1, 4, CU_STREAM_PER_THREAD));
    OK(cuMemcpy((CUdeviceptr)(size_t)back, p, 32));
    IS(0x01010101, back[0]);
    IS(77, back[7]);
    OK(cuMemGetAddressRange(&base, &bytes, p + 5));
    IS(p, base);
    IS(sizeof words, bytes);
    OK(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, p + 3));
    IS(CU_MEMORYTYPE_DEVICE, type);
    OK(cuPointerGetAttribute(&c, CU_POINTER_ATTRIBUTE_CONTEXT, p));
    IS(1, c != NULL);
    OK(cuPointerGetAttribute(&id, CU_POINTER_ATTRIBUTE_BUFFER_ID, p));
    IS(CUDA_ERROR_INVALID_VALUE, cuPointerGetAttribute(&address, CU_POINTER_ATTRIBUTE_HOST_POINTER, p));
    IS(CUDA_ERROR_INVALID_VALUE,
       cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)(size_t)words));
    IS(CUDA_ERROR_INVALID_VALUE, cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, 0));
    type = 0;
    OK(cuPointerGetAttributes(2, asked, answers, p));
    IS(CU_MEMORYTYPE_DEVICE, type);
    IS(0, ordinal);
    OK(cuMemHostAlloc(&host, 64, CU_MEMHOSTALLOC_PORTABLE));
    OK(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)(size_t)host));
    IS(CU_MEMORYTYPE_HOST, type);
    OK(cuMemFreeHost(host));
    IS(CUDA_ERROR_INVALID_VALUE, cuMemFree(p + 16));
    IS(CUDA_ERROR_INVALID_VALUE, cuMemFree(0x1234));
    OK(cuMemFree(p));
    IS(CUDA_ERROR_INVALID_VALUE, cuMemFree(p));
    OK(cuMemFree(q));
    OK(cuMemFree(0));
}

static void CUDA_CB called(void *data) { ++*(int *)data; }

static void streams(void) {
    CUstream s = NULL;
    CUevent a = NULL, b = NULL;
    CUcontext c = NULL;
    int calls = 0;
    float ms = -1;
    OK(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
    OK(cuEventCreate(&a, CU_EVENT_DEFAULT));
    OK(cuEventCreate(&b, CU_EVENT_DEFAULT));
    OK(cuEventRecord(a, s));
    OK(cuLaunchHostFunc(s, called, &calls));
    IS(1, calls);
    OK(cuEventRecord(b, CU_STREAM_LEGACY));
    OK(cuStreamWaitEvent(s, b, 0));
    OK(cuEventElapsedTime(&ms, a, b));
    IS(1, ms >= 0);
    OK(cuStreamGetCtx(s, &c));
    IS(1, c != NULL);
    IS(CUDA_ERROR_INVALID_HANDLE, cuEventQuery(NULL));
    IS(CUDA_ERROR_INVALID_HANDLE, cuEventQuery((CUevent)s));
    IS(CUDA_ERROR_INVALID_HANDLE, cuStreamQuery((CUstream)0x1234));
    OK(cuEventDestroy(a));
    IS(CUDA_ERROR_INVALID_HANDLE, cuEventDestroy(a));
    OK(cuEventDestroy(b));
    OK(cuStreamDestroy(s));
    IS(CUDA_ERROR_INVALID_HANDLE, cuStreamDestroy(s));
}

/* The name leads to the newest form, which takes 64-bit sizes. */
static void used(void *function) {
    CUresult (*alloc)(CUdeviceptr *, size_t) = function;
    CUdeviceptr p = 0;
    OK(alloc(&p, 16));
    OK(cuMemFree(p));
}

static void names(void) {
    const char *text = "x";
    void *function = NULL;
    CUmodule module;
    IS(CUDA_ERROR_INVALID_VALUE, cuGetErrorName((CUresult)12345, &text));
    IS(0, text != NULL);
    OK(cuGetErrorName(CUDA_ERROR_OUT_OF_MEMORY, &text));
    OK(strcmp(text, "CUDA_ERROR_OUT_OF_MEMORY"));
    OK(cuGetErrorString(CUDA_SUCCESS, &text));
    OK(strcmp(text, "no error"));
    IS(CUDA_ERROR_NO_BINARY_FOR_GPU, cuModuleLoadData(&module, "code"));
#if CUDA_VERSION >= 12000
    int found = 9;
    OK(cuGetProcAddress("cuMemAlloc", &function, 12000, 0, (void *)&found));
    IS(0, found);
    used(function);
    OK(cuGetProcAddress("cuNoSuch", &function, 12000, 0, (void *)&found));
    IS(1, found);
    IS(0, function != NULL);
    OK(cuGetProcAddress("cuMemAlloc", &function, 3000, 0, (void *)&found));
    IS(2, found);
    IS(CUDA_ERROR_NOT_FOUND, cuGetProcAddress("cuNoSuch", &function, 12000, 0, NULL));
    OK(cuGetProcAddress("cuStreamQuery", &function, 12000, 2, (void *)&found));
    IS(0, function == (void *)cuStreamQuery); /* the calling thread's own default stream */
#else
    OK(cuGetProcAddress("cuMemAlloc", &function, 11080, 0));
    used(function);
    IS(CUDA_ERROR_NOT_FOUND, cuGetProcAddress("cuNoSuch", &function, 11080, 0));
#endif
}

int main(void) {
    before();
    device();
    contexts();
    memory();
    streams();
    names();
    OK(cuDevicePrimaryCtxRelease(0));
    IS(CUDA_ERROR_INVALID_CONTEXT, cuDevicePrimaryCtxRelease(0));
    printf("%d misses\n", misses);
    return misses != 0;
}
