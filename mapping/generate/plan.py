"""Tables → source files → the builder's list of libraries.

`sources()` gives every generated file as text, by its path below `src/`. `libraries()` says which of them make which
replacement library, for one target. Files are written only where they differ, so that an unchanged build does nothing.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

from .. import paths
from ..build import plan as building
from ..tables.amd import load_calls
from ..tables.avoid import load_avoid
from ..tables.loader import load
from ..tables.model import Entry, Function, Library, LibraryVersion, Tables
from ..tables.types import Translation, Types, View, load_types
from . import abi, attributes, avoid, combos, cpu, header_files, headers, imports, translations
from .spelling import base_names, is_pointer
from .translator import Chapter, ChapterWriter, prototype_c, translation_of
from .writer import Writer, banner

CORE_LINUX = "libdragoman_core.so.1"
CORE_WINDOWS = "dragoman_core_1.dll"
# Where one file serves all three majors, its newest names and numbers hold; cuBLAS's and the runtime's never change.
NEWEST = 13
_WORD = re.compile(r"\b[A-Za-z_]\w+")


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

    @property
    def by_hand(self) -> Path:
        """The folder of the library's hand-written blocks."""
        return paths.package_dir() / "compose" / self.name.lower()

    def _chapters(self) -> list[Chapter]:
        by_file: dict[str, list[Function]] = {}
        for function in self.tables.functions(self.name):
            by_file.setdefault(function.entry.file, []).append(function)
        chapters = []
        for file, functions in by_file.items():
            stem = file.rsplit("/", 1)[-1].removesuffix(".yaml")
            has_block = any(f.entry.blocks for f in functions)
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
        owners = self.library.constants
        named = translations.named_statuses(self.library, self.types)
        found.use_named(named)
        for enum in self.types.enums.values():
            if enum.owner.library in owners and not (named and enum.name == self.library.status):
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

    def of_file(self, file: str) -> Iterable[Source]:
        """The sources of one table file alone (`tables/cublas/level3.yaml`): a small part of all the work."""
        for chapter in self.chapters:
            if chapter.file == file:
                yield from self._chapter(chapter)

    def _sources(self) -> Iterable[Source]:
        name = self.name
        about = f"tables/{name.lower()}"

        def made(path: str, text: str, what: str, comment: str = "/*", inputs: str = about) -> Source:
            return Source(f"{name}/{path}", banner(text, inputs, what, comment))

        types = self._abi()
        backends = self.imports.backends()
        declared = translations.declarations(self.library, self.translations, backends)
        chapters = [source for chapter in self.chapters for source in self._chapter(chapter)]
        adapters = imports.adapters(self.imports)
        texts = (declared, NARROW, adapters, *(source.text for source in chapters))
        words = _words_by_hand().union(*map(_words, texts))
        yield made(
            f"{name}_abi.h", types.header(f"{name.upper()}_ABI_H"), "types as the ABI sees them", inputs="tables/types"
        )
        yield made(
            f"{name}_abi.pxi",
            types.declarations(f"{name}_abi.h", words),
            "types as the ABI sees them",
            "#",
            "tables/types",
        )
        yield made(f"{name}_backend.h", imports.header(self.imports), "AMD functions that this library calls")
        yield made(f"{name}_backend.c", imports.source(self.imports), "AMD functions that this library calls")
        header = translations.header(self.library, self.view, self.translations, backends)
        yield made(
            f"{name}_translate.h", header, "enumerations and statuses by table", inputs="tables/types/translate.yaml"
        )
        yield made(
            f"{name}_translate.pxi", declared, "enumerations and statuses by table", "#", "tables/types/translate.yaml"
        )
        if any(self.by_hand.glob("*.pyx")):  # they call AMD's functions too
            yield made(
                f"{name}_backend.pxi", imports.declarations(self.imports), "AMD functions that this library calls", "#"
            )
        if "miopen" in backends:
            yield made(
                "avoid.h", avoid.header(load_avoid()), "solvers that must not be used", inputs="tables/avoid.yaml"
            )
        objects = attributes.objects((e for e in self.tables.entries if e.library == name), self.types)
        if objects:
            yield made("attributes.h", attributes.header(objects), "attributes of opaque objects")
            yield made("attributes.pxi", attributes.declarations(objects), "attributes of opaque objects", "#")
        if adapters.strip():
            head = self._head([], None)
            yield made("older.pyx", head + NARROW + adapters, "adapters for older releases of AMD's libraries", "#")
        yield from chapters
        for version in self.library.versions.values():
            for cuda in version.folders:
                yield made(
                    version_file(version, cuda),
                    self._version(version.major, cuda),
                    f"what is particular to {self.library.titled(version.major)}",
                    inputs="tables/libraries.yaml",
                )

    def _head(self, extra: list[str], used: set[str] | None, blocks: bool = False) -> str:
        lines = [
            'include "generated.pxi"',
            f'include "{self.name}_abi.pxi"',
            "",
            imports.declarations(self.imports, used),
            f'include "{self.name}_translate.pxi"',
            *(['include "slots.pxi"'] if (self.by_hand / "slots.pxi").is_file() else []),
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
        typed = combos.tables(chapter.functions, self.library, self.view)
        if typed:
            file = f"{stem}_combos"
            text = combos.header(typed, f"{name}_{file}_H".upper())
            yield Source(f"{name}/{file}.h", banner(text, chapter.file, "types that go together", "/*"))
            text = combos.declarations(typed, f"{file}.h")
            yield Source(f"{name}/{file}.pxi", banner(text, chapter.file, "types that go together"))
            extra.append(f'include "{file}.pxi"')
        if chapter.block:
            extra.append(f'include "{stem}.pxi"')
        if writer.cold_names:
            extra += [f'cdef extern from "{stem}_cold.h":', "    pass"]
            w = Writer()
            guard = f"{name}_{stem}_COLD_H".upper()
            w.lines(f'#ifndef {guard}\n#define {guard}\n#include "{name}_abi.h"\n#include "generated.h"')
            for function, places in writer.cold_names:
                w.line("DG_COLD " + prototype_c(function, "cold_", places))
            w.line("#endif")
            yield Source(f"{name}/{stem}_cold.h", banner(w.text(), chapter.file, "cold twins", "/*"))
        text = self._head(extra, chapter.used | set(self.library.support)) + "\n" + writer.hot.text()
        if writer.cold_names:
            text += f"\n# {'-' * 20} cold twins: first use, refusals, trace {'-' * 20}\n\n" + writer.cold.text()
        yield Source(
            f"{name}/{stem}.pyx",
            banner(text, chapter.file, f"{self.library.title}, {chapter.functions[0].entry.chapter}"),
        )

    def _version(self, major: int, cuda: int) -> str:
        version = self.library.versions[major]
        parts = [*version.version.split("."), "0", "0"][:3]
        backends = self.imports.backends()
        w = Writer()
        w.line(f'#include "{self.name}_backend.h"')
        w.line('#include "version.h"')
        w.line()
        w.line(f"const int dg_version = {version.number};")
        w.line(f"const int dg_cudart_version = {self.tables.libraries['cudart'].versions[cuda].number};")
        w.line(f"const int dg_version_part[3] = {{{', '.join(parts)}}};")
        with w.block("dg_library dg_own_library = {", "};"):
            w.line(f'DG_ABI, "{self.name}", {cuda}, &dg_own_gate, dg_own_backends, {len(backends)}, NULL,')
        for constant, value in translations.status_numbers(self.library, self.types, major).items():
            w.line(f"const uint32_t {constant} = {value}u;")
        if translations.named_statuses(self.library, self.types):
            translations.names_of_statuses(w, "", self.library, self.types.for_library(self.name, major))
        for variable, where in self.library.data.items():
            if any(re.match(rf"(linux|windows)-{major}(-|$)", place) for place in where):
                w.line(f"uint32_t {variable} = 1; /* exported data: asks a laptop's driver for the fast GPU */")
        return w.text()


# A DLL that exports nothing: NVIDIA's programs may ask whether the file is there.
BARE = building.Unit("bare.c", "typedef int nothing;\n")
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


def exports(tables: Tables, library: Library, major: int, target: str, part: str = "") -> tuple[str, ...]:
    """Exactly the symbols that NVIDIA's library of that version, or a part of it, exports on that system."""
    return tuple(sorted(tables.exported(library.name, major, target, part)))


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text))


@cache
def _words_by_hand() -> set[str]:
    """What the Cython that is written by hand mentions; libraries include each other's."""
    folders = (paths.package_dir() / "runtime", paths.package_dir() / "compose")
    files = [file for folder in folders for suffix in ("pxd", "pxi", "pyx") for file in folder.rglob(f"*.{suffix}")]
    return {word for file in files for word in _words(file.read_text(encoding="utf-8"))}


def version_file(version: LibraryVersion, cuda: int) -> str:
    """The file of what is particular to one version; where several CUDA majors share it, to one of them."""
    return f"version_{version.major}.c" if version.folders == (version.major,) else f"version_{version.major}_{cuda}.c"


def newest(tables: Tables, cuda: int) -> list[tuple[str, int]]:
    """Each library of one CUDA major with its newest version there."""
    found: dict[str, int] = {}
    for library, version in tables.beside(cuda):
        found[library.name] = max(version.major, found.get(library.name, 0))
    return list(found.items())


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
            name: LibrarySources(self.tables, self.types, library) for name, library in self.tables.libraries.items()
        }

    @cached_property
    def sources(self) -> tuple[Source, ...]:
        return tuple(self._sources(frozenset(self.parts)))

    def _sources(self, libraries: Collection[str], backend: bool = True) -> list[Source]:
        found = [s for name, part in self.parts.items() if name in libraries for s in part.sources]
        if backend:
            found += [Source(path, text) for path, text in cpu.sources(self.tables).items()]
        return found

    def headers(self, major: int) -> Mapping[str, str]:
        """C headers for users who compile against dragoman, by file name. Where a folder of libraries holds two versions
        of cuDNN, the older one's headers lie in a folder of their own (`cudnn8/`)."""
        last = newest(self.tables, major)
        functions = [f for lib, version in last for f in self.tables.functions(lib, version)]
        found = headers.render(self.types, functions, major)
        for library, version in self.tables.beside(major):
            if library.counts_itself and (library.name, version.major) not in last:
                old = headers.render(
                    self.types, self.tables.functions(library.name, version.major), major, version.major
                )
                own = header_files.CUDNN_HEADERS[version.major]
                found |= {f"{library.name}{version.major}/{name}": old[name] for name in own}
        return found

    def write(self, src: Path, libraries: Collection[str] = (), backend: bool = True) -> list[Path]:
        """Write the sources of some libraries (default: all) and of the CPU backend below `src`; returns the files that changed."""
        return write_files(src, self._sources(libraries or self.parts, backend))

    def write_headers(self, include: Path, majors: Iterable[int] = (11, 12, 13)) -> list[Path]:
        """Write the users' headers to `include/cuda<major>/`; returns the files that changed."""
        found = [Source(f"cuda{m}/{name}", text) for m in majors for name, text in self.headers(m).items()]
        return write_files(include, found)

    def libraries(
        self, src: Path, target: str, majors: Iterable[int] = (11, 12, 13), libraries: Collection[str] = ()
    ) -> list[building.Library]:
        """The replacement libraries of one target (`libraries`: only these, and the core), for `build.builder.build`."""
        found = []
        for major in majors:
            last = dict(newest(self.tables, major))
            for library, version in self.tables.beside(major):
                if library.name not in (libraries or self.parts):
                    continue
                units = self._units(self.parts[library.name], src, version, major)
                linked = target == "linux" and last[library.name] == version.major
                for part in ("", *version.parts):
                    names = exports(self.tables, library, version.major, target, part)
                    found.append(
                        building.Library(
                            version.file_name(target, part),
                            units=units if names else (BARE,),
                            exports=names,
                            folder=f"{target}/cuda{major}",
                            soname=version.soname(part),
                            links=_development_names(version.soname(part)) if linked else (),
                            bare=bool(part) and target == "windows",
                        )
                    )
            found.append(self._core(target, major))
        return found

    def _units(self, part: LibrarySources, src: Path, version: LibraryVersion, cuda: int) -> tuple[building.Unit, ...]:
        name, major = part.name, version.major
        folder = src / name
        mapping = paths.package_dir()
        include = (folder, mapping / "runtime", mapping / "compose" / name.lower(), mapping / "compose")
        names = [s.path.split("/", 1)[1] for s in part.sources if s.path.endswith((".pyx", ".c"))]
        names = [n for n in names if not n.startswith("version_") or n == version_file(version, cuda)]
        # A chapter that this version has nothing of stays out: two files may define one symbol for different versions.
        absent = {c.stem for c in part.chapters if not any(major in f.majors for f in c.functions)}
        names = [n for n in names if n.removesuffix(".pyx") not in absent]
        # Where single instructions do not count, code for size compiles in two thirds of the time.
        units = [
            building.Unit(
                f"{name}/{n}",
                folder / n,
                include,
                ("DRAGOMAN_LIBRARY",),
                () if part.library.fast else ("-Os",),
            )
            for n in names
        ]
        units.append(
            building.Unit(f"{name}/library.pyx", mapping / "runtime" / "library.pyx", include, ("DRAGOMAN_LIBRARY",))
        )
        for extra in sorted([*part.by_hand.glob("*.c"), *part.by_hand.glob("*.pyx")]):
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
