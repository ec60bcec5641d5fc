"""A child of the runner: works through tasks and writes each answer before it begins the next.

Tasks and answers are JSON lines on its standard streams; whatever a library prints goes to standard error. The call
that is about to be made is kept in a scratch file, so that the parent can tell which one a dead child died of."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

from ..tables.loader import load
from ..tables.model import Function, Tables
from .cases import Case
from .check import Workbench
from .memory import StickyError
from .numbers import check_numbers
from .procedures import Bench, procedure_of
from .procedures.running import check_procedure
from .process import Answer, Note, serve
from .status import status_cases
from .subject import LibrarySubject, Subject, select_backend

# Statuses after which the device is asked whether it is still there.
_SUSPICIOUS = (11, 13, 14)


class Worker:
    """A child of the suite: plays what it is asked, one function at a time."""

    def __init__(self, config: dict[str, Any], answer: Answer) -> None:
        self.config = config
        self.answer = answer
        self.tables: Tables = load(Path(config["tables"]) if config.get("tables") else None)
        self.bench = Workbench(_subject(config, self.tables))
        self._note = Note(config["scratch"])
        self._procedures: Bench | None = None

    def note(self, case: Case) -> None:
        """Keep the call that comes next."""
        self._note(json.dumps(case.to_json()))

    def run(self, task: dict[str, Any]) -> None:
        function = self.tables.function(task["function"], task["library"])
        assert function is not None
        if task["part"] == "numbers":
            self._numbers(function, task)
        else:
            self._statuses(function, task)

    def _numbers(self, function: Function, task: dict[str, Any]) -> None:
        if procedure_of(function):
            result = check_procedure(
                function, self._for_procedures(), task["examples"], self.config["seed"], self._tell
            )
        else:
            result = check_numbers(function, self.bench, task["examples"], self.config["seed"], self.note)
        reply = {
            "examples": result.examples,
            "error": result.error,
            "lines": list(result.lines),
            "python": result.python,
        }
        self.answer({**reply, "failing": result.failing.to_json() if result.failing else None, "done": True})
        if result.lines:
            self._look()

    def _tell(self, python: str) -> None:
        self._note(json.dumps({"python": python}))

    def _for_procedures(self) -> Bench:
        if self._procedures is None:
            cpu = self.config.get("backend") == "cpu"
            nvidia = bool(self.config.get("nvidia"))
            self._procedures = Bench(self.bench.subject, self.tables, self.config["major"], nvidia, cpu)
        return self._procedures

    def _statuses(self, function: Function, task: dict[str, Any]) -> None:
        for i, case in enumerate(status_cases(function, bool(self.config.get("nvidia")))):
            if i < task["skip"] or (case.ours and self.config.get("nvidia")):
                continue
            self.answer({"at": i, "case": case.name, "expected": case.expected})
            got, changed = self.bench.ask(function, case)
            self.answer({"case": case.name, "expected": case.expected, "got": got, "changed": changed})
            if got in _SUSPICIOUS:
                self._look()
        self.answer({"done": True})

    def _look(self) -> None:
        broken = getattr(self.bench.subject, "broken", lambda: "")()
        if broken:
            raise StickyError(broken)


def _subject(config: dict[str, Any], tables: Tables) -> Subject:
    if config.get("factory"):  # a subject in Python, for tests
        module, _, name = config["factory"].partition(":")
        made: Subject = getattr(importlib.import_module(module), name)()
        return made
    select_backend(config.get("backend", ""))
    folder = Path(config["subject"])
    return LibrarySubject(folder, tables, config["major"], host_memory=config.get("backend") == "cpu")


def main() -> int:
    return serve(lambda config, answer: Worker(config, answer).run)
