# What log.pyx offers to the fake's other units. Include after fake.pxi.
cdef extern from "fake.h" nogil:
    void fake_log(int kind, void *stream, const void *subject, uint64_t size, const char *name)
    int fake_device()
    int fake_choose(int device)
    int fake_home(void *stream)
    void fake_settle(void *stream, int device)
    void fake_block(void *base, int device)
    int fake_block_home(const void *base)
    int fake_captured(void *stream)
