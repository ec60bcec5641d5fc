"""What came of a run: by function, as a terminal table, as JSON, as one self-contained HTML page."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..tables.model import Function

if TYPE_CHECKING:
    from rich.console import Console

# From good to bad; the worst of a function's parts is the function's.
STATES = ("none", "pass", "known", "unexpected", "fail", "sticky", "hang", "crash")
BAD = ("unexpected", "fail", "sticky", "hang", "crash")
FORMAT = 1


@dataclass(frozen=True, slots=True)
class Numbers:
    """Outcome of a numbers test. `error` is the largest error as a fraction of its bound."""

    state: str
    examples: int = 0
    error: float = 0.0
    lines: tuple[str, ...] = ()
    python: str = ""


@dataclass(frozen=True, slots=True)
class Status:
    """Outcome of one status case."""

    case: str
    expected: int | None  # None: any answer
    got: int | None
    state: str
    notes: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        return self.state not in BAD

    @property
    def sentence(self) -> str:
        got = "no answer" if self.got is None else f"answers {self.got}"
        wanted = "an answer" if self.expected is None else str(self.expected)
        return f"{self.case}: {got}, expected {wanted}" + "".join(f"; {n}" for n in self.notes)


@dataclass(frozen=True, slots=True)
class FunctionResult:
    """All that is known of one function after a run."""

    name: str
    entry: str
    type: str
    form: str
    chapter: str
    where: str
    numbers: Numbers | None = None
    statuses: tuple[Status, ...] = ()
    seconds: float = 0.0

    @staticmethod
    def of(function: Function) -> FunctionResult:
        entry = function.entry
        return FunctionResult(
            function.name,
            entry.key,
            function.type.name,
            str(function.form),
            entry.chapter,
            f"{entry.file}:{entry.where.line}",
        )

    @property
    def status_state(self) -> str:
        return worst(s.state for s in self.statuses)

    @property
    def state(self) -> str:
        return worst([self.numbers.state if self.numbers else "none", self.status_state])

    @property
    def ok(self) -> bool:
        return self.state not in BAD


def worst(states: Any) -> str:
    return max(states, key=STATES.index, default="none")


@dataclass(frozen=True, slots=True)
class Report:
    """A run against one subject. Holds no path and no name of a machine: it can be shared."""

    judge: str
    library: str
    cuda: int
    seed: int
    examples: int
    seconds: float
    results: tuple[FunctionResult, ...]

    @property
    def titled(self) -> str:
        """cuDNN counts its own majors, apart from CUDA's."""
        return f"{self.library} {self.cuda}" if self.library == "cudnn" else f"{self.library}, CUDA {self.cuda}"

    @property
    def version(self) -> str:
        """What a call that repeats something says of the version, as further arguments; "" for the one that it takes anyway."""
        word, usual = ("cudnn", 9) if self.library == "cudnn" else ("major", 12)
        return "" if self.cuda == usual else f", {word}={self.cuda}"

    @property
    def ok(self) -> bool:
        return all(r.ok for r in self.results)

    @property
    def failures(self) -> tuple[FunctionResult, ...]:
        return tuple(r for r in self.results if not r.ok)

    def counts(self) -> Counter[str]:
        """Functions by state."""
        return Counter(r.state for r in self.results)

    def confirmed(self) -> tuple[str, ...]:
        """Functions whose numbers this judge confirmed."""
        return tuple(r.name for r in self.results if r.numbers and r.numbers.state == "pass")

    def summary(self) -> str:
        """One line for a terminal."""
        counts = self.counts()
        examples = sum(r.numbers.examples for r in self.results if r.numbers)
        cases = sum(len(r.statuses) for r in self.results)
        words = ", ".join(f"{counts[s]} {s}" for s in STATES if counts[s])
        unjudged = sum(not (r.numbers and r.numbers.examples) for r in self.results)
        also = f", {unjudged} by their answers alone" if unjudged else ""
        return (
            f"{len(self.results)} functions ({words}{also}): {examples} calls judged by {self.judge}, "
            f"{cases} argument checks, {self.seconds:.0f} s"
        )

    def to_json(self) -> str:
        """One JSON document; `load_report` reads it back."""
        raw = asdict(self)
        for result, object_ in zip(raw["results"], self.results, strict=True):
            result["state"] = object_.state
        return json.dumps({"format": FORMAT, **raw}, indent=1, ensure_ascii=False)

    def to_html(self, others: Sequence[Report] = ()) -> str:
        from .html import page

        return page([self, *others])

    def print(self, console: Console, limit: int = 10, words: str = "") -> None:
        """A table by family and type, then the first failures with what repeats them; `words`: its further arguments."""
        from rich.table import Table
        from rich.text import Text

        table = Table(title=f"{self.titled}: {self.judge}", title_justify="left")
        for title, justify in (("chapter", "left"), ("functions", "right"), ("calls", "right"), ("checks", "right")):
            table.add_column(title, justify=justify)  # type: ignore[arg-type]
        table.add_column("largest error / bound", justify="right")
        table.add_column("outcome")
        for chapter in dict.fromkeys(r.chapter for r in self.results):
            rows = [r for r in self.results if r.chapter == chapter]
            counts = Counter(r.state for r in rows)
            table.add_row(
                chapter,
                str(len(rows)),
                str(sum(r.numbers.examples for r in rows if r.numbers)),
                str(sum(len(r.statuses) for r in rows)),
                f"{max((r.numbers.error for r in rows if r.numbers), default=0):.2f}",
                Text(
                    ", ".join(f"{counts[s]} {s}" for s in STATES if counts[s]), style="red" if _bad(counts) else "green"
                ),
            )
        console.print(table)
        for result in self.failures[:limit]:
            console.print(Text(f"{result.name} ({result.where}): {result.state}", style="bold red"))
            for line in told(result, words=self.version + words):
                console.print(Text("  " + line), soft_wrap=True)
        if len(self.failures) > limit:
            console.print(f"… and {len(self.failures) - limit} more; --json has them all")
        console.print(self.summary(), soft_wrap=True)


def told(result: FunctionResult, limit: int = 4, words: str = "") -> list[str]:
    """What is wrong with a function: a few lines, and Python that repeats the call. `words`: what the call says besides, such as
    `, major=13`."""
    lines: list[str] = []
    if result.numbers and result.numbers.state in BAD:
        lines += result.numbers.lines[:limit]
        lines += [f">>> {line}" for line in _with(result.numbers.python, words).splitlines()]
    wrong = [s for s in result.statuses if s.state in BAD]
    lines += [s.sentence for s in wrong[:limit]]
    if wrong:
        suite = "parity.dnn" if result.name.startswith("cudnn") else "parity"
        lines += [
            f">>> from dragoman.{suite} import call",
            ">>> " + _with(f"call({result.name!r}, case={wrong[0].case!r})".replace("'", '"'), words),
        ]
    if len(wrong) > limit:
        lines.append(f"… and {len(wrong) - limit} more argument checks")
    return lines


def _with(call: str, words: str) -> str:
    """The call with further arguments."""
    return call[:-1] + words + ")" if call.endswith(")") else call


def _bad(counts: Counter[str]) -> bool:
    return any(counts[s] for s in BAD)


def load_report(path: Path) -> Report:
    """Read a report that `to_json` wrote."""
    raw = json.loads(path.read_text(encoding="utf-8"))
    if raw.get("format") != FORMAT:
        raise ValueError(f"{path}: not a parity report of format {FORMAT}")
    return Report(
        judge=raw["judge"],
        library=raw["library"],
        cuda=raw["cuda"],
        seed=raw["seed"],
        examples=raw["examples"],
        seconds=raw["seconds"],
        results=tuple(_result(r) for r in raw["results"]),
    )


def _result(raw: dict[str, Any]) -> FunctionResult:
    numbers = raw["numbers"]
    return FunctionResult(
        raw["name"], raw["entry"], raw["type"], raw["form"], raw["chapter"], raw["where"],
        Numbers(**{**numbers, "lines": tuple(numbers["lines"])}) if numbers else None,
        tuple(Status(**{**s, "notes": tuple(s["notes"])}) for s in raw["statuses"]),
        raw["seconds"],
    )  # fmt: skip
