"""What handing in late costs: a share or a number of points for each day or hour, up to a bound, until a lab is closed. Pure.

Without a deadline, or without a known time, nothing is ever late.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo
from typing import Literal

from grader.policy.moments import days_later, seconds_between

_DAYS = 100_000  # more than any course has
_AMOUNT = re.compile(r"(\d+(?:[.,]\d+)?)\s*(%|percent)?\s*(of max(?:imum)?|points?)?", re.IGNORECASE)


class AmountError(ValueError):
    """A text is no amount of points. The text says what to write."""


@dataclass(frozen=True)
class Amount:
    """So many points, or such a share of the points earned or of the maximum."""

    number: float = 0.0
    of: Literal["points", "earned", "max"] = "points"

    def points(self, earned: float, most: float) -> float:
        return self.number * {"points": 1.0, "earned": earned, "max": most}[self.of]


def amount(value: object) -> Amount:
    """`2` and "2 points" are points, "10%" is a share of the points earned, "10% of max" one of the maximum. Raises AmountError."""
    found = _AMOUNT.fullmatch(str(value).strip()) if isinstance(value, str | int | float) else None
    if found is not None and not isinstance(value, bool):
        number, percent, rest = float(found[1].replace(",", ".")), found[2], (found[3] or "").lower()
        if percent and number <= 100 and not rest.startswith("point"):  # noqa: PLR2004 -- a hundred percent
            return Amount(number / 100, "max" if rest else "earned")
        if not percent and math.isfinite(number) and not rest.startswith("of"):
            return Amount(number)
    message = f'{value!r} is no amount: write "10%" of the points earned, "10% of max", or a number of points'
    raise AmountError(message)


@dataclass(frozen=True)
class LateRules:
    """Without a penalty and without a last moment, being late costs nothing."""

    days: int = 0  # late days of a student, for the term
    days_per_lab: int | None = None  # the most that one lab takes; none: all that are left
    penalty: Amount = Amount()
    each: Literal["day", "hour"] = "day"  # a begun one counts as a whole one
    at_most: Amount | None = None  # none: all points of the lab
    grace: timedelta = timedelta()
    closed_after_days: int | None = None  # after so many days a lab earns nothing; none: it never closes
    zone: tzinfo | None = None

    @property
    def cost_something(self) -> bool:
        return self.penalty.number > 0 or self.closed_after_days is not None


@dataclass(frozen=True)
class Lateness:
    """How late one file is, and what that costs."""

    seconds: int = 0
    days: int = 0  # begun ones, before late days
    spent: int = 0  # late days
    lost: float = 0.0
    closed: bool = False


@dataclass(frozen=True)
class Work:
    """One file that may count for a lab. `counts` false: its points are not known or are decided otherwise, so being late costs nothing."""

    points: float
    most: float
    due: datetime | None
    at: datetime | None
    counts: bool = True


def lateness(rules: LateRules, work: Work, left: int) -> Lateness:
    """With as many of the late days that are `left` as help, and not one more."""
    if work.due is None or work.at is None or not work.counts or work.at <= work.due + rules.grace:
        return Lateness()
    seconds = math.ceil(seconds_between(work.due, work.at))
    days = _begun_days(rules, work.due, work.at)
    most_spent = min(left, days, days if rules.days_per_lab is None else rules.days_per_lab)
    choices = [Lateness(seconds, days, spent, *_loss(rules, work, days, spent)) for spent in range(most_spent + 1)]
    return min(choices, key=lambda one: (one.lost, one.spent))


def _begun_days(rules: LateRules, due: datetime, at: datetime) -> int:
    """By the calendar of the course's time zone; each has the minutes of grace at its end."""
    days = max(1, int(seconds_between(due, at) // 86_400) - 1)
    while days < _DAYS and at > days_later(due, days, rules.zone) + rules.grace:
        days += 1
    return days


def _loss(rules: LateRules, work: Work, days: int, spent: int) -> tuple[float, bool]:
    """The points that are lost if so many late days are `spent`, and whether the lab was closed already."""
    assert work.due is not None
    assert work.at is not None
    left = days - spent
    if rules.closed_after_days is not None and left > rules.closed_after_days:
        return work.points, True
    since = seconds_between(days_later(work.due, spent, rules.zone) + rules.grace, work.at)
    units = left if rules.each == "day" else max(0, math.ceil(since / 3600))
    lost = units * rules.penalty.points(work.points, work.most)
    if rules.at_most is not None:
        lost = min(lost, rules.at_most.points(work.points, work.most))
    return min(work.points, _cents(lost)), False


def _cents(points: float) -> float:
    """In hundredths, as grades are written; half a hundredth is not lost."""
    return math.ceil(points * 100 - 0.5 - 1e-6) / 100
