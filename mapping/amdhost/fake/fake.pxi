# The fake HIP runtime's C side (fake.h) for Cython, included by each of its units after the CPU runtime's hip.pxi.

cdef extern from "fake.h" nogil:
    enum:
        hipErrorInvalidConfiguration, hipErrorNotFound
        FAKE_DEVICES, FAKE_STREAMS, FAKE_BLOCKS
        FAKE_CALL, FAKE_CREATED, FAKE_STREAM, FAKE_LAUNCH, FAKE_REFUSED, FAKE_SET, FAKE_COPY, FAKE_ALLOC, FAKE_FREE
        FAKE_ALLOC_ASYNC, FAKE_FREE_ASYNC, FAKE_WAIT, FAKE_QUERY, FAKE_ORDER, FAKE_DESTROYED, FAKE_ANSWER
        FAKE_FETCH
    void *FAKE_ALL
    int fake_hip_version
    ctypedef struct fake_event:
        uint16_t kind
        int16_t device
        int16_t capturing
        int16_t home
        uint32_t thread
        uint32_t spare
        void *stream
        const void *subject
        uint64_t size
        const char *name
    ctypedef struct fake_dim3:
        uint32_t x
        uint32_t y
        uint32_t z
