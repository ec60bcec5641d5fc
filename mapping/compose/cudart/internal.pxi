# What nvcc's output calls before main, and what profilers are told. Device code is counted in and forgotten: it cannot
# run here, and a program that has some must start all the same, since it may never launch it.
include "common.pxi"
include "entry.pxi"


cdef inline cudaError_t nothing() noexcept nogil:
    return cudaSuccess


cdef inline cudaError_t nothing_to_profile(const char *config, const char *output,
        cudaOutputMode_t mode) noexcept nogil:
    return cudaSuccess


cdef inline void **register_binary(void *binary) noexcept nogil:
    return cudart_module()


cdef inline void register_end(void **module) noexcept nogil:
    pass


cdef inline char init_module(void **module) noexcept nogil:
    return 1


cdef inline void register_variable(
    void **module, char *host, char *device, const char *name, int ext, size_t size, int constant, int is_global
) noexcept nogil:
    pass


cdef inline void register_managed(
    void **module, void **host, char *device, const char *name, int ext, size_t size, int constant, int is_global
) noexcept nogil:
    pass


cdef inline void register_function(
    void **module, const char *host, char *device, const char *name, int limit, uint3 *tid, uint3 *bid, dim3 *block,
    dim3 *grid, int *size
) noexcept nogil:
    pass


cdef inline void register_texture(
    void **module, const textureReference *host, const void **device, const char *name, int dim, int norm, int ext
) noexcept nogil:
    pass


cdef inline void register_surface(
    void **module, const surfaceReference *host, const void **device, const char *name, int dim, int ext
) noexcept nogil:
    pass


cdef inline void register_other() noexcept nogil:
    pass


cdef inline cudaError_t entry_point_by_version(
    const char *name, void **function, unsigned int version, unsigned long long flags,
    cudaDriverEntryPointQueryResult *found
) noexcept nogil:
    return driver_entry(name, function, version, flags, found)


# ---- launch sizes: kept and given back, so that a program gets as far as the launch, which says what to do

cdef inline unsigned int push_configuration(dim3 grid, dim3 block, size_t shared, CUstream_st *stream) noexcept nogil:
    """0 is success: the stub that nvcc makes calls the launch only then."""
    return 0 if cudart_push(grid, block, shared, <void *>stream) else 1


cdef inline cudaError_t pop_configuration(dim3 *grid, dim3 *block, size_t *shared, void *stream) noexcept nogil:
    if not cudart_pop(grid, block, shared, <void **>stream):
        return refused(cudaErrorMissingConfiguration)
    return cudaSuccess
