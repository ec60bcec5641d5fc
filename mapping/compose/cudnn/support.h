/* Pieces that the blocks of cuDNN share; each is in the .pyx of its section's name. */
#ifndef DRAGOMAN_CUDNN_SUPPORT_H
#define DRAGOMAN_CUDNN_SUPPORT_H
#include "slots.h"

DG_HIDDEN uint64_t dnn_thread(void); /* a number of the calling thread's */

/* ---- say: slots, texts of errors, the program's callback */
DG_HIDDEN uint32_t dnn_new(void **place, uint32_t magic);   /* a Create function */
DG_HIDDEN uint32_t dnn_delete(void *slot, uint32_t magic);  /* a Destroy function; NULL is nothing to do */
DG_HIDDEN void dnn_last_text(char *message, size_t size);
DG_HIDDEN void dnn_set_callback(uint32_t mask, void *udata, void *call);
DG_HIDDEN void dnn_get_callback(uint32_t *mask, void **udata, void **call);

/* ---- shapes: types and strides */
DG_HIDDEN int dnn_type_bytes(int type);   /* bytes of an element, 0 where the type is none of this version */
DG_HIDDEN int dnn_type_vector(int type);  /* elements side by side: 4, 32 or 1 */
DG_HIDDEN void dnn_pack(int format, int type, int count, const int32_t *dim, int32_t *stride);
DG_HIDDEN uint32_t dnn_convolved(dnn_convolution *d, dnn_tensor *x, dnn_filter *w, int *out); /* the output's sizes */

/* ---- work: memory of a handle's own */
DG_HIDDEN void dnn_stream_left(dnn_handle *h);    /* the handle goes on to another stream */
DG_HIDDEN void *dnn_scratch(dnn_handle *h, size_t bytes);
DG_HIDDEN void dnn_handle_emptied(dnn_handle *h); /* a destroy frees what the handle owns */

/* ---- blas: matrix products, row by row; NULL or a status: the reason is told */
DG_HIDDEN void *dnn_blas(dnn_handle *h); /* rocblas_handle on the handle's stream */
DG_HIDDEN uint32_t dnn_gemm(dnn_handle *h, int type, int turns_a, int turns_b, int64_t m, int64_t n, int64_t k, double alpha,
                            const void *a, int64_t lda, int64_t next_a, const void *b, int64_t ldb, int64_t next_b,
                            double beta, void *c, int64_t ldc, int64_t next_c, int count);

/* ---- cache: MIOpen's descriptors by content; NULL where there is none, and the reason is told (`dnn_because`) */
DG_HIDDEN void *dnn_amd_shape(dnn_handle *h, int type, int count, const int32_t *dim, const int32_t *stride);
DG_HIDDEN void *dnn_amd_tensor(dnn_handle *h, dnn_tensor *d);
DG_HIDDEN void *dnn_amd_filter(dnn_handle *h, dnn_filter *d);
DG_HIDDEN void *dnn_amd_convolution(dnn_handle *h, dnn_convolution *d);
DG_HIDDEN void *dnn_amd_pooling(dnn_handle *h, dnn_pooling *d);
DG_HIDDEN void *dnn_amd_activation(dnn_handle *h, int mode, double alpha, double beta, double gamma);
DG_HIDDEN void *dnn_amd_lrn(dnn_handle *h, int mode, uint32_t n, double alpha, double beta, double k);
DG_HIDDEN void *dnn_amd_reduce(dnn_handle *h, int op, int type, int nan, int indices, int index_type);
DG_HIDDEN void *dnn_amd_ctc(dnn_handle *h, int softmax);
DG_HIDDEN void dnn_ring_emptied(dnn_handle *h);

/* ---- blend: any alpha and beta. The factors are doubles here; `dnn_factor` reads them as the caller gave them. */
DG_HIDDEN double dnn_factor(int type, const void *factor);
DG_HIDDEN size_t dnn_bytes(const dnn_tensor *d); /* from the first element to the last */
DG_HIDDEN void dnn_merge(int count, dnn_tensor **given, dnn_tensor *merged); /* fewer dimensions */
DG_HIDDEN uint32_t dnn_scale(dnn_handle *h, dnn_tensor *d, double alpha, void *y);
DG_HIDDEN uint32_t dnn_copy(dnn_handle *h, dnn_tensor *xd, const void *x, dnn_tensor *yd, void *y);
DG_HIDDEN uint32_t dnn_op_tensor(dnn_handle *h, int op, double a, dnn_tensor *ad, const void *A, double b, dnn_tensor *bd,
                                 const void *B, double beta, dnn_tensor *cd, void *C);
DG_HIDDEN void *dnn_raw(dnn_handle *h, double beta, const dnn_tensor *d, void *y);
DG_HIDDEN uint32_t dnn_blended(dnn_handle *h, double alpha, void *raw, double beta, dnn_tensor *d, void *y);
#endif
