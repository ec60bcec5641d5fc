/* cuBLASLt's opaque objects: descriptors that programs make, either as slots of the core's (…Create) or in memory of
 * their own (…Init). What they hold, and where, says attributes.h, which is generated from
 * tables/cublaslt/descriptors.yaml.
 *
 * Whatever a program passes as one is judged before it is read. A slot's address lies in the core's range. Memory of
 * the program's begins with a magic value that …Init wrote; whether an address can be read at all is asked of the
 * system first, since 0x1234 or a freed object must be an answer, not a fault. The question costs some 100 ns, and only
 * objects in the program's memory are asked about. */
#ifndef DRAGOMAN_CUBLASLT_OBJECTS_H
#define DRAGOMAN_CUBLASLT_OBJECTS_H
#include <stdint.h>
#include <string.h>
#include "attributes.h"
#include "generated.h"
#include "version.h"

#define LT_LAYOUT 0x4c540101u
#define LT_MATMUL 0x4c540102u
#define LT_TRANSFORM 0x4c540103u
#define LT_PREFERENCE 0x4c540104u
#define LT_EMULATION 0x4c540105u
#define LT_CONFIG 0x4c540106u
#define LT_IN_MEMORY 0x80000000u /* with the magic of an object in the program's own memory */

enum { LT_SUCCESS = 0, LT_TOO_SMALL = 3 /* ALLOC_FAILED, as an H200 answers */, LT_INVALID = 7 }; /* CUBLAS_STATUS_… */

extern DG_HIDDEN int lt_readable(const void *address); /* readable.c: 8 bytes, aligned */

/* The struct of each object, from its rows: bytes of the largest, as a slot holds it. */
typedef struct lt_kind {
    uint32_t magic;
    uint32_t count;
    const lt_attribute *rows;
    const uint16_t *ends;
} lt_kind;
#define LT_KIND(object, magic) \
    {magic, sizeof rows_of_##object / sizeof rows_of_##object[0], rows_of_##object, ends_of_##object}
static const __attribute__((unused)) lt_kind lt_layouts = LT_KIND(MatrixLayout, LT_LAYOUT);
static const __attribute__((unused)) lt_kind lt_matmuls = LT_KIND(MatmulDesc, LT_MATMUL);
static const __attribute__((unused)) lt_kind lt_transforms = LT_KIND(MatrixTransformDesc, LT_TRANSFORM);
static const __attribute__((unused)) lt_kind lt_preferences = LT_KIND(MatmulPreference, LT_PREFERENCE);
static const __attribute__((unused)) lt_kind lt_emulations = LT_KIND(EmulationDesc, LT_EMULATION);
static const __attribute__((unused)) lt_kind lt_configs = LT_KIND(MatmulAlgoConfig, LT_CONFIG);
static const __attribute__((unused)) lt_kind lt_caps = LT_KIND(MatmulAlgoCap, LT_CONFIG);
_Static_assert(sizeof(lt_MatmulDesc) <= 256, "a slot of the core's holds 256 bytes");

static inline int lt_major(void) { return dg_version_part[0] - 11; }
static inline int lt_has(const lt_attribute *row) { return row->majors >> lt_major() & 1; }
/* The majors that have the object. */
static inline int lt_majors(const lt_kind *kind) {
    int all = 0;
    for (uint32_t i = 0; i < kind->count; i++) all |= kind->rows[i].majors;
    return all;
}

/* Has an object of so many bytes (0: a slot) this attribute? A program that was compiled with an older header brings a
 * smaller struct. */
static inline int lt_fits(const lt_attribute *row, uint32_t bytes) {
    return !bytes || (lt_has(row) && (uint32_t)row->offset + row->size <= bytes);
}

/* Fills an object with its defaults: all of them in a slot (0 bytes), else those that fit, and nothing past them. */
static inline void lt_fill(void *object, const lt_kind *kind, uint32_t bytes) {
    uint32_t head[2] = {bytes ? kind->magic | LT_IN_MEMORY : kind->magic, bytes};
    for (uint32_t i = 0; i < kind->count; i++)
        if (lt_fits(&kind->rows[i], bytes))
            memcpy((char *)object + kind->rows[i].offset, &kind->rows[i].value, kind->rows[i].size);
    memcpy(object, head, sizeof head);
}

/* What every version has must fit. */
static inline int lt_init(void *object, size_t size, const lt_kind *kind) {
    uint32_t bytes = kind->ends[lt_major()];
    if (!object) return LT_INVALID;
    if (size < sizeof(uint64_t)) return LT_TOO_SMALL;
    if (size < bytes) bytes = (uint32_t)size;
    for (uint32_t i = 0; i < kind->count; i++)
        if (kind->rows[i].majors == lt_majors(kind) && !lt_fits(&kind->rows[i], bytes)) return LT_TOO_SMALL;
    lt_fill(object, kind, bytes);
    return LT_SUCCESS;
}

/* A new object in a slot, or NULL with the reason. */
static inline void *lt_new(const lt_kind *kind, int *reason) {
    void *object = NULL;
    *reason = dg_start();
    if (*reason == DG_OK) {
        object = dg_the_core->slot_new(kind->magic);
        if (object)
            lt_fill(object, kind, 0);
        else
            *reason = DG_NO_MEMORY;
    }
    return object;
}

/* Is it a living object of this kind? */
static inline int lt_is(const void *object, const lt_kind *kind) {
    if (__builtin_expect(!dg_foreign(object, kind->magic), 1) || dg_alive(object, kind->magic)) return 1;
    if ((uintptr_t)object & 3 || !lt_readable(object)) return 0;
    return *(const uint32_t *)object == (kind->magic | LT_IN_MEMORY);
}

/* Bytes of an object in the program's memory; 0: a slot. */
static inline uint32_t lt_room(const void *object) { return ((const uint32_t *)object)[1]; }

/* The object with every attribute of every version: the slot itself, or a copy in `whole` with defaults for what the
 * program's memory has no room for. NULL: it is none. */
static inline const void *lt_read(const void *object, const lt_kind *kind, void *whole) {
    if (!lt_is(object, kind)) return NULL;
    if (!lt_room(object)) return object;
    lt_fill(whole, kind, 0);
    for (uint32_t i = 0; i < kind->count; i++)
        if (lt_fits(&kind->rows[i], lt_room(object)))
            memcpy((char *)whole + kind->rows[i].offset, (const char *)object + kind->rows[i].offset,
                   kind->rows[i].size);
    return whole;
}

static inline const lt_attribute *lt_row(const lt_kind *kind, uint32_t attribute) {
    for (uint32_t i = 0; i < kind->count; i++)
        if (kind->rows[i].number == attribute && lt_has(&kind->rows[i])) return &kind->rows[i];
    return NULL;
}

/* NVIDIA's setters look at the size of a value, never at the value. */
static inline int lt_set(void *object, const lt_kind *kind, uint32_t attribute, const void *buf, size_t size) {
    const lt_attribute *row = lt_row(kind, attribute);
    if (!row || !lt_fits(row, lt_room(object)) || !buf || size != row->size) return LT_INVALID;
    memcpy((char *)object + row->offset, buf, row->size);
    return LT_SUCCESS;
}

/* Size 0 asks for the size. */
static inline int lt_get(const void *object, const lt_kind *kind, uint32_t attribute, void *buf, size_t size,
                         size_t *written) {
    const lt_attribute *row = lt_row(kind, attribute);
    if (!row || !lt_fits(row, lt_room(object)) || (size ? !buf || size != row->size : !written)) return LT_INVALID;
    if (size) memcpy(buf, (const char *)object + row->offset, row->size);
    if (written) *written = row->size;
    return LT_SUCCESS;
}
#endif
