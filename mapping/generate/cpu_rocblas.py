"""The CPU backend's rocBLAS: for each table entry that has a rocBLAS target and a `cpu:` rule, AMD's function over OpenBLAS.

What a function checks, and in which order, follows from its parameters' kinds (docs/cpu-backend.md lists the rules).
What it computes is the `cpu:` rule: a block in mapping/cpu/rocblas/*.pxi of that name, or, where there is none, the
routine of that name in OpenBLAS's C interface, its arguments given by kind. A batched function is its rule in a loop.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path, PurePosixPath

from .. import paths
from ..build.openblas import OpenBlas
from ..build.plan import Library, Unit
from ..tables.expr import Binary, Call, Expr, Name, Number, Tuple, names
from ..tables.kinds import ARGUMENTS, OPTIONS, Element, Kind
from ..tables.model import Entry, Tables, TypeRecord, backend_of, expand, rocm_type
from . import spelling
from .writer import Writer, banner, wrap

# Routines of OpenBLAS's C interface and the types (letters of the symbol) that they exist for.
OPENBLAS = {
    "asum": ("s", "d", "sc", "dz"),
    "axpy": ("s", "d", "c", "z"), "copy": ("s", "d", "c", "z"), "swap": ("s", "d", "c", "z"),
    "dot": ("s", "d"),
    "gemv": ("s", "d", "c", "z"), "gbmv": ("s", "d", "c", "z"),
    "sbmv": ("s", "d"), "spmv": ("s", "d"), "symv": ("s", "d"),
    "hemv": ("c", "z"), "hbmv": ("c", "z"), "hpmv": ("c", "z"),
    "trmv": ("s", "d", "c", "z"), "trsv": ("s", "d", "c", "z"),
    "tbmv": ("s", "d", "c", "z"), "tbsv": ("s", "d", "c", "z"),
    "tpmv": ("s", "d", "c", "z"), "tpsv": ("s", "d", "c", "z"),
    "gemm": ("s", "d", "c", "z"), "symm": ("s", "d", "c", "z"), "hemm": ("c", "z"),
    "syrk": ("s", "d", "c", "z"), "syr2k": ("s", "d", "c", "z"), "herk": ("c", "z"), "her2k": ("c", "z"),
    "trsm": ("s", "d", "c", "z"),
}  # fmt: skip
_CHECKS = {"op": "is_op", "fill": "is_fill", "diag": "is_diag", "side": "is_side"}
_TRIANGULAR = ("triangular", "triband", "tripacked")
_HERMITIAN = ("hermitian", "hermband", "hermpacked")
_ONE_SIDED_BANDS = ("symband", "hermband", "triband")
_HEAD = """\
# cython: language_level=3, cdivision=True, boundscheck=False, wraparound=False
include "rocblas.pxi"
include "elements.pxi"
"""
_BLOCK = re.compile(r"^cdef (?:inline )?(?:void|element|real|double|int64_t) (\w+)\(", re.MULTILINE)
_PUBLIC = re.compile(r"^cdef public [\w *]*?(\w+)\(", re.MULTILINE)


def hand_written() -> Path:
    """Folder of the blocks, headers and units that are written by hand."""
    return paths.package_dir() / "cpu" / "rocblas"


@dataclass(frozen=True, slots=True)
class Argument:
    """A parameter of AMD's function: its name, meaning, both C types and element."""

    name: str
    kind: Kind
    narrow: str
    wide: str
    element: Element | None

    @property
    def core(self) -> Kind:
        return self.kind.core


@dataclass(frozen=True, slots=True)
class Routine:
    """One function of rocBLAS: `name` with sizes of 32 bits, `name`_64 with 64."""

    name: str
    entry: Entry
    record: TypeRecord
    args: tuple[Argument, ...]
    has_narrow: bool
    has_wide: bool

    def of(self, *kinds: str) -> tuple[Argument, ...]:
        return tuple(a for a in self.args if a.core.name in kinds)

    @property
    def data(self) -> tuple[Argument, ...]:
        """Vectors and matrices."""
        return tuple(a for a in self.args if a.kind.is_pointer and a.core.name not in ("scalar", "array", "result"))

    @property
    def scalars(self) -> tuple[Argument, ...]:
        return tuple(a for a in self.of("scalar") if a.core.io == "in")

    @property
    def outputs(self) -> tuple[Argument, ...]:
        return tuple(a for a in self.data if a.kind.is_written)

    @property
    def inputs(self) -> tuple[Argument, ...]:
        return tuple(a for a in self.data if not a.kind.is_written)

    @property
    def batch(self) -> str:
        return next((a.name for a in self.of("batch")), "")

    @property
    def element(self) -> Element:
        """Type of the first vector or matrix, which names the function."""
        found = next((a.element for a in self.args if a.element), None)
        return next((a.element for a in self.data if a.element), found) or self.record.element("T")

    @property
    def is_half(self) -> bool:
        """Data of 16 bits is computed in float: blocks of their own, `NAME_half`."""
        return self.element.size == 2

    @property
    def rule(self) -> str:
        """The `cpu:` rule; a batched entry may name its member's rule or its own name."""
        return re.sub(r"(Strided)?Batched$", "", self.entry.cpu) + ("_half" if self.is_half else "")

    @property
    def is_level1(self) -> bool:
        """Nothing but vectors and scalars."""
        return all(a.core.name == "vector" for a in self.data)


def routines(tables: Tables) -> tuple[Routine, ...]:
    """The functions that the tables describe, in the tables' order, each once."""
    found: dict[str, Routine] = {}
    for entry in tables.entries:
        if not entry.cpu:
            continue
        for target in entry.targets:
            if backend_of(target.to) != "rocblas":
                continue
            for record in entry.types:
                name = expand(target.to, record)
                if name not in found:
                    found[name] = _routine(name, entry, record, target.args)
    return tuple(found.values())


def _routine(name: str, entry: Entry, record: TypeRecord, order: tuple[Expr, ...] | None) -> Routine:
    params = entry.params
    if order is not None:
        if not all(isinstance(a, Name) for a in order):
            raise ValueError(f"{entry.where}: the CPU backend cannot derive {name} from {entry.key}; write it by hand")
        params = tuple(entry.param(str(a)) for a in order)
    args = []
    for p in params:
        element = None if not p.kind.is_pointer or p.kind.core.role == "index" else record.element(p.kind.core.role)
        args.append(Argument(p.name, p.kind, *(rocm_type(p.kind, record, wide) for wide in (False, True)), element))
    forms = [f for f in entry.forms if f.base != "v1"]
    return Routine(name, entry, record, tuple(args), any(not f.wide for f in forms), any(f.wide for f in forms))


# ---- expressions ----


def _text(expr: Expr) -> str:
    """An expression as Cython, with rocBLAS's numbers of the options."""
    match expr:
        case Name(id=name):
            return spelling.name(name)
        case Number(value=value):
            return str(value)
        case Tuple(items=(rows, *_)):
            return _text(rows)
        case Call(name="op", args=(trans, a, b)):
            return f"pick({_text(trans)} == rocblas_operation_none, {_text(a)}, {_text(b)})"
        case Call(name="sided", args=(side, m, n)):
            return f"pick({_text(side)} == rocblas_side_left, {_text(m)}, {_text(n)})"
        case Binary(op=op, left=left, right=right):
            return f"{_text(left)} {op} {_text(right)}"
    raise ValueError(f"{expr} is no size that the CPU backend can compute")


def _shape(kind: Kind) -> Expr:
    """What says how large a vector or matrix is."""
    name = "shape" if kind.core.name in ("matrix", "band") else "n"
    return kind.argument(name)


def _dims(routine: Routine, arguments: Iterable[Argument]) -> list[str]:
    """Sizes that the shapes of `arguments` are made of, in parameter order."""
    used = set().union(*(names(_shape(a.kind)) for a in arguments)) if arguments else set()
    return [a.name for a in routine.of("dim") if a.name in used]


# ---- checks ----


def _option_checks(r: Routine) -> Iterator[str]:
    """Options must be rocBLAS's numbers. A symmetric product takes no conjugate, a Hermitian one no plain transpose."""
    output = r.outputs[0].core.name if r.outputs else ""
    for a in r.of(*OPTIONS):
        bad = f"not {_CHECKS[a.core.name]}({spelling.name(a.name)})"
        if a.core.name == "op" and output in ("symmetric", "hermitian"):
            refused = "transpose" if output == "hermitian" else "conjugate_transpose"
            if output == "hermitian" or r.element.is_complex:
                bad += f" or {spelling.name(a.name)} == rocblas_operation_{refused}"
        yield bad


def _size_checks(r: Routine) -> Iterator[str]:
    """Sizes are not negative, leading dimensions hold a column; level 2 has no increment 0 and no leading dimension 0."""
    strict = r.entry.chapter.startswith("Level-2")
    for a in r.of("dim", "batch"):
        yield f"{a.name} < 0"
    for a in r.data:
        arguments = a.core.args
        ld = str(a.kind.argument("ld")) if "ld" in ARGUMENTS.get(a.core.name, ()) else ""
        if ld:
            if a.core.name == "band":
                kl, ku = _text(arguments[1]), _text(arguments[2])
                yield f"{ld} < 1 or {ld} - {kl} <= {ku}"
            elif a.core.name in _ONE_SIDED_BANDS:
                yield f"{ld} <= {_text(a.kind.argument('k'))}"
            else:
                yield f"{ld} < {_text(_shape(a.kind))}"
                if strict:
                    yield f"{ld} < 1"
    if strict:
        for a in r.of("inc"):
            yield f"{a.name} == 0"


def _empty(r: Routine) -> str:
    """Nothing to do: a size of what is written is 0. A size that is only summed over (gemm's k) does not count."""
    sizes = _dims(r, r.outputs)
    return " or ".join(f"{s} == 0" for s in [*sizes, *([r.batch] if r.batch else [])])


def _inner(r: Routine) -> list[str]:
    """Sizes that are only summed over."""
    outer = _dims(r, r.outputs)
    matrices = [a for a in r.inputs if a.core.name == "matrix"]
    return [s for s in _dims(r, matrices) if s not in outer]


def _nulls(arguments: Iterable[Argument]) -> str:
    return " or ".join(f"{spelling.name(a.name)} == NULL" for a in arguments)


# ---- bodies ----


class _Body(Writer):
    def refuse(self, condition: str, status: str) -> None:
        """`if condition:` answer a status; nothing where there is no condition."""
        if condition:
            self.line(f"if {condition}:")
            self.line(f"    return rocblas_status_{status}")

    def refuse_any(self, conditions: Iterable[str], status: str) -> None:
        """The same for several conditions, as many as fit on a line."""
        line = ""
        for condition in conditions:
            if line and len(line) + len(condition) > 100:
                self.refuse(line, status)
                line = ""
            line += (" or " if line else "") + condition
        self.refuse(line, status)


def _call(r: Routine, replace: dict[str, str] | None = None) -> str:
    """The rule with its arguments; members of a batch are found by `i`."""
    replace = replace or {}
    texts = []
    for a in r.args:
        name = spelling.name(a.name)
        if a.kind.name in ("handle", "stride", "batch") or a.core.name == "result":
            continue
        if a.name in replace:
            texts.append(replace[a.name])
        elif a.core.name == "scalar" and a.core.io == "in" and r.data:
            texts.append(_value(a))
        else:
            texts.append(_member(a))
    function = r.rule if r.rule in blocks() else f"cblas_{r.rule}"
    return f"{function}({', '.join(texts)})"


def _value(a: Argument) -> str:
    """A scalar's value, to compute and to compare with."""
    name = spelling.name(a.name)
    return f"to_float({name}[0])" if a.element and a.element.size == 2 else f"{name}[0]"


def _member(a: Argument) -> str:
    name = spelling.name(a.name)
    if a.kind.name == "batched":
        return f"{name}[i]"
    if a.kind.name == "strided":
        return f"{name} + i * {_text(a.kind.args[0])}"
    return name


def _loop(body: _Body, r: Routine, lines: Iterable[str]) -> None:
    """`lines` once, or for each member of a batch."""
    if r.batch:
        with body.block(f"for i in range({r.batch}):"):
            for line in lines:
                body.line(line)
    else:
        for line in lines:
            body.line(line)


def _level1(body: _Body, r: Routine) -> None:
    dims, increments, results = r.of("dim"), r.of("inc"), r.of("result")
    pointers = [a for a in r.args if a.kind.is_pointer and a.core.name != "result"]
    if not dims:  # rotg, rotmg
        body.refuse(_nulls(pointers), "invalid_pointer")
        body.line(_call(r))
        return
    n = dims[0].name
    nothing = f"{n} <= 0" + (f" or {increments[0].name} <= 0" if len(increments) == 1 else "")
    if results:
        result = results[0].name
        body.refuse(f"{result} == NULL", "invalid_pointer")
        body.line(f"if {nothing}:")
        body.line(f"    {result}[0] = 0")
        body.line("    return rocblas_status_success")
        body.refuse(_nulls(pointers), "invalid_pointer")
        target = r.element.rocm if results[0].core.role == "T" else results[0].element.rocm if results[0].element else ""
        value = _call(r)
        body.line(f"{result}[0] = <{target}>{value}" if target and results[0].core.role != "T" else f"{result}[0] = {value}")
        return
    body.refuse(nothing, "success")
    flags = r.of("array")  # rotm looks at its flag before it needs the vectors
    if flags:
        body.refuse(_nulls(flags), "invalid_pointer")
        body.refuse(f"{flags[0].name}[0] == -2", "success")
        body.refuse(_nulls(r.data), "invalid_pointer")
    elif r.inputs and r.scalars:  # axpy: nothing to add
        body.refuse(_nulls(r.scalars), "invalid_pointer")
        body.refuse(f"{r.scalars[0].name}[0] == 0", "success")
        body.refuse(_nulls(r.data), "invalid_pointer")
    else:
        body.refuse(_nulls(pointers), "invalid_pointer")
    body.line(_call(r))


def _product(body: _Body, r: Routine) -> None:
    """out ← α·(…) + β·out. Inputs are needed where α is not 0 and something is summed, and are not read otherwise."""
    alpha, beta = (spelling.name(a.name) for a in r.scalars)
    alpha_value, beta_value = map(_value, r.scalars)
    summed = " and ".join(f"{k} > 0" for k in _inner(r))
    body.refuse(f"{beta} == NULL or " + (f"({summed} and {alpha} == NULL)" if summed else f"{alpha} == NULL"), "invalid_pointer")
    body.line(f"cdef bint used = {summed + ' and ' if summed else ''}{alpha_value} != 0")
    body.refuse(f"not used and {beta_value} == 1", "success")
    body.refuse(f"{_nulls(r.outputs)} or (used and ({_nulls(r.inputs)}))", "invalid_pointer")
    _refuse_null_members(body, r, "used")
    out = r.outputs[0]
    if r.is_half:  # its blocks round once, so they take both factors
        lines = ["if used:", f"    {_call(r)}", "else:", f"    {_scale(out, beta_value, '_half')}"]
    elif out.core.name == "vector":
        body.line(f"cdef {r.element.rocm} one = 1")
        lines = [
            _scale(out, beta_value),
            "if used:",
            f"    {_call(r, {r.scalars[1].name: 'one'})}",
        ]
    else:
        lines = ["if used:", f"    {_call(r)}", "else:", f"    {_scale(out, beta_value)}"]
        if out.core.name in _HERMITIAN:
            shape, ld = _text(_shape(out.kind)), _text(out.kind.argument("ld"))
            diagonal = f"real_diagonal({shape}, {_member(out)}, {ld})"
            lines = [diagonal, *lines, diagonal]
    _loop(body, r, lines)


def _scale(out: Argument, beta: str, variant: str = "") -> str:
    """out ← β·out, as far as it is stored."""
    shape, place = _shape(out.kind), _member(out)
    if out.core.name == "vector":
        return f"scale_vector{variant}({_text(shape)}, {beta}, {place}, {_text(out.kind.argument('inc'))})"
    ld = _text(out.kind.argument("ld"))
    if isinstance(shape, Tuple):
        return f"scale_matrix{variant}({', '.join(map(_text, shape.items))}, {beta}, {place}, {ld})"
    return f"scale_triangle({_text(out.kind.argument('uplo'))}, {_text(shape)}, {beta}, {place}, {ld})"


def _sum(body: _Body, r: Routine) -> None:
    """out ← α·op(A) + β·op(B): each input is needed where its own factor is not 0. out may be one of them, as it lies."""
    out = r.outputs[0]
    body.refuse(_nulls(r.outputs), "invalid_pointer")
    body.refuse(_nulls(r.scalars), "invalid_pointer")
    needed = [
        f"({s.name}[0] != 0 and {a.name} == NULL)" for s, a in zip(r.scalars, r.inputs, strict=True) if out is not a
    ]
    body.refuse(" or ".join(needed), "invalid_pointer")
    _loop(body, r, [_call(r)])


def _sum_aliases(r: Routine) -> Iterator[str]:
    out = r.outputs[0]
    for a in r.inputs:
        shape = _shape(a.kind)
        ops = f" or {_text(shape.args[0])} != rocblas_operation_none" if isinstance(shape, Call) else ""
        ld, out_ld = _text(a.kind.argument("ld")), _text(out.kind.argument("ld"))
        yield f"{out.name} == {a.name} and ({ld} != {out_ld}{ops})"


def _update(body: _Body, r: Routine) -> None:
    """out ← α·(…) + out: nothing where α is 0."""
    alpha = r.scalars[0].name
    body.refuse(f"{alpha} == NULL", "invalid_pointer")
    body.refuse(f"{alpha}[0] == 0", "success")
    body.refuse(_nulls(r.data), "invalid_pointer")
    _refuse_null_members(body, r)
    _loop(body, r, [_call(r)])


def _triangle(body: _Body, r: Routine) -> None:
    """trmm and trsm: α = 0 sets the result to 0 and reads nothing."""
    alpha, out = r.scalars[0].name, r.outputs[0]
    body.refuse(f"{_nulls(r.outputs)} or {alpha} == NULL", "invalid_pointer")
    body.refuse(f"{alpha}[0] != 0 and ({_nulls(r.inputs)})", "invalid_pointer")
    for a in r.inputs:
        if a.core.name == "matrix":  # trmm in place
            ld, out_ld = _text(a.kind.argument("ld")), _text(out.kind.argument("ld"))
            body.refuse(f"{a.name} == {out.name} and {ld} != {out_ld}", "invalid_value")
    _refuse_null_members(body, r, f"{alpha}[0] != 0")
    _loop(body, r, [f"if {alpha}[0] == 0:", f"    {_scale(out, '0')}", "else:", f"    {_call(r)}"])


def _plain(body: _Body, r: Routine) -> None:
    body.refuse(_nulls(r.data), "invalid_pointer")
    _refuse_null_members(body, r)
    _loop(body, r, [_call(r)])


def _refuse_null_members(body: _Body, r: Routine, used: str = "") -> None:
    """A NULL among the pointers of a batch: a GPU would fault, later and somewhere else."""
    members = [a for a in r.data if a.kind.name == "batched"]
    if not members:
        return
    written = " or ".join(f"{a.name}[i] == NULL" for a in members if a.kind.is_written)
    read = " or ".join(f"{a.name}[i] == NULL" for a in members if not a.kind.is_written)
    with body.block(f"for i in range({r.batch}):"):
        body.refuse(written + (f" or ({used} and ({read}))" if used else f" or {read}"), "invalid_pointer")


def _body(r: Routine) -> str:
    """The function's body, with sizes of 64 bits."""
    body = _Body()
    body.line("cdef rocblas_status status = rb_enter(handle)")
    if r.batch:
        body.line("cdef int64_t i")
    body.line("if status != rocblas_status_success:")
    body.line("    return status")
    if r.is_level1:
        _level1(body, r)
        body.line("return rocblas_status_success")
        return body.text()
    body.refuse_any(_option_checks(r), "invalid_value")
    is_sum = len(r.scalars) == 2 and r.outputs[0].core.io == "out"
    body.refuse_any(_size_checks(r), "invalid_size")
    if is_sum:
        body.refuse_any(_sum_aliases(r), "invalid_size")
    body.refuse(_empty(r), "success")
    triangular = any(a.core.name in _TRIANGULAR for a in r.inputs)
    if is_sum:
        _sum(body, r)
    elif len(r.scalars) == 2:
        _product(body, r)
    elif r.scalars and triangular:
        _triangle(body, r)
    elif r.scalars:
        _update(body, r)
    else:
        _plain(body, r)
    body.line("return rocblas_status_success")
    return body.text()


# ---- functions ----


def _signature(r: Routine, wide: bool) -> list[str]:
    name = r.name + ("_64" if wide else "")
    params = [spelling.declare(a.wide if wide else a.narrow, a.name) for a in r.args]
    return wrap(params, 112, f"cdef public rocblas_status {name}(", "    ", ") noexcept nogil:")


def _prototype(r: Routine, wide: bool) -> str:
    params = ", ".join(f"{a.wide if wide else a.narrow} {a.name}".replace("* ", "*") for a in r.args)
    return f"rocblas_status {r.name}{'_64' if wide else ''}({params})"


def _narrow_body(r: Routine) -> Iterator[str]:
    """The 32-bit form hands on to the 64-bit one; an index comes back through a wide one."""
    index = [a for a in r.args if a.core.name == "result" and a.core.role == "index"]
    texts = ", ".join(
        f"&wide if {a.name} != NULL else NULL" if a in index else spelling.name(a.name) for a in r.args
    )
    if not index:
        yield f"return {r.name}_64({texts})"
        return
    name = index[0].name
    yield "cdef int64_t wide = 0"
    yield f"cdef rocblas_status status = {r.name}_64({texts})"
    yield "if status == rocblas_status_success:"
    yield f"    {name}[0] = <rocblas_int>wide"
    yield "return status"


def _function(writer: Writer, r: Routine) -> None:
    writer.line()
    writer.line()
    writer.line(f"# {r.entry.file}:{r.entry.where.line} {r.entry.key}: {r.entry.summary}")
    forms = [wide for wide, exists in ((True, r.has_wide), (False, r.has_narrow)) if exists]
    for i, wide in enumerate(forms):
        if i:
            writer.line()
            writer.line()
        writer.line(f"# {_prototype(r, wide)}")
        *first, last = _signature(r, wide)
        for line in first:
            writer.line(line)
        with writer.block(last):
            writer.lines(_body(r) if i == 0 else "\n".join(_narrow_body(r)))


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


@lru_cache(maxsize=1)
def blocks() -> dict[str, str]:
    """Hand-written blocks: name → the .pxi that holds it."""
    found = {}
    for path in sorted(hand_written().glob("*.pxi")):
        for name in _BLOCK.findall(path.read_text(encoding="utf-8")):
            found[name] = path.name
    return found


def _needs(texts: Iterable[str]) -> set[str]:
    return {name for text in texts for name in re.findall(r"\bcblas_(\w+)\(", text)}


def generate(tables: Tables) -> dict[str, str]:
    """File name → text: a `.pyx` for each table file that has functions of rocBLAS."""
    everything = routines(tables)
    plain = [r for r in everything if not r.batch]
    files: dict[str, list[Routine]] = {}
    for r in everything:
        if r.rule not in blocks() and r.record.name.lower() not in OPENBLAS.get(r.rule, ()):
            raise ValueError(
                f"{r.entry.where}: the CPU backend has no rule {r.rule!r} for {r.name}; "
                "expected a block in mapping/cpu/rocblas/*.pxi or a routine of OpenBLAS"
            )
        files.setdefault(PurePosixPath(r.entry.file).stem, []).append(r)
    return {f"{stem}.pyx": _file(stem, members, plain) for stem, members in files.items()}


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
    return banner(body, f"{source} and mapping/cpu/rocblas/", f"rocBLAS of the CPU backend: {members[0].entry.chapter}.")


def exports(tables: Tables) -> list[str]:
    """All that librocblas exports: the tables' functions and the hand-written ones, sorted."""
    found = {r.name + form for r in routines(tables) for form, has in (("", r.has_narrow), ("_64", r.has_wide)) if has}
    for path in hand_written().glob("*.pyx"):
        found |= set(_PUBLIC.findall(path.read_text(encoding="utf-8")))
    return sorted(found)


def openblas_symbols(texts: Iterable[str]) -> list[str]:
    """What the given sources call of OpenBLAS: the import library for Windows is made of these."""
    return sorted({name for text in texts for name in re.findall(r"\bscipy_cblas_\w+64_\b", text)})


def units(sources: Path) -> tuple[Unit, ...]:
    """The compilation units; `sources` is the folder that holds what `generate` answered."""
    folders = (hand_written(), paths.package_dir() / "runtime")
    found = [*sorted(hand_written().glob("*.pyx")), *sorted(sources.glob("*.pyx"))]
    return tuple(
        Unit(f"rocblas/{path.name}", path, include_dirs=folders, defines=("CYTHON_CCOMPLEX=0",), flags=("-O3",))
        for path in found
    )


def library(tables: Tables, sources: Path, openblas: OpenBlas, target: str) -> Library:
    """librocblas.so.5 or rocblas.dll, with OpenBLAS beside it. `sources` holds what `generate` answered."""
    return Library(
        "rocblas.dll" if target == "windows" else "librocblas.so.5",
        units=units(sources),
        exports=tuple(exports(tables)),
        folder="cpu",
        libs=(openblas.library,),
        rpath="" if target == "windows" else "$ORIGIN",
        glibc="2.28",
        extra_files=openblas.extra_files,
    )
