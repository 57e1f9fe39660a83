"""The story of a race between two blocks: one block first, the other first, and, where both read and then write, a schedule in which one
change is lost. Each is a run of the kernel. Then, where there is one, the kernel with an atomic function. Pure.
"""

from __future__ import annotations

import dataclasses
import subprocess
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from grader.explain.recording import Key, Recording, asked, element_name, framed, run_of_threads, value_shown
from grader.explain.story import (
    Index3,
    Mark,
    Question,
    Story,
    StoryElement,
    StoryRun,
    Tone,
    thread_name,
    thread_number,
)
from grader.model.errors import RemediableError
from grader.model.result import Finding, Launch, Site
from grader.model.verdicts import Verdict
from grader.run.launches.added_barrier import AddedAtomic, add_atomics
from grader.run.launches.trace_phases import ACCESSES, BESIDE_FROM, CHANGES, Step, StepKind, Trace
from grader.run.launches.tracing import Build, Run, Traced, TraceRequest

# A race between threads of two blocks, in a trace that holds both blocks: where the two meet, and whether each reads, changes and writes
# what they share. Pure.


@dataclass(frozen=True)
class BlockSide:
    block: Index3
    thread: int  # as the trace numbers it
    name: str  # "thread (0,0) of block (0,0,1)"
    line: int


@dataclass(frozen=True)
class BlockRace:
    finding: Finding
    sides: tuple[BlockSide, BlockSide]  # the block with the lower number is the first
    array: str


@dataclass(frozen=True)
class Shared:
    """What both threads do to one element, by the steps' places in the trace."""

    key: Key
    uses: tuple[tuple[int, ...], tuple[int, ...]]

    @property
    def first(self) -> int:
        """Which side came first: 0 or 1."""
        return 0 if self.uses[0][0] < self.uses[1][0] else 1


def block_race_of(launch: Launch) -> BlockRace | None:
    """The first race between two blocks, on memory that both have."""
    for finding in launch.findings:
        other = finding.other
        if finding.kind is not Verdict.RACE or finding.severity != "error" or other is None or finding.array is None:
            continue
        if finding.block is None or other.block is None or finding.block == other.block:
            continue
        if launch.block is None or launch.grid is None:
            return None
        one, two = (_side(site, launch.block) for site in (finding, other))
        if one is None or two is None:
            continue
        sides = (one, two) if one.block[::-1] < two.block[::-1] else (two, one)
        second = replace(sides[1], thread=sides[1].thread + BESIDE_FROM)
        return BlockRace(finding, (sides[0], second), finding.array)
    return None


def _side(site: Site, block: Index3) -> BlockSide | None:
    if site.thread is None or site.line is None or site.block is None:
        return None
    if any(one >= extent for one, extent in zip(site.thread, block, strict=True)):
        return None
    number = thread_number(site.thread, block)
    name = f"thread {thread_name(number, block)} of block {_index(site.block)}"
    return BlockSide(site.block, number, name, site.line)


def shared_element(trace: Trace, race: BlockRace, key: Key | None = None) -> Shared | None:
    """Both threads' uses of one element: of `key`, else of the finding's element, else of the first that both use in its lines.
    `key` may be of another trace of the launch, which numbers its arrays by who came to them first: the place in the array is the same.
    """
    uses: tuple[dict[Key, list[int]], dict[Key, list[int]]] = ({}, {})
    in_line: list[set[Key]] = [set(), set()]
    for at, step in enumerate(trace.steps):
        if step[0] not in ACCESSES or trace.arrays[step[3]].name != race.array:
            continue
        for which, side in enumerate(race.sides):
            if step[1] == side.thread:
                uses[which].setdefault((step[3], step[4]), []).append(at)
                if trace.places[step[7]].line == side.line:
                    in_line[which].add((step[3], step[4]))
    both = [one for one in uses[0] if one in uses[1] and one in in_line[0] and one in in_line[1]]
    if key is not None:
        both = [one for one in uses[0] if one in uses[1] and one[1] == key[1]]
    if not both:
        return None
    size = {one: trace.arrays[one[0]].element_bytes for one in both}
    named = next((one for one in both if f"{race.array}[{one[1] // size[one]}]" == race.finding.element), both[0])
    return Shared(named, (tuple(uses[0][named]), tuple(uses[1][named])))


def update_of(trace: Trace, uses: tuple[int, ...]) -> tuple[int, int] | None:
    """Where a thread reads the element and then writes it in the same line: a change that is not one step."""
    for one, other in pairwise(uses):
        read, write = trace.steps[one], trace.steps[other]
        if read[0] == StepKind.READ and write[0] == StepKind.WRITE and _line(trace, read) == _line(trace, write):
            return one, other
    return None


def writes_before(trace: Trace, thread: int, at: int) -> int:
    """How many writes to memory outside of its block the thread has made before this one."""
    own = (step for step in trace.steps[:at] if step[1] == thread and _is_common(trace, step))
    return sum(step[0] == StepKind.WRITE and not step[9] for step in own)


def _line(trace: Trace, step: Step) -> int:
    return trace.places[step[7]].line


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

    forward: Traced  # blocks from the first to the last
    backward: Traced | None
    held: Traced | None  # the first side waits before it writes what it has read
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
    recording, race = Recording.of(runs.forward, source), block_race_of(runs.forward.report.launch)
    one = _ordered(runs.forward, race, None) if race is not None else None
    if recording is None or race is None or one is None:
        return None
    other = _ordered(runs.backward, race, one)
    if other is None or other.shared.first == one.shared.first:
        return None
    held = _held(runs.held, race, one)
    mended = _mended(runs.mended, race, one)
    if held is None and (one.end, _got(one)) == (other.end, _got(other)):
        return None
    told = [one, other, *([held] if held else []), *([mended] if mended else [])]
    name = element_name(one.trace, one.trace.steps[one.shared.uses[0][0]])
    story = framed(
        recording,
        *(replace(each.run, marks=tuple(_marks(each, race, lost=each is held))) for each in told),
        title=f"two blocks and {name}",
        summary=_summary(race, one, other, held, runs.mended if mended else None, name),
        questions=_questions(race, one, other, held, mended, name),
    )
    return replace(story, at=race.sides[0].block, beside=race.sides[1].block) if story is not None else None


def _ordered(traced: Traced | None, race: BlockRace, like: _Told | None) -> _Told | None:
    def words(_: Trace, shared: Shared) -> tuple[str, str]:
        first, later = race.sides[shared.first], race.sides[1 - shared.first]
        way = "from the last to the first" if traced and traced.request.reversed else "from the first to the last"
        schedule = _ORDER.format(way=way, one=_index(first.block), other=_index(later.block))
        if max(shared.uses[shared.first]) > min(shared.uses[1 - shared.first]):  # then they waited for each other
            schedule = f"Blocks started {way}. {first.name.capitalize()} came first."
        return f"Block {_index(first.block)} is first", schedule

    return _told(traced, race, like, words)


def _held(traced: Traced | None, race: BlockRace, like: _Told) -> _Told | None:
    def words(trace: Trace, shared: Shared) -> tuple[str, str] | None:
        mine, others = update_of(trace, shared.uses[0]), update_of(trace, shared.uses[1])
        if mine is None or others is None or not mine[0] < others[0] < others[1] < mine[1]:
            return None
        line = trace.places[trace.steps[mine[1]][7]].line
        return "Both read before either writes", _HELD.format(name=race.sides[0].name.capitalize(), line=line)

    return _told(traced, race, like, words)


def _mended(added: AddedAtomic | None, race: BlockRace, like: _Told) -> _Told | None:
    if added is None:
        return None
    title = f"With {added.function} in line{'s' if len(added.lines) > 1 else ''} {' and '.join(map(str, added.lines))}"
    return _told(added.traced, race, like, lambda *_: (title, _ATOMIC))


def _told(
    traced: Traced | None,
    race: BlockRace,
    like: _Told | None,
    words: Callable[[Trace, Shared], tuple[str, str] | None],
) -> _Told | None:
    """`like`: another order of the launch. `words`: the title and the schedule; None where the run is no such order."""
    trace = traced.report.trace if traced is not None else None
    shared = shared_element(trace, race, like.shared.key if like else None) if trace is not None else None
    said = words(trace, shared) if trace is not None and shared is not None else None
    if traced is None or trace is None or shared is None or said is None:
        return None
    chosen: set[int] = set()
    for side, uses in zip(race.sides, shared.uses, strict=True):
        own = [at for at, step in enumerate(trace.steps) if step[1] == side.thread and _is_common(trace, step)]
        first, last = own.index(uses[0]), own.index(uses[-1])
        chosen.update(own[max(0, first - _BEFORE) : min(last + _AFTER + 1, first + _MOST)], uses)
    steps = sorted(chosen)
    run = run_of_threads(trace, steps, traced.file, title=said[0], schedule=said[1])
    changes = [at for at in sorted({*shared.uses[0], *shared.uses[1]}) if trace.steps[at][0] in CHANGES]
    end = value_shown(trace, changes[-1]) if changes else ""
    places = {at: place for place, at in enumerate(steps)}
    return _Told(trace, shared, run, places, traced.report.launch.mismatch is None, end)


def _is_common(trace: Trace, step: Step) -> bool:
    """An access to memory that both blocks have: each has shared arrays of its own, and a page has one of each name."""
    return step[0] in ACCESSES and trace.arrays[step[3]].space != "shared"


def _index(block: Index3) -> str:
    return f"({','.join(map(str, block))})"


def _reader(told: _Told) -> int:
    """The side that reads before it writes; of two, the second."""
    reads = [told.trace.steps[uses[0]][0] == StepKind.READ for uses in told.shared.uses]
    return 1 if reads[1] else 0


def _got(told: _Told) -> str:
    """What that side reads; empty where none does."""
    at = told.shared.uses[_reader(told)][0]
    return value_shown(told.trace, at) if told.trace.steps[at][0] == StepKind.READ else ""


def _marks(told: _Told, race: BlockRace, *, lost: bool) -> Iterator[Mark]:
    element = StoryElement(*told.shared.key)
    uses = sorted((at, which) for which in range(2) for at in told.shared.uses[which])
    for at, which in uses:
        step, side = told.trace.steps[at], race.sides[which]
        name, value = element_name(told.trace, step), value_shown(told.trace, at)
        if step[0] == StepKind.READ:
            text = f"{side.name.capitalize()} reads {name} and gets {value}."
        elif step[0] == StepKind.ATOMIC:
            text = f"{side.name.capitalize()} changes {name} atomically: it holds {value} now."
        else:
            text = f"{side.name.capitalize()} writes {name}: it holds {value} now."
        if lost and at == uses[-1][0]:
            before = value_shown(told.trace, told.shared.uses[1][-1])
            text += f" The {before} of block {_index(race.sides[1].block)} is gone."
        is_end = at == uses[-1][0]
        tone: Tone = "note" if not is_end else "bad" if lost or not told.right else "good"
        yield Mark(told.places[at], text, tone, (side.thread,), (element,))


def _summary(
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


def _questions(
    race: BlockRace, one: _Told, other: _Told, held: _Told | None, mended: _Told | None, name: str
) -> Iterator[Question | None]:
    ends = [each.end for each in (one, other, held, mended) if each is not None]
    first, later = (race.sides[at] for at in (one.shared.first, 1 - one.shared.first))
    if one.end != other.end:
        yield asked(
            one.last,
            f"Block {_index(first.block)} is first. What does {name} hold after both?",
            one.end,
            (other.end, "the same in every order", "the sum of what both write"),
            f"{later.name.capitalize()} comes last here, so it holds {one.end}. In the other order, beside it, it holds {other.end}.",
        )
    elif held is None and _got(one) != _got(other):
        yield asked(
            one.places[one.shared.uses[_reader(one)][0]],
            f"Block {_index(first.block)} is first. What does {race.sides[_reader(one)].name} read from {name}?",
            _got(one),
            (_got(other), "the same in every order"),
            f"In this order {_got(one)}; in the other, beside it, {_got(other)}.",
        )
    if held is None:
        return
    if held.end not in {one.end, other.end}:
        other_block = _index(race.sides[1].block)
        yield asked(
            held.last,
            f"In the third run both threads have read {name}, and block {other_block} has written it. Now {race.sides[0].name} writes."
            f" What does {name} hold then?",
            held.end,
            (*ends, "either, as on a GPU the hardware decides", "both changes: an addition is one step"),
            f"It holds {held.end}: what it read plus its own. What block {other_block} has added in between is gone.",
            run=2,
        )
    if mended is not None and held.end != mended.end:
        yield asked(
            mended.last,
            f"{mended.run.title}: what does {name} hold after both?",
            mended.end,
            (*ends, "it depends on which block is faster"),
            f"{mended.end}, in every order: nothing can come between reading and writing.",
            run=3,
        )


# Runs what the story of a race between blocks needs: blocks in order, reversed, with one thread held, and with an atomic function.


def story_of_block_race(traced: Traced, run: Run, build: Build, source: bytes) -> Story | None:
    """`traced`: the launch as it ran, of the file `source`. `run`: makes it again. `build`: of changed files. None where no two blocks
    race, or where the runs do not show both orders.
    """

    def mend(lines: tuple[int, ...], request: TraceRequest) -> AddedAtomic | None:
        try:
            return add_atomics(build, source, lines, request)
        except (RemediableError, RuntimeError, subprocess.TimeoutExpired):  # no such function for this type
            return None

    return told_block_race(traced, run, source.decode("utf-8", "replace").split("\n"), mend)


def told_block_race(
    traced: Traced,
    run: Run,
    lines: list[str],
    mend: Callable[[tuple[int, ...], TraceRequest], AddedAtomic | None] | None = None,
) -> Story | None:
    """`run`: makes the launch again. `mend`: tries an atomic function in these lines; none: nobody does."""
    race = block_race_of(traced.report.launch)
    if race is None:
        return None
    request = dataclasses.replace(
        traced.request, block=race.sides[0].block, beside=race.sides[1].block, reversed=False, held=None
    )
    try:
        forward = run(request)
        backward = run(dataclasses.replace(request, reversed=True))
        shared = shared_element(forward.report.trace, race) if forward.report.trace is not None else None
        held = added = None
        if shared is not None and forward.report.trace is not None:
            trace, thread = forward.report.trace, race.sides[0].thread
            updates = update_of(trace, shared.uses[0]), update_of(trace, shared.uses[1])
            if updates[0] is not None and updates[1] is not None:
                held = run(dataclasses.replace(request, held=(thread, writes_before(trace, thread, updates[0][1]))))
            written = {trace.places[trace.steps[update[1]][7]].line for update in updates if update is not None}
            added = mend(tuple(sorted(written)), request) if mend is not None and written else None
    except (RemediableError, RuntimeError, subprocess.TimeoutExpired):  # other pages stand without this one
        return None
    return block_race_story(BlockRuns(forward, backward, held, added), lines)
