"""What tests of a course's policy look at: a student's standing, the gradebook's row, pages, and what the instructor is told."""

from __future__ import annotations

from fake_course import Course

from grader.model.result import Standing
from grader.roll.batch.class_batch import BatchReport

ROSTER = "name,login,number,section\nAnna A,anna,0042,Mon\nBen B,ben,0043,Tue\nCarla C,carla,0044,Tue\n"
OVERRIDES = "student,lab,points,reason,author,date\n"


def standing(course: Course, student: str, lab: str) -> Standing:
    found = course.result(student).labs[lab].standing
    assert found is not None
    return found


def said(report: BatchReport) -> str:
    return "\n".join(report.graded.notices)


def page(course: Course, student: str, *, instructor: bool = False) -> str:
    place = f"instructor/{student}.html" if instructor else f"students/{student}/report.html"
    return (course.out / place).read_text(encoding="utf-8")


def row(course: Course, student: str) -> dict[str, str]:
    return next(one for one in course.rows() if one["student"] == student)
