"""`grades.csv`: one row for each student, `student,total,max`, then one column for each lab. Pure.

If a failure of ours kept a lab from being graded, its cell and the total are empty: people notice a blank, but not a zero. A lab that is
not due yet and was not handed in has an empty cell too; the total is that of the others.
"""

from __future__ import annotations

from grader.exports.frame.export import Export
from grader.exports.frame.points import is_decided, is_open, number_text
from grader.exports.frame.safe_cells import table_text
from grader.model.result import LabResult
from grader.model.result.graded_class import GradedClass
from grader.model.verdicts import Verdict


def grades_csv(graded: GradedClass) -> str:
    rows = [["student", "total", "max", *graded.lab_ids]]
    for result in graded.results:
        labs = [result.labs[lab_id] for lab_id in graded.lab_ids]
        broken = any(map(_is_broken, labs)) or all(map(is_open, labs))
        total = "" if broken and labs else number_text(result.total)
        rows.append([result.submission.id, total, number_text(result.max), *map(_cell, labs)])
    return table_text(rows)


def _cell(lab: LabResult) -> str:
    return "" if _is_broken(lab) or is_open(lab) else number_text(lab.points)


def _is_broken(lab: LabResult) -> bool:
    return lab.verdict is Verdict.INTERNAL_ERROR and not is_decided(lab)


GRADES_CSV = Export(
    "grades-csv", "grades.csv", "student,total,max and a column for each lab", lambda grades: grades_csv(grades.graded)
)
