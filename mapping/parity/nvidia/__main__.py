"""Record what NVIDIA's libraries answer, with NumPy, PyYAML and Hypothesis and nothing else."""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

from ..options import ParityError
from ..subject import LoadError
from . import goldens, libraries
from .recording import PARTS, SECONDS, Recording, Wanted, to_file


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m dragoman.parity.nvidia", description=__doc__)
    parser.add_argument("reports", nargs="*", type=Path, help="with --keep: what earlier runs wrote, in place of a run")
    parser.add_argument("--out", type=Path, metavar="FOLDER", help="write FOLDER/answers.jsonl (default: here)")
    parser.add_argument("--subject", type=Path, metavar="FOLDER", help="libraries of that folder, not NVIDIA's")
    parser.add_argument("--backend", default="", help="what answers below ours: cpu or rocm")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="begin nothing after so long")
    parser.add_argument("--workers", type=int, default=0, help="children at a time (default: by the processors)")
    parser.add_argument("--part", choices=PARTS, action="append", help="some of it only")
    parser.add_argument("--function", action="append", default=[], metavar="SYMBOL")
    parser.add_argument("--group", action="append", default=[], metavar="NAME", help="of probes")
    parser.add_argument("--quick", action="store_true", help="fewer types in the sweep")
    parser.add_argument("--keep", action="store_true", help="put the answers into the goldens")
    return parser


def main(arguments: list[str] | None = None) -> int:
    given = _arguments().parse_args(arguments)
    try:
        reports = given.reports if given.keep and given.reports else [_record(given)]
        for line in goldens.keep(reports) if given.keep else ():
            print(line)
    except (LoadError, ParityError) as error:
        print(error, file=sys.stderr)
        return 2
    return 0


def _record(given: argparse.Namespace) -> Path:
    """One run. The file that its answers are in."""
    begun = time.monotonic()
    out = given.out or Path()
    out.mkdir(parents=True, exist_ok=True)
    answers = out / "answers.jsonl"
    with tempfile.TemporaryDirectory(prefix="dragoman-nvidia-") as links:
        subject = (given.subject or libraries.gathered(Path(links))).absolute()
        wanted = Wanted(
            subject, given.backend, seconds=given.seconds, workers=given.workers, quick=given.quick,
            parts=tuple(given.part or PARTS), functions=tuple(given.function), groups=tuple(given.group),
        )  # fmt: skip
        shown = [0.0]

        def progress(name: str) -> None:
            now = time.monotonic() - begun
            if now - shown[0] > 2:
                shown[0] = now
                print(f"{now:4.0f} s  {name}", file=sys.stderr, flush=True)

        left = Recording(wanted, to_file(answers), progress).run()
    print(f"{answers}: {time.monotonic() - begun:.0f} s, {left} questions not reached")
    for line in goldens.summary([answers]):
        print(line)
    return answers


if __name__ == "__main__":
    sys.exit(main())
