/* Small systems in batches: LU with and without pivots, inverses, QR, least squares, packed triangles; host
 * and device info.
 * BUILD: cc -std=c11 -Wall -Wextra -Werror -pedantic -I"$HEADERS" "$SOURCE/lapack.c" -L"$LIBS" -lcublas -lcudart -lm -o lapack
 * RUN: dragoman run -- ./lapack
 */
#include <cublas_v2.h>
#include <cuda_runtime_api.h>
#include <string.h>

#include "check.h"

enum { MEMBERS = 2, LD = 5, ROOM = LD * 4 };

static double A[MEMBERS][ROOM] = {
    {0, 2, 1, 4, 9, 3, 1, 1, 2, 9, 1, 5, 0, 1, 9},
    {4, 1, 1, 2, 9, 1, 5, 1, 0, 9, 0, 1, 3, 1, 9},
};
static double B[MEMBERS][ROOM] = {{1, 2, 3, 4, 9}, {5, 6, 7, 8, 9}};

static void *device(const void *host, size_t bytes)
{
    void *made = NULL;
    OK(cudaMalloc(&made, bytes));
    OK(cudaMemcpy(made, host, bytes, cudaMemcpyHostToDevice));
    return made;
}

static void host(void *to, const void *from, size_t bytes) { OK(cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost)); }

/* Device copies of the members, and the array of pointers to them. */
typedef struct {
    double *member[MEMBERS];
    double **pointers;
} batch;

static batch upload(double (*members)[ROOM])
{
    batch made;
    for (int i = 0; i < MEMBERS; i++) made.member[i] = device(members[i], sizeof members[i]);
    made.pointers = device(made.member, sizeof made.member);
    return made;
}

static const double *const *read_only(const batch *b) { return (const double *const *)b->pointers; }

static void drop(batch *b)
{
    for (int i = 0; i < MEMBERS; i++) OK(cudaFree(b->member[i]));
    OK(cudaFree(b->pointers));
}

/* op(A)·x of a 3 × 3 member. */
static double row(int member, int transposed, int i, const double *x)
{
    double sum = 0;
    for (int k = 0; k < 3; k++) sum += (transposed ? A[member][k + i * LD] : A[member][i + k * LD]) * x[k];
    return sum;
}

static void lu(cublasHandle_t handle, int *pivots, int *infos)
{
    for (int plain = 0; plain < 2; plain++) {
        int first = plain; /* the first member has a zero pivot where none is looked for */
        batch a = upload(A), b = upload(B), c = upload(B);
        int told[MEMBERS], info = 77;
        double x[ROOM];
        OK(cublasDgetrfBatched(handle, 3, a.pointers, LD, plain ? NULL : pivots, infos, MEMBERS));
        host(told, infos, sizeof told);
        CHECK(told[0] == plain && told[1] == 0);
        for (int trans = 0; trans < 2; trans++) {
            for (int i = 0; i < MEMBERS; i++) OK(cudaMemcpy(b.member[i], B[i], sizeof B[i], cudaMemcpyHostToDevice));
            OK(cublasDgetrsBatched(handle, trans ? CUBLAS_OP_T : CUBLAS_OP_N, 3, 1, read_only(&a), LD,
                                   plain ? NULL : pivots, b.pointers, LD, &info, MEMBERS));
            CHECK(info == 0);
            for (int m = first; m < MEMBERS; m++) {
                host(x, b.member[m], sizeof x);
                for (int i = 0; i < 3; i++) NEAR(row(m, trans, i, x), B[m][i], 1e-12);
                CHECK(x[3] == B[m][3]);
            }
        }
        OK(cublasDgetriBatched(handle, 3, read_only(&a), LD, plain ? NULL : pivots, c.pointers, 4, infos, MEMBERS));
        host(told, infos, sizeof told);
        CHECK(told[0] == plain && told[1] == 0);
        for (int m = first; m < MEMBERS; m++) {
            host(x, c.member[m], sizeof x);
            for (int i = 0; i < 9; i++) NEAR(row(m, 0, i % 3, x + i / 3 * 4), i % 3 == i / 3, 1e-12);
        }
        drop(&a), drop(&b), drop(&c);
    }
}

static void inverse(cublasHandle_t handle, int *infos)
{
    void *workspace;
    batch a = upload(A), c = upload(B);
    int told[MEMBERS];
    double x[ROOM];
    OK(cudaMalloc(&workspace, 4096));
    for (int own = 0; own < 2; own++) { /* memory for the pivots from the library, then from the program */
        if (own) OK(cublasSetWorkspace(handle, workspace, 4096));
        OK(cublasDmatinvBatched(handle, 3, read_only(&a), LD, c.pointers, 3, infos, MEMBERS));
        host(told, infos, sizeof told);
        CHECK(told[0] == 0 && told[1] == 0);
        for (int m = 0; m < MEMBERS; m++) {
            host(x, c.member[m], sizeof x);
            for (int i = 0; i < 9; i++) NEAR(row(m, 0, i % 3, x + i / 3 * 3), i % 3 == i / 3, 1e-12);
            host(x, a.member[m], sizeof x);
            CHECK(memcmp(x, A[m], sizeof x) == 0);
        }
    }
    OK(cublasSetWorkspace(handle, NULL, 0));
    OK(cudaFree(workspace));
    GIVES(CUBLAS_STATUS_INVALID_VALUE, cublasDmatinvBatched(handle, 33, read_only(&a), 33, c.pointers, 33, infos, 1));
    /* of nothing, any order will do */
    OK(cublasDmatinvBatched(handle, 33, read_only(&a), 33, c.pointers, 33, infos, 0));
    drop(&a), drop(&c);
}

static void orthogonal(cublasHandle_t handle, int *infos)
{
    batch a = upload(A), tau = upload(B);
    int told[MEMBERS], info = 77;
    double f[ROOM], t[ROOM];
    OK(cublasDgeqrfBatched(handle, 4, 2, a.pointers, LD, tau.pointers, &info, MEMBERS));
    CHECK(info == 0);
    for (int m = 0; m < MEMBERS; m++) {
        host(f, a.member[m], sizeof f), host(t, tau.member[m], sizeof t);
        for (int j = 0; j < 2; j++) { /* H1·H2·R gives back column j */
            double x[4] = {f[j * LD], j ? f[1 + LD] : 0};
            for (int h = 1; h >= 0; h--) {
                double along = x[h];
                for (int i = h + 1; i < 4; i++) along += f[i + h * LD] * x[i];
                x[h] -= t[h] * along;
                for (int i = h + 1; i < 4; i++) x[i] -= t[h] * along * f[i + h * LD];
            }
            for (int i = 0; i < 4; i++) NEAR(x[i], A[m][i + j * LD], 1e-12);
        }
        CHECK(t[2] == B[m][2] && f[4] == 9);
    }
    drop(&a);
    a = upload(A);
    for (int i = 0; i < MEMBERS; i++) OK(cudaMemcpy(tau.member[i], B[i], sizeof B[i], cudaMemcpyHostToDevice));
    OK(cudaMemset(a.member[1] + LD, 0, LD * sizeof(double))); /* a column of zeros: not of full rank */
    OK(cublasDgelsBatched(handle, CUBLAS_OP_N, 4, 2, 1, a.pointers, LD, tau.pointers, LD, &info, infos, MEMBERS));
    host(told, infos, sizeof told);
    CHECK(info == 0 && told[0] == 0 && told[1] == 2);
    host(t, tau.member[0], sizeof t);
    for (int j = 0; j < 2; j++) { /* the residual has nothing along A's columns */
        double sum = 0;
        for (int i = 0; i < 4; i++) sum += A[0][i + j * LD] * (B[0][i] - A[0][i] * t[0] - A[0][i + LD] * t[1]);
        NEAR(sum, 0, 1e-12);
    }
    OK(cublasDgelsBatched(handle, CUBLAS_OP_N, 4, 2, 1, a.pointers, LD, tau.pointers, LD, &info, NULL, MEMBERS));
    GIVES(CUBLAS_STATUS_NOT_SUPPORTED,
          cublasDgelsBatched(handle, CUBLAS_OP_T, 4, 2, 1, a.pointers, LD, tau.pointers, LD, &info, infos, MEMBERS));
    GIVES(CUBLAS_STATUS_NOT_SUPPORTED,
          cublasDgelsBatched(handle, CUBLAS_OP_N, 2, 4, 1, a.pointers, LD, tau.pointers, LD, &info, infos, MEMBERS));
    GIVES(CUBLAS_STATUS_INVALID_VALUE,
          cublasDgelsBatched(handle, CUBLAS_OP_N, 4, -1, 1, a.pointers, LD, tau.pointers, LD, &info, infos, MEMBERS));
    CHECK(info == -3); /* NVIDIA counts m, nrhs, n */
    GIVES(CUBLAS_STATUS_INVALID_VALUE, cublasDgeqrfBatched(handle, 4, 2, a.pointers, 3, tau.pointers, &info, MEMBERS));
    CHECK(info == -4);
    GIVES(CUBLAS_STATUS_INVALID_VALUE,
          cublasDgetrsBatched(handle, CUBLAS_OP_N, 3, 1, read_only(&a), LD, NULL, tau.pointers, 2, &info, MEMBERS));
    CHECK(info == -8);
    drop(&a), drop(&tau);
}

static void packed(cublasHandle_t handle)
{
    const double lower[6] = {0, 2, 1, 1, 1, 0}, upper[6] = {0, 3, 1, 1, 5, 0};
    double got[ROOM], *full = device(A[0], sizeof A[0]), *flat = device(B[0], sizeof B[0]);
    OK(cublasDtrttp(handle, CUBLAS_FILL_MODE_LOWER, 3, full, LD, flat));
    host(got, flat, sizeof lower);
    CHECK(memcmp(got, lower, sizeof lower) == 0);
    OK(cublasDtrttp(handle, CUBLAS_FILL_MODE_UPPER, 3, full, LD, flat));
    host(got, flat, sizeof upper);
    CHECK(memcmp(got, upper, sizeof upper) == 0);
    OK(cublasDtpttr(handle, CUBLAS_FILL_MODE_LOWER, 3, flat, full, LD));
    host(got, full, sizeof A[0]);
    for (int j = 0; j < 4; j++)
        for (int i = 0; i < LD; i++) {
            int inside = j < 3 && i < 3 && i >= j;
            CHECK(got[i + j * LD] == (inside ? upper[i - j + j * (7 - j) / 2] : A[0][i + j * LD]));
        }
    GIVES(CUBLAS_STATUS_INVALID_VALUE, cublasDtpttr(handle, CUBLAS_FILL_MODE_LOWER, 3, flat, full, 2));
    OK(cudaFree(full));
    OK(cudaFree(flat));
}

int main(void)
{
    cublasHandle_t handle;
    cublasPointerMode_t mode;
    cudaStream_t stream;
    int *pivots, *infos;
    OK(cublasCreate(&handle));
    OK(cudaStreamCreate(&stream));
    OK(cudaMalloc((void **)&pivots, 3 * MEMBERS * sizeof *pivots));
    OK(cudaMalloc((void **)&infos, MEMBERS * sizeof *infos));
    for (int turn = 0; turn < 2; turn++) { /* the pointer mode is no business of these functions */
        lu(handle, pivots, infos);
        inverse(handle, infos);
        orthogonal(handle, infos);
        packed(handle);
        OK(cublasGetPointerMode(handle, &mode));
        CHECK(mode == (turn ? CUBLAS_POINTER_MODE_DEVICE : CUBLAS_POINTER_MODE_HOST));
        OK(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE));
        OK(cublasSetStream(handle, stream));
    }
    OK(cudaFree(pivots));
    OK(cudaFree(infos));
    OK(cublasDestroy(handle));
    OK(cudaStreamDestroy(stream));
    return done();
}
