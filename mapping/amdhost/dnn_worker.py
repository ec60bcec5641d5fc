"""A child that makes the cuDNN suite's calls through our libcudnn over AMD's real MIOpen, and says what HIP saw."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings

from ..parity.dnn import golden, procedures
from ..parity.dnn.bench import Bench
from ..parity.dnn.cases import Case, Change, as_python
from ..parity.dnn.draws import strategy
from ..parity.dnn.names import refuses
from ..parity.dnn.registry import PROCEDURES, Procedure
from ..parity.dnn.stage import RefusedError, Stage
from ..parity.dnn.status import StatusCase, status_cases
from ..parity.dnn.subject import LibrarySubject
from ..parity.memory import StickyError
from ..parity.numbers import derived_seed
from ..parity.process import Note
from ..tables.loader import load
from .asked import SHOWN, add, enter, serve_with
from .log import ALL, ON_STREAM, Event, FakeHip, Kind, Rules
from .results import Check, Outcome
from .watched import Watching

# miopenStatus_t of an argument check: NotInitialized, InvalidValue, BadParm, NotImplemented, UnsupportedOp
REFUSALS = (1, 2, 3, 6, 8)
# AMD's functions that answer something else than a status
_NO_STATUS = ("miopenGetErrorString",)


class Watched(Watching, LibrarySubject):
    """Our libcudnn of one version; `events` are those of all calls since `begin`."""

    def __init__(self, folder: Path, version: int, major: int, hip: FakeHip) -> None:
        LibrarySubject.__init__(self, folder, version, "rocm", major)
        Watching.__init__(self, hip, Rules(one_stream=False))
        self.stream = 0

    def begin(self) -> None:
        self.hip.take()
        self.events = []

    def call(self, name: str, arguments: Sequence[Any]) -> Any:
        events: list[Event] = []
        try:
            with self.watched() as events:
                return super().call(name, arguments)
        finally:
            self.events += events

    def set_stream(self, stream: int) -> None:
        """As a program does; what it makes HIP do is judged too."""
        if stream != self.stream:
            status = self.call("cudnnSetStream", [self.handle(), stream])
            if status:
                raise StickyError(f"cudnnSetStream answered {status}")
            self.stream = stream

    def _create(self) -> int:
        made = super()._create()
        self.judge()
        return made


class Worker:
    """Plays the cuDNN suite's calls; `run` is asked one function at a time."""

    def __init__(self, config: dict[str, Any]) -> None:
        self.config = config
        self.tables = load(Path(config["tables"]) if config.get("tables") else None)
        self.hip = FakeHip(Path(config["hip"]))
        self.subjects: dict[int, Watched] = {}
        # A stream that the default one does not wait for, as most programs' are; and the default one.
        self.streams = (0, self.hip.stream(), self.hip.stream())
        self.note = Note(config["scratch"])
        self._made = 0
        self.answers: dict[str, list[tuple[str, int]]] = {}

    def _bench(self, version: int) -> Bench:
        if version not in self.subjects:
            folder = Path(self.config["subject"])
            self.subjects[version] = Watched(folder, version, self.config["major"], self.hip)
        functions = self.tables.functions("cudnn", version)
        lacks = {f.name: dict(f.entry.lacks) for f in functions if f.kind != "unsupported" and f.entry.lacks}
        return Bench(self.subjects[version], lacks)

    def run(self, name: str) -> Outcome:
        procedure = PROCEDURES[name]
        version = next(v for v in (9, 8) if self.tables.function(name, "cudnn") and procedure.prototype.exists(v))
        bench = self._bench(version)
        subject = self.subjects[version]
        outcome = Outcome(name)
        subject.told()
        self.answers = {}
        if not self.config.get("checks_only"):
            self._valid(procedure, bench, subject, outcome)
            self._captured(procedure, bench, subject, outcome)
        self._checks(procedure, bench, subject, outcome)
        outcome.rules = [*outcome.rules, *subject.told()][: 2 * SHOWN]
        return outcome

    # ---- valid calls ----

    def _valid(self, procedure: Procedure, bench: Bench, subject: Watched, outcome: Outcome) -> None:
        @settings(
            max_examples=self.config["examples"],
            database=None,
            deadline=None,
            suppress_health_check=list(HealthCheck),
            phases=(Phase.generate,),
        )
        @seed(derived_seed(procedure.function, self.config["seed"]))
        @given(strategy(procedure.function, procedure.drawing, {}, subject.version))
        def each(case: Case) -> None:
            self._one(procedure, case, bench, subject, outcome)

        each()

    def _one(self, procedure: Procedure, case: Case, bench: Bench, subject: Watched, outcome: Outcome) -> None:
        if procedure.device:
            self._made += 1
            subject.set_stream(self.streams[self._made % len(self.streams)])
        self.note(json.dumps(case.to_json()))
        refusal = self._play(procedure, case, subject)
        events = subject.events
        outcome.calls += 1
        enter(outcome, events)
        _look(outcome, events)
        stray = [e for e in events if e.kind in ON_STREAM and e.stream not in (subject.stream, ALL)]
        if procedure.device and stray:
            add(outcome.rules, f"works on another stream than was set: {stray[0].name}")
        if refusal is not None:
            expected = refuses(refusal.status, subject.version) and (
                bench.lacking(refusal.function, case)
                or bench.lacking(procedure.function, case)
                or golden.refused(procedure.function, procedure.signed(case.values))
            )
            if expected:
                outcome.idle += 1  # NVIDIA's library refuses it too, or the table says that it is lacking
            else:
                line = as_python(case).splitlines()[-1]
                add(outcome.refused, f"{refusal} after {_last(events)}: {line}")
        elif any(e.kind == Kind.LAUNCH for e in events):
            outcome.launched += 1
        else:
            outcome.idle += 1

    def _play(self, procedure: Procedure, case: Case, subject: Watched) -> RefusedError | None:
        """The procedure's calls, without a judgement of what they leave: nothing here computes."""
        import numpy as np

        stage = Stage(subject, case)
        subject.begin()
        try:
            with np.errstate(all="ignore"):
                procedure.body(stage, case.values)
        except RefusedError as refusal:
            return refusal
        finally:
            stage.close()
        return None

    def _captured(self, procedure: Procedure, bench: Bench, subject: Watched, outcome: Outcome) -> None:
        """While its stream is captured; after a call that was not, in which MIOpen compiles and tries its kernels."""
        if not any(p.kind in "pw" for p in procedure.prototype.parameters) or not procedure.device:
            return
        case = Case(procedure.function, golden.baseline(procedure), seed=8)
        subject.set_stream(self.streams[2])
        self.note(json.dumps(case.to_json()))
        self._play(procedure, case, subject)
        outcome.rules += subject.told()
        subject.captured = self.streams[2]
        try:
            refusal = self._play(procedure, case, subject)
        finally:
            subject.captured = 0
        found = subject.told()
        outcome.capture = "; ".join([*([str(refusal)] if refusal else []), *found]) or "ok"

    # ---- wrong arguments ----

    def _checks(self, procedure: Procedure, bench: Bench, subject: Watched, outcome: Outcome) -> None:
        if procedure.device:
            subject.set_stream(0)
        for case in status_cases(procedure, subject.version):
            self.note(json.dumps({"function": procedure.function, "check": case.name}))
            change = self._made_of(case, subject)
            subject.begin()
            got, _ = bench.ask(procedure, change)
            outcome.checks += 1
            answers = [(e.name, e.size) for e in subject.events if e.kind == Kind.ANSWER]
            self.answers[case.name] = [(n, s) for n, s in answers if n not in _NO_STATUS]
            if not case.right(got, subject.version) and len(outcome.wrong) < 4 * SHOWN:
                expected = case.shown(subject.version)
                outcome.wrong.append(Check(case.name, expected, -1 if got is None else got, (_last(subject.events),)))

    @staticmethod
    def _made_of(case: StatusCase, subject: Watched) -> Change:
        if case.handle != "freed":
            return case.change
        freed = subject.handle("freed")
        return Change(case.change.function, dict.fromkeys(case.change.replaced, freed), case.change.twist)


def _last(events: Sequence[Event]) -> str:
    """The last function of AMD's that did not answer with success: who refused."""
    found = [e for e in events if e.kind == Kind.ANSWER and e.size and e.name not in _NO_STATUS]
    if not found:
        return "no refusal of AMD's"
    what = "refuses its arguments" if found[-1].size in REFUSALS else "takes its arguments and fails"
    return f"{found[-1].name} {what} ({found[-1].size})"


def _look(outcome: Outcome, events: Sequence[Event]) -> None:
    """What AMD's functions refuse in a valid call although it succeeds: another way was taken."""
    for e in events:
        if e.kind == Kind.ANSWER and e.size and e.name not in _NO_STATUS:
            add(outcome.notes, f"{e.name} answers {e.size} within a valid call")
    if any(e.kind == Kind.REFUSED for e in events):
        add(outcome.notes, "AMD's library asks for a kernel on an empty grid, which HIP refuses; it goes on")


def main() -> int:
    return serve_with(Worker)


__all__ = ["PROCEDURES", "Watched", "Worker", "main", "procedures"]
