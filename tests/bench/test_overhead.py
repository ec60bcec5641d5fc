"""The instruction gate: what our libraries add to a call, against what AMD's own layer adds.

Both ways lead to stand-ins for AMD's libraries that answer at once (c/stub.c); the loops are the same (c/driver.c).
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from overhead import COMPOSED, FIGURES, Bench, Child, Route, UnavailableError, inclusive
from pytest_benchmark.fixture import BenchmarkFixture

# What it costs that a handle's address is compared before anything is read through it.
SAFETY = 2
# gemmEx looks for the row of its types, and passes on 24 arguments where the aim counts 19.
TYPES = {"gemmEx": 15}
# gcc moves the stack pointer twice, and saves more registers in gemmEx.
GCC = {"gemmEx": 10}


@pytest.fixture(scope="session", params=["zig", pytest.param("cc", marks=pytest.mark.slow)])
def added(request: pytest.FixtureRequest, bench: Bench, direct: dict[str, float]) -> tuple[str, dict[str, int]]:
    """Toolchain, and instructions added to each function."""
    route: Route = request.getfixturevalue(request.param)
    return request.param, bench.added(route, direct)


@pytest.fixture(scope="session")
def composed(zig: Route, bench: Bench, valgrind: None) -> dict[str, int]:
    """Instructions that a block of ours adds to AMD's own calls."""
    return bench.added(zig, bench.instructions(bench.direct, COMPOSED))


@pytest.mark.parametrize("name", COMPOSED)
def test_composed_call_looks_through_no_table(name: str, composed: dict[str, int]) -> None:
    """Such a call goes through the twin that also traces; what is open is not asked for by name, types are found at once."""
    assert composed[name] <= COMPOSED[name]


@pytest.mark.parametrize("name", FIGURES)
def test_call_is_no_longer_than_through_hipblas(name: str, added: tuple[str, dict[str, int]]) -> None:
    toolchain, counts = added
    assert counts[name] <= FIGURES[name].bar, f"{name}, built by {toolchain}"


@pytest.mark.parametrize("name", FIGURES)
def test_call_is_near_a_thunk_written_by_hand(name: str, added: tuple[str, dict[str, int]]) -> None:
    """The aim. zig makes what we ship; gcc is let off some instructions."""
    toolchain, counts = added
    slack = SAFETY + TYPES.get(name, 0) + (GCC.get(name, 4) if toolchain == "cc" else 0)
    assert counts[name] <= FIGURES[name].aim + slack


def test_direct_call_is_what_the_loop_says(direct: dict[str, float]) -> None:
    """A loop that a compiler took apart would make all figures above meaningless."""
    assert all(8 < count < 40 for count in direct.values())


def test_profile_is_read() -> None:
    text = "events: Ir\n\nfl=a.c\nfn=loop_x\n10 5\n+1 2\ncfn=callee\ncalls=3 20\n11 300\n\nfn=callee\n20 300\n\ntotals: 307\n"
    assert inclusive(text.replace("+1", "11")) == {"loop_x": 307, "callee": 300}


@pytest.mark.slow
@pytest.mark.network
def test_call_beats_the_hipblas_that_debian_ships(bench: Bench, zig: Route, direct: dict[str, float]) -> None:
    try:
        theirs = bench.added(bench.hipblas(), direct)
    except UnavailableError as reason:
        pytest.skip(str(reason))
    ours = bench.added(zig, direct)
    assert [name for name in FIGURES if ours[name] > theirs[name]] == []


@pytest.fixture(scope="module", params=["direct", "zig", pytest.param("cc", marks=pytest.mark.slow)])
def child(request: pytest.FixtureRequest, bench: Bench) -> Iterator[Child]:
    route = bench.direct if request.param == "direct" else request.getfixturevalue(request.param)
    child = bench.start(route)
    yield child
    child.close()


@pytest.mark.parametrize("name", FIGURES)
def test_nanoseconds(name: str, child: Child, benchmark: BenchmarkFixture) -> None:
    """Ten thousand calls a round; the rows of a group differ by what a layer adds. No limit: clocks differ."""
    benchmark.group = name
    benchmark.pedantic(child.run, args=(name, 10000), rounds=25, warmup_rounds=2)
