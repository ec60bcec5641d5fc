"""cudnnPoolingForward and cudnnPoolingBackward, one to three spatial dimensions."""

from __future__ import annotations

from typing import Any

from ..cases import Values
from ..corners import corner
from ..draws import Draw
from ..elements import TYPES, Type
from ..names import POOLING
from ..oracles import pooling as oracle
from ..oracles.windows import Window
from ..registry import procedure
from ..running import blend, exact
from ..stage import Operand, Stage, ints
from .common import output, set_scaling

_BASE = {
    "type": "f32", "mode": "max", "propagate": False, "x": [2, 3, 5, 7], "window": [2, 3], "pad": [1, 0], "stride": [2, 1],
    "layout": "packed", "ties": False, "alpha": 2.0, "beta": 0.5,
}  # fmt: skip


def _drawn(d: Draw) -> dict[str, Any]:
    axes = d.pick(2, 2, 3)
    x = d.sizes((2, 1, 3), (3, 1, 5, 8), *[(5, 7, 1, 4, 11, 6)] * axes)
    window = [d.pick(*range(1, min(4, n) + 1)) for n in x[2:]]
    pad = [d.pick(*range(k)) for k in window]  # the padding is smaller than the window
    return {
        "type": d.type(),
        "mode": d.word("max average_include average_exclude max_deterministic max"),
        "propagate": d.flag(),
        "x": x,
        "window": window,
        "pad": pad,
        "stride": [d.pick(1, 2, 3) for _ in window],
        "layout": d.word("packed packed nhwc padded spread"),
        "ties": d.flag(1, 3),
        **d.blend(),
    }


_TIES = corner(
    "pooling backward: equal maxima", "first last all", "cudnnPoolingBackward", mode="max", ties=True, x=[2, 2, 6, 6],
    window=[3, 3], pad=[1, 1], stride=[2, 2], alpha=1.0, beta=0.0,
)  # fmt: skip
_TIES_DETERMINISTIC = corner(
    "pooling backward, deterministic: equal maxima", "first last all", "cudnnPoolingBackward", mode="max_deterministic",
    ties=True, x=[2, 2, 6, 6], window=[3, 3], pad=[1, 1], stride=[2, 2], alpha=1.0, beta=0.0,
)  # fmt: skip


def _parts(s: Stage, v: Values) -> tuple[Type, int, Window, list[int], Operand]:
    """Element type, descriptor, window, output sizes and input of both directions."""
    type_ = TYPES[v.type]
    set_scaling(s, type_)
    axes = len(v.window)
    window = Window.of(v.window, v.pad, v.stride)
    descriptor = s.make(
        "Pooling", "cudnnSetPoolingNdDescriptor", mode=POOLING[v.mode], maxpoolingNanOpt=int(v.propagate), nbDims=axes,
        windowDimA=v.window, paddingA=v.pad, strideA=v.stride,
    )  # fmt: skip
    x = s.tensor("x", type_, v.x, v.layout, data="whole" if v.ties else "distinct" if _small(v.x) else "real")
    sizes = [*v.x[:2], *window.output(v.x[2:])]
    (found,) = s.host(
        "cudnnGetPoolingNdForwardOutputDim", poolingDesc=descriptor, inputTensorDesc=x, nbDims=axes + 2,
        outputTensorDimA=ints(axes + 2),
    )  # fmt: skip
    s.check(found == sizes, f"output sizes {found}, expected {sizes}")
    return type_, descriptor, window, sizes, x


def _small(dims: list[int]) -> bool:
    count = 1
    for d in dims:
        count *= d
    return count <= 512  # more steps of 1/64 leave the range where bfloat16 tells them apart


@procedure("cudnnPoolingForward", "Pooling", _drawn, _BASE, twists="x y", signature="type mode layout", poison="x")
def forward(s: Stage, v: Values) -> None:
    type_, descriptor, window, sizes, x = _parts(s, v)
    y = output(s, "y", type_, sizes, v.layout, v.beta)
    s.run(
        "cudnnPoolingForward", poolingDesc=descriptor, alpha=v.alpha, xDesc=x, x=x, beta=v.beta, yDesc=y, y=y,
    )  # fmt: skip
    result = oracle.forward(exact(x.x, type_.math), window, v.mode, v.propagate, sizes[2:])
    s.claim(y, blend(v.alpha, result, v.beta, y.x, type_))


@procedure(
    "cudnnPoolingBackward", "Pooling", _drawn, _BASE, twists="x y dy dx", signature="type mode layout", poison="dy"
)
def backward(s: Stage, v: Values) -> None:
    type_, descriptor, window, sizes, x = _parts(s, v)
    pooled = oracle.forward(exact(x.x, type_.math), window, v.mode, v.propagate, sizes[2:])
    y = s.tensor("y", type_, sizes, v.layout, values=pooled.v)
    dy = s.tensor("dy", type_, sizes, v.layout)
    dx = output(s, "dx", type_, v.x, v.layout, v.beta)
    s.run(
        "cudnnPoolingBackward", poolingDesc=descriptor, alpha=v.alpha, yDesc=y, y=y, dyDesc=dy, dy=dy, xDesc=x, x=x,
        beta=v.beta, dxDesc=dx, dx=dx,
    )  # fmt: skip
    ties = s.corner(_TIES_DETERMINISTIC if v.mode == "max_deterministic" else _TIES)
    result = oracle.backward(exact(x.x, type_.math), exact(dy.x, type_.math), window, v.mode, ties)
    s.claim(dx, blend(v.alpha, result, v.beta, dx.x, type_))
