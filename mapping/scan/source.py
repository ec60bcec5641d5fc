"""What a source file calls: names that are followed by a bracket, outside comments and strings as far as a scan can tell."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

_C = (".c", ".cc", ".cpp", ".cxx", ".cu", ".cuh", ".h", ".hh", ".hpp", ".inl", ".rs", ".go", ".java", ".swift")
_SCRIPTS = (".py", ".pyx", ".pxd", ".pxi", ".jl", ".lua")
SUFFIXES = (*_C, *_SCRIPTS)
_COMMENTS = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_CALLED = re.compile(r"\b((?:cublas|cudnn|cuda)[A-Z][A-Za-z0-9_]*)\s*\(")
_KERNEL = re.compile(r"\b__global__\b|<<<")


@dataclass(frozen=True, slots=True)
class Calls:
    """What a source file calls, and whether it has kernels of its own."""

    names: tuple[str, ...]
    kernels: bool


def is_source(name: str) -> bool:
    return name.lower().endswith(SUFFIXES)


def read(path: Path) -> Calls:
    text = path.read_text(encoding="utf-8", errors="replace")
    if path.suffix.lower() not in _SCRIPTS:
        text = _COMMENTS.sub(" ", text)
    return Calls(tuple(sorted(set(_CALLED.findall(text)))), bool(_KERNEL.search(text)))
