"""The story of a barrier, or a warp operation, that some threads never reach: who waits where, and where the others are. Pure."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from grader.explain.story import (
    LANES,
    Index3,
    Mark,
    PageStepKind,
    Question,
    Story,
    StoryRun,
    asked,
    framed,
    has_thread,
    line_of,
    spans,
    thread_name,
    thread_number,
)
from grader.explain.warp_steps import run_of_trace
from grader.model.result import Finding
from grader.run.launches.trace_phases import ACCESSES, Step, StepKind, Trace
from grader.run.launches.tracing import TracedLaunch

_TOGETHER = frozenset({StepKind.WAIT, StepKind.LEAVE})  # what is recorded at one moment
_GONE = frozenset({StepKind.LEAVE, StepKind.STOP})
_BEFORE = 3  # accesses of each thread that are shown before it stands
_SCHEDULE = "The last accesses of each thread before the barrier, and where the threads are when nobody can go on."
Place = tuple[StepKind, int]  # what a thread does, and in which line


def barrier_story(traced: TracedLaunch, finding: Finding, source: Sequence[str]) -> Story | None:
    """None where the trace does not show who is missing."""
    trace, block, file = traced.report.trace, traced.report.launch.block, traced.file
    if trace is None or block is None:
        return None
    moment, line = _standstill(trace, finding, file)
    places = _places(trace, moment, file)
    here = places.pop((StepKind.WAIT, line), [])
    missing = sorted(thread for threads in places.values() for thread in threads)
    if not here or not missing:
        return None
    run = run_of_trace(_cut(trace, moment), block, file, title="Who waits where", schedule=_SCHEDULE)
    stands = [
        at
        for at, step in enumerate(run.steps)
        if step.kind in {PageStepKind.WAIT, PageStepKind.LEAVE, PageStepKind.STOP}
    ]
    if not stands:
        return None
    where = _where(places)
    summary = f"{_said(here, block)} {_waits(here)} in line {line}. {_groups(places, block)}"
    return framed(
        traced,
        source,
        _marked(
            run,
            stands,
            line,
            f"{_said(missing, block)} never {'come' if len(missing) > 1 else 'comes'} to line {line}: {where}.",
        ),
        title=f"who waits where at line {line}",
        summary=f"{summary} On a GPU such a block may hang, or go on with data that are not there yet.",
        questions=list(_questions(run, stands, here, missing, line, where, block)),
        start=max(0, stands[0] - 1),
    )


def _standstill(trace: Trace, finding: Finding, file: str) -> tuple[range, int]:
    """The steps of one moment at which somebody waits in vain in the finding's line, or else anywhere; and the line."""
    waits = [(at, line_of(trace, step, file)) for at, step in enumerate(trace.steps) if step[0] == StepKind.WAIT]
    lines = (finding.line, finding.other.line if finding.other else None)
    found = [one for line in lines for one in waits if one[1] == line]
    at, line = next(iter(found or waits), (-1, 0))
    if at < 0:
        return range(0), 0
    first = last = at
    while first > 0 and trace.steps[first - 1][0] in _TOGETHER:
        first -= 1
    while last + 1 < len(trace.steps) and trace.steps[last + 1][0] in _TOGETHER:
        last += 1
    return range(first, last + 1), line


def _places(trace: Trace, moment: range, file: str) -> dict[Place, list[int]]:
    """Where each thread stands then: also those that were gone before."""
    last: dict[int, Place] = {}
    for at, step in enumerate(trace.steps[: moment.stop]):
        if at in moment or step[0] in _GONE:
            last[step[1]] = StepKind(step[0]), line_of(trace, step, file)
    found: dict[Place, list[int]] = defaultdict(list)
    for thread, place in sorted(last.items()):
        found[place].append(thread)
    return found


def _cut(trace: Trace, moment: range) -> Trace:
    """That moment, the last accesses of its threads before it, and the barrier that follows."""
    interval = trace.steps[moment.start][2]
    threads = {trace.steps[at][1] for at in moment}
    last: dict[int, list[int]] = defaultdict(list)
    kept = set(moment)
    for at, step in enumerate(trace.steps[: moment.start]):
        if step[2] == interval and step[0] in ACCESSES and step[1] in threads:
            last[step[1]].append(at)
        elif step[0] in _GONE:
            kept.add(at)
    kept.update(at for own in last.values() for at in own[-_BEFORE:])
    if moment.stop < len(trace.steps) and trace.steps[moment.stop][0] == StepKind.BARRIER:
        kept.add(moment.stop)
    return trace.model_copy(update={"steps": tuple(trace.steps[at] for at in sorted(kept))})


def _marked(run: StoryRun, stands: Sequence[int], line: int, text: str) -> StoryRun:
    at = next((one for one in stands if run.places[run.steps[one].place].line == line), stands[0])
    return replace(run, marks=(Mark(at, text, "bad"),))


def _said(threads: Sequence[int], block: Index3) -> str:
    return spans(threads, block).capitalize()


def _waits(threads: Sequence[int]) -> str:
    return "wait" if len(threads) > 1 else "waits"


def _where(places: Mapping[Place, Sequence[int]]) -> str:
    return " and ".join(_place(place, threads) for place, threads in sorted(places.items()))


def _place(place: Place, threads: Sequence[int]) -> str:
    kind, line = place
    many = len(threads) > 1
    if kind is StepKind.WAIT:
        return f"{'they wait' if many else 'it waits'} in line {line}"
    if kind is StepKind.STOP:
        return f"{'they were' if many else 'it was'} stopped" + (f" in line {line}" if line else "")
    return f"{'they have' if many else 'it has'} left the kernel" + (f" by line {line}" if line else " at its end")


def _groups(places: Mapping[Place, Sequence[int]], block: Index3) -> str:
    said = (
        (_said(threads, block), _place(place, threads).partition(" ")[2]) for place, threads in sorted(places.items())
    )
    return " ".join(f"{who} {does}." for who, does in said)


def _questions(
    run: StoryRun,
    stands: Sequence[int],
    here: Sequence[int],
    missing: Sequence[int],
    line: int,
    where: str,
    block: Index3,
) -> Iterator[Question]:
    who = asked(
        stands[0],
        f"Which threads never reach line {line}, where others wait for them?",
        spans(missing, block),
        (spans(here, block), f"none: all {len(here) + len(missing)} threads reach it"),
        f"{where.capitalize()}.",
    )
    if who is not None:
        yield who
    end = len(run.steps) - 1
    many = len(missing) > 1
    others = (
        f"{'they wait' if many else 'it waits'} in line {line}",
        f"{'they have' if many else 'it has'} left the kernel at its end",
        f"{'they are' if many else 'it is'} only late: the barrier waits until {'they come' if many else 'it comes'}",
    )
    ask = asked(
        end,
        f"Where is {spans(missing, block)} meanwhile?" if not many else "Where are these threads meanwhile?",
        where,
        others,
        "So nobody comes for whom the others could wait.",
    )
    if ask is not None and end > stands[0]:
        yield ask


# The story of a warp operation with a lane that takes no part: who reads from whom, who gets nothing, and where the lane is meanwhile.
# Pure.

_MOST_OPERATIONS = 6  # of the warp, before the one that is told
_NAMED = 4  # lanes in a sentence
_LANE_STORY_SCHEDULE = (
    "One warp: what its lanes do before the operation, and from which lane each of them gets its value."
)
_MASK = re.compile(r"\bmask (0x[0-9a-f]{1,8})\b")


@dataclass(frozen=True)
class _Lost:
    """A lane whose operation brings nothing, and the lanes that do it together."""

    trace: Trace
    block: Index3
    file: str
    thread: int
    at: int  # its place in the trace
    together: tuple[int, ...]  # the operation's steps, by their places
    mask: str  # as the finding says it; empty: not known

    @property
    def step(self) -> Step:
        return self.trace.steps[self.at]

    @property
    def line(self) -> int:
        return line_of(self.trace, self.step, self.file)

    @property
    def lane(self) -> int:
        return self.thread % LANES

    @property
    def source(self) -> int:
        """The lane that it reads from. Its own: its mask does not name it."""
        return self.step[4]

    @property
    def lanes(self) -> list[int]:
        return sorted({self.trace.steps[at][1] % LANES for at in self.together})

    @property
    def is_alone(self) -> bool:
        """It is not in its own mask, so that it takes part in nothing."""
        return self.source == self.lane

    @property
    def empty(self) -> list[int]:
        """Lanes of the operation that get nothing."""
        return sorted({self.trace.steps[at][1] % LANES for at in self.together if self.trace.steps[at][5] == 0})

    def thread_of(self, lane: int) -> int:
        return self.thread // LANES * LANES + lane


def lane_story(traced: TracedLaunch, finding: Finding, source: Sequence[str]) -> Story | None:
    """None where the finding is about something else, or where the trace does not show the operation."""
    found = _lost(traced, finding)
    if found is None:
        return None
    run = run_of_trace(
        _lane_story_cut(found), found.block, found.file, title="As it ran", schedule=_LANE_STORY_SCHEDULE
    )
    at = _lane_story_place(run, found)
    if at is None:
        return None
    warp = found.thread // LANES
    said = _lane_story_said(found)
    where = "" if found.is_alone else f" {_lane_story_where(found)}"
    return framed(
        traced,
        source,
        replace(run, marks=(_mark(found, at, f"{said}{where}"),)),
        title=f"who reads from whom in line {found.line}",
        summary=f"In warp {warp}, {_lanes(found.lanes)} {_do(found.lanes)} the warp operation in line {found.line}. {said}{where}",
        questions=list(_lane_story_questions(found, at, said, where)),
        start=max(0, at - 1),
    )


def _lost(traced: TracedLaunch, finding: Finding) -> _Lost | None:
    trace, block, file = traced.report.trace, traced.report.launch.block, traced.file
    if trace is None or block is None or finding.thread is None or finding.access not in {"shuffle", "mask"}:
        return None
    thread = thread_number(finding.thread, block)
    at = next(
        (
            number
            for number, step in enumerate(trace.steps)
            if step[0] == StepKind.EXCHANGE
            and step[1] == thread
            and step[5] == 0
            and line_of(trace, step, file) == finding.line
            and (step[4] == thread % LANES) == (finding.access == "mask")
        ),
        None,
    )
    if at is None:
        return None
    mask = _MASK.search(finding.message)
    return _Lost(trace, block, file, thread, at, tuple(_together(trace, at)), mask[1] if mask else "")


def _together(trace: Trace, at: int) -> Iterator[int]:
    """The steps beside `at` that belong to the same operation: lanes rise, and each is there once."""
    warp, place, seen = trace.steps[at][1] // LANES, trace.steps[at][7], trace.steps[at][1] % LANES

    def is_alike(number: int) -> bool:
        step = trace.steps[number]
        return step[0] == StepKind.EXCHANGE and step[1] // LANES == warp and step[7] == place

    first = at
    while first > 0 and is_alike(first - 1) and trace.steps[first - 1][1] < trace.steps[first][1]:
        first -= 1
    yield from range(first, at + 1)
    for number in range(at + 1, len(trace.steps)):
        lane = trace.steps[number][1] % LANES
        if not is_alike(number) or lane <= seen:
            return
        seen = lane
        yield number


def _lane_story_cut(found: _Lost) -> Trace:
    """What the warp does up to the operation: its last accesses and operations, and where lanes leave."""
    steps, warp, end = found.trace.steps, found.thread // LANES, found.together[-1] + 1
    own: dict[int, list[int]] = {}
    operations: dict[int, list[int]] = {}
    kept = set(found.together)
    for at, step in enumerate(steps[:end]):
        if step[0] == StepKind.BARRIER or step[1] // LANES != warp:
            continue
        if step[0] in ACCESSES:
            own.setdefault(step[1], []).append(at)
        elif step[0] == StepKind.EXCHANGE:
            operations.setdefault(step[1], []).append(at)
        else:
            kept.add(at)
    kept.update(at for each in own.values() for at in each[-_BEFORE:])
    kept.update(at for each in operations.values() for at in each[-_MOST_OPERATIONS:])
    return found.trace.model_copy(update={"steps": tuple(steps[at] for at in sorted(kept))})


def _lane_story_place(run: StoryRun, found: _Lost) -> int | None:
    """The operation among the run's steps: the last one in which the lane gets nothing."""
    own = [
        at
        for at, step in enumerate(run.steps)
        if step.kind is PageStepKind.EXCHANGE
        and has_thread(step, found.thread)
        and run.places[step.place].line == found.line
        and step.bits[step.lanes.index(found.lane)] is None
        and step.offsets[step.lanes.index(found.lane)] == found.source
    ]
    return own[-1] if own else None


def _mark(found: _Lost, at: int, text: str) -> Mark:
    threads = {found.thread, found.thread_of(found.source)}
    most = found.block[0] * found.block[1] * found.block[2]
    return Mark(at, text, "bad", tuple(sorted(one for one in threads if one < most)))


def _lanes(lanes: Sequence[int]) -> str:
    runs: list[list[int]] = []
    for one in lanes:
        if runs and runs[-1][1] == one - 1:
            runs[-1][1] = one
        else:
            runs.append([one, one])
    said = [f"{a} to {b}" if b > a else str(a) for a, b in runs]
    words = ", ".join(said[:_NAMED]) + (", …" if len(said) > _NAMED else "")
    return f"lane{'s' if len(lanes) > 1 else ''} {words}"


def _do(lanes: Sequence[int]) -> str:
    return "do" if len(lanes) > 1 else "does"


def _lane_story_said(found: _Lost) -> str:
    who = f"Lane {found.lane}, thread {thread_name(found.thread, found.block)},"
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
    source = found.thread_of(found.source)
    if source >= found.block[0] * found.block[1] * found.block[2]:
        return f"Lane {found.source} does not exist: the block ends before it."
    if found.mask and not int(found.mask, 16) >> found.source & 1:
        return f"The mask {found.mask} does not name lane {found.source}."
    who = f"Lane {found.source}, thread {thread_name(source, found.block)},"
    steps = found.trace.steps
    left = next((one for one in steps if one[0] == StepKind.LEAVE and one[1] == source), None)
    if left is not None and (line := line_of(found.trace, left, found.file)):
        return f"{who} has left the kernel by line {line}."
    last = [one for one in steps[: found.at] if one[1] == source and one[0] != StepKind.BARRIER]
    if not last:
        return f"{who} has read and written nothing before, and never comes to line {found.line}."
    return (
        f"{who} was last seen in line {line_of(found.trace, last[-1], found.file)}: it does not come to this operation."
    )


def _lane_story_questions(found: _Lost, at: int, said: str, where: str) -> Iterator[Question]:
    warp = found.thread // LANES
    exist = min(LANES, found.block[0] * found.block[1] * found.block[2] - warp * LANES)
    every = list(range(exist))
    others = [one for one in every if one not in found.lanes]
    if not found.is_alone and at > 0:
        who = asked(
            at - 1,
            f"Which lanes of warp {warp} take part in the operation in line {found.line}?",
            _lanes(found.lanes),
            (_lanes(every), _lanes(others) if others else "", _lanes([found.lane])),
            f"{_lanes(found.lanes).capitalize()}.{where}",
        )
        if who is not None:
            yield who
    undefined = "a value that CUDA does not define"
    gets = asked(
        at,
        f"What does lane {found.lane} get in line {found.line}?"
        if found.is_alone
        else f"Lane {found.lane} reads from lane {found.source} in line {found.line}. What does it get?",
        undefined,
        (
            "0",
            "its own value" if not found.is_alone else "the value of its neighbour",
            f"it waits until lane {found.source} comes",
        ),
        f"{said}{where}",
    )
    if gets is not None:
        yield gets
