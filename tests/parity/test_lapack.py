"""The LAPACK oracles: right factors and solutions pass, from whatever algorithm; each kind of mistake is refused.

Right answers are made here in double precision, by loops over columns; mistakes are made in them.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from dragoman.parity.cases import Case, fill, lay_out, oracle_arguments, view
from dragoman.parity.oracles import ORACLES, judge
from dragoman.parity.status import status_cases
from dragoman.parity.strategies import cases
from dragoman.tables.model import Function, Tables
from hypothesis import HealthCheck, given, seed, settings

Arrays = dict[str, Any]
Values = dict[str, Any]
FAMILIES = ("getrf", "getri", "getrs", "matinv", "geqrf", "gels")


# ---- right answers, member by member


def lu(matrix: Any, pivoted: bool = True) -> tuple[Any, Any, int]:
    """(factors, pivots from 1, info); an exact zero divides nothing."""
    a, n, info = matrix.copy(), len(matrix), 0
    rows = np.arange(1, n + 1)
    for k in range(n):
        best = k + int(np.abs(a[k:, k]).argmax()) if pivoted else k
        rows[k] = best + 1
        a[[k, best]] = a[[best, k]]
        if a[k, k] == 0:
            info = info or k + 1
            continue
        a[k + 1 :, k] /= a[k, k]
        a[k + 1 :, k + 1 :] -= np.outer(a[k + 1 :, k], a[k, k + 1 :])
    return a, rows, info


def together(factors: Any, rows: Any) -> Any:
    """PᵀLU."""
    made = (np.tril(factors, -1) + np.eye(len(factors))) @ np.triu(factors)
    for k in range(len(rows) - 1, -1, -1):
        made[[k, rows[k] - 1]] = made[[rows[k] - 1, k]]
    return made


def qr(matrix: Any) -> tuple[Any, Any]:
    """(R with the reflectors below it, τ) as LAPACK has them."""
    a, (m, n) = matrix.copy(), matrix.shape
    tau = np.zeros(min(m, n), a.dtype)
    for j in range(min(m, n)):
        x = a[j:, j].copy()
        norm = np.sqrt((np.abs(x) ** 2).sum())
        if norm == 0 or (m - j == 1 and x[0].imag == 0):
            continue
        beta = -np.copysign(norm, x[0].real)
        tau[j] = (beta - x[0]) / beta
        v = x / (x[0] - beta)
        v[0] = 1
        a[j:, j:] -= np.conj(tau[j]) * np.outer(v, np.conj(v) @ a[j:, j:])
        a[j, j], a[j + 1 :, j] = beta, v[1:]
    return a, tau


class Call:
    """One drawn call, and the memory before and after it."""

    def __init__(self, function: Function, case: Case) -> None:
        self.function, self.case = function, case
        layout = lay_out(function, case)
        device, host = np.zeros(layout.device_size, np.uint8), np.zeros(max(layout.host_size, 16), np.uint8)
        fill(layout, case, function, device, host)
        self.before = {n: view(host if o.host else device, o) for n, o in layout.operands.items()}
        self.after: Arrays = {n: a.copy() for n, a in self.before.items()}
        self.named = oracle_arguments(function, case, layout, self.before)
        self.batch = range(case.values["batchSize"])

    def __getitem__(self, name: str) -> Any:
        return self.named[name]

    def matrix(self, name: str, rows: int, cols: int, ld: int, after: bool = True) -> Any:
        """A view of a matrix, so that it can be written to."""
        flat = (self.after if after else self.before)[name]
        return np.lib.stride_tricks.as_strided(flat, (rows, cols), (flat.itemsize, ld * flat.itemsize))

    def faults(self) -> list[str]:
        with np.errstate(all="ignore"):
            claims = ORACLES[self.function.entry.oracle].function(**self.named)
            verdict = judge(claims, self.before, self.after)
        return [str(f) for f in (*verdict.faults, *verdict.untouched)]


def getrf(call: Call) -> None:
    n = call["n"]
    for i in call.batch if n else ():
        a = call.matrix(f"A[{i}]", n, n, call["lda"])
        a[...], rows, call.after["info"][i] = lu(a, call["P"] is not None)
        if call["P"] is not None:
            call.after["P"][i * n : (i + 1) * n] = rows


def getri(call: Call) -> None:
    n = call["n"]
    for i in call.batch if n else ():
        factors = call.matrix(f"A[{i}]", n, n, call["lda"])
        rows = call["P"][i * n : (i + 1) * n] if call["P"] is not None else np.arange(1, n + 1)
        zeros = np.flatnonzero(np.diagonal(factors) == 0)
        call.after["info"][i] = zeros[0] + 1 if len(zeros) else 0
        if not len(zeros):
            call.matrix(f"C[{i}]", n, n, call["ldc"])[...] = np.linalg.inv(together(factors, rows))


def getrs(call: Call) -> None:
    n = call["n"]
    call.after["info"][0] = 0
    for i in call.batch if n and call["nrhs"] else ():
        factors = call.matrix(f"Aarray[{i}]", n, n, call["lda"])
        rows = call["devIpiv"][i * n : (i + 1) * n] if call["devIpiv"] is not None else np.arange(1, n + 1)
        whole = together(factors, rows)
        whole = (whole, whole.T, np.conj(whole.T))[call["trans"]]
        b = call.matrix(f"Barray[{i}]", n, call["nrhs"], call["ldb"])
        if (np.diagonal(factors) != 0).all():
            b[...] = np.linalg.solve(whole, b)


def matinv(call: Call) -> None:
    n = call["n"]
    for i in call.batch if n else ():
        a = call.matrix(f"A[{i}]", n, n, call["lda"])
        _, _, info = lu(a)
        call.after["info"][i] = info
        if not info:
            call.matrix(f"Ainv[{i}]", n, n, call["lda_inv"])[...] = np.linalg.inv(a)


def geqrf(call: Call) -> None:
    m, n = call["m"], call["n"]
    call.after["info"][0] = 0
    for i in call.batch if m and n else ():
        a = call.matrix(f"Aarray[{i}]", m, n, call["lda"])
        a[...], call.after[f"TauArray[{i}]"][: min(m, n)] = qr(a)


def gels(call: Call) -> None:
    m, n, nrhs = call["m"], call["n"], call["nrhs"]
    call.after["info"][0] = 0
    if m and n and not nrhs and call["devInfoArray"] is not None:
        call.after["devInfoArray"][: call["batchSize"]] = 0
    for i in call.batch if m and n and nrhs else ():
        a = call.matrix(f"Aarray[{i}]", m, n, call["lda"])
        c = call.matrix(f"Carray[{i}]", m, nrhs, call["ldc"])
        old = a.copy()
        a[...], _ = qr(a)
        zeros = np.flatnonzero(np.diagonal(a) == 0)
        if call["devInfoArray"] is not None:
            call.after["devInfoArray"][i] = zeros[0] + 1 if len(zeros) else 0
        if not len(zeros):
            c[:n] = np.linalg.lstsq(old, c.copy(), rcond=None)[0]


ANSWERS: dict[str, Callable[[Call], None]] = {
    "getrf": getrf, "getri": getri, "getrs": getrs, "matinv": matinv, "geqrf": geqrf, "gels": gels,
}  # fmt: skip


def of(tables: Tables, family: str, letter: str) -> Function:
    found = tables.function(f"cublas{letter}{family}Batched", "cublas")
    assert found is not None
    return found


def drawn(function: Function, count: int = 40) -> list[Case]:
    found: list[Case] = []

    @settings(max_examples=count, database=None, deadline=None, suppress_health_check=list(HealthCheck))
    @seed(3)
    @given(cases(function))
    def collect(case: Case) -> None:
        found.append(case)

    collect()
    return found


@pytest.mark.parametrize("letter", ["D", "Z"])
@pytest.mark.parametrize("family", FAMILIES)
def test_right_answers_pass(tables: Tables, family: str, letter: str) -> None:
    function = of(tables, family, letter)
    made = 0
    for case in drawn(function):
        if any(kind in ("nan", "inf") for *_, kind in case.poison):
            continue  # the loops above would spoil more than a library may
        call = Call(function, case)
        with np.errstate(all="ignore"):
            ANSWERS[family](call)
        assert call.faults() == [], case
        made += 1
    assert made > 10


# ---- mistakes: each changes right answers of a small call


def _off(name: str, value: float = 1e-9) -> Callable[[Call], None]:
    def change(call: Call) -> None:
        call.after[name][1] += value

    return change


def _info(name: str, value: int) -> Callable[[Call], None]:
    def change(call: Call) -> None:
        call.after[name][1] = value

    return change


def _host(call: Call) -> None:
    call.after["info"][0] = -3


def _no_swaps(call: Call) -> None:
    """Factors without pivots, and pivots that say so."""
    n = call["n"]
    a = call.matrix("A[0]", n, n, call["lda"])
    a[...] = lu(call.matrix("A[0]", n, n, call["lda"], after=False), False)[0]
    call.after["P"][:n] = np.arange(1, n + 1)


def _from_zero(call: Call) -> None:
    call.after["P"][: call["n"]] -= 1


def _second_member_first(call: Call) -> None:
    call.after["P"][: call["n"]] = call.after["P"][call["n"] : 2 * call["n"]][::-1]


def _turned(name: str, ld: str) -> Callable[[Call], None]:
    def change(call: Call) -> None:
        a = call.matrix(name, call["n"], call["n"], call[ld])
        a[...] = a.T.copy()

    return change


def _as_if(**changed: Any) -> Callable[[Call], None]:
    def change(call: Call) -> None:
        kept = dict(call.named)
        call.after = {n: a.copy() for n, a in call.before.items()}
        call.named.update(changed)
        ANSWERS["getrs"](call)
        call.named.update(kept)

    return change


def _pivots_ignored(call: Call) -> None:
    name = "P" if "P" in call.named else "devIpiv"
    kept, call.after = call.named[name], {n: a.copy() for n, a in call.before.items()}
    call.named[name] = None
    ANSWERS["getri" if "C" in call.named else "getrs"](call)
    call.named[name] = kept


def _half_tau(call: Call) -> None:
    call.after["TauArray[1]"][0] /= 2


def _conjugate_tau(call: Call) -> None:
    call.after["TauArray[0]"][...] = np.conj(call.after["TauArray[0]"])


def _sign(call: Call) -> None:
    call.after["Aarray[0]"][0] *= -1


def _larger(call: Call) -> None:
    call.after["Aarray[0]"][0] *= 1.001


def _padding(name: str) -> Callable[[Call], None]:
    def change(call: Call) -> None:
        call.after[name][call["lda"] - 1] = 7

    return change


MISTAKES: dict[str, dict[str, Callable[[Call], None]]] = {
    "getrf": {
        "an element": _off("A[1]"), "info": _info("info", 2), "no row is swapped": _no_swaps, "pivots from 0": _from_zero,
        "other pivots": _second_member_first, "transposed": _turned("A[0]", "lda"), "padding": _padding("A[0]"),
    },
    "getri": {
        "an element": _off("C[1]"), "info": _info("info", 2), "pivots ignored": _pivots_ignored,
        "transposed": _turned("C[0]", "ldc"), "A is changed": _off("A[0]"),
    },
    "getrs": {
        "an element": _off("Barray[1]"), "info": _host, "pivots ignored": _pivots_ignored,
        "not transposed": _as_if(trans=0), "not conjugated": _as_if(trans=1), "P is changed": _off("devIpiv", 1),
    },
    "matinv": {"an element": _off("Ainv[1]"), "info": _info("info", 1), "transposed": _turned("Ainv[0]", "lda_inv")},
    "geqrf": {
        "an element": _off("Aarray[1]"), "info": _host, "tau": _half_tau, "tau conjugated": _conjugate_tau, "sign": _sign,
    },
    "gels": {
        "an element": _off("Carray[1]"), "info": _host, "devInfoArray": _info("devInfoArray", 1),
        "R": _larger,
    },
}  # fmt: skip


@pytest.mark.parametrize(
    ("family", "mistake"), [pytest.param(f, m, id=f"{f}: {m}") for f in FAMILIES for m in MISTAKES[f]]
)
def test_mistakes_are_refused(tables: Tables, family: str, mistake: str) -> None:
    function = of(tables, family, "Z")
    values = {"n": 5, "nrhs": 3, "m": 7, "batchSize": 2, "trans": 2 if family == "getrs" else 0}
    values |= dict.fromkeys(("lda", "ldb", "ldc", "lda_inv"), 9)
    call = Call(
        function, Case(function.name, {p.name: values[p.name] for p in function.params if p.name in values}, seed=5)
    )
    ANSWERS[family](call)
    assert call.faults() == []
    MISTAKES[family][mistake](call)
    assert call.faults()


def test_an_inverse_may_have_its_small_residual_on_either_side(tables: Tables) -> None:
    """For an ill-conditioned matrix A·X − I and X·A − I differ by its condition."""
    function = of(tables, "matinv", "D")
    call = Call(function, Case(function.name, {"n": 6, "lda": 6, "lda_inv": 6, "batchSize": 2}, seed=1))
    hilbert = 1.0 / (1 + np.arange(6)[:, None] + np.arange(6)[None, :])
    factors, rows, _ = lu(hilbert)
    lower, upper = np.tril(factors, -1) + np.eye(6), np.triu(factors)
    swaps = together(np.eye(6), rows)  # Pᵀ
    one_side = np.linalg.solve(upper, np.linalg.solve(lower, swaps.T))
    other_side = np.linalg.solve(lower.T, np.linalg.inv(upper).T).T @ swaps.T
    for i, inverse in enumerate((one_side, other_side)):
        for arrays, name, matrix in (
            (call.before, "A", hilbert),
            (call.after, "A", hilbert),
            (call.after, "Ainv", inverse),
        ):
            arrays[f"{name}[{i}]"][:36] = matrix.T.ravel()
        call.after["info"][i] = 0
    assert call.faults() == []
    call.after["Ainv[0]"][:36] *= 1 + 1e-6
    assert call.faults()


# ---- what is drawn


def test_pivots_are_row_swaps(tables: Tables) -> None:
    function = of(tables, "getrs", "S")
    seen = 0
    for case in drawn(function):
        call, n = Call(function, case), case.values["n"]
        for i in call.batch:
            rows = call.before["devIpiv"][i * n : (i + 1) * n]
            assert ((rows > np.arange(n)) & (rows <= n)).all()
            seen += int((rows != np.arange(1, n + 1)).any()) if n > 2 else 0
    assert seen


def test_singular_members_and_absent_pivots_are_drawn(tables: Tables) -> None:
    for family, kind in (("getrf", "column"), ("matinv", "column"), ("gels", "column"), ("getri", "pivot")):
        function = of(tables, family, "C")
        found = drawn(function, 120)
        assert any(kind in p for case in found for p in case.poison)
        if ORACLES[function.entry.oracle].optional:
            assert {bool(case.absent) for case in found} == {True, False}
        for case in found:
            assert Case.from_json(json.loads(json.dumps(case.to_json()))) == case


def test_sizes_stay_within_what_the_function_takes(tables: Tables) -> None:
    assert all(c.values["m"] >= c.values["n"] and c.values["trans"] == 0 for c in drawn(of(tables, "gels", "D")))
    sizes = [c.values["n"] for c in drawn(of(tables, "matinv", "D"))]
    assert max(sizes) == 32


# ---- argument checks


def test_the_host_info_counts_as_nvidia_does(tables: Tables) -> None:
    def infos(family: str) -> dict[str, tuple[int | None, int | None]]:
        return {c.name: (c.expected, c.info) for c in status_cases(of(tables, family, "S"))}

    getrs, gels, geqrf = infos("getrs"), infos("gels"), infos("geqrf")
    assert getrs["n = -1"] == (7, -2)
    assert getrs["trans = 7"] == (7, -1)
    assert getrs["devIpiv NULL"] == (0, 0)
    assert getrs["info NULL"] == (7, None)
    assert gels["nrhs = -1"] == (7, -2)
    assert gels["n = -1"] == (7, -3)
    assert gels["ldc = 0"] == (7, -7)
    assert gels["batchSize = -1"] == (7, -8)
    assert gels["trans = 1"] == (15, 0)
    assert gels["m < n"] == (15, 0)
    assert geqrf["lda = 0"] == (7, -4)
    assert geqrf["m = 0"] == (0, 0)
    assert infos("matinv")["n = 33"] == (7, None)
