"""What the command line says of SUBMISSIONS: one or several paths, which attempt counts, and in which time zone a platform's times are."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import tzinfo
from glob import glob
from pathlib import Path
from typing import get_args
from zoneinfo import ZoneInfo

from grader.model.errors import RemediableError
from grader.policy.course_file import Attempts
from grader.policy.policy_files import CoursePolicy


def given_submissions(texts: Sequence[str]) -> list[Path]:
    """`make` gives all paths as one text: where there is no such file or folder, its parts are meant. Raises RemediableError where one is
    not there.
    """
    if not texts or not all(text.strip() for text in texts):
        message = (
            'SUBMISSIONS is empty: name a folder or a download, as in `make grade SUBMISSIONS="handed in" OUT=graded`.'
        )
        raise RemediableError(message)
    paths: list[Path] = []
    for text in texts:
        paths += [here] if _is_there(here := path_named(text)) else _parts(text)
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


def _parts(text: str) -> list[Path]:
    """Quoted words first. Without quotes, spaces may be part of a name, so the longest text that is a path is one."""
    try:
        quoted = {word: _found(word) for word in shlex.split(text)}
    except ValueError:  # a quote that does not end
        quoted = {}
    paths, lost = _of_longest(text.split(" "))
    if quoted and (all(quoted.values()) or not paths):
        paths, lost = (
            [path for found in quoted.values() for path in found],
            [word for word in quoted if not quoted[word]],
        )
    if not paths:
        return [path_named(text)]  # intake says that it is not there
    if lost:
        raise RemediableError(_not_there(paths, lost))
    return paths


def _of_longest(words: list[str]) -> tuple[list[Path], list[str]]:
    """The paths, and the words that are in none."""
    paths: list[Path] = []
    lost = []
    while words:
        ends = [end for end in range(len(words), 0, -1) if words[0] and _found(" ".join(words[:end]))]
        if ends:
            paths += _found(" ".join(words[: ends[0]]))
        elif words[0]:
            lost.append(words[0])
        words = words[ends[0] if ends else 1 :]
    return paths, lost


def _found(text: str) -> list[Path]:
    """What is there under that name; with a star in it, everything that fits."""
    path = path_named(text)
    if _is_there(path):
        return [path]
    return sorted(map(Path, glob(str(path)))) if "*" in text else []  # noqa: PTH207 -- from the root as well


def _is_there(path: Path) -> bool:
    """Many paths in one text may be longer than a name can be."""
    try:
        return path.exists()
    except OSError:
        return False


def path_named(text: str) -> Path:
    """`~` is the user's own folder: inside of quotes the shell leaves it as it is."""
    with suppress(RuntimeError):  # there is no such user
        return Path(text).expanduser()
    return Path(text)


def _not_there(paths: Sequence[Path], lost: Sequence[str]) -> str:
    found, missing = ", ".join(map(str, paths)), " ".join(lost)
    return (
        f"{missing}: there is no such file or folder; {found} {'is' if len(paths) == 1 else 'are'} there. Nothing was graded. Names with "
        """spaces are given in quotes of their own: SUBMISSIONS="'week 3.zip' b.zip"."""
    )
