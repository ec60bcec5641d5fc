"""Fused calls: plans of convolution, bias, normalisation and activation, and ConvolutionBiasActivationForward."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import pytest
from miopen_client import (
    BAD_PARM,
    DOUBLE,
    FLOAT,
    HALF,
    NOT_IMPLEMENTED,
    ONE,
    SUCCESS,
    TYPE_NAMES,
    UNKNOWN,
    ZERO,
    Miopen,
    Tensor,
    number,
    random,
)
from miopen_naive import convolve

UNSUPPORTED = 8
RELU = 3


class Case:
    """A 3×3 convolution of two images, 3 → 4 channels."""

    def __init__(self, api: Miopen, type: int = FLOAT) -> None:
        self.api = api
        self.x, self.w = Tensor(api, random(2, 3, 5, 4), type), Tensor(api, random(4, 3, 3, 3), type)
        self.z, self.y = Tensor(api, random(2, 4, 5, 4), type), Tensor(api, np.full((2, 4, 5, 4), np.nan), type)
        self.bias = Tensor(api, random(1, 4, 1, 1), type)
        self.conv = api.make("Convolution")
        assert api.raw("InitConvolutionDescriptor", self.conv, 0, 1, 1, 1, 1, 1, 1) == SUCCESS
        self.sums = convolve(self.x.values, self.w.values, (2, 4, 5, 4), (1, 1), (1, 1), (1, 1), 1)
        self.sizes = convolve(abs(self.x.values), abs(self.w.values), (2, 4, 5, 4), (1, 1), (1, 1), (1, 1), 1)

    def call(self, alpha: Any, beta: Any, z: Tensor, activation: int = RELU, bias: Tensor | None = None) -> int:
        bias = bias or self.bias
        desc = self.api.set("Activation", activation, 0.0, 0.0, 0.0)
        return self.api.call(
            "ConvolutionBiasActivationForward", alpha, self.x.desc, self.x.memory, self.w.desc, self.w.memory, self.conv, 1,
            None, 0, beta, z.desc, z.memory, bias.desc, bias.memory, desc, self.y.desc, self.y.memory,
        )  # fmt: skip

    def answers(self, wanted: Any, alpha: float, beta: float) -> None:
        """Floats: γ of 27 products and three additions of the sum of sizes, in any order (a step is two units of roundoff).
        Halves are computed in float and rounded once."""
        sizes = alpha * self.sizes + beta * abs(self.z.values) + abs(self.bias.values)
        if self.y.type == FLOAT:
            self.y.close_to(wanted, sizes, steps=(27 + 3) / 2)
        else:
            self.y.close_to(wanted, 30.0, steps=1)


@pytest.mark.parametrize("type", [FLOAT, HALF], ids=TYPE_NAMES.get)
def test_bias_and_residual(api: Miopen, type: int) -> None:
    case = Case(api, type)
    plain = case.sums + case.bias.values
    assert case.call(number(2), number(0.5), case.z) == SUCCESS
    case.answers(np.maximum(2 * case.sums + 0.5 * case.z.values + case.bias.values, 0), 2, 0.5)
    assert case.call(None, None, case.z) == SUCCESS  # missing factors are 1
    case.answers(np.maximum(plain + case.z.values, 0), 1, 1)
    case.y.view[...] = case.z.view
    assert case.call(ONE, ONE, case.y) == SUCCESS  # z is y
    case.answers(np.maximum(plain + case.z.values, 0), 1, 1)


def test_only_relu(api: Miopen) -> None:
    case = Case(api)
    for mode in (0, 1, 2, 7, 9):
        assert case.call(ONE, ONE, case.z, mode) == NOT_IMPLEMENTED
    assert case.call(ONE, ONE, Tensor(api, random(2, 4, 5, 3))) == BAD_PARM
    assert case.call(ONE, ONE, case.z, bias=Tensor(api, random(1, 5, 1, 1))) == BAD_PARM
    double = Case(api, DOUBLE)
    assert double.call(ONE, ONE, double.z) == NOT_IMPLEMENTED


class Plan:
    def __init__(self, api: Miopen, input: Tensor) -> None:
        self.api, self.input = api, input
        self.plan = self._make("CreateFusionPlan", 0, input.desc)
        self.args = self._make("CreateOperatorArgs")

    def _make(self, name: str, *rest: Any, first: int | None = None) -> int:
        place = ctypes.c_void_p()
        before = () if first is None else (first,)
        assert self.api.raw(name, *before, ctypes.byref(place), *rest) == SUCCESS
        assert place.value
        return place.value

    def op(self, name: str, *rest: Any) -> int:
        return self._make(f"CreateOp{name}", *rest, first=self.plan)

    def compile(self) -> int:
        return self.api.call("CompileFusionPlan", self.plan)

    def run(self, output: Tensor) -> int:
        i = self.input
        return self.api.call("ExecuteFusionPlan", self.plan, i.desc, i.memory, output.desc, output.memory, self.args)

    def close(self) -> None:
        assert self.api.raw("DestroyFusionPlan", self.plan) == SUCCESS
        assert self.api.raw("DestroyOperatorArgs", self.args) == SUCCESS


@pytest.mark.parametrize("type", [FLOAT, HALF], ids=TYPE_NAMES.get)
@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("norm", [None, 0, 1])
@pytest.mark.parametrize("act", [None, 1, RELU, 9])
def test_plan(api: Miopen, bias: bool, norm: int | None, act: int | None, type: int) -> None:
    case = Case(api, type)
    plan = Plan(api, case.x)
    wanted = 1.5 * case.sums
    conv = plan.op("ConvForward", case.conv, case.w.desc)
    assert api.raw("SetOpArgsConvForward", plan.args, conv, number(1.5), ZERO, case.w.memory) == SUCCESS
    if bias:
        op = plan.op("BiasForward", case.bias.desc)
        assert api.raw("SetOpArgsBiasForward", plan.args, op, ONE, ZERO, case.bias.memory) == SUCCESS
        wanted = wanted + case.bias.values
    if norm is not None:
        lens = (1, 4, 1, 1) if norm else (1, 4, 5, 4)
        params = [Tensor(api, random(*lens, low=0.5)) for _ in range(4)]  # float, also beside half
        scale, shift, mean, variance = (p.values for p in params)
        op = plan.op("BatchNormInference", norm, params[0].desc)
        assert (
            api.raw("SetOpArgsBatchNormInference", plan.args, op, ONE, ZERO, *(p.memory for p in params), 1e-3)
            == SUCCESS
        )
        wanted = scale * (wanted - mean) / np.sqrt(variance + 1e-3) + shift
    if act is not None:
        op = plan.op("ActivationForward", act)
        assert api.raw("SetOpArgsActivForward", plan.args, op, ONE, ZERO, 0.5, 0.0, 0.0) == SUCCESS
        wanted = {
            1: lambda v: 1 / (1 + np.exp(-v)), RELU: lambda v: np.maximum(v, 0),
            9: lambda v: np.where(v > 0, v, 0.5 * (np.exp(np.minimum(v, 0)) - 1)),
        }[act](wanted)  # fmt: skip
    assert plan.compile() == SUCCESS
    assert plan.run(case.y) == SUCCESS
    case.y.close_to(wanted, 60.0, steps=2)
    place = ctypes.c_void_p()
    assert api.raw("FusionPlanGetOp", plan.plan, 0, ctypes.byref(place)) == SUCCESS
    assert place.value == conv
    plan.close()


def test_without_convolution(api: Miopen) -> None:
    case = Case(api)
    plan = Plan(api, case.z)
    norm = [Tensor(api, random(1, 4, 1, 1, low=0.5)) for _ in range(4)]
    first, second = plan.op("BatchNormInference", 1, norm[0].desc), plan.op("ActivationForward", RELU)
    assert plan.compile() == SUCCESS
    assert plan.run(case.y) == BAD_PARM  # no arguments yet
    assert (
        api.raw("SetOpArgsBatchNormInference", plan.args, first, ONE, ZERO, *(p.memory for p in norm), 0.0) == SUCCESS
    )
    assert api.raw("SetOpArgsActivForward", plan.args, second, ONE, ZERO, 0.0, 0.0, 0.0) == SUCCESS
    assert api.raw("SetOpArgsActivForward", plan.args, first, ONE, ZERO, 0.0, 0.0, 0.0) == UNKNOWN
    assert plan.run(case.y) == SUCCESS
    scale, shift, mean, variance = (p.values for p in norm)
    case.y.close_to(np.maximum(scale * (case.z.values - mean) / np.sqrt(variance) + shift, 0), 10.0)
    plan.close()


def test_plans_that_do_not_compile(api: Miopen) -> None:
    case = Case(api)
    empty = Plan(api, case.x)
    assert empty.compile() == UNSUPPORTED
    order = Plan(api, case.x)
    order.op("ActivationForward", RELU)
    order.op("ConvForward", case.conv, case.w.desc)
    assert order.compile() == UNSUPPORTED
    twice = Plan(api, case.x)
    twice.op("BiasForward", api.tensor(FLOAT, (1, 3, 1, 1)))
    twice.op("BiasForward", api.tensor(FLOAT, (1, 3, 1, 1)))
    assert twice.compile() == UNSUPPORTED
    wrong = Plan(api, case.x)
    wrong.op("ConvForward", case.conv, case.w.desc)
    wrong.op("BiasForward", api.tensor(FLOAT, (1, 5, 1, 1)))
    assert wrong.compile() == UNSUPPORTED
    double = Plan(api, Tensor(api, random(2, 3, 5, 4), DOUBLE))
    double.op("ActivationForward", RELU)
    assert double.compile() == UNSUPPORTED
    good = Plan(api, case.x)
    good.op("ActivationForward", RELU)
    assert good.run(case.x) == BAD_PARM  # not compiled
    assert good.compile() == SUCCESS
    assert good.run(case.y) == BAD_PARM  # another shape
    for plan in (empty, order, twice, wrong, double, good):
        plan.close()
