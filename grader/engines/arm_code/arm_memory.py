"""64-bit ARM instructions that load and store, and those into which the linker puts a symbol's address."""

from __future__ import annotations

import re

from grader.engines.arm_code.arm_decoding import Decoded, Memory, Number, Register
from grader.engines.arm_code.arm_operands import FRAME_POINTER, HALF_BOUNDS, LINK_REGISTER, STACK_POINTER, Operands
from grader.engines.machine_model.code_object import Relocation
from grader.engines.machine_model.machine_state import State
from grader.engines.machine_model.memory_rules import Spot
from grader.engines.machine_model.processor import Place
from grader.engines.machine_model.refusals import UnprovableCodeError
from grader.engines.machine_model.values import HALF, WORD, Value, constant, minus, plus

# Relocations: R_AARCH64_…
_PAGE, _PAGE_OFFSET = 275, 277  # ADR_PREL_PG_HI21, ADD_ABS_LO12_NC
_PLACE_IN_PAGE = frozenset({278, 284, 285, 286, 299})  # LDST8, 16, 32, 64 and 128_ABS_LO12_NC
_THREAD_HIGH, _THREAD_LOW = 549, 551  # TLSLE_ADD_TPREL_HI12, TLSLE_ADD_TPREL_LO12_NC
_THREAD_SLOT_PAGE, _THREAD_SLOT = 541, 542  # TLSIE_ADR_GOTTPREL_PAGE21, TLSIE_LD64_GOTTPREL_LO12_NC
_LOAD_OR_STORE = re.compile(r"(ld|st)(u?r|p)(s?[bhw])?")
_WIDER = frozenset({"ldrsw", "ldursw", "ldpsw"})


def load_or_store(machine: Operands, state: State, place: Place[Decoded], relocation: Relocation | None) -> None:
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
    machine: Operands, state: State, place: Place[Decoded], memory: Memory, relocation: Relocation | None
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


def load(machine: Operands, state: State, place: Place[Decoded], address: Value, each: int) -> None:
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


def restore_frame(machine: Operands, state: State, place: Place[Decoded], address: Value) -> None:
    """The two words of the link hold what was stored there: no other store may reach them."""
    begin, end = machine.memory.link
    names = tuple(one.name for one in place.instruction.operands[:-1] if isinstance(one, Register))
    if names != (FRAME_POINTER, LINK_REGISTER) or begin == end or machine.memory.frame_offset(address) != begin:
        raise UnprovableCodeError(place.offset, "a frame pointer from somewhere else")
    state.registers[FRAME_POINTER], state.registers[LINK_REGISTER] = machine.caller, machine.back


def load_slot(machine: Operands, state: State, place: Place[Decoded], relocation: Relocation) -> None:
    """From the linker's own table: where a variable of the thread's lies."""
    instruction = place.instruction
    memory = instruction.operands[-1]
    page = machine.atoms.named(("slot", relocation.symbol.name, relocation.symbol.section, relocation.addend))
    known = isinstance(memory, Memory) and machine.register(state, memory.base) == page and memory.displacement == 0
    if instruction.name != "ldr" or not known or relocation.symbol.kind != "STT_TLS" or relocation.addend:
        raise UnprovableCodeError(place.offset, "the linker's table, used in a strange way")
    machine.set(state, place, instruction.operands[0], machine.memory.address_of(relocation.symbol, 0))


def relocated(machine: Operands, state: State, place: Place[Decoded], relocation: Relocation) -> None:
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
