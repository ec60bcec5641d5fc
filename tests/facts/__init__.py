"""What NVIDIA's and AMD's own headers and libraries say, to check ours against. See README.md in this folder.

The tables are never generated from these files, nor these files from the tables.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

HERE = Path(__file__).resolve().parent
# library of the tables -> CUDA (or cuDNN) major -> the version whose facts are here, and the file that holds them
CUDA = {
    "cublas": ("cublas", {11: "11.11", 12: "12.9", 13: "13.10"}),
    "cublasLt": ("cublas", {11: "11.11", 12: "12.9", 13: "13.10"}),
    "cudart": ("cudart", {11: "11.8", 12: "12.9", 13: "13.5"}),
    "cudnn": ("cudnn", {8: "8.9", 9: "9.28"}),
}
DRIVER = {11: "11.8", 12: "12.9", 13: "13.5"}  # functions only, and nothing of what exports them
ROCM = {
    "rocblas": ("5.5.1", "6.4.4", "7.2.4"),
    "rocsolver": ("7.2.4",),
    "hipblaslt": ("7.2.4",),
    "miopen": ("6.4.3", "7.2.4"),
}


@dataclass(frozen=True)
class Param:
    ctype: str
    name: str


@dataclass(frozen=True)
class Function:
    """One declared function. `header` has no `.h`; `alias` is the name that a macro turns into this one."""

    name: str
    result: str
    params: tuple[Param, ...]
    header: str = ""
    alias: str = ""
    kind: str = ""  # 'internal': declared by no public header; 'hidden': called through its alias only
    exported_on: tuple[str, ...] = ()

    @property
    def prototype(self) -> str:
        return f"{self.result} {self.name}({', '.join(f'{p.ctype} {p.name}' for p in self.params)})"


def _rows(path: Path) -> list[list[str]]:
    return [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()[1:]]


def _params(text: str) -> tuple[Param, ...]:
    return tuple(Param(*part.rsplit(" ", 1)) for part in text.split(", ")) if text else ()


def _functions(path: Path) -> dict[str, Function]:
    found = {}
    for name, header, alias, kind, exported, result, params in _rows(path):
        systems = tuple("windows" if s == "win" else s for s in exported.split("+") if s)
        found[name] = Function(name, result, _params(params), header, alias, kind, systems)
    return found


@cache
def cuda_functions(library: str, major: int) -> dict[str, Function]:
    """Functions that the headers of one version declare; those of cublasLt lie in cuBLAS's file."""
    stem, versions = CUDA[library]
    found = _functions(HERE / "cuda" / f"{stem}-{versions[major]}.functions.tsv")
    if stem == "cublas":
        return {n: f for n, f in found.items() if n.startswith("cublasLt") == (library == "cublasLt")}
    return found


@cache
def driver_functions(major: int) -> dict[str, Function]:
    """Functions that `cuda.h` of one version declares."""
    return _functions(HERE / "cuda" / f"cuda-{DRIVER[major]}.functions.tsv")


@cache
def cuda_enums(library: str, major: int) -> dict[str, dict[str, int]]:
    stem, versions = CUDA[library]
    return _enums(HERE / "cuda" / f"{stem}-{versions[major]}.enums.tsv")


@cache
def cuda_structs(library: str, major: int, windows: bool = False) -> dict[str, dict[str, int]]:
    """Struct → {'': size, field: offset}."""
    stem, versions = CUDA[library]
    found: dict[str, dict[str, int]] = {}
    for struct, field, linux, win, _ in _rows(HERE / "cuda" / f"{stem}-{versions[major]}.structs.tsv"):
        found.setdefault(struct, {})[field] = int(win if windows else linux)
    return found


@cache
def cuda_macros(library: str, major: int) -> dict[str, str]:
    stem, versions = CUDA[library]
    return dict(row for row in _rows(HERE / "cuda" / f"{stem}-{versions[major]}.macros.tsv"))


@cache
def cuda_names(library: str, major: int) -> list[str]:
    """Types and macros that the headers of one version define, without guards and what they keep for themselves."""
    stem, versions = CUDA[library]
    return [name for name, _ in _rows(HERE / "cuda" / f"{stem}-{versions[major]}.names.tsv")]


@cache
def rocm_functions(library: str, version: str) -> dict[str, Function]:
    rows = _rows(HERE / "rocm" / f"{library}-{version}.functions.tsv")
    return {name: Function(name, result, _params(params)) for name, result, params in rows}


@cache
def rocm_enums(library: str, version: str) -> dict[str, dict[str, int]]:
    return _enums(HERE / "rocm" / f"{library}-{version}.enums.tsv")


@cache
def rocm_structs(library: str, version: str) -> dict[str, int]:
    return {name: int(size) for name, size in _rows(HERE / "rocm" / f"{library}-{version}.structs.tsv")}


@cache
def exports(library: str, major: str | int, system: str = "linux") -> frozenset[str]:
    """Names that the real library exports. `major` is a CUDA major, or the beginning of any version."""
    short = {"windows": "win"}.get(system, system)
    files = [p for p in (HERE / "exports").glob(f"{library}-{major}.*-{short}.txt") if p.is_file()]
    files += [p for p in (HERE / "exports").glob(f"{library}-{major}-{short}.txt") if p.is_file()]
    if len(files) != 1:
        raise FileNotFoundError(f"{len(files)} export lists of {library} {major} on {system}; expected one")
    return frozenset(files[0].read_text(encoding="utf-8").split())


def _enums(path: Path) -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = {}
    for enum, constant, value in _rows(path):
        found.setdefault(enum, {})[constant] = int(value)
    return found


def normal(ctype: str) -> str:
    """One spelling for a C type: `long long int` and `long long`, `T *const[]` and `T *const *` are one, as are `cudaDataType_t`
    and `cudaDataType`."""
    text = " ".join(ctype.replace("*", " * ").replace("[]", " * ").split())
    for longer, shorter in (("long long int", "long long"), ("long int", "long"), ("cudaDataType_t", "cudaDataType")):
        text = text.replace(longer, shorter)
    return text.replace("struct ", "").replace("enum ", "").replace("* ", "*")
