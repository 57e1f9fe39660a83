"""Tables that platforms' gradebooks import: Canvas, Moodle, Blackboard, Brightspace. Pure."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Sequence

from grader.model.result import Result, Student
from grader.model.written_names import first_and_last
from grader.plugins.exports.grade_rows import (
    Rows,
    about,
    above_maximum,
    grade_text,
    key_cell,
    noticed,
    number_text,
    rows_by,
    shown_cell,
    table_text,
    ungraded,
)
from grader.roll.batch.plugin import Grades, Made


def _table(
    known: Rows, head: Sequence[Sequence[str]], row: Callable[[Result], Sequence[str]], blank: str, high: str = ""
) -> Made:
    """`blank`: what the platform makes of a blank grade; `high`: what of one above the maximum, where it does not take that."""
    above = above_maximum(known.results, f"more than the maximum: {high}") if high else []
    rows = [*head, *map(row, known.results)]
    return noticed(table_text(rows), known.notices, above, ungraded(known.results, blank))


# Canvas's gradebook, in the columns that Canvas itself exports and imports.
#
# Canvas finds a student by its own id, else by SIS User ID, else by SIS Login ID; it would also go by the name, which two may have. A
# heading "Week 3 (4711)" is the assignment 4711. Another one is found by its title, and made anew where there is none.

_POINTS = "Points Possible"
_HEADINGS = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")


def canvas_csv(grades: Grades) -> Made:
    unknown = "left out, because neither Canvas's id nor number nor login is known: give a roster"
    head = [
        [*_HEADINGS, shown_cell(grades.assignment)],
        [f"    {_POINTS}", "", "", "", "", number_text(grades.max)],
    ]
    blank = "Canvas would remove a grade that it has: grade these first"
    return _table(rows_by(grades.results, _keys, unknown), head, _row, blank)


def _keys(result: Result) -> list[str]:
    student = result.submission.student
    return [key_cell(one) for one in (student.platform_ids.get("Canvas", ""), student.number, student.login)]


def _row(result: Result) -> list[str]:
    student = result.submission.student
    name = shown_cell(result.submission.called)
    if _POINTS.casefold() in name.casefold():  # Canvas would take the row for that of the maximum
        name = result.submission.id
    return [name, *_keys(result), shown_cell(student.section), grade_text(result)]


# Moodle's tables: the CSV file for the gradebook's import, and the offline grading worksheet of an assignment. Pure.
#
# The gradebook finds a student by the one column that the instructor maps. A row whose cell is empty there would give its grade to the
# student of the row before it, so a column that is not complete is left out. A row that Moodle does not find makes it refuse the whole
# file, and so does a grade that is too high.

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
    keys = [[_KEYS[heading](one.submission.student) for heading in whole] for one in known.results]
    rows += [[_name(one), *own, grade_text(one)] for one, own in zip(known.results, keys, strict=True)]
    high = [one for one in known.results if one.total > _MOST]
    why = "Moodle refuses the whole file unless its administrator allows more"
    refused = about(high, f"more than {_MOST} points: {why}")
    blank = ungraded(known.results, "Moodle may remove a grade that it has: grade these first")
    return noticed(table_text(rows), known.notices, refused, blank)


def moodle_worksheet(grades: Grades) -> Made:
    unknown = "left out, because Moodle's number of the participant is not known"
    headings = ["Identifier", "Full name", "ID number", "Email address", "Grade", "Maximum Grade"]

    def row(one: Result) -> list[str]:
        student = one.submission.student
        who = [f"Participant {_participant(one)}", _name(one), key_cell(student.number), key_cell(student.email)]
        return [*who, grade_text(one), number_text(one.max), "-"]

    return _table(
        rows_by(grades.results, lambda one: [_participant(one)], unknown),
        [[*headings, "Last modified (grade)"]],
        row,
        "Moodle leaves these as they are",
        "Moodle leaves these out without a word; enter them by hand",
    )


def _name(result: Result) -> str:
    return shown_cell(result.submission.called)


def _participant(result: Result) -> str:
    """Moodle's number of this student in this assignment; empty: not known."""
    found = result.submission.student.platform_ids.get("Moodle", "")
    return found if found.isascii() and found.isdigit() else ""


# Blackboard's grade centre for "Work offline, Upload": comma-separated, and tab-separated in UTF-16 as Blackboard itself writes it. Pure.
#
# Blackboard finds a student by the username, and a column by the number at the end of its heading.


def blackboard_table(grades: Grades) -> Made:
    known = rows_by(
        grades.results,
        lambda one: [key_cell(one.submission.student.login)],
        "left out, because the username is not known: give a roster",
    )
    rows = [["Last Name", "First Name", "Username", "Student ID", shown_cell(grades.assignment)]]
    for one in known.results:
        student = one.submission.student
        first, last = first_and_last(student.name)
        last = last or student.name or one.submission.name
        who = [shown_cell(last), shown_cell(first), key_cell(student.login), key_cell(student.number)]
        rows.append([*who, grade_text(one)])
    tabs = table_text(rows, separator="\t", quote_all=True)
    files: dict[str, str | bytes] = {
        "exports/blackboard.csv": table_text(rows, quote_all=True),
        "exports/blackboard.xls": codecs.BOM_UTF16_LE + tabs.encode("utf-16-le"),
    }
    blank = ungraded(known.results, "look in Blackboard's preview at what it makes of that")
    new = (
        f"Blackboard makes a new column of text called {grades.assignment!r}. To fill one that is there, name it as Blackboard's own "
        'download heads it: ASSIGNMENT="Week 3 [Total Pts: 30 Score] |12345"'
    )
    return noticed(files, known.notices, blank, [] if "|" in grades.assignment else [new])


# Brightspace's import of grades: the columns of its sample file, and `#` at the end of each line. Pure.
#
# Brightspace finds a student by OrgDefinedId or Username, and the grade item by its name.


def brightspace_csv(grades: Grades) -> Made:
    unknown = "left out, because neither OrgDefinedId nor username is known: give a roster"
    headings = ["OrgDefinedId", "Username", f"{shown_cell(grades.assignment)} Points Grade", "End-of-Line Indicator"]

    def keys(one: Result) -> list[str]:
        return [key_cell(one.submission.student.number), key_cell(one.submission.student.login)]

    return _table(
        rows_by(grades.results, keys, unknown),
        [headings],
        lambda one: [*keys(one), grade_text(one), "#"],
        "look in Brightspace's preview at what it makes of that",
        "Brightspace cuts these off, unless the grade item can exceed it",
    )
