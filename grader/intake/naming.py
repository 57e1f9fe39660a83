"""Names from uploads: makes them safe to show, makes ids of them, and compares them with the names that labs ask for. Pure."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Collection, Iterable

_SHOWN = 120
_SHORTEST_COMPARED = 5  # shorter names must be equal; for others, one letter may differ
_ID_LENGTH = 60
# Letters that NFKD does not split into a base letter and a mark.
_LETTERS = str.maketrans({
    "ß": "ss", "ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE",
    "đ": "d", "Đ": "D", "ð": "d", "Ð": "D", "þ": "th", "Þ": "Th", "ı": "i",  # noqa: RUF001 -- this letter is meant
})  # fmt: skip
# Names that Windows reserves, with or without a suffix.
_RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)
# What browsers, systems and people append to a file's name.
_ADDED = re.compile(r"( ?\(\d+\)|[ _-]+(copy|kopie|copie|final|v?\d+)( ?\(?\d+\)?)?)$")
_SUFFIX = re.compile(r"\.(cu|cuh|cpp|cc|cxx|c|h|hpp|txt|text|bak|orig|docx?|rtf|cuda)$")


def clean(name: str) -> str:
    """An untrusted name, made safe to show: no control or formatting characters, no broken Unicode, not too long."""
    shown = "".join(
        "\N{REPLACEMENT CHARACTER}" if unicodedata.category(one)[0] == "C" else one for one in name[:_SHOWN]
    )
    return shown + "…" if len(name) > _SHOWN else shown


def id_of(name: str, taken: Collection[str]) -> str:
    """An id made from `name`, safe as a folder's name: ASCII letters, digits and `-_.`. It differs from all of `taken` in any case."""
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
    """Those of `names` that are probably meant to be `expected` but are spelt otherwise, in their order."""
    return [name for name in names if name != expected and _one_edit(_bare_name(name), _bare_name(expected))]


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


_JUNK = frozenset({"__macosx", "thumbs.db", "desktop.ini", "icon\r", "__pycache__", "$recycle.bin"})
