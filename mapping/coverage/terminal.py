"""The report on a terminal: one table of all libraries, then the chapters of one CUDA version."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .model import KINDS, Count, Coverage, LibraryCoverage, percent

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

_STYLE = {"unsupported": "red", "confirmed": "green"}


def show(report: Coverage, console: Console, major: int) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(title="Which of NVIDIA's functions are answered", title_justify="left", box=SIMPLE_HEAD)
    _columns(table, "library", "CUDA", "version")
    for library in report.libraries:
        _add(table, Count.of(library.rows), library.title, str(library.cuda), library.version)
    console.print(table)
    for library in report.libraries:
        if library.cuda == major:
            console.print(_chapters(library))
    console.print(legend(report), soft_wrap=True)


def _chapters(library: LibraryCoverage) -> Table:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(title=f"{library.title} for CUDA {library.cuda}", title_justify="left", box=SIMPLE_HEAD)
    _columns(table, "chapter")
    for chapter, rows in library.chapters().items():
        _add(table, Count.of(rows), chapter)
    return table


def _columns(table: Table, *first: str) -> None:
    for name in first:
        table.add_column(name, no_wrap=True)
    for name in ("functions", *KINDS, "answered", "confirmed"):
        table.add_column(name, justify="right", style=_STYLE.get(name))


def _add(table: Table, count: Count, *first: str) -> None:
    kinds = [str(count.kinds[k] or "") for k in KINDS]
    answered = percent(count.answered, count.total)
    table.add_row(*first, str(count.total), *kinds, answered, str(count.confirmed or ""))


def legend(report: Coverage) -> str:
    """What the numbers mean, and what they do not."""
    confirmed = sum(Count.of(x.rows).confirmed for x in report.libraries)
    lines = [
        "answered: not “not supported”. Mapped alone is a claim; confirmed means that a judge ran it on this build."
    ]
    if not confirmed:
        lines.append("Nothing is confirmed on this build yet: dragoman prove")
    return "\n".join(lines)
