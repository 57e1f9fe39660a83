"""The story of a race: both orders that CUDA allows beside each other, each as a run of the kernel had it, and the same with the barrier
that was missing. What a read gets is asked before it is shown. Pure.

Orders come from two runs, one of which has the block's threads in the opposite order. Nothing here guesses what another order would do.
"""

from __future__ import annotations

import dataclasses
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from grader.explain.recording import (
    Key,
    Recording,
    around,
    asked,
    element_name,
    framed,
    run_of_threads,
    value_shown,
)
from grader.explain.story import Index3, Mark, Question, Story, StoryElement, StoryRun, Tone, thread_number
from grader.model.errors import RemediableError
from grader.model.result import Finding, Launch, Site
from grader.model.verdicts import Verdict
from grader.run.launches.added_barrier import AddedBarrier, BarrierSearch
from grader.run.launches.trace_phases import CHANGES, StepKind, Trace
from grader.run.launches.tracing import Build, Run, Traced

# Where the two accesses of a race meet in a recorded trace: between the same two barriers, so that nothing orders them. Pure.

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
    key: Key

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
    name = f"thread ({','.join(map(str, site.thread))})"
    return RaceSide(thread_number(site.thread, block), name, site.line, _KINDS[site.access])


def first_meeting(trace: Trace, sides: tuple[RaceSide, RaceSide], array: str) -> Meeting | None:
    """The first two accesses to one element of `array` between the same two barriers."""
    seen: list[dict[tuple[int, int, int], tuple[int, int]]] = [{}, {}]
    for of_side, own in zip(seen, _accesses(trace, sides, array), strict=True):
        for passes, at in enumerate(own):
            _, _, interval, number, offset, *_ = trace.steps[at]
            of_side.setdefault((interval, number, offset), (at, passes))
    both = [key for key in seen[0] if key in seen[1]]
    if not both:
        return None
    key = min(both, key=lambda one: (one[0], seen[0][one][0]))
    one, other = seen[0][key], seen[1][key]
    return Meeting((one[0], other[0]), (one[1], other[1]), key[1:])


def same_passes(trace: Trace, sides: tuple[RaceSide, RaceSide], array: str, like: Meeting) -> Meeting | None:
    """The same two accesses in another trace, whether barriers stand between them or not."""
    own, others = _accesses(trace, sides, array)
    if len(own) <= like.passes[0] or len(others) <= like.passes[1]:
        return None
    steps = own[like.passes[0]], others[like.passes[1]]
    one, two = (trace.steps[at] for at in steps)
    return None if one[3:5] != two[3:5] else Meeting(steps, like.passes, one[3:5])


def _accesses(trace: Trace, sides: tuple[RaceSide, RaceSide], array: str) -> tuple[list[int], list[int]]:
    """Of each side to the array in its line, in their order."""
    found: tuple[list[int], list[int]] = ([], [])
    for at, (kind, thread, _, number, *_, place, _, _) in enumerate(trace.steps):
        for which, side in enumerate(sides):
            if (thread, kind, trace.places[place].line) == (side.thread, side.kind, side.line) and (
                trace.arrays[number].name == array
            ):
                found[which].append(at)
    return found


_AROUND = 12  # steps of each thread before and after the two accesses
_EITHER = "it depends on which thread is faster"
_UNSET = "nothing that anybody wrote"


@dataclass(frozen=True)
class _Race:
    """The first side writes."""

    finding: Finding
    sides: tuple[RaceSide, RaceSide]
    file: str
    added: AddedBarrier | None

    @property
    def array(self) -> str:
        return self.finding.array or ""

    @property
    def what(self) -> str:
        return self.finding.element or self.array

    @property
    def with_barrier(self) -> str:
        after = sorted(self.added.after_lines) if self.added is not None else []
        return f"With __syncthreads() after line{'s' if len(after) > 1 else ''} {' and '.join(map(str, after))}"


@dataclass(frozen=True)
class _Told:
    """One order, as its run told it."""

    trace: Trace
    meeting: Meeting
    run: StoryRun
    at: tuple[int, int]  # the two accesses' places in the run's steps
    got: str  # what the second side's read got; empty: it does not read
    stored: str  # "C[0][15] = 268144": what it stored in the end


def race_of(launch: Launch) -> Finding | None:
    """The first race between two threads of one block."""
    if launch.block is None:
        return None
    return next((one for one in launch.findings if one.severity == "error" and sides_of(one, launch.block)), None)


def race_story(forward: Traced, backward: Traced, mended: AddedBarrier | None, source: Sequence[str]) -> Story | None:
    """`backward`: the same launch with blocks and threads in the opposite order. None where the two do not meet in another order."""
    recording, finding = Recording.of(forward, source), race_of(forward.report.launch)
    sides = sides_of(finding, recording.block) if finding is not None and recording is not None else None
    if recording is None or finding is None or sides is None:
        return None
    race = _Race(finding, (sides[1], sides[0]) if sides[0].reads else sides, recording.file, mended)
    one, other = (_told(each, race) for each in (forward, backward))
    if one is None or other is None or one.meeting.first == other.meeting.first:
        return None
    if one.meeting.first == 1:
        one, other = other, one
    right = _mended(race, one)
    return framed(
        recording,
        *(_with_marks(each, race, right) for each in (one, other, right) if each is not None),
        title=f"both orders of a race on {race.what}",
        summary=_summary(race, one, other),
        questions=_questions(race, one, other, right),
    )


def _told(traced: Traced, race: _Race) -> _Told | None:
    trace = traced.report.trace
    meeting = first_meeting(trace, race.sides, race.array) if trace else None
    if trace is None or meeting is None:
        return None
    first = race.sides[meeting.first].name
    way = "from the last to the first" if traced.request.reversed else "from the first to the last"
    schedule = f"The block's threads ran {way}, each up to the next barrier. So {first} came first."
    return _cut(trace, meeting, race, (f"{first.capitalize()} is first", schedule))


def _mended(race: _Race, like: _Told) -> _Told | None:
    added, trace = race.added, race.added.traced.report.trace if race.added else None
    if added is None or trace is None:
        return None
    one, two = (replace(side, line=added.line_now(side.line)) for side in race.sides)
    meeting = same_passes(trace, (one, two), race.array, like.meeting)
    if meeting is None:
        return None
    schedule = "Every order of the threads gives the same now: at the barrier, each waits for all the others."
    return _cut(trace, meeting, race, (race.with_barrier, schedule), dict(enumerate(added.lines, 1)))


def _cut(
    trace: Trace, meeting: Meeting, race: _Race, words: tuple[str, str], line_of: dict[int, int] | None = None
) -> _Told:
    """`words`: the run's title and schedule."""
    second, every = race.sides[1], [at for at, step in enumerate(trace.steps) if step[0] in CHANGES]
    changes = [at for at in every if trace.steps[at][3:5] == meeting.key]
    own = [at for at in every if at > meeting.steps[1] and trace.steps[at][1] == second.thread]
    end = max((at for at in own if trace.arrays[trace.steps[at][3]].space == "global"), default=None)
    # Also by other threads: what the later access finds follows from them.
    between = {at for at in changes if min(meeting.steps) <= at < max(meeting.steps)}
    shown = {*around(trace, {side.thread for side in race.sides}, meeting.steps, _AROUND), *between}
    chosen = sorted(shown if end is None else shown | {end})
    run = run_of_threads(trace, chosen, race.file, title=words[0], schedule=words[1], line_of=line_of)
    # What global memory holds at first is a value.
    is_written = trace.arrays[meeting.key[0]].space != "shared" or any(at < meeting.steps[1] for at in changes)
    got = "" if not second.reads else value_shown(trace, meeting.steps[1]) if is_written else _UNSET
    stored = f"{element_name(trace, trace.steps[end])} = {value_shown(trace, end)}" if end is not None else ""
    at = chosen.index(meeting.steps[0]), chosen.index(meeting.steps[1])
    return _Told(trace, meeting, run, at, got, stored)


def _with_marks(told: _Told, race: _Race, right: _Told | None) -> StoryRun:
    element, (first, second) = StoryElement(*told.meeting.key), race.sides
    wrote, then = (value_shown(told.trace, at) for at in told.meeting.steps)
    marks = [
        Mark(told.at[0], _writes(first, race.what, "", wrote), "note", (first.thread,), (element,)),
        Mark(told.at[1], _writes(second, race.what, " too", then), "note", (second.thread,), (element,)),
    ]
    if second.reads:
        text = f"{second.name.capitalize()} reads {race.what} and gets {told.got}."
        tone: Tone = "note" if right is None else "good" if told.got == right.got else "bad"
        marks[1] = replace(marks[1], text=text, tone=tone)
    if told.stored:
        end: Tone = "note" if right is None else "good" if told.stored == right.stored else "bad"
        text = f"In the end {second.name} stores {told.stored}."
        marks.append(Mark(len(told.run.steps) - 1, text, end, (second.thread,)))
    return replace(told.run, marks=tuple(sorted(marks, key=lambda mark: mark.step)))


def _writes(side: RaceSide, what: str, too: str, value: str) -> str:
    return f"{side.name.capitalize()} writes {what}{too}: it holds {value} now."


def _summary(race: _Race, one: _Told, other: _Told) -> str:
    first, second = race.sides
    text = f"Nothing orders line {first.line} of {first.name} and line {second.line} of {second.name}: both use {race.what}."
    if second.reads and one.got != other.got:
        text += f" The read gets {one.got} in one order and {other.got} in the other."
    if one.stored and other.stored and one.stored != other.stored:
        text += f" In the end {one.stored} in one and {other.stored} in the other."
    if race.added is not None:
        text += f" {race.with_barrier} the launch is right, and nothing is found."
    return text


def _questions(race: _Race, one: _Told, other: _Told, right: _Told | None) -> Iterator[Question | None]:
    """One for the first order, and one for the mended kernel, where there is something to tell apart."""
    (first, second), what = race.sides, race.what
    if not second.reads or one.got == other.got:
        return
    yield asked(
        one.at[1],
        f"Here {first.name} is first. What does {second.name} get from {what}?",
        one.got,
        (other.got,),
        f"In this order it gets {one.got}. In the other, beside it, the same read gets {other.got}. CUDA allows both.",
    )
    if right is not None:
        choices = (*sorted({one.got, other.got, right.got}), _EITHER)
        yield Question(
            run=2,
            step=right.at[1],
            text=f"{race.with_barrier}: what does {second.name} get from {what}?",
            choices=choices,
            answer=choices.index(right.got),
            explanation=f"It gets {right.got} in every order: at the barrier, each thread waits for all the others.",
        )


# Runs what the story of a race needs: the launch with its threads in the opposite order, and the file with a barrier more.


def story_of_race(traced: Traced, run: Run, build: Build, source: bytes) -> Story | None:
    """`traced`: the launch as it ran, of the file `source`. `run`: makes it again. `build`: of changed files. None where no two threads of
    a block race, or where the runs do not show both orders.
    """
    finding = race_of(traced.report.launch)
    if finding is None or finding.line is None or finding.other is None or finding.other.line is None:
        return None
    request = dataclasses.replace(traced.request, block=finding.block or (0, 0, 0))
    try:
        forward = traced if traced.request.block == request.block else run(request)
        backward = run(dataclasses.replace(request, reversed=True))
    except (RemediableError, RuntimeError, subprocess.TimeoutExpired):  # the first page stands without this one
        return None
    added = BarrierSearch(build, request).add_barrier(source, (finding.line, finding.other.line))
    return race_story(forward, backward, added, source.decode("utf-8", "replace").split("\n"))
