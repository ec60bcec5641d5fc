/* What is hard on a runtime: handles that two threads make and free, freed and foreign ones, fork, and an end
 * with all alive.
 * BUILD: cc -std=gnu11 -Wall -Wextra -I INCLUDE tests/cudart/c/hard.c -L LIB -lcudart -lcuda -lpthread -o t
 * RUN:   ./t [TIMES]
 */
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

static long times = 10000;
static cudaStream_t shared_stream;
static cudaEvent_t shared_event;

static void ran(void *count) { ++*(int *)count; }

/* Each thread has its own handles and looks at the other's, which may be gone: any answer but a crash is right. */
static void *makes_and_frees(void *unused) {
    (void)unused;
    for (long i = 0; i < times; i++) {
        cudaStream_t s = NULL;
        cudaEvent_t e = NULL;
        void *d = NULL;
        int count = 0;
        OK(cudaStreamCreate(&s));
        OK(cudaEventCreate(&e));
        OK(cudaMalloc(&d, 1 + i % 4096));
        __atomic_store_n(&shared_stream, s, __ATOMIC_RELAXED);
        __atomic_store_n(&shared_event, e, __ATOMIC_RELAXED);
        OK(cudaLaunchHostFunc(s, ran, &count));
        OK(cudaEventRecord(e, s));
        OK(cudaStreamWaitEvent(NULL, e, 0));
        OK(cudaMemsetAsync(d, 1, 1 + i % 4096, s));
        OK(cudaStreamSynchronize(s));
        IS(1, count);
        (void)cudaStreamQuery(__atomic_load_n(&shared_stream, __ATOMIC_RELAXED));
        (void)cudaEventQuery(__atomic_load_n(&shared_event, __ATOMIC_RELAXED));
        OK(cudaEventDestroy(e));
        OK(cudaStreamDestroy(s));
        OK(cudaFree(d));
        if (misses) break;
    }
    return NULL;
}

static void gone_and_foreign(void) {
    static int constant[16];
    cudaStream_t s = NULL;
    cudaEvent_t e = NULL;
    void *d = NULL;
    float ms = 0;
    OK(cudaStreamCreate(&s));
    OK(cudaEventCreate(&e));
    OK(cudaMalloc(&d, 64));
    OK(cudaStreamDestroy(s));
    OK(cudaEventDestroy(e));
    OK(cudaFree(d));
    IS(1, cudaFree(d));
    IS(1, cudaFreeAsync(d, NULL));
    IS(1, cudaMemset(d, 0, 64));
    void *streams[] = {s, (void *)0x1234, constant, &ms, (void *)(intptr_t)-1, e, (char *)s + 8};
    for (size_t i = 0; i < sizeof streams / sizeof *streams; i++) {
        cudaStream_t bad = streams[i];
        unsigned flags = 0;
        int priority = 0;
        IS(400, cudaStreamQuery(bad));
        IS(400, cudaStreamSynchronize(bad));
        IS(400, cudaStreamDestroy(bad));
        IS(400, cudaStreamGetFlags(bad, &flags));
        IS(400, cudaStreamGetPriority(bad, &priority));
        IS(400, cudaLaunchHostFunc(bad, ran, &flags));
        IS(400, cudaMemsetAsync(d, 0, 8, bad));
        IS(400, cudaMemcpyAsync(constant, &ms, 4, cudaMemcpyHostToHost, bad));
        IS(400, cudaMallocAsync(&d, 8, bad));
    }
    void *events[] = {NULL, e, (void *)0x1234, constant, &ms, (void *)(intptr_t)-1, s, (char *)e + 8};
    for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
        cudaEvent_t bad = events[i];
        IS(400, cudaEventRecord(bad, NULL));
        IS(400, cudaEventQuery(bad));
        IS(400, cudaEventSynchronize(bad));
        IS(400, cudaEventElapsedTime(&ms, bad, bad));
        IS(400, cudaStreamWaitEvent(NULL, bad, 0));
        IS(400, cudaEventDestroy(bad));
    }
    cudaGetLastError();
}

/* A child has no device of its parent's; it may ask, and must be able to end. */
static void in_a_child(void) {
    cudaStream_t s = NULL;
    void *d = NULL;
    int status = -1;
    OK(cudaStreamCreate(&s));
    OK(cudaMalloc(&d, 64));
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        int count = 0;
        (void)cudaGetDeviceCount(&count);
        (void)cudaStreamQuery(s);
        (void)cudaMemset(d, 0, 64);
        (void)cudaStreamDestroy(s);
        (void)cudaFree(d);
        (void)cudaDeviceSynchronize();
        _exit(0);
    }
    waitpid(child, &status, 0);
    IS(0, status);
    OK(cudaMemset(d, 0, 64));
    OK(cudaFree(d));
    OK(cudaStreamDestroy(s));
}

int main(int count, char **words) {
    pthread_t two[2];
    cudaStream_t alive = NULL;
    cudaEvent_t kept = NULL;
    if (count > 1) times = atol(words[1]);
    for (int i = 0; i < 2; i++) pthread_create(&two[i], NULL, makes_and_frees, NULL);
    for (int i = 0; i < 2; i++) pthread_join(two[i], NULL);
    gone_and_foreign();
    in_a_child();
    OK(cudaStreamCreate(&alive));
    OK(cudaEventCreate(&kept));
    OK(cudaEventRecord(kept, alive)); /* both outlive the program */
    printf("%d misses\n", misses);
    return misses != 0;
}
