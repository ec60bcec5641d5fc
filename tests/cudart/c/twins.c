/* A program made with nvcc's --default-stream per-thread: the headers lead each call to its _ptsz or _ptds twin.
 * BUILD: cc -std=gnu11 -Wall -Wextra -D CUDA_API_PER_THREAD_DEFAULT_STREAM -I INCLUDE tests/cudart/c/twins.c -L LIB -lcudart -o t
 * RUN:   ./t
 */
#include <cuda_runtime_api.h>
#include <string.h>

#include "check.h"

int main(void) {
    char from[32] = "thirty-one characters are here", to[32] = "";
    void *d = NULL;
    cudaEvent_t e;
    cudaStream_t s;
    unsigned flags = 9;
    enum cudaStreamCaptureStatus status = cudaStreamCaptureStatusActive;
    OK(cudaMalloc(&d, 32));
    OK(cudaMemcpyAsync(d, from, 32, cudaMemcpyHostToDevice, 0));
    OK(cudaMemcpy(to, d, 32, cudaMemcpyDeviceToHost));
    OK(strcmp(from, to));
    OK(cudaMemset(d, 0, 32));
    OK(cudaMemsetAsync(d, 1, 32, (cudaStream_t)1));
    OK(cudaStreamSynchronize(0));
    OK(cudaStreamQuery((cudaStream_t)2));
    OK(cudaStreamGetFlags(0, &flags));
    OK(cudaStreamIsCapturing(0, &status));
    IS(cudaStreamCaptureStatusNone, status);
    OK(cudaEventCreate(&e));
    OK(cudaEventRecord(e, 0));
    OK(cudaStreamCreate(&s));
    OK(cudaStreamWaitEvent(s, e, 0));
    IS(cudaErrorInvalidResourceHandle, cudaStreamQuery((cudaStream_t)0x1234));
    OK(cudaStreamDestroy(s));
    OK(cudaEventDestroy(e));
    OK(cudaFree(d));
#if CUDART_VERSION >= 12000
    unsigned long long id = 0;
    OK(cudaStreamGetId(0, &id)); /* the twin's default stream is the thread's own */
    IS(2, id);
#endif
    printf("%d misses\n", misses);
    return misses != 0;
}
