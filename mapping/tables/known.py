"""Names that tables refer to and that stand outside them: AMD's functions, hand-written blocks, oracles, constants.

The loader asks `Known` for each such name as it reads it, so that a slip is refused at load, with its place, and not in a
generator, a compiler or the suite. What AMD's libraries export is known from lists (`paths.exports_dir()`), all releases
together; blocks and oracles are found in their sources, which are read but not imported. `Unknown` accepts every name: for a
text whose surroundings are not there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from .. import paths
from .amd import AmdCall
from .marks import Node, close
from .model import PREFIXES, Entry, Library, TypeRecord, backend_of, expand
from .types import Types

_DEFINED = re.compile(r"cdef (?:inline )?[\w ]+?[ *]+(\w+)\(")
_DECLARED = re.compile(r" {4}[\w ]+?[ *]+(\w+)\(")
_INCLUDE = re.compile(r'^include "([\w./]+)"', re.MULTILINE)
_ORACLE = re.compile(r"^@oracle\(", re.MULTILINE)
_FIRST = re.compile(r'\s*"(\w+)"\s*,?')
_DEF = re.compile(r"^def (\w+)", re.MULTILINE)


class Unknown:
    """Accepts every name."""

    def amd(self, name: str, node: Node, owner: Library | None, types: Iterable[TypeRecord] = ()) -> None:
        """A function of AMD's, perhaps with `{t}` for each of `types`; `owner`: the library that is to call it."""

    def call(self, name: str, node: Node, owner: Library, types: Iterable[TypeRecord]) -> None:
        """A function of AMD's that a block calls: it needs a prototype too."""

    def block(self, name: str, node: Node, owner: Library, file: str, types: Iterable[TypeRecord]) -> None:
        """A hand-written block of a chapter, perhaps with `{t}`."""

    def oracle(self, name: str, node: Node) -> None:
        """A function of mapping/parity/oracles."""

    def status(self, name: str, node: Node, library: Library) -> None:
        """A constant of a library's status type, without its prefix."""

    def constant(self, name: str, node: Node, enum: str, shown: str) -> None:
        """A constant of one enumeration."""

    def enum(self, name: str, node: Node) -> None:
        """An enumeration of tables/types."""

    def translation(self, name: str, node: Node) -> None:
        """A translation of tables/types/translate.yaml."""

    def finish(self, entries: Iterable[Entry]) -> None:
        """What can be told only when every entry is read."""


@dataclass
class Known(Unknown):
    """The names of this installation."""

    types: Types
    calls: Mapping[str, AmdCall]
    _called: list[tuple[str, Node, str]] = field(default_factory=list)  # name, place, our library

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
            if exported and word not in exported:
                node.fail(f"{word!r} is in no release of {library}; {close(word, exported)}")

    def call(self, name: str, node: Node, owner: Library, types: Iterable[TypeRecord]) -> None:
        self.amd(name, node, owner, types)
        self._called += [(word, node, owner.name) for word in _expanded(name, types) if word not in self.calls]

    def block(self, name: str, node: Node, owner: Library, file: str, types: Iterable[TypeRecord]) -> None:
        folder, stem = file.split("/")[-2], file.rsplit("/", 1)[-1].removesuffix(".yaml")
        path = paths.package_dir() / "compose" / folder / f"{stem}.pxi"
        shown = f"mapping/compose/{folder}/{stem}.pxi"
        found = blocks(path)
        for word in _expanded(name, types):
            if word not in found:
                where = f"in {shown}" if path.is_file() else f"in {shown}, which does not exist"
                node.fail(f"there is no block {word!r} {where}; {close(word, found, 'a function of that name there')}")

    def oracle(self, name: str, node: Node) -> None:
        if name not in oracles():
            node.fail(f"there is no oracle {name!r}; {close(name, oracles(), 'a function in mapping/parity/oracles/')}")

    def status(self, name: str, node: Node, library: Library) -> None:
        self.constant(library.constant(name), node, library.status, name)

    def constant(self, name: str, node: Node, enum: str, shown: str) -> None:
        self.enum(enum, node)
        known = {c.name for c in self.types.enums[enum].constants} if enum in self.types.enums else set()
        if name not in known:
            prefix = name.removesuffix(shown)
            node.fail(
                f"{name!r} is no constant of {enum}; {close(shown, [n.removeprefix(prefix) for n in known], few=40)}"
            )

    def enum(self, name: str, node: Node) -> None:
        if name not in self.types.enums and name not in self.types.aliases:
            node.fail(f"{name!r} is no enumeration of tables/types; {close(name, self.types.enums)}")

    def translation(self, name: str, node: Node) -> None:
        if name not in self.types.translations:
            node.fail(f"there is no translation {name!r}; {close(name, self.types.translations)}")

    def finish(self, entries: Iterable[Entry]) -> None:
        if not self._called:
            return
        targets = {
            (entry.library, expand(target.to, record) + wide)
            for entry in entries
            for target in entry.targets
            if target.to
            for record in entry.types
            for wide in ("", "_64")
        }
        for name, node, library in self._called:
            if (library, name) not in targets:
                node.fail(f"{name!r} has no prototype; expected a row in tables/amd_calls.yaml")


def _expanded(name: str, types: Iterable[TypeRecord]) -> list[str]:
    return list(dict.fromkeys(expand(name, record) for record in types)) or [name]


@lru_cache(maxsize=16)
def amd_exports(library: str) -> frozenset[str]:
    """What AMD's library exports in any release that there is a list of; empty where there is none."""
    folder = paths.exports_dir()
    files = sorted(folder.glob(f"{library}-*-linux.txt")) if folder else []
    return frozenset(name for file in files for name in file.read_text(encoding="utf-8").split())


@lru_cache(maxsize=1)
def oracles() -> frozenset[str]:
    """Names under which oracles are registered: those that `@oracle` gives, or the function's own."""
    found: set[str] = set()
    for path in sorted((paths.package_dir() / "parity" / "oracles").glob("*.py")):
        text = path.read_text(encoding="utf-8")
        for head in _ORACLE.finditer(text):
            names, at = [], head.end()
            while match := _FIRST.match(text, at):
                names.append(match[1])
                at = match.end()
            own = _DEF.search(text, at)
            found |= set(names or ([own[1]] if own else []))
    return frozenset(found)


@lru_cache(maxsize=128)
def blocks(path: Path) -> frozenset[str]:
    """Functions that a .pxi defines or declares, with what it includes."""
    if not path.is_file():
        return frozenset()
    text = path.read_text(encoding="utf-8")
    found: set[str] = set()
    extern = False
    for line in text.splitlines():
        if line.startswith("cdef extern from"):
            extern = True
        elif line[:1].strip():
            extern = False
        match = _DEFINED.match(line) or (_DECLARED.match(line) if extern else None)
        if match:
            found.add(match[1])
    for name in _INCLUDE.findall(text):
        found |= blocks(path.parent / name)
    return frozenset(found)
