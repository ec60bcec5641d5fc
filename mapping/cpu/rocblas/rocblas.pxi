# rocBLAS's C ABI (rocblas.h) for Cython, included by each unit of the CPU backend's rocBLAS. Declarations only.
from libc.stddef cimport size_t
from libc.stdint cimport int32_t, int64_t, uint16_t, uint32_t, uint64_t, uintptr_t

include "record.pxi"

cdef extern from "rocblas.h" nogil:
    ctypedef int32_t rocblas_int
    ctypedef int64_t rocblas_stride
    ctypedef int rocblas_status
    ctypedef int rocblas_operation
    ctypedef int rocblas_fill
    ctypedef int rocblas_diagonal
    ctypedef int rocblas_side
    ctypedef int rocblas_datatype
    ctypedef int rocblas_gemm_algo
    ctypedef int rocblas_pointer_mode
    ctypedef int rocblas_atomics_mode
    ctypedef int rocblas_math_mode
    ctypedef int rocblas_performance_metric
    ctypedef void *hipStream_t
    ctypedef void *hipEvent_t
    ctypedef struct rocblas_half:
        uint16_t data
    ctypedef struct rocblas_bfloat16:
        uint16_t data
    enum:
        rocblas_status_success, rocblas_status_invalid_handle, rocblas_status_not_implemented
        rocblas_status_invalid_pointer, rocblas_status_invalid_size, rocblas_status_memory_error
        rocblas_status_internal_error, rocblas_status_perf_degraded, rocblas_status_size_query_mismatch
        rocblas_status_size_increased, rocblas_status_size_unchanged, rocblas_status_invalid_value
        rocblas_status_continue, rocblas_status_check_numerics_fail, rocblas_status_excluded_from_build
        rocblas_status_arch_mismatch
        rocblas_operation_none, rocblas_operation_transpose, rocblas_operation_conjugate_transpose
        rocblas_fill_upper, rocblas_fill_lower
        rocblas_diagonal_non_unit, rocblas_diagonal_unit
        rocblas_side_left, rocblas_side_right
        rocblas_datatype_f16_r, rocblas_datatype_f32_r, rocblas_datatype_f64_r, rocblas_datatype_f32_c
        rocblas_datatype_f64_c, rocblas_datatype_i8_r, rocblas_datatype_i32_r, rocblas_datatype_bf16_r
        RB_LIVE, RB_HANDLES, RB_HOST, RB_DEVICE, RB_OWN, RB_USER_SIZE, RB_USER_MEMORY
    ctypedef struct rb_handle:
        uint32_t magic
        int32_t pointer_mode
        int32_t atomics_mode
        int32_t math_mode
        int32_t metric
        int32_t query
        hipStream_t stream
        void *workspace
        size_t workspace_size
        hipEvent_t start_event
        hipEvent_t stop_event
        int32_t owner
        double *fitness
        rb_handle *next
    ctypedef rb_handle *rocblas_handle
    bint rb_is_handle(rocblas_handle handle)
    rocblas_status rb_enter(rocblas_handle handle)
    bint rb_recorded(rocblas_handle handle)
    bint rb_recorded_unread(rocblas_handle handle)
    rocblas_status rb_admit(rocblas_handle handle, bint writes_scalars)
    rocblas_status rb_keep(rocblas_handle handle, dg_run run, const void *record, size_t bytes)
    void rb_replay(rb_handle *copy)
    rb_handle *rb_help(rocblas_handle handle)
    void rb_helped(rb_handle *before)
    enum:
        RB_LATER

cdef extern from "openblas.h" nogil:
    enum:
        CBLAS_COLUMNS

# Complex numbers are Cython's structs (CYTHON_CCOMPLEX=0), so that products are the plain formula on every compiler:
# C's own complex product calls into the compiler's library to repair NaN.
ctypedef float complex rocblas_float_complex
ctypedef double complex rocblas_double_complex
