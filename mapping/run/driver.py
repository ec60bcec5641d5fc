"""Is there a CUDA driver that is not ours? Then our small libcuda stays out of the way."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path

from .. import paths
from .links import DRIVER

# Where drivers and containers put it without telling the loader's cache.
KNOWN = (
    "/usr/lib/x86_64-linux-gnu",
    "/usr/lib64",
    "/usr/lib",
    "/usr/lib/x86_64-linux-gnu/nvidia/current",
    "/usr/local/nvidia/lib64",
    "/usr/local/cuda/compat",
    "/usr/lib/wsl/lib",
    "/run/opengl-driver/lib",
)
_CACHED = re.compile(rf"^\s*{re.escape(DRIVER)} .*x86-64.*=> (\S+)", re.MULTILINE)


def other_driver(environment: Mapping[str, str]) -> str:
    """Where somebody else's libcuda (NVIDIA's driver, ZLUDA) comes from, or ''."""
    for variable in ("LD_PRELOAD", "LD_AUDIT"):
        for word in re.split(r"[:\s]+", environment.get(variable, "")):
            if "zluda" in word.lower() or Path(word).name.startswith("libcuda.so"):
                return f"{word} in {variable}"
    folders = [f for f in environment.get("LD_LIBRARY_PATH", "").split(":") if f]
    for file in (*(Path(f) / DRIVER for f in folders), *_cached(), *(Path(f) / DRIVER for f in KNOWN)):
        if file.is_file() and not _ours(file):
            return str(file)
    return ""


def _cached() -> Iterable[Path]:
    """What the loader's cache knows."""
    program = shutil.which("ldconfig", path=os.pathsep.join((os.environ.get("PATH", ""), "/sbin", "/usr/sbin")))
    if not program:
        return
    try:
        said = subprocess.run([program, "-p"], capture_output=True, text=True, check=False).stdout
    except OSError:
        return
    yield from map(Path, _CACHED.findall(said))


def _ours(file: Path) -> bool:
    """Ours lies beside our core."""
    real = file.resolve()
    return bool(list(real.parent.glob("libdragoman_core.so.*"))) or paths.cache_dir() in file.parents
