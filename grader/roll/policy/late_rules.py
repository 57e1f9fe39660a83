"""What handing in late costs: a share or a number of points for each day or hour, up to a bound, until a lab is closed. Pure.

Without a deadline, or without a known time, nothing is ever late.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import Literal
from zoneinfo import ZoneInfo, available_timezones

# Times that an instructor writes, as moments: "2026-10-25 23:59" in the course's time zone, or with an offset of its own. Pure.
#
# Where the clock is set back, an hour occurs twice: its later occurrence counts. Where it is set forward, an hour is left out: a time in it
# counts as if the clock had not been set yet. Both are the student's gain, and the instructor is told.

_FORM = re.compile(
    r"(\d{4})-(\d{1,2})-(\d{1,2})(?:[T ]+(\d{1,2}):(\d{2})(?::(\d{2}))?)?\s*(Z|[+-]\d{2}:?\d{2})?", re.IGNORECASE
)
_FIRST_YEAR, _LAST_YEAR = 1970, 2200
EXAMPLE = "2026-10-19 23:59"


class UnreadableError(ValueError):
    """A text is no time or no amount, or nobody can say which moment it means. The error's text says what to write."""


def zone_named(name: str) -> tzinfo:
    """Raises UnreadableError."""
    if name.upper() in {"UTC", "Z"}:
        return UTC
    try:
        return ZoneInfo(name)
    except (OSError, ValueError, KeyError) as error:
        why = ' is no time zone. Write its name as in "Europe/Zurich" or "America/New_York"'
        if not available_timezones():
            why = ": this machine has no list of time zones. Install its package `tzdata`"
        raise UnreadableError(f"time_zone = {name!r}{why}") from error


def moment(value: object, zone: tzinfo | None, *, favour: Literal["early", "late"] = "late") -> datetime:
    """In UTC, so that moments can be compared. A date alone means the end of that day. `value`: a TOML time or a text. `favour`: which of
    two moments counts that a time may mean. Raises UnreadableError.
    """
    wall = _wall(value)
    if not _FIRST_YEAR < wall.year < _LAST_YEAR:
        raise UnreadableError(f"{value!s}: is the year right?")
    if wall.tzinfo is not None:
        return wall.astimezone(UTC)
    if zone is None:
        raise UnreadableError(
            f'{value!s}: in which time zone? Write time_zone = "Europe/Zurich" at the top, with your own zone'
        )
    return at_the_latest(wall, zone) if favour == "late" else wall.replace(tzinfo=zone, fold=0).astimezone(UTC)


def at_the_latest(wall: datetime, zone: tzinfo) -> datetime:
    """The moment when the clocks of `zone` show `wall`; of two, the later one."""
    return max(wall.replace(tzinfo=zone, fold=fold).astimezone(UTC) for fold in (0, 1))


def strange_hour(value: object, zone: tzinfo | None) -> str:
    """A notice where the clocks are set back or forward around a time that `moment` understands; else empty."""
    wall = _wall(value)
    if zone is None or wall.tzinfo is not None:
        return ""
    first, second = (wall.replace(tzinfo=zone, fold=fold) for fold in (0, 1))
    if first.utcoffset() == second.utcoffset():
        return ""
    if first.astimezone(UTC).astimezone(zone).replace(tzinfo=None, fold=0) == wall:
        return f"{wall:%Y-%m-%d %H:%M} occurs twice in {zone}, because the clocks are set back: the later one counts"
    return f"{wall:%Y-%m-%d %H:%M} does not occur in {zone}, because the clocks are set forward: an hour later counts"


def days_later(due: datetime, days: int, zone: tzinfo | None) -> datetime:
    """The same time of day so many days later: a day in which the clocks are set has 23 or 25 hours."""
    if not days or zone is None:
        return due + timedelta(days=days)
    return at_the_latest(due.astimezone(zone).replace(tzinfo=None, fold=0) + timedelta(days=days), zone)


def seconds_between(early: datetime, late: datetime) -> float:
    """On a clock that nobody sets."""
    return (late - early).total_seconds()


def handed_in_at(text: str, zone: tzinfo | None) -> datetime | None:
    """The time of a submission as intake wrote it. Without an offset it is the course's, the earlier one of two. None: not known."""
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    if not _FIRST_YEAR < found.year < _LAST_YEAR:  # no clock that is right says so
        return None
    if found.tzinfo is not None:
        return found.astimezone(UTC)
    return found.replace(tzinfo=zone, fold=0).astimezone(UTC) if zone is not None else None


def shown_time(value: datetime, zone: tzinfo | None) -> str:
    """For people, in the course's time zone."""
    local = value.astimezone(zone) if zone is not None else value
    name = local.tzname() or ""
    return f"{local:%Y-%m-%d %H:%M}{f':{local:%S}' if local.second else ''} {name}".rstrip()


def _wall(value: object) -> datetime:
    """As it is written, with an offset where it has one."""
    if isinstance(value, datetime):
        return value
    if isinstance(value, date):
        return datetime.combine(value + timedelta(days=1), time())
    if isinstance(value, str):
        return _read(value)
    raise UnreadableError(f"{value!r} is no time: write it as in {EXAMPLE!r}")


def _read(text: str) -> datetime:
    found = _FORM.fullmatch(text.strip())
    try:
        if found is None:
            raise ValueError  # noqa: TRY301 -- one sentence for all that is no time
        year, month, day, hour, minute, second, offset = found.groups()
        read = datetime(int(year), int(month), int(day))  # noqa: DTZ001 -- its zone follows
        if hour is None:
            read += timedelta(days=1)
        else:
            read = read.replace(hour=int(hour), minute=int(minute), second=int(second or 0))
        return read if offset is None else datetime.fromisoformat(f"{read.isoformat()}{offset.upper()}")
    except (ValueError, OverflowError) as error:
        raise UnreadableError(f"{text!r} is no time: write it as in {EXAMPLE!r}") from error


_DAYS = 100_000  # more than any course has
_AMOUNT = re.compile(r"(\d+(?:[.,]\d+)?)\s*(%|percent)?\s*(of max(?:imum)?|points?)?", re.IGNORECASE)


@dataclass(frozen=True)
class Amount:
    """So many points, or such a share of the points earned or of the maximum."""

    number: float = 0.0
    of: Literal["points", "earned", "max"] = "points"

    def points(self, earned: float, most: float) -> float:
        return self.number * {"points": 1.0, "earned": earned, "max": most}[self.of]


def amount(value: object) -> Amount:
    """`2` and "2 points" are points, "10%" is a share of the points earned, "10% of max" one of the maximum. Raises UnreadableError."""
    plain = str(value).strip() if isinstance(value, str | int | float) and not isinstance(value, bool) else ""
    if found := _AMOUNT.fullmatch(plain):
        number, percent, rest = float(found[1].replace(",", ".")), found[2], (found[3] or "").lower()
        if percent and number <= 100 and not rest.startswith("point"):  # noqa: PLR2004 -- a hundred percent
            return Amount(number / 100, "max" if rest else "earned")
        if not percent and math.isfinite(number) and not rest.startswith("of"):
            return Amount(number)
    raise UnreadableError(
        f'{value!r} is no amount: write "10%" of the points earned, "10% of max", or a number of points'
    )


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
    """How late one file is, and what that costs. Once all days are spent: which of a lab's works counts, and how many are left after it."""

    days: int = 0  # begun ones, before late days
    spent: int = 0  # late days
    lost: float = 0.0
    closed: bool = False
    chosen: int = 0
    days_left: int = 0


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
    days = _begun_days(rules, work.due, work.at)
    most_spent = min(left, days, days if rules.days_per_lab is None else rules.days_per_lab)
    choices = [Lateness(days, spent, *_loss(rules, work, days, spent)) for spent in range(most_spent + 1)]
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
    cents = math.ceil(lost * 100 - 0.5 - 1e-6)  # as grades are written; half a hundredth is not lost
    return min(work.points, cents / 100), False


# Spends a student's late days over the term: lab by lab in the order of the deadlines, and never more than help. Pure.

_NEVER = datetime.max.replace(tzinfo=UTC)


def settle(works: Mapping[str, Sequence[Work]], rules: LateRules) -> dict[str, Lateness]:
    """By lab. Of several works of one lab, that counts which has most points when all is done; of equal ones, the last."""
    left = rules.days
    settled = {}
    first_due = {lab: min((one.due or _NEVER for one in of_lab), default=_NEVER) for lab, of_lab in works.items()}
    for lab in sorted(works, key=lambda one: (first_due[one], one)):
        found = [lateness(rules, work, left) for work in works[lab]]
        ranks = [(round(work.points - one.lost, 6), -one.spent) for work, one in zip(works[lab], found, strict=True)]
        chosen = max(range(len(found)), key=lambda number: (ranks[number], number))
        left -= found[chosen].spent
        settled[lab] = replace(found[chosen], chosen=chosen, days_left=left)
    return settled
