"""What the controls and the alarms stop: nothing is judged, kept or charged on a machine that fails them."""

from __future__ import annotations

import time
from collections.abc import Sequence

import pytest
from fake_course import Course, FakeControls

from grader.model.labs import Lab
from grader.roll.batch.judging_jobs import Progress


def kept(course: Course) -> int:
    return len(list((course.out / "instructor" / "jobs").iterdir()))


def test_nothing_is_believed_on_a_machine_whose_controls_fail(course: Course) -> None:
    course.hand_in("ben", b="BREAKS")
    course.controls = FakeControls(fails=frozenset({1}))
    report = course.grade()
    assert report.found.faults == ()
    assert (report.found.stopped, kept(course)) == ("this machine is broken: mend it.", 0)
    assert {row["a"] for row in course.rows()} == {""}
    assert [row["total"] for row in course.rows()] == ["", ""]
    assert "this machine is broken" in (course.out / "index.html").read_text()
    assert "this machine is broken" in (course.out / "instructor" / "faults.txt").read_text()
    assert "this machine is broken" not in (course.out / "students" / "anna" / "result.json").read_text()
    course.controls = None
    course.grade()
    assert [row["a"] for row in course.rows()] == ["4", "1"]


class WaitingControls(FakeControls):
    """Answers only when every file was judged, and looks what is kept by then."""

    course: Course
    kept = -1

    def trouble(self, labs: Sequence[Lab]) -> str:
        if not self.asked:
            for _ in range(600):
                if len(self.course.judge.asked) == 3:
                    break
                time.sleep(0.05)
            self.kept = kept(self.course)
        return super().trouble(labs)


@pytest.mark.parametrize(("fails", "in_the_end"), [(frozenset[int](), 3), (frozenset({1}), 0), (frozenset({2}), 2)])
def test_files_are_judged_beside_the_controls_and_kept_after_them(
    fails: frozenset[int], in_the_end: int, course: Course
) -> None:
    course.controls = controls = WaitingControls(fails=fails)
    controls.course = course
    report = course.grade()
    assert len(course.judge.asked) == 3
    assert controls.kept == 0
    assert kept(course) == in_the_end
    assert bool(report.found.stopped) == bool(fails)


def test_what_cost_a_student_points_is_blank_when_the_controls_fail_afterwards(course: Course) -> None:
    course.controls = FakeControls(fails=frozenset({2}))
    report = course.grade()
    assert report.found.stopped
    assert course.controls.asked == [["a", "b"], ["a"]]
    assert [(row["a"], row["total"]) for row in course.rows()] == [("4", "8"), ("", "")]
    assert kept(course) == 2
    course.controls = FakeControls()
    assert course.grade().found.judged == 1
    assert [row["a"] for row in course.rows()] == ["4", "1"]


def test_a_class_that_passes_is_held_against_the_controls_once(course: Course) -> None:
    course.hand_in("ben", a="good again")
    course.controls = FakeControls()
    assert course.grade().faults == ()
    assert course.controls.asked == [["a", "b"]]


def test_controls_are_not_asked_where_nothing_is_judged(course: Course) -> None:
    course.grade()
    course.controls = FakeControls(fails=frozenset({1}))
    assert (course.grade().found.stopped, course.controls.asked) == ("", [])


def test_a_fault_of_ours_asks_the_controls_and_stops_where_they_fail(course: Course) -> None:
    course.hand_in("anna", a="BREAKS")
    course.controls = FakeControls(fails=frozenset({2, 3}))
    report = course.grade()
    assert report.found.stopped
    assert course.rows()[0]["a"] == ""
    assert course.rows()[1]["a"] == ""


class _Told(Progress):
    def __init__(self) -> None:
        self.notes: list[str] = []

    def note(self, text: str) -> None:
        self.notes.append(text)


def test_a_fault_of_ours_on_a_machine_that_works_stops_nobody_and_is_told_at_once(course: Course) -> None:
    course.hand_in("anna", a="BREAKS")
    course.controls, course.progress = FakeControls(), (told := _Told())
    report = course.grade()
    assert (report.found.stopped, len(report.found.faults)) == ("", 1)
    assert told.notes == ["not graded: anna, a: RuntimeError: out of luck with 918273645"]
    assert [row["a"] for row in course.rows()] == ["", "1"]


@pytest.mark.parametrize(("covered", "alarms"), [(False, 1), (True, 0)])
def test_a_class_that_ends_the_same_way_is_an_alarm_unless_a_control_passes(
    covered: bool, alarms: int, course: Course
) -> None:
    for number in range(5):
        course.hand_in(f"student{number}", a=f"RACE {number}")
    course.controls = FakeControls(covered=covered)
    report = course.grade()
    assert len(report.alarms) == alarms
    assert ("6 of 7 files for a end as race" in (course.out / "index.html").read_text()) == bool(alarms)


def test_a_folder_that_holds_no_file_of_any_lab_is_an_alarm(course: Course) -> None:
    for path in [*course.source.rglob("*.cu")]:
        path.rename(path.with_suffix(".txt"))
    assert "is this the right folder?" in course.grade().alarms[0]
