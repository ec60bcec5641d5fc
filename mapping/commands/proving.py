"""`dragoman prove`: the libraries, what they are worth, and where it is written."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from .. import paths
from ..run import place
from .building import build_for_use
from .console import say
from .covering import collect, complain, render, write
from .judging import judge

if TYPE_CHECKING:
    from ..coverage.model import Coverage
    from ..parity.report import Report

FORMS = ("html", "md", "json")


def prove(out: Path | None, examples: int, *, as_json: bool) -> int:
    from ..parity.runner import Options

    begun = time.monotonic()
    out = out or paths.cache_dir() / "report"
    paths.writable(out)
    root = place.root(build=build_for_use)
    target = place.host()
    say(f"libraries: {root / target}")
    # The CUDA versions are linked from the same objects: one is tried at length, the others in passing.
    main = place.DEFAULT_MAJOR
    others = [m for m in (11, 13) if (root / target / f"cuda{m}").is_dir()]
    at_length = replace(Options(major=main), examples=examples or Options().examples)
    reports = [judge(at_length)]
    reports += [judge(Options(major=m, examples=PASSING, parts=("numbers",))) for m in others]
    reports.append(judge(replace(at_length, library="cublasLt")))
    reports += [judge(Options(major=m, library="cublasLt", examples=PASSING, parts=("numbers",))) for m in others]
    reports.append(judge(replace(at_length, library="cudnn9")))
    reports.append(judge(Options(major=main, library="cudnn8", examples=PASSING)))
    report = collect()
    for form in FORMS:
        write(out / f"coverage.{form}", render(report, form))
    write(out / "parity.html", reports[0].to_html(reports[1:]))
    write(out / "parity.json", reports[0].to_json() + "\n")
    seconds = time.monotonic() - begun
    if as_json:
        print(json.dumps(_answer(reports, report, root, out, seconds), indent=1))
    else:
        _tell(reports, report, root, out, seconds)
    right = all(r.ok for r in reports)
    return complain(report) or (0 if right else 1)


PASSING = 6  # calls a function in the other CUDA versions


def _tell(reports: list[Report], report: Coverage, root: Path, out: Path, seconds: float) -> None:
    from ..coverage.model import Count, percent

    target = place.host()
    main = [x for x in report.libraries if place.DEFAULT_MAJOR in x.cuda]
    folders = ", ".join(f"cuda{m}" for m in sorted({m for x in report.libraries for m in x.cuda}))
    print(f"Libraries  {root / target}: {folders}, cpu")
    for one in reports:
        wrong = len(one.failures)
        word = "all right" if not wrong else f"{wrong} WRONG"
        calls = sum(r.numbers.examples for r in one.results if r.numbers)
        numbers = sum(bool(r.numbers and r.numbers.examples) for r in one.results)
        rest = len(one.results) - numbers
        also = f", {rest} more by their answers alone" if rest else ""
        print(f"{one.titled:<16} {numbers} functions by their numbers in {calls} calls{also}: {word}")
        for result in one.failures[:5]:
            print(
                f"           {result.name}: {result.state}; repeat it: dragoman parity --function {result.name}{_again(one)}"
            )
    for library in main:
        count = Count.of(library.rows)
        share = percent(count.answered, count.total)
        more = f"; {count.undocumented} undocumented ones refuse" if count.undocumented else ""
        print(
            f"Coverage   {library.titled}: {count.answered} of {count.total} functions answered ({share}), "
            f"{count.confirmed} confirmed{more}"
        )
    print(f"Reports    {out / 'coverage.html'}, {out / 'parity.html'}")
    print(f"           {seconds:.0f} s. Try it: dragoman run -- ./your-program")


def _again(report: Report) -> str:
    """Options of `dragoman parity` that ask for this report's version."""
    if report.library == "cudnn":
        return "" if report.cuda == 9 else f" --library cudnn{report.cuda}"
    return "" if report.cuda == place.DEFAULT_MAJOR else f" --cuda {report.cuda}"


def _answer(reports: list[Report], report: Coverage, root: Path, out: Path, seconds: float) -> dict[str, object]:
    from ..coverage.model import Count

    return {
        "libraries": str(root / place.host()),
        "reports": str(out),
        "seconds": round(seconds, 1),
        "ok": all(r.ok for r in reports) and not report.differences,
        "parity": [
            {
                "library": r.library,
                "version" if r.library == "cudnn" else "cuda": r.cuda,
                "functions": len(r.results),
                "wrong": [f.name for f in r.failures],
            }
            for r in reports
        ],
        "coverage": [
            {
                "library": x.library,
                "cuda": list(x.cuda),
                "functions": c.total,
                "undocumented": c.undocumented,
                "answered": c.answered,
                "confirmed": c.confirmed,
            }
            for x in report.libraries
            for c in [Count.of(x.rows)]
        ],
    }
