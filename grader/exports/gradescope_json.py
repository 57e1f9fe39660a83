"""Gradescope's `results.json`, one for each student in a zip: the score, and each case as a test. Pure.

Everything in it is visible to the student, for it is redacted. Where a lab is not graded yet, there is no file: Gradescope has no score
that means "later".
"""

from __future__ import annotations

from grader.exports.frame.export import Export, ExportFile, Grades, Made
from grader.exports.frame.export_notices import about
from grader.exports.frame.json_text import json_text
from grader.exports.frame.points import grade
from grader.exports.frame.tested_rows import TestedRow, finding_lines, tested_rows
from grader.exports.frame.zip_bytes import zip_bytes
from grader.model.result import LabResult, Result

_FILE = "exports/gradescope.zip"


def gradescope_results(result: Result) -> dict[str, object]:
    """Of a redacted result in which each lab is graded."""
    data: dict[str, object] = {
        "score": result.total,
        "output": "\n".join(finding_lines(result)),
        "output_format": "text",
        "test_output_format": "text",
        "test_name_format": "text",
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "tests": [_test(row) for row in tested_rows(result)],
    }
    if ranked := [entry for lab in result.labs.values() for entry in _leaderboard(lab)]:
        data["leaderboard"] = ranked
    return data


def _test(row: TestedRow) -> dict[str, object]:
    return {
        "name": row.whole_name,
        "score": row.points,
        "max_score": row.max_points,
        "status": "passed" if row.passed else "failed",
        "output": row.words,
        "tags": [row.lab],
    }


def _leaderboard(lab: LabResult) -> list[dict[str, object]]:
    """Of a kernel that was timed, and whose author wants to be ranked."""
    if lab.leaderboard is None or not lab.leaderboard.name or lab.timing is None or lab.timing.speedup is None:
        return []
    return [{"name": f"{lab.title}: speed-up", "value": round(lab.timing.speedup.middle, 3), "order": "desc"}]


def _render(grades: Grades) -> Made:
    files = [
        (f"{one.submission.id}/results.json", json_text(gradescope_results(one)))
        for one in grades.results
        if grade(one) is not None
    ]
    left = [one for one in grades.results if grade(one) is None]
    return Made(
        (ExportFile(_FILE, zip_bytes(files)),), tuple(about(left, "not graded yet, so there is no results.json"))
    )


GRADESCOPE = Export("gradescope", _FILE, "results.json of each student for Gradescope", _render)
