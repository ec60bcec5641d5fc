"""Builds the fake HIP runtime, the stand-ins for AMD's compilers and the watches in front of AMD's libraries, for one
release, into a folder that `DRAGOMAN_BACKEND` can name.

The fake is the CPU backend's HIP runtime with some functions replaced by those of `fake/*.pyx`. What both define is
renamed in the CPU's objects (`hipMalloc` becomes `host_hipMalloc`), so that the fake's can call it. Its symbols carry the versions
that the real library asks for, read from that library.
"""

from __future__ import annotations

import hashlib
import re
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from pathlib import Path

from .. import paths
from ..build.cython import Translator, cython_version
from ..build.plan import BuildError
from ..build.toolchain import LINUX, Toolchain, find_toolchain
from ..generate import cpu_library
from ..generate.cpu import hip_exports
from . import elf, watch
from .releases import AmdLibrary

BASE_VERSION = "hip_4.2"  # of a symbol that no library asks for by version
GLIBC = "2.17"
_PUBLIC = re.compile(r'^cdef public (?:const )?[\w ]+?[ *]+(\w+)(?: "(\w+)")?\(', re.MULTILINE)
COMPILERS = "compilers"  # the folder of the stand-ins, below the backend
# What a library of AMD's may need beside HIP to compile kernels → the unit that stands in for it.
_STAND_INS = {"libhiprtc.so": "hiprtc", "libamd_comgr.so": "comgr"}
_ONLY_SINCE_6 = ("hipGetDevicePropertiesR0600",)


def folder() -> Path:
    return paths.package_dir() / "amdhost" / "fake"


def own_exports() -> tuple[str, ...]:
    """Every function that the fake declares public, less those that are its units' own affair."""
    found: set[str] = set()
    for path in folder().glob("*.pyx"):
        found |= {c or name for name, c in _PUBLIC.findall(path.read_text(encoding="utf-8"))}
    return tuple(sorted(name for name in found if not name.startswith("fake_")))


def exports(hip: int) -> tuple[str, ...]:
    """All that the fake of a HIP release exports, as 70200000."""
    names = {*hip_exports(), *own_exports()}
    return tuple(sorted(names - set(_ONLY_SINCE_6) if hip < 60000000 else names))


def versions(needs: Iterable[Mapping[str, tuple[str, str]]], soname: str, names: Sequence[str]) -> dict[str, list[str]]:
    """Version → symbols: as the real libraries ask for them, the base version for the rest.

    Raises `BuildError` where a real library asks for a function that the fake has not."""
    asked: dict[str, str] = {}
    for wanted in needs:
        asked |= {name: version for name, (library, version) in wanted.items() if library == soname}
    missing = sorted(set(asked) - set(names))
    if missing:
        raise BuildError(f"the fake {soname} lacks {', '.join(missing)}, which AMD's library calls")
    found: dict[str, list[str]] = {BASE_VERSION: []}
    for name in names:
        found.setdefault(asked.get(name, BASE_VERSION), []).append(name)
    return found


def version_script(nodes: Mapping[str, Sequence[str]]) -> str:
    """Several version nodes, each after the one before; the first hides what has no name."""
    lines: list[str] = []
    before = ""
    for node in sorted(nodes):
        lines += [f"{node} {{", "  global:", *(f"    {name};" for name in sorted(nodes[node]))]
        if not before:
            lines += ["  local:", "    *;"]
        lines.append(f"}}{' ' + before if before else ''};")
        before = node
    return "\n".join(lines) + "\n"


class _Linker(Toolchain):
    """Links with several version nodes, where the builder knows one a library."""

    def share(self, objects: Sequence[Path], output: Path, soname: str, script: str = "") -> None:
        arguments = [*self._target(LINUX, GLIBC), "-shared", "-s", *LINUX.link_flags, *self.link_flags]
        arguments.append(f"-Wl,-soname,{soname}")
        if script:
            file = output.with_name(output.name + ".map")
            file.write_text(script, encoding="ascii")
            arguments.append(f"-Wl,--version-script={file}")
        arguments += [*map(str, objects), "-o", str(output), *(f"-l{name}" for name in LINUX.system_libs)]
        self._run(arguments, output.parent, output.name)


def _linker() -> _Linker:
    found = find_toolchain()
    return _Linker(**{f.name: getattr(found, f.name) for f in fields(found)})


def build_fake(out: Path, soname: str, hip: int, needs: Sequence[elf.Elf] = ()) -> Path:
    """The fake HIP runtime in a folder; objects are kept in the cache while nothing that they are made of changes."""
    names = exports(hip)
    script = version_script(versions([need.wanted for need in needs], soname, names))
    linker = _linker()
    objects = _objects(linker, _units())
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=out) as scratch:
        work = Path(scratch)
        release = work / "release.c"
        release.write_text(f"const int fake_hip_version = {hip};\n", encoding="ascii")
        linker.compile(release, work / "release.o", LINUX)
        linker.share([*objects, work / "release.o"], work / soname, soname, script)
        (work / soname).replace(out / soname)
    return out / soname


def build_compilers(out: Path, needs: Sequence[elf.Elf]) -> None:
    """Stand-ins for the compilers that the libraries are linked with, if they are, below a folder."""
    for need in needs:
        for soname in need.needed:
            unit = _STAND_INS.get(soname.rsplit(".", 1)[0])
            if unit:
                _stand_in(out / COMPILERS, soname, unit, need)


def _stand_in(out: Path, soname: str, unit: str, need: elf.Elf) -> None:
    linker = _linker()
    out.mkdir(parents=True, exist_ok=True)
    source = folder() / COMPILERS / f"{unit}.pyx"
    (made,) = _objects(linker, [(unit, source, (source.parent,), ())])
    public = [c or name for name, c in _PUBLIC.findall(source.read_text(encoding="utf-8"))]
    asked = {name: version for name, (library, version) in need.wanted.items() if library == soname}
    missing = sorted(set(asked) - set(public))
    if missing:
        raise BuildError(f"the stand-in for {soname} lacks {', '.join(missing)}, which AMD's library calls")
    nodes: dict[str, list[str]] = {}
    for name in public:
        nodes.setdefault(asked.get(name, ""), []).append(name)
    plain = nodes.pop("", [])
    script = (
        version_script(nodes | ({min(nodes): nodes[min(nodes)] + plain} if plain and nodes else {})) if nodes else ""
    )
    with tempfile.TemporaryDirectory(dir=out) as scratch:
        work = Path(scratch)
        linker.share([made], work / soname, soname, script)
        (work / soname).replace(out / soname)


def build_watch(out: Path, file: str, hip: str, real: elf.Elf, library: AmdLibrary) -> Path:
    """The watch under the real library's file name; the real one is expected in `real/` beside it."""
    linker = _linker()
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=out) as scratch:
        work = Path(scratch)
        text = work / "watch.c"
        text.write_text(watch.source(file, hip, watch.watched(real.functions), library), encoding="utf-8")
        linker.compile(text, work / "watch.o", LINUX, name="watch.c")
        # Not the real SONAME: the loader would take the watch for the real one.
        linker.share([work / "watch.o"], work / file, f"watch-{file}")
        (work / file).replace(out / file)
    return out / file


_Unit = tuple[str, Path, tuple[Path, ...], tuple[str, ...]]  # name, source, include folders, defines


def _units() -> list[_Unit]:
    """The fake HIP runtime's."""
    host, shared = cpu_library.folder("hip"), (cpu_library.RECORD, paths.package_dir() / "runtime")
    renamed = tuple(f"{name}=host_{name}" for name in sorted(set(own_exports()) & set(hip_exports())))
    found = [(f"host_{p.stem}", p, (host, *shared), renamed) for p in sorted(host.glob("*.pyx"))]
    return found + [(f"fake_{p.stem}", p, (folder(), host, *shared), ()) for p in sorted(folder().glob("*.pyx"))]


def _objects(linker: Toolchain, units: Sequence[_Unit]) -> list[Path]:
    cache = paths.cache_dir() / "amd-host" / "objects" / _digest(linker, units)
    products = [cache / f"{name}.o" for name, *_ in units]
    if all(p.is_file() for p in products):
        return products
    cache.parent.mkdir(parents=True, exist_ok=True)
    nopython = paths.package_dir() / "runtime" / "nopython"
    with tempfile.TemporaryDirectory(dir=cache.parent) as scratch:
        work = Path(scratch)
        with Translator(work) as translator:
            for name, source, include, defines in units:
                translator.translate(source, work / f"{name}.c", name, include, source.name)
                linker.compile(
                    work / f"{name}.c",
                    work / f"{name}.o",
                    LINUX,
                    include_dirs=(*include, nopython),
                    defines=defines,
                    name=source.name,
                )
        cache.mkdir(exist_ok=True)
        for path in products:
            (work / path.name).replace(path)
    return products


def _digest(linker: Toolchain, units: Sequence[_Unit]) -> str:
    state = hashlib.sha256(f"{linker.identity} {cython_version()} {linker.flags(LINUX)}".encode())
    folders = dict.fromkeys(d for _, source, include, _ in units for d in (source.parent, *include))
    for path in (p for d in folders for p in sorted(d.glob("*"))):
        if path.suffix in (".pyx", ".pxi", ".h"):
            state.update(f"{path.name} {path.stat().st_size}\n".encode() + path.read_bytes())
    state.update(repr([(name, defines) for name, _, _, defines in units]).encode())
    return state.hexdigest()[:32]
