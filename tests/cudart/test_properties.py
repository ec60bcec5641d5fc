"""The table of device properties against the layouts, attributes and HIP numbers that the type tables have."""

from __future__ import annotations

import re

import pytest
from dragoman.paths import package_dir
from dragoman.tables.types import load_types

pytestmark = pytest.mark.tables
TEXT = (package_dir() / "compose" / "cudart" / "properties.h").read_text(encoding="utf-8")
ATTRIBUTE = re.compile(r"\[(\d+)\] = \{(\w+), (\w+)\}, /\* cudaDevAttr(\w+) \*/")
PROPERTY = re.compile(r"\{\{(-?\d+), (-?\d+), (-?\d+)\}, (\d), (\d+)\}, /\* (\w+)(?:\[(\d+)\])? \*/")
MAJORS = (11, 12, 13)


def test_attributes_have_cudas_numbers() -> None:
    known: dict[str, int] = {}
    for major in MAJORS:
        known |= load_types().for_version(major).constants("cudaDeviceAttr")
    rows = ATTRIBUTE.findall(TEXT)
    assert {f"cudaDevAttr{name}": int(number) for number, _, _, name in rows}.items() <= known.items()
    numbers = {int(number) for number, _, _, _ in rows}
    named = {v for k, v in known.items() if not re.search(r"Reserved\d+$|Max$", k)}
    assert numbers == named


def test_attributes_ask_for_hips() -> None:
    """A HIP number belongs to an attribute of the same name, give or take HIP's spelling."""
    hip = {v: k for k, v in load_types().for_version(13).constants("hipDeviceAttribute_t").items()}
    for _, how, number, name in ATTRIBUTE.findall(TEXT):
        if how == "CUDART_HIP":
            theirs = hip[int(number)].removeprefix("hipDeviceAttribute")
            assert _plain(name) in _plain(theirs) or _plain(theirs) in _plain(name) or name in SPELLED, (name, theirs)


# Names that HIP spells otherwise.
SPELLED = {
    "GpuOverlap": "DeviceOverlap",
    "GlobalMemoryBusWidth": "MemoryBusWidth",
    "MaxTexture3DWidthAlt": "MaxTexture3DAlt",
    "MaxSharedMemoryPerBlockOptin": "SharedMemPerBlockOptin",
    "MaxPersistingL2CacheSize": "PersistingL2CacheMaxSize",
    "MaxAccessPolicyWindowSize": "AccessPolicyMaxWindowSize",
    "ReservedSharedMemoryPerBlock": "ReservedSharedMemPerBlock",
}


def _plain(name: str) -> str:
    return name.lower().replace("mipmapped", "mipmap").removesuffix("width")


@pytest.mark.parametrize("major", MAJORS)
def test_properties_lie_where_the_layout_says(major: int) -> None:
    view = load_types().for_version(major)
    layout = view.layout("cudaDeviceProp")
    places = {place.path: place for place in layout.places if "." not in place.path}
    seen: set[str] = set()
    for *offsets, size, _, name, index in PROPERTY.findall(TEXT):
        offset = int(offsets[MAJORS.index(major)])
        if offset < 0:
            assert name not in places
            continue
        seen.add(name)
        assert offset == places[name].offset + int(size) * int(index or 0), name
    own = {"name", "uuid", "luid", "luidDeviceNodeMask", "totalGlobalMem", "unifiedFunctionPointers", "reserved"}
    assert set(places) - seen <= own
