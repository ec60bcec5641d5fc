"""Element types of the tables as NumPy dtypes, and what fills memory that nobody may read."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..tables.kinds import Element
from .oracles.claims import Array, Dtype

DTYPES: dict[str, Dtype] = {
    "f16": np.dtype(np.float16),
    "f32": np.dtype(np.float32),
    "f64": np.dtype(np.float64),
    "c32": np.dtype(np.complex64),
    "c64": np.dtype(np.complex128),
    "i8": np.dtype(np.int8),
    "u8": np.dtype(np.uint8),
    "i32": np.dtype(np.int32),
    "i64": np.dtype(np.int64),
}
# A NaN with a payload (an odd number for integers): whoever reads it spoils its result, whoever writes it is seen.
_SENTINEL = {2: 0x7E5B, 4: 0x7FC5A5A5, 8: 0x7FF85A5AA5A5A5A5}
_UNSIGNED = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}
POISON = {"nan": np.nan, "inf": np.inf, "-inf": -np.inf, "zero": 0.0}


def known(element: Element) -> bool:
    """Whether arrays of this element type can be made here."""
    return element.name in DTYPES


def fill_sentinel(array: Array) -> None:
    part = array.dtype.itemsize // 2 if array.dtype.kind == "c" else array.dtype.itemsize
    raw = array.view(_UNSIGNED[part])
    raw[...] = 0x5A if part == 1 else _SENTINEL[part]


def poison_value(kind: str, dtype: Dtype) -> Any:
    """One special value: nan, inf, -inf, zero, or a denormal number of that type."""
    if kind == "denormal":
        return np.finfo(np.empty(0, dtype).real.dtype).tiny / 4
    return POISON[kind]


def draw(rng: np.random.Generator, count: int, dtype: Dtype, data: str) -> Array:
    """`count` numbers. `real`: ±[¼, 1]; `whole`: integers from −4 to 4; `huge`, `tiny`: near the ends of the range."""
    parts = 2 if dtype.kind == "c" else 1
    if data == "whole" or dtype.kind in "iu":
        values = rng.integers(-4, 5, parts * count).astype(np.float64)
    else:
        spread = rng.random(parts * count) * 1.5 - 0.75
        values = spread + np.copysign(0.25, spread)
        if data in ("huge", "tiny"):
            limits = np.finfo(np.empty(0, dtype).real.dtype)
            # Squares leave the range; a sum of 2000 such values does not.
            values *= float(limits.max) / 4096 if data == "huge" else float(limits.tiny) * 4096
    if dtype.kind == "c":
        return (values[0::2] + 1j * values[1::2]).astype(dtype)
    return values.astype(dtype)
