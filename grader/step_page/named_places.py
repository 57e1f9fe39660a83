"""Which step of a run an element's name and a thread's number mean. Pure."""

from __future__ import annotations

import re

from grader.step_page.story import LANES, Index3, StoryArray, WarpStep

_ELEMENT = re.compile(r"([^\[\]]+)((?:\[-?\d{1,15}\])+)")


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
