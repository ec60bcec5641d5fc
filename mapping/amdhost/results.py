"""What AMD's host code said, function by function, and how it is kept: a JSON file a release, with the day."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import date
from functools import lru_cache
from pathlib import Path
from typing import Any

from .. import paths
from ..tables.model import Entry
from .releases import ASKED

FORMAT = 1
STATES = ("pass", "absent", "fail", "crash", "hang")  # absent: not in the release, and refused as it should be
BAD = ("fail", "crash", "hang")


@dataclass(frozen=True, slots=True)
class Check:
    """One argument check that was answered otherwise than expected."""

    case: str
    expected: int | None
    got: int
    reached: tuple[str, ...] = ()  # AMD's functions that were entered


@dataclass(slots=True)
class Outcome:
    """One function at one release."""

    name: str
    calls: int = 0  # valid calls made
    launched: int = 0  # of them, with a kernel
    idle: int = 0  # without one, and rightly: nothing was to be done
    refused: list[str] = field(
        default_factory=list
    )  # valid calls that AMD refuses: status and Python that repeats them
    lost: list[str] = field(default_factory=list)  # accepted, but nothing was launched
    checks: int = 0
    wrong: list[Check] = field(default_factory=list)
    rules: list[str] = field(default_factory=list)  # what HIP was asked for that it must not be
    devices: int = 0  # how many it was called on, each with a handle of its own
    capture: str = ""  # how a captured call went: "" where none was made
    amd: list[str] = field(default_factory=list)  # AMD's functions that were entered
    notes: list[str] = field(default_factory=list)
    state: str = "pass"

    def settle(self, known: Mapping[str, str]) -> None:
        """The state, and away with what is known: a difference with its reason is a note."""
        for case, reason in known.items():
            if any(c.case == case for c in self.wrong):
                self.wrong = [c for c in self.wrong if c.case != case]
                self.notes.append(f"{case}: {reason}")
            elif case in self.refused:
                self.refused.remove(case)
                self.notes.append(reason)
        if self.state not in ("pass", "fail"):
            return
        self.state = "fail" if self.refused or self.lost or self.wrong or self.rules else "pass"


@dataclass(frozen=True, slots=True)
class Record:
    """A run over one release. It names no machine and no path."""

    release: str
    packages: dict[str, str]  # name -> version, the first library's first; empty where the release was not to be had
    date: str
    library: str
    cuda: int
    examples: int
    entries: dict[str, str]  # table entry -> digest of its lines: what was judged
    outcomes: tuple[Outcome, ...]
    behaviours: dict[str, list[str]] = field(default_factory=dict)  # name -> what was wrong
    cpu_compared: int = 0  # argument checks that reached AMD's library and the CPU backend's
    cpu_differs: list[str] = field(default_factory=list)
    missing: str = ""  # why the release was not to be had

    @property
    def version(self) -> str:
        """7.2.4-1~exp1 → 7.2.4: of the first library."""
        return re.split(r"[+~-]", next(iter(self.packages.values()), ""))[0]

    @property
    def title(self) -> str:
        """rocBLAS, MIOpen: the first of the libraries that were asked."""
        return ASKED[self.library].over[0].title

    @property
    def ok(self) -> bool:
        right = not self.missing and all(o.state not in BAD for o in self.outcomes)
        return right and not any(self.behaviours.values())

    def counts(self) -> Counter[str]:
        return Counter(o.state for o in self.outcomes)

    def summary(self) -> str:
        """One line for a terminal."""
        if self.missing:
            return self.missing
        states = self.counts()
        words = ", ".join(f"{states[s]} {s}" for s in STATES if states[s])
        calls, launched, idle = (sum(getattr(o, w) for o in self.outcomes) for w in ("calls", "launched", "idle"))
        checks, wrong = sum(o.checks for o in self.outcomes), sum(len(o.wrong) for o in self.outcomes)
        return (
            f"ROCm {self.release} ({self.title} {self.version}): {len(self.outcomes)} functions ({words}); {calls} calls, "
            f"{launched} with a kernel, {idle} with nothing to do; {checks} argument checks, {wrong} answered otherwise"
        )

    def to_json(self) -> str:
        """One line a function, so that a difference between two runs can be read."""
        raw = asdict(self)
        outcomes = raw.pop("outcomes")
        head = json.dumps({"format": FORMAT, **raw}, indent=1, ensure_ascii=False).removesuffix("\n}")
        lines = ",\n  ".join(json.dumps(_short(o), ensure_ascii=False) for o in outcomes)
        return f'{head},\n "outcomes": [\n  {lines}\n ]\n}}\n'


def not_had(release: str, library: str, cuda: int, why: str) -> Record:
    """The record of a release that could not be fetched."""
    return Record(release, {}, date.today().isoformat(), library, cuda, 0, {}, (), missing=why)


def _short(outcome: Mapping[str, Any]) -> dict[str, Any]:
    return {k: v for k, v in outcome.items() if v not in ([], "", 0)}


def load(path: Path) -> Record:
    """Read a kept record. Raises ValueError where its format is another."""
    raw = json.loads(path.read_text(encoding="utf-8"))
    if raw.pop("format", None) != FORMAT:
        raise ValueError(f"{path.name}: not a record of format {FORMAT}")
    raw["outcomes"] = tuple(outcome(o) for o in raw["outcomes"])
    return Record(**raw)


def file_name(library: str, release: str) -> str:
    return f"{library}-{release}.json"


def place(library: str, release: str) -> Path:
    """The record that goes with this version of dragoman: the last run whose results were kept."""
    return Path(__file__).parent / "records" / file_name(library, release)


@lru_cache(maxsize=8)
def recorded(library: str, release: str) -> Record | None:
    """Read once: coverage asks for each library and version."""
    path = place(library, release)
    return load(path) if path.is_file() else None


def digest(entry: Entry) -> str:
    """Of the lines of a table entry: a judgement holds while they stay as they are."""
    lines = _lines(entry.file)
    first = entry.where.line - 1
    last = next((i for i in range(first + 1, len(lines)) if re.match(r"\S", lines[i])), len(lines))
    text = "\n".join(line for line in lines[first:last] if line.strip())
    return hashlib.sha256(text.encode()).hexdigest()[:16]


@lru_cache(maxsize=64)
def _lines(file: str) -> list[str]:
    path = paths.tables_dir().parent / file
    if not path.is_file():
        path = paths.tables_dir() / Path(file).relative_to("tables")
    return path.read_text(encoding="utf-8").splitlines()


def outcome(raw: Mapping[str, Any]) -> Outcome:
    values = dict(raw)
    values["wrong"] = [Check(c["case"], c["expected"], c["got"], tuple(c["reached"])) for c in raw.get("wrong", ())]
    return Outcome(**values)


def together(lines: Iterable[tuple[str, Sequence[str]]]) -> list[str]:
    """Lines said of several functions, once, with how many they are."""
    whose: dict[str, list[str]] = {}
    for name, said in lines:
        for line in dict.fromkeys(said):
            whose.setdefault(line, []).append(name)
    return [f"{line}  ({_names(names)})" for line, names in sorted(whose.items(), key=lambda x: -len(x[1]))]


def _names(names: Sequence[str]) -> str:
    return ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")
