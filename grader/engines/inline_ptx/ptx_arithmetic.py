"""Arithmetic, comparisons, conversions and moves of PTX: which function writes which instruction, and those of any type."""

from __future__ import annotations

from grader.engines.inline_ptx.ptx_floats import PAIRS, copysign, floating
from grader.engines.inline_ptx.ptx_integers import BITWISE, OF_BITS, compared, integer
from grader.engines.inline_ptx.ptx_operands import Emit, kind_of, modifiers, operands, refuse, truth
from grader.engines.inline_ptx.ptx_registers import KIT, Registers
from grader.engines.inline_ptx.ptx_syntax import Both, Instruction, Not, Operand, Vector
from grader.engines.inline_ptx.ptx_video import VIDEO
from grader.engines.inline_ptx.ptx_words import RELATIONS, ROUNDINGS, TYPES, WIDTHS, base_type, is_float

_THREE = 3


def arithmetic(instruction: Instruction, registers: Registers) -> list[str] | None:
    """The statements for this instruction, or None where it is none of arithmetic."""
    emit = _TABLE.get(instruction.opcode[0])
    return emit(instruction, registers) if emit else None


def _number(instruction: Instruction, registers: Registers) -> list[str]:
    kind = kind_of(instruction)
    return floating(instruction, registers, kind) if is_float(kind) else integer(instruction, registers)


def _select(instruction: Instruction, registers: Registers) -> list[str]:
    kind = kind_of(instruction)
    modifiers(instruction)
    target, a, b, which = operands(instruction, 4)
    value = f"{registers.predicate(which)} ? {registers.read(a, kind)} : {registers.read(b, kind)}"
    return [registers.write(target, kind, value)]


def _set_predicate(instruction: Instruction, registers: Registers) -> list[str]:
    kind = kind_of(instruction)
    words = list(instruction.opcode[1:-1])
    relation = words.pop(0) if words else ""
    joins = words.pop(0) if words and words[0] in BITWISE else ""
    if words or relation not in RELATIONS or base_type(kind) not in TYPES or kind == "tf32":
        raise refuse(instruction)
    target, a, b, *third = operands(instruction, 4 if joins else 3)
    holds = compared(kind, relation, registers.read(a, kind), registers.read(b, kind))
    first, second = (target.first, target.second) if isinstance(target, Both) else (target, None)
    also = f" {BITWISE[joins]} {registers.predicate(third[0])}" if joins else ""
    kept = registers.variable()
    code = [f"{kept} = {holds} ? 1ull : 0ull;"]
    code.append(registers.write(first, "pred", f"(({kept} != 0){also}) ? 1ull : 0ull"))
    if second is not None:
        code.append(registers.write(second, "pred", f"(({kept} == 0){also}) ? 1ull : 0ull"))
    return code


def _move(instruction: Instruction, registers: Registers) -> list[str]:
    kind = kind_of(instruction)
    modifiers(instruction)
    target, given = operands(instruction, 2)
    if kind == "pred":
        return [registers.write(target, kind, f"{registers.predicate(given)} ? 1ull : 0ull")]
    if isinstance(given, Vector):
        each = WIDTHS[kind] // len(given.parts)
        value = " | ".join(
            f"({registers.read(one, f'b{each}')} << {each * at})"
            for at, one in enumerate(_whole(given, each, instruction))
        )
        return [registers.write(target, kind, value)]
    if isinstance(target, Vector):
        each = WIDTHS[kind] // len(target.parts)
        kept, value = registers.variable(), registers.read(given, kind)
        parts = _whole(target, each, instruction)
        return [f"{kept} = {value};"] + [
            registers.write(one, f"b{each}", f"{kept} >> {each * at}") for at, one in enumerate(parts)
        ]
    if isinstance(given, Not):
        raise refuse(instruction)
    special = registers.special_width(given)
    if special and special != WIDTHS[kind]:
        raise refuse(instruction)
    return [registers.write(target, kind, registers.read(given, kind))]


def _whole(vector: Vector, each: int, instruction: Instruction) -> tuple[Operand, ...]:
    if each not in {16, 32}:
        raise refuse(instruction)
    return vector.parts


def _convert(instruction: Instruction, registers: Registers) -> list[str]:
    if len(instruction.opcode) < _THREE:
        raise refuse(instruction)
    *said, to, source = instruction.opcode[1:]
    roundings = [one for one in said if one in ROUNDINGS]
    others = set(said) - set(roundings) - {"sat"}
    rounding = ROUNDINGS[roundings[0]] if roundings else 0
    if others or len(roundings) > 1:
        raise refuse(instruction)
    if to in PAIRS and source == "f32" and roundings in (["rn"], ["rz"]) and "sat" not in said:
        target, high, low = operands(instruction, 3)
        upper, lower = (
            f"{KIT}convert({TYPES['f32']}, {TYPES[PAIRS[to]]}, {rounding}, false, {registers.read(one, 'f32')})"
            for one in (high, low)
        )
        return [registers.write(target, to, f"{upper} << 16 | {lower}")]
    narrows = is_float(to) and (not is_float(source) or WIDTHS[to] < WIDTHS[source] or to == "tf32")
    floats_to_whole = is_float(source) and not is_float(to)
    if to not in TYPES or source not in TYPES or source == "tf32" or (to == "tf32" and roundings != ["rna"]):
        raise refuse(instruction)
    if (narrows or floats_to_whole) and not roundings:
        raise refuse(instruction)
    if (
        (to in {"bf16", "tf32"} and source != "f32")
        or (source == "bf16" and to != "f32")
        or ("rna" in said and to != "tf32")
    ):
        raise refuse(instruction)
    target, given = operands(instruction, 2)
    value = registers.read(given, source, wider=not is_float(source))
    code = f"{KIT}convert({TYPES[source]}, {TYPES[to]}, {rounding}, {truth('sat' in said)}, {value})"
    return [registers.write(target, to, code, wider=not is_float(to))]


_TABLE: dict[str, Emit] = {
    **OF_BITS,
    **VIDEO,
    **dict.fromkeys(("add", "sub", "mul", "mad", "fma", "div", "rem", "min", "max", "neg", "abs"), _number),
    **dict.fromkeys(("rcp", "sqrt", "rsqrt", "ex2", "lg2", "sin", "cos"), _number),
    "copysign": copysign,
    "selp": _select,
    "setp": _set_predicate,
    "mov": _move,
    "cvt": _convert,
}
