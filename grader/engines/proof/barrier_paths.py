"""Where the loops are in the machine code, and where calls that may reach a barrier: which branches decide whether a thread makes the call,
and which return statements of the kernel come behind it. kit/executor/observers/barrier_places.hpp says what it is for.

It reads the blocks of each function alone. A function that it cannot read, or that is very large, has no places: the executor then says
less, and judges returns as if they came before every barrier.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from grader.engines.device_functions import LEAVES
from grader.engines.objects.assembly import BLOCK_BEGINS
from grader.engines.objects.symbol_table import ObjectFile, reachable
from grader.engines.proof.function_proof import Blocks, blocks_of, processor_of
from grader.engines.proof.machine_state import Atoms, UnprovableCodeError
from grader.engines.proof.memory_rules import FunctionMemory

_LEAVES_SYMBOL = f"_ZN11cuda_on_cpu{len(LEAVES)}{LEAVES}Ev"
_BARRIER = re.compile(r"_Z\w*(?:sync|barrier)\w*")
_MOST_BLOCKS = 3_000  # of one function
_MOST_CALLS = 500

Loop = tuple[int, int]
Call = tuple[int, list[int]]  # where it returns to; addresses behind the branches
Return = tuple[int, list[int], list[Call]]


@dataclass(frozen=True)
class BarrierPaths:
    calls: list[Call] = field(default_factory=list)
    returns: list[Return] = field(default_factory=list)


def loops_in(code: ObjectFile, addresses: Mapping[str, int]) -> list[Loop]:
    """The first block of each loop, and the last one that jumps back to it. Each block begins with a call that announces it; told is where
    this call returns to. `addresses` of the functions in the program.
    """
    processor = processor_of(code.machine)(FunctionMemory(Atoms(), code))
    found: dict[int, int] = {}
    for symbol in code.named.values():
        if symbol.name not in addresses:
            continue
        section, first, end = code.sections[symbol.section], symbol.value, symbol.value + symbol.size
        # The relocation of a call is at its last four bytes, on x86-64 and on aarch64.
        announced = (at for at, one in section.relocations.items() if one.symbol.name == BLOCK_BEGINS)
        blocks = sorted(at + 4 - first for at in announced if first <= at < end)
        for at, instruction in processor.decoder.decode(section.code[first:end]) if blocks else ():
            flow = processor.flow(instruction)
            if flow.kind not in {"jump", "branch"} or flow.target is None or at + flow.target < 0:
                continue
            head, last = bisect_right(blocks, at + flow.target), bisect_right(blocks, at) - 1
            if head <= last:
                begin = addresses[symbol.name] + blocks[head]
                found[begin] = max(found.get(begin, 0), addresses[symbol.name] + blocks[last])
    return sorted(found.items())


def barrier_paths(code: ObjectFile, addresses: Mapping[str, int], loops: Sequence[Loop]) -> BarrierPaths:
    """`addresses` and `loops` as for `loops_in`."""
    waiting = _waiting(code)
    processor = processor_of(code.machine)(FunctionMemory(Atoms(), code))
    found = BarrierPaths()
    for name in sorted(waiting & code.named.keys() & addresses.keys()):
        symbol = code.named[name]
        section = code.sections[symbol.section]
        try:
            blocks = blocks_of(processor, section, symbol.value, symbol.value + symbol.size)
        except UnprovableCodeError:
            continue
        if len(blocks.blocks) > _MOST_BLOCKS:
            continue
        one = _Function(blocks, addresses[name] - symbol.value, waiting, loops)
        found.calls.extend(one.calls())
        found.returns.extend(one.returns())
    return found


def _waiting(code: ObjectFile) -> set[str]:
    """The functions that may reach a barrier, the kit's and the submission's."""
    callers: dict[str, set[str]] = {}
    for name, symbol in code.named.items():
        relocations = code.sections[symbol.section].relocations
        for offset, relocation in relocations.items():
            if symbol.value <= offset < symbol.value + symbol.size:
                target = relocation.symbol
                called = target.name
                if target.kind == "STT_SECTION":
                    at = code.function_at(target.section, 0)
                    called = at.name if at else ""
                callers.setdefault(called, set()).add(name)
    return reachable(filter(_BARRIER.fullmatch, callers), lambda name: callers.get(name, ()))


class _Function:
    def __init__(self, blocks: Blocks, base: int, waiting: Collection[str], loops: Sequence[Loop]) -> None:
        self.blocks, self.base, self.waiting = blocks, base, waiting
        self.loops = loops
        self._known_before: dict[int, frozenset[int]] = {}

    def _all_before(self, begin: int) -> frozenset[int]:
        if begin not in self._known_before:
            self._known_before[begin] = frozenset(self._before(begin, loops=True))
        return self._known_before[begin]

    @cached_property
    def _called(self) -> list[tuple[int, int, str]]:
        """Of every call its block, where it returns to, and whom it calls."""
        found = []
        for begin, block in self.blocks.blocks.items():
            for place, flow in zip(block.places, block.flows, strict=True):
                if flow.kind == "call":
                    name = next((one.symbol.name for one in place.relocations.values()), "")
                    found.append((begin, place.offset + place.instruction.length, name))
        return found

    @cached_property
    def _barriers(self) -> list[tuple[int, int]]:
        return [(begin, behind) for begin, behind, name in self._called if name in self.waiting][:_MOST_CALLS]

    @cached_property
    def _leaving(self) -> list[tuple[int, int]]:
        return [(begin, behind) for begin, behind, name in self._called if name == _LEAVES_SYMBOL]

    def calls(self) -> Iterator[Call]:
        for begin, behind in self._barriers:
            yield self.base + behind, [self.base + one for one in sorted(self._deciding(begin))]

    def returns(self) -> Iterator[Return]:
        for begin, behind in self._leaving:
            before = self._before(begin, loops=True)
            passed = [one for one in self._barriers if one[0] in before or (one[0] == begin and one[1] < behind)]
            inside = [one for one in passed if self._share_a_loop(one[1], behind)]
            forward = self._before(begin, loops=False)
            around = [self._after_others(one, inside) for one in inside if one[0] in forward or one[0] == begin]
            yield self.base + behind, [self.base + at for block, at in passed if (block, at) not in inside], around

    def _after_others(self, call: tuple[int, int], others: Sequence[tuple[int, int]]) -> Call:
        """A call with those of the same loop that come before it in one pass."""
        before = self._before(call[0], loops=False)
        earlier = [at for block, at in others if at < call[1] and (block in before or block == call[0])]
        return self.base + call[1], [self.base + at for at in earlier]

    def _share_a_loop(self, one: int, other: int) -> bool:
        low, high = self.base + min(one, other), self.base + max(one, other)
        return any(first <= low and high <= self._loop_end(last) for first, last in self.loops)

    def _loop_end(self, last: int) -> int:
        """The end of the block that announces itself at `last`."""
        for block in self.blocks.blocks.values():
            end = block.places[-1].offset + block.places[-1].instruction.length
            if block.places[0].offset <= last - self.base <= end:
                return self.base + end
        return last

    def _before(self, begin: int, *, loops: bool) -> set[int]:
        """The blocks from which a way leads to this one; without `loops`, only forwards in the code, which is in the source's order."""

        def before(at: int) -> list[int]:
            return [one for one in self.blocks.blocks[at].before if loops or one < at]

        return reachable(before(begin), before)

    def _deciding(self, begin: int) -> set[int]:
        """Behind which branches it is decided whether a thread that runs to the end comes to this block."""
        choices = reachable(self._last_choices(begin), self._last_choices)
        places = (self.blocks.blocks[block].places[-1] for block in choices)
        return {place.offset + place.instruction.length for place in places}

    def _last_choices(self, begin: int) -> list[int]:
        """Blocks with one way that leads to the block for certain, and another on which a thread can run to the end without it."""
        avoiding = self._avoiding(begin)
        chosen = []
        for at, block in self.blocks.blocks.items():
            ways = [target for target, _, _ in block.followers if target in self.blocks.blocks]
            if block.flows[-1].kind != "branch" or len(ways) < 2:  # noqa: PLR2004 - both ways of a branch
                continue
            others = [way for way in ways if way not in avoiding]
            leads_here = (way == begin or way in self._all_before(begin) for way in others)
            if len(others) < len(ways) and any(leads_here):
                chosen.append(at)
        return chosen

    def _avoiding(self, begin: int) -> set[int]:
        """Blocks from which a thread can run to the end without this block, and not by a return statement that comes before it."""
        before = (block for block, _ in self._leaving if begin not in self._all_before(block))
        closed = {begin, *before}
        blocks = self.blocks.blocks
        ends = (at for at, block in blocks.items() if block.flows[-1].kind == "return" and at not in closed)
        return reachable(ends, lambda at: (one for one in blocks[at].before if one not in closed))
