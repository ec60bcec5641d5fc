"""Pooling: maxima and both averages, 2-D and 3-D, indices in the workspace."""

from __future__ import annotations

import math
from collections.abc import Sequence
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
from miopen_naive import pool, pool_back

MAX, AVERAGE, INCLUSIVE = 0, 1, 2
INDEX = (np.uint8, np.uint16, np.uint32, np.uint64)
TYPES = pytest.mark.parametrize("type", [FLOAT, HALF], ids=TYPE_NAMES.get)

# lengths of x, window, padding, stride
SHAPES = {
    "2x2": ((2, 3, 6, 8), (2, 2), (0, 0), (2, 2)),
    "overlapping": ((2, 2, 7, 6), (3, 2), (1, 1), (2, 1)),
    "gaps": ((1, 2, 9, 8), (2, 3), (0, 1), (3, 4)),
    "padded": ((2, 1, 4, 5), (3, 3), (1, 2), (1, 2)),
    "whole": ((2, 3, 4, 5), (4, 5), (0, 0), (1, 1)),
    "volume": ((2, 2, 4, 5, 4), (2, 3, 2), (0, 1, 1), (2, 1, 2)),
    "volume, overlapping": ((1, 2, 5, 4, 5), (3, 2, 3), (1, 0, 1), (1, 2, 2)),
}


def set_pooling(api: Miopen, mode: int, window: Sequence[int], pads: Sequence[int], strides: Sequence[int]) -> int:
    made = api.make("Pooling")
    parts = [np.array(p, np.int32) for p in (window, pads, strides)]
    assert api.raw("SetNdPoolingDescriptor", made, mode, len(window), *parts) == SUCCESS
    return made


def output(api: Miopen, descriptor: int, x: Tensor) -> tuple[int, ...]:
    lens = np.zeros(len(x.lens), np.int32)
    assert api.raw("GetPoolingNdForwardOutputDim", descriptor, x.desc, len(lens), lens) == SUCCESS
    return tuple(lens.tolist())


def forward(api: Miopen, descriptor: int, x: Tensor, y: Tensor, workspace: Array | None, back: bool) -> int:
    size = 0 if workspace is None else workspace.nbytes
    return api.call("PoolingForward", descriptor, ONE, x.desc, x.memory, ZERO, y.desc, y.memory, back, workspace, size)


def backward(
    api: Miopen, descriptor: int, y: Tensor, dy: Tensor, x: Tensor, dx: Tensor, workspace: Array | None
) -> int:
    pairs = [part for t in (y, dy, x) for part in (t.desc, t.memory)]
    return api.call("PoolingBackward", descriptor, ONE, *pairs, ZERO, dx.desc, dx.memory, workspace)


@TYPES
@pytest.mark.parametrize("layout", [default_strides, channels_last, gapped])
@pytest.mark.parametrize("mode", [MAX, AVERAGE, INCLUSIVE])
@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_pooling(api: Miopen, shape: Any, mode: int, layout: Any, type: int) -> None:
    lens, window, pads, strides = shape
    descriptor = set_pooling(api, mode, window, pads, strides)
    x = Tensor(api, random(*lens), type, layout(lens))
    y_lens = output(api, descriptor, x)
    assert y_lens[2:] == tuple(
        (n + 2 * p - k) // s + 1 for n, k, p, s in zip(lens[2:], window, pads, strides, strict=True)
    )
    y = Tensor(api, np.full(y_lens, np.nan), type, layout(y_lens))
    wanted, mask, image = pool(x.values, y_lens, mode, window, pads, strides)
    assert forward(api, descriptor, x, y, None, False) == SUCCESS
    y.close_to(wanted, steps=1)

    size = api.size("PoolingGetWorkSpaceSizeV2", descriptor, y.desc, handle=False)
    workspace = np.full(size, 77, np.uint8)
    y.view[...] = np.nan
    assert forward(api, descriptor, x, y, workspace, True) == SUCCESS
    y.close_to(wanted, steps=1)
    count = math.prod(y_lens)
    if mode == MAX:
        assert np.array_equal(workspace[:count].reshape(y_lens), image if len(window) == 3 else mask)
    elif layout is not channels_last:
        assert size == 0
    dy = Tensor(api, random(*y_lens), type, layout(y_lens))
    dx = Tensor(api, np.full(lens, np.nan), type, layout(lens))
    assert backward(api, descriptor, y, dy, x, dx, workspace) == SUCCESS
    dx.close_to(pool_back(x.values, dy.values, mode, window, pads, strides), 2.0, steps=1)


@pytest.mark.parametrize("image", [0, 1])
@pytest.mark.parametrize("index", range(4))
@pytest.mark.parametrize("name", ["overlapping", "volume"])
def test_index_types_and_modes(api: Miopen, name: str, index: int, image: int) -> None:
    lens, window, pads, strides = SHAPES[name]
    descriptor = set_pooling(api, MAX, window, pads, strides)
    assert api.raw("SetPoolingIndexType", descriptor, index) == SUCCESS
    assert api.raw("SetPoolingWorkSpaceIndexMode", descriptor, image) == SUCCESS
    x = Tensor(api, random(*lens))
    y_lens = output(api, descriptor, x)
    y, dy, dx = Tensor(api, random(*y_lens)), Tensor(api, random(*y_lens)), Tensor(api, random(*lens))
    size = api.size("PoolingGetWorkSpaceSizeV2", descriptor, y.desc, handle=False)
    assert size == math.prod(y_lens) * (1 << index)
    workspace = np.zeros(math.prod(y_lens), INDEX[index])
    assert forward(api, descriptor, x, y, workspace, True) == SUCCESS
    _, *places = pool(x.values, y_lens, MAX, window, pads, strides)
    assert np.array_equal(workspace.reshape(y_lens), places[image])
    status = backward(api, descriptor, y, dy, x, dx, workspace)
    if name == "volume" and not image:
        assert status == NOT_IMPLEMENTED  # 3-D wants the image mode
        return
    assert status == SUCCESS
    dx.close_to(pool_back(x.values, dy.values, MAX, window, pads, strides), 2.0)


def test_an_index_type_that_is_too_small(api: Miopen) -> None:
    """The largest number means nothing found, so 254 places are the most for a byte."""
    x = Tensor(api, random(1, 1, 20, 20))
    workspace = np.zeros(64, np.uint8)
    for window, wanted in (((16, 16), UNKNOWN), ((15, 17), UNKNOWN), ((14, 18), SUCCESS)):
        descriptor = set_pooling(api, MAX, window, (0, 0), (5, 5))
        y = Tensor(api, random(*output(api, descriptor, x)))
        assert forward(api, descriptor, x, y, workspace, True) == wanted
        assert forward(api, descriptor, x, y, None, False) == SUCCESS
        assert api.raw("SetPoolingIndexType", descriptor, 1) == SUCCESS
        assert forward(api, descriptor, x, y, workspace, True) == SUCCESS


def test_ties_nan_and_empty_windows(api: Miopen) -> None:
    descriptor = set_pooling(api, MAX, (2, 2), (0, 0), (2, 2))
    nan = np.nan
    x = Tensor(api, np.array([[1, 1, nan, 5, nan, nan], [1, 1, 2, nan, nan, nan]]).reshape(1, 1, 2, 6))
    y = Tensor(api, np.zeros((1, 1, 1, 3)))
    workspace = np.full(3, 9, np.uint8)
    assert forward(api, descriptor, x, y, workspace, True) == SUCCESS
    # The first of equals; NaN is passed over; nothing but NaN gives the least float there is.
    assert y.values.ravel().tolist() == [1, 5, -np.finfo(np.float32).max.item()]
    assert workspace.tolist() == [0, 1, 0]
    average = set_pooling(api, AVERAGE, (2, 2), (3, 3), (1, 1))
    x = Tensor(api, np.ones((1, 1, 2, 2)))
    y = Tensor(api, np.zeros(output(api, average, x)))
    assert forward(api, average, x, y, None, False) == SUCCESS
    assert y.values[0, 0, 0, 0] == 0  # all padding
    assert y.values[0, 0, 2, 2] == 1


def test_backward_trusts_the_workspace(api: Miopen) -> None:
    descriptor = set_pooling(api, MAX, (2, 2), (0, 0), (2, 2))
    x, dx = Tensor(api, np.zeros((1, 1, 2, 4))), Tensor(api, np.zeros((1, 1, 2, 4)))
    y, dy = Tensor(api, np.zeros((1, 1, 1, 2))), Tensor(api, np.array([3.0, 4.0]).reshape(1, 1, 1, 2))
    assert backward(api, descriptor, y, dy, x, dx, np.array([3, 2], np.uint8)) == SUCCESS
    assert dx.values.ravel().tolist() == [0, 0, 0, 0, 0, 3, 4, 0]


def test_refusals(api: Miopen) -> None:
    lens, window, pads, strides = SHAPES["2x2"]
    x = Tensor(api, random(*lens))
    for mode in (MAX, AVERAGE):
        descriptor = set_pooling(api, mode, window, pads, strides)
        y = Tensor(api, random(*output(api, descriptor, x)))
        workspace = np.zeros(y.values.size, np.uint8)
        for alpha, beta in ((number(2), ZERO), (ONE, ONE)):
            arguments = (alpha, x.desc, x.memory, beta, y.desc, y.memory, False, None, 0)
            assert api.call("PoolingForward", descriptor, *arguments) == UNKNOWN
            pairs = [part for t in (y, y, x) for part in (t.desc, t.memory)]
            assert api.call("PoolingBackward", descriptor, alpha, *pairs, beta, x.desc, x.memory, workspace) == UNKNOWN
        assert forward(api, descriptor, x, y, None, True) == (UNKNOWN if mode == MAX else SUCCESS)
        assert forward(api, descriptor, x, y, workspace[:-1], True) == (UNKNOWN if mode == MAX else SUCCESS)
        assert backward(api, descriptor, y, y, x, x, None) == (UNKNOWN if mode == MAX else SUCCESS)
        assert forward(api, descriptor, x, Tensor(api, random(2, 2, 3, 4)), None, False) == BAD_PARM
        half = Tensor(api, random(*y.lens), HALF)
        assert forward(api, descriptor, x, half, None, False) == NOT_IMPLEMENTED
        for type in (DOUBLE, BFLOAT16):
            a, b = Tensor(api, random(*lens), type), Tensor(api, random(*y.lens), type)
            assert forward(api, descriptor, a, b, None, False) == NOT_IMPLEMENTED
    # Any number passes for a mode; a fourth one averages over the whole window, but not in 3-D nor backwards.
    fourth = set_pooling(api, 3, window, pads, strides)
    assert forward(api, fourth, x, y, None, False) == SUCCESS
    y.close_to(pool(x.values, y.lens, INCLUSIVE, window, pads, strides)[0])
    assert backward(api, fourth, y, y, x, x, None) == NOT_IMPLEMENTED
    lens, window, pads, strides = SHAPES["volume"]
    x = Tensor(api, random(*lens))
    fourth = set_pooling(api, 3, window, pads, strides)
    y = Tensor(api, random(*output(api, fourth, x)))
    assert forward(api, fourth, x, y, None, False) == NOT_IMPLEMENTED


def test_descriptor(api: Miopen) -> None:
    descriptor = api.make("Pooling")
    assert api.raw("Set2dPoolingDescriptor", descriptor, 7, 2, 3, 4, 5, 6, 8) == SUCCESS
    out = np.zeros(7, np.int32)
    assert api.raw("Get2dPoolingDescriptor", descriptor, *(out.ctypes.data + 4 * i for i in range(7))) == SUCCESS
    assert out.tolist() == [7, 2, 3, 4, 5, 6, 8]
    one, index = np.zeros(1, np.int32), np.zeros(1, np.int32)
    window, pads, strides = (np.zeros(3, np.int32) for _ in range(3))
    assert api.raw("GetNdPoolingDescriptor", descriptor, 2, one, index, window, pads, strides) == SUCCESS
    assert (one[0], index[0]) == (7, 2)
    assert [part[:2].tolist() for part in (window, pads, strides)] == [[2, 3], [4, 5], [6, 8]]
    for dims, image in ((2, 0), (3, 1)):
        parts = [np.ones(dims, np.int32)] * 3
        assert api.raw("SetPoolingIndexType", descriptor, 2) == SUCCESS
        assert api.raw("SetNdPoolingDescriptor", descriptor, MAX, dims, *parts) == SUCCESS
        assert api.raw("GetPoolingIndexType", descriptor, index) == SUCCESS
        assert index[0] == 0  # one byte again
        assert api.raw("GetPoolingWorkSpaceIndexMode", descriptor, index) == SUCCESS
        assert index[0] == image
    y = api.tensor(FLOAT, (2, 3, 4, 5))
    assert api.size("PoolingGetWorkSpaceSize", y, handle=False) == 120
    assert api.raw("PoolingGetWorkSpaceSizeV2", descriptor, None, one) == BAD_PARM
