/* MIOpen and HIP's runtime with faults: what is not here comes from the real library that this one is linked with.
 * BUILD: cc -shared -fPIC -DSHIM_DNN shim.c -o libMIOpen.so.1 -Wl,-soname,libshim_dnn.so -L… -l:libMIOpen.so.1 -ldl
 * Each call of a solution, and each compilation, is a line in SHIM_TRACE: "compile 91", "call 91".
 * SHIM_SLOW, SHIM_BROKEN, SHIM_FAILING: numbers between commas of solvers that compile for 2.1 s, that cannot be
 * compiled, that fail when called. SHIM_ALSO: another number for the solution that is a product. SHIM_GFX,
 * SHIM_RELEASE: the card, and HIP's number of its release. SHIM_CAPTURING: every stream is said to be captured. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef SHIM_HIP
int hipGetDevicePropertiesR0600(void *properties, int device) {
    int (*real)(void *, int) = (int (*)(void *, int))dlsym(dlopen(getenv("SHIM_REAL_HIP"), RTLD_NOW), __func__);
    int status = real(properties, device);
    const char *gfx = getenv("SHIM_GFX");
    if (!status && gfx) strcpy((char *)properties + 1160, gfx); /* gcnArchName */
    return status;
}

int hipStreamIsCapturing(void *stream, int *status) {
    (void)stream;
    return *status = getenv("SHIM_CAPTURING") != NULL, 0;
}

int hipRuntimeGetVersion(int *version) {
    const char *release = getenv("SHIM_RELEASE");
    return *version = release ? atoi(release) : 70200000, 0;
}
#endif

#ifdef SHIM_DNN
typedef unsigned long long u64;

static int is_among(const char *variable, u64 solver) {
    char word[32], text[256];
    const char *list = getenv(variable);
    if (!list) return 0;
    snprintf(word, sizeof word, ",%llu,", solver);
    snprintf(text, sizeof text, ",%s,", list);
    return strstr(text, word) != NULL;
}

static void trace(const char *what, u64 solver) {
    const char *path = getenv("SHIM_TRACE");
    FILE *file = path ? fopen(path, "a") : NULL;
    if (!file) return;
    fprintf(file, "%s %llu\n", what, solver);
    fclose(file);
}

static void *real(const char *name) { return dlsym(dlopen(getenv("SHIM_REAL_DNN"), RTLD_NOW), name); }

typedef struct {
    float time;
    size_t bytes;
    u64 solver;
    unsigned algorithm;
} solution;
static u64 product; /* its own number */

static u64 called(u64 solver) {
    const char *also = getenv("SHIM_ALSO");
    return also && solver == strtoull(also, NULL, 10) ? product : solver;
}

#define SHIM(Direction) \
    int miopenConvolution##Direction##GetSolution(void *h, void *a, void *b, void *c, void *d, size_t most, \
                                                  size_t *count, solution *found) { \
        int (*next)(void *, void *, void *, void *, void *, size_t, size_t *, solution *); \
        const char *also = getenv("SHIM_ALSO"); \
        int status; \
        *(void **)&next = real(__func__); \
        status = next(h, a, b, c, d, most, count, found); \
        if (!status && also) product = found->solver, found->solver = strtoull(also, NULL, 10); \
        return status; \
    } \
    int miopenConvolution##Direction##CompileSolution(void *h, void *a, void *b, void *c, void *d, u64 solver) { \
        int (*next)(void *, void *, void *, void *, void *, u64); \
        *(void **)&next = real(__func__); \
        trace("compile", solver); \
        if (is_among("SHIM_SLOW", solver)) usleep(2100000); \
        return is_among("SHIM_BROKEN", solver) ? 7 : next(h, a, b, c, d, called(solver)); \
    } \
    int miopenConvolution##Direction##Immediate(void *h, void *a, void *x, void *b, void *y, void *conv, void *c, \
                                                void *z, void *work, size_t bytes, u64 solver) { \
        int (*next)(void *, void *, void *, void *, void *, void *, void *, void *, void *, size_t, u64); \
        *(void **)&next = real(__func__); \
        trace("call", solver); \
        return is_among("SHIM_FAILING", solver) ? 7 : next(h, a, x, b, y, conv, c, z, work, bytes, called(solver)); \
    }
SHIM(Forward)
SHIM(BackwardData)
SHIM(BackwardWeights)
#endif
