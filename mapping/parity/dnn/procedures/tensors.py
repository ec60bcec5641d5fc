"""Operations on whole tensors: element-wise, broadcast, reductions, filling, scaling, layouts."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..cases import Values
from ..corners import corner
from ..draws import Draw
from ..elements import I32, TYPES, Type
from ..names import FOLD, FORMAT, OP_TENSOR, REDUCE
from ..oracles import tensors as oracle
from ..registry import procedure
from ..running import Real, blend, exact
from ..stage import INT, SIZE, Operand, Stage, ints, places, strides_of
from .common import output, parameter_type, set_scaling

_CHAPTER = "Tensors"


def _dims(d: Draw) -> list[int]:
    axes = d.pick(2, 2, 3)
    return d.sizes((2, 1, 3), (3, 1, 5, 8), *[(5, 1, 4, 7)] * axes)


def _some_ones(d: Draw, dims: list[int]) -> list[int]:
    """A legal broadcast: each dimension is the other's or 1."""
    which = d.word("channel all scalar mixed same")
    if which == "channel":
        return [1, dims[1], *[1] * (len(dims) - 2)]
    if which == "all":
        return [1, *dims[1:]]
    if which == "scalar":
        return [1] * len(dims)
    return list(dims) if which == "same" else [d.pick(n, 1) for n in dims]


# OpTensor, AddTensor

_OP_BASE = {
    "type": "f32", "op": "add", "propagate": True, "x": [2, 3, 4, 5], "b": [1, 3, 1, 1], "layout": "packed",
    "in_place": False, "alpha": 2.0, "alpha2": -0.5, "beta": 0.5,
}  # fmt: skip


def _op_drawn(d: Draw) -> dict[str, Any]:
    x = _dims(d)
    in_place = d.flag(1, 4)
    blending = d.blend()
    return {
        "type": d.type(),
        "op": d.word("add mul min max sqrt not"),
        "propagate": d.flag(),
        "x": x,
        "b": _some_ones(d, x),
        "layout": d.word("packed packed nhwc padded"),
        "in_place": in_place,
        "alpha": blending["alpha"],
        "alpha2": d.scale(),
        "beta": 0.0 if in_place else blending["beta"],
    }


@procedure(
    "cudnnOpTensor", _CHAPTER, _op_drawn, _OP_BASE, twists="A B C", signature="type op layout",
    poison={"A": ("nan", "inf", "denormal"), "B": ("nan",)},
)  # fmt: skip
def op_tensor(s: Stage, v: Values) -> None:
    type_ = TYPES[v.type]
    set_scaling(s, type_)
    positive = v.op == "sqrt"
    descriptor = s.make(
        "OpTensor", "cudnnSetOpTensorDescriptor", opTensorOp=OP_TENSOR[v.op], opTensorCompType=parameter_type(type_).number,
        opTensorNanOpt=int(v.propagate),
    )  # fmt: skip
    a = s.tensor("A", type_, v.x, v.layout, data="positive" if positive else "real")
    b = s.tensor("B", type_, v.b)
    c = output(s, "C", type_, v.x, v.layout, v.beta, on=a if v.in_place else None)
    alpha = abs(v.alpha) if positive else v.alpha
    s.run(
        "cudnnOpTensor", opTensorDesc=descriptor, alpha1=alpha, aDesc=a, A=a, alpha2=v.alpha2, bDesc=b, B=b, beta=v.beta,
        cDesc=c, C=c,
    )  # fmt: skip
    left = _scaled(exact(a.x, type_.math), alpha)
    right = _scaled(exact(b.x, type_.math), v.alpha2)
    result = oracle.op_tensor(left, right, v.op, v.propagate)
    s.claim(c, blend(1.0, result, v.beta, c.x, type_))


def _scaled(x: Real, factor: float) -> Real:
    """factor · x; with a factor of 0 a value that is not finite carries no promise."""
    scaled = x * factor
    return scaled.free(~np.isfinite(x.v)) if factor == 0 else scaled


@procedure(
    "cudnnAddTensor", _CHAPTER, lambda d: _add_drawn(d),
    {"type": "f32", "x": [2, 3, 4, 5], "b": [1, 3, 1, 1], "layout": "packed", "alpha": 2.0, "beta": 0.5}, twists="A C",
    signature="type layout b", poison={"A": ("nan", "inf", "denormal")},
)  # fmt: skip
def add_tensor(s: Stage, v: Values) -> None:
    type_ = TYPES[v.type]
    set_scaling(s, type_)
    a = s.tensor("A", type_, v.b)
    c = output(s, "C", type_, v.x, v.layout, v.beta)
    s.run("cudnnAddTensor", alpha=v.alpha, aDesc=a, A=a, beta=v.beta, cDesc=c, C=c)
    added = Real(np.broadcast_to(a.x, c.index.shape), 0, type_.math)
    s.claim(c, blend(v.alpha, added, v.beta, c.x, type_))


def _add_drawn(d: Draw) -> dict[str, Any]:
    x = _dims(d)
    return {"type": d.type(), "x": x, "b": _some_ones(d, x), "layout": d.word("packed packed nhwc padded"), **d.blend()}


# ReduceTensor

_REDUCE_BASE = {
    "type": "f32", "op": "max", "propagate": True, "x": [2, 3, 4, 5], "c": [1, 3, 1, 1], "layout": "packed", "indices": True,
    "ties": False, "alpha": 2.0, "beta": 0.5,
}  # fmt: skip
_INSIDE = corner(
    "reduce: where alpha goes", "outside inside", "cudnnReduceTensor", op="max", alpha=-0.5, beta=0.0, indices=False
)
_INDEX_TIES = corner(
    "reduce: index of equal ones", "first last", "cudnnReduceTensor", op="max", ties=True, alpha=1.0, beta=0.0,
    x=[2, 3, 8, 9], c=[2, 3, 1, 1],
)  # fmt: skip


def _reduce_drawn(d: Draw) -> dict[str, Any]:
    x = _dims(d)
    op = d.word("add mul min max amax avg norm1 norm2 mul_no_zeros")
    c = _some_ones(d, x)
    if c == x and max(x) > 1:  # NVIDIA's library refuses to reduce nothing
        c = [1] * len(x)
    return {
        "type": d.type("f32 f32 f64 f16 bf16"),
        "op": op,
        "propagate": d.flag(),
        "x": x,
        "c": c,
        "layout": d.word("packed packed nhwc padded"),
        "indices": op in ("min", "max", "amax") and d.flag(),
        "ties": d.flag(1, 3),
        **d.blend(),
    }


def _reduce_signed(v: Any) -> str:
    words = [v["type"], v["op"], v["layout"]] + ["indices"] * bool(v["indices"])
    return " ".join(words + ["nothing reduced"] * (v["x"] == v["c"]))


@procedure(
    "cudnnReduceTensor", _CHAPTER, _reduce_drawn, _REDUCE_BASE, twists="A C", signature=_reduce_signed,
    poison={"A": ("nan",)}, share=1.5, also="cudnnGetReductionWorkspaceSize cudnnGetReductionIndicesSize",
)  # fmt: skip
def reduce_tensor(s: Stage, v: Values) -> None:
    type_ = TYPES[v.type]
    set_scaling(s, type_)
    descriptor = s.make(
        "ReduceTensor", "cudnnSetReduceTensorDescriptor", reduceTensorOp=REDUCE[v.op],
        reduceTensorCompType=parameter_type(type_).number, reduceTensorNanOpt=int(v.propagate),
        reduceTensorIndices=int(v.indices), reduceTensorIndicesType=0,
    )  # fmt: skip
    count = int(np.prod(v.x)) // max(int(np.prod(v.c)), 1)
    data = "whole" if v.ties or v.op == "mul_no_zeros" else "positive" if v.op == "mul" and count > 20 else "real"
    a = s.tensor("A", type_, v.x, v.layout, data=data)
    c = output(s, "C", type_, v.c, "packed", v.beta)
    sizes = {"reduceTensorDesc": descriptor, "aDesc": a, "cDesc": c, "sizeInBytes": SIZE}
    index_size = s.size("cudnnGetReductionIndicesSize", **sizes)
    work_size = s.size("cudnnGetReductionWorkspaceSize", **sizes)
    wanted = int(np.prod(v.c)) * 4
    s.check(not v.indices or index_size >= wanted, f"{index_size} bytes for {wanted} bytes of indices")
    work = s.space("work", work_size)
    indices = s.array("indices", I32, [max(index_size, wanted) // 4], io="out") if v.indices else None
    s.run(
        "cudnnReduceTensor", reduceTensorDesc=descriptor, indices=indices, indicesSizeInBytes=index_size if indices else 0,
        workspace=work, workspaceSizeInBytes=work_size, alpha=v.alpha, aDesc=a, A=a, beta=v.beta, cDesc=c, C=c,
    )  # fmt: skip
    axes = oracle.reduced_axes(v.x, v.c)
    x = exact(a.x, type_.math)
    inside = s.corner(_INSIDE)
    signed = v.op not in ("add", "avg") and v.alpha != 1
    if inside == "inside":
        result, alpha = oracle.reduce(_scaled(x, v.alpha), axes, v.op, v.propagate), 1.0
    else:
        result, alpha = oracle.reduce(x, axes, v.op, v.propagate).free(inside == "open" and signed), v.alpha
    s.claim(c, blend(alpha, result, v.beta, c.x, type_))
    if indices is not None:
        found, open_ = oracle.indices(a.x, axes, v.op, s.corner(_INDEX_TIES))
        _claim_indices(s, indices, found, open_ | (inside == "inside" and v.alpha <= 0))


def _claim_indices(s: Stage, indices: Operand, found: Any, open_: Any) -> None:
    """Indices lie densely in C's order; what the library reserves behind them is its own."""
    count = found.size
    flat, loose = found.ravel().astype(np.int64), np.broadcast_to(open_, found.shape).ravel()
    part = Operand(indices.name, I32, "out", indices.raw, indices.index[:count], on=indices)
    s.leave_open(indices, indices.index[count:])
    s.leave_open(indices, indices.index[:count][loose])
    part.index = part.index[~loose]
    s.claim_exact(part, flat[~loose])


# SetTensor, ScaleTensor

_FILL = {"type": "f32", "x": [2, 3, 4, 5], "layout": "packed", "alpha": 2.0}


def _fill_drawn(d: Draw) -> dict[str, Any]:
    return {"type": d.type("f32 f64 f16 bf16 i8 i32"), "x": _dims(d), "layout": d.word("packed nhwc padded spread"),
            "alpha": float(d.pick(2.0, 0.0, -1.0, 0.5))}  # fmt: skip


@procedure("cudnnSetTensor", _CHAPTER, _fill_drawn, _FILL, twists="y", signature="type layout", share=0.5)
def set_tensor(s: Stage, v: Values) -> None:
    type_ = TYPES[v.type]
    y = s.tensor("y", type_, v.x, v.layout, io="out")
    # The manual says: in the tensor's type. NVIDIA's library reads a float where that is smaller, as it reads alpha and beta.
    value = (type_ if type_.size >= 4 else TYPES["f32"]).encode(np.asarray([v.alpha]))
    s.run("cudnnSetTensor", yDesc=y, y=y, valuePtr=value)
    s.claim_exact(y, type_.decode(type_.encode(np.asarray([v.alpha])))[0])


@procedure(
    "cudnnScaleTensor", _CHAPTER, lambda d: {**_fill_drawn(d), "type": d.type()}, _FILL, twists="y", signature="type layout",
    share=0.5,
)  # fmt: skip
def scale_tensor(s: Stage, v: Values) -> None:
    type_ = TYPES[v.type]
    set_scaling(s, type_)
    y = s.tensor("y", type_, v.x, v.layout, io="inout")
    s.run("cudnnScaleTensor", yDesc=y, y=y, alpha=v.alpha)
    s.claim(y, (exact(y.x, type_.math) * v.alpha).stored(type_))


# TransformTensor and its extended forms

_TRANSFORM = {"type": "f32", "x": [2, 3, 4, 5], "layout": "packed", "to": "nhwc", "alpha": 2.0, "beta": 0.5}


def _transform_drawn(d: Draw) -> dict[str, Any]:
    return {"type": d.type(), "x": _dims(d), "layout": d.word("packed nhwc padded spread"),
            "to": d.word("nhwc packed padded spread"), **d.blend()}  # fmt: skip


@procedure(
    "cudnnTransformTensor", _CHAPTER, _transform_drawn, _TRANSFORM, twists="x y", signature="type layout to",
    poison={"x": ("nan", "inf", "denormal")},
)  # fmt: skip
def transform_tensor(s: Stage, v: Values) -> None:
    type_ = TYPES[v.type]
    set_scaling(s, type_)
    x = s.tensor("x", type_, v.x, v.layout)
    y = output(s, "y", type_, v.x, v.to, v.beta)
    s.run("cudnnTransformTensor", alpha=v.alpha, xDesc=x, x=x, beta=v.beta, yDesc=y, y=y)
    s.claim(y, blend(v.alpha, exact(x.x, type_.math), v.beta, y.x, type_))


_EX = {"type": "f32", "x": [2, 4, 4, 6], "to": "nchw", "before": [0, 0, 0, 0], "after": [0, 1, 0, 0], "fold": [1, 1],
       "direction": "fold", "alpha": 2.0, "beta": 0.5}  # fmt: skip
_FOLDED = corner(
    "fold: order of channels", "inner outer", "cudnnTransformTensorEx", x=[1, 2, 4, 6], after=[0, 0, 0, 0], fold=[2, 3],
    alpha=1.0, beta=0.0,
)  # fmt: skip


def _ex_drawn(d: Draw) -> dict[str, Any]:
    axes = d.pick(2, 2, 3)
    fold = [1] * axes if d.flag(2, 3) else [d.pick(2, 1, 3) for _ in range(axes)]
    unfold = max(fold) > 1 and d.flag()
    pads = max(fold) == 1  # folding and padding at once: in which order, NVIDIA's manual does not say
    x = [d.pick(2, 1), d.pick(4, 3, 1), *[f * d.pick(2, 1, 3) for f in fold]]
    if unfold:
        x = [x[0], x[1] * int(np.prod(fold)), *[d.pick(2, 1, 3) for _ in fold]]
    return {
        "type": d.type("f32 f64 f16 bf16"),
        "x": x,
        "to": d.word("nchw nhwc"),
        "before": [0, d.pick(0, 1) * pads, *[d.pick(0, 1, 0) * pads for _ in fold]],
        "after": [0, d.pick(1, 0, 3) * pads, *[d.pick(0, 2, 0) * pads for _ in fold]],
        "fold": fold,
        "direction": "unfold" if unfold else "fold",
        **d.blend(),
    }


def _ex_signed(v: Any) -> str:
    padded = any([*v["before"], *v["after"]])
    words = [v["type"], f"{len(v['fold'])}-d", f"to {v['to']}"] + ["padded"] * padded
    return " ".join(words + [v["direction"]] * (max(v["fold"]) > 1))


def _transform(s: Stage, v: Values) -> int:
    return s.make(
        "TensorTransform", "cudnnSetTensorTransformDescriptor", nbDims=len(v.x), destFormat=FORMAT[v.to], padBeforeA=v.before,
        padAfterA=v.after, foldA=v.fold, direction=FOLD[v.direction],
    )  # fmt: skip


def _moved(s: Stage, v: Values, x: Any) -> Any:
    order = s.corner(_FOLDED)
    if v.direction == "unfold":
        return oracle.unfolded(x, v.fold, order)
    wide = oracle.padded(x, v.before, v.after)
    return oracle.folded(wide, v.fold, order) if max(v.fold) > 1 else wide


@procedure("cudnnTransformTensorEx", _CHAPTER, _ex_drawn, _EX, twists="srcData", signature=_ex_signed)
def transform_tensor_ex(s: Stage, v: Values) -> None:
    type_ = TYPES[v.type]
    set_scaling(s, type_)
    transform = _transform(s, v)
    x = s.tensor("srcData", type_, v.x)
    result = _moved(s, v, x.x)
    dims = list(result.shape)
    destination = s.create("Tensor")
    size = s.size(
        "cudnnInitTransformDest", transformDesc=transform, srcDesc=x, destDesc=destination, destSizeInBytes=SIZE
    )
    found, count, shape, strides = s.host(
        "cudnnGetTensorNdDescriptor", tensorDesc=destination, nbDimsRequested=len(dims), dataType=INT, nbDims=INT,
        dimA=ints(len(dims)), strideA=ints(len(dims)),
    )  # fmt: skip
    wanted = strides_of(dims, "nhwc" if v.to == "nhwc" else "packed")
    s.check(
        (found, count, shape) == (type_.number, len(dims), dims),
        f"destination {shape} of type {found}, expected {dims}",
    )
    s.check(size >= type_.size * (int(places(dims, wanted).max()) + 1), f"{size} bytes are too few")
    if shape != dims or any(n > 1 and a != b for n, a, b in zip(dims, strides, wanted, strict=True)):
        s.check(False, f"destination strides {strides}, expected {wanted}")
        if not s.change:  # a source that lies has another destination, and the call is to answer
            return
    y = s.array("destData", type_, dims, wanted, io="inout" if v.beta else "out")
    s.run(
        "cudnnTransformTensorEx", transDesc=transform, alpha=v.alpha, srcDesc=x, srcData=x, beta=v.beta,
        destDesc=destination, destData=y,
    )  # fmt: skip
    _claim_moved(s, v, y, type_, result)


def _claim_moved(s: Stage, v: Values, y: Operand, type_: Type, result: Any) -> None:
    unclear = max(v.fold) > 1 and s.corner(_FOLDED) == "open"
    s.claim(y, blend(v.alpha, exact(result, type_.math).free(unclear), v.beta, y.x, type_))


@procedure("cudnnTransformFilter", _CHAPTER, _ex_drawn, _EX, twists="srcData destData", signature=_ex_signed)
def transform_filter(s: Stage, v: Values) -> None:
    type_ = TYPES[v.type]
    set_scaling(s, type_)
    transform = _transform(s, v)
    x = s.filter("srcData", type_, v.x)
    result = _moved(s, v, x.x)
    y = s.filter("destData", type_, list(result.shape), v.to, io="inout" if v.beta else "out")
    s.run(
        "cudnnTransformFilter", transDesc=transform, alpha=v.alpha, srcDesc=x, srcData=x, beta=v.beta, destDesc=y, destData=y
    )  # fmt: skip
    _claim_moved(s, v, y, type_, result)
