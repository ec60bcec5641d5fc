"""Names that libraries export: NVIDIA's, from the lists beside the tests, and those of the libraries that were built."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from .. import paths
from ..tables.model import Library, LibraryVersion

SYSTEMS = ("linux", "windows")
_SHORT = {"linux": "linux", "windows": "win"}


def nvidia(library: Library, version: LibraryVersion, system: str, part: str = "") -> frozenset[str] | None:
    """What NVIDIA's library of that version, or one of its parts, exports, or None where no list is at hand."""
    folder = paths.exports_dir()
    if folder is None:
        return None
    name = f"{library.name}_{part}" if part else library.name
    found = sorted(folder.glob(f"{name}-{version.version}*-{_SHORT[system]}.txt"))
    return frozenset(found[0].read_text(encoding="utf-8").split()) if found else None


def built(root: Path, version: LibraryVersion, system: str, part: str = "") -> frozenset[str] | None:
    """What the built library, or one of its parts, exports, or None where it is not built."""
    file = root / system / f"cuda{version.folders[-1]}" / version.file_name(system, part)
    return _exported(file, file.stat().st_mtime_ns) if file.is_file() else None


@cache
def _exported(file: Path, _changed: int) -> frozenset[str] | None:
    import lief

    binary = lief.parse(str(file))
    if isinstance(binary, lief.PE.Binary):
        table = binary.get_export()
        return frozenset(str(e.name) for e in table.entries if e.name) if table else frozenset()
    if isinstance(binary, lief.ELF.Binary):
        # GNU ld lists the version node, named as the file, among the symbols.
        return frozenset(str(s.name) for s in binary.exported_symbols) - {file.name}
    return None
