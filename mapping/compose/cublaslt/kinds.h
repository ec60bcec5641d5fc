/* Which types go together in a product, and who can compute it: as cuBLASLt 13.1 accepted them on a card, less complex
 * int8 and what looked like its accidents. Numbers are cudaDataType's. */
#ifndef DRAGOMAN_CUBLASLT_KINDS_H
#define DRAGOMAN_CUBLASLT_KINDS_H
#include <stdint.h>
#include "cublasLt_abi.h"
#include "lt_own.h"

/* Numbers of the algorithms too. HIPBLASLT: with the epilogues that it has. OWN: by the CPU backend's own function
 * (lt_own.h). */
enum { LT_BY_ROCBLAS = 1, LT_BY_HIPBLASLT = 2, LT_BY_OWN = 4 };
#define LT_ALL (LT_BY_ROCBLAS | LT_BY_HIPBLASLT | LT_BY_OWN)

typedef struct lt_types {
    int32_t first, last; /* compute types, from … to: none of NVIDIA's other ones lies between */
    int32_t scale, a, c; /* B is as A, D is as C */
    int32_t by;
} lt_types;

static const lt_types lt_all_types[] = {
    {CUBLAS_COMPUTE_16F, CUBLAS_COMPUTE_16F_PEDANTIC, CUDA_R_16F, CUDA_R_16F, CUDA_R_16F, LT_ALL},
    {CUBLAS_COMPUTE_32F, CUBLAS_COMPUTE_32F_EMULATED_16BFX9, CUDA_R_32F, CUDA_R_16F, CUDA_R_16F, LT_ALL},
    {CUBLAS_COMPUTE_32F, CUBLAS_COMPUTE_32F_EMULATED_16BFX9, CUDA_R_32F, CUDA_R_16F, CUDA_R_32F, LT_ALL},
    {CUBLAS_COMPUTE_32F, CUBLAS_COMPUTE_32F_EMULATED_16BFX9, CUDA_R_32F, CUDA_R_16BF, CUDA_R_16BF, LT_ALL},
    {CUBLAS_COMPUTE_32F, CUBLAS_COMPUTE_32F_EMULATED_16BFX9, CUDA_R_32F, CUDA_R_16BF, CUDA_R_32F, LT_ALL},
    {CUBLAS_COMPUTE_32F, CUBLAS_COMPUTE_32F_EMULATED_16BFX9, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, LT_ALL},
    {CUBLAS_COMPUTE_32F, CUBLAS_COMPUTE_32F_EMULATED_16BFX9, CUDA_C_32F, CUDA_C_32F, CUDA_C_32F, LT_BY_ROCBLAS},
    {CUBLAS_COMPUTE_64F, CUBLAS_COMPUTE_64F_PEDANTIC, CUDA_R_64F, CUDA_R_64F, CUDA_R_64F, LT_ALL},
    {CUBLAS_COMPUTE_64F, CUBLAS_COMPUTE_64F_PEDANTIC, CUDA_C_64F, CUDA_C_64F, CUDA_C_64F, LT_BY_ROCBLAS},
    {CUBLAS_COMPUTE_64F_EMULATED_FIXEDPOINT, CUBLAS_COMPUTE_64F_EMULATED_FIXEDPOINT, CUDA_R_64F, CUDA_R_64F, CUDA_R_64F,
     LT_ALL},
    {CUBLAS_COMPUTE_64F_EMULATED_FIXEDPOINT, CUBLAS_COMPUTE_64F_EMULATED_FIXEDPOINT, CUDA_C_64F, CUDA_C_64F, CUDA_C_64F,
     LT_BY_ROCBLAS},
    {CUBLAS_COMPUTE_32I, CUBLAS_COMPUTE_32I_PEDANTIC, CUDA_R_32I, CUDA_R_8I, CUDA_R_32I, LT_BY_ROCBLAS},
    /* hipBLASLt's factors of int8 products are int32, whatever the scale type says */
    {CUBLAS_COMPUTE_32I, CUBLAS_COMPUTE_32I_PEDANTIC, CUDA_R_32F, CUDA_R_8I, CUDA_R_8I, LT_BY_OWN},
    {CUBLAS_COMPUTE_32F, CUBLAS_COMPUTE_32F_EMULATED_16BFX9, CUDA_R_32F, CUDA_R_8I, CUDA_R_32F, LT_BY_OWN},
};
static const lt_types lt_float8_types = {CUBLAS_COMPUTE_32F, CUBLAS_COMPUTE_32F_EMULATED_16BFX9, CUDA_R_32F, 0, 0,
                                         LT_BY_HIPBLASLT | LT_BY_OWN};

/* Compute types of 32 bits are no row of numbers: 64F and 32I lie between them. */
static inline int lt_in(int32_t compute, const lt_types *row) {
    if (row->first == CUBLAS_COMPUTE_32F && compute >= CUBLAS_COMPUTE_64F && compute <= CUBLAS_COMPUTE_32I_PEDANTIC)
        return 0;
    return compute >= row->first && compute <= row->last;
}

static inline int lt_is_float8(int32_t type) { return type == CUDA_R_8F_E4M3 || type == CUDA_R_8F_E5M2; }

/* 8-bit floating point: A and B not both with five bits of exponent; D as C of 16 or 32 bits, or of 8 bits
 * over a C of 16. */
static inline int lt_float8(int32_t a, int32_t b, int32_t c, int32_t d) {
    int half = c == CUDA_R_16BF || c == CUDA_R_16F;
    if (!lt_is_float8(a) || !lt_is_float8(b) || (a == CUDA_R_8F_E5M2 && b == a)) return 0;
    if (lt_is_float8(d)) return half && (d == CUDA_R_8F_E4M3 || a != b);
    return c == d && (half || c == CUDA_R_32F);
}

static inline const lt_types *lt_find_types(int32_t compute, int32_t scale, int32_t a, int32_t b, int32_t c,
                                            int32_t d) {
    for (unsigned i = 0; i < sizeof lt_all_types / sizeof lt_all_types[0]; i++) {
        const lt_types *row = &lt_all_types[i];
        if (lt_in(compute, row) && row->scale == scale && row->a == a && a == b && row->c == c && c == d) return row;
    }
    if (lt_in(compute, &lt_float8_types) && scale == CUDA_R_32F && lt_float8(a, b, c, d)) return &lt_float8_types;
    return 0;
}

/* Types of A and D that some product has, of whatever factors, B and C: those are what is wrong then. As an H200
 * answers, the pair of int8 counts with every computing type of 32 bits, and 8-bit floating point where nothing but the
 * factors is wrong. */
static inline int lt_begins(int32_t compute, int32_t a, int32_t b, int32_t c, int32_t d) {
    for (unsigned i = 0; i < sizeof lt_all_types / sizeof lt_all_types[0]; i++)
        if (lt_in(compute, &lt_all_types[i]) && lt_all_types[i].a == a && lt_all_types[i].c == d) return 1;
    return lt_in(compute, &lt_float8_types) && ((a == CUDA_R_8I && d == a) || lt_float8(a, b, c, d));
}

/* The type of a bias where the program does not say another; none but this one is taken. */
static inline int32_t lt_bias_type(int32_t a, int32_t c, int32_t d) {
    if (d == CUDA_R_8I) return CUDA_R_32F;
    if (lt_is_float8(d)) return c;
    return lt_is_float8(a) && d == CUDA_R_32F ? CUDA_R_16BF : d;
}

/* A type that factors may have. */
static inline int lt_scales(int32_t type) {
    return type == CUDA_R_16F || type == CUDA_R_16BF || type == CUDA_R_32F || type == CUDA_R_64F ||
           type == CUDA_R_32I || type == CUDA_C_32F || type == CUDA_C_64F;
}

static inline int lt_is_complex(int32_t type) { return type == CUDA_C_32F || type == CUDA_C_64F; }

/* Bytes of an element, 0 for types that nothing here has. */
static inline int64_t lt_bytes(int32_t type) {
    switch (type) {
    case CUDA_R_8I: case CUDA_R_8U: case CUDA_R_8F_E4M3: case CUDA_R_8F_E5M2: return 1;
    case CUDA_R_16F: case CUDA_R_16BF: return 2;
    case CUDA_R_32F: case CUDA_R_32I: return 4;
    case CUDA_R_64F: case CUDA_C_32F: return 8;
    case CUDA_C_64F: return 16;
    default: return 0;
    }
}

/* What an epilogue has (lt_own.h). */
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
    case CUBLASLT_EPILOGUE_BGRADA: return LT_KNOWN | LT_SUMS | LT_OF_A;
    case CUBLASLT_EPILOGUE_BGRADB: return LT_KNOWN | LT_SUMS | LT_OF_B;
    default: return 0;
    }
}

/* Which types a change of type and order takes: with factors of 32 bits any real ones but doubles. */
static inline int lt_converts(int32_t scale, int32_t type) {
    switch (scale) {
    case CUDA_R_32F:
        return type == CUDA_R_32F || type == CUDA_R_16F || type == CUDA_R_16BF || type == CUDA_R_8I ||
               type == CUDA_R_32I || lt_is_float8(type);
    case CUDA_R_32I: return type == CUDA_R_32I || type == CUDA_R_8I;
    default: return type == scale && lt_bytes(type) > 1;
    }
}

/* What hipBLASLt has kernels for. */
static inline int lt_converts_amd(int32_t scale, int32_t type) {
    return scale == CUDA_R_16F ? type == CUDA_R_16F
                               : scale == CUDA_R_32F && lt_converts(scale, type) && !lt_is_float8(type);
}

/* Does a leading dimension hold a matrix in its order? */
static inline int lt_holds(int32_t order, uint64_t rows, uint64_t cols, int64_t ld) {
    uint64_t least = rows;
    if (rows >> 48 || cols >> 48) return 0;
    if (order == LT_ORDER_ROW) least = cols;
    if (order == LT_ORDER_COL32) least = 32 * rows;
    if (order == LT_ORDER_COL4_4R2_8C) least = 32 * ((rows + 7) / 8 * 8);
    if (order == LT_ORDER_COL32_2R_4R4) least = 32 * ((rows + 31) / 32 * 32);
    return ld >= 1 && (uint64_t)ld >= least;
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
