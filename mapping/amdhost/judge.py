"""The parent: fetches a release, builds the fake beside it, hands functions to children, gathers what came of it."""

from __future__ import annotations

import fnmatch
import os
import queue
import tempfile
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from importlib import import_module
from pathlib import Path
from typing import Any

from .. import paths
from ..coverage.collect import targets
from ..errors import UserError
from ..parity.process import Child
from ..tables.loader import load
from ..tables.model import Function, Tables
from . import elf, fake, known, packages
from .behaviours import BEHAVIOURS
from .child import Start, plain_start, start
from .releases import ASKED, RELEASES, AmdLibrary, Release
from .results import Outcome, Record, digest
from .results import outcome as outcome_of
from .watch import watched

Progress = Callable[[int, int, str], None]
Answers = dict[str, list[tuple[str, int]]]  # argument check -> AMD's functions that were entered, and their answers
NOT_SUPPORTED = 15


@dataclass(frozen=True, slots=True)
class Options:
    """What is asked of AMD's libraries, and for how long."""

    subject: Path  # folder of our libraries, of one CUDA major
    major: int = 12
    functions: tuple[str, ...] = ("*",)
    examples: int = 6
    seed: int = 0
    workers: int = 0  # 0: one a processor
    limit: float = 120.0  # seconds that one function may take
    library: str = "cublas"
    without: tuple[str, ...] = ()  # AMD's libraries that are left out, of those that may be


def backend(out: Path, release: Release, files: Mapping[Path, AmdLibrary]) -> Path:
    """The folder for `DRAGOMAN_BACKEND`: the fake HIP runtime, and watches with AMD's libraries behind them."""
    real = {file: elf.read(file) for file in files}
    out.mkdir(parents=True, exist_ok=True)
    link = out / "real"
    leads_to = os.path.relpath(next(iter(files)).parent, out)
    if not (link.is_symlink() and os.readlink(link) == leads_to):
        link.unlink(missing_ok=True)
        link.symlink_to(leads_to)
    fake.build_fake(out, release.hip_file, release.hip, list(real.values()))
    fake.build_compilers(out, list(real.values()))
    for file, library in files.items():
        fake.build_watch(out, file.name, release.hip_file, real[file], library)
    return out


def judge(
    release: Release,
    options: Options,
    say: packages.Say,
    progress: Progress | None = None,
    cpu: Mapping[str, Answers] | None = None,
) -> Record:
    """One release. Raises `UnavailableError` where it cannot be had. `cpu`: what `cpu_answers` gave."""
    asked = ASKED[options.library]
    libraries = asked.libraries(options.without)
    have = packages.fetch(release, libraries, say)
    home = packages.folder(release)
    files = [home / file for file in have.files]
    place = backend(home / "backend" / asked.name, release, dict(zip(files, libraries, strict=True)))
    begin = start(home, have, place)
    functions = chosen(load(), options)
    config = _config(options, place / release.hip_file)
    run = _Run(begin, config, functions, options, progress)
    run.all()
    exports = frozenset(name for file in files for name in watched(elf.read(file).functions))
    outcomes = []
    for function in functions:
        outcome = run.found[function.name]
        _absent(function, outcome, exports)
        outcome.settle(known.reasons(function, release, outcome))
        outcomes.append(outcome)
    compared, differences = _compared(run.answers, cpu or {})
    return Record(
        release=release.name,
        packages=have.packages,
        date=date.today().isoformat(),
        library=options.library,
        cuda=options.major,
        examples=options.examples,
        entries={f.entry.key: digest(f.entry) for f in functions},
        outcomes=tuple(outcomes),
        behaviours=known.behaved(release, _behaviours(begin, config, options)) if asked.behaviours else {},
        cpu_compared=compared,
        cpu_differs=differences,
    )


def cpu_answers(options: Options, progress: Progress | None = None) -> dict[str, Answers]:
    """What the CPU backend's libraries under AMD's names answer to the same argument checks."""
    release = RELEASES[-1]
    cpu = options.subject.absolute().parent / "cpu"
    libraries = ASKED[options.library].libraries(options.without)
    named = {cpu / library.parts[release.name].file: library for library in libraries}
    files = {file: library for file, library in named.items() if file.is_file()}
    if not files:
        return {}
    place = backend(paths.cache_dir() / "amd-host" / "cpu" / options.library, release, files)
    config = {**_config(options, place / release.hip_file), "checks_only": True}
    run = _Run(plain_start(place), config, chosen(load(), options), options, progress)
    run.all()
    return run.answers


def _config(options: Options, hip: Path) -> dict[str, Any]:
    return {
        "subject": str(options.subject.absolute()),
        "major": options.major,
        "hip": str(hip),
        "examples": options.examples,
        "seed": options.seed,
        "library": options.library,
    }


def _absent(function: Function, outcome: Outcome, exports: frozenset[str]) -> None:
    """Not in this release, and said so: each call answers "not supported" and enters nothing of AMD's."""
    named = targets(function)
    refused = outcome.calls > 0 and len(outcome.refused) > 0 and not outcome.launched
    only = all(line.startswith(f"status {NOT_SUPPORTED}:") for line in outcome.refused)
    if refused and only and not outcome.amd and named and not exports & set(named):
        outcome.state = "absent"
        outcome.notes.append(f"this release has no {' nor '.join(named)}: the call answers NOT_SUPPORTED")


def _behaviours(begin: Start, config: dict[str, Any], options: Options) -> dict[str, list[str]]:
    """By name: what was wrong. A child for each, so that none finds what another left."""
    found: dict[str, list[str]] = {}
    for name in BEHAVIOURS:
        with tempfile.TemporaryDirectory(prefix="dragoman-amd-host-") as scratch:
            child = _Child(begin, f"{__package__}.behaviours", config, Path(scratch))
            reply = {"why": child.failed} if child.failed else child.ask(name, options.limit)
            child.close()
        found[name] = list(reply["done"]) if "done" in reply else [str(reply.get("why") or reply)]
    return found


def _compared(real: Mapping[str, Answers], cpu: Mapping[str, Answers]) -> tuple[int, list[str]]:
    """How many argument checks reached both libraries, and where they were answered otherwise."""
    compared = 0
    found: dict[str, None] = {}
    for function, answers in real.items():
        for case, theirs in answers.items():
            ours = cpu.get(function, {}).get(case, [])
            if not theirs or [_plain(n) for n, _ in theirs] != [_plain(n) for n, _ in ours]:
                continue  # not the same calls: a release without _64 forms, say
            compared += 1
            for (name, status), (_, our) in zip(theirs, ours, strict=True):
                if status != our:
                    found[f"{name}, {case}: AMD's answers {status}, the CPU backend's {our}"] = None
    return compared, list(found)


def _plain(name: str) -> str:
    return name.removesuffix("_64").replace("_outofplace", "")


def chosen(tables: Tables, options: Options) -> list[Function]:
    """Functions that reach AMD's libraries, and match. What several majors have counts once, as the first has it."""
    asked = ASKED[options.library]
    tried = import_module(f".{asked.worker}", __package__).PROCEDURES if asked.procedures else None
    majors = asked.majors or (options.major,)
    every = {f.name: f for major in reversed(majors) for f in tables.functions(options.library, major)}
    found = [
        f
        for f in every.values()
        if f.kind not in ("unsupported", *(["host"] if tried is None else []))
        and f.form.base != "host"  # its calls are asked under the plain names; which stream and when is its own matter
        and (tried is None or f.name in tried)
        and any(fnmatch.fnmatchcase(n, g) for g in options.functions for n in (f.name, f.alias, f.entry.key) if n)
    ]
    if not found:
        raise UserError(f"no function of {options.library} matches {', '.join(options.functions)}")
    return found


class _Run:
    """A queue of functions and a thread for each child."""

    def __init__(
        self,
        begin: Start,
        config: dict[str, Any],
        functions: Sequence[Function],
        options: Options,
        progress: Progress | None,
    ) -> None:
        self.begin, self.config, self.options, self.progress = begin, config, options, progress
        self.queue: queue.SimpleQueue[Function] = queue.SimpleQueue()
        for function in functions:
            self.queue.put(function)
        self.total = len(functions)
        self.found: dict[str, Outcome] = {}
        self.answers: dict[str, Answers] = {}
        self.lock = threading.Lock()
        self.failure = ""

    def all(self) -> None:
        count = max(1, min(self.options.workers or os.cpu_count() or 1, self.total))
        threads = [threading.Thread(target=self._work, daemon=True) for _ in range(count)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if self.failure:
            raise UserError(self.failure)

    def _work(self) -> None:
        child: _Child | None = None
        with tempfile.TemporaryDirectory(prefix="dragoman-amd-host-") as scratch:
            try:
                while not self.failure:
                    try:
                        function = self.queue.get_nowait()
                    except queue.Empty:
                        return
                    if child is None or not child.alive:
                        if child:
                            child.close()
                        worker = f"{__package__}.{ASKED[self.options.library].worker}"
                        child = _Child(self.begin, worker, self.config, Path(scratch))
                        if child.failed:
                            self.failure = self.failure or child.failed
                            return
                    self._finish(function, child.ask(function.name, self.options.limit))
            except BaseException as error:
                self.failure = self.failure or f"{type(error).__name__}: {error}"
                raise
            finally:
                if child:
                    child.close()

    def _finish(self, function: Function, reply: dict[str, Any]) -> None:
        answers: Answers = {}
        if "done" in reply:
            outcome = outcome_of(reply["done"]["outcome"])
            answers = {k: [(n, s) for n, s in v] for k, v in reply["done"]["answers"].items()}
        elif "missing" in reply:
            outcome = Outcome(function.name, notes=[reply["missing"]], state="crash")
        else:
            outcome = Outcome(function.name, notes=[reply["why"]], state=reply["state"])
        with self.lock:
            self.found[function.name] = outcome
            self.answers[function.name] = answers
            if self.progress:
                self.progress(len(self.found), self.total, function.name)


class _Child(Child):
    """It answers each question, or it is gone and that is the answer."""

    def __init__(self, begin: Start, module: str, config: dict[str, Any], folder: Path) -> None:
        super().__init__(begin.python(module), begin.environment, folder, config, 300)

    def ask(self, message: Any, limit: float) -> dict[str, Any]:
        self.send(message)
        reply = self.receive(limit)
        if reply.get("state") in ("hang", "crash"):
            return {**reply, "why": f"{reply['why']}; {self.last_line()}"}
        return {**reply, "state": "crash"} if "state" in reply else reply
