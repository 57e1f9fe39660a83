"""The story of a wrong sum that is no product of matrices: which elements of the input are in it too often, or not at all, and where that
happens. Pure.

It tells only what follows from the recorded values. Where they can be put together in several ways, there is no story.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from grader.explain.followed_sums import Belonging, FollowedSums, Origin, Term, flat_of, followed_sums, summed_inputs
from grader.explain.recording import Key, Recording, Shown, asked_number, told
from grader.explain.story import LANES, Mark, Question, Story, Tone
from grader.model.result import WrongElement
from grader.run.launches.trace_phases import CHANGES, StepKind

_MOST_STEPS = 40
_FEW = 3


@dataclass(frozen=True)
class _Addends:
    recording: Recording
    wrong: WrongElement
    key: Key  # of the wrong element
    belonging: Belonging
    belongs: range
    term: Term  # what the element holds in the end
    followed: FollowedSums
    others: bool = False  # other blocks change it too: `term` is what this block has brought

    @property
    def name(self) -> str:
        return self.named(self.key)

    def named(self, key: Key) -> str:
        return self.recording.trace.arrays[key[0]].named(key[1])

    @property
    def times(self) -> dict[int, int]:
        """How often each element is in it that belongs there: without those that are 0, which nobody can tell."""
        given = self.belonging.given
        return {at: self.term.counts[given.name, at] for at in self.belongs if given.values[at]}

    @property
    def missing(self) -> list[int]:
        return [at for at, times in self.times.items() if times == 0]

    @property
    def repeated(self) -> list[int]:
        return [at for at, times in self.times.items() if times > 1]

    @property
    def strangers(self) -> list[int]:
        return sorted(at for _, at in self.term.counts if at not in self.belongs)

    @property
    def is_all_here(self) -> bool:
        """Whether one block brings each element once, and so nothing is left for others."""
        is_atomic = self.recording.steps[self.term.at][0] == StepKind.ATOMIC
        return is_atomic and not (self.missing or self.repeated or self.strangers) and len(self.times) > 1

    @cached_property
    def told(self) -> int:
        """The element whose way is shown: of those that are in it too often, one of the fewest times, which has the shortest way."""
        if self.repeated:
            return min(self.repeated, key=lambda at: self.times[at])
        return (self.strangers or self.missing or list(self.times))[0]

    @property
    def element(self) -> str:
        return self.belonging.name(self.told)

    @property
    def blocks(self) -> int:
        """Of the grid."""
        return math.prod(self.recording.grid)

    def often(self, term: Term) -> int:
        return term.counts[self.belonging.given.name, self.told]

    def _within(self, term: Term) -> list[Term]:
        """The term and what became a part of it, as far as these have the told element; each once."""
        terms, waiting = {}, [term]
        while waiting:
            one = waiting.pop()
            if id(one) not in terms and self.often(one):
                terms[id(one)] = one
                waiting.extend(one.parts)
        return list(terms.values())

    @cached_property
    def way(self) -> list[Term]:
        """Every sum with the told element that became a part of the result, in the order in which they were made."""
        return sorted((one for one in self._within(self.term) if not self._only_stays(one)), key=lambda one: one.at)

    def _only_stays(self, term: Term) -> bool:
        """Whether something else was added to the element that holds it."""
        return term is not self.term and any(
            self.often(part) == self.often(term) and self._place(part) == self._place(term) for part in term.parts
        )

    def _place(self, term: Term) -> tuple[int, ...]:
        """The element that a step changes."""
        step = self.recording.steps[term.at]
        return step[3:5] if step[0] in CHANGES else (-1, term.at)

    def reads_in(self, term: Term) -> list[int]:
        """Which reads brought the told element."""
        return sorted({one.at for one in self._within(term) if not one.parts})

    @property
    def meeting(self) -> Term | None:
        """The first sum that has the told element more than once."""
        return next((one for one in self.way if self.often(one) > 1), None)

    @cached_property
    def kept(self) -> tuple[int, Key] | None:
        """Where an element that is missing was stored last: the place in the trace, and the element that holds it."""
        origin = self.belonging.given.name, self.told
        stored = self.followed.stored.items()
        held = [(at, key) for key, changes in stored for at, term in changes if term and term.counts[origin]]
        return max(held, default=None)

    def held(self, kept: tuple[int, Key]) -> Counter[Origin]:
        term = next(term for at, term in self.followed.stored[kept[1]] if at == kept[0])
        return term.counts if term is not None else Counter()

    def reads_of_told(self) -> list[int]:
        return self.recording.find({StepKind.READ}, name=self.belonging.given.name, flat=self.told)


def _addends_of(recording: Recording) -> _Addends | None:
    """Of the first wrong element whose value is what this block stored, and is known as a sum; None: there is none."""
    trace, mismatch, inputs = recording.trace, recording.launch.mismatch, recording.report.inputs
    if not trace.complete or mismatch is None:
        return None
    belonging, array = summed_inputs(inputs, mismatch), recording.number_of(mismatch.output)
    followed = followed_sums(trace, inputs) if belonging is not None and array is not None else None
    if belonging is None or array is None or followed is None:
        return None
    for wrong in mismatch.first:
        flat = flat_of(wrong, mismatch)
        key = array, flat * trace.arrays[array].element_bytes
        term = followed.last(key)
        if term is None or wrong.got is None or any(name != belonging.given.name for name, _ in term.counts):
            continue
        # With another value, other blocks have a part in it, which is not known here.
        found = _Addends(recording, wrong, key, belonging, belonging.of(flat), term, followed, term.value != wrong.got)
        if not found.others or found.is_all_here:
            return found
    return None


def addends_story(recording: Recording) -> Story | None:
    found = _addends_of(recording)
    if found is None or not (found.missing or found.repeated or found.strangers or (found.others and found.blocks > 1)):
        return None
    chosen, where = _chosen(found), _where(found)
    return told(
        Shown(
            recording,
            chosen,
            "The way of one element of the input: who reads it, where it is stored, and which sums it becomes a part of.",
        ),
        title=f"the sum in {found.name}",
        summary=" ".join(filter(None, (_holds(found), _statement(found), where))),
        marks=_marks(found, chosen, where),
        questions=_questions(found, chosen, where),
    )


def _chosen(found: _Addends) -> list[int]:
    meeting = found.meeting
    chosen = {one.at for one in found.way}
    if found.often(found.term) == 0:
        chosen.update(found.reads_of_told()[:_FEW])
        if found.kept is not None:
            chosen.add(found.kept[0])
            chosen.update([at for at in found.followed.read[found.kept[1]] if at > found.kept[0]][:_FEW])
    elif meeting is not None:
        parts = {meeting.at, *(one.at for one in meeting.parts)}
        before = [at for at in sorted(chosen) if at <= meeting.at][-_MOST_STEPS // 2 :]
        after = [at for at in sorted(chosen) if at > meeting.at][: _MOST_STEPS // 2]
        chosen = {*before, *after, *parts}
    return found.recording.with_barriers({*chosen, found.term.at})


def _holds(found: _Addends) -> str:
    flat = found.key[1] // found.recording.trace.arrays[found.key[0]].element_bytes
    return (
        f"{found.name} holds {found.wrong.got or 0.0:.9g} in the end, and {found.wrong.expected or 0.0:.9g} belongs there: the sum of"
        f" {found.belonging.words(flat)}."
    )


def _statement(found: _Addends) -> str:
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


def _listed(found: _Addends, flats: Sequence[int]) -> str:
    names = [found.belonging.name(at) for at in flats]
    if len(names) > _FEW and flats[-1] - flats[0] == len(flats) - 1:
        return f"{names[0]} to {names[-1]}"
    return ", ".join(names[:_FEW]) + (f" and {len(names) - _FEW} more" if len(names) > _FEW else "")


def _where(found: _Addends) -> str:
    """Where it happens to the told element."""
    recording, meeting, element = found.recording, found.meeting, found.element
    if found.others:
        brings = f"This block alone brings {found.term.value:.9g}, all of them once"
        return f"{brings}, and the grid has {found.blocks:,} blocks: nothing is left that another one could add."
    if found.often(found.term) == 0:
        return _lost(found)
    if meeting is None:
        return ""
    reads = found.reads_in(meeting)
    if len(reads) > 1:
        by = " and ".join(f"thread {recording.thread(at)} in line {recording.line(at)}" for at in reads[:2])
        return f"{_met(found, meeting)} {element} is read more than once: by {by}."
    return f"{_met(found, meeting)} {element} was read once."


def _met(found: _Addends, meeting: Term) -> str:
    recording, at = found.recording, meeting.at
    who = f"thread {recording.thread(at)} in line {recording.line(at)}"
    times, kind = f"{found.element} {found.often(meeting)} times", recording.steps[at][0]
    if kind == StepKind.ATOMIC and found.often(meeting.parts[0]):
        return f"{found.element} is in {recording.name(at)} already when {who} adds a sum that has it too."
    if kind == StepKind.ATOMIC:
        return f"What {who} adds to {recording.name(at)} has {times}."
    if kind == StepKind.EXCHANGE:
        return f"What thread {_giver(recording, at)} gives to {who} has {times}."
    return f"What {who} stores in {recording.name(at)} has {times}."


def _giver(recording: Recording, at: int) -> str:
    """The thread whose value an exchange brings."""
    step = recording.steps[at]
    return recording.who(step[1] // LANES * LANES + step[4])


def _lost(found: _Addends) -> str:
    recording, reads = found.recording, found.reads_of_told()
    if not reads:
        return f"No thread of this block reads {found.element}."
    if found.kept is None:
        said = f"Thread {recording.thread(reads[0])} reads {found.element} in line {recording.line(reads[0])}"
        return f"{said}, and what it makes of it is in no sum that is known here."
    at, key = found.kept
    later = [one for one in found.followed.read[key] if one > at]
    what = found.element if len(found.held(found.kept)) == 1 else f"a sum with {found.element}"
    held = f"Thread {recording.thread(at)} stores {what} in {found.named(key)} in line {recording.line(at)}"
    if not later:
        return f"{held}, and nobody reads {found.named(key)} after that."
    by, line = recording.thread(later[0]), recording.line(later[0])
    return f"{held}. Thread {by} reads that in line {line}, but it is not in {found.name}."


def _marks(found: _Addends, chosen: Sequence[int], where: str) -> Iterator[Mark]:
    meeting, kept = found.meeting, found.kept if found.often(found.term) == 0 else None
    by_step: dict[int, Term] = {}
    for one in found.way:
        if one.at not in by_step or found.often(one) > found.often(by_step[one.at]):
            by_step[one.at] = one
    turns = {one for one in (kept and kept[0], meeting and meeting.at) if one is not None}
    for at in chosen:
        step = found.recording.steps[at]
        tone: Tone = "bad"
        if at == chosen[-1]:
            text = where if found.others else f"{found.name} holds {found.term.value:.9g} now. {_statement(found)}"
        elif at in turns:
            text = where
        elif at in by_step:
            text, tone = _passes(found, by_step[at]), "note"
        else:
            continue
        has_element = step[3] >= 0 and step[0] != StepKind.EXCHANGE
        yield Mark(at, text, tone, (step[1],), (found.recording.element(at),) if has_element else ())


def _passes(found: _Addends, term: Term) -> str:
    recording, kind, times = found.recording, found.recording.steps[term.at][0], found.often(term)
    has = f"has {found.element}" + (f" {times} times" if times > 1 else "")
    if kind == StepKind.READ:
        return f"Thread {recording.thread(term.at)} reads {found.element}."
    if kind == StepKind.EXCHANGE:
        return f"What thread {_giver(recording, term.at)} gives {has}."
    return f"{recording.name(term.at)} {has} now."


def _questions(found: _Addends, chosen: Sequence[int], where: str) -> Iterator[Question | None]:
    every, end, meeting, kept = len(found.times), chosen[-1], found.meeting, found.kept
    if found.others:
        if len(chosen) > 1:
            yield asked_number(
                end,
                f"The grid has {found.blocks:,} blocks. How many of the {every} elements that belong in {found.name} does this one add?",
                every,
                (0, -(-every // found.blocks), every // 2),
                where,
            )
        return
    times = found.often(found.term)
    turn = meeting.at if meeting is not None else kept[0] if kept is not None else end
    first = turn if turn in chosen else end
    yield asked_number(
        first,
        f"How often is {found.element} in what {found.name} holds in the end?",
        times,
        (0, 1, 2, times + 1),
        f"{_statement(found)} {where}".strip(),
    )
    once = sum(one == 1 for one in found.times.values())
    if every > 1 and first < end:
        yield asked_number(
            end,
            f"{every} elements of {found.belonging.given.name} belong in {found.name}. How many of them are in it exactly once?",
            once,
            (0, every, every // 2, max(0, every - 1)),
            _statement(found),
        )
