"""What Autolab reads from an autograder's output, one file for each student: findings, the stages, and the scores in the last line. Pure.

Each lab is one of Autolab's problems, under the lab's id. A lab that is not graded yet has no score there.
"""

from __future__ import annotations

from grader.exports.frame.export import Export, ExportFile, Grades, Made
from grader.exports.frame.export_notices import about
from grader.exports.frame.json_text import json_line
from grader.exports.frame.points import grade, is_decided
from grader.exports.frame.tested_rows import TestedRow, finding_lines, tested_rows
from grader.exports.frame.zip_bytes import zip_bytes
from grader.model.result import Result

_FILE = "exports/autolab.zip"


def autolab_output(result: Result) -> str:
    """Of a redacted result. No line of text before the last two is JSON: Autolab looks for the last line that is."""
    stages: dict[str, dict[str, object]] = {lab: {} for lab in result.labs}
    for row in tested_rows(result):
        stages[row.lab][row.name] = _case(row)
    scores = {lab_id: lab.points for lab_id, lab in result.labs.items() if is_decided(lab)}
    shown: dict[str, object] = {"_presentation": "semantic", "stages": list(stages), **stages}
    found = "".join(f"# {' '.join(line.split())}\n" for line in finding_lines(result))
    return found + json_line(shown) + json_line({"scores": scores})


def _case(row: TestedRow) -> dict[str, object]:
    return {"passed": bool(row.passed), **({"hint": row.words} if row.words else {})}


def _render(grades: Grades) -> Made:
    files = [(f"{one.submission.id}.txt", autolab_output(one)) for one in grades.results]
    left = [one for one in grades.results if grade(one) is None]
    return Made(
        (ExportFile(_FILE, zip_bytes(files)),),
        tuple(about(left, "not graded yet, so some of their problems have no score")),
    )


AUTOLAB = Export("autolab", _FILE, "autograder's output of each student for Autolab", _render)
