"""GitHub Actions: files for the steps after grading: a job summary, the page for an artifact, points as a step's outputs, `result.json`.

Where nothing was graded there are no points, and the workflow fails: a run that failed says that nothing is known.
"""

from __future__ import annotations

from collections.abc import Sequence

from grader.autograders.autograder_platform import Answer, AnswerFile, AutograderPlatform, Graded
from grader.autograders.markdown_summary import markdown_summary
from grader.exports.frame.points import grade, most, number_text


def _graded(graded: Graded) -> Answer:
    points = grade(graded.result)
    assert points is not None
    highest = number_text(most(graded.result))
    result = graded.result.model_dump_json(by_alias=True, indent=2) + "\n"
    files = (
        AnswerFile("summary.md", markdown_summary(graded.result)),
        AnswerFile("report.html", graded.page),
        AnswerFile("result.json", result),
        AnswerFile("outputs.txt", f"graded=true\npoints={number_text(points)}\nmax={highest}\n"),
    )
    return Answer(files, f"::notice title=Tilelab::{number_text(points)} of {highest} points\n")


def _not_graded(_: Sequence[str], why: str) -> Answer:
    files = (AnswerFile("summary.md", f"## Not graded\n\n{why}\n"), AnswerFile("outputs.txt", "graded=false\n"))
    return Answer(files, f"::error title=Not graded::{why}\n")


ACTIONS_RUN = AutograderPlatform(
    "github-actions", "summary.md, report.html, result.json and outputs.txt for a workflow", _graded, _not_graded
)
