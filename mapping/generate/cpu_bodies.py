"""Bodies of the CPU backend's rocBLAS: what a function checks, in rocBLAS's order, and how it calls its rule.

Everything here follows from the kinds of a function's parameters; docs/cpu-backend.md says it in words.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType

from ..tables.cpu import blocks
from ..tables.expr import Call, Tuple
from ..tables.kinds import ARGUMENTS, OPTIONS
from . import spelling
from .cpu_routines import Argument, Routine, dims, shape, text
from .writer import Writer

_CHECKS = {"op": "is_op", "fill": "is_fill", "diag": "is_diag", "side": "is_side"}
_TRIANGULAR = ("triangular", "triband", "tripacked")
_HERMITIAN = ("hermitian", "hermband", "hermpacked")
_ONE_SIDED_BANDS = ("symband", "hermband", "triband")


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
                kl, ku = text(arguments[1]), text(arguments[2])
                yield f"{ld} < 1 or {ld} - {kl} <= {ku}"
            elif a.core.name in _ONE_SIDED_BANDS:
                yield f"{ld} <= {text(a.kind.argument('k'))}"
            else:
                yield f"{ld} < {text(shape(a.kind))}"
                if strict:
                    yield f"{ld} < 1"
    if strict:
        for a in r.of("inc"):
            yield f"{a.name} == 0"


def _empty(r: Routine) -> str:
    """Nothing to do: a size of what is written is 0. A size that is only summed over (gemm's k) does not count."""
    sizes = dims(r, r.outputs)
    return " or ".join(f"{s} == 0" for s in [*sizes, *([r.batch] if r.batch else [])])


def _inner(r: Routine) -> list[str]:
    """Sizes that are only summed over."""
    outer = dims(r, r.outputs)
    matrices = [a for a in r.inputs if a.core.name == "matrix"]
    return [s for s in dims(r, matrices) if s not in outer]


def _nulls(arguments: Iterable[Argument]) -> str:
    return " or ".join(f"{spelling.name(a.name)} == NULL" for a in arguments)


# ---- bodies ----


class _Body(Writer):
    """`members`: what is done for each member of a batch, `locals`: the variables that it needs beside the arguments."""

    def __init__(self) -> None:
        super().__init__()
        self.locals: list[str] = []
        self.members: list[str] = []

    def local(self, line: str) -> None:
        self.line(line)
        self.locals.append(line)

    def refuse_status(self) -> None:
        """A bad handle, or a handle whose memory size is being asked."""
        self.line("if status != rocblas_status_success:")
        self.line("    return status")

    def refuse(self, condition: str, status: str) -> None:
        """`if condition:` answer a status; nothing where there is no condition."""
        if condition:
            self.line(f"if {condition}:")
            self.line(f"    return rocblas_status_{status}")

    def record(self, r: Routine, unread: bool = False, unless: str = "") -> None:
        """Where a captured stream takes the call instead of the computation. `unread`: factors have not been looked at.

        `unless`: a condition under which the host has the answer at once, so that no capture is concerned.
        """
        self.line(f"if rb_recorded{'_unread' if unread else ''}(handle){f' and not ({unless})' if unless else ''}:")
        given = ", ".join(spelling.name(a.name) for a in r.args)
        self.line(f"    return {r.name}_record({given})")

    def refuse_any(self, conditions: Iterable[str], status: str) -> None:
        """The same for several conditions, as many as fit on a line."""
        line = ""
        for condition in conditions:
            if line and len(line) + len(condition) > 100:
                self.refuse(line, status)
                line = ""
            line += (" or " if line else "") + condition
        self.refuse(line, status)


def _call(r: Routine, replace: Mapping[str, str] = MappingProxyType({})) -> str:
    """The rule with its arguments; members of a batch are found by `i`."""
    texts = []
    for a in r.args:
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
        return f"{name} + i * {text(a.kind.args[0])}"
    return name


def _loop(body: _Body, r: Routine, lines: Iterable[str]) -> None:
    """`lines` once, or for each member of a batch: in a function of their own, which several threads may be in (`members`)."""
    if r.batch:
        body.members = list(lines)
        body.line(f"cdef {r.name}_batch batch")
        for a in _shared(r):
            body.line(f"batch.{spelling.name(a.name)} = {spelling.name(a.name)}")
        cost = " * ".join(f"<double>{size}" for size in dims(r, r.data))
        body.line(f"crew_members({r.batch}, {cost}, {r.name}_members, &batch)")
    else:
        for line in lines:
            body.line(line)


def _shared(r: Routine) -> list[Argument]:
    """The arguments that the members of a batch are computed with."""
    return [a for a in r.args if a.kind.name not in ("handle", "batch")]


HOST_MODE = "handle.pointer_mode == RB_HOST"


def is_nothing(r: Routine) -> str:
    """When a function of level 1 has no elements to work on."""
    increments = r.of("inc")
    return f"{r.of('dim')[0].name} <= 0" + (f" or {increments[0].name} <= 0" if len(increments) == 1 else "")


def at_once(r: Routine) -> str:
    """When a result is there without any work: that of no elements, on the host."""
    return f"{HOST_MODE} and ({is_nothing(r)})"


def _level1(body: _Body, r: Routine) -> None:
    """No size is wrong: what is not positive ends the call, a result is 0 then. One increment must be positive too."""
    sizes, results = r.of("dim"), r.of("result")
    pointers = [a for a in r.args if a.kind.is_pointer and a.core.name != "result"]
    if not sizes:  # rotg, rotmg
        body.refuse(_nulls(pointers), "invalid_pointer")
        body.record(r, unless=HOST_MODE)
        body.line(_call(r))
        return
    nothing = is_nothing(r)
    if results:
        result = results[0].name
        body.refuse(f"{result} == NULL", "invalid_pointer")
        body.record(r, unless=at_once(r))
        body.line(f"if {nothing}:")
        body.line(f"    {result}[0] = 0")
        body.line("    return rocblas_status_success")
        body.refuse(_nulls(pointers), "invalid_pointer")
        # An index, or a sum in the data's own type, needs no cast; a norm comes as double.
        cast = (
            "" if results[0].core.role in ("T", "index") or not results[0].element else f"<{results[0].element.rocm}>"
        )
        body.line(f"{result}[0] = {cast}{_call(r)}")
        return
    body.refuse(nothing, "success")
    flags = r.of("array")  # rotm looks at its flag before it needs the vectors
    if flags:
        body.refuse(_nulls(flags), "invalid_pointer")
        body.record(r, unread=True)
        body.refuse(f"{flags[0].name}[0] == -2", "success")
        body.refuse(_nulls(r.data), "invalid_pointer")
    elif r.inputs and r.scalars:  # axpy: nothing to add
        body.refuse(_nulls(r.scalars), "invalid_pointer")
        body.record(r, unread=True)
        body.refuse(f"{r.scalars[0].name}[0] == 0", "success")
        body.refuse(_nulls(r.data), "invalid_pointer")
    else:
        body.refuse(_nulls(pointers), "invalid_pointer")
    body.record(r)
    body.line(_call(r))


def _product(body: _Body, r: Routine) -> None:
    """out ← α·(…) + β·out. Inputs are needed where α is not 0 and something is summed, and are not read otherwise."""
    alpha, beta = (spelling.name(a.name) for a in r.scalars)
    alpha_value, beta_value = map(_value, r.scalars)
    summed = " and ".join(f"{k} > 0" for k in _inner(r))
    no_alpha = f"({summed} and {alpha} == NULL)" if summed else f"{alpha} == NULL"
    body.refuse(f"{beta} == NULL or {no_alpha}", "invalid_pointer")
    body.record(r, unread=True)
    body.local(f"cdef bint used = {summed + ' and ' if summed else ''}{alpha_value} != 0")
    body.refuse(f"not used and {beta_value} == 1", "success")
    body.refuse(f"{_nulls(r.outputs)} or (used and ({_nulls(r.inputs)}))", "invalid_pointer")
    body.record(r)
    _refuse_null_members(body, r, "used")
    out = r.outputs[0]
    if r.is_half:  # its blocks round once, so they take both factors
        lines = ["if used:", f"    {_call(r)}", "else:", f"    {_scale(out, beta_value, '_half')}"]
    elif out.core.name == "vector":
        body.local(f"cdef {r.element.rocm} one = 1")
        lines = [_scale(out, beta_value), "if used:", f"    {_call(r, {r.scalars[1].name: 'one'})}"]
    else:
        lines = ["if used:", f"    {_call(r)}", "else:", f"    {_scale(out, beta_value)}"]
        if out.core.name in _HERMITIAN:
            diagonal = f"real_diagonal({text(shape(out.kind))}, {_member(out)}, {text(out.kind.argument('ld'))})"
            lines = [diagonal, *lines, diagonal]
    _loop(body, r, lines)


def _scale(out: Argument, beta: str, variant: str = "") -> str:
    """out ← β·out, as far as it is stored."""
    size, place = shape(out.kind), _member(out)
    if out.core.name == "vector":
        return f"scale_vector{variant}({text(size)}, {beta}, {place}, {text(out.kind.argument('inc'))})"
    ld = text(out.kind.argument("ld"))
    if isinstance(size, Tuple):
        return f"scale_matrix{variant}({', '.join(map(text, size.items))}, {beta}, {place}, {ld})"
    return f"scale_triangle({text(out.kind.argument('uplo'))}, {text(size)}, {beta}, {place}, {ld})"


def _sum(body: _Body, r: Routine) -> None:
    """out ← α·op(A) + β·op(B): each input is needed where its own factor is not 0. out may be one of them, as it lies."""
    out = r.outputs[0]
    body.refuse(_nulls(r.outputs), "invalid_pointer")
    body.refuse(_nulls(r.scalars), "invalid_pointer")
    body.record(r, unread=True)
    needed = [
        f"({s.name}[0] != 0 and {a.name} == NULL)" for s, a in zip(r.scalars, r.inputs, strict=True) if out is not a
    ]
    body.refuse(" or ".join(needed), "invalid_pointer")
    body.record(r)
    _loop(body, r, [_call(r)])


def _sum_aliases(r: Routine) -> Iterator[str]:
    """Onto an operand only where each element falls onto itself."""
    out = r.outputs[0]
    for a in r.inputs:
        size = shape(a.kind)
        ops = f" or {text(size.args[0])} != rocblas_operation_none" if isinstance(size, Call) else ""
        ld, out_ld = text(a.kind.argument("ld")), text(out.kind.argument("ld"))
        yield f"{out.name} == {a.name} and ({ld} != {out_ld}{ops})"


def _update(body: _Body, r: Routine) -> None:
    """out ← α·(…) + out: nothing where α is 0."""
    alpha = r.scalars[0].name
    body.refuse(f"{alpha} == NULL", "invalid_pointer")
    body.record(r, unread=True)
    body.refuse(f"{alpha}[0] == 0", "success")
    body.refuse(_nulls(r.data), "invalid_pointer")
    body.record(r)
    _refuse_null_members(body, r)
    _loop(body, r, [_call(r)])


def _triangle(body: _Body, r: Routine) -> None:
    """trmm and trsm: α = 0 sets the result to 0 and reads nothing."""
    alpha, out = r.scalars[0].name, r.outputs[0]
    body.refuse(f"{_nulls(r.outputs)} or {alpha} == NULL", "invalid_pointer")
    body.record(r, unread=True)
    body.refuse(f"{alpha}[0] != 0 and ({_nulls(r.inputs)})", "invalid_pointer")
    for a in r.inputs:
        if a.core.name == "matrix":  # trmm in place
            ld, out_ld = text(a.kind.argument("ld")), text(out.kind.argument("ld"))
            body.refuse(f"{a.name} == {out.name} and {ld} != {out_ld}", "invalid_value")
    body.record(r)
    _refuse_null_members(body, r, f"{alpha}[0] != 0")
    _loop(body, r, [f"if {alpha}[0] == 0:", f"    {_scale(out, '0')}", "else:", f"    {_call(r)}"])


def _plain(body: _Body, r: Routine) -> None:
    """No factors: everything is needed."""
    body.refuse(_nulls(r.data), "invalid_pointer")
    body.record(r)
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


def body(r: Routine) -> tuple[str, str]:
    """The function's body, with sizes of 64 bits, and what stands in front of it: the members of a batch."""
    out = _Body()
    out.line("cdef rocblas_status status = rb_enter(handle)")
    if r.batch:
        out.line("cdef int64_t i")
    out.refuse_status()
    if r.is_level1:
        _level1(out, r)
    else:
        is_sum = len(r.scalars) == 2 and r.outputs[0].core.io == "out"
        out.refuse_any(_option_checks(r), "invalid_value")
        out.refuse_any(_size_checks(r), "invalid_size")
        if is_sum:
            out.refuse_any(_sum_aliases(r), "invalid_size")
        out.refuse(_empty(r), "success")
        if is_sum:
            _sum(out, r)
        elif len(r.scalars) == 2:
            _product(out, r)
        elif r.scalars and any(a.core.name in _TRIANGULAR for a in r.inputs):
            _triangle(out, r)
        elif r.scalars:
            _update(out, r)
        else:
            _plain(out, r)
    out.line("return rocblas_status_success")
    return out.text(), _members(r, out) if r.batch else ""


def _members(r: Routine, body: _Body) -> str:
    """A piece of a batch: the arguments by their names again, then the loop."""
    out = Writer()
    with out.block(f"cdef struct {r.name}_batch:"):
        for a in _shared(r):
            out.line(spelling.declare(a.wide, a.name))
    out.line()
    out.line()
    with out.block(f"cdef void {r.name}_members(void *context, int64_t begin, int64_t end) noexcept nogil:"):
        out.line(f"cdef {r.name}_batch *batch = <{r.name}_batch *>context")
        out.line("cdef int64_t i")
        for a in _shared(r):
            out.line(f"cdef {spelling.declare(a.wide, a.name)} = batch.{spelling.name(a.name)}")
        for line in body.locals:
            out.line(line)
        with out.block("for i in range(begin, end):"):
            for line in body.members:
                out.line(line)
    return out.text()
