"""The order of chapters: that of NVIDIA's manuals. Table files by library; what is not named here comes before `internal`."""

from __future__ import annotations

from ..tables.model import Function

CHAPTERS = {
    "cublas": (
        "helpers",
        "level1",
        "level2",
        "gemvbatched",
        "level3",
        "batched",
        "extensions",
        "lapack",
        "level3ex",
        "level1ex",
        "xt",
        "legacy",
    ),
    "cublasLt": ("helpers", "descriptors", "matmul"),
    "cudart": (
        "device",
        "error",
        "stream",
        "event",
        "execution",
        "memory",
        "pools",
        "interop",
        "texture",
        "graphs",
    ),
    "cuda": ("initialise", "device", "context", "module", "memory", "stream"),
}


def stem(function: Function) -> str:
    return function.entry.file.rsplit("/", 1)[-1].removesuffix(".yaml")


def place(function: Function) -> int:
    """For sorting; functions of one chapter keep the order of their table."""
    chapters = CHAPTERS.get(function.entry.library, ())
    name = stem(function)
    if name == "internal":
        return len(chapters) + 1
    return chapters.index(name) if name in chapters else len(chapters)
