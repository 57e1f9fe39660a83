"""One recorded block as its stories see it: who did what to which element, asked of one index and told in the same words; and the frame
that every story of a mistake has. Pure.

A story finds its moment in the trace, chooses the steps that are shown, and gives remarks and questions as data, each with its place in
the trace. The frame makes the run and the page's numbers of steps.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

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
from grader.model.result import Launch
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
from grader.run.launches.tracing import Traced
from grader.source.student_code import subscripted

_FEWEST = 2  # accesses that show a formula
Key = tuple[int, int]  # an array's number, and the byte offset in it


@dataclass(frozen=True)
class Recording:
    """`source`: the lines of the shown file. Steps are named by their places in the trace."""

    traced: Traced
    trace: Trace
    block: Index3  # threads in x, y and z
    grid: Index3
    source: Sequence[str]

    @classmethod
    def of(cls, traced: Traced, source: Sequence[str]) -> Recording | None:
        """None where the block did not run."""
        trace, launch = traced.report.trace, traced.report.launch
        if trace is None or launch.block is None or launch.grid is None:
            return None
        return cls(traced, trace, launch.block, launch.grid, source)

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
    def steps(self) -> Sequence[Step]:
        return self.trace.steps

    @property
    def threads(self) -> int:
        return math.prod(self.block)

    @cached_property
    def index(self) -> TraceIndex:
        return TraceIndex(self.trace)

    @cached_property
    def of_thread(self) -> dict[int, list[int]]:
        """What each thread does, without the barriers."""
        found: dict[int, list[int]] = defaultdict(list)
        for at, step in enumerate(self.steps):
            if step[0] != StepKind.BARRIER:
                found[step[1]].append(at)
        return found

    def find(
        self,
        kinds: Collection[int],
        *,
        array: int | None = None,
        name: str | None = None,
        line: int | None = None,
        thread: int | None = None,
        flat: int | None = None,
    ) -> list[int]:
        """Steps of these kinds: of this array, of one with this name, in this line of the shown file, of this thread, of this element."""
        return [
            at
            for at, step in enumerate(self.steps)
            if step[0] in kinds
            and (array is None or step[3] == array)
            and (name is None or self.trace.arrays[step[3]].name == name)
            and (line is None or self.line(at) == line)
            and (thread is None or step[1] == thread)
            and (flat is None or self.flat(at) == flat)
        ]

    def number_of(self, name: str) -> int | None:
        """Of an array in global memory."""
        arrays = enumerate(self.trace.arrays)
        return next((at for at, one in arrays if (one.name, one.space) == (name, "global")), None)

    def array(self, at: int) -> TracedArray:
        return self.trace.arrays[self.steps[at][3]]

    def is_shared(self, at: int) -> bool:
        return self.array(at).space == "shared"

    def key(self, at: int) -> Key:
        step = self.steps[at]
        return step[3], step[4]

    def element(self, at: int) -> StoryElement:
        return StoryElement(*self.key(at))

    def cell(self, at: int) -> tuple[int, ...]:
        """The subscripts."""
        step = self.steps[at]
        return self.trace.arrays[step[3]].index(step[4], step[5])

    def flat(self, at: int) -> int:
        step = self.steps[at]
        return step[4] // step[5] if step[5] else -1

    def value(self, at: int) -> float:
        step = self.steps[at]
        return self.trace.arrays[step[3]].value(step[6], step[5])

    def line(self, at: int) -> int:
        """0: in another file."""
        place = self.trace.places[self.steps[at][7]]
        return place.line if place.file == self.file else 0

    def name(self, at: int) -> str:
        return element_name(self.trace, self.steps[at])

    def who(self, thread: int) -> str:
        return thread_name(thread, self.block)

    def thread(self, at: int) -> str:
        return self.who(self.steps[at][1])

    def expression(self, at: int) -> str:
        """What stands in the source for this access; empty where it is not found."""
        return subscripted(self.source, self.line(at), self.array(at).name)

    def place(self, thread: int) -> LaunchThread:
        """Where it stands, for conditions in the source."""
        found = re.findall(r"\b([A-Za-z]\w{0,30})=(\d{1,9})\b", self.launch.shape)
        sizes = {name: int(value) for name, value in found}
        return LaunchThread(thread_index(thread, self.block), self.at, self.block, self.grid, sizes)

    def remark(self, at: int, text: str, tone: Tone = "bad") -> Mark:
        """With the thread and the element of that step."""
        return Mark(at, text, tone, (self.steps[at][1],), (self.element(at),))

    def with_barriers(self, chosen: Collection[int]) -> list[int]:
        """In their order, with the barriers between them."""
        between = range(min(chosen), max(chosen))
        return sorted({*chosen, *(at for at in between if self.steps[at][0] == StepKind.BARRIER)})


def element_name(trace: Trace, step: Step) -> str:
    return trace.arrays[step[3]].named(step[4], step[5])


def value_shown(trace: Trace, at: int) -> str:
    step = trace.steps[at]
    return value_text(step[6], step[5], trace.arrays[step[3]].element)


def thread_by_formula(places: Mapping[Index3, Sequence[int]], wanted: Sequence[int], block: Index3) -> Index3 | None:
    """Which thread's subscripts are the wanted ones, by the formula that gives those of all these threads. Where each subscript follows
    from one of x, y and z, it may lie past the block.
    """
    if len(places) < _FEWEST or any(len(one) != len(wanted) for one in places.values()):
        return None
    thread: list[int | None] = [None, None, None]
    formulas = [coefficients({one: at[axis] for one, at in places.items()}) for axis in range(len(wanted))]
    for formula, value in zip(formulas, wanted, strict=True):
        if formula is None:
            return None
        constant, factors = formula
        moving = [axis for axis in range(3) if factors[axis]]
        if not moving and constant != value:
            return None
        if len(moving) > 1:
            return _thread_at(formulas, wanted, block)
        for axis in moving:
            there, rest = divmod(value - constant, factors[axis])
            if rest or thread[axis] not in {None, there}:
                return None
            thread[axis] = there
    x, y, z = (one if one is not None else 0 for one in thread)
    return x, y, z


def _thread_at(formulas: Sequence[tuple[int, Index3] | None], wanted: Sequence[int], block: Index3) -> Index3 | None:
    """The block's own thread for which the formulas of all subscripts give these."""
    for number in range(block[0] * block[1] * block[2]):
        thread = thread_index(number, block)
        if all(
            one is not None and one[0] + sum(a * b for a, b in zip(one[1], thread, strict=True)) == value
            for one, value in zip(formulas, wanted, strict=True)
        ):
            return thread
    return None


def asked(
    step: int, text: str, right: str, others: Iterable[str], explanation: str, *, run: int = 0
) -> Question | None:
    """Choices in an order that does not tell which is right. None where there is nothing to tell apart."""
    choices = tuple(sorted({right, *(one for one in others if one)}))
    return Question(run, step, text, choices, choices.index(right), explanation) if len(choices) > 1 else None


def asked_number(step: int, text: str, right: int, others: Iterable[int], explanation: str) -> Question | None:
    """Like `asked`, with numbers in their order."""
    choices = sorted({right, *others})
    shown = tuple(map(str, choices))
    return Question(0, step, text, shown, choices.index(right), explanation) if len(choices) > 1 else None


def framed(
    recording: Recording,
    *runs: StoryRun,
    title: str,
    summary: str,
    questions: Iterable[Question | None] = (),
    start: int = 0,
) -> Story | None:
    """Questions have their places in the run."""
    if not runs[0].steps:
        return None
    return Story(
        title=f"{recording.traced.name}: {title}",
        summary=summary,
        file=recording.file,
        source=tuple(recording.source),
        grid=recording.grid,
        block=recording.block,
        at=recording.at,
        shape=recording.launch.shape,
        inputs=recording.launch.inputs,
        runs=runs,
        questions=tuple(one for one in questions if one is not None),
        tone="bad",
        start=max(0, min(start, len(runs[0].steps) - 1)),
    )


@dataclass(frozen=True)
class Shown:
    """What a story shows of a recording."""

    recording: Recording
    steps: Collection[int]
    schedule: str  # which steps these are, in a sentence
    before: int | None = None  # so many steps before the first mistake the page begins; None: at the first step


def told(
    shown: Shown, *, title: str, summary: str, marks: Iterable[Mark], questions: Iterable[Question | None]
) -> Story | None:
    """A story of chosen steps, each shown as one thread's. Marks and questions have their places in the trace."""
    recording, steps = shown.recording, sorted(shown.steps)
    run = run_of_threads(recording.trace, steps, recording.file, title="As it ran", schedule=shown.schedule)
    places = {at: place for place, at in enumerate(steps)}
    placed = sorted((replace(one, step=places[one.step]) for one in marks), key=lambda mark: mark.step)
    first = next((one.step for one in placed if one.tone == "bad"), 0)
    return framed(
        recording,
        replace(run, marks=tuple(placed)),
        title=title,
        summary=summary,
        questions=[replace(one, step=places[one.step]) for one in questions if one is not None],
        start=first - shown.before if shown.before is not None else 0,
    )


# A part of a recorded trace as a run in which each step is one thread's, in the order in which they happened. Warps are not put together
# here: where two threads race, their own order is what there is to see.


def run_of_threads(
    trace: Trace, chosen: Sequence[int], file: str, *, title: str, schedule: str, line_of: dict[int, int] | None = None
) -> StoryRun:
    """`chosen`: places in `trace.steps`, rising. `line_of`: lines of the shown source, where the traced one has others."""
    return StoryRun(
        title=title,
        schedule=schedule,
        arrays=tuple(replace(array, base=0) for array in page_arrays(trace, chosen)),
        places=page_places(trace, file, line_of),
        steps=tuple(_step(trace.steps[number]) for number in chosen),
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


def around(trace: Trace, threads: Collection[int], meets: Sequence[int], most: int) -> list[int]:
    """The steps of `threads`, and the barriers, from `most` of each thread's before the first of `meets` to as many after the last."""
    first, last = min(meets), max(meets)
    intervals = range(trace.steps[first][2], trace.steps[last][2] + 1)
    own: dict[int, list[int]] = defaultdict(list)
    chosen: set[int] = set()
    for number, step in enumerate(trace.steps):
        if step[2] not in intervals:
            continue
        if step[0] != StepKind.BARRIER:
            own[step[1]].append(number)
        elif first < number < last:
            chosen.add(number)
    for thread in threads:
        met = [place for place, number in enumerate(own[thread]) if number in meets]
        if met:
            chosen.update(own[thread][max(0, met[0] - most) : met[-1] + most + 1])
    return sorted(chosen)
