"""A function's basic blocks, and the order in which the proof looks at them."""

from __future__ import annotations

import bisect
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from grader.engines.machine_model.announcing_calls import kit_call
from grader.engines.machine_model.code_object import Relocation, Section
from grader.engines.machine_model.processor import (
    BRANCH,
    CALL,
    JUMP,
    POINTER_CALL,
    RETURN,
    STOP,
    TAIL,
    Flow,
    Instruction,
    Place,
    Processor,
)
from grader.engines.machine_model.refusals import UnprovableCodeError


@dataclass
class Block:
    places: list[Place[Any]]
    flows: list[Flow]
    followers: list[tuple[int, str, bool]] = field(default_factory=list)  # where, on which condition, whether it jumps
    before: list[int] = field(default_factory=list)
    is_probe: bool = False


@dataclass
class Blocks:
    """Of the function from `first` to `end`, by their first bytes. A follower may lie at `end`: there is nothing."""

    first: int
    end: int
    blocks: dict[int, Block]
    calls_somebody: bool

    def in_flow_order(self) -> list[int]:
        """Each after those that lead to it, but for the ways back of loops; those that nothing leads to are left out."""
        done, order = {self.first}, list[int]()
        waiting = [(self.first, self._followers(self.first))]
        while waiting:
            begin, followers = waiting[-1]
            following = next((one for one in followers if one in self.blocks and one not in done), None)
            if following is None:
                order.append(begin)
                waiting.pop()
            else:
                done.add(following)
                waiting.append((following, self._followers(following)))
        return order[::-1]

    def _followers(self, begin: int) -> Iterator[int]:
        return iter([target for target, _, _ in self.blocks[begin].followers])


def blocks_of(processor: Processor[Any], section: Section, first: int, end: int) -> Blocks:
    """Raises UnprovableCodeError."""
    relocated = sorted(one for one in section.relocations if first <= one < end)
    places = [_place(section, relocated, first + at, one) for at, one in processor.decode(section.code[first:end])]
    if not places or places[-1].offset + places[-1].instruction.length != end:
        raise UnprovableCodeError(first, "bytes that are no instructions")
    flows = [_flow(processor, place, first, end) for place in places]
    begins = {first, *_begins(places, flows)}
    blocks: dict[int, Block] = {}
    for place, flow in zip(places, flows, strict=True):
        if place.offset in begins:
            block = blocks[place.offset] = Block([], [])
        block.places.append(place)
        block.flows.append(flow)
    for block in blocks.values():
        _follow(processor, block)
    for begin, block in blocks.items():
        for target, _, _ in block.followers:
            if target in blocks:
                blocks[target].before.append(begin)
    return Blocks(first, end, blocks, any(flow.kind in {CALL, POINTER_CALL, TAIL} for flow in flows))


def _begins(places: list[Place[Any]], flows: list[Flow]) -> Iterator[int]:
    """Where control may go other than to the next instruction, and behind where it may."""
    offsets = {place.offset for place in places}
    for place, flow in zip(places, flows, strict=True):
        if flow.kind in {JUMP, BRANCH}:
            yield _target(place, flow, offsets)
        if flow.kind in {JUMP, BRANCH, RETURN, STOP, TAIL} or _never_returns(place, flow):
            yield place.offset + place.instruction.length


def _flow(processor: Processor[Any], place: Place[Any], first: int, end: int) -> Flow:
    flow = processor.flow(place.instruction)
    if (
        flow.kind == JUMP
        and flow.target is not None
        and (place.relocations or not first <= place.offset + flow.target < end)
    ):
        return Flow(TAIL, "", flow.target)
    return flow


def _place(section: Section, relocated: list[int], at: int, instruction: Instruction) -> Place[Any]:
    length = instruction.length
    begin = bisect.bisect_left(relocated, at)
    end = bisect.bisect_left(relocated, at + length, begin)
    inside: dict[int, Relocation] = {one - at: section.relocations[one] for one in relocated[begin:end]}
    return Place(at, instruction, inside)


def _target(place: Place[Any], flow: Flow, offsets: set[int]) -> int:
    if flow.target is None:
        raise UnprovableCodeError(place.offset, "a jump through a register or through memory")
    if place.relocations:
        raise UnprovableCodeError(place.offset, "a jump into another function")
    if place.offset + flow.target not in offsets:
        raise UnprovableCodeError(place.offset, "a jump out of the function")
    return place.offset + flow.target


def _never_returns(place: Place[Any], flow: Flow) -> bool:
    symbols = [relocation.symbol for relocation in place.relocations.values()]
    return flow.kind == CALL and any(one.undefined and not kit_call(one.name).returns for one in symbols)


def _follow(processor: Processor[Any], block: Block) -> None:
    place, flow = block.places[-1], block.flows[-1]
    behind = place.offset + place.instruction.length
    if flow.kind in {RETURN, STOP, TAIL} or _never_returns(place, flow):
        return
    if flow.kind == JUMP:
        block.followers.append((place.offset + (flow.target or 0), "", True))
        return
    if flow.kind == BRANCH:
        target = place.offset + (flow.target or 0)
        instructions = [one.instruction for one in block.places]
        block.is_probe = target == block.places[0].offset and processor.is_probe(instructions)
        if not block.is_probe:  # which goes on when it is through
            block.followers.append((target, flow.condition, True))
    block.followers.append((behind, flow.condition, False))
