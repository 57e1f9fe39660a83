"""Which of several attempts counts: the latest, the last before a deadline, and of several downloads the one that holds the file."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from upload_files import handed_in

from grader.model.result import Submission
from grader.roll.intake.intake import Attempt, Intake, counted_attempts, with_counted

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)


def attempt(number: int, *files: str, day: int | None = None, download: int = 0, refused: str | None = None) -> Attempt:
    at = None if day is None else NOON + timedelta(days=day)
    sources = {file: Path(f"{number}-{download}") for file in files}
    return Attempt(number, 3, download, at, sources=sources, refused=refused)


def chosen(*attempts: Attempt, deadline: datetime | None = None) -> Intake:
    student = Intake(Submission(id="ada", name="Ada"), attempts=attempts)
    return with_counted(student, counted_attempts(attempts, ["a.cu", "b.cu"], {"a.cu": deadline}))


def test_the_latest_attempt_counts_as_a_whole() -> None:
    ada = chosen(attempt(1, "a.cu", "b.cu", day=0), attempt(2, "a.cu", day=1))
    assert ada.sources == {"a.cu": Path("2-0")}
    assert "in an earlier attempt" in ada.hints["b.cu"]
    assert (ada.submission.attempt, handed_in(ada, "a.cu"), handed_in(ada, "b.cu")) == (
        "2 of 3",
        NOON + timedelta(days=1),
        None,
    )


@pytest.mark.parametrize(
    ("deadline", "taken", "said"),
    [(0.0, "1-0", "1 of 3, 3 of 3"), (1.5, "2-0", "2 of 3, 3 of 3"), (9.0, "3-0", "3 of 3")],
)
def test_the_last_attempt_before_each_labs_deadline_counts(deadline: float, taken: str, said: str) -> None:
    attempts = [attempt(number + 1, "a.cu", "b.cu", day=number) for number in range(3)]
    ada = chosen(*attempts, deadline=NOON + timedelta(days=deadline))
    assert ada.sources == {"a.cu": Path(taken), "b.cu": Path("3-0")}
    assert ada.submission.attempt == said


def test_what_came_only_after_the_deadline_is_missing_and_says_so() -> None:
    ada = chosen(attempt(1, "a.cu", day=2), deadline=NOON)
    assert (ada.sources, ada.hints) == ({}, {"a.cu": "it was handed in after the deadline"})


def test_an_attempt_without_a_time_is_never_late() -> None:
    ada = chosen(attempt(1, "a.cu"), deadline=NOON)
    assert ada.sources == {"a.cu": Path("1-0")}


def test_files_of_several_downloads_are_put_together() -> None:
    ada = chosen(attempt(1, "a.cu", day=0), attempt(2, "b.cu", day=3, download=1))
    assert ada.sources == {"a.cu": Path("1-0"), "b.cu": Path("2-1")}
    assert handed_in(ada, "a.cu") == NOON
    assert ada.submission.at == (NOON + timedelta(days=3)).isoformat()


def test_of_two_downloads_with_one_file_the_one_handed_in_later_counts() -> None:
    assert chosen(attempt(1, "a.cu", day=5), attempt(1, "a.cu", day=0, download=1)).sources == {"a.cu": Path("1-0")}
    assert chosen(attempt(1, "a.cu"), attempt(1, "a.cu", download=1)).sources == {"a.cu": Path("1-1")}


def test_an_upload_that_was_refused_takes_nothing_from_another_download() -> None:
    ada = chosen(attempt(1, "a.cu", day=0), attempt(1, day=1, download=1, refused="it is damaged"))
    assert ada.sources == {"a.cu": Path("1-0")}
    assert ada.blocked == {"b.cu": "the submission was refused: it is damaged"}
    assert ada.submission.refused is None
    assert (
        chosen(attempt(1, "a.cu", day=0), attempt(2, day=1, refused="it is damaged")).submission.refused
        == "it is damaged"
    )
