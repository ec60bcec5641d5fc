"""What a finished library must look like, read from the file itself.

Checked: no Python symbol imported or exported, nothing needed at run time but the system's C library (and what the
library was told to link with), the exports exactly as asked, SONAME and version node (Linux) or the DLL's name
(Windows). Not checked: that the code behind a name is right, or that it never loads something later by itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from .plan import BuildError
from .toolchain import Target

# Py_None, PyErr_Clear, _PyThreadState_..., __pyx_...: neither ours nor NVIDIA's names begin so.
_PYTHON = re.compile(r"_{0,2}(?:Py[A-Z_]|pyx_|PyInit)")
_LINUX_SYSTEM = frozenset({"libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "ld-linux-x86-64.so.2"})
_ABSOLUTE = 0xFFF1  # SHN_ABS
_WINDOWS_SYSTEM = re.compile(r"(?:kernel32|ntdll|ucrtbase|api-ms-win-crt-[\w-]+)\.dll", re.IGNORECASE)


def verify(
    file: Path,
    target: Target,
    *,
    exports: Sequence[str],
    soname: str,
    allowed: Iterable[str] = (),
) -> None:
    """Raises a BuildError with the first thing that is wrong. `allowed`: further names it may need at run time."""
    imported, exported, needed, node = _read_elf(file) if target.name == "linux" else _read_pe(file)
    name = file.name
    python = sorted(symbol for symbol in imported | exported if _PYTHON.match(symbol))
    if python:
        raise BuildError(f"{name}: needs Python ({_some(python)}); only nogil code on plain C types can stay")
    _compare(name, exported, frozenset(exports))
    permitted = frozenset(allowed)
    foreign = [
        lib
        for lib in needed
        if lib not in permitted
        and not (lib in _LINUX_SYSTEM if target.name == "linux" else _WINDOWS_SYSTEM.fullmatch(lib))
    ]
    if foreign:
        raise BuildError(f"{name}: needs {_some(foreign)} at run time, which is not part of the system")
    if node != {soname} and (exports or node):
        what = "SONAME and version node" if target.name == "linux" else "name inside the file"
        raise BuildError(f"{name}: {what} should be {soname}, found {_some(sorted(node)) or 'none'}")


def _compare(name: str, exported: frozenset[str], wanted: frozenset[str]) -> None:
    missing, extra = sorted(wanted - exported), sorted(exported - wanted)
    if missing:
        raise BuildError(f"{name}: should export {_some(missing)}, which no object defines")
    if extra:
        raise BuildError(f"{name}: exports {_some(extra)}, which nobody asked for")


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")


Facts = tuple[frozenset[str], frozenset[str], list[str], set[str]]


def _read_elf(file: Path) -> Facts:
    """Imports, exports, NEEDED, and the names that must all be the SONAME: its own and those of its versions."""
    import lief  # slow to import, and only a build needs it

    binary = lief.ELF.parse(str(file))
    if binary is None:
        raise BuildError(f"{file.name}: not an ELF file")
    own = elf_soname(binary)
    imported, exported, nodes = set(), set(), {own} if own else set()
    for symbol in binary.dynamic_symbols:
        if symbol.name and symbol.shndx == 0:
            imported.add(str(symbol.name))
        elif symbol.name and symbol.binding != lief.ELF.Symbol.BINDING.LOCAL:
            if symbol.shndx == _ABSOLUTE and symbol.name == own:
                continue  # GNU ld lists the version node too
            exported.add(str(symbol.name))
            tag = symbol.symbol_version
            nodes.add(str(tag.symbol_version_auxiliary.name) if tag and tag.symbol_version_auxiliary else "")
    return frozenset(imported), frozenset(exported), [str(lib) for lib in binary.libraries], nodes


def elf_soname(binary: Any) -> str:
    """The SONAME of a parsed ELF file, or an empty string."""
    import lief

    entry = binary.get(lief.ELF.DynamicEntry.TAG.SONAME)
    return str(entry.name) if isinstance(entry, lief.ELF.DynamicSharedObject) else ""


def _read_pe(file: Path) -> Facts:
    """The same of a DLL; the fourth is the name that its export table carries."""
    import lief

    binary = lief.PE.parse(str(file))
    if binary is None:
        raise BuildError(f"{file.name}: not a DLL")
    imported = {str(entry.name) for lib in binary.imports for entry in lib.entries if not entry.is_ordinal}
    table = binary.get_export()
    exported = {str(entry.name) for entry in table.entries if entry.name} if table else set()
    names = {str(table.name)} if table else set()
    return frozenset(imported), frozenset(exported), [str(lib.name) for lib in binary.imports], names
