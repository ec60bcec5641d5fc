"""Which headers there are, of one CUDA major and of each cuDNN: file names, guards, what each includes and declares."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Header:
    """One file: guard, includes, whose types and functions it declares, and words around its prototypes."""

    guard: str
    includes: tuple[str, ...] = ()
    types: str = ""  # header name in the type tables
    functions: str = ""  # header name in the function tables
    api: tuple[str, str] = ("", "")  # words before and after the result type
    part: str = ""  # file under header_parts/ that follows the declarations
    template: tuple[str, Mapping[str, str]] = ("", {})  # one more behind it, and what stands for its @words@
    define: tuple[str, ...] = ()  # preprocessor lines before the types


_CUBLAS_API = (
    "#if defined(_WIN32)",
    "#define CUBLASWINAPI __stdcall",
    "#else",
    "#define CUBLASWINAPI",
    "#endif",
    "#define CUBLASAPI",
)

HEADERS: Mapping[str, Header] = {
    "host_defines.h": Header("__HOST_DEFINES_H__", part="host_defines.h"),
    "vector_types.h": Header("__VECTOR_TYPES_H__", ("host_defines.h",), types="vector_types"),
    "vector_functions.h": Header("__VECTOR_FUNCTIONS_H__", ("vector_types.h",)),
    "device_types.h": Header("__DEVICE_TYPES_H__", ("host_defines.h",), types="device_types"),
    "driver_types.h": Header(
        "__DRIVER_TYPES_H__", ("<limits.h>", "<stddef.h>", "host_defines.h", "vector_types.h"), types="driver_types"
    ),
    "surface_types.h": Header("__SURFACE_TYPES_H__", ("driver_types.h",), types="surface_types"),
    "texture_types.h": Header("__TEXTURE_TYPES_H__", ("driver_types.h",), types="texture_types"),
    "library_types.h": Header("__LIBRARY_TYPES_H__", types="library_types"),
    "builtin_types.h": Header(
        "__BUILTIN_TYPES_H__",
        ("device_types.h", "driver_types.h", "surface_types.h", "texture_types.h", "vector_types.h"),
    ),
    "driver_functions.h": Header("__DRIVER_FUNCTIONS_H__", ("driver_types.h",), part="driver_functions.h"),
    "cuComplex.h": Header("CU_COMPLEX_H_", ("<math.h>", "vector_types.h"), types="cuComplex", part="cuComplex.h"),
    "dg_small_floats.h": Header("DG_SMALL_FLOATS_H_", ("<string.h>", "vector_types.h"), part="dg_small_floats.h"),
    "cuda_fp16.h": Header(
        "__CUDA_FP16_H__",
        ("dg_small_floats.h",),
        part="cuda_fp16.h",
        template=("small_float.h", {"type": "__half", "plain": "half", "word": "half", "infinity": "0x7c00u"}),
    ),
    "cuda_bf16.h": Header(
        "__CUDA_BF16_H__",
        ("dg_small_floats.h",),
        part="cuda_bf16.h",
        template=(
            "small_float.h",
            {"type": "__nv_bfloat16", "plain": "nv_bfloat16", "word": "bfloat16", "infinity": "0x7f80u"},
        ),
    ),
    "cuda_fp8.h": Header("__CUDA_FP8_H__", ("cuda_fp16.h", "cuda_bf16.h"), part="cuda_fp8.h"),
    "device_launch_parameters.h": Header(
        "__DEVICE_LAUNCH_PARAMETERS_H__", ("vector_types.h",), part="device_launch_parameters.h"
    ),
    "cuda_runtime_api.h": Header(
        "__CUDA_RUNTIME_API_H__",
        ("builtin_types.h", "library_types.h"),
        types="cuda_runtime_api",
        functions="cuda_runtime_api",
        api=("extern", "CUDARTAPI"),
    ),
    "cuda_profiler_api.h": Header(
        "__CUDA_PROFILER_API_H__",
        ("driver_types.h",),
        functions="cuda_profiler_api",
        api=("extern", "CUDARTAPI"),
    ),
    "channel_descriptor.h": Header("__CHANNEL_DESCRIPTOR_H__", ("cuda_runtime_api.h",), part="channel_descriptor.h"),
    "cuda_runtime.h": Header(
        "__CUDA_RUNTIME_H__",
        ("cuda_runtime_api.h", "channel_descriptor.h", "driver_functions.h", "vector_functions.h"),
        part="cuda_runtime.h",
    ),
    "cuda.h": Header(
        "__cuda_cuda_h__",
        ("<stdint.h>", "<stdlib.h>", "driver_types.h"),
        types="cuda",
        functions="cuda",
        api=("", "CUDAAPI"),
        define=("#define CUDAAPI CUDARTAPI", "#define CUDA_CB CUDART_CB"),
    ),
    "cublas_api.h": Header(
        "CUBLAS_API_H_",
        ("<stdint.h>", "driver_types.h", "cuComplex.h", "cuda_fp16.h", "cuda_bf16.h", "library_types.h"),
        types="cublas_api",
        functions="cublas_api",
        api=("CUBLASAPI", "CUBLASWINAPI"),
        define=_CUBLAS_API,
    ),
    "cublas_v2.h": Header("CUBLAS_V2_H_", ("cublas_api.h",)),
    "cublas.h": Header(
        "CUBLAS_H_",
        ("cublas_api.h",),
        types="cublas",
        functions="cublas",
        api=("CUBLASAPI", "CUBLASWINAPI"),
    ),
    "cublasXt.h": Header(
        "CUBLAS_XT_H_",
        ("cublas_v2.h",),
        types="cublasXt",
        functions="cublasXt",
        api=("CUBLASAPI", "CUBLASWINAPI"),
    ),
    "cublasLt.h": Header(
        "CUBLASLT_H_",
        ("<stddef.h>", "<stdint.h>", "<stdio.h>", "cublas_api.h"),
        types="cublasLt",
        functions="cublasLt",
        api=("", "CUBLASWINAPI"),
        part="cublasLt.h",
    ),
}
_CUDNN_API = (
    "#if defined(_WIN32)",
    "#define CUDNNWINAPI __stdcall",
    "#else",
    "#define CUDNNWINAPI",
    "#endif",
)
_CUDNN_BASE = ("<stddef.h>", "<stdint.h>", "cuda_runtime_api.h", "library_types.h", "cudnn_version.h")


def _cudnn(first: str, parts: tuple[str, ...], others: tuple[str, ...] = ()) -> dict[str, Header]:
    """The files of one version: all types are in the first part, which every other includes."""
    found = {"cudnn_version.h": Header("CUDNN_VERSION_H_", types="cudnn_version")}
    for part in parts:
        includes: tuple[str, ...] = (f"{first}.h",)
        define: tuple[str, ...] = ()
        types = ""
        if part == first:
            includes, types, define = _CUDNN_BASE, "cudnn", _CUDNN_API
        found[f"{part}.h"] = Header(
            f"{part.upper()}_H_", includes, types=types, functions=part, api=("", "CUDNNWINAPI"), define=define
        )
    found["cudnn.h"] = Header("CUDNN_H_", (*(f"{p}.h" for p in parts if p not in others),))
    return found


# cuDNN's files, by its major. Version 9 has its graphs in cudnn_graph.h, and keeps the older name for it.
CUDNN_HEADERS: Mapping[int, Mapping[str, Header]] = {
    8: _cudnn(
        "cudnn_ops_infer",
        (
            "cudnn_ops_infer", "cudnn_ops_train", "cudnn_adv_infer", "cudnn_adv_train", "cudnn_cnn_infer", "cudnn_cnn_train",
            "cudnn_backend",
        ),
    ),
    9: {
        **_cudnn(
            "cudnn_graph",
            ("cudnn_graph", "cudnn_ops", "cudnn_adv", "cudnn_cnn", "cudnn_subquadratic_ops", "cudnn_gnn_ops"),
            ("cudnn_subquadratic_ops", "cudnn_gnn_ops"),
        ),
        "cudnn_backend.h": Header("CUDNN_BACKEND_H_", ("cudnn_graph.h",)),
    },
}  # fmt: skip


def files(major: int, cudnn: int | None = None) -> dict[str, Header]:
    """Every header of one CUDA major, with the cuDNN that belongs to it unless another is named."""
    return {**HEADERS, **CUDNN_HEADERS[cudnn or cudnn_beside(major)]}


def cudnn_beside(major: int) -> int:
    return 8 if major == 11 else 9
