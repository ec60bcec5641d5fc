"""Dropout: a mask that nobody can predict, so it is judged by what every mask must satisfy.

An element comes out as 0 or as x/(1 − p). Of n elements about n·(1 − p) are kept: within six standard deviations, which a right
library misses once in 5·10⁸ cases. Backward passes where forward kept; a descriptor set again with the same seed repeats itself."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..cases import Values
from ..draws import Draw
from ..elements import TYPES, Type
from ..registry import procedure
from ..running import Real, exact
from ..stage import FLOAT, LONG_INT, POINTER, SIZE, Operand, Stage
from .common import set_scaling

_CHAPTER = "Dropout"
_BASE = {"type": "f32", "x": [2, 3, 16, 17], "layout": "packed", "rate": 0.25, "in_place": False, "random": 7}


def _drawn(d: Draw) -> dict[str, Any]:
    return {
        "type": d.type(),
        "x": d.sizes((2, 1, 3), (3, 1, 8), (16, 5, 33), (17, 1, 64)),
        "layout": d.word("packed packed nhwc padded"),
        "rate": d.pick(0.25, 0.5, 0.0, 0.9, 1.0, 0.1),
        "in_place": d.flag(1, 4),
        "random": d.pick(7, 0, 2**40 + 1),
    }


def _set(s: Stage, v: Values) -> tuple[int, Operand | None, int]:
    """A dropout descriptor: (descriptor, states, size). Its states are device memory that the library fills."""
    size = s.size("cudnnDropoutGetStatesSize", sizeInBytes=SIZE)
    return s.create("Dropout"), s.space("states", size), size


def _fill(s: Stage, v: Values, descriptor: int, states: Operand | None, size: int) -> None:
    s.run(
        "cudnnSetDropoutDescriptor", dropoutDesc=descriptor, dropout=v.rate, states=states, stateSizeInBytes=size,
        seed=v.random,
    )  # fmt: skip


def _passed(x: Real, mask: Any, rate: float, type_: Type) -> Real:
    """x/(1 − p) where the mask is set, else 0: two roundings."""
    if rate >= 1:
        return exact(np.zeros(x.shape), x.u)
    scaled = x / (1 - exact(np.float32(rate), x.u))
    return Real(np.where(mask, scaled.v, 0), np.where(mask, scaled.e, 0), x.u).stored(type_)


def plausible(s: Stage, kept: Any, rate: float) -> None:
    n = kept.size
    expected, spread = n * (1 - rate), np.sqrt(n * rate * (1 - rate))
    s.check(abs(int(kept.sum()) - expected) <= 6 * spread + 0.5, f"kept {int(kept.sum())} of {n} with rate {rate}")


@procedure(
    "cudnnDropoutForward", _CHAPTER, _drawn, _BASE, twists="x y", signature="type layout",
    also="cudnnDropoutGetStatesSize cudnnSetDropoutDescriptor cudnnGetDropoutDescriptor cudnnRestoreDropoutDescriptor",
    share=0.6,
)  # fmt: skip
def forward(s: Stage, v: Values) -> None:
    type_ = TYPES[v.type]
    set_scaling(s, type_)
    descriptor, states, size = _set(s, v)
    x = s.tensor("x", type_, v.x, v.layout)
    y = s.tensor("y", type_, v.x, v.layout, io="out", on=x if v.in_place else None)
    again = s.tensor("again", type_, v.x, v.layout, io="out", like=y)
    reserve_size = s.size("cudnnDropoutGetReserveSpaceSize", xdesc=x, sizeInBytes=SIZE)
    reserve = s.space("reserve", reserve_size)
    spaces = {"reserveSpace": reserve, "reserveSpaceSizeInBytes": reserve_size}
    if not v.in_place:
        _fill(s, v, descriptor, states, size)
        s.run("cudnnDropoutForward", dropoutDesc=descriptor, xdesc=x, x=x, ydesc=y, y=again, **spaces)
    _fill(s, v, descriptor, states, size)
    s.run("cudnnDropoutForward", dropoutDesc=descriptor, xdesc=x, x=x, ydesc=y, y=y, **spaces)
    rate, where, seed = s.host(
        "cudnnGetDropoutDescriptor", dropoutDesc=descriptor, dropout=FLOAT, states=POINTER, seed=LONG_INT
    )
    place = s.address(states) if states else 0
    s.check((rate, where, seed) == (float(np.float32(v.rate)), place, v.random), "the descriptor came back otherwise")
    restored = s.create("Dropout")
    s.run(
        "cudnnRestoreDropoutDescriptor", dropoutDesc=restored, dropout=v.rate, states=states, stateSizeInBytes=size,
        seed=v.random,
    )  # fmt: skip
    again_set = s.host("cudnnGetDropoutDescriptor", dropoutDesc=restored, dropout=FLOAT, states=POINTER, seed=LONG_INT)
    s.check(again_set == (rate, where, seed), f"restored as {again_set}, expected {(rate, where, seed)}")
    state = s.fetch()
    kept = s.dense(y, state) != 0
    plausible(s, kept, v.rate)
    result = _passed(exact(x.x, type_.math), kept, v.rate, type_)
    s.claim(y, result)
    if not v.in_place:
        s.check(bool(((s.dense(again, state) != 0) == kept).all()), "the same seed made another mask")
        s.claim(again, result)


@procedure("cudnnDropoutBackward", _CHAPTER, _drawn, _BASE, twists="dy dx", signature="type layout", share=0.6)
def backward(s: Stage, v: Values) -> None:
    type_ = TYPES[v.type]
    set_scaling(s, type_)
    descriptor, states, size = _set(s, v)
    x = s.tensor("x", type_, v.x, v.layout)
    y = s.tensor("y", type_, v.x, v.layout, io="out")
    dy = s.tensor("dy", type_, v.x, v.layout)
    dx = s.tensor("dx", type_, v.x, v.layout, io="out", on=dy if v.in_place else None)
    reserve_size = s.size("cudnnDropoutGetReserveSpaceSize", xdesc=x, sizeInBytes=SIZE)
    reserve = s.space("reserve", reserve_size)
    spaces = {"reserveSpace": reserve, "reserveSpaceSizeInBytes": reserve_size}
    _fill(s, v, descriptor, states, size)
    s.run("cudnnDropoutForward", dropoutDesc=descriptor, xdesc=x, x=x, ydesc=y, y=y, **spaces)
    s.run("cudnnDropoutBackward", dropoutDesc=descriptor, dydesc=dy, dy=dy, dxdesc=dx, dx=dx, **spaces)
    kept = s.dense(y) != 0
    s.claim(y, _passed(exact(x.x, type_.math), kept, v.rate, type_))
    s.claim(dx, _passed(exact(dy.x, type_.math), kept, v.rate, type_))
