"""docs/table-language.md is the whole language: each key that the loader reads is on it, and what it shows of types loads."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from dragoman import paths
from dragoman.tables import kinds, types_loader
from dragoman.tables.types import Types

pytestmark = pytest.mark.tables
DOCS = Path(__file__).resolve().parents[2] / "docs"
ELSEWHERE = {"dark.py": "static-runtime.md"}
_READS = re.compile(r'\.(?:pop|need|get)\(\s*"(\w+)"')
_LOADERS = sorted(p.name for p in (paths.package_dir() / "tables").glob("*.py"))


@pytest.mark.parametrize("module", _LOADERS)
def test_each_key_is_on_the_page(module: str) -> None:
    page = (DOCS / ELSEWHERE.get(module, "table-language.md")).read_text(encoding="utf-8")
    source = (paths.package_dir() / "tables" / module).read_text(encoding="utf-8")
    code = re.findall(r"`([^`\n]+)`", page) + re.findall(r"^```\w*\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    words = set(re.findall(r"\w+", "\n".join(code)))
    assert set(_READS.findall(source)) - words == set()


def test_each_kind_is_on_the_page() -> None:
    page = (DOCS / "table-language.md").read_text(encoding="utf-8")
    rows = "\n".join(line.split("|")[1] for line in page.splitlines() if line.startswith("| `"))
    named = {
        *kinds.POINTERS,
        *kinds.OPTIONS,
        *kinds.SIZES,
        "handle",
        "desc",
        "batched",
        "strided",
        "enum",
        "datatype",
        "info",
        "c",
    }
    assert {name for name in named if not re.search(rf"`{name}\b", rows)} == set()


@pytest.fixture(scope="module")
def shown() -> Types:
    page = (DOCS / "table-language.md").read_text(encoding="utf-8")
    section = page.split("## `tables/types/`")[1].split("\n## ")[0]
    types, translations = re.findall(r"^```yaml\n(.*?)^```", section, re.MULTILINE | re.DOTALL)
    other = """
file: {library: rocblas, by: rocm, versions: {7: "7.2"}}
rocblas:
  enums:
    rocblas_fill: {values: {rocblas_fill_upper: 121, rocblas_fill_lower: 122}}
    status: {values: {CUBLAS_STATUS_INVALID_VALUE: 7}}
"""
    return types_loader.load_texts({"cublas.yaml": types, "rocblas.yaml": other, "translate.yaml": translations})


def test_the_types_that_it_shows_load(shown: Types) -> None:
    assert shown.translations["fill"].pairs["CUBLAS_FILL_MODE_LOWER"] == "rocblas_fill_lower"
