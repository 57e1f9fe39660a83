"""Tables for gradebooks, held against what the platforms' importers do with them, as far as that is published."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable

import pytest
from export_class import ADA, ALAN, contents, export, make_result, right_lab, small_class, ungraded_lab, unpacked

from grader.model.result import Student, Submission
from grader.model.verdicts import Verdict
from grader.plugins.exports.grade_tables import key_cell, shown_cell
from grader.roll.people.roster import roster_in

KEYED = ["canvas", "moodle", "moodle-worksheet", "blackboard", "brightspace", "classroom50", "ags"]
ADA_AGAIN = Submission(id="ada-2", name="Ada again", student=ADA)
TABLES = [
    ("canvas", 0),
    ("moodle", 0),
    ("moodle-worksheet", 0),
    ("blackboard", 0),
    ("blackboard", 1),
    ("brightspace", 0),
]


def rows_of(data: bytes) -> list[list[str]]:
    text = data.decode("utf-16") if data.startswith(b"\xff\xfe") else data.decode()
    return list(csv.reader(io.StringIO(text), delimiter="\t" if "\t" in text else ","))


def grade_cells(name: str, number: int = 0) -> list[str]:
    """Of ada, alan, zoe and anna."""
    rows = rows_of(contents(export(name, small_class()).files[number]))
    at = next(at for at, heading in enumerate(rows[0]) if heading in {"Week 3", "Grade", "Week 3 Points Grade"})
    return [row[at] for row in rows[1:]][-4:]


@pytest.mark.parametrize(("name", "number"), TABLES)
def test_everybody_has_a_grade_and_what_we_failed_to_grade_is_blank(name: str, number: int) -> None:
    assert grade_cells(name, number) == ["10", "0", "", "0"]


@pytest.mark.parametrize("name", ["canvas", "moodle", "moodle-worksheet", "blackboard", "brightspace"])
def test_a_blank_grade_is_told_with_what_the_platform_makes_of_it(name: str) -> None:
    assert [one for one in export(name, small_class()).notices if "not graded yet" in one and "zoe" in one]


@pytest.mark.parametrize("name", ["canvas", "moodle", "moodle-worksheet", "blackboard", "brightspace"])
def test_a_kernel_that_waits_for_a_gpu_has_no_zero(name: str) -> None:
    rows = rows_of(contents(export(name, [make_result("alan", ALAN, ungraded_lab(Verdict.NEEDS_GPU))]).files[0]))
    assert "0" not in rows[-1]


@pytest.mark.parametrize(("name", "number"), TABLES)
def test_our_own_roster_reader_finds_the_same_people_in_it(name: str, number: int) -> None:
    file = export(name, small_class()).files[number]
    found = [row.student for row in roster_in(contents(file), file.path).rows]
    keys: Callable[[Student], tuple[str, ...]] = {
        "canvas": lambda one: (one.platform_ids["Canvas"], one.number, one.login, one.name, one.section),
        "moodle": lambda one: (one.login, one.number, one.email, one.name),
        "moodle-worksheet": lambda one: (one.platform_ids["Moodle"], one.number, one.email, one.name),
        "blackboard": lambda one: (one.login, one.number),
        "brightspace": lambda one: (one.login, one.number),
    }[name]
    assert [keys(one) for one in found] == [keys(one.submission.student) for one in small_class()]


def test_canvas_sees_its_header_its_row_of_points_and_one_assignment() -> None:
    """As lib/gradebook_importer.rb reads them."""
    made = export("canvas", small_class(), "Week 3 (4711)")
    head, points, *students = rows_of(contents(made.files[0]))
    assert "Student" in head[0]
    assert "ID" in head[1]
    assert head[2:4] == ["SIS User ID", "SIS Login ID"]
    assert "Section" in head[4]
    assert head[5:] == ["Week 3 (4711)"]
    assert "Points Possible" in points[0]
    assert points[5] == "10"
    assert {len(row) for row in (head, points, *students)} == {6}
    assert not contents(made.files[0]).startswith(b"\xef\xbb\xbf")


def test_a_student_cannot_change_how_many_points_canvas_gives_at_most() -> None:
    eve = make_result("eve", Student(name="Points Possible", login="eve"), right_lab(3.0))
    rows = rows_of(contents(export("canvas", [eve]).files[0]))
    assert ["Points Possible" in row[0] for row in rows] == [False, True, False]
    assert rows[2] == ["eve", "", "", "eve", "", "3"]


def test_blackboards_table_is_also_utf_16_with_tabs_and_every_cell_in_quotes() -> None:
    comma, tabs = (
        contents(one) for one in export("blackboard", small_class(), "Week 3 [Total Pts: 10 Score] |77").files
    )
    assert tabs.startswith(b"\xff\xfe")
    first = tabs.decode("utf-16").splitlines()[0]
    assert first == '"Last Name"\t"First Name"\t"Username"\t"Student ID"\t"Week 3 [Total Pts: 10 Score] |77"'
    assert rows_of(tabs) == rows_of(comma)


def test_each_line_for_brightspace_ends_with_its_indicator() -> None:
    head, *rows = rows_of(contents(export("brightspace", small_class()).files[0]))
    assert head == ["OrgDefinedId", "Username", "Week 3 Points Grade", "End-of-Line Indicator"]
    assert [row[-1] for row in rows] == ["#"] * 4


def test_moodles_worksheet_names_participants_as_moodle_does_and_has_no_comments_to_overwrite() -> None:
    head, *rows = rows_of(contents(export("moodle-worksheet", small_class()).files[0]))
    assert {"Identifier", "Grade", "Last modified (grade)"} <= {*head}
    assert rows[0][0] == "Participant 700001"
    assert not [one for one in head if "omment" in one]


def test_who_cannot_be_named_to_a_platform_is_told() -> None:
    nobody = [make_result("folder", Student(), right_lab())]
    for name in KEYED:
        made = export(name, nobody)
        assert made.notices[0] == "this file holds no students, so there is nothing to import"
        assert [one for one in made.notices if "left out" in one and "(folder)" in one], name


@pytest.mark.parametrize("name", KEYED)
def test_two_uploads_of_one_student_are_left_out_and_told(name: str) -> None:
    twice = [*small_class(), small_class()[0].model_copy(update={"submission": ADA_AGAIN})]
    made = export(name, twice, "c/a")
    assert [one for one in made.notices if "left out" in one and "(ada, ada-2)" in one], name
    assert "ada" not in str(unpacked(made))


def test_a_column_by_which_moodle_finds_students_has_no_gap() -> None:
    """Moodle would give the grade of a row without a key to the student of the row before it."""
    gaps = [
        make_result("ada", Student(login="ada", number="1"), right_lab()),
        make_result("alan", Student(login="alan", email="alan@example.org"), right_lab()),
        make_result("eve", Student(number="3"), right_lab()),
    ]
    made = export("moodle", gaps)
    head, *rows = rows_of(contents(made.files[0]))
    assert head == ["Full name", "Username", "Week 3"]
    assert rows == [["ada", "ada", "10"], ["alan", "alan", "10"]]
    assert [one for one in made.notices if "(eve)" in one and '"Username" is not known' in one]


def test_more_than_the_maximum_is_told_where_a_platform_drops_it() -> None:
    extra = [make_result("ada", small_class()[0].submission.student, right_lab(12.0))]
    for name in ("moodle-worksheet", "brightspace", "classroom50", "prairielearn"):
        assert [one for one in export(name, extra).notices if "more than the maximum" in one], name


HOSTILE = Student(
    name='=HYPERLINK("http://x")',
    login="=cmd|' /C calc'!A0",
    number='+1+cmd("x")',
    email="@SUM(A1)",
    section="-1+2",
    platform_ids={"Canvas": '=1+1+("x")', "Moodle": "7\n=1"},
)


@pytest.mark.parametrize(("name", "number"), TABLES)
def test_no_cell_of_a_hostile_student_runs_in_a_spreadsheet(name: str, number: int) -> None:
    hostile = [make_result("eve", HOSTILE, right_lab()), *small_class()]
    rows = rows_of(contents(export(name, hostile, "=Week(3)").files[number]))
    assert not [cell for row in rows for cell in row if cell.startswith(("=", "+", "-", "@", "\t")) and cell != "-"]
    assert {len(row) for row in rows} == {len(rows[0])}


def test_what_a_platform_matches_by_is_written_as_it_is() -> None:
    for key in ("0042", "ada", "ada@example.org", "-ada", "+49-1", "@ada", "ada.l+x@example.org", "o'brien", "ünal"):
        assert key_cell(key) == key
    for name in ("O'Brien, Conan", "Ångström, Zoë", "Anne-Marie", "de la Cruz, José (he)"):
        assert shown_cell(name) == name


def test_a_name_cannot_begin_a_row_of_its_own() -> None:
    assert shown_cell("Ada\r\n=1+1\0x") == "Ada =1+1 x"
    assert shown_cell("\t=1+1") == "'=1+1"


def test_no_cell_becomes_two_of_which_the_second_is_a_formula() -> None:
    """Where a spreadsheet's language separates cells by semicolons, or takes wide letters for signs."""
    assert shown_cell("Ada;=1+1") == "Ada;'=1+1"
    assert shown_cell("Ada; @x|-y,+z") == "Ada; '@x|'-y,'+z"
    assert shown_cell("\N{FULLWIDTH EQUALS SIGN}1+1") == "'\N{FULLWIDTH EQUALS SIGN}1+1"
    assert key_cell("ada;=1+1") == ""
    assert key_cell("ada;l") == "ada;l"
