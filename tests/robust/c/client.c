/* What no program should do to a library, and what some do all the same.
 *
 *     client LIBCUBLAS garbage | threads | cycles N | tiles | fork | reload | exit | every WORD LIBRARY < names
 *
 * WORD is the first argument of each function: a number, `live` (a new handle) or `freed` (one that was destroyed).
 *
 * Prints `ok` and ends with 0, or says what was answered and what was expected. Run it under valgrind, or with
 * libraries that carry AddressSanitizer: that nothing was read or lost on the way is for them to say. */
#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cublasXt.h>
#include <cublas_v2.h>

/* The functions called, by their real names. */
#define FUNCTIONS(each) \
    each(cublasCreate_v2) each(cublasDestroy_v2) each(cublasGetVersion_v2) each(cublasGetProperty) \
        each(cublasSetStream_v2) each(cublasGetStream_v2) each(cublasSetPointerMode_v2) each(cublasGetPointerMode_v2) \
            each(cublasSetMathMode) each(cublasGetMathMode) each(cublasSetAtomicsMode) each(cublasGetAtomicsMode) \
                each(cublasSetWorkspace_v2) each(cublasGetStatusName) each(cublasGetStatusString) \
                    each(cublasSetVector) each(cublasGetMatrix) each(cublasSaxpy_v2) each(cublasSdot_v2) \
                        each(cublasSgemm_v2) each(cublasStrsm_v2) each(cublasSgemmBatched) each(cublasLoggerConfigure) \
                            each(cublasSetLoggerCallback) each(cublasXtCreate) each(cublasXtDestroy) \
                                each(cublasXtDeviceSelect) each(cublasXtSetBlockDim) each(cublasXtSgemm) \
                                    each(cublasXtStrsm)
#include "opened.h"
enum { OK = 0, NO_HANDLE = 1, BAD_VALUE = 7 };

static const float one = 1, zero = 0;
static const float left[4] = {1, 2, 3, 4}, right[4] = {5, 6, 7, 8};

static int gemm(cublasHandle_t handle, float *out) {
    return p_cublasSgemm_v2(handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &one, left, 2, right, 2, &zero, out, 2);
}
static void right_numbers(cublasHandle_t handle) {
    float out[4] = {0};
    EXPECT(OK, gemm(handle, out));
    if (out[0] != 23 || out[1] != 34 || out[2] != 31 || out[3] != 46) expect("the product", 0, 1);
}

static void bad_handle(const char *who, void *bad) {
    int before = failures, number = 77;
    float out[4] = {0};
    cublasHandle_t handle = bad;
    cudaStream_t stream = NULL;
    cublasPointerMode_t mode;
    cublasMath_t math;
    cublasAtomicsMode_t atomics;
    EXPECT(NO_HANDLE, gemm(handle, out));
    EXPECT(NO_HANDLE, p_cublasSaxpy_v2(handle, 2, &one, left, 1, out, 1));
    EXPECT(NO_HANDLE, p_cublasSdot_v2(handle, 2, left, 1, right, 1, out));
    EXPECT(NO_HANDLE, p_cublasSetStream_v2(handle, NULL));
    EXPECT(NO_HANDLE, p_cublasGetStream_v2(handle, &stream));
    EXPECT(NO_HANDLE, p_cublasSetPointerMode_v2(handle, CUBLAS_POINTER_MODE_HOST));
    EXPECT(NO_HANDLE, p_cublasGetPointerMode_v2(handle, &mode));
    EXPECT(NO_HANDLE, p_cublasSetMathMode(handle, CUBLAS_DEFAULT_MATH));
    EXPECT(NO_HANDLE, p_cublasGetMathMode(handle, &math));
    EXPECT(NO_HANDLE, p_cublasSetAtomicsMode(handle, CUBLAS_ATOMICS_ALLOWED));
    EXPECT(NO_HANDLE, p_cublasGetAtomicsMode(handle, &atomics));
    EXPECT(NO_HANDLE, p_cublasSetWorkspace_v2(handle, out, sizeof out));
    EXPECT(NO_HANDLE, p_cublasDestroy_v2(handle));
    if (bad) (void)p_cublasGetVersion_v2(handle, &number); /* NVIDIA's answer differs by release */
    if (failures > before) printf("... with %s\n", who);
}

/* cuBLASXt on memory that ends where its last element does. */
static void tiles(void) {
    enum { ORDER = 7 };
    cublasXtHandle_t handle = NULL;
    size_t bytes = ORDER * ORDER * sizeof(float);
    float *a = malloc(bytes), *b = malloc(bytes), *c = malloc(bytes);
    int device = 0, i, block;
    if (!a || !b || !c) return expect("memory", 0, 1);
    for (block = 1; block <= 8; ++block) {
        for (i = 0; i < ORDER * ORDER; ++i) {
            a[i] = i % (ORDER + 1) == 0 ? 2 : 0;
            b[i] = (float)i;
        }
        EXPECT(OK, p_cublasXtCreate(&handle));
        EXPECT(NO_HANDLE, p_cublasXtStrsm(handle, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N,
                                          CUBLAS_DIAG_UNIT, 1, 1, &one, a, 1, b, 1));
        EXPECT(OK, p_cublasXtDeviceSelect(handle, 1, &device));
        EXPECT(OK, p_cublasXtSetBlockDim(handle, block));
        EXPECT(OK, p_cublasXtSgemm(handle, CUBLAS_OP_T, CUBLAS_OP_N, ORDER, ORDER, ORDER, &one, a, ORDER, b, ORDER,
                                   &zero, c, ORDER));
        EXPECT(OK, p_cublasXtStrsm(handle, CUBLAS_SIDE_RIGHT, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT,
                                   ORDER, ORDER, &one, a, ORDER, c, ORDER));
        for (i = 0; i < ORDER * ORDER && b[i] == c[i]; ++i) continue;
        if (i < ORDER * ORDER) expect("the quotient of the product", i, ORDER * ORDER);
        EXPECT(BAD_VALUE, p_cublasXtSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, ORDER, ORDER, ORDER, &one, a, ORDER - 1, b,
                                          ORDER, &zero, c, ORDER));
        EXPECT(OK, p_cublasXtDestroy(handle));
        EXPECT(NO_HANDLE, p_cublasXtDestroy(handle));
        EXPECT(NO_HANDLE, p_cublasXtSetBlockDim(handle, block));
    }
    free(a);
    free(b);
    free(c);
}

static void garbage(void) {
    cublasHandle_t handle, gone;
    float out[4] = {0};
    char stack[256] = {0};
    bad_handle("NULL before the first use", NULL);
    bad_handle("0x1234 before the first use", (void *)0x1234);
    EXPECT(BAD_VALUE, p_cublasCreate_v2(NULL));
    EXPECT(OK, p_cublasCreate_v2(&handle));
    EXPECT(OK, p_cublasCreate_v2(&gone));
    EXPECT(OK, p_cublasDestroy_v2(gone));
    struct {
        const char *who;
        void *value;
    } bad[] = {{"NULL", NULL},
               {"0x1234", (void *)0x1234},
               {"-1", (void *)-1},
               {"the end of the address space", (void *)~(uintptr_t)255},
               {"a freed handle", gone},
               {"an address on the stack", stack},
               {"constant data", (void *)left},
               {"code", (void *)(uintptr_t)p_cublasSgemm_v2},
               {"the middle of a handle", (char *)handle + 8},
               {"a slot that was never used", (char *)handle + 256 * 100}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) bad_handle(bad[i].who, bad[i].value);

    static const int options[] = {-1, 3, 99, 111, INT_MAX, INT_MIN};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        int x = options[i];
        EXPECT(BAD_VALUE, p_cublasSgemm_v2(handle, (cublasOperation_t)x, CUBLAS_OP_N, 2, 2, 2, &one, left, 2, right, 2,
                                           &zero, out, 2));
        EXPECT(BAD_VALUE, p_cublasStrsm_v2(handle, (cublasSideMode_t)x, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_N,
                                           CUBLAS_DIAG_UNIT, 2, 2, &one, left, 2, out, 2));
        (void)p_cublasSetPointerMode_v2(handle, (cublasPointerMode_t)x);
        (void)p_cublasSetAtomicsMode(handle, (cublasAtomicsMode_t)x);
        (void)p_cublasSetMathMode(handle, (cublasMath_t)x);
        (void)p_cublasGetProperty((libraryPropertyType)x, NULL);
        EXPECT(0, p_cublasGetStatusName((cublasStatus_t)x)[0] == 0);
        EXPECT(0, p_cublasGetStatusString((cublasStatus_t)x)[0] == 0);
    }
    EXPECT(OK, p_cublasSetPointerMode_v2(handle, CUBLAS_POINTER_MODE_HOST));
    EXPECT(BAD_VALUE, p_cublasGetStream_v2(handle, NULL));
    EXPECT(BAD_VALUE, p_cublasGetPointerMode_v2(handle, NULL));
    EXPECT(BAD_VALUE, p_cublasGetMathMode(handle, NULL));
    EXPECT(BAD_VALUE, p_cublasGetAtomicsMode(handle, NULL));
    EXPECT(BAD_VALUE, p_cublasGetVersion_v2(handle, NULL));
    /* sizes and pointers that make no sense; nothing may be read through them */
    EXPECT(BAD_VALUE,
           p_cublasSgemm_v2(handle, CUBLAS_OP_N, CUBLAS_OP_N, -1, 2, 2, &one, left, 2, right, 2, &zero, out, 2));
    EXPECT(BAD_VALUE,
           p_cublasSgemm_v2(handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &one, left, 1, right, 2, &zero, out, 2));
    EXPECT(BAD_VALUE,
           p_cublasSgemm_v2(handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, NULL, left, 2, right, 2, &zero, out, 2));
    (void)p_cublasSgemm_v2(handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &one, NULL, 2, NULL, 2, &zero, NULL, 2);
    (void)p_cublasSgemmBatched(handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &one, NULL, 2, NULL, 2, &zero, NULL, 2, -1);
    (void)p_cublasSaxpy_v2(handle, INT_MIN, NULL, NULL, INT_MIN, NULL, INT_MIN);
    (void)p_cublasSetVector(-1, 0, NULL, 0, NULL, 0);
    (void)p_cublasGetMatrix(-1, -1, -1, NULL, -1, NULL, -1);
    (void)p_cublasSetWorkspace_v2(handle, (void *)0x1234, ~(size_t)0);
    EXPECT(OK, p_cublasSetStream_v2(handle, NULL));
    right_numbers(handle);
    EXPECT(OK, p_cublasDestroy_v2(handle));
    EXPECT(NO_HANDLE, p_cublasDestroy_v2(handle));
}

static void *work(void *times) {
    cublasHandle_t handle;
    EXPECT(OK, p_cublasCreate_v2(&handle));
    for (long i = 0; i < (long)times && !failures; i++) {
        cudaStream_t stream = NULL;
        EXPECT(OK, p_cublasSetStream_v2(handle, (cudaStream_t)(uintptr_t)(1 + i % 2))); /* legacy, per thread */
        EXPECT(OK, p_cublasGetStream_v2(handle, &stream));
        EXPECT(1 + i % 2, (uintptr_t)stream);
        right_numbers(handle);
    }
    EXPECT(OK, p_cublasDestroy_v2(handle));
    return NULL;
}

static void threads(void) {
    pthread_t two[2];
    for (int i = 0; i < 2; i++) pthread_create(&two[i], NULL, work, (void *)100L);
    for (int i = 0; i < 2; i++) pthread_join(two[i], NULL);
}

static void cycles(long count) {
    cublasHandle_t first = NULL, handle = NULL;
    for (long i = 0; i < count && !failures; i++) {
        EXPECT(OK, p_cublasCreate_v2(&handle));
        if (!first) first = handle;
        if (i % 100 == 0) right_numbers(handle);
        EXPECT(OK, p_cublasDestroy_v2(handle));
        EXPECT(NO_HANDLE, p_cublasSetStream_v2(handle, NULL));
    }
    EXPECT(NO_HANDLE, p_cublasDestroy_v2(first));
}

static void in_a_child(void) {
    cublasHandle_t handle, another = NULL;
    int status = -1;
    EXPECT(OK, p_cublasCreate_v2(&handle));
    right_numbers(handle);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        float out[4];
        EXPECT(NO_HANDLE, gemm(handle, out));
        EXPECT(NO_HANDLE, p_cublasSetStream_v2(handle, NULL));
        EXPECT(NO_HANDLE, p_cublasCreate_v2(&another));
        (void)p_cublasDestroy_v2(handle);
        exit(failures ? 1 : 0);
    }
    waitpid(child, &status, 0);
    EXPECT(0, status);
    right_numbers(handle);
    EXPECT(OK, p_cublasDestroy_v2(handle));
}

static void reload(void) {
    cublasHandle_t handle, kept = NULL;
    for (int i = 0; i < 5; i++) {
        EXPECT(OK, p_cublasCreate_v2(&handle));
        right_numbers(handle);
        if (i == 2) kept = handle; /* unloaded with a handle alive: it stays one */
        else EXPECT(OK, p_cublasDestroy_v2(handle));
        dlclose(library);
        open_library();
    }
    right_numbers(kept);
    EXPECT(OK, p_cublasDestroy_v2(kept));
}

/* Each function of LIBRARY with WORD for its first argument and nothing for the others. */
static void every(const char *word, const char *file) {
    void *other = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    uintptr_t first = strtoull(word, NULL, 0);
    int live = !strcmp(word, "live"), freed = !strcmp(word, "freed");
    cublasHandle_t handle = NULL;
    char name[128];
    if (freed) {
        EXPECT(OK, p_cublasCreate_v2(&handle));
        EXPECT(OK, p_cublasDestroy_v2(handle));
        first = (uintptr_t)handle;
    }
    while (scanf("%127s", name) == 1) {
        typedef int (*call)(uintptr_t, long, long, long, long, long, long, long, long, long, long, long, long, long,
                            long, long, long, long, long, long, long, long, long, long, long, long);
        call function = (call)dlsym(other, name);
        fprintf(stderr, "%s\n", name); /* the last one written is the one that crashed */
        if (live) { /* a fresh one for each: some destroy it */
            EXPECT(OK, p_cublasCreate_v2(&handle));
            first = (uintptr_t)handle;
        }
        if (!function) printf("no %s\n", name), failures++;
        else
            fprintf(stderr, "  %d\n",
                    function(first, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0));
        if (live) (void)p_cublasDestroy_v2(handle);
    }
}

int main(int count, char **words) {
    if (count < 3) return fprintf(stderr, "usage: client LIBCUBLAS SCENARIO\n"), 2;
    const char *what = words[2];
    path = words[1];
    open_library();
    if (!strcmp(what, "garbage")) garbage();
    else if (!strcmp(what, "threads")) threads();
    else if (!strcmp(what, "cycles")) cycles(atol(words[3]));
    else if (!strcmp(what, "tiles")) tiles();
    else if (!strcmp(what, "fork")) in_a_child();
    else if (!strcmp(what, "reload")) reload();
    else if (!strcmp(what, "every")) every(words[3], words[4]);
    else if (!strcmp(what, "exit")) {
        cublasHandle_t handles[3];
        for (int i = 0; i < 3; i++) EXPECT(OK, p_cublasCreate_v2(&handles[i]));
        right_numbers(handles[1]);
    } else
        return fprintf(stderr, "no scenario %s\n", what), 2;
    if (!failures) puts("ok");
    return failures ? 1 : 0;
}
