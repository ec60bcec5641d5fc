# Objects that name algorithms, which only cuDNN 8 has. Blocks of tables/cudnn/algorithm_objects.yaml.
#
# MIOpen chooses for itself, so that these only keep what a program puts in. A stored algorithm is its number.

include "common.pxi"

cdef enum:
    STORED = 8  # bytes of a stored algorithm


cdef public cudnnStatus_t create_algorithm_descriptor(cudnnAlgorithmDescriptor_t *place) noexcept nogil:
    return dnn_new(<void **>place, DNN_ALGORITHM)


cdef public cudnnStatus_t destroy_algorithm_descriptor(dnn_algorithm *d) noexcept nogil:
    return dnn_delete(d, DNN_ALGORITHM)


cdef public cudnnStatus_t set_algorithm_descriptor(dnn_algorithm *d, cudnnAlgorithm_t algorithm) noexcept nogil:
    memcpy(&d.algorithm, &algorithm, sizeof(int32_t))
    d.set = 1
    return CUDNN_STATUS_SUCCESS


cdef public cudnnStatus_t get_algorithm_descriptor(dnn_algorithm *d, cudnnAlgorithm_t *algorithm) noexcept nogil:
    if algorithm is NULL:
        return bad(b"algorithm is NULL")
    memcpy(algorithm, &d.algorithm, sizeof(int32_t))
    return CUDNN_STATUS_SUCCESS


cdef public cudnnStatus_t copy_algorithm_descriptor(dnn_algorithm *source, dnn_algorithm *to) noexcept nogil:
    to.algorithm = source.algorithm
    to.set = source.set
    return CUDNN_STATUS_SUCCESS


cdef public cudnnStatus_t create_algorithm_performance(cudnnAlgorithmPerformance_t *places, int count) noexcept nogil:
    """All or none."""
    cdef cudnnStatus_t status = CUDNN_STATUS_SUCCESS
    cdef int i
    if places is NULL or count <= 0:
        return bad(b"algoPerf is NULL or numberToCreate is not positive")
    for i in range(count):
        status = dnn_new(<void **>&places[i], DNN_PERFORMANCE)
        if status != CUDNN_STATUS_SUCCESS:
            break
    else:
        return CUDNN_STATUS_SUCCESS
    while i > 0:
        i -= 1
        dnn_delete(places[i], DNN_PERFORMANCE)
        places[i] = NULL
    return status


cdef public cudnnStatus_t destroy_algorithm_performance(cudnnAlgorithmPerformance_t *places, int count) noexcept nogil:
    cdef cudnnStatus_t status = CUDNN_STATUS_SUCCESS
    cdef int i
    if places is NULL:
        return CUDNN_STATUS_SUCCESS
    if dg_start() != DG_OK:
        return status_of_reason(DG_NO_BACKEND)
    for i in range(count):
        if dnn_delete(places[i], DNN_PERFORMANCE) != CUDNN_STATUS_SUCCESS:
            status = CUDNN_STATUS_BAD_PARAM
    return status


cdef public cudnnStatus_t set_algorithm_performance(dnn_performance *p, dnn_algorithm *d, cudnnStatus_t status,
        float time, size_t memory) noexcept nogil:
    p.algorithm = d.algorithm
    p.given = d
    p.status = status
    p.time = time
    p.memory = memory
    return CUDNN_STATUS_SUCCESS


cdef public cudnnStatus_t get_algorithm_performance(dnn_performance *p, cudnnAlgorithmDescriptor_t *d,
        cudnnStatus_t *status, float *time, size_t *memory) noexcept nogil:
    """The algorithm goes into a descriptor of the program's; where it gives none, into the one that it has set."""
    if d is not NULL:
        if d[0] is NULL or not dg_alive(d[0], DNN_ALGORITHM):
            if not dg_alive(p.given, DNN_ALGORITHM):
                return bad(b"*algoDesc is no descriptor of an algorithm, nor is there one that was set")
            d[0] = <cudnnAlgorithmDescriptor_t>p.given
        (<dnn_algorithm *>d[0]).algorithm = p.algorithm
        (<dnn_algorithm *>d[0]).set = 1
    if status is not NULL:
        status[0] = p.status
    if time is not NULL:
        time[0] = p.time
    if memory is not NULL:
        memory[0] = p.memory
    return CUDNN_STATUS_SUCCESS


cdef public cudnnStatus_t get_algorithm_space_size(dnn_handle *h, dnn_algorithm *d, size_t *size) noexcept nogil:
    if size is NULL:
        return bad(b"algoSpaceSizeInBytes is NULL")
    size[0] = STORED
    return CUDNN_STATUS_SUCCESS


cdef public cudnnStatus_t save_algorithm(dnn_handle *h, dnn_algorithm *d, void *space, size_t size) noexcept nogil:
    cdef int32_t[2] stored
    if space is NULL or size < STORED:
        return bad(b"algoSpace is NULL or too small")
    stored[0] = d.algorithm
    stored[1] = d.set
    memcpy(space, stored, STORED)
    return CUDNN_STATUS_SUCCESS


cdef public cudnnStatus_t restore_algorithm(dnn_handle *h, void *space, size_t size, dnn_algorithm *d) noexcept nogil:
    cdef int32_t[2] stored
    if space is NULL or size < STORED:
        return bad(b"algoSpace is NULL or too small")
    memcpy(stored, space, STORED)
    d.algorithm = stored[0]
    d.set = stored[1]
    return CUDNN_STATUS_SUCCESS
