"""Sizes and offsets by the rules of C, for Linux (LP64) and Windows (LLP64) on x86-64."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

# Type name → size and alignment; KeyError("an unknown type …") where there is none.
Lookup = Callable[[str], tuple[int, int]]

_BASIC = {
    "char": 1, "signed char": 1, "unsigned char": 1, "int8_t": 1, "uint8_t": 1, "_Bool": 1,
    "short": 2, "unsigned short": 2, "int16_t": 2, "uint16_t": 2,
    "int": 4, "unsigned int": 4, "int32_t": 4, "uint32_t": 4, "float": 4,
    "long long": 8, "unsigned long long": 8, "int64_t": 8, "uint64_t": 8, "size_t": 8, "double": 8,
}  # fmt: skip
_LONG = ("long", "unsigned long")
_ARRAY = re.compile(r"\[(\d+)\]")


@dataclass(frozen=True, slots=True)
class Member:
    """A field of one version: a C type, or a nested struct or union; without a name it is anonymous."""

    name: str
    type: str
    word: str
    members: tuple[Member, ...]

    @property
    def declaration(self) -> str:
        """`int maxGridSize[3]`; of plain members only."""
        base, _, dims = self.type.partition("[")
        return f"{base}{'' if base.endswith('*') else ' '}{self.name}{'[' + dims if dims else ''}"


@dataclass(frozen=True, slots=True)
class Place:
    """Where a field lies. `path` is dotted: `handle.win32.name`; what is in an anonymous one has no prefix."""

    path: str
    type: str  # 'struct' or 'union' where it nests
    offset: int
    size: int


@dataclass(frozen=True, slots=True)
class Layout:
    """Size, alignment and places in bytes of a struct on one system."""

    size: int
    align: int
    places: tuple[Place, ...]

    def offset(self, path: str) -> int:
        return self.place(path).offset

    def place(self, path: str) -> Place:
        for place in self.places:
            if place.path == path:
                return place
        raise KeyError(f"no field {path!r}")


def basic(name: str, windows: bool) -> tuple[int, int]:
    """Size and alignment of a type that C itself knows."""
    if name in _LONG:
        size = 4 if windows else 8
    elif name in _BASIC:
        size = _BASIC[name]
    else:
        raise KeyError(f"an unknown type {name!r}")
    return size, size


def size_of(ctype: str, lookup: Lookup) -> tuple[int, int]:
    """Size and alignment of a C type as spelled in a declaration, arrays as `int[3]`."""
    count = 1
    for dim in _ARRAY.findall(ctype):
        count *= int(dim)
    base = _ARRAY.sub("", ctype).strip()
    if "*" in base:
        size, align = 8, 8
    else:
        words = [w for w in base.split() if w not in ("const", "struct", "enum", "union")]
        size, align = lookup(" ".join(words))
    return size * count, align


def lay_out(kind: str, members: tuple[Member, ...], least_align: int, lookup: Lookup) -> Layout:
    """Layout of a struct or union."""
    offset, widest, align = 0, 0, max(least_align, 1)
    places: list[Place] = []
    for member in members:
        inner: Layout | None = None
        if member.word:
            inner = lay_out(member.word, member.members, 0, lookup)
            size, member_align = inner.size, inner.align
        else:
            size, member_align = size_of(member.type, lookup)
        start = _up(offset, member_align) if kind == "struct" else 0
        offset, widest, align = start + size, max(widest, size), max(align, member_align)
        if member.name:
            places.append(Place(member.name, member.type or member.word, start, size))
        prefix = f"{member.name}." if member.name else ""
        for place in inner.places if inner else ():
            places.append(Place(prefix + place.path, place.type, start + place.offset, place.size))
    size = offset if kind == "struct" else widest
    return Layout(_up(size, align), align, tuple(places))


def _up(offset: int, align: int) -> int:
    return -(-offset // align) * align
