"""Which AMD functions one of our libraries calls, with their prototypes; and the tables through which it calls them.

`<library>_backend.h` declares one struct of typed function pointers for each AMD library, `<library>_backend.c` defines it
with its names, so that the core can fill it, and `.pxi` tells Cython. A slot that the backend has nothing for answers "not
implemented", so no call needs a NULL test.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ..tables.amd import AmdCall
from ..tables.expr import Call, Name
from ..tables.kinds import SIZES, Kind
from ..tables.marks import TableError, Where
from ..tables.model import Entry, Function, Tables, Target, backend_of, expand, rocm_type
from ..tables.typed import typed_elements
from .spelling import cython_type, declare, plain
from .writer import Writer

RESULTS = {
    "rocblas": "rocblas_status",
    "rocsolver": "rocblas_status",
    "hip": "hipError_t",
    "hipblaslt": "hipblasStatus_t",
    "miopen": "miopenStatus_t",
    "hipdnn": "hipdnnStatus_t",
}
# What the adapters of `_64` functions call besides the 32-bit function (plan.NARROW).
NARROW_CALLS = ("rocblas_get_pointer_mode", "rocblas_get_stream", "hipMemsetAsync")
# What an absent function answers: (constant, value) in its library's status type.
MISSING = {
    "rocblas": ("rocblas_status_not_implemented", 2),
    "rocsolver": ("rocblas_status_not_implemented", 2),
    "hip": ("hipErrorNotSupported", 801),
    "hipblaslt": ("HIPBLAS_STATUS_NOT_SUPPORTED", 7),
    "miopen": ("miopenStatusNotImplemented", 6),
    "hipdnn": ("HIPDNN_STATUS_NOT_SUPPORTED", 4),
}


# Arguments from this one on are on the stack in all calling conventions that we build for, each in a place of 64 bits of which a
# callee reads what it needs. So a number of 32 bits is passed on as wide as its place: one `push` takes it from there, or out
# of a row (combos.py), whatever the upper half holds. A register's upper half is nobody's either.
ON_STACK = 6
PLACE = "uint64_t"


def as_passed(params: Sequence[tuple[str, str, Kind | None]]) -> list[str]:
    """The types of a function's arguments in the tables of AMD's functions."""
    return [
        PLACE if t == "rocblas_datatype" or (t == "rocblas_int" and i >= ON_STACK) else t
        for i, (t, _, _) in enumerate(params)
    ]


@dataclass(frozen=True, slots=True)
class Import:
    """One AMD function. `narrow` is the 32-bit function that serves a `_64` one on older releases."""

    name: str
    backend: str
    result: str
    params: tuple[tuple[str, str, Kind | None], ...]  # (C type, name, kind where known)
    narrow: str = ""
    older: str = ""
    before: str = ""

    @property
    def prototype(self) -> str:
        inside = ", ".join(f"{t}{'' if t.endswith('*') else ' '}{n}" for t, n, _ in self.params) or "void"
        return f"{self.result}{'' if self.result.endswith('*') else ' '}{self.name}({inside})"

    @property
    def adapter(self) -> str:
        """Name of the function that serves older releases, or ''."""
        return f"older_{self.name}" if self.narrow or self.older else ""


@dataclass
class Imports:
    """All AMD functions of one library, by name, in a stable order."""

    library: str
    order: tuple[str, ...] = ()  # of backends; the first is opened with every handle
    found: dict[str, Import] = field(default_factory=dict)

    def add(self, item: Import) -> None:
        known = self.found.get(item.name)
        if known is None or (item.narrow and not known.narrow) or (item.older and not known.older):
            self.found[item.name] = item

    def backends(self) -> list[str]:
        return sorted({i.backend for i in self.found.values()}, key=lambda b: (*self.order, b).index(b))

    def of(self, backend: str) -> list[Import]:
        return sorted((i for i in self.found.values() if i.backend == backend), key=lambda i: i.name)


def target_import(function: Function, target: Target, wide: bool | None = None) -> Import:
    """The AMD function that a target calls for one of our functions."""
    entry, record = function.entry, function.type
    wide = function.form.wide if wide is None else wide
    name = expand(target.to, record) + ("_64" if wide else "")
    elements = typed_elements(entry, record, target)
    params: list[tuple[str, str, Kind | None]] = []
    if target.args is None:
        params = [(rocm_type(p.kind, record, wide), p.name, p.kind) for p in entry.params]
    else:
        for i, arg in enumerate(target.args):
            match arg:
                case Name(id="scale"):
                    params.append(("rocblas_datatype", "scale", None))
                case Name(id=word) if word != "NULL":
                    kind = entry.param(word).kind
                    ctype = rocm_type(kind, elements.get(word, record), wide)
                    params.append((ctype, f"{word}{i}" if _repeated(target, word) else word, kind))
                case Call(name=ctype):
                    params.append((ctype, f"arg{i}", None))
                case _:
                    params.append(("void *", f"arg{i}", None))
    backend = backend_of(name)
    narrow = expand(target.to, record) if wide and entry.narrow != "never" and backend == "rocblas" else ""
    older = (expand(target.older, record) + ("_64" if wide else "")) if target.older and not wide else ""
    return Import(name, backend, RESULTS[backend], tuple(params), narrow, older, target.before if older else "")


def _repeated(target: Target, word: str) -> bool:
    return sum(1 for a in target.args or () if a == Name(word)) > 1


def collect(tables: Tables, calls: Mapping[str, AmdCall], library: str) -> Imports:
    """Every AMD function that the entries of a library call, directly or from their blocks."""
    imports = Imports(library, tables.libraries[library].backends)
    for function in tables.functions(library):
        for target in function.entry.targets:
            if target.compose:
                continue
            item = target_import(function, target)
            imports.add(item)
            if item.narrow:
                imports.add(target_import(function, target, wide=False))
            if item.older:
                imports.add(Import(item.older, item.backend, item.result, item.params))
    if any(i.narrow for i in imports.found.values()):
        for name in NARROW_CALLS:
            imports.add(called(None, name, calls, imports))
    for name in tables.libraries[library].support:
        imports.add(called(None, name, calls, imports))
    for entry in tables.entries:
        if entry.library == library:
            for name in entry.block_calls:
                for record in entry.types:
                    imports.add(called(entry, expand(name, record), calls, imports))
    return imports


def called(entry: Entry | None, name: str, calls: Mapping[str, AmdCall], imports: Imports) -> Import:
    """An AMD function that a block names under `calls`."""
    if name in calls:
        call = calls[name]
        return Import(name, backend_of(name), call.result, tuple((t, n, None) for t, n in call.params))
    if name in imports.found:
        return imports.found[name]
    where = entry.where if entry else Where("tables/amd_calls.yaml", 1, 1)
    raise TableError(where, f"{name!r} under `calls` has no prototype; expected a row in tables/amd_calls.yaml")


def struct_name(library: str, backend: str) -> str:
    return f"{library}_{backend}"


def header(imports: Imports) -> str:
    """`<library>_backend.h`: a struct of function pointers for each AMD library."""
    w = Writer()
    library = imports.library
    w.lines(
        f'#ifndef {library.upper()}_BACKEND_H\n#define {library.upper()}_BACKEND_H\n#include "dragoman.h"\n#include "{library}_abi.h"\n'
    )
    for i, backend in enumerate(imports.backends()):
        w.line(f"#define DG_OF_{backend.upper()} {i} /* index in dg_own_library.backends */")
        with w.block(f"struct {struct_name(library, backend)} {{", "};"):
            for item in imports.of(backend):
                types = ", ".join(map(plain, as_passed(item.params))) or "void"
                w.line(f"{item.result}{'' if item.result.endswith('*') else ' '}(*{item.name})({types});")
        w.line(f"extern DG_HIDDEN struct {struct_name(library, backend)} dg_{backend};")
    w.line("extern DG_HIDDEN dg_backend dg_own_backends[];")
    w.line("#endif")
    return w.text()


def source(imports: Imports) -> str:
    """Names, slots and stubs. The library's own record (`dg_own_library`) is in the version's file."""
    w = Writer()
    library = imports.library
    w.line(f'#include "{library}_backend.h"')
    w.line()
    for backend in imports.backends():
        constant, value = MISSING[backend]
        w.line(f"/* {constant} */")
        w.line(f"static uint32_t {backend}_missing(void) {{ return {value}u; }}")
    w.line('static const char *text_missing(void) { return ""; }')
    w.line()
    for backend in imports.backends():
        items = imports.of(backend)
        for item in items:
            if item.adapter:
                w.line(
                    f"extern DG_HIDDEN {item.result} {item.adapter}({', '.join(plain(t) for t, _, _ in item.params) or 'void'});"
                )
        with w.block(f"struct {struct_name(library, backend)} dg_{backend} = {{", "};"):
            for item in items:
                w.line(f".{item.name} = (void *){_stub(item)},")
        with w.block(f"static const dg_import {backend}_imports[] = {{", "};"):
            for item in items:
                older = f"(void *){item.adapter}" if item.adapter else "NULL"
                below = _packed(item.before) if item.before else 0
                w.line(
                    f'{{"{item.name}", (void **)&dg_{backend}.{item.name}, (void *){_stub(item)}, {older}, {below}}},'
                )
    with w.block("dg_backend dg_own_backends[] = {", "};"):
        for backend in imports.backends():
            w.line(f'{{"{backend}", {backend}_imports, sizeof {backend}_imports / sizeof {backend}_imports[0], 0}},')
        if not imports.backends():
            w.line("{0}")
    w.line(f"const size_t dg_own_backend_count DG_HIDDEN = {len(imports.backends())};")
    return w.text()


def _stub(item: Import) -> str:
    return "text_missing" if re.fullmatch(r"const char \*", item.result) else f"{item.backend}_missing"


# Tables speak of ROCm's releases; what the core can ask is rocBLAS's own number.
ROCBLAS_OF_ROCM = {"6.0": (4, 0, 0), "5.5": (2, 47, 0)}


def _packed(version: str) -> int:
    major, minor, patch = ROCBLAS_OF_ROCM[version]
    return major * 1_000_000 + minor * 1_000 + patch


def declarations(imports: Imports, used: set[str] | None = None) -> str:
    """Cython's view of the tables, cut down to the functions that a file uses."""
    w = Writer()
    library = imports.library
    with w.block(f'cdef extern from "{library}_backend.h" nogil:'):
        w.line("pass")
        for backend in imports.backends():
            items = [i for i in imports.of(backend) if used is None or i.name in used]
            name = struct_name(library, backend)
            with w.block(f"struct {name}:"):
                w.line("pass")
                for item in items:
                    types = ", ".join(map(cython_type, as_passed(item.params)))
                    result = cython_type(item.result)
                    w.line(f"{result}{'' if result.endswith('*') else ' '}(*{item.name})({types}) noexcept nogil")
            w.line(f"{name} dg_{backend}")
            w.line(f"const int DG_OF_{backend.upper()}")
        w.line("dg_backend dg_own_backends[1]")
    return w.text()


def adapters(imports: Imports) -> str:
    """Functions with the newest signature over what older releases have (`older_…`), chosen when the library is opened."""
    w = Writer()
    for item in imports.found.values():
        if not item.adapter:
            continue
        plain = item.older or item.narrow
        w.line(f"# {item.name} on a release without it, or with another signature: {plain}")
        inside = ", ".join(declare(t, n) for t, n, _ in item.params)
        with w.block(f"cdef public {cython_type(item.result)} {item.adapter}({inside}) noexcept nogil:"):
            names = []
            if item.narrow and not item.older:
                for ctype, name, kind in item.params:
                    if ctype == "int64_t" and kind and kind.core.name in SIZES:
                        with w.block(f"if dg_wide({declare_name(name)}):"):
                            w.line(f"return {MISSING[item.backend][0]}")
                        names.append(f"<int>{declare_name(name)}")
                    elif ctype == "int64_t *":
                        # the 32-bit answer fills the lower half; the upper half is cleared first, on the same stream
                        w.line(f"narrow_index({declare_name(item.params[0][1])}, {declare_name(name)})")
                        names.append(f"<rocblas_int *>{declare_name(name)}")
                    else:
                        names.append(declare_name(name))
            else:
                names = [declare_name(n) for _, n, _ in item.params]
            w.line(f"return dg_{item.backend}.{plain}({', '.join(names)})")
        w.line()
    return w.text()


def declare_name(text: str) -> str:
    from .spelling import name

    return name(text)
