"""The environment in which a program finds the replacement libraries first, and its start."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from ..errors import UserError
from ..tables.model import MAJORS
from . import links, place, static_runtime
from .driver import other_driver
from .program import Program


def library_folders(major: int, environment: Mapping[str, str], build: place.Build | None = None) -> list[Path]:
    """Folders for the loader, the program's own CUDA major first.

    All majors are there, as file names carry them: a plug-in may need another one than its host.
    """
    target = place.host()
    tree = place.root(target, build) / target
    built = {m: tree / f"cuda{m}" for m in (major, *(m for m in MAJORS if m != major))}
    if not built[major].is_dir():
        raise UserError(f"{built[major]} does not exist; make it with: dragoman build --cuda {major}")
    present = {m: folder for m, folder in built.items() if folder.is_dir()}
    if target == "windows":
        return list(present.values())
    alone = not other_driver(environment)
    # The newest driver serves runtimes of any age, as NVIDIA's does; an older one would refuse a newer runtime in a plug-in.
    newest = max((m for m, f in present.items() if links.has_driver(f)), default=0)
    return [links.prepare(f, driver=alone and m == newest) for m, f in present.items()]


def environment_for(folders: Sequence[Path], environment: Mapping[str, str]) -> dict[str, str]:
    """The caller's environment with the folders in front; nothing else is touched.

    UserError: a folder's name would be read as several.
    """
    name, separators = ("PATH", ";") if sys.platform == "win32" else ("LD_LIBRARY_PATH", ":;")
    parts = [str(f) for f in folders]
    for part in parts:
        if any(s in part for s in separators):
            raise UserError(
                f"{part} cannot stand in {name}, where {' and '.join(separators)} separate; use another DRAGOMAN_CACHE=DIR"
            )
    if environment.get(name):
        parts.append(environment[name])
    return {**environment, name: os.pathsep.join(parts)}


def remarks(program: Program, environment: Mapping[str, str] = os.environ) -> list[str]:
    """What may keep the replacement libraries from being used."""
    found = []
    if program.raised:
        found.append(
            f"{program.path.name} runs with its owner's rights (set-uid): its loader ignores LD_LIBRARY_PATH and takes NVIDIA's libraries"
        )
    if program.static_runtime:
        built = place.root(place.host()) / place.host()
        driver = any(links.has_driver(built / f"cuda{m}") for m in MAJORS)
        windows = place.host() == "windows"
        said = static_runtime.remark(program.path.name, environment, driver=driver, windows=windows)
        found += [said] if said else []
    for folder in program.rpath:
        real = folder.replace("$ORIGIN", str(program.path.resolve().parent)).replace(
            "${ORIGIN}", str(program.path.resolve().parent)
        )
        if any(Path(real).glob("libcublas.so*")):
            found.append(f"{program.path.name} has {real} built in (RPATH); its loader takes cuBLAS from there first")
    return found


def interpreter(path: Path) -> str:
    """Who runs a program: what a script's first line names, or an ELF file's loader; "" where the file does not say."""
    try:
        with path.open("rb") as stream:
            line = stream.readline(256)
    except OSError:
        return ""
    if line[:2] == b"#!":
        return os.fsdecode(line[2:].split()[0]) if line[2:].split() else ""
    import lief

    lief.logging.disable()
    binary = lief.parse(str(path))
    return str(binary.interpreter) if isinstance(binary, lief.ELF.Binary) and binary.has_interpreter else ""


def start(path: Path, command: Sequence[str], environment: Mapping[str, str]) -> int:
    """Become the program: signals and exit status are its own. Never a shell. On Windows: wait for it."""
    try:
        if sys.platform == "win32":
            return subprocess.run(command, executable=path, env=dict(environment), check=False).returncode
        sys.stdout.flush()
        sys.stderr.flush()
        # A script is told the path that is given here as its own name: as the user wrote it, with a folder.
        os.execve(path if len(path.parts) > 1 else f"./{path}", list(command), dict(environment))
    except OSError as error:
        why = error.strerror or str(error)
        if error.errno == errno.ENOEXEC:
            why = "not a program of this system (a script needs a first line such as #!/bin/sh)"
        if error.errno == errno.ENOENT and path.exists():
            why = f"{interpreter(path) or 'the program that runs it'} does not exist"
        raise UserError(f"cannot run {path}: {why}") from error
