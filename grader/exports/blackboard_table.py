"""Blackboard's grade centre for "Work offline, Upload": comma-separated, and tab-separated in UTF-16 as Blackboard itself writes it. Pure.

Blackboard finds a student by the username, and a column by the number at the end of its heading.
"""

from __future__ import annotations

import codecs

from grader.exports.frame.export import Export, ExportFile, Grades, Made
from grader.exports.frame.export_notices import ungraded
from grader.exports.frame.one_row_each import rows_by
from grader.exports.frame.points import grade_text
from grader.exports.frame.safe_cells import key_cell, shown_cell, table_text
from grader.model.result import Result
from grader.people.name_forms import first_and_last

_CSV, _TABS = "exports/blackboard.csv", "exports/blackboard.xls"


def blackboard_table(grades: Grades) -> Made:
    known = rows_by(
        grades.results,
        lambda one: [key_cell(one.submission.student.login)],
        "left out, because the username is not known: give a roster",
    )
    rows = [["Last Name", "First Name", "Username", "Student ID", shown_cell(grades.assignment)]]
    rows += [_row(one) for one in known.results]
    tabs = table_text(rows, separator="\t", quote_all=True)
    files = (
        ExportFile(_CSV, table_text(rows, quote_all=True)),
        ExportFile(_TABS, codecs.BOM_UTF16_LE + tabs.encode("utf-16-le")),
    )
    notices = [
        *known.notices,
        *ungraded(known.results, "look in Blackboard's preview at what it makes of that"),
    ]
    if "|" not in grades.assignment:
        notices.append(
            f"Blackboard makes a new column of text called {grades.assignment!r}. To fill one that is there, name it as Blackboard's own "
            'download heads it: ASSIGNMENT="Week 3 [Total Pts: 30 Score] |12345"'
        )
    return Made(files, tuple(notices))


def _row(result: Result) -> list[str]:
    student = result.submission.student
    first, last = first_and_last(student.name)
    last = last or student.name or result.submission.name
    return [shown_cell(last), shown_cell(first), key_cell(student.login), key_cell(student.number), grade_text(result)]


BLACKBOARD = Export("blackboard", "exports/blackboard.*", "upload for Blackboard's grade centre", blackboard_table)
