# lt_own.h for Cython: what the CPU backend's hipBLASLt is told beside AMD's functions.

from libc.stdint cimport int32_t, int64_t

cdef extern from "lt_own.h" nogil:
    ctypedef struct lt_own_operand:
        int32_t type
        int32_t op
        int64_t ld
        int64_t stride
    ctypedef struct lt_own_product:
        lt_own_operand a
        lt_own_operand b
        lt_own_operand c
        lt_own_operand d
        int64_t m
        int64_t n
        int64_t k
        int64_t batch
        int32_t factor
        int32_t alpha_vector
        int32_t after
        int32_t bias_type
        int32_t aux_type
        int32_t outer
        int32_t factors
        void *bias
        int64_t bias_stride
        void *aux
        int64_t aux_ld
        int64_t aux_stride
        const float *scale_a
        const float *scale_b
        const float *scale_c
        const float *scale_d
        float *amax
    ctypedef struct lt_own_matrix:
        int32_t type
        int32_t order
        int32_t op
        int32_t there
        int64_t ld
        int64_t stride
    ctypedef struct lt_own_transform:
        lt_own_matrix a
        lt_own_matrix b
        lt_own_matrix c
        int64_t rows
        int64_t cols
        int64_t batch
        int32_t factor
        int32_t factors
