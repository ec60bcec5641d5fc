/* Captures over several streams in random shapes, and ready graphs that many threads launch, replace and destroy.
 * BUILD: cc -std=gnu11 -Wall -Wextra -I INCLUDE tests/cudart/c/storm.c -L LIB -lcudart -lpthread -o t
 * RUN:   ./t [shapes]
 */
#include <cuda_runtime_api.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

enum { STREAMS = 6, EVENTS = 12, STEPS = 80, DEPTH = 5, THREADS = 4 };

static unsigned seed;
static int draw(unsigned below) {
    seed = seed * 1664525u + 1013904223u;
    return (int)((seed >> 8) % below);
}

static int now, ran[STEPS]; /* when each call was made */
static void calls(void *when) { *(int *)when = ++now; }
static unsigned char after[STEPS][STEPS]; /* [a][b]: a waits for b */

static int update(cudaGraphExec_t exec, cudaGraph_t graph) {
#if CUDART_VERSION >= 12000
    cudaGraphExecUpdateResultInfo info;
    return cudaGraphExecUpdate(exec, graph, &info);
#else
    cudaGraphNode_t node = NULL;
    enum cudaGraphExecUpdateResult result;
    return cudaGraphExecUpdate(exec, graph, &node, &result);
#endif
}

static void launch(cudaGraphExec_t exec, cudaStream_t stream, int count) {
    now = 0;
    memset(ran, 0, sizeof ran);
    OK(cudaGraphLaunch(exec, stream));
    IS(count, now);
    for (int i = 0; i < count; i++)
        for (int k = 0; k < count; k++)
            if (after[i][k]) IS(1, ran[i] > ran[k]);
}

static cudaGraph_t wrapped(cudaGraph_t graph, int depth) {
    cudaGraph_t outer;
    cudaGraphNode_t node;
    OK(cudaGraphCreate(&outer, 0));
    OK(cudaGraphAddChildGraphNode(&node, outer, NULL, 0, graph));
    if (depth == 0) return outer;
    cudaGraph_t more = wrapped(outer, depth - 1);
    OK(cudaGraphDestroy(outer));
    return more;
}

/* Streams that fork and join at random: what waited for something while it was captured comes after it in a launch. */
static void shape(void) {
    cudaStream_t s[STREAMS];
    cudaEvent_t e[EVENTS];
    /* What has happened before a stream's next work, and before an event. */
    unsigned char known[STREAMS][STEPS], seen[EVENTS][STEPS];
    int takes_part[STREAMS] = {1}, recorded[EVENTS] = {0}, n = 0;
    cudaGraph_t graph = NULL, copy, outer;
    cudaGraphExec_t exec[3];
    memset(known, 0, sizeof known);
    memset(after, 0, sizeof after);
    for (int i = 0; i < STREAMS; i++) OK(cudaStreamCreateWithFlags(&s[i], cudaStreamNonBlocking));
    for (int i = 0; i < EVENTS; i++) OK(cudaEventCreateWithFlags(&e[i], cudaEventDisableTiming));
    OK(cudaStreamBeginCapture(s[0], (enum cudaStreamCaptureMode)draw(3)));
    for (int step = 0; step < STEPS; step++) {
        int a = draw(STREAMS), k = draw(EVENTS), what = draw(4);
        if (what == 0 && recorded[k]) {
            OK(cudaStreamWaitEvent(s[a], e[k], 0));
            takes_part[a] = 1;
            for (int i = 0; i < n; i++) known[a][i] |= seen[k][i];
        } else if (what == 1 && takes_part[a]) {
            OK(cudaEventRecord(e[k], s[a]));
            memcpy(seen[k], known[a], sizeof seen[k]);
            recorded[k] = 1;
        } else if (takes_part[a]) {
            OK(cudaLaunchHostFunc(s[a], calls, &ran[n]));
            memcpy(after[n], known[a], sizeof after[n]);
            known[a][n++] = 1;
        }
    }
    for (int i = 1; i < STREAMS; i++) {
        if (!takes_part[i]) continue;
        OK(cudaEventRecord(e[0], s[i]));
        OK(cudaStreamWaitEvent(s[0], e[0], 0));
    }
    OK(cudaStreamEndCapture(s[0], &graph));
    OK(cudaGraphClone(&copy, graph));
    outer = wrapped(graph, DEPTH);
    OK(cudaGraphInstantiateWithFlags(&exec[0], graph, 0));
    OK(cudaGraphInstantiateWithFlags(&exec[1], copy, 0));
    OK(cudaGraphInstantiateWithFlags(&exec[2], outer, 0));
    OK(cudaGraphDestroy(graph));
    for (int i = 0; i < 3; i++) launch(exec[i], s[draw(STREAMS)], n);
    OK(update(exec[0], copy));
    launch(exec[0], NULL, n);
    OK(cudaGraphDestroy(copy));
    OK(cudaGraphDestroy(outer));
    for (int i = 0; i < 3; i++) OK(cudaGraphExecDestroy(exec[i]));
    for (int i = 0; i < STREAMS; i++) OK(cudaStreamDestroy(s[i]));
    for (int i = 0; i < EVENTS; i++) OK(cudaEventDestroy(e[i]));
}

static cudaGraphExec_t shared;
static int stop, inside, together;
static void alone(void *unused) {
    (void)unused;
    if (__atomic_add_fetch(&inside, 1, __ATOMIC_SEQ_CST) != 1) together = 1;
    __atomic_sub_fetch(&inside, 1, __ATOMIC_SEQ_CST);
}
static void *launches(void *unused) {
    cudaStream_t s;
    OK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    while (!__atomic_load_n(&stop, __ATOMIC_SEQ_CST)) {
        int error = cudaGraphLaunch(__atomic_load_n(&shared, __ATOMIC_SEQ_CST), s);
        IS(error ? cudaErrorInvalidValue : cudaSuccess, error); /* it may be destroyed by now */
    }
    OK(cudaStreamDestroy(s));
    (void)cudaGetLastError();
    return unused;
}

/* Two launches of one ready graph are never under way at once; one that is destroyed meanwhile is let finish, or is
 * refused. */
static void replaced(int times) {
    pthread_t t[THREADS];
    struct cudaHostNodeParams call = {.fn = alone};
    cudaGraphNode_t node;
    cudaGraph_t graph;
    OK(cudaGraphCreate(&graph, 0));
    OK(cudaGraphAddHostNode(&node, graph, NULL, 0, &call));
    OK(cudaGraphInstantiateWithFlags(&shared, graph, 0));
    for (int i = 0; i < THREADS; i++) IS(0, pthread_create(&t[i], NULL, launches, NULL));
    for (int i = 0; i < times; i++) {
        cudaGraphExec_t was = shared, next;
        OK(update(was, graph));
        if (i % 8) continue;
        OK(cudaGraphInstantiateWithFlags(&next, graph, 0));
        __atomic_store_n(&shared, next, __ATOMIC_SEQ_CST);
        OK(cudaGraphExecDestroy(was));
    }
    __atomic_store_n(&stop, 1, __ATOMIC_SEQ_CST);
    for (int i = 0; i < THREADS; i++) IS(0, pthread_join(t[i], NULL));
    OK(cudaGraphExecDestroy(shared));
    OK(cudaGraphDestroy(graph));
}

/* Captures of many threads at once, in each mode, while all of them take memory: a relaxed thread is in nobody's
 * way. */
static void *captures(void *number) {
    enum cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    unsigned char *d, out[64], me = *(unsigned char *)number;
    cudaStream_t s;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    OK(cudaThreadExchangeStreamCaptureMode(&mode));
    OK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    for (int i = 0; i < 60; i++) {
        OK(cudaStreamBeginCapture(s, (enum cudaStreamCaptureMode)(i % 3)));
        OK(cudaMalloc((void **)&d, 64));
        OK(cudaMemsetAsync(d, me, 32, s));
        OK(cudaMemsetAsync(d + 32, me + 1, 32, s));
        OK(cudaStreamEndCapture(s, &graph));
        OK(cudaGraphInstantiateWithFlags(&exec, graph, 0));
        OK(cudaGraphLaunch(exec, s));
        OK(cudaMemcpy(out, d, 64, cudaMemcpyDeviceToHost));
        IS(1, out[0] == me && out[31] == me && out[32] == me + 1 && out[63] == me + 1);
        OK(cudaGraphExecDestroy(exec));
        OK(cudaGraphDestroy(graph));
        OK(cudaFree(d));
    }
    OK(cudaStreamDestroy(s));
    return NULL;
}

int main(int argc, char **argv) {
    int shapes = argc > 1 ? atoi(argv[1]) : 300;
    unsigned char number[THREADS];
    pthread_t t[THREADS];
    for (int i = 0; i < shapes; i++) {
        seed = (unsigned)i;
        shape();
    }
    replaced(8 * shapes);
    for (int i = 0; i < THREADS; i++) {
        number[i] = (unsigned char)(10 * (i + 1));
        IS(0, pthread_create(&t[i], NULL, captures, &number[i]));
    }
    for (int i = 0; i < THREADS; i++) IS(0, pthread_join(t[i], NULL));
    printf("%d misses\n", misses);
    return misses != 0;
}
