"""Status tests: what is asked, what is expected, and that an unchecked library fails."""

from __future__ import annotations

import broken
import pytest
from dragoman.parity import golden
from dragoman.parity.check import Workbench
from dragoman.parity.status import HUGE_LD, OVER_INT, StatusCase, status_cases
from dragoman.tables.model import Function, Tables
from fake import FakeSubject


def named(tables: Tables, name: str) -> dict[str, StatusCase]:
    function = tables.function(name, "cublas")
    assert function is not None
    cases = status_cases(function)
    assert len({c.name for c in cases}) == len(cases), "names are unique: a case can be found by its name"
    return {c.name: c for c in cases}


def test_gemm(tables: Tables) -> None:
    found = named(tables, "cublasSgemm_v2")
    expected = {
        "handle null": 1, "handle foreign": 1, "handle freed": 1,
        "transa = 3": 7, "transb = -1": 7, "m = -1": 7, "k = -1": 7, "m = 0": 0, "n = 0, arrays NULL": 0,
        "lda = least - 1": 7, "ldc = 0": 7, "lda = 0, m = 0": 7, "A NULL": 7, "beta NULL": 7,
        "alpha = 0, inputs NULL": 0,
    }  # fmt: skip
    assert {k: found[k].expected for k in expected} == expected
    assert "k = 0" not in found, "k = 0 still scales C"


def test_level1_takes_negative_sizes(tables: Tables) -> None:
    found = named(tables, "cublasSdot_v2")
    assert found["n = -1"].expected == 0
    assert found["n = 0, arrays NULL"].expected == 0
    assert found["result NULL"].expected == 11  # as seen: MAPPING_ERROR


def test_symmetric_updates_refuse_what_has_no_meaning(tables: Tables) -> None:
    assert named(tables, "cublasCsyrk_v2")["trans = 2"].expected == 7
    assert named(tables, "cublasCherk_v2")["trans = 1"].expected == 7
    assert "trans = 2" not in named(tables, "cublasSsyrk_v2")


def test_wide_forms_are_proved_without_memory(tables: Tables) -> None:
    gemm = named(tables, "cublasDgemm_v2_64")
    over = gemm["m = 2^31 + 5, alpha = 0"]
    assert (over.replaced["m"], over.expected, over.ours) == (OVER_INT, 0, True)
    assert over.base.scalars == {"alpha": 0.0, "beta": 1.0}
    assert gemm["m = 1 - 2^32"].expected == 7  # 1, if cut to 32 bits
    far = gemm["leading dimensions = 2^33"]
    assert far.numbers
    assert far.base.values["lda"] == HUGE_LD
    assert "n = 2^31 + 5, m = 0" in named(tables, "cublasStrmm_v2_64")
    assert named(tables, "cublasScopy_v2_64")["n = 1 - 2^32"].expected == 0
    assert not [c for c in named(tables, "cublasDgemm_v2") if "2^3" in c]


def test_every_wide_form_has_a_case_that_a_cut_fails(tables: Tables) -> None:
    for function in tables.functions("cublas"):
        if function.form.wide and function.entry.oracle:
            names = [c.name for c in status_cases(function)]
            assert any("2^32" in n or "2^31" in n for n in names) or "no NumPy" in str(names) or len(names) == 3, (
                function.name
            )


def wrong(function: Function, subject: FakeSubject) -> list[str]:
    bench = Workbench(subject)
    found = []
    for case in status_cases(function):
        if case.name.endswith("NULL") or case.handle == "null":
            continue  # an unchecked subject would die of these
        got, changed = bench.ask(function, case)
        if case.expected not in (None, got) or changed:
            found.append(case.name)
    return found


@pytest.mark.parametrize(
    "name", ["cublasSgemm_v2", "cublasCherk_v2_64", "cublasDtbsv_v2", "cublasSgeam", "cublasDgemv_v2"]
)
def test_a_library_that_checks_passes(tables: Tables, name: str) -> None:
    function = tables.function(name, "cublas")
    assert function is not None
    assert wrong(function, broken.right()) == []


def test_a_library_that_checks_nothing_fails(tables: Tables) -> None:
    function = tables.function("cublasSgeam", "cublas")
    assert function is not None
    found = wrong(function, broken.lenient())
    assert {"transa = 7", "lda = least - 1", "m = -1"} <= set(found)


def test_goldens_name_real_entries_and_cases(tables: Tables) -> None:
    entries = {e.key: e for e in tables.entries if e.library == "cublas"}
    known: dict[str, set[str]] = {}
    for function in tables.functions("cublas"):
        known.setdefault(function.entry.key, set()).update(c.name for c in status_cases(function, nvidia=True))
    recorded = golden.recorded()["cublas"]
    assert len(recorded) > 50
    for entry, cases in recorded.items():
        assert entry in entries
        assert set(cases) <= known[entry], f"{entry}: {set(cases) - known[entry]}"


def test_departures_are_still_departures() -> None:
    """Each line differs from what was seen on NVIDIA's library, or it says nothing."""
    recorded = golden.recorded()["cublas"]
    for line in golden.DEPARTURES:
        answers = [
            answer
            for entry, cases in recorded.items()
            for case, answer in cases.items()
            if golden.departure(entry, case) is line
        ]
        seen = {one for answer in answers for one in (answer.values() if isinstance(answer, dict) else (answer,))}
        assert seen - {line.expected}, f"{line.entry}, {line.case}: {line.reason}"


def test_gather_tells_types_apart_where_they_differ() -> None:
    def result(name: str, got: int | None, state: str = "pass") -> dict[str, object]:
        return {"entry": "gemm", "name": name, "statuses": [{"case": "m = -1", "got": got, "state": state}]}

    same = golden.gather(
        [{"library": "cublas", "results": [result("a", 7), result("b", 7), result("c", None, "crash")]}]
    )
    assert same == {"cublas": {"gemm": {"m = -1": {"a": 7, "b": 7, "c": "crash"}}}}
    same = golden.gather([{"library": "cublas", "results": [result("a", 7), result("b", 7)]}])
    assert same == {"cublas": {"gemm": {"m = -1": 7}}}
    other = golden.gather([{"library": "cublas", "results": [result("a", 7), result("b", 0)]}])
    assert other == {"cublas": {"gemm": {"m = -1": {"a": 7, "b": 0}}}}
    assert golden.text(same, "here").endswith('  "gemm": {"m = -1": 7}\n }\n}}\n')
