"""What the student is called on the lab's leaderboard. Only this student learns it. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from grader.reports.student_page.lab_view import LabView
from grader.reports.text import visible


@dataclass(frozen=True)
class LeaderboardSection:
    name: str  # empty: left out, as asked for
    chosen: bool
    note: str


def leaderboard_section(view: LabView) -> LeaderboardSection | None:
    named = view.lab.leaderboard
    if named is None:
        return None
    return LeaderboardSection(visible.line(named.name, 60), named.chosen, visible.line(named.note, 300))
