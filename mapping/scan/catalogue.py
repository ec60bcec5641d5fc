"""What the tables say of a name that a file asks for."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from ..tables.loader import load
from ..tables.model import Function, Library, Tables


@dataclass(frozen=True, slots=True)
class Version:
    """A replaced library in one version. `major` is the library's own (cuDNN 9), `cuda` the newest CUDA that has it."""

    library: Library
    major: int
    cuda: int


class Catalogue:
    """Looks up file names and functions."""

    def __init__(self, tables: Tables | None = None) -> None:
        self.tables = tables or load()

    @cached_property
    def _files(self) -> dict[str, Version]:
        found = {}
        for library in self.tables.libraries.values():
            for version in library.versions.values():
                for part in ("", *version.parts):
                    for system in ("linux", "windows"):
                        name = version.file_name(system, part).lower()
                        found[name] = Version(library, version.major, version.folders[-1])
        return found

    @cached_property
    def _stems(self) -> dict[str, Library]:
        """`libcublas`, `cublas64`, `libcudnn_ops` → cuBLAS, …, of any version."""
        return {_stem(name): version.library for name, version in self._files.items()}

    @cached_property
    def _functions(self) -> dict[str, Function]:
        return {f.name: f for f in self.tables.functions()}

    def file(self, name: str) -> Version | None:
        """The library that has this file name in a version that is replaced; a longer version number is the same library's."""
        lower = name.lower()
        if lower in self._files:
            return self._files[lower]
        longer = re.fullmatch(r"(lib[a-z_]+\.so\.\d+)(?:\.\d+)+", lower)
        return self._files.get(longer[1]) if longer else None

    def unversioned(self, name: str) -> Library | None:
        """The library that a file name belongs to in some version, replaced or not."""
        return self._stems.get(_stem(name.lower()))

    def imported(self, symbol: str) -> Function | None:
        """The function of a symbol."""
        return self._functions.get(symbol)

    def called(self, name: str) -> Function | None:
        """The function that a source means by a name: headers turn `cublasSgemm` into `cublasSgemm_v2`."""
        return self.tables.function(name)

    def library_of(self, symbol: str) -> Library | None:
        """Whose name an unknown symbol bears: of the names of libraries that begin it, the longest."""
        fitting = [x for x in self.tables.libraries.values() if symbol.startswith(_prefix(x)) and x.name != "cuda"]
        return max(fitting, key=lambda x: len(_prefix(x)), default=None)

    def count(self, library: Library) -> int:
        return sum(f.entry.library == library.name for f in self._functions.values())


def _prefix(library: Library) -> str:
    return "cuda" if library.name == "cudart" else library.name


def _stem(name: str) -> str:
    """Without version and suffix: `cublas64`, `libcublas`."""
    return re.sub(r"(?:_\d+\.dll|\.so[.\d]*)$", "", name)
