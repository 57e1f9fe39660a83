"""The value of an expression of C++, as far as its text and its names tell it: C's types, conversions, wrap and division. Pure.

Everything that needs a number of a source text asks here. What cannot be known is told with its reason and never guessed: calls, names
without a value, an `int` that overflows. Nothing of a submission is run, and the text's length and depth are bounded.
"""

from __future__ import annotations

import math
import operator
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NoReturn

from grader.source.cuda_vocabulary import TYPE_BYTES
from grader.source.lexer import Lexer

_LONGEST, _DEEPEST = 400, 40  # characters, brackets and signs in one another
_OF_A_TYPE = frozenset({"const", "signed", "std", "::"})
_DOUBLE_SIGNS = frozenset({"<=", ">=", "==", "!=", "||", "<<", ">>", "++", "--"})
_LEVELS = ("||", "&&", "|", "^", "&", "== !=", "< > <= >=", "<< >>", "+ -", "* / %")
_PRECEDENCE = {sign: level for level, signs in enumerate(_LEVELS) for sign in signs.split()}
_COMPARED: dict[str, Callable[[float, float], bool]] = {
    "<": operator.lt, ">": operator.gt, "<=": operator.le, ">=": operator.ge, "==": operator.eq, "!=": operator.ne,
}  # fmt: skip
_WHOLE: dict[str, Callable[[int, int], int]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "&": operator.and_, "|": operator.or_, "^": operator.xor,
}  # fmt: skip
_REAL: dict[str, Callable[[float, float], float]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
}
_ROUNDING = {"ceil": math.ceil, "floor": math.floor}


class UnknownValueError(Exception):
    """The expression has no value that is known here. The text says why."""


@dataclass(frozen=True)
class Kind:
    """A type after promotion: nothing smaller than `int` takes part in arithmetic."""

    name: str
    bytes: int
    is_signed: bool = True
    is_real: bool = False

    @property
    def rank(self) -> tuple[bool, int, bool]:
        return self.is_real, self.bytes, not self.is_signed


INT, UNSIGNED = Kind("int", 4), Kind("unsigned", 4, is_signed=False)
LONG, SIZE = Kind("long", 8), Kind("size_t", 8, is_signed=False)
FLOAT, DOUBLE = Kind("float", 4, is_real=True), Kind("double", 8, is_real=True)


@dataclass(frozen=True)
class Value:
    kind: Kind
    number: int | float

    @property
    def whole(self) -> int:
        """Raises UnknownValueError for a floating-point number."""
        if self.kind.is_real:
            raise UnknownValueError(f"{self.number} is no whole number")
        return int(self.number)

    @property
    def shown(self) -> int | float:
        """A `float` as the shortest decimal that stands for it: 0.1, and not 0.10000000149011612."""
        if self.kind is not FLOAT:
            return self.number
        decimals = (float(f"{self.number:.{digits}g}") for digits in range(1, 10))
        return next(one for one in decimals if _rounded(one, FLOAT) == self.number)


def evaluate(text: str, names: Mapping[str, Value] | Mapping[str, int] | Callable[[str], int | Value | None]) -> Value:
    """`names`: what is known, `block.x` and `std::name` as they are written. Raises UnknownValueError."""
    if len(text) > _LONGEST:
        raise UnknownValueError(f"an expression of more than {_LONGEST} characters")
    return _Reader(_signs(text), names if callable(names) else names.get).whole_text()


def typed(number: int) -> Value:
    """A number of which nothing more is known, as a literal has its type."""
    kind = next((one for one in (INT, LONG, SIZE) if _fits(number, one)), None)
    return _unknown(f"{number} fits no type") if kind is None else Value(kind, number)


def converted(value: Value, type_name: str) -> Value:
    """To the type that these words name; `auto` keeps its own. Raises UnknownValueError."""
    no_type = {"const", "constexpr", "static", "volatile", "auto"}
    words = [one for one in type_name.replace("std::", "").split() if one not in no_type]
    return _to(value, words) if words else value


def _to(value: Value, words: list[str]) -> Value:
    kind, bits = _kind(words)
    if words == ["bool"]:
        return Value(INT, int(value.number != 0))
    if kind.is_real:
        return Value(kind, _rounded(float(value.number), kind))
    number = int(value.number)
    is_signed = kind.is_signed and not any(one.startswith("u") for one in words)
    wrapped = _wrapped(number, bits, is_signed=is_signed)
    if value.kind.is_real and wrapped != number:
        return _unknown(f"{value.number} does not fit the type {' '.join(words)}")
    return Value(kind, wrapped)


def _kind(words: list[str]) -> tuple[Kind, int]:
    """The type, and the bits that it holds: `unsigned`, `long long`, `uint8_t`."""
    base = next((one for one in words if one not in {"signed", "unsigned"} and one != "int"), "int")
    if base not in TYPE_BYTES or base[-1] in "1234" or "half" in base:
        return _unknown(f"`{' '.join(words)}` is no number that is known here")
    size = TYPE_BYTES[base]
    if base in {"float", "double"}:
        return (FLOAT if base == "float" else DOUBLE), 8 * size
    is_signed = "unsigned" not in words and base not in {"bool", "size_t"} and base[0] != "u"
    if size > INT.bytes:
        return (LONG if is_signed else SIZE), 8 * size
    return (INT if is_signed or size < INT.bytes else UNSIGNED), 8 * size


def _unknown(why: str) -> NoReturn:
    raise UnknownValueError(why)


def _signs(text: str) -> list[str]:
    """Tokens, with the operators of two signs together."""
    found, behind = list[str](), -1
    for kind, word, at in Lexer(text):
        if kind == "comment":
            continue
        if kind in {"directive", "string", "character"}:
            _unknown(f"`{word[:20]}` is no number")
        if kind == "sign" and at == behind and found[-1] + word in _DOUBLE_SIGNS:
            found[-1] += word
            behind = -1
        else:
            found.append(word)
            behind = at + len(word)
    return found


class _Reader:
    """Reads the tokens once, from left to right."""

    def __init__(self, tokens: list[str], names: Callable[[str], int | Value | None]) -> None:
        self._tokens, self._names, self._at, self._depth = tokens, names, 0, 0

    def whole_text(self) -> Value:
        value = self._choice()
        return _unknown(f"`{self._next}` is not understood") if self._next else value

    @property
    def _next(self) -> str:
        return self._tokens[self._at] if self._at < len(self._tokens) else ""

    def _deeper(self) -> None:
        self._depth += 1
        if self._depth > _DEEPEST:
            _unknown("it is nested too deeply")

    def _choice(self) -> Value:
        self._deeper()
        value = self._binary(0)
        if self._took("?"):
            first = self._choice()
            self._demand(":")
            second = self._choice()
            value = _as(first if value.number else second, _common(first, second))
        self._depth -= 1
        return value

    def _binary(self, lowest: int) -> Value:
        value = self._single()
        while (level := _PRECEDENCE.get(self._next, -1)) >= lowest:
            sign = self._take()
            value = _computed(sign, value, self._binary(level + 1))
        return value

    def _single(self) -> Value:
        self._deeper()
        sign = self._take()
        if sign in {"-", "+", "!", "~"}:
            value = _signed(sign, self._single())
        elif sign == "(":
            value = self._in_brackets()
        else:
            value = self._named(sign)
        self._depth -= 1
        return value

    def _in_brackets(self) -> Value:
        """A cast, or an expression."""
        at = self._at
        if words := self._type_words(")"):
            return _to(self._single(), words)
        self._at = at
        value = self._choice()
        self._demand(")")
        return value

    def _type_words(self, closing: str) -> list[str]:
        """A type up to `closing`; empty: there is none here."""
        words = list[str]()
        while self._next in TYPE_BYTES or self._next in _OF_A_TYPE:
            words.append(self._take())
        words = [one for one in words if one not in {"const", "std", "::"}]
        return words if words and self._took(closing) else []

    def _named(self, word: str) -> Value:
        if word[:1].isdigit() or word[:1] == ".":
            return _literal(word)
        if word == "std" and self._took("::"):
            word = self._take()
        while self._next in {".", "::"} and self._at + 1 < len(self._tokens):
            word += self._take() + self._take()
        if word in {"true", "false"}:
            return Value(INT, int(word == "true"))
        if word == "static_cast" and self._took("<"):
            return self._cast()
        if word == "sizeof" and self._took("("):
            words = self._type_words(")")
            if not words:
                _unknown("sizeof of what is no type")
            return Value(SIZE, TYPE_BYTES[words[0]] if len(words) == 1 else _kind(words)[1] // 8)
        if self._next == "(":
            return self._called(word)
        found = self._names(word)
        if found is None:
            _unknown(f"the value of `{word}` is not known" if word else "it ends too early")
        return found if isinstance(found, Value) else typed(found)

    def _cast(self) -> Value:
        words = self._type_words(">")
        if not words or not self._took("("):
            _unknown("a type of static_cast is not known")
        value = self._choice()
        self._demand(")")
        return _to(value, words)

    def _called(self, name: str) -> Value:
        self._demand("(")
        values = [self._choice()]
        while self._took(","):
            values.append(self._choice())
        self._demand(")")
        plain = name.removesuffix("f")
        if name in {"min", "max"} and len(values) == 2:  # noqa: PLR2004 -- both
            one, other = (_as(value, _common(*values)) for value in values)
            smaller, larger = (one, other) if one.number <= other.number else (other, one)
            return smaller if name == "min" else larger
        if len(values) != 1:
            _unknown(f"the function `{name}` is not known")
        (value,) = values
        if plain in {"ceil", "floor", "sqrt"}:
            is_float = value.kind is FLOAT or plain != name
            return _real_function(plain, value, FLOAT if is_float else DOUBLE)
        return _to(value, [name]) if name in TYPE_BYTES else _unknown(f"the function `{name}` is not known")

    def _take(self) -> str:
        token = self._next
        self._at += 1
        return token

    def _took(self, token: str) -> bool:
        taken = self._next == token
        self._at += taken
        return taken

    def _demand(self, token: str) -> None:
        if not self._took(token):
            _unknown(f"`{token}` is missing")


def _literal(word: str) -> Value:
    digits = word.replace("'", "").lower()
    is_hex = digits.startswith("0x")
    try:
        if not is_hex and any(sign in digits for sign in ".e"):
            kind = FLOAT if digits.endswith("f") else DOUBLE
            return Value(kind, _rounded(float(digits.removesuffix("f")), kind))
        plain = digits.rstrip("ul")
        suffix = digits[len(plain) :]
        octal = plain.startswith("0") and plain.isdigit()
        number = int(plain, 8 if octal else 0)
    except ValueError:
        return _unknown(f"`{word}` is no number")
    if suffix not in {"", "u", "l", "ul", "lu", "ll", "ull", "llu"}:
        _unknown(f"`{word}` is no number")
    decimal = plain.isdigit() and not octal
    kinds = [
        kind
        for kind in (INT, UNSIGNED, LONG, SIZE)
        if (not kind.is_signed or "u" not in suffix)
        and (kind.is_signed or "u" in suffix or not decimal)
        and (kind.bytes > INT.bytes or "l" not in suffix)
    ]
    kind_of = next((kind for kind in kinds if _fits(number, kind)), None)
    return _unknown(f"`{word}` fits no type") if kind_of is None else Value(kind_of, number)


def _fits(number: int, kind: Kind) -> bool:
    return _wrapped(number, 8 * kind.bytes, is_signed=kind.is_signed) == number


def _wrapped(number: int, bits: int, *, is_signed: bool) -> int:
    low = number & ((1 << bits) - 1)
    return low - (1 << bits) if is_signed and low >> (bits - 1) else low


def _rounded(number: float, kind: Kind) -> float:
    if kind is FLOAT:
        try:
            number = struct.unpack("f", struct.pack("f", number))[0]
        except OverflowError:
            number = math.inf
    return number if math.isfinite(number) else _unknown("it is not finite")


def _common(one: Value, other: Value) -> Kind:
    """C's usual arithmetic conversions."""
    return max(one.kind, other.kind, key=lambda kind: kind.rank)


def _as(value: Value, kind: Kind) -> Value:
    if kind.is_real:
        return Value(kind, _rounded(float(value.number), kind))
    return Value(kind, _wrapped(int(value.number), 8 * kind.bytes, is_signed=kind.is_signed))


def _signed(sign: str, value: Value) -> Value:
    if sign == "!":
        return Value(INT, int(not value.number))
    if sign == "-" and value.kind.is_real:
        return Value(value.kind, -value.number)
    return value if sign == "+" else _result(~value.whole if sign == "~" else -value.whole, value.kind)


def _result(number: int, kind: Kind) -> Value:
    """Unsigned numbers wrap; what a signed one does that overflows, nobody knows."""
    if kind.is_signed and not _fits(number, kind):
        _unknown(f"it overflows the type {kind.name}")
    return Value(kind, _wrapped(number, 8 * kind.bytes, is_signed=kind.is_signed))


def _computed(sign: str, one: Value, other: Value) -> Value:
    if sign in {"&&", "||"}:
        both = bool(one.number), bool(other.number)
        return Value(INT, int(all(both) if sign == "&&" else any(both)))
    if sign in {"<<", ">>"}:
        return _shifted(sign, one, other)
    kind = _common(one, other)
    one, other = _as(one, kind), _as(other, kind)
    if sign in _COMPARED:
        return Value(INT, int(_COMPARED[sign](one.number, other.number)))
    if kind.is_real:
        if sign not in _REAL or (sign == "/" and not other.number):
            _unknown(f"`{sign}` of floating-point numbers" if other.number else "a division by 0")
        return Value(kind, _rounded(_REAL[sign](one.number, other.number), kind))
    if sign not in {"/", "%"}:
        return _result(_WHOLE[sign](one.whole, other.whole), kind)
    if not other.number:
        _unknown("a division by 0")
    quotient = abs(one.whole) // abs(other.whole) * (1 if (one.number < 0) == (other.number < 0) else -1)
    _result(quotient, kind)  # the smallest number by -1 has no remainder either
    return Value(kind, quotient if sign == "/" else one.whole - quotient * other.whole)


def _shifted(sign: str, one: Value, other: Value) -> Value:
    """As in C++20: what leaves at the left is lost."""
    if not 0 <= other.whole < 8 * one.kind.bytes:
        _unknown(f"`{sign}` by {other.whole}")
    number = one.whole << other.whole if sign == "<<" else one.whole >> other.whole
    return Value(one.kind, _wrapped(number, 8 * one.kind.bytes, is_signed=one.kind.is_signed))


def _real_function(name: str, value: Value, kind: Kind) -> Value:
    if name == "sqrt":
        root = math.sqrt(value.number) if value.number >= 0 else _unknown("a root of a negative number")
        return Value(kind, _rounded(root, kind))
    return Value(kind, float(_ROUNDING[name](_as(value, kind).number)))
