"""What one executable or shared library says: what it loads, imports, names in its data, and carries inside.

Read in a process of its own (`isolated.py`): a file made to break a parser ends that process, not the scan.
"""

from __future__ import annotations

import mmap
import re
import struct
from dataclasses import dataclass
from pathlib import Path

from ..run import static_runtime

ELF, PE = "ELF", "PE"
_NAMED = re.compile(rb"\0((?:cublas|cudnn|cuda)[A-Za-z0-9_]{2,80})(?=\0)")
_OPENED = re.compile(
    rb"(?:lib(?:cublas|cublasLt|cudart|cudnn(?:_[a-z_]+)?)\.so\.[0-9.]+|(?:cublas|cublasLt|cudart|cudnn(?:_[a-z_]+)?)64_[0-9]+\.dll)(?=\0)"
)
_UNDEFINED = 0  # SHN_UNDEF: another file has to define the symbol
_KERNELS = frozenset({".nv_fatbin", "__nv_relfatbin", ".nv_fatb"})  # PE cuts a section's name at eight characters


@dataclass(frozen=True, slots=True)
class Facts:
    """needed   libraries that the loader wants before the program starts
    opened   library names in its data, for dlopen or LoadLibrary
    imports  symbols that it takes from other files
    named    names of functions in its data, for dlsym or GetProcAddress
    """

    form: str
    needed: tuple[str, ...] = ()
    opened: tuple[str, ...] = ()
    imports: tuple[str, ...] = ()
    named: tuple[str, ...] = ()
    kernels: bool = False
    static_runtime: bool = False
    cut: bool = False  # the file ends before what its header tells of


def form_of(head: bytes) -> str:
    """ELF, PE or '' by a file's first bytes."""
    return ELF if head[:4] == b"\x7fELF" else PE if head[:2] == b"MZ" else ""


def read(path: Path) -> Facts:
    """ValueError where the file is neither, or broken."""
    import lief

    lief.logging.disable()
    with path.open("rb") as stream:
        form = form_of(stream.read(4))
    if form == ELF:
        settings = lief.ELF.ParserConfig()
        settings.parse_relocations = settings.parse_notes = settings.parse_overlay = False
        elf = lief.ELF.parse(str(path), settings)
        if elf is None:
            raise ValueError("a broken ELF file")
        needed = [str(n) for n in elf.libraries]
        # Not lief's `imported_symbols`: they leave out what has no type, as where a plug-in is linked without the library.
        imports = {str(s.name).partition("@")[0] for s in elf.symbols if s.shndx == _UNDEFINED}  # without the version
        sections = {str(s.name) for s in elf.sections}
        cut = _ends_early(path)
    elif form == PE:
        pe = lief.PE.parse(str(path))
        if pe is None:
            raise ValueError("a broken PE file")
        tables = [*pe.imports, *pe.delay_imports]
        needed = [str(i.name) for i in tables]
        imports = {str(e.name) for i in tables for e in i.entries if not e.is_ordinal}
        sections = {str(s.name) for s in pe.sections}
        size = path.stat().st_size
        cut = len(pe.sections) < pe.header.numberof_sections or any(s.offset + s.size > size for s in pe.sections)
    else:
        raise ValueError("no program and no library")
    runtime = static_runtime.inside(path)
    named, opened = _data(path)
    if runtime:  # it carries its own table of names
        named = {n for n in named if not n.startswith("cuda")}
    return Facts(
        form,
        tuple(needed),
        tuple(sorted(opened - set(needed))),
        tuple(sorted(n for n in imports if n)),
        tuple(sorted(named - imports)),
        bool(sections & _KERNELS),
        runtime,
        cut,
    )


def _ends_early(path: Path) -> bool:
    """Whether an ELF file lacks its end, as after a download that broke off. Linkers write the list of sections last; where
    there is none, the segments are looked at."""
    size = path.stat().st_size
    with path.open("rb") as stream:
        head = stream.read(64)
        if len(head) < 52:
            return True
        order = ">" if head[5] == 2 else "<"
        wide = head[4] == 2
        parts, sections = struct.unpack_from(order + ("QQ" if wide else "II"), head, 32 if wide else 28)
        part_size, part_count, section_size, section_count = struct.unpack_from(order + "4H", head, 54 if wide else 42)
        if sections:
            return bool(sections + section_size * section_count > size)
        stream.seek(parts)
        listed = stream.read(part_size * part_count)
    if len(listed) < part_size * part_count:
        return True
    for at in range(0, len(listed), part_size or 1):
        fields = struct.unpack_from(order + ("QQQQQ" if wide else "IIIII"), listed, at + (8 if wide else 4))
        offset, length = fields[0], fields[3]
        if offset + length > size:
            return True
    return False


def _data(path: Path) -> tuple[set[str], set[str]]:
    with path.open("rb") as stream, mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as content:
        named = {m[1].decode() for m in _NAMED.finditer(content)}
        opened = {m[0].decode() for m in _OPENED.finditer(content)}
    return named, opened
