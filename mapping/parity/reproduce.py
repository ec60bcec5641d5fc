"""One call by hand: what a failing example is printed as.

from dragoman.parity import call
call("cublasSgemm_v2", transa="N", transb="T", m=3, n=5, k=7, lda=4, ldb=6, ldc=4, alpha=2.0, beta=0.0, seed=1)
call("cublasSgemm_v2", case="m = -1")
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..tables.kinds import OPTIONS
from ..tables.loader import load
from ..tables.model import Function
from .cases import LETTERS, Case
from .check import Outcome, Workbench
from .options import default_subject
from .oracles import Fault, Verdict
from .procedures import Bench, WrongError, procedure_of
from .procedures.running import one
from .report import Status
from .status import baseline, status_cases
from .subject import LibrarySubject, Subject, select_backend

_OWN = ("seed", "data", "poison", "alias", "device", "blank", "absent", "tiles")


def call(
    function: str,
    *,
    subject: str | Path | Subject = "",
    backend: str = "cpu",
    major: int = 12,
    case: str = "",
    **arguments: Any,
) -> Outcome | Status:
    """Call one function with the named arguments, judge it, print what is wrong; the outcome is returned.

    `case`: one of its argument checks, by the name that a report shows, in place of arguments.

    Options are letters ("N", "T", "C"; "L", "U"; "L", "R") or NVIDIA's numbers. Sizes that are left out are small
    primes."""
    tables = load()
    found = tables.function(function)
    if found is None:
        raise ValueError(f"no function {function!r} in the tables")

    def opened() -> Subject:
        if not isinstance(subject, (str, Path)):
            return subject
        select_backend(backend)
        folder = Path(subject) if subject else default_subject(major)
        return LibrarySubject(folder, tables, major, host_memory=backend == "cpu")

    if case:
        if arguments:
            raise ValueError(f"the argument check {case!r} has arguments of its own")
        return _asked(found, case, opened)
    if procedure_of(found):
        number = int(arguments.pop("seed", 0))
        if arguments:
            raise ValueError(f"{function} is tried by a procedure: a seed is all that it takes")
        return _told(found, _tried(found, Bench(opened(), tables, major, cpu=backend == "cpu"), number))
    kinds = {p.name: p.kind.name for p in found.entry.params}
    extra = {k: arguments.pop(k) for k in _OWN if k in arguments}
    unknown = [k for k in arguments if k not in kinds]
    if unknown:
        raise ValueError(f"{function} has no parameter {unknown[0]!r}; it has {', '.join(kinds)}")
    letters = {word: {v: k for k, v in LETTERS[word].items()} for word in OPTIONS}
    values = {
        k: letters[kinds[k]][v] if isinstance(v, str) else v for k, v in arguments.items() if kinds[k] != "scalar"
    }
    base = baseline(found, values=values, scalars={k: v for k, v in arguments.items() if kinds[k] == "scalar"})
    made = Case(
        found.name,
        base.values,
        base.scalars,
        int(extra.get("seed", 0)),
        str(extra.get("data", "real")),
        tuple((str(a), int(b), str(c)) for a, b, c in extra.get("poison", ())),
        tuple(extra["alias"]) if extra.get("alias") else None,
        bool(extra.get("device", False)),
        bool(extra.get("blank", False)),
        tuple(extra.get("absent", ())),
        int(extra.get("tiles", 0)),
    )
    return _told(found, Workbench(opened()).run(found, made))


def _asked(function: Function, name: str, opened: Callable[[], Subject]) -> Status:
    """One argument check."""
    cases = {c.name: c for c in status_cases(function)}
    if name not in cases:
        raise ValueError(f"{function.name} has no argument check {name!r}; it has: {'; '.join(cases)}")
    case = cases[name]
    got, changed = Workbench(opened()).ask(function, case)
    right = case.expected in (None, got) and not changed
    found = Status(name, case.expected, got, "pass" if right else "fail", tuple(changed))
    print(f"{function.name}: {'right' if found.ok else 'wrong'}\n  {found.sentence}")
    return found


def _tried(function: Function, bench: Bench, number: int) -> Outcome:
    """One example of a procedure, which its number alone determines."""
    try:
        return Outcome(0, Verdict(error=one(function, bench, number).error))
    except WrongError as error:
        return Outcome(0, Verdict((Fault(function.name, -1, str(error)),)))


def _told(function: Function, outcome: Outcome) -> Outcome:
    print(f"{function.name}: {'right' if outcome.ok else 'wrong'}")
    for line in outcome.lines() if not outcome.ok else ():
        print(f"  {line}")
    return outcome
