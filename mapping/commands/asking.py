"""`dragoman amd-host`: what do AMD's own libraries say to our calls?"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from .. import paths
from ..errors import UserError
from ..run import place
from .building import build_for_use
from .console import Steps, say

if TYPE_CHECKING:
    from ..amdhost.judge import Answers, Options
    from ..amdhost.releases import Release
    from ..amdhost.results import Record


def amd_host(
    names: Sequence[str],
    library: str,
    functions: Sequence[str],
    examples: int,
    major: int,
    out: Path | None,
    *,
    solver: bool,
    as_json: bool,
) -> int:
    """Exit status 1 where AMD's code was asked and refuses, 2 where no release could be had."""
    from ..amdhost.judge import Options, cpu_answers
    from ..amdhost.releases import ASKED
    from ..amdhost.results import file_name

    releases = _releases(names)
    if out:
        paths.writable(out)
    root = place.root(build=build_for_use)
    options = Options(
        subject=root / place.host() / f"cuda{major}", major=major, functions=tuple(functions) or ("*",), examples=examples,
        library=library, without=() if solver else ASKED[library].optional,
    )  # fmt: skip
    with Steps("the CPU backend's answers") as steps:
        cpu = cpu_answers(options, steps.at)
    records = [_asked(release, options, cpu) for release in releases]
    for record in records:
        if out:
            path = out / file_name(record.library, record.release)
            path.write_text(record.to_json(), encoding="utf-8")
            say(f"wrote {path}")
        if as_json:
            print(record.to_json(), end="")
        else:
            _tell(record)
    if all(r.missing for r in records):
        return 2
    return 0 if all(r.ok for r in records if not r.missing) else 1


def _releases(names: Sequence[str]) -> list[Release]:
    from ..amdhost.releases import BY_NAME, RELEASES

    unknown = [n for n in names if n not in BY_NAME]
    if unknown:
        raise UserError(f"no release {unknown[0]!r} is known; expected {', '.join(BY_NAME)}")
    return [BY_NAME[n] for n in names] or list(RELEASES)


def _asked(release: Release, options: Options, cpu: dict[str, Answers]) -> Record:
    from ..amdhost.debian import UnavailableError
    from ..amdhost.judge import judge
    from ..amdhost.results import not_had

    try:
        with Steps(f"asking ROCm {release.name}") as steps:
            return judge(release, options, say, steps.at, cpu)
    except UnavailableError as error:
        return not_had(release.name, options.library, options.major, str(error))


def _tell(record: Record, limit: int = 12) -> None:
    from ..amdhost.results import BAD, together

    print(record.summary())
    bad = [o for o in record.outcomes if o.state in BAD]
    lines = together(
        (
            o.name,
            [*o.refused, *o.lost, *o.rules, *(f"{c.case}: {c.got}, expected {c.expected}" for c in o.wrong), *o.notes],
        )
        for o in bad
    )
    for line in lines[:limit]:
        print(f"  {line}")
    if len(lines) > limit:
        print(f"  … and {len(lines) - limit} more; --json has them all")
    for name, wrong in record.behaviours.items():
        for line in wrong:
            print(f"  {name}: {line}")
    if record.cpu_compared:
        print(f"  the CPU backend answers {record.cpu_compared} argument checks, {len(record.cpu_differs)} otherwise")
