"""The story of a barrier, or a warp operation, that some threads never reach: who waits where, and where the others are. Pure."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from grader.explain.recording import Recording, asked, framed
from grader.explain.story import (
    LANES,
    Index3,
    Mark,
    Question,
    Story,
    StoryRun,
    has_thread,
    ranges,
    spans,
    thread_number,
)
from grader.explain.warp_steps import run_of_trace
from grader.model.result import Finding
from grader.run.launches.trace_phases import ACCESSES, Step, StepKind

_TOGETHER = frozenset({StepKind.WAIT, StepKind.LEAVE})  # what is recorded at one moment
_GONE = frozenset({StepKind.LEAVE, StepKind.STOP})
_STANDS = frozenset({StepKind.WAIT, StepKind.LEAVE, StepKind.STOP})
_BEFORE = 3  # accesses of each thread that are shown before it stands
_SCHEDULE = "The last accesses of each thread before the barrier, and where the threads are when nobody can go on."
Standing = tuple[StepKind, int]  # what a thread does, and in which line


def barrier_story(recording: Recording, finding: Finding) -> Story | None:
    """None where the trace does not show who is missing."""
    block = recording.block
    moment, line = _standstill(recording, finding)
    places = _places(recording, moment)
    here = places.pop((StepKind.WAIT, line), [])
    missing = sorted(thread for threads in places.values() for thread in threads)
    if not here or not missing:
        return None
    run = _run(recording, _kept(recording, moment), "Who waits where", _SCHEDULE)
    stands = [at for at, step in enumerate(run.steps) if step.kind in _STANDS]
    if not stands:
        return None
    where = " and ".join(_place(place, threads) for place, threads in sorted(places.items()))
    comes = "come" if len(missing) > 1 else "comes"
    mark = next((one for one in stands if run.places[run.steps[one].place].line == line), stands[0])
    summary = f"{_said(here, block)} {'wait' if len(here) > 1 else 'waits'} in line {line}. {_groups(places, block)}"
    said = f"{_said(missing, block)} never {comes} to line {line}: {where}."
    return framed(
        recording,
        replace(run, marks=(Mark(mark, said, "bad"),)),
        title=f"who waits where at line {line}",
        summary=f"{summary} On a GPU such a block may hang, or go on with data that are not there yet.",
        questions=_questions((stands[0], len(run.steps) - 1), here, missing, line, where, block),
        start=stands[0] - 1,
    )


def _run(recording: Recording, kept: set[int], title: str, schedule: str) -> StoryRun:
    steps = tuple(recording.steps[at] for at in sorted(kept))
    trace = recording.trace.model_copy(update={"steps": steps})
    return run_of_trace(trace, recording.block, recording.file, title=title, schedule=schedule)


def _standstill(recording: Recording, finding: Finding) -> tuple[range, int]:
    """The steps of one moment at which somebody waits in vain in the finding's line, or else anywhere; and the line."""
    waits, steps = recording.find({StepKind.WAIT}), recording.steps
    lines = (finding.line, finding.other.line if finding.other else None)
    found = [at for line in lines for at in waits if recording.line(at) == line] or waits
    if not found:
        return range(0), 0
    first = last = found[0]
    while first > 0 and steps[first - 1][0] in _TOGETHER:
        first -= 1
    while last + 1 < len(steps) and steps[last + 1][0] in _TOGETHER:
        last += 1
    return range(first, last + 1), recording.line(found[0])


def _places(recording: Recording, moment: range) -> dict[Standing, list[int]]:
    """Where each thread stands then: also those that were gone before."""
    last: dict[int, Standing] = {}
    for at, step in enumerate(recording.steps[: moment.stop]):
        if at in moment or step[0] in _GONE:
            last[step[1]] = StepKind(step[0]), recording.line(at)
    found: dict[Standing, list[int]] = defaultdict(list)
    for thread, place in sorted(last.items()):
        found[place].append(thread)
    return found


def _kept(recording: Recording, moment: range) -> set[int]:
    """That moment, the last accesses of its threads before it, and the barrier that follows."""
    steps = recording.steps
    kept = {*moment, *(at for at, step in enumerate(steps[: moment.start]) if step[0] in _GONE)}
    interval = steps[moment.start][2]
    for thread in {steps[at][1] for at in moment}:
        own = [at for at in recording.of_thread[thread] if at < moment.start and steps[at][0] in ACCESSES]
        kept.update([at for at in own if steps[at][2] == interval][-_BEFORE:])
    if moment.stop < len(steps) and steps[moment.stop][0] == StepKind.BARRIER:
        kept.add(moment.stop)
    return kept


def _said(threads: Sequence[int], block: Index3) -> str:
    return spans(threads, block).capitalize()


def _place(place: Standing, threads: Sequence[int]) -> str:
    kind, line = place
    many = len(threads) > 1
    if kind is StepKind.WAIT:
        return f"{'they wait' if many else 'it waits'} in line {line}"
    if kind is StepKind.STOP:
        return f"{'they were' if many else 'it was'} stopped" + (f" in line {line}" if line else "")
    return f"{'they have' if many else 'it has'} left the kernel" + (f" by line {line}" if line else " at its end")


def _groups(places: Mapping[Standing, Sequence[int]], block: Index3) -> str:
    said = (
        (_said(threads, block), _place(place, threads).partition(" ")[2]) for place, threads in sorted(places.items())
    )
    return " ".join(f"{who} {does}." for who, does in said)


def _questions(
    shown: tuple[int, int], here: Sequence[int], missing: Sequence[int], line: int, where: str, block: Index3
) -> Iterator[Question | None]:
    """`shown`: the first step of the run at which somebody stands, and the last one."""
    first, end = shown
    yield asked(
        first,
        f"Which threads never reach line {line}, where others wait for them?",
        spans(missing, block),
        (spans(here, block), f"none: all {len(here) + len(missing)} threads reach it"),
        f"{where.capitalize()}.",
    )
    many = len(missing) > 1
    others = (
        f"{'they wait' if many else 'it waits'} in line {line}",
        f"{'they have' if many else 'it has'} left the kernel at its end",
        f"{'they are' if many else 'it is'} only late: the barrier waits until {'they come' if many else 'it comes'}",
    )
    if end > first:
        yield asked(
            end,
            f"Where is {spans(missing, block)} meanwhile?" if not many else "Where are these threads meanwhile?",
            where,
            others,
            "So nobody comes for whom the others could wait.",
        )


# The story of a warp operation with a lane that takes no part: who reads from whom, who gets nothing, and where the lane is meanwhile.
# Pure.

_MOST_OPERATIONS = 6  # of the warp, before the one that is told
_LANE_STORY_SCHEDULE = (
    "One warp: what its lanes do before the operation, and from which lane each of them gets its value."
)
_MASK = re.compile(r"\bmask (0x[0-9a-f]{1,8})\b")


@dataclass(frozen=True)
class _Lost:
    """A lane whose operation brings nothing, and the lanes that do it together."""

    recording: Recording
    at: int  # its place in the trace
    together: tuple[int, ...]  # the operation's steps, by their places
    mask: str  # as the finding says it; empty: not known

    @property
    def thread(self) -> int:
        return self.recording.steps[self.at][1]

    @property
    def warp(self) -> int:
        return self.thread // LANES

    @property
    def line(self) -> int:
        return self.recording.line(self.at)

    @property
    def lane(self) -> int:
        return self.thread % LANES

    @property
    def source(self) -> int:
        """The lane that it reads from. Its own: its mask does not name it."""
        return self.recording.steps[self.at][4]

    @property
    def lanes(self) -> list[int]:
        return sorted({self.recording.steps[at][1] % LANES for at in self.together})

    @property
    def is_alone(self) -> bool:
        """It is not in its own mask, so that it takes part in nothing."""
        return self.source == self.lane

    @property
    def empty(self) -> list[int]:
        """Lanes of the operation that get nothing."""
        steps = (self.recording.steps[at] for at in self.together)
        return sorted({step[1] % LANES for step in steps if step[5] == 0})

    def thread_of(self, lane: int) -> int:
        return self.warp * LANES + lane


def lane_story(recording: Recording, finding: Finding) -> Story | None:
    """None where the finding is about something else, or where the trace does not show the operation."""
    found = _lost(recording, finding)
    if found is None:
        return None
    run = _run(recording, _kept_of_warp(found), "As it ran", _LANE_STORY_SCHEDULE)
    at = _lane_story_place(run, found)
    if at is None:
        return None
    said = _lane_story_said(found)
    where = "" if found.is_alone else f" {_lane_story_where(found)}"
    threads = {found.thread, found.thread_of(found.source)}
    does = f"{_lanes(found.lanes)} {'do' if len(found.lanes) > 1 else 'does'} the warp operation in line {found.line}"
    mark = Mark(at, f"{said}{where}", "bad", tuple(sorted(one for one in threads if one < recording.threads)))
    return framed(
        recording,
        replace(run, marks=(mark,)),
        title=f"who reads from whom in line {found.line}",
        summary=f"In warp {found.warp}, {does}. {said}{where}",
        questions=_lane_story_questions(found, at, said, where),
        start=at - 1,
    )


def _lost(recording: Recording, finding: Finding) -> _Lost | None:
    if finding.thread is None or finding.line is None or finding.access not in {"shuffle", "mask"}:
        return None
    thread = thread_number(finding.thread, recording.block)
    for at in recording.find({StepKind.EXCHANGE}, line=finding.line):
        step = recording.steps[at]
        if step[1] == thread and step[5] == 0 and (step[4] == thread % LANES) == (finding.access == "mask"):
            mask = _MASK.search(finding.message)
            return _Lost(recording, at, tuple(_together(recording.steps, at)), mask[1] if mask else "")
    return None


def _together(steps: Sequence[Step], at: int) -> Iterator[int]:
    """The steps beside `at` that belong to the same operation: lanes rise, and each is there once."""
    warp, place, seen = steps[at][1] // LANES, steps[at][7], steps[at][1] % LANES

    def is_alike(step: Step) -> bool:
        return step[0] == StepKind.EXCHANGE and step[1] // LANES == warp and step[7] == place

    first = at
    while first > 0 and is_alike(steps[first - 1]) and steps[first - 1][1] < steps[first][1]:
        first -= 1
    yield from range(first, at + 1)
    for number in range(at + 1, len(steps)):
        lane = steps[number][1] % LANES
        if not is_alike(steps[number]) or lane <= seen:
            return
        seen = lane
        yield number


def _kept_of_warp(found: _Lost) -> set[int]:
    """What the warp does up to the operation: its last accesses and operations, and where lanes leave."""
    steps, end = found.recording.steps, found.together[-1] + 1
    kept = set(found.together)
    for thread in range(found.warp * LANES, (found.warp + 1) * LANES):
        own = [at for at in found.recording.of_thread.get(thread, ()) if at < end]
        accesses = [at for at in own if steps[at][0] in ACCESSES]
        operations = [at for at in own if steps[at][0] == StepKind.EXCHANGE]
        kept.update(set(own) - {*accesses, *operations}, accesses[-_BEFORE:], operations[-_MOST_OPERATIONS:])
    return kept


def _lane_story_place(run: StoryRun, found: _Lost) -> int | None:
    """The operation among the run's steps: the last one in which the lane gets nothing."""
    own = [
        at
        for at, step in enumerate(run.steps)
        if step.kind is StepKind.EXCHANGE
        and has_thread(step, found.thread)
        and run.places[step.place].line == found.line
        and step.bits[step.lanes.index(found.lane)] is None
        and step.offsets[step.lanes.index(found.lane)] == found.source
    ]
    return own[-1] if own else None


def _lanes(lanes: Sequence[int]) -> str:
    return f"lane{'s' if len(lanes) > 1 else ''} {ranges(lanes)}"


def _lane_story_said(found: _Lost) -> str:
    who = f"Lane {found.lane}, thread {found.recording.thread(found.at)},"
    if found.is_alone:
        mask = f" {found.mask}" if found.mask else ""
        return (
            f"{who} calls it with the mask{mask}, which does not name lane {found.lane} itself: it takes part in nothing, and what it "
            "gets is undefined."
        )
    said = f"{who} takes the value of lane {found.source}, which takes no part: what it gets is undefined."
    others = [one for one in found.empty if one != found.lane]
    if not others:
        return said
    return f"{said} So it is for {len(others)} more lane{'s' if len(others) > 1 else ''}: {_lanes(others)}."


def _lane_story_where(found: _Lost) -> str:
    """Where the lane is that takes no part."""
    recording, source = found.recording, found.thread_of(found.source)
    if source >= recording.threads:
        return f"Lane {found.source} does not exist: the block ends before it."
    if found.mask and not int(found.mask, 16) >> found.source & 1:
        return f"The mask {found.mask} does not name lane {found.source}."
    who = f"Lane {found.source}, thread {recording.who(source)},"
    own = recording.of_thread.get(source, ())
    left = next((at for at in own if recording.steps[at][0] == StepKind.LEAVE), None)
    if left is not None and (line := recording.line(left)):
        return f"{who} has left the kernel by line {line}."
    last = [at for at in own if at < found.at]
    if not last:
        return f"{who} has read and written nothing before, and never comes to line {found.line}."
    return f"{who} was last seen in line {recording.line(last[-1])}: it does not come to this operation."


def _lane_story_questions(found: _Lost, at: int, said: str, where: str) -> Iterator[Question | None]:
    every = list(range(min(LANES, found.recording.threads - found.warp * LANES)))
    others = [one for one in every if one not in found.lanes]
    if not found.is_alone and at > 0:
        yield asked(
            at - 1,
            f"Which lanes of warp {found.warp} take part in the operation in line {found.line}?",
            _lanes(found.lanes),
            (_lanes(every), _lanes(others) if others else "", _lanes([found.lane])),
            f"{_lanes(found.lanes).capitalize()}.{where}",
        )
    yield asked(
        at,
        f"What does lane {found.lane} get in line {found.line}?"
        if found.is_alone
        else f"Lane {found.lane} reads from lane {found.source} in line {found.line}. What does it get?",
        "a value that CUDA does not define",
        (
            "0",
            "its own value" if not found.is_alone else "the value of its neighbour",
            f"it waits until lane {found.source} comes",
        ),
        f"{said}{where}",
    )
