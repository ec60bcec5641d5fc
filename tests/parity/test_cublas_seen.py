"""The cuBLAS suite can fail: whatever function a library leaves undone, one call shows it. (`spoiled.py` is for procedures.)"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from dragoman.parity.check import Workbench
from dragoman.parity.status import baseline
from dragoman.parity.strategies import why_untested
from dragoman.parity.subject import LibrarySubject, select_backend
from dragoman.tables.loader import load
from dragoman.tables.model import Function

pytestmark = pytest.mark.parity
MAJOR = 12


class Idle(LibrarySubject):
    """Our library, or one that answers success and does nothing."""

    idle = False

    def invoke(self, function: Function, arguments: Sequence[Any]) -> Any:
        return 0 if self.idle else super().invoke(function, arguments)


def test_what_is_left_undone_is_seen(folder: Path) -> None:
    select_backend("cpu")
    tables = load()
    subject = Idle(folder, tables, MAJOR)
    bench = Workbench(subject)
    judged = [f for f in tables.functions("cublas", MAJOR) if f.kind != "unsupported" and not why_untested(f)]
    assert len(judged) > 600
    wrong, unseen = [], []
    for function in judged:
        case = baseline(function)
        subject.idle = False
        if not bench.run(function, case).ok:
            wrong.append(function.name)
        subject.idle = True
        if bench.run(function, case).ok:
            unseen.append(function.name)
    assert not wrong
    assert not unseen
