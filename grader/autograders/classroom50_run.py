"""classroom50: `result.json`, the text of the release and the page, in the student's checkout, where its runner looks for them.

Its runner says in the environment which submission this is. Where nothing was graded there is no result: the runner then reports an
error, and keeps the score that is there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from grader.autograders.autograder_platform import Answer, AnswerFile, AutograderPlatform, Graded
from grader.autograders.markdown_summary import markdown_summary
from grader.exports.classroom50_json import classroom50_result, whole_factor
from grader.exports.frame.json_text import json_text

# Fields of the result that the runner names in the environment.
_GIVEN = {
    "assignment_type": "ASSIGNMENT_TYPE",
    "submission": "SUBMISSION_TAG",
    "commit": "COMMIT_URL",
    "release": "RELEASE_URL",
    "review": "REVIEW_URL",
}

# It ran in a repository of the student's.
_ADVICE = "These points are of the public tests, and advice only: the list of your instructor counts."


def _graded(graded: Graded) -> Answer:
    given = graded.environment
    owner = given.get("OWNER") or given.get("USERNAME") or ""
    name = f"{given.get('CLASSROOM', '')}/{given.get('ASSIGNMENT', '')}"
    data = classroom50_result(graded.result, owner, name, graded.at, whole_factor([graded.result]))
    data |= _said(given)
    return Answer(
        (
            AnswerFile("result.json", json_text(data)),
            AnswerFile("release-body.md", f"{markdown_summary(graded.result)}\n{_ADVICE}\n"),
            AnswerFile("tilelab-report.html", graded.page),
        )
    )


def _said(environment: Mapping[str, str]) -> dict[str, object]:
    return {field: environment[name] for field, name in _GIVEN.items() if environment.get(name)}


def _not_graded(_: Sequence[str], __: str) -> Answer:
    return Answer()


CLASSROOM50_RUN = AutograderPlatform(
    "classroom50", "result.json, release-body.md and tilelab-report.html for classroom50's runner", _graded, _not_graded
)
