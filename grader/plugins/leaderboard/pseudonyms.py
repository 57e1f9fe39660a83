"""Gives every student a name for the leaderboard: the one asked for, or one made with a secret key. Pure.

Made names follow from the id by a keyed hash function, so nobody can compute them without the key. A name belongs to whoever had it
first. Where two students ask for the same name at the same time, neither gets it: an order would tell of the ids.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from pydantic import Field

from grader.model.result import LeaderboardName, Submission
from grader.model.written_names import nearly
from grader.roll.policy.grade_history import Kept

# When two names are so much alike that a reader takes one for the other. Pure.

_LOOK = str.maketrans("01345789i|", "oleastbgll")  # as they are used for each other
_PAIRS = (("rn", "m"), ("vv", "w"))
_SHORTEST = 4  # of a part of a real name that may stand nowhere in a pseudonym
_COMMON = 3  # a word in so many students' names tells of none of them: "file", "submission"


def skeleton(name: str) -> str:
    """What is left of a name where letters that look alike are the same, and case, accents, separators and doubled letters do not
    count.
    """
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().casefold().translate(_LOOK)
    letters = re.sub(r"[^a-z0-9]+", "", plain)
    for pair, letter in _PAIRS:
        letters = letters.replace(pair, letter)
    return re.sub(r"(.)\1+", r"\1", letters)


def alike(one: str, other: str) -> bool:
    """Of two skeletons: equal, or one edit apart where they are long."""
    return one == other or bool(nearly(one, [other]))


def identities(students: Iterable[Submission]) -> frozenset[str]:
    """Skeletons of everything in the students' names and ids that tells who somebody is."""
    whole: set[str] = set()
    parts: Counter[str] = Counter()
    for student in students:
        who = student.student
        known = (student.id, student.name, who.name, who.login, who.number, who.email)
        whole |= {skeleton(one) for one in known}
        words = re.split(r"[\W_]+", " ".join(known))
        parts.update({skeleton(word) for word in words})
    telling = {part for part, count in parts.items() if count < _COMMON and len(part) > 1}
    return frozenset((whole | telling) - {""})


def tells_of(name: str, known: frozenset[str]) -> bool:
    """Whether the skeleton `name` is like one of `known`, or holds a long one."""
    return any(alike(name, one) or (len(one) >= _SHORTEST and one in name) for one in known)


# The words that made pseudonyms consist of: an adjective and an animal. None of them says anything about speed or skill.

ADJECTIVES = (
    *("amber", "ancient", "arctic", "autumn", "azure", "bamboo", "blue", "bronze", "calm", "cedar", "cheerful"),
    *("cloudy", "cobalt", "copper", "coral", "cosmic", "crimson", "crystal", "curious", "dancing", "desert"),
    *("distant", "emerald", "evening", "floral", "forest", "friendly", "frosty", "gentle", "golden", "green"),
    *("happy", "hazel", "hidden", "humming", "indigo", "ivory", "jade", "jolly", "kind", "lilac", "linen", "lunar"),
    *("magenta", "maple", "marble", "merry", "mint", "misty", "morning", "mossy", "northern", "ocean", "olive"),
    *("orange", "patient", "pearl", "pine", "polar", "purple", "quiet", "rainy", "rosy", "ruby", "sandy"),
    *("scarlet", "silent", "silver", "singing", "snowy", "solar", "southern", "spring", "starry", "summer"),
    *("sunny", "teal", "tidal", "turquoise", "velvet", "violet", "wandering", "winter", "wooden", "yellow"),
)
ANIMALS = (
    *("albatross", "alpaca", "antelope", "armadillo", "avocet", "badger", "beaver", "bison", "bittern", "bobcat"),
    *("buffalo", "bullfinch", "camel", "caribou", "chamois", "chinchilla", "cormorant", "cougar", "crane", "cricket"),
    *("curlew", "dolphin", "dormouse", "dragonfly", "dunlin", "eider", "falcon", "ferret", "finch", "firefly"),
    *("flamingo", "fox", "gannet", "gazelle", "gecko", "gibbon", "giraffe", "goldfinch", "grouse", "hamster"),
    *("hedgehog", "heron", "hoopoe", "ibex", "iguana", "jackdaw", "jaguar", "kestrel", "kingfisher", "kiwi"),
    *("koala", "lapwing", "lemur", "leopard", "linnet", "llama", "lobster", "lynx", "magpie", "marmot", "marten"),
    *("meerkat", "moose", "narwhal", "newt", "nightingale", "octopus", "oriole", "osprey", "otter", "owl"),
    *("panda", "panther", "pelican", "penguin", "plover", "porcupine", "puffin", "quail", "rabbit", "raccoon"),
    *("raven", "reindeer", "robin", "salmon", "seahorse", "seal", "sparrow", "squirrel", "starling", "stork"),
    *("swallow", "swan", "tapir", "tiger", "toucan", "turtle", "walrus", "weasel", "wombat", "woodpecker", "zebra"),
)


# The pseudonym that a student asks for: a line in the lab's file, `// leaderboard: tile juggler`. Everything in it is hostile. Pure.
#
# Letters of ASCII alone are taken, so that no two names look the same, nothing runs from right to left and nothing is invisible.

SHORTEST, LONGEST = 3, 24
NOT_LISTED = "no"  # asks for no place on the page
FORM = f"a name has {SHORTEST} to {LONGEST} letters from A to Z, digits, spaces and hyphens, at least {SHORTEST} of them letters"
_LINE = re.compile(r"^[ \t]*//[ \t]*leaderboard[ \t]*:([^\n]*)$", re.MULTILINE | re.IGNORECASE)
_NAME = re.compile(rf"[A-Za-z0-9][A-Za-z0-9 -]{{{SHORTEST - 2},{LONGEST - 2}}}[A-Za-z0-9]")
_MADE = re.compile(rf"(?:{'|'.join(ADJECTIVES)})[ -]*(?:{'|'.join(ANIMALS)})[ -]*\d*", re.IGNORECASE)


@dataclass(frozen=True)
class Wish:
    """No name and no note: nothing was asked for."""

    name: str = ""
    note: str = ""  # why no name can be read
    hidden: bool = False  # the student does not want to be on the page
    source: str = ""  # digest of the file


def wish_in(text: str) -> Wish:
    """What the lab's file asks for."""
    asked = {re.sub(r"[ \t\r]+", " ", found).strip(" ") for found in _LINE.findall(text)} - {""}
    name, *others = asked or {""}
    note = ""
    if others:
        note = "the file asks for two names; write only one line `// leaderboard: …`"
    elif name.casefold() == NOT_LISTED:
        return Wish(hidden=True)
    elif name and (not _NAME.fullmatch(name) or sum(one.isalpha() for one in name) < SHORTEST):
        note = FORM
    elif _MADE.fullmatch(name):
        note = "names of a colour or the like and an animal are those that the course makes; choose one of another kind"
    return Wish("" if note else name, note)


TAKEN = "this name is taken, or too much like the name or pseudonym of another student in the course"
_REMEMBERED = 8  # names of one student that nobody else gets
_TRIES = 64  # of two words; after them a number follows


class NameBook(Kept):
    """Who has which name, from batch to batch. What a newer version has written into it stays."""

    made: dict[str, str] = Field(default_factory=dict)  # student → name
    owned: dict[str, str] = Field(default_factory=dict)  # skeleton of a chosen name → student, the oldest first


_Book = TypeVar("_Book", bound=NameBook)


def call_students(
    students: Sequence[Submission],
    wishes: Mapping[str, Wish],
    book: _Book,
    key: bytes,
    refused: Collection[str] = (),
) -> tuple[dict[str, LeaderboardName], _Book]:
    """A name for each student in `wishes`, by id. `students`: the whole class, whose names nobody may use. `refused`: names that the
    instructor does not want.
    """
    known = identities(students) | {skeleton(one) for one in refused} - {""}
    asked = {student: skeleton(wish.name) for student, wish in wishes.items() if wish.name}
    book = book.model_copy(update={"made": _with_made(book.made, list(wishes), key)})
    called: dict[str, LeaderboardName] = {}
    owned = book.owned
    for student, wish in wishes.items():
        name, note = "" if wish.hidden else book.made[student], wish.note
        if chosen := student in asked and not (note := _refusal(student, asked, known, book)):
            name, owned = wish.name, _with_owner(owned, asked[student], student)
        called[student] = LeaderboardName(name=name, chosen=chosen, note=note, source=wish.source)
    return called, book.model_copy(update={"owned": owned})


def _with_owner(owned: Mapping[str, str], name: str, student: str) -> dict[str, str]:
    others = {one: owner for one, owner in owned.items() if one != name}
    own = [one for one, owner in others.items() if owner == student]
    dropped = own[: max(0, len(own) - _REMEMBERED + 1)]
    return {one: owner for one, owner in others.items() if one not in dropped} | {name: student}


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


def _with_made(known: Mapping[str, str], students: Sequence[str], key: bytes) -> dict[str, str]:
    """With a made name for every student. New ones are served in an order that only the key gives."""
    made = dict(known)
    used = set(made.values())
    for student in sorted({*students} - made.keys(), key=lambda one: _digest(key, one, "order")):
        name = next(name for number in range(_TRIES * 100) if (name := _made(key, student, number)) not in used)
        made[student] = name
        used.add(name)
    return made


def _made(key: bytes, student: str, number: int) -> str:
    digest = _digest(key, student, str(number))
    adjective = ADJECTIVES[int.from_bytes(digest[:8]) % len(ADJECTIVES)]
    animal = ANIMALS[int.from_bytes(digest[8:16]) % len(ANIMALS)]
    return f"{adjective} {animal}" + (f" {2 + int.from_bytes(digest[16:20])}" if number >= _TRIES else "")


def _digest(key: bytes, student: str, purpose: str) -> bytes:
    return hmac.new(key, f"{purpose}\0{student}".encode("utf-8", "surrogatepass"), hashlib.sha256).digest()
