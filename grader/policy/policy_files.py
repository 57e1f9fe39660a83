"""The files of a course's policy: course.toml, and overrides.csv, regrade.csv and times.csv beside it. Each may be missing.

A file that cannot be understood is refused before anything is graded.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from grader.policy.course_file import CourseFile, PolicyError, read_course
from grader.policy.hand_in_times import HandInTimes, read_times
from grader.policy.overrides import Overrides, read_overrides
from grader.policy.regrade_requests import RegradeRequests, read_requests

COURSE, OVERRIDES, REQUESTS, TIMES = "course.toml", "overrides.csv", "regrade.csv", "times.csv"


@dataclass(frozen=True)
class CoursePolicy:
    """What the files say. Students are named there as a person wrote them: class_policy.py finds out who is meant."""

    course: CourseFile = field(default_factory=CourseFile)
    overrides: Overrides = field(default_factory=Overrides)
    requests: RegradeRequests = field(default_factory=RegradeRequests)
    times: HandInTimes = field(default_factory=HandInTimes)
    named: str = ""  # the course.toml that was asked for; empty: the course's own

    @property
    def notices(self) -> tuple[str, ...]:
        return (*self.course.notices, *self.overrides.notices, *self.requests.notices, *self.times.notices)


def read_policy(root: Path, labs: Sequence[str], named: Path | None = None) -> CoursePolicy:
    """`root`: the course's folder; `named`: the course.toml that was asked for, or the folder that holds it; `labs`: the course's.
    Raises PolicyError.
    """
    course = root / COURSE if named is None else named / COURSE if named.is_dir() else named
    if named is not None and not course.is_file():
        message = f"{course}: there is no such file. Name the course's file, as in COURSE=course.toml."
        raise PolicyError(message)
    overrides, requests, times = (course.parent / one for one in (OVERRIDES, REQUESTS, TIMES))
    decided = read_course(course, labs) if _is_there(course) else CourseFile()
    return CoursePolicy(
        decided,
        read_overrides(overrides, labs) if _is_there(overrides) else Overrides(),
        read_requests(requests, labs) if _is_there(requests) else RegradeRequests(),
        read_times(times, labs, decided.zone) if _is_there(times) else HandInTimes(),
        "" if named is None else str(course.absolute()),
    )


def _is_there(path: Path) -> bool:
    """Also where it is a folder or a link that leads nowhere: then reading it says what is wrong."""
    return path.is_symlink() or path.exists()
