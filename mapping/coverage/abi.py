"""The judge `abi`: a function's prototype beside that of NVIDIA's headers, its name beside the library's exports.

It reads both whenever it is asked, so it is never out of date. It says nothing of what a function computes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from .. import paths
from ..tables.model import Function, Library, LibraryVersion
from . import exports
from .model import ABI, Confirmation
from .records import Judged

_FILE = {"cublasLt": "cublas"}  # whose file of prototypes has a library's


def agreeing(library: Library, version: LibraryVersion, functions: Sequence[Function]) -> Mapping[str, Judged]:
    """The functions that agree. What no public header declares is not among them, nor anything where no list is at hand."""
    file = _file(_FILE.get(library.name, library.name), version.version)
    exported = {
        name
        for s in exports.SYSTEMS
        for p in ("", *version.parts)
        for name in exports.nvidia(library, version, s, p) or ()
    }
    if file is None:
        return {}
    declared = _declared(file)
    said = Judged(True, Confirmation(ABI, f"headers of {library.title} {version.version}"))
    return {
        f.name: said
        for f in functions
        if f.name in exported and declared.get(f.name) == (normal(f.result), *(normal(p.ctype) for p in f.params))
    }


def normal(ctype: str) -> str:
    """One spelling for a C type; `cudaDataType_t` and `cudaDataType` are one type."""
    text = " ".join(ctype.replace("*", " * ").replace("[]", " * ").split())
    for longer, shorter in (("long long int", "long long"), ("long int", "long"), ("cudaDataType_t", "cudaDataType")):
        text = text.replace(longer, shorter)
    return text.replace("struct ", "").replace("enum ", "").replace("* ", "*")


def _file(name: str, version: str) -> Path | None:
    """Package data when installed, the tests' facts in a checkout. `11.11` is in the file's name, `11.11.3` the library."""
    for folder in (
        paths.package_dir() / "data" / "prototypes",
        paths.package_dir().parent / "tests" / "facts" / "cuda",
    ):
        for file in sorted(folder.glob(f"{name}-*.functions.tsv")):
            known = file.name.removeprefix(f"{name}-").removesuffix(".functions.tsv")
            if f"{version}.".startswith(f"{known}."):
                return file
    return None


@cache
def _declared(file: Path) -> Mapping[str, tuple[str, ...]]:
    """Result and parameters of what a public header declares, by name."""
    found = {}
    for line in file.read_text(encoding="utf-8").splitlines()[1:]:
        name, _, _, kind, _, result, params = line.split("\t")
        if kind != "internal":
            types = [part.rsplit(" ", 1)[0] for part in params.split(", ")] if params else []
            found[name] = (normal(result), *map(normal, types))
    return found
