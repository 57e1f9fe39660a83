"""Arithmetic, comparisons, conversions and moves of PTX: which function writes which instruction, and those of any type."""

from __future__ import annotations

from dataclasses import dataclass

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


@dataclass(frozen=True)
class _Rule:
    """An instruction that reads its operands and writes its result as they are. `code` has their places, and `kit`, `type`, `width` and
    `signed` of the instruction's type. `reads`, `result`: types, "" for the instruction's own.
    """

    code: str
    reads: tuple[str, ...] = ("", "")
    kinds: tuple[str, ...] = INTEGERS
    result: str = ""

    def __call__(self, instruction: Instruction, registers: Registers) -> list[str]:
        kind = kind_of(instruction, *self.kinds)
        modifiers(instruction)
        target, *given = operands(instruction, 1 + len(self.reads))
        values = [registers.read(one, of or kind) for one, of in zip(given, self.reads, strict=True)]
        told = {"kit": KIT, "type": TYPES[base_type(kind)], "width": WIDTHS[kind], "signed": truth(is_signed(kind))}
        return [registers.write(target, self.result or kind, self.code.format(*values, **told))]


_WORDS = ("b32", "b64")
_LESS = f"{{kit}}compare({{type}}, {RELATIONS['lt']}, "
_OF_INTEGERS = {
    "add": _Rule("{0} + {1}"),
    "sub": _Rule("{0} - {1}"),
    "min": _Rule(_LESS + "{1}, {0}) ? {1} : {0}"),
    "max": _Rule(_LESS + "{0}, {1}) ? {1} : {0}"),
    "neg": _Rule("0ull - {0}", ("",)),
    "abs": _Rule(_LESS + "{0}, 0ull) ? 0ull - {0} : {0}", ("",)),
    "div": _Rule("{kit}divide({0}, {1}, {width}, {signed})"),
    "rem": _Rule("{kit}remainder({0}, {1}, {width}, {signed})"),
}
_OF_BITS = {
    "shl": _Rule("{kit}shift_left({0}, {1}, {width})", ("", "b32"), ("b16", *_WORDS)),
    "shr": _Rule("{kit}shift_right({0}, {1}, {width}, {signed})", ("", "b32"), ("b16", *_WORDS, *INTEGERS)),
    "bfe": _Rule("{kit}extract_field({0}, {1}, {2}, {width}, {signed})", ("", "b32", "b32"), INTEGERS[2:]),
    "bfi": _Rule("{kit}insert_field({0}, {1}, {2}, {3}, {width})", ("", "", "b32", "b32"), _WORDS),
    "popc": _Rule("{kit}population({0}, {width})", ("",), _WORDS, "b32"),
    "clz": _Rule("{kit}leading_zeros({0}, {width})", ("",), _WORDS, "b32"),
    "brev": _Rule("{kit}reverse_bits({0}, {width})", ("",), _WORDS),
    "prmt": _Rule("{kit}permute_bytes({0}, {1}, {2})", ("", "", ""), ("b32",)),
}


def integer(instruction: Instruction, registers: Registers) -> list[str]:
    """add, sub, min, max, neg, abs, div, rem, mul and mad."""
    name = instruction.opcode[0]
    if name in {"mul", "mad"}:
        return _product(instruction, registers)
    if name not in _OF_INTEGERS:
        raise refuse(instruction)
    return _OF_INTEGERS[name](instruction, registers)


def compared(kind: str, relation: str, a: str, b: str) -> str:
    return f"{KIT}compare({TYPES[base_type(kind)]}, {RELATIONS[relation]}, {a}, {b})"


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


def _funnel(instruction: Instruction, registers: Registers) -> list[str]:
    kind_of(instruction, "b32")
    said = instruction.opcode[1:-1]
    if len(said) != 2 or said[0] not in {"l", "r"} or said[1] not in {"clamp", "wrap"}:  # noqa: PLR2004 -- direction, mode
        raise refuse(instruction)
    target, *given = operands(instruction, 4)
    low, high, count = (registers.read(one, "b32") for one in given)
    value = f"{KIT}funnel_shift({low}, {high}, {count}, {truth(said[0] == 'l')}, {truth(said[1] == 'clamp')})"
    return [registers.write(target, "b32", value)]


def _logic(instruction: Instruction, registers: Registers) -> list[str]:
    kind_of(instruction, "b32")
    modifiers(instruction)
    target, *given, table = operands(instruction, 5)
    number = registers.constant(table)
    if number is None:
        raise refuse(instruction)
    a, b, c = (registers.read(one, "b32") for one in given)
    return [registers.write(target, "b32", f"{KIT}logic_3({a}, {b}, {c}, static_cast<int>({number} & 0xff))")]


def _find_leading(instruction: Instruction, registers: Registers) -> list[str]:
    kind = kind_of(instruction, *INTEGERS[2:])
    said = modifiers(instruction, "shiftamt")
    target, value = operands(instruction, 2)
    given = f"{registers.read(value, kind)}, {WIDTHS[kind]}, {truth(is_signed(kind))}, {truth('shiftamt' in said)}"
    return [registers.write(target, "b32", f"{KIT}find_leading({given})")]


def _byte_differences(instruction: Instruction, registers: Registers) -> list[str]:
    """Of the bytes of two words; with `.add`, their sum and the third operand."""
    if instruction.opcode[1:4] != ("u32",) * 3 or instruction.opcode[4:] not in {(), ("add",)}:
        raise refuse(instruction)
    target, *given = operands(instruction, 4)
    a, b, c = (registers.read(one, "b32") for one in given)
    adds = truth(instruction.opcode[4:])
    return [registers.write(target, "b32", f"{KIT}byte_differences({a}, {b}, {c}, {adds})")]


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
    **_OF_BITS,
    **dict.fromkeys(("and", "or", "xor", "not"), _bitwise),
    "shf": _funnel,
    "lop3": _logic,
    "bfind": _find_leading,
    "vabsdiff4": _byte_differences,
    **dict.fromkeys(("add", "sub", "mul", "mad", "fma", "div", "rem", "min", "max", "neg", "abs"), _number),
    **dict.fromkeys(("rcp", "sqrt", "rsqrt", "ex2", "lg2", "sin", "cos"), _number),
    "copysign": copysign,
    "selp": _select,
    "setp": _set_predicate,
    "mov": _move,
    "cvt": _convert,
}
