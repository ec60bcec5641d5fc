"""What a coverage report holds, before any format."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

KINDS = ("direct", "translate", "compose", "solver", "host", "unsupported")
MEANING = {
    "direct": "one AMD function, same arguments in the same order",
    "translate": "one AMD function, arguments translated",
    "compose": "several AMD functions, or steps of our own",
    "solver": "AMD's rocSOLVER",
    "host": "answered without the GPU",
    "unsupported": "exported; answers “not supported”, with a reason",
}
UNDOCUMENTED = (
    "in no header of NVIDIA's: its own libraries call these functions, programs do not; they are exported, and refuse"
)
NUMPY, NVIDIA, AMD_HOST, CLIENTS, ABI, CARD = "numpy", "nvidia", "amd-host", "clients", "abi", "card"
JUDGES = {
    NUMPY: "compared with NumPy, on the CPU backend",
    NVIDIA: "argument checks answered as NVIDIA's own library was seen to",
    AMD_HOST: "AMD's own libraries accept each call",
    CLIENTS: "called by a program that others wrote, which gave the right results",
    ABI: "prototype as in NVIDIA's headers, name as among its exports",
    CARD: "on a user's AMD GPU",
}
PROOFS = frozenset((NUMPY, CARD))  # ran on this build and knew the right result; what the others say is less


@dataclass(frozen=True, slots=True)
class Confirmation:
    """One judge that ran and was content. `version` is the judge's own, `date` the day that it ran."""

    name: str
    version: str = ""
    date: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """One exported function."""

    name: str
    kind: str
    targets: tuple[str, ...]  # AMD's functions
    reason: str  # why it is unsupported
    limits: str  # what a supported function refuses all the same
    differs: tuple[str, ...]  # where it answers otherwise than NVIDIA's, or nobody knows, by case
    source: str  # tables/cublas/level3.yaml:6
    judges: tuple[Confirmation, ...]
    chapter: str
    documented: bool = True  # NVIDIA's headers or manuals have it
    alias: str = ""  # the name in a program's source

    @property
    def answered(self) -> bool:
        return self.kind != "unsupported"

    @property
    def confirmed(self) -> bool:
        """A judge that knows the right result ran it on this build. A prototype, an argument check or a call that AMD's
        code accepts are no proof of a number."""
        return any(judge.name in PROOFS for judge in self.judges)


@dataclass(frozen=True, slots=True)
class LibraryCoverage:
    """One library in one version."""

    library: str
    title: str
    major: int  # of CUDA; of the library's own where it counts itself
    cuda: tuple[int, ...]  # the CUDA majors that it is built for
    version: str
    rows: tuple[Row, ...]
    compared: tuple[str, ...] = ()  # what the tables' exports were compared with: "NVIDIA's on linux", …

    @property
    def titled(self) -> str:
        """`cuBLAS for CUDA 12`, `cuDNN 9`."""
        return f"{self.title} for CUDA {self.major}" if self.cuda == (self.major,) else f"{self.title} {self.major}"

    def chapters(self) -> Mapping[str, list[Row]]:
        """Rows by chapter, in the manual's order."""
        found: dict[str, list[Row]] = {}
        for row in self.rows:
            found.setdefault(row.chapter, []).append(row)
        return found


@dataclass(frozen=True, slots=True)
class Coverage:
    """The whole report. `differences` are names that only one of two sources has: each is an error."""

    libraries: tuple[LibraryCoverage, ...]
    differences: tuple[str, ...] = ()

    def to_json(self) -> str:
        return json.dumps(
            {"libraries": [_library(x, cuda) for x in self.libraries for cuda in x.cuda]}, indent=1, ensure_ascii=False
        )


@dataclass(frozen=True, slots=True)
class Count:
    """Documented functions by kind, how many are answered and confirmed, and the undocumented ones beside them."""

    total: int
    undocumented: int
    kinds: Mapping[str, int]
    answered: int
    confirmed: int
    limited: int

    @staticmethod
    def of(rows: Iterable[Row]) -> Count:
        every = list(rows)
        rows = [row for row in every if row.documented]
        return Count(
            total=len(rows),
            undocumented=len(every) - len(rows),
            kinds={kind: sum(row.kind == kind for row in rows) for kind in KINDS},
            answered=sum(row.answered for row in rows),
            confirmed=sum(row.confirmed for row in rows),
            limited=sum(bool(row.limits) for row in rows),
        )


def cuda_of(library: LibraryCoverage) -> str:
    return ", ".join(map(str, library.cuda))


def percent(part: int, whole: int) -> str:
    """Never 100 % unless it is all, never 0 % unless it is nothing."""
    if not whole:
        return "–"
    value = round(100 * part / whole)
    return f"{max(1, min(99, value)) if 0 < part < whole else value} %"


def _library(library: LibraryCoverage, cuda: int) -> dict[str, Any]:
    return {
        "library": library.library,
        "cuda": cuda,
        "version": library.version,
        "functions": [
            {
                "name": row.name,
                "kind": row.kind,
                "targets": list(row.targets),
                "reason": row.reason,
                "limits": row.limits,
                "differs": list(row.differs),
                "source": row.source,
                "judges": [{"name": j.name, "version": j.version, "date": j.date} for j in row.judges],
            }
            for row in library.rows
        ],
    }
