"""What in the name of a folder tells whose it is: a number, an address, or a login beside the student's name. Pure.

Whether that is enough is decided in roster_matching.py.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping

from grader.people.name_forms import exact_form, folded_form
from grader.people.person_keys import EMAIL, LOGIN, NUMBER, plain
from grader.people.roster import RosterRow

_LONG_NUMBER = re.compile(r"(?<!\d)\d{5,}(?!\d)")
_ADDRESS = re.compile(r"(?P<front>[\w.+'-]+)@(?P<end>[\w.-]+)")
_ZEROS = 12
_LONGEST = 255  # of a folder's name
_UMLAUTS = (("ä", "ae"), ("ö", "oe"), ("ü", "ue"), ("Ä", "Ae"), ("Ö", "Oe"), ("Ü", "Ue"))


def numbers_in(name: str, rows: Mapping[str, RosterRow] | None = None) -> list[str]:
    """Those that are long enough to be a student's; and a name that is one, with the zeros that a spreadsheet took away."""
    bare = name if rows and name.isascii() and name.isdecimal() else ""
    return [*_LONG_NUMBER.findall(name), *("0" * zeros + bare for zeros in range(1, _ZEROS) if bare)]


def _addresses(name: str, rows: Mapping[str, RosterRow]) -> Iterator[str]:
    """Of `Lovelace_Ada_ada@example.org_2026`, in which an address may hold underscores too."""
    for found in _ADDRESS.finditer(plain(name)[:_LONGEST]):
        fronts, ends = found["front"].split("_"), found["end"].split("_")
        for first, last in itertools.product(range(len(fronts)), range(len(ends), 0, -1)):
            address = f"{'_'.join(fronts[first:])}@{'_'.join(ends[:last]).strip('.-')}"
            if address in rows:
                yield address
                break


def _logins(name: str, rows: Mapping[str, RosterRow]) -> Iterator[str]:
    """Of `Lovelace_Ada_ada_4711` or `ada - Ada Lovelace`: where all words of that student's name stand there too."""
    words = Counter(ascii_words(name[:_LONGEST]))
    for separators in (r"[\s_,;()]+", r"[\s_,;()-]+"):
        for login in dict.fromkeys(re.split(separators, plain(name)[:_LONGEST])):
            row = rows.get(login)
            if row is not None and (called := Counter(ascii_words(row.student.name))):
                beside = words - Counter(ascii_words(login))
                if called <= beside:
                    yield login


def ascii_words(name: str) -> list[str]:
    """With "ue" for an umlaut, as platforms that know no such letters write it."""
    for letter, plain_form in _UMLAUTS:
        name = name.replace(letter, plain_form)
    return (folded_form(name) or exact_form(name)).split()


PARTS: Mapping[str, Callable[[str, Mapping[str, RosterRow]], Iterable[str]]] = {
    NUMBER: numbers_in,
    LOGIN: _logins,
    EMAIL: _addresses,
}
