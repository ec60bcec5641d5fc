"""What the subjects of both suites share: each of their calls is seen by the fake HIP and judged by its rules."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from .log import Event, FakeHip, Rules


class Watching:
    """Beside a subject: what its calls made HIP do."""

    def __init__(self, hip: FakeHip, rules: Rules) -> None:
        self.hip, self.rules = hip, rules
        self.events: list[Event] = []
        self.broken_rules: list[str] = []
        self.captured = 0  # the stream that calls are captured on

    @contextmanager
    def watched(self) -> Iterator[list[Event]]:
        """Around a call; the list is filled when it has ended."""
        found: list[Event] = []
        self.hip.take()  # what the suite itself asked for
        if self.captured:
            self.hip.capture(self.captured, True)
        self.hip.forget_error()
        try:
            yield found
        finally:
            if self.captured:
                self.hip.capture(self.captured, False)
            found += self.judge()

    def judge(self) -> list[Event]:
        """What HIP did since it was last asked, after the rules that it broke are noted."""
        found = self.hip.take()
        self.broken_rules += self.rules.broken(found)
        return found

    def told(self) -> list[str]:
        """The rules that were broken since the last time."""
        found, self.broken_rules = list(dict.fromkeys(self.broken_rules)), []
        return found
