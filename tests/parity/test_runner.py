"""The runner: it survives what its children die of, and says the same thing twice."""

from __future__ import annotations

import json
from dataclasses import replace
from io import StringIO
from pathlib import Path

import pytest
from dragoman.commands import proving
from dragoman.parity import Options, ParityError, run_parity
from dragoman.parity.known import Known, applied
from dragoman.parity.report import FunctionResult, Numbers, Report, Status, load_report
from rich.console import Console

pytestmark = pytest.mark.usefixtures("children_find_fakes")
FEW = ("cublasSdot_v2", "cublasSscal_v2", "cublasSaxpy_v2")


def run(subject: str, *functions: str, **options: object) -> Report:
    return run_parity(
        replace(Options(factory=f"broken:{subject}", functions=functions or FEW, examples=12, workers=2), **options)  # type: ignore[arg-type]
    )


def by_name(report: Report) -> dict[str, FunctionResult]:
    return {r.name: r for r in report.results}


def test_a_right_subject() -> None:
    seen: list[tuple[int, int, str]] = []
    options = Options(factory="broken:right", functions=FEW, examples=12, workers=2)
    report = run_parity(options, lambda done, of, result: seen.append((done, of, result.name)))
    assert report.ok, [r for r in report.results if not r.ok]
    assert [s[:2] for s in seen] == [(1, 3), (2, 3), (3, 3)]
    assert {s[2] for s in seen} == set(FEW)
    assert set(report.confirmed()) == set(FEW)
    assert all(r.numbers and r.numbers.examples >= 12 and r.statuses for r in report.results)


def test_it_says_the_same_thing_twice() -> None:
    one, two = (run("forgets_beta", "cublasDgemm_v2", "cublasSgemv_v2", workers=n) for n in (1, 2))

    def stable(report: Report) -> list[object]:
        return [(r.name, r.numbers, r.statuses) for r in report.results]

    assert stable(one) == stable(two)
    assert not one.ok


def test_a_child_that_dies_costs_one_result() -> None:
    found = by_name(run("dies"))
    dead = found["cublasSdot_v2"]
    assert dead.numbers is not None
    assert dead.numbers.state == "crash"
    assert dead.numbers.lines[0].startswith("died of SIGSEGV")
    assert 'call("cublasSdot_v2", n=' in dead.numbers.python, "the call that it died of is known"
    # Cases that are refused before the library is entered are answered, the others crash one by one.
    states = {s.case: s.state for s in dead.statuses}
    assert states["handle null"] == "pass"
    assert states["n = -1"] == "crash"
    assert states["n = 0"] == "crash"
    assert found["cublasSscal_v2"].state == "pass"
    assert found["cublasSaxpy_v2"].state == "pass"


def test_a_child_that_hangs_costs_its_time_limit() -> None:
    found = by_name(run("hangs", limit=8.0, parts=("numbers",)))
    hung = found["cublasSdot_v2"].numbers
    assert hung is not None
    assert (hung.state, hung.lines) == ("hang", ("no answer within 8 s",))
    assert found["cublasSscal_v2"].state == "pass"


def test_a_lost_device_costs_one_case() -> None:
    lost = by_name(run("loses"))["cublasSdot_v2"]
    states = {s.case: s.state for s in lost.statuses}
    assert states["x NULL"] == "sticky"
    assert states["y NULL"] == "pass"
    assert lost.numbers is not None
    assert lost.numbers.state == "pass"


def test_nothing_can_start() -> None:
    with pytest.raises(ParityError, match="cublasCreate_v2 answered 1"):
        run("cannot_start")
    with pytest.raises(ParityError, match="no function of cublas 12 matches cublasNothing"):
        run("right", "cublasNothing")
    with pytest.raises(ParityError, match="does not exist; build it with"):
        run_parity(Options(subject=Path("/nowhere"), functions=FEW))


def test_globs_take_symbols_header_names_and_entries() -> None:
    assert set(by_name(run("right", "cublasSgemm", parts=("numbers",)))) == {"cublasSgemm_v2", "cublasSgemm"}
    assert {r.entry for r in run("right", "rotm", parts=("numbers",)).results} == {"rotm"}


def made(state: str = "fail") -> Report:
    numbers = Numbers(state, 3, 0.25, ("C[0, 1]: expected 1, got 2",), "from dragoman.parity import call\ncall(…)")
    statuses = (Status("m = -1", 7, 0, "fail", ("C was changed",)), Status("m = 0", 0, 0, "pass"))
    bad = FunctionResult(
        "cublasSgemm_v2", "gemm", "S", "v2", "Level-3", "tables/cublas/level3.yaml:41", numbers, statuses
    )
    good = FunctionResult(
        "cublasDgemm_v2", "gemm", "D", "v2", "Level-3", "tables/cublas/level3.yaml:41", Numbers("pass", 5, 0.5)
    )
    return Report("NumPy, cpu backend", "cublas", 12, 0, 5, 1.0, (bad, good))


def test_json_can_be_read_back(tmp_path: Path) -> None:
    report = made()
    path = tmp_path / "report.json"
    path.write_text(report.to_json(), encoding="utf-8")
    assert load_report(path) == report
    assert json.loads(path.read_text(encoding="utf-8"))["results"][0]["state"] == "fail"
    path.write_text('{"format": 99}', encoding="utf-8")
    with pytest.raises(ValueError, match="not a parity report of format 1"):
        load_report(path)


def test_html_is_one_file() -> None:
    page = made().to_html([made("pass")])
    for word in ("<script src", "<link", "http://", "https://"):
        assert word not in page
    assert page.count("<table>") == 2
    # Narrow windows: the page keeps its width, a map scrolls in its own frame under names that stay.
    assert '<meta name="viewport"' in page
    assert page.count('<div class="map"><table>') == 2
    assert "position: sticky" in page
    assert "v1 the first API" in page
    assert 'href="#0-cublasSgemm_v2"' in page
    assert "m = -1: answers 0, expected 7; C was changed" in page


def test_terminal_shows_what_repeats_a_failure() -> None:
    out = StringIO()
    made().print(Console(file=out, width=110))
    text = out.getvalue()
    assert "cublasSgemm_v2 (tables/cublas/level3.yaml:41): fail" in text
    assert ">>> from dragoman.parity import call" in text
    assert '>>> call("cublasSgemm_v2", case="m = -1")' in text
    assert "2 functions (1 pass, 1 fail): 8 calls judged by NumPy, cpu backend, 2 argument checks, 1 s" in text


def test_what_repeats_a_failure_names_the_libraries() -> None:
    """Of another CUDA, of a folder of the user's."""
    out = StringIO()
    replace(made(), cuda=13).print(Console(file=out, width=110), words=', subject="/some where"')
    assert '>>> call("cublasSgemm_v2", case="m = -1", major=13, subject="/some where")' in out.getvalue()
    assert "major=13)" in replace(made(), cuda=13).to_html()
    assert [replace(made(), library="cudnn", cuda=v).version for v in (8, 9)] == [", cudnn=8", ""]
    again = [proving._again(replace(made(), library=library, cuda=v)) for library, v in (("cudnn", 8), ("cublas", 11))]
    assert again == [" --library cudnn8", " --cuda 11"]


def test_known_differences_must_still_be_there() -> None:
    bad, good = made().results
    line = Known("cublas?gemm_v2", "numbers", "the reason")
    assert applied(bad, "cpu", [line]).numbers.state == "known"  # type: ignore[union-attr]
    gone = applied(good, "cpu", [line])
    assert gone.state == "unexpected"
    assert not gone.ok
    assert applied(bad, "rocm", [replace(line, backend="cpu")]) == bad
    assert applied(bad, "cpu", [Known("*", "m = *", "so it is")]).status_state == "unexpected"
