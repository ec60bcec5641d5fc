"""Batch normalisation: inference, training, backward, with and without activation."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from miopen_client import (
    BAD_PARM,
    BFLOAT16,
    DOUBLE,
    FLOAT,
    HALF,
    NOT_IMPLEMENTED,
    ONE,
    SUCCESS,
    TYPE_NAMES,
    UNKNOWN,
    ZERO,
    Array,
    Miopen,
    Tensor,
    channels_last,
    default_strides,
    gapped,
    number,
    random,
)
from miopen_naive import batch_norm, gradient

PER_ACTIVATION, SPATIAL = 0, 1
EPSILON = 1e-3
SHAPES = {"image": (3, 2, 3, 4), "volume": (2, 3, 2, 3, 2), "one image": (1, 2, 2, 2)}
TYPES = {"float": (FLOAT, FLOAT), "half": (HALF, HALF), "mixed half": (HALF, FLOAT), "mixed bf16": (BFLOAT16, FLOAT)}
shapes = pytest.mark.parametrize("lens", SHAPES.values(), ids=SHAPES)
types = pytest.mark.parametrize("types", TYPES.values(), ids=TYPES)
modes = pytest.mark.parametrize("mode", [PER_ACTIVATION, SPATIAL], ids=["per activation", "spatial"])
layouts = pytest.mark.parametrize("layout", [default_strides, channels_last])


class Case:
    def __init__(self, api: Miopen, mode: int, lens: tuple[int, ...], types: tuple[int, int], layout: Any) -> None:
        self.api, self.mode = api, mode
        self.x = Tensor(api, random(*lens), types[0], layout(lens))
        self.y = Tensor(api, np.full(lens, np.nan), types[0], layout(lens))
        self.axes = (0, *range(2, len(lens))) if mode == SPATIAL else (0,)
        few = tuple(1 if i in self.axes else n for i, n in enumerate(lens))
        self.count = self.x.values.size // int(np.prod(few))

        def params(low: float = -2.0) -> Tensor:
            return Tensor(api, random(*few, low=low), types[1])

        self.scale, self.bias, self.mean, self.variance = params(), params(), params(), params(0.1)
        self.saved_mean, self.saved_inverse = params(), params()
        self.tensors = (self.x.desc, self.x.memory, self.y.desc, self.y.memory)

    def moments(self) -> tuple[Array, Array]:
        mean = self.x.values.mean(axis=self.axes, keepdims=True)
        return mean, ((self.x.values - mean) ** 2).mean(axis=self.axes, keepdims=True)

    def train(self, factor: float = 0.25, *, running: bool = True, saved: bool = True, alpha: Array = ONE) -> int:
        return self.api.call(
            "BatchNormalizationForwardTraining", self.mode, alpha, ZERO, *self.tensors, self.scale.desc,
            self.scale.memory, self.bias.memory, factor, self.mean.memory if running else None,
            self.variance.memory if running else None, EPSILON, self.saved_mean.memory if saved else None,
            self.saved_inverse.memory if saved else None,
        )  # fmt: skip

    def infer(self, alpha: Array = ONE, beta: Array = ZERO) -> int:
        return self.api.call(
            "BatchNormalizationForwardInference", self.mode, alpha, beta, *self.tensors, self.scale.desc,
            self.scale.memory, self.bias.memory, self.mean.memory, self.variance.memory, EPSILON,
        )  # fmt: skip


@shapes
@types
@modes
@layouts
def test_inference(api: Miopen, lens: tuple[int, ...], types: tuple[int, int], mode: int, layout: Any) -> None:
    case = Case(api, mode, lens, types, layout)
    wanted = case.scale.values * (case.x.values - case.mean.values) / np.sqrt(case.variance.values + EPSILON)
    assert case.infer() == SUCCESS
    case.y.close_to(wanted + case.bias.values, steps=1)


@shapes
@types
@modes
@layouts
def test_training(api: Miopen, lens: tuple[int, ...], types: tuple[int, int], mode: int, layout: Any) -> None:
    case = Case(api, mode, lens, types, layout)
    mean, variance = case.moments()
    running = 0.75 * case.mean.values + 0.25 * mean
    unbiased = variance * case.count / max(1, case.count - 1)
    running_variance = 0.75 * case.variance.values + 0.25 * unbiased
    assert case.train() == SUCCESS
    case.y.close_to(batch_norm(case.x.values, case.scale.values, case.bias.values, EPSILON, case.axes), 4.0, steps=1)
    case.mean.close_to(running, steps=1)
    case.variance.close_to(running_variance, steps=1)
    case.saved_mean.close_to(mean, steps=1)
    case.saved_inverse.close_to(1 / np.sqrt(variance + EPSILON), steps=1)


@modes
def test_training_keeps_only_what_is_wanted(api: Miopen, mode: int) -> None:
    case = Case(api, mode, (3, 2, 3, 4), (FLOAT, FLOAT), default_strides)
    before = [t.memory.copy() for t in (case.mean, case.variance, case.saved_mean, case.saved_inverse)]
    assert case.train(running=False, saved=False) == SUCCESS
    after = [t.memory for t in (case.mean, case.variance, case.saved_mean, case.saved_inverse)]
    assert all(np.array_equal(a, b) for a, b in zip(before, after, strict=True))


def test_factor_one_keeps_nan_of_running_values(api: Miopen) -> None:
    case = Case(api, SPATIAL, (3, 2, 3, 4), (FLOAT, FLOAT), default_strides)
    case.mean.view[...] = np.nan
    assert case.train(1.0) == SUCCESS
    assert np.isnan(case.mean.values).all()


def test_inference_without_estimates_takes_the_batchs(api: Miopen) -> None:
    case = Case(api, SPATIAL, (3, 2, 3, 4), (FLOAT, FLOAT), default_strides)
    arguments = (SPATIAL, ONE, ZERO, *case.tensors, case.scale.desc, case.scale.memory, case.bias.memory, None, None)
    api.ok("BatchNormalizationForwardInference", *arguments, EPSILON)
    case.y.close_to(batch_norm(case.x.values, case.scale.values, case.bias.values, EPSILON, case.axes), 4.0)


ACTIVATIONS: dict[int, Any] = {
    0: lambda v: v,
    3: lambda v: v * (v.real > 0),
    7: lambda v: np.where(v.real > 1.5, 1.5, v * (v.real > 0)),
    10: lambda v: np.where(v.real > 0.5, 0.5, np.where(v.real < 0.25, 0.25, v)),
}


def activation(api: Miopen, mode: int) -> int:
    return api.set("Activation", mode, *((0.25, 0.5) if mode == 10 else (1.5, 0.0)), 0.0)


@pytest.mark.parametrize("act", [None, *ACTIVATIONS])
@pytest.mark.parametrize("types", [TYPES["float"], TYPES["mixed half"]], ids=["float", "mixed half"])
@pytest.mark.parametrize("saved", [True, False], ids=["saved", "computed anew"])
@modes
def test_backward(api: Miopen, mode: int, saved: bool, types: tuple[int, int], act: int | None) -> None:
    case = Case(api, mode, (3, 2, 2, 3), types, channels_last)
    dy, dx = (Tensor(api, random(3, 2, 2, 3), types[0], channels_last((3, 2, 2, 3))) for _ in range(2))
    dx.view[...] = np.nan
    d_scale, d_bias = (Tensor(api, case.scale.values * np.nan, types[1]) for _ in range(2))
    mean, variance = case.moments()
    case.saved_mean.view[...], case.saved_inverse.view[...] = mean, 1 / np.sqrt(variance + EPSILON)
    function = ACTIVATIONS[act or 0]

    def loss(x: Array, scale: Array, bias: Array) -> Any:
        return (function(batch_norm(x, scale, bias, EPSILON, case.axes)) * dy.values).sum()

    x, scale, bias = case.x.values, case.scale.values, case.bias.values
    start = [mode, ONE, ZERO, ONE, ZERO, *case.tensors[:2], dy.desc, dy.memory, dx.desc, dx.memory, case.scale.desc]
    kept = [case.saved_mean.memory, case.saved_inverse.memory] if saved else [None, None]
    if act is None:
        api.ok("BatchNormalizationBackward", *start, case.scale.memory, d_scale.memory, d_bias.memory, EPSILON, *kept)
    else:
        api.ok(
            "BatchNormBackwardActivation", *start, *[case.scale.desc] * 3, case.scale.memory, case.bias.memory,
            d_scale.memory, d_bias.memory, EPSILON, *kept, activation(api, act),
        )  # fmt: skip
    size = 20.0
    dx.close_to(gradient(lambda v: loss(v, scale, bias), x), size)
    d_scale.close_to(gradient(lambda v: loss(x, v, bias), scale), size)
    d_bias.close_to(gradient(lambda v: loss(x, scale, v), bias), size)


@pytest.mark.parametrize("act", ACTIVATIONS)
@modes
def test_with_activation(api: Miopen, mode: int, act: int) -> None:
    case = Case(api, mode, (3, 2, 3, 4), (FLOAT, FLOAT), default_strides)
    middle = [mode, ONE, ZERO, *case.tensors, *[case.scale.desc] * 4, case.scale.memory, case.bias.memory]
    plain = batch_norm(case.x.values, case.scale.values, case.bias.values, EPSILON, case.axes)
    api.ok("BatchNormForwardTrainingActivation", *middle, 0.5, None, None, EPSILON, None, None, activation(api, act))
    case.y.close_to(ACTIVATIONS[act](plain), 4.0)
    plain = case.scale.values * (case.x.values - case.mean.values) / np.sqrt(case.variance.values + EPSILON)
    estimates = (case.mean.memory, case.variance.memory, EPSILON)
    api.ok("BatchNormForwardInferenceActivation", *middle, *estimates, activation(api, act))
    case.y.close_to(ACTIVATIONS[act](plain + case.bias.values), 8.0)
    logistic = api.set("Activation", 1, 0.0, 0.0, 0.0)
    assert api.call("BatchNormForwardInferenceActivation", *middle, *estimates, logistic) == NOT_IMPLEMENTED
    assert api.call("BatchNormForwardInferenceActivation", *middle, *estimates, None) == BAD_PARM


def test_derived_descriptor(api: Miopen) -> None:
    derived = api.make("Tensor")
    type, lens, strides = np.zeros(1, np.int32), np.zeros(5, np.int32), np.zeros(5, np.int32)
    for x, wanted in (
        ((2, 3, 4, 5), {0: [1, 3, 4, 5], 1: [1, 3, 1, 1], 2: [1, 3, 4, 5]}),
        ((2, 3, 4, 5, 6), {0: [1, 3, 4, 5, 6], 1: [1, 3, 1, 1, 1]}),
    ):
        desc = api.tensor(HALF, x)
        for mode, shape in wanted.items():
            assert api.raw("DeriveBNTensorDescriptor", derived, desc, mode) == SUCCESS
            assert api.raw("GetTensorDescriptor", derived, type, lens, strides) == SUCCESS
            assert (type[0], lens[: len(shape)].tolist()) == (FLOAT, shape)  # float whatever x is
    assert api.raw("DeriveBNTensorDescriptor", derived, None, 0) == BAD_PARM


def test_refusals(api: Miopen) -> None:
    case = Case(api, SPATIAL, (3, 2, 3, 4), (FLOAT, FLOAT), default_strides)
    assert case.train(alpha=number(2)) == UNKNOWN
    assert case.infer(alpha=number(2)) == case.infer(beta=ONE) == BAD_PARM
    dy = case.y
    good = [SPATIAL, ONE, ZERO, ONE, ZERO, *case.tensors[:2], dy.desc, dy.memory, dy.desc, dy.memory, case.scale.desc,
            case.scale.memory, case.mean.memory, case.variance.memory, EPSILON, None, None]  # fmt: skip
    assert api.call("BatchNormalizationBackward", *good) == SUCCESS
    for i, wrong in ((1, number(2)), (2, ONE), (3, number(2)), (4, ONE)):
        assert api.call("BatchNormalizationBackward", *good[:i], wrong, *good[i + 1 :]) == BAD_PARM
    for i in (5, 6, 7, 8, 9, 10, 11, 12, 13, 14):
        assert api.call("BatchNormalizationBackward", *good[:i], None, *good[i + 1 :]) == BAD_PARM
    assert api.call("BatchNormalizationBackward", 2, *good[1:]) == BAD_PARM  # parameters that do not fit
    for types, wanted in (
        ((DOUBLE, DOUBLE), NOT_IMPLEMENTED), ((FLOAT, HALF), NOT_IMPLEMENTED), ((BFLOAT16, BFLOAT16), NOT_IMPLEMENTED),
    ):  # fmt: skip
        assert Case(api, SPATIAL, (3, 2, 3, 4), types, default_strides).train() == wanted, TYPE_NAMES[types[0]]
    wide = Case(api, SPATIAL, (3, 2, 3, 4), (FLOAT, FLOAT), gapped)
    assert wide.train() == BAD_PARM  # packed only
    other = Case(api, PER_ACTIVATION, (3, 2, 3, 4), (FLOAT, FLOAT), default_strides)
    other.mode = 2  # any other number is per activation
    assert other.train() == SUCCESS
    other.y.close_to(batch_norm(other.x.values, other.scale.values, other.bias.values, EPSILON, (0,)), 4.0)
