/* hipBLASLt's C ABI as the CPU backend exports it, and what its own units share.
 *
 * Names, numbers and widths are those of hipBLASLt of ROCm 7.2; the text is ours. Enumerations are ints here: the same
 * in the ABI, and any number may arrive. Names that begin with `hl_` are internal; the export list hides them. */
#ifndef DRAGOMAN_CPU_HIPBLASLT_H
#define DRAGOMAN_CPU_HIPBLASLT_H
#include <stddef.h>
#include <stdint.h>
#include "record.h" /* mapping/cpu/record */
#include "lt_own.h"

typedef void *hipStream_t;

typedef int hipblasStatus_t;
enum {
    HIPBLAS_STATUS_SUCCESS = 0,
    HIPBLAS_STATUS_NOT_INITIALIZED = 1,
    HIPBLAS_STATUS_ALLOC_FAILED = 2,
    HIPBLAS_STATUS_INVALID_VALUE = 3,
    HIPBLAS_STATUS_INTERNAL_ERROR = 6,
    HIPBLAS_STATUS_NOT_SUPPORTED = 7
};
enum { HIPBLAS_OP_N = 111, HIPBLAS_OP_T = 112, HIPBLAS_OP_C = 113 };
enum {
    HIPBLAS_COMPUTE_32F = 2,
    HIPBLAS_COMPUTE_32F_FAST_16F = 4,
    HIPBLAS_COMPUTE_32F_FAST_16BF = 5,
    HIPBLAS_COMPUTE_32F_FAST_TF32 = 6,
    HIPBLAS_COMPUTE_64F = 7,
    HIPBLAS_COMPUTE_32I = 9
};
enum {
    HIP_R_32F = 0,
    HIP_R_64F = 1,
    HIP_R_16F = 2,
    HIP_R_8I = 3,
    HIP_C_32F = 4,
    HIP_C_64F = 5,
    HIP_R_8U = 8,
    HIP_R_32I = 10,
    HIP_R_16BF = 14,
    HIP_R_8F_E4M3 = 28,
    HIP_R_8F_E5M2 = 29,
    HL_NO_TYPE = -1
};
enum {
    HIPBLASLT_EPILOGUE_DEFAULT = 1,
    HIPBLASLT_EPILOGUE_RELU = 2,
    HIPBLASLT_EPILOGUE_BIAS = 4,
    HIPBLASLT_EPILOGUE_RELU_BIAS = 6,
    HIPBLASLT_EPILOGUE_GELU = 32,
    HIPBLASLT_EPILOGUE_GELU_BIAS = 36,
    HIPBLASLT_EPILOGUE_GELU_AUX = 160,
    HIPBLASLT_EPILOGUE_GELU_AUX_BIAS = 164,
    HIPBLASLT_EPILOGUE_DGELU = 192,
    HIPBLASLT_EPILOGUE_DGELU_BGRAD = 208,
    HIPBLASLT_EPILOGUE_BGRADA = 256,
    HIPBLASLT_EPILOGUE_BGRADB = 512
};
enum {
    HIPBLASLT_MATRIX_LAYOUT_BATCH_COUNT = 0,
    HIPBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET = 1,
    HIPBLASLT_MATRIX_LAYOUT_TYPE = 2,
    HIPBLASLT_MATRIX_LAYOUT_ORDER = 3,
    HIPBLASLT_MATRIX_LAYOUT_ROWS = 4,
    HIPBLASLT_MATRIX_LAYOUT_COLS = 5,
    HIPBLASLT_MATRIX_LAYOUT_LD = 6
};
enum {
    HIPBLASLT_MATMUL_DESC_TRANSA = 0,
    HIPBLASLT_MATMUL_DESC_TRANSB = 1,
    HIPBLASLT_MATMUL_DESC_EPILOGUE = 2,
    HIPBLASLT_MATMUL_DESC_BIAS_POINTER = 3,
    HIPBLASLT_MATMUL_DESC_BIAS_DATA_TYPE = 4,
    HIPBLASLT_MATMUL_DESC_A_SCALE_POINTER = 5,
    HIPBLASLT_MATMUL_DESC_B_SCALE_POINTER = 6,
    HIPBLASLT_MATMUL_DESC_C_SCALE_POINTER = 7,
    HIPBLASLT_MATMUL_DESC_D_SCALE_POINTER = 8,
    HIPBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER = 10,
    HIPBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD = 11,
    HIPBLASLT_MATMUL_DESC_EPILOGUE_AUX_BATCH_STRIDE = 12,
    HIPBLASLT_MATMUL_DESC_POINTER_MODE = 13,
    HIPBLASLT_MATMUL_DESC_AMAX_D_POINTER = 14,
    HIPBLASLT_MATMUL_DESC_EPILOGUE_AUX_DATA_TYPE = 22,
    HIPBLASLT_MATMUL_DESC_A_SCALE_MODE = 31,
    HIPBLASLT_MATMUL_DESC_B_SCALE_MODE = 32
};
enum { HIPBLASLT_MATMUL_MATRIX_SCALE_SCALAR_32F = 0, HIPBLASLT_MATMUL_MATRIX_SCALE_OUTER_VEC_32F = 3 };
enum { HIPBLASLT_POINTER_MODE_HOST = 0, HIPBLASLT_POINTER_MODE_DEVICE = 1 };
enum { HIPBLASLT_MATMUL_PREF_SEARCH_MODE = 0, HIPBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES = 1 };
enum { HIPBLASLT_ORDER_COL = 0, HIPBLASLT_ORDER_ROW = 1 };
enum {
    HIPBLASLT_MATRIX_TRANSFORM_DESC_SCALE_TYPE = 0,
    HIPBLASLT_MATRIX_TRANSFORM_DESC_POINTER_MODE = 1,
    HIPBLASLT_MATRIX_TRANSFORM_DESC_TRANSA = 2,
    HIPBLASLT_MATRIX_TRANSFORM_DESC_TRANSB = 3
};

/* Each object says what it is. */
enum { HL_HANDLE = 0x4c540201, HL_LAYOUT, HL_MATMUL, HL_PREFERENCE, HL_TRANSFORM };
typedef struct hl_handle {
    uint32_t kind;
} hl_handle;
typedef struct hl_layout {
    uint32_t kind;
    int32_t type, order, batch;
    uint64_t rows, cols;
    int64_t ld, stride;
} hl_layout;
typedef struct hl_matmul {
    uint32_t kind;
    int32_t compute, scale, opa, opb, pointer_mode;
    uint32_t epilogue;
    int32_t bias_type, aux_type, a_mode, b_mode;
    void *bias, *aux;
    int64_t aux_ld, aux_stride;
    const float *scale_a, *scale_b, *scale_c, *scale_d;
    float *amax;
} hl_matmul;
typedef struct hl_preference {
    uint32_t kind;
    uint32_t search;
    uint64_t workspace;
} hl_preference;
typedef struct hl_transform {
    uint32_t kind;
    int32_t scale, pointer_mode, opa, opb;
} hl_transform;

typedef hl_handle *hipblasLtHandle_t;
typedef hl_layout *hipblasLtMatrixLayout_t;
typedef hl_matmul *hipblasLtMatmulDesc_t;
typedef hl_preference *hipblasLtMatmulPreference_t;
typedef hl_transform *hipblasLtMatrixTransformDesc_t;

typedef struct hipblasLtMatmulAlgo_t {
    uint8_t data[16];
    size_t max_workspace_bytes;
} hipblasLtMatmulAlgo_t;
typedef struct hipblasLtMatmulHeuristicResult_t {
    hipblasLtMatmulAlgo_t algo;
    size_t workspaceSize;
    hipblasStatus_t state;
    float wavesCount;
    int reserved[4];
} hipblasLtMatmulHeuristicResult_t;
/* product.pyx: on a stream, now or as a node of a graph */
extern hipblasStatus_t hl_product(const lt_own_product *p, const void *alpha, const void *A, const void *B,
                                  const void *beta, const void *C, void *D, const void *stream);
_Static_assert(sizeof(hipblasLtMatmulHeuristicResult_t) == 56, "as AMD's");
#endif
