"""What cublasLtMatmul and cublasLtMatrixTransform must give: definitions in long double, with bounds.

z = α·a·b·(op(A)·op(B)) + β·C + bias, with scales a and b where the operands have 8 bits. In the computing type, of roundoff u, it is
within `γ_{k+6}·(|α·a·b|·|A||B| + |βC| + |bias|)`: k products and additions, and six roundings of factors and terms. What follows:

- ReLU does not spread an error. GELU's slope is at most 1.13, and its own evaluation costs `|z|·τ`, with τ the error of tanh.
- A gradient is z times the slope at the second matrix: `|slope|·error(z) + |z|·(τ·(1 + x²) + 4u)`.
- Sums along a row of n elements: the errors of the elements and `γ_n` of their sizes.
- Storing costs the roundoff of the type stored.
- int8 with GELU or a second matrix: an H200 stores the product as int8 first, and again with the bias (`stepwise`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .claims import BF16, LONG, Array, Claim, Dtype, Expected, gamma, roundoff, smallest, wide

RELU, GELU, BIAS, AUX, GRADIENT, SUMS, BITS, OF_A, OF_B = (1 << i for i in range(9))
# cuBLASLt's epilogues, from its manual.
EPILOGUES: dict[int, int] = {
    1: 0,
    2: RELU,
    4: BIAS,
    6: RELU | BIAS,
    32: GELU,
    36: GELU | BIAS,
    130: RELU | AUX | BITS,
    134: RELU | AUX | BITS | BIAS,
    136: RELU | AUX | BITS | GRADIENT,
    152: RELU | AUX | BITS | GRADIENT | SUMS,
    160: GELU | AUX,
    164: GELU | AUX | BIAS,
    192: GELU | AUX | GRADIENT,
    208: GELU | AUX | GRADIENT | SUMS,
    256: SUMS | OF_A,
    512: SUMS | OF_B,
}

_INT8 = np.dtype(np.int8)
E4M3 = np.dtype([("e4m3", np.uint8)])
E5M2 = np.dtype([("e5m2", np.uint8)])


def float8_values(dtype: Dtype) -> Array:
    """The numbers of all 256 codes, by the definition of the format: OCP's 8-bit floating point."""
    bits, bias = (3, 7) if dtype == E4M3 else (2, 15)
    found = np.empty(256, np.float64)
    for code in range(256):
        exponent, fraction = (code & 0x7F) >> bits, (code & (1 << bits) - 1) / (1 << bits)
        size = fraction * 2.0 ** (1 - bias) if exponent == 0 else (1 + fraction) * 2.0 ** (exponent - bias)
        if dtype == E4M3 and code & 0x7F == 0x7F:
            size = np.nan
        if dtype == E5M2 and exponent == 31:
            size = np.nan if fraction else np.inf
        found[code] = -size if code & 0x80 else size
    return found


def to_float8(values: Array, dtype: Dtype) -> Array:
    """The nearest code, the even one of two; numbers beyond the largest finite one become that."""
    table = float8_values(dtype)[:128]
    finite = np.flatnonzero(np.isfinite(table))
    sizes = np.minimum(np.abs(np.asarray(values, np.float64)), table[finite].max())
    distance = np.abs(sizes[..., None] - table[finite])
    least = distance.min(axis=-1, keepdims=True)
    near = distance == least
    even = near & (finite % 2 == 0)
    chosen = np.where(even.any(axis=-1), even.argmax(axis=-1), near.argmax(axis=-1))
    codes = finite[chosen].astype(np.uint8) | np.where(np.signbit(values), 0x80, 0).astype(np.uint8)
    return np.where(np.isnan(values), 0x7F, codes).astype(np.uint8)


def numbers(array: Array) -> Array:
    """Elements as long double."""
    if array.dtype in (E4M3, E5M2):
        return float8_values(array.dtype)[array.view(np.uint8)].astype(LONG)
    return wide(array)


def error_of(dtype: Dtype) -> float:
    """Roundoff of a stored element; 0 where the caller's numbers are exact in it."""
    return roundoff(dtype) if dtype.kind == "f" or dtype == BF16 else 0.0


@dataclass(frozen=True, slots=True)
class Following:
    """One member's product and what follows it. Matrices as they are multiplied, by rows and columns of D."""

    epilogue: int
    u: float  # of the computing type
    tau: float  # error of tanh
    alpha: Array  # a number, or one a row of D
    beta: float
    left: Array  # op(A), m by k
    right: Array  # op(B), k by n
    old: Array | None  # C, where β is not 0
    bias: Array | None = None
    second: Array | None = None  # of a gradient: z, or the mask as truth values
    stepwise: bool = False  # numbers are exact up to here

    @property
    def has(self) -> int:
        return EPILOGUES[self.epilogue]

    def z(self) -> tuple[Array, Array]:
        """The product before anything but the bias, and its bound."""
        alpha = np.asarray(self.alpha, LONG).reshape(-1, 1)
        k = self.left.shape[1]
        # einsum without `optimize`: no BLAS
        value = alpha * np.einsum("ik,kj->ij", self.left, self.right)
        size = np.abs(alpha) * np.einsum("ik,kj->ij", np.abs(self.left), np.abs(self.right))
        if self.old is not None:
            value = value + self.beta * self.old
            size = size + abs(self.beta) * np.abs(self.old)
        if self.stepwise:
            value = _whole(value, _INT8).astype(LONG)
        if self.has & BIAS:
            assert self.bias is not None
            value = value + self.bias[:, None]
            size = size + np.abs(self.bias[:, None])
        if self.stepwise:
            return _whole(value, _INT8).astype(LONG), np.zeros_like(size)
        return value, gamma(k + 6, self.u) * size

    def result(self) -> tuple[Array, Array]:
        """D before it is stored, and its bound."""
        z, error = self.z()
        if self.has & GRADIENT:
            assert self.second is not None
            if self.has & BITS:
                return np.where(self.second, z, LONG(0)), np.where(self.second, error, LONG(0))
            slope = gelu_slope(self.second)
            own = self.tau * (1 + self.second**2) + 4 * self.u
            return z * slope, np.abs(slope) * error + np.abs(z) * own
        if self.has & RELU:
            return np.where(z < 0, LONG(0), z), error
        if self.has & GELU:
            return gelu(z), LONG(1.13) * error + np.abs(z) * self.tau
        return z, error

    def sums(self) -> tuple[Array, Array]:
        if self.has & (OF_A | OF_B):
            terms, axis = (self.left, 1) if self.has & OF_A else (self.right, 0)
            error = np.zeros_like(terms)
        else:
            terms, error = self.result()
            axis = 1
        size = np.abs(terms).sum(axis=axis)
        return terms.sum(axis=axis), error.sum(axis=axis) + gamma(terms.shape[axis] + 1, self.u) * size


_ROOT = np.sqrt(LONG(2) / LONG(np.pi))
_CUBIC = LONG(44715) / LONG(1000000)


def gelu(x: Array) -> Array:
    """x/2·(1 + tanh(√(2/π)·(x + 0.044715·x³)))."""
    return np.asarray(x / 2 * (1 + np.tanh(_ROOT * (x + _CUBIC * x**3))))


def gelu_slope(x: Array) -> Array:
    t = np.tanh(_ROOT * (x + _CUBIC * x**3))
    return np.asarray((1 + t) / 2 + x / 2 * (1 - t * t) * _ROOT * (1 + 3 * _CUBIC * x**2))


def stored(name: str, index: Array, value: Array, error: Array, dtype: Dtype) -> Claim:
    """Numbers as they lie in memory. Integers and 8-bit numbers are exact, but where the error reaches the next one."""
    if dtype in (E4M3, E5M2) or dtype.kind == "i":
        low, code, high = (_whole(v, dtype) for v in (value - error, value, value + error))
        return Expected(name, index, code, np.where((low == code) & (high == code), 0.0, np.inf))
    return Expected(name, index, value, error + error_of(dtype) * (np.abs(value) + error) + smallest(dtype))


def _whole(value: Array, dtype: Dtype) -> Array:
    """The nearest integer or code, the even one of two."""
    if dtype.kind != "i":
        return to_float8(np.asarray(value, np.float64), dtype)
    info = np.iinfo(dtype)
    return np.asarray(np.clip(np.rint(value), info.min, info.max).astype(dtype))


def exactly(name: str, values: Array) -> Claim:
    """A whole array, bit by bit."""
    return Expected(name, np.arange(values.size), values, np.zeros(values.size))


def mask_bytes(on: Array, ld: int, before: Array) -> Array:
    """A mask's bytes, a column after the other, lowest bit first; the bits behind a column's rows as they were."""
    rows, cols = on.shape
    bits = np.unpackbits(before, bitorder="little").reshape(cols, ld)
    bits[:, :rows] = on.T
    return np.packbits(bits.ravel(), bitorder="little")


def transformed(alpha: Any, a: Array | None, beta: Any, b: Array | None, u: float) -> tuple[Array, Array]:
    """α·op(A) + β·op(B) of those that are there, and its bound: three roundings."""
    terms = [np.asarray(factor * x) for factor, x in ((alpha, a), (beta, b)) if x is not None]
    size = np.sum([np.abs(x).astype(LONG) for x in terms], axis=0)
    return np.asarray(np.sum(terms, axis=0)), gamma(4, u) * size
