"""The numbers test and the status test of each function of our cuDNN over the CPU backend, for cuDNN 8 and 9.

`pytest -k cudnnSoftmaxForward` selects them by the symbol; `dragoman parity` runs the same with more examples. The suite can
fail: see `test_dnn_seen.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest
from dragoman.parity.dnn import call
from dragoman.parity.dnn.bench import Bench
from dragoman.parity.dnn.cases import Case, Values
from dragoman.parity.dnn.oracles import lrn
from dragoman.parity.dnn.registry import PROCEDURES, Procedure
from dragoman.parity.dnn.runner import DnnOptions, DnnSession, answered, chosen, examined
from dragoman.parity.dnn.running import exact
from dragoman.parity.dnn.stage import RefusedError, Stage
from dragoman.parity.dnn.subject import LibrarySubject, Subject
from dragoman.parity.known import applied
from dragoman.parity.report import FunctionResult, told
from dragoman.parity.subject import select_backend
from dragoman.tables.loader import load

pytestmark = pytest.mark.parity
VERSIONS = (8, 9)
MAJOR = 12  # CUDA's that has both


def options(version: int, folder: Path | None = None) -> DnnOptions:
    return DnnOptions(subject=folder, major=MAJOR, cudnn=version, library=f"cudnn{version}", examples=12, limit=60)


FUNCTIONS = [(version, procedure) for version in VERSIONS for procedure in chosen(options(version))]


@pytest.fixture(scope="session")
def sessions(folder: Path) -> Iterator[dict[int, DnnSession]]:
    with DnnSession(options(8, folder)) as eight, DnnSession(options(9, folder)) as nine:
        yield {8: eight, 9: nine}


def test_an_argument_check_repeats(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for case in ("x NULL", "handle freed"):
        assert call("cudnnPoolingForward", case=case, subject=folder).ok
        assert f"cudnnPoolingForward: right\n  {case}: answers 2000" in capsys.readouterr().out
    with pytest.raises(ValueError, match="no argument check 'nothing'; it has: handle NULL"):
        call("cudnnPoolingForward", case="nothing", subject=folder)


def check(session: DnnSession, procedure: Procedure, part: str) -> None:
    result: FunctionResult = applied(examined(session, procedure, (part,)), "cpu")
    assert result.ok, "\n".join([result.name, *told(result)])


def named(case: tuple[int, Procedure]) -> str:
    return f"{case[1].function}-{case[0]}"


@pytest.mark.parametrize("case", FUNCTIONS, ids=named)
def test_numbers(sessions: dict[int, DnnSession], case: tuple[int, Procedure]) -> None:
    check(sessions[case[0]], case[1], "numbers")


@pytest.mark.parametrize("case", FUNCTIONS, ids=named)
def test_statuses(sessions: dict[int, DnnSession], case: tuple[int, Procedure]) -> None:
    check(sessions[case[0]], case[1], "statuses")


def test_a_refusal_that_no_table_tells_of_is_seen() -> None:
    """NOT_SUPPORTED counts as right as long as the table says that it is lacking."""

    def refusing(s: Stage, v: Values) -> None:
        raise RefusedError("cudnnSoftmaxForward", 3000)

    procedure = replace(PROCEDURES["cudnnSoftmaxForward"], body=refusing)
    case = Case("cudnnSoftmaxForward", Values({**procedure.base, "type": "f64"}))
    subject = cast(Subject, SimpleNamespace(version=9, kind="library"))
    told_of = Bench(subject, {"cudnnSoftmaxForward": {"type": ["f64"]}})
    assert told_of.run(procedure, case).refused
    assert not Bench(subject).run(procedure, case).refused


def test_an_answer_to_what_a_table_calls_lacking_is_seen(folder: Path) -> None:
    class Modest(DnnSession):
        def _config(self) -> dict[str, object]:
            return {**super()._config(), "lacks": {"cudnnSoftmaxForward": {"type": ["f64", "f16", "bf16"]}}}

    with Modest(replace(options(9, folder), parts=("numbers",))) as session:
        wrong = examined(session, PROCEDURES["cudnnSoftmaxForward"], ("numbers",))
    assert not wrong.ok
    assert wrong.numbers is not None
    assert "is lacking, and the call is answered" in wrong.numbers.lines[0]


def test_divisive_normalisation_is_an_h200s(folder: Path) -> None:
    """The oracle's formula is in no manual: four numbers of each pass, seen on cuDNN 9.19."""
    case = {
        "type": "f32",
        "x": [2, 3, 6, 6],
        "layout": "packed",
        "n": 3,
        "strength": 0.3,
        "power": 0.75,
        "k": 2.0,
        "means": True,
    }
    for name, result, seen in (
        ("Forward", "y", [-1.03426194, -0.607178211, 0.122774944, -1.78615618]),
        ("Backward", "dx", [-0.369489491, 0.251321107, -0.264294624, 0.0507741906]),
    ):
        outcome = call(f"cudnnDivisiveNormalization{name}", subject=folder, alpha=1.0, beta=0.0, seed=0, **case)
        assert outcome.ok
        u = 2.0**-24
        x, means = (exact(outcome.operands[k].x, u) for k in ("x", "means"))
        strength = lrn.Strength(3, 0.3, 0.75, 2.0)
        if result == "y":
            ours = lrn.divisive_forward(x, means, strength)
        else:
            ours = lrn.divisive_backward(x, means, exact(outcome.operands["dy"].x, u), strength)[0]
        assert np.abs(ours.v[0, 0, 0, :4] - seen).max() < 2e-6


def test_divisive_normalisation_of_no_means_is_an_h200s(folder: Path) -> None:
    """Seen on cuDNN 9.19: a beta of -0.5 counts for nothing forward; an even window lies alike in both directions."""
    case = {
        "type": "f32",
        "x": [2, 3, 6, 6],
        "layout": "packed",
        "strength": 0.3,
        "power": 0.75,
        "k": 2.0,
        "means": False,
    }
    select_backend("cpu")
    for name, result, n, beta, seen in (
        ("Forward", "y", 3, -0.5, [-1.09125745, -0.585408092, 0.116527833, -1.70527399]),
        ("Backward", "dx", 4, 0.0, [-0.393212348, 0.183095485, -0.284464329, 0.0884173363]),
    ):
        subject = LibrarySubject(folder, 9, "cpu", MAJOR)
        procedure = PROCEDURES[f"cudnnDivisiveNormalization{name}"]
        values = {**procedure.base, **case, "n": n, "alpha": 1.0, "beta": beta}
        stage = Stage(subject, Case(procedure.function, Values(values)))
        procedure.body(stage, Values(values))
        got = stage.dense(stage.operands[result])[0, 0, 0, :4]
        stage.close()
        assert np.abs(got - seen).max() < 2e-6


@pytest.mark.parametrize("version", VERSIONS)
def test_each_operation_that_is_answered_has_a_procedure(version: int) -> None:
    """What computes is composed; what has no procedure is host code that other tests call."""
    functions = answered(options(version))
    without = [n for n, f in functions.items() if f.entry.compose and n not in PROCEDURES]
    assert not without


def test_what_is_lacking_is_told_to_people() -> None:
    for function in load().functions("cudnn"):
        assert not function.entry.lacks or function.entry.limits, function.name
