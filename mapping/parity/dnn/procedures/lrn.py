"""Local response normalisation across channels, and divisive normalisation."""

from __future__ import annotations

from typing import Any

from ..cases import Values
from ..corners import corner
from ..draws import Draw
from ..elements import TYPES
from ..oracles import lrn as oracle
from ..oracles.lrn import Strength
from ..registry import procedure
from ..running import blend, exact
from ..stage import Stage
from .common import given, output, set_scaling

_CHAPTER = "Local response normalisation"
_BASE = {
    "type": "f32", "x": [2, 6, 3, 4], "layout": "packed", "n": 5, "strength": 0.3, "power": 0.75, "k": 2.0, "alpha": 2.0,
    "beta": 0.5,
}  # fmt: skip
_DIVISIVE_BASE = {**_BASE, "x": [2, 3, 6, 7], "n": 3, "means": True}
_EVEN = corner("LRN: even window", "behind before", "cudnnLRNCrossChannelForward", n=4, strength=1.5, x=[1, 7, 2, 2])
_DIVISIVE_EVEN = corner(
    "divisive normalisation: even window", "behind before", "cudnnDivisiveNormalizationForward", n=4, strength=1.5,
    means=False,
)  # fmt: skip
_NEGATIVE = corner(
    "divisive normalisation: a negative beta", "ignored counts", "cudnnDivisiveNormalizationForward", n=3, strength=1.5,
    alpha=1.0, beta=-0.5,
)  # fmt: skip
_DMEANS = corner(
    "divisive normalisation: alpha and beta on dMeans", "both none alpha", "cudnnDivisiveNormalizationBackward", n=3,
    strength=1.5, means=True, alpha=2.0, beta=0.5,
)  # fmt: skip


def _drawn(d: Draw) -> dict[str, Any]:
    return {
        "type": d.type(),
        "x": d.sizes((2, 1, 3), (6, 1, 3, 17), (3, 1, 5), (4, 1, 7)),
        "layout": d.word("packed packed nhwc padded"),
        "n": d.pick(5, 3, 1, 4, 2, 16),
        "strength": d.pick(0.3, 1e-4, 1.5),
        "power": d.pick(0.75, 0.5, 1.0, 2.0),
        "k": d.pick(2.0, 1.0, 1e-2),
        **d.blend(),
    }


def _descriptor(s: Stage, v: Values) -> int:
    return s.make(
        "LRN", "cudnnSetLRNDescriptor", lrnN=v.n, lrnAlpha=v.strength, lrnBeta=v.power, lrnK=v.k
    )  # fmt: skip


def _strength(v: Values) -> Strength:
    return Strength(v.n, v.strength, v.power, v.k)


@procedure(
    "cudnnLRNCrossChannelForward",
    _CHAPTER,
    _drawn,
    _BASE,
    twists="x y",
    signature="type layout",
)
def forward(s: Stage, v: Values) -> None:
    type_ = TYPES[v.type]
    set_scaling(s, type_)
    x = s.tensor("x", type_, v.x, v.layout, data="wide")
    y = output(s, "y", type_, v.x, v.layout, v.beta)
    s.run(
        "cudnnLRNCrossChannelForward", normDesc=_descriptor(s, v), lrnMode=0, alpha=v.alpha, xDesc=x, x=x, beta=v.beta,
        yDesc=y, y=y,
    )  # fmt: skip
    even = s.corner(_EVEN)
    result = oracle.forward(exact(x.x, type_.math), _strength(v), even).free(even == "open" and v.n % 2 == 0)
    s.claim(y, blend(v.alpha, result, v.beta, y.x, type_))


@procedure(
    "cudnnLRNCrossChannelBackward", _CHAPTER, _drawn, _BASE, twists="y dy x dx", signature="type layout",
)  # fmt: skip
def backward(s: Stage, v: Values) -> None:
    type_ = TYPES[v.type]
    set_scaling(s, type_)
    even = s.corner(_EVEN)
    x = s.tensor("x", type_, v.x, v.layout, data="wide")
    value = exact(x.x, type_.math)
    y, normed = given(s, "y", type_, oracle.forward(value, _strength(v), even), v.layout)
    dy = s.tensor("dy", type_, v.x, v.layout)
    dx = output(s, "dx", type_, v.x, v.layout, v.beta)
    s.run(
        "cudnnLRNCrossChannelBackward", normDesc=_descriptor(s, v), lrnMode=0, alpha=v.alpha, yDesc=y, y=y, dyDesc=dy,
        dy=dy, xDesc=x, x=x, beta=v.beta, dxDesc=dx, dx=dx,
    )  # fmt: skip
    result = oracle.backward(value, normed, exact(dy.x, type_.math), _strength(v), even)
    s.claim(dx, blend(v.alpha, result.free(even == "open" and v.n % 2 == 0), v.beta, dx.x, type_))


def _divisive_drawn(d: Draw) -> dict[str, Any]:
    axes = d.pick(2, 2, 3)
    return {
        **_drawn(d),
        "type": d.type("f32 f32 f64 f16"),
        "x": d.sizes((2, 1), (3, 1), *[(6, 3, 1, 7)] * axes),
        "layout": d.word("packed packed padded"),
        "n": d.pick(3, 5, 1, 4),
        "means": d.flag(),
    }


@procedure(
    "cudnnDivisiveNormalizationForward", _CHAPTER, _divisive_drawn, _DIVISIVE_BASE, twists="x y",
    signature="type layout means",
)  # fmt: skip
def divisive_forward(s: Stage, v: Values) -> None:
    type_ = TYPES[v.type]
    set_scaling(s, type_)
    x = s.tensor("x", type_, v.x, v.layout, data="wide")
    means = s.tensor("means", type_, v.x, v.layout) if v.means else None
    temp, temp2 = (s.tensor(name, type_, v.x, v.layout, io="out") for name in ("temp", "temp2"))
    y = output(s, "y", type_, v.x, v.layout, v.beta)
    s.run(
        "cudnnDivisiveNormalizationForward", normDesc=_descriptor(s, v), mode=0, alpha=v.alpha, xDesc=x, x=x, means=means,
        temp=temp, temp2=temp2, beta=v.beta, yDesc=y, y=y,
    )  # fmt: skip
    even = s.corner(_DIVISIVE_EVEN)
    m = exact(means.x, type_.math) if means else None
    result = oracle.divisive_forward(exact(x.x, type_.math), m, _strength(v), even)
    unclear = even == "open" and v.n % 2 == 0
    kept, negative = v.beta, s.corner(_NEGATIVE)
    if v.beta < 0:
        unclear = unclear or negative == "open"
        kept = 0.0 if negative == "ignored" else v.beta
    s.claim(y, blend(v.alpha, result.free(unclear), kept, y.x, type_))
    s.leave_open(temp)
    s.leave_open(temp2)


@procedure(
    "cudnnDivisiveNormalizationBackward", _CHAPTER, _divisive_drawn, _DIVISIVE_BASE, twists="x dx",
    signature="type layout means",
)  # fmt: skip
def divisive_backward(s: Stage, v: Values) -> None:
    type_ = TYPES[v.type]
    set_scaling(s, type_)
    x = s.tensor("x", type_, v.x, v.layout, data="wide")
    means = s.tensor("means", type_, v.x, v.layout) if v.means else None
    dy = s.tensor("dy", type_, v.x, v.layout)
    temp, temp2 = (s.tensor(name, type_, v.x, v.layout, io="out") for name in ("temp", "temp2"))
    dx = output(s, "dx", type_, v.x, v.layout, v.beta)
    dmeans = output(s, "dMeans", type_, v.x, v.layout, v.beta, like=dx) if v.means else None
    s.run(
        "cudnnDivisiveNormalizationBackward", normDesc=_descriptor(s, v), mode=0, alpha=v.alpha, xDesc=x, x=x, means=means,
        dy=dy, temp=temp, temp2=temp2, beta=v.beta, dXdMeansDesc=dx, dx=dx, dMeans=dmeans,
    )  # fmt: skip
    even, scaled = s.corner(_DIVISIVE_EVEN), s.corner(_DMEANS)
    m = exact(means.x, type_.math) if means else None
    to_x, to_means = oracle.divisive_backward(exact(x.x, type_.math), m, exact(dy.x, type_.math), _strength(v), even)
    unclear = even == "open" and v.n % 2 == 0
    s.claim(dx, blend(v.alpha, to_x.free(unclear), v.beta, dx.x, type_))
    if dmeans:
        alpha, beta = {"none": (1.0, 0.0), "alpha": (v.alpha, 0.0)}.get(scaled, (v.alpha, v.beta))
        s.claim(dmeans, blend(alpha, to_means.free(unclear or scaled == "open"), beta, dmeans.x, type_))
    s.leave_open(temp)
    s.leave_open(temp2)
