"""Canvas's gradebook as a CSV file, in the columns that Canvas itself exports and imports. Pure.

Canvas finds a student by its own id, else by SIS User ID, else by SIS Login ID, else by the name. A heading "Week 3 (4711)" is the
assignment 4711; another one is found by its title, and made anew where there is none.
"""

from __future__ import annotations

from grader.exports.frame.export import Export, ExportFile, Grades, Made
from grader.exports.frame.export_notices import about, ungraded
from grader.exports.frame.points import grade_text, number_text
from grader.exports.frame.safe_cells import key_cell, shown_cell, table_text
from grader.model.result import Result

_FILE = "exports/canvas.csv"
_HEADINGS = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")


def canvas_csv(grades: Grades) -> Made:
    rows = [
        [*_HEADINGS, shown_cell(grades.assignment)],
        ["    Points Possible", "", "", "", "", number_text(grades.max)],
        *(_row(result) for result in grades.results),
    ]
    nameless = [one for one in grades.results if not any(_keys(one))]
    notices = [
        *about(
            nameless, "neither Canvas's id nor number nor login is known, so Canvas goes by the name: give a roster"
        ),
        *ungraded(grades, "Canvas would remove a grade that it has: grade these first"),
    ]
    return Made((ExportFile(_FILE, table_text(rows)),), tuple(notices))


def _keys(result: Result) -> list[str]:
    student = result.submission.student
    return [key_cell(one) for one in (student.platform_ids.get("Canvas", ""), student.number, student.login)]


def _row(result: Result) -> list[str]:
    student = result.submission.student
    name = shown_cell(student.name or result.submission.name)
    return [name, *_keys(result), shown_cell(student.section), grade_text(result)]


CANVAS = Export("canvas", _FILE, "gradebook of Canvas", canvas_csv)
