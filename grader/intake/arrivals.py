"""Whose each upload is: one arrival for each of its owners, and of several attempts of one student the last.

Which id an arrival gets is decided in grader/people/.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from grader.intake.naming import clean
from grader.intake.upload import Upload
from grader.model.result import Student
from grader.people.person_keys import Key, keys_of
from grader.people.roster_matching import Arrival


@dataclass(frozen=True)
class Delivery:
    """What one student handed in."""

    upload: int  # its number
    arrival: Arrival
    at: datetime | None
    attempt: str  # "2 of 3"; empty: there is one alone


def deliveries(uploads: Sequence[Upload]) -> list[Delivery]:
    """In the order of the uploads. Attempts that nothing puts in an order stay, as those of several students."""
    found = [
        Delivery(number, _arrival(upload, owner), upload.at, str(upload.attempt or ""))
        for number, upload in enumerate(uploads)
        for owner in (upload.owners or (None,))
    ]
    attempts: dict[Key, list[int]] = {}
    for number, one in enumerate(found):
        if one.arrival.owner is not None and (keys := keys_of(one.arrival.owner)):
            attempts.setdefault(keys[0], []).append(number)
    left = set()
    for numbers in attempts.values():
        if len(numbers) > 1 and (order := _in_order(numbers, found, uploads)):
            left.update(order[:-1])
            last = found[order[-1]]
            found[order[-1]] = Delivery(last.upload, last.arrival, last.at, f"{len(order)} of {len(order)}")
    return [one for number, one in enumerate(found) if number not in left]


def _in_order(numbers: Sequence[int], found: Sequence[Delivery], uploads: Sequence[Upload]) -> list[int]:
    """By when they were handed in, else by the platform's count. Empty: neither tells them apart."""
    times = [at for number in numbers if (at := found[number].at) is not None]
    if len({*times}) == len(numbers):
        return sorted(numbers, key=lambda number: _seconds(found[number].at))
    counts = [uploads[found[number].upload].attempt for number in numbers]
    if all(counts) and len({*counts}) == len(counts):
        return sorted(numbers, key=lambda number: uploads[found[number].upload].attempt)
    return []


def _seconds(at: datetime | None) -> float:
    return at.timestamp() if at is not None else 0.0


def _arrival(upload: Upload, owner: Student | None) -> Arrival:
    return Arrival(upload.name, clean(upload.name), owner, of_team=len(upload.owners) > 1)
