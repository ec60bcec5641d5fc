/* See contexts.h. */
#include "contexts.h"

#include "dark.h"
#include "platform.h"

#include <limits.h>

static volatile int initialised;

enum { DEPTH = 64 };
static _Thread_local void *stack[DEPTH];
static _Thread_local int depth;

static struct {
    void *context;
    int held;
    uint32_t flags;
} primaries[CUDA_DEVICES];

void cuda_init(void) { dg_store(&initialised, 1); }

/* To be loaded is not enough: a library that nobody has called yet has done nothing, here and with NVIDIA's. */
static int runtime_used(void) { return dg_the_core && dg_the_core->runtime_used(); }

int cuda_ready(void) { return dg_load(&initialised) || runtime_used(); }

static int alive(const void *context) {
    return context && dg_the_core && dg_the_core->slot_check(context, DG_CONTEXT) == DG_OK;
}

void *cuda_current(int device) {
    if (depth) return alive(stack[depth - 1]) ? stack[depth - 1] : NULL;
    return runtime_used() ? cuda_primary(device, 0) : NULL;
}

int cuda_push(void *context) {
    if (depth == DEPTH) return 0;
    stack[depth++] = context;
    return 1;
}

void *cuda_pop(void) { return depth ? stack[--depth] : NULL; }

void cuda_set(void *context) {
    if (depth) depth--;
    if (context) stack[depth++] = context;
}

void cuda_forget(void *context) {
    if (depth && stack[depth - 1] == context) depth--;
}

static int in_range(int device) { return device >= 0 && device < CUDA_DEVICES; }

void *cuda_primary(int device, int hold) {
    void *context = NULL;
    if (!in_range(device) || !dg_the_core) return NULL;
    dg_the_core->lock();
    if (!primaries[device].context) {
        cuda_context *made = dg_the_core->slot_new(DG_CONTEXT);
        if (made) {
            made->device = device;
            made->primary = 1;
            primaries[device].context = made;
        }
    }
    context = primaries[device].context;
    if (context && hold) primaries[device].held++;
    dg_the_core->unlock();
    return context;
}

int cuda_primary_release(int device) {
    int held = 0;
    if (!in_range(device) || !dg_the_core) return 0;
    dg_the_core->lock();
    held = primaries[device].held;
    if (held) primaries[device].held--;
    dg_the_core->unlock();
    if (held == 1) dark_context_ends(primaries[device].context);
    return held != 0;
}

int cuda_primary_held(int device) { return in_range(device) && primaries[device].held; }

uint32_t *cuda_primary_flags(int device) { return in_range(device) ? &primaries[device].flags : NULL; }

/* ---- cuGetProcAddress: over this library's own exports ---- */

static void *own_symbol(const char *name, const char *second, const char *third) {
    static void *volatile own;
    char path[DG_PATH], full[128];
    void *module = dg_load_pointer(&own);
    if (!module) {
        if (dg_module_file_of(&dg_own_library, path, sizeof path) < 0) return NULL;
        module = dg_module_loaded(path);
        if (!module) return NULL;
        dg_store_pointer(&own, module);
    }
    if (snprintf(full, sizeof full, "%s%s%s", name, second, third) >= (int)sizeof full) return NULL;
    return dg_module_symbol(module, full);
}

void *cuda_function(const char *name, int version, uint64_t flags, int *found) {
    const char *const twins[] = {"_ptsz", "_ptds"};
    void *function = NULL;
    *found = 1; /* no such name */
    if (!strncmp(name, "cu", 2) && strlen(name) < 96) {
        const char *suffix = dark_suffix(name, version);
        if (!suffix) {
            *found = 2; /* only in a later version */
            return NULL;
        }
        for (int i = 0; i < 2 && (flags & 2) && !function; i++) function = own_symbol(name, suffix, twins[i]);
        if (!function) function = own_symbol(name, suffix, "");
        if (function) *found = 0;
        else if ((suffix = dark_suffix(name, INT_MAX)) && own_symbol(name, suffix, "")) *found = 2;
    }
    return function;
}
