"""What a source pulls in: the text of every header, .pxi and .pxd that it names, found as the compilers find them.

Names that resolve in none of the folders (the C library's headers) belong to the toolchain and are left out. The
scan reads comments and inactive branches too: at worst something is rebuilt that need not be.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

_FILES = re.compile(r"""["'<]([\w./+-]+\.(?:h|inc|pxi|pxd|pyx))["'>]""")
_CIMPORTS = re.compile(r"^\s*(?:from\s+([\w.]+)\s+cimport|cimport\s+([\w., ]+))", re.MULTILINE)


class Sources:
    """Reads each file once a build."""

    def __init__(self) -> None:
        self._texts: dict[Path, bytes | None] = {}
        self._mentions: dict[Path, tuple[str, ...]] = {}

    def read(self, path: Path) -> bytes | None:
        if path not in self._texts:
            try:
                self._texts[path] = path.read_bytes()
            except OSError:
                self._texts[path] = None
        return self._texts[path]

    def closure(self, text: str, folders: Sequence[Path], own: Path | None = None) -> list[tuple[str, Path]]:
        """All files that `text` leads to, each as (the name it is included by, where it was found), sorted."""
        found: dict[str, Path] = {}
        waiting = [(name, own) for name in mentions(text)]
        while waiting:
            name, beside = waiting.pop()
            for folder in (*((beside,) if beside else ()), *folders):
                path = folder / name
                text_of = self.read(path)
                if text_of is None:
                    continue
                if found.get(name) != path:
                    found[name] = path
                    if path not in self._mentions:
                        self._mentions[path] = tuple(mentions(text_of.decode("utf-8", "replace")))
                    waiting += [(further, path.parent) for further in self._mentions[path]]
                break
        return sorted(found.items())

    def digest(self, files: Iterable[tuple[str, Path]]) -> Iterator[bytes]:
        """Name and content hash of each: places do not count, so a tree that moves keeps its cache."""
        for name, path in files:
            yield name.encode()
            yield hashlib.sha256(self.read(path) or b"").digest()


def mentions(text: str) -> Iterator[str]:
    """File names in quotes or angle brackets, and what Cython's cimport would look for."""
    for match in _FILES.finditer(text):
        yield match[1]
    for match in _CIMPORTS.finditer(text):
        for module in (match[1] or match[2]).split(","):
            words = module.split()
            if words:
                yield words[0].strip(".").replace(".", "/") + ".pxd"
