"""Follows the values of a recorded block: which elements of the inputs are in what each thread stores. Pure.

Only sums are followed. Where something else was computed, or another block had a part in it, nothing is known.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from grader.single_launch.trace_steps import Step, StepKind, Trace, TracedArray, TracedInput
from grader.step_page.story import LANES
from grader.value_origins.known_term import Term, element, explained, plain

_MOST_STEPS = 60_000
_MOST_TERMS = 4096  # that a thread has read and not yet used
_MOST_OLDER = 64  # of what it had before; of a thread with more, numbers of its own cannot be told from others
_LONGEST = 2_000_000  # elements in all sums together
Key = tuple[int, int]  # an array, and the byte offset in it


@dataclass
class FollowedSums:
    """`stored`: each change of an element, by its place in the trace, and what the element holds then; None: nobody knows."""

    stored: dict[Key, list[tuple[int, Term | None]]] = field(default_factory=lambda: defaultdict(list))
    read: dict[Key, list[int]] = field(default_factory=lambda: defaultdict(list))

    def last(self, key: Key) -> Term | None:
        return self.stored[key][-1][1] if self.stored.get(key) else None


@dataclass
class _Block:
    trace: Trace
    inputs: dict[int, TracedInput]  # by the number of the array
    result: FollowedSums
    terms: dict[int, list[Term | None]] = field(
        default_factory=lambda: defaultdict(list)
    )  # of each thread, as it got them
    older: dict[int, list[Term | None]] = field(
        default_factory=lambda: defaultdict(list)
    )  # and what it had before that
    elements: int = 0

    def explained(self, thread: int, value: float | None, at: int, before: Term | None = None) -> Term | None:
        if value is None:
            return None
        term = explained(value, self.terms[thread], at, before, older=self.older[thread])
        self.elements += len(term.counts) if term is not None else 0
        return term

    def settle(self, thread: int, term: Term | None) -> None:
        """The thread has shown that it has this; a register may still hold something older."""
        kept = [*self.older[thread], *self.terms[thread]]
        self.older[thread] = kept if len(kept) <= _MOST_OLDER else [None]
        self.terms[thread] = [term]


def followed_sums(trace: Trace, inputs: Sequence[TracedInput]) -> FollowedSums | None:
    """None where it would take too long."""
    if len(trace.steps) > _MOST_STEPS:
        return None
    by_name = {one.name: one for one in inputs}
    of_array = {
        at: by_name[one.name] for at, one in enumerate(trace.arrays) if one.space == "global" and one.name in by_name
    }
    block = _Block(trace, of_array, FollowedSums())
    at = 0
    while at < len(trace.steps):
        kind = trace.steps[at][0]
        if kind == StepKind.EXCHANGE:
            end = _end_of_exchange(trace.steps, at)
            _exchange(block, range(at, end))
            at = end
            continue
        if kind == StepKind.READ:
            _read(block, at)
        elif kind in {StepKind.WRITE, StepKind.ATOMIC}:
            _change(block, at)
        if block.elements > _LONGEST:
            return None
        at += 1
    return block.result


def _read(block: _Block, at: int) -> None:
    step = block.trace.steps[at]
    key = step[3], step[4]
    block.result.read[key].append(at)
    value = block.trace.arrays[step[3]].value(step[6], step[5])
    known = block.result.stored.get(key)
    term: Term | None = None
    if known:
        term = known[-1][1]
        term = term if term is not None and term.value == value else None
    elif (given := block.inputs.get(step[3])) is not None:
        flat = step[4] // step[5] if step[5] else -1
        if 0 <= flat < len(given.values) and given.values[flat] == value:
            term = element(value, (given.name, flat), at)
    own = block.terms[step[1]]
    if len(own) < _MOST_TERMS:
        own.append(term)
    else:
        block.terms[step[1]] = [None]


def _change(block: _Block, at: int) -> None:
    step = block.trace.steps[at]
    key = step[3], step[4]
    value = block.trace.arrays[step[3]].value(step[6], step[5])
    if step[0] == StepKind.ATOMIC:
        stored = block.result.stored.get(key)
        before = stored[-1][1] if stored else plain(0.0, at)
        term = block.explained(step[1], value, at, before) if before is not None else None
    else:
        term = block.explained(step[1], value, at)
        block.settle(step[1], term)
    block.result.stored[key].append((at, term))


def _end_of_exchange(steps: Sequence[Step], at: int) -> int:
    """Lanes of one warp operation follow each other."""
    first, end = steps[at], at
    seen: set[int] = set()
    while (
        end < len(steps)
        and steps[end][0] == StepKind.EXCHANGE
        and (steps[end][8], steps[end][1] // LANES) == (first[8], first[1] // LANES)
        and steps[end][1] not in seen
    ):
        seen.add(steps[end][1])
        end += 1
    return end


def _exchange(block: _Block, lanes: range) -> None:
    """What each lane gives is explained before any gets something."""
    brought: list[tuple[int, Term | None]] = []
    for at in lanes:
        _, thread, _, _, lane, size, bits, place, _, _ = block.trace.steps[at]
        where = block.trace.places[place]
        if "shuffle" not in where.calls or size == 0:
            if "__syncwarp" not in where.calls:
                brought.append((thread, None))  # a vote, or what a lane gives that takes no part
            continue
        source = thread // LANES * LANES + lane
        term = block.explained(source, _value(bits, size, where.element), at)
        block.settle(source, term)
        brought.append((thread, term))
    for thread, term in brought:
        block.terms[thread].append(term)


def _value(bits: int, size: int, element_type: str) -> float | None:
    if element_type not in {"float", "double", "int", "unsigned", "unsigned int"}:
        return None
    return TracedArray(name="", space="", element=element_type, element_bytes=size).value(bits, size)
