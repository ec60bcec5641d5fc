# The few HIP functions that the core itself asks: is there a device, which one, what is it.

ctypedef int (*hip_init_call)(unsigned flags) noexcept nogil
ctypedef int (*hip_number_call)(int *number) noexcept nogil
ctypedef int (*hip_name_call)(char *name, int size, int device) noexcept nogil
ctypedef int (*hip_properties_call)(void *properties, int device) noexcept nogil

ctypedef struct hip_functions:
    hip_init_call init
    hip_number_call count
    hip_number_call current
    hip_number_call version
    hip_name_call name
    hip_properties_call properties

cdef hip_functions hip


cdef void hip_resolve(void *module) noexcept nogil:
    hip.init = <hip_init_call>dg_module_symbol(module, b"hipInit")
    hip.count = <hip_number_call>dg_module_symbol(module, b"hipGetDeviceCount")
    hip.current = <hip_number_call>dg_module_symbol(module, b"hipGetDevice")
    hip.name = <hip_name_call>dg_module_symbol(module, b"hipDeviceGetName")
    hip.version = <hip_number_call>dg_module_symbol(module, b"hipRuntimeGetVersion")
    # HIP 6 gave the struct another layout and the function another name; the plain name keeps the old one.
    hip.properties = <hip_properties_call>dg_module_symbol(module, b"hipGetDevicePropertiesR0600")
    if hip.properties == NULL:
        hip.properties = <hip_properties_call>dg_module_symbol(module, b"hipGetDeviceProperties")


cdef uint32_t hip_version() noexcept nogil:
    """70253211 (7.2.53211) → 7002999: the build number does not fit, the release does."""
    cdef int number = 0
    cdef uint32_t patch
    if hip.version == NULL or hip.version(&number) != 0 or number <= 0:
        return 0
    patch = <uint32_t>number % 100000
    if patch > 999:
        patch = 999
    return <uint32_t>number / 10000000 * 1000000 + <uint32_t>number / 100000 % 100 * 1000 + patch


cdef int hip_devices(int *error) noexcept nogil:
    """How many devices answer. `error`: HIP's own number where it said something."""
    cdef int count = 0
    error[0] = hip.init(0) if hip.init != NULL else 0
    if error[0] == 0 and hip.count != NULL:
        error[0] = hip.count(&count)
    return count if error[0] == 0 and count > 0 else 0


cdef int hip_gfx(int device, char *gfx, size_t size) noexcept nogil:
    """The device's architecture, as in gfx1100, without the features behind the colon; 0 if HIP does not tell.

    The struct has grown and moved from release to release, always beginning with a name of 256 bytes. So the text is
    looked for, in more memory than any release's struct takes.
    """
    cdef char *memory
    cdef size_t i
    cdef size_t length = 0
    if hip.properties == NULL:
        return 0
    memory = <char *>calloc(1, 65536)
    if memory == NULL:
        return 0
    if hip.properties(memory, device) == 0:
        for i in range(256, 65536 - 64):
            if memory[i] == c'g' and memory[i + 1] == c'f' and memory[i + 2] == c'x' and core_is_hex(memory[i + 3]):
                length = 3
                while core_is_hex(memory[i + length]) or (memory[i + length] == c'-' and length < 24):
                    length += 1
                if length < size:
                    memcpy(gfx, memory + i, length)
                    gfx[length] = 0
                else:
                    length = 0
                break
    free(memory)
    return length > 0
