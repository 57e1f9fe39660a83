"""What every platform consists of: its name, how its word about a submission is read, and two pure functions that make its files.

A platform that gets no result has to leave the grade open. So `not_graded` never holds a score that could count.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from grader.autograders.handed_in import NOBODY_SAYS, HandedIn
from grader.model.result import Result

# What a student reads where something of ours failed. It names no cause: a cause may hold the name of a hidden case.
NOT_GRADED = (
    "Not graded: the autograder failed, and not your files. You lose no points by it. "
    "Submit the same files again in some minutes. If it happens again, tell your instructor."
)
# Where a file is valid CUDA that only a GPU can run.
NEEDS_A_GPU = (
    "Not graded yet: your file needs a GPU, and this autograder has none. You lose no points by it now. "
    "Your instructor has to grade it on another machine."
)


@dataclass(frozen=True)
class Graded:
    """One submission, graded. Platforms' files are made from it."""

    result: Result  # redacted: what the student may see
    page: str  # the student's page
    handed_in: HandedIn = NOBODY_SAYS
    environment: Mapping[str, str] = field(default_factory=dict)  # of the process: some platforms name things there
    at: str = ""  # when it was graded: "2026-02-02T00:00:00Z"


@dataclass(frozen=True)
class AnswerFile:
    path: str  # in the folder of results, with "/" between its parts
    contents: str


@dataclass(frozen=True)
class Answer:
    files: tuple[AnswerFile, ...] = ()
    printed: str = ""  # for a platform that reads standard output


def nobody_says(_: Path | None, __: Mapping[str, str]) -> HandedIn:
    return NOBODY_SAYS


@dataclass(frozen=True)
class AutograderPlatform:
    name: str  # as in `tilelab grade-one NAME`
    help: str  # one line
    graded: Callable[[Graded], Answer]  # every lab is graded, unless `takes_parts`
    not_graded: Callable[[Sequence[str], str], Answer]  # gets the ids of the labs, and one of the sentences above
    # Reads the platform's own file about the submission, if there is one, and the environment.
    handed_in: Callable[[Path | None, Mapping[str, str]], HandedIn] = nobody_says
    takes_parts: bool = False  # a result in which some labs are not graded yet
    output_is_secret: bool = True  # whether students do not see what is printed on standard error
