/* Multi-head attention of several beams, against the definition in double and its differences: keys of all beams in
 * common or of each, any order of axes, windows that are empty, sequences of no length, one step at a time, residuals.
 * BUILD: cc -std=c11 -Wall -Wextra -Werror -pedantic -I"$HEADERS" "$SOURCE/attention.c" -L"$LIBS" -lcudnn -lcudart -lm -o attention
 * RUN: dragoman run -- ./attention
 */
#include <cuda_runtime_api.h>
#include <cudnn.h>
#include <string.h>

#include "check.h"

enum { BATCH = 2, BEAM = 2, TQ = 3, TK = 4, HEADS = 2, Q = 4, K = 3, V = 5, P = 3, W = 2, O = 4 };
enum { MOST = BATCH * BEAM * TK * V, WEIGHTS = HEADS * (P * Q + P * K + W * V + W * O + P + P + W) + O };
enum { TIME = CUDNN_SEQDATA_TIME_DIM, BATCHES = CUDNN_SEQDATA_BATCH_DIM, BEAMS = CUDNN_SEQDATA_BEAM_DIM };
enum { QUERIES, RESIDUALS, KEYS, VALUES, PLACES };

typedef struct {
    int one_to_one, order_q[3], order_k[3], order_o[3], residual;
    int q_length[BATCH * BEAM], k_length[BATCH * BEAM], low[TQ], high[TQ];
} Case;

static double x[PLACES][MOST], weights[WEIGHTS], dout[MOST], out[MOST];
static int start[8], stride[8][3]; /* of each kind of weights, in elements */

static int token(const int *order, int beams, int times, int n, int b, int t)
{
    int at[3], size[3], i, place = 0;
    at[TIME] = t, at[BATCHES] = n, at[BEAMS] = b;
    size[TIME] = times, size[BATCHES] = BATCH, size[BEAMS] = beams;
    for (i = 0; i < 3; ++i) place = place * size[order[i]] + at[order[i]];
    return place;
}

static double weight(int kind, int head, int row, int column)
{
    return weights[start[kind] + head * stride[kind][0] + row * stride[kind][1] + column * stride[kind][2]];
}

static double projected(int kind, int head, int row, int count, const double *vector)
{
    double sum = weight(kind + 4, head, row, 0);
    int i;
    for (i = 0; i < count; ++i) sum += weight(kind, head, row, i) * vector[i];
    return sum;
}

/* Fills `out`; answers the sum of dout * out over all steps. */
static double define(const Case *c)
{
    double total = 0;
    int n, b, t, h, i, j, k_beams = c->one_to_one ? BEAM : 1;
    memset(out, 0, sizeof out);
    for (n = 0; n < BATCH; ++n)
        for (b = 0; b < BEAM; ++b)
            for (t = 0; t < TQ; ++t) {
                int row = token(c->order_q, BEAM, TQ, n, b, t) * Q, to = token(c->order_o, BEAM, TQ, n, b, t) * O;
                int kb = c->one_to_one ? b : 0, length = c->k_length[n * k_beams + kb];
                double y[O];
                for (i = 0; i < O; ++i)
                    y[i] = weight(CUDNN_MH_ATTN_O_BIASES, 0, i, 0) + (c->residual ? x[RESIDUALS][row + i] : 0);
                /* beyond the end the bias and a residual pass through */
                for (h = 0; h < HEADS && t < c->q_length[n * BEAM + b]; ++h) {
                    double score[TK], sum = 0, head[W] = {0};
                    for (j = c->low[t]; j < c->high[t] && j < length; ++j) {
                        int key = token(c->order_k, k_beams, TK, n, kb, j);
                        score[j] = 0;
                        for (i = 0; i < P; ++i)
                            score[j] +=
                                projected(0, h, i, Q, &x[QUERIES][row]) * projected(1, h, i, K, &x[KEYS][key * K]);
                        score[j] = exp(0.5 * score[j]);
                        sum += score[j];
                    }
                    for (j = c->low[t]; j < c->high[t] && j < length; ++j)
                        for (i = 0; i < W; ++i)
                            head[i] += score[j] / sum *
                                       projected(2, h, i, V, &x[VALUES][token(c->order_k, k_beams, TK, n, kb, j) * V]);
                    for (i = 0; i < O; ++i)
                        for (j = 0; j < W; ++j) y[i] += weight(3, h, i, j) * head[j];
                }
                for (i = 0; i < O; ++i) {
                    out[to + i] = y[i];
                    total += dout[to + i] * y[i];
                }
            }
    return total;
}

static double slope(const Case *c, double *place)
{
    double old = *place, up, down;
    *place = old + 1e-4;
    up = define(c);
    *place = old - 1e-4;
    down = define(c);
    *place = old;
    return (up - down) / 2e-4;
}

static float *device(const double *from, int count)
{
    float *to = NULL, *single = malloc(count * sizeof *single);
    int i;
    for (i = 0; i < count; ++i) single[i] = from ? (float)from[i] : NAN;
    OK(cudaMalloc((void **)&to, count * sizeof *to));
    OK(cudaMemcpy(to, single, count * sizeof *to, cudaMemcpyHostToDevice));
    free(single);
    return to;
}

static float *host(const float *from, int count)
{
    float *to = malloc(count * sizeof *to);
    OK(cudaMemcpy(to, from, count * sizeof *to, cudaMemcpyDeviceToHost));
    return to;
}

static void same(const Case *c, double *place, int count, const float *found, const char *what)
{
    float *got = host(found, count);
    int i;
    for (i = 0; i < count; ++i) {
        double wanted = slope(c, &place[i]);
        if (!(fabs(got[i] - wanted) <= 1e-4 * (1 + fabs(wanted)))) {
            fprintf(stderr, "gradient of %s %d is %.9g, not %.9g\n", what, i, got[i], wanted);
            ++wrong_checks;
        }
    }
    free(got);
}

static cudnnSeqDataDescriptor_t sequences(const int *order, int beams, int times, int vector, const int *lengths)
{
    cudnnSeqDataDescriptor_t d;
    cudnnSeqDataAxis_t axes[4];
    int dims[4], i;
    for (i = 0; i < 3; ++i) axes[i] = (cudnnSeqDataAxis_t)order[i];
    axes[3] = CUDNN_SEQDATA_VECT_DIM;
    dims[TIME] = times, dims[BATCHES] = BATCH, dims[BEAMS] = beams, dims[CUDNN_SEQDATA_VECT_DIM] = vector;
    OK(cudnnCreateSeqDataDescriptor(&d));
    OK(cudnnSetSeqDataDescriptor(d, CUDNN_DATA_FLOAT, 4, dims, axes, (size_t)(BATCH * beams), lengths, NULL));
    return d;
}

static void try(cudnnHandle_t handle, const Case *c)
{
    cudnnAttnDescriptor_t attention;
    cudnnTensorDescriptor_t shape;
    cudnnSeqDataDescriptor_t qd, kd, vd, od;
    size_t weight_bytes, work_bytes, reserve_bytes;
    int beams = c->one_to_one ? BEAM : 1, i, kind, n, b, current, *lengths_q, *lengths_k;
    float *place[PLACES], *d[PLACES], *w, *dw, *y, *dy, *got;
    void *work, *reserve;
    OK(cudnnCreateAttnDescriptor(&attention));
    OK(cudnnSetAttnDescriptor(
        attention, CUDNN_ATTN_ENABLE_PROJ_BIASES | (c->one_to_one ? CUDNN_ATTN_QUERYMAP_ONE_TO_ONE : 0), HEADS, 0.5,
        CUDNN_DATA_FLOAT, CUDNN_DATA_FLOAT, CUDNN_DEFAULT_MATH, NULL, NULL, Q, K, V, P, P, W, O, TQ, TK, BATCH, BEAM));
    OK(cudnnGetMultiHeadAttnBuffers(handle, attention, &weight_bytes, &work_bytes, &reserve_bytes));
    CHECK(weight_bytes == WEIGHTS * sizeof(float));
    w = device(weights, WEIGHTS);
    dw = device(NULL, WEIGHTS);
    OK(cudnnCreateTensorDescriptor(&shape));
    for (kind = 0; kind < 8; ++kind) {
        cudnnDataType_t type;
        int count, dims[3];
        void *address;
        OK(cudnnGetMultiHeadAttnWeights(handle, attention, (cudnnMultiHeadAttnWeightKind_t)kind, weight_bytes, w, shape,
                                        &address));
        start[kind] = (int)((float *)address - w);
        OK(cudnnGetTensorNdDescriptor(shape, 3, &type, &count, dims, stride[kind]));
        CHECK(count == 3 && dims[0] == (kind == CUDNN_MH_ATTN_O_BIASES ? 1 : HEADS));
    }
    for (i = 0; i < PLACES; ++i) {
        place[i] = device(x[i], MOST);
        d[i] = device(NULL, MOST);
    }
    y = device(NULL, MOST);
    dy = device(dout, MOST);
    OK(cudaMalloc(&work, work_bytes));
    OK(cudaMalloc(&reserve, reserve_bytes));
    OK(cudaMalloc((void **)&lengths_q, sizeof c->q_length));
    OK(cudaMalloc((void **)&lengths_k, sizeof c->k_length));
    OK(cudaMemcpy(lengths_q, c->q_length, sizeof c->q_length, cudaMemcpyHostToDevice));
    OK(cudaMemcpy(lengths_k, c->k_length, sizeof c->k_length, cudaMemcpyHostToDevice));
    qd = sequences(c->order_q, BEAM, TQ, Q, c->q_length);
    kd = sequences(c->order_k, beams, TK, K, c->k_length);
    vd = sequences(c->order_k, beams, TK, V, c->k_length);
    od = sequences(c->order_o, BEAM, TQ, O, c->q_length);

    /* one step after the other: the other steps keep what they hold */
    for (current = TQ - 1; current >= 0; --current) {
        OK(cudnnMultiHeadAttnForward(handle, attention, current, c->low, c->high, lengths_q, lengths_k, qd,
                                     place[QUERIES], c->residual ? place[RESIDUALS] : NULL, kd, place[KEYS], vd,
                                     place[VALUES], od, y, weight_bytes, w, work_bytes, work, 0, NULL));
        got = host(y, BATCH * BEAM * TQ * O);
        define(c);
        for (n = 0; n < BATCH; ++n)
            for (b = 0; b < BEAM; ++b) {
                int to = token(c->order_o, BEAM, TQ, n, b, current) * O;
                for (i = 0; i < O && current < c->q_length[n * BEAM + b]; ++i) NEAR(got[to + i], out[to + i], 1e-5);
                if (current > 0) CHECK(isnan(got[token(c->order_o, BEAM, TQ, n, b, current - 1) * O]));
            }
        free(got);
    }
    /* all at once, for training */
    OK(cudnnMultiHeadAttnForward(handle, attention, -1, c->low, c->high, lengths_q, lengths_k, qd, place[QUERIES],
                                 c->residual ? place[RESIDUALS] : NULL, kd, place[KEYS], vd, place[VALUES], od, y,
                                 weight_bytes, w, work_bytes, work, reserve_bytes, reserve));
    got = host(y, BATCH * BEAM * TQ * O);
    define(c);
    for (i = 0; i < BATCH * BEAM * TQ * O; ++i) NEAR(got[i], out[i], 1e-5);
    free(got);
    OK(cudnnMultiHeadAttnBackwardData(handle, attention, c->low, c->high, lengths_q, lengths_k, od, dy, qd, d[QUERIES],
                                      place[QUERIES], kd, d[KEYS], place[KEYS], vd, d[VALUES], place[VALUES],
                                      weight_bytes, w, work_bytes, work, reserve_bytes, reserve));
    OK(cudnnMultiHeadAttnBackwardWeights(handle, attention, CUDNN_WGRAD_MODE_SET, qd, place[QUERIES], kd, place[KEYS],
                                         vd, place[VALUES], od, dy, weight_bytes, w, dw, work_bytes, work,
                                         reserve_bytes, reserve));
    same(c, x[QUERIES], BATCH * BEAM * TQ * Q, d[QUERIES], "query");
    same(c, x[KEYS], BATCH * beams * TK * K, d[KEYS], "key");
    same(c, x[VALUES], BATCH * beams * TK * V, d[VALUES], "value");
    same(c, weights, WEIGHTS, dw, "weight");
    for (i = 0; i < PLACES; ++i) {
        cudaFree(place[i]);
        cudaFree(d[i]);
    }
    cudaFree(w), cudaFree(dw), cudaFree(y), cudaFree(dy), cudaFree(work), cudaFree(reserve);
    cudaFree(lengths_q), cudaFree(lengths_k);
    OK(cudnnDestroySeqDataDescriptor(qd));
    OK(cudnnDestroySeqDataDescriptor(kd));
    OK(cudnnDestroySeqDataDescriptor(vd));
    OK(cudnnDestroySeqDataDescriptor(od));
    OK(cudnnDestroyTensorDescriptor(shape));
    OK(cudnnDestroyAttnDescriptor(attention));
}

/* A dropout of the weights that no call can use, as NVIDIA's library answers. */
static void refused(cudnnHandle_t handle)
{
    static const int low[] = {0}, high[] = {1}, order[] = {BATCHES, BEAMS, TIME}, ones[] = {1, 1, 1, 1};
    cudnnDropoutDescriptor_t dropout;
    cudnnAttnDescriptor_t attention;
    cudnnSeqDataDescriptor_t d = sequences(order, 1, 1, 1, ones);
    size_t weights, work, reserve, states_size;
    void *space, *states;
    float *y;
    cudnnStatus_t status;
    int set, *lengths;
    OK(cudnnDropoutGetStatesSize(handle, &states_size));
    OK(cudaMalloc(&states, states_size));
    OK(cudaMalloc((void **)&lengths, sizeof ones));
    OK(cudaMemcpy(lengths, ones, sizeof ones, cudaMemcpyHostToDevice));
    y = device(NULL, BATCH);
    OK(cudnnCreateAttnDescriptor(&attention));
    OK(cudnnCreateDropoutDescriptor(&dropout));
    OK(cudnnSetAttnDescriptor(attention, 0, 1, 1.0, CUDNN_DATA_FLOAT, CUDNN_DATA_FLOAT, CUDNN_DEFAULT_MATH, dropout,
                              NULL, 1, 1, 1, 0, 0, 0, 0, 1, 1, BATCH, 1));
    OK(cudnnGetMultiHeadAttnBuffers(handle, attention, &weights, &work, &reserve));
    OK(cudaMalloc(&space, work + reserve));
    for (set = -1; set < 2; ++set) {
        if (set == 0) OK(cudnnSetDropoutDescriptor(dropout, handle, 0.0f, NULL, states_size, 1));
        if (set == 1) OK(cudnnSetDropoutDescriptor(dropout, handle, 1.0f, states, states_size, 1));
        status = cudnnMultiHeadAttnForward(handle, attention, -1, low, high, lengths, lengths, d, y, NULL, d, y, d, y,
                                           d, y, 0, NULL, work, space, reserve, (char *)space + work);
#if CUDNN_VERSION >= 90000
        CHECK(status == (set == 1 ? CUDNN_STATUS_BAD_PARAM : CUDNN_STATUS_EXECUTION_FAILED_CUDART));
#else
        CHECK(status == (set == 1 ? CUDNN_STATUS_BAD_PARAM : CUDNN_STATUS_EXECUTION_FAILED));
#endif
    }
    OK(cudnnDestroyDropoutDescriptor(dropout));
    OK(cudnnDestroyAttnDescriptor(attention));
    OK(cudnnDestroySeqDataDescriptor(d));
    cudaFree(space), cudaFree(states), cudaFree(lengths), cudaFree(y);
}

int main(void)
{
    static const Case cases[] = {
        {0,
         {BATCHES, BEAMS, TIME},
         {BATCHES, BEAMS, TIME},
         {BATCHES, BEAMS, TIME},
         0,
         {3, 3, 3, 3},
         {4, 4},
         {0, 0, 0},
         {4, 4, 4}},
        {0,
         {TIME, BEAMS, BATCHES},
         {TIME, BATCHES, BEAMS},
         {BATCHES, TIME, BEAMS},
         1,
         {3, 2, 0, 1},
         {4, 0},
         {0, 1, 2},
         {4, 3, 2}},
        {1,
         {BEAMS, TIME, BATCHES},
         {BATCHES, TIME, BEAMS},
         {TIME, BATCHES, BEAMS},
         1,
         {3, 2, 3, 1},
         {4, 1, 3, 2},
         {0, 0, 0},
         {1, 2, 9}},
    };
    cudnnHandle_t handle;
    unsigned seed = 1;
    int i, j;
    for (i = 0; i < PLACES; ++i)
        for (j = 0; j < MOST; ++j)
            x[i][j] = (seed = seed * 1103515245u + 12345u, (double)(float)((seed >> 16 & 0x3ff) / 512.0 - 1));
    for (j = 0; j < WEIGHTS; ++j) weights[j] = (seed = seed * 1103515245u + 12345u, (seed >> 16 & 0x3ff) / 512.0 - 1);
    for (j = 0; j < MOST; ++j) dout[j] = (seed = seed * 1103515245u + 12345u, (seed >> 16 & 0x3ff) / 512.0 - 1);
    OK(cudnnCreate(&handle));
    for (i = 0; i < (int)(sizeof cases / sizeof *cases); ++i) {
        int before = wrong_checks;
        try(handle, &cases[i]);
        if (wrong_checks != before) fprintf(stderr, "in case %d\n", i);
    }
    refused(handle);
    OK(cudnnDestroy(handle));
    return done();
}
