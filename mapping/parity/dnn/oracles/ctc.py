"""Connectionist temporal classification: −log of the probability of all alignments, and its gradient.

Label l is spread out to l' = blank, l₁, blank, l₂, … blank; an alignment walks through it, staying, moving on, or skipping a
blank between two different labels. α_t(s) sums the beginnings that end in s at t, β_t(s) the ends that go on from there."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from ...oracles.claims import LONG, Array
from ..running import Real

BLANK = 0


def _extended(label: list[int]) -> list[int]:
    spread = [BLANK]
    for symbol in label:
        spread += [symbol, BLANK]
    return spread


def needed(label: list[int]) -> int:
    """Steps that a label needs at least: one each, and a blank between equal neighbours."""
    return len(label) + sum(a == b for a, b in pairwise(label))


def _walk(p: Array, spread: list[int]) -> Array:
    """α: (T, S)."""
    alpha = np.zeros((len(p), len(spread)), LONG)
    alpha[0, 0] = p[0, BLANK]
    if len(spread) > 1:
        alpha[0, 1] = p[0, spread[1]]
    for t in range(1, len(p)):
        for s, symbol in enumerate(spread):
            total = alpha[t - 1, s]
            if s:
                total = total + alpha[t - 1, s - 1]
            if s > 1 and symbol not in (BLANK, spread[s - 2]):
                total = total + alpha[t - 1, s - 2]
            alpha[t, s] = total * p[t, symbol]
    return alpha


def _alignments(p: Array, label: list[int]) -> tuple[LONG, Array]:
    """(probability of the label, occupancy of each symbol at each step: Σ γ_t(s))."""
    spread = _extended(label)
    alpha = _walk(p, spread)
    back = _walk(p[::-1], spread[::-1])[::-1, ::-1]
    total = alpha[-1, -1] + (alpha[-1, -2] if len(spread) > 1 else 0)
    occupancy = np.zeros(p.shape, LONG)
    for s, symbol in enumerate(spread):
        occupancy[:, symbol] += alpha[:, s] * back[:, s] / (p[:, symbol] * total)
    return total, occupancy


def loss(probabilities: Real, label: list[int], length: int, by: str = "activations") -> tuple[Real, Real]:
    """(cost, gradient) of one sequence; the gradient is (T, A): by the `activations` before softmax, p − occupancy, or by the
    `probabilities` themselves, −occupancy/p (where that is 0 NVIDIA's library leaves p, and nothing is promised).

    Libraries work with logarithms: each of `length` steps adds up to three terms by log Σ exp, an absolute error of 16u and
    2u·L, L the largest |log α| (at most Σ_t max|log p_t|); so a logarithm of α or β is right within length·(16 + 2L)u, and
    the inputs bring their relative errors, once a step. An occupancy is the exponential of a sum of four such logarithms.
    Beyond `length` the gradient is 0."""
    u, p = probabilities.u, probabilities.v[:length]
    total, occupancy = _alignments(p, label)
    with np.errstate(divide="ignore", invalid="ignore"):
        largest = float(np.abs(np.log(p)).max(axis=1).sum()) if length else 0.0
        relative = np.where(p > 0, probabilities.e[:length] / np.where(p > 0, p, 1), 0).max(axis=1).sum()
    walked = length * (16 + 2 * largest) * u + float(relative)
    cost = -np.log(total)
    gradient = np.zeros(probabilities.shape, LONG)
    error = np.zeros(probabilities.shape, LONG)
    if by == "probabilities":
        gradient[:length] = -occupancy / p
        error[:length] = np.where(occupancy > 0, occupancy / p * (np.expm1(4 * walked) + 8 * u), np.inf)
    else:
        gradient[:length] = p - occupancy
        error[:length] = probabilities.e[:length] + occupancy * np.expm1(4 * walked) + 4 * u * (p + occupancy)
    return Real(cost, walked + 4 * u * abs(cost), u), Real(gradient, error, u)
