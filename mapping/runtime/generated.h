/* What generated functions use besides dragoman.h: small questions asked on the hot or cold path. */
#ifndef DRAGOMAN_GENERATED_H
#define DRAGOMAN_GENERATED_H
#include "dragoman.h"

/* A function's cold twin: never merged into the hot one, out of its way, small. */
#ifdef __clang__
#define DG_COLD DG_HIDDEN __attribute__((noinline, cold, minsize))
#else /* not cold: gcc then saves registers before the question and not after it */
#define DG_COLD DG_HIDDEN __attribute__((noipa))
#endif

/* The gate is shut: not opened yet, traced, or forked. Calls without a handle then go the cold way. */
static inline int dg_closed(void) { return __builtin_expect(dg_own_gate.span == 0, 0); }

/* One backend's table is filled. */
static inline int dg_opened(const dg_backend *backend) { return __builtin_expect(backend->state == 1, 1); }

/* A condition that leads out of the hot path. */
static inline int dg_rare(int holds) { return __builtin_expect(holds, 0); }

/* Two sizes of which one is below 1, in four instructions: a sign bit tells both. Either width; the
 * arithmetic wraps. */
#define dg_empty(a, b) ((__typeof__(a))(((unsigned long long)(a) - 1) | ((unsigned long long)(b) - 1)) < 0)

/* Streams as HIP knows them. CUDA's 0x1 is the default stream under a name of its own, which HIP has only of late:
 * older releases would read it as a pointer. 0x2, the calling thread's own default stream, is HIP's too; in the _ptsz
 * twins no stream at all means that one. */
static inline void *to_stream(const void *stream) { return stream == (void *)1 ? 0 : (void *)stream; }
static inline void *own_stream(const void *stream) { return stream ? to_stream(stream) : (void *)2; }

/* A 64-bit size that a 32-bit function cannot take. */
static inline int dg_wide(int64_t value) { return value != (int32_t)value; }

/* Cold path only. */
static inline int dg_tracing(void) { return dg_the_core && dg_the_core->log_level() >= DG_LOG_TRACE; }

/* Cold path only: a refusal is worth a line at level info, since NVIDIA's libraries keep silent. */
static inline void dg_refused(const char *function, const char *parameter, long long value) {
    if (dg_the_core && dg_the_core->log_level() >= DG_LOG_INFO)
        dg_the_core->log(DG_LOG_INFO, "D040", "%s: %s = %lld is refused", function, parameter, value);
}
static inline void dg_refused_call(const char *function, const char *condition) {
    if (dg_the_core && dg_the_core->log_level() >= DG_LOG_INFO)
        dg_the_core->log(DG_LOG_INFO, "D041", "%s is refused: %s", function, condition);
}
static inline void dg_refused_handle(const char *function, int reason) {
    if (dg_the_core && dg_the_core->log_level() >= DG_LOG_INFO)
        dg_the_core->log(DG_LOG_INFO, "D042", "%s: the handle is not valid here (reason %d)", function, reason);
}

static inline void dg_refused_slot(const char *function, const char *parameter) {
    if (dg_the_core && dg_the_core->log_level() >= DG_LOG_INFO)
        dg_the_core->log(DG_LOG_INFO, "D040", "%s: %s is no living descriptor of its kind", function, parameter);
}

/* Cold path only: a descriptor lives on where its backend cannot be used any more. */
static inline int dg_alive(const void *slot, uint32_t magic) {
    return dg_the_core && dg_the_core->slot_check(slot, magic) != DG_BAD_HANDLE;
}

static inline void dg_unsupported(uint32_t *said, const char *function, const char *reason, const char *where) {
    dg_start();
    if (dg_the_core) dg_the_core->unsupported(said, function, reason, where);
}
#endif
