"""`<library>_translate.h`: enumerations and statuses by table, as inline functions.

For a translation `op` the header has `bad_op(x)`, true where the call must be refused, and `to_op(x)`, AMD's number of a
legal one. For the statuses: `status_of_rocblas(s)` and so on, and `status_of_reason(r)` for the core's reasons.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..tables.model import Library
from ..tables.types import Resolved, Types, View
from .writer import Writer

REASONS = {  # enum dg_reason of mapping/runtime/dragoman.h
    "bad_handle": "DG_BAD_HANDLE",
    "forked": "DG_FORKED",
    "no_backend": "DG_NO_BACKEND",
    "no_memory": "DG_NO_MEMORY",
    "no_kernels": "DG_NO_KERNELS",
    "closing": "DG_CLOSING",
    "unsupported": "DG_UNSUPPORTED",
}


def _kept(library: Library, value: str) -> str:
    """An error as it is answered: kept first, where the library has a last error."""
    return f"kept({value})" if library.keeper else value


def named_statuses(library: Library, types: Types) -> tuple[str, ...]:
    """The status constants of a library that numbers them anew in its versions (cuDNN): code knows their names only."""
    constants = types.enum(library.status).constants
    varies = any(len(c.value.values) > 1 for c in constants)
    return tuple(c.name for c in constants) if varies else ()


def status_numbers(library: Library, types: Types, major: int) -> dict[str, int]:
    """Named statuses in one version. One that came later is the status that it refines, by its name."""
    known = types.for_library(library.name, major).constants(library.status)
    found = {}
    for constant in named_statuses(library, types):
        beginnings = [k for k in known if constant.startswith(k)]
        other = [k for k in known if k.removeprefix(library.prefix) in constant] or [library.constant("INTERNAL_ERROR")]
        found[constant] = known[max(beginnings or other, key=len)]
    return found


def _status_value(view: View, library: Library, constant: str) -> str:
    """A status constant in C: its number, or its name where numbers differ between versions."""
    return constant if named_statuses(library, view.types) else f"{view.value(constant)}u"


def expression(resolved: Resolved) -> str:
    """C expression for legal values of `x`, or '' where a switch is needed."""
    if resolved.is_identity:
        return "x"
    if resolved.is_dense and resolved.offset is not None:
        return f"x + {resolved.offset}u"
    sums = {a + b for a, b in resolved.pairs}
    if resolved.is_dense and len(sums) == 1:
        return f"{sums.pop()}u - x"
    return ""


def header(library: Library, view: View, names: Iterable[str], backends: Iterable[str]) -> str:
    """`<library>_translate.h`: `to_…` and `bad_…` of each enumeration, `status_of_…` of each AMD library."""
    w = Writer()
    guard = f"{library.name.upper()}_TRANSLATE_H"
    w.lines(f'#ifndef {guard}\n#define {guard}\n#include "dragoman.h"\n#include "{library.name}_abi.h"\n')
    keeper = library.keeper
    if keeper:
        w.line('#include "keep.h"')
    answer = f"{keeper}(status)" if keeper else "status"
    w.line(f"static inline {library.status} kept({library.status} status) {{ return {answer}; }}")
    w.line("#define DG_UNLIKELY(x) __builtin_expect(!!(x), 0)")
    for name in sorted(names):
        resolved = view.translation(name)
        _translation(w, name, resolved)
        constant = resolved.refusal or library.constant(library.reasons["invalid"])
        answer = _kept(library, _status_value(view, library, constant))
        w.line(f"static inline {library.status} refusal_of_{name}(void) {{ return {answer}; }} /* {constant} */")
    for backend in backends:
        table = library.statuses.get(backend)
        if table:
            _status(w, backend, view.translation(table), library, view)
    if named_statuses(library, view.types):
        w.line(f"extern DG_HIDDEN const char *name_of_status({library.status} status);")
    else:
        names_of_statuses(w, "static inline ", library, view)
    with w.block(f"static inline {library.status} status_of_reason(int reason) {{", "}"):
        with w.block("switch (reason) {", "}"):
            w.line(f"case DG_OK: return ({library.status})0;")
            for reason, constant in REASONS.items():
                status = library.constant(library.reasons[reason])
                answer = _kept(library, _status_value(view, library, status))
                w.line(f"case {constant}: return {answer}; /* {status} */")
            fallback = _status_value(view, library, library.constant(library.reasons["no_backend"]))
            w.line(f"default: return {_kept(library, fallback)};")
    w.line("#endif")
    return w.text()


def names_of_statuses(w: Writer, storage: str, library: Library, view: View) -> None:
    """`name_of_status` in the numbers of one version."""
    unknown = library.constant("UNKNOWN_STATUS") if library.explains else "unrecognized status"
    with w.block(f"{storage}const char *name_of_status({library.status} status) {{", "}"):
        with w.block("switch (status) {", "}"):
            seen: set[int] = set()
            for constant, value in view.constants(library.status).items():
                if value not in seen:
                    w.line(f'case {value}: return "{constant}";')
                seen.add(value)
            w.line(f'default: return "{unknown}";')


def _translation(w: Writer, name: str, resolved: Resolved) -> None:
    t = resolved.translation
    note = f"; {t.note}" if t.note else ""
    w.line(f"/* {t.source} → {t.target}{note} ({t.evidence}) */")
    text = expression(resolved)
    if text and resolved.low == 0 and resolved.is_dense:
        w.line(f"static inline int bad_{name}(uint32_t x) {{ return DG_UNLIKELY(x > {resolved.high}u); }}")
        w.line(f"static inline uint32_t to_{name}(uint32_t x) {{ return {text}; }}")
        return
    with w.block(f"static inline uint32_t to_{name}(uint32_t x) {{", "}"):
        with w.block("switch ((int32_t)x) {", "}"):
            for source, target in resolved.pairs:
                w.line(f"case {source}: return {target}u;")
            w.line(f"default: return {resolved.default if resolved.default is not None else '0xffffffffu'};")
    w.line(f"static inline int bad_{name}(uint32_t x) {{ return to_{name}(x) == 0xffffffffu; }}")


def _status(w: Writer, backend: str, resolved: Resolved, library: Library, view: View) -> None:
    t = resolved.translation
    sources = view.constants(t.source)
    pairs = [(s, f"{n}u") for s, n in resolved.pairs]
    default = f"{resolved.default}u"
    if named_statuses(library, view.types):
        pairs = sorted((sources[a], b) for a, b in t.pairs.items() if a in sources)
        default = t.otherwise
    w.line(f"/* {t.source} → {t.target} ({t.evidence}) */")
    with w.block(
        f"static __attribute__((noinline, cold, unused)) {library.status} other_status_of_{backend}(uint32_t s) {{", "}"
    ):
        with w.block("switch (s) {", "}"):
            for source, target in pairs:
                w.line(f"case {source}: return {_kept(library, target)};")
            w.line(f"default: return {_kept(library, default)};")
    w.line(
        f"static inline {library.status} status_of_{backend}(uint32_t s) "
        f"{{ return dg_failed(s) ? other_status_of_{backend}(s) : s; }}"
    )


def declarations(library: Library, names: Iterable[str], backends: Iterable[str]) -> str:
    """The same for Cython."""
    w = Writer()
    with w.block(f'cdef extern from "{library.name}_translate.h" nogil:'):
        for name in sorted(names):
            w.line(f"bint bad_{name}(uint32_t x)")
            w.line(f"uint32_t to_{name}(uint32_t x)")
            w.line(f"{library.status} refusal_of_{name}()")
        for backend in backends:
            if library.statuses.get(backend):
                w.line(f"{library.status} status_of_{backend}(uint32_t s)")
        w.line(f"{library.status} kept({library.status} status)")
        w.line(f"{library.status} status_of_reason(int reason)")
        w.line(f"const char *name_of_status({library.status} status)")
    return w.text()
