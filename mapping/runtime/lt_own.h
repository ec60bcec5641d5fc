/* What the CPU backend's hipBLASLt can do beside AMD's functions: two functions of our own, hipblasLtDragomanProduct
 * and hipblasLtDragomanTransform, told by these structs. AMD's library has neither, so its slots answer NOT_SUPPORTED.
 * A product or NULL asks whether they are there.
 *
 * Types are cudaDataType's numbers, which are hipDataType's. All pointers are read and written by the processor. */
#ifndef DRAGOMAN_LT_OWN_H
#define DRAGOMAN_LT_OWN_H
#include <stdint.h>

/* What follows a product. The names of cuBLASLt's epilogues are sums of these. */
enum {
    LT_RELU = 1,
    LT_GELU = 2,
    LT_BIAS = 4,
    LT_AUX = 8,       /* a second matrix: written by a forward product, read by a gradient */
    LT_GRADIENT = 16, /* the product is multiplied by the derivative at the second matrix */
    LT_SUMS = 32,     /* sums go where a bias would come from: of D along its rows */
    LT_BITS = 64,     /* the second matrix is a mask of bits */
    LT_KNOWN = 128,
    LT_OF_A = 256,    /* with LT_SUMS: of op(A) along its rows */
    LT_OF_B = 512     /* with LT_SUMS: of op(B) along its columns */
};

/* Where α and β lie: what is on the host is copied when the call is recorded. A vector of α is always the device's. */
enum {
    LT_ON_HOST,
    LT_ON_DEVICE,
    LT_ON_NEITHER /* the caller has read them from the device, so the call cannot be recorded */
};

typedef struct lt_own_operand {
    int32_t type;
    int32_t op; /* 0 as it is, otherwise transposed */
    int64_t ld;
    int64_t stride; /* elements between the members of a batch */
} lt_own_operand;

/* D ← epilogue(α·op(A)·op(B) + β·C), by columns. */
typedef struct lt_own_product {
    lt_own_operand a, b, c, d;
    int64_t m, n, k, batch;
    int32_t factor;       /* type of α and β: 32 or 64 bits */
    int32_t alpha_vector; /* α is m numbers, one a row of D */
    int32_t after;        /* LT_… */
    int32_t bias_type, aux_type;
    int32_t outer; /* the scales of A and B are vectors: one a row of D, one a column */
    int32_t factors; /* LT_ON_… */
    void *bias;
    int64_t bias_stride; /* elements */
    void *aux;
    int64_t aux_ld, aux_stride; /* elements, bits where it is a mask */
    const float *scale_a, *scale_b, *scale_c, *scale_d;
    float *amax; /* the largest |D| before its scale */
} lt_own_product;

/* NVIDIA's orders. ld counts what it counts there. */
enum { LT_ORDER_COL, LT_ORDER_ROW, LT_ORDER_COL32, LT_ORDER_COL4_4R2_8C, LT_ORDER_COL32_2R_4R4, LT_ORDERS };

typedef struct lt_own_matrix {
    int32_t type;
    int32_t order;
    int32_t op; /* 0 as it is, 1 transposed, 2 conjugate transposed */
    int32_t there;
    int64_t ld;
    int64_t stride;
} lt_own_matrix;

/* C ← α·op(A) + β·op(B). */
typedef struct lt_own_transform {
    lt_own_matrix a, b, c;
    int64_t rows, cols, batch; /* of C */
    int32_t factor;            /* type of α and β */
    int32_t factors;           /* LT_ON_… */
} lt_own_transform;

/* Element (i, j) of a matrix in one of NVIDIA's orders. */
static inline int64_t lt_own_place(int32_t order, int64_t i, int64_t j, int64_t ld) {
    switch (order) {
    case LT_ORDER_ROW: return i * ld + j;
    case LT_ORDER_COL32: return j / 32 * ld + i * 32 + j % 32;
    case LT_ORDER_COL4_4R2_8C: /* tiles of 32 columns by 8 rows, made of 4 columns by 4 even or odd rows */
        return j / 32 * ld + (i / 8 * 8 + i % 2 * 4 + j % 32 / 8) * 32 + (j % 8 / 4 * 4 + i % 8 / 2) * 4 + j % 4;
    case LT_ORDER_COL32_2R_4R4: /* tiles of 32 columns by 32 rows */
        return j / 32 * ld + i / 32 * 1024 + ((i % 8 / 2 * 4 + i % 32 / 8) * 2 + i % 2) * 32 + j % 32;
    default: return i + j * ld;
    }
}
#endif
