"""What AMD's library meets when a call reaches it: the modes and the stream that the program set, on whichever handle of AMD's.

One handle of cuBLAS's owns a rocblas_handle for each stream. The CPU backend cannot show the difference: its memory is all one,
and its work is done at once.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from dragoman.build import LINUX, Library, Unit, build, find_toolchain

SOURCE = Path(__file__).resolve().parent / "c" / "telling.c"
STREAMS = 40  # more than a handle keeps apart
HIP = (
    "hipInit hipSetDevice hipDeviceSynchronize hipFree hipThreadExchangeStreamCaptureMode hipGetDeviceCount hipGetDevice "
    "hipRuntimeGetVersion hipMemcpyAsync hipMemcpy2DAsync telling_copied_on"
)
BLAS = (
    "rocblas_create_handle rocblas_destroy_handle rocblas_set_stream rocblas_set_pointer_mode rocblas_set_atomics_mode "
    "rocblas_set_math_mode rocblas_sscal telling_last telling_alive"
)

# Prints a line for each call: what was set, and what AMD's library met.
PROGRAM = """
import ctypes as c, itertools, json, random, sys
folder, amd, streams = sys.argv[1], sys.argv[2], int(sys.argv[3])
class State(c.Structure):
    _fields_ = [("stream", c.c_void_p), ("pointer", c.c_int), ("atomics", c.c_int), ("math", c.c_int)]
blas, hip = c.CDLL(amd + "/librocblas.so.5"), c.CDLL(amd + "/libamdhip64.so.7")
blas.telling_last.restype = c.POINTER(State)
hip.telling_copied_on.restype = c.c_void_p
lib = c.CDLL(folder + "/libcublas.so.12")
P = c.c_void_p
handle = P()
assert lib.cublasCreate_v2(c.byref(handle)) == 0
x = (c.c_float * 8)()
random.seed(5)
told = []
def met():
    s = blas.telling_last().contents
    return [s.stream or 0, s.pointer, s.atomics, s.math]
state = {"stream": 0, "pointer": 0, "atomics": 0, "math": 0}
setters = {
    "stream": lambda v: lib.cublasSetStream_v2(handle, P(v)),
    "pointer": lambda v: lib.cublasSetPointerMode_v2(handle, v),
    "atomics": lambda v: lib.cublasSetAtomicsMode(handle, v),
    "math": lambda v: lib.cublasSetMathMode(handle, v),
}
values = {"stream": [4096 * (i + 1) for i in range(streams)] + [0], "pointer": [0, 1], "atomics": [0, 1], "math": [0, 2, 3, 18]}
for step in range(400):
    name = random.choice(["stream", "stream", *values])
    value = random.choice(values[name])
    assert setters[name](value) == 0, (name, value)
    state[name] = value
    assert lib.cublasSscal_v2(handle, 8, x, x, 1) == 0
    told.append([list(state.values()), met()])
first = []
assert lib.cublasInit() == 0
for stream in values["stream"]:
    assert lib.cublasSetKernelStream(P(stream)) == 0
    lib.cublasSscal(8, c.c_float(2), x, 1)
    first.append([stream, met()[0]])
alive = {"in use": blas.telling_alive()}
assert lib.cublasShutdown() == 0
alive["the first API shut down"] = blas.telling_alive()
assert lib.cublasDestroy_v2(handle) == 0
alive["destroyed"] = blas.telling_alive()
for i in range(50):
    another = P()
    assert lib.cublasCreate_v2(c.byref(another)) == 0
    for stream in values["stream"][: i % 5]:
        assert lib.cublasSetStream_v2(another, P(stream)) == 0
    assert lib.cublasDestroy_v2(another) == 0
    assert lib.cublasDestroy_v2(another) == 1
alive["fifty more"] = blas.telling_alive()
copies = []
for stream in values["stream"]:
    for name in ("SetVectorAsync", "GetVectorAsync", "SetMatrixAsync", "GetMatrixAsync"):
        for step in (1, 2):
            for wide, W in (("", c.c_int), ("_64", c.c_int64)):
                call = getattr(lib, "cublas" + name + wide)
                shape = (W(2), W(4), x, W(step), x, W(1)) if "Vector" in name else (W(1), W(2), W(4), x, W(step), x, W(1))
                assert call(*shape, P(stream)) == 0
                copies.append([name + wide, stream, hip.telling_copied_on() or 0])
print(json.dumps({"told": told, "first": first, "copies": copies, "alive": alive}))
"""


@pytest.fixture(scope="module")
def answers(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    out = tmp_path_factory.mktemp("telling")
    libraries = [
        Library(file, (Unit(f"{part}.c", SOURCE, defines=(f"TELLING_{part}",)),), tuple(names.split()), "amd")
        for part, file, names in (("HIP", "libamdhip64.so.7", HIP), ("BLAS", "librocblas.so.5", BLAS))
    ]
    build(libraries, LINUX, find_toolchain("zig"), out)
    amd = out / "amd"
    environment = {k: v for k, v in os.environ.items() if not k.startswith("DRAGOMAN_")}
    done = subprocess.run(
        [sys.executable, "-S", "-c", PROGRAM, str(folder), str(amd), str(STREAMS)],
        env=environment | {"DRAGOMAN_BACKEND": str(amd)},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_each_call_meets_what_was_set(answers: dict[str, Any]) -> None:
    """Stream, pointer mode, atomics mode and math mode, in any order of setting, on more streams than are kept apart.

    rocBLAS's math mode is 1 where conversions are allowed (XF32), which is TF32 in cuBLAS; its other numbers are NVIDIA's."""
    assert len(answers["told"]) == 400
    for number, (wanted, met) in enumerate(answers["told"]):
        stream, pointer, atomics, math = wanted
        assert met == [stream, pointer, atomics, int(math & 15 == 3)], f"call {number}"


def test_no_handle_of_amds_is_left(answers: dict[str, Any]) -> None:
    """Each holds a workspace on the card, which no leak search sees."""
    alive = answers["alive"]
    assert 2 <= alive["in use"] <= 2 * STREAMS
    assert 1 <= alive["the first API shut down"] < alive["in use"]
    assert (alive["destroyed"], alive["fifty more"]) == (0, 0)


def test_the_first_api_computes_on_its_stream(answers: dict[str, Any]) -> None:
    assert [line for line in answers["first"] if line[0] != line[1]] == []


def test_copies_are_ordered_on_the_stream_that_they_are_given(answers: dict[str, Any]) -> None:
    assert len(answers["copies"]) == 16 * (STREAMS + 1)
    assert [line for line in answers["copies"] if line[1] != line[2]] == []
