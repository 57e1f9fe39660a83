"""PrairieLearn: `results.json` of an external grading job. A job that was not graded is "not gradable", which costs no attempt."""

from __future__ import annotations

from collections.abc import Sequence

from grader.autograders.autograder_platform import Answer, AnswerFile, AutograderPlatform, Graded
from grader.exports.frame.json_text import json_text
from grader.exports.prairielearn_json import prairielearn_results

_FILE = "results.json"
_MOST_BYTES = 900_000  # PrairieLearn takes 1 MB


def _graded(graded: Graded) -> Answer:
    data = prairielearn_results(graded.result)
    for left_out in ("output", "tests"):
        if len(json_text(data).encode()) <= _MOST_BYTES:
            break
        data.pop(left_out, None)
    return Answer((AnswerFile(_FILE, json_text(data)),))


def _not_graded(_: Sequence[str], why: str) -> Answer:
    return Answer((AnswerFile(_FILE, json_text({"gradable": False, "format_errors": [why]})),))


PRAIRIELEARN_JOB = AutograderPlatform(
    "prairielearn", "results.json for PrairieLearn's external grading", _graded, _not_graded
)
