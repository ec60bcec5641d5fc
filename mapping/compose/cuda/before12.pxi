# Entry points of CUDA 11.
cdef extern from "contexts.h" nogil:
    void *cuda_function(const char *name, int version, uint64_t flags, int *found)

include "proc.pxi"
