/* What a CUDA runtime asks of the driver beyond its public functions: tables/cuda/dark says what,
 * docs/static-runtime.md why. */
#ifndef DRAGOMAN_CUDA_DARK_H
#define DRAGOMAN_CUDA_DARK_H
#include "contexts.h"

typedef void (*dark_function)(void);
typedef void (*dark_destructor)(CUcontext context, void *key, void *value);

typedef struct dark_table {
    unsigned char uuid[16];
    const dark_function *functions; /* NULL: known, and not had */
} dark_table;

/* An entry that is refused; one line says so, the first time. */
DG_HIDDEN void dark_refused(uint32_t *said, const char *why, const char *where);
#define DARK_REFUSES(name, what, status, why, where)          \
    static CUresult name(void) {                              \
        static uint32_t said;                                 \
        dark_refused(&said, "table " what ": " why, where);   \
        return status;                                        \
    }
#define DARK_UNDESCRIBED(name, what, where) \
    DARK_REFUSES(name, what, CUDA_ERROR_NOT_SUPPORTED, "nobody has described this function of the driver", where)

/* A table by its UUID, or NULL. */
DG_HIDDEN const void *dark_table_of(const unsigned char uuid[16]);

/* What is kept by a context is given back: the context dies, or all that it has is freed. */
DG_HIDDEN void dark_context_ends(void *context);

/* The suffix of the form of a name that a version knows, or NULL where the version is too old for any. */
DG_HIDDEN const char *dark_suffix(const char *name, int version);
#endif
