"""rocBLAS and rocSOLVER over ctypes, prototypes taken from AMD's headers (tests/facts), not from the tables."""

from __future__ import annotations

import csv
import ctypes
from pathlib import Path
from typing import Any

import numpy as np

FACTS = Path(__file__).resolve().parents[1] / "facts" / "rocm"
SUCCESS, INVALID_HANDLE, INVALID_POINTER, INVALID_SIZE, MISMATCH, UNCHANGED, INVALID_VALUE = 0, 1, 3, 4, 8, 10, 11
N, T, C = 111, 112, 113
UPPER, LOWER = 121, 122
NON_UNIT, UNIT = 131, 132
LEFT, RIGHT = 141, 142
DTYPES: dict[str, Any] = {"s": np.float32, "d": np.float64, "c": np.complex64, "z": np.complex128}
_PLAIN = {
    "rocblas_int": ctypes.c_int32,
    "int64_t": ctypes.c_int64,
    "rocblas_stride": ctypes.c_int64,
    "size_t": ctypes.c_size_t,
    "double": ctypes.c_double,
    "rocblas_handle": ctypes.c_void_p,
    "hipStream_t": ctypes.c_void_p,
    "hipEvent_t": ctypes.c_void_p,
    "_Bool": ctypes.c_bool,
    "void": None,
}


def prototypes(library: str = "rocblas") -> dict[str, tuple[str, list[str]]]:
    """Symbol → (result, parameter declarations)."""
    with (FACTS / f"{library}-7.2.4.functions.tsv").open(encoding="utf-8") as file:
        return {
            row["symbol"]: (row["result"], [p for p in row["parameters"].split(", ") if p])
            for row in csv.DictReader(file, delimiter="\t")
        }


def _ctype(declaration: str) -> Any:
    if "*" in declaration or "[" in declaration:
        return ctypes.c_void_p
    return _PLAIN.get(declaration.split()[-2] if " " in declaration else declaration, ctypes.c_int)


def _passed(value: Any) -> Any:
    return value.ctypes.data if isinstance(value, np.ndarray) else value


class Rocblas:
    """`call("sgemm", 111, …)` calls rocblas_sgemm with the open handle; arrays are passed by their address."""

    name = "rocblas"

    def __init__(self, path: Path) -> None:
        self.lib = ctypes.CDLL(str(path))
        self.handle: int | None = None
        self._prototypes = prototypes(self.name)

    def function(self, name: str) -> Any:
        found = getattr(self.lib, f"{self.name}_{name}")
        result, parameters = self._prototypes[f"{self.name}_{name}"]
        found.argtypes = [_ctype(p) for p in parameters]
        found.restype = ctypes.c_char_p if result == "const char *" else _PLAIN.get(result, ctypes.c_int)
        return found

    def raw(self, name: str, *arguments: Any) -> Any:
        return self.function(name)(*map(_passed, arguments))

    def call(self, name: str, *arguments: Any) -> int:
        return int(self.raw(name, self.handle, *arguments))

    def open(self) -> None:
        place = ctypes.c_void_p()
        assert self.lib.rocblas_create_handle(ctypes.byref(place)) == SUCCESS
        self.handle = place.value

    def close(self) -> None:
        assert self.raw("destroy_handle", self.handle) == SUCCESS


class Rocsolver(Rocblas):
    """The same for rocSOLVER, on a handle of rocBLAS. geqrf_ptr_batched is in no header."""

    name = "rocsolver"

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        for letter in DTYPES:
            public = "handle m n A lda ipiv batch_count"
            types = ("rocblas_handle", "rocblas_int", "rocblas_int", "void **", "rocblas_int", "void **", "rocblas_int")
            declared = [f"{t} {n}" for t, n in zip(types, public.split(), strict=True)]
            self._prototypes[f"rocsolver_{letter}geqrf_ptr_batched"] = ("rocblas_status", declared)


def scalar(value: complex, letter: str) -> np.ndarray[Any, Any]:
    """One element in memory."""
    dtype = np.dtype(DTYPES[letter])
    return np.array([value if dtype.kind == "c" else complex(value).real], dtype)


def real_letter(letter: str) -> str:
    return {"c": "s", "z": "d"}.get(letter, letter)
