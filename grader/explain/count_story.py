"""The story of a wrong count of a histogram: which values are counted in a bin that are not its own, which of its own are not, and what the
block passes on. Pure.

A count is an addition to an element by a thread that has just read a value. Where a thread reads several values before it counts, nobody
can tell which it counts: then nothing is known.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from grader.explain.followed_sums import flat_of
from grader.explain.recording import Key, Recording, Telling, asked, told
from grader.explain.story import Story
from grader.model.result import Mismatch
from grader.run.launches.trace_phases import ACCESSES, Step, StepKind, Trace, TracedInput

_MOST_STEPS = 100_000


@dataclass(frozen=True)
class _Read:
    at: int  # by its place in the trace
    flat: int
    value: float


@dataclass(frozen=True)
class _Counted:
    read: _Read
    at: int
    key: Key
    bin: int
    added: float


@dataclass(frozen=True)
class _Passed:
    """An addition to the result of what a thread has read in shared memory."""

    read: int
    at: int
    bin: int
    held: float
    added: float


@dataclass(frozen=True)
class _CountedValues:
    recording: Recording
    given: TracedInput
    output: int  # the number of its array
    bin: int  # the wrong one
    expected: float
    got: float
    reads: tuple[_Read, ...]
    counted: tuple[_Counted, ...]
    passed: tuple[_Passed, ...]


def _counted_values(recording: Recording) -> _CountedValues | None:
    wrong = recording.launch.mismatch
    if wrong is None or not recording.trace.complete or len(recording.steps) > _MOST_STEPS:
        return None
    given = next((one for one in recording.report.inputs if _counts(one, wrong)), None)
    output = recording.number_of(wrong.output)
    if given is None or output is None:
        return None
    walk = _Walk(recording.trace, given, output)
    for at in recording.find(ACCESSES):
        walk.take(at, recording.steps[at])
    known = (one for one in wrong.first if one.got is not None and one.expected is not None)
    if walk.is_unclear or (one := next(known, None)) is None:
        return None
    return _CountedValues(
        recording=recording,
        given=given,
        output=output,
        bin=flat_of(one, wrong),
        expected=one.expected or 0.0,
        got=one.got or 0.0,
        reads=tuple(walk.reads),
        counted=tuple(walk.counted),
        passed=tuple(walk.passed),
    )


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
        self._last: dict[int, _Read] = {}  # of the input, by thread
        self._shared: dict[int, tuple[int, Key, float]] = {}  # what a thread read last in shared memory
        self.reads: list[_Read] = []
        self.counted: list[_Counted] = []
        self.passed: list[_Passed] = []
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
                self._last[thread] = _Read(at, offset // size if size else -1, value)
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
            self.passed.append(_Passed(source[0], at, flat, source[2], value - before))
        elif source is not None and source[1] != key:
            self._is_staged = True
        elif (read := self._last.get(thread)) is not None:
            self.counted.append(_Counted(read, at, key, flat, value - before))


_SHOWN = 6  # values, or additions, of each sort
_TELLING = Telling(
    "Values that a thread reads, and what it counts or adds for each.",
    before=2,
)


@dataclass(frozen=True)
class _Wrong:
    """What is wrong with a count, in words, and the steps that show it."""

    said: str
    steps: tuple[int, ...]
    at: int  # the step that shows it best
    right: str  # the answer of "why is it wrong"


_REASONS = (
    "other values are counted in it",
    "some of its values are not counted in it",
    "something else than 1 is added for a value",
    "what the block has counted is added more than once",
    "what is passed on is not what was counted",
)


def count_story(recording: Recording) -> Story | None:
    found = _counted_values(recording)
    wrong = next(_mistakes(found), None) if found is not None else None
    if found is None or wrong is None:
        return None
    name = f"{recording.trace.arrays[found.output].name}[{found.bin}]"
    often = f"so often the value {found.bin} is in {found.given.name}"
    holds = f"{name} holds {found.got:.9g}, and {found.expected:.9g} belongs there: {often}."
    chosen = recording.with_barriers({*wrong.steps, wrong.at})
    question = asked(
        wrong.at, f"{name} holds {found.got:.9g} and not {found.expected:.9g}. Why?", wrong.right, _REASONS, wrong.said
    )
    return told(
        recording,
        _TELLING,
        chosen,
        title=f"the count in {name}",
        summary=f"{holds} {wrong.said}",
        marks=[recording.remark(wrong.at, wrong.said)],
        questions=[question if wrong.at > chosen[0] else None],
    )


def _mistakes(found: _CountedValues) -> Iterator[_Wrong]:
    """The likeliest first: where all was counted rightly in this block's own bins, what became of them."""
    recording, bin_ = found.recording, found.bin
    counted = [one for one in found.counted if one.bin == bin_]
    if strange := [one for one in counted if one.read.value != bin_]:
        where = f"{recording.name(strange[0].at)} in line {recording.line(strange[0].at)}"
        said = f"{_reads(found, strange[0].read)} and counts it in {where}."
        said += f" {len(strange):,} such values are counted there." if len(strange) > 1 else ""
        yield _Wrong(said, _steps(strange), strange[0].at, _REASONS[0])
    if uneven := [one for one in counted if one.added != 1]:
        where = f"{recording.name(uneven[0].at)} in line {recording.line(uneven[0].at)}"
        said = f"{_reads(found, uneven[0].read)} and adds {uneven[0].added:.9g} to {where}, and not 1."
        yield _Wrong(said, _steps(uneven), uneven[0].at, _REASONS[2])
    own = {id(one.read) for one in counted}
    if lost := [one for one in found.reads if one.value == bin_ and id(one) not in own]:
        place = next((one.at for one in found.counted if one.read is lost[0]), None)
        at = lost[0].at if place is None else place
        said = f"{_reads(found, lost[0])} in line {recording.line(lost[0].at)}"
        said += " and counts it nowhere." if place is None else f" and counts it in {recording.name(place)}."
        said += f" So it is with {len(lost):,} values." if len(lost) > 1 else ""
        others = [one for one in found.counted if recording.steps[one.at][1] != recording.steps[at][1]]
        yield _Wrong(said, (*(one.at for one in lost[:_SHOWN]), *_steps(others[:2])), at, _REASONS[1])
    passes = [one for one in found.passed if one.bin == bin_ and (one.held or one.added)]
    for one in passes:
        if one.held != one.added:
            said = (
                f"Thread {recording.thread(one.at)} reads {recording.name(one.read)}, which is {one.held:.9g}, but adds"
                f" {one.added:.9g} to {recording.name(one.at)} in line {recording.line(one.at)}."
            )
            yield _Wrong(said, (one.read, one.at), one.at, _REASONS[4])
    if len(passes) > 1 and len({recording.key(one.read) for one in passes}) == 1:
        first, one = passes[:2]
        said = (
            f"{recording.name(one.read)} is added to {recording.name(one.at)} {len(passes):,} times in line {recording.line(one.at)}:"
            f" thread {recording.thread(first.at)} does it, then thread {recording.thread(one.at)} does it too."
        )
        yield _Wrong(said, tuple(at for each in passes[:_SHOWN] for at in (each.read, each.at)), one.at, _REASONS[3])


def _reads(found: _CountedValues, read: _Read) -> str:
    given = found.given
    return f"Thread {found.recording.thread(read.at)} reads {given.name}[{read.flat}] = {given.values[read.flat]:.9g}"


def _steps(counted: Sequence[_Counted]) -> tuple[int, ...]:
    return tuple(at for one in counted[:_SHOWN] for at in (one.read.at, one.at))
