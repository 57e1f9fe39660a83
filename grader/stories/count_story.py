"""The story of a wrong count of a histogram: which values are counted in a bin that are not its own, which of its own are not, and what the
block passes on. Pure.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from grader.single_launch.trace_steps import StepKind
from grader.single_launch.tracing import TracedLaunch
from grader.step_page.story import Index3, Mark, Question, Story, StoryElement
from grader.step_page.thread_run import run_of_threads
from grader.stories.told_story import asked, element_name, framed, line_of, thread_name
from grader.value_origins.counted_values import CountedValues, counted_values

_SHOWN = 6  # values, or additions, of each sort
_SCHEDULE = "Values that a thread reads, and what it counts or adds for each."


@dataclass(frozen=True)
class _Wrong:
    """What is wrong with a count, in words, and the steps that show it."""

    said: str
    steps: tuple[int, ...]
    at: int  # the step that shows it best
    right: str  # the answer of "why is it wrong"


@dataclass(frozen=True)
class _Told:
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
    told = _Told(found, block, traced.file)
    wrong = next((one for one in (_strange(told), _uneven(told), _lost(told), _passed(told)) if one is not None), None)
    if wrong is None:
        return None
    trace, name = found.trace, f"{found.trace.arrays[found.output].name}[{found.bin}]"
    steps = {*wrong.steps, wrong.at}
    steps.update(at for at in range(min(steps), max(steps)) if trace.steps[at][0] == StepKind.BARRIER)
    chosen = sorted(steps)
    run = run_of_threads(trace, chosen, traced.file, title="As it ran", schedule=_SCHEDULE)
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
        questions=list(_questions(told, wrong, chosen.index(wrong.at), name)),
        start=max(0, chosen.index(wrong.at) - 2),
    )


def _value(told: _Told, flat: int) -> str:
    given = told.count.given
    return f"{given.name}[{flat}] = {given.values[flat]:.9g}"


def _strange(told: _Told) -> _Wrong | None:
    strange = told.count.strange
    if not strange:
        return None
    one = strange[0]
    where = f"{told.name(one.at)} in line {told.line(one.at)}"
    said = f"Thread {told.thread(one.at)} reads {_value(told, one.read.flat)} and counts it in {where}."
    said += f" {len(strange):,} such values are counted there." if len(strange) > 1 else ""
    steps = tuple(at for other in strange[:_SHOWN] for at in (other.read.at, other.at))
    return _Wrong(said, steps, one.at, "other values are counted in it")


def _uneven(told: _Told) -> _Wrong | None:
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


def _lost(told: _Told) -> _Wrong | None:
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


def _passed(told: _Told) -> _Wrong | None:
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


def _questions(told: _Told, wrong: _Wrong, at: int, name: str) -> Iterator[Question]:
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
