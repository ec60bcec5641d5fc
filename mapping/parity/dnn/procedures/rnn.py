"""Recurrent networks: cuDNN 8's API (`_v8`), which 9 kept, and the older one, which only 8 has.

Weights lie where the library says that each gate's matrix and bias lie. The reserve space and y come from the library's own
forward call where backward needs them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...oracles.claims import Array
from ..cases import Values
from ..corners import corner
from ..draws import Draw
from ..elements import TYPES, Type
from ..names import FORWARD, MATH, RNN, RNN_ALGORITHM, RNN_BIAS, RNN_LAYOUT, RNN_PADDED_IO, WGRAD_ADD
from ..oracles import rnn as oracle
from ..registry import procedure
from ..running import Real, blend, exact
from ..stage import INT, POINTER, SIZE, Operand, Stage, ints, packed
from .common import parameter_type, set_scaling

_CHAPTER = "Recurrent networks"
BASE: dict[str, Any] = {
    "type": "f32", "cell": "lstm", "bias": "double", "bidirectional": False, "layers": 2, "input": 3, "hidden": 4,
    "projection": 4, "projects": False, "steps": 3, "lengths": [3, 2], "layout": "unpacked", "algorithm": "standard", "skip": False,
    "clip": False, "initial": True, "final": True, "fill": 0.0,
}  # fmt: skip
_INFER = {**BASE, "training": False}
_Y_PADDING = corner(
    "RNN: y beyond a sequence's end", "filled kept", "cudnnRNNForward", cell="tanh", layers=1, fill=0.25, lengths=[3, 1]
)
DX_PADDING = corner(
    "RNN: dx beyond a sequence's end", "zero filled kept", "cudnnRNNBackwardData_v8", cell="tanh", layers=1, fill=0.25,
    lengths=[3, 1],
)  # fmt: skip


def drawn(d: Draw) -> dict[str, Any]:
    cell = d.word("lstm gru tanh relu")
    hidden = d.pick(4, 3, 1, 5, 8)
    projects = cell == "lstm" and d.flag(1, 3) and hidden > 1
    lengths = [d.pick(3, 1, 2, 4) for _ in range(d.pick(2, 1, 3))]
    layout = d.word("unpacked packed batch_major")
    if layout == "packed" or d.flag():
        lengths.sort(reverse=True)
    skip = d.flag(1, 8)
    type_ = d.type("f32 f32 f64 f16 bf16" if d.version >= 9 else "f32 f32 f64 f16")
    # The persistent algorithms want both biases and no projection, and the static one no doubles.
    algorithm = d.word("standard standard standard persist_static persist_dynamic")
    if projects or (type_ == "f64" and algorithm == "persist_static"):
        algorithm = "standard"
    return {
        "type": type_,
        "cell": cell,
        "bias": d.word("double none input recurrent double") if algorithm == "standard" else "double",
        "bidirectional": d.flag(1, 3),
        "layers": d.pick(2, 1, 3),
        "input": hidden if skip else d.pick(3, 1, 5, 8),
        "hidden": hidden,
        "projection": hidden - 1 if projects else hidden,
        "projects": projects,
        "steps": max(lengths) + (layout != "packed" and d.flag(1, 4)),
        "lengths": lengths,
        "layout": layout,
        "algorithm": algorithm,
        "skip": skip,
        "clip": cell == "lstm" and d.flag(1, 4),
        "initial": d.flag(3, 4),
        "final": d.flag(3, 4),
        "fill": d.pick(0.0, 0.25),
    }


def _infer_drawn(d: Draw) -> dict[str, Any]:
    return {**drawn(d), "training": d.flag()}


def signed(v: Any) -> str:
    words = [v["type"], v["cell"], v["layout"], v["algorithm"], f"bias {v['bias']}"]
    flags = {
        "bidirectional": v["bidirectional"], "projection": v["projection"] != v["hidden"], "skip": v["skip"], "clip": v["clip"],
        "uneven": len(set(v["lengths"])) > 1 or v["steps"] > max(v["lengths"]),
    }  # fmt: skip
    return " ".join(words + [name for name, on in flags.items() if on])


@dataclass
class Net:
    """Descriptors and operands of one network."""

    s: Stage
    v: Values
    type: Type
    descriptor: int
    x: Operand
    y: Operand
    lengths: Operand | None
    weights: Operand
    weight_size: int
    work: Operand | None = None
    work_size: int = 0
    reserve: Operand | None = None
    reserve_size: int = 0
    states: dict[str, Operand] = field(default_factory=dict)
    descs: dict[str, int] = field(default_factory=dict)

    @property
    def directions(self) -> int:
        return 2 if self.v.bidirectional else 1

    @property
    def lstm(self) -> bool:
        return bool(self.v.cell == "lstm")

    @property
    def pairs(self) -> Array:
        return oracle.flat(self.v.lengths, self.v.steps)

    def full(self, operand: Operand) -> Real:
        """A sequence operand as (T, N, V)."""
        rows = oracle.spread(operand.x, self.pairs, self.v.steps, len(self.v.lengths))
        return exact(rows, self.type.math)

    def state(self, name: str) -> Real:
        operand = self.states.get(name)
        cell = name in ("cx", "cy", "dcy", "dcx")
        if operand is None:
            size = self.v.hidden if cell else self.v.projection
            return exact(np.zeros((self.v.layers * self.directions, len(self.v.lengths), size)), self.type.math)
        return exact(operand.x, self.type.math)


def _rows(v: Values, width: int) -> tuple[Array, int, Array]:
    """(places of the steps that exist, extent, places of padding) of sequence data, in elements."""
    pairs = oracle.flat(v.lengths, v.steps)
    batch = len(v.lengths)
    if v.layout == "packed":
        starts = np.arange(len(pairs))
        extent = len(pairs)
    elif v.layout == "unpacked":
        starts, extent = pairs[:, 0] * batch + pairs[:, 1], v.steps * batch
    else:
        starts, extent = pairs[:, 1] * v.steps + pairs[:, 0], v.steps * batch
    columns = np.arange(width)
    padding = np.setdiff1d(np.arange(extent), starts)
    return (
        (starts[:, None] * width + columns).astype(np.int64), extent * width,
        (padding[:, None] * width + columns).astype(np.int64),
    )  # fmt: skip


def sequence(s: Stage, v: Values, name: str, type_: Type, width: int, io: str = "in") -> Operand:
    """Sequence data: only the steps that exist are drawn; padding is a NaN that nobody may read."""
    rows, extent, _ = _rows(v, width)
    operand = s.array(name, type_, [extent], io="out")
    operand.index = operand.start + rows
    operand.io = io
    if io != "out":
        drawn = np.random.Generator(np.random.PCG64([s.case.seed, len(name), width])).random(rows.shape) * 2 - 1
        operand.raw[operand.index] = type_.encode(drawn)
    return operand


def sequence_descriptor(s: Stage, v: Values, type_: Type, width: int) -> int:
    return s.make(
        "RNNData", "cudnnSetRNNDataDescriptor", dataType=type_.number, layout=RNN_LAYOUT[v.layout], maxSeqLength=v.steps,
        batchSize=len(v.lengths), vectorSize=width, seqLengthArray=list(v.lengths), paddingFill=type_.encode([v.fill]),
    )  # fmt: skip


def _net(s: Stage, v: Values, training: bool, backward: bool = False) -> Net:
    type_ = TYPES[v.type]
    set_scaling(s, type_)
    math = parameter_type(type_)
    descriptor = s.make(
        "RNN", "cudnnSetRNNDescriptor_v8", algo=RNN_ALGORITHM[v.algorithm], cellMode=RNN[v.cell], biasMode=RNN_BIAS[v.bias],
        dirMode=int(v.bidirectional), inputMode=int(v.skip), dataType=type_.number, mathPrec=math.number,
        mathType=MATH["fma" if v.type == "f32" else "default"], inputSize=v.input, hiddenSize=v.hidden, projSize=v.projection,
        numLayers=v.layers, dropoutDesc=None, auxFlags=0 if v.layout == "packed" else RNN_PADDED_IO,
    )  # fmt: skip
    if v.clip:
        s.host("cudnnRNNSetClip_v8", rnnDesc=descriptor, clipMode=1, clipNanOpt=1, lclip=-0.25, rclip=0.3)
    if v.algorithm == "persist_dynamic":
        s.host("cudnnBuildRNNDynamic", rnnDesc=descriptor, miniBatch=len(v.lengths))
    directions = 2 if v.bidirectional else 1
    width = v.projection * directions
    x_desc, y_desc = sequence_descriptor(s, v, type_, v.input), sequence_descriptor(s, v, type_, width)
    weight_size = s.size("cudnnGetRNNWeightSpaceSize", rnnDesc=descriptor, weightSpaceSize=SIZE)
    work_size, reserve_size = s.host(
        "cudnnGetRNNTempSpaceSizes", rnnDesc=descriptor, fwdMode=FORWARD["training" if training else "inference"],
        xDesc=x_desc, workSpaceSize=SIZE, reserveSpaceSize=SIZE,
    )  # fmt: skip
    net = Net(
        s, v, type_, descriptor, sequence(s, v, "x", type_, v.input), sequence(s, v, "y", type_, width, "out"),
        s.numbers("devSeqLengths", v.lengths),
        s.array("weights", type_, [weight_size // type_.size], values=np.zeros(weight_size // type_.size)), weight_size,
    )  # fmt: skip
    net.x.desc, net.y.desc = x_desc, y_desc
    net.work, net.work_size = s.space("work", work_size), work_size
    if training:
        net.reserve, net.reserve_size = s.space("reserve", reserve_size), reserve_size
    states = v.layers * directions
    for name, size in (("h", v.projection), ("c", v.hidden)):
        dims = [states, len(v.lengths), size]
        net.descs[name] = s.tensor_descriptor(name, type_, dims, packed(dims))
        if name == "c" and v.cell != "lstm":
            continue
        if v.initial:
            net.states[f"{name}x"] = s.array(f"{name}x", type_, dims)
        if v.final:
            net.states[f"{name}y"] = s.array(f"{name}y", type_, dims, io="out")
        if backward:
            if v.final:
                net.states[f"d{name}y"] = s.array(f"d{name}y", type_, dims)
            if v.initial:
                net.states[f"d{name}x"] = s.array(f"d{name}x", type_, dims, io="out")
    return net


@dataclass
class Places:
    """Where matrices and biases lie in the weight space, as index grids; by (layer, direction) and gate."""

    matrices: dict[tuple[int, int], dict[int, Array]]
    biases: dict[tuple[int, int], dict[int, Array]]


Found = tuple[int, tuple[list[int], list[int]]]  # an address or 0, dimensions and strides
Ask = Callable[[int, int], Found]


def _asked(net: Net) -> tuple[Ask, Ask]:
    """How a gate's matrix and its bias are asked for, by pseudo layer and gate."""
    s = net.s
    m_desc, b_desc = s.create("Tensor"), s.create("Tensor")

    def ask(pseudo: int, gate: int) -> tuple[int, int]:
        matrix, bias = s.host(
            "cudnnGetRNNWeightParams", rnnDesc=net.descriptor, pseudoLayer=pseudo, weightSpaceSize=net.weight_size,
            weightSpace=net.weights, linLayerID=gate, mDesc=m_desc, mAddr=POINTER, bDesc=b_desc, bAddr=POINTER,
        )  # fmt: skip
        return int(matrix), int(bias)

    return (
        lambda pseudo, gate: (ask(pseudo, gate)[0], _shape(s, m_desc)),
        lambda pseudo, gate: (ask(pseudo, gate)[1], _shape(s, b_desc)),
    )


def find(net: Net, matrix_of: Ask, bias_of: Ask) -> Places:
    """Ask for every gate, and draw what lies there."""
    s, v, t = net.s, net.v, net.type
    base = s.address(net.weights)
    gates = oracle.GATES[v.cell]
    count = 2 * gates + (v.projection != v.hidden)
    places = Places({}, {})
    rng = np.random.Generator(np.random.PCG64([s.case.seed, 3]))
    for pseudo in range(v.layers * net.directions):
        key = divmod(pseudo, net.directions)
        places.matrices[key], places.biases[key] = {}, {}
        inputs = v.input if key[0] == 0 else v.projection * net.directions
        for gate in range(count):
            matrix, matrix_shape = matrix_of(pseudo, gate)
            bias, bias_shape = bias_of(pseudo, gate)
            absent = v.skip and key[0] == 0 and gate < gates
            rows, columns = v.hidden, inputs if gate < gates else v.projection
            if gate == 2 * gates:
                rows, columns = v.projection, v.hidden
            where = f"layer {key[0]}, direction {key[1]}, matrix {gate}"
            s.check(bool(matrix) != absent, f"{where}: {'there' if matrix else 'absent'}")
            if matrix and not absent:
                places.matrices[key][gate] = _grid(net, matrix - base, matrix_shape, [rows, columns], where)
            has = gate < 2 * gates and v.bias in (("double", "input") if gate < gates else ("double", "recurrent"))
            s.check(bool(bias) == has, f"{where}: bias {'there' if bias else 'absent'}")
            if bias and has:
                places.biases[key][gate] = _grid(net, bias - base, bias_shape, [rows, 1], where).reshape(-1)
    taken = [g.ravel() for part in (places.matrices, places.biases) for found in part.values() for g in found.values()]
    every = np.concatenate(taken) if taken else np.zeros(0, np.int64)
    s.check(len(np.unique(every)) == len(every), "two matrices share memory")
    net.weights.raw[every] = t.encode(rng.random(len(every)) * 1.2 - 0.6)
    return places


def _shape(s: Stage, descriptor: int) -> tuple[list[int], list[int]]:
    _, count, dims, strides = s.host(
        "cudnnGetTensorNdDescriptor", tensorDesc=descriptor, nbDimsRequested=3, dataType=INT, nbDims=INT, dimA=ints(3),
        strideA=ints(3),
    )  # fmt: skip
    return dims[:count], strides[:count]


def _grid(net: Net, offset: int, found: tuple[list[int], list[int]], wanted: list[int], where: str) -> Array:
    dims, strides = found
    net.s.check(dims == [1, *wanted], f"{where}: dimensions {dims}, expected {[1, *wanted]}")
    net.s.check(offset % net.type.size == 0 and 0 <= offset < net.weight_size, f"{where}: at byte {offset}")
    rows, columns = (np.arange(n, dtype=np.int64) for n in wanted)
    grid = net.weights.start + offset // net.type.size + rows[:, None] * strides[1] + columns[None, :] * strides[2]
    inside = (grid >= net.weights.start) & (grid < net.weights.start + net.weight_size // net.type.size)
    net.s.check(bool(inside.all()), f"{where}: reaches beyond the weight space")
    return np.where(inside, grid, net.weights.start)


def network_of(net: Net, places: Places) -> oracle.Network:
    v, u = net.v, net.type.math

    def read(grid: Array) -> Real:
        return exact(net.type.decode(net.weights.raw[grid]), u)

    weights = [
        [
            oracle.Weights(
                {g: read(p) for g, p in places.matrices[layer, direction].items()},
                {g: read(p) for g, p in places.biases[layer, direction].items()},
            )
            for direction in range(net.directions)
        ]
        for layer in range(v.layers)
    ]
    clip = (-0.25, float(np.float32(0.3))) if v.clip else None  # a float with doubles too, as an H200 has it
    return oracle.Network(v.cell, v.hidden, v.projection, weights, net.type, clip, v.skip)


def _call_forward(net: Net, training: bool) -> None:
    get = net.states.get
    net.s.run(
        "cudnnRNNForward", rnnDesc=net.descriptor, fwdMode=FORWARD["training" if training else "inference"],
        devSeqLengths=net.lengths, xDesc=net.x, x=net.x, yDesc=net.y, y=net.y, hDesc=net.descs["h"], hx=get("hx"),
        hy=get("hy"), cDesc=net.descs["c"], cx=get("cx"), cy=get("cy"), weightSpaceSize=net.weight_size,
        weightSpace=net.weights, workSpaceSize=net.work_size, workSpace=net.work, reserveSpaceSize=net.reserve_size,
        reserveSpace=net.reserve,
    )  # fmt: skip


def claim_forward(net: Net, network: oracle.Network) -> oracle.Run:
    s, v = net.s, net.v
    run = oracle.forward(network, net.full(net.x), v.lengths, net.state("hx"), net.state("cx"))
    pairs = net.pairs
    s.claim(net.y, run.y[pairs[:, 0], pairs[:, 1]].stored(net.type))
    claim_padding(net, net.y, v.projection * net.directions, s.corner(_Y_PADDING))
    for name, result in (("hy", run.h), ("cy", run.c)):
        if name in net.states:
            s.claim(net.states[name], result.stored(net.type))
    return run


def claim_padding(net: Net, operand: Operand, width: int, what: str) -> None:
    """What stands beyond the ends of sequences after a call."""
    _, _, padding = _rows(net.v, width)
    if not len(padding) or what == "kept":
        return
    index = operand.start + padding
    if what == "open":
        net.s.leave_open(operand, index)
        return
    part = Operand(operand.name, net.type, "out", operand.raw, index, on=operand)
    net.s.claim_exact(part, np.asarray(net.type.decode(net.type.encode([net.v.fill if what == "filled" else 0.0]))[0]))


@procedure(
    "cudnnRNNForward", _CHAPTER, _infer_drawn, _INFER, twists="h c", signature=signed, share=2.0,
    also="cudnnGetRNNTempSpaceSizes cudnnGetRNNWeightSpaceSize cudnnGetRNNWeightParams",
)  # fmt: skip
def forward(s: Stage, v: Values) -> None:
    net = _net(s, v, v.training)
    network = network_of(net, find(net, *_asked(net)))
    _call_forward(net, v.training)
    claim_forward(net, network)


def _backward(s: Stage, v: Values, weights: bool) -> None:
    """The reserve space alone is kept between the passes: the weights' pass has a workspace of its own."""
    net = _net(s, v, True, backward=True)
    other = s.space("other work", net.work_size) if weights else None
    width = v.projection * net.directions
    dy = sequence(s, v, "dy", net.type, width)
    dx = sequence(s, v, "dx", net.type, v.input, "out")
    dweights = (
        s.array(
            "dweights", net.type, [net.weight_size // net.type.size], values=np.zeros(net.weight_size // net.type.size)
        )
        if weights
        else None
    )
    places = find(net, *_asked(net))
    network = network_of(net, places)
    if dweights is not None:
        fill_gradients(net, dweights, places)
    _call_forward(net, True)
    get = net.states.get
    spaces = {"workSpaceSize": net.work_size, "reserveSpaceSize": net.reserve_size, "reserveSpace": net.reserve,
              "weightSpaceSize": net.weight_size}  # fmt: skip
    s.run(
        "cudnnRNNBackwardData_v8", rnnDesc=net.descriptor, devSeqLengths=net.lengths, yDesc=net.y, y=net.y, dy=dy,
        xDesc=net.x, dx=dx, hDesc=net.descs["h"], hx=get("hx"), dhy=get("dhy"), dhx=get("dhx"), cDesc=net.descs["c"],
        cx=get("cx"), dcy=get("dcy"), dcx=get("dcx"), weightSpace=net.weights, workSpace=net.work, **spaces,
    )  # fmt: skip
    if dweights is not None:
        s.run(
            "cudnnRNNBackwardWeights_v8", rnnDesc=net.descriptor, addGrad=WGRAD_ADD, devSeqLengths=net.lengths, xDesc=net.x,
            x=net.x, hDesc=net.descs["h"], hx=get("hx"), yDesc=net.y, y=net.y, dweightSpace=dweights, workSpace=other, **spaces,
        )  # fmt: skip
    claim_backward(net, network, places, dy, dx, dweights)


def fill_gradients(net: Net, dweights: Operand, places: Places) -> None:
    """What the weights' gradients are added to."""
    dweights.io = "inout"
    rng = np.random.Generator(np.random.PCG64([net.s.case.seed, 4]))
    for part in (places.matrices, places.biases):
        for found in part.values():
            for grid in found.values():
                dweights.raw[grid] = net.type.encode(rng.random(grid.shape) - 0.5)


def claim_backward(
    net: Net, network: oracle.Network, places: Places, dy: Operand, dx: Operand, dweights: Operand | None
) -> None:
    """The forward pass, and all gradients."""
    s = net.s
    run = claim_forward(net, network)
    g = oracle.backward(network, run, net.v.lengths, net.full(dy), net.state("dhy"), net.state("dcy"))
    pairs = net.pairs
    s.claim(dx, g.x[pairs[:, 0], pairs[:, 1]].stored(net.type))
    claim_padding(net, dx, net.v.input, s.corner(DX_PADDING))
    for name, result in (("dhx", g.h), ("dcx", g.c)):
        if name in net.states:
            s.claim(net.states[name], result.stored(net.type))
    if dweights is not None:
        claim_weights(net, dweights, places, g)


def claim_weights(net: Net, dweights: Operand, places: Places, g: oracle.Gradients) -> None:
    """Every gate's gradient is added to what stands there; what lies between the matrices is the library's."""
    rest = np.ones(dweights.raw.shape, bool)
    for (layer, direction), found in places.matrices.items():
        for part, grids in ((0, found), (1, places.biases[layer, direction])):
            for gate, grid in grids.items():
                old = dweights.type.decode(dweights.raw[grid])
                piece = Operand(dweights.name, net.type, "inout", dweights.raw, grid, on=dweights)
                net.s.claim(
                    piece, blend(1.0, g.weights[layer][direction][part][gate].stored(net.type), 1.0, old, net.type)
                )
                rest[grid] = False
    inside = dweights.index.ravel()
    net.s.leave_open(dweights, inside[rest[inside]])


@procedure("cudnnRNNBackwardData_v8", _CHAPTER, drawn, BASE, twists="h c", signature=signed, share=1.5)
def backward_data(s: Stage, v: Values) -> None:
    _backward(s, v, weights=False)


@procedure("cudnnRNNBackwardWeights_v8", _CHAPTER, drawn, BASE, twists="h", signature=signed, share=1.5)
def backward_weights(s: Stage, v: Values) -> None:
    _backward(s, v, weights=True)
