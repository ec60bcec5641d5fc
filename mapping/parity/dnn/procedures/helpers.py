"""Versions, texts, properties, handles, streams and run-time errors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..cases import Values
from ..names import BAD_PARAM, NOT_SUPPORTED, in_version
from ..registry import Body, procedure
from ..stage import INT, POINTER, Stage

_CHAPTER = "Helpers"
_NOTHING: dict[str, Any] = {}


def _host(function: str, device: bool = False, also: str = "") -> Callable[[Body], Body]:
    return procedure(function, _CHAPTER, lambda d: {}, _NOTHING, share=0.1, also=also, device=device)


@_host("cudnnGetVersion", also="cudnnGetProperty")
def version(s: Stage, v: Values) -> None:
    (number,) = s.host("cudnnGetVersion")
    major, minor, patch = (s.host("cudnnGetProperty", type=kind, value=INT)[0] for kind in range(3))
    wanted = major * 10000 + minor * 100 + patch if s.version >= 9 else major * 1000 + minor * 100 + patch
    s.check((number, major) == (wanted, s.version), f"version {number}, properties {major}, {minor}, {patch}")


@_host("cudnnGetCudartVersion")
def cudart_version(s: Stage, v: Values) -> None:
    (number,) = s.host("cudnnGetCudartVersion")
    s.check(number >= 10000, f"CUDA runtime {number}")


@_host("cudnnGetMaxDeviceVersion")
def device_version(s: Stage, v: Values) -> None:
    (number,) = s.host("cudnnGetMaxDeviceVersion")
    s.check(number > 0, f"newest device {number}")


@_host("cudnnGetErrorString")
def error_string(s: Stage, v: Values) -> None:
    named = {
        0: b"CUDNN_STATUS_SUCCESS",
        BAD_PARAM: b"CUDNN_STATUS_BAD_PARAM",
        NOT_SUPPORTED: b"CUDNN_STATUS_NOT_SUPPORTED",
    }
    for status, text in named.items():
        (found,) = s.host("cudnnGetErrorString", status=in_version(status, s.version))
        s.check(found == text, f"{status}: {found!r}, expected {text!r}")
    (found,) = s.host("cudnnGetErrorString", status=77777)
    s.check(bool(found), "no text for an unknown number")


def _checks(function: str) -> None:
    @_host(function)
    def body(s: Stage, v: Values) -> None:
        s.host(function)


for _name in (
    "cudnnOpsInferVersionCheck", "cudnnOpsTrainVersionCheck", "cudnnCnnInferVersionCheck", "cudnnCnnTrainVersionCheck",
    "cudnnAdvInferVersionCheck", "cudnnAdvTrainVersionCheck", "cudnnGraphVersionCheck", "cudnnOpsVersionCheck",
    "cudnnCnnVersionCheck", "cudnnAdvVersionCheck",
):  # fmt: skip
    _checks(_name)


@_host("cudnnCreate", device=True, also="cudnnDestroy")
def handles(s: Stage, v: Values) -> None:
    made = [s.host("cudnnCreate", handle=POINTER)[0] for _ in range(2)]
    s.check(all(made) and made[0] != made[1], f"handles {made}")
    for handle in made:
        s.host("cudnnDestroy", handle=handle)


@_host("cudnnSetStream", device=True, also="cudnnGetStream")
def stream(s: Stage, v: Values) -> None:
    s.host("cudnnSetStream", streamId=None)
    (found,) = s.host("cudnnGetStream", streamId=POINTER)
    s.check(found == 0, f"stream {found}, expected the default one")


@_host("cudnnQueryRuntimeError", device=True)
def runtime_error(s: Stage, v: Values) -> None:
    (status,) = s.host("cudnnQueryRuntimeError", rstatus=INT, mode=2, tag=None)
    s.check(status == 0, f"run-time status {status}")
