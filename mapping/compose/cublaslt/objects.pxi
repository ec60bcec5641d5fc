# objects.h and attributes.h for Cython; see there for what things mean.
from libc.string cimport memcpy, memset

include "attributes.pxi"

cdef extern from "objects.h" nogil:
    ctypedef struct lt_kind:
        uint32_t magic
    const lt_kind lt_layouts
    const lt_kind lt_matmuls
    const lt_kind lt_transforms
    const lt_kind lt_preferences
    const lt_kind lt_emulations
    const lt_kind lt_configs
    const lt_kind lt_caps
    int lt_init(void *object, size_t size, const lt_kind *kind)
    void *lt_new(const lt_kind *kind, int *reason)
    void lt_fill(void *object, const lt_kind *kind, uint32_t bytes)
    bint lt_is(const void *object, const lt_kind *kind)
    const void *lt_read(const void *object, const lt_kind *kind, void *whole)
    int lt_set(void *object, const lt_kind *kind, uint32_t attribute, const void *buf, size_t size)
    int lt_get(const void *object, const lt_kind *kind, uint32_t attribute, void *buf, size_t size, size_t *written)
