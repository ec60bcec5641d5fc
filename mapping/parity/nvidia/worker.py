"""A child of the recording: sweeps, judges, probes."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from ...tables.loader import load
from ..check import Workbench
from ..process import Answer, Note, serve
from ..subject import LibrarySubject, select_backend
from . import corners, probes
from .libraries import MAJOR
from .sweep import judge, sweep


class Worker:
    """Answers to one message after the other; `config` as the parent's `Recording` writes it."""

    def __init__(self, config: dict[str, Any], answer: Answer) -> None:
        self.config, self.answer = config, answer
        self.folder, self.scratch = Path(config["subject"]), Path(config["scratch"])
        select_backend(config["backend"])
        self.major = int(config.get("major") or MAJOR)
        self._bench: Workbench | None = None

    @property
    def bench(self) -> Workbench:
        """Made when first needed: probes come first in their process."""
        if self._bench is None:
            host = self.config["backend"] == "cpu"
            self._bench = Workbench(LibrarySubject(self.folder, load(), self.major, host_memory=host))
        return self._bench

    def run(self, task: dict[str, Any]) -> None:
        getattr(self, task["do"])(task)
        self.answer({"done": True})

    def versions(self, task: dict[str, Any]) -> None:
        self.answer(probes.versions(probes.Tongue(self.folder, self.major, lambda step: None)))

    def probe(self, task: dict[str, Any]) -> None:
        """One group of probes. The process ends with it."""
        note = Note(str(self.scratch))
        tongue = probes.Tongue(self.folder, self.major, self.answer, lambda i: note(str(i)), set(task["skip"]))
        corners.GROUPS[task["group"]](tongue)
        os._exit(self._end())  # what a group left behind ends with its process

    def _end(self) -> int:
        self.answer({"done": True})
        return 0

    def sweep(self, task: dict[str, Any]) -> None:
        """Statuses of all tuples of types, from `start` on."""
        function = load().function(task["function"], "cublas")
        assert function is not None
        subject = self.bench.subject
        assert isinstance(subject, LibrarySubject)

        def tell(start: int, found: list[int]) -> None:
            self.answer({"from": start, "statuses": found})

        sweep(function, subject, self.scratch, task["quick"], task["start"], task["skip"], tell)

    def judge(self, task: dict[str, Any]) -> None:
        """The numbers of a tuple of types that NVIDIA's library took, by the oracle: of small and of aligned sizes."""
        function = load().function(task["function"], "cublas")
        assert function is not None
        found = judge(function, self.bench, tuple(task["types"]))
        self.answer({"small": found.small, "aligned": found.aligned})


def main() -> int:
    return serve(lambda config, answer: Worker(config, answer).run)
