"""The strategies give legal calls, varied ones, and the same ones again."""

from __future__ import annotations

import json

import pytest
from dragoman.parity.cases import Case, as_python, lay_out
from dragoman.parity.numbers import derived_seed
from dragoman.parity.oracles import ORACLES
from dragoman.parity.strategies import cases, is_vector_only, lowest, why_untested
from dragoman.tables.expr import evaluate
from dragoman.tables.model import Function, Tables
from hypothesis import HealthCheck, given, seed, settings

NAMES = [
    "cublasSgemm_v2", "cublasZgemm_v2_64", "cublasCherk_v2", "cublasCsyrk_v2", "cublasDgbmv_v2", "cublasCtrmm_v2",
    "cublasStrsm_v2", "cublasZhpr2_v2", "cublasSgemmStridedBatched", "cublasDgemmBatched", "cublasSrotm_v2",
    "cublasScnrm2_v2", "cublasSgeam", "cublasIdamax_v2", "cublasStrmm", "cublasCrotg", "cublasDdgmm", "cublasStbsv_v2",
]  # fmt: skip


def drawn(function: Function, count: int = 80) -> list[Case]:
    found: list[Case] = []

    @settings(max_examples=count, database=None, deadline=None, suppress_health_check=list(HealthCheck))
    @seed(derived_seed(function.name, 0))
    @given(cases(function))
    def collect(case: Case) -> None:
        found.append(case)

    collect()
    return found


@pytest.fixture(params=NAMES)
def function(request: pytest.FixtureRequest, tables: Tables) -> Function:
    found = tables.function(request.param, "cublas")
    assert found is not None
    return found


def test_calls_are_legal(function: Function) -> None:
    for case in drawn(function):
        present = {p.name for p in function.params}
        assert set(case.values) <= present
        for p in function.entry.params:
            kind = p.kind.core
            if kind.is_pointer and p.name in present:
                if "ld" in kind.names() or any(n.startswith("ld") for n in kind.names()):
                    ld = str(kind.argument("ld"))
                    assert case.values[ld] >= lowest(kind, case.values)
                if kind.name == "vector" and kind.io != "in" and p.name not in ORACLES[function.entry.oracle].repeats:
                    assert case.values[str(kind.argument("inc"))] != 0
            if p.kind.name == "strided" and kind.io != "in":
                stride = evaluate(p.kind.args[0], case.values)
                rows, cols = evaluate(kind.argument("shape"), case.values)
                ld = evaluate(kind.argument("ld"), case.values)
                assert stride >= ld * (cols - 1) + rows or not rows * cols, "members do not overlap"
        for option, allowed in ORACLES[function.entry.oracle].complex_ops.items():
            if function.type.element("T").is_complex:
                assert case.values[option] in allowed
        layout = lay_out(function, case)
        for operand in layout.operands.values():
            assert not len(operand.used) or (operand.used.min() >= 0 and operand.used.max() < operand.length)


def test_sizes_of_one_call_differ(function: Function) -> None:
    """A swapped m and n, or lda and m, must show."""
    if is_vector_only(function):
        return
    for case in drawn(function, 40):
        sizes = [case.values[p.name] for p in function.params if p.kind.name == "dim" and case.values[p.name] > 7]
        assert len(sizes) == len(set(sizes))


def test_variety(tables: Tables) -> None:
    function = tables.function("cublasDgemm_v2")
    assert function is not None
    found = drawn(function, 200)
    assert {c.values["transa"] for c in found} == {0, 1, 2}
    assert {c.device for c in found} == {False, True}
    assert any(c.values["m"] == 0 for c in found)
    assert any(c.values["k"] == 0 for c in found)
    assert any(c.blank for c in found), "NaN under β = 0"
    assert any(c.scalars["alpha"] == 0 for c in found)
    assert {kind for c in found for _, _, kind in c.poison} >= {"nan", "inf", "denormal"}
    assert any(c.values["lda"] > max(c.values["m"], c.values["k"]) for c in found)
    assert sum(min(c.values["m"], c.values["n"], c.values["k"]) > 2 for c in found) > 60, "most calls compute something"
    trmm = tables.function("cublasDtrmm_v2")
    assert trmm is not None
    assert any(c.alias == ("B", "C") and c.values["ldb"] == c.values["ldc"] for c in drawn(trmm))


def test_same_seed_same_calls(function: Function) -> None:
    assert drawn(function, 20) == drawn(function, 20)


def test_a_case_survives_json_and_python(function: Function) -> None:
    for case in drawn(function, 20):
        assert Case.from_json(json.loads(json.dumps(case.to_json()))) == case
        line = as_python(case, function.entry).splitlines()[1]
        heard: dict[str, object] = {}
        eval(line, {"call": lambda name, heard=heard, **words: heard.update(words, name=name)})
        assert heard["name"] == function.name
        assert heard["seed"] == case.seed


def test_every_mapped_function_is_tested_or_says_why(tables: Tables) -> None:
    for function in tables.functions("cublas"):
        if function.entry.oracle and function.kind != "unsupported":
            reason = why_untested(function)
            assert not reason or reason.startswith("no NumPy type"), f"{function.name}: {reason}"
