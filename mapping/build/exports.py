"""What a library exports: a version script for ELF, a .def file for Windows, both from one list of names.

Sorted, so that the order in which the generator meets its entries does not show in the library.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

from .plan import BuildError

_NAME = re.compile(r"[A-Za-z_?$@][\w?$@.]*\Z")


def checked(owner: str, names: Sequence[str], *, bare: bool = False) -> list[str]:
    """The names in order; a name that is no symbol, or twice there, is refused, and so are none unless it is `bare`."""
    ordered = sorted(names)
    for name in ordered:
        if not _NAME.match(name):
            raise BuildError(f"{owner}: {name!r} is not a symbol that can be exported")
    for first, second in itertools.pairwise(ordered):
        if first == second:
            raise BuildError(f"{owner}: {first} is exported twice")
    if not ordered and not bare:
        raise BuildError(f"{owner}: exports nothing")
    return ordered


def version_script(node: str, names: Sequence[str]) -> str:
    """A linker script that versions each symbol with `node` (the SONAME, as NVIDIA does) and hides the rest."""
    exported = checked(node, names)
    lines = [f'"{node}" {{' if re.search(r"[^\w.]", node) else f"{node} {{", "  global:"]
    lines += [f"    {name};" for name in exported]
    lines += ["  local:", "    *;", "};", ""]
    return "\n".join(lines)


def def_file(dll: str, names: Sequence[str], *, bare: bool = False) -> str:
    """A module definition file. Ordinals are left to the linker: it numbers in the order of names."""
    listed = [f"    {name}" for name in checked(dll, names, bare=bare)]
    return "\n".join([f'LIBRARY "{dll}"', "EXPORTS", *listed, ""])
