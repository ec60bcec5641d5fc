# Types as arguments: elements of them, their sizes, and rocBLAS's functions of one type, which do the work
# where they can.

cdef extern from "types.h" nogil:
    int64_t rb_size(int type)
    bint rb_is(int type, const void *scalar, int value)
    void rb_clear(int type, void *scalar)
    rocblas_status rocblas_sgemm_64(rocblas_handle handle, int transa, int transb, int64_t m, int64_t n, int64_t k,
                                    const void *alpha, const void *a, int64_t lda, const void *b, int64_t ldb,
                                    const void *beta, void *c, int64_t ldc)
    rocblas_status rocblas_dgemm_64(rocblas_handle handle, int transa, int transb, int64_t m, int64_t n, int64_t k,
                                    const void *alpha, const void *a, int64_t lda, const void *b, int64_t ldb,
                                    const void *beta, void *c, int64_t ldc)
    rocblas_status rocblas_cgemm_64(rocblas_handle handle, int transa, int transb, int64_t m, int64_t n, int64_t k,
                                    const void *alpha, const void *a, int64_t lda, const void *b, int64_t ldb,
                                    const void *beta, void *c, int64_t ldc)
    rocblas_status rocblas_zgemm_64(rocblas_handle handle, int transa, int transb, int64_t m, int64_t n, int64_t k,
                                    const void *alpha, const void *a, int64_t lda, const void *b, int64_t ldb,
                                    const void *beta, void *c, int64_t ldc)
    rocblas_status rocblas_saxpy_64(rocblas_handle handle, int64_t n, const void *alpha, const void *x, int64_t incx,
                                    void *y, int64_t incy)
    rocblas_status rocblas_daxpy_64(rocblas_handle handle, int64_t n, const void *alpha, const void *x, int64_t incx,
                                    void *y, int64_t incy)
    rocblas_status rocblas_caxpy_64(rocblas_handle handle, int64_t n, const void *alpha, const void *x, int64_t incx,
                                    void *y, int64_t incy)
    rocblas_status rocblas_zaxpy_64(rocblas_handle handle, int64_t n, const void *alpha, const void *x, int64_t incx,
                                    void *y, int64_t incy)
    rocblas_status rocblas_sscal_64(rocblas_handle handle, int64_t n, const void *alpha, void *x, int64_t incx)
    rocblas_status rocblas_dscal_64(rocblas_handle handle, int64_t n, const void *alpha, void *x, int64_t incx)
    rocblas_status rocblas_cscal_64(rocblas_handle handle, int64_t n, const void *alpha, void *x, int64_t incx)
    rocblas_status rocblas_zscal_64(rocblas_handle handle, int64_t n, const void *alpha, void *x, int64_t incx)
    rocblas_status rocblas_csscal_64(rocblas_handle handle, int64_t n, const void *alpha, void *x, int64_t incx)
    rocblas_status rocblas_zdscal_64(rocblas_handle handle, int64_t n, const void *alpha, void *x, int64_t incx)
    rocblas_status rocblas_sdot_64(rocblas_handle handle, int64_t n, const void *x, int64_t incx, const void *y,
                                   int64_t incy, void *result)
    rocblas_status rocblas_ddot_64(rocblas_handle handle, int64_t n, const void *x, int64_t incx, const void *y,
                                   int64_t incy, void *result)
    rocblas_status rocblas_cdotu_64(rocblas_handle handle, int64_t n, const void *x, int64_t incx, const void *y,
                                    int64_t incy, void *result)
    rocblas_status rocblas_zdotu_64(rocblas_handle handle, int64_t n, const void *x, int64_t incx, const void *y,
                                    int64_t incy, void *result)
    rocblas_status rocblas_cdotc_64(rocblas_handle handle, int64_t n, const void *x, int64_t incx, const void *y,
                                    int64_t incy, void *result)
    rocblas_status rocblas_zdotc_64(rocblas_handle handle, int64_t n, const void *x, int64_t incx, const void *y,
                                    int64_t incy, void *result)
    rocblas_status rocblas_snrm2_64(rocblas_handle handle, int64_t n, const void *x, int64_t incx, void *result)
    rocblas_status rocblas_dnrm2_64(rocblas_handle handle, int64_t n, const void *x, int64_t incx, void *result)
    rocblas_status rocblas_scnrm2_64(rocblas_handle handle, int64_t n, const void *x, int64_t incx, void *result)
    rocblas_status rocblas_dznrm2_64(rocblas_handle handle, int64_t n, const void *x, int64_t incx, void *result)
    rocblas_status rocblas_srot_64(rocblas_handle handle, int64_t n, void *x, int64_t incx, void *y, int64_t incy,
                                   const void *c, const void *s)
    rocblas_status rocblas_drot_64(rocblas_handle handle, int64_t n, void *x, int64_t incx, void *y, int64_t incy,
                                   const void *c, const void *s)
    rocblas_status rocblas_crot_64(rocblas_handle handle, int64_t n, void *x, int64_t incx, void *y, int64_t incy,
                                   const void *c, const void *s)
    rocblas_status rocblas_zrot_64(rocblas_handle handle, int64_t n, void *x, int64_t incx, void *y, int64_t incy,
                                   const void *c, const void *s)
    rocblas_status rocblas_csrot_64(rocblas_handle handle, int64_t n, void *x, int64_t incx, void *y, int64_t incy,
                                    const void *c, const void *s)
    rocblas_status rocblas_zdrot_64(rocblas_handle handle, int64_t n, void *x, int64_t incx, void *y, int64_t incy,
                                    const void *c, const void *s)
