"""One recorded block as its stories see it: who did what to which element, asked of one index and told in the same words; and the frame
that every story of a mistake has. Pure.

A story finds its moments in the trace, chooses the steps that are shown, and gives remarks and questions as data, each with its place in
the trace. The frame makes the run and the page's numbers of steps.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self, TypeVar

from grader.explain.guard_reason import LaunchThread
from grader.explain.page_block import page_arrays, page_places, value_text
from grader.explain.story import (
    LANES,
    Index3,
    Mark,
    Question,
    Story,
    StoryElement,
    StoryRun,
    Tone,
    WarpStep,
    thread_name,
)
from grader.explain.warp_steps import run_of_trace
from grader.model.result import Launch
from grader.run.launches.lab_launch import Traced
from grader.run.launches.trace_phases import (
    ACCESSES,
    Step,
    StepKind,
    Trace,
    TracedArray,
    TraceIndex,
    TraceReport,
    coefficients,
    thread_index,
)
from grader.source.student_code import subscripted

READS = frozenset({StepKind.READ})
_FEWEST = 2  # accesses that show a formula
Key = tuple[int, int]  # an array's number, and the byte offset in it
Choice = TypeVar("Choice", str, int)


class Moment(int):
    """A place in a recorded trace, and what happened there."""

    recording: Recording
    step: Step
    kind: int
    thread: int
    interval: int
    key: Key

    def __new__(cls, at: int, recording: Recording) -> Self:
        made = super().__new__(cls, at)
        made.recording, made.step = recording, recording.trace.steps[at]
        made.kind, made.thread, made.interval, *_ = made.step
        made.key = made.step[3], made.step[4]
        return made

    @property
    def who(self) -> str:
        return self.recording.who(self.thread)

    @property
    def array(self) -> TracedArray:
        return self.recording.trace.arrays[self.step[3]]

    @property
    def is_shared(self) -> bool:
        return self.array.space == "shared"

    @property
    def name(self) -> str:
        return element_name(self.recording.trace, self.step)

    def is_called(self, element: str | None) -> bool:
        """Findings name an element of global memory by one subscript."""
        return element in {self.name, f"{self.array.name}[{self.step[4] // self.array.element_bytes}]"}

    @property
    def cell(self) -> tuple[int, ...]:
        """The subscripts."""
        return self.array.index(*self.step[4:6])

    @property
    def flat(self) -> int:
        return self.step[4] // self.step[5] if self.step[5] else -1

    @cached_property
    def value(self) -> float:
        return self.array.value(self.step[6], self.step[5])

    @property
    def shown(self) -> str:
        """The value as a page shows it."""
        return value_text(self.step[6], self.step[5], self.array.element)

    @property
    def line(self) -> int:
        """0: in another file."""
        return self.recording.lines[self.step[7]]

    @property
    def doer(self) -> str:
        return f"thread {self.who} in line {self.line}"

    @property
    def expression(self) -> str:
        """What stands in the source for this access; empty where it is not found."""
        return subscripted(self.recording.source, self.line, self.array.name)

    @property
    def writer(self) -> Moment | None:
        """The last change of its element before it."""
        return self.recording.moment_at(self.recording.index.writer.get(self))

    @property
    def load(self) -> Moment | None:
        """Of a write to shared memory, the read that brought its value."""
        return self.recording.moment_at(self.recording.index.loaded.get(self))

    def remark(self, text: str, tone: Tone = "bad", *others: Moment) -> Mark:
        """With its thread and its element, and the elements of others."""
        elements = (StoryElement(*one.key) for one in (self, *others))
        return Mark(self, text, tone, (self.thread,), tuple(elements))


@dataclass(frozen=True)
class Recording:
    """`source`: the lines of the shown file."""

    traced: Traced
    trace: Trace
    block: Index3  # threads in x, y and z
    grid: Index3
    source: Sequence[str]

    @classmethod
    def of(cls, traced: Traced | None, source: Sequence[str]) -> Recording | None:
        """None where the block did not run."""
        if traced is None or traced.report.trace is None:
            return None
        launch = traced.report.launch
        if launch.block is None or launch.grid is None:
            return None
        return cls(traced, traced.report.trace, launch.block, launch.grid, source)

    @property
    def report(self) -> TraceReport:
        return self.traced.report

    @property
    def launch(self) -> Launch:
        return self.traced.report.launch

    @property
    def file(self) -> str:
        return self.traced.file

    @property
    def at(self) -> Index3:
        """The block that was followed."""
        return self.traced.request.block

    @property
    def threads(self) -> int:
        return math.prod(self.block)

    @cached_property
    def index(self) -> TraceIndex:
        return TraceIndex(self.trace)

    @cached_property
    def lines(self) -> list[int]:
        """Of the shown file, by place; 0: in another file."""
        return [place.line if place.file == self.file else 0 for place in self.trace.places]

    # A trace has tens of thousands of steps, and a story needs few: a moment is made when it is asked for.

    def moment(self, at: int) -> Moment:
        return Moment(at, self)

    def moment_at(self, at: int | None) -> Moment | None:
        return None if at is None else self.moment(at)

    def moments(self, first: int = 0, stop: int | None = None) -> list[Moment]:
        return [self.moment(at) for at in range(first, len(self.trace.steps) if stop is None else stop)]

    @cached_property
    def _by_thread(self) -> dict[int, list[int]]:
        found: dict[int, list[int]] = defaultdict(list)
        for at, step in enumerate(self.trace.steps):
            if step[0] != StepKind.BARRIER:
                found[step[1]].append(at)
        return found

    def of_thread(self, thread: int) -> list[Moment]:
        """What it does, without the barriers."""
        return [self.moment(at) for at in self._by_thread.get(thread, ())]

    def find(
        self,
        kinds: Collection[int],
        *,
        array: int | str | None = None,
        line: int | None = None,
        thread: int | None = None,
        flat: int | None = None,
    ) -> list[Moment]:
        """Steps of these kinds: of this array (its number or name), in this line of the shown file, of this thread, of this element."""
        numbers = {number for number, one in enumerate(self.trace.arrays) if array in {None, number, one.name}}
        plain, lines = frozenset(map(int, kinds)), self.lines  # comparing with a member of an enumeration is slow
        return [
            self.moment(at)
            for at, step in enumerate(self.trace.steps)
            if step[0] in plain
            and (array is None or step[3] in numbers)
            and (thread is None or step[1] == thread)
            and (line is None or lines[step[7]] == line)
            and (flat is None or (step[4] // step[5] if step[5] else -1) == flat)
        ]

    def number_of(self, name: str) -> int | None:
        """Of an array in global memory."""
        arrays = enumerate(self.trace.arrays)
        return next((at for at, one in arrays if (one.name, one.space) == (name, "global")), None)

    def who(self, thread: int) -> str:
        return thread_name(thread, self.block)

    def place(self, thread: int) -> LaunchThread:
        """Where it stands, for conditions in the source."""
        found = re.findall(r"\b([A-Za-z]\w{0,30})=(\d{1,9})\b", self.launch.shape)
        sizes = {name: int(value) for name, value in found}
        return LaunchThread(thread_index(thread, self.block), self.at, self.block, self.grid, sizes)

    def with_barriers(self, chosen: Collection[int]) -> list[int]:
        """In their order, with the barriers between them."""
        between = range(min(chosen), max(chosen))
        return sorted({*chosen, *(at for at in between if self.trace.steps[at][0] == StepKind.BARRIER)})

    def run(
        self, chosen: Sequence[int], title: str, schedule: str, line_of: Mapping[int, int] | None = None
    ) -> StoryRun:
        """These steps, rising, each as one thread's. Warps are not put together: where two threads race, their own order is what there is
        to see. `line_of`: lines of the shown source, where the traced one has others.
        """
        return StoryRun(
            title=title,
            schedule=schedule,
            arrays=tuple(replace(array, base=0) for array in page_arrays(self.trace, chosen)),
            places=page_places(self.trace, self.file, line_of),
            steps=tuple(_step(self.trace.steps[at]) for at in chosen),
        )

    def together(
        self, title: str, schedule: str, chosen: Iterable[int] | None = None
    ) -> tuple[StoryRun, dict[int, int]]:
        """These steps, or all, with lanes of a warp put together; and which step of the run each of them is in."""
        return run_of_trace(self.trace, self.block, self.file, title=title, schedule=schedule, chosen=chosen)

    def framed(
        self, *runs: StoryRun, title: str, summary: str, questions: Iterable[Question | None] = (), start: int = 0
    ) -> Story | None:
        """Questions have their places in the run."""
        if not runs[0].steps:
            return None
        return Story(
            title=f"{self.traced.name}: {title}",
            summary=summary,
            file=self.file,
            source=tuple(self.source),
            grid=self.grid,
            block=self.block,
            at=self.at,
            shape=self.launch.shape,
            inputs=self.launch.inputs,
            runs=runs,
            questions=tuple(one for one in questions if one is not None),
            tone="bad",
            start=max(0, min(start, len(runs[0].steps) - 1)),
        )


def _step(step: Step) -> WarpStep:
    kind, thread, interval, array, offset, size, bits, place, *_ = step
    if kind == StepKind.BARRIER:
        return WarpStep(StepKind.BARRIER, -1, interval, place)
    return WarpStep(
        kind=StepKind(kind),
        warp=thread // LANES,
        interval=interval,
        place=place,
        array=array if kind in ACCESSES or kind == StepKind.OUTSIDE else -1,
        bytes=size,
        lanes=(thread % LANES,),
        offsets=(offset,),
        bits=(bits if kind in ACCESSES or (kind == StepKind.EXCHANGE and size) else None,),
    )


@dataclass(frozen=True)
class Telling:
    """A story of chosen steps. Marks and questions have their places in the trace."""

    recording: Recording
    title: str
    summary: str
    steps: Collection[int]
    schedule: str  # which steps these are, in a sentence
    marks: Iterable[Mark]
    questions: Iterable[Question | None]
    before: int | None = None  # so many steps before the first mistake the page begins; None: at the first step

    @property
    def story(self) -> Story | None:
        steps = sorted(self.steps)
        places = {at: place for place, at in enumerate(steps)}
        marks = sorted((replace(one, step=places[one.step]) for one in self.marks), key=lambda mark: mark.step)
        first = next((one.step for one in marks if one.tone == "bad"), 0)
        return self.recording.framed(
            replace(self.recording.run(steps, "As it ran", self.schedule), marks=tuple(marks)),
            title=self.title,
            summary=self.summary,
            questions=[replace(one, step=places[one.step]) for one in self.questions if one is not None],
            start=first - self.before if self.before is not None else 0,
        )


def asked(
    step: int, text: str, right: Choice, others: Iterable[Choice], explanation: str, *, run: int = 0
) -> Question | None:
    """Choices in an order that does not tell which is right. None where there is nothing to tell apart."""
    choices = sorted({right}.union(one for one in others if one != ""))
    shown = tuple(map(str, choices))
    return Question(run, step, text, shown, choices.index(right), explanation) if len(choices) > 1 else None


def known(*moments: Moment | None) -> set[Moment]:
    """Those that there are."""
    return {one for one in moments if one is not None}


def element_name(trace: Trace, step: Step) -> str:
    return trace.arrays[step[3]].named(step[4], step[5])


def thread_by_formula(places: Mapping[Index3, Sequence[int]], wanted: Sequence[int], block: Index3) -> Index3 | None:
    """Which thread's subscripts are the wanted ones, by the formula that gives those of all these threads. Where each subscript follows
    from one of x, y and z, it may lie past the block; else it is one of the block's own.
    """
    if len(places) < _FEWEST or any(len(one) != len(wanted) for one in places.values()):
        return None
    found = [coefficients({one: at[axis] for one, at in places.items()}) for axis in range(len(wanted))]
    formulas = [(*one, value) for one, value in zip(found, wanted, strict=True) if one is not None]
    if len(formulas) < len(wanted):
        return None
    thread: list[int | None] = [None, None, None]
    for constant, factors, value in formulas:
        moving = [axis for axis in range(3) if factors[axis]]
        if not moving and constant != value:
            return None
        if len(moving) > 1:
            every = (thread_index(number, block) for number in range(math.prod(block)))
            return next((one for one in every if all(_gives(formula, one) for formula in formulas)), None)
        for axis in moving:
            there, rest = divmod(value - constant, factors[axis])
            if rest or thread[axis] not in {None, there}:
                return None
            thread[axis] = there
    x, y, z = (one if one is not None else 0 for one in thread)
    return x, y, z


def _gives(formula: tuple[int, Index3, int], thread: Index3) -> bool:
    constant, factors, value = formula
    return constant + sum(a * b for a, b in zip(factors, thread, strict=True)) == value
