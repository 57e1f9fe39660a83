"""The story of a wrong sum that is no product of matrices: which elements of the input are in it too often, or not at all, and where that
happens. Pure.

It tells only what follows from the recorded values. Where they can be put together in several ways, there is no story.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property

from grader.explain.followed_sums import Belonging, FollowedSums, Term, flat_of, followed_sums, plain, summed_inputs
from grader.explain.recording import READS, Key, Moment, Recording, Telling, asked
from grader.explain.story import LANES, Mark, Question, Story
from grader.model.result import WrongElement
from grader.run.launches.trace_phases import CHANGES, StepKind

_MOST_STEPS = 40
_FEW = 3


class _Addends:
    """Of the element `key` of the result."""

    def __init__(
        self, recording: Recording, belonging: Belonging, followed: FollowedSums, key: Key, wrong: WrongElement
    ) -> None:
        self.recording, self.belonging, self.followed, self.wrong = recording, belonging, followed, wrong
        array, given = recording.trace.arrays[key[0]], belonging.given
        self.name, self.flat = array.named(key[1]), key[1] // array.element_bytes
        belongs = belonging.of(self.flat)
        self.term = followed.last(key) or plain(0.0, 0)  # what the element holds in the end
        self.others = self.term.value != wrong.got  # other blocks change it too: `term` is what this block has brought
        # How often each element is in it that belongs there: without those that are 0, which nobody can tell.
        self.times = {at: self.term.counts[given.name, at] for at in belongs if given.values[at]}
        self.missing = [at for at, times in self.times.items() if times == 0]
        self.repeated = [at for at, times in self.times.items() if times > 1]
        self.strangers = sorted(at for _, at in self.term.counts if at not in belongs)
        self.is_right = not (self.missing or self.repeated or self.strangers)
        # The element whose way is shown: of those that are in it too often, one of the fewest times, which has the shortest way.
        shortest = sorted(self.repeated, key=lambda at: self.times[at])
        self.told = next(iter([*shortest, *self.strangers, *self.missing, *self.times]), 0)
        self.element = belonging.name(self.told)
        self.blocks = math.prod(recording.grid)

    @property
    def is_all_here(self) -> bool:
        """Whether one block brings each element once, and so nothing is left for others."""
        return self.moment(self.term).kind == StepKind.ATOMIC and self.is_right and len(self.times) > 1

    def moment(self, term: Term) -> Moment:
        return self.recording.moment(term.at)

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

    def _place(self, term: Term) -> Key:
        """The element that a step changes."""
        at = self.moment(term)
        return at.key if at.kind in CHANGES else (-1, at)

    def reads_in(self, term: Term) -> list[Moment]:
        """Which reads brought the told element."""
        return sorted({self.moment(one) for one in self._within(term) if not one.parts})

    @property
    def meeting(self) -> Term | None:
        """The first sum that has the told element more than once."""
        return next((one for one in self.way if self.often(one) > 1), None)

    @cached_property
    def kept(self) -> tuple[Moment, Term] | None:
        """Where an element that is missing was stored last, and what was stored there."""
        stored = (one for changes in self.followed.stored.values() for one in changes)
        held = [(at, term) for at, term in stored if term and self.often(term)]
        return max(held, key=lambda one: one[0], default=None)

    def readers(self, at: Moment) -> list[Moment]:
        """Who reads the element after this store."""
        return [one for one in self.followed.read[at.key] if one > at]

    def reads_of_told(self) -> list[Moment]:
        return self.recording.find(READS, array=self.belonging.given.name, flat=self.told)


def _addends_of(recording: Recording) -> _Addends | None:
    """Of the first wrong element whose value is what this block stored, and is known as a sum; None: there is none."""
    trace, mismatch = recording.trace, recording.launch.mismatch
    if not trace.complete or mismatch is None:
        return None
    belonging, array = summed_inputs(recording.report.inputs, mismatch), recording.number_of(mismatch.output)
    followed = followed_sums(recording) if belonging is not None and array is not None else None
    if belonging is None or array is None or followed is None:
        return None
    for wrong in mismatch.first:
        key = array, flat_of(wrong, mismatch) * trace.arrays[array].element_bytes
        term = followed.last(key)
        if term is None or wrong.got is None or any(name != belonging.given.name for name, _ in term.counts):
            continue
        found = _Addends(recording, belonging, followed, key, wrong)
        if not found.others or found.is_all_here:
            return found
    return None


def addends_story(recording: Recording) -> Story | None:
    found = _addends_of(recording)
    if found is None or (found.is_right and not (found.others and found.blocks > 1)):
        return None
    chosen, where, statement = _chosen(found), _where(found), _statement(found)
    holds = f"{found.name} holds {found.wrong.got or 0.0:.9g} in the end, and {found.wrong.expected or 0.0:.9g} belongs there:"
    holds = f"{holds} the sum of {found.belonging.words(found.flat)}."
    return Telling(
        recording,
        title=f"the sum in {found.name}",
        summary=" ".join(filter(None, (holds, statement, where))),
        steps=chosen,
        schedule="The way of one element of the input: who reads it, where it is stored, and which sums it becomes a part of.",
        marks=_marks(found, chosen, where, statement),
        questions=_questions(found, chosen, where, statement),
    ).story


def _chosen(found: _Addends) -> list[int]:
    meeting = found.meeting
    chosen = {one.at for one in found.way}
    if found.often(found.term) == 0:
        chosen.update(found.reads_of_told()[:_FEW])
        if found.kept is not None:
            chosen.update([found.kept[0], *found.readers(found.kept[0])[:_FEW]])
    elif meeting is not None:
        before = [at for at in sorted(chosen) if at <= meeting.at][-_MOST_STEPS // 2 :]
        after = [at for at in sorted(chosen) if at > meeting.at][: _MOST_STEPS // 2]
        chosen = {*before, *after, meeting.at, *(one.at for one in meeting.parts)}
    return found.recording.with_barriers({*chosen, found.term.at})


def _statement(found: _Addends) -> str:
    repeated, missing, strangers = found.repeated, found.missing, found.strangers
    said = []
    if repeated:
        many = sorted(Counter(found.times[at] for at in repeated).items())
        often = ", ".join(f"{count} of them {times} times" for times, count in many[:_FEW])
        more = ", …" if len(many) > _FEW else ""
        said.append(f"{_elements_are(repeated)} in it more than once ({often}{more}).")
    if missing:
        said.append(f"{_elements_are(missing)} not in it: {_listed(found, missing)}.")
    if strangers:
        do = "do" if len(strangers) > 1 else "does"
        said.append(f"It has {_listed(found, strangers)}, which {do} not belong there.")
    return " ".join(said)


def _elements_are(many: Sequence[int]) -> str:
    return f"{len(many):,} elements are" if len(many) > 1 else "1 element is"


def _listed(found: _Addends, flats: Sequence[int]) -> str:
    names = [found.belonging.name(at) for at in flats]
    if len(names) > _FEW and flats[-1] - flats[0] == len(flats) - 1:
        return f"{names[0]} to {names[-1]}"
    return ", ".join(names[:_FEW]) + (f" and {len(names) - _FEW} more" if len(names) > _FEW else "")


def _where(found: _Addends) -> str:
    """Where it happens to the told element."""
    meeting, element = found.meeting, found.element
    if found.others:
        brings = f"This block alone brings {found.term.value:.9g}, all of them once"
        return f"{brings}, and the grid has {found.blocks:,} blocks: nothing is left that another one could add."
    if found.often(found.term) == 0:
        return _lost(found)
    if meeting is None:
        return ""
    reads = found.reads_in(meeting)
    if len(reads) > 1:
        return f"{_met(found, meeting)} {element} is read more than once: by {reads[0].doer} and {reads[1].doer}."
    return f"{_met(found, meeting)} {element} was read once."


def _met(found: _Addends, meeting: Term) -> str:
    at, times = found.moment(meeting), f"{found.element} {found.often(meeting)} times"
    if at.kind == StepKind.ATOMIC and found.often(meeting.parts[0]):
        return f"{found.element} is in {at.name} already when {at.doer} adds a sum that has it too."
    if at.kind == StepKind.ATOMIC:
        return f"What {at.doer} adds to {at.name} has {times}."
    if at.kind == StepKind.EXCHANGE:
        return f"What thread {_giver(at)} gives to {at.doer} has {times}."
    return f"What {at.doer} stores in {at.name} has {times}."


def _giver(at: Moment) -> str:
    """The thread whose value an exchange brings."""
    return at.recording.who(at.thread // LANES * LANES + at.step[4])


def _lost(found: _Addends) -> str:
    reads = found.reads_of_told()
    if not reads:
        return f"No thread of this block reads {found.element}."
    if found.kept is None:
        said = f"Thread {reads[0].who} reads {found.element} in line {reads[0].line}"
        return f"{said}, and what it makes of it is in no sum that is known here."
    at, term = found.kept
    later, name = found.readers(at), at.array.named(at.key[1])
    what = found.element if len(term.counts) == 1 else f"a sum with {found.element}"
    held = f"Thread {at.who} stores {what} in {name} in line {at.line}"
    if not later:
        return f"{held}, and no thread reads {name} after that."
    return f"{held}. Thread {later[0].who} reads that in line {later[0].line}, but it is not in {found.name}."


def _marks(found: _Addends, chosen: Sequence[int], where: str, statement: str) -> Iterator[Mark]:
    by_step: dict[int, Term] = {}
    for term in found.way:
        if term.at not in by_step or found.often(term) > found.often(by_step[term.at]):
            by_step[term.at] = term
    kept = found.kept if found.often(found.term) == 0 else None
    turns = {kept[0] if kept else None, found.meeting.at if found.meeting else None}
    for at in chosen:
        one = found.recording.moment(at)
        is_end = at == chosen[-1]
        if is_end or at in turns:
            holds = f"{found.name} holds {found.term.value:.9g} now. {statement}"
            mark = one.remark(holds if is_end and not found.others else where)
        elif at in by_step:
            mark = one.remark(_passes(found, one, found.often(by_step[at])), "note")
        else:
            continue
        has_element = one.key[0] >= 0 and one.kind != StepKind.EXCHANGE
        yield mark if has_element else Mark(at, mark.text, mark.tone, mark.threads)


def _passes(found: _Addends, at: Moment, times: int) -> str:
    has = f"has {found.element}" + (f" {times} times" if times > 1 else "")
    if at.kind == StepKind.READ:
        return f"Thread {at.who} reads {found.element}."
    return f"What thread {_giver(at)} gives {has}." if at.kind == StepKind.EXCHANGE else f"{at.name} {has} now."


def _questions(found: _Addends, chosen: Sequence[int], where: str, statement: str) -> Iterator[Question | None]:
    every, end, meeting, kept = len(found.times), chosen[-1], found.meeting, found.kept
    if found.others:
        if len(chosen) > 1:
            text = f"The grid has {found.blocks:,} blocks. How many of the {every} elements that belong in {found.name} does this one add?"
            yield asked(end, text, every, (0, -(-every // found.blocks), every // 2), where)
        return
    times = found.often(found.term)
    turn = meeting.at if meeting is not None else kept[0] if kept is not None else end
    first = turn if turn in chosen else end
    text = f"How often is {found.element} in what {found.name} holds in the end?"
    yield asked(first, text, times, (0, 1, 2, times + 1), f"{statement} {where}".strip())
    once = sum(one == 1 for one in found.times.values())
    if every > 1 and first < end:
        text = f"{every} elements of {found.belonging.given.name} belong in {found.name}. How many of them are in it exactly once?"
        yield asked(end, text, once, (0, every, every // 2, max(0, every - 1)), statement)
