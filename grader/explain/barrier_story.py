"""The story of a barrier, or a warp operation, that some threads never reach: who waits where, and where the others are. Pure."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace

from grader.explain.recording import Moment, Recording, asked
from grader.explain.story import LANES, Index3, Mark, Question, Story, ranges, spans, thread_number
from grader.model.result import Finding
from grader.run.launches.trace_phases import ACCESSES, StepKind

_TOGETHER = frozenset({StepKind.WAIT, StepKind.LEAVE})  # what is recorded at one moment
_GONE = frozenset({StepKind.LEAVE, StepKind.STOP})
_STANDS = frozenset({StepKind.WAIT, StepKind.LEAVE, StepKind.STOP})
_BEFORE = 3  # accesses of each thread that are shown before it stands
_SCHEDULE = "The last accesses of each thread before the barrier, and where the threads are when none can continue."
Standing = tuple[StepKind, int]  # what a thread does, and in which line


def barrier_story(recording: Recording, finding: Finding) -> Story | None:
    """None where the trace does not show who is missing."""
    block = recording.block
    standstill = _standstill(recording, finding)
    if standstill is None:
        return None
    line = standstill[0].line
    standing = _standing(recording, standstill[1])
    here = standing.pop((StepKind.WAIT, line), [])
    missing = sorted(thread for threads in standing.values() for thread in threads)
    if not here or not missing:
        return None
    chosen = sorted(_kept(recording, standstill[1]))
    run, _ = recording.together("Who waits where", _SCHEDULE, chosen)
    stands = [at for at, step in enumerate(run.steps) if step.kind in _STANDS]
    if not stands:
        return None
    places = [(threads, _place(*place, many=len(threads) > 1)) for place, threads in sorted(standing.items())]
    where = " and ".join(place for _, place in places)
    groups = " ".join(f"{_said(threads, block)} {place.partition(' ')[2]}." for threads, place in places)
    mark = next((one for one in stands if run.places[run.steps[one].place].line == line), stands[0])
    waits = f"{_said(here, block)} {'wait' if len(here) > 1 else 'waits'} in line {line}."
    comes = f"{_said(missing, block)} never {'come' if len(missing) > 1 else 'comes'} to line {line}: {where}."
    return recording.framed(
        replace(run, marks=(Mark(mark, comes, "bad"),)),
        title=f"who waits where at line {line}",
        summary=f"{waits} {groups} On a GPU such a block may hang, or go on with data that are not there yet.",
        questions=_questions((stands[0], len(run.steps) - 1), here, missing, line, where, block),
        start=stands[0] - 1,
    )


def _standstill(recording: Recording, finding: Finding) -> tuple[Moment, range] | None:
    """Where somebody waits in vain in the finding's line, or else anywhere; and the steps of that moment."""
    waits = recording.find({StepKind.WAIT})
    lines = (finding.line, finding.other.line if finding.other else None)
    found = [one for line in lines for one in waits if one.line == line] or waits
    if not found:
        return None
    first = max((one + 1 for one in recording.moments(0, found[0]) if one.kind not in _TOGETHER), default=0)
    after = (int(one) for one in recording.moments(found[0]) if one.kind not in _TOGETHER)
    return found[0], range(first, next(after, len(recording.trace.steps)))


def _standing(recording: Recording, moment: range) -> dict[Standing, list[int]]:
    """Where each thread stands then: also those that were gone before."""
    until = recording.moments(0, moment.stop)
    last = {one.thread: (StepKind(one.kind), one.line) for one in until if one in moment or one.kind in _GONE}
    found: dict[Standing, list[int]] = defaultdict(list)
    for thread, place in sorted(last.items()):
        found[place].append(thread)
    return found


def _kept(recording: Recording, moment: range) -> set[int]:
    """That moment, the last accesses of its threads before it, and the barrier that follows."""
    steps = recording.trace.steps
    kept: set[int] = {*moment, *(one for one in recording.moments(0, moment.start) if one.kind in _GONE)}
    for thread in {steps[at][1] for at in moment}:
        own = [one for one in recording.of_thread(thread) if one < moment.start and one.kind in ACCESSES]
        kept.update([one for one in own if one.interval == steps[moment.start][2]][-_BEFORE:])
    kept.update(one for one in recording.moments(moment.stop)[:1] if one.kind == StepKind.BARRIER)
    return kept


def _said(threads: Sequence[int], block: Index3) -> str:
    return spans(threads, block).capitalize()


def _place(kind: StepKind, line: int, *, many: bool) -> str:
    if kind is StepKind.WAIT:
        return f"{'they wait' if many else 'it waits'} in line {line}"
    if kind is StepKind.STOP:
        return f"{'they were' if many else 'it was'} stopped" + (f" in line {line}" if line else "")
    return f"{'they have' if many else 'it has'} left the kernel" + (f" by line {line}" if line else " at its end")


def _questions(
    shown: tuple[int, int], here: Sequence[int], missing: Sequence[int], line: int, where: str, block: Index3
) -> Iterator[Question | None]:
    """`shown`: the first step of the run at which somebody stands, and the last one."""
    first, end = shown
    text = f"Which threads never reach line {line}, where others wait for them?"
    others = spans(here, block), f"none: all {len(here) + len(missing)} threads reach it"
    yield asked(first, text, spans(missing, block), others, f"{where.capitalize()}.")
    many = len(missing) > 1
    they, late = "Where are these threads meanwhile?", "they are only late: the barrier waits until they come"
    if not many:
        they, late = f"Where is {spans(missing, block)} meanwhile?", "it is only late: the barrier waits until it comes"
    if end > first:
        places = _place(StepKind.WAIT, line, many=many), _place(StepKind.LEAVE, 0, many=many), late
        yield asked(end, they, where, places, "So the others wait for threads that never arrive.")


# The story of a warp operation with a lane that takes no part: who reads from whom, who gets nothing, and where the lane is meanwhile.
# Pure.

_MOST_OPERATIONS = 6  # of the warp, before the one that is told
_LANE_SCHEDULE = "One warp: what its lanes do before the operation, and from which lane each of them gets its value."
_MASK = re.compile(r"\bmask (0x[0-9a-f]{1,8})\b")


class _Lost:
    """A lane whose operation brings nothing, and the lanes that do it together."""

    def __init__(self, at: Moment, message: str) -> None:
        mask = _MASK.search(message)
        self.mask = mask[1] if mask else ""  # as the finding says it; empty: not known
        self.at, self.recording, self.line = at, at.recording, at.line
        self.warp, self.lane = divmod(at.thread, LANES)
        self.source = at.step[4]  # the lane that it reads from
        self.of_source = self.warp * LANES + self.source  # its thread
        self.together = list(_together(at))  # the operation's steps
        self.lanes = sorted({one.thread % LANES for one in self.together})
        self.is_alone = self.source == self.lane  # it is not in its own mask, so that it takes part in nothing


def lane_story(recording: Recording, finding: Finding) -> Story | None:
    """None where the finding is about something else, or where the trace does not show the operation."""
    found = _lost(recording, finding)
    if found is None:
        return None
    run, places = recording.together("As it ran", _LANE_SCHEDULE, sorted(_kept_of_warp(found)))
    at = places.get(found.at)
    if at is None:
        return None
    where = "" if found.is_alone else f" {_lane_where(found)}"
    said = f"{_lane_said(found)}{where}"
    threads = sorted(one for one in {found.at.thread, found.of_source} if one < recording.threads)
    does = f"{_lanes(found.lanes)} {'do' if len(found.lanes) > 1 else 'does'} the warp operation in line {found.line}"
    return recording.framed(
        replace(run, marks=(Mark(at, said, "bad", tuple(threads)),)),
        title=f"who reads from whom in line {found.line}",
        summary=f"In warp {found.warp}, {does}. {said}",
        questions=_lane_questions(found, at, said, where),
        start=at - 1,
    )


def _lost(recording: Recording, finding: Finding) -> _Lost | None:
    if finding.thread is None or finding.line is None or finding.access not in {"shuffle", "mask"}:
        return None
    thread = thread_number(finding.thread, recording.block)
    own = recording.find({StepKind.EXCHANGE}, line=finding.line, thread=thread)
    is_alone = finding.access == "mask"
    lost = (one for one in own if one.step[5] == 0 and (one.step[4] == thread % LANES) == is_alone)
    return next((_Lost(one, finding.message) for one in lost), None)


def _together(at: Moment) -> Iterator[Moment]:
    """The steps beside `at` that belong to the same operation: lanes rise, and each is there once."""
    moments = at.recording.moments()

    def is_alike(one: Moment) -> bool:
        return one.kind == StepKind.EXCHANGE and (one.thread // LANES, one.step[7]) == (at.thread // LANES, at.step[7])

    first = int(at)
    while first > 0 and is_alike(moments[first - 1]) and moments[first - 1].thread < moments[first].thread:
        first -= 1
    yield from moments[first : at + 1]
    seen = at.thread
    for one in moments[at + 1 :]:
        if not is_alike(one) or one.thread <= seen:
            return
        seen = one.thread
        yield one


def _kept_of_warp(found: _Lost) -> set[int]:
    """What the warp does up to the operation: its last accesses and operations, and where lanes leave."""
    kept: set[int] = set(found.together)
    for thread in range(found.warp * LANES, (found.warp + 1) * LANES):
        own = [one for one in found.recording.of_thread(thread) if one <= found.together[-1]]
        accesses = [one for one in own if one.kind in ACCESSES]
        operations = [one for one in own if one.kind == StepKind.EXCHANGE]
        kept.update(set(own) - {*accesses, *operations}, accesses[-_BEFORE:], operations[-_MOST_OPERATIONS:])
    return kept


def _lanes(lanes: Sequence[int]) -> str:
    return f"lane{'s' if len(lanes) > 1 else ''} {ranges(lanes)}"


def _lane_said(found: _Lost) -> str:
    who = f"Lane {found.lane}, thread {found.at.who},"
    if found.is_alone:
        mask = f"the mask{f' {found.mask}' if found.mask else ''}, which does not name lane {found.lane} itself"
        return f"{who} calls it with {mask}: it does not take part, and what it gets is undefined."
    said = f"{who} takes the value of lane {found.source}, which takes no part: what it gets is undefined."
    empty = {one.thread % LANES for one in found.together if one.step[5] == 0}
    others = sorted(empty - {found.lane})
    if not others:
        return said
    return f"{said} So it is for {len(others)} more lane{'s' if len(others) > 1 else ''}: {_lanes(others)}."


def _lane_where(found: _Lost) -> str:
    """Where the lane is that takes no part."""
    recording, source = found.recording, found.of_source
    if source >= recording.threads:
        return f"Lane {found.source} does not exist: the block ends before it."
    if found.mask and not int(found.mask, 16) >> found.source & 1:
        return f"The mask {found.mask} does not name lane {found.source}."
    who = f"Lane {found.source}, thread {recording.who(source)},"
    own = recording.of_thread(source)
    left = next((one for one in own if one.kind == StepKind.LEAVE), None)
    if left is not None and left.line:
        return f"{who} has left the kernel by line {left.line}."
    last = [one for one in own if one < found.at]
    if not last:
        return f"{who} has read and written nothing before, and never comes to line {found.line}."
    return f"{who} was last seen in line {last[-1].line}: it does not come to this operation."


def _lane_questions(found: _Lost, at: int, said: str, where: str) -> Iterator[Question | None]:
    every = list(range(min(LANES, found.recording.threads - found.warp * LANES)))
    others = [one for one in every if one not in found.lanes]
    if not found.is_alone and at > 0:
        text = f"Which lanes of warp {found.warp} take part in the operation in line {found.line}?"
        right = _lanes(found.lanes)
        wrong = _lanes(every), _lanes(others) if others else "", _lanes([found.lane])
        yield asked(at - 1, text, right, wrong, f"{right.capitalize()}.{where}")
    text, other = f"What does lane {found.lane} get in line {found.line}?", "the value of its neighbour"
    if not found.is_alone:
        text = f"Lane {found.lane} reads from lane {found.source} in line {found.line}. What does it get?"
        other = "its own value"
    waits = f"it waits until lane {found.source} comes"
    yield asked(at, text, "a value that CUDA does not define", ("0", other, waits), said)
