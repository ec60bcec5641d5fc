/* cuBLASXt: a handle's settings, matrices on the host and on the device, tiles, little memory, two threads.
 * BUILD: cc -std=c11 -Wall -Wextra -Werror -pedantic -pthread -I"$HEADERS" "$SOURCE/xt.c" -L"$LIBS" -lcublas -lcudart -lm -o xt
 * RUN: dragoman run -- ./xt
 */
#define _GNU_SOURCE
#include <cublasXt.h>
#include <cuda_runtime_api.h>
#include <malloc.h>
#include <pthread.h>
#include <string.h>
#include <sys/resource.h>

#include "check.h"

enum { N = 800 };

static const double one = 1, zero = 0;

static cublasXtHandle_t made(int block)
{
    cublasXtHandle_t handle = NULL;
    int device = 0;
    OK(cublasXtCreate(&handle));
    OK(cublasXtDeviceSelect(handle, 1, &device));
    if (block) OK(cublasXtSetBlockDim(handle, block));
    return handle;
}

static void settings(void)
{
    cublasXtHandle_t handle = NULL, dead;
    cublasXtPinnedMemMode_t mode = CUBLASXT_PINNING_ENABLED;
    int devices[] = {0, 0}, number = -1, missing[] = {0, 12345};
    double a = 3, c = 0;

    GIVES(CUBLAS_STATUS_INVALID_VALUE, cublasXtCreate(NULL));
    GIVES(CUBLAS_STATUS_INVALID_VALUE, cublasXtDestroy(NULL));
    OK(cublasXtCreate(&handle));
    /* without a device there is nobody who could compute */
    GIVES(CUBLAS_STATUS_NOT_INITIALIZED,
          cublasXtDgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, &one, &a, 1, &a, 1, &zero, &c, 1));
    GIVES(CUBLAS_STATUS_INVALID_VALUE, cublasXtDeviceSelect(handle, 0, devices));
    GIVES(CUBLAS_STATUS_INVALID_VALUE, cublasXtDeviceSelect(handle, 1, NULL));
    GIVES(CUBLAS_STATUS_INTERNAL_ERROR, cublasXtDeviceSelect(handle, 2, missing));
    OK(cublasXtDeviceSelect(handle, 2, devices));
    GIVES(CUBLAS_STATUS_INVALID_VALUE, cublasXtDeviceSelect(handle, 1, devices)); /* once */
    OK(cublasXtDgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, &one, &a, 1, &a, 1, &zero, &c, 1));
    CHECK(c == 9);

    OK(cublasXtGetBlockDim(handle, &number));
    CHECK(number == 1024);
    GIVES(CUBLAS_STATUS_INVALID_VALUE, cublasXtSetBlockDim(handle, 0));
    GIVES(CUBLAS_STATUS_INVALID_VALUE, cublasXtGetBlockDim(handle, NULL));
    OK(cublasXtSetBlockDim(handle, 100));
    OK(cublasXtGetBlockDim(handle, &number));
    CHECK(number == 100);

    OK(cublasXtGetPinningMemMode(handle, &mode));
    CHECK(mode == CUBLASXT_PINNING_DISABLED);
    OK(cublasXtSetPinningMemMode(handle, CUBLASXT_PINNING_ENABLED));
    OK(cublasXtGetPinningMemMode(handle, &mode));
    CHECK(mode == CUBLASXT_PINNING_ENABLED);
    GIVES(CUBLAS_STATUS_INVALID_VALUE, cublasXtSetPinningMemMode(handle, (cublasXtPinnedMemMode_t)2));
    GIVES(CUBLAS_STATUS_INVALID_VALUE, cublasXtGetPinningMemMode(handle, NULL));

    OK(cublasXtSetCpuRoutine(handle, CUBLASXT_GEMM, CUBLASXT_DOUBLE, &number));
    OK(cublasXtSetCpuRatio(handle, CUBLASXT_GEMM, CUBLASXT_DOUBLE, 0.5f));
    GIVES(CUBLAS_STATUS_NOT_SUPPORTED, cublasXtSetCpuRatio(handle, CUBLASXT_TRSM, CUBLASXT_DOUBLE, 0.5f));
    GIVES(CUBLAS_STATUS_INVALID_VALUE, cublasXtSetCpuRoutine(handle, CUBLASXT_ROUTINE_MAX, CUBLASXT_DOUBLE, &number));
    /* what the host was to compute is computed all the same */
    c = 0;
    OK(cublasXtDgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, &one, &a, 1, &a, 1, &zero, &c, 1));
    CHECK(c == 9);

    number = -1;
    OK(cublasXtGetNumBoards(2, devices, &number));
    CHECK(number == 1); /* one device, named twice */
    OK(cublasXtMaxBoards(&number));
    CHECK(number >= 1);
    GIVES(CUBLAS_STATUS_INVALID_VALUE, cublasXtMaxBoards(NULL));

    dead = handle;
    OK(cublasXtDestroy(handle));
    GIVES(CUBLAS_STATUS_NOT_INITIALIZED, cublasXtDestroy(dead));
    GIVES(CUBLAS_STATUS_NOT_INITIALIZED, cublasXtSetBlockDim(dead, 100));
    GIVES(CUBLAS_STATUS_NOT_INITIALIZED,
          cublasXtDgemm(dead, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, &one, &a, 1, &a, 1, &zero, &c, 1));
}

/* One kind of handle is none of the other. */
static void confused(void)
{
    cublasHandle_t plain;
    cublasXtHandle_t tiled = made(0);
    int number;
    OK(cublasCreate(&plain));
    GIVES(CUBLAS_STATUS_NOT_INITIALIZED, cublasXtGetBlockDim((cublasXtHandle_t)plain, &number));
    GIVES(CUBLAS_STATUS_NOT_INITIALIZED, cublasSetStream((cublasHandle_t)tiled, NULL));
    OK(cublasDestroy(plain));
    OK(cublasXtDestroy(tiled));
}

static double entry(int i, int j, int seed) { return ((i * 7 + j * 3 + seed) % 11) - 5; }

static double *matrix(int rows, int cols, int seed)
{
    double *made = malloc(sizeof *made * (size_t)rows * (size_t)cols);
    int i, j;
    if (!made) abort();
    for (j = 0; j < cols; ++j)
        for (i = 0; i < rows; ++i) made[i + (size_t)j * (size_t)rows] = entry(i, j, seed);
    return made;
}

/* Sums of whole numbers are exact: however the work is cut, the answer is the same to the last bit. */
static void cut(cublasXtHandle_t handle, double *answer, int m, int n, int k)
{
    double *a = matrix(m, k, 1), *b = matrix(k, n, 2), two = 2, minus = -1;
    int i, j;
    for (j = 0; j < n; ++j)
        for (i = 0; i < m; ++i) answer[i + (size_t)j * (size_t)m] = entry(i, j, 3);
    OK(cublasXtDgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, (size_t)m, (size_t)n, (size_t)k, &two, a, (size_t)m, b,
                     (size_t)k, &minus, answer, (size_t)m));
    free(a);
    free(b);
}

static void tiles(void)
{
    enum { M = 130, K = 75 };
    static const int blocks[] = {0, 1000, 64, 33, 7};
    double *first = matrix(M, N / 4, 0), *other = matrix(M, N / 4, 0), sum = 0;
    cublasXtHandle_t handle = made(0);
    int i, l;
    cut(handle, first, M, N / 4, K);
    for (l = 0; l < K; ++l) sum += 2 * entry(5, l, 1) * entry(l, 9, 2);
    CHECK(first[5 + 9 * M] == sum - entry(5, 9, 3));
    OK(cublasXtDestroy(handle));
    for (i = 0; i < (int)(sizeof blocks / sizeof *blocks); ++i) {
        handle = made(blocks[i]);
        cut(handle, other, M, N / 4, K);
        CHECK(!memcmp(first, other, sizeof *first * M * (N / 4)));
        OK(cublasXtDestroy(handle));
    }
    free(first);
    free(other);
}

/* Operands that lie on the device, in pinned and in managed memory serve as well, in one call. */
static void places(void)
{
    enum { S = 40 };
    cublasXtHandle_t handle = made(16);
    double *host = matrix(S, S, 1), *right = matrix(S, S, 0), *device, *pinned, *managed;
    int i, size = S * S * (int)sizeof *host;
    OK(cudaMalloc((void **)&device, (size_t)size));
    OK(cudaMallocHost((void **)&pinned, (size_t)size));
    OK(cudaMallocManaged((void **)&managed, (size_t)size, cudaMemAttachGlobal));
    for (i = 0; i < S * S; ++i) pinned[i] = i % (S + 1) == 0 ? 2 : 0;
    OK(cudaMemcpy(device, host, (size_t)size, cudaMemcpyHostToDevice));
    OK(cublasXtDgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, S, S, S, &one, device, S, pinned, S, &zero, managed, S));
    for (i = 0; i < S * S; ++i)
        if (managed[i] != 2 * host[i]) break;
    CHECK(i == S * S);
    OK(cublasXtDtrsm(handle, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT, S, S, &one,
                     pinned, S, device, S));
    OK(cudaMemcpy(right, device, (size_t)size, cudaMemcpyDeviceToHost));
    for (i = 0; i < S * S; ++i)
        if (right[i] != host[i] / 2) break;
    CHECK(i == S * S);
    OK(cudaFree(device));
    OK(cudaFreeHost(pinned));
    OK(cudaFree(managed));
    OK(cublasXtDestroy(handle));
    free(host);
    free(right);
}

/* More than there is: what would need three matrices of memory is computed in what a few pieces of them take. */
static void little_memory(void)
{
    double *first = matrix(N, N, 0), *second = matrix(N, N, 0);
    cublasXtHandle_t handle = made(0);
    struct rlimit before, now;
    size_t pages = 0;
    void *none = NULL;
    FILE *file;
    cut(handle, first, N, N, N); /* everything that the libraries make once is made here */
    OK(cublasXtDestroy(handle));
    handle = made(0);
    file = fopen("/proc/self/statm", "r");
    CHECK(file && fscanf(file, "%zu", &pages) == 1);
    if (file) fclose(file);
    OK(getrlimit(RLIMIT_AS, &before));
    now = before;
    /* beside the two matrices that the program will make, of 4.9 MiB each, there is room for some 3 */
    now.rlim_cur = pages * 4096 + 2 * N * N * sizeof(double) + (3 << 20);
    OK(setrlimit(RLIMIT_AS, &now));
    CHECK(cudaMalloc(&none, 3 * N * N * sizeof(double)) != cudaSuccess);
    cut(handle, second, N, N, N);
    OK(setrlimit(RLIMIT_AS, &before));
    CHECK(!memcmp(first, second, sizeof *first * N * N));
    OK(cublasXtDestroy(handle));
    free(first);
    free(second);
}

struct shared {
    cublasXtHandle_t handle;
    int seed;
};

static void *work(void *argument)
{
    enum { S = 50, ROUNDS = 40 };
    const struct shared *given = argument;
    double *a = matrix(S, S, given->seed), *c = matrix(S, S, 0), factor = given->seed;
    double unit[S * S];
    int round, i;
    for (i = 0; i < S * S; ++i) unit[i] = i % (S + 1) == 0;
    for (round = 0; round < ROUNDS; ++round) {
        OK(cublasXtDsymm(given->handle, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, S, S, &factor, unit, S, a, S, &zero,
                         c, S));
        for (i = 0; i < S * S; ++i)
            if (c[i] != factor * a[i]) break;
        CHECK(i == S * S);
        if (i < S * S) break;
    }
    free(a);
    free(c);
    return NULL;
}

static void threads(cublasXtHandle_t one_handle, cublasXtHandle_t other)
{
    struct shared first = {one_handle, 3}, second = {other, 100};
    pthread_t a, b;
    CHECK(!pthread_create(&a, NULL, work, &first));
    CHECK(!pthread_create(&b, NULL, work, &second));
    pthread_join(a, NULL);
    pthread_join(b, NULL);
}

int main(void)
{
    cublasXtHandle_t first, second;
    /* what is freed goes back at once and no thread has a hoard, so that memory can be counted */
    mallopt(M_MMAP_THRESHOLD, 1 << 16);
    mallopt(M_ARENA_MAX, 1);
    settings();
    confused();
    tiles();
    places();
    first = made(16);
    second = made(0);
    threads(first, second); /* a handle each */
    threads(first, first);  /* and one for both */
    OK(cublasXtDestroy(first));
    OK(cublasXtDestroy(second));
    little_memory();
    return done();
}
