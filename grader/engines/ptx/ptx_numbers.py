"""Arithmetic, comparisons, conversions and moves of PTX: which function writes which instruction, and those of any type."""

from __future__ import annotations

from collections.abc import Callable

from grader.engines.ptx.ptx_reader import (
    FLOAT_OPERATIONS,
    NUMBER_OF_NAN,
    RELATIONS,
    ROUNDINGS,
    SATURATED,
    TYPES,
    WIDTHS,
    Both,
    Instruction,
    Not,
    Operand,
    Vector,
    base_type,
    is_float,
    is_signed,
)
from grader.engines.ptx.ptx_registers import INTEGERS, KIT, Emit, Registers, kind_of, modifiers, operands, refuse, truth
from grader.engines.ptx.ptx_video import VIDEO

# Arithmetic of floating-point numbers of PTX as calls of the kit's functions.

PAIRS = {"f16x2": "f16", "bf16x2": "bf16"}
_OF_PAIRS = 32
_APPROXIMATE = frozenset({"rsqrt", "ex2", "lg2", "sin", "cos"})


def floating(instruction: Instruction, registers: Registers, kind: str) -> list[str]:
    name = instruction.opcode[0]
    if name not in FLOAT_OPERATIONS or (name == "mad" and kind not in {"f32", "f64"}):
        raise refuse(instruction)
    said = modifiers(instruction, "rn", "rz", "rm", "rp", "ftz", "sat", "approx", "full", "NaN")
    single = name in {"rcp", "sqrt", "rsqrt", "ex2", "lg2", "sin", "cos", "neg", "abs"}
    count = 2 if single else 4 if name in {"fma", "mad"} else 3
    target, *given = operands(instruction, count)
    values = [registers.read(one, kind) for one in given]
    values += ["0ull"] * (3 - len(values))
    operation = NUMBER_OF_NAN[name] if "NaN" in said and name in NUMBER_OF_NAN else FLOAT_OPERATIONS[name]
    if "NaN" in said and name not in NUMBER_OF_NAN:
        raise refuse(instruction)
    roundings = [ROUNDINGS[one] for one in said if one in ROUNDINGS]
    if (
        len(roundings) > 1
        or (name in _APPROXIMATE and "approx" not in said)
        or (said & {"approx", "full"} and roundings)
    ):
        raise refuse(instruction)
    rounding, arguments = (roundings or [0])[0], ", ".join(values)
    if kind in {"f32", "f64"}:
        if kind == "f64" and said & {"ftz", "sat", "approx", "full"}:
            raise refuse(instruction)
        flush = f"{truth('ftz' in said)}, " if kind == "f32" else ""
        function = f"{KIT}{'float' if kind == 'f32' else 'double'}_operation"
        value = f"{function}({operation}, {rounding}, {flush}{arguments})"
        if "sat" in said:
            value = f"{function}({SATURATED}, 0, {flush}{value}, 0ull, 0ull)"
        return [registers.write(target, kind, value)]
    if kind == "tf32" or name not in {"add", "sub", "mul", "fma", "neg", "abs", "min", "max"} or said - {"rn", "NaN"}:
        raise refuse(instruction)
    pairs = _OF_PAIRS if kind in PAIRS else 0
    bfloat = truth(PAIRS.get(kind, kind) == "bf16")
    return [registers.write(target, kind, f"{KIT}half_operation({operation + pairs}, {bfloat}, {arguments})")]


def copysign(instruction: Instruction, registers: Registers) -> list[str]:
    return floating(instruction, registers, kind_of(instruction, "f32", "f64"))


# Arithmetic of whole numbers, bits and shifts of PTX as C++ and calls of the kit's functions.

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
