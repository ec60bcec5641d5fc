# Functions whose parameters changed with CUDA 12.
include "common.pxi"
include "entry.pxi"


cdef inline cudaError_t exec_update(
    cudaGraphExec_t exec_, cudaGraph_t graph, cudaGraphExecUpdateResultInfo *info
) noexcept nogil:
    cdef cudart_update *update = <cudart_update *>info
    if info == NULL:
        return refused(cudaErrorInvalidValue)
    memset(update, 0, sizeof(cudart_update))
    return of_hip(dg_hip.hipGraphExecUpdate(exec_, graph, &update.node, <cudaGraphExecUpdateResult *>&update.result))


cdef inline cudaError_t entry_point(
    const char *name, void **function, unsigned long long flags, cudaDriverEntryPointQueryResult *found
) noexcept nogil:
    return driver_entry(name, function, <unsigned int>dg_version, flags, found)
