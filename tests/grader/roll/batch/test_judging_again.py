"""Nothing is judged twice, changed files are judged again, and our failures affect no other student."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from fake_course import Course, FakeSweep

import grader
from grader.model.verdicts import Verdict
from grader.roll.batch import job_store


def test_a_second_run_judges_nothing_and_writes_the_same(course: Course) -> None:
    course.grade()
    first = {path: path.read_bytes() for path in course.out.rglob("*") if path.is_file()}
    report = course.grade()
    assert (report.found.judged, report.found.reused, len(course.judge.asked)) == (0, 3, 3)
    assert {path: path.read_bytes() for path in course.out.rglob("*") if path.is_file()} == first


def test_a_sweep_that_is_asked_for_later_judges_nobody_again(course: Course) -> None:
    course.grade()
    rows, course.sweep = course.rows(), FakeSweep()
    assert course.grade().found.judged == 2
    assert sorted(course.sweep.asked) == ["a RACE", "a good a"]
    assert len(course.judge.asked) == 3
    assert course.rows() == rows
    assert course.grade().found.judged == 0


def test_a_sweep_that_breaks_is_a_fault_that_costs_no_outcome(course: Course) -> None:
    course.sweep = FakeSweep(breaks=True)
    report = course.grade()
    assert ["no sweep today" in failure for failure in report.faults] == [True, True]
    assert course.result("anna").labs["a"].points == 4
    course.sweep = None
    assert course.grade().found.judged == 0


def test_equal_files_are_judged_once(course: Course) -> None:
    course.hand_in("carla", a="good a")
    assert course.grade().found.judged == 3
    assert course.result("carla").labs["a"].points == 4


def _edit(relative: str, old: str, new: str) -> Callable[[Course], None]:
    def edit(course: Course) -> None:
        path = course.root / relative
        path.write_text(path.read_text().replace(old, new))

    return edit


def _new_kit(course: Course) -> None:
    course.fingerprint = "kit 2"


@pytest.mark.parametrize(
    ("change", "judged"),
    [
        (_edit("solutions/a/hidden_tests.cpp", "hidden", "harder"), 2),
        (_edit("assignments/b/public_tests.cpp", "public", "other"), 1),
        (_edit("assignments/a/lab.toml", 'kernel = "k()"', 'kernel = "k2()"'), 2),
        (_new_kit, 3),
        (lambda course: course.hand_in("anna", a="better a"), 1),
        (_edit("solutions/a/grading.toml", "points = 3", "points = 30"), 0),
        (_edit("solutions/a/grading.toml", '"verdict"', '"none"'), 0),
        (_edit("assignments/a/lab.toml", 'summary = "s"', 'summary = "t"'), 0),
    ],
)
def test_judges_again_what_a_change_concerns_and_nothing_else(
    course: Course, change: Callable[[Course], None], judged: int
) -> None:
    course.grade()
    change(course)
    assert course.grade().found.judged == judged


def test_changed_points_change_the_scores(course: Course) -> None:
    course.grade()
    _edit("solutions/a/grading.toml", "points = 3", "points = 30")(course)
    course.grade()
    assert [row["a"] for row in course.rows()] == ["31", "1"]
    assert {row["max"] for row in course.rows()} == {"35"}


def test_a_kept_outcome_that_was_damaged_is_judged_again(course: Course) -> None:
    course.grade()
    kept = sorted((course.out / "instructor" / "jobs").iterdir())
    kept[0].write_text("{")
    assert course.grade().found.judged == 1


def test_a_listed_case_that_the_judge_does_not_run_is_flagged_and_judged_again(course: Course) -> None:
    course.grade()
    grading = course.root / "solutions" / "a" / "grading.toml"
    grading.write_text(grading.read_text() + '[[case]]\nname = "new"\npoints = 1\n')
    report = course.grade()
    assert (report.found.judged, len(report.faults)) == (2, 2)
    assert all("new" in failure for failure in report.faults)
    assert course.result("anna").labs["a"].verdict is Verdict.INTERNAL_ERROR
    assert course.grade().found.judged == 2


def test_our_failure_is_tried_again_flagged_never_kept_and_charged_to_nobody(course: Course) -> None:
    course.hand_in("carla", a="BREAKS", b="good b")
    report = course.grade()
    assert [text for _, text in course.judge.asked].count("BREAKS") == 2
    assert len(report.faults) == 1
    assert course.result("carla").labs["a"].verdict is Verdict.INTERNAL_ERROR
    (carla,) = [row for row in course.rows() if row["student"] == "carla"]
    assert (carla["a"], carla["b"], carla["total"]) == ("", "4", "")
    assert "RuntimeError" in (course.out / "instructor" / "faults.txt").read_text()
    assert "RuntimeError" not in (course.out / "students" / "carla" / "result.json").read_text()
    assert course.grade().found.judged == 1
    assert course.result("anna").labs["a"].points == 4


def test_a_failure_that_passes_leaves_no_trace(course: Course) -> None:
    course.hand_in("carla", a="STUMBLES")
    report = course.grade()
    assert report.faults == ()
    assert course.result("carla").labs["a"].points == 4


def test_an_interrupted_batch_goes_on_where_it_stopped(course: Course) -> None:
    course.hand_in("zoe", b="INTERRUPT")
    with pytest.raises(KeyboardInterrupt):
        course.grade()
    assert not (course.out / "grades.csv").exists()
    kept = len(list((course.out / "instructor" / "jobs").iterdir()))
    course.hand_in("zoe", b="good after all")
    assert course.grade().found.reused == kept


def test_another_seed_than_the_last_ones_is_told_once(course: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    course.grade()
    assert not any("seed" in notice for notice in course.grade().graded.notices)
    monkeypatch.setattr("fake_course.SEED", 5)
    assert any("another seed" in notice for notice in course.grade().graded.notices)
    assert not any("seed" in notice for notice in course.grade().graded.notices)


def test_what_was_kept_is_judged_again_where_any_package_that_judges_has_changed() -> None:
    """A package that was moved or renamed would be left out without a word."""
    folder = Path(grader.__file__).parent
    assert all(any((folder / package).rglob("*.py")) for package in job_store._JUDGING)
    beside = {path.name for path in folder.iterdir() if (path / "__init__.py").is_file()} - {*job_store._JUDGING}
    assert beside == {"cli", "course", "explain", "pages", "plugins", "roll"}
