"""What 64-bit ARM instructions that compute do to registers and flags. A result is known where it is a sum, and else named by what it
was made of.
"""

from __future__ import annotations

import re

from grader.engines.arm_code.arm_decoding import Decoded, Number, Register
from grader.engines.arm_code.arm_operands import EXTENSIONS, HALF_BOUNDS, Operands
from grader.engines.machine_model.machine_state import State
from grader.engines.machine_model.processor import Place
from grader.engines.machine_model.refusals import UnprovableCodeError
from grader.engines.machine_model.values import ALL, HALF, WORD, Bounds, Value, constant, minus, plus, times


def add_or_subtract(machine: Operands, state: State, place: Place[Decoded]) -> None:
    instruction = place.instruction
    target, *rest = instruction.operands
    if len(rest) != 2 or not all_general(instruction):  # noqa: PLR2004 - what is added
        machine.set(state, place, target, None)
        return
    one, other = (machine.value(state, operand) for operand in rest)
    name = instruction.name
    value = None
    if one is not None and other is not None:
        value = plus(one, other) if name.startswith("add") else minus(one, other)
    if name.endswith("s"):
        state.flags = flags(instruction, one, other)
    machine.set(state, place, target, value)


def compare(machine: Operands, state: State, place: Place[Decoded]) -> None:
    instruction = place.instruction
    one, other = (machine.value(state, operand) for operand in instruction.operands[:2])
    state.flags = flags(instruction, one, other)


def flags(instruction: Decoded, one: Value | None, other: Value | None) -> tuple[str, int, Value, Value] | None:
    """What they follow from: the same for the same operation on the same values."""
    if one is None or other is None:
        return None
    return instruction.name, bits_of(instruction), one, other


def move(machine: Operands, state: State, place: Place[Decoded]) -> None:
    instruction = place.instruction
    machine.set(state, place, instruction.operands[0], machine.value(state, instruction.operands[1]))


def move_part(machine: Operands, state: State, place: Place[Decoded]) -> None:
    """`movk`: sixteen bits among known ones."""
    instruction = place.instruction
    target, part = instruction.operands
    before = machine.value(state, target)
    words = re.fullmatch(r"\w+, #(\w+)(?:, lsl #(\w+))?", instruction.text)
    value = None
    if before is not None and not before[1] and words is not None and isinstance(part, Number):
        shift = int(words[2] or "0", 0)
        value = constant((before[0] & ~(0xFFFF << shift)) | (int(words[1], 0) << shift))
    machine.set(state, place, target, value)


def negative(machine: Operands, state: State, place: Place[Decoded]) -> None:
    instruction = place.instruction
    target, source = instruction.operands[:2]
    one = machine.value(state, source) if all_general(instruction) else None
    value = times(one, ALL) if one is not None else None
    if instruction.name == "mvn" and value is not None:
        value = plus(value, constant(-1))
    if instruction.name == "negs":
        state.flags = flags(instruction, one, one)
    machine.set(state, place, target, value)


def shift(machine: Operands, state: State, place: Place[Decoded]) -> None:
    instruction = place.instruction
    target, source, by = instruction.operands
    one, count = machine.value(state, source), machine.value(state, by)
    bits = bits_of(instruction)
    value = None
    if one is not None and count is not None:
        if instruction.name == "lsl" and not count[1]:
            value = times(one, 1 << (count[0] & (bits - 1)))
        else:
            known = not count[1] and instruction.name == "lsr" and 0 < count[0] < bits
            value = named(machine, instruction, (one, count), (0, (1 << (bits - count[0])) - 1) if known else None)
    machine.set(state, place, target, value)


def extend(machine: Operands, state: State, place: Place[Decoded]) -> None:
    instruction = place.instruction
    target, source = instruction.operands
    assert isinstance(source, Register)
    how, bits = EXTENSIONS[instruction.name]
    machine.set(state, place, target, machine.extended(machine.register(state, source.name), how, bits))


def field(machine: Operands, state: State, place: Place[Decoded]) -> None:
    """`sbfiz x0, x1, 2, 32`: an index of 32 bits, extended and scaled."""
    instruction = place.instruction
    target, source, shift, width = instruction.operands
    value = None
    plain = isinstance(source, Register) and isinstance(shift, Number) and width == Number(HALF)
    if plain and bits_of(instruction) == WORD:
        assert isinstance(source, Register)
        assert isinstance(shift, Number)
        how = "signed" if instruction.name == "sbfiz" else "unsigned"
        value = times(machine.extended(machine.register(state, source.name), how, HALF), 1 << shift.value)
    machine.set(state, place, target, value)


def operation(machine: Operands, state: State, place: Place[Decoded]) -> None:
    instruction = place.instruction
    target, *sources = instruction.operands
    values = [machine.value(state, one) for one in sources]
    name = instruction.name
    known = [one for one in values if one is not None]
    value = None
    if len(known) == len(values) and all_general(instruction):
        if name == "mul" and (not known[0][1] or not known[1][1]):
            factor, other = (known[0], known[1]) if not known[0][1] else (known[1], known[0])
            value = times(other, factor[0])
        else:
            mask = known[-1][0] if name in {"and", "ands"} and not known[-1][1] else -1
            value = named(machine, instruction, tuple(known), (0, mask) if 0 <= mask < 1 << (WORD - 1) else None)
    if name in {"ands", "bics"}:
        state.flags = flags(instruction, values[0], values[1])
    machine.set(state, place, target, value)


def named(machine: Operands, instruction: Decoded, values: tuple[Value, ...], bounds: Bounds | None = None) -> Value:
    bits = bits_of(instruction)
    if bits == HALF:
        values = tuple(machine.atoms.lower(value) for value in values)
        bounds = bounds or HALF_BOUNDS
    return machine.atoms.named((instruction.name, bits, instruction.text.count("w"), values), bounds)


def choose(machine: Operands, state: State, place: Place[Decoded]) -> None:
    instruction = place.instruction
    target, *sources = instruction.operands
    values = [machine.value(state, one) for one in sources]
    value = None
    if state.flags is not None and all(one is not None for one in values):
        what = (instruction.name, instruction.condition, bits_of(instruction), state.flags, tuple(values))
        value = machine.atoms.named(what, (0, 1) if instruction.name == "cset" else None)
    machine.set(state, place, target, value)


def thread_pointer(machine: Operands, state: State, place: Place[Decoded]) -> None:
    instruction = place.instruction
    if not instruction.text.endswith(", tpidr_el0"):
        raise UnprovableCodeError(place.offset, "a system register")
    machine.set(state, place, instruction.operands[0], machine.thread)


def bits_of(instruction: Decoded) -> int:
    first = instruction.operands[0]
    return first.bits if isinstance(first, Register) and first.bits else WORD


def all_general(instruction: Decoded) -> bool:
    return all(one.bits for one in instruction.operands if isinstance(one, Register))
