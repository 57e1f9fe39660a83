"""How long a piece of work will still take, in words, from how long what is done has taken. Pure."""

from __future__ import annotations

_LEAST_SECONDS = 4.0  # of work, before anything can be told from it
_MINUTE, _HOUR = 60, 3600


def time_left(done: int, total: int, seconds: float) -> str:
    """`done` of `total` equal steps took `seconds`. Empty where that tells nothing yet, or nothing is left."""
    if not 0 < done < total or seconds < _LEAST_SECONDS:
        return ""
    left = (total - done) * seconds / done
    if left < _MINUTE:
        return "less than a minute left"
    if left < 1.5 * _HOUR:
        return f"about {_counted(round(left / _MINUTE), 'minute')} left"
    return f"about {_counted(round(left / _HOUR), 'hour')} left"


def _counted(number: int, unit: str) -> str:
    return f"{number} {unit}" if number == 1 else f"{number} {unit}s"
