/* What a program may rely on when streams do their work at once: order, counts, times, streams of threads, waits.
 * BUILD: cc -std=gnu11 -Wall -Wextra -I INCLUDE tests/cudart/c/schedule.c -L LIB -lcudart -lpthread -o t
 * RUN:   ./t
 */
#include <cuda_runtime_api.h>
#include <pthread.h>
#include <string.h>

#include "check.h"

static char order[16];
static size_t done;
static void writes(void *letter) { order[done++] = *(char *)letter; }
static void CUDART_CB called(cudaStream_t stream, cudaError_t status, void *letter) {
    (void)stream;
    order[done++] = status == cudaSuccess ? *(char *)letter : '!';
}

/* Functions and copies of one stream happen in the order of their calls, all of them before a wait returns. */
static void in_order(void) {
    cudaStream_t s = NULL;
    char letters[] = "abcd", seen[4] = {0};
    char *d = NULL;
    OK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    OK(cudaMalloc((void **)&d, 4));
    OK(cudaLaunchHostFunc(s, writes, &letters[0]));
    OK(cudaStreamAddCallback(s, called, &letters[1], 0));
    OK(cudaMemcpyAsync(d, order, 4, cudaMemcpyHostToDevice, s));
    OK(cudaLaunchHostFunc(s, writes, &letters[2]));
    OK(cudaMemcpyAsync(seen, d, 4, cudaMemcpyDeviceToHost, s));
    OK(cudaLaunchHostFunc(s, writes, &letters[3]));
    OK(cudaStreamSynchronize(s));
    IS(0, memcmp(order, "abcd", 4));
    IS(0, memcmp(seen, "ab\0\0", 4));
    OK(cudaStreamQuery(s));
    OK(cudaFree(d));
    OK(cudaStreamDestroy(s));
}

static void times(void) {
    cudaEvent_t first = NULL, last = NULL, never = NULL;
    cudaStream_t s = NULL, t = NULL;
    float ms = -1, more = -1;
    OK(cudaStreamCreate(&s));
    OK(cudaStreamCreate(&t));
    OK(cudaEventCreate(&first));
    OK(cudaEventCreate(&last));
    OK(cudaEventCreate(&never));
    OK(cudaEventRecord(first, s));
    OK(cudaStreamWaitEvent(t, first, 0)); /* of another stream */
    OK(cudaStreamWaitEvent(t, never, 0)); /* of none: nothing to wait for */
    OK(cudaEventQuery(never));
    OK(cudaEventSynchronize(never));
    OK(cudaEventRecord(last, t));
    OK(cudaEventSynchronize(last));
    OK(cudaEventElapsedTime(&ms, first, last));
    IS(1, ms >= 0);
    for (volatile int i = 0; i < 1000000; i++) {
    }
    OK(cudaEventRecord(last, t)); /* a record anew counts */
    OK(cudaEventElapsedTime(&more, first, last));
    IS(1, more > ms);
    OK(cudaEventElapsedTime(&ms, first, first));
    IS(1, ms == 0);
    OK(cudaEventElapsedTime(&ms, last, first)); /* the other way round */
    IS(1, ms < 0);
    IS(400, cudaEventElapsedTime(&ms, first, never));
    IS(400, cudaGetLastError());
    OK(cudaStreamDestroy(s)); /* an event outlives its stream */
    OK(cudaEventSynchronize(first));
    OK(cudaEventDestroy(first));
    OK(cudaEventDestroy(last));
    OK(cudaEventDestroy(never));
    OK(cudaStreamDestroy(t));
}

static char *between;
static void *own_stream(void *letter) {
    cudaStream_t own = cudaStreamPerThread;
    unsigned flags = 9;
    char back = 0;
    OK(cudaMemsetAsync(between, *(char *)letter, 1, own));
    OK(cudaMemcpyAsync(&back, between, 1, cudaMemcpyDeviceToHost, own));
    OK(cudaStreamSynchronize(own));
    IS(*(char *)letter, back);
    OK(cudaStreamGetFlags(own, &flags));
    IS(0, flags);
    OK(cudaPeekAtLastError()); /* a thread's own */
    IS(1, cudaMemset(NULL, 0, 1));
    IS(1, cudaGetLastError());
    return NULL;
}

static void threads(void) {
    pthread_t thread;
    char letters[] = "xy";
    OK(cudaMalloc((void **)&between, 1));
    for (int i = 0; i < 2; i++) {
        pthread_create(&thread, NULL, own_stream, &letters[i]);
        pthread_join(thread, NULL);
    }
    OK(cudaPeekAtLastError());
    OK(cudaFree(between));
}

int main(void) {
    in_order();
    times();
    threads();
    cudaGetLastError();
    printf("%d misses\n", misses);
    return misses != 0;
}
