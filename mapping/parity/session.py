"""Children of the runner, and a session that replaces the one that died.

A child that dies, hangs or loses its device costs one answer (`crash`, `hang`, `sticky`), never the run.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import tempfile
import threading
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from .. import paths
from ..tables.model import Function
from .cases import Case, as_python
from .options import Options, ParityError
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
        if reason:
            return Numbers("none", lines=(reason,))
        child = self._alive()
        share = 1 if function.form.base != "v1" and not function.form.wide else 3
        child.send({**_name(function), "part": "numbers", "examples": max(4, self.options.examples // share)})
        reply = child.receive()
        if "done" in reply:
            failing = Case.from_json(reply["failing"]) if reply["failing"] else None
            python = as_python(failing, function.entry) if failing else ""
            state = "fail" if failing else "pass"
            return Numbers(state, reply["examples"], reply["error"], tuple(reply["lines"]), python)
        if "missing" in reply:
            return Numbers("fail", lines=(reply["missing"],))
        last = child.last_call()
        python = as_python(Case.from_json(last), function.entry) if last else ""
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
            reply = child.receive()
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


class _Child:
    """One child process. `receive` answers its next line, or `{"state": …, "why": …}` once it is gone."""

    def __init__(self, options: Options, folder: Path, module: str, config: dict[str, Any]) -> None:
        self.scratch = folder / "call"
        self.scratch.write_bytes(b"")
        self.errors = (folder / "errors").open("w+b")
        self.hidden = {str(options.subject or ""): "SUBJECT", str(Path.home()): "~"}
        self.limit = max(60.0, options.limit)  # to start: imports and tables, on a busy machine
        self.hung = False
        self.sticky = ""
        environment = dict(os.environ)
        root = str(paths.package_dir().parent)
        if paths.package_dir().name == module.split(".")[0]:  # a checkout need not be installed
            environment["PYTHONPATH"] = os.pathsep.join(p for p in (root, environment.get("PYTHONPATH", "")) if p)
        environment["HYPOTHESIS_STORAGE_DIRECTORY"] = str(folder / "hypothesis")  # nothing in the user's folder
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
                **config,
            }
        )
        ready = self.receive()
        self.limit = options.limit
        self.failed = (
            "" if "ready" in ready else ready.get("failed") or f"a child process cannot start: {ready.get('why')}"
        )

    @property
    def alive(self) -> bool:
        return not self.hung and not self.sticky and self.process.poll() is None

    def send(self, message: dict[str, Any]) -> None:
        stream: IO[str] = self.process.stdin  # type: ignore[assignment]
        with contextlib.suppress(OSError):  # it died: `receive` says so
            stream.write(json.dumps(message) + "\n")
            stream.flush()

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
        last = f": {lines[-1]}" if lines else ""
        for text, instead in self.hidden.items():  # a report can be shared: no path of this machine
            last = last.replace(text, instead) if len(text) > 1 else last
        return last

    def last_call(self) -> dict[str, Any] | None:
        """The case that was about to be tried, as JSON."""
        line = self.scratch.read_bytes().split(b"\n", 1)[0]
        try:
            case: dict[str, Any] = json.loads(line)
        except ValueError:
            return None
        return case

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
