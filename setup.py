"""Makes the replacement libraries part of the wheel; everything that can be said as data is in pyproject.toml.

`pip install .` generates and compiles them with the `ziglang` package: no system compiler, no Python headers.
`pip install -e .` builds nothing; `dragoman build` does so on demand.
"""

from __future__ import annotations

import platform
import shutil
import sys
from pathlib import Path
from typing import Any

from setuptools import Distribution, find_packages, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_py import build_py

ROOT = Path(__file__).resolve().parent
# OpenBLAS, inside the CPU backend's folder, asks for glibc 2.27; our own libraries for 2.17.
TAGS = {("Linux", "x86_64"): "manylinux_2_28_x86_64", ("Windows", "AMD64"): "win_amd64"}


def host_tag() -> str:
    """The platform part of the wheel's name."""
    host = (platform.system(), platform.machine())
    if host not in TAGS:
        sys.exit(f"dragoman's libraries are for Linux and Windows on x86-64, not for {host[0]} on {host[1]}")
    return TAGS[host]


class BuildPackage(build_py):
    """Adds the tables and, in a real build, the libraries to what is copied."""

    def run(self) -> None:
        if self.editable_mode:
            super().run()
            return
        package = Path(self.build_lib).resolve() / "dragoman"
        shutil.rmtree(package, ignore_errors=True)  # nothing of an earlier build may slip into the wheel
        super().run()
        shutil.copytree(ROOT / "tables", package / "data" / "tables")
        # what NVIDIA's libraries export: coverage compares the tables with it
        shutil.copytree(ROOT / "tests" / "facts" / "exports", package / "data" / "exports")
        # and what its headers declare: the judge `abi` compares prototypes with it
        prototypes = package / "data" / "prototypes"
        prototypes.mkdir()
        for file in sorted((ROOT / "tests" / "facts" / "cuda").glob("*.functions.tsv")):
            shutil.copy(file, prototypes / file.name)
        host_tag()  # refuses a host that the libraries are not for, before the work
        sys.path.insert(0, str(ROOT))
        from mapping.build.plan import BuildError, Event
        from mapping.build.wheel import build_host

        def progress(event: Event) -> None:
            print(f"[{event.done}/{event.total}] {event.kind} {event.name}", flush=True)

        try:
            build_host(package / "lib", progress=progress)
        except BuildError as error:
            sys.exit(f"dragoman: {error}")
        for note in (package / "lib").rglob(".*"):  # what the next build would want to know, with this tree's paths
            note.unlink()


class PlatformWheel(bdist_wheel):
    """The Python part runs on every Python 3, the libraries on one system."""

    def finalize_options(self) -> None:
        super().finalize_options()
        self.root_is_pure = False

    def get_tag(self) -> tuple[str, str, str]:
        return "py3", "none", host_tag()


class PlatformDistribution(Distribution):
    """Has no extension module, but belongs where those go."""

    def has_ext_modules(self) -> bool:
        return True


commands: dict[str, Any] = {"build_py": BuildPackage, "bdist_wheel": PlatformWheel}
setup(
    packages=["dragoman", *(f"dragoman.{name}" for name in find_packages(str(ROOT / "mapping")))],
    package_dir={"dragoman": "mapping"},  # a top-level `tables` or `mapping` would meet other packages' names
    cmdclass=commands,
    distclass=PlatformDistribution,
)
