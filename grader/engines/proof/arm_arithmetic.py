"""What 64-bit ARM instructions that compute do to registers and flags. A result is known where it is a sum, and else named by what it
was made of.
"""

from __future__ import annotations

import re

from grader.engines.proof.arm_decoding import (
    EXTENSIONS,
    FRAME_POINTER,
    HALF_BOUNDS,
    LINK_REGISTER,
    STACK_POINTER,
    Decoded,
    Memory,
    Number,
    Operands,
    Register,
)
from grader.engines.proof.code_object import Relocation
from grader.engines.proof.machine_state import (
    ALL,
    HALF,
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
from grader.engines.proof.memory_rules import CodeSite, Spot


def add_or_subtract(machine: Operands, state: State, place: CodeSite[Decoded]) -> None:
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


def compare(machine: Operands, state: State, place: CodeSite[Decoded]) -> None:
    instruction = place.instruction
    one, other = (machine.value(state, operand) for operand in instruction.operands[:2])
    state.flags = flags(instruction, one, other)


def flags(instruction: Decoded, one: Value | None, other: Value | None) -> tuple[str, int, Value, Value] | None:
    """What they follow from: the same for the same operation on the same values."""
    if one is None or other is None:
        return None
    return instruction.name, bits_of(instruction), one, other


def move(machine: Operands, state: State, place: CodeSite[Decoded]) -> None:
    instruction = place.instruction
    machine.set(state, place, instruction.operands[0], machine.value(state, instruction.operands[1]))


def move_part(machine: Operands, state: State, place: CodeSite[Decoded]) -> None:
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


def negative(machine: Operands, state: State, place: CodeSite[Decoded]) -> None:
    instruction = place.instruction
    target, source = instruction.operands[:2]
    one = machine.value(state, source) if all_general(instruction) else None
    value = times(one, ALL) if one is not None else None
    if instruction.name == "mvn" and value is not None:
        value = plus(value, constant(-1))
    if instruction.name == "negs":
        state.flags = flags(instruction, one, one)
    machine.set(state, place, target, value)


def shift(machine: Operands, state: State, place: CodeSite[Decoded]) -> None:
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


def extend(machine: Operands, state: State, place: CodeSite[Decoded]) -> None:
    instruction = place.instruction
    target, source = instruction.operands
    assert isinstance(source, Register)
    how, bits = EXTENSIONS[instruction.name]
    machine.set(state, place, target, machine.extended(machine.register(state, source.name), how, bits))


def field(machine: Operands, state: State, place: CodeSite[Decoded]) -> None:
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


def operation(machine: Operands, state: State, place: CodeSite[Decoded]) -> None:
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


def choose(machine: Operands, state: State, place: CodeSite[Decoded]) -> None:
    instruction = place.instruction
    target, *sources = instruction.operands
    values = [machine.value(state, one) for one in sources]
    value = None
    if state.flags is not None and all(one is not None for one in values):
        what = (instruction.name, instruction.condition, bits_of(instruction), state.flags, tuple(values))
        value = machine.atoms.named(what, (0, 1) if instruction.name == "cset" else None)
    machine.set(state, place, target, value)


def thread_pointer(machine: Operands, state: State, place: CodeSite[Decoded]) -> None:
    instruction = place.instruction
    if not instruction.text.endswith(", tpidr_el0"):
        raise UnprovableCodeError(place.offset, "a system register")
    machine.set(state, place, instruction.operands[0], machine.thread)


def bits_of(instruction: Decoded) -> int:
    first = instruction.operands[0]
    return first.bits if isinstance(first, Register) and first.bits else WORD


def all_general(instruction: Decoded) -> bool:
    return all(one.bits for one in instruction.operands if isinstance(one, Register))


# 64-bit ARM instructions that load and store, and those into which the linker puts a symbol's address.

# Relocations: R_AARCH64_…
_PAGE, _PAGE_OFFSET = 275, 277  # ADR_PREL_PG_HI21, ADD_ABS_LO12_NC
_PLACE_IN_PAGE = frozenset({278, 284, 285, 286, 299})  # LDST8, 16, 32, 64 and 128_ABS_LO12_NC
_THREAD_HIGH, _THREAD_LOW = 549, 551  # TLSLE_ADD_TPREL_HI12, TLSLE_ADD_TPREL_LO12_NC
_THREAD_SLOT_PAGE, _THREAD_SLOT = 541, 542  # TLSIE_ADR_GOTTPREL_PAGE21, TLSIE_LD64_GOTTPREL_LO12_NC
_LOAD_OR_STORE = re.compile(r"(ld|st)(u?r|p)(s?[bhw])?")
_WIDER = frozenset({"ldrsw", "ldursw", "ldpsw"})


def load_or_store(machine: Operands, state: State, place: CodeSite[Decoded], relocation: Relocation | None) -> None:
    name, operands = place.instruction.name, place.instruction.operands
    memory = operands[-1]
    if not isinstance(memory, Memory) or memory.size == 0 or not _LOAD_OR_STORE.fullmatch(name):
        raise UnprovableCodeError(place.offset, f"the instruction `{name}`")
    if relocation is not None and relocation.kind == _THREAD_SLOT:
        load_slot(machine, state, place, relocation)
        return
    address, moved = _addresses(machine, state, place, memory, relocation)
    grows = memory.writes_back != "" and memory.base == STACK_POINTER and memory.moves_by < 0
    if grows:
        machine.move_stack(state, place, moved)  # what is stored lies above the pointer then
    each = memory.size // (len(operands) - 1)
    if name.startswith("st"):
        spot = Spot(place.offset, len(operands) - 1)
        for number, one in enumerate(operands[:-1]):
            value = machine.value(state, one) if each in {HALF // 8, WORD // 8} else None
            machine.memory.store(state, spot, plus(address, constant(number * each)), each, value)
    else:
        load(machine, state, place, address, each)
    if memory.writes_back and not grows:
        machine.set(state, place, Register(memory.base, WORD), moved)


def _addresses(
    machine: Operands, state: State, place: CodeSite[Decoded], memory: Memory, relocation: Relocation | None
) -> tuple[Value, Value]:
    """Of the access, and what the base register holds afterwards where the instruction moves it."""
    base = address = machine.register(state, memory.base)
    if memory.writes_back != "behind":
        address = plus(address, constant(memory.displacement))
    if memory.index is not None:
        address = plus(address, machine.value(state, memory.index) or machine.atoms.fresh())
    if relocation is not None:
        if relocation.kind not in _PLACE_IN_PAGE:
            raise UnprovableCodeError(place.offset, f"a relocation of kind {relocation.kind}")
        address = plus(address, machine.in_page(relocation))
    return address, plus(base, constant(memory.moves_by))


def load(machine: Operands, state: State, place: CodeSite[Decoded], address: Value, each: int) -> None:
    """`each`: bytes into every register."""
    registers, name = place.instruction.operands[:-1], place.instruction.name
    if any(isinstance(one, Register) and one.name == FRAME_POINTER for one in registers):
        restore_frame(machine, state, place, address)
        return
    spot = Spot(place.offset, len(registers))
    places = [plus(address, constant(number * each)) for number in range(len(registers))]
    loaded = [machine.memory.load(state, spot, one, each) for one in places]
    for one, value in zip(registers, loaded, strict=True):
        known = value
        if name in _WIDER:
            half = machine.atoms.lower(value) if value is not None else machine.atoms.fresh(HALF_BOUNDS)
            known = machine.atoms.signed(half)
        elif each < HALF // 8 and not name.endswith(("sb", "sh")):
            known = machine.atoms.fresh((0, (1 << (8 * each)) - 1))
        machine.set(state, place, one, known)


def restore_frame(machine: Operands, state: State, place: CodeSite[Decoded], address: Value) -> None:
    """The two words of the link hold what was stored there: no other store may reach them."""
    begin, end = machine.memory.link
    names = tuple(one.name for one in place.instruction.operands[:-1] if isinstance(one, Register))
    if names != (FRAME_POINTER, LINK_REGISTER) or begin == end or machine.memory.frame_offset(address) != begin:
        raise UnprovableCodeError(place.offset, "a frame pointer from somewhere else")
    state.registers[FRAME_POINTER], state.registers[LINK_REGISTER] = machine.caller, machine.back


def load_slot(machine: Operands, state: State, place: CodeSite[Decoded], relocation: Relocation) -> None:
    """From the linker's own table: where a variable of the thread's lies."""
    instruction = place.instruction
    memory = instruction.operands[-1]
    page = machine.atoms.named(("slot", relocation.symbol.name, relocation.symbol.section, relocation.addend))
    known = isinstance(memory, Memory) and machine.register(state, memory.base) == page and memory.displacement == 0
    if instruction.name != "ldr" or not known or relocation.symbol.kind != "STT_TLS" or relocation.addend:
        raise UnprovableCodeError(place.offset, "the linker's table, used in a strange way")
    machine.set(state, place, instruction.operands[0], machine.memory.address_of(relocation.symbol, 0))


def relocated(machine: Operands, state: State, place: CodeSite[Decoded], relocation: Relocation) -> None:
    name, operands, kind = place.instruction.name, place.instruction.operands, relocation.kind
    is_thread = relocation.symbol.kind == "STT_TLS"
    if name == "adrp" and kind == _PAGE and not is_thread:
        value: Value | None = machine.part("page", relocation)
    elif name == "adrp" and kind == _THREAD_SLOT_PAGE and is_thread:
        symbol = relocation.symbol
        value = machine.atoms.named(("slot", symbol.name, symbol.section, relocation.addend))
    elif name == "add" and kind in {_PAGE_OFFSET, _THREAD_HIGH, _THREAD_LOW} and operands[-1] == Number(0):
        base = machine.value(state, operands[1])
        if is_thread != (kind != _PAGE_OFFSET) or base is None:
            raise UnprovableCodeError(place.offset, f"a relocation of kind {kind}")
        if kind == _THREAD_HIGH:
            value = plus(base, machine.part("high", relocation))
        elif kind == _THREAD_LOW:
            low = minus(
                machine.memory.address_of(relocation.symbol, relocation.addend), machine.part("high", relocation)
            )
            value = plus(base, low)
        else:
            value = plus(base, machine.in_page(relocation))
    else:
        raise UnprovableCodeError(place.offset, f"a relocation of kind {kind}")
    machine.set(state, place, operands[0], value)
