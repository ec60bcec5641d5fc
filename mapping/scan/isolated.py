"""Reads binaries in a child process with a limit on time and memory: files come from anywhere, and parsers have faults."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from types import TracebackType
from typing import Any

from ..children import main_of
from ..parity.process import Answer, Child, serve
from .binary import Facts, read

SECONDS = 180
BYTES = 16 << 30  # of address space; a file of some GB is mapped and parsed


class Reader:
    """Asks one child for one file after the other; a child that dies is replaced."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="dragoman-scan-")
        self._child: Child | None = None

    def __enter__(self) -> Reader:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._end()
        self._folder.cleanup()

    def facts(self, path: Path) -> Facts:
        """ValueError, with one line, where the file cannot be read."""
        if self._child is None:
            self._child = Child(main_of(__name__), os.environ, Path(self._folder.name), {}, SECONDS)
        self._child.send(os.fspath(path))
        answer = self._child.receive(SECONDS)
        if "state" in answer:
            self._end()
            raise ValueError("its reader ended or took too long: a broken file")
        if "error" in answer:
            raise ValueError(answer["error"])
        fields: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in answer.items()}
        return Facts(**fields)

    def _end(self) -> None:
        child, self._child = self._child, None
        if child is not None:
            child.close()


def _begin(config: dict[str, Any], answer: Answer) -> Callable[[str], None]:
    """The child's side: a path comes in, its facts or an `error` go out."""
    if sys.platform != "win32":
        import resource

        _, most = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (BYTES if most == resource.RLIM_INFINITY else min(BYTES, most), most))

    def work(path: str) -> None:
        try:
            found = asdict(read(Path(path)))
        except MemoryError:
            found = {"error": "larger than this machine's memory allows"}
        except Exception as error:  # whatever a parser thinks up
            found = {"error": str(error) or type(error).__name__}
        answer(found)

    return work


def main() -> int:
    return serve(_begin)
