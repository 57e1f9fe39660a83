"""A race between threads of two blocks, in a trace that holds both blocks: where the two meet, and whether each reads, changes and writes
what they share. Pure.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

from grader.model.result import Finding, Launch, Site
from grader.model.verdicts import Verdict
from grader.single_launch.trace_steps import ACCESSES, BESIDE_FROM, Step, StepKind, Trace
from grader.step_page.named_places import thread_number
from grader.step_page.story import Index3
from grader.stories.told_story import thread_name

Key = tuple[int, int]  # the array's number, and the offset


@dataclass(frozen=True)
class BlockSide:
    block: Index3
    thread: int  # as the trace numbers it
    name: str  # "thread (0,0) of block (0,0,1)"
    line: int


@dataclass(frozen=True)
class BlockRace:
    finding: Finding
    sides: tuple[BlockSide, BlockSide]  # the block with the lower number is the first
    array: str


@dataclass(frozen=True)
class Shared:
    """What both threads do to one element, by the steps' places in the trace."""

    key: Key
    uses: tuple[tuple[int, ...], tuple[int, ...]]

    @property
    def first(self) -> int:
        """Which side came first: 0 or 1."""
        return 0 if self.uses[0][0] < self.uses[1][0] else 1


def block_race_of(launch: Launch) -> BlockRace | None:
    """The first race between two blocks, on memory that both have."""
    for finding in launch.findings:
        other = finding.other
        if finding.kind is not Verdict.RACE or finding.severity != "error" or other is None or finding.array is None:
            continue
        if finding.block is None or other.block is None or finding.block == other.block:
            continue
        if launch.block is None or launch.grid is None:
            return None
        one, two = (_side(site, launch.block) for site in (finding, other))
        if one is None or two is None:
            continue
        sides = (one, two) if _number(one.block, launch.grid) < _number(two.block, launch.grid) else (two, one)
        second = replace(sides[1], thread=sides[1].thread + BESIDE_FROM)
        return BlockRace(finding, (sides[0], second), finding.array)
    return None


def _side(site: Site, block: Index3) -> BlockSide | None:
    if site.thread is None or site.line is None or site.block is None:
        return None
    if any(one >= extent for one, extent in zip(site.thread, block, strict=True)):
        return None
    number = thread_number(site.thread, block)
    at = ",".join(map(str, site.block))
    return BlockSide(site.block, number, f"thread {thread_name(number, block)} of block ({at})", site.line)


def _number(block: Index3, grid: Index3) -> int:
    return block[0] + grid[0] * (block[1] + grid[1] * block[2])


def shared_element(trace: Trace, race: BlockRace, key: Key | None = None) -> Shared | None:
    """Both threads' uses of one element: of `key`, else of the finding's element, else of the first that both use in its lines.
    `key` may be of another trace of the launch, which numbers its arrays by who came to them first: the place in the array is the same.
    """
    uses: tuple[dict[Key, list[int]], dict[Key, list[int]]] = ({}, {})
    in_line: list[set[Key]] = [set(), set()]
    for at, step in enumerate(trace.steps):
        if step[0] not in ACCESSES or trace.arrays[step[3]].name != race.array:
            continue
        for which, side in enumerate(race.sides):
            if step[1] == side.thread:
                uses[which].setdefault((step[3], step[4]), []).append(at)
                if trace.places[step[7]].line == side.line:
                    in_line[which].add((step[3], step[4]))
    both = [one for one in uses[0] if one in uses[1] and one in in_line[0] and one in in_line[1]]
    if key is not None:
        both = [one for one in uses[0] if one in uses[1] and one[1] == key[1]]
    if not both:
        return None
    named = next((one for one in both if _called(trace, one) == race.finding.element), both[0])
    return Shared(named, (tuple(uses[0][named]), tuple(uses[1][named])))


def _called(trace: Trace, key: Key) -> str:
    array = trace.arrays[key[0]]
    return f"{array.name}[{key[1] // array.element_bytes}]"


def update_of(trace: Trace, uses: tuple[int, ...]) -> tuple[int, int] | None:
    """Where a thread reads the element and then writes it in the same line: a change that is not one step."""
    for one, other in pairwise(uses):
        read, write = trace.steps[one], trace.steps[other]
        if read[0] == StepKind.READ and write[0] == StepKind.WRITE and _line(trace, read) == _line(trace, write):
            return one, other
    return None


def writes_before(trace: Trace, thread: int, at: int) -> int:
    """How many writes to memory outside of its block the thread has made before this one."""
    return sum(1 for step in _own(trace, thread, at) if step[0] == StepKind.WRITE and not step[9])


def _own(trace: Trace, thread: int, end: int) -> Iterator[Step]:
    for step in trace.steps[:end]:
        if step[1] == thread and step[0] in ACCESSES and trace.arrays[step[3]].space != "shared":
            yield step


def _line(trace: Trace, step: Step) -> int:
    return trace.places[step[7]].line
