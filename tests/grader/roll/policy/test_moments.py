"""Times of deadlines: time zones, days in which the clocks are set, hours that occur twice or not at all."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest

from grader.roll.policy.late_rules import (
    UnreadableError,
    days_later,
    handed_in_at,
    moment,
    shown_time,
    strange_hour,
    zone_named,
)

ZURICH = ZoneInfo("Europe/Zurich")


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("2026-10-19 23:59", "2026-10-19T21:59:00"),
        ("2026-10-19T23:59:30", "2026-10-19T21:59:30"),
        ("2026-12-19 23:59", "2026-12-19T22:59:00"),
        ("2026-10-19 23:59 Z", "2026-10-19T23:59:00"),
        ("2026-10-19 23:59+05:30", "2026-10-19T18:29:00"),
        ("2026-10-19", "2026-10-19T22:00:00"),
        (datetime(2026, 10, 19, 23, 59), "2026-10-19T21:59:00"),  # noqa: DTZ001 -- as TOML has it
        (datetime(2026, 10, 19, 23, 59, tzinfo=timezone(timedelta(hours=-8))), "2026-10-20T07:59:00"),
        (date(2026, 10, 19), "2026-10-19T22:00:00"),
    ],
)
def test_a_time_is_the_courses_unless_it_has_an_offset(written: object, meant: str) -> None:
    assert moment(written, ZURICH) == utc(meant)


def test_of_an_hour_that_occurs_twice_the_later_one_counts_and_it_is_told() -> None:
    assert moment("2026-10-25 02:30", ZURICH) == utc("2026-10-25T01:30:00")
    assert "occurs twice in Europe/Zurich" in strange_hour("2026-10-25 02:30", ZURICH)
    assert moment("2026-10-25 02:30+02:00", ZURICH) == utc("2026-10-25T00:30:00")
    assert strange_hour("2026-10-25 02:30+02:00", ZURICH) == ""


def test_an_hour_that_is_left_out_is_the_one_after_it_and_it_is_told() -> None:
    assert moment("2026-03-29 02:30", ZURICH) == utc("2026-03-29T01:30:00")
    assert "does not occur in Europe/Zurich" in strange_hour("2026-03-29 02:30", ZURICH)
    assert strange_hour("2026-03-29 03:30", ZURICH) == ""


def test_a_day_ends_at_the_same_time_of_day_also_when_the_clocks_are_set() -> None:
    assert days_later(moment("2026-10-24 23:59", ZURICH), 1, ZURICH) == moment("2026-10-25 23:59", ZURICH)
    assert days_later(moment("2026-10-24 23:59", ZURICH), 1, ZURICH) - utc("2026-10-24T21:59") == timedelta(hours=25)
    assert days_later(moment("2026-03-28 23:59", ZURICH), 1, ZURICH) - utc("2026-03-28T22:59") == timedelta(hours=23)
    assert days_later(moment("2026-10-25 02:30", ZURICH), 0, ZURICH) == utc("2026-10-25T01:30:00")
    assert days_later(moment("2026-10-24 02:30", ZURICH), 1, ZURICH) == utc("2026-10-25T01:30:00")


@pytest.mark.parametrize(
    "written",
    [
        "",
        "soon",
        "2026-13-01 10:00",
        "2026-02-30",
        "19.10.2026",
        "2026-10-19 25:00",
        "2026-10-19 23:59+99:99",
        7,
        True,
        None,
    ],
)
def test_what_is_no_time_is_refused_with_an_example(written: object) -> None:
    with pytest.raises(UnreadableError, match="is no time: write it as in '2026-10-19 23:59'"):
        moment(written, ZURICH)


def test_a_time_without_a_zone_is_refused_where_the_course_has_none() -> None:
    with pytest.raises(UnreadableError, match="time_zone = "):
        moment("2026-10-19 23:59", None)
    assert moment("2026-10-19 23:59Z", None) == utc("2026-10-19T23:59:00")


def test_zones_have_names() -> None:
    assert zone_named("utc") is UTC
    for name in ("Zurich", "../../etc/passwd", "/etc/localtime", "CET+1", "\0"):
        with pytest.raises(UnreadableError, match="is no time zone"):
            zone_named(name)


def test_when_a_file_was_handed_in_is_the_earlier_one_of_two_hours() -> None:
    assert handed_in_at("2026-10-25T02:30:00", ZURICH) == utc("2026-10-25T00:30:00")
    assert handed_in_at("2026-10-25T02:30:00+01:00", ZURICH) == utc("2026-10-25T01:30:00")
    assert handed_in_at("2026-10-25T02:30:00", None) is None
    assert handed_in_at("", ZURICH) is None


def test_people_read_times_in_the_zone_of_the_course() -> None:
    assert shown_time(utc("2026-10-19T21:59:00"), ZURICH) == "2026-10-19 23:59 CEST"
    assert shown_time(utc("2026-10-19T21:59:01"), ZURICH) == "2026-10-19 23:59:01 CEST"
