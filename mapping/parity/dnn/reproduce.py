"""One case by hand: what a failing example is printed as.

from dragoman.parity.dnn import call
call("cudnnPoolingForward", mode="max", x=[2, 3, 5, 7], window=[2, 3], pad=[1, 0], stride=[2, 1], seed=0)
call("cudnnPoolingForward", case="x NULL")
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..options import default_subject
from ..report import Status
from ..subject import select_backend
from . import procedures
from .bench import Bench, Outcome
from .cases import Case, Values
from .registry import PROCEDURES, Procedure
from .status import status_cases
from .subject import LibrarySubject, Subject


def call(
    function: str,
    *,
    subject: str | Path | Subject = "",
    backend: str = "cpu",
    major: int = 12,
    cudnn: int = 9,
    seed: int = 0,
    poison: list[Any] | tuple[Any, ...] = (),
    case: str = "",
    **values: Any,
) -> Outcome | Status:
    """Try one case, judge it, print what is wrong; the outcome is returned. Values that are left out are the baseline's.

    `case`: one of the function's argument checks, by the name that a report shows, in place of values.

    `backend="nvidia"` with the folder of NVIDIA's library as `subject` asks that one."""
    procedure = PROCEDURES.get(function)
    if procedure is None:
        raise ValueError(f"no procedure for {function!r}; {len(PROCEDURES)} functions have one")
    unknown = [k for k in values if k not in procedure.base]
    if unknown:
        raise ValueError(f"{function} has no value {unknown[0]!r}; it has {', '.join(procedure.base)}")
    made = Case(
        function,
        Values({**procedure.base, **values}),
        seed,
        tuple((str(a), int(b), str(c)) for a, b, c in poison),
    )
    if isinstance(subject, (str, Path)):
        if backend != "nvidia":
            select_backend(backend)
        kind = backend if backend in ("cpu", "nvidia") else "rocm"
        subject = LibrarySubject(Path(subject) if subject else default_subject(major), cudnn, kind, major)
    if case:
        return _asked(procedure, case, subject)
    outcome = Bench(subject).run(procedure, made)
    print(f"{function}: {'refused' if outcome.refused else 'right' if outcome.ok else 'wrong'}")
    for line in outcome.lines() if not outcome.ok or outcome.refused else ():
        print(f"  {line}")
    return outcome


def _asked(procedure: Procedure, name: str, subject: Subject) -> Status:
    """One argument check."""
    cases = {c.name: c for c in status_cases(procedure, subject.version, subject.kind == "nvidia")}
    if name not in cases:
        raise ValueError(f"{procedure.function} has no argument check {name!r}; it has: {'; '.join(cases)}")
    case = cases[name]
    got, notes = Bench(subject).ask(procedure, case.made(subject))
    right = case.right(got, subject.version) and not notes
    found = Status(name, case.shown(subject.version), got, "pass" if right else "fail", tuple(notes))
    print(f"{procedure.function}: {'right' if found.ok else 'wrong'}\n  {found.sentence}")
    return found


__all__ = ["call", "procedures"]
