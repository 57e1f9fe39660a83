"""64-bit ARM machine code as the proof reads it, decoded by Capstone. What an instruction means is in `arm_semantics.py`."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass

import capstone
from capstone import arm64_const

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
