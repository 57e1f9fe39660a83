"""What Autolab reads from an autograder's output, one file for each student: findings, the stages, and the scores in the last line. Pure.

Each lab is one of Autolab's problems, under the lab's id. A lab that is not graded yet has no score there. Where no lab is, there is no
file: of an output without any score, Autolab makes zeros.
"""

from __future__ import annotations

from grader.exports.frame.export import Export, ExportFile, Grades, Made
from grader.exports.frame.export_notices import about, without
from grader.exports.frame.json_text import json_line
from grader.exports.frame.points import grade, is_decided
from grader.exports.frame.tested_rows import TestedRow, finding_lines, tested_rows
from grader.exports.frame.zip_bytes import zip_bytes
from grader.model.result import Result

_FILE = "exports/autolab.zip"


def autolab_output(result: Result) -> str:
    """Of a redacted result. Autolab reads the stages from the last line but one, and the scores from the last line."""
    scores = {lab_id: lab.points for lab_id, lab in result.labs.items() if is_decided(lab)}
    stages: dict[str, dict[str, object]] = {lab_id: {} for lab_id in scores}
    for row in tested_rows(result):
        if row.lab in stages:
            stages[row.lab][row.name] = _case(row)
    shown: dict[str, object] = {"_presentation": "semantic", "stages": list(stages), **stages}
    found = "".join(f"# {' '.join(line.split())}\n" for line in finding_lines(result))
    return found + json_line(shown) + json_line({"scores": scores})


def _case(row: TestedRow) -> dict[str, object]:
    return {"passed": bool(row.passed), **({"hint": row.words} if row.words else {})}


def _render(grades: Grades) -> Made:
    scored = [one for one in grades.results if any(map(is_decided, one.labs.values()))]
    files = [(f"{one.submission.id}.txt", autolab_output(one)) for one in scored]
    part = [one for one in scored if grade(one) is None]
    notices = [
        *about(part, "partly graded, so some of their problems have no score"),
        *about(without(grades.results, scored), "not graded yet, so there is no output"),
    ]
    return Made((ExportFile(_FILE, zip_bytes(files)),), tuple(notices))


AUTOLAB = Export("autolab", _FILE, "autograder's output of each student for Autolab", _render)
