"""The story of an element that no thread of the block touches, though one should: an element of the result that nobody writes, or, where
a single block does all the work, an element of an input that nobody reads. Who should have, and why it did not. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from grader.explain.expected_access import ExpectedAccess, Goal, block_name, expected_access, past_block, thread_index
from grader.explain.guard_reason import GuardReason, Place, guard_reason
from grader.explain.product_sum import factors_of
from grader.explain.story import (
    LANES,
    Index3,
    Mark,
    Question,
    Story,
    StoryElement,
    asked,
    element_name,
    framed,
    line_of,
    spans,
    thread_name,
    thread_number,
)
from grader.explain.trace_story import run_of_threads
from grader.model.result import Mismatch, WrongElement
from grader.run.launches.trace_phases import ACCESSES, CHANGES, Step, StepKind, Trace, TracedArray
from grader.run.launches.tracing import TracedLaunch

# Which element no thread of the block touches, though one should: of the result one that nobody writes, of an input one that nobody reads;
# and who should have, by the formula of the others and the conditions in the source. Pure.

_MOST_INPUT = 1 << 20
_READS = frozenset({StepKind.READ})


@dataclass(frozen=True)
class UntouchedElement:
    trace: Trace
    block: Index3
    grid: Index3
    at: Index3
    file: str
    goal: Goal
    reads: bool  # an input that nobody reads; else a result that nobody writes
    missing: int  # how many such elements there are
    expected: ExpectedAccess | None
    guard: GuardReason | None

    @property
    def array(self) -> str:
        return self.trace.arrays[self.goal.array].name

    @property
    def name(self) -> str:
        array = self.trace.arrays[self.goal.array]
        subscripts = array.index(self.goal.flat * array.element_bytes, array.element_bytes)
        return self.array + "".join(f"[{one}]" for one in subscripts)

    @property
    def does(self) -> str:
        return "reads" if self.reads else "writes"

    @property
    def do(self) -> str:
        return "read" if self.reads else "write"

    @property
    def thread(self) -> int | None:
        """Who should have, if the block has this thread."""
        return (
            thread_number(self.expected.thread, self.block)
            if self.expected is not None and self.expected.in_block
            else None
        )

    @property
    def steps_of_others(self) -> list[int]:
        kinds = _READS if self.reads else CHANGES
        return [at for at, step in enumerate(self.trace.steps) if step[0] in kinds and step[3] == self.goal.array]

    def line_of(self, at: int) -> int:
        return line_of(self.trace, self.trace.steps[at], self.file)


def untouched_element(traced: TracedLaunch, source: Sequence[str]) -> UntouchedElement | None:
    return _unwritten(traced, source) or _unread(traced, source) or _unread_factor(traced, source)


def _unwritten(traced: TracedLaunch, source: Sequence[str]) -> UntouchedElement | None:
    """The first element of the result that is as it was before the launch, and that this block is the one to write."""
    trace, wrong = traced.report.trace, traced.report.launch.mismatch
    if trace is None or wrong is None or not wrong.unwritten or not trace.complete:
        return None
    if not trace.steps or any(step[0] in {StepKind.OUTSIDE, StepKind.STOP} for step in trace.steps):
        return None
    trace, number = _with_array(
        trace, wrong.output, (wrong.rows, wrong.columns) if wrong.rows > 1 else (wrong.columns,)
    )
    written = {_flat(step) for step in trace.steps if step[0] in CHANGES and step[3] == number}
    goals = [Goal(number, _place(one, wrong), wrong.columns) for one in wrong.first if one.got is None]
    goals = [one for one in goals if one.flat not in written]
    made = [_made(traced, trace, source, goal, reads=False, missing=wrong.unwritten) for goal in goals]
    return next((one for one in made if one is not None and one.expected), next(iter(made), None))


def _unread(traced: TracedLaunch, source: Sequence[str]) -> UntouchedElement | None:
    """Where one block does everything, and the result depends on elements that it never reads."""
    trace, launch = traced.report.trace, traced.report.launch
    if trace is None or launch.grid != (1, 1, 1) or not trace.complete or len(traced.report.inputs) != 1:
        return None
    (given,) = traced.report.inputs
    if not 0 < len(given.values) <= _MOST_INPUT or not trace.steps:
        return None
    trace, number = _with_array(trace, given.name, (len(given.values),))
    read = {_flat(step) for step in trace.steps if step[0] in ACCESSES and step[3] == number}
    unread = [flat for flat in range(len(given.values)) if flat not in read]
    if not unread:
        return None
    goal = Goal(number, unread[0], max(1, given.columns))
    return _made(traced, trace, source, goal, reads=True, missing=len(unread))


def _unread_factor(traced: TracedLaunch, source: Sequence[str]) -> UntouchedElement | None:
    """One of two matrices that are multiplied, where this block reads nothing of it."""
    trace, wrong = traced.report.trace, traced.report.launch.mismatch
    if trace is None or wrong is None or not wrong.first or not trace.complete or not trace.steps:
        return None
    read = {trace.arrays[step[3]].name for step in trace.steps if step[0] in ACCESSES}
    for at, name in enumerate(factors_of(traced.report)):
        given = next((one for one in traced.report.inputs if one.name == name), None)
        if name not in read and given is not None and given.columns:
            flat = wrong.first[0].row * given.columns if at == 0 else wrong.first[0].column
            whole, number = _with_array(trace, name, (len(given.values) // given.columns, given.columns))
            goal = Goal(number, flat, given.columns)
            return _made(traced, whole, source, goal, reads=True, missing=len(given.values))
    return None


def _made(
    traced: TracedLaunch, trace: Trace, source: Sequence[str], goal: Goal, *, reads: bool, missing: int
) -> UntouchedElement | None:
    launch = traced.report.launch
    if launch.block is None or launch.grid is None:
        return None
    kinds = _READS if reads else CHANGES
    expected = expected_access(trace, goal, kinds, launch.block, traced.file)
    guard = None
    if expected is not None and expected.in_block:
        sizes = {name: int(value) for name, value in re.findall(r"\b([A-Za-z]\w{0,30})=(\d{1,9})\b", launch.shape)}
        writer = thread_index(trace.steps[expected.like][1], launch.block)
        places = (
            Place(one, traced.request.block, launch.block, launch.grid, sizes) for one in (expected.thread, writer)
        )
        guard = guard_reason(source, expected.line, next(places), next(places))
    return UntouchedElement(
        trace,
        launch.block,
        launch.grid,
        traced.request.block,
        traced.file,
        goal,
        reads,
        missing,
        expected,
        guard,
    )


def _with_array(trace: Trace, name: str, dimensions: tuple[int, ...]) -> tuple[Trace, int]:
    """The array's number. A trace has no array that the block never uses: then it gets one."""
    number = next((at for at, one in enumerate(trace.arrays) if one.name == name and one.space == "global"), None)
    if number is not None:
        return trace, number
    array = TracedArray(name=name, space="global", element="", element_bytes=4, dimensions=dimensions)
    return trace.model_copy(update={"arrays": (*trace.arrays, array)}), len(trace.arrays)


def _place(wrong: WrongElement, mismatch: Mismatch) -> int:
    return wrong.row * mismatch.columns + wrong.column


def _flat(step: Step) -> int:
    return step[4] // step[5] if step[5] else 0


_LAST_OF_EACH = 4  # accesses of each thread that is shown
_OTHERS = 5  # accesses of others of the array, before the end of the story
_SCHEDULE = "The last accesses of the thread that should have done it, and what its neighbours do in that line."


def untouched_story(traced: TracedLaunch, source: Sequence[str]) -> Story | None:
    found = untouched_element(traced, source)
    if found is None:
        return None
    chosen = _chosen(found)
    if not chosen:
        return None
    end = len(chosen) - 1
    who, why = _who(found), _why(found)
    run = run_of_threads(found.trace, chosen, found.file, title="As it ran", schedule=_SCHEDULE)
    return framed(
        traced,
        source,
        replace(run, marks=tuple(sorted(_marks(found, chosen, f"{who} {why}".strip()), key=lambda mark: mark.step))),
        title=f"nobody {found.does} {found.name}",
        summary=f"{_nobody(found)} {who} {why}".strip(),
        questions=list(_questions(found, end, who, why)),
        start=max(0, end - 1),
    )


def _chosen(found: UntouchedElement) -> list[int]:
    steps = found.trace.steps
    last: dict[int, list[int]] = {}
    like = found.expected.like if found.expected is not None else None
    shown = {found.thread, steps[like][1] if like is not None else None}
    for at, step in enumerate(steps):
        if step[0] in ACCESSES and step[1] in shown:
            last.setdefault(step[1], []).append(at)
    chosen = {at for own in last.values() for at in own[-_LAST_OF_EACH:]}
    others = found.steps_of_others
    if like is not None:
        chosen.add(like)
        near = others.index(like)
        others = others[max(0, near - _OTHERS // 2) : near + _OTHERS // 2 + 1]
    chosen.update(others[-_OTHERS:])
    if not chosen:  # what the block does at all
        chosen.update(at for at, step in enumerate(steps) if step[0] in ACCESSES)
        chosen = set(sorted(chosen)[-_OTHERS:])
    return sorted(chosen)


def _marks(found: UntouchedElement, chosen: Sequence[int], told: str) -> Iterator[Mark]:
    thread = found.thread
    own = [at for at, one in enumerate(chosen) if found.trace.steps[one][1] == thread]
    if own and thread is not None:
        text = f"This is the last access of thread {thread_name(thread, found.block)}: it {found.does} no {found.name}."
        yield Mark(own[-1], text, "note", (thread,))
    if found.expected is not None and found.expected.like in chosen:
        step = found.trace.steps[found.expected.like]
        text = f"Thread {thread_name(step[1], found.block)} {found.does} {element_name(found.trace, step)} here."
        yield Mark(chosen.index(found.expected.like), text, "note", (step[1],))
    element = StoryElement(found.goal.array, found.goal.flat * found.trace.arrays[found.goal.array].element_bytes)
    threads = () if thread is None else (thread,)
    yield Mark(
        len(chosen) - 1, f"The block has ended, and nobody {found.do}s {found.name}. {told}", "bad", threads, (element,)
    )


def _nobody(found: UntouchedElement) -> str:
    if found.reads:
        more = f", like {found.missing - 1:,} more elements of {found.array}" if found.missing > 1 else ""
        if found.grid == (1, 1, 1):
            return f"No thread reads {found.name}{more}: the result cannot depend on it."
        return (
            f"No thread of block {block_name(found.at)} reads {found.name}{more}: what it writes cannot depend on it."
        )
    more = f" {found.missing:,} elements of {found.array} are like that." if found.missing > 1 else ""
    return f"No thread of block {block_name(found.at)} writes {found.name}: it holds what was there before the launch.{more}"


def _who(found: UntouchedElement) -> str:
    expected = found.expected
    if expected is None:
        if not found.steps_of_others:
            return f"Nobody in this block {found.does} anything of {found.array}."
        return f"What its threads {found.do} of {found.array}: {_span(found)}."
    like = found.trace.steps[expected.like]
    by = f"Thread {thread_name(like[1], found.block)} {found.does} {element_name(found.trace, like)} in line {expected.line}."
    if found.thread is not None:
        return (
            f"{by} By the same formula, thread {thread_name(found.thread, found.block)} should {found.do} {found.name}."
        )
    return f"{by} By the same formula, it would be {past_block(expected, found.at, found.block, found.grid)}."


def _span(found: UntouchedElement) -> str:
    cells = sorted((found.trace.steps[at] for at in found.steps_of_others), key=lambda step: step[4])
    return f"{element_name(found.trace, cells[0])} to {element_name(found.trace, cells[-1])}"


def _why(found: UntouchedElement) -> str:
    if found.thread is None:
        return ""
    if found.guard is not None:
        return found.guard.words
    name = thread_name(found.thread, found.block)
    own = [at for at, step in enumerate(found.trace.steps) if step[0] in ACCESSES and step[1] == found.thread]
    if not own:
        return f"But thread {name} reads and writes nothing at all."
    line = found.expected.line if found.expected else 0
    return f"But its last access is in line {found.line_of(own[-1])}: it never does line {line} for this element."


def _questions(found: UntouchedElement, end: int, who: str, why: str) -> Iterator[Question]:
    if found.expected is None:
        yield from _of_nobody(found, end, who)
        return
    outside = "a thread that this grid does not have"
    other_block = "a thread of another block"
    right = other_block if found.thread is None else f"thread {thread_name(found.thread, found.block)}"
    if found.thread is None and "which" in past_block(found.expected, found.at, found.block, found.grid):
        right = outside
    others = [outside, f"none: {found.name} lies outside of {found.array}", *_distractors(found, found.expected, right)]
    should = asked(
        max(0, end - 1),
        f"Which thread should {found.do} {found.name}?",
        right,
        others,
        f"{who} {_nobody(found)}",
    )
    if should is not None:
        yield should
    if found.thread is None or end == 0:
        return
    name = thread_name(found.thread, found.block)
    reasons = {
        "guard": f"`{found.guard.condition}` in line {found.guard.line} is {'true' if found.guard.leaves else 'false'} for it"
        if found.guard is not None
        else "",
        "never": f"it never comes to line {found.expected.line} for this element",
        "over": f"it {found.does} it, and another thread {found.does} another value",
        "late": "it does so after the block's last barrier",
    }
    if found.guard is not None:
        reasons.pop("never")
    why_not = asked(
        end,
        f"Why does thread {name} not {found.do} {found.name}?",
        reasons["guard"] or reasons["never"],
        reasons.values(),
        why,
    )
    if why_not is not None:
        yield why_not


def _of_nobody(found: UntouchedElement, end: int, who: str) -> Iterator[Question]:
    """Where the block does not touch the array at all."""
    every = found.block[0] * found.block[1] * found.block[2]
    if not found.steps_of_others:
        ask = asked(
            end,
            f"How many of the block's {every:,} threads {found.do} something of {found.array}?",
            "none",
            ("one", f"all {every:,}", f"one of each warp: {-(-every // LANES):,}"),
            who,
        )
        if ask is not None:
            yield ask


def _distractors(found: UntouchedElement, expected: ExpectedAccess, right: str) -> Iterator[str]:
    """Threads that one may think of: the neighbour, and the one with x and y changed round."""
    like = found.trace.steps[expected.like][1]
    yield f"thread {thread_name(like, found.block)}"
    x, y, z = expected.thread
    turned = (y, x, z)
    if all(0 <= one < extent for one, extent in zip(turned, found.block, strict=True)):
        yield f"thread {thread_name(thread_number(turned, found.block), found.block)}"
    every = found.block[0] * found.block[1] * found.block[2]
    if right.startswith("thread") and every > 1:
        yield f"each of {spans(range(every), found.block)}"
