"""cuBLASXt on a device with little memory: what does not fit goes piece by piece, and the pieces' memory stays."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import Subject


@pytest.mark.parametrize("memory", ["told", "untold"])
def test_matrices_that_do_not_fit(scarce: Subject, memory: str) -> None:
    ran = scarce.run(memory)
    assert ran.fine, ran
