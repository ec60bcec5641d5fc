/* cuBLASXt: the slot behind its handle, and the routines of xt_work.pyx. */
#ifndef DRAGOMAN_CUBLAS_XT_H
#define DRAGOMAN_CUBLAS_XT_H
#include "cublas_abi.h"
#include "dragoman.h"

#define DG_XT 0x54584c42u

/* what NVIDIA's library tells: the order of tiles until another is set, the most boards */
enum { XT_BLOCK = 1024, XT_BOARDS = 1024 };
enum xt_type { XT_S, XT_D, XT_C, XT_Z };          /* cublasXtOpType_t's numbers */
enum xt_update { XT_SYRK, XT_SYR2K, XT_SYRKX };   /* or herk, her2k, herkx */
enum xt_storage { XT_SYMMETRIC, XT_HERMITIAN, XT_PACKED };

typedef struct dg_xt {
    uint32_t magic;
    int32_t device;     /* the first of those that were selected, once; without `blas` none is yet */
    void *blas;         /* its rocblas_handle, on the default stream: factors lie on the host */
    int32_t block;      /* order of the tiles; 0: as large as memory allows */
    uint32_t pinning;   /* cublasXtPinnedMemMode_t */
    void *memory;       /* on the device: three tiles. It grows and stays until the handle goes */
    size_t memory_size;
    uint64_t lock[10];  /* one call at a time: they share the memory */
} dg_xt;

DG_HIDDEN void xt_lock(dg_xt *h);
DG_HIDDEN void xt_unlock(dg_xt *h);

/* All take NVIDIA's options and answer NVIDIA's statuses. Factors are elements of the routine's type but where it says
 * real. Matrices lie anywhere that the device's copies reach. They return when the result is there. */
DG_HIDDEN cublasStatus_t xt_open(dg_xt *h, int device);
DG_HIDDEN void xt_close(dg_xt *h);
DG_HIDDEN cublasStatus_t xt_multiply(dg_xt *h, int type, uint32_t transa, uint32_t transb, size_t m, size_t n, size_t k,
                                     const void *alpha, const void *A, size_t lda, const void *B, size_t ldb,
                                     const void *beta, void *C, size_t ldc);
/* `storage` says what A is. Packed, it has no leading dimension. */
DG_HIDDEN cublasStatus_t xt_sided(dg_xt *h, int type, int storage, uint32_t side, uint32_t uplo, size_t m, size_t n,
                                  const void *alpha, const void *A, size_t lda, const void *B, size_t ldb,
                                  const void *beta, void *C, size_t ldc);
/* Hermitian: beta is real, and of herk alpha too. Of SYRK, B is A. */
DG_HIDDEN cublasStatus_t xt_rank(dg_xt *h, int type, int update, int hermitian, uint32_t uplo, uint32_t trans, size_t n,
                                 size_t k, const void *alpha, const void *A, size_t lda, const void *B, size_t ldb,
                                 const void *beta, void *C, size_t ldc);
DG_HIDDEN cublasStatus_t xt_triangle_times(dg_xt *h, int type, uint32_t side, uint32_t uplo, uint32_t trans,
                                           uint32_t diag, size_t m, size_t n, const void *alpha, const void *A,
                                           size_t lda, const void *B, size_t ldb, void *C, size_t ldc);
DG_HIDDEN cublasStatus_t xt_solve(dg_xt *h, int type, uint32_t side, uint32_t uplo, uint32_t trans, uint32_t diag,
                                  size_t m, size_t n, const void *alpha, const void *A, size_t lda, void *B,
                                  size_t ldb);
#endif
