# Why a call is refused (say.pyx).

cdef extern from "support.h" nogil:
    uint32_t dnn_because(uint32_t status, const char *why)
    uint32_t dnn_failed(uint32_t status, const char *what, uint32_t answer)
    uint32_t dnn_new(void **place, uint32_t magic)
    uint32_t dnn_delete(void *slot, uint32_t magic)
    void dnn_last_text(char *message, size_t size)
    void dnn_set_callback(uint32_t mask, void *udata, void *call)
    void dnn_get_callback(uint32_t *mask, void **udata, void **call)

cdef extern from "support.h" nogil:
    void dnn_amd_forgotten(void **place)
