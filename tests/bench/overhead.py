"""What a call costs on its way through our libcublas, over AMD libraries that answer at once.

`python tests/bench/overhead.py` prints the table of docs/benchmarks.md. The tests beside it hold the figures to the bar.

Instructions are counted by valgrind's callgrind: exact, the same in every run and on every x86-64 processor of the last
ten years. Nanoseconds come from the same loops on the bare machine.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from dragoman.build import LINUX, Library, Unit, build, find_toolchain
from dragoman.build.all import build_all

HERE = Path(__file__).resolve().parent
COUNT = 1000
STUBS = {
    part: tuple(
        re.findall(rf"^(?:ANSWERS(?:_0)?\(|MAKES\(|int )((?:{names})\w*)", (HERE / "c" / "stub.c").read_text(), re.M)
    )
    for part, names in {"HIP": "hip|stub_mallocs", "BLAS": "rocblas_", "DNN": "miopen|stub_descriptors"}.items()
}
STUB_BLAS = STUBS["BLAS"]


@dataclass(frozen=True)
class Figure:
    """Instructions that others add to a call: AMD's hipBLAS built with -O3, and a thunk written by hand in assembly."""

    hipblas: int
    thunk: int

    @property
    def bar(self) -> int:
        return self.hipblas

    @property
    def aim(self) -> float:
        return 1.25 * self.thunk


# The address check of a handle, which lets no foreign memory be read, costs two instructions that neither of them has.
# gemmEx: what the best C of the survey adds is the bar, since hipBLAS does not look whether its types go together.
FIGURES: Mapping[str, Figure] = {
    "saxpy": Figure(23, 12),
    "sdot": Figure(22, 12),
    "sger": Figure(26, 16),
    "sgemm": Figure(37, 26),
    "sgemmStridedBatched": Figure(61, 30),
    "strsm": Figure(312, 31),
    "gemmEx": Figure(76, 36),
    "setStream": Figure(18, 12),
    "getStream": Figure(18, 12),
}


# Calls that a block of ours answers, and what they may add to AMD's own: the figures of zig with a little room.
COMPOSED: Mapping[str, int] = {"gemmExInt8": 290, "gemmGrouped": 400}
# The loop of a direct call where AMD's function takes other arguments than the layers above it.
DIRECT = {"gemmEx": "loop_gemm_ex", "gemmExInt8": "loop_gemm_ex_int8", "gemmGrouped": "loop_two_gemm_batched_ex"}


@dataclass(frozen=True)
class Route:
    """One way to a function: the library that is called, and whose names it has."""

    name: str
    library: Path
    layer: str
    folder: Path  # AMD's stand-ins

    @property
    def environment(self) -> dict[str, str]:
        return {"DRAGOMAN_BACKEND": str(self.folder), "LD_LIBRARY_PATH": str(self.folder), "LC_ALL": "C"}


class Bench:
    """The driver and the stand-ins, built below `out`, and what is measured with them."""

    def __init__(self, out: Path) -> None:
        self.out = out
        self.folder = out / "amd"
        self.make_stubs(BLAS="librocblas.so.5")
        self.driver = self.make_driver("driver.c")
        self.direct = Route("direct", self.folder / "librocblas.so.5", "rocblas", self.folder)

    def make_stubs(self, **libraries: str) -> None:
        """AMD's runtime and other libraries as stub.c has them."""
        source = HERE / "c" / "stub.c"
        stubs = [
            Library(file, (Unit(f"{part}.c", source, defines=(f"STUB_{part}",)),), STUBS[part], "amd")
            for part, file in {"HIP": "libamdhip64.so.7", **libraries}.items()
        ]
        build(stubs, LINUX, find_toolchain("zig"), self.out)

    def make_driver(self, source: str) -> Path:
        driver = (self.out / source).with_suffix("")
        compiler = shutil.which("cc")
        command = [compiler] if compiler else [*find_toolchain("zig").command, "-fno-sanitize=all"]
        command += ["-O2", "-std=gnu11", "-Wall", "-rdynamic", str(HERE / "c" / source), "-o", str(driver), "-ldl"]
        subprocess.run(command, check=True, capture_output=True)
        return driver

    def ours(self, toolchain: str) -> Route:
        out = self.out / toolchain
        build_all(out, majors=(12,), function="cublasSgemm_v2", toolchain=toolchain)
        return Route(toolchain, out / "linux" / "cuda12" / "libcublas.so.12", "cublas", self.folder)

    def hipblas(self) -> Route:
        """Debian's hipBLAS over the same stand-ins, or UnavailableError."""
        import lief

        fetched = self.out / "debian"
        fetched.mkdir()
        library = hipblas_of_debian(fetched)
        binary = lief.parse(str(library))
        assert isinstance(binary, lief.ELF.Binary)
        names = sorted(str(s.name) for s in binary.imported_symbols if str(s.name).startswith("rocblas_"))
        more = "".join(f"int {name}(void) {{ return 0; }}\n" for name in names if name not in STUB_BLAS)
        needed = next(str(name) for name in binary.libraries if str(name).startswith("librocblas"))
        units = (Unit("blas.c", HERE / "c" / "stub.c", defines=("STUB_BLAS",)), Unit("more.c", more))
        stub = Library(needed, units, tuple(sorted({*names, *STUB_BLAS})), "amd-hipblas")
        build([stub], LINUX, find_toolchain("zig"), fetched)
        return Route("hipBLAS of Debian", library, "hipblas", fetched / "amd-hipblas")

    def start(self, route: Route) -> Child:
        return Child([str(self.driver), str(route.library), route.layer], route.environment)

    def instructions(self, route: Route, names: Iterable[str] = tuple(FIGURES)) -> dict[str, float]:
        """Instructions of one call, the loop around it included."""
        names = tuple(names)
        with tempfile.TemporaryDirectory(dir=self.out) as folder:
            profile = Path(folder) / "profile"
            command = [
                "valgrind",
                "--tool=callgrind",
                "--toggle-collect=measure",
                f"--callgrind-out-file={profile}",
                "--compress-strings=no",
                "--compress-pos=no",
                str(self.driver),
                str(route.library),
                route.layer,
            ]
            orders = "".join(f"{name} {COUNT}\n" for name in names)
            done = subprocess.run(
                command, env=route.environment, input=orders, capture_output=True, text=True, timeout=300, check=False
            )
            if done.returncode:
                raise RuntimeError(f"{route.name}: exit {done.returncode}\n{done.stderr}")
            cost = inclusive(profile.read_text(encoding="utf-8", errors="replace"))
        return {name: cost[self.loop(name, route)] / COUNT for name in names}

    def loop(self, name: str, route: Route) -> str:
        """The driver's loop."""
        return DIRECT[name] if name in DIRECT and route.layer == "rocblas" else f"loop_{name}"

    def added(self, route: Route, direct: Mapping[str, float]) -> dict[str, int]:
        """Instructions that a route adds to a direct call."""
        return {name: round(value - direct[name]) for name, value in self.instructions(route, direct).items()}


class UnavailableError(Exception):
    """Why there is no figure."""


def hipblas_of_debian(folder: Path) -> Path:
    """AMD's own layer as Debian's unstable builds it. The package alone is fetched, nothing is installed."""
    apt = shutil.which("apt-get")
    sources = Path("/etc/apt/sources.list.d/debian.sources")
    if apt is None or not sources.is_file():
        raise UnavailableError("libhipblas2 is a Debian package, and this is no Debian")
    text = sources.read_text(encoding="utf-8")
    mirror = re.search(r"^URIs:\s*(\S+)", text, re.M)
    key = re.search(r"^Signed-By:\s*(/\S+)", text, re.M)
    if mirror is None or key is None:
        raise UnavailableError("this machine's list of Debian sources has another form than expected")
    for below in ("lists/partial", "cache/archives/partial"):
        (folder / below).mkdir(parents=True)
    (folder / "sources.list").write_text(f"deb [signed-by={key[1]}] {mirror[1]} sid main\n", encoding="utf-8")
    (folder / "status").touch()
    options = [
        f"Dir::Etc::sourcelist={folder}/sources.list",
        "Dir::Etc::sourceparts=/dev/null",
        f"Dir::State::lists={folder}/lists",
        f"Dir::Cache={folder}/cache",
        f"Dir::State::status={folder}/status",
        "APT::Sandbox::User=root",
        "Acquire::Retries=1",
        "Acquire::http::Timeout=20",
    ]
    command = [apt, *(f"-o{option}" for option in options)]
    for order in (["update"], ["download", "libhipblas2"]):
        try:
            done = subprocess.run(
                [*command, *order], cwd=folder, capture_output=True, text=True, timeout=180, check=False
            )
        except subprocess.TimeoutExpired:
            raise UnavailableError("Debian's packages are out of reach") from None
        if done.returncode:
            raise UnavailableError(f"libhipblas2 cannot be had: {(done.stderr.strip().splitlines() or ['?'])[-1]}")
    subprocess.run(["dpkg-deb", "-x", str(next(folder.glob("*.deb"))), str(folder / "package")], check=True)
    return next(path for path in (folder / "package").rglob("libhipblas.so.2*") if not path.is_symlink())


class Child:
    """A driver that waits for orders."""

    def __init__(self, command: list[str], environment: Mapping[str, str]) -> None:
        self._process = subprocess.Popen(
            command, env=dict(environment), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def run(self, name: str, count: int) -> float:
        """Nanoseconds a call, over `count` calls."""
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(f"{name} {count}\n")
        self._process.stdin.flush()
        return int(self._process.stdout.readline()) / count

    def close(self) -> None:
        self._process.communicate(timeout=10)
        assert self._process.returncode == 0, "a call did not answer 0"


def inclusive(profile: str) -> dict[str, int]:
    """Function → instructions in it and below it, from a callgrind profile without compression.

    In each function's block there are lines `position cost`: its own, and behind each `calls=` line what that call took.
    """
    found: dict[str, int] = {}
    current = ""
    for line in profile.splitlines():
        if line.startswith("fn="):
            current = line[3:]
        elif line[:1].isdigit() and current:
            found[current] = found.get(current, 0) + int(line.split()[-1])
    return found


def nanoseconds(children: Mapping[str, Child], name: str, rounds: int = 41, count: int = 20000) -> dict[str, float]:
    """Added to a direct call: the median over rounds in which every route has its turn."""
    found: dict[str, list[float]] = {route: [] for route in children}
    for _ in range(rounds):
        for route, child in children.items():
            found[route].append(child.run(name, count))
    base = found["direct"]
    added = {route: [v - d for v, d in zip(values, base, strict=True)] for route, values in found.items()}
    return {route: median(base if route == "direct" else values) for route, values in added.items()}


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder))
        routes = [bench.ours("zig")]
        if shutil.which("cc"):
            routes.append(bench.ours("cc"))
        try:
            routes.append(bench.hipblas())
        except UnavailableError as reason:
            print(f"no comparison with Debian's hipBLAS: {reason}", file=sys.stderr)
        direct = bench.instructions(bench.direct)
        added = {route.name: bench.added(route, direct) for route in routes}
        children = {route.name: bench.start(route) for route in (bench.direct, *routes)}
        names = [route.name for route in routes]
        print(f"| function | direct call | {' | '.join(names)} | hand-written thunk | hipBLAS -O3 |")
        print(f"|---|{'---:|' * (3 + len(names))}")
        for name, figure in FIGURES.items():
            ns = nanoseconds(children, name)
            cells = [f"{ns['direct']:.2f} ns ({direct[name]:.0f})"]
            cells += [f"{ns[route]:+.2f} ns ({added[route][name]})" for route in names]
            print(f"| {name} | {' | '.join(cells)} | ({figure.thunk}) | ({figure.hipblas}) |")
        routes = [route for route in routes if route.layer == "cublas"]
        direct = bench.instructions(bench.direct, COMPOSED)
        added = {route.name: bench.added(route, direct) for route in routes}
        print(f"\n| composed | direct call | {' | '.join(route.name for route in routes)} |")
        print(f"|---|{'---:|' * (1 + len(routes))}")
        for name in COMPOSED:
            ns = nanoseconds({r: children[r] for r in ("direct", *(route.name for route in routes))}, name)
            cells = [f"{ns['direct']:.2f} ns ({direct[name]:.0f})"]
            cells += [f"{ns[route.name]:+.2f} ns ({added[route.name][name]})" for route in routes]
            print(f"| {name} | {' | '.join(cells)} |")
        for child in children.values():
            child.close()


if __name__ == "__main__":
    sys.exit(main())
