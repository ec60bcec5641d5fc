"""What tells one symbol of a family from the others, its type and its form, and the C types that follow on both sides."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .kinds import ELEMENTS, OPTIONS, SIZES, Element, Kind


@dataclass(frozen=True, slots=True)
class TypeRecord:
    """A type of a family: its letters and the element type of each role."""

    name: str
    roles: Mapping[str, str]

    def element(self, role: str) -> Element:
        if role == "X" and "X" not in self.roles:
            role = "T"
        return ELEMENTS[self.roles.get(role, role)]

    def has(self, role: str) -> bool:
        return role in self.roles or role == "X" or role in ELEMENTS


TYPES = {
    name: TypeRecord(name, {"T": t, "R": r, **({"X": r} if name in ("Cs", "Zd") else {})})
    for name, t, r in (
        ("S", "f32", "f32"), ("D", "f64", "f64"), ("C", "c32", "f32"), ("Z", "c64", "f64"), ("H", "f16", "f16"),
        ("Sc", "c32", "f32"), ("Dz", "c64", "f64"), ("Cs", "c32", "f32"), ("Zd", "c64", "f64"),
    )
}  # fmt: skip
UNTYPED = TypeRecord("", {})


VERSIONS = ("v2", "v3", "v4")  # later forms of a name, to which headers lead


@dataclass(frozen=True, slots=True)
class Form:
    """One form of a symbol."""

    base: str  # plain, v1, host or one of VERSIONS
    wide: bool = False  # _64
    twin: str = ""  # ptsz or ptds

    @property
    def suffix(self) -> str:
        return (
            (f"_{self.base}" if self.base in VERSIONS else "")
            + ("_64" if self.wide else "")
            + (f"_{self.twin}" if self.twin else "")
        )

    def __str__(self) -> str:
        return self.base + ("_64" if self.wide else "") + (f"_{self.twin}" if self.twin else "")


def expand(pattern: str, record: TypeRecord) -> str:
    """`cublas{T}gemm` with a type's letters filled in."""
    return pattern.replace("{T}", record.name).replace("{t}", record.name.lower())


def cuda_type(kind: Kind, record: TypeRecord, form: Form) -> str:
    """C type of a parameter on NVIDIA's side."""
    if kind.name == "batched" and kind.inner:
        element = record.element(kind.inner.role).cuda
        return f"const {element} *const *" if kind.inner.io == "in" else f"{element} *const *"
    core = kind.core
    if form.base == "v1":
        if core.name in OPTIONS:
            return "char"
        if core.name == "scalar" and core.io == "in":
            return record.element(core.role).cuda
    if core.is_pointer:
        if core.role == "index":
            return f"{'const ' if core.io == 'in' else ''}{'int64_t' if form.wide else 'int'} *"
        element = record.element(core.role).cuda
        return f"{'const ' if core.io == 'in' else ''}{element} *"
    if core.name in SIZES:
        return "size_t" if form.base == "host" else "int64_t" if form.wide else "int"
    if core.name in OPTIONS:
        return OPTIONS[core.name][0]
    fixed = {
        "handle": "cublasHandle_t", "stride": "long long int", "bytes": "size_t", "stream": "cudaStream_t",
        "event": "cudaEvent_t", "datatype": "cudaDataType", "info": "int *",
    }  # fmt: skip
    return fixed.get(core.name) or core.type


# Types that a `c(TYPE)` parameter has under another name on AMD's side.
_ROCM_NAMES = {
    "cudaStream_t": "hipStream_t",
    "cudaEvent_t": "hipEvent_t",
}


def rocm_type(kind: Kind, record: TypeRecord, wide: bool) -> str:
    """C type of a parameter on AMD's side."""
    if kind.name == "batched" and kind.inner:
        element = record.element(kind.inner.role).rocm
        return f"const {element} *const *" if kind.inner.io == "in" else f"{element} *const *"
    core = kind.core
    if core.is_pointer:
        if core.role == "index":
            return f"{'const ' if core.io == 'in' else ''}{'int64_t' if wide else 'rocblas_int'} *"
        element = record.element(core.role).rocm
        return f"{'const ' if core.io == 'in' else ''}{element} *"
    if core.name in SIZES:
        return "int64_t" if wide else "rocblas_int"
    if core.name in OPTIONS:
        return OPTIONS[core.name][1]
    fixed = {
        "handle": "rocblas_handle", "stride": "rocblas_stride", "bytes": "size_t", "stream": "hipStream_t",
        "event": "hipEvent_t", "datatype": "rocblas_datatype", "info": "rocblas_int *",
    }  # fmt: skip
    if core.name in fixed:
        return fixed[core.name]
    base = core.type.removesuffix("*").strip()
    return core.type.replace(base, _ROCM_NAMES[base]) if base in _ROCM_NAMES else core.type
