"""Numbers that carry a bound of the error that a computed value may have: running error analysis.

An oracle states a definition once, over `Real` arrays. Each holds the exact value `v` of the definition (in long double)
and `e`, a bound of how far a value computed in arithmetic of unit roundoff `u` may lie from it. Every operation derives the
`e` of its result from those of its operands (Higham, *Accuracy and Stability of Numerical Algorithms*, 2nd ed., section
3.3), so a bound of a whole LSTM or attention layer is derived step by step and never tuned:

| operation | error of the result, beside what the operands bring |
|---|---|
| a + b, a · b | u·\\|result\\| each (section 2.2), with or without fused multiply-add |
| sum of n, sum of n products | γ_n·Σ\\|terms\\|, for any order of summation (sections 3.1 and 4.2) |
| a / b, √a | 4u: a GPU's fast forms are right to 2 units in the last place |
| exp a | (4 + 2\\|a\\|)u: computed as 2^(a·log₂e), where rounding a·log₂e costs \\|a\\|u twice |
| log a | 4u\\|log a\\| + 8u: near 1 the fast form is right absolutely, not relatively |
| tanh a | 8u absolutely: from exponentials, which cancel near 0 |
| sigmoid a | (8 + 2\\|a\\|)u relatively |
| a^p | from exp(p · log a) |
| max, min | nothing: one of the operands |

What operands bring follows from the function's slope over the interval v ± e. A constant that has no exact representation
brings u times itself. The oracle's own rounding (2⁻⁶⁴; 2⁻⁵³ where long double is a double) is added with every operation.

`e` is infinite where nothing is promised. Where `v` is NaN or infinite the result must be the same."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ..oracles.claims import LONG, OWN_ROUNDOFF, Array, Expected, Index, gamma
from .elements import DOUBLE_U, FLOAT_U, Type

INF = LONG("inf")
Axis = int | tuple[int, ...]


class Real:
    """An array of values with error bounds. Immutable by habit; shares memory on views."""

    __slots__ = ("e", "u", "v")
    __array_ufunc__ = None  # NumPy's own operators must not take a Real apart

    def __init__(self, v: npt.ArrayLike, e: npt.ArrayLike, u: float) -> None:
        self.v: Array = np.asarray(v, LONG)
        self.e: Array = np.broadcast_to(np.asarray(e, LONG), self.v.shape)
        self.u = u

    # Views

    @property
    def shape(self) -> tuple[int, ...]:
        return self.v.shape

    def __getitem__(self, key: Any) -> Real:
        return Real(self.v[key], self.e[key], self.u)

    def reshape(self, *shape: int) -> Real:
        return Real(self.v.reshape(shape), self.e.reshape(shape), self.u)

    def transpose(self, *axes: int) -> Real:
        return Real(self.v.transpose(axes), self.e.transpose(axes), self.u)

    def swap(self, a: int, b: int) -> Real:
        return Real(self.v.swapaxes(a, b), self.e.swapaxes(a, b), self.u)

    # Arithmetic

    def _lift(self, other: Any) -> Real:
        return other if isinstance(other, Real) else constant(other, self.u)

    def __add__(self, other: Any) -> Real:
        b = self._lift(other)
        v = self.v + b.v
        return _made(v, self.e + b.e, max(self.u, b.u), 1)

    __radd__ = __add__

    def __neg__(self) -> Real:
        return Real(-self.v, self.e, self.u)

    def __sub__(self, other: Any) -> Real:
        return self + -self._lift(other)

    def __rsub__(self, other: Any) -> Real:
        difference: Real = -self + other
        return difference

    def __mul__(self, other: Any) -> Real:
        b = self._lift(other)
        with np.errstate(invalid="ignore", over="ignore"):
            brought = _times(np.abs(self.v), b.e) + _times(np.abs(b.v), self.e) + _times(self.e, b.e)
            return _made(self.v * b.v, brought, max(self.u, b.u), 1)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Real:
        b = self._lift(other)
        with np.errstate(all="ignore"):
            v = self.v / b.v
            room = np.abs(b.v) - b.e
            brought = np.where(room > 0, (self.e + _times(np.abs(v), b.e)) / room, np.where(b.e > 0, INF, 0))
            return _made(v, brought, max(self.u, b.u), 4)

    def __rtruediv__(self, other: Any) -> Real:
        quotient: Real = self._lift(other) / self
        return quotient

    def sum(self, axis: Axis, keepdims: bool = False) -> Real:
        """Sum over axes, in any order."""
        axes = (axis,) if isinstance(axis, int) else axis
        n = int(np.prod([self.v.shape[a] for a in axes], dtype=np.int64))
        with np.errstate(invalid="ignore"):
            brought = self.e.sum(axis=axes, keepdims=keepdims)
            size = np.abs(self.v).sum(axis=axes, keepdims=keepdims) + brought
            return Real(self.v.sum(axis=axes, keepdims=keepdims), brought + gamma(n, self.u) * size, self.u)

    # Functions

    def sqrt(self) -> Real:
        with np.errstate(all="ignore"):
            v = np.sqrt(self.v)
            brought = np.where(self.v > 0, self.e / np.where(v > 0, v, 1), np.sqrt(self.e))
            return _made(v, brought, self.u, 4)

    def exp(self) -> Real:
        with np.errstate(all="ignore"):
            v = np.exp(self.v)
            return _made(v, v * np.expm1(self.e), self.u, 4 + 2 * _finite(self.v))

    def log(self) -> Real:
        with np.errstate(all="ignore"):
            v = np.log(self.v)
            relative = self.e / np.abs(self.v)
            brought = np.where(relative < 1, -np.log1p(-np.minimum(relative, 1)), INF)
            return _made(v, np.where(self.e == 0, 0, brought) + 8 * self.u, self.u, 4)

    def tanh(self) -> Real:
        with np.errstate(all="ignore"):
            return _made(np.tanh(self.v), np.minimum(self.e, 2) + 8 * self.u, self.u, 1)

    def sigmoid(self) -> Real:
        with np.errstate(all="ignore"):
            v = 1 / (1 + np.exp(-self.v))
            brought = np.minimum(np.minimum(self.e / 4, v * np.expm1(self.e)), 1)
            return _made(v, brought, self.u, 8 + 2 * _finite(self.v))

    def power(self, exponent: float) -> Real:
        """a^p for a > 0."""
        if exponent == 0:
            return Real(np.ones_like(self.v), np.where(np.isnan(self.v), INF, 0), self.u)
        return (self.log() * exponent).exp()

    def abs(self) -> Real:
        return Real(np.abs(self.v), self.e, self.u)

    def stored(self, type_: Type) -> Real:
        """Rounded to a type: its roundoff, and what an underflow costs. Nothing is promised where it may overflow."""
        with np.errstate(invalid="ignore"):
            size = np.abs(self.v) + self.e
            e = self.e + (type_.u * size if type_.u > self.u else 0) + type_.grain
            e = np.where(np.isfinite(self.v) & (size * (1 + type_.u) > type_.largest), INF, e)
        return Real(self.v, e, self.u)

    def free(self, mask: npt.ArrayLike) -> Real:
        """Nothing is promised where `mask` is set."""
        mask = np.broadcast_to(np.asarray(mask, bool), self.v.shape)
        return Real(np.where(mask, 0, self.v), np.where(mask, INF, self.e), self.u)

    def expected(self, array: str, index: Index) -> Expected:
        """The claim that elements `index` of `array` hold these values."""
        value, bound = np.broadcast_arrays(self.v, self.e)
        with np.errstate(invalid="ignore"):
            bound = np.where(np.isfinite(value), np.where(np.isnan(bound), INF, bound), 0)
            bound = np.where(np.isinf(self.e), INF, bound)
        return Expected(array, index, value, bound)


def _finite(v: Array) -> Array:
    return np.asarray(np.where(np.isfinite(v), np.abs(v), 0))


def _times(size: Array, error: Array) -> Array:
    """size · error, where an error of 0 stays 0 beside an infinite size."""
    return np.asarray(np.where(error == 0, 0, size * error))


def _made(v: Array, brought: Array, u: float, steps: Any) -> Real:
    """The result of one operation: its own roundings on top of what the operands bring."""
    with np.errstate(invalid="ignore"):
        return Real(v, brought + steps * (u + OWN_ROUNDOFF) * (np.abs(v) + brought), u)


def exact(values: npt.ArrayLike, u: float) -> Real:
    """Values without error, for arithmetic of unit roundoff `u`."""
    return Real(values, 0, u)


def constant(value: Any, u: float) -> Real:
    """A number of a definition; one that the arithmetic cannot represent is rounded first."""
    array = np.asarray(value, LONG)
    kind = np.float64 if u <= DOUBLE_U else np.float32
    with np.errstate(over="ignore", invalid="ignore"):
        held = array.astype(kind).astype(LONG)
        error = np.where((held == array) | ~np.isfinite(array), 0, np.abs(array) * max(u, 0.0))
    return Real(array, error, u)


def dot(subscripts: str, a: Real, b: Real) -> Real:
    """Sums of products as `einsum` writes them, in any order: γ_n·Σ|a||b| beside the operands' errors."""
    left, right = (set(part) for part in subscripts.split("->")[0].split(","))
    sizes: dict[str, int] = {}
    for part, operand in zip(subscripts.split("->")[0].split(","), (a, b), strict=True):
        sizes.update(zip(part, operand.shape, strict=True))
    kept = set(subscripts.split("->")[1])
    n = int(np.prod([sizes[k] for k in (left | right) - kept], dtype=np.int64))
    u = max(a.u, b.u)
    with np.errstate(invalid="ignore", over="ignore"):
        v = np.einsum(subscripts, a.v, b.v)
        sa, sb = np.abs(a.v), np.abs(b.v)
        size = np.einsum(subscripts, sa, sb)
        brought: Array = np.zeros_like(size)
        if a.e.any() or b.e.any():
            brought = np.einsum(subscripts, sa, b.e) + np.einsum(subscripts, a.e, sb) + np.einsum(subscripts, a.e, b.e)
        return Real(v, brought + gamma(n + 1, u) * (size + brought), u)


def where(mask: npt.ArrayLike, a: Any, b: Any, u: float = FLOAT_U) -> Real:
    """Elements of `a` where the mask is set, else of `b`."""
    u = max((x.u for x in (a, b) if isinstance(x, Real)), default=u)
    first, second = (x if isinstance(x, Real) else constant(x, u) for x in (a, b))
    return Real(np.where(mask, first.v, second.v), np.where(mask, first.e, second.e), u)


def stack(parts: Sequence[Real], axis: int = 0) -> Real:
    u = max((p.u for p in parts), default=FLOAT_U)
    return Real(np.stack([p.v for p in parts], axis), np.stack([p.e for p in parts], axis), u)


def concatenate(parts: Sequence[Real], axis: int = 0) -> Real:
    u = max((p.u for p in parts), default=FLOAT_U)
    return Real(np.concatenate([p.v for p in parts], axis), np.concatenate([p.e for p in parts], axis), u)


def blend(alpha: float, result: Real, beta: float, old: Array, type_: Type) -> Real:
    """alpha·result + beta·old as stored in `type_`.

    A result may be rounded to its type before it is blended (a library that lacks alpha and beta blends in a second pass):
    one rounding more unless alpha is 1 and beta 0. With beta = 0 the old values are not read. With alpha = 0 a result that
    is not finite carries no promise: whether it is multiplied or left out is a library's choice."""
    plain = alpha == 1 and beta == 0
    first = result if plain else result.stored(type_) * alpha
    if alpha == 0:
        first = first.free(~np.isfinite(result.v))
    if beta != 0:
        first = first + exact(old, result.u) * beta
    return first.stored(type_)
