"""NVIDIA's recorded answers to a report's argument checks, of whichever library the report is."""

from __future__ import annotations

import json

from . import golden
from .dnn import golden as dnn_golden
from .report import FunctionResult, Report


def answer(report: Report, result: FunctionResult, case: str) -> int | None:
    """What NVIDIA's library itself answered in this very version's numbers, or None where it was not seen to answer."""
    if report.library == "cudnn":
        value = dnn_golden.recorded(report.cuda)["statuses"].get(result.name, {}).get(case)
        return value if isinstance(value, int) else None
    return golden.answer(report.library, result.entry, result.name, case)


def seen_on(report: Report) -> str:
    if report.library == "cudnn":
        return ", ".join(dnn_golden.recorded(report.cuda)["seen_on"])
    return str(json.loads(golden.PATH.read_text(encoding="utf-8"))["seen_on"]) if golden.PATH.exists() else ""
