"""Gives every student a name for the leaderboard: the one asked for, or one made with a secret key. Pure.

Made names follow from the id by a keyed hash function, so nobody can compute them without the key. A name belongs to whoever had it
first. Where two students ask for the same name at the same time, neither gets it: an order would tell of the ids.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from grader.leaderboard.likeness import alike, identities, skeleton, tells_of
from grader.leaderboard.name_words import ADJECTIVES, ANIMALS
from grader.leaderboard.wishes import Wish
from grader.model.result import Submission

TAKEN = "this name is taken, or too much like the name or pseudonym of somebody in the course"
_REMEMBERED = 8  # names of one student that nobody else gets
_TRIES = 64  # of two words; after them a number follows


@dataclass(frozen=True)
class Called:
    name: str  # empty: not on the page
    chosen: bool = False
    note: str = ""


@dataclass(frozen=True)
class NameBook:
    """Who has which name, from batch to batch."""

    made: Mapping[str, str]  # student → name
    owned: Mapping[str, str]  # skeleton of a name that was chosen → student, the oldest first

    def with_owner(self, name: str, student: str) -> NameBook:
        others = {one: owner for one, owner in self.owned.items() if one != name}
        own = [one for one, owner in others.items() if owner == student]
        dropped = own[: max(0, len(own) - _REMEMBERED + 1)]
        return replace(
            self, owned={one: owner for one, owner in others.items() if one not in dropped} | {name: student}
        )


def call_students(
    students: Sequence[Submission],
    wishes: Mapping[str, Wish],
    book: NameBook,
    key: bytes,
    refused: Collection[str] = (),
) -> tuple[dict[str, Called], NameBook]:
    """A name for each student in `wishes`, by id. `students`: the whole class, whose names nobody may use. `refused`: names that the
    instructor does not want.
    """
    known = identities(students) | {skeleton(one) for one in refused} - {""}
    asked = {student: skeleton(wish.name) for student, wish in wishes.items() if wish.name}
    book = _with_made(book, list(wishes), key)
    called: dict[str, Called] = {}
    granted = book
    for student, wish in wishes.items():
        note = wish.note
        if wish.hidden:
            called[student] = Called("")
            continue
        if student in asked and not (note := _refusal(student, asked, known, book)):
            granted = granted.with_owner(asked[student], student)
            called[student] = Called(wish.name, chosen=True)
            continue
        called[student] = Called(book.made[student], note=note)
    return called, granted


def _refusal(student: str, asked: Mapping[str, str], known: frozenset[str], book: NameBook) -> str:
    name = asked[student]
    others = [one for one, owner in book.owned.items() if owner != student]
    if book.owned.get(name) == student and not tells_of(name, known):
        return ""
    rivals = [one for other, one in asked.items() if other != student]
    made = {skeleton(one) for one in book.made.values()}
    if not name or tells_of(name, known) or any(alike(name, one) for one in (*others, *rivals, *made)):
        return TAKEN
    return ""


def _with_made(book: NameBook, students: Sequence[str], key: bytes) -> NameBook:
    """With a made name for every student. New ones are served in an order that only the key gives."""
    made = dict(book.made)
    used = set(made.values())
    for student in sorted({*students} - made.keys(), key=lambda one: _digest(key, one, "order")):
        name = next(name for number in range(_TRIES * 100) if (name := _made(key, student, number)) not in used)
        made[student] = name
        used.add(name)
    return replace(book, made=made)


def _made(key: bytes, student: str, number: int) -> str:
    digest = _digest(key, student, str(number))
    adjective = ADJECTIVES[int.from_bytes(digest[:8]) % len(ADJECTIVES)]
    animal = ANIMALS[int.from_bytes(digest[8:16]) % len(ANIMALS)]
    return f"{adjective} {animal}" + (f" {2 + int.from_bytes(digest[16:20])}" if number >= _TRIES else "")


def _digest(key: bytes, student: str, purpose: str) -> bytes:
    return hmac.new(key, f"{purpose}\0{student}".encode("utf-8", "surrogatepass"), hashlib.sha256).digest()
