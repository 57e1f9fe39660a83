"""Forms of people's names in which two spellings of one name are equal: "Lovelace, Ada" and "ada lovelace". Pure.

Whether two people are one is not decided here: see roster_matching.py.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

# Letters that NFKD does not split into a base letter and a mark.
_LETTERS = str.maketrans({
    "ß": "ss", "ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE",
    "đ": "d", "Đ": "D", "ð": "d", "Ð": "D", "þ": "th", "Þ": "Th", "ı": "i",  # noqa: RUF001 -- this letter is meant
})  # fmt: skip
_WORD = re.compile(r"[^\W\d_]+")
_FEWEST_LETTERS = 4  # of a name without spaces; shorter ones are equal by chance
_SHOWN, _NAMED = 60, 5


def plain_letters(text: str) -> str:
    """In letters of ASCII; what has no such letter is left out."""
    return unicodedata.normalize("NFKD", text.translate(_LETTERS)).encode("ascii", "ignore").decode()


def exact_form(name: str) -> str:
    """Equal where case, order of the words, digits and punctuation alone differ. Empty: no word is in it."""
    return " ".join(sorted(_WORD.findall(unicodedata.normalize("NFKC", name).casefold())))


def folded_form(name: str) -> str:
    """Equal where accents differ too. A name in another script has none."""
    return exact_form(plain_letters(name)) if exact_form(name).isascii() or _is_latin(name) else ""


def joined_form(*names: str) -> str:
    """All letters in their order, without accents, as Canvas writes "lovelaceada". Empty: too short to tell of anybody."""
    joined = "".join(_WORD.findall(plain_letters(" ".join(names)).casefold()))
    return joined if len(joined) >= _FEWEST_LETTERS else ""


def first_and_last(name: str) -> tuple[str, str]:
    """Of "Last, First"; both empty where the name has another form."""
    last, comma, first = name.partition(",")
    return (first.strip(), last.strip()) if comma and "," not in first else ("", "")


def shown(text: str) -> str:
    """In quotes and safe to print: no control or formatting character, not too long."""
    return repr(text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…")


def some(items: Iterable[str]) -> str:
    """The first few of a list, for a sentence."""
    items = list(items)
    return ", ".join(items[:_NAMED]) + (", …" if len(items) > _NAMED else "")


def _is_latin(name: str) -> bool:
    """Whether each letter has one of ASCII, so that nothing of the name is lost."""
    return all(plain_letters(one).strip() for one in name if one.isalpha())
