"""The story of an element that no thread of the block touches, though one should: an element of the result that nobody writes, or, where
a single block does all the work, an element of an input that nobody reads. Who should have, and why it did not. Pure.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence, Set  # noqa: PYI025 -- any set
from dataclasses import dataclass, replace
from functools import cached_property

from grader.explain.followed_sums import flat_of
from grader.explain.guard_reason import GuardReason, guard_reason
from grader.explain.product_sum import factors_of
from grader.explain.recording import Recording, Shown, asked, thread_by_formula, told
from grader.explain.story import LANES, Index3, Mark, Question, Story, StoryElement, spans, thread_number
from grader.run.launches.trace_phases import ACCESSES, CHANGES, StepKind, TracedArray, thread_index

# Which thread of a block should have read or written an element that nobody did: by the formula of the block's other accesses. Also
# threads that the block does not have are found: those are where another block would go on.

_MOST_TIMES = 64  # that a thread does so in one line, of which each has a formula
_MOST_LINES = 8


@dataclass(frozen=True)
class _ExpectedAccess:
    """Where the formula of one line leads."""

    line: int
    thread: Index3  # may lie past the block's threads
    in_block: bool
    like: int  # the nearest access that follows the formula, by its place in the trace


@dataclass(frozen=True)
class _Goal:
    """An element, by the row length of its array."""

    array: int
    flat: int
    columns: int

    def subscripts(self, flat: int) -> tuple[int, int]:
        return flat // self.columns, flat % self.columns


def _expected_access(recording: Recording, goal: _Goal, kinds: Set[int]) -> _ExpectedAccess | None:
    """By the first line whose formula leads to a thread of the block; else by the first that each thread does once and that leads to a
    thread past it.
    """
    accesses = _accesses(recording, goal, kinds)
    again = {line for line, times in accesses if times}  # where a thread goes on, another block need not
    past = None
    for (line, _), of_threads in sorted(accesses.items())[: _MOST_LINES * _MOST_TIMES]:
        places = {thread: goal.subscripts(max(0, recording.flat(at))) for thread, at in of_threads.items()}
        found = thread_by_formula(places, goal.subscripts(goal.flat), recording.block)
        if found is None:
            continue
        inside = all(0 <= one < extent for one, extent in zip(found, recording.block, strict=True))
        if inside and found in of_threads:
            continue  # it did something else there, which is another mistake
        expected = _ExpectedAccess(line, found, inside, _nearest(of_threads, found))
        if inside:
            return expected
        if line not in again:
            past = past or expected
    return past


def _accesses(recording: Recording, goal: _Goal, kinds: Set[int]) -> dict[tuple[int, int], dict[Index3, int]]:
    """By line, and how often the thread had been there: where in the trace each thread does it."""
    found: dict[tuple[int, int], dict[Index3, int]] = defaultdict(dict)
    times: Counter[tuple[int, int]] = Counter()
    for at in recording.find(kinds, array=goal.array):
        line, thread = recording.line(at), recording.steps[at][1]
        if line and times[line, thread] < _MOST_TIMES:
            found[line, times[line, thread]][thread_index(thread, recording.block)] = at
        times[line, thread] += 1
    return found


def _nearest(of_threads: dict[Index3, int], thread: Index3) -> int:
    near = min(of_threads, key=lambda one: (sum(abs(a - b) for a, b in zip(one, thread, strict=True)), one))
    return of_threads[near]


def _past_block(expected: _ExpectedAccess, recording: Recording) -> str:
    """The thread as one of another block, if blocks go on where the followed one ends; and whether the grid has that block."""
    at, block, grid = recording.at, recording.block, recording.grid
    there = tuple(a + b // extent for a, b, extent in zip(at, expected.thread, block, strict=True))
    if any(one < 0 for one in there):
        return f"thread ({expected.thread[0]},{expected.thread[1]}), which no block has"
    within = tuple(b % extent for b, extent in zip(expected.thread, block, strict=True))
    thread = f"thread ({within[0]},{within[1]})"
    if any(one < 0 or one >= extent for one, extent in zip(there, grid, strict=True)):
        extent = " x ".join(map(str, grid[: 3 if grid[2] > 1 else 2]))
        return f"{thread} of block {_block_name(there)}, which this grid of {extent} blocks does not have"
    return f"{thread} of block {_block_name(there)}"


def _block_name(block: Sequence[int]) -> str:
    return "(" + ",".join(map(str, block[: 3 if block[2] else 2])) + ")"


_MOST_INPUT = 1 << 20
_READS = frozenset({StepKind.READ})


@dataclass(frozen=True)
class _Untouched:
    """Of the result an element that nobody writes, of an input one that nobody reads; and who should have, by the formula of the others and
    the conditions in the source.
    """

    recording: Recording
    goal: _Goal
    reads: bool  # an input that nobody reads; else a result that nobody writes
    missing: int  # how many such elements there are

    @property
    def array(self) -> TracedArray:
        return self.recording.trace.arrays[self.goal.array]

    @property
    def name(self) -> str:
        return self.array.named(self.goal.flat * self.array.element_bytes)

    @property
    def does(self) -> str:
        return f"{self.do}s"

    @property
    def do(self) -> str:
        return "read" if self.reads else "write"

    @cached_property
    def expected(self) -> _ExpectedAccess | None:
        return _expected_access(self.recording, self.goal, _READS if self.reads else CHANGES)

    @cached_property
    def guard(self) -> GuardReason | None:
        recording, expected = self.recording, self.expected
        if expected is None or not expected.in_block:
            return None
        own = recording.place(thread_number(expected.thread, recording.block))
        other = recording.place(recording.steps[expected.like][1])
        return guard_reason(recording.source, expected.line, own, other)

    @property
    def thread(self) -> int | None:
        """Who should have, if the block has this thread."""
        expected = self.expected
        return thread_number(expected.thread, self.recording.block) if expected and expected.in_block else None

    @cached_property
    def steps_of_others(self) -> list[int]:
        return self.recording.find(_READS if self.reads else CHANGES, array=self.goal.array)


def _unwritten(recording: Recording) -> _Untouched | None:
    """The first element of the result that is as it was before the launch, and that this block is the one to write."""
    wrong = recording.launch.mismatch
    if wrong is None or not wrong.unwritten or recording.find({StepKind.OUTSIDE, StepKind.STOP}):
        return None
    dimensions = (wrong.rows, wrong.columns) if wrong.rows > 1 else (wrong.columns,)
    recording, number = _with_array(recording, wrong.output, dimensions)
    written = {max(0, recording.flat(at)) for at in recording.find(CHANGES, array=number)}
    goals = [flat_of(one, wrong) for one in wrong.first if one.got is None]
    made = [
        _Untouched(recording, _Goal(number, flat, wrong.columns), reads=False, missing=wrong.unwritten)
        for flat in goals
        if flat not in written
    ]
    return next((one for one in made if one.expected), next(iter(made), None))


def _unread(recording: Recording) -> _Untouched | None:
    """Where one block does everything, and the result depends on elements that it never reads."""
    if recording.grid != (1, 1, 1) or len(recording.report.inputs) != 1:
        return None
    (given,) = recording.report.inputs
    if not 0 < len(given.values) <= _MOST_INPUT:
        return None
    recording, number = _with_array(recording, given.name, (len(given.values),))
    read = {max(0, recording.flat(at)) for at in recording.find(ACCESSES, array=number)}
    unread = [flat for flat in range(len(given.values)) if flat not in read]
    goal = _Goal(number, unread[0] if unread else 0, max(1, given.columns))
    return _Untouched(recording, goal, reads=True, missing=len(unread)) if unread else None


def _unread_factor(recording: Recording) -> _Untouched | None:
    """One of two matrices that are multiplied, where this block reads nothing of it."""
    wrong = recording.launch.mismatch
    if wrong is None or not wrong.first:
        return None
    for at, name in enumerate(factors_of(recording.report)):
        given = next((one for one in recording.report.inputs if one.name == name), None)
        if given is not None and given.columns and not recording.find(ACCESSES, name=name):
            flat = wrong.first[0].row * given.columns if at == 0 else wrong.first[0].column
            whole, number = _with_array(recording, name, (len(given.values) // given.columns, given.columns))
            return _Untouched(whole, _Goal(number, flat, given.columns), reads=True, missing=len(given.values))
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
    if not recording.trace.complete or not recording.steps:
        return None
    found = _unwritten(recording) or _unread(recording) or _unread_factor(recording)
    chosen = _chosen(found) if found is not None else []
    if found is None or not chosen:
        return None
    who, why = _who(found), _why(found)
    return told(
        Shown(
            found.recording,
            chosen,
            "The last accesses of the thread that should have done it, and what its neighbours do in that line.",
            before=1,
        ),
        title=f"nobody {found.does} {found.name}",
        summary=f"{_nobody(found)} {who} {why}".strip(),
        marks=_marks(found, chosen, f"{who} {why}".strip()),
        questions=_questions(found, chosen, who, why),
    )


def _chosen(found: _Untouched) -> list[int]:
    recording, others = found.recording, found.steps_of_others
    like = found.expected.like if found.expected is not None else None
    chosen = set(recording.find(ACCESSES, thread=found.thread)[-_LAST_OF_EACH:] if found.thread is not None else ())
    if like is not None:
        chosen.update(recording.find(ACCESSES, thread=recording.steps[like][1])[-_LAST_OF_EACH:], [like])
        near = others.index(like)
        others = others[max(0, near - _OTHERS // 2) : near + _OTHERS // 2 + 1]
    chosen.update(others[-_OTHERS:])
    return sorted(chosen or recording.find(ACCESSES)[-_OTHERS:])  # else what the block does at all


def _marks(found: _Untouched, chosen: list[int], told: str) -> Iterator[Mark]:
    recording, thread, expected = found.recording, found.thread, found.expected
    own = [at for at in chosen if recording.steps[at][1] == thread]
    if own and thread is not None:
        text = f"This is the last access of thread {recording.who(thread)}: it {found.does} no {found.name}."
        yield Mark(own[-1], text, "note", (thread,))
    if expected is not None and expected.like in chosen:
        text = f"Thread {recording.thread(expected.like)} {found.does} {recording.name(expected.like)} here."
        yield Mark(expected.like, text, "note", (recording.steps[expected.like][1],))
    text = f"The block has ended, and nobody {found.does} {found.name}. {told}"
    element = StoryElement(found.goal.array, found.goal.flat * found.array.element_bytes)
    yield Mark(chosen[-1], text, "bad", () if thread is None else (thread,), (element,))


def _nobody(found: _Untouched) -> str:
    if found.reads:
        more = f", like {found.missing - 1:,} more elements of {found.array.name}" if found.missing > 1 else ""
        if found.recording.grid == (1, 1, 1):
            return f"No thread reads {found.name}{more}: the result cannot depend on it."
        return f"No thread of block {_block_name(found.recording.at)} reads {found.name}{more}: what it writes cannot depend on it."
    more = f" {found.missing:,} elements of {found.array.name} are like that." if found.missing > 1 else ""
    return f"No thread of block {_block_name(found.recording.at)} writes {found.name}: it holds what was there before the launch.{more}"


def _who(found: _Untouched) -> str:
    expected = found.expected
    if expected is None:
        if not found.steps_of_others:
            return f"Nobody in this block {found.does} anything of {found.array.name}."
        ends = sorted(found.steps_of_others, key=lambda at: found.recording.steps[at][4])
        first, last = (found.recording.name(at) for at in (ends[0], ends[-1]))
        return f"What its threads {found.do} of {found.array.name}: {first} to {last}."
    like, recording = expected.like, found.recording
    by = f"Thread {recording.thread(like)} {found.does} {recording.name(like)} in line {expected.line}."
    if found.thread is not None:
        return f"{by} By the same formula, thread {found.recording.who(found.thread)} should {found.do} {found.name}."
    return f"{by} By the same formula, it would be {_past_block(expected, recording)}."


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
    return f"But its last access is in line {recording.line(own[-1])}: it never does line {line} for this element."


def _questions(found: _Untouched, chosen: list[int], who: str, why: str) -> Iterator[Question | None]:
    recording, expected, guard = found.recording, found.expected, found.guard
    if expected is None:
        if not found.steps_of_others:  # the block does not touch the array at all
            every = recording.threads
            yield asked(
                chosen[-1],
                f"How many of the block's {every:,} threads {found.do} something of {found.array.name}?",
                "none",
                ("one", f"all {every:,}", f"one of each warp: {-(-every // LANES):,}"),
                who,
            )
        return
    outside = "a thread that this grid does not have"
    right = "a thread of another block" if found.thread is None else f"thread {recording.who(found.thread)}"
    if found.thread is None and "which" in _past_block(expected, recording):
        right = outside
    beyond = f"none: {found.name} lies outside of {found.array.name}"
    yield asked(
        chosen[-2:][0],
        f"Which thread should {found.do} {found.name}?",
        right,
        [outside, beyond, *_distractors(found, expected, right)],
        f"{who} {_nobody(found)}",
    )
    if found.thread is None or len(chosen) == 1:
        return
    never = f"it never comes to line {expected.line} for this element"
    if guard is not None:
        never = f"`{guard.condition}` in line {guard.line} is {'true' if guard.leaves else 'false'} for it"
    yield asked(
        chosen[-1],
        f"Why does thread {recording.who(found.thread)} not {found.do} {found.name}?",
        never,
        (
            f"it {found.does} it, and another thread {found.does} another value",
            "it does so after the block's last barrier",
        ),
        why,
    )


def _distractors(found: _Untouched, expected: _ExpectedAccess, right: str) -> Iterator[str]:
    """Threads that one may think of: the neighbour, and the one with x and y changed round."""
    recording, block = found.recording, found.recording.block
    yield f"thread {recording.thread(expected.like)}"
    x, y, z = expected.thread
    turned: Index3 = (y, x, z)
    if all(0 <= one < extent for one, extent in zip(turned, block, strict=True)):
        yield f"thread {recording.who(thread_number(turned, block))}"
    if right.startswith("thread") and recording.threads > 1:
        yield f"each of {spans(range(recording.threads), block)}"
