/* Which types go together in a product, and who can compute it: as cuBLASLt 13.1 accepted them on a card, less what has no
 * counterpart on AMD's side (8-bit floating point, complex of int8, int8 into float). Numbers are cudaDataType's. */
#ifndef DRAGOMAN_CUBLASLT_KINDS_H
#define DRAGOMAN_CUBLASLT_KINDS_H
#include <stdint.h>
#include "cublasLt_abi.h"

enum { LT_BY_ROCBLAS = 1, LT_BY_HIPBLASLT = 2 }; /* numbers of the algorithms too; HIPBLASLT: with every epilogue */

typedef struct lt_types {
    int32_t first, last; /* compute types, from … to: none of NVIDIA's other ones lies between */
    int32_t scale, a, c; /* B is as A, D is as C */
    int32_t by;
} lt_types;

static const lt_types lt_all_types[] = {
    {CUBLAS_COMPUTE_16F, CUBLAS_COMPUTE_16F_PEDANTIC, CUDA_R_16F, CUDA_R_16F, CUDA_R_16F, LT_BY_ROCBLAS | LT_BY_HIPBLASLT},
    {CUBLAS_COMPUTE_32F, CUBLAS_COMPUTE_32F_EMULATED_16BFX9, CUDA_R_32F, CUDA_R_16F, CUDA_R_16F, LT_BY_ROCBLAS | LT_BY_HIPBLASLT},
    {CUBLAS_COMPUTE_32F, CUBLAS_COMPUTE_32F_EMULATED_16BFX9, CUDA_R_32F, CUDA_R_16F, CUDA_R_32F, LT_BY_ROCBLAS | LT_BY_HIPBLASLT},
    {CUBLAS_COMPUTE_32F, CUBLAS_COMPUTE_32F_EMULATED_16BFX9, CUDA_R_32F, CUDA_R_16BF, CUDA_R_16BF, LT_BY_ROCBLAS | LT_BY_HIPBLASLT},
    {CUBLAS_COMPUTE_32F, CUBLAS_COMPUTE_32F_EMULATED_16BFX9, CUDA_R_32F, CUDA_R_16BF, CUDA_R_32F, LT_BY_ROCBLAS | LT_BY_HIPBLASLT},
    {CUBLAS_COMPUTE_32F, CUBLAS_COMPUTE_32F_EMULATED_16BFX9, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, LT_BY_ROCBLAS | LT_BY_HIPBLASLT},
    {CUBLAS_COMPUTE_32F, CUBLAS_COMPUTE_32F_EMULATED_16BFX9, CUDA_C_32F, CUDA_C_32F, CUDA_C_32F, LT_BY_ROCBLAS},
    {CUBLAS_COMPUTE_64F, CUBLAS_COMPUTE_64F_PEDANTIC, CUDA_R_64F, CUDA_R_64F, CUDA_R_64F, LT_BY_ROCBLAS | LT_BY_HIPBLASLT},
    {CUBLAS_COMPUTE_64F, CUBLAS_COMPUTE_64F_PEDANTIC, CUDA_C_64F, CUDA_C_64F, CUDA_C_64F, LT_BY_ROCBLAS},
    {CUBLAS_COMPUTE_64F_EMULATED_FIXEDPOINT, CUBLAS_COMPUTE_64F_EMULATED_FIXEDPOINT, CUDA_R_64F, CUDA_R_64F, CUDA_R_64F,
     LT_BY_ROCBLAS | LT_BY_HIPBLASLT},
    {CUBLAS_COMPUTE_64F_EMULATED_FIXEDPOINT, CUBLAS_COMPUTE_64F_EMULATED_FIXEDPOINT, CUDA_C_64F, CUDA_C_64F, CUDA_C_64F, LT_BY_ROCBLAS},
    {CUBLAS_COMPUTE_32I, CUBLAS_COMPUTE_32I_PEDANTIC, CUDA_R_32I, CUDA_R_8I, CUDA_R_32I, LT_BY_ROCBLAS},
    {CUBLAS_COMPUTE_32I, CUBLAS_COMPUTE_32I_PEDANTIC, CUDA_R_32F, CUDA_R_8I, CUDA_R_8I, LT_BY_HIPBLASLT},
};

/* Compute types of 32 bits are no row of numbers: 64F and 32I lie between them. */
static inline int lt_in(int32_t compute, const lt_types *row) {
    if (row->first == CUBLAS_COMPUTE_32F && compute >= CUBLAS_COMPUTE_64F && compute <= CUBLAS_COMPUTE_32I_PEDANTIC) return 0;
    return compute >= row->first && compute <= row->last;
}

static inline const lt_types *lt_find_types(int32_t compute, int32_t scale, int32_t a, int32_t b, int32_t c, int32_t d) {
    for (unsigned i = 0; i < sizeof lt_all_types / sizeof lt_all_types[0]; i++) {
        const lt_types *row = &lt_all_types[i];
        if (lt_in(compute, row) && row->scale == scale && row->a == a && a == b && row->c == c && c == d) return row;
    }
    return 0;
}

static inline int lt_is_complex(int32_t type) { return type == CUDA_C_32F || type == CUDA_C_64F; }

/* Bytes of an element, 0 for types that no product has. */
static inline int64_t lt_bytes(int32_t type) {
    switch (type) {
    case CUDA_R_8I: return 1;
    case CUDA_R_16F: case CUDA_R_16BF: return 2;
    case CUDA_R_32F: case CUDA_R_32I: return 4;
    case CUDA_R_64F: case CUDA_C_32F: return 8;
    case CUDA_C_64F: return 16;
    default: return 0;
    }
}

/* What an epilogue has. */
enum { LT_RELU = 1, LT_GELU = 2, LT_BIAS = 4, LT_AUX = 8, LT_GRADIENT = 16, LT_SUMS = 32, LT_BITS = 64, LT_KNOWN = 128 };
static inline int lt_epilogue_of(uint32_t epilogue) {
    switch (epilogue) {
    case 0: /* as NVIDIA's library takes it */
    case CUBLASLT_EPILOGUE_DEFAULT: return LT_KNOWN;
    case CUBLASLT_EPILOGUE_RELU: return LT_KNOWN | LT_RELU;
    case CUBLASLT_EPILOGUE_RELU_AUX: return LT_KNOWN | LT_RELU | LT_AUX | LT_BITS;
    case CUBLASLT_EPILOGUE_BIAS: return LT_KNOWN | LT_BIAS;
    case CUBLASLT_EPILOGUE_RELU_BIAS: return LT_KNOWN | LT_RELU | LT_BIAS;
    case CUBLASLT_EPILOGUE_RELU_AUX_BIAS: return LT_KNOWN | LT_RELU | LT_AUX | LT_BIAS | LT_BITS;
    case CUBLASLT_EPILOGUE_DRELU: return LT_KNOWN | LT_RELU | LT_AUX | LT_GRADIENT | LT_BITS;
    case CUBLASLT_EPILOGUE_DRELU_BGRAD: return LT_KNOWN | LT_RELU | LT_AUX | LT_GRADIENT | LT_SUMS | LT_BITS;
    case CUBLASLT_EPILOGUE_GELU: return LT_KNOWN | LT_GELU;
    case CUBLASLT_EPILOGUE_GELU_AUX: return LT_KNOWN | LT_GELU | LT_AUX;
    case CUBLASLT_EPILOGUE_GELU_BIAS: return LT_KNOWN | LT_GELU | LT_BIAS;
    case CUBLASLT_EPILOGUE_GELU_AUX_BIAS: return LT_KNOWN | LT_GELU | LT_AUX | LT_BIAS;
    case CUBLASLT_EPILOGUE_DGELU: return LT_KNOWN | LT_GELU | LT_AUX | LT_GRADIENT;
    case CUBLASLT_EPILOGUE_DGELU_BGRAD: return LT_KNOWN | LT_GELU | LT_AUX | LT_GRADIENT | LT_SUMS;
    case CUBLASLT_EPILOGUE_BGRADA:
    case CUBLASLT_EPILOGUE_BGRADB: return LT_KNOWN | LT_SUMS;
    default: return 0;
    }
}

/* A factor on the host is 0 (or, for real ones, another small number). */
static inline int lt_is_zero(int32_t scale, const void *factor) {
    switch (scale) {
    case CUDA_R_16F: return (*(const uint16_t *)factor & 0x7fff) == 0;
    case CUDA_R_32I: return *(const int32_t *)factor == 0;
    case CUDA_R_32F: return *(const float *)factor == 0;
    case CUDA_R_64F: return *(const double *)factor == 0;
    case CUDA_C_32F: return ((const float *)factor)[0] == 0 && ((const float *)factor)[1] == 0;
    case CUDA_C_64F: return ((const double *)factor)[0] == 0 && ((const double *)factor)[1] == 0;
    default: return 0;
    }
}

/* A number of 16 bits as a float: what hipBLASLt computes such products in. */
static inline float lt_from_half(uint16_t h) {
    uint32_t sign = (uint32_t)(h & 0x8000) << 16, e = h >> 10 & 31, f = h & 0x3ff;
    union { uint32_t u; float f; } v;
    if (e == 0) {
        v.f = (float)f * 0x1p-24f;
        v.u |= sign;
    } else
        v.u = sign | (e == 31 ? 0x7f800000u : (e + 112) << 23) | f << 13;
    return v.f;
}

/* The 64 bytes that a program keeps and copies. */
typedef struct lt_algo {
    lt_MatmulAlgoConfig config;
    uint64_t amd[3]; /* hipblasLtMatmulAlgo_t; all 0: hipBLASLt chooses */
} lt_algo;
_Static_assert(sizeof(lt_algo) == 64, "cublasLtMatmulAlgo_t");

/* What a heuristic finds: cublasLtMatmulHeuristicResult_t, and hipBLASLt's. */
typedef struct lt_found {
    lt_algo algo;
    size_t workspace;
    int32_t state;
    float waves;
    int32_t reserved[4];
} lt_found;
typedef struct lt_amd_found {
    uint64_t algo[3];
    size_t workspace;
    int32_t state;
    float waves;
    int32_t reserved[4];
} lt_amd_found;
_Static_assert(sizeof(lt_found) == 96, "cublasLtMatmulHeuristicResult_t");
_Static_assert(sizeof(lt_amd_found) == 56, "hipblasLtMatmulHeuristicResult_t");
#endif
