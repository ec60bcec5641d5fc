"""The cuDNN suite from the command line, with NumPy, PyYAML and Hypothesis and nothing else: for a machine with NVIDIA's library.

python -m dragoman.parity.dnn --nvidia                      NVIDIA's libcudnn as PyPI installed it
python -m dragoman.parity.dnn --nvidia DIR --out R.json     from a folder; the report as JSON
python -m dragoman.parity.dnn --nvidia --corners            which answer to each open corner fits
python -m dragoman.parity.dnn --nvidia DIR --host-only      on a machine without a GPU: descriptors
python -m dragoman.parity.dnn --subject DIR --cudnn 8       ours
python -m dragoman.parity.dnn --record "cuDNN 9.19 on an H200" R.json …     keep the answers of reports
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from ..options import PARTS, ParityError
from ..report import FunctionResult, Report, told
from . import corners, golden, trials
from .runner import DnnOptions, completed, run


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m dragoman.parity.dnn", description=__doc__.splitlines()[0] if __doc__ else ""
    )
    parser.add_argument("functions", nargs="*", default=["*"], help="globs of functions or chapters")
    parser.add_argument("--nvidia", nargs="?", const="", metavar="DIR", help="NVIDIA's library; its folder, or PyPI's")
    parser.add_argument("--subject", type=Path, metavar="DIR", help="a folder with libraries under NVIDIA's names")
    parser.add_argument("--backend", default="cpu", help="what answers below ours (default: cpu)")
    parser.add_argument("--cudnn", type=int, choices=(8, 9), default=9)
    parser.add_argument("--cuda", type=int, choices=(11, 12, 13), default=12)
    parser.add_argument("--examples", type=int, default=50)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--limit", type=float, default=120.0, help="seconds that one answer may take")
    parser.add_argument("--part", choices=PARTS, action="append", help="numbers or statuses; default: both")
    parser.add_argument("--host-only", action="store_true", help="calls that need no GPU")
    parser.add_argument("--corners", action="store_true", help="try the answers to all open corners")
    parser.add_argument("--out", type=Path, help="write the report, or the corners, here")
    parser.add_argument(
        "--record", metavar="SEEN_ON", help="record the answers of reports that were given as arguments"
    )
    return parser


def main(arguments: list[str] | None = None) -> int:
    given = _arguments().parse_args(arguments)
    if given.record:
        return _record(given.record, [Path(name) for name in given.functions])
    nvidia = given.nvidia is not None
    options = DnnOptions(
        subject=Path(given.nvidia) if given.nvidia else given.subject,
        backend=given.backend,
        major=given.cuda,
        functions=tuple(given.functions),
        examples=given.examples,
        seed=given.seed,
        workers=given.workers,
        limit=given.limit,
        parts=tuple(given.part or PARTS),
        library="cudnn",
        nvidia=nvidia,
        cudnn=given.cudnn,
        host_only=given.host_only,
    )
    try:
        if given.corners:
            return _corners(completed(options), given.out)
        report = run(options, _progress)
    except ParityError as error:
        print(error, file=sys.stderr)
        return 2
    if given.out:
        given.out.write_text(report.to_json(), encoding="utf-8")
    _tell(report, nvidia)
    return 0 if report.ok else 1


def _progress(done: int, of: int, result: FunctionResult) -> None:
    print(f"\r{done}/{of} {result.name[:60]:60}", end="" if done < of else "\n", file=sys.stderr, flush=True)


def _tell(report: Report, nvidia: bool, limit: int = 40) -> None:
    for result in report.failures[:limit]:
        print(f"{result.name} ({result.where}): {result.state}")
        for line in told(result):
            print("  " + line)
    if len(report.failures) > limit:
        print(f"… and {len(report.failures) - limit} more; --out has them all")
    for result in report.results:
        for line in result.numbers.lines if result.numbers and nvidia else ():
            if line.startswith(golden.REFUSAL):
                print(f"{result.name} {line}")
    print(report.summary())


def _record(seen_on: str, paths: list[Path]) -> int:
    reports = [json.loads(path.read_text(encoding="utf-8")) for path in paths]
    for version in sorted({report["cuda"] for report in reports}):
        golden.record([r for r in reports if r["cuda"] == version], seen_on, version)
        print(f"wrote {golden.path(version)}")
    return 0


def _corners(options: DnnOptions, out: Path | None) -> int:
    found = trials.all_corners(options)
    for name, trial in found.items():
        print(f"{name}: {trial}")
    settled = {name: trial.fitting[0] for name, trial in found.items() if trial.fitting}
    if out:
        out.write_text(json.dumps({"corners": settled}, indent=1) + "\n", encoding="utf-8")
    elif options.nvidia:
        corners.write(settled, options.judge)
        print(f"wrote {corners.PATH}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
