"""What a platform says of the submission that its container holds: whose it is, when it was handed in, when it was due. Plain data."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from grader.model.result import Student


@dataclass(frozen=True)
class HandedIn:
    people: tuple[Student, ...] = ()  # several for a team; empty: the platform does not say
    at: datetime | None = None  # with its time zone
    due: datetime | None = None
    notices: tuple[str, ...] = ()  # what could not be read of it

    @property
    def late(self) -> timedelta:
        """Zero: in time, or nobody knows."""
        if self.at is None or self.due is None:
            return timedelta(0)
        return max(self.at - self.due, timedelta(0))


NOBODY_SAYS = HandedIn()


def late_words(late: timedelta) -> str:
    """How late it was, to the minute. Empty: it was not."""
    minutes = -(-int(late.total_seconds()) // 60)
    if minutes <= 0:
        return ""
    days, rest = divmod(minutes, 24 * 60)
    hours, minutes = divmod(rest, 60)
    parts = [f"{days} d" if days else "", f"{hours} h" if hours else "", f"{minutes} min" if minutes else ""]
    return f"Handed in {' '.join(filter(None, parts))} after the due date. What that costs, the platform decides."
