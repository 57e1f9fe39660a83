"""Moodle's tables: the CSV file for the gradebook's import, and the offline grading worksheet of an assignment. Pure.

The gradebook finds a student by username, ID number or address, whichever the instructor maps. A row that Moodle does not find makes
it refuse the whole file, and so does a grade that is too high.
"""

from __future__ import annotations

from grader.exports.frame.export import Export, ExportFile, Grades, Made
from grader.exports.frame.export_notices import about, above_maximum, ungraded, without
from grader.exports.frame.points import grade_text, number_text
from grader.exports.frame.safe_cells import key_cell, shown_cell, table_text
from grader.model.result import Result

_GRADES, _WORKSHEET = "exports/moodle.csv", "exports/moodle-worksheet.csv"
_MOST = 100  # the highest grade that Moodle imports, unless its administrator allows more


def moodle_csv(grades: Grades) -> Made:
    known = [one for one in grades.results if any(_keys(one))]
    rows = [["Full name", "Username", "ID number", "Email address", shown_cell(grades.assignment)]]
    rows += [[_name(one), *_keys(one), grade_text(one)] for one in known]
    high = [one for one in known if one.total > _MOST]
    notices = [
        *about(without(grades.results, known), "left out, because neither login nor number nor address is known"),
        *about(high, f"more than {_MOST} points: Moodle refuses the whole file unless its administrator allows more"),
        *ungraded(grades, "Moodle would remove a grade that it has: grade these first"),
    ]
    return Made((ExportFile(_GRADES, table_text(rows)),), tuple(notices))


def moodle_worksheet(grades: Grades) -> Made:
    known = [one for one in grades.results if _participant(one)]
    headings = ["Identifier", "Full name", "ID number", "Email address", "Grade", "Maximum Grade"]
    rows = [[*headings, "Last modified (grade)"]]
    for one in known:
        student = one.submission.student
        who = [f"Participant {_participant(one)}", _name(one), key_cell(student.number), key_cell(student.email)]
        rows.append([*who, grade_text(one), number_text(one.max), "-"])
    notices = [
        *about(without(grades.results, known), "left out, because Moodle's number of the participant is not known"),
        *above_maximum(grades, "more than the maximum: Moodle leaves these out without a word; enter them by hand"),
        *ungraded(grades, "Moodle leaves these as they are"),
    ]
    return Made((ExportFile(_WORKSHEET, table_text(rows)),), tuple(notices))


def _name(result: Result) -> str:
    return shown_cell(result.submission.student.name or result.submission.name)


def _keys(result: Result) -> list[str]:
    student = result.submission.student
    return [key_cell(one) for one in (student.login, student.number, student.email)]


def _participant(result: Result) -> str:
    """Moodle's number of this student in this assignment; empty: not known."""
    found = result.submission.student.platform_ids.get("Moodle", "")
    return found if found.isascii() and found.isdigit() else ""


MOODLE = Export("moodle", _GRADES, "import of Moodle's gradebook", moodle_csv)
MOODLE_WORKSHEET = Export("moodle-worksheet", _WORKSHEET, "Moodle's offline grading worksheet", moodle_worksheet)
