"""The story of a race between two blocks: one block first, the other first, and, where both read and then write, a schedule in which one
change is lost. Each is a run of the kernel. Then, where there is one, the kernel with an atomic function. Pure.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from grader.block_races.block_race import BlockRace, BlockSide, Shared, block_race_of, shared_element, update_of
from grader.single_launch.added_atomic import AddedAtomic
from grader.single_launch.trace_steps import ACCESSES, CHANGES, Step, StepKind, Trace
from grader.single_launch.tracing import TracedLaunch
from grader.step_page.story import Mark, Question, Story, StoryElement, StoryRun, Tone
from grader.step_page.thread_run import run_of_threads
from grader.step_page.value_text import value_text
from grader.stories.told_story import element_name

_BEFORE, _AFTER = 4, 2  # steps of each thread
_MOST = 30
_ORDER = "Blocks ran one after the other, {way}. So block {one} had done this before block {other} began."
_HELD = (
    "{name} was held before its write in line {line} until all other blocks had ended. CUDA allows that: nothing orders two blocks of a "
    "launch."
)
_ATOMIC = "Reading, changing and writing are one step now: nothing comes between, whichever block is first."


@dataclass(frozen=True)
class BlockRuns:
    """The launch as the story needs it, each with both blocks recorded."""

    forward: TracedLaunch  # blocks from the first to the last
    backward: TracedLaunch | None
    held: TracedLaunch | None  # the first side waits before it writes what it has read
    mended: AddedAtomic | None


@dataclass(frozen=True)
class _Told:
    trace: Trace
    shared: Shared
    run: StoryRun
    places: dict[int, int]  # of steps of the trace in the run
    right: bool  # the launch's result
    end: str  # what the element holds after both

    @property
    def last(self) -> int:
        return self.places[max(at for uses in self.shared.uses for at in uses)]


def block_race_story(runs: BlockRuns, source: Sequence[str]) -> Story | None:
    """None where the runs do not show two orders."""
    launch = runs.forward.report.launch
    race = block_race_of(launch)
    one = _ordered(runs.forward, race, None) if race is not None else None
    if race is None or one is None or launch.grid is None or launch.block is None:
        return None
    other = _ordered(runs.backward, race, one.shared)
    if other is None or other.shared.first == one.shared.first:
        return None
    held = _held(runs.held, race, one)
    mended = _mended(runs.mended, race, one)
    if held is None and (one.end, _got(one)) == (other.end, _got(other)):
        return None
    told = [one, other, *([held] if held else []), *([mended] if mended else [])]
    name = element_name(one.trace, one.trace.steps[one.shared.uses[0][0]])
    return Story(
        title=f"{runs.forward.name}: two blocks and {name}",
        summary=_summary(race, one, other, held, runs.mended if mended else None, name),
        file=runs.forward.file,
        source=tuple(source),
        grid=launch.grid,
        block=launch.block,
        at=race.sides[0].block,
        beside=race.sides[1].block,
        shape=launch.shape,
        inputs=launch.inputs,
        runs=tuple(replace(each.run, marks=tuple(_marks(each, race, lost=each is held))) for each in told),
        questions=tuple(_questions(race, one, other, held, mended, name)),
        tone="bad",
    )


def _ordered(traced: TracedLaunch | None, race: BlockRace, like: Shared | None) -> _Told | None:
    trace = traced.report.trace if traced is not None else None
    if traced is None or trace is None:
        return None
    shared = shared_element(trace, race, like.key if like else None)
    if shared is None:
        return None
    first, later = race.sides[shared.first], race.sides[1 - shared.first]
    way = "from the last to the first" if traced.request.reversed else "from the first to the last"
    schedule = _ORDER.format(way=way, one=_index(first), other=_index(later))
    if max(shared.uses[shared.first]) > min(shared.uses[1 - shared.first]):  # then they waited for each other
        schedule = f"Blocks started {way}. {first.name.capitalize()} came first."
    return _cut(traced, trace, race, shared, f"Block {_index(first)} is first", schedule)


def _held(traced: TracedLaunch | None, race: BlockRace, like: _Told) -> _Told | None:
    trace = traced.report.trace if traced is not None else None
    shared = shared_element(trace, race, like.shared.key) if trace is not None else None
    if traced is None or trace is None or shared is None:
        return None
    mine, others = update_of(trace, shared.uses[0]), update_of(trace, shared.uses[1])
    if mine is None or others is None or not mine[0] < others[0] < others[1] < mine[1]:
        return None
    side = race.sides[0]
    schedule = _HELD.format(name=side.name.capitalize(), line=trace.places[trace.steps[mine[1]][7]].line)
    return _cut(traced, trace, race, shared, "Both read before either writes", schedule)


def _mended(added: AddedAtomic | None, race: BlockRace, like: _Told) -> _Told | None:
    trace = added.traced.report.trace if added is not None else None
    shared = shared_element(trace, race, like.shared.key) if trace is not None else None
    if added is None or trace is None or shared is None:
        return None
    lines = " and ".join(map(str, added.lines))
    title = f"With {added.function} in line{'s' if len(added.lines) > 1 else ''} {lines}"
    return _cut(added.traced, trace, race, shared, title, _ATOMIC)


def _cut(  # noqa: PLR0913, PLR0917 -- what is cut out, and how it is called
    traced: TracedLaunch, trace: Trace, race: BlockRace, shared: Shared, title: str, schedule: str
) -> _Told:
    chosen: set[int] = set()
    for side, uses in zip(race.sides, shared.uses, strict=True):
        own = [at for at, step in enumerate(trace.steps) if step[1] == side.thread and _is_common(trace, step)]
        first, last = own.index(uses[0]), own.index(uses[-1])
        chosen.update(own[max(0, first - _BEFORE) : min(last + _AFTER + 1, first + _MOST)])
        chosen.update(uses)
    steps = sorted(chosen)
    run = run_of_threads(trace, steps, traced.file, title=title, schedule=schedule)
    changes = [at for at in sorted({*shared.uses[0], *shared.uses[1]}) if trace.steps[at][0] in CHANGES]
    end = _value(trace, trace.steps[changes[-1]]) if changes else ""
    places = {at: place for place, at in enumerate(steps)}
    return _Told(trace, shared, run, places, traced.report.launch.mismatch is None, end)


def _is_common(trace: Trace, step: Step) -> bool:
    """An access to memory that both blocks have: each has shared arrays of its own, and a page has one of each name."""
    return step[0] in ACCESSES and trace.arrays[step[3]].space != "shared"


def _index(side: BlockSide) -> str:
    return "(" + ",".join(map(str, side.block)) + ")"


def _value(trace: Trace, step: Step) -> str:
    return value_text(step[6], step[5], trace.arrays[step[3]].element)


def _reader(told: _Told) -> int:
    """The side that reads before it writes; of two, the second."""
    reads = [told.trace.steps[uses[0]][0] == StepKind.READ for uses in told.shared.uses]
    return 1 if reads[1] else 0


def _got(told: _Told) -> str:
    """What that side reads; empty where none does."""
    step = told.trace.steps[told.shared.uses[_reader(told)][0]]
    return _value(told.trace, step) if step[0] == StepKind.READ else ""


def _marks(told: _Told, race: BlockRace, *, lost: bool) -> Iterator[Mark]:
    element = StoryElement(*told.shared.key)
    uses = sorted((at, which) for which in range(2) for at in told.shared.uses[which])
    for at, which in uses:
        step, side = told.trace.steps[at], race.sides[which]
        name, value = element_name(told.trace, step), _value(told.trace, step)
        if step[0] == StepKind.READ:
            text = f"{side.name.capitalize()} reads {name} and gets {value}."
        elif step[0] == StepKind.ATOMIC:
            text = f"{side.name.capitalize()} changes {name} atomically: it holds {value} now."
        else:
            text = f"{side.name.capitalize()} writes {name}: it holds {value} now."
        if lost and at == uses[-1][0]:
            before = [_value(told.trace, told.trace.steps[one]) for one in told.shared.uses[1]]
            text += f" The {before[-1]} of block {_index(race.sides[1])} is gone."
        is_end = at == uses[-1][0]
        tone: Tone = "note" if not is_end else "bad" if lost or not told.right else "good"
        yield Mark(told.places[at], text, tone, (side.thread,), (element,))


def _summary(  # noqa: PLR0913, PLR0917 -- what is known of the race
    race: BlockRace, one: _Told, other: _Told, held: _Told | None, added: AddedAtomic | None, name: str
) -> str:
    first, second = race.sides
    text = f"Nothing orders two blocks of one launch, and {first.name} and {second.name} both use {name}."
    if held is not None:
        alone = f"holds {one.end} after both"
        if one.end != other.end:
            alone = f"holds {one.end} or {other.end} after both, as one or the other is first"
        text += (
            f" One block after the other, {name} {alone}. Where both read it before either writes, it holds {held.end}: one change is"
            " lost."
        )
        if not held.right:
            text += " That launch's result is wrong."
    elif one.end != other.end:
        text += f" It holds {one.end} or {other.end} in the end: whichever block comes last decides."
    else:
        text += f" What is read is {_got(one)} in one order and {_got(other)} in the other."
    if added is not None:
        return f"{text} With {added.function}, the launch is right, and nothing is found."
    return f"{text} {_remedy(updates=held is not None)}"


def _remedy(*, updates: bool) -> str:
    if updates:
        return (
            "An atomic function makes such a change one step. Or each block keeps an element of its own, and a second launch adds "
            "them up."
        )
    return (
        "Let one block alone write it, or give each block an element of its own. What another block has written can be read by a "
        "later launch."
    )


def _questions(  # noqa: PLR0913, PLR0917 -- what there is to tell apart
    race: BlockRace, one: _Told, other: _Told, held: _Told | None, mended: _Told | None, name: str
) -> Iterator[Question]:
    ends = [each.end for each in (one, other, held, mended) if each is not None]
    later = race.sides[1 - one.shared.first]
    if held is None or one.end != other.end:
        got = {_got(one), _got(other)}
        if one.end != other.end:
            choices = sorted({one.end, other.end, "the same in every order", "the sum of what both write"})
            yield Question(
                0,
                one.last,
                f"Block {_index(race.sides[one.shared.first])} is first. What does {name} hold after both?",
                tuple(choices),
                choices.index(one.end),
                f"{later.name.capitalize()} comes last here, so it holds {one.end}. In the other order, beside it, it holds {other.end}.",
            )
        elif len(got) > 1:
            choices = sorted(got | {"the same in every order"})
            yield Question(
                0,
                one.places[one.shared.uses[_reader(one)][0]],
                f"Block {_index(race.sides[one.shared.first])} is first. What does {race.sides[_reader(one)].name} read from {name}?",
                tuple(choices),
                choices.index(_got(one)),
                f"In this order {_got(one)}; in the other, beside it, {_got(other)}.",
            )
    if held is None:
        return
    if held.end not in {one.end, other.end}:
        choices = sorted({*ends, "either, as on a GPU the hardware decides", "both changes: an addition is one step"})
        yield Question(
            2,
            held.last,
            f"In the third run both threads have read {name}, and block {_index(race.sides[1])} has written it. Now {race.sides[0].name}"
            f" writes. What does {name} hold then?",
            tuple(choices),
            choices.index(held.end),
            f"It holds {held.end}: what it read plus its own. What block {_index(race.sides[1])} has added in between is gone.",
        )
    if mended is not None and held.end != mended.end:
        choices = sorted({*ends, "it depends on which block is faster"})
        yield Question(
            3,
            mended.last,
            f"{mended.run.title}: what does {name} hold after both?",
            tuple(choices),
            choices.index(mended.end),
            f"{mended.end}, in every order: nothing can come between reading and writing.",
        )
