"""The stories of an element that should be a copy or a count: which value it holds, which belongs there, and where both are. Pure.

In a copy two indices meet: where a thread puts what it loads, and where it takes what it stores. The page shows both with their numbers.
It is told only where values say it without doubt: no two elements of the input that matter here are alike.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field

from grader.explain.followed_sums import copied_input, element_of, flat_of
from grader.explain.recording import Key, Recording, Shown, asked, told
from grader.explain.story import Mark, Question, Story
from grader.model.result import Mismatch
from grader.run.launches.trace_phases import ACCESSES, CHANGES, StepKind, TracedInput

_READS = frozenset({StepKind.READ})


@dataclass(frozen=True)
class _Copied:
    """Steps by their places in the trace."""

    recording: Recording
    given: str  # the input
    output: str
    element: str  # "out[0][1]"
    got: str  # "in[0][1]": what it holds a copy of
    right: str  # "in[1][0]": what belongs there
    expected: float
    store: int
    read: int  # what the thread read last of that value
    held: int | None  # the write that put it there; None: the thread read it from the input itself
    right_held: int | None  # the write of the right value that is in that array at that moment
    right_load: int | None  # the first read of the right element in this block


def copy_story(recording: Recording) -> Story | None:
    copied = _copied_element(recording)
    if copied is None:
        return None
    loaded = recording.index.loaded
    chosen = {copied.read, copied.store}
    for write in (copied.held, copied.right_held):
        chosen |= {write, loaded[write]} if write is not None else set()
    chosen |= {copied.right_load} if copied.right_load is not None else set()
    return told(
        Shown(
            recording,
            recording.with_barriers(chosen),
            "How the value got there, how the right one got where it is, and what the thread takes.",
            before=1,
        ),
        title=f"the value in {copied.element}",
        summary=f"{_stores(copied)} {_took(copied)} {_where(copied)}",
        marks=_marks(copied),
        questions=_questions(copied, is_first=copied.read == min(chosen)),
    )


def _copied_element(recording: Recording) -> _Copied | None:
    """Of the first wrong element that this block has stored."""
    wrong = recording.launch.mismatch
    if wrong is None or (copied := copied_input(recording.report.inputs, wrong)) is None:
        return None
    given, belongs = copied
    times = Counter(given.values)
    places = {value: at for at, value in enumerate(given.values) if times[value] == 1}
    for one in wrong.first:
        flat = flat_of(one, wrong)
        if flat not in belongs or one.got not in places:
            continue
        store = _last_store(recording, wrong.output, flat)
        read = _read_of_value(recording, store) if store is not None else None
        if store is None or read is None or recording.value(store) != one.got:
            continue
        held = recording.index.writer.get(read) if recording.is_shared(read) else None
        source = (
            read if not recording.is_shared(read) else recording.index.loaded.get(held) if held is not None else None
        )
        if source is None or (recording.array(source).name, recording.flat(source)) != (given.name, places[one.got]):
            continue
        right = belongs[flat]
        return _Copied(
            recording=recording,
            given=given.name,
            output=wrong.output,
            element=f"{wrong.output}[{one.row}][{one.column}]" if wrong.rows > 1 else f"{wrong.output}[{one.column}]",
            got=element_of(given, places[one.got]),
            right=element_of(given, right),
            expected=one.expected or 0.0,
            store=store,
            read=read,
            held=held,
            right_held=_holding(recording, read, given.name, right) if held is not None else None,
            right_load=_first_load(recording, given.name, right),
        )
    return None


def _last_store(recording: Recording, output: str, flat: int) -> int | None:
    """None where several threads of the block store it: then who wins is another question."""
    found = recording.find(CHANGES, name=output, flat=flat)
    alone = len({recording.steps[at][1] for at in found}) == 1
    return found[-1] if alone and recording.steps[found[-1]][0] == StepKind.WRITE else None


def _read_of_value(recording: Recording, store: int) -> int | None:
    thread, size, bits = recording.steps[store][1], *recording.steps[store][5:7]
    own = reversed(recording.find(_READS, thread=thread))
    return next((at for at in own if at < store and recording.steps[at][5:7] == (size, bits)), None)


def _holding(recording: Recording, read: int, given: str, flat: int) -> int | None:
    """Which write has put this element of the input where it is in the array that is read, at that moment."""
    held = {recording.key(at): at for at in recording.find(CHANGES, array=recording.steps[read][3]) if at < read}
    for write in held.values():
        load = recording.index.loaded.get(write)
        if load is not None and (recording.array(load).name, recording.flat(load)) == (given, flat):
            return write
    return None


def _first_load(recording: Recording, given: str, flat: int) -> int | None:
    number = recording.number_of(given)
    return next(iter(recording.find(_READS, array=number, flat=flat)), None) if number is not None else None


def _stores(copied: _Copied) -> str:
    recording, store = copied.recording, copied.store
    return (
        f"Thread {recording.thread(store)} stores {recording.value(store):.6g} in {copied.element} in line {recording.line(store)}. "
        f"This is {copied.got}, and {copied.right} = {copied.expected:.6g} belongs there."
    )


def _took(copied: _Copied) -> str:
    """Where the thread takes what it stores, and how it got there."""
    recording, read = copied.recording, copied.read
    expression, name = recording.expression(read), recording.name(read)
    said = (
        f"`{expression}` in line {recording.line(read)} is {name} for this thread" if expression else f"It reads {name}"
    )
    if copied.held is None:
        return f"{said}."
    by, line = recording.thread(copied.held), recording.line(copied.held)
    return f"{said}, where thread {by} had put {copied.got} in line {line}."


def _where(copied: _Copied) -> str:
    recording, write, load = copied.recording, copied.right_held, copied.right_load
    if write is not None:
        return (
            f"{copied.right} is in {recording.name(write)} at that moment: thread {recording.thread(write)} has put it there. Either the"
            " store takes the wrong element, or it goes to the wrong place."
        )
    if load is None:
        return f"No thread of this block ever reads {copied.right}.{_part(copied)}"
    if copied.held is None:
        return f"Thread {recording.thread(load)} reads {copied.right}, in line {recording.line(load)}."
    later = "only later" if load > copied.read else "before"
    there = recording.array(copied.read).name
    return f"Thread {recording.thread(load)} reads {copied.right} {later}, and it is not in {there} at that moment."


def _part(copied: _Copied) -> str:
    """Which part of the input this block reads, and which of the result it writes."""
    reads = _box(copied.recording, copied.given, _READS)
    writes = _box(copied.recording, copied.output, CHANGES)
    return f" It reads {reads}, and writes {writes}." if reads and writes else ""


def _box(recording: Recording, name: str, kinds: Collection[int]) -> str:
    cells = [recording.cell(at) for at in recording.find(kinds, name=name)]
    if not cells or any(len(one) != len(cells[0]) for one in cells):
        return ""
    axes = [sorted({one[axis] for one in cells}) for axis in range(len(cells[0]))]
    if math.prod(map(len, axes)) != len(set(cells)) or any(one[-1] - one[0] + 1 != len(one) for one in axes):
        return ""  # no box
    return f"{name}[{']['.join(str(one[0]) for one in axes)}] to {name}[{']['.join(str(one[-1]) for one in axes)}]"


def _marks(copied: _Copied) -> Iterator[Mark]:
    recording, read = copied.recording, copied.read
    for write, what in ((copied.held, copied.got), (copied.right_held, copied.right)):
        if write is not None:
            text = f"Thread {recording.thread(write)} puts {what} in {recording.name(write)}."
            yield recording.remark(write, text, "note")
    text = f"Thread {recording.thread(read)} takes {recording.name(read)}"
    text += f", which holds {copied.got}. " if copied.held is not None else ". "
    elements = [recording.element(read)]
    if copied.right_held is not None:
        text += f"{copied.right}, which belongs in {copied.element}, is in {recording.name(copied.right_held)}."
        elements.append(recording.element(copied.right_held))
    else:
        text += f"{copied.right} belongs in {copied.element}."
    yield Mark(read, text, "bad", (recording.steps[read][1],), tuple(elements))
    yield recording.remark(copied.store, f"{copied.element} holds {copied.got} now, and {copied.right} belongs there.")


def _questions(copied: _Copied, *, is_first: bool) -> Iterator[Question | None]:
    recording, read = copied.recording, copied.read
    expression, name = recording.expression(read), recording.name(read)
    at = f"`{expression}`" if expression else f"this read of {recording.array(read).name}"
    if not is_first:
        right_place = recording.name(copied.right_held) if copied.right_held is not None else ""
        yield asked(
            read,
            f"Which element is {at} for thread {recording.thread(read)} in line {recording.line(read)}?",
            name,
            (right_place or copied.right, _neighbour(recording, read)),
            _took(copied),
        )
    what = f"{name} in {copied.element}" if copied.held is not None else f"a value in {copied.element}"
    yield asked(
        copied.store,
        f"The thread stores {what}. Which element of {copied.given} is that?",
        copied.got,
        (copied.right, "none: it is a sum"),
        f"It is {copied.got}, and {copied.right} belongs there. {_where(copied)}",
    )


def _neighbour(recording: Recording, read: int) -> str:
    """Another element of the array that the block reads in that line."""
    array, offset, place = recording.steps[read][3], recording.steps[read][4], recording.steps[read][7]
    others = (at for at in recording.find(_READS, array=array) if recording.steps[at][7] == place)
    return next((recording.name(at) for at in others if recording.steps[at][4] != offset), "")


# The story of a wrong count of a histogram: which values are counted in a bin that are not its own, which of its own are not, and what the
# block passes on. Pure.
#
# A count is an addition to an element by a thread that has just read a value. Where a thread reads several values before it counts, nobody
# can tell which it counts: then nothing is known.

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
    reads: list[_Read] = field(default_factory=list)
    counted: list[_Counted] = field(default_factory=list)
    passed: list[_Passed] = field(default_factory=list)
    held: dict[Key, float] = field(default_factory=dict)  # what an element holds, as far as this block knows
    last: dict[int, _Read] = field(default_factory=dict)  # of the input, by thread
    in_shared: dict[int, int] = field(default_factory=dict)  # the step in which a thread read shared memory last

    @classmethod
    def of(cls, recording: Recording) -> _CountedValues | None:
        wrong = recording.launch.mismatch
        if wrong is None or not recording.trace.complete or len(recording.steps) > _MOST_STEPS:
            return None
        given = next((one for one in recording.report.inputs if _counts(one, wrong)), None)
        output = recording.number_of(wrong.output)
        one = next((one for one in wrong.first if one.got is not None and one.expected is not None), None)
        if given is None or output is None or one is None:
            return None
        found = cls(recording, given, output, flat_of(one, wrong), one.expected or 0.0, one.got or 0.0)
        return found if all(map(found.take, recording.find(ACCESSES))) and not found.is_unclear else None

    @property
    def is_unclear(self) -> bool:
        own = {(one.key, one.bin) for one in self.counted}
        keys = [(self.recording.key(one.read), one.bin) for one in self.passed if one.held or one.added]
        twice = any(times > 1 for times in Counter(id(one.read) for one in self.counted).values())
        return twice or any(key not in own for key in keys)

    def take(self, at: int) -> bool:
        """False where values come to those who count by way of shared memory."""
        recording, (kind, thread, *_) = self.recording, self.recording.steps[at]
        key, value, flat, array = recording.key(at), recording.value(at), recording.flat(at), recording.array(at)
        if kind == StepKind.READ:
            if array.name == self.given.name and array.space == "global":
                self.last[thread] = _Read(at, flat, value)
                self.in_shared.pop(thread, None)
                self.reads.append(self.last[thread])
            else:
                self.in_shared[thread] = at
            return True
        before = self.held.get(key, 0.0 if key[0] == self.output else None)
        self.held[key] = value
        source = self.in_shared.get(thread)
        is_own = source is not None and recording.key(source) == key
        if before is None or not (kind == StepKind.ATOMIC or is_own):
            return True
        if source is not None and not is_own:
            if key[0] == self.output:
                self.passed.append(_Passed(source, at, flat, recording.value(source), value - before))
            return key[0] == self.output
        if (read := self.last.get(thread)) is not None:
            self.counted.append(_Counted(read, at, key, flat, value - before))
        return True


def _counts(given: TracedInput, wrong: Mismatch) -> bool:
    """Whether each wrong element should hold how often its own number is among the values."""
    if not given.values or not wrong.first or 1 not in {wrong.rows, wrong.columns}:
        return False
    times = Counter(given.values)
    expected = [(flat_of(one, wrong), one.expected) for one in wrong.first]
    return all(value == times[float(flat)] for flat, value in expected) and any(value for _, value in expected)


_SHOWN = 6  # values, or additions, of each sort


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
    found = _CountedValues.of(recording)
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
        Shown(recording, chosen, "Values that a thread reads, and what it counts or adds for each.", before=2),
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
