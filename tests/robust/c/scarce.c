/* A device with little memory, for cuBLASXt.
 *
 *     scarce LIBCUBLAS told | untold
 *
 * Linked with -rdynamic, so that dragoman's core finds this dlsym first: HIP's functions for memory are given to it as
 * ones that know of BUDGET bytes only. `untold`: nobody says how much is free, so that only a refusal shows it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <string.h>

#include <cublasXt.h>

#define FUNCTIONS(each) \
    each(cublasXtCreate) each(cublasXtDestroy) each(cublasXtDeviceSelect) each(cublasXtDgemm) each(cublasXtDtrsm)
#include "opened.h"
enum { BUDGET = 600000, N = 400 };

static int told;
static size_t taken, most, made, refused;
static struct { void *at; size_t bytes; } blocks[8];
static int (*real_malloc)(void **, size_t), (*real_free)(void *);

static int little_malloc(void **at, size_t bytes) {
    int i = 0, status;
    if (taken + bytes > BUDGET) return refused++, 2;
    while (blocks[i].at) i++;
    status = real_malloc(at, bytes);
    if (!status) blocks[i].at = *at, blocks[i].bytes = bytes, taken += bytes, made++;
    if (taken > most) most = taken;
    return status;
}
static int little_free(void *at) {
    for (int i = 0; i < 8; i++)
        if (at && blocks[i].at == at) taken -= blocks[i].bytes, blocks[i].at = NULL;
    return real_free(at);
}
static int little_info(size_t *available, size_t *total) {
    *available = BUDGET - taken;
    *total = BUDGET;
    return told ? 0 : 1;
}

__attribute__((visibility("default"))) void *dlsym(void *library, const char *name) {
    static void *(*real)(void *, const char *);
    void *found;
    if (!real) real = (void *(*)(void *, const char *))dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.34");
    if (!real) real = (void *(*)(void *, const char *))dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.2.5");
    found = real(library, name);
    if (!found) return found;
    if (!strcmp(name, "hipMalloc")) return real_malloc = (int (*)(void **, size_t))found, (void *)little_malloc;
    if (!strcmp(name, "hipFree")) return real_free = (int (*)(void *))found, (void *)little_free;
    return strcmp(name, "hipMemGetInfo") ? found : (void *)little_info;
}

static double a[N * N], b[N * N], c[N * N];
static const double one = 1, minus = -1;

/* Whole numbers: exact, however the work is cut. */
static void product(cublasXtHandle_t handle, int n) {
    int i, j, l, wrong = 0;
    for (i = 0; i < n * n; i++) a[i] = i % 7 - 3, b[i] = i % 5 - 2, c[i] = i % 3;
    EXPECT(0, p_cublasXtDgemm(handle, CUBLAS_OP_N, CUBLAS_OP_T, n, n, n, &one, a, n, b, n, &minus, c, n));
    for (j = 0; j < n; j += 1 + n / 20)
        for (i = 0; i < n; i++) {
            double sum = -((i + j * n) % 3);
            for (l = 0; l < n; l++) sum += a[i + l * n] * b[j + l * n];
            wrong += sum != c[i + j * n];
        }
    expect("wrong numbers of a product", wrong, 0);
}

static void solution(cublasXtHandle_t handle, int n) {
    int i, wrong = 0;
    for (i = 0; i < n * n; i++) a[i] = i % (n + 1) == 0 ? 2 : 0, b[i] = i;
    EXPECT(0, p_cublasXtDtrsm(handle, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT, n, n,
                              &one, a, n, b, n));
    for (i = 0; i < n * n; i++) wrong += b[i] != i / 2.0;
    expect("wrong numbers of a solution", wrong, 0);
}

int main(int count, char **words) {
    cublasXtHandle_t handle;
    int device = 0, round;
    size_t before;
    if (count != 3) return 2;
    path = words[1];
    told = !strcmp(words[2], "told");
    open_library();
    EXPECT(0, p_cublasXtCreate(&handle));
    EXPECT(0, p_cublasXtDeviceSelect(handle, 1, &device));
    product(handle, 20);
    expect("blocks for a small one", made, 1);
    product(handle, N);
    solution(handle, N);
    before = made;
    for (round = 0; round < 3; round++) product(handle, N), product(handle, 20), solution(handle, N);
    if (told) {
        expect("blocks that were made again", made, before);
        expect("refusals of HIP's", refused, 0);
        expect("half of the memory was enough", most <= BUDGET / 2, 1);
    }
    expect("something was tried that does not fit", refused > 0, !told);
    EXPECT(0, p_cublasXtDestroy(handle));
    expect("bytes that were not given back", taken, 0);
    if (!failures) puts("ok");
    return failures != 0;
}
