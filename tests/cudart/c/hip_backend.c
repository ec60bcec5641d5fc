/* The CPU backend's HIP runtime, called as AMD's would be: memory, handles, garbage, threads.
 * BUILD: cc -std=gnu11 -Wall -Wextra -I mapping/cpu/hip tests/cudart/c/hip_backend.c LIB/libamdhip64.so.7 -lpthread -o t
 * RUN:   ./t
 */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "hip.h"

hipError_t hipInit(unsigned), hipGetDeviceCount(int *), hipSetDevice(int), hipGetDevice(int *);
hipError_t hipGetDevicePropertiesR0600(hipDeviceProp_tR0600 *, int), hipDeviceGetAttribute(int *, int, int);
hipError_t hipRuntimeGetVersion(int *), hipDeviceReset(void), hipDeviceSynchronize(void);
hipError_t hipMalloc(void **, size_t), hipFree(void *), hipHostMalloc(void **, size_t, unsigned), hipHostFree(void *);
hipError_t hipMallocManaged(void **, size_t, unsigned), hipMallocPitch(void **, size_t *, size_t, size_t);
hipError_t hipHostRegister(void *, size_t, unsigned), hipHostUnregister(void *), hipMemGetInfo(size_t *, size_t *);
hipError_t hipPointerGetAttributes(hipPointerAttribute_t *, const void *);
hipError_t hipMemGetAddressRange(void **, size_t *, void *);
hipError_t hipMemcpy(void *, const void *, size_t, int), hipMemcpyAsync(void *, const void *, size_t, int, hipStream_t);
hipError_t hipMemcpy2D(void *, size_t, const void *, size_t, size_t, size_t, int),
    hipMemcpy3D(const hipMemcpy3DParms *);
hipError_t hipMemset(void *, int, size_t), hipMemsetD32(void *, int, size_t),
    hipMemsetD16(void *, unsigned short, size_t);
hipError_t hipMemset2D(void *, size_t, int, size_t, size_t), hipMalloc3D(hipPitchedPtr *, hipExtent);
hipError_t hipMallocAsync(void **, size_t, hipStream_t), hipFreeAsync(void *, hipStream_t);
hipError_t hipDeviceGetDefaultMemPool(hipMemPool_t *, int), hipMemPoolSetAttribute(hipMemPool_t, int, void *);
hipError_t hipMemPoolGetAttribute(hipMemPool_t, int, void *), hipMemPoolCreate(hipMemPool_t *, const hipMemPoolProps *);
hipError_t hipMemPoolDestroy(hipMemPool_t);
hipError_t hipStreamCreate(hipStream_t *), hipStreamCreateWithPriority(hipStream_t *, unsigned, int);
hipError_t hipStreamDestroy(hipStream_t), hipStreamQuery(hipStream_t), hipStreamGetFlags(hipStream_t, unsigned *);
hipError_t hipStreamGetPriority(hipStream_t, int *), hipStreamIsCapturing(hipStream_t, int *);
hipError_t hipLaunchHostFunc(hipStream_t, hipHostFn_t, void *), hipStreamWaitEvent(hipStream_t, hipEvent_t, unsigned);
hipError_t hipEventCreate(hipEvent_t *), hipEventCreateWithFlags(hipEvent_t *, unsigned), hipEventDestroy(hipEvent_t);
hipError_t hipEventRecord(hipEvent_t, hipStream_t), hipEventQuery(hipEvent_t);
hipError_t hipEventElapsedTime(float *, hipEvent_t, hipEvent_t);
hipError_t hipGetLastError(void), hipPeekAtLastError(void);
const char *hipGetErrorName(hipError_t);

static void device(void) {
    hipDeviceProp_tR0600 p;
    int n = 0, v = 0;
    OK(hipInit(0));
    OK(hipGetDeviceCount(&n));
    IS(1, n);
    OK(hipSetDevice(0));
    IS(hipErrorInvalidDevice, hipSetDevice(1));
    IS(hipErrorInvalidDevice, hipSetDevice(-1));
    OK(hipGetDevicePropertiesR0600(&p, 0));
    OK(strcmp(p.name, "dragoman CPU backend"));
    OK(strcmp(p.gcnArchName, "cpu"));
    IS(1, p.totalGlobalMem > 0 && p.multiProcessorCount > 0);
    IS(hipErrorInvalidDevice, hipGetDevicePropertiesR0600(&p, 7));
    IS(hipErrorInvalidValue, hipGetDevicePropertiesR0600(NULL, 0));
    OK(hipDeviceGetAttribute(&v, 87, 0));
    IS(32, v);
    IS(hipErrorInvalidValue, hipDeviceGetAttribute(&v, 5000, 0));
    IS(hipErrorInvalidValue, hipDeviceGetAttribute(&v, -1, 0));
    OK(hipRuntimeGetVersion(&v));
    IS(7, v / 10000000);
}

static void memory(void) {
    hipPointerAttribute_t a;
    size_t pitch = 0, free_bytes = 0, total = 0, size = 0;
    void *p = (void *)1, *q = NULL, *h = NULL, *m = NULL, *base = NULL;
    int local = 0;
    OK(hipMalloc(&p, 0));
    IS(0, p != NULL);
    OK(hipFree(NULL));
    OK(hipMalloc(&p, 1000));
    IS(0, (uintptr_t)p % 256);
    OK(hipMalloc(&q, 1));
    OK(hipHostMalloc(&h, 100, 1));
    OK(hipMallocManaged(&m, 100, 1));
    IS(hipErrorInvalidValue, hipMallocManaged(&m, 100, 9));
    OK(hipPointerGetAttributes(&a, p));
    IS(hipMemoryTypeDevice, a.type);
    OK(hipPointerGetAttributes(&a, (char *)p + 999));
    IS(hipMemoryTypeDevice, a.type);
    OK(hipPointerGetAttributes(&a, (char *)p + 1000));
    IS(hipMemoryTypeUnregistered, a.type);
    OK(hipPointerGetAttributes(&a, h));
    IS(hipMemoryTypeHost, a.type);
    OK(hipPointerGetAttributes(&a, m));
    IS(hipMemoryTypeManaged, a.type);
    OK(hipPointerGetAttributes(&a, &local));
    IS(hipMemoryTypeUnregistered, a.type);
    OK(hipMemGetAddressRange(&base, &size, (char *)p + 5));
    IS(1, base == p && size == 1000);
    OK(hipHostRegister(&local, sizeof local, 0));
    IS(hipErrorHostMemoryAlreadyRegistered, hipHostRegister(&local, sizeof local, 0));
    OK(hipPointerGetAttributes(&a, &local));
    IS(hipMemoryTypeHost, a.type);
    OK(hipHostUnregister(&local));
    IS(hipErrorHostMemoryNotRegistered, hipHostUnregister(&local));
    /* the wrong free, a second free, an address inside a block, memory from elsewhere, garbage */
    IS(hipErrorInvalidValue, hipHostFree(p));
    IS(hipErrorInvalidValue, hipFree(h));
    IS(hipErrorInvalidValue, hipFree((char *)p + 16));
    IS(hipErrorInvalidValue, hipFree(&local));
    IS(hipErrorInvalidValue, hipFree((void *)0x1234));
    OK(hipFree(p));
    IS(hipErrorInvalidValue, hipFree(p));
    OK(hipFree(q));
    OK(hipHostFree(h));
    OK(hipFree(m));
    IS(hipErrorOutOfMemory, hipMalloc(&p, (size_t)1 << 62));
    IS(hipErrorOutOfMemory, hipMalloc(&p, SIZE_MAX));
    IS(hipErrorOutOfMemory, hipMallocPitch(&p, &pitch, SIZE_MAX / 2, 4));
    IS(hipErrorInvalidValue, hipMalloc(NULL, 4));
    OK(hipMemGetInfo(&free_bytes, &total));
    IS(1, free_bytes > 0 && free_bytes <= total);
    OK(hipMallocPitch(&p, &pitch, 100, 7));
    IS(256, pitch);
    OK(hipFree(p));
}

static void copies(void) {
    char from[64], to[64];
    unsigned words[4];
    void *p, *q;
    hipPitchedPtr box;
    hipMemcpy3DParms three;
    for (int i = 0; i < 64; i++) from[i] = (char)i, to[i] = 0;
    OK(hipMalloc(&p, 64));
    OK(hipMemcpy(p, from, 64, hipMemcpyHostToDevice));
    OK(hipMemcpy(to, p, 64, hipMemcpyDeviceToHost));
    OK(memcmp(from, to, 64));
    IS(hipErrorInvalidValue, hipMemcpy(p, from, 65, hipMemcpyHostToDevice)); /* past the block's end */
    IS(hipErrorInvalidValue, hipMemcpy(NULL, from, 1, hipMemcpyHostToDevice));
    IS(hipErrorInvalidValue, hipMemcpy((void *)0x1234, from, 1, hipMemcpyHostToDevice));
    OK(hipMemcpy(NULL, NULL, 0, hipMemcpyHostToDevice));
    IS(hipErrorInvalidMemcpyDirection, hipMemcpy(p, from, 1, 9));
    OK(hipMemcpy(p, (char *)p + 8, 32, hipMemcpyDeviceToDevice)); /* overlapping */
    OK(hipMemcpyAsync(to, p, 32, hipMemcpyDefault, NULL));
    IS(8, to[0]);
    IS(hipErrorInvalidHandle, hipMemcpyAsync(to, p, 1, hipMemcpyDefault, (hipStream_t)0x1234));
    OK(hipMemcpy2D(to, 16, from, 8, 4, 4, hipMemcpyHostToHost));
    IS(8, to[16]);
    IS(hipErrorInvalidPitchValue, hipMemcpy2D(to, 3, from, 8, 4, 4, hipMemcpyHostToHost));
    IS(hipErrorInvalidValue, hipMemcpy2D(p, SIZE_MAX / 2, from, 8, 4, 4, hipMemcpyHostToHost));
    OK(hipMemset(p, 0x5a, 64));
    OK(hipMemcpy(to, p, 64, hipMemcpyDeviceToHost));
    IS(0x5a, to[63]);
    OK(hipMemsetD32(p, 0x01020304, 4));
    OK(hipMemcpy(words, p, 16, hipMemcpyDeviceToHost));
    IS(0x01020304, words[3]);
    IS(hipErrorInvalidValue, hipMemsetD32((char *)p + 1, 0, 4));
    IS(hipErrorInvalidValue, hipMemsetD32(p, 0, SIZE_MAX / 2));
    OK(hipMemsetD16(p, 0x0102, 2));
    OK(hipMemset2D(p, 16, 1, 8, 4));
    OK(hipMalloc3D(&box, (hipExtent){10, 3, 2}));
    memset(&three, 0, sizeof three);
    three.srcPtr = (hipPitchedPtr){from, 10, 10, 3};
    three.dstPtr = box;
    three.extent = (hipExtent){10, 3, 2};
    OK(hipMemcpy3D(&three));
    IS(59, ((char *)box.ptr)[box.pitch * 5 + 9]);
    three.extent.depth = 3;
    IS(hipErrorInvalidValue, hipMemcpy3D(&three));
    OK(hipFree(box.ptr));
    OK(hipMallocAsync(&q, 64, NULL));
    OK(hipFreeAsync(q, NULL));
    IS(hipErrorInvalidValue, hipFreeAsync(q, NULL));
    OK(hipFree(p));
}

static void count(void *data) { ++*(int *)data; }

static void handles(void) {
    static hipStream_t many[3000];
    hipStream_t s = NULL, t = NULL;
    hipEvent_t a = NULL, b = NULL, untimed = NULL;
    hipMemPool_t pool = NULL, own = NULL;
    hipMemPoolProps props;
    uint64_t threshold = 77;
    unsigned flags = 9;
    int calls = 0, status = 9, priority = 9;
    float ms = -1;
    OK(hipStreamCreateWithPriority(&s, 1, -5));
    OK(hipStreamGetFlags(s, &flags));
    IS(1, flags);
    OK(hipStreamGetPriority(s, &priority));
    IS(-1, priority);
    OK(hipStreamIsCapturing(s, &status));
    IS(0, status);
    OK(hipStreamQuery(NULL));
    OK(hipStreamQuery((hipStream_t)1));
    OK(hipStreamQuery((hipStream_t)2));
    IS(hipErrorInvalidHandle, hipStreamQuery((hipStream_t)3));
    IS(hipErrorInvalidHandle, hipStreamQuery((char *)s + 1));
    OK(hipLaunchHostFunc(s, count, &calls));
    IS(1, calls);
    OK(hipEventCreate(&a));
    OK(hipEventCreate(&b));
    OK(hipEventCreateWithFlags(&untimed, hipEventDisableTiming));
    IS(hipErrorInvalidHandle, hipEventElapsedTime(&ms, a, b)); /* not recorded */
    OK(hipEventRecord(a, s));
    OK(hipEventRecord(b, NULL));
    OK(hipEventRecord(untimed, s));
    OK(hipEventElapsedTime(&ms, a, b));
    IS(1, ms >= 0 && ms < 1000);
    IS(hipErrorInvalidHandle, hipEventElapsedTime(&ms, a, untimed));
    OK(hipStreamWaitEvent(s, a, 0));
    IS(hipErrorInvalidHandle, hipStreamWaitEvent(s, s, 0)); /* a stream is no event */
    IS(hipErrorInvalidHandle, hipEventQuery(s));
    IS(hipErrorInvalidHandle, hipStreamDestroy(a));
    IS(hipErrorInvalidHandle, hipStreamDestroy(NULL));
    OK(hipStreamDestroy(s));
    IS(hipErrorInvalidHandle, hipStreamDestroy(s));
    OK(hipEventDestroy(a));
    IS(hipErrorInvalidHandle, hipEventDestroy(a));
    OK(hipEventDestroy(b));
    OK(hipEventDestroy(untimed));
    for (int i = 0; i < 3000; i++) OK(hipStreamCreate(&many[i]));
    for (int i = 0; i < 3000; i++) OK(hipStreamDestroy(many[i]));
    for (int i = 0; i < 10000; i++) {
        OK(hipStreamCreate(&t));
        OK(hipStreamDestroy(t));
    }
    OK(hipDeviceGetDefaultMemPool(&pool, 0));
    OK(hipMemPoolSetAttribute(pool, 4, &threshold));
    threshold = 0;
    OK(hipMemPoolGetAttribute(pool, 4, &threshold));
    IS(77, threshold);
    IS(hipErrorInvalidValue, hipMemPoolDestroy(pool));
    memset(&props, 0, sizeof props);
    props.allocType = 1;
    props.location.type = 1;
    OK(hipMemPoolCreate(&own, &props));
    OK(hipMemPoolDestroy(own));
    IS(hipErrorInvalidValue, hipMemPoolDestroy(own));
}

static void errors(void) {
    (void)hipGetLastError();
    IS(hipErrorInvalidValue, hipFree((void *)8));
    OK(hipFree(NULL)); /* a success does not hide an error */
    IS(hipErrorInvalidValue, hipPeekAtLastError());
    IS(hipErrorInvalidValue, hipGetLastError());
    OK(hipGetLastError());
    OK(strcmp(hipGetErrorName(101), "hipErrorInvalidDevice"));
    OK(strcmp(hipGetErrorName(-4), "hipErrorUnknown"));
}

#ifndef _WIN32
#include <pthread.h>
static void *worker(void *data) {
    for (int i = 0; i < 2000; i++) {
        void *p = NULL;
        hipStream_t s = NULL;
        if (hipMalloc(&p, 1 + (size_t)i * 3) || hipMemset(p, i, 1) || hipFree(p)) ++*(int *)data;
        if (hipStreamCreate(&s) || hipStreamQuery(s) || hipStreamDestroy(s)) ++*(int *)data;
        if (i % 16 == 0 && (hipFree((void *)16) != hipErrorInvalidValue || hipGetLastError() != hipErrorInvalidValue))
            ++*(int *)data;
    }
    return NULL;
}

static void threads(void) {
    pthread_t t[4];
    int wrong[4] = {0, 0, 0, 0};
    for (int i = 0; i < 4; i++) pthread_create(&t[i], NULL, worker, &wrong[i]);
    for (int i = 0; i < 4; i++) {
        pthread_join(t[i], NULL);
        OK(wrong[i]);
    }
}
#else
static void threads(void) {}
#endif

int main(void) {
    void *left;
    device();
    memory();
    copies();
    handles();
    errors();
    threads();
    OK(hipMalloc(&left, 4096)); /* hipDeviceReset frees what the program forgot */
    OK(hipDeviceReset());
    printf("%d misses\n", misses);
    return misses != 0;
}
