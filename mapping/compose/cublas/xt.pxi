# cuBLASXt: its handle, and the way from each function to the routine that computes it (xt_work.pyx). Block names are
# those of tables/cublas/xt.yaml.

cdef extern from "xt.h" nogil:
    enum:
        DG_XT
        XT_BLOCK
        XT_BOARDS
        XT_S
        XT_D
        XT_C
        XT_Z
        XT_SYRK
        XT_SYR2K
        XT_SYRKX
        XT_SYMMETRIC
        XT_HERMITIAN
        XT_PACKED
    ctypedef struct dg_xt:
        uint32_t magic
        int32_t device
        void *blas
        int32_t block
        uint32_t pinning
        void *memory
        size_t memory_size
    void xt_lock(dg_xt *h)
    void xt_unlock(dg_xt *h)
    cublasStatus_t xt_open(dg_xt *h, int device)
    void xt_close(dg_xt *h)
    cublasStatus_t xt_multiply(dg_xt *h, int type, uint32_t transa, uint32_t transb, size_t m, size_t n, size_t k,
                               const void *alpha, const void *A, size_t lda, const void *B, size_t ldb,
                               const void *beta, void *C, size_t ldc)
    cublasStatus_t xt_sided(dg_xt *h, int type, int storage, uint32_t side, uint32_t uplo, size_t m, size_t n,
                            const void *alpha, const void *A, size_t lda, const void *B, size_t ldb, const void *beta,
                            void *C, size_t ldc)
    cublasStatus_t xt_rank(dg_xt *h, int type, int update, int hermitian, uint32_t uplo, uint32_t trans, size_t n,
                           size_t k, const void *alpha, const void *A, size_t lda, const void *B, size_t ldb,
                           const void *beta, void *C, size_t ldc)
    cublasStatus_t xt_triangle_times(dg_xt *h, int type, uint32_t side, uint32_t uplo, uint32_t trans, uint32_t diag,
                                     size_t m, size_t n, const void *alpha, const void *A, size_t lda, const void *B,
                                     size_t ldb, void *C, size_t ldc)
    cublasStatus_t xt_solve(dg_xt *h, int type, uint32_t side, uint32_t uplo, uint32_t trans, uint32_t diag, size_t m,
                            size_t n, const void *alpha, const void *A, size_t lda, void *B, size_t ldb)

ctypedef fused number:  # an element of the four types
    float
    double
    cuComplex
    cuDoubleComplex


cdef inline int xt_type_of(const number *element) noexcept nogil:
    if number is float:
        return XT_S
    elif number is double:
        return XT_D
    elif number is cuComplex:
        return XT_C
    else:
        return XT_Z


# ---- handles

cdef inline cublasStatus_t xt_create(cublasXtHandle_t *handle) noexcept nogil:
    """No device is looked at before cublasXtDeviceSelect."""
    cdef void *slot
    cdef int reason
    if handle is NULL:
        return CUBLAS_STATUS_INVALID_VALUE
    reason = dg_need("rocblas")
    if reason != DG_OK:
        return status_of_reason(reason)
    slot = dg_the_core.slot_new(DG_XT)
    if slot is NULL:
        return CUBLAS_STATUS_ALLOC_FAILED
    handle[0] = <cublasXtHandle_t>slot
    return CUBLAS_STATUS_SUCCESS


cdef inline cublasStatus_t xt_destroy(dg_xt *h) noexcept nogil:
    """At the end of the process AMD's library may be gone: the destroy succeeds and calls nothing."""
    cdef int reason
    if h is NULL:
        return CUBLAS_STATUS_INVALID_VALUE
    reason = dg_admit(h, DG_XT)
    if reason == DG_CLOSING:
        return CUBLAS_STATUS_SUCCESS
    if reason == DG_OK:
        reason = dg_the_core.slot_retire(h, DG_XT)
    if reason != DG_OK:
        return status_of_reason(reason)
    xt_lock(h)  # a call of another thread may still be at work
    xt_close(h)
    xt_unlock(h)
    dg_the_core.slot_free(h)
    return CUBLAS_STATUS_SUCCESS


cdef inline bint xt_are_devices(int count, const int *ids) noexcept nogil:
    cdef int there = 0, i
    if dg_hip.hipGetDeviceCount(&there) != 0:
        return False
    for i in range(count):
        if ids[i] < 0 or ids[i] >= there:
            return False
    return True


cdef inline cublasStatus_t xt_select(dg_xt *h, int count, int *ids) noexcept nogil:
    """Once in a handle's life, as with NVIDIA's."""
    cdef cublasStatus_t status
    if h is NULL or h.blas is not NULL or count < 1 or ids is NULL:
        return CUBLAS_STATUS_INVALID_VALUE
    if not xt_are_devices(count, ids):
        return CUBLAS_STATUS_INTERNAL_ERROR
    xt_lock(h)
    status = CUBLAS_STATUS_INVALID_VALUE if h.blas is not NULL else xt_open(h, ids[0])
    xt_unlock(h)
    return status


cdef inline cublasStatus_t xt_boards(int count, int *ids, int *boards) noexcept nogil:
    """Each device is a board of its own; one that is named twice counts once."""
    cdef int i, j
    if boards is NULL or ids is NULL:
        return CUBLAS_STATUS_INVALID_VALUE
    if count < 0:
        return CUBLAS_STATUS_ALLOC_FAILED
    if not xt_are_devices(count, ids):
        return CUBLAS_STATUS_INVALID_VALUE
    boards[0] = 0
    for i in range(count):
        for j in range(i):
            if ids[j] == ids[i]:
                break
        else:
            boards[0] += 1
    return CUBLAS_STATUS_SUCCESS


cdef inline cublasStatus_t xt_most_boards(int *boards) noexcept nogil:
    if boards is NULL:
        return CUBLAS_STATUS_INVALID_VALUE
    boards[0] = XT_BOARDS
    return CUBLAS_STATUS_SUCCESS


cdef inline cublasStatus_t xt_set_block(dg_xt *h, int order) noexcept nogil:
    if h is NULL or order < 1:
        return CUBLAS_STATUS_INVALID_VALUE
    h.block = order
    return CUBLAS_STATUS_SUCCESS


cdef inline cublasStatus_t xt_get_block(dg_xt *h, int *order) noexcept nogil:
    if h is NULL or order is NULL:
        return CUBLAS_STATUS_INVALID_VALUE
    order[0] = h.block if h.block > 0 else XT_BLOCK
    return CUBLAS_STATUS_SUCCESS


cdef inline cublasStatus_t xt_set_pinning(dg_xt *h, cublasXtPinnedMemMode_t mode) noexcept nogil:
    if h is NULL or <uint32_t>mode > CUBLASXT_PINNING_ENABLED:
        return CUBLAS_STATUS_INVALID_VALUE
    h.pinning = <uint32_t>mode
    return CUBLAS_STATUS_SUCCESS


cdef inline cublasStatus_t xt_get_pinning(dg_xt *h, cublasXtPinnedMemMode_t *mode) noexcept nogil:
    if h is NULL or mode is NULL:
        return CUBLAS_STATUS_INVALID_VALUE
    mode[0] = <cublasXtPinnedMemMode_t>h.pinning
    return CUBLAS_STATUS_SUCCESS


cdef inline cublasStatus_t xt_shared_routine(dg_xt *h, cublasXtBlasOp_t routine, cublasXtOpType_t type) noexcept nogil:
    """NVIDIA's library takes gemm of all types and the Hermitian routines, though its manual speaks of gemm alone."""
    if h is NULL or <uint32_t>routine >= CUBLASXT_ROUTINE_MAX or <uint32_t>type > CUBLASXT_DOUBLECOMPLEX:
        return CUBLAS_STATUS_INVALID_VALUE
    if routine == CUBLASXT_GEMM:
        return CUBLAS_STATUS_SUCCESS
    if type < CUBLASXT_COMPLEX:
        return CUBLAS_STATUS_NOT_SUPPORTED
    if routine == CUBLASXT_HERK or routine == CUBLASXT_HEMM or routine == CUBLASXT_HER2K or routine == CUBLASXT_HERKX:
        return CUBLAS_STATUS_SUCCESS
    return CUBLAS_STATUS_NOT_SUPPORTED


cdef inline cublasStatus_t xt_set_cpu_routine(dg_xt *h, cublasXtBlasOp_t routine, cublasXtOpType_t type,
        void *call) noexcept nogil:
    return xt_shared_routine(h, routine, type)


cdef inline cublasStatus_t xt_set_cpu_ratio(dg_xt *h, cublasXtBlasOp_t routine, cublasXtOpType_t type,
        float ratio) noexcept nogil:
    """Any number is taken, by NVIDIA's too."""
    return xt_shared_routine(h, routine, type)


# ---- routines

cdef inline cublasStatus_t xt_gemm(
    dg_xt *h, cublasOperation_t transa, cublasOperation_t transb, size_t m, size_t n, size_t k, const number *alpha,
    const number *A, size_t lda, const number *B, size_t ldb, const number *beta, number *C, size_t ldc
) noexcept nogil:
    return xt_multiply(h, xt_type_of(A), transa, transb, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc)


cdef inline cublasStatus_t xt_symm(
    dg_xt *h, cublasSideMode_t side, cublasFillMode_t uplo, size_t m, size_t n, const number *alpha, const number *A,
    size_t lda, const number *B, size_t ldb, const number *beta, number *C, size_t ldc
) noexcept nogil:
    return xt_sided(h, xt_type_of(A), XT_SYMMETRIC, side, uplo, m, n, alpha, A, lda, B, ldb, beta, C, ldc)


cdef inline cublasStatus_t xt_hemm(
    dg_xt *h, cublasSideMode_t side, cublasFillMode_t uplo, size_t m, size_t n, const number *alpha, const number *A,
    size_t lda, const number *B, size_t ldb, const number *beta, number *C, size_t ldc
) noexcept nogil:
    return xt_sided(h, xt_type_of(A), XT_HERMITIAN, side, uplo, m, n, alpha, A, lda, B, ldb, beta, C, ldc)


cdef inline cublasStatus_t xt_spmm(
    dg_xt *h, cublasSideMode_t side, cublasFillMode_t uplo, size_t m, size_t n, const number *alpha, const number *AP,
    const number *B, size_t ldb, const number *beta, number *C, size_t ldc
) noexcept nogil:
    return xt_sided(h, xt_type_of(AP), XT_PACKED, side, uplo, m, n, alpha, AP, 0, B, ldb, beta, C, ldc)


cdef inline cublasStatus_t xt_syrk(
    dg_xt *h, cublasFillMode_t uplo, cublasOperation_t trans, size_t n, size_t k, const number *alpha, const number *A,
    size_t lda, const number *beta, number *C, size_t ldc
) noexcept nogil:
    return xt_rank(h, xt_type_of(A), XT_SYRK, 0, uplo, trans, n, k, alpha, A, lda, A, lda, beta, C, ldc)


cdef inline cublasStatus_t xt_herk(
    dg_xt *h, cublasFillMode_t uplo, cublasOperation_t trans, size_t n, size_t k, const void *alpha, const number *A,
    size_t lda, const void *beta, number *C, size_t ldc
) noexcept nogil:
    return xt_rank(h, xt_type_of(A), XT_SYRK, 1, uplo, trans, n, k, alpha, A, lda, A, lda, beta, C, ldc)


cdef inline cublasStatus_t xt_syr2k(
    dg_xt *h, cublasFillMode_t uplo, cublasOperation_t trans, size_t n, size_t k, const number *alpha, const number *A,
    size_t lda, const number *B, size_t ldb, const number *beta, number *C, size_t ldc
) noexcept nogil:
    return xt_rank(h, xt_type_of(A), XT_SYR2K, 0, uplo, trans, n, k, alpha, A, lda, B, ldb, beta, C, ldc)


cdef inline cublasStatus_t xt_her2k(
    dg_xt *h, cublasFillMode_t uplo, cublasOperation_t trans, size_t n, size_t k, const number *alpha, const number *A,
    size_t lda, const number *B, size_t ldb, const void *beta, number *C, size_t ldc
) noexcept nogil:
    return xt_rank(h, xt_type_of(A), XT_SYR2K, 1, uplo, trans, n, k, alpha, A, lda, B, ldb, beta, C, ldc)


cdef inline cublasStatus_t xt_syrkx(
    dg_xt *h, cublasFillMode_t uplo, cublasOperation_t trans, size_t n, size_t k, const number *alpha, const number *A,
    size_t lda, const number *B, size_t ldb, const number *beta, number *C, size_t ldc
) noexcept nogil:
    return xt_rank(h, xt_type_of(A), XT_SYRKX, 0, uplo, trans, n, k, alpha, A, lda, B, ldb, beta, C, ldc)


cdef inline cublasStatus_t xt_herkx(
    dg_xt *h, cublasFillMode_t uplo, cublasOperation_t trans, size_t n, size_t k, const number *alpha, const number *A,
    size_t lda, const number *B, size_t ldb, const void *beta, number *C, size_t ldc
) noexcept nogil:
    return xt_rank(h, xt_type_of(A), XT_SYRKX, 1, uplo, trans, n, k, alpha, A, lda, B, ldb, beta, C, ldc)


cdef inline cublasStatus_t xt_trmm(
    dg_xt *h, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag, size_t m,
    size_t n, const number *alpha, const number *A, size_t lda, const number *B, size_t ldb, number *C, size_t ldc
) noexcept nogil:
    return xt_triangle_times(h, xt_type_of(A), side, uplo, trans, diag, m, n, alpha, A, lda, B, ldb, C, ldc)


cdef inline cublasStatus_t xt_trsm(
    dg_xt *h, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag, size_t m,
    size_t n, const number *alpha, const number *A, size_t lda, number *B, size_t ldb
) noexcept nogil:
    return xt_solve(h, xt_type_of(A), side, uplo, trans, diag, m, n, alpha, A, lda, B, ldb)
