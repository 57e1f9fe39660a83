"""Reads a date with a time as a learning platform writes it into a name: "Nov 20, 2026 1011 AM", "20 novembre 2026 10h11". Pure.

Words of many languages are known. A date of which day and month cannot be told apart is a date, and no moment.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime

# By their first letters.
_MONTHS = (
    ("jan", "ene", "gen", "янв"), ("feb", "fév", "fev", "фев"), ("mar", "mär", "maa", "mrt", "мар"),
    ("apr", "avr", "abr", "апр"), ("may", "mai", "mei", "mag", "maj", "май", "мая"), ("jun", "juin", "giu", "июн"),
    ("jul", "juil", "lug", "июл"), ("aug", "aoû", "aou", "ago", "авг"), ("sep", "set", "сен"),
    ("oct", "okt", "out", "ott", "окт"), ("nov", "ноя"), ("dec", "dez", "déc", "dic", "дек"),
)  # fmt: skip
_HALF = re.compile(r"(?<![^\W\d_])([ap])[. ]{0,2}m\b|(上午|午前|오전)|(下午|午後|오후)", re.IGNORECASE)
_ALLOWED = re.compile(r"[\w\s.,:/-]{8,48}\Z")
_FILE = re.compile(r"\.[A-Za-z]\w{0,4}\Z")
_MOST_WORDS, _NOON = 8, 12
_YEARS = range(1990, 2100)


@dataclass(frozen=True)
class WrittenDate:
    at: datetime | None  # the platform's local time; none: it can be read in two ways


def written_date(text: str) -> WrittenDate | None:
    """None: this is no date with a time."""
    is_file = _FILE.search(text) and not _HALF.search(text[-4:])
    numbers = re.findall(r"\d+", text)
    year = next((at for at, one in enumerate(numbers) if len(one) == 4 and int(one) in _YEARS), -1)  # noqa: PLR2004 -- a year's digits
    words = re.findall(r"[^\W\d_]+", _HALF.sub(" ", text))
    month = next((number for word in words if (number := _month(word))), 0)
    if is_file or not _ALLOWED.match(text) or year < 0 or len(words) > _MOST_WORDS:
        return None
    days, rest = (1, numbers[:year] + numbers[year + 1 :]) if month else (2, numbers[:year] + numbers[year + 1 :])
    dates, times = rest[:days], rest[days:]
    if len(dates) < days or any(len(one) > 2 for one in dates) or not times or year > days:  # noqa: PLR2004 -- digits of a day
        return None
    clock = _clock(times, _HALF.search(text))
    first, second = (month, int(dates[0])) if month else map(int, dates)
    if clock is None:
        return None
    if not month and year and first <= _NOON and second <= _NOON and first != second:
        return WrittenDate(None)
    if not month and year and first > _NOON:
        first, second = second, first
    return _date(int(numbers[year]), first, second, clock)


def _date(year: int, month: int, day: int, clock: tuple[int, int]) -> WrittenDate | None:
    try:
        return WrittenDate(datetime(year, month, day, *clock))  # noqa: DTZ001 -- local
    except ValueError:
        return None


def _month(word: str) -> int:
    """0: no month is called so."""
    plain = word.casefold()
    return next((number for number, starts in enumerate(_MONTHS, 1) if plain.startswith(starts)), 0)


def _clock(numbers: list[str], half: re.Match[str] | None) -> tuple[int, int] | None:
    """Of "1011" or "10" and "11"; seconds do not count."""
    first = numbers[0]
    if len(first) in {3, 4}:
        hour, minute = int(first[:-2]), int(first[-2:])
    elif len(numbers) > 1 and len(first) <= 2 and len(numbers[1]) == 2:  # noqa: PLR2004 -- digits of an hour and of minutes
        hour, minute = int(first), int(numbers[1])
    else:
        return None
    if half is not None and hour <= _NOON:
        is_afternoon = half[3] is not None or (half[1] or "").casefold() == "p"
        hour = hour % _NOON + (_NOON if is_afternoon else 0)
    return hour, minute
