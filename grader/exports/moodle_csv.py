"""Moodle's tables: the CSV file for the gradebook's import, and the offline grading worksheet of an assignment. Pure.

The gradebook finds a student by the one column that the instructor maps. A row whose cell is empty there would give its grade to the
student of the row before it, so a column that is not complete is left out. A row that Moodle does not find makes it refuse the whole
file, and so does a grade that is too high.
"""

from __future__ import annotations

from collections.abc import Callable

from grader.exports.frame.export import Export, ExportFile, Grades, Made
from grader.exports.frame.export_notices import about, above_maximum, ungraded
from grader.exports.frame.one_row_each import rows_by
from grader.exports.frame.points import grade_text, number_text
from grader.exports.frame.safe_cells import key_cell, shown_cell, table_text
from grader.model.result import Result, Student

_GRADES, _WORKSHEET = "exports/moodle.csv", "exports/moodle-worksheet.csv"
_MOST = 100  # the highest grade that Moodle imports, unless its administrator allows more
_KEYS: dict[str, Callable[[Student], str]] = {
    "Username": lambda student: key_cell(student.login),
    "ID number": lambda student: key_cell(student.number),
    "Email address": lambda student: key_cell(student.email),
}


def moodle_csv(grades: Grades) -> Made:
    students = [one.submission.student for one in grades.results]
    best = max(_KEYS, key=lambda heading: sum(bool(_KEYS[heading](one)) for one in students))
    unknown = f'left out, because "{best}" is not known'
    if not any(_KEYS[best](one) for one in students):
        unknown = "left out, because neither login nor number nor address is known: give a roster"
    known = rows_by(grades.results, lambda one: [_KEYS[best](one.submission.student)], unknown)
    whole = [heading for heading in _KEYS if all(_KEYS[heading](one.submission.student) for one in known.results)]
    rows = [["Full name", *whole, shown_cell(grades.assignment)]]
    rows += [
        [_name(one), *(_KEYS[heading](one.submission.student) for heading in whole), grade_text(one)]
        for one in known.results
    ]
    high = [one for one in known.results if one.total > _MOST]
    notices = [
        *known.notices,
        *about(high, f"more than {_MOST} points: Moodle refuses the whole file unless its administrator allows more"),
        *ungraded(known.results, "Moodle may remove a grade that it has: grade these first"),
    ]
    return Made((ExportFile(_GRADES, table_text(rows)),), tuple(notices))


def moodle_worksheet(grades: Grades) -> Made:
    unknown = "left out, because Moodle's number of the participant is not known"
    known = rows_by(grades.results, lambda one: [_participant(one)], unknown)
    headings = ["Identifier", "Full name", "ID number", "Email address", "Grade", "Maximum Grade"]
    rows = [[*headings, "Last modified (grade)"]]
    for one in known.results:
        student = one.submission.student
        who = [f"Participant {_participant(one)}", _name(one), key_cell(student.number), key_cell(student.email)]
        rows.append([*who, grade_text(one), number_text(one.max), "-"])
    notices = [
        *known.notices,
        *above_maximum(
            known.results, "more than the maximum: Moodle leaves these out without a word; enter them by hand"
        ),
        *ungraded(known.results, "Moodle leaves these as they are"),
    ]
    return Made((ExportFile(_WORKSHEET, table_text(rows)),), tuple(notices))


def _name(result: Result) -> str:
    return shown_cell(result.submission.called)


def _participant(result: Result) -> str:
    """Moodle's number of this student in this assignment; empty: not known."""
    found = result.submission.student.platform_ids.get("Moodle", "")
    return found if found.isascii() and found.isdigit() else ""


MOODLE = Export("moodle", _GRADES, "import of Moodle's gradebook", moodle_csv)
MOODLE_WORKSHEET = Export("moodle-worksheet", _WORKSHEET, "Moodle's offline grading worksheet", moodle_worksheet)
