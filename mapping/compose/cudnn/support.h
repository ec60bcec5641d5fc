/* Pieces that the blocks of cuDNN share; each is in the .pyx of its section's name. */
#ifndef DRAGOMAN_CUDNN_SUPPORT_H
#define DRAGOMAN_CUDNN_SUPPORT_H
#include <stddef.h>

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
DG_HIDDEN int dnn_captured(dnn_handle *h);        /* the handle's stream is being captured */
DG_HIDDEN void *dnn_scratch(dnn_handle *h, size_t bytes);
DG_HIDDEN void *dnn_kept(dnn_handle *h, size_t bytes); /* stays until dnn_kept_left: scratch lies behind it */
DG_HIDDEN void dnn_kept_left(dnn_handle *h);
DG_HIDDEN void *dnn_host(dnn_handle *h, int which, size_t bytes); /* of DNN_HOSTS pieces, one */
DG_HIDDEN void dnn_handle_emptied(dnn_handle *h); /* a destroy frees what the handle owns */

/* ---- blas: matrix products, row by row; NULL or a status: the reason is told */
DG_HIDDEN void *dnn_blas(dnn_handle *h); /* rocblas_handle on the handle's stream */
DG_HIDDEN uint32_t dnn_gemm(dnn_handle *h, int type, int turns_a, int turns_b, int64_t m, int64_t n, int64_t k,
                            double alpha, const void *a, int64_t lda, int64_t next_a, const void *b, int64_t ldb,
                            int64_t next_b, double beta, void *c, int64_t ldc, int64_t next_c, int count);

/* ---- cache: MIOpen's descriptors by content; NULL where there is none, and the reason is told (`dnn_because`) */
/* What a descriptor remembers of MIOpen's. A setter forgets it last; who remembers looks at the content once more,
 * since another thread may have set it meanwhile: of two orders of the two, one forgets. */
static inline void *dnn_amd_known(void **place) { return __atomic_load_n(place, __ATOMIC_ACQUIRE); }
static inline void dnn_amd_forgotten(void **place) { __atomic_store_n(place, (void *)0, __ATOMIC_RELEASE); }
static inline void dnn_amd_remembered(void **place, void *amd, const void *was, const void *is, size_t size) {
    if (!amd) return;
    __atomic_exchange_n(place, amd, __ATOMIC_SEQ_CST);
    if (__builtin_memcmp(was, is, size)) dnn_amd_forgotten(place);
}
DG_HIDDEN void *dnn_amd_shape(dnn_handle *h, int type, int count, const int32_t *dim, const int32_t *stride);
DG_HIDDEN void *dnn_amd_tensor(dnn_handle *h, dnn_tensor *d);
DG_HIDDEN void *dnn_amd_correlation(dnn_handle *h, dnn_convolution *d, int repeatable);
DG_HIDDEN void *dnn_amd_pooling(dnn_handle *h, dnn_pooling *d);
DG_HIDDEN void *dnn_amd_activation(dnn_handle *h, int mode, double alpha, double beta, double gamma);
DG_HIDDEN void *dnn_amd_lrn(dnn_handle *h, int mode, uint32_t n, double alpha, double beta, double k);
DG_HIDDEN void *dnn_amd_reduce(dnn_handle *h, int op, int type, int nan, int indices, int index_type);
DG_HIDDEN void *dnn_amd_rnn(dnn_handle *h, const dnn_rnn *d, int type, void *dropout);
DG_HIDDEN void *dnn_amd_ctc(dnn_handle *h, int softmax);
DG_HIDDEN uint32_t dnn_ring_room(dnn_handle *h, int count); /* a call is about to hold so many descriptors */
DG_HIDDEN void dnn_ring_emptied(dnn_handle *h);

/* What a call with the same three tensors found: their contents are compared as they are, so that no setter need forget
 * it. A reader that meets a writer finds nothing. */
enum { DNN_RECALLED = 64, DNN_CONTENT = offsetof(dnn_tensor, amd) - offsetof(dnn_tensor, type) };
typedef struct dnn_recalled {
    uint32_t turn;   /* odd: being written */
    uint32_t use;    /* the magic of what asks; 0: nothing yet */
    char of[3][DNN_CONTENT];
    void *amd[3];
} dnn_recalled;
static inline int dnn_alike(const dnn_tensor *a, const dnn_tensor *b) {
    return !__builtin_memcmp(&a->type, &b->type, DNN_CONTENT);
}
DG_HIDDEN void dnn_remember(dnn_handle *h, uint32_t use, const dnn_tensor *a, const dnn_tensor *b, const dnn_tensor *c,
                            void **amd);
static inline dnn_recalled *dnn_recall_place(dnn_recalled *all, uint32_t use, const void *a, const void *b,
                                             const void *c) {
    uintptr_t place = ((uintptr_t)a >> 8) * 5 + ((uintptr_t)b >> 8) * 3 + ((uintptr_t)c >> 8) + use;
    return &all[place % DNN_RECALLED]; /* where the tensors lie is but a hint */
}
static inline int dnn_recall(dnn_handle *h, uint32_t use, const dnn_tensor *a, const dnn_tensor *b, const dnn_tensor *c,
                             void **amd) {
    dnn_recalled *all = (dnn_recalled *)__atomic_load_n(&h->recalled, __ATOMIC_ACQUIRE);
    dnn_recalled *e;
    uint32_t turn;
    if (!all) return 0;
    e = dnn_recall_place(all, use, a, b, c);
    turn = __atomic_load_n(&e->turn, __ATOMIC_ACQUIRE);
    if ((turn & 1) || e->use != use || __builtin_memcmp(&a->type, e->of[0], DNN_CONTENT)
        || __builtin_memcmp(&b->type, e->of[1], DNN_CONTENT) || __builtin_memcmp(&c->type, e->of[2], DNN_CONTENT))
        return 0;
    amd[0] = e->amd[0], amd[1] = e->amd[1], amd[2] = e->amd[2];
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    return __atomic_load_n(&e->turn, __ATOMIC_RELAXED) == turn;
}

/* ---- blend: any alpha and beta. The factors are doubles here; `dnn_factor` reads them as the caller gave them. */
DG_HIDDEN double dnn_factor(int type, const void *factor);
DG_HIDDEN size_t dnn_bytes(const dnn_tensor *d); /* from the first element to the last */
DG_HIDDEN void dnn_merge(int count, dnn_tensor **given, dnn_tensor *merged); /* fewer dimensions */
DG_HIDDEN uint32_t dnn_amd_merged(dnn_handle *h, int count, dnn_tensor **given, int more, void **amd);
DG_HIDDEN uint32_t dnn_scale(dnn_handle *h, dnn_tensor *d, double alpha, void *y);
DG_HIDDEN uint32_t dnn_copy(dnn_handle *h, dnn_tensor *xd, const void *x, dnn_tensor *yd, void *y);
DG_HIDDEN uint32_t dnn_op_tensor(dnn_handle *h, int op, double a, dnn_tensor *ad, const void *A, double b,
                                 dnn_tensor *bd, const void *B, double beta, dnn_tensor *cd, void *C);
DG_HIDDEN uint32_t dnn_blended(dnn_handle *h, double alpha, void *raw, double beta, dnn_tensor *d, void *y);

/* ---- solutions: convolutions through MIOpen's immediate mode; unroll: as products, for doubles */
enum { DNN_FORWARD = 0, DNN_BACKWARD_DATA = 1, DNN_BACKWARD_FILTER = 2 };
typedef struct dnn_work {
    int32_t direction;
    int32_t flip;         /* a true convolution of more than one tap */
    int32_t unrolled;     /* not MIOpen's */
    int32_t format;       /* of `own` */
    int32_t taps;
    dnn_convolution conv; /* 2 or 3 spatial dimensions */
    dnn_tensor given[3];  /* x, w and y (or their gradients), of as many dimensions */
    dnn_tensor own[3];    /* the same packed, as MIOpen gets them */
    int32_t copied[3];    /* which differ */
} dnn_work;
DG_HIDDEN uint32_t dnn_conv_begin(dnn_work *k, int direction, dnn_tensor *x, dnn_filter *w, dnn_convolution *d,
                                  dnn_tensor *y);
DG_HIDDEN uint32_t dnn_conv(dnn_handle *h, dnn_work *k, int repeatable, double alpha, void **data, void *workspace,
                            size_t size, double beta);
DG_HIDDEN uint32_t dnn_conv_call(dnn_handle *h, int direction, int repeatable, const void *alpha, dnn_tensor *x,
                                 dnn_filter *w, dnn_convolution *d, void **data, void *workspace, size_t size,
                                 const void *beta, dnn_tensor *y);
DG_HIDDEN uint32_t dnn_conv_size(dnn_handle *h, dnn_work *k, int repeatable, size_t *size, float *time);
DG_HIDDEN uint32_t dnn_conv_trial(dnn_handle *h, dnn_work *k, int repeatable, void **data, void *workspace, size_t size,
                                  float *time);
DG_HIDDEN uint32_t dnn_finished(dnn_handle *h, double alpha, dnn_tensor *rd, void *r, double beta, dnn_tensor *yd,
                                void *y);
DG_HIDDEN uint32_t dnn_unroll(dnn_handle *h, const dnn_work *k, int first, int images, const void *x, void *columns,
                              const int64_t *steps, int flips);
DG_HIDDEN size_t dnn_unrolled_bytes(const dnn_work *k);
DG_HIDDEN uint32_t dnn_unrolled(dnn_handle *h, const dnn_work *k, double alpha, void **data, char *memory, double beta);

/* ---- bytes: int8, also in vectors */
DG_HIDDEN int dnn_is_bytes(int type);
DG_HIDDEN uint32_t dnn_bytes_begin(dnn_work *k, dnn_tensor *x, dnn_filter *w, dnn_convolution *d, dnn_tensor *y);
DG_HIDDEN uint32_t dnn_bytes_conv(dnn_handle *h, double alpha, dnn_tensor *xd, const void *x, dnn_filter *wd,
                                  const void *w, dnn_convolution *d, void *workspace, size_t size, double beta,
                                  dnn_tensor *zd, const void *z, const dnn_tensor *bd, const void *bias, int positive,
                                  dnn_tensor *yd, void *y);
DG_HIDDEN uint32_t dnn_bytes_moved(dnn_handle *h, double alpha, dnn_tensor *xd, const void *x, double beta,
                                   dnn_tensor *yd, void *y);
DG_HIDDEN uint32_t dnn_bytes_ordered(dnn_handle *h, const dnn_filter *w, const void *x, void *y);
DG_HIDDEN uint32_t dnn_bias_ordered(dnn_handle *h, int32_t filters, int back, const void *x, void *y);

/* ---- avoid: which of MIOpen's solvers must not be used here; it says so once */
DG_HIDDEN int dnn_avoided(dnn_handle *h, uint64_t solver, int direction, int type, int grouped);
DG_HIDDEN void dnn_avoided_all(dnn_handle *h, uint64_t solver); /* there is no other: it is used all the same */

/* ---- packed: operands as MIOpen's functions want them, in the handle's memory */
enum { DNN_WORK = 65536 }; /* bytes that `dnn_moved` needs to change a type */
DG_HIDDEN int dnn_is_packed(const dnn_tensor *d);
DG_HIDDEN void dnn_packed(const dnn_tensor *d, int type, dnn_tensor *packed);
DG_HIDDEN uint32_t dnn_fill(dnn_handle *h, dnn_tensor *d, double value, void *y);
DG_HIDDEN uint32_t dnn_moved(dnn_handle *h, void *work, double alpha, dnn_tensor *xd, const void *x, double beta,
                             dnn_tensor *yd, void *y);
DG_HIDDEN uint32_t dnn_activated(dnn_handle *h, int mode, double alpha, double beta, double gamma, dnn_tensor *row,
                                 const void *x, void *y);

/* ---- doubles, doubles_windows: what MIOpen does not do of them, through the host; not under stream capture */
DG_HIDDEN uint32_t dnn_doubles_activated(dnn_handle *h, int mode, double alpha, double beta, double gamma, int rows,
                                         int64_t columns, int64_t pitch, const double *x, double *y);
DG_HIDDEN uint32_t dnn_doubles_led_back(dnn_handle *h, int mode, double alpha, int64_t count, const double *y,
                                        const double *dy, const double *x, double *dx);
DG_HIDDEN uint32_t dnn_doubles_softmax(dnn_handle *h, int algorithm, int64_t images, int64_t count, int64_t step,
                                       double scale, const double *y, double *x);
DG_HIDDEN uint32_t dnn_doubles_normed(dnn_handle *h, int training, int images, int64_t all, int64_t size,
                                      const double *x, double *y, const double *scale, const double *bias,
                                      double factor, double *mean, double *variance, double epsilon, double *saved_mean,
                                      double *saved_inverse);
DG_HIDDEN uint32_t dnn_doubles_normed_back(dnn_handle *h, int images, int64_t all, int64_t size, const double *x,
                                           const double *dy, double *dx, const double *scale, double *dscale,
                                           double *dbias, double epsilon, const double *saved_mean,
                                           const double *saved_inverse);
DG_HIDDEN uint32_t dnn_doubles_pooled(dnn_handle *h, const dnn_pooling *d, const dnn_tensor *xd, const double *x,
                                      const dnn_tensor *yd, double *y, const double *dy, double *dx);
DG_HIDDEN uint32_t dnn_doubles_lrn(dnn_handle *h, const dnn_lrn *d, int64_t images, int64_t count, int64_t step,
                                   const double *x, const double *dy, double *y);

/* ---- drop: dropout's descriptors */
DG_HIDDEN uint32_t dnn_dropout_set(dnn_handle *h, dnn_dropout *d, int fresh); /* fresh: new states from the seed */
/* MIOpen's, for a call that draws a mask; NULL: told why */
DG_HIDDEN void *dnn_dropout_drawing(dnn_handle *h, dnn_dropout *d);
DG_HIDDEN size_t dnn_dropped_bytes(int type, int64_t count);
DG_HIDDEN uint32_t dnn_dropped(dnn_handle *h, dnn_dropout *d, int back, int type, int64_t count, const void *x, void *y,
                               void *mask, void *memory); /* a row of elements */

/* ---- contents: of descriptors of sequences, which another thread may set while a call reads them */
static const uint64_t DNN_ADDRESS = ((uint64_t)1 << 48) - 1;
DG_HIDDEN void *dnn_content_new(size_t bytes);
DG_HIDDEN void dnn_content_put(uint64_t *place, void *content);
DG_HIDDEN void *dnn_content_taken(uint64_t *place); /* until dnn_content_left */
DG_HIDDEN void dnn_content_left(void *content);
DG_HIDDEN void *dnn_hold(dnn_handle *h, int which, uint64_t *place);
/* What is in a descriptor now, or NULL: it stays until the handle holds another in this place, of DNN_HELD. */
static inline void *dnn_held(dnn_handle *h, int which, uint64_t *place) {
    void *now = (void *)(uintptr_t)(__atomic_load_n(place, __ATOMIC_ACQUIRE) & DNN_ADDRESS);
    return now && now == h->held[which] ? now : dnn_hold(h, which, place);
}

/* ---- recurrent: one call of a network through MIOpen's */
typedef struct dnn_net {
    dnn_handle *h;
    dnn_rnn *d;
    int32_t type;
    int32_t input;      /* size of x's vectors */
    int32_t batch;
    int32_t steps;
    int32_t training;
    int32_t stepwise;   /* not MIOpen's: it has none of the descriptors below */
    const int32_t *batches; /* sequences in each step, where there is a descriptor for each */
    dnn_dropout *drops; /* between layers; NULL: nothing does */
    void *rnn;          /* MIOpen's descriptors */
    void *one;          /* of one vector of x */
    void *state;        /* of hx, hy, cx, cy */
    void *x;            /* of sequences; NULL: there is one for each step */
    void *y;
    void **xs;
    void **ys;
    const dnn_rows *xd; /* sequences whose padding is filled; NULL: none */
    const dnn_rows *yd;
    size_t weights;     /* bytes */
    size_t states;
    size_t amd_work;    /* what MIOpen asks for */
    size_t amd_reserve;
    size_t work;        /* what the program is asked for */
    size_t reserve;
    size_t x_bytes;
    size_t y_bytes;
} dnn_net;
DG_HIDDEN uint32_t dnn_net_of(dnn_net *n, dnn_handle *h, dnn_rnn *d, int type, int input, int training);
DG_HIDDEN uint32_t dnn_net_place(dnn_net *n, int layer, int gate, int bias, dnn_tensor *d, size_t *offset, int *there);
DG_HIDDEN uint32_t dnn_net_sequences(dnn_net *n, dnn_rnn_data *xd, dnn_rnn_data *yd);
DG_HIDDEN uint32_t dnn_net_largest(dnn_net *n, int batch, int steps, int padded);
DG_HIDDEN uint32_t dnn_net_steps(dnn_net *n, int steps, const int32_t *batches, void **descs);
DG_HIDDEN uint32_t dnn_net_state(const dnn_net *n, int size, const dnn_tensor *d, const void *a, const void *b);
DG_HIDDEN uint32_t dnn_net_memory(const dnn_net *n, size_t weights, size_t work_size, const void *work,
                                  size_t reserve_size, const void *reserve);
DG_HIDDEN uint32_t dnn_net_forward(dnn_net *n, const void *x, const void *hx, const void *cx, const void *w, void *y,
                                   void *hy, void *cy, void *work, void *reserve);
DG_HIDDEN uint32_t dnn_net_backward_data(dnn_net *n, const void *y, const void *dy, const void *dhy, const void *dcy,
                                         const void *w, const void *hx, const void *cx, void *dx, void *dhx, void *dcx,
                                         void *work, void *reserve);
DG_HIDDEN uint32_t dnn_net_backward_weights(dnn_net *n, const void *x, const void *hx, const void *y, void *dw,
                                            void *work, void *reserve);

/* ---- stepwise: the networks that MIOpen has not; states and weights are there, data may be NULL.
 * stepwise64: of doubles */
DG_HIDDEN size_t dnn_stepwise_weights(const dnn_net *n);
DG_HIDDEN int dnn_stepwise_place(const dnn_net *n, int layer, int gate, int bias, dnn_tensor *d, size_t *offset);
DG_HIDDEN uint32_t dnn_stepwise_spaces(dnn_net *n);
DG_HIDDEN uint32_t dnn_stepwise_forward(dnn_net *n, const void *x, const void *hx, const void *cx, const void *w,
                                        void *y, void *hy, void *cy, void *work, void *reserve);
DG_HIDDEN uint32_t dnn_stepwise_backward_data(dnn_net *n, const void *dy, const void *dhy, const void *dcy,
                                              const void *w, const void *hx, const void *cx, void *dx, void *dhx,
                                              void *dcx, void *work, void *reserve);
DG_HIDDEN uint32_t dnn_stepwise_backward_weights(dnn_net *n, const void *x, const void *hx, void *dw, void *work,
                                                 void *reserve);
DG_HIDDEN uint32_t dnn_stepwise64_spaces(dnn_net *n);
DG_HIDDEN uint32_t dnn_stepwise64_forward(dnn_net *n, const void *x, const void *hx, const void *cx, const void *w,
                                          void *y, void *hy, void *cy, void *work, void *reserve);
DG_HIDDEN uint32_t dnn_stepwise64_backward_data(dnn_net *n, const void *dy, const void *dhy, const void *dcy,
                                                const void *w, const void *hx, const void *cx, void *dx, void *dhx,
                                                void *dcx, void *work, void *reserve);
DG_HIDDEN uint32_t dnn_stepwise64_backward_weights(dnn_net *n, const void *x, const void *hx, void *dw, void *work,
                                                   void *reserve);
#endif
