"""The numbers test and the status test of each function of our libraries over the CPU backend.

`pytest -k cublasSgemm_v2` selects both by the symbol; `dragoman parity` runs the same with more examples. The libraries are
the wheel's, or built here; `DRAGOMAN_TEST_LIBRARIES` names a folder with built ones (`…/linux/cuda12`).
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from dragoman.parity.known import applied
from dragoman.parity.options import Options
from dragoman.parity.report import FunctionResult, told
from dragoman.parity.runner import examined
from dragoman.parity.session import Session
from dragoman.parity.status import status_cases
from dragoman.tables.loader import load
from dragoman.tables.model import Function

pytestmark = pytest.mark.parity
MAJOR = 12
FUNCTIONS = [f for f in load().functions("cublas", MAJOR) if f.kind != "unsupported"]


@pytest.fixture(scope="session")
def session(folder: Path) -> Iterator[Session]:
    with Session(Options(subject=folder, major=MAJOR, examples=12, limit=30)) as made:
        yield made


def check(session: Session, function: Function, part: str) -> None:
    result: FunctionResult = applied(examined(session, function, (part,)), "cpu")
    assert result.ok, "\n".join([result.name, *told(result)])


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.name)
def test_numbers(session: Session, function: Function) -> None:
    check(session, function, "numbers")


@pytest.mark.parametrize("function", [f for f in FUNCTIONS if status_cases(f)], ids=lambda f: f.name)
def test_statuses(session: Session, function: Function) -> None:
    check(session, function, "statuses")
