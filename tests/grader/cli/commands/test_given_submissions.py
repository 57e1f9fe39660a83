"""What the command line says of SUBMISSIONS: several paths, also as one text from make, the attempt that counts, and the time zone."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pytest

from grader.cli.classes.grade_command import given_submissions, time_zone, with_attempts
from grader.model.errors import RemediableError
from grader.roll.policy.course_file import CourseFile, CoursePolicy


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("a.zip", "b.zip", "week 3", "week 3/a.zip", "it's"):
        path = tmp_path / name
        if path.suffix:
            path.write_bytes(b"")
        else:
            path.mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        (["a.zip"], ["a.zip"]),
        (["week 3"], ["week 3"]),
        (["a.zip", "b.zip"], ["a.zip", "b.zip"]),
        (["a.zip b.zip"], ["a.zip", "b.zip"]),
        (["a.zip 'week 3'"], ["a.zip", "week 3"]),
        (["a.zip 'week 3' b.zip"], ["a.zip", "week 3", "b.zip"]),
        (["'week 3/a.zip' \"week 3\""], ["week 3/a.zip", "week 3"]),
        (["*.zip"], ["a.zip", "b.zip"]),
        (["it's b.zip"], ["it's", "b.zip"]),
        (["nowhere at all"], ["nowhere at all"]),  # intake says that it is not there
        (["*.tar"], ["*.tar"]),
        (["~nobody-is-called-so/a.zip"], ["~nobody-is-called-so/a.zip"]),
    ],
)
@pytest.mark.usefixtures("here")
def test_several_paths_may_come_as_one_text(given: list[str], meant: list[str]) -> None:
    assert given_submissions(given) == [Path(one) for one in meant]


def test_a_path_may_begin_at_the_root_or_at_the_users_own_folder(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(here))
    assert given_submissions([f"~/a.zip '{here}/week 3'"]) == [here / "a.zip", here / "week 3"]
    many = [here / f"{'long' * 20}{number}.zip" for number in range(20)]  # together longer than a name may be
    for one in many:
        one.write_bytes(b"")
    assert given_submissions([" ".join(one.name for one in many)]) == [Path(one.name) for one in many]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ([], "empty"),
        (["  "], "empty"),
        (["a.zip", "./a.zip"], "given twice"),
        (["a.zip nowhere.zip"], r"nowhere\.zip: there is no such file or folder; a\.zip is there\. Nothing was graded"),
        (["'a.zip' 'week 4'"], "week 4: there is no such file or folder"),
    ],
)
@pytest.mark.usefixtures("here")
def test_nothing_and_the_same_twice_are_refused(given: list[str], said: str) -> None:
    with pytest.raises(RemediableError, match=said):
        given_submissions(given)


def test_the_command_line_decides_about_attempts_before_the_courses_file() -> None:
    policy = CoursePolicy(CourseFile(attempts="best"))
    assert with_attempts(policy, "").course.attempts == "best"
    assert with_attempts(policy, " Latest ").course.attempts == "latest"
    with pytest.raises(RemediableError, match="latest, best, before-deadline"):
        with_attempts(policy, "newest")


def test_a_time_zone_is_a_name_that_this_machine_knows() -> None:
    assert time_zone("UTC").utcoffset(datetime(2026, 1, 1)) is not None  # noqa: DTZ001 -- a local time
    for name in ("Mars/Rover", "../etc/passwd", "/etc/passwd", "a\0b"):
        with pytest.raises(RemediableError, match="there is no such time zone"):
            time_zone(name)
