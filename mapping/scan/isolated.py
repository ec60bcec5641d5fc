"""Reads binaries in a child process with a limit on time and memory: files come from anywhere, and parsers have faults."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from dataclasses import asdict
from pathlib import Path
from types import TracebackType
from typing import Any

from .binary import Facts, read

SECONDS = 180
BYTES = 16 << 30  # of address space; a file of some GB is mapped and parsed


class Reader:
    """Asks one child for one file after the other; a child that dies is replaced."""

    def __init__(self) -> None:
        self._child: subprocess.Popen[str] | None = None

    def __enter__(self) -> Reader:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._end()

    def facts(self, path: Path) -> Facts:
        """ValueError, with one line, where the file cannot be read."""
        child = self._running()
        assert child.stdin is not None
        assert child.stdout is not None
        late = threading.Timer(SECONDS, child.kill)
        late.start()
        try:
            child.stdin.write(json.dumps(os.fspath(path)) + "\n")
            child.stdin.flush()
            line = child.stdout.readline()
        except OSError:
            line = ""
        finally:
            late.cancel()
        if not line:
            self._end()
            raise ValueError("its reader ended or took too long: a broken file")
        answer = json.loads(line)
        if "error" in answer:
            raise ValueError(answer["error"])
        fields: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in answer.items()}
        return Facts(**fields)

    def _running(self) -> subprocess.Popen[str]:
        if self._child is None:
            package = Path(__file__).resolve().parents[1]
            code = f"import sys; sys.path.insert(0, {os.fspath(package.parent)!r}); from {__package__} import isolated; isolated.serve()"
            self._child = subprocess.Popen(
                [sys.executable, "-c", code],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                encoding="utf-8",
                env={**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)},
            )
        return self._child

    def _end(self) -> None:
        child, self._child = self._child, None
        if child is None:
            return
        if child.stdin:
            child.stdin.close()
        try:
            child.wait(5)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()
        if child.stdout:
            child.stdout.close()


def serve() -> None:
    """The child: a path a line in, a JSON object a line out."""
    if sys.platform != "win32":
        import resource

        _, most = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (BYTES if most == resource.RLIM_INFINITY else min(BYTES, most), most))
    for line in sys.stdin:
        try:
            answer = asdict(read(Path(json.loads(line))))
        except MemoryError:
            answer = {"error": "larger than this machine's memory allows"}
        except Exception as error:  # whatever a parser thinks up
            answer = {"error": str(error) or type(error).__name__}
        print(json.dumps(answer), flush=True)
