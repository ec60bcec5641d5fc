"""What a program asks for: the CUDA major of the libraries that it needs, and what may keep ours from being found."""

from __future__ import annotations

import os
import re
import shutil
import stat
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import UserError
from . import static_runtime

if TYPE_CHECKING:
    import lief

_NEEDED = re.compile(r"lib(?:cublas|cublasLt|cudart)\.so\.(\d+)|(?:cublas|cublasLt|cudart)64_(\d+)\.dll", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Program:
    """An executable file. `major` is 0 where its file does not say (a script, a plug-in loader).

    static_runtime  NVIDIA's CUDA runtime is linked into it
    raised          it runs with more rights than its user's (set-uid, set-gid)
    """

    path: Path
    major: int = 0
    rpath: tuple[str, ...] = ()
    static_runtime: bool = False
    raised: bool = False


def find(name: str) -> Path:
    """The file that the shell would run, or one line that says why there is none."""
    if "/" in name or "\\" in name:
        path = Path(name)
        if not path.exists():
            raise UserError(f"{name}: no such program")
        if path.is_dir():
            raise UserError(f"{name} is a folder, not a program")
        if not shutil.which(name):
            raise UserError(f"{name} may not be executed; allow it with: chmod +x {name}")
        return path
    found = shutil.which(name)
    if not found:
        here = f" (to run the one in this folder: ./{name})" if Path(name).is_file() else ""
        raise UserError(f"{name}: no such program on the path{here}")
    return Path(found)


def look(path: Path) -> Program:
    """Read what a program's file says."""
    raised = _raised(path)
    try:
        with path.open("rb") as stream:
            magic = stream.read(4)
    except OSError:  # executable, but not readable: the kernel may run it all the same
        return Program(path, raised=raised)
    if magic[:4] != b"\x7fELF" and magic[:2] != b"MZ":
        return Program(path)  # of a script the kernel ignores the bits
    import lief

    lief.logging.disable()  # what is wrong with a file is told by whoever starts it
    binary = lief.parse(str(path))
    if binary is None:
        return Program(path, raised=raised)
    names = [str(n) for n in getattr(binary, "libraries", ())] if not isinstance(binary, lief.PE.Binary) else []
    if isinstance(binary, lief.PE.Binary):
        names = [str(i.name) for i in binary.imports]
    return Program(path, major_of(names), _rpath(binary), static_runtime.inside(path), raised)


def _raised(path: Path) -> bool:
    if sys.platform == "win32":
        return False
    about = path.stat()
    as_owner = about.st_mode & stat.S_ISUID and about.st_uid != os.geteuid()
    as_group = about.st_mode & stat.S_ISGID and about.st_gid != os.getegid()
    return bool(as_owner or as_group)


def major_of(names: list[str]) -> int:
    """The CUDA major that libraries' names tell, 0 if none. `cudart64_110.dll` is CUDA 11's."""
    for name in names:
        match = _NEEDED.match(name)
        if match:
            number = int(match[1] or match[2])
            return 11 if number == 110 else number
    return 0


def _rpath(binary: lief.Binary | object) -> tuple[str, ...]:
    """Folders of DT_RPATH, which the loader searches before LD_LIBRARY_PATH unless there is a RUNPATH too."""
    import lief

    if not isinstance(binary, lief.ELF.Binary):
        return ()
    tags = {entry.tag: entry for entry in binary.dynamic_entries}
    entry = tags.get(lief.ELF.DynamicEntry.TAG.RPATH)
    if entry is None or lief.ELF.DynamicEntry.TAG.RUNPATH in tags:
        return ()
    return tuple(p for p in str(getattr(entry, "rpath", "")).split(":") if p)
