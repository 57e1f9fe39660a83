"""The story of a wrong count of a histogram: which values are counted in a bin that are not its own, which of its own are not, and what the
block passes on. Pure.

A count is an addition to an element by a thread that has just read a value. Where a thread reads several values before it counts, nobody
can tell which it counts: then nothing is known.
"""

from __future__ import annotations

from collections import Counter
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

    def place(self, read: _Read) -> _Counted | None:
        return next((one for one in self.counted if one.read is read), None)

    @property
    def strange(self) -> list[_Counted]:
        """Counts in this bin of other values."""
        return [one for one in self.counted if one.bin == self.bin and one.read.value != self.bin]

    @property
    def lost(self) -> list[_Read]:
        """Values of this bin that a thread reads and does not count in it."""
        own = {id(one.read) for one in self.counted if one.bin == self.bin}
        return [one for one in self.reads if one.value == self.bin and id(one) not in own]

    @property
    def uneven(self) -> list[_Counted]:
        """Counts in this bin that add something else than 1."""
        return [one for one in self.counted if one.bin == self.bin and one.added != 1]

    @property
    def passes(self) -> list[_Passed]:
        return [one for one in self.passed if one.bin == self.bin]


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
    if found is None:
        return None
    wrong = _strange(found) or _uneven(found) or _lost(found) or _passed(found)
    if wrong is None:
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


def _value(found: _CountedValues, flat: int) -> str:
    given = found.given
    return f"{given.name}[{flat}] = {given.values[flat]:.9g}"


def _strange(found: _CountedValues) -> _Wrong | None:
    recording = found.recording
    strange = found.strange
    if not strange:
        return None
    one = strange[0]
    where = f"{recording.name(one.at)} in line {recording.line(one.at)}"
    said = f"Thread {recording.thread(one.at)} reads {_value(found, one.read.flat)} and counts it in {where}."
    said += f" {len(strange):,} such values are counted there." if len(strange) > 1 else ""
    steps = tuple(at for other in strange[:_SHOWN] for at in (other.read.at, other.at))
    return _Wrong(said, steps, one.at, _REASONS[0])


def _uneven(found: _CountedValues) -> _Wrong | None:
    recording = found.recording
    uneven = found.uneven
    if not uneven:
        return None
    one = uneven[0]
    said = (
        f"Thread {recording.thread(one.at)} reads {_value(found, one.read.flat)} and adds {one.added:.9g} to {recording.name(one.at)} in"
        f" line {recording.line(one.at)}, and not 1."
    )
    steps = tuple(at for other in uneven[:_SHOWN] for at in (other.read.at, other.at))
    return _Wrong(said, steps, one.at, _REASONS[2])


def _lost(found: _CountedValues) -> _Wrong | None:
    recording = found.recording
    lost = found.lost
    if not lost:
        return None
    one = lost[0]
    said = f"Thread {recording.thread(one.at)} reads {_value(found, one.flat)} in line {recording.line(one.at)}"
    place = found.place(one)
    if place is not None:
        said += f" and counts it in {recording.name(place.at)}."
        at = place.at
    else:
        said += " and counts it nowhere."
        at = one.at
    said += f" So it is with {len(lost):,} values." if len(lost) > 1 else ""
    counted = [other for other in found.counted if recording.steps[other.at][1] != recording.steps[at][1]]
    steps = (
        *(read.at for read in lost[:_SHOWN]),
        *(step for other in counted[:2] for step in (other.read.at, other.at)),
    )
    return _Wrong(said, steps, at, _REASONS[1])


def _passed(found: _CountedValues) -> _Wrong | None:
    """All was counted rightly in this block's own bins: then what became of them."""
    recording = found.recording
    passes = [one for one in found.passes if one.held or one.added]
    different = next((one for one in passes if one.held != one.added), None)
    if different is not None:
        said = (
            f"Thread {recording.thread(different.at)} reads {recording.name(different.read)}, which is {different.held:.9g}, but adds"
            f" {different.added:.9g} to {recording.name(different.at)} in line {recording.line(different.at)}."
        )
        return _Wrong(said, (different.read, different.at), different.at, _REASONS[4])
    if len(passes) > 1 and len({recording.steps[one.read][3:5] for one in passes}) == 1:
        one = passes[1]
        said = (
            f"{recording.name(one.read)} is added to {recording.name(one.at)} {len(passes):,} times in line {recording.line(one.at)}:"
            f" thread {recording.thread(passes[0].at)} does it, then thread {recording.thread(one.at)} does it too."
        )
        steps = tuple(at for other in passes[:_SHOWN] for at in (other.read, other.at))
        return _Wrong(said, steps, one.at, _REASONS[3])
    return None
