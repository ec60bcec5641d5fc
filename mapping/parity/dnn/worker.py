"""A child of the runner for cuDNN: works through tasks and writes each answer before it begins the next."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

from ..memory import StickyError
from ..process import Answer, Note, serve
from ..subject import LoadError, select_backend
from . import golden, procedures
from .bench import Bench
from .cases import Case, Values
from .corners import CORNERS, forced
from .numbers import check_numbers
from .registry import PROCEDURES, Procedure
from .status import status_cases
from .subject import HostOnlySubject, LibrarySubject, Subject

# cuDNN 9's EXECUTION_FAILED, INTERNAL_ERROR and their finer forms: the device may be lost.
_SUSPICIOUS = (4, 5)


class Worker:
    """A child of the cuDNN suite: plays what it is asked, one function at a time."""

    def __init__(self, config: dict[str, Any], answer: Answer) -> None:
        self.config = config
        self.answer = answer
        self.bench = Bench(_subject(config), config.get("lacks"))
        self._note = Note(config["scratch"])

    def note(self, case: Case) -> None:
        """Keep the case that comes next."""
        self._note(json.dumps(case.to_json()))

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
            got, notes = self.bench.ask(procedure, case.made(self.bench.subject))
            right = case.right(got, version)
            self.answer(
                {"case": case.name, "expected": shown, "got": got, "changed": list(notes), "right": right or nvidia}
            )
            if got is None or got // (1000 if version >= 9 else 1) in _SUSPICIOUS:
                self._look()
        self.answer({"done": True})

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
    return serve(lambda config, answer: Worker(config, answer).run)


__all__ = ["Worker", "main", "procedures"]
