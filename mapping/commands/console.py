"""Where output goes: results to stdout, progress and remarks to stderr; colour and bars only on terminals."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress, TaskID

PIPE_WIDTH = 120  # of tables that nobody's terminal limits
_QUIET_SECONDS = 5.0  # between two lines of progress in a log


def stdout() -> Console:
    from rich.console import Console

    class Results(Console):
        def on_broken_pipe(self) -> None:
            raise  # rich's own ends the program with 1; cli.py says what it means here

    # No markup: `[/x]` in a name or a reason is text.
    return Results(highlight=False, markup=False, emoji=False, width=None if sys.stdout.isatty() else PIPE_WIDTH)


def say(text: str) -> None:
    """A remark, on stderr, so that output can be piped."""
    print(text, file=sys.stderr, flush=True)


def plain(text: str) -> str:
    """What a file calls itself or its parts, in one line: no terminal takes it for an order, nobody for a line of ours."""
    return "".join(c if c.isprintable() else "\ufffd" for c in text)


class Steps:
    """Progress of one long piece of work: a bar on a terminal, elsewhere a line now and then.

    Shows nothing before the first step, so that work with nothing to do stays silent.
    """

    def __init__(self, title: str) -> None:
        self.title = title
        self._bar: Progress | None = None
        self._task: TaskID | None = None
        self._said = time.monotonic()

    def __enter__(self) -> Steps:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._bar:
            self._bar.stop()

    def at(self, done: int, total: int, what: str) -> None:
        """`total` 0: nobody knows it yet."""
        what = plain(what)
        if sys.stderr.isatty():
            self._draw(done, total, what)
        elif done == total or time.monotonic() - self._said >= _QUIET_SECONDS:
            self._said = time.monotonic()
            say(f"{self.title}: {done} of {total}, {what}" if total else f"{self.title}: {done}, {what}")

    def _draw(self, done: int, total: int, what: str) -> None:
        if self._bar is None:
            from rich.console import Console
            from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

            self._bar = Progress(
                TextColumn("{task.description}", markup=False),
                BarColumn(bar_width=24),
                MofNCompleteColumn(),
                TimeElapsedColumn(),
                TextColumn("{task.fields[what]}", style="dim", markup=False),
                console=Console(stderr=True),
                transient=True,
            )
            self._task = self._bar.add_task(self.title, total=total or None, what=what)
            self._bar.start()
        assert self._task is not None
        self._bar.update(self._task, completed=done, total=total or None, what=what)
