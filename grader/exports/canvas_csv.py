"""Canvas's gradebook as a CSV file, in the columns that Canvas itself exports and imports. Pure.

Canvas finds a student by its own id, else by SIS User ID, else by SIS Login ID; it would also go by the name, which two may have. A
heading "Week 3 (4711)" is the assignment 4711. Another one is found by its title, and made anew where there is none.
"""

from __future__ import annotations

from grader.exports.frame.export import Export, ExportFile, Grades, Made
from grader.exports.frame.export_notices import ungraded
from grader.exports.frame.one_row_each import rows_by
from grader.exports.frame.points import grade_text, number_text
from grader.exports.frame.safe_cells import key_cell, shown_cell, table_text
from grader.model.result import Result

_FILE = "exports/canvas.csv"
_POINTS = "Points Possible"
_HEADINGS = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")


def canvas_csv(grades: Grades) -> Made:
    unknown = "left out, because neither Canvas's id nor number nor login is known: give a roster"
    known = rows_by(grades.results, _keys, unknown)
    rows = [
        [*_HEADINGS, shown_cell(grades.assignment)],
        [f"    {_POINTS}", "", "", "", "", number_text(grades.max)],
        *(_row(result) for result in known.results),
    ]
    notices = [
        *known.notices,
        *ungraded(known.results, "Canvas would remove a grade that it has: grade these first"),
    ]
    return Made((ExportFile(_FILE, table_text(rows)),), tuple(notices))


def _keys(result: Result) -> list[str]:
    student = result.submission.student
    return [key_cell(one) for one in (student.platform_ids.get("Canvas", ""), student.number, student.login)]


def _row(result: Result) -> list[str]:
    student = result.submission.student
    name = shown_cell(result.submission.called)
    if _POINTS.casefold() in name.casefold():  # Canvas would take the row for that of the maximum
        name = result.submission.id
    return [name, *_keys(result), shown_cell(student.section), grade_text(result)]


CANVAS = Export("canvas", _FILE, "gradebook of Canvas", canvas_csv)
