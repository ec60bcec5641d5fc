"""Which of AMD's releases are asked, which of its libraries, and the Debian packages that carry them.

Another library of CUDA's is a line in `ASKED`, with AMD's libraries below it among the `AmdLibrary`s, and a worker that makes
its calls."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Release:
    """One ROCm release. Packages are looked for in all of `suites`, or in the one that a name carries. `hip` is what the fake
    HIP runtime says that it is."""

    name: str
    suites: tuple[str, ...]
    hip_file: str
    hip: int


RELEASES = (
    Release("5.5", ("trixie",), "libamdhip64.so.5", 50731921),
    Release("6.4", ("sid",), "libamdhip64.so.6", 60443484),
    Release("7.2", ("sid", "experimental"), "libamdhip64.so.7", 70253211),
)
BY_NAME = {release.name: release for release in RELEASES}

# The C library and what goes with it: used where the system's is older than AMD's libraries ask for.
SYSTEM = ("libc6", "libstdc++6", "libgcc-s1")
GFX = "gfx1100"  # the devices that the fake reports, and the only kernels that are kept


@dataclass(frozen=True, slots=True)
class Part:
    """A library of AMD's in one release: its package, the file that programs load, packages of what it needs beside HIP,
    the C library and other libraries of AMD's."""

    package: str
    file: str
    companions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AmdLibrary:
    """A library of AMD's. `parts` by release; where one is not among them, Debian has none of it.

    `makes`, `sets`, `ends`: its functions that make a handle, give one a stream, destroy one."""

    name: str
    title: str
    parts: Mapping[str, Part]
    makes: tuple[str, ...] = ()
    sets: tuple[str, ...] = ()
    ends: tuple[str, ...] = ()


ROCBLAS = AmdLibrary(
    "rocblas",
    "rocBLAS",
    {
        "5.5": Part("librocblas0", "librocblas.so.0"),
        "6.4": Part("librocblas4", "librocblas.so.4", ("libroctx64-4",)),
        "7.2": Part("librocblas5/experimental", "librocblas.so.5", ("libroctx64-4/experimental",)),
    },
    ("rocblas_create_handle",),
    ("rocblas_set_stream",),
    ("rocblas_destroy_handle",),
)
ROCSOLVER = AmdLibrary(
    "rocsolver",
    "rocSOLVER",
    {
        "5.5": Part("librocsolver0", "librocsolver.so.0", ("libfmt10",)),
        "6.4": Part("librocsolver0", "librocsolver.so.0", ("libfmt11",)),
        "7.2": Part("librocsolver0/experimental", "librocsolver.so.0", ("libfmt11",)),
    },
)
_FILES = ("libboost-filesystem1.90.0", "libboost-atomic1.90.0", "libsqlite3-0", "libbz2-1.0", "libzstd1")
MIOPEN = AmdLibrary(
    "miopen",
    "MIOpen",
    {
        "6.4": Part("libmiopen1", "libMIOpen.so.1", _FILES),
        "7.2": Part("libmiopen1/experimental", "libMIOpen.so.1", _FILES),
    },
    ("miopenCreate", "miopenCreateWithStream"),
    ("miopenSetStream",),
    ("miopenDestroy",),
)


@dataclass(frozen=True, slots=True)
class Asked:
    """A library of CUDA's, and AMD's libraries that its calls reach: `over` first to last, the first gives a record its
    version. `optional`: those that can be left out.

    `worker` and `behaviours` name modules of this package (`worker.py`): the children that make the calls. `procedures`: calls
    are made by the worker's `PROCEDURES`, and what has none is not asked."""

    name: str
    majors: tuple[int, ...]  # (): the CUDA major's own
    over: tuple[AmdLibrary, ...]
    worker: str
    behaviours: str = ""
    optional: tuple[str, ...] = ()
    procedures: bool = False

    def libraries(self, without: tuple[str, ...] = ()) -> tuple[AmdLibrary, ...]:
        return tuple(a for a in self.over if a.name not in without)


ASKED = {
    a.name: a
    for a in (
        Asked("cublas", (), (ROCBLAS, ROCSOLVER), "worker", "behaviours", ("rocsolver",)),
        Asked("cudnn", (9, 8), (MIOPEN, ROCBLAS), "dnn_worker", procedures=True),
    )
}
