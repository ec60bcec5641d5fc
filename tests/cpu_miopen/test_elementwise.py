"""Activation, softmax and local response normalisation."""

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
    INTERNAL,
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
from miopen_naive import lrn_back, lrn_scale, slope, softmax, softmax_back

TYPES = pytest.mark.parametrize("type", [FLOAT, HALF], ids=TYPE_NAMES.get)
A, B, G = 0.75, 1.5, 2.0

MODES: dict[str, tuple[int, Any]] = {
    "pass": (0, lambda x: x),
    "logistic": (1, lambda x: 1 / (1 + np.exp(-x))),
    "tanh": (2, lambda x: B * np.tanh(A * x)),
    "relu": (3, lambda x: np.where(x > 0, x, 0)),
    "softrelu": (4, lambda x: np.log(1 + np.exp(x))),
    "abs": (5, np.abs),
    "power": (6, lambda x: np.where(A + B * x > 0, np.abs(A + B * x) ** G, 0)),
    "clipped": (7, lambda x: np.minimum(A, np.maximum(x, 0))),
    "leaky": (8, lambda x: np.where(x > 0, x, A * x)),
    "elu": (9, lambda x: np.where(x > 0, x, A * (np.exp(x) - 1))),
    "clamp": (10, lambda x: np.minimum(B, np.maximum(x, A))),
}


def points(*lens: int) -> Array:
    """Away from the corners of all functions above, so that each has a slope."""
    x = random(*lens, low=-3, high=3)
    for corner in (0.0, A, B, -A / B):
        x = np.where(abs(x - corner) < 0.02, x + 0.05, x)
    return x.astype(np.float16).astype(float)


@TYPES
@pytest.mark.parametrize("name", MODES)
def test_activation(api: Miopen, name: str, type: int) -> None:
    mode, function = MODES[name]
    descriptor = api.set("Activation", mode, A, B, G)
    x, y = Tensor(api, points(2, 3, 4, 5), type), Tensor(api, points(2, 3, 4, 5) * np.nan, type)
    api.ok("ActivationForward", descriptor, ONE, x.desc, x.memory, ZERO, y.desc, y.memory)
    y.close_to(function(x.values), steps=1)
    dy, dx = Tensor(api, random(2, 3, 4, 5), type), Tensor(api, x.values * np.nan, type)
    pairs = [part for t in (y, dy, x) for part in (t.desc, t.memory)]
    api.ok("ActivationBackward", descriptor, ONE, *pairs, ZERO, dx.desc, dx.memory)
    wanted = slope(function, x.values) * (dy.values if name != "power" else 1)  # POWER forgets dy
    dx.close_to(wanted, 1.0, steps=8 if type == HALF else 200)  # through y, which was rounded; and a difference


@pytest.mark.parametrize("lens", [(7,), (3, 5), (2, 3, 4), (2, 3, 4, 2, 3), (70, 31, 9, 3)])
def test_activation_of_any_packed_tensor(api: Miopen, lens: tuple[int, ...]) -> None:
    x, y = Tensor(api, random(*lens)), Tensor(api, random(*lens))
    relu = api.set("Activation", 3, 0.0, 0.0, 0.0)
    api.ok("ActivationForward", relu, ONE, x.desc, x.memory, ZERO, y.desc, y.memory)
    y.close_to(np.maximum(x.values, 0), steps=0)


def test_activation_takes_packed_tensors_as_they_lie(api: Miopen) -> None:
    x = Tensor(api, random(2, 3, 4, 5), FLOAT, channels_last((2, 3, 4, 5)))
    y = Tensor(api, random(2, 3, 4, 5))
    relu = api.set("Activation", 3, 0.0, 0.0, 0.0)
    api.ok("ActivationForward", relu, ONE, x.desc, x.memory, ZERO, y.desc, y.memory)
    assert np.array_equal(y.memory, np.maximum(x.memory, 0))


def test_activation_strides(api: Miopen) -> None:
    relu = api.set("Activation", 3, 0.0, 0.0, 0.0)
    for lens, forward, backward in (
        ((2, 3, 4, 5), SUCCESS, NOT_IMPLEMENTED), ((1, 1, 4, 5), SUCCESS, SUCCESS), ((2, 3, 4, 2, 3), NOT_IMPLEMENTED, NOT_IMPLEMENTED),
    ):  # fmt: skip
        x, y = (Tensor(api, random(*lens), FLOAT, gapped(lens)) for _ in range(2))
        status = api.call("ActivationForward", relu, ONE, x.desc, x.memory, ZERO, y.desc, y.memory)
        assert status == forward
        if status == SUCCESS:
            y.close_to(np.maximum(x.values, 0), steps=0)
        pairs = [x.desc, x.memory] * 3
        assert api.call("ActivationBackward", relu, ONE, *pairs, ZERO, y.desc, y.memory) == backward
        if backward == SUCCESS:
            y.close_to(np.maximum(x.values, 0), steps=0)


def test_relu_keeps_nan_and_softrelu_does_not_overflow(api: Miopen) -> None:
    x = Tensor(api, np.array([np.nan, 1, -1, np.inf, 200, -200]).reshape(1, 1, 2, 3))
    y = Tensor(api, np.zeros((1, 1, 2, 3)))
    api.ok("ActivationForward", api.set("Activation", 3, 0, 0, 0), ONE, x.desc, x.memory, ZERO, y.desc, y.memory)
    assert np.isnan(y.values[0, 0, 0, 0])
    assert y.values.flat[1:].tolist() == [1, 0, np.inf, 200, 0]
    api.ok("ActivationForward", api.set("Activation", 4, 0, 0, 0), ONE, x.desc, x.memory, ZERO, y.desc, y.memory)
    assert y.values.flat[3:].tolist() == [np.inf, 200, 0]


def test_activation_refuses(api: Miopen) -> None:
    relu = api.set("Activation", 3, 0.0, 0.0, 0.0)
    x = Tensor(api, random(2, 3, 4, 5))
    good = [ONE, x.desc, x.memory, ZERO, x.desc, x.memory]
    assert api.call("ActivationForward", relu, *good) == SUCCESS
    for i, factor in ((0, number(2)), (0, ZERO), (3, ONE)):
        assert api.call("ActivationForward", relu, *good[:i], factor, *good[i + 1 :]) == UNKNOWN
    back = [ONE, *[x.desc, x.memory] * 3, ZERO, x.desc, x.memory]
    for i, factor in ((0, number(2)), (7, ONE)):
        assert api.call("ActivationBackward", relu, *back[:i], factor, *back[i + 1 :]) == UNKNOWN
    for i in (1, 2, 4, 5):
        assert api.call("ActivationForward", relu, *good[:i], None, *good[i + 1 :]) == BAD_PARM
    for i in (1, 2, 3, 4, 5, 6, 8, 9):
        assert api.call("ActivationBackward", relu, *back[:i], None, *back[i + 1 :]) == BAD_PARM
    assert api.call("ActivationForward", None, *good) == BAD_PARM
    for type in (DOUBLE, BFLOAT16):
        t = Tensor(api, random(2, 3, 4, 5), type)
        assert api.call("ActivationForward", relu, ONE, t.desc, t.memory, ZERO, t.desc, t.memory) == INTERNAL
    # Any number passes for a mode until it is used.
    assert api.call("ActivationForward", api.set("Activation", 11, 0, 0, 0), *good) == INTERNAL


def test_activation_descriptor(api: Miopen) -> None:
    descriptor = api.set("Activation", 42, 1.25, -2.5, 3.75)
    mode, values = np.zeros(1, np.int32), np.zeros(3)
    places = [values.ctypes.data + 8 * i for i in range(3)]
    assert api.raw("GetActivationDescriptor", descriptor, mode, *places) == SUCCESS
    assert (mode[0], values.tolist()) == (42, [1.25, -2.5, 3.75])
    assert api.raw("GetActivationDescriptor", descriptor, None, *places) == BAD_PARM


# ---- softmax ----


@TYPES
@pytest.mark.parametrize("layout", [default_strides, channels_last, gapped])
@pytest.mark.parametrize("mode", range(2))
@pytest.mark.parametrize("algorithm", range(3))
def test_softmax(api: Miopen, algorithm: int, mode: int, layout: Any, type: int) -> None:
    lens = (2, 3, 4, 5)
    x, y0 = random(*lens, low=-5, high=5), random(*lens)
    for alpha, beta in ((1, 0), (2, -1)):
        x_t, y_t = (Tensor(api, v, type, layout(lens)) for v in (x, y0 if beta else y0 * np.nan))
        wanted = alpha * softmax(x_t.values, algorithm == 2, mode == 1)
        wanted += beta * y_t.values if beta else 0
        api.ok(
            "SoftmaxForward_V2",
            number(alpha),
            x_t.desc,
            x_t.memory,
            number(beta),
            y_t.desc,
            y_t.memory,
            algorithm,
            mode,
        )
        y_t.close_to(wanted, 1.0, steps=4)

        y_t = Tensor(api, softmax(x, algorithm == 2, mode == 1), type, layout(lens))
        dy_t, dx_t = (Tensor(api, v, type, layout(lens)) for v in (x, y0 if beta else y0 * np.nan))
        wanted = alpha * softmax_back(y_t.values, dy_t.values, algorithm == 2, mode == 1)
        wanted += beta * dx_t.values if beta else 0
        pairs = [y_t.desc, y_t.memory, dy_t.desc, dy_t.memory]
        api.ok("SoftmaxBackward_V2", number(alpha), *pairs, number(beta), dx_t.desc, dx_t.memory, algorithm, mode)
        dx_t.close_to(wanted, 100.0 if algorithm == 2 else 10.0, steps=4)


def test_softmax_without_v2_is_accurate_over_channels(api: Miopen) -> None:
    x = Tensor(api, random(2, 3, 4, 5) * 100)
    y = Tensor(api, x.values * np.nan)
    api.ok("SoftmaxForward", ONE, x.desc, x.memory, ZERO, y.desc, y.memory)
    y.close_to(softmax(x.values, False, True))
    dx = Tensor(api, x.values * np.nan)
    api.ok("SoftmaxBackward", ONE, y.desc, y.memory, x.desc, x.memory, ZERO, dx.desc, dx.memory)
    dx.close_to(softmax_back(y.values, x.values, False, True), 100.0)


def test_fast_softmax_overflows(api: Miopen) -> None:
    x = Tensor(api, np.full((1, 2, 1, 1), 100.0))
    y = Tensor(api, x.values * 0)
    api.ok("SoftmaxForward_V2", ONE, x.desc, x.memory, ZERO, y.desc, y.memory, 0, 1)
    assert np.isnan(y.values).all()
    api.ok("SoftmaxForward_V2", ONE, x.desc, x.memory, ZERO, y.desc, y.memory, 1, 1)
    y.close_to(np.full((1, 2, 1, 1), 0.5))


def test_softmax_in_place_and_long(api: Miopen) -> None:
    x = Tensor(api, random(3, 1000, 1, 1, low=400, high=500))
    wanted = softmax(x.values, False, False)
    api.ok("SoftmaxForward_V2", ONE, x.desc, x.memory, ZERO, x.desc, x.memory, 1, 0)
    x.close_to(wanted, 1e-30, steps=60)


def test_softmax_refuses(api: Miopen) -> None:
    x, other = Tensor(api, random(2, 3, 4, 5)), Tensor(api, random(2, 3, 4, 6))
    nhwc = Tensor(api, random(2, 3, 4, 5), FLOAT, channels_last((2, 3, 4, 5)))
    half = Tensor(api, random(2, 3, 4, 5), HALF)

    def forward(a: Tensor, b: Tensor, algorithm: int = 1, mode: int = 1) -> int:
        return api.call("SoftmaxForward_V2", ONE, a.desc, a.memory, ZERO, b.desc, b.memory, algorithm, mode)

    def backward(y: Tensor, dy: Tensor, dx: Tensor) -> int:
        arguments = (ONE, y.desc, y.memory, dy.desc, dy.memory, ZERO, dx.desc, dx.memory, 1, 1)
        return api.call("SoftmaxBackward_V2", *arguments)

    assert forward(x, nhwc) == SUCCESS
    assert backward(x, x, nhwc) == SUCCESS
    assert forward(x, other) == forward(x, half) == BAD_PARM
    assert backward(x, nhwc, x) == BAD_PARM  # y and dy must have one descriptor
    assert backward(x, x, other) == backward(x, x, half) == BAD_PARM
    assert forward(x, x, 3, 1) == forward(x, x, 1, 2) == INTERNAL
    three = Tensor(api, random(2, 3, 4))
    assert forward(three, three) == BAD_PARM
    for type in (DOUBLE, BFLOAT16):
        t = Tensor(api, random(2, 3, 4, 5), type)
        assert forward(t, t) == INTERNAL
    good = [ONE, x.desc, x.memory, ZERO, x.desc, x.memory]
    for i in range(len(good)):
        assert api.call("SoftmaxForward_V2", *good[:i], None, *good[i + 1 :], 1, 1) == BAD_PARM


# ---- local response normalisation ----


@TYPES
@pytest.mark.parametrize("mode", range(2))
@pytest.mark.parametrize("n", [1, 3, 4, 5])
def test_lrn(api: Miopen, mode: int, n: int, type: int) -> None:
    alpha, beta, k = 0.3, 0.75, 2.0
    descriptor = api.set("LRN", mode, n, alpha, beta, k)
    x = Tensor(api, random(2, 6, 3, 4), type)
    y, dx = (Tensor(api, x.values * np.nan, type) for _ in range(2))
    dy = Tensor(api, random(2, 6, 3, 4), type)
    size = api.size("LRNGetWorkSpaceSize", y.desc, handle=False)
    assert size == 4 * 2 * 6 * 3 * 4
    workspace = np.zeros(size, np.uint8)
    # The factors are not looked at.
    api.ok("LRNForward", descriptor, number(5), x.desc, x.memory, number(6), y.desc, y.memory, True, workspace)
    wanted = x.values * lrn_scale(x.values, n, alpha, k, mode == 0) ** -beta
    y.close_to(wanted, steps=1)
    pairs = [part for t in (y, dy, x) for part in (t.desc, t.memory)]
    api.ok("LRNBackward", descriptor, number(5), *pairs, number(6), dx.desc, dx.memory, workspace)
    dx.close_to(lrn_back(x.values, dy.values, n, alpha, beta, k, mode == 0), 2.0, steps=4)
    # Without a backward call to come no workspace is needed, and none is written.
    workspace[...] = 9
    api.ok("LRNForward", descriptor, ONE, x.desc, x.memory, ZERO, y.desc, y.memory, False, workspace)
    assert (workspace == 9).all()
    api.ok("LRNForward", descriptor, ONE, x.desc, x.memory, ZERO, y.desc, y.memory, False, None)
    y.close_to(wanted, steps=1)


def test_lrn_backward_reads_the_workspace(api: Miopen) -> None:
    descriptor = api.set("LRN", 1, 3, 1.0, 1.0, 1.0)
    x = Tensor(api, np.zeros((1, 2, 2, 2)))
    dy = Tensor(api, np.ones((1, 2, 2, 2)))
    scale = np.full(8, 4.0, np.float32)
    dx = Tensor(api, x.values)
    pairs = [part for t in (x, dy, x) for part in (t.desc, t.memory)]
    api.ok("LRNBackward", descriptor, ONE, *pairs, ZERO, dx.desc, dx.memory, scale)
    dx.close_to(np.full((1, 2, 2, 2), 0.25))


def test_lrn_refuses(api: Miopen) -> None:
    x = Tensor(api, random(2, 3, 4, 5))
    workspace = np.zeros(480, np.uint8)
    good = [ONE, x.desc, x.memory, ZERO, x.desc, x.memory, True, workspace]
    plain = api.set("LRN", 1, 3, 1.0, 0.75, 2.0)
    assert api.call("LRNForward", plain, *good) == SUCCESS
    assert api.call("LRNForward", api.set("LRN", 1, 3, 1.0, 0.75, 0.0), *good) == UNKNOWN  # K = 0
    assert api.call("LRNForward", api.set("LRN", 1, 0, 1.0, 0.75, 2.0), *good) == UNKNOWN
    wide = Tensor(api, random(2, 3, 4, 5), FLOAT, gapped((2, 3, 4, 5)))
    assert (
        api.call("LRNForward", plain, ONE, wide.desc, wide.memory, ZERO, x.desc, x.memory, True, workspace) == UNKNOWN
    )
    assert api.call("LRNForward", plain, *good[:7], None) == BAD_PARM
    for i in (1, 2, 4, 5):
        assert api.call("LRNForward", plain, *good[:i], None, *good[i + 1 :]) == BAD_PARM
    pairs = [x.desc, x.memory] * 3
    assert api.call("LRNBackward", plain, ONE, *pairs, ZERO, x.desc, x.memory, None) == BAD_PARM
    mode, n, values = np.zeros(1, np.int32), np.zeros(1, np.uint32), np.zeros(3)
    places = [values.ctypes.data + 8 * i for i in range(3)]
    assert api.raw("GetLRNDescriptor", plain, mode, n, *places) == SUCCESS
    assert (mode[0], n[0], values.tolist()) == (1, 3, [1.0, 0.75, 2.0])
