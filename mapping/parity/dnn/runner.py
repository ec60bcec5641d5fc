"""The cuDNN suite's parent: the same queue, children and report as cuBLAS's, with procedures in place of table kinds."""

from __future__ import annotations

import fnmatch
import time
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from ...tables.loader import load
from ...tables.model import Function
from .. import known
from ..options import Options, ParityError, default_subject
from ..report import FunctionResult, Numbers, Report, Status
from ..runner import Progress, Work, no_match
from ..session import Session
from . import procedures
from .cases import Case, as_python
from .corners import Corner
from .registry import PROCEDURES, Procedure
from .subject import installed

LIBRARIES = {"cudnn": 9, "cudnn8": 8, "cudnn9": 9}


@dataclass(frozen=True, slots=True)
class DnnOptions(Options):
    """`cudnn`: which major version of the library. `host_only`: calls that need no handle, on a machine without a GPU."""

    cudnn: int = 9
    host_only: bool = False

    @property
    def judge(self) -> str:
        return self.label or (f"NVIDIA's cuDNN {self.cudnn}" if self.nvidia else f"NumPy, {self.backend} backend")


def completed(options: Options) -> DnnOptions:
    """The cuDNN version follows from the library's name; NVIDIA's folder from where PyPI puts it."""
    if not isinstance(options, DnnOptions):
        values = {f.name: getattr(options, f.name) for f in fields(Options)}
        options = DnnOptions(**values, cudnn=LIBRARIES[options.library])
    if options.factory:
        return options
    subject = options.subject
    if subject is None and options.nvidia:
        subject = installed()
        if subject is None:
            raise ParityError("no libcudnn of NVIDIA's is installed here; name its folder")
    return replace(options, subject=(subject or default_subject(options.major)).absolute())


def answered(options: DnnOptions) -> dict[str, Function]:
    """The functions of our library that its tables do not refuse."""
    functions = load(options.tables).functions("cudnn", options.cudnn)
    return {f.name: f for f in functions if f.kind != "unsupported"}


def chosen(options: DnnOptions) -> list[Procedure]:
    """The functions that the globs name, and that this version has and ours answers, the costly ones first."""
    ours = None if options.nvidia or options.factory else answered(options)
    found = [
        p
        for p in PROCEDURES.values()
        if p.prototype.exists(options.cudnn)
        and (ours is None or p.function in ours)
        and (p.device is False or not options.host_only)
        and any(fnmatch.fnmatchcase(name, glob) for glob in options.functions for name in (p.function, p.chapter))
    ]
    return sorted(found, key=lambda p: (-p.share, len(p.function)))


class DnnSession(Session):
    """One child after the other, with cuDNN's worker in them."""

    worker = f"{__package__}.worker"
    options: DnnOptions

    def _config(self) -> dict[str, Any]:
        lacks = {}
        if not (self.options.nvidia or self.options.factory):
            lacks = {name: dict(f.entry.lacks) for name, f in answered(self.options).items() if f.entry.lacks}
        return {"cudnn": self.options.cudnn, "host_only": self.options.host_only, "lacks": lacks}

    def numbers_of(self, procedure: Procedure) -> Numbers:
        """Its examples' verdict, played in the child; a child that dies is a verdict too."""
        child = self._alive()
        examples = max(4, round(self.options.examples * procedure.share))
        child.send({"function": procedure.function, "part": "numbers", "examples": examples})
        reply = child.answer()
        if "done" in reply:
            python = as_python(Case.from_json(reply["failing"])) if reply["failing"] else ""
            state = "fail" if python else "pass" if reply["examples"] else "none"
            return Numbers(state, reply["examples"], reply["error"], tuple(reply["lines"]), python)
        if "missing" in reply:
            return Numbers("fail", lines=(reply["missing"],))
        last = child.last_call()
        python = as_python(Case.from_json(last)) if last else ""
        return Numbers(reply["state"], lines=(reply["why"],), python=python)

    def trial(self, corner: Corner, answer: str) -> Numbers:
        """One corner's case, as if `answer` were NVIDIA's choice; a few seeds."""
        child = self._alive()
        child.send({"function": corner.function, "part": "trial", "corner": corner.name, "answer": answer})
        reply = child.answer()
        if "done" in reply:
            return Numbers(reply["state"], lines=tuple(reply["lines"]))
        return Numbers(reply.get("state", "fail"), lines=(reply.get("why") or reply.get("missing", ""),))

    def statuses_of(self, procedure: Procedure) -> tuple[Status, ...]:
        return self._all_statuses({"function": procedure.function})


def examined(session: DnnSession, procedure: Procedure, parts: Sequence[str]) -> FunctionResult:
    """Both tests of one function."""
    begun = time.monotonic()
    result = FunctionResult(procedure.function, procedure.function, "", "", procedure.chapter, procedure.where)
    if "numbers" in parts:
        result = replace(result, numbers=session.numbers_of(procedure))
    if "statuses" in parts:
        result = replace(result, statuses=session.statuses_of(procedure))
    return replace(result, seconds=time.monotonic() - begun)


def run(options: Options, progress: Progress | None = None) -> Report:
    """Run the suite on one libcudnn. Raises `ParityError` where no child can start."""
    complete = completed(options)
    functions = chosen(complete)
    if not functions:
        raise ParityError(no_match(load(options.tables), "cudnn", complete.cudnn, options.functions))
    if complete.quick:
        complete = replace(complete, examples=max(5, complete.examples // 5))
    begun = time.monotonic()
    results = Work(complete, functions, progress, DnnSession, examined).all()
    order = [p.function for p in PROCEDURES.values() if p.function in results]
    return Report(
        judge=complete.judge,
        library="cudnn",
        cuda=complete.cudnn,
        seed=complete.seed,
        examples=complete.examples,
        seconds=time.monotonic() - begun,
        results=tuple(known.applied(results[name], complete.backend) for name in order),
    )


__all__ = ["DnnOptions", "DnnSession", "chosen", "completed", "examined", "procedures", "run"]
