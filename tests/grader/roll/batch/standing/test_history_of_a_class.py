"""A class graded again and again: how grades changed, and why, is kept and told."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from fake_course import Course
from told_policy import OVERRIDES, page, row, said


def test_the_history_says_what_changed_and_why(timed: Course) -> None:
    timed.grade()
    timed.hand_in("ben", a="good now")
    timed.times["ben", "a.cu"] = "2026-10-12T23:30:00+02:00"
    timed.now = datetime(2026, 10, 16, tzinfo=UTC)
    timed.grade()
    timed.policy["overrides.csv"] = OVERRIDES + "ben,a,2,copied,me,\n"
    timed.fingerprint = "kit 2"
    timed.grade()
    changes = [(one.before, one.after, one.causes) for one in timed.result("ben").labs["a"].changes]
    assert changes == [
        (1, 4, ("you handed in a new file",)),
        (4, 2, ("the grader was updated", "me decided: copied")),
    ]
    assert "1 → 4</strong>: you handed in a new file" in page(timed, "ben")
    assert "verdict: race → pass" in page(timed, "ben", instructor=True)
    assert "verdict: race" not in page(timed, "ben")
    assert [one.causes for one in timed.result("anna").labs["a"].changes] == [("the grader was updated",)]
    assert "the grader was updated" not in page(timed, "anna")
    assert "4 → 2; the grader was updated; me decided: copied" in (timed.out / "index.html").read_text(encoding="utf-8")


def test_a_batch_that_finds_nothing_new_adds_nothing_to_the_history(timed: Course) -> None:
    timed.grade()
    kept = sorted((timed.out / "instructor/history").iterdir())
    assert [one.name for one in kept] == ["00001.json"]
    before = (kept[0].read_bytes(), page(timed, "ben"), page(timed, "anna", instructor=True))
    timed.grade()
    assert sorted((timed.out / "instructor/history").iterdir()) == kept
    assert (kept[0].read_bytes(), page(timed, "ben"), page(timed, "anna", instructor=True)) == before


def test_changed_tests_and_points_and_deadlines_are_told_apart(timed: Course) -> None:
    timed.grade()
    grading = timed.root / "solutions" / "a" / "grading.toml"
    grading.write_text(grading.read_text().replace("points = 3", "points = 5"))
    timed.grade()
    (timed.root / "solutions" / "b" / "hidden_tests.cpp").write_text("// other")
    timed.policy["course.toml"] = (
        timed.policy["course.toml"].replace("2026-10-12 23:59", "2026-10-12 22:59").replace("days = 2", "")
    )
    timed.grade()
    assert timed.result("anna").labs["a"].changes[0].causes == ("the lab's tests or points were changed",)
    assert timed.result("ben").labs["a"].changes[-1].causes == (
        "deadline, late days or the rules for late work changed",
    )
    assert timed.result("anna").labs["b"].changes[-1].causes == ("the lab's tests or points were changed",)


def test_a_damaged_part_of_the_history_is_told_and_stays(timed: Course) -> None:
    timed.grade()
    part = timed.out / "instructor/history/00001.json"
    part.write_bytes(part.read_bytes()[:100])
    report = timed.grade()
    assert "00001.json: this part of the grades' history cannot be read" in said(report)
    assert part.stat().st_size == 100
    assert sorted(one.name for one in part.parent.iterdir()) == ["00001.json", "00002.json"]
    assert row(timed, "anna")["total"] == "8"


def test_a_history_that_cannot_be_written_costs_no_grade_and_is_found_by_the_next_batch(
    timed: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:

        def full(*_: object, **__: object) -> None:
            raise OSError(28, "No space left on device")

        patch.setattr("grader.roll.batch.class_standing.write_atomically", full)
        report = timed.grade()
    assert any("history: No space left on device" in one for one in report.published.unwritten)
    assert row(timed, "anna")["total"] == "8"
    assert not timed.grade().faults
    assert (timed.out / "instructor/history/00001.json").is_file()
