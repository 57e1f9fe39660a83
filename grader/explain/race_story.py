"""The story of a race: both orders that CUDA allows beside each other, each as a run of the kernel had it, and the same with the barrier
that was missing. What a read gets is asked before it is shown. Pure.

Orders come from two runs, one of which has the block's threads in the opposite order. Nothing here guesses what another order would do.
"""

from __future__ import annotations

import dataclasses
import subprocess
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from grader.explain.recording import Moment, Recording, asked
from grader.explain.story import Index3, Mark, Question, Story, StoryElement, StoryRun, Tone, thread_number
from grader.model.errors import RemediableError
from grader.model.result import Finding, Launch, Site
from grader.model.verdicts import Verdict
from grader.run.launches.added_barrier import AddedBarrier, add_barrier
from grader.run.launches.trace_phases import CHANGES, StepKind
from grader.run.launches.tracing import Build, Run, Traced

_KINDS = {"read": StepKind.READ, "write": StepKind.WRITE, "atomic": StepKind.ATOMIC}
_AROUND = 12  # steps of each thread before and after the two accesses
_EITHER = "it depends on which thread is faster"
_UNSET = "nothing that anybody wrote"


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


Sides = tuple[RaceSide, RaceSide]


def sides_of(finding: Finding, block: Index3) -> Sides | None:
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


def race_of(launch: Launch) -> Finding | None:
    """The first race between two threads of one block."""
    if launch.block is None:
        return None
    return next((one for one in launch.findings if one.severity == "error" and sides_of(one, launch.block)), None)


@dataclass(frozen=True)
class _Race:
    """The first side writes."""

    sides: Sides
    array: str
    what: str  # the element, as far as the finding names it
    added: AddedBarrier | None

    @property
    def with_barrier(self) -> str:
        after = sorted(self.added.after_lines) if self.added is not None else []
        return f"With __syncthreads() after line{'s' if len(after) > 1 else ''} {' and '.join(map(str, after))}"

    def accesses(self, recording: Recording, sides: Sides) -> tuple[list[Moment], list[Moment]]:
        """Of each side to the array in its line, in their order."""
        one, two = (recording.find({side.kind}, array=self.array, line=side.line, thread=side.thread) for side in sides)
        return one, two


@dataclass(frozen=True)
class _Order:
    """One order, as its run told it."""

    steps: tuple[Moment, Moment]  # both accesses
    passes: tuple[int, int]  # how often each thread had been at its line before
    run: StoryRun
    at: tuple[int, int]  # the two accesses' places in the run's steps
    got: str  # what the second side's read got; empty: it does not read
    stored: str  # "C[0][15] = 268144": what it stored in the end
    first: int  # which side came first: 0 or 1


def race_story(forward: Traced, backward: Traced, mended: AddedBarrier | None, source: Sequence[str]) -> Story | None:
    """`backward`: the same launch with blocks and threads in the opposite order. None where the two do not meet in another order."""
    recording, finding = Recording.of(forward, source), race_of(forward.report.launch)
    sides = sides_of(finding, recording.block) if finding is not None and recording is not None else None
    if recording is None or finding is None or sides is None:
        return None
    array = finding.array or ""
    race = _Race((sides[1], sides[0]) if sides[0].reads else sides, array, finding.element or array, mended)
    one, other = _order(recording, race), _order(Recording.of(backward, source), race)
    if one is None or other is None or one.first == other.first:
        return None
    if one.first == 1:
        one, other = other, one
    right = _mended(race, one, source)
    return recording.framed(
        *(_with_marks(each, race, right) for each in (one, other, right) if each is not None),
        title=f"both orders of a race on {race.what}",
        summary=_summary(race, one, other),
        questions=_questions(race, one, other, right),
    )


def _order(recording: Recording | None, race: _Race) -> _Order | None:
    """In which the two accesses meet first between the same two barriers, so that nothing orders them."""
    if recording is None:
        return None
    own = race.accesses(recording, race.sides)
    seen = [{(one.interval, one.key): at for at, one in reversed([*enumerate(each)])} for each in own]
    both = seen[0].keys() & seen[1].keys()
    if not both:
        return None
    place = min(both, key=lambda one: (one[0], own[0][seen[0][one]]))
    passes = seen[0][place], seen[1][place]
    steps = own[0][passes[0]], own[1][passes[1]]
    first = race.sides[0 if steps[0] < steps[1] else 1].name
    way = "from the last to the first" if recording.traced.request.reversed else "from the first to the last"
    schedule = f"The block's threads ran {way}, each up to the next barrier. So {first} came first."
    return _cut(steps, passes, race, (f"{first.capitalize()} is first", schedule))


def _mended(race: _Race, like: _Order, source: Sequence[str]) -> _Order | None:
    """The same two accesses, whether barriers stand between them or not."""
    recording = Recording.of(race.added.traced, source) if race.added is not None else None
    if race.added is None or recording is None:
        return None
    one, two = (replace(side, line=race.added.line_now(side.line)) for side in race.sides)
    own = [each[passes:] for each, passes in zip(race.accesses(recording, (one, two)), like.passes, strict=True)]
    if not all(own) or own[0][0].key != own[1][0].key:
        return None
    schedule = "Every order of the threads gives the same now: at the barrier, each waits for all the others."
    lines = dict(enumerate(race.added.lines, 1))
    return _cut((own[0][0], own[1][0]), like.passes, race, (race.with_barrier, schedule), lines)


def _cut(
    steps: tuple[Moment, Moment],
    passes: tuple[int, int],
    race: _Race,
    words: tuple[str, str],
    line_of: Mapping[int, int] | None = None,
) -> _Order:
    """`words`: the run's title and schedule."""
    recording, later = steps[0].recording, steps[1]
    every = recording.find(CHANGES)
    changes = [one for one in every if one.key == later.key]
    own = [one for one in every if one > later and one.thread == later.thread and one.array.space == "global"]
    # Also by other threads: what the later access finds follows from them.
    between = {one for one in changes if min(steps) <= one < max(steps)}
    chosen = sorted({*_around(steps), *between, *own[-1:]})
    run = recording.run(chosen, *words, line_of)
    # What global memory holds at first is a value.
    is_written = not later.is_shared or any(one < later for one in changes)
    got = "" if not race.sides[1].reads else later.shown if is_written else _UNSET
    stored = f"{own[-1].name} = {own[-1].shown}" if own else ""
    at = chosen.index(steps[0]), chosen.index(later)
    return _Order(steps, passes, run, at, got, stored, 0 if steps[0] < later else 1)


def _around(meets: tuple[Moment, Moment]) -> set[Moment]:
    """The steps of both threads, and the barriers, from some before the first access to as many after the last."""
    first, last = min(meets), max(meets)
    own: dict[int, list[Moment]] = defaultdict(list)
    chosen: set[Moment] = set()
    for one in first.recording.moments:
        if not first.interval <= one.interval <= last.interval:
            continue
        if one.kind != StepKind.BARRIER:
            own[one.thread].append(one)
        elif first < one < last:
            chosen.add(one)
    for one in meets:
        met = own[one.thread].index(one)
        chosen.update(own[one.thread][max(0, met - _AROUND) : met + _AROUND + 1])
    return chosen


def _with_marks(order: _Order, race: _Race, right: _Order | None) -> StoryRun:
    elements, (first, second), what = (StoryElement(*order.steps[0].key),), race.sides, race.what
    wrote, then = (one.shown for one in order.steps)

    def tone(got: str, wanted: str) -> Tone:
        return "note" if right is None else "good" if got == wanted else "bad"

    wrote_it = f"{first.name.capitalize()} writes {what}: it holds {wrote} now."
    text = f"{second.name.capitalize()} writes {what} too: it holds {then} now."
    seen: Tone = "note"
    if second.reads:
        text = f"{second.name.capitalize()} reads {what} and gets {order.got}."
        seen = tone(order.got, right.got if right else "")
    marks = [
        Mark(order.at[0], wrote_it, "note", (first.thread,), elements),
        Mark(order.at[1], text, seen, (second.thread,), elements),
    ]
    if order.stored:
        text, end = (
            f"In the end {second.name} stores {order.stored}.",
            tone(order.stored, right.stored if right else ""),
        )
        marks.append(Mark(len(order.run.steps) - 1, text, end, (second.thread,)))
    return replace(order.run, marks=tuple(sorted(marks, key=lambda mark: mark.step)))


def _summary(race: _Race, one: _Order, other: _Order) -> str:
    first, second = race.sides
    text = f"Nothing orders line {first.line} of {first.name} and line {second.line} of {second.name}: both use {race.what}."
    if second.reads and one.got != other.got:
        text += f" The read gets {one.got} in one order and {other.got} in the other."
    if one.stored and other.stored and one.stored != other.stored:
        text += f" In the end {one.stored} in one and {other.stored} in the other."
    if race.added is not None:
        text += f" {race.with_barrier} the launch is right, and nothing is found."
    return text


def _questions(race: _Race, one: _Order, other: _Order, right: _Order | None) -> Iterator[Question | None]:
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
    added = add_barrier(build, source, (finding.line, finding.other.line), request)
    return race_story(forward, backward, added, source.decode("utf-8", "replace").split("\n"))
