"""Gives every student of a batch the id that this student has for good, with what the roster says of them. Pure.

An upload that was here before keeps its id, whatever else is handed in beside it. The roster may give an id only to an upload that
has none. New ids come last, and differ from all that were ever given.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from grader.model.result import Student
from grader.model.written_names import exact_form, folded_form, joined_form, shown, some
from grader.roll.people.identities import (
    ACCOUNT,
    EMAIL,
    FOLDER,
    LOGIN,
    NUMBER,
    ROSTER,
    Identities,
    Identity,
    Key,
    contradict,
    id_form,
    keys_of,
    numbered,
    plain,
)
from grader.roll.people.roster import PARTS, Roster, RosterRow, ascii_words, numbers_in

# Which row of the roster an upload belongs to: by what tells students apart, and by name only where both are the only ones. Pure.
#
# Nothing is guessed. Where two rows or two uploads fit, none is matched, and a notice says so.

_FEWEST = 3  # addresses of one domain
_REMEDY = "if it is this student's, write its name into a column `upload` of the roster"


@dataclass(frozen=True)
class Arrival:
    """An upload of one student; a team's is several. `owner` None: only the upload's name is known."""

    name: str
    shown: str  # the name, made safe to show
    owner: Student | None = None
    of_team: bool = False
    uploads: tuple[int, ...] = ()  # the numbers of all attempts, of each download the first one first

    @property
    def person(self) -> str:
        """The name of the student, as far as it is known."""
        return self.owner.name if self.owner is not None and self.owner.name else self.name


@dataclass
class Matching:
    """What is found is by the number of the arrival."""

    arrivals: Sequence[Arrival]
    keys: Sequence[Sequence[Key]]
    identities: Sequence[Identity | None]  # of arrivals, before this batch
    book: Identities
    kinds: frozenset[str]  # of keys that the roster has of anybody, and that stay with a student
    row_of: dict[int, RosterRow] = field(default_factory=dict)
    by_name: list[int] = field(default_factory=list)
    by_local_part: list[int] = field(default_factory=list)  # of the address, which is the login
    unclear: dict[int, str] = field(default_factory=dict)  # why it has no row, although something fits
    number_at: dict[int, int] = field(default_factory=dict)  # a row's line → the arrival that has it
    disputed: set[int] = field(default_factory=set)  # lines that several arrivals fit alike

    def settle(self, fitting: Callable[[int], Sequence[RosterRow]], *, by_name: bool = False) -> None:
        """Gives the one row that fits to each arrival that has none, if it is the only arrival that this row fits."""
        claims: dict[int, list[tuple[int, RosterRow]]] = {}
        for number in range(len(self.arrivals)):
            if number in self.row_of or number in self.unclear:
                continue
            rows = fitting(number)
            if len(rows) > 1:
                self._leave(number, f"fits several rows ({some(f'line {row.line}' for row in rows)})")
            elif rows and (reason := self._against(number, rows[0], by_name=by_name)):
                self._leave(number, f"fits line {rows[0].line}, but {reason}")
            elif rows:
                claims.setdefault(rows[0].line, []).append((number, rows[0]))
        for line, claimed in claims.items():
            if len(claimed) > 1:
                self.disputed.add(line)
                others = some(shown(self.arrivals[number].shown) for number, _ in claimed)
                for number, _ in claimed:
                    self._leave(number, f"fits line {line}, and so does another: {others}")
                continue
            number, row = claimed[0]
            self.row_of[number] = row
            self.number_at[line] = number
            if by_name:
                self.by_name.append(number)

    def _leave(self, number: int, why: str) -> None:
        self.unclear[number] = f"{shown(self.arrivals[number].shown)} {why}"

    def _against(self, number: int, row: RosterRow, *, by_name: bool) -> str:
        """Why the row is somebody else's, although something in it fits."""
        if row.line in self.number_at:
            return f"that is {shown(self.arrivals[self.number_at[row.line]].shown)} already"
        if row.line in self.disputed:
            return "others fit it better, and alike"
        if contradict(row.keys, self.keys[number]):
            return "another number, login or address says that it is another student"
        if by_name and row.upload != self.arrivals[number].name and (doubt := self._doubt(number)):
            return f"{doubt}, and students can change their names; {_REMEDY}"
        kept = self.book.find(row.keys)
        if kept is None or kept is self.identities[number]:
            return ""
        return self._against_identity(number, row, kept, by_name=by_name)

    def _against_identity(self, number: int, row: RosterRow, kept: Identity, *, by_name: bool) -> str:
        """The same, where the row's student has been here as `kept`, and the upload was not theirs."""
        keys = self.keys[number]
        if row.upload == self.arrivals[number].name:
            return ""
        if contradict(kept.keys, keys):
            return f"that student was {kept.id} before, with another id of the platform; {_REMEDY}"
        folders = [key for key in kept.keys if key.kind == FOLDER]
        if folders and keys[0].kind == FOLDER:
            return f"that student was {kept.id} before, from an upload called {shown(folders[-1].value)}; {_REMEDY}"
        numbered_anew = keys[0].changes and any(key.kind == keys[0].kind for key in kept.keys)
        if by_name and kept.handed_in and not numbered_anew:
            return f"that student was {kept.id} before, and a name is not enough to take that over; {_REMEDY}"
        return ""

    def _doubt(self, number: int) -> str:
        """Why a name is not enough: something better could have told whose this is, and did not. Empty: nothing could."""
        arrival, known = self.arrivals[number], self.identities[number]
        called = arrival.owner.name if arrival.owner is not None else ""
        if known is not None and known.called and exact_form(known.called) != exact_form(called):
            return f"it was called {shown(known.called)} before"
        telling = [key for key in self.keys[number] if key.kind in self.kinds]
        if telling:
            return f"its {telling[0]} is in no row"
        if arrival.owner is None and not arrival.of_team:
            folders = [at for at, one in enumerate(self.arrivals) if one.owner is None and not one.of_team]
            told = [at for at in folders if at in self.row_of and at not in self.by_name]
            if 2 * len(told) > len(folders):
                return "most others are called by a number, a login or an account"
        return ""


def match_rows(
    arrivals: Sequence[Arrival],
    keys: Sequence[Sequence[Key]],
    identities: Sequence[Identity | None],
    rows: Sequence[RosterRow],
    book: Identities,
) -> Matching:
    """`keys` and `identities`: of each arrival. The strongest ways come first, and what they match is matched for good."""
    kinds = frozenset(key.kind for row in rows for key in row.keys if not key.changes)
    search = Matching(arrivals, keys, identities, book, kinds)
    kept = _rows_of_identities(rows, book)
    search.settle(lambda number: kept.get(id(identities[number]), []))
    for _, kind in sorted({(key.strength, key.kind) for row in rows for key in row.keys}):
        of_value = {key.value: row for row in rows for key in row.keys if key.kind == kind}
        search.settle(partial(_with_value, arrivals, kind, of_value))
    before = set(search.row_of)
    # Of students whose address nobody knows.
    bare = {plain(row.student.login): row for row in rows if row.student.login and not row.student.email}
    search.settle(partial(_with_local_part, arrivals, _usual_domain(arrivals), bare))
    search.by_local_part = sorted(search.row_of.keys() - before)
    for of_row, of_name in _FORMS:
        index: dict[str, list[RosterRow]] = {}
        for row in rows:
            for form in {*of_row(row)} - {""}:
                index.setdefault(form, []).append(row)
        search.settle([index.get(of_name(one.person), []) for one in arrivals].__getitem__, by_name=True)
    return search


def _rows_of_identities(rows: Sequence[RosterRow], book: Identities) -> dict[int, list[RosterRow]]:
    """By an identity, those rows that the strongest of its keys is in."""
    found: dict[int, tuple[int, list[RosterRow]]] = {}
    for row in rows:
        one = book.find(row.keys)
        if one is None:
            continue
        strength = min(key.strength for key in row.keys if key in one.keys)
        best, others = found.get(id(one), (strength, []))
        if strength <= best:
            found[id(one)] = (strength, [*(others if strength == best else []), row])
    return {one: found_rows for one, (_, found_rows) in found.items()}


def _with_value(arrivals: Sequence[Arrival], kind: str, of_value: dict[str, RosterRow], number: int) -> list[RosterRow]:
    """The rows whose number, login or the like the platform says, or the upload is called."""
    arrival = arrivals[number]
    values: Iterable[str] = ()
    if kind != FOLDER and arrival.owner is not None and (keys := keys_of(arrival.owner)):
        # Many platforms' logins are addresses: one may stand where another table has the login.
        either = {kind, LOGIN, EMAIL} if kind in {LOGIN, EMAIL} else {kind}
        values = (key.value for key in keys if key.kind == kind or (key.kind in either and "@" in key.value))
    elif arrival.of_team:
        values = ()
    elif kind == FOLDER:
        values = (arrival.name,)
    elif kind == ACCOUNT:  # of a clone `<assignment>-<account>`, both of which may hold hyphens
        parts = plain(arrival.name).split("-")
        values = ["-".join(parts[first:]) for first in range(len(parts))]
    elif kind in PARTS:
        values = (plain(arrival.name),)
        if not any(one in of_value for one in values):
            values = dict.fromkeys(PARTS[kind](arrival.name, of_value))
    return [of_value[one] for one in values if one in of_value]


def _address(arrival: Arrival) -> str:
    owner = arrival.owner or Student()
    return next((plain(one) for one in (owner.email, owner.login) if "@" in one), "")


def _usual_domain(arrivals: Sequence[Arrival]) -> str:
    """Of most addresses, so the university's own. Empty: there is none."""
    domains = Counter(address.rpartition("@")[2] for one in arrivals if (address := _address(one)))
    domain, count = domains.most_common(1)[0] if domains else ("", 0)
    return domain if count >= _FEWEST and 2 * count > domains.total() else ""


def _with_local_part(
    arrivals: Sequence[Arrival], domain: str, logins: Mapping[str, RosterRow], number: int
) -> list[RosterRow]:
    """The row whose login is the first part of the address. Where names are known, one word at least must be the same."""
    arrival = arrivals[number]
    local, _, rest = _address(arrival).rpartition("@")
    row = logins.get(local) if domain and rest == domain else None
    if row is None or arrival.owner is None:
        return []
    called, listed = {*ascii_words(arrival.owner.name)}, {*ascii_words(row.student.name)}
    return [row] if not called or not listed or called & listed else []


def _joined(row: RosterRow) -> list[str]:
    *firsts, last = row.student.name.replace(",", " ").split() or [""]
    both = (row.last or last, row.first or " ".join(firsts))
    return [joined_form(*both), joined_form(*reversed(both))]


# How names are compared, the strictest way first.
_FORMS: tuple[tuple[Callable[[RosterRow], list[str]], Callable[[str], str]], ...] = (
    (lambda row: [exact_form(row.student.name)], exact_form),
    (lambda row: [folded_form(row.student.name)], folded_form),
    (_joined, joined_form),
)


# Numbers of students that a spreadsheet has taken the zeros in front of: `42` of the roster is `0042` of the platform, or the other way
# round. Pure.
#
# A number is changed only where no other one of either side is equal but for its zeros.


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
        others, before = come.get(short, set()), known.get(short, set())
        both = spelt | (others or before)
        if len(spelt) != 1 or len(others) > 1 or len(before) > 1:
            continue
        longest = max(both, key=len)
        longer |= {one: longest for one in both if one != longest}
        # Whoever had the one spelling in an earlier batch has the other one too.
        if longest not in before and (owner := book.owner(Key(NUMBER, next(iter(before), "")))) is not None:
            book.bind(owner, [Key(NUMBER, longest)])
    if not longer:
        return list(arrivals), roster, []
    rows = tuple(replace(row, student=_renumbered(row.student, longer)) for row in roster.rows)
    changed = [f"{short} is {long}" for short, long in sorted(longer.items())]
    said = (
        f"numbers without the zeros that they have elsewhere, as spreadsheets write them, are the same: {some(changed)}"
    )
    whole = [replace(one, owner=_renumbered(one.owner, longer)) if one.owner is not None else one for one in arrivals]
    return whole, replace(roster, rows=rows), [said]


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


def _renumbered(student: Student, longer: dict[str, str]) -> Student:
    number = longer.get(plain(student.number))
    return student if number is None else student.model_copy(update={"number": number})


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
    "alike": "{count} whose name makes an id that another student has: {some}",
    "moved": "another student's than in an earlier batch here: {some}",
}
_Told = Mapping[str, list[str]]  # by one of these words


def resolve_identities(arrivals: Sequence[Arrival], roster: Roster | None, book: Identities) -> People:
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
            told["moved"].append(f"{was}, who is another student in the roster")
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
