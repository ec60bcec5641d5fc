"""Multi-head attention forward and backward, with cuDNN's sequence data descriptors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...oracles.claims import Array
from ..cases import Values
from ..corners import OPEN, corner
from ..draws import Draw
from ..elements import TYPES, Type
from ..names import ATTENTION_BIASES, ATTENTION_WEIGHTS, MATH, SEQUENCE_AXES, WGRAD_ADD, WGRAD_SET
from ..oracles import attention as oracle
from ..registry import procedure
from ..running import Real, blend, exact
from ..stage import INT, POINTER, SIZE, Operand, Stage, ints
from .common import parameter_type, set_scaling
from .dropout import plausible

_CHAPTER = "Multi-head attention"
_BASE: dict[str, Any] = {
    "type": "f32", "heads": 2, "scale": 0.5, "q": 4, "k": 4, "v": 4, "q_proj": 3, "v_proj": 2, "o_proj": 4, "biases": False,
    "residual": False, "q_lengths": [3, 2], "kv_lengths": [4, 3], "window": "all", "order": "batch time", "drop": "none",
    "rate": 0.5,
}  # fmt: skip
_INFER = {**_BASE, "beams": 1, "training": False}
_TRAIN = {**_BASE, "add": True}
_PADDED = corner(
    "attention: output beyond a sequence's end",
    "zero kept",
    "cudnnMultiHeadAttnForward",
    q_lengths=[3, 1],
    training=True,
)
_PADDED_BACK = corner(
    "attention: gradient beyond a sequence's end",
    "zero kept",
    "cudnnMultiHeadAttnBackwardData",
    q_lengths=[3, 1],
    kv_lengths=[4, 2],
)


def _drawn(d: Draw) -> dict[str, Any]:
    projects = d.flag(3, 4)
    q = d.pick(4, 8, 3, 5)
    v = d.pick(4, 8, 3)
    o_proj = d.pick(4, 0, 6) if projects else 0
    heads = d.pick(2, 1, 3)
    # An output projection of values that are not projected themselves: NVIDIA's answer follows no formula found so far.
    v_proj = d.pick(*((2, 3) if o_proj else (2, 3, 0))) if projects else 0
    out = o_proj or heads * (v_proj or v)
    batch = d.pick(2, 1, 3)
    return {
        "type": d.type("f32 f32 f64 f16"),
        "heads": heads,
        "scale": d.pick(0.5, 1.0, 0.25),
        "q": q,
        "k": q if not projects else d.pick(4, 3, 5),
        "v": v,
        "q_proj": d.pick(3, 2, 4) if projects else 0,
        "v_proj": v_proj,
        "o_proj": o_proj,
        "biases": projects and v_proj > 0 and o_proj > 0 and d.flag(1, 3),
        "residual": out == q and d.flag(),
        "q_lengths": [d.pick(3, 1, 2, 4) for _ in range(batch)],
        "kv_lengths": [d.pick(4, 3, 2, 5) for _ in range(batch)],
        "window": d.word("all all causal narrow"),
        "order": d.word("batch_time time_batch").replace("_", " "),
        "drop": "none",
        "rate": 0.5,
        **(_dropping(d, q, heads, batch) if d.flag(1, 4) else {}),
    }


def _dropping(d: Draw, q: int, heads: int, batch: int) -> dict[str, Any]:
    """A case that shows its masks: where weights are dropped, values are unit vectors and not projected, so that each weight
    stands alone in the output."""
    type_, drop = d.type("f32 f32 f64 f16"), d.word("weights output both")
    out = heads * 6
    shown = {"v": 6, "v_proj": 0, "o_proj": 0} if drop != "output" else {}
    return {
        "type": type_,
        "drop": drop,
        "rate": d.pick(0.5, 0.25, 0.9),
        "biases": False,
        "residual": bool(shown) and out == q and type_ == "f32",
        "q_lengths": [d.pick(3, 1, 4) for _ in range(batch)],
        **shown,
    }


def _infer_drawn(d: Draw) -> dict[str, Any]:
    training = d.flag()
    return {**_drawn(d), "beams": 1 if training else d.pick(1, 1, 2), "training": training}


def _train_drawn(d: Draw) -> dict[str, Any]:
    """Masks are shown by other calls here, so that values may be projected. What NVIDIA's library answers where the output is
    both projected and dropped follows no formula: it takes dout as it was for some sequences, for others neither."""
    drawn = {**_drawn(d), "add": d.flag()}
    if drawn["drop"] == "weights" and drawn["q_proj"] and d.flag(2, 3):
        drawn.update(v_proj=d.pick(2, 3), o_proj=d.pick(4, 0, 6), biases=False)
    return drawn


def _signed(v: Any) -> str:
    words = [v["type"], v["window"], *([f"drops {v['drop']}"] if v["drop"] != "none" else [])]
    flags = {
        "biases": v["biases"], "residual": v["residual"], "no projection": not v["q_proj"], "no output projection":
        not v["o_proj"], "no value projection": not v["v_proj"], "beams": v.get("beams", 1) > 1,
        "uneven": len(set(v["q_lengths"])) > 1 or len(set(v["kv_lengths"])) > 1, "time first": v["order"] == "time batch",
    }  # fmt: skip
    return ", ".join(words + [name for name, on in flags.items() if on])


@dataclass
class _Dropping:
    descriptor: int
    states: Operand | None
    size: int
    seed: int


@dataclass
class _Layer:
    s: Stage
    v: Values
    type: Type
    descriptor: int
    out: int  # size of an output vector
    weights: Operand | None
    weight_size: int
    work: Operand | None
    work_size: int
    reserve: Operand | None
    reserve_size: int
    low: list[int]
    high: list[int]
    drops: dict[str, _Dropping]  # "weights", "output"

    @property
    def beams(self) -> int:
        return int(self.v.get("beams", 1))

    @property
    def spaces(self) -> dict[str, Any]:
        return {"weightSizeInBytes": self.weight_size, "weights": self.weights, "workSpaceSizeInBytes": self.work_size,
                "workSpace": self.work, "reserveSpaceSizeInBytes": self.reserve_size, "reserveSpace": self.reserve}  # fmt: skip


def _windows(v: Values) -> tuple[list[int], list[int]]:
    steps, most = max(v.q_lengths), max(v.kv_lengths)
    if v.window == "causal":
        return [0] * steps, [min(t + 1, most) for t in range(steps)]
    if v.window == "narrow":  # never empty, whatever the key's length: it holds key 0 or 1
        return [min(t, 1) if min(v.kv_lengths) > 1 else 0 for t in range(steps)], [
            min(t + 2, most) for t in range(steps)
        ]
    return [0] * steps, [most] * steps


def _layer(s: Stage, v: Values, training: bool) -> _Layer:
    type_ = TYPES[v.type]
    set_scaling(s, type_)
    low, high = _windows(v)
    drops = {}
    for place, seed in (("weights", 7), ("output", 8)):
        if v.drop in (place, "both"):
            size = s.size("cudnnDropoutGetStatesSize", sizeInBytes=SIZE)
            drops[place] = _Dropping(s.create("Dropout"), s.space(f"{place} states", size), size, seed)
    descriptor = _described(s, v, drops, v.v, v.v_proj, v.o_proj)
    sizes = s.host(
        "cudnnGetMultiHeadAttnBuffers", attnDesc=descriptor, weightSizeInBytes=SIZE, workSpaceSizeInBytes=SIZE,
        reserveSpaceSizeInBytes=SIZE if training else None,
    )  # fmt: skip
    weight_size, work_size, reserve_size = (*sizes, 0)[:3]
    count = weight_size // type_.size
    return _Layer(
        s, v, type_, descriptor, v.o_proj or v.heads * (v.v_proj or v.v),
        s.array("weights", type_, [count], values=np.zeros(count)) if count else None, weight_size,
        s.space("work", work_size), work_size, s.space("reserve", reserve_size) if training else None, reserve_size, low, high,
        drops,
    )  # fmt: skip


def _described(s: Stage, v: Values, drops: Mapping[str, _Dropping], size: int, v_proj: int, o_proj: int) -> int:
    type_ = TYPES[v.type]
    first, last = (drops[place].descriptor if place in drops else None for place in ("weights", "output"))
    return s.make(
        "Attn", "cudnnSetAttnDescriptor", attnMode=ATTENTION_BIASES * bool(v.biases), nHeads=v.heads, smScaler=v.scale,
        dataType=type_.number, computePrec=parameter_type(type_).number,
        mathType=MATH["fma" if v.type == "f32" else "default"], attnDropoutDesc=first, postDropoutDesc=last, qSize=v.q,
        kSize=v.k, vSize=size, qProjSize=v.q_proj, kProjSize=v.q_proj, vProjSize=v_proj, oProjSize=o_proj,
        qoMaxSeqLength=max(v.q_lengths), kvMaxSeqLength=max(v.kv_lengths), maxBatchSize=len(v.q_lengths),
        maxBeamSize=int(v.get("beams", 1)),
    )  # fmt: skip


def _sequence(q: _Layer, name: str, lengths: list[int], size: int, beams: int, io: str = "in") -> Operand:
    """Sequence data as (batch, beam, time, vector), with its descriptor. Beyond a sequence's end stand numbers larger than any
    that count: NVIDIA's library reads them, times 0."""
    s, v = q.s, q.v
    steps, batch = max(lengths), len(lengths)
    order = [*v.order.split(), "beam", "vect"]
    dims = {"batch": batch, "time": steps, "beam": beams, "vect": size}
    strides, step = {}, 1
    for axis in reversed(order):
        strides[axis] = step
        step *= dims[axis]
    grid = sum(
        np.arange(dims[axis], dtype=np.int64).reshape(
            [-1 if a == axis else 1 for a in ("batch", "beam", "time", "vect")]
        )
        * strides[axis]
        for axis in dims
    )
    operand = s.array(name, q.type, [step], io="out")
    operand.index = operand.start + np.asarray(grid)
    operand.io = io
    if io != "out":
        rng = np.random.Generator(np.random.PCG64([s.case.seed, sum(map(ord, name))]))
        for n, length in enumerate(lengths):
            part = operand.index[n, :, :length]
            operand.raw[part] = q.type.encode(rng.random(part.shape) * 2 - 1)
            operand.raw[operand.index[n, :, length:]] = q.type.encode(np.full(1, 64.0))
    dim_array, axes = [0] * 4, [SEQUENCE_AXES[a] for a in order]
    for axis, n in dims.items():
        dim_array[SEQUENCE_AXES[axis]] = n
    operand.desc = s.make(
        "SeqData", "cudnnSetSeqDataDescriptor", dataType=q.type.number, nbDims=4, dimA=dim_array, axes=axes,
        seqLengthArraySize=batch * beams, seqLengthArray=[length for length in lengths for _ in range(beams)],
        paddingFill=None,
    )  # fmt: skip
    return operand


def _places(q: _Layer) -> tuple[dict[str, list[Array]], dict[str, list[Array]]]:
    """Where weights and biases lie, by kind and head; what lies there is drawn."""
    s, v = q.s, q.v
    matrices: dict[str, list[Array]] = {}
    biases: dict[str, list[Array]] = {}
    if q.weights is None:
        return matrices, biases
    base = s.address(q.weights)
    value = v.v_proj or v.v
    shapes = {"q": (v.q_proj, v.q), "k": (v.q_proj, v.k), "v": (v.v_proj, v.v), "o": (v.o_proj, value)}
    w_desc = s.create("Tensor")
    rng = np.random.Generator(np.random.PCG64([s.case.seed, 6]))
    for kind, (rows, columns) in shapes.items():
        for name, there, wanted, found in (
            (kind, bool(rows), [rows, columns], matrices),
            (f"{kind}_bias", bool(rows) and bool(v.biases), [rows, 1], biases),
        ):
            if not there:
                continue
            (address,) = s.host(
                "cudnnGetMultiHeadAttnWeights", attnDesc=q.descriptor, wKind=ATTENTION_WEIGHTS[name],
                weightSizeInBytes=q.weight_size, weights=q.weights, wDesc=w_desc, wAddr=POINTER,
            )  # fmt: skip
            _, count, dims, strides = s.host(
                "cudnnGetTensorNdDescriptor", tensorDesc=w_desc, nbDimsRequested=3, dataType=INT, nbDims=INT, dimA=ints(3),
                strideA=ints(3),
            )  # fmt: skip
            heads = 1 if name == "o_bias" else v.heads
            s.check(dims[:count] == [heads, *wanted], f"{name}: dimensions {dims}, expected {[heads, *wanted]}")
            start = q.weights.start + (address - base) // q.type.size
            inner, outer = np.arange(wanted[0])[:, None] * strides[1], np.arange(wanted[1])[None, :] * strides[2]
            grids = [(start + h * strides[0] + inner + outer).astype(np.int64) for h in range(heads)]
            inside = all((g >= q.weights.start).all() and (g < len(q.weights.raw)).all() for g in grids)
            s.check(inside, f"{name}: reaches beyond the weights")
            if not inside:
                continue
            for grid in grids:
                q.weights.raw[grid] = q.type.encode(rng.random(grid.shape) * 1.4 - 0.7)
            found[kind] = grids
    return matrices, biases


def _oracle(q: _Layer, matrices: dict[str, list[Array]], biases: dict[str, list[Array]]) -> oracle.Layer:
    def read(grids: list[Array]) -> Real:
        assert q.weights is not None
        return exact(q.type.decode(q.weights.raw[np.stack(grids)]), q.type.math)

    vectors = {kind: read(grids) for kind, grids in biases.items()}
    vectors = {kind: (r[0, :, 0] if kind == "o" else r[:, :, 0]) for kind, r in vectors.items()}
    return oracle.Layer(
        q.v.heads, float(np.float32(q.v.scale)), {kind: read(g) for kind, g in matrices.items()}, vectors, q.type
    )


def _one(q: _Layer, operands: tuple[Operand, Operand, Operand], n: int, beam: int) -> oracle.Sequence:
    """One sequence of a batch."""
    v, u = q.v, q.type.math
    steps, keys = v.q_lengths[n], v.kv_lengths[n]
    queries, key, value = operands
    return oracle.Sequence(
        exact(queries.x[n, beam, :steps], u), exact(key.x[n, 0, :keys], u), exact(value.x[n, 0, :keys], u),
        q.low[:steps], [min(h, keys) for h in q.high[:steps]],
    )  # fmt: skip


def _claim_steps(
    q: _Layer,
    operand: Operand,
    results: dict[tuple[int, int], Real],
    lengths: list[int],
    padding: str,
    bias: Array | float = 0.0,
) -> None:
    """`bias` is what the output's projection adds, beyond a sequence's end too."""
    for (n, beam), result in results.items():
        part = Operand(operand.name, q.type, "out", operand.raw, operand.index[n, beam, : lengths[n]], on=operand)
        q.s.claim(part, result.stored(q.type))
        rest = operand.index[n, beam, lengths[n] :]
        if rest.size and padding == "zero":
            beyond = Operand(operand.name, q.type, "out", operand.raw, rest, on=operand)
            q.s.claim_exact(beyond, np.broadcast_to(bias, rest.shape))
        elif rest.size and padding == "open":
            q.s.leave_open(operand, rest)


def _forward(
    q: _Layer, io: tuple[Operand, Operand, Operand, Operand], residual: Operand | None, other: int | None = None
) -> None:
    """`other`: an attention instead of the layer's own, which needs no more memory."""
    queries, keys, values, out = io
    for drop in q.drops.values():
        q.s.run(
            "cudnnSetDropoutDescriptor", dropoutDesc=drop.descriptor, dropout=q.v.rate, states=drop.states,
            stateSizeInBytes=drop.size, seed=drop.seed,
        )  # fmt: skip
    q.s.run(
        "cudnnMultiHeadAttnForward", attnDesc=other or q.descriptor, currIdx=-1, loWinIdx=q.low, hiWinIdx=q.high,
        devSeqLengthsQO=q.s.operands["lengthsQO"], devSeqLengthsKV=q.s.operands["lengthsKV"], qDesc=queries, queries=queries,
        residuals=residual, kDesc=keys, keys=keys, vDesc=values, values=values, oDesc=out, out=out, **q.spaces,
    )  # fmt: skip


def _left(q: _Layer, out: Operand, residual: Operand | None, n: int) -> oracle.Dropped:
    """What the dropouts left of a sequence, as the output shows it: what is not there is the residual, or 0."""
    v = q.v
    if v.drop == "none" or q.reserve is None:
        return oracle.ALL
    steps, keys = v.q_lengths[n], v.kv_lengths[n]
    found = q.s.dense(out)[n, 0, :steps]
    kept = found != (residual.x[n, 0, :steps] if residual else 0)
    rate = 1 - (1 - v.rate) ** 2 if v.drop == "both" else v.rate
    if v.drop == "output":
        plausible(q.s, kept, rate)
        return oracle.Dropped(v.rate, output=kept)
    heads = kept.reshape(steps, v.heads, v.v)[:, :, :keys].transpose(1, 0, 2)
    inside = np.array([[q.low[t] <= j < q.high[t] for j in range(keys)] for t in range(steps)])
    plausible(q.s, heads[:, inside], rate)
    return oracle.Dropped(v.rate, heads, kept if v.drop == "both" else None)


@dataclass
class _Shown:
    """One dropout's mask, which another attention shows that has this dropout alone: of the weights by values that are unit
    vectors, of the output by ones. A dropout that is set anew repeats its mask, on NVIDIA's library too."""

    descriptor: int
    values: Operand
    out: Operand


def _showing(q: _Layer, name: str) -> _Shown:
    v = q.v
    unit = name == "weights"
    size, v_proj, o_proj = (v.v, 0, 0) if unit else (v.v, v.v_proj, v.o_proj)
    descriptor = _described(q.s, v, {name: q.drops[name]}, size, v_proj, o_proj)
    values = _sequence(q, f"values that show {name}", v.kv_lengths, size, 1)
    for n, length in enumerate(v.kv_lengths):
        values.raw[values.index[n, 0, :length]] = q.type.encode(
            np.eye(length, size) if unit else np.ones((length, size))
        )
    return _Shown(
        descriptor, values, _sequence(q, f"{name} shown", v.q_lengths, v.heads * size if unit else q.out, 1, "out")
    )


def _left_as_shown(q: _Layer, shown: Mapping[str, _Shown], n: int) -> oracle.Dropped:
    v = q.v
    steps, keys = v.q_lengths[n], v.kv_lengths[n]
    kept = {name: q.s.dense(one.out)[n, 0, :steps] != 0 for name, one in shown.items()}
    weights = (
        kept["weights"].reshape(steps, v.heads, v.v)[:, :, :keys].transpose(1, 0, 2) if "weights" in kept else None
    )
    return oracle.Dropped(v.rate, weights, kept.get("output"))


def _inputs(q: _Layer, visible: bool = False) -> tuple[Operand, Operand, Operand]:
    """`visible`: values are unit vectors where weights are dropped, so that the output shows them."""
    v = q.v
    queries = _sequence(q, "queries", v.q_lengths, v.q, q.beams)
    keys, values = _sequence(q, "keys", v.kv_lengths, v.k, 1), _sequence(q, "values", v.kv_lengths, v.v, 1)
    if visible and v.drop in ("weights", "both"):
        for n, length in enumerate(v.kv_lengths):
            values.raw[values.index[n, 0, :length]] = q.type.encode(np.eye(length, v.v))
    q.s.numbers("lengthsQO", [length for length in v.q_lengths for _ in range(q.beams)])
    q.s.numbers("lengthsKV", v.kv_lengths)
    return queries, keys, values


@procedure(
    "cudnnMultiHeadAttnForward", _CHAPTER, _infer_drawn, _INFER, signature=_signed, share=1.5,
    also="cudnnGetMultiHeadAttnBuffers cudnnGetMultiHeadAttnWeights",
)  # fmt: skip
def forward(s: Stage, v: Values) -> None:
    q = _layer(s, v, v.training)
    operands = _inputs(q, visible=True)
    residual = _sequence(q, "residuals", v.q_lengths, q.out, q.beams) if v.residual else None
    out = _sequence(q, "out", v.q_lengths, q.out, q.beams, "out")
    layer = _oracle(q, *_places(q))
    _forward(q, (*operands, out), residual)
    results = {}
    for n in range(len(v.q_lengths)):
        for beam in range(q.beams):
            more = exact(residual.x[n, beam, : v.q_lengths[n]], q.type.math) if residual else None
            left = _left(q, out, residual, n)
            results[n, beam] = oracle.forward(layer, _one(q, operands, n, beam), more, left)
    # NVIDIA's library passes on what the residual holds beyond the end.
    bias = layer.biases["o"].v if "o" in layer.biases else 0.0
    _claim_steps(q, out, results, v.q_lengths, OPEN if residual else s.corner(_PADDED), bias)


def _backward(s: Stage, v: Values, weights: bool) -> None:
    q = _layer(s, v, True)
    operands = _inputs(q)
    queries, keys, values = operands
    out = _sequence(q, "out", v.q_lengths, q.out, 1, "out")
    dout = _sequence(q, "dout", v.q_lengths, q.out, 1)
    dq, dk, dv = (
        _sequence(q, name, lengths, size, 1, "out")
        for name, lengths, size in (
            ("dqueries", v.q_lengths, v.q),
            ("dkeys", v.kv_lengths, v.k),
            ("dvalues", v.kv_lengths, v.v),
        )
    )
    dw = None
    if weights and q.weights is not None:
        count = q.weight_size // q.type.size
        dw = s.array("dweights", q.type, [count], io="inout")
    shown = {name: _showing(q, name) for name in q.drops}
    matrices, biases = _places(q)
    layer = _oracle(q, matrices, biases)
    for one in shown.values():
        _forward(q, (queries, keys, one.values, one.out), None, one.descriptor)
        s.leave_open(one.out)
    _forward(q, (*operands, out), None)
    s.run(
        "cudnnMultiHeadAttnBackwardData", attnDesc=q.descriptor, loWinIdx=q.low, hiWinIdx=q.high,
        devSeqLengthsDQDO=s.operands["lengthsQO"], devSeqLengthsDKDV=s.operands["lengthsKV"], doDesc=dout, dout=dout,
        dqDesc=queries, dqueries=dq, queries=queries, dkDesc=keys, dkeys=dk, keys=keys, dvDesc=values, dvalues=dv,
        values=values, **q.spaces,
    )  # fmt: skip
    if dw is not None:
        s.run(
            "cudnnMultiHeadAttnBackwardWeights", attnDesc=q.descriptor, addGrad=WGRAD_ADD if v.add else WGRAD_SET,
            qDesc=queries, queries=queries, kDesc=keys, keys=keys, vDesc=values, values=values, doDesc=dout, dout=dout,
            dweights=dw, **q.spaces,
        )  # fmt: skip
    every = {
        n: oracle.backward(layer, _one(q, operands, n, 0), _rows(q, dout, n), _left_as_shown(q, shown, n))
        for n in range(len(v.q_lengths))
    }
    padding = s.corner(_PADDED_BACK)
    _claim_steps(q, dq, {(n, 0): g.q for n, g in every.items()}, v.q_lengths, padding)
    _claim_steps(q, dk, {(n, 0): g.k for n, g in every.items()}, v.kv_lengths, padding)
    _claim_steps(q, dv, {(n, 0): g.v for n, g in every.items()}, v.kv_lengths, padding)
    s.leave_open(out)
    if dw is not None:
        if "o" in biases:  # every row of dout counts, one beyond a sequence's end too
            for n, g in every.items():
                g.biases["o"][0] += exact(dout.x[n, 0, v.q_lengths[n] :], q.type.math).sum(0)
        _claim_weights(q, dw, matrices, biases, list(every.values()))


def _rows(q: _Layer, operand: Operand, n: int) -> Real:
    return exact(operand.x[n, 0, : q.v.q_lengths[n]], q.type.math)


def _claim_weights(
    q: _Layer,
    dw: Operand,
    matrices: dict[str, list[Array]],
    biases: dict[str, list[Array]],
    every: list[oracle.Gradients],
) -> None:
    rest = np.ones(dw.raw.shape, bool)
    for kinds, part in ((matrices, "weights"), (biases, "biases")):
        for kind, grids in kinds.items():
            for head, grid in enumerate(grids):
                pieces = [getattr(g, part)[kind][head] for g in every]
                total = pieces[0]
                for piece in pieces[1:]:
                    total = total + piece
                shaped = total.reshape(*grid.shape)
                place = Operand(dw.name, q.type, "inout", dw.raw, grid, on=dw)
                old = q.type.decode(dw.raw[grid])
                q.s.claim(place, blend(1.0, shaped.stored(q.type), 1.0 if q.v.add else 0.0, old, q.type))
                rest[grid] = False
    inside = dw.index.ravel()
    q.s.leave_open(dw, inside[rest[inside]])


@procedure("cudnnMultiHeadAttnBackwardData", _CHAPTER, _train_drawn, _TRAIN, signature=_signed)
def backward_data(s: Stage, v: Values) -> None:
    _backward(s, v, weights=False)


@procedure("cudnnMultiHeadAttnBackwardWeights", _CHAPTER, _train_drawn, _TRAIN, signature=_signed)
def backward_weights(s: Stage, v: Values) -> None:
    _backward(s, v, weights=True)
