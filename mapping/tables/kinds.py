"""The vocabulary of parameter kinds: what a parameter means, and how both sides spell its C type.

One page of words drives everything: translators, checks, strategies and prototypes ask the kind, never the C spelling.
The words are documented in docs/table-language.md, section *Kinds*.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from . import c, expr
from .expr import Call, Expr, Name, Number
from .marks import Node, suggest

INOUT = ("in", "out", "inout")


@dataclass(frozen=True, slots=True)
class Element:
    """An element type: its C spelling on both sides and its size in bytes."""

    name: str
    cuda: str
    rocm: str
    size: int

    @property
    def is_complex(self) -> bool:
        return self.name.startswith("c")


ELEMENTS = {
    e.name: e
    for e in (
        Element("f16", "__half", "rocblas_half", 2),
        Element("bf16", "__nv_bfloat16", "rocblas_bfloat16", 2),
        Element("f32", "float", "float", 4),
        Element("f64", "double", "double", 8),
        Element("c32", "cuComplex", "rocblas_float_complex", 8),
        Element("c64", "cuDoubleComplex", "rocblas_double_complex", 16),
        Element("ci8", "char2", "void", 2),  # complex of i8; AMD has no such element
        Element("i8", "int8_t", "int8_t", 1),
        Element("u8", "uint8_t", "uint8_t", 1),
        Element("i32", "int", "rocblas_int", 4),
        Element("i64", "int64_t", "int64_t", 8),
        Element("any", "void", "void", 0),
    )
}

# NVIDIA's `cudaDataType` of each element type that arguments may name.
DATA_TYPES = {
    "f16": "CUDA_R_16F", "bf16": "CUDA_R_16BF", "f32": "CUDA_R_32F", "f64": "CUDA_R_64F", "c32": "CUDA_C_32F",
    "c64": "CUDA_C_64F", "i8": "CUDA_R_8I", "ci8": "CUDA_C_8I", "u8": "CUDA_R_8U", "i32": "CUDA_R_32I", "i64": "CUDA_R_64I",
}  # fmt: skip

# Kinds that point at elements: name -> number of arguments before the optional role.
POINTERS = {
    "scalar": 1,
    "array": 2,
    "result": 0,
    "vector": 3,
    "matrix": 3,
    "symmetric": 4,
    "hermitian": 4,
    "triangular": 5,
    "band": 5,
    "symband": 5,
    "hermband": 5,
    "triband": 6,
    "sympacked": 3,
    "hermpacked": 3,
    "tripacked": 4,
}
# Names of each kind's arguments after `io`, for readers of the model.
ARGUMENTS = {
    "array": ("count",),
    "vector": ("n", "inc"),
    "matrix": ("shape", "ld"),
    "symmetric": ("n", "ld", "uplo"),
    "hermitian": ("n", "ld", "uplo"),
    "triangular": ("n", "ld", "uplo", "diag"),
    "band": ("shape", "kl", "ku", "ld"),
    "symband": ("n", "k", "ld", "uplo"),
    "hermband": ("n", "k", "ld", "uplo"),
    "triband": ("n", "k", "ld", "uplo", "diag"),
    "sympacked": ("n", "uplo"),
    "hermpacked": ("n", "uplo"),
    "tripacked": ("n", "uplo", "diag"),
}
# BLAS options: kind -> (CUDA enum, ROCm enum).
OPTIONS = {
    "op": ("cublasOperation_t", "rocblas_operation"),
    "fill": ("cublasFillMode_t", "rocblas_fill"),
    "diag": ("cublasDiagType_t", "rocblas_diagonal"),
    "side": ("cublasSideMode_t", "rocblas_side"),
}
# Sizes that widen in `_64` forms.
SIZES = ("dim", "ld", "inc", "batch")
PLAIN = ("handle", "stride", "bytes", "stream", "event", "datatype")
WRAPPERS = {"batched": 1, "strided": 2}
WORDS = (*PLAIN, *SIZES, *OPTIONS, *POINTERS, *WRAPPERS, "info", "desc", "enum", "c")


@dataclass(frozen=True, slots=True)
class Kind:
    """What a parameter means. `args` are the expressions after `io`; `argument(name)` finds one by its documented name."""

    name: str
    io: str = ""
    args: tuple[Expr, ...] = ()
    role: str = "T"
    inner: Kind | None = None  # of batched and strided
    type: str = ""  # of c(TYPE) and enum(TYPE); the word of desc(WORD)
    translation: str = ""  # of enum(TYPE, TRANSLATION)
    optional: bool = False  # handle(optional), desc(WORD, optional)

    @property
    def core(self) -> Kind:
        """The kind inside a wrapper, or itself."""
        return self.inner or self

    @property
    def is_pointer(self) -> bool:
        return self.core.name in POINTERS

    @property
    def is_written(self) -> bool:
        return self.core.io in ("out", "inout")

    def argument(self, name: str) -> Expr:
        core = self.core
        return core.args[ARGUMENTS[core.name].index(name)]

    def names(self) -> set[str]:
        """Parameters that this kind refers to."""
        found: set[str] = set().union(*(expr.names(a) for a in self.args)) if self.args else set()
        return found | (self.inner.names() if self.inner else set())

    def __str__(self) -> str:
        if self.name == "c":
            return f"c({self.type})"
        if self.name == "enum":
            return f"enum({self.type}{', ' + self.translation if self.translation else ''})"
        if self.name == "desc":
            return f"desc({self.type}{', const' if self.io else ''}{', optional' if self.optional else ''})"
        parts = [self.io] if self.io and self.name != "result" and not self.inner else []
        parts += [str(self.inner)] if self.inner else []
        parts += [str(a) for a in self.args]
        if self.is_pointer and not self.inner and self.role != "T":
            parts.append(self.role)
        if self.optional:
            parts.append("optional")
        return f"{self.name}({', '.join(parts)})" if parts else self.name


_C = re.compile(r"c\((?P<type>.*)\)\s*", re.ASCII | re.DOTALL)
_READ: dict[str, Kind] = {}  # by their text: 5,000 parameters have some 600 of them


def parse_kind(node: Node) -> Kind:
    """Read one kind; a message names the word and what it takes."""
    text = node.text("a kind such as dim, op or matrix(in, (m, n), lda)")
    if text not in _READ:
        _READ[text] = _parse(text, node)
    return _READ[text]


def _parse(text: str, node: Node) -> Kind:
    c_type = _C.fullmatch(text)
    if c_type:
        spelled = " ".join(c_type["type"].split())
        if not c.is_type(spelled):
            node.fail(f"{c_type['type']!r} is no C type; expected one such as `const void *` or `int[3]`")
        return Kind("c", type=spelled)
    return _kind(expr.parse(text, node, "a kind"), node)


def _kind(tree: Expr, node: Node) -> Kind:
    match tree:
        case Name(id=word):
            args: tuple[Expr, ...] = ()
        case Call(name=word, args=args):
            pass
        case _:
            node.fail(f"{tree} is not a kind; expected a word such as dim or matrix(in, (m, n), lda)")
    if word not in WORDS:
        node.fail(f"unknown kind {word!r}; {suggest(word, WORDS)}")
    if word == "handle" and args == (Name("optional"),):
        return Kind("handle", optional=True)
    if word in WRAPPERS:
        if len(args) != 1 + WRAPPERS[word] or not isinstance(args[0], Call):
            wanted = "batched(KIND, count)" if word == "batched" else "strided(KIND, stride, count)"
            node.fail(f"{tree} has the wrong arguments; expected {wanted}")
        inner = _kind(args[0], node)
        if inner.name not in POINTERS or inner.name == "result":
            node.fail(f"{tree} holds {inner}; expected a kind of elements, such as matrix")
        for given in args[1:]:
            if not expr.is_size(given):
                node.fail(f"{given} is no size in {tree}; expected a parameter or a number")
        return Kind(word, inner.io, args[1:], inner.role, inner)
    if word == "desc":
        words = [a.id for a in args if isinstance(a, Name)]
        if not words or len(words) != len(args) or not set(words[1:]) <= {"const", "optional"}:
            node.fail(f"{tree} has the wrong arguments; expected desc(WORD) and perhaps const, optional")
        return Kind("desc", "in" if "const" in words else "", type=words[0], optional="optional" in words)
    if word == "enum":
        words = [a.id for a in args if isinstance(a, Name)]
        if len(words) != len(args) or len(words) not in (1, 2):
            node.fail(f"{tree} has the wrong arguments; expected enum(TYPE) or enum(TYPE, TRANSLATION)")
        return Kind("enum", type=words[0], translation=words[1] if len(words) == 2 else "")
    if word in POINTERS:
        return _pointer(word, args, tree, node)
    if word == "info":
        if not args or not all(isinstance(a, Name) for a in args):
            node.fail(
                f"{tree} has the wrong arguments; expected info(PARAMETER, …), in the order in which they are counted"
            )
        return Kind("info", args=args)
    if args:
        node.fail(f"{word} takes no arguments; found {tree}")
    return Kind(word)


def _pointer(word: str, args: tuple[Expr, ...], tree: Expr, node: Node) -> Kind:
    count = POINTERS[word]
    if len(args) not in (count, count + 1):
        wanted = ", ".join(("io", *ARGUMENTS.get(word, ()))) if count else ""
        node.fail(f"{tree} has {len(args)} arguments; expected {word}({wanted}) and perhaps a role")
    role = "T"
    if len(args) == count + 1:
        last = args[-1]
        if not isinstance(last, Name):
            node.fail(f"{last} is not a role; expected a name such as R")
        role = last.id
    if word == "result":
        return Kind("result", "out", (), role)
    io = str(args[0])
    if io not in INOUT:
        node.fail(f"{io!r} is not a direction; expected one of in, inout, out")
    for argument, given in zip(ARGUMENTS.get(word, ()), args[1:count], strict=True):
        if not _FITS[argument](given):
            node.fail(f"{given} is no {argument} of {word}; expected {_EXPECTED.get(argument, 'a size')}")
    return Kind(word, io, args[1:count], role)


def _is_option(tree: Expr) -> bool:
    return isinstance(tree, Name) and tree.id != "NULL"


def _is_step(tree: Expr) -> bool:
    return isinstance(tree, Number) or _is_option(tree)


_FITS: dict[str, Callable[[Expr], bool]] = {
    **dict.fromkeys(("count", "n", "k", "kl", "ku"), expr.is_size),
    **dict.fromkeys(("ld", "inc"), _is_step),
    **dict.fromkeys(("uplo", "diag"), _is_option),
    "shape": expr.is_shape,
}
_EXPECTED = {
    "shape": "(rows, columns) or op(TRANS, a, b)",
    **dict.fromkeys(("ld", "inc"), "a parameter or a number"),
    **dict.fromkeys(("uplo", "diag"), "a parameter"),
}
