"""A child of the runner for cuDNN: works through tasks and writes each answer before it begins the next."""

from __future__ import annotations

import importlib
import json
import os
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..memory import StickyError
from ..subject import LoadError, select_backend
from . import golden, procedures
from .bench import Bench
from .cases import Case, Change, Values
from .corners import CORNERS, forced
from .numbers import check_numbers
from .registry import PROCEDURES, Procedure
from .status import StatusCase, status_cases
from .subject import HostOnlySubject, LibrarySubject, Subject

# cuDNN 9's EXECUTION_FAILED, INTERNAL_ERROR and their finer forms: the device may be lost.
_SUSPICIOUS = (4, 5)


class Worker:
    def __init__(self, config: dict[str, Any], answer: Callable[[dict[str, Any]], None]) -> None:
        self.config = config
        self.answer = answer
        self.bench = Bench(_subject(config))
        self._scratch = os.open(config["scratch"], os.O_WRONLY | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o600)

    def note(self, case: Case) -> None:
        """Keep the case that comes next. One small write: the parent reads it only after a death."""
        os.lseek(self._scratch, 0, os.SEEK_SET)
        os.write(self._scratch, (json.dumps(case.to_json()) + "\n").encode())

    def run(self, task: dict[str, Any]) -> None:
        procedure = PROCEDURES[task["function"]]
        if not self.bench.subject.has(procedure.function):
            raise LoadError(f"the library does not export {procedure.function}")
        if task["part"] == "numbers":
            self._numbers(procedure, task)
        elif task["part"] == "trial":
            self._trial(procedure, task)
        else:
            self._statuses(procedure, task)

    def _numbers(self, procedure: Procedure, task: dict[str, Any]) -> None:
        result = check_numbers(procedure, self.bench, task["examples"], self.config["seed"], self.note)
        refused = [f"{golden.REFUSAL}{line} ({n} times)" for line, n in sorted(result.refused.items())]
        self.answer(
            {
                "examples": result.examples,
                "error": result.error,
                "lines": [*result.lines, *refused],
                "failing": result.failing.to_json() if result.failing else None,
                "done": True,
            }
        )
        if result.failing:
            self._look()

    def _trial(self, procedure: Procedure, task: dict[str, Any]) -> None:
        """One corner's case, as if one answer were known to be NVIDIA's."""
        corner = CORNERS[task["corner"]]
        with forced(corner.name, task["answer"]):
            for seed in range(4):
                case = Case(procedure.function, Values({**procedure.base, **corner.values}), seed, corner.poison)
                self.note(case)
                outcome = self.bench.run(procedure, case)
                if not outcome.ok or outcome.refused:
                    self.answer({"done": True, "state": "fail", "lines": outcome.lines()[:1]})
                    self._look()
                    return
        self.answer({"done": True, "state": "pass", "lines": []})

    def _statuses(self, procedure: Procedure, task: dict[str, Any]) -> None:
        version, nvidia = self.bench.subject.version, self.bench.subject.kind == "nvidia"
        for i, case in enumerate(status_cases(procedure, version, nvidia)):
            if i < task["skip"] or (case.ours and nvidia):
                continue
            shown = case.shown(version)
            self.answer({"at": i, "case": case.name, "expected": shown})
            got, notes = self.bench.ask(procedure, self._made(case))
            right = case.right(got, version)
            self.answer(
                {"case": case.name, "expected": shown, "got": got, "changed": list(notes), "right": right or nvidia}
            )
            if got is None or got // (1000 if version >= 9 else 1) in _SUSPICIOUS:
                self._look()
        self.answer({"done": True})

    def _made(self, case: StatusCase) -> Change:
        if case.handle != "freed":
            return case.change
        freed = self.bench.subject.handle("freed")
        return replace(case.change, replaced=dict.fromkeys(case.change.replaced, freed))

    def _look(self) -> None:
        broken = self.bench.subject.broken()
        if broken:
            raise StickyError(broken)


def _subject(config: dict[str, Any]) -> Subject:
    if config.get("factory"):  # a subject in Python, for tests
        module, _, name = config["factory"].partition(":")
        made: Subject = getattr(importlib.import_module(module), name)()
        return made
    folder, version = Path(config["subject"]), int(config["cudnn"])
    if config.get("host_only"):
        return HostOnlySubject(folder, version)
    if config.get("nvidia"):
        return LibrarySubject(folder, version, "nvidia", config["major"])
    select_backend(config.get("backend", ""))
    kind = "cpu" if config.get("backend") == "cpu" else "rocm"
    return LibrarySubject(folder, version, kind, config["major"])


def main() -> int:
    # Answers keep the real standard output; libraries that print are sent to standard error.
    out = os.fdopen(os.dup(1), "w", buffering=1, encoding="utf-8")
    os.dup2(2, 1)

    def answer(message: dict[str, Any]) -> None:
        out.write(json.dumps(message) + "\n")
        out.flush()

    config = json.loads(sys.stdin.readline())
    try:
        worker = Worker(config, answer)
    except (LoadError, StickyError) as error:
        answer({"failed": str(error)})
        return 2
    answer({"ready": True})
    for line in sys.stdin:
        try:
            worker.run(json.loads(line))
        except StickyError as error:
            answer({"sticky": str(error)})
            return 3
        except LoadError as error:
            answer({"missing": str(error)})
    return 0


__all__ = ["Worker", "main", "procedures"]

if __name__ == "__main__":
    sys.exit(main())
