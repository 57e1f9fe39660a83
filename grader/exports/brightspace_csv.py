"""Brightspace's import of grades: the columns of its sample file, and `#` at the end of each line. Pure.

Brightspace finds a student by OrgDefinedId or Username, and the grade item by its name.
"""

from __future__ import annotations

from grader.exports.frame.export import Export, ExportFile, Grades, Made
from grader.exports.frame.export_notices import above_maximum, ungraded
from grader.exports.frame.one_row_each import rows_by
from grader.exports.frame.points import grade_text
from grader.exports.frame.safe_cells import key_cell, shown_cell, table_text
from grader.model.result import Result

_FILE = "exports/brightspace.csv"


def brightspace_csv(grades: Grades) -> Made:
    unknown = "left out, because neither OrgDefinedId nor username is known: give a roster"
    known = rows_by(grades.results, _keys, unknown)
    rows = [["OrgDefinedId", "Username", f"{shown_cell(grades.assignment)} Points Grade", "End-of-Line Indicator"]]
    rows += [[*_keys(one), grade_text(one), "#"] for one in known.results]
    notices = [
        *known.notices,
        *above_maximum(
            known.results, "more than the maximum: Brightspace cuts these off, unless the grade item can exceed it"
        ),
        *ungraded(known.results, "look in Brightspace's preview at what it makes of that"),
    ]
    return Made((ExportFile(_FILE, table_text(rows)),), tuple(notices))


def _keys(result: Result) -> list[str]:
    student = result.submission.student
    return [key_cell(student.number), key_cell(student.login)]


BRIGHTSPACE = Export("brightspace", _FILE, "import of grades into Brightspace", brightspace_csv)
