"""Descriptors: what is set comes back, sizes and derived shapes are right. None of it needs a device."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..cases import Values
from ..draws import Draw
from ..elements import F32, TYPES
from ..names import FORMAT, NORM, RNN_LAYOUT, SEQUENCE_AXES
from ..oracles.windows import Window
from ..prototypes import PROTOTYPES
from ..registry import PROCEDURES, Body, procedure
from ..stage import DOUBLE, INT, POINTER, SIZE, Stage, ints, packed, strides_of

_CHAPTER = "Descriptors"
_DATA_TYPES = {"f32": 0, "f64": 1, "f16": 2, "i8": 3, "i32": 4, "u8": 6, "bf16": 9}
_BYTES = {"f32": 4, "f64": 8, "f16": 2, "i8": 1, "i32": 4, "u8": 1, "bf16": 2}


def _host(
    function: str, drawing: Callable[[Draw], dict[str, Any]], base: Mapping[str, Any], also: str = ""
) -> Callable[[Body], Body]:
    return procedure(function, _CHAPTER, drawing, base, share=0.3, also=also, device=False, signature=" ".join(base))


def _same(s: Stage, got: Any, wanted: Any, what: str) -> None:
    s.check(got == wanted, f"{what}: {got}, expected {wanted}")


# Plain attributes: one setter, one getter, values that come back


@dataclass(frozen=True, slots=True)
class _Plain:
    """A descriptor whose getter answers what its setter took. `values`: parameter → values that are drawn from."""

    kind: str
    setter: str
    getter: str
    values: Mapping[str, tuple[Any, ...]]


_FLOATING = (0, 1, 2, 9)
_PLAIN = (
    _Plain("Activation", "cudnnSetActivationDescriptor", "cudnnGetActivationDescriptor",
           {"mode": (1, 0, 2, 3, 4, 5, 6), "reluNanOpt": (0, 1), "coef": (6.0, 0.0, -1.5)}),
    _Plain("Activation", "cudnnSetActivationDescriptorSwishBeta", "cudnnGetActivationDescriptorSwishBeta",
           {"swish_beta": (1.5, 0.0, 1.0)}),
    _Plain("LRN", "cudnnSetLRNDescriptor", "cudnnGetLRNDescriptor",
           {"lrnN": (5, 1, 16), "lrnAlpha": (1e-4, 2.0), "lrnBeta": (0.75, 0.01), "lrnK": (2.0, 1e-5)}),
    _Plain("OpTensor", "cudnnSetOpTensorDescriptor", "cudnnGetOpTensorDescriptor",
           {"opTensorOp": (4, 0, 1, 2, 3, 5), "opTensorCompType": (0, 1), "opTensorNanOpt": (1, 0)}),
    _Plain("ReduceTensor", "cudnnSetReduceTensorDescriptor", "cudnnGetReduceTensorDescriptor",
           {"reduceTensorOp": (4, 0, 1, 2, 3, 5, 6, 7, 8), "reduceTensorCompType": (0, 1), "reduceTensorNanOpt": (1, 0),
            "reduceTensorIndices": (1, 0), "reduceTensorIndicesType": (0,)}),
    _Plain("Pooling", "cudnnSetPooling2dDescriptor", "cudnnGetPooling2dDescriptor",
           {"mode": (2, 0, 1, 3), "maxpoolingNanOpt": (1, 0), "windowHeight": (3, 1, 7), "windowWidth": (2, 5),
            "verticalPadding": (1, 0), "horizontalPadding": (0, 1), "verticalStride": (2, 1), "horizontalStride": (3, 1)}),
    _Plain("Convolution", "cudnnSetConvolution2dDescriptor", "cudnnGetConvolution2dDescriptor",
           {"pad_h": (1, 0, 3), "pad_w": (2, 0), "u": (2, 1), "v": (3, 1), "dilation_h": (2, 1), "dilation_w": (1, 4),
            "mode": (1, 0), "computeType": (0, 1, 2)}),
    _Plain("Convolution", "cudnnSetConvolutionMathType", "cudnnGetConvolutionMathType", {"mathType": (3, 0, 1, 2)}),
    _Plain("Convolution", "cudnnSetConvolutionGroupCount", "cudnnGetConvolutionGroupCount", {"groupCount": (4, 1, 32)}),
    _Plain("Convolution", "cudnnSetConvolutionReorderType", "cudnnGetConvolutionReorderType", {"reorderType": (1, 0)}),
    _Plain("Filter", "cudnnSetFilter4dDescriptor", "cudnnGetFilter4dDescriptor",
           {"dataType": _FLOATING, "format": (1, 0), "k": (8, 1), "c": (3, 16), "h": (5, 1), "w": (7, 2)}),
    _Plain("CTCLoss", "cudnnSetCTCLossDescriptor", "cudnnGetCTCLossDescriptor", {"compType": (0,)}),
    _Plain("CTCLoss", "cudnnSetCTCLossDescriptorEx", "cudnnGetCTCLossDescriptorEx",
           {"compType": (0,), "normMode": (1, 0), "gradMode": (0, 1)}),
    _Plain("CTCLoss", "cudnnSetCTCLossDescriptor_v8", "cudnnGetCTCLossDescriptor_v8",
           {"compType": (0,), "normMode": (1, 0), "gradMode": (0, 1), "maxLabelLength": (5, 1, 255)}),
    _Plain("CTCLoss", "cudnnSetCTCLossDescriptor_v9", "cudnnGetCTCLossDescriptor_v9",
           {"compType": (0,), "normMode": (1, 0), "ctcGradMode": (0, 1), "maxLabelLength": (5, 1, 255)}),
    _Plain("RNN", "cudnnRNNSetClip_v8", "cudnnRNNGetClip_v8",
           {"clipMode": (1, 0), "clipNanOpt": (1, 0), "lclip": (-0.5, -2.0), "rclip": (0.75, 3.0)}),
    _Plain("RNN", "cudnnRNNSetClip_v9", "cudnnRNNGetClip_v9",
           {"clipMode": (1, 0), "lclip": (-0.5, -2.0), "rclip": (0.75, 3.0)}),
    _Plain("RNN", "cudnnSetRNNDescriptor_v8", "cudnnGetRNNDescriptor_v8",
           {"algo": (0,), "cellMode": (2, 0, 1, 3), "biasMode": (2, 0, 1, 3), "dirMode": (1, 0), "inputMode": (0,),
            "dataType": (0, 2), "mathPrec": (0,), "mathType": (0, 3), "inputSize": (5, 1), "hiddenSize": (7, 8),
            "projSize": (7,), "numLayers": (2, 1), "dropoutDesc": (0,), "auxFlags": (1, 0)}),
    _Plain("Attn", "cudnnSetAttnDescriptor", "cudnnGetAttnDescriptor",
           {"attnMode": (0, 1, 2), "nHeads": (2, 1), "smScaler": (0.5, 1.0), "dataType": (0,), "computePrec": (0,),
            "mathType": (0, 3), "attnDropoutDesc": (0,), "postDropoutDesc": (0,), "qSize": (4, 8), "kSize": (4, 6),
            "vSize": (3, 8), "qProjSize": (5, 2), "kProjSize": (5,), "vProjSize": (2, 3), "oProjSize": (4, 6),
            "qoMaxSeqLength": (3, 9), "kvMaxSeqLength": (4, 7), "maxBatchSize": (2, 5), "maxBeamSize": (1, 4)}),
)  # fmt: skip
_TIED = {"kProjSize": "qProjSize", "projSize": "hiddenSize"}  # values that must agree
_OUTS = {"i": INT, "e": INT, "g": DOUBLE, "d": POINTER}


def _plain(plain: _Plain) -> None:
    names = [n for n in plain.values if n not in _TIED]

    def drawing(d: Draw) -> dict[str, Any]:
        return {_word(name): d.pick(*plain.values[name]) for name in names}

    def body(s: Stage, v: Values) -> None:
        given = {name: v[_word(name)] for name in names}
        given |= {name: given[other] for name, other in _TIED.items() if name in plain.values}
        if "projSize" in given:
            given["projSize"] = given["hiddenSize"]
        descriptor = s.make(plain.kind, plain.setter, **given)
        parameters = PROTOTYPES[plain.getter].parameters
        setter = PROTOTYPES[plain.setter].parameters
        kinds = {p.name: p.kind for p in setter}
        outs = {p.name: _OUTS[kinds[p.name]] for p in parameters[1:]}
        found = s.host(plain.getter, **{parameters[0].name: descriptor}, **outs)
        for p, value in zip(parameters[1:], found, strict=True):
            _same(s, value, given[p.name], p.name)

    base = {_word(name): plain.values[name][0] for name in names}
    # Several setters share a getter in 9; the first of them proves it.
    also = plain.getter if plain.getter not in PROCEDURES else ""
    _host(plain.setter, drawing, base, also)(body)


def _word(name: str) -> str:
    """A parameter's name among a case's values: `values` and the like are taken."""
    return f"{name}_" if name in ("values", "keys", "items", "get", "pop", "copy", "update", "clear") else name


for _one in _PLAIN:
    _plain(_one)


# Tensors


def _dims(d: Draw, most: int = 8) -> list[int]:
    return [d.pick(2, 3, 1, 5, 7) for _ in range(d.pick(4, 5, 3, most))]


_TENSOR = {"type": "f32", "dims": [2, 3, 4, 5], "format": "nchw", "layout": "padded"}


def _tensor_drawn(d: Draw) -> dict[str, Any]:
    return {"type": d.word("f32 f64 f16 bf16 i8 i32 u8"), "dims": _dims(d), "format": d.word("nchw nhwc"),
            "layout": d.word("padded packed nhwc spread")}  # fmt: skip


def _four(d: Draw) -> dict[str, Any]:
    return {**_tensor_drawn(d), "dims": d.sizes((2, 1), (3, 8), (4, 1), (5, 7))}


def _size_of(type_: str, dims: list[int], strides: list[int]) -> int:
    return _BYTES[type_] * (1 + sum((n - 1) * k for n, k in zip(dims, strides, strict=True)))


def _read_back(s: Stage, v: Values, descriptor: int, strides: list[int]) -> None:
    n = len(v.dims)
    found, count, dims, steps = s.host(
        "cudnnGetTensorNdDescriptor", tensorDesc=descriptor, nbDimsRequested=n, dataType=INT, nbDims=INT, dimA=ints(n),
        strideA=ints(n),
    )  # fmt: skip
    _same(s, (found, count, dims, steps), (_DATA_TYPES[v.type], n, v.dims, strides), "type, count, dimensions, strides")
    size = s.size("cudnnGetTensorSizeInBytes", tensorDesc=descriptor, size=SIZE)
    _same(s, size, _size_of(v.type, v.dims, strides), "size in bytes")


@_host(
    "cudnnSetTensorNdDescriptor", _tensor_drawn, _TENSOR,
    "cudnnGetTensorNdDescriptor cudnnGetTensorSizeInBytes",
)  # fmt: skip
def tensor_nd(s: Stage, v: Values) -> None:
    strides = strides_of(v.dims, v.layout)
    descriptor = s.make(
        "Tensor",
        "cudnnSetTensorNdDescriptor",
        dataType=_DATA_TYPES[v.type],
        nbDims=len(v.dims),
        dimA=v.dims,
        strideA=strides,
    )
    _read_back(s, v, descriptor, strides)


@_host("cudnnSetTensorNdDescriptorEx", _tensor_drawn, _TENSOR)
def tensor_nd_ex(s: Stage, v: Values) -> None:
    descriptor = s.make(
        "Tensor", "cudnnSetTensorNdDescriptorEx", format=FORMAT[v.format], dataType=_DATA_TYPES[v.type], nbDims=len(v.dims),
        dimA=v.dims,
    )  # fmt: skip
    _read_back(s, v, descriptor, strides_of(v.dims, "nhwc" if v.format == "nhwc" else "packed"))


_FOUR_OUTS = dict.fromkeys(("dataType", "n", "c", "h", "w", "nStride", "cStride", "hStride", "wStride"), INT)


def _four_back(s: Stage, v: Values, descriptor: int, strides: list[int]) -> None:
    found = s.host("cudnnGetTensor4dDescriptor", tensorDesc=descriptor, **_FOUR_OUTS)
    _same(s, list(found), [_DATA_TYPES[v.type], *v.dims, *strides], "type, dimensions, strides")
    _read_back(s, v, descriptor, strides)


@_host("cudnnSetTensor4dDescriptor", _four, _TENSOR, "cudnnGetTensor4dDescriptor")
def tensor_4d(s: Stage, v: Values) -> None:
    n, c, h, w = v.dims
    descriptor = s.make(
        "Tensor",
        "cudnnSetTensor4dDescriptor",
        format=FORMAT[v.format],
        dataType=_DATA_TYPES[v.type],
        n=n,
        c=c,
        h=h,
        w=w,
    )
    _four_back(s, v, descriptor, strides_of(v.dims, "nhwc" if v.format == "nhwc" else "packed"))


@_host("cudnnSetTensor4dDescriptorEx", _four, _TENSOR)
def tensor_4d_ex(s: Stage, v: Values) -> None:
    n, c, h, w = v.dims
    strides = strides_of(v.dims, v.layout)
    given = dict(zip(("nStride", "cStride", "hStride", "wStride"), strides, strict=True))
    descriptor = s.make(
        "Tensor", "cudnnSetTensor4dDescriptorEx", dataType=_DATA_TYPES[v.type], n=n, c=c, h=h, w=w, **given
    )
    _four_back(s, v, descriptor, strides)


def _filter_drawn(d: Draw) -> dict[str, Any]:
    return {**_tensor_drawn(d), "type": d.word("f32 f64 f16 bf16 i8 u8")}  # 32-bit integers are refused


@_host("cudnnSetFilterNdDescriptor", _filter_drawn, _TENSOR, "cudnnGetFilterNdDescriptor cudnnGetFilterSizeInBytes")
def filter_nd(s: Stage, v: Values) -> None:
    n = len(v.dims)
    descriptor = s.make(
        "Filter", "cudnnSetFilterNdDescriptor", dataType=_DATA_TYPES[v.type], format=FORMAT[v.format], nbDims=n,
        filterDimA=v.dims,
    )  # fmt: skip
    found = s.host(
        "cudnnGetFilterNdDescriptor", filterDesc=descriptor, nbDimsRequested=n, dataType=INT, format=INT, nbDims=INT,
        filterDimA=ints(n),
    )  # fmt: skip
    _same(s, found, (_DATA_TYPES[v.type], FORMAT[v.format], n, v.dims), "type, format, count, dimensions")
    size = s.size("cudnnGetFilterSizeInBytes", filterDesc=descriptor, size=SIZE)
    _same(s, size, _BYTES[v.type] * int(np.prod(v.dims)), "size in bytes")


_TRANSFORM = {"before": [0, 1, 0, 2], "after": [0, 3, 1, 0], "fold": [1, 1], "format": "nhwc", "direction": 0,
              "dims": [2, 4, 4, 6]}  # fmt: skip


def _transform_drawn(d: Draw) -> dict[str, Any]:
    axes = d.pick(2, 3)
    return {
        "before": [0, *[d.pick(0, 1) for _ in range(axes + 1)]], "after": [0, *[d.pick(1, 0, 3) for _ in range(axes + 1)]],
        "fold": [1] * axes, "format": d.word("nhwc nchw"), "direction": 0, "dims": [2, 4, *[d.pick(4, 6) for _ in range(axes)]],
    }  # fmt: skip


@_host(
    "cudnnSetTensorTransformDescriptor", _transform_drawn, _TRANSFORM,
    "cudnnGetTensorTransformDescriptor cudnnInitTransformDest",
)  # fmt: skip
def transform(s: Stage, v: Values) -> None:
    n = len(v.before)
    descriptor = s.make(
        "TensorTransform", "cudnnSetTensorTransformDescriptor", nbDims=n, destFormat=FORMAT[v.format], padBeforeA=v.before,
        padAfterA=v.after, foldA=v.fold, direction=v.direction,
    )  # fmt: skip
    found = s.host(
        "cudnnGetTensorTransformDescriptor", transformDesc=descriptor, nbDimsRequested=n, destFormat=INT,
        padBeforeA=ints(n), padAfterA=ints(n), foldA=ints(n - 2), direction=INT,
    )  # fmt: skip
    _same(s, found, (FORMAT[v.format], v.before, v.after, v.fold, v.direction), "attributes")
    if max(v.fold) > 1:
        return
    source = s.tensor_descriptor("src", F32, v.dims, packed(v.dims))
    destination = s.create("Tensor")
    size = s.size(
        "cudnnInitTransformDest", transformDesc=descriptor, srcDesc=source, destDesc=destination, destSizeInBytes=SIZE
    )
    wanted = [b + m + a for b, m, a in zip(v.before, v.dims, v.after, strict=True)]
    _, _, dims, strides = s.host(
        "cudnnGetTensorNdDescriptor", tensorDesc=destination, nbDimsRequested=n, dataType=INT, nbDims=INT, dimA=ints(n),
        strideA=ints(n),
    )  # fmt: skip
    _same(s, dims, wanted, "destination")
    _same(s, strides, strides_of(wanted, "nhwc" if v.format == "nhwc" else "packed"), "destination strides")
    _same(s, size, 4 * int(np.prod(wanted)), "size in bytes")


# Windows


_WINDOW = {"size": [3, 2], "pad": [1, 0], "stride": [2, 1], "dilation": [2, 1], "mode": 1, "x": [2, 12, 17, 20], "k": 8,
           "groups": 1}  # fmt: skip


def _window_drawn(d: Draw, axes: int = 0) -> dict[str, Any]:
    axes = axes or d.pick(2, 3)
    size = [d.pick(3, 2, 1, 5) for _ in range(axes)]
    return {
        "size": size, "pad": [d.pick(1, 0) if k > 1 else 0 for k in size], "stride": [d.pick(2, 1, 3) for _ in size],
        "dilation": [d.pick(2, 1) for _ in size], "mode": d.pick(1, 0), "x": [2, 12, *[d.pick(17, 20, 9) for _ in size]],
        "k": d.pick(8, 24), "groups": d.pick(1, 4),
    }  # fmt: skip


def _window(v: Values) -> Window:
    return Window.of(v.size, v.pad, v.stride, v.dilation)


def _convolved(s: Stage, v: Values, descriptor: int) -> tuple[int, int]:
    s.host("cudnnSetConvolutionGroupCount", convDesc=descriptor, groupCount=v.groups)
    x = s.tensor_descriptor("x", F32, v.x, packed(v.x))
    w = s.create("Filter")
    s.host(
        "cudnnSetFilterNdDescriptor", filterDesc=w, dataType=0, format=0, nbDims=len(v.x),
        filterDimA=[v.k, v.x[1] // v.groups, *v.size],
    )  # fmt: skip
    return x, w


@_host(
    "cudnnSetConvolutionNdDescriptor", _window_drawn, _WINDOW,
    "cudnnGetConvolutionNdDescriptor cudnnGetConvolutionNdForwardOutputDim",
)  # fmt: skip
def convolution_nd(s: Stage, v: Values) -> None:
    n = len(v.size)
    descriptor = s.make(
        "Convolution", "cudnnSetConvolutionNdDescriptor", arrayLength=n, padA=v.pad, filterStrideA=v.stride,
        dilationA=v.dilation, mode=v.mode, computeType=0,
    )  # fmt: skip
    found = s.host(
        "cudnnGetConvolutionNdDescriptor", convDesc=descriptor, arrayLengthRequested=n, arrayLength=INT, padA=ints(n),
        strideA=ints(n), dilationA=ints(n), mode=INT, computeType=INT,
    )  # fmt: skip
    _same(s, found, (n, v.pad, v.stride, v.dilation, v.mode, 0), "attributes")
    x, w = _convolved(s, v, descriptor)
    (sizes,) = s.host(
        "cudnnGetConvolutionNdForwardOutputDim", convDesc=descriptor, inputTensorDesc=x, filterDesc=w, nbDims=n + 2,
        tensorOuputDimA=ints(n + 2),
    )  # fmt: skip
    _same(s, sizes, [v.x[0], v.k, *_window(v).output(v.x[2:])], "output sizes")


@_host("cudnnGetConvolution2dForwardOutputDim", lambda d: _window_drawn(d, 2), _WINDOW)
def convolution_2d(s: Stage, v: Values) -> None:
    descriptor = s.make(
        "Convolution", "cudnnSetConvolution2dDescriptor", pad_h=v.pad[0], pad_w=v.pad[1], u=v.stride[0], v=v.stride[1],
        dilation_h=v.dilation[0], dilation_w=v.dilation[1], mode=v.mode, computeType=0,
    )  # fmt: skip
    x, w = _convolved(s, v, descriptor)
    sizes = s.host(
        "cudnnGetConvolution2dForwardOutputDim", convDesc=descriptor, inputTensorDesc=x, filterDesc=w, n=INT, c=INT, h=INT,
        w=INT,
    )  # fmt: skip
    _same(s, list(sizes), [v.x[0], v.k, *_window(v).output(v.x[2:])], "output sizes")


def _pooling_window(v: Values) -> Window:
    return Window.of(v.size, v.pad, v.stride)


@_host(
    "cudnnSetPoolingNdDescriptor",
    _window_drawn,
    _WINDOW,
    "cudnnGetPoolingNdDescriptor cudnnGetPoolingNdForwardOutputDim",
)
def pooling_nd(s: Stage, v: Values) -> None:
    n = len(v.size)
    descriptor = s.make(
        "Pooling", "cudnnSetPoolingNdDescriptor", mode=v.mode, maxpoolingNanOpt=1, nbDims=n, windowDimA=v.size,
        paddingA=v.pad, strideA=v.stride,
    )  # fmt: skip
    found = s.host(
        "cudnnGetPoolingNdDescriptor", poolingDesc=descriptor, nbDimsRequested=n, mode=INT, maxpoolingNanOpt=INT, nbDims=INT,
        windowDimA=ints(n), paddingA=ints(n), strideA=ints(n),
    )  # fmt: skip
    _same(s, found, (v.mode, 1, n, v.size, v.pad, v.stride), "attributes")
    x = s.tensor_descriptor("x", F32, v.x, packed(v.x))
    (sizes,) = s.host(
        "cudnnGetPoolingNdForwardOutputDim", poolingDesc=descriptor, inputTensorDesc=x, nbDims=n + 2,
        outputTensorDimA=ints(n + 2),
    )  # fmt: skip
    _same(s, sizes, [*v.x[:2], *_pooling_window(v).output(v.x[2:])], "output sizes")


@_host("cudnnGetPooling2dForwardOutputDim", lambda d: _window_drawn(d, 2), _WINDOW)
def pooling_2d(s: Stage, v: Values) -> None:
    descriptor = s.make(
        "Pooling", "cudnnSetPooling2dDescriptor", mode=v.mode, maxpoolingNanOpt=0, windowHeight=v.size[0],
        windowWidth=v.size[1], verticalPadding=v.pad[0], horizontalPadding=v.pad[1], verticalStride=v.stride[0],
        horizontalStride=v.stride[1],
    )  # fmt: skip
    x = s.tensor_descriptor("x", F32, v.x, packed(v.x))
    sizes = s.host(
        "cudnnGetPooling2dForwardOutputDim", poolingDesc=descriptor, inputTensorDesc=x, n=INT, c=INT, h=INT, w=INT
    )  # fmt: skip
    _same(s, list(sizes), [*v.x[:2], *_pooling_window(v).output(v.x[2:])], "output sizes")


# Derived descriptors, sequences, the rest


_DERIVED = {"type": "f16", "mode": 1, "x": [6, 3, 4, 5]}


def _derived_drawn(d: Draw) -> dict[str, Any]:
    return {"type": d.word("f16 f32 f64 bf16"), "mode": d.pick(1, 0, 2), "x": d.sizes((6, 1), (3, 8), (4, 1), (5, 7))}


def _derived_back(s: Stage, v: Values, descriptor: int, whole: bool) -> None:
    n = len(v.x)
    found, count, dims, _ = s.host(
        "cudnnGetTensorNdDescriptor", tensorDesc=descriptor, nbDimsRequested=n, dataType=INT, nbDims=INT, dimA=ints(n),
        strideA=ints(n),
    )  # fmt: skip
    wanted = [1, *v.x[1:]] if whole else [1, v.x[1], *[1] * (n - 2)]
    _same(s, (found, count, dims), (1 if v.type == "f64" else 0, n, wanted), "type, count, dimensions")


@_host("cudnnDeriveBNTensorDescriptor", _derived_drawn, _DERIVED)
def derive_batch_norm(s: Stage, v: Values) -> None:
    x, derived = s.tensor_descriptor("x", TYPES[v.type], v.x, packed(v.x)), s.create("Tensor")
    s.host("cudnnDeriveBNTensorDescriptor", derivedBnDesc=derived, xDesc=x, mode=v.mode)
    _derived_back(s, v, derived, v.mode == 0)


@_host("cudnnDeriveNormTensorDescriptor", lambda d: {**_derived_drawn(d), "mode": d.pick(1, 0)}, _DERIVED)
def derive_norm(s: Stage, v: Values) -> None:
    x = s.tensor_descriptor("x", TYPES[v.type], v.x, packed(v.x))
    scale, moments = s.create("Tensor"), s.create("Tensor")
    s.host(
        "cudnnDeriveNormTensorDescriptor", derivedNormScaleBiasDesc=scale, derivedNormMeanVarDesc=moments, xDesc=x, mode=v.mode,
        groupCnt=1,
    )  # fmt: skip
    for descriptor in (scale, moments):
        _derived_back(s, v, descriptor, v.mode == NORM["per_activation"])


_SEQUENCE = {"type": "f32", "layout": 0, "lengths": [4, 2, 1], "steps": 4, "width": 5, "fill": 0.5}


@_host(
    "cudnnSetRNNDataDescriptor",
    lambda d: {"type": d.word("f32 f64 f16"), "layout": d.pick(0, 1, 2), "lengths": d.pick([4, 2, 1], [3], [5, 5]),
               "steps": d.pick(5, 6), "width": d.pick(5, 1), "fill": d.pick(0.5, 0.0)},
    _SEQUENCE, "cudnnGetRNNDataDescriptor",
)  # fmt: skip
def rnn_data(s: Stage, v: Values) -> None:
    type_ = TYPES[v.type]
    n = len(v.lengths)
    steps = (
        max(v.lengths) if v.layout == RNN_LAYOUT["packed"] else v.steps
    )  # packed data has no step beyond the longest
    descriptor = s.make(
        "RNNData", "cudnnSetRNNDataDescriptor", dataType=type_.number, layout=v.layout, maxSeqLength=steps, batchSize=n,
        vectorSize=v.width, seqLengthArray=v.lengths, paddingFill=type_.encode([v.fill]),
    )  # fmt: skip
    fill = np.zeros(1, type_.dtype)
    found = s.host(
        "cudnnGetRNNDataDescriptor", rnnDataDesc=descriptor, dataType=INT, layout=INT, maxSeqLength=INT, batchSize=INT,
        vectorSize=INT, arrayLengthRequested=n, seqLengthArray=ints(n), paddingFill=fill,
    )  # fmt: skip
    _same(s, found, (type_.number, v.layout, steps, n, v.width, v.lengths), "attributes")
    _same(s, float(type_.decode(fill)[0]), float(type_.decode(type_.encode([v.fill]))[0]), "padding")


@_host(
    "cudnnSetSeqDataDescriptor",
    lambda d: {"type": d.word("f32 f64 f16"), "order": d.pick([1, 0, 2], [0, 1, 2]), "lengths": d.pick([4, 2, 1], [3], [5, 5]),
               "steps": d.pick(5, 6), "width": d.pick(5, 1), "beams": d.pick(1, 2)},
    {"type": "f32", "order": [1, 0, 2], "lengths": [4, 2, 1], "steps": 4, "width": 5, "beams": 1},
    "cudnnGetSeqDataDescriptor",
)  # fmt: skip
def sequence_data(s: Stage, v: Values) -> None:
    type_ = TYPES[v.type]
    lengths = [length for length in v.lengths for _ in range(v.beams)]
    dims = [0] * 4
    for axis, size in (("time", v.steps), ("batch", len(v.lengths)), ("beam", v.beams), ("vect", v.width)):
        dims[SEQUENCE_AXES[axis]] = size
    descriptor = s.make(
        "SeqData", "cudnnSetSeqDataDescriptor", dataType=type_.number, nbDims=4, dimA=dims, axes=[*v.order, 3],
        seqLengthArraySize=len(lengths), seqLengthArray=lengths, paddingFill=None,
    )  # fmt: skip
    found = s.host(
        "cudnnGetSeqDataDescriptor", seqDataDesc=descriptor, dataType=INT, nbDims=INT, nbDimsRequested=4, dimA=ints(4),
        axes=ints(4), seqLengthArraySize=SIZE, seqLengthSizeRequested=len(lengths), seqLengthArray=ints(len(lengths)),
        paddingFill=None,
    )  # fmt: skip
    _same(s, found, (type_.number, 4, dims, [*v.order, 3], len(lengths), lengths), "attributes")


@_host(
    "cudnnSetSpatialTransformerNdDescriptor", lambda d: {"type": d.word("f32 f64 f16"), "dims": [2, 3, d.pick(4, 7), 5]},
    {"type": "f32", "dims": [2, 3, 4, 5]},
)  # fmt: skip
def spatial_transformer(s: Stage, v: Values) -> None:
    s.make(
        "SpatialTransformer", "cudnnSetSpatialTransformerNdDescriptor", samplerType=0, dataType=TYPES[v.type].number, nbDims=4,
        dimA=v.dims,
    )  # fmt: skip


@_host(
    "cudnnDropoutGetReserveSpaceSize", lambda d: {"type": d.word("f32 f16"), "dims": _dims(d, 5)},
    {"type": "f16", "dims": [6, 3, 4, 5]},
)  # fmt: skip
def dropout_reserve(s: Stage, v: Values) -> None:
    x = s.tensor_descriptor("x", TYPES[v.type], v.dims, packed(v.dims))
    size = s.size("cudnnDropoutGetReserveSpaceSize", xdesc=x, sizeInBytes=SIZE)
    s.check(size * 8 >= int(np.prod(v.dims)), f"{size} bytes hold no mask of {int(np.prod(v.dims))}")


# Made and destroyed

_KINDS = (
    "Tensor", "Filter", "Convolution", "Pooling", "Activation", "LRN", "OpTensor", "ReduceTensor", "TensorTransform", "Dropout",
    "SpatialTransformer", "RNN", "RNNData", "SeqData", "Attn", "CTCLoss",
)  # fmt: skip


def _lifecycle(kind: str) -> None:
    create, destroy = f"cudnnCreate{kind}Descriptor", f"cudnnDestroy{kind}Descriptor"
    made, gone = PROTOTYPES[create].parameters[0].name, PROTOTYPES[destroy].parameters[0].name

    def body(s: Stage, v: Values) -> None:
        found = [s.host(create, **{made: POINTER})[0] for _ in range(v.count)]
        s.check(all(found) and len(set(found)) == len(found), f"descriptors {found}")
        for descriptor in found:
            s.host(destroy, **{gone: descriptor})

    _host(create, lambda d: {"count": d.pick(1, 3)}, {"count": 1}, destroy)(body)


for _kind in _KINDS:
    _lifecycle(_kind)
