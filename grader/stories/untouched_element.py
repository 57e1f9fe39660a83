"""Which element no thread of the block touches, though one should: of the result one that nobody writes, of an input one that nobody reads;
and who should have, by the formula of the others and the conditions in the source. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from grader.model.result import Mismatch, WrongElement
from grader.single_launch.trace_steps import ACCESSES, CHANGES, Step, StepKind, Trace, TracedArray
from grader.single_launch.tracing import TracedLaunch
from grader.source_conditions.guard_reason import GuardReason, Place, guard_reason
from grader.step_page.named_places import thread_number
from grader.step_page.story import Index3
from grader.stories.expected_access import ExpectedAccess, Goal, expected_access, thread_index
from grader.stories.told_story import line_of
from grader.value_origins.product_factors import factors_of

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


def _made(  # noqa: PLR0913 -- what is told of it
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
