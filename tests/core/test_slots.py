"""Handle slots: whatever a program passes as a handle is told apart from a living one, and memory does not grow."""

from __future__ import annotations

from typing import Any

import pytest

SLOTS = 65536


def test_what_is_no_handle(bench: Any) -> None:
    """NULL, foreign memory, addresses inside and around the slots: none is followed, none is taken for a handle."""
    ran = bench.run(
        """
core = core_of(SET + "/libdragoman_core.so.1")
slot = core.slot_new(BLAS)
other = core.slot_new(BLAS)
base = slot  # the first one of the process
end = base + 65536 * 256
own = c.create_string_buffer(b"BLAS" * 64)
bad = [0, 1, 0x1234, 2**64 - 1, 2**63, slot + 1, slot + 4, slot + 255, end - 1, end - 4, end - 256, end, end + 4095,
       base - 1, base - 256, c.addressof(own)]
wrong = [hex(b) for b in bad if core.slot_check(b, BLAS) != BAD]
states = [core.slot_check(slot, BLAS), core.slot_check(other, BLAS), core.slot_check(slot, BLAS + 1),
          core.slot_check(slot, 0), core.slot_check(slot, 1)]
core.slot_free(slot)
states += [core.slot_check(slot, BLAS), core.slot_check(slot, 0), core.slot_check(other, BLAS)]
for b in bad:
    core.slot_free(b)       # nothing happens
    core.slot_retire(b, BLAS)
print(json.dumps([wrong, states, core.slot_new(0), core.slot_new(1)]))
"""
    )
    wrong, states, none, reserved = ran.value
    assert wrong == []
    assert states == [0, 0, 1, 1, 1, 1, 1, 0]
    assert none is None
    assert reserved is None


def test_range_can_be_read_to_its_last_byte(bench: Any) -> None:
    """The short check reads four bytes wherever in the range a handle points: also one byte before its end."""
    ran = bench.run(
        """
core = core_of(SET + "/libdragoman_core.so.1")
base = core.slot_new(BLAS)
end = base + 65536 * 256
print(json.dumps([c.c_uint32.from_address(end - i).value for i in (1, 2, 3, 4, 256)]))
"""
    )
    assert ran.value == [0] * 5


def test_new_slots_are_zeroed(bench: Any) -> None:
    ran = bench.run(
        """
core = core_of(SET + "/libdragoman_core.so.1")
seen = set()
dirty = 0
for i in range(5000):
    slot = core.slot_new(BLAS)
    text = c.string_at(slot, 256)
    dirty += text[:4] != BLAS.to_bytes(4, "little") or any(text[4:])
    c.memset(slot + 4, 0xee, 252)
    core.slot_free(slot)
    dirty += c.c_uint32.from_address(slot).value != 0
    seen.add(slot)
print(json.dumps([dirty, len(seen)]))
"""
    )
    dirty, seen = ran.value
    assert dirty == 0
    assert seen < 1100  # they are reused: a quarter of a MiB is all that it ever takes


def test_freed_slots_rest_and_come_back_oldest_first(bench: Any) -> None:
    ran = bench.run(
        """
core = core_of(SET + "/libdragoman_core.so.1")
freed = [core.slot_new(BLAS) for _ in range(1500)]
for slot in freed:
    core.slot_free(slot)
back = [core.slot_new(BLAS) for _ in range(476)]       # 1024 are left to rest
fresh = core.slot_new(BLAS)
print(json.dumps([back == freed[:476], fresh in freed]))
"""
    )
    assert ran.value == [True, False]


def test_all_slots_in_use(bench: Any) -> None:
    """The 65,537th handle is refused with one line; once some are freed, more can be had, resting or not."""
    ran = bench.run(
        """
core = core_of(SET + "/libdragoman_core.so.1")
slots = [core.slot_new(BLAS) for _ in range(65536)]
refused = [core.slot_new(BLAS) for _ in range(3)]
for slot in slots[:3]:
    core.slot_free(slot)
again = [core.slot_new(BLAS) for _ in range(4)]
print(json.dumps([len(set(slots)), None in slots, refused, again == slots[:3] + [None]]))
"""
    )
    assert ran.value == [SLOTS, False, [None] * 3, True]
    assert ran.codes == ["D018"]


def test_a_slot_is_freed_once(bench: Any) -> None:
    """Retiring succeeds for one caller; a second free does not put the slot up twice."""
    ran = bench.run(
        """
core = core_of(SET + "/libdragoman_core.so.1")
slot = core.slot_new(BLAS)
answers = [core.slot_retire(slot, BLAS), core.slot_check(slot, BLAS), core.slot_retire(slot, BLAS)]
core.slot_free(slot)
core.slot_free(slot)
new = [core.slot_new(BLAS) for _ in range(65540)]
print(json.dumps([answers, len(set(new) - {None}), new.count(None)]))
"""
    )
    assert ran.value == [[0, 1, 1], SLOTS, 4]


@pytest.mark.parametrize("arguments", [("cycles", "10000"), ("threads", "8", "1500"), ("first", "8")])
def test_handles_come_and_go(bench: Any, arguments: tuple[str, ...]) -> None:
    """Created, used, destroyed and used again after that, 10,000 times; and by eight threads, mistakes included."""
    ran = bench.command(bench.driver, arguments[0], bench.fake, *arguments[1:], DRAGOMAN_BACKEND="cpu")
    assert (ran.code, ran.out, ran.err) == (0, "ok\n", "")
