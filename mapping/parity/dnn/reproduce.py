"""One case by hand: what a failing example is printed as.

from dragoman.parity.dnn import call
call("cudnnPoolingForward", mode="max", x=[2, 3, 5, 7], window=[2, 3], pad=[1, 0], stride=[2, 1], seed=0)
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..options import default_subject
from ..subject import select_backend
from . import procedures
from .bench import Bench, Outcome
from .cases import Case, Values
from .registry import PROCEDURES
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
    **values: Any,
) -> Outcome:
    """Try one case, judge it, print what is wrong; the outcome is returned. Values that are left out are the baseline's.

    `backend="nvidia"` with the folder of NVIDIA's library as `subject` asks that one."""
    procedure = PROCEDURES.get(function)
    if procedure is None:
        raise ValueError(f"no procedure for {function!r}; {len(PROCEDURES)} functions have one")
    unknown = [k for k in values if k not in procedure.base]
    if unknown:
        raise ValueError(f"{function} has no value {unknown[0]!r}; it has {', '.join(procedure.base)}")
    case = Case(
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
    outcome = Bench(subject).run(procedure, case)
    print(f"{function}: {'refused' if outcome.refused else 'right' if outcome.ok else 'wrong'}")
    for line in outcome.lines() if not outcome.ok or outcome.refused else ():
        print(f"  {line}")
    return outcome


__all__ = ["call", "procedures"]
