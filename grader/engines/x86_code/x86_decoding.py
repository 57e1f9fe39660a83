"""x86-64 machine code as the proof reads it, decoded by Capstone. What an instruction means is in `x86_semantics.py`."""

from __future__ import annotations

import functools
from dataclasses import dataclass

import capstone
from capstone import x86_const

_GENERAL = ("ax", "bx", "cx", "dx", "si", "di", "bp", "sp")
_SCALARS = {"comisd": 8, "comiss": 4, "ucomisd": 8, "ucomiss": 4}  # bytes that are read; Capstone 5 says 16 for comisd
_MEMORY, _REGISTER, _IMMEDIATE = x86_const.X86_OP_MEM, x86_const.X86_OP_REG, x86_const.X86_OP_IMM


def _register_names() -> dict[str, tuple[str, int]]:
    names: dict[str, tuple[str, int]] = {}
    for name in _GENERAL:
        low = name[0] + "l" if name.endswith("x") else name + "l"
        names |= {
            f"r{name}": (f"r{name}", 64),
            f"e{name}": (f"r{name}", 32),
            name: (f"r{name}", 16),
            low: (f"r{name}", 8),
        }
        if name.endswith("x"):
            names[name[0] + "h"] = (f"r{name}", 8)
    for number in range(8, 16):
        full = f"r{number}"
        names |= {full: (full, 64), f"{full}d": (full, 32), f"{full}w": (full, 16), f"{full}b": (full, 8)}
    return names


GENERAL_REGISTERS = _register_names()


@dataclass(frozen=True, slots=True)
class Memory:
    segment: str  # "" or "fs"
    base: str  # "": none; "rip"
    index: str
    scale: int
    displacement: int
    size: int  # bytes


@dataclass(frozen=True, slots=True)
class Register:
    name: str  # the whole register's: "rax" for al
    bits: int  # 0: a vector, a mask, the floating-point stack
    high: bool = False  # ah, bh, ch, dh


@dataclass(frozen=True, slots=True)
class Immediate:
    number: int
    size: int


Operand = Memory | Register | Immediate


@dataclass(frozen=True, slots=True)
class Decoded:
    name: str  # the mnemonic, with its prefix: "rep stosq"
    length: int
    operands: tuple[Operand, ...]
    displacement_at: int  # where in the instruction these stand; 0: nowhere
    immediate_at: int
    prefixes: bytes


@functools.cache
def _decoder() -> capstone.Cs:
    decoder = capstone.Cs(capstone.CS_ARCH_X86, capstone.CS_MODE_64)
    decoder.detail = True
    return decoder


@functools.cache
def _lengths() -> capstone.Cs:
    return capstone.Cs(capstone.CS_ARCH_X86, capstone.CS_MODE_64)


_known: dict[bytes, Decoded] = {}  # most instructions of a file are like others


def decode(code: bytes) -> list[tuple[int, Decoded]]:
    """Each instruction with its offset, up to the first bytes that are none: the caller sees where that ends."""
    found: list[tuple[int, Decoded]] = []
    for at, length, _, _ in _lengths().disasm_lite(code, 0):
        raw = code[at : at + length]
        decoded = _known.get(raw)
        if decoded is None:
            decoded = _known[raw] = _decoded(raw)
        found.append((at, decoded))
    return found


def _decoded(raw: bytes) -> Decoded:
    instruction = next(_decoder().disasm(raw, 0))
    encoding = instruction.encoding
    return Decoded(
        instruction.mnemonic,
        instruction.size,
        tuple(_operand(instruction, one) for one in instruction.operands),
        encoding.disp_offset,
        encoding.imm_offset,
        bytes(instruction.prefix),
    )


def _operand(instruction: capstone.CsInsn, operand: capstone.x86.X86Op) -> Operand:
    if operand.type == _REGISTER:
        return _register(instruction.reg_name(operand.reg))
    if operand.type == _IMMEDIATE:
        return Immediate(operand.imm, operand.size)
    if operand.type != _MEMORY:
        message = f"operand of type {operand.type}"
        raise ValueError(message)
    place = operand.mem
    return Memory(
        instruction.reg_name(place.segment) or "",
        instruction.reg_name(place.base) or "",
        instruction.reg_name(place.index) or "",
        place.scale,
        place.disp,
        _SCALARS.get(instruction.mnemonic, operand.size),
    )


def _register(name: str) -> Register:
    whole, bits = GENERAL_REGISTERS.get(name, (name, 0))
    return Register(whole, bits, name in {"ah", "bh", "ch", "dh"})
