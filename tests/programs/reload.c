/* The library opened, used, closed and opened again, as plug-ins do. The program itself is not linked with cuBLAS.
 * BUILD: cc -std=gnu11 -Wall -Wextra -Werror -pedantic -I"$HEADERS" "$SOURCE/reload.c" -L"$LIBS" -lcudart -ldl -lm -o reload
 * RUN: dragoman run -- ./reload
 */
#include <cublas_v2.h>
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <string.h>

#include "check.h"

#define NAME_(major) "libcublas.so." #major
#define NAME(major) NAME_(major)

static void *look(void *library, const char *name)
{
    void *found = dlsym(library, name);
    CHECK(found != NULL);
    return found;
}

/* ISO C knows no conversion between pointers to data and to functions; their bytes are the same. */
#define LOOK(pointer, library, name)                  \
    do {                                              \
        void *found_ = look(library, name);           \
        memcpy(&(pointer), &found_, sizeof found_);   \
    } while (0)

static double use(void *library, const double *d, cublasHandle_t *handle)
{
    cublasStatus_t (*create)(cublasHandle_t *);
    cublasStatus_t (*asum)(cublasHandle_t, int, const double *, int, double *);
    double sum = -1;
    LOOK(create, library, "cublasCreate_v2");
    LOOK(asum, library, "cublasDasum_v2");
    if (wrong_checks) exit(done());
    OK(create(handle));
    OK(asum(*handle, 3, d, 1, &sum));
    return sum;
}

int main(void)
{
    const double host[3] = {1, -2, 4};
    cublasStatus_t (*destroy)(cublasHandle_t);
    cublasHandle_t handle, kept = NULL;
    double *d;
    int round;

    OK(cudaMalloc((void **)&d, sizeof host));
    OK(cudaMemcpy(d, host, sizeof host, cudaMemcpyHostToDevice));
    for (round = 0; round < 5; ++round) {
        void *library = dlopen(NAME(CUBLAS_VER_MAJOR), RTLD_NOW | RTLD_LOCAL);
        if (!library) {
            fprintf(stderr, "%s\n", dlerror());
            return 1;
        }
        CHECK(use(library, d, &handle) == 7);
        LOOK(destroy, library, "cublasDestroy_v2");
        if (kept) OK(destroy(kept)); /* made by the library before it was closed */
        kept = handle;
        OK(dlclose(library));
    }
    OK(cudaFree(d));
    return done();
}
