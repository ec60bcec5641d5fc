"""Convolution forward, its gradients, the fused call, im2col, and the queries for an algorithm: what programs do before a call.

cuDNN's algorithms are asked for by number. Where the library does not offer the drawn one, the call goes on with the first that
it offers, as frameworks do."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..cases import Values
from ..corners import corner
from ..draws import Draw
from ..elements import I8, I32, TYPES, U8, Type
from ..names import ACTIVATION, CONVOLUTION_MODE, MATH, refuses
from ..oracles import activation
from ..oracles import convolution as oracle
from ..oracles.windows import Window
from ..registry import procedure
from ..running import Real, blend, exact
from ..stage import INT, SIZE, Operand, Out, RefusedError, Stage, ints
from .common import output, parameter_type, set_scaling

_CHAPTER = "Convolution"
TF32_U = 2.0**-11  # of inputs, where NVIDIA's default math multiplies floats as TF32
TENSOR_U = 2.0**-22  # of sums in matrix units, which truncate
_TRANSFORMS = {  # direction → algorithms that work in another basis
    "Forward": {4: "fft", 5: "fft", 6: "winograd", 7: "winograd"},
    "BackwardData": {2: "fft", 3: "fft", 4: "winograd", 5: "winograd"},
    "BackwardFilter": {2: "fft", 4: "winograd", 5: "winograd", 6: "fft"},
}
_FIRST = {"Forward": (1, 0), "BackwardData": (1, 0), "BackwardFilter": (1, 0)}


class _Perf(ctypes.Structure):
    """cudnnConvolution…AlgoPerf_t: the same for all three directions."""

    _fields_ = [
        ("algo", ctypes.c_int), ("status", ctypes.c_int), ("time", ctypes.c_float), ("memory", ctypes.c_size_t),
        ("determinism", ctypes.c_int), ("math", ctypes.c_int), ("reserved", ctypes.c_int * 3),
    ]  # fmt: skip


_BASE: dict[str, Any] = {
    "type": "f32", "x": [2, 4, 7, 6], "k": 6, "taps": [3, 2], "pad": [1, 0], "stride": [2, 1], "dilation": [1, 1], "groups": 1,
    "mode": "cross_correlation", "math": "fma", "layout": "packed", "algorithm": 1, "alpha": 2.0, "beta": 0.5, "into": "",
}  # fmt: skip


def _shape(d: Draw) -> dict[str, Any]:
    axes = d.pick(2, 2, 2, 3, 2, 1)
    groups = d.pick(1, 1, 1, 2, 3)
    type_ = d.type()
    layout = d.word("packed packed nhwc nhwc padded")
    # NVIDIA's matrix units want channels in eights; odd numbers take the other way.
    c, k = d.pick((3, 5), (1, 2), (8, 8), (5, 7), (4, 16))
    taps = [d.pick(3, 1, 2, 5) for _ in range(axes)]
    dilation = [d.pick(1, 1, 1, 2, 3) for _ in range(axes)]
    pad = [d.pick(0, 1, 2) for _ in range(axes)]
    extents = [(t - 1) * e + 1 for t, e in zip(taps, dilation, strict=True)]
    spatial = [max(e - 2 * p, 1) + d.pick(2, 3, 5, 0, 8) for e, p in zip(extents, pad, strict=True)]
    if axes == 2 and d.flag(1, 6):  # a one-dimensional convolution as frameworks write it
        spatial[0], taps[0], pad[0], dilation[0] = 1, 1, 0, 1
    return {
        "type": type_,
        "x": [d.pick(2, 1, 3), c * groups, *spatial],
        "k": k * groups,
        "taps": taps,
        "pad": pad,
        "stride": [d.pick(1, 1, 2, 3) for _ in range(axes)],
        "dilation": dilation,
        "groups": groups,
        "mode": d.word("cross_correlation cross_correlation convolution"),
        "math": d.word("fma fma default"),
        "layout": layout,
        "algorithm": d.pick(1, 0, 1, 2, 4, 5, 6, 7),
        "into": "",  # the type of y, if it is not x's
    }


def _drawn(d: Draw) -> dict[str, Any]:
    return {**_shape(d), **d.blend()}


def _forward_drawn(d: Draw) -> dict[str, Any]:
    """Bytes too, into int8 or float; factors with which floats make no mistake. Into int32 factors are int32 (seen on an H200)."""
    if not d.flag(1, 6):
        return _drawn(d)
    if d.flag(1, 4):
        return {**_shape(d), "type": "i8", "into": "i32", "alpha": 1.0, "beta": 0.0}
    factors = {"alpha": d.pick(1.0, 0.0625, 0.5, -0.25), "beta": d.pick(0.0, 1.0, 0.5)}
    return {**_shape(d), "type": d.word("i8 u8"), "into": d.word("i8 f32"), **factors}


def _signed(v: Mapping[str, Any]) -> str:
    """What tells one configuration from another, for NVIDIA's refusals."""
    words = [v["type"], v["layout"], f"{len(v['taps'])}-d", v["mode"], f"{v['math']} math"]
    words += ["groups"] * (v["groups"] > 1) + ["dilated"] * (max(v["dilation"]) > 1)
    return " ".join([*words, v["activation"]] if "activation" in v else words)


@dataclass
class _Problem:
    """Descriptors and sizes of one convolution, whatever its direction."""

    s: Stage
    v: Values
    type: Type
    window: Window
    descriptor: int
    sizes: list[int]

    @property
    def filter_form(self) -> str:
        return "nhwc" if self.v.layout == "nhwc" else "nchw"

    @property
    def w_dims(self) -> list[int]:
        return [self.v.k, self.v.x[1] // self.v.groups, *self.v.taps]

    @property
    def plain(self) -> str:
        """Layout of what the library lays out itself: a crop only where the program says so."""
        return "packed" if self.v.layout == "padded" else str(self.v.layout)

    @property
    def u(self) -> float:
        if self.s.subject.kind != "cpu" and self.type.name in ("f16", "bf16"):
            return TENSOR_U
        return self.type.math

    def real(self, operand: Operand) -> Real:
        """What a product takes of an input: all of it, or what TF32 keeps."""
        loose = self.s.subject.kind == "nvidia" and self.type.name == "f32" and self.v.math != "fma"
        x = operand.x
        return Real(x, np.abs(x) * TF32_U, self.u) if loose else exact(x, self.u)

    def basis(self, direction: str, algorithm: int) -> str:
        """The basis that the library may have computed in: AMD's chooses for itself."""
        if self.s.subject.kind == "cpu":
            return "direct"
        if self.s.subject.kind == "rocm":
            return "winograd"
        return _TRANSFORMS[direction].get(algorithm, "direct")


def _problem(s: Stage, v: Values) -> _Problem:
    type_ = TYPES[v.type]
    set_scaling(s, type_)
    descriptor = s.make(
        "Convolution", "cudnnSetConvolutionNdDescriptor", arrayLength=len(v.taps), padA=v.pad, filterStrideA=v.stride,
        dilationA=v.dilation, mode=CONVOLUTION_MODE[v.mode],
        computeType=(I32 if type_ in (I8, U8) else parameter_type(type_)).number,
    )  # fmt: skip
    s.host("cudnnSetConvolutionGroupCount", convDesc=descriptor, groupCount=v.groups)
    s.host("cudnnSetConvolutionMathType", convDesc=descriptor, mathType=MATH[v.math])
    window = Window.of(v.taps, v.pad, v.stride, v.dilation)
    return _Problem(s, v, type_, window, descriptor, [v.x[0], v.k, *window.output(v.x[2:])])


def _chosen(p: _Problem, direction: str, arguments: dict[str, Any], ask: str) -> tuple[int, int]:
    """(algorithm, workspace size): the drawn one if the library offers it, or what a query answers."""
    s = p.s
    if ask == "number":
        for algorithm in (p.v.algorithm, *_FIRST[direction]):
            try:
                query = f"cudnnGetConvolution{direction}WorkspaceSize"
                return algorithm, s.size(query, algo=algorithm, sizeInBytes=SIZE, **arguments)
            except RefusedError as refusal:
                if not refuses(refusal.status, s.version) or algorithm == _FIRST[direction][-1]:
                    raise
    (most,) = s.host(f"cudnnGetConvolution{direction}AlgorithmMaxCount", count=INT)
    s.check(most >= 1, f"at most {most} algorithms")
    names = {"Forward": ("x", "w", "conv", "y"), "BackwardData": ("w", "dy", "conv", "dx"),
             "BackwardFilter": ("x", "dy", "conv", "dw")}[direction]  # fmt: skip
    wanted = dict(zip(names, arguments.values(), strict=True))
    if ask == "get":
        named = {
            "Forward": ("srcDesc", "filterDesc", "convDesc", "destDesc"),
            "BackwardData": ("filterDesc", "diffDesc", "convDesc", "gradDesc"),
            "BackwardFilter": ("srcDesc", "diffDesc", "convDesc", "gradDesc"),
        }[direction]
        call: Callable[..., Any] = s.host
        name = f"cudnnGetConvolution{direction}Algorithm_v7"
        given = dict(zip(named, wanted.values(), strict=True))
    else:
        name = f"cudnnFindConvolution{direction}Algorithm" + ("Ex" if ask == "find_ex" else "")
        given, call = dict(arguments), s.run
        if ask == "find_ex":
            other = {"dy": "y"} if direction == "BackwardFilter" else {}
            given |= {other.get(k, k): o for k, o in wanted.items() if isinstance(o, Operand)}
            given |= {"workSpace": s.space("search", 1 << 20), "workSpaceSizeInBytes": 1 << 20}
    count, results = INT, Out(_Perf, max(most, 1))
    if call is s.run:
        s.upload()
    returned, perfs = s.host(
        name, requestedAlgoCount=most, returnedAlgoCount=count, perfResults=results, **given
    )  # fmt: skip
    s.check(1 <= returned <= most, f"{returned} of at most {most} results")
    found = perfs[:returned]
    s.check(len({(f.algo, f.math) for f in found}) == len(found), "one algorithm stands there twice")
    good = [f for f in found if f.status == 0]
    if not good:
        raise RefusedError(name, found[0].status if found else 0)
    s.check(found[0].status == 0, "the first result is not the best")
    return int(good[0].algo), int(good[0].memory)


def _forward(ask: str) -> Callable[[Stage, Values], None]:
    def body(s: Stage, v: Values) -> None:
        p = _problem(s, v)
        pixels = np.random.default_rng(s.case.seed).integers(0, 256, v.x) if p.type is U8 else None
        x = s.tensor("x", p.type, v.x, v.layout, values=pixels)
        w = s.filter("w", I8 if p.type is U8 else p.type, p.w_dims, p.filter_form)
        y = output(s, "y", TYPES[v.into or v.type], p.sizes, p.plain, v.beta)
        if y.type is I32:
            s.scaling = I32
        if ask == "number":
            n = len(v.x)
            (sizes,) = s.host(
                "cudnnGetConvolutionNdForwardOutputDim", convDesc=p.descriptor, inputTensorDesc=x, filterDesc=w,
                nbDims=n, tensorOuputDimA=ints(n),
            )  # fmt: skip
            s.check(sizes == p.sizes, f"output sizes {sizes}, expected {p.sizes}")
        space = _spaced(s, ask)
        algorithm, size = _chosen(p, "Forward", {"xDesc": x, "wDesc": w, "convDesc": p.descriptor, "yDesc": y}, ask)
        work = _work(s, space, size)
        s.run(
            "cudnnConvolutionForward", alpha=v.alpha, xDesc=x, x=x, wDesc=w, w=w, convDesc=p.descriptor, algo=algorithm,
            workSpace=work, workSpaceSizeInBytes=size, beta=v.beta, yDesc=y, y=y,
        )  # fmt: skip
        a, b = p.real(x), p.real(w)
        result = oracle.forward(a, b, p.window, v.groups, v.mode)
        if v.into:
            if y.type is I32:
                s.claim_exact(y, result.v)
                return
            if y.type is not I8:
                s.claim(y, blend(v.alpha, exact(result.v, y.type.math), v.beta, y.x, y.type))
                return
            whole = v.alpha * np.asarray(result.v, np.float64) + (v.beta * y.x if v.beta else 0)
            s.claim_exact(y, np.clip(np.rint(whole), -128, 127))
            return
        result = oracle.transformed(result, a, b, p.basis("Forward", algorithm), int(np.prod(p.w_dims[1:])))
        s.claim(y, blend(v.alpha, result, v.beta, y.x, p.type))

    return body


def _spaced(s: Stage, ask: str) -> Operand | None:
    """A workspace for a search, which begins to use memory before the algorithm's own is known."""
    return s.space("work", 1 << 22) if ask.startswith("find") else None


def _work(s: Stage, space: Operand | None, size: int) -> Operand | None:
    if space is None:
        return s.space("work", size)
    if size > space.size:
        raise RefusedError(f"a workspace of {size} bytes", 3000 if s.version >= 9 else 9)
    return space


def _backward_data(ask: str) -> Callable[[Stage, Values], None]:
    def body(s: Stage, v: Values) -> None:
        p = _problem(s, v)
        w = s.filter("w", p.type, p.w_dims, p.filter_form)
        dy = s.tensor("dy", p.type, p.sizes, p.plain)
        dx = output(s, "dx", p.type, v.x, v.layout, v.beta)
        space = _spaced(s, ask)
        given = {"wDesc": w, "dyDesc": dy, "convDesc": p.descriptor, "dxDesc": dx}
        algorithm, size = _chosen(p, "BackwardData", given, ask)
        work = _work(s, space, size)
        s.run(
            "cudnnConvolutionBackwardData", alpha=v.alpha, wDesc=w, w=w, dyDesc=dy, dy=dy, convDesc=p.descriptor,
            algo=algorithm, workSpace=work, workSpaceSizeInBytes=size, beta=v.beta, dxDesc=dx, dx=dx,
        )  # fmt: skip
        a, b = p.real(dy), p.real(w)
        result = oracle.backward_data(a, b, p.window, v.groups, v.mode, v.x[2:])
        terms = v.k // v.groups * int(np.prod(v.taps))
        result = oracle.transformed(result, a, b, p.basis("BackwardData", algorithm), terms)
        s.claim(dx, blend(v.alpha, result, v.beta, dx.x, p.type))

    return body


def _backward_filter(ask: str) -> Callable[[Stage, Values], None]:
    def body(s: Stage, v: Values) -> None:
        p = _problem(s, v)
        x = s.tensor("x", p.type, v.x, v.layout)
        dy = s.tensor("dy", p.type, p.sizes, p.plain)
        dw = s.filter("dw", p.type, p.w_dims, p.filter_form, io="inout" if v.beta else "out")
        space = _spaced(s, ask)
        if ask == "number" or ask == "get":
            given = {"xDesc": x, "dyDesc": dy, "convDesc": p.descriptor, "gradDesc": dw}
        else:
            given = {"xDesc": x, "dyDesc": dy, "convDesc": p.descriptor, "dwDesc": dw}
        algorithm, size = _chosen(p, "BackwardFilter", given, ask)
        work = _work(s, space, size)
        s.run(
            "cudnnConvolutionBackwardFilter", alpha=v.alpha, xDesc=x, x=x, dyDesc=dy, dy=dy, convDesc=p.descriptor,
            algo=algorithm, workSpace=work, workSpaceSizeInBytes=size, beta=v.beta, dwDesc=dw, dw=dw,
        )  # fmt: skip
        a, b = p.real(x), p.real(dy)
        result = oracle.backward_filter(a, b, p.window, v.groups, v.mode)
        terms = p.sizes[0] * int(np.prod(p.sizes[2:]))
        result = oracle.transformed(result, a, b, p.basis("BackwardFilter", algorithm), terms)
        s.claim(dw, blend(v.alpha, result, v.beta, dw.x, p.type))

    return body


def _quiet(d: Draw) -> dict[str, Any]:
    """For searches, which may try their candidates on the output itself: beta = 0."""
    return {**_shape(d), "alpha": d.scale(), "beta": 0.0}


_QUIET = {**_BASE, "beta": 0.0}
_DIRECTIONS = (
    ("Forward", _forward, "x w y", "x w"),
    ("BackwardData", _backward_data, "w dy dx", "dy w"),
    ("BackwardFilter", _backward_filter, "x dy dw", "x dy"),
)
for _direction, _body, _twists, _poison in _DIRECTIONS:
    procedure(
        f"cudnnConvolution{_direction}", _CHAPTER, _forward_drawn if _direction == "Forward" else _drawn, _BASE,
        twists=_twists, signature=_signed, poison=_poison, share=2.0, also=f"cudnnGetConvolution{_direction}WorkspaceSize",
    )(_body("number"))  # fmt: skip
    procedure(
        f"cudnnGetConvolution{_direction}Algorithm_v7", _CHAPTER, _quiet, _QUIET, twists=_twists, signature=_signed,
        share=0.5, also=f"cudnnGetConvolution{_direction}AlgorithmMaxCount",
    )(_body("get"))  # fmt: skip
    procedure(
        f"cudnnFindConvolution{_direction}Algorithm", _CHAPTER, _quiet, _QUIET, signature=_signed, share=0.2
    )(_body("find"))  # fmt: skip
    procedure(
        f"cudnnFindConvolution{_direction}AlgorithmEx", _CHAPTER, _quiet, _QUIET, signature=_signed, share=0.2
    )(_body("find_ex"))  # fmt: skip


def _bias_drawn(d: Draw) -> dict[str, Any]:
    values = _shape(d)
    return {"type": values["type"], "dy": [*values["x"]], "layout": values["layout"], **d.blend()}


@procedure(
    "cudnnConvolutionBackwardBias", _CHAPTER, _bias_drawn,
    {"type": "f32", "dy": [2, 3, 4, 5], "layout": "packed", "alpha": 2.0, "beta": 0.5}, twists="dy db",
    signature="type layout", poison="dy",
)  # fmt: skip
def backward_bias(s: Stage, v: Values) -> None:
    type_ = TYPES[v.type]
    set_scaling(s, type_)
    dy = s.tensor("dy", type_, v.dy, v.layout)
    db = output(s, "db", type_, [1, v.dy[1], *[1] * (len(v.dy) - 2)], "packed", v.beta)
    s.run("cudnnConvolutionBackwardBias", alpha=v.alpha, dyDesc=dy, dy=dy, beta=v.beta, dbDesc=db, db=db)
    result = oracle.backward_bias(exact(dy.x, type_.math))
    s.claim(db, blend(v.alpha, result, v.beta, db.x, type_))


def _fused_drawn(d: Draw) -> dict[str, Any]:
    values = _shape(d)
    activation_ = d.word("relu relu identity")
    return {
        **values,
        "type": d.type("f32 f32 f16 f64 bf16"),
        "activation": activation_,
        # Without activation only this algorithm is allowed.
        "algorithm": 1 if activation_ == "identity" else values["algorithm"],
        "alpha": d.scale(),
        "alpha2": d.keep(),
        "z": d.word("apart y apart"),
    }


@procedure(
    "cudnnConvolutionBiasActivationForward", _CHAPTER, _fused_drawn,
    {**{k: v for k, v in _BASE.items() if k != "beta"}, "activation": "relu", "alpha2": 0.5, "z": "apart"},
    twists="x w z bias y", signature=_signed, poison="x bias", share=1.5,
)  # fmt: skip
def bias_activation_forward(s: Stage, v: Values) -> None:
    p = _problem(s, v)
    x = s.tensor("x", p.type, v.x, v.layout)
    w = s.filter("w", p.type, p.w_dims, p.filter_form)
    on_y = v.z == "y"
    y = s.tensor("y", p.type, p.sizes, p.plain, io="inout" if on_y and v.alpha2 else "out")
    z = y if on_y else s.tensor("z", p.type, p.sizes, p.plain)
    bias = s.tensor("bias", p.type, [1, v.k, *[1] * len(v.taps)])
    act = s.make("Activation", "cudnnSetActivationDescriptor", mode=ACTIVATION[v.activation], reluNanOpt=0, coef=0.0)
    given = {"xDesc": x, "wDesc": w, "convDesc": p.descriptor, "yDesc": y}
    algorithm, size = _chosen(p, "Forward", given, "number")
    work = s.space("work", size)
    s.run(
        "cudnnConvolutionBiasActivationForward", alpha1=v.alpha, xDesc=x, x=x, wDesc=w, w=w, convDesc=p.descriptor,
        algo=algorithm, workSpace=work, workSpaceSizeInBytes=size, alpha2=v.alpha2, zDesc=z, z=z, biasDesc=bias, bias=bias,
        activationDesc=act, yDesc=y, y=y,
    )  # fmt: skip
    a, b = p.real(x), p.real(w)
    result = oracle.forward(a, b, p.window, v.groups, v.mode)
    result = oracle.transformed(result, a, b, p.basis("Forward", algorithm), int(np.prod(p.w_dims[1:])))
    # A library that has no such call rounds to the output's type between the steps.
    result = result.stored(p.type) * v.alpha
    if v.alpha == 0:
        result = result.free(~np.isfinite(result.v))
    if v.alpha2:
        result = result + exact(z.x, p.u) * v.alpha2
    result = (result.stored(p.type) + exact(bias.x, p.u)).stored(p.type)
    if v.activation == "relu":
        result = activation.forward(result, "relu", 0.0, 1.0, False).free(np.isnan(result.v))
    s.claim(y, result.stored(p.type))


_ORDER = corner(
    "im2col: order of the matrix", "crs,npq npq,crs n,crs,pq rsc,npq npq,rsc", "cudnnIm2Col", x=[2, 3, 6, 5], taps=[3, 2],
)  # fmt: skip


def _columns_drawn(d: Draw) -> dict[str, Any]:
    values = _shape(d)
    return {k: values[k] for k in ("type", "x", "k", "taps", "pad", "stride", "dilation", "groups", "mode", "math")} | {
        "groups": 1, "layout": d.word("packed packed padded"),
    }  # fmt: skip


@procedure(
    "cudnnIm2Col", _CHAPTER, _columns_drawn,
    {k: v for k, v in _BASE.items() if k not in ("algorithm", "alpha", "beta")}, twists="x w",
    signature="type layout axes mode", poison="x", share=0.7,
)  # fmt: skip
def im2col(s: Stage, v: Values) -> None:
    p = _problem(s, v)
    x = s.tensor("x", p.type, v.x, v.layout)
    w = s.filter("w", p.type, p.w_dims)
    # Every output reads one value of each channel and tap.
    count = int(np.prod([v.x[0], *p.sizes[2:], v.x[1], *v.taps]))
    columns = s.array("colBuffer", p.type, [count], io="out")
    s.run("cudnnIm2Col", xDesc=x, x=x, wDesc=w, convDesc=p.descriptor, colBuffer=columns)
    order = s.corner(_ORDER)
    if order == "open":
        s.leave_open(columns)
    else:
        s.claim(columns, exact(oracle.columns(x.x, p.window, v.mode, order), p.u))
