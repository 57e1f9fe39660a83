"""What every export is: a name to ask for, one file in OUT, and a pure function that makes it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from grader.model.graded_class import GradedClass


@dataclass(frozen=True)
class Export:
    """`render` is given results with everything in them: what students get back has to be redacted first."""

    name: str  # as in `--export NAME`
    file: str  # its name in OUT
    help: str  # one line
    render: Callable[[GradedClass], str]
