"""The CPU backend's rocBLAS: for each table entry that has a rocBLAS target and a `cpu:` rule, AMD's function over OpenBLAS.

What a function checks, and in which order, follows from its parameters' kinds (`cpu_bodies.py`). What it computes is
the `cpu:` rule: a block in mapping/cpu/rocblas/*.pxi of that name, or, where there is none, the routine of that name
in OpenBLAS's C interface, its arguments given by kind. A batched function is its rule in a loop that threads share.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath

from ..build.openblas import OpenBlas
from ..build.plan import Library
from ..tables.cpu import OPENBLAS, blocks, hand_written
from ..tables.kinds import OPTIONS
from ..tables.model import Tables
from . import cpu_library, cpu_record, spelling
from .cpu_bodies import at_once, body
from .cpu_record import Kept, recorder
from .cpu_record import Library as Recorded
from .cpu_routines import Routine, routines
from .writer import Writer, banner, wrap

_HEAD = """\
# cython: language_level=3, cdivision=True, boundscheck=False, wraparound=False
include "rocblas.pxi"
include "elements.pxi"
include "crew.pxi"

from libc.string cimport memcpy
"""


# ---- functions ----


def _signature(r: Routine, wide: bool, head: str = "") -> list[str]:
    head = head or f"cdef public rocblas_status {r.name}{'_64' if wide else ''}("
    params = [spelling.declare(a.wide if wide else a.narrow, a.name) for a in r.args]
    return wrap(params, 112, head, "    ", ") noexcept nogil:")


def _prototype(r: Routine, wide: bool) -> str:
    params = ", ".join(f"{a.wide if wide else a.narrow} {a.name}".replace("* ", "*") for a in r.args)
    return f"rocblas_status {r.name}{'_64' if wide else ''}({params})"


def _narrow_body(r: Routine, wide: str = "_64") -> Iterator[str]:
    """The 32-bit form hands on to the 64-bit one; an index comes back through a wide one."""
    index = [a for a in r.args if a.core.name == "result" and a.core.role == "index"]
    texts = ", ".join(f"&wide if {a.name} != NULL else NULL" if a in index else spelling.name(a.name) for a in r.args)
    if not index:
        yield f"return {r.name}{wide}({texts})"
        return
    name = index[0].name
    yield "cdef int64_t wide = 0"
    yield f"if {name} != NULL and rb_is_handle(handle) and rb_recorded(handle) and not ({at_once(r)}):"
    yield "    # not into `wide`, which is gone at a launch"
    yield f"    return {r.name}_narrow_record({', '.join(spelling.name(a.name) for a in r.args)})"
    yield f"cdef rocblas_status status = {r.name}{wide}({texts})"
    yield "if status == rocblas_status_success:"
    yield f"    {name}[0] = <rocblas_int>wide"
    yield "return status"


def _faulty(r: Routine) -> Iterator[str]:
    """rocBLAS's own `_64` of the products of a matrix with itself: with k = 0 nothing is launched, as if β were 1."""
    beta = next(a for a in r.args if a.name == "beta")
    assert beta.element
    real = "float" if beta.element.name in ("f32", "c32") else "double"
    yield f"cdef {real}[2] one"
    yield "one[0] = 1"
    yield "one[1] = 0"
    given = [spelling.name(a.name) for a in r.args]
    yield "if k == 0 and beta != NULL and C != NULL:"
    yield f"    return {r.name}_any({', '.join(f'<{a.wide}>one' if a is beta else g for a, g in zip(r.args, given, strict=True))})"
    yield f"return {r.name}_any({', '.join(given)})"


def _function(writer: Writer, r: Routine) -> None:
    writer.line()
    writer.line()
    writer.line(f"# {r.entry.file}:{r.entry.where.line} {r.entry.key}: {r.entry.summary}")
    forms = [wide for wide, exists in ((True, r.has_wide), (False, r.has_narrow)) if exists]
    faulty = r.entry.narrow == "first" and r.has_wide
    text, members = body(r)
    if members:
        writer.lines(members)
        writer.line()
        writer.line()
    if faulty:
        _definition(writer, _signature(r, True, f"cdef rocblas_status {r.name}_any("), text)
    for i, wide in enumerate(forms):
        if i or faulty:
            writer.line()
            writer.line()
        writer.line(f"# {_prototype(r, wide)}")
        if faulty:
            lines = _faulty(r) if wide else _narrow_body(r, "_any")
            _definition(writer, _signature(r, wide), "\n".join(lines))
        else:
            _definition(writer, _signature(r, wide), text if i == 0 else "\n".join(_narrow_body(r)))
    for name, called, wide in _recorded(r, forms, faulty):
        writer.line()
        writer.line()
        writer.lines(_recorder(r, name, called, wide))


def _recorded(r: Routine, forms: list[bool], faulty: bool) -> Iterator[tuple[str, str, bool]]:
    """(recorder's name, the function that a launch calls, whether its sizes have 64 bits)."""
    yield r.name, f"{r.name}{'_any' if faulty else '_64' if forms[0] else ''}", forms[0] or faulty
    if len(forms) > 1 and any(a.core.name == "result" and a.core.role == "index" for a in r.args):
        yield f"{r.name}_narrow", r.name, False


def _definition(writer: Writer, signature: list[str], text: str) -> None:
    *first, last = signature
    for line in first:
        writer.line(line)
    with writer.block(last):
        writer.lines(text)


# ---- recording ----

RECORDED = Recorded(
    status="rocblas_status",
    success="rocblas_status_success",
    admit="rb_admit(handle, False)",
    before="rb_replay(&call.handle_kept)",
    after="rb_replay(NULL)",
    keep="rb_keep(handle, {run}, &call, sizeof(call))",
)
ON_HOST = "{of}handle.pointer_mode == RB_HOST"


def _recorder(r: Routine, name: str, target: str, wide: bool) -> str:
    """Factors on the host are copied; what would be written there is refused."""
    kept, written = [], False
    for a in r.args:
        ctype = a.wide if wide else a.narrow
        if a.core.name == "handle":
            kept.append(Kept(ctype, a.name, "rb_handle", may_be_null=False))
        elif a.core.name in ("scalar", "array") and a.kind.is_pointer and a.core.io == "in":
            assert a.element
            kept.append(Kept(ctype, a.name, a.element.rocm, 5 if a.core.name == "array" else 1, ON_HOST))
        else:
            written |= a.core.name == "result" or (a.core.name in ("scalar", "array") and a.kind.is_pointer)
            kept.append(Kept(ctype, a.name))
    return recorder(name, target, kept, RECORDED, f"rb_admit(handle, {written})")


_VALUES = {"rocblas_half", "rocblas_bfloat16", "float", "double", "rocblas_float_complex", "rocblas_double_complex"}


def _kept(ctype: str, name: str, types: Mapping[str, str]) -> Kept:
    """A parameter of a function that is written by hand; the type of a factor may be an argument of its own."""
    value = ctype.removeprefix("const ").removesuffix(" *")
    if ctype == "rocblas_handle":
        return Kept(ctype, name, "rb_handle", may_be_null=False)
    if ctype == "const void *" and (name in ("alpha", "beta") or (name in ("c", "s") and "cs_type" in types)):
        of = next(t for t in ("alpha_type", "cs_type", "compute_type") if t in types)
        return Kept(ctype, name, "uint64_t", 2, ON_HOST, f"<size_t>rb_size({{of}}{of})")
    if name in ("alpha", "beta") and value in _VALUES:
        return Kept(ctype, name, value, 1, ON_HOST)
    return Kept(ctype, name)


# ---- OpenBLAS ----


def _c_arguments(r: Routine) -> Iterator[tuple[str, str, str, str]]:
    """(fused type, type in C, name, what is passed) of each argument that OpenBLAS takes after the order."""
    for a in r.args:
        name = spelling.name(a.name)
        if a.kind.name in ("handle", "stride", "batch") or a.core.name == "result":
            continue
        if a.core.name in OPTIONS:
            yield "int", "int", name, name
        elif a.core.name == "scalar":
            assert a.element
            by_pointer = a.element.is_complex
            fused = "element" if a.element == r.element else "double"
            yield fused, "const void *" if by_pointer else a.element.rocm, name, f"&{name}" if by_pointer else name
        elif a.kind.is_pointer:
            assert a.element
            const = "const " if a.core.io == "in" else ""
            yield f"{const}element *", f"{const}{'void' if a.element.is_complex else a.element.rocm} *", name, name
        else:
            yield "int64_t", "int64_t", name, name


def _result(r: Routine) -> tuple[str, str]:
    """(fused, C) type that the routine returns."""
    results = r.of("result")
    if not results or results[0].element is None:
        return "void", "void"
    return "element" if results[0].core.role == "T" else "double", results[0].element.rocm


def _symbol(r: Routine) -> str:
    return f"scipy_cblas_{r.record.name.lower()}{r.rule}64_"


def _dispatcher(writer: Writer, members: list[Routine]) -> None:
    """One fused function over OpenBLAS's routine for all its types."""
    rule = members[0].rule
    order = ["int order"] if not members[0].is_level1 else []
    with writer.block('cdef extern from "openblas.h" nogil:'):
        for r in members:
            params = [*order, *(spelling.declare(c, name) for _, c, name, _ in _c_arguments(r))]
            for line in wrap(params, 112, f"{_result(r)[1]} {_symbol(r)}(", "    ", ")"):
                writer.line(line)
    writer.line()
    writer.line()
    params = [spelling.declare(fused, name) for fused, _, name, _ in _c_arguments(members[0])]
    *first, last = wrap(params, 112, f"cdef inline {_result(members[0])[0]} cblas_{rule}(", "    ", ") noexcept nogil:")
    for line in first:
        writer.line(line)
    with writer.block(last):
        for i, r in enumerate(members):
            passed = [*(["CBLAS_COLUMNS"] if order else []), *(text for *_, text in _c_arguments(r))]
            returns = "return " if _result(r)[0] != "void" else ""
            writer.line(f"{'elif' if i else 'if'} element is {r.element.rocm}:")
            writer.line(f"    {returns}{_symbol(r)}({', '.join(passed)})")


# ---- files ----


def _needs(texts: Iterable[str]) -> set[str]:
    return {name for text in texts for name in re.findall(r"\bcblas_(\w+)\(", text)}


def generate(tables: Tables) -> dict[str, str]:
    """File name → text: a `.pyx` for each table file that has functions of rocBLAS."""
    everything = routines(tables)
    plain = [r for r in everything if not r.batch]
    files: dict[str, list[Routine]] = {}
    for r in everything:
        files.setdefault(PurePosixPath(r.entry.file).stem, []).append(r)
    made = {f"{stem}.pyx": _file(stem, members, plain) for stem, members in files.items()}
    return made | cpu_record.hand_written(hand_written(), _kept, RECORDED)


def _file(stem: str, members: list[Routine], plain: list[Routine]) -> str:
    functions = Writer()
    for r in members:
        _function(functions, r)
    parts = sorted({blocks()[r.rule] for r in members if r.rule in blocks()})
    needed = _needs([functions.text(), *((hand_written() / name).read_text(encoding="utf-8") for name in parts)])
    writer = Writer()
    writer.lines(_HEAD)
    for rule in OPENBLAS:
        if rule in needed:
            writer.line()
            writer.line()
            _dispatcher(writer, [r for r in plain if r.rule == rule and r.record.name.lower() in OPENBLAS[rule]])
    writer.line()
    writer.line()
    for name in parts:
        writer.line(f'include "{name}"')
    body = writer.text() + functions.text()
    source = members[0].entry.file
    return banner(
        body, f"{source} and mapping/cpu/rocblas/", f"rocBLAS of the CPU backend: {members[0].entry.chapter}."
    )


def exports(tables: Tables) -> list[str]:
    """All that librocblas exports: the tables' functions and the hand-written ones, sorted."""
    found = {r.name + form for r in routines(tables) for form, has in (("", r.has_narrow), ("_64", r.has_wide)) if has}
    return sorted(found | cpu_library.public(hand_written()))


def openblas_symbols(texts: Iterable[str]) -> list[str]:
    """What the given sources call of OpenBLAS: the import library for Windows is made of these."""
    return sorted({name for text in texts for name in re.findall(r"\bscipy_cblas_\w+64_\b", text)})


def library(tables: Tables, sources: Path, openblas: OpenBlas, target: str) -> Library:
    """librocblas.so.5 or rocblas.dll, with OpenBLAS beside it. `sources` holds what `generate` answered."""
    found = [*sorted(hand_written().glob("*.pyx")), *sorted(sources.glob("*.pyx")), *cpu_library.SHARED]
    folders = (hand_written(), sources, cpu_library.CREW)
    made = cpu_library.units("rocblas", target, found, folders, ("CYTHON_CCOMPLEX=0",))
    return cpu_library.library(cpu_library.ROCBLAS, target, made, exports(tables), openblas, openblas.extra_files)
