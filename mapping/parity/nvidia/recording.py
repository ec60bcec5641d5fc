"""The parent: children ask, and every answer is written down before the next question.

The file is JSON lines, each with a `what`. A run that is stopped keeps what it has; what was not reached in time is told."""

from __future__ import annotations

import json
import math
import os
import queue
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from ...children import main_of
from ...tables.loader import load
from ...tables.model import Function
from .. import golden
from ..options import Options, ParityError
from ..process import Child
from ..runner import examined
from ..session import Session
from ..strategies import why_untested
from .corners import GROUPS
from .libraries import MAJOR
from .sweep import CRASH, HANG, STICKY, UNASKED, choices, columns, swept, tree, tuples

DEATHS = {"crash": CRASH, "hang": HANG, "sticky": STICKY}
PARTS = ("probes", "sweep", "suite")
SECONDS = 110.0  # begin nothing after so long
_TRIES = 40  # deaths that one question may cost
_JUDGED = 400  # tuples outside the tables whose numbers are looked at


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a run is to ask, of whom, how long."""

    subject: Path
    backend: str = ""  # below ours; empty: the libraries are NVIDIA's
    major: int = MAJOR
    seconds: float = SECONDS
    workers: int = 0
    quick: bool = False
    parts: tuple[str, ...] = PARTS
    functions: tuple[str, ...] = ()  # symbols; none: all
    groups: tuple[str, ...] = ()  # of probes; none: all
    limit: float = 20.0  # seconds that one answer may take
    examples: int = 25


@dataclass
class Recording:
    """One run. `write` gets each answer as it comes; nothing is written by two at a time."""

    wanted: Wanted
    write: Callable[[dict[str, Any]], None]
    progress: Callable[[str], None] = lambda text: None
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _children: set[Child] = field(default_factory=set)
    _left: int = 0
    _local: threading.local = field(default_factory=threading.local)

    def __post_init__(self) -> None:
        self._end = time.monotonic() + self.wanted.seconds

    def keep(self, what: str, **values: Any) -> None:
        with self._lock:
            self.write({"what": what, **values})

    def late(self) -> bool:
        return time.monotonic() > self._end

    def run(self) -> int:
        """Ask everything, the questions that nothing else answers first. The number of those not reached."""
        self._versions()
        tasks: queue.SimpleQueue[tuple[str, Callable[[], None]]] = queue.SimpleQueue()
        count = 0
        for name, task in self._tasks():
            tasks.put((name, task))
            count += 1
        self._left = count
        workers = self.wanted.workers or min(os.cpu_count() or 1, 12)
        threads = [threading.Thread(target=self._work, args=(tasks,), daemon=True) for _ in range(workers)]
        for thread in threads:
            thread.start()
        for thread in threads:
            # Whoever is late by more than an answer may take is given up: what it has is written.
            thread.join(max(0.0, self._end + 2 * self.wanted.limit - time.monotonic()))
        for child in list(self._children):
            child.process.kill()
        self.keep("end", left=self._left)
        return self._left

    def _work(self, tasks: queue.SimpleQueue[tuple[str, Callable[[], None]]]) -> None:
        try:
            while True:
                try:
                    name, task = tasks.get_nowait()
                except queue.Empty:
                    return
                if self.late():
                    self.keep("unreached", name=name)
                    continue
                self.progress(name)
                try:
                    task()
                except Exception as error:  # one question less, not the run
                    self.keep("failed", name=name, why=f"{type(error).__name__}: {error}")
                with self._lock:
                    self._left -= 1
        finally:
            self._put_away()
            session: Session | None = getattr(self._local, "session", None)
            if session:
                session.close()

    # ---- what is asked

    def _tasks(self) -> list[tuple[str, Callable[[], None]]]:
        wanted, found = self.wanted, []
        functions = [f for f in load().functions("cublas", MAJOR) if f.kind != "unsupported"]
        functions = [f for f in functions if not wanted.functions or f.name in wanted.functions]
        if "sweep" in wanted.parts:
            typed = sorted(swept(functions), key=_cost, reverse=True)
            found += [(f"sweep {f.name}", _task(self._sweep, f)) for f in typed]
        if "probes" in wanted.parts:
            found += [(f"probe {g}", _task(self._probe, g)) for g in GROUPS if not wanted.groups or g in wanted.groups]
        if "suite" in wanted.parts:
            known = golden.recorded().get("cublas", {})
            ours = [f for f in functions if not why_untested(f) and f.form.base != "v1"]
            rest = [f for f in functions if f not in ours]
            new = [f for f in ours if f.entry.key not in known or f.entry.combos or len(f.type.name) > 1]
            old = [f for f in ours if f not in new]
            for part, some in (("statuses", new), ("numbers", new), ("numbers", old), ("statuses", old),
                               ("statuses", rest), ("numbers", rest)):  # fmt: skip
                found += [(f"{part} {f.name}", _task(self._suite, f, part)) for f in some]
        return found

    def _versions(self) -> None:
        with tempfile.TemporaryDirectory(prefix="dragoman-nvidia-") as folder:
            child = self._child(Path(folder))
            child.send({"do": "versions"})
            said = child.receive(60.0)
            self._close(child)
            if child.failed or "state" in said:
                raise ParityError(child.failed or f"no answer from {self.wanted.subject}: {said['why']}")
        self.keep("versions", **said, seen=not self.wanted.backend)

    def _child(self, folder: Path) -> Child:
        config = {"subject": str(self.wanted.subject), "backend": self.wanted.backend, "major": self.wanted.major}
        base = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", **os.environ}
        child = Child(main_of(f"{__package__}.worker"), base, folder, config, 60.0)
        if child.failed:
            raise ParityError(child.failed)
        self._children.add(child)
        return child

    def _close(self, child: Child) -> None:
        if child.process.poll() is None:
            child.process.kill()
        self._children.discard(child)
        child.close()

    def _probe(self, group: str) -> None:
        """A group of probes: one process, and another for each step that a process dies of."""
        skip: list[int] = []
        steps: list[Any] = []
        while len(skip) < _TRIES:
            with tempfile.TemporaryDirectory(prefix="dragoman-nvidia-") as folder:
                child = self._child(Path(folder))
                try:
                    child.send({"do": "probe", "group": group, "skip": skip})
                    steps = []
                    while "step" in (reply := child.receive(self.wanted.limit)):
                        steps.append(reply["step"])
                    if "done" in reply:
                        break
                    skip.append(int(child.last_line() or 0))
                finally:
                    self._close(child)
        self.keep("probes", group=group, steps=steps)

    def _borrowed(self) -> Child:
        """This thread's own child, a new one where the last one died."""
        child: Child | None = getattr(self._local, "child", None)
        if child is None or not child.alive:
            self._put_away()
            folder = self._local.folder = tempfile.TemporaryDirectory(prefix="dragoman-nvidia-")
            child = self._local.child = self._child(Path(folder.name))
        return child

    def _put_away(self) -> None:
        child = getattr(self._local, "child", None)
        if child is not None:
            self._close(child)
            self._local.folder.cleanup()
            self._local.child = None

    def _sweep(self, function: Function) -> None:
        widths = choices(function, self.wanted.quick)
        count = math.prod(map(len, widths))
        statuses = self._all_statuses(function)
        statuses += [UNASKED] * (count - len(statuses))
        named = {"function": function.name, "columns": columns(function)}
        found = tree(statuses, widths)
        self.keep("sweep", **named, quick=self.wanted.quick, answers=found)
        if not function.form.wide:
            accepted = [
                t for t, status in zip(tuples(function, self.wanted.quick), statuses, strict=True) if not status
            ]
            self.keep("judged", **named, tuples=self._judged(function, accepted[:_JUDGED]))

    def _all_statuses(self, function: Function) -> list[int]:
        """As many as there is time for; a tuple that a child died of has the number of that death."""
        statuses: list[int] = []
        skip: dict[int, int] = {}
        while len(skip) < _TRIES and not self.late():
            child = self._borrowed()
            task = {"function": function.name, "quick": self.wanted.quick, "start": len(statuses)}
            child.send({"do": "sweep", **task, "skip": list(skip)})
            while "statuses" in (reply := child.receive(3 * self.wanted.limit)):
                statuses += reply["statuses"]
                if self.late():
                    self._put_away()
                    break
            if "done" in reply or "statuses" in reply:
                break
            if "missing" in reply:
                self._put_away()
                raise ParityError(reply["missing"])
            skip[int.from_bytes(child.scratch.read_bytes()[:8], "little")] = DEATHS[reply["state"]]
        for at, death in skip.items():
            if at < len(statuses):
                statuses[at] = death
        return statuses

    def _judged(self, function: Function, accepted: Sequence[tuple[int, ...]]) -> list[list[Any]]:
        """Types, and what became of two calls with them."""
        found: list[list[Any]] = []
        for types in accepted:
            if self.late():
                break
            child = self._borrowed()
            child.send({"do": "judge", "function": function.name, "types": types})
            reply = child.receive(self.wanted.limit)
            if "small" in reply:
                found.append([list(types), reply["small"], reply["aligned"]])
                child.receive(self.wanted.limit)
            else:
                found.append([list(types), reply.get("state", "failed"), reply.get("why", "")])
        return found

    def _suite(self, function: Function, part: str) -> None:
        session = getattr(self._local, "session", None)
        if session is None:
            wanted = self.wanted
            options = Options(
                subject=wanted.subject, backend=wanted.backend, major=wanted.major, nvidia=not wanted.backend,
                limit=wanted.limit, examples=wanted.examples,
            )  # fmt: skip
            session = self._local.session = Session(options)
        self.keep("suite", part=part, result=asdict(examined(session, function, (part,))))


def _task(function: Callable[..., None], *arguments: Any) -> Callable[[], None]:
    return lambda: function(*arguments)


def _cost(function: Function) -> int:
    return math.prod(map(len, choices(function, False)))


def to_file(path: Path) -> Callable[[dict[str, Any]], None]:
    """A line an answer, on the disk before the next."""
    file = path.open("w", encoding="utf-8", buffering=1)

    def write(line: dict[str, Any]) -> None:
        file.write(json.dumps(line, separators=(",", ":")) + "\n")

    return write
