/* Calls about graphs and captures in random order, with handles that may be stale, another's or nothing: whatever is
 * answered, nothing is read or freed that is not there. Most useful under valgrind.
 * BUILD: cc -std=gnu11 -Wall -Wextra -I INCLUDE tests/cudart/c/wild.c -L LIB -lcudart -o t
 * RUN:   ./t [calls]
 */
#include <cuda_runtime_api.h>
#include <stdint.h>
#include <stdlib.h>

#include "check.h"

enum { GRAPHS = 12, NODES = 48, STREAMS = 6, OBJECTS = 4, SOME = 8 };

static cudaGraph_t graphs[GRAPHS];
static cudaGraphExec_t execs[GRAPHS];
static cudaGraphNode_t nodes[NODES];
static cudaStream_t streams[STREAMS];
static cudaEvent_t events[STREAMS];
static cudaUserObject_t objects[OBJECTS];
static unsigned char *d;
static uint64_t seed;

static unsigned draw(unsigned below) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(seed >> 33) % below;
}
static void nothing(void *unused) { (void)unused; }

/* A handle of some kind or other. */
static void *any(void) {
    switch (draw(6)) {
    case 0: return NULL;
    case 1: return graphs[draw(GRAPHS)];
    case 2: return nodes[draw(NODES)];
    case 3: return execs[draw(GRAPHS)];
    case 4: return streams[draw(STREAMS)];
    default: return (void *)(uintptr_t)(64 * draw(3) + 1);
    }
}
static cudaGraph_t graph(void) { return draw(20) ? graphs[draw(GRAPHS)] : (cudaGraph_t)any(); }
static cudaGraphNode_t node(void) { return draw(20) ? nodes[draw(NODES)] : (cudaGraphNode_t)any(); }
static cudaGraphExec_t exec(void) { return draw(20) ? execs[draw(GRAPHS)] : (cudaGraphExec_t)any(); }
static cudaStream_t stream(void) { return streams[draw(STREAMS)]; }
static cudaEvent_t event(void) { return events[draw(STREAMS)]; }

/* Keeps a graph in the place of another, which is destroyed. */
static void keep(cudaGraph_t made) {
    cudaGraph_t *place = &graphs[draw(GRAPHS)];
    for (int i = 0; i < GRAPHS; i++)
        if (graphs[i] == made) return;
    if (*place) (void)cudaGraphDestroy(*place);
    *place = made;
}

static void make(void) {
    cudaGraph_t made = NULL;
    if (draw(2) ? cudaGraphCreate(&made, 0) : cudaGraphClone(&made, graph())) return;
    keep(made);
}

static void add(void) {
    cudaGraphNode_t before[SOME], *to = &nodes[draw(NODES)];
    struct cudaHostNodeParams call = {.fn = nothing};
    struct cudaMemsetParams fill = {
        .dst = d, .elementSize = 1u << draw(3), .width = draw(64), .height = draw(3), .pitch = draw(128)};
    struct cudaMemcpy3DParms box = {.kind = (enum cudaMemcpyKind)draw(5), .extent = {draw(32), draw(3), draw(3)}};
    enum cudaMemcpyKind kind = (enum cudaMemcpyKind)draw(6);
    size_t count = draw(4), inside = 0;
    cudaGraph_t where = graph(), what = graph();
    for (int i = 0; i < SOME; i++) before[i] = node();
    box.srcPtr = (struct cudaPitchedPtr){d, draw(64), 32, draw(4)};
    box.dstPtr = (struct cudaPitchedPtr){d + 2048, draw(64), 32, draw(4)};
    switch (draw(8)) {
    case 0: (void)cudaGraphAddEmptyNode(to, where, before, count); break;
    case 1: (void)cudaGraphAddHostNode(to, where, before, count, &call); break;
    case 2: (void)cudaGraphAddMemsetNode(to, where, before, count, &fill); break;
    case 3: (void)cudaGraphAddMemcpyNode(to, where, before, count, &box); break;
    case 4: (void)cudaGraphAddMemcpyNode1D(to, where, before, count, d, d + 64, draw(64), kind); break;
    case 5: (void)cudaGraphAddEventRecordNode(to, where, before, count, event()); break;
    case 6: (void)cudaGraphAddEventWaitNode(to, where, before, count, event()); break;
    default:
        if (cudaGraphGetNodes(what, NULL, &inside) || inside > 20) break;
        (void)cudaGraphAddChildGraphNode(to, where, before, count, what);
    }
}

static void look(void) {
    cudaGraphNode_t found[SOME];
    enum cudaGraphNodeType type;
    size_t count = draw(SOME + 1);
    cudaGraph_t inner = NULL;
    switch (draw(7)) {
    case 0: (void)cudaGraphGetNodes(graph(), found, &count); break;
    case 1: (void)cudaGraphGetRootNodes(graph(), found, &count); break;
    case 2: (void)cudaGraphNodeGetType(node(), &type); break;
    case 3: (void)cudaGraphNodeFindInClone(&nodes[draw(NODES)], node(), graph()); break;
    case 4:
        if (cudaGraphChildGraphNodeGetGraph(node(), &inner) == cudaSuccess) graphs[draw(GRAPHS)] = inner;
        break;
#if CUDART_VERSION >= 13000
    case 5: (void)cudaGraphNodeGetDependencies(node(), found, NULL, &count); break;
    default: (void)cudaGraphNodeGetDependentNodes(node(), found, NULL, &count);
#else
    case 5: (void)cudaGraphNodeGetDependencies(node(), found, &count); break;
    default: (void)cudaGraphNodeGetDependentNodes(node(), found, &count);
#endif
    }
}

static void change(void) {
    cudaGraphNode_t first[SOME], then[SOME];
    size_t count = draw(4);
    for (int i = 0; i < SOME; i++) first[i] = node(), then[i] = node();
    switch (draw(4)) {
    case 0: (void)cudaGraphDestroy(graph()); break;
    case 1: (void)cudaGraphDestroyNode(node()); break;
#if CUDART_VERSION >= 13000
    case 2: (void)cudaGraphAddDependencies(graph(), first, then, NULL, count); break;
    default: (void)cudaGraphRemoveDependencies(graph(), first, then, NULL, count);
#else
    case 2: (void)cudaGraphAddDependencies(graph(), first, then, count); break;
    default: (void)cudaGraphRemoveDependencies(graph(), first, then, count);
#endif
    }
}

static void run(void) {
    cudaGraphExec_t *place = &execs[draw(GRAPHS)];
    unsigned on;
    switch (draw(7)) {
    case 0:
        if (*place) (void)cudaGraphExecDestroy(*place);
        *place = NULL;
        (void)cudaGraphInstantiateWithFlags(place, graph(), 0);
        break;
    case 1: (void)cudaGraphExecDestroy(exec()); break;
    case 2: (void)cudaGraphUpload(exec(), stream()); break;
    case 3: (void)cudaGraphNodeSetEnabled(exec(), node(), draw(2)); break;
    case 4: (void)cudaGraphNodeGetEnabled(exec(), node(), &on); break;
    case 5: {
#if CUDART_VERSION >= 12000
        cudaGraphExecUpdateResultInfo info;
        (void)cudaGraphExecUpdate(exec(), graph(), &info);
#else
        cudaGraphNode_t where;
        enum cudaGraphExecUpdateResult result;
        (void)cudaGraphExecUpdate(exec(), graph(), &where, &result);
#endif
        break;
    }
    default: (void)cudaGraphLaunch(exec(), stream());
    }
}

static void capture(void) {
    enum cudaStreamCaptureMode mode = (enum cudaStreamCaptureMode)draw(3);
    enum cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    const cudaGraphNode_t *before = NULL;
    cudaGraphNode_t list[SOME];
    cudaGraph_t made = NULL;
    unsigned long long id;
    size_t count = 0, some = draw(4);
    for (int i = 0; i < SOME; i++) list[i] = node();
    switch (draw(5)) {
    case 0: (void)cudaStreamBeginCapture(stream(), mode); break;
    case 1:
        if (cudaStreamEndCapture(stream(), draw(30) ? &made : NULL) == cudaSuccess && made) keep(made);
        break;
    case 2:
#if CUDART_VERSION >= 12000
        (void)cudaStreamBeginCaptureToGraph(stream(), graph(), list, NULL, some, mode);
#endif
        break;
#if CUDART_VERSION >= 13000
    case 3: (void)cudaStreamUpdateCaptureDependencies(stream(), list, NULL, some, draw(3)); break;
    default: (void)cudaStreamGetCaptureInfo(stream(), &status, &id, &made, &before, NULL, &count);
#else
    case 3: (void)cudaStreamUpdateCaptureDependencies(stream(), list, some, draw(3)); break;
    default: (void)cudaStreamGetCaptureInfo_v2(stream(), &status, &id, &made, &before, &count);
#endif
    }
    if (status != cudaStreamCaptureStatusActive) return;
    for (size_t i = 0; i < count; i++) nodes[draw(NODES)] = before[i];
    if (draw(2)) (void)cudaGraphAddEmptyNode(&nodes[draw(NODES)], made, before, count);
    if (draw(2)) graphs[draw(GRAPHS)] = made;
}

static void work(void) {
    int i = (int)draw(STREAMS);
    void *memory = NULL;
    float ms;
    switch (draw(12)) {
    case 0: (void)cudaMemsetAsync(draw(20) ? d : NULL, 0, draw(64), stream()); break;
    case 1: (void)cudaMemcpyAsync(d, d + 64, draw(64), (enum cudaMemcpyKind)draw(5), stream()); break;
    case 2: (void)cudaLaunchHostFunc(stream(), nothing, NULL); break;
    case 3: case 4: (void)cudaEventRecordWithFlags(event(), stream(), draw(8) == 0); break;
    case 5: case 6: (void)cudaStreamWaitEvent(stream(), event(), draw(8) == 0); break;
    case 7:
        if (cudaMallocAsync(&memory, draw(64), stream()) == cudaSuccess) (void)cudaFreeAsync(memory, stream());
        break;
    case 8: (void)cudaEventElapsedTime(&ms, event(), event()); break;
    case 9: (void)(draw(2) ? cudaEventQuery(event()) : cudaStreamQuery(stream())); break;
    case 10:
        if (draw(3)) break;
        OK(cudaStreamDestroy(streams[i]));
        OK(cudaStreamCreateWithFlags(&streams[i], (unsigned)i % 2));
        break;
    default:
        if (draw(3)) break;
        OK(cudaEventDestroy(events[i]));
        OK(cudaEventCreate(&events[i]));
    }
}

static void hold(void) {
    cudaUserObject_t object = objects[draw(OBJECTS)];
    switch (draw(5)) {
    case 0:
        (void)cudaUserObjectCreate(
            &objects[draw(OBJECTS)], d, nothing, 1 + draw(2), cudaUserObjectNoDestructorSync);
        break;
    case 1: (void)cudaUserObjectRetain(object, 1); break;
    case 2: (void)cudaUserObjectRelease(object, 1 + draw(2)); break;
    case 3: (void)cudaGraphRetainUserObject(graph(), object, 1, draw(2)); break;
    default: (void)cudaGraphReleaseUserObject(graph(), object, 1);
    }
}

int main(int argc, char **argv) {
    static void (*const calls[])(void) = {make, add, add, look, change, run, run, capture, capture, work, work, hold};
    int count = argc > 1 ? atoi(argv[1]) : 300000;
    cudaGraph_t graph = NULL;
    OK(cudaMalloc((void **)&d, 4096));
    for (int i = 0; i < STREAMS; i++) {
        OK(cudaStreamCreateWithFlags(&streams[i], (unsigned)i % 2));
        OK(cudaEventCreate(&events[i]));
    }
    for (int i = 0; i < count; i++) calls[draw(sizeof calls / sizeof *calls)]();
    for (int i = 0; i < STREAMS; i++) {
        for (int k = 0; k < 2; k++) (void)cudaStreamEndCapture(streams[i], &graph);
        OK(cudaStreamDestroy(streams[i]));
        OK(cudaEventDestroy(events[i]));
    }
    printf("%d misses\n", misses);
    return misses != 0;
}
