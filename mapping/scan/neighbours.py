"""NVIDIA's other libraries that programs load, and who answers them. Facts: ZLUDA's list of libraries, ROCm's documentation."""

from __future__ import annotations

import re

_ZLUDA = "ZLUDA brings one"
_NOBODY = "nobody's replacement is known"
_NEIGHBOURS = {
    "cufft": _ZLUDA,
    "cufftw": _NOBODY,
    "cusparse": _ZLUDA,
    "cusolver": "not answered; rocSOLVER has the algorithms, under other names",
    "cusolverMg": _NOBODY,
    "curand": "not answered; rocRAND has the generators, under other names",
    "nvrtc": "compiles kernels at run time: stays NVIDIA's, what it makes needs ZLUDA",
    "nvJitLink": "links kernels at run time: stays NVIDIA's, what it makes needs ZLUDA",
    "nccl": "not answered; RCCL has its interface under its own names",
    "nvidia-ml": _ZLUDA,
    "nvml": _ZLUDA,
    "nvcuda": "the driver: ZLUDA brings one",
    "cuda": "the driver: ZLUDA's, or the small one of dragoman where a program has no kernels",
    "nvblas": _NOBODY,
    "nvinfer": _NOBODY,
    "nvjpeg": _NOBODY,
    "cutensor": _NOBODY,
    "cutensornet": _NOBODY,
    "custatevec": _NOBODY,
    "cusparseLt": _NOBODY,
    "cupti": _NOBODY,
    "nvToolsExt": "marks for a profiler: stays NVIDIA's",
    "cufile": _NOBODY,
    "nvshmem_host": _NOBODY,
}
_FILE = re.compile(r"(?:lib)?([A-Za-z-]+(?:_host)?)(?:64_[0-9_]+\.dll|\.dll|\.so(?:\.[0-9.]+)?|64\.dll)", re.IGNORECASE)
_BY_NAME = {name.lower(): (name, answer) for name, answer in _NEIGHBOURS.items()}


def answer(file_name: str) -> str:
    """Who answers a library of NVIDIA's that is not ours, by its file name; '' where it is none."""
    match = _FILE.fullmatch(file_name)
    found = _BY_NAME.get(match[1].lower()) if match else None
    return found[1] if found else ""


# Programs that have a build for AMD: better than any replacement, so it is said first.
_NATIVE = (
    (r"(lib)?torch_cuda(_[a-z]+)?\.(so|dll)", "PyTorch has builds for ROCm: https://pytorch.org/get-started/locally/"),
    (r"(lib)?ggml-cuda\.(so|dll)", "llama.cpp has builds for AMD cards (HIP and Vulkan)"),
    (r"(lib)?ctranslate2.*\.(so.*|dll)", "CTranslate2 can be built for ROCm"),
    (r"(lib)?onnxruntime_providers_cuda\.(so|dll)", "ONNX Runtime has providers for AMD cards (MIGraphX, DirectML)"),
    (r"(lib)?tensorflow_cc\.so.*|_pywrap_tensorflow_internal\..*", "TensorFlow has builds for ROCm: tensorflow-rocm"),
    (r"(lib)?bitsandbytes_cuda.*\.(so|dll)", "bitsandbytes has builds for ROCm"),
)


def native(file_name: str) -> str:
    """That the program has a build for AMD cards, or ''."""
    return next((said for pattern, said in _NATIVE if re.fullmatch(pattern, file_name, re.IGNORECASE)), "")
