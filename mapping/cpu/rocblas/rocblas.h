/* rocBLAS's C ABI as the CPU backend exports it, and what its own units share.
 *
 * Names, numbers and widths are those of rocBLAS 7.2; the text is ours. Enumerations are ints here: the same in the
 * ABI, and any number may arrive.
 */
#ifndef DRAGOMAN_CPU_ROCBLAS_H
#define DRAGOMAN_CPU_ROCBLAS_H
#include <stddef.h>
#include <stdint.h>
#include "record.h" /* mapping/cpu/record */

typedef int32_t rocblas_int;
typedef int64_t rocblas_stride;
typedef struct rb_handle *rocblas_handle;
typedef void *hipStream_t;
typedef void *hipEvent_t;
typedef int rocblas_operation, rocblas_fill, rocblas_diagonal, rocblas_side, rocblas_datatype;
typedef int rocblas_gemm_algo;
typedef int rocblas_pointer_mode, rocblas_atomics_mode, rocblas_math_mode, rocblas_performance_metric;

/* Numbers of 16 bits: structs, so that neither is taken for the other. */
typedef struct rocblas_half {
    uint16_t data;
} rocblas_half;
typedef struct rocblas_bfloat16 {
    uint16_t data;
} rocblas_bfloat16;

typedef int rocblas_status;
enum {
    rocblas_status_success = 0,
    rocblas_status_invalid_handle = 1,
    rocblas_status_not_implemented = 2,
    rocblas_status_invalid_pointer = 3,
    rocblas_status_invalid_size = 4,
    rocblas_status_memory_error = 5,
    rocblas_status_internal_error = 6,
    rocblas_status_perf_degraded = 7,
    rocblas_status_size_query_mismatch = 8,
    rocblas_status_size_increased = 9,
    rocblas_status_size_unchanged = 10,
    rocblas_status_invalid_value = 11,
    rocblas_status_continue = 12,
    rocblas_status_check_numerics_fail = 13,
    rocblas_status_excluded_from_build = 14,
    rocblas_status_arch_mismatch = 15
};

/* BLAS options: rocBLAS took CBLAS's numbers, so they go to OpenBLAS as they are. */
enum { rocblas_operation_none = 111, rocblas_operation_transpose = 112, rocblas_operation_conjugate_transpose = 113 };
enum { rocblas_fill_upper = 121, rocblas_fill_lower = 122 };
enum { rocblas_diagonal_non_unit = 131, rocblas_diagonal_unit = 132 };
enum { rocblas_side_left = 141, rocblas_side_right = 142 };

/* Types as arguments: those that a function here takes. */
enum {
    rocblas_datatype_f16_r = 150,
    rocblas_datatype_f32_r = 151,
    rocblas_datatype_f64_r = 152,
    rocblas_datatype_f32_c = 154,
    rocblas_datatype_f64_c = 155,
    rocblas_datatype_i8_r = 160,
    rocblas_datatype_i32_r = 162,
    rocblas_datatype_bf16_r = 168
};

/* ---- handles ---- */

/* Who owns a handle's workspace. The CPU backend needs none: what was said is only remembered. */
enum { RB_HOST = 0, RB_DEVICE = 1 }; /* rocblas_pointer_mode */
enum { RB_OWN = 0, RB_USER_SIZE = 1, RB_USER_MEMORY = 2 };

/* One handle: a slot of a reserved range that is never given back, so that a stale one can be looked at. */
typedef struct rb_handle {
    uint32_t magic; /* RB_LIVE while the handle lives */
    int32_t pointer_mode;
    int32_t atomics_mode;
    int32_t math_mode;
    int32_t metric;
    int32_t query; /* between start_ and stop_device_memory_size_query */
    hipStream_t stream;
    void *workspace;
    size_t workspace_size;
    hipEvent_t start_event, stop_event;
    int32_t owner;
    int32_t spare[7];
    double *fitness;
    struct rb_handle *next; /* in the list of free slots */
    uint64_t room[2];
} rb_handle;
_Static_assert(sizeof(rb_handle) == 128, "a handle is two cache lines");

enum { RB_LIVE = 0x4c425f52, RB_HANDLES = 65536 };

/* The range; handle.pyx sets it up on the first create. Until then it is empty. */
extern rb_handle *volatile rb_first;

/* 1 for a living handle. Never touches memory outside our own range. */
static inline int rb_is_handle(rocblas_handle handle) {
    uintptr_t first = (uintptr_t)__atomic_load_n(&rb_first, __ATOMIC_ACQUIRE);
    uintptr_t offset = (uintptr_t)handle - first;
    return first && offset < (uintptr_t)RB_HANDLES * sizeof(rb_handle) && offset % sizeof(rb_handle) == 0 &&
           handle->magic == RB_LIVE;
}

/* While a graph is launched: the copy of a handle that a recorded call is made with. It is no slot. */
extern _Thread_local rb_handle *rb_replayed;

/* What every computing function asks first. While a size is queried nothing is computed; no function needs memory. */
static inline rocblas_status rb_enter(rocblas_handle handle) {
    if (!rb_is_handle(handle))
        return handle && handle == rb_replayed ? rocblas_status_success : rocblas_status_invalid_handle;
    return handle->query ? rocblas_status_size_unchanged : rocblas_status_success;
}

/* What a function answers its own caller: the arguments are good, and the call is to be recorded. */
enum { RB_LATER = -1 };

/* Whether the call is recorded instead of computed, asked when the arguments are checked. */
static inline int rb_recorded(rocblas_handle handle) { return record_state(handle->stream) != 0; }
/* The same where the next check would read a factor: on the device it is not known before the launch. */
static inline int rb_recorded_unread(rocblas_handle handle) {
    return handle->pointer_mode != RB_HOST && record_state(handle->stream) != 0;
}
/* Before a call is recorded: the capture may be over, and what it would write to the host can never be there. */
static inline rocblas_status rb_admit(rocblas_handle handle, int writes_scalars) {
    if (record_state(handle->stream) > 0) return rocblas_status_internal_error;
    if (!writes_scalars || handle->pointer_mode != RB_HOST) return rocblas_status_success;
    record_refuse(handle->stream);
    return rocblas_status_internal_error;
}
static inline rocblas_status rb_keep(rocblas_handle handle, dg_run run, const void *record, size_t bytes) {
    return record_keep(handle->stream, run, record, bytes) ? rocblas_status_internal_error : rocblas_status_success;
}
static inline void rb_replay(rb_handle *copy) {
    if (copy) copy->stream = RECORD_NO_STREAM;
    rb_replayed = copy;
}
/* Threads that help with a call take its handle as it is: what the caller's thread replays, they do. */
static inline rb_handle *rb_help(rocblas_handle handle) {
    rb_handle *before = rb_replayed;
    if (!rb_is_handle(handle)) rb_replayed = handle;
    return before;
}
static inline void rb_helped(rb_handle *before) { rb_replayed = before; }
#endif
