"""`grades.csv`: one row for each student, `student,total,max`, then one column for each lab. Pure.

If a failure of ours kept a lab from being graded, its cell and the total are empty: people notice a blank, but not a zero.
"""

from __future__ import annotations

import csv
import io

from grader.exports.export import Export
from grader.model.graded_class import GradedClass
from grader.model.result import LabResult
from grader.model.verdicts import Verdict


def grades_csv(graded: GradedClass) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["student", "total", "max", *graded.lab_ids])
    for result in graded.results:
        labs = [result.labs[lab_id] for lab_id in graded.lab_ids]
        broken = any(lab.verdict is Verdict.INTERNAL_ERROR for lab in labs)
        total = "" if broken else _number(result.total)
        writer.writerow([result.submission.id, total, _number(result.max), *map(_cell, labs)])
    return text.getvalue()


def _cell(lab: LabResult) -> str:
    return "" if lab.verdict is Verdict.INTERNAL_ERROR else _number(lab.points)


def _number(points: float) -> str:
    return f"{points:.2f}".rstrip("0").rstrip(".")


GRADES_CSV = Export("grades-csv", "grades.csv", "student,total,max and a column for each lab", grades_csv)
