# The one function about textures that needs none.
include "common.pxi"


cdef inline cudaChannelFormatDesc channel_desc(int x, int y, int z, int w, cudaChannelFormatKind f) noexcept nogil:
    cdef cudaChannelFormatDesc desc
    cdef int *words = <int *>&desc  # four sizes in bits, then the kind
    words[0] = x
    words[1] = y
    words[2] = z
    words[3] = w
    words[4] = <int>f
    return desc
