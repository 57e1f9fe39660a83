"""Makes text from a submission safe to show: no hidden characters, no change of direction, no endless text. Pure.

Control characters become their names in ⟨brackets⟩. Invisible characters and characters that change the direction become their code
points. Text that is too long is cut, and says so. The templates escape for HTML; this file does not.
"""

from __future__ import annotations

import json
import math
import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any, TypeVar, cast

from markupsafe import Markup, escape
from pydantic import BaseModel

from grader.model.result import Submission

# Controls, format characters, lone surrogates, private use, unassigned, separators: a reader would not see them.
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_JOINERS = "\u200c\u200d"  # Persian and Indic names, and many emoji, need them
_MARKS = 4  # the most combining marks on one letter; no writing system has more
_TAB = 4
_NOTE = 18  # letters of "… (+3 characters)": a shorter rest is shown instead
# Names, and not the pictures from U+2400 on, which few fonts have.
_CONTROLS = (
    *("NUL", "SOH", "STX", "ETX", "EOT", "ENQ", "ACK", "BEL", "BS", "TAB", "LF", "VT", "FF", "CR", "SO", "SI"),
    *("DLE", "DC1", "DC2", "DC3", "DC4", "NAK", "SYN", "ETB", "CAN", "EM", "SUB", "ESC", "FS", "GS", "RS", "US"),
)


@dataclass(frozen=True)
class Block:
    """Several lines, and the number of lines that were left out."""

    lines: tuple[str, ...]
    more: int = 0

    @property
    def text(self) -> str:
        return "\n".join(self.lines)


def line(text: str, limit: int = 400) -> str:
    """A name or a sentence on one line."""
    return _cut(text.strip(), limit, keep=_JOINERS)


def person(submission: Submission, limit: int = 80) -> str:
    """What people call the student; the id where that shows nothing."""
    return line(submission.called, limit) or line(submission.id, limit)


def code(text: str, limit: int = 200) -> str:
    """One line of source or of printed output, with its spaces and with expanded tabs."""
    return _cut(text[: limit + 1].expandtabs(_TAB) + text[limit + 1 :], limit, keep="")


def block(text: str, *, lines: int = 40, columns: int = 200) -> Block:
    """The first `lines` lines of a log or of a kernel's output."""
    rows = text.replace("\r\n", "\n").rstrip("\n").split("\n")
    return Block(tuple(code(row, columns) for row in rows[:lines]), max(0, len(rows) - lines))


def whole(text: str) -> str:
    """All of it, with its spaces and its lines."""
    return "\n".join(_cut(row, len(row), keep=_JOINERS) for row in text.split("\n"))


def json_text(plain: object) -> str:
    """For a terminal and for programs."""
    return escaped(json.dumps(plain, indent=1, ensure_ascii=False))


def escaped(text: str) -> str:
    """A JSON text in which everything that a reader would not see is escaped, and nothing is lost."""
    lines = (one if one.isprintable() else "".join(map(_escaped_letter, one)) for one in text.split("\n"))
    return "\n".join(lines)


def _escaped_letter(letter: str) -> str:
    return letter if letter.isprintable() else json.dumps(letter)[1:-1]


Value = TypeVar("Value")


def cleaned(value: Value) -> Value:
    """`value` with every text in it made safe, also in the fields of models and data classes. Lines stay, tabs are expanded."""
    made: object = value
    if isinstance(value, str):
        made = value if value.isprintable() else whole(value.replace("\r\n", "\n").expandtabs(_TAB))
    elif isinstance(value, tuple) and type(value) is tuple:
        made = tuple(cleaned(one) for one in value)
    elif isinstance(value, list):
        made = [cleaned(one) for one in value]
    elif isinstance(value, Mapping):
        made = {key: cleaned(one) for key, one in value.items()}
    elif isinstance(value, BaseModel):
        made = value.model_copy(update=_changed(value, type(value).model_fields))
    elif is_dataclass(value) and not isinstance(value, type):
        made = replace(value, **_changed(value, [field.name for field in fields(value) if field.init]))
    return cast("Value", made)


def _changed(value: object, names: Iterable[str]) -> dict[str, Any]:
    pairs = ((name, getattr(value, name)) for name in names)
    return {name: clean for name, one in pairs if (clean := cleaned(one)) is not one}


def _cut(text: str, limit: int, *, keep: str) -> str:
    limit = len(text) if len(text) < limit + _NOTE else limit
    if len(text) <= limit and text.isascii() and text.isprintable():  # most texts
        return text
    shown: list[str] = []
    marks = 0
    for character in text[:limit]:
        marks = marks + 1 if unicodedata.combining(character) else 0
        shown.append(_sign(character) if marks > _MARKS else _seen(character, keep))
    more = len(text) - limit
    return "".join(shown) + (f"… (+{more:,} characters)" if more > 0 else "")


def _seen(character: str, keep: str) -> str:
    plain = character.isascii() and character.isprintable()
    return (
        character if plain or character in keep or unicodedata.category(character) not in _UNSEEN else _sign(character)
    )


def _sign(character: str) -> str:
    point = ord(character)
    return f"⟨{_CONTROLS[point]}⟩" if point < len(_CONTROLS) else f"⟨U+{point:04X}⟩"


# Turns sentences with `code` in them into HTML. Everything is escaped, because sentences may quote a submission.

_CODE = re.compile(r"`([^`\n]+)`")


def inline_code(sentence: str) -> Markup:
    """Text between a pair of backticks becomes <code>. A backtick without a partner stays."""
    return Markup(_CODE.sub(r"<code>\1</code>", str(escape(sentence))))  # noqa: S704 -- all of it is escaped before


# How reports write numbers: points, counts, indices, matrix elements. Pure.


def points(value: float) -> str:
    """`7`, `7.5`, `0.25`: never `7.0`."""
    return f"{value:.2f}".rstrip("0").rstrip(".") if math.isfinite(value) else "?"


def share(value: float, maximum: float) -> float:
    """`value` as percent of `maximum`, from 0 to 100. 0 where `maximum` is 0."""
    if not (math.isfinite(value) and maximum > 0):
        return 0.0
    return round(min(100.0, max(0.0, 100.0 * value / maximum)), 2)


def index(triple: tuple[int, int, int] | None) -> str | None:
    """CUDA's `(x,y,z)`, in the form that findings use."""
    return None if triple is None else "({},{},{})".format(*triple)


def element(value: float | None) -> str:
    """An element of an output, with the digits that fp32 can hold."""
    if value is None:
        return "unset or NaN"
    return f"{value:.7g}"


def expected(value: float | None) -> str:
    """What an element must be."""
    return "Inf or NaN" if value is None else element(value)


def difference(expected: float | None, got: float | None) -> str:
    return "" if got is None or expected is None else f"{got - expected:+.3g}"


def counted(number: int, one: str, many: str | None = None) -> str:
    """`1 case`, `1,204 cases`."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"
