"""A child that makes the parity suite's calls through our libraries over AMD's real ones, and says what HIP saw.

One JSON line a function in, one out; the call that comes next is kept in a scratch file, so that the parent can tell
which one a dead child died of."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings

from ..parity.cases import BY_MODE, Case, all_params, as_python
from ..parity.check import Workbench
from ..parity.memory import StickyError
from ..parity.numbers import derived_seed
from ..parity.procedures.registry import procedure_of
from ..parity.procedures.running import repeat
from ..parity.procedures.trial import Bench, StatusError, Trial, WrongError
from ..parity.process import Note
from ..parity.status import HUGE_LD, OVER_INT, StatusCase, baseline, status_cases
from ..parity.strategies import cases, why_untested
from ..parity.subject import LibrarySubject
from ..tables.loader import load
from ..tables.model import Function, Tables
from .asked import SHOWN, add, enter, entered, serve_with
from .log import ALL, ON_STREAM, Event, FakeHip, Kind, Rules, astray
from .results import Check, Outcome
from .watched import Watching

SECOND = 1  # the fake has two devices


class Watched(Watching, LibrarySubject):
    """Our libraries; `events` are those of the last call."""

    def __init__(self, folder: Path, tables: Tables, major: int, hip: Path) -> None:
        LibrarySubject.__init__(self, folder, tables, major)
        Watching.__init__(self, FakeHip(hip), Rules())
        self.judge()  # what making it has done
        self._stream = 0
        self._there: tuple[int, int] | None = None  # a handle of the second device, and a stream of its own

    def invoke(self, function: Function, arguments: Sequence[Any]) -> Any:
        with self.watched() as self.events:
            return super().invoke(function, arguments)

    def set_stream(self, stream: int) -> None:
        """As a program does; what it makes HIP do is judged too."""
        if stream != self._stream:
            self.hip.take()
            status = self.call("cublasSetStream_v2", self.handle(), stream)
            self.judge()
            if status:
                raise StickyError(f"cublasSetStream_v2 answered {status}")
            self._stream = stream

    @contextmanager
    def on_second_device(self) -> Iterator[None]:
        """Its own handle, on a stream of its own, while the second device is current; broken rules are left in `told`."""
        self.hip.choose(SECOND)
        self.hip.take()
        if self._there is None:
            self._there = self._create(), self.hip.stream()
            if self.call("cublasSetStream_v2", *self._there):
                raise StickyError("a handle of the second device takes no stream")
            self.rules.broken(self.hip.take())
        before = self._handle, self._stream, self._mode
        (self._handle, self._stream), self._mode = self._there, False
        try:
            yield
            self.pointer_mode(False)
            if self.hip.chosen() != SECOND:
                self.broken_rules.append(f"device {self.hip.chosen()} is current after a call, it was {SECOND}")
        finally:
            self._handle, self._stream, self._mode = before
            self.hip.choose(0)

    def call(self, name: str, *arguments: int) -> int:
        entry = getattr(self._cublas, name)
        return int(entry(*(ctypes.c_void_p(a) for a in arguments)))


class Told(Trial):
    """A procedure's example, and what its function made HIP do. `stream`: what its handles get; `captured` while it is called."""

    def __init__(self, bench: Bench, subject: Watched, function: Function, number: int, stream: int) -> None:
        super().__init__(bench, function, number)
        self.subject, self.stream_set, self.captured = subject, stream, False
        self.events: list[Event] = []

    def create(self) -> int:
        made = super().create()
        self.done("cublasSetStream_v2", made, self.stream_set)
        return made

    def call(self, name: str, *arguments: Any) -> Any:
        own = name == self.function.name
        self.subject.captured = self.stream_set if own and self.captured else 0
        try:
            return super().call(name, *arguments)
        finally:
            self.subject.captured = 0
            if own:
                self.events += self.subject.events


class Worker:
    """Plays the cuBLAS suite's calls; `run` is asked one function at a time."""

    def __init__(self, config: dict[str, Any]) -> None:
        self.config = config
        self.tables = load(Path(config["tables"]) if config.get("tables") else None)
        folder = Path(config["subject"])
        self.subject = Watched(folder, self.tables, config["major"], Path(config["hip"]))
        self.bench = Workbench(self.subject)
        self.trials = Bench(self.subject, self.tables, config["major"], cpu=False)
        # A stream that the default one does not wait for, as most programs' are; and the default one.
        self.streams = (0, self.subject.hip.stream(), self.subject.hip.stream())
        self.note = Note(config["scratch"])
        self._made = 0
        self.answers: dict[str, list[tuple[str, int]]] = {}  # of argument checks: AMD's functions and their statuses

    def run(self, name: str) -> Outcome:
        function = self.tables.function(name, self.config["library"])
        assert function is not None
        outcome = Outcome(name)
        self.subject.told()
        self.answers = {}
        if not why_untested(function) and not self.config.get("checks_only"):
            self._valid(function, outcome)
            self._captured(function, outcome)
            self._elsewhere(function, outcome)
            if function.form.wide:
                self._wide(function, outcome)
        elif procedure_of(function) and not self.config.get("checks_only"):
            self._tried(function, outcome)
        self._checks(function, outcome)
        outcome.rules = [*outcome.rules, *self.subject.told()][: 2 * SHOWN]
        return outcome

    # ---- valid calls ----

    def _valid(self, function: Function, outcome: Outcome) -> None:
        @settings(
            max_examples=self.config["examples"],
            database=None,
            deadline=None,
            suppress_health_check=list(HealthCheck),
            phases=(Phase.generate,),
        )
        @seed(derived_seed(function.name, self.config["seed"]))
        @given(cases(function))
        def each(case: Case) -> None:
            self._one(function, case, outcome)

        each()

    def _one(self, function: Function, case: Case, outcome: Outcome) -> None:
        if function.form.base != "v1":
            self._made += 1
            self.subject.set_stream(self.streams[self._made % len(self.streams)])
        self.note(as_python(case, function.entry))
        result = self.bench.run(function, case)
        self._judge(function, case, result.status, result.ok, outcome)

    def _judge(self, function: Function, case: Case, status: int, right: bool, outcome: Outcome) -> None:
        events = self.subject.events
        outcome.calls += 1
        enter(outcome, events)
        if status:
            add(outcome.refused, f"status {status}: {_line(case, function)}")
            return
        if any(e.kind == Kind.LAUNCH for e in events):
            outcome.launched += 1
        elif right:
            outcome.idle += 1  # what is in memory now is what the oracle asks for
        elif any(e.kind in (Kind.SET, Kind.COPY) for e in events):
            outcome.launched += 1
            add(outcome.notes, "copies, where others launch a kernel")
        else:
            add(outcome.lost, _line(case, function))
        self._look(events, outcome)

    def _tried(self, function: Function, outcome: Outcome) -> None:
        """The examples of a function that a procedure tries; one under capture, one on the second device."""
        telling = 0  # an example that reaches AMD's library: some have no member
        for number in reversed(range(self.config["examples"])):
            stream = self.streams[number % len(self.streams)]
            trial = Told(self.trials, self.subject, function, number, stream)
            right, refusal = self._try(trial, outcome)
            outcome.calls += 1
            telling = number if entered(trial.events) else telling
            if refusal:
                add(outcome.refused, refusal)
            elif any(e.kind == Kind.LAUNCH for e in trial.events):
                outcome.launched += 1
            elif right:
                outcome.idle += 1
            else:
                add(outcome.lost, repeat(function, number))
            stray = [e for e in trial.events if e.kind in ON_STREAM and e.stream not in (stream, ALL)]
            if stray:
                add(outcome.rules, f"works on another stream than was set: {stray[0].name}")
        outcome.rules += self.subject.told()
        trial = Told(self.trials, self.subject, function, telling, self.streams[2])
        trial.captured = True
        _, refusal = self._try(trial, outcome)
        outcome.rules += self.subject.told()
        outcome.capture = refusal or "ok"
        self.subject.hip.choose(SECOND)
        try:
            trial = Told(self.trials, self.subject, function, telling, self.subject.hip.stream())
            _, refusal = self._try(trial, outcome)
        finally:
            self.subject.hip.choose(0)
        outcome.rules += [refusal] if refusal else []
        for line in astray(trial.events, SECOND):
            add(outcome.rules, line)
        outcome.devices = 2

    def _try(self, trial: Told, outcome: Outcome) -> tuple[bool, str]:
        """Whether the results are in memory, and how a call was refused."""
        self.note(repeat(trial.function, trial.number))
        try:
            procedure = procedure_of(trial.function)
            assert procedure is not None
            procedure.body(trial)
        except StatusError as error:
            return False, str(error)
        except WrongError:
            return False, ""
        finally:
            enter(outcome, trial.events)
        return True, ""

    def _look(self, events: Sequence[Event], outcome: Outcome) -> None:
        """What is no fault, but worth knowing."""
        if any(e.kind == Kind.REFUSED for e in events):
            add(outcome.notes, "AMD's library asks for a kernel on an empty grid, which HIP refuses; it goes on")
        made = any(e.kind == Kind.CREATED for e in events)  # cuBLAS's first API makes its handle when it is first used
        if not made and any(e.kind in (Kind.ALLOC, Kind.FREE) for e in events):
            add(outcome.notes, "allocates or frees within a call")
        for i, e in enumerate(events):
            stream = next((b.stream for b in reversed(events[:i]) if b.kind == Kind.LAUNCH), 0)
            if e.kind == Kind.COPY and stream:
                add(
                    outcome.notes,
                    f"{e.name} on the default stream fetches a result that a non-blocking stream may still be computing",
                )
        own = {self.subject._stream, ALL}
        stray = [e for e in events if e.kind in ON_STREAM and e.stream not in own]
        if stray:
            add(outcome.rules, f"works on another stream than was set: {stray[0].name}")

    def _captured(self, function: Function, outcome: Outcome) -> None:
        """While its stream is captured, with scalars in host memory and in device memory. What gives a result back
        has to wait for it where that goes to the host: no library can do that under capture."""
        if function.form.base == "v1":
            return
        kinds = {p.kind.core.name for p in all_params(function)}
        modes = [False] if "result" not in kinds else []
        modes += [True] if kinds & set(BY_MODE) else []
        said = []
        for device in modes:
            found, status = self._capture(function, device, outcome)
            where = "device" if device else "host"
            if found:
                said.append(f"{where} mode: status {status}; {'; '.join(found)}")
                # AMD's library fetches scalars from the device and waits: known of it, and a limit.
                if not device or "result" in kinds:
                    outcome.rules += found
            elif status:
                said.append(f"{where} mode: refused with {status}, nothing was done")
        outcome.capture = " | ".join(said) or "ok"

    def _capture(self, function: Function, device: bool, outcome: Outcome) -> tuple[list[str], int]:
        self.subject.set_stream(self.streams[2])
        self.note(f"{function.name} captured")
        outcome.rules += self.subject.told()
        self.subject.captured = self.streams[2]
        try:
            result = self.bench.run(function, replace(baseline(function), device=device))
        finally:
            self.subject.captured = 0
        enter(outcome, self.subject.events)
        return self.subject.told(), result.status

    def _elsewhere(self, function: Function, outcome: Outcome) -> None:
        """On a handle of the second device, while that is current: all work and memory is there, and it stays current.
        cuBLAS's first API has one handle a process, of the device that was current first."""
        if function.form.base == "v1":
            return
        self.note(f"{function.name} on device {SECOND}")
        outcome.rules += self.subject.told()
        with self.subject.on_second_device():
            result = self.bench.run(function, baseline(function))
        enter(outcome, self.subject.events)
        if result.status and not outcome.refused:
            add(outcome.rules, f"status {result.status} on device {SECOND}")
        for line in astray(self.subject.events, SECOND):
            add(outcome.rules, line)
        outcome.devices = 2

    def _wide(self, function: Function, outcome: Outcome) -> None:
        """Sizes beyond 32 bits, with work to do: nobody computes here, so nobody needs the memory. What AMD's `_64`
        forms refuse is worth knowing, and no fault of the call."""
        self.subject.set_stream(0)
        base = baseline(function)
        for p in function.params:
            if p.kind.name != "dim":
                continue
            replaced = {p.name: OVER_INT} | {q.name: HUGE_LD for q in function.params if q.kind.name == "ld"}
            name = f"{p.name} = 2^31 + 5"
            self.note(f"{function.name}: {name}")
            status, _ = self.bench.ask(function, StatusCase(name, base, replaced, computes=True))
            if status and entered(self.subject.events):
                outcome.notes.append(f"{name}: refused with {status} by AMD's library")
            elif not status and not any(e.kind == Kind.LAUNCH for e in self.subject.events):
                add(outcome.lost, f"{name} of the smallest valid call")

    # ---- wrong arguments ----

    def _checks(self, function: Function, outcome: Outcome) -> None:
        if function.form.base != "v1":
            self.subject.set_stream(0)
        for case in status_cases(function):
            self.note(f"{function.name}: {case.name}")
            got, _ = self.bench.ask(function, case)
            outcome.checks += 1
            self.answers[case.name] = [(e.name, e.size) for e in self.subject.events if e.kind == Kind.ANSWER]
            if case.expected is not None and got != case.expected and len(outcome.wrong) < 4 * SHOWN:
                outcome.wrong.append(Check(case.name, case.expected, got, tuple(entered(self.subject.events))))


def _line(case: Case, function: Function) -> str:
    return as_python(case, function.entry).splitlines()[-1]


def main() -> int:
    return serve_with(Worker)
