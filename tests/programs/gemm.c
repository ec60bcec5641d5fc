/* C = alpha op(A) op(B) + beta C in four types, by every pair of operations, with leading dimensions
 * beyond the minimum.
 * BUILD: cc -std=c11 -Wall -Wextra -Werror -pedantic -I"$HEADERS" "$SOURCE/gemm.c" -L"$LIBS" -lcublas -lcudart -lm -o gemm
 * RUN: dragoman run -- ./gemm
 */
#include <complex.h>
#include <cublas_v2.h>
#include <cuda_runtime_api.h>
#include <string.h>

#include "check.h"

enum { M = 5, N = 7, K = 3, LD = 11 };

static const cublasOperation_t ops[] = {CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C};

/* Element (i, j) of op(X), as a double complex whatever the type. */
static double complex at(const double complex *x, cublasOperation_t op, int i, int j)
{
    if (op == CUBLAS_OP_N) return x[i + j * LD];
    return op == CUBLAS_OP_T ? x[j + i * LD] : conj(x[j + i * LD]);
}

#define COUNT (LD * LD)

static double complex a[COUNT], b[COUNT], c[COUNT];

static void draw(int complex_type)
{
    int i;
    for (i = 0; i < COUNT; ++i) {
        a[i] = (i % 7) - 3 + (complex_type ? (i % 5) - 2 : 0) * I;
        b[i] = (i % 4) - 1 + (complex_type ? (i % 3) - 1 : 0) * I;
        c[i] = (i % 6) - 2 + (complex_type ? (i % 9) - 4 : 0) * I;
    }
}

/* The same body for each type: small whole numbers, so that the results are exact. */
#define TEST(letter, type, make, value, is_complex)                                                  \
    static void test_##letter(cublasHandle_t handle)                                                 \
    {                                                                                                \
        static type host[COUNT];                                                                     \
        type *da, *db, *dc, alpha = make(2, 0), beta = make(-1, is_complex);                         \
        int s, t, i, j, p;                                                                           \
        draw(is_complex);                                                                            \
        OK(cudaMalloc((void **)&da, sizeof host));                                                   \
        OK(cudaMalloc((void **)&db, sizeof host));                                                   \
        OK(cudaMalloc((void **)&dc, sizeof host));                                                   \
        for (i = 0; i < COUNT; ++i) host[i] = make(creal(a[i]), cimag(a[i]));                        \
        OK(cudaMemcpy(da, host, sizeof host, cudaMemcpyHostToDevice));                               \
        for (i = 0; i < COUNT; ++i) host[i] = make(creal(b[i]), cimag(b[i]));                        \
        OK(cudaMemcpy(db, host, sizeof host, cudaMemcpyHostToDevice));                               \
        for (s = 0; s < 3; ++s)                                                                      \
            for (t = 0; t < 3; ++t) {                                                                \
                for (i = 0; i < COUNT; ++i) host[i] = make(creal(c[i]), cimag(c[i]));                \
                OK(cudaMemcpy(dc, host, sizeof host, cudaMemcpyHostToDevice));                       \
                OK(cublas##letter##gemm(handle, ops[s], ops[t], M, N, K, &alpha, da, LD, db, LD, &beta, dc, LD)); \
                OK(cudaMemcpy(host, dc, sizeof host, cudaMemcpyDeviceToHost));                       \
                for (j = 0; j < LD; ++j)                                                             \
                    for (i = 0; i < LD; ++i) {                                                       \
                        double complex sum = c[i + j * LD];                                          \
                        if (i < M && j < N) {                                                        \
                            sum *= -1 + is_complex * I;                                              \
                            for (p = 0; p < K; ++p) sum += 2 * at(a, ops[s], i, p) * at(b, ops[t], p, j); \
                        } /* else: beyond the matrix, where nothing may change */                    \
                        CHECK(value(host[i + j * LD]) == sum);                                       \
                    }                                                                                \
            }                                                                                        \
        OK(cudaFree(da));                                                                            \
        OK(cudaFree(db));                                                                            \
        OK(cudaFree(dc));                                                                            \
    }

#define REAL(re, im) (re)
#define SINGLE(re, im) ((float)(re))
#define SAME(x) (x)
#define VALUE(z) ((double)(z).x + (double)(z).y * I)

TEST(S, float, SINGLE, SAME, 0)
TEST(D, double, REAL, SAME, 0)
TEST(C, cuComplex, make_cuComplex, VALUE, 1)
TEST(Z, cuDoubleComplex, make_cuDoubleComplex, VALUE, 1)

int main(void)
{
    cublasHandle_t handle;
    OK(cublasCreate(&handle));
    test_S(handle);
    test_D(handle);
    test_C(handle);
    test_Z(handle);
    OK(cublasDestroy(handle));
    return done();
}
