"""Names that tables refer to and that stand outside them: AMD's functions, hand-written blocks, oracles, constants, types.

The loader asks `Known` for each such name as it reads it, so that a slip is refused at load, with its place, and not in a
generator, a compiler or the suite. `Unknown` accepts every name: for a text whose surroundings are not there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from .. import paths
from . import c, sources
from .amd import AmdCall
from .cpu import check_needed, check_rule
from .marks import Node, TableError, Where, close
from .model import PREFIXES, Entry, Library, TypeRecord, backend_of, expand
from .sources import amd_exports
from .types import Enum, Types


class Unknown:
    """Accepts every name."""

    def amd(self, name: str, node: Node, owner: Library | None, types: Iterable[TypeRecord] = ()) -> None:
        """A function of AMD's, perhaps with `{t}` for each of `types`; `owner`: the library that is to call it."""

    def call(self, name: str, node: Node, owner: Library, types: Iterable[TypeRecord]) -> None:
        """A function of AMD's that a block calls: it needs a prototype too."""

    def block(self, name: str, node: Node, owner: Library, file: str, types: Iterable[TypeRecord]) -> None:
        """A hand-written block of a chapter, perhaps with `{t}`."""

    def declared(self, name: str, node: Node, library: str) -> None:
        """A struct, constant or function that the headers of a library's blocks declare."""

    def oracle(self, name: str, node: Node, params: set[str]) -> None:
        """A function of mapping/parity/oracles, and the parameters that it is given."""

    def drawn(self, name: str, node: Node) -> None:
        """A value that the suite's procedures for cuDNN draw."""

    def cpu(self, entry: Entry, node: Node) -> None:
        """The CPU backend's rule of an entry."""

    def status(self, name: str, node: Node, library: Library) -> None:
        """A constant of a library's status type, without its prefix."""

    def constant_of(self, name: str, node: Node, enums: Iterable[str], shown: str = "") -> None:
        """A constant of one of some enumerations. `shown`: what of the name the table writes."""

    def any_constant(self, name: str, node: Node) -> None:
        """A constant of any enumeration."""

    def cell(self, text: str, node: Node, enum: str, library: Library) -> None:
        """A cell of `combos`: a constant of a parameter's enumeration, without the library's prefix."""

    def amd_type(self, name: str, node: Node) -> None:
        """A data type of NVIDIA's that AMD has too."""

    def enum(self, name: str, node: Node) -> None:
        """An enumeration of tables/types."""

    def handle(self, name: str, node: Node) -> None:
        """A handle of tables/types."""

    def ctype(self, name: str, node: Node) -> None:
        """A type of C's own or of tables/types, in any version."""

    def declared_type(self, name: str, where: Where, library: Library, majors: Iterable[int]) -> None:
        """A type that each of these versions of a library declares."""

    def owner(self, name: str, node: Node) -> None:
        """A library that tables/types has types of."""

    def translation(self, name: str, node: Node, enum: str = "") -> None:
        """A translation of tables/types/translate.yaml, of the enumeration `enum` if given."""

    def finish(self, entries: Iterable[Entry]) -> None:
        """What can be told only when every entry is read."""


# Functions of the CPU backend's that AMD's library does not have (mapping/runtime/lt_own.h).
OURS = "hipblasLtDragoman"


@dataclass
class Known(Unknown):
    """The names of this installation."""

    types: Types
    calls: Mapping[str, AmdCall]
    _called: list[tuple[str, Node, str]] = field(default_factory=list)  # name, place, our library
    _declared: dict[tuple[str, int], frozenset[str]] = field(default_factory=dict)

    def amd(self, name: str, node: Node, owner: Library | None, types: Iterable[TypeRecord] = ()) -> None:
        for word in _expanded(name, types):
            library = backend_of(word)
            if not library:
                node.fail(f"{word!r} is no function of a known AMD library; expected {'…, '.join(PREFIXES)}…")
            if owner and library not in owner.backends:
                node.fail(
                    f"{word!r} belongs to {library}, which {owner.name} does not open; "
                    f"expected one of {', '.join(owner.backends)}"
                )
            exported = amd_exports(library)
            if exported and word not in exported and not word.startswith(OURS):
                node.fail(f"{word!r} is in no release of {library}; {close(word, exported)}")

    def call(self, name: str, node: Node, owner: Library, types: Iterable[TypeRecord]) -> None:
        self.amd(name, node, owner, types)
        self._called += [(word, node, owner.name) for word in _expanded(name, types) if word not in self.calls]

    def block(self, name: str, node: Node, owner: Library, file: str, types: Iterable[TypeRecord]) -> None:
        folder, stem = file.split("/")[-2], file.rsplit("/", 1)[-1].removesuffix(".yaml")
        path = paths.package_dir() / "compose" / folder / f"{stem}.pxi"
        shown = f"mapping/compose/{folder}/{stem}.pxi"
        found = sources.blocks(path)
        for word in _expanded(name, types):
            if word not in found:
                where = f"in {shown}" if path.is_file() else f"in {shown}, which does not exist"
                node.fail(f"there is no block {word!r} {where}; {close(word, found, 'a function of that name there')}")

    def declared(self, name: str, node: Node, library: str) -> None:
        folder = f"mapping/compose/{library.lower()}"
        found = sources.declared(library.lower())
        if name not in found:
            node.fail(f"{name!r} is in no header of mapping/runtime or {folder}; {close(name, found)}")

    def oracle(self, name: str, node: Node, params: set[str]) -> None:
        found = sources.oracles()
        if name not in found:
            node.fail(f"there is no oracle {name!r}; {close(name, found, 'a function in mapping/parity/oracles/')}")
        if found[name] != params:
            node.fail(f"the oracle {name!r} takes {_listed(found[name])}; expected one that takes {_listed(params)}")

    def drawn(self, name: str, node: Node) -> None:
        if name not in sources.drawn():
            node.fail(
                f"the suite draws no value {name!r}; {close(name, sources.drawn(), 'one that a procedure draws')}"
            )

    def cpu(self, entry: Entry, node: Node) -> None:
        check_rule(entry, node)

    def status(self, name: str, node: Node, library: Library) -> None:
        self.enum(library.status, node)
        self.constant_of(library.constant(name), node, (library.status,), name)

    def constant_of(self, name: str, node: Node, enums: Iterable[str], shown: str = "") -> None:
        found = [self._enum(e) for e in enums]
        known = {constant.name for e in found if e for constant in e.constants}
        if name not in known:
            shown = shown or name
            prefix = name.removesuffix(shown)
            node.fail(
                f"{name!r} is no constant of {' or '.join(enums)}; "
                f"{close(shown, [n.removeprefix(prefix) for n in known], few=40)}"
            )

    def _enum(self, name: str) -> Enum | None:
        """An enumeration, perhaps by the name of a typedef."""
        for _ in range(4):
            if name in self.types.enums:
                return self.types.enums[name]
            name = self.types.aliases[name].type.removeprefix("enum ") if name in self.types.aliases else ""
        return None

    def any_constant(self, name: str, node: Node) -> None:
        if not self.types.has_constant(name):
            node.fail(f"{name!r} is no constant of any enumeration; {close(name, self.types.constant_names())}")

    def cell(self, text: str, node: Node, enum: str, library: Library) -> None:
        if text.startswith("CUDA_"):  # a compute type in the numbers of before CUDA 11
            self.constant_of(text, node, ("cudaDataType_t",))
        else:
            self.constant_of(library.cell(text), node, (enum,), text)

    def amd_type(self, name: str, node: Node) -> None:
        known = self.types.translations["datatype"].pairs if "datatype" in self.types.translations else {}
        if name not in known:
            node.fail(f"AMD has no {name}; expected a type of AMD's, or a row that a block answers")

    def enum(self, name: str, node: Node) -> None:
        if name not in self.types.enums and name not in self.types.aliases:
            node.fail(f"{name!r} is no enumeration of tables/types; {close(name, self.types.enums)}")

    def handle(self, name: str, node: Node) -> None:
        if name not in self.types.handles:
            node.fail(f"{name!r} is no handle of tables/types; {close(name, self.types.handles)}")

    def ctype(self, name: str, node: Node) -> None:
        if name not in c.UNDECLARED and not self.types.has_type(name):
            node.fail(
                f"the type {name!r} is not in tables/types; {close(name, self.types.type_names(), 'a type there')}"
            )

    def declared_type(self, name: str, where: Where, library: Library, majors: Iterable[int]) -> None:
        for major in sorted(majors):
            if (library.name, major) not in self._declared:
                view = self.types.for_library(library.name, major)
                found = [
                    [t.name for t in kind] for kind in (view.enums(), view.structs(), view.handles(), view.aliases())
                ]
                self._declared[library.name, major] = frozenset(name for names in found for name in names)
            known = self._declared[library.name, major]
            if name not in known:
                text = f"the type {name!r} is not in tables/types for {library.titled(major)}"
                raise TableError(where, f"{text}; {close(name, known, 'a type there')}")

    def owner(self, name: str, node: Node) -> None:
        known = {enum.owner.library for enum in self.types.enums.values()}
        if name not in known:
            node.fail(f"tables/types has no enumeration of {name!r}; {close(name, known)}")

    def translation(self, name: str, node: Node, enum: str = "") -> None:
        if name not in self.types.translations:
            node.fail(f"there is no translation {name!r}; {close(name, self.types.translations)}")
        source, given = self.types.translations[name].source, self._enum(enum)
        if enum and given and given.name != source:
            fitting = [n for n, t in self.types.translations.items() if t.source == given.name]
            node.fail(f"the translation {name!r} is of {source}, not of {enum}; {close(name, fitting)}")

    def prototypes(self) -> None:
        """What the rows of tables/amd_calls.yaml name."""
        for call in self.calls.values():
            self.amd(call.name, call.node, None)
            for ctype in (call.result, *(t for t, _ in call.params)):
                for word in sorted(c.type_names(ctype)):
                    self.ctype(word, call.node)

    def finish(self, entries: Iterable[Entry]) -> None:
        check_needed(entries)
        if not self._called:
            return
        targets = {
            (entry.library, expand(target.to, record) + wide)
            for entry in entries
            for target in entry.targets
            if target.to
            for record in entry.types
            for wide in {"_64" if form.wide else "" for form in entry.forms} | {""}
        }
        for name, node, library in self._called:
            if (library, name) not in targets:
                node.fail(f"{name!r} has no prototype; expected a row in tables/amd_calls.yaml")


def _expanded(name: str, types: Iterable[TypeRecord]) -> list[str]:
    return list(dict.fromkeys(expand(name, record) for record in types)) or [name]


def _listed(names: Iterable[str]) -> str:
    return ", ".join(sorted(names))
