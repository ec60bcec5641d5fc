/* The little state that the CUDA runtime keeps: see keep.h. */
#include "keep.h"

#include "cudart_backend.h"
#include "platform.h"

static _Thread_local cudaError_t last_error;
static volatile int stuck_error; /* of the process: its device memory cannot be trusted any more */

static int sticks(cudaError_t status) {
    switch (status) {
    case 214: case 220: case 226: case 700: case 702: case 710: case 714:
    case 715: case 716: case 717: case 718: case 719: case 721:
        return 1;
    default:
        return 0;
    }
}

cudaError_t cudart_keep(cudaError_t status) {
    if (status == 0) return status;
    if (dg_own_backends[DG_OF_HIP].state == 1) dg_hip.hipGetLastError();
    if (status == 600) return status;
    last_error = status;
    if (sticks(status)) dg_store(&stuck_error, (int)status);
    return status;
}

cudaError_t cudart_last(int forget) {
    cudaError_t status = last_error;
    int stuck = dg_load(&stuck_error);
    if (stuck) return (cudaError_t)stuck;
    if (forget) last_error = 0;
    return status;
}

void cudart_forget_all(void) {
    dg_store(&stuck_error, 0);
    last_error = 0;
}

unsigned cudart_flags(int set, unsigned flags) {
    static volatile int kept;
    if (set) dg_store(&kept, (int)flags);
    return (unsigned)dg_load(&kept);
}

enum { DEPTH = 16 };
static _Thread_local struct {
    dim3 grid, block;
    size_t shared;
    void *stream;
} launches[DEPTH];
static _Thread_local int launch_count;

int cudart_push(dim3 grid, dim3 block, size_t shared, void *stream) {
    if (launch_count == DEPTH) return 0;
    launches[launch_count].grid = grid;
    launches[launch_count].block = block;
    launches[launch_count].shared = shared;
    launches[launch_count++].stream = stream;
    return 1;
}

int cudart_pop(dim3 *grid, dim3 *block, size_t *shared, void **stream) {
    if (launch_count == 0) return 0;
    launch_count--;
    if (grid) *grid = launches[launch_count].grid;
    if (block) *block = launches[launch_count].block;
    if (shared) *shared = launches[launch_count].shared;
    if (stream) *stream = launches[launch_count].stream;
    return 1;
}

void **cudart_module(void) {
    static void *module;
    return &module;
}

typedef unsigned (*get_address)(const char *name, void **function, int version, uint64_t flags, int *found);

int cudart_driver(const char *name, void **function, int version, unsigned long long flags, int *found) {
    static void *volatile known;
    char folder[DG_PATH], path[DG_PATH];
    get_address get = (get_address)dg_load_pointer(&known);
    *function = NULL;
    *found = 1; /* no such symbol */
    if (!get) {
        void *driver;
        if (dg_module_file_of(&dg_own_library, folder, sizeof folder) < 0 || !dg_cut_name(folder)) return 0;
        if (dg_join(path, sizeof path, folder, DG_WINDOWS ? "nvcuda.dll" : "libcuda.so.1") < 0 || !dg_is_file(path))
            return 0;
        driver = dg_module_open(path, 0);
        get = driver ? (get_address)dg_module_symbol(driver, "cuGetProcAddress_v2") : NULL;
        if (!get) return 0;
        dg_store_pointer(&known, (void *)get);
    }
    return get(name, function, version, flags, found) == 0 && *function != NULL;
}
