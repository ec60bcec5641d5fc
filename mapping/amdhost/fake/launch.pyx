# cython: language_level=3, cdivision=True, boundscheck=False, wraparound=False
"""Kernels of the fake: registered, found by any name, and launched on nothing. A launch is checked as far as the
runtime would before it asks the device: sizes, and whose stream it is."""
include "hip.pxi"
include "state.pxi"
include "mutex.pxi"
from libc.stdint cimport int16_t
include "fake.pxi"
include "noted.pxi"

from libc.stdlib cimport free, malloc, realloc

cdef extern from "fake.h" nogil:
    """
    /* Kernels that the runtime knows by the address of their host function; sorted when first asked for. */
    typedef struct fake_kernel {
        const void *host;
        const char *name;
    } fake_kernel;
    static fake_kernel *fake_kernels;
    static size_t fake_kernel_count, fake_kernel_room;
    static int fake_kernels_sorted;
    static int fake_kernel_order(const void *a, const void *b) {
        const fake_kernel *x = a, *y = b;
        return x->host < y->host ? -1 : x->host > y->host;
    }
    static void fake_kernel_sort(void) {
        qsort(fake_kernels, fake_kernel_count, sizeof *fake_kernels, fake_kernel_order);
        fake_kernels_sorted = 1;
    }
    static dg_mutex fake_kernel_lock;
    /* One thread's launch between <<< >>> and the call. */
    static _Thread_local struct fake_pushed { fake_dim3 grid, block; size_t shared; void *stream; } fake_pushed;
    static _Thread_local hipError_t fake_launched; /* the last launch's answer */
    static void *fake_binary; /* what a registered binary's handle points at: nothing is ever read there */
    """
    ctypedef struct fake_kernel:
        const void *host
        const char *name
    fake_kernel *fake_kernels
    size_t fake_kernel_count, fake_kernel_room
    int fake_kernels_sorted
    void fake_kernel_sort()
    dg_mutex fake_kernel_lock
    ctypedef struct fake_call:
        fake_dim3 grid
        fake_dim3 block
        size_t shared
        void *stream
    fake_call fake_pushed
    hipError_t fake_launched
    void *fake_binary

cdef enum:
    BLOCK = 1024
    SHARED = 65536

ctypedef struct fake_function:  # what a hipFunction_t points at; a module keeps none, they stay
    char[8] mark


# ---- registration, before main ----

cdef public void **register_binary "__hipRegisterFatBinary"(const void *data) noexcept nogil:
    return &fake_binary


cdef public void unregister_binary "__hipUnregisterFatBinary"(void **modules) noexcept nogil:
    pass


cdef public void register_function "__hipRegisterFunction"(
    void **modules, const void *host, char *device, const char *name, unsigned int limit, void *tid, void *bid,
    void *block, void *grid, int *wave
) noexcept nogil:
    global fake_kernels, fake_kernel_count, fake_kernel_room, fake_kernels_sorted
    cdef fake_kernel *grown
    dg_mutex_lock(&fake_kernel_lock)
    if fake_kernel_count == fake_kernel_room:
        grown = <fake_kernel *>realloc(fake_kernels, (2 * fake_kernel_room + 4096) * sizeof(fake_kernel))
        if grown != NULL:
            fake_kernels = grown
            fake_kernel_room = 2 * fake_kernel_room + 4096
    if fake_kernel_count < fake_kernel_room:
        fake_kernels[fake_kernel_count].host = host
        fake_kernels[fake_kernel_count].name = name
        fake_kernel_count += 1
        fake_kernels_sorted = 0
    dg_mutex_unlock(&fake_kernel_lock)


cdef public void register_variable "__hipRegisterVar"(
    void **modules, void *variable, char *host, char *device, int external, size_t size, int constant, int is_global
) noexcept nogil:
    pass


cdef const char *name_of(const void *host) noexcept nogil:
    """The kernel behind a host function; NULL where none was registered."""
    cdef size_t low = 0, high, middle
    cdef const char *name = NULL
    dg_mutex_lock(&fake_kernel_lock)
    if not fake_kernels_sorted and fake_kernel_count:
        fake_kernel_sort()
    high = fake_kernel_count
    while low < high:
        middle = (low + high) >> 1
        if fake_kernels[middle].host < host:
            low = middle + 1
        else:
            high = middle
    if low < fake_kernel_count and fake_kernels[low].host == host:
        name = fake_kernels[low].name
    dg_mutex_unlock(&fake_kernel_lock)
    return name


# ---- launches ----

cdef hipError_t refuse(hipStream_t stream, const char *why, hipError_t error) noexcept nogil:
    global fake_launched
    fake_launched = error
    fake_log(FAKE_REFUSED, stream, NULL, <uint64_t>error, why)
    return host_fail(error)


cdef hipError_t launch(
    hipStream_t stream, const char *name, fake_dim3 grid, fake_dim3 block, size_t shared
) noexcept nogil:
    """`grid` in blocks."""
    global fake_launched
    cdef uint64_t threads = <uint64_t>block.x * block.y * block.z
    cdef uint64_t blocks = <uint64_t>grid.x * grid.y * grid.z
    if not host_is_stream(stream):
        return refuse(stream, b"a stream that does not exist", hipErrorInvalidHandle)
    if fake_hip_version >= 70000000 and fake_home(stream) != fake_device():
        # As CUDA; before HIP 7 a launch went to its stream's device, whichever was current.
        return refuse(stream, b"a stream of another device", hipErrorInvalidHandle)
    if blocks == 0 or threads == 0:
        return refuse(stream, b"an empty grid", hipErrorInvalidConfiguration)
    if threads > BLOCK:
        return refuse(stream, b"a block of more than 1024 threads", hipErrorInvalidConfiguration)
    if shared > SHARED:
        return refuse(stream, b"more shared memory than there is", hipErrorInvalidValue)
    fake_launched = hipSuccess
    fake_log(FAKE_LAUNCH, stream, NULL, blocks, name)
    return hipSuccess


cdef public hipError_t hipExtGetLastError() noexcept nogil:
    """Of the last call alone, where hipGetLastError keeps an error until it is read: rocBLAS asks after a launch."""
    global fake_launched
    cdef hipError_t last = fake_launched
    fake_launched = hipSuccess
    return last


cdef public hipError_t hipLaunchKernel(
    const void *function, fake_dim3 grid, fake_dim3 block, void **arguments, size_t shared, hipStream_t stream
) noexcept nogil:
    cdef const char *name = name_of(function)
    if name == NULL:
        return refuse(stream, b"a kernel that was never registered", 98)
    return launch(stream, name, grid, block, shared)


cdef public hipError_t hipModuleLaunchKernel(
    void *function, unsigned int gx, unsigned int gy, unsigned int gz, unsigned int bx, unsigned int by,
    unsigned int bz, unsigned int shared, hipStream_t stream, void **arguments, void **extra
) noexcept nogil:
    cdef fake_dim3 grid
    cdef fake_dim3 block
    grid.x, grid.y, grid.z = gx, gy, gz
    block.x, block.y, block.z = bx, by, bz
    if function == NULL:
        return refuse(stream, b"no function", hipErrorInvalidHandle)
    return launch(stream, <const char *>function, grid, block, shared)


cdef public hipError_t hipModuleLaunchCooperativeKernel(
    void *function, unsigned int gx, unsigned int gy, unsigned int gz, unsigned int bx, unsigned int by,
    unsigned int bz, unsigned int shared, hipStream_t stream, void **arguments
) noexcept nogil:
    return hipModuleLaunchKernel(function, gx, gy, gz, bx, by, bz, shared, stream, arguments, NULL)


cdef public hipError_t hipExtModuleLaunchKernel(
    void *function, uint32_t gx, uint32_t gy, uint32_t gz, uint32_t bx, uint32_t by, uint32_t bz, size_t shared,
    hipStream_t stream, void **arguments, void **extra, hipEvent_t start, hipEvent_t stop, uint32_t flags
) noexcept nogil:
    """Its grid is counted in threads."""
    cdef fake_dim3 grid
    cdef fake_dim3 block
    block.x, block.y, block.z = bx, by, bz
    if function == NULL:
        return refuse(stream, b"no function", hipErrorInvalidHandle)
    if bx == 0 or by == 0 or bz == 0:
        return refuse(stream, b"an empty block", hipErrorInvalidConfiguration)
    grid.x, grid.y, grid.z = (gx + bx - 1) / bx, (gy + by - 1) / by, (gz + bz - 1) / bz
    return launch(stream, <const char *>function, grid, block, shared)


# HIP's header declares it as C++: this is the name that a library calls.
cdef public hipError_t launch_as_cpp "_Z24hipExtModuleLaunchKernelP18ihipModuleSymbol_tjjjjjjmP12ihipStream_tPPvS4_P11ihipEvent_tS6_j"(
    void *function, uint32_t gx, uint32_t gy, uint32_t gz, uint32_t bx, uint32_t by, uint32_t bz, size_t shared,
    hipStream_t stream, void **arguments, void **extra, hipEvent_t start, hipEvent_t stop, uint32_t flags
) noexcept nogil:
    return hipExtModuleLaunchKernel(
        function, gx, gy, gz, bx, by, bz, shared, stream, arguments, extra, start, stop, flags)


cdef public hipError_t push "__hipPushCallConfiguration"(
    fake_dim3 grid, fake_dim3 block, size_t shared, hipStream_t stream
) noexcept nogil:
    global fake_pushed
    fake_pushed.grid = grid
    fake_pushed.block = block
    fake_pushed.shared = shared
    fake_pushed.stream = stream
    return hipSuccess


cdef public hipError_t pop "__hipPopCallConfiguration"(
    fake_dim3 *grid, fake_dim3 *block, size_t *shared, hipStream_t *stream
) noexcept nogil:
    grid[0] = fake_pushed.grid
    block[0] = fake_pushed.block
    shared[0] = fake_pushed.shared
    stream[0] = fake_pushed.stream
    return hipSuccess


# ---- modules: any bytes are a module, and it has every function ----

cdef public hipError_t hipModuleLoad(void **module, const char *path) noexcept nogil:
    if module == NULL or path == NULL:
        return host_fail(hipErrorInvalidValue)
    module[0] = malloc(1)
    return hipSuccess if module[0] != NULL else host_fail(hipErrorOutOfMemory)


cdef public hipError_t hipModuleLoadData(void **module, const void *image) noexcept nogil:
    return hipModuleLoad(module, <const char *>image)


cdef public hipError_t hipModuleUnload(void *module) noexcept nogil:
    free(module)
    return hipSuccess


cdef public hipError_t hipModuleGetFunction(void **function, void *module, const char *name) noexcept nogil:
    """A function is its own name: the log may still hold it when the module is gone, so it is never freed."""
    cdef size_t size
    if function == NULL or module == NULL or name == NULL:
        return host_fail(hipErrorInvalidValue)
    size = strlen(name) + 1
    function[0] = malloc(size)
    if function[0] == NULL:
        return host_fail(hipErrorOutOfMemory)
    memcpy(function[0], name, size)
    return hipSuccess


cdef public hipError_t hipFuncSetAttribute(const void *function, int attribute, int value) noexcept nogil:
    return hipSuccess if function != NULL else host_fail(hipErrorInvalidHandle)


cdef public hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(
    int *count, void *function, int block, size_t shared
) noexcept nogil:
    if count == NULL or function == NULL or block <= 0:
        return host_fail(hipErrorInvalidValue)
    count[0] = 2048 / block if block <= BLOCK else 0
    return hipSuccess


cdef public hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessor(
    int *count, const void *function, int block, size_t shared
) noexcept nogil:
    return hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(count, <void *>function, block, shared)
