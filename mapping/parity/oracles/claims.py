"""What an oracle answers: claims about arrays after a call, each with an error bound, and how they are judged.

A claim speaks about some elements of one or more arrays. All other elements, paddings included, must keep their bits;
that check needs no claim. An error bound is absolute and elementwise, of the form `γ_k · |A||B|`: `γ_k = k·u / (1 −
k·u)` bounds the relative error of k roundings in any order, with or without fused multiply-add (Higham, *Accuracy and
Stability of Numerical Algorithms*, 2nd ed., Lemma 3.1 and section 3.1). A complex sum of k products is judged by
component: each is a real sum of 2k products, and `|a|₁ = |Re a| + |Im a|` stands for the modulus."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
Dtype = np.dtype[Any]
Index = npt.NDArray[np.int64]
Arrays = Mapping[str, Array]

LONG = np.longdouble
CLONG = np.clongdouble
# The oracle rounds too: 2⁻⁶⁴ where long double has 64 bits of mantissa, 2⁻⁵³ where it is a double (Windows).
OWN_ROUNDOFF = float(np.finfo(LONG).eps) / 2


@dataclass(frozen=True, slots=True)
class Fault:
    """One element that is wrong, as a person wants to read it."""

    array: str
    position: int
    what: str

    def __str__(self) -> str:
        return f"{self.array}[{self.position}]: {self.what}" if self.position >= 0 else f"{self.array}: {self.what}"


# NumPy has neither: the bits of a bfloat16, and two 8-bit integers that are a complex number.
BF16 = np.dtype([("bf16", np.uint16)])
CI8 = np.dtype([("re", np.int8), ("im", np.int8)])


def is_complex(dtype: npt.DTypeLike) -> bool:
    return np.dtype(dtype).kind == "c" or dtype == CI8


def is_float(dtype: npt.DTypeLike) -> bool:
    """Floating-point, real or complex: such an element may be NaN."""
    return np.dtype(dtype).kind in "fc" or dtype == BF16


def real_dtype(dtype: npt.DTypeLike) -> np.dtype[Any]:
    """The real type that holds one component."""
    return np.empty(0, dtype).real.dtype


def roundoff(dtype: npt.DTypeLike) -> float:
    """Unit roundoff u of an element type: half the spacing at 1."""
    return 2.0**-8 if dtype == BF16 else float(np.finfo(real_dtype(dtype)).eps) / 2


def smallest(dtype: npt.DTypeLike) -> float:
    """Smallest normal number: what one flushed or inexact underflow can cost."""
    return float(np.finfo(np.float32 if dtype == BF16 else real_dtype(dtype)).tiny)


def from_bfloat16(bits: Array) -> Array:
    """bfloat16 is the upper half of a float."""
    return np.ascontiguousarray(bits["bf16"].astype(np.uint32) << 16).view(np.float32)


def to_bfloat16(values: Array) -> Array:
    """Rounded to nearest, ties to even; NaN stays NaN."""
    single = np.ascontiguousarray(values, np.float32)
    bits = single.view(np.uint32)
    rounded = (bits + 0x7FFF + (bits >> 16 & 1)) >> 16
    half = np.where(np.isnan(single), bits >> 16 | 0x40, rounded).astype(np.uint16)
    return half.view(BF16)


def to_elements(values: Any, dtype: npt.DTypeLike) -> Array:
    """Numbers as elements of a type, those that NumPy does not have included."""
    array = np.asarray(values)
    if dtype == BF16:
        return to_bfloat16(array.real).reshape(array.shape)
    if dtype == CI8:
        found = np.empty(array.shape, CI8)
        found["re"], found["im"] = array.real, array.imag
        return found
    return array.astype(dtype)


def gamma(k: int, u: float) -> float:
    """Higham's γ_k, with the oracle's own roundings added."""
    if k * u >= 1:
        return float("inf")
    return k * u / (1 - k * u) + k * OWN_ROUNDOFF


def growth(terms: int, dtype: npt.DTypeLike) -> float:
    """γ for a sum of `terms` products in an element type; a complex product counts twice and its own addition once."""
    count = 2 * terms + 2 if is_complex(dtype) else terms + 1
    return gamma(count, roundoff(dtype))


def wide(values: Array | complex | np.generic) -> Array:
    """The same values in long double, or complex long double."""
    array = np.asarray(values)
    if array.dtype == BF16:
        return from_bfloat16(array).astype(LONG)
    if array.dtype == CI8:
        return np.asarray(array["re"].astype(LONG) + 1j * array["im"].astype(LONG))
    return array.astype(CLONG if array.dtype.kind == "c" else LONG)


def size1(values: Array) -> Array:
    """|Re| + |Im| in long double: the modulus that bounds are made of."""
    array = np.asarray(values)
    if array.dtype.kind == "V":
        array = wide(array)
    if array.dtype.kind == "c":
        return np.asarray(np.abs(array.real).astype(LONG) + np.abs(array.imag).astype(LONG))
    return np.asarray(np.abs(array).astype(LONG))


class Claim:
    """Base of all claims: `touches` tells which elements it speaks about, `faults` judges them after the call."""

    def touches(self) -> Mapping[str, Index]:
        raise NotImplementedError

    def faults(self, after: Arrays) -> list[Fault]:
        raise NotImplementedError

    def error(self, after: Arrays) -> float:
        """Largest error as a fraction of its bound, for reports; 0 where a claim has no such measure."""
        return 0.0


@dataclass(frozen=True, slots=True)
class Expected(Claim):
    """Elements `index` of `array` must be `values` within `bound` (complex bound: real and imaginary part apart).

    Bound 0 means the same number, an infinite bound that nothing is promised. Where `values` is NaN the result must
    be NaN; an infinite value must come out as it is. In complex arithmetic an element that is not finite must stay
    not finite: how NaN and Inf spread over its two parts depends on the order of operations, and no BLAS promises
    one."""

    array: str
    index: Index
    values: Array
    bound: Array

    def touches(self) -> Mapping[str, Index]:
        return {self.array: self.index}

    def _parts(self, after: Arrays) -> list[tuple[Array, Array, Array, Array]]:
        """(index, wanted, got, bound) of each component, flat, where a promise exists."""
        got = after[self.array][self.index]
        if got.dtype.kind == "V":
            got = wide(got)
        want, bound = np.broadcast_arrays(self.values, self.bound)
        if got.dtype.kind != "c":
            return [(self.index.ravel(), want.ravel(), got.ravel(), bound.ravel())]
        split = bound.dtype.kind == "c"
        lost = ~(np.isfinite(want.real) & np.isfinite(want.imag)).ravel()
        free = np.isinf(bound.real).ravel()
        parts = []
        broken = lost & ~free
        if broken.any():  # judged as one: some part must not be finite
            stays = np.where(np.isfinite(got.real) & np.isfinite(got.imag), 0.0, np.nan).ravel()
            nothing = np.zeros(int(broken.sum()))
            parts.append((self.index.ravel()[broken], nothing + np.nan, stays[broken], nothing))
        keep = ~lost
        for w, g, b in ((want.real, got.real, bound.real), (want.imag, got.imag, bound.imag if split else bound)):
            parts.append((self.index.ravel()[keep], w.ravel()[keep], g.ravel()[keep], b.ravel()[keep]))
        return parts

    def faults(self, after: Arrays) -> list[Fault]:
        found: list[Fault] = []
        with np.errstate(all="ignore"):
            for index, want, got, bound in self._parts(after):
                wrong = np.flatnonzero(_wrong(want, got, bound))
                found += [Fault(self.array, int(index[i]), _tell(want[i], got[i], bound[i])) for i in wrong[:4]]
        return found

    def error(self, after: Arrays) -> float:
        worst = 0.0
        with np.errstate(all="ignore"):
            for _, want, got, bound in self._parts(after):
                if want.dtype.kind not in "fc":
                    continue
                ratio = np.abs(got - want) / bound
                ratio = ratio[np.isfinite(ratio)]
                worst = max(worst, float(ratio.max(initial=0.0)))
        return worst


def _wrong(want: Array, got: Array, bound: Array) -> Array:
    if want.dtype.kind in "iu":
        return np.asarray((got != want) & ~np.isinf(np.asarray(bound, dtype=np.float64)))
    difference = np.abs(got.astype(want.dtype) - want)
    missed = ~(difference <= bound)  # NaN in either makes it true
    settled = (np.isnan(want) & np.isnan(got)) | (np.isinf(want) & (got == want))
    # A finite value whose bound was spoilt by a NaN or Inf of another operand carries no promise.
    free = np.isinf(bound) | np.isnan(bound)
    return np.asarray(missed & ~settled & ~free)


def _tell(want: Any, got: Any, bound: Any) -> str:
    if isinstance(want, np.integer):
        return f"expected {int(want)}, got {int(got)}"
    if np.isnan(want):
        return f"expected NaN or Inf to stay, got {float(got):.9g}"
    return f"expected {float(want):.9g}, got {float(got):.9g}" + (f" (error bound {float(bound):.2g})" if bound else "")


@dataclass(frozen=True, slots=True)
class Residual(Claim):
    """A solve: elements `index` of `array`, the solution X, must satisfy |R(X)| ≤ bound(X); both come from `measure`.

    `values` is the solution by substitution in long double: where it is NaN or infinite the answer must not be finite.
    `free` marks elements about which nothing is promised (the rest of a column that holds a NaN: how far it spreads
    inside a block is an implementation's choice).
    """

    array: str
    index: Index
    measure: Callable[[Array], tuple[Array, Array]]
    values: Array
    free: Array

    @property
    def nan(self) -> Array:
        return ~np.isfinite(self.values) & ~self.free

    def touches(self) -> Mapping[str, Index]:
        return {self.array: self.index}

    def _sizes(self, after: Arrays) -> tuple[Array, Array, Array]:
        got = after[self.array][self.index]
        residual, bound = self.measure(wide(np.where(self.free | self.nan, 0, got)))
        return got, size1(residual), bound

    def faults(self, after: Arrays) -> list[Fault]:
        with np.errstate(all="ignore"):
            got, residual, bound = self._sizes(after)
            judged = ~(self.free | self.nan)
            wrong = judged & (~(residual <= bound) | ~np.isfinite(got))
            lost = self.nan & np.isfinite(got)
        found = [
            Fault(
                self.array,
                int(self.index[tuple(p)]),
                f"residual {float(residual[tuple(p)]):.3g}, bound {float(bound[tuple(p)]):.2g}",
            )
            for p in np.argwhere(wrong)[:4]
        ]
        return found + [
            Fault(self.array, int(self.index[tuple(p)]), f"expected NaN or Inf to stay, got {got[tuple(p)]}")
            for p in np.argwhere(lost)[:4]
        ]

    def error(self, after: Arrays) -> float:
        with np.errstate(all="ignore"):
            _, residual, bound = self._sizes(after)
            ratio = residual / bound
            ratio = ratio[np.isfinite(ratio) & ~self.free & ~self.nan]
        return float(ratio.max(initial=0.0))


@dataclass(frozen=True, slots=True)
class Relation(Claim):
    """Something that must hold between several arrays: `holds` returns what is wrong, or nothing."""

    elements: Mapping[str, Index]
    holds: Callable[[Arrays], Sequence[str]]

    def touches(self) -> Mapping[str, Index]:
        return self.elements

    def faults(self, after: Arrays) -> list[Fault]:
        with np.errstate(all="ignore"):
            return [Fault("/".join(self.elements), -1, text) for text in self.holds(after)]


@dataclass(frozen=True, slots=True)
class Verdict:
    """Outcome of one call: what is wrong, and how close the numbers came to their bounds."""

    faults: tuple[Fault, ...] = ()
    error: float = 0.0
    untouched: tuple[Fault, ...] = field(default=())

    @property
    def ok(self) -> bool:
        return not self.faults and not self.untouched


def judge(claims: Sequence[Claim], before: Arrays, after: Arrays) -> Verdict:
    """Judge all claims, then that every element no claim speaks about kept its bits."""
    faults = [f for claim in claims for f in claim.faults(after)]
    strays: list[Fault] = []
    for name, old in before.items():
        new = after[name]
        same = old.view(np.uint8).reshape(-1, old.itemsize) == new.view(np.uint8).reshape(-1, new.itemsize)
        kept = same.all(axis=1)
        for claim in claims:
            kept[claim.touches().get(name, _NONE).ravel()] = True
        strays += [
            Fault(name, int(i), f"must stay untouched, was {old[i]}, is {new[i]}") for i in np.flatnonzero(~kept)[:4]
        ]
    error = 0.0 if faults else max((c.error(after) for c in claims), default=0.0)
    return Verdict(tuple(faults), error, tuple(strays))


_NONE: Index = np.zeros(0, np.int64)
