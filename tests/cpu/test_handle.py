"""Handles, what they remember, and the library about itself; copies between host and "device"."""

from __future__ import annotations

import ctypes
import threading
from pathlib import Path

import numpy as np
import pytest
from client import (
    INVALID_HANDLE,
    INVALID_POINTER,
    INVALID_SIZE,
    MISMATCH,
    SUCCESS,
    Rocblas,
    prototypes,
)


def test_destroyed_handles_are_known(session_rocblas: Rocblas) -> None:
    lib = session_rocblas
    lib.open()
    stale = lib.handle
    lib.close()
    assert lib.raw("destroy_handle", stale) == INVALID_HANDLE
    assert lib.raw("set_stream", stale, None) == INVALID_HANDLE
    assert lib.raw("sgemm", stale, *[0] * 13) == INVALID_HANDLE
    assert lib.raw("create_handle", None) == INVALID_HANDLE
    assert lib.raw("destroy_handle", None) == INVALID_HANDLE


def test_ten_thousand_handles(session_rocblas: Rocblas) -> None:
    for _ in range(10000):
        session_rocblas.open()
        session_rocblas.close()


def test_many_at_once_and_in_threads(session_rocblas: Rocblas) -> None:
    create, destroy = session_rocblas.function("create_handle"), session_rocblas.function("destroy_handle")
    found: list[int] = []

    def work() -> None:
        mine = []
        for _ in range(300):
            place = ctypes.c_void_p()
            assert create(ctypes.byref(place)) == SUCCESS
            mine.append(place.value or 0)
        found.extend(mine)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(found)) == 1200
    assert all(destroy(handle) == SUCCESS for handle in found)


@pytest.mark.parametrize(
    ("what", "fresh", "other", "width"),
    [
        ("stream", 0, 0x40, ctypes.c_void_p),
        ("pointer_mode", 0, 1, ctypes.c_int),
        ("atomics_mode", 0, 1, ctypes.c_int),
        ("math_mode", 0, 1, ctypes.c_int),
        ("performance_metric", 0, 2, ctypes.c_int),
    ],
)
def test_state_reads_back(rocblas: Rocblas, what: str, fresh: int, other: int, width: type) -> None:
    place = width(5)
    assert rocblas.call(f"get_{what}", ctypes.byref(place)) == SUCCESS
    assert (place.value or 0) == fresh
    assert rocblas.call(f"set_{what}", other) == SUCCESS
    assert rocblas.call(f"get_{what}", ctypes.byref(place)) == SUCCESS
    assert place.value == other
    assert rocblas.call(f"get_{what}", None) == INVALID_POINTER
    assert rocblas.raw(f"set_{what}", 0x1234, other) == INVALID_HANDLE
    assert rocblas.raw(f"get_{what}", 0x1234, ctypes.byref(place)) == INVALID_HANDLE


def test_workspace_and_memory_size(rocblas: Rocblas) -> None:
    size = ctypes.c_size_t()
    memory = np.zeros(64, np.uint8)
    assert rocblas.call("get_device_memory_size", ctypes.byref(size)) == SUCCESS
    default = size.value
    assert default > 0
    assert rocblas.call("is_managing_device_memory") == 1
    assert rocblas.call("set_workspace", memory, 64) == SUCCESS
    assert rocblas.call("get_device_memory_size", ctypes.byref(size)) == SUCCESS
    assert size.value == 64
    assert rocblas.call("is_managing_device_memory") == 0
    assert rocblas.call("set_workspace", None, 0) == SUCCESS
    assert rocblas.call("get_device_memory_size", ctypes.byref(size)) == SUCCESS
    assert size.value == default
    assert rocblas.call("set_device_memory_size", 4096) == SUCCESS
    assert rocblas.call("is_managing_device_memory") == 0
    assert rocblas.call("stop_device_memory_size_query", ctypes.byref(size)) == MISMATCH
    assert rocblas.call("start_device_memory_size_query") == SUCCESS
    assert rocblas.call("is_device_memory_size_query") == 1
    assert rocblas.call("start_device_memory_size_query") == MISMATCH
    assert rocblas.call("stop_device_memory_size_query", None) == INVALID_POINTER
    assert rocblas.call("stop_device_memory_size_query", ctypes.byref(size)) == SUCCESS
    assert size.value == 0


def test_version(session_rocblas: Rocblas) -> None:
    size = ctypes.c_size_t()
    assert session_rocblas.raw("get_version_string_size", ctypes.byref(size)) == SUCCESS
    text = ctypes.create_string_buffer(size.value)
    assert session_rocblas.raw("get_version_string", text, size.value) == SUCCESS
    major, minor, patch, _ = text.value.decode().split(".")
    assert (int(major), int(minor), int(patch)) >= (5, 2, 0)
    assert len(text.value) + 1 == size.value
    assert session_rocblas.raw("get_version_string", text, size.value - 1) == INVALID_SIZE
    assert session_rocblas.raw("get_version_string", None, 99) == INVALID_POINTER


def test_status_names(session_rocblas: Rocblas) -> None:
    assert session_rocblas.raw("status_to_string", 0) == b"rocblas_status_success"
    assert session_rocblas.raw("status_to_string", 11) == b"rocblas_status_invalid_value"
    assert session_rocblas.raw("status_to_string", 15) == b"rocblas_status_arch_mismatch"
    assert b"undefined" in session_rocblas.raw("status_to_string", -1)
    assert b"undefined" in session_rocblas.raw("status_to_string", 16)


@pytest.mark.parametrize("way", ["set", "get"])
@pytest.mark.parametrize("tail", [(), (None,)])
@pytest.mark.parametrize("suffix", ["", "_64"])
def test_copies(session_rocblas: Rocblas, way: str, tail: tuple[None, ...], suffix: str) -> None:
    lib = session_rocblas
    middle = ("_async" if tail else "") + suffix
    vector, matrix = f"{way}_vector{middle}", f"{way}_matrix{middle}"
    x, y = np.arange(12, dtype=np.float32), np.zeros(12, np.float32)
    assert lib.raw(vector, 4, 4, x, 3, y, 2, *tail) == SUCCESS
    assert y.tolist() == [0, 0, 3, 0, 6, 0, 9, 0, 0, 0, 0, 0]
    assert lib.raw(vector, 12, 4, x, 1, y, 1, *tail) == SUCCESS
    assert (y == x).all()
    for bad in ((-1, 4, x, 1, y, 1), (1, 0, x, 1, y, 1), (1, 4, x, 0, y, 1), (1, 4, x, 1, y, -1)):
        assert lib.raw(vector, *bad, *tail) == INVALID_SIZE
    assert lib.raw(vector, 1, 4, None, 1, y, 1, *tail) == INVALID_POINTER
    assert lib.raw(vector, 0, 0, None, 0, None, 0, *tail) == SUCCESS
    y[:] = 0
    assert lib.raw(matrix, 2, 3, 4, x, 4, y, 3, *tail) == SUCCESS
    assert y.tolist() == [0, 1, 0, 4, 5, 0, 8, 9, 0, 0, 0, 0]
    assert lib.raw(matrix, 3, 4, 4, x, 3, y, 3, *tail) == SUCCESS
    assert (y == x).all()
    for size in (
        (-1, 1, 4, x, 2, y, 2),
        (2, -1, 4, x, 2, y, 2),
        (2, 1, 4, x, 1, y, 2),
        (2, 1, 4, x, 2, y, 1),
        (2, 1, 0, x, 2, y, 2),
    ):
        assert lib.raw(matrix, *size, *tail) == INVALID_SIZE
    assert lib.raw(matrix, 2, 1, 4, x, 2, None, 2, *tail) == INVALID_POINTER
    assert lib.raw(matrix, 0, -1, 4, None, 0, None, 0, *tail) == SUCCESS


def test_exports(library: Path, tables: object) -> None:
    """Exactly the listed names, each of them a function of rocBLAS."""
    import lief
    from dragoman.generate.cpu_rocblas import exports

    binary = lief.parse(str(library))
    assert isinstance(binary, lief.ELF.Binary)
    found = {str(symbol.name) for symbol in binary.exported_symbols}
    listed = exports(tables)  # type: ignore[arg-type]
    assert listed == sorted(set(listed))
    assert found == set(listed)
    assert found <= set(prototypes())


def test_generated_signatures_are_amds(tables: object) -> None:
    """Parameter by parameter, against AMD's headers."""
    import re

    from dragoman.generate.cpu_rocblas import routines

    def plain(text: str) -> str:
        text = re.sub(r"\bconst\b|\bstruct\b", " ", text.replace("[]", "*"))
        text = re.sub(r"\brocblas_float\b", "float", re.sub(r"\brocblas_double\b", "double", text))
        return re.sub(r"\s+", "", text)

    known = prototypes()
    for routine in routines(tables):  # type: ignore[arg-type]
        for wide in (False, True) if routine.has_wide else (False,):
            name = routine.name + ("_64" if wide else "")
            ours = [plain(a.wide if wide else a.narrow) for a in routine.args]
            theirs = [plain(re.sub(r"\w+$", "", p)) for p in known[name][1]]
            assert ours == theirs, name
