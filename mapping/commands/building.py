"""`dragoman build`: tables → sources → libraries."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from .. import paths
from ..errors import UserError, nearest
from ..run import place
from .console import Steps, say

if TYPE_CHECKING:
    from ..build.all import Built
    from ..generate.plan import Plan


def build(
    targets: Sequence[str],
    majors: Sequence[int],
    libraries: Sequence[str],
    function: str,
    out: Path | None,
    toolchain: str,
    *,
    archive: bool,
    as_json: bool,
) -> int:
    from ..build.all import MAJORS

    targets = list(targets) or [place.host()]
    if function:
        known_function(function)
    built = run_build(targets, majors or MAJORS, libraries, function, out, toolchain)
    archives = [pack(built, target) for target in targets] if archive else []
    if as_json:
        answer = {
            "out": str(built.out),
            "libraries": [str(p) for p in built.libraries],
            "changed": list(built.changed),
            "compiled": built.compiled,
            "seconds": round(built.seconds, 3),
            "archives": [str(p) for p in archives],
        }
        print(json.dumps(answer, indent=1))
        return 0
    changed = f"{len(built.changed)} changed" if built.changed else "nothing changed"
    print(f"{len(built.libraries)} libraries, {changed}, {built.seconds:.1f} s")
    for target in targets:
        print(f"  {built.out / target}")
    print(f"  {built.out / 'include'} (headers), {built.out / 'src'} (generated code)")
    for path in archives:
        print(f"  {path}")
    return 0


def run_build(
    targets: Sequence[str],
    majors: Iterable[int],
    libraries: Sequence[str] = (),
    function: str = "",
    out: Path | None = None,
    toolchain: str = "zig",
) -> Built:
    """Builds with progress on stderr."""
    from ..build.all import build_all

    out = out or paths.default_out()
    with Steps("building") as steps:
        return build_all(
            out,
            targets=targets,
            majors=majors,
            libraries=libraries,
            function=function,
            toolchain=toolchain,
            progress=lambda e: steps.at(e.done, e.total, f"{e.kind} {e.name}"),
            waiting=lambda: say(f"waiting for another dragoman that builds in {out}"),
        )


def build_for_use(target: str) -> None:
    """What `run`, `lib-dir` and `parity` need: all of one target, in the cache."""
    from ..build.all import MAJORS

    run_build([target], MAJORS)


def known_function(name: str) -> None:
    """Refuses a name that no table has, with the nearest ones."""
    from ..tables.loader import load

    tables = load()
    if not tables.function(name):
        raise UserError(f"no function {name!r}; {nearest(name, [f.name for f in tables.functions()])}")


def pack(built: Built, target: str) -> Path:
    """One archive of a target's libraries, the same bytes for the same libraries: no dates, names in order."""
    import zipfile

    from .. import __version__

    path = built.out / f"dragoman-{__version__}-{target}.zip"
    files = sorted(p for p in (built.out / target).rglob("*") if p.is_file() and not p.is_symlink())
    new = path.with_suffix(".part")
    with zipfile.ZipFile(new, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in files:
            if file.name.startswith("."):
                continue
            entry = zipfile.ZipInfo(file.relative_to(built.out).as_posix(), (1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, file.read_bytes())
    new.replace(path)
    return path


@dataclass(frozen=True, slots=True)
class Difference:
    """One file that is not as the tables would make it."""

    kind: str  # missing, orphaned or changed
    path: str
    diff: tuple[str, ...] = ()


def check(majors: Sequence[int], out: Path | None, *, as_json: bool) -> int:
    """Regenerates into memory and compares with what lies in `out`; writes nothing."""
    from ..generate.plan import Plan

    out = out or paths.shipped_libraries() or paths.default_out()
    if not (out / "src").is_dir():
        raise UserError(f"{out / 'src'} does not exist; make it with: dragoman build" + _option(out))
    files = expected(Plan(), majors or _headers_there(out))
    parts = {p.name for p in (out / "src").iterdir()}  # a build of one function makes its library only
    files = {name: text for name, text in files.items() if not name.startswith("src/") or name.split("/")[1] in parts}
    found = differences(files, out)
    if as_json:
        print(json.dumps([{"kind": d.kind, "path": d.path, "diff": list(d.diff)} for d in found], indent=1))
    else:
        for difference in found:
            print(f"{difference.kind}: {difference.path}")
            for line in difference.diff:
                print(f"    {line}")
        say(f"{len(found)} of the files in {out} differ from the tables" if found else f"{out} is as the tables say")
    return 1 if found else 0


def expected(plan: Plan, majors: Iterable[int]) -> Mapping[str, str]:
    """Every generated file, by its path below the build's folder."""
    files = {f"src/{s.path}": s.text for s in plan.sources}
    files |= {f"include/cuda{m}/{name}": text for m in majors for name, text in plan.headers(m).items()}
    return files


def differences(files: Mapping[str, str], out: Path) -> list[Difference]:
    """Missing, orphaned and changed files, in that order."""
    roots = {"/".join(name.split("/")[:2]) if name.startswith("include/") else "src" for name in files}
    there = {p.relative_to(out).as_posix(): p for r in sorted(roots) for p in (out / r).rglob("*") if p.is_file()}
    found = [Difference("missing", name) for name in sorted(set(files) - set(there))]
    found += [Difference("orphaned", name) for name in sorted(set(there) - set(files))]
    for name in sorted(set(files) & set(there)):
        text = there[name].read_text(encoding="utf-8", errors="replace")
        if text != files[name]:
            lines = difflib.unified_diff(
                text.splitlines(),
                files[name].splitlines(),
                f"{name} (there)",
                f"{name} (from the tables)",
                "",
                "",
                1,
                "",
            )
            found.append(Difference("changed", name, tuple(lines)))
    return found


def _headers_there(out: Path) -> list[int]:
    from ..build.all import MAJORS

    return [m for m in MAJORS if (out / "include" / f"cuda{m}").is_dir()]


def _option(out: Path) -> str:
    return "" if out == paths.default_out() else f" --out {out}"
