"""The coverage report: what it counts, what it compares, and how it looks in each format."""

from __future__ import annotations

import dataclasses
import fnmatch
import json
import re
from html.parser import HTMLParser
from pathlib import Path

import facts
import pytest
from as_user import Dragoman
from dragoman import explain as explaining
from dragoman.amdhost import results as amd_records
from dragoman.commands import proving
from dragoman.coverage import abi, clients, collect, exports, html, markdown, records, terminal
from dragoman.coverage.merge import merge
from dragoman.coverage.model import JUDGES, KINDS, MEANING, UNDOCUMENTED, Count, Coverage, percent
from dragoman.parity import known
from dragoman.parity.nvidia import departures
from dragoman.parity.report import FunctionResult, Numbers, Report, Status
from dragoman.tables.loader import load
from dragoman.tables.model import Tables
from markupsafe import escape


@pytest.fixture(scope="module")
def tables() -> Tables:
    return load()


@pytest.fixture(scope="module")
def report(tables: Tables, tmp_path_factory: pytest.TempPathFactory) -> Coverage:
    return collect.collect(tables, tmp_path_factory.mktemp("unbuilt"))


def test_json_has_exactly_this_shape(dragoman: Dragoman) -> None:
    ran = dragoman("coverage", "--format", "json")
    assert ran.returncode == 0, ran.stderr
    content = json.loads(ran.stdout)
    assert list(content) == ["libraries"]
    seen = set()
    for library in content["libraries"]:
        assert list(library) == ["library", "cuda", "version", "functions"]
        assert library["cuda"] in (11, 12, 13)
        seen.add((library["library"], library["cuda"]))
        for function in library["functions"]:
            assert list(function) == ["name", "kind", "targets", "reason", "limits", "differs", "source", "judges"]
            assert function["kind"] in KINDS
            assert re.fullmatch(r"tables/[\w/]+\.yaml:\d+", function["source"])
            assert bool(function["reason"]) == (function["kind"] == "unsupported")
            assert {j["name"] for j in function["judges"]} <= set(JUDGES)
    assert {("cublas", 11), ("cublas", 12), ("cublas", 13)} <= seen


def test_tables_and_nvidias_exports_are_the_same_names(report: Coverage) -> None:
    assert report.differences == ()
    for library in report.libraries:
        if library.library in ("cublas", "cublasLt", "cudart"):
            assert library.compared == ("NVIDIA's on linux", "NVIDIA's on windows")


def test_a_name_of_one_source_only_is_a_difference(
    tables: Tables, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    real = exports.nvidia

    def other(library: object, version: object, system: str, part: str = "") -> frozenset[str] | None:
        names = real(library, version, system, part)  # type: ignore[arg-type]
        return names and (names - {"cublasSgemm_v2"} | {"cublasNew"})

    monkeypatch.setattr(exports, "nvidia", other)
    found = collect.collect(tables, tmp_path, libraries=["cublas"], majors=[12]).differences
    assert "cuBLAS for CUDA 12: cublasNew is among NVIDIA's exports on linux, but in no table" in found
    assert "cuBLAS for CUDA 12: cublasSgemm_v2 is in a table, but not among NVIDIA's exports on linux" in found


@pytest.mark.parametrize("line", known.KNOWN, ids=lambda k: f"{k.function}, {k.case}")
def test_each_known_difference_is_seen(line: known.Known, report: Coverage) -> None:
    """In the report, in each of its formats, and in what `explain` says: never of a function that is not answered."""
    rows = [r for x in report.libraries for r in x.rows if fnmatch.fnmatchcase(r.name, line.function)]
    shown = [r for r in rows if f"{line.case}: {line.reason}" in r.differs]
    assert {r.name for r in shown} == {r.name for r in rows if r.answered} != set()
    assert f"(differs: {line.case}: {line.reason})" in markdown.render(report)
    assert str(escape(f"differs: {line.case}: {line.reason}")) in html.render(report)
    assert f"{line.case}: {line.reason}" in explaining.explain(shown[0].name, Path("/none"), exact=True).differs


def test_a_departure_from_a_recorded_answer_is_seen(report: Coverage) -> None:
    rows = {r.name: r for x in report.libraries if x.library == "cublas" for r in x.rows}
    assert any(d.startswith("alpha NULL: NVIDIA's geam") for d in rows["cublasSgeam"].differs)
    assert rows["cublasSgemm_v2"].differs == ()


def test_what_was_probed_and_what_is_unknown_is_seen(report: Coverage) -> None:
    """Corners in which ours answer otherwise than an H200 did, and those of which nobody knows."""
    rows = {r.name: r for x in report.libraries if x.library in ("cublas", "cudart") for r in x.rows}
    for name in ("cublasSsyrk_v2", "cublasZsyrk_v2_64", "cublasSsyrk", "cublasDtrsm_v2"):
        assert any(d.startswith("corners of level 3: a factor of 0 over NaN") for d in rows[name].differs), name
    assert any("NVIDIA's forgets the NaN" in d for d in rows["cublasSnrm2_v2"].differs)
    assert any("documented, but refused" in d for d in rows["cublasGemmGroupedBatchedEx"].differs)
    assert any("a text of our own" in d for d in rows["cudaGetErrorString"].differs)
    assert any(d.startswith("NaN in x: NVIDIA's: passed over; AMD's: unknown") for d in rows["cublasIsamax_v2"].differs)
    assert any(d.startswith("a zero pivot without pivoting") for d in rows["cublasSgetrfBatched"].differs)
    for line in (*departures.STEPS, *departures.TUPLES):
        assert any(d.endswith(line.reason) for r in rows.values() for d in r.differs), line


def test_counts_add_up(report: Coverage) -> None:
    for library in report.libraries:
        count = Count.of(library.rows)
        assert sum(count.kinds.values()) == count.total == len(library.rows) - count.undocumented
        assert count.answered == sum(row.documented and row.kind != "unsupported" for row in library.rows)
        assert sum(len(rows) for rows in library.chapters().values()) == count.total + count.undocumented


def test_what_nobody_calls_is_counted_apart(report: Coverage) -> None:
    """NVIDIA's libcublas calls much of its libcublasLt: exported and refused, and no part of the share that is answered."""
    lt = next(x for x in report.libraries if (x.library, x.major) == ("cublasLt", 12))
    count = Count.of(lt.rows)
    assert count.total + count.undocumented == len(lt.rows)
    assert 0 < count.total < count.undocumented
    assert f"{percent(count.answered, count.total)} of {count.total}" in html.render(report)
    assert f"(+ {count.undocumented} undocumented)" in html.render(report)
    assert f"| {count.undocumented} | {percent(count.answered, count.total)} |" in markdown.render(report)


@pytest.mark.parametrize(
    ("part", "whole", "text"), [(0, 0, "–"), (0, 9, "0 %"), (1, 900, "1 %"), (899, 900, "99 %"), (9, 9, "100 %")]
)
def test_percent_rounds_honestly(part: int, whole: int, text: str) -> None:
    assert percent(part, whole) == text


def test_chapters_are_in_the_manuals_order(report: Coverage) -> None:
    cublas = next(x for x in report.libraries if (x.library, x.major) == ("cublas", 12))
    chapters = list(cublas.chapters())
    assert chapters[:3] == ["Helper functions", "Level-1", "Level-2"]
    assert chapters.index("Level-2") < chapters.index("Level-3") < chapters.index("cuBLASXt")
    assert chapters[-1] == "Internal"


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.rows = 0
        self.loads: list[str] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.rows += tag == "tr" and "data-kind" in given
        self.loads += [v for k, v in given.items() if v and (k in ("src", "href") or "url(" in v)]
        if tag not in ("meta", "input", "rect"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag != "rect":
            assert self.open.pop() == tag


def test_page_is_whole_and_loads_nothing(report: Coverage) -> None:
    text = html.render(report)
    page = _Page()
    page.feed(text)
    assert page.open == []
    assert page.loads == []
    assert "http" not in text
    assert "@import" not in text
    assert "Mapped alone is a claim" in text
    assert '<meta name="viewport"' in text
    assert page.rows == sum(len(rows) for chapters in merge(report).values() for rows in chapters.values())
    assert "<svg" in text


def test_words_of_the_page_are_explained_on_it(report: Coverage) -> None:
    """In sight, not in a tip that a phone or a printout does not show: kinds, the green line, what no header declares."""
    page = html.render(report)
    for text in (page, markdown.render(report)):
        assert all(str(escape(meaning)) in text or meaning in text for meaning in MEANING.values())
        assert UNDOCUMENTED in text.replace("&#39;", "'")
    assert "the line below each bar" in page
    assert "title=" not in page
    assert UNDOCUMENTED in terminal.legend(report)


def test_last_lines_of_prove(report: Coverage, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What came out, what is wrong and how to repeat it, and where the report lies: as the README says."""
    where = ("gemm", "S", "v2", "Level-3", "tables/cublas/level3.yaml:6")
    good = FunctionResult("cublasSgemm_v2", *where, Numbers("pass", 5, 0.5))
    bad = FunctionResult("cublasDgemm_v2", *where, Numbers("fail", 5, 2.0))
    for results, said in (
        ((good,), "1 functions by their numbers in 5 calls: all right"),
        ((good, bad), "10 calls: 1 WRONG"),
    ):
        proved = Report("NumPy, cpu backend", "cublas", 12, 0, 5, 1.0, results)
        proving._tell([proved], report, tmp_path / "lib", tmp_path / "report", 99.6)
        lines = capsys.readouterr().out.splitlines()
        assert lines[0] == f"Libraries  {tmp_path / 'lib' / 'linux'}: cuda11, cuda12, cuda13, cpu"
        assert said in lines[1]
        assert (lines[2].strip() == "cublasDgemm_v2: fail; repeat it: dragoman parity --function cublasDgemm_v2") == (
            bad in results
        )
        assert any(
            re.fullmatch(
                r"Coverage   cuBLAS for CUDA 12: \d+ of \d+ functions answered \(\d+ %\), 0 confirmed; \d+ undocumented ones refuse",
                n,
            )
            for n in lines
        )
        assert lines[-2] == f"Reports    {tmp_path / 'report' / 'coverage.html'}, {tmp_path / 'report' / 'parity.html'}"


def test_markdown_names_every_function(report: Coverage) -> None:
    text = markdown.render(report)
    for library in report.libraries:
        for row in library.rows:
            assert f"| `{row.name}` |" in text
    assert "Mapped alone is a claim" in text
    assert not [line for line in text.splitlines() if line.startswith("| `") and line.count(" | ") != 5]


STANDING = ("amd-host", "abi", "clients")  # judges of the tables, not of a build


def judged(state: str) -> Report:
    function = load().function("cublasSgemm_v2")
    other = load().function("cublasDgemm_v2")
    assert function
    assert other
    results = (
        FunctionResult(**{**vars_of(FunctionResult.of(function)), "numbers": Numbers(state, 5)}),
        FunctionResult(**{**vars_of(FunctionResult.of(other)), "numbers": None}),
    )
    return Report("NumPy", "cublas", 12, 0, 5, 0.1, results)


def vars_of(result: FunctionResult) -> dict[str, object]:
    return {name: getattr(result, name) for name in FunctionResult.__slots__}


def test_records_belong_to_one_build(tables: Tables, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DRAGOMAN_CACHE", str(tmp_path / "cache"))
    folder = tmp_path / "linux" / "cuda12"
    folder.mkdir(parents=True)
    version = tables.libraries["cublas"].versions[12]
    assert records.build_digest(folder, version) == ""
    (folder / "libcublas.so.12").write_bytes(b"one")
    digest = records.build_digest(folder, version)
    records.keep(judged("pass"), "numpy", "NumPy 2", digest)
    found = records.load("numpy", "cublas", 12, digest)
    assert list(found) == ["cublasSgemm_v2"]  # what did not run is not in it
    assert found["cublasSgemm_v2"].passed
    assert found["cublasSgemm_v2"].confirmation.version == "NumPy 2"
    assert records.load("card", "cublas", 12, digest) == {}

    (folder / "libcublas.so.12").write_bytes(b"two")
    assert records.load("numpy", "cublas", 12, records.build_digest(folder, version)) == {}


def test_a_failed_function_is_not_confirmed(tables: Tables, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DRAGOMAN_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(exports, "built", lambda *_: None)
    folder = tmp_path / "linux" / "cuda12"
    folder.mkdir(parents=True)
    (folder / "libcublas.so.12").write_bytes(b"one")
    version = tables.libraries["cublas"].versions[12]
    digest = records.build_digest(folder, version)
    for state, confirmed in (("fail", []), ("pass", ["numpy"])):
        records.keep(judged(state), "numpy", "NumPy 2", digest)
        report = collect.collect(tables, tmp_path, libraries=["cublas"], majors=[12])
        row = next(r for r in report.libraries[0].rows if r.name == "cublasSgemm_v2")
        assert [j.name for j in row.judges if j.name not in STANDING] == confirmed
        assert row.confirmed == bool(confirmed)


def test_answers_are_nvidias_or_they_are_not(tables: Tables, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The judge `nvidia`: only what its library was asked counts, and one other answer is one too many."""
    monkeypatch.setenv("DRAGOMAN_CACHE", str(tmp_path))

    def answered(name: str, *statuses: Status) -> FunctionResult:
        function = tables.function(name)
        assert function
        return FunctionResult(**{**vars_of(FunctionResult.of(function)), "statuses": statuses})

    results = (
        answered("cublasSgemm_v2", Status("m = -1", 7, 7, "pass"), Status("never asked", 7, 7, "pass")),
        answered("cublasDgemm_v2", Status("m = -1", 7, 7, "pass"), Status("n = -1", 0, 0, "pass")),
        answered("cublasSgemv_v2", Status("incx = 0", 0, 7, "known")),
        answered("cublasCreate_v2", Status("never asked", 7, 7, "pass")),
        answered("cublasSdot_v2"),
    )
    records.keep_answers(Report("NumPy", "cublas", 12, 0, 5, 0.1, results), "digest")
    found = records.load("nvidia", "cublas", 12, "digest")
    assert {n: j.passed for n, j in found.items()} == {
        "cublasSgemm_v2": True,
        "cublasDgemm_v2": False,
        "cublasSgemv_v2": False,
    }
    assert "H200" in found["cublasSgemm_v2"].confirmation.version


def test_a_prototype_is_no_proof(report: Coverage) -> None:
    """Nobody ran anything on this tree, so nothing is confirmed, whatever agrees with the headers."""
    rows = [r for x in report.libraries for r in x.rows]
    assert sum("abi" in {j.name for j in r.judges} for r in rows) > 2000
    assert not any(r.confirmed for r in rows)
    assert 'data-judge="yes"' not in html.render(report)


@pytest.mark.parametrize(("library", "major"), [("cublas", 12), ("cublasLt", 13), ("cudart", 11), ("cudnn", 9)])
def test_abi_judges_what_the_headers_declare(tables: Tables, library: str, major: int) -> None:
    known = tables.libraries[library]
    functions = tables.functions(library, major)
    agreeing = abi.agreeing(known, known.versions[major], functions)
    declared = {n for n, f in facts.cuda_functions(library, major).items() if f.kind != "internal"}
    assert set(agreeing) <= declared & {f.name for f in functions}
    assert len(agreeing) > 0.9 * len(declared & {f.name for f in functions})
    one = next(f for f in functions if f.name in agreeing and len(f.params) > 1)
    assert abi.agreeing(known, known.versions[major], [one])
    less = dataclasses.replace(one, params=one.params[:-1])
    assert not abi.agreeing(known, known.versions[major], [less])
    assert not abi.agreeing(
        tables.libraries["cuda"], tables.libraries["cuda"].versions[12], tables.functions("cuda", 12)
    )


def test_a_client_counts_for_the_entry_it_called(tables: Tables, monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = tables.function("cublasSgemm_v2"), tables.function("cublasSdot_v2")
    assert one
    assert other
    seen = {one.name: amd_records.digest(one.entry), other.name: "of an older entry"}
    monkeypatch.setattr(clients, "recorded", lambda: {"a client 1.0": {"date": "2026-01-01", "functions": seen}})
    assert list(clients.called([one, other])) == [one.name]
    assert clients.called([one])[one.name].confirmation.version == "a client 1.0"


def test_a_broken_record_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DRAGOMAN_CACHE", str(tmp_path))
    place = records.place("numpy", "cublas", 12)
    place.parent.mkdir(parents=True)
    place.write_text('{"format"', encoding="utf-8")
    assert records.load("numpy", "cublas", 12, "digest") == {}


def judges(row: dict[str, list[dict[str, str]]]) -> list[str]:
    return [j["name"] for j in row["judges"] if j["name"] != "clients"]


def test_parity_confirms(dragoman: Dragoman) -> None:
    """A run of parity is what a report of this build shows."""
    ran = dragoman("parity", "--function", "cublasSasum_v2", "--examples", "5", "--json")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    found = json.loads(dragoman("explain", "cublasSasum", "--json").stdout)
    assert judges(found) == ["numpy", "nvidia", "amd-host", "abi"]
    report = json.loads(dragoman("coverage", "--format", "json", "--library", "cublas", "--cuda", "12").stdout)
    row = next(f for f in report["libraries"][0]["functions"] if f["name"] == "cublasSasum_v2")
    assert judges(row) == ["numpy", "nvidia", "amd-host", "abi"]


def test_terminal_fits(dragoman: Dragoman) -> None:
    ran = dragoman("coverage")
    assert ran.returncode == 0, ran.stderr
    assert "Mapped alone is a claim" in ran.stdout
    assert all(len(line) <= 120 for line in ran.stdout.splitlines())
    assert "…" not in ran.stdout
