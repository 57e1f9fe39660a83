"""Gives every student of a batch the id that this student has for good, with what the roster says of them. Pure.

An upload that was here before keeps its id, whatever else is handed in beside it. The roster may give an id only to an upload that
has none. New ids come last, and differ from all that were ever given.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from grader.model.result import Student
from grader.model.written_names import exact_form, shown, some
from grader.roll.people.identities import (
    FOLDER,
    ROSTER,
    Identities,
    Identity,
    Key,
    contradict,
    id_form,
    keys_of,
    numbered,
)
from grader.roll.people.roster import Roster, RosterRow
from grader.roll.people.roster_matching import Arrival, Matching, match_rows, with_zeros

_MOST = 5  # sentences of one kind


@dataclass(frozen=True)
class Person:
    id: str
    student: Student


@dataclass(frozen=True)
class People:
    """`arrived`: one for each arrival, in their order; `absent`: those of the roster who handed in nothing."""

    arrived: tuple[Person, ...]
    absent: tuple[Person, ...] = ()
    notices: tuple[str, ...] = ()
    rostered: frozenset[str] = frozenset()  # the ids of those who have a row of the roster


# What the instructor has to know, in the order in which it is said.
_NOTICES = {
    "strange": "{count} who handed in are not on the roster, and are graded all the same: {some}",
    "unclear": "not matched with the roster, because it is not sure who it is: {several}",
    "local part": "{count} matched with the roster because the login is the first part of the address: {some}",
    "name": "{count} matched with the roster by name alone: {some}. If students can change their names there, confirm each in a column "
    "`upload` of the roster, or give a roster with the platform's ids, numbers, logins or addresses",
    "renamed": "{count} with another name than before keep their id: {some}",
    "twice": "several uploads of one student have a row each, because nothing says which is the last: {some}",
    "alike": "{count} whose name makes an id that somebody else has: {some}",
    "moved": "now somebody else's than in an earlier batch here: {some}",
}
_Told = Mapping[str, list[str]]  # by one of these words


def who_is_who(arrivals: Sequence[Arrival], roster: Roster | None, book: Identities) -> People:
    """`book` is brought up to date; whoever called this keeps it."""
    told: _Told = {what: [] for what in _NOTICES}
    arrivals, roster, zeros = with_zeros(arrivals, roster, book)
    keys = _keys(arrivals, told)
    identities = _known(arrivals, keys, book)
    rows = roster.rows if roster is not None else ()
    matching = match_rows(arrivals, keys, identities, rows, book)
    chosen = _chosen(arrivals, keys, identities, matching, book, told)
    here = {id(one) for one in chosen}
    for number, one in enumerate(chosen):
        _tell_of_names(one, arrivals[number].owner, matching.row_of.get(number), told)
        _bind(book, one, keys[number][:1], told)
        one.handed_in = True
    # What an upload is known by has been bound to it: nothing that the roster adds can take it away.
    for number, one in enumerate(chosen):
        row = matching.row_of.get(number)
        _bind(book, one, _free([*(row.keys if row else []), *keys[number][1:]], one, here, book), told)
    listed = [merged(one.owner, matching.row_of.get(number)) for number, one in enumerate(arrivals)]
    arrived = tuple(Person(one.id, student) for one, student in zip(chosen, listed, strict=True))
    absent = _absent(rows, matching, here, book, told)
    notices = [*(roster.notices if roster else ()), *zeros, *_sentences(arrivals, roster, matching, book, told)]
    book.had_roster = roster is not None
    rostered = {arrived[number].id for number in matching.row_of} | {one.id for one in absent}
    return People(arrived, tuple(absent), tuple(notices), frozenset(rostered))


def is_known(name: str, roster: Roster | None, book: Identities) -> bool:
    """Whether an upload of this name is a student's of whom the roster or an earlier batch tells."""
    key = Key(FOLDER, name)
    rows = roster.rows if roster is not None else ()
    matching = match_rows([Arrival(name, name)], [[key]], [None], rows, Identities())
    return book.owner(key) is not None or bool(matching.row_of)


def merged(owner: Student | None, row: RosterRow | None) -> Student:
    """What the roster says comes before what the upload says."""
    said, listed = owner or Student(), row.student if row else Student()
    filled = {name: value for name, value in listed if value}
    return said.model_copy(update=filled | {"platform_ids": said.platform_ids | listed.platform_ids})


def _keys(arrivals: Sequence[Arrival], told: _Told) -> list[list[Key]]:
    """Of each, the strongest first. Where two have the same one, the second is known by that key with a number, and by nothing else."""
    own = [keys_of(one.owner) if one.owner is not None else [] for one in arrivals]
    # A team's upload has a key for each member.
    folders = [Key(FOLDER, f"{one.name}\0{one.person}" if one.of_team else one.name) for one in arrivals]
    first = [keys[0] if keys else folder for keys, folder in zip(own, folders, strict=True)]
    found: list[list[Key]] = []
    of_key: dict[Key, str] = {}
    for marked, key, keys, arrival in zip(numbered(first), first, own, arrivals, strict=True):
        found.append([marked, *keys[1:]] if marked == key else [marked])
        if marked != key:
            told["twice"].append(f"{shown(arrival.shown)} and {of_key[key]}")
        of_key.setdefault(key, shown(arrival.shown))
    return found


def _known(arrivals: Sequence[Arrival], keys: Sequence[Sequence[Key]], book: Identities) -> list[Identity | None]:
    """The identity that each arrival has from earlier batches. No identity is two arrivals'."""
    found: list[Identity | None] = [None] * len(arrivals)
    used: set[int] = set()

    def settle(candidates: Sequence[tuple[int, Identity | None]]) -> None:
        for number, one in candidates:
            if one is not None and found[number] is None and id(one) not in used:
                found[number] = one
                used.add(id(one))

    # The strongest key, as it was written, comes before everything that has to be looked up otherwise; an account of a platform before a
    # folder that is called like its student; and the name that was there first before another spelling of it.
    strongest_first = sorted(enumerate(keys), key=lambda one: (one[1][0].strength, book.age(one[1][0])))
    settle([(number, book.owner(own[0])) for number, own in strongest_first])
    settle([(number, book.find(own)) for number, own in strongest_first if len(own) > 1])
    here = {own[0] for own in keys}
    spellings: dict[Key, list[int]] = {}
    for number, own in enumerate(keys):
        if found[number] is None and own[0].kind == FOLDER:
            for other in book.spelt_otherwise(own[0]):
                if other not in here:
                    spellings.setdefault(other, []).append(number)
    settle([(numbers[0], book.owner(key)) for key, numbers in spellings.items() if len(numbers) == 1])
    return found


def _chosen(
    arrivals: Sequence[Arrival],
    keys: Sequence[Sequence[Key]],
    identities: Sequence[Identity | None],
    matching: Matching,
    book: Identities,
    told: _Told,
) -> list[Identity]:
    """The identity of each arrival, in their order. New ones are made last; a name that is an id already stays as it is."""
    chosen: dict[int, Identity] = {}
    for number, one in enumerate(identities):
        row = matching.row_of.get(number)
        if one is None:
            continue
        if row is not None and contradict(one.keys, row.keys, keys[number][0].strength):
            was = f"{shown(arrivals[number].shown)} was {one.id}"
            told["moved"].append(f"{was}, whom the roster says to be somebody else")
        else:
            chosen[number] = one
    used = {id(one) for one in chosen.values()}
    for number, row in matching.row_of.items():
        listed = book.find(row.keys)
        if number not in chosen and listed is not None and id(listed) not in used:
            chosen[number] = listed
            used.add(id(listed))
    new = [number for number in range(len(arrivals)) if number not in chosen]
    names = {number: arrivals[number].person if arrivals[number].of_team else arrivals[number].name for number in new}
    for number in sorted(new, key=lambda one: names[one] != id_form(names[one])):
        chosen[number] = book.new(names[number])
        if chosen[number].id != id_form(names[number]):
            told["alike"].append(f"{shown(arrivals[number].shown)} is {chosen[number].id}")
    return [chosen[number] for number in range(len(arrivals))]


def _tell_of_names(one: Identity, owner: Student | None, row: RosterRow | None, told: _Told) -> None:
    """Where a name is another one than in the last batch. Only spellings of the same source are compared."""
    called = owner.name if owner is not None else ""
    listed = row.student.name if row is not None else ""
    for before, now in ((one.called, called), (one.listed, listed)):
        if before and now and exact_form(before) != exact_form(now):
            told["renamed"].append(f"{one.id}: {shown(before)} is now {shown(now)}")
            break
    one.called, one.listed = called or one.called, listed or one.listed


def _bind(book: Identities, one: Identity, keys: Iterable[Key], told: _Told) -> None:
    for key, other in book.bind(one, keys):
        if other.handed_in:
            told["moved"].append(f"{key} was {other.id} and is now {one.id}")


def _free(keys: Iterable[Key], one: Identity, here: Collection[int], book: Identities) -> list[Key]:
    """Those that nobody else who is here has."""
    owners = [(key, book.owner(key)) for key in keys]
    return [key for key, owner in owners if owner is None or owner is one or id(owner) not in here]


def _absent(
    rows: Sequence[RosterRow], matching: Matching, here: set[int], book: Identities, told: _Told
) -> list[Person]:
    """Those of the roster without an upload. `here`: identities that are in use already."""
    matched = {row.line for row in matching.row_of.values()}
    people = []
    for row in rows:
        if row.line in matched:
            continue
        of_row = Key(ROSTER, f"{row.keys[0].kind} {row.keys[0].value}")
        candidates = [book.find(row.keys), book.owner(of_row)]
        one = next((each for each in candidates if each is not None and id(each) not in here), None)
        if one is None:
            one = book.new(row.known_as)
            if one.id != id_form(row.known_as):
                told["alike"].append(f"{shown(row.known_as)} in line {row.line} of the roster is {one.id}")
        here.add(id(one))
        _tell_of_names(one, None, row, told)
        _bind(book, one, _free(row.keys, one, here, book) or [of_row], told)
        people.append(Person(one.id, row.student))
    return people


def _sentences(
    arrivals: Sequence[Arrival], roster: Roster | None, matching: Matching, book: Identities, told: _Told
) -> list[str]:
    """One for each kind of thing that happened."""
    said = []
    if roster is not None:
        strange = [at for at in range(len(arrivals)) if at not in matching.row_of]
        told["unclear"].extend(matching.unclear.values())
        for what, numbers in ("strange", strange), ("local part", matching.by_local_part), ("name", matching.by_name):
            told[what].extend(shown(arrivals[at].shown) for at in numbers)
    elif book.had_roster:
        said.append(
            "the last batch in this OUT had a roster and this one has none: who handed in nothing is not known (ROSTER=… names one)"
        )
    for what, text in _NOTICES.items():
        if names := told[what]:
            more = f"; and {len(names) - _MOST} more" if len(names) > _MOST else ""
            said.append(text.format(count=len(names), some=some(names), several="; ".join(names[:_MOST]) + more))
    return said
