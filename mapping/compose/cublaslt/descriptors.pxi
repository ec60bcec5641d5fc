# Opaque objects: made, set, read, freed. Block names are those of tables/cublaslt/descriptors.yaml.
include "objects.pxi"


cdef inline cublasStatus_t init_object(void *object, size_t size, const lt_kind *kind) noexcept nogil:
    return <cublasStatus_t>lt_init(object, size, kind)


cdef inline cublasStatus_t create_object(void **object, const lt_kind *kind) noexcept nogil:
    cdef int reason = DG_OK
    if object is NULL:
        return CUBLAS_STATUS_INVALID_VALUE
    object[0] = lt_new(kind, &reason)
    return CUBLAS_STATUS_SUCCESS if reason == DG_OK else status_of_reason(reason)


cdef inline cublasStatus_t destroy_object(void *object, const lt_kind *kind) noexcept nogil:
    """Of two threads that destroy one object, one is refused. What lies in the program's memory is the
    program's to free."""
    if object is NULL:
        return CUBLAS_STATUS_SUCCESS  # as NVIDIA's library
    if not lt_is(object, kind):
        return CUBLAS_STATUS_INVALID_VALUE
    if dg_the_core is not NULL and dg_the_core.slot_retire(object, kind.magic) == DG_OK:
        dg_the_core.slot_free(object)
    return CUBLAS_STATUS_SUCCESS


cdef inline cublasStatus_t set_object(

    void *object, const lt_kind *kind, uint32_t attr, const void *buf, size_t size

) noexcept nogil:
    if not lt_is(object, kind):
        return CUBLAS_STATUS_INVALID_VALUE
    return <cublasStatus_t>lt_set(object, kind, attr, buf, size)


cdef inline cublasStatus_t get_object(
    const void *object, const lt_kind *kind, uint32_t attr, void *buf, size_t size, size_t *written
) noexcept nogil:
    if not lt_is(object, kind):
        return CUBLAS_STATUS_INVALID_VALUE
    return <cublasStatus_t>lt_get(object, kind, attr, buf, size, written)


cdef inline void fill_layout(void *object, cudaDataType type, uint64_t rows, uint64_t cols, int64_t ld) noexcept nogil:
    cdef lt_MatrixLayout *l = <lt_MatrixLayout *>object
    l.matrix_layout_type = <uint32_t>type
    l.matrix_layout_rows = rows
    l.matrix_layout_cols = cols
    l.matrix_layout_ld = ld


cdef inline cublasStatus_t init_layout(
    cublasLtMatrixLayout_t layout, size_t size, cudaDataType type, uint64_t rows, uint64_t cols, int64_t ld
) noexcept nogil:
    cdef cublasStatus_t status = init_object(layout, size, &lt_layouts)
    if status == CUBLAS_STATUS_SUCCESS:
        fill_layout(layout, type, rows, cols, ld)
    return status


cdef inline cublasStatus_t create_layout(
    cublasLtMatrixLayout_t *layout, cudaDataType type, uint64_t rows, uint64_t cols, int64_t ld
) noexcept nogil:
    cdef cublasStatus_t status = create_object(<void **>layout, &lt_layouts)
    if status == CUBLAS_STATUS_SUCCESS:
        fill_layout(layout[0], type, rows, cols, ld)
    return status


cdef inline void fill_matmul(void *object, cublasComputeType_t compute, cudaDataType scale) noexcept nogil:
    (<lt_MatmulDesc *>object).matmul_desc_compute_type = <int32_t>compute
    (<lt_MatmulDesc *>object).matmul_desc_scale_type = <int32_t>scale


cdef inline cublasStatus_t init_matmul(
    cublasLtMatmulDesc_t desc, size_t size, cublasComputeType_t compute, cudaDataType scale
) noexcept nogil:
    cdef cublasStatus_t status = init_object(desc, size, &lt_matmuls)
    if status == CUBLAS_STATUS_SUCCESS:
        fill_matmul(desc, compute, scale)
    return status


cdef inline cublasStatus_t create_matmul(
    cublasLtMatmulDesc_t *desc, cublasComputeType_t compute, cudaDataType scale
) noexcept nogil:
    cdef cublasStatus_t status = create_object(<void **>desc, &lt_matmuls)
    if status == CUBLAS_STATUS_SUCCESS:
        fill_matmul(desc[0], compute, scale)
    return status


cdef inline cublasStatus_t init_transform(
    cublasLtMatrixTransformDesc_t desc, size_t size, cudaDataType scale
) noexcept nogil:
    cdef cublasStatus_t status = init_object(desc, size, &lt_transforms)
    if status == CUBLAS_STATUS_SUCCESS:
        (<lt_MatrixTransformDesc *><void *>desc).matrix_transform_desc_scale_type = <int32_t>scale
    return status


cdef inline cublasStatus_t create_transform(cublasLtMatrixTransformDesc_t *desc, cudaDataType scale) noexcept nogil:
    cdef cublasStatus_t status = create_object(<void **>desc, &lt_transforms)
    if status == CUBLAS_STATUS_SUCCESS:
        (<lt_MatrixTransformDesc *><void *>desc[0]).matrix_transform_desc_scale_type = <int32_t>scale
    return status


cdef inline cublasStatus_t init_preference(cublasLtMatmulPreference_t object, size_t size) noexcept nogil:
    return init_object(object, size, &lt_preferences)


cdef inline cublasStatus_t create_preference(cublasLtMatmulPreference_t *object) noexcept nogil:
    return create_object(<void **>object, &lt_preferences)


cdef inline cublasStatus_t init_emulation(cublasLtEmulationDesc_t object, size_t size) noexcept nogil:
    return init_object(object, size, &lt_emulations)


cdef inline cublasStatus_t create_emulation(cublasLtEmulationDesc_t *object) noexcept nogil:
    return create_object(<void **>object, &lt_emulations)


# ---- one of each for each kind

cdef inline cublasStatus_t destroy_layout(cublasLtMatrixLayout_t object) noexcept nogil:
    return destroy_object(object, &lt_layouts)


cdef inline cublasStatus_t set_layout(
    cublasLtMatrixLayout_t object, cublasLtMatrixLayoutAttribute_t attr, const void *buf, size_t size
) noexcept nogil:
    return set_object(object, &lt_layouts, <uint32_t>attr, buf, size)


cdef inline cublasStatus_t get_layout(
    cublasLtMatrixLayout_t object, cublasLtMatrixLayoutAttribute_t attr, void *buf, size_t size, size_t *written
) noexcept nogil:
    return get_object(object, &lt_layouts, <uint32_t>attr, buf, size, written)


cdef inline cublasStatus_t destroy_matmul(cublasLtMatmulDesc_t object) noexcept nogil:
    return destroy_object(object, &lt_matmuls)


cdef inline cublasStatus_t set_matmul(
    cublasLtMatmulDesc_t object, cublasLtMatmulDescAttributes_t attr, const void *buf, size_t size
) noexcept nogil:
    return set_object(object, &lt_matmuls, <uint32_t>attr, buf, size)


cdef inline cublasStatus_t get_matmul(
    cublasLtMatmulDesc_t object, cublasLtMatmulDescAttributes_t attr, void *buf, size_t size, size_t *written
) noexcept nogil:
    return get_object(object, &lt_matmuls, <uint32_t>attr, buf, size, written)


cdef inline cublasStatus_t destroy_transform(cublasLtMatrixTransformDesc_t object) noexcept nogil:
    return destroy_object(object, &lt_transforms)


cdef inline cublasStatus_t set_transform(
    cublasLtMatrixTransformDesc_t object, cublasLtMatrixTransformDescAttributes_t attr, const void *buf, size_t size
) noexcept nogil:
    return set_object(object, &lt_transforms, <uint32_t>attr, buf, size)


cdef inline cublasStatus_t get_transform(
    cublasLtMatrixTransformDesc_t object, cublasLtMatrixTransformDescAttributes_t attr, void *buf, size_t size,
    size_t *written
) noexcept nogil:
    return get_object(object, &lt_transforms, <uint32_t>attr, buf, size, written)


cdef inline cublasStatus_t destroy_preference(cublasLtMatmulPreference_t object) noexcept nogil:
    return destroy_object(object, &lt_preferences)


cdef inline cublasStatus_t set_preference(
    cublasLtMatmulPreference_t object, cublasLtMatmulPreferenceAttributes_t attr, const void *buf, size_t size
) noexcept nogil:
    return set_object(object, &lt_preferences, <uint32_t>attr, buf, size)


cdef inline cublasStatus_t get_preference(
    cublasLtMatmulPreference_t object, cublasLtMatmulPreferenceAttributes_t attr, void *buf, size_t size,
    size_t *written
) noexcept nogil:
    return get_object(object, &lt_preferences, <uint32_t>attr, buf, size, written)


cdef inline cublasStatus_t destroy_emulation(cublasLtEmulationDesc_t object) noexcept nogil:
    return destroy_object(object, &lt_emulations)


cdef inline cublasStatus_t set_emulation(
    cublasLtEmulationDesc_t object, cublasLtEmulationDescAttributes_t attr, const void *buf, size_t size
) noexcept nogil:
    return set_object(object, &lt_emulations, <uint32_t>attr, buf, size)


cdef inline cublasStatus_t get_emulation(
    cublasLtEmulationDesc_t object, cublasLtEmulationDescAttributes_t attr, void *buf, size_t size, size_t *written
) noexcept nogil:
    return get_object(object, &lt_emulations, <uint32_t>attr, buf, size, written)
