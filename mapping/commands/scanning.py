"""`dragoman scan PATH…`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from .console import Steps, plain, say, stdout

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from ..scan.report import File, Need, Report

_LISTED = 25  # files on a terminal without --all
_NAMES = 12  # functions that lack one thing


def scan(paths: Sequence[Path], *, everything: bool, as_json: bool) -> int:
    """0: every function that is asked for is answered; 1: some are not; 2: nothing could be read."""
    from ..scan.report import scan as scanned

    with Steps("looking at files") as steps:
        report = scanned(paths, lambda number, label: steps.at(number, 0, label))
    for file in report.unread:
        say(plain(f"dragoman: {file.path}: {file.trouble}"))
    if as_json:
        print(report.to_json())
    else:
        _show(report, stdout(), everything)
    return 2 if report.blind else 1 if report.missing else 0


def _show(report: Report, console: Console, everything: bool) -> None:
    from rich.text import Text

    files = [f for f in report.files if f.matters]
    shown = files if everything else files[:_LISTED]
    for file in shown:
        console.print(Text(plain(file.path), style="bold"), soft_wrap=True)
        for line in _lines(file, report.kernels):
            console.print(Text(plain(f"  {line}")), soft_wrap=True)
    if len(shown) < len(files):
        console.print(Text(f"… and {len(files) - len(shown)} more files; all with --all"))
    if everything and report.needs():
        console.print(_functions(report.needs()))
    elif report.missing:
        console.print(_missing(report.missing))
    elif files:
        console.print()
    verdict = report.verdict()
    console.print(
        Text(verdict[0].upper() + verdict[1:] + ".", style="bold red" if report.missing else "bold"), soft_wrap=True
    )
    for remark in report.remarks():
        console.print(Text(f"- {remark}"), soft_wrap=True)


def _lines(file: File, kernels: bool) -> list[str]:
    """`kernels`: the program has some, so that functions of the runtime are not counted, as in the verdict."""
    from ..scan.report import RUNTIME

    lines = []
    if file.nvidia:
        lines.append("NVIDIA's own library")
    if file.libraries:
        lines.append(f"loads {', '.join(file.libraries)}")
    lines += [f"loads {name}: {answer}" for name, answer in file.others]
    if file.needs:
        left = sum(kernels and n.library == RUNTIME for n in file.needs)
        out = sum(not (n.answered or (kernels and n.library == RUNTIME)) for n in file.needs)
        counts = [f"{sum(n.how == how for n in file.needs)} {how}" for how in dict.fromkeys(n.how for n in file.needs)]
        runtime = f"{left} of the runtime, which stays NVIDIA's; " if left else ""
        others = "the others answered" if left else "all answered"
        if left < len(file.needs):
            runtime += f"{out} not answered" if out else others
        lines.append(f"functions: {', '.join(counts)}; {runtime.removesuffix('; ')}")
    if file.kernels:
        lines.append("has CUDA kernels")
    if file.static_runtime:
        lines.append("has CUDA's runtime inside")
    return lines


def _functions(needs: Sequence[Need]) -> Table:
    table = _table("Functions", "function", "library", "", "answer", "limits or reason")
    for need in needs:
        table.add_row(plain(need.name), need.library, need.how, need.kind, need.reason or need.limits)
    return table


def _missing(needs: Sequence[Need]) -> Table:
    """A row a reason: what lacks one feature lacks it under many names."""
    table = _table("Not answered", "library", "why", "functions")
    reasons: dict[tuple[str, str], list[str]] = {}
    for need in needs:
        reasons.setdefault((need.library, need.reason), []).append(need.name)
    for (library, reason), names in reasons.items():
        more = f" … and {len(names) - _NAMES} more" if len(names) > _NAMES else ""
        table.add_row(library, reason, plain(", ".join(names[:_NAMES]) + more))
    return table


def _table(title: str, *columns: str) -> Table:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(title=title, title_justify="left", box=SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    for name in columns:
        table.add_column(name, overflow="fold")
    return table
