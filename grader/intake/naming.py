"""Names out of uploads: made safe to show, made into ids, compared with what a lab asks for. Pure."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Collection, Iterable

_SHOWN = 120
_TELLING = 5  # shorter names are not compared letter by letter
_ID_LENGTH = 60
# What NFKD does not take apart.
_LETTERS = str.maketrans({
    "ß": "ss", "ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE",
    "đ": "d", "Đ": "D", "ð": "d", "Ð": "D", "þ": "th", "Þ": "Th", "ı": "i",  # noqa: RUF001 -- the letter meant
})  # fmt: skip
# Names that Windows keeps for itself, with or without a suffix.
_RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)
# What browsers, systems and people add to a file's name.
_ADDED = re.compile(r"( ?\(\d+\)|[ _-]+(copy|kopie|copie|final|v?\d+)( ?\(?\d+\)?)?)$")
_SUFFIX = re.compile(r"\.(cu|cuh|cpp|cc|cxx|c|h|hpp|txt|text|bak|orig|docx?|rtf|cuda)$")


def clean(name: str) -> str:
    """An untrusted name for people: no control or formatting characters, no broken Unicode, not too long."""
    shown = "".join(
        "\N{REPLACEMENT CHARACTER}" if unicodedata.category(one)[0] == "C" else one for one in name[:_SHOWN]
    )
    return shown + "…" if len(name) > _SHOWN else shown


def id_of(name: str, taken: Collection[str]) -> str:
    """An id made from `name`: ASCII letters, digits, `-_.`, safe for a folder, unlike all of `taken` in any case."""
    plain = unicodedata.normalize("NFKD", name.translate(_LETTERS)).encode("ascii", "ignore").decode()
    slug = re.sub(r"[^A-Za-z0-9._-]+", "-", plain)[:_ID_LENGTH].strip("-._")
    if not slug:
        slug = "student-" + hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    if _RESERVED.fullmatch(slug):
        slug += "-student"
    used = {one.casefold() for one in taken}
    number, candidate = 1, slug
    while candidate.casefold() in used:
        number += 1
        candidate = f"{slug}-{number}"
    return candidate


def nearly(expected: str, names: Iterable[str]) -> list[str]:
    """Those of `names` that look meant to be `expected` but are not it, in their order."""
    return [name for name in names if name != expected and _one_edit(_essence(name), _essence(expected))]


def _essence(name: str) -> str:
    """What remains of a name without case, suffixes, copy marks and separators."""
    name = unicodedata.normalize("NFKC", name).casefold().strip()
    while True:
        shorter = _ADDED.sub("", _SUFFIX.sub("", name)).strip()
        if shorter in {name, ""}:
            return re.sub(r"[\s_.-]+", "", name)
        name = shorter


def _one_edit(left: str, right: str) -> bool:
    """Whether the two are equal but for one letter added, dropped, changed, or two neighbours swapped."""
    if left == right or min(len(left), len(right)) < _TELLING or abs(len(left) - len(right)) > 1:
        return left == right
    start = next((i for i, (a, b) in enumerate(zip(left, right, strict=False)) if a != b), min(len(left), len(right)))
    a, b = left[start:], right[start:]
    return a == b or a[1:] == b or a == b[1:] or a[1:] == b[1:] or (a[:2] == b[:2][::-1] and a[2:] == b[2:])


def is_junk(path: tuple[str, ...]) -> bool:
    """What systems and editors leave behind, and no student means to hand in."""
    return any(part.startswith(".") or part.casefold() in _JUNK for part in path)


_JUNK = frozenset({"__macosx", "thumbs.db", "desktop.ini", "icon\r", "__pycache__", "$recycle.bin"})
