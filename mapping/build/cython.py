""".pyx → .c, and the gates that keep Python out of the result.

The C that Cython writes for functions marked `noexcept nogil` touches no Python; the part that does (the module
initialiser) is never called and the linker drops it. Three gates keep it so:

- a Cython warning is an error;
- nothing may be assigned in the module initialiser (`module_level_values`): such a value would be lost without a
  word, since the initialiser never runs;
- `runtime/nopython/Python.h` lacks what code with the GIL needs, so such code fails to compile, and what it does
  declare has no definition, so the link fails (`-z defs`, and verify.py for Windows).

`Translator` keeps worker processes: Cython is slow to import and holds its state in globals.
"""

from __future__ import annotations

import contextlib
import gc
import io
import json
import os
import queue
import re
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import TracebackType
from typing import Any, TextIO

from ..children import main_of
from .plan import BuildError

# No exception can be raised: C division, no bounds to check. Everything else is Cython's default.
DIRECTIVES: dict[str, bool | str] = {
    "language_level": "3",
    "cdivision": True,
    "boundscheck": False,
    "wraparound": False,
    "initializedcheck": False,
    "embedsignature": False,
    "emit_code_comments": False,  # half of each C file, which nobody reads: the .pyx is the readable one
}

_COLLECT_AFTER = 400_000  # bytes of source; keeps a worker that cannot fork below about 500 MB

_ASSIGNED = re.compile(r"^[^/\n]*\b(__pyx_v_(\w+))[^\n]*$", re.MULTILINE)
_MARKS = ("/*--- Execution code ---*/", "/*--- Wrapped vars code ---*/")
_LINE = re.compile(r'^\s*#line (\d+) "((?:[^"\\]|\\.)*)"', re.MULTILINE)
# "level3.pyx:12:4: message", as Cython prints below an excerpt of the source
_MESSAGE = re.compile(r"^(?:warning: )?(\S[^\n]*?:\d+:\d+: [^\n]+)", re.MULTILINE)


def cython_version() -> str:
    """The installed Cython, which is part of what an object depends on."""
    try:
        return version("cython")
    except PackageNotFoundError as error:
        raise BuildError("no Cython: pip install cython") from error


def module_level_values(c_text: str, module: str) -> list[tuple[str, str, int]]:
    """Variables that the module initialiser assigns, as (name, file, line): each of them would be lost."""
    found: list[tuple[str, str, int]] = []
    start = c_text.find(_MARKS[0])
    end = c_text.find(_MARKS[1], start)
    if start < 0 or end < 0:
        raise BuildError("the C that Cython wrote has no marks around the module's code; is this Cython supported?")
    for match in _ASSIGNED.finditer(c_text, start, end):
        place = list(_LINE.finditer(c_text, start, match.start()))
        # A module's own variables carry its name: __pyx_v_9text__one_g
        name = match[2].removeprefix(f"{len(module)}{module}_")
        found.append((name, place[-1][2] if place else "", int(place[-1][1]) if place else 0))
    return found


def translate(source: Path, c_file: Path, module: str, include_dirs: Sequence[Path], name: str) -> None:
    """Translates one file in this process; a BuildError says what is wrong in one line.

    `name` is what messages call the source. Cython's working folder shows in its output, so it is made the
    source's own: the same source gives the same C wherever it lies.
    """
    from Cython.Compiler import Errors, Options
    from Cython.Compiler.Main import compile_single

    options = Options.CompilationOptions(
        Options.default_options,
        output_file=str(c_file),
        include_path=[str(folder) for folder in include_dirs],
        compiler_directives=dict(DIRECTIVES),
        language_level=3,
        emit_linenums=True,
        c_line_in_traceback=False,
    )
    said = io.StringIO()
    before = os.getcwd()
    os.chdir(source.parent)
    try:
        Errors.init_thread()
        with contextlib.redirect_stderr(said), contextlib.redirect_stdout(said):
            result = compile_single(source.name, options, full_module_name=module)
    finally:
        os.chdir(before)
    message = _MESSAGE.search(said.getvalue())
    if result.num_errors or message:
        text = message[1] if message else (said.getvalue().strip().splitlines() or ["no message"])[-1]
        raise BuildError(f"Cython: {text.replace(source.name, name, 1)}")
    lost = module_level_values(c_file.read_text(encoding="utf-8"), module)
    if lost:
        variable, file, line = lost[0]
        where = (name if file in ("", source.name) else file) + (f":{line}" if line else "")
        raise BuildError(
            f"{where}: {variable} gets its value at module level, which never runs here; "
            "write a static table in verbatim C, or set it in a function"
        )


def main() -> None:
    """A worker's loop: one JSON request a line on stdin, one answer a line on stdout."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # whatever else prints must not get between the answers
    # Cython makes objects by the million and the collector looks at all of them again and again: a third of the time.
    gc.disable()
    forks = hasattr(os, "fork")
    if forks:
        _prepare()  # while whoever started this has other work to do
    read = 0
    for line in sys.stdin:
        ask = json.loads(line)
        answers.write((_apart(ask, answers) if forks else _answer(ask)) + "\n")
        answers.flush()
        read += int(ask["size"])
        if not forks and read > _COLLECT_AFTER:
            gc.collect()
            read = 0


def _prepare() -> None:
    """Loads Cython and fills what it keeps for all sources."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "first.pyx"
        source.write_text("cdef public int first(int n) noexcept nogil:\n    return n\n", encoding="utf-8")
        _answer(
            {"source": str(source), "c_file": f"{folder}/first.c", "module": "first", "dirs": [], "name": "first.pyx"}
        )


def _answer(ask: Mapping[str, Any]) -> str:
    answer: dict[str, str] = {}
    try:
        translate(Path(ask["source"]), Path(ask["c_file"]), ask["module"], [Path(p) for p in ask["dirs"]], ask["name"])
    except BuildError as error:
        answer["error"] = str(error)
    except Exception as error:  # a crash of Cython's own is told like any other error
        answer["error"] = f"{ask['name']}: Cython failed: {type(error).__name__}: {error}"
    return json.dumps(answer)


def _apart(ask: Mapping[str, Any], answers: TextIO) -> str:
    """The answer of a copy of this process, which takes its objects along: nothing is left to collect."""
    reads, writes = os.pipe()
    child = os.fork()
    if child == 0:
        answers.close()  # who waits for this worker's end does not wait for the copy's
        with contextlib.suppress(BaseException), os.fdopen(writes, "w", encoding="utf-8") as pipe:
            pipe.write(_answer(ask))
        os._exit(0)
    os.close(writes)
    with os.fdopen(reads, encoding="utf-8") as pipe:
        said = pipe.read()
    os.waitpid(child, 0)
    return said or json.dumps({"error": f"{ask['name']}: the process that runs Cython ended"})


class Translator:
    """Up to as many worker processes as threads ask at once; they end with the `with` block."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._idle: queue.SimpleQueue[subprocess.Popen[str]] = queue.SimpleQueue()
        self._all: list[subprocess.Popen[str]] = []
        self._lock = threading.Lock()

    def __enter__(self) -> Translator:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for worker in self._all:
            worker.kill()
            worker.communicate()

    def _start(self) -> subprocess.Popen[str]:
        worker = subprocess.Popen(
            main_of(__name__),
            cwd=self._folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            encoding="utf-8",
        )
        with self._lock:
            self._all.append(worker)
        return worker

    def warm(self, count: int) -> None:
        """Starts workers that will be asked later: importing Cython takes half a second."""
        for _ in range(count):
            self._idle.put(self._start())

    def translate(self, source: Path, c_file: Path, module: str, include_dirs: Sequence[Path], name: str) -> None:
        """As the function `translate`, in a worker process."""
        try:
            worker = self._idle.get_nowait()
        except queue.Empty:
            worker = self._start()
        ask = {
            "source": str(source),
            "size": source.stat().st_size,
            "c_file": str(c_file),
            "module": module,
            "dirs": [str(folder) for folder in include_dirs],
            "name": name,
        }
        assert worker.stdin
        assert worker.stdout
        try:
            worker.stdin.write(json.dumps(ask) + "\n")
            worker.stdin.flush()
            line = worker.stdout.readline()
        except OSError:
            line = ""
        if not line:
            raise BuildError(f"{name}: the process that runs Cython ended; is Cython installed for {sys.executable}?")
        self._idle.put(worker)
        answer = json.loads(line)
        if "error" in answer:
            raise BuildError(answer["error"])
