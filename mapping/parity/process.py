"""The two ends of a child process: questions and answers are JSON lines on its standard streams.

A child that dies, hangs or loses its device costs one answer, never the run of its parent."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from .memory import StickyError
from .subject import LoadError

Answer = Callable[[dict[str, Any]], None]


class Child:
    """The parent's end. `failed` says why the child could not start, or is empty.

    folder  of its own: for what it prints on standard error, and the scratch file that holds the call that comes next
    config  the first line that it reads
    limit   seconds that it may take to start"""

    def __init__(
        self, command: Sequence[str], base: Mapping[str, str], folder: Path, config: Mapping[str, Any], limit: float
    ) -> None:
        self.scratch = folder / "call"
        self.scratch.write_bytes(b"")
        self.errors = (folder / "errors").open("w+b")
        self.hung = False
        self.sticky = ""
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.errors,
            text=True,
            encoding="utf-8",
            env={**base, "HYPOTHESIS_STORAGE_DIRECTORY": str(folder / "hypothesis")},  # nothing in the user's folder
        )
        self.send({**config, "scratch": str(self.scratch)})
        ready = self.receive(limit)
        self.failed = (
            "" if "ready" in ready else ready.get("failed") or f"a child process cannot start: {ready.get('why')}"
        )

    @property
    def alive(self) -> bool:
        return not self.hung and not self.sticky and self.process.poll() is None

    def send(self, message: Any) -> None:
        stream: IO[str] = self.process.stdin  # type: ignore[assignment]
        with contextlib.suppress(OSError):  # it died: `receive` says so
            stream.write(json.dumps(message) + "\n")
            stream.flush()

    def receive(self, limit: float) -> dict[str, Any]:
        """Its next line, or `{"state": …, "why": …}` once it is gone."""
        stream: IO[str] = self.process.stdout  # type: ignore[assignment]
        timer = threading.Timer(limit, self._stop)
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
            return {"state": "hang", "why": f"no answer within {limit:g} s"}
        return {"state": "crash", "why": _death(self.process.wait()) + self.last_words()}

    def _stop(self) -> None:
        self.hung = True
        self.process.kill()

    def last_words(self) -> str:
        """The last line that it printed."""
        self.errors.flush()
        self.errors.seek(0)
        lines = self.errors.read()[-4000:].decode("utf-8", "replace").strip().splitlines()
        return f": {lines[-1]}" if lines else ""

    def last_line(self) -> str:
        """The call that was about to be made, as the child noted it."""
        return self.scratch.read_bytes().split(b"\n", 1)[0].decode("utf-8", "replace")

    def close(self) -> None:
        """Let the child end by itself; kill it where it does not."""
        if self.process.stdin:
            with contextlib.suppress(OSError):
                self.process.stdin.close()
        try:
            self.process.wait(timeout=10)
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


def serve(begin: Callable[[dict[str, Any], Answer], Callable[[Any], None]]) -> int:
    """The child's end, until its input ends. `begin` makes of the settings what works through one question and answers it."""
    # Answers keep the real standard output; libraries that print are sent to standard error.
    out = os.fdopen(os.dup(1), "w", buffering=1, encoding="utf-8")
    os.dup2(2, 1)

    def answer(message: dict[str, Any]) -> None:
        out.write(json.dumps(message) + "\n")
        out.flush()

    try:
        work = begin(json.loads(sys.stdin.readline()), answer)
    except (LoadError, StickyError) as error:
        answer({"failed": str(error)})
        return 2
    answer({"ready": True})
    for line in sys.stdin:
        try:
            work(json.loads(line))
        except StickyError as error:
            answer({"sticky": str(error)})
            return 3
        except LoadError as error:
            answer({"missing": str(error)})
    return 0


class Note:
    """The scratch file. One small write a call: the parent reads it only after a death."""

    def __init__(self, path: str) -> None:
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o600)

    def __call__(self, text: str) -> None:
        os.lseek(self._file, 0, os.SEEK_SET)
        os.write(self._file, (text + "\n").encode(errors="surrogateescape"))
