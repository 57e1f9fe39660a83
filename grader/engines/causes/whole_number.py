"""Computes an expression of whole numbers as C does, where it is simple arithmetic. Nothing of a submission is run. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping

_TOKEN = re.compile(r"\d+[uUlL]*(?![\w.])|[^\W\d]\w*(?:\.[xyz]\b|::\w+)*|<=|>=|==|!=|&&|\|\||<<|>>|[-+*/%()<>?:,!]")
_LEVELS = (("||",), ("&&",), ("==", "!="), ("<", ">", "<=", ">="), ("<<", ">>"), ("+", "-"), ("*", "/", "%"))
_CAST = frozenset({"int", "unsigned", "size_t", "long", "uint32_t", "int64_t"})
_LONGEST, _LARGEST, _DEEPEST = 300, 1 << 62, 40


class UnknownValueError(Exception):
    """The expression is no simple arithmetic, or a name in it has no known value."""


def whole_number(text: str, values: Mapping[str, int]) -> int:
    """Raises UnknownValueError."""
    tokens = _TOKEN.findall(text) if len(text) <= _LONGEST else []
    if not tokens or re.sub(r"\s", "", text) != "".join(tokens):
        raise UnknownValueError(text)
    reader = _Reader(tokens, values)
    value = reader.choice()
    if reader.next_token:
        raise UnknownValueError(text)
    return value


class _Reader:
    def __init__(self, tokens: list[str], values: Mapping[str, int]) -> None:
        self._tokens, self._values, self._at, self._depth = tokens, values, 0, 0

    @property
    def next_token(self) -> str:
        return self._tokens[self._at] if self._at < len(self._tokens) else ""

    def choice(self) -> int:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise UnknownValueError
        value = self._binary(0)
        if self._took("?"):
            first = self.choice()
            self._demand(":")
            second = self.choice()
            value = first if value else second
        self._depth -= 1
        return value

    def _binary(self, level: int) -> int:
        if level == len(_LEVELS):
            return self._single()
        value = self._binary(level + 1)
        while self.next_token in _LEVELS[level]:
            sign = self._take()
            value = _computed(sign, value, self._binary(level + 1))
        return value

    def _single(self) -> int:
        sign = self._take()
        if sign in {"-", "+", "!"}:
            value = self._single()
            return {"-": -value, "+": value, "!": int(not value)}[sign]
        return self._in_brackets() if sign == "(" else self._named(sign)

    def _in_brackets(self) -> int:
        """A cast, or an expression."""
        if self.next_token in _CAST and self._tokens[self._at + 1 : self._at + 2] == [")"]:
            self._at += 2
            return self._single()
        value = self.choice()
        self._demand(")")
        return value

    def _named(self, token: str) -> int:
        if token[:1].isdigit():
            return _number(token)
        if token in {"min", "max", "std::min", "std::max"} and self._took("("):
            one = self.choice()
            self._demand(",")
            other = self.choice()
            self._demand(")")
            return min(one, other) if token.endswith("min") else max(one, other)
        if token in _CAST and self._took("("):
            value = self.choice()
            self._demand(")")
            return value
        if token in self._values:
            return self._values[token]
        raise UnknownValueError(token)

    def _take(self) -> str:
        token = self.next_token
        self._at += 1
        return token

    def _took(self, token: str) -> bool:
        if self.next_token != token:
            return False
        self._at += 1
        return True

    def _demand(self, token: str) -> None:
        if not self._took(token):
            raise UnknownValueError(token)


def _number(token: str) -> int:
    digits = token.rstrip("uUlL")
    if digits != "0" and digits.startswith("0"):
        raise UnknownValueError(token)
    return int(digits)


def _computed(sign: str, one: int, other: int) -> int:
    if sign in {"/", "%"}:
        if other == 0:
            raise UnknownValueError(sign)
        quotient = abs(one) // abs(other) * (1 if (one < 0) == (other < 0) else -1)
        return quotient if sign == "/" else one - quotient * other
    if sign in {"<<", ">>"} and not 0 <= other < 32:  # noqa: PLR2004 -- bits
        raise UnknownValueError(sign)
    value = {
        "+": lambda: one + other, "-": lambda: one - other, "*": lambda: one * other, "<<": lambda: one << other,
        ">>": lambda: one >> other, "<": lambda: int(one < other), ">": lambda: int(one > other), "<=": lambda: int(one <= other),
        ">=": lambda: int(one >= other), "==": lambda: int(one == other), "!=": lambda: int(one != other),
        "&&": lambda: int(bool(one and other)), "||": lambda: int(bool(one or other)),
    }[sign]()  # fmt: skip
    if abs(value) > _LARGEST:
        raise UnknownValueError(sign)
    return value
