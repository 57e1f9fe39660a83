"""Finds the student whom a person's word means: an id, a number, a login, an address, a platform's id, or the whole name. Pure.

Nothing is guessed. A word that two students have is refused, with their ids. A name that a student chose counts last: it can neither
take a word from whom the roster or the platform calls so, nor make it unusable.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from grader.model.result import Submission
from grader.people.identities import Identities
from grader.people.name_forms import exact_form, some
from grader.people.person_keys import keys_of, plain
from grader.people.student_ids import id_form

_Index = dict[str, set[str]]


class AmbiguousError(Exception):
    """The word may mean several students. The text names their ids."""


@dataclass(frozen=True)
class Meant:
    """`here`: whether the student is in this batch. Otherwise an earlier batch knew them."""

    id: str
    here: bool = True


class PersonIndex:
    """Of the students of a batch, and of those whom `book` knows from earlier ones. `rostered`: the ids of those in the roster; none: there
    is no roster, so ids and names of the platform are the best that anybody knows.
    """

    def __init__(
        self,
        submissions: Iterable[Submission],
        book: Identities | None = None,
        rostered: Collection[str] | None = None,
    ) -> None:
        known = book.all if book is not None else []
        listed = {one.id: one.listed for one in known}
        self._rostered = frozenset(rostered or ())
        self._here: set[str] = set()
        self._said: _Index = {}
        self._ids: _Index = {}  # those made of a name that the student chose
        self._listed_names: _Index = {}
        self._names: _Index = {}
        self._before: _Index = {}
        for one in submissions:
            name = listed.get(one.id, "") if one.id in self._rostered else ""
            self._here.add(one.id)
            self._add(self._said, {*(key.value for key in keys_of(one.student)), plain(name)} - {""}, one.id)
            of_roster = one.id in self._rostered and _made_of(one.id, one, name)
            self._add(self._said if rostered is None or of_roster else self._ids, {plain(one.id)}, one.id)
            self._add(self._listed_names, {exact_form(name)} - {""}, one.id)
            if not name:
                shown = {plain(one.name)} if one.id not in self._rostered else set()
                self._add(self._names, {exact_form(one.student.name), *shown} - {""}, one.id)
        for each in known:
            if each.id not in self._here:
                self._add(self._before, {plain(each.id), *(key.value for key in each.keys)}, each.id)

    @staticmethod
    def _add(index: _Index, keys: Iterable[str], student: str) -> None:
        for key in keys:
            index.setdefault(key, set()).add(student)
            if key.isdecimal():  # a spreadsheet takes the zeros in front away
                index.setdefault(_without_zeros(key), set()).add(student)

    def find(self, word: str) -> Meant | None:
        """None: nobody is meant. Raises AmbiguousError."""
        for found in self._ways(word):
            if len(found) > 1:
                message = f"{word!r} may be {some(sorted(found))}. Write the id that the class page shows"
                raise AmbiguousError(message)
            if found:
                student = next(iter(found))
                return Meant(student, student in self._here)
        return None

    def _ways(self, word: str) -> Iterator[set[str]]:
        """Whom the word may mean, by what is surest first."""
        exact, form = plain(word), exact_form(word)
        said = _of_key(self._said, exact)
        yield said & self._rostered or said
        yield _of_key(self._ids, exact)
        yield self._listed_names.get(form, set())
        yield self._names.get(exact, set()) | self._names.get(form, set())
        yield _of_key(self._before, exact)


def _of_key(index: _Index, key: str) -> set[str]:
    """Also by a number that has lost its zeros. One that still has them is what it is."""
    short = _without_zeros(key) if key.isdecimal() else ""
    exact = index.get(key, set())
    return exact if exact and key.startswith("0") else exact | index.get(short, set())


def _without_zeros(number: str) -> str:
    """With a mark, for another number may be written like this. Of zeros alone, nothing is left that tells of anybody."""
    short = number.lstrip("0")
    return f"\0{short}" if short else number


def _made_of(student: str, submission: Submission, name: str) -> bool:
    """Whether the id follows from what the roster or the platform says, with the number that tells it from an equal one."""
    said = (name, submission.student.login, submission.student.number, submission.student.email)
    forms = {id_form(one).casefold() for one in said if one}
    return bool({student.casefold(), re.sub(r"-\d+$", "", student).casefold()} & forms)
