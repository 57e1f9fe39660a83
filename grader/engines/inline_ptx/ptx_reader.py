"""Reads a PTX text into its statements. A strict grammar: what it does not know is refused."""

from __future__ import annotations

import re
from dataclasses import dataclass

from grader.engines.inline_ptx.ptx_syntax import (
    Address,
    Both,
    Declaration,
    Instruction,
    Name,
    Negative,
    Not,
    Number,
    Operand,
    Part,
    Scope,
    Statement,
    Vector,
)
from grader.engines.inline_ptx.ptx_words import NotUnderstoodError

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
class Piece:
    """A word, a number or a sign, and where it stands in the text."""

    kind: str
    text: str
    at: int


def statements_of(text: str) -> list[Statement]:
    """Raises NotUnderstoodError."""
    return _Reader(_pieces(_COMMENT.sub(lambda comment: " " * len(comment[0]), text))).statements()


def _pieces(text: str) -> list[Piece]:
    pieces, at = [], 0
    end = len(text.rstrip())
    while at < end:
        match = _TOKEN.match(text, at)
        if not match:
            message = f"`{text[at:].strip()[:20]}`"
            raise NotUnderstoodError(message)
        kind = match.lastgroup or ""
        pieces.append(Piece(kind, match[kind], match.start(kind)))
        at = match.end()
    return pieces


class _Reader:
    def __init__(self, pieces: list[Piece]) -> None:
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
        if self._peek() == "-":
            self._take("-")
            return Negative(self._parted(self._name()))
        name = self._name()
        if self._peek() == "|":
            self._take("|")
            return Both(name, self._name())
        return self._parted(name)

    def _parted(self, name: Name) -> Name | Part:
        return Part(name, self._next("directive").text.removeprefix(".")) if self._kind() == "directive" else name

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

    def _piece(self) -> Piece:
        if self._at >= len(self._pieces):
            message = "a text that ends too early"
            raise NotUnderstoodError(message)
        return self._pieces[self._at]

    def _peek(self) -> str:
        return self._pieces[self._at].text if self._at < len(self._pieces) else ""

    def _kind(self, ahead: int = 0) -> str:
        at = self._at + ahead
        return self._pieces[at].kind if at < len(self._pieces) else ""

    def _next(self, kind: str) -> Piece:
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
    def _stop(piece: Piece) -> None:
        message = f"`{piece.text}`"
        raise NotUnderstoodError(message)
