# A convolution taken apart; see support.h for what the fields mean.

cdef extern from "support.h" nogil:
    enum:
        DNN_FORWARD
        DNN_BACKWARD_DATA
        DNN_BACKWARD_FILTER
    ctypedef struct dnn_work:
        int32_t direction
        int32_t flip
        int32_t unrolled
        int32_t format
        int32_t taps
        dnn_convolution conv
        dnn_tensor[3] given
        dnn_tensor[3] own
        int32_t[3] copied
