"""Spatial transformer: an affine grid, and bilinear sampling at its points.

Coordinates run from −1 at the first element's centre to 1 at the last one's. Outside the input all is 0."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...oracles.claims import LONG, Array, gamma
from ..running import Real, dot


def targets(height: int, width: int, u: float) -> Real:
    """(H, W, 3): x, y and 1 of each output element; a coordinate costs a division and a subtraction, 8u in all."""
    x = np.linspace(LONG(-1), LONG(1), width) if width > 1 else np.zeros(1, LONG)
    y = np.linspace(LONG(-1), LONG(1), height) if height > 1 else np.zeros(1, LONG)
    grid = np.ones((height, width, 3), LONG)
    grid[..., 0], grid[..., 1] = x[None, :], y[:, None]
    error = np.full(grid.shape, 8 * u, LONG)
    error[..., 2] = 0
    return Real(grid, error, u)


def grid(theta: Real, height: int, width: int) -> Real:
    """(N, H, W, 2): theta · (x, y, 1)."""
    return dot("nij,hwj->nhwi", theta, targets(height, width, theta.u))


def grid_backward(dgrid: Real) -> Real:
    """dtheta: Σ over places of dgrid · (x, y, 1)."""
    height, width = dgrid.shape[1:3]
    return dot("nhwi,hwj->nij", dgrid, targets(height, width, dgrid.u))


@dataclass(frozen=True, slots=True)
class _Corner:
    """One of the four neighbours of each point: row, column, weight, its slopes, and whether it lies inside."""

    row: Array
    column: Array
    weight: Array
    by_x: Array
    by_y: Array
    inside: Array


def _corners(points: Array, height: int, width: int) -> list[_Corner]:
    x, y = (points[..., 0] + 1) / 2 * (width - 1), (points[..., 1] + 1) / 2 * (height - 1)
    left, top = np.floor(x), np.floor(y)
    fx, fy = x - left, y - top
    found = []
    for down in (0, 1):
        for right in (0, 1):
            row, column = (top + down).astype(np.int64), (left + right).astype(np.int64)
            wx, wy = (fx if right else 1 - fx), (fy if down else 1 - fy)
            inside = (row >= 0) & (row < height) & (column >= 0) & (column < width)
            found.append(
                _Corner(
                    np.clip(row, 0, height - 1), np.clip(column, 0, width - 1), wx * wy, (1 if right else -1) * wy,
                    (1 if down else -1) * wx, inside,
                )
            )  # fmt: skip
    return found


def _shaky(points: Array, height: int, width: int, u: float) -> Array:
    """Points that rounding may carry over a cell's edge: there slopes jump."""
    near = np.zeros(points.shape[:-1], bool)
    for axis, size in ((0, width), (1, height)):
        place = (points[..., axis] + 1) / 2 * (size - 1)
        near |= np.abs(place - np.round(place)) <= 8 * u * (np.abs(place) + size)
    return near


def sample(x: Real, points: Array) -> Real:
    """y (N, C, H', W') = Σ over the four neighbours of weight · x.

    A place in the input is right within 6u·size; the interpolation is continuous with a slope of at most 2·max|x| in each
    direction, and is a sum of four products of three factors: γ_8."""
    n, c, height, width = x.shape
    v = np.zeros((n, c, *points.shape[1:3]), LONG)
    size = np.zeros_like(v)
    batch = np.arange(n)[:, None, None]
    for corner in _corners(points, height, width):
        value = np.moveaxis(x.v[batch, :, corner.row, corner.column], -1, 1)
        weight = np.where(corner.inside, corner.weight, 0)[:, None]
        v += value * weight
        size += np.abs(value * weight)
    largest = np.abs(x.v).max(axis=(2, 3), initial=0)[:, :, None, None]
    moved = 6 * x.u * (height + width) * 2 * largest
    return Real(v, gamma(8, x.u) * size + moved, x.u)


def sample_backward(x: Real, points: Array, dy: Real) -> tuple[Real, Real]:
    """(dx, dgrid). Each dy goes to its four neighbours by weight; the grid's gradient is the slope there.

    dx gathers up to H'·W' terms. dgrid is a sum over channels and neighbours, times half the size of the input; where a point
    may fall on a cell's edge it carries no promise."""
    n, c, height, width = x.shape
    u = dy.u
    dx, size = np.zeros(x.shape, LONG), np.zeros(x.shape, LONG)
    slope, bound = np.zeros(points.shape, LONG), np.zeros(points.shape, LONG)
    batch = np.broadcast_to(np.arange(n)[:, None, None], points.shape[:-1])
    arrived = np.moveaxis(dy.v, 1, -1)
    shift = 6 * u * (height + width)
    shaky = _shaky(points, height, width, u)
    for corner in _corners(points, height, width):
        inside = corner.inside
        at: Any = batch[inside], slice(None), corner.row[inside], corner.column[inside]
        part = arrived[inside] * corner.weight[inside][:, None]
        np.add.at(dx, at, part)
        np.add.at(
            size, at, np.abs(part) * gamma(int(np.prod(points.shape[1:3])) + 4, u) + np.abs(arrived[inside]) * 2 * shift
        )
        value = x.v[batch, :, corner.row, corner.column] * arrived
        for axis, by, scale in ((0, corner.by_x, (width - 1) / 2), (1, corner.by_y, (height - 1) / 2)):
            term = np.where(inside[..., None], value * by[..., None] * scale, 0)
            slope[..., axis] += term.sum(axis=-1)
            bound[..., axis] += np.where(inside[..., None], np.abs(value) * scale, 0).sum(axis=-1)
    total = Real(dx, size, u)
    # A point near an edge may send its gradient to one neighbour more: continuous, so within the shift.
    return total, Real(slope, (gamma(4 * c + 6, u) + 2 * shift) * bound, u).free(shaky[..., None])
