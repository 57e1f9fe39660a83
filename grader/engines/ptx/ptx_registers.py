"""The registers of one `asm` statement as variables of C++, and operands as expressions. A name of the PTX text never reaches C++:
every variable has a name of ours.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from grader.engines.ptx.ptx_reader import (
    SPECIAL_REGISTERS,
    WIDE_SPECIAL,
    WIDTHS,
    Address,
    Instruction,
    Name,
    Not,
    NotUnderstoodError,
    Number,
    Operand,
    Vector,
    is_float,
)

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
