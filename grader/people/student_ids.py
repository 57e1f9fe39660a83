"""Ids of students: safe as a folder's name, and unique in any case. Pure.

Who gets which id for good is decided in identities.py.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable

from grader.people.name_forms import plain_letters

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
