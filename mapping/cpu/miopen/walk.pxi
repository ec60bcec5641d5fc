# A walk over up to five tensors of one shape with any strides, in runs along the innermost dimension. Neighbouring
# dimensions that lie one behind the other in all of them are taken as one, so that packed tensors are a single run.
#
#     walk_begin(&w, shape); walk_add(&w, x); walk_add(&w, y)      # each tensor that takes part, in this order
#     walk_fold(&w)
#     at = begin
#     while at < end:                                              # of w.count elements
#         run = walk_run(&w, at, end, offsets)                     # offsets[k] of tensor k; steps are w.steps[k]
#         ...
#         at += run

cdef enum:
    WALK_TENSORS = 5
    WALK_GRAIN = 16384  # elements that are worth another thread

cdef struct Walk:
    int dims
    int tensors
    int64_t count
    int64_t lens[8]
    int64_t strides[5][8]
    int64_t steps[5]


cdef inline void walk_begin(Walk *w, const mi_tensor *shape) noexcept nogil:
    cdef int i
    w.dims = shape.dims
    w.tensors = 0
    w.count = mi_elements(shape)
    for i in range(shape.dims):
        w.lens[i] = shape.lens[i]


cdef inline void walk_add(Walk *w, const mi_tensor *tensor) noexcept nogil:
    """A dimension of length 1 is used again and again where the shape is longer."""
    cdef int i
    for i in range(w.dims):
        w.strides[w.tensors][i] = 0 if tensor.lens[i] == 1 else tensor.strides[i]
    w.tensors += 1


cdef inline void walk_fold(Walk *w) noexcept nogil:
    cdef int i, k, kept = 0
    cdef bint joins
    for i in range(w.dims):
        if w.lens[i] == 1 and w.dims > 1:
            continue  # nothing to step over
        joins = kept > 0
        for k in range(w.tensors):
            if joins and w.strides[k][kept - 1] != w.strides[k][i] * w.lens[i]:
                joins = False
        if joins:
            w.lens[kept - 1] *= w.lens[i]
        else:
            w.lens[kept] = w.lens[i]
            kept += 1
        for k in range(w.tensors):
            w.strides[k][kept - 1] = w.strides[k][i]
    if kept == 0:  # a single element
        kept = 1
        w.lens[0] = 1
        for k in range(w.tensors):
            w.strides[k][0] = 0
    w.dims = kept
    for k in range(w.tensors):
        w.steps[k] = w.strides[k][kept - 1]


cdef inline int64_t walk_run(const Walk *w, int64_t at, int64_t end, int64_t *offsets) noexcept nogil:
    """Where element `at` lies in each tensor, and how many follow it in its run before `end`."""
    cdef int i, k
    cdef int64_t inner = w.lens[w.dims - 1], column = at % inner, row = at / inner, place
    for k in range(w.tensors):
        offsets[k] = column * w.steps[k]
    i = w.dims - 2
    while i >= 0:
        place = row % w.lens[i]
        row = row / w.lens[i]
        for k in range(w.tensors):
            offsets[k] += place * w.strides[k][i]
        i -= 1
    inner -= column
    return inner if inner < end - at else end - at
