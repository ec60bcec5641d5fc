"""`dragoman coverage`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import UserError
from ..run import place
from .console import say, stdout

if TYPE_CHECKING:
    from ..coverage.model import Coverage

SHOWN = 10  # differences that are listed on a terminal


def collect(libraries: Sequence[str] = (), majors: Sequence[int] = ()) -> Coverage:
    from ..coverage.collect import collect as collected
    from ..tables.loader import load

    tables = load()
    for name in libraries:
        if name not in tables.libraries:
            raise UserError(f"no library {name!r}; there are {', '.join(tables.libraries)}")
    return collected(tables, place.root(), libraries=libraries, majors=majors)


def coverage(form: str, out: Path | None, libraries: Sequence[str], majors: Sequence[int]) -> int:
    if out:
        writable(out)
    report = collect(libraries, majors)
    if form == "table" and out is None:
        from ..coverage.terminal import show

        shown = majors[0] if len(majors) == 1 else place.DEFAULT_MAJOR
        show(report, stdout(), shown)
    else:
        text = render(report, form)
        if out is None:
            print(text, end="")
        else:
            write(out, text)
            say(f"wrote {out}")
    return complain(report)


def render(report: Coverage, form: str) -> str:
    if form == "json":
        return report.to_json() + "\n"
    if form == "html":
        from ..coverage import html

        return html.render(report)
    if form == "md":
        from ..coverage import markdown

        return markdown.render(report)
    import io

    from rich.console import Console

    from ..coverage.terminal import show

    console = Console(file=io.StringIO(), width=120, highlight=False)
    show(report, console, place.DEFAULT_MAJOR)
    return console.file.getvalue()  # type: ignore[attr-defined, no-any-return]


def write(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UserError(f"cannot write {path}: {error.strerror}") from error


def writable(path: Path) -> None:
    """Refuses a file that `write` could not write, before the work and not after it; makes its folder."""
    new = not path.exists()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.open("ab").close()
        if new:
            path.unlink()
    except OSError as error:
        raise UserError(f"cannot write {path}: {error.strerror}") from error


def complain(report: Coverage) -> int:
    """Differences to stderr; the exit status."""
    for line in report.differences[:SHOWN]:
        say(f"differs: {line}")
    if len(report.differences) > SHOWN:
        say(f"and {len(report.differences) - SHOWN} more")
    return 1 if report.differences else 0
