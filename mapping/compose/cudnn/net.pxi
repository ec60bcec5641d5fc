# One call of a recurrent network (support.h).

cdef extern from "support.h" nogil:
    ctypedef struct dnn_net:
        dnn_handle *h
        dnn_rnn *d
        int32_t type
        int32_t input
        int32_t batch
        int32_t steps
        int32_t training
        int32_t stepwise
        const int32_t *batches
        dnn_dropout *drops
        void *rnn
        void *one
        void *state
        void *x
        void *y
        void **xs
        void **ys
        const dnn_rows *xd
        const dnn_rows *yd
        size_t weights
        size_t states
        size_t amd_work
        size_t amd_reserve
        size_t work
        size_t reserve
        size_t x_bytes
        size_t y_bytes


cdef inline int gates_of(const dnn_rnn *d) noexcept nogil:
    return 4 if d.cell == CUDNN_LSTM else 3 if d.cell == CUDNN_GRU else 1
