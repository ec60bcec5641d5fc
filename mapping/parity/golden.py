"""NVIDIA's own answers to the status cases, recorded once on its hardware, and where we answer otherwise on purpose.

Refresh, on an NVIDIA machine, from a report of a run against the real libraries:

    python -m dragoman.parity.golden "cuBLAS 13.1 on an H200" REPORT.json [REPORT.json …]
"""

from __future__ import annotations

import fnmatch
import json
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

PATH = Path(__file__).parent / "goldens" / "statuses.json"
FORMAT = 1
DEATHS = ("crash", "sticky")  # the process died, or the device was lost; who did not answer in time may have been busy
Recorded = dict[str, dict[str, dict[str, Any]]]  # library → entry → case → status or death, or symbol → one of them


@dataclass(frozen=True, slots=True)
class Departure:
    """Cases in which NVIDIA's answer is an accident that nobody can rely on, and what we answer."""

    entry: str
    case: str
    expected: int
    reason: str


_NO_COMPUTE = "a compute type that is none is NOT_SUPPORTED here, as in GemmEx; NVIDIA's says INVALID_VALUE of some"
_ANY_C = "NVIDIA's does not look at C's type and writes what it likes into it"
DEPARTURES: tuple[Departure, ...] = (
    Departure("gemv*", "trans = 3", 7, "only gemv takes CONJG, undocumented; rocBLAS has no such operation"),
    Departure("geam", "alpha NULL", 7, "NVIDIA's geam treats a NULL scalar as 0"),
    Departure("geam", "beta NULL", 7, "NVIDIA's geam treats a NULL scalar as 0"),
    Departure("gemv*atched", "batchCount = -1", 7, "NVIDIA's answers EXECUTION_FAILED: the launch fails"),
    Departure("Gemm*BatchedEx", "batchCount = -1", 7, "NVIDIA's launches it (status 0 or EXECUTION_FAILED)"),
    Departure("Gemm*BatchedEx", "batchCount = 1 - 2^32", 7, "NVIDIA's launches it (status 0 or EXECUTION_FAILED)"),
    Departure("getrsBatched", "batchSize = -1", 7, "NVIDIA's answers EXECUTION_FAILED: the launch fails"),
    Departure("getrsBatched", "batchSize = 0", 0, "NVIDIA's answers EXECUTION_FAILED: the launch fails"),
    Departure("Dot*Ex", "result NULL", 7, "NVIDIA's answers MAPPING_ERROR: its copy fails"),
    Departure("herk*Ex", "leading dimensions = 2^33", 0, "NVIDIA's _64 form answers INTERNAL_ERROR beyond 32 bits"),
    Departure("Gemm*BatchedEx", "computeType = 1000", 15, _NO_COMPUTE),
    Departure("*rk*Ex", "Ctype = CUDA_C_*", 15, _ANY_C),
    Departure("*rk*Ex", "Ctype = CUDA_R_16*", 15, _ANY_C),
    Departure("*rk*Ex", "Ctype = CUDA_R_32*", 15, _ANY_C),
    Departure("*rk*Ex", "Ctype = CUDA_R_64F", 15, _ANY_C),
    Departure("*rk*Ex", "Ctype = CUDA_R_8[IU]", 15, _ANY_C),
    Departure("*rk*Ex", "ci8 c32", 0, "documented, but refused by the H200's"),
    Departure(
        "GemmStridedBatchedEx", "COMPUTE_32I* i8 i8 i32", 0, "NVIDIA's takes bytes only in sizes of multiples of 4"
    ),
    Departure("RotmgEx", "y1 NULL", 7, "NVIDIA's reads y1 only where the other values call for it"),
    Departure("rotmg", "y1 NULL", 7, "NVIDIA's reads y1 only where the other values call for it"),
    Departure(
        "Xt*",
        "* = -1",
        7,
        "sizes are size_t; NVIDIA's takes the huge number, does nothing, writes out of bounds or dies",
    ),
    Departure(
        "Xt*", "* = 1 - 2^32", 7, "sizes are size_t; NVIDIA's takes the huge number, does nothing, hangs or dies"
    ),
    Departure("trsmBatched", "leading dimensions = 2^33", 0, "NVIDIA's _64 form answers NOT_SUPPORTED beyond 32 bits"),
)


@lru_cache(maxsize=1)
def recorded() -> Recorded:
    """All recorded answers; empty where the file is missing."""
    if not PATH.exists():
        return {}
    raw = json.loads(PATH.read_text(encoding="utf-8"))
    if raw.get("format") != FORMAT:
        raise ValueError(f"{PATH.name}: expected format {FORMAT}, found {raw.get('format')!r}")
    found: Recorded = raw["statuses"]
    return found


def answer(library: str, entry: str, symbol: str, case: str) -> int | None:
    """NVIDIA's answer to one case of one function, where it was seen and was an answer: None where it died."""
    value = recorded().get(library, {}).get(entry, {}).get(case)
    if isinstance(value, Mapping):
        value = value.get(symbol)
    return value if isinstance(value, int) else None


def departure(entry: str, case: str) -> Departure | None:
    for line in DEPARTURES:
        if fnmatch.fnmatchcase(entry, line.entry) and fnmatch.fnmatchcase(case, line.case):
            return line
    return None


def gather(reports: Iterable[Mapping[str, Any]]) -> Recorded:
    """Answers of several reports, by entry; by symbol where types or forms of an entry differ. What a library died of has the
    word for it; what was not answered in time is left out."""
    seen: dict[tuple[str, str, str], dict[str, int | str]] = {}
    for report in reports:
        for result in report["results"]:
            for status in result["statuses"]:
                answered = status["got"] is not None and status["state"] in ("pass", "fail")
                if answered or status["state"] in DEATHS:
                    place = (report["library"], result["entry"], status["case"])
                    seen.setdefault(place, {})[result["name"]] = status["got"] if answered else status["state"]
    found: Recorded = {}
    for (library, entry, case), by_symbol in seen.items():
        values = set(by_symbol.values())
        found.setdefault(library, {}).setdefault(entry, {})[case] = values.pop() if len(values) == 1 else by_symbol
    return found


def merged(old: Recorded, new: Recorded) -> Recorded:
    """`new` over `old`, case by case."""
    found = {library: {e: dict(c) for e, c in entries.items()} for library, entries in old.items()}
    for library, entries in new.items():
        for entry, cases in entries.items():
            found.setdefault(library, {}).setdefault(entry, {}).update(cases)
    return found


def text(statuses: Recorded, seen_on: str) -> str:
    """The file: one line an entry, in sorted order, no date."""
    head = {"format": FORMAT, "seen_on": seen_on}
    lines = [f'{json.dumps(head)[:-1]}, "statuses": {{']
    for i, (library, entries) in enumerate(sorted(statuses.items())):
        lines.append(f" {json.dumps(library)}: {{")
        rows = [
            f"  {json.dumps(e)}: {json.dumps(dict(sorted(c.items())), sort_keys=True)}"
            for e, c in sorted(entries.items())
        ]
        lines.append(",\n".join(rows))
        lines.append(" }" + ("," if i + 1 < len(statuses) else ""))
    return "\n".join([*lines, "}}"]) + "\n"


def main(arguments: list[str]) -> int:
    if len(arguments) < 2:
        print("usage: python -m dragoman.parity.golden SEEN_ON REPORT.json …", file=sys.stderr)
        return 2
    seen_on, *names = arguments
    reports = [json.loads(Path(name).read_text(encoding="utf-8")) for name in names]
    PATH.parent.mkdir(exist_ok=True)
    PATH.write_text(text(gather(reports), seen_on), encoding="utf-8")
    print(f"wrote {PATH}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
