"""A batch with a course's policy: what is late costs points or late days, and the pages say so."""

from __future__ import annotations

import json
import shutil
from datetime import UTC, datetime

import pytest
from fake_course import Course
from told_policy import ROSTER, page, row, said, standing

from grader.roll.policy.course_file import PolicyError


def test_without_a_policy_nothing_changes(course: Course) -> None:
    course.grade()
    assert row(course, "ben") == {"student": "ben", "total": "1", "max": "8", "a": "1", "b": "0"}
    assert course.result("ben").labs["a"].standing is None
    assert "Deadlines and decisions" not in (course.out / "index.html").read_text(encoding="utf-8")


def test_what_is_late_costs_points_and_what_was_judged_stays_visible(timed: Course) -> None:
    timed.policy["course.toml"] = timed.policy["course.toml"].replace("days = 2", "days = 0")
    timed.times["anna", "a.cu"] = "2026-10-13T00:00:00+02:00"
    timed.grade()
    found = standing(timed, "anna", "a")
    assert (found.judged_points, found.lost, found.late_seconds, found.late) == (4, 1, 60, "1 minute")
    assert row(timed, "anna") == {"student": "anna", "total": "7", "max": "8", "a": "3", "b": "4"}
    assert "1 point" in page(timed, "anna") or "1 points less for 1 day late" in page(timed, "anna")
    assert "4 of 4" in page(timed, "anna")
    full = json.loads((timed.out / "instructor/anna.json").read_text(encoding="utf-8"))["result"]
    assert (full["total"], full["labs"]["a"]["points"], full["labs"]["a"]["standing"]["judged_points"]) == (7, 3, 4)


def test_late_days_are_spent_without_being_asked_for(timed: Course) -> None:
    timed.times["anna", "a.cu"] = "2026-10-13T00:00:00+02:00"
    timed.grade()
    found = standing(timed, "anna", "a")
    assert (found.lost, found.days_spent, found.days_left) == (0, 1, 1)
    assert row(timed, "anna")["total"] == "8"
    assert "1 used here, 1 left" in page(timed, "anna")


def test_a_fault_of_ours_costs_no_points_and_no_late_day(timed: Course) -> None:
    timed.times["anna", "a.cu"] = "2026-10-14T12:00:00+02:00"
    timed.hand_in("anna", a="BREAKS", b="good b")
    timed.grade()
    found = standing(timed, "anna", "a")
    assert (found.lost, found.days_spent, row(timed, "anna")["total"]) == (0, 0, "")


def test_what_nobody_knows_the_time_of_is_not_late_and_the_instructor_is_told(timed: Course) -> None:
    del timed.times["anna", "a.cu"]
    timed.times["ben", "a.cu"] = ""
    report = timed.grade()
    assert standing(timed, "anna", "a").time_unknown
    assert "nothing says when these were handed in, so they are not late: anna a (1 in all)" in said(report)
    assert "marks these as late and does not say how late, so they lose nothing: ben a" in said(report)
    assert "nothing says when: not late" in page(timed, "anna")


def test_times_that_the_instructor_knows_count_where_the_platform_says_nothing(timed: Course) -> None:
    timed.policy["course.toml"] = timed.policy["course.toml"].replace("days = 2", "")
    timed.policy["times.csv"] = (
        "student,lab,at\nanna,a,2026-10-13 12:00\nanna,a,2026-10-13 11:00\nben,a,2026-10-14 12:00\nzed,a,2026-10-14 12:00\n"
    )
    del timed.times["anna", "a.cu"]
    report = timed.grade()
    assert (standing(timed, "anna", "a").at, standing(timed, "anna", "a").lost) == ("2026-10-13T12:00:00+02:00", 1)
    assert standing(timed, "ben", "a").lost == 0
    assert "1 of the times are of students who are not in this batch: times.csv, line 5" in said(report)


def test_where_being_late_costs_nothing_nobody_is_told_of_unknown_times(timed: Course) -> None:
    del timed.times["anna", "a.cu"]
    timed.policy["course.toml"] = timed.policy["course.toml"].split("[late]", maxsplit=1)[0]
    assert "nothing says when" not in said(timed.grade())


def test_a_file_from_the_future_lets_the_instructor_look_at_the_clock(timed: Course) -> None:
    timed.times["anna", "b.cu"] = "2026-10-18T12:00:00+02:00"
    assert "handed in after now, 2026-10-15 02:00 CEST: anna b. Is the clock" in said(timed.grade())


def test_late_days_that_an_earlier_lab_took_are_gone_also_where_it_is_not_graded_again(timed: Course) -> None:
    timed.now = datetime(2026, 10, 30, tzinfo=UTC)
    timed.times["anna", "a.cu"] = "2026-10-14T12:00:00+02:00"
    timed.times["anna", "b.cu"] = "2026-10-20T12:00:00+02:00"
    timed.grade("a")
    timed.grade("b")
    assert (standing(timed, "anna", "b").days_left, standing(timed, "anna", "b").lost) == (0, 1)
    timed.policy["course.toml"] += '[[extension]]\nstudent = "anna"\nlab = "a"\ndays = 2\nreason = "r"\n'
    report = timed.grade("a")
    assert "late days are spent otherwise than when these were graded: anna b. Grade their labs again" in said(report)
    timed.grade("b")
    assert standing(timed, "anna", "b").lost == 0


@pytest.mark.parametrize("also_in", ["../weeks/one", "../weeks/*"])
def test_late_days_that_a_lab_took_in_another_out_are_gone(timed: Course, also_in: str) -> None:
    weeks = timed.root.parent / "weeks"
    timed.now = datetime(2026, 10, 30, tzinfo=UTC)
    timed.policy["course.toml"] = timed.policy["course.toml"].replace("[late]", f"[late]\nalso_in = ['{also_in}']")
    timed.times["anna", "a.cu"] = "2026-10-14T12:00:00+02:00"
    timed.times["anna", "b.cu"] = "2026-10-20T12:00:00+02:00"
    timed.out = weeks / "one"
    timed.grade("a")
    timed.out = weeks / "two"
    timed.roster = ROSTER  # gives her another id here
    timed.hand_in("Anna A", b="good")
    shutil.rmtree(timed.source / "anna")
    timed.times["Anna-A", "b.cu"] = timed.times.pop(("anna", "b.cu"))
    report = timed.grade("b")
    assert "cannot be told among the students here" in said(report)  # the other OUT has no roster
    timed.roster = ""
    shutil.move(timed.source / "Anna A", timed.source / "anna")
    timed.times["anna", "b.cu"] = timed.times.pop(("Anna-A", "b.cu"))
    timed.out = weeks / "three"
    timed.grade("b")
    assert (standing(timed, "anna", "b").days_left, standing(timed, "anna", "b").lost) == (0, 1)
    timed.out = weeks / "four"
    timed.policy["course.toml"] = timed.policy["course.toml"].replace(also_in, "../weeks/nowhere*")
    timed.grade("b")
    assert standing(timed, "anna", "b").lost == 0


def test_an_out_that_is_named_for_late_days_and_is_none_is_refused(timed: Course) -> None:
    timed.policy["course.toml"] = timed.policy["course.toml"].replace("[late]", "[late]\nalso_in = ['nowhere']")
    with pytest.raises(PolicyError, match="nowhere holds no graded class"):
        timed.grade()
    assert not timed.out.exists()
