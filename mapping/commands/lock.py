"""One builder at a time in a folder: two `dragoman run` on a fresh machine must not write the same sources at once."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from .. import paths
from ..errors import UserError
from .console import say


@contextmanager
def building_in(out: Path) -> Iterator[None]:
    """Waits until nobody else builds in `out`. The lock ends with the process, however that ends."""
    if sys.platform == "win32":
        yield  # a build writes whole files and renames them; there is no flock to wait on
        return
    import fcntl

    name = hashlib.sha256(str(out.absolute()).encode()).hexdigest()[:12]
    path = paths.cache_dir() / "locks" / name
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = path.open("w")
    except OSError as error:
        raise UserError(
            f"cannot write to {path.parent}: {error.strerror}; another place: DRAGOMAN_CACHE=DIR"
        ) from error
    with file as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say(f"waiting for another dragoman that builds in {out}")
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield
