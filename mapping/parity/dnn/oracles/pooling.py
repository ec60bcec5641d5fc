"""Pooling over windows: maximum, and average with or without the padding in its count."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...oracles.claims import LONG, Array, gamma
from ..running import Real, exact
from .windows import Window


def gathered(x: Array, window: Window, output: Sequence[int]) -> tuple[Array, Array]:
    """(values, mask of what is inside the input), with all taps of a window on the last axis."""
    n, c = x.shape[:2]
    shape = (n, c, *output)
    values, masks = [], []
    leading = np.arange(n), np.arange(c)
    for _, tap in window.taps(x.shape[2:], output):
        value = np.zeros(shape, LONG)
        mask = np.zeros(shape, bool)
        if not tap.empty:
            value[tap.at("output", *leading)] = x[tap.at("input", *leading)]
            mask[tap.at("output", *leading)] = True
        values.append(value)
        masks.append(mask)
    return np.stack(values, -1), np.stack(masks, -1)


def forward(x: Real, window: Window, mode: str, propagate: bool, output: Sequence[int]) -> Real:
    """The pooled values.

    A maximum is one of its inputs: no error. Without NaN propagation it passes over NaN; nothing is promised about a window
    of NaN alone. An average is a sum of n ≤ ∏size terms and a division: γ_n·Σ|x|/count + 4u|y| (`running`)."""
    values, inside = gathered(x.v, window, output)
    if mode.startswith("max"):
        numbers = inside & ~np.isnan(values)
        v = np.where(numbers, values, -np.inf).max(-1)
        lost = (inside & np.isnan(values)).any(-1)
        none = ~numbers.any(-1)
        if propagate:
            return Real(np.where(lost, np.nan, v), 0, x.u).free(none & ~lost)
        return Real(v, 0, x.u).free(none)
    total = exact(np.where(inside, values, 0), x.u).sum(-1)
    return total / np.asarray(_count(inside, mode), LONG)


def _count(inside: Array, mode: str) -> Array:
    return np.asarray(inside.shape[-1] if mode == "average_include" else np.maximum(inside.sum(-1), 1))


def backward(x: Real, dy: Real, window: Window, mode: str, ties: str) -> Real:
    """dx: each output's gradient goes to the maximum of its window, or in equal parts to all of it.

    An element may be reached from up to ∏size windows: γ_n over the sizes of what arrives, n = ∏size + 1; the average's
    division costs 4u of each term. `ties` says which of several equal maxima receives the gradient: `first` or `last` in
    row-major order, `all`, or `open`: nothing is promised about them."""
    output = dy.shape[2:]
    n, c = x.shape[:2]
    part: Array
    values, inside = gathered(x.v, window, output)
    total, size, open_ = np.zeros(x.shape, LONG), np.zeros(x.shape, LONG), np.zeros(x.shape, bool)
    if mode.startswith("max"):
        masked = np.where(inside & ~np.isnan(values), values, -np.inf)
        top = inside & (masked == masked.max(-1, keepdims=True))
        share = _chosen(top, ties)
        shaky = top & (top.sum(-1, keepdims=True) > 1) if ties == "open" else np.zeros_like(top)
        part, cost = np.asarray(share, LONG), 0.0
    else:
        count = _count(inside, mode)
        share = inside
        shaky = np.zeros_like(inside)
        part = np.asarray(inside / np.broadcast_to(count, inside.shape[:-1])[..., None].astype(LONG))
        cost = 4 * dy.u
    leading = np.arange(n), np.arange(c)
    with np.errstate(invalid="ignore"):
        for number, (_, tap) in enumerate(window.taps(x.shape[2:], output)):
            if tap.empty:
                continue
            out, into = tap.at("output", *leading), tap.at("input", *leading)
            each = np.where(share[..., number], dy.v * part[..., number], 0)
            total[into] += each[out]
            size[into] += np.abs(each[out])
            # A gradient that is not finite, multiplied by 0 or left out: a library's choice.
            open_[into] |= (shaky[..., number] | (~np.isfinite(dy.v) & ~share[..., number]))[out]
        taps = int(np.prod(window.size))
        return Real(total, (gamma(taps + 1, dy.u) + cost) * size, dy.u).free(open_)


def _chosen(top: Array, ties: str) -> Array:
    if ties == "all":
        return top
    place = np.arange(top.shape[-1])
    if ties == "last":
        return np.asarray(top & (place == np.where(top, place, -1).max(-1, keepdims=True)))
    return np.asarray(top & (place == np.where(top, place, top.shape[-1]).min(-1, keepdims=True)))
