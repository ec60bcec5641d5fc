"""Local response normalisation across channels, and divisive normalisation across a spatial neighbourhood.

Both divide by (k + α/n·Σ t²)^β over a window of n elements. The bound follows the formula: a sum of squares, a power by
logarithm and exponential, a product (`running`)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...oracles.claims import LONG, gamma
from ..running import Real


@dataclass(frozen=True, slots=True)
class Strength:
    """Parameters of the descriptor: window width, α, β, k."""

    n: int
    alpha: float
    beta: float
    k: float


def spans(n: int, even: str) -> tuple[int, int]:
    """(elements before, elements behind) the centre; an even window has one more `behind` or `before`."""
    return ((n - 1) // 2, n // 2) if even == "behind" else (n // 2, (n - 1) // 2)


def _window(x: Real, axis: int, before: int, behind: int) -> Real:
    """Sums over i − before … i + behind along one axis, cut off at the ends: γ of the window's width."""
    size = x.shape[axis]
    v, bound, brought = np.zeros(x.shape, LONG), np.zeros(x.shape, LONG), np.zeros(x.shape, LONG)
    for step in range(-before, behind + 1):
        to = _slice(len(x.shape), axis, max(0, -step), min(size, size - step))
        source = _slice(len(x.shape), axis, max(0, step), min(size, size + step))
        if max(0, -step) >= min(size, size - step):
            continue
        v[to] += x.v[source]
        bound[to] += np.abs(x.v[source])
        brought[to] += x.e[source]
    return Real(v, brought + gamma(before + behind + 1, x.u) * (bound + brought), x.u)


def _slice(axes: int, axis: int, start: int, stop: int) -> tuple[slice, ...]:
    return tuple(slice(start, stop) if a == axis else slice(None) for a in range(axes))


def _over(x: Real, axes: tuple[int, ...], before: int, behind: int) -> Real:
    for axis in axes:
        x = _window(x, axis, before, behind)
    return x


def forward(x: Real, p: Strength, even: str = "behind") -> Real:
    """y = x / (k + α/n·Σ x²)^β over n channels."""
    before, behind = spans(p.n, even)
    return x * _scale(x, p, (1,), before, behind).power(-p.beta)


def _scale(t: Real, p: Strength, axes: tuple[int, ...], before: int, behind: int) -> Real:
    count = p.n ** len(axes)
    return _over(t * t, axes, before, behind) * _ratio(p.alpha / count, t) + p.k


def _ratio(value: float, like: Real) -> Real:
    """α/n as computed: a division of rounded numbers."""
    return Real(np.asarray(value), abs(value) * 4 * like.u, like.u)


def backward(x: Real, y: Real, dy: Real, p: Strength, even: str = "behind") -> Real:
    """dx[c] = dy[c]·S[c]^−β − 2αβ/n·x[c]·Σ dy[u]·y[u]/S[u] over the channels u whose window holds c. y carries its rounding."""
    before, behind = spans(p.n, even)
    scale = _scale(x, p, (1,), before, behind)
    through = _window(dy * y / scale, 1, behind, before)
    return dy * scale.power(-p.beta) - x * through * _ratio(2 * p.alpha * p.beta / p.n, x)


def _divisor(x: Real, means: Real | None, p: Strength, even: str) -> Real:
    """k + α/n^d·Σ (x[j] − means[i])² over the window of i: the centre's mean goes off all of it, as an H200 answers (the manual
    shows none of this). A library may expand the square, so the bound is that of its three sums."""
    axes = tuple(range(2, len(x.shape)))
    before, behind = spans(p.n, even)
    squares = _over(x * x, axes, before, behind)
    if means is not None:
        ones = Real(np.ones(x.shape), 0, x.u)
        squares = (
            squares - means * _over(x, axes, before, behind) * 2 + means * means * _over(ones, axes, before, behind)
        )
    return squares * _ratio(p.alpha / p.n ** len(axes), x) + p.k


def divisive_forward(x: Real, means: Real | None, p: Strength, even: str = "behind") -> Real:
    """y = x / (k + α/n^d·Σ (x − means)²)^β over n elements in each of d spatial dimensions."""
    return x * _divisor(x, means, p, even).power(-p.beta)


def divisive_backward(x: Real, means: Real | None, dy: Real, p: Strength, even: str = "behind") -> tuple[Real, Real]:
    """(dx, dmeans) of the same formula; with an even window an H200 sums dx over the window that an element has, not over the
    windows that have it."""
    axes = tuple(range(2, len(x.shape)))
    before, behind = spans(p.n, even)
    divisor = _divisor(x, means, p, even)
    factor = _ratio(2 * p.alpha * p.beta / p.n ** len(axes), x)
    through = dy * x * divisor.power(-p.beta - 1)
    spread = x * _over(through, axes, before, behind)
    centred = _over(x, axes, before, behind)
    if means is not None:
        spread = spread - _over(through * means, axes, before, behind)
        ones = Real(np.ones(x.shape), 0, x.u)
        centred = centred - means * _over(ones, axes, before, behind)
    return dy * divisor.power(-p.beta) - spread * factor, through * centred * factor
