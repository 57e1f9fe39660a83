"""A wrong element of the result that is a sum of elements of an input: how often each is in it, and where that happened. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from grader.model.result import WrongElement
from grader.single_launch.trace_steps import CHANGES, StepKind, Trace, TraceReport
from grader.value_origins.followed_sums import FollowedSums, Key, followed_sums
from grader.value_origins.known_term import Origin, Term
from grader.value_origins.wanted_inputs import Belonging, flat_of, summed_inputs


@dataclass(frozen=True)
class Addends:
    trace: Trace
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
        array = self.trace.arrays[key[0]]
        return array.name + "".join(f"[{one}]" for one in array.index(key[1], array.element_bytes))

    def input_name(self, flat: int) -> str:
        return self.belonging.name(flat)

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
        step = self.trace.steps[self.term.at]
        return (
            step[0] == StepKind.ATOMIC and not (self.missing or self.repeated or self.strangers) and len(self.times) > 1
        )

    @property
    def told(self) -> int:
        """The element whose way is shown: of those that are in it too often, one of the fewest times, which has the shortest way."""
        if self.repeated:
            return min(self.repeated, key=lambda at: self.times[at])
        return (self.strangers or self.missing or list(self.times))[0]

    def often(self, term: Term) -> int:
        return term.counts[self.belonging.given.name, self.told]

    def way(self) -> list[Term]:
        """Every sum with the told element that became a part of the result, in the order in which they were made."""
        terms, waiting = {}, [self.term]
        while waiting:
            one = waiting.pop()
            if id(one) not in terms and self.often(one):
                terms[id(one)] = one
                waiting.extend(one.parts)
        return sorted((one for one in terms.values() if not self._only_stays(one)), key=lambda one: one.at)

    def _only_stays(self, term: Term) -> bool:
        """Whether something else was added to the element that holds it."""
        return term is not self.term and any(
            self.often(part) == self.often(term) and self._place(part) == self._place(term) for part in term.parts
        )

    def _place(self, term: Term) -> tuple[int, ...]:
        """The element that a step changes."""
        step = self.trace.steps[term.at]
        return step[3:5] if step[0] in CHANGES else (-1, term.at)

    def reads_in(self, term: Term) -> list[int]:
        """Which reads brought the told element."""
        found, waiting = set(), [term]
        seen: set[int] = set()
        while waiting:
            one = waiting.pop()
            if id(one) not in seen and self.often(one):
                seen.add(id(one))
                waiting.extend(one.parts)
                if not one.parts:
                    found.add(one.at)
        return sorted(found)

    def meeting(self, way: Sequence[Term]) -> Term | None:
        """The first sum that has the told element more than once."""
        return next((one for one in way if self.often(one) > 1), None)

    def kept(self) -> tuple[int, Key] | None:
        """Where an element that is missing was stored last: the place in the trace, and the element that holds it."""
        origin = self.belonging.given.name, self.told
        held = [
            (at, key)
            for key, changes in self.followed.stored.items()
            for at, term in changes
            if term and term.counts[origin]
        ]
        return max(held, default=None)

    def held(self, kept: tuple[int, Key]) -> Counter[Origin]:
        term = next(term for at, term in self.followed.stored[kept[1]] if at == kept[0])
        return term.counts if term is not None else Counter()

    def reads_of_told(self) -> list[int]:
        given = self.belonging.given.name
        return [
            at
            for (array, offset), reads in self.followed.read.items()
            for at in reads
            if self.trace.arrays[array].name == given and offset // self.trace.arrays[array].element_bytes == self.told
        ]


def addends_of(report: TraceReport) -> Addends | None:
    """Of the first wrong element whose value is what this block stored, and is known as a sum; None: there is none."""
    trace, mismatch = report.trace, report.launch.mismatch
    if trace is None or not trace.complete or mismatch is None:
        return None
    belonging = summed_inputs(report.inputs, mismatch)
    array = next(
        (at for at, one in enumerate(trace.arrays) if (one.name, one.space) == (mismatch.output, "global")), None
    )
    followed = followed_sums(trace, report.inputs) if belonging is not None and array is not None else None
    if belonging is None or array is None or followed is None:
        return None
    for wrong in mismatch.first:
        flat = flat_of(wrong, mismatch)
        key = array, flat * trace.arrays[array].element_bytes
        term = followed.last(key)
        if term is None or wrong.got is None or any(name != belonging.given.name for name, _ in term.counts):
            continue
        # With another value, other blocks have a part in it, which is not known here.
        found = Addends(trace, wrong, key, belonging, belonging.of(flat), term, followed, term.value != wrong.got)
        if not found.others or found.is_all_here:
            return found
    return None
