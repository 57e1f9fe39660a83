"""Finds the student whom a person's word means: an id, a number, a login, an address, a platform's id, or the whole name. Pure.

Nothing is guessed. A word that two students have is refused, with their ids.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from grader.model.result import Submission
from grader.people.identities import Identities
from grader.people.name_forms import exact_form, some
from grader.people.person_keys import keys_of, plain


class AmbiguousError(Exception):
    """The word may mean several students. The text names their ids."""


@dataclass(frozen=True)
class Meant:
    """`here`: whether the student is in this batch. Otherwise an earlier batch knew them."""

    id: str
    here: bool = True


class PersonIndex:
    """Of the students of a batch, and of those whom `book` knows from earlier ones."""

    def __init__(self, submissions: Iterable[Submission], book: Identities | None = None) -> None:
        self._ways: tuple[dict[str, set[str]], ...] = ({}, {}, {}, {}, {})
        strong, zeros, names, before, before_zeros = self._ways
        for one in submissions:
            keys = {plain(one.id), *(key.value for key in keys_of(one.student))}
            self._add(strong, zeros, keys, one.id)
            for name in {exact_form(one.student.name), plain(one.name)} - {""}:
                names.setdefault(name, set()).add(one.id)
        self._here = {student for ids in strong.values() for student in ids}
        for known in book.all if book is not None else ():
            if known.id not in self._here:
                self._add(before, before_zeros, {plain(known.id), *(key.value for key in known.keys)}, known.id)

    @staticmethod
    def _add(index: dict[str, set[str]], zeros: dict[str, set[str]], keys: Iterable[str], student: str) -> None:
        for key in keys:
            index.setdefault(key, set()).add(student)
            if key.isdecimal():  # a spreadsheet takes the zeros in front away
                zeros.setdefault(key.lstrip("0"), set()).add(student)

    def find(self, word: str) -> Meant | None:
        """None: nobody is meant. Raises AmbiguousError."""
        strong, zeros, names, before, before_zeros = self._ways
        short = plain(word).lstrip("0") if word.strip().isdecimal() else ""
        ways: Sequence[tuple[dict[str, set[str]], str]] = (
            (strong, plain(word)),
            (names, plain(word)),
            (names, exact_form(word)),
            (zeros, short),
            (before, plain(word)),
            (before_zeros, short),
        )
        for index, key in ways:
            found = index.get(key, set()) if key else set()
            if len(found) > 1:
                message = f"{word!r} may be {some(sorted(found))}. Write the id that the class page shows"
                raise AmbiguousError(message)
            if found:
                student = next(iter(found))
                return Meant(student, student in self._here)
        return None
