"""The roster's teams: one member's hand-in counts for all members who have none of their own.

Where members handed in different files, nobody says which of them is the team's: each keeps their own, and a notice says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from grader.intake.student_intake import Intake

_MOST = 5


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
