/* Streams captured into graphs, and graphs made by hand, on the CPU backend: what runs when, in which order, what is
 * refused. Statuses of captures are those that an H200 with CUDA 13 gave; what was not asked there is the manual's.
 * BUILD: cc -std=gnu11 -Wall -Wextra -I INCLUDE tests/cudart/c/graphs.c -L LIB -lcudart -lpthread -o t
 * RUN:   ./t
 */
#include <cuda_runtime_api.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

static cudaStream_t s, t;
static unsigned char *d; /* 256 bytes of the device */
static char order[32];
static size_t done;
static void writes(void *letter) { order[done++] = *(char *)letter; }
static void CUDART_CB called(cudaStream_t stream, cudaError_t status, void *data) {
    (void)stream, (void)status, (void)data;
}

static cudaGraphExec_t ready(cudaGraph_t graph) {
    cudaGraphExec_t made = NULL;
    OK(cudaGraphInstantiateWithFlags(&made, graph, 0));
    return made;
}
static void begin(void) { OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal)); }
static cudaGraph_t end(void) {
    cudaGraph_t graph = NULL;
    OK(cudaStreamEndCapture(s, &graph));
    return graph;
}
static int state(cudaStream_t stream) {
    enum cudaStreamCaptureStatus status = (enum cudaStreamCaptureStatus)9;
    OK(cudaStreamIsCapturing(stream, &status));
    return (int)status;
}
/* The capture that an answer ended: it is told again at the end, and there is no graph. */
static void broken(void) {
    cudaGraph_t graph = (cudaGraph_t)1;
    IS(cudaStreamCaptureStatusInvalidated, state(s));
    IS(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(s, &graph));
    IS(1, graph == NULL);
    IS(cudaStreamCaptureStatusNone, state(s));
    (void)cudaGetLastError();
}
static size_t nodes(cudaGraph_t graph) {
    size_t count = 99;
    OK(cudaGraphGetNodes(graph, NULL, &count));
    return count;
}

/* Copies and fills are done by each launch, with what the memory holds then; nothing is done by the capture. */
static void launches(void) {
    unsigned char in[4] = {1, 2, 3, 4}, out[8] = {0}, row[4] = {0};
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    OK(cudaMemset(d, 0, 256));
    begin();
    IS(cudaStreamCaptureStatusActive, state(s));
    OK(cudaMemcpyAsync(d, in, 4, cudaMemcpyHostToDevice, s));
    OK(cudaMemcpyAsync(d + 4, d, 4, cudaMemcpyDeviceToDevice, s));
    OK(cudaMemsetAsync(d + 6, 9, 1, s));
    OK(cudaMemset2DAsync(d + 16, 8, 7, 2, 3, s));
    OK(cudaMemcpy2DAsync(row, 2, d + 16, 8, 2, 2, cudaMemcpyDeviceToHost, s));
    OK(cudaMemcpyAsync(out, d, 8, cudaMemcpyDeviceToHost, s));
    graph = end();
    IS(0, out[0] + out[7]);
    IS(6, nodes(graph));
    exec = ready(graph);
    OK(cudaGraphDestroy(graph)); /* the ready graph has its own */
    for (unsigned char i = 0; i < 3; i++) {
        in[0] = i;
        OK(cudaGraphLaunch(exec, s));
        OK(cudaStreamSynchronize(s));
        IS(0, memcmp(out, (unsigned char[]){i, 2, 3, 4, i, 2, 9, 4}, 8));
        IS(0, memcmp(row, "\7\7\7\7", 4));
    }
    OK(cudaGraphUpload(exec, s));
    begin();
    IS(cudaErrorStreamCaptureUnsupported, cudaGraphUpload(exec, s));
    broken();
    begin();
    OK(cudaGraphUpload(exec, t));
    OK(cudaGraphDestroy(end()));
    OK(cudaGraphExecDestroy(exec));
    IS(cudaErrorInvalidValue, cudaGraphExecDestroy(exec));
    IS(cudaErrorInvalidValue, cudaGraphLaunch(exec, s));
    IS(cudaErrorInvalidValue, cudaGraphUpload(exec, s));
    IS(cudaErrorInvalidValue, cudaGraphDestroy(graph));
    (void)cudaGetLastError();
}

/* A second stream takes part from the event that it waits for until the first stream waits for it. */
static void forks(void) {
    char letters[] = "abcd";
    cudaEvent_t fork, join;
    cudaGraph_t graph = NULL;
    cudaGraphExec_t exec;
    size_t edges = 0;
    OK(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
    OK(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));
    begin();
    OK(cudaLaunchHostFunc(s, writes, &letters[0]));
    OK(cudaEventRecord(fork, s));
    IS(cudaStreamCaptureStatusNone, state(t));
    OK(cudaStreamWaitEvent(t, fork, 0));
    IS(cudaStreamCaptureStatusActive, state(t));
    OK(cudaLaunchHostFunc(t, writes, &letters[1]));
    OK(cudaEventRecord(join, t));
    OK(cudaLaunchHostFunc(s, writes, &letters[2]));
    OK(cudaStreamWaitEvent(s, join, 0));
    OK(cudaLaunchHostFunc(s, writes, &letters[3]));
    graph = end();
    IS(cudaStreamCaptureStatusNone, state(t));
#if CUDART_VERSION >= 13000
    OK(cudaGraphGetEdges(graph, NULL, NULL, NULL, &edges));
#else
    OK(cudaGraphGetEdges(graph, NULL, NULL, &edges));
#endif
    IS(4, edges); /* a-b, a-c, b-d, c-d */
    exec = ready(graph);
    done = 0;
    OK(cudaGraphLaunch(exec, s));
    OK(cudaGraphLaunch(exec, t));
    IS(0, memcmp(order, "abcdabcd", 8));
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(graph));

    begin(); /* not joined */
    OK(cudaEventRecord(fork, s));
    OK(cudaStreamWaitEvent(t, fork, 0));
    OK(cudaMemsetAsync(d, 0, 4, t));
    graph = (cudaGraph_t)1;
    IS(cudaErrorStreamCaptureUnjoined, cudaStreamEndCapture(s, &graph));
    IS(1, graph == NULL);
    IS(cudaStreamCaptureStatusNone, state(t));
    (void)cudaGetLastError();
    OK(cudaMemsetAsync(d, 0, 4, t));

    begin(); /* two captures cannot become one */
    OK(cudaStreamBeginCapture(t, cudaStreamCaptureModeThreadLocal));
    OK(cudaEventRecord(fork, s));
    IS(cudaErrorStreamCaptureMerge, cudaStreamWaitEvent(t, fork, 0));
    broken();
    IS(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(t, &graph));
    (void)cudaGetLastError();

    OK(cudaEventRecord(fork, t)); /* of work that is no part of it */
    begin();
    IS(cudaErrorStreamCaptureIsolation, cudaStreamWaitEvent(s, fork, 0));
    broken();

    begin(); /* an event of a capture never happens */
    OK(cudaEventRecord(fork, s));
    IS(cudaErrorCapturedEvent, cudaEventQuery(fork));
    broken();
    OK(cudaEventRecord(fork, s)); /* until it is recorded anew */
    OK(cudaEventQuery(fork));

    float ms;
    cudaEvent_t timed, never;
    OK(cudaEventCreate(&timed));
    OK(cudaEventCreate(&never));
    begin(); /* nor is there a time of it, but that question breaks nothing */
    OK(cudaEventRecord(timed, s));
    IS(cudaErrorCapturedEvent, cudaEventElapsedTime(&ms, timed, timed));
    OK(cudaStreamWaitEvent(s, never, 0)); /* nor does an event that nobody recorded */
    IS(cudaStreamCaptureStatusActive, state(s));
    graph = end();
    IS(0, nodes(graph));
    OK(cudaGraphDestroy(graph));
    IS(cudaErrorInvalidValue, cudaEventQuery(timed)); /* the capture has ended */
    IS(cudaErrorInvalidValue, cudaEventSynchronize(timed));
    IS(cudaErrorInvalidValue, cudaStreamWaitEvent(t, timed, 0));
    IS(cudaErrorInvalidValue, cudaEventElapsedTime(&ms, timed, timed));
    (void)cudaGetLastError();
    begin(); /* nor can another capture wait for it */
    IS(cudaErrorInvalidValue, cudaStreamWaitEvent(s, timed, 0));
    broken();
    OK(cudaEventRecord(timed, t));
    OK(cudaEventQuery(timed));
    OK(cudaEventDestroy(timed));
    OK(cudaEventDestroy(never));
    OK(cudaEventDestroy(fork));
    OK(cudaEventDestroy(join));
}

/* What would wait, or might, is refused, and the capture with it. */
static void refused(void) {
    void *p = NULL, *q = NULL;
    cudaGraph_t graph = NULL;
    enum cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    begin();
    IS(cudaErrorIllegalState, cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal));
    IS(cudaErrorStreamCaptureUnsupported, cudaStreamSynchronize(s));
    IS(cudaErrorStreamCaptureInvalidated, cudaMemsetAsync(d, 0, 4, s));
    broken();
    begin();
    IS(cudaErrorStreamCaptureUnsupported, cudaStreamQuery(s));
    broken();
    begin();
    IS(cudaErrorStreamCaptureUnsupported, cudaStreamAddCallback(s, called, NULL, 0));
    broken();
    begin();
    IS(cudaErrorStreamCaptureUnsupported, cudaMalloc(&p, 64));
    broken();
    begin();
    IS(cudaErrorStreamCaptureUnsupported, cudaDeviceSynchronize());
    broken();
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed)); /* which no mode allows */
    IS(cudaErrorStreamCaptureUnsupported, cudaDeviceSynchronize());
    broken();
    begin();
    IS(cudaErrorStreamCaptureUnsupported, cudaFree(NULL));
    broken();
    begin();
    IS(cudaErrorStreamCaptureUnsupported, cudaFreeHost(NULL));
    broken();
    OK(cudaHostAlloc(&p, 64, 0));
    begin();
    IS(cudaErrorStreamCaptureUnsupported, cudaHostRegister(p, 64, 0));
    broken();
    begin();
    IS(cudaErrorStreamCaptureUnsupported, cudaHostUnregister(p));
    broken();
    q = &q;
    begin(); /* no memory is none that could make it wait */
    OK(cudaHostAlloc(&q, 0, 0));
    IS(1, q == NULL);
    OK(cudaGraphDestroy(end()));
    begin(); /* a fill of NULL is looked at when the graph is made ready */
    OK(cudaMemsetAsync(NULL, 0, 64, s));
    graph = end();
    IS(1, nodes(graph));
    cudaGraphExec_t exec = NULL;
    IS(cudaErrorInvalidValue, cudaGraphInstantiateWithFlags(&exec, graph, 0));
    OK(cudaGraphDestroy(graph));
    IS(cudaErrorInvalidValue, cudaMemsetAsync(NULL, 0, 64, s));
    IS(cudaErrorInvalidValue, cudaHostRegister(p, 64, 0)); /* it is the runtime's */
    OK(cudaFreeHost(p));
    (void)cudaGetLastError();
    IS(cudaErrorIllegalState, cudaStreamEndCapture(s, &graph));
    begin(); /* over, and its graph is nobody's */
    OK(cudaMemsetAsync(d, 0, 4, s));
    OK(cudaStreamEndCapture(s, NULL));
    IS(cudaStreamCaptureStatusNone, state(s));
    IS(cudaErrorStreamCaptureUnsupported, cudaStreamBeginCapture(NULL, cudaStreamCaptureModeThreadLocal));
    IS(cudaErrorInvalidValue, cudaStreamBeginCapture(s, (enum cudaStreamCaptureMode)3));
    (void)cudaGetLastError();

    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed)); /* this mode allows what may wait */
    OK(cudaMalloc(&p, 64));
    OK(cudaFree(p));
    graph = end();
    IS(0, nodes(graph));
    OK(cudaGraphDestroy(graph));
    mode = (enum cudaStreamCaptureMode)7; /* taken and given back */
    OK(cudaThreadExchangeStreamCaptureMode(&mode));
    IS(cudaStreamCaptureModeGlobal, mode);
    mode = cudaStreamCaptureModeGlobal;
    OK(cudaThreadExchangeStreamCaptureMode(&mode));
    IS(7, mode);
    IS(cudaErrorInvalidValue, cudaThreadExchangeStreamCaptureMode(NULL));
    (void)cudaGetLastError();
    mode = cudaStreamCaptureModeRelaxed;
    OK(cudaThreadExchangeStreamCaptureMode(&mode)); /* so does a thread that says so */
    IS(cudaStreamCaptureModeGlobal, mode);
    begin();
    OK(cudaMalloc(&p, 64));
    OK(cudaFree(p));
    OK(cudaMallocAsync(&q, 64, s)); /* the graph's own memory */
    OK(cudaMemsetAsync(q, 5, 64, s));
    OK(cudaMemcpyAsync(d, q, 4, cudaMemcpyDeviceToDevice, s));
    OK(cudaFreeAsync(q, s));
    graph = end();
    OK(cudaThreadExchangeStreamCaptureMode(&mode));
    IS(cudaErrorInvalidValue, cudaFree(q));
    (void)cudaGetLastError();
    exec = ready(graph);
    OK(cudaGraphDestroy(graph));
    OK(cudaGraphLaunch(exec, s));
    unsigned char out[4];
    OK(cudaMemcpy(out, d, 4, cudaMemcpyDeviceToHost));
    IS(5, out[3]);
    OK(cudaGraphExecDestroy(exec));
}

/* Work on the legacy stream that waits is no concern of a stream that does not wait for it, and makes a blocking one's
 * capture invalid. Empty work is none.
 */
static void waits(void) {
    cudaStream_t blocking;
    cudaGraph_t graph = NULL;
    unsigned char in[4] = {1, 2, 3, 4}, out[4] = {0};
    void *p = d;
    begin();
    OK(cudaMemcpy(d, in, 4, cudaMemcpyHostToDevice));
    OK(cudaMemcpy2D(d + 4, 2, d, 2, 2, 2, cudaMemcpyDeviceToDevice));
    OK(cudaMemset(d + 7, 9, 1));
    OK(cudaMemcpy(out, d + 4, 4, cudaMemcpyDeviceToHost));
    IS(0, memcmp(out, "\1\2\3\11", 4));
    OK(cudaMalloc(&p, 0));
    IS(1, p == NULL);
    graph = end();
    IS(0, nodes(graph));
    OK(cudaGraphDestroy(graph));
    OK(cudaStreamCreate(&blocking));
    OK(cudaStreamBeginCapture(blocking, cudaStreamCaptureModeThreadLocal));
    OK(cudaMemcpy(d, in, 0, cudaMemcpyHostToDevice));
    IS(cudaStreamCaptureStatusActive, state(blocking));
    IS(cudaErrorStreamCaptureImplicit, cudaMemcpy(d, in, 4, cudaMemcpyHostToDevice));
    IS(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(blocking, &graph));
    (void)cudaGetLastError();
    OK(cudaStreamDestroy(blocking));
}

static void *elsewhere(void *global) {
    void *p = NULL;
    cudaGraph_t graph = (cudaGraph_t)1;
    IS(*(int *)global ? cudaErrorStreamCaptureUnsupported : cudaSuccess, cudaMalloc(&p, 64));
    if (!*(int *)global) OK(cudaFree(p));
    IS(*(int *)global ? cudaErrorStreamCaptureInvalidated : cudaErrorStreamCaptureWrongThread,
       cudaStreamEndCapture(s, &graph));
    IS(1, graph == NULL);
    IS(cudaStreamCaptureStatusNone, state(s));
    (void)cudaGetLastError();
    return NULL;
}

/* Another thread is bound by a global capture only; one that it ends is over, without a graph. */
static void threads(void) {
    pthread_t other;
    for (int global = 0; global < 2; global++) {
        OK(cudaStreamBeginCapture(s, global ? cudaStreamCaptureModeGlobal : cudaStreamCaptureModeThreadLocal));
        IS(0, pthread_create(&other, NULL, elsewhere, &global));
        IS(0, pthread_join(other, NULL));
        cudaGraph_t graph = NULL;
        IS(cudaErrorIllegalState, cudaStreamEndCapture(s, &graph));
        (void)cudaGetLastError();
    }
}

static pthread_barrier_t turn;
static cudaEvent_t forked;

static void *forks_and_goes(void *unused) {
    OK(cudaStreamWaitEvent(cudaStreamPerThread, forked, 0));
    return unused;
}

static void *captures_its_own(void *unused) {
    cudaGraph_t graph = NULL;
    OK(cudaStreamBeginCapture(cudaStreamPerThread, cudaStreamCaptureModeThreadLocal));
    pthread_barrier_wait(&turn);
    pthread_barrier_wait(&turn);
    IS(cudaStreamCaptureStatusActive, state(cudaStreamPerThread));
    OK(cudaStreamEndCapture(cudaStreamPerThread, &graph));
    OK(cudaGraphDestroy(graph));
    return unused;
}

static void *begins(void *unused) {
    begin();
    return unused;
}
static void *may_take_memory(void *unused) {
    void *p = NULL;
    cudaGraph_t graph = NULL;
    OK(cudaMalloc(&p, 64));
    OK(cudaFree(p));
    IS(cudaErrorStreamCaptureWrongThread, cudaStreamEndCapture(s, &graph));
    (void)cudaGetLastError();
    return unused;
}

/* A thread begins a capture and ends; the next one, which has its memory, did not begin it. */
static void threads_in_its_place(void) {
    pthread_t other;
    IS(0, pthread_create(&other, NULL, begins, NULL));
    IS(0, pthread_join(other, NULL));
    IS(0, pthread_create(&other, NULL, may_take_memory, NULL));
    IS(0, pthread_join(other, NULL));
}

/* A thread's own stream is captured and the thread ends before the capture does: the next thread, which has its memory,
 * is another one. */
static void threads_that_end(void) {
    pthread_t other;
    IS(0, pthread_barrier_init(&turn, NULL, 2));
    OK(cudaEventCreate(&forked));
    begin();
    OK(cudaMemsetAsync(d, 0, 4, s));
    OK(cudaEventRecord(forked, s));
    IS(0, pthread_create(&other, NULL, forks_and_goes, NULL));
    IS(0, pthread_join(other, NULL));
    IS(0, pthread_create(&other, NULL, captures_its_own, NULL));
    pthread_barrier_wait(&turn);
    OK(cudaGraphDestroy(end())); /* the other stream has no work that is not joined */
    pthread_barrier_wait(&turn);
    IS(0, pthread_join(other, NULL));
    OK(cudaEventDestroy(forked));
    IS(0, pthread_barrier_destroy(&turn));
}

/* Nodes, dependencies, graphs in graphs, copies of graphs. */
static void by_hand(void) {
    char letters[] = "abc";
    cudaGraph_t graph, inner, copy, found = NULL;
    cudaGraphNode_t node[6], list[8], twin = NULL;
    cudaGraphExec_t exec;
    struct cudaHostNodeParams call = {.fn = writes, .userData = &letters[0]};
    struct cudaMemsetParams fill = {
        .dst = d, .elementSize = 4, .value = 0x01020304, .width = 2, .height = 2, .pitch = 16};
    struct cudaMemcpy3DParms box = {.kind = cudaMemcpyDeviceToDevice, .extent = {8, 2, 1}};
    enum cudaGraphNodeType type;
    unsigned char out[64];
    size_t count;
    OK(cudaMemset(d, 0, 256));
    IS(cudaErrorInvalidValue, cudaGraphCreate(&graph, 1));
    OK(cudaGraphCreate(&graph, 0));
    OK(cudaGraphAddEmptyNode(&node[0], graph, NULL, 0));
    OK(cudaGraphAddHostNode(&node[1], graph, &node[0], 1, &call));
    OK(cudaGraphAddMemsetNode(&node[2], graph, &node[1], 1, &fill));
    OK(cudaGraphAddMemcpyNode1D(&node[3], graph, &node[2], 1, d + 32, d, 24, cudaMemcpyDeviceToDevice));
    box.srcPtr = (struct cudaPitchedPtr){d, 16, 8, 2};
    box.dstPtr = (struct cudaPitchedPtr){d + 64, 8, 8, 2};
    OK(cudaGraphAddMemcpyNode(&node[4], graph, &node[2], 1, &box));
    IS(cudaErrorInvalidValue, cudaGraphAddMemcpyNode1D(&node[5], graph, NULL, 0, NULL, d, 4, cudaMemcpyDeviceToDevice));
    IS(cudaErrorInvalidValue,
       cudaGraphAddMemcpyNode1D(&node[5], graph, NULL, 0, d + 4, d, 0, cudaMemcpyDeviceToDevice));
    fill.elementSize = 3;
    IS(cudaErrorInvalidValue, cudaGraphAddMemsetNode(&node[5], graph, NULL, 0, &fill));
    call.fn = NULL;
    IS(cudaErrorInvalidValue, cudaGraphAddHostNode(&node[5], graph, NULL, 0, &call));
    IS(cudaErrorInvalidValue, cudaGraphAddEmptyNode(&node[5], graph, NULL, 1));
    (void)cudaGetLastError();
    OK(cudaGraphNodeGetType(node[2], &type));
    IS(cudaGraphNodeTypeMemset, type);
    IS(5, nodes(graph));
    count = 1;
    OK(cudaGraphGetRootNodes(graph, list, &count));
    IS(1, count == 1 && list[0] == node[0]);
    count = 8;
    OK(cudaGraphGetNodes(graph, list, &count));
    IS(5, count);
    IS(1, list[5] == NULL);

    OK(cudaGraphClone(&copy, graph));
    OK(cudaGraphNodeFindInClone(&twin, node[2], copy));
    IS(1, twin != node[2]);
    OK(cudaGraphDestroyNode(twin)); /* only the copy's */
    IS(cudaErrorInvalidValue, cudaGraphDestroyNode(twin));
    IS(4, nodes(copy));
    OK(cudaGraphDestroy(copy));

    OK(cudaGraphCreate(&inner, 0));
    IS(cudaErrorInvalidValue, cudaGraphAddEmptyNode(&node[5], inner, &node[0], 1)); /* of another graph */
    OK(cudaGraphAddChildGraphNode(&node[5], inner, NULL, 0, graph));
    call.fn = writes;
    call.userData = &letters[1];
    OK(cudaGraphAddHostNode(&twin, inner, &node[5], 1, &call));
    OK(cudaGraphChildGraphNodeGetGraph(node[5], &found));
    IS(5, nodes(found));
    IS(cudaErrorInvalidValue, cudaGraphDestroy(found)); /* it is the node's */
    (void)cudaGetLastError();
    OK(cudaGraphDestroy(graph));
    exec = ready(inner);
    done = 0;
    OK(cudaGraphLaunch(exec, s));
    IS(0, memcmp(order, "ab", 2));
    OK(cudaMemcpy(out, d + 32, 64, cudaMemcpyDeviceToHost));
    IS(0, memcmp(out, "\4\3\2\1\4\3\2\1\0\0\0\0\0\0\0\0\4\3\2\1\4\3\2\1", 24));
    IS(0, memcmp(out + 32, "\4\3\2\1\4\3\2\1\4\3\2\1\4\3\2\1\0", 17));
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed)); /* not on a captured stream, in any mode */
    OK(cudaGraphLaunch(exec, t));
    IS(cudaErrorStreamCaptureUnsupported, cudaGraphLaunch(exec, s));
    broken();
    IS(4, done);
    OK(cudaGraphExecDestroy(exec));
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    OK(cudaGraphExecDestroy(ready(inner)));
    OK(cudaGraphDestroy(end()));
    begin();
    IS(cudaErrorStreamCaptureUnsupported, cudaGraphInstantiateWithFlags(&exec, inner, 0));
    broken();
    OK(cudaGraphDestroy(inner));
}

/* Events that graphs record are seen outside of them; those of a capture only where the record says so. */
static void events(void) {
    cudaEvent_t first, last;
    cudaGraph_t graph;
    cudaGraphNode_t node[3];
    cudaGraphExec_t exec;
    float ms = -1;
    OK(cudaEventCreate(&first));
    OK(cudaEventCreate(&last));
    OK(cudaGraphCreate(&graph, 0));
    OK(cudaGraphAddEventRecordNode(&node[0], graph, NULL, 0, first));
    OK(cudaGraphAddEventWaitNode(&node[1], graph, &node[0], 1, first));
    OK(cudaGraphAddEventRecordNode(&node[2], graph, &node[1], 1, last));
    IS(cudaErrorInvalidResourceHandle, cudaGraphAddEventWaitNode(&node[1], graph, NULL, 0, NULL));
    (void)cudaGetLastError();
    exec = ready(graph);
    IS(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&ms, first, last));
    (void)cudaGetLastError();
    OK(cudaGraphLaunch(exec, s));
    OK(cudaEventElapsedTime(&ms, first, last));
    IS(1, ms >= 0);
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(graph));
    begin();
    OK(cudaEventRecordWithFlags(first, s, cudaEventRecordExternal));
    OK(cudaStreamWaitEvent(s, first, cudaEventWaitExternal));
    graph = end();
    IS(2, nodes(graph));
    OK(cudaGraphDestroy(graph));
    OK(cudaEventQuery(first));
    OK(cudaEventDestroy(first));
    OK(cudaEventDestroy(last));
}

static unsigned char host[8];
static cudaGraph_t filled(int value, int more) {
    begin();
    OK(cudaMemsetAsync(d, value, 8, s));
    if (more == 1) OK(cudaMemsetAsync(d + 8, value, 8, s));
    if (more == 2) OK(cudaMemcpyAsync(d + 8, d, 8, cudaMemcpyDeviceToDevice, s));
    if (more == 3) OK(cudaMemcpyAsync(host, d, 8, cudaMemcpyDeviceToHost, s));
    return end();
}
static int update(cudaGraphExec_t exec, cudaGraph_t graph, int *result) {
#if CUDART_VERSION >= 12000
    cudaGraphExecUpdateResultInfo info;
    int status = cudaGraphExecUpdate(exec, graph, &info);
    *result = (int)info.result;
#else
    cudaGraphNode_t node = NULL;
    enum cudaGraphExecUpdateResult got;
    int status = cudaGraphExecUpdate(exec, graph, &node, &got);
    *result = (int)got;
#endif
    (void)cudaGetLastError();
    return status;
}

/* A ready graph takes the arguments of a graph of the same shape, and keeps its own where the shape is another. */
static void updates(void) {
    cudaGraph_t one = filled(1, 1), two = filled(2, 1), less = filled(3, 0), other = filled(4, 2);
    cudaGraphExec_t exec = ready(one);
    unsigned char out[16];
    int result = 9;
    OK(update(exec, two, &result));
    IS(cudaGraphExecUpdateSuccess, result);
    OK(cudaGraphLaunch(exec, s));
    OK(cudaMemcpy(out, d, 16, cudaMemcpyDeviceToHost));
    IS(0, memcmp(out, "\2\2\2\2\2\2\2\2\2\2\2\2\2\2\2\2", 16));
    IS(cudaErrorGraphExecUpdateFailure, update(exec, less, &result));
    IS(cudaGraphExecUpdateErrorTopologyChanged, result);
    IS(cudaErrorGraphExecUpdateFailure, update(exec, other, &result));
    IS(cudaGraphExecUpdateErrorNodeTypeChanged, result);
    OK(cudaMemset(d, 0, 16));
    OK(cudaGraphLaunch(exec, s));
    OK(cudaMemcpy(out, d, 16, cudaMemcpyDeviceToHost));
    IS(2, out[15]);
    OK(cudaGraphExecDestroy(exec));
    exec = ready(other); /* a copy that goes elsewhere is another */
    cudaGraph_t home = filled(5, 3), same = filled(6, 2);
    IS(cudaErrorGraphExecUpdateFailure, update(exec, home, &result));
    IS(cudaGraphExecUpdateErrorParametersChanged, result);
    OK(update(exec, same, &result));
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(home));
    OK(cudaGraphDestroy(same));
    OK(cudaGraphDestroy(one));
    OK(cudaGraphDestroy(two));
    OK(cudaGraphDestroy(less));
    OK(cudaGraphDestroy(other));
}

/* Something of the program's that goes with the last graph that holds it. */
static void objects(void) {
    char letter = 'x';
    cudaUserObject_t object = NULL;
    cudaGraph_t graph, copy;
    OK(cudaUserObjectCreate(&object, &letter, writes, 1, cudaUserObjectNoDestructorSync));
    OK(cudaGraphCreate(&graph, 0));
    OK(cudaGraphRetainUserObject(graph, object, 1, cudaGraphUserObjectMove));
    OK(cudaGraphClone(&copy, graph));
    done = 0;
    OK(cudaGraphDestroy(graph));
    IS(0, done);
    OK(cudaGraphDestroy(copy));
    IS(1, done);
    IS(cudaErrorInvalidValue, cudaUserObjectRelease(object, 1));
    (void)cudaGetLastError();
}

static void nothing(void *unused) { (void)unused; }
static cudaGraph_t calling(void (*function)(void *), void *data) {
    struct cudaHostNodeParams call = {.fn = function, .userData = data};
    cudaGraphNode_t node;
    cudaGraph_t graph;
    OK(cudaGraphCreate(&graph, 0));
    OK(cudaGraphAddHostNode(&node, graph, NULL, 0, &call));
    return graph;
}

/* A handle that is stale leads to nothing of the runtime's own, and graphs have what they hold as long as they live. */
static void stale(void) {
    enum { TIMES = 400, GONE = 9 };
    static cudaGraphExec_t all[TIMES];
    cudaGraph_t graph = calling(nothing, NULL), gone[GONE], inner, outer;
    cudaGraphNode_t node;
    cudaUserObject_t object;
    char letter = 'x';
    for (int i = 0; i < GONE; i++) OK(cudaGraphCreate(&gone[i], 0));
    for (int i = 0; i < GONE; i++) OK(cudaGraphDestroy(gone[i]));
    for (int i = 0; i < TIMES; i++) all[i] = ready(graph);
    for (int i = 0; i < GONE; i++) IS(cudaErrorInvalidValue, cudaGraphDestroy(gone[i]));
    for (int i = 0; i < TIMES; i++) {
        OK(cudaGraphLaunch(all[i], s));
        OK(cudaGraphExecDestroy(all[i]));
    }
    OK(cudaUserObjectCreate(&object, &letter, writes, 1, cudaUserObjectNoDestructorSync));
    OK(cudaGraphRetainUserObject(graph, object, 1, 0));
    IS(cudaErrorInvalidValue, cudaUserObjectRelease(object, 2)); /* one of the two is the graph's */
    IS(cudaErrorInvalidValue, cudaGraphRetainUserObject(graph, object, 2, cudaGraphUserObjectMove));
    done = 0;
    OK(cudaUserObjectRelease(object, 1));
    IS(cudaErrorInvalidValue, cudaUserObjectRelease(object, 1));
    OK(cudaGraphReleaseUserObject(graph, object, 1));
    IS(1, done);
    IS(cudaErrorInvalidValue, cudaGraphReleaseUserObject(graph, object, 1));
    OK(cudaGraphCreate(&outer, 0));
    OK(cudaGraphAddChildGraphNode(&node, outer, NULL, 0, graph));
    OK(cudaGraphChildGraphNodeGetGraph(node, &inner));
#if CUDART_VERSION >= 12000
    OK(cudaStreamBeginCaptureToGraph(s, inner, NULL, NULL, 0, cudaStreamCaptureModeRelaxed));
    IS(cudaErrorInvalidValue, cudaGraphDestroy(outer));
    IS(cudaErrorInvalidValue, cudaGraphDestroyNode(node));
    OK(cudaMemsetAsync(d, 0, 4, s));
    IS(1, end() == inner);
    IS(2, nodes(inner));
#endif
    for (int i = 0; i < 20; i++) { /* twice as deep each time: refused before anything overflows */
        cudaGraphNode_t next;
        if (cudaGraphAddChildGraphNode(&next, inner, NULL, 0, outer) != cudaSuccess) break;
        while (cudaGraphChildGraphNodeGetGraph(next, &inner) == cudaSuccess) {
            size_t count = 8;
            cudaGraphNode_t list[8];
            OK(cudaGraphGetNodes(inner, list, &count));
            next = NULL;
            for (size_t k = 0; k < count; k++) {
                enum cudaGraphNodeType type;
                OK(cudaGraphNodeGetType(list[k], &type));
                if (type == cudaGraphNodeTypeGraph) next = list[k];
            }
            if (next == NULL) break;
        }
        IS(1, i < 19);
    }
    OK(cudaGraphDestroy(outer));
    OK(cudaGraphDestroy(graph));
    (void)cudaGetLastError();
}

/* How each version of CUDA asks about a capture and changes what its next work depends on, by its header's names. */
static void asks(int want, unsigned long long *id, cudaGraph_t *graph, const cudaGraphNode_t **before, size_t *count) {
    enum cudaStreamCaptureStatus status = (enum cudaStreamCaptureStatus)9;
    unsigned long long other = 0;
#if CUDART_VERSION < 12000
    OK(cudaStreamGetCaptureInfo(s, &status, &other));
    IS(want, status);
    OK(cudaStreamGetCaptureInfo_v2(s, &status, id, graph, before, count));
#elif CUDART_VERSION < 13000
    const cudaGraphEdgeData *edges = (const cudaGraphEdgeData *)1;
    OK(cudaStreamGetCaptureInfo_v3(s, &status, &other, graph, before, &edges, count));
    IS(want, status);
    IS(1, want != cudaStreamCaptureStatusActive || edges == NULL);
    OK(cudaStreamGetCaptureInfo(s, &status, id, graph, before, count)); /* the second */
#else
    const cudaGraphEdgeData *edges = (const cudaGraphEdgeData *)1;
    OK(cudaStreamGetCaptureInfo(s, &status, &other, NULL, NULL, NULL, NULL));
    IS(want, status);
    OK(cudaStreamGetCaptureInfo(s, &status, id, graph, before, &edges, count));
    IS(1, want != cudaStreamCaptureStatusActive || edges == NULL);
#endif
    IS(want, status);
    if (want == cudaStreamCaptureStatusActive) IS(other, *id);
}
static int depends(cudaGraphNode_t *before, size_t count, unsigned flags) {
#if CUDART_VERSION < 13000
    return cudaStreamUpdateCaptureDependencies(s, before, count, flags);
#else
    return cudaStreamUpdateCaptureDependencies(s, before, NULL, count, flags);
#endif
}
static void information(void) {
    unsigned long long id = 0, first;
    cudaGraph_t graph = NULL, made, foreign;
    const cudaGraphNode_t *before = NULL;
    cudaGraphNode_t one, two, empty, stranger;
    size_t count = 9;
    asks(cudaStreamCaptureStatusNone, &id, &graph, &before, &count);
    IS(cudaErrorIllegalState, depends(NULL, 0, cudaStreamSetCaptureDependencies));
    begin();
    asks(cudaStreamCaptureStatusActive, &id, &graph, &before, &count);
    IS(0, count);
    first = id;
    OK(cudaMemsetAsync(d, 1, 4, s));
    asks(cudaStreamCaptureStatusActive, &id, &graph, &before, &count);
    IS(1, count);
    one = before[0];
    OK(depends(NULL, 0, cudaStreamSetCaptureDependencies)); /* beside it */
    OK(cudaMemsetAsync(d + 4, 2, 4, s));
    asks(cudaStreamCaptureStatusActive, &id, &graph, &before, &count);
    IS(1, count);
    two = before[0];
    OK(depends(&one, 1, cudaStreamAddCaptureDependencies));
    OK(depends(&one, 1, cudaStreamAddCaptureDependencies)); /* it is there already */
    asks(cudaStreamCaptureStatusActive, &id, &graph, &before, &count);
    IS(1, count == 2 && before[0] == two && before[1] == one);
    OK(cudaGraphAddEmptyNode(&empty, graph, before, count)); /* a node by hand, which the next work waits for */
    OK(depends(&empty, 1, cudaStreamSetCaptureDependencies));
    OK(cudaGraphCreate(&foreign, 0));
    OK(cudaGraphAddEmptyNode(&stranger, foreign, NULL, 0));
    IS(cudaErrorInvalidValue, depends(&stranger, 1, cudaStreamSetCaptureDependencies));
    IS(cudaErrorInvalidValue, depends(NULL, 1, cudaStreamSetCaptureDependencies));
    IS(cudaErrorInvalidValue, depends(&one, 1, 2));
    OK(cudaMemcpyAsync(d + 8, d, 8, cudaMemcpyDeviceToDevice, s));
    asks(cudaStreamCaptureStatusActive, &id, &graph, &before, &count);
    IS(1, count == 1 && before[0] != empty && id == first);
    made = end();
    IS(1, made == graph);
    IS(4, nodes(made));
    OK(cudaGraphDestroy(foreign));
    OK(cudaGraphDestroy(made));
    begin();
    asks(cudaStreamCaptureStatusActive, &id, &graph, &before, &count);
    IS(1, id != first);
    IS(cudaErrorStreamCaptureUnsupported, cudaStreamQuery(s));
    asks(cudaStreamCaptureStatusInvalidated, &id, &graph, &before, &count);
    IS(cudaErrorStreamCaptureInvalidated, depends(&one, 0, cudaStreamSetCaptureDependencies));
    broken();
    (void)cudaGetLastError();
}

/* A node is told from one that was made later at its address: handles are used again sooner or later. */
static void addresses(void) {
    cudaGraph_t graph, copy;
    cudaGraphNode_t node, kept, later = NULL, found = NULL;
    cudaGraphExec_t exec;
    unsigned on = 9;
    OK(cudaGraphCreate(&graph, 0));
    OK(cudaGraphAddEmptyNode(&kept, graph, NULL, 0));
    OK(cudaGraphAddMemcpyNode1D(&node, graph, NULL, 0, d + 4, d, 4, cudaMemcpyDeviceToDevice));
    OK(cudaGraphClone(&copy, graph));
    exec = ready(graph);
    OK(cudaGraphDestroyNode(node));
    for (int i = 0; i < 100000 && later != node; i++) {
        if (later != NULL) OK(cudaGraphDestroyNode(later));
        OK(cudaGraphAddMemcpyNode1D(&later, graph, NULL, 0, d, d + 4, 4, cudaMemcpyDeviceToDevice));
    }
    IS(1, later == node);
    IS(cudaErrorInvalidValue, cudaGraphNodeFindInClone(&found, later, copy));
    IS(cudaErrorInvalidValue, cudaGraphNodeSetEnabled(exec, later, 0));
    IS(cudaErrorInvalidValue, cudaGraphNodeGetEnabled(exec, later, &on));
    OK(cudaGraphNodeFindInClone(&found, kept, copy));
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(copy));
    OK(cudaGraphDestroy(graph));

    /* The same of an event that a graph records; HIP's are behind handles of ours, so many are made. */
    cudaEvent_t event, other = NULL;
    enum { EVENTS = 4096 };
    static cudaEvent_t many[EVENTS];
    OK(cudaEventCreate(&event));
    OK(cudaGraphCreate(&graph, 0));
    OK(cudaGraphAddEventRecordNode(&node, graph, NULL, 0, event));
    exec = ready(graph);
    OK(cudaEventDestroy(event));
    for (int i = 0; i < EVENTS; i++) OK(cudaEventCreate(&many[i]));
    OK(cudaGraphLaunch(exec, s));
    float ms;
    int happened = 0;
    OK(cudaEventCreate(&other));
    OK(cudaEventRecord(other, s));
    for (int i = 0; i < EVENTS; i++) happened += cudaEventElapsedTime(&ms, many[i], other) == cudaSuccess;
    IS(0, happened);
    for (int i = 0; i < EVENTS; i++) OK(cudaEventDestroy(many[i]));
    OK(cudaEventDestroy(other));
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(graph));
    (void)cudaGetLastError();
}

static cudaGraphExec_t self;
static int answered[4];
static void uses_itself(void *unused) {
    int result;
    cudaGraph_t same = calling(nothing, NULL);
    (void)unused;
    answered[0] = cudaGraphLaunch(self, s);
    answered[1] = update(self, same, &result);
    answered[2] = cudaGraphExecDestroy(self);
    answered[3] = cudaGraphLaunch(self, s);
    (void)cudaGetLastError();
    OK(cudaGraphDestroy(same));
}
static void launches_it(void *unused) {
    (void)unused;
    answered[0] = cudaGraphLaunch(self, s);
    done++;
}

/* The program's functions may do what they like with the ready graph that calls them: nothing hangs. */
static void from_inside(void) {
    cudaUserObject_t object;
    int result;
    cudaGraph_t first = calling(uses_itself, NULL), second = calling(nothing, NULL);
    self = ready(first);
    OK(cudaGraphLaunch(self, s));
    IS(cudaErrorIllegalState, answered[0]);
    IS(cudaErrorIllegalState, answered[1]);
    OK(answered[2]);
    IS(cudaErrorInvalidValue, answered[3]);
    IS(cudaErrorInvalidValue, cudaGraphExecDestroy(self));
    OK(cudaGraphDestroy(first));

    first = calling(nothing, NULL); /* what an update puts away is destroyed when the new one can be launched */
    OK(cudaUserObjectCreate(&object, NULL, launches_it, 1, cudaUserObjectNoDestructorSync));
    OK(cudaGraphRetainUserObject(first, object, 1, cudaGraphUserObjectMove));
    self = ready(first);
    OK(cudaGraphDestroy(first));
    done = 0;
    OK(update(self, second, &result));
    IS(1, done);
    OK(answered[0]);
    OK(cudaGraphExecDestroy(self));
    OK(cudaGraphDestroy(second));
    (void)cudaGetLastError();
}

int main(void) {
    OK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    OK(cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking));
    OK(cudaMalloc((void **)&d, 256));
    launches();
    forks();
    refused();
    waits();
    threads();
    threads_in_its_place();
    threads_that_end();
    by_hand();
    events();
    updates();
    objects();
    stale();
    information();
    addresses();
    from_inside();
    begin(); /* a capture that is left alone goes with its stream */
    OK(cudaMemsetAsync(d, 0, 4, s));
    OK(cudaStreamDestroy(s));
    OK(cudaStreamDestroy(t));
    OK(cudaFree(d));
    printf("%d misses\n", misses);
    return misses != 0;
}
