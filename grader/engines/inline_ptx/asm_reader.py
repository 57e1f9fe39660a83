"""Reads one `asm` statement of a preprocessed text: its PTX text, its outputs and its inputs. What it means is not asked here."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from grader.engines.checks.token_stream import Token
from grader.engines.inline_ptx.ptx_words import NotUnderstoodError

ASSEMBLY = frozenset({"asm", "__asm", "__asm__"})
_QUALIFIERS = frozenset({"volatile", "__volatile__", "__volatile", "inline", "__inline__"})
_ESCAPES = {"n": "\n", "t": "\t", '"': '"', "\\": "\\", "r": "\r", "'": "'"}
_RAW = re.compile(r'R"([^()\\\s]{0,16})\((.*)\)\1"', re.DOTALL)
_OPENING, _CLOSING = frozenset("([{"), frozenset(")]}")


@dataclass(frozen=True)
class AsmOperand:
    constraint: str
    name: str
    text: str
    at: int


@dataclass(frozen=True)
class AsmStatement:
    """One asm statement. `pieces`: of the PTX text, each with where its literal stands in the file."""

    pieces: tuple[tuple[str, int], ...]
    outputs: tuple[AsmOperand, ...]
    inputs: tuple[AsmOperand, ...]
    end: int  # behind its closing parenthesis
    basic: bool


class StatementReader:
    """Reads one statement, from the token behind `asm` on."""

    def __init__(self, text: str, tokens: Sequence[Token], at: int) -> None:
        self._source, self._tokens, self._at = text, tokens, at

    def statement(self) -> AsmStatement:
        while self._text() in _QUALIFIERS:
            self._at += 1
        self._take("(", "`asm goto`" if self._text() == "goto" else "this form of `asm`")
        pieces: list[tuple[str, int]] = []
        while self._kind() == "string":
            pieces.append((_literal(self._text()), self._token().start))
            self._at += 1
        if not pieces:
            self._stop()
        basic = self._text() == ")"
        sections: list[tuple[AsmOperand, ...]] = []
        while self._text() in {":", "::"}:
            sections += [()] * (len(self._text()) - 1)
            self._at += 1
            if self._text() in {":", "::", ")"}:
                sections.append(())
            elif len(sections) == 2:  # noqa: PLR2004 -- behind outputs and inputs
                self._clobbers()
                sections.append(())
            else:
                sections.append(self._operands())
        end = self._token()
        self._take(")", "this form of `asm`")
        if len(sections) > 3:  # noqa: PLR2004 -- outputs, inputs, clobbers
            self._stop()
        outputs, inputs = (*sections, (), ())[:2]
        return AsmStatement(tuple(pieces), outputs, inputs, end.start + 1, basic)

    def _operands(self) -> tuple[AsmOperand, ...]:
        found = [self._operand()]
        while self._text() == ",":
            self._at += 1
            found.append(self._operand())
        return tuple(found)

    def _operand(self) -> AsmOperand:
        name = ""
        if self._text() == "[":
            self._at += 1
            name = self._text()
            self._at += 1
            self._take("]", "this form of `asm`")
        start = self._token().start
        if self._kind() != "string":
            self._stop()
        constraint = _literal(self._text())
        self._at += 1
        opening = self._token()
        self._take("(", "this form of `asm`")
        depth = 1
        while depth:
            token = self._token()
            if token.text in ASSEMBLY:
                self._stop()
            depth += (token.text in _OPENING) - (token.text in _CLOSING) if token.kind == "sign" else 0
            self._at += 1
        closing = self._tokens[self._at - 1]
        if closing.text != ")":
            self._stop()
        return AsmOperand(constraint, name, self._source[opening.start + 1 : closing.start], start)

    def _clobbers(self) -> None:
        while self._kind() == "string":
            if _literal(self._text()) != "memory":
                self._stop()
            self._at += 1
            if self._text() != ",":
                return
            self._at += 1
        self._stop()

    def _token(self) -> Token:
        if self._at >= len(self._tokens):
            self._stop()
        return self._tokens[self._at]

    def _text(self) -> str:
        return self._tokens[self._at].text if self._at < len(self._tokens) else ""

    def _kind(self) -> str:
        return self._tokens[self._at].kind if self._at < len(self._tokens) else ""

    def _take(self, text: str, what: str) -> None:
        if self._text() != text:
            raise NotUnderstoodError(what)
        self._at += 1

    @staticmethod
    def _stop() -> None:
        message = "this form of `asm`"
        raise NotUnderstoodError(message)


def _literal(text: str) -> str:
    """What a string literal holds. Only the escapes that PTX texts have."""
    if raw := _RAW.fullmatch(text):
        return raw[2]
    if not text.startswith('"') or re.search(r"\\[^nt\"\\r'\n]", text):
        message = "this kind of string"
        raise NotUnderstoodError(message)
    return re.sub(r"\\(.)", lambda escape: _ESCAPES[escape[1]], text[1:-1])
