"""A class's grades as files: tables for the gradebooks of platforms and for spreadsheets, score payloads, and pages to give back. Pure."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Sequence

from grader.model.graded_class import GradedClass
from grader.model.result import LabAnswers, LabResult, Result, Student
from grader.model.verdicts import Verdict
from grader.model.written_names import first_and_last
from grader.plugins.exports.grade_rows import (
    Rows,
    about,
    above_maximum,
    grade,
    grade_text,
    is_decided,
    is_open,
    json_line,
    key_cell,
    most,
    noticed,
    number_text,
    one_line,
    rows_by,
    shown_cell,
    table_text,
    ungraded,
    without,
    zip_bytes,
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


# `grades.csv`: one row for each student, `student,total,max`, then one column for each lab. Pure.
#
# If a failure of ours kept a lab from being graded, its cell and the total are empty: people notice a blank, but not a zero. A lab that is
# not due yet and was not handed in has an empty cell too; the total is that of the others.


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
