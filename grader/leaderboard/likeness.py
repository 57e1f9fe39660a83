"""When two names are so much alike that a reader takes one for the other. Pure."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable

from grader.intake.uploads.naming import nearly
from grader.model.result import Submission

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
