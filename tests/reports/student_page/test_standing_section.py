"""What a student's page says besides the tests, and that nothing a student or a form wrote becomes markup."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from grader.model.result import GradeChange, LabResult, Override, RegradeRequest, Result, Standing
from grader.model.verdicts import Verdict
from grader.pages.pages import class_page, student_page
from grader.pages.student_page.lab_sections import LabView, shown_moment, standing_section
from grader.run.scoring.redaction import for_student

HOSTILE = "<script>alert(1)</script>\u202e"
DUE = "2026-10-19T23:59:00+02:00"
Samples = Callable[[str], tuple[Result, dict[str, str]]]


def lab_with(**more: object) -> LabResult:
    lab = LabResult(title="T", file="k.cu", verdict=Verdict.PASS, points=8, max_points=10)
    return lab.model_copy(update=more)


def facts(standing: Standing, *, instructor: bool = False, points: float = 8) -> dict[str, str]:
    section = standing_section(LabView(lab_with(standing=standing, points=points), instructor=instructor))
    assert section is not None
    return dict(section.facts)


def test_a_lab_without_a_policy_has_no_such_section() -> None:
    assert standing_section(LabView(lab_with())) is None


@pytest.mark.parametrize(
    ("standing", "expected"),
    [
        (
            Standing(judged_points=10, at="2026-10-20T10:00:01+02:00", due=DUE, late_seconds=36_061, late="10 hours 1 minute", late_days=1,
                     lost=2),
            {
                "Deadline": "2026-10-19 23:59 (UTC+02:00)",
                "Handed in": "2026-10-20 10:00:01 (UTC+02:00), 10 hours 1 minute late",
                "Being late": "2 points less for 1 day late",
                "The tests gave": "10 of 10",
            },
        ),
        (
            Standing(judged_points=8, at=DUE, due=DUE, days_left=3),
            {"Deadline": "2026-10-19 23:59 (UTC+02:00)", "Handed in": "2026-10-19 23:59 (UTC+02:00), in time", "Late days": "3 left"},
        ),
        (
            Standing(judged_points=9, at=DUE, due=DUE, late_seconds=1, late="1 second", late_days=1, lost=1, closed=True),
            {
                "Deadline": "2026-10-19 23:59 (UTC+02:00)",
                "Handed in": "2026-10-19 23:59 (UTC+02:00), 1 second late",
                "Being late": "too late to count: 1 point less",
                "The tests gave": "9 of 10",
            },
        ),
        (
            Standing(judged_points=8, due=DUE, time_unknown=True, said_late=True),
            {"Deadline": "2026-10-19 23:59 (UTC+02:00)", "Handed in": "late, as the platform says, but not how late"},
        ),
    ],
)  # fmt: skip
def test_each_standing_has_its_words(standing: Standing, expected: dict[str, str]) -> None:
    assert facts(standing) == expected


def test_the_reason_of_an_extension_is_for_the_instructor_alone(sample_named: Samples) -> None:
    standing = Standing(judged_points=8, due=DUE, extended_from="2026-10-12T21:59:00+00:00", extension="a broken arm")
    assert "a broken arm" in facts(standing, instructor=True).values()
    assert facts(standing)["Deadline"] == "2026-10-19 23:59 (UTC+02:00), extended from 2026-10-12 21:59 (UTC)"
    result, _ = sample_named("pass")
    labs = {lab_id: lab.model_copy(update={"standing": standing}) for lab_id, lab in result.labs.items()}
    assert "a broken arm" not in for_student(result.model_copy(update={"labs": labs})).model_dump_json()


def test_students_read_changes_of_points_and_instructors_all_of_them() -> None:
    moved = GradeChange(
        date="2026-10-20T08:00:00+00:00",
        before=12,
        after=14,
        causes=("you handed in a new file",),
        details=("file: a → b",),
    )
    same = GradeChange(date="2026-10-21T08:00:00+00:00", before=14, after=14, causes=("the grader was updated",))
    lab = lab_with(changes=(moved, same, moved, moved, moved))
    student, instructor = (standing_section(LabView(lab, instructor=one)) for one in (False, True))
    assert student is not None
    assert instructor is not None
    assert student.changes == [moved] * 3
    assert (len(student.older), len(instructor.older)) == (1, 2)
    assert instructor.older[0] == same
    assert standing_section(LabView(lab_with(changes=(same,)))) is None


def test_what_people_wrote_stays_text_on_every_page(sample_named: Samples) -> None:
    result, sources = sample_named("pass")
    standing = Standing(
        judged_points=1,
        due=HOSTILE,
        at=HOSTILE,
        override=Override(points=1, reason=HOSTILE, author=HOSTILE, date=HOSTILE),
    )
    asked = RegradeRequest(request=HOSTILE, answer=HOSTILE, author=HOSTILE, date=HOSTILE)
    change = GradeChange(date="2026-10-20", before=None, after=1, causes=(HOSTILE,), details=(HOSTILE,))
    same = change.model_copy(update={"before": 1})
    more = {"standing": standing, "requests": (asked, RegradeRequest(request=HOSTILE)), "changes": (change, same)}
    hostile = result.model_copy(
        update={"labs": {lab_id: lab.model_copy(update=more) for lab_id, lab in result.labs.items()}}
    )
    for page in (
        student_page(hostile, sources=sources),
        student_page(hostile, sources=sources, instructor=True),
        class_page([hostile], course="c"),
    ):
        assert "<script>alert" not in page
        assert "alert(1)" in page
        assert "\u202e" not in page
        assert "no grade → 1" in page
    assert "1, as before" in student_page(hostile, sources=sources, instructor=True)
    assert "1, as before" not in student_page(hostile, sources=sources)


def test_a_lab_that_is_not_due_has_a_dash_and_not_a_zero(sample_named: Samples) -> None:
    result, sources = sample_named("missing-file")
    labs = {
        lab_id: lab.model_copy(update={"standing": Standing(judged_points=0, due=DUE, open=True)})
        for lab_id, lab in result.labs.items()
    }
    page = student_page(result.model_copy(update={"labs": labs}), sources=sources)
    assert "Nothing was handed in yet, and the deadline is still to come." in page
    assert re.search(r"Not final\.</strong> \d+ labs? (is|are) not due yet", page)


def test_a_moment_that_is_none_is_shown_as_it_is() -> None:
    assert shown_moment("soon") == "soon"
    assert shown_moment("2026-10-19T23:59:00-03:30") == "2026-10-19 23:59 (UTC-03:30)"
