/* Ten thousand handles one after the other, then many at once.
 * BUILD: cc -std=c11 -Wall -Wextra -Werror -pedantic -I"$HEADERS" "$SOURCE/handles.c" -L"$LIBS" -lcublas -lcudart -lm -o handles
 * RUN: dragoman run -- ./handles
 */
#include <cublas_v2.h>
#include <cuda_runtime_api.h>

#include "check.h"

enum { MANY = 10000, AT_ONCE = 2000 };

int main(void)
{
    static cublasHandle_t handles[AT_ONCE];
    cublasHandle_t handle, last = NULL;
    cublasPointerMode_t mode;
    int i;

    OK(cudaFree(NULL)); /* what many programs begin with */
    for (i = 0; i < MANY && !wrong_checks; ++i) {
        OK(cublasCreate(&handle));
        CHECK(handle != last); /* a freed one is not reused at once: its owner may still hold it */
        last = handle;
        OK(cublasDestroy(handle));
    }
    for (i = 0; i < AT_ONCE && !wrong_checks; ++i) {
        OK(cublasCreate(&handles[i]));
        OK(cublasSetPointerMode(handles[i], i % 2 ? CUBLAS_POINTER_MODE_DEVICE : CUBLAS_POINTER_MODE_HOST));
    }
    for (i = 0; i < AT_ONCE && !wrong_checks; ++i) {
        OK(cublasGetPointerMode(handles[i], &mode));
        CHECK(mode == (i % 2 ? CUBLAS_POINTER_MODE_DEVICE : CUBLAS_POINTER_MODE_HOST));
        OK(cublasDestroy(handles[i]));
        GIVES(CUBLAS_STATUS_NOT_INITIALIZED, cublasDestroy(handles[i]));
    }
    return done();
}
