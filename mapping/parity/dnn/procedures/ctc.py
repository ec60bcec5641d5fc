"""CTC loss, with labels in host memory and in device memory."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..cases import Values
from ..corners import corner
from ..draws import Draw
from ..elements import TYPES
from ..names import CTC_ALGORITHM, LOSS_NORMALISATION
from ..oracles import ctc as oracle
from ..oracles import softmax
from ..registry import procedure
from ..running import Real, exact, stack
from ..stage import SIZE, Stage
from .common import set_scaling

_CHAPTER = "CTC loss"
_BASE: dict[str, Any] = {
    "type": "f32", "steps": 5, "alphabet": 4, "labels": [[1, 2], [3]], "lengths": [5, 4], "normalisation": "softmax",
    "algorithm": "deterministic", "gradients": True, "set": "v8",
}  # fmt: skip
_BEYOND = corner(
    "CTC: gradient beyond a sequence's end", "zero kept", "cudnnCTCLoss", lengths=[5, 3], labels=[[1, 2], [3]]
)


def _drawn(d: Draw) -> dict[str, Any]:
    alphabet = d.pick(4, 2, 7, 29)
    labels, lengths = [], []
    for _ in range(d.pick(2, 1, 3, 5)):
        label = [d.pick(*range(1, alphabet)) for _ in range(d.pick(2, 1, 3, 5))]
        labels.append(label)
        lengths.append(oracle.needed(label) + d.pick(2, 0, 1, 4))
    return {
        "type": "f32",  # NVIDIA's library refuses all others
        "steps": max(lengths) + d.pick(0, 0, 2),
        "alphabet": alphabet,
        "labels": labels,
        "lengths": lengths,
        "normalisation": d.word("softmax none"),
        "algorithm": d.word("deterministic non_deterministic"),
        "gradients": d.flag(5, 6),
        "set": d.word("v8 ex v9") if d.version >= 9 else d.word("v8 ex"),
    }


def _descriptor(s: Stage, v: Values, device: bool) -> int:
    type_, mode = TYPES[v.type].number, LOSS_NORMALISATION[v.normalisation]
    longest = max(len(label) for label in v.labels)
    how = "v8" if device and v.set == "ex" else v.set
    if how == "ex":
        return s.make("CTCLoss", "cudnnSetCTCLossDescriptorEx", compType=type_, normMode=mode, gradMode=0)
    if how == "v9":
        return s.make(
            "CTCLoss",
            "cudnnSetCTCLossDescriptor_v9",
            compType=type_,
            normMode=mode,
            ctcGradMode=0,
            maxLabelLength=longest,
        )
    return s.make(
        "CTCLoss", "cudnnSetCTCLossDescriptor_v8", compType=type_, normMode=mode, gradMode=0, maxLabelLength=longest
    )


def _loss(device: bool) -> Any:
    def body(s: Stage, v: Values) -> None:
        type_ = TYPES[v.type]
        set_scaling(s, type_)
        batch = len(v.labels)
        dims = [v.steps, batch, v.alphabet]
        descriptor = _descriptor(s, v, device)
        rng = np.random.Generator(np.random.PCG64([s.case.seed, 5]))
        logits = exact(rng.random(dims) * 4 - 2, type_.math)
        plain = v.normalisation == "none"
        p = softmax.forward(logits, "accurate", "channel") if plain else logits
        # softmax's `channel` is dimension 1: the alphabet has to stand there.
        if plain:
            p = softmax.forward(logits.swap(1, 2), "accurate", "channel").swap(1, 2)
        probs = s.tensor("probs", type_, dims, values=p.v)
        gradients = s.tensor("gradients", type_, dims, io="out") if v.gradients else None
        costs = s.array("costs", type_, [batch], io="out")
        flat = [symbol for label in v.labels for symbol in label]
        sizes = [len(label) for label in v.labels]
        algorithm = CTC_ALGORITHM[v.algorithm]
        if device:
            size = s.size(
                "cudnnGetCTCLossWorkspaceSize_v8", algo=algorithm, ctcLossDesc=descriptor, probsDesc=probs,
                gradientsDesc=gradients, sizeInBytes=SIZE,
            )  # fmt: skip
            given: dict[str, Any] = {
                "labels": s.numbers("labels", flat), "labelLengths": s.numbers("labelLengths", sizes),
                "inputLengths": s.numbers("inputLengths", v.lengths),
            }  # fmt: skip
        else:
            size = s.size(
                "cudnnGetCTCLossWorkspaceSize", probsDesc=probs, gradientsDesc=gradients, labels=flat, labelLengths=sizes,
                inputLengths=list(v.lengths), algo=algorithm, ctcLossDesc=descriptor, sizeInBytes=SIZE,
            )  # fmt: skip
            given = {"hostLabels": flat, "hostLabelLengths": sizes, "hostInputLengths": list(v.lengths)}
        work = s.space("work", size)
        s.run(
            "cudnnCTCLoss_v8" if device else "cudnnCTCLoss", probsDesc=probs, probs=probs, **given, costs=costs,
            gradientsDesc=gradients, gradients=gradients, algo=algorithm, ctcLossDesc=descriptor, workspace=work,
            workSpaceSizeInBytes=size,
        )  # fmt: skip
        seen = exact(probs.x, type_.math)
        if not plain:
            seen = softmax.forward(seen.swap(1, 2), "accurate", "channel").swap(1, 2)
        by = "probabilities" if plain else "activations"
        found = [oracle.loss(seen[:, n], label, v.lengths[n], by) for n, label in enumerate(v.labels)]
        s.claim(costs, stack([cost for cost, _ in found]).stored(type_))
        if gradients is not None:
            what = s.corner(_BEYOND)
            result = stack([g for _, g in found], 1).stored(type_)
            beyond = np.arange(v.steps)[:, None, None] >= np.asarray(v.lengths)[None, :, None]
            if what == "kept":
                result = Real(np.where(beyond, gradients.x, result.v), np.where(beyond, 0, result.e), result.u)
            s.claim(gradients, result.free(beyond & (what != "zero")))

    return body


_SIGNED = "type normalisation algorithm gradients set"
procedure(
    "cudnnCTCLoss", _CHAPTER, _drawn, _BASE, twists="probs gradients", signature=_SIGNED,
    also="cudnnGetCTCLossWorkspaceSize",
)(_loss(False))  # fmt: skip
procedure(
    "cudnnCTCLoss_v8", _CHAPTER, _drawn, _BASE, twists="probs gradients", signature=_SIGNED,
    also="cudnnGetCTCLossWorkspaceSize_v8",
)(_loss(True))  # fmt: skip
