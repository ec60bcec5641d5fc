/* Limits of code on the device, which no code of ours reaches: what a program sets it reads back, as with
 * NVIDIA's library.
 *
 * HIP has the first three and may refuse to change them; it has no word for the others. What HIP does not keep is kept
 * here, a device's own. Shared by the runtime and the driver as text: what HIP does not keep, each of the two
 * keeps for itself.
 */
#ifndef DRAGOMAN_CUDART_LIMITS_H
#define DRAGOMAN_CUDART_LIMITS_H
#include <stdint.h>

/* Numbers of cudaLimit and CUlimit: stack, printf, heap, depth and count of nested launches, L2 fetch, L2 that
 * persists; and, kept alike, the preferred split between cache and shared memory, which AMD's cards do not have. */
enum {
    DG_LIMITS = 7,
    DG_CACHE_SPLIT = 7,
    DG_KEPT = 8,
    DG_LIMITS_OF_HIP = 3,
    DG_LIMIT_FETCH = 5,
    DG_LIMIT_DEVICES = 32,
    DG_LIMIT_FETCH_MOST = 128
};

static volatile uint64_t dg_limits_set[DG_LIMIT_DEVICES][DG_KEPT]; /* value + 1; 0: not set */

/* What a device starts with, in bytes or pieces. */
static inline uint64_t dg_limit_default(unsigned limit) {
    static const uint64_t start[DG_KEPT] = {1024, 1 << 20, 8 << 20, 2, 2048, 64, 0, 0};
    return start[limit];
}

/* 1 and the value where a program's value is kept here. */
static inline int dg_limit_kept(int device, unsigned limit, uint64_t *value) {
    uint64_t kept = device >= 0 && device < DG_LIMIT_DEVICES ? dg_limits_set[device][limit] : 0;
    if (kept) *value = kept - 1;
    return kept != 0;
}

static inline void dg_limit_keep(int device, unsigned limit, uint64_t value, int keep) {
    if (device >= 0 && device < DG_LIMIT_DEVICES) dg_limits_set[device][limit] = keep ? value + 1 : 0;
}

static inline void dg_limits_forget(int device) {
    for (unsigned i = 0; i < DG_KEPT; i++) dg_limit_keep(device, i, 0, 0);
}
#endif
