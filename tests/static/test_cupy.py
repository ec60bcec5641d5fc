"""CuPy's bindings from the package registry, unmodified: NVIDIA's static runtime is linked into them."""

from __future__ import annotations

from pathlib import Path

import pytest
from dragoman.run import static_runtime
from static_wheels import install

pytestmark = [pytest.mark.network, pytest.mark.slow]
PACKAGES = {11: "cupy-cuda11x==13.6.0", 12: "cupy-cuda12x==14.2.0"}


@pytest.fixture(scope="module", params=[11, 12])
def cupy(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[int, Path]:
    folder = tmp_path_factory.mktemp(f"cupy-{request.param}")
    install(folder, PACKAGES[request.param], "cuda-pathfinder")
    return request.param, folder


def test_runtime_is_inside(cupy: tuple[int, Path]) -> None:
    (module,) = (cupy[1] / "cupy_backends" / "cuda" / "api").glob("runtime.*.so")
    assert static_runtime.inside(module)
