/* What the CUDA runtime answers in a few hundred situations, one line each: `section.case answer`.
 * The same program runs on NVIDIA's runtime: its answers are ../nvidia/<version>.txt.
 * BUILD: cc -std=gnu11 -Wall -Wextra -I INCLUDE tests/cudart/c/statuses.c -L LIB -lcudart -o t
 * RUN:   ./t            (./t garbage: also calls that end the process with NVIDIA's library)
 */
#include <cuda_profiler_api.h>
#include <cuda_runtime_api.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *section;
#define SAY(name, value) printf("%s.%s %lld\n", section, name, (long long)(value))
/* The last error with it: what is kept, and that reading it forgets it. */
#define KEPT(name, call)                                                                                     \
    do {                                                                                                     \
        cudaGetLastError();                                                                                  \
        SAY(name, call);                                                                                     \
        int kept_peek = cudaPeekAtLastError(), kept_get = cudaGetLastError(), kept_then = cudaGetLastError(); \
        printf("%s.%s.kept %d %d %d\n", section, name, kept_peek, kept_get, kept_then);                      \
    } while (0)

static void *const FOREIGN = (void *)0x1234;
static char page[4096] __attribute__((aligned(4096)));

static void attributes_of(const char *name, const void *pointer) {
    struct cudaPointerAttributes a;
    memset(&a, 0xAA, sizeof a);
    int rc = cudaPointerGetAttributes(&a, pointer);
    printf("%s.%s %d type %d device %d %s %s\n", section, name, rc, a.type, a.device,
           a.devicePointer == pointer ? "same" : a.devicePointer ? "other" : "none",
           a.hostPointer == pointer ? "same" : a.hostPointer ? "other" : "none");
    cudaGetLastError();
}

static void pointers(void) {
    int local = 0;
    void *d = NULL, *h = NULL, *m = NULL, *heap = malloc(100);
    section = "pointers";
    SAY("alloc", cudaMalloc(&d, 1000) | cudaHostAlloc(&h, 1000, 0) | cudaMallocManaged(&m, 1000, 1));
    attributes_of("null", NULL);
    attributes_of("stack", &local);
    attributes_of("static", page);
    attributes_of("heap", heap);
    attributes_of("device", d);
    attributes_of("device_inside", (char *)d + 999);
    attributes_of("device_behind", (char *)d + 1000);
    attributes_of("pinned", h);
    attributes_of("pinned_inside", (char *)h + 5);
    attributes_of("managed", m);
    attributes_of("foreign", FOREIGN);
    SAY("register", cudaHostRegister(page, sizeof page, 0));
    attributes_of("registered", page);
    KEPT("register_again", cudaHostRegister(page, sizeof page, 0));
    SAY("unregister", cudaHostUnregister(page));
    KEPT("unregister_again", cudaHostUnregister(page));
    cudaFree(d);
    attributes_of("freed", d);
    SAY("no_answer", cudaPointerGetAttributes(NULL, h));
    SAY("free", cudaFreeHost(h) | cudaFree(m));
    free(heap);
}

static void memory(void) {
    void *d = NULL, *h = NULL, *p = NULL, *heap = malloc(16);
    size_t pitch = 7, total = 0;
    unsigned flags = 77;
    section = "memory";
    d = FOREIGN;
    SAY("none", cudaMalloc(&d, 0));
    SAY("none_pointer", d != NULL);
    KEPT("huge", cudaMalloc(&d, (size_t)1 << 60));
    SAY("nowhere", cudaMalloc(NULL, 4));
    SAY("some", cudaMalloc(&d, 1000) | cudaHostAlloc(&h, 100, 0));
    SAY("free_inside", cudaFree((char *)d + 16));
    KEPT("free_pinned", cudaFree(h));
    SAY("free_host_device", cudaFreeHost(d));
    SAY("free_heap", cudaFree(heap));
    SAY("free_foreign", cudaFree(FOREIGN));
    SAY("free_null", cudaFree(NULL));
    SAY("free_host_null", cudaFreeHost(NULL));
    SAY("free", cudaFree(d));
    SAY("free_again", cudaFree(d));
    SAY("free_host_heap", cudaFreeHost(heap));
    SAY("free_host", cudaFreeHost(h));
    SAY("free_host_again", cudaFreeHost(h));
    SAY("pitch_none", cudaMallocPitch(&d, &pitch, 0, 7));
    SAY("pitch_none_pitch", pitch);
    SAY("pitch", cudaMallocPitch(&d, &pitch, 100, 7));
    SAY("pitch_aligned", pitch >= 100 && pitch % 32 == 0);
    cudaFree(d);
    SAY("managed_none", cudaMallocManaged(&d, 0, 1));
    SAY("managed_flags", cudaMallocManaged(&d, 10, 9));
    SAY("pinned_none", cudaHostAlloc(&h, 0, 0));
    SAY("pinned_flags", cudaHostAlloc(&h, 10, 0xff));
    SAY("pinned", cudaMallocHost(&h, 10));
    SAY("mapped_heap", cudaHostGetDevicePointer(&p, heap, 0));
    SAY("mapped_flags", cudaHostGetDevicePointer(&p, h, 1));
    SAY("mapped", cudaHostGetDevicePointer(&p, h, 0));
    SAY("mapped_same", p == h);
    SAY("flags", cudaHostGetFlags(&flags, h));
    SAY("flags_heap", cudaHostGetFlags(&flags, heap));
    cudaFreeHost(h);
    SAY("info", cudaMemGetInfo(&pitch, &total));
    SAY("info_sense", pitch > 0 && pitch <= total);
    SAY("async_none", cudaMallocAsync(&d, 0, NULL));
    SAY("async_free_null", cudaFreeAsync(NULL, NULL));
    SAY("async_free_foreign", cudaFreeAsync(FOREIGN, NULL));
    SAY("async", cudaMallocAsync(&d, 100, NULL));
    SAY("async_free", cudaFreeAsync(d, NULL));
    SAY("synchronize", cudaDeviceSynchronize());
    free(heap);
}

static void count(void *data) { ++*(int *)data; }

static void streams(int garbage) {
    cudaStream_t s = NULL, t = NULL;
    cudaStream_t legacy = (cudaStream_t)1, own = (cudaStream_t)2;
    cudaGraph_t graph = NULL;
    unsigned flags = 7;
    int priority = 7, least = 7, greatest = 7, calls = 0;
    enum cudaStreamCaptureStatus capturing = cudaStreamCaptureStatusActive;
    enum cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    section = "streams";
    SAY("range", cudaDeviceGetStreamPriorityRange(&least, &greatest));
    SAY("least", least);
    SAY("greatest_below", greatest < 0);
    SAY("create", cudaStreamCreateWithPriority(&s, cudaStreamNonBlocking, -50));
    SAY("priority", cudaStreamGetPriority(s, &priority));
    SAY("priority_is_greatest", priority == greatest);
    SAY("create_low", cudaStreamCreateWithPriority(&t, 0, 50));
    SAY("priority_low", cudaStreamGetPriority(t, &priority));
    SAY("priority_low_value", priority);
    SAY("flags", cudaStreamGetFlags(s, &flags));
    SAY("flags_value", flags);
    SAY("destroy_low", cudaStreamDestroy(t));
    SAY("create_flags", cudaStreamCreateWithFlags(&t, 7));
    SAY("create_nowhere", cudaStreamCreate(NULL));
    SAY("flags_default", cudaStreamGetFlags(NULL, &flags));
    SAY("flags_legacy", cudaStreamGetFlags(legacy, &flags));
    SAY("flags_own", cudaStreamGetFlags(own, &flags));
    SAY("flags_own_value", flags);
    SAY("priority_default", cudaStreamGetPriority(NULL, &priority));
    SAY("query", cudaStreamQuery(NULL) | cudaStreamQuery(legacy) | cudaStreamQuery(own));
    SAY("destroy_default", cudaStreamDestroy(NULL));
    SAY("destroy_legacy", cudaStreamDestroy(legacy));
    KEPT("destroy_own", cudaStreamDestroy(own));
    SAY("host_function", cudaLaunchHostFunc(s, count, &calls));
    SAY("synchronize", cudaStreamSynchronize(s));
    SAY("host_function_calls", calls);
    SAY("host_function_none", cudaLaunchHostFunc(s, NULL, &calls));
    SAY("callback_none", cudaStreamAddCallback(s, NULL, &calls, 0));
    SAY("capturing", cudaStreamIsCapturing(s, &capturing));
    SAY("capturing_value", capturing);
    SAY("capturing_default", cudaStreamIsCapturing(NULL, &capturing));
    KEPT("end_capture", cudaStreamEndCapture(s, &graph));
    SAY("mode", cudaThreadExchangeStreamCaptureMode(&mode));
    SAY("mode_before", mode);
    SAY("mode_back", cudaThreadExchangeStreamCaptureMode(&mode));
    SAY("l2", cudaCtxResetPersistingL2Cache());
    SAY("destroy", cudaStreamDestroy(s));
    if (garbage) {
        SAY("freed_synchronize", cudaStreamSynchronize(s));
        SAY("freed_destroy", cudaStreamDestroy(s));
        SAY("foreign_query", cudaStreamQuery((cudaStream_t)FOREIGN));
        SAY("foreign_destroy", cudaStreamDestroy((cudaStream_t)FOREIGN));
    }
}

static void events(int garbage) {
    cudaEvent_t a = NULL, b = NULL, untimed = NULL, none = NULL;
    cudaStream_t s = NULL;
    float ms = -1;
    section = "events";
    SAY("create",
        cudaEventCreate(&a) | cudaEventCreate(&b) | cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming));
    SAY("create_flags", cudaEventCreateWithFlags(&none, 0xff));
    SAY("create_timed_ipc", cudaEventCreateWithFlags(&none, cudaEventInterprocess));
    SAY("create_nowhere", cudaEventCreate(NULL));
    cudaStreamCreate(&s);
    KEPT("elapsed_unrecorded", cudaEventElapsedTime(&ms, a, b));
    SAY("query_unrecorded", cudaEventQuery(a));
    SAY("synchronize_unrecorded", cudaEventSynchronize(a));
    SAY("record", cudaEventRecord(a, s));
    SAY("elapsed_half", cudaEventElapsedTime(&ms, a, b));
    SAY("record_more", cudaEventRecord(b, NULL) | cudaEventRecord(untimed, NULL));
    SAY("synchronize", cudaEventSynchronize(a) | cudaEventSynchronize(b) | cudaEventSynchronize(untimed));
    SAY("elapsed", cudaEventElapsedTime(&ms, a, b));
    SAY("elapsed_sense", ms >= 0 && ms < 1e6f);
    KEPT("elapsed_untimed", cudaEventElapsedTime(&ms, a, untimed));
    SAY("elapsed_nowhere", cudaEventElapsedTime(NULL, a, b));
    SAY("wait", cudaStreamWaitEvent(s, a, 0));
    SAY("wait_flags", cudaStreamWaitEvent(s, a, 7));
    SAY("record_flags", cudaEventRecordWithFlags(a, s, 0));
    SAY("record_flags_wrong", cudaEventRecordWithFlags(a, s, 7));
    SAY("null_record", cudaEventRecord(NULL, s));
    SAY("null_query", cudaEventQuery(NULL));
    SAY("null_destroy", cudaEventDestroy(NULL));
    SAY("null_synchronize", cudaEventSynchronize(NULL));
    KEPT("null_wait", cudaStreamWaitEvent(s, NULL, 0));
    SAY("destroy", cudaEventDestroy(a) | cudaEventDestroy(b) | cudaEventDestroy(untimed));
    if (garbage) {
        SAY("freed_query", cudaEventQuery(a));
        SAY("freed_destroy", cudaEventDestroy(a));
        SAY("foreign_query", cudaEventQuery((cudaEvent_t)FOREIGN));
        SAY("stream_as_event", cudaEventQuery((cudaEvent_t)s));
    }
    cudaStreamDestroy(s);
}

static void copies(void) {
    char *d = NULL, *h = malloc(4096), *g = malloc(4096);
    void *pinned = NULL;
    section = "copies";
    memset(h, 1, 4096);
    SAY("alloc", cudaMalloc((void **)&d, 1000) | cudaHostAlloc(&pinned, 100, 0));
    SAY("to_device", cudaMemcpy(d, h, 1000, cudaMemcpyHostToDevice));
    SAY("past_end", cudaMemcpy(d, h, 1001, cudaMemcpyHostToDevice));
    KEPT("past_end_far", cudaMemcpy(d, h, (size_t)1 << 40, cudaMemcpyHostToDevice));
    SAY("kind", cudaMemcpy(d, h, 8, (enum cudaMemcpyKind)9));
    SAY("kind_negative", cudaMemcpy(d, h, 8, (enum cudaMemcpyKind)-1));
    SAY("to_null", cudaMemcpy(NULL, h, 8, cudaMemcpyHostToDevice));
    SAY("from_null", cudaMemcpy(d, NULL, 8, cudaMemcpyHostToDevice));
    SAY("nothing", cudaMemcpy(NULL, NULL, 0, cudaMemcpyHostToDevice));
    SAY("nothing_kind", cudaMemcpy(d, h, 0, (enum cudaMemcpyKind)9));
    SAY("device_is_heap", cudaMemcpy(g, h, 8, cudaMemcpyHostToDevice));
    SAY("host_to_host_device", cudaMemcpy(d, h, 8, cudaMemcpyHostToHost));
    SAY("default_heaps", cudaMemcpy(g, h, 8, cudaMemcpyDefault));
    SAY("default", cudaMemcpy(d, h, 8, cudaMemcpyDefault));
    SAY("device_is_pinned", cudaMemcpy(pinned, h, 8, cudaMemcpyHostToDevice));
    SAY("async", cudaMemcpyAsync(d, h, 8, cudaMemcpyHostToDevice, NULL));
    KEPT("async_kind", cudaMemcpyAsync(d, h, 8, (enum cudaMemcpyKind)9, NULL));
    SAY("rows_pitch", cudaMemcpy2D(d, 4, h, 16, 8, 2, cudaMemcpyHostToDevice));
    SAY("rows_empty", cudaMemcpy2D(d, 4, h, 16, 0, 2, cudaMemcpyHostToDevice));
    SAY("rows_none", cudaMemcpy2D(d, 4, h, 16, 8, 0, cudaMemcpyHostToDevice));
    SAY("rows_past_end", cudaMemcpy2D(d, (size_t)1 << 20, h, 8, 8, 100, cudaMemcpyHostToDevice));
    SAY("rows", cudaMemcpy2D(d, 16, h, 32, 8, 4, cudaMemcpyHostToDevice));
    SAY("fill", cudaMemset(d, 1, 1000));
    SAY("fill_past_end", cudaMemset(d, 1, (size_t)1 << 40));
    SAY("fill_heap", cudaMemset(h, 1, 8));
    SAY("fill_pinned", cudaMemset(pinned, 1, 8));
    SAY("fill_nothing", cudaMemset(NULL, 1, 0));
    SAY("fill_null", cudaMemset(NULL, 1, 8));
    KEPT("fill_rows_pitch", cudaMemset2D(d, 4, 1, 8, 2));
    SAY("fill_rows", cudaMemset2D(d, 16, 1, 8, 2));
    SAY("peer_device", cudaMemcpyPeer(d, 99, d, 0, 8));
    SAY("free", cudaFree(d) | cudaFreeHost(pinned));
    free(h);
    free(g);
}

static void devices(void) {
    struct cudaDeviceProp p;
    int v = 0, unknown = 0;
    unsigned flags = 0;
    size_t limit = 0;
    char text[64];
    section = "devices";
    KEPT("set", cudaSetDevice(99));
    SAY("set_negative", cudaSetDevice(-1));
    SAY("set_first", cudaSetDevice(0));
    SAY("get_nowhere", cudaGetDevice(NULL));
    SAY("count_nowhere", cudaGetDeviceCount(NULL));
    SAY("version_nowhere", cudaRuntimeGetVersion(NULL));
    SAY("attribute", cudaDeviceGetAttribute(&v, cudaDevAttrWarpSize, 0));
    SAY("attribute_unknown", cudaDeviceGetAttribute(&v, (enum cudaDeviceAttr)9999, 0));
    SAY("attribute_zero", cudaDeviceGetAttribute(&v, (enum cudaDeviceAttr)0, 0));
    SAY("attribute_device", cudaDeviceGetAttribute(&v, cudaDevAttrWarpSize, 99));
    SAY("attribute_nowhere", cudaDeviceGetAttribute(NULL, cudaDevAttrWarpSize, 0));
    for (int a = 1; a <= 121; a++) unknown += cudaDeviceGetAttribute(&v, (enum cudaDeviceAttr)a, 0) != 0;
    SAY("attributes_unknown", unknown);
    SAY("properties_nowhere", cudaGetDeviceProperties(NULL, 0));
    KEPT("properties_device", cudaGetDeviceProperties(&p, 99));
    memset(&p, 0xAA, sizeof p);
    SAY("properties", cudaGetDeviceProperties(&p, 0));
    SAY("properties_name", p.name[0] != 0);
    SAY("properties_sense", p.warpSize > 0 && p.multiProcessorCount > 0 && p.totalGlobalMem > 0 && p.major >= 7);
    SAY("bus_id_short", cudaDeviceGetPCIBusId(text, 5, 0));
    SAY("bus_id", cudaDeviceGetPCIBusId(text, sizeof text, 0));
    SAY("bus_id_back", cudaDeviceGetByPCIBusId(&v, text));
    SAY("bus_id_back_value", v);
    SAY("bus_id_device", cudaDeviceGetPCIBusId(text, sizeof text, 99));
    SAY("bus_id_nonsense", cudaDeviceGetByPCIBusId(&v, "zz"));
    SAY("peer_self", cudaDeviceCanAccessPeer(&v, 0, 0));
    SAY("peer_self_value", v);
    SAY("peer_device", cudaDeviceCanAccessPeer(&v, 0, 9));
    SAY("peer_enable", cudaDeviceEnablePeerAccess(9, 0));
    SAY("peer_enable_self", cudaDeviceEnablePeerAccess(0, 0));
    SAY("peer_enable_flags", cudaDeviceEnablePeerAccess(0, 3));
    SAY("peer_disable", cudaDeviceDisablePeerAccess(0));
    SAY("p2p_self", cudaDeviceGetP2PAttribute(&v, cudaDevP2PAttrPerformanceRank, 0, 0));
    SAY("limit", cudaDeviceGetLimit(&limit, cudaLimitStackSize));
    SAY("limit_unknown", cudaDeviceGetLimit(&limit, (enum cudaLimit)99));
    SAY("flags", cudaGetDeviceFlags(&flags));
    SAY("flags_wrong", cudaSetDeviceFlags(3));
    SAY("flags_set", cudaSetDeviceFlags(cudaDeviceScheduleBlockingSync));
    SAY("flags_after", cudaGetDeviceFlags(&flags));
    SAY("flags_after_schedule", flags & cudaDeviceScheduleMask);
    memset(&p, 0, sizeof p);
    SAY("choose", cudaChooseDevice(&v, &p));
    SAY("choose_value", v);
#if CUDART_VERSION >= 12000
    SAY("init", cudaInitDevice(0, 0, 0));
    SAY("init_device", cudaInitDevice(99, 0, 0));
#endif
    SAY("reset", cudaDeviceReset());
}

static void errors(void) {
    section = "errors";
    printf("errors.name %s\n", cudaGetErrorName(cudaErrorInvalidValue));
    printf("errors.name_none %s\n", cudaGetErrorName(cudaSuccess));
    printf("errors.name_late %s\n", cudaGetErrorName(cudaErrorStreamCaptureWrongThread));
    printf("errors.name_unknown %s\n", cudaGetErrorName((cudaError_t)12345));
    printf("errors.text_unknown %s\n", cudaGetErrorString((cudaError_t)12345));
    printf("errors.text_memory %s\n", cudaGetErrorString(cudaErrorMemoryAllocation));
    cudaGetLastError();
    SAY("wrong", cudaFree(FOREIGN));
    SAY("right", cudaFree(NULL));
    SAY("still", cudaPeekAtLastError());
    SAY("again", cudaEventQuery(NULL));
    SAY("newer", cudaGetLastError());
    SAY("gone", cudaGetLastError());
}

static void entry_points(void) {
    void *function = FOREIGN;
    section = "entry";
#if CUDART_VERSION >= 12000
    enum cudaDriverEntryPointQueryResult found = (enum cudaDriverEntryPointQueryResult)7;
    KEPT("unknown", cudaGetDriverEntryPoint("cuNoSuch", &function, 0, &found));
    SAY("unknown_found", found);
    SAY("unknown_function", function != NULL);
    SAY("unknown_silent", cudaGetDriverEntryPoint("cuNoSuch", &function, 0, NULL));
    SAY("known", cudaGetDriverEntryPoint("cuInit", &function, 0, &found));
    SAY("known_found", found);
    SAY("known_function", function != NULL);
#else
    KEPT("unknown", cudaGetDriverEntryPoint("cuNoSuch", &function, 0));
    SAY("unknown_function", function == FOREIGN);
    SAY("known", cudaGetDriverEntryPoint("cuInit", &function, 0));
    SAY("known_function", function != NULL && function != FOREIGN);
#endif
}

extern unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, struct CUstream_st *stream);
extern cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream);

static void kernels(void) {
    struct cudaFuncAttributes attributes;
    dim3 one = {1, 1, 1}, grid, block;
    size_t shared = 0;
    void *stream = NULL, *address = NULL;
    int blocks = 0;
    section = "kernels";
    SAY("push", __cudaPushCallConfiguration(one, one, 5, NULL));
    SAY("pop", __cudaPopCallConfiguration(&grid, &block, &shared, &stream));
    SAY("pop_shared", shared);
    KEPT("pop_again", __cudaPopCallConfiguration(&grid, &block, &shared, &stream));
    KEPT("attributes", cudaFuncGetAttributes(&attributes, page));
    SAY("occupancy", cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, page, 128, 0));
    SAY("symbol", cudaGetSymbolAddress(&address, page));
    KEPT("launch", cudaLaunchKernel(page, one, one, NULL, 0, NULL));
    SAY("profiler", cudaProfilerStart() | cudaProfilerStop());
}

int main(int count_, char **words) {
    int garbage = count_ > 1 && !strcmp(words[1], "garbage");
    setvbuf(stdout, NULL, _IOLBF, 0);
    pointers();
    memory();
    streams(garbage);
    events(garbage);
    copies();
    errors();
    kernels();
    entry_points();
    devices();
    return 0;
}
