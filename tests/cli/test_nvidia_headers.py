"""The same programs compiled against NVIDIA's own headers. Their packages are more than a gigabyte, so nobody fetches them here:

    pip install nvidia-cublas-cu12 nvidia-cuda-runtime-cu12 nvidia-cuda-nvcc-cu12 nvidia-cuda-cccl-cu12 nvidia-cudnn-cu12
    DRAGOMAN_NVIDIA_HEADERS=DIR[:DIR] pytest tests/cli/test_nvidia_headers.py     # or in any other folders

Where the packages are installed beside dragoman, they are found without the variable.
"""

from __future__ import annotations

import importlib.util
import os
import re
from pathlib import Path

import pytest
from as_user import Dragoman, User, shell
from test_programs import HERE as PROGRAMS
from test_programs import PROGRAMS as FILES
from test_programs import line

PACKAGES = ("cublas", "cuda_runtime", "cuda_nvcc", "cuda_cccl", "cudnn", "cu13")


def folders() -> list[Path]:
    named = os.environ.get("DRAGOMAN_NVIDIA_HEADERS")
    if named:
        return [Path(f) for f in named.split(":")]
    spec = importlib.util.find_spec("nvidia")
    roots = list(spec.submodule_search_locations or ()) if spec else []
    return [p for root in roots for n in PACKAGES if (p := Path(root) / n / "include").is_dir()]


@pytest.fixture(scope="module")
def headers() -> tuple[str, list[Path]]:
    """CUDA major and folders of NVIDIA's headers."""
    found = folders()
    for folder in found:
        file = folder / "cublas_api.h"
        if file.is_file():
            version = re.search(r"CUBLAS_VER_MAJOR (\d+)", file.read_text(encoding="utf-8", errors="replace"))
            assert version
            return version[1], found
    pytest.skip("NVIDIA's headers are not here: see the top of this file")


@pytest.mark.parametrize("program", FILES, ids=lambda p: p.name)
def test_program(
    program: Path,
    headers: tuple[str, list[Path]],
    user: User,
    dragoman: Dragoman,
    compiler: str,
    tmp_path: Path,
) -> None:
    major, found = headers
    if "<cudnn.h>" in program.read_text(encoding="utf-8") and not any((f / "cudnn.h").is_file() for f in found):
        pytest.skip("cudnn.h is not among NVIDIA's headers here: nvidia-cudnn-cu12 has it")
    libraries = dragoman("lib-dir", "--cuda", major, "--driver").stdout.strip()
    environment = {**user, "LIBS": libraries, "SOURCE": str(PROGRAMS), "HEADERS": "."}
    # Their headers are not pedantic: as system headers they are not judged.
    places = " ".join(f'-isystem "{f}"' for f in found)
    build = line(program, "BUILD").replace('-I"$HEADERS"', places)
    built = shell(build, environment, tmp_path)
    assert built.returncode == 0, built.stderr
    # A minor version of theirs may differ from the one that ours stands for: what a program checks of it is left out.
    ran = shell(line(program, "RUN"), environment, tmp_path)
    wrong = [x for x in ran.stderr.splitlines() if program.name in x and "VER" not in x and "version" not in x]
    assert not wrong
    assert ran.returncode == 0 or "VER" in ran.stderr, ran.stderr
