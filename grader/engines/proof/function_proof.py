"""Follows one function from its first instruction along every path and finds the accesses that nothing announces before them.

Theory of operation. Blocks are looked at once, each after those that lead to it forwards. Where paths meet, what all of them know
is kept. Where one comes back (a loop), nothing is kept but the stack and the frame pointer, which must agree. So every fact that is
used holds on every path, and no number of passes has to be found. Calls forget what they may change; a store through a pointer
forgets the frame. Announcements come right before the access, so little is lost by that.
"""

from __future__ import annotations

import bisect
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from grader.engines.objects.symbol_table import ObjectFile, Section, Symbol
from grader.engines.proof.evaluator import CodeSite, Flow, Processor
from grader.engines.proof.machine_state import HALF, Atoms, State, UnprovableCodeError, Value, signed
from grader.engines.proof.memory_rules import FunctionMemory, Granted, Unannounced, kit_call


def processor_of(machine: str) -> type[Processor]:
    """By the machine's name in an object file. Raises KeyError where the kit knows no such processor. What reads the code of one is
    imported when it is asked for: a machine compiles for one processor, and students wait for imports.
    """
    if machine == "x64":
        from grader.engines.proof.x86_processor import X86  # noqa: PLC0415 -- for this reason

        return X86
    if machine == "AArch64":
        from grader.engines.proof.arm_processor import Arm  # noqa: PLC0415 -- likewise

        return Arm
    raise KeyError(machine)


# A function's basic blocks, and the order in which the proof looks at them.


@dataclass
class Block:
    places: list[CodeSite]
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


def blocks_of(processor: Processor, section: Section, first: int, end: int) -> Blocks:
    """Raises UnprovableCodeError."""
    relocated = sorted(one for one in section.relocations if first <= one < end)
    places = []
    for at, instruction in processor.decoder.decode(section.code[first:end]):
        begin = bisect.bisect_left(relocated, first + at)
        behind = bisect.bisect_left(relocated, first + at + instruction.length, begin)
        inside = {one - first - at: section.relocations[one] for one in relocated[begin:behind]}
        places.append(CodeSite(first + at, instruction, inside))
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
    return Blocks(first, end, blocks, any(flow.kind in {"call", "pointer call", "tail"} for flow in flows))


def _begins(places: list[CodeSite], flows: list[Flow]) -> Iterator[int]:
    """Where control may go other than to the next instruction, and behind where it may."""
    offsets = {place.offset for place in places}
    for place, flow in zip(places, flows, strict=True):
        if flow.kind in {"jump", "branch"}:
            yield _target(place, flow, offsets)
        if flow.kind in {"jump", "branch", "return", "stop", "tail"} or _never_returns(place, flow):
            yield place.offset + place.instruction.length


def _flow(processor: Processor, place: CodeSite, first: int, end: int) -> Flow:
    flow = processor.flow(place.instruction)
    if flow.kind != "jump" or flow.target is None:
        return flow
    leaves = place.relocations or not first <= place.offset + flow.target < end
    return Flow("tail", "", flow.target) if leaves else flow


def _target(place: CodeSite, flow: Flow, offsets: set[int]) -> int:
    if flow.target is None:
        raise UnprovableCodeError(place.offset, "a jump through a register or through memory")
    if place.relocations:
        raise UnprovableCodeError(place.offset, "a jump into another function")
    if place.offset + flow.target not in offsets:
        raise UnprovableCodeError(place.offset, "a jump out of the function")
    return place.offset + flow.target


def _never_returns(place: CodeSite, flow: Flow) -> bool:
    symbols = [relocation.symbol for relocation in place.relocations.values()]
    return flow.kind == "call" and any(one.undefined and not kit_call(one.name).returns for one in symbols)


def _follow(processor: Processor, block: Block) -> None:
    place, flow = block.places[-1], block.flows[-1]
    behind = place.offset + place.instruction.length
    if flow.kind in {"return", "stop", "tail"} or _never_returns(place, flow):
        return
    if flow.kind == "jump":
        block.followers.append((place.offset + (flow.target or 0), "", True))
        return
    if flow.kind == "branch":
        target = place.offset + (flow.target or 0)
        instructions = [one.instruction for one in block.places]
        block.is_probe = target == block.places[0].offset and processor.is_probe(instructions)
        if not block.is_probe:  # which goes on when it is through
            block.followers.append((target, flow.condition, True))
    block.followers.append((behind, flow.condition, False))


AskedBy = Callable[[Symbol], Granted]
_FUNCTIONS = {"STT_FUNC", "STT_NOTYPE", "STT_SECTION"}  # what a call can name


@dataclass(frozen=True)
class Call:
    """Of another function of the submission."""

    offset: int
    target: Symbol
    room: int  # bytes from the callee's arguments up to what the caller must keep


@dataclass
class FunctionReport:
    unannounced: list[Unannounced]
    granted: Granted  # that its caller answers for
    argument_bytes: int = 0  # behind its link, that it uses
    jumps_on: bool = False  # to another function, which returns in its place
    calls: list[Call] = field(default_factory=list)
    pointer_calls: list[tuple[int, int]] = field(default_factory=list)  # of what a pointer holds: offset and room
    taken: set[tuple[int, int]] = field(default_factory=set)  # section and offset of what its code takes the address of
    foreign: set[str] = field(default_factory=set)  # symbols outside the file that its code takes the address of


def is_silent(code: ObjectFile, function: Symbol, call_relocations: frozenset[int]) -> bool:
    """Whether nothing in it announces: it calls nobody, or pure functions of the kit."""
    relocations = code.sections[function.section].relocations.items()
    inside = [one for at, one in relocations if function.value <= at < function.value + function.size]
    called = [one.symbol for one in inside if one.kind in call_relocations and one.symbol.kind in _FUNCTIONS]
    return all(symbol.undefined and kit_call(symbol.name).is_silent for symbol in called)


class FunctionProof:
    """`asked_by` tells what another function asks of its callers, `answer_bytes` how many bytes the kit lets this one use where its result
    is to be made.
    """

    def __init__(
        self, code: ObjectFile, function: Symbol, make: type[Processor], asked_by: AskedBy, answer_bytes: int
    ) -> None:
        self.code, self.function, self.asked_by = code, function, asked_by
        self.memory = FunctionMemory(Atoms(), code)
        self.machine = make(self.memory)
        self.memory.answer = self.machine.result, answer_bytes
        self.report = FunctionReport(self.memory.unannounced, self.memory.granted)
        self.pointers = (self.machine.stack_pointer, self.machine.frame_pointer)

    def prove(self) -> FunctionReport:
        """Raises UnprovableCodeError."""
        function, memory, report = self.function, self.memory, self.report
        section = self.code.sections[function.section]
        blocks = blocks_of(self.machine, section, function.value, function.value + function.size)
        memory.is_leaf = not blocks.calls_somebody
        report.jumps_on = any(flow.kind == "tail" for block in blocks.blocks.values() for flow in block.flows)
        memory.is_silent = not report.jumps_on and is_silent(self.code, function, self.machine.call_relocations)
        self._follow(blocks)
        silent = "a function that announces nothing and"
        if memory.is_silent and report.pointer_calls:
            raise UnprovableCodeError(report.pointer_calls[0][0], f"{silent} calls a pointer")
        if memory.is_silent and memory.unannounced:
            raise UnprovableCodeError(memory.unannounced[0].offset, f"{silent} uses memory of others")
        report.argument_bytes = memory.argument_bytes
        for block in blocks.blocks.values():  # where control never comes as well
            for place, flow in zip(block.places, block.flows, strict=True):
                if flow.kind not in {"call", "tail"}:
                    self._take_addresses(place)
        return report

    def _take_addresses(self, place: CodeSite) -> None:
        for at, relocation in place.relocations.items():
            symbol = relocation.symbol
            if symbol.in_section:
                offset = symbol.value + self.machine.taken_address(place, at, relocation)
                self.report.taken.add((symbol.section, offset))
            elif symbol.undefined and symbol.kind != "STT_TLS":
                self.report.foreign.add(symbol.name)

    # --- Blocks.

    def _follow(self, blocks: Blocks) -> None:
        order = blocks.in_flow_order()
        position = {begin: number for number, begin in enumerate(order)}
        leaving: dict[tuple[int, int], State] = {}
        entering: dict[int, State] = {}
        for begin in order:
            block = blocks.blocks[begin]
            known = [leaving.pop((one, begin)) for one in dict.fromkeys(block.before) if (one, begin) in leaving]
            if begin == blocks.first:
                known.append(self.machine.begin())
            is_loop = any(position[one] >= position[begin] for one in block.before if one in position)
            state = self._met(block, known, is_loop=is_loop)
            entering[begin] = state.copy() if is_loop else state
            self._run(state, block, blocks.end)
            for target, condition, jumps in block.followers:
                after = state.copy()
                if condition:
                    _narrow(after, self.memory.atoms, condition, jumps=jumps)
                if target in entering:  # a way back
                    self._hold_together(block, after, entering[target])
                    continue
                way = begin, target
                leaving[way] = leaving[way].met(after) if way in leaving else after

    def _met(self, block: Block, known: list[State], *, is_loop: bool) -> State:
        state = known[0]
        for other in known[1:]:
            self._hold_together(block, other, state)
            state = state.met(other)
        return State({name: state.registers[name] for name in self.pointers}) if is_loop else state

    def _hold_together(self, block: Block, one: State, other: State) -> None:
        if any(one.registers[name] != other.registers[name] for name in self.pointers):
            raise UnprovableCodeError(block.places[0].offset, "a stack that differs from path to path")

    # --- Instructions.

    def _run(self, state: State, block: Block, end: int) -> None:
        if block.is_probe:
            self.machine.probe(state, block.places[0].offset, [place.instruction for place in block.places])
            return
        for place, flow in zip(block.places, block.flows, strict=True):
            if flow.kind == "call":
                self._call(state, place, flow)
            elif flow.kind == "pointer call":
                self._call_pointer(state, place)
            elif flow.kind == "tail":
                self._jump_on(state, place, flow)
            elif flow.kind == "return":
                if not self.machine.has_returned(state):
                    raise UnprovableCodeError(place.offset, "a return with another stack than it began with")
            elif flow.kind not in {"jump", "branch", "stop"}:
                self.machine.execute(state, place)
        if any(target >= end for target, _, _ in block.followers):
            self.memory.unannounced.append(Unannounced(block.places[-1].offset, "end"))

    def _call(self, state: State, place: CodeSite, flow: Flow) -> None:
        if not self.machine.has_frame(state):
            raise UnprovableCodeError(place.offset, "a call before the frame was made")
        symbol, behind = self._destination(place, flow)
        if symbol is None:
            raise UnprovableCodeError(place.offset, "a call through a pointer")
        if symbol.in_section:
            self._call_to(state, place, symbol.section, symbol.value + behind)
        elif symbol.undefined and behind == 0:
            self._call_kit(state, symbol)
        else:
            raise UnprovableCodeError(place.offset, "a call into the middle of a function")
        self.machine.called(state)

    def _destination(self, place: CodeSite, flow: Flow) -> tuple[Symbol | None, int]:
        """The symbol that a call or a jump names, and how many bytes behind it control goes; None: it names none."""
        relocations = list(place.relocations.values())
        if not relocations and flow.target is not None:  # in its own section, where the assembler knows it
            return self.function, place.offset + flow.target - self.function.value
        if len(relocations) == 1 and relocations[0].kind in self.machine.call_relocations:
            return relocations[0].symbol, relocations[0].addend - self.machine.call_addend
        return None, 0

    def _jump_on(self, state: State, place: CodeSite, flow: Flow) -> None:
        """To the first byte of another function, with the stack as this one was entered. Such is the code that a compiler puts
        between a table of virtual functions and a function of another base class.
        """
        symbol, behind = self._destination(place, flow)
        target = self.code.function_at(symbol.section, symbol.value + behind) if symbol and symbol.in_section else None
        if target is None or not self.machine.has_returned(state) or self.asked_by(target):
            raise UnprovableCodeError(place.offset, "a jump out of the function")
        self.report.calls.append(Call(place.offset, target, 0))

    def _call_pointer(self, state: State, place: CodeSite) -> None:
        """What is called was checked just before, to be one of the functions whose addresses the program takes; all of these are
        proved.
        """
        bottom = self.memory.frame_offset(state.registers[self.machine.stack_pointer])
        if not self.machine.has_frame(state) or bottom is None:
            raise UnprovableCodeError(place.offset, "a call before the frame was made")
        target = self.machine.called_address(state, place)
        if target is None or not state.is_announced("call", target, 1):
            self.memory.unannounced.append(Unannounced(place.offset, "call"))
        self.report.pointer_calls.append((place.offset, self.memory.link[0] - bottom))
        state.words.clear()
        state.announced.clear()
        state.called(frozenset(self.pointers))
        self.machine.called(state)

    def _call_to(self, state: State, place: CodeSite, section: int, offset: int) -> None:
        target = self.code.function_at(section, offset)
        bottom = self.memory.frame_offset(state.registers[self.machine.stack_pointer])
        if target is None or bottom is None:
            raise UnprovableCodeError(place.offset, "a call into the middle of a function")
        self.report.calls.append(Call(place.offset, target, self.memory.link[0] - bottom))
        known = self.memory.answer_for(state, place.offset, self.asked_by(target))
        if not (known and is_silent(self.code, target, self.machine.call_relocations)):
            state.words.clear()
        state.announced.clear()
        state.called(frozenset(self.pointers))

    def _call_kit(self, state: State, symbol: Symbol) -> None:
        call = kit_call(symbol.name)
        first, second, third = (self.machine.register(state, name) for name in self.machine.arguments)
        if not (call.announces or symbol.name.startswith("__ubsan_")):
            state.announced.clear()
        if call.announces:
            state.announce(call.announces, first, call.size or (second if second[1] else second[0]))
        elif call.copies:
            self.memory.changed(state, first, third)
        elif not call.leaves_frame:
            state.words.clear()
        if not call.leaves_registers:
            state.called(self.machine.preserved)


def _narrow(state: State, atoms: Atoms, condition: str, *, jumps: bool) -> None:
    """Adds what the last comparison tells of a checked index, on one of the ways out of a branch."""
    flags = state.flags
    if condition not in {"be", "b", "a", "ae"} or not isinstance(flags, tuple) or flags[0] != "cmp" or flags[3][1]:
        return
    _, bits, one, (number, _) = flags
    highest = number - 1 if condition in {"b", "ae"} else number
    if (condition in {"be", "b"}) != jumps or highest < 0 or signed(number, bits) < 0:
        return
    values: list[Value] = [one]
    if bits == HALF:
        half = atoms.lower(one)
        values = [atoms.widened(half), atoms.widened(half, keeps_sign=True)]
    for value in values:
        if len(value[1]) == 1 and value[1][0][1] == 1:
            shift = signed(value[0])
            state.learn(value[1][0][0], (-shift, highest - shift))
