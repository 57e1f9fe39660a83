"""What an x86-64 instruction's operands hold and where they lie; what is assigned to them. The stack pointer stays where constants
lead it.
"""

from __future__ import annotations

from grader.engines.machine_model.code_object import Relocation
from grader.engines.machine_model.machine_state import State
from grader.engines.machine_model.memory_rules import FunctionMemory, Spot
from grader.engines.machine_model.processor import Place
from grader.engines.machine_model.refusals import UnprovableCodeError
from grader.engines.machine_model.values import ALL, HALF, WORD, Value, constant, plus, times
from grader.engines.x86_code.x86_decoding import Decoded, Immediate, Memory, Register

STACK_POINTER, FRAME_POINTER = "rsp", "rbp"
LINK = (-8, 8)  # the caller's frame pointer and the return address, from the stack pointer at the function's begin
LARGEST_STEP = 4096  # of the stack pointer, that no probe follows
_RED_ZONE = 128  # bytes below the stack pointer that are a leaf's own
# Relocations: R_X86_64_…
_ABSOLUTE = frozenset({1, 10, 11})  # 64, 32, 32S
RELATIVE = frozenset({2, 4})  # PC32, PLT32
_THREAD, THREAD_SLOT = 23, 22  # TPOFF32, GOTTPOFF


class Operands:
    """Of one function's instructions."""

    def __init__(self, memory: FunctionMemory) -> None:
        self.memory, self.atoms = memory, memory.atoms
        memory.stack_pointer, memory.link, memory.top, memory.red_zone = STACK_POINTER, LINK, LINK[1], _RED_ZONE
        memory.given = {"rdi": self.atoms.named("the first argument")}
        self.thread = self.atoms.named("the thread pointer")
        self.caller = self.atoms.named("the caller's frame")

    def stack_offset(self, state: State) -> int | None:
        return self.memory.frame_offset(state.registers[STACK_POINTER])

    def register(self, state: State, name: str) -> Value:
        value = state.registers.get(name)
        if value is None:
            value = state.registers[name] = self.atoms.fresh()
        return value

    def address(self, state: State, place: Place[Decoded], memory: Memory) -> Value:
        """Raises UnprovableCodeError for addresses of kinds that no compiler makes here."""
        relocation = self.relocation(place, place.instruction.displacement_at)
        value = constant(memory.displacement)
        if relocation is not None:
            value = self.relocated(place, relocation, memory)
        elif memory.base == "rip":
            raise UnprovableCodeError(place.offset, "an address relative to the code")
        if memory.segment == "fs":
            value = plus(value, self.thread)
        elif memory.segment:
            raise UnprovableCodeError(place.offset, f"the segment {memory.segment}")
        if memory.base and memory.base != "rip":
            value = plus(value, self.register(state, _whole(place, memory.base)))
        if memory.index:
            value = plus(value, times(self.register(state, _whole(place, memory.index)), memory.scale))
        return value

    def relocation(self, place: Place[Decoded], at: int) -> Relocation | None:
        return place.relocations.get(at) if at else None

    def relocated(self, place: Place[Decoded], relocation: Relocation, memory: Memory) -> Value:
        kind, relative = relocation.kind, memory.base == "rip"
        if relative and kind in RELATIVE:
            behind = place.instruction.length - place.instruction.displacement_at  # the processor counts from there
            return self.memory.address_of(relocation.symbol, relocation.addend + behind)
        is_thread = relocation.symbol.kind == "STT_TLS"
        if not relative and (kind == _THREAD if is_thread else kind in _ABSOLUTE):
            return self.memory.address_of(relocation.symbol, relocation.addend)
        raise UnprovableCodeError(place.offset, f"a relocation of kind {kind}")

    def value(self, state: State, place: Place[Decoded], position: int) -> Value | None:
        """Of an operand that is read, 64 bits of it or the lower ones with zeros before them; None: nobody knows."""
        operand = place.instruction.operands[position]
        if isinstance(operand, Register):
            if operand.bits == WORD:
                return self.register(state, operand.name)
            if operand.bits == HALF:
                return self.atoms.unsigned(self.atoms.lower(self.register(state, operand.name)))
            if operand.bits == 0 or operand.high:
                return None
            whole = self.atoms.lower(self.register(state, operand.name))
            return self.atoms.named(("low", operand.bits, whole), (0, (1 << operand.bits) - 1))
        if isinstance(operand, Immediate):
            return self._number(place, operand)
        return self.read(state, place, position)

    def _number(self, place: Place[Decoded], operand: Immediate) -> Value:
        relocation = self.relocation(place, place.instruction.immediate_at)
        if relocation is None:
            return constant(operand.number)
        is_thread = relocation.symbol.kind == "STT_TLS"
        if relocation.kind not in ({_THREAD} if is_thread else _ABSOLUTE):
            raise UnprovableCodeError(place.offset, f"a relocation of kind {relocation.kind}")
        return self.memory.address_of(relocation.symbol, relocation.addend)

    def read(self, state: State, place: Place[Decoded], position: int) -> Value | None:
        operand = place.instruction.operands[position]
        if not isinstance(operand, Memory):
            return None
        if operand.segment == "fs" and not operand.base and not operand.index and not place.relocations:
            if operand.displacement or operand.size not in {HALF // 8, WORD // 8}:
                raise UnprovableCodeError(place.offset, "the thread's control block")
            return self.thread if operand.size == WORD // 8 else self.atoms.unsigned(self.atoms.lower(self.thread))
        relocation = self.relocation(place, place.instruction.displacement_at)
        if relocation is not None and relocation.kind == THREAD_SLOT and operand.base == "rip" and not operand.index:
            if relocation.addend + place.instruction.length != place.instruction.displacement_at:
                raise UnprovableCodeError(place.offset, "the linker's table, used in a strange way")
            return self.memory.address_of(relocation.symbol, 0)  # which is what the linker writes there
        return self.memory.load(state, Spot(place.offset, position), self.address(state, place, operand), operand.size)

    def assign(self, state: State, place: Place[Decoded], value: Value | None) -> None:
        """To the first operand."""
        operand = place.instruction.operands[0]
        if isinstance(operand, Memory):
            if value is not None and operand.size != WORD // 8:
                value = self.atoms.unsigned(self.atoms.lower(value)) if operand.size == HALF // 8 else None
            self.memory.store(state, Spot(place.offset, 0), self.address(state, place, operand), operand.size, value)
        elif isinstance(operand, Register):
            self.set(state, place, operand, value)
        else:
            raise UnprovableCodeError(place.offset, "an instruction that assigns to a number")

    def set(self, state: State, place: Place[Decoded], register: Register, value: Value | None) -> None:
        name, bits = register.name, register.bits
        if bits == 0:
            return
        if name in {STACK_POINTER, FRAME_POINTER}:
            self.move_stack(state, place, name, value if bits == WORD else None)
        elif value is None or bits not in {HALF, WORD}:
            state.registers[name] = self.atoms.fresh((0, (1 << HALF) - 1) if bits == HALF else None)
        else:
            state.registers[name] = value if bits == WORD else self.atoms.unsigned(self.atoms.lower(value))

    def move_stack(self, state: State, place: Place[Decoded], name: str, value: Value | None) -> None:
        """Both pointers stay where constants lead them, and the stack grows by no more than a probe finds."""
        offset = None if value is None else self.memory.frame_offset(value)
        if value is None or offset is None:
            raise UnprovableCodeError(place.offset, "a stack frame whose size or alignment is known only when it runs")
        if name == STACK_POINTER:
            before = self.stack_offset(state)
            if before is None or offset < before - LARGEST_STEP or offset > 0:
                raise UnprovableCodeError(place.offset, "a stack that moves in a way no compiler moves it")
            state.registers[name] = value
            if offset > before:
                state.dropped(offset)
        elif offset == LINK[0] and state.words.get(LINK[0]) == (WORD // 8, self.caller):
            state.registers[name] = value
        else:
            raise UnprovableCodeError(place.offset, "a frame without a link to its caller's")


def bits_of(place: Place[Decoded]) -> int:
    """Of the first operand."""
    operand = place.instruction.operands[0]
    return operand.bits if isinstance(operand, Register) else operand.size * 8


def at_offset(memory: FunctionMemory, offset: int) -> Value:
    return offset & ALL, memory.entry


def _whole(place: Place[Decoded], name: str) -> str:
    if not (name.startswith("r") and (name[1:].isalpha() or name[1:].isdigit())):
        raise UnprovableCodeError(place.offset, "an address of 32 bits")
    return name
