"""Copies that are too short: as many bytes as there are elements, or as a pointer has. Their lengths alone prove nothing, so the words of
the call must say the same. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from grader.model.verdicts import Verdict
from grader.run.programs.host_facts import RunFacts, call_at, given_names
from grader.run.programs.host_toolchain import SourceLine
from grader.run.programs.run_record import AllocationRecord, HostRecord, ProgramFinding

_ELEMENTS = (2, 4, 8, 12, 16)  # bytes of one
_POINTER = 8
_MEMORY = re.compile(r"memory#(\d+)")
_OF_A_NAME = re.compile(r"sizeof\s*\(?\s*(?P<name>[A-Za-z_]\w*)\s*\)?")
_LENGTH, _OFFSET = 2, 3  # the places of the bytes in cudaMemcpy, and of the offset in cudaMemcpyToSymbol


def short_fill(found: ProgramFinding, facts: RunFacts) -> str:
    """Of memory that was read and never set: the copy or the fill that ended before. The memory is that which the finding names, or the
    only such one that its launch is given.
    """
    if found.kind != Verdict.UNINITIALIZED_READ:
        return ""
    short = [one for one in facts.record.allocations if one.filled is not None and one.filled.at in facts.places]
    if named := _MEMORY.match(found.array or ""):
        short = [one for one in short if one.index == int(named[1])]
    else:
        given = given_names(facts.places.get(found.at), facts.lines)
        short = [one for one in short if facts.names.name(one.index) in given]
    if len(short) != 1 or short[0].filled is None:
        return ""
    (one,) = short
    line, reached = facts.places[short[0].filled.at].line, short[0].filled.bytes
    return f" Line {line} sets only the first {reached:,} of the {one.bytes:,} bytes of {facts.names.words(one.index)}."


def short_results(facts: RunFacts) -> Iterator[HostRecord]:
    """Results of which only a part is ever copied to the host."""
    for one in facts.record.allocations:
        taken = one.taken
        if taken is None or taken.bytes >= one.bytes or one.kind != "device":
            continue
        statement = call_at(facts.places.get(taken.at), facts.lines, "copy")
        if statement is None or statement.name not in {"cudaMemcpy", "cudaMemcpyAsync"}:
            continue
        length = statement.argument(_LENGTH)
        is_count = (
            "sizeof" not in length
            and any(taken.bytes * element == one.bytes for element in _ELEMENTS)
            and _is_count_of(length, facts.names.place(one.index), facts.lines)
        )
        is_pointer = taken.bytes == _POINTER and _is_of_pointer(length, statement.arguments[0], facts.lines)
        if is_count or is_pointer:
            yield HostRecord.model_validate(
                {"kind": "short-copy", "at": taken.at, "allocation": one.index, "bytes": taken.bytes, "room": one.bytes}
            )


def short_symbols(facts: RunFacts) -> Iterator[HostRecord]:
    """Variables of the device that are copied by their number of elements, or by the size of a pointer."""
    for one in facts.record.allocations:
        for reach, name, symbol_at in ((one.filled, "cudaMemcpyToSymbol", 0), (one.taken, "cudaMemcpyFromSymbol", 1)):
            if one.kind != "variable" or reach is None or reach.bytes >= one.bytes:
                continue
            statement = call_at(facts.places.get(reach.at), facts.lines, "symbol")
            if statement is None or name not in statement.name or statement.argument(_OFFSET) not in {"", "0"}:
                continue
            length, symbol, host = (statement.argument(at) for at in (_LENGTH, symbol_at, 1 - symbol_at))
            is_count = any(reach.bytes * element == one.bytes for element in _ELEMENTS)
            is_count = is_count and _is_extent_of(length, symbol, facts.lines)
            if is_count or (reach.bytes == _POINTER and _is_of_pointer(length, host, facts.lines)):
                numbers = {"at": reach.at, "allocation": one.index, "bytes": reach.bytes, "room": one.bytes}
                yield HostRecord.model_validate({"kind": "short-copy", "write": symbol_at == 0, **numbers})


def _is_extent_of(length: str, symbol: str, lines: Mapping[str, Sequence[str]]) -> bool:
    """Whether the symbol is declared with these words: `float mask[K * K];` or `float mask[K][K];`, and `K * K`."""
    every = "\n".join(line for text in lines.values() for line in text)
    match = re.search(
        rf"__(?:constant|device)__[^;=(){{}}]*\b{re.escape(symbol)}\s*(?P<extents>(?:\[[^\]]*\]\s*)+)", every
    )
    if match is None:
        return False
    extents = re.findall(r"\[([^\]]*)\]", match["extents"])
    return re.sub(r"[\s()]+", "", "*".join(extents)) == re.sub(r"[\s()]+", "", length)


def _is_of_pointer(length: str, to: str, lines: Mapping[str, Sequence[str]]) -> bool:
    """Whether it is the size of the destination's pointer. An array of that name has a size of its own."""
    match = _OF_A_NAME.fullmatch(length)
    if match is None or match["name"] != to.strip():
        return False
    every = "\n".join(line for text in lines.values() for line in text)
    name = re.escape(match["name"])
    return re.search(rf"\*\s*{name}\b", every) is not None and not re.search(rf"\w\s+{name}\s*\[", every)


def _is_count_of(length: str, allocated: SourceLine | None, lines: Mapping[str, Sequence[str]]) -> bool:
    """Whether the allocation multiplies the same words by something, or is given other words: `n` beside `n * sizeof(int)`."""
    statement = call_at(allocated, lines, "allocate")
    if statement is None or len(statement.arguments) < _LENGTH:
        return False
    asked = re.sub(r"\s+", "", statement.arguments[1])
    words = re.sub(r"\s+", "", length)
    return bool(words) and asked != words and ("sizeof" in asked and words in asked)


# Memory with room for too little: as many bytes as there should be elements. The words of its allocation must say the same. Pure.

_INDEX = re.compile(r"\[(\d{1,18})\]$")
_SIZED = re.compile(r"sizeof|\b(?:2|4|8|16)\b|<<|ytes")  # the length may be meant in bytes


def small_room(found: ProgramFinding, facts: RunFacts) -> str:
    """Of an access past the end: the allocation whose length counts elements. Empty where that is not sure."""
    index = _INDEX.search(found.element or "")
    if found.kind != Verdict.OUT_OF_BOUNDS or index is None:
        return ""
    meant = [one for one in _given(found, facts) if int(index[1]) < one.bytes]
    if len(meant) != 1 or (place := facts.places.get(meant[0].at)) is None:
        return ""
    statement = call_at(place, facts.lines, "allocate")
    if statement is None or len(statement.arguments) < 2 or _SIZED.search(statement.arguments[1]):  # noqa: PLR2004 -- the address, and the bytes
        return ""
    return (
        f" Line {place.line} allocates {meant[0].bytes:,} bytes for {facts.names.words(meant[0].index)}: {statement.name} counts bytes, "
        "not elements."
    )


def _given(found: ProgramFinding, facts: RunFacts) -> list[AllocationRecord]:
    """The memory that the finding names, or what its launch is given of that name; else all that it is given."""
    if named := _MEMORY.match(found.array or ""):
        return [one for one in facts.record.allocations if one.index == int(named[1])]
    given = given_names(facts.places.get(found.at), facts.lines)
    passed = [one for one in facts.record.allocations if facts.names.name(one.index) in given]
    return [one for one in passed if facts.names.name(one.index) == found.array] or passed
