"""Reads a PTX text into its statements. A strict grammar: what it does not know is refused."""

from __future__ import annotations

import re
from dataclasses import dataclass

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


@dataclass(frozen=True)
class Scope:
    """`{` (opens) or `}`."""

    opens: bool


Statement = Instruction | Declaration | Scope


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
SPECIAL_REGISTERS = {
    "tid.x": 0, "tid.y": 1, "tid.z": 2, "ntid.x": 3, "ntid.y": 4, "ntid.z": 5, "ctaid.x": 6, "ctaid.y": 7, "ctaid.z": 8,
    "nctaid.x": 9, "nctaid.y": 10, "nctaid.z": 11, "laneid": 12, "warpid": 13, "nwarpid": 14, "smid": 15, "nsmid": 16,
    "lanemask_eq": 17, "lanemask_lt": 18, "lanemask_le": 19, "lanemask_gt": 20, "lanemask_ge": 21, "clock": 22,
    "clock64": 23, "clock_hi": 24, "globaltimer": 23, "globaltimer_lo": 22, "globaltimer_hi": 24, "WARP_SZ": 25,
    "dynamic_smem_size": 26, "total_smem_size": 27,
}  # fmt: skip
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


_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_TOKEN = re.compile(
    r"\s*(?:(?P<operand>%\d+|%\[\w+\])"
    r"|(?P<word>%%?[A-Za-z_][\w$]*(?:\.[xyzw])?|[A-Za-z_$][\w$]*)"
    r"|(?P<directive>\.[A-Za-z_][\w:]*)"
    r"|(?P<hexfloat>0[fF][0-9a-fA-F]{8}|0[dD][0-9a-fA-F]{16})"
    r"|(?P<float>\d+\.\d*(?:[eE][+-]?\d+)?)"
    r"|(?P<number>0[xX][0-9a-fA-F]+U?|0[bB][01]+U?|\d+U?)"
    r"|(?P<sign>[{}\[\](),;:@!|+<>-]))"
)


@dataclass(frozen=True)
class PtxToken:
    """A word, a number or a sign, and where it stands in the text."""

    kind: str
    text: str
    at: int


def statements_of(text: str) -> list[Statement]:
    """Raises NotUnderstoodError."""
    return _Reader(_pieces(_COMMENT.sub(lambda comment: " " * len(comment[0]), text))).statements()


def _pieces(text: str) -> list[PtxToken]:
    pieces, at = [], 0
    end = len(text.rstrip())
    while at < end:
        match = _TOKEN.match(text, at)
        if not match:
            message = f"`{text[at:].strip()[:20]}`"
            raise NotUnderstoodError(message)
        kind = match.lastgroup or ""
        pieces.append(PtxToken(kind, match[kind], match.start(kind)))
        at = match.end()
    return pieces


class _Reader:
    def __init__(self, pieces: list[PtxToken]) -> None:
        self._pieces = pieces
        self._at = 0

    def statements(self) -> list[Statement]:
        found: list[Statement] = []
        depth = 0
        while self._at < len(self._pieces):
            piece = self._pieces[self._at]
            if piece.text in {"{", "}"}:
                self._at += 1
                depth += 1 if piece.text == "{" else -1
                if depth < 0:
                    self._stop(piece)
                found.append(Scope(piece.text == "{"))
            elif piece.text == ";":
                self._at += 1
            elif piece.text == ".reg":
                found.append(self._declaration())
            else:
                found.append(self._instruction())
        if depth != 0:
            message = "a `{` without its `}`"
            raise NotUnderstoodError(message)
        return found

    def _declaration(self) -> Declaration:
        self._take(".reg")
        kind = self._next("directive").text.removeprefix(".")
        names: list[str] = []
        while True:
            name = self._next("word").text
            if self._peek() == "<":
                self._take("<")
                count = int(self._next("number").text)
                self._take(">")
                if count > 256:  # noqa: PLR2004 -- more than any statement has
                    self._stop(self._pieces[self._at - 1])
                names += [f"{name}{number}" for number in range(count)]
            else:
                names.append(name)
            if self._peek() != ",":
                break
            self._take(",")
        self._take(";")
        return Declaration(kind, tuple(names))

    def _instruction(self) -> Instruction:
        guard: Name | Not | None = None
        start = self._pieces[self._at].at
        if self._peek() == "@":
            self._take("@")
            negated = self._peek() == "!"
            if negated:
                self._take("!")
            guard = Not(self._name()) if negated else self._name()
        words = [self._next("word").text]
        if self._peek() == ":":
            message = f"the label `{words[0]}`"
            raise NotUnderstoodError(message)
        while self._at < len(self._pieces) and self._pieces[self._at].kind == "directive":
            words += self._next("directive").text.removeprefix(".").replace("::", ":").split(".")
        operands: list[Operand] = []
        while self._at < len(self._pieces) and self._peek() != ";":  # the last `;` may be missing
            if operands:
                self._take(",")
            operands.append(self._operand())
        if self._at < len(self._pieces):
            self._take(";")
        return Instruction(tuple(words), tuple(operands), guard, start)

    def _operand(self) -> Operand:
        sign = self._peek()
        if sign == "{":
            self._take("{")
            parts = [self._operand()]
            while self._peek() == ",":
                self._take(",")
                parts.append(self._operand())
            self._take("}")
            return Vector(tuple(parts))
        if sign == "[":
            return self._address()
        if sign == "!":
            self._take("!")
            return Not(self._name())
        if self._kind(1 if sign == "-" else 0) in {"number", "float", "hexfloat"}:
            return self._number()
        return self._register()

    def _register(self) -> Operand:
        name = self._name()
        if self._peek() == "|":
            self._take("|")
            return Both(name, self._name())
        return name

    def _address(self) -> Address:
        self._take("[")
        base: Name | Number = self._number() if self._kind() == "number" else self._name()
        offset = 0
        while self._peek() in {"+", "-"}:
            sign = -1 if self._peek() == "-" else 1
            self._at += 1
            number = self._number()
            if not isinstance(number.value, int) or number.width:
                self._stop(self._pieces[self._at - 1])
            offset += sign * int(number.value)
        self._take("]")
        return Address(base, offset)

    def _name(self) -> Name:
        piece = self._piece()
        if piece.kind not in {"word", "operand"}:
            self._stop(piece)
        self._at += 1
        return Name(piece.text)

    def _number(self) -> Number:
        negative = self._peek() == "-"
        if negative:
            self._at += 1
        piece = self._piece()
        self._at += 1
        if piece.kind == "hexfloat":
            if negative:
                self._stop(piece)
            return Number(int.from_bytes(bytes.fromhex(piece.text[2:])), 64 if piece.text[1] in "dD" else 32)
        if piece.kind == "float":
            return Number(float(piece.text) * (-1 if negative else 1), 1)
        if piece.kind != "number":
            self._stop(piece)
        digits = piece.text.removesuffix("U")
        octal = len(digits) > 1 and digits[0] == "0" and digits[1].isdigit()
        try:
            value = int(digits, 8) if octal else int(digits, 0)
        except ValueError:
            self._stop(piece)
        if value >> 64:
            self._stop(piece)
        return Number(-value if negative else value)

    def _piece(self) -> PtxToken:
        if self._at >= len(self._pieces):
            message = "a text that ends too early"
            raise NotUnderstoodError(message)
        return self._pieces[self._at]

    def _peek(self) -> str:
        return self._pieces[self._at].text if self._at < len(self._pieces) else ""

    def _kind(self, ahead: int = 0) -> str:
        at = self._at + ahead
        return self._pieces[at].kind if at < len(self._pieces) else ""

    def _next(self, kind: str) -> PtxToken:
        piece = self._piece()
        if piece.kind != kind:
            self._stop(piece)
        self._at += 1
        return piece

    def _take(self, text: str) -> None:
        piece = self._piece()
        if piece.text != text:
            self._stop(piece)
        self._at += 1

    @staticmethod
    def _stop(piece: PtxToken) -> None:
        message = f"`{piece.text}`"
        raise NotUnderstoodError(message)
