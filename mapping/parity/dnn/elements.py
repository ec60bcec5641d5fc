"""cuDNN's element types in NumPy: how values are stored, and what storing them costs.

NumPy has no bfloat16: its values are kept as 16-bit patterns and decoded to judge them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .. import elements
from ..oracles.claims import BF16 as BFLOAT16
from ..oracles.claims import LONG, Array, Dtype, to_bfloat16, wide


@dataclass(frozen=True, slots=True)
class Type:
    """An element type. `u` is its unit roundoff, `grain` what one underflow can cost, `math` the unit roundoff of the
    arithmetic that cuDNN does on it (float, or double on doubles)."""

    name: str
    number: int  # cudnnDataType_t
    dtype: Dtype
    u: float = 0.0
    grain: float = 0.0
    largest: float = 0.0

    @property
    def math(self) -> float:
        return DOUBLE_U if self.name == "f64" else FLOAT_U

    @property
    def size(self) -> int:
        return self.dtype.itemsize

    @property
    def floats(self) -> bool:
        return self.u > 0

    def encode(self, values: npt.ArrayLike) -> Array:
        """Rounded to nearest, ties to even, as stored."""
        array = np.asarray(values)
        if array.ndim == 0:  # of a 16-bit pattern in a structure NumPy makes no scalar
            return self.encode(array.reshape(1)).reshape(())
        with np.errstate(over="ignore", invalid="ignore"):
            return to_bfloat16(array).view(np.uint16) if self.name == "bf16" else array.astype(self.dtype)

    def decode(self, stored: Array) -> Array:
        """The same values in long double; integers stay what they are."""
        if self.name == "bf16":
            return wide(stored.view(BFLOAT16))
        return stored.astype(LONG) if self.floats else stored


FLOAT_U, DOUBLE_U = 2.0**-24, 2.0**-53
F32 = Type("f32", 0, np.dtype(np.float32), FLOAT_U, 2.0**-126, float(np.finfo(np.float32).max))
F64 = Type("f64", 1, np.dtype(np.float64), DOUBLE_U, 2.0**-1022, float(np.finfo(np.float64).max))
F16 = Type("f16", 2, np.dtype(np.float16), 2.0**-11, 2.0**-24, 65504.0)
BF16 = Type("bf16", 9, np.dtype(np.uint16), 2.0**-8, 2.0**-126, 3.3895313892515355e38)
I8 = Type("i8", 3, np.dtype(np.int8))
I32 = Type("i32", 4, np.dtype(np.int32))
U8 = Type("u8", 6, np.dtype(np.uint8))
TYPES = {t.name: t for t in (F32, F64, F16, BF16, I8, I32, U8)}


def fill_sentinel(array: Array, type_: Type) -> None:
    """A NaN with a payload: whoever reads it spoils its result, whoever writes it is seen."""
    elements.fill_sentinel(array.view(BFLOAT16) if type_ is BF16 else array)


POISON = {"nan": np.nan, "inf": np.inf, "-inf": -np.inf, "zero": 0.0}


def poison_value(kind: str, type_: Type) -> float:
    """One special value: nan, inf, -inf, zero, or a denormal number of that type."""
    return type_.grain / 4 if kind == "denormal" else POISON[kind]


def draw(rng: np.random.Generator, count: int, type_: Type, data: str = "real") -> Array:
    """`count` values as stored.

    `real`: ±[¼, 1]; `whole`: integers from −4 to 4, so that ties happen; `positive`: [¼, 1]; `wide`: ±5; `distinct`: all
    different, so that no maximum is shared; `unit`: (0, 1); `ones`."""
    spread = rng.random(count) * 1.5 - 0.75
    values = spread + np.copysign(0.25, spread)
    if data == "whole" or not type_.floats:
        values = rng.integers(0 if type_ is U8 else -4, 5, count).astype(np.float64)
    elif data == "positive":
        values = np.abs(values)
    elif data == "wide":
        values = rng.random(count) * 10 - 5
    elif data == "unit":
        values = (rng.random(count) * 0.9 + 0.05).clip(0.05, 0.95)
    elif data == "ones":
        values = np.ones(count)
    elif data == "distinct":  # steps of 1/64 are exact in every type up to 4
        values = (rng.permutation(count) - count // 2) / 64
    return type_.encode(values)
