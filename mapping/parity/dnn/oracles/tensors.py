"""Operations on whole tensors: element-wise, reductions, layouts with padding and folding."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...oracles.claims import OWN_ROUNDOFF, Array, gamma
from ..running import INF, Real


def op_tensor(a: Real, b: Real, op: str, propagate: bool) -> Real:
    """op(A, B), B broadcast where it has one element: one rounding, or none for a choice.

    Without NaN propagation the smaller or larger of a number and a NaN is the number."""
    if op == "add":
        return a + b
    if op == "mul":
        return a * b
    if op == "sqrt":
        return a.sqrt()
    if op == "not":
        return 1 - a
    with np.errstate(invalid="ignore"):
        pick = (np.minimum, np.maximum) if propagate else (np.fmin, np.fmax)
        v = pick[op == "max"](a.v, b.v)
    return Real(v, np.maximum(a.e, b.e), a.u)


def reduced_axes(dims: Sequence[int], kept: Sequence[int]) -> tuple[int, ...]:
    return tuple(i for i, (d, k) in enumerate(zip(dims, kept, strict=True)) if k == 1 and d != 1)


def reduce(x: Real, axes: tuple[int, ...], op: str, propagate: bool) -> Real:
    """One value for each group of n.

    Sums: γ_n·Σ|x|, and a division (avg) or a square root (norm2, over n squares) behind. Products: γ_n·|∏|, in any order.
    Minimum, maximum and largest size choose one: no error. Without propagation they pass over NaN; a group of NaN alone
    carries no promise."""
    n = int(np.prod([x.shape[a] for a in axes], dtype=np.int64))
    if op in ("add", "avg", "norm1", "norm2"):
        if not axes:
            return x.abs() if op in ("norm1", "norm2") else x
        if op == "norm2":
            return (x * x).sum(axes, keepdims=True).sqrt()
        total = (x.abs() if op == "norm1" else x).sum(axes, keepdims=True)
        return total / n if op == "avg" else total
    with np.errstate(invalid="ignore", over="ignore"):
        if op in ("mul", "mul_no_zeros"):
            factors = np.where(x.v == 0, 1, x.v) if op == "mul_no_zeros" else x.v
            v = factors.prod(axis=axes, keepdims=True) if axes else factors
            loose = Real(v, (gamma(n, x.u) + n * OWN_ROUNDOFF) * np.abs(v), x.u)
            # Nothing but zeros: a product of nothing.
            zeros = (x.v == 0).all(axis=axes, keepdims=True) if axes else x.v == 0
            return loose.free(zeros & (op == "mul_no_zeros"))
        size = np.abs(x.v) if op == "amax" else x.v
        nan = np.isnan(size)
        low = op == "min"
        filled = np.where(nan, INF if low else -INF, size)
        v = (filled.min if low else filled.max)(axis=axes, keepdims=True) if axes else filled
        some, every = (nan.any(axis=axes, keepdims=True), nan.all(axis=axes, keepdims=True)) if axes else (nan, nan)
        if propagate:
            return Real(np.where(some, np.nan, v), 0, x.u)
        return Real(v, 0, x.u).free(every)


def indices(x: Array, axes: tuple[int, ...], op: str, ties: str) -> tuple[Array, Array]:
    """(place of the chosen element within the reduced axes, mask of what is not promised).

    A NaN leaves its group open; of several equal ones `first` or `last` counts, or nothing is promised."""
    size = np.abs(x) if op == "amax" else x
    kept = [a for a in range(x.ndim) if a not in axes]
    flat = size.transpose([*kept, *axes]).reshape([*(x.shape[a] for a in kept), -1])
    with np.errstate(invalid="ignore"):
        best = (flat.min if op == "min" else flat.max)(axis=-1, keepdims=True)
        hits = flat == best
    place = np.arange(flat.shape[-1])
    last, first = np.where(hits, place, -1).max(axis=-1), np.where(hits, place, flat.shape[-1]).min(axis=-1)
    found = last if ties == "last" else first
    open_ = np.isnan(flat).any(axis=-1) | ((hits.sum(axis=-1) > 1) & (ties == "open"))
    shape = [1 if a in axes else x.shape[a] for a in range(x.ndim)]
    return found.reshape(shape), np.asarray(open_.reshape(shape))


def padded(x: Array, before: Sequence[int], after: Sequence[int]) -> Array:
    """Zeros around."""
    return np.pad(x, list(zip(before, after, strict=True)))


def folded(x: Array, fold: Sequence[int], order: str) -> Array:
    """Every fold[i] neighbours of spatial dimension i become channels; zeros fill what is missing at the end.

    `order` is a corner: whether a channel's parts lie together (`inner`) or all channels of one part do (`outer`)."""
    n, c, *spatial = x.shape
    full = [-(-d // f) * f for d, f in zip(spatial, fold, strict=True)]
    x = np.pad(x, [(0, 0), (0, 0), *((0, want - d) for want, d in zip(full, spatial, strict=True))])
    split: list[int] = [n, c]
    for want, f in zip(full, fold, strict=True):
        split += [want // f, f]
    parts = x.reshape(split)
    outer = [2 + 2 * i for i in range(len(fold))]
    inner = [3 + 2 * i for i in range(len(fold))]
    channels = [1, *inner] if order == "inner" else [*inner, 1]
    shape = [n, -1, *[w // f for w, f in zip(full, fold, strict=True)]]
    return np.asarray(parts.transpose([0, *channels, *outer]).reshape(shape))


def unfolded(x: Array, fold: Sequence[int], order: str) -> Array:
    """The way back: channels become neighbours."""
    n, c, *spatial = x.shape
    parts = int(np.prod(fold))
    axes = len(fold)
    if order == "inner":
        split, channel, inner = [n, c // parts, *fold, *spatial], 1, [2 + i for i in range(axes)]
    else:
        split, channel, inner = [n, *fold, c // parts, *spatial], 1 + axes, [1 + i for i in range(axes)]
    apart = x.reshape(split)
    outer = [2 + axes + i for i in range(axes)]
    mixed = [axis for pair in zip(outer, inner, strict=True) for axis in pair]
    shape = [n, c // parts, *[d * f for d, f in zip(spatial, fold, strict=True)]]
    return np.asarray(apart.transpose([0, channel, *mixed]).reshape(shape))
