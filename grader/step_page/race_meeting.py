"""Where the two accesses of a race meet in a recorded trace: between the same two barriers, so that nothing orders them. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from grader.model.result import Finding, Site
from grader.model.verdicts import Verdict
from grader.single_launch.trace_steps import Step, StepKind, Trace
from grader.step_page.story import Index3

_KINDS = {"read": StepKind.READ, "write": StepKind.WRITE, "atomic": StepKind.ATOMIC}


@dataclass(frozen=True)
class RaceSide:
    """One of the two accesses."""

    thread: int  # linear in the block
    name: str  # "thread (15,0,0)"
    line: int
    kind: StepKind

    @property
    def reads(self) -> bool:
        return self.kind is StepKind.READ


@dataclass(frozen=True)
class Meeting:
    """Both accesses in a trace, by their places in `trace.steps`, and how often each thread had been at its line before."""

    steps: tuple[int, int]
    passes: tuple[int, int]
    array: int
    offset: int

    @property
    def first(self) -> int:
        """Which side came first in this trace: 0 or 1."""
        return 0 if self.steps[0] < self.steps[1] else 1


def sides_of(finding: Finding, block: Index3) -> tuple[RaceSide, RaceSide] | None:
    """The two sides of a race between threads of one block; None where the finding is something else. `block`: threads in x, y, z."""
    other = finding.other
    if finding.kind is not Verdict.RACE or other is None or finding.block != other.block or finding.array is None:
        return None
    one, two = _side(finding, block), _side(other, block)
    return None if one is None or two is None or one.thread == two.thread else (one, two)


def _side(site: Site, block: Index3) -> RaceSide | None:
    if site.thread is None or site.line is None or site.access not in _KINDS:
        return None
    x, y, z = site.thread
    return RaceSide(x + block[0] * (y + block[1] * z), f"thread ({x},{y},{z})", site.line, _KINDS[site.access])


def first_meeting(trace: Trace, sides: tuple[RaceSide, RaceSide], array: str) -> Meeting | None:
    """The first two accesses to one element of `array` between the same two barriers."""
    seen: tuple[dict[tuple[int, int, int], tuple[int, int]], ...] = ({}, {})
    passes = [0, 0]
    for number, step in enumerate(trace.steps):
        for which, side in enumerate(sides):
            if not is_at(trace, step, side, array):
                continue
            key = (step[2], step[3], step[4])
            seen[which].setdefault(key, (number, passes[which]))
            passes[which] += 1
    both = [key for key in seen[0] if key in seen[1]]
    if not both:
        return None
    key = min(both, key=lambda one: (one[0], seen[0][one][0]))
    pair = seen[0][key], seen[1][key]
    return Meeting((pair[0][0], pair[1][0]), (pair[0][1], pair[1][1]), key[1], key[2])


def same_passes(trace: Trace, sides: tuple[RaceSide, RaceSide], array: str, like: Meeting) -> Meeting | None:
    """The same two accesses in another trace, whether barriers stand between them or not."""
    found: list[int | None] = [None, None]
    passes = [0, 0]
    for number, step in enumerate(trace.steps):
        for which, side in enumerate(sides):
            if is_at(trace, step, side, array):
                if passes[which] == like.passes[which]:
                    found[which] = number
                passes[which] += 1
    if found[0] is None or found[1] is None:
        return None
    one, two = trace.steps[found[0]], trace.steps[found[1]]
    return None if one[3:5] != two[3:5] else Meeting((found[0], found[1]), like.passes, one[3], one[4])


def is_at(trace: Trace, step: Step, side: RaceSide, array: str) -> bool:
    kind, thread, _, of_array, *_, place, _, _ = step
    return (
        thread == side.thread
        and kind == side.kind
        and trace.places[place].line == side.line
        and trace.arrays[of_array].name == array
    )
