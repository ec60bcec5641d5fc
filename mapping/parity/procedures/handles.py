"""Handles come and go, each with a state of its own; and the numbers by which a library calls itself."""

from __future__ import annotations

import ctypes

import numpy as np

from .registry import procedure
from .trial import INVALID_VALUE, NOT_INITIALIZED, Trial, WrongError

_DEFAULTS = {  # of a new handle, as NVIDIA's has them
    "cublasGetPointerMode_v2": 0,
    "cublasGetAtomicsMode": 0,
    "cublasGetMathMode": 0,
    "cublasGetSmCountTarget": 0,
}


@procedure("cublasCreate", "cublasDestroy")
def handles(t: Trial) -> None:
    """Several at once, gone in any order: those that are left work, a new one knows nothing of those before it."""
    t.gives(INVALID_VALUE, "cublasCreate_v2", 0)
    t.gives(NOT_INITIALIZED, "cublasDestroy_v2", 0)
    area = t.area(x=t.rng.integers(-50, 50, 13).astype(np.float32))
    alpha = ctypes.c_float(-1.0)
    alive: list[int] = []
    try:
        for _ in range(12):
            if alive and t.chance(0.4):
                gone = alive.pop(int(t.rng.integers(len(alive))))
                t.done("cublasDestroy_v2", gone)
                if not t.bench.nvidia:  # NVIDIA's reads what it has freed
                    t.gives(NOT_INITIALIZED, "cublasSetPointerMode_v2", gone, 0)
                    t.gives(NOT_INITIALIZED, "cublasDestroy_v2", gone)
            else:
                made = t.create()
                if not made or made in alive:
                    raise WrongError("cublasCreate_v2 gives the handle of another, or none")
                alive.append(made)
                for getter, default in _DEFAULTS.items():
                    t.equal(f"{getter} of a new handle", t.get(getter, made), default)
                t.equal("its stream", t.get("cublasGetStream_v2", made, kind=ctypes.c_void_p), 0)
                t.done("cublasSetMathMode", made, 2)  # must not be there in the next
                t.done("cublasSetAtomicsMode", made, 1)
            for handle in alive:
                t.scaled(handle, -1.0, area, "x", ctypes.addressof(alpha))
    finally:
        for handle in alive:
            t.call("cublasDestroy_v2", handle)


@procedure("cublasGetVersion", "GetVersion", "cublasGetProperty", "cublasGetCudartVersion", share=0.2)
def versions(t: Trial) -> None:
    """One number in three ways, of the CUDA major whose name the file has; the same before and after anything."""
    parts = [t.get("cublasGetProperty", which) for which in range(3)]
    number = parts[0] * 10_000 + parts[1] * 100 + parts[2]
    t.equal("the major of cublasGetProperty", parts[0], t.bench.major)
    with t.handle() as handle:
        t.equal("cublasGetVersion_v2", t.get("cublasGetVersion_v2", handle), number)
    t.equal("cublasGetVersion_v2 without a handle", t.get("cublasGetVersion_v2", 0), number)
    t.equal("cublasGetVersion of the first API", t.get("cublasGetVersion"), number)
    runtime = int(t.call("cublasGetCudartVersion"))
    t.equal("the major of cublasGetCudartVersion", runtime // 1000, t.bench.major)
    if not t.bench.nvidia:  # NVIDIA's runtime may be of another day than its cuBLAS
        t.equal("cublasGetCudartVersion", runtime, t.get("cudaRuntimeGetVersion"))
    untouched = ctypes.c_int(77)
    for which in (-1, 3, 1000):
        t.gives(INVALID_VALUE, "cublasGetProperty", which, ctypes.addressof(untouched))
    t.equal("what a part that is none is written", untouched.value, 77)
    t.gives(INVALID_VALUE, "cublasGetProperty", 0, 0)
    t.gives(INVALID_VALUE, "cublasGetVersion_v2", 0, 0)
