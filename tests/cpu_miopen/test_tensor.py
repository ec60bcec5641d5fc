"""Tensor descriptors and tensor arithmetic."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from miopen_client import (
    BAD_PARM,
    BFLOAT16,
    DOUBLE,
    FLOAT,
    HALF,
    INT8,
    INT32,
    INVALID_VALUE,
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
    whole,
)

SIZES = {0: 2, 1: 4, 2: 4, 3: 1, 5: 2, 6: 8, 7: 1, 8: 1, 9: 8}
ALL = (FLOAT, HALF, BFLOAT16, DOUBLE, INT32, INT8)
LAYOUTS = (default_strides, channels_last, gapped)


def ints(*values: int) -> Array:
    return np.array(values, np.int32)


def get(api: Miopen, tensor: int, dims: int) -> tuple[int, list[int], list[int]]:
    type, lens, strides = ints(-1), np.full(dims, -1, np.int32), np.full(dims, -1, np.int32)
    assert api.raw("GetTensorDescriptor", tensor, type, lens, strides) == SUCCESS
    return int(type[0]), lens.tolist(), strides.tolist()


def test_four_dimensions(api: Miopen) -> None:
    tensor = api.make("Tensor")
    assert api.raw("Set4dTensorDescriptor", tensor, HALF, 2, 3, 4, 5) == SUCCESS
    assert get(api, tensor, 4) == (HALF, [2, 3, 4, 5], [60, 20, 5, 1])
    assert api.raw("Set4dTensorDescriptorEx", tensor, FLOAT, 2, 3, 4, 5, 60, 1, 15, 3) == SUCCESS
    out = np.zeros(9, np.int32)
    assert api.raw("Get4dTensorDescriptor", tensor, *(out.ctypes.data + 4 * i for i in range(9))) == SUCCESS
    assert out.tolist() == [FLOAT, 2, 3, 4, 5, 60, 1, 15, 3]
    # What is refused changes nothing.
    for wrong in ((2, 0, 4, 5), (2, -3, 4, 5)):
        assert api.raw("Set4dTensorDescriptor", tensor, FLOAT, *wrong) == BAD_PARM
    assert api.raw("Set4dTensorDescriptorEx", tensor, FLOAT, 2, 3, 4, 5, 60, 20, 0, 1) == BAD_PARM
    assert get(api, tensor, 4) == (FLOAT, [2, 3, 4, 5], [60, 1, 15, 3])


@pytest.mark.parametrize("type", range(-1, 12))
def test_types(api: Miopen, type: int) -> None:
    tensor = api.make("Tensor")
    wanted = SUCCESS if type in SIZES else BAD_PARM
    assert api.raw("Set4dTensorDescriptor", tensor, type, 1, 2, 3, 4) == wanted
    if type in SIZES:
        assert api.size("GetTensorNumBytes", tensor, handle=False) == 24 * SIZES[type]


@pytest.mark.parametrize("dims", range(1, 9))
def test_any_number_of_dimensions(api: Miopen, dims: int) -> None:
    tensor = api.make("Tensor")
    lens = list(range(2, 2 + dims))
    assert api.raw("SetTensorDescriptor", tensor, DOUBLE, dims, ints(*lens), None) == SUCCESS
    assert get(api, tensor, dims) == (DOUBLE, lens, list(default_strides(lens)))
    count = ints(0)
    assert api.raw("GetTensorDescriptorSize", tensor, count) == SUCCESS
    assert count[0] == dims
    strides = gapped(lens)
    long_lens, long_strides = np.array(lens, np.uint64), np.array(strides, np.uint64)
    assert api.raw("SetTensorDescriptorV2", tensor, FLOAT, dims, long_lens, long_strides) == SUCCESS
    assert get(api, tensor, dims) == (FLOAT, lens, list(strides))
    last = 1 + sum((n - 1) * s for n, s in zip(lens, strides, strict=True))
    assert api.size("GetTensorNumBytes", tensor, handle=False) == 4 * last


def test_null_and_nonsense(api: Miopen) -> None:
    tensor = api.make("Tensor")
    assert api.raw("SetTensorDescriptor", tensor, FLOAT, 0, ints(1), None) == INVALID_VALUE
    assert api.raw("SetTensorDescriptor", tensor, FLOAT, 1, None, None) == INVALID_VALUE
    assert api.raw("SetTensorDescriptor", None, FLOAT, 1, ints(1), None) == BAD_PARM
    assert api.raw("SetTensorDescriptor", tensor, FLOAT, 2, ints(3, 4), ints(4, -1)) == BAD_PARM
    count = ints(-1)
    assert api.raw("GetTensorDescriptorSize", tensor, count) == SUCCESS
    assert count[0] == 0  # never set
    y = Tensor(api, random(1, 1, 1, 1))
    assert api.call("SetTensor", tensor, y.memory, ONE) == BAD_PARM
    assert api.raw("GetTensorDescriptor", None, count, count, count) == BAD_PARM
    assert api.raw("GetTensorDescriptor", tensor, None, None, None) == SUCCESS


@pytest.mark.parametrize(
    ("layout", "lens", "stored", "strides"),
    [
        (0, (2, 8, 3, 4), (2, 8, 3, 4), (96, 12, 4, 1)),
        (1, (2, 8, 3, 4), (2, 8, 3, 4), (96, 1, 32, 8)),
        (2, (2, 8, 3, 4), (2, 8, 3, 4), (1, 24, 8, 2)),
        (3, (2, 8, 3, 4), (2, 2, 3, 4), (96, 48, 16, 4)),
        (4, (2, 8, 3, 4), (2, 1, 3, 4), (96, 96, 32, 8)),
        (5, (2, 8, 3, 4), (2, 3, 4, 2), (96, 32, 8, 4)),
        (7, (2, 8, 3, 4, 5), (2, 8, 3, 4, 5), (480, 60, 20, 5, 1)),
        (8, (2, 8, 3, 4, 5), (2, 8, 3, 4, 5), (480, 1, 160, 40, 8)),
    ],
)
def test_layouts(api: Miopen, layout: int, lens: tuple[int, ...], stored: tuple[int, ...], strides: Any) -> None:
    tensor = api.make("Tensor")
    assert api.raw("SetNdTensorDescriptorWithLayout", tensor, INT8, layout, ints(*lens), len(lens)) == SUCCESS
    assert get(api, tensor, len(lens)) == (INT8, list(stored), list(strides))
    assert api.size("GetTensorNumBytes", tensor, handle=False) == int(np.prod(lens))
    assert api.raw("SetNdTensorDescriptorWithLayout", tensor, INT8, layout, ints(*lens), 3) == BAD_PARM
    assert api.raw("SetNdTensorDescriptorWithLayout", tensor, INT8, 9, ints(*lens), len(lens)) == BAD_PARM
    if 3 <= layout <= 6:
        assert api.raw("SetNdTensorDescriptorWithLayout", tensor, INT8, layout, ints(2, 7, 3, 4), 4) == BAD_PARM


# ---- OpTensor ----

OPERATIONS: tuple[Callable[[Array, Array], Array], ...] = (np.add, np.multiply, np.minimum, np.maximum)
SMALL = {"B as C": (2, 3, 4, 5), "one": (1, 1, 1, 1), "channel": (1, 3, 1, 1), "image": (2, 1, 1, 1),
         "row": (1, 1, 1, 5), "plane": (1, 1, 4, 5), "two of four": (2, 1, 4, 1)}  # fmt: skip


def exact(type: int, *lens: int) -> Array:
    return whole(*lens) if type in (INT8, INT32) else random(*lens)


@pytest.mark.parametrize("type", ALL, ids=TYPE_NAMES.get)
@pytest.mark.parametrize("operation", range(4))
@pytest.mark.parametrize("small", SMALL.values(), ids=SMALL)
def test_op_tensor(api: Miopen, operation: int, small: tuple[int, ...], type: int) -> None:
    a, b = Tensor(api, exact(type, 2, 3, 4, 5), type), Tensor(api, exact(type, *small), type)
    c = Tensor(api, exact(type, 2, 3, 4, 5), type)
    # Factors are floats whatever the tensors hold.
    for alpha1, alpha2, beta in ((1, 1, 0), (2, -1, 0), (1, 3, 2)):
        wanted = OPERATIONS[operation](alpha1 * a.values, alpha2 * b.values) + beta * c.values
        if type == INT8:
            wanted = np.clip(wanted, -128, 127)
        if not beta and type not in (INT8, INT32):
            c.view[...] = 0x7FC0 if type == BFLOAT16 else np.nan  # not read
        factors = number(alpha1), number(alpha2), number(beta)
        api.ok(
            "OpTensor",
            operation,
            factors[0],
            a.desc,
            a.memory,
            factors[1],
            b.desc,
            b.memory,
            factors[2],
            c.desc,
            c.memory,
        )
        c.close_to(wanted, steps=1)


@pytest.mark.parametrize("layouts", [(0, 1, 2), (2, 2, 2), (1, 0, 0)])
@pytest.mark.parametrize("lens", [(2, 3, 4, 5), (3,), (2, 5), (2, 3, 4), (2, 1, 3, 2, 4)])
def test_op_tensor_strides(api: Miopen, lens: tuple[int, ...], layouts: tuple[int, ...]) -> None:
    a, b, c = (Tensor(api, random(*lens), FLOAT, LAYOUTS[i if len(lens) > 1 else 0](lens)) for i in layouts)
    wanted = a.values * b.values
    api.ok("OpTensor", 1, ONE, a.desc, a.memory, ONE, b.desc, b.memory, ZERO, c.desc, c.memory)
    c.close_to(wanted, steps=1)


def test_op_tensor_onto_an_operand(api: Miopen) -> None:
    a, b = Tensor(api, random(2, 3, 40, 5)), Tensor(api, random(1, 3, 1, 1))
    wanted = a.values + b.values
    api.ok("OpTensor", 0, ONE, a.desc, a.memory, ONE, b.desc, b.memory, ZERO, a.desc, a.memory)
    a.close_to(wanted)


def test_op_tensor_refuses(api: Miopen) -> None:
    def status(a: Tensor, b: Tensor, c: Tensor, operation: int = 0) -> int:
        return api.call("OpTensor", operation, ONE, a.desc, a.memory, ONE, b.desc, b.memory, ZERO, c.desc, c.memory)

    plain, other = Tensor(api, random(2, 3, 4, 5)), Tensor(api, random(2, 3, 4, 6))
    assert status(plain, plain, plain) == SUCCESS
    assert status(other, plain, plain) == UNKNOWN
    assert status(plain, Tensor(api, random(2, 3, 4, 2)), plain) == UNKNOWN
    assert status(plain, Tensor(api, random(2, 3, 4)), plain) == UNKNOWN
    assert status(plain, Tensor(api, random(2, 3, 4, 5), HALF), plain) == UNKNOWN
    assert status(plain, plain, plain, 4) == UNKNOWN
    six = Tensor(api, random(1, 1, 2, 3, 4, 5))
    assert status(six, six, six) == UNKNOWN
    x = plain
    good = [ONE, x.desc, x.memory, ONE, x.desc, x.memory, ZERO, x.desc, x.memory]
    for i in range(len(good)):
        assert api.call("OpTensor", 0, *good[:i], None, *good[i + 1 :]) == BAD_PARM


# ---- Set, Scale, Transform ----


def factor(type: int, value: float) -> Array:
    """A factor in the tensor's own type."""
    one = np.array([value])
    if type == BFLOAT16:
        return (one.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
    return one.astype({HALF: np.float16, FLOAT: np.float32, DOUBLE: np.float64, INT32: np.int32, INT8: np.int8}[type])


@pytest.mark.parametrize("type", ALL, ids=TYPE_NAMES.get)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_set_and_scale(api: Miopen, type: int, layout: Any) -> None:
    lens = (2, 3, 4, 5)
    y = Tensor(api, exact(type, *lens), type, layout(lens))
    wanted = -3 * y.values
    status = api.call("ScaleTensor", y.desc, y.memory, factor(type, -3))
    if type in (BFLOAT16, INT8):
        assert status == BAD_PARM
    else:
        assert status == SUCCESS
        y.close_to(wanted, steps=1)
    api.ok("SetTensor", y.desc, y.memory, factor(type, 5))
    y.close_to(np.full(lens, 5.0), steps=0)
    for name in ("SetTensor", "ScaleTensor"):
        assert api.call(name, y.desc, None, factor(type, 1)) == BAD_PARM
        assert api.call(name, y.desc, y.memory, None) == BAD_PARM
        assert api.call(name, None, y.memory, ONE) == BAD_PARM


@pytest.mark.parametrize("type", [FLOAT, HALF, BFLOAT16, DOUBLE, INT32], ids=TYPE_NAMES.get)
@pytest.mark.parametrize("there", LAYOUTS)
@pytest.mark.parametrize("lens", [(2, 3, 4, 5), (2, 3, 4, 2, 3), (3, 4)])
def test_transform(api: Miopen, type: int, there: Any, lens: tuple[int, ...]) -> None:
    x = Tensor(api, exact(type, *lens), type, gapped(lens))
    y = Tensor(api, exact(type, *lens) * 0 - 1, type, there(lens))
    # The float that MIOpen looks at lies in the first four bytes of each factor.
    one, zero = np.tile(factor(type, 1), 2), np.tile(factor(type, 0), 2)
    api.ok("TransformTensor", one, x.desc, x.memory, zero, y.desc, y.memory)
    y.close_to(x.values, steps=0)
    wanted = 2 * x.values + 3 * y.values
    api.ok(
        "TransformTensor", np.tile(factor(type, 2), 2), x.desc, x.memory, np.tile(factor(type, 3), 2), y.desc, y.memory
    )
    if type == DOUBLE:  # 3.0 begins with four bytes of 0
        wanted = 2 * x.values
    y.close_to(wanted, steps=1)


def test_transform_keeps_the_bits_of_nan(api: Miopen) -> None:
    x, y = Tensor(api, random(1, 1, 2, 2)), Tensor(api, random(1, 1, 2, 2))
    x.memory.view(np.uint32)[...] = [0x7F800001, 0xFFC12345, 0x80000000, 1]
    api.ok("TransformTensor", ONE, x.desc, x.memory, ZERO, y.desc, y.memory)
    assert np.array_equal(x.memory.view(np.uint32), y.memory.view(np.uint32))


def test_transform_refuses(api: Miopen) -> None:
    def status(x: Tensor, y: Tensor) -> int:
        return api.call("TransformTensor", ONE, x.desc, x.memory, ZERO, y.desc, y.memory)

    x = Tensor(api, random(2, 3, 4, 5))
    assert status(x, Tensor(api, random(2, 3, 5, 4))) == UNKNOWN
    assert status(x, Tensor(api, random(1, 3, 4, 5))) == UNKNOWN
    assert status(x, Tensor(api, random(2, 3, 4))) == UNKNOWN
    assert status(x, Tensor(api, random(2, 3, 4, 5), HALF)) == UNKNOWN
    assert api.call("TransformTensor", ONE, x.desc, None, ZERO, x.desc, x.memory) == BAD_PARM
    assert api.call("TransformTensor", None, x.desc, x.memory, ZERO, x.desc, x.memory) == BAD_PARM


def test_transform_of_bytes_pads_channels(api: Miopen) -> None:
    x, y = Tensor(api, whole(2, 3, 2, 2), INT8), Tensor(api, whole(2, 4, 2, 2), INT8)
    api.ok("TransformTensor", ONE, x.desc, x.memory, ZERO, y.desc, y.memory)
    assert np.array_equal(y.values[:, :3], x.values)
    assert not y.values[:, 3].any()
    back = Tensor(api, whole(2, 3, 2, 2), INT8)
    api.ok("TransformTensor", ONE, y.desc, y.memory, ZERO, back.desc, back.memory)
    assert np.array_equal(back.values, x.values)
    assert api.call("TransformTensor", number(2), x.desc, x.memory, ZERO, y.desc, y.memory) == NOT_IMPLEMENTED
    odd = Tensor(api, whole(2, 5, 2, 2), INT8)
    assert api.call("TransformTensor", ONE, x.desc, x.memory, ZERO, odd.desc, odd.memory) == UNKNOWN
