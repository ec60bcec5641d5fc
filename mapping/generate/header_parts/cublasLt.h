/* Objects in the program's own memory: nothing to free, nothing allocated. */
static __inline__ cublasStatus_t cublasLtMatrixLayoutInit(cublasLtMatrixLayout_t matLayout, cudaDataType type,
                                                          uint64_t rows, uint64_t cols, int64_t ld) {
    return cublasLtMatrixLayoutInit_internal(matLayout, sizeof(*matLayout), type, rows, cols, ld);
}

static __inline__ cublasStatus_t cublasLtMatmulDescInit(cublasLtMatmulDesc_t matmulDesc,
                                                        cublasComputeType_t computeType, cudaDataType_t scaleType) {
    return cublasLtMatmulDescInit_internal(matmulDesc, sizeof(*matmulDesc), computeType, scaleType);
}

static __inline__ cublasStatus_t cublasLtMatrixTransformDescInit(cublasLtMatrixTransformDesc_t transformDesc,
                                                                 cudaDataType scaleType) {
    return cublasLtMatrixTransformDescInit_internal(transformDesc, sizeof(*transformDesc), scaleType);
}

static __inline__ cublasStatus_t cublasLtMatmulPreferenceInit(cublasLtMatmulPreference_t pref)
{
    return cublasLtMatmulPreferenceInit_internal(pref, sizeof(*pref));
}

#if CUBLAS_VERSION >= 131000
static __inline__ cublasStatus_t cublasLtEmulationDescInit(cublasLtEmulationDesc_t emulationDesc)
{
    return cublasLtEmulationDescInit_internal(emulationDesc, sizeof(*emulationDesc));
}

static __inline__ cublasStatus_t cublasLtGroupedMatrixLayoutInit(cublasLtMatrixLayout_t matLayout, cudaDataType type,
                                                                 int groupCount, const void *rows_array,
                                                                 const void *cols_array, const void *ld_array) {
    return cublasLtGroupedMatrixLayoutInit_internal(matLayout, sizeof(*matLayout), type, groupCount, rows_array,
                                                    cols_array, ld_array);
}
#endif
