"""Every call of cuBLAS and cuDNN on a captured stream, judged as the same calls are judged without a capture (`captured.py`).

What cannot be recorded is refused, never done at once; which functions those are stands here.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from fnmatch import fnmatchcase
from pathlib import Path

import pytest
from dragoman.parity.dnn import runner as dnn
from dragoman.parity.options import Options
from dragoman.parity.report import Report
from dragoman.parity.runner import run_parity

# Results on the host, in host pointer mode: never there when a graph is launched.
RESULTS = (
    "cublas[SD]dot_v2", "cublas[CZ]dot[cu]_v2", "cublas*nrm2_v2", "cublas*asum_v2", "cublasI*am??_v2", "cublas*rotg_v2",
    "cublas*rotmg_v2", "cublasDotEx", "cublasDotcEx", "cublasNrm2Ex", "cublasAsumEx", "cublasIam??Ex", "cublasRotgEx", "cublasRotmgEx",
)  # fmt: skip
# Composed through the host's memory: the tables say so (`capture: refuse`). 16-bit rotations that lie on the device are read there.
WIDENED = (
    "cublasC*rk3mEx", "cublasC*rkEx", "cublasSgemmEx", "cublasCgemmEx", "cublasCgemm3mEx", "cublasGemm*Ex", "cublasRotmEx",
)  # fmt: skip
SOME = (
    "cublasSgemm_v2", "cublasZgemm_v2_64", "cublasIsamax_v2", "cublasIdamin_v2_64", "cublasDdot_v2", "cublasSaxpy_v2",
    "cublasSrotm_v2", "cublasDrotg_v2", "cublasCher2_v2", "cublasStrsm_v2", "cublasDtrmm_v2", "cublasCsyrkx",
    "cublasDgeam", "cublasSgemmStridedBatched", "cublasDgemmBatched", "cublasGemmEx", "cublasGemmBatchedEx_64",
    "cublasGemmStridedBatchedEx", "cublasAxpyEx", "cublasScalEx", "cublasRotEx", "cublasDotEx", "cublasSgetrfBatched",
    "cublasDgetrsBatched", "cublasCgeqrfBatched", "cublasSgelsBatched", "cublasSgemvStridedBatched",
)  # fmt: skip
# Doubles that pass through the host; losses and weights whose lengths are the host's; what tries each algorithm.
ON_HOST = (
    "cudnnCTCLoss*", "cudnnFind*", "cudnnMultiHeadAttn*", "cudnnQueryRuntimeError", "cudnnRNN*", "cudnnSoftmax*", "cudnnActivation*",
    "cudnnLRN*", "cudnnPooling*", "cudnnDivisive*", "cudnnBatchNormalization*", "cudnnNormalization*", "cudnnOpTensor",
)  # fmt: skip
SOME_DNN = (
    "cudnnConvolutionForward", "cudnnConvolutionBackwardFilter", "cudnnConvolutionBiasActivationForward", "cudnnPoolingForward",
    "cudnnSoftmaxForward", "cudnnBatchNormalizationForwardTraining", "cudnnActivationBackward", "cudnnLRNCrossChannelForward",
    "cudnnReduceTensor", "cudnnOpTensor", "cudnnAddTensor", "cudnnTransformTensor", "cudnnSetTensor", "cudnnDropoutForward",
    "cudnnRNNForward", "cudnnSpatialTfSamplerForward",
)  # fmt: skip


@pytest.fixture
def refused(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, children_find_fakes: None) -> Path:
    found = tmp_path / "refused"
    found.touch()
    monkeypatch.setenv("CAPTURED_REFUSED", str(found))
    monkeypatch.setenv("CAPTURED_LIBRARIES", str(folder))
    return found


def judged(report: Report, refused: Path, allowed: Iterable[str]) -> None:
    assert not report.failures, [(r.name, r.numbers.lines[:1], r.numbers.python) for r in report.failures]
    names = {name.removesuffix("_64") for name in refused.read_text(encoding="utf-8").split()}
    assert sorted(n for n in names if not any(fnmatchcase(n, glob) for glob in allowed)) == []


def cublas(functions: tuple[str, ...], examples: int) -> Report:
    return run_parity(Options(factory="captured:subject", functions=functions, examples=examples, workers=_workers()))


def cudnn(version: int, functions: tuple[str, ...], examples: int) -> Report:
    asked = Options(
        factory=f"captured:dnn{version}",
        functions=functions,
        examples=examples,
        workers=_workers(),
        library=f"cudnn{version}",
    )
    return dnn.run(asked)


def _workers() -> int:
    return min(2, os.cpu_count() or 1)


def test_some_of_cublas(refused: Path) -> None:
    judged(cublas(SOME, 12), refused, (*RESULTS, *WIDENED))
    assert "cublasDdot_v2" in refused.read_text(encoding="utf-8").split()


@pytest.mark.parametrize("version", [8, 9])
def test_some_of_cudnn(refused: Path, version: int) -> None:
    judged(cudnn(version, SOME_DNN, 6), refused, ON_HOST)


@pytest.mark.slow
def test_all_of_cublas(refused: Path) -> None:
    judged(cublas(("cublas*",), 12), refused, (*RESULTS, *WIDENED))


@pytest.mark.slow
@pytest.mark.parametrize("version", [8, 9])
def test_all_of_cudnn(refused: Path, version: int) -> None:
    judged(cudnn(version, ("*",), 8), refused, ON_HOST)
