#include "platform.h"
#include "xt.h"

/* A file of its own: platform.h and generated.h do not go together. A slot is zero when it is made, and so
 * is a lock. */
_Static_assert(sizeof(dg_mutex) <= sizeof(((dg_xt *)0)->lock), "the lock of a handle");

void xt_lock(dg_xt *h) { dg_mutex_lock((dg_mutex *)h->lock); }
void xt_unlock(dg_xt *h) { dg_mutex_unlock((dg_mutex *)h->lock); }
