"""What a course's policy, and what people decided, made of a lab's points: as plain data beside a lab's result.

Judging and scoring know nothing of it. grader/policy/ fills it in.
"""

from __future__ import annotations

from grader.model.result.plain_data import Model


class Override(Model):
    """Points that a person decided. They stand whatever a grading finds."""

    points: float
    reason: str
    author: str
    date: str = ""  # as the person wrote it


class Standing(Model):
    """How a lab's points came about, from what was judged to what counts."""

    judged_points: float  # what the cases and the speed earned
    at: str = ""  # when the file that counts was handed in: ISO 8601 with the offset from UTC; empty: not known
    due: str = ""  # the deadline that holds for this student, extension included; empty: there is none
    extended_from: str = ""  # the deadline without the extension; empty: there is no extension
    extension: str = ""  # its reason; for the instructor only
    late_seconds: int = 0  # after the deadline, where that is more than the minutes of grace
    late: str = ""  # the same in words: "1 day 2 hours"
    late_days: int = 0  # begun days after the deadline
    days_spent: int = 0  # late days that this lab took
    days_left: int | None = None  # of the term's, after this lab; none: the course has no late days
    lost: float = 0.0  # points that being late cost
    closed: bool = False  # it came after the last moment, so it earns nothing
    open: bool = False  # nothing was handed in, and the deadline is still to come: not 0 yet
    time_unknown: bool = False  # there is a deadline and a file, and nothing says when it was handed in: never late
    said_late: bool = False  # the platform marked it as late, and does not say how late
    override: Override | None = None


class RegradeRequest(Model):
    """What a student asked about a grade, and what was answered."""

    request: str
    answer: str = ""  # empty: not answered yet
    author: str = ""  # of the answer
    date: str = ""  # of the request, as the form wrote it


class GradeChange(Model):
    """One change of a lab's grade between two batches."""

    date: str  # of the batch that found it: ISO 8601 in UTC
    before: float | None  # None: there was no grade
    after: float | None  # None: there is none any more
    causes: tuple[str, ...]  # sentences' parts: "you handed in a new file"
    details: tuple[str, ...] = ()  # the same with digests and numbers; for the instructor only
