/* Calls one function of cuDNN many times, or the one of MIOpen's that it leads to, with the same tensors.
 *
 *     dnn LIBRARY LAYER < orders
 *
 * LIBRARY is a stand-in for libMIOpen (LAYER `miopen`) or our libcudnn over it (`cudnn`). An order is a line
 * `SoftmaxForward 1000`; the answer is a line with the nanoseconds that the thousand calls took, a few calls before
 * them not counted. `allocated SoftmaxForward 1000` answers how much the calls allocated after the first: on the heap,
 * of MIOpen's descriptors and of the card's memory together. Otherwise all is as in driver.c. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* The heap, counted: the libraries that are opened here call these. */
extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
static long on_heap;
void *malloc(size_t bytes) { return on_heap++, __libc_malloc(bytes); }
void *calloc(size_t count, size_t bytes) { return on_heap++, __libc_calloc(count, bytes); }
void *realloc(void *place, size_t bytes) { return on_heap++, __libc_realloc(place, bytes); }
void *aligned_alloc(size_t align, size_t bytes) { return on_heap++, __libc_memalign(align, bytes); }
int posix_memalign(void **place, size_t align, size_t bytes) {
    on_heap++;
    return (*place = __libc_memalign(align, bytes)) ? 0 : 12;
}

typedef struct {
    void *call, *handle;
    void *x, *y, *w, *pooled, *row, *conv, *pool, *act, *op; /* descriptors; MIOpen's are dummies */
} layer;

static float one = 1, zero, in[1024], out[1024];
static int status_of_all; /* every answer must be 0 */

#define LOOP(name, types, ...) \
    __attribute__((noinline)) static void loop_##name(const layer *to, long count) { \
        int(*call) types = (int(*) types)to->call; \
        int status = 0; \
        for (long i = 0; i < count; i++) status |= call(__VA_ARGS__); \
        status_of_all |= status; \
    }

typedef void *p;
typedef const void *any;
LOOP(SoftmaxForward, (p, int, int, any, p, any, any, p, p), to->handle, 1, 1, &one, to->x, in, &zero, to->y, out)
LOOP(miopen_SoftmaxForward, (p, any, p, any, any, p, p, int, int), to->handle, &one, to->x, in, &zero, to->y, out, 1, 1)
LOOP(SoftmaxBackward, (p, int, int, any, p, any, p, any, any, p, p), to->handle, 1, 1, &one, to->y, in, to->y, in,
     &zero, to->x, out)
LOOP(miopen_SoftmaxBackward, (p, any, p, any, p, any, any, p, p, int, int), to->handle, &one, to->y, in, to->y, in,
     &zero, to->x, out, 1, 1)
LOOP(PoolingForward, (p, p, any, p, any, any, p, p), to->handle, to->pool, &one, to->x, in, &zero, to->pooled, out)
LOOP(miopen_PoolingForward, (p, p, any, p, any, any, p, p, unsigned char, p, size_t), to->handle, to->pool, &one, to->x,
     in, &zero, to->pooled, out, 0, NULL, 0)
LOOP(ActivationForward, (p, p, any, p, any, any, p, p), to->handle, to->act, &one, to->x, in, &zero, to->y, out)
LOOP(ActivationBackward, (p, p, any, p, any, p, any, p, any, any, p, p), to->handle, to->act, &one, to->y, in, to->y,
     in, to->x, in, &zero, to->x, out)
LOOP(OpTensor, (p, p, any, p, any, any, p, any, any, p, p), to->handle, to->op, &one, to->x, in, &one, to->row, in,
     &zero, to->y, out)
LOOP(miopen_OpTensor, (p, int, any, p, any, any, p, any, any, p, p), to->handle, 0, &one, to->x, in, &one, to->row, in,
     &zero, to->y, out)
LOOP(ConvolutionForward, (p, any, p, any, p, any, p, int, p, size_t, any, p, p), to->handle, &one, to->x, in, to->w, in,
     to->conv, 1, NULL, 0, &zero, to->y, out)
LOOP(miopen_ConvolutionForward, (p, p, any, p, any, p, p, p, p, size_t, unsigned long long), to->handle, to->w, in,
     to->x, in, to->conv, to->y, out, NULL, 0, 7)

typedef struct {
    const char *name, *cudnn, *miopen;
    void (*ours)(const layer *, long);
    void (*direct)(const layer *, long);
} order;
static const order orders[] = {
    {"SoftmaxForward", "cudnnSoftmaxForward", "miopenSoftmaxForward_V2", loop_SoftmaxForward,
     loop_miopen_SoftmaxForward},
    {"SoftmaxBackward", "cudnnSoftmaxBackward", "miopenSoftmaxBackward_V2", loop_SoftmaxBackward,
     loop_miopen_SoftmaxBackward},
    {"PoolingForward", "cudnnPoolingForward", "miopenPoolingForward", loop_PoolingForward, loop_miopen_PoolingForward},
    {"ActivationForward", "cudnnActivationForward", "miopenActivationForward", loop_ActivationForward,
     loop_ActivationForward},
    {"ActivationBackward", "cudnnActivationBackward", "miopenActivationBackward", loop_ActivationBackward,
     loop_ActivationBackward},
    {"OpTensor", "cudnnOpTensor", "miopenOpTensor", loop_OpTensor, loop_miopen_OpTensor},
    {"ConvolutionForward", "cudnnConvolutionForward", "miopenConvolutionForwardImmediate", loop_ConvolutionForward,
     loop_miopen_ConvolutionForward},
};

__attribute__((noinline)) static long long measure(void (*loop)(const layer *, long), const layer *to, long times) {
    struct timespec start, end;
    clock_gettime(CLOCK_MONOTONIC, &start);
    loop(to, times);
    clock_gettime(CLOCK_MONOTONIC, &end);
    return (end.tv_sec - start.tv_sec) * 1000000000ll + end.tv_nsec - start.tv_nsec;
}

static void *library;

static void *symbol(const char *name) {
    void *found = dlsym(library, name);
    if (!found) fprintf(stderr, "no %s\n", name), exit(3);
    return found;
}

static void *create(const char *name) {
    void *made = NULL;
    if (((int (*)(void **))symbol(name))(&made)) fprintf(stderr, "%s fails\n", name), exit(3);
    return made;
}

#define SET(name, ...) \
    if (((int (*)())symbol(name))(__VA_ARGS__)) return fprintf(stderr, "%s fails\n", name), 3

static int describe(layer *to) {
    to->handle = create("cudnnCreate");
    to->x = create("cudnnCreateTensorDescriptor"), to->y = create("cudnnCreateTensorDescriptor");
    to->pooled = create("cudnnCreateTensorDescriptor"), to->row = create("cudnnCreateTensorDescriptor");
    to->w = create("cudnnCreateFilterDescriptor"), to->conv = create("cudnnCreateConvolutionDescriptor");
    to->pool = create("cudnnCreatePoolingDescriptor"), to->act = create("cudnnCreateActivationDescriptor");
    to->op = create("cudnnCreateOpTensorDescriptor");
    SET("cudnnSetTensor4dDescriptor", to->x, 0, 0, 2, 8, 6, 6);
    SET("cudnnSetTensor4dDescriptor", to->y, 0, 0, 2, 8, 6, 6);
    SET("cudnnSetTensor4dDescriptor", to->pooled, 0, 0, 2, 8, 3, 3);
    SET("cudnnSetTensor4dDescriptor", to->row, 0, 0, 1, 8, 1, 1);
    SET("cudnnSetFilter4dDescriptor", to->w, 0, 0, 8, 8, 3, 3);
    SET("cudnnSetConvolution2dDescriptor", to->conv, 1, 1, 1, 1, 1, 1, 1, 0);
    SET("cudnnSetPooling2dDescriptor", to->pool, 0, 0, 2, 2, 0, 0, 2, 2);
    SET("cudnnSetActivationDescriptor", to->act, 1, 0, 0.0);
    SET("cudnnSetOpTensorDescriptor", to->op, 0, 0, 0);
    return 0;
}

/* What has been allocated so far. The stand-ins' counts are found where the process has them. */
static long allocated(const int *descriptors, const int *mallocs) { return on_heap + *descriptors + *mallocs; }

static const int *counter(const char *file, const char *name) {
    void *stub = dlopen(file, RTLD_NOW | RTLD_NOLOAD);
    const int *found = stub ? dlsym(stub, name) : NULL;
    if (!found) fprintf(stderr, "no %s in %s\n", name, file), exit(3);
    return found;
}

int main(int count, char **words) {
    if (count != 3) return fprintf(stderr, "usage: dnn LIBRARY LAYER\n"), 2;
    library = dlopen(words[1], RTLD_NOW | RTLD_LOCAL);
    if (!library) return fprintf(stderr, "%s\n", dlerror()), 3;
    int nvidia = !strcmp(words[2], "cudnn");
    layer to;
    for (size_t i = 0; i < sizeof to / sizeof(void *); i++) ((void **)&to)[i] = &zero;
    if (nvidia && describe(&to)) return 3;

    char name[64];
    long times;
    while (scanf("%63s", name) == 1) {
        int counts = !strcmp(name, "allocated");
        if (counts && scanf("%63s", name) != 1) break;
        if (scanf("%ld", &times) != 1) break;
        const order *found = NULL;
        for (size_t i = 0; i < sizeof orders / sizeof *orders; i++)
            if (!strcmp(orders[i].name, name)) found = &orders[i];
        if (!found) return fprintf(stderr, "no order %s\n", name), 2;
        to.call = symbol(nvidia ? found->cudnn : found->miopen);
        void (*loop)(const layer *, long) = nvidia ? found->ours : found->direct;
        loop(&to, counts ? 1 : 4); /* first use: libraries are opened, names bound, descriptors made */
        if (counts) {
            const int *descriptors = counter("libMIOpen.so.1", "stub_descriptors");
            const int *mallocs = counter("libamdhip64.so.7", "stub_mallocs");
            long before = allocated(descriptors, mallocs);
            loop(&to, times);
            printf("%ld\n", allocated(descriptors, mallocs) - before);
        } else
            printf("%lld\n", measure(loop, &to, times));
        fflush(stdout);
    }
    if (status_of_all) fprintf(stderr, "a call answered %d\n", status_of_all);
    return status_of_all ? 4 : 0;
}
