"""A story: what a page that steps through a block shows. It holds one run of the block or several beside each other, remarks at steps,
and questions that are asked before a step is shown. Plain data; who makes a story chooses its words.

A run's steps are those of its warps, in the order in which the page shows them. warp_steps.py makes them from a recorded trace, and
page_block.py writes a story as the page's data.
"""

from __future__ import annotations

import base64
import math
import zlib
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from grader.model import visible_text
from grader.model.result import Finding, StepLink, StepPage
from grader.run.launches.trace_phases import StepKind, runs, thread_index

Index3 = tuple[int, int, int]
Tone = Literal["bad", "note", "good"]

LANES = 32
MOST_THREADS = 1024  # no GPU has a larger block, whatever was reported


@dataclass(frozen=True)
class StoryArray:
    """An array that the run uses. Offsets are bytes from its first byte."""

    name: str  # "A", "As"
    space: str  # "global", "shared", "module"
    element: str  # "float"
    element_bytes: int
    dimensions: tuple[int, ...] = ()  # rows and columns; empty: unknown
    base: int = 0  # its first byte's address, modulo the 128 bytes of a row of banks
    # Where known at the start: the offset of an element to its bits, and how many bytes of it they are.
    initial: dict[int, tuple[int, int]] = field(default_factory=dict)


@dataclass(frozen=True)
class StoryPlace:
    line: int  # of the shown source; 0: in another file
    function: str = ""
    calls: str = ""  # the warp operation that it is: "__syncwarp()", "a shuffle"
    element: str = ""  # the type of what that brings


@dataclass(frozen=True)
class WarpCost:
    """What a GPU needs for one request of a warp: sectors of global memory, or passes over the banks of shared memory."""

    count: int
    least: int  # if the same words were neighbours


@dataclass(frozen=True)
class WarpStep:
    """What some lanes of a warp do together: one instruction. A barrier belongs to all warps."""

    kind: StepKind
    warp: int  # a barrier: -1
    interval: int  # barriers that the block had passed before
    place: int  # index into the run's places
    array: int = -1  # index into the run's arrays; -1: none
    bytes: int = 0  # of one element that is accessed
    parts: int = 1  # neighbouring elements that each lane accesses
    lanes: tuple[int, ...] = ()  # that take part, rising
    # For each of them: of the first element that it accesses; may lie outside for OUTSIDE; for EXCHANGE: the source lane.
    offsets: tuple[int, ...] = ()
    # For each of them, for each part: what was read or is there afterwards; None: not known.
    bits: tuple[int | None, ...] = ()
    cost: WarpCost | None = None


@dataclass(frozen=True)
class StoryElement:
    array: int  # index into the run's arrays
    offset: int  # bytes


@dataclass(frozen=True)
class Mark:
    """A remark that is shown with a step."""

    step: int  # index into the run's steps
    text: str
    tone: Tone = "note"
    threads: tuple[int, ...] = ()  # linear in the block
    elements: tuple[StoryElement, ...] = ()


@dataclass(frozen=True)
class StoryRun:
    """One execution of the block. Where a story has several, step n of one stands beside step n of the others."""

    title: str  # "As it ran"
    schedule: str  # one sentence: in which order its threads ran
    arrays: tuple[StoryArray, ...]
    places: tuple[StoryPlace, ...]
    steps: tuple[WarpStep, ...]
    marks: tuple[Mark, ...] = ()
    complete: bool = True  # false: steps are missing at its end
    ending: str = ""  # one sentence: how it ended, if not as it should


@dataclass(frozen=True)
class Question:
    """Asked before a step of a run is shown: the page stops there until a choice is made."""

    run: int
    step: int
    text: str
    choices: tuple[str, ...]
    answer: int  # index into the choices
    explanation: str  # shown with the answer


@dataclass(frozen=True)
class Story:
    title: str  # "Tiled: block (0,0,0)"
    summary: str  # one or two sentences: what can be seen
    file: str
    source: tuple[str, ...]  # the lines of that file
    grid: Index3
    block: Index3  # threads in x, y and z
    at: Index3  # the block that is followed
    shape: str  # "M=32 N=32 K=32"
    inputs: str
    runs: tuple[StoryRun, ...]
    questions: tuple[Question, ...] = ()
    tone: Tone = "note"  # of the whole
    start: int = 0  # the step that is shown first
    beside: Index3 | None = None  # a second block: its threads count from 1024, and its warps from 32


def thread_number(thread: Index3, block: Index3) -> int:
    """Linear in the block, x fastest."""
    return thread[0] + block[0] * (thread[1] + block[1] * thread[2])


# A page as it is kept with an outcome until reports are written: compressed text. Pure.


def packed_page(name: str, text: str, links: tuple[StepLink, ...], shape: str = "") -> StepPage:
    packed = base64.b64encode(zlib.compress(text.encode(), 9)).decode()
    return StepPage(name=name, packed=packed, links=links, shape=shape)


def unpacked(page: StepPage) -> str:
    return zlib.decompress(base64.b64decode(page.packed)).decode()


# Which stories of a mistake there are, and words that several of them use. Pure.

StoryKind = Literal["barrier", "lanes", "unset", "outside", "sum", "copy", "untouched"]
_MOST_SPANS, _MOST_RANGES = 3, 4  # in one sentence


@dataclass(frozen=True)
class ToldStory:
    kind: StoryKind
    finding: Finding | None  # None: of a wrong element
    story: Story


def thread_name(thread: int, block: Index3) -> str:
    return str(visible_text.index(thread_index(thread, block)))


def ranges(numbers: Sequence[int]) -> str:
    """`0 to 7, 9`."""
    said = [f"{a} to {b}" if b > a else str(a) for a, b in runs(numbers)]
    return ", ".join(said[:_MOST_RANGES]) + (", …" if len(said) > _MOST_RANGES else "")


def spans(threads: Iterable[int], block: Index3) -> str:
    """`thread (0,0,0)`, `threads (0,0,0) to (15,7,0)`, `threads with x from 4 to 15 and y from 0 to 15`, `all threads but (0,0,0)`."""
    chosen = sorted(set(threads))
    names = [thread_name(a, block) + (f" to {thread_name(b, block)}" if b > a else "") for a, b in runs(chosen)]
    if len(names) <= _MOST_SPANS:
        return ("thread " if len(chosen) == 1 else "threads ") + ", ".join(names)
    if axes := box_of([thread_index(one, block) for one in chosen]):
        said = [
            f"{name} from {axis[0]} to {axis[-1]}" if len(axis) > 1 else f"{name} = {axis[0]}"
            for name, axis, extent in zip("xyz", axes, block, strict=True)
            if extent > 1
        ]
        return f"threads with {' and '.join(said)}"
    others = sorted(set(range(block[0] * block[1] * block[2])) - set(chosen))
    if len(others) <= _MOST_SPANS:
        return f"all threads but {', '.join(thread_name(one, block) for one in others)}"
    return f"threads {', '.join(names[:_MOST_SPANS])} and {len(names) - _MOST_SPANS} more groups"


def box_of(cells: Collection[tuple[int, ...]]) -> list[list[int]]:
    """The numbers in each direction, where the cells are all that have these and none is left out between; else empty."""
    axes = [sorted(set(axis)) for axis in zip(*cells, strict=True)]
    has_gaps = any(axis[-1] - axis[0] + 1 != len(axis) for axis in axes)
    return [] if has_gaps or math.prod(map(len, axes)) != len(set(cells)) else axes
