"""Whatever is a test is found by a run of all of them."""

from __future__ import annotations

from fnmatch import fnmatch
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]


@pytest.mark.tables
def test_no_folder_of_tests_is_passed_over(pytestconfig: pytest.Config) -> None:
    """pytest does not look into folders of some names, `build` among them."""
    folders = {p.parent for p in TESTS.rglob("test_*.py")}
    patterns = pytestconfig.getini("norecursedirs")
    missed = [
        f.relative_to(TESTS)
        for f in folders
        for p in patterns
        if any(fnmatch(w, p) for w in f.relative_to(TESTS).parts)
    ]
    assert not missed, f"pytest passes over {missed}"
