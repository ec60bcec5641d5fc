"""The typed model of the tables: frozen dataclasses that stand between the loader and everything else.

`Tables` holds libraries and entries. An `Entry` is one family; `Tables.functions()` expands it to one `Function` for each
exported symbol, with both C prototypes resolved. Each object keeps the place in the YAML it came from. Libraries are in
library.py, types and forms of symbols in forms.py; all of it is imported from here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product

from .expr import Expr
from .forms import TYPES, UNTYPED, VERSIONS, Form, TypeRecord, cuda_type, expand, rocm_type
from .kinds import OPTIONS, Element, Kind
from .library import MAJORS, REASONS, Library, LibraryVersion, Slot
from .marks import Where
from .types import version_key

PREFIXES = {  # AMD's library by the beginning of a function's name; the first match counts
    "rocblas_": "rocblas",
    "rocsolver_": "rocsolver",
    "hipblasLt": "hipblaslt",
    "hipdnn": "hipdnn",
    "miopen": "miopen",
    "hip": "hip",
}


@dataclass(frozen=True, slots=True)
class Param:
    """A parameter: its name and what it means."""

    name: str
    kind: Kind
    where: Where


@dataclass(frozen=True, slots=True)
class Target:
    """What answers on AMD's side. `args` is None where our parameters fit as they are.

    A target may be a hand-written block instead, for rows of `combos` that no AMD function answers: then `to` is ''.
    """

    to: str  # name pattern
    when: Expr | None
    args: tuple[Expr, ...] | None
    older: str
    before: str
    where: Where
    name: str = ""  # what the column `by` of a row calls it
    compose: str = ""  # the block
    calls: tuple[str, ...] = ()  # what the block may call
    capture: str = ""


@dataclass(frozen=True, slots=True)
class Check:
    """A condition that is answered by a status before AMD's library is called."""

    when: Expr
    status: str
    where: Where


@dataclass(frozen=True, slots=True)
class FirstApi:
    """Where cuBLAS's first API (`v1`) departs from the rule."""

    types: tuple[str, ...] = ()  # the types it has, if not all
    omit: tuple[str, ...] = ()  # parameters it has not
    same: str = ""  # the parameter that serves for the omitted output
    pointer: tuple[str, ...] = ()  # scalars that stay pointers
    value: tuple[str, ...] = ()  # written scalars that are passed by value


@dataclass(frozen=True, slots=True)
class Corner:
    """An input for which the two sides' answers were looked up; `source` says where."""

    case: str
    nvidia: str
    rocm: str
    source: str


@dataclass(frozen=True, slots=True)
class Combos:
    """Which types may go together in a typed call. Alternatives in a cell are expanded: one cell, one type."""

    columns: tuple[str, ...]
    keys: tuple[str, ...]  # the columns that are parameters of the call; together they find a row
    rows: tuple[tuple[str, ...], ...]
    otherwise: str
    refused: tuple[Check, ...] = ()  # types without a row that get another status than `otherwise`

    def cell(self, row: tuple[str, ...], column: str) -> str:
        return row[self.columns.index(column)] if column in self.columns else ""

    def of(self, record: TypeRecord) -> tuple[tuple[str, ...], ...]:
        """The rows of one type, where the entry has types."""
        if "type" not in self.columns:
            return self.rows
        return tuple(row for row in self.rows if self.cell(row, "type") == record.name)


@dataclass(frozen=True, slots=True)
class Attribute:
    """An attribute of a descriptor: C type, and the value that it has when made."""

    name: str
    type: str
    default: str


@dataclass(frozen=True, slots=True)
class Entry:
    """One family of functions, as its table says."""

    key: str
    library: str
    chapter: str
    file: str  # tables/cublas/level3.yaml
    documented: bool  # NVIDIA's headers or manual have it
    where: Where
    summary: str
    cuda: str
    types: tuple[TypeRecord, ...]
    forms: tuple[Form, ...]
    params: tuple[Param, ...]
    returns: str
    names: tuple[str, ...] = ()  # symbols that share the entry; without them `cuda` names it
    targets: tuple[Target, ...] = ()
    host: str = ""
    compose: str = ""
    calls: tuple[str, ...] = ()
    unsupported: str = ""
    answer: str = ""
    combos: Combos | None = None
    checks: tuple[Check, ...] = ()
    corners: tuple[Corner, ...] = ()
    capture: str = ""
    limits: str = ""
    lacks: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # what `limits` says, in the suite's words
    narrow: str = ""  # `never`: no 32-bit target in a _64 form's place; `first`: it serves all that fits it
    cpu: str = ""
    oracle: str = ""
    header: str = ""
    cuda_since: str = ""
    cuda_until: str = ""
    parts: Mapping[int, str] = field(default_factory=dict)  # library's major -> the sub-library that exports it too
    main: bool = True  # the main library exports it
    since: Mapping[str, str] = field(default_factory=dict)
    os: str = ""
    v1: FirstApi = FirstApi()
    attributes: tuple[Attribute, ...] = ()
    notes: str = ""
    source: str = ""

    def param(self, name: str) -> Param:
        return next(p for p in self.params if p.name == name)

    def typing_columns(self) -> dict[str, str]:
        """Pointer of no type of its own → the column of `combos` that types it.

        Scalars are of the type that the column `scale` names, if there is one; all else of that which the next
        `datatype` parameter names.
        """
        found: dict[str, str] = {}
        waiting: list[str] = []
        scale = self.combos is not None and "scale" in self.combos.columns
        for p in self.params:
            if p.kind.name == "datatype":
                found |= dict.fromkeys(waiting, p.name)
                waiting = []
            elif p.kind.is_pointer and p.kind.core.role == "any":
                if scale and p.kind.core.name in ("scalar", "array"):
                    found[p.name] = "scale"
                else:
                    waiting.append(p.name)
        return found

    @property
    def blocks(self) -> tuple[str, ...]:
        """Name patterns of the hand-written blocks that answer, all or some of the calls."""
        names = (self.host, self.compose, *(t.compose for t in self.targets))
        return tuple(n for n in names if n)

    @property
    def block_calls(self) -> tuple[str, ...]:
        """AMD functions that its blocks may call."""
        return (*self.calls, *(c for t in self.targets for c in t.calls))


@dataclass(frozen=True, slots=True)
class CParam:
    """A parameter of one symbol: its name, its C type as NVIDIA spells it, its meaning."""

    name: str
    ctype: str
    kind: Kind
    element: Element | None  # of pointers to elements and of scalars by value

    @property
    def declaration(self) -> str:
        return f"{self.ctype}{'' if self.ctype.endswith('*') else ' '}{self.name}"


@dataclass(frozen=True, slots=True)
class Function:
    """One exported symbol."""

    name: str
    entry: Entry
    type: TypeRecord
    form: Form
    result: str
    params: tuple[CParam, ...]
    majors: frozenset[int]  # whose emulated version exports it

    @property
    def alias(self) -> str:
        """The name that headers turn into this one (`cublasSgemm` → `cublasSgemm_v2`), or ''."""
        return (
            self.name.replace(f"_{self.form.base}", "", 1) if self.form.base in VERSIONS and not self.form.twin else ""
        )

    @property
    def prototype(self) -> str:
        inside = ", ".join(p.declaration for p in self.params) or "void"
        return f"{self.result}{'' if self.result.endswith('*') else ' '}{self.name}({inside})"

    @property
    def returns_status(self) -> bool:
        return self.entry.returns == "status" and self.form.base != "v1"

    @property
    def kind(self) -> str:
        """direct, translate, compose, solver, host or unsupported; computed from the entry."""
        entry = self.entry
        if entry.unsupported:
            return "unsupported"
        if entry.host:
            return "host"
        if entry.compose or any(t.compose for t in entry.targets) or (len(entry.targets) > 1 and not entry.combos):
            solver = any(t.to.startswith("rocsolver_") for t in entry.targets)
            return "solver" if solver else "compose"
        target = entry.targets[0]
        if target.to.startswith("rocsolver_"):
            return "solver"
        plain = target.args is None and not any(
            p.kind.name in OPTIONS or p.kind.translation or p.kind.name == "datatype" for p in self.params
        )
        return "direct" if plain and self.form.base != "v1" else "translate"

    def target_name(self, target: Target) -> str:
        name = expand(target.to, self.type)
        return name + "_64" if self.form.wide and not name.endswith("_64") else name


def backend_of(symbol: str) -> str:
    """AMD's library that exports a function, by its name."""
    for prefix, library in PREFIXES.items():
        if symbol.startswith(prefix):
            return library
    return ""


@dataclass(frozen=True)
class Tables:
    """All tables. `functions()` expands every entry; the result is cached and ordered as the tables are."""

    libraries: Mapping[str, Library]
    entries: tuple[Entry, ...]

    @cached_property
    def _functions(self) -> tuple[Function, ...]:
        return tuple(f for entry in self.entries for f in self._expand(entry))

    @cached_property
    def _by_name(self) -> dict[tuple[str, str], Function]:
        return {(f.entry.library, f.name): f for f in self._functions}

    def functions(self, library: str | None = None, major: int | None = None) -> tuple[Function, ...]:
        """Functions of a library, or of one major of it (a CUDA major; cuDNN counts its own)."""
        return tuple(
            f
            for f in self._functions
            if (library is None or f.entry.library == library) and (major is None or major in f.majors)
        )

    def exported(self, library: str, major: int, target: str, part: str = "") -> frozenset[str]:
        """Exactly the symbols that NVIDIA's library of that version, or one of its parts, exports on that system."""
        found = {
            f.name
            for f in self.functions(library, major)
            if f.entry.os in ("", target) and (f.entry.parts.get(major) == part if part else f.entry.main)
        }
        place = f"{target}-{major}-{part}" if part else f"{target}-{major}"
        return frozenset(found | {v for v, where in self.libraries[library].data.items() if place in where})

    def beside(self, cuda: int) -> tuple[tuple[Library, LibraryVersion], ...]:
        """The libraries, in their versions, that lie in the folder of one CUDA major."""
        return tuple(
            (library, version)
            for library in self.libraries.values()
            for version in library.versions.values()
            if cuda in version.folders
        )

    def function(self, name: str, library: str | None = None) -> Function | None:
        """One function by its symbol, or by the name that headers turn into it."""
        if library:
            return self._by_name.get((library, name))
        exact = [f for (_, n), f in self._by_name.items() if n == name]
        alias = [f for f in self._functions if f.alias == name]
        # A program that writes cublasSgemm in its source calls cublasSgemm_v2: the alias goes before the old API.
        old = bool(exact) and exact[0].form.base == "v1"
        found = [*alias, *exact] if old else [*exact, *alias]
        return found[0] if found else None

    def majors_of(self, entry: Entry, form: Form) -> frozenset[int]:
        """CUDA majors whose library exports the form."""
        library = self.libraries[entry.library]
        since = entry.cuda_since
        later = entry.since.get("i64" if form.wide else form.base) or (library.wide_since if form.wide else "")
        if later and (not since or version_key(later) > version_key(since)):
            since = later
        found = set()
        for major, version in library.versions.items():
            key = version_key(version.version)
            if since and key < version_key(since):
                continue
            if entry.cuda_until and key[: len(version_key(entry.cuda_until))] > version_key(entry.cuda_until):
                continue
            found.add(major)
        return frozenset(found)

    def _expand(self, entry: Entry) -> Iterator[Function]:
        for pattern, record in product(entry.names or (entry.cuda,), entry.types):
            for form in entry.forms:
                if form.base == "v1" and entry.v1.types and record.name not in entry.v1.types:
                    continue
                params = tuple(
                    CParam(p.name, self._spelling(entry, p, record, form), p.kind, _element(p.kind, record))
                    for p in entry.params
                    if not (form.base == "v1" and (p.kind.name in ("handle", "result") or p.name in entry.v1.omit))
                )
                yield Function(
                    name=expand(pattern, record) + form.suffix,
                    entry=entry,
                    type=record,
                    form=form,
                    result=self._result(entry, record, form),
                    params=params,
                    majors=self.majors_of(entry, form),
                )

    def _spelling(self, entry: Entry, param: Param, record: TypeRecord, form: Form) -> str:
        slot = self.libraries[entry.library].slot(param.kind)
        if slot:
            return f"const {slot.type}" if param.kind.io == "in" else slot.type
        return _spelling(entry, param, record, form)

    def _result(self, entry: Entry, record: TypeRecord, form: Form) -> str:
        if form.base == "v1":
            for p in entry.params:
                if p.kind.name == "result":
                    return "int" if p.kind.role == "index" else record.element(p.kind.role).cuda
            return "void"
        return self.libraries[entry.library].status if entry.returns == "status" else entry.returns


def _spelling(entry: Entry, param: Param, record: TypeRecord, form: Form) -> str:
    if form.base == "v1":
        core = param.kind.core
        if param.name in entry.v1.value:
            return record.element(core.role).cuda
        if param.name in entry.v1.pointer:
            return cuda_type(param.kind, record, Form("v2"))
        if param.name == entry.v1.same:
            return f"{record.element(core.role).cuda} *"
    return cuda_type(param.kind, record, form)


def _element(kind: Kind, record: TypeRecord) -> Element | None:
    core = kind.core
    if not core.is_pointer or core.role == "index":
        return None
    return record.element(core.role)


__all__ = [
    "MAJORS",
    "PREFIXES",
    "REASONS",
    "TYPES",
    "UNTYPED",
    "Attribute",
    "CParam",
    "Check",
    "Combos",
    "Corner",
    "Entry",
    "FirstApi",
    "Form",
    "Function",
    "Library",
    "LibraryVersion",
    "Param",
    "Slot",
    "Tables",
    "Target",
    "TypeRecord",
    "backend_of",
    "cuda_type",
    "expand",
    "rocm_type",
    "version_key",
]
