"""The facts lie beside these tests, in tests/facts; the package is importable as `facts`, what tests here share by its name."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE)]


def pytest_itemcollected(item: pytest.Item) -> None:
    """An entry's test answers to the names of its functions too: `-k cublasSgemm_v2`."""
    params = getattr(item, "callspec", None)
    entry = params.params.get("entry") if params else None
    if entry is not None:
        from dragoman.tables.loader import load

        item.extra_keyword_matches.update(f.name for f in load().functions() if f.entry is entry)
