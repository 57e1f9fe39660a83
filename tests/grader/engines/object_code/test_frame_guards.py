"""Guards of a frame become zones that belong to nobody, with the variables next to them."""

from __future__ import annotations

from grader.engines.device_functions import GUARD_NAME
from grader.engines.objects.debug_info import Local, TypeName, zones_of


def local(name: str, begin: int, elements: int, element_bytes: int = 4) -> Local:
    return Local(name, begin, TypeName("int", element_bytes, (elements,)))


def guard(number: int, of: str, begin: int, size: int) -> Local:
    return local(f"{GUARD_NAME}{number}_{of}", begin, size, 1)


def test_guards_side_by_side_are_one_zone_between_two_arrays() -> None:
    low, high = local("low", -100, 2), local("high", -60, 2)
    found = zones_of([high, guard(0, "high", -75, 15), guard(1, "low", -92, 16), low])
    assert [(one.begin, one.end) for one in found] == [(-92, -60)]
    assert (found[0].below, found[0].above) == (low, high)


def test_what_alignment_leaves_free_above_a_guarded_array_belongs_to_the_zone() -> None:
    five = local("five", -80, 5)
    assert [(one.begin, one.end) for one in zones_of([five, guard(0, "five", -48, 16)])] == [(-60, -32)]


def test_a_variable_without_a_guard_of_its_own_keeps_what_is_next_to_it() -> None:
    other = local("other", -52, 1)
    zones = zones_of([other, guard(0, "array", -40, 16)])
    assert [(one.begin, one.end, one.below, one.above) for one in zones] == [(-40, -24, None, None)]
