# cython: language_level=3, cdivision=True, boundscheck=False, wraparound=False
"""Objects of the CPU backend's hipBLASLt: handle, layout, descriptions of products and transforms, preferences.

What is looked at is what hipBLASLt looks at: a missing object, a missing value, a size below the attribute's own, an
attribute that it does not know. It never looks at the value.
"""
include "hipblaslt.pxi"

from libc.stdlib cimport calloc, free
from libc.string cimport memcpy


cdef bint make(void **place, uint32_t kind, size_t bytes) noexcept nogil:
    """A zeroed object that says what it is."""
    cdef uint32_t *made = <uint32_t *>calloc(1, bytes)
    if made != NULL:
        made[0] = kind
    place[0] = made
    return made != NULL


cdef bint drop(void *object, uint32_t kind) noexcept nogil:
    if object == NULL or (<uint32_t *>object)[0] != kind:
        return False
    (<uint32_t *>object)[0] = 0
    free(object)
    return True


cdef hipblasStatus_t take(void *place, size_t bytes, const void *buf, size_t size) noexcept nogil:
    """A value of at least the attribute's size; place NULL: no such attribute."""
    if place == NULL or size < bytes:
        return HIPBLAS_STATUS_INVALID_VALUE
    memcpy(place, buf, bytes)
    return HIPBLAS_STATUS_SUCCESS


cdef public hipblasStatus_t hipblasLtCreate(hipblasLtHandle_t *handle) noexcept nogil:
    if handle == NULL:
        return HIPBLAS_STATUS_INVALID_VALUE
    record_find()
    return HIPBLAS_STATUS_SUCCESS if make(<void **>handle, HL_HANDLE,
                                          sizeof(hl_handle)) else HIPBLAS_STATUS_ALLOC_FAILED


cdef public hipblasStatus_t hipblasLtDestroy(const hl_handle *handle) noexcept nogil:
    return HIPBLAS_STATUS_SUCCESS if drop(<void *>handle, HL_HANDLE) else HIPBLAS_STATUS_INVALID_VALUE


cdef public hipblasStatus_t hipblasLtGetVersion(hipblasLtHandle_t handle, int *version) noexcept nogil:
    if handle == NULL or handle.kind != HL_HANDLE:
        return HIPBLAS_STATUS_NOT_INITIALIZED
    if version == NULL:
        return HIPBLAS_STATUS_INVALID_VALUE
    version[0] = 100201  # 1.2.1, of ROCm 7.2
    return HIPBLAS_STATUS_SUCCESS


# ---- layouts

cdef public hipblasStatus_t hipblasLtMatrixLayoutCreate(
    hipblasLtMatrixLayout_t *matLayout, int type, uint64_t rows, uint64_t cols, int64_t ld
) noexcept nogil:
    if matLayout == NULL:
        return HIPBLAS_STATUS_INVALID_VALUE
    if not make(<void **>matLayout, HL_LAYOUT, sizeof(hl_layout)):
        return HIPBLAS_STATUS_ALLOC_FAILED
    matLayout[0].type = type
    matLayout[0].rows = rows
    matLayout[0].cols = cols
    matLayout[0].ld = ld
    matLayout[0].batch = 1
    return HIPBLAS_STATUS_SUCCESS


cdef public hipblasStatus_t hipblasLtMatrixLayoutDestroy(const hl_layout *matLayout) noexcept nogil:
    return HIPBLAS_STATUS_SUCCESS if drop(<void *>matLayout, HL_LAYOUT) else HIPBLAS_STATUS_INVALID_VALUE


cdef public hipblasStatus_t hipblasLtMatrixLayoutSetAttribute(
    hipblasLtMatrixLayout_t matLayout, int attr, const void *buf, size_t sizeInBytes
) noexcept nogil:
    if matLayout == NULL or matLayout.kind != HL_LAYOUT:
        return HIPBLAS_STATUS_NOT_INITIALIZED
    if buf == NULL:
        return HIPBLAS_STATUS_INVALID_VALUE
    if attr == HIPBLASLT_MATRIX_LAYOUT_BATCH_COUNT:
        return take(&matLayout.batch, sizeof(int32_t), buf, sizeInBytes)
    if attr == HIPBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET:
        return take(&matLayout.stride, sizeof(int64_t), buf, sizeInBytes)
    if attr == HIPBLASLT_MATRIX_LAYOUT_TYPE:
        return take(&matLayout.type, sizeof(int32_t), buf, sizeInBytes)
    if attr == HIPBLASLT_MATRIX_LAYOUT_ORDER:
        return take(&matLayout.order, sizeof(int32_t), buf, sizeInBytes)
    if attr == HIPBLASLT_MATRIX_LAYOUT_ROWS:
        return take(&matLayout.rows, sizeof(uint64_t), buf, sizeInBytes)
    if attr == HIPBLASLT_MATRIX_LAYOUT_COLS:
        return take(&matLayout.cols, sizeof(uint64_t), buf, sizeInBytes)
    if attr == HIPBLASLT_MATRIX_LAYOUT_LD:
        return take(&matLayout.ld, sizeof(int64_t), buf, sizeInBytes)
    return HIPBLAS_STATUS_INVALID_VALUE


# ---- products

cdef public hipblasStatus_t hipblasLtMatmulDescCreate(
    hipblasLtMatmulDesc_t *matmulDesc, int computeType, int scaleType
) noexcept nogil:
    """Pedantic and 16-bit compute types are none of hipBLASLt's, nor are factors of other types."""
    if matmulDesc == NULL:
        return HIPBLAS_STATUS_INVALID_VALUE
    matmulDesc[0] = NULL
    if (computeType != HIPBLAS_COMPUTE_32F and computeType != HIPBLAS_COMPUTE_32F_FAST_16F
            and computeType != HIPBLAS_COMPUTE_32F_FAST_16BF and computeType != HIPBLAS_COMPUTE_32F_FAST_TF32
            and computeType != HIPBLAS_COMPUTE_64F and computeType != HIPBLAS_COMPUTE_32I):
        return HIPBLAS_STATUS_INVALID_VALUE
    if scaleType != HIP_R_32F and scaleType != HIP_R_64F and scaleType != HIP_R_32I:
        return HIPBLAS_STATUS_INVALID_VALUE
    if not make(<void **>matmulDesc, HL_MATMUL, sizeof(hl_matmul)):
        return HIPBLAS_STATUS_ALLOC_FAILED
    matmulDesc[0].compute = computeType
    matmulDesc[0].scale = scaleType
    matmulDesc[0].opa = HIPBLAS_OP_N
    matmulDesc[0].opb = HIPBLAS_OP_N
    matmulDesc[0].epilogue = HIPBLASLT_EPILOGUE_DEFAULT
    matmulDesc[0].bias_type = HL_NO_TYPE
    matmulDesc[0].aux_type = HL_NO_TYPE
    return HIPBLAS_STATUS_SUCCESS


cdef public hipblasStatus_t hipblasLtMatmulDescDestroy(const hl_matmul *matmulDesc) noexcept nogil:
    return HIPBLAS_STATUS_SUCCESS if drop(<void *>matmulDesc, HL_MATMUL) else HIPBLAS_STATUS_INVALID_VALUE


cdef public hipblasStatus_t hipblasLtMatmulDescSetAttribute(
    hipblasLtMatmulDesc_t matmulDesc, int attr, const void *buf, size_t sizeInBytes
) noexcept nogil:
    cdef hipblasLtMatmulDesc_t d = matmulDesc
    if d == NULL or d.kind != HL_MATMUL:
        return HIPBLAS_STATUS_NOT_INITIALIZED
    if buf == NULL:
        return HIPBLAS_STATUS_INVALID_VALUE
    if attr == HIPBLASLT_MATMUL_DESC_TRANSA:
        return take(&d.opa, sizeof(int32_t), buf, sizeInBytes)
    if attr == HIPBLASLT_MATMUL_DESC_TRANSB:
        return take(&d.opb, sizeof(int32_t), buf, sizeInBytes)
    if attr == HIPBLASLT_MATMUL_DESC_EPILOGUE:
        return take(&d.epilogue, sizeof(uint32_t), buf, sizeInBytes)
    if attr == HIPBLASLT_MATMUL_DESC_BIAS_POINTER:
        return take(&d.bias, sizeof(void *), buf, sizeInBytes)
    if attr == HIPBLASLT_MATMUL_DESC_BIAS_DATA_TYPE:
        return take(&d.bias_type, sizeof(int32_t), buf, sizeInBytes)
    if attr == HIPBLASLT_MATMUL_DESC_A_SCALE_POINTER:
        return take(&d.scale_a, sizeof(void *), buf, sizeInBytes)
    if attr == HIPBLASLT_MATMUL_DESC_B_SCALE_POINTER:
        return take(&d.scale_b, sizeof(void *), buf, sizeInBytes)
    if attr == HIPBLASLT_MATMUL_DESC_C_SCALE_POINTER:
        return take(&d.scale_c, sizeof(void *), buf, sizeInBytes)
    if attr == HIPBLASLT_MATMUL_DESC_D_SCALE_POINTER:
        return take(&d.scale_d, sizeof(void *), buf, sizeInBytes)
    if attr == HIPBLASLT_MATMUL_DESC_AMAX_D_POINTER:
        return take(&d.amax, sizeof(void *), buf, sizeInBytes)
    if attr == HIPBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER:
        return take(&d.aux, sizeof(void *), buf, sizeInBytes)
    if attr == HIPBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD:
        return take(&d.aux_ld, sizeof(int64_t), buf, sizeInBytes)
    if attr == HIPBLASLT_MATMUL_DESC_EPILOGUE_AUX_BATCH_STRIDE:
        return take(&d.aux_stride, sizeof(int64_t), buf, sizeInBytes)
    if attr == HIPBLASLT_MATMUL_DESC_EPILOGUE_AUX_DATA_TYPE:
        return take(&d.aux_type, sizeof(int32_t), buf, sizeInBytes)
    if attr == HIPBLASLT_MATMUL_DESC_POINTER_MODE:
        return take(&d.pointer_mode, sizeof(int32_t), buf, sizeInBytes)
    if attr == HIPBLASLT_MATMUL_DESC_A_SCALE_MODE:
        return take(&d.a_mode, sizeof(int32_t), buf, sizeInBytes)
    if attr == HIPBLASLT_MATMUL_DESC_B_SCALE_MODE:
        return take(&d.b_mode, sizeof(int32_t), buf, sizeInBytes)
    return HIPBLAS_STATUS_INVALID_VALUE


# ---- preferences

cdef public hipblasStatus_t hipblasLtMatmulPreferenceCreate(hipblasLtMatmulPreference_t *pref) noexcept nogil:
    if pref == NULL:
        return HIPBLAS_STATUS_NOT_INITIALIZED
    if make(<void **>pref, HL_PREFERENCE, sizeof(hl_preference)):
        return HIPBLAS_STATUS_SUCCESS
    return HIPBLAS_STATUS_ALLOC_FAILED


cdef public hipblasStatus_t hipblasLtMatmulPreferenceDestroy(const hl_preference *pref) noexcept nogil:
    return HIPBLAS_STATUS_SUCCESS if drop(<void *>pref, HL_PREFERENCE) else HIPBLAS_STATUS_INVALID_VALUE


cdef public hipblasStatus_t hipblasLtMatmulPreferenceSetAttribute(
    hipblasLtMatmulPreference_t pref, int attr, const void *buf, size_t sizeInBytes
) noexcept nogil:
    if pref == NULL or pref.kind != HL_PREFERENCE or buf == NULL:
        return HIPBLAS_STATUS_INVALID_VALUE
    if attr == HIPBLASLT_MATMUL_PREF_SEARCH_MODE:
        return take(&pref.search, sizeof(uint32_t), buf, sizeInBytes)
    if attr == HIPBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES:
        return take(&pref.workspace, sizeof(uint64_t), buf, sizeInBytes)
    return HIPBLAS_STATUS_INVALID_VALUE


# ---- transforms

cdef public hipblasStatus_t hipblasLtMatrixTransformDescCreate(
    hipblasLtMatrixTransformDesc_t *transformDesc, int scaleType
) noexcept nogil:
    if transformDesc == NULL:
        return HIPBLAS_STATUS_INVALID_VALUE
    if not make(<void **>transformDesc, HL_TRANSFORM, sizeof(hl_transform)):
        return HIPBLAS_STATUS_ALLOC_FAILED
    transformDesc[0].scale = scaleType
    transformDesc[0].opa = HIPBLAS_OP_N
    transformDesc[0].opb = HIPBLAS_OP_N
    return HIPBLAS_STATUS_SUCCESS


cdef public hipblasStatus_t hipblasLtMatrixTransformDescDestroy(
    hipblasLtMatrixTransformDesc_t transformDesc
) noexcept nogil:
    return HIPBLAS_STATUS_SUCCESS if drop(transformDesc, HL_TRANSFORM) else HIPBLAS_STATUS_INVALID_VALUE


cdef public hipblasStatus_t hipblasLtMatrixTransformDescSetAttribute(
    hipblasLtMatrixTransformDesc_t transformDesc, int attr, const void *buf, size_t sizeInBytes
) noexcept nogil:
    if transformDesc == NULL or transformDesc.kind != HL_TRANSFORM or buf == NULL:
        return HIPBLAS_STATUS_INVALID_VALUE
    if attr == HIPBLASLT_MATRIX_TRANSFORM_DESC_SCALE_TYPE:
        return take(&transformDesc.scale, sizeof(int32_t), buf, sizeInBytes)
    if attr == HIPBLASLT_MATRIX_TRANSFORM_DESC_POINTER_MODE:
        return take(&transformDesc.pointer_mode, sizeof(int32_t), buf, sizeInBytes)
    if attr == HIPBLASLT_MATRIX_TRANSFORM_DESC_TRANSA:
        return take(&transformDesc.opa, sizeof(int32_t), buf, sizeInBytes)
    if attr == HIPBLASLT_MATRIX_TRANSFORM_DESC_TRANSB:
        return take(&transformDesc.opb, sizeof(int32_t), buf, sizeInBytes)
    return HIPBLAS_STATUS_INVALID_VALUE
