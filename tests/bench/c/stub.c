/* AMD's libraries with nothing inside: every function answers 0 at once, so that what is measured is the way there.
 * STUB_HIP, STUB_BLAS or STUB_DNN says which library it is. Calls hold the same arguments as AMD's; these take none. */

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
ANSWERS_0(hipFree)
int stub_mallocs;
int hipMalloc(void **place, unsigned long long bytes) {
    static char memory[1 << 20];
    return stub_mallocs++, *place = memory, 0;
}
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
ANSWERS_0(rocblas_gemm_ex_64)
ANSWERS_0(rocblas_gemm_batched_ex)
ANSWERS_0(rocblas_strsm)
#endif

#ifdef STUB_DNN
#include <stddef.h>
/* A descriptor is a place in a row: how many were made is how far the row has come. */
static char handle[64], descriptors[4096];
int stub_descriptors;

#define MAKES(name) \
    int name(void **place) { return *place = descriptors + stub_descriptors++ % 4096, 0; }

typedef struct {
    float time;
    size_t bytes;
    unsigned long long id;
    unsigned algorithm;
} solution;

int miopenCreate(void **place) { return *place = handle, 0; }
ANSWERS_0(miopenDestroy)
ANSWERS_0(miopenSetStream)
MAKES(miopenCreateTensorDescriptor)
MAKES(miopenCreateConvolutionDescriptor)
MAKES(miopenCreatePoolingDescriptor)
MAKES(miopenCreateActivationDescriptor)
ANSWERS_0(miopenSetTensorDescriptor)
ANSWERS_0(miopenInitConvolutionNdDescriptor)
ANSWERS_0(miopenSetConvolutionAttribute)
ANSWERS_0(miopenSetNdPoolingDescriptor)
ANSWERS_0(miopenSetPoolingIndexType)
ANSWERS_0(miopenSetPoolingWorkSpaceIndexMode)
ANSWERS_0(miopenSetActivationDescriptor)
int miopenConvolutionForwardGetSolutionCount(void *h, void *w, void *x, void *conv, void *y, size_t *count) {
    return *count = 1, 0;
}
int miopenConvolutionForwardGetSolution(void *h, void *w, void *x, void *conv, void *y, size_t most, size_t *count,
                                        solution *found) {
    return *count = 1, *found = (solution){1, 0, 7, 1}, 0;
}
ANSWERS_0(miopenConvolutionForwardCompileSolution)
ANSWERS_0(miopenConvolutionForwardImmediate)
ANSWERS_0(miopenSoftmaxForward_V2)
ANSWERS_0(miopenSoftmaxBackward_V2)
ANSWERS_0(miopenPoolingForward)
ANSWERS_0(miopenActivationForward)
ANSWERS_0(miopenActivationBackward)
ANSWERS_0(miopenOpTensor)
#endif
