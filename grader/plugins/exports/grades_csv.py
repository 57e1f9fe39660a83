"""`grades.csv`: one row for each student, `student,total,max`, then one column for each lab. Pure.

If a failure of ours kept a lab from being graded, its cell and the total are empty: people notice a blank, but not a zero. A lab that is
not due yet and was not handed in has an empty cell too; the total is that of the others.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from grader.model.graded_class import GradedClass
from grader.model.result import LabAnswers, LabResult, Result
from grader.model.verdicts import Verdict
from grader.plugins.exports.grade_rows import (
    about,
    grade,
    is_decided,
    is_open,
    json_line,
    most,
    noticed,
    number_text,
    one_line,
    rows_by,
    table_text,
    without,
    zip_bytes,
)
from grader.roll.batch.plugin import Grades, Made


def grades_csv(graded: GradedClass) -> str:
    rows = [["student", "total", "max", *graded.lab_ids]]
    for result in graded.results:
        labs = [result.labs[lab_id] for lab_id in graded.lab_ids]
        broken = any(map(_is_broken, labs)) or all(map(is_open, labs))
        total = "" if broken and labs else number_text(result.total)
        cells = ["" if _is_broken(lab) or is_open(lab) else number_text(lab.points) for lab in labs]
        rows.append([result.submission.id, total, number_text(result.max), *cells])
    return table_text(rows)


def _is_broken(lab: LabResult) -> bool:
    return lab.verdict is Verdict.INTERNAL_ERROR and not is_decided(lab)


# `exports/answers.csv`: one row for each student. Each lab that asks questions has three columns: how many it asks, how many are
# answered, how many numbers are right. Pure.
#
# Cells are empty where a student handed in nothing. No text that a student wrote is in it.

_COLUMNS = ("questions", "answered", "right numbers")


def answers_csv(graded: GradedClass) -> str:
    asking = [lab for lab in graded.lab_ids if any(result.labs[lab].answers for result in graded.results)]
    rows = [["student", *(f"{lab} {column}" for lab in asking for column in _COLUMNS)]]
    for result in graded.results:
        cells = [cell for lab in asking for cell in _cells(result.labs[lab].answers)]
        rows.append([result.submission.id, *cells])
    return table_text(rows)


def _cells(answers: LabAnswers | None) -> tuple[str, str, str]:
    if answers is None:
        return ("", "", "")
    return str(len(answers.questions)), str(answers.answered), str(answers.right)


# Score payloads of LTI's Assignment and Grade Services, one JSON object a line, each to be posted to a line item's `/scores`. Pure.
#
# Their media type is application/vnd.ims.lis.v1.score+json. A platform clears a score that a payload leaves out, so a student who is not
# graded yet has no line.


def ags_scores(grades: Grades) -> Made:
    unknown = "left out, because the platform's id of the user is not known: give a roster with a column `LTI user id`"
    known = rows_by(grades.results, lambda one: [_user(one)], unknown)
    graded = [(one, points) for one in known.results if (points := grade(one)) is not None]
    lines = [json_line(_score(one, points, grades.at)) for one, points in graded]
    left = about([one for one in known.results if grade(one) is None], "not graded yet, so there is no line")
    return noticed("".join(lines), known.notices, left)


def _user(result: Result) -> str:
    """The id under which the platform launches tools; Canvas takes its own id as well."""
    ids = result.submission.student.platform_ids
    return ids.get("LTI") or ids.get("Canvas", "")


def _score(result: Result, points: float, at: str) -> dict[str, object]:
    return {
        "userId": _user(result),
        "scoreGiven": points,
        "scoreMaximum": most(result),
        "activityProgress": "Completed" if result.submission.handed_in else "Initialized",
        "gradingProgress": "FullyGraded",
        "timestamp": at,
        "comment": "; ".join(f"{lab_id}: {lab.look.label}" for lab_id, lab in result.labs.items()),
    }


# Students' pages in a zip that a platform gives back to all of them at once: Moodle's feedback files, Canvas's re-uploaded submissions.
#
# Both platforms read from a file's name whose it is. Moodle needs the participant's number, Canvas also the number of a file that the
# student handed in: both are in the names of what was downloaded from there.

_AS_CANVAS_NAMES = re.compile(r"([^_\s/\\.][^_\s/\\]*_(?:LATE_)?[0-9]+_[0-9]+)_.+", re.DOTALL)


def _in_moodle(result: Result) -> str:
    """`Ada Lovelace_700001_assignsubmission_file_/report.html`. Moodle reads the number alone, between the first two underscores."""
    number = result.submission.student.platform_ids.get("Moodle", "")
    if not (number.isascii() and number.isdigit()):
        return ""
    name = one_line(re.sub(r'[_/\\:*?"<>|.~]', " ", result.submission.called))
    return f"{name}_{number}_assignsubmission_file_/report.html"


def _in_canvas(result: Result) -> str:
    """`lovelaceada_1234_5678_report.html`: up to the numbers, as it was downloaded."""
    heads = [match[1] for name in result.submission.downloaded if (match := _AS_CANVAS_NAMES.fullmatch(name))]
    found = [one for one in heads if one.isprintable()]
    return f"{found[0]}_report.html" if found else ""


def _zipped(grades: Grades, name_of: Callable[[Result], str], why: str) -> Made:
    absent = [one for one in grades.results if not one.submission.handed_in and not name_of(one)]
    named: dict[str, Result] = {}
    twice = [one for one in grades.results if (name := name_of(one)) and named.setdefault(name, one) is not one]
    pages = [(name, one, grades.page(one.submission.id)) for name, one in named.items()]
    pageless = [one for _, one, page in pages if page is None]
    return noticed(
        zip_bytes((name, page) for name, _, page in pages if page is not None),
        about(without(grades.results, [*named.values(), *absent, *twice]), f"no page in this zip, because {why}"),
        about(absent, "handed in nothing, so there is nothing to attach a page to"),
        about(
            twice, "somebody else's page is attached to the same file: a team's, or another upload of the same student"
        ),
        about(pageless, "the page is missing in OUT: grade again"),
    )


def moodle_feedback(grades: Grades) -> Made:
    return _zipped(grades, _in_moodle, "Moodle's number of the participant is not known")


def canvas_feedback(grades: Grades) -> Made:
    why = "no file has the name that Canvas gave it: grade Canvas's own download of submissions"
    return _zipped(grades, _in_canvas, why)
