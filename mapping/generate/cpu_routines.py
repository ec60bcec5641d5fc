"""What the CPU backend's rocBLAS consists of: AMD's functions with their arguments, read from the tables."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ..tables.cpu import rule_of
from ..tables.expr import Binary, Call, Expr, Name, Number, Tuple, grouped, names
from ..tables.kinds import Element, Kind
from ..tables.model import Entry, Tables, TypeRecord, backend_of, expand, rocm_type
from . import spelling


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
        return rule_of(self.entry.cpu, self.is_half)

    @property
    def is_level1(self) -> bool:
        """Nothing but vectors and scalars."""
        return all(a.core.name == "vector" for a in self.data)


def routines(tables: Tables) -> tuple[Routine, ...]:
    """The functions that the tables describe, each once, from the entry that has the rule's own name if there is one."""
    found: dict[str, Routine] = {}
    for entry in tables.entries:
        if not entry.cpu:
            continue
        for target in entry.targets:
            if backend_of(target.to) != "rocblas":
                continue
            for record in entry.types:
                name = expand(target.to, record)
                if name not in found or (entry.key == entry.cpu and found[name].entry.key != entry.cpu):
                    found[name] = _routine(name, entry, record, target.args)
    return tuple(found.values())


def _routine(name: str, entry: Entry, record: TypeRecord, order: tuple[Expr, ...] | None) -> Routine:
    params = entry.params
    if order is not None:
        params = tuple(entry.param(str(a)) for a in order)
    args = []
    for p in params:
        element = None if not p.kind.is_pointer or p.kind.core.role == "index" else record.element(p.kind.core.role)
        narrow, wide = rocm_type(p.kind, record, False), rocm_type(p.kind, record, True)
        args.append(Argument(p.name, p.kind, narrow, wide, element))
    forms = [f for f in entry.forms if f.base != "v1"]
    return Routine(name, entry, record, tuple(args), any(not f.wide for f in forms), any(f.wide for f in forms))


# ---- expressions as Cython ----


def text(expr: Expr) -> str:
    """An expression as Cython, with rocBLAS's numbers of the options."""
    match expr:
        case Name(id=name):
            return spelling.name(name)
        case Number(value=value):
            return str(value)
        case Tuple(items=(rows, *_)):
            return text(rows)
        case Call(name="op", args=(trans, a, b)):
            return f"pick({text(trans)} == rocblas_operation_none, {text(a)}, {text(b)})"
        case Call(name="sided", args=(side, m, n)):
            return f"pick({text(side)} == rocblas_side_left, {text(m)}, {text(n)})"
        case Binary(op=op, left=left, right=right):
            return f"{grouped(left, text(left))} {op} {grouped(right, text(right))}"
    raise ValueError(f"{expr} is no size that the CPU backend can compute")


def shape(kind: Kind) -> Expr:
    """What says how large a vector or matrix is."""
    name = "shape" if kind.core.name in ("matrix", "band") else "n"
    return kind.argument(name)


def dims(routine: Routine, arguments: Iterable[Argument]) -> list[str]:
    """Sizes that the shapes of `arguments` are made of, in parameter order."""
    used = set().union(*(names(shape(a.kind)) for a in arguments)) if arguments else set()
    return [a.name for a in routine.of("dim") if a.name in used]
