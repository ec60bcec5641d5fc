"""What setup.py calls: the host's replacement libraries, laid out as the wheel carries them.

A wheel holds no symbolic links, and a copy under a second name would be a second library with its own state: versioned names
only. The development names (`libcublas.so`) are links that `dragoman lib-dir` prepares in the user's cache.
"""

from __future__ import annotations

from pathlib import Path

from .plan import Progress
from .toolchain import host_target


def build_host(out: Path, *, jobs: int | None = None, progress: Progress | None = None) -> None:
    """Builds every library for this machine's system into `out/<target>/…`."""
    from .all import build_all

    build_all(out, targets=(host_target().name,), jobs=jobs, progress=progress, links=False)
