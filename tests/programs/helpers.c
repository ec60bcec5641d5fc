/* What a handle remembers, versions, status texts, vectors and matrices to the device and back.
 * BUILD: cc -std=c11 -Wall -Wextra -Werror -pedantic -I"$HEADERS" "$SOURCE/helpers.c" -L"$LIBS" -lcublas -lcudart -lm -o helpers
 * RUN: dragoman run -- ./helpers
 */
#include <cublas_v2.h>
#include <cuda_runtime_api.h>
#include <string.h>

#include "check.h"

static void multiprocessors(cublasHandle_t handle)
{
    int count = 0, target = 7;
    OK(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, 0));
    CHECK(count > 0);
    OK(cublasGetSmCountTarget(handle, &target));
    CHECK(target == 0);
    OK(cublasSetSmCountTarget(handle, count));
    OK(cublasGetSmCountTarget(handle, &target));
    CHECK(target == count);
    OK(cublasSetSmCountTarget(handle, 160)); /* NVIDIA's largest, whatever this device has */
    OK(cublasSetSmCountTarget(handle, 4));
    OK(cublasSetSmCountTarget(handle, count));
    CHECK(cublasSetSmCountTarget(handle, (count > 160 ? count : 160) + 1) == CUBLAS_STATUS_INVALID_VALUE);
    CHECK(cublasSetSmCountTarget(handle, -1) == CUBLAS_STATUS_INVALID_VALUE);
    OK(cublasGetSmCountTarget(handle, &target));
    CHECK(target == count); /* as it was */
    OK(cublasSetSmCountTarget(handle, 0));
}

static void state(cublasHandle_t handle)
{
    cublasPointerMode_t pointers;
    cublasAtomicsMode_t atomics;
    cublasMath_t math;
    cudaStream_t stream, seen;
    void *workspace;

    OK(cublasGetPointerMode(handle, &pointers));
    CHECK(pointers == CUBLAS_POINTER_MODE_HOST);
    OK(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE));
    OK(cublasGetPointerMode(handle, &pointers));
    CHECK(pointers == CUBLAS_POINTER_MODE_DEVICE);
    OK(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_HOST));

    OK(cublasGetAtomicsMode(handle, &atomics));
    CHECK(atomics == CUBLAS_ATOMICS_NOT_ALLOWED);
    OK(cublasSetAtomicsMode(handle, CUBLAS_ATOMICS_ALLOWED));
    OK(cublasGetAtomicsMode(handle, &atomics));
    CHECK(atomics == CUBLAS_ATOMICS_ALLOWED);

    OK(cublasGetMathMode(handle, &math));
    CHECK(math == CUBLAS_DEFAULT_MATH);
    OK(cublasSetMathMode(handle, CUBLAS_PEDANTIC_MATH));
    OK(cublasGetMathMode(handle, &math));
    CHECK(math == CUBLAS_PEDANTIC_MATH);

    OK(cublasGetStream(handle, &seen));
    CHECK(seen == NULL);
    OK(cudaStreamCreate(&stream));
    OK(cublasSetStream(handle, stream));
    OK(cublasGetStream(handle, &seen));
    CHECK(seen == stream);
    OK(cublasSetStream(handle, NULL));
    OK(cudaStreamDestroy(stream));
    OK(cublasSetStream(handle, cudaStreamLegacy)); /* numbers that stand for streams */
    OK(cublasGetStream(handle, &seen));
    CHECK(seen == cudaStreamLegacy);
    OK(cublasSetStream(handle, cudaStreamPerThread));
    OK(cublasSetStream(handle, NULL));

    OK(cudaMalloc(&workspace, 1 << 20));
    OK(cublasSetWorkspace(handle, workspace, 1 << 20));
    OK(cublasSetStream(handle, NULL)); /* brings the library's own workspace back */
    OK(cudaFree(workspace));
    multiprocessors(handle);
}

static void versions(cublasHandle_t handle)
{
    int version = 0, part = 0, runtime = 0;
    OK(cublasGetVersion(handle, &version));
    CHECK(version == CUBLAS_VERSION);
    OK(cublasGetProperty(MAJOR_VERSION, &part));
    CHECK(part == CUBLAS_VER_MAJOR);
    OK(cublasGetProperty(MINOR_VERSION, &part));
    CHECK(part == CUBLAS_VER_MINOR);
    OK(cudaRuntimeGetVersion(&runtime));
    CHECK(runtime == CUDART_VERSION);
    CHECK(cublasGetCudartVersion() == (size_t)CUDART_VERSION);
    CHECK(!strcmp(cublasGetStatusName(CUBLAS_STATUS_INVALID_VALUE), "CUBLAS_STATUS_INVALID_VALUE"));
    CHECK(strlen(cublasGetStatusString(CUBLAS_STATUS_NOT_SUPPORTED)) > 0);
}

static void copies(void)
{
    const float from[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    float back[12] = {0}, *device;
    OK(cudaMalloc((void **)&device, sizeof from));

    OK(cublasSetVector(6, sizeof(float), from, 2, device, 1)); /* 1 3 5 7 9 11 */
    OK(cublasGetVector(6, sizeof(float), device, 1, back, 1));
    CHECK(back[0] == 1 && back[1] == 3 && back[5] == 11);

    OK(cublasSetMatrix(2, 3, sizeof(float), from, 4, device, 2)); /* columns 1 2, 5 6, 9 10 */
    memset(back, 0, sizeof back);
    OK(cublasGetMatrix(2, 3, sizeof(float), device, 2, back, 3));
    OK(cublasSetVectorAsync(6, sizeof(float), from, 1, device, 1, cudaStreamLegacy));
    OK(cublasGetVectorAsync(3, sizeof(float), device, 2, back, 1, cudaStreamLegacy)); /* 1 3 5 */
    OK(cudaStreamSynchronize(cudaStreamLegacy));
    CHECK(back[0] == 1 && back[1] == 3 && back[2] == 5);
    OK(cublasSetMatrix(2, 3, sizeof(float), from, 4, device, 2));
    memset(back, 0, sizeof back);
    OK(cublasGetMatrix(2, 3, sizeof(float), device, 2, back, 3));
    CHECK(back[0] == 1 && back[1] == 2 && back[2] == 0 && back[3] == 5 && back[4] == 6 && back[7] == 10);
    OK(cudaFree(device));
}

int main(void)
{
    cublasHandle_t handle;
    OK(cublasCreate(&handle));
    state(handle);
    versions(handle);
    copies();
    OK(cublasDestroy(handle));
    return done();
}
