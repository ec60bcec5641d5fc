"""The judge `clients`: functions that a program nobody here wrote was seen to call, unmodified and with the right results.

`clients.json` holds what `tests/cli/test_clients.py` sees, and is compared there with every run. It counts for entries that have
not changed since. To record a run whose log of calls (DRAGOMAN_LOG=trace) is in a file:

    python -m dragoman.coverage.clients "scikit-cuda 0.5.3" CALLS.log
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from functools import lru_cache
from pathlib import Path
from typing import Any

from ..amdhost.results import digest
from ..tables.model import Function
from .model import CLIENTS, Confirmation
from .records import Judged

PATH = Path(__file__).with_name("clients.json")


@lru_cache(maxsize=1)
def recorded() -> Mapping[str, Any]:
    """Client, with its version → `date`, and `functions`: name → digest of its table entry."""
    return dict(json.loads(PATH.read_text(encoding="utf-8"))) if PATH.is_file() else {}


def called(functions: Sequence[Function]) -> Mapping[str, Judged]:
    found = {}
    for client, seen in recorded().items():
        said = Judged(True, Confirmation(CLIENTS, client, seen["date"]))
        for f in functions:
            if f.name in seen["functions"] and seen["functions"][f.name] == digest(f.entry):
                found[f.name] = said
    return found


def calls(log: str) -> frozenset[str]:
    """Functions that a log has a successful call of: a status of 0, or an answer that is no status."""
    found = re.findall(r"^dragoman: (\w+)\(.*\) = (\S.*)$", log, re.MULTILINE)
    return frozenset(name for name, answer in found if not re.fullmatch(r"-?[1-9]\d*", answer))


def record(client: str, functions: Iterable[Function]) -> None:
    """Writes what a client called in place of what it called before."""
    now = {
        "date": date.today().isoformat(),
        "functions": {f.name: digest(f.entry) for f in sorted(functions, key=lambda f: f.name)},
    }
    text = json.dumps(dict(sorted({**recorded(), client: now}.items())), indent=1)
    PATH.write_text(text + "\n", encoding="utf-8")
    recorded.cache_clear()


def main(arguments: Sequence[str]) -> int:
    from ..tables.loader import load

    if len(arguments) != 2:
        print("usage: python -m dragoman.coverage.clients CLIENT LOG", file=sys.stderr)
        return 2
    seen = calls(Path(arguments[1]).read_text(encoding="utf-8"))
    known = {f.name: f for f in load().functions() if f.name in seen}
    record(arguments[0], known.values())
    print(f"{PATH.name}: {arguments[0]} called {len(known)} functions")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
