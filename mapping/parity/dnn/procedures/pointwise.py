"""Activation and softmax, forward and backward."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..cases import Values
from ..corners import corner
from ..draws import Draw
from ..elements import TYPES
from ..names import ACTIVATION, SOFTMAX_ALGORITHM, SOFTMAX_MODE
from ..oracles import activation, softmax
from ..registry import procedure
from ..running import blend, exact
from ..stage import Stage
from .common import given, output, set_scaling

_ACTIVATION_BASE = {
    "type": "f32", "mode": "relu", "propagate": False, "coef": 1.5, "slope": 0.75, "x": [2, 3, 4, 5], "layout": "packed",
    "in_place": False, "alpha": 2.0, "beta": 0.5,
}  # fmt: skip
_CLIPPED = corner(
    "clipped ReLU of NaN, not propagated", "zero coef nan", "cudnnActivationForward", (("x", 3, "nan"),),
    mode="clipped_relu", propagate=False,
)  # fmt: skip


def _shape(d: Draw) -> list[int]:
    axes = d.pick(2, 2, 3, 1)
    if axes == 1:
        return [d.pick(2, 1, 3, 7), d.pick(3, 1, 5, 131), 1, 1]
    return d.sizes((2, 1, 3), (3, 1, 5, 8), *[(5, 1, 7, 4)] * axes)


def _activation_drawn(d: Draw) -> dict[str, Any]:
    mode = d.word("relu sigmoid tanh clipped_relu elu swish")
    in_place = d.flag(1, 4)
    blending = d.blend()
    return {
        "type": d.type(),
        "mode": mode,
        "propagate": d.flag(),
        "coef": d.pick(1.5, 0.0, 0.3, 6.0) if mode in ("clipped_relu", "elu") else d.pick(0.0, 1.5),
        "slope": d.pick(0.75, 1.0, 2.0),
        "x": _shape(d),
        "layout": d.word("packed packed nhwc padded spread"),
        "in_place": in_place,
        **({"alpha": blending["alpha"], "beta": 0.0} if in_place else blending),
    }


def _activation(s: Stage, v: Values) -> int:
    descriptor = s.make(
        "Activation", "cudnnSetActivationDescriptor", mode=ACTIVATION[v.mode], reluNanOpt=int(v.propagate), coef=v.coef
    )
    if v.mode == "swish":
        s.host("cudnnSetActivationDescriptorSwishBeta", activationDesc=descriptor, swish_beta=v.slope)
    return descriptor


@procedure(
    "cudnnActivationForward", "Activation", _activation_drawn, _ACTIVATION_BASE, twists="x y",
    signature="type mode layout", poison="x",
)  # fmt: skip
def activation_forward(s: Stage, v: Values) -> None:
    type_ = TYPES[v.type]
    set_scaling(s, type_)
    descriptor = _activation(s, v)
    x = s.tensor("x", type_, v.x, v.layout, data="wide")
    y = output(s, "y", type_, v.x, v.layout, v.beta, on=x if v.in_place else None)
    s.run("cudnnActivationForward", activationDesc=descriptor, alpha=v.alpha, xDesc=x, x=x, beta=v.beta, yDesc=y, y=y)
    clipped = s.corner(_CLIPPED)
    result = activation.forward(exact(x.x, type_.math), v.mode, v.coef, v.slope, v.propagate, clipped)
    s.claim(y, blend(v.alpha, result, v.beta, y.x, type_))


@procedure(
    "cudnnActivationBackward", "Activation", _activation_drawn, _ACTIVATION_BASE, twists="y dy x dx",
    signature="type mode layout", poison="dy",
)  # fmt: skip
def activation_backward(s: Stage, v: Values) -> None:
    type_ = TYPES[v.type]
    set_scaling(s, type_)
    descriptor = _activation(s, v)
    x = s.tensor("x", type_, v.x, v.layout, data="wide")
    value = exact(x.x, type_.math)
    y, forward = given(s, "y", type_, activation.forward(value, v.mode, v.coef, v.slope, v.propagate), v.layout)
    dy = s.tensor("dy", type_, v.x, v.layout)
    dx = output(s, "dx", type_, v.x, v.layout, v.beta, on=dy if v.in_place else None)
    s.run(
        "cudnnActivationBackward", activationDesc=descriptor, alpha=v.alpha, yDesc=y, y=y, dyDesc=dy, dy=dy, xDesc=x, x=x,
        beta=v.beta, dxDesc=dx, dx=dx,
    )  # fmt: skip
    result = activation.backward(value, forward, exact(dy.x, type_.math), v.mode, v.coef, v.slope)
    s.claim(dx, blend(v.alpha, result, v.beta, dx.x, type_))


_SOFTMAX_BASE = {
    "type": "f32", "algorithm": "accurate", "mode": "channel", "x": [2, 3, 4, 5], "layout": "packed", "in_place": False,
    "alpha": 2.0, "beta": 0.5,
}  # fmt: skip


def _softmax_drawn(d: Draw) -> dict[str, Any]:
    in_place = d.flag(1, 4)
    blending = d.blend()
    shape = d.pick(None, None, [3, 1000, 1, 1], [2, 257, 3, 1])  # as behind a classifier
    return {
        "type": d.type(),
        "algorithm": d.word("accurate fast log"),
        "mode": d.word("channel instance"),
        "x": shape or _shape(d),
        "layout": d.word("packed packed nhwc padded"),
        "in_place": in_place,
        **({"alpha": blending["alpha"], "beta": 0.0} if in_place else blending),
    }


@procedure(
    "cudnnSoftmaxForward", "Softmax", _softmax_drawn, _SOFTMAX_BASE, twists="x y",
    signature="type algorithm mode layout", poison={"x": ("nan", "-inf", "denormal")},
)  # fmt: skip
def softmax_forward(s: Stage, v: Values) -> None:
    type_ = TYPES[v.type]
    set_scaling(s, type_)
    x = s.tensor("x", type_, v.x, v.layout, data="wide")
    y = output(s, "y", type_, v.x, v.layout, v.beta, on=x if v.in_place else None)
    s.run(
        "cudnnSoftmaxForward", algo=SOFTMAX_ALGORITHM[v.algorithm], mode=SOFTMAX_MODE[v.mode], alpha=v.alpha, xDesc=x, x=x,
        beta=v.beta, yDesc=y, y=y,
    )  # fmt: skip
    result = softmax.forward(exact(x.x, type_.math), v.algorithm, v.mode)
    # A group of −Inf alone, and the logarithm of a probability of 0: no promise beyond not being a number that means one.
    infinite = np.isinf(x.x).any(axis=softmax.axes(v.mode, x.x.ndim), keepdims=True)
    s.claim(y, blend(v.alpha, result.free(~np.isfinite(result.v) & infinite), v.beta, y.x, type_))


@procedure(
    "cudnnSoftmaxBackward", "Softmax", _softmax_drawn, _SOFTMAX_BASE, twists="y dy dx",
    signature="type algorithm mode layout", poison={"dy": ("nan", "denormal")},
)  # fmt: skip
def softmax_backward(s: Stage, v: Values) -> None:
    type_ = TYPES[v.type]
    set_scaling(s, type_)
    rng = np.random.Generator(np.random.PCG64([s.case.seed, 1]))
    start = exact(rng.random(v.x) * 10 - 5, type_.math)
    y = s.tensor("y", type_, v.x, v.layout, values=softmax.forward(start, v.algorithm, v.mode).v)
    dy = s.tensor("dy", type_, v.x, v.layout)
    dx = output(s, "dx", type_, v.x, v.layout, v.beta, on=dy if v.in_place else None)
    s.run(
        "cudnnSoftmaxBackward", algo=SOFTMAX_ALGORITHM[v.algorithm], mode=SOFTMAX_MODE[v.mode], alpha=v.alpha, yDesc=y,
        y=y, dyDesc=dy, dy=dy, beta=v.beta, dxDesc=dx, dx=dx,
    )  # fmt: skip
    result = softmax.backward(exact(y.x, type_.math), exact(dy.x, type_.math), v.algorithm, v.mode)
    s.claim(dx, blend(v.alpha, result, v.beta, dx.x, type_))
