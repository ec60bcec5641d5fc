"""Softmax over one sample (`instance`) or over the channels at each place (`channel`)."""

from __future__ import annotations

import numpy as np

from ..running import Real


def axes(mode: str, dims: int) -> tuple[int, ...]:
    return tuple(range(1, dims)) if mode == "instance" else (1,)


def forward(x: Real, algorithm: str, mode: str) -> Real:
    """e^x / Σe^x, or x − log Σe^x.

    The bound follows the formula that the algorithm's name stands for: `fast` exponentiates x itself, an error that grows with
    |x|; the others subtract the largest first, one rounding that the exponential multiplies. Then a sum of n and a division
    (or a logarithm). A NaN spoils its whole group."""
    over = axes(mode, len(x.shape))
    if algorithm != "fast":
        with np.errstate(invalid="ignore"):
            x = x - Real(x.v.max(axis=over, keepdims=True), 0, x.u)
    powers = x.exp()
    total = powers.sum(over, keepdims=True)
    return x - total.log() if algorithm == "log" else powers / total


def backward(y: Real, dy: Real, algorithm: str, mode: str) -> Real:
    """y·(dy − Σ y·dy), or dy − e^y·Σ dy for the logarithmic form; sums over the group in any order."""
    over = axes(mode, len(y.shape))
    if algorithm == "log":
        return dy - y.exp() * dy.sum(over, keepdims=True)
    return y * (dy - (y * dy).sum(over, keepdims=True))
