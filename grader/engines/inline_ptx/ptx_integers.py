"""Arithmetic of whole numbers, bits and shifts of PTX as C++ and calls of the kit's functions."""

from __future__ import annotations

from collections.abc import Callable

from grader.engines.inline_ptx.ptx_operands import INTEGERS, Emit, kind_of, modifiers, operands, refuse, truth
from grader.engines.inline_ptx.ptx_registers import KIT, Registers
from grader.engines.inline_ptx.ptx_syntax import Instruction, Operand
from grader.engines.inline_ptx.ptx_words import RELATIONS, TYPES, WIDTHS, base_type, is_signed

BITWISE = {"and": "&", "or": "|", "xor": "^"}


def integer(instruction: Instruction, registers: Registers) -> list[str]:
    """add, sub, min, max, neg, abs, div, rem, mul and mad."""
    kind = kind_of(instruction)
    name = instruction.opcode[0]
    if name in {"mul", "mad"}:
        return _product(instruction, registers)
    if kind not in INTEGERS or instruction.opcode[1:-1] or name not in _INTEGER_CODE:
        raise refuse(instruction)
    target, *given = operands(instruction, 2 if name in {"neg", "abs"} else 3)
    a, *rest = [registers.read(one, kind) for one in given]
    return [registers.write(target, kind, _INTEGER_CODE[name](kind, a, rest[0] if rest else ""))]


def compared(kind: str, relation: str, a: str, b: str) -> str:
    return f"{KIT}compare({TYPES[base_type(kind)]}, {RELATIONS[relation]}, {a}, {b})"


def _divided(function: str) -> Callable[[str, str, str], str]:
    return lambda kind, a, b: f"{KIT}{function}({a}, {b}, {WIDTHS[kind]}, {truth(is_signed(kind))})"


_INTEGER_CODE: dict[str, Callable[[str, str, str], str]] = {
    "add": lambda _, a, b: f"{a} + {b}",
    "sub": lambda _, a, b: f"{a} - {b}",
    "min": lambda kind, a, b: f"{compared(kind, 'lt', b, a)} ? {b} : {a}",
    "max": lambda kind, a, b: f"{compared(kind, 'lt', a, b)} ? {b} : {a}",
    "neg": lambda _, a, __: f"0ull - {a}",
    "abs": lambda kind, a, _: f"{compared(kind, 'lt', a, '0ull')} ? 0ull - {a} : {a}",
    "div": _divided("divide"),
    "rem": _divided("remainder"),
}


def _product(instruction: Instruction, registers: Registers) -> list[str]:
    kind = kind_of(instruction, *INTEGERS)
    adds = instruction.opcode[0] == "mad"
    part = modifiers(instruction, "lo", "hi", "wide")
    if len(part) != 1:
        raise refuse(instruction)
    target, *given = operands(instruction, 4 if adds else 3)
    a, b = (registers.read(one, kind) for one in given[:2])
    whole = kind
    if "wide" in part:
        whole = f"{kind[0]}{WIDTHS[kind] * 2}"
        if whole not in TYPES:
            raise refuse(instruction)
        a, b = (f"{KIT}convert({TYPES[kind]}, {TYPES[f'{kind[0]}64']}, 0, false, {one})" for one in (a, b))
    value = f"{a} * {b}"
    if "hi" in part:
        value = f"{KIT}multiply_high({a}, {b}, {WIDTHS[kind]}, {truth(is_signed(kind))})"
    if adds:
        value = f"{value} + {registers.read(given[2], whole)}"
    return [registers.write(target, whole, value)]


def _bitwise(instruction: Instruction, registers: Registers) -> list[str]:
    kind = kind_of(instruction, "b16", "b32", "b64", "pred")
    modifiers(instruction)
    if instruction.opcode[0] == "not":
        target, a = operands(instruction, 2)
        return [registers.write(target, kind, f"~{_bits(registers, a, kind)}")]
    target, a, b = operands(instruction, 3)
    sign = BITWISE[instruction.opcode[0]]
    return [registers.write(target, kind, f"{_bits(registers, a, kind)} {sign} {_bits(registers, b, kind)}")]


def _bits(registers: Registers, operand: Operand, kind: str) -> str:
    if kind == "pred":
        return f"({registers.predicate(operand)} ? 1ull : 0ull)"
    return registers.read(operand, kind)


def _shift(instruction: Instruction, registers: Registers) -> list[str]:
    left = instruction.opcode[0] == "shl"
    kind = kind_of(instruction, "b16", "b32", "b64", *(() if left else INTEGERS))
    modifiers(instruction)
    target, value, count = operands(instruction, 3)
    a, n = registers.read(value, kind), registers.read(count, "b32")
    if left:
        return [registers.write(target, kind, f"{KIT}shift_left({a}, {n}, {WIDTHS[kind]})")]
    return [registers.write(target, kind, f"{KIT}shift_right({a}, {n}, {WIDTHS[kind]}, {truth(kind.startswith('s'))})")]


def _funnel(instruction: Instruction, registers: Registers) -> list[str]:
    kind_of(instruction, "b32")
    said = instruction.opcode[1:-1]
    if len(said) != 2 or said[0] not in {"l", "r"} or said[1] not in {"clamp", "wrap"}:  # noqa: PLR2004 -- direction, mode
        raise refuse(instruction)
    target, *given = operands(instruction, 4)
    low, high, count = (registers.read(one, "b32") for one in given)
    value = f"{KIT}funnel_shift({low}, {high}, {count}, {truth(said[0] == 'l')}, {truth(said[1] == 'clamp')})"
    return [registers.write(target, "b32", value)]


def _field(instruction: Instruction, registers: Registers) -> list[str]:
    if instruction.opcode[0] == "bfe":
        kind = kind_of(instruction, "u32", "s32", "u64", "s64")
        modifiers(instruction)
        target, value, *where = operands(instruction, 4)
        position, length = (registers.read(one, "b32") for one in where)
        given = f"{registers.read(value, kind)}, {position}, {length}, {WIDTHS[kind]}, {truth(is_signed(kind))}"
        return [registers.write(target, kind, f"{KIT}extract_field({given})")]
    kind = kind_of(instruction, "b32", "b64")
    modifiers(instruction)
    target, value, into, *where = operands(instruction, 5)
    position, length = (registers.read(one, "b32") for one in where)
    given = f"{registers.read(value, kind)}, {registers.read(into, kind)}, {position}, {length}, {WIDTHS[kind]}"
    return [registers.write(target, kind, f"{KIT}insert_field({given})")]


def _counted(instruction: Instruction, registers: Registers) -> list[str]:
    """popc, clz, brev and bfind."""
    name = instruction.opcode[0]
    kind = kind_of(instruction, *(("u32", "s32", "u64", "s64") if name == "bfind" else ("b32", "b64")))
    said = modifiers(instruction, *(("shiftamt",) if name == "bfind" else ()))
    target, value = operands(instruction, 2)
    a = f"{registers.read(value, kind)}, {WIDTHS[kind]}"
    if name == "bfind":
        code = f"{KIT}find_leading({a}, {truth(is_signed(kind))}, {truth('shiftamt' in said)})"
        return [registers.write(target, "b32", code)]
    function = {"popc": "population", "clz": "leading_zeros", "brev": "reverse_bits"}[name]
    return [registers.write(target, kind if name == "brev" else "b32", f"{KIT}{function}({a})")]


def _permute(instruction: Instruction, registers: Registers) -> list[str]:
    kind_of(instruction, "b32")
    modifiers(instruction)
    target, *given = operands(instruction, 4)
    a, b, c = (registers.read(one, "b32") for one in given)
    return [registers.write(target, "b32", f"{KIT}permute_bytes({a}, {b}, {c})")]


def _logic(instruction: Instruction, registers: Registers) -> list[str]:
    kind_of(instruction, "b32")
    modifiers(instruction)
    target, *given, table = operands(instruction, 5)
    number = registers.constant(table)
    if number is None:
        raise refuse(instruction)
    a, b, c = (registers.read(one, "b32") for one in given)
    return [registers.write(target, "b32", f"{KIT}logic_3({a}, {b}, {c}, static_cast<int>({number} & 0xff))")]


OF_BITS: dict[str, Emit] = {
    **dict.fromkeys(("and", "or", "xor", "not"), _bitwise),
    **dict.fromkeys(("shl", "shr"), _shift),
    "shf": _funnel,
    **dict.fromkeys(("bfe", "bfi"), _field),
    **dict.fromkeys(("popc", "clz", "brev", "bfind"), _counted),
    "prmt": _permute,
    "lop3": _logic,
}
