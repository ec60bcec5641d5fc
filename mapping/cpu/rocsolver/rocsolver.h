/* How the CPU backend's rocSOLVER knows a handle: it is rocBLAS's, so the rocBLAS that lies beside this
 * library is asked. */
#ifndef DRAGOMAN_CPU_ROCSOLVER_H
#define DRAGOMAN_CPU_ROCSOLVER_H
#include "platform.h"
#include "rocblas.h"

static dg_once rs_once;
static rocblas_status (*rs_get_pointer_mode)(rocblas_handle, rocblas_pointer_mode *);
static rocblas_status (*rs_get_stream)(rocblas_handle, hipStream_t *);
static int (*rs_asks_for_size)(rocblas_handle);
static _Thread_local int rs_replaying; /* a recorded call is made again: its handle may be gone */

/* RS_ROCBLAS, its file's name, is the build's. By its whole path: another library of that name may be in the
 * process, and its handles are not ours. */
static void rs_find(void) {
    char folder[DG_PATH], file[DG_PATH];
    void *module;
    record_find();
    if (dg_module_file_of((const void *)(uintptr_t)rs_find, folder, sizeof folder) < 0 || !dg_cut_name(folder) ||
        dg_join(file, sizeof file, folder, RS_ROCBLAS) < 0)
        return;
    module = dg_module_open(file, 0);
    if (!module) return;
    *(void **)&rs_asks_for_size = dg_module_symbol(module, "rocblas_is_device_memory_size_query");
    *(void **)&rs_get_stream = dg_module_symbol(module, "rocblas_get_stream");
    *(void **)&rs_get_pointer_mode = dg_module_symbol(module, "rocblas_get_pointer_mode");
}

static inline const void *rs_stream(rocblas_handle handle) {
    hipStream_t stream = 0;
    if (rs_get_stream) rs_get_stream(handle, &stream);
    return stream;
}
static inline rocblas_status rs_admit(rocblas_handle handle) {
    return record_state(rs_stream(handle)) > 0 ? rocblas_status_internal_error : rocblas_status_success;
}
static inline rocblas_status rs_keep(rocblas_handle handle, dg_run run, const void *record, size_t bytes) {
    return record_keep(rs_stream(handle), run, record, bytes) ? rocblas_status_internal_error : rocblas_status_success;
}
static inline void rs_replay(int now) { rs_replaying = now; }

/* What every function asks, in rocSOLVER's order. Pointers are not looked at while a memory size is queried. The last
 * answer is RB_LATER where all is well and the stream is captured. */
static inline rocblas_status rs_checked(rocblas_handle handle, int bad_option, int bad_size, int no_pointer) {
    rocblas_pointer_mode mode;
    if (rs_replaying) return no_pointer ? rocblas_status_invalid_pointer : rocblas_status_success;
    dg_once_run(&rs_once, rs_find);
    if (!handle || !rs_get_pointer_mode || rs_get_pointer_mode(handle, &mode) != rocblas_status_success)
        return rocblas_status_invalid_handle;
    if (bad_option) return rocblas_status_invalid_value;
    if (bad_size) return rocblas_status_invalid_size;
    if (rs_asks_for_size && rs_asks_for_size(handle)) return rocblas_status_size_unchanged;
    if (no_pointer) return rocblas_status_invalid_pointer;
    return *record_open && record_state(rs_stream(handle)) ? RB_LATER : rocblas_status_success;
}
#endif
