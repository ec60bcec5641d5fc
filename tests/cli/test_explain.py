"""`dragoman explain`: from the name to table line, prototypes, code and judges."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from as_user import Dragoman
from dragoman import explain as explaining
from dragoman import paths
from dragoman.tables.loader import load
from dragoman.tested import where_tested

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tree without a build: nobody has judged anything."""
    return tmp_path_factory.mktemp("none")


def test_name_of_a_program_leads_to_the_symbol(root: Path) -> None:
    found = explaining.explain("cublasSgemm", root)
    assert (found.name, found.asked, found.older) == ("cublasSgemm_v2", "cublasSgemm", "cublasSgemm")
    assert found.source.startswith("tables/cublas/level3.yaml:")
    assert found.table.startswith("gemm:\n")
    assert "gemmBatched" not in found.table
    assert found.cuda.startswith("cublasStatus_t cublasSgemm_v2(cublasHandle_t handle, cublasOperation_t transa")
    assert [p.split("(")[0] for p in found.amd] == ["rocblas_status rocblas_sgemm"]
    assert found.code.startswith(f"# {found.source} gemm, type S")
    assert "to_op(transa)," in found.code
    assert found.code.count("cdef public") == 1
    assert {j.name for j in found.judges} <= {
        "amd-host",
        "abi",
        "clients",
    }  # of the tables; nothing of a build that is not there


def test_exact_symbol(root: Path) -> None:
    found = explaining.explain("cublasSgemm", root, exact=True)
    assert (found.name, found.asked) == ("cublasSgemm", "")
    assert "void cublasSgemm(char transa" in found.cuda


def test_source_line_is_the_entry() -> None:
    function = load().function("cublasSgemm_v2")
    assert function
    file, line = explaining.explain("cublasSgemm_v2", Path("/none")).source.split(":")
    assert (file, int(line)) == (function.entry.file, function.entry.where.line)


@pytest.mark.parametrize(
    ("name", "judge", "definition", "command"),
    [
        ("cublasSgemm", "oracle gemm, ", "def gemm(", "dragoman parity --function cublasSgemm_v2"),
        ("cublasSetVector", "procedure, ", '@procedure("cublasSetVector"', "dragoman parity --function cublasSetVector"),
        ("cudnnSoftmaxForward", "procedure, ", "@procedure(", "dragoman parity --library cudnn9 --function cudnnSoftmaxForward"),
        ("cudnnRNNForwardTraining", "procedure, ", "", "dragoman parity --library cudnn8 --function cudnnRNNForwardTraining"),
    ],
)  # fmt: skip
def test_the_way_to_the_test(name: str, judge: str, definition: str, command: str, root: Path) -> None:
    """What knows the right answer, at a line where it begins, and a command that this version of dragoman takes."""
    found = explaining.explain(name, root).tests
    assert found[0].startswith(judge)
    file, line = found[0].removeprefix(judge).split(":")
    lines = (ROOT / file).read_text(encoding="utf-8").splitlines()[int(line) - 1 :]
    assert definition in "\n".join(lines[:4])
    assert found[1] == command
    assert all((ROOT / f).is_file() for f in found if f.startswith("tests/"))
    assert name in (ROOT / found[-1]).read_text(encoding="utf-8")


@pytest.mark.parametrize("library", ["cublas", "cudnn"])
def test_every_answered_function_has_a_test(library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of cuBLAS each; of cuDNN all but those that only C programs try."""
    monkeypatch.setattr(paths, "tests_dir", lambda: None)
    for function in load().functions(library):
        lines = where_tested(function)
        if function.kind == "unsupported":
            assert not any("parity" in line.split(" ")[:2] for line in lines), function.name
        elif library == "cublas":
            assert lines[0].startswith(("oracle ", "procedure, ")), function.name


def test_without_a_checkout_no_test_files(monkeypatch: pytest.MonkeyPatch, root: Path) -> None:
    monkeypatch.setattr(paths, "tests_dir", lambda: None)
    found = explaining.explain("cublasSgemm", root).tests
    assert found[1:] == ("dragoman parity --function cublasSgemm_v2",)
    assert explaining.explain("cudaMalloc", root).tests == ()


def test_a_function_of_one_version_names_it() -> None:
    function = next(f for f in load().functions("cublas") if set(f.majors) == {13} and f.kind != "unsupported")
    assert f"dragoman parity --cuda 13 --function {function.name}" in where_tested(function)


def test_hand_written_block(root: Path) -> None:
    found = explaining.explain("cublasCreate", root)
    assert found.block == "create in mapping/compose/cublas/helpers.pxi"
    assert any("rocblas_create_handle(" in p for p in found.amd)


@pytest.mark.parametrize("kind", ["direct", "translate", "host", "unsupported"])
def test_every_kind_is_explained(kind: str, dragoman: Dragoman) -> None:
    function = next(f for f in load().functions("cublas", 12) if f.kind == kind)
    ran = dragoman("explain", "--exact", function.name)
    assert ran.returncode == 0, ran.stderr
    for part in (function.name, f"{kind}: ", "confirmed: ", function.prototype, f"cdef public {function.result}"):
        assert part in ran.stdout
    if kind == "unsupported":
        assert "reason: " in ran.stdout


def test_json(dragoman: Dragoman) -> None:
    found = json.loads(dragoman("explain", "cublasSgemm", "--json").stdout)
    assert found["kind"] == "translate"
    assert found["majors"] == [11, 12, 13]
    assert found["code"]


@pytest.mark.tables
def test_every_function_can_be_cut_out() -> None:
    """The generated code of each function is found by its name."""
    from dragoman.generate.plan import LibrarySources
    from dragoman.tables.types import load_types

    tables = load()
    for library in tables.libraries.values():
        if not tables.functions(library.name):
            continue
        made = LibrarySources(tables, load_types(), library)
        text = "\n\n".join(s.text for s in made.sources if s.path.endswith(".pyx"))
        paragraphs = text.split("\n\n")
        for function in tables.functions(library.name):
            word = f" {function.name}("
            star = f"*{function.name}("
            assert any(word in p or star in p for p in paragraphs if "cdef public" in p), function.name
