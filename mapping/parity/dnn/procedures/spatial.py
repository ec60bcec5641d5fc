"""Spatial transformer: grid generator and bilinear sampler, forward and backward."""

from __future__ import annotations

from typing import Any

from ..cases import Values
from ..corners import corner
from ..draws import Draw
from ..elements import TYPES, Type
from ..oracles import spatial as oracle
from ..registry import procedure
from ..running import blend, exact
from ..stage import Operand, Stage
from .common import output, set_scaling

_CHAPTER = "Spatial transformer"
_BASE: dict[str, Any] = {
    "type": "f32", "x": [2, 3, 4, 5], "y": [3, 4], "layout": "packed", "alpha": 2.0, "beta": 0.5,
}  # fmt: skip
_GRID = {k: v for k, v in _BASE.items() if k in ("type", "x", "y")}
_BACK = {**_BASE, "alpha_grid": 2.0, "beta_grid": 0.5}
_SINGLE = corner(
    "spatial transformer: coordinate of a single row", "zero minus_one", "cudnnSpatialTfGridGeneratorForward", y=[1, 4]
)


def _drawn(d: Draw) -> dict[str, Any]:
    return {
        "type": d.type("f32 f32 f64 f16"),
        "x": d.sizes((2, 1, 3), (3, 1, 5), (4, 2, 7), (5, 3, 8)),
        "y": d.sizes((3, 2, 5), (4, 2, 7)),
        "layout": d.word("packed packed nhwc"),
        **d.blend(),
        "alpha_grid": d.scale(),
        "beta_grid": d.keep(),
    }


def _some(base: dict[str, Any]) -> Any:
    return lambda d: {k: v for k, v in _drawn(d).items() if k in base}


def _descriptor(s: Stage, v: Values, type_: Type) -> int:
    return s.make(
        "SpatialTransformer", "cudnnSetSpatialTransformerNdDescriptor", samplerType=0, dataType=type_.number, nbDims=4,
        dimA=[v.x[0], v.x[1], *v.y],
    )  # fmt: skip


def _grid(s: Stage, v: Values, type_: Type, name: str = "grid", io: str = "in") -> Operand:
    return s.array(name, type_, [v.x[0], *v.y, 2], io=io)


@procedure(
    "cudnnSpatialTfGridGeneratorForward", _CHAPTER, _some(_GRID), _GRID, share=0.5,
)  # fmt: skip
def grid_forward(s: Stage, v: Values) -> None:
    type_ = TYPES[v.type]
    theta = s.array("theta", type_, [v.x[0], 2, 3])
    grid = _grid(s, v, type_, io="out")
    s.run("cudnnSpatialTfGridGeneratorForward", stDesc=_descriptor(s, v, type_), theta=theta, grid=grid)
    single = s.corner(_SINGLE)
    result = oracle.grid(exact(theta.x, type_.math), *v.y)
    if 1 in v.y:
        if single == "minus_one":
            shift = exact(theta.x, type_.math)
            for axis, size in ((0, v.y[1]), (1, v.y[0])):
                if size == 1:
                    result = result - shift[:, None, None, :, axis]
        result = result.free(single == "open")
    s.claim(grid, result.stored(type_))


@procedure("cudnnSpatialTfGridGeneratorBackward", _CHAPTER, _some(_GRID), _GRID, share=0.5)
def grid_backward(s: Stage, v: Values) -> None:
    type_ = TYPES[v.type]
    dgrid = _grid(s, v, type_, "dgrid")
    dtheta = s.array("dtheta", type_, [v.x[0], 2, 3], io="out")
    s.run("cudnnSpatialTfGridGeneratorBackward", stDesc=_descriptor(s, v, type_), dgrid=dgrid, dtheta=dtheta)
    s.claim(dtheta, oracle.grid_backward(exact(dgrid.x, type_.math)).stored(type_))


@procedure(
    "cudnnSpatialTfSamplerForward", _CHAPTER, _some(_BASE), _BASE, twists="x y", signature="type layout", share=0.7
)
def sampler_forward(s: Stage, v: Values) -> None:
    type_ = TYPES[v.type]
    set_scaling(s, type_)
    x = s.tensor("x", type_, v.x, v.layout)
    grid = _grid(s, v, type_)
    y = output(s, "y", type_, [*v.x[:2], *v.y], v.layout, v.beta)
    s.run(
        "cudnnSpatialTfSamplerForward", stDesc=_descriptor(s, v, type_), alpha=v.alpha, xDesc=x, x=x, grid=grid, beta=v.beta,
        yDesc=y, y=y,
    )  # fmt: skip
    s.claim(y, blend(v.alpha, oracle.sample(exact(x.x, type_.math), grid.x), v.beta, y.x, type_))


@procedure(
    "cudnnSpatialTfSamplerBackward", _CHAPTER, _some(_BACK), _BACK, twists="x dx dy", signature="type layout", share=0.7
)
def sampler_backward(s: Stage, v: Values) -> None:
    type_ = TYPES[v.type]
    set_scaling(s, type_)
    x = s.tensor("x", type_, v.x, v.layout)
    grid = _grid(s, v, type_)
    dy = s.tensor("dy", type_, [*v.x[:2], *v.y], v.layout)
    dx = output(s, "dx", type_, v.x, v.layout, v.beta)
    dgrid = _grid(s, v, type_, "dgrid", "inout" if v.beta_grid else "out")
    s.run(
        "cudnnSpatialTfSamplerBackward", stDesc=_descriptor(s, v, type_), alpha=v.alpha, xDesc=x, x=x, beta=v.beta, dxDesc=dx,
        dx=dx, alphaDgrid=v.alpha_grid, dyDesc=dy, dy=dy, grid=grid, betaDgrid=v.beta_grid, dgrid=dgrid,
    )  # fmt: skip
    to_x, to_grid = oracle.sample_backward(exact(x.x, type_.math), grid.x, exact(dy.x, type_.math))
    s.claim(dx, blend(v.alpha, to_x, v.beta, dx.x, type_))
    s.claim(dgrid, blend(v.alpha_grid, to_grid, v.beta_grid, dgrid.x, type_))
