"""Signs that look like others and are not the same to a compiler: full-width signs, typographic quotes, special blanks, letters of
other alphabets. Outside comments and strings. Pure.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from grader.engines.student_text.student_code import Place, StudentCode

_SIGNS = {
    "\N{LEFT DOUBLE QUOTATION MARK}": '"', "\N{RIGHT DOUBLE QUOTATION MARK}": '"', "\N{DOUBLE LOW-9 QUOTATION MARK}": '"',
    "\N{LEFT SINGLE QUOTATION MARK}": "'", "\N{RIGHT SINGLE QUOTATION MARK}": "'", "\N{ACUTE ACCENT}": "'",
    "\N{LEFT-POINTING DOUBLE ANGLE QUOTATION MARK}": '"', "\N{RIGHT-POINTING DOUBLE ANGLE QUOTATION MARK}": '"',
    "\N{HYPHEN}": "-", "\N{NON-BREAKING HYPHEN}": "-", "\N{EN DASH}": "-", "\N{EM DASH}": "-", "\N{MINUS SIGN}": "-",
    "\N{MULTIPLICATION SIGN}": "*", "\N{ASTERISK OPERATOR}": "*", "\N{MIDDLE DOT}": "*", "\N{DOT OPERATOR}": "*",
    "\N{DIVISION SIGN}": "/", "\N{FRACTION SLASH}": "/", "\N{DIVISION SLASH}": "/", "\N{LESS-THAN OR EQUAL TO}": "<=",
    "\N{GREATER-THAN OR EQUAL TO}": ">=", "\N{NOT EQUAL TO}": "!=", "\N{HORIZONTAL ELLIPSIS}": "...", "\N{GREEK QUESTION MARK}": ";",
    "\N{LEFT BLACK LENTICULAR BRACKET}": "[", "\N{RIGHT BLACK LENTICULAR BRACKET}": "]", "\N{IDEOGRAPHIC COMMA}": ",",
    "\N{IDEOGRAPHIC FULL STOP}": ".", "\N{ARABIC SEMICOLON}": ";", "\N{ARABIC COMMA}": ",", "\N{RIGHTWARDS ARROW}": "->",
}  # fmt: skip
_FULL_WIDTH = range(0xFF01, 0xFF5F)
_LETTERS = dict(
    zip("АВЕКМНОРСТХаеорсухіјѕΑΒΕΖΗΙΚΜΝΟΡΤΥΧο", "ABEKMHOPCTXaeopcyxijsABEZHIKMNOPTYXo", strict=True)  # noqa: RUF001 -- the point
)
_WORD = re.compile(r"[^\W\d]\w*")


def foreign_sign(code: StudentCode, lines: frozenset[int]) -> tuple[Place, str] | None:
    """The first such sign, and a sentence. Letters count on `lines` only, where the compiler complained: elsewhere they are a choice."""
    return next(_signs(code, lines), None)


def _signs(code: StudentCode, lines: frozenset[int]) -> Iterator[tuple[Place, str]]:
    for number, bare in enumerate(code.bare, 1):
        if bare.isascii():
            continue
        for at, sign in enumerate(bare):
            if not sign.isascii() and (said := _said(sign)):
                yield Place(number, at, at + 1), said
        if number in lines:
            for match in _WORD.finditer(bare):
                for at, letter in enumerate(match[0]):
                    if letter in _LETTERS:
                        yield Place(number, match.start(), match.end()), _of_letter(match[0], letter, at)


def _said(sign: str) -> str:
    point = f"U+{ord(sign):04X}"
    if ord(sign) in _FULL_WIDTH:
        plain = chr(ord(sign) - 0xFEE0)
        return f"`{sign}` is a full-width sign ({point}). C++ knows only the plain `{plain}`."
    if sign in _SIGNS:
        return f"`{sign}` ({point}) only looks like `{_SIGNS[sign]}`. C++ knows only the plain sign."
    category = unicodedata.category(sign)
    if category == "Zs":
        return f"A special space stands here ({unicodedata.name(sign, 'space').lower()}, {point}). C++ knows only the plain space."
    if category == "Cf":
        name = unicodedata.name(sign, "no name").lower()
        return f"An invisible sign stands here ({name}, {point}). Delete it and what is around it, and type the line again."
    return ""


def _of_letter(word: str, letter: str, at: int) -> str:
    alphabet = unicodedata.name(letter).split(" ", 1)[0].capitalize()
    where = "is" if len(word) == 1 else f"has, as letter {at + 1},"
    return f"`{word}` {where} a {alphabet} letter that only looks like the Latin `{_LETTERS[letter]}`: for C++ it is another name."
