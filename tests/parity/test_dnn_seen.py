"""The cuDNN suite can fail: for each function that writes device memory, a library that does it wrongly in one way is seen."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from dragoman.parity.dnn import golden, procedures
from dragoman.parity.dnn.bench import Bench
from dragoman.parity.dnn.cases import Case, Values
from dragoman.parity.dnn.prototypes import PROTOTYPES
from dragoman.parity.dnn.registry import PROCEDURES, Procedure
from dragoman.parity.dnn.subject import LibrarySubject
from dragoman.parity.subject import select_backend

pytestmark = pytest.mark.parity
assert procedures  # registers them
VERSION, MAJOR = 9, 12
NOTHING, ELSEWHERE, BETA = "nothing is done", "all results lie 16 bytes further", "beta is taken for 0"


def outputs(procedure: Procedure) -> list[str]:
    """Parameters through which results go; not workspaces, nor reserve spaces."""
    return [p.name for p in procedure.prototype.parameters if p.kind == "w" and "pace" not in p.name]


def ways(procedure: Procedure) -> list[str]:
    """A search tries its candidates on the outputs and leaves them to whoever calls: only its answer is judged."""
    search = procedure.function.startswith(("cudnnFind", "cudnnGetConvolution"))
    found = [NOTHING] if outputs(procedure) or search else []
    found += [ELSEWHERE] if outputs(procedure) and not search else []
    scaled = any(p.kind == "s" and p.name.startswith("beta") for p in procedure.prototype.parameters)
    return [*found, *([BETA] if scaled and "beta" in procedure.base else [])]


ASKED = [p for p in PROCEDURES.values() if p.prototype.exists(VERSION) and not p.function.endswith("WorkspaceSize")]
CASES = [(p, way) for p in ASKED for way in ways(p)]


class Spoilt(LibrarySubject):
    """Our library, but for one function."""

    function = way = ""

    def call(self, name: str, arguments: Sequence[Any]) -> Any:
        if name != self.function or not self.way:
            return super().call(name, arguments)
        if self.way == NOTHING:
            return 0
        changed = list(arguments)
        zero = (ctypes.c_double * 2)()
        for i, p in enumerate(PROTOTYPES[name].parameters):
            if self.way == ELSEWHERE and p.name in outputs(PROCEDURES[name]) and changed[i]:
                changed[i] += 16
            elif self.way == BETA and p.kind == "s" and p.name.startswith("beta") and changed[i]:
                changed[i] = ctypes.addressof(zero)
        return super().call(name, changed)


@pytest.fixture(scope="module")
def subject(folder: Path) -> Spoilt:
    select_backend("cpu")
    return Spoilt(folder, VERSION, "cpu", MAJOR)


@pytest.mark.parametrize(("procedure", "way"), CASES, ids=[f"{p.function}, {way}" for p, way in CASES])
def test_a_wrong_answer_is_seen(subject: Spoilt, procedure: Procedure, way: str) -> None:
    values = golden.baseline(procedure)
    if way == BETA:
        values = Values({**values, "beta": 0.5})
    case = Case(procedure.function, values, seed=8)
    bench = Bench(subject)
    subject.function, subject.way = procedure.function, ""
    right = bench.run(procedure, case)
    assert right.ok, right.lines()
    subject.way = way
    assert not bench.run(procedure, case).ok
