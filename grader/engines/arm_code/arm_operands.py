"""What a 64-bit ARM instruction's operands hold, and what is assigned to them. The stack pointer stays where constants lead it."""

from __future__ import annotations

from grader.engines.arm_code.arm_decoding import Decoded, Number, Register
from grader.engines.machine_model.code_object import Relocation
from grader.engines.machine_model.machine_state import State
from grader.engines.machine_model.memory_rules import FunctionMemory
from grader.engines.machine_model.processor import Place
from grader.engines.machine_model.refusals import UnprovableCodeError
from grader.engines.machine_model.values import HALF, WORD, Bounds, Value, constant, minus, times

STACK_POINTER, FRAME_POINTER, LINK_REGISTER = "sp", "x29", "x30"
LARGEST_STEP = 4096  # of the stack pointer, that no probe follows
HALF_BOUNDS: Bounds = (0, (1 << HALF) - 1)
EXTENSIONS = {
    "sxtw": ("signed", 32), "uxtw": ("unsigned", 32), "sxth": ("signed", 16), "uxth": ("unsigned", 16), "sxtb": ("signed", 8),
    "uxtb": ("unsigned", 8),
}  # fmt: skip
_LONGEST_SUM = 16  # terms; a longer one becomes an unknown of its own


class Operands:
    """Of one function's instructions."""

    def __init__(self, memory: FunctionMemory) -> None:
        self.memory, self.atoms = memory, memory.atoms
        memory.stack_pointer = STACK_POINTER
        memory.given = {name: self.atoms.named(("given in", name)) for name in ("x0", "x8")}
        self.thread = self.atoms.named("the thread pointer")
        self.caller = self.atoms.named("the caller's frame")
        self.back = self.atoms.named("the return address")

    def stack_offset(self, state: State) -> int | None:
        return self.memory.frame_offset(state.registers[STACK_POINTER])

    def register(self, state: State, name: str) -> Value:
        if name == "zero":
            return constant(0)
        value = state.registers.get(name)
        if value is None:
            value = state.registers[name] = self.atoms.fresh()
        return value

    def value(self, state: State, operand: object) -> Value | None:
        if isinstance(operand, Number):
            return constant(operand.value)
        if not isinstance(operand, Register) or operand.bits == 0:
            return None
        value = self.register(state, operand.name)
        if operand.extend in EXTENSIONS:
            how, bits = EXTENSIONS[operand.extend]
            value = self.extended(value, how, bits)
        elif operand.bits == HALF:
            value = self.atoms.unsigned(self.atoms.lower(value))
        if operand.by or operand.shift:
            if operand.shift not in {"lsl", ""}:
                return self.atoms.named((operand.shift, operand.bits, value, operand.by))
            value = times(value, 1 << operand.by)
        return value

    def extended(self, value: Value, how: str, bits: int) -> Value:
        half = self.atoms.lower(value)
        if bits == HALF:
            return self.atoms.signed(half) if how == "signed" else self.atoms.unsigned(half)
        top = 1 << bits
        return self.atoms.named((how, bits, half), (-top // 2, top // 2 - 1) if how == "signed" else (0, top - 1))

    def set(self, state: State, place: Place[Decoded], operand: object, value: Value | None) -> None:
        if not isinstance(operand, Register) or operand.bits == 0 or operand.name == "zero":
            return
        if value is not None and len(value[1]) > _LONGEST_SUM:
            value = self.atoms.named(("sum", value))
        if operand.name == STACK_POINTER:
            self.move_stack(state, place, value if operand.bits == WORD else None)
        elif operand.name == FRAME_POINTER:
            self.make_frame(state, place, value if operand.bits == WORD else None)
        elif value is None:
            state.registers[operand.name] = self.atoms.fresh(HALF_BOUNDS if operand.bits == HALF else None)
        elif operand.bits == HALF:
            state.registers[operand.name] = self.atoms.unsigned(self.atoms.lower(value))
        else:
            state.registers[operand.name] = value

    def move_stack(self, state: State, place: Place[Decoded], value: Value | None) -> None:
        offset = None if value is None else self.memory.frame_offset(value)
        if value is None or offset is None:
            raise UnprovableCodeError(place.offset, "a stack frame whose size or alignment is known only when it runs")
        before = self.stack_offset(state)
        if before is None or offset < before - LARGEST_STEP or offset > 0:
            raise UnprovableCodeError(place.offset, "a stack that moves in a way no compiler moves it")
        state.registers[STACK_POINTER] = value
        if offset > before:
            state.dropped(offset)

    def make_frame(self, state: State, place: Place[Decoded], value: Value | None) -> None:
        """Where the two words are that were stored for it."""
        offset = None if value is None else self.memory.frame_offset(value)
        bytes_of = WORD // 8
        if (
            value is None
            or offset is None
            or state.words.get(offset) != (bytes_of, self.caller)
            or state.words.get(offset + bytes_of) != (bytes_of, self.back)
            or self.memory.link not in {(0, 0), (offset, offset + 2 * bytes_of)}
        ):
            raise UnprovableCodeError(place.offset, "a frame without a link to its caller's")
        self.memory.link = offset, offset + 2 * bytes_of
        state.registers[FRAME_POINTER] = value

    def in_page(self, relocation: Relocation) -> Value:
        """What is to be added to the page's address, which cancels out."""
        if relocation.symbol.kind == "STT_TLS":
            return self.atoms.fresh()
        return minus(self.memory.address_of(relocation.symbol, relocation.addend), self.part("page", relocation))

    def part(self, what: str, relocation: Relocation) -> Value:
        symbol = relocation.symbol
        return self.atoms.named((what, symbol.section, symbol.name, symbol.value, relocation.addend))
