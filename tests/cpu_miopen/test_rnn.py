"""Recurrent networks: where weights lie, forward and backward over sequences and step by step."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from miopen_client import (
    BAD_PARM,
    DOUBLE,
    FLOAT,
    HALF,
    SUCCESS,
    TYPE_NAMES,
    UNKNOWN,
    Array,
    Miopen,
    Tensor,
    random,
)
from miopen_naive import gradient, rnn

RELU, TANH, LSTM, GRU = range(4)
MODES = {"relu": RELU, "tanh": TANH, "lstm": LSTM, "gru": GRU}
GATES = {RELU: 1, TANH: 1, LSTM: 4, GRU: 3}
PACKED, STEPS_FIRST, BATCH_FIRST = 1, 2, 3
TRAINING, INFERENCE = 0, 1
MOST = 40  # weights of which the gradient is looked at
DTYPE: dict[int, Any] = {FLOAT: np.float32, HALF: np.float16}
modes = pytest.mark.parametrize("mode", MODES.values(), ids=MODES)
sides = pytest.mark.parametrize("sides", [1, 2], ids=["one way", "both ways"])


@dataclass
class Net:
    """A network with its weights in one buffer, as MIOpen wants it, and as matrices."""

    api: Miopen
    mode: int
    sides: int = 1
    layers: int = 2
    hidden: int = 3
    inputs: int = 2
    bias: bool = True
    skip: bool = False
    type: int = FLOAT
    dropout: int | None = None

    def __post_init__(self) -> None:
        if self.skip:
            self.inputs = self.hidden
        self.gates = GATES[self.mode]
        self.desc = self.api.make("RNN")
        rest = (int(self.skip), self.sides - 1, self.mode, int(self.bias), 0, self.type)
        if self.dropout is None:
            status = self.api.raw("SetRNNDescriptor", self.desc, self.hidden, self.layers, *rest)
        else:
            status = self.api.raw("SetRNNDescriptor_V2", self.desc, self.hidden, self.layers, self.dropout, *rest)
        assert status == SUCCESS
        self.x_desc = self.api.tensor(self.type, (4, self.inputs))
        size = ctypes.c_size_t()
        assert self.api.call("GetRNNParamsSize", self.desc, self.x_desc, ctypes.byref(size), self.type) == SUCCESS
        self.weights = random(size.value // np.dtype(DTYPE[self.type]).itemsize).astype(DTYPE[self.type])

    def place(self, layer: int, number: int, bias: bool) -> tuple[int, tuple[int, ...]]:
        """Offset and shape, as MIOpen tells them."""
        made = self.api.make("Tensor")
        offset = ctypes.c_size_t(10**9)
        name = f"GetRNNLayer{'Bias' if bias else 'Param'}Offset"
        assert self.api.raw(name, self.desc, layer, self.x_desc, number, made, ctypes.byref(offset)) == SUCCESS
        dims, lens = np.zeros(1, np.int32), np.zeros(8, np.int32)
        assert self.api.raw("GetTensorDescriptorSize", made, dims) == SUCCESS
        assert self.api.raw("GetTensorDescriptor", made, None, lens, None) == SUCCESS
        return offset.value, tuple(lens[: dims[0]].tolist())

    def part(self, weights: Array, layer: int, number: int, bias: bool) -> Array:
        offset, lens = self.place(layer, number, bias)
        return weights[offset : offset + int(np.prod(lens))].reshape(lens)

    def matrices(self, weights: Array) -> list[dict[str, Array]]:
        found = []
        for k in range(self.layers * self.sides):
            missing = self.skip and k < self.sides
            gates = range(self.gates)
            none = np.zeros((self.gates, self.hidden))
            found.append({
                "w": np.array([np.zeros(0) if missing else self.part(weights, k, g, False) for g in gates]),
                "u": np.array([self.part(weights, k, g + self.gates, False) for g in gates]),
                "b_w": np.array([self.part(weights, k, g, True) for g in gates]) if self.bias else none,
                "b_u": np.array([self.part(weights, k, g + self.gates, True) for g in gates]) if self.bias else none,
            })  # fmt: skip
        return found


# ---- weights ----


@modes
@sides
@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("skip", [False, True])
def test_weights_fill_the_buffer_without_overlap(api: Miopen, mode: int, sides: int, bias: bool, skip: bool) -> None:
    net = Net(api, mode, sides, 3, bias=bias, skip=skip)
    used = np.zeros(net.weights.size, int)
    order = []
    for k in range(3 * sides):
        for number in range(2 * net.gates):
            if skip and k < sides and number < net.gates:
                made, place = api.make("Tensor"), ctypes.c_size_t()
                arguments = (net.desc, k, net.x_desc, number, made, ctypes.byref(place))
                assert api.raw("GetRNNLayerParamOffset", *arguments) == BAD_PARM
                continue
            offset, lens = net.place(k, number, False)
            inputs = net.inputs if k < sides else net.hidden * sides
            assert lens == (net.hidden, net.hidden if number >= net.gates else inputs)
            used[offset : offset + int(np.prod(lens))] += 1
            order.append(offset)
    for k in range(3 * sides if bias else 0):
        for number in range(2 * net.gates):
            offset, lens = net.place(k, number, True)
            assert lens == (net.hidden,)
            assert offset > max(order)  # biases follow all matrices
            used[offset : offset + net.hidden] += 1
    assert (used == 1).all()


def test_order_of_matrices(api: Miopen) -> None:
    """Of both directions the input's first, then the hidden state's."""
    h, i = 3, 2
    net = Net(api, LSTM, 2, 2, h, i)
    assert net.place(0, 0, False)[0] == 0
    assert net.place(0, 1, False)[0] == h * i
    assert net.place(1, 0, False)[0] == 4 * h * i
    assert net.place(0, 4, False)[0] == 8 * h * i
    assert net.place(1, 4, False)[0] == 8 * h * i + 4 * h * h
    assert net.place(2, 0, False)[0] == 8 * h * i + 8 * h * h
    assert net.place(2, 4, False)[0] == 8 * h * i + 8 * h * h + 8 * h * 2 * h
    matrices = 8 * h * i + 8 * h * h + 8 * h * 2 * h + 8 * h * h
    assert net.place(0, 0, True)[0] == matrices
    assert net.place(1, 0, True)[0] == matrices + 4 * h
    assert net.place(0, 4, True)[0] == matrices + 8 * h
    assert net.place(3, 7, True)[0] == matrices + 31 * h


def test_get_and_set_parts(api: Miopen) -> None:
    net = Net(api, GRU)
    w_desc = api.make("Tensor")
    assert api.call("GetRNNParamsDescriptor", net.desc, net.x_desc, w_desc, FLOAT) == SUCCESS
    assert api.size("GetTensorNumBytes", w_desc, handle=False) == net.weights.nbytes
    made = api.make("Tensor")
    copy = np.zeros((3, 2), np.float32)
    assert api.call("GetRNNLayerParam", net.desc, 0, net.x_desc, w_desc, net.weights, 1, made, copy) == SUCCESS
    assert np.array_equal(copy, net.part(net.weights, 0, 1, False))
    # What is set lies column by column.
    new = random(3, 2).astype(np.float32)
    assert api.call("SetRNNLayerParam", net.desc, 0, net.x_desc, w_desc, net.weights, 1, made, new) == SUCCESS
    assert np.array_equal(net.part(net.weights, 0, 1, False).ravel(), new.T.ravel())
    bias = np.zeros(3, np.float32)
    assert api.call("GetRNNLayerBias", net.desc, 1, net.x_desc, w_desc, net.weights, 5, made, bias) == SUCCESS
    assert np.array_equal(bias, net.part(net.weights, 1, 5, True))
    assert api.call("SetRNNLayerBias", net.desc, 1, net.x_desc, w_desc, net.weights, 5, made, bias + 1) == SUCCESS
    assert np.array_equal(bias + 1, net.part(net.weights, 1, 5, True))
    size = ctypes.c_size_t()
    for layer, number, wanted in ((0, 0, 6), (0, 3, 9), (1, 0, 9)):
        assert api.call("GetRNNLayerParamSize", net.desc, layer, net.x_desc, number, ctypes.byref(size)) == SUCCESS
        assert size.value == 4 * wanted
    assert api.size("GetRNNLayerBiasSize", net.desc, 0, 0) == 12
    for layer, number in ((2, 0), (-1, 0), (0, 6), (0, -1)):
        assert (
            api.raw("GetRNNLayerParamOffset", net.desc, layer, net.x_desc, number, made, ctypes.byref(size)) == BAD_PARM
        )


# ---- sequences ----


class Run:
    """Sequences of a network, in one of the three layouts, and the calls over them."""

    def __init__(self, net: Net, lens: Sequence[int], layout: int, marker: float | None = None) -> None:
        self.net, self.api, self.lens, self.layout = net, net.api, tuple(lens), layout
        self.steps = max(lens)
        self.width = net.hidden * net.sides
        states = (net.layers * net.sides, len(lens), net.hidden)
        dtype = DTYPE[net.type]
        self.x = [random(n, net.inputs).astype(dtype).astype(float) for n in lens]
        self.dy = [random(n, self.width).astype(dtype).astype(float) for n in lens]
        self.hx, self.cx, self.dhy, self.dcy = (random(*states).astype(dtype) for _ in range(4))
        self.hy, self.cy, self.dhx, self.dcx = (np.full(states, np.nan, dtype) for _ in range(4))
        self.h_desc = self.api.tensor(net.type, states)
        self.x_desc, self.y_desc = self.seq(net.inputs, marker), self.seq(self.width, marker)
        self.workspace, self.reserve = self.spaces(TRAINING)

    def seq(self, vector: int, marker: float | None) -> int:
        made = self.api.make("SeqTensor")
        lens = np.array(self.lens, np.int32)
        fill = None if marker is None else np.array([marker], DTYPE[self.net.type])
        status = self.api.raw(
            "SetRNNDataSeqTensorDescriptor", made, self.net.type, self.layout, self.steps, len(lens), vector, lens, fill
        )
        assert status == SUCCESS
        return made

    def spaces(self, mode: int) -> tuple[Array, Array]:
        work, kept = ctypes.c_size_t(), ctypes.c_size_t()
        arguments = (self.net.desc, self.x_desc, mode, ctypes.byref(work), ctypes.byref(kept))
        assert self.api.call("GetRNNTempSpaceSizes", *arguments) == SUCCESS
        return np.zeros(work.value, np.uint8), np.zeros(kept.value, np.uint8)

    def store(self, rows: Sequence[Array] | None, width: int, fill: float = -0.625) -> Array:
        """The sequences as the tensor that they are, padding and all."""
        if self.layout == PACKED:
            picked = [] if rows is None else [
                rows[s][t] for t in range(self.steps) for s in range(len(self.lens)) if t < self.lens[s]
            ]  # fmt: skip
            out = np.array(picked).reshape(-1, width) if rows is not None else np.full((sum(self.lens), width), fill)
        else:
            out = np.full((len(self.lens), self.steps, width), fill)
            for s, n in enumerate(self.lens):
                if rows is not None:
                    out[s, :n] = rows[s]
            if self.layout == STEPS_FIRST:
                out = out.transpose(1, 0, 2)
        return np.ascontiguousarray(out.astype(DTYPE[self.net.type]))

    def forward(self, mode: int = TRAINING, states: bool = True) -> Array:
        net = self.net
        y = self.store(None, self.width)
        self.api.ok(
            "RNNForward", net.desc, mode, self.x_desc, self.store(self.x, net.inputs), self.h_desc,
            self.hx if states else None, self.hy if states else None, self.h_desc, self.cx if states else None,
            self.cy if states else None, self.y_desc, y, net.weights, net.weights.nbytes, self.workspace,
            self.workspace.size, self.reserve, self.reserve.size,
        )  # fmt: skip
        return y

    def backward(self) -> tuple[Array, Array]:
        net = self.net
        dx, dw = self.store(None, net.inputs), np.full(net.weights.shape, np.nan, net.weights.dtype)
        y = self.store(None, self.width)
        self.api.ok(
            "RNNBackwardSeqData", net.desc, self.y_desc, y, self.store(self.dy, self.width), self.h_desc, self.hx,
            self.dhy, self.dhx, self.h_desc, self.cx, self.dcy, self.dcx, self.x_desc, dx, net.weights,
            net.weights.nbytes, self.workspace, self.workspace.size, self.reserve, self.reserve.size,
        )  # fmt: skip
        self.api.ok(
            "RNNBackwardWeightsSeqTensor", net.desc, self.x_desc, self.store(self.x, net.inputs), self.h_desc, self.hx,
            self.y_desc, y, dw, net.weights.nbytes, self.workspace, self.workspace.size, self.reserve,
            self.reserve.size,
        )  # fmt: skip
        return dx, dw

    def naive(self, masks: Any = (), states: bool = True) -> tuple[list[Array], Array, Array]:
        weights = self.net.matrices(self.net.weights.astype(float))
        hx, cx = (v.astype(float) * states for v in (self.hx, self.cx))
        return rnn(self.net.mode, self.x, hx, cx, weights, self.net.sides, masks)

    def loss(self, x: Sequence[Array], hx: Array, cx: Array, weights: Array, masks: Any = ()) -> Any:
        parts = self.net.matrices(weights)
        as_type = complex if any(np.iscomplexobj(v) for v in (*x, hx, cx, weights)) else float
        y, hy, cy = rnn(
            self.net.mode, [v.astype(as_type) for v in x], hx.astype(as_type), cx.astype(as_type), parts, self.net.sides,
            masks,
        )  # fmt: skip
        total: Any = sum((a * b).sum() for a, b in zip(y, self.dy, strict=True))
        total = total + (hy * self.dhy.astype(float)).sum()
        return total + (cy * self.dcy.astype(float)).sum() if self.net.mode == LSTM else total


def close(got: Array, wanted: Array, rounding: float) -> None:
    """What is NaN in `wanted` was not computed."""
    assert got.shape == wanted.shape
    known = ~np.isnan(wanted)
    error = np.abs(got.astype(float) - wanted)[known]
    assert (error <= rounding * max(1, np.abs(wanted[known]).max(initial=0))).all(), error.max()


SEQUENCES = {"equal": (3, 3), "falling": (4, 2, 2, 1), "in any order": (1, 4, 0, 3)}
KINDS = [(lens, layout) for lens in SEQUENCES for layout in (PACKED, STEPS_FIRST, BATCH_FIRST)
         if layout != PACKED or lens != "in any order"]  # fmt: skip


@modes
@sides
@pytest.mark.parametrize(("lens", "layout"), KINDS)
def test_forward(api: Miopen, mode: int, sides: int, lens: str, layout: int) -> None:
    run = Run(Net(api, mode, sides), SEQUENCES[lens], layout)
    wanted, hy, cy = run.naive()
    for way in (TRAINING, INFERENCE):
        run.hy[...] = run.cy[...] = np.nan
        y = run.forward(way)
        close(y, run.store(wanted, run.width).astype(float), 2e-6)  # padding is left alone
        close(run.hy, hy, 2e-6)
        if mode == LSTM:
            close(run.cy, cy, 2e-6)
    close(run.forward(states=False), run.store(run.naive(states=False)[0], run.width).astype(float), 2e-6)


@modes
@sides
@pytest.mark.parametrize("kind", [("falling", PACKED), ("in any order", BATCH_FIRST)])
@pytest.mark.parametrize("special", ["", "no bias", "skip"])
def test_backward(api: Miopen, mode: int, sides: int, kind: tuple[str, int], special: str) -> None:
    if special and kind[0] != "falling":
        pytest.skip("one layout is enough for it")
    net = Net(api, mode, sides, 2, 2, bias=special != "no bias", skip=special == "skip")
    run = Run(net, SEQUENCES[kind[0]], kind[1])
    run.forward()
    dx, dw = run.backward()
    hx, cx, weights = (v.astype(float) for v in (run.hx, run.cx, net.weights))
    cuts = np.cumsum([v.size for v in run.x])[:-1]

    def of_x(flat: Array) -> Any:
        return run.loss(
            [v.reshape(n, net.inputs) for v, n in zip(np.split(flat, cuts), run.lens, strict=True)], hx, cx, weights
        )

    by_x = gradient(of_x, np.concatenate([v.ravel() for v in run.x]))
    rows = [v.reshape(n, net.inputs) for v, n in zip(np.split(by_x, cuts), run.lens, strict=True)]
    close(dx, run.store(rows, net.inputs).astype(float), 2e-5)
    close(dw, gradient(lambda v: run.loss(run.x, hx, cx, v), weights, MOST), 5e-5)
    close(run.dhx, gradient(lambda v: run.loss(run.x, v, cx, weights), hx), 2e-5)
    if mode == LSTM:
        close(run.dcx, gradient(lambda v: run.loss(run.x, hx, v, weights), cx), 2e-5)


@modes
def test_half(api: Miopen, mode: int) -> None:
    run = Run(Net(api, mode, 2, 1, type=HALF), (3, 2), PACKED)
    y = run.forward()
    close(y, run.store(run.naive()[0], run.width).astype(float), 2e-3)
    dx, dw = run.backward()
    hx, cx, weights = (v.astype(float) for v in (run.hx, run.cx, run.net.weights))
    close(dw, gradient(lambda v: run.loss(run.x, hx, cx, v), weights, MOST), 2e-2)
    assert np.isfinite(dx.astype(float)).all()


def test_padding_marker(api: Miopen) -> None:
    run = Run(Net(api, TANH), (1, 3), BATCH_FIRST, marker=-5.0)
    y = run.forward()
    assert (y[0, 1:] == -5).all()
    close(y[0, :1], run.naive()[0][0], 2e-6)


@pytest.mark.parametrize("mode", [LSTM, GRU], ids=["lstm", "gru"])
def test_dropout_between_layers(api: Miopen, mode: int) -> None:
    states = np.zeros(api.size("DropoutGetStatesSize"), np.uint8)
    drop = api.make("Dropout")
    assert api.raw("SetDropoutDescriptor", drop, api.handle, 0.5, states, states.size, 3, False, True, 0) == SUCCESS
    net = Net(api, mode, 1, 2, 3, dropout=drop)
    run = Run(net, (3, 3), PACKED)
    plain = Run(net, (3, 3), PACKED)
    plain.x, plain.hx, plain.cx = run.x, run.hx, run.cx
    close(plain.forward(INFERENCE), plain.store(plain.naive()[0], 3).astype(float), 2e-6)  # drops nothing
    y = run.forward()
    # The mask is what the reserve space holds behind the values; found by trying where it makes sense.
    count = sum(run.lens) * 3
    parts = 7 if mode == LSTM else 8
    start = parts * 2 * count * 4
    mask = run.reserve[start : start + count].reshape(-1, 3)
    assert set(np.unique(mask)) == {0, 1}
    masks = [[2.0 * mask[s :: len(run.lens)] for s in range(len(run.lens))]]
    close(y, run.store(run.naive(masks)[0], 3).astype(float), 2e-6)
    _, dw = run.backward()
    hx, cx, weights = (v.astype(float) for v in (run.hx, run.cx, net.weights))
    close(dw, gradient(lambda v: run.loss(run.x, hx, cx, v, masks), weights, MOST), 5e-5)


# ---- a descriptor a step ----


@modes
@sides
@pytest.mark.parametrize("padded", [False, True])
def test_step_by_step(api: Miopen, mode: int, sides: int, padded: bool) -> None:
    net = Net(api, mode, sides)
    run = Run(net, (4, 2, 1), STEPS_FIRST if padded else PACKED)
    assert api.raw("SetRNNPaddingMode", net.desc, int(padded)) == SUCCESS
    batches = [3, 2, 1, 1]
    pointers = {}
    for name, width in (("x", net.inputs), ("y", run.width)):
        made = [api.tensor(FLOAT, (b, width)) for b in batches]
        pointers[name] = np.array(made, np.uint64)
    x, y, dy, dx = (run.store(v, w) for v, w in (
        (run.x, net.inputs), (None, run.width), (run.dy, run.width), (None, net.inputs),
    ))  # fmt: skip
    dw = np.full(net.weights.shape, np.nan, np.float32)
    work = np.zeros(api.size("GetRNNWorkspaceSize", net.desc, 4, pointers["x"]), np.uint8)
    kept = np.zeros(api.size("GetRNNTrainingReserveSize", net.desc, 4, pointers["x"]), np.uint8)
    w_desc, h = net.x_desc, run.h_desc
    assert api.size("GetRNNInputTensorSize", net.desc, 4, pointers["x"]) == x.nbytes
    assert api.size("GetRNNHiddenTensorSize", net.desc, 4, pointers["x"]) == run.hx.nbytes
    start = (net.desc, 4, pointers["x"], x, h, run.hx, h, run.cx, w_desc, net.weights, pointers["y"], y, h, run.hy, h)
    wanted, hy, _ = run.naive()
    api.ok("RNNForwardInference", *start, run.cy, work, work.size)
    close(y, run.store(wanted, run.width).astype(float), 2e-6)
    y[...] = -0.625
    api.ok("RNNForwardTraining", *start, run.cy, work, work.size, kept, kept.size)
    close(y, run.store(wanted, run.width).astype(float), 2e-6)
    close(run.hy, hy, 2e-6)
    api.ok(
        "RNNBackwardData", net.desc, 4, pointers["y"], y, pointers["y"], dy, h, run.dhy, h, run.dcy, w_desc,
        net.weights, h, run.hx, h, run.cx, pointers["x"], dx, h, run.dhx, h, run.dcx, work, work.size, kept, kept.size,
    )  # fmt: skip
    api.ok(
        "RNNBackwardWeights", net.desc, 4, pointers["x"], x, h, run.hx, pointers["y"], y, w_desc, dw, work, work.size,
        kept, kept.size,
    )  # fmt: skip
    weights = net.weights.astype(float)
    hx, cx = run.hx.astype(float), run.cx.astype(float)
    close(dw, gradient(lambda v: run.loss(run.x, hx, cx, v), weights, MOST), 5e-5)
    close(run.dhx, gradient(lambda v: run.loss(run.x, v, cx, weights), hx), 2e-5)
    assert api.call("RNNForwardInference", *start, run.cy, work, work.size - 1) == UNKNOWN
    assert api.call("RNNForwardTraining", *start, run.cy, work, work.size, kept, kept.size - 1) == UNKNOWN
    growing = pointers["x"][::-1].copy()
    assert api.call("RNNForwardInference", *start[:2], growing, *start[3:], run.cy, work, work.size) == BAD_PARM


# ---- descriptors and refusals ----


def test_sizes_of_a_network_set_with_no_dropout_descriptor(api: Miopen) -> None:
    """As MIOpen 7.2.4 answers: _V2 takes the NULL, and what follows it later is refused."""
    size, kept = ctypes.c_size_t(), ctypes.c_size_t()
    x, seq = api.tensor(FLOAT, (3, 4)), api.make("SeqTensor")
    steps = (ctypes.c_void_p * 2)(x, x)
    lens = np.array([3, 2], np.int32)
    assert api.raw("SetRNNDataSeqTensorDescriptor", seq, FLOAT, 1, 3, 2, 4, lens, None) == SUCCESS
    made = api.make("RNN")
    for with_none, expected in ((False, SUCCESS), (True, BAD_PARM)):
        given = ("SetRNNDescriptor_V2", made, 4, 2, None) if with_none else ("SetRNNDescriptor", made, 4, 2)
        assert api.raw(*given, 0, 0, LSTM, 1, 0, FLOAT) == SUCCESS
        assert api.call("GetRNNParamsSize", made, x, ctypes.byref(size), FLOAT) == SUCCESS
        assert api.call("GetRNNTempSpaceSizes", made, seq, INFERENCE, ctypes.byref(size), ctypes.byref(kept)) == SUCCESS
        for answer in (
            api.call("GetRNNWorkspaceSize", made, 2, steps, ctypes.byref(size)),
            api.call("GetRNNTrainingReserveSize", made, 2, steps, ctypes.byref(size)),
            api.call("GetRNNTempSpaceSizes", made, seq, TRAINING, ctypes.byref(size), ctypes.byref(kept)),
        ):
            assert answer == expected


def test_descriptors(api: Miopen) -> None:
    made = api.make("RNN")
    out = np.full(9, -1, np.int32)
    place = ctypes.c_void_p(1)
    slots = [out.ctypes.data + 4 * i for i in range(9)]
    assert api.raw("SetRNNDescriptor", made, 5, 2, 0, 1, GRU, 1, 1, HALF) == SUCCESS
    arguments = (made, slots[0], slots[1], ctypes.byref(place), *slots[2:8])
    assert api.raw("GetRNNDescriptor_V2", *arguments) == SUCCESS
    assert out[:8].tolist() == [5, 2, 0, 1, GRU, 1, 1, HALF]
    assert place.value is None
    assert api.raw("GetRNNDescriptor", made, *slots[:7]) == SUCCESS
    assert out[:7].tolist() == [GRU, 1, 0, 1, 1, 5, 2]
    for wrong in ((-1, 2, 0, 0, 0, 0, 0, 1), (5, 2, 0, 2, 0, 0, 0, 1), (5, 2, 0, 0, 4, 0, 0, 1), (5, 2, 0, 0, 0, 2, 0, 1),
                  (5, 2, 0, 0, 0, 0, 0, DOUBLE)):  # fmt: skip
        assert api.raw("SetRNNDescriptor", made, *wrong) == BAD_PARM, TYPE_NAMES
    seq = api.make("SeqTensor")
    lens, back = np.array([2, 0, 3], np.int32), np.zeros(3, np.int32)
    marker, told = np.array([2.5], np.float32), np.zeros(1, np.float32)
    assert api.raw("SetRNNDataSeqTensorDescriptor", seq, FLOAT, BATCH_FIRST, 3, 3, 4, lens, marker) == SUCCESS
    assert api.raw("GetRNNDataSeqTensorDescriptor", seq, *slots[:5], 3, back, told) == SUCCESS
    assert out[:5].tolist() == [FLOAT, BATCH_FIRST, 3, 3, 4]
    assert back.tolist() == [2, 0, 3]
    assert told[0] == 2.5
    for layout, steps, bad in ((0, 3, lens), (4, 3, lens), (3, 2, lens), (3, 3, -lens)):
        assert api.raw("SetRNNDataSeqTensorDescriptor", seq, FLOAT, layout, steps, 3, 4, bad, None) == BAD_PARM


def test_spaces_and_null(api: Miopen) -> None:
    run = Run(Net(api, LSTM), (3, 2), PACKED)
    net = run.net
    y = run.store(None, run.width)
    good: list[Any] = [net.desc, TRAINING, run.x_desc, run.store(run.x, net.inputs), run.h_desc, run.hx, run.hy, run.h_desc, run.cx,
            run.cy, run.y_desc, y, net.weights, net.weights.nbytes, run.workspace, run.workspace.size, run.reserve,
            run.reserve.size]  # fmt: skip
    assert api.call("RNNForward", *good) == SUCCESS
    for i in (13, 15, 17):
        assert api.call("RNNForward", *good[:i], good[i] - 1, *good[i + 1 :]) == UNKNOWN
    # The reserve space is wanted for inference too.
    assert api.call("RNNForward", net.desc, INFERENCE, *good[2:16], None, 0) == UNKNOWN
    for i in (0, 2, 3, 4, 7, 10, 11, 12):
        assert api.call("RNNForward", *good[:i], None, *good[i + 1 :]) == BAD_PARM
    for i in (5, 6, 8, 9):
        assert api.call("RNNForward", *good[:i], None, *good[i + 1 :]) == SUCCESS
    rising = Run(Net(api, LSTM), (2, 2), PACKED)
    rising.lens = (1, 2)
    rising.x_desc, rising.y_desc = rising.seq(2, None), rising.seq(3, None)
    wrong = [*good]
    wrong[2], wrong[10] = rising.x_desc, rising.y_desc
    assert api.call("RNNForward", *wrong) == BAD_PARM  # packed sequences come longest first
    h = Tensor(api, random(2, 3, 3))
    assert api.call("RNNForward", *good[:4], h.desc, *good[5:]) == BAD_PARM
