"""`dragoman explain`: from the name to table line, prototypes, code and judges."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from as_user import Dragoman
from dragoman import explain as explaining
from dragoman.tables.loader import load


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
        text = "\n\n".join(s.text for s in made.sources if s.path.endswith(".pyx") and "_cold" not in s.path)
        paragraphs = text.split("\n\n")
        for function in tables.functions(library.name):
            word = f" {function.name}("
            star = f"*{function.name}("
            assert any(word in p or star in p for p in paragraphs if "cdef public" in p), function.name
