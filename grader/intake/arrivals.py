"""Whose each upload is: one arrival for each of its owners, with all attempts of that owner in their order.

Which id an arrival gets is decided in grader/people/; which attempt counts, in attempt_choice.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from grader.intake.uploads.naming import clean
from grader.intake.uploads.upload import Upload
from grader.model.result import Student
from grader.people.name_forms import exact_form
from grader.people.person_keys import FOLDER, Key, keys_of
from grader.people.roster_matching import Arrival


@dataclass(frozen=True)
class Delivery:
    """What one student handed in."""

    arrival: Arrival
    uploads: tuple[int, ...]  # the numbers of all attempts, of each download the first one first


@dataclass(frozen=True)
class _Found:
    upload: int
    arrival: Arrival


def deliveries(uploads: Sequence[Upload]) -> list[Delivery]:
    """In the order of the uploads. Attempts that nothing puts in an order stay, as those of several students."""
    found = [
        _Found(number, _arrival(upload, owner))
        for number, upload in enumerate(uploads)
        for owner in (upload.owners or (None,))
    ]
    of_owner: dict[Key, list[int]] = {}
    for number, one in enumerate(found):
        of_owner.setdefault(_key(one.arrival), []).append(number)
    earlier: dict[int, tuple[int, ...]] = {}
    left: set[int] = set()
    for numbers in of_owner.values():
        if len(numbers) > 1 and (order := _in_order([found[number].upload for number in numbers], uploads)):
            last = next(number for number in numbers if found[number].upload == order[-1])
            left.update(number for number in numbers if number != last)
            earlier[last] = tuple(order)
    return [
        Delivery(one.arrival, earlier.get(number, (one.upload,)))
        for number, one in enumerate(found)
        if number not in left
    ]


def _key(arrival: Arrival) -> Key:
    """What is one student's in all downloads of a batch. Moodle numbers participants anew in each, so there the name is, where it is the
    only one. Of an upload that only its name is known of, it is the name.
    """
    keys = keys_of(arrival.owner) if arrival.owner is not None else []
    if keys and not keys[0].changes:
        return keys[0]
    return Key(FOLDER, f"{arrival.name if arrival.owner is None else ''}\0{exact_form(arrival.person)}")


def _in_order(numbers: Sequence[int], uploads: Sequence[Upload]) -> list[int]:
    """Of each download by when they were handed in, else by the platform's count. Empty: neither tells them apart."""
    ordered: list[int] = []
    for download in sorted({uploads[number].download for number in numbers}):
        here = [number for number in numbers if uploads[number].download == download]
        moments = [(number, _seconds(uploads[number].at)) for number in here if uploads[number].at is not None]
        counts = {uploads[number].attempt for number in here}
        if len(here) == 1:
            ordered += here
        elif len(moments) == len(here) == len({at for _, at in moments}):
            ordered += [number for number, _ in sorted(moments, key=lambda one: one[1])]
        elif 0 not in counts and len(counts) == len(here):
            ordered += sorted(here, key=lambda number: uploads[number].attempt)
        else:
            return []
    return ordered


def _seconds(at: datetime | None) -> float:
    return at.timestamp() if at is not None else 0.0


def _arrival(upload: Upload, owner: Student | None) -> Arrival:
    return Arrival(upload.name, clean(upload.name), owner, of_team=len(upload.owners) > 1)
