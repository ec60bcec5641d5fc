"""Activations and their derivatives, element by element."""

from __future__ import annotations

import numpy as np

from ..running import Real, constant, exact, where


def forward(x: Real, mode: str, coef: float, slope: float, propagate: bool, clipped_nan: str = "open") -> Real:
    """One element each, so the bound is that of its formula (`running`).

    ReLU and clipped ReLU choose between x and a constant: no error. ReLU of a NaN is 0 unless NaN propagates; what clipped
    ReLU makes of one is a corner. `slope` is swish's."""
    if mode == "identity":
        return x
    if mode == "sigmoid":
        return x.sigmoid()
    if mode == "tanh":
        return x.tanh()
    if mode == "swish":
        # −∞ · 0: a NaN by the formula, 0 by the limit.
        return (x * (x * slope).sigmoid()).free(np.isinf(x.v))
    nan = np.isnan(x.v)
    if mode == "elu":
        # Below 0 the exponential cancels against 1: an absolute error.
        return where((x.v > 0) | nan, x, (where(x.v > 0, 0.0, x).exp() - 1) * coef)
    with np.errstate(invalid="ignore"):
        if mode == "relu":
            v = np.where(nan, np.nan if propagate else 0, np.maximum(x.v, 0))
            return Real(v, np.where(nan, 0, x.e), x.u)
        top = constant(coef, x.u)
        v = np.minimum(np.maximum(x.v, 0), top.v)
        if not propagate:
            v = np.where(nan, {"zero": 0.0, "coef": coef}.get(clipped_nan, np.nan), v)
        result = Real(v, np.where(nan, 0, x.e + top.e), x.u)
    return result.free(nan & (clipped_nan == "open") & (not propagate))


def backward(x: Real, y: Real, dy: Real, mode: str, coef: float, slope: float) -> Real:
    """dy times the derivative, from x or from y, as the library likes; y carries its rounding.

    Where the derivative is 0 a gradient that is not finite carries no promise; at clipped ReLU's edges neither derivative is
    wrong."""
    if mode == "identity":
        return dy
    if mode == "sigmoid":
        return dy * (y * (1 - y))
    if mode == "tanh":
        return dy * (1 - y * y)
    if mode == "swish":
        s = (x * slope).sigmoid()
        return dy * (s + (x * slope) * (s * (1 - s)))
    if mode == "elu":
        # where y is 0, at 0 and for a factor of 0, libraries that look at y cannot tell the sides apart
        return where(x.v > 0, dy, dy * (y + coef)).free((y.v == 0) & (x.v <= 0))
    open_ = ~np.isfinite(dy.v)
    if mode == "relu":
        inside = x.v > 0
    else:
        inside = (x.v > 0) & (x.v < coef)
        open_ = open_ | (x.v == coef) | (x.v == 0)
    return where(inside, dy, exact(np.zeros(x.shape), x.u)).free(open_ & ~inside)
