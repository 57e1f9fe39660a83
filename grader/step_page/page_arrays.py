"""The arrays and places of a page, from a recorded trace: in which unit their elements are shown, and what they hold at first. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Set  # noqa: PYI025 -- any set
from dataclasses import replace

from grader.single_launch.trace_steps import ACCESSES, CHANGES, Step, Trace, TracedArray
from grader.step_page.story import StoryArray, StoryPlace

_WIDEST = 8  # bytes of the largest number
# Plain numbers: comparing with a member of an enumeration is slow, and a trace has tens of thousands of steps.
_ACCESSES, _CHANGES = frozenset(map(int, ACCESSES)), frozenset(map(int, CHANGES))


def page_arrays(trace: Trace, steps: Iterable[int]) -> tuple[StoryArray, ...]:
    """`steps`: those that the page shows, rising. An array holds at first what was written before the first of them, and, of memory that is
    older than the block, what the shown steps read before anybody has written it.
    """
    shown = list(steps)
    sizes = _sizes(trace.steps)
    initial = _initial(trace, set(shown), shown[0] if shown else 0)
    return tuple(
        replace(_in_units(array, sizes.get(number, set())), initial=initial.get(number, {}))
        for number, array in enumerate(trace.arrays)
    )


def page_places(trace: Trace, file: str, line_of: Mapping[int, int] | None = None) -> tuple[StoryPlace, ...]:
    """`file`: the shown source; other files' lines are not told. `line_of`: its lines, where the traced one has others."""
    lines = line_of or {}
    return tuple(
        StoryPlace(lines.get(one.line, one.line) if one.file == file else 0, one.function, one.calls, one.element)
        for one in trace.places
    )


def unit_array(array: TracedArray, accesses: Iterable[Step]) -> StoryArray:
    """An array of bytes that is only used as floats is shown as floats. One of structs is shown by the smallest access."""
    return _in_units(array, {step[5] for step in accesses})


def _in_units(array: TracedArray, sizes: Set[int]) -> StoryArray:
    is_struct = array.element_bytes > _WIDEST
    size = min(sizes) if len(sizes) == 1 or (sizes and is_struct) else array.element_bytes
    plain = StoryArray(array.name, array.space, array.element, array.element_bytes, array.dimensions, array.base)
    if size == array.element_bytes:
        return plain
    return replace(plain, element="float" if size in {4, 8} else "", element_bytes=size, dimensions=())


def _sizes(steps: Iterable[Step]) -> dict[int, set[int]]:
    """How many bytes accesses inside each array have, by its number."""
    found: dict[int, set[int]] = defaultdict(set)
    for array, size in {(step[3], step[5]) for step in steps if step[0] in _ACCESSES}:
        found[array].add(size)
    return found


def _initial(trace: Trace, shown: Collection[int], start: int) -> dict[int, dict[int, tuple[int, int]]]:
    """By array: the offset of an element to its bits, and how many bytes of it they are."""
    used = {trace.steps[number][3] for number in shown if trace.steps[number][0] in _ACCESSES}
    older = {number for number in used if trace.arrays[number].space != "shared"}
    found: dict[int, dict[int, tuple[int, int]]] = defaultdict(dict)
    written: set[tuple[int, int]] = set()
    for number, (kind, _, _, array, offset, size, bits, _, _, _) in enumerate(trace.steps):
        if kind not in _ACCESSES or array not in used:
            continue
        if kind in _CHANGES:
            written.add((array, offset))
            if number < start:
                found[array][offset] = bits, size
        elif array in older and number in shown and (array, offset) not in written:
            found[array].setdefault(offset, (bits, size))
    return found
