"""One call, judged: memory is filled, the subject called, its answer compared with the oracle's claims."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..tables import expr
from ..tables.kinds import OPTIONS
from ..tables.model import CParam, Function
from .cases import BY_MODE, LETTERS, Case, Layout, Operand, complete, fill, lay_out, number, oracle_arguments, view
from .oracles import ORACLES, Array, Claim, Expected, Fault, Verdict, judge
from .rows import typed
from .status import StatusCase
from .subject import Subject, address, by_value


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one call. `status` is the call's answer, `faults` what is wrong with its numbers."""

    status: int
    verdict: Verdict
    lds: Mapping[str, int] = field(default_factory=dict)

    @property
    def ok(self) -> bool:
        return self.status == 0 and self.verdict.ok

    def lines(self) -> list[str]:
        if self.status:
            return [f"status {self.status}, expected 0"]
        return [self._line(f) for f in (*self.verdict.faults, *self.verdict.untouched)]

    def _line(self, fault: Fault) -> str:
        """Elements of matrices by row and column."""
        ld = self.lds.get(fault.array.split("[")[0], 0)
        if fault.position < 0 or not ld:
            return str(fault)
        return f"{fault.array}[{fault.position % ld}, {fault.position // ld}]: {fault.what}"


class Workbench:
    """Arenas that are reused from call to call. One a process and subject."""

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self._device = np.zeros(1 << 12, np.uint8)
        self._back = np.zeros(1 << 12, np.uint8)
        self._host = np.zeros(1 << 12, np.uint8)

    def run(self, function: Function, case: Case) -> Outcome:
        """Make the call that `case` describes and judge it."""
        function = typed(function, case.values)
        layout = lay_out(function, case)
        device, back = self._arenas(layout.device_size)
        host = self._host_arena(layout.host_size)
        fill(layout, case, function, device, host)
        base = self.subject.memory.reserve(max(layout.device_size, 1))
        _point(layout, device, base)
        self.subject.memory.upload(device)
        host_before = host.copy()
        places = _Places(layout, base, int(host.ctypes.data), host)
        answer = self.subject.invoke(function, arguments(function, case, layout, places, self._handle(function, case)))
        status = int(answer) if function.returns_status else self.subject.last_error()
        self.subject.memory.download(back)
        before = _arrays(layout, device, host_before)
        after = _arrays(layout, back, host)
        _returned(function, layout, after, answer)
        if status:
            return Outcome(status, Verdict())
        with np.errstate(all="ignore"):
            claims = _claims(function, case, layout, before)
            stray = _unread(case, claims)
            return Outcome(status, stray or judge(claims, before, after), _matrices(function, case))

    def ask(self, function: Function, case: StatusCase) -> tuple[int, list[str]]:
        """Make the call of a status case: its answer, and what it changed though nothing was to be done."""
        if case.bare:
            return self._bare(function, case), []
        function = typed(function, case.base.values)
        if case.numbers:
            outcome = self.run(function, case.base)
            return outcome.status, [] if outcome.status else outcome.lines()
        layout = lay_out(function, case.base)
        device, back = self._arenas(layout.device_size)
        host = self._host_arena(layout.host_size)
        fill(layout, case.base, function, device, host)
        base = self.subject.memory.reserve(max(layout.device_size, 1))
        _point(layout, device, base)
        self.subject.memory.upload(device)
        places = _Places(layout, base, int(host.ctypes.data), host)
        host_before = host.copy()
        replaced = dict(case.replaced)
        if case.handle == "freed":
            replaced = {name: self.subject.handle(_freed(function)) for name in replaced}
        handle = self._handle(function, case.base)
        answer = self.subject.invoke(function, arguments(function, case.base, layout, places, handle, replaced))
        status = int(answer) if function.returns_status else self.subject.last_error()
        self.subject.memory.download(back)
        wrong = _info(function, case, layout, host)
        idle = status != 0 or not case.computes
        changed = [
            f"{name} was changed"
            for name, o in layout.operands.items()
            if idle
            and (_differs(o, host_before, host) if o.host and _is_matrix(function, name) else _differs(o, device, back))
        ]
        return status, wrong + changed

    def _bare(self, function: Function, case: StatusCase) -> int:
        """A call whose handle is refused before anything else is looked at."""
        host = self._host
        host[...] = 0
        found: list[Any] = []
        for p in function.params:
            if p.name in case.replaced:
                freed = case.handle == "freed"
                found.append(self.subject.handle(_freed(function)) if freed else case.replaced[p.name])
            else:
                found.append(address(host) if p.kind.is_pointer or "*" in p.ctype else 0)
        return int(self.subject.invoke(function, found))

    def _handle(self, function: Function, case: Case) -> int:
        """The handle of the call, in the mode that the case wants."""
        if function.form.base == "host":
            return self.subject.handle(f"xt {case.tiles}")
        if function.form.base != "v1":
            self.subject.pointer_mode(case.device)
        return self.subject.handle()

    def _host_arena(self, size: int) -> Array:
        if size > self._host.size:
            self._host = np.zeros(2 * size, np.uint8)
        return self._host[: max(size, 16)]

    def _arenas(self, size: int) -> tuple[Array, Array]:
        if size > self._device.size:
            self._device, self._back = np.zeros(2 * size, np.uint8), np.zeros(2 * size, np.uint8)
        return self._device[:size], self._back[:size]


@dataclass(frozen=True, slots=True)
class _Places:
    layout: Layout
    device: int
    host: int
    arena: Array  # of host memory

    def of(self, operand: Operand) -> int:
        return (self.host if operand.host else self.device) + operand.offset

    def value(self, name: str) -> Any:
        """A scalar as it stands in host memory."""
        operand = self.layout.place(name)
        return view(self.arena, operand)[0]


def arguments(
    function: Function,
    case: Case,
    layout: Layout,
    places: _Places,
    handle: int,
    replaced: Mapping[str, Any] | None = None,
) -> list[Any]:
    """The call's arguments in C's order; `replaced` puts others in their place (for the status tests)."""
    values = complete(function, case)
    found: list[Any] = []
    for param in function.params:
        if replaced and param.name in replaced:
            found.append(replaced[param.name])
        elif param.name in case.absent:
            found.append(0)
        else:
            found.append(_argument(function, param, values, layout, places, handle))
    return found


def _argument(
    function: Function, param: CParam, values: Mapping[str, int], layout: Layout, places: _Places, handle: int
) -> Any:
    kind = param.kind
    if kind.name in ("handle", "desc"):
        return handle
    if kind.name == "info":
        return places.of(layout.operands[param.name])
    if kind.is_pointer:
        if not param.ctype.endswith("*"):  # cuBLAS's first API takes scalars by value
            return by_value(places.value(param.name), param.ctype)
        return places.of(layout.place(param.name))
    if kind.name in OPTIONS and function.form.base == "v1":
        return LETTERS[kind.name][values[param.name]].encode()
    return values[param.name]


def _info(function: Function, case: StatusCase, layout: Layout, host: Array) -> list[str]:
    """What is wrong with the host's info, which says which argument was."""
    for p in function.params:
        if p.kind.name == "info" and case.info is not None:
            got = int(view(host, layout.operands[p.name])[0])
            return [] if got == case.info else [f"{p.name} is {got}, expected {case.info}"]
    return []


def _freed(function: Function) -> str:
    """The kind of handle that a call takes, as the subject names a dead one."""
    return "freed xt" if any(p.kind.name == "desc" for p in function.params) else "freed"


def _is_matrix(function: Function, name: str) -> bool:
    """An operand in host memory that is no scalar: of the form `host`."""
    return any(p.name == name and p.kind.is_pointer and p.kind.core.name not in BY_MODE for p in function.params)


def _differs(operand: Operand, before: Array, after: Array) -> bool:
    here = slice(operand.offset, operand.offset + operand.size)
    return not np.array_equal(before[here], after[here])


def _point(layout: Layout, device: Array, base: int) -> None:
    """Fill the arrays of pointers."""
    for name, members in layout.lists.items():
        array = view(device, layout.operands[name])
        for i, member in enumerate(members):
            array[i] = base + layout.place(member).offset


def _arrays(layout: Layout, device: Array, host: Array) -> dict[str, Array]:
    return {name: view(host if o.host else device, o) for name, o in layout.operands.items()}


def _returned(function: Function, layout: Layout, after: dict[str, Array], answer: Any) -> None:
    """A result that the first API returns takes the place of the one that it would have written."""
    if function.form.base == "v1":
        for p in function.entry.params:
            if p.kind.name == "result":
                after[p.name] = after[p.name].copy()
                after[p.name][0] = answer


def _claims(function: Function, case: Case, layout: Layout, before: Mapping[str, Array]) -> list[Claim]:
    claims = ORACLES[function.entry.oracle].function(**oracle_arguments(function, case, layout, before))
    return [_renamed(claim, layout.same) for claim in claims]


def _renamed(claim: Claim, same: Mapping[str, str]) -> Claim:
    if isinstance(claim, Expected) and claim.array in same:
        return Expected(same[claim.array], claim.index, claim.values, claim.bound)
    return claim


def _matrices(function: Function, case: Case) -> dict[str, int]:
    """Leading dimensions of the operands that are plain matrices."""
    values = complete(function, case)
    plain = ("matrix", "symmetric", "hermitian", "triangular")
    return {
        p.name: number(expr.evaluate(p.kind.argument("ld"), values))
        for p in function.entry.params
        if p.kind.core.name in plain and p.kind.name != "strided"
    }


def _unread(case: Case, claims: list[Claim]) -> Verdict | None:
    """The oracle met a sentinel: the table describes less than the function reads."""
    if case.poison or case.blank or case.data != "real":
        return None
    for claim in claims:
        if isinstance(claim, Expected) and not (np.isfinite(claim.values) | np.isinf(np.abs(claim.bound))).all():
            text = "the oracle reads elements that the table does not describe; table or oracle is wrong"
            return Verdict((Fault(claim.array, -1, text),))
    return None


__all__ = ["BY_MODE", "Outcome", "Workbench", "arguments"]
