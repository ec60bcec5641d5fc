"""A child that makes each call of the cuDNN suite's procedures twice, and says what the second one allocated.

Runs with c/allocations.c preloaded: `python allocations.py FOLDER VERSION EXAMPLES FUNCTION…`; a JSON object on stdout:
function → [calls made, the first case whose second call allocated or locked, and what], and under "" what was counted in all.
"""

from __future__ import annotations

import ctypes
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from dragoman.parity.dnn import golden, procedures
from dragoman.parity.dnn.cases import Case, Values, as_python
from dragoman.parity.dnn.draws import strategy
from dragoman.parity.dnn.registry import PROCEDURES, Procedure
from dragoman.parity.dnn.stage import RefusedError, Stage
from dragoman.parity.dnn.subject import LibrarySubject
from dragoman.parity.numbers import derived_seed
from hypothesis import HealthCheck, Phase, given, seed, settings

__all__ = ["procedures"]
KINDS = ("allocations on the heap", "locks", "calls of AMD's functions that allocate")
# beyond what fits in a call's own memory
LARGER: dict[str, tuple[dict[str, Any], ...]] = {
    "cudnnCTCLoss": ({"steps": 2, "labels": [[1]] * 1500, "lengths": [2] * 1500, "gradients": False},),
    "cudnnRNNForward": ({"steps": 300, "lengths": [300, 200], "layers": 1},),
}


class Counter:
    """What the preloaded library has counted."""

    def __init__(self) -> None:
        self._library = ctypes.CDLL(None)
        self._library.counted.restype = ctypes.c_long

    def watch(self) -> None:
        """Code of ours: the core, and cuDNN with its parts."""
        for line in Path("/proc/self/maps").read_text().splitlines():
            place, rights, *rest = line.split()
            name = Path(rest[-1]).name
            if "x" in rights and name.startswith(("libdragoman_core", "libcudnn")):
                first, last = (ctypes.c_size_t(int(end, 16)) for end in place.split("-"))
                self._library.watch(first, last)

    def read(self) -> list[int]:
        return [self._library.counted(kind) for kind in range(len(KINDS))]


class Twice(LibrarySubject):
    """Makes the calls of one function twice, with the same arguments."""

    def __init__(self, folder: Path, version: int) -> None:
        super().__init__(folder, version, "cpu")
        self.counter = Counter()
        self.function = ""
        self.calls = 0
        self.seen = ""
        self.handle()
        self.counter.watch()

    def call(self, name: str, arguments: Sequence[Any]) -> Any:
        answer = super().call(name, arguments)
        if name == self.function and answer == 0:
            before = self.counter.read()
            answer = super().call(name, arguments)
            after = self.counter.read()
            self.calls += 1
            what = [f"{b - a} {kind}" for a, b, kind in zip(before, after, KINDS, strict=True) if b > a]
            self.seen = ", ".join(what) if what else self.seen
        return answer


def tried(subject: Twice, procedure: Procedure, examples: int) -> list[Any]:
    found: list[str] = []
    subject.function, subject.calls = procedure.function, 0

    def one(case: Case) -> None:
        subject.seen = ""
        stage = Stage(subject, case)
        try:
            with np.errstate(all="ignore"):
                procedure.body(stage, case.values)
        except RefusedError:
            pass
        finally:
            stage.close()
        if subject.seen and not found:
            found.append(f"{as_python(case).splitlines()[-1]}: {subject.seen}")

    @settings(
        max_examples=examples,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        phases=(Phase.generate,),
    )
    @seed(derived_seed(procedure.function, 0))
    @given(strategy(procedure.function, procedure.drawing, {}, subject.version))
    def drawn(case: Case) -> None:
        one(case)

    for larger in ({}, *LARGER.get(procedure.function.split("_v")[0].removesuffix("Training"), ())):
        one(Case(procedure.function, Values({**golden.baseline(procedure), **larger}), seed=8))
    for type_ in ("f64", "bf16") if "type" in procedure.base else ():  # these go other ways
        one(Case(procedure.function, Values({**golden.baseline(procedure), "type": type_}), seed=8))
    drawn()
    return [subject.calls, *found]


def main(folder: str, version: str, examples: str, *names: str) -> None:
    subject = Twice(Path(folder), int(version))
    found = {name: tried(subject, PROCEDURES[name], int(examples)) for name in names}
    print(json.dumps({**found, "": subject.counter.read()}))


if __name__ == "__main__":
    main(*sys.argv[1:])
