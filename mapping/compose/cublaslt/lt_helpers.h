/* What the cuBLASLt helper blocks need from C. */
#ifndef DRAGOMAN_CUBLASLT_HELPERS_H
#define DRAGOMAN_CUBLASLT_HELPERS_H
#include "cublas/handles.h"
static inline const char *lt_status_text(uint32_t status) { return cublas_status_text(status); }
static inline int lt_logger(int on, const char *file) {
    return dg_the_core ? dg_the_core->configure_logger(on, 0, 0, file) : 0;
}
#endif
