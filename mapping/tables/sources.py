"""What the sources beside the tables define: read from their text, not imported.

What AMD's libraries export is known from lists (`paths.exports_dir()`), all releases together.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType

from .. import paths

_DEFINED = re.compile(r"cdef (?:inline )?[\w ]+?[ *]+(\w+)\(")
_DECLARED = re.compile(r" {4}[\w ]+?[ *]+(\w+)\(")
_INCLUDE = re.compile(r'^include "([\w./]+)"', re.MULTILINE)
_ORACLE = re.compile(r"^@oracle\(", re.MULTILINE)
_FIRST = re.compile(r'\s*"(\w+)"\s*,?')
_DEF = re.compile(r"^def (\w+)\(([^)]*)\)", re.MULTILINE)
_PARAM = re.compile(r"(\w+):")
_COMMENT = re.compile(r"#.*")
_HEADER = re.compile(r"^#define (\w+)|^\} (\w+);|^typedef (?:struct )?\w+ (\w+);|^[\w ]+?[ *](\w+)\(", re.MULTILINE)
_DARK = re.compile(r"^[A-Za-z][\w ]*?[ *]+dark_(\w+)\(", re.MULTILINE)
_WORD = re.compile(r'"([A-Za-z_]\w*)"')


@lru_cache(maxsize=16)
def amd_exports(library: str) -> frozenset[str]:
    """What AMD's library exports in any release that there is a list of; empty where there is none."""
    folder = paths.exports_dir()
    files = sorted(folder.glob(f"{library}-*-linux.txt")) if folder else []
    return frozenset(name for file in files for name in file.read_text(encoding="utf-8").split())


@lru_cache(maxsize=1)
def oracles() -> Mapping[str, frozenset[str]]:
    """Names under which oracles are registered (those that `@oracle` gives, or the function's own) and their parameters."""
    found: dict[str, frozenset[str]] = {}
    for path in sorted((paths.package_dir() / "parity" / "oracles").glob("*.py")):
        text = path.read_text(encoding="utf-8")
        for head in _ORACLE.finditer(text):
            names, at = [], head.end()
            while match := _FIRST.match(text, at):
                names.append(match[1])
                at = match.end()
            own = _DEF.search(text, at)
            if own:
                params = frozenset(_PARAM.findall(_COMMENT.sub("", own[2])))
                found |= dict.fromkeys(names or [own[1]], params)
    return MappingProxyType(found)


@lru_cache(maxsize=1)
def drawn() -> frozenset[str]:
    """Names that may be values of the suite's cases for cuDNN: every word in quotes in its procedures."""
    folder = paths.package_dir() / "parity" / "dnn" / "procedures"
    return frozenset(w for path in folder.glob("*.py") for w in _WORD.findall(path.read_text(encoding="utf-8")))


@lru_cache(maxsize=1)
def dark_answers() -> frozenset[str]:
    """Functions of mapping/compose/cuda that answer entries of the driver's unnamed tables, without their prefix."""
    files = (paths.package_dir() / "compose" / "cuda").glob("*.c")
    return frozenset(name for path in files for name in _DARK.findall(path.read_text(encoding="utf-8")))


@lru_cache(maxsize=16)
def declared(folder: str) -> frozenset[str]:
    """Structs, constants and functions in the headers of the runtime and of the blocks in mapping/compose/<folder>."""
    package = paths.package_dir()
    files = [*(package / "runtime").glob("*.h"), *(package / "compose" / folder).glob("*.h")]
    text = "\n".join(path.read_text(encoding="utf-8") for path in files)
    return frozenset(name for names in _HEADER.findall(text) for name in names if name)


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
