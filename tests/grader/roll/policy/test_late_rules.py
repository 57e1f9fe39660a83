"""What being late costs, and how late days are spent: always in the student's favour, and never below zero."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from grader.roll.policy.late_rules import Amount, LateRules, Work, amount, lateness, moment, settle

DUE = datetime(2026, 10, 19, 22, 0, tzinfo=UTC)
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
TENTH = LateRules(penalty=Amount(0.1, "earned"))


def late(after: timedelta, points: float = 8.0, due: datetime = DUE) -> Work:
    return Work(points, 10.0, due, due + after)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        (2, Amount(2.0)),
        ("2", Amount(2.0)),
        ("2 points", Amount(2.0)),
        ("1,5", Amount(1.5)),
        ("10%", Amount(0.1, "earned")),
        ("10 % of max", Amount(0.1, "max")),
        ("12.5 percent of maximum", Amount(0.125, "max")),
        (0, Amount(0.0)),
    ],
)
def test_an_amount_is_points_or_a_share(written: object, meant: Amount) -> None:
    assert amount(written) == meant


@pytest.mark.parametrize(
    "written", ["", "ten", -1, "-5%", "101%", True, None, "10% points", "2 of max", float("nan"), [10]]
)
def test_what_is_no_amount_is_refused(written: object) -> None:
    with pytest.raises(match="is no amount"):
        amount(written)


def test_at_the_deadline_is_in_time_and_one_second_later_is_late() -> None:
    assert lateness(TENTH, late(timedelta()), 0).lost == 0
    found = lateness(TENTH, late(timedelta(seconds=1)), 0)
    assert (found.days, found.lost) == (1, 0.8)


def test_each_begun_day_counts_as_a_whole_one() -> None:
    assert [lateness(TENTH, late(DAY * n), 0).lost for n in (1, 1.01, 2, 2.5)] == [0.8, 1.6, 1.6, 2.4]


def test_each_begun_hour_counts_where_the_course_says_so() -> None:
    rules = LateRules(penalty=Amount(1), each="hour")
    assert [lateness(rules, late(HOUR * n), 0).lost for n in (0.1, 1, 1.5, 30)] == [1, 1, 2, 8]


def test_minutes_of_grace_come_after_the_deadline_and_after_each_day() -> None:
    rules = LateRules(penalty=Amount(1), grace=timedelta(minutes=10))
    minute = timedelta(minutes=1)
    assert [
        lateness(rules, late(one), 0).lost for one in (10 * minute, 10.1 * minute, DAY + 10 * minute, DAY + 11 * minute)
    ] == [0, 1, 1, 2]


def test_a_penalty_takes_no_more_than_the_lab_has_and_no_more_than_its_bound() -> None:
    assert lateness(LateRules(penalty=Amount(3)), late(9 * DAY), 0).lost == 8
    assert lateness(LateRules(penalty=Amount(3), at_most=Amount(0.5, "max")), late(9 * DAY), 0).lost == 5
    assert lateness(LateRules(penalty=Amount(0.2, "max")), late(2 * DAY), 0).lost == 4


def test_after_the_last_day_a_lab_earns_nothing() -> None:
    rules = LateRules(closed_after_days=2)
    assert [(one.lost, one.closed) for one in (lateness(rules, late(DAY * n), 0) for n in (2, 2.1))] == [
        (0, False),
        (8, True),
    ]


def test_what_is_not_known_is_never_late() -> None:
    rules = LateRules(penalty=Amount(1), closed_after_days=0)
    assert lateness(rules, Work(8, 10, DUE, None), 0).lost == 0
    assert lateness(rules, Work(8, 10, None, DUE), 0).lost == 0
    assert lateness(rules, Work(8, 10, DUE, DUE + DAY, counts=False), 3) == lateness(rules, late(timedelta()), 3)


def test_late_days_are_spent_only_as_far_as_they_help() -> None:
    assert lateness(TENTH, late(1.5 * DAY), 5).spent == 2
    assert lateness(TENTH, late(1.5 * DAY, points=0), 5).spent == 0
    assert lateness(LateRules(), late(DAY), 5).spent == 0
    closed = LateRules(closed_after_days=0)
    assert (lateness(closed, late(3 * DAY), 2).spent, lateness(closed, late(3 * DAY), 3).spent) == (0, 3)
    bounded = LateRules(penalty=Amount(1), at_most=Amount(2))
    assert (lateness(bounded, late(9 * DAY), 3).spent, lateness(bounded, late(3 * DAY), 2).spent) == (0, 2)
    assert lateness(LateRules(penalty=Amount(1), days_per_lab=1), late(3 * DAY), 9).spent == 1


def test_late_days_of_a_term_go_to_the_labs_in_the_order_of_their_deadlines() -> None:
    rules = LateRules(days=3, penalty=Amount(1))
    works = {
        "c": [late(DAY, due=DUE + 14 * DAY)],
        "b": [late(2 * DAY, due=DUE + 7 * DAY)],
        "a": [late(2 * DAY)],
        "none": [Work(5, 5, None, DUE)],
    }
    found = settle(works, rules)
    assert {lab: (one.spent, one.lost, one.days_left) for lab, one in found.items()} == {
        "a": (2, 0, 1),
        "b": (1, 1, 0),
        "c": (0, 1, 0),
        "none": (0, 0, 0),
    }


def test_of_several_attempts_the_best_counts_after_the_penalty_and_of_equal_ones_that_which_takes_no_late_day() -> None:
    rules = LateRules(days=1, penalty=Amount(3))
    early, better_but_late, as_good = late(-DAY, 6), late(2 * DAY, 8), late(DAY, 6)
    assert settle({"a": [early, better_but_late]}, rules)["a"].chosen == 0
    assert settle({"a": [early, late(DAY, 8)]}, rules)["a"].chosen == 1
    assert settle({"a": [as_good, early]}, rules)["a"].chosen == 1
    assert settle({"a": [early, late(-HOUR, 6)]}, rules)["a"].chosen == 1


def test_a_day_over_a_change_of_the_clocks_ends_at_the_same_time_of_day() -> None:
    zone = ZoneInfo("Europe/Zurich")
    rules = LateRules(penalty=Amount(1), zone=zone)
    due = moment("2026-10-24 23:59", zone)
    assert lateness(rules, Work(8, 10, due, moment("2026-10-25 23:59", zone)), 0).lost == 1
    assert lateness(rules, Work(8, 10, due, moment("2026-10-25 23:59:01", zone)), 0).lost == 2
    spring = moment("2027-03-27 23:59", zone)
    assert lateness(rules, Work(8, 10, spring, moment("2027-03-28 23:59:01", zone)), 0).lost == 2


def test_a_file_that_comes_years_late_is_counted_at_once() -> None:
    assert lateness(TENTH, late(40_000 * DAY), 0).lost == 8
