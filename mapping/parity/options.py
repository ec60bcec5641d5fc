"""What a run is asked to do."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

from .. import paths
from ..errors import UserError

PARTS = ("numbers", "statuses")


class ParityError(UserError):
    """The suite cannot run at all. One line: what is wrong and what to do."""


@dataclass(frozen=True, slots=True)
class Options:
    """What to test, with what, how long."""

    subject: Path | None = None  # folder of libraries under NVIDIA's names; default: the built ones
    backend: str = "cpu"
    major: int = 12
    functions: tuple[str, ...] = ("*",)
    examples: int = 50  # calls a function; `_64` and first-API forms share their code and get a third
    quick: bool = False
    seed: int = 0
    workers: int = 0  # 0: one a processor
    limit: float = 60.0  # seconds that one answer may take: a numbers test, or one argument check
    parts: tuple[str, ...] = PARTS
    library: str = "cublas"
    tables: Path | None = None
    label: str = ""  # name of the judge in reports
    nvidia: bool = False  # the subject is NVIDIA's own library
    factory: str = ""  # "module:function" of a subject in Python, for tests

    @property
    def judge(self) -> str:
        return self.label or ("NVIDIA" if self.nvidia else f"NumPy, {self.backend} backend")


def default_subject(major: int) -> Path:
    """Where the built libraries are: the wheel's, else those of `dragoman build`."""
    target = "windows" if sys.platform == "win32" else "linux"
    return (paths.shipped_libraries() or paths.default_out()) / target / f"cuda{major}"
