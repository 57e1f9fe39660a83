"""course.toml: what it may say, and that whatever is wrong in it is refused with its place and a remedy."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from grader.roll.policy.course_file import CourseFile, PolicyError, course_in, read_policy
from grader.roll.policy.late_rules import Amount

LABS = ["01-naive", "02-tiled", "03-boundary"]
ZONE = 'time_zone = "Europe/Zurich"\n'
EXTENSION = '[[extension]]\nstudent = "ada"\nlab = "tiled"\nreason = "ill"\n'


def read(text: str) -> CourseFile:
    return course_in(text.encode(), "course.toml", LABS)


def test_everything_that_the_page_shows_is_understood() -> None:
    page = (Path(__file__).parents[4] / "docs" / "policy.md").read_text(encoding="utf-8")
    course = read(page.split("```toml\n", 1)[1].split("```", 1)[0])
    assert course.deadlines["02-tiled"] == datetime(2026, 10, 19, 21, 59, tzinfo=UTC)
    assert course.sections["tuesday"]["02-tiled"] == datetime(2026, 10, 20, 21, 59, tzinfo=UTC)
    assert (course.late.days, course.late.penalty, course.late.grace) == (
        4,
        Amount(0.1, "earned"),
        timedelta(minutes=10),
    )
    assert [(one.student, one.lab, one.reason) for one in course.extensions] == [("ada", "02-tiled", "ill")]
    assert course.notices == ()


def test_an_empty_file_decides_nothing() -> None:
    assert read("") == CourseFile()
    assert read("\ufeff# nothing\n") == CourseFile()


def test_toml_has_times_of_its_own() -> None:
    course = read(
        ZONE + "[deadlines]\n01-naive = 2026-10-12T23:59:00\n02-tiled = 2026-10-12T23:59:00Z\n03 = 2026-10-12\n"
    )
    assert [one.hour for one in course.deadlines.values()] == [21, 23, 22]


def test_what_has_no_effect_is_told() -> None:
    assert "late days have no effect" in read("[late]\ndays = 3\n").notices[0]
    assert "before-deadline" in read('attempts = "before-deadline"\n').notices[0]
    assert "occurs twice" in read(ZONE + '[deadlines]\n01-naive = "2026-10-25 02:30"\n').notices[0]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[deadlines]\n01-naive = 2026-10-12 23:59\n", r"line 2.*Times and percentages stand in quotation marks"),
        ("[late]\npenalty = 10%\n", r"line 2.*quotation marks"),
        (
            '[deadlines]\n01-naive = "2026-10-12 23:59"\n',
            r"course\.toml, \[deadlines\], 01-naive: .* in which time zone",
        ),
        (
            '[deadlines]\n09-none = "2026-10-12 23:59Z"\n',
            r"course\.toml, \[deadlines\]: there is no lab '09-none'. The labs are: 01-naive",
        ),
        ('[deadlines]\n0 = "2026-10-12 23:59Z"\n', r"'0' may be 01-naive or 02-tiled"),
        ('[deadlines]\n01-naive = "2026-10-12Z"\nnaive = "2026-10-12Z"\n', r"01-naive has two deadlines here"),
        ('[deadlines]\n01-naive = "soon"\n', r"01-naive: 'soon' is no time: write it as in '2026-10-19 23:59'"),
        ("[deadlines]\n01-naive = 5\n", r"5 is no time"),
        ("[deadlines]\n01-naive = 9999-12-31\n", r"."),
        ('time_zone = "Zurich"\n', r"'Zurich' is no time zone"),
        ('attempts = "first"\n', r"`attempts`: Input should be 'latest', 'best' or 'before-deadline'"),
        ("[late]\ndays = -1\n", r"`late\.days`: Input should be greater than or equal to 0"),
        ('[late]\ndays = "3"\n', r"`late\.days`: Input should be a valid integer"),
        ("[late]\ndays = true\n", r"`late\.days`"),
        ('[late]\npenalty = "a lot"\n', r"'a lot' is no amount"),
        ("[late]\npenalty = nan\n", r"is no amount"),
        ("[lateness]\n", r"`lateness` is not known here. docs/policy\.md lists"),
        ("[late]\ngrace = 3\n", r"`late\.grace` is not known here"),
        ('[sections.A]\n01-naive = "2026-10-12Z"\n[sections.a]\n', r"two sections have one name"),
        (
            ZONE + '[deadlines]\ntiled = "2026-10-12"\n' + EXTENSION,
            r"line 4: write either `until` or `days`, for 'ada'",
        ),
        (ZONE + EXTENSION + "days = 2\n", r"line 2: 02-tiled has no deadline, so none can be extended"),
        (ZONE + EXTENSION.replace('reason = "ill"\n', "days = 2\n"), r"`extension\.entry 1\.reason` is missing"),
        (ZONE + EXTENSION.replace("ill", "") + "days = 2\n", r"`extension\.entry 1\.reason`"),
        ("a = " + "[" * 5000, r"course\.toml"),
        ("\0", r"course\.toml"),
    ],
)
def test_what_is_wrong_is_refused_with_its_place(text: str, message: str) -> None:
    with pytest.raises(PolicyError, match=message):
        read(text)


def test_what_is_no_text_or_no_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PolicyError, match="is not UTF-8"):
        course_in(b"# \xff\xfe\xff", "course.toml", LABS)
    with pytest.raises(PolicyError, match=r"there is no such file. Name the course's file, as in COURSE=course\.toml"):
        read_policy(tmp_path, LABS, tmp_path / "other.toml")
    (tmp_path / "course.toml").mkdir()
    with pytest.raises(PolicyError, match="cannot be read"):
        read_policy(tmp_path, LABS)


def test_the_tables_lie_beside_the_course_file_and_all_of_them_may_be_missing(tmp_path: Path) -> None:
    assert read_policy(tmp_path, LABS).notices == ()
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "course.toml").write_text("[late]\ndays = 1\n")
    (tmp_path / "other" / "overrides.csv").write_text("student,lab,points,reason,author\nada,tiled,1,r,me\n")
    for named in (tmp_path / "other" / "course.toml", tmp_path / "other"):
        policy = read_policy(tmp_path, LABS, named)
        assert (policy.course.late.days, policy.overrides.rows[0].lab) == (1, "02-tiled")
