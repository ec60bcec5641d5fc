/* cuBLAS's first API, from before handles: cublas.h, letters as options, statuses asked for afterwards. It allocates
 * through cuBLAS alone; the runtime is linked all the same, as a program without any is never computed on
 * the CPU by itself.
 * BUILD: cc -std=c11 -Wall -Wextra -Werror -pedantic -I"$HEADERS" "$SOURCE/first_api.c" -L"$LIBS" -Wl,--no-as-needed -lcublas -lcudart -lm -o first_api
 * RUN: dragoman run -- ./first_api
 */
#include <cublas.h>

#include "check.h"

int main(void)
{
    const float a[4] = {1, 2, 3, 4}, b[4] = {5, 6, 7, 8};
    float c[4] = {0}, *da, *db, *dc;

    OK(cublasInit());
    OK(cublasAlloc(4, sizeof(float), (void **)&da));
    OK(cublasAlloc(4, sizeof(float), (void **)&db));
    OK(cublasAlloc(4, sizeof(float), (void **)&dc));
    OK(cublasSetMatrix(2, 2, sizeof(float), a, 2, da, 2));
    OK(cublasSetMatrix(2, 2, sizeof(float), b, 2, db, 2));
    cublasSgemm('n', 'T', 2, 2, 2, 1, da, 2, db, 2, 0, dc, 2);
    OK(cublasGetError());
    OK(cublasGetMatrix(2, 2, sizeof(float), dc, 2, c, 2));
    CHECK(c[0] == 1 * 5 + 3 * 7 && c[1] == 2 * 5 + 4 * 7 && c[2] == 1 * 6 + 3 * 8 && c[3] == 2 * 6 + 4 * 8);
    CHECK(cublasSdot(4, da, 1, db, 1) == 70);
    CHECK(cublasIsamax(4, da, 1) == 4);

    cublasSgemm('n', 'x', 2, 2, 2, 1, da, 2, db, 2, 0, dc, 2);
    GIVES(CUBLAS_STATUS_INVALID_VALUE, cublasGetError());
    OK(cublasGetError()); /* asking forgets it */
    OK(cublasFree(da));
    OK(cublasFree(db));
    OK(cublasFree(dc));
    OK(cublasShutdown());
    return done();
}
