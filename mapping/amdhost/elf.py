"""What an ELF library exports and needs, read from a mapped file: rocBLAS has a gigabyte, nearly all of it kernels."""

from __future__ import annotations

import mmap
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_STRTAB, _DYNSYM, _DYNAMIC, _VERNEED, _VERSYM = 3, 11, 6, 0x6FFFFFFE, 0x6FFFFFFF
_NEEDED, _SONAME = 1, 14
_FUNCTION = 2


@dataclass(frozen=True, slots=True)
class Section:
    """A row of the section table; `offset`, `size` in bytes, `count` of entries."""

    name: str
    kind: int
    offset: int
    size: int
    link: int
    count: int


@dataclass(frozen=True, slots=True)
class Elf:
    """`wanted` maps each undefined symbol that carries a version to (library, version)."""

    soname: str
    needed: tuple[str, ...]
    functions: tuple[str, ...]
    wanted: dict[str, tuple[str, str]]
    versions: dict[str, tuple[str, ...]]  # library -> versions that are needed of it
    sections: dict[str, Section]

    def least(self, library: str, prefix: str) -> tuple[int, ...]:
        """The highest version of a library's that is needed: (2, 38) of GLIBC_2.38."""
        found = [v.removeprefix(prefix) for v in self.versions.get(library, ()) if v.startswith(prefix)]
        numbers = [tuple(int(n) for n in v.split(".")) for v in found if v.replace(".", "").isdigit()]
        return max(numbers, default=())


class ElfError(Exception):
    """Not a library that this can read. One line."""


def read(path: Path) -> Elf:
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        if data[:5] != b"\x7fELF\x02":
            raise ElfError(f"{path.name}: no 64-bit ELF file")
        return _Reader(data, path.name).all()


class _Reader:
    def __init__(self, data: mmap.mmap, name: str) -> None:
        self.data = data
        (start,) = struct.unpack_from("<Q", data, 0x28)
        size, count, names = struct.unpack_from("<HHH", data, 0x3A)
        raw = [struct.unpack_from("<IIQQQQIIQQ", data, start + i * size) for i in range(count)]
        if not raw:
            raise ElfError(f"{name}: has no section headers")
        self.order = [Section(self._text(raw[names][4] + r[0]), r[1], r[4], r[5], r[6], r[7]) for r in raw]

    def _text(self, at: int) -> str:
        return self.data[at : self.data.find(b"\0", at)].decode()

    def _of(self, kind: int) -> Section | None:
        return next((s for s in self.order if s.kind == kind), None)

    def _strings(self, section: Section) -> int:
        return self.order[section.link].offset

    def all(self) -> Elf:
        needed, soname = self._dynamic()
        numbers, versions = self._versions()
        functions: list[str] = []
        wanted: dict[str, tuple[str, str]] = {}
        for name, info, defined, version in self._symbols():
            if defined and info & 15 == _FUNCTION and info >> 4 != 0:
                functions.append(name)
            elif not defined and version in numbers:
                wanted[name] = numbers[version]
        sections = {s.name: s for s in self.order}
        return Elf(soname, tuple(needed), tuple(sorted(functions)), wanted, versions, sections)

    def _dynamic(self) -> tuple[list[str], str]:
        needed: list[str] = []
        soname = ""
        section = self._of(_DYNAMIC)
        if section:
            strings = self._strings(section)
            for at in range(section.offset, section.offset + section.size, 16):
                tag, value = struct.unpack_from("<QQ", self.data, at)
                if tag == _NEEDED:
                    needed.append(self._text(strings + value))
                elif tag == _SONAME:
                    soname = self._text(strings + value)
        return needed, soname

    def _versions(self) -> tuple[dict[int, tuple[str, str]], dict[str, tuple[str, ...]]]:
        """By index: (library, version); and by library all versions."""
        numbers: dict[int, tuple[str, str]] = {}
        section = self._of(_VERNEED)
        if section:
            strings, at = self._strings(section), section.offset
            for _ in range(section.count or 1 << 16):
                _, count, file, first, following = struct.unpack_from("<HHIII", self.data, at)
                library, place = self._text(strings + file), at + first
                for _ in range(count):
                    _, _, index, name, step = struct.unpack_from("<IHHII", self.data, place)
                    numbers[index & 0x7FFF] = (library, self._text(strings + name))
                    place += step
                if not following:
                    break
                at += following
        libraries = dict.fromkeys(library for library, _ in numbers.values())
        return numbers, {x: tuple(sorted(v for y, v in numbers.values() if y == x)) for x in libraries}

    def _symbols(self) -> Iterator[tuple[str, int, bool, int]]:
        table, versions = self._of(_DYNSYM), self._of(_VERSYM)
        if not table:
            return
        strings = self._strings(table)
        for i in range(1, table.size // 24):
            name, info, _, section = struct.unpack_from("<IBBH", self.data, table.offset + 24 * i)
            version = struct.unpack_from("<H", self.data, versions.offset + 2 * i)[0] & 0x7FFF if versions else 0
            yield self._text(strings + name), info, section != 0, version
