"""Names from uploads: makes them safe to show, and compares them with the names that labs ask for. Pure."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from urllib.parse import unquote_plus

_SHOWN = 120
_SHORTEST_COMPARED = 5  # shorter names must be equal; for others, one letter may differ
_LONGEST_ADDED = 40  # letters: nobody's copy of a file has so many more than its name
# What browsers, systems and people append to a file's name.
_ADDED = re.compile(r"( ?\(\d+\)|[ _-]+(copy|kopie|copie|final|v?\d+)( ?\(?\d+\)?)?)$")
_SUFFIX = re.compile(r"\.(cu|cuh|cpp|cc|cxx|c|h|hpp|txt|text|bak|orig|docx?|rtf|cuda)$")


def clean(name: str) -> str:
    """An untrusted name, made safe to show: no control or formatting characters, no broken Unicode, not too long."""
    shown = "".join(
        "\N{REPLACEMENT CHARACTER}" if unicodedata.category(one)[0] == "C" else one for one in name[:_SHOWN]
    )
    return shown + "…" if len(name) > _SHOWN else shown


def nearly(expected: str, names: Iterable[str]) -> list[str]:
    """Those of `names` that are probably meant to be `expected` but are spelt otherwise, in their order."""
    short = (name for name in names if name != expected and not _is_too_long(name, expected))
    return [name for name in short if _one_edit(_bare_name(name), _bare_name(expected))]


def _is_too_long(name: str, expected: str) -> bool:
    """Whether it cannot be `expected` with something added. To compare such names takes long, and an archive may hold thousands."""
    return len(name) > len(expected) + _LONGEST_ADDED


# What browsers, systems and platforms make of a name by themselves. "final" and "v2" are a person's.
_COPIED = re.compile(r"(?: ?\(\d{1,3}\)|-\d{1,2}| (?:- )?(?:copy|kopie|copie|copia)(?: ?\(?\d{1,3}\)?)?)$")


def is_variant(name: str, expected: str) -> bool:
    """Whether a system made `name` of `expected`: another case, "(1)" or "copy" before the suffix, ".txt" behind it; also as in a web
    address, `%20` for a blank.
    """
    if _is_too_long(name, expected):
        return False
    plain = unicodedata.normalize("NFKC", unquote_plus(name) if "%" in name else name).casefold().strip()
    wanted = expected.casefold()
    stem, dot, suffix = wanted.rpartition(".")
    plain = plain.removesuffix(".txt").strip() if not wanted.endswith(".txt") else plain
    while plain != wanted:
        front, ending = (
            (plain[: -len(dot + suffix)], dot + suffix) if dot and plain.endswith(dot + suffix) else (plain, "")
        )
        shorter = _COPIED.sub("", front).strip()
        if shorter == front:
            return False
        plain = shorter + ending
        if plain == stem:
            return False
    return name != expected


def is_prefixed(name: str, expected: str) -> bool:
    """Whether `name` is `expected` with words of a system's in front: ILIAS writes `Late Submission - lab.cu`."""
    words, between, rest = name.rpartition(" - ")
    return bool(between) and len(words) <= _LONGEST_ADDED and (rest == expected or is_variant(rest, expected))


def _bare_name(name: str) -> str:
    """The name in lower case, without suffixes, copy marks and separators."""
    name = unicodedata.normalize("NFKC", name).casefold().strip()
    while True:
        shorter = _ADDED.sub("", _SUFFIX.sub("", name)).strip()
        if shorter in {name, ""}:
            return re.sub(r"[\s_.-]+", "", name)
        name = shorter


def _one_edit(left: str, right: str) -> bool:
    """Whether one edit makes the two equal: a letter added, removed or changed, or two neighbours swapped."""
    if left == right or min(len(left), len(right)) < _SHORTEST_COMPARED or abs(len(left) - len(right)) > 1:
        return left == right
    start = next((i for i, (a, b) in enumerate(zip(left, right, strict=False)) if a != b), min(len(left), len(right)))
    a, b = left[start:], right[start:]
    return a == b or a[1:] == b or a == b[1:] or a[1:] == b[1:] or (a[:2] == b[:2][::-1] and a[2:] == b[2:])


def is_junk(path: tuple[str, ...]) -> bool:
    """Whether the path is something that a system or an editor left behind and no student means to hand in."""
    return any(part.startswith(".") or part.casefold() in _JUNK for part in path)


def is_copy(folder: str) -> bool:
    """Whether a folder is called as people and tools call those for older copies and for what is built."""
    return bool(_COPIES.fullmatch(folder.casefold()))


_COPIES = re.compile(
    r"(?:old|older|backups?|bak|copy|copies|archives?|build|builds|out|output|bin|obj|dist|target|tmp|temp|trash|cmake-build-.*|venv|node_modules)"
    r"(?:[ _.-]?\d*)|.*[ _-](?:old|backup|bak|copy|kopie|copie)(?:[ _.-]?\d*)"
)
_JUNK = frozenset({"__macosx", "thumbs.db", "desktop.ini", "icon\r", "__pycache__", "$recycle.bin"})


# Forms of people's names in which two spellings of one name are equal: "Lovelace, Ada" and "ada lovelace". Pure.
#
# Whether two people are one is not decided here: see roster_matching.py.

# Letters that NFKD does not split into a base letter and a mark.
_LETTERS = str.maketrans({
    "ß": "ss", "ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE",
    "đ": "d", "Đ": "D", "ð": "d", "Ð": "D", "þ": "th", "Þ": "Th", "ı": "i",  # noqa: RUF001 -- this letter is meant
})  # fmt: skip
_WORD = re.compile(r"[^\W\d_]+")
_FEWEST_LETTERS = 4  # of a name without spaces; shorter ones are equal by chance
_NAME_FORMS_SHOWN, _NAMED = 60, 5


def plain_letters(text: str) -> str:
    """In letters of ASCII; what has no such letter is left out."""
    return unicodedata.normalize("NFKD", text.translate(_LETTERS)).encode("ascii", "ignore").decode()


def exact_form(name: str) -> str:
    """Equal where case, order of the words, digits and punctuation alone differ. Empty: no word is in it."""
    return " ".join(sorted(_WORD.findall(unicodedata.normalize("NFKC", name).casefold())))


def folded_form(name: str) -> str:
    """Equal where accents differ too. A name in another script has none."""
    # Each letter has one of ASCII, so that nothing of the name is lost.
    latin = exact_form(name).isascii() or all(plain_letters(one).strip() for one in name if one.isalpha())
    return exact_form(plain_letters(name)) if latin else ""


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
    return repr(text if len(text) <= _NAME_FORMS_SHOWN else f"{text[:_NAME_FORMS_SHOWN]}…")


def some(items: Iterable[str]) -> str:
    """The first few of a list, for a sentence."""
    items = list(items)
    return ", ".join(items[:_NAMED]) + (", …" if len(items) > _NAMED else "")
