"""classroom50's `result.json` (classroom50/result/v1), one for each student in a zip. Pure.

Its points are whole numbers. Where ours are not, all are multiplied by 10 or 100, and a notice says so. The assignment is named
"classroom/assignment". Submission, commit and links are what classroom50 itself writes for a grade that is entered by hand.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from grader.exports.frame.export import Export, ExportFile, Grades, Made
from grader.exports.frame.export_notices import about, above_maximum
from grader.exports.frame.json_text import json_text
from grader.exports.frame.one_row_each import rows_by
from grader.exports.frame.points import grade, most
from grader.exports.frame.tested_rows import tested_rows
from grader.exports.frame.zip_bytes import zip_bytes
from grader.model.result import Result

_FILE = "exports/classroom50.zip"
_FACTORS = (1, 10, 100)
_DUST = 1e-6


def classroom50_result(result: Result, owner: str, assignment: str, at: str, factor: int = 1) -> dict[str, object]:
    """Of a redacted result. `at`: "2026-02-02T00:00:00Z". `factor`: from `whole_factor`."""
    classroom, _, slug = assignment.partition("/")
    by_hand = f"submit/manual-{at.replace(':', '-')}"
    tests = [
        {
            "test-name": row.whole_name,
            "passed": bool(row.passed),
            "score": round(row.points * factor),
            "max-score": round(row.max_points * factor),
            "message": row.words,
        }
        for row in tested_rows(result)
    ]
    highest = round(most(result) * factor)
    return {
        "schema": "classroom50/result/v1",
        "classroom": classroom,
        "assignment": slug or classroom,
        "assignment_type": "individual",
        "owner": owner,
        "submission": by_hand,
        "commit": by_hand,
        "release": by_hand,
        "review": by_hand,
        "datetime": at,
        "graded_at": at,
        "score": min(round(result.total * factor), highest),
        "max-score": highest,
        "tests": tests,
    }


def whole_factor(results: Iterable[Result]) -> int:
    """The smallest one that makes all points whole."""
    points = [one for result in results for one in _points(result)]
    return next(
        (factor for factor in _FACTORS if all(abs(one * factor - round(one * factor)) < _DUST for one in points)),
        _FACTORS[-1],
    )


def _points(result: Result) -> Sequence[float]:
    rows = tested_rows(result)
    return [result.total, most(result), *(row.points for row in rows), *(row.max_points for row in rows)]


def _owner(result: Result) -> str:
    """The account whose repository it is."""
    return result.submission.student.platform_ids.get("GitHub Classroom", "")


def _render(grades: Grades) -> Made:
    known = rows_by(
        grades.results, lambda one: [_owner(one)], "left out, because the GitHub account is not known: give a roster"
    )
    left = [one for one in known.results if grade(one) is None]
    given = [one for one in known.results if grade(one) is not None]
    factor = whole_factor(given)
    at = f"{grades.at[:19]}Z"
    files = [
        (
            f"{one.submission.id}/result.json",
            json_text(classroom50_result(one, _owner(one), grades.assignment, at, factor)),
        )
        for one in given
    ]
    notices = [
        *known.notices,
        *about(left, "not graded yet, so there is no result.json"),
        *above_maximum(known.results, "more than the maximum, which classroom50 does not take: the maximum is written"),
    ]
    if factor > 1:
        notices.append(f"all points are multiplied by {factor}, because classroom50 takes whole numbers alone")
    if "/" not in grades.assignment:
        notices.append('name the classroom and the assignment: ASSIGNMENT="cuda-26/week-3"')
    return Made((ExportFile(_FILE, zip_bytes(files)),), tuple(notices))


CLASSROOM50 = Export("classroom50", _FILE, "result.json of each student for classroom50", _render)
