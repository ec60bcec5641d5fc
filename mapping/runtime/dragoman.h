/* What a generated library and dragoman_core share.
 *
 * A generated library (libcublas.so.12, cudart64_12.dll ...) holds one dg_library. It opens the core beside
 * itself on first use, attaches, and asks the core to fill its tables with AMD's functions. The hot path of a
 * generated function touches only this library's own data: the gate, the slot behind the handle, and the
 * table of AMD's functions. Everything else (log, first use, refusals, fork) happens in the function's cold
 * twin, which the hot path enters when the gate is closed or an argument is out of range.
 */
#ifndef DRAGOMAN_H
#define DRAGOMAN_H
#include <stddef.h>
#include <stdint.h>

/* Goes up with every change of a struct below. The core's file name carries it, so that two versions of it never
 * meet under one name: change DG_CORE_FILE with it. */
#define DG_ABI 1u
#ifdef _WIN32
#define DG_CORE_FILE "dragoman_core_1.dll"
#else
#define DG_CORE_FILE "libdragoman_core.so.1"
#endif
#define DG_CORE_ENTRY "dragoman_core_table" /* the core's one export: const dg_core *(uint32_t abi) */

/* Kinds of slot. A slot starts with its kind while alive and with 0 once freed. */
#define DG_BLAS 0x53414c42u /* cuBLAS handle; serves as cublasLt handle too */
/* 0x4e4e4400 and above: cuDNN's, mapping/compose/cudnn/slots.h */

/* Why the core says no. Each library maps these to its own statuses by name. */
enum dg_reason {
    DG_OK = 0,
    DG_BAD_HANDLE = 1,    /* NULL, freed or foreign */
    DG_FORKED = 2,        /* the backend was opened by the parent process */
    DG_NO_BACKEND = 3,    /* no usable backend library; one line on stderr said why */
    DG_NO_MEMORY = 4,
    DG_NO_KERNELS = 5,    /* the library found has no kernels for this card */
    DG_CLOSING = 6,       /* the process is ending */
    DG_UNSUPPORTED = 7
};

enum dg_level { DG_LOG_OFF = 0, DG_LOG_ERROR = 1, DG_LOG_INFO = 2, DG_LOG_TRACE = 3 };
enum dg_backend_kind { DG_BACKEND_NONE = 0, DG_BACKEND_ROCM = 1, DG_BACKEND_CPU = 2, DG_BACKEND_DIR = 3 };

/* Handles live in [base, base + span). The core closes the gate (span 0) while tracing and after a fork,
 * so one comparison on the hot path answers "valid?", "open?" and "traced?" together. */
typedef struct dg_gate {
    uintptr_t base;
    uintptr_t span;
} dg_gate;

/* One AMD function that a library calls. `slot` holds `missing` until the backend is open. */
typedef struct dg_import {
    const char *name;
    void **slot;
    void *missing;        /* answers "not implemented" in that function's return type */
    void *older;          /* adapter with the newest signature over older functions, or NULL */
    uint32_t older_below; /* use `older` below this version (major*1000000+minor*1000+patch); 0: where `name` is absent.
                           * A backend that tells no version counts as the newest. */
} dg_import;

typedef struct dg_backend {
    const char *library; /* hip, rocblas, rocsolver, hipblaslt, miopen, hipdnn */
    const dg_import *imports;
    size_t count;
    volatile int state; /* 0 not opened, 1 open, else -dg_reason */
} dg_backend;

typedef struct dg_library {
    uint32_t abi;
    const char *name; /* cublas, cublasLt, cudart, cuda, cudnn */
    int cuda_major;
    dg_gate *gate;
    dg_backend *backends; /* the first is the one that the library cannot do without: dg_admit opens it, and the
                           * gate opens with it. None: the gate opens with the first backend of any library. */
    size_t backend_count;
    struct dg_library *next; /* the core's list */
} dg_library;

/* State of one cuBLAS handle: 256 bytes, the first 64 are the hot ones. */
typedef struct dg_blas {
    uint32_t magic;
    int32_t device;      /* current when the handle was created */
    void *blas;          /* rocblas_handle of the current stream */
    void *stream;        /* current stream as the program gave it */
    void *other_blas;    /* the stream before it, so that two streams can alternate cheaply */
    void *other_stream;
    int32_t pointer_mode; /* NVIDIA's numbers in all of these */
    int32_t atomics_mode;
    uint32_t math_mode;
    int32_t sm_target;
    void *workspace;     /* the program's own, or NULL */
    size_t workspace_size;
    int32_t own_workspace; /* 1: the library's own (default), 0: the program's */
    int32_t stream_count;
    void *streams;       /* all (stream, rocblas_handle) pairs of this handle */
    uint64_t emulation[6]; /* settings that are kept and read back */
    void *lt;              /* what cuBLASLt keeps for it */
    uint64_t spare[10];
} dg_blas;

typedef void (*dg_log_callback)(const char *message);
typedef void (*dg_lt_callback)(int level, const char *function, const char *message);

/* The core's function table. A library refuses a core whose abi differs, with one clear line. */
typedef struct dg_core {
    uint32_t abi;
    uint32_t size;

    int (*attach)(dg_library *library);
    void (*detach)(dg_library *library);                        /* a library is being unloaded */
    int (*open)(dg_library *library, const char *backend);      /* fill one table, and hip's with it; dg_reason;
                                                                 * once-only, thread-safe; DG_FORKED and DG_CLOSING
                                                                 * even where it is open */
    int (*backend_kind)(void);                                  /* dg_backend_kind once chosen */
    uint32_t (*backend_version)(const char *backend);           /* major*1000000+minor*1000+patch, 0 unknown */
    int (*check_kernels)(dg_library *library);                  /* kernels for the current device? dg_reason */

    void *(*slot_new)(uint32_t magic);                          /* zeroed but for magic; NULL: none left */
    int (*slot_retire)(void *slot, uint32_t magic);             /* a destroy begins: DG_OK for one caller only; from
                                                                 * then on the handle is bad for everyone else */
    void (*slot_free)(void *slot);                              /* the destroy ends, retired or not */
    int (*slot_check)(const void *slot, uint32_t magic);        /* DG_OK, DG_BAD_HANDLE, DG_FORKED, DG_CLOSING */

    int (*log_level)(void);                                     /* the highest that anyone listens for */
    void (*log)(int level, const char *code, const char *format, ...); /* code "D012"; one line */
    void (*trace)(const char *function, long long status, const char *format, ...);
    void (*unsupported)(uint32_t *said, const char *function, const char *reason, const char *where);
    void (*set_logger)(dg_log_callback callback);               /* cublasSetLoggerCallback */
    dg_log_callback (*get_logger)(void);
    int (*configure_logger)(int on, int to_stdout, int to_stderr, const char *file); /* 0 or -1: file cannot be written;
                                                                                      * off: the callback is kept but
                                                                                      * not called */

    void (*own_runtime)(dg_library *library);                   /* our cudart or libcuda made this process's memory */
    /* zeroed memory for handle tables, never on a call path */
    void *(*alloc)(size_t bytes);
    void (*release)(void *memory);
    void (*lock)(void);                                         /* the core's lock for rare work: create, new stream;
                                                                 * one thread may take it twice */
    void (*unlock)(void);
    void *(*shared)(const char *name, size_t bytes);            /* zeroed memory that libraries and their parts have in
                                                                 * common, made when first asked for; NULL: none left */
    int (*setting)(const char *name, char *value,
                   size_t size);                     /* what the user set as DRAGOMAN_…: its length, 0 where it
                                                                 * is not set or does not fit; see settings.pxi */
    int (*gfx)(int device, char *text, size_t size); /* a device's architecture as in gfx1100, without features;
                                                                 * 0 where HIP does not tell. Not for a call path. */
    int (*runtime_used)(void);                       /* a library other than the CUDA driver has opened the HIP
                                                                 * runtime: with NVIDIA's it has made the driver ready
                                                                 * and a context current */
    void (*set_lt_logger)(dg_lt_callback callback);  /* cublasLtLoggerSetCallback */
    void (*set_lt_kinds)(int kinds);                 /* cublasLtLoggerSetMask: 1 errors, 8 facts, 16 calls; negative:
                                                                 * nothing for good */
} dg_core;

/* Whether AMD's status tells of a failure. clang, which knows after `s != 0` that s is 0, would make a new 0 for the
 * answer where one is in the register: of a flag of the processor's it knows nothing. */
static inline int dg_failed(uint32_t s) {
#if defined __clang__ && defined __x86_64__
    int set;
    __asm__("test %1, %1" : "=@ccnz"(set) : "r"(s));
    return __builtin_expect(set, 0);
#else
    return __builtin_expect(s != 0, 0);
#endif
}

/* ---- the library's side: runtime/library.pyx defines these, hidden, once a library ---- */
#ifdef DRAGOMAN_LIBRARY
#define DG_HIDDEN __attribute__((visibility("hidden")))
extern DG_HIDDEN dg_gate dg_own_gate;
extern DG_HIDDEN dg_library dg_own_library; /* generated */
extern DG_HIDDEN const dg_core *dg_the_core; /* NULL before first use, or when the core cannot be loaded */

/* Opens the core once: one that is in the process already, else the file beside this library; dg_reason. */
DG_HIDDEN int dg_start(void);
/* dg_start, then one backend's table; dg_reason. */
DG_HIDDEN int dg_need(const char *backend);

/* Hot-path check of a handle: one range compare and one magic compare. */
static inline int dg_foreign(const void *handle, uint32_t magic) {
    return __builtin_expect((uintptr_t)handle - dg_own_gate.base >= dg_own_gate.span, 0) ||
           __builtin_expect(*(const uint32_t *)handle != magic, 0);
}
/* Cold-path check: starts the library, asks the core, and sees that the first backend is open; dg_reason. */
DG_HIDDEN int dg_admit(const void *handle, uint32_t magic);
#endif
#endif
