"""Where ours answer otherwise than NVIDIA's on purpose or for want of it: each with its reason. A line that nothing needs any
more is a fault."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ...tables.model import Function
from . import goldens, sweep

INVALID_VALUE, NOT_SUPPORTED = 7, 15


@dataclass(frozen=True, slots=True)
class Step:
    """Probes: `group`, `function` and the `arguments` joined by blanks are globs."""

    group: str
    function: str
    arguments: str
    reason: str


@dataclass(frozen=True, slots=True)
class Tuple:
    """The sweep: `values` are globs, one a column."""

    function: str
    values: tuple[str, ...]
    theirs: int
    ours: int
    reason: str


@dataclass(frozen=True, slots=True)
class Difference:
    """Where ours answers otherwise than NVIDIA's; `known`: the entry that says why, or None."""

    what: str
    theirs: Any
    ours: Any
    known: Step | Tuple | None


_DEVICE = "a property of the device"
_LIMITS = "limits of NVIDIA's devices; ours keep what was set"
_EXTERNAL = "an external event outside of a capture: HIP calls the flag wrong, or records it"
_ZERO = "a factor of 0 over NaN or a singular triangle is nobody's promise: NVIDIA's reads it, ours gives BLAS's zeros"
STEPS: tuple[Step, ...] = (
    Step(
        "copies",
        "cudaMem*2D",
        "device 6[34] *",
        "HIP's answer to a pitch below the width (INVALID_PITCH_VALUE), also over one row",
    ),
    Step("corners_of_level_3", "cublasSsyrk_v2", "handle 0 0 2 2 [[]0[]] [[]1 nan 2 4[]] *", _ZERO),
    Step("corners_of_level_3", "cublasStr?m_v2", "handle 0 0 0 ? 2 2 [[]0[]] *", _ZERO),
    Step(
        "corners_of_rotations",
        "cublasSrotg_v2",
        "handle *[in]* [[]9[]] [[]9[]]",
        "NaN and infinity: what comes out beside NaN is nobody's promise",
    ),
    Step("corners_of_searches", "cublasSnrm2_v2", "handle 3 *inf*", "NaN beside infinity: NVIDIA's forgets the NaN"),
    Step("devices", "cudaDeviceEnablePeerAccess", "* 1", "refused either way: another of two wrong arguments is named"),
    Step("devices", "cudaDeviceGetAttribute", "out 1[45]? 0", "attributes newer than the runtime that was asked"),
    Step("devices", "cudaDeviceGetStreamPriorityRange", "*", _DEVICE),
    Step("error_strings", "cudaGetErrorString", "*", "a text of our own"),
    Step("events", "cudaStreamWaitEvent", "NULL event 1", _EXTERNAL),
    Step("events", "cudaEventRecordWithFlags", "event NULL 1", _EXTERNAL),
    Step("limits", "*", "*", _LIMITS),
    Step("making", "cublasGetCudartVersion", "", "the emulated version is newer than the runtime that was asked"),
    Step("multiprocessors", "*", "*", _DEVICE),
    Step("pitched", "*", "*", "too much memory is OUT_OF_MEMORY, not INVALID_VALUE"),
    Step("streams", "cudaStreamGetPriority", "*", _DEVICE),
    Step("transfers", "cublasSetMatrixAsync", "*NULL", "rows that do not lie close are copied, pageable memory too"),
    Step("transposes", "cublas?gemv*", "handle *", "only gemv takes CONJG and what is no operation, undocumented"),
)
TUPLES: tuple[Tuple, ...] = (
    Tuple(
        "cublasGemm*BatchedEx*",
        ("6[67]", "*", "*", "*"),
        INVALID_VALUE,
        NOT_SUPPORTED,
        "a compute type that is none is NOT_SUPPORTED here, as in GemmEx",
    ),
    Tuple(
        "cublasC*rk*Ex*",
        ("4", "*"),
        0,
        NOT_SUPPORTED,
        "NVIDIA's does not look at C's type and writes what it likes into it",
    ),
    Tuple("cublasC*rk*Ex*", ("7", "4"), NOT_SUPPORTED, 0, "documented, but refused by the H200's"),
    Tuple(
        "cublasGemmGroupedBatchedEx*", ("71", "1", "1", "1"), NOT_SUPPORTED, 0, "documented, but refused by the H200's"
    ),
)


def steps(group: str, ours: Sequence[list[Any]]) -> Iterator[Difference]:
    """Where a group's answers differ. What a call that fails writes is nobody's promise."""
    for theirs, own in zip(goldens.recorded(goldens.PROBES)["answers"][group], ours, strict=True):
        function, arguments, status, written = theirs
        failed = isinstance(status, int) and status != 0
        if own[:3] == theirs[:3] and (failed or own[3] == written):
            continue
        words = " ".join(arguments)
        known = _step(group, function, words)
        yield Difference(f"{group}: {function}({words})", theirs[2:], own[2:], known)


def told() -> Iterator[tuple[str, str]]:
    """For people: each function that a line is about, and `case: reason`."""
    for group, asked in goldens.recorded(goldens.PROBES)["answers"].items():
        for function, arguments, *_ in asked:
            step = _step(group, function, " ".join(arguments))
            if step:
                yield function, f"{group.replace('_', ' ')}: {step.reason}"
    for function in goldens.recorded(goldens.SWEEP)["answers"]:
        for line in TUPLES:
            if fnmatch.fnmatchcase(function, line.function):
                yield function, f"types {', '.join(line.values)}: {line.reason}"


def _step(group: str, function: str, words: str) -> Step | None:
    """The line that a call of a group's is known by."""
    for step in STEPS:
        wanted = ((group, step.group), (function, step.function), (words, step.arguments))
        if all(fnmatch.fnmatchcase(*pair) for pair in wanted):
            return step
    return None


def tuples(function: Function, ours: sweep.Tree, *, quick: bool) -> Iterator[Difference]:
    """Where a function's answers differ."""
    theirs = goldens.recorded(goldens.SWEEP)["answers"][function.name]["answers"]
    for values in sweep.tuples(function, quick):
        seen, own = sweep.look_up(theirs, values), sweep.look_up(ours, values)
        if seen == own:
            continue
        known = next(
            (
                t
                for t in TUPLES
                if fnmatch.fnmatchcase(function.name, t.function)
                and (t.theirs, t.ours) == (seen, own)
                and (t.values == ("*",) or all(map(fnmatch.fnmatchcase, map(str, values), t.values)))
            ),
            None,
        )
        yield Difference(f"{function.name}{values}", seen, own, known)
