"""Targets (what a library is built for) and toolchains (what builds it).

`zig`  the compiler in the `ziglang` package: needs no system compiler, knows old glibcs and Windows, and gives the
       same bytes everywhere. The default.
`cc`   the system's gcc or clang ($CC, else `cc`), for Linux only.

How a thunk comes out (instructions on the way through a 14-argument cublasSgemm_v2, `ret` included):

    zig (clang)  -O2                                33     -fno-optimize-sibling-calls  67
    gcc 12       -O2                                48     -fno-optimize-sibling-calls  32

With sibling calls gcc saves every stack argument at entry so that the cold path can end in a jump; clang jumps to
the cold twin with the arguments where they are, and does worse without. Hence each has its own flag below.
-O3, -Os, -mtune, -fno-plt and -mno-red-zone change nothing in such a function.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Literal

from ..paths import cache_dir
from .exports import def_file, version_script
from .plan import BuildError, Library

_COMPILE = (
    "-std=gnu11",
    "-O2",
    "-g0",  # zig adds debug information at -O2, which the linker drops again
    "-fomit-frame-pointer",  # zig keeps frame pointers at -O2: two instructions a call
    "-ffunction-sections",  # with --gc-sections: what no export reaches is dropped, Python first of all
    "-fdata-sections",
    "-fno-strict-aliasing",  # generated code reads one memory through several types
    "-fwrapv",
    "-fno-stack-protector",  # some distributions switch these two on: instructions in every thunk
    "-fcf-protection=none",
    "-Wall",
    "-Wextra",
    "-Wno-unused-function",  # small helpers of a shared header that one chapter does not need
    "-Wno-unused-parameter",
    "-Werror=implicit-function-declaration",  # a name that our Python.h lacks must not become a call
)
# What gcc alone wants.
_GCC = (
    "-fno-optimize-sibling-calls",  # see the figures above
    "-fno-stack-clash-protection",  # a distribution's choice too
    "-fno-tree-slp-vectorize",  # swaps two pointers by shuffling vectors: seven instructions in SetStream
    "--param=logical-op-non-short-circuit=0",  # one branch a check instead of setcc, setcc, test: two in sgemm
)
_MESSAGE = re.compile(r"^.*?(?:\berror:|\bundefined reference|\bmultiple definition).*$", re.MULTILINE)
_NOT_DEFINED = re.compile(r"to symbol '(\S+)' failed: symbol not defined|<root>: undefined symbol: (\S+)")
_FROM_GNU_LD = re.compile(r".*?((?:undefined reference|multiple definition)[^;]*).*")
_USER = re.compile(r">>>\s+(?:referenced by )?\S+:\((\S+)\)|\(\.text\.(\w+)\+\w+\): undefined")
_PLACE = re.compile(r"\S*?([^/\\\s:]+\.(?:pyx|pxi|pxd|c|h)):")
_LITTLE = 2 << 20  # bytes: no compiler gets far with them
_PYTHON = re.compile(r"\b_?Py[A-Z_]\w+|\bstructmember\.h\b")
# Search paths that would let the machine's own headers and libraries into a build.
_FOREIGN = ("CPATH", "C_INCLUDE_PATH", "LIBRARY_PATH", "COMPILER_PATH", "GCC_EXEC_PREFIX")


@dataclass(frozen=True, slots=True)
class Target:
    """What a library is built for. `name` is also its folder's name in a build tree."""

    name: Literal["linux", "windows"]
    compile_flags: tuple[str, ...] = ()
    link_flags: tuple[str, ...] = ()
    system_libs: tuple[str, ...] = ()  # what a library may use without asking; only what it uses is needed
    links: bool = False  # has symbolic links, for the names that linkers look for

    def zig_triple(self, glibc: str) -> str:
        return f"x86_64-linux-gnu.{glibc}" if self.name == "linux" else "x86_64-windows-gnu"


LINUX = Target(
    "linux",
    compile_flags=("-fPIC", "-fno-semantic-interposition"),
    link_flags=(
        "-Wl,--gc-sections",
        "-Wl,-Bsymbolic",  # a call inside a library never reaches another one that has the same name
        "-Wl,-z,defs",
        "-Wl,--build-id=none",  # same input, same bytes
        "-Wl,--as-needed",
    ),
    system_libs=("c", "m", "dl", "pthread"),
    links=True,
)
_API_SETS = (
    "convert",
    "environment",
    "filesystem",
    "heap",
    "math",
    "private",
    "runtime",
    "stdio",
    "string",
    "time",
    "utility",
)
WINDOWS = Target(
    "windows",
    link_flags=("-Wl,--gc-sections", "-Wl,/Brepro"),  # a hash in place of the time of day
    system_libs=("kernel32", *(f"api-ms-win-crt-{part}-l1-1-0" for part in _API_SETS)),
)
TARGETS = {target.name: target for target in (LINUX, WINDOWS)}


def host_target() -> Target:
    """The target that this machine's programs load."""
    return WINDOWS if sys.platform == "win32" else LINUX


@dataclass(frozen=True, slots=True)
class Toolchain:
    """A compiler driver and how to speak to it. All its work is in `compile` and `link`; neither prints."""

    name: Literal["zig", "cc"]
    command: tuple[str, ...]
    identity: str  # changes when the compiler does: part of every object's hash
    compile_flags: tuple[str, ...] = ()
    link_flags: tuple[str, ...] = ()
    zig_cache: Path | None = None

    def check(self, target: Target) -> None:
        if self.name == "cc" and target.name != "linux":
            raise BuildError(f"the system compiler builds for linux only; use the zig toolchain for {target.name}")

    def _target(self, target: Target, glibc: str) -> tuple[str, ...]:
        return ("-target", target.zig_triple(glibc)) if self.name == "zig" else ()

    def flags(self, target: Target) -> tuple[str, ...]:
        """Everything on a compile command line but the unit's own."""
        return (*_COMPILE, *target.compile_flags, *self.compile_flags)

    def compile(
        self,
        source: Path,
        output: Path,
        target: Target,
        *,
        include_dirs: Sequence[Path] = (),
        defines: Sequence[str] = (),
        flags: Sequence[str] = (),
        name: str = "",
    ) -> None:
        """One C file → one object."""
        arguments = [
            *self._target(target, "2.17"),
            *self.flags(target),
            *flags,
            *(f"-D{define}" for define in defines),
            *(f"-I{folder}" for folder in include_dirs),
            "-c",
            str(source),
            "-o",
            str(output),
        ]
        self._run(arguments, output.parent, name or source.name)

    def link(self, library: Library, objects: Sequence[Path], output: Path, target: Target) -> None:
        """Objects → one shared library that exports what `library` lists. Writes beside `output` only."""
        arguments = [*self._target(target, library.glibc), "-shared", "-s", *target.link_flags, *self.link_flags]
        soname = library.soname or library.file_name
        if target.name == "linux":
            script = output.with_name(output.name + ".map")
            script.write_text(version_script(soname, library.exports), encoding="ascii")
            arguments += [f"-Wl,-soname,{soname}", f"-Wl,--version-script={script}"]
            if library.rpath:
                arguments.append(f"-Wl,-rpath,{library.rpath}")
        else:
            script = output.with_name(output.name + ".def")
            script.write_text(def_file(library.file_name, library.exports, bare=library.bare), encoding="ascii")
            arguments.append(str(script))
        arguments += [*map(str, objects), "-o", str(output)]
        libs = (*library.libs, *target.system_libs)
        arguments += [str(lib) if isinstance(lib, Path) else f"-l{lib}" for lib in libs]
        self._run(arguments, output.parent, library.file_name)

    def _run(self, arguments: Sequence[str], folder: Path, name: str) -> None:
        environment = {key: value for key, value in os.environ.items() if key not in _FOREIGN}
        environment["LC_ALL"] = "C"
        if self.zig_cache is not None:
            environment["ZIG_GLOBAL_CACHE_DIR"] = str(self.zig_cache)
            environment["ZIG_LOCAL_CACHE_DIR"] = str(folder)
        try:
            done = subprocess.run(
                [*self.command, *arguments],
                cwd=folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                errors="replace",
                check=False,
            )
        except OSError as error:
            raise BuildError(f"{name}: cannot run {self.command[0]}: {error.strerror or error}") from error
        if done.returncode:
            said = first_message(done.stderr, name) or _end(done.returncode, folder)
            raise BuildError(said if said.startswith(f"{name}:") else f"{name}: {said}")


def _end(status: int, folder: Path) -> str:
    """What there is to say of a compiler that ended without a word."""
    if shutil.disk_usage(folder).free < _LITTLE:
        return "no space left in the cache folder; another place: DRAGOMAN_CACHE=DIR"
    return f"the compiler died of signal {-status}" if status < 0 else f"the compiler ended with status {status}"


def first_message(text: str, name: str) -> str:
    """What a compiler or linker said first, on one line, without the folders and names of generated C files."""
    missing = sorted({first or second for first, second in _NOT_DEFINED.findall(text)})
    if missing:
        return f"should export {', '.join(missing[:3])}{' ...' * (len(missing) > 3)}, which no object defines"
    match = _MESSAGE.search(text)
    line = match[0] if match else next((line for line in text.splitlines() if line.strip()), "")
    line = _FROM_GNU_LD.sub(r"\1", line.strip())
    place = _PLACE.match(line)
    if place:
        line = line[place.end(1) :]
        if re.fullmatch(r"[0-9a-f]{32}\.c", place[1]):  # generated C: its line numbers tell nobody anything
            line = re.sub(r"^[\d:]+", f"{name}: ", line).replace(":  ", ": ")
        else:
            own = place[1] in (name.rsplit("/", 1)[-1], name.replace("/", "__"))
            line = f"{name}{line}" if own else f"{place[1]}{line}"
    user = _USER.search(text) if "undefined" in line else None
    line += f", used in {user[1] or user[2]}" if user else ""
    hint = " (that would need Python: only nogil code on C types can be built)" if _PYTHON.search(line) else ""
    return line + hint


def _zig(program: str, release: str) -> Toolchain:
    # One known compiler: a warning is ours to mend. At -O2 zig leaves sanitizers out by itself; said so that it stays.
    # Without -nostdlib zig first compiles a run-time library (11 s) and, for Windows, mingw's C runtime (3 minutes).
    # The C library's own stubs are linked all the same, and windows_start.c stands in for the rest.
    return Toolchain(
        "zig", (program, "cc"), f"zig {release}", ("-fno-sanitize=all", "-Werror"), ("-nostdlib",), cache_dir() / "zig"
    )


def find_zig() -> Toolchain:
    """The compiler of the `ziglang` package of this Python, else `zig` on the path."""
    spec = importlib.util.find_spec("ziglang")
    if spec is not None and spec.submodule_search_locations:
        zig = Path(spec.submodule_search_locations[0]) / ("zig.exe" if sys.platform == "win32" else "zig")
        try:
            release = version("ziglang")
        except PackageNotFoundError:
            release = str(zig.stat().st_mtime_ns)
        return _zig(str(zig), release)
    found = shutil.which("zig")
    if found is None:
        raise BuildError("no zig compiler: pip install ziglang (or use the system's: --toolchain cc)")
    return _zig(found, _says(found, "version"))


def find_cc() -> Toolchain:
    """The system's compiler: $CC, else cc, gcc or clang."""
    wanted = os.environ.get("CC", "")
    found = next(filter(None, map(shutil.which, [wanted] if wanted else ["cc", "gcc", "clang"])), None)
    if found is None:
        raise BuildError(f"no C compiler{f' {wanted!r}' if wanted else ''} on the path (or use --toolchain zig)")
    says = _says(found, "--version")
    return Toolchain("cc", (found,), says, () if "clang" in says else _GCC)


def find_toolchain(name: str = "zig") -> Toolchain:
    """`zig` or `cc`."""
    if name == "zig":
        return find_zig()
    if name == "cc":
        return find_cc()
    raise BuildError(f"unknown toolchain {name!r}: there are zig and cc")


def _says(program: str, argument: str) -> str:
    try:
        done = subprocess.run([program, argument], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise BuildError(f"cannot run {program}: {error}") from error
    return done.stdout.strip().splitlines()[0]
