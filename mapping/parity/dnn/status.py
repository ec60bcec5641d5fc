"""The status test of one function: each case changes one argument, or one descriptor, of a small valid procedure.

Expected is NVIDIA's own answer where one was recorded, else a rule: a handle or descriptor that is none is refused, to all else any
answer is right, as long as it is one. The rule counts too where NVIDIA's library dies; where it answers that a kernel failed,
any refusal is right."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from . import golden
from .cases import Change
from .names import BAD_PARAM, SUCCESS, blames, in_version, refuses
from .registry import Procedure
from .subject import Subject

FOREIGN = 0x1234
REFUSED = "refused"  # any status but success
ANY = "any"
_UNUSED = {"kDesc", "cDesc", "iDesc", "qDesc", "dcDesc", "dkDesc"}  # by cudnnRNN…Ex, which are given NULL there
# NVIDIA's library answers success before its kernel reads through the NULL: a refusal is right
_LATE = {("cudnnCTCLoss", "probs NULL"), ("cudnnCTCLoss_v8", "probs NULL"), ("cudnnCTCLoss_v8", "labelLengths NULL")}
_TWISTS = {"dim0": "dimension 0 one larger", "dim1": "dimension 1 one larger", "type": "another element type",
           "rank": "one dimension more", "unset": "never set"}  # fmt: skip


@dataclass(frozen=True, slots=True)
class StatusCase:
    """One changed call. `expected`: a status of this version, `refused` or `any`."""

    name: str
    change: Change
    expected: int | str
    ours: bool = False  # undefined in NVIDIA's library: not asked there
    handle: str = ""  # `freed`: the handle that the bench puts in

    def made(self, subject: Subject) -> Change:
        """The change, with a dead handle of this subject's where one is asked for."""
        if self.handle != "freed":
            return self.change
        return replace(self.change, replaced=dict.fromkeys(self.change.replaced, subject.handle("freed")))

    def right(self, got: int | None, version: int) -> bool:
        """Whether an answer (None: the call was not possible) is what a version of cuDNN may say."""
        if got is None:
            return False
        if self.expected == REFUSED:
            return got != SUCCESS
        if self.expected == ANY:
            return True
        if got == self.expected:
            return True
        # cuDNN 8 numbers are translated from 9's families; 8 has fewer of them.
        return version == 8 and _family(got, 8) == _family(int(self.expected), 8)

    def shown(self, version: int) -> int | None:
        """The expectation as a report shows it."""
        if isinstance(self.expected, int):
            return self.expected
        return in_version(BAD_PARAM, version) if self.expected == REFUSED else None


def _family(status: int, version: int) -> str:
    return "blames" if blames(status, version) else "refuses" if refuses(status, version) else str(status)


def status_cases(procedure: Procedure, version: int, nvidia: bool = False) -> list[StatusCase]:
    """All status cases of a function, in a fixed order."""
    if procedure.prototype.result:
        return []
    found = []
    for name, change, rule, ours in _raw(procedure):
        expected: int | str = rule
        answer = golden.answer(procedure.function, name, version)
        if answer is not None and not ours:
            late = (procedure.function, name) in _LATE and not nvidia
            expected = REFUSED if late else _expected(answer, rule, version, nvidia)
        found.append(StatusCase(name, change, expected, ours, "freed" if name.endswith("freed") else ""))
    return found


def _expected(answer: int | str, rule: int | str, version: int, nvidia: bool) -> int | str:
    if isinstance(answer, str):
        return ANY if nvidia else rule
    failed = answer // 1000 in (4, 5) if version >= 9 else answer in (4, 7, 8)
    # An accident: a kernel failed on arguments that were not checked.
    return REFUSED if failed and not nvidia else answer


def _raw(procedure: Procedure) -> Iterator[tuple[str, Change, str, bool]]:
    function = procedure.function
    for p in procedure.prototype.parameters:
        if p.kind == "h":
            yield f"{p.name} NULL", Change(function, {p.name: 0}), REFUSED, False
            yield f"{p.name} foreign", Change(function, {p.name: FOREIGN}), REFUSED, True
            yield f"{p.name} freed", Change(function, {p.name: 0}), REFUSED, True
        elif p.kind == "d":
            unused = p.name in _UNUSED and function.startswith("cudnnRNN") and function.endswith("Ex")
            rule = ANY if p.name == "streamId" or unused else REFUSED
            yield f"{p.name} NULL", Change(function, {p.name: 0}), rule, False
            if p.name != "streamId":
                yield f"{p.name} foreign", Change(function, {p.name: FOREIGN}), REFUSED, True
        elif p.kind in "Do" or p.kind in "pwsa":
            yield f"{p.name} NULL", Change(function, {p.name: 0}), ANY, False
        elif p.kind == "e":
            yield f"{p.name} = 99", Change(function, {p.name: 99}), ANY, False
            yield f"{p.name} = -1", Change(function, {p.name: -1}), ANY, False
        elif p.kind == "i":
            for value in (-1, 0):
                yield f"{p.name} = {value}", Change(function, {p.name: value}), ANY, False
            if p.name == "nbDims":
                yield f"{p.name} = 9", Change(function, {p.name: 9}), ANY, False
        elif p.kind == "z":
            yield f"{p.name} = 0", Change(function, {p.name: 0}), ANY, False
        elif p.kind in "fg":
            yield f"{p.name} = -1", Change(function, {p.name: -1.0}), ANY, False
            yield f"{p.name} = 0", Change(function, {p.name: 0.0}), ANY, False
            yield f"{p.name} = NaN", Change(function, {p.name: float("nan")}), ANY, False
    for operand in procedure.twists:
        for what, words in _TWISTS.items():
            yield f"{operand}: {words}", Change(function, {}, (operand, what)), ANY, False
