"""A story: what a page that steps through a block shows. It holds one run of the block or several beside each other, remarks at steps,
and questions that are asked before a step is shown. Plain data; who makes a story chooses its words.

A run's steps are those of its warps, in the order in which the page shows them. warp_steps.py makes them from a recorded trace, and
page_block.py writes a story as the page's data.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from typing import Literal

Index3 = tuple[int, int, int]
Tone = Literal["bad", "note", "good"]

LANES = 32


class PageStepKind(IntEnum):
    """The same as of a recorded step."""

    READ = 0
    WRITE = 1
    ATOMIC = 2
    BARRIER = 3  # every thread of the block passes it
    OUTSIDE = 4  # an access outside of the array, which does not happen
    WAIT = 5  # lanes arrive at a barrier and wait there
    LEAVE = 6  # lanes have left the kernel, while others wait
    STOP = 7  # lanes are ended, because what they would do cannot happen
    EXCHANGE = 8  # a warp operation: __syncwarp(), a shuffle, a vote


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

    kind: PageStepKind
    warp: int  # a barrier: -1
    interval: int  # barriers that the block had passed before
    place: int  # index into the run's places
    array: int = -1  # index into the run's arrays; -1: none
    bytes: int = 0  # of one element that is accessed
    parts: int = 1  # neighbouring elements that each lane accesses
    lanes: tuple[int, ...] = ()  # that take part, rising
    offsets: tuple[
        int, ...
    ] = ()  # for each of them: of the first element that it accesses; may lie outside for OUTSIDE; for EXCHANGE: the source lane
    bits: tuple[
        int | None, ...
    ] = ()  # for each of them, for each part: what was read or is there afterwards; None: not known
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
    title: str  # "Tiled: block (0, 0)"
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
