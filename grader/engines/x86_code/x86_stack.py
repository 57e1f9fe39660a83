"""x86-64 instructions that push, pop and leave a frame, and those that repeat."""

from __future__ import annotations

from grader.engines.machine_model.machine_state import State
from grader.engines.machine_model.memory_rules import Spot
from grader.engines.machine_model.processor import Place
from grader.engines.machine_model.refusals import UnprovableCodeError
from grader.engines.machine_model.values import WORD, constant, plus, times
from grader.engines.x86_code.x86_arithmetic import write as read_and_write
from grader.engines.x86_code.x86_decoding import Decoded, Memory, Register
from grader.engines.x86_code.x86_names import COUNTED
from grader.engines.x86_code.x86_operands import FRAME_POINTER, LINK, STACK_POINTER, Operands, at_offset, bits_of


def push(machine: Operands, state: State, place: Place[Decoded]) -> None:
    operand = place.instruction.operands[0]
    if (isinstance(operand, Register | Memory) and bits_of(place) != WORD) or place.instruction.prefixes[2]:
        raise UnprovableCodeError(place.offset, "a push of less than eight bytes")
    value = machine.value(state, place, 0)
    lower = plus(state.registers[STACK_POINTER], constant(-8))
    machine.move_stack(state, place, STACK_POINTER, lower)
    offset = machine.memory.frame_offset(lower)
    assert offset is not None
    if offset >= LINK[0] and not (offset == LINK[0] and value == machine.caller):
        raise UnprovableCodeError(place.offset, "a push onto the link between two frames")
    state.stored(offset, 8, value)


def pop(machine: Operands, state: State, place: Place[Decoded]) -> None:
    operand = place.instruction.operands[0]
    offset = machine.stack_offset(state)
    if not isinstance(operand, Register) or operand.bits != WORD or offset is None or offset >= 0:
        raise UnprovableCodeError(place.offset, "a pop of a kind no compiler makes")
    known = state.words.get(offset)
    value = known[1] if known is not None and known[0] == WORD // 8 else machine.atoms.fresh()
    machine.move_stack(state, place, STACK_POINTER, at_offset(machine.memory, offset + 8))
    if operand.name == FRAME_POINTER:
        restored_frame(machine, state, place, offset)
    elif operand.name == STACK_POINTER:
        raise UnprovableCodeError(place.offset, "a pop of the stack pointer")
    else:
        state.registers[operand.name] = value


def leave(machine: Operands, state: State, place: Place[Decoded]) -> None:
    if machine.memory.frame_offset(state.registers[FRAME_POINTER]) != LINK[0]:
        raise UnprovableCodeError(place.offset, "a frame that is left before it was made")
    machine.move_stack(state, place, STACK_POINTER, at_offset(machine.memory, 0))
    restored_frame(machine, state, place, LINK[0])


def restored_frame(machine: Operands, state: State, place: Place[Decoded], offset: int) -> None:
    """The link holds what was pushed there: no store may reach it."""
    if offset != LINK[0]:
        raise UnprovableCodeError(place.offset, "a frame pointer from somewhere else")
    state.registers[FRAME_POINTER] = machine.caller


def move_string_or_scalar(machine: Operands, state: State, place: Place[Decoded]) -> None:
    operands = place.instruction.operands
    if isinstance(operands[0], Memory) and isinstance(operands[1], Memory):
        repeated(machine, state, place)
    else:
        read_and_write(machine, state, place)


def repeated(machine: Operands, state: State, place: Place[Decoded]) -> None:
    """`rep stos`, `rep movs` and what they are without `rep`; the direction is always up, as nothing here turns it."""
    again, _, name = place.instruction.name.rpartition(" ")
    width = COUNTED[name]
    if any(isinstance(one, Memory) and one.segment not in {"", "es", "ds"} for one in place.instruction.operands):
        raise UnprovableCodeError(place.offset, "a repeated instruction in a segment")
    count = machine.register(state, "rcx") if again else constant(1)
    size = times(count, width)
    target = machine.register(state, "rdi")
    if name.startswith("movs"):
        source = machine.register(state, "rsi")
        machine.memory.touch(state, Spot(place.offset, 1), "read", source, size)
        state.registers["rsi"] = plus(source, size)
    machine.memory.touch(state, Spot(place.offset, 0), "write", target, size)
    state.registers["rdi"] = plus(target, size)
    if again:
        state.registers["rcx"] = constant(0)
