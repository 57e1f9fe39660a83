"""Numbers of students that a spreadsheet has taken the zeros in front of: `42` of the roster is `0042` of the platform, or the other way
round. Pure.

A number is changed only where no other one of either side is equal but for its zeros.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from grader.people.identities import Identities
from grader.people.name_forms import some
from grader.people.person_keys import NUMBER, Key, plain
from grader.people.roster import Roster, RosterRow
from grader.people.roster_matching import Arrival
from grader.people.telling_words import numbers_in


def with_zeros(
    arrivals: Sequence[Arrival], roster: Roster | None, book: Identities
) -> tuple[list[Arrival], Roster | None, list[str]]:
    """Both with the longer spelling of each number that occurs in two; and a notice."""
    if roster is None:
        return list(arrivals), None, []
    listed = _spellings(row.student.number for row in roster.rows)
    come = _spellings(number for one in arrivals for number in _numbers(one))
    known = _spellings(key.value for one in book.all for key in one.keys if key.kind == NUMBER)
    longer: dict[str, str] = {}
    for short, spelt in listed.items():
        others = come.get(short, set())
        before = known.get(short, set())
        both = spelt | (others or before)
        if len(spelt) != 1 or len(others) > 1 or len(before) > 1:
            continue
        longest = max(both, key=len)
        longer |= {one: longest for one in both if one != longest}
        if before and longest not in before:  # whoever had the one spelling in an earlier batch has the other one too
            owner = book.owner(Key(NUMBER, next(iter(before))))
            if owner is not None:
                book.bind(owner, [Key(NUMBER, longest)])
    if not longer:
        return list(arrivals), roster, []
    rows = tuple(_row(row, longer) for row in roster.rows)
    changed = [f"{short} is {long}" for short, long in sorted(longer.items())]
    said = (
        f"numbers without the zeros that they have elsewhere, as spreadsheets write them, are the same: {some(changed)}"
    )
    return [_arrival(one, longer) for one in arrivals], replace(roster, rows=rows), [said]


def _numbers(arrival: Arrival) -> Iterable[str]:
    if arrival.owner is not None:
        return (arrival.owner.number,)
    return () if arrival.of_team else (arrival.name, *numbers_in(arrival.name))


def _spellings(numbers: Iterable[str]) -> dict[str, set[str]]:
    """By the number without zeros. Of zeros alone, nothing is left that tells of anybody."""
    found: dict[str, set[str]] = {}
    for number in map(plain, numbers):
        if number.isascii() and number.isdecimal() and (short := number.lstrip("0")):
            found.setdefault(short, set()).add(number)
    return found


def _row(row: RosterRow, longer: dict[str, str]) -> RosterRow:
    number = longer.get(plain(row.student.number))
    return row if number is None else replace(row, student=row.student.model_copy(update={"number": number}))


def _arrival(one: Arrival, longer: dict[str, str]) -> Arrival:
    number = longer.get(plain(one.owner.number)) if one.owner is not None else None
    if one.owner is None or number is None:
        return one
    return replace(one, owner=one.owner.model_copy(update={"number": number}))
