"""The AMD functions that hand-written blocks call have the parameters that AMD's headers give them, under AMD's names."""

from __future__ import annotations

import facts
import pytest
from dragoman.tables.amd import load_calls
from dragoman.tables.model import backend_of

CALLS = load_calls()
HEADERS = {**facts.ROCM, "hip": ("6.3.0",)}
IN_NO_HEADER = {
    "hipblasLtDragomanProduct": "the CPU backend's own",
    "hipblasLtDragomanTransform": "the CPU backend's own",
    "hipEventRecordWithFlags": "newer than the header",
    **{f"rocsolver_{t}geqrf_ptr_batched": "exported, but declared nowhere" for t in "sdcz"},
}


@pytest.mark.tables
@pytest.mark.parametrize("name", sorted(CALLS))
def test_parameters_are_named_as_amd_names_them(name: str) -> None:
    call = CALLS[name]
    library = backend_of(name)
    releases = [facts.rocm_functions(library, version) for version in HEADERS[library]]
    declared = next((release[name] for release in reversed(releases) if name in release), None)
    if declared is None:
        assert name in IN_NO_HEADER, f"{call.node.where}: no release of {library} declares {name}"
        return
    assert name not in IN_NO_HEADER
    assert call.result == declared.result, call.node.where
    ours, theirs = [n for _, n in call.params], [p.name for p in declared.params]
    assert ours == theirs, f"{call.node.where}: expected {declared.prototype}"
