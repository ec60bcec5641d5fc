"""NVIDIA's own answers: statuses of changed calls, and configurations that its library does not support.

Refreshed from reports of runs against the real libraries:

    python -m dragoman.parity.dnn --record "cuDNN 9.19 on an H200" REPORT.json [REPORT.json …]
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .cases import Values
from .names import in_version

if TYPE_CHECKING:
    from .registry import Procedure

FORMAT = 1
# Answers that tell of the machine, not of the arguments: no device, a part of the library that cannot be loaded.
_SURROUNDINGS = {9: (1001, 1002, 1008), 8: (1, 14)}
DIES = "dies"  # NVIDIA's library does, of these arguments
REFUSAL = "refused: "  # how a report's lines begin that tell of an unsupported configuration


def path(version: int) -> Path:
    return Path(__file__).parent / "goldens" / f"cudnn{version}.json"


@lru_cache(maxsize=2)
def recorded(version: int) -> dict[str, Any]:
    """`seen_on`; `statuses`: function → case → status; `refused`: function → configurations."""
    file = path(version)
    if not file.exists():
        return {"seen_on": [], "statuses": {}, "refused": {}}
    raw: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    if raw.get("format") != FORMAT:
        raise ValueError(f"{file.name}: expected format {FORMAT}, found {raw.get('format')!r}")
    return raw


def answer(function: str, case: str, version: int) -> int | str | None:
    """NVIDIA's status for a changed call, or `DIES`, where it was seen. Version 8's own, else 9's in 8's numbers."""
    value: int | str | None = recorded(version)["statuses"].get(function, {}).get(case)
    if value is None and version == 8:
        value = recorded(9)["statuses"].get(function, {}).get(case)
        return in_version(value, 8) if isinstance(value, int) else value
    return value


def refused(function: str, configuration: str) -> bool:
    """Whether NVIDIA's library was seen to refuse a configuration."""
    return any(configuration in recorded(version)["refused"].get(function, ()) for version in (8, 9))


def baseline(procedure: Procedure) -> Values:
    """The small valid case that status cases change."""
    return Values(procedure.base)


def gather(reports: Iterable[Mapping[str, Any]], before: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Answers of several reports on top of what was known; the later report counts."""
    statuses: dict[str, dict[str, int | str]] = {k: dict(v) for k, v in (before or {}).get("statuses", {}).items()}
    refusals: dict[str, set[str]] = {k: set(v) for k, v in (before or {}).get("refused", {}).items()}
    for report in reports:
        for result in report["results"]:
            for status in result["statuses"]:
                seen = statuses.setdefault(result["name"], {})
                if status["got"] in _SURROUNDINGS.get(report["cuda"], ()):
                    continue
                if status["got"] is not None and status["state"] in ("pass", "fail"):
                    seen[status["case"]] = status["got"]
                elif status["state"] in ("crash", "sticky"):
                    seen[status["case"]] = DIES
            for line in (result["numbers"] or {}).get("lines", ()):
                if line.startswith(REFUSAL):
                    refusals.setdefault(result["name"], set()).add(line.removeprefix(REFUSAL).split(": ")[0])
    return {"statuses": statuses, "refused": {k: sorted(v) for k, v in refusals.items()}}


def text(answers: Mapping[str, Any], seen_on: Sequence[str]) -> str:
    """The file: one line a function, in sorted order, no date."""
    lines = [f'{{"format": {FORMAT}, "seen_on": {json.dumps(list(seen_on))},']
    for part, last in (("statuses", False), ("refused", True)):
        rows = [
            f"  {json.dumps(name)}: {json.dumps(value, sort_keys=True)}"
            for name, value in sorted(answers[part].items())
        ]
        lines.append(f' "{part}": {{')
        lines.append(",\n".join(rows))
        lines.append(" }" + ("" if last else ","))
    return "\n".join([*lines, "}"]) + "\n"


def record(reports: Iterable[Mapping[str, Any]], seen_on: str, version: int) -> None:
    """Add the answers of reports to the version's file."""
    before = recorded(version)
    places = list(dict.fromkeys([*before["seen_on"], seen_on]))
    file = path(version)
    file.parent.mkdir(exist_ok=True)
    file.write_text(text(gather(reports, before), places), encoding="utf-8")
    recorded.cache_clear()
