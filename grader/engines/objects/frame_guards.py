"""Where the guards around local variables lie in the frames of functions (see `local_guards.py`), from the debug information."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from operator import itemgetter

from grader.engines.objects.entry_walk import (
    FRAME,
    Die,
    TypeName,
    function_around,
    location_of,
    origin_of,
    text_of,
    type_of,
)

GUARD_NAME = "tilelab_guard_"
# DW_OP_call_frame_cfa; the frame pointer of x86-64. Bytes from the frame pointer.
_FRAME_BASES = {b"\x9c": 16, b"\x56": 0}
_ALIGNMENT_GAP, _STRICTEST_ALIGNMENT = 16, 64  # of guards, and of variables in the frames that can be proved
_MOST_BYTES = 4096
# What a thread can keep in registers: in one variable, in a frame. So small variables are not looked at: nvcc chooses between their values.
_REGISTER_BYTES, _MOST_REGISTER_BYTES, _SMALL_BYTES = 255 * 4, 4 * 255 * 4, 28
_MOST_MEMBERS = 8  # inside each other


@dataclass(frozen=True)
class Local:
    """A variable of a frame."""

    name: str
    begin: int  # from the frame pointer
    kind: TypeName
    line: int = 0  # of its declaration
    last: Local | None = None  # of an object: the array at its end

    @property
    def bytes(self) -> int:
        return math.prod(self.kind.dimensions) * self.kind.bytes

    @property
    def end(self) -> int:
        return self.begin + self.bytes

    @property
    def is_guard(self) -> bool:
        return self.name.startswith(GUARD_NAME)


@dataclass(frozen=True)
class Zone:
    """Bytes of a frame that belong to nobody, from `begin` to `end` as seen from the frame pointer."""

    begin: int
    end: int
    below: Local | None  # the guarded variable that ends where it begins, or the array at its end
    above: Local | None  # the one that begins where it ends


@dataclass
class Frame:
    """Of one function."""

    first: int
    end: int
    base: int | None
    dies: list[Die] = field(default_factory=list)  # of its variables

    def zones(self) -> list[Zone]:
        return zones_of(self.locals)

    def extents(self) -> list[tuple[int, int]]:
        """Where its variables lie, from their first bytes to behind their last ones."""
        return [(one.begin, one.end) for one in self.locals if 0 < one.bytes <= _MOST_BYTES and not one.is_guard]

    @cached_property
    def large(self) -> list[Local]:
        return [one for one in self.locals if one.bytes > _SMALL_BYTES and not one.is_guard]

    def in_memory(self, at_run_time: Mapping[str, Sequence[tuple[int, int]]]) -> list[Local]:
        """The variables that a GPU keeps in local memory: they are larger than its registers, or subscripts are known only at run time.
        `at_run_time`: see `local_arrays.Spans`.
        """

        def is_held(one: Local) -> bool:
            spans = at_run_time.get(one.name, ())
            before = bisect_left(spans, (one.line + 1,))
            return before > 0 and spans[before - 1][1] >= one.line

        found = [one for one in self.large if one.bytes > _REGISTER_BYTES or is_held(one)]
        left = sum(one.bytes for one in self.large) - sum(one.bytes for one in found)
        return self.large if left > _MOST_REGISTER_BYTES else found

    @cached_property
    def locals(self) -> list[Local]:
        """To be asked for when all have been added."""
        return [one for one in map(self._local, self.dies) if one is not None]

    def _local(self, die: Die) -> Local | None:
        where, offset = location_of(die)
        if where != FRAME or self.base is None:
            return None
        name, begin, origin = _name(die), offset + self.base, origin_of(die)
        line = origin.attributes.get("DW_AT_decl_line")
        kind = type_of(origin)
        return Local(name, begin, kind, line.value if line else 0, _last_array(name, begin, origin))


def frame_of(die: Die, first: int, end: int, machine: str) -> Frame:
    """Of a function's entry. Nothing is known of its variables where the frame is laid out in a way that we do not know."""
    if machine != "x64":
        return Frame(first, end, None)
    base = die.attributes.get("DW_AT_frame_base")
    known = bytes(base.value) if base is not None and base.form == "DW_FORM_exprloc" else b""
    return Frame(first, end, _FRAME_BASES.get(known))


def add_local(frames: Sequence[Frame], variable: Die) -> None:
    """To the frame of the function in whose entry the variable's lies."""
    owner = function_around(variable)
    first = owner.attributes.get("DW_AT_low_pc") if owner is not None else None
    frame = next((one for one in reversed(frames) if first is not None and one.first == first.value), None)
    if frame is not None:
        frame.dies.append(variable)


def zones_of(variables: Sequence[Local]) -> list[Zone]:
    """Neighbouring guards are one zone. What alignment leaves free between a variable and the guard above it belongs to the zone."""
    found = list[Zone]()
    ordered = sorted((one for one in variables if one.bytes > 0), key=lambda one: one.begin)
    guarded = {_guarded_by(one) for one in ordered if one.is_guard}
    for index, guard in enumerate(ordered):
        if not guard.is_guard:
            continue
        before = ordered[index - 1] if index else None
        after = ordered[index + 1] if index + 1 < len(ordered) else None
        begin = guard.begin
        if before is not None and 0 <= guard.begin - before.end < _gap(before, guard):
            begin = before.end
        above = after if after and not after.is_guard and after.begin == guard.end and after.name in guarded else None
        if found and before is not None and before.is_guard and begin == found[-1].end:
            found[-1] = Zone(found[-1].begin, guard.end, found[-1].below, above)
        else:
            below = (
                before if before and not before.is_guard and begin == before.end and before.name in guarded else None
            )
            found.append(Zone(begin, guard.end, (below.last or below) if below else None, above))
    return found


def _guarded_by(guard: Local) -> str:
    return guard.name.removeprefix(GUARD_NAME).partition("_")[2].removesuffix("_")


def _gap(before: Local, guard: Local) -> int:
    """Less than so many bytes between the two are there for alignment: the guard above a variable is declared just before it."""
    if before.is_guard:
        return _ALIGNMENT_GAP
    return _STRICTEST_ALIGNMENT if before.name == _guarded_by(guard) else 0


def _last_array(name: str, begin: int, die: Die) -> Local | None:
    """`rows.items`, if the type of `rows` ends with that array."""
    for _ in range(_MOST_MEMBERS):
        if type_of(die).dimensions or (struct := _struct_of(die)) is None:
            break
        members = [one for one in struct.iter_children() if one.tag == "DW_TAG_member"]
        places = [one.attributes.get("DW_AT_data_member_location") for one in members]
        if not members or any(place is None or not isinstance(place.value, int) for place in places):
            break
        offset, die = max(zip((one.value for one in places if one), members, strict=True), key=itemgetter(0))
        name, begin = f"{name}.{text_of(die, 'DW_AT_name') or ''}", begin + offset
        if type_of(die).dimensions and not name.endswith("."):
            return Local(name, begin, type_of(die))
    return None


def _struct_of(die: Die) -> Die | None:
    """The entry of the class that the variable is an object of."""
    for _ in range(_MOST_MEMBERS):
        if "DW_AT_type" not in die.attributes:
            return None
        die = die.get_DIE_from_attribute("DW_AT_type")
        if die.tag in {"DW_TAG_structure_type", "DW_TAG_class_type"}:
            return die
        if die.tag not in {"DW_TAG_typedef", "DW_TAG_const_type", "DW_TAG_volatile_type"}:
            return None
    return None


def _name(die: Die) -> str:
    return text_of(origin_of(die), "DW_AT_name") or ""
