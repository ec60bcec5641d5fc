"""Recurrent networks as before version 8, which cuDNN 8 still has: a descriptor a step (packed sequences), and the `Ex` forms.

The numbers are those of `rnn.py`; the descriptors, the sizes and the places of the weights are asked for in the older way."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...oracles.claims import Array
from ..cases import Values
from ..draws import Draw
from ..elements import TYPES
from ..names import FORMAT, RNN, RNN_BIAS
from ..registry import procedure
from ..stage import FLOAT, INT, POINTER, SIZE, Operand, Stage, ints, packed
from .common import parameter_type
from .rnn import (
    BASE,
    Net,
    Places,
    claim_backward,
    claim_forward,
    drawn,
    fill_gradients,
    find,
    network_of,
    sequence,
    sequence_descriptor,
    signed,
)

_CHAPTER = "Recurrent networks before version 8"
_STEPS = {**BASE, "layout": "packed"}
_EX: dict[str, Any] = dict.fromkeys(("kDesc", "keys", "cDesc", "cAttn", "iDesc", "iAttn", "qDesc", "queries"))
_WAY = "cudnnGetRNNWorkspaceSize cudnnGetRNNTrainingReserveSize cudnnGetRNNParamsSize cudnnGetRNNLinLayerMatrixParams \
cudnnGetRNNLinLayerBiasParams"


def _drawn(d: Draw) -> dict[str, Any]:
    return {**drawn(d), "algorithm": "standard"}


def _drawn_steps(d: Draw) -> dict[str, Any]:
    values = _drawn(d)
    lengths = sorted(values["lengths"], reverse=True)
    return {**values, "layout": "packed", "lengths": lengths, "steps": lengths[0]}


class _Old:
    """One network and its descriptors."""

    def __init__(self, s: Stage, v: Values, training: bool, backward: bool = False) -> None:
        self.s, self.v = s, v
        type_ = TYPES[v.type]
        directions = 2 if v.bidirectional else 1
        width = v.projection * directions
        descriptor = s.create("RNN")
        s.host(
            "cudnnSetRNNDescriptor_v6", rnnDesc=descriptor, hiddenSize=v.hidden, numLayers=v.layers, dropoutDesc=None,
            inputMode=int(v.skip), direction=int(v.bidirectional), cellMode=RNN[v.cell], algo=0,
            mathPrec=parameter_type(type_).number,
        )  # fmt: skip
        s.host("cudnnSetRNNBiasMode", rnnDesc=descriptor, biasMode=RNN_BIAS[v.bias])
        s.host("cudnnSetRNNPaddingMode", rnnDesc=descriptor, paddingMode=int(v.layout != "packed"))
        if v.projects:
            s.host("cudnnSetRNNProjectionLayers", rnnDesc=descriptor, recProjSize=v.projection, outProjSize=0)
        if v.clip:
            s.host("cudnnRNNSetClip", rnnDesc=descriptor, clipMode=1, clipNanOpt=1, lclip=-0.25, rclip=0.3)
        counts = [sum(length > t for length in v.lengths) for t in range(max(v.lengths))]
        self.xs = self._steps("xs", counts, v.input)
        self.ys = self._steps("ys", counts, width)
        full = self._steps("full", [len(v.lengths)] * v.steps, v.input)
        first = int(full[0])
        weight_size = s.size(
            "cudnnGetRNNParamsSize", rnnDesc=descriptor, xDesc=first, sizeInBytes=SIZE, dataType=type_.number
        )
        work_size = s.size(
            "cudnnGetRNNWorkspaceSize", rnnDesc=descriptor, seqLength=v.steps, xDesc=full, sizeInBytes=SIZE
        )
        reserve_size = s.size(
            "cudnnGetRNNTrainingReserveSize", rnnDesc=descriptor, seqLength=v.steps, xDesc=full, sizeInBytes=SIZE
        )
        count = weight_size // type_.size
        self.w_desc = s.make(
            "Filter", "cudnnSetFilterNdDescriptor", dataType=type_.number, format=FORMAT["nchw"], nbDims=3,
            filterDimA=[count, 1, 1],
        )  # fmt: skip
        self.x_data = sequence_descriptor(s, v, type_, v.input)
        self.y_data = sequence_descriptor(s, v, type_, width)
        net = Net(
            s, v, type_, descriptor, sequence(s, v, "x", type_, v.input), sequence(s, v, "y", type_, width, "out"), None,
            s.array("w", type_, [count], values=np.zeros(count)), weight_size,
        )  # fmt: skip
        net.work, net.work_size = s.space("work", work_size), work_size
        if training:
            net.reserve, net.reserve_size = s.space("reserve", reserve_size), reserve_size
        self.other_work = s.space("other work", work_size) if backward else None
        for name, size in (("h", v.projection), ("c", v.hidden)):
            dims = [v.layers * directions, len(v.lengths), size]
            net.descs[name] = s.tensor_descriptor(name, type_, dims, packed(dims))
            if name == "c" and v.cell != "lstm":
                continue
            for given, words, io in ((v.initial, "{}x", "in"), (v.final, "{}y", "out")):
                if given:
                    net.states[words.format(name)] = s.array(words.format(name), type_, dims, io=io)
            if backward:
                for given, words, io in ((v.final, "d{}y", "in"), (v.initial, "d{}x", "out")):
                    if given:
                        net.states[words.format(name)] = s.array(words.format(name), type_, dims, io=io)
        self.net, self.first = net, first

    def _steps(self, name: str, counts: list[int], width: int) -> Array:
        """A descriptor a step, as an array of pointers."""
        dims = [[n, width, 1] for n in counts]
        made = [self.s.tensor_descriptor(f"{name} {t}", TYPES[self.v.type], d, packed(d)) for t, d in enumerate(dims)]
        return np.asarray(made, np.uint64)

    def places(self) -> Places:
        """Ask for every gate's matrix and bias."""
        net, found = self.net, self.s.create("Filter")

        def ask(function: str, word: str, pseudo: int, gate: int) -> tuple[int, tuple[list[int], list[int]]]:
            (address,) = self.s.host(
                function, rnnDesc=net.descriptor, pseudoLayer=pseudo, xDesc=self.first, wDesc=self.w_desc, w=net.weights,
                linLayerID=gate, **{f"{word}Desc": found, word: POINTER},
            )  # fmt: skip
            _, _, count, dims = self.s.host(
                "cudnnGetFilterNdDescriptor", filterDesc=found, nbDimsRequested=3, dataType=INT, format=INT, nbDims=INT,
                filterDimA=ints(3),
            )  # fmt: skip
            return int(address), (dims[:count], packed(dims[:count]))

        return find(
            net,
            lambda pseudo, gate: ask("cudnnGetRNNLinLayerMatrixParams", "linLayerMat", pseudo, gate),
            lambda pseudo, gate: ask("cudnnGetRNNLinLayerBiasParams", "linLayerBias", pseudo, gate),
        )

    def state(self, words: str) -> dict[str, Any]:
        """Arguments of states: each with its descriptor. `hx cy dhx …`"""
        arguments: dict[str, Any] = {}
        for word in words.split():
            arguments[word] = self.net.states.get(word)
            arguments[f"{word}Desc"] = self.net.descs["h" if "h" in word else "c"]
        return arguments

    def spaces(self, training: bool) -> dict[str, Any]:
        net = self.net
        found: dict[str, Any] = {"workSpace": net.work, "workSpaceSizeInBytes": net.work_size}
        if training:
            found |= {"reserveSpace": net.reserve, "reserveSpaceSizeInBytes": net.reserve_size}
        return found

    def sequences(self, ex: bool, **which: str) -> dict[str, Any]:
        """The descriptors of x, y, dx, dy: `xDesc="x"` …"""
        if ex:
            return {name: self.x_data if side == "x" else self.y_data for name, side in which.items()}
        return {name: self.xs if side == "x" else self.ys for name, side in which.items()} | {"seqLength": self.v.steps}

    def run(self, name: str, find: bool, **arguments: Any) -> None:
        """A pass, or the trial of its algorithms, which leaves what the pass does."""
        if not find:
            self.s.run(name, **arguments)
            return
        arguments["workspace"] = arguments.pop("workSpace")
        (made,) = self.s.host("cudnnCreateAlgorithmPerformance", algoPerf=POINTER, numberToCreate=1)
        results = np.asarray([made], np.uint64)
        self.s.upload()
        (returned,) = self.s.host(
            name.replace("cudnnRNN", "cudnnFindRNN") + "AlgorithmEx", findIntensity=1.0, requestedAlgoCount=1,
            returnedAlgoCount=INT, perfResults=results, **arguments,
        )  # fmt: skip
        self.s.check(returned == 1, f"{returned} algorithms where 1 was asked for")
        status, time, memory = self.s.host(
            "cudnnGetAlgorithmPerformance", algoPerf=made, algoDesc=None, status=INT, time=FLOAT, memory=SIZE
        )
        self.s.check(status == 0 and time >= 0 and memory == self.net.work_size, f"{status}, {time} ms, {memory} bytes")
        self.s.host("cudnnDestroyAlgorithmPerformance", algoPerf=results, numberToDestroy=1)

    def forward(self, training: bool, ex: bool, find: bool = False) -> None:
        net = self.net
        name = f"cudnnRNNForward{'Training' if training else 'Inference'}{'Ex' if ex else ''}"
        self.run(
            name, find, rnnDesc=net.descriptor, x=net.x, wDesc=self.w_desc, w=net.weights, y=net.y, **self.state("hx cx hy cy"),
            **self.sequences(ex, xDesc="x", yDesc="y"), **self.spaces(training), **(_EX if ex else {}),
        )  # fmt: skip

    def backward_data(self, ex: bool, dy: Operand, dx: Operand, find: bool = False) -> None:
        net = self.net
        attention = dict.fromkeys(("dcDesc", "dcAttn", "dkDesc", "dkeys")) if ex else {}
        self.run(
            f"cudnnRNNBackwardData{'Ex' if ex else ''}", find, rnnDesc=net.descriptor, y=net.y, dy=dy, wDesc=self.w_desc,
            w=net.weights, dx=dx, **self.state("dhy dcy hx cx dhx dcx"),
            **self.sequences(ex, yDesc="y", dyDesc="y", dxDesc="x"), **self.spaces(True), **attention,
        )  # fmt: skip

    def backward_weights(self, ex: bool, dw: Operand, find: bool = False) -> None:
        net = self.net
        self.run(
            f"cudnnRNNBackwardWeights{'Ex' if ex else ''}", find, rnnDesc=net.descriptor, x=net.x, y=net.y, dwDesc=self.w_desc,
            dw=dw, **self.state("hx"), **self.sequences(ex, xDesc="x", yDesc="y"),
            **{**self.spaces(True), "workSpace": self.other_work},
        )  # fmt: skip


def _forward(s: Stage, v: Values, training: bool, ex: bool, find: bool = False) -> None:
    old = _Old(s, v, training)
    network = network_of(old.net, old.places())
    old.forward(training, ex, find)
    claim_forward(old.net, network)


def _backward(s: Stage, v: Values, ex: bool, weights: bool, find: bool = False) -> None:
    old = _Old(s, v, True, backward=True)
    net = old.net
    width = v.projection * net.directions
    dy = sequence(s, v, "dy", net.type, width)
    dx = sequence(s, v, "dx", net.type, v.input, "out")
    dw = s.array("dw", net.type, [net.weights.raw.size], values=np.zeros(net.weights.raw.size)) if weights else None
    places = old.places()
    network = network_of(net, places)
    if dw is not None:
        fill_gradients(net, dw, places)
    old.forward(True, ex)
    old.backward_data(ex, dy, dx, find and not weights)
    if dw is not None:
        old.backward_weights(ex, dw, find)
    claim_backward(net, network, places, dy, dx, dw)


@procedure("cudnnRNNForwardInference", _CHAPTER, _drawn_steps, _STEPS, twists="h c", signature=signed, also=_WAY)
def forward_inference(s: Stage, v: Values) -> None:
    _forward(s, v, training=False, ex=False)


@procedure("cudnnRNNForwardTraining", _CHAPTER, _drawn_steps, _STEPS, twists="h c", signature=signed)
def forward_training(s: Stage, v: Values) -> None:
    _forward(s, v, training=True, ex=False)


@procedure("cudnnRNNBackwardData", _CHAPTER, _drawn_steps, _STEPS, twists="h c", signature=signed)
def backward_data(s: Stage, v: Values) -> None:
    _backward(s, v, ex=False, weights=False)


@procedure("cudnnRNNBackwardWeights", _CHAPTER, _drawn_steps, _STEPS, twists="h", signature=signed)
def backward_weights(s: Stage, v: Values) -> None:
    _backward(s, v, ex=False, weights=True)


@procedure("cudnnRNNForwardInferenceEx", _CHAPTER, _drawn, BASE, twists="h c", signature=signed)
def forward_inference_ex(s: Stage, v: Values) -> None:
    _forward(s, v, training=False, ex=True)


@procedure("cudnnRNNForwardTrainingEx", _CHAPTER, _drawn, BASE, twists="h c", signature=signed)
def forward_training_ex(s: Stage, v: Values) -> None:
    _forward(s, v, training=True, ex=True)


@procedure("cudnnRNNBackwardDataEx", _CHAPTER, _drawn, BASE, twists="h c", signature=signed)
def backward_data_ex(s: Stage, v: Values) -> None:
    _backward(s, v, ex=True, weights=False)


@procedure("cudnnRNNBackwardWeightsEx", _CHAPTER, _drawn, BASE, twists="h", signature=signed)
def backward_weights_ex(s: Stage, v: Values) -> None:
    _backward(s, v, ex=True, weights=True)


@procedure("cudnnFindRNNForwardInferenceAlgorithmEx", _CHAPTER, _drawn_steps, _STEPS, signature=signed, share=0.3)
def find_forward_inference(s: Stage, v: Values) -> None:
    _forward(s, v, training=False, ex=False, find=True)


@procedure("cudnnFindRNNForwardTrainingAlgorithmEx", _CHAPTER, _drawn_steps, _STEPS, signature=signed, share=0.3)
def find_forward_training(s: Stage, v: Values) -> None:
    _forward(s, v, training=True, ex=False, find=True)


@procedure("cudnnFindRNNBackwardDataAlgorithmEx", _CHAPTER, _drawn_steps, _STEPS, signature=signed, share=0.3)
def find_backward_data(s: Stage, v: Values) -> None:
    _backward(s, v, ex=False, weights=False, find=True)


@procedure("cudnnFindRNNBackwardWeightsAlgorithmEx", _CHAPTER, _drawn_steps, _STEPS, signature=signed, share=0.3)
def find_backward_weights(s: Stage, v: Values) -> None:
    _backward(s, v, ex=False, weights=True, find=True)
