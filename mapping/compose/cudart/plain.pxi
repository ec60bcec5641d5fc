# Edges of graphs in which nothing is said.


cdef inline bint plain_edges(const void *edges, size_t count) noexcept nogil:
    """Edges of 8 bytes each, all zero: what a dependency is where nothing more is said."""
    cdef size_t i
    if edges == NULL:
        return True
    for i in range(8 * count):
        if (<const char *>edges)[i] != 0:
            return False
    return True
