"""A part of a recorded trace as a run in which each step is one thread's, in the order in which they happened. Warps are not put together
here: where two threads race, their own order is what there is to see. Pure.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from grader.single_launch.trace_steps import Step, StepKind, Trace
from grader.step_page.story import LANES, PageStepKind, StoryPlace, StoryRun, WarpStep
from grader.step_page.warp_steps import by_array, unit_array


def run_of_threads(  # noqa: PLR0913 -- what is shown, and how it is called
    trace: Trace, chosen: Sequence[int], file: str, *, title: str, schedule: str, line_of: dict[int, int] | None = None
) -> StoryRun:
    """`chosen`: places in `trace.steps`, rising. `line_of`: lines of the shown source, where the traced one has others."""
    before = by_array(trace.steps[: chosen[0]] if chosen else ())
    of_array = by_array(trace.steps)
    shown = {trace.steps[number][3] for number in chosen if trace.steps[number][0] != StepKind.BARRIER}
    return StoryRun(
        title=title,
        schedule=schedule,
        arrays=tuple(
            replace(
                unit_array(array, of_array.get(number, ())),
                base=0,
                initial=_contents(before.get(number, ())) if number in shown else {},
            )
            for number, array in enumerate(trace.arrays)
        ),
        places=tuple(
            StoryPlace((line_of or {}).get(one.line, one.line) if one.file == file else 0, one.function)
            for one in trace.places
        ),
        steps=tuple(_step(trace.steps[number]) for number in chosen),
    )


def around(trace: Trace, threads: Collection[int], meets: Sequence[int], most: int) -> list[int]:
    """The steps of `threads`, and the barriers, from `most` of each thread's before the first of `meets` to as many after the last."""
    first, last = min(meets), max(meets)
    intervals = range(trace.steps[first][2], trace.steps[last][2] + 1)
    own = [
        number
        for number, step in enumerate(trace.steps)
        if step[2] in intervals and (step[0] == StepKind.BARRIER or step[1] in threads)
    ]
    chosen: list[int] = []
    for thread in threads:
        of_thread = [
            number for number in own if trace.steps[number][0] != StepKind.BARRIER and trace.steps[number][1] == thread
        ]
        met = [place for place, number in enumerate(of_thread) if number in meets]
        if met:
            chosen += of_thread[max(0, met[0] - most) : met[-1] + most + 1]
    chosen += [number for number in own if trace.steps[number][0] == StepKind.BARRIER and first < number < last]
    return sorted(set(chosen))


def last_store(trace: Trace, thread: int, after: int) -> int | None:
    """Where the thread last writes to global memory."""
    stores = [
        number
        for number in range(after + 1, len(trace.steps))
        if trace.steps[number][1] == thread
        and trace.steps[number][0] in {StepKind.WRITE, StepKind.ATOMIC}
        and trace.arrays[trace.steps[number][3]].space == "global"
    ]
    return stores[-1] if stores else None


def _contents(before: Iterable[Step]) -> dict[int, tuple[int, int]]:
    """What has been written to the array's elements, by their offsets: bits, and how many bytes were written."""
    return {
        offset: (bits, size)
        for kind, _, _, _, offset, size, bits, *_ in before
        if kind in {StepKind.WRITE, StepKind.ATOMIC}
    }


def _step(step: Step) -> WarpStep:
    kind, thread, interval, array, offset, size, bits, place, *_ = step
    if kind == StepKind.BARRIER:
        return WarpStep(PageStepKind.BARRIER, -1, interval, place)
    return WarpStep(
        kind=PageStepKind(kind),
        warp=thread // LANES,
        interval=interval,
        place=place,
        array=array,
        bytes=size,
        lanes=(thread % LANES,),
        offsets=(offset,),
        bits=(None if kind == StepKind.OUTSIDE else bits,),
    )
