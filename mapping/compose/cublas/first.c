#include "first.h"

void *dg_first_handle;
uint32_t dg_first_error;
