"""The watch: a library under the file name of one of AMD's that stands in front of the real one, lets every call through, and
tells the fake HIP runtime which function was entered, with which handle, and what it answered.

So the fake's log says of each launch which AMD function made it and on which of AMD's handles, which HIP itself is
never told. The watch changes no argument and no answer.
"""

from __future__ import annotations

from collections.abc import Sequence

from .releases import AmdLibrary

_HEAD = r"""/* Made by dragoman: the watch in front of @file@. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void (*note_call)(int kind, void *stream, const void *subject, uint64_t size, const char *name);
enum { FAKE_CALL = 1, FAKE_CREATED = 2, FAKE_STREAM = 3, FAKE_DESTROYED = 15, FAKE_ANSWER = 16 };
#define FAKE_ALL ((void *)~(uintptr_t)0)
enum { COUNT = @count@, DEPTH = 64 };
#define HIDDEN __attribute__((visibility("hidden"), used))

static const char *const watch_names[COUNT] = {
@names@
};
/* Functions that make a handle, give one a stream, destroy one. */
static const char *const watch_makes[] = {@makes@NULL};
static const char *const watch_sets[] = {@sets@NULL};
static const char *const watch_ends[] = {@ends@NULL};
static int watch_is(const char *name, const char *const *among) {
    while (*among && strcmp(name, *among)) among++;
    return *among != NULL;
}
HIDDEN void *watch_real[COUNT];
static note_call watch_note;

/* Calls that a thread is in: where each returns to, and what it was asked. */
static _Thread_local struct watch_open_call {
    void *home;
    const char *name;
    void *first, *second;
} watch_calls[DEPTH];
static _Thread_local int watch_depth;

typedef struct {
    const char *file;
    void *base;
    const char *name;
    void *address;
} watch_place;
extern int dladdr(const void *, void *);

/* The real library lies in `real/` beside this one; the fake is in the process already, by its SONAME. */
__attribute__((constructor)) static void watch_open(void) {
    watch_place here = {0};
    char path[4096];
    dladdr(watch_names, &here);
    const char *slash = here.file ? strrchr(here.file, '/') : NULL;
    int length = slash ? (int)(slash - here.file) : -1;
    if (length < 0 || snprintf(path, sizeof path, "%.*s/real/@file@", length, here.file) >= (int)sizeof path) abort();
    void *hip = dlopen("@hip@", RTLD_NOW | RTLD_NOLOAD);
    watch_note = hip ? (note_call)dlsym(hip, "fakehip_note") : NULL;
    if (!watch_note) {
        fprintf(stderr, "dragoman: the watch finds no fake @hip@ in the process\n");
        abort();
    }
    void *real = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!real) {
        fprintf(stderr, "dragoman: %s\n", dlerror());
        abort();
    }
    for (int i = 0; i < COUNT; i++) watch_real[i] = dlsym(real, watch_names[i]);
}

extern char watch_left[];

/* `slot` holds where the call returns to: it comes by here first. */
HIDDEN void watch_entered(uint64_t index, void **slot, void *first, void *second) {
    const char *name = watch_names[index];
    watch_note(FAKE_CALL, FAKE_ALL, first, 0, name);
    if (watch_depth == DEPTH) return;
    watch_calls[watch_depth++] = (struct watch_open_call){*slot, name, first, second};
    *slot = watch_left;
}

/* What the call answered; answers where it returns to. */
HIDDEN void *watch_answered(uint32_t status) {
    struct watch_open_call *call = &watch_calls[--watch_depth];
    watch_note(FAKE_ANSWER, FAKE_ALL, call->first, status, call->name);
    if (watch_is(call->name, watch_makes)) {
        if (!status) watch_note(FAKE_CREATED, FAKE_ALL, *(void **)call->first, 0, call->name);
    } else if (watch_is(call->name, watch_sets)) {
        watch_note(FAKE_STREAM, call->second, call->first, status, call->name);
    } else if (watch_is(call->name, watch_ends)) {
        watch_note(FAKE_DESTROYED, FAKE_ALL, call->first, status, call->name);
    }
    return call->home;
}

/* On entry %rax is the function's number; all argument registers must survive, and on the way back the answer. */
__asm__(
    ".text\n.type watch_pass, @function\nwatch_pass:\n"
    "push %rax\npush %rdi\npush %rsi\npush %rdx\npush %rcx\npush %r8\npush %r9\n"
    "sub $128, %rsp\n"
    "movups %xmm0, (%rsp)\nmovups %xmm1, 16(%rsp)\nmovups %xmm2, 32(%rsp)\nmovups %xmm3, 48(%rsp)\n"
    "movups %xmm4, 64(%rsp)\nmovups %xmm5, 80(%rsp)\nmovups %xmm6, 96(%rsp)\nmovups %xmm7, 112(%rsp)\n"
    "mov %rsi, %rcx\nmov %rdi, %rdx\nmov %rax, %rdi\nlea 184(%rsp), %rsi\n"
    "call watch_entered\n"
    "movups (%rsp), %xmm0\nmovups 16(%rsp), %xmm1\nmovups 32(%rsp), %xmm2\nmovups 48(%rsp), %xmm3\n"
    "movups 64(%rsp), %xmm4\nmovups 80(%rsp), %xmm5\nmovups 96(%rsp), %xmm6\nmovups 112(%rsp), %xmm7\n"
    "add $128, %rsp\n"
    "pop %r9\npop %r8\npop %rcx\npop %rdx\npop %rsi\npop %rdi\npop %rax\n"
    "lea watch_real(%rip), %r10\n"
    "jmp *(%r10,%rax,8)\n"
    ".size watch_pass, . - watch_pass\n"
    ".globl watch_left\n.hidden watch_left\n.type watch_left, @function\nwatch_left:\n"
    "sub $8, %rsp\npush %rax\npush %rdx\nsub $24, %rsp\nmovups %xmm0, (%rsp)\n"
    "mov %eax, %edi\n"
    "call watch_answered\n"
    "mov %rax, 40(%rsp)\n"
    "movups (%rsp), %xmm0\nadd $24, %rsp\npop %rdx\npop %rax\nret\n"
    ".size watch_left, . - watch_left\n");
#define PASS(index, name)                                                                              \
    __asm__(".text\n.globl " #name "\n.type " #name ", @function\n" #name ":\nmov $" #index ", %eax\n" \
            "jmp watch_pass\n.size " #name ", . - " #name "\n");
"""


def watched(functions: Sequence[str]) -> tuple[str, ...]:
    """The C functions of a library, without what C++ or the linker put there."""
    return tuple(f for f in functions if not f.startswith("_"))


def source(file: str, hip: str, functions: Sequence[str], library: AmdLibrary) -> str:
    """C of the watch for a library: its file name, the SONAME of the HIP runtime, what it exports."""
    names = ",\n".join(f'    "{name}"' for name in functions)
    head = _HEAD.replace("@file@", file).replace("@hip@", hip).replace("@names@", names)
    for what in ("makes", "sets", "ends"):
        head = head.replace(f"@{what}@", "".join(f'"{name}", ' for name in getattr(library, what)))
    lines = [head.replace("@count@", str(len(functions)))]
    lines += [f"PASS({index}, {name})" for index, name in enumerate(functions)]
    return "\n".join(lines) + "\n"
