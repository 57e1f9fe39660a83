"""Reads a PTX text into its statements, by a strict grammar: what it does not know is refused. And gives registers and operands as C++."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal

# What a PTX text consists of: statements and their operands, as plain data. It knows no instruction's meaning.


@dataclass(frozen=True)
class Name:
    """A register, a special register, or an operand of the statement (`%0`)."""

    text: str


@dataclass(frozen=True)
class Number:
    """A constant: a whole number, or the bits of a float of `width` bits (0: a whole number; 1: decimals of either width)."""

    value: int | float
    width: int = 0


@dataclass(frozen=True)
class Address:
    base: Name | Number
    offset: int


@dataclass(frozen=True)
class Vector:
    parts: tuple[Operand, ...]


@dataclass(frozen=True)
class Not:
    """`!p`"""

    of: Name


@dataclass(frozen=True)
class Both:
    """`p|q`"""

    first: Name
    second: Name


Operand = Name | Number | Address | Vector | Not | Both


@dataclass(frozen=True)
class Instruction:
    """`opcode`: its words, as ("ld", "global", "f32"). `guard`: the predicate before it."""

    opcode: tuple[str, ...]
    operands: tuple[Operand, ...]
    guard: Name | Not | None
    at: int

    @property
    def name(self) -> str:
        return ".".join(self.opcode)


@dataclass(frozen=True)
class Declaration:
    """`.reg .b32 a, b<4>;`"""

    type: str
    names: tuple[str, ...]


Statement = Instruction | Declaration | Literal["{", "}"]


# The words of PTX that are understood, with the numbers that the kit's functions know them by (`kit/executor/device_impl/inline_ptx/`).

SPACES = {"": 0, "global": 1, "shared": 2, "local": 3, "const": 4}
TYPES = {
    name: number
    for number, name in enumerate(
        ["u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64", "f32", "f64", "f16", "bf16", "tf32"]
    )
}
WIDTHS = {
    "pred": 1, "b8": 8, "u8": 8, "s8": 8, "b16": 16, "u16": 16, "s16": 16, "f16": 16, "bf16": 16, "b32": 32, "u32": 32,
    "s32": 32, "f32": 32, "f16x2": 32, "bf16x2": 32, "tf32": 32, "b64": 64, "u64": 64, "s64": 64, "f64": 64,
}  # fmt: skip
CONSTRAINTS = {"h": "b16", "r": "b32", "l": "b64", "f": "f32", "d": "f64"}
ROUNDINGS = {"rn": 0, "rz": 1, "rm": 2, "rp": 3, "rni": 4, "rzi": 5, "rmi": 6, "rpi": 7, "rna": 0}
RELATIONS = {
    "eq": 0, "ne": 1, "lt": 2, "le": 3, "gt": 4, "ge": 5, "equ": 6, "neu": 7, "ltu": 8, "leu": 9, "gtu": 10, "geu": 11,
    "num": 12, "nan": 13, "lo": 2, "ls": 3, "hi": 4, "hs": 5,
}  # fmt: skip
FLOAT_OPERATIONS = {
    "add": 0, "sub": 1, "mul": 2, "fma": 3, "mad": 3, "div": 4, "rcp": 5, "sqrt": 6, "rsqrt": 7, "ex2": 8, "lg2": 9,
    "sin": 10, "cos": 11, "min": 13, "max": 14, "neg": 15, "abs": 16, "copysign": 17,
}  # fmt: skip
NUMBER_OF_NAN = {"min": 18, "max": 19}  # with .NaN
SATURATED = 20
_BUILT_IN = {"tid": "threadIdx", "ntid": "blockDim", "ctaid": "blockIdx", "nctaid": "gridDim"}
_CLOCK, _LOW, _HIGH = "static_cast<unsigned long long>(::clock64())", " & 0xffffffffull", " >> 32"
_CLOCKS = {
    "clock": _LOW, "clock64": "", "clock_hi": _HIGH, "globaltimer_lo": _LOW, "globaltimer": "", "globaltimer_hi": _HIGH,
}  # fmt: skip
_OF_THE_KIT = """
    laneid warpid nwarpid smid nsmid lanemask_eq lanemask_lt lanemask_le lanemask_gt lanemask_ge dynamic_smem_size total_smem_size
"""
# What they are in CUDA C++, and the numbers of those that it does not have.
SPECIAL_REGISTERS: dict[str, str | int] = {
    **{f"{name}.{axis}": f"::{variable}.{axis}" for name, variable in _BUILT_IN.items() for axis in "xyz"},
    **{name: _CLOCK + part for name, part in _CLOCKS.items()},
    **{name: number for number, name in enumerate(_OF_THE_KIT.split())},
    "WARP_SZ": "32",
}
WIDE_SPECIAL = frozenset({"clock64", "globaltimer"})  # the others have 32 bits


class NotUnderstoodError(Exception):
    """Why a PTX text cannot be run here: an instruction, by its name, or what is wrong with it."""


def base_type(name: str) -> str:
    """The type whose arithmetic an untyped one has."""
    return f"u{name[1:]}" if name.startswith("b") and name[1:].isdigit() else name


def is_float(name: str) -> bool:
    return name in {"f32", "f64", "f16", "bf16", "f16x2", "bf16x2", "tf32"}


def is_signed(name: str) -> bool:
    return name.startswith("s")


_COMMENT = re.compile(r"//[^\n]*|/\*(?:.*?\*/|(?P<open>.*))", re.DOTALL)
_NAME = r"%\d+|%\[\w+\]|%%?[A-Za-z_][\w$]*(?:\.[xyzw])?|[A-Za-z_$][\w$]*"
_WHOLE = r"-?\s*(?:0[xX][0-9a-fA-F]+|0[bB][01]+|\d+)U?"
_NUMBER = rf"0[fF][0-9a-fA-F]{{8}}|0[dD][0-9a-fA-F]{{16}}|-?\s*\d+\.\d*(?:[eE][+-]?\d+)?|{_WHOLE}"
_BEGIN = re.compile(
    r"\s*(?:(?P<sign>[{};])"
    r"|\.reg\s*\.(?P<type>\w+)(?P<names>[^;]*);"
    rf"|(?:@\s*(?P<negated>!?)\s*(?P<guard>{_NAME})\s+)?(?P<opcode>[A-Za-z_$][\w$]*(?:\s*\.[A-Za-z_][\w:]*)*)(?P<label>\s*:)?\s*)"
)
_OPERAND = re.compile(
    r"\s*(?:\{\s*+(?P<parts>[^{}]*)\}"
    rf"|\[\s*(?P<base>{_NAME}|{_WHOLE})(?P<offsets>(?:\s*[+-]\s*{_WHOLE})*)\s*\]"
    rf"|!\s*(?P<denied>{_NAME})"
    rf"|(?P<number>{_NUMBER})"
    rf"|(?P<name>{_NAME})(?:\s*\|\s*(?P<second>{_NAME}))?)\s*"
)
_DECLARED = re.compile(r"\s*([A-Za-z_$%][\w$]*|%%[A-Za-z_][\w$]*)\s*(?:<\s*(\d+)\s*>\s*)?(?:,|$)")
_WORD = re.compile(rf"{_NAME}|\.[A-Za-z_][\w:]*|{_NUMBER}|[{{}}\[\](),;:@!|+<>-]")
_MOST_DECLARED = 256  # more than any statement has


def statements_of(text: str) -> list[Statement]:
    """Raises NotUnderstoodError."""
    text = _COMMENT.sub(lambda one: one[0] if one["open"] is not None else " " * len(one[0]), text).rstrip()
    found, depth, at = list[Statement](), 0, 0
    while at < len(text):
        begin = _BEGIN.match(text, at)
        if begin is None:
            raise _not_understood(text, at)
        start, at = begin.end() - len(begin[0].lstrip()), begin.end()
        if begin["sign"] in {"{", "}"}:
            depth += 1 if begin["sign"] == "{" else -1
            if depth < 0:
                raise _not_understood(text, start)
            found.append("{" if begin["sign"] == "{" else "}")
        elif begin["sign"]:
            continue
        elif begin["type"]:
            found.append(Declaration(begin["type"], tuple(_declared(begin["names"]))))
        elif begin["label"]:
            raise NotUnderstoodError(f"the label `{begin['opcode']}`")
        else:
            operands, at = _operands(text, at)
            guard = Name(begin["guard"]) if begin["guard"] else None
            opcode = re.sub(r"\s", "", begin["opcode"]).replace("::", ":").split(".")
            found.append(
                Instruction(tuple(opcode), operands, Not(guard) if guard and begin["negated"] else guard, start)
            )
    if depth != 0:
        raise NotUnderstoodError("a `{` without its `}`")
    return found


def _not_understood(text: str, at: int) -> NotUnderstoodError:
    """With the word, number or sign that stands there."""
    rest = text[at:].lstrip()
    word = _WORD.match(rest)
    shown = word[0] if word else rest[:20].strip()
    return NotUnderstoodError(f"`{shown}`" if rest else "a text that ends too early")


def _declared(text: str) -> Iterator[str]:
    at = 0
    while at < len(text) or not text:
        name = _DECLARED.match(text, at)
        if name is None or (name.end() == len(text) and text.rstrip().endswith(",")):
            raise _not_understood(text, at)
        if int(name[2] or 0) > _MOST_DECLARED:
            raise _not_understood(text, name.end(2))
        yield from (f"{name[1]}{number}" for number in range(int(name[2]))) if name[2] else (name[1],)
        at = name.end()


def _operands(text: str, at: int) -> tuple[tuple[Operand, ...], int]:
    """Up to the `;`, which may be missing at the end; and where what follows begins."""
    found = list[Operand]()
    while at < len(text) and text[at] != ";":
        if found and text[at] != ",":
            raise _not_understood(text, at)
        operand = _OPERAND.match(text, at + bool(found))
        if operand is None:
            raise _not_understood(text, at + bool(found))
        found.append(_operand(operand))
        at = operand.end()
    return tuple(found), min(at + 1, len(text))


def _operand(said: re.Match[str]) -> Operand:
    if said["parts"] is not None:
        parts, end = _operands(said["parts"], 0)
        if not parts or end < len(said["parts"]) or said["parts"].endswith(";"):
            raise _not_understood(said["parts"], 0)
        return Vector(parts)
    if said["base"]:
        base = _number(said["base"]) if re.match(r"[-\d]", said["base"]) else Name(said["base"])
        signs = re.findall(rf"([+-])\s*({_WHOLE})", said["offsets"])
        return Address(base, sum(int(_number(number).value) * (-1 if sign == "-" else 1) for sign, number in signs))
    if said["denied"]:
        return Not(Name(said["denied"]))
    if said["number"]:
        return _number(said["number"])
    name = Name(said["name"])
    return Both(name, Name(said["second"])) if said["second"] else name


def _number(text: str) -> Number:
    if text[1:2] in {"f", "F", "d", "D"}:
        return Number(int.from_bytes(bytes.fromhex(text[2:])), 64 if text[1] in "dD" else 32)
    negative, digits = text.startswith("-"), text.removeprefix("-").strip().removesuffix("U")
    if "." in digits:
        return Number(float(digits) * (-1 if negative else 1), 1)
    octal = len(digits) > 1 and digits[0] == "0" and digits[1].isdigit()
    try:
        value = int(digits, 8) if octal else int(digits, 0)
    except ValueError:
        raise _not_understood(text, 0) from None
    if value >> 64:
        raise _not_understood(text, 0)
    return Number(-value if negative else value)


# The registers of one `asm` statement as variables of C++, and operands as expressions. A name of the PTX text never reaches C++: every
# variable has a name of ours.

KIT = "::tilelab_ptx::"
_SINK = "_"


@dataclass(frozen=True)
class Register:
    """`code`: the variable with its bits."""

    code: str
    type: str

    @property
    def width(self) -> int:
        return WIDTHS[self.type]


class Registers:
    """What names mean in one statement. `operands`: the registers of `%0`, `%1`, …; `named`: of `%[name]`. One of type "n" is a
    constant that the compiler knows.
    """

    def __init__(self, operands: Sequence[Register], named: dict[str, Register]) -> None:
        self._operands, self._named = operands, named
        self._scopes: list[dict[str, Register]] = [{}]
        self._count = 0
        self.declared: list[str] = []

    def open(self) -> None:
        self._scopes.append({})

    def close(self) -> None:
        self._scopes.pop()

    def declare(self, kind: str, names: Sequence[str]) -> None:
        if kind not in WIDTHS or WIDTHS[kind] == 8:  # noqa: PLR2004 -- ptxas knows no such register
            raise NotUnderstoodError(f"`.reg .{kind}`")
        for name in names:
            if name in self._scopes[-1]:
                raise NotUnderstoodError(f"two registers named `{name}`")
            self._scopes[-1][name] = Register(self.variable(), kind)

    def variable(self) -> str:
        """A new variable with the bits of a register."""
        self._count += 1
        self.declared.append(f"tilelab_v{self._count}")
        return self.declared[-1]

    def find(self, name: Name) -> Register | None:
        text = name.text
        if text.startswith("%["):
            return self._named.get(text[2:-1])
        if text[1:].isdigit() and text.startswith("%"):
            at = int(text[1:])
            return self._operands[at] if at < len(self._operands) else None
        plain = text.replace("%%", "%")
        for scope in reversed(self._scopes):
            if plain in scope or text in scope:
                return scope.get(plain) or scope[text]
        return None

    def constant(self, operand: Operand) -> str | None:
        """The expression of a whole number that the compiler knows, or None."""
        if isinstance(operand, Number) and isinstance(operand.value, int) and operand.width == 0:
            return f"{operand.value & (1 << 64) - 1:#x}ull"
        found = self.find(operand) if isinstance(operand, Name) else None
        return found.code if found is not None and found.type == "n" else None

    def register(self, operand: Operand) -> Register:
        found = self.find(operand) if isinstance(operand, Name) else None
        if found is None or found.type == "n":
            raise NotUnderstoodError(f"the operand `{_shown(operand)}`")
        return found

    def read(self, operand: Operand, kind: str, *, wider: bool = False) -> str:
        """The bits of an operand of this type, as an expression. `wider`: a register may have more bits than the type."""
        if (constant := self.constant(operand)) is not None:
            return _whole(constant, kind)
        if isinstance(operand, Number):
            return _decimal(operand, kind)
        if special := self._special(operand):
            said = SPECIAL_REGISTERS[special]
            return f"{KIT}bits{{{said}}}" if isinstance(said, str) else f"{KIT}special_register({said})"
        register = self.register(operand)
        _check(register, kind, wider=wider)
        if wider and register.width > WIDTHS[kind]:
            return f"({register.code} & {mask(WIDTHS[kind])})"
        return register.code

    def write(self, operand: Operand, kind: str, value: str, *, wider: bool = False) -> str:
        """The statement that puts bits into a register of this type."""
        if isinstance(operand, Name) and operand.text == _SINK:
            return f"(void)({value});"
        register = self.register(operand)
        _check(register, kind, wider=wider)
        return f"{register.code} = ({value}) & {mask(register.width)};"

    def predicate(self, operand: Operand) -> str:
        if isinstance(operand, Not):
            return f"!({self.predicate(operand.of)})"
        if (constant := self.constant(operand)) is not None:
            return f"({constant} != 0)"
        register = self.register(operand)
        if register.type != "pred":
            raise NotUnderstoodError(f"the operand `{_shown(operand)}`, which is no predicate,")
        return f"({register.code} != 0)"

    def _special(self, operand: Operand) -> str | None:
        """The name of a special register; None for any other operand."""
        name = operand.text.removeprefix("%").removeprefix("%") if isinstance(operand, Name) else ""
        if not isinstance(operand, Name) or name not in SPECIAL_REGISTERS or self.find(operand):
            return None
        return name if operand.text[0] == "%" or name == "WARP_SZ" else None

    def special_width(self, operand: Operand) -> int:
        """Of a special register; 0 for any other operand."""
        special = self._special(operand)
        return 0 if special is None else 64 if special in WIDE_SPECIAL else 32


def parts_of(operand: Operand, count: int) -> tuple[Operand, ...]:
    """The operands in braces; a single one may stand without them."""
    parts = operand.parts if isinstance(operand, Vector) else (operand,)
    if len(parts) != count:
        raise NotUnderstoodError(f"a list of {len(parts)} operands where {count} belong")
    return parts


def address(registers: Registers, operand: Operand, *, narrow: bool) -> str:
    """`narrow`: of shared memory, whose addresses have 32 bits in either kind of register."""
    if not isinstance(operand, Address):
        raise NotUnderstoodError("an operand without `[ ]` where an address belongs")
    base = registers.constant(operand.base)
    if base is None:
        register = registers.register(operand.base)
        if register.width not in {32, 64} or (not narrow and register.width != 64):  # noqa: PLR2004 -- bits of a pointer
            raise NotUnderstoodError(f"an address in a register of {register.width} bits")
        base = register.code
    return f"{base} + {operand.offset & (1 << 64) - 1:#x}ull" if operand.offset else base


def mask(width: int) -> str:
    return f"{(1 << width) - 1:#x}ull"


def _check(register: Register, kind: str, *, wider: bool) -> None:
    """A register has the type's width, and its kind unless one of the two has no kind: ptxas refuses others."""
    width = WIDTHS[kind]
    fits = register.width == width or (wider and register.width > width)
    one, other = register.type, kind
    mixed = not (one.startswith("b") and one != "bf16") and not (other.startswith("b") and other != "bf16")
    if not fits or (mixed and not wider and is_float(one) != is_float(other)):
        raise NotUnderstoodError(f"an operand of type `.{register.type}` where `.{kind}` belongs")


def _whole(value: str, kind: str) -> str:
    if kind in {"f32", "f64", "f16", "bf16"}:
        raise NotUnderstoodError("a whole number where a float belongs")
    return f"({value} & {mask(WIDTHS[kind])})"


def _decimal(number: Number, kind: str) -> str:
    width = WIDTHS[kind]
    if number.width == width and isinstance(number.value, int):
        return f"{number.value:#x}ull"
    if number.width == 1 and kind in {"f32", "f64"}:
        with suppress(OverflowError):
            packed = struct.pack("<f" if kind == "f32" else "<d", number.value)
            return f"{int.from_bytes(packed, 'little'):#x}ull"
    raise NotUnderstoodError(f"the number `{number.value}` where `.{kind}` belongs")


def _shown(operand: Operand) -> str:
    return operand.text if isinstance(operand, Name) else type(operand).__name__.lower()


# What every kind of instruction needs: how operands and modifiers are taken, and how one is refused by its name.

Emit = Callable[[Instruction, Registers], list[str]]


def refuse(instruction: Instruction) -> NotUnderstoodError:
    return NotUnderstoodError(f"`{instruction.name.replace(':', '::')}`")


def operands(instruction: Instruction, *counts: int) -> Sequence[Operand]:
    if len(instruction.operands) not in counts:
        raise refuse(instruction)
    return instruction.operands


def modifiers(instruction: Instruction, *allowed: str) -> set[str]:
    """The words between the first and the last, which must all be known."""
    found = set(instruction.opcode[1:-1])
    if found - set(allowed):
        raise refuse(instruction)
    return found


def kind_of(instruction: Instruction, *allowed: str) -> str:
    kind = instruction.opcode[-1]
    if kind not in WIDTHS or (allowed and kind not in allowed):
        raise refuse(instruction)
    return kind


def truth(value: object) -> str:
    return "true" if value else "false"
