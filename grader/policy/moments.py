"""Times that an instructor writes, as moments: "2026-10-25 23:59" in the course's time zone, or with an offset of its own. Pure.

Where the clock is set back, an hour occurs twice: its later occurrence counts. Where it is set forward, an hour is left out: a time in it
counts as if the clock had not been set yet. Both are the student's gain, and the instructor is told.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import Literal
from zoneinfo import ZoneInfo, available_timezones

_FORM = re.compile(
    r"(\d{4})-(\d{1,2})-(\d{1,2})(?:[T ]+(\d{1,2}):(\d{2})(?::(\d{2}))?)?\s*(Z|[+-]\d{2}:?\d{2})?", re.IGNORECASE
)
_FIRST_YEAR, _LAST_YEAR = 1970, 2200
EXAMPLE = "2026-10-19 23:59"


class MomentError(ValueError):
    """A text is no time, or nobody can say which moment it means. The text says what to write."""


def zone_named(name: str) -> tzinfo:
    """Raises MomentError."""
    if name.upper() in {"UTC", "Z"}:
        return UTC
    try:
        return ZoneInfo(name)
    except (OSError, ValueError, KeyError) as error:
        if not available_timezones():
            message = f"time_zone = {name!r}: this machine has no list of time zones. Install its package `tzdata`"
            raise MomentError(message) from error
        message = f'time_zone = {name!r} is no time zone. Write its name as in "Europe/Zurich" or "America/New_York"'
        raise MomentError(message) from error


def moment(value: object, zone: tzinfo | None, *, favour: Literal["early", "late"] = "late") -> datetime:
    """In UTC, so that moments can be compared. A date alone means the end of that day. `value`: a TOML time or a text. `favour`: which of
    two moments counts that a time may mean. Raises MomentError.
    """
    wall = _wall(value)
    if not _FIRST_YEAR < wall.year < _LAST_YEAR:
        message = f"{value!s}: is the year right?"
        raise MomentError(message)
    if wall.tzinfo is not None:
        return wall.astimezone(UTC)
    if zone is None:
        message = f'{value!s}: in which time zone? Write time_zone = "Europe/Zurich" at the top, with your own zone'
        raise MomentError(message)
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
    message = f"{value!r} is no time: write it as in {EXAMPLE!r}"
    raise MomentError(message)


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
        message = f"{text!r} is no time: write it as in {EXAMPLE!r}"
        raise MomentError(message) from error
