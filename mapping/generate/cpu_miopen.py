"""The CPU backend's MIOpen: written by hand in `mapping/cpu/miopen/`, a unit a chapter of MIOpen's manual."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ..build.openblas import OpenBlas
from ..build.plan import Library
from . import cpu_library, cpu_record
from .cpu_record import Kept
from .cpu_record import Library as Recorded

RECORDED = Recorded(
    status="miopenStatus_t",
    success="miopenStatusSuccess",
    admit="mi_admit(handle)",
    before="mi_replay(&call.handle_kept)",
    after="",
    keep="mi_keep(handle, {run}, &call, sizeof(call))",
)
# Objects that a program may change or free when the call has been recorded, by the type of the argument.
_OBJECTS = {
    "miopenHandle_t": "mi_handle",
    "miopenTensorDescriptor_t": "mi_tensor",
    "const mi_tensor *": "mi_tensor",
    "mi_dropout *": "mi_dropout",
    "const Problem *": "Problem",
    "miopenConvolutionDescriptor_t": "mi_convolution",
    "miopenActivationDescriptor_t": "mi_activation",
    "miopenFusionPlanDescriptor_t": "mi_fusion_plan",
    "miopenOperatorArgs_t": "mi_fusion_args",
}


def _kept(ctype: str, name: str, _: Mapping[str, str]) -> Kept:
    """A parameter of a function that is recorded; factors of fused calls are floats."""
    if ctype == "const void *" and name.startswith("alpha"):
        return Kept(ctype, name, "float")
    return Kept(ctype, name, _OBJECTS.get(ctype, ""), may_be_null=ctype != "miopenHandle_t")


def generate() -> dict[str, str]:
    """File name → text: the recorders."""
    return cpu_record.hand_written(hand_written(), _kept, RECORDED)


def hand_written() -> Path:
    return cpu_library.folder("miopen")


def exports() -> tuple[str, ...]:
    """Every function of MIOpen's that a source declares public; their helpers (`mi_…`) stay inside."""
    return tuple(sorted(cpu_library.public(hand_written(), "miopen")))


def library(sources: Path, openblas: OpenBlas, target: str) -> Library:
    """libMIOpen.so.1 or MIOpen.dll, with OpenBLAS beside it. `sources` holds what `generate` answered."""
    folders = (hand_written(), sources, cpu_library.folder("rocblas"), cpu_library.CREW)  # half.h, openblas.h
    found = [*sorted(hand_written().glob("*.pyx")), *cpu_library.SHARED]
    made = cpu_library.units("miopen", target, found, folders)
    names = ("libMIOpen.so.1", "MIOpen.dll")
    return cpu_library.library(names, target, made, exports(), openblas, openblas.extra_files)
