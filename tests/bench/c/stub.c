/* AMD's libraries with nothing inside: every function answers 0 at once, so that what is measured is the way there.
 * STUB_HIP or STUB_BLAS says which library it is. Calls hold the same arguments as AMD's; these take none. */

#define ANSWERS_0(name) \
    int name(void) { return 0; }

#ifdef STUB_HIP
#define ANSWERS(name, value) \
    int name(int *number) { return *number = (value), 0; }

ANSWERS_0(hipInit)
ANSWERS(hipGetDeviceCount, 1)
ANSWERS(hipGetDevice, 0)
ANSWERS(hipRuntimeGetVersion, 70200000)
ANSWERS_0(hipSetDevice)
#endif

#ifdef STUB_BLAS
static char handle[64];

int rocblas_create_handle(void **place) { return *place = handle, 0; }
ANSWERS_0(rocblas_destroy_handle)
ANSWERS_0(rocblas_set_stream)
ANSWERS_0(rocblas_get_stream)
ANSWERS_0(rocblas_set_pointer_mode)
ANSWERS_0(rocblas_set_atomics_mode)
ANSWERS_0(rocblas_set_math_mode)
ANSWERS_0(rocblas_saxpy)
ANSWERS_0(rocblas_sdot)
ANSWERS_0(rocblas_sger)
ANSWERS_0(rocblas_sgemm)
ANSWERS_0(rocblas_sgemm_strided_batched)
ANSWERS_0(rocblas_gemm_ex)
ANSWERS_0(rocblas_strsm)
#endif
