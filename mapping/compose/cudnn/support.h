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
#endif
