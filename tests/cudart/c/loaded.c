/* A CUDA runtime that is loaded and not used has done nothing to the driver; one that is used has made it ready.
 * BUILD: cc -std=gnu11 -Wall -Wextra -I INCLUDE tests/cudart/c/loaded.c -L LIB -lcudart -lcuda -o t
 * RUN:   ./t && ./t runtime
 */
#include <cuda.h>
#include <cuda_runtime_api.h>

#include "check.h"

static CUcontext current(void) {
    CUcontext context = (CUcontext)1;
    OK(cuCtxGetCurrent(&context));
    return context;
}

int main(int count, char **words) {
    int devices = 0;
    CUdevice device = 0;
    CUdeviceptr p = 0;
    (void)words;
    IS(CUDA_ERROR_NOT_INITIALIZED, cuDeviceGetCount(&devices));
    if (count < 2) { /* by the driver's own call: ready, and without a context until the runtime is used */
        OK(cuInit(0));
        OK(cuDeviceGetCount(&devices));
        IS(1, current() == NULL);
        IS(CUDA_ERROR_INVALID_CONTEXT, cuCtxGetDevice(&device));
        IS(CUDA_ERROR_INVALID_CONTEXT, cuMemAlloc(&p, 64));
    }
    OK(cudaFree(NULL));
    OK(cuDeviceGetCount(&devices));
    IS(1, current() != NULL);
    OK(cuMemAlloc(&p, 64));
    OK(cuMemFree(p));
    printf("%d misses\n", misses);
    return misses != 0;
}
