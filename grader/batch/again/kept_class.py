"""A graded class as its last batch left it in OUT: results, students' texts, and what else its pages are made from.

It is whole or it is refused: a class page or an export that lacks a student could be taken for the grades of all.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from grader.batch.output_folder import OutputFolder
from grader.batch.standing.history_folder import HistoryFolder
from grader.batch.written.page_material import ClassMaterial, MaterialFolder, StudentMaterial, with_step_pages
from grader.exports.again.last_batch import LastBatch, LastBatchFile
from grader.model.errors import RemediableError
from grader.model.result import Result
from grader.people.name_forms import some
from grader.policy.grade_history import KeptBatch, last_grades


class NotKeptError(RemediableError):
    """Pages cannot be written again. The text says why, and what to do."""


@dataclass(frozen=True)
class KeptClass:
    batch: LastBatch
    seed: int
    results: tuple[Result, ...]  # with the comments and decisions of the last batch
    material: ClassMaterial
    students: Mapping[str, StudentMaterial]
    history: tuple[KeptBatch, ...]  # the oldest first
    notices: tuple[str, ...]  # what was found damaged, and costs nobody a page


def kept_class(out: OutputFolder) -> KeptClass:
    """Raises NotKeptError, or UnknownBatchError where nobody knows which class it is."""
    file, folder = LastBatchFile(out.private), MaterialFolder(out.private)
    batch = file.read()
    graded, lost = file.graded(batch)
    material = folder.of_class()
    if material is None:
        message = (
            f"{folder.class_path}: this says what the pages here were made from, and it is missing or cannot be read, as after a batch of "
            "an older version. Grade once more into this OUT: what has not changed is not judged again."
        )
        raise NotKeptError(message)
    if material.stopped:
        message = f"{out.path}: the last batch here stopped ({material.stopped}) Grade again first."
        raise NotKeptError(message)
    history = HistoryFolder(out.private)
    batches = tuple(history.read())
    last = last_grades(batches)
    students: dict[str, StudentMaterial] = {}
    results, notices, other = [], list(history.notices), []
    for result in graded.results:
        student = result.submission.id
        found = folder.of_student(student)
        grades = [last[student, lab] for lab in batch.labs if (student, lab) in last]
        if found is None or any(found.digests.get(one.lab, "") != one.source for one in grades):
            other.append(student)
            continue
        students[student] = found
        whole, gone = with_step_pages(result, found.step_pages, out.students / student)
        results.append(whole)
        notices += [f"{out.students / student / name} is gone or was changed, so no page leads to it" for name in gone]
    if lost or other:
        first = lost[0] if lost else f"what the pages of {some(other)} were made from is missing or of another batch"
        message = f"{out.path}: {first}. Grade once more into this OUT: what has not changed is not judged again. Nothing was changed."
        raise NotKeptError(message)
    return KeptClass(batch, file.seed(batch), tuple(results), material, students, batches, tuple(notices))
