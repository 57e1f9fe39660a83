"""Dates as platforms write them into names are read in many languages, and what can be read in two ways is no moment."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pytest
from upload_files import NAIVE, WANTED, put, zip_bytes

from grader.roll.intake.intake import Discovery, discover
from grader.roll.platforms.download_names import WrittenDate, written_date

MORNING = datetime(2026, 11, 20, 10, 11)  # noqa: DTZ001 -- local, as it is written


@pytest.mark.parametrize(
    "text",
    [
        "Nov 20, 2026 1011 AM",
        "20 November, 2026 1011",
        "20-Nov-2026 10.11",
        "Friday, November 20, 2026 10_11 a.m.",
        "Nov 20, 2026 10\N{NARROW NO-BREAK SPACE}11\N{NARROW NO-BREAK SPACE}AM",
        "Nov 20, 2026 1011 AM EST",
        "20 nov. 2026 10 h 11",
        "vendredi 20 novembre 2026 10h11",
        "20 de noviembre de 2026 1011",
        "20. November 2026 10.11",
        "2026-11-20 1011",
        "20-11-2026 10_11_12",
        "2026\N{CJK UNIFIED IDEOGRAPH-5E74}11\N{CJK UNIFIED IDEOGRAPH-6708}20\N{CJK UNIFIED IDEOGRAPH-65E5} 1011",
    ],
)
def test_a_date_is_read_in_whatever_language_it_is_written(text: str) -> None:
    assert written_date(text) == WrittenDate(MORNING)


@pytest.mark.parametrize(
    ("text", "hour"), [("Nov 20, 2026 1211 AM", 0), ("Nov 20, 2026 1211 PM", 12), ("Nov 20, 2026 2011", 20)]
)
def test_noon_midnight_and_hours_after_twelve(text: str, hour: int) -> None:
    assert written_date(text) == WrittenDate(MORNING.replace(hour=hour))


def test_where_day_and_month_cannot_be_told_apart_there_is_no_moment() -> None:
    assert written_date("05-11-2026 1011") == WrittenDate(None)


@pytest.mark.parametrize(
    "text",
    [
        "lab 2 2026.cu",
        "Ada Lovelace",
        "Nov 20, 2026",
        "20 Nov 2026 1011.cu",
        "version 2026 11",
        "1" * 40,
        "Nov 20, 2026 1011 AM(1)",
    ],
)
def test_other_texts_are_no_dates(text: str) -> None:
    assert written_date(text) is None


def brightspace(names: list[str], tmp_path: Path) -> Discovery:
    tree = {f"{name}/{NAIVE}": name.encode() for name in names}
    return discover(put(tmp_path / "download.zip", zip_bytes(tree)), tmp_path / "scratch", WANTED)


def test_brightspace_numbers_that_several_students_share_tell_nobody(tmp_path: Path) -> None:
    names = [
        f"397063-2557369 - {name} - Sep {day}, 2026 926 PM"
        for name, day in (("Ann-Mary Smith", 24), ("John Doe", 24), ("John Doe", 25))
    ]
    found = brightspace(names, tmp_path)
    assert {one.submission.name: one.sources[NAIVE].read_bytes().decode() for one in found.students} == {
        "Ann-Mary Smith": names[0],
        "John Doe": names[2],
    }
    assert "Brightspace export, 2 students" in found.notices[0]
    assert any("names do" in one for one in found.notices)


def test_brightspace_attempts_that_nothing_puts_in_an_order_are_never_mixed(tmp_path: Path) -> None:
    """05-11 may be in May or in November."""
    names = [f"1234{who}-999 - S{who} - 0{day}-11-2026 1011" for who in (1, 2) for day in (5, 6)]
    found = brightspace(names, tmp_path)
    assert sorted(one.sources[NAIVE].read_bytes().decode() for one in found.students) == names
    assert any("nothing says which is the last" in one for one in found.notices)
