/* A program with a kernel, registered as nvcc's code does it. The device code is none: nobody gets as far
 * as to read it. */
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>

void **__cudaRegisterFatBinary(void *wrapper);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaUnregisterFatBinary(void **handle);
void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name, int limit, void *tid,
                            void *bid, void *block, void *grid, int *size);

static struct {
    unsigned magic;
    unsigned short version, header;
    unsigned long long size;
    unsigned char code[64];
} code __attribute__((aligned(8))) = {0xBA55ED50u, 1, 16, 64, {0}};
static struct {
    int magic, version;
    const void *data;
    void *more;
} wrapper = {0x466243b1, 1, &code, NULL};

static void kernel(void) {}

static void says(const char *what, cudaError_t error) { printf("%s %s\n", what, cudaGetErrorName(error)); }

int main(void) {
    const dim3 one = {1, 1, 1};
    struct cudaFuncAttributes attributes;
    void *arguments[1] = {NULL}, *memory = NULL;
    void **handle = __cudaRegisterFatBinary(&wrapper);
    char name[] = "kernel";
    __cudaRegisterFunction(handle, (const char *)kernel, name, name, -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterFatBinaryEnd(handle);
    says("malloc", cudaMalloc(&memory, 64));
    says("launch", cudaLaunchKernel((const void *)kernel, one, one, arguments, 0, NULL));
    says("last", cudaGetLastError());
    says("attributes", cudaFuncGetAttributes(&attributes, (const void *)kernel));
    says("last", cudaGetLastError());
    says("memset", cudaMemset(memory, 0, 64));
    says("synchronize", cudaDeviceSynchronize());
    says("free", cudaFree(memory));
    __cudaUnregisterFatBinary(handle);
    return 0;
}
