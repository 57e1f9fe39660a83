"""Which elements of an input belong in an element of the result: read off what is expected of the wrong elements. Pure.

Only what fits every wrong element that is told is believed. Nothing here knows a lab.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from grader.model.result import Mismatch, WrongElement
from grader.single_launch.trace_steps import TracedInput

_NEAR = 1e-6  # of a sum, relative to the sizes of what is added
_MOST = 1 << 16
_FEWEST = 2  # a single element of many might be anything


@dataclass(frozen=True)
class Belonging:
    """`of(flat)`: the elements of the input whose sum belongs in the result's element, as a range."""

    given: TracedInput
    of: Callable[[int], range]

    def words(self, flat: int) -> str:
        """`in[0] to in[39]`."""
        one = self.of(flat)
        first, last = (self.name(at) for at in (one.start, max(one.start, one.stop - 1)))
        return first if len(one) == 1 else f"{first} to {last}" if len(one) else f"nothing of {self.given.name}"

    def name(self, flat: int) -> str:
        return element_of(self.given, flat)


def element_of(given: TracedInput, flat: int) -> str:
    if 0 < given.columns < len(given.values):
        return f"{given.name}[{flat // given.columns}][{flat % given.columns}]"
    return f"{given.name}[{flat}]"


def summed_inputs(inputs: Sequence[TracedInput], wrong: Mismatch) -> Belonging | None:
    """The sum of all, of each row, or of all up to this one, with it or without: the only one of these that fits."""
    expected = [one for one in wrong.first if one.expected is not None]
    if not expected:
        return None
    found = [one for one in _possible(inputs, wrong) if all(_fits(one, element, wrong) for element in expected)]
    ranges = {tuple((one.given.name, one.of(flat_of(element, wrong))) for element in expected) for one in found}
    return found[0] if len(ranges) == 1 else None


def flat_of(element: WrongElement, wrong: Mismatch) -> int:
    return element.row * wrong.columns + element.column


def _possible(inputs: Sequence[TracedInput], wrong: Mismatch) -> Iterator[Belonging]:
    size = wrong.rows * wrong.columns
    for given in inputs:
        count = len(given.values)
        if not _FEWEST <= count <= _MOST:
            continue
        if size == 1:
            yield Belonging(given, partial(_row, count))
        elif size == count:
            yield Belonging(given, lambda flat: range(flat + 1))
            yield Belonging(given, range)
        elif given.columns > 1 and size * given.columns == count:
            yield Belonging(given, partial(_row, given.columns))


def _row(columns: int, flat: int) -> range:
    return range(flat * columns, (flat + 1) * columns)


def _fits(belonging: Belonging, element: WrongElement, wrong: Mismatch) -> bool:
    values = [belonging.given.values[at] for at in belonging.of(flat_of(element, wrong))]
    return abs(math.fsum(values) - (element.expected or 0.0)) <= _NEAR * math.fsum(map(abs, values))


def copied_input(inputs: Sequence[TracedInput], wrong: Mismatch) -> tuple[TracedInput, dict[int, int]] | None:
    """Where each element of the result is a copy of one of an input: of the wrong ones that are told, which one belongs there. Only where
    no other element of the input has that value.
    """
    expected = {flat_of(one, wrong): one.expected for one in wrong.first if one.expected is not None}
    for given in inputs:
        if len(given.values) != wrong.rows * wrong.columns or len(given.values) > _MOST or len(expected) < _FEWEST:
            continue
        times = Counter(given.values)
        if not all(value in times for value in expected.values()):
            continue
        places = {value: at for at, value in enumerate(given.values)}
        found = {flat: places[value] for flat, value in expected.items() if value is not None and times[value] == 1}
        if len(found) >= _FEWEST and len(set(found.values())) == len(found):
            return given, found
    return None
