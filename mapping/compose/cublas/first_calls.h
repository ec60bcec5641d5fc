/* Newer functions of the same library that the first API stands on. */
#ifndef DRAGOMAN_CUBLAS_FIRST_CALLS_H
#define DRAGOMAN_CUBLAS_FIRST_CALLS_H
#include "cublas_abi.h"
cublasStatus_t cublasCreate_v2(cublasHandle_t *handle);
cublasStatus_t cublasDestroy_v2(cublasHandle_t handle);
cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream);
#endif
