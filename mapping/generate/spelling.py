"""How C types and names are spelled in generated Cython, and which named types a prototype uses."""

from __future__ import annotations

import re
from functools import cache

_WORDS = re.compile(r"[A-Za-z_]\w*")
_QUALIFIERS = {"const", "struct", "enum", "union", "volatile"}
BUILTIN = {
    "void", "char", "int", "float", "double", "size_t", "short", "long", "unsigned", "signed", "bint",
    "int8_t", "uint8_t", "int16_t", "uint16_t", "int32_t", "uint32_t", "int64_t", "uint64_t", "uintptr_t", "intptr_t",
}  # fmt: skip
# Words that Cython reserves and C does not.
_RESERVED = {
    "and", "as", "assert", "async", "await", "class", "cdef", "cimport", "cpdef", "def", "del", "elif", "except", "exec",
    "finally", "from", "global", "import", "in", "is", "lambda", "nonlocal", "not", "or", "pass", "print", "raise", "try",
    "with", "yield", "None", "True", "False", "include", "ctypedef", "nogil", "gil", "extern", "by", "property", "object", "new",
}  # fmt: skip
_OWN = {"reason", "status"}  # what generated functions call their own


def name(text: str) -> str:
    """A parameter's name as Cython takes it."""
    return text + "_" if text in _RESERVED or text in _OWN else text


@cache
def plain(ctype: str) -> str:
    """A C type by its bare name, as the internal headers declare it."""
    return re.sub(r"\b(struct|enum|union)\s+", "", ctype)


@cache
def cython_type(ctype: str) -> str:
    """A C type in Cython's spelling: without `struct`, arrays as pointers."""
    text = re.sub(r"\[\w*\]", " *", plain(ctype))
    text = re.sub(r"\blong long int\b", "long long", text)
    text = re.sub(r"\s+", " ", text.replace("*", " * ")).strip()
    return re.sub(r" ?\* ?", " *", text).replace("* *", "**").replace("*const", "*const ").replace("  ", " ").rstrip()


def declare(ctype: str, text: str) -> str:
    """`type name` with the star at the name."""
    spelled = cython_type(ctype)
    return f"{spelled}{'' if spelled.endswith('*') else ' '}{name(text)}"


@cache
def base_names(ctype: str) -> frozenset[str]:
    """Named types in a C type, without builtins."""
    return frozenset(w for w in _WORDS.findall(ctype) if w not in _QUALIFIERS and w not in BUILTIN)


def is_pointer(ctype: str) -> bool:
    return "*" in ctype or "[" in ctype
