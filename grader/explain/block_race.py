"""The story of a race between two blocks: one block first, the other first, and, where both read and then write, a schedule in which one
change is lost. Each is a run of the kernel. Then, where there is one, the kernel with an atomic function. Pure.
"""

from __future__ import annotations

import dataclasses
import subprocess
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from grader.explain.recording import Moment, Recording, asked
from grader.explain.story import Index3, Mark, Question, Story, StoryRun, Tone, thread_name, thread_number
from grader.model.errors import RemediableError
from grader.model.result import Finding, Launch, Site
from grader.model.verdicts import Verdict
from grader.run.launches.added_barrier import AddedAtomic, add_atomics
from grader.run.launches.trace_phases import ACCESSES, BESIDE_FROM, CHANGES, StepKind
from grader.run.launches.tracing import Build, Run, Traced, TraceRequest


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


Uses = tuple[list[Moment], list[Moment]]  # what both threads do to one element


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


def _index(block: Index3) -> str:
    return f"({','.join(map(str, block))})"


def uses_of(recording: Recording | None, race: BlockRace, like: _Order | None) -> Uses | None:
    """Both threads' uses of one element: of that of `like`, else of the finding's element, else of the first that both use in its lines.
    `like` may be of another trace of the launch, which numbers its arrays by who came to them first: the place in the array is the same.
    """
    if recording is None:
        return None
    key = like.last.key if like else None
    own = [recording.find(ACCESSES, array=race.array, thread=side.thread) for side in race.sides]
    in_lines = zip(own, race.sides, strict=True)
    in_line = set.intersection(*({one.key for one in each if one.line == side.line} for each, side in in_lines))
    used = [dict.fromkeys(one.key for one in each) for each in own]
    both = [one for one in used[0] if one in used[1] and (one[1] == key[1] if key else one in in_line)]
    if not both:
        return None
    size = {one: recording.trace.arrays[one[0]].element_bytes for one in both}
    named = next((one for one in both if f"{race.array}[{one[1] // size[one]}]" == race.finding.element), both[0])
    first, second = ([one for one in each if one.key == named] for each in own)
    return first, second


def update_of(uses: Sequence[Moment]) -> tuple[Moment, Moment] | None:
    """Where a thread reads the element and then writes it in the same line: a change that is not one step."""
    for read, write in pairwise(uses):
        if read.kind == StepKind.READ and write.kind == StepKind.WRITE and read.line == write.line:
            return read, write
    return None


def _is_common(one: Moment) -> bool:
    """An access to memory that both blocks have: each has shared arrays of its own, and a page has one of each name."""
    return one.kind in ACCESSES and not one.is_shared


_BEFORE, _AFTER = 4, 2  # steps of each thread
_MOST = 30
_ORDER = "Blocks ran one after the other, {way}. So block {one} had done this before block {other} began."
_HELD = (
    "{name} was held before its write in line {line} until all other blocks had ended. CUDA allows that: nothing orders two blocks of a "
    "launch."
)
_ATOMIC = "Reading, changing and writing are one step now: nothing comes between, whichever block is first."


@dataclass(frozen=True)
class _Order:
    """One run with both blocks recorded."""

    uses: Uses
    run: StoryRun
    places: dict[int, int]  # of steps of the trace in the run
    right: bool  # the launch's result
    end: str  # what the element holds after both
    last: Moment  # of all uses
    first: int  # which side came first: 0 or 1
    reader: int  # the side that reads before it writes; of two, the second
    got: str  # what that side reads; empty where none does


def _order(race: BlockRace, uses: Uses, title: str, schedule: str) -> _Order:
    recording, chosen = uses[0][0].recording, set[Moment]()
    for side, of_side in zip(race.sides, uses, strict=True):
        own = [one for one in recording.of_thread[side.thread] if _is_common(one)]
        first, last = own.index(of_side[0]), own.index(of_side[-1])
        chosen.update(own[max(0, first - _BEFORE) : min(last + _AFTER + 1, first + _MOST)], of_side)
    steps, every = sorted(chosen), sorted({*uses[0], *uses[1]})
    changes = [one for one in every if one.kind in CHANGES]
    reader = 1 if uses[1][0].kind == StepKind.READ else 0
    read = uses[reader][0]
    return _Order(
        uses,
        recording.run(steps, title, schedule),
        places={at: place for place, at in enumerate(steps)},
        right=recording.launch.mismatch is None,
        end=changes[-1].shown if changes else "",
        last=every[-1],
        first=0 if uses[0][0] < uses[1][0] else 1,
        reader=reader,
        got=read.shown if read.kind == StepKind.READ else "",
    )


def _in_order(recording: Recording | None, race: BlockRace, like: _Order | None = None) -> _Order | None:
    """`like`: another order of the launch."""
    uses = uses_of(recording, race, like)
    if recording is None or uses is None:
        return None
    first = 0 if uses[0][0] < uses[1][0] else 1
    one, other = race.sides[first], race.sides[1 - first]
    way = "from the last to the first" if recording.traced.request.reversed else "from the first to the last"
    schedule = _ORDER.format(way=way, one=_index(one.block), other=_index(other.block))
    if uses[first][-1] > uses[1 - first][0]:  # then they waited for each other
        schedule = f"Blocks started {way}. {one.name.capitalize()} came first."
    return _order(race, uses, f"Block {_index(one.block)} is first", schedule)


def _held(recording: Recording | None, race: BlockRace, like: _Order) -> _Order | None:
    """None where the run is no such order."""
    uses = uses_of(recording, race, like) or ([], [])
    mine, others = update_of(uses[0]), update_of(uses[1])
    if mine is None or others is None or not mine[0] < others[0] < others[1] < mine[1]:
        return None
    schedule = _HELD.format(name=race.sides[0].name.capitalize(), line=mine[1].line)
    return _order(race, uses, "Both read before either writes", schedule)


def _mended(added: AddedAtomic | None, race: BlockRace, like: _Order) -> _Order | None:
    uses = uses_of(Recording.of(added.traced, like.uses[0][0].recording.source), race, like) if added else None
    if added is None or uses is None:
        return None
    lines = f"line{'s' if len(added.lines) > 1 else ''} {' and '.join(map(str, added.lines))}"
    return _order(race, uses, f"With {added.function} in {lines}", _ATOMIC)


def _marks(order: _Order, race: BlockRace, *, lost: bool) -> Iterator[Mark]:
    for one, side in sorted((one, which) for which in range(2) for one in order.uses[which]):
        who, value = race.sides[side].name.capitalize(), one.shown
        if one.kind == StepKind.READ:
            text = f"{who} reads {one.name} and gets {value}."
        else:
            does = f"changes {one.name} atomically" if one.kind == StepKind.ATOMIC else f"writes {one.name}"
            text = f"{who} {does}: it holds {value} now."
        if lost and one == order.last:
            text += f" The {order.uses[1][-1].shown} of block {_index(race.sides[1].block)} is gone."
        tone: Tone = "note" if one != order.last else "bad" if lost or not order.right else "good"
        yield replace(one.remark(text, tone), step=order.places[one])


def _summary(
    race: BlockRace, one: _Order, other: _Order, held: _Order | None, added: AddedAtomic | None, name: str
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
        text += f" What is read is {one.got} in one order and {other.got} in the other."
    if added is not None:
        return f"{text} With {added.function}, the launch is right, and nothing is found."
    return f"{text} {_UPDATES if held is not None else _OTHERS}"


_UPDATES = "An atomic function makes such a change one step. Or each block keeps an element of its own, and a second launch adds them up."
_OTHERS = (
    "Let one block alone write it, or give each block an element of its own. What another block has written can be read by a "
    "later launch."
)


def _questions(
    race: BlockRace, one: _Order, other: _Order, held: _Order | None, mended: _Order | None, name: str
) -> Iterator[Question | None]:
    ends = [each.end for each in (one, other, held, mended) if each is not None]
    first, later = race.sides[one.first], race.sides[1 - one.first]
    if one.end != other.end:
        yield asked(
            one.places[one.last],
            f"Block {_index(first.block)} is first. What does {name} hold after both?",
            one.end,
            (other.end, "the same in every order", "the sum of what both write"),
            f"{later.name.capitalize()} comes last here, so it holds {one.end}. In the other order, beside it, it holds {other.end}.",
        )
    elif held is None and one.got != other.got:
        yield asked(
            one.places[one.uses[one.reader][0]],
            f"Block {_index(first.block)} is first. What does {race.sides[one.reader].name} read from {name}?",
            one.got,
            (other.got, "the same in every order"),
            f"In this order {one.got}; in the other, beside it, {other.got}.",
        )
    if held is None:
        return
    if held.end not in {one.end, other.end}:
        other_block = _index(race.sides[1].block)
        yield asked(
            held.places[held.last],
            f"In the third run both threads have read {name}, and block {other_block} has written it. Now {race.sides[0].name} writes."
            f" What does {name} hold then?",
            held.end,
            (*ends, "either, as on a GPU the hardware decides", "both changes: an addition is one step"),
            f"It holds {held.end}: what it read plus its own. What block {other_block} has added in between is gone.",
            run=2,
        )
    if mended is not None and held.end != mended.end:
        yield asked(
            mended.places[mended.last],
            f"{mended.run.title}: what does {name} hold after both?",
            mended.end,
            (*ends, "it depends on which block is faster"),
            f"{mended.end}, in every order: nothing can come between reading and writing.",
            run=3,
        )


# Runs what the story of a race between blocks needs: blocks in order, reversed, with one thread held, and with an atomic function.

Mend = Callable[[tuple[int, ...], TraceRequest], AddedAtomic | None]


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


def told_block_race(traced: Traced, run: Run, lines: list[str], mend: Mend | None = None) -> Story | None:
    """`run`: makes the launch again. `mend`: tries an atomic function in these lines; none: nobody does. None where the runs do not show
    two orders.
    """
    race = block_race_of(traced.report.launch)
    if race is None:
        return None
    request = TraceRequest(traced.request.shape, traced.request.inputs, race.sides[0].block, beside=race.sides[1].block)
    held: Recording | None = None
    added: AddedAtomic | None = None
    try:
        one = _in_order(Recording.of(run(request), lines), race)
        if one is None:
            return None
        other = _in_order(Recording.of(run(dataclasses.replace(request, reversed=True)), lines), race, one)
        updates = [update_of(uses) for uses in one.uses]
        if updates[0] is not None and updates[1] is not None:
            waits = race.sides[0].thread, _writes_before(updates[0][1])
            held = Recording.of(run(dataclasses.replace(request, held=waits)), lines)
        if mend is not None and (written := {update[1].line for update in updates if update is not None}):
            added = mend(tuple(sorted(written)), request)
    except (RemediableError, RuntimeError, subprocess.TimeoutExpired):  # other pages stand without this one
        return None
    return _story(race, one, other, _held(held, race, one), added)


def _writes_before(write: Moment) -> int:
    """How many writes to memory outside of its block the thread has made before this one."""
    own = [one for one in write.recording.of_thread[write.thread] if one < write and _is_common(one)]
    return sum(one.kind == StepKind.WRITE and not one.step[9] for one in own)


def _story(
    race: BlockRace, one: _Order, other: _Order | None, held: _Order | None, added: AddedAtomic | None
) -> Story | None:
    """`held`: the run in which the first side waited before it wrote what it had read."""
    if other is None or other.first == one.first:
        return None
    if held is None and (one.end, one.got) == (other.end, other.got):
        return None
    mended = _mended(added, race, one)
    name = one.uses[0][0].name
    story = one.last.recording.framed(
        *(
            replace(each.run, marks=tuple(_marks(each, race, lost=each is held)))
            for each in (one, other, held, mended)
            if each is not None
        ),
        title=f"two blocks and {name}",
        summary=_summary(race, one, other, held, added if mended else None, name),
        questions=_questions(race, one, other, held, mended, name),
    )
    return replace(story, at=race.sides[0].block, beside=race.sides[1].block) if story is not None else None
