"""The story of a wrong sum that is no product of matrices: which elements of the input are in it too often, or not at all, and where that
happens. Pure.

It tells only what follows from the recorded values. Where they can be put together in several ways, there is no story.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from grader.explain.copied_element import Addends, CountedValues, addends_of, counted_values
from grader.explain.followed_sums import Term
from grader.explain.story import (
    LANES,
    Index3,
    Mark,
    Question,
    Story,
    StoryElement,
    Tone,
    asked,
    element_name,
    framed,
    line_of,
    thread_name,
)
from grader.explain.trace_story import run_of_threads
from grader.run.launches.trace_phases import StepKind
from grader.run.launches.tracing import TracedLaunch

_MOST_STEPS = 40
_FEW = 3
_SCHEDULE = (
    "The way of one element of the input: who reads it, where it is stored, and which sums it becomes a part of."
)


@dataclass(frozen=True)
class _Told:
    sum: Addends
    way: tuple[Term, ...]
    block: Index3
    file: str
    blocks: int  # of the grid

    @property
    def element(self) -> str:
        """The element whose way is shown."""
        return self.sum.belonging.name(self.sum.told)

    @property
    def meeting(self) -> Term | None:
        return self.sum.meeting(self.way)

    def line(self, at: int) -> int:
        return line_of(self.sum.trace, self.sum.trace.steps[at], self.file)

    def thread(self, at: int) -> str:
        return thread_name(self.sum.trace.steps[at][1], self.block)

    def name(self, at: int) -> str:
        return element_name(self.sum.trace, self.sum.trace.steps[at])

    def giver(self, at: int) -> str:
        """The thread whose value an exchange brings."""
        step = self.sum.trace.steps[at]
        return thread_name(step[1] // LANES * LANES + step[4], self.block)


def addends_story(traced: TracedLaunch, source: Sequence[str]) -> Story | None:
    trace, block, found = traced.report.trace, traced.report.launch.block, addends_of(traced.report)
    grid = traced.report.launch.grid
    if trace is None or block is None or grid is None or found is None:
        return None
    blocks = math.prod(grid)
    if not (found.missing or found.repeated or found.strangers or (found.others and blocks > 1)):
        return None
    told = _Told(found, tuple(found.way()), block, traced.file, blocks)
    chosen, where = _chosen(told), _where(told)
    run = run_of_threads(trace, chosen, traced.file, title="As it ran", schedule=_SCHEDULE)
    return framed(
        traced,
        source,
        replace(run, marks=tuple(_marks(told, chosen, where))),
        title=f"the sum in {found.name}",
        summary=" ".join(filter(None, (_holds(found), _statement(found), where))),
        questions=list(_questions(told, chosen, where)),
    )


def _chosen(told: _Told) -> list[int]:
    found, meeting = told.sum, told.meeting
    chosen = {one.at for one in told.way}
    if found.often(found.term) == 0:
        chosen.update(found.reads_of_told()[:_FEW])
        if (kept := found.kept()) is not None:
            chosen.add(kept[0])
            chosen.update([at for at in found.followed.read[kept[1]] if at > kept[0]][:_FEW])
    elif meeting is not None:
        parts = {meeting.at, *(one.at for one in meeting.parts)}
        before = [at for at in sorted(chosen) if at <= meeting.at][-_MOST_STEPS // 2 :]
        after = [at for at in sorted(chosen) if at > meeting.at][: _MOST_STEPS // 2]
        chosen = {*before, *after, *parts}
    chosen.add(found.term.at)
    steps = found.trace.steps
    chosen.update(at for at in range(min(chosen), max(chosen)) if steps[at][0] == StepKind.BARRIER)
    return sorted(chosen)


def _holds(found: Addends) -> str:
    flat = found.key[1] // found.trace.arrays[found.key[0]].element_bytes
    return (
        f"{found.name} holds {found.wrong.got or 0.0:.9g} in the end, and {found.wrong.expected or 0.0:.9g} belongs there: the sum of"
        f" {found.belonging.words(flat)}."
    )


def _statement(found: Addends) -> str:
    repeated, missing, strangers = found.repeated, found.missing, found.strangers
    said = []
    if repeated:
        many = sorted(Counter(found.times[at] for at in repeated).items())
        often = ", ".join(f"{count} of them {times} times" for times, count in many[:_FEW])
        more = ", …" if len(many) > _FEW else ""
        said.append(f"{_elements(repeated)} {_are(repeated)} in it more than once ({often}{more}).")
    if missing:
        said.append(f"{_elements(missing)} {_are(missing)} not in it: {_listed(found, missing)}.")
    if strangers:
        do = "do" if len(strangers) > 1 else "does"
        said.append(f"It has {_listed(found, strangers)}, which {do} not belong there.")
    return " ".join(said)


def _are(many: Sequence[int]) -> str:
    return "are" if len(many) > 1 else "is"


def _elements(many: Sequence[int]) -> str:
    return f"{len(many):,} element{'s' if len(many) > 1 else ''}"


def _listed(found: Addends, flats: Sequence[int]) -> str:
    names = [found.belonging.name(at) for at in flats]
    if len(names) > _FEW and flats[-1] - flats[0] == len(flats) - 1:
        return f"{names[0]} to {names[-1]}"
    return ", ".join(names[:_FEW]) + (f" and {len(names) - _FEW} more" if len(names) > _FEW else "")


def _where(told: _Told) -> str:
    """Where it happens to the told element."""
    if told.sum.others:
        brings = f"This block alone brings {told.sum.term.value:.9g}, all of them once"
        return f"{brings}, and the grid has {told.blocks:,} blocks: nothing is left that another one could add."
    if told.sum.often(told.sum.term) == 0:
        return _lost(told)
    meeting = told.meeting
    if meeting is None:
        return ""
    reads = told.sum.reads_in(meeting)
    if len(reads) > 1:
        by = " and ".join(f"thread {told.thread(at)} in line {told.line(at)}" for at in reads[:2])
        brought = f" {told.element} is read more than once: by {by}."
    else:
        brought = f" {told.element} was read once."
    return f"{_met(told, meeting)}{brought}"


def _met(told: _Told, meeting: Term) -> str:
    who = f"thread {told.thread(meeting.at)} in line {told.line(meeting.at)}"
    times, kind = f"{told.element} {told.sum.often(meeting)} times", told.sum.trace.steps[meeting.at][0]
    if kind == StepKind.ATOMIC and told.sum.often(meeting.parts[0]):
        return f"{told.element} is in {told.name(meeting.at)} already when {who} adds a sum that has it too."
    if kind == StepKind.ATOMIC:
        return f"What {who} adds to {told.name(meeting.at)} has {times}."
    if kind == StepKind.EXCHANGE:
        return f"What thread {told.giver(meeting.at)} gives to {who} has {times}."
    return f"What {who} stores in {told.name(meeting.at)} has {times}."


def _lost(told: _Told) -> str:
    found, reads = told.sum, told.sum.reads_of_told()
    if not reads:
        return f"No thread of this block reads {told.element}."
    kept = found.kept()
    if kept is None:
        said = f"Thread {told.thread(reads[0])} reads {told.element} in line {told.line(reads[0])}"
        return f"{said}, and what it makes of it is in no sum that is known here."
    at, key = kept
    later = [one for one in found.followed.read[key] if one > at]
    alone = len(found.held(kept)) == 1
    what = told.element if alone else f"a sum with {told.element}"
    held = f"Thread {told.thread(at)} stores {what} in {found.named(key)} in line {told.line(at)}"
    if not later:
        return f"{held}, and nobody reads {found.named(key)} after that."
    return f"{held}. Thread {told.thread(later[0])} reads that in line {told.line(later[0])}, but it is not in {found.name}."


def _marks(told: _Told, chosen: Sequence[int], where: str) -> Iterator[Mark]:
    found, meeting = told.sum, told.meeting
    kept = found.kept() if found.often(found.term) == 0 else None
    by_step: dict[int, Term] = {}
    for one in told.way:
        if one.at not in by_step or found.often(one) > found.often(by_step[one.at]):
            by_step[one.at] = one
    for place, at in enumerate(chosen):
        step = found.trace.steps[at]
        tone: Tone = "bad"
        elements = () if step[3] < 0 or step[0] == StepKind.EXCHANGE else (StoryElement(step[3], step[4]),)
        if at == chosen[-1] and found.others:
            text = where
        elif at == chosen[-1]:
            text = f"{found.name} holds {found.term.value:.9g} now. {_statement(found)}"
        elif (kept is not None and at == kept[0]) or (meeting is not None and at == meeting.at):
            text = where
        elif at in by_step:
            text, tone = _passes(told, by_step[at]), "note"
        else:
            continue
        yield Mark(place, text, tone, (step[1],), elements)


def _passes(told: _Told, term: Term) -> str:
    step, times = told.sum.trace.steps[term.at], told.sum.often(term)
    has = f"has {told.element}" + (f" {times} times" if times > 1 else "")
    if step[0] == StepKind.READ:
        return f"Thread {told.thread(term.at)} reads {told.element}."
    if step[0] == StepKind.EXCHANGE:
        return f"What thread {told.giver(term.at)} gives {has}."
    return f"{told.name(term.at)} {has} now."


def _questions(told: _Told, chosen: Sequence[int], where: str) -> Iterator[Question]:
    found, kept = told.sum, told.sum.kept()
    if found.others:
        yield from _share(told, chosen, where)
        return
    times, end = found.often(found.term), len(chosen) - 1
    turn = told.meeting.at if told.meeting is not None else kept[0] if kept is not None else chosen[-1]
    first = chosen.index(turn) if turn in chosen else end
    often = asked(
        first,
        f"How often is {told.element} in what {found.name} holds in the end?",
        str(times),
        map(str, (0, 1, 2, times + 1)),
        f"{_statement(found)} {where}".strip(),
    )
    if often is not None:
        yield _in_order(often)
    once, every = sum(one == 1 for one in found.times.values()), len(found.times)
    how_many = asked(
        end,
        f"{every} elements of {found.belonging.given.name} belong in {found.name}. How many of them are in it exactly once?",
        str(once),
        map(str, (0, every, every // 2, max(0, every - 1))),
        _statement(found),
    )
    if how_many is not None and every > 1 and first < end:
        yield _in_order(how_many)


def _share(told: _Told, chosen: Sequence[int], where: str) -> Iterator[Question]:
    """How many elements one of several blocks adds."""
    every = len(told.sum.times)
    ask = asked(
        len(chosen) - 1,
        f"The grid has {told.blocks:,} blocks. How many of the {every} elements that belong in {told.sum.name} does this one add?",
        str(every),
        map(str, (0, -(-every // told.blocks), every // 2)),
        where,
    )
    if ask is not None and len(chosen) > 1:
        yield _in_order(ask)


def _in_order(question: Question) -> Question:
    order = sorted(question.choices, key=int)
    return replace(question, choices=tuple(order), answer=order.index(question.choices[question.answer]))


# The story of a wrong count of a histogram: which values are counted in a bin that are not its own, which of its own are not, and what the
# block passes on. Pure.

_SHOWN = 6  # values, or additions, of each sort
_COUNT_STORY_SCHEDULE = "Values that a thread reads, and what it counts or adds for each."


@dataclass(frozen=True)
class _Wrong:
    """What is wrong with a count, in words, and the steps that show it."""

    said: str
    steps: tuple[int, ...]
    at: int  # the step that shows it best
    right: str  # the answer of "why is it wrong"


@dataclass(frozen=True)
class _CountStoryTold:
    count: CountedValues
    block: Index3
    file: str

    def name(self, at: int) -> str:
        return element_name(self.count.trace, self.count.trace.steps[at])

    def thread(self, at: int) -> str:
        return thread_name(self.count.trace.steps[at][1], self.block)

    def line(self, at: int) -> int:
        return line_of(self.count.trace, self.count.trace.steps[at], self.file)


def count_story(traced: TracedLaunch, source: Sequence[str]) -> Story | None:
    block, found = traced.report.launch.block, counted_values(traced.report)
    if block is None or found is None:
        return None
    told = _CountStoryTold(found, block, traced.file)
    wrong = next(
        (one for one in (_strange(told), _uneven(told), _count_story_lost(told), _passed(told)) if one is not None),
        None,
    )
    if wrong is None:
        return None
    trace, name = found.trace, f"{found.trace.arrays[found.output].name}[{found.bin}]"
    steps = {*wrong.steps, wrong.at}
    steps.update(at for at in range(min(steps), max(steps)) if trace.steps[at][0] == StepKind.BARRIER)
    chosen = sorted(steps)
    run = run_of_threads(trace, chosen, traced.file, title="As it ran", schedule=_COUNT_STORY_SCHEDULE)
    step = trace.steps[wrong.at]
    mark = Mark(chosen.index(wrong.at), wrong.said, "bad", (step[1],), (StoryElement(step[3], step[4]),))
    often = f"so often the value {found.bin} is in {found.given.name}"
    holds = f"{name} holds {found.got:.9g}, and {found.expected:.9g} belongs there: {often}."
    return framed(
        traced,
        source,
        replace(run, marks=(mark,)),
        title=f"the count in {name}",
        summary=f"{holds} {wrong.said}",
        questions=list(_count_story_questions(told, wrong, chosen.index(wrong.at), name)),
        start=max(0, chosen.index(wrong.at) - 2),
    )


def _value(told: _CountStoryTold, flat: int) -> str:
    given = told.count.given
    return f"{given.name}[{flat}] = {given.values[flat]:.9g}"


def _strange(told: _CountStoryTold) -> _Wrong | None:
    strange = told.count.strange
    if not strange:
        return None
    one = strange[0]
    where = f"{told.name(one.at)} in line {told.line(one.at)}"
    said = f"Thread {told.thread(one.at)} reads {_value(told, one.read.flat)} and counts it in {where}."
    said += f" {len(strange):,} such values are counted there." if len(strange) > 1 else ""
    steps = tuple(at for other in strange[:_SHOWN] for at in (other.read.at, other.at))
    return _Wrong(said, steps, one.at, "other values are counted in it")


def _uneven(told: _CountStoryTold) -> _Wrong | None:
    uneven = told.count.uneven
    if not uneven:
        return None
    one = uneven[0]
    said = (
        f"Thread {told.thread(one.at)} reads {_value(told, one.read.flat)} and adds {one.added:.9g} to {told.name(one.at)} in line"
        f" {told.line(one.at)}, and not 1."
    )
    steps = tuple(at for other in uneven[:_SHOWN] for at in (other.read.at, other.at))
    return _Wrong(said, steps, one.at, "something else than 1 is added for a value")


def _count_story_lost(told: _CountStoryTold) -> _Wrong | None:
    lost = told.count.lost
    if not lost:
        return None
    one = lost[0]
    said = f"Thread {told.thread(one.at)} reads {_value(told, one.flat)} in line {told.line(one.at)}"
    place = told.count.place(one)
    if place is not None:
        said += f" and counts it in {told.name(place.at)}."
        at = place.at
    else:
        said += " and counts it nowhere."
        at = one.at
    said += f" So it is with {len(lost):,} values." if len(lost) > 1 else ""
    counted = [
        other for other in told.count.counted if told.count.trace.steps[other.at][1] != told.count.trace.steps[at][1]
    ]
    steps = [step for read in lost[:_SHOWN] for step in (read.at,)] + [
        step for other in counted[:2] for step in (other.read.at, other.at)
    ]
    if place is not None:
        steps.append(place.at)
    return _Wrong(said, tuple(steps), at, "some of its values are not counted in it")


def _passed(told: _CountStoryTold) -> _Wrong | None:
    """All was counted rightly in this block's own bins: then what became of them."""
    found, passes = told.count, [one for one in told.count.passes if one.held or one.added]
    different = next((one for one in passes if one.held != one.added), None)
    if different is not None:
        said = (
            f"Thread {told.thread(different.at)} reads {told.name(different.read)}, which is {different.held:.9g}, but adds"
            f" {different.added:.9g} to {told.name(different.at)} in line {told.line(different.at)}."
        )
        return _Wrong(said, (different.read, different.at), different.at, "what is passed on is not what was counted")
    if len(passes) > 1 and len({found.trace.steps[one.read][3:5] for one in passes}) == 1:
        one = passes[1]
        said = (
            f"{told.name(one.read)} is added to {told.name(one.at)} {len(passes):,} times in line {told.line(one.at)}: thread"
            f" {told.thread(passes[0].at)} does it, then thread {told.thread(one.at)} does it too."
        )
        steps = tuple(at for other in passes[:_SHOWN] for at in (other.read, other.at))
        return _Wrong(said, steps, one.at, "what the block has counted is added more than once")
    return None


def _count_story_questions(told: _CountStoryTold, wrong: _Wrong, at: int, name: str) -> Iterator[Question]:
    others = (
        "other values are counted in it",
        "some of its values are not counted in it",
        "something else than 1 is added for a value",
        "what the block has counted is added more than once",
        "what is passed on is not what was counted",
    )
    ask = asked(
        at,
        f"{name} holds {told.count.got:.9g} and not {told.count.expected:.9g}. Why?",
        wrong.right,
        others,
        wrong.said,
    )
    if ask is not None and at > 0:
        yield ask
