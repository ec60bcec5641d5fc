"""What the library says to people: names of statuses, its log, and the complaint of old about a parameter."""

from __future__ import annotations

import contextlib
import ctypes
import os
import re
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from .registry import procedure
from .trial import INVALID_VALUE, Trial, WrongError

# From cuBLAS's manual, not from the tables that the library is made of.
_NAMES = {
    0: "CUBLAS_STATUS_SUCCESS",
    1: "CUBLAS_STATUS_NOT_INITIALIZED",
    3: "CUBLAS_STATUS_ALLOC_FAILED",
    7: "CUBLAS_STATUS_INVALID_VALUE",
    8: "CUBLAS_STATUS_ARCH_MISMATCH",
    11: "CUBLAS_STATUS_MAPPING_ERROR",
    13: "CUBLAS_STATUS_EXECUTION_FAILED",
    14: "CUBLAS_STATUS_INTERNAL_ERROR",
    15: "CUBLAS_STATUS_NOT_SUPPORTED",
    16: "CUBLAS_STATUS_LICENSE_ERROR",
}
_UNKNOWN = "unrecognized status"


def _text(t: Trial, function: str, status: int) -> str:
    address = t.call(function, status)
    if not address:
        raise WrongError(f"{function}({status}) answers NULL")
    return ctypes.string_at(address).decode("ascii", "replace")


@procedure("cublasGetStatusName", share=0.2)
def names(t: Trial) -> None:
    for status in (*range(-1, 20), 99, 1000):
        t.equal(f"the name of {status}", _text(t, t.function.name, status), _NAMES.get(status, _UNKNOWN))


@procedure("cublasGetStatusString", share=0.2)
def strings(t: Trial) -> None:
    """A sentence for each status that is not another's; the words are the library's own."""
    found: dict[str, int] = {}
    for status in _NAMES:
        text = _text(t, t.function.name, status)
        if len(text) < 4 or not text.isprintable() or text == _UNKNOWN:
            raise WrongError(f"the text of {status} is {text!r}")
        if text in found:
            raise WrongError(f"{status} and {found[text]} have the same text: {text!r}")
        found[text] = status
        t.equal(f"the text of {status}, asked again,", _text(t, t.function.name, status), text)
    for status in (*sorted(set(range(-1, 20)) - set(_NAMES)), 99, 1000):
        t.equal(f"the text of {status}", _text(t, t.function.name, status), _UNKNOWN)


@contextlib.contextmanager
def _caught(stream: int) -> Iterator[Callable[[], str]]:
    """What the process writes to a standard stream meanwhile."""
    with tempfile.TemporaryFile() as file:
        kept = os.dup(stream)
        _flush()
        os.dup2(file.fileno(), stream)

        def text() -> str:
            _flush()
            file.seek(0)
            return file.read().decode("utf-8", "replace")

        try:
            yield text
        finally:
            _flush()
            os.dup2(kept, stream)
            os.close(kept)


def _flush() -> None:
    """C's own buffers: a library may print through them."""
    if sys.platform != "win32":
        ctypes.CDLL(None).fflush(None)


@procedure("cublasXerbla", share=0.2)
def complaint(t: Trial) -> None:
    """The function's name and the parameter's number are told, one line a complaint: by NVIDIA's on standard output, by ours on
    standard error, where no program's answer is spoilt."""
    name, number = t.one_of((b"DGEMM ", b"cublasSgemm", b"STRSV")), int(t.rng.integers(1, 19))
    word = ctypes.create_string_buffer(name)
    with _caught(1 if t.bench.nvidia else 2) as text:
        t.call("cublasXerbla", ctypes.addressof(word), number)
        said = text()
    if name.decode().strip() not in said or not re.search(rf"\b{number}\b", said):
        raise WrongError(f"the complaint about parameter {number} of {name!r} is {said!r}")
    if said.count("\n") != 1:
        raise WrongError(f"the complaint is not one line: {said!r}")


_Callback = ctypes.CFUNCTYPE(None, ctypes.c_char_p)


@procedure("cublasLoggerConfigure", "cublasSetLoggerCallback", "cublasGetLoggerCallback", share=0.3)
def log(t: Trial) -> None:
    """Each listener hears a call by name while the log is on and it is chosen, and nothing otherwise."""
    heard: list[bytes] = []
    callback = _Callback(heard.append)
    address = ctypes.cast(callback, ctypes.c_void_p).value or 0
    alpha = ctypes.c_float(1.0)
    area = t.area(x=np.ones(3, np.float32))

    def hears(read: Callable[[], str], wanted: bool, who: str) -> None:
        before = len(read())
        t.done("cublasSscal_v2", handle, 3, ctypes.addressof(alpha), area.at("x"), 1)
        said = read()[before:]
        if ("cublasSscal" in said) != wanted:
            raise WrongError(f"{who} {'hears nothing of' if wanted else 'still hears'} a call: {said!r}")

    with tempfile.TemporaryDirectory() as folder, t.handle() as handle:
        path = Path(folder) / "log"
        word = ctypes.create_string_buffer(os.fsencode(path))

        def written() -> str:
            return path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""

        def told() -> str:
            return b"\n".join(heard).decode("utf-8", "replace")

        try:
            t.done("cublasLoggerConfigure", 0, 0, 0, ctypes.addressof(word))
            hears(written, False, "a file, the log being off,")
            t.done("cublasLoggerConfigure", 1, 0, 0, ctypes.addressof(word))
            hears(written, True, "the file")
            t.done("cublasLoggerConfigure", 0, 0, 0, 0)
            hears(written, False, "the file")
            for stream, chosen in ((1, (1, 1, 0)), (2, (1, 0, 1))):
                with _caught(stream) as text:
                    t.done("cublasLoggerConfigure", *chosen, 0)
                    hears(text, True, f"standard stream {stream}")
                    t.done("cublasLoggerConfigure", 1, 0, 0, 0)
                    hears(text, False, f"standard stream {stream}")
            t.done("cublasSetLoggerCallback", address)
            t.equal("the callback", t.get("cublasGetLoggerCallback", kind=ctypes.c_void_p), address)
            hears(told, True, "the callback")
            t.done("cublasLoggerConfigure", 0, 0, 0, 0)
            hears(told, False, "the callback, the log being off,")
            t.done("cublasLoggerConfigure", 1, 0, 0, 0)
            t.done("cublasSetLoggerCallback", 0)
            t.equal("no callback", t.get("cublasGetLoggerCallback", kind=ctypes.c_void_p), 0)
            hears(told, False, "the callback that was taken away")
            t.gives(INVALID_VALUE, "cublasGetLoggerCallback", 0)
        finally:
            t.call("cublasSetLoggerCallback", 0)
            t.call("cublasLoggerConfigure", 0, 0, 0, 0)
