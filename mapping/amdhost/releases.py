"""Which of AMD's releases are asked, and the Debian packages that carry their real libraries."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Release:
    """One ROCm release. Its packages are looked for in all of `suites`, or in the one that a name carries.

    `files` are AMD's libraries as programs load them, rocBLAS first; `hip` is what the fake HIP runtime says that it is."""

    name: str
    suites: tuple[str, ...]
    rocblas: str
    rocsolver: str
    companions: tuple[str, ...]  # packages of what the two need beside HIP and C
    files: tuple[str, str]
    hip_file: str
    hip: int

    def packages(self, solver: bool) -> tuple[str, ...]:
        return (self.rocblas, *([self.rocsolver] if solver else []), *self.companions, *SYSTEM)


# The C library and what goes with it: used where the system's is older than AMD's libraries ask for.
SYSTEM = ("libc6", "libstdc++6", "libgcc-s1")
GFX = "gfx1100"  # the devices that the fake reports, and the only kernels that are kept

RELEASES = (
    Release(
        "5.5",
        ("trixie",),
        "librocblas0",
        "librocsolver0",
        ("libfmt10",),
        ("librocblas.so.0", "librocsolver.so.0"),
        "libamdhip64.so.5",
        50731921,
    ),
    Release(
        "6.4",
        ("sid",),
        "librocblas4",
        "librocsolver0",
        ("libroctx64-4", "libfmt11"),
        ("librocblas.so.4", "librocsolver.so.0"),
        "libamdhip64.so.6",
        60443484,
    ),
    Release(
        "7.2",
        ("sid", "experimental"),
        "librocblas5/experimental",
        "librocsolver0/experimental",
        ("libroctx64-4/experimental", "libfmt11"),
        ("librocblas.so.5", "librocsolver.so.0"),
        "libamdhip64.so.7",
        70253211,
    ),
)
BY_NAME = {release.name: release for release in RELEASES}
