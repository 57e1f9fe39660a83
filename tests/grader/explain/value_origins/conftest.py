"""Stories of real launches, as the stories' own tests make them."""

from __future__ import annotations

from tests.grader.explain.stories.conftest import tell

__all__ = ["tell"]
