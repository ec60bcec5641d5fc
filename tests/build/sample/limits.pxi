cdef enum:
    UNKNOWN = 14
