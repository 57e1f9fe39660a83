"""A part of a recorded trace as a run in which each step is one thread's, in the order in which they happened. Warps are not put together
here: where two threads race, their own order is what there is to see. Pure.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from grader.single_launch.trace_steps import ACCESSES, CHANGES, Step, StepKind, Trace
from grader.step_page.page_arrays import page_arrays, page_places
from grader.step_page.story import LANES, PageStepKind, StoryRun, WarpStep


def run_of_threads(  # noqa: PLR0913 -- what is shown, and how it is called
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
        and trace.steps[number][0] in CHANGES
        and trace.arrays[trace.steps[number][3]].space == "global"
    ]
    return stores[-1] if stores else None


def _step(step: Step) -> WarpStep:
    kind, thread, interval, array, offset, size, bits, place, *_ = step
    if kind == StepKind.BARRIER:
        return WarpStep(PageStepKind.BARRIER, -1, interval, place)
    return WarpStep(
        kind=PageStepKind(kind),
        warp=thread // LANES,
        interval=interval,
        place=place,
        array=array if kind in ACCESSES or kind == StepKind.OUTSIDE else -1,
        bytes=size,
        lanes=(thread % LANES,),
        offsets=(offset,),
        bits=(bits if kind in ACCESSES or (kind == StepKind.EXCHANGE and size) else None,),
    )
