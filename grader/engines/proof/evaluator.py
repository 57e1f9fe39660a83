"""What instructions do to registers and flags, the same for every processor. A result is known where it is a sum, and else named by what
it was made of. The stack pointer stays where constants lead it.

A processor is a subclass: its registers, where control goes, its table of effects, and what no other processor has. An instruction that is
in no table is refused: the tables are the border of what the proof understands.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import capstone

from grader.engines.objects.symbol_table import Relocation
from grader.engines.proof.machine_state import (
    ALL,
    HALF,
    HALF_BOUNDS,
    WORD,
    Bounds,
    State,
    UnprovableCodeError,
    Value,
    constant,
    minus,
    plus,
    times,
)
from grader.engines.proof.memory_rules import FunctionMemory, Unannounced

# A processor's instructions as the proof reads them, decoded by Capstone: one shape for every processor.


@dataclass(frozen=True, slots=True)
class Register:
    name: str  # the whole register's: "rax" for al, "x0" for w0; "zero"
    bits: int  # 0: of a vector, a mask, the floating-point stack
    extend: str = ""  # how it is made longer before it is used; "high": ah, bh, ch, dh
    shift: str = ""
    by: int = 0


@dataclass(frozen=True, slots=True)
class Number:
    value: int


@dataclass(frozen=True, slots=True)
class Memory:
    base: str  # "": none; "rip"
    index: Register | None
    displacement: int
    size: int  # bytes, of a pair together
    segment: str = ""  # "", "fs"
    writes_back: str = ""  # "": the base stays; "before", "behind": it moves before or behind the access
    moves_by: int = 0


@dataclass(frozen=True, slots=True)
class Other:
    """A system register, a vector's immediate: nothing that this proof looks at."""


Operand = Register | Number | Memory | Other
Raw = Any  # an operand of Capstone's, which has no type annotations


@dataclass(frozen=True, slots=True)
class Decoded:
    name: str  # the mnemonic, with its prefix: "rep stosq"
    length: int
    operands: tuple[Operand, ...]
    text: str  # of the operands, as Capstone writes them
    condition: str = ""  # of a branch or a choice
    displacement_at: int = 0  # where in the instruction these stand; 0: nowhere
    immediate_at: int = 0
    prefixes: bytes = b""


class Decoder:
    """Of one processor. Most instructions of a file are like others: each is decoded once."""

    def __init__(self, architecture: int, mode: int, read: Callable[[capstone.CsInsn], Decoded]) -> None:
        self._lengths, self._details = capstone.Cs(architecture, mode), capstone.Cs(architecture, mode)
        self._details.detail = True
        self._read = read
        self._known: dict[bytes, Decoded] = {}

    def decode(self, code: bytes) -> list[tuple[int, Decoded]]:
        """Each instruction with its offset, as if it stood at 0, up to the first bytes that are none: the caller sees where that ends."""
        found: list[tuple[int, Decoded]] = []
        for at, length, _, _ in self._lengths.disasm_lite(code, 0):
            raw = code[at : at + length]
            decoded = self._known.get(raw)
            if decoded is None:
                decoded = self._known[raw] = self._read(next(self._details.disasm(raw, 0)))
            found.append((at, decoded))
        return found


# A tail is a jump to another function, which returns to this one's caller; a pointer call one of what a register or a word of memory holds.
FlowKind = Literal["", "call", "pointer call", "jump", "tail", "branch", "return", "stop"]


@dataclass(frozen=True, slots=True)
class Flow:
    """Where control goes behind an instruction; `kind` "": to the next one."""

    kind: FlowKind = ""
    condition: str = ""  # of a branch: "be", "b", "a" and "ae" compare without signs; the others are not looked at
    target: int | None = None  # of a jump or a branch, from the instruction's own first byte; None: nobody knows


@dataclass(frozen=True, slots=True)
class CodeSite:
    """Where an instruction stands, and what the linker will put into it."""

    offset: int
    instruction: Decoded
    relocations: Mapping[int, Relocation]  # by offset in the instruction

    def relocation_at(self, at: int) -> Relocation | None:
        return self.relocations.get(at) if at else None

    @property
    def bits(self) -> int:
        """Of the first operand."""
        first = self.instruction.operands[0]
        if isinstance(first, Memory):
            return first.size * 8
        return first.bits or 64 if isinstance(first, Register) else 64


LARGEST_STEP = 4096  # of the stack pointer, that no probe follows
_LONGEST_SUM = 16  # terms; a longer one becomes an unknown of its own


@dataclass(frozen=True, slots=True)
class Effect:
    """An instruction that reads its last operands and writes its first. `operation`: "compare" writes none, and one that the evaluator
    has no rule for names its result. `flags`: "kept", "lost", or "set": they follow from what is read.
    """

    operation: str
    sources: int
    flags: str


def effects(table: str) -> dict[str, Effect]:
    """Rows of four words: the instruction, then as an Effect."""
    words = table.split()
    rows = zip(words[::4], words[1::4], words[2::4], words[3::4], strict=True)
    return {name: Effect(operation, int(sources), flags) for name, operation, sources, flags in rows}


_SUMS: dict[str, Callable[[Value, Value], Value]] = {
    "copy": lambda one, _: one,
    "add": plus,
    "subtract": minus,
    "increment": lambda one, _: plus(one, constant(1)),
    "decrement": lambda one, _: plus(one, constant(-1)),
    "negate": lambda one, _: times(one, ALL),
    "invert": lambda one, _: plus(times(one, ALL), constant(-1)),
}


class Processor:
    """One function's instructions, one after the other. What it cannot follow raises UnprovableCodeError."""

    stack_pointer: str
    frame_pointer: str
    link_register = ""  # "": the return address is on the stack
    arguments: tuple[str, str, str]
    result: str  # in which a function is told where to make a result that fits into no register
    preserved: frozenset[str]  # registers that the kit's functions leave as they are
    call_relocations: frozenset[int]
    call_addend: int  # of a relocation that names the first byte of what is called
    stop: str  # assembly for control that runs out of a function
    decoder: Decoder
    effects: dict[str, Effect]
    # By name: whether the sign is kept, and how many bits; 0: as many as the operand has.
    extensions: dict[str, tuple[bool, int]]
    # A block that moves the stack by a page and touches it, but for the jump back at its end.
    probe_text: re.Pattern[str]

    def __init__(self, memory: FunctionMemory) -> None:
        self.memory, self.atoms = memory, memory.atoms
        memory.stack_pointer = self.stack_pointer
        self.thread = self.atoms.named("the thread pointer")
        self.caller = self.atoms.named("the caller's frame")
        self.back = self.atoms.named("the return address")

    # --- What differs.

    def flow(self, instruction: Decoded) -> Flow:
        raise NotImplementedError

    def execute(self, state: State, place: CodeSite) -> None:
        """Everything but calls, jumps and returns."""
        raise NotImplementedError

    def make_frame(self, state: State, place: CodeSite, value: Value | None) -> None:
        """Assigns to the frame pointer."""
        raise NotImplementedError

    def called_address(self, state: State, place: CodeSite) -> Value | None:
        """What a call through a pointer goes to. None: it is read from memory, so that nobody can have checked it before."""
        raise NotImplementedError

    @staticmethod
    def call_before(missing: Unannounced, instruction: Decoded, line: str) -> list[str]:
        """Lines of assembly before an access that nothing announced. Registers and flags are as they were: the called function sees to
        all that is not restored here. Raises StrangeAssemblyError.
        """
        raise NotImplementedError

    @staticmethod
    def in_place_of(_instruction: Decoded, line: str) -> str:
        """The line of a call through a pointer, behind its check; of a step of the stack, behind its probes."""
        return line

    def read(self, _state: State, place: CodeSite, _position: int) -> Value | None:
        """Of an operand in memory; None: nobody knows, or it is no such operand."""
        raise UnprovableCodeError(place.offset, f"the instruction `{place.instruction.name}`")

    def number(self, _place: CodeSite, operand: Number) -> Value:
        return constant(operand.value)

    def taken_address(self, _place: CodeSite, _at: int, relocation: Relocation) -> int:
        """Behind which byte of its symbol's section the address lies that the linker puts into the instruction at `_at`."""
        return relocation.addend

    # --- Registers.

    def begin(self) -> State:
        registers = {self.stack_pointer: (0, self.memory.entry), self.frame_pointer: self.caller, **self.memory.given}
        return State(registers | ({self.link_register: self.back} if self.link_register else {}))

    def stack_offset(self, state: State) -> int | None:
        return self.memory.frame_offset(state.registers[self.stack_pointer])

    def register(self, state: State, name: str) -> Value:
        if name == "zero":
            return constant(0)
        value = state.registers.get(name)
        if value is None:
            value = state.registers[name] = self.atoms.fresh()
        return value

    def of_register(self, state: State, register: Register) -> Value | None:
        """64 bits of it or the lower ones with zeros before them; None: nobody knows."""
        if register.bits == 0 or register.extend == "high":
            return None
        value = self.register(state, register.name)
        if register.extend in self.extensions:
            value = self.extended(value, *self.extensions[register.extend])
        elif register.bits < WORD:
            value = self.extended(value, False, register.bits)
        if register.shift not in {"lsl", ""}:
            return self.atoms.named((register.shift, register.bits, value, register.by))
        return times(value, 1 << register.by) if register.by else value

    def value(self, state: State, place: CodeSite, position: int) -> Value | None:
        """Of an operand that is read."""
        operand = place.instruction.operands[position]
        if isinstance(operand, Register):
            return self.of_register(state, operand)
        if isinstance(operand, Number):
            return self.number(place, operand)
        return self.read(state, place, position) if isinstance(operand, Memory) else None

    def extended(self, value: Value | None, signed: bool, bits: int) -> Value:
        top = 1 << bits
        bounds = (-top // 2, top // 2 - 1) if signed else (0, top - 1)
        if value is None:
            return self.atoms.fresh(bounds)
        half = self.atoms.lower(value)
        if bits == HALF:
            return self.atoms.widened(half, keeps_sign=signed)
        return self.atoms.named(("signed" if signed else "unsigned", bits, half), bounds)

    def assign(self, state: State, place: CodeSite, value: Value | None) -> None:
        """To the first operand."""
        if value is not None and len(value[1]) > _LONGEST_SUM:
            value = self.atoms.named(("sum", value))
        self.put(state, place, place.instruction.operands[0], value)

    def put(self, state: State, place: CodeSite, operand: Operand, value: Value | None) -> None:
        if not isinstance(operand, Register):
            raise UnprovableCodeError(place.offset, "an instruction that assigns to no register")
        name, bits = operand.name, operand.bits
        if bits == 0 or name == "zero":
            return
        if name == self.stack_pointer:
            self.move_stack(state, place, value if bits == WORD else None)
        elif name == self.frame_pointer:
            self.make_frame(state, place, value if bits == WORD else None)
        elif value is None or bits not in {HALF, WORD}:
            state.registers[name] = self.atoms.fresh(HALF_BOUNDS if bits == HALF else None)
        else:
            state.registers[name] = value if bits == WORD else self.atoms.widened(self.atoms.lower(value))

    # --- The stack.

    def move_stack(self, state: State, place: CodeSite, value: Value | None) -> None:
        """It grows by no more than a probe finds, or probes are put before."""
        offset, before = self.constant_offset(place, value), self.stack_offset(state)
        if before is None or offset > 0 or (offset < before - LARGEST_STEP and not self.takes_probes(place)):
            raise UnprovableCodeError(place.offset, "a stack that moves in a way no compiler moves it")
        if offset < before - LARGEST_STEP:
            self.memory.unannounced.append(Unannounced(place.offset, "stack"))
        state.registers[self.stack_pointer] = offset & ALL, self.memory.entry
        if offset > before:
            state.dropped(offset)

    def takes_probes(self, _place: CodeSite) -> bool:
        """Whether this is how a compiler makes room for large arguments, which it does without probes."""
        return False

    def constant_offset(self, place: CodeSite, value: Value | None) -> int:
        offset = None if value is None else self.memory.frame_offset(value)
        if offset is None:
            raise UnprovableCodeError(place.offset, "a stack frame whose size or alignment is known only when it runs")
        return offset

    def is_probe(self, instructions: Sequence[Decoded]) -> bool:
        """Whether this block, which jumps back to itself, touches each page of a large frame and does nothing else."""
        text = "; ".join(f"{one.name} {one.text}" for one in instructions[:-1])
        return self.probe_text.fullmatch(text) is not None and instructions[-1].condition == "ne"

    def probe(self, state: State, at: int, instructions: Sequence[Decoded]) -> None:
        """The stack pointer goes down a page at a time until it meets the limit."""
        last = instructions[-2].operands[1]
        limit = state.registers.get(last.name) if isinstance(last, Register) else None
        offset = self.memory.frame_offset(limit) if limit is not None else None
        before = self.stack_offset(state)
        if limit is None or offset is None or before is None or offset >= before or (before - offset) % LARGEST_STEP:
            raise UnprovableCodeError(at, "a loop that moves the stack")
        state.registers[self.stack_pointer] = limit
        state.flags = None

    def has_frame(self, state: State) -> bool:
        """Whether the frame pointer leads to the two words that lead to the caller's frame, so that others may be called."""
        begin, end = self.memory.link
        return begin < end and self.memory.frame_offset(state.registers[self.frame_pointer]) == begin

    def called(self, state: State) -> None:
        """What the call itself changes."""
        if self.link_register:
            state.registers[self.link_register] = self.atoms.fresh()

    def has_returned(self, state: State) -> bool:
        """Whether the stack and the frame pointer are as they were when the function began, and it returns to its caller."""
        return (
            self.stack_offset(state) == 0
            and state.registers[self.frame_pointer] == self.caller
            and (not self.link_register or self.register(state, self.link_register) == self.back)
        )

    # --- Results.

    def computes(self, state: State, place: CodeSite) -> bool:
        """Does what the table says of the instruction. Whether it says anything."""
        name, operands = place.instruction.name, place.instruction.operands
        if name in self.extensions:
            self._extend(state, place)
            return True
        effect = self.effects.get(name)
        if effect is None:
            return False
        first = max(0, len(operands) - effect.sources)
        values = [self.value(state, place, position) for position in range(first, len(operands))]
        known = [one for one in values if one is not None]
        value = None
        if len(known) == len(values):
            choose = effect.operation == "choose"
            value = self._chosen(state, place, known) if choose else self._result(place, effect.operation, known)
        if effect.flags != "kept":
            state.flags = None
        if effect.flags == "set" and len(known) == len(values):  # the same for the same operation on the same values
            state.flags = name, place.bits, known[0], known[-1]
        if effect.operation != "compare":
            self.assign(state, place, value)
        return True

    def _extend(self, state: State, place: CodeSite) -> None:
        name, last = place.instruction.name, len(place.instruction.operands) - 1
        signed, bits = self.extensions[name]
        source = place.instruction.operands[last]
        if isinstance(source, Memory | Register) and not bits:
            bits = source.size * 8 if isinstance(source, Memory) else source.bits
        if bits not in {8, 16, HALF}:
            raise UnprovableCodeError(place.offset, f"the instruction `{name}` of {bits} bits")
        self.assign(state, place, self.extended(self.value(state, place, last), signed, bits))

    def _result(self, place: CodeSite, operation: str, values: Sequence[Value]) -> Value:
        one, other, bounds = values[0], values[-1], None
        if compute := _SUMS.get(operation):
            return compute(one, other)
        if operation in {"left", "right"}:
            return self._shifted(place, operation, one, other if len(values) > 1 else constant(1))
        if operation == "multiply" and not (one[1] and other[1]):
            return times(other, one[0]) if other[1] else times(one, other[0])
        if operation == "multiply":
            values = sorted((one, other))
        if operation == "xor" and one == other:
            return constant(0)
        if operation == "and" and not other[1]:
            number = other[0] & ((1 << place.bits) - 1)
            bounds = None if number >> (WORD - 1) else (0, number)
        return self.named(place, tuple(values), bounds)

    def _shifted(self, place: CodeSite, operation: str, one: Value, by: Value) -> Value:
        count = by[0] & (WORD - 1 if place.bits == WORD else HALF - 1)
        if operation == "left" and not by[1]:
            return times(one, 1 << count)
        is_known = operation == "right" and not by[1] and 0 < count < place.bits
        return self.named(place, (one, by), (0, (1 << (place.bits - count)) - 1) if is_known else None)

    def _chosen(self, state: State, place: CodeSite, values: list[Value]) -> Value | None:
        if state.flags is None:
            return None
        instruction = place.instruction
        what = (instruction.name, instruction.condition, place.bits, state.flags, tuple(values))
        return self.atoms.named(what, (0, 1) if instruction.name == "cset" else None)

    def named(self, place: CodeSite, values: tuple[Value, ...], bounds: Bounds | None = None) -> Value:
        """The result of an operation that is no sum: half as wide, of the lower halves."""
        if place.bits == HALF:
            values = tuple(self.atoms.lower(value) for value in values)
            bounds = bounds or HALF_BOUNDS
        return self.atoms.named((place.instruction.name, place.bits, values), bounds)
