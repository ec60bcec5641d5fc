"""`dragoman run` and `dragoman lib-dir`."""

from __future__ import annotations

import os
from collections.abc import Sequence

from ..errors import UserError
from ..run import links, place, start
from ..run.driver import other_driver
from ..run.program import find, look
from .building import build_for_use
from .console import say


def run(command: Sequence[str]) -> int:
    """Becomes the program."""
    program = look(find(command[0]))
    folders = start.library_folders(program.major or place.DEFAULT_MAJOR, os.environ, build_for_use)
    for remark in start.remarks(program):
        say(f"dragoman: {remark}")
    return start.start(program.path, command, start.environment_for(folders, os.environ))


def lib_dir(major: int, target: str, driver: bool | None, *, headers: bool, toolkit: bool = False) -> int:
    """Prints one folder. `driver`: with our libcuda; None: where nobody else's is here. `toolkit`: the one that holds both
    the libraries and the headers, laid out as NVIDIA's toolkit is."""
    target = target or place.host()
    if toolkit and (target != "linux" or place.host() != "linux"):
        raise UserError(
            "--toolkit makes a folder of links, for Linux only; elsewhere name both: lib-dir, lib-dir --headers"
        )
    if headers:
        print(place.headers(target, major, build_for_use))
        return 0
    folder = place.folder(target, major, build_for_use)
    if target == "linux" and place.host() == "linux":
        wanted = not other_driver(os.environ) if driver is None else driver
        folder = links.prepare(folder, driver=wanted and links.has_driver(folder))
    print(links.toolkit(folder, place.headers(target, major, build_for_use)) if toolkit else folder)
    return 0
