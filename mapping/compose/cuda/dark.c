/* Functions behind the tables of tables/cuda/dark/tables.yaml. */
#include "dark_tables.h"
#include "platform.h"
#include "version.h"

/* Public functions of this library. */
CUresult cuCtxGetCurrent(CUcontext *context);
CUresult cuDeviceGetCount(int *count);

void dark_refused(uint32_t *said, const char *why, const char *where) {
    dg_start();
    if (dg_the_core) dg_the_core->unsupported(said, "cuGetExportTable", why, where);
}

/* The first one gets a line. */
static void unknown_table(const unsigned char uuid[16]) {
    static uint32_t said;
    char why[128], digits[33];
    for (int i = 0; i < 16; i++) snprintf(digits + 2 * i, 3, "%02x", uuid[i]);
    snprintf(why, sizeof why, "nobody has described the table %s", digits);
    dark_refused(&said, why, "tables/cuda/dark/tables.yaml");
}

const void *dark_table_of(const unsigned char uuid[16]) {
    for (size_t i = 0; i < sizeof dark_tables / sizeof dark_tables[0]; i++)
        if (!memcmp(dark_tables[i].uuid, uuid, 16)) return dark_tables[i].functions;
    unknown_table(uuid);
    return NULL;
}

const char *dark_suffix(const char *name, int version) {
    size_t low = 0, high = sizeof dark_forms / sizeof dark_forms[0];
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const dark_form *form = &dark_forms[middle];
        const int order = strcmp(name, form->name);
        if (!order) {
            const char *suffix = NULL;
            for (int i = 0; i < DARK_FORMS && form->forms[i].since && form->forms[i].since <= version; i++)
                suffix = form->forms[i].suffix;
            return suffix;
        }
        if (order < 0) high = middle;
        else low = middle + 1;
    }
    return "";
}

/* ---- runtime */

CUresult dark_primary_context(CUcontext *context, CUdevice device) {
    int count = 0;
    const CUresult status = cuDeviceGetCount(&count);
    if (status) return status;
    if (device < 0 || device >= count) return CUDA_ERROR_INVALID_DEVICE;
    *context = cuda_primary(device, 0);
    return *context ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult dark_after_module(size_t unknown) {
    (void)unknown;
    return CUDA_SUCCESS;
}

/* ---- callbacks: the switches of a profiler that is not here */

CUresult dark_call_switches(uint32_t **switches, size_t *count) {
    static uint32_t off[1024];
    *switches = off;
    *count = sizeof off / sizeof off[0];
    return CUDA_SUCCESS;
}

CUresult dark_other_switches(uint32_t **switches, size_t *count) {
    static uint32_t off[14];
    *switches = off;
    *count = sizeof off / sizeof off[0];
    return CUDA_SUCCESS;
}

/* ---- checks */

CUresult dark_context_state(CUcontext context, uint32_t *state, const void **more) {
    (void)context, (void)more;
    *state = 0;
    return CUDA_SUCCESS;
}

uint32_t dark_driver_state(void) { return 0; }

/* ---- what runtimes keep by context. Nearly every call of a runtime asks for it, so that reading takes no lock.
 *
 * A list that only grows. A node is in use while its context is set; the value is set last and cleared first, and
 * whoever reads it looks again whether the node is still the one that was looked for. */

typedef struct kept {
    void *volatile context;
    void *volatile key;
    void *volatile value;
    dark_destructor destructor;
    struct kept *next;
} kept;
static void *volatile first_kept;

static kept *first(void) { return dg_load_pointer(&first_kept); }

static kept *kept_of(void *context, void *key) {
    for (kept *k = first(); k; k = k->next)
        if (dg_load_pointer(&k->context) == context && dg_load_pointer(&k->key) == key) return k;
    return NULL;
}

static CUresult context_or_current(CUcontext *context) {
    CUresult status = dg_start() ? CUDA_ERROR_NOT_INITIALIZED : CUDA_SUCCESS;
    if (!status && !*context) status = cuCtxGetCurrent(context);
    if (!status && !*context) status = CUDA_ERROR_INVALID_CONTEXT;
    return status;
}

CUresult dark_storage_get(void **value, CUcontext context, void *key) {
    void *found = NULL;
    const CUresult status = context_or_current(&context);
    if (status) return status;
    const kept *k = kept_of(context, key);
    if (k) found = dg_load_pointer(&((kept *)k)->value);
    if (!found || dg_load_pointer(&((kept *)k)->context) != (void *)context) return CUDA_ERROR_INVALID_HANDLE;
    *value = found;
    return CUDA_SUCCESS;
}

/* The fields of a node that nobody can find yet, in the order in which readers may see them. */
static void fill(kept *k, void *context, void *key, void *value, dark_destructor destructor) {
    k->destructor = destructor;
    dg_store_pointer(&k->key, key);
    dg_store_pointer(&k->value, value);
    dg_store_pointer(&k->context, context);
}

CUresult dark_storage_put(CUcontext context, void *key, void *value, dark_destructor destructor) {
    CUresult status = context_or_current(&context);
    kept *k;
    if (status) return status;
    dg_the_core->lock();
    k = kept_of(context, key);
    if (k) {
        k->destructor = destructor;
        dg_store_pointer(&k->value, value);
    } else {
        k = kept_of(NULL, NULL); /* one that was given back */
        if (k) fill(k, context, key, value, destructor);
        else if (!(k = dg_the_core->alloc(sizeof *k))) status = CUDA_ERROR_OUT_OF_MEMORY;
        else {
            fill(k, context, key, value, destructor);
            k->next = first();
            dg_store_pointer(&first_kept, k);
        }
    }
    dg_the_core->unlock();
    return status;
}

static void give_back(kept *k) {
    dg_store_pointer(&k->value, NULL);
    dg_store_pointer(&k->context, NULL);
    dg_store_pointer(&k->key, NULL);
}

CUresult dark_storage_take(CUcontext context, void *key) {
    const CUresult status = context_or_current(&context);
    if (status) return status;
    dg_the_core->lock();
    kept *k = kept_of(context, key);
    if (k) give_back(k);
    dg_the_core->unlock();
    return k ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

void dark_context_ends(void *context) {
    for (kept *k = first(); k; k = k->next) {
        void *key, *value = NULL;
        dark_destructor destructor = NULL;
        dg_the_core->lock();
        key = k->key;
        if (k->context == context) {
            value = k->value;
            destructor = k->destructor;
            give_back(k);
        }
        dg_the_core->unlock();
        if (destructor) destructor(context, key, value); /* may call us */
    }
}
