/* Asks the driver what NVIDIA's runtimes ask, without one: tables of functions, storage by context, forms of names. */
#include <cuda.h>
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                    \
    do {                                                                    \
        if (!(condition)) {                                                 \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
            exit(1);                                                        \
        }                                                                   \
    } while (0)

typedef CUresult (*export_table_t)(const void **, const CUuuid *);
typedef CUresult (*proc_t)(const char *, void **, int, uint64_t, int *);
typedef CUresult (*retain_t)(CUcontext *, CUdevice);
typedef CUresult (*set_t)(CUcontext);
typedef CUresult (*device_t)(CUdevice);
typedef CUresult (*init_t)(unsigned);
typedef CUresult (*device_of_t)(CUdevice *, CUcontext);

static void *driver;
static void *named(const char *name) {
    void *found = dlsym(driver, name);
    if (!found) fprintf(stderr, "no %s\n", name);
    CHECK(found);
    return found;
}

static const CUuuid ids[] = {
    {{0x6b, (char)0xd5, (char)0xfb, 0x6c, 0x5b, (char)0xf4, (char)0xe7, 0x4a, (char)0x89, (char)0x87, (char)0xd9, 0x39,
      0x12, (char)0xfd, (char)0x9d, (char)0xf9}},
    {{(char)0xc6, (char)0x93, 0x33, 0x6e, 0x11, 0x21, (char)0xdf, 0x11, (char)0xa8, (char)0xc3, 0x68, (char)0xf3, 0x55,
      (char)0xd8, (char)0x95, (char)0x93}},
    {{0}},
};

static const void *const *table(int which) {
    const void *found = NULL;
    const export_table_t get = (export_table_t)named("cuGetExportTable");
    CHECK(get(&found, &ids[which]) == CUDA_SUCCESS && found);
    return found;
}

/* ---- names by version */

static void *form(const char *name, int version, uint64_t flags, int *why) {
    void *found = NULL;
    const CUresult status = ((proc_t)named("cuGetProcAddress_v2"))(name, &found, version, flags, why);
    CHECK(status == CUDA_SUCCESS); /* whoever asks why gets the answer in `why` */
    CHECK((*why == 0) == (found != NULL));
    return found;
}

static void forms(int major) {
    int why = -1;
    CHECK(form("cuMemAlloc", 3020, 0, &why) == named("cuMemAlloc_v2"));
    CHECK(form("cuMemAlloc", 12000, 0, &why) == named("cuMemAlloc_v2"));
    CHECK(!form("cuMemAlloc", 2000, 0, &why) && why == 2); /* the form with 32-bit sizes is not here */
    CHECK(!form("cuMemAlloc", 1000, 0, &why) && why == 2);
    CHECK(form("cuDevicePrimaryCtxReset", 7000, 0, &why) == named("cuDevicePrimaryCtxReset"));
    CHECK(form("cuDevicePrimaryCtxReset", 11000, 0, &why) == named("cuDevicePrimaryCtxReset_v2"));
    CHECK(form("cuStreamGetCtx", 9020, 0, &why) == named("cuStreamGetCtx"));
    CHECK(!form("cuStreamGetCtx", 12050, 0, &why) && why == 1); /* it would write more than ours knows of */
    if (major >= 12)
        CHECK(form("cuCtxCreate", 12050, 0, &why) == named("cuCtxCreate_v4"));
    else
        CHECK(!form("cuCtxCreate", 12050, 0, &why) && why == 1);
    CHECK(form("cuMemcpyHtoDAsync", 7000, 2, &why) == named("cuMemcpyHtoDAsync_v2_ptsz"));
    CHECK(form("cuMemcpyHtoDAsync", 7000, 1, &why) == named("cuMemcpyHtoDAsync_v2"));
    CHECK(form("cuMemcpy2DUnaligned", 7000, 2, &why) == named("cuMemcpy2DUnaligned_v2_ptds"));
    CHECK(form("cuInit", 2000, 2, &why) == named("cuInit"));
    CHECK(!form("cuNothing", 12000, 0, &why) && why == 1);
    if (major >= 13) {
        CHECK(form("cuCtxGetDevice", 13000, 0, &why) == named("cuCtxGetDevice_v2"));
        CHECK(form("cuCtxGetDevice", 12090, 0, &why) == named("cuCtxGetDevice"));
    }
}

/* ---- storage */

typedef CUresult (*put_t)(CUcontext, void *, void *, void (*)(CUcontext, void *, void *));
typedef CUresult (*take_t)(CUcontext, void *);
typedef CUresult (*keep_t)(void **, CUcontext, void *);

static CUcontext ended;
static void *ended_key, *ended_value;
static int ends;
static void end(CUcontext context, void *key, void *value) {
    ended = context;
    ended_key = key;
    ended_value = value;
    ends++;
}

static void storage(void) {
    const void *const *functions = table(1);
    const put_t put = (put_t)functions[0];
    const take_t take = (take_t)functions[1];
    const keep_t get = (keep_t)functions[2];
    int key = 0, other = 0, a = 1, b = 2;
    void *value = NULL;
    CUcontext context = NULL, own = NULL;
    CHECK(get(&value, NULL, &key) == CUDA_ERROR_INVALID_CONTEXT); /* none is current */
    CHECK(((retain_t)named("cuDevicePrimaryCtxRetain"))(&context, 0) == CUDA_SUCCESS);
    CHECK(((set_t)named("cuCtxSetCurrent"))(context) == CUDA_SUCCESS);
    CHECK(get(&value, NULL, &key) == CUDA_ERROR_INVALID_HANDLE);
    CHECK(put(NULL, &key, &a, end) == CUDA_SUCCESS);
    CHECK(put(context, &other, &b, end) == CUDA_SUCCESS);
    CHECK(get(&value, context, &key) == CUDA_SUCCESS && value == &a);
    CHECK(get(&value, NULL, &other) == CUDA_SUCCESS && value == &b);
    CHECK(put(NULL, &key, &b, end) == CUDA_SUCCESS);
    CHECK(get(&value, NULL, &key) == CUDA_SUCCESS && value == &b);
    CHECK(take(NULL, &other) == CUDA_SUCCESS && ends == 0);
    CHECK(get(&value, NULL, &other) == CUDA_ERROR_INVALID_HANDLE);
    CHECK(take(NULL, &other) == CUDA_ERROR_INVALID_HANDLE);
    CHECK(((device_t)named("cuDevicePrimaryCtxReset_v2"))(0) == CUDA_SUCCESS);
    CHECK(ends == 1 && ended == context && ended_key == &key && ended_value == &b);
    CHECK(get(&value, context, &key) == CUDA_ERROR_INVALID_HANDLE);
    CHECK(((CUresult(*)(CUcontext *, unsigned, CUdevice))named("cuCtxCreate_v2"))(&own, 0, 0) == CUDA_SUCCESS);
    CHECK(put(own, &key, &a, end) == CUDA_SUCCESS);
    CHECK(get(&value, context, &key) == CUDA_ERROR_INVALID_HANDLE); /* one key, two contexts */
    CHECK(((set_t)named("cuCtxDestroy_v2"))(own) == CUDA_SUCCESS);
    CHECK(ends == 2 && ended == own && ended_value == &a);
    for (intptr_t i = 1; i < 500; i++) CHECK(put(context, (void *)i, (void *)(i + 1000), NULL) == CUDA_SUCCESS);
    for (intptr_t i = 1; i < 500; i++)
        CHECK(get(&value, context, (void *)i) == CUDA_SUCCESS && value == (void *)(i + 1000));
}

int main(int count, char **argument) {
    const void *none = &none;
    CUcontext context = NULL;
    CHECK(count == 2);
    const int major = atoi(argument[1]);
    driver = dlopen("libcuda.so.1", RTLD_NOW);
    CHECK(driver);
    const void *const *functions = table(0); /* before cuInit, as CUDA 12's runtime asks */
    CHECK((uintptr_t)functions[0] == 13 * sizeof(void *));
    for (int i = 1; i < 13; i++) CHECK(functions[i]);
    CHECK(((export_table_t)named("cuGetExportTable"))(&none, &ids[2]) == CUDA_ERROR_INVALID_VALUE);
    CHECK(((export_table_t)named("cuGetExportTable"))(NULL, &ids[0]) == CUDA_ERROR_INVALID_VALUE);
    CHECK(((retain_t)functions[2])(&context, 0) == CUDA_ERROR_NOT_INITIALIZED);
    CHECK(((init_t)named("cuInit"))(0) == CUDA_SUCCESS);
    CHECK(((retain_t)functions[2])(&context, 0) == CUDA_SUCCESS && context);
    CHECK(((retain_t)functions[2])(&context, 77) == CUDA_ERROR_INVALID_DEVICE);
    CHECK(((CUresult(*)(void))functions[9])() == CUDA_ERROR_NOT_SUPPORTED); /* nobody has described it */
    CHECK(((CUresult(*)(void))functions[6])() == CUDA_ERROR_NO_BINARY_FOR_GPU);
    forms(major);
    storage();
    if (major >= 13) {
        CUdevice device = -1;
        CHECK(((device_of_t)named("cuCtxGetDevice_v2"))(&device, context) == CUDA_SUCCESS && device == 0);
        CHECK(((device_of_t)named("cuCtxGetDevice_v2"))(&device, (CUcontext)&device) == CUDA_ERROR_INVALID_CONTEXT);
        CHECK(((set_t)named("cuCtxSynchronize_v2"))(NULL) == CUDA_SUCCESS);
    }
    puts("done");
    return 0;
}
