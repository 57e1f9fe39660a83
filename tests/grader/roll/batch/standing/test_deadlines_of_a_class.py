"""A batch with deadlines: by section and team, with extensions, and what is not due yet is blank."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from fake_course import Course
from told_policy import ROSTER, page, row, said, standing

from grader.roll.policy.course_file import PolicyError


def test_a_lab_that_is_not_due_and_not_handed_in_is_blank_and_no_zero(timed: Course) -> None:
    timed.grade()
    assert row(timed, "ben") == {"student": "ben", "total": "1", "max": "8", "a": "1", "b": ""}
    assert "not due yet" in page(timed, "ben")
    assert "letter by letter" not in page(timed, "ben")
    timed.now = datetime(2026, 10, 20, tzinfo=UTC)
    timed.grade()
    assert row(timed, "ben") == {"student": "ben", "total": "1", "max": "8", "a": "1", "b": "0"}
    assert "not due yet" not in page(timed, "ben")
    timed.now = datetime(2026, 10, 15, tzinfo=UTC)
    timed.grade("b")
    assert row(timed, "ben") == {"student": "ben", "total": "", "max": "4", "b": ""}


def test_deadlines_may_differ_by_section(timed: Course) -> None:
    timed.roster = ROSTER
    timed.policy["course.toml"] += '[sections.tue]\na = "2026-10-14 23:59"\n'
    for student in ("anna", "ben"):
        timed.times[student, "a.cu"] = "2026-10-14T12:00:00+02:00"
    timed.grade()
    assert (standing(timed, "anna", "a").late_days, standing(timed, "ben", "a").late_days) == (2, 0)


def test_a_section_that_nobody_is_in_and_a_student_without_a_deadline_are_told(timed: Course) -> None:
    timed.roster = ROSTER
    timed.policy["course.toml"] = (
        'time_zone = "UTC"\n[sections.Mon]\na = "2026-10-12"\n[sections.Wed]\na = "2026-10-12"\n[late]\npenalty = 1\n'
    )
    report = timed.grade()
    assert "no student of this batch is in section 'Wed'" in said(report)
    assert "no deadline holds for 2 students" in said(report)
    assert timed.result("ben").labs["a"].standing is None


def test_an_extension_moves_the_deadline_of_one_student(timed: Course) -> None:
    extension = '[[extension]]\nstudent = "42"\nlab = "a"\nuntil = "2026-10-14 23:59"\nreason = "a broken arm"\n'
    timed.roster = ROSTER
    timed.policy["course.toml"] += extension
    timed.times["anna", "a.cu"] = timed.times["ben", "a.cu"] = "2026-10-14T12:00:00+02:00"
    timed.grade()
    anna, ben = standing(timed, "anna", "a"), standing(timed, "ben", "a")
    assert (anna.late_days, ben.late_days) == (0, 2)
    assert anna.due == "2026-10-14T23:59:00+02:00"
    assert "a broken arm" not in page(timed, "anna")
    assert "extended from 2026-10-12 23:59 (UTC+02:00)" in page(timed, "anna")
    assert "a broken arm" in page(timed, "anna", instructor=True)


def test_an_extension_that_shortens_or_is_given_twice_is_refused(timed: Course) -> None:
    one = '[[extension]]\nstudent = "ben"\nlab = "a"\nuntil = "2026-10-11 12:00"\nreason = "r"\n'
    before = timed.policy["course.toml"]
    timed.policy["course.toml"] = before + one
    with pytest.raises(
        PolicyError,
        match=r"course\.toml, line 9: 2026-10-11 12:00 CEST is before the deadline of ben, 2026-10-12 23:59 CEST",
    ):
        timed.grade()
    timed.policy["course.toml"] = before + one.replace("11", "14") * 2
    with pytest.raises(
        PolicyError, match=r"line 14: ben has two extensions for a, the other one in course.toml, line 9"
    ):
        timed.grade()


def test_members_of_a_team_have_their_own_deadlines_for_what_one_of_them_handed_in(timed: Course) -> None:
    timed.roster = "name,login,section,team\nAnna A,anna,Mon,\nBen B,ben,Mon,x\nCarla C,carla,Tue,x\n"
    timed.policy["course.toml"] = (
        timed.policy["course.toml"].replace("days = 2", "") + '[sections.Tue]\na = "2026-10-14 23:59"\n'
    )
    timed.times["ben", "a.cu"] = timed.times["Carla-C", "a.cu"] = "2026-10-13T12:00:00+02:00"
    timed.hand_in("ben", a="good")
    timed.grade()
    assert (row(timed, "ben")["a"], row(timed, "Carla-C")["a"]) == ("3", "4")
