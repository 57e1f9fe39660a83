"""The story of a race: orders that CUDA allows beside each other, each as a run of the kernel had it, and the same with what was missing.

Of two threads of one block that is a barrier. Of two blocks it is an atomic function; and where both read and then write, one more run
shows a schedule in which one change is lost. What a read gets is asked before it is shown. Orders come from runs, of which one has blocks
and threads in the opposite order. Nothing here guesses what another order would do.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from grader.explain.recording import Moment, Recording, asked
from grader.explain.story import Index3, Mark, Question, Story, StoryRun, Tone, thread_number
from grader.model.errors import RemediableError
from grader.model.result import Finding, Launch, Site
from grader.model.verdicts import Verdict
from grader.model.visible_text import index
from grader.run.launches.added_barrier import AddedAtomic, AddedBarrier, add_atomics, add_barrier
from grader.run.launches.lab_launch import Build, Run, Traced, TraceRequest
from grader.run.launches.trace_phases import ACCESSES, BESIDE_FROM, CHANGES, StepKind

_KINDS = {"read": StepKind.READ, "write": StepKind.WRITE, "atomic": StepKind.ATOMIC}
_UNSET = "an unwritten value"


@dataclass(frozen=True)
class RaceSide:
    block: Index3
    thread: int  # as the trace numbers it
    name: str  # "thread (15,0,0)", "thread (0,0,0) of block (0,0,1)"
    line: int
    kind: StepKind


@dataclass(frozen=True)
class Race:
    """Of one block: the first side writes. Of two blocks: the block with the lower number is the first."""

    finding: Finding
    sides: tuple[RaceSide, RaceSide]
    array: str

    @property
    def is_between(self) -> bool:
        return self.sides[0].block != self.sides[1].block

    @property
    def what(self) -> str:
        """The element, as far as the finding names it."""
        return self.finding.element or self.array


def race_of(launch: Launch, *, between: bool = False) -> Race | None:
    """The first race between two threads of one block, or `between` two blocks on memory that both have."""
    for finding in launch.findings:
        race = _race(finding, launch.block) if finding.severity == "error" and launch.block is not None else None
        if race is not None and race.is_between == between:
            return race
    return None


def _race(finding: Finding, block: Index3) -> Race | None:
    other = finding.other
    if finding.kind is not Verdict.RACE or other is None or finding.array is None:
        return None
    between = finding.block != other.block
    one, two = (_side(site, block, between=between) for site in (finding, other))
    if one is None or two is None or (one.block, one.thread) == (two.block, two.thread):
        return None
    if one.block[::-1] > two.block[::-1] if between else one.kind is StepKind.READ:
        one, two = two, one
    return Race(finding, (one, replace(two, thread=two.thread + BESIDE_FROM) if between else two), finding.array)


def _side(site: Site, block: Index3, *, between: bool) -> RaceSide | None:
    if site.thread is None or site.line is None or site.access not in _KINDS or (between and site.block is None):
        return None
    if any(one >= extent for one, extent in zip(site.thread, block, strict=True)):
        return None
    at, thread = site.block or (0, 0, 0), thread_number(site.thread, block)
    name = f"{index(site.thread)} of block {index(at)}" if between else index(site.thread)
    return RaceSide(at, thread, f"thread {name}", site.line, _KINDS[site.access])


# Which accesses meet, and one run with them. Pure.

_AROUND = 12  # steps of each thread before and after the two accesses
_BEFORE, _AFTER = 4, 2  # the same for two blocks
_MOST = 30
Uses = tuple[list[Moment], list[Moment]]  # of each side, to one element


@dataclass(frozen=True)
class _Order:
    """One run with both sides."""

    uses: Uses  # of one block, the two accesses; of two, all that both threads do to the element
    run: StoryRun
    places: dict[int, int]  # of steps of the trace in the run
    got: str  # what the side reads that reads first; empty where none does
    # Of one block, what the second side stored in the end: "C[0][15] = 268144". Of two, what the element holds after both.
    end: str

    @property
    def recording(self) -> Recording:
        return self.uses[0][0].recording

    @property
    def right(self) -> bool:
        """The launch's result."""
        return self.recording.launch.mismatch is None

    @property
    def first(self) -> int:
        """Which side came first."""
        return 0 if self.uses[0][0] < self.uses[1][0] else 1

    @property
    def last(self) -> Moment:
        return max(self.uses[0][-1], self.uses[1][-1])


def _reader(uses: Uses) -> int:
    """The side that reads before it writes; of two, the second."""
    return 1 if uses[1][0].kind == StepKind.READ else 0


def _accesses(recording: Recording, race: Race, sides: Sequence[RaceSide]) -> Uses:
    """Of each side to the array in its line, in their order."""
    one, two = (recording.find({side.kind}, array=race.array, line=side.line, thread=side.thread) for side in sides)
    return one, two


def _meeting(recording: Recording, race: Race) -> Uses | None:
    """In which the two accesses meet first between the same two barriers, so that nothing orders them."""
    seen = [{(one.interval, one.key): one for one in reversed(own)} for own in _accesses(recording, race, race.sides)]
    both = seen[0].keys() & seen[1].keys()
    if not both:
        return None
    place = min(both, key=lambda one: (one[0], seen[0][one]))
    return [seen[0][place]], [seen[1][place]]


def _common_uses(recording: Recording, race: Race, like: _Order | None) -> Uses | None:
    """Both threads' uses of one element: of that of `like`, else of the finding's element, else of the first that both use in its lines.
    `like` may be of another trace of the launch, which numbers its arrays by who came to them first: the place in the array is the same.
    """
    own = [recording.find(ACCESSES, array=race.array, thread=side.thread) for side in race.sides]
    in_lines = zip(own, race.sides, strict=True)
    in_line = set.intersection(*({one.key for one in each if one.line == side.line} for each, side in in_lines))
    used = [dict.fromkeys(one.key for one in each) for each in own]
    both = [one for one in used[0] if one in used[1] and (one[1] == like.last.key[1] if like else one in in_line)]
    if not both:
        return None
    size = {one: recording.trace.arrays[one[0]].element_bytes for one in both}
    named = next((one for one in both if f"{race.array}[{one[1] // size[one]}]" == race.finding.element), both[0])
    first, second = ([one for one in each if one.key == named] for each in own)
    return first, second


def _update(uses: Sequence[Moment]) -> tuple[Moment, Moment] | None:
    """Where a thread reads the element and then writes it in the same line: a change that is not one step."""
    for read, write in pairwise(uses):
        if read.kind == StepKind.READ and write.kind == StepKind.WRITE and read.line == write.line:
            return read, write
    return None


def _is_common(one: Moment) -> bool:
    """An access to memory that both blocks have: each has shared arrays of its own, and a page has one of each name."""
    return one.kind in ACCESSES and not one.is_shared


def _order(race: Race, uses: Uses, title: str, schedule: str, line_of: Mapping[int, int] | None = None) -> _Order:
    recording, every, later = uses[0][0].recording, sorted({*uses[0], *uses[1]}), uses[1][0]
    before, after = (_BEFORE, _AFTER) if race.is_between else (_AROUND, _AROUND)
    intervals, chosen = range(every[0].interval, every[-1].interval + 1), set(every)
    for of_side in uses:
        of_thread = recording.of_thread(of_side[0].thread)
        own = [one for one in of_thread if (_is_common(one) if race.is_between else one.interval in intervals)]
        first, last = own.index(of_side[0]), own.index(of_side[-1])
        chosen.update(own[max(0, first - before) : min(last + after + 1, first + _MOST)])
    changes = [one for one in recording.find(CHANGES) if one.key == later.key]
    own = recording.find(CHANGES, thread=later.thread)
    stores = [one for one in own if one > later and one.array.space == "global"]
    if race.is_between:
        end = next((one.shown for one in reversed(every) if one.kind in CHANGES), "")
    else:
        between = recording.moments(every[0], every[-1])
        # Changes also by other threads: what the later access finds follows from them.
        chosen.update(one for one in between if one.kind == StepKind.BARRIER or one in changes)
        chosen.update(stores[-1:])
        end = f"{stores[-1].name} = {stores[-1].shown}" if stores else ""
    read, steps = uses[_reader(uses)][0], sorted(chosen)
    # What global memory holds at first is a value.
    is_written = not read.is_shared or any(one < read for one in changes)
    got = "" if read.kind != StepKind.READ else read.shown if is_written else _UNSET
    places = {int(at): place for place, at in enumerate(steps)}
    return _Order(uses, recording.run(steps, title, schedule, line_of), places, got, end)


def _in_order(recording: Recording | None, race: Race, like: _Order | None = None) -> _Order | None:
    """`like`: another order of the launch."""
    if recording is None:
        return None
    uses = _common_uses(recording, race, like) if race.is_between else _meeting(recording, race)
    if uses is None:
        return None
    first = 0 if uses[0][0] < uses[1][0] else 1
    one, other = race.sides[first], race.sides[1 - first]
    way = "from the last to the first" if recording.traced.request.reversed else "from the first to the last"
    if not race.is_between:
        schedule = f"The block's threads ran {way}, each up to the next barrier. So {one.name} came first."
        return _order(race, uses, f"{one.name.capitalize()} is first", schedule)
    so = f"block {index(one.block)} had done this before block {index(other.block)} began"
    schedule = f"Blocks ran one after the other, {way}. So {so}."
    if uses[first][-1] > uses[1 - first][0]:  # then they waited for each other
        schedule = f"Blocks started {way}. {one.name.capitalize()} came first."
    return _order(race, uses, f"Block {index(one.block)} is first", schedule)


def _held(recording: Recording | None, race: Race, like: _Order) -> _Order | None:
    """None where the run is no such order."""
    uses = _common_uses(recording, race, like) if recording is not None else None
    mine, others = (_update(uses[0]), _update(uses[1])) if uses is not None else (None, None)
    if uses is None or mine is None or others is None or not mine[0] < others[0] < others[1] < mine[1]:
        return None
    held = f"{race.sides[0].name.capitalize()} was held before its write in line {mine[1].line} until all other blocks had ended."
    schedule = f"{held} CUDA allows that: nothing orders two blocks of a launch."
    return _order(race, uses, "Both read before either writes", schedule)


Added = AddedBarrier | AddedAtomic


def _with(added: Added) -> str:
    if isinstance(added, AddedAtomic):
        lines, what = added.lines, f"{added.function} in"
    else:
        lines, what = tuple(sorted(added.after_lines)), "__syncthreads() after"
    return f"With {what} line{'s' if len(lines) > 1 else ''} {' and '.join(map(str, lines))}"


def _mended(added: Added | None, race: Race, like: _Order) -> _Order | None:
    """The same accesses in the file with what was added."""
    recording = Recording.of(added.traced, like.recording.source) if added is not None else None
    if added is None or recording is None:
        return None
    if isinstance(added, AddedAtomic):
        uses = _common_uses(recording, race, like)
        schedule = "Reading, changing and writing are one step now: nothing comes between, whichever block is first."
        return _order(race, uses, _with(added), schedule) if uses is not None else None
    # Whether barriers stand between them or not: both come as often to their lines before.
    moved = [replace(side, line=added.line_now(side.line)) for side in race.sides]
    pairs = zip(_accesses(like.recording, race, race.sides), like.uses, strict=True)
    before = [own.index(use[0]) for own, use in pairs]
    one, two = (own[at : at + 1] for own, at in zip(_accesses(recording, race, moved), before, strict=True))
    if not one or not two or one[0].key != two[0].key:
        return None
    schedule = "Every order of the threads gives the same now: at the barrier, each waits for all the others."
    return _order(race, (one, two), _with(added), schedule, dict(enumerate(added.lines, 1)))


# What the orders show, in words. Pure.


@dataclass(frozen=True)
class _Orders:
    race: Race
    one: _Order
    other: _Order
    held: _Order | None  # the run in which the first side waited before it wrote what it had read
    mended: _Order | None
    added: Added | None

    @property
    def name(self) -> str:
        return self.one.uses[0][0].name if self.race.is_between else self.race.what

    @property
    def runs(self) -> Iterator[StoryRun]:
        marks = self._marks_between if self.race.is_between else self._marks_within
        for order in (self.one, self.other, self.held, self.mended):
            if order is not None:
                yield replace(order.run, marks=tuple(marks(order)))

    def _marks_within(self, order: _Order) -> Iterator[Mark]:
        right, second = self.mended, self.race.sides[1]

        def tone(got: str, wanted: str | None) -> Tone:
            return "note" if wanted is None else "good" if got == wanted else "bad"

        for at, side in sorted((of_side[0], number) for number, of_side in enumerate(order.uses)):
            who = self.race.sides[side].name.capitalize()
            mark = at.remark(f"{who} writes {self.name}{' too' if side else ''}: it holds {at.shown} now.", "note")
            if at.kind == StepKind.READ:
                seen = tone(order.got, right.got if right else None)
                mark = at.remark(f"{who} reads {self.name} and gets {order.got}.", seen)
            yield replace(mark, step=order.places[at])
        if order.end:
            seen = tone(order.end, right.end if right else None)
            text = f"In the end {second.name} stores {order.end}."
            yield Mark(len(order.run.steps) - 1, text, seen, (second.thread,))

    def _marks_between(self, order: _Order) -> Iterator[Mark]:
        lost = order is self.held
        for one, side in sorted((one, number) for number, of_side in enumerate(order.uses) for one in of_side):
            who, value = self.race.sides[side].name.capitalize(), one.shown
            does = f"changes {one.name} atomically" if one.kind == StepKind.ATOMIC else f"writes {one.name}"
            text = f"{who} {does}: it holds {value} now."
            if one.kind == StepKind.READ:
                text = f"{who} reads {one.name} and gets {value}."
            if lost and one == order.last:
                text += f" The {order.uses[1][-1].shown} of block {index(self.race.sides[1].block)} is gone."
            tone: Tone = "note" if one != order.last else "bad" if lost or not order.right else "good"
            yield replace(one.remark(text, tone), step=order.places[one])

    @property
    def summary(self) -> str:
        return " ".join(self._said_between() if self.race.is_between else self._said_within())

    def _said_within(self) -> Iterator[str]:
        (first, second), one, other = self.race.sides, self.one, self.other
        both = f"line {first.line} of {first.name} and line {second.line} of {second.name}"
        yield f"Nothing orders {both}: both use {self.name}."
        if one.got != other.got:
            yield f"The read gets {one.got} in one order and {other.got} in the other."
        if one.end and other.end and one.end != other.end:
            yield f"In the end {one.end} in one and {other.end} in the other."
        if self.added is not None:
            yield f"{_with(self.added)} the launch is right, and nothing is found."

    def _said_between(self) -> Iterator[str]:
        (first, second), one, other, held, name = self.race.sides, self.one, self.other, self.held, self.name
        yield f"Nothing orders two blocks of one launch, and {first.name} and {second.name} both use {name}."
        if held is not None:
            alone = f"holds {one.end} after both"
            if one.end != other.end:
                alone = f"holds {one.end} or {other.end} after both, as one or the other is first"
            lost = f"Where both read it before either writes, it holds {held.end}: one change is lost."
            yield f"One block after the other, {name} {alone}. {lost}"
            if not held.right:
                yield "That launch's result is wrong."
        elif one.end != other.end:
            yield f"It holds {one.end} or {other.end} in the end: whichever block comes last decides."
        else:
            yield f"What is read is {one.got} in one order and {other.got} in the other."
        if isinstance(self.added, AddedAtomic) and self.mended is not None:
            yield f"With {self.added.function}, the launch is right, and nothing is found."
        elif held is not None:
            yield "An atomic function makes such a change one step."
            yield "Or each block keeps an element of its own, and a second launch adds them up."
        else:
            yield "Let one block alone write it, or give each block an element of its own."
            yield "What another block has written can be read by a later launch."

    @property
    def questions(self) -> Iterator[Question | None]:
        return self._asked_between() if self.race.is_between else self._asked_within()

    def _asked_within(self) -> Iterator[Question | None]:
        """One for the first order, and one for the mended kernel, where there is something to tell apart."""
        (first, second), one, other, right = self.race.sides, self.one, self.other, self.mended
        if one.got == other.got:
            return
        text = f"Here {first.name} is first. What does {second.name} get from {self.name}?"
        why = f"In this order it gets {one.got}. In the other, beside it, the same read gets {other.got}. CUDA allows both."
        yield asked(one.places[one.uses[1][0]], text, one.got, (other.got,), why)
        if right is not None and self.added is not None:
            choices = (*sorted({one.got, other.got, right.got}), "it depends on which thread is faster")
            text = f"{_with(self.added)}: what does {second.name} get from {self.name}?"
            why = f"It gets {right.got} in every order: at the barrier, each thread waits for all the others."
            yield Question(2, right.places[right.uses[1][0]], text, choices, choices.index(right.got), why)

    def _asked_between(self) -> Iterator[Question | None]:
        sides, one, other, held, mended, name = self.race.sides, self.one, self.other, self.held, self.mended, self.name
        ends = [each.end for each in (one, other, held, mended) if each is not None]
        first, later, other_block = sides[one.first], sides[1 - one.first], index(sides[1].block)
        is_first, same = f"Block {index(first.block)} is first.", "the same in every order"
        if one.end != other.end:
            text = f"{is_first} What does {name} hold after both?"
            why = f"{later.name.capitalize()} comes last here, so it holds {one.end}. In the other order, beside it, it holds {other.end}."
            yield asked(one.places[one.last], text, one.end, (other.end, same, "the sum of what both write"), why)
        elif held is None and one.got != other.got:
            reader = _reader(one.uses)
            text = f"{is_first} What does {sides[reader].name} read from {name}?"
            why = f"In this order {one.got}; in the other, beside it, {other.got}."
            yield asked(one.places[one.uses[reader][0]], text, one.got, (other.got, same), why)
        if held is not None and held.end not in {one.end, other.end}:
            text = f"In the third run both threads have read {name}, and block {other_block} has written it. Now {sides[0].name} writes."
            text = f"{text} What does {name} hold then?"
            others = (*ends, "either, as on a GPU the hardware decides", "both changes: an addition is one step")
            why = f"It holds {held.end}: what it read plus its own. What block {other_block} has added in between is gone."
            yield asked(held.places[held.last], text, held.end, others, why, run=2)
        if held is not None and mended is not None and held.end != mended.end:
            text = f"{mended.run.title}: what does {name} hold after both?"
            others = (*ends, "it depends on which block is faster")
            why = f"{mended.end}, in every order: nothing can come between reading and writing."
            yield asked(mended.places[mended.last], text, mended.end, others, why, run=3)


# Runs what the story needs: the launch in order and reversed, one with a thread held, and the file with a barrier or an atomic function.

_FAILS = (RemediableError, RuntimeError, subprocess.TimeoutExpired)  # other pages stand without this one
Mend = Callable[[tuple[int, ...], TraceRequest], Added | None]


def story_of_race(traced: Traced, run: Run, build: Build, source: bytes, *, between: bool = False) -> Story | None:
    """`traced`: the launch as it ran, of the file `source`. `run`: makes it again. `build`: of changed files. None where no two threads of
    a block, or no two blocks, race, or where the runs do not show both orders.
    """

    def mend(lines: tuple[int, ...], request: TraceRequest) -> Added | None:
        try:
            if between:
                return add_atomics(build, source, lines, request)
            return add_barrier(build, source, (lines[0], lines[1]), request)
        except _FAILS:  # as where there is no such function for this type
            return None

    return told_race(traced, run, source.decode("utf-8", "replace").split("\n"), mend, between=between)


def told_race(
    traced: Traced, run: Run, lines: Sequence[str], mend: Mend | None = None, *, between: bool = False
) -> Story | None:
    """`mend`: tries a barrier between these lines, or atomic functions in them; none: nobody does."""
    race = race_of(traced.report.launch, between=between)
    if race is None:
        return None
    one_side, other_side = race.sides
    request = replace(traced.request, block=one_side.block, beside=other_side.block if between else None)
    held: Recording | None = None
    added: Added | None = None
    try:
        one = _in_order(Recording.of(traced if traced.request == request else run(request), lines), race)
        if one is None:
            return None
        other = _in_order(Recording.of(run(replace(request, reversed=True)), lines), race, one)
        if other is None or other.first == one.first:
            return None
        updates = [_update(uses) for uses in one.uses]
        changed = {update[1].line for update in updates if update is not None}
        if updates[0] is not None and updates[1] is not None:
            waits = one_side.thread, _writes_before(updates[0][1])
            held = Recording.of(run(replace(request, held=waits)), lines)
        if mend is not None and (changed or not between):
            added = mend(tuple(sorted(changed)) if between else (one_side.line, other_side.line), request)
    except _FAILS:
        return None
    if between and held is None and (one.end, one.got) == (other.end, other.got):
        return None
    if one.first == 1 and not between:
        one, other = other, one
    orders = _Orders(race, one, other, _held(held, race, one), _mended(added, race, one), added)
    title = f"two blocks and {orders.name}" if between else f"both orders of a race on {orders.name}"
    story = one.recording.framed(*orders.runs, title=title, summary=orders.summary, questions=orders.questions)
    return replace(story, beside=other_side.block) if story is not None and between else story


def _writes_before(write: Moment) -> int:
    """How many writes to memory outside of its block the thread has made before this one."""
    own = [one for one in write.recording.of_thread(write.thread) if one < write and _is_common(one)]
    return sum(one.kind == StepKind.WRITE and not one.step[9] for one in own)
