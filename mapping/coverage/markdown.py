"""The report as Markdown: totals, chapters, then every function."""

from __future__ import annotations

from collections.abc import Iterable

from .merge import Merged, merge
from .model import JUDGES, KINDS, MEANING, UNDOCUMENTED, Count, Coverage, cuda_of, percent


def render(report: Coverage) -> str:
    """The report as a page of the documentation."""
    lines = ["# Coverage", "", *_preface(report), "## Libraries", "", *_head("library", "CUDA", "version")]
    for library in report.libraries:
        lines.append(_line(Count.of(library.rows), library.title, cuda_of(library), library.version))
    for title, chapters in merge(report).items():
        lines += ["", f"## {title}", "", *_head("chapter")]
        lines += [_line(Count.of(m.row for m in rows), chapter) for chapter, rows in chapters.items()]
        for chapter, rows in chapters.items():
            lines += ["", f"### {title}: {chapter}", "", "| function | CUDA | kind | AMD | confirmed | table |"]
            lines += ["|---|---|---|---|---|---|", *map(_function, rows)]
    return "\n".join(lines) + "\n"


def _preface(report: Coverage) -> list[str]:
    lines = [
        "Mapped alone is a claim. Confirmed means that a judge ran the function on the libraries of this build:",
        "",
    ]
    lines += [f"- **{name}**: {meaning}" for name, meaning in JUDGES.items()]
    lines += ["", f"*Undocumented*: {UNDOCUMENTED}. The shares are of the others.", "", "Kinds:", ""]
    lines += [f"- **{kind}**: {MEANING[kind]}" for kind in KINDS]
    compared = [f"- {x.titled}: {', '.join(x.compared)}" for x in report.libraries if x.compared]
    if compared:
        lines += ["", "The tables' functions were compared with the exports of", "", *compared]
    if report.differences:
        lines += ["", "**They differ:**", "", *(f"- {d}" for d in report.differences)]
    elif compared:
        lines += ["", "and are exactly these."]
    return [*lines, ""]


def _head(*first: str) -> list[str]:
    names = [*first, "functions", *KINDS, "undocumented", "answered", "confirmed"]
    return [f"| {' | '.join(names)} |", f"|{'---|' * len(first)}{'---:|' * (len(names) - len(first))}"]


def _line(count: Count, *first: str) -> str:
    kinds = [str(count.kinds[k]) for k in KINDS]
    cells = [
        *first,
        str(count.total),
        *kinds,
        str(count.undocumented),
        percent(count.answered, count.total),
        str(count.confirmed),
    ]
    return f"| {' | '.join(cells)} |"


def _function(merged: Merged) -> str:
    row = merged.row
    how = ", ".join(f"`{t}`" for t in row.targets) or row.reason or "–"
    if row.limits:
        how += f" (limits: {row.limits})"
    for line in row.differs:
        how += f" (differs: {line})"
    cells = [f"`{row.name}`", _majors(merged.majors), row.kind, how, ", ".join(merged.judges) or "–", row.source]
    return f"| {' | '.join(c.replace('|', chr(92) + '|') for c in cells)} |"


def _majors(majors: Iterable[int]) -> str:
    return " ".join(map(str, majors))
