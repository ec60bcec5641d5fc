"""What a call costs on its way through our libcudnn, over a MIOpen that answers at once; and convolutions of the CPU backend.

`python tests/bench/dnn.py` prints the tables of docs/benchmarks.md. The tests beside it hold the figures to the bars.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path

from dragoman.build.all import build_all
from overhead import HERE, Bench, Route

BAR = 50  # nanoseconds that a call may add to MIOpen's own
# Function → instructions that it may add: what it adds today, and a tenth. A figure that anyone can count again.
LIMITS: Mapping[str, int] = {
    "SoftmaxForward": 330,
    "SoftmaxBackward": 400,
    "PoolingForward": 540,
    "ActivationForward": 460,
    "ActivationBackward": 470,
    "OpTensor": 590,
    "ConvolutionForward": 750,
}


class DnnBench(Bench):
    """As for cuBLAS, with another driver (c/dnn.c)."""

    def __init__(self, out: Path) -> None:
        self.out = out
        self.folder = out / "amd"
        self.make_stubs(BLAS="librocblas.so.5", DNN="libMIOpen.so.1")
        self.driver = self.make_driver("dnn.c")
        self.direct = Route("direct", self.folder / "libMIOpen.so.1", "miopen", self.folder)

    def ours(self, toolchain: str = "zig") -> Route:
        build_all(self.out / toolchain, majors=(12,), libraries=("cudnn",), toolchain=toolchain)
        return Route(toolchain, self.out / toolchain / "linux" / "cuda12" / "libcudnn.so.9", "cudnn", self.folder)

    @property
    def cpu(self) -> Path:
        return self.out / "zig" / "linux"

    def loop(self, name: str, route: Route) -> str:
        theirs = route.layer == "miopen" and not name.startswith("Activation")
        return f"loop_miopen_{name}" if theirs else f"loop_{name}"

    def instructions(self, route: Route, names: Iterable[str] = tuple(LIMITS)) -> dict[str, float]:
        return super().instructions(route, names)

    def nanoseconds(self, routes: Iterable[Route], rounds: int = 40, count: int = 10000) -> dict[str, dict[str, float]]:
        """Function → route → nanoseconds of a call, the loop included: the best of rounds in which all have their turn."""
        children = {route.name: self.start(route) for route in routes}
        found = {name: dict.fromkeys(children, float("inf")) for name in LIMITS}
        for name, best in found.items():
            for _ in range(rounds):
                for route, child in children.items():
                    best[route] = min(best[route], child.run(name, count))
        for child in children.values():
            child.close()
        return found

    def allocated(self, route: Route, count: int = 1000) -> dict[str, int]:
        """Function → allocations in `count` calls after the first: heap, MIOpen's descriptors, the card's memory."""
        orders = "".join(f"allocated {name} {count}\n" for name in LIMITS)
        done = subprocess.run(
            [str(self.driver), str(route.library), route.layer],
            env=route.environment, input=orders, capture_output=True, text=True, timeout=60, check=True,
        )  # fmt: skip
        return dict(zip(LIMITS, map(int, done.stdout.split()), strict=True))


def convolutions(linux: Path, threads: int = 1) -> list[dict[str, float | str]]:
    """What conv.py measures with the CPU backend below `linux`, in a process of its own."""
    settings = {"DRAGOMAN_BACKEND": "cpu", "OPENBLAS_NUM_THREADS": str(threads)}
    command = [sys.executable, str(HERE / "conv.py"), str(linux / "cuda12" / "libcudnn.so.9"), str(threads)]
    done = subprocess.run(command, env=os.environ | settings, capture_output=True, text=True, check=False, timeout=120)
    if done.returncode:
        raise RuntimeError(done.stderr)
    return [json.loads(line) for line in done.stdout.splitlines()]


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        bench = DnnBench(Path(folder))
        ours = bench.ours()
        direct = bench.instructions(bench.direct)
        added = bench.added(ours, direct)
        ns = bench.nanoseconds([bench.direct, ours], rounds=60)
        allocated = bench.allocated(ours)
        print("| function | direct call | added | allocated |\n|---|---:|---:|---:|")
        for name in LIMITS:
            took = ns[name]
            print(
                f"| cudnn{name} | {took['direct']:.1f} ns ({direct[name]:.0f}) "
                f"| +{took[ours.name] - took['direct']:.1f} ns ({added[name]}) | {allocated[name]} |"
            )
        rows = convolutions(bench.cpu)
        more = [key for key in rows[0] if key.startswith("torch")]
        if not more:
            print("\nPyTorch is not installed: no ratio to it.")
        print(f"\n| layer, batch 8 | ours | NumPy | ratio |{' PyTorch | ratio |' if more else ''}")
        print(f"|---|---:|---:|---:|{'---:|---:|' if more else ''}")
        for row in rows:
            cells = [str(row["name"])]
            for key in ("numpy", *more):
                mine = float(row["ours"])
                cells += [f"{mine:.1f} ms"] if key == "numpy" else []
                cells += [f"{float(row[key]):.1f} ms", f"{float(row[key]) / mine:.2f}"]
            print(f"| {' | '.join(cells)} |")


if __name__ == "__main__":
    sys.exit(main())
