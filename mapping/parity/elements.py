"""Element types of the tables as NumPy dtypes, and what fills memory that nobody may read."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..tables.kinds import Element
from .oracles.claims import BF16, CI8, Array, Dtype, is_complex, is_float, smallest, to_elements

DTYPES: dict[str, Dtype] = {
    "f16": np.dtype(np.float16),
    "bf16": BF16,
    "f32": np.dtype(np.float32),
    "f64": np.dtype(np.float64),
    "c32": np.dtype(np.complex64),
    "c64": np.dtype(np.complex128),
    "i8": np.dtype(np.int8),
    "ci8": CI8,
    "u8": np.dtype(np.uint8),
    "i32": np.dtype(np.int32),
    "i64": np.dtype(np.int64),
}
# A NaN with a payload (an odd number for integers): whoever reads it spoils its result, whoever writes it is seen.
_SENTINEL = {2: 0x7E5B, 4: 0x7FC5A5A5, 8: 0x7FF85A5AA5A5A5A5}
_UNSIGNED = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}
POISON = {"nan": np.nan, "inf": np.inf, "-inf": -np.inf, "zero": 0.0, "column": 0.0, "pivot": 0.0}


def known(element: Element) -> bool:
    """Whether arrays of this element type can be made here."""
    return element.name in DTYPES


def fill_sentinel(array: Array) -> None:
    part = array.dtype.itemsize // 2 if is_complex(array.dtype) else array.dtype.itemsize
    raw = array.view(_UNSIGNED[part])
    raw[...] = 0x5A if part == 1 else 0x7FDB if array.dtype == BF16 else _SENTINEL[part]


def poison_value(kind: str, dtype: Dtype) -> Any:
    """One special value: nan, inf, -inf, zero (of a column, of a pivot), or a denormal number of that type."""
    value = smallest(dtype) / 4 if kind == "denormal" else POISON[kind]
    return to_elements(value, dtype) if dtype == BF16 else value


def draw(rng: np.random.Generator, count: int, dtype: Dtype, data: str) -> Array:
    """`count` numbers. `real`: ±[¼, 1], bytes and larger integers; `whole`: integers from −4 to 4; `huge`, `tiny`: near the
    ends of the range."""
    parts = 2 if is_complex(dtype) else 1
    if data == "whole" or not is_float(dtype):
        least, most = (-4, 4) if data == "whole" else (-128, 127) if dtype.itemsize == parts else (-1000, 1000)
        values = rng.integers(least, most + 1, parts * count).astype(np.float64)
    else:
        spread = rng.random(parts * count) * 1.5 - 0.75
        values = spread + np.copysign(0.25, spread)
        if data in ("huge", "tiny"):
            limits = np.finfo(np.float32 if dtype == BF16 else np.empty(0, dtype).real.dtype)
            # Squares leave the range; a sum of 2000 such values does not.
            values *= float(limits.max) / 4096 if data == "huge" else float(limits.tiny) * 4096
    if parts == 2:
        return to_elements(values[0::2] + 1j * values[1::2], dtype)
    return to_elements(values, dtype)
