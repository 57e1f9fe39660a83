"""Score payloads of LTI's Assignment and Grade Services, one JSON object a line, each to be posted to a line item's `/scores`. Pure.

Their media type is application/vnd.ims.lis.v1.score+json. A platform clears a score that a payload leaves out, so a student who is not
graded yet has no line.
"""

from __future__ import annotations

from grader.exports.frame.export import Export, ExportFile, Grades, Made
from grader.exports.frame.export_notices import about
from grader.exports.frame.json_text import json_line
from grader.exports.frame.one_row_each import rows_by
from grader.exports.frame.points import grade, most
from grader.model.result import Result

_FILE = "exports/ags-scores.jsonl"


def ags_scores(grades: Grades) -> Made:
    unknown = "left out, because the platform's id of the user is not known: give a roster with a column `LTI user id`"
    known = rows_by(grades.results, lambda one: [_user(one)], unknown)
    graded = [(one, points) for one in known.results if (points := grade(one)) is not None]
    lines = [json_line(_score(one, points, grades.at)) for one, points in graded]
    notices = [
        *known.notices,
        *about([one for one in known.results if grade(one) is None], "not graded yet, so there is no line"),
    ]
    return Made((ExportFile(_FILE, "".join(lines)),), tuple(notices))


def _user(result: Result) -> str:
    """The id under which the platform launches tools; Canvas takes its own id as well."""
    ids = result.submission.student.platform_ids
    return ids.get("LTI") or ids.get("Canvas", "")


def _score(result: Result, points: float, at: str) -> dict[str, object]:
    data: dict[str, object] = {
        "userId": _user(result),
        "scoreGiven": points,
        "scoreMaximum": most(result),
        "activityProgress": "Completed" if result.submission.handed_in else "Initialized",
        "gradingProgress": "FullyGraded",
        "timestamp": at,
    }
    comment = "; ".join(f"{lab_id}: {lab.look.label}" for lab_id, lab in result.labs.items())
    return data | {"comment": comment}


AGS = Export("ags", _FILE, "score payloads of LTI's Assignment and Grade Services", ags_scores)
