"""The lines that a student should look at first, in words. What was changed in them is for the instructor. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from grader.model.result import LabResult
from grader.reports.text import visible


def suspect_sentence(lab: LabResult) -> str:
    """Empty: nothing was found, or nothing was looked for."""
    if not lab.suspects:
        return ""
    places = " or ".join(_place(one.lines) for one in lab.suspects)
    every = "either makes" if len(lab.suspects) > 1 else "that change alone makes"
    return f"Look at {places}: one small change is enough there, and {every} every public test right."


def suspect_changes(lab: LabResult) -> list[str]:
    """For the instructor: the lines before and after the change."""
    return [
        visible.line(f"{_place(one.lines)}: {' '.join(one.before.split())} → {' '.join(one.after.split())}", 600)
        for one in lab.suspects
        if one.after
    ]


def _place(lines: Sequence[int]) -> str:
    return f"{'line' if len(lines) == 1 else 'lines'} {' and '.join(f'{line:,}' for line in lines)}"
