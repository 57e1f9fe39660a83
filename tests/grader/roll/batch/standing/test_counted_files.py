"""Several attempts of one student: the latest, the last in time, or the best counts, and it is said which."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest
from fake_course import Course

from grader.model.verdicts import Verdict
from grader.roll.batch import class_batch, class_standing
from grader.roll.intake.intake import Attempt, Discovery, counted_attempts, discover, with_counted

_DISCOVER: Callable[..., Discovery] = discover
COURSE = """
time_zone = "UTC"
attempts = "latest"
[deadlines]
a = "2026-10-12"
[late]
penalty = "50%"
grace_minutes = 5
"""
EARLY, GRACE, LATE = "2026-10-11T12:00:00+00:00", "2026-10-13T00:05:00+00:00", "2026-10-13T12:00:00+00:00"


@dataclasses.dataclass
class Tries:
    """The attempts of `anna` at lab a: when, and with which text."""

    course: Course
    given: Sequence[tuple[str, str]] = ()

    def grade(self, attempts: str) -> None:
        self.course.policy["course.toml"] = COURSE.replace("latest", attempts)
        self.course.grade("a")

    def discovered(self, *args: Path, **named: object) -> Discovery:
        found = _DISCOVER(*args, **named)
        students = []
        for one in found.students:
            if one.submission.id != "anna":
                students.append(one)
                continue
            attempts = []
            for number, (at, text) in enumerate(self.given, 1):
                path = self.course.root / f"{number}.cu"
                path.write_text(text, encoding="utf-8")
                sources = {"a.cu": path} if text else {}
                attempts.append(Attempt(number, len(self.given), at=datetime.fromisoformat(at), sources=sources))
            tried = dataclasses.replace(one, attempts=tuple(attempts))
            students.append(with_counted(tried, counted_attempts(attempts, ["a.cu"])))
        return dataclasses.replace(found, students=tuple(students))

    @property
    def outcome(self) -> tuple[float, str]:
        result = self.course.result("anna")
        return result.labs["a"].points, result.submission.attempt


@pytest.fixture
def tries(course: Course, monkeypatch: pytest.MonkeyPatch) -> Tries:
    found = Tries(course)
    monkeypatch.setattr(class_batch, "discover", found.discovered)
    return found


@pytest.mark.parametrize(
    ("given", "latest", "in_time", "best"),
    [
        ([(EARLY, "good"), (LATE, "RACE")], (0.5, "2 of 2"), (4, "1 of 2"), (4, "1 of 2")),
        ([(EARLY, "RACE"), (LATE, "good")], (2, "2 of 2"), (1, "1 of 2"), (2, "2 of 2")),
        ([(EARLY, "good"), (LATE, "good now")], (2, "2 of 2"), (4, "1 of 2"), (4, "1 of 2")),
        ([(EARLY, "RACE"), (GRACE, "good")], (4, "2 of 2"), (4, "2 of 2"), (4, "2 of 2")),
        ([(EARLY, "good"), (GRACE, "RACE")], (1, "2 of 2"), (1, "2 of 2"), (4, "1 of 2")),
        ([(EARLY, "good"), (GRACE, "good")], (4, "2 of 2"), (4, "2 of 2"), (4, "2 of 2")),
        ([(EARLY, "good"), (LATE, "")], (0, "2 of 2"), (4, "1 of 2"), (4, "1 of 2")),
    ],
)
def test_which_attempt_counts(
    tries: Tries,
    given: Sequence[tuple[str, str]],
    latest: tuple[float, str],
    in_time: tuple[float, str],
    best: tuple[float, str],
) -> None:
    tries.given = given
    found = []
    for attempts in ("latest", "before-deadline", "best"):
        tries.grade(attempts)
        found.append(tries.outcome)
    assert found == [latest, in_time, best]


def test_what_came_after_the_deadline_alone_counts_for_nothing_and_the_student_reads_why(tries: Tries) -> None:
    tries.given = [(LATE, "good")]
    tries.grade("before-deadline")
    lab = tries.course.result("anna").labs["a"]
    assert (lab.verdict, lab.points) == (Verdict.MISSING_FILE, 0)
    assert "it was handed in after the deadline" in lab.findings[0].message


def test_an_extension_lets_a_later_attempt_count(tries: Tries) -> None:
    tries.given = [(EARLY, "RACE"), (LATE, "good")]
    tries.course.policy["course.toml"] = COURSE.replace("latest", "before-deadline")
    tries.course.policy["course.toml"] += '[[extension]]\nstudent = "anna"\nlab = "a"\ndays = 1\nreason = "r"\n'
    tries.course.grade("a")
    assert tries.outcome == (4, "2 of 2")


def test_pages_show_the_attempt_that_counts_and_equal_files_are_judged_once(tries: Tries) -> None:
    tries.given = [(EARLY, "good // first"), (GRACE, "RACE // second"), (LATE, "RACE // second")]
    tries.grade("best")
    assert tries.outcome == (4, "1 of 3")
    assert sorted(text for _, text in tries.course.judge.asked) == ["RACE", "RACE // second", "good // first"]
    tries.given = [*tries.given, ("2026-10-12T12:00:00+00:00", "good // fourth")]
    tries.course.now = datetime(2026, 10, 20, tzinfo=UTC)
    tries.grade("best")
    assert tries.outcome == (4, "4 of 4")
    assert [one.causes for one in tries.course.result("anna").labs["a"].changes] == [("you handed in a new file",)]


def test_where_we_failed_at_an_attempt_nothing_is_decided_unless_another_has_all_points(tries: Tries) -> None:
    tries.given = [(EARLY, "RACE"), (GRACE, "BREAKS")]
    tries.grade("best")
    assert tries.course.result("anna").labs["a"].verdict is Verdict.INTERNAL_ERROR
    tries.given = [(EARLY, "good"), (GRACE, "BREAKS")]
    tries.grade("best")
    assert tries.outcome == (4, "1 of 2")


def test_only_the_last_different_files_are_tried_and_the_instructor_is_told(
    tries: Tries, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(class_standing, "MOST", 2)
    tries.given = [(EARLY, "RACE 2"), (EARLY, "RACE 3"), (GRACE, "RACE 2"), (LATE, "RACE 3")]
    tries.grade("best")
    assert "different files" not in (tries.course.out / "index.html").read_text(encoding="utf-8")
    tries.given = [(EARLY, "good"), *tries.given]
    tries.course.judge.asked.clear()
    tries.grade("best")
    assert tries.course.judge.asked == []
    assert tries.outcome[0] == 1
    told = (tries.course.out / "index.html").read_text(encoding="utf-8")
    assert "only the last 2 different files of a lab are judged" in told
    assert "anna a (1 in all)" in told
