"""The story of a race: both orders that CUDA allows beside each other, each as a run of the kernel had it, and the same with the barrier
that was missing. What a read gets is asked before it is shown. Pure.

Orders come from two runs, one of which has the block's threads in the opposite order. Nothing here guesses what another order would do.
"""

from __future__ import annotations

import dataclasses
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from grader.explain.recording import Recording, around, element_name, framed, last_store, run_of_threads, value_shown
from grader.explain.story import Index3, Mark, Question, Story, StoryElement, StoryRun, Tone, thread_number
from grader.model.errors import RemediableError
from grader.model.result import Finding, Launch, Site
from grader.model.verdicts import Verdict
from grader.run.launches.added_barrier import AddedBarrier, BarrierSearch
from grader.run.launches.trace_phases import CHANGES, Step, StepKind, Trace
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
    name = f"thread ({','.join(map(str, site.thread))})"
    return RaceSide(thread_number(site.thread, block), name, site.line, _KINDS[site.access])


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


_AROUND = 12  # steps of each thread before and after the two accesses
_EITHER = "it depends on which thread is faster"
_UNSET = "nothing that anybody wrote"


@dataclass(frozen=True)
class _Told:
    """One order, as its run told it."""

    trace: Trace
    meeting: Meeting
    run: StoryRun
    at: tuple[int, int]  # the two accesses' places in the run's steps
    got: str  # what the second side's read got; empty: it does not read
    stored: str  # "C[0][15] = 268144": what it stored in the end
    end: int  # in which of the run's steps


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
    if sides[0].reads:
        sides = sides[1], sides[0]
    one, other = (_told(each, sides, finding, recording.file) for each in (forward, backward))
    if one is None or other is None or one.meeting.first == other.meeting.first:
        return None
    if one.meeting.first == 1:
        one, other = other, one
    right = _mended(mended, sides, finding, one, recording.file)
    return framed(
        recording,
        *(_with_marks(each, sides, finding, right) for each in (one, other, right) if each is not None),
        title=f"both orders of a race on {finding.element or finding.array}",
        summary=_summary(finding, sides, (one, other), mended),
        questions=_questions(finding, sides, (one, other), right, mended),
    )


def _told(traced: Traced, sides: tuple[RaceSide, RaceSide], finding: Finding, file: str) -> _Told | None:
    trace = traced.report.trace
    meeting = first_meeting(trace, sides, finding.array or "") if trace else None
    if trace is None or meeting is None:
        return None
    first = sides[meeting.first].name
    way = "from the last to the first" if traced.request.reversed else "from the first to the last"
    schedule = f"The block's threads ran {way}, each up to the next barrier. So {first} came first."
    return _cut(trace, meeting, sides, file, title=f"{first.capitalize()} is first", schedule=schedule)


def _mended(
    added: AddedBarrier | None, sides: tuple[RaceSide, RaceSide], finding: Finding, like: _Told, file: str
) -> _Told | None:
    trace = added.traced.report.trace if added else None
    if added is None or trace is None:
        return None
    one, two = (replace(side, line=added.line_now(side.line)) for side in sides)
    meeting = same_passes(trace, (one, two), finding.array or "", like.meeting)
    if meeting is None:
        return None
    lines = dict(enumerate(added.lines, 1))
    schedule = "Every order of the threads gives the same now: at the barrier, each waits for all the others."
    return _cut(trace, meeting, sides, file, title=_with_barrier(added), schedule=schedule, line_of=lines)


def _with_barrier(added: AddedBarrier) -> str:
    lines = " and ".join(map(str, sorted(added.after_lines)))
    return f"With __syncthreads() after line{'s' if len(added.after_lines) > 1 else ''} {lines}"


def _cut(
    trace: Trace,
    meeting: Meeting,
    sides: tuple[RaceSide, RaceSide],
    file: str,
    *,
    title: str,
    schedule: str,
    line_of: dict[int, int] | None = None,
) -> _Told:
    end = last_store(trace, sides[1].thread, meeting.steps[1])
    shown = {*around(trace, {side.thread for side in sides}, meeting.steps, _AROUND), *_changes_between(trace, meeting)}
    chosen = sorted(shown if end is None else shown | {end})
    run = run_of_threads(trace, chosen, file, title=title, schedule=schedule, line_of=line_of)
    got = value_shown(trace, meeting.steps[1]) if sides[1].reads else ""
    if sides[1].reads and not _is_written(trace, meeting):
        got = _UNSET
    stored = f"{element_name(trace, trace.steps[end])} = {value_shown(trace, end)}" if end is not None else ""
    at = chosen.index(meeting.steps[0]), chosen.index(meeting.steps[1])
    return _Told(trace, meeting, run, at, got, stored, chosen.index(end) if end is not None else -1)


def _changes_between(trace: Trace, meeting: Meeting) -> Iterator[int]:
    """Other writes of the element, by whichever thread: what the later access finds follows from them."""
    for number in range(min(meeting.steps), max(meeting.steps)):
        step = trace.steps[number]
        if step[0] in CHANGES and (step[3], step[4]) == (meeting.array, meeting.offset):
            yield number


def _is_written(trace: Trace, meeting: Meeting) -> bool:
    """Whether the element had a value when it was read. What global memory holds at first is a value."""
    if trace.arrays[meeting.array].space != "shared":
        return True
    return any(
        step[0] in CHANGES and (step[3], step[4]) == (meeting.array, meeting.offset)
        for step in trace.steps[: meeting.steps[1]]
    )


def _with_marks(told: _Told, sides: tuple[RaceSide, RaceSide], finding: Finding, right: _Told | None) -> StoryRun:
    element = StoryElement(told.meeting.array, told.meeting.offset)
    what = finding.element or finding.array or ""
    tone: Tone = "note" if right is None else "good" if told.got == right.got else "bad"
    wrote = value_shown(told.trace, told.meeting.steps[0])
    name = sides[0].name.capitalize()
    marks = [Mark(told.at[0], f"{name} writes {what}: it holds {wrote} now.", "note", (sides[0].thread,), (element,))]
    second = sides[1]
    if second.reads:
        text = f"{second.name.capitalize()} reads {what} and gets {told.got}."
        marks.append(Mark(told.at[1], text, tone, (second.thread,), (element,)))
    else:
        text = f"{second.name.capitalize()} writes {what} too: it holds {value_shown(told.trace, told.meeting.steps[1])} now."
        marks.append(Mark(told.at[1], text, "note", (second.thread,), (element,)))
    if told.stored:
        stored_right = right is not None and told.stored == right.stored
        end: Tone = "note" if right is None else "good" if stored_right else "bad"
        marks.append(
            Mark(len(told.run.steps) - 1, f"In the end {second.name} stores {told.stored}.", end, (second.thread,))
        )
    return replace(told.run, marks=tuple(sorted(marks, key=lambda mark: mark.step)))


def _summary(
    finding: Finding, sides: tuple[RaceSide, RaceSide], told: tuple[_Told, _Told], mended: AddedBarrier | None
) -> str:
    what = finding.element or finding.array
    text = f"Nothing orders line {sides[0].line} of {sides[0].name} and line {sides[1].line} of {sides[1].name}: both use {what}."
    if sides[1].reads and told[0].got != told[1].got:
        text += f" The read gets {told[0].got} in one order and {told[1].got} in the other."
    if told[0].stored and told[1].stored and told[0].stored != told[1].stored:
        text += f" In the end {told[0].stored} in one and {told[1].stored} in the other."
    if mended is not None:
        text += f" {_with_barrier(mended)} the launch is right, and nothing is found."
    return text


def _questions(
    finding: Finding,
    sides: tuple[RaceSide, RaceSide],
    told: tuple[_Told, _Told],
    right: _Told | None,
    mended: AddedBarrier | None,
) -> Iterator[Question]:
    """One for the first order, and one for the mended kernel, where there is something to tell apart."""
    got = [one.got for one in told]
    if not sides[1].reads or got[0] == got[1]:
        return
    what = finding.element or finding.array
    choices = tuple(sorted(set(got)))
    yield Question(
        run=0,
        step=told[0].at[1],
        text=f"Here {sides[0].name} is first. What does {sides[1].name} get from {what}?",
        choices=choices,
        answer=choices.index(got[0]),
        explanation=f"In this order it gets {got[0]}. In the other, beside it, the same read gets {got[1]}. CUDA allows both.",
    )
    if right is None or mended is None:
        return
    choices = (*sorted({*got, right.got}), _EITHER)
    yield Question(
        run=2,
        step=right.at[1],
        text=f"{_with_barrier(mended)}: what does {sides[1].name} get from {what}?",
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
