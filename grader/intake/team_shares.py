"""The roster's teams: an upload that is called like a team is each member's, and one member's hand-in counts for all members who have
none of their own.

Where members handed in different files, nobody says which of them is the team's: each keeps their own, and a notice says so.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import replace

from grader.intake.student_intake import Intake
from grader.intake.uploads.naming import clean
from grader.intake.uploads.upload import Upload
from grader.people.name_forms import shown, some
from grader.people.person_keys import Key, keys_of
from grader.people.roster import Roster, RosterRow

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
            names = ", ".join(one.submission.id for one in given[:_MOST])
            nothing = (
                f"; {', '.join(one.submission.id for one in without[:_MOST])} handed in nothing" if without else ""
            )
            differing.append(f"team {team[:40]!r}: {names}{nothing}")
        elif given:
            shared |= {one.submission.id: _share(one, given[0]) for one in without}
    if shared:
        count = len(shared)
        notices.append(f"{count} student{'s' if count > 1 else ''} without an upload share their team's")
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
    submission = given.submission.model_copy(
        update={
            "id": member.submission.id,
            "name": member.submission.name,
            "student": member.submission.student,
            "notices": (*given.submission.notices, said),
        }
    )
    return replace(given, submission=submission)
