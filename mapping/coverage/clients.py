"""The judge `clients`: functions that a program nobody here wrote was seen to call, unmodified and with the right results.

`clients.json` holds what `tests/cli/test_clients.py` sees, and is compared there with every run. It counts for entries that have
not changed since.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
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


def record(client: str, functions: Iterable[Function], date: str) -> None:
    """Writes what a client called in place of what it called before."""
    now = {"date": date, "functions": {f.name: digest(f.entry) for f in sorted(functions, key=lambda f: f.name)}}
    text = json.dumps(dict(sorted({**recorded(), client: now}.items())), indent=1)
    PATH.write_text(text + "\n", encoding="utf-8")
    recorded.cache_clear()
