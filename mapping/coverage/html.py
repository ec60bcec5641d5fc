"""The report as one HTML page: charts, a table that can be filtered, nothing loaded from anywhere."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from .merge import Merged, merge
from .model import JUDGES, KINDS, MEANING, UNDOCUMENTED, Count, Coverage, percent

if TYPE_CHECKING:
    from markupsafe import Markup

# Blues for what AMD answers, grey for what needs no GPU, and what is missing in a colour of its own.
COLOURS = {
    "direct": "#1d4ed8",
    "translate": "#3b82f6",
    "compose": "#0d9488",
    "solver": "#7c3aed",
    "host": "#94a3b8",
    "unsupported": "#f59e0b",
}
CONFIRMED = "#16a34a"


def render(report: Coverage) -> str:
    """The report as one page without any other file."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        undefined=StrictUndefined,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    merged = merge(report)
    by_judge = Counter(
        j for chapters in merged.values() for rows in chapters.values() for m in rows for j in m.confirmed
    )
    return environment.get_template("page.html.j2").render(
        report=report,
        merged=merged,
        kinds=KINDS,
        meaning=MEANING,
        undocumented=UNDOCUMENTED,
        judges=JUDGES,
        by_judge=by_judge,
        colours=COLOURS,
        green=CONFIRMED,
        count_of=Count.of,
        count_merged=_count,
        percent=percent,
        bar=_bar,
    )


def _count(rows: Iterable[Merged]) -> Count:
    """Over functions; one counts as confirmed where a judge confirmed it in any version."""
    rows = list(rows)
    count = Count.of(m.row for m in rows)
    return Count(
        count.total,
        count.undocumented,
        count.kinds,
        count.answered,
        sum(m.proved for m in rows),
        count.limited,
    )


def _bar(count: Count) -> Markup:
    """Shares of the kinds; the thin line below is the part that a judge has confirmed."""
    from markupsafe import Markup

    total = count.total or 1
    parts, x = [], 0.0
    for kind, number in count.kinds.items():
        width = 1000 * number / total
        if number:
            parts.append(
                f'<rect x="{x:.1f}" width="{width:.1f}" height="14" fill="{COLOURS[kind]}"><title>{number} {kind}</title></rect>'
            )
        x += width
    confirmed = 1000 * count.confirmed / total
    parts.append(
        f'<rect y="15" width="{confirmed:.1f}" height="5" fill="{CONFIRMED}"><title>{count.confirmed} confirmed</title></rect>'
    )
    said = ", ".join(f"{n} {k}" for k, n in count.kinds.items() if n)
    return Markup(  # only numbers and our own words go in
        f'<svg viewBox="0 0 1000 20" preserveAspectRatio="none" role="img" aria-label="{said}">{"".join(parts)}</svg>'
    )
