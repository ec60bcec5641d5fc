"""The judge "AMD's host code" without AMD's libraries: the CPU backend's rocBLAS stands in their place on the fake HIP runtime.

What it cannot show, that AMD's code launches a kernel, `dragoman amd-host` shows; its last results are in the package.
"""

from __future__ import annotations

import re
import shutil
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from dragoman import cli
from dragoman.amdhost import judge, results
from dragoman.amdhost.behaviours import BEHAVIOURS
from dragoman.amdhost.child import plain_start
from dragoman.amdhost.log import Event, Kind, astray
from dragoman.amdhost.releases import ASKED, BY_NAME, RELEASES
from dragoman.coverage import collect
from dragoman.tables.loader import load

pytestmark = [
    pytest.mark.parity,
    pytest.mark.skipif(sys.platform != "linux", reason="the fake HIP runtime stands in for ROCm's Linux libraries"),
]
FEW = (
    "cublasSgemm_v2",
    "cublasDsyrk_v2",
    "cublasSaxpy_v2",
    "cublasCdotc_v2",
    "cublasGemmEx",
    "cublasGemmGroupedBatchedEx",
)


@pytest.fixture(scope="module")
def options(folder: Path) -> judge.Options:
    return judge.Options(subject=folder, functions=FEW, examples=3)


@pytest.fixture(scope="module")
def stand_in(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A backend folder: the fake HIP runtime, and the CPU backend's rocBLAS behind the watch."""
    return behind(folder, "cublas", tmp_path_factory.mktemp("amd-host"))


def behind(folder: Path, library: str, out: Path) -> Path:
    release = RELEASES[-1]
    files = {folder.parent / "cpu" / a.parts[release.name].file: a for a in ASKED[library].libraries()}
    return judge.backend(out, release, files)


def test_cudnn_calls_and_checks(folder: Path, tmp_path: Path) -> None:
    """cuDNN's calls, over the CPU backend's MIOpen in AMD's place."""
    few = ("cudnnActivationForward", "cudnnConvolutionForward", "cudnnRNNForward")
    options = judge.Options(subject=folder, library="cudnn", functions=few, examples=3)
    place = behind(folder, "cudnn", tmp_path)
    config = judge._config(options, place / RELEASES[-1].hip_file)
    run = judge._Run(plain_start(place), config, judge.chosen(load(), options), options, None)
    run.all()
    assert set(run.found) == set(few)
    for outcome in run.found.values():
        assert outcome.calls >= 3
        assert (outcome.refused, outcome.wrong, outcome.rules) == ([], [], []), outcome.name
        assert outcome.amd, f"{outcome.name} never reached MIOpen"
    # MIOpen refuses every size of a network that was set by _V2 without a dropout descriptor
    assert "miopenSetRNNDescriptor" in run.found["cudnnRNNForward"].amd


def test_cudnn_was_asked() -> None:
    """What AMD's real MIOpen said last; what it refuses is in the record, and is no confirmation."""
    record = results.recorded("cudnn", "7.2")
    assert record is not None
    assert record.title == "MIOpen"
    assert sum(o.launched for o in record.outcomes) > 300
    right = {o.name for o in record.outcomes if o.state == "pass"}
    assert {"cudnnConvolutionForward", "cudnnPoolingForward", "cudnnSoftmaxForward"} <= right
    functions = [f for f in load().functions("cudnn", 9) if f.name == "cudnnConvolutionForward"]
    assert collect.amd_host(functions)["cudnnConvolutionForward"].confirmation.version == f"MIOpen {record.version}"


def test_behaviours(options: judge.Options, stand_in: Path) -> None:
    """Handles, streams, devices, capture: nothing is asked of HIP that must not be."""
    config = judge._config(options, stand_in / RELEASES[-1].hip_file)
    wrong = judge._behaviours(plain_start(stand_in), config, options)
    assert set(wrong) == set(BEHAVIOURS)
    assert not {name: lines for name, lines in wrong.items() if lines}


def test_calls_and_checks(options: judge.Options, stand_in: Path) -> None:
    config = judge._config(options, stand_in / RELEASES[-1].hip_file)
    run = judge._Run(plain_start(stand_in), config, judge.chosen(load(), options), options, None)
    run.all()
    assert set(run.found) == set(FEW)
    for outcome in run.found.values():
        assert outcome.calls >= 3
        assert outcome.checks > 10 or "Ex" in outcome.name or "Grouped" in outcome.name
        assert (outcome.refused, outcome.wrong, outcome.rules, outcome.notes) == ([], [], [], []), outcome.name
        assert outcome.amd, f"{outcome.name} never reached rocBLAS"
        assert outcome.devices == 2


def test_work_on_another_device_is_told() -> None:
    def event(kind: Kind, device: int, home: int, name: str) -> Event:
        return Event(kind, device, False, home, 0, 0, 0, name)

    right = [event(Kind.LAUNCH, 1, 1, "k"), event(Kind.ALLOC, 1, -1, "hipMalloc"), event(Kind.WAIT, 1, -1, "wait")]
    assert astray(right, 1) == []
    wrong = [event(Kind.LAUNCH, 1, 0, "k"), event(Kind.ALLOC, 0, -1, "hipMalloc")]
    assert astray(wrong, 1) == [
        "k on device 0, the handle is device 1's",
        "hipMalloc on device 0, the handle is device 1's",
    ]


@pytest.mark.parametrize("release", sorted(BY_NAME))
def test_the_last_results_are_kept(release: str) -> None:
    record = results.recorded("cublas", release)
    assert record is not None
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", record.date)
    assert record.version
    assert len(record.outcomes) > 600
    assert record.ok, record.summary()
    handles = [o for o in record.outcomes if o.calls and not o.refused and o.devices]
    assert len(handles) > 470  # all but those of the first API, which has one handle


def test_coverage_shows_what_has_not_changed_since(monkeypatch: pytest.MonkeyPatch) -> None:
    tables = load()
    functions = [f for f in tables.functions("cublas", 12) if f.name in FEW]
    said = collect.amd_host(functions)
    assert set(said) == set(FEW)
    newest = results.recorded("cublas", RELEASES[-1].name)
    assert newest is not None
    assert said["cublasSgemm_v2"].confirmation.version == f"rocBLAS {newest.version}"
    changed = {
        r.name: replace(found, entries=dict.fromkeys(found.entries, "another"))
        for r in RELEASES
        if (found := results.recorded("cublas", r.name))
    }
    monkeypatch.setattr(results, "recorded", lambda _, release: changed.get(release))
    assert collect.amd_host(functions) == {}


def test_the_host_form_is_not_asked(options: judge.Options) -> None:
    """cuBLASXt goes its own way between streams and allocations; what it calls is asked under the plain names."""
    asked = judge.chosen(load(), replace(options, functions=("*gemm*",)))
    assert {f.form.base for f in asked} == {"plain", "v2", "v1"}


def test_a_release_that_is_none(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.call(["amd-host", "9.9"]) == 2
    assert capsys.readouterr().err == "dragoman: no release '9.9' is known; expected 5.5, 6.4, 7.2\n"


def test_without_apt(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from dragoman.amdhost.debian import UnavailableError, mirror

    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UnavailableError, match="this system has no apt-get"):
        mirror()


@pytest.mark.skipif(not shutil.which("apt-get"), reason="this system has no apt-get")
def test_archive_that_does_not_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a network: what could not be fetched is named, and no package is said not to be in Debian."""
    from dragoman.amdhost import debian

    monkeypatch.setattr(debian, "mirror", lambda: "http://127.0.0.1:9/debian")
    with pytest.raises(debian.UnavailableError, match=r"apt-get: E: Failed to fetch http://127\.0\.0\.1:9/debian/"):
        debian.Archive(tmp_path, ("sid",))
