"""What tells students apart: a platform's id, the university's number, the login, the e-mail address, the name of the upload. Pure.

Names of people are no keys: two students may have the same one, and students change theirs.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from grader.model.result import Student
from grader.model.written_names import plain_letters

NUMBER, LOGIN, EMAIL = "number", "login", "e-mail"
ACCOUNT = "GitHub Classroom"  # the platform's own id there
FOLDER = "upload"  # the exact name of an upload of which nothing else is known
ROSTER = "roster"  # of a row whose own keys are another student's at the moment
_WEAKER = {NUMBER: 1, LOGIN: 2, EMAIL: 3, FOLDER: 4, ROSTER: 5}  # a platform's own id is the strongest: 0
# One student has several: Moodle numbers participants anew in each assignment.
_CHANGES = frozenset({"Moodle", FOLDER, ROSTER})


class Key(NamedTuple):
    kind: str  # one of the above, or a platform's name
    value: str

    @property
    def strength(self) -> int:
        """The smaller, the stronger."""
        return _WEAKER.get(self.kind, 0)

    @property
    def changes(self) -> bool:
        """Whether one student has several of this kind."""
        return self.kind in _CHANGES

    def __str__(self) -> str:
        value = self.value.partition("\0")[0]
        return f"{self.kind} {value[:60]!r}"


def keys_of(student: Student) -> list[Key]:
    """The strongest first."""
    keys = [Key(platform, plain(value)) for platform, value in student.platform_ids.items()]
    keys += [Key(NUMBER, plain(student.number)), Key(LOGIN, plain(student.login)), Key(EMAIL, plain(student.email))]
    return [key for key in keys if key.value]


def plain(value: str) -> str:
    """As a key: case and Unicode's forms do not count."""
    return unicodedata.normalize("NFC", value.strip()).casefold()


def contradict(one: Iterable[Key], other: Iterable[Key], below: int = len(_WEAKER) + 1) -> bool:
    """Whether some kind stronger than `below` says that these are two people: both have a value of it, and none in common."""
    left, right = _by_kind(one), _by_kind(other)
    both = [kind for kind in left.keys() & right.keys() - _CHANGES if Key(kind, "").strength < below]
    return any(left[kind].isdisjoint(right[kind]) for kind in both)


def numbered(keys: Sequence[Key]) -> list[Key]:
    """The same keys, with a mark at each that has occurred before: nobody's own key holds a NUL."""
    seen: dict[Key, int] = {}
    marked = []
    for key in keys:
        seen[key] = count = seen.get(key, 0) + 1
        marked.append(key if count == 1 else Key(key.kind, f"{key.value}\0{count}"))
    return marked


def _by_kind(keys: Iterable[Key]) -> dict[str, set[str]]:
    kinds: dict[str, set[str]] = {}
    for kind, value in keys:
        kinds.setdefault(kind, set()).add(value)
    return kinds


# Ids of students: safe as a folder's name, and unique in any case. Pure.
#
# Who gets which id for good is decided in identities.py.

_LENGTH = 60
# Names that Windows reserves, with or without a suffix.
_RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)
SAFE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,79}")


def id_form(name: str) -> str:
    """An id made from `name` alone: ASCII letters, digits and `-_.`."""
    slug = re.sub(r"[^A-Za-z0-9._-]+", "-", plain_letters(name))[:_LENGTH].strip("-._")
    if not slug:
        slug = "student-" + hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{slug}-student" if _RESERVED.fullmatch(slug) else slug


class StudentIds:
    """The ids that are in use. None is ever given twice."""

    def __init__(self, used: Iterable[str] = ()) -> None:
        self._used = {one.casefold() for one in used}
        self._next: dict[str, int] = {}

    def __contains__(self, student_id: str) -> bool:
        return student_id.casefold() in self._used

    def take(self, student_id: str) -> None:
        self._used.add(student_id.casefold())

    def new(self, name: str) -> str:
        """The id form of `name`, with the next free number where it is in use."""
        form = id_form(name)
        key, candidate = form.casefold(), form
        while candidate in self:
            self._next[key] = number = self._next.get(key, 1) + 1
            candidate = f"{form}-{number}"
        self.take(candidate)
        return candidate
