"""One case on one subject: the procedure runs, and what came of it is judged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..oracles.claims import Fault, Verdict
from . import golden
from .cases import Case, Change
from .names import refuses
from .registry import Procedure
from .stage import Operand, ReachedError, RefusedError, Stage
from .subject import Subject

Lacks = Mapping[str, Mapping[str, Sequence[str]]]  # function → value of a case → what is refused


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a case. `status` is the first answer that was not success, `function` who gave it."""

    status: int
    function: str
    verdict: Verdict
    operands: dict[str, Operand]
    refused: bool = False  # a configuration that NVIDIA's library refuses too, or that the table says is lacking

    @property
    def ok(self) -> bool:
        return self.refused or (self.status == 0 and self.verdict.ok)

    def lines(self) -> list[str]:
        if self.status:
            return [f"{self.function} answers {self.status}, expected 0"]
        return [self._line(f) for f in (*self.verdict.faults, *self.verdict.untouched)]

    def _line(self, fault: Fault) -> str:
        if fault.position < 0 or fault.array not in self.operands:
            return f"{fault.array}: {fault.what}" if fault.array else fault.what
        return f"{fault.array}[{self.operands[fault.array].coordinates(fault.position)}]: {fault.what}"


class Bench:
    """Runs procedures on one subject."""

    def __init__(self, subject: Subject, lacks: Lacks | None = None) -> None:
        self.subject = subject
        self.lacks = lacks or {}

    def lacking(self, function: str, case: Case) -> str:
        """What of a case the tables say that a function refuses."""
        for key, refused in self.lacks.get(function, {}).items():
            value = " ".join(str(case.values.get(word)).lower() for word in key.split())
            if value in refused:
                return f"{key}={value}"
        return ""

    def run(self, procedure: Procedure, case: Case) -> Outcome:
        """Make the calls of a case and judge what they leave."""
        stage = Stage(self.subject, case)
        try:
            with np.errstate(all="ignore"):
                procedure.body(stage, case.values)
                stray = stage.reads_undescribed()
                if stray:
                    text = "the oracle reads elements that the procedure does not draw; the procedure is wrong"
                    return Outcome(0, "", Verdict((Fault(stray, -1, text),)), stage.operands)
                lacking = "" if procedure.on_the_way else self.lacking(procedure.function, case)
                if lacking:
                    text = f"the table says that {lacking} is lacking, and the call is answered"
                    return Outcome(0, "", Verdict((Fault("", -1, text),)), stage.operands)
                return Outcome(0, "", stage.verdict(), stage.operands)
        except RefusedError as refusal:
            refused = refuses(refusal.status, self.subject.version) and (
                self.subject.kind == "nvidia"
                or bool(self.lacking(refusal.function, case) or self.lacking(procedure.function, case))
                or golden.refused(procedure.function, procedure.signed(case.values))
            )
            # An answer of success that the procedure cannot go on with (no algorithm at all) is a fault that it has told.
            faults = () if refusal.status else tuple(stage.faults)
            return Outcome(refusal.status, refusal.function, Verdict(faults), stage.operands, refused)
        finally:
            stage.close()

    def ask(self, procedure: Procedure, change: Change) -> tuple[int | None, Sequence[str]]:
        """The answer of a changed call, and what it altered although it was refused.

        None: the procedure's baseline is refused before it comes to that call."""
        case = Case(procedure.function, golden.baseline(procedure), seed=8)
        stage = Stage(self.subject, case, change)
        try:
            with np.errstate(all="ignore"):
                procedure.body(stage, case.values)
        except ReachedError as reached:
            return reached.status, stage.altered() if reached.status else ()
        except RefusedError as refusal:
            if change.twist or change.function == refusal.function:
                return refusal.status, ()
            return None, (f"{refusal.function} answers {refusal.status} before it",)
        finally:
            stage.close()
        return None, ("the procedure does not come to this call",)
