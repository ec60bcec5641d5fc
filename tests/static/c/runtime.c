/* What a small program asks of the CUDA runtime, each answer checked: memory, streams, events, errors, properties, and
 * a product of our cuBLAS on that memory. Linked with NVIDIA's own runtime; a driver and a cuBLAS are
 * found when it runs.
 */
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                        \
    do {                                                                        \
        if (!(condition)) {                                                     \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);     \
            exit(1);                                                            \
        }                                                                       \
    } while (0)
#define OK(call)                                                                \
    do {                                                                        \
        const cudaError_t answer = (call);                                      \
        if (answer != cudaSuccess) {                                            \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorName(answer)); \
            exit(1);                                                            \
        }                                                                       \
    } while (0)

enum { N = 1000 };

static void CUDART_CB note(void *data) { *(int *)data += 1; }

static void devices(int version) {
    struct cudaDeviceProp properties;
    int count = 0, device = -1, driver = 0, runtime = 0, value = 0;
    OK(cudaDriverGetVersion(&driver));
    OK(cudaRuntimeGetVersion(&runtime));
    CHECK(runtime / 1000 == version && driver >= runtime);
    OK(cudaGetDeviceCount(&count));
    CHECK(count == 1);
    OK(cudaSetDevice(0));
    OK(cudaGetDevice(&device));
    CHECK(device == 0);
    memset(&properties, 0, sizeof properties);
    OK(cudaGetDeviceProperties(&properties, 0));
    CHECK(strstr(properties.name, "CPU") && properties.major >= 5 && properties.warpSize == 32);
    OK(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 0));
    CHECK(value == properties.multiProcessorCount && value > 0);
    CHECK(properties.totalGlobalMem > 1 << 20);
}

static void memory(void) {
    static unsigned char host[N], back[N];
    struct cudaPointerAttributes attributes;
    unsigned char *a = NULL, *b = NULL, *pinned = NULL, *managed = NULL, *rows = NULL;
    size_t pitch = 0, spare = 0, total = 0;
    for (int i = 0; i < N; i++) host[i] = (unsigned char)(7 * i);
    OK(cudaMalloc((void **)&a, N));
    OK(cudaMalloc((void **)&b, N));
    OK(cudaMemcpy(a, host, N, cudaMemcpyHostToDevice));
    OK(cudaMemcpy(b, a, N, cudaMemcpyDeviceToDevice));
    OK(cudaMemset(b + 10, 0xab, 5));
    OK(cudaMemcpy(back, b, N, cudaMemcpyDeviceToHost));
    CHECK(!memcmp(back, host, 10) && back[10] == 0xab && back[14] == 0xab && !memcmp(back + 15, host + 15, N - 15));
    OK(cudaMemcpy(back, a, N, cudaMemcpyDefault));
    CHECK(!memcmp(back, host, N));
    OK(cudaMemGetInfo(&spare, &total));
    CHECK(spare > 0 && spare <= total);
    OK(cudaPointerGetAttributes(&attributes, a + 3));
    CHECK(attributes.type == cudaMemoryTypeDevice && attributes.device == 0 && attributes.devicePointer == a + 3);
    OK(cudaPointerGetAttributes(&attributes, host));
    CHECK(attributes.type == cudaMemoryTypeUnregistered);
    OK(cudaHostAlloc((void **)&pinned, N, cudaHostAllocMapped));
    OK(cudaPointerGetAttributes(&attributes, pinned));
    CHECK(attributes.type == cudaMemoryTypeHost && attributes.hostPointer == pinned);
    OK(cudaFreeHost(pinned));
    OK(cudaMallocManaged((void **)&managed, N, cudaMemAttachGlobal));
    managed[N - 1] = 3;
    OK(cudaFree(managed));
    OK(cudaMallocPitch((void **)&rows, &pitch, 30, 20));
    CHECK(pitch >= 30);
    OK(cudaMemset2D(rows, pitch, 9, 30, 20));
    OK(cudaMemcpy2D(rows + pitch, pitch, host, 30, 25, 3, cudaMemcpyHostToDevice));
    OK(cudaMemcpy2D(back, 30, rows, pitch, 30, 20, cudaMemcpyDeviceToHost));
    CHECK(back[0] == 9 && back[29] == 9 && !memcmp(back + 30, host, 25) && back[55] == 9 &&
          !memcmp(back + 60, host + 30, 25));
    CHECK(back[30 * 20 - 1] == 9);
    OK(cudaFree(rows));
    OK(cudaFree(b));
    OK(cudaFree(a));
    OK(cudaFree(NULL));
}

static void boxes(void) {
    static unsigned char host[4 * 3 * 2], back[4 * 3 * 2];
    struct cudaMemcpy3DParms copy;
    struct cudaPitchedPtr box;
    const struct cudaExtent all = {4, 3, 2};
    for (size_t i = 0; i < sizeof host; i++) host[i] = (unsigned char)(i + 1);
    OK(cudaMalloc3D(&box, all));
    memset(&copy, 0, sizeof copy);
    copy.srcPtr.ptr = host;
    copy.srcPtr.pitch = copy.srcPtr.xsize = 4;
    copy.srcPtr.ysize = 3;
    copy.dstPtr = box;
    copy.extent = all;
    copy.kind = cudaMemcpyHostToDevice;
    OK(cudaMemcpy3D(&copy));
    copy.dstPtr = copy.srcPtr;
    copy.dstPtr.ptr = back;
    copy.srcPtr = box;
    copy.srcPos.z = 1;
    copy.extent.depth = 1;
    copy.kind = cudaMemcpyDeviceToHost;
    OK(cudaMemcpy3D(&copy));
    CHECK(!memcmp(back, host + 12, 12) && back[12] == 0);
    OK(cudaFree(box.ptr));
}

static void streams(void) {
    static unsigned char host[N], back[N];
    cudaStream_t stream, quiet;
    cudaEvent_t begin, end, plain;
    unsigned char *a = NULL, *pooled = NULL;
    float ms = -1;
    int calls = 0;
    memset(host, 0x5a, N);
    OK(cudaMalloc((void **)&a, N));
    OK(cudaStreamCreate(&stream));
    OK(cudaStreamCreateWithFlags(&quiet, cudaStreamNonBlocking));
    OK(cudaEventCreate(&begin));
    OK(cudaEventCreate(&end));
    OK(cudaEventCreateWithFlags(&plain, cudaEventDisableTiming));
    OK(cudaEventRecord(begin, stream));
    OK(cudaMemsetAsync(a, 1, N, stream));
    OK(cudaMemcpyAsync(a + 5, host, 10, cudaMemcpyHostToDevice, stream));
    OK(cudaEventRecord(plain, stream));
    OK(cudaStreamWaitEvent(quiet, plain, 0));
    OK(cudaMemcpyAsync(back, a, N, cudaMemcpyDeviceToHost, quiet));
    OK(cudaLaunchHostFunc(quiet, note, &calls));
    OK(cudaStreamSynchronize(quiet));
    CHECK(calls == 1 && back[4] == 1 && back[5] == 0x5a && back[14] == 0x5a && back[15] == 1);
    OK(cudaEventRecord(end, stream));
    OK(cudaEventSynchronize(end));
    OK(cudaEventQuery(end));
    OK(cudaEventElapsedTime(&ms, begin, end));
    CHECK(ms >= 0);
    CHECK(cudaEventElapsedTime(&ms, begin, plain) == cudaErrorInvalidResourceHandle);
    CHECK(cudaGetLastError() == cudaErrorInvalidResourceHandle);
    OK(cudaStreamQuery(stream));
    OK(cudaMallocAsync((void **)&pooled, N, stream));
    OK(cudaMemsetAsync(pooled, 2, N, stream));
    OK(cudaFreeAsync(pooled, stream));
    OK(cudaEventDestroy(plain));
    OK(cudaEventDestroy(end));
    OK(cudaEventDestroy(begin));
    OK(cudaStreamDestroy(quiet));
    OK(cudaStreamDestroy(stream));
    OK(cudaDeviceSynchronize());
    OK(cudaFree(a));
}

/* Each thread's runtime finds the one context by itself; each has an error of its own. */
static void *other_thread(void *data) {
    unsigned char *a = NULL, back = 0;
    int device = -1;
    OK(cudaPeekAtLastError());
    OK(cudaGetDevice(&device));
    CHECK(device == 0);
    for (int i = 0; i < 200; i++) {
        OK(cudaMalloc((void **)&a, 100));
        OK(cudaMemset(a, i, 100));
        OK(cudaMemcpy(&back, a + 99, 1, cudaMemcpyDeviceToHost));
        CHECK(back == (unsigned char)i);
        OK(cudaFree(a));
    }
    return data;
}

static void threads(void) {
    pthread_t thread[4];
    CHECK(cudaSetDevice(77) == cudaErrorInvalidDevice);
    for (int i = 0; i < 4; i++) CHECK(!pthread_create(&thread[i], NULL, other_thread, NULL));
    for (int i = 0; i < 4; i++) CHECK(!pthread_join(thread[i], NULL));
    CHECK(cudaGetLastError() == cudaErrorInvalidDevice);
}

static void errors(void) {
    void *none = NULL;
    CHECK(cudaSetDevice(77) == cudaErrorInvalidDevice);
    CHECK(cudaPeekAtLastError() == cudaErrorInvalidDevice);
    CHECK(cudaGetLastError() == cudaErrorInvalidDevice);
    CHECK(cudaGetLastError() == cudaSuccess);
    CHECK(cudaMalloc(&none, (size_t)1 << 60) == cudaErrorMemoryAllocation);
    CHECK(cudaGetLastError() == cudaErrorMemoryAllocation);
    CHECK(cudaMemcpy(&none, &none, 8, (enum cudaMemcpyKind)99) == cudaErrorInvalidMemcpyDirection);
    CHECK(cudaGetLastError() == cudaErrorInvalidMemcpyDirection);
    CHECK(!strcmp(cudaGetErrorName(cudaErrorInvalidValue), "cudaErrorInvalidValue"));
}

/* C <- 2 A B - C, on a stream of the runtime's, by a cuBLAS that is opened by name. */
static void product(const char *library) {
    typedef int (*create_t)(void **), (*destroy_t)(void *), (*set_stream_t)(void *, cudaStream_t);
    typedef int (*sgemm_t)(void *, int, int, int, int, int, const float *, const float *, int, const float *, int,
                           const float *, float *, int);
    const float a[6] = {1, 2, 3, 4, 5, 6}, b[6] = {1, 0, -1, 2, 1, 0}, alpha = 2, beta = -1;
    float c[4] = {1, 1, 1, 1}, *da, *db, *dc;
    void *blas = dlopen(library, RTLD_NOW), *handle = NULL;
    cudaStream_t stream;
    CHECK(blas);
    const create_t create = (create_t)dlsym(blas, "cublasCreate_v2");
    const destroy_t destroy = (destroy_t)dlsym(blas, "cublasDestroy_v2");
    const set_stream_t set_stream = (set_stream_t)dlsym(blas, "cublasSetStream_v2");
    const sgemm_t sgemm = (sgemm_t)dlsym(blas, "cublasSgemm_v2");
    CHECK(create && destroy && set_stream && sgemm);
    OK(cudaMalloc((void **)&da, sizeof a));
    OK(cudaMalloc((void **)&db, sizeof b));
    OK(cudaMalloc((void **)&dc, sizeof c));
    OK(cudaMemcpy(da, a, sizeof a, cudaMemcpyHostToDevice));
    OK(cudaMemcpy(db, b, sizeof b, cudaMemcpyHostToDevice));
    OK(cudaMemcpy(dc, c, sizeof c, cudaMemcpyHostToDevice));
    OK(cudaStreamCreate(&stream));
    CHECK(create(&handle) == 0);
    CHECK(set_stream(handle, stream) == 0);
    CHECK(sgemm(handle, 0, 0, 2, 2, 3, &alpha, da, 2, db, 3, &beta, dc, 2) == 0);
    OK(cudaMemcpyAsync(c, dc, sizeof c, cudaMemcpyDeviceToHost, stream));
    OK(cudaStreamSynchronize(stream));
    CHECK(c[0] == 2 * (1 - 5) - 1 && c[1] == 2 * (2 - 6) - 1 && c[2] == 2 * (2 + 3) - 1 && c[3] == 2 * (4 + 4) - 1);
    CHECK(destroy(handle) == 0);
    OK(cudaStreamDestroy(stream));
    OK(cudaFree(da));
    OK(cudaFree(db));
    OK(cudaFree(dc));
}

int main(int count, char **argument) {
    CHECK(count == 3); /* CUDA's major version, file name of cuBLAS */
    devices(atoi(argument[1]));
    memory();
    boxes();
    streams();
    errors();
    threads();
    product(argument[2]);
    OK(cudaDeviceReset());
    memory(); /* after a reset all begins anew */
    OK(cudaDeviceReset());
    puts("done");
    return 0;
}
