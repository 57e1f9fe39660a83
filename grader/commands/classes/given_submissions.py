"""What the command line says of SUBMISSIONS: one or several paths, which attempt counts, and in which time zone a platform's times are."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import replace
from datetime import tzinfo
from pathlib import Path
from typing import get_args
from zoneinfo import ZoneInfo

from grader.model.errors import RemediableError
from grader.policy.course_file import Attempts
from grader.policy.policy_files import CoursePolicy


def given_submissions(texts: Sequence[str]) -> list[Path]:
    """`make` gives all paths as one text: where there is no such file or folder, but its words are some, they are meant. Raises
    RemediableError.
    """
    if not texts or not all(text.strip() for text in texts):
        message = (
            'SUBMISSIONS is empty: name a folder or a download, as in `make grade SUBMISSIONS="handed in" OUT=graded`.'
        )
        raise RemediableError(message)
    paths: list[Path] = []
    for text in texts:
        words = [] if Path(text).exists() else _words(text)
        several = len(words) > 1 and all(Path(word).exists() for word in words)
        paths += [Path(word) for word in words] if several else [Path(text)]
    real = [path.resolve() for path in paths]
    if twice := [path for path in paths if real.count(path.resolve()) > 1]:
        message = f"{twice[0]}: this is given twice. Give each download once."
        raise RemediableError(message)
    return paths


def with_attempts(policy: CoursePolicy, attempt: str) -> CoursePolicy:
    """`attempt`: what the command line says of them; empty: course.toml's word stays. Raises RemediableError where the word is unknown."""
    which: Attempts
    match attempt.strip().casefold():
        case "":
            return policy
        case "latest" | "best" | "before-deadline" as which:
            return replace(policy, course=replace(policy.course, attempts=which))
    message = f"--attempt {attempt}: there is no such choice. Choose one of {', '.join(get_args(Attempts))}."
    raise RemediableError(message)


def time_zone(name: str) -> tzinfo:
    try:
        return ZoneInfo(name.strip())
    except (OSError, ValueError, KeyError) as error:  # a zone that is not there is a KeyError
        message = f"--timezone {name}: there is no such time zone. Give a name such as Europe/Berlin, America/New_York or UTC."
        raise RemediableError(message) from error


def _words(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError:
        return []
