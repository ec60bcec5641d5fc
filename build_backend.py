"""setuptools' build backend, with the requirements of a wheel asked for only where a wheel is built.

A wheel carries compiled libraries, so it needs the compiler and the generator's packages. An editable install and a
source archive need setuptools alone; the `[build-system]` table cannot tell the three apart.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from setuptools.build_meta import *  # noqa: F403
from setuptools.build_meta import get_requires_for_build_wheel as _base_requires

if sys.version_info >= (3, 11):
    import tomllib
else:  # 3.10: setuptools brings its own copy
    from setuptools.compat.py310 import tomllib

_NEEDED = ("cython", "jinja2", "lief", "pyyaml", "scipy-openblas64", "ziglang")


def get_requires_for_build_wheel(config_settings: Any = None) -> list[str]:
    """The runtime dependencies that a build uses too, with the same pins: pyproject.toml says them once."""
    project = tomllib.loads((Path(__file__).parent / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    needed = [line for line in project["dependencies"] if line.startswith(_NEEDED)]
    return [*_base_requires(config_settings), *needed]
