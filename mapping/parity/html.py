"""The report as one HTML page without any file beside it: a heat map, function × type × judge."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from .report import STATES, FunctionResult, Report, told

_COLOURS = {
    "none": ("#e5e7eb", "not tested"),
    "pass": ("#15803d", "right"),
    "known": ("#737373", "known difference"),
    "unexpected": ("#7c3aed", "known difference that is gone"),
    "fail": ("#dc2626", "wrong"),
    "sticky": ("#b45309", "device lost"),
    "hang": ("#9a3412", "no answer in time"),
    "crash": ("#111827", "process died"),
}
_STYLE = """:root { color-scheme: light dark; font: 14px/1.45 system-ui, sans-serif; } body { margin: 2rem auto;
max-width: 75rem; padding: 0 1rem; } h1 { font-size: 1.4rem; } h2 { font-size: 1.1rem; margin-top: 2rem; } table {
border-collapse: collapse; } th { text-align: left; font-weight: 500; padding: 0 .6rem 0 0; } td { padding: 1px; }
thead th { font-size: .8rem; padding: 0 .2rem; text-align: center; } a.cell, span.cell { display: block; min-width:
2.4rem; height: 1.25rem; border-radius: 3px; color: #fff; font-size: .7rem; line-height: 1.25rem; text-align:
center; text-decoration: none; } .legend span { display: inline-block; width: .9rem; height: .9rem; border-radius:
3px; vertical-align: -2px; margin-right: .3rem; } pre { background: #8881; padding: .6rem; overflow-x: auto;
border-radius: 4px; } .map { overflow-x: auto; } .map tbody th { position: sticky; left: 0; background: Canvas; }
.map thead th { white-space: nowrap; } .legend { padding: 0; } .legend li { display: inline-block; margin-right: 1rem; }
.legend span, .cell { outline: 1px solid #8886; outline-offset: -1px; } @media (max-width: 40rem) { body { margin: 1rem auto; }
.map tbody th { min-width: 9rem; max-width: 9rem; overflow-wrap: anywhere; font-size: .85rem; } } """


_READING = (
    "A row is a family of functions, a column a type (S, D, C, Z and so on; · where there is none) and a form of the name: "
    "plain as it stands, v2 and v2_64 with these endings, v1 the first API, host cuBLASXt. "
    "The number in a cell is the largest error, in percent of its bound."
)


def page(reports: Sequence[Report]) -> str:
    """All reports on one page, one map a judge and failures below."""
    parts = [
        "<!doctype html>",
        '<html lang="en"><head><meta charset="utf-8"><title>Parity</title>',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<style>{_STYLE}</style></head><body>",
        f"<h1>Parity of {escape(', '.join(dict.fromkeys(r.library for r in reports)))}</h1>",
        _legend(),
    ]
    for number, report in enumerate(reports):
        parts.append(f"<h2>{escape(report.judge)}: {escape(report.titled)}</h2><p>{escape(report.summary())}</p>")
        parts += _map(report, number)
        parts += _failures(report, number)
    parts.append("</body></html>")
    return "\n".join(parts) + "\n"


def _legend() -> str:
    items = "".join(f'<li><span style="background:{_COLOURS[s][0]}"></span>{_COLOURS[s][1]}</li>' for s in STATES)
    return f'<ul class="legend">{items}</ul><p>{_READING}</p>'


def _map(report: Report, number: int) -> list[str]:
    columns = list(dict.fromkeys((r.type, r.form) for r in report.results))
    columns.sort(key=lambda c: ("SDCZ".find(c[0][:1]), c[0], c[1]))
    head = "".join(f"<th>{escape(t or '·')}<br>{escape(form)}</th>" for t, form in columns)
    lines = ['<div class="map"><table><thead><tr><th></th>' + head + "</tr></thead><tbody>"]
    for entry in dict.fromkeys(r.entry for r in report.results):
        cells = {(r.type, r.form): r for r in report.results if r.entry == entry}
        row = "".join(f"<td>{_cell(cells.get(c), number)}</td>" for c in columns)
        lines.append(f"<tr><th>{escape(entry)}</th>{row}</tr>")
    return [*lines, "</tbody></table></div>"]


def _cell(result: FunctionResult | None, number: int) -> str:
    if result is None:
        return ""
    colour = _COLOURS[result.state][0]
    text = f"{100 * result.numbers.error:.0f}" if result.numbers and result.numbers.state == "pass" else ""
    title = escape(f"{result.name}: {_COLOURS[result.state][1]}", quote=True)
    if result.ok:
        return f'<span class="cell" style="background:{colour}" title="{title}">{text}</span>'
    return f'<a class="cell" style="background:{colour}" title="{title}" href="#{number}-{result.name}">{text}</a>'


def _failures(report: Report, number: int) -> list[str]:
    lines = []
    for result in report.failures:
        lines.append(f'<h3 id="{number}-{result.name}">{escape(result.name)}: {_COLOURS[result.state][1]}</h3>')
        lines.append(f"<pre>{escape(chr(10).join(told(result, 20, report.version)))}</pre>")
    return lines
