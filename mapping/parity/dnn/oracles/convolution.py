"""Convolution in all directions, by loops over filter taps.

Every result is a sum of n products, in any order: γ_{n+1}·Σ|·||·|. n is C/g·∏taps forward, K/g·∏taps for the data gradient,
N·∏outputs for the filter gradient and the bias. `transformed` says what algorithms cost that compute in another basis."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...oracles.claims import LONG, Array, gamma
from ..running import Real
from .windows import Tap, Window


def _axes(x: Array) -> tuple[Array, Array]:
    return np.arange(x.shape[0]), np.arange(x.shape[1])


def _tap(w: Array, tap: tuple[int, ...], mode: str) -> Array:
    """The weights of one tap; a true convolution reads the filter backwards."""
    if mode == "convolution":
        tap = tuple(n - 1 - t for n, t in zip(w.shape[2:], tap, strict=True))
    at: Any = (slice(None), slice(None), *tap)
    return np.asarray(w[at])


def _grouped(x: Array, groups: int) -> Array:
    """(N, C, …) as (N, g, C/g, positions)."""
    return x.reshape(x.shape[0], groups, x.shape[1] // groups, -1)


def _weights(w: Array, groups: int) -> Array:
    """(K, C/g) as (g, K/g, C/g)."""
    return w.reshape(groups, w.shape[0] // groups, w.shape[1])


def _read(x: Array, tap: Tap, which: str) -> Array:
    return np.asarray(x[tap.at(which, *_axes(x))])


def forward(x: Real, w: Real, window: Window, groups: int, mode: str) -> Real:
    """y[n, k, p] = Σ_{c, t} x[n, c, p·stride − pad + t·dilation] · w[k, c, t]."""
    output = window.output(x.shape[2:])
    shape = (x.shape[0], w.shape[0], *output)
    v, size, brought = (np.zeros(shape, LONG) for _ in range(3))
    with np.errstate(invalid="ignore"):
        for place, tap in window.taps(x.shape[2:], output):
            if tap.empty:
                continue
            at = tap.at("output", *_axes(v))
            for total, left, right in _terms(x, w, v, size, brought):
                a = _grouped(_read(left, tap, "input"), groups)
                b = _weights(_tap(right, place, mode), groups)
                total[at] += np.einsum("ngcp,gkc->ngkp", a, b).reshape(total[at].shape)
    n = w.shape[1] * int(np.prod(window.size))
    # A weight that is not finite and meets only padding: multiplied by 0 or left out.
    lost = _unfinite(w.v, tuple(range(1, w.v.ndim)))
    loose = np.isfinite(v) & lost.reshape(-1, *[1] * len(output))
    return _summed(v, size, brought, n, x.u).free(loose)


def backward_data(dy: Real, w: Real, window: Window, groups: int, mode: str, spatial: Sequence[int]) -> Real:
    """dx[n, c, i] = Σ over the outputs p and taps t that read it of dy[n, k, p] · w[k, c, t]."""
    shape = (dy.shape[0], w.shape[1] * groups, *spatial)
    v, size, brought = (np.zeros(shape, LONG) for _ in range(3))
    with np.errstate(invalid="ignore"):
        for place, tap in window.taps(spatial, dy.shape[2:]):
            if tap.empty:
                continue
            at = tap.at("input", *_axes(v))
            for total, left, right in _terms(dy, w, v, size, brought):
                a = _grouped(_read(left, tap, "output"), groups)
                b = _weights(_tap(right, place, mode), groups)
                total[at] += np.einsum("ngkp,gkc->ngcp", a, b).reshape(total[at].shape)
    n = w.shape[0] // groups * int(np.prod(window.size))
    lost = _unfinite(w.v, tuple(range(2, w.v.ndim)))  # (K, C/g)
    reached = np.asarray(lost.reshape(groups, -1, w.shape[1]).any(axis=1))
    loose = np.isfinite(v) & reached.reshape(-1, *[1] * len(shape[2:]))
    return _summed(v, size, brought, n, dy.u).free(loose)


def backward_filter(x: Real, dy: Real, window: Window, groups: int, mode: str) -> Real:
    """dw[k, c, t] = Σ_{n, p} x[n, c, p·stride − pad + t·dilation] · dy[n, k, p]."""
    k, c = dy.shape[1], x.shape[1] // groups
    shape = (k, c, *window.size)
    v, size, brought = (np.zeros(shape, LONG) for _ in range(3))
    with np.errstate(invalid="ignore"):
        for place, tap in window.taps(x.shape[2:], dy.shape[2:]):
            if tap.empty:
                continue
            if mode == "convolution":
                place = tuple(n - 1 - t for n, t in zip(window.size, place, strict=True))
            at: Any = (slice(None), slice(None), *place)
            for total, left, right in _terms(x, dy, v, size, brought):
                a = _grouped(_read(left, tap, "input"), groups)
                b = _grouped(_read(right, tap, "output"), groups)
                total[at] += np.einsum("ngcp,ngkp->gkc", a, b).reshape(k, c)
    n = dy.shape[0] * int(np.prod(dy.shape[2:]))
    lost = _unfinite(dy.v, (0, *range(2, dy.v.ndim)))
    loose = np.isfinite(v) & lost.reshape(-1, 1, *[1] * len(window.size))
    return _summed(v, size, brought, n, x.u).free(loose)


def backward_bias(dy: Real) -> Real:
    """db[k] = Σ_{n, p} dy[n, k, p], as a tensor of one in all other dimensions."""
    axes = (0, *range(2, len(dy.shape)))
    return dy.sum(axes, keepdims=True)


def _terms(a: Real, b: Real, v: Array, size: Array, brought: Array) -> list[tuple[Array, Array, Array]]:
    """The three sums that a bound needs: of the products, of their sizes, of what the operands' errors bring."""
    left, right = np.abs(a.v), np.abs(b.v)
    terms = [(v, a.v, b.v), (size, left, right)]
    if a.e.any():
        terms.append((brought, a.e, right + b.e))
    if b.e.any():
        terms.append((brought, left, b.e))
    return terms


def _unfinite(x: Array, axes: tuple[int, ...]) -> Array:
    return np.asarray((~np.isfinite(x)).any(axis=axes))


def _summed(v: Array, size: Array, brought: Array, n: int, u: float) -> Real:
    return Real(v, brought + gamma(n + 1, u) * (size + brought), u)


def transformed(result: Real, a: Real, b: Real, algorithm: str, terms: int) -> Real:
    """What an algorithm adds that works in a transformed basis; its error is bounded by norms, not element by element.

    Winograd's F(4×4, 3×3) with the points 0, ±1, ±2 multiplies errors by at most max|Aᵀ|(|G||Bᵀ|) = 48 in each dimension:
    48²·γ_{n+24}·n·max|a|·max|b| (as the forward analysis of Barabasz et al., 2020, for each transform's row sums; smaller
    tiles amplify less). An FFT of size L in arithmetic of roundoff u has a relative error of 6u·log₂L in the 2-norm (Higham,
    chapter 24); three of them with L ≤ 2¹²: 216u·‖a‖₂·‖b‖₂."""
    if algorithm == "direct":
        return result
    with np.errstate(invalid="ignore"):
        left, right = (np.where(np.isfinite(r.v), np.abs(r.v), 0) for r in (a, b))
        if algorithm == "winograd":
            more = 48**2 * gamma(terms + 24, result.u) * terms * left.max(initial=0) * right.max(initial=0)
        else:
            norms = [np.sqrt(np.einsum("i,i->", part.ravel(), part.ravel())) for part in (left, right)]
            more = 216 * result.u * norms[0] * norms[1]
        spoilt = not (np.isfinite(a.v).all() and np.isfinite(b.v).all())
        loose = Real(result.v, result.e + more, result.u)
    # A NaN or Inf reaches other elements through the transform; where the definition gives one, none may be finite.
    return loose.free(np.isfinite(result.v)) if spoilt else loose


def columns(x: Array, window: Window, mode: str, order: str) -> Array:
    """im2col: what each output reads, as a matrix. `order` names its axes from slowest to fastest."""
    output = window.output(x.shape[2:])
    n, c = x.shape[:2]
    found = np.zeros((n, c, *window.size, *output), x.dtype)
    for place, tap in window.taps(x.shape[2:], output):
        if tap.empty:
            continue
        if mode == "convolution":
            place = tuple(k - 1 - t for k, t in zip(window.size, place, strict=True))
        part = np.zeros((n, c, *output), x.dtype)
        part[tap.at("output", *_axes(part))] = _read(x, tap, "input")
        at: Any = (slice(None), slice(None), *place)
        found[at] = part
    axes = len(output)
    images, channels = [0], [1]
    taps, places = list(range(2, 2 + axes)), list(range(2 + axes, 2 + 2 * axes))
    orders = {
        "crs,npq": channels + taps + images + places,
        "npq,crs": images + places + channels + taps,
        "n,crs,pq": images + channels + taps + places,
        "rsc,npq": taps + channels + images + places,
        "npq,rsc": images + places + taps + channels,
    }
    return np.ascontiguousarray(found.transpose(orders[order])).ravel()
