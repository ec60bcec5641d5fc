"""What judges have confirmed, kept in the user's cache: one file a judge, library and CUDA major.

A record belongs to one build: it carries a digest of the libraries that were judged, and counts for no others.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import paths
from ..tables.model import LibraryVersion
from .model import NVIDIA, Confirmation

if TYPE_CHECKING:
    from ..parity.report import Report

FORMAT = 1
_CORE = ("libdragoman_core.so.*", "dragoman_core_*.dll")
_LARGE = 16 << 20  # OpenBLAS: known by its size


@dataclass(frozen=True, slots=True)
class Judged:
    """Outcome of one function at one judge."""

    passed: bool
    confirmation: Confirmation


def build_digest(folder: Path, version: LibraryVersion) -> str:
    """Of the library, the core beside it and the CPU backend: what took part in a judgement. '' if not there."""
    system = folder.parent.name
    file = folder / version.file_name(system)
    if not file.is_file():
        return ""
    state = hashlib.sha256()
    cores = [p for pattern in _CORE for p in folder.glob(pattern)]
    backend = [p for p in (folder.parent / "cpu").glob("*") if ".so" in p.name or p.suffix == ".dll"]
    for path in (file, *sorted(cores), *sorted(backend)):
        size = path.stat().st_size
        state.update(f"{path.name} {size}\n".encode())
        if size < _LARGE:
            state.update(path.read_bytes())
    return state.hexdigest()


def place(judge: str, library: str, major: int) -> Path:
    return paths.cache_dir() / "judges" / f"{judge}-{library}-cuda{major}.json"


def keep(report: Report, judge: str, judge_version: str, digest: str) -> Path:
    """Add a run's outcome to what is known of this build."""
    outcomes = {
        r.name: r.numbers.state == "pass" and r.ok
        for r in report.results
        if r.numbers is not None and r.numbers.state != "none"  # else it did not really run
    }
    return _add(report, judge, judge_version, digest, outcomes)


def keep_answers(report: Report, digest: str) -> Path:
    """Add, for the judge `nvidia`, which functions answered each argument check as NVIDIA's own library was seen to.

    Cases that it was not asked say nothing, and a function of which none was asked is not judged."""
    from ..parity.recorded import answer, seen_on

    outcomes: dict[str, bool] = {}
    for result in report.results:
        for status in result.statuses:
            theirs = answer(report, result, status.case)
            if theirs is not None:
                outcomes[result.name] = outcomes.get(result.name, True) and status.got == theirs
    return _add(report, NVIDIA, seen_on(report), digest, outcomes)


def _add(report: Report, judge: str, judge_version: str, digest: str, outcomes: Mapping[str, bool]) -> Path:
    path = place(judge, report.library, report.cuda)
    known = _read(path, digest)
    today = date.today().isoformat()
    for name, passed in outcomes.items():
        known[name] = {"passed": passed, "version": judge_version, "date": today}
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_suffix(".part")
    text = json.dumps({"format": FORMAT, "build": digest, "functions": dict(sorted(known.items()))}, indent=1)
    new.write_text(text, encoding="utf-8")
    new.replace(path)
    return path


def load(judge: str, library: str, major: int, digest: str) -> Mapping[str, Judged]:
    """What a judge said of this build, by function."""
    return {
        name: Judged(bool(raw["passed"]), Confirmation(judge, str(raw["version"]), str(raw["date"])))
        for name, raw in _read(place(judge, library, major), digest).items()
    }


def _read(path: Path, digest: str) -> dict[str, dict[str, Any]]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        if digest and content["format"] == FORMAT and content["build"] == digest:
            return dict(content["functions"])
    except (OSError, ValueError, KeyError, TypeError):
        pass  # none yet, or another release's: as if nobody had judged
    return {}
