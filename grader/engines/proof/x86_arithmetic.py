"""What x86-64 instructions that compute do to registers and flags. A result is known where it is a sum, and else named by what it was
made of.
"""

from __future__ import annotations

from grader.engines.proof.machine_state import ALL, HALF, WORD, State, UnprovableCodeError, Value, constant, plus, times
from grader.engines.proof.memory_rules import CodeSite, Spot
from grader.engines.proof.x86_decoding import (
    COUNTED,
    FRAME_POINTER,
    LINK,
    MAY_STORE,
    STACK_POINTER,
    THREAD_SLOT,
    Decoded,
    Memory,
    Operands,
    Register,
    at_offset,
    bits_of,
)

_LONGEST_SUM = 16  # terms; a longer one becomes an unknown of its own


def load_number(machine: Operands, state: State, place: CodeSite[Decoded]) -> None:
    """`mov $symbol, %edi`: the linker promises that the address fits."""
    register = place.instruction.operands[0]
    relocation = machine.relocation(place, place.instruction.immediate_at)
    if relocation is None or not isinstance(register, Register) or register.bits != HALF:
        machine.assign(state, place, machine.value(state, place, 1))
    elif register.name in {STACK_POINTER, FRAME_POINTER} or relocation.symbol.kind == "STT_TLS":
        raise UnprovableCodeError(place.offset, "half an address")
    else:
        state.registers[register.name] = machine.value(state, place, 1) or machine.atoms.fresh()


def write(machine: Operands, state: State, place: CodeSite[Decoded]) -> None:
    operands = place.instruction.operands
    for position in range(1, len(operands)):
        machine.read(state, place, position)
    if not operands:
        return
    if isinstance(operands[0], Memory) and place.instruction.name not in MAY_STORE:
        raise UnprovableCodeError(
            place.offset, f"the instruction `{place.instruction.name}` with memory in first place"
        )
    if isinstance(operands[0], Memory | Register):
        machine.assign(state, place, None)
    if place.instruction.name in {"bsf", "bsr"}:
        state.flags = None


def change(machine: Operands, state: State, place: CodeSite[Decoded]) -> None:
    for position, operand in enumerate(place.instruction.operands):
        machine.read(state, place, position)
        if position == 0:
            machine.assign(state, place, None)
        elif isinstance(operand, Register) and place.instruction.name in {"xchg", "xadd"}:
            machine.set(state, place, operand, None)
        elif isinstance(operand, Memory) and place.instruction.name in {"xchg", "xadd"}:
            raise UnprovableCodeError(place.offset, "an exchange with memory in second place")
    state.flags = None


def extend(machine: Operands, state: State, place: CodeSite[Decoded]) -> None:
    source = place.instruction.operands[1]
    name = place.instruction.name
    value = machine.value(state, place, 1)
    if name == "movsxd":
        half = machine.atoms.lower(value) if value is not None else None
        if half is None:
            half = machine.atoms.fresh((0, (1 << HALF) - 1))
        machine.assign(state, place, machine.atoms.signed(half))
        return
    size = source.size if isinstance(source, Memory) else source.bits // 8 if isinstance(source, Register) else 0
    if size not in {1, 2}:
        raise UnprovableCodeError(place.offset, f"the instruction `{name}` of {size} bytes")
    top = 1 << (8 * size)
    if name == "movzx":
        bounds = (0, top - 1)
        extended = machine.atoms.named(("zeros", value), bounds) if value is not None else machine.atoms.fresh(bounds)
        machine.assign(state, place, extended)
        return
    bounds = (-top // 2, top // 2 - 1)
    wide = place.instruction.operands[0]
    extended = machine.atoms.named(("sign", size, value), bounds) if value is not None else machine.atoms.fresh(bounds)
    machine.assign(state, place, extended if isinstance(wide, Register) and wide.bits == WORD else None)


def address_only(machine: Operands, state: State, place: CodeSite[Decoded]) -> None:
    operand = place.instruction.operands[1]
    assert isinstance(operand, Memory)
    relocation = machine.relocation(place, place.instruction.displacement_at)
    if operand.segment:
        raise UnprovableCodeError(place.offset, "an address in a segment")
    if relocation is not None and relocation.kind == THREAD_SLOT:
        raise UnprovableCodeError(place.offset, "the address of the linker's table")
    machine.assign(state, place, machine.address(state, place, operand))


def add_or_subtract(machine: Operands, state: State, place: CodeSite[Decoded]) -> None:
    one, other = machine.value(state, place, 0), machine.value(state, place, 1)
    state.flags = flags(place, one, other)
    value = None
    if one is not None and other is not None:
        value = plus(one, other if place.instruction.name == "add" else times(other, ALL))
        if len(value[1]) > _LONGEST_SUM:
            value = machine.atoms.named(("sum", value))
    machine.assign(state, place, value)


def flags(place: CodeSite[Decoded], one: Value | None, other: Value | None) -> tuple[str, int, Value, Value] | None:
    """What they follow from: the same for the same operation on the same values."""
    return None if one is None or other is None else (place.instruction.name, bits_of(place), one, other)


def step(machine: Operands, state: State, place: CodeSite[Decoded]) -> None:
    one = machine.value(state, place, 0)
    by = {"inc": 1, "dec": -1}[place.instruction.name]
    value = plus(one, constant(by)) if one is not None else None
    state.flags = None
    machine.assign(state, place, value)


def negative(machine: Operands, state: State, place: CodeSite[Decoded]) -> None:
    one = machine.value(state, place, 0)
    value = times(one, ALL) if one is not None else None
    if value is not None and place.instruction.name == "not":
        value = plus(value, constant(-1))
    if place.instruction.name == "neg":
        state.flags = flags(place, one, one)
    machine.assign(state, place, value)


def product(machine: Operands, state: State, place: CodeSite[Decoded]) -> None:
    operands = place.instruction.operands
    values = [machine.value(state, place, position) for position in range(len(operands))]
    state.flags = None
    if len(operands) == 1:
        wide_product(machine, state, place, values[0])
        return
    one, other = values[-2:]  # two operands, or three whose first is only written
    value = None
    if one is not None and other is not None:
        if not other[1]:
            value = times(one, other[0])
        elif not one[1]:
            value = times(other, one[0])
        else:
            value = named(machine, place, "product", tuple(sorted((one, other))))
    machine.assign(state, place, value)


def wide_product(machine: Operands, state: State, place: CodeSite[Decoded], factor: Value | None) -> None:
    before = machine.register(state, "rax")
    known = factor is not None and bits_of(place) >= HALF  # narrower ones leave the rest of both as it was
    for name in ("rax", "rdx"):
        what = (place.instruction.name, name, bits_of(place), before, factor)
        state.registers[name] = machine.atoms.named(what) if known else machine.atoms.fresh()


def quotient(machine: Operands, state: State, place: CodeSite[Decoded]) -> None:
    divisor = machine.value(state, place, 0)
    high, low = machine.register(state, "rdx"), machine.register(state, "rax")
    state.flags = None
    known = divisor is not None and bits_of(place) >= HALF
    for name in ("rax", "rdx"):
        what = (place.instruction.name, name, bits_of(place), high, low, divisor)
        state.registers[name] = machine.atoms.named(what) if known else machine.atoms.fresh()


def bitwise(machine: Operands, state: State, place: CodeSite[Decoded]) -> None:
    operands = place.instruction.operands
    one, other = machine.value(state, place, 0), machine.value(state, place, 1)
    if place.instruction.name == "xor" and operands[0] == operands[1]:
        value: Value | None = constant(0)
    elif one is None or other is None:
        value = None
    else:
        value = named(machine, place, place.instruction.name, (one, other), mask_bounds(place, other))
    state.flags = flags(place, one, other)
    if isinstance(operands[0], Register) and operands[0].name == STACK_POINTER:
        value = None
    machine.assign(state, place, value)


def mask_bounds(place: CodeSite[Decoded], mask: Value) -> tuple[int, int] | None:
    if place.instruction.name != "and" or mask[1]:
        return None
    number = mask[0] & ((1 << bits_of(place)) - 1)
    return (0, number) if not number >> (WORD - 1) else None


def shift(machine: Operands, state: State, place: CodeSite[Decoded]) -> None:
    operands = place.instruction.operands
    one = machine.value(state, place, 0)
    by = machine.value(state, place, 1) if len(operands) > 1 else constant(1)
    name, bits = place.instruction.name, bits_of(place)
    value = None
    if one is not None and by is not None:
        count = by[0] & (WORD - 1 if bits == WORD else HALF - 1)
        if not by[1] and name in {"shl", "sal"}:
            value = times(one, 1 << count)
        else:
            top = (0, (1 << (bits - count)) - 1) if not by[1] and name == "shr" and (count or bits == HALF) else None
            value = named(machine, place, name, (one, by), top)
    state.flags = None  # a shift by nothing leaves them as they were
    machine.assign(state, place, value)


def named(
    machine: Operands,
    place: CodeSite[Decoded],
    name: str,
    values: tuple[Value, ...],
    bounds: tuple[int, int] | None = None,
) -> Value:
    """The result of an operation that is no sum: half as wide, of the lower halves."""
    bits = bits_of(place)
    if bits == HALF:
        values = tuple(machine.atoms.lower(value) for value in values)
        bounds = bounds or (0, (1 << HALF) - 1)
    return machine.atoms.named((name, bits, values), bounds)


def compare(machine: Operands, state: State, place: CodeSite[Decoded]) -> None:
    state.flags = flags(place, machine.value(state, place, 0), machine.value(state, place, 1))


def conditional(machine: Operands, state: State, place: CodeSite[Decoded]) -> None:
    one, other = machine.value(state, place, 0), machine.value(state, place, 1)
    value = None
    if one is not None and other is not None and state.flags is not None:
        value = named(machine, place, place.instruction.name, (one, other))
        value = machine.atoms.named(("chosen", state.flags, value))
    machine.assign(state, place, value)


def widen(machine: Operands, state: State, place: CodeSite[Decoded]) -> None:
    before = machine.register(state, "rax")
    name = place.instruction.name
    if name == "cdqe":
        state.registers["rax"] = machine.atoms.signed(machine.atoms.lower(before))
    elif name in {"cdq", "cqo"}:
        half = machine.atoms.lower(before) if name == "cdq" else before
        state.registers["rdx"] = machine.atoms.named((name, half), (0, (1 << HALF) - 1) if name == "cdq" else None)
    else:
        state.registers["rdx" if name == "cwd" else "rax"] = machine.atoms.fresh()


# x86-64 instructions that push, pop and leave a frame, and those that repeat.


def push(machine: Operands, state: State, place: CodeSite[Decoded]) -> None:
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


def pop(machine: Operands, state: State, place: CodeSite[Decoded]) -> None:
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


def leave(machine: Operands, state: State, place: CodeSite[Decoded]) -> None:
    if machine.memory.frame_offset(state.registers[FRAME_POINTER]) != LINK[0]:
        raise UnprovableCodeError(place.offset, "a frame that is left before it was made")
    machine.move_stack(state, place, STACK_POINTER, at_offset(machine.memory, 0))
    restored_frame(machine, state, place, LINK[0])


def restored_frame(machine: Operands, state: State, place: CodeSite[Decoded], offset: int) -> None:
    """The link holds what was pushed there: no store may reach it."""
    if offset != LINK[0]:
        raise UnprovableCodeError(place.offset, "a frame pointer from somewhere else")
    state.registers[FRAME_POINTER] = machine.caller


def move_string_or_scalar(machine: Operands, state: State, place: CodeSite[Decoded]) -> None:
    operands = place.instruction.operands
    if isinstance(operands[0], Memory) and isinstance(operands[1], Memory):
        repeated(machine, state, place)
    else:
        write(machine, state, place)


def repeated(machine: Operands, state: State, place: CodeSite[Decoded]) -> None:
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
