/* Calls one function many times, either AMD's straight or the same through a layer above it.
 *
 *     driver LIBRARY LAYER < orders
 *
 * LIBRARY is (a stand-in for) librocblas. LAYER is whose names LIBRARY's callers would use: `rocblas` (the library
 * itself), `cublas` or `hipblas`. An order is a line `sgemm 1000`; the answer is a line with the nanoseconds that the
 * thousand calls took, a few calls before them not counted. The loop of an order is a function of its own
 * (`loop_sgemm`), so that a profiler tells them apart; its body is the same whoever is called. Below `measure`
 * everything counts. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef int (*create_call)(void **);
typedef struct {
    void *call;
    void *handle;
    void *streams[2];
    /* this layer's numbers: N, left, upper, non-unit, 32-bit float (twice), default */
    int op, side, fill, diag, real, compute, algo;
} layer;

static float one = 1.0f, data[64];
static int status_of_all; /* every answer must be 0 */

#define LOOP(name, types, ...) \
    __attribute__((noinline)) static void loop_##name(const layer *to, long count) { \
        int(*call) types = (int(*) types)to->call; \
        int status = 0; \
        for (long i = 0; i < count; i++) status |= call(__VA_ARGS__); \
        status_of_all |= status; \
    }

typedef const float *in;
typedef const void *any;
LOOP(saxpy, (void *, int, in, in, int, float *, int), to->handle, 8, &one, data, 1, data + 8, 1)
LOOP(sdot, (void *, int, in, int, in, int, float *), to->handle, 8, data, 1, data + 8, 1, data + 16)
LOOP(sger, (void *, int, int, in, in, int, in, int, float *, int), to->handle, 2, 3, &one, data, 1, data + 8, 1,
     data + 16, 2)
LOOP(sgemm, (void *, int, int, int, int, int, in, in, int, in, int, in, float *, int), to->handle, to->op, to->op, 2, 3,
     4, &one, data, 2, data + 8, 4, &one, data + 32, 2)
LOOP(sgemmStridedBatched,
     (void *, int, int, int, int, int, in, in, int, long long, in, int, long long, in, float *, int, long long, int),
     to->handle, to->op, to->op, 2, 2, 2, &one, data, 2, 4ll, data + 16, 2, 4ll, &one, data + 32, 2, 4ll, 2)
LOOP(strsm, (void *, int, int, int, int, int, int, in, in, int, float *, int), to->handle, to->side, to->fill, to->op,
     to->diag, 2, 3, &one, data, 2, data + 8, 2)
/* AMD's own has a separate result, a solution and flags; NVIDIA's and hipBLAS's agree. */
LOOP(gemmEx,
     (void *, int, int, int, int, int, any, any, int, int, any, int, int, any, void *, int, int, int, int),
     to->handle, to->op, to->op, 2, 3, 4, &one, data, to->real, 2, data + 8, to->real, 4, &one, data + 32, to->real, 2,
     to->compute, to->algo)
LOOP(gemm_ex,
     (void *, int, int, int, int, int, any, any, int, int, any, int, int, any, any, int, int, void *, int, int, int,
      int, int, unsigned),
     to->handle, to->op, to->op, 2, 3, 4, &one, data, to->real, 2, data + 8, to->real, 4, &one, data + 32, to->real, 2,
     data + 32, to->real, 2, to->compute, 0, 0, 0)
/* Composed calls: bytes into 32 bits, and two groups of products, for which AMD's function is called twice. */
LOOP(gemmExInt8,
     (void *, int, int, int, int, int, any, any, int, int, any, int, int, any, void *, int, int, int, int),
     to->handle, to->op, to->op, 2, 3, 4, &one, data, 3, 2, data + 8, 3, 4, &one, data + 32, 10, 2, 72, 0)
LOOP(gemm_ex_int8,
     (void *, int, int, int, int, int, any, any, int, int, any, int, int, any, any, int, int, void *, int, int, int,
      int, int, unsigned),
     to->handle, to->op, to->op, 2, 3, 4, &one, data, 160, 2, data + 8, 160, 4, &one, data + 32, 162, 2, data + 32, 162,
     2, 162, 0, 0, 0)
typedef const int *ints;
static const int none[2], side[2] = {2, 2}, members[2] = {3, 4};
static const float ones[2] = {1.0f, 1.0f};
static void *const places[3 * 7] = {data, data, data, data, data, data, data, data, data, data, data,
                                    data, data, data, data, data, data, data, data, data, data};
LOOP(gemmGrouped,
     (void *, ints, ints, ints, ints, ints, in, any, ints, any, ints, in, any, ints, int, ints), to->handle, none, none,
     side, side, side, ones, places, side, places + 7, side, ones, places + 14, side, 2, members)
typedef int (*batched_call)(void *, int, int, int, int, int, any, any, int, int, any, int, int, any, any, int, int,
                            void *, int, int, int, int, int, int, unsigned);
__attribute__((noinline)) static void loop_two_gemm_batched_ex(const layer *to, long count) {
    batched_call call = (batched_call)to->call;
    int status = 0;
    for (long i = 0; i < count; i++) {
        status |= call(to->handle, to->op, to->op, 2, 2, 2, ones, places, 151, 2, places + 7, 151, 2, ones, places + 14,
                       151, 2, (void *)(places + 14), 151, 2, 3, 151, 0, 0, 0);
        status |= call(to->handle, to->op, to->op, 2, 2, 2, ones, places, 151, 2, places + 7, 151, 2, ones, places + 14,
                       151, 2, (void *)(places + 14), 151, 2, 4, 151, 0, 0, 0);
    }
    status_of_all |= status;
}
LOOP(setStream, (void *, void *), to->handle, to->streams[i & 1])
LOOP(getStream, (void *, void **), to->handle, (void **)(data + 40))

typedef struct {
    const char *name, *rocblas, *cublas, *hipblas;
    void (*loop)(const layer *, long);
    void (*direct)(const layer *, long); /* where AMD's function takes other arguments */
} order;
static const order orders[] = {
    {"saxpy", "rocblas_saxpy", "cublasSaxpy_v2", "hipblasSaxpy", loop_saxpy},
    {"sdot", "rocblas_sdot", "cublasSdot_v2", "hipblasSdot", loop_sdot},
    {"sger", "rocblas_sger", "cublasSger_v2", "hipblasSger", loop_sger},
    {"sgemm", "rocblas_sgemm", "cublasSgemm_v2", "hipblasSgemm", loop_sgemm},
    {"sgemmStridedBatched", "rocblas_sgemm_strided_batched", "cublasSgemmStridedBatched", "hipblasSgemmStridedBatched",
     loop_sgemmStridedBatched},
    {"strsm", "rocblas_strsm", "cublasStrsm_v2", "hipblasStrsm", loop_strsm},
    {"gemmEx", "rocblas_gemm_ex", "cublasGemmEx", "hipblasGemmEx_v2", loop_gemmEx, loop_gemm_ex},
    {"gemmExInt8", "rocblas_gemm_ex", "cublasGemmEx", NULL, loop_gemmExInt8, loop_gemm_ex_int8},
    {"gemmGrouped", "rocblas_gemm_batched_ex", "cublasSgemmGroupedBatched", NULL, loop_gemmGrouped,
     loop_two_gemm_batched_ex},
    {"setStream", "rocblas_set_stream", "cublasSetStream_v2", "hipblasSetStream", loop_setStream},
    {"getStream", "rocblas_get_stream", "cublasGetStream_v2", "hipblasGetStream", loop_getStream},
};

static void (*loop_of(const order *what, const layer *to))(const layer *, long) {
    return to->real == 151 && what->direct ? what->direct : what->loop;
}

__attribute__((noinline)) static long long measure(const order *what, const layer *to, long times) {
    struct timespec start, end;
    clock_gettime(CLOCK_MONOTONIC, &start);
    loop_of(what, to)(to, times);
    clock_gettime(CLOCK_MONOTONIC, &end);
    return (end.tv_sec - start.tv_sec) * 1000000000ll + end.tv_nsec - start.tv_nsec;
}

static void *symbol(void *library, const char *name) {
    void *found = dlsym(library, name);
    if (!found) fprintf(stderr, "no %s\n", name), exit(3);
    return found;
}

int main(int count, char **words) {
    if (count != 3) return fprintf(stderr, "usage: driver LIBRARY LAYER\n"), 2;
    void *library = dlopen(words[1], RTLD_NOW | RTLD_LOCAL);
    if (!library) return fprintf(stderr, "%s\n", dlerror()), 3;
    int nvidia = !strcmp(words[2], "cublas"), hip = !strcmp(words[2], "hipblas");
    layer to = {.op = nvidia ? 0 : 111, .side = nvidia ? 0 : 141, .fill = nvidia ? 1 : 121, .diag = nvidia ? 0 : 131};
    to.real = nvidia || hip ? 0 : 151, to.compute = nvidia ? 68 : hip ? 2 : 151, to.algo = hip ? 160 : 0;
    to.streams[0] = data, to.streams[1] = data + 1;
    create_call create = (create_call)symbol(
        library, nvidia ? "cublasCreate_v2" : hip ? "hipblasCreate" : "rocblas_create_handle");
    if (create(&to.handle)) return fprintf(stderr, "create fails\n"), 3;

    char name[64];
    long times;
    while (scanf("%63s %ld", name, &times) == 2) {
        const order *found = NULL;
        for (size_t i = 0; i < sizeof orders / sizeof *orders; i++)
            if (!strcmp(orders[i].name, name)) found = &orders[i];
        if (!found) return fprintf(stderr, "no order %s\n", name), 2;
        to.call = symbol(library, nvidia ? found->cublas : hip ? found->hipblas : found->rocblas);
        loop_of(found, &to)(&to, 4); /* first use: libraries are opened, names bound */
        printf("%lld\n", measure(found, &to, times));
        fflush(stdout);
    }
    if (status_of_all) fprintf(stderr, "a call answered %d\n", status_of_all);
    return status_of_all ? 4 : 0;
}
