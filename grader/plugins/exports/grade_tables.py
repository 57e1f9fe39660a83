"""A class's grades as files: tables for the gradebooks of platforms and for spreadsheets, score payloads, and pages to give back. Pure."""

from __future__ import annotations

import codecs
import csv
import io
import json
import re
import zipfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Literal

from grader.model import visible_text
from grader.model.result import UNDECIDED, Case, LabAnswers, LabResult, Result, Student
from grader.model.verdicts import Verdict
from grader.model.written_names import first_and_last, some
from grader.roll.batch.plugin import Grades, Made

# Points as exports write them. What is not graded yet is blank, and never zero: people notice a blank, but not a zero. Pure.


def is_decided(lab: LabResult) -> bool:
    """Whether its points are known: by a grading, or because a person decided them."""
    by_a_person = lab.standing is not None and lab.standing.override is not None
    return (lab.verdict not in UNDECIDED or by_a_person) and not lab.is_open


def grade(result: Result) -> float | None:
    """The total so far. None: some lab is not graded yet, or none is due yet."""
    due = [lab for lab in result.labs.values() if not lab.is_open]
    return result.total if all(map(is_decided, due)) and (due or not result.labs) else None


def grade_text(result: Result) -> str:
    """Empty: not graded yet."""
    return "" if (points := grade(result)) is None else visible_text.points(points)


# Sentences for the instructor about an export: who is missing in it, and what an import would do. Pure.


def about(results: Sequence[Result], what: str) -> list[str]:
    """No sentence where nobody is concerned. `what` follows "3 students": "are left out: ..."."""
    if not results:
        return []
    many = f"{len(results)} student{'s' if len(results) > 1 else ''}"
    return [f"{many}: {what} ({some(one.submission.id for one in results)})"]


def ungraded(results: Iterable[Result], what: str) -> list[str]:
    """About those whose cell is blank. `what` says what the platform makes of that."""
    return about([one for one in results if grade(one) is None], f"not graded yet, so the grade is blank; {what}")


def above_maximum(results: Iterable[Result], what: str) -> list[str]:
    """About those who have more than the maximum, by extra credit."""
    return about([one for one in results if one.total > one.max], what)


def without(results: Iterable[Result], chosen: Iterable[Result]) -> list[Result]:
    """Those of `results` who are not among `chosen`."""
    ids = {one.submission.id for one in chosen}
    return [one for one in results if one.submission.id not in ids]


def noticed(contents: str | bytes | Mapping[str, str | bytes], *notices: Sequence[str]) -> Made:
    return Made(contents, tuple(chain(*notices)))


# JSON as exports write it. Pure.


def json_text(data: Mapping[str, object]) -> str:
    """For files that people open too."""
    return json.dumps(data, indent=2, ensure_ascii=False) + "\n"


def json_line(data: Mapping[str, object]) -> str:
    """One line of ASCII: no character of a name can end it."""
    return json.dumps(data) + "\n"


# One row for each of a platform's students. Pure.
#
# Where several results are one student's, because nothing says which upload is the last, a platform would silently keep the last row. So
# none of them is exported.


@dataclass(frozen=True)
class Rows:
    results: tuple[Result, ...]  # with a key of their own
    notices: list[str]  # about all others


def rows_by(results: Sequence[Result], keys_of: Callable[[Result], Sequence[str]], unknown: str) -> Rows:
    """`keys_of`: what the platform may find the student by; empty ones do not count. `unknown`: about those who have none."""
    keys = [{(place, key.casefold()) for place, key in enumerate(keys_of(one)) if key} for one in results]
    counts = Counter(key for each in keys for key in each)
    most_often = [max((counts[key] for key in own), default=0) for own in keys]
    nobody, kept = ([one for one, n in zip(results, most_often, strict=True) if n == times] for times in (0, 1))
    several = without(results, [*nobody, *kept])
    why = "left out, because several uploads are one student's: leave the one that counts and grade again"
    empty = ["this file holds no students, so there is nothing to import"] if results and not kept else []
    return Rows(tuple(kept), [*empty, *about(nobody, unknown), *about(several, why)])


# Tables for platforms and spreadsheets: no cell of a student's runs as a formula, and what a platform matches by stays as it is. Pure.
#
# Names, sections and logins come from uploads and platforms, so they are hostile.

_SIGNS = "=+@\N{FULLWIDTH EQUALS SIGN}\N{FULLWIDTH PLUS SIGN}\N{FULLWIDTH HYPHEN-MINUS}\N{FULLWIDTH COMMERCIAL AT}-"
_FORMULA = tuple(_SIGNS)
# A spreadsheet of another language takes a semicolon for the end of a cell.
_CELL_WITHIN = re.compile(rf"([;,|]\s*)(?=[{_SIGNS}])")
_HARMLESS = re.compile(r"[+\-@]?[\w.@+\-]*")  # a sign in front, but nothing that calls or refers to anything


def one_line(text: str) -> str:
    """Without control characters, which may end a row or hide what follows."""
    return re.sub(r"\s+", " ", "".join(one if one.isprintable() else " " for one in text)).strip()


def shown_cell(text: str) -> str:
    """For people to read. A spreadsheet takes it as text."""
    cell = _CELL_WITHIN.sub(r"\1'", one_line(text))
    return f"'{cell}" if cell.startswith(_FORMULA) else cell


def key_cell(text: str) -> str:
    """What a platform matches by: unchanged. Empty where a spreadsheet could run it."""
    cell = one_line(text)
    runs = cell.startswith(_FORMULA) and not _HARMLESS.fullmatch(cell)
    return "" if runs or _CELL_WITHIN.search(cell) else cell


def table_text(rows: Iterable[Sequence[str]], *, separator: str = ",", quote_all: bool = False) -> str:
    """CSV as RFC 4180 says, with line feeds alone at the end of rows."""
    text = io.StringIO()
    quoting: Literal[0, 1] = csv.QUOTE_ALL if quote_all else csv.QUOTE_MINIMAL
    csv.writer(text, delimiter=separator, lineterminator="\n", quoting=quoting).writerows(rows)
    return text.getvalue()


# What was tested of a student's labs, one row a case: for formats that list tests with points. Pure.
#
# The points of a lab's rows add up to the lab's.

_DUST = 1e-6


@dataclass(frozen=True)
class TestedRow:
    lab: str  # its id
    name: str
    passed: bool | None  # None: not graded yet
    points: float
    max_points: float
    words: str  # empty: it passed, and there is nothing to say

    @property
    def whole_name(self) -> str:
        return f"{self.lab}: {self.name}"


def tested_rows(result: Result) -> tuple[TestedRow, ...]:
    """Of all labs, in their order. `result` has to be redacted."""
    return tuple(row for lab_id, lab in result.labs.items() for row in _rows(lab_id, lab))


def _rows(lab_id: str, lab: LabResult) -> Iterator[TestedRow]:
    rows = [_case_row(lab_id, lab, case) for case in lab.cases]
    if lab.performance_max:
        points, highest = lab.performance_points, lab.performance_max
        rows.append(TestedRow(lab_id, "performance", points >= highest, points, highest, lab.performance))
    whole = abs(sum(row.points for row in rows) - lab.points) < _DUST
    if lab.cases and whole and abs(sum(row.max_points for row in rows) - lab.max_points) < _DUST:
        yield from rows
        return
    passed = lab.points >= lab.max_points if is_decided(lab) else None
    yield TestedRow(lab_id, lab.title, passed, lab.points, lab.max_points, _words(lab))


def _words(lab: LabResult) -> str:
    """Why the lab has the points that it has."""
    standing = lab.standing
    if standing is None:
        return lab.verdict.facts.sentence
    if standing.override is not None:
        return f"decided by {standing.override.author}: {standing.override.reason}"
    if lab.is_open:
        return "nothing was handed in yet, and the deadline is still to come"
    lost = f"\n{visible_text.points(standing.lost)} points less, because it was handed in {standing.late} late"
    return lab.verdict.facts.sentence + (lost if standing.lost else "")


def _case_row(lab_id: str, lab: LabResult, case: Case) -> TestedRow:
    undecided = lab.verdict in UNDECIDED or case.verdict in UNDECIDED
    words = [case.message, case.advice] if not case.passed else [case.message if case.points < case.max_points else ""]
    if undecided or not lab.ran:
        words = [lab.verdict.facts.sentence]
    passed = None if undecided else case.passed
    return TestedRow(lab_id, case.name, passed, case.points, case.max_points, "\n".join(filter(None, words)))


def finding_lines(result: Result) -> list[str]:
    """One line for each finding, as compilers write them."""
    found = [(one.file or lab.file, one) for lab in result.labs.values() for one in lab.findings]
    placed = [(file if one.line is None else f"{file}:{one.line}", one) for file, one in found]
    return [f"{place}: {one.called}: {one.message}" for place, one in placed]


# A zip of files that are made in memory. The same files give the same bytes. Pure.
#
# Formats with a file for each student are one zip: what an earlier batch wrote there never stays beside what is new.

_DATE = (1980, 1, 1, 0, 0, 0)


def zip_bytes(files: Iterable[tuple[str, str | bytes]]) -> bytes:
    """`files`: each one's name and contents. They are asked for one after the other."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for name, contents in files:
            packed = contents if isinstance(contents, bytes) else contents.encode("utf-8", "replace")
            archive.writestr(zipfile.ZipInfo(name, _DATE), packed, zipfile.ZIP_DEFLATED)
    return data.getvalue()


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
        [f"    {_POINTS}", "", "", "", "", visible_text.points(grades.max)],
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
        return [*who, grade_text(one), visible_text.points(one.max), "-"]

    return _table(
        rows_by(grades.results, lambda one: [_participant(one)], unknown),
        [[*headings, "Last modified (grade)"]],
        row,
        "Moodle leaves these as they are",
        "Moodle leaves these out and says nothing; enter them by hand",
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


def grades_csv(grades: Grades) -> str:
    rows = [["student", "total", "max", *grades.graded.lab_ids]]
    for result in grades.results:
        labs = [result.labs[lab_id] for lab_id in grades.graded.lab_ids]
        broken = any(map(_is_broken, labs)) or all(lab.is_open for lab in labs)
        total = "" if broken and labs else visible_text.points(result.total)
        cells = ["" if _is_broken(lab) or lab.is_open else visible_text.points(lab.points) for lab in labs]
        rows.append([result.submission.id, total, visible_text.points(result.max), *cells])
    return table_text(rows)


# `exports/parts.csv`: one row for each student. Each lab has a column for each part of its points that some of it has, as they were judged:
# before late work and what people decided. Pure.

_PARTS = ("correctness", "technique", "speed")


def parts_csv(grades: Grades) -> str:
    most = [(lab, part) for lab in grades.graded.lab_ids for part in _PARTS]
    kept = [(lab, part) for lab, part in most if any(_part(one.labs[lab], part)[1] for one in grades.results)]
    rows = [["student", *(f"{lab} {part}" for lab, part in kept)]]
    for result in grades.results:
        labs = ((result.labs[lab], part) for lab, part in kept)
        cells = [
            "" if _is_broken(lab) or lab.is_open else visible_text.points(_part(lab, part)[0]) for lab, part in labs
        ]
        rows.append([result.submission.id, *cells])
    return table_text(rows)


def _part(lab: LabResult, part: str) -> tuple[float, float]:
    """The points, and the most there are."""
    if part == "speed":
        return lab.performance_points, lab.performance_max
    cases = [one for one in lab.cases if one.role == part]
    return sum(one.points for one in cases), sum(one.max_points for one in cases)


def _is_broken(lab: LabResult) -> bool:
    return lab.verdict is Verdict.INTERNAL_ERROR and not is_decided(lab)


# `exports/answers.csv`: one row for each student. Each lab that asks questions has three columns: how many it asks, how many are
# answered, how many numbers are right. Pure.
#
# Cells are empty where a student handed in nothing. No text that a student wrote is in it.

_COLUMNS = ("questions", "answered", "right numbers")


def answers_csv(grades: Grades) -> str:
    asking = [lab for lab in grades.graded.lab_ids if any(result.labs[lab].answers for result in grades.results)]
    rows = [["student", *(f"{lab} {column}" for lab in asking for column in _COLUMNS)]]
    for result in grades.results:
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
        "scoreMaximum": result.most,
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
    if not (number := _participant(result)):
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
        about(twice, "another page is attached to the same file: a team's, or another upload's"),
        about(pageless, "the page is missing in OUT: grade again"),
    )


def moodle_feedback(grades: Grades) -> Made:
    return _zipped(grades, _in_moodle, "Moodle's number of the participant is not known")


def canvas_feedback(grades: Grades) -> Made:
    why = "no file has the name that Canvas gave it: grade Canvas's own download of submissions"
    return _zipped(grades, _in_canvas, why)
