/* A replacement library in small: what the generator makes of a table, with three functions.
 *
 * FAKE_NAME and FAKE_MAJOR say which library it is. A call answers what the backend's function gave (below 100), or
 * 100 + dg_reason where the way there was barred. */
#include "dragoman.h"

#ifndef FAKE_NAME
#define FAKE_NAME "fake"
#define FAKE_MAJOR 12
#endif
#define EXPORT __attribute__((visibility("default")))

typedef int (*number_call)(int);
typedef const char *(*text_call)(void);

static int absent_number(int value) { return (void)value, -1; }
static const char *absent_text(void) { return "absent"; }
__attribute__((unused)) static int older_name(int value) { return 1000 + value; }
__attribute__((unused)) static int older_signature(int value) { return 2000 + value; }

static number_call triple = absent_number, renamed = absent_number, trmm = absent_number, never = absent_number;
static text_call where = absent_text, solver = absent_text, device_count_of = absent_text;
static number_call count = absent_number;

#ifndef FAKE_RUNTIME
static const dg_import blas_imports[] = {
    {"rocblas_fake_triple", (void **)&triple, (void *)absent_number, NULL, 0},
    {"rocblas_fake_renamed", (void **)&renamed, (void *)absent_number, (void *)older_name, 0},
    {"rocblas_fake_trmm", (void **)&trmm, (void *)absent_number, (void *)older_signature, 3000000},
    {"rocblas_fake_never", (void **)&never, (void *)absent_number, NULL, 0},
    {"rocblas_fake_where", (void **)&where, (void *)absent_text, NULL, 0},
};
#endif
static const dg_import hip_imports[] = {
    {"hipFakeWhere", (void **)&device_count_of, (void *)absent_text, NULL, 0},
    {"hipFakeCount", (void **)&count, (void *)absent_number, NULL, 0},
};
static const dg_import solver_imports[] = {{"rocsolver_fake_where", (void **)&solver, (void *)absent_text, NULL, 0}};
static dg_backend backends[] = {
#ifndef FAKE_RUNTIME
    {"rocblas", blas_imports, sizeof blas_imports / sizeof *blas_imports, 0},
#endif
    {"hip", hip_imports, sizeof hip_imports / sizeof *hip_imports, 0},
    {"rocsolver", solver_imports, 1, 0},
};
dg_library dg_own_library = {DG_ABI, FAKE_NAME, FAKE_MAJOR, &dg_own_gate, backends, sizeof backends / sizeof *backends,
                             NULL};

static int cold_calls;
static uint32_t said;

EXPORT int fakeStart(void) { return dg_start(); }
EXPORT int fakeNeed(const char *backend) { return dg_need(backend); }
EXPORT const dg_core *fakeCore(void) { return dg_the_core; }
EXPORT int fakeSetting(const char *name, char *value, size_t size) {
    return dg_start() ? -1 : dg_the_core->setting(name, value, size);
}
EXPORT int fakeColdCalls(void) { return cold_calls; }
EXPORT int fakeGateOpen(void) { return dg_own_gate.span != 0; }
EXPORT void fakeOwnRuntime(void) {
    if (!dg_start()) dg_the_core->own_runtime(&dg_own_library);
}
EXPORT int fakeCreate(void **handle) {
    int reason;
    *handle = NULL;
    if ((reason = dg_need(backends[0].library))) return reason;
    if ((reason = dg_the_core->check_kernels(&dg_own_library))) return reason;
    *handle = dg_the_core->slot_new(DG_BLAS);
    return *handle ? DG_OK : DG_NO_MEMORY;
}
EXPORT int fakeDestroy(void *handle) {
    int reason = dg_admit(handle, DG_BLAS);
    if (reason == DG_CLOSING) return DG_OK; /* AMD's libraries may be gone already */
    if (reason || (reason = dg_the_core->slot_retire(handle, DG_BLAS))) return reason;
    dg_the_core->slot_free(handle);
    return DG_OK;
}
__attribute__((noinline)) static int triple_cold(void *handle, int value) {
    int reason = dg_admit(handle, DG_BLAS), answer;
    __atomic_fetch_add(&cold_calls, 1, __ATOMIC_RELAXED);
    if (reason) return 100 + reason;
    answer = triple(value);
    dg_the_core->trace("fakeTriple", answer, "value=%d", value);
    return answer;
}
EXPORT int fakeTriple(void *handle, int value) {
    if (dg_foreign(handle, DG_BLAS)) return triple_cold(handle, value);
    return triple(value);
}
EXPORT int fakeRenamed(int value) { return renamed(value); }
EXPORT int fakeTrmm(int value) { return trmm(value); }
EXPORT int fakeNever(int value) { return never(value); }
EXPORT const char *fakeWhere(const char *backend) {
    return backend[0] == 'h' ? device_count_of() : backend[3] == 's' ? solver() : where();
}
EXPORT int fakeUnsupported(void) {
    if (dg_start()) return -1;
    dg_the_core->unsupported(&said, "fakeUnsupported", "nobody needs it", "tables/fake.yaml:7");
    return DG_UNSUPPORTED;
}
