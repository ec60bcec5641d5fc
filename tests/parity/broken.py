"""Subjects that misbehave, by name: the runner makes them in its children (`factory="broken:swapped_ld"`)."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from typing import Any

from dragoman.parity.memory import StickyError
from dragoman.tables.model import Function
from fake import FakeSubject


def right() -> FakeSubject:
    return FakeSubject()


def swapped_ld() -> FakeSubject:
    def wrong(named: dict[str, Any]) -> None:
        if "lda" in named and "ldb" in named:
            named["lda"], named["ldb"] = named["ldb"], named["lda"]

    return FakeSubject(wrong)


def forgets_beta() -> FakeSubject:
    return FakeSubject(lambda named: named.update(beta=named["beta"] * 0 + 1) if "beta" in named else None)


def never_conjugates() -> FakeSubject:
    def wrong(named: dict[str, Any]) -> None:
        for option in ("trans", "transa", "transb"):
            if named.get(option) == 2:
                named[option] = 1

    return FakeSubject(wrong)


class _Dies(FakeSubject):
    """The process dies in one function, and only there."""

    def invoke(self, function: Function, arguments: Sequence[Any]) -> Any:
        if function.name == "cublasSdot_v2" and arguments[0] == self.handle():
            os.kill(os.getpid(), 11)
        return super().invoke(function, arguments)


class _Hangs(FakeSubject):
    def invoke(self, function: Function, arguments: Sequence[Any]) -> Any:
        if function.name == "cublasSdot_v2":
            time.sleep(60)
        return super().invoke(function, arguments)


class _Loses(FakeSubject):
    """The device is lost after one call, as after an illegal address."""

    def invoke(self, function: Function, arguments: Sequence[Any]) -> Any:
        if function.name == "cublasSdot_v2" and not arguments[2]:
            raise StickyError("the device answered 700")
        return super().invoke(function, arguments)


def dies() -> FakeSubject:
    return _Dies()


def hangs() -> FakeSubject:
    return _Hangs()


def loses() -> FakeSubject:
    return _Loses()


def cannot_start() -> FakeSubject:
    raise StickyError("cublasCreate_v2 answered 1")


def lenient() -> FakeSubject:
    """Checks nothing, and does nothing."""
    return _Lenient()


class _Lenient(FakeSubject):
    def invoke(self, function: Function, arguments: Sequence[Any]) -> Any:
        return 0
