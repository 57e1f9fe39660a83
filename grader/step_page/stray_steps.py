"""Accesses outside of an array as steps of a run. They do not happen and are not recorded: the thread ends there, and the finding tells
which element it would have been. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from grader.model.result import Finding
from grader.model.verdicts import Verdict
from grader.step_page.story import LANES, Index3, PageStepKind, StoryArray, StoryPlace, StoryRun, WarpStep

_ELEMENT = re.compile(r"([^\[\]]+)((?:\[-?\d{1,15}\])+)")
_MOST = 8


def thread_number(thread: Index3, block: Index3) -> int:
    """Linear in the block, x fastest."""
    return thread[0] + block[0] * (thread[1] + block[1] * thread[2])


def has_thread(step: WarpStep, thread: int) -> bool:
    return step.warp == thread // LANES and thread % LANES in step.lanes


def offset_of(array: StoryArray, element: str) -> int | None:
    """Of `As[3][17]` or `A[1056]`, in bytes; None: it is no element of this array."""
    found = _ELEMENT.fullmatch(element)
    if found is None or found[1] != array.name:
        return None
    subscripts = [int(one) for one in re.findall(r"-?\d+", found[2])]
    if len(subscripts) not in {1, len(array.dimensions)}:
        return None
    cell = subscripts[0]
    for one, extent in zip(subscripts[1:], array.dimensions[1:], strict=False):
        cell = cell * extent + one
    return cell * array.element_bytes


def with_strays(run: StoryRun, findings: Sequence[Finding], block: Index3, at: Index3) -> StoryRun:
    """The run with a step for each finding of an access outside of an array, after the last step of its thread."""
    strays = [one for one in findings if one.kind is Verdict.OUT_OF_BOUNDS and one.block == at and one.thread]
    places = list(run.places)
    after: dict[int, list[WarpStep]] = {}
    for finding in strays[:_MOST]:
        thread = thread_number(finding.thread or (0, 0, 0), block)
        step = _stray(run, finding, thread, len(places))
        if step is None:
            continue
        places.append(StoryPlace(finding.line or 0, finding.function or ""))
        last = max((number for number, one in enumerate(run.steps) if has_thread(one, thread)), default=None)
        after.setdefault(-1 if last is None else last, []).append(
            step if last is None else replace(step, interval=run.steps[last].interval)
        )
    return replace(run, places=tuple(places), steps=tuple(_woven(run.steps, after))) if after else run


def _stray(run: StoryRun, finding: Finding, thread: int, place: int) -> WarpStep | None:
    for number, array in enumerate(run.arrays):
        offset = offset_of(array, finding.element or "")
        if offset is not None:
            return WarpStep(
                kind=PageStepKind.OUTSIDE,
                warp=thread // LANES,
                interval=0,
                place=place,
                array=number,
                bytes=array.element_bytes,
                lanes=(thread % LANES,),
                offsets=(offset,),
                bits=(None,),
            )
    return None


def _woven(steps: Sequence[WarpStep], after: dict[int, list[WarpStep]]) -> Iterator[WarpStep]:
    yield from after.get(-1, ())
    for number, step in enumerate(steps):
        yield step
        yield from after.get(number, ())
