"""The parent: hands functions to children, one thread a child, and gathers what came of each.

Results depend on the tables, the subject and the seed alone: each function's examples come from a seed derived from its name.
"""

from __future__ import annotations

import fnmatch
import os
import queue
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from ..tables.loader import load
from ..tables.model import Function, Tables
from . import known
from .options import Options, ParityError, default_subject
from .report import FunctionResult, Report
from .session import Session

__all__ = ["Options", "ParityError", "Progress", "chosen", "default_subject", "examined", "run_parity"]

Progress = Callable[[int, int, FunctionResult], None]


def chosen(tables: Tables, options: Options) -> list[Function]:
    """The functions that the globs name (symbol, header name or entry), supported ones only, the costly ones first."""
    found = [
        f
        for f in tables.functions(options.library, options.major)
        if f.kind != "unsupported"
        and any(
            fnmatch.fnmatchcase(name, glob)
            for glob in options.functions
            for name in (f.name, f.alias, f.entry.key)
            if name
        )
    ]
    return sorted(found, key=lambda f: ("Level-1" in f.entry.chapter, -len(f.params)))


def run_parity(options: Options, progress: Progress | None = None) -> Report:
    """Run the suite. Raises `ParityError` where no child can start."""
    if options.library.startswith("cudnn"):
        from .dnn.runner import run

        return run(options, progress)
    tables = load(options.tables)
    functions = chosen(tables, options)
    if not functions:
        raise ParityError(no_match(tables, options.library, options.major, options.functions))
    if options.quick:
        options = replace(options, examples=max(5, options.examples // 5))
    if not options.factory:
        options = replace(options, subject=(options.subject or default_subject(options.major)).absolute())
    begun = time.monotonic()
    results = Work(options, functions, progress).all()
    return Report(
        judge=options.judge,
        library=options.library,
        cuda=options.major,
        seed=options.seed,
        examples=options.examples,
        seconds=time.monotonic() - begun,
        results=tuple(known.applied(results[f.name], options.backend) for f in _in_table_order(functions, tables)),
    )


def no_match(tables: Tables, library: str, major: int, globs: Sequence[str]) -> str:
    """Why there is nothing to test: no such function, or one that is refused."""
    for f in tables.functions(library, major):
        if f.kind == "unsupported" and any(fnmatch.fnmatchcase(f.name, glob) for glob in globs):
            return f"{f.name} is not answered, so there is nothing to compare: {f.entry.unsupported}"
    return f"no function of {library} {major} matches {', '.join(globs)}"


def _in_table_order(functions: Sequence[Function], tables: Tables) -> list[Function]:
    names = {f.name for f in functions}
    return [f for f in tables.functions(functions[0].entry.library) if f.name in names]


class Work:
    """A queue of functions and a thread for each child. `session` and `examine` are another suite's own."""

    def __init__(
        self,
        options: Options,
        functions: Sequence[Any],
        progress: Progress | None,
        session: Callable[[Options], Any] = Session,
        examine: Callable[[Any, Any, Sequence[str]], FunctionResult] | None = None,
    ) -> None:
        self.options, self.progress = options, progress
        self.session, self.examine = session, examine or examined
        self.functions: queue.SimpleQueue[Any] = queue.SimpleQueue()
        for function in functions:
            self.functions.put(function)
        self.count = len(functions)
        self.results: dict[str, FunctionResult] = {}
        self.lock = threading.Lock()
        self.failure = ""

    def all(self) -> dict[str, FunctionResult]:
        """Results by function, of as many children at once as the options allow."""
        count = max(1, min(self.options.workers or os.cpu_count() or 1, self.count))
        threads = [threading.Thread(target=self._work, daemon=True) for _ in range(count)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if self.failure:
            raise ParityError(self.failure)
        return self.results

    def _work(self) -> None:
        try:
            with self.session(self.options) as session:
                while not self.failure:
                    try:
                        function = self.functions.get_nowait()
                    except queue.Empty:
                        return
                    self._finish(self.examine(session, function, self.options.parts))
        except ParityError as error:
            self.failure = self.failure or str(error)
        except BaseException as error:  # a mistake of ours: the run fails, it does not hang
            self.failure = self.failure or f"{type(error).__name__}: {error}"
            raise

    def _finish(self, result: FunctionResult) -> None:
        with self.lock:
            self.results[result.name] = result
            if self.progress:
                self.progress(len(self.results), self.count, result)


def examined(session: Session, function: Function, parts: Sequence[str]) -> FunctionResult:
    """Both tests of one function."""
    begun = time.monotonic()
    result = FunctionResult.of(function)
    if "numbers" in parts:
        result = replace(result, numbers=session.numbers(function))
    if "statuses" in parts:
        result = replace(result, statuses=session.statuses(function))
    return replace(result, seconds=time.monotonic() - begun)
