"""Reductions and their indices; dropout; CTC loss."""

from __future__ import annotations

import ctypes
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
    INT8,
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
    random,
    whole,
)
from miopen_naive import ctc_likelihood, gradient, reduce, reduce_index

ADD, MUL, MIN, MAX, AMAX, AVG, NORM1, NORM2 = range(8)
TARGETS = {
    "all": ((2, 3, 4, 5), (1, 1, 1, 1)), "channels": ((2, 3, 4, 5), (2, 1, 4, 5)), "images": ((2, 3, 4, 5), (1, 3, 1, 1)),
    "rows": ((2, 3, 4, 5), (2, 3, 4, 1)), "two apart": ((2, 3, 4, 5), (1, 3, 1, 5)), "vector": ((7,), (1,)),
    "six": ((2, 1, 3, 2, 2, 2), (2, 1, 1, 2, 1, 2)),
}  # fmt: skip


def descriptor(api: Miopen, op: int, nan: int = 0, indices: int = 0, type: int = FLOAT) -> int:
    return api.set("ReduceTensor", op, type, nan, indices, 0)


def call(
    api: Miopen, desc: int, a: Tensor, c: Tensor, alpha: Array = ONE, beta: Array = ZERO, indices: Array | None = None
) -> int:
    workspace = np.zeros(api.size("GetReductionWorkspaceSize", desc, a.desc, c.desc), np.uint8)
    size = 0 if indices is None else indices.nbytes
    arguments = (desc, indices, size, workspace, workspace.size, alpha, a.desc, a.memory, beta, c.desc, c.memory)
    return api.call("ReduceTensor", *arguments)


@pytest.mark.parametrize("type", [FLOAT, HALF, BFLOAT16, DOUBLE], ids=TYPE_NAMES.get)
@pytest.mark.parametrize("op", range(8))
@pytest.mark.parametrize("name", TARGETS)
def test_reduce(api: Miopen, name: str, op: int, type: int) -> None:
    lens, target = TARGETS[name]
    a = Tensor(api, random(*lens), type, gapped(lens))
    c = Tensor(api, np.full(target, np.nan), type)
    desc = descriptor(api, op, type=type)
    wanted = reduce(a.values, target, op)
    as_type: Any = np.float64 if type == DOUBLE else np.float32
    assert call(api, desc, a, c, np.array([1], as_type), np.array([0], as_type)) == SUCCESS
    c.close_to(wanted, steps=8 if type == DOUBLE else 2)  # another order of the sums
    old = Tensor(api, random(*target), type)
    total = 0.5 * wanted + 2 * old.values
    assert call(api, desc, a, old, np.array([0.5], as_type), np.array([2], as_type)) == SUCCESS
    old.close_to(total, steps=8 if type == DOUBLE else 2)


@pytest.mark.parametrize("op", [MIN, MAX, AMAX])
@pytest.mark.parametrize("name", TARGETS)
def test_indices(api: Miopen, name: str, op: int) -> None:
    lens, target = TARGETS[name]
    layout = channels_last if len(lens) == 4 else default_strides
    a = Tensor(api, whole(*lens), FLOAT, layout(lens))  # with equals: the first counts
    c = Tensor(api, np.zeros(target))
    desc = descriptor(api, op, indices=1)
    size = api.size("GetReductionIndicesSize", desc, a.desc, c.desc)
    assert size == 4 * int(np.prod(target))
    indices = np.full(size // 4, -1, np.int32)
    assert call(api, desc, a, c, indices=indices) == SUCCESS
    assert np.array_equal(indices.reshape(target), reduce_index(a.values, target, op))
    assert call(api, desc, a, c, indices=indices[:-1]) == UNKNOWN
    assert api.size("GetReductionIndicesSize", descriptor(api, ADD, indices=1), a.desc, c.desc) == 0


@pytest.mark.parametrize("op", [MIN, MAX, AMAX])
def test_nan(api: Miopen, op: int) -> None:
    a = Tensor(api, np.array([[1.0, np.nan, 3.0, np.nan], [np.nan] * 4]).reshape(2, 4))
    c = Tensor(api, np.zeros((2, 1)))
    indices = np.zeros(2, np.int32)
    assert call(api, descriptor(api, op, nan=1, indices=1), a, c, indices=indices) == SUCCESS
    assert np.isnan(c.values).all()
    assert indices.tolist() == [1, 0]
    assert call(api, descriptor(api, op, indices=1), a, c, indices=indices) == SUCCESS
    largest = float(np.finfo(np.float32).max)
    assert c.values.ravel().tolist() == [[1, largest], [3, -largest], [3, 0]][op - MIN]
    for sum_op in (ADD, MUL, NORM2):  # sums keep it in both modes
        assert call(api, descriptor(api, sum_op), a, c) == SUCCESS
        assert np.isnan(c.values).all()


def test_bytes(api: Miopen) -> None:
    a, c = Tensor(api, whole(2, 3, 4), INT8), Tensor(api, np.zeros((2, 1, 4)), INT8)
    assert call(api, descriptor(api, MAX), a, c) == SUCCESS
    assert np.array_equal(c.values, a.values.max(axis=1, keepdims=True))


def test_reduce_refuses(api: Miopen) -> None:
    a, c = Tensor(api, random(2, 3, 4)), Tensor(api, random(2, 1, 4))
    desc = descriptor(api, ADD)
    size = np.zeros(1, np.uint64)
    for lens in ((2, 1), (2, 2, 4), (2, 3, 2)):
        wrong = Tensor(api, random(*lens))
        assert api.call("GetReductionWorkspaceSize", desc, a.desc, wrong.desc, size) == UNKNOWN
    assert call(api, desc, a, Tensor(api, random(2, 3, 4))) == UNKNOWN  # nothing is reduced
    seven = Tensor(api, random(1, 1, 1, 2, 2, 2, 2))
    assert call(api, desc, seven, Tensor(api, random(*(1,) * 7))) == UNKNOWN
    workspace = np.zeros(api.size("GetReductionWorkspaceSize", desc, a.desc, c.desc), np.uint8)
    good = [desc, None, 0, workspace, workspace.size, ONE, a.desc, a.memory, ZERO, c.desc, c.memory]
    assert api.call("ReduceTensor", *good) == SUCCESS
    assert api.call("ReduceTensor", *good[:4], workspace.size - 1, *good[5:]) == UNKNOWN
    for i in (0, 5, 6, 7, 8, 9, 10):
        assert api.call("ReduceTensor", *good[:i], None, *good[i + 1 :]) == BAD_PARM
    # Any number passes for an operation until it is used; indices of other widths do not.
    for op in (8, 9):
        assert call(api, descriptor(api, op), a, c) == UNKNOWN
    made = api.make("ReduceTensor")
    assert api.raw("SetReduceTensorDescriptor", made, MAX, FLOAT, 0, 1, 1) == UNKNOWN
    assert api.raw("SetReduceTensorDescriptor", made, MAX, HALF, 1, 0, 2) == SUCCESS
    got = np.zeros(5, np.int32)
    assert api.raw("GetReduceTensorDescriptor", made, *(got.ctypes.data + 4 * i for i in range(5))) == SUCCESS
    assert got.tolist() == [MAX, HALF, 1, 0, 2]


# ---- dropout ----


def states(api: Miopen) -> Array:
    return np.zeros(api.size("DropoutGetStatesSize"), np.uint8)


def dropout(
    api: Miopen, rate: float, memory: Array | None, seed: int = 7, mask: bool = False, evolve: bool = True
) -> int:
    made = api.make("Dropout")
    size = 0 if memory is None else memory.size
    assert api.raw("SetDropoutDescriptor", made, api.handle, rate, memory, size, seed, mask, evolve, 0) == SUCCESS
    return made


@pytest.mark.parametrize("type", [FLOAT, HALF], ids=TYPE_NAMES.get)
@pytest.mark.parametrize("layout", [default_strides, gapped])
@pytest.mark.parametrize("rate", [0.0, 0.25, 0.5, 1.0])
def test_dropout(api: Miopen, rate: float, layout: Any, type: int) -> None:
    lens = (6, 7, 8, 9)
    x, y = (Tensor(api, random(*lens, low=1), type, layout(lens)) for _ in range(2))
    memory = states(api)  # the descriptor only knows where it is
    desc = dropout(api, rate, memory)
    size = api.size("DropoutGetReserveSpaceSize", x.desc, handle=False)
    assert size == 6 * 7 * 8 * 9
    reserve = np.full(size, 9, np.uint8)
    api.ok("DropoutForward", desc, x.desc, x.desc, x.memory, y.desc, y.memory, reserve, size)
    kept = y.values != 0
    assert np.array_equal(reserve.reshape(lens), kept)
    scale = 1 / (1 - rate) if rate < 1 else 0
    y.close_to(x.values * kept * scale, steps=1)
    assert abs(kept.mean() - (1 - rate)) < 0.05
    dx = Tensor(api, x.values * np.nan, type, layout(lens))
    api.ok("DropoutBackward", desc, x.desc, x.desc, x.memory, dx.desc, dx.memory, reserve, size)
    dx.close_to(y.values, steps=0)


def test_dropout_states(api: Miopen) -> None:
    """Calls differ while the states evolve; restored states go on; the same seed gives the same numbers."""
    memory = states(api)

    def draw(desc: int) -> Array:
        x = Tensor(api, np.ones((1, 1, 20, 20)))
        y = Tensor(api, x.values)
        api.ok("DropoutForward", desc, x.desc, x.desc, x.memory, y.desc, y.memory, None, 0)
        return y.values

    first = dropout(api, 0.5, memory)
    a, b = draw(first), draw(first)
    assert not np.array_equal(a, b)
    restored = api.make("Dropout")
    held = memory.copy()
    assert (
        api.raw("RestoreDropoutDescriptor", restored, api.handle, 0.5, memory, memory.size, 7, False, True, 0)
        == SUCCESS
    )
    c = draw(restored)
    memory[...] = held
    assert np.array_equal(draw(first), c)
    again = dropout(api, 0.5, memory)
    assert np.array_equal(draw(again), a)
    assert not np.array_equal(draw(dropout(api, 0.5, memory, seed=8)), a)
    still = dropout(api, 0.5, memory, evolve=False)
    assert np.array_equal(draw(still), draw(still))
    # Without a reserve space the backward call draws the same numbers once more.
    x, dx = Tensor(api, np.ones((1, 1, 20, 20))), Tensor(api, np.ones((1, 1, 20, 20)))
    wanted = draw(still)
    api.ok("DropoutBackward", still, x.desc, x.desc, x.memory, dx.desc, dx.memory, None, 0)
    assert np.array_equal(dx.values, wanted)


def test_dropout_with_a_mask_of_the_programs(api: Miopen) -> None:
    x, y = Tensor(api, random(1, 1, 2, 3)), Tensor(api, random(1, 1, 2, 3))
    mask = np.array([1, 0, 0, 1, 1, 0], np.uint8)
    desc = dropout(api, 0.5, None, mask=True)
    api.ok("DropoutForward", desc, x.desc, x.desc, x.memory, y.desc, y.memory, mask, 6)
    assert np.array_equal(y.values.ravel(), x.values.ravel() * mask * 2)
    assert mask.tolist() == [1, 0, 0, 1, 1, 0]


def test_dropout_refuses(api: Miopen) -> None:
    x, y = Tensor(api, random(1, 1, 2, 3)), Tensor(api, random(1, 1, 2, 3))
    reserve = np.zeros(6, np.uint8)
    memory = states(api)

    def status(desc: int, noise: int = x.desc, room: Array | None = reserve, size: int = 6) -> int:
        return api.call("DropoutForward", desc, noise, x.desc, x.memory, y.desc, y.memory, room, size)

    good = dropout(api, 0.5, memory)
    assert status(good) == SUCCESS
    assert status(good, size=5) == UNKNOWN
    assert status(good, noise=api.tensor(FLOAT, (1, 1, 2, 2))) == UNKNOWN
    assert status(dropout(api, 1.5, memory)) == UNKNOWN
    assert status(dropout(api, 0.5, None)) == UNKNOWN
    assert status(dropout(api, 0.5, memory[:-1])) == UNKNOWN
    assert status(dropout(api, 0.5, memory, mask=True), room=None, size=0) == UNKNOWN
    rate, place, seed = ctypes.c_float(), ctypes.c_void_p(), ctypes.c_ulonglong()
    flags = [ctypes.c_bool() for _ in range(2)]
    mode = ctypes.c_int(5)
    parts = [ctypes.byref(p) for p in (rate, place, seed, *flags, mode)]
    assert api.raw("GetDropoutDescriptor", good, api.handle, *parts) == SUCCESS
    assert (rate.value, seed.value, flags[0].value, flags[1].value, mode.value) == (0.5, 7, False, True, 0)
    # The address of the descriptor's pointer: MIOpen's slip.
    assert place.value
    assert ctypes.c_void_p.from_address(place.value).value == memory.ctypes.data


# ---- CTC ----

T, N, C = 4, 3, 3


def softmax(x: Array) -> Array:
    shifted = np.exp(x - x.real.max(axis=-1, keepdims=True))
    return np.asarray(shifted / shifted.sum(axis=-1, keepdims=True))


def run_ctc(
    api: Miopen, probs: Tensor, labels: Sequence[Sequence[int]], steps: Sequence[int], blank: int, applied: bool
) -> tuple[int, Tensor, Tensor]:
    desc = api.set("CTCLoss", FLOAT, blank, applied)
    flat = np.array([c for row in labels for c in row] + [0], np.int32)
    lengths, inputs = np.array([len(row) for row in labels], np.int32), np.array(steps, np.int32)
    grads, losses = Tensor(api, np.full(probs.lens, 55.0), probs.type), Tensor(api, np.zeros(len(labels)), probs.type)
    size = np.zeros(1, np.uint64)
    arguments = (probs.desc, grads.desc, flat, lengths, inputs, 0, desc)
    status = api.call("GetCTCLossWorkspaceSize", *arguments, size)
    workspace = np.zeros(int(size[0]) + 1, np.uint8)
    run = api.call(
        "CTCLoss", probs.desc, probs.memory, flat, lengths, inputs, losses.memory, grads.desc, grads.memory, 0, desc,
        workspace, int(size[0]),
    )  # fmt: skip
    assert (status == SUCCESS) == (run == SUCCESS)
    return run, losses, grads


@pytest.mark.parametrize("applied", [True, False], ids=["softmax", "logarithms"])
@pytest.mark.parametrize(("blank", "labels"), [(0, ([1, 2], [2, 2], [1])), (2, ([0, 1, 0], [], [1, 1]))])
def test_ctc(api: Miopen, blank: int, labels: Sequence[Sequence[int]], applied: bool) -> None:
    x = random(T, N, C)
    probs = Tensor(api, x if applied else np.log(softmax(x)), FLOAT, gapped((T, N, C)))
    steps = (4, 3, 2) if blank == 0 else (3, 2, 4)
    status, losses, grads = run_ctc(api, probs, labels, steps, blank, applied)
    assert status == SUCCESS
    for n, row in enumerate(labels):
        part = probs.values[: steps[n], n]

        def loss(values: Array, row: Sequence[int] = row) -> Any:
            return -np.log(ctc_likelihood(softmax(values) if applied else values, row, blank))

        wanted = gradient(loss, part if applied else np.exp(part))
        value = loss(part if applied else np.exp(part)).real
        assert abs(losses.values[n] - value) < 1e-5 * max(1, value)
        assert np.abs(grads.values[: steps[n], n] - wanted).max() < 2e-5 * max(1, abs(wanted).max())
        assert (grads.values[steps[n] :, n] == 55).all()  # behind the end nothing is written


def test_ctc_refuses(api: Miopen) -> None:
    probs = Tensor(api, random(T, N, C))
    good = ([1, 2], [2, 2], [1])
    assert run_ctc(api, probs, good, (4, 3, 2), 0, True)[0] == SUCCESS
    assert run_ctc(api, probs, good, (4, 2, 2), 0, True)[0] == UNKNOWN  # a repeat needs a blank between
    assert run_ctc(api, probs, good, (5, 3, 2), 0, True)[0] == UNKNOWN
    assert run_ctc(api, probs, ([1, 3], [2, 2], [1]), (4, 3, 2), 0, True)[0] == UNKNOWN
    desc = api.make("CTCLoss")
    type, blank, applied = ctypes.c_int(), ctypes.c_int(), ctypes.c_bool()
    places = [ctypes.byref(p) for p in (type, blank, applied)]
    assert api.raw("GetCTCLossDescriptor", desc, *places) == SUCCESS
    assert (type.value, blank.value, applied.value) == (FLOAT, 0, True)
    lengths = np.ones(N, np.int32)
    for kind, wanted in ((DOUBLE, BAD_PARM), (BFLOAT16, NOT_IMPLEMENTED)):
        t = Tensor(api, random(T, N, C), kind)
        arguments = (t.desc, t.memory, lengths, lengths, lengths, t.memory, t.desc, t.memory, 0, desc, t.memory, 4096)
        assert api.call("CTCLoss", *arguments) == wanted
