"""Each test of the batch has a course of its own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from fake_course import Course, small_course, with_times

from grader.roll.batch import class_batch
from grader.roll.intake.intake import Discovery, discover

_DISCOVER: Callable[..., Discovery] = discover
COURSE = """
time_zone = "Europe/Zurich"
[deadlines]
a = "2026-10-12 23:59"
b = "2026-10-19 23:59"
[late]
days = 2
penalty = "25%"
"""


@pytest.fixture
def course(tmp_path: Path) -> Course:
    return small_course(tmp_path)


@pytest.fixture
def timed(course: Course, monkeypatch: pytest.MonkeyPatch) -> Course:
    """The small course with deadlines, three days after the first of them."""

    def discovered(*args: Path, **named: object) -> Discovery:
        return with_times(_DISCOVER(*args, **named), course.times)

    monkeypatch.setattr(class_batch, "discover", discovered)
    course.policy["course.toml"] = COURSE
    course.times |= {("anna", "a.cu"): "2026-10-12T12:00:00+02:00", ("ben", "a.cu"): "2026-10-12T23:00:00+02:00"}
    course.times["anna", "b.cu"] = "2026-10-14T12:00:00+02:00"
    return course
