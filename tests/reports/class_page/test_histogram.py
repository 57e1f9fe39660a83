"""Bins of points: they have round ends, and contain everybody."""

from __future__ import annotations

import pytest

from grader.pages.class_page.class_sheet import histogram


@pytest.mark.parametrize("maximum", [0, 0.5, 1, 7, 10, 34, 99, 100, 250, 1234])
def test_everybody_is_in_exactly_one_bar(maximum: float) -> None:
    totals = [0, maximum / 3, maximum / 2, maximum, maximum * 1.5]
    bars = histogram(totals, maximum).bars
    assert sum(bar.count for bar in bars) == len(totals)
    assert 1 <= len(bars) <= 10


def test_a_bar_begins_with_its_own_points_and_ends_before_the_next() -> None:
    bars = histogram([0, 9.99, 10, 20, 95, 100, 110], 100).bars
    assert [bar.count for bar in bars] == [2, 1, 1, 0, 0, 0, 0, 0, 0, 3]
    assert bars[0].title == "from 0 to under 10 points: 2 students"
    assert bars[-1].title == "90 points and more: 3 students"


def test_the_ends_of_the_bars_are_round() -> None:
    assert [bar.title.split()[1] for bar in histogram([], 34).bars[:-1]] == ["0", "5", "10", "15", "20", "25"]


def test_a_course_without_points_has_one_bar() -> None:
    assert [bar.count for bar in histogram([0, 0, 3], 0).bars] == [3]


def test_a_picture_of_nobody_says_so() -> None:
    assert histogram([], 10).alternative == "no student handed in anything"
