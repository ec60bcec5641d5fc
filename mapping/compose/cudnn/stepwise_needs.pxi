# What stepwise.pyx and stepwise64.pyx need besides the type that they compute in.

include "generated.pxi"
include "cudnn_abi.pxi"
include "cudnn_backend.pxi"
include "cudnn_translate.pxi"
include "slots.pxi"
include "say.pxi"
include "words.pxi"
include "amd.pxi"
include "net.pxi"

from libc.stdint cimport INT32_MAX

cdef extern from "support.h" nogil:
    int DNN_WORK
    int dnn_type_bytes(int type)
    uint32_t dnn_fill(dnn_handle *h, dnn_tensor *d, double value, void *y)
    uint32_t dnn_moved(dnn_handle *h, void *work, double alpha, dnn_tensor *xd, const void *x, double beta,
                       dnn_tensor *yd, void *y)
    uint32_t dnn_dropped(dnn_handle *h, dnn_dropout *d, int back, int type, int64_t count, const void *x, void *y,
                         void *mask, void *memory)
