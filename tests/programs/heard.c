/* Who hears what the libraries do: cuBLAS's file and callback, cuBLASLt's callback by levels and masks with the name of
 * the function, and silence where nobody asked or where it was switched off.
 * BUILD: cc -std=c11 -Wall -Wextra -Werror -pedantic -I"$HEADERS" "$SOURCE/heard.c" -L"$LIBS" -lcublasLt -lcublas -lcudart -lm -o heard
 * RUN: dragoman run -- ./heard
 */
#include <cublasLt.h>
#include <cublas_v2.h>
#include <cuda_runtime_api.h>
#include <string.h>

#include "check.h"

static int lines, products, others, worst;

static void blas_line(const char *message)
{
    lines += strstr(message, "cublasSasum_v2") != NULL;
}

static void lt_line(int level, const char *function, const char *message)
{
    if (strcmp(function, "cublasLtMatmul") == 0 && strstr(message, "cublasLtMatmul") != NULL)
        ++products;
    else
        ++others;
    if (level > worst) worst = level;
}

static long size_of(const char *name)
{
    FILE *file = fopen(name, "rb");
    long size = -1;
    if (file) {
        fseek(file, 0, SEEK_END);
        size = ftell(file);
        fclose(file);
    }
    return size;
}

static void of_cublas(const float *x)
{
    cublasHandle_t handle;
    cublasLogCallback kept = blas_line;
    float sum;
    long size;
    int before;
    OK(cublasCreate(&handle));
    OK(cublasLoggerConfigure(1, 0, 0, "heard.txt"));
    OK(cublasSasum(handle, 4, x, 1, &sum));
    OK(cublasLoggerConfigure(0, 0, 0, NULL));
    size = size_of("heard.txt");
    CHECK(size > 0);
    OK(cublasSasum(handle, 4, x, 1, &sum));
    CHECK(size_of("heard.txt") == size);
    OK(cublasSetLoggerCallback(blas_line));
    OK(cublasLoggerConfigure(1, 0, 0, NULL));
    OK(cublasSasum(handle, 4, x, 1, &sum));
    CHECK(lines == 1);
    OK(cublasLoggerConfigure(0, 0, 0, NULL));
    OK(cublasSetLoggerCallback(NULL));
    OK(cublasGetLoggerCallback(&kept));
    CHECK(kept == NULL);
    before = lines;
    OK(cublasSasum(handle, 4, x, 1, &sum));
    CHECK(lines == before);
    OK(cublasDestroy(handle));
    remove("heard.txt");
}

int main(void)
{
    const float values[4] = {1, 2, 3, 4}, one = 1, zero = 0;
    float *x, *y;
    cublasLtHandle_t lt;
    cublasLtMatrixLayout_t layout;
    cublasLtMatmulDesc_t product;
    int before;
    OK(cudaMalloc((void **)&x, sizeof values));
    OK(cudaMalloc((void **)&y, sizeof values));
    OK(cudaMemcpy(x, values, sizeof values, cudaMemcpyHostToDevice));
    of_cublas(x);

    OK(cublasLtCreate(&lt));
    OK(cublasLtMatrixLayoutCreate(&layout, CUDA_R_32F, 2, 2, 2));
    OK(cublasLtMatmulDescCreate(&product, CUBLAS_COMPUTE_32F, CUDA_R_32F));
#define MULTIPLY() \
    cublasLtMatmul(lt, product, &one, x, layout, x, layout, &zero, y, layout, y, layout, NULL, NULL, 0, 0)
    OK(cublasLtLoggerSetCallback(lt_line)); /* nothing is asked for yet */
    OK(MULTIPLY());
    CHECK(products == 0 && others == 0);
    OK(cublasLtLoggerSetLevel(5)); /* all: calls too */
    OK(MULTIPLY());
    CHECK(products == 1 && worst == 5);
    OK(cublasLtLoggerSetLevel(1)); /* errors alone */
    before = products;
    OK(MULTIPLY());
    CHECK(products == before);
    OK(cublasLtLoggerSetMask(16)); /* calls alone */
    OK(MULTIPLY());
    CHECK(products == before + 1);
    OK(cublasLtLoggerSetMask(0));
    OK(MULTIPLY());
    CHECK(products == before + 1);
    GIVES(CUBLAS_STATUS_INVALID_VALUE, cublasLtLoggerSetLevel(6));
    GIVES(CUBLAS_STATUS_INVALID_VALUE, cublasLtLoggerSetLevel(-1));
    OK(cublasLtLoggerSetMask(31));
    OK(cublasLtLoggerSetCallback(NULL));
    OK(MULTIPLY());
    CHECK(products == before + 1);
    OK(cublasLtLoggerSetCallback(lt_line));
    OK(cublasLtLoggerForceDisable()); /* for good */
    OK(cublasLtLoggerSetLevel(5));
    OK(MULTIPLY());
    CHECK(products == before + 1);
    OK(cublasLtMatmulDescDestroy(product));
    OK(cublasLtMatrixLayoutDestroy(layout));
    OK(cublasLtDestroy(lt));
    OK(cudaFree(x));
    OK(cudaFree(y));
    return done();
}
