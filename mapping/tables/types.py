"""The typed model of the type tables: enumerations, structs, handles, aliases, macros, and translations.

`load_types()` reads `tables/types/*.yaml` (format: `types_loader.py`). `Types` holds everything by name, in all
versions; `Types.for_version(12)` is a `View`: the numbers, layouts and declarations of one CUDA major.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TypeVar

from . import layout
from .layout import Layout, Lookup, Member
from .marks import Where, suggest

T = TypeVar("T", "Enum", "Struct", "Handle", "Alias", "Macro")
_Any = TypeVar("_Any")


@lru_cache(maxsize=256)
def version_key(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


@dataclass(frozen=True, slots=True)
class Owner:
    """The library a type belongs to, and the version that each major stands for."""

    library: str
    by: str  # cuda, cudnn or rocm
    versions: Mapping[int, str]


@dataclass(frozen=True, slots=True)
class Span:
    """First and last version that has something; '' where there is no bound."""

    since: str = ""
    until: str = ""

    def holds(self, version: str) -> bool:
        if not self.since and not self.until:
            return True
        key = version_key(version)
        if self.since and key < version_key(self.since):
            return False
        return not self.until or key[: len(version_key(self.until))] <= version_key(self.until)


@dataclass(frozen=True, slots=True)
class ByVersion:
    """A text or number that may change: (since, value) in rising order; the first `since` may be ''."""

    values: tuple[tuple[str, str], ...]

    def at(self, version: str) -> str:
        found = self.values[0][1]
        for since, value in self.values[1:]:
            if since and version_key(version) >= version_key(since):
                found = value
        return found


@dataclass(frozen=True, slots=True)
class Constant:
    name: str
    value: ByVersion
    span: Span
    where: Where

    def at(self, version: str) -> int | None:
        return int(self.value.at(version), 0) if self.span.holds(version) else None


@dataclass(frozen=True, slots=True)
class Enum:
    name: str
    word: str  # 'enum' where C spells the type `enum NAME`, else ''
    tag: str
    constants: tuple[Constant, ...]
    owner: Owner
    header: str
    span: Span
    where: Where

    @property
    def spelled(self) -> str:
        return f"{self.word} {self.name}" if self.word else self.name

    def values(self, version: str) -> dict[str, int]:
        """Constants that a version has, in the header's order."""
        pairs = ((c.name, c.at(version)) for c in self.constants)
        return {name: value for name, value in pairs if value is not None}


@dataclass(frozen=True, slots=True)
class Field:
    """A member: a C type, or a nested struct or union (`word`) with `members`; without a name it is anonymous."""

    name: str
    type: ByVersion
    word: str
    members: tuple[Field, ...]
    span: Span
    where: Where


def _members(fields: tuple[Field, ...], version: str) -> Iterator[Member]:
    for field in fields:
        if not field.span.holds(version):
            continue
        if field.word:
            members = tuple(_members(field.members, version))
            if members:
                yield Member(field.name, "", field.word, members)
        else:
            yield Member(field.name, field.type.at(version), "", ())


@dataclass(frozen=True, slots=True)
class Struct:
    name: str
    word: str  # 'struct' or 'union' where C needs the word, else ''
    kind: str  # 'struct' or 'union'
    tag: str
    align: int  # least alignment; 0 where the fields decide
    align_windows: int
    sizes: Mapping[int, int]  # major -> stated size
    windows: Mapping[int, int]  # where Windows differs
    fields: tuple[Field, ...]
    owner: Owner
    header: str
    span: Span
    where: Where

    @property
    def spelled(self) -> str:
        return f"{self.word} {self.name}" if self.word else self.name

    def members(self, version: str) -> tuple[Member, ...]:
        """The fields that a version has."""
        return tuple(_members(self.fields, version))


@dataclass(frozen=True, slots=True)
class Handle:
    """A pointer type: `typedef TARGET *NAME`."""

    name: str
    target: str
    owner: Owner
    header: str
    span: Span
    where: Where

    spelled = property(lambda self: self.name)


@dataclass(frozen=True, slots=True)
class Alias:
    """`typedef TYPE NAME`; of a function pointer, TYPE holds `(*)`."""

    name: str
    type: str
    owner: Owner
    header: str
    span: Span
    where: Where

    spelled = property(lambda self: self.name)

    @property
    def declaration(self) -> str:
        """What stands after `typedef`."""
        star = re.search(r"\*(?=\))", self.type)
        if star and "(" in self.type:
            return f"{self.type[: star.end()]}{self.name}{self.type[star.end() :]}"
        return f"{self.type}{'' if self.type.endswith('*') else ' '}{self.name}"


@dataclass(frozen=True, slots=True)
class Macro:
    name: str
    text: ByVersion
    owner: Owner
    header: str
    span: Span
    where: Where

    spelled = property(lambda self: self.name)


@dataclass(frozen=True, slots=True)
class Translation:
    """Constants of one enumeration → constants of another, by name.

    Each value of `source` in any version is either paired or refused with a reason. `otherwise` is what an unpaired
    value becomes: a constant of `target` (then it is a plain default) or a status that refuses the call.
    """

    name: str
    source: str
    target: str
    pairs: Mapping[str, str]
    refused: Mapping[str, str]
    otherwise: str
    note: str
    evidence: str  # how it is known
    where: Where


@dataclass(frozen=True, slots=True)
class Resolved:
    """A translation in numbers, for one version of each side."""

    translation: Translation
    pairs: tuple[tuple[int, int], ...]  # rising by source value
    default: int | None  # in the target's numbers, where `otherwise` is one of its constants
    refusal: str  # the status constant, where it is not

    @property
    def low(self) -> int:
        return self.pairs[0][0] if self.pairs else 0

    @property
    def high(self) -> int:
        return self.pairs[-1][0] if self.pairs else -1

    @property
    def is_dense(self) -> bool:
        """Every source value from low to high is paired: a range check is enough."""
        return len(self.pairs) == self.high - self.low + 1

    @property
    def offset(self) -> int | None:
        """What to add to any legal source value, if it is the same for all."""
        found = {b - a for a, b in self.pairs}
        return found.pop() if len(found) == 1 else None

    @property
    def is_identity(self) -> bool:
        return self.offset == 0

    def value(self, source: int) -> int | None:
        return dict(self.pairs).get(source, self.default)


class View:
    """The types of one choice of versions: what one CUDA major (and cuDNN, and ROCm) declares."""

    def __init__(self, types: Types, majors: Mapping[str, int]) -> None:
        self.types = types
        self.majors = majors
        self._constants: dict[str, dict[str, int]] = {}  # of each enumeration asked for: generators ask again and again

    def version(self, owner: Owner) -> str | None:
        """The version of a library here, or None where it has none for this major."""
        return owner.versions.get(self.majors[owner.by])

    def has(self, item: Enum | Struct | Handle | Alias | Macro) -> bool:
        version = self.version(item.owner)
        return version is not None and item.span.holds(version)

    def enums(self, header: str | None = None) -> tuple[Enum, ...]:
        return self._of(self.types.enums, header)

    def structs(self, header: str | None = None) -> tuple[Struct, ...]:
        return self._of(self.types.structs, header)

    def handles(self, header: str | None = None) -> tuple[Handle, ...]:
        return self._of(self.types.handles, header)

    def aliases(self, header: str | None = None) -> tuple[Alias, ...]:
        return self._of(self.types.aliases, header)

    def macros(self, header: str | None = None) -> tuple[Macro, ...]:
        return self._of(self.types.macros, header)

    def _of(self, items: Mapping[str, T], header: str | None) -> tuple[T, ...]:
        return tuple(i for i in items.values() if (header is None or i.header == header) and self.has(i))

    def constants(self, enum: str | Enum) -> dict[str, int]:
        """Constants of an enumeration in the header's order; empty where this version has none."""
        found = self.types.enum(enum) if isinstance(enum, str) else enum
        if found.name not in self._constants:
            version = self.version(found.owner)
            holds = version is not None and found.span.holds(version)
            self._constants[found.name] = found.values(version) if version and holds else {}
        return dict(self._constants[found.name])

    def value(self, constant: str) -> int:
        """Number of one constant. KeyError where this version does not have it."""
        value = self.constants(self.types.enum_of(constant)).get(constant)
        if value is None:
            raise KeyError(f"{constant} does not exist in {dict(self.majors)}")
        return value

    def macro(self, name: str) -> str:
        macro = self.types.macros[name]
        return macro.text.at(self.version(macro.owner) or "")

    def layout(self, struct: str, windows: bool = False) -> Layout:
        """Size, alignment and offsets of a struct."""
        found = self.types.struct(struct)
        version = self.version(found.owner)
        if version is None or not found.span.holds(version):
            raise KeyError(f"{struct} does not exist in {dict(self.majors)}")
        return layout.lay_out(
            found.kind, found.members(version), found.align_windows if windows else found.align, self._size_of(windows)
        )

    def size_of(self, ctype: str, windows: bool = False) -> int:
        """`sizeof` of a C type."""
        return layout.size_of(ctype, self._size_of(windows))[0]

    def _size_of(self, windows: bool) -> Lookup:
        def lookup(name: str) -> tuple[int, int]:
            if name in self.types.handles:
                return 8, 8
            if name in self.types.aliases:
                return layout.size_of(self.types.aliases[name].type, self._size_of(windows))
            if name in self.types.enums:
                return 4, 4
            if name in self.types.structs:
                inner = self.layout(name, windows)
                return inner.size, inner.align
            return layout.basic(name, windows)

        return lookup

    def translation(self, name: str) -> Resolved:
        """A translation in numbers. Pairs that one side's version does not have are left out."""
        t = self.types.translation(name)
        source, target = self.constants(t.source), self.constants(t.target)
        pairs = {source[a]: target[b] for a, b in t.pairs.items() if a in source and b in target}
        in_target = t.otherwise in target
        return Resolved(
            t,
            tuple(sorted(pairs.items())),
            target[t.otherwise] if in_target else None,
            "" if in_target else t.otherwise,
        )


@dataclass(frozen=True)
class Types:
    """All types, by name. A name stands for one thing only, whatever its kind."""

    enums: Mapping[str, Enum]
    structs: Mapping[str, Struct]
    handles: Mapping[str, Handle]
    aliases: Mapping[str, Alias]
    macros: Mapping[str, Macro]
    translations: Mapping[str, Translation]

    def for_version(self, cuda: int, *, cudnn: int | None = None, rocm: int = 7) -> View:
        """What one CUDA major declares. cuDNN's major is 8 beside CUDA 11 and 9 beside the others, unless given."""
        return View(self, {"cuda": cuda, "cudnn": cudnn or (8 if cuda == 11 else 9), "rocm": rocm})

    def for_library(self, library: str, major: int) -> View:
        """What one version of a library declares; cuDNN counts its own majors."""
        if library == "cudnn":
            return self.for_version(12, cudnn=major)
        return self.for_version(major)

    def enum(self, name: str) -> Enum:
        return self._find(self.enums, name, "enumeration")

    def struct(self, name: str) -> Struct:
        return self._find(self.structs, name, "struct")

    def translation(self, name: str) -> Translation:
        return self._find(self.translations, name, "translation")

    @staticmethod
    def _find(items: Mapping[str, _Any], name: str, what: str) -> _Any:
        if name not in items:
            raise KeyError(f"unknown {what} {name!r}; {suggest(name, list(items))}")
        return items[name]

    def has_type(self, name: str) -> bool:
        return any(name in kind for kind in (self.enums, self.structs, self.handles, self.aliases))

    def type_names(self) -> list[str]:
        return [name for kind in (self.enums, self.structs, self.handles, self.aliases) for name in kind]

    @cached_property
    def _owners(self) -> dict[str, str]:
        return {c.name: e.name for e in self.enums.values() for c in e.constants}

    def has_constant(self, name: str) -> bool:
        return name in self._owners

    def constant_names(self) -> list[str]:
        return list(self._owners)

    def enum_of(self, constant: str) -> Enum:
        """The enumeration that a constant belongs to."""
        return self.enums[self._find(self._owners, constant, "constant")]


def load_types(root: Path | None = None) -> Types:
    """Load every file of `tables/types/` (default: the installation's). Raises `TableError` on the first mistake."""
    from . import types_loader  # the loader stands on this module

    return types_loader.load(root)
