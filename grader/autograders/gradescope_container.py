"""Gradescope: `results.json` in its container, and what `submission_metadata.json` says of a submission.

The student's page is a link in the output, as Gradescope keeps no file of an autograder. A result that was not graded has neither score
nor tests: Gradescope then has no points to write down, whatever it makes of the file.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from grader.autograders.autograder_platform import Answer, AnswerFile, AutograderPlatform, Graded
from grader.autograders.handed_in import HandedIn
from grader.autograders.output_fragment import output_fragment
from grader.exports.frame.json_text import json_text
from grader.exports.gradescope_json import gradescope_results
from grader.model.result import Student

_FILE = "results.json"
_MOST_BYTES = 8 << 20  # of the metadata: earlier results are in it
_MOST_PEOPLE = 50


def _graded(graded: Graded) -> Answer:
    data = gradescope_results(graded.result)
    data["output"] = output_fragment(graded)
    data["output_format"] = "html"
    return Answer((AnswerFile(_FILE, json_text(data)),))


def _not_graded(_: Sequence[str], why: str) -> Answer:
    data = {"output": why, "output_format": "text", "visibility": "visible", "stdout_visibility": "hidden"}
    return Answer((AnswerFile(_FILE, json_text(data)),))


def handed_in_to_gradescope(metadata: Path | None, _: Mapping[str, str]) -> HandedIn:
    """A file that is missing, or is not as Gradescope publishes it, says nothing. The submission is graded all the same."""
    if metadata is None or not metadata.is_file():
        return HandedIn(notices=("Gradescope's file about this submission is missing, so the page names nobody",))
    try:
        if metadata.stat().st_size > _MOST_BYTES:
            return HandedIn(notices=("Gradescope's file about this submission is too large, so the page names nobody",))
        data = json.loads(metadata.read_bytes())
    except (OSError, ValueError, RecursionError):
        return HandedIn(notices=("Gradescope's file about this submission cannot be read, so the page names nobody",))
    data = data if isinstance(data, dict) else {}
    assignment = data.get("assignment")
    users = data.get("users")
    named = [one for one in users[:_MOST_PEOPLE] if isinstance(one, dict)] if isinstance(users, list) else []
    return HandedIn(tuple(map(_person, named)), _time(data.get("created_at")), _due(assignment, named))


def _person(user: Mapping[str, Any]) -> Student:
    number = user.get("id")
    ids = {"Gradescope": str(number)} if isinstance(number, int) and not isinstance(number, bool) else {}
    return Student(
        name=_text(user.get("name")), email=_text(user.get("email")), number=_text(user.get("sid")), platform_ids=ids
    )


def _due(assignment: object, users: Sequence[Mapping[str, Any]]) -> datetime | None:
    """The latest that somebody of the team has: an extension is in the dates of the one who got it."""
    places = [one.get("assignment") for one in users] + [assignment]
    dates = [_time(one.get("due_date")) for one in places if isinstance(one, dict)]
    return max((one for one in dates if one is not None), default=None)


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _time(value: object) -> datetime | None:
    """None: it is no time, or has no time zone."""
    try:
        found = datetime.fromisoformat(_text(value))
    except ValueError:
        return None
    return found if found.tzinfo is not None else None


GRADESCOPE_CONTAINER = AutograderPlatform(
    "gradescope", "results.json for Gradescope's harness", _graded, _not_graded, handed_in_to_gradescope
)
