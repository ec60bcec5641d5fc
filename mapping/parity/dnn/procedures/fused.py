"""Fused operations: a plan is made of constant parameters, and run on pointers.

An H200 has plans of a filter's gradient behind scale, bias and RELU, of batch statistics that are finished, for training
and inference, and of RELU behind scale, bias and an addition, with a bit mask that its gradient reads; its numbers were those
of the definitions. What a plan is not told of it leaves alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ...oracles.claims import Expected
from ..cases import Values
from ..draws import Draw
from ..elements import F32, I32, TYPES, Type
from ..names import ACTIVATION, BATCH_NORM, CONVOLUTION_MODE
from ..oracles import bits, convolution, norm
from ..oracles.windows import Window
from ..registry import procedure
from ..running import Real, blend, exact
from ..stage import POINTER, SIZE, Operand, Stage
from .common import parameter_type, set_scaling

_OPERATIONS = {"wgrad": 1, "training": 2, "inference": 3, "masking": 5, "masked": 6}
_ALIGNED, _NULL = 2, 0
# cudnnFusedOpsConstParamLabel_t, and the cudnnFusedOpsVariantParamLabel_t of the same pointer
_X, _DW, _DY = (0, 1, 0), (10, 11, 4), (14, 15, 6)
_MODE, _EQUIVALENT, _ACTIVATION, _CONVOLUTION, _Y_STATS, _STATS = 2, 3, 6, 7, 16, 19
_EQ_SCALE, _EQ_BIAS, _SUM, _SQUARES, _SCALE, _BIAS = (4, 1), (5, 2), (17, 7), (18, 8), (20, 10), (21, 11)
_MEAN, _INVERSE, _RUNNING_MEAN, _RUNNING_VARIANCE = (22, 12), (23, 13), (24, 14), (25, 15)
_Y, _DX = (12, 13, 5), (33, 34, 20)
_Z, _DZ = (26, 27, 16), (35, 36, 21)
_MASK, _EQUIVALENT_Z, _Z_SCALE, _Z_BIAS = (31, 32, 19), 28, (29, 17), (30, 18)
_D_SCALE, _D_BIAS = (37, 22), (38, 23)
_WORKSPACE, _WORKSPACE_SIZE, _COUNT, _FACTOR, _EPSILON = 9, 100, 101, 102, 103


class _Plan:
    """The three objects, and what is put into them."""

    def __init__(self, s: Stage, operation: int) -> None:
        self.s = s
        self.late: list[tuple[int, Operand]] = []  # every operand is declared before the first is used
        (self.plan,) = s.host("cudnnCreateFusedOpsPlan", plan=POINTER, ops=operation)
        (self.constants,) = s.host("cudnnCreateFusedOpsConstParamPack", constPack=POINTER, ops=operation)
        (self.variants,) = s.host("cudnnCreateFusedOpsVariantParamPack", varPack=POINTER, ops=operation)

    def constant(self, label: int, value: Any) -> None:
        self.s.host("cudnnSetFusedOpsConstParamPackAttribute", constPack=self.constants, paramLabel=label, param=value)

    def word(self, label: int, value: int) -> None:
        self.constant(label, np.array([value], np.int32))

    def descriptor(self, label: int, of: Operand | int) -> None:
        self.constant(label, of.desc if isinstance(of, Operand) else of)

    def make(self) -> int:
        return self.s.size("cudnnMakeFusedOpsPlan", plan=self.plan, constPack=self.constants, workspaceSizeInBytes=SIZE)

    def pointer(self, label: int, place: Operand | None) -> None:
        self.s.host("cudnnSetFusedOpsVariantParamPackAttribute", varPack=self.variants, paramLabel=label, ptr=place)

    def operand(self, labels: tuple[int, int, int], operand: Operand) -> None:
        """A descriptor, that its pointer will be given, and the pointer, set by `_run`."""
        self.descriptor(labels[0], operand)
        self.place(labels[1:], operand)

    def place(self, labels: tuple[int, ...], operand: Operand) -> None:
        self.word(labels[0], _ALIGNED)
        self.late.append((labels[1], operand))

    def number(self, label: int, value: float) -> None:
        kind = np.float64 if label in (_FACTOR, _EPSILON) else np.int64
        self.s.host(
            "cudnnSetFusedOpsVariantParamPackAttribute",
            varPack=self.variants,
            paramLabel=label,
            ptr=np.array([value], kind),
        )

    def run(self) -> None:
        self.s.run("cudnnFusedOpsExecute", plan=self.plan, varPack=self.variants)
        self.s.host("cudnnDestroyFusedOpsVariantParamPack", varPack=self.variants)
        self.s.host("cudnnDestroyFusedOpsConstParamPack", constPack=self.constants)
        self.s.host("cudnnDestroyFusedOpsPlan", plan=self.plan)


_BASE = {"operation": "training", "type": "f16", "channels": 8, "keep": [1, 1, 1, 1], "count": 24, "factor": 0.25,
         "mode": "spatial_persistent", "x": [2, 8, 5, 4], "k": 8, "taps": 3, "pad": 1, "stride": 1, "scaled": 1,
         "activation": "relu", "layout": "nhwc", "z": "plain"}  # fmt: skip


def _drawn(d: Draw) -> dict[str, Any]:
    operation = d.word("training inference wgrad masking masked")
    if operation in ("masking", "masked"):
        return {
            "operation": operation, "type": d.type("f16 f32" if operation == "masking" else "f16 f32 bf16"),
            "mode": "spatial_persistent",
            "x": [d.pick(2, 1, 3), d.pick(64, 8, 128, 24, 72 if operation == "masked" else 5), d.pick(4, 5, 1), d.pick(4, 3, 7)],
            "z": d.word("scaled plain none") if operation == "masking" else d.word("plain none"),
            "activation": d.word("relu identity absent"),
        }  # fmt: skip
    shared = {"operation": operation, "type": d.type("f16 f32 bf16"), "mode": d.word("spatial_persistent spatial")}
    if operation == "wgrad":
        taps = d.pick(1, 3)
        return shared | {
            "x": [d.pick(2, 1), d.pick(8, 5), d.pick(5, 6), d.pick(4, 7)], "k": d.pick(8, 3), "taps": taps, "pad": taps // 2,
            "stride": d.pick(1, 2), "scaled": d.pick(1, 0), "activation": d.word("relu identity absent"), "layout": d.word("nhwc packed"),
        }  # fmt: skip
    return shared | {
        "channels": d.pick(8, 1, 33), "keep": [d.pick(1, 0) for _ in range(4)], "count": d.pick(24, 2, 1000),
        "factor": d.pick(0.25, 1.0, 0.1),
    }  # fmt: skip


def _signed(v: Mapping[str, Any]) -> str:
    return f"{v['operation']} {v['type']}"


@procedure(
    "cudnnFusedOpsExecute", "Convolution", _drawn, _BASE, signature=_signed, share=0.7,
    also="cudnnMakeFusedOpsPlan cudnnCreateFusedOpsPlan",
)  # fmt: skip
def fused(s: Stage, v: Values) -> None:
    type_ = TYPES[v.type]
    set_scaling(s, type_)
    plan = _Plan(s, _OPERATIONS[v.operation])
    plan.word(_MODE, BATCH_NORM[v.mode])
    if v.operation == "wgrad":
        _gradient(s, v, plan, type_)
    elif v.operation == "masking":
        _masking(s, v, plan, type_)
    elif v.operation == "masked":
        _masked(s, v, plan, type_)
    else:
        _statistics(s, v, plan, type_, v.operation == "training")


def _gradient(s: Stage, v: Values, plan: _Plan, type_: Type) -> None:
    window = Window.of([v.taps] * 2, [v.pad] * 2, [v.stride] * 2, [1, 1])
    conv = s.make(
        "Convolution", "cudnnSetConvolutionNdDescriptor", arrayLength=2, padA=[v.pad] * 2, filterStrideA=[v.stride] * 2,
        dilationA=[1, 1], mode=CONVOLUTION_MODE["cross_correlation"], computeType=parameter_type(type_).number,
    )  # fmt: skip
    x = s.tensor("x", type_, v.x, v.layout)
    dy = s.tensor("dy", type_, [v.x[0], v.k, *window.output(v.x[2:])], v.layout)
    dw = s.filter("dw", type_, [v.k, v.x[1], v.taps, v.taps], "nhwc" if v.layout == "nhwc" else "nchw", io="out")
    plan.descriptor(_CONVOLUTION, conv)
    image = exact(x.x, type_.math)
    pointers = [(_X, x), (_DW, dw), (_DY, dy)]
    for (desc, place, _), operand in pointers:
        plan.descriptor(desc, operand)
        plan.word(place, _ALIGNED)
    given: list[tuple[int, Operand]] = [(label, operand) for (_, _, label), operand in pointers]
    if v.scaled:
        row = [1, v.x[1], 1, 1]
        scale, bias = s.tensor("scale", type_, row), s.tensor("bias", type_, row)
        plan.descriptor(_EQUIVALENT, scale)
        for (place, label), operand in ((_EQ_SCALE, scale), (_EQ_BIAS, bias)):
            plan.word(place, _ALIGNED)
            given.append((label, operand))
        image = (image * exact(scale.x, type_.math)).stored(type_) + exact(bias.x, type_.math)
    if _activation(s, v, plan):
        image = Real(np.maximum(image.v, 0), image.e, image.u)
    image = image.stored(type_)
    need = plan.make()
    work = s.space("work", need)
    for label, operand in given:
        plan.pointer(label, operand)
    plan.pointer(_WORKSPACE, work)
    plan.number(_WORKSPACE_SIZE, need)
    plan.run()
    result = convolution.backward_filter(image, exact(dy.x, type_.math), window, 1, "cross_correlation")
    s.claim(dw, blend(1.0, result, 0.0, dw.x, type_))


def _eighths(s: Stage, name: str, type_: Type, dims: list[int], layout: str = "packed") -> Operand:
    """Numbers whose products and sums floats hold, so that a bit has one right value."""
    rng = np.random.default_rng([s.case.seed, *name.encode()])
    return s.tensor(name, type_, dims, layout, values=rng.integers(-31, 32, dims) / 8)


def _mask_dims(sizes: list[int]) -> list[int]:
    """As NVIDIA's library asks: rows in thirty-twos, two words for 64 channels."""
    places = sizes[0] * sizes[2] * sizes[3]
    return [-(-places // 32) * 32, -(-sizes[1] // 64) * 2, 1]


def _activation(s: Stage, v: Values, plan: _Plan) -> bool:
    """Whether it is RELU. Where none is given there is none, as with IDENTITY."""
    if v.activation != "absent":
        mode = ACTIVATION[v.activation]
        made = s.make("Activation", "cudnnSetActivationDescriptor", mode=mode, reluNanOpt=0, coef=0.0)
        plan.descriptor(_ACTIVATION, made)
    return bool(v.activation == "relu")


def _run(s: Stage, plan: _Plan) -> None:
    need = plan.make()
    work = s.space("work", need)
    for label, operand in plan.late:
        plan.pointer(label, operand)
    plan.pointer(_WORKSPACE, work)
    plan.number(_WORKSPACE_SIZE, need)
    plan.run()


def _masking(s: Stage, v: Values, plan: _Plan, type_: Type) -> None:
    row = [1, v.x[1], 1, 1]
    x, scale, bias = (
        _eighths(s, "x", type_, v.x, "nhwc"), _eighths(s, "scale", type_, row), _eighths(s, "bias", type_, row),
    )  # fmt: skip
    y = s.tensor("y", type_, v.x, "nhwc", io="out")
    relu = _activation(s, v, plan)
    mask = s.tensor("mask", I32, _mask_dims(v.x), io="out" if relu else "in")  # IDENTITY leaves it alone
    plan.operand(_X, x)
    plan.descriptor(_EQUIVALENT, scale)
    plan.place(_EQ_SCALE, scale)
    plan.place(_EQ_BIAS, bias)
    total = x.x * scale.x + bias.x
    if v.z != "none":
        z = _eighths(s, "z", type_, v.x, "nhwc")
        plan.operand(_Z, z)
        added = z.x
        if v.z == "scaled":
            z_scale, z_bias = _eighths(s, "z's scale", type_, row), _eighths(s, "z's bias", type_, row)
            plan.descriptor(_EQUIVALENT_Z, z_scale)
            plan.place(_Z_SCALE, z_scale)
            plan.place(_Z_BIAS, z_bias)
            added = added * z_scale.x + z_bias.x
        total = total + added
    plan.operand(_Y, y)
    plan.operand(_MASK, mask)
    _run(s, plan)
    if not relu:
        s.claim(y, exact(total, type_.math).stored(type_))
        return
    s.claim(y, exact(np.maximum(total, 0), type_.math).stored(type_))
    flags = np.moveaxis(np.asarray(total) < 0, 1, -1).reshape(-1, v.x[1])
    places, known = mask.index.reshape(-1), bits.known(*flags.shape)
    s.claims.append(Expected(mask.home.name, places[known], bits.words(flags)[known], np.zeros(int(known.sum()))))
    s.leave_open(mask, places[~known])


def _masked(s: Stage, v: Values, plan: _Plan, type_: Type) -> None:
    row = [1, v.x[1], 1, 1]
    rng = np.random.default_rng(s.case.seed)
    flags = rng.integers(0, 2, [v.x[0], *v.x[2:], v.x[1]]) == 1
    dims = _mask_dims(v.x)
    words = bits.words(flags.reshape(-1, v.x[1]))
    x, dy = _eighths(s, "x", type_, v.x, "nhwc"), s.tensor("dy", type_, v.x, "nhwc")
    mask = s.tensor("mask", I32, dims, values=words.reshape(dims))
    scale, mean = _eighths(s, "scale", F32, row), _eighths(s, "mean", F32, row)
    bias = s.tensor("bias", F32, row, values=rng.integers(-31, 32, row) / 8 + 2**-12)  # so that RELU is not given a 0
    inverse = s.tensor("inverse", F32, row, values=rng.integers(4, 17, row) / 8)
    dx = s.tensor("dx", type_, v.x, "nhwc", io="out")
    d_scale, d_bias = s.tensor("dscale", F32, row, io="out"), s.tensor("dbias", F32, row, io="out")
    plan.descriptor(_STATS, scale)
    relu = _activation(s, v, plan)
    for labels, operand in ((_X, x), (_DY, dy), (_DX, dx), (_MASK, mask)):
        plan.operand(labels, operand)
    for place, operand in (
        (_SCALE, scale), (_BIAS, bias), (_MEAN, mean), (_INVERSE, inverse), (_D_SCALE, d_scale), (_D_BIAS, d_bias),
    ):  # fmt: skip
        plan.place(place, operand)
    dz = s.tensor("dz", type_, v.x, "nhwc", io="out" if relu else "in") if v.z != "none" else None
    if dz is not None:
        plan.operand(_DZ, dz)
    _run(s, plan)
    u = F32.math
    if not relu:  # the gradient itself, and a dz stays as it is
        passed, dz = dy.x, None
    elif dz is None:  # nothing was added: what RELU was given is computed again, and no mask is read
        passed = np.where(scale.x * (x.x - mean.x) * inverse.x + bias.x > 0, dy.x, 0)
    else:
        passed = np.where(np.moveaxis(flags, -1, 1), 0, dy.x)
    result = norm.backward(
        exact(x.x, u), exact(passed, u), exact(scale.x, u), exact(mean.x, u), exact(inverse.x, u), "spatial"
    )
    if dz is not None:
        s.claim(dz, exact(passed, u).stored(type_))
    s.claim(dx, result.x.stored(type_))
    s.claim(d_scale, result.scale.stored(F32))
    s.claim(d_bias, result.bias.stored(F32))


def _statistics(s: Stage, v: Values, plan: _Plan, type_: Type, training: bool) -> None:
    row, n, epsilon = [1, v.channels, 1, 1], v.count, 1e-3
    rng = np.random.default_rng(s.case.seed)
    mean, spread = rng.uniform(-2, 2, row), rng.uniform(0.5, 2, row)
    sums = s.tensor("sum", F32, row, values=n * mean)
    squares = s.tensor("squares", F32, row, values=n * (mean * mean + spread))
    scale, bias = s.tensor("scale", F32, row), s.tensor("bias", F32, row)
    kept = [place if training else 1 for place in v.keep]
    old_mean = s.tensor("running mean", F32, row, io="inout" if training and kept[2] else "in")
    old_variance = s.tensor(
        "running variance", F32, row, values=rng.uniform(0.5, 2, row), io="inout" if training and kept[3] else "in"
    )
    saved = [s.tensor(name, F32, row, io="out") if training and keep else None
             for name, keep in zip(("mean", "inverse"), kept, strict=False)]  # fmt: skip
    eq_scale, eq_bias = (
        s.tensor("equivalent scale", type_, row, io="out"),
        s.tensor("equivalent bias", type_, row, io="out"),
    )
    plan.descriptor(_STATS, scale)
    plan.descriptor(_EQUIVALENT, eq_scale)
    pointers: list[tuple[tuple[int, int], Operand | None, int]] = [
        (_SCALE, scale, 1), (_BIAS, bias, 1), (_EQ_SCALE, eq_scale, 1), (_EQ_BIAS, eq_bias, 1),
        (_RUNNING_MEAN, old_mean, kept[2]), (_RUNNING_VARIANCE, old_variance, kept[3]),
    ]  # fmt: skip
    if training:
        plan.descriptor(_Y_STATS, sums)
        pointers += [(_SUM, sums, 1), (_SQUARES, squares, 1), (_MEAN, saved[0], kept[0]), (_INVERSE, saved[1], kept[1])]
    for (place, _), _operand, asked in pointers:
        plan.word(place, _ALIGNED if asked else _NULL)
    s.check(plan.make() == 0, "such a plan needs no workspace")
    for (_, label), operand, asked in pointers:
        plan.pointer(label, operand if asked else None)
    plan.number(_EPSILON, epsilon)
    if training:
        plan.number(_COUNT, n)
        plan.number(_FACTOR, v.factor)
    plan.run()
    u = F32.math
    if training:
        middle = exact(sums.x, u) / n
        variance = exact(squares.x, u) / n - middle * middle
    else:
        middle, variance = exact(old_mean.x, u), exact(old_variance.x, u)
    inverse = 1 / (variance + epsilon).sqrt()
    folded = exact(scale.x, u) * inverse
    s.claim(eq_scale, folded.stored(type_))
    s.claim(eq_bias, (exact(bias.x, u) - middle * folded).stored(type_))
    if not training:
        return
    if saved[0] is not None:
        s.claim(saved[0], middle.stored(F32))
    if saved[1] is not None:
        s.claim(saved[1], inverse.stored(F32))
    if kept[2]:
        s.claim(old_mean, norm.running(exact(old_mean.x, u), middle, v.factor).stored(F32))
    if kept[3]:
        s.claim(old_variance, norm.running(exact(old_variance.x, u), norm.unbiased(variance, n), v.factor).stored(F32))
