"""build(): a small content-hash build graph.

Three kinds of step: translate (.pyx → .c, shared by all targets), compile (→ object), link (→ library, then
verified). Each product is kept in the cache folder under a hash of everything that it depends on, so that an
unchanged build only hashes its sources. Steps run as soon as what they need is there, on as many threads as `jobs`;
the compilers are processes of their own.

Libraries appear in `out` only after every step has succeeded: see tree.py.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from ..paths import cache_dir, cannot_write, package_dir
from .cython import DIRECTIVES, Translator, cython_version
from .plan import BuildError, Event, ExtraFile, Library, Progress, Unit
from .sources import Sources
from .toolchain import Target, Toolchain
from .tree import Change
from .verify import elf_soname, verify

_FORMAT = "1"  # part of every hash: raise it when the meaning of a cached file changes
_KEEP_DAYS = 30
_WORK = "build-"  # begins the name of a build's scratch folder in the cache
# Part of every DLL.
# Hidden: where a DLL exports nothing, the linker would export all that it finds.
_WINDOWS_START = Unit(
    "windows_start.c", Path(__file__).resolve().with_name("windows_start.c"), flags=("-fvisibility=hidden",)
)


@dataclass(frozen=True, slots=True)
class Made:
    """Finished libraries of one target, still in the cache: each file by its path below `out`, and the links to them."""

    files: Mapping[str, Path | ExtraFile]
    links: Mapping[str, str]
    libraries: tuple[str, ...]
    translated: int
    compiled: int
    linked: int


@dataclass(frozen=True, slots=True)
class Report:
    """What a build did. `changed` are the files written to `out`, as paths below it."""

    out: Path
    libraries: tuple[Path, ...]
    changed: tuple[str, ...]
    translated: int
    compiled: int
    linked: int
    seconds: float


@dataclass(slots=True)
class _Step:
    kind: Literal["translate", "compile", "link"]
    name: str
    product: Path
    run: Callable[[Path], None]  # makes the product at the path given
    needs: list[Path] = field(default_factory=list)
    weight: int = 0  # larger ones first


def build(
    libraries: Sequence[Library],
    target: Target,
    toolchain: Toolchain,
    out: Path,
    *,
    jobs: int | None = None,
    progress: Progress | None = None,
    cache: Path | None = None,
    links: bool = True,
) -> Report:
    """Builds `libraries` into `out` (each at `out / library.path`); returns what was done. The rest is as for `make`."""
    started = time.monotonic()
    made = make(libraries, target, toolchain, jobs=jobs, progress=progress, cache=cache, links=links)
    with Change(out) as change:
        change.add(made.files, made.links)
        changed = change.commit()
    return Report(
        out,
        tuple(out / path for path in made.libraries),
        tuple(changed),
        made.translated,
        made.compiled,
        made.linked,
        time.monotonic() - started,
    )


def make(
    libraries: Sequence[Library],
    target: Target,
    toolchain: Toolchain,
    *,
    jobs: int | None = None,
    progress: Progress | None = None,
    cache: Path | None = None,
    links: bool = True,
    translator: Translator | None = None,
) -> Made:
    """Makes `libraries` in the cache.

    jobs      how many steps at once; the number of processors if None
    progress  called after each step that was not in the cache, never by two threads at once
    cache     where objects are kept; the user's cache folder if None
    links     False: no symbolic links (a wheel cannot hold them)
    """
    toolchain.check(target)
    cache = cache or cache_dir()
    with contextlib.ExitStack() as stack:
        try:
            cache.mkdir(parents=True, exist_ok=True)
            work = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix=_WORK, dir=cache)))
        except OSError as error:
            raise BuildError(cannot_write(cache, error)) from error
        graph = _Graph(target, toolchain, cache, work, translator or stack.enter_context(Translator(work)))
        files: dict[str, Path | ExtraFile] = {}
        products: dict[str, Path] = {}
        for library in libraries:
            if library.path in products:
                raise BuildError(f"two libraries are to be written to {library.path}")
            products[library.path] = graph.library(library)
            for extra in library.extra_files:
                files[f"{library.folder}/{extra.name}" if library.folder else extra.name] = extra
        counts = graph.run(jobs or os.cpu_count() or 1, progress)
    _forget_old(cache)
    return Made(
        files | products,
        _links(libraries) if links and target.links else {},
        tuple(products),
        counts["translate"],
        counts["compile"],
        counts["link"],
    )


class _Graph:
    """The steps of one build that the cache does not answer already."""

    def __init__(self, target: Target, toolchain: Toolchain, cache: Path, work: Path, translator: Translator) -> None:
        self._target = target
        self._toolchain = toolchain
        self._cache = cache
        self._work = work
        self._translator = translator
        self._sources = Sources()
        self._steps: dict[Path, _Step] = {}
        self._objects: dict[Unit, Path] = {}
        self._nopython = package_dir() / "runtime" / "nopython"
        self._lock = threading.Lock()

    def _place(self, kind: str, suffix: str, parts: Iterable[bytes | str]) -> Path:
        whole = hashlib.sha256(_FORMAT.encode())
        for part in parts:
            data = part.encode() if isinstance(part, str) else part
            whole.update(len(data).to_bytes(8, "little"))
            whole.update(data)
        digest = whole.hexdigest()
        return self._cache / kind / digest[:2] / (digest[2:34] + suffix)

    def _wanted(self, product: Path) -> bool:
        """False where the cache has it (its time then says when it was last of use)."""
        if product in self._steps:
            return False
        try:
            os.utime(product)
            return product.stat().st_size == 0  # the power failed before its content reached the disk
        except OSError:
            return True

    def unit(self, unit: Unit) -> Path:
        """The unit's object, now or after `run`."""
        if unit in self._objects:
            return self._objects[unit]
        own = unit.source.parent if isinstance(unit.source, Path) else None
        if isinstance(unit.source, Path):
            read = self._sources.read(unit.source)
            if read is None:
                raise BuildError(f"{unit.name}: cannot read {unit.source}")
            text = read.decode("utf-8")
        else:
            text = unit.source
        folders = (*unit.include_dirs, self._nopython) if unit.is_cython else unit.include_dirs
        # What Cython's own output includes is never mentioned in the .pyx.
        seeds = text + '\n"Python.h" "pythread.h" "compile.h" "frameobject.h" "traceback.h"' if unit.is_cython else text
        found = self._sources.closure(seeds, folders, own)
        depends: list[bytes | str] = [unit.name, text, *self._sources.digest(found)]
        c_file: Path | None = None
        if unit.is_cython:
            c_file = self._place("c", ".c", [cython_version(), json.dumps(DIRECTIVES), unit.module, *depends])
        product = self._place(
            "objects",
            ".o",
            [
                self._toolchain.identity,
                self._target.name,
                json.dumps([self._toolchain.flags(self._target), unit.flags, unit.defines]),
                c_file.name if c_file else "",
                *depends,
            ],
        )
        self._objects[unit] = product
        if not self._wanted(product):
            return product
        if c_file and self._wanted(c_file):
            self._steps[c_file] = _Step("translate", unit.name, c_file, self._translate(unit), weight=len(text))
        # The source's own folder is searched last for the C of a .pyx, which no longer lies in it.
        dirs = (*folders, *((own,) if own else ()))
        self._steps[product] = _Step(
            "compile",
            unit.name,
            product,
            self._compile(unit, c_file, dirs),
            needs=[c_file] if c_file in self._steps and c_file else [],
            weight=len(text),
        )
        return product

    def _source(self, unit: Unit) -> Path:
        """The source as a file."""
        if isinstance(unit.source, Path):
            return unit.source
        suffix = ".pyx" if unit.is_cython else ".c"
        folder = Path(tempfile.mkdtemp(dir=self._work))
        path = folder / (unit.module + suffix)
        path.write_text(unit.source, encoding="utf-8")
        return path

    def _translate(self, unit: Unit) -> Callable[[Path], None]:
        def run(output: Path) -> None:
            self._translator.translate(self._source(unit), output, unit.module, unit.include_dirs, unit.name)

        return run

    def _compile(self, unit: Unit, c_file: Path | None, dirs: Sequence[Path]) -> Callable[[Path], None]:
        def run(output: Path) -> None:
            self._toolchain.compile(
                c_file or self._source(unit),
                output,
                self._target,
                include_dirs=dirs,
                defines=unit.defines,
                flags=unit.flags,
                name=unit.name,
            )

        return run

    def library(self, library: Library) -> Path:
        """The library's file in the cache, now or after `run`."""
        units = (*library.units, _WINDOWS_START) if self._target.name == "windows" else library.units
        objects = [self.unit(unit) for unit in units]
        linked = []
        for lib in library.libs:
            data = self._sources.read(lib) if isinstance(lib, Path) else b""
            if data is None:
                raise BuildError(f"{library.file_name}: cannot read {lib}, which it is linked with")
            linked += [str(lib) if isinstance(lib, str) else lib.name, hashlib.sha256(data).hexdigest()]
        product = self._place(
            "libraries",
            Path(library.file_name).suffix or ".so",
            [
                self._toolchain.identity,
                self._target.name,
                json.dumps([self._target.link_flags, self._toolchain.link_flags, self._target.system_libs]),
                json.dumps([library.file_name, library.soname, library.rpath, library.glibc]),
                json.dumps([sorted(library.exports), linked]),
                *(path.name for path in objects),
            ],
        )
        if self._wanted(product):
            self._steps[product] = _Step(
                "link",
                library.path,
                product,
                self._link(library, objects),
                needs=[path for path in objects if path in self._steps],
            )
        return product

    def _link(self, library: Library, objects: Sequence[Path]) -> Callable[[Path], None]:
        def run(output: Path) -> None:
            # In a folder of its own under its own name: linkers write import libraries and the like beside it.
            file = output.parent / library.file_name
            self._toolchain.link(library, objects, file, self._target)
            verify(
                file,
                self._target,
                exports=library.exports,
                soname=library.soname or library.file_name if self._target.name == "linux" else library.file_name,
                allowed=[_run_time_name(lib) for lib in library.libs if isinstance(lib, Path)],
            )
            if file != output:
                file.replace(output)

        return run

    def _perform(self, step: _Step) -> None:
        folder = Path(tempfile.mkdtemp(dir=self._work))
        output = folder / f"product{step.product.suffix}"
        step.run(output)
        step.product.parent.mkdir(parents=True, exist_ok=True)
        output.replace(step.product)
        shutil.rmtree(folder, ignore_errors=True)

    def run(self, jobs: int, progress: Progress | None) -> Mapping[str, int]:
        """Runs the steps in the order of what they need. The first error stops what has not begun."""
        counts = {"translate": 0, "compile": 0, "link": 0}
        total = len(self._steps)
        open_needs = {path: set(step.needs) for path, step in self._steps.items()}
        users: dict[Path, list[Path]] = {}
        for path, step in self._steps.items():
            for need in step.needs:
                users.setdefault(need, []).append(path)
        ready = sorted(
            (step for path, step in self._steps.items() if not open_needs[path]), key=lambda step: -step.weight
        )
        running: dict[Future[None], _Step] = {}
        with ThreadPoolExecutor(max_workers=max(1, jobs)) as pool:
            try:
                while ready or running:
                    # No more than `jobs` are handed out, so that a heavy step never waits behind light ones.
                    while ready and len(running) < jobs:
                        step = ready.pop(0)
                        running[pool.submit(self._perform, step)] = step
                    finished, _ = wait(running, return_when=FIRST_COMPLETED)
                    for future in finished:
                        step = running.pop(future)
                        future.result()
                        counts[step.kind] += 1
                        for path in users.get(step.product, ()):
                            open_needs[path].discard(step.product)
                            if not open_needs[path]:
                                ready.insert(0, self._steps[path])
                        if progress:
                            progress(Event(step.kind, step.name, sum(counts.values()), total))
            except OSError as error:
                raise BuildError(cannot_write(self._cache, error)) from error
        return counts


def _run_time_name(lib: Path) -> str:
    """What a library that links with `lib` will ask the loader for."""
    import lief

    binary = lief.parse(str(lib))
    if isinstance(binary, lief.ELF.Binary):
        return elf_soname(binary) or lib.name
    return lib.with_suffix(".dll").name if lib.suffix in (".lib", ".a") else lib.name


def _links(libraries: Sequence[Library]) -> dict[str, str]:
    """Symbolic links as path below `out` → the file name beside it."""
    made: dict[str, str] = {}
    for library in libraries:
        for name in library.links:
            path = f"{library.folder}/{name}" if library.folder else name
            if made.setdefault(path, library.file_name) != library.file_name:
                raise BuildError(f"{path} cannot lead to both {made[path]} and {library.file_name}")
    return made


def _forget_old(cache: Path) -> None:
    """Once a day, drops what no build has used for a month, and what builds left that were killed."""
    mark = cache / "pruned"
    now = time.time()
    with contextlib.suppress(OSError):
        if mark.exists() and now - mark.stat().st_mtime < 86400:
            return
        mark.touch()
        for path in _old(cache, now - _KEEP_DAYS * 86400):
            path.unlink(missing_ok=True)
        for folder in cache.glob(f"{_WORK}*"):
            if folder.stat().st_mtime < now - 86400:
                shutil.rmtree(folder, ignore_errors=True)


def _old(cache: Path, before: float) -> Iterator[Path]:
    for kind in ("c", "objects", "libraries"):
        for path in (cache / kind).glob("*/*"):
            if path.stat().st_mtime < before:
                yield path
