"""Sentences for the instructor about an export: who is missing in it, and what an import would do. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from grader.exports.frame.points import grade
from grader.model.result import Result
from grader.people.name_forms import some


def about(results: Sequence[Result], what: str) -> list[str]:
    """No sentence where nobody is concerned. `what` follows "3 students": "are left out: ..."."""
    if not results:
        return []
    many = f"{len(results)} student{'s' if len(results) > 1 else ''}"
    return [f"{many}: {what} ({some(one.submission.id for one in results)})"]


def ungraded(results: Iterable[Result], what: str) -> list[str]:
    """About those whose cell is blank. `what` says what the platform makes of that."""
    return about([one for one in results if grade(one) is None], f"not graded yet, so the grade is blank; {what}")


def above_maximum(results: Iterable[Result], what: str) -> list[str]:
    """About those who have more than the maximum, by extra credit."""
    return about([one for one in results if one.total > one.max], what)


def without(results: Iterable[Result], chosen: Iterable[Result]) -> list[Result]:
    """Those of `results` who are not among `chosen`."""
    ids = {one.submission.id for one in chosen}
    return [one for one in results if one.submission.id not in ids]
