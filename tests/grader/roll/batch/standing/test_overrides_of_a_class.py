"""A batch with overrides: what the instructor decided stands, with its reason, and reaches the student who is meant."""

from __future__ import annotations

import pytest
from fake_course import Course
from told_policy import OVERRIDES, ROSTER, page, row

from grader.model.verdicts import Verdict
from grader.roll.policy.course_file import PolicyError


def test_an_override_stands_on_both_pages_with_its_reason_and_survives_each_regrade(timed: Course) -> None:
    timed.policy["overrides.csv"] = (
        OVERRIDES + 'ben,a,"3,5","The race is harmless, <b>as he showed</b>",Prof. Meyer,2026-10-14\n'
    )
    timed.grade()
    for _ in range(2):
        assert row(timed, "ben")["total"] == "3.5"
        for instructor in (False, True):
            shown = page(timed, "ben", instructor=instructor)
            assert "3.5 points by decision of Prof. Meyer (2026-10-14), instead of 1." in shown
            assert "The race is harmless, &lt;b&gt;as he showed&lt;/b&gt;" in shown
        assert "The race is harmless" in (timed.out / "index.html").read_text(encoding="utf-8")
        timed.fingerprint = "kit 2"
        timed.hand_in("ben", a="RACE again")
        timed.grade()
    lab = timed.result("ben").labs["a"]
    assert (lab.verdict, lab.points) == (Verdict.RACE, 3.5)


def test_an_override_counts_where_the_grader_failed_and_without_a_file(timed: Course) -> None:
    timed.roster = ROSTER
    timed.hand_in("ben", a="BREAKS")
    timed.policy["overrides.csv"] = OVERRIDES + "ben,a,4,judged by hand,me,\nCARLA,b,2,shown in the lab,me,\n"
    timed.grade()
    assert (row(timed, "ben")["a"], row(timed, "Carla-C")["b"], row(timed, "Carla-C")["total"]) == ("4", "2", "2")


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("nobody,a,1,r,me,\n", "overrides.csv, line 2: no student in the roster or among the submissions is 'nobody'"),
        ("ben,a,1,r,me,\nben,c,1,r,me,\n", "overrides.csv, line 3: there is no lab 'c'. The labs are: a, b."),
        ("ben,a,4.5,r,me,\n", r"overrides.csv, line 2: 4.5 points are more than a has \(4\)"),
        (
            "ben,a,3,r,me,\n43,a,2,r,me,\n",
            "overrides.csv, line 3: ben has two overrides for a, the other one in overrides.csv, line 2",
        ),
    ],
)
def test_an_override_that_cannot_be_meant_stops_the_batch_before_anything_is_written(
    timed: Course, rows: str, message: str
) -> None:
    timed.roster = ROSTER
    timed.policy["overrides.csv"] = OVERRIDES + rows
    with pytest.raises(PolicyError, match=message):
        timed.grade()
    assert (timed.judge.asked, timed.out.exists()) == ([], False)


def test_without_a_roster_an_override_of_nobody_is_the_first_thing_to_look_at(timed: Course) -> None:
    timed.policy["overrides.csv"] = OVERRIDES + "carla,a,1,r,me,\n"
    report = timed.grade()
    [alarm] = report.alarms
    assert "these rows name no student of the submissions, so they do nothing: overrides.csv, line 2 ('carla')" in alarm
    assert "overrides.csv, line 2" in (timed.out / "index.html").read_text(encoding="utf-8")


def test_an_override_reaches_whom_the_roster_calls_so_and_not_who_took_the_name(timed: Course) -> None:
    timed.roster = ROSTER + '"Lovelace, Ada",ada,0045,Mon\n'
    timed.hand_in("ada", a="RACE")
    timed.hand_in("Lovelace, Ada", a="RACE mine")
    timed.policy["overrides.csv"] = OVERRIDES + '"Lovelace, Ada",a,3,r,me,\n'
    assert timed.grade().alarms == ()
    assert (row(timed, "ada")["a"], row(timed, "Lovelace-Ada")["a"]) == ("3", "1")


def test_a_row_that_may_mean_two_students_stops_no_batch(timed: Course) -> None:
    timed.roster = ROSTER + "Ben B,ben2,0045,Mon\n"
    timed.policy["overrides.csv"] = OVERRIDES + "Ben B,a,3,r,me,\n43,b,2,r,me,\n"
    report = timed.grade()
    [alarm] = report.alarms
    assert "may mean several students, so they do nothing: overrides.csv, line 2: 'Ben B' may be " in alarm
    assert (row(timed, "ben")["a"], row(timed, "ben")["b"]) == ("1", "2")


def test_an_override_of_a_student_of_an_earlier_batch_waits(timed: Course) -> None:
    timed.grade()
    (timed.source / "ben" / "a.cu").unlink()
    (timed.source / "ben").rmdir()
    timed.policy["overrides.csv"] = OVERRIDES + "ben,a,3,r,me,\n"
    assert timed.grade().alarms == ()


def test_a_student_named_like_a_formula_stays_text(timed: Course) -> None:
    timed.roster = ROSTER + '"=HYPERLINK(""x"")",evil,0099,Mon\n'
    timed.policy["overrides.csv"] = OVERRIDES + '"\'=HYPERLINK(""x"")",a,1,\'=1+1,\'@me,\n'
    timed.grade()
    evil = next(path.name for path in (timed.out / "students").iterdir() if path.name.startswith("HYPERLINK"))
    assert timed.result(evil).labs["a"].points == 1
    for path in timed.out.rglob("*.csv"):
        cells = [cell for line in path.read_text(encoding="utf-8").splitlines() for cell in line.split(",")]
        assert not any(cell.strip('"').startswith(("=", "@")) for cell in cells)
