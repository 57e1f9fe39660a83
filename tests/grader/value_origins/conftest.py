"""Stories of real launches, as the stories' own tests make them."""

from __future__ import annotations

from tests.grader.stories.conftest import tell

__all__ = ["tell"]
