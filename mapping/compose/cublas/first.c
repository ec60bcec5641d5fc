#include "first.h"
#include "first_calls.h"

void *dg_first_handle;
uint32_t dg_first_error;

void *first_made(void) {
    void *made = NULL, *none = NULL;
    uint32_t status = cublasCreate_v2((void *)&made);
    if (status) return first_status(status), NULL;
    if (__atomic_compare_exchange_n(&dg_first_handle, &none, made, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) return made;
    cublasDestroy_v2(made); /* another thread was first */
    return none;
}
