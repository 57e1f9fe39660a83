"""Memory with room for too little: as many bytes as there should be elements. The words of its allocation must say the same. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from grader.model.verdicts import Verdict
from grader.programs.host.host_places import Place
from grader.programs.mistakes.call_statement import call_at, given_names
from grader.programs.mistakes.memory_names import MemoryNames
from grader.programs.mistakes.run_record import AllocationRecord, KernelFinding

_MEMORY = re.compile(r"memory#(\d+)")
_INDEX = re.compile(r"\[(\d{1,18})\]$")
_SIZED = re.compile(r"sizeof|\b(?:2|4|8|16)\b|<<|ytes")  # the length may be meant in bytes


def small_room(
    found: KernelFinding,
    allocations: Sequence[AllocationRecord],
    names: MemoryNames,
    places: Mapping[int, Place],
    lines: Mapping[str, Sequence[str]],
) -> str:
    """Of an access past the end: the allocation whose length counts elements. Empty where that is not sure."""
    index = _INDEX.search(found.element or "")
    if found.kind != Verdict.OUT_OF_BOUNDS or index is None:
        return ""
    meant = [one for one in _given(found, allocations, names, places, lines) if int(index[1]) < one.bytes]
    if len(meant) != 1 or (place := places.get(meant[0].at)) is None:
        return ""
    statement = call_at(place, lines, "allocate")
    if statement is None or len(statement.arguments) < 2 or _SIZED.search(statement.arguments[1]):  # noqa: PLR2004 -- the address, and the bytes
        return ""
    return (
        f" Line {place.line} allocates {meant[0].bytes:,} bytes for {names.words(meant[0].index)}: {statement.name} counts bytes, "
        "not elements."
    )


def _given(
    found: KernelFinding,
    allocations: Sequence[AllocationRecord],
    names: MemoryNames,
    places: Mapping[int, Place],
    lines: Mapping[str, Sequence[str]],
) -> list[AllocationRecord]:
    """The memory that the finding names, or what its launch is given of that name; else all that it is given."""
    if named := _MEMORY.match(found.array or ""):
        return [one for one in allocations if one.index == int(named[1])]
    given = given_names(places.get(found.at), lines)
    passed = [one for one in allocations if names.name(one.index) in given]
    return [one for one in passed if names.name(one.index) == found.array] or passed
