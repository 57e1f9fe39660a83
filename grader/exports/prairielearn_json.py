"""PrairieLearn's `results.json` of an external grader, one for each student in a zip: a score from 0 to 1, and each case as a test. Pure.

Where a lab is not graded yet, the result is "not gradable": PrairieLearn then takes no points and no attempt.
"""

from __future__ import annotations

from grader.exports.frame.export import Export, ExportFile, Grades, Made
from grader.exports.frame.export_notices import about, above_maximum
from grader.exports.frame.json_text import json_text
from grader.exports.frame.points import grade, most
from grader.exports.frame.tested_rows import TestedRow, finding_lines, tested_rows
from grader.exports.frame.zip_bytes import zip_bytes
from grader.model.result import Result

_FILE = "exports/prairielearn.zip"


def prairielearn_results(result: Result) -> dict[str, object]:
    """Of a redacted result."""
    points = grade(result)
    if points is None:
        why = [
            lab.verdict.facts.sentence for lab in result.labs.values() if lab.verdict.facts.tone in {"ours", "waiting"}
        ]
        return {"gradable": False, "format_errors": why}
    return {
        "gradable": True,
        "score": min(points / most(result), 1.0) if most(result) else 0.0,
        "output": "\n".join(finding_lines(result)),
        "tests": [_test(row) for row in tested_rows(result)],
    }


def _test(row: TestedRow) -> dict[str, object]:
    return {"name": row.whole_name, "points": row.points, "max_points": row.max_points, "message": row.words}


def _render(grades: Grades) -> Made:
    files = [(f"{one.submission.id}/results.json", json_text(prairielearn_results(one))) for one in grades.results]
    notices = [
        *about([one for one in grades.results if grade(one) is None], "not graded yet, so the result is not gradable"),
        *above_maximum(grades.results, "more than the maximum: PrairieLearn takes no score above 1"),
    ]
    return Made((ExportFile(_FILE, zip_bytes(files)),), tuple(notices))


PRAIRIELEARN = Export("prairielearn", _FILE, "results.json of each student for PrairieLearn", _render)
