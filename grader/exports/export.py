"""What every export consists of: a name to request it by, one file in OUT, and a pure function that makes it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from grader.model.graded_class import GradedClass


@dataclass(frozen=True)
class Export:
    """`render` gets results with everything in them. Files that students get back must be redacted first."""

    name: str  # as in `--export NAME`
    file: str  # its name in OUT
    help: str  # one line
    render: Callable[[GradedClass], str]
