"""A wrong count of a histogram: which values of the input a block has counted where, and what it has passed on. Pure.

A count is an addition to an element by a thread that has just read a value. Where a thread reads several values before it counts, nobody
can tell which it counts: then nothing is known.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from grader.model.result import Mismatch
from grader.single_launch.trace_steps import ACCESSES, Step, StepKind, Trace, TracedInput, TraceReport
from grader.value_origins.followed_sums import Key
from grader.value_origins.wanted_inputs import flat_of

_MOST_STEPS = 100_000


@dataclass(frozen=True)
class Read:
    at: int  # by its place in the trace
    flat: int
    value: float


@dataclass(frozen=True)
class Counted:
    read: Read
    at: int
    key: Key
    bin: int
    added: float


@dataclass(frozen=True)
class Passed:
    """An addition to the result of what a thread has read in shared memory."""

    read: int
    at: int
    bin: int
    held: float
    added: float


@dataclass(frozen=True)
class CountedValues:
    trace: Trace
    given: TracedInput
    output: int  # the number of its array
    bin: int  # the wrong one
    expected: float
    got: float
    reads: tuple[Read, ...]
    counted: tuple[Counted, ...]
    passed: tuple[Passed, ...]

    def place(self, read: Read) -> Counted | None:
        return next((one for one in self.counted if one.read is read), None)

    @property
    def strange(self) -> list[Counted]:
        """Counts in this bin of other values."""
        return [one for one in self.counted if one.bin == self.bin and one.read.value != self.bin]

    @property
    def lost(self) -> list[Read]:
        """Values of this bin that a thread reads and does not count in it."""
        own = {id(one.read) for one in self.counted if one.bin == self.bin}
        return [one for one in self.reads if one.value == self.bin and id(one) not in own]

    @property
    def uneven(self) -> list[Counted]:
        """Counts in this bin that add something else than 1."""
        return [one for one in self.counted if one.bin == self.bin and one.added != 1]

    @property
    def passes(self) -> list[Passed]:
        return [one for one in self.passed if one.bin == self.bin]


def counted_values(report: TraceReport) -> CountedValues | None:
    trace, wrong = report.trace, report.launch.mismatch
    if trace is None or wrong is None or not trace.complete or len(trace.steps) > _MOST_STEPS:
        return None
    given = next((one for one in report.inputs if _counts(one, wrong)), None)
    output = next(
        (at for at, one in enumerate(trace.arrays) if (one.name, one.space) == (wrong.output, "global")), None
    )
    if given is None or output is None:
        return None
    walk = _Walk(trace, given, output)
    for at, step in enumerate(trace.steps):
        if step[0] in ACCESSES:
            walk.take(at, step)
    if walk.is_unclear:
        return None
    for one in wrong.first:
        if one.got is not None and one.expected is not None:
            reads, counted, passed = tuple(walk.reads), tuple(walk.counted), tuple(walk.passed)
            flat = flat_of(one, wrong)
            return CountedValues(trace, given, output, flat, one.expected, one.got, reads, counted, passed)
    return None


def _counts(given: TracedInput, wrong: Mismatch) -> bool:
    """Whether each wrong element should hold how often its own number is among the values."""
    if not given.values or not wrong.first or 1 not in {wrong.rows, wrong.columns}:
        return False
    times = Counter(given.values)
    expected = [(flat_of(one, wrong), one.expected) for one in wrong.first]
    return all(value == times[float(flat)] for flat, value in expected) and any(value for _, value in expected)


class _Walk:
    def __init__(self, trace: Trace, given: TracedInput, output: int) -> None:
        self._trace, self._given, self._output = trace, given, output
        self._held: dict[Key, float] = {}  # what an element holds, as far as this block knows
        self._last: dict[int, Read] = {}  # of the input, by thread
        self._shared: dict[int, tuple[int, Key, float]] = {}  # what a thread read last in shared memory
        self.reads: list[Read] = []
        self.counted: list[Counted] = []
        self.passed: list[Passed] = []
        self._is_staged = False  # values come to those who count by way of shared memory

    @property
    def is_unclear(self) -> bool:
        own = {(one.key, one.bin) for one in self.counted}
        keys = [(self._trace.steps[one.read][3:5], one.bin) for one in self.passed if one.held or one.added]
        twice = any(times > 1 for times in Counter(id(one.read) for one in self.counted).values())
        return twice or self._is_staged or any(key not in own for key in keys)

    def take(self, at: int, step: Step) -> None:
        kind, thread, _, array, offset, size, bits, _, _, _ = step
        known = self._trace.arrays[array]
        key, value = (array, offset), known.value(bits, size)
        if kind == StepKind.READ:
            if known.name == self._given.name and known.space == "global":
                self._last[thread] = Read(at, offset // size if size else -1, value)
                self._shared.pop(thread, None)
                self.reads.append(self._last[thread])
            else:
                self._shared[thread] = at, key, value
            return
        before = self._held.get(key, 0.0 if array == self._output else None)
        self._held[key] = value
        source = self._shared.get(thread)
        is_update = kind == StepKind.ATOMIC or (source is not None and source[1] == key)
        if before is None or not is_update:
            return
        flat = offset // size if size else -1
        if array == self._output and source is not None and source[1] != key:
            self.passed.append(Passed(source[0], at, flat, source[2], value - before))
        elif source is not None and source[1] != key:
            self._is_staged = True
        elif (read := self._last.get(thread)) is not None:
            self.counted.append(Counted(read, at, key, flat, value - before))
