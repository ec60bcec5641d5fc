"""The parent: hands functions to children, survives their deaths, and gathers what came of each.

A child that dies or hangs costs one result (`crash`, `hang`, `sticky`), never the run. Results depend on the tables,
the subject and the seed alone: each function's examples come from a seed derived from its name."""

from __future__ import annotations

import contextlib
import fnmatch
import json
import os
import queue
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, Any

from .. import paths
from ..tables.loader import load
from ..tables.model import Function, Tables
from . import known
from .cases import Case, as_python
from .report import FunctionResult, Numbers, Report, Status

Progress = Callable[[int, int, "FunctionResult"], None]
PARTS = ("numbers", "statuses")


class ParityError(Exception):
    """The suite cannot run at all. One line: what is wrong and what to do."""


@dataclass(frozen=True, slots=True)
class Options:
    """What to test, with what, how long."""

    subject: Path | None = None  # folder of libraries under NVIDIA's names; default: the built ones
    backend: str = "cpu"
    major: int = 12
    functions: tuple[str, ...] = ("*",)
    examples: int = 50  # calls a function; `_64` and first-API forms share their code and get a third
    quick: bool = False
    seed: int = 0
    workers: int = 0  # 0: one a processor
    limit: float = 60.0  # seconds a function may take, each part
    parts: tuple[str, ...] = PARTS
    library: str = "cublas"
    tables: Path | None = None
    label: str = ""  # name of the judge in reports
    nvidia: bool = False  # the subject is NVIDIA's own library
    factory: str = ""  # "module:function" of a subject in Python, for tests

    @property
    def judge(self) -> str:
        return self.label or ("NVIDIA" if self.nvidia else f"NumPy, {self.backend} backend")


def default_subject(major: int) -> Path:
    """Where the built libraries are: the wheel's, else those of `dragoman build`."""
    target = "windows" if sys.platform == "win32" else "linux"
    return (paths.shipped_libraries() or paths.default_out()) / target / f"cuda{major}"


def chosen(tables: Tables, options: Options) -> list[Function]:
    """The functions that the globs name (symbol, header name or entry), supported ones only, the costly ones first."""
    found = [
        f
        for f in tables.functions(options.library, options.major)
        if f.kind != "unsupported"
        and any(
            fnmatch.fnmatchcase(name, glob)
            for glob in options.functions
            for name in (f.name, f.alias, f.entry.key)
            if name
        )
    ]
    return sorted(found, key=lambda f: ("Level-1" in f.entry.chapter, -len(f.params)))


def run_parity(options: Options, progress: Progress | None = None) -> Report:
    """Run the suite. Raises `ParityError` where no child can start."""
    tables = load(options.tables)
    functions = chosen(tables, options)
    if not functions:
        raise ParityError(f"no function of {options.library} matches {', '.join(options.functions)}")
    if options.quick:
        options = replace(options, examples=max(5, options.examples // 5))
    if not options.factory:
        options = replace(options, subject=(options.subject or default_subject(options.major)).absolute())
    begun = time.monotonic()
    results = _Run(options, tables, functions, progress).all()
    return Report(
        judge=options.judge,
        library=options.library,
        cuda=options.major,
        seed=options.seed,
        examples=options.examples,
        seconds=time.monotonic() - begun,
        results=tuple(known.applied(results[f.name], options.backend) for f in _in_table_order(functions, tables)),
    )


def _in_table_order(functions: Sequence[Function], tables: Tables) -> list[Function]:
    names = {f.name for f in functions}
    return [f for f in tables.functions(functions[0].entry.library) if f.name in names]


@dataclass(slots=True)
class _Task:
    function: Function
    part: str
    skip: int = 0
    gathered: list[Status] = field(default_factory=list)


class _Run:
    """One run: a queue of tasks and a thread for each child."""

    def __init__(
        self, options: Options, tables: Tables, functions: Sequence[Function], progress: Progress | None
    ) -> None:
        self.options, self.tables, self.progress = options, tables, progress
        self.tasks: queue.SimpleQueue[_Task] = queue.SimpleQueue()
        self.results = {f.name: FunctionResult.of(f) for f in functions}
        self.left = {f.name: len(options.parts) for f in functions}
        for f in functions:
            for part in options.parts:
                self.tasks.put(_Task(f, part))
        self.done = 0
        self.lock = threading.Lock()
        self.failure = ""

    def all(self) -> dict[str, FunctionResult]:
        count = self.options.workers or os.cpu_count() or 1
        count = max(1, min(count, self.tasks.qsize()))
        with tempfile.TemporaryDirectory(prefix="dragoman-parity-") as folder:
            threads = [threading.Thread(target=self._work, args=(Path(folder), i), daemon=True) for i in range(count)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        if self.failure:
            raise ParityError(self.failure)
        return self.results

    def _work(self, folder: Path, number: int) -> None:
        child: _Child | None = None
        try:
            while not self.failure:
                try:
                    task = self.tasks.get_nowait()
                except queue.Empty:
                    return
                while not self.failure:
                    if child is None or not child.alive:
                        child = _Child(self.options, folder, number)
                        if child.failed:
                            self.failure = child.failed
                            return
                    if self._one(child, task):
                        break
        except BaseException as error:  # a mistake of ours: the run fails, it does not hang
            self.failure = self.failure or f"{type(error).__name__}: {error}"
            raise
        finally:
            if child:
                child.close()

    def _one(self, child: _Child, task: _Task) -> bool:
        """Work on a task; whether it is finished (a status test goes on in the next child)."""
        begun = time.monotonic()
        if task.part == "numbers":
            numbers = self._numbers(child, task)
            self._finish(task, replace_numbers(self.results[task.function.name], numbers), begun)
            return True
        finished = self._statuses(child, task)
        if finished:
            with self.lock:
                result = self.results[task.function.name]
                result = replace(result, statuses=tuple(task.gathered))
            self._finish(task, result, begun)
        return finished

    def _finish(self, task: _Task, result: FunctionResult, begun: float) -> None:
        name = task.function.name
        with self.lock:
            now = self.results[name]
            merged = replace(
                now,
                numbers=result.numbers if task.part == "numbers" else now.numbers,
                statuses=result.statuses if task.part == "statuses" else now.statuses,
                seconds=now.seconds + time.monotonic() - begun,
            )
            self.results[name] = merged
            self.left[name] -= 1
            if self.left[name] == 0:
                self.done += 1
                if self.progress:
                    self.progress(self.done, len(self.results), merged)

    def _numbers(self, child: _Child, task: _Task) -> Numbers:
        from .strategies import testable

        reason = testable(task.function)
        if reason:
            return Numbers("none", lines=(reason,))
        share = 1 if task.function.form.base != "v1" and not task.function.form.wide else 3
        child.send({**_name(task), "examples": max(4, self.options.examples // share)})
        reply = child.receive()
        if "done" in reply:
            failing = Case.from_json(reply["failing"]) if reply["failing"] else None
            python = as_python(failing, task.function.entry, self._place()) if failing else ""
            state = "fail" if failing else "pass"
            return Numbers(state, reply["examples"], reply["error"], tuple(reply["lines"]), python)
        if "missing" in reply:
            return Numbers("fail", lines=(reply["missing"],))
        last = child.last_call()
        python = as_python(last, task.function.entry, self._place()) if last else ""
        return Numbers(reply["state"], lines=(reply["why"],), python=python)

    def _place(self) -> str:
        return (
            str(self.options.subject)
            if self.options.subject and self.options.subject != default_subject(self.options.major)
            else ""
        )

    def _statuses(self, child: _Child, task: _Task) -> bool:
        child.send({**_name(task), "skip": task.skip})
        at: dict[str, Any] = {}
        while True:
            reply = child.receive()
            if "at" in reply:
                at = reply
            elif "got" in reply:
                state = "pass" if reply["got"] == reply["expected"] and not reply["changed"] else "fail"
                task.gathered.append(
                    Status(reply["case"], reply["expected"], reply["got"], state, tuple(reply["changed"]))
                )
            elif "done" in reply:
                return True
            elif "missing" in reply:
                task.gathered.append(Status("export", 0, None, "fail", (reply["missing"],)))
                return True
            elif not at:  # died before its first case
                task.gathered.append(Status("start", 0, None, reply["state"], (reply["why"],)))
                return True
            else:
                if not (task.gathered and task.gathered[-1].case == at["case"]):
                    task.gathered.append(Status(at["case"], at["expected"], None, reply["state"], (reply["why"],)))
                elif reply["state"] == "sticky":
                    last = task.gathered[-1]
                    task.gathered[-1] = replace(last, state="sticky", notes=(*last.notes, reply["why"]))
                task.skip = at["at"] + 1
                return False


def replace_numbers(result: FunctionResult, numbers: Numbers) -> FunctionResult:
    return replace(result, numbers=numbers)


def _name(task: _Task) -> dict[str, Any]:
    return {"function": task.function.name, "library": task.function.entry.library, "part": task.part}


class _Child:
    """One child process. `receive` answers its next line, or `{"state": …, "why": …}` once it is gone."""

    def __init__(self, options: Options, folder: Path, number: int) -> None:
        self.scratch = folder / f"call-{number}"
        self.scratch.write_bytes(b"")
        self.errors = (folder / f"errors-{number}").open("w+b")
        self.limit = options.limit
        self.hung = False
        self.sticky = ""
        module = f"{__package__}.worker"
        environment = dict(os.environ)
        root = str(paths.package_dir().parent)
        if paths.package_dir().name == module.split(".")[0]:  # a checkout need not be installed
            environment["PYTHONPATH"] = os.pathsep.join(p for p in (root, environment.get("PYTHONPATH", "")) if p)
        # One thread a child: the children already use every processor.
        environment.setdefault("OPENBLAS_NUM_THREADS", "1")
        environment.setdefault("OMP_NUM_THREADS", "1")
        self.process = subprocess.Popen(
            [sys.executable, "-m", module],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.errors,
            text=True,
            encoding="utf-8",
            env=environment,
        )
        self.send(
            {
                "subject": str(options.subject) if options.subject else "",
                "backend": "" if options.nvidia else options.backend,
                "major": options.major,
                "seed": options.seed,
                "scratch": str(self.scratch),
                "factory": options.factory,
                "tables": str(options.tables) if options.tables else "",
                "nvidia": options.nvidia,
            }
        )
        ready = self.receive()
        self.failed = (
            "" if "ready" in ready else ready.get("failed") or f"a child process cannot start: {ready.get('why')}"
        )

    @property
    def alive(self) -> bool:
        return not self.hung and not self.sticky and self.process.poll() is None

    def send(self, message: dict[str, Any]) -> None:
        stream: IO[str] = self.process.stdin  # type: ignore[assignment]
        try:
            stream.write(json.dumps(message) + "\n")
            stream.flush()
        except OSError:
            pass  # it died: `receive` says so

    def receive(self) -> dict[str, Any]:
        stream: IO[str] = self.process.stdout  # type: ignore[assignment]
        timer = threading.Timer(self.limit, self._stop)
        timer.start()
        try:
            line = stream.readline()
        finally:
            timer.cancel()
        if line.endswith("\n"):
            message: dict[str, Any] = json.loads(line)
            if "sticky" in message:
                self.sticky = message["sticky"]
                return {"state": "sticky", "why": self.sticky}
            return message
        if self.hung:
            return {"state": "hang", "why": f"no answer within {self.limit:g} s"}
        code = self.process.wait()
        return {"state": "crash", "why": _death(code) + self._last_words()}

    def _stop(self) -> None:
        self.hung = True
        self.process.kill()

    def _last_words(self) -> str:
        self.errors.flush()
        self.errors.seek(0)
        lines = self.errors.read()[-2000:].decode("utf-8", "replace").strip().splitlines()
        return f": {lines[-1]}" if lines else ""

    def last_call(self) -> Case | None:
        line = self.scratch.read_bytes().split(b"\n", 1)[0]
        try:
            return Case.from_json(json.loads(line))
        except (ValueError, KeyError):
            return None

    def close(self) -> None:
        if self.process.stdin:
            with contextlib.suppress(OSError):
                self.process.stdin.close()
        try:
            self.process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        if self.process.stdout:
            self.process.stdout.close()
        self.errors.close()


def _death(code: int) -> str:
    if code < 0:
        import signal

        try:
            return f"died of {signal.Signals(-code).name}"
        except ValueError:
            return f"died of signal {-code}"
    return f"ended with status {code}"
