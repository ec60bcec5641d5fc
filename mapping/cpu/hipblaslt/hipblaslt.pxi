# hipBLASLt's C ABI (hipblaslt.h) for Cython, included by each unit of the CPU backend's hipBLASLt. Declarations only.
from libc.stddef cimport size_t
from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t, uint32_t, uint64_t

include "record.pxi"

include "lt_own.pxi"

cdef extern from "hipblaslt.h" nogil:
    ctypedef int hipblasStatus_t
    ctypedef void *hipStream_t
    enum:
        HIPBLAS_STATUS_SUCCESS, HIPBLAS_STATUS_NOT_INITIALIZED, HIPBLAS_STATUS_ALLOC_FAILED
        HIPBLAS_STATUS_INVALID_VALUE, HIPBLAS_STATUS_INTERNAL_ERROR, HIPBLAS_STATUS_NOT_SUPPORTED
        HIPBLAS_OP_N, HIPBLAS_OP_T, HIPBLAS_OP_C
        HIPBLAS_COMPUTE_32F, HIPBLAS_COMPUTE_32F_FAST_16F, HIPBLAS_COMPUTE_32F_FAST_16BF
        HIPBLAS_COMPUTE_32F_FAST_TF32, HIPBLAS_COMPUTE_64F, HIPBLAS_COMPUTE_32I
        HIP_R_32F, HIP_R_64F, HIP_R_16F, HIP_R_8I, HIP_C_32F, HIP_C_64F, HIP_R_8U, HIP_R_32I, HIP_R_16BF
        HIP_R_8F_E4M3, HIP_R_8F_E5M2, HL_NO_TYPE
        HIPBLASLT_EPILOGUE_DEFAULT, HIPBLASLT_EPILOGUE_RELU, HIPBLASLT_EPILOGUE_BIAS, HIPBLASLT_EPILOGUE_RELU_BIAS
        HIPBLASLT_EPILOGUE_GELU, HIPBLASLT_EPILOGUE_GELU_BIAS, HIPBLASLT_EPILOGUE_GELU_AUX
        HIPBLASLT_EPILOGUE_GELU_AUX_BIAS, HIPBLASLT_EPILOGUE_DGELU, HIPBLASLT_EPILOGUE_DGELU_BGRAD
        HIPBLASLT_EPILOGUE_BGRADA, HIPBLASLT_EPILOGUE_BGRADB
        HIPBLASLT_MATRIX_LAYOUT_BATCH_COUNT, HIPBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET
        HIPBLASLT_MATRIX_LAYOUT_TYPE, HIPBLASLT_MATRIX_LAYOUT_ORDER, HIPBLASLT_MATRIX_LAYOUT_ROWS
        HIPBLASLT_MATRIX_LAYOUT_COLS, HIPBLASLT_MATRIX_LAYOUT_LD
        HIPBLASLT_MATMUL_DESC_TRANSA, HIPBLASLT_MATMUL_DESC_TRANSB, HIPBLASLT_MATMUL_DESC_EPILOGUE
        HIPBLASLT_MATMUL_DESC_BIAS_POINTER, HIPBLASLT_MATMUL_DESC_BIAS_DATA_TYPE
        HIPBLASLT_MATMUL_DESC_A_SCALE_POINTER, HIPBLASLT_MATMUL_DESC_B_SCALE_POINTER
        HIPBLASLT_MATMUL_DESC_C_SCALE_POINTER, HIPBLASLT_MATMUL_DESC_D_SCALE_POINTER
        HIPBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, HIPBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD
        HIPBLASLT_MATMUL_DESC_EPILOGUE_AUX_BATCH_STRIDE, HIPBLASLT_MATMUL_DESC_POINTER_MODE
        HIPBLASLT_MATMUL_DESC_AMAX_D_POINTER, HIPBLASLT_MATMUL_DESC_EPILOGUE_AUX_DATA_TYPE
        HIPBLASLT_MATMUL_DESC_A_SCALE_MODE, HIPBLASLT_MATMUL_DESC_B_SCALE_MODE
        HIPBLASLT_MATMUL_MATRIX_SCALE_SCALAR_32F, HIPBLASLT_MATMUL_MATRIX_SCALE_OUTER_VEC_32F
        HIPBLASLT_POINTER_MODE_HOST, HIPBLASLT_POINTER_MODE_DEVICE
        HIPBLASLT_MATMUL_PREF_SEARCH_MODE, HIPBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES
        HIPBLASLT_ORDER_COL, HIPBLASLT_ORDER_ROW
        HIPBLASLT_MATRIX_TRANSFORM_DESC_SCALE_TYPE, HIPBLASLT_MATRIX_TRANSFORM_DESC_POINTER_MODE
        HIPBLASLT_MATRIX_TRANSFORM_DESC_TRANSA, HIPBLASLT_MATRIX_TRANSFORM_DESC_TRANSB
        HL_HANDLE, HL_LAYOUT, HL_MATMUL, HL_PREFERENCE, HL_TRANSFORM
        LT_RELU, LT_GELU, LT_BIAS, LT_AUX, LT_GRADIENT, LT_SUMS, LT_BITS, LT_KNOWN, LT_OF_A, LT_OF_B
        LT_ORDER_COL, LT_ORDER_ROW, LT_ORDERS, LT_ON_HOST, LT_ON_DEVICE, LT_ON_NEITHER
    ctypedef struct hl_handle:
        uint32_t kind
    ctypedef struct hl_layout:
        uint32_t kind
        int32_t type
        int32_t order
        int32_t batch
        uint64_t rows
        uint64_t cols
        int64_t ld
        int64_t stride
    ctypedef struct hl_matmul:
        uint32_t kind
        int32_t compute
        int32_t scale
        int32_t opa
        int32_t opb
        int32_t pointer_mode
        uint32_t epilogue
        int32_t bias_type
        int32_t aux_type
        int32_t a_mode
        int32_t b_mode
        void *bias
        void *aux
        int64_t aux_ld
        int64_t aux_stride
        const float *scale_a
        const float *scale_b
        const float *scale_c
        const float *scale_d
        float *amax
    ctypedef struct hl_preference:
        uint32_t kind
        uint32_t search
        uint64_t workspace
    ctypedef struct hl_transform:
        uint32_t kind
        int32_t scale
        int32_t pointer_mode
        int32_t opa
        int32_t opb
    ctypedef hl_handle *hipblasLtHandle_t
    ctypedef hl_layout *hipblasLtMatrixLayout_t
    ctypedef hl_matmul *hipblasLtMatmulDesc_t
    ctypedef hl_preference *hipblasLtMatmulPreference_t
    ctypedef hl_transform *hipblasLtMatrixTransformDesc_t
    ctypedef struct hipblasLtMatmulAlgo_t:
        uint8_t data[16]
        size_t max_workspace_bytes
    ctypedef struct hipblasLtMatmulHeuristicResult_t:
        hipblasLtMatmulAlgo_t algo
        size_t workspaceSize
        hipblasStatus_t state
        float wavesCount
        int reserved[4]
    int64_t lt_own_place(int32_t order, int64_t i, int64_t j, int64_t ld)
