"""Batch normalisation: per activation (over N) or per channel (over N and space), for inference, training and backward."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...oracles.claims import gamma
from ..running import Real


def axes(mode: str, dims: int) -> tuple[int, ...]:
    """What the statistics are taken over; all but `per_activation` mean N and the spatial dimensions."""
    return (0,) if mode == "per_activation" else (0, *range(2, dims))


@dataclass(frozen=True, slots=True)
class Statistics:
    mean: Real
    variance: Real  # divided by n
    count: int

    def inverse(self, epsilon: float) -> Real:
        """1 / √(var + ε)."""
        return 1 / (self.variance + epsilon).sqrt()


def statistics(x: Real, mode: str) -> Statistics:
    """Mean and variance of each group of n.

    The mean is a sum of n and a division. The variance may be taken in one pass, E[x²] − mean², which cancels: beside the
    two-pass error its bound has 2γ_{n+4}·E[x²] (Higham, section 1.9)."""
    over = axes(mode, len(x.shape))
    n = int(np.prod([x.shape[a] for a in over]))
    mean = x.sum(over, keepdims=True) / n
    apart = x - mean
    variance = (apart * apart).sum(over, keepdims=True) / n
    squares = (x * x).sum(over, keepdims=True) / n
    with np.errstate(invalid="ignore"):
        once = variance.e + 2 * gamma(n + 4, x.u) * np.abs(squares.v)
    return Statistics(mean, Real(variance.v, once, x.u), n)


def normed(x: Real, mean: Real, inverse: Real, scale: Real, bias: Real) -> Real:
    """scale·(x − mean)·inverse + bias.

    A library may fold this to x·(scale·inverse) + (bias − mean·scale·inverse), which does not subtract first: one rounding
    of |mean·scale·inverse| more, three in all."""
    result = (x - mean) * inverse * scale + bias
    with np.errstate(invalid="ignore"):
        size = np.abs(mean.v * inverse.v * scale.v) + np.abs(x.v * inverse.v * scale.v)
        return Real(result.v, result.e + 3 * x.u * size, x.u)


def running(old: Real, new: Real, factor: float) -> Real:
    """(1 − factor)·old + factor·new; whether an old value of weight 0 is read is a library's choice."""
    return (old * (1 - factor) + new * factor).free((factor == 1) & ~np.isfinite(old.v))


def unbiased(variance: Real, n: int) -> Real:
    """n / (n − 1) · variance. A single value has none: nothing is promised."""
    if n == 1:
        return variance.free(np.ones(variance.shape, bool))
    return variance * (Real(np.asarray(n / (n - 1)), 4 * variance.u * n / (n - 1), variance.u))


@dataclass(frozen=True, slots=True)
class Gradients:
    x: Real
    scale: Real
    bias: Real


def backward(x: Real, dy: Real, scale: Real, mean: Real, inverse: Real, mode: str) -> Gradients:
    """Gradients of training's forward; x̂ = (x − mean)·inverse.

    dbias = Σ dy, dscale = Σ dy·x̂, dx = scale·inverse·(dy − dbias/n − x̂·dscale/n): two sums of n products, and products.
    dscale may be summed as (Σ dy·x − mean·Σ dy)·inverse, which subtracts at the end: γ_{n+4} of both parts more."""
    over = axes(mode, len(x.shape))
    n = int(np.prod([x.shape[a] for a in over]))
    hat = (x - mean) * inverse
    bias = dy.sum(over, keepdims=True)
    scaling = (dy * hat).sum(over, keepdims=True)
    with np.errstate(invalid="ignore"):
        parts = (np.abs(dy.v) * (np.abs(x.v) + np.abs(mean.v))).sum(axis=over, keepdims=True) * np.abs(inverse.v)
        scaling = Real(scaling.v, scaling.e + gamma(n + 4, x.u) * parts, x.u)
    inner = dy - bias / n - hat * (scaling / n)
    return Gradients(scale * inverse * inner, scaling, bias)
