"""64-bit ARM machine code as the proof reads it, decoded by Capstone. What an instruction means is in `arm_semantics.py`."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass

import capstone
from capstone import arm64_const

from grader.engines.proof.code_object import Relocation
from grader.engines.proof.machine_state import (
    HALF,
    WORD,
    Bounds,
    State,
    UnprovableCodeError,
    Value,
    constant,
    minus,
    times,
)
from grader.engines.proof.memory_rules import CodeSite, FunctionMemory

_LENGTH = 4  # bytes of any instruction
_REGISTER, _IMMEDIATE, _MEMORY = arm64_const.ARM64_OP_REG, arm64_const.ARM64_OP_IMM, arm64_const.ARM64_OP_MEM
_VECTOR_BYTES = {"q": 16, "d": 8, "s": 4, "h": 2, "b": 1}
_NARROW = {"b": 1, "h": 2, "w": 4}
_LOAD_OR_STORE = re.compile(r"(ld|st)(u?r|p)(?:s?([bhw]))?")
_EXTENDS = {
    arm64_const.ARM64_EXT_UXTW: "uxtw",
    arm64_const.ARM64_EXT_SXTW: "sxtw",
    arm64_const.ARM64_EXT_UXTX: "uxtx",
    arm64_const.ARM64_EXT_SXTX: "sxtx",
    arm64_const.ARM64_EXT_UXTB: "uxtb",
    arm64_const.ARM64_EXT_SXTB: "sxtb",
    arm64_const.ARM64_EXT_UXTH: "uxth",
    arm64_const.ARM64_EXT_SXTH: "sxth",
}
_SHIFTS = {arm64_const.ARM64_SFT_LSL: "lsl", arm64_const.ARM64_SFT_LSR: "lsr", arm64_const.ARM64_SFT_ASR: "asr"}
_OTHER_NAMES = {"fp": "x29", "lr": "x30", "xzr": "zero", "wzr": "zero", "wsp": "sp"}


@dataclass(frozen=True, slots=True)
class Register:
    name: str  # the whole register's: "x0" for w0; "zero"; "sp"
    bits: int  # 0: of a vector
    extend: str = ""
    shift: str = ""
    by: int = 0


@dataclass(frozen=True, slots=True)
class Number:
    value: int


@dataclass(frozen=True, slots=True)
class Memory:
    base: str
    index: Register | None
    displacement: int
    size: int  # bytes, of a pair together
    writes_back: str  # "": the base stays; "before", "behind": it moves before or behind the access
    moves_by: int


@dataclass(frozen=True, slots=True)
class Other:
    """A system register, a vector's immediate: nothing that this proof looks at."""


Operand = Register | Number | Memory | Other


@dataclass(frozen=True, slots=True)
class Decoded:
    name: str
    operands: tuple[Operand, ...]
    condition: str
    text: str
    length: int = _LENGTH


@functools.cache
def _decoder() -> capstone.Cs:
    decoder = capstone.Cs(capstone.CS_ARCH_ARM64, capstone.CS_MODE_ARM)
    decoder.detail = True
    return decoder


_known: dict[bytes, Decoded | None] = {}  # most instructions of a file are like others


def decode(code: bytes) -> list[tuple[int, Decoded]]:
    """Each instruction with its offset, up to the first bytes that are none: the caller sees where that ends."""
    found: list[tuple[int, Decoded]] = []
    for at in range(0, len(code) - _LENGTH + 1, _LENGTH):
        raw = code[at : at + _LENGTH]
        if raw not in _known:
            _known[raw] = _decoded(raw)
        decoded = _known[raw]
        if decoded is None:
            break
        found.append((at, decoded))
    return found


def _decoded(raw: bytes) -> Decoded | None:
    instruction = next(_decoder().disasm(raw, 0), None)
    if instruction is None:
        return None
    operands = [_operand(instruction, one) for one in instruction.operands]
    name, _, condition = instruction.mnemonic.partition(".")
    if not condition and instruction.cc not in {arm64_const.ARM64_CC_INVALID, arm64_const.ARM64_CC_AL}:
        condition = instruction.op_str.rpartition(", ")[2]
    return Decoded(name, _with_memory(instruction, name, operands), condition, instruction.op_str)


def _operand(instruction: capstone.CsInsn, operand: capstone.arm64.Arm64Op) -> Operand:
    if operand.type == _REGISTER:
        register = _register(instruction.reg_name(operand.reg))
        extend = _EXTENDS.get(operand.ext, "")
        shift = _SHIFTS.get(operand.shift.type, "?" if operand.shift.type else "")
        return Register(register.name, register.bits, extend, shift, operand.shift.value)
    if operand.type == _IMMEDIATE:
        by = operand.shift.value if operand.shift.type == arm64_const.ARM64_SFT_LSL else 0
        return Number(operand.imm << by)
    if operand.type != _MEMORY:
        return Other()
    place = operand.mem
    index = None
    if place.index:
        plain = _register(instruction.reg_name(place.index))
        index = Register(plain.name, plain.bits, _EXTENDS.get(operand.ext, ""), "lsl", operand.shift.value)
    return Memory(_register(instruction.reg_name(place.base)).name, index, place.disp, 0, "", 0)


def _register(name: str) -> Register:
    name = _OTHER_NAMES.get(name, name)
    if name in {"sp", "zero"}:
        return Register(name, 64)
    if re.fullmatch(r"[xw]\d+", name):
        return Register(f"x{name[1:]}", 64 if name[0] == "x" else 32)
    return Register(name, 0)


def _with_memory(instruction: capstone.CsInsn, name: str, operands: list[Operand]) -> tuple[Operand, ...]:
    """With the number of bytes, which follows from the registers' names; a size of 0 is refused where it is executed."""
    places = [at for at, one in enumerate(operands) if isinstance(one, Memory)]
    kind = _LOAD_OR_STORE.fullmatch(name)
    if not places or kind is None:
        return tuple(operands)
    if len(places) != 1:
        return (Other(),)
    place = operands[places[0]]
    assert isinstance(place, Memory)
    size = _bytes_of(instruction, kind[3])
    if kind[2] == "p":
        size *= 2
    behind = [one for one in operands[places[0] + 1 :] if isinstance(one, Number)]
    how = ("behind" if behind else "before") if instruction.writeback else ""
    moves_by = behind[0].value if behind else place.displacement if how else 0
    operands[places[0]] = Memory(place.base, place.index, place.displacement, size, how, moves_by)
    return tuple(operands[: places[0] + 1])


def _bytes_of(instruction: capstone.CsInsn, narrow: str | None) -> int:
    if narrow:
        return _NARROW[narrow]
    first = instruction.op_str.partition(",")[0]
    if first in {"fp", "lr", "xzr"} or first.startswith("x"):
        return 8
    return 4 if first.startswith("w") else _VECTOR_BYTES.get(first[:1], 0)


# What a 64-bit ARM instruction's operands hold, and what is assigned to them. The stack pointer stays where constants lead it.

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

    def set(self, state: State, place: CodeSite[Decoded], operand: object, value: Value | None) -> None:
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

    def move_stack(self, state: State, place: CodeSite[Decoded], value: Value | None) -> None:
        offset = None if value is None else self.memory.frame_offset(value)
        if value is None or offset is None:
            raise UnprovableCodeError(place.offset, "a stack frame whose size or alignment is known only when it runs")
        before = self.stack_offset(state)
        if before is None or offset < before - LARGEST_STEP or offset > 0:
            raise UnprovableCodeError(place.offset, "a stack that moves in a way no compiler moves it")
        state.registers[STACK_POINTER] = value
        if offset > before:
            state.dropped(offset)

    def make_frame(self, state: State, place: CodeSite[Decoded], value: Value | None) -> None:
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
