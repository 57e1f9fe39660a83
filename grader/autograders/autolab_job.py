"""Autolab: the output of a job. Autolab reads the scores from its last line, and shows all of it to the student.

Of an output without scores, Autolab makes zeros. Where nothing is graded, each lab has the score `null`: Autolab writes down a score
without points.
"""

from __future__ import annotations

from collections.abc import Sequence

from grader.autograders.autograder_platform import Answer, AutograderPlatform, Graded
from grader.exports.autolab_text import autolab_output
from grader.exports.frame.json_text import json_line


def _graded(graded: Graded) -> Answer:
    return Answer(printed=autolab_output(graded.result))


def _not_graded(labs: Sequence[str], why: str) -> Answer:
    return Answer(printed=f"{why}\n{json_line({'scores': dict.fromkeys(labs)})}")


AUTOLAB_JOB = AutograderPlatform(
    "autolab", "the output of a job for Autolab", _graded, _not_graded, output_is_secret=False
)
