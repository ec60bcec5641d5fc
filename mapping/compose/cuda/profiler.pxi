# Profilers of NVIDIA's are not here: nothing waits for these calls.
include "common.pxi"


cdef inline CUresult profiler_idle() noexcept nogil:
    return at_work()
