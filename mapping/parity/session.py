"""Children of the runner, and a session that replaces the one that died.

A child that dies, hangs or loses its device costs one answer (`crash`, `hang`, `sticky`), never the run.
"""

from __future__ import annotations

import json
import os
import tempfile
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any

from ..children import main_of
from ..tables.model import Function
from .cases import Case, as_python
from .options import Options, ParityError
from .procedures import procedure_of
from .process import Child
from .report import Numbers, Status
from .strategies import why_untested


class Session:
    """One child after the other, made when first needed. Not for several threads at once."""

    worker = f"{__package__}.worker"  # the module that a child runs

    def __init__(self, options: Options) -> None:
        self.options = options
        self._folder = tempfile.TemporaryDirectory(prefix="dragoman-parity-")
        self._child: _Child | None = None

    def __enter__(self) -> Session:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        if self._child:
            self._child.close()
            self._child = None
        self._folder.cleanup()

    def _alive(self) -> _Child:
        if self._child and not self._child.alive:
            self._child.close()
            self._child = None
        if self._child is None:
            self._child = _Child(self.options, Path(self._folder.name), self.worker, self._config())
            if self._child.failed:
                raise ParityError(self._child.failed)
        return self._child

    def _config(self) -> dict[str, Any]:
        """What a child is told beside what every suite tells."""
        return {}

    def numbers(self, function: Function) -> Numbers:
        """The numbers test of one function."""
        reason = why_untested(function)
        if reason and not procedure_of(function):
            return Numbers("none", lines=(reason,))
        child = self._alive()
        share = 1 if function.form.base != "v1" and not function.form.wide else 3
        child.send({**_name(function), "part": "numbers", "examples": max(4, self.options.examples // share)})
        reply = child.answer()
        if "done" in reply:
            failing = Case.from_json(reply["failing"]) if reply["failing"] else None
            python = as_python(failing, function.entry) if failing else reply["python"]
            state = "fail" if reply["lines"] else "pass"
            return Numbers(state, reply["examples"], reply["error"], tuple(reply["lines"]), python)
        if "missing" in reply:
            return Numbers("fail", lines=(reply["missing"],))
        last = child.last_call()
        python = last.get("python") or as_python(Case.from_json(last), function.entry) if last else ""
        return Numbers(reply["state"], lines=(reply["why"],), python=python)

    def statuses(self, function: Function) -> tuple[Status, ...]:
        """The status test of one function; each case that kills a child is followed by a new child."""
        return self._all_statuses(_name(function))

    def _all_statuses(self, task: dict[str, Any]) -> tuple[Status, ...]:
        found: list[Status] = []
        skip: int | None = 0
        while skip is not None:
            skip = self._some_statuses(task, skip, found)
        return tuple(found)

    def _some_statuses(self, task: dict[str, Any], skip: int, found: list[Status]) -> int | None:
        """Ask one child from case `skip` on; the case to go on with in the next child, or None at the end."""
        child = self._alive()
        child.send({**task, "part": "statuses", "skip": skip})
        at: dict[str, Any] = {}
        while True:
            reply = child.answer()
            if "at" in reply:
                at = reply
            elif "got" in reply:
                wanted = reply.get("right", reply["expected"] in (None, reply["got"]))
                right = wanted and not reply["changed"]
                state, notes = "pass" if right else "fail", tuple(reply["changed"])
                found.append(Status(reply["case"], reply["expected"], reply["got"], state, notes))
            elif "done" in reply:
                return None
            elif "missing" in reply:
                found.append(Status("export", 0, None, "fail", (reply["missing"],)))
                return None
            elif not at:  # died before its first case
                found.append(Status("start", 0, None, reply["state"], (reply["why"],)))
                return None
            else:
                if not (found and found[-1].case == at["case"]):
                    found.append(Status(at["case"], at["expected"], None, reply["state"], (reply["why"],)))
                elif reply["state"] == "sticky":  # it answered, and then the device was lost
                    found[-1] = replace(found[-1], state="sticky", notes=(*found[-1].notes, reply["why"]))
                return int(at["at"]) + 1


def _name(function: Function) -> dict[str, Any]:
    return {"function": function.name, "library": function.entry.library}


class _Child(Child):
    """One child of the suite."""

    def __init__(self, options: Options, folder: Path, module: str, config: dict[str, Any]) -> None:
        self.hidden = {str(options.subject or ""): "SUBJECT", str(Path.home()): "~"}
        self.limit = options.limit
        # One thread a child: the children already use every processor.
        base = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", **os.environ}
        told = {
            "subject": str(options.subject) if options.subject else "",
            "backend": "" if options.nvidia else options.backend,
            "major": options.major,
            "seed": options.seed,
            "factory": options.factory,
            "tables": str(options.tables) if options.tables else "",
            "nvidia": options.nvidia,
            **config,
        }
        # to start: imports and tables, on a busy machine
        super().__init__(main_of(module), base, folder, told, max(60.0, options.limit))

    def answer(self) -> dict[str, Any]:
        return self.receive(self.limit)

    def last_words(self) -> str:
        last = super().last_words()
        for text, instead in self.hidden.items():  # a report can be shared: no path of this machine
            last = last.replace(text, instead) if len(text) > 1 else last
        return last

    def last_call(self) -> dict[str, Any] | None:
        """The case that was about to be tried, as JSON."""
        try:
            case: dict[str, Any] = json.loads(self.last_line())
        except ValueError:
            return None
        return case
