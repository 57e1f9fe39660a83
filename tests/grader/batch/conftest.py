"""Each test of the batch has a course of its own."""

from __future__ import annotations

from pathlib import Path

import pytest
from fake_course import Course, small_course


@pytest.fixture
def course(tmp_path: Path) -> Course:
    return small_course(tmp_path)
