"""Whose each upload is: one arrival for each of its owners, with all attempts of that owner in their order.

Which id an arrival gets is decided in grader/roll/people/.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path

from grader.model.result import Submission
from grader.model.visible_text import counted as counted_words
from grader.model.written_names import clean, exact_form, shown, some
from grader.roll.intake.matching import HandedAnswers
from grader.roll.intake.upload import Upload
from grader.roll.people.identities import FOLDER, Key, keys_of
from grader.roll.people.roster import Roster, RosterRow
from grader.roll.people.who_is_who import Arrival


def deliveries(uploads: Sequence[Upload]) -> list[Arrival]:
    """In the order of the uploads. Attempts that nothing puts in an order stay, as those of several students."""
    given = [
        Arrival(upload.name, clean(upload.name), owner, len(upload.owners) > 1, (number,))
        for number, upload in enumerate(uploads)
        for owner in (upload.owners or (None,))
    ]
    of_owner: dict[Key, list[int]] = {}
    for at, one in enumerate(given):
        of_owner.setdefault(_key(one), []).append(at)
    left: set[int] = set()
    for places in of_owner.values():
        if len(places) > 1 and (order := _in_order([given[at].uploads[0] for at in places], uploads)):
            last = next(at for at in places if given[at].uploads[0] == order[-1])
            left.update(at for at in places if at != last)
            given[last] = replace(given[last], uploads=tuple(order))
    return [one for at, one in enumerate(given) if at not in left]


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
        moments = {number: at.timestamp() for number in here if (at := uploads[number].at) is not None}
        counts = {uploads[number].attempt for number in here}
        if len(here) == 1:
            ordered += here
        elif len(moments) == len(here) == len({*moments.values()}):
            ordered += sorted(here, key=lambda number: moments[number])
        elif 0 not in counts and len(counts) == len(here):
            ordered += sorted(here, key=lambda number: uploads[number].attempt)
        else:
            return []
    return ordered


# What was taken from one student's uploads, as data: all attempts, and for each lab's file the attempt that counts.


@dataclass(frozen=True)
class Attempt:
    """One time that a student handed something in, and what was taken of it.

    The platform or its download says the time. A student cannot choose it. `sources`, `blocked`, `hints` and `answers` are as in Intake.
    """

    number: int = 1  # 1, 2, …: of those of the same download, in the order in which they were handed in
    of: int = 1  # how many the same download holds of this student
    download: int = 0  # which of the given SUBMISSIONS it is from
    at: datetime | None = None  # with its time zone; none: the platform does not say
    late: bool = False  # the platform itself marked it as late
    name: str = ""  # of the upload
    files: tuple[str, ...] = ()  # what was in it
    downloaded: tuple[str, ...] = ()  # the same, as the platform called it
    sources: Mapping[str, Path] = field(default_factory=dict)
    blocked: Mapping[str, str] = field(default_factory=dict)
    hints: Mapping[str, str] = field(default_factory=dict)
    notices: tuple[str, ...] = ()
    refused: str | None = None
    answers: Mapping[str, HandedAnswers] = field(default_factory=dict)

    def holds(self, file: str) -> bool:
        """Whether a lab's file is in it, be it one that can be taken or not."""
        return file in self.sources or file in self.blocked


@dataclass(frozen=True)
class Intake:
    """What was taken from one student's upload. Members of a team share their files' paths."""

    submission: Submission
    sources: dict[str, Path] = field(default_factory=dict)  # a lab's file → its normalised copy
    blocked: dict[str, str] = field(default_factory=dict)  # a lab's file that cannot be taken → why
    hints: dict[str, str] = field(default_factory=dict)  # a lab's file that is missing → what was there instead
    attempts: tuple[Attempt, ...] = ()  # of each download, the first one first; also those that do not count
    # A lab's file → the index in `attempts` of the one that counts.
    counted: Mapping[str, int] = field(default_factory=dict)

    answers: Mapping[str, HandedAnswers] = field(default_factory=dict)  # a lab's file → the answers to its questions

    def texts(self) -> dict[str, str]:
        """The text of each file that was taken. Pages quote from it."""
        return {name: path.read_bytes().decode("utf-8", "replace") for name, path in self.sources.items()}


# Which of a student's attempts counts for each lab: the latest one, or the last before the deadline. Pure.
#
# "The best" is chosen where scores are known: see grader/roll/batch/. Until then the latest counts, and all are in `Intake.attempts`.


@dataclass(frozen=True)
class Counted:
    """By a lab's file: the index of the attempt that counts; and why none counts, although some attempt holds the file."""

    attempts: Mapping[str, int]
    hints: Mapping[str, str] = field(default_factory=dict)


def counted_attempts(
    attempts: Sequence[Attempt], wanted: Iterable[str], deadlines: Mapping[str, datetime | None] | None = None
) -> Counted:
    """In each download one attempt counts as a whole: a later one replaces all that was in an earlier one. Between downloads, the one
    that was handed in last and holds the file counts. An upload that was refused counts where no other holds the file. `deadlines`: by
    file, after which none counts.
    """
    counted, hints = {}, {}
    for file in wanted:
        deadline = (deadlines or {}).get(file)
        of_download: dict[int, int] = {}
        for number, one in enumerate(attempts):
            if deadline is None or one.at is None or one.at <= deadline:
                of_download[one.download] = number
        holding = [number for number in of_download.values() if attempts[number].holds(file)]
        holding = holding or [number for number in of_download.values() if attempts[number].refused is not None]
        if holding:
            # What no time is known of comes first. Of equal ones, the download that was named later counts.
            times = {at: when.timestamp() if (when := attempts[at].at) is not None else 0.0 for at in holding}
            counted[file] = max(holding, key=lambda at: (times[at], attempts[at].download))
        elif lost := [number for number, one in enumerate(attempts) if one.holds(file)]:
            late = all(number > of_download.get(attempts[number].download, -1) for number in lost)
            reason = "after the deadline" if late else "in an earlier attempt, which a later one without it replaced"
            hints[file] = f"it was handed in {reason}"
    return Counted(counted, hints)


# A student's intake with the attempts that count: their files, and what has to be said of them. Pure.


def with_counted(student: Intake, counted: Counted) -> Intake:
    """What no attempt counts for is missing. Hints of the last attempt of each download say what was there instead."""
    attempts = student.attempts
    last = {one.download: number for number, one in enumerate(attempts)}
    shown = sorted({*counted.attempts.values()} or {*last.values()})
    of_file = {file: attempts[number] for file, number in counted.attempts.items()}
    hints: dict[str, str] = {}
    for number in sorted({*last.values(), *shown}):
        hints |= attempts[number].hints
    hints |= counted.hints
    times = [at for number in shown if (at := attempts[number].at) is not None]
    said = [f"{attempts[number].number} of {attempts[number].of}" for number in shown if attempts[number].of > 1]
    refused = attempts[shown[0]].refused if len(shown) == 1 else None
    submission = student.submission.model_copy(
        update={
            "at": max(times).isoformat() if times else "",
            "attempt": ", ".join(dict.fromkeys(said)),
            "notices": tuple(dict.fromkeys(one for number in shown for one in attempts[number].notices)),
            "refused": refused,
        }
    )
    return replace(
        student,
        submission=submission,
        sources={file: one.sources[file] for file, one in of_file.items() if file in one.sources},
        blocked={} if refused else {file: why for file, one in of_file.items() if (why := _blocked(one, file))},
        hints={file: hint for file, hint in hints.items() if file not in counted.attempts},
        counted=dict(counted.attempts),
        # Of the attempt that counts for the lab's file, where it has any; else of the last attempt that has.
        answers={file: answers for one in attempts for file, answers in one.answers.items()}
        | {file: one.answers[file] for file, one in of_file.items() if file in one.answers},
    )


def _blocked(attempt: Attempt, file: str) -> str:
    """Empty: it is taken. Where the upload as a whole was refused, other downloads may still count for other labs."""
    if attempt.refused is not None:
        return f"the submission was refused: {attempt.refused}"
    return attempt.blocked.get(file, "")


# The roster's teams: an upload that is called like a team is each member's, and one member's hand-in counts for all members who have
# none of their own.
#
# Where members handed in different files, nobody says which of them is the team's: each keeps their own, and a notice says so.

_MOST = 5


def with_team_owners(uploads: Sequence[Upload], roster: Roster | None) -> tuple[list[Upload], list[str]]:
    """The same uploads, those that are called like one team of the roster as its members'; and notices. Platforms name a group's folder
    after the group. What is called like a student too, or has a student's number or login, stays as it is; and so does who has an upload
    of their own.
    """
    teams: dict[str, dict[str, list[RosterRow]]] = {}
    persons: set[str] = set()
    for row in roster.rows if roster is not None else ():
        persons.update(_words(row))
        for team in (row.student.team,) if row.student.team else row.groups:
            one = replace(row, student=row.student.model_copy(update={"team": team}))
            teams.setdefault(_form(team), {}).setdefault(team, []).append(one)
    keys = {key for row in (roster.rows if roster is not None else ()) for key in row.keys}
    own: set[str | Key] = set()  # of uploads that are no team's
    found: dict[int, list[RosterRow]] = {}
    for number, upload in enumerate(uploads):
        forms = {_form(word) for word in _called(upload)} - {""}
        theirs = [key for owner in upload.owners for key in keys_of(owner)]
        fitting = [team for form in forms - persons for team in teams.get(form, {}).values()]
        if fitting and all(team is fitting[0] for team in fitting) and keys.isdisjoint(theirs):
            found[number] = fitting[0]
        else:
            own.update(forms, theirs)
    given = list(uploads)
    of_team: dict[str, None] = {}
    for number, members in found.items():
        left = [row.student for row in members if own.isdisjoint([*_words(row), *row.keys])]
        if left:
            given[number] = replace(uploads[number], owners=tuple(left))
            of_team[shown(clean(uploads[number].name))] = None
    return given, [f"called like teams of the roster, so each member has it: {some(of_team)}"] if of_team else []


def _words(row: RosterRow) -> set[str]:
    """What an upload of this student alone may be called."""
    one = row.student
    return {_form(word) for word in (one.name, one.login, one.number, one.email, row.upload)} - {""}


def _called(upload: Upload) -> Iterator[str]:
    """What the group may be called, of an upload that no more than one student or group has."""
    if len(upload.owners) > 1:
        return
    yield upload.name
    for owner in upload.owners:
        yield from (owner.name, owner.login)
        yield from (upload.name.removesuffix(value) for value in owner.platform_ids.values())


def _form(name: str) -> str:
    """Without what platforms take out of a name or put into it."""
    return re.sub(r"[\W_]+", "", unicodedata.normalize("NFKC", name).casefold())


def with_team_shares(students: Sequence[Intake]) -> tuple[list[Intake], list[str]]:
    """Those who handed in nothing get what their team handed in. And notices."""
    teams: dict[str, list[Intake]] = {}
    for one in students:
        if one.submission.student.team:
            teams.setdefault(one.submission.student.team, []).append(one)
    shared: dict[str, Intake] = {}
    notices: list[str] = []
    differing: list[str] = []
    for team, members in teams.items():
        given = [one for one in members if one.submission.handed_in]
        without = [one for one in members if not one.submission.handed_in]
        if len({_contents(one) for one in given}) > 1:
            names, others = (", ".join(one.submission.id for one in them[:_MOST]) for them in (given, without))
            differing.append(f"team {team[:40]!r}: {names}{f'; {others} handed in nothing' if others else ''}")
        elif given:
            shared |= {one.submission.id: _share(one, given[0]) for one in without}
    if shared:
        notices.append(f"{counted_words(len(shared), 'student')} without an upload share their team's")
    if differing:
        notices.append(
            "members of one team handed in different files, so each keeps their own: "
            + "; ".join(differing[:_MOST])
            + ("; …" if len(differing) > _MOST else "")
        )
    return [shared.get(one.submission.id, one) for one in students], notices


def _contents(one: Intake) -> tuple[object, ...]:
    """Equal where the labs' files are."""
    files = tuple((name, path.read_bytes()) for name, path in sorted(one.sources.items()))
    return files, tuple(sorted(one.blocked.items())), one.submission.refused


def _share(member: Intake, given: Intake) -> Intake:
    said = f"this is your team's: {given.submission.name} handed it in"
    own = {name: getattr(member.submission, name) for name in ("id", "name", "student")}
    notices = (*given.submission.notices, said)
    return replace(given, submission=given.submission.model_copy(update=own | {"notices": notices}))
