#include "platform.h"
#include "dragoman.h"

DG_HIDDEN uint64_t dnn_thread(void);

/* A file of its own: platform.h and generated.h do not go together. */
uint64_t dnn_thread(void) { return dg_thread(); }
