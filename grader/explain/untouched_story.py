"""The story of an element that no thread of the block touches, though one should: an element of the result that nobody writes, or, where
a single block does all the work, an element of an input that nobody reads. Who should have, and why it did not. Pure.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from grader.explain.followed_sums import flat_of
from grader.explain.guard_reason import GuardReason, guard_reason
from grader.explain.product_sum import factors_of
from grader.explain.recording import READS, Moment, Recording, Telling, asked, thread_by_formula
from grader.explain.story import LANES, Index3, Mark, Question, Story, StoryElement, spans, thread_number
from grader.model.visible_text import index
from grader.run.launches.trace_phases import ACCESSES, CHANGES, StepKind, TracedArray, thread_index

_MOST_TIMES = 64  # that a thread does so in one line, of which each has a formula
_MOST_LINES = 8
_MOST_INPUT = 1 << 20


@dataclass(frozen=True)
class _ExpectedAccess:
    """Where the formula of one line leads."""

    line: int
    thread: Index3  # may lie past the block's threads: then it is where another block would go on
    like: Moment  # the nearest access that follows the formula


class _Untouched:
    """Of the result an element that nobody writes, of an input one that nobody reads; and who should have, by the formula of the others and
    the conditions in the source.
    """

    def __init__(
        self, recording: Recording, number: int, flat: int, columns: int, *, reads: bool, missing: int
    ) -> None:
        """`number`: of its array; `columns`: of that; `missing`: how many such elements there are."""
        self.recording, self.flat, self.columns, self.reads, self.missing = recording, flat, columns, reads, missing
        self.array = recording.trace.arrays[number]
        self.element = StoryElement(number, flat * self.array.element_bytes)
        self.name = self.array.named(self.element.offset)
        self.do = "read" if reads else "write"
        self.accesses = recording.find(READS if reads else CHANGES, array=number)  # of others to the array

    @cached_property
    def expected(self) -> _ExpectedAccess | None:
        """By the first line whose formula leads to a thread of the block; else by the first that each thread does once and that leads to a
        thread past it.
        """
        # By line, and how often the thread was there.
        found: dict[tuple[int, int], dict[Index3, Moment]] = defaultdict(dict)
        times: Counter[tuple[int, int]] = Counter()
        for one in self.accesses:
            place = one.line, one.thread
            if one.line and times[place] < _MOST_TIMES:
                found[one.line, times[place]][thread_index(one.thread, self.recording.block)] = one
            times[place] += 1
        again = {line for line, count in found if count}  # where a thread goes on, another block need not
        past = None
        for (line, _), of_threads in sorted(found.items())[: _MOST_LINES * _MOST_TIMES]:
            places = {thread: divmod(max(0, one.flat), self.columns) for thread, one in of_threads.items()}
            thread = thread_by_formula(places, divmod(self.flat, self.columns), self.recording.block)
            if thread is None or thread in of_threads:
                continue  # it did something else there, which is another mistake
            expected = _ExpectedAccess(line, thread, _nearest(of_threads, thread))
            if self._has(thread):
                return expected
            if line not in again:
                past = past or expected
        return past

    def _has(self, thread: Index3) -> bool:
        return all(0 <= one < extent for one, extent in zip(thread, self.recording.block, strict=True))

    @property
    def thread(self) -> int | None:
        """Who should have, if the block has this thread."""
        expected = self.expected
        return thread_number(expected.thread, self.recording.block) if expected and self._has(expected.thread) else None

    @cached_property
    def guard(self) -> GuardReason | None:
        recording, expected = self.recording, self.expected
        if expected is None or self.thread is None:
            return None
        own, other = (recording.place(thread) for thread in (self.thread, expected.like.thread))
        return guard_reason(recording.source, expected.line, own, other)


def _nearest(of_threads: dict[Index3, Moment], thread: Index3) -> Moment:
    near = min(of_threads, key=lambda one: (sum(abs(a - b) for a, b in zip(one, thread, strict=True)), one))
    return of_threads[near]


def _past_block(expected: _ExpectedAccess, recording: Recording) -> str:
    """The thread as one of another block, if blocks go on where the followed one ends; and whether the grid has that block."""
    at, block, grid = recording.at, recording.block, recording.grid
    there = tuple(a + b // extent for a, b, extent in zip(at, expected.thread, block, strict=True))
    if any(one < 0 for one in there):
        return f"thread {_triple(expected.thread)}, which no block has"
    within = tuple(b % extent for b, extent in zip(expected.thread, block, strict=True))
    thread = f"thread {_triple(within)} of block {_triple(there)}"
    if any(one < 0 or one >= extent for one, extent in zip(there, grid, strict=True)):
        extent = " x ".join(map(str, grid[: 3 if grid[2] > 1 else 2]))
        return f"{thread}, which this grid of {extent} blocks does not have"
    return thread


def _triple(place: Sequence[int]) -> str:
    x, y, z = (*place, 0, 0, 0)[:3]
    return str(index((x, y, z)))


def _unwritten(recording: Recording) -> _Untouched | None:
    """The first element of the result that is as it was before the launch, and that this block is the one to write."""
    wrong = recording.launch.mismatch
    if wrong is None or not wrong.unwritten or recording.find({StepKind.OUTSIDE, StepKind.STOP}):
        return None
    dimensions = (wrong.rows, wrong.columns) if wrong.rows > 1 else (wrong.columns,)
    recording, number = _with_array(recording, wrong.output, dimensions)
    written = {max(0, one.flat) for one in recording.find(CHANGES, array=number)}
    goals = [flat_of(one, wrong) for one in wrong.first if one.got is None]
    left = [flat for flat in goals if flat not in written]
    made = [_Untouched(recording, number, at, wrong.columns, reads=False, missing=wrong.unwritten) for at in left]
    return next((one for one in made if one.expected), next(iter(made), None))


def _unread(recording: Recording) -> _Untouched | None:
    """Where one block does everything, and the result depends on elements that it never reads."""
    if recording.grid != (1, 1, 1) or len(recording.report.inputs) != 1:
        return None
    (given,) = recording.report.inputs
    if not 0 < len(given.values) <= _MOST_INPUT:
        return None
    recording, number = _with_array(recording, given.name, (len(given.values),))
    read = {max(0, one.flat) for one in recording.find(ACCESSES, array=number)}
    unread = [flat for flat in range(len(given.values)) if flat not in read]
    if not unread:
        return None
    return _Untouched(recording, number, unread[0], max(1, given.columns), reads=True, missing=len(unread))


def _unread_factor(recording: Recording) -> _Untouched | None:
    """One of two matrices that are multiplied, where this block reads nothing of it."""
    wrong = recording.launch.mismatch
    if wrong is None or not wrong.first:
        return None
    for at, name in enumerate(factors_of(recording.report)):
        given = next((one for one in recording.report.inputs if one.name == name), None)
        if given is not None and given.columns and not recording.find(ACCESSES, array=name):
            flat = wrong.first[0].row * given.columns if at == 0 else wrong.first[0].column
            whole, number = _with_array(recording, name, (len(given.values) // given.columns, given.columns))
            return _Untouched(whole, number, flat, given.columns, reads=True, missing=len(given.values))
    return None


def _with_array(recording: Recording, name: str, dimensions: tuple[int, ...]) -> tuple[Recording, int]:
    """The array's number. A trace has no array that the block never uses: then it gets one."""
    number, arrays = recording.number_of(name), recording.trace.arrays
    if number is not None:
        return recording, number
    array = TracedArray(name=name, space="global", element="", element_bytes=4, dimensions=dimensions)
    trace = recording.trace.model_copy(update={"arrays": (*arrays, array)})
    return replace(recording, trace=trace), len(arrays)


_LAST_OF_EACH = 4  # accesses of each thread that is shown
_OTHERS = 5  # accesses of others of the array, before the end of the story


def untouched_story(recording: Recording) -> Story | None:
    if not recording.trace.complete or not recording.trace.steps:
        return None
    found = _unwritten(recording) or _unread(recording) or _unread_factor(recording)
    chosen = _chosen(found) if found is not None else []
    if found is None or not chosen:
        return None
    nobody, who, why = _nobody(found), _who(found), _why(found)
    said = f"{who} {why}".strip()
    of_expected, of_nothing = _questions(found, chosen, f"{who} {nobody}", why), _of_nothing(found, chosen, who)
    return Telling(
        found.recording,
        title=f"no thread {found.do}s {found.name}",
        summary=f"{nobody} {said}",
        steps=chosen,
        schedule="The last accesses of the thread that should have done it, and what its neighbours do in that line.",
        marks=_marks(found, chosen, said),
        questions=of_expected if found.expected else of_nothing,
        before=1,
    ).story


def _chosen(found: _Untouched) -> list[Moment]:
    recording, others = found.recording, found.accesses
    chosen = set(recording.find(ACCESSES, thread=found.thread)[-_LAST_OF_EACH:] if found.thread is not None else ())
    if found.expected is not None:
        like = found.expected.like
        chosen.update(recording.find(ACCESSES, thread=like.thread)[-_LAST_OF_EACH:], [like])
        near = others.index(like)
        others = others[max(0, near - _OTHERS // 2) : near + _OTHERS // 2 + 1]
    chosen.update(others[-_OTHERS:])
    return sorted(chosen or recording.find(ACCESSES)[-_OTHERS:])  # else what the block does at all


def _marks(found: _Untouched, chosen: list[Moment], said: str) -> Iterator[Mark]:
    thread, does = found.thread, f"{found.do}s"
    own = [one for one in chosen if one.thread == thread]
    if own and thread is not None:
        text = f"This is the last access of thread {own[-1].who}: it {does} no {found.name}."
        yield Mark(own[-1], text, "note", (thread,))
    if found.expected is not None:
        like = found.expected.like
        yield Mark(like, f"Thread {like.who} {does} {like.name} here.", "note", (like.thread,))
    text = f"The block has ended, and no thread {does} {found.name}. {said}"
    yield Mark(chosen[-1], text, "bad", () if thread is None else (thread,), (found.element,))


def _nobody(found: _Untouched) -> str:
    name, missing, array = found.name, found.missing, found.array.name
    block = _triple(found.recording.at)
    if not found.reads:
        more = f" {missing:,} elements of {array} are like that." if missing > 1 else ""
        return f"No thread of block {block} writes {name}: it holds what was there before the launch.{more}"
    more = f", like {missing - 1:,} more elements of {array}" if missing > 1 else ""
    if found.recording.grid == (1, 1, 1):
        return f"No thread reads {name}{more}: the result cannot depend on it."
    return f"No thread of block {block} reads {name}{more}: what it writes cannot depend on it."


def _who(found: _Untouched) -> str:
    expected, recording, do = found.expected, found.recording, found.do
    if expected is None:
        if not found.accesses:
            return f"No thread of this block {do}s anything of {found.array.name}."
        ends = sorted(found.accesses, key=lambda one: one.key)
        return f"What its threads {do} of {found.array.name}: {ends[0].name} to {ends[-1].name}."
    by = f"Thread {expected.like.who} {do}s {expected.like.name} in line {expected.line}. By the same formula,"
    if found.thread is not None:
        return f"{by} thread {recording.who(found.thread)} should {do} {found.name}."
    return f"{by} it would be {_past_block(expected, recording)}."


def _why(found: _Untouched) -> str:
    if found.thread is None:
        return ""
    if found.guard is not None:
        return found.guard.words
    recording, name = found.recording, found.recording.who(found.thread)
    own = recording.find(ACCESSES, thread=found.thread)
    if not own:
        return f"But thread {name} reads and writes nothing at all."
    line = found.expected.line if found.expected else 0
    return f"But its last access is in line {own[-1].line}: it never does line {line} for this element."


def _of_nothing(found: _Untouched, chosen: list[Moment], who: str) -> Iterator[Question | None]:
    """Where the block does not touch the array at all."""
    every = found.recording.threads
    if not found.accesses:
        text = f"How many of the block's {every:,} threads {found.do} something of {found.array.name}?"
        yield asked(
            chosen[-1], text, "none", ("one", f"all {every:,}", f"one of each warp: {-(-every // LANES):,}"), who
        )


def _questions(found: _Untouched, chosen: list[Moment], who: str, why: str) -> Iterator[Question | None]:
    recording, expected, guard, do = found.recording, found.expected, found.guard, found.do
    if expected is None:
        return
    outside = "a thread that this grid does not have"
    right = "a thread of another block" if found.thread is None else f"thread {recording.who(found.thread)}"
    if found.thread is None and "which" in _past_block(expected, recording):
        right = outside
    beyond = f"none: {found.name} lies outside of {found.array.name}"
    others = [outside, beyond, *_distractors(found, expected, right)]
    yield asked(chosen[-2:][0], f"Which thread should {do} {found.name}?", right, others, who)
    if found.thread is None or len(chosen) == 1:
        return
    never = f"it never comes to line {expected.line} for this element"
    if guard is not None:
        never = f"`{guard.condition}` in line {guard.line} is {'true' if guard.leaves else 'false'} for it"
    beliefs = f"it {do}s it, and another thread {do}s another value", "it does so after the block's last barrier"
    yield asked(
        chosen[-1], f"Why does thread {recording.who(found.thread)} not {do} {found.name}?", never, beliefs, why
    )


def _distractors(found: _Untouched, expected: _ExpectedAccess, right: str) -> Iterator[str]:
    """Threads that one may think of: the neighbour, and the one with x and y changed round."""
    recording, block = found.recording, found.recording.block
    yield f"thread {expected.like.who}"
    x, y, z = expected.thread
    turned: Index3 = (y, x, z)
    if all(0 <= one < extent for one, extent in zip(turned, block, strict=True)):
        yield f"thread {recording.who(thread_number(turned, block))}"
    if right.startswith("thread") and recording.threads > 1:
        yield f"each of {spans(range(recording.threads), block)}"
