"""The stories of an element that should be a copy or a count: which value it holds, which belongs there, and where both are. Pure.

In a copy two indices meet: where a thread puts what it loads, and where it takes what it stores. The page shows both with their numbers.
It is told only where values say it without doubt: no two elements of the input that matter here are alike.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field

from grader.explain.followed_sums import copied_input, element_of, flat_of
from grader.explain.recording import READS, Key, Moment, Recording, Telling, asked, known
from grader.explain.story import Mark, Question, Story, box_of
from grader.model.result import Mismatch, WrongElement
from grader.run.launches.trace_phases import ACCESSES, CHANGES, StepKind, TracedInput


class _Copied:
    """An element of the result that holds another element of the input than the one that belongs there."""

    def __init__(
        self, given: TracedInput, wrong: Mismatch, one: WrongElement, right: int, read: Moment, store: Moment
    ) -> None:
        """`right`: which element of `given` belongs there; `read`: what the thread read last of the value that it stored."""
        self.recording, self.read, self.store = store.recording, read, store
        self.given, self.output, self.expected = given.name, wrong.output, one.expected or 0.0
        self.element = f"{self.output}[{one.row}][{one.column}]" if wrong.rows > 1 else f"{self.output}[{one.column}]"
        # The write that put the value there; None: the thread read it from the input itself.
        self.held = read.writer if read.is_shared else None
        self.source = self.held.load if self.held is not None else None if read.is_shared else read
        self.got = element_of(given, self.source.flat) if self.source is not None else ""
        self.right = element_of(given, right)
        # The write of the right value that is in that array at that moment; and the first read of the right element in this block.
        self.right_held = _holding(read, given.name, right) if self.held is not None else None
        self.right_load = next(iter(self.recording.find(READS, array=given.name, flat=right)), None)


def copy_story(recording: Recording) -> Story | None:
    copied = _copied_element(recording)
    if copied is None:
        return None
    puts = known(copied.held, copied.right_held)
    chosen = known(copied.read, copied.store, copied.right_load, *puts, *(one.load for one in puts))
    took, where = _took(copied), _where(copied)
    return Telling(
        recording,
        title=f"the value in {copied.element}",
        summary=f"Thread {copied.store.who} stores {copied.store.value:.6g} in {copied.element} in line {copied.store.line}. "
        f"This is {copied.got}, and {copied.right} = {copied.expected:.6g} belongs there. {took} {where}",
        steps=recording.with_barriers(chosen),
        schedule="How the value got there, how the right one got where it is, and what the thread takes.",
        marks=_marks(copied),
        questions=_questions(copied, took, where, is_first=copied.read == min(chosen)),
        before=1,
    ).story


def _copied_element(recording: Recording) -> _Copied | None:
    """Of the first wrong element that this block has stored."""
    wrong = recording.launch.mismatch
    if wrong is None or (copies := copied_input(recording.report.inputs, wrong)) is None:
        return None
    given, belongs = copies
    times = Counter(given.values)
    places = {value: at for at, value in enumerate(given.values) if times[value] == 1}
    for one in wrong.first:
        flat = flat_of(one, wrong)
        if flat not in belongs or one.got not in places:
            continue
        store = _last_store(recording, wrong.output, flat)
        read = _read_of_value(store) if store is not None else None
        if store is None or read is None or store.value != one.got:
            continue
        copied = _Copied(given, wrong, one, belongs[flat], read, store)
        source = copied.source
        if source is not None and (source.array.name, source.flat) == (given.name, places[one.got]):
            return copied
    return None


def _last_store(recording: Recording, output: str, flat: int) -> Moment | None:
    """None where several threads of the block store it: then who wins is another question."""
    found = recording.find(CHANGES, array=output, flat=flat)
    alone = len({one.thread for one in found}) == 1
    return found[-1] if alone and found[-1].kind == StepKind.WRITE else None


def _read_of_value(store: Moment) -> Moment | None:
    own = reversed(store.recording.find(READS, thread=store.thread))
    return next((one for one in own if one < store and one.step[5:7] == store.step[5:7]), None)


def _holding(read: Moment, given: str, flat: int) -> Moment | None:
    """Which write has put this element of the input where it is in the array that is read, at that moment."""
    held = {one.key: one for one in read.recording.find(CHANGES, array=read.step[3]) if one < read}
    for write in held.values():
        load = write.load
        if load is not None and (load.array.name, load.flat) == (given, flat):
            return write
    return None


def _took(copied: _Copied) -> str:
    """Where the thread takes what it stores, and how it got there."""
    read, expression, held = copied.read, copied.read.expression, copied.held
    said = f"It reads {read.name}"
    if expression:
        said = f"`{expression}` in line {read.line} is {read.name} for this thread"
    return f"{said}." if held is None else f"{said}, where thread {held.who} had put {copied.got} in line {held.line}."


def _where(copied: _Copied) -> str:
    write, load = copied.right_held, copied.right_load
    if write is not None:
        there = f"{copied.right} is in {write.name} at that moment: thread {write.who} has put it there."
        return f"{there} Either the store takes the wrong element, or it goes to the wrong place."
    if load is None:
        reads, writes = _box(copied.recording, copied.given, READS), _box(copied.recording, copied.output, CHANGES)
        part = f" It reads {reads}, and writes {writes}." if reads and writes else ""
        return f"No thread of this block ever reads {copied.right}.{part}"
    if copied.held is None:
        return f"Thread {load.who} reads {copied.right}, in line {load.line}."
    later = "only later" if load > copied.read else "before"
    return f"Thread {load.who} reads {copied.right} {later}, and it is not in {copied.read.array.name} at that moment."


def _box(recording: Recording, name: str, kinds: Collection[int]) -> str:
    cells = {one.cell for one in recording.find(kinds, array=name)}
    if len(set(map(len, cells))) != 1 or not (axes := box_of(cells)):
        return ""
    return f"{name}[{']['.join(str(one[0]) for one in axes)}] to {name}[{']['.join(str(one[-1]) for one in axes)}]"


def _marks(copied: _Copied) -> Iterator[Mark]:
    read, right_held = copied.read, copied.right_held
    for write, what in ((copied.held, copied.got), (right_held, copied.right)):
        if write is not None:
            yield write.remark(f"Thread {write.who} puts {what} in {write.name}.", "note")
    holds = f", which holds {copied.got}" if copied.held is not None else ""
    belongs = f"{copied.right} belongs in {copied.element}"
    if right_held is not None:
        belongs = f"{copied.right}, which belongs in {copied.element}, is in {right_held.name}"
    yield read.remark(f"Thread {read.who} takes {read.name}{holds}. {belongs}.", "bad", *known(right_held))
    yield copied.store.remark(f"{copied.element} holds {copied.got} now, and {copied.right} belongs there.")


def _questions(copied: _Copied, took: str, where: str, *, is_first: bool) -> Iterator[Question | None]:
    read = copied.read
    at = f"`{read.expression}`" if read.expression else f"this read of {read.array.name}"
    if not is_first:
        other = copied.right_held.name if copied.right_held is not None else copied.right
        text = f"Which element is {at} for thread {read.who} in line {read.line}?"
        yield asked(read, text, read.name, (other, _neighbour(read)), took)
    what = f"{read.name} in {copied.element}" if copied.held is not None else f"a value in {copied.element}"
    text = f"The thread stores {what}. Which element of {copied.given} is that?"
    why = f"It is {copied.got}, and {copied.right} belongs there. {where}"
    yield asked(copied.store, text, copied.got, (copied.right, "none: it is a sum"), why)


def _neighbour(read: Moment) -> str:
    """Another element of the array that the block reads in that line."""
    others = (one for one in read.recording.find(READS, array=read.step[3]) if one.step[7] == read.step[7])
    return next((one.name for one in others if one.key != read.key), "")


# The story of a wrong count of a histogram: which values are counted in a bin that are not its own, which of its own are not, and what the
# block passes on. Pure.
#
# A count is an addition to an element by a thread that has just read a value. Where a thread reads several values before it counts, nobody
# can tell which it counts: then nothing is known.

_MOST_STEPS = 100_000


@dataclass(frozen=True)
class _Addition:
    """To an element, by a thread that has read something."""

    read: Moment
    at: Moment
    number: float

    @property
    def place(self) -> str:
        return f"{self.at.name} in line {self.at.line}"


@dataclass(frozen=True)
class _CountedValues:
    given: TracedInput
    output: int  # the number of its array
    bin: int  # the wrong one
    expected: float
    got: float
    reads: list[Moment] = field(default_factory=list)  # of the input
    counted: list[_Addition] = field(default_factory=list)  # of a value that was read
    passed: list[_Addition] = field(default_factory=list)  # to the result, of what was read in shared memory

    @property
    def is_clear(self) -> bool:
        """No value is counted twice, and what is passed on was counted."""
        own = {(one.at.key, one.at.flat) for one in self.counted}
        keys = [(one.read.key, one.at.flat) for one in self.passed if one.read.value or one.number]
        return len({one.read for one in self.counted}) == len(self.counted) and own.issuperset(keys)

    def take(self, moments: Sequence[Moment]) -> bool:
        """False where values come to those who count by way of shared memory."""
        held: dict[Key, float] = {}  # what an element holds, as far as this block knows
        last: dict[int, Moment] = {}  # of the input, by thread
        in_shared: dict[int, Moment] = {}  # where a thread read shared memory last
        for at in moments:
            source = in_shared.get(at.thread)
            if at.kind == StepKind.READ:
                if (at.array.name, at.array.space) == (self.given.name, "global"):
                    last[at.thread] = at
                    in_shared.pop(at.thread, None)
                    self.reads.append(at)
                else:
                    in_shared[at.thread] = at
                continue
            before = held.get(at.key, 0.0 if at.key[0] == self.output else None)
            held[at.key] = at.value
            is_own = source is not None and source.key == at.key
            if before is None or not (at.kind == StepKind.ATOMIC or is_own):
                continue
            if source is not None and not is_own:
                if at.key[0] != self.output:
                    return False
                self.passed.append(_Addition(source, at, at.value - before))
            elif at.thread in last:
                self.counted.append(_Addition(last[at.thread], at, at.value - before))
        return True


def _counted_values(recording: Recording) -> _CountedValues | None:
    wrong = recording.launch.mismatch
    if wrong is None or not recording.trace.complete or len(recording.trace.steps) > _MOST_STEPS:
        return None
    given = next((one for one in recording.report.inputs if _counts(one, wrong)), None)
    output = recording.number_of(wrong.output)
    one = next((one for one in wrong.first if one.got is not None and one.expected is not None), None)
    if given is None or output is None or one is None:
        return None
    found = _CountedValues(given, output, flat_of(one, wrong), one.expected or 0.0, one.got or 0.0)
    return found if found.take(recording.find(ACCESSES)) and found.is_clear else None


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
    steps: Sequence[Moment]
    at: Moment  # the step that shows it best
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
    chosen = recording.with_barriers({*wrong.steps, wrong.at})
    text = f"{name} holds {found.got:.9g} and not {found.expected:.9g}. Why?"
    question = asked(wrong.at, text, wrong.right, _REASONS, wrong.said)
    return Telling(
        recording,
        title=f"the count in {name}",
        summary=f"{name} holds {found.got:.9g}, and {found.expected:.9g} belongs there: {often}. {wrong.said}",
        steps=chosen,
        schedule="Values that a thread reads, and what it counts or adds for each.",
        marks=[wrong.at.remark(wrong.said)],
        questions=[question if wrong.at > chosen[0] else None],
        before=2,
    ).story


def _mistakes(found: _CountedValues) -> Iterator[_Wrong]:
    """The likeliest first: where all was counted rightly in this block's own bins, what became of them."""
    counted = [one for one in found.counted if one.at.flat == found.bin]
    if strange := [one for one in counted if one.read.value != found.bin]:
        first = strange[0]
        said = f"{_reads(found, first.read)} and counts it in {first.place}."
        said += f" {len(strange):,} such values are counted there." if len(strange) > 1 else ""
        yield _Wrong(said, _steps(strange), first.at, _REASONS[0])
    if uneven := [one for one in counted if one.number != 1]:
        first = uneven[0]
        said = f"{_reads(found, first.read)} and adds {first.number:.9g} to {first.place}, and not 1."
        yield _Wrong(said, _steps(uneven), first.at, _REASONS[2])
    own = {one.read for one in counted}
    if lost := [one for one in found.reads if one.value == found.bin and one not in own]:
        place = next((one.at for one in found.counted if one.read == lost[0]), None)
        at = lost[0] if place is None else place
        said = f"{_reads(found, lost[0])} in line {lost[0].line}"
        said += " and counts it nowhere." if place is None else f" and counts it in {place.name}."
        said += f" So it is with {len(lost):,} values." if len(lost) > 1 else ""
        others = [one for one in found.counted if one.at.thread != at.thread]
        yield _Wrong(said, [*lost[:_SHOWN], *_steps(others[:2])], at, _REASONS[1])
    passes = [one for one in found.passed if one.at.flat == found.bin and (one.read.value or one.number)]
    for one in passes:
        if one.read.value != one.number:
            reads = f"Thread {one.at.who} reads {one.read.name}, which is {one.read.value:.9g}"
            yield _Wrong(f"{reads}, but adds {one.number:.9g} to {one.place}.", _steps([one]), one.at, _REASONS[4])
    if len(passes) > 1 and len({one.read.key for one in passes}) == 1:
        first, one = passes[:2]
        often = f"{one.read.name} is added to {one.at.name} {len(passes):,} times in line {one.at.line}"
        said = f"{often}: thread {first.at.who} does it, then thread {one.at.who} does it too."
        yield _Wrong(said, _steps(passes), one.at, _REASONS[3])


def _reads(found: _CountedValues, read: Moment) -> str:
    return f"Thread {read.who} reads {found.given.name}[{read.flat}] = {found.given.values[read.flat]:.9g}"


def _steps(additions: Sequence[_Addition]) -> list[Moment]:
    return [at for one in additions[:_SHOWN] for at in (one.read, one.at)]
