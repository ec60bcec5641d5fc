/* Vectors: increments of both signs, scalars on the host and on the device, empty vectors.
 * BUILD: cc -std=c11 -Wall -Wextra -Werror -pedantic -I"$HEADERS" "$SOURCE/level1.c" -L"$LIBS" -lcublas -lcudart -lm -o level1
 * RUN: dragoman run -- ./level1
 */
#include <cublas_v2.h>
#include <cuda_runtime_api.h>
#include <string.h>

#include "check.h"

enum { N = 6 };

static cublasHandle_t handle;
static double *dx, *dy;
static double x[2 * N], y[2 * N];

static void set(void)
{
    int i;
    for (i = 0; i < 2 * N; ++i) {
        x[i] = i + 1;
        y[i] = 100 - 3 * i;
    }
    OK(cudaMemcpy(dx, x, sizeof x, cudaMemcpyHostToDevice));
    OK(cudaMemcpy(dy, y, sizeof y, cudaMemcpyHostToDevice));
}

static void get(void)
{
    OK(cudaMemcpy(x, dx, sizeof x, cudaMemcpyDeviceToHost));
    OK(cudaMemcpy(y, dy, sizeof y, cudaMemcpyDeviceToHost));
}

/* Where element i of a vector of N lies: BLAS walks backwards for a negative increment. */
static int place(int i, int increment)
{
    return increment < 0 ? (i - N + 1) * increment : i * increment;
}

static void pairs(int incx, int incy)
{
    const double alpha = 2, c = 0.6, s = 0.8;
    double x0[2 * N], y0[2 * N], sum = 0, dot = -1;
    int i;

    set();
    memcpy(x0, x, sizeof x);
    memcpy(y0, y, sizeof y);
    for (i = 0; i < N; ++i) sum += x0[place(i, incx)] * y0[place(i, incy)];
    OK(cublasDdot(handle, N, dx, incx, dy, incy, &dot));
    CHECK(dot == sum);

    OK(cublasDaxpy(handle, N, &alpha, dx, incx, dy, incy));
    get();
    for (i = 0; i < N; ++i) CHECK(y[place(i, incy)] == y0[place(i, incy)] + 2 * x0[place(i, incx)]);
    CHECK(!memcmp(x, x0, sizeof x));

    set();
    OK(cublasDcopy(handle, N, dx, incx, dy, incy));
    get();
    for (i = 0; i < N; ++i) CHECK(y[place(i, incy)] == x0[place(i, incx)]);

    set();
    OK(cublasDswap(handle, N, dx, incx, dy, incy));
    get();
    for (i = 0; i < N; ++i) {
        CHECK(y[place(i, incy)] == x0[place(i, incx)]);
        CHECK(x[place(i, incx)] == y0[place(i, incy)]);
    }

    set();
    OK(cublasDrot(handle, N, dx, incx, dy, incy, &c, &s));
    get();
    for (i = 0; i < N; ++i) {
        NEAR(x[place(i, incx)], c * x0[place(i, incx)] + s * y0[place(i, incy)], 1e-14);
        NEAR(y[place(i, incy)], c * y0[place(i, incy)] - s * x0[place(i, incx)], 1e-14);
    }
}

static void alone(void)
{
    double result = -1;
    int index = -1;
    const double alpha = -3;

    set();
    OK(cublasDasum(handle, N, dx, 2, &result));
    CHECK(result == 1 + 3 + 5 + 7 + 9 + 11);
    OK(cublasDnrm2(handle, 2, dx + 2, 1, &result));
    NEAR(result, 5, 1e-15);
    OK(cublasIdamax(handle, N, dx, 1, &index));
    CHECK(index == N); /* counted from 1 */
    OK(cublasIdamin(handle, N, dx, 1, &index));
    CHECK(index == 1);
    OK(cublasDscal(handle, N, &alpha, dx, 2));
    get();
    CHECK(x[0] == -3 && x[1] == 2 && x[10] == -33 && x[11] == 12);

    /* these take no negative increment: nothing to do */
    result = -1;
    OK(cublasDasum(handle, N, dx, -1, &result));
    CHECK(result == 0);
    OK(cublasDscal(handle, N, &alpha, dx, -1));
    get();
    CHECK(x[0] == -3 && x[1] == 2);

    /* empty vectors */
    result = -1;
    OK(cublasDdot(handle, 0, dx, 1, dy, 1, &result));
    CHECK(result == 0);
    index = -1;
    OK(cublasIdamax(handle, 0, dx, 1, &index));
    CHECK(index == 0);
}

static void on_device(void)
{
    double *scalar, value = 4, sum;
    OK(cudaMalloc((void **)&scalar, sizeof value));
    OK(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE));
    set();
    OK(cudaMemcpy(scalar, &value, sizeof value, cudaMemcpyHostToDevice));
    OK(cublasDscal(handle, N, scalar, dx, 1));
    OK(cublasDasum(handle, N, dx, 1, scalar));
    OK(cudaMemcpy(&sum, scalar, sizeof sum, cudaMemcpyDeviceToHost));
    CHECK(sum == 4 * 21);
    OK(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_HOST));
    OK(cudaFree(scalar));
}

int main(void)
{
    static const int increments[] = {1, 2, -1, -2};
    int i, j;
    OK(cublasCreate(&handle));
    OK(cudaMalloc((void **)&dx, sizeof x));
    OK(cudaMalloc((void **)&dy, sizeof y));
    for (i = 0; i < 4; ++i)
        for (j = 0; j < 4; ++j) pairs(increments[i], increments[j]);
    alone();
    on_device();
    OK(cudaFree(dx));
    OK(cudaFree(dy));
    OK(cublasDestroy(handle));
    return done();
}
