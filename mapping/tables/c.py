"""Words of C that the tables use without declaring them."""

from __future__ import annotations

import re

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
# No parameter, function or type may be called so: C, C++ or the C that Cython writes has another use for it.
KEYWORDS = frozenset((
    "auto", "bool", "break", "case", "catch", "char", "class", "const", "continue", "default", "delete", "do",
    "double", "else", "enum", "explicit", "extern", "false", "float", "for", "friend", "goto", "if", "inline", "int",
    "long", "mutable", "namespace", "new", "operator", "private", "protected", "public", "register", "restrict",
    "return", "short", "signed", "sizeof", "static", "struct", "switch", "template", "this", "throw", "true", "try",
    "typedef", "typename", "union", "unsigned", "using", "virtual", "void", "volatile", "while", "NULL",
))  # fmt: skip
# Types that C itself and its standard headers have, by the single words of their spelling.
BUILTIN = frozenset((
    "void", "char", "short", "int", "long", "unsigned", "signed", "float", "double", "size_t", "int8_t", "uint8_t",
    "int16_t", "uint16_t", "int32_t", "uint32_t", "int64_t", "uint64_t", "intptr_t", "uintptr_t",
))  # fmt: skip
QUALIFIERS = frozenset(("const", "struct", "enum", "union", "volatile"))
# Types of the C library: declared by its own headers.
SYSTEM = {"FILE": "stdio.h"}
# Types of neighbours (OpenGL, EGL, VDPAU, Direct3D) in calls that are refused: only their passing matters, not their content.
FOREIGN = {
    "EGLint": "int32_t",
    **dict.fromkeys(("GLenum", "GLuint", "VdpDevice", "VdpOutputSurface", "VdpVideoSurface"), "uint32_t"),
    **dict.fromkeys(
        ("cudaD3D9DeviceList", "cudaD3D10DeviceList", "cudaD3D11DeviceList", "cudaGLDeviceList"), "uint32_t"
    ),
    **dict.fromkeys(("EGLImageKHR", "EGLStreamKHR", "EGLSyncKHR", "HGPUNV", "cudaEglFrame"), "void *"),
}
# The same neighbours' types that pass by pointer.
OPAQUE = (
    "ID3D10Device", "ID3D10Resource", "ID3D11Device", "ID3D11Resource", "IDXGIAdapter", "IDirect3DDevice9",
    "IDirect3DResource9", "IDirect3DVertexBuffer9", "VdpGetProcAddress", "cudaEglStreamConnection", "CUstream_st",
    "cudaArray", "cudaGraphicsResource",
)  # fmt: skip
# Element types whose names are those of headers that every library includes.
ELEMENTS = frozenset(("__half", "__nv_bfloat16", "cuComplex", "cuDoubleComplex"))
UNDECLARED = BUILTIN | ELEMENTS | frozenset((*SYSTEM, *FOREIGN, *OPAQUE))
_WORDS = re.compile(r"[A-Za-z_]\w*")
_TYPE = re.compile(
    r"(?P<before>(?:(?:const|volatile) )*)(?:(?:struct|enum|union) (?P<tag>\w+)|(?P<words>\w+(?: (?:int|long|char|short))*))"
    r"(?: (?:const|volatile))*(?: ?\*(?: ?const\b)?)*(?: ?\[[1-9][0-9]{0,5}\]){0,3}",
    re.ASCII,
)


def is_type(text: str) -> bool:
    """Whether a text, single spaces in it, is spelled as a C type: `const void *const *`, `unsigned long long`, `int[3]`."""
    match = _TYPE.fullmatch(text)
    if not match:
        return False
    words = (match["tag"] or match["words"]).split()
    if len(words) == 1:
        return bool(NAME.fullmatch(words[0])) and (words[0] in BUILTIN or words[0] not in KEYWORDS)
    return set(words) <= BUILTIN  # unsigned int, long long


def declaration(text: str) -> tuple[str, str] | None:
    """C type and name of `const void *x`; None where it is no such thing."""
    match = re.fullmatch(r"(.*[ *])(\w+)", text, re.ASCII)
    if not match or not is_type(match[1].strip()) or match[2] in KEYWORDS or not NAME.fullmatch(match[2]):
        return None
    return match[1].strip(), match[2]


def type_names(ctype: str) -> frozenset[str]:
    """The names in a C type that something has to declare."""
    return frozenset(w for w in _WORDS.findall(ctype) if w not in QUALIFIERS and w not in UNDECLARED)
