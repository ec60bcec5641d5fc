/* AMD's libraries that compute nothing and tell what a call met: which modes and which stream its handle had.
 * On the CPU backend all memory is one and all work is done at once, so no number shows either.
 * TELLING_HIP or TELLING_BLAS says which library it is. */
#include <stdlib.h>

typedef struct {
    void *stream;
    int pointer_mode, atomics_mode, math_mode;
} state;

#ifdef TELLING_HIP
static void *copied_on;

int hipInit(void) { return 0; }
int hipSetDevice(void) { return 0; }
int hipDeviceSynchronize(void) { return 0; }
int hipFree(void) { return 0; }
int hipThreadExchangeStreamCaptureMode(void) { return 0; }
int hipGetDeviceCount(int *count) { return *count = 1, 0; }
int hipGetDevice(int *device) { return *device = 0, 0; }
int hipRuntimeGetVersion(int *version) { return *version = 70200000, 0; }

int hipMemcpyAsync(void *to, const void *from, size_t bytes, int kind, void *stream) {
    (void)to, (void)from, (void)bytes, (void)kind;
    return copied_on = stream, 0;
}
int hipMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t pitch, size_t width, size_t height, int kind,
                     void *stream) {
    (void)to, (void)to_pitch, (void)from, (void)pitch, (void)width, (void)height, (void)kind;
    return copied_on = stream, 0;
}
void *telling_copied_on(void) { return copied_on; }
#endif

#ifdef TELLING_BLAS
static state last;
static int alive; /* handles: each has a workspace on the card */

int rocblas_create_handle(state **handle) { return alive++, *handle = calloc(1, sizeof(state)), 0; }
int rocblas_destroy_handle(state *handle) { return alive--, free(handle), 0; }
int rocblas_set_stream(state *handle, void *stream) { return handle->stream = stream, 0; }
int rocblas_set_pointer_mode(state *handle, int mode) { return handle->pointer_mode = mode, 0; }
int rocblas_set_atomics_mode(state *handle, int mode) { return handle->atomics_mode = mode, 0; }
int rocblas_set_math_mode(state *handle, int mode) { return handle->math_mode = mode, 0; }
int rocblas_sscal(state *handle, int n, const float *alpha, float *x, int incx) {
    (void)n, (void)alpha, (void)x, (void)incx;
    return last = *handle, 0;
}
const state *telling_last(void) { return &last; }
int telling_alive(void) { return alive; }
#endif
