"""The report on a terminal: one table of all libraries, then the chapters of one CUDA version."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from .model import KINDS, UNDOCUMENTED, Count, Coverage, LibraryCoverage, cuda_of, percent

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

_STYLE = {"unsupported": "red", "confirmed": "green"}


def show(report: Coverage, console: Console, major: int) -> None:
    """The report as tables, of each library's version in one CUDA major."""
    # Kinds that no function has yet would only take room.
    kinds = [k for k in KINDS if any(Count.of(x.rows).kinds[k] for x in report.libraries)]
    table = _table("Which of NVIDIA's functions are answered", kinds, "library", "CUDA", "version")
    for library in report.libraries:
        _add(table, Count.of(library.rows), kinds, library.title, cuda_of(library), library.version)
    console.print(table)
    for library in report.libraries:
        if major in library.cuda:
            console.print(_chapters(library, kinds))
    console.print(legend(report), soft_wrap=True)


def _chapters(library: LibraryCoverage, kinds: Sequence[str]) -> Table:
    table = _table(library.titled, kinds, "chapter")
    for chapter, rows in library.chapters().items():
        _add(table, Count.of(rows), kinds, chapter)
    return table


def _table(title: str, kinds: Sequence[str], *first: str) -> Table:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(title=title, title_justify="left", box=SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    for name in first:
        table.add_column(name)
    for name in ("total", *kinds, "other", "answered", "confirmed"):
        table.add_column(name, justify="right", style=_STYLE.get(name))
    return table


def _add(table: Table, count: Count, kinds: Sequence[str], *first: str) -> None:
    answered = percent(count.answered, count.total)
    cells = [str(count.kinds[k] or "") for k in kinds]
    table.add_row(*first, str(count.total), *cells, str(count.undocumented or ""), answered, str(count.confirmed or ""))


def legend(report: Coverage) -> str:
    """What the numbers mean, and what they do not."""
    confirmed = sum(Count.of(x.rows).confirmed for x in report.libraries)
    lines = [
        "answered: not “not supported”. Mapped alone is a claim; confirmed means that a judge ran it on this build.",
        f"other: {UNDOCUMENTED}.",
    ]
    if not confirmed:
        lines.append("Nothing is confirmed on this build yet: dragoman prove")
    return "\n".join(lines)
