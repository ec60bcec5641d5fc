"""Folded descriptors: a data gradient by way of them must be the gradient itself.

The function only answers descriptors. What they are worth shows where they are used as programs use them: the filter is
folded, the output's gradient padded, a gradient without strides computed and unfolded. Beside that each transformation must
lead to the very descriptor that came with it. With dilation beside strides, groups or a true convolution NVIDIA's
descriptors fold taps that do not belong together, so no result is promised; what they say there is in
`tests/parity/test_folded.py`."""

from __future__ import annotations

from typing import Any

from ..cases import Values
from ..draws import Draw
from ..elements import TYPES
from ..names import CONVOLUTION_MODE, FORMAT, MATH
from ..oracles import convolution as oracle
from ..oracles.windows import Window
from ..registry import procedure
from ..running import Real, blend, exact
from ..stage import INT, SIZE, Operand, Stage, ints
from .common import parameter_type, set_scaling

_KINDS = ("Filter", "Tensor", "Convolution", "Tensor", *["TensorTransform"] * 4)
_NAMES = (
    "foldedFilterDesc", "paddedDiffDesc", "foldedConvDesc", "foldedGradDesc", "filterFoldTransDesc", "diffPadTransDesc",
    "gradFoldTransDesc", "gradUnfoldTransDesc",
)  # fmt: skip
_BASE = {"type": "f32", "x": [2, 4, 8, 7], "k": 6, "taps": [3, 2], "pad": [1, 0], "stride": [2, 3], "layout": "packed",
         "to": "nhwc"}  # fmt: skip


def _drawn(d: Draw) -> dict[str, Any]:
    taps = [d.pick(3, 1, 2, 5, 7) for _ in "hw"]
    pad = [d.pick(0, 1, 2, 3) for _ in "hw"]
    return {
        "type": d.type("f32 f16 f64"),
        "x": [d.pick(2, 1), d.pick(4, 3, 8), *[max(t - 2 * p, 1) + d.pick(4, 5, 7, 8) for t, p in zip(taps, pad, strict=True)]],
        "k": d.pick(8, 3, 6), "taps": taps, "pad": pad, "stride": [d.pick(2, 1, 3) for _ in "hw"],
        "layout": d.word("packed nhwc"), "to": d.word("nchw nhwc"),
    }  # fmt: skip


def _transformed(s: Stage, function: str, trans: Any, from_: Any, x: Any, to: Any, y: Any) -> None:
    s.run(function, transDesc=trans, alpha=1.0, srcDesc=from_, srcData=x, beta=0.0, destDesc=to, destData=y)


@procedure(
    "cudnnGetFoldedConvBackwardDataDescriptors", "Convolution", _drawn, _BASE, signature="type layout to", share=0.5
)
def folded(s: Stage, v: Values) -> None:
    type_ = TYPES[v.type]
    set_scaling(s, type_)
    window = Window.of(v.taps, v.pad, v.stride, [1, 1])
    sizes = [v.x[0], v.k, *window.output(v.x[2:])]
    conv = s.make(
        "Convolution", "cudnnSetConvolutionNdDescriptor", arrayLength=2, padA=v.pad, filterStrideA=v.stride, dilationA=[1, 1],
        mode=CONVOLUTION_MODE["cross_correlation"], computeType=parameter_type(type_).number,
    )  # fmt: skip
    s.host("cudnnSetConvolutionMathType", convDesc=conv, mathType=MATH["fma"])
    w = s.filter("w", type_, [v.k, v.x[1], *v.taps], "nhwc" if v.layout == "nhwc" else "nchw")
    dy = s.tensor("dy", type_, sizes, v.layout)
    dx = s.tensor("dx", type_, v.x, v.layout, io="out")
    made = dict(zip(_NAMES, (s.create(kind) for kind in _KINDS), strict=True))
    s.host(
        "cudnnGetFoldedConvBackwardDataDescriptors", filterDesc=w, diffDesc=dy, convDesc=conv, gradDesc=dx,
        transformFormat=FORMAT[v.to], **made,
    )  # fmt: skip
    filter_, padded, plain, grad, fold_w, pad_dy, fold_dx, unfold_dx = made.values()
    _leads(s, fold_dx, dx, grad)
    _leads(s, pad_dy, dy, padded)
    spaces = {
        "folded w": s.size("cudnnGetFilterSizeInBytes", filterDesc=filter_, size=SIZE),
        "padded dy": s.size("cudnnGetTensorSizeInBytes", tensorDesc=padded, size=SIZE),
        "folded dx": s.size("cudnnGetTensorSizeInBytes", tensorDesc=grad, size=SIZE),
    }
    given: dict[str, Any] = {"wDesc": filter_, "dyDesc": padded, "convDesc": plain, "dxDesc": grad, "algo": 1}
    need = s.size("cudnnGetConvolutionBackwardDataWorkspaceSize", sizeInBytes=SIZE, **given)
    a, b, c = (_there(s.space(name, size)) for name, size in spaces.items())
    work = s.space("work", need)
    _transformed(s, "cudnnTransformFilter", fold_w, w, w, filter_, a)
    _transformed(s, "cudnnTransformTensorEx", pad_dy, dy, dy, padded, b)
    s.run(
        "cudnnConvolutionBackwardData", alpha=1.0, w=a, dy=b, workSpace=work, workSpaceSizeInBytes=need, beta=0.0, dx=c,
        **given,
    )  # fmt: skip
    _transformed(s, "cudnnTransformTensorEx", unfold_dx, grad, c, dx, dx)
    left, right = exact(dy.x, type_.math), exact(w.x, type_.math)
    result: Real = oracle.backward_data(left, right, window, 1, "cross_correlation", v.x[2:])
    s.claim(dx, blend(1.0, result, 0.0, dx.x, type_))


def _there(space: Operand | None) -> Operand:
    assert space is not None  # no tensor is empty
    return space


def _leads(s: Stage, transform: int, source: Operand, destination: int) -> None:
    """A transformation's destination is the tensor that came with it."""
    made = s.create("Tensor")
    s.host("cudnnInitTransformDest", transformDesc=transform, srcDesc=source, destDesc=made, destSizeInBytes=SIZE)
    found, wanted = (
        s.host(
            "cudnnGetTensorNdDescriptor", tensorDesc=t, nbDimsRequested=4, dataType=INT, nbDims=INT, dimA=ints(4),
            strideA=ints(4),
        )
        for t in (made, destination)
    )  # fmt: skip
    s.check(found == wanted, f"the transformation gives {found}, its tensor is {wanted}")
