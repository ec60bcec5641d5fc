"""From generated sources to shared libraries, without a system compiler and without Python's headers.

`plan`       what to build, as data: Unit, Library, ExtraFile
`builder`    build(): a small content-hash build graph over worker processes
`toolchain`  Target (linux, windows) and Toolchain (zig, cc)
`cython`     .pyx → .c, with the gates that keep Python out
`exports`    version scripts and .def files from a list of names
`verify`     what a finished library must look like
`wheel`      what setup.py calls

Nothing here prints: progress is a callback, a failure is a BuildError of one line.
"""

from __future__ import annotations

from .builder import Report, build
from .plan import BuildError, Event, ExtraFile, Library, Unit
from .toolchain import LINUX, TARGETS, WINDOWS, Target, Toolchain, find_toolchain, host_target

__all__ = [
    "LINUX",
    "TARGETS",
    "WINDOWS",
    "BuildError",
    "Event",
    "ExtraFile",
    "Library",
    "Report",
    "Target",
    "Toolchain",
    "Unit",
    "build",
    "find_toolchain",
    "host_target",
]
