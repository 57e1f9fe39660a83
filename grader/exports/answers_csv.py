"""`exports/answers.csv`: one row for each student. Each lab that asks questions has three columns: how many it asks, how many are
answered, how many numbers are right. Pure.

Cells are empty where a student handed in nothing. No text that a student wrote is in it.
"""

from __future__ import annotations

from grader.exports.frame.export import Export
from grader.exports.frame.safe_cells import table_text
from grader.model.lab_answers import LabAnswers
from grader.model.result.graded_class import GradedClass

_COLUMNS = ("questions", "answered", "right numbers")


def answers_csv(graded: GradedClass) -> str:
    asking = [lab for lab in graded.lab_ids if any(result.labs[lab].answers for result in graded.results)]
    rows = [["student", *(f"{lab} {column}" for lab in asking for column in _COLUMNS)]]
    rows += [
        [result.submission.id, *(cell for lab in asking for cell in _cells(result.labs[lab].answers))]
        for result in graded.results
    ]
    return table_text(rows)


def _cells(answers: LabAnswers | None) -> tuple[str, str, str]:
    if answers is None:
        return ("", "", "")
    return str(len(answers.questions)), str(answers.answered), str(answers.right)


ANSWERS_CSV = Export(
    "answers-csv",
    "exports/answers.csv",
    "how many questions of each lab are answered",
    lambda grades: answers_csv(grades.graded),
)
