"""Our libraries made wrong in one way each: a subject stands before them and changes calls or answers.

`python spoiled.py FOLDER` tries the procedures on all of them, in one process, and prints what each was caught at.
"""

from __future__ import annotations

import ctypes
import json
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import spoiled_lt
from dragoman.parity.procedures import Bench
from dragoman.parity.procedures.running import check_procedure
from dragoman.parity.procedures.trial import library_of
from dragoman.parity.subject import LibrarySubject, select_backend
from dragoman.tables.loader import load
from dragoman.tables.model import Function

MAJOR = 12
EXAMPLES = 40
Arguments = list[Any]
Real = Callable[..., Any]
Change = Callable[["Spoiled", Real, str, Arguments], Any]


@dataclass
class Spoiled:
    """`change` is given the real call by name, and answers in its place."""

    real: LibrarySubject
    change: Change
    seen: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.label, self.memory = "spoiled", self.real.memory
        self._tables = load()

    def handle(self, name: str = "") -> int:
        return self.real.handle(name)

    def pointer_mode(self, device: bool) -> None:
        self.real.pointer_mode(device)

    def last_error(self) -> int:
        return self.real.last_error()

    def invoke(self, function: Function, arguments: Sequence[Any]) -> Any:
        def real(name: str, *given: Any) -> Any:
            found = self._tables.function(name, library_of(name))
            assert found is not None
            return self.real.invoke(found, given)

        return self.change(self, real, function.name, list(arguments))


SPOILED: dict[str, tuple[tuple[str, ...], Change]] = {**spoiled_lt.SPOILED}


def spoiled(*functions: str) -> Callable[[Change], Change]:
    """Register a change under its own name; each of the functions must be found wrong by it."""

    def register(change: Change) -> Change:
        SPOILED[change.__name__] = (functions, change)
        return change

    return register


VECTORS = ("cublasSetVector", "cublasGetVector_64", "cublasSetVectorAsync", "cublasGetVectorAsync")
MATRICES = ("cublasSetMatrix", "cublasGetMatrix_64", "cublasSetMatrixAsync_64", "cublasGetMatrixAsync")
COPIES = (*VECTORS, *MATRICES)
GROUPED = ("cublasSgemmGroupedBatched", "cublasDgemmGroupedBatched_64", "cublasGemmGroupedBatchedEx")


def is_copy(name: str) -> bool:
    return "Vector" in name or "Matrix" in name


# ---- copies


@spoiled(*COPIES)
def copies_nothing(s: Spoiled, real: Real, name: str, a: Arguments) -> Any:
    return 0 if is_copy(name) else real(name, *a)


@spoiled(*COPIES)
def steps_are_swapped(s: Spoiled, real: Real, name: str, a: Arguments) -> Any:
    if is_copy(name):
        i, j = (3, 5) if "Vector" in name else (4, 6)
        a[i], a[j] = a[j], a[i]
    return real(name, *a)


@spoiled(*COPIES)
def the_last_one_is_forgotten(s: Spoiled, real: Real, name: str, a: Arguments) -> Any:
    if is_copy(name) and 1 < a[0] < 1000:
        a[0] -= 1
    return real(name, *a)


@spoiled(*COPIES)
def gaps_are_copied_too(s: Spoiled, real: Real, name: str, a: Arguments) -> Any:
    """As one long copy would, where both steps are equal."""
    if "Vector" in name and a[3] == a[5] and a[0] > 1 and a[2]:
        return real(name, (a[0] - 1) * a[3] + 1, a[1], a[2], 1, a[4], 1, *a[6:])
    if "Matrix" in name and a[4] == a[6] and a[0] > 0 and a[1] > 1 and a[3]:
        return real(name, (a[1] - 1) * a[4] + a[0], 1, a[2], a[3], 1 << 20, a[5], 1 << 20, *a[7:])
    return real(name, *a)


@spoiled("cublasSetVectorAsync", "cublasGetMatrixAsync", "cublasSetMatrixAsync_64", "cublasGetVectorAsync_64")
def the_stream_is_not_looked_at(s: Spoiled, real: Real, name: str, a: Arguments) -> Any:
    if is_copy(name) and "Async" in name:
        a[-1] = 0
    return real(name, *a)


@spoiled(*(f"cublas{what}_64" for what in ("SetVector", "GetVectorAsync", "SetMatrix", "GetMatrixAsync")))
def numbers_are_cut_to_32_bits(s: Spoiled, real: Real, name: str, a: Arguments) -> Any:
    if name.endswith("_64") and is_copy(name):
        pointers = (2, 4) if "Vector" in name else (3, 5)
        a = [v if i in pointers or i > 6 else ctypes.c_int32(v).value for i, v in enumerate(a)]
    return real(name, *a)


# ---- grouped products


def grouped(name: str) -> bool:
    return "Grouped" in name


def places(name: str) -> dict[str, int]:
    types = "Ex" in name
    names = ["handle", "transa", "transb", "m", "n", "k", "alpha", "A", *["At"] * types, "lda", "B", *["Bt"] * types]
    names += ["ldb", "beta", "C", *["Ct"] * types, "ldc", "count", "size"]
    return {n: i for i, n in enumerate(names)}


def scale_type(name: str, a: Arguments) -> Any:
    double = "Dgemm" in name or ("Ex" in name and a[8] == 1)
    return ctypes.c_double if double else ctypes.c_float


def regrouped(
    s: Spoiled, name: str, a: Arguments, which: str, kind: Any, change: Callable[[list[Any]], list[Any]]
) -> None:
    """One of the host arrays, changed in a copy."""
    at = places(name)
    count = a[at["count"]]
    old = (kind * count).from_address(a[at[which]]) if count else ()
    new = (kind * max(1, count))(*change(list(old)))
    s.seen["kept"] = [*s.seen.get("kept", [])[-20:], new]
    a[at[which]] = ctypes.addressof(new)


def index(name: str) -> Any:
    return ctypes.c_int64 if name.endswith("_64") else ctypes.c_int


@spoiled(*GROUPED)
def factors_are_the_first_groups(s: Spoiled, real: Real, name: str, a: Arguments) -> Any:
    if grouped(name):
        regrouped(s, name, a, "alpha", scale_type(name, a), lambda v: v[:1] * len(v))
    return real(name, *a)


@spoiled(*GROUPED)
def beta_is_always_one(s: Spoiled, real: Real, name: str, a: Arguments) -> Any:
    if grouped(name):
        regrouped(s, name, a, "beta", scale_type(name, a), lambda v: [1.0] * len(v))
    return real(name, *a)


@spoiled(*GROUPED)
def the_last_group_is_forgotten(s: Spoiled, real: Real, name: str, a: Arguments) -> Any:
    if grouped(name) and a[places(name)["count"]] > 1:
        a[places(name)["count"]] -= 1
    return real(name, *a)


@spoiled(*GROUPED)
def a_group_has_one_member(s: Spoiled, real: Real, name: str, a: Arguments) -> Any:
    if grouped(name):
        regrouped(s, name, a, "size", index(name), lambda v: [min(n, 1) for n in v])
    return real(name, *a)


@spoiled(*GROUPED)
def options_are_swapped(s: Spoiled, real: Real, name: str, a: Arguments) -> Any:
    if grouped(name):
        a[1], a[2] = a[2], a[1]
    return real(name, *a)


@spoiled(*GROUPED)
def groups_leave_the_pointer_mode(s: Spoiled, real: Real, name: str, a: Arguments) -> Any:
    answer = real(name, *a)
    if grouped(name):
        real("cublasSetPointerMode_v2", a[0], 0)
    return answer


@spoiled("cublasSgemmGroupedBatched_64", "cublasGemmGroupedBatchedEx_64")
def sizes_of_groups_are_cut_to_32_bits(s: Spoiled, real: Real, name: str, a: Arguments) -> Any:
    if grouped(name):
        regrouped(s, name, a, "k", index(name), lambda v: [ctypes.c_int32(n).value for n in v])
    return real(name, *a)


# ---- settings

SETTERS = ("PointerMode_v2", "AtomicsMode", "MathMode", "SmCountTarget", "EmulationStrategy")
BOTH = tuple(f"cublas{verb}{what}" for what in SETTERS for verb in ("Set", "Get"))


def is_setter(name: str) -> bool:
    return name in BOTH and name.startswith("cublasSet")


@spoiled(*BOTH, "cublasSetStream_v2", "cublasGetStream_v2")
def nothing_is_remembered(s: Spoiled, real: Real, name: str, a: Arguments) -> Any:
    return 0 if is_setter(name) or name == "cublasSetStream_v2" else real(name, *a)


@spoiled(*BOTH)
def anything_is_taken(s: Spoiled, real: Real, name: str, a: Arguments) -> Any:
    answer = real(name, *a)
    return 0 if is_setter(name) and answer == 7 else answer


@spoiled(*BOTH)
def what_is_refused_stays(s: Spoiled, real: Real, name: str, a: Arguments) -> Any:
    answer = real(name, *a)
    if is_setter(name) and answer == 7:
        for value in (0, 1):  # one of them is not what was there
            if value != s.seen.get((name, a[0])):
                real(name, a[0], value)
                break
    elif is_setter(name):
        s.seen[(name, a[0])] = a[1]
    return answer


@spoiled(*BOTH, "cublasSetStream_v2")
def all_handles_have_one_state(s: Spoiled, real: Real, name: str, a: Arguments) -> Any:
    alive = s.seen.setdefault("alive", [])
    answer = real(name, *a)
    if name == "cublasCreate_v2" and a[0]:
        alive.append(ctypes.c_void_p.from_address(a[0]).value)
    elif name == "cublasDestroy_v2" and a[0] in alive:
        alive.remove(a[0])
    elif (is_setter(name) or name == "cublasSetStream_v2") and answer == 0:
        for other in alive:
            real(name, other, a[1])
    return answer


@spoiled("cublasCreate_v2", "cublasGetMathMode", "cublasSetMathMode")
def a_new_handle_is_pedantic(s: Spoiled, real: Real, name: str, a: Arguments) -> Any:
    answer = real(name, *a)
    if name == "cublasCreate_v2" and a[0]:
        real("cublasSetMathMode", ctypes.c_void_p.from_address(a[0]).value, 2)
    return answer


@spoiled("cublasSetMathMode", "cublasSetWorkspace_v2", "cublasSetSmCountTarget", "cublasGetEmulationStrategy")
def products_are_always_cut(s: Spoiled, real: Real, name: str, a: Arguments) -> Any:
    """To about the precision of TF32, whatever the mode."""
    answer = real(name, *a)
    if name == "cublasSgemm_v2":
        ctypes.c_float.from_address(a[12]).value *= 1 + 2.0**-11
    return answer


@spoiled("cublasSetAtomicsMode")
def two_runs_differ(s: Spoiled, real: Real, name: str, a: Arguments) -> Any:
    answer = real(name, *a)
    if name == "cublasSsymv_v2":
        s.seen["runs"] = s.seen.get("runs", 0) + 1
        ctypes.c_int32.from_address(a[9]).value ^= s.seen["runs"] & 1  # the last bit
    return answer


@spoiled("cublasSetPointerMode_v2")
def a_result_goes_to_the_host_only(s: Spoiled, real: Real, name: str, a: Arguments) -> Any:
    if name == "cublasSasum_v2":
        mode = ctypes.c_int()
        real("cublasGetPointerMode_v2", a[0], ctypes.addressof(mode))
        own = ctypes.c_float()
        s.seen["own"] = own
        a[4] = ctypes.addressof(own) if mode.value else a[4]
    return real(name, *a)


@spoiled("cublasSetStream_v2", "cublasGetStream_v2")
def the_pointer_mode_belongs_to_the_stream(s: Spoiled, real: Real, name: str, a: Arguments) -> Any:
    answer = real(name, *a)
    if name == "cublasSetStream_v2" and a[0]:
        real("cublasSetPointerMode_v2", a[0], 0)
    return answer


def _workspace(s: Spoiled, name: str, a: Arguments) -> tuple[int, int]:
    if name == "cublasSetWorkspace_v2" and a[0]:
        s.seen["workspace"] = (a[1], a[2])
    found: tuple[int, int] = s.seen.get("workspace", (0, 0))
    return found


@spoiled("cublasSetWorkspace_v2")
def work_is_done_beside_the_workspace(s: Spoiled, real: Real, name: str, a: Arguments) -> Any:
    start, size = _workspace(s, name, a)
    if name == "cublasSmatinvBatched" and start:
        ctypes.memset(start + size, 0, 4)
    return real(name, *a)


@spoiled("cublasSetWorkspace_v2")
def the_workspace_outlives_a_stream(s: Spoiled, real: Real, name: str, a: Arguments) -> Any:
    start, size = _workspace(s, name, a)
    if name == "cublasSetStream_v2":
        s.seen["later"] = True
    if name == "cublasSmatinvBatched" and s.seen.pop("later", False) and size:
        ctypes.memset(start, ctypes.c_ubyte.from_address(start).value ^ 255, 1)
    return real(name, *a)


@spoiled("cublasSetSmCountTarget", "cublasGetSmCountTarget")
def more_multiprocessors_than_there_are(s: Spoiled, real: Real, name: str, a: Arguments) -> Any:
    answer = real(name, *a)
    return 0 if name == "cublasSetSmCountTarget" and a[1] > 0 else answer


# ---- handles and versions


@spoiled("cublasDestroy_v2", "cublasCreate_v2")
def nothing_is_destroyed(s: Spoiled, real: Real, name: str, a: Arguments) -> Any:
    return 0 if name == "cublasDestroy_v2" and a[0] else real(name, *a)


@spoiled("cublasCreate_v2")
def a_handle_is_given_twice(s: Spoiled, real: Real, name: str, a: Arguments) -> Any:
    if name == "cublasCreate_v2" and a[0] and s.seen.get("last"):
        ctypes.c_void_p.from_address(a[0]).value = s.seen["last"]
        return 0
    answer = real(name, *a)
    if name == "cublasCreate_v2" and a[0]:
        s.seen["last"] = ctypes.c_void_p.from_address(a[0]).value
    return answer


VERSIONS = ("cublasGetVersion_v2", "cublasGetVersion", "cublasGetProperty", "cublasGetCudartVersion")


@spoiled(*VERSIONS)
def the_patch_is_another(s: Spoiled, real: Real, name: str, a: Arguments) -> Any:
    answer = real(name, *a)
    if name == "cublasGetProperty" and a[0] == 2:
        ctypes.c_int.from_address(a[1]).value += 1
    return answer


@spoiled(*VERSIONS)
def the_runtime_is_another(s: Spoiled, real: Real, name: str, a: Arguments) -> Any:
    return real(name, *a) + (10 if name == "cublasGetCudartVersion" else 0)


@spoiled("cublasGetVersion")
def the_first_api_has_a_version_of_its_own(s: Spoiled, real: Real, name: str, a: Arguments) -> Any:
    answer = real(name, *a)
    if name == "cublasGetVersion":
        ctypes.c_int.from_address(a[0]).value = MAJOR * 1000
    return answer


# ---- cuBLASXt

XT_KEPT = ("BlockDim", "PinningMemMode")
XT_SETTINGS = tuple(f"cublasXt{verb}{what}" for what in XT_KEPT for verb in ("Set", "Get"))
XT_BOARDS = ("cublasXtMaxBoards", "cublasXtGetNumBoards")
XT_SHARE = ("cublasXtSetCpuRoutine", "cublasXtSetCpuRatio")


@spoiled(*XT_SETTINGS)
def a_tiled_handle_remembers_nothing(s: Spoiled, real: Real, name: str, a: Arguments) -> Any:
    return 0 if name in XT_SETTINGS and "Set" in name and a[0] and a[1] in (0, 1, 3, 16, 1000) else real(name, *a)


@spoiled(*XT_SETTINGS)
def tiled_handles_share_their_settings(s: Spoiled, real: Real, name: str, a: Arguments) -> Any:
    if name in XT_SETTINGS and a[0]:
        a[0] = s.seen.setdefault("handle", a[0])
    return real(name, *a)


@spoiled(*XT_SETTINGS, *XT_SHARE)
def a_tiled_handle_takes_anything(s: Spoiled, real: Real, name: str, a: Arguments) -> Any:
    answer = real(name, *a)
    return 0 if name in (*XT_SETTINGS, *XT_SHARE) and "Set" in name and answer == 7 else answer


@spoiled("cublasXtCreate", "cublasXtSetBlockDim", "cublasXtSetPinningMemMode", *XT_SHARE)
def tiled_products_are_cut(s: Spoiled, real: Real, name: str, a: Arguments) -> Any:
    answer = real(name, *a)
    if name == "cublasXtDgemm" and answer == 0:
        ctypes.c_double.from_address(a[12]).value += 1
    return answer


@spoiled("cublasXtCreate", "cublasXtDestroy")
def no_tiled_handle_is_destroyed(s: Spoiled, real: Real, name: str, a: Arguments) -> Any:
    return 0 if name == "cublasXtDestroy" and a[0] else real(name, *a)


@spoiled("cublasXtDeviceSelect")
def any_device_will_do(s: Spoiled, real: Real, name: str, a: Arguments) -> Any:
    return 0 if name == "cublasXtDeviceSelect" and a[1] != 1 else real(name, *a)


@spoiled(*XT_SHARE)
def the_host_takes_a_share_of_everything(s: Spoiled, real: Real, name: str, a: Arguments) -> Any:
    answer = real(name, *a)
    return 0 if name in XT_SHARE and answer == 15 else answer


@spoiled(*XT_BOARDS)
def a_name_is_a_board(s: Spoiled, real: Real, name: str, a: Arguments) -> Any:
    answer = real(name, *a)
    if name == "cublasXtGetNumBoards" and a[1] and a[2]:
        ctypes.c_int.from_address(a[2]).value = a[0]
    return answer


@spoiled(*XT_BOARDS)
def there_are_no_boards(s: Spoiled, real: Real, name: str, a: Arguments) -> Any:
    answer = real(name, *a)
    if name in XT_BOARDS and a[-1]:
        ctypes.c_int.from_address(a[-1]).value = 0
    return answer


# ---- words


@spoiled("cublasGetStatusName", "cublasGetStatusString")
def one_text_is_anothers(s: Spoiled, real: Real, name: str, a: Arguments) -> Any:
    return real(name, 7 if name.startswith("cublasGetStatus") and a[0] == 15 else a[0], *a[1:]) if a else real(name)


@spoiled("cublasGetStatusName", "cublasGetStatusString")
def unknown_numbers_have_texts(s: Spoiled, real: Real, name: str, a: Arguments) -> Any:
    return real(name, 14 if name.startswith("cublasGetStatus") and a[0] == 1000 else a[0], *a[1:]) if a else real(name)


@spoiled("cublasXerbla")
def complaints_are_swallowed(s: Spoiled, real: Real, name: str, a: Arguments) -> Any:
    return None if name == "cublasXerbla" else real(name, *a)


@spoiled("cublasXerbla")
def a_complaint_counts_from_zero(s: Spoiled, real: Real, name: str, a: Arguments) -> Any:
    return real(name, a[0], a[1] - 1) if name == "cublasXerbla" else real(name, *a)


LOG = ("cublasLoggerConfigure", "cublasSetLoggerCallback", "cublasGetLoggerCallback")


@spoiled(*LOG)
def the_log_cannot_be_turned_off(s: Spoiled, real: Real, name: str, a: Arguments) -> Any:
    return real(name, 1, *a[1:]) if name == "cublasLoggerConfigure" else real(name, *a)


@spoiled(*LOG)
def the_log_has_no_file(s: Spoiled, real: Real, name: str, a: Arguments) -> Any:
    return real(name, *a[:3], 0) if name == "cublasLoggerConfigure" else real(name, *a)


@spoiled(*LOG)
def the_log_goes_to_stderr(s: Spoiled, real: Real, name: str, a: Arguments) -> Any:
    return real(name, a[0], 0, a[1] | a[2], a[3]) if name == "cublasLoggerConfigure" else real(name, *a)


@spoiled(*LOG)
def nobody_is_called_back(s: Spoiled, real: Real, name: str, a: Arguments) -> Any:
    return 0 if name == "cublasSetLoggerCallback" else real(name, *a)


# ---- the first API


@spoiled("cublasGetError")
def an_error_is_told_twice(s: Spoiled, real: Real, name: str, a: Arguments) -> Any:
    answer = real(name, *a)
    if name == "cublasGetError":
        s.seen["error"], answer = (answer, answer or s.seen.get("error", 0))
    return answer


@spoiled("cublasGetError")
def errors_are_forgotten(s: Spoiled, real: Real, name: str, a: Arguments) -> Any:
    answer = real(name, *a)
    return 0 if name == "cublasGetError" else answer


@spoiled("cublasShutdown", "cublasInit", "cublasSetKernelStream")
def a_shutdown_is_the_end(s: Spoiled, real: Real, name: str, a: Arguments) -> Any:
    s.seen["ended"] = s.seen.get("ended") or name == "cublasShutdown"
    return 0.0 if name == "cublasSdot" and s.seen["ended"] else real(name, *a)


@spoiled("cublasShutdown")
def a_second_shutdown_is_refused(s: Spoiled, real: Real, name: str, a: Arguments) -> Any:
    if name == "cublasShutdown" and s.seen.get("before") == name:
        return 1
    s.seen["before"] = name
    return real(name, *a)


@spoiled("cublasAlloc", "cublasFree")
def areas_overlap(s: Spoiled, real: Real, name: str, a: Arguments) -> Any:
    if name == "cublasAlloc" and a[0] > 0 and a[1] > 0 and a[0] * a[1] < 1 << 20:
        if not s.seen.get("area"):
            real(name, 1, 1 << 20, a[2])
            s.seen["area"] = ctypes.c_void_p.from_address(a[2]).value
        ctypes.c_void_p.from_address(a[2]).value = s.seen["area"]
        return 0
    return 0 if name == "cublasFree" else real(name, *a)


@spoiled("cublasFree", "cublasAlloc")
def nothing_is_freed(s: Spoiled, real: Real, name: str, a: Arguments) -> Any:
    return 0 if name == "cublasFree" else real(name, *a)


@spoiled("cublasAlloc")
def sizes_are_not_looked_at(s: Spoiled, real: Real, name: str, a: Arguments) -> Any:
    if name == "cublasAlloc":
        a[0], a[1] = max(a[0], 1), max(a[1], 1)
    return real(name, *a)


NAMED = "SPOILED"  # a folder and what is wrong with it, for the runner's children


def named() -> Spoiled:
    folder, _, title = os.environ[NAMED].rpartition(":")
    select_backend("cpu")
    return Spoiled(LibrarySubject(Path(folder), load(), MAJOR, host_memory=True), SPOILED[title][1])


def right(s: Spoiled, real: Real, name: str, a: Arguments) -> Any:
    return real(name, *a)


def main(folder: str) -> int:
    select_backend("cpu")
    tables = load()
    subject = LibrarySubject(Path(folder), tables, MAJOR, host_memory=True)
    found: dict[str, dict[str, list[str]]] = {}
    every = tuple(dict.fromkeys(name for names, _ in SPOILED.values() for name in names))
    for title, (names, change) in {"right": (every, right), **SPOILED}.items():
        for name in names:
            function = tables.function(name, library_of(name))
            assert function is not None, name
            bench = Bench(Spoiled(subject, change), tables, MAJOR)
            print(title, name, file=sys.stderr)
            result = check_procedure(function, bench, EXAMPLES)
            found.setdefault(title, {})[name] = list(result.lines)
            Spoiled(subject, right).invoke(_init(tables), [])  # as it was
    print(json.dumps(found))
    return 0


def _init(tables: Any) -> Function:
    function = tables.function("cublasInit", "cublas")
    assert function is not None
    return function  # type: ignore[no-any-return]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
