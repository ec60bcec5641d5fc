"""What is replaced: NVIDIA's libraries, their versions, handles and statuses, as `tables/libraries.yaml` has them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from .kinds import Kind
from .marks import Where

MAJORS = (11, 12, 13)
# dg_reason names (mapping/runtime/dragoman.h) that every library answers by a status of its own.
REASONS = ("bad_handle", "forked", "no_backend", "no_memory", "no_kernels", "closing", "unsupported", "invalid")


@dataclass(frozen=True, slots=True)
class LibraryVersion:
    """One emulated version of a library: the newest of its major."""

    major: int  # CUDA major; for cuDNN its own
    version: str
    number: int  # what Get*Version answers
    linux: str  # file name and SONAME
    windows: str
    cuda: tuple[int, ...] = ()  # CUDA majors whose folders it lies in, where `major` is the library's own
    parts: tuple[str, ...] = ()  # sub-libraries beside the main one

    @property
    def folders(self) -> tuple[int, ...]:
        """CUDA majors whose folders it lies in."""
        return self.cuda or (self.major,)

    def soname(self, part: str = "") -> str:
        """`libcudnn.so.9`, and of its part `ops` `libcudnn_ops.so.9`."""
        return self.linux.replace(".so", f"_{part}.so", 1) if part else self.linux

    def file_name(self, target: str, part: str = "") -> str:
        if target != "windows":
            return self.soname(part)
        return self.windows.replace("64_", f"_{part}64_", 1) if part else self.windows


@dataclass(frozen=True, slots=True)
class Slot:
    """A handle or descriptor of a library that is a slot of the core: its C type, the slot's struct and its magic."""

    type: str
    struct: str
    magic: str


@dataclass(frozen=True, slots=True)
class Library:
    """One replacement library (`cublas`), in all its versions."""

    name: str
    title: str
    status: str
    prefix: str  # of status constants: CUBLAS_STATUS_
    reasons: Mapping[str, str]  # dg_reason name -> status constant without prefix
    versions: Mapping[int, LibraryVersion]
    backends: tuple[str, ...]
    data: Mapping[str, tuple[str, ...]]  # exported variables -> targets that have them
    where: Where
    handle: Slot | None = None
    descriptors: Mapping[str, Slot] = field(default_factory=dict)
    explains: bool = False  # it keeps the text of the last error
    support: tuple[str, ...] = ()  # AMD functions that pieces shared by its blocks call
    statuses: Mapping[str, str] = field(default_factory=dict)  # AMD's library -> translation of its statuses
    constants: tuple[str, ...] = ()  # files of tables/types whose constants hand-written blocks may use
    headers: tuple[str, ...] = ()  # that declare its functions
    chapters: tuple[str, ...] = ()  # table files in the order of NVIDIA's manual
    wide_since: str = ""  # the version that brought the `_64` forms
    keeper: str = ""  # the C function that every error goes through, where there is a last error
    own_streams: bool = False  # what programs name as a stream may be a number that stands for one
    fast: bool = False  # its calls are short enough to count instructions: compiled for speed, not for size

    def constant(self, name: str) -> str:
        """Full name of a status constant."""
        return self.prefix + name

    def place(self, file: str) -> int:
        """Where a table file stands in NVIDIA's manual, for sorting: what `chapters` does not name comes before `internal`."""
        name = file.rsplit("/", 1)[-1].removesuffix(".yaml")
        if name == "internal":
            return len(self.chapters) + 1
        return self.chapters.index(name) if name in self.chapters else len(self.chapters)

    def cell(self, text: str) -> str:
        """The constant that a cell of `combos` writes without the library's prefix: CUBLAS_COMPUTE_32F."""
        return self.prefix.removesuffix("STATUS_") + text

    @property
    def counts_itself(self) -> bool:
        """Its majors are its own, not CUDA's (cuDNN)."""
        return any(v.cuda for v in self.versions.values())

    def titled(self, major: int) -> str:
        """`cuBLAS for CUDA 12`, `cuDNN 9`."""
        return f"{self.title} {major}" if self.counts_itself else f"{self.title} for CUDA {major}"

    def slot(self, kind: Kind) -> Slot | None:
        """The slot behind a parameter that is a handle or a descriptor."""
        if kind.name == "handle":
            return self.handle
        return self.descriptors.get(kind.type) if kind.name == "desc" else None
