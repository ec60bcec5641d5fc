"""C and C++ headers for programs that are compiled against dragoman, one set a CUDA major.

`header_files` names every file with its includes and what it declares; types come from the type tables, prototypes from
the functions of the model, the few inline helpers from `header_parts/`. The result is C99 and C++11, under NVIDIA's file
names and guards, so that `#include <cublas_v2.h>` works unchanged.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from ..tables.layout import Member
from ..tables.model import Function
from ..tables.types import Alias, Enum, Handle, Struct, Types, View
from .header_files import Header, cudnn_beside, files
from .writer import banner

PARTS = Path(__file__).resolve().parent / "header_parts"
WIDTH = 120
Declared = Enum | Struct | Handle | Alias


class Parameter(Protocol):
    """What a header needs to know of a parameter."""

    @property
    def name(self) -> str: ...
    @property
    def ctype(self) -> str: ...


class Prototype(Protocol):
    """What a header needs to know of a function: `model.Function`, or anything alike with a `header`."""

    @property
    def name(self) -> str: ...
    @property
    def alias(self) -> str: ...
    @property
    def result(self) -> str: ...
    @property
    def params(self) -> Sequence[Parameter]: ...


# cublas_v2.h and cublas.h give the same names to different functions.
_EXCLUDES = {"cublas_v2.h": "CUBLAS_H_", "cublas.h": "CUBLAS_V2_H_"}
# The headers whose functions others lead to by macros: `cublasSgemm` → `cublasSgemm_v2`.
_ALIASES_IN = {"cublas_v2.h": "cublas_api"}

# Default arguments of C++: parameter → value, for the functions that have them in NVIDIA's headers.
_DEFAULTS: Mapping[str, Mapping[str, str]] = {
    "cudaMallocManaged": {"flags": "cudaMemAttachGlobal"},
    "cudaStreamAttachMemAsync": {"length": "0", "flags": "cudaMemAttachSingle"},
    "cudaStreamWaitEvent": {"flags": "0"},
    "cudaEventRecord": {"stream": "0"},
    "cudaEventRecordWithFlags": {"stream": "0", "flags": "0"},
    "cudaMallocArray": {"height": "0", "flags": "0"},
    "cudaMalloc3DArray": {"flags": "0"},
    "cudaMemcpyToSymbol": {"offset": "0", "kind": "cudaMemcpyHostToDevice"},
    "cudaMemcpyFromSymbol": {"offset": "0", "kind": "cudaMemcpyDeviceToHost"},
    "cudaGraphInstantiate": {"flags": "0"},
    "cudaGetDriverEntryPoint": {"driverStatus": "NULL"},
}
# In these families the last parameter `stream` defaults to the default stream.
_STREAM_DEFAULT = re.compile(
    r"cuda(Memcpy\w*Async|Memset\w*Async|MemcpyPeerAsync|MemPrefetchAsync|Graphics\w+Resources)$"
)
# Constructors of C++, after the fields.
_CONSTRUCTORS = {
    "dim3": (
        "#if defined(__cplusplus)",
        "    dim3(unsigned int vx = 1, unsigned int vy = 1, unsigned int vz = 1) : x(vx), y(vy), z(vz) {}",
        "    dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}",
        "    operator uint3(void) const",
        "    {",
        "        uint3 made;",
        "        made.x = x;",
        "        made.y = y;",
        "        made.z = z;",
        "        return made;",
        "    }",
        "#endif",
    )
}


def render(types: Types, functions: Iterable[Prototype], major: int, cudnn: int | None = None) -> dict[str, str]:
    """All headers of one CUDA major: file name → text.

    `functions` are the functions of every library that exist in this major. Of `model.Function` the header is taken as
    `header_of` says; internal ones, which no header declares, are left out.
    """
    cudnn = cudnn or cudnn_beside(major)
    view = types.for_version(major, cudnn=cudnn)
    by_header: dict[str, list[Prototype]] = {}
    for function in functions:
        by_header.setdefault(header_of(function, cudnn), []).append(function)
    found = {}
    for name, header in files(major, cudnn).items():
        body = "".join(f"{line}\n" for line in _file(name, header, view, by_header))
        found[name] = banner(body, "tables", f"{name} for programs written for CUDA {major}", "/*")
    return found


def header_of(function: Prototype, cudnn: int = 9) -> str:
    """Name of the header (without `.h`) that declares a function. cuBLAS's first API is declared in cublas.h; cuDNN 8's
    headers are named as its parts."""
    if not isinstance(function, Function):
        header = str(getattr(function, "header", ""))
    elif function.form.base == "v1":
        return "cublas"
    else:
        header = function.entry.header
    if cudnn != 8 or not header.startswith("cudnn"):
        return header
    if function.name.startswith("cudnnBackend"):
        return "cudnn_backend"
    if isinstance(function, Function):
        return f"cudnn_{function.entry.parts[cudnn]}"
    # facts name the newest header of what both versions have
    return {"cudnn_graph": "cudnn_ops_infer", "cudnn_ops": "cudnn_ops_infer", "cudnn_cnn": "cudnn_cnn_infer",
            "cudnn_adv": "cudnn_adv_infer"}.get(header, header)  # fmt: skip


def _file(name: str, header: Header, view: View, functions: Mapping[str, list[Prototype]]) -> Iterator[str]:
    yield f"#ifndef {header.guard}"
    yield f"#define {header.guard}"
    if name in _EXCLUDES:
        yield ""
        yield f"#if defined({_EXCLUDES[name]})"
        yield '#error "cublas.h and cublas_v2.h name different functions alike: include only one of them"'
        yield "#endif"
    if header.includes:
        yield ""
        for include in header.includes:
            yield f"#include {include}" if include.startswith("<") else f'#include "{include}"'
    if header.define:
        yield ""
        yield from header.define
    yield from _macros(header, view)
    declared = list(_types(header, view))
    if declared:
        yield ""
        yield from declared[:-1] if declared[-1] == "" else declared
    if name in _ALIASES_IN:
        yield from _alias_macros(functions.get(_ALIASES_IN[name], []))
    own = functions.get(header.functions, []) if header.functions else []
    if own:
        yield from _functions(name, header, own)
    if name == "vector_functions.h":
        yield from _vector_functions(view)
    if header.part:
        yield ""
        yield from _part(header.part)
    if header.template[0]:
        yield ""
        for line in _part(header.template[0]):
            yield re.sub(r"@(\w+)@", lambda found: header.template[1][found[1]], line)
    yield ""
    yield f"#endif /* {header.guard} */"


def _part(name: str) -> list[str]:
    return (PARTS / name).read_text(encoding="utf-8").rstrip("\n").split("\n")


def _macros(header: Header, view: View) -> Iterator[str]:
    macros = view.macros(header.types) if header.types else ()
    if macros:
        yield ""
    for macro in macros:
        yield f"#define {macro.name} {view.macro(macro.name)}"


def _types(header: Header, view: View) -> Iterator[str]:
    """Declarations in an order in which each name is known before it is used."""
    if not header.types:
        return
    enums, structs = view.enums(header.types), view.structs(header.types)
    handles, aliases = view.handles(header.types), view.aliases(header.types)
    items: dict[str, Declared] = {i.name: i for group in (enums, handles, structs, aliases) for i in group}
    forward = sorted({s.spelled for s in structs if s.word})
    for spelled in forward:
        yield f"{spelled};"
    if forward:
        yield ""
    done: set[str] = set()
    for name in items:
        yield from _ordered(name, items, view, done)


def _ordered(name: str, items: Mapping[str, Declared], view: View, done: set[str]) -> Iterator[str]:
    if name in done:
        return
    done.add(name)
    item = items[name]
    for needed in _needs(item, view):
        if needed in items:
            yield from _ordered(needed, items, view, done)
    lines = list(_declaration(item, view))
    yield from lines
    if len(lines) > 1:
        yield ""


def _needs(item: Declared, view: View) -> Iterator[str]:
    """Names that must be declared before."""
    if isinstance(item, Struct):
        for place in view.layout(item.name).places:
            yield from re.findall(r"[A-Za-z_]\w*", place.type)
    elif isinstance(item, Alias):
        yield from re.findall(r"[A-Za-z_]\w*", item.type)
    elif isinstance(item, Handle):
        yield from () if "struct" in item.target.split() else (item.target,)


def _declaration(item: Declared, view: View) -> Iterator[str]:
    if isinstance(item, Enum):
        if view.constants(item):  # some versions have none
            yield from _enum(item, view)
    elif isinstance(item, Struct):
        yield from _struct(item, view)
    elif isinstance(item, Handle):
        yield f"typedef {item.target} *{item.name};"
    elif item.type.split()[-1:] == [item.name]:  # typedef struct X X
        yield f"typedef {item.type} {item.name};"
    else:
        yield f"typedef {item.declaration};"


def _enum(enum: Enum, view: View) -> Iterator[str]:
    constants = view.constants(enum)
    tag = f" {enum.tag}" if enum.tag else ""
    yield f"{'' if enum.word else 'typedef '}enum{tag} {{"
    names = list(constants)
    for name in names:
        yield f"    {name} = {_number(constants[name])}{',' if name != names[-1] else ''}"
    yield "};" if enum.word else f"}} {enum.name};"


def _number(value: int) -> str:
    return str(value) if abs(value) < 1 << 24 else f"{'-' if value < 0 else ''}0x{abs(value):x}"


def _struct(struct: Struct, view: View) -> Iterator[str]:
    align, windows = struct.align, struct.align_windows
    tag = f" {struct.tag}" if struct.tag else ""
    if align != windows:
        yield "#if defined(_WIN32)"
        yield f"#define DG_ALIGN __align__({windows})"
        yield "#else"
        yield f"#define DG_ALIGN __align__({align})"
        yield "#endif"
    aligned = " DG_ALIGN" if align != windows else f" __align__({align})" if align else ""
    yield f"{'' if struct.word else 'typedef '}{struct.kind}{aligned}{tag} {{"
    version = view.version(struct.owner) or ""
    yield from _members(struct.members(version), "    ")
    yield from _CONSTRUCTORS.get(struct.name, ())
    yield "};" if struct.word else f"}} {struct.name};"
    if align != windows:
        yield "#undef DG_ALIGN"


def _members(members: Iterable[Member], indent: str) -> Iterator[str]:
    for member in members:
        if member.word:
            yield f"{indent}{member.word} {{"
            yield from _members(member.members, indent + "    ")
            yield f"{indent}}}{' ' if member.name else ''}{member.name};"
        else:
            yield f"{indent}{member.declaration};"


def _alias_macros(functions: Sequence[Prototype]) -> Iterator[str]:
    yield ""
    for function in functions:
        if function.alias:
            yield f"#define {function.alias} {function.name}"


def _functions(name: str, header: Header, functions: Sequence[Prototype]) -> Iterator[str]:
    """Prototypes. A name that a macro leads elsewhere, and the twins of the per-thread default stream, have none."""
    own_aliases = header.functions not in _ALIASES_IN.values()
    led_away = {f.alias for f in functions if f.alias and own_aliases}
    twins = {f.name: f for f in functions if re.search(r"_pt[sd][sz]$", f.name)}
    plain = [f for f in functions if f.name not in twins and f.name not in led_away]
    if own_aliases and led_away:
        newest = {f.alias: f.name for f in sorted(functions, key=lambda f: f.name) if f.alias}
        yield ""
        for function in functions:
            if function.alias and newest[function.alias] == function.name:
                yield f"#define {function.alias} {function.name}"
    if twins:
        yield ""
        yield "/* With -DCUDA_API_PER_THREAD_DEFAULT_STREAM the default stream is the calling thread's own. */"
        yield "#if defined(CUDA_API_PER_THREAD_DEFAULT_STREAM)"
        for twin in twins:
            base = re.sub("_pt[sd][sz]$", "", twin)
            if base not in led_away:  # else its own macro leads to a name whose twin is here too
                yield f"#define {base} {twin}"
        yield "#endif"
    yield ""
    yield "#if defined(__cplusplus)"
    yield 'extern "C" {'
    yield "#endif"
    yield ""
    for function in plain:
        yield from prototype(function, header.api)
    yield ""
    yield "#if defined(__cplusplus)"
    yield "}"
    yield "#endif"


def prototype(function: Prototype, api: tuple[str, str] = ("", "")) -> Iterator[str]:
    """The declaration of one function, wrapped to the width of the file."""
    before, after = api
    defaults = _defaults(function)
    params = [_parameter(p, defaults.get(p.name, "")) for p in function.params] or ["void"]
    words = [w for w in (before, function.result, after) if w]
    head = " ".join(words)
    head = f"{head}{'' if head.endswith('*') else ' '}{function.name}("
    line = head
    for index, param in enumerate(params):
        piece = param + (", " if index + 1 < len(params) else ");")
        if len(line) + len(piece.rstrip()) > WIDTH:
            yield line.rstrip()
            line = "    "
        line += piece
    yield line


def _parameter(param: Parameter, default: str) -> str:
    base, bracket, rest = param.ctype.partition("[")
    text = f"{base.rstrip()}{'' if base.rstrip().endswith('*') else ' '}{param.name}{bracket}{rest}"
    return f"{text} DG_DEFAULT({default})" if default else text


def _defaults(function: Prototype) -> Mapping[str, str]:
    """Default arguments, only where all that follow have one too (C++ asks for it)."""
    found = dict(_DEFAULTS.get(function.name, {}))
    if _STREAM_DEFAULT.match(function.name):
        for param in function.params[-1:]:
            if param.ctype == "cudaStream_t":
                found[param.name] = "0"
    names = [p.name for p in function.params]
    first = next((i for i, n in enumerate(names) if n in found), len(names))
    return found if all(n in found for n in names[first:]) else {}


def _vector_functions(view: View) -> Iterator[str]:
    """make_int2(x, y) and the like."""
    for struct in view.structs("vector_types"):
        if not re.search(r"\d(_\d+a)?$", struct.name) or struct.name == "dim3":
            continue
        fields = struct.members(view.version(struct.owner) or "")
        args = ", ".join(f"{f.type} {f.name}" for f in fields)
        yield ""
        yield f"static __inline__ {struct.name} make_{struct.name}({args})"
        yield "{"
        yield f"    {struct.name} made;"
        for field in fields:
            yield f"    made.{field.name} = {field.name};"
        yield "    return made;"
        yield "}"
