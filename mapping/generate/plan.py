"""Tables → source files → the builder's list of libraries.

`sources()` gives every generated file as text, by its path below `src/`. `libraries()` says which of them make which
replacement library, for one target. Files are written only where they differ, so that an unchanged build does nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from .. import paths
from ..build import plan as building
from ..tables.amd import load_calls
from ..tables.loader import load
from ..tables.model import Entry, Function, Library, Tables
from ..tables.types import Translation, Types, View, load_types
from . import abi, cpu, headers, imports, translations
from .spelling import base_names, cython_type, is_pointer
from .translator import Chapter, ChapterWriter, prototype_c, translation_of
from .writer import Writer, banner

CORE_LINUX = "libdragoman_core.so.1"
CORE_WINDOWS = "dragoman_core_1.dll"
# Libraries in the order they are built; each has a folder of tables.
LIBRARIES = ("cublas", "cublasLt", "cudart", "cuda")
# Owners of enumerations whose constants hand-written blocks of a library may use.
CONSTANTS_OF = {
    "cublas": ("cublas", "rocblas", "hip", "cudart"),
    "cublasLt": ("cublas", "cublaslt", "rocblas", "hip", "cudart"),
    "cudart": ("cudart", "hip"),
    "cuda": ("cuda", "cudart", "hip"),
}
# Where one file serves all three majors, its newest names and numbers hold; cuBLAS's and the runtime's never change.
NEWEST = 13


@dataclass(frozen=True)
class Source:
    """One generated file: its path below `src/` and its text."""

    path: str
    text: str


class LibrarySources:
    """All generated files of one library."""

    def __init__(self, tables: Tables, types: Types, library: Library) -> None:
        self.tables = tables
        self.types = types
        self.library = library
        self.view: View = types.for_version(NEWEST)
        self.imports = imports.collect(tables, load_calls(), library.name)
        self.chapters = self._chapters()

    @property
    def name(self) -> str:
        return self.library.name

    def _chapters(self) -> list[Chapter]:
        by_file: dict[str, list[Function]] = {}
        for function in self.tables.functions(self.name):
            by_file.setdefault(function.entry.file, []).append(function)
        chapters = []
        for file, functions in by_file.items():
            stem = file.rsplit("/", 1)[-1].removesuffix(".yaml")
            has_block = any(f.entry.host or f.entry.compose for f in functions)
            block = f"mapping/compose/{file.split('/')[1]}/{stem}.pxi" if has_block else ""
            chapters.append(Chapter(self.library, file, tuple(functions), block, self.imports, self.types))
        return chapters

    def _abi(self) -> abi.Abi:
        found = abi.Abi(self.types, self.view)
        for function in self.tables.functions(self.name):
            found.use([function.result, *(p.ctype for p in function.params)])
        for item in self.imports.found.values():
            found.use([item.result, *(t for t, _, _ in item.params)])
        found.use([self.library.status])
        owners = CONSTANTS_OF[self.name]
        for enum in self.types.enums.values():
            if enum.owner.library in owners:
                found.use_enum(enum.name)
        return found

    @cached_property
    def translations(self) -> list[str]:
        names = {
            translation_of(p.kind)
            for f in self.tables.functions(self.name)
            for p in f.entry.params
            if translation_of(p.kind) and not f.entry.unsupported
        }
        names |= {n for n, t in self.types.translations.items() if self._for_blocks(t)}
        return sorted(names)

    def _for_blocks(self, translation: Translation) -> bool:
        """Hand-written blocks of a library may use every translation of its own enumerations."""
        enum = self.types.enums.get(translation.source)
        return (
            enum is not None
            and enum.owner.library in (self.name, self.name.lower())
            and "status" not in translation.name
        )

    @cached_property
    def sources(self) -> tuple[Source, ...]:
        """All files, in the order of their making."""
        return tuple(self._sources())

    def _sources(self) -> Iterable[Source]:
        name = self.name
        about = f"tables/{name.lower()}"

        def made(path: str, text: str, what: str, comment: str = "/*", inputs: str = about) -> Source:
            return Source(f"{name}/{path}", banner(text, inputs, what, comment))

        types = self._abi()
        backends = self.imports.backends()
        yield made(
            f"{name}_abi.h", types.header(f"{name.upper()}_ABI_H"), "types as the ABI sees them", inputs="tables/types"
        )
        yield made(
            f"{name}_abi.pxi", types.declarations(f"{name}_abi.h"), "types as the ABI sees them", "#", "tables/types"
        )
        yield made(f"{name}_backend.h", imports.header(self.imports), "AMD functions that this library calls")
        yield made(f"{name}_backend.c", imports.source(self.imports), "AMD functions that this library calls")
        header = translations.header(self.library, self.view, self.translations, backends)
        yield made(
            f"{name}_translate.h", header, "enumerations and statuses by table", inputs="tables/types/translate.yaml"
        )
        declared = translations.declarations(self.library, self.translations, backends)
        yield made(
            f"{name}_translate.pxi", declared, "enumerations and statuses by table", "#", "tables/types/translate.yaml"
        )
        adapters = imports.adapters(self.imports)
        if adapters.strip():
            head = self._head([], None)
            yield made("older.pyx", head + NARROW + adapters, "adapters for older releases of AMD's libraries", "#")
        for chapter in self.chapters:
            yield from self._chapter(chapter)
        for major in self.library.versions:
            yield made(
                f"version_{major}.c",
                self._version(major),
                f"what is particular to CUDA {major}",
                inputs="tables/libraries.yaml",
            )

    def _head(self, extra: list[str], used: set[str] | None, blocks: bool = False) -> str:
        lines = [
            'include "generated.pxi"',
            f'include "{self.name}_abi.pxi"',
            "",
            imports.declarations(self.imports, used),
            f'include "{self.name}_translate.pxi"',
            *extra,
            "",
        ]
        return "\n".join(lines) + "\n"

    def _chapter(self, chapter: Chapter) -> Iterable[Source]:
        writer = ChapterWriter(chapter)
        name, stem = self.name, chapter.stem
        extra = []
        if any(f.form.base == "v1" for f in chapter.functions):
            extra.append('include "first.pxi"')
        if writer.said:
            extra += [
                "cdef extern from *:",
                f'    """\n    static uint32_t dg_said[{writer.said}]; /* 1: the line was written */\n    """',
                "    uint32_t dg_said[1]",
            ]
        hot_extra = list(extra)
        cold_extra = []
        if chapter.block:
            include = f'include "{stem}.pxi"'
            hot_extra.append(include)
            cold_extra.append(include)
        if writer.cold_names:
            hot_extra.append(f'include "{stem}_cold.pxi"')
            declared = Writer()
            with declared.block(f'cdef extern from "{stem}_cold.h" nogil:'):
                for function in writer.cold_names:
                    inside = ", ".join(cython_type(p.ctype) for p in function.params)
                    result = cython_type(function.result)
                    declared.line(f"{result}{'' if result.endswith('*') else ' '}cold_{function.name}({inside})")
            yield Source(f"{name}/{stem}_cold.pxi", banner(declared.text(), chapter.file, "cold twins"))
        text = self._head(hot_extra, set(chapter.used)) + "\n" + writer.hot.text()
        yield Source(
            f"{name}/{stem}.pyx",
            banner(text, chapter.file, f"{self.library.title}, {chapter.functions[0].entry.chapter}"),
        )
        if writer.cold_names:
            cold = self._head(cold_extra, set(chapter.used)) + "\n" + writer.cold.text()
            yield Source(
                f"{name}/{stem}_cold.pyx",
                banner(
                    cold,
                    chapter.file,
                    f"{self.library.title}, {chapter.functions[0].entry.chapter}: first use, refusals, trace",
                ),
            )
            w = Writer()
            guard = f"{name}_{stem}_COLD_H".upper()
            w.lines(f'#ifndef {guard}\n#define {guard}\n#include "{name}_abi.h"\n#include "generated.h"')
            for function in writer.cold_names:
                w.line("DG_HIDDEN " + prototype_c(function, "cold_"))
            w.line("#endif")
            yield Source(f"{name}/{stem}_cold.h", banner(w.text(), chapter.file, "cold twins", "/*"))

    def _version(self, major: int) -> str:
        version = self.library.versions[major]
        parts = [*version.version.split("."), "0", "0"][:3]
        backends = self.imports.backends()
        w = Writer()
        w.line(f'#include "{self.name}_backend.h"')
        w.line('#include "version.h"')
        w.line()
        w.line(f"const int dg_version = {version.number};")
        w.line(f"const int dg_cudart_version = {self.tables.libraries['cudart'].versions[major].number};")
        w.line(f"const int dg_version_part[3] = {{{', '.join(parts)}}};")
        with w.block("dg_library dg_own_library = {", "};"):
            w.line(f'DG_ABI, "{self.name}", {major}, &dg_own_gate, dg_own_backends, {len(backends)}, NULL,')
        for variable, where in self.library.data.items():
            if f"windows-{major}" in where or f"linux-{major}" in where:
                w.line(f"uint32_t {variable} = 1; /* exported data: asks a laptop's driver for the fast GPU */")
        return w.text()


NARROW = '''
cdef inline void narrow_index(rocblas_handle handle, int64_t *result) noexcept nogil:
    """A 32-bit function writes the lower half of a 64-bit index: clear the upper half first, where `result` lies."""
    cdef uint32_t mode = 0
    cdef void *stream = NULL
    if result is NULL:
        return
    dg_rocblas.rocblas_get_pointer_mode(handle, &mode)
    if mode == rocblas_pointer_mode_host:
        result[0] = 0
    else:
        dg_rocblas.rocblas_get_stream(handle, <hipStream_t *>&stream)
        dg_hip.hipMemsetAsync(result, 0, sizeof(int64_t), <hipStream_t>stream)

'''


def exports(tables: Tables, library: Library, major: int, target: str) -> tuple[str, ...]:
    """Exactly the symbols that NVIDIA's library of that version exports on that system."""
    names = [f.name for f in tables.functions(library.name, major) if f.entry.os in ("", target)]
    names += [v for v, where in library.data.items() if f"{target}-{major}" in where]
    return tuple(sorted(names))


def write_files(root: Path, sources: Iterable[Source]) -> list[Path]:
    """Write what differs; returns the files that changed."""
    changed = []
    for source in sources:
        path = root / source.path
        if path.is_file() and path.read_text(encoding="utf-8") == source.text:
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(source.text, encoding="utf-8")
        changed.append(path)
    return changed


class Plan:
    """Everything that a build needs, from the tables of this installation."""

    def __init__(self, tables: Tables | None = None, types: Types | None = None) -> None:
        self.tables = tables or load()
        self.types = types or load_types()

    @cached_property
    def parts(self) -> Mapping[str, LibrarySources]:
        return {
            name: LibrarySources(self.tables, self.types, self.tables.libraries[name])
            for name in LIBRARIES
            if any(e.library == name for e in self.tables.entries)
        }

    @cached_property
    def sources(self) -> tuple[Source, ...]:
        found = [s for part in self.parts.values() for s in part.sources]
        found += [Source(path, text) for path, text in cpu.sources(self.tables).items()]
        return tuple(found)

    def headers(self, major: int) -> Mapping[str, str]:
        """C headers for users who compile against dragoman, by file name."""
        return headers.render(self.types, self.tables.functions(major=major), major)

    def write(self, src: Path) -> list[Path]:
        """Write the sources below `src`; returns the files that changed."""
        return write_files(src, self.sources)

    def write_headers(self, include: Path, majors: Iterable[int] = (11, 12, 13)) -> list[Path]:
        """Write the users' headers to `include/cuda<major>/`; returns the files that changed."""
        found = [Source(f"cuda{m}/{name}", text) for m in majors for name, text in self.headers(m).items()]
        return write_files(include, found)

    def libraries(self, src: Path, target: str, majors: Iterable[int] = (11, 12, 13)) -> list[building.Library]:
        """The replacement libraries of one target, for `build.builder.build`."""
        found = []
        for major in majors:
            for part in self.parts.values():
                version = part.library.versions.get(major)
                if version is None:
                    continue
                found.append(
                    building.Library(
                        version.file_name(target),
                        units=self._units(part, src, major),
                        exports=exports(self.tables, part.library, major, target),
                        folder=f"{target}/cuda{major}",
                        soname=version.linux,
                        links=_development_names(version.linux) if target == "linux" else (),
                    )
                )
            found.append(self._core(target, major))
        return found

    def _units(self, part: LibrarySources, src: Path, major: int) -> tuple[building.Unit, ...]:
        name = part.name
        folder = src / name
        mapping = paths.package_dir()
        include = (folder, mapping / "runtime", mapping / "compose" / name.lower(), mapping / "compose")
        names = [s.path.split("/", 1)[1] for s in part.sources if s.path.endswith((".pyx", ".c"))]
        names = [n for n in names if not n.startswith("version_") or n == f"version_{major}.c"]
        # A chapter that this version has nothing of stays out: two files may define one symbol for different versions.
        absent = {c.stem for c in part.chapters if not any(major in f.majors for f in c.functions)}
        names = [n for n in names if n.removesuffix(".pyx").removesuffix("_cold") not in absent]
        # Nobody waits for cold code: small, it compiles in three quarters of the time.
        units = [
            building.Unit(
                f"{name}/{n}",
                folder / n,
                include,
                ("DRAGOMAN_LIBRARY",),
                ("-Os",) if n.endswith("_cold.pyx") else (),
            )
            for n in names
        ]
        units.append(
            building.Unit(f"{name}/library.pyx", mapping / "runtime" / "library.pyx", include, ("DRAGOMAN_LIBRARY",))
        )
        for extra in sorted((mapping / "compose" / name.lower()).glob("*.c")):
            units.append(building.Unit(f"{name}/{extra.name}", extra, include, ("DRAGOMAN_LIBRARY",)))
        return tuple(units)

    def _core(self, target: str, major: int) -> building.Library:
        core = paths.package_dir() / "core"
        include = (core, paths.package_dir() / "runtime")
        units = tuple(
            building.Unit(f"core/{p.name}", p, include, ("DRAGOMAN_CORE",))
            for p in sorted([*core.glob("*.pyx"), *core.glob("*.c")])
        )
        file_name = CORE_WINDOWS if target == "windows" else CORE_LINUX
        return building.Library(
            file_name, units, ("dragoman_core_table",), folder=f"{target}/cuda{major}", soname=CORE_LINUX
        )


def _development_names(soname: str) -> tuple[str, ...]:
    """`libcublas.so` for `libcublas.so.12`: what a linker looks for."""
    return (soname.split(".so")[0] + ".so",)


__all__ = ["Entry", "LibrarySources", "Plan", "Source", "base_names", "exports", "is_pointer"]
